//! Open systems: matter and heat from outside, against closed forms and energy balances integrated by another code.

use extremal_engine::run::Warning;
use extremal_engine::{Model, Settings};
use extremal_testkit::models::model;
use extremal_testkit::numbers::{distance, order_of};
use extremal_testkit::runs::{gallery, gallery_text, gallery_with, record, refusal, with};

/// S of N moles of an ideal gas with U = c N T at the pressure p: N ((c + 1) ln T − ln p), R = 1.
fn entropy(c: f64, n: f64, t: f64, p: f64) -> f64 {
    n * ((c + 1.0) * t.ln() - p.ln())
}

/// U = U_0 + h_in (N − N_0) gives N T = N_0 T_0 + γ T_in (N − N_0): where the vessel was almost empty, T tends to γ T_in.
#[test]
fn a_vessel_that_is_filled_is_as_warm_as_its_flow_work_makes_it() {
    let vessel = gallery("filling-a-vessel");
    let run = record(&vessel, &Settings::of(&vessel));
    let (n, t) = (run.last("N"), run.last("T_S"));
    let expected = (0.01 + 1.4 * (n - 0.01)) / n;
    // The first law is exact, so that only round-off of an energy of size 5 is left.
    assert!((t - expected).abs() < 1e-13, "{t} {expected}");
    let emptier = gallery_with("filling-a-vessel", &[("N0", "1e-4")]);
    let run = record(&emptier, &with(&emptier, "energy-entropy(2)", 0.01));
    // γ T_in but for the part N0/N of the gas that was there before.
    assert!((run.last("T_S") - 1.4).abs() < 0.4 * 1e-4 / run.last("N") * 1.01);
}

/// Every method follows the closed form of N(t), and S that belongs to it, with its order.
#[test]
fn filling_has_the_order_of_the_method() {
    let vessel = gallery_with("filling-a-vessel", &[("N0", "0.5")]);
    let exact = |t: f64| {
        let (gamma, p0) = (1.4, 0.5);
        let p = 2.0 - (2.0 - p0) * (-gamma * 0.05 * t).exp();
        let n = 0.5 + (p - p0) / gamma;
        [n, entropy(2.5, n, p / n, p)]
    };
    let error = |settings: Settings| {
        let run = record(&vessel, &settings);
        let rows = run.column("t").into_iter().zip(run.rows(["N", "S"]));
        rows.map(|(t, row)| distance(&row, &exact(t))).fold(0.0, f64::max)
    };
    let cases = [
        ("midpoint", 2.0, 2.0),
        ("trapezoidal", 2.0, 2.0),
        ("compose(suzuki4, midpoint)", 4.0, 4.0),
        ("energy-entropy", 2.0, 2.0),
        ("energy-entropy(2)", 4.0, 4.0),
        ("rk4", 2.0, 4.0),
        ("gauss(2)", 4.0, 4.0),
    ];
    for (method, step, expected) in cases {
        let order = order_of(method, step, 1e-12, |h| error(with(&vessel, method, h)));
        assert!((order - expected).abs() < 0.25, "{method}: {order}");
    }
    assert!(error(with(&vessel, "dop853", 1.0)) < 1e-10);
}

/// The energy balance of the same piston in (x, v, U, N) by extrapolation of order 16, tolerance: four digits beyond the method's.
#[test]
fn a_piston_with_inflow_leak_and_wall_obeys_both_laws() {
    let piston = gallery("piston-with-inflow");
    let truth = [1.6102329145457, 0.0449418911440, 0.5526501855637, 1.3771344484673, 1.1773745241474];
    let end = |method: &str, step: f64| {
        let run = record(&piston, &with(&piston, method, step));
        (["x", "x'", "S", "N", "T_S"].map(|name| run.last(name)), run.outcome.laws.unwrap())
    };
    for (method, step, expected) in [
        ("midpoint", 0.1, 2.0),
        ("trapezoidal", 0.1, 2.0),
        ("energy-entropy", 0.1, 2.0),
        ("energy-entropy(2)", 0.4, 4.0),
        ("rk4", 0.2, 4.0),
    ] {
        let order = order_of(method, step, 1e-12, |h| distance(&end(method, h).0, &truth));
        assert!((order - expected).abs() < 0.3, "{method}: {order}");
    }
    assert!(distance(&end("dop853", 0.5).0, &truth) < 1e-9);
    for method in ["energy-entropy", "energy-entropy(2)"] {
        let (_, laws) = end(method, 0.1);
        // Energies of size 4: round-off of some hundred steps.
        assert!(laws.first.max_defect < 1e-13, "{method}: {:e}", laws.first.max_defect);
        let (first, second) = (laws.first, laws.second);
        assert!(first.matter.unwrap() > 1.0 && first.heat < 0.0 && first.work == 0.0);
        assert!(second.smallest_step > 0.0 && second.produced > 0.5);
        let sum = second.carried.unwrap() + second.exchanged.unwrap() + second.produced;
        assert!((sum - second.total).abs() < 1e-14);
    }
    // The production is made of terms that are not negative in every step of the family, too.
    for method in ["left", "right", "midpoint", "trapezoidal", "rk2", "gauss(1)"] {
        assert!(end(method, 0.1).1.second.smallest_step > 0.0, "{method}");
    }
}

