//! The double pendulum: the midpoint rule, and a method of high order.

use extremal_engine::{CompiledRun, Model, Settings};
use extremal_floors::{double_pendulum, gauss};

use crate::timing::Table;

pub const H: f64 = 0.01;
const START: [f64; 2] = [2.0, 1.0];
/// Over so many steps both agree: later a chaotic motion magnifies the last bit.
const COMPARED: (usize, f64) = (300, 1e-9);

/// Written in angles; the gallery has it in the positions of the masses, which leaves more to compute.
pub const IN_ANGLES: &str = r#"
[parameters]
g = 9.81

[coordinates]
a = { start = 2.0, velocity = 0.0 }
b = { start = 1.0, velocity = 0.0 }

[dynamics]
lagrangian = "a'^2 + b'^2/2 + a'*b'*cos(a - b) + g*(2*cos(a) + cos(b))"

[simulation]
method = "midpoint"
step = 0.01
until = 5.0
"#;

pub fn midpoint(table: &mut Table) {
    let model = Model::from_toml(IN_ANGLES).expect("a model");
    let run = CompiledRun::new(&model, &crate::with_step(&model, H)).expect("it runs");
    let fast = |steps| double_pendulum::fast(H, START, steps).to_vec();
    let libm = |steps| double_pendulum::with_libm(H, START, steps).to_vec();
    let beside_fast = crate::beside(&run, crate::coordinates, fast, COMPARED, [20_000; 2]);
    table.compared("double pendulum, midpoint: one step", &beside_fast);
    let beside_libm = crate::beside(&run, crate::coordinates, libm, COMPARED, [20_000; 2]);
    table.compared("the same beside the loop with the system's sine and cosine", &beside_libm);
    let model = crate::model("double-pendulum");
    let run = CompiledRun::new(&model, &crate::with_step(&model, H)).expect("the gallery runs");
    let gallery = crate::beside(&run, crate::coordinates, fast, COMPARED, [20_000; 2]);
    table.compared("the same from the positions of the masses, as in the gallery", &gallery);
}

/// With this step the angles at t = 5 are right to 1e-11.
const STEP: f64 = 0.05;

pub fn gauss(table: &mut Table) {
    let model = crate::model("double-pendulum");
    let method = "gauss(8)".parse().expect("a method");
    let run =
        CompiledRun::new(&model, &Settings { method, ..crate::with_step(&model, STEP) }).expect("the gallery runs");
    let floor = |steps| gauss::march(STEP, START, steps).to_vec();
    let beside = crate::beside(&run, crate::coordinates, floor, (100, 1e-10), [1000, 3000]);
    table.compared("double pendulum, 8 Gauss stages, h = 0.05: one step", &beside);
}
