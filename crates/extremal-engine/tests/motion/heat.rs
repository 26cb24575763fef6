//! Systems with entropy: both laws, refusals, agreement with an independent integrator.

use std::f64::consts::PI;

use extremal_engine::boundary::{Problem, Statement};
use extremal_engine::compare::{Against, compare};
use extremal_engine::model::Start;
use extremal_engine::run::{End, Laws, Warning};
use extremal_engine::{Method, Model, Settings};
use extremal_testkit::models::model;
use extremal_testkit::numbers::Draws;
use extremal_testkit::runs::{Lasting, attempt, gallery, gallery_with, record, refusal, with};

/// A run from the stated velocities, whatever the model says of its start.
fn settings(model: &Model, method: &str, step: f64, count: u64) -> Settings {
    Settings { start: Start::Legendre, ..with(model, method, step).steps(count) }
}

/// The audit of a run that reaches its end.
fn laws(model: &Model, method: &str, step: f64, count: u64) -> Laws {
    record(model, &settings(model, method, step, count)).outcome.laws.unwrap()
}

/// Checks that every method stops, with these words, and within two steps of `time` if that is stated.
fn assert_stops(text: &str, methods: &[&str], why: &str, time: Option<f64>) {
    let model = model(text);
    for method in methods {
        let run = attempt(&model, &settings(&model, method, 0.01, 500));
        let failure = run.failure(method);
        assert!(failure.to_string().contains(why), "{method}: {failure}");
        assert!(time.is_none_or(|time| (failure.time - time).abs() < 0.02), "{method}: {failure}");
    }
}

/// Checks the orders that `compare` measures between two steps, for every coordinate and entropy.
fn assert_compared(
    model: &Model,
    settings: &Settings,
    cases: &[(&str, f64)],
    steps: [f64; 2],
    against: Against,
    slack: f64,
) {
    let methods: Vec<Method> = cases.iter().map(|(method, _)| method.parse().unwrap()).collect();
    let rows = compare(model, settings, &methods, &steps, against, 0..u64::MAX).unwrap();
    for (k, (_, order)) in cases.iter().enumerate() {
        let row = &rows[2 * k + 1];
        assert!(row.orders.iter().all(|(_, measured)| (measured.unwrap() - order).abs() < slack), "{row:?}");
    }
}

/// The gallery models with an entropy and without outside forces or heat, whose coordinates have a mass. Constraints may move.
fn closed_systems() -> Vec<(&'static str, Model)> {
    extremal_engine::gallery::names()
        .map(|name| (name, gallery(name)))
        .filter(|(_, m)| !m.entropies().is_empty() && m.discrete().is_none())
        .filter(|(name, m)| *name != "mass-transfer" && m.ports().is_empty())
        .filter(|(_, m)| m.constraints().iter().all(|constraint| constraint.kind.nature().reacts))
        .collect()
}

#[test]
fn energy_entropy_keeps_both_laws_on_every_gallery_system() {
    let systems = closed_systems();
    assert!(systems.len() >= 10);
    for (name, model) in &systems {
        for method in ["energy-entropy", "energy-entropy(2)", "energy-entropy-momentum"] {
            for step in [1e-3, 1e-2] {
                let laws = record(model, &settings(model, method, step, 20_000)).outcome.laws.unwrap();
                assert!(laws.first.relative <= 1e-12, "{name} {method} {step}: {:e}", laws.first.relative);
                // A sum of entropies of size S rounds by an ulp of S when nothing is produced.
                let ulp = f64::EPSILON * laws.temperatures.len() as f64 * 30.0;
                assert!(laws.second.smallest_step >= -ulp, "{name} {method} {step}: {:e}", laws.second.smallest_step);
            }
        }
    }
}

/// The largest step that still has a solution: doubled until a step fails, then both laws checked one size below.
#[test]
fn both_laws_hold_at_the_largest_step_that_has_a_solution() {
    for (name, model) in closed_systems() {
        let mut step = 0.02;
        let mut last_good = None;
        while step < 100.0 {
            let outcome = attempt(&model, &settings(&model, "energy-entropy", step, 40)).outcome;
            if outcome.end != End::Reached {
                break;
            }
            last_good = Some((step, outcome.laws.unwrap()));
            step *= 2.0;
        }
        let (step, laws) = last_good.unwrap_or_else(|| panic!("{name}: no step at all"));
        println!("{name}: {step} {:e} {:e}", laws.first.relative, laws.second.smallest_step);
        assert!(laws.first.relative <= 1e-12, "{name} at {step}: {:e}", laws.first.relative);
        assert!(laws.second.smallest_step >= -1e-13, "{name} at {step}: {:e}", laws.second.smallest_step);
    }
}

