//! What methods keep of the conserved quantities, and the regularity of their equations.

use extremal_engine::Settings;
use extremal_engine::analyze::{AnalysisExtent, MethodReport, Preservation, analyze, tracked};
use extremal_engine::model::Model;

use extremal_testkit::models::model;
use extremal_testkit::runs::gallery;

fn report(model: &Model, method: &str, step: f64, steps: u64) -> MethodReport {
    let settings = Settings { method: method.parse().unwrap(), step: Some(step), ..Settings::of(model) };
    let extent = AnalysisExtent { steps, ..AnalysisExtent::default() };
    analyze(model, &settings, extent).method.unwrap()
}

fn preservation(report: &MethodReport, name: &str) -> (Preservation, bool) {
    let found = report.preserved.iter().find(|kept| kept.name == name);
    found.map(|kept| (kept.preservation, kept.noether)).unwrap_or_else(|| panic!("no {name}"))
}

fn order(preservation: Preservation) -> f64 {
    match preservation {
        Preservation::Order(order) => order,
        other => panic!("{other:?}"),
    }
}

#[test]
fn variational_methods_keep_momenta_of_affine_symmetries_and_energy_to_their_order() {
    let kepler = gallery("kepler");
    for (method, step, expected) in
        [("midpoint", 0.01, 2.0), ("galerkin(2)", 0.02, 4.0), ("compose(suzuki4, midpoint)", 0.01, 4.0)]
    {
        let seen = report(&kepler, method, step, 1);
        assert_eq!(preservation(&seen, "angular momentum"), (Preservation::Exact, true), "{method}");
        for name in ["energy", "Laplace-Runge-Lenz x", "Laplace-Runge-Lenz y"] {
            let (kept, noether) = preservation(&seen, name);
            assert!((order(kept) - expected).abs() < 0.2 && !noether, "{method} {name}: {kept:?}");
        }
    }
    // A Runge–Kutta method keeps none of them.
    let seen = report(&kepler, "rk4", 0.02, 1);
    let (kept, noether) = preservation(&seen, "angular momentum");
    assert!(order(kept) > 3.5 && !noether, "{kept:?}");
}

#[test]
fn the_energy_entropy_method_keeps_the_first_law() {
    let piston = gallery("two-pistons");
    let seen = report(&piston, "energy-entropy", 0.02, 1);
    assert_eq!(preservation(&seen, "energy").0, Preservation::Exact);
    let (kept, _) = preservation(&report(&piston, "midpoint", 0.02, 1), "energy");
    assert!((order(kept) - 2.0).abs() < 0.2, "{kept:?}");
}

#[test]
fn the_determinant_of_a_step_is_known_in_closed_form() {
    // One for a symplectic step, (4 + h² − 2 h g)/(4 + h² + 2 h g) for the damped oscillator by the midpoint rule, at every step.
    let pendulum = gallery("pendulum");
    let seen = report(&pendulum, "midpoint", 0.05, 20).regularity.unwrap();
    assert_eq!(seen.steps, 20);
    assert!((seen.determinant.0 - 1.0).abs() < 1e-12 && (seen.determinant.1 - 1.0).abs() < 1e-12, "{seen:?}");
    let damped = gallery("damped-oscillator");
    let (h, g) = (0.1, 0.1);
    let by_hand = (4.0 + h * h - 2.0 * h * g) / (4.0 + h * h + 2.0 * h * g);
    let seen = report(&damped, "midpoint", h, 30).regularity.unwrap();
    assert_eq!(seen.steps, 30);
    let (low, high) = seen.determinant;
    assert!((low - by_hand).abs() < 1e-12 && (high - by_hand).abs() < 1e-12, "{seen:?} is not {by_hand}");
}

#[test]
fn what_is_found_can_be_tracked() {
    let model = gallery("kepler");
    let names: Vec<String> = tracked(&model).into_iter().map(|quantity| quantity.name).collect();
    // The energy is a column of every run.
    assert_eq!(names, ["angular momentum", "Laplace-Runge-Lenz y", "Laplace-Runge-Lenz x"]);
}

