//! The command line of extremal.
fn main() {}
