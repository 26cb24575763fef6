//! Contact systems: Herglotz's equations and their discrete principle, against closed forms, equations typed by hand and an
//! implementation typed from the literature.

use extremal_testkit::models::model;
use extremal_testkit::numbers::{OrderCase, assert_orders, distance};
use extremal_testkit::runs::{Lasting, gallery, record, reference, refusal, with};

/// Where twenty steps of 0.1 lead: (x, y), (p_x, p_y), z. By a program in Python for z_1 - z_0 = L_d and
/// D_1 L_d(k, k+1) + D_2 L_d(k-1, k) (1 + D_3 L_d(k, k+1))/(1 - D_4 L_d(k-1, k)) = 0, with slopes typed by hand and
/// Newton's method to round-off.
const TWENTY_STEPS: [(&str, [f64; 5]); 4] = [
    ("left", [-0.7642180663826093, 0.3677486057198984, -0.7184929835807929, -0.5019033074915408, 0.4398548639855924]),
    ("right", [-0.7579311269066472, 0.35249731391986855, -0.7175793460208686, -0.5368155948216171, 0.4603962593093701]),
    (
        "midpoint",
        [-0.7539022523275167, 0.36342286347501407, -0.730626793008833, -0.5165275243780623, 0.44756841827819804],
    ),
    (
        "trapezoidal",
        [-0.7588631970854633, 0.3612006478237634, -0.7196275548350336, -0.5194778094312059, 0.4476633060855218],
    ),
];

#[test]
fn the_discrete_principle_is_that_of_the_literature() {
    let spring = gallery("herglotz-spring");
    for (method, expected) in TWENTY_STEPS {
        let run = record(&spring, &with(&spring, method, 0.1).steps(20));
        let reached = ["x", "y", "p_x", "p_y", "z"].map(|name| run.last(name));
        // Newton's method of both sides to round-off, twenty steps of numbers of order one.
        assert!(distance(&reached, &expected) < 1e-13, "{method}: {reached:?}");
    }
}

/// From the two positions that the first step connects, the same motion goes on.
#[test]
fn two_positions_start_the_same_motion() {
    let spring = gallery("herglotz-spring");
    let run = record(&spring, &with(&spring, "midpoint", 0.1).steps(1));
    let text = extremal_testkit::runs::gallery_text("herglotz-spring")
        .replace("velocity = 0.3", &format!("second = {:?}", run.last("x")))
        .replace("velocity = 0.8", &format!("second = {:?}", run.last("y")))
        .replace("[simulation]", "[simulation]\nstart = \"two-points\"");
    let model = model(&text);
    let run = record(&model, &with(&model, "midpoint", 0.1).steps(20));
    let reached = ["x", "y", "p_x", "p_y", "z"].map(|name| run.last(name));
    // The second position has sixteen digits, of which a velocity loses one.
    assert!(distance(&reached, &TWENTY_STEPS[2].1) < 1e-12, "{reached:?}");
}

const CASES: &[OrderCase<'_>] = &[
    ("left", 1.0, 0.1, &[100, 200, 400]),
    ("right", 1.0, 0.1, &[100, 200, 400]),
    ("theta(0.3)", 1.0, 0.1, &[200, 400, 800]),
    ("midpoint", 2.0, 0.05, &[32, 64, 128]),
    ("trapezoidal", 2.0, 0.05, &[32, 64, 128]),
    ("galerkin(1, lobatto(2))", 2.0, 0.05, &[32, 64, 128]),
    ("compose(suzuki4, midpoint)", 4.0, 0.1, &[16, 32, 64]),
    ("compose(yoshida4, trapezoidal)", 4.0, 0.2, &[64, 128, 256]),
    ("compose(kahan-li8, midpoint)", 8.0, 0.6, &[10, 12, 14, 16]),
    ("rk4", 4.0, 0.1, &[64, 128, 256]),
    ("gauss(2)", 4.0, 0.1, &[16, 32, 64]),
];

#[test]
fn orders_are_measured_on_a_nonlinear_contact_system() {
    let spring = gallery("herglotz-spring");
    let truth = record(&spring, &reference(&spring, 0.5).until(2.0));
    let names = ["x", "y", "x'", "y'", "z"];
    let truth = names.map(|name| truth.last(name));
    // Positions and velocities in one error, the action in the other; DOP853 ends at 1e-12.
    assert_orders("contact", CASES, 2.0, 1e-12, |method, n| {
        let run = record(&spring, &with(&spring, method, 2.0 / n as f64).steps(n));
        let reached = names.map(|name| run.last(name));
        vec![distance(&reached[..4], &truth[..4]), (reached[4] - truth[4]).abs()]
    });
}

/// By J_1 = f J_0 for every symmetry of the discrete Lagrangian: J/factor is constant to round-off at any step, energy/factor is off by
/// the order of the method and does not drift, and the energy itself decays by orders of magnitude.
#[test]
fn what_symmetries_give_is_scaled_like_the_contact_form() {
    let spring = gallery("herglotz-spring");
    for method in ["left", "right", "midpoint", "trapezoidal", "compose(suzuki4, midpoint)"] {
        let run = record(&spring, &with(&spring, method, 0.1).steps(400));
        let momentum = run.column("rotation/factor");
        let off = momentum.iter().map(|j| (j - momentum[0]).abs()).fold(0.0, f64::max);
        // Round-off of 400 steps, times the growth 1/f of what it is divided by, some hundred here.
        assert!(off < 1e-11, "{method}: {off:e}");
        let (first, last) = (run.column("rotation")[0], run.last("rotation"));
        assert!((last / first).abs() < 0.05, "{method}: {last} of {first}");
    }
    let run = record(&spring, &with(&spring, "midpoint", 0.05).steps(400));
    let energy = run.column("energy/factor");
    let off = energy.iter().map(|e| (e - energy[0]).abs()).fold(0.0, f64::max);
    assert!(off < 5e-3 * energy[0], "{off:e}");
}

