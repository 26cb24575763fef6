//! Members that all act on each other: the motion of the unrolled model, by the formulas of one pair.

use extremal_engine::eval::Backend;
use extremal_engine::run::{End, Lattice};
use extremal_engine::{CompiledRun, Model, Overrides, Settings};
use extremal_testkit::runs::gallery_text;

use super::lattice::{lattice_run, settings};

fn cluster() -> &'static str {
    gallery_text("softened-cluster")
}

/// Charges in a trap, of masses in a list and a definition, in a plane: a logarithm, a root, an exponential, and a force.
const CHARGES: &str = r#"
parameters = { n = 17, k = 0.3, m = [1, 2, 1, 3, 1, 2, 1, 3, 1, 2, 1, 3, 2.5, 1, 1, 2, 1] }
coordinates.x = { count = "n", index = "j", start = "2*cos(2*j)", velocity = "sin(j)/5" }
coordinates.y = { count = "n", start = [1, 0.5, -1, 0.2, -0.7, 0.9, 0.1, -0.4, 1.3, -1.2, 0.6, 0.3, "k", -0.2, 0.8, -0.9, 1.1] }
definitions.charge = { count = "n", value = "1 + if(i > 4, 1/i, 0)" }
definitions.reach = { count = "n", value = "sqrt(1 + x[i]^2 + y[i]^2)" }
definitions.potential = """
sum(i, 1, n, sum(j, 1, i - 1, charge[i]*charge[j]*(exp(-k*reach[j]) - log((x[i] - x[j])^2 + (y[i] - y[j])^2 + 1/10)/5)))
"""
dynamics.lagrangian = "sum(i, 1, n, m[i]*(x[i]'^2 + y[i]'^2)/2 - x[i]^2 - y[i]^2) - potential/4"
forces.x = "-k*x[j]'"
simulation = { method = "trapezoidal", step = 0.01, until = 1.0 }
"#;

/// A chain whose links also repel each other at any distance.
const CHAIN: &str = r#"
parameters = { n = 40, b = 0.7 }
coordinates.q = { count = "n", start = "i + sin(i)/4" }
coordinates.r = { count = "n", start = "cos(3*i)/9" }
dynamics.lagrangian = """
sum(i, 1, n, (q[i]'^2 + r[i]'^2)/2 - sum(j, i + 1, n, b/sqrt(1 + (q[i] - q[j])^2)))
- sum(i, 1, n - 1, (q[i + 1] - q[i] - 1)^2*2) - sum(i, 2, n, (r[i] - r[i - 1])^4) - q[1]^4 - r[n]^2*q[n]^2/1000
"""
simulation = { method = "trapezoidal", step = 0.02, until = 1.0 }
"#;

/// Both motions must be the same up to what round-off makes of them in so few steps.
fn assert_same_motion(text: &str, n: usize, method: &str) {
    let overrides = Overrides::default().set("n", n);
    let settings = settings(method, 40);
    let model = Model::load(text, &overrides).unwrap_or_else(|e| panic!("{}", e.render(text, false)));
    let whole = CompiledRun::new(&model, &settings(&model)).expect("it runs");
    let run = lattice_run(text, n, &settings);
    assert!(run.lattice().is_some_and(|lattice| lattice.pair_operations.is_some()));
    assert_eq!(run.columns(), whole.columns());
    let energy = 2 * model.coordinates().len();
    let (mut a, mut b) = (whole.begin().expect("a start"), run.begin().expect("a start"));
    for step in 0..=40 {
        // A hundred roundings per step, and one for each pair, of numbers below ten; the motion doubles errors over a time
        // that is longer than these steps.
        let tolerance = 20.0 * f64::EPSILON * f64::from(step + 1) * (100 + n) as f64;
        for (a, b) in a.state().iter().zip(b.state()) {
            assert!((a - b).abs() <= tolerance, "{method}, n = {n}, step {step}: {a} or {b}");
        }
        let (seen, by_pairs) = (a.observe().expect("finite").to_vec(), b.observe().expect("finite").to_vec());
        assert_eq!(seen.len(), by_pairs.len());
        for (a, b) in seen[..energy].iter().zip(&by_pairs) {
            assert!((a - b).abs() <= tolerance, "{method}, n = {n}, step {step}: {a} or {b} observed");
        }
        let (a_energy, b_energy) = (seen[energy], by_pairs[energy]);
        let allowed = tolerance * n as f64 * a_energy.abs().max(1.0);
        assert!(
            (a_energy - b_energy).abs() <= allowed,
            "{method}, n = {n}, step {step}: energy {a_energy} or {b_energy}"
        );
        assert_eq!(b.observe_outputs().expect("there is one").expect("finite"), &by_pairs[energy..]);
        a.advance().expect("a step");
        b.advance().expect("a step");
    }
}

