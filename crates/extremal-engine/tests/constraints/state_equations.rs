//! Entropies in constraints: equations of state with temperature and pressure as variables, and rows that change with the entropy.

use extremal_engine::Settings;
use extremal_testkit::models::model;
use extremal_testkit::numbers::{distance, order_of};
use extremal_testkit::runs::{Lasting, gallery, record, reference, refusal, with};

/// The same gas by (x, v, U), integrated by extrapolation of order 16.
const GAS: [f64; 5] = [1.2298287831524, 0.0800523233740, 0.9059323619132, 0.7366329153486, 0.0586890118295];

#[test]
fn a_gas_by_its_equations_of_state_moves_as_one_by_its_energy() {
    let gas = gallery("gas-by-state-equations");
    let error = |settings: &Settings| {
        let run = record(&gas, settings);
        distance(&["x", "x'", "T", "P", "S"].map(|name| run.last(name)), &GAS)
    };
    assert!(error(&reference(&gas, 0.5)) < 1e-9);
    for (method, step, expected) in
        [("rk2", 0.1, 2.0), ("rk4", 0.2, 4.0), ("gauss(1)", 0.2, 2.0), ("gauss(2)", 0.4, 4.0)]
    {
        let order = order_of(method, step, 1e-12, |h| error(&with(&gas, method, h)));
        assert!((order - expected).abs() < 0.25, "{method}: {order}");
    }
}

/// The multiplier of the caloric equation is minus the temperature, which is −∂(L + λφ)/∂S; the thermal one binds nothing else.
#[test]
fn multipliers_of_equations_of_state_are_what_they_stand_for() {
    let gas = gallery("gas-by-state-equations");
    let run = record(&gas, &with(&gas, "gauss(2)", 0.05));
    for [t, t_s, caloric, thermal, x, s] in run.rows(["T", "T_S", "lambda_caloric", "lambda_thermal", "x", "S"]) {
        assert!((t - t_s).abs() < 1e-12 && (t + caloric).abs() < 1e-12 && thermal.abs() < 1e-12);
        assert!((s - 1.5 * t.ln() - x.ln()).abs() < 1e-12);
    }
    let laws = run.outcome.laws.unwrap();
    // Of the order of the method: the energy is not kept exactly.
    assert!(laws.first.relative < 1e-6 && laws.second.smallest_step >= 0.0);
}

/// z' = S y x' with friction that heats S, by hand: z'' = λ, (1 + S²y²) x'' = −ν x' − S y (S y)' x'.
#[test]
fn rows_may_change_with_the_entropy() {
    let skate = model(
        r#"
        coordinates.x = { start = 0, velocity = 1 }
        coordinates.y = { start = 0.5, velocity = 0.7 }
        coordinates.z = { start = 0, velocity = 0.25 }
        entropies.S = 0.5
        dynamics.lagrangian = "(x'^2 + y'^2 + z'^2)/2 - exp(S)"
        friction = { x = "-0.3*x'", y = "-0.3*y'" }
        constraints.skate = "z' = S*y*x'"
        simulation = { step = 0.05, until = 2.0 }
        "#,
    );
    let truth = [1.3552139851703, 1.5527728491142, 0.9048072464636, 0.4528258752420, 0.3841681452658, 0.7470220711264];
    let error = |settings: &Settings| {
        let run = record(&skate, settings);
        distance(&["x", "y", "z", "x'", "y'", "S"].map(|name| run.last(name)), &truth)
    };
    assert!(error(&reference(&skate, 0.1)) < 1e-10);
    for (method, step, expected) in
        [("midpoint", 0.1, 2.0), ("compose(suzuki4, midpoint)", 0.2, 4.0), ("rk4", 0.1, 4.0)]
    {
        let order = order_of(method, step, 1e-12, |h| error(&with(&skate, method, h)));
        assert!((order - expected).abs() < 0.2, "{method}: {order}");
    }
}

#[test]
fn an_equation_of_state_without_a_unique_motion_is_refused() {
    // The equation of Q asks for λ = 0, that of T for λ = −T.
    let none = model(
        r#"
        coordinates = { x = { start = 1.0 }, T = { start = 1.0 }, Q = { start = 1.0 } }
        entropies.S = 0.0
        dynamics.lagrangian = "x'^2/2 - 1.5*T"
        constraints.caloric = "S = 1.5*log(T*Q) + log(x)"
        "#,
    );
    let refused = refusal(&none, &with(&none, "gauss(2)", 0.1).until(1.0));
    assert!(refused.contains("`caloric` binds entropies"), "{refused}");
    let gas = gallery("gas-by-state-equations");
    for method in ["midpoint", "energy-entropy", "galerkin(2)"] {
        let refused = refusal(&gas, &with(&gas, method, 0.1));
        assert!(refused.contains("is not defined"), "{method}: {refused}");
    }
}