/// L_z = -gamma: the midpoint rule has the factor (1 - h gamma/2)/(1 + h gamma/2) in every step, `left` 1 - h gamma, `right` its
/// counterpart 1/(1 + h gamma), and a reference exp(-gamma h) as accurately as it solves y' = -gamma.
#[test]
fn the_factor_of_the_damped_oscillator_is_exact() {
    let oscillator = gallery("herglotz-oscillator");
    let (h, gamma, n) = (0.05f64, 0.1f64, 200.0);
    for (method, factor) in [
        ("midpoint", (1.0 - h * gamma / 2.0) / (1.0 + h * gamma / 2.0)),
        ("trapezoidal", (1.0 - h * gamma / 2.0) / (1.0 + h * gamma / 2.0)),
        ("left", 1.0 - h * gamma),
        ("right", 1.0 / (1.0 + h * gamma)),
        ("dop853", (-gamma * h).exp()),
    ] {
        let settings = if method == "dop853" { reference(&oscillator, h) } else { with(&oscillator, method, h) };
        let run = record(&oscillator, &settings.until(10.0));
        // Two hundred additions of numbers below one.
        assert!((run.last("log_factor") - n * factor.ln()).abs() < 1e-13, "{method}: {}", run.last("log_factor"));
    }
    // E = E_0 exp(-gamma t) of the motion itself.
    let run = record(&oscillator, &reference(&oscillator, 0.05).until(10.0));
    assert!((run.last("energy") - 0.5 * (-1.0f64).exp()).abs() < 1e-12);
    assert!(run.outcome.laws.is_none());
}

/// Forces act beside the action: x'' = -x - gamma x' + sin(t)/2 in closed form is that of a damped driven oscillator.
#[test]
fn forces_act_beside_the_action() {
    let driven = |law: &str| {
        model(&format!(
            "coordinates.x = 1.0
            {law}
            forces.x = \"sin(t)/2\"
            friction.x = \"-x'/20\"
            simulation.step = 0.05
            simulation.until = 4"
        ))
    };
    let contact = driven("action.z = 0\n dynamics.lagrangian = \"x'^2/2 - x^2/2 - z/10\"");
    let forced = model(
        "coordinates.x = 1.0
        dynamics.lagrangian = \"x'^2/2 - x^2/2\"
        forces.x = \"sin(t)/2 - 3*x'/20\"
        simulation.step = 0.05
        simulation.until = 4",
    );
    let truth = record(&forced, &reference(&forced, 0.05));
    let followed = record(&contact, &reference(&contact, 0.05));
    assert!((truth.last("x") - followed.last("x")).abs() < 1e-11);
    let off = |h: f64| (record(&contact, &with(&contact, "midpoint", h)).last("x") - truth.last("x")).abs();
    let order = (off(0.1) / off(0.05)).log2();
    assert!((order - 2.0).abs() < 0.05, "{order}");
}

/// A step for which 1 + D_3 L_d vanishes is refused where it happens, with the reason.
#[test]
fn a_step_that_is_too_long_for_the_action_is_no_step() {
    let stiff = model(
        "coordinates.x = 1.0
        action.z = 0.0
        dynamics.lagrangian = \"x'^2/2 - x^2/2 - 30*z\"
        simulation.method = \"left\"
        simulation.step = 0.05
        simulation.until = 1",
    );
    let run = extremal_testkit::runs::attempt(&stiff, &with(&stiff, "left", 0.05));
    let reason = run.failure("left").to_string();
    assert!(reason.contains("1 + dL_d/dz_0 stays positive"), "{reason}");
}

#[test]
fn methods_that_have_no_meaning_here_are_refused_with_others() {
    let spring = gallery("herglotz-spring");
    for method in ["galerkin(2)", "energy-entropy", "compose(suzuki4, energy-entropy)"] {
        let said = refusal(&spring, &with(&spring, method, 0.1));
        assert!(said.contains("is not defined for a contact system: use `midpoint`"), "{said}");
    }
}

/// The equations at t = 2 are those typed by hand.
#[test]
fn references_follow_the_equations_typed_by_hand() {
    let spring = gallery("herglotz-spring");
    let run = record(&spring, &reference(&spring, 0.5).until(2.0));
    let end = extremal_testkit::marches::followed_to(&[1.0, 0.0, 0.3, 0.8, 0.2], 2.0, |_, y, dy| {
        let (r2, rate) = (y[0] * y[0] + y[1] * y[1], -0.05 - 0.3 * y[4]);
        let lagrangian =
            (y[2] * y[2] + y[3] * y[3]) / 2.0 - r2 / 2.0 - r2 * r2 / 4.0 - 0.05 * y[4] - 0.15 * y[4] * y[4];
        let pushed = |q: f64, v: f64| -(1.0 + r2) * q + rate * v;
        dy.copy_from_slice(&[y[2], y[3], pushed(y[0], y[2]), pushed(y[1], y[3]), lagrangian]);
    });
    let reached = ["x", "y", "x'", "y'", "z"].map(|name| run.last(name));
    assert!(distance(&reached, &end) < 1e-11, "{reached:?} {end:?}");
}
