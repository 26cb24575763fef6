//! Sweeps of many short members, beside loops by hand that march as many side by side.

use std::hint::black_box;

use extremal_engine::model::Extent;
use extremal_engine::sweep::{CompiledSweep, Record, Variation};
use extremal_engine::{Model, Settings, gallery};
use extremal_floors::{double_pendulum, kepler, rod};

use super::rows::KEPLER;
use crate::timing::{Paired, Steps, paired_in, readable};

const H: f64 = 0.01;
const MEMBERS: u64 = 10_000;
const STEPS: u64 = 100;

/// Columns of numbers, one number for each member.
type Found = Vec<Vec<f64>>;

/// A row of the table: a sweep, and what of its members is computed by hand.
struct SweepRow {
    work: &'static str,
    text: &'static str,
    method: &'static str,
    random: &'static [&'static str],
    record: Record,
    /// The columns that both sides compute.
    compared: Vec<String>,
    /// These columns by hand, from the values that are random and the number of steps.
    floor: fn(&Found, usize) -> Found,
    /// Over so many steps both must agree, to this.
    agreement: (u64, f64),
    goal: f64,
}

fn rows() -> Vec<SweepRow> {
    let angles = &["a=-3.14:3.14", "b=-3.14:3.14"];
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let pendulum = crate::double_pendulum::IN_ANGLES;
    vec![
        SweepRow {
            work: "sweep of double pendulums, midpoint, 100 steps, ends",
            text: pendulum,
            method: "midpoint",
            random: angles,
            record: Record::End,
            compared: owned(&["a", "b"]),
            floor: |random, steps| {
                let [mut first, mut second] = [random[0].clone(), random[1].clone()];
                double_pendulum::ensemble(H, [&mut first, &mut second], steps);
                vec![first, second]
            },
            agreement: (50, 1e-8),
            goal: 1.5,
        },
        SweepRow {
            work: "sweep of double pendulums, midpoint, 100 steps, extremes",
            text: pendulum,
            method: "midpoint",
            random: angles,
            record: Record::Extremes,
            compared: ["min", "max"]
                .iter()
                .flat_map(|end| ["a", "b", "a'", "b'", "p_a", "p_b", "energy"].map(|name| format!("{name}_{end}")))
                .collect(),
            floor: |random, steps| {
                double_pendulum::extremes(H, [&random[0], &random[1]], steps).into_iter().flatten().collect()
            },
            agreement: (50, 1e-7),
            goal: 2.0,
        },
        SweepRow {
            work: "sweep of Kepler orbits, galerkin(2), 100 steps, ends",
            text: KEPLER,
            method: "galerkin(2)",
            random: &["y'=1.7:2.0"],
            record: Record::End,
            compared: owned(&["x", "y"]),
            floor: |random, steps| kepler::ensemble(H, 0.4, &random[0], steps).into(),
            agreement: (100, 1e-9),
            goal: 2.0,
        },
        SweepRow {
            work: "sweep of rods, Störmer–Verlet with RATTLE, 100 steps, ends",
            text: gallery::text("pendulum-rod").expect("it is in the gallery"),
            method: "trapezoidal",
            random: &["phi0=0.1:3.0"],
            record: Record::End,
            compared: owned(&["x", "y"]),
            floor: |random, steps| rod::ensemble(H, &random[0], 0.5, steps).into(),
            agreement: (100, 1e-9),
            goal: 3.0,
        },
    ]
}

impl SweepRow {
    fn sweep(&self, steps: u64) -> CompiledSweep {
        let model = Model::from_toml(self.text).expect("a model");
        let settings = Settings {
            extent: Some(Extent::Steps(steps)),
            method: self.method.parse().expect("a method"),
            ..crate::with_step(&model, H)
        };
        let random = self.random.iter().map(|axis| axis.parse().expect("an axis")).collect();
        let variation = Variation { random, samples: MEMBERS, ..Variation::default() };
        CompiledSweep::new(&model, &settings, variation, self.record).expect("it can be swept")
    }

    /// What was random, and the columns that both sides compute.
    fn columns(&self, sweep: &CompiledSweep) -> [Found; 2] {
        let (rows, summary) = sweep.collect(1);
        assert_eq!(summary.finished, MEMBERS, "{}", self.work);
        let names = sweep.fields().number_names();
        let compared = self.compared.iter().map(|name| {
            let at = names.iter().position(|other| other == name);
            rows.numbers(at.unwrap_or_else(|| panic!("{name} is none of {names:?}"))).to_vec()
        });
        [(0..self.random.len()).map(|at| rows.numbers(at).to_vec()).collect(), compared.collect()]
    }

    fn compare(&self) {
        let (steps, tolerance) = self.agreement;
        let [random, ours] = self.columns(&self.sweep(steps));
        for ((ours, by_hand), name) in ours.iter().zip((self.floor)(&random, steps as usize)).zip(&self.compared) {
            for (ours, by_hand) in ours.iter().zip(by_hand) {
                let apart = (ours - by_hand).abs();
                assert!(apart < tolerance * ours.abs().max(1.0), "{}: {name} is {ours}, by hand {by_hand}", self.work);
            }
        }
    }
}

pub fn measure(wanted: &[String]) {
    for row in rows().into_iter().filter(|row| super::is_wanted(row.work, wanted)) {
        row.compare();
        let sweep = row.sweep(STEPS);
        let [random, _] = row.columns(&sweep);
        let count = (MEMBERS * STEPS) as usize;
        let subject = Steps { count, take: |_| _ = black_box(sweep.collect(1)) };
        let by_hand = Steps { count, take: |_| _ = black_box((row.floor)(&random, STEPS as usize)) };
        let Paired { subject, floor, ratio } = paired_in(super::ROUNDS, subject, by_hand);
        let [seen, by_hand] = [subject, floor].map(readable);
        println!("| {} |  | {seen} | {by_hand} | {ratio:.2} | {} |", row.work, row.goal);
    }
}