/// What leaves a part takes its own entropy along, so that nothing is produced: S/N stays, and T falls as N^(γ − 1).
#[test]
fn a_leak_is_isentropic_for_what_stays() {
    let leaking = model(
        r#"
        parameters = { c = 2.5, k = 0.3 }
        entropies.S = 1.5
        matter.N = 2.0
        dynamics.lagrangian = "-c*N*(exp(S/N)*N)^(1/c)"
        ports.leak = { from = "N", flow = "k*N" }
        exact = { N = "2*exp(-k*t)", S = "1.5*exp(-k*t)" }
        simulation = { step = 0.05, until = 3.0 }
        "#,
    );
    for method in ["midpoint", "energy-entropy", "dop853"] {
        let run = record(&leaking, &with(&leaking, method, 0.05));
        let laws = run.outcome.laws.as_ref().unwrap();
        let (n, s) = (run.column("N"), run.column("S"));
        let drift = n.iter().zip(&s).map(|(n, s)| (s / n - 0.75).abs()).fold(0.0, f64::max);
        assert!(drift < 1e-10, "{method}: {drift:e}");
        // A steady loss of entropy by matter, and none produced: of sums of size 1.5.
        assert!(laws.second.produced.abs() < 1e-12, "{method}: {:e}", laws.second.produced);
        assert!((laws.second.carried.unwrap() - laws.second.total).abs() < 1e-12);
    }
    let run = record(&leaking, &with(&leaking, "dop853", 0.5));
    // T = (e^(S/N) N)^(1/c).
    let exact = run.column("N").into_iter().map(|n| 0.3f64.exp() * n.powf(0.4));
    assert!(exact.zip(run.column("T_S")).all(|(exact, t)| (exact - t).abs() < 1e-9));
}

/// Matter within a closed system: energy and the sum of the amounts stay, entropy is produced. Numbers as for the piston, in
/// (U1, U2, N1, N2).
#[test]
fn a_valve_between_two_vessels_keeps_energy_and_matter() {
    let vessels = gallery("two-vessels");
    let truth = [1.1910263424957, 1.3089736575045, -0.5569762072638, 0.8684765646460];
    let end = |method: &str, step: f64| {
        let run = record(&vessels, &with(&vessels, method, step));
        ["N1", "N2", "S1", "S2"].map(|name| run.last(name))
    };
    for (method, step, expected) in
        [("midpoint", 0.1, 2.0), ("energy-entropy", 0.1, 2.0), ("energy-entropy(2)", 0.5, 4.0)]
    {
        let order = order_of(method, step, 1e-12, |h| distance(&end(method, h), &truth));
        assert!((order - expected).abs() < 0.3, "{method}: {order}");
    }
    let run = record(&vessels, &with(&vessels, "energy-entropy", 0.1));
    let laws = run.outcome.laws.as_ref().unwrap();
    assert!(laws.first.max_defect < 1e-13 && laws.first.matter.is_none() && laws.second.smallest_step > 0.0);
    assert!(run.rows(["N1", "N2"]).iter().all(|[a, b]| (a + b - 2.5).abs() < 1e-14));
}

/// A reservoir of given temperature: T tends to it, and the entropy that it gives up is counted at its own temperature.
#[test]
fn heat_of_a_reservoir_is_counted_at_its_temperature() {
    let body = model(
        r#"
        entropies.S = 0.0
        dynamics.lagrangian = "-2*exp(S/2)"
        ports.bath = { into = "S", conductance = 0.5, temperature = 3.0 }
        simulation = { step = 0.1, until = 4.0 }
        "#,
    );
    // U = 2 T and U' = (3 − T)/2: T = 3 − 2 exp(−t/4), S = 2 ln T; the reservoir loses U − U_0 at T = 3.
    let temperature = 3.0 - 2.0 * (-1.0f64).exp();
    let (gained, given) = (2.0 * temperature.ln(), 2.0 * (temperature - 1.0) / 3.0);
    let laws = record(&body, &with(&body, "energy-entropy(3)", 0.1)).outcome.laws.unwrap();
    assert!((laws.second.exchanged.unwrap() - given).abs() < 1e-10 && (laws.second.total - gained).abs() < 1e-10);
    assert!((laws.second.produced - (gained - given)).abs() < 1e-10 && laws.second.smallest_step > 0.0);
    assert!(laws.first.max_defect < 1e-14);
    // The production falls along the way: the least is that of the last step.
    let produced = |t: f64| {
        let temperature = 3.0 - 2.0 * (-t / 4.0).exp();
        2.0 * temperature.ln() - 2.0 * (temperature - 1.0) / 3.0
    };
    assert!((laws.second.smallest_step - (produced(4.0) - produced(3.9))).abs() < 1e-10);
}

