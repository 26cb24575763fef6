//! The eighth-order composition of Störmer–Verlet on Hénon–Heiles, beside the same composition written by hand.

use std::hint::black_box;

use extremal::mechanics::discrete::{Options, scheme};
use extremal::{Run, Settings, system_of};

use crate::timing::{Steps, Table, paired, readable};

const H: f64 = 0.01;
const COMPARED: usize = 1000;

pub fn measure(table: &mut Table) {
    let model = crate::model("henon-heiles");
    let settings = Settings { step: Some(H), ..Settings::of(&model) };
    let run = Run::new(&model, &settings).expect("the gallery runs");
    let march = |steps: usize| {
        let mut motion = run.begin().expect("the start is regular");
        for _ in 0..steps {
            motion.advance().expect("the step is explicit");
        }
        [motion.state()[0], motion.state()[1]]
    };
    let fractions =
        scheme(&system_of(&model), &settings.method, Options::default(), None).expect("the gallery runs").substeps;
    let (ours, reference) = (march(COMPARED), by_hand(&fractions, COMPARED));
    for k in 0..2 {
        assert!((ours[k] - reference[k]).abs() < 1e-10, "not the same motion: {ours:?}, {reference:?}");
    }
    let times = paired(
        Steps { count: 1_500, take: |n| _ = black_box(march(n)) },
        Steps { count: 15_000, take: |n| _ = black_box(by_hand(&fractions, n)) },
    );
    table.push([
        format!("Hénon–Heiles, kahan-li8 of {} Verlet steps", fractions.len()),
        readable(times.subject),
        readable(times.floor),
        format!("{:.2}", times.ratio),
    ]);
}

fn force([x, y]: [f64; 2]) -> [f64; 2] {
    [-x - 2.0 * x * y, -y - x * x + y * y]
}

/// Kicks and drifts; the force at the end of a substep is that at the beginning of the next.
fn by_hand(fractions: &[f64], steps: usize) -> [f64; 2] {
    let (mut q, mut p) = ([0.1, 0.0], [0.0, 0.5]);
    let mut f = force(q);
    for _ in 0..steps {
        for fraction in fractions {
            let h = fraction * H;
            let half = [p[0] + 0.5 * h * f[0], p[1] + 0.5 * h * f[1]];
            q = [q[0] + h * half[0], q[1] + h * half[1]];
            f = force(q);
            p = [half[0] + 0.5 * h * f[0], half[1] + 0.5 * h * f[1]];
        }
    }
    q
}
