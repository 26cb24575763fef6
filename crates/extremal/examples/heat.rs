//! A piston between two gases: friction warms both, and both laws of thermodynamics hold for every step.

use extremal::{Error, Method, Model};

pub(crate) fn main() -> Result<(), Error> {
    let model = Model::gallery("piston-between-gases")?;
    let run = model.simulate().method(Method::EnergyEntropy(2)).run()?;
    let entropies = [&run["S1"], &run["S2"]];
    let total: Vec<f64> = entropies[0].iter().zip(entropies[1]).map(|(a, b)| a + b).collect();
    assert!(total.windows(2).all(|pair| pair[1] >= pair[0]));
    println!("entropy grows from {} to {}", total[0], total[total.len() - 1]);
    Ok(())
}