#[test]
fn both_laws_on_two_hundred_random_systems() {
    let mut draws = Draws(11);
    let mut marched = 0;
    for case in 0..200 {
        // A number between the bounds wherever two stand in brackets.
        let template = r#"
            coordinates = { x = { start = <-1 1>, velocity = <-2 2> }, y = { start = <-1 1>, velocity = <-2 2> } }
            entropies = { A = <-1 2>, B = <-1 1> }
            dynamics.lagrangian = """<0.6 2>*x'^2/2 + <0.6 2>*y'^2/2 + <-1 1>*x'*y'*cos(x - y)/4 - <0 3>*x^4/4
                - <0.1 5>*(x - y)^2/2 - y^2 - exp(A/<0.7 2>)*(2 + sin(x)*<-0.9 0.9>) - <0.2 1.5>*exp(B)*(1 + y^2)"""
            friction.x = { force = "-<0 1>*x' - <0 0.5>*x'^3", heats = { A = 0.25, B = 0.75 } }
            friction.y = { force = "-<0 1>*y'", heats = "A" }
            conduction.wall = { between = ["A", "B"], conductance = "<0 2>*(1 + x^2)" }
        "#;
        let mut text = String::new();
        for piece in template.split('<') {
            match piece.split_once('>') {
                Some((bounds, rest)) => {
                    let bounds: Vec<f64> = bounds.split(' ').map(|bound| bound.parse().unwrap()).collect();
                    text += &format!("{:.6}{rest}", draws.between(bounds[0], bounds[1]));
                }
                None => text += piece,
            }
        }
        let step = draws.between(0.002, 0.15);
        let model = model(&text);
        let method = ["energy-entropy", "energy-entropy(2)", "energy-entropy-momentum"][case % 3];
        let outcome = attempt(&model, &settings(&model, method, step, 60)).outcome;
        let laws = outcome.laws.unwrap();
        assert!(laws.first.relative <= 1e-12, "case {case} {method} {step}: {:e}\n{text}", laws.first.relative);
        assert!(laws.second.smallest_step >= -1e-15, "case {case}: {:e}\n{text}", laws.second.smallest_step);
        marched += outcome.steps;
    }
    // A long step may have no solution; nearly all must.
    assert!(marched > 11_500, "{marched} of 12000 steps");
}

#[test]
fn relative_motion_of_two_pistons_is_kept() {
    let model = gallery("two-pistons");
    let run = record(&model, &settings(&model, "midpoint", 0.01, 100_000));
    let (_, drift) = run.recorder.drifts().find(|(column, _)| column.name() == "relative motion").unwrap();
    assert!(drift.max_drift() <= 1e-12, "{:e}", drift.max_drift());
}

#[test]
fn the_contact_oscillator_is_the_damped_oscillator() {
    let model = gallery("contact-oscillator");
    let cases = [("energy-entropy(2)", 4.0)];
    assert_compared(&model, &Settings::of(&model), &cases, [0.05, 0.025], Against::Exact, 0.2);
}

#[test]
fn a_piston_between_gases_settles_and_agrees_with_dop853() {
    let model = gallery("piston-between-gases");
    let cases = [("energy-entropy", 2.0), ("energy-entropy(2)", 4.0), ("midpoint", 2.0)];
    assert_compared(&model, &Settings::of(&model).until(2.0), &cases, [0.04, 0.02], Against::Dop853, 0.3);
    let laws = laws(&model, "energy-entropy", 0.05, 40_000);
    let [first, second] = [0, 1].map(|k| laws.temperatures[k].1.last);
    assert!((first - second).abs() < 1e-6 * first, "the temperatures meet: {first} {second}");
    assert!(laws.first.relative < 1e-12 && laws.second.smallest_step >= -1e-14);
}

#[test]
fn no_next_state_is_said() {
    let runs = gallery_with("no-next-state", &[("alpha", "0")]);
    record(&runs, &Settings::of(&runs));
    for alpha in ["3.2", "4"] {
        let stuck = gallery_with("no-next-state", &[("alpha", alpha)]);
        let run = attempt(&stuck, &Settings::of(&stuck));
        let failure = run.failure(alpha);
        assert!(failure.to_string().contains("no next state exists"), "{failure}");
    }
}

