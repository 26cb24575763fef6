//! The cheapest way from rest to rest, replayed.

use extremal::{Error, Model};

pub(crate) fn main() -> Result<(), Error> {
    let best = Model::gallery("double-integrator")?.solve().steps(100).run()?;
    println!("{}: cost {}, first force {}", best.status().name(), best.objective(), best["u"][0]);
    Ok(())
}