#[test]
fn the_motion_of_the_unrolled_model() {
    for method in ["trapezoidal", "left", "right", "compose(yoshida4)"] {
        for n in [16, 17, 23, 40] {
            assert_same_motion(cluster(), n, method);
        }
        assert_same_motion(CHARGES, 17, method);
        assert_same_motion(CHAIN, 40, method);
        assert_same_motion(CHAIN, 61, method);
    }
}

#[test]
fn kicks_between_drifts_are_those_of_the_unrolled_model() {
    for method in ["blanes-moan4", "blanes-moan6-nystrom"] {
        assert_same_motion(cluster(), 17, method);
    }
}

/// The end by DOP853 at rtol 3e-14 on equations typed by hand; tolerance: four times the error of this method and step.
#[test]
fn the_end_of_sixteen_bodies() {
    let run = lattice_run(cluster(), 16, Settings::of);
    let mut motion = run.begin().expect("a start");
    motion.advance_many(500).expect("steps");
    let state = motion.state();
    for (place, expected) in [(7, 0.198693255755), (31, -0.257713320306), (36, 0.219543598170)] {
        assert!((state[place] - expected).abs() < 5.4e-5, "{} and not {expected}", state[place]);
    }
}

#[test]
fn every_backend_has_the_same_bits() {
    for (text, n) in [(cluster(), 37), (CHARGES, 17), (CHAIN, 45)] {
        for method in ["trapezoidal", "compose(yoshida4)"] {
            let numbers_on = |backend: Backend| {
                let with = |model: &Model| Settings { backend: Some(backend), ..settings(method, 20)(model) };
                let run = lattice_run(text, n, with);
                let mut motion = run.begin().expect("a start");
                motion.advance_many(20).expect("steps");
                let mut numbers = motion.state().to_vec();
                numbers.extend_from_slice(motion.observe().expect("finite"));
                numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>()
            };
            let tape = numbers_on(Backend::Tape);
            assert!(Backend::EMITTED.into_iter().all(|backend| tape == numbers_on(backend)));
        }
    }
}

#[test]
fn steps_at_once_one_by_one_and_taken_back() {
    for method in ["trapezoidal", "left", "compose(yoshida4)", "blanes-moan6-nystrom"] {
        let run = lattice_run(cluster(), 20, settings(method, 30));
        let (mut at_once, mut singly) = (run.begin().expect("a start"), run.begin().expect("a start"));
        at_once.advance_many(30).expect("steps");
        for _ in 0..30 {
            singly.advance().expect("a step");
            singly.retake(0.004).expect("a shorter step");
            singly.retake(0.01).expect("the step again");
        }
        assert_eq!(at_once.state(), singly.state());
        assert_eq!(at_once.observe().expect("finite"), singly.observe().expect("finite"));
    }
}

