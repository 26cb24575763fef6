//! Steps that are as long as a pace says: close encounters at a fraction of the steps, without drift, with rows at their times.

use extremal_engine::lyapunov::LyapunovOptions;
use extremal_engine::model::Pacing;
use extremal_engine::run::{CompiledRun, End};
use extremal_engine::sweep::Record;
use extremal_engine::{Model, Settings};
use extremal_testkit::marches::followed_to;
use extremal_testkit::models::model;
use extremal_testkit::numbers::order_of;
use extremal_testkit::runs::{Lasting, RecordedRun, gallery, gallery_text, go_on, record, refusal, with};
use extremal_testkit::sweeps::{SweepRows, grid};

use crate::given_times::at_times;

/// A gallery model with a further line in [simulation].
fn paced(name: &str, pace: &str) -> Model {
    let text = gallery_text(name);
    model(&text.replace("[simulation]", &format!("[simulation]\npace = \"{pace}\"")))
}

/// From the apoapsis of an ellipse, a = 1 and mu = 1.
fn kepler(eccentricity: &str, pace: &str) -> Model {
    model(&format!(
        "parameters.e = {eccentricity}\n\
         [coordinates]\nx = {{ start = \"1 + e\" }}\ny = {{ start = 0, velocity = \"sqrt((1 - e)/(1 + e))\" }}\n\
         [definitions]\nr = \"sqrt(x^2 + y^2)\"\n[dynamics]\nlagrangian = \"(x'^2 + y'^2)/2 + 1/r\"\n\
         [invariants]\nspin = \"x*y' - y*x'\"\n\
         [simulation]\nmethod = \"trapezoidal\"\nstep = 0.02\nuntil = 5\npace = \"{pace}\""
    ))
}

/// Where the body is, by Kepler's equation.
fn ellipse(e: f64, time: f64) -> [f64; 2] {
    let mean = time + std::f64::consts::PI;
    let mut anomaly = std::f64::consts::PI;
    for _ in 0..100 {
        anomaly -= (anomaly - e * anomaly.sin() - mean) / (1.0 - e * anomaly.cos());
    }
    [e - anomaly.cos(), -(1.0 - e * e).sqrt() * anomaly.sin()]
}

fn off(run: &RecordedRun, exact: [f64; 2]) -> f64 {
    (run.last("x") - exact[0]).hypot(run.last("y") - exact[1])
}

#[test]
fn a_comet_takes_549_steps_in_the_place_of_200_000() {
    let (comet, exact) = (kepler("0.99", "r^(3/2)"), ellipse(0.99, 5.0));
    let run = record(&comet, &Settings::of(&comet));
    assert_eq!(run.last("t"), 5.0);
    // By the formulas of Hairer, Lubich & Wanner typed in another language: 549 steps, off by 2.8868656e-4, and the energy by at most
    // 0.0168215620; with equal steps it takes 200,000 to be off by 2.755e-4.
    assert_eq!(run.outcome.steps, 549);
    assert!((off(&run, exact) / 2.8868656e-4 - 1.0).abs() < 1e-6, "{:e}", off(&run, exact));
    let energy = run.recorder.drifts().next().unwrap().1.max_drift();
    assert!((energy / 0.016821562 - 1.0).abs() < 1e-6, "{energy:e}");
    let even = Settings { pacing: Pacing::Even, ..with(&comet, "trapezoidal", 5.0 / 20_000.0) };
    assert!(off(&record(&comet, &even), exact) > 80.0 * off(&run, exact));
    // Where the body is fast, rows are close.
    let times = run.column("t");
    let lengths = || times.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(lengths().fold(f64::INFINITY, f64::min) * 1000.0 < lengths().fold(0.0, f64::max));
}

#[test]
fn orbits_have_no_drift() {
    for (pacing, method, step) in [
        (Pacing::Symmetric, "trapezoidal", 0.02),
        (Pacing::Symplectic, "midpoint", 0.05),
        (Pacing::Symplectic, "trapezoidal", 0.05),
    ] {
        let comet = kepler("0.99", "r^(3/2)");
        let of = |orbits: f64| {
            let end = orbits * std::f64::consts::TAU;
            let run = record(&comet, &Settings { pacing, ..with(&comet, method, step).until(end) });
            let drifts: Vec<(f64, f64)> = run
                .recorder
                .drifts()
                .map(|(_, drift)| (drift.max_drift(), drift.last().unwrap() - drift.first().unwrap()))
                .collect();
            drifts
        };
        let (few, many) = (of(2.0), of(30.0));
        // What the energy is off by in the thirtieth orbit is what it was in the first two: phases differ, so not to the last digit.
        assert!(many[0].0 < 1.01 * few[0].0, "{pacing} {method}: {few:?} {many:?}");
        // Back at the apoapsis it is back, but for the phase by which the orbit is late.
        assert!(many[0].1.abs() < 1e-4 * many[0].0, "{pacing} {method}: {few:?} {many:?}");
        // The angular momentum is kept: round-off of some ten thousand steps at velocities of 14.
        assert!(many[1].0 < 1e-10, "{pacing} {method}: {many:?}");
    }
}

