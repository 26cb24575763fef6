//! Ten thousand double pendulums.

use extremal_engine::Settings;
use extremal_engine::model::Extent;
use extremal_engine::sweep::{CompiledSweep, Record, Variation};
use extremal_floors::double_pendulum;

use crate::timing::{Steps, Table, paired};

const H: f64 = 0.01;
const STEPS: u64 = 1000;
const MEMBERS: u64 = 10_000;
/// Over so many steps all members agree: later a chaotic motion magnifies the last bit.
const COMPARED: u64 = 50;

fn with_sweep<R>(steps: u64, work: impl FnOnce(&CompiledSweep) -> R) -> R {
    let model = crate::model("double-pendulum");
    let settings = Settings { extent: Some(Extent::Steps(steps)), ..crate::with_step(&model, H) };
    let random = ["θ1=-3.14:3.14", "θ2=-3.14:3.14"].map(|axis| axis.parse().expect("an axis")).to_vec();
    let variation = Variation { random, samples: MEMBERS, ..Variation::default() };
    work(&CompiledSweep::new(&model, &settings, variation, Record::End).expect("the gallery can be swept"))
}

/// The angles that members start from and those that they end with, by columns.
fn angles(sweep: &CompiledSweep) -> [Vec<f64>; 4] {
    let (rows, summary) = sweep.collect(1);
    assert_eq!(summary.finished, MEMBERS);
    let column = |name: &str| sweep.fields().number_names().iter().position(|other| other == name);
    ["θ1(0)", "θ2(0)", "θ1", "θ2"].map(|name| rows.numbers(column(name).expect("a column")).to_vec())
}

pub fn measure(table: &mut Table) {
    let [mut first, mut second, ends @ ..] = with_sweep(COMPARED, angles);
    double_pendulum::ensemble(H, [&mut first, &mut second], COMPARED as usize);
    for (ours, by_hand) in ends.iter().flatten().zip(first.iter().chain(&second)) {
        assert!((ours - by_hand).abs() < 1e-8, "not the same motion: {ours}, by hand {by_hand}");
    }
    with_sweep(STEPS, |sweep| {
        let [first, second, ..] = angles(sweep);
        let count = (MEMBERS * STEPS) as usize;
        let subject = Steps { count, take: |_| _ = std::hint::black_box(sweep.collect(1)) };
        let by_hand = |_| {
            let (mut first, mut second) = (first.clone(), second.clone());
            double_pendulum::ensemble(H, [&mut first, &mut second], STEPS as usize);
            std::hint::black_box((first, second));
        };
        let beside = paired(subject, Steps { count, take: by_hand });
        table.compared("ensemble of double pendulums, midpoint: one step of a member", &beside);
    });
}