#[test]
fn what_is_no_sum_of_places_over_all_pairs_is_unrolled() {
    let is_unrolled = |text: &str, method: &str| {
        let read = Lattice::read(text, &Overrides::default().set("n", 17), settings(method, 5));
        read.expect("it starts").is_none()
    };
    assert!(!is_unrolled(CHARGES, "trapezoidal"));
    // There is something to solve, in the step or for the velocities.
    assert!(is_unrolled(CHARGES, "midpoint"));
    assert!(is_unrolled(&CHARGES.replace("exp(-k*reach[j])", "x[i]'*x[j]'/100"), "trapezoidal"));
    // Forces at two places of which none follows from those at the other.
    assert!(is_unrolled(CHARGES, "rk4"));
    // A step does not say at what time it wants the forces.
    assert!(is_unrolled(&CHARGES.replace("exp(-k*reach[j])", "exp(-k*t)"), "trapezoidal"));
    // Not all pairs, or not all alike.
    assert!(is_unrolled(&CHARGES.replace("sum(j, 1, i - 1,", "sum(j, 1, i - 2,"), "trapezoidal"));
    assert!(is_unrolled(&CHARGES.replace("charge[i]*charge[j]", "(i + j)"), "trapezoidal"));
}

/// Members far apart are none of two dozen: a sum over them must not be lost.
#[test]
fn members_far_apart_are_unrolled() {
    let text = r#"
    parameters.n = 60
    coordinates.q = { count = "n", start = "sin(i)" }
    dynamics.lagrangian = "sum(i, 1, n, q[i]'^2/2) - sum(i, 1, n - 30, (q[i + 30] - q[i])^2)"
    simulation = { method = "trapezoidal", step = 0.02, until = 1.0 }
    "#;
    assert!(Lattice::read(text, &Overrides::default(), Settings::of).expect("it starts").is_none());
    assert!(Lattice::read(&text.replace("30", "3"), &Overrides::default(), Settings::of).expect("it starts").is_some());
}

#[test]
fn bodies_that_meet_end_the_run() {
    let text = r#"
    parameters.n = 16
    coordinates.x = { count = "n", start = "i + if(i == 8, 1, 0)" }
    dynamics.lagrangian = "sum(i, 1, n, x[i]'^2/2 - sum(j, i + 1, n, 1/(x[i] - x[j])^2))"
    simulation = { method = "trapezoidal", step = 0.02, until = 1.0 }
    "#;
    let run = lattice_run(text, 16, Settings::of);
    let mut recorder = extremal_engine::Recorder::new(run.columns().clone());
    let outcome = run.execute(&mut recorder, |_| std::ops::ControlFlow::Continue(()));
    let said = match outcome {
        Ok(outcome) => match outcome.end {
            End::Failed(failure) => failure.to_string(),
            end => panic!("{end:?}"),
        },
        Err(error) => error.to_string(),
    };
    assert!(said.contains("not a finite number") || said.contains("not finite"), "{said}");
}

/// A thousand bodies keep their momentum to round-off and their energy to the order of the method.
#[test]
fn a_thousand_bodies() {
    let run = lattice_run(cluster(), 1000, settings("trapezoidal", 20));
    let mut motion = run.begin().expect("a start");
    let momenta = |state: &[f64]| [3, 4, 5].map(|family| state[family * 1000..(family + 1) * 1000].iter().sum::<f64>());
    let first = momenta(motion.state());
    let energy = motion.observe().expect("finite")[6000];
    motion.advance_many(20).expect("steps");
    for (now, first) in momenta(motion.state()).iter().zip(first) {
        // Each step rounds a thousand momenta below 0.01 a few times.
        assert!((now - first).abs() < 20.0 * 4.0 * 1000.0 * 0.01 * f64::EPSILON, "{now} and {first}");
    }
    let now = motion.observe().expect("finite")[6000];
    // Crossing times are near one: (h/t)^2/12 of the energy, and some for close encounters.
    assert!((now - energy).abs() < 1e-4 * energy.abs(), "{now} and {energy}");
}