/// The orbit of Arenstorf, Hairer, Nørsett & Wanner II.0: back after its period, with two encounters.
#[test]
fn the_orbit_of_arenstorf_closes() {
    let orbit = |method: &str, pacing: Pacing, step: f64| {
        let text = gallery_text("restricted-three-body")
            .replace("mu = 0.01215", "mu = 0.012277471")
            .replace("x = { start = \"1/2 - mu + 0.01\", velocity = 0.0 }", "x = 0.994")
            .replace(
                "y = { start = \"sqrt(3)/2\", velocity = 0.0 }",
                "y = { start = 0, velocity = -2.00158510637908252240537862224 }",
            )
            .replace("[simulation]", "[simulation]\npace = \"1/sqrt(1/r1^3 + 1/r2^3)\"")
            .replace("until = 50.0", "until = 17.0652165601579625588917206249");
        let text = &text[..text.find("[expected]").unwrap()];
        let model = model(text);
        let run = record(&model, &Settings { pacing, ..with(&model, method, step) });
        ((run.last("x") - 0.994).hypot(run.last("y")), run.outcome.steps)
    };
    // What is left is an error of time along the orbit, 2.0 a unit of it. DOP853 at 1e-13 misses the start by 2e-12 elsewhere.
    let paced = [("gauss(4)", Pacing::Symmetric), ("galerkin(4)", Pacing::Symplectic)];
    for (method, pacing) in paced {
        let (missed, steps) = orbit(method, pacing, 0.2);
        assert!(missed < 5e-9 && steps < 440, "{method}: {missed:e} in {steps}");
    }
    let (even, many) = orbit("gauss(4)", Pacing::Even, 17.0652165601579625588917206249 / 6000.0);
    assert!(even > 1e-5 && many == 6000, "{even:e} in {many}");
}

/// Seven bodies with close encounters, Hairer, Nørsett & Wanner II.10.
#[test]
fn the_pleiades_meet_in_159_steps() {
    let bodies = model(
        "parameters.m = [1, 2, 3, 4, 5, 6, 7]\n\
         [coordinates]\nx = { start = [3, 3, -1, -3, 2, -2, 2], velocity = [0, 0, 0, 0, 0, 1.75, -1.5] }\n\
         y = { start = [3, -3, 2, 0, 0, -4, 4], velocity = [0, 0, 0, -1.25, 1, 0, 0] }\n\
         [dynamics]\nlagrangian = \"sum(i, 1, 7, m[i]*(x[i]'^2 + y[i]'^2)/2) \
         + sum(i, 1, 6, sum(j, i + 1, 7, m[i]*m[j]/sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)))\"\n\
         [simulation]\nmethod = \"blanes-moan6\"\nstep = 0.2\nuntil = 3\n\
         pace = \"1/sqrt(sum(i, 1, 6, sum(j, i + 1, 7, (m[i] + m[j])/((x[i] - x[j])^2 + (y[i] - y[j])^2)^(3/2))))\"",
    );
    // By DOP853 at 1e-13 elsewhere; the printed digits of the book are the same.
    let exact = [
        [0.37061391, -3.94343759],
        [3.23728409, -3.27138097],
        [-3.22255903, 5.22508184],
        [0.65970915, -2.59061243],
        [0.34255817, 1.19821369],
        [1.5621721, -0.24296823],
        [-0.70030929, 1.09144924],
    ];
    let missed = |run: &RecordedRun| {
        let of = |k: usize| {
            let at = |name: &str| run.last(&format!("{name}[{}]", k + 1));
            (at("x") - exact[k][0]).abs().max((at("y") - exact[k][1]).abs())
        };
        (0..7).map(of).fold(0.0, f64::max)
    };
    let run = record(&bodies, &Settings::of(&bodies));
    // Typed in another language: 159 steps, off by 5.57e-6; 4800 equal ones are off by 4.9e-6.
    assert!((158..=160).contains(&run.outcome.steps), "{}", run.outcome.steps);
    assert!(missed(&run) < 6e-6, "{:e}", missed(&run));
    let even = Settings { pacing: Pacing::Even, ..with(&bodies, "blanes-moan6", 3.0 / 2400.0) };
    assert!(missed(&record(&bodies, &even)) > 1e-4);
}