#[test]
fn a_trial_that_shows_nothing_proves_nothing() {
    let text = |start: &str, lagrangian: &str| {
        format!(
            "[coordinates]\nx = {{ {start} }}\n[dynamics]\nlagrangian = \"{lagrangian}\"\n[simulation]\nstep = 0.05\nuntil = 1.0"
        )
    };
    // Midpoint keeps the energy of the pendulum to order 2, at rest at the bottom too.
    let resting = model(&text("start = 0.0, velocity = 0.0", "x'^2/2 + cos(x)"));
    let (kept, _) = preservation(&report(&resting, "midpoint", 0.05, 1), "energy");
    assert!((order(kept) - 2.0).abs() < 0.3, "{kept:?}");
    // A wall that the short run does not reach: free fall below it is kept exactly, and nothing is said.
    let wall = model(&text("start = 0.0, velocity = 0.1", "x'^2/2 - if(x > 50, (x - 50)^4, 0)"));
    assert_eq!(preservation(&report(&wall, "midpoint", 0.05, 1), "energy").0, Preservation::Unclear);
    // An adaptive method keeps what its tolerance says.
    let kepler = gallery("kepler");
    assert_eq!(preservation(&report(&kepler, "dop853", 0.01, 1), "angular momentum").0, Preservation::Unclear);
}

/// The corrections of the energy are kept with the order of what is left out: 2 without them, 4 with h², 6 with h⁴; 1, 2 and 3 for an end.
#[test]
fn the_modified_energy_drifts_with_the_higher_order() {
    let cases: [(&str, &str, f64, &[f64]); 6] = [
        ("pendulum", "midpoint", 0.1, &[2.0, 4.0, 6.0]),
        ("pendulum", "trapezoidal", 0.1, &[2.0, 4.0, 6.0]),
        ("henon-heiles", "trapezoidal", 0.2, &[2.0, 4.0, 6.0]),
        ("double-pendulum", "midpoint", 0.02, &[2.0, 4.0]),
        ("pendulum", "left", 0.02, &[1.0, 2.0, 3.0]),
        ("kepler", "theta(0.3)", 0.02, &[1.0, 2.0, 3.0]),
    ];
    for (name, method, step, orders) in cases {
        let model = gallery(name);
        let settings = Settings { method: method.parse().unwrap(), step: Some(step), ..Settings::of(&model) };
        let extent = AnalysisExtent { backward: true, ..AnalysisExtent::default() };
        let found = analyze(&model, &settings, extent).backward.unwrap_or_else(|| panic!("{name} {method}"));
        let measured: Vec<f64> = found.drifts.iter().map(|drift| drift.order.unwrap()).collect();
        println!("{name} {method}: {:?}", found.drifts);
        for (measured, order) in measured.iter().zip(orders) {
            assert!((measured - order).abs() < 0.3, "{name} {method}: {measured:?}, not {orders:?}");
        }
        assert!(measured.len() >= orders.len(), "{name} {method}: {measured:?}");
    }
}

/// L_2 = (U'² − 2 U'' v²)/24 of Störmer and Verlet, as Vermeeren prints it, and nothing where it is not asked for or not known.
#[test]
fn the_modified_lagrangian_is_printed() {
    let well = model(
        "coordinates.x = { start = 1.0, velocity = 0.2 }
         dynamics.lagrangian = \"x'^2/2 - x^4/4\"
         simulation.step = 0.1",
    );
    let settings = Settings { method: "trapezoidal".parse().unwrap(), ..Settings::of(&well) };
    let extent = AnalysisExtent { backward: true, ..AnalysisExtent::default() };
    let text = analyze(&well, &settings, extent).to_text();
    for line in ["Backward error of trapezoidal", "L_2 = x^6/24 - x^2*x'^2/4", "H_2 = x^2*x'^2/4 - x^6/24", "order 6.0"]
    {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
    assert!(!analyze(&well, &settings, AnalysisExtent::default()).to_text().contains("Backward"));
    let reference = Settings { method: "rk4".parse().unwrap(), ..settings };
    assert!(analyze(&well, &reference, extent).backward.is_none());
}

#[test]
fn trials_of_large_equations_end_early_and_say_so() {
    let chain = model(
        "parameters.n = 26
        coordinates.q = { count = \"n\", start = \"log(i)\" }
        dynamics.lagrangian = \"sum(i, 1, n, q[i]'^2/20) - sum(i, 1, n - 1, exp(q[i] - q[i + 1])) - (q[1] - q[n])^2/2\"
        simulation = { method = \"energy-entropy(3)\", step = 1, steps = 50 }",
    );
    let settings = Settings::of(&chain);
    let seen = analyze(&chain, &settings, AnalysisExtent::default());
    let method = seen.method.as_ref().unwrap();
    // 26 positions and momenta in three stages: their Jacobians, some six in each step, are more than a trial may cost.
    let steps = method.shortened.unwrap();
    assert!((4..64).contains(&steps), "{steps}");
    assert_eq!(preservation(method, "energy").0, Preservation::Exact);
    assert!(seen.to_text().contains(&format!("measured over {steps} steps only")), "{}", seen.to_text());
    // Small ones are tried to the end.
    assert_eq!(report(&gallery("kepler"), "midpoint", 0.01, 1).shortened, None);
}