#[test]
fn friction_that_pumps_is_stopped_by_name() {
    let text = r#"
        coordinates.x = { start = 1.0, velocity = 0.0 }
        entropies.S = 1.0
        dynamics.lagrangian = "x'^2/2 - x^2/2 - exp(S)"
        friction.x = "0.3*x'"
    "#;
    assert_stops(
        text,
        &["midpoint", "energy-entropy", "energy-entropy-momentum", "rk4", "dop853"],
        "friction that heats S",
        None,
    );
}

/// Heat is drawn out at constant power: T = S = √(1 − t) falls to zero.
#[test]
fn a_temperature_that_reaches_zero_stops_the_run() {
    let text = r#"
        coordinates.x = { start = 1.0 }
        entropies.S = 1.0
        dynamics.lagrangian = "x'^2/2 - x^2/2 - S^2/2"
        heat.S = "-0.5"
    "#;
    let why = "the temperature of S falls towards zero";
    assert_stops(text, &["midpoint", "energy-entropy", "energy-entropy-momentum", "dop853"], why, Some(1.0));
}

/// L = x'²/2 − x²/2 − S (1 + x) from x = 2, S = 0: x = 2 cos t, and the temperature 1 + x is zero at t = 2π/3. The temperature of a step
/// is that of its middle or of an end.
#[test]
fn a_motion_ends_where_a_temperature_would_not_be_positive() {
    let text = r#"
        coordinates.x = 2
        entropies.S = 0
        dynamics.lagrangian = "x'^2/2 - x^2/2 - S*(1 + x)"
    "#;
    let why = "the temperature -dL/dS stays positive";
    assert_stops(text, &["midpoint", "trapezoidal", "left", "energy-entropy"], why, Some(2.0 * PI / 3.0));
}

#[test]
fn heat_and_work_are_accounted_for() {
    let model = model(
        r#"
        coordinates.x = { start = 1.0, velocity = 0.2 }
        entropies.S = 1.0
        dynamics.lagrangian = "x'^2/2 - x^2/2 - exp(S)*(2 + cos(x))"
        friction.x = "-0.1*x'"
        forces.x = "0.4*sin(2*t)"
        heat.S = "0.3*cos(t)^2"
        "#,
    );
    let laws = laws(&model, "energy-entropy(2)", 0.02, 5000);
    assert!(laws.first.heat > 10.0 && laws.first.work.abs() > 1e-3, "{laws:?}");
    assert!(laws.first.relative < 1e-12, "{laws:?}");
}

#[test]
fn combinations_that_do_not_exist_are_refused_by_name() {
    let piston = gallery("ideal-gas-piston");
    let refused = |method: &str| refusal(&piston, &settings(&piston, method, 0.01, 10));
    assert!(refused("galerkin(2)").contains("not defined for a system with entropies"));
    // This model takes its entropies on the left.
    assert!(refused("suzuki4").contains("symmetric"));

    // A start that a method has no formula for is not left out, whatever marches it.
    let oscillator = gallery("damped-oscillator");
    for method in ["dop853", "rk4", "energy-entropy"] {
        let settings = Settings { method: method.parse().unwrap(), ..Settings::of(&oscillator) };
        let refused = refusal(&oscillator, &settings);
        assert!(refused.contains(&format!("`two-points` is not defined for `{method}`")), "{method}: {refused}");
    }

    // Inner points of a polynomial have no entropies, between two ends neither.
    let stroke = gallery("piston-stroke");
    let refused = Problem::new(&stroke, Statement::of(&stroke).unwrap(), &"galerkin(2)".parse().unwrap());
    let message = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(
        message.contains("`galerkin(2, gauss(2))` is not defined for a boundary problem with entropies"),
        "{message}"
    );
}

#[test]
fn compositions_reach_order_four_with_entropies_in_the_middle() {
    let model = gallery("piston-between-gases");
    let cases = [("compose(suzuki4, midpoint)", 4.0), ("compose(suzuki4, trapezoidal)", 4.0)];
    assert_compared(&model, &Settings::of(&model).until(2.0), &cases, [0.1, 0.05], Against::Dop853, 0.4);
}

/// L = (1 + t) x'²/2 − exp(S): p = 1 stays, so x' = 1/(1 + t), and the energy falls by the integral of ∂L/∂t = x'²/2, which is
/// 1/4 from 0 to 1.
fn growing_mass() -> Model {
    model(
        r#"
        coordinates.x = { start = 0, velocity = 1 }
        entropies.S = 0.5
        dynamics.lagrangian = "(1 + t)*x'^2/2 - exp(S)"
        "#,
    )
}

