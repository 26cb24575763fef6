//! The eighth-order composition of Störmer–Verlet on Hénon–Heiles.

use extremal_engine::CompiledRun;
use extremal_engine::mechanics::System;
use extremal_engine::mechanics::discrete::{Options, scheme};
use extremal_floors::henon_heiles;

use crate::timing::Table;

const H: f64 = 0.01;

pub fn measure(table: &mut Table) {
    let model = crate::model("henon-heiles");
    let settings = crate::with_step(&model, H);
    let run = CompiledRun::new(&model, &settings).expect("the gallery runs");
    let fractions =
        scheme(&System::of(&model), &settings.method, Options::default(), None).expect("the gallery runs").substeps;
    let floor = |steps| henon_heiles::march(H, &fractions, steps).to_vec();
    let beside = crate::beside(&run, crate::coordinates, floor, (1000, 1e-10), [3_000, 15_000]);
    table.compared(&format!("Hénon–Heiles, kahan-li8 of {} Verlet steps: one step", fractions.len()), &beside);
}
