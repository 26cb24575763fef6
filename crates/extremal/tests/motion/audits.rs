//! Audits that fail are said: a conserved energy that is not, a constraint that does not hold, an explicit method beyond its stability.

use extremal::Settings;
use extremal::model::Extent;
use extremal::run::Warning;

use crate::support::{model, record, record_text, with};

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
        let run = record_text(&text);
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
        [coordinates]
        x = { start = 1.0 }
        [dynamics]
        lagrangian = "x'^2/2 - x^2/2"
        [simulation]
        method = "left"
        step = 0.1
        until = 20.0
        "#,
    );
    for (step, warned) in [(0.15, false), (0.3, true)] {
        let run = record(&oscillator, &with(&oscillator, "left", step));
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
        [coordinates]
        x = { start = 1.0 }
        y = { start = 0.0 }
        [dynamics]
        lagrangian = "(x'^2 + y'^2)/2 - 9.81*y"
        [constraints]
        rod = "x^2 + y^2 = 1"
        [simulation]
        step = 0.05
        until = 900.0
        "#,
    );
    let constraint = |method: &str| {
        let warnings = record(&rod, &with(&rod, method, 0.05)).outcome.warnings;
        warnings.into_iter().find(|warning| matches!(warning, Warning::Constraint { .. }))
    };
    assert_eq!(constraint("midpoint"), None, "a variational method keeps it");
    let Some(Warning::Constraint { name, residual, size }) = constraint("rk4") else { panic!("not warned of") };
    assert_eq!((name.as_str(), size), ("rod", 2.0), "x² + 1 at the start");
    assert!(residual > 1e-3 * size, "{residual}");
    let short = Settings { extent: Some(Extent::Until(1.0)), ..with(&rod, "rk4", 0.01) };
    assert_eq!(record(&rod, &short).outcome.warnings, []);
}
