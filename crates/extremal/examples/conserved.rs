//! What the Kepler problem conserves, and why.

use extremal::{Error, Model};

pub(crate) fn main() -> Result<(), Error> {
    for quantity in Model::gallery("kepler")?.analyze().conserved() {
        let how = if quantity.proved { "proved" } else { "seen at random points" };
        println!("{} = {} ({how})", quantity.name, quantity.expression);
    }
    Ok(())
}
