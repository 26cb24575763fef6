//! A disc that rolls without slipping: the multipliers are the forces of the contact.

use extremal::{Error, Model};

pub(crate) fn main() -> Result<(), Error> {
    let disc = Model::builder("Disc that rolls upright")
        .parameter("R", 0.5)
        .coordinate("x", 0.0)
        .coordinate("y", 0.0)
        .coordinate("theta", extremal::CoordinateSpec::start(0.0).velocity(1.0))
        .coordinate("phi", extremal::CoordinateSpec::start(0.0).velocity(0.3))
        .lagrangian("(x'^2 + y'^2)/2 + R^2*theta'^2/4 + R^2*phi'^2/8")
        .constraint("roll_x", "x' = R*cos(phi)*theta'")
        .constraint("roll_y", "y' = R*sin(phi)*theta'")
        .build()?;
    let run = disc.simulate().project(true).step(0.01).until(20.0).run()?;
    let end = run.end();
    println!("the contact pushes with {:?} along x", end.get("lambda_roll_x"));
    Ok(())
}
