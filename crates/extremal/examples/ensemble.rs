//! A thousand orbits with random velocities.

use extremal::{Distribution, Error, Model};

pub(crate) fn main() -> Result<(), Error> {
    let normal = Distribution::Normal { mean: 1.0, deviation: 0.05 };
    let all = Model::gallery("kepler")?.sweep().random("y'", normal).samples(1000, 7).until(5.0).run()?;
    let x = &all["x"];
    println!("{} members, mean x = {}", all.members(), x.iter().sum::<f64>() / x.len() as f64);
    Ok(())
}
