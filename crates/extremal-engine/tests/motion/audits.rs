//! Audits that fail are said: a conserved energy that is not, a constraint that does not hold, an explicit method beyond its stability.

use extremal_engine::run::Warning;
use extremal_testkit::models::model;
use extremal_testkit::runs::{Lasting, attempt, attempt_text, gallery, with};

#[test]
fn an_explicit_method_beyond_its_stability_is_warned_of() {
    // Störmer–Verlet is unstable for hω > 2; this one also feels a friction, so that no energy is conserved.
    for friction in ["", "[friction]\nx = \"-0.001*x'\""] {
        let text = format!(
            r#"
            [coordinates]
            x = {{ start = 1.0 }}
            [dynamics]
            lagrangian = "x'^2/2 - x^2/2"
            {friction}
            [simulation]
            method = "trapezoidal"
            step = 2.05
            steps = 40
            "#
        );
        let run = attempt_text(&text);
        let warned = run.outcome.warnings.iter().any(|warning| matches!(warning, Warning::Unresolved { .. }));
        assert!(warned, "{friction}: {:?}", run.outcome.warnings);
        let energy = run.outcome.warnings.iter().any(|warning| matches!(warning, Warning::Energy { .. }));
        assert_eq!(energy, friction.is_empty(), "{:?}", run.outcome.warnings);
    }
}

#[test]
fn an_energy_off_by_a_tenth_is_warned_of_and_one_below_is_not() {
    // `left` keeps v² + x² + h x v exactly (ω = 1), with which E = (v² + x²)/2 swings by a part of about h/2.
    let oscillator = model(
        r#"
        coordinates.x = { start = 1.0 }
        dynamics.lagrangian = "x'^2/2 - x^2/2"
        simulation = { method = "left", step = 0.1, until = 20.0 }
        "#,
    );
    for (step, warned) in [(0.15, false), (0.3, true)] {
        let run = attempt(&oscillator, &with(&oscillator, "left", step));
        let energy = run.column("energy");
        let off = energy.iter().map(|e| (e - energy[0]).abs() / energy[0]).fold(0.0, f64::max);
        assert_eq!(off > 0.1, warned, "{step}: {off}");
        let found = run.outcome.warnings.iter().any(|warning| matches!(warning, Warning::Energy { .. }));
        assert_eq!(found, warned, "{step}: {:?}", run.outcome.warnings);
    }
}

#[test]
fn a_rod_that_a_reference_method_lets_grow_is_warned_of() {
    let rod = model(
        r#"
        coordinates = { x = { start = 1.0 }, y = { start = 0.0 } }
        dynamics.lagrangian = "(x'^2 + y'^2)/2 - 9.81*y"
        constraints.rod = "x^2 + y^2 = 1"
        simulation = { step = 0.05, until = 900.0 }
        "#,
    );
    let constraint = |method: &str| {
        let warnings = attempt(&rod, &with(&rod, method, 0.05)).outcome.warnings;
        warnings.into_iter().find(|warning| matches!(warning, Warning::Constraint { .. }))
    };
    assert_eq!(constraint("midpoint"), None, "a variational method keeps it");
    let Some(Warning::Constraint { name, residual, size }) = constraint("rk4") else { panic!("not warned of") };
    assert_eq!((name.as_str(), size), ("rod", 2.0), "x² + 1 at the start");
    assert!(residual > 1e-3 * size, "{residual}");
    let short = with(&rod, "rk4", 0.01).until(1.0);
    assert_eq!(attempt(&rod, &short).outcome.warnings, []);
}

/// rk2 follows accelerations, and nothing brings the velocities back to the blade.
#[test]
fn a_blade_that_a_reference_method_lets_slip_is_warned_of() {
    let sleigh = gallery("chaplygin-sleigh");
    let steps = |method: &str, step: f64| with(&sleigh, method, step).steps(1000);
    let run = attempt(&sleigh, &steps("rk2", 0.1));
    let [Warning::Constraint { name, residual, size }] = &run.outcome.warnings[..] else {
        panic!("{:?}", run.outcome.warnings)
    };
    assert_eq!(name, "blade");
    assert!(*size > 0.0 && *residual > 1e-3 * size, "{residual} of {size}");
    for (method, step) in [("midpoint", 0.1), ("rk4", 0.1), ("dop853", 0.1), ("rk2", 0.01)] {
        assert_eq!(attempt(&sleigh, &steps(method, step)).outcome.warnings, [], "{method} {step}");
    }
}

fn cart(entropy: &str) -> String {
    format!(
        r#"
        coordinates.x = {{ start = 0.0, velocity = 2.0 }}
        entropies.S = {{ start = 0.0 }}
        dynamics.lagrangian = "5*x'^2/2 - 10*exp(S)"
        friction.x = "-3*x'"
        discrete.lagrangian = "5*(x_1 - x_0)^2/(2*h) - h*10*exp(S_0)"
        discrete.force_minus.x = "-3*(x_1 - x_0)/2"
        discrete.force_plus.x = "-3*(x_1 - x_0)/2"
        discrete.entropy.S = "10*(exp(S_1) - exp(S_0)) - {entropy}*3*(x_1 - x_0)^2/h"
        simulation = {{ method = "custom", step = 0.01, until = 4.0 }}
        "#
    )
}

/// All of the kinetic energy 10 becomes heat; an entropy that takes twice of it ends with an energy of 30 instead of 20: a third of it
/// is too much.
#[test]
fn a_first_law_that_a_discretisation_of_ones_own_breaks_is_warned_of() {
    let twice = attempt_text(&cart("2"));
    let [Warning::FirstLaw { relative, promised: false }] = &twice.outcome.warnings[..] else {
        panic!("{:?}", twice.outcome.warnings)
    };
    // What is left of the motion after 4 units is exp(-4.8) of its energy; the step adds a part of h.
    assert!((relative - 1.0 / 3.0).abs() < 0.02, "{relative}");
    assert_eq!(attempt_text(&cart("1")).outcome.warnings, []);
}

/// Conduction with so large a step that an explicit method is unstable: 2 k/(T-capacity) = 2 per unit of time for both bodies.
#[test]
fn heat_that_swings_between_bodies_because_of_the_step_is_warned_of() {
    let bodies = model(
        r#"
        entropies = { S = { start = 0.1 }, R = { start = 0.0 } }
        dynamics.lagrangian = "-exp(S) - exp(R)"
        conduction.wall = { between = ["S", "R"], conductance = 1.0 }
        simulation = { step = 0.01, until = 20.0 }
        "#,
    );
    for (step, resolved) in [(0.01, true), (0.1, true), (1.1, false)] {
        let run = attempt(&bodies, &with(&bodies, "rk2", step));
        let silent = run.outcome.warnings.is_empty() && matches!(run.outcome.end, extremal_engine::run::End::Reached);
        assert_eq!(silent, resolved, "{step}: {:?} {:?}", run.outcome.warnings, run.outcome.end);
    }
}
