//! The equations of a double pendulum, for a page in LaTeX.

use extremal::{Error, Model};

pub(crate) fn main() -> Result<(), Error> {
    let equations = Model::gallery("double-pendulum")?.equations().latex();
    println!("{}", equations.hamilton()?);
    Ok(())
}