/// Rows inside steps are those of shorter steps: exactly at their times, with the order of the method.
#[test]
fn rows_at_given_times_have_the_order_of_the_method() {
    let times = [0.7771, 2.3137, 3.25];
    for (pacing, method, order) in [
        (Pacing::Symmetric, "trapezoidal", 2.0),
        (Pacing::Symmetric, "gauss(2)", 4.0),
        (Pacing::Symmetric, "compose(suzuki4, trapezoidal)", 4.0),
        (Pacing::Symplectic, "midpoint", 2.0),
        (Pacing::Symplectic, "galerkin(2)", 4.0),
    ] {
        let comet = kepler("0.5", "r");
        let error = |step: f64| {
            let settings = Settings { pacing, ..with(&comet, method, step).until(3.4) };
            let (rows, outcome, _) = at_times(&comet, settings, &times);
            assert_eq!(outcome.end, End::Reached);
            assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), times, "{pacing} {method}");
            let off = |row: &Vec<f64>| {
                let [x, y] = ellipse(0.5, row[0]);
                (row[1] - x).hypot(row[2] - y)
            };
            rows.iter().map(off).fold(0.0, f64::max)
        };
        let measured = order_of(&format!("{pacing} {method}"), 0.05, 1e-12, error);
        assert!((measured - order).abs() < 0.3, "{pacing} {method}: {measured}");
    }
}

/// Both laws are laws of each step, however long it is.
#[test]
fn entropies_rise_and_the_first_law_holds() {
    let piston = paced("ideal-gas-piston", "x");
    let settings = Settings {
        start: extremal_engine::model::Start::Legendre,
        ..with(&piston, "energy-entropy", 0.0005).until(1.0)
    };
    let run = record(&piston, &settings);
    let laws = run.outcome.laws.as_ref().unwrap();
    println!("{laws:?}");
    // Energies of 2e4: round-off of as many steps as there are.
    let energy = run.column("energy");
    let size = energy[0].abs();
    assert!(energy.iter().all(|e| (e - energy[0]).abs() < 1e-12 * size), "{:?}", run.recorder.drifts().next());
    assert!(run.column("S").windows(2).all(|pair| pair[1] >= pair[0]));
    let exact = followed_to(&[1.0, 0.0, 10.0], 1.0, |_, z, dz| {
        let temperature = z[2].exp() * z[0].powf(-1.0 / 1.5);
        (dz[0], dz[1]) = (z[1], temperature / 1.5 / z[0] - 0.1 * z[1]);
        dz[2] = 0.1 * z[1] * z[1] / temperature;
    });
    assert!((run.last("x") - exact[0]).abs() < 1e-2 && (run.last("S") - exact[2]).abs() < 1e-4, "{exact:?}");
    assert!(run.outcome.warnings.is_empty(), "{:?}", run.outcome.warnings);
}

#[test]
fn constraints_hold_and_the_order_with_them() {
    let rod = paced("pendulum-rod", "(1 + y^2)/2");
    for (method, order) in [("midpoint", 2.0), ("compose(suzuki4, trapezoidal)", 4.0)] {
        let error = |step: f64| {
            let run = record(&rod, &with(&rod, method, step).until(2.0));
            assert!(run.outcome.residuals.iter().all(|(_, residual)| *residual < 1e-13), "{:?}", run.outcome.residuals);
            let exact = followed_to(&[1.2, 0.5], 2.0, |_, z, dz| (dz[0], dz[1]) = (z[1], -9.81 * z[0].sin()));
            (run.last("x") - exact[0].cos()).hypot(run.last("y") - exact[0].sin())
        };
        let measured = order_of(method, 0.04, 1e-12, error);
        assert!((measured - order).abs() < 0.3, "{method}: {measured}");
    }
}

/// Bounces are located inside steps of any length, and the rest of such a step is taken from there.
#[test]
fn events_are_where_they_should_be() {
    let ball = paced("bouncing-ball", "0.1 + y");
    let run = extremal_testkit::runs::attempt(&ball, &with(&ball, "midpoint", 0.02));
    assert!(matches!(run.outcome.end, End::Accumulated { .. }), "{:?}", run.outcome.end);
    // sqrt(2/g) (1 + e)/(1 − e).
    let rest = (2.0 / 9.81f64).sqrt() * 9.0;
    assert!((run.last("t") - rest).abs() < 1e-7, "{} {rest}", run.last("t"));
    assert!((run.last("x") - rest / 2.0).abs() < 1e-7);
}

