//! Systems reduced by their cyclic coordinates, against the whole equations.

use extremal_engine::derive::{Form, derive};
use extremal_engine::{Model, Settings};
use extremal_testkit::marches::followed_to;
use extremal_testkit::models::model;
use extremal_testkit::numbers::{OrderCase, assert_orders};
use extremal_testkit::runs::{Lasting, RecordedRun, gallery, gallery_text, record, reference, refusal, with};

/// The settings of a reduction by these coordinates.
fn by(names: &[&str], settings: Settings) -> Settings {
    Settings { reduce: names.iter().map(|name| (*name).to_owned()).collect(), ..settings }
}

fn reduced(model: &Model, names: &[&str], method: &str, end: f64, steps: u64) -> RecordedRun {
    record(model, &by(names, with(model, method, end / steps as f64).steps(steps)))
}

/// The whole equations by hand, from rest in theta or not: theta'' = sin cos phi'² − g sin, (sin² phi')' = 0.
fn spherical_by_hand(velocity: f64, end: f64) -> Vec<f64> {
    followed_to(&[1.0, velocity, 0.0, 2.0], end, |_, z, dz| {
        let (sine, cosine) = z[0].sin_cos();
        (dz[0], dz[2]) = (z[1], z[3]);
        dz[1] = sine * cosine * z[3] * z[3] - 9.81 * sine;
        dz[3] = -2.0 * z[1] * z[3] * cosine / sine;
    })
}

#[test]
fn the_spherical_pendulum_turns_as_it_should() {
    let exact = spherical_by_hand(0.0, 10.0);
    // Printed elsewhere, from DOP853 of the whole system.
    assert!((exact[0] - 0.6884476129).abs() < 1e-9 && (exact[2] - 34.84740184).abs() < 1e-8, "{exact:?}");
    let model = gallery("spherical-pendulum");
    for (method, steps, tolerance) in [("galerkin(4)", 400, 1e-9), ("galerkin(3, lobatto(4))", 1000, 1e-8)] {
        let run = reduced(&model, &["phi"], method, 10.0, steps);
        let off = [run.last("theta") - exact[0], run.last("phi") - exact[2]];
        assert!(off.iter().all(|off| off.abs() < tolerance), "{method}: {off:?}");
    }
    // The references integrate the whole equations.
    let run = record(&model, &by(&["phi"], reference(&model, 1.0).until(10.0)));
    assert!((run.last("phi") - exact[2]).abs() < 1e-9);
}

#[test]
fn reduced_methods_have_their_order() {
    // Not from a turning point, whose symmetry would lend phi an order.
    let text = gallery_text("spherical-pendulum").replace("velocity = 0.0", "velocity = 0.7");
    let (model, exact) = (model(&text), spherical_by_hand(0.7, 2.0));
    let cases: [OrderCase<'_>; 9] = [
        ("left", 1.0, 0.1, &[1600, 3200, 6400]),
        ("right", 1.0, 0.1, &[1600, 3200, 6400]),
        ("midpoint", 2.0, 0.1, &[200, 400, 800]),
        ("trapezoidal", 2.0, 0.1, &[200, 400, 800]),
        ("galerkin(2)", 4.0, 0.2, &[40, 80, 160]),
        ("galerkin(2, lobatto(3))", 4.0, 0.2, &[40, 80, 160]),
        ("galerkin(3)", 6.0, 0.4, &[40, 80, 160]),
        ("compose(suzuki4, trapezoidal)", 4.0, 0.2, &[40, 80, 160]),
        ("compose(yoshida4, midpoint)", 4.0, 0.3, &[160, 320, 640]),
    ];
    assert_orders("spherical pendulum", &cases, 2.0, 1e-11, |method, steps| {
        let run = reduced(&model, &["phi"], method, 2.0, steps);
        vec![(run.last("theta") - exact[0]).abs(), (run.last("phi") - exact[2]).abs()]
    });
}

#[test]
fn the_cyclic_momentum_is_a_constant_of_the_start() {
    let model = gallery("spherical-pendulum");
    let run = reduced(&model, &["phi"], "trapezoidal", 10.0, 500);
    let momenta = run.column("p_phi");
    assert!(momenta.iter().all(|p| p.to_bits() == momenta[0].to_bits()));
    assert!((momenta[0] - 2.0 * 1.0f64.sin().powi(2)).abs() < 1e-15);
    // The whole method keeps it to round-off and has another motion: two quadratures of one action.
    let whole = record(&model, &with(&model, "trapezoidal", 0.02).steps(500));
    assert!((whole.last("phi") - run.last("phi")).abs() > 1e-6);
}

