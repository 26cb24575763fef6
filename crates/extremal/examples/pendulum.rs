//! A pendulum from text to numbers.

use extremal::{Error, Model};

pub(crate) fn main() -> Result<(), Error> {
    let model = Model::parse(
        r#"
        [parameters]
        g = 9.81
        l = 1.0
        [coordinates]
        theta = { start = 2.0 }
        [dynamics]
        lagrangian = "l^2*theta'^2/2 + g*l*cos(theta)"
        "#,
    )?;
    let run = model.simulate().step(0.01).until(10.0).run()?;
    println!("theta(10) = {}, energy off by at most {:.1e}", run.end().q("theta"), run.energy().max_drift());
    Ok(())
}