#[test]
fn a_member_of_a_sweep_is_the_run_of_its_own() {
    let comet = kepler("0.9", "r^(3/2)");
    let rows = SweepRows::of(&comet, &Settings::of(&comet), grid(&["e=0.5,0.9,0.95"]), Record::End);
    for (at, e) in ["0.5", "0.9", "0.95"].into_iter().enumerate() {
        let one = kepler(e, "r^(3/2)");
        let run = record(&one, &Settings::of(&one));
        for name in ["t", "x", "y", "energy"] {
            assert_eq!(rows.column(name)[at].to_bits(), run.last(name).to_bits(), "{name} at e = {e}");
        }
    }
}

#[test]
fn backward_in_time_and_in_so_many_steps() {
    let comet = kepler("0.9", "r^(3/2)");
    let back = record(&comet, &Settings::of(&comet).until(-5.0));
    let forward = record(&comet, &Settings::of(&comet));
    // The start is a turning point: the past is the mirror image of the future.
    assert_eq!(back.last("t"), -5.0);
    assert!((back.last("x") - forward.last("x")).abs() < 1e-12 && (back.last("y") + forward.last("y")).abs() < 1e-12);
    assert_eq!(record(&comet, &Settings::of(&comet).steps(100)).outcome.steps, 100);
}

#[test]
fn what_cannot_be_meant_is_refused_by_name() {
    let comet = kepler("0.5", "r");
    let refused = |model: &Model, method: &str, pacing: Pacing, words: &[&str]| {
        let message = refusal(model, &Settings { pacing, ..with(model, method, 0.01).until(1.0) });
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    for method in ["rk4", "left", "dop853", "wisdom-holman", "euler", "theta(0.3)"] {
        refused(&comet, method, Pacing::Symmetric, &[method, "not symmetric", "`midpoint`"]);
    }
    for method in ["gauss(2)", "energy-entropy", "rk4", "blanes-moan4", "dopri5"] {
        refused(&comet, method, Pacing::Symplectic, &[method, "one discrete action"]);
    }
    let oscillator = |more: &str, further: &str| {
        model(&format!(
            "coordinates.x = 1\ndynamics.lagrangian = \"x'^2/2 - x^2/2{more}\"\nsimulation.pace = \"1 + x^2\"\n{further}"
        ))
    };
    let damped = oscillator("", "friction.x = \"-x'/10\"");
    refused(&damped, "midpoint", Pacing::Symplectic, &["under forces", "symmetric"]);
    refused(&oscillator(" + x*sin(t)", ""), "midpoint", Pacing::Symplectic, &["with the time", "symmetric"]);
    refused(&paced("pendulum-rod", "1 + y^2"), "midpoint", Pacing::Symplectic, &["under constraints"]);
    refused(&paced("stick-slip", "1"), "midpoint", Pacing::Symmetric, &["dry friction"]);
    refused(&gallery("kepler"), "midpoint", Pacing::Symmetric, &["by no pace"]);
    refused(&kepler("0.5", "x - 2"), "midpoint", Pacing::Symmetric, &["positive", "-0.5"]);
    let settings = Settings { sensitivity: vec!["e".to_owned()], ..Settings::of(&comet) };
    assert!(refusal(&comet, &settings).contains("steps that are alike"));
    let run = CompiledRun::new(&comet, &Settings::of(&comet)).unwrap();
    let options = LyapunovOptions { transient: 0.0, exponents: None };
    assert!(run.lyapunov(&options, go_on).unwrap_err().to_string().contains("steps that are alike"));
}

/// A pace that falls to zero on the way ends the run where it does.
#[test]
fn a_pace_that_vanishes_ends_the_run() {
    let falling = model(
        "coordinates.x = 1\ndynamics.lagrangian = \"x'^2/2 - x\"\n\
         simulation = { method = \"trapezoidal\", step = 0.01, until = 3, pace = \"x\" }",
    );
    // x = 1 − t²/2 vanishes at the root of 2.
    let run = extremal_testkit::runs::attempt(&falling, &Settings::of(&falling).steps(100_000));
    let failure = run.failure("a pace of zero");
    assert!((failure.time - 2f64.sqrt()).abs() < 1e-3, "{failure}");
    let message = failure.to_string();
    assert!(message.contains("pace"), "{message}");
}