/// Two cyclic coordinates that are coupled, beside a potential that turns with neither.
#[test]
fn a_top_is_reduced_by_two_angles() {
    let model = gallery("symmetric-top");
    let truth = record(&model, &reference(&model, 0.5).until(2.0));
    let run = reduced(&model, &["phi", "psi"], "galerkin(3)", 2.0, 200);
    for name in ["phi", "theta", "psi", "phi'", "psi'"] {
        let off = (run.last(name) - truth.last(name)).abs();
        assert!(off < 1e-8, "{name}: {off:e}");
    }
}

/// A charge in a homogeneous field and a well, in polar coordinates: the Lagrangian has a term linear in the cyclic velocity, and friction
/// along the radius depends on it.
#[test]
fn gyroscopic_terms_and_forces_are_reduced_too() {
    let model = model(
        r#"
        parameters = { B = 1.3 }
        coordinates = { r = { start = 1, velocity = 0.2 }, f = { start = 0, velocity = 0.9 } }
        dynamics.lagrangian = "(r'^2 + r^2*f'^2)/2 + B*r^2*f'/2 - r^4/4"
        forces.r = "-r'*f'^2/5"
        "#,
    );
    let by_hand = followed_to(&[1.0, 0.2, 0.0, 0.9], 3.0, |_, z, dz| {
        let [r, u, _, w] = [z[0], z[1], z[2], z[3]];
        (dz[0], dz[2]) = (u, w);
        dz[1] = r * w * w + 1.3 * r * w - r.powi(3) - u * w * w / 5.0;
        dz[3] = -(2.0 * r * u * w + 1.3 * r * u) / (r * r);
    });
    let run = reduced(&model, &["f"], "galerkin(3)", 3.0, 100);
    assert!((run.last("r") - by_hand[0]).abs() < 1e-9, "{} and {}", run.last("r"), by_hand[0]);
    assert!((run.last("f") - by_hand[2]).abs() < 1e-9, "{} and {}", run.last("f"), by_hand[2]);
}

#[test]
fn what_cannot_be_reduced_is_refused() {
    let model = gallery("spherical-pendulum");
    let settings = |names: &[&str], method: &str| by(names, with(&model, method, 0.01).until(1.0));
    for (names, method, said) in [
        (&["theta"][..], "midpoint", "`theta` is not cyclic, for the Lagrangian depends on it"),
        (&["phy"], "midpoint", "did you mean `phi`?"),
        (&["phi"], "energy-entropy", "`energy-entropy` is not defined for a reduction by cyclic coordinates"),
        (&["phi"], "custom", "`custom` is not defined for a reduction"),
    ] {
        let refused = refusal(&model, &settings(names, method));
        assert!(refused.contains(said), "{refused}");
    }
    let pushed = gallery("spherical-pendulum");
    let text = format!("{}\n[forces]\nphi = \"1\"", pushed.source_text());
    let pushed = self::model(&text);
    let refused = refusal(&pushed, &by(&["phi"], with(&pushed, "midpoint", 0.01).until(1.0)));
    assert!(refused.contains("a force acts on `phi`"), "{refused}");
    let free = self::model("coordinates = { x = 0, y = 0 }\ndynamics.lagrangian = \"x'^2 + y'^2\"");
    let refused = refusal(&free, &by(&["x", "y"], with(&free, "midpoint", 0.1).until(1.0)));
    assert!(refused.contains("one must stay"), "{refused}");
    let rods = gallery("pendulum-rod");
    let refused = refusal(&rods, &by(&["x"], with(&rods, "midpoint", 0.1).until(1.0)));
    assert!(refused.contains("reduc"), "{refused}");
}

#[test]
fn routh_s_function_is_printed_with_the_reconstruction() {
    let model = gallery("spherical-pendulum");
    let text = derive(&model, &Settings::of(&model), &[Form::Routh]).unwrap().to_text();
    for typed in ["R = ", "phi' = p_phi/(l^2*m*sin(theta)^2)", "Reduced equations", "Reconstruction"] {
        assert!(text.contains(typed), "{typed} is not in\n{text}");
    }
    let without = gallery("double-pendulum");
    let none = derive(&without, &Settings::of(&without), &[Form::Routh]).unwrap().to_text();
    assert!(none.contains("no cyclic coordinate"), "{none}");
}