#[test]
fn a_lagrangian_that_grows_in_time_takes_work_out_of_the_energy() {
    let model = growing_mass();
    // The midpoint rule misses h²/24 (f'(1) − f'(0)) of the integral of f = 1/(2 (1 + t)²), which is 3.6e-6; the references have
    // order four and more.
    for (method, allowed) in [("midpoint", 4e-6), ("trapezoidal", 1e-5), ("rk4", 1e-8), ("dop853", 1e-8)] {
        let laws = laws(&model, method, 0.01, 100);
        assert!((laws.first.work + 0.25).abs() < allowed, "{method}: {laws:?}");
        assert!((laws.first.energy_change + 0.25).abs() < allowed, "{method}: {laws:?}");
        assert!(laws.first.max_defect < 2.0 * allowed, "{method}: {laws:?}");
    }
}

#[test]
fn the_energy_of_a_step_is_taken_at_its_middle() {
    let model = growing_mass();
    let run = record(&model, &settings(&model, "midpoint", 0.01, 100));
    let (times, energies) = (run.column("t"), run.column("energy_v"));
    for k in 1..times.len() {
        // (x_1 − x_0)/h = 1/(1 + t) at the middle of the step, but for the rounding of positions below one, ε/h.
        let middle = (times[k - 1] + times[k]) / 2.0;
        let expected = 0.5 / (1.0 + middle) + 0.5f64.exp();
        assert!((energies[k] - expected).abs() < 4.0 * f64::EPSILON / 0.01, "{k}: {} for {expected}", energies[k]);
    }
}

#[test]
fn a_first_law_lost_to_round_off_is_warned_of() {
    // An energy that is a small difference of large numbers: with the offset it is nothing but their round-off, 1e-6.
    let oscillator = |offset: &str| {
        model(&format!(
            "[coordinates]\nx = 1e5\n[entropies]\nS = 0\n[dynamics]\nlagrangian = \"x'^2/2 - x^2/2 - exp(S){offset}\"\n"
        ))
    };
    for (offset, warned) in [("", false), (" + 5000000001", true)] {
        let model = oscillator(offset);
        let outcome = attempt(&model, &settings(&model, "energy-entropy", 0.1, 300)).outcome;
        let said = outcome
            .warnings
            .iter()
            .any(|warning| matches!(warning, Warning::FirstLaw { relative, .. } if *relative > 1e-6));
        assert_eq!(said, warned, "{:?} {:?}", outcome.warnings, outcome.laws);
    }
}

#[test]
fn heat_that_comes_and_goes_changes_the_entropy_by_that_much_and_produces_none() {
    // T = 1 and S' = cos t: the sum of h cos t in the middle of steps.
    let model = model(
        "[coordinates]\nx = 0\n[entropies]\nS = 0\n[dynamics]\nlagrangian = \"x'^2/2 - S\"\n[heat]\nS = \"cos(t)\"\n",
    );
    let (h, steps) = (0.1f64, 40);
    for method in ["midpoint", "energy-entropy"] {
        let laws = laws(&model, method, h, steps);
        // Nothing is produced: what the entropy changes by is exchanged.
        assert!(laws.second.smallest_step.abs() < 1e-14 && laws.second.produced.abs() < 1e-14, "{laws:?}");
        let total = h * 4f64.sin() / (2.0 * (h / 2.0).sin());
        assert!((laws.second.total - total).abs() < 1e-14 && (laws.first.heat - total).abs() < 1e-14, "{laws:?}");
        assert!((laws.second.exchanged.unwrap() - total).abs() < 1e-14, "{laws:?}");
    }
}

#[test]
fn a_force_of_time_acts_at_the_nodes_of_a_step() {
    let model = model(
        r#"
        coordinates.x = { start = 0, velocity = 0 }
        entropies.S = 0.5
        dynamics.lagrangian = "x'^2/2 - exp(S)"
        forces.x = "cos(t)"
        "#,
    );
    // Sums of h cos t in the middle of steps are h sin(t)/(2 sin(h/2)); two nodes at ± h/(2√3) around it give cos(h/(2√3)) times that.
    let h: f64 = 0.1;
    let summed = h * 3f64.sin() / (2.0 * (h / 2.0).sin());
    let nodes = (h / 12f64.sqrt()).cos();
    let cases = [("energy-entropy", summed), ("energy-entropy(2)", nodes * summed), ("gauss(2)", nodes * summed)];
    for (method, expected) in cases {
        let v = record(&model, &settings(&model, method, h, 30)).last("x'");
        assert!((v - expected).abs() < 1e-14, "{method}: {v} for {expected}");
    }
}
