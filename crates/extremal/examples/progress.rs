//! A run that is watched, and ended when enough has been seen.

use std::ops::ControlFlow;

use extremal::{Error, ErrorKind, Model, Progress};

pub(crate) fn main() -> Result<(), Error> {
    let enough = |progress: Progress| match progress.done {
        done if done > 1000 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    match Model::gallery("henon-heiles")?.simulate().until(1e5).run_with(enough) {
        Err(error) if error.kind() == ErrorKind::Interrupted => {
            println!("{} steps were enough", error.partial().map_or(0, extremal::Run::steps));
            Ok(())
        }
        other => other.map(drop),
    }
}
