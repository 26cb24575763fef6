//! Symmetries of velocities and entropies, and momenta that every step keeps.

use extremal_engine::mechanics::analysis::Conservation;
use extremal_engine::mechanics::geometry::IdentityVerdict;
use extremal_engine::{Model, Settings};

use extremal_testkit::analyses::{assert_equal, typed};
use extremal_testkit::models::model;
use extremal_testkit::runs::{gallery_text, record, refusal};

use super::geometry::{close, formulas, seen};

/// The two pistons of [TP] example 1 with a symmetry as it is stated there.
fn pistons_with(symmetry: &str) -> Model {
    model(&format!("{}\n[symmetries]\nrelative = {{ {symmetry} }}\n", gallery_text("two-pistons")))
}

#[test]
fn a_symmetry_of_velocities_conserves_f_minus_its_momentum() {
    let pistons = pistons_with(r#"x = "-1", y = "1", "x'" = "gamma", "y'" = "-gamma""#);
    let found = seen(&pistons, "midpoint", 0.01);
    let symmetry = &found.symmetries[0];
    let lifted = symmetry.lifted.as_ref().unwrap();
    // The sign of the source put right: f - θ(X) = gamma (x - y) - y' + x'.
    assert_equal(symmetry.momentum.unwrap(), typed(&pistons, "gamma*(x - y) + x' - y'"));
    assert_equal(lifted.function.unwrap(), typed(&pistons, "gamma*(x - y)"));
    assert_eq!(
        (lifted.closed, lifted.condition, lifted.canonical),
        (IdentityVerdict::Proved, IdentityVerdict::Proved, Some(IdentityVerdict::Proved))
    );
    assert_eq!(symmetry.conservation, Conservation::Always);
    // It is recorded, and the midpoint rule keeps it: 2000 steps of round-off of numbers of about one.
    let run = record(&pistons, &Settings::of(&pistons));
    let kept = run.column("relative");
    close(kept[0], 0.1 * (1.0 - 1.5) + 0.4 + 0.1, 1e-15);
    assert!(kept.iter().all(|value| (value - kept[0]).abs() < 1e-12));

    // With the other sign it is no symmetry, and the rate says by how much.
    let wrong = pistons_with(r#"x = "-1", y = "1", "x'" = "-gamma", "y'" = "gamma""#);
    let found = seen(&wrong, "midpoint", 0.01);
    let lifted = found.symmetries[0].lifted.as_ref().unwrap();
    assert_eq!(
        (lifted.closed, lifted.condition, lifted.canonical),
        (IdentityVerdict::Proved, IdentityVerdict::Failed, Some(IdentityVerdict::Failed))
    );
    assert_eq!(found.symmetries[0].conservation, Conservation::No);
    assert_equal(found.symmetries[0].rate, typed(&wrong, "2*gamma*(y' - x')"));

    // y dx is no df: there is nothing to record.
    let open = pistons_with(r#""x'" = "y""#);
    let found = seen(&open, "midpoint", 0.01);
    assert_eq!(found.symmetries[0].lifted.as_ref().unwrap().closed, IdentityVerdict::Failed);
    assert!(found.symmetries[0].momentum.is_none());
    assert!(refusal(&open, &Settings::of(&open)).contains("`relative` has nothing to be recorded"));
}

#[test]
fn a_symmetry_may_move_entropies() {
    // A body that slows down in its bath: X = ∂_x − (g/m) ∂_x' has f = −g x; the shift of S alone has T as its rate.
    let text = |symmetry: &str| {
        format!(
            r#"
            parameters = {{ g = 0.3, m = 2, T0 = 5 }}
            coordinates.x = {{ start = 0, velocity = 1 }}
            entropies.S = 0
            dynamics.lagrangian = "m*x'^2/2 - T0*S"
            friction.x = "-g*x'"
            symmetries.shift = {{ {symmetry} }}
            simulation = {{ step = 0.1, until = 1 }}
            "#
        )
    };
    let kept = model(&text(r#"x = "1", "x'" = "-g/m", S = "0""#));
    let found = seen(&kept, "midpoint", 0.1);
    assert_equal(found.symmetries[0].momentum.unwrap(), typed(&kept, "-g*x - m*x'"));
    assert_eq!(found.symmetries[0].conservation, Conservation::Always);
    // X(E) − T X^S − F X^q with X^S = −g x'/T0 − 0: X(E) = T0 X^S cancels −T X^S, what is left is g x'.
    let warmed = model(&text(r#"x = "1", S = "-g*x'/T0""#));
    let found = seen(&warmed, "midpoint", 0.1);
    assert_equal(found.symmetries[0].rate, typed(&warmed, "g*x'"));
    assert_eq!(found.symmetries[0].conservation, Conservation::No);
}

#[test]
fn momenta_of_stated_symmetries_are_kept_by_every_step() {
    // Discrete Noether, proved: a rotation of the plane, kept; one of x alone, not.
    let orbit = model(
        r#"
        coordinates.x = { start = 1, velocity = 0 }
        coordinates.y = { start = 0, velocity = 1.1 }
        dynamics.lagrangian = "(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)"
        symmetries.rotation = { x = "-y", y = "x" }
        symmetries.shift = { x = "1" }
        simulation = { step = 0.05, until = 1 }
        "#,
    );
    let found = seen(&orbit, "midpoint", 0.05);
    let noether: Vec<(&str, bool)> =
        formulas(&found).noether.iter().map(|(name, verdict)| (name.as_str(), verdict.holds())).collect();
    assert_eq!(noether, [("rotation", true), ("shift", false)]);
}
