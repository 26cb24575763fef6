//! A long chain by an explicit method.

use extremal::{Overrides, Run};
use extremal_floors::fermi_pasta_ulam;

use crate::timing::Table;

const MASSES: u32 = 1000;
const H: f64 = 0.05;
const ALPHA: f64 = 0.25;

pub fn measure(table: &mut Table) {
    let model = crate::load("fermi-pasta-ulam", &Overrides::default().set("n", MASSES));
    let run = Run::new(&model, &crate::with_step(&model, H)).expect("the gallery runs");
    let start: Vec<f64> =
        (1..=MASSES).map(|i| (std::f64::consts::PI * f64::from(i) / f64::from(MASSES + 1)).sin()).collect();
    let floor = |steps| fermi_pasta_ulam::march(H, ALPHA, &start, steps);
    let beside = crate::beside(&run, crate::coordinates, floor, (200, 1e-10), [300, 1500]);
    table.compared(&format!("Fermi–Pasta–Ulam, {MASSES} masses, Störmer–Verlet: one step"), &beside);
}