/// Matter that is pressed in against its potential destroys entropy: the run says so.
#[test]
fn a_flow_against_its_potential_is_warned_of() {
    let pressed = model(
        r#"
        parameters = { c = 2.5 }
        entropies.S = 0.0
        matter.N = 2.0
        dynamics.lagrangian = "-c*N*(exp(S/N)*N)^(1/c)"
        ports.pump = { into = "N", flow = 0.2, enthalpy = "(c + 1)", entropy = "3" }
        simulation = { step = 0.05, until = 1.0 }
        "#,
    );
    let run = record(&pressed, &with(&pressed, "energy-entropy", 0.05));
    let said = run.outcome.warnings.iter().any(|warning| matches!(warning, Warning::SecondLaw { .. }));
    assert!(said, "{:?}", run.outcome.warnings);
}

/// The piston with inflow with some of its lines in other words.
fn piston_with(replaced: &[(&str, &str)]) -> Model {
    let mut text = gallery_text("piston-with-inflow").to_owned();
    for (old, new) in replaced {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    model(&text)
}

/// The inlet opens slowly: by a state, or by its closed form as an expression of the time.
#[test]
fn a_state_may_steer_a_port() {
    let by_state = piston_with(&[
        ("flow = \"k*(p_in - p)\"", "flow = \"k*y*(p_in - p)\""),
        ("[entropies]", "[states]\ny = { start = 0.0, rate = \"(1 - y)/2\" }\n[entropies]"),
    ]);
    let by_time = piston_with(&[("flow = \"k*(p_in - p)\"", "flow = \"k*(1 - exp(-t/2))*(p_in - p)\"")]);
    let end = |model: &Model, settings: &Settings| {
        ["x", "x'", "S", "N", "T_S"].map(|name| record(model, settings).last(name))
    };
    let truth = end(&by_time, &with(&by_time, "dop853", 0.5));
    assert!(distance(&end(&by_state, &with(&by_state, "dop853", 0.5)), &truth) < 1e-10);
    for (method, step, expected) in [
        ("midpoint", 0.1, 2.0),
        ("trapezoidal", 0.1, 2.0),
        ("compose(suzuki4, midpoint)", 0.4, 4.0),
        ("gauss(2)", 0.4, 4.0),
    ] {
        let order = order_of(method, step, 1e-11, |h| distance(&end(&by_state, &with(&by_state, method, h)), &truth));
        assert!((order - expected).abs() < 0.3, "{method}: {order}");
    }
    let refused = refusal(&by_state, &with(&by_state, "energy-entropy", 0.1));
    assert!(refused.contains("states of first order such as `y`"), "{refused}");
}

/// A flywheel geared to the piston by w = x², as a constraint or with w eliminated: the same motion, and both laws exact with matter,
/// heat and the constraint at once.
#[test]
fn matter_heat_and_constraints_obey_both_laws_together() {
    let bound = piston_with(&[
        ("domain = \"x > 0\" }", "domain = \"x > 0\" }\nw = 1.0"),
        ("m*x'^2/2", "m*x'^2/2 + 0.15*w'^2"),
        ("[ports]", "[constraints]\ngear = \"w = x^2\"\n[ports]"),
    ]);
    let free = piston_with(&[("m*x'^2/2", "m*x'^2/2 + 0.15*(2*x*x')^2")]);
    let end = |model: &Model, method: &str, step: f64| {
        let run = record(model, &with(model, method, step));
        (["x", "x'", "S", "N", "T_S"].map(|name| run.last(name)), run)
    };
    let (truth, _) = end(&free, "dop853", 0.5);
    assert!(distance(&end(&bound, "dop853", 0.5).0, &truth) < 1e-9);
    for (method, step, expected) in
        [("midpoint", 0.1, 2.0), ("energy-entropy", 0.1, 2.0), ("energy-entropy(2)", 0.4, 4.0), ("gauss(2)", 0.4, 4.0)]
    {
        let order = order_of(method, step, 1e-11, |h| distance(&end(&bound, method, h).0, &truth));
        assert!((order - expected).abs() < 0.3, "{method}: {order}");
    }
    for method in ["energy-entropy", "energy-entropy(2)", "energy-entropy-momentum"] {
        let (_, run) = end(&bound, method, 0.05);
        // Two hundred steps with round-off of an energy of four.
        let laws = run.outcome.laws.as_ref().unwrap();
        assert!(laws.first.max_defect < 1e-13, "{method}: {:e}", laws.first.max_defect);
        for [x, w] in run.rows(["x", "w"]) {
            assert!((w - x * x).abs() < 1e-14 * 4.0, "{method}: {x} {w}");
        }
    }
}

fn open(method: &str) -> (Model, Settings) {
    let vessel = gallery("filling-a-vessel");
    let settings = with(&vessel, method, 0.1);
    (vessel, settings)
}

#[test]
fn methods_without_a_rule_for_matter_are_refused_by_name() {
    for method in ["galerkin(2)", "hermite"] {
        let (vessel, settings) = open(method);
        let refused = refusal(&vessel, &settings);
        assert!(refused.contains("is not defined for"), "{method}: {refused}");
    }
}
