//! Vakonomic motion: its multiplier, how it differs from the motion by reactions, and where it does not.

use extremal::Model;
use extremal::model::ConstraintKind;

use crate::support::{gallery, largest, model, order_of, record, reference, until, with};

/// The equations of the vakonomic skate, projected across the blade, say λ' = m g sin θ + m u θ' with the speed u along the blade.
/// Integrated by Simpson's rule over the rows of a reference run.
#[test]
fn the_multiplier_of_the_skate_obeys_its_equation() {
    let skate = gallery("skate-on-incline-vakonomic");
    let step = 0.01;
    let rows = record(&skate, &reference(&skate, step)).rows(["theta", "theta'", "x'", "y'", "lambda_blade"]);
    let slope = |[theta, turn, vx, vy, _]: &[f64; 5]| 2.0 * theta.sin() + turn * (vx * theta.cos() + vy * theta.sin());
    let mut lambda = 0.4;
    for pair in rows.windows(3).step_by(2) {
        lambda += step / 3.0 * (slope(&pair[0]) + 4.0 * slope(&pair[1]) + slope(&pair[2]));
        // Simpson: t h⁴/180 times the fourth derivative of the slope, which the frequencies of this motion (about 5) keep below 3000.
        let error = (lambda - pair[2][4]).abs();
        assert!(error < 5e-7, "{error:e}");
    }
    assert!(lambda > 5.0);
}

/// Both kinds of motion from one start: order 2 each, and apart from each other.
#[test]
fn vakonomic_and_nonholonomic_skates_part() {
    let [by_reaction, vakonomic] = ["skate-on-incline", "skate-on-incline-vakonomic"].map(|name| (name, gallery(name)));
    let position = |model: &Model, settings| {
        let run = record(model, &until(settings, 3.0));
        ["x", "y", "theta"].map(|name| run.last(name))
    };
    let truths = [&by_reaction, &vakonomic].map(|(name, model)| {
        let truth = position(model, reference(model, 0.1));
        let order = order_of(name, 0.04, 1e-12, |h| largest(&position(model, with(model, "midpoint", h)), &truth));
        assert!((order - 2.0).abs() < 0.05, "{name}: {order}");
        truth
    });
    assert!(largest(&truths[0], &truths[1]) > 0.5, "{truths:?}");
}

/// An integrable constraint, the length of a pendulum: the same motion with a reaction from positions, with a reaction from
/// velocities, and vakonomically, where λ = −λ'.
#[test]
fn an_integrable_constraint_has_one_motion() {
    let text = extremal::gallery::text("pendulum-polar").unwrap();
    let replaced = |constraint: &str| model(&text.replace("rod = \"rho = l\"", constraint));
    let positions = replaced("rod = \"rho = l\"");
    let velocities = replaced("rod = \"rho' = 0\"");
    let vakonomic = replaced("rod = { equation = \"rho' = 0\", kind = \"vakonomic\", multiplier = 0.3 }");
    assert_eq!(velocities.constraints()[0].kind, ConstraintKind::Nonholonomic);
    let end = |model: &Model, settings| record(model, &until(settings, 2.3)).last("phi");
    let truth = end(&positions, reference(&positions, 0.1));
    for (what, model) in [("positions", &positions), ("velocities", &velocities), ("vakonomic", &vakonomic)] {
        let reached = end(model, reference(model, 0.1));
        assert!((reached - truth).abs() < 1e-11, "{what}: {reached}");
        let order = order_of(what, 0.04, 1e-12, |h| (end(model, with(model, "midpoint", h)) - truth).abs());
        assert!((order - 2.0).abs() < 0.05, "{what}: {order}");
    }
    // λ = −λ' between rows, by Simpson's rule; the force of constraint is recorded as the same reaction.
    let step = 0.01;
    let [forces, rates] = [&positions, &vakonomic].map(|model| record(model, &reference(model, step)));
    let (forces, rates) = (forces.rows(["lambda_rod", "reaction_rho"]), rates.rows(["lambda_rod", "reaction_rho"]));
    let mut lambda = 0.3;
    for k in (2..forces.len()).step_by(2) {
        lambda -= step / 3.0 * (forces[k - 2][0] + 4.0 * forces[k - 1][0] + forces[k][0]);
        assert!((lambda - rates[k][0]).abs() < 1e-6, "row {k}: {lambda} {}", rates[k][0]);
        assert!((forces[k][1] - rates[k][1]).abs() < 1e-10, "row {k}: {:?} {:?}", forces[k], rates[k]);
    }
}
