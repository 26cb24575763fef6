//! Every member is the run that its parameters and start would make alone, bit for bit.

use extremal_engine::model::Extent;
use extremal_engine::run::End;
use extremal_engine::sweep::Record;
use extremal_engine::trajectory::shortest;
use extremal_engine::{Model, Settings};
use extremal_testkit::models::{model, model_with};
use extremal_testkit::runs::{Lasting, attempt, gallery_text};
use extremal_testkit::sweeps::{SweepRows, grid, kept_columns};

/// Marches a grid of members until a time, and each of them as a model of its own. `start` is a stated start and how it reads with
/// the value of the first axis, if that is no parameter.
fn check(name: &str, method: Option<&str>, end: f64, axes: &[&str], start: Option<(&str, &str)>) {
    let stated = gallery_text(name);
    let settings = |model: &Model| {
        let method = method.map_or_else(|| Settings::of(model).method, |method| method.parse().unwrap());
        Settings { method, ..Settings::of(model).until(end) }
    };
    let base = model(stated);
    let rows = SweepRows::of(&base, &Settings { step: None, ..settings(&base) }, grid(axes), Record::End);
    for member in 0..rows.frame.rows() {
        let mut text = stated.to_owned();
        let mut overrides = Vec::new();
        for (at, axis) in axes.iter().enumerate() {
            let value = shortest(rows.frame.numbers(at)[member]);
            match start {
                Some((stated, instead)) if at == 0 => {
                    assert!(text.contains(stated));
                    text = text.replace(stated, &instead.replace('?', &value));
                }
                _ => overrides.push((axis.split_once('=').unwrap().0, value)),
            }
        }
        let overrides: Vec<_> = overrides.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let alone = model_with(&text, &overrides);
        let single = attempt(&alone, &settings(&alone));
        let expected = match &single.outcome.end {
            End::Reached => (Some("finished"), None),
            End::Stopped { condition } => (Some("stopped"), Some(condition.as_str())),
            other => panic!("member {member} alone: {other:?}"),
        };
        assert_eq!((rows.statuses()[member], rows.reasons()[member]), expected);
        for name in kept_columns(&single) {
            let (alone, of_sweep) = (single.last(&name), rows.column(&name)[member]);
            assert_eq!(alone.to_bits(), of_sweep.to_bits(), "member {member}, {name}: {alone} alone, {of_sweep}");
        }
        let energy = single.column("energy");
        assert_eq!(rows.column("energy_change")[member], energy[energy.len() - 1] - energy[0]);
    }
}

#[test]
fn of_an_implicit_method_with_a_shorter_last_step() {
    check(
        "double-pendulum",
        None,
        1.237,
        &["θ1=-3:3:5", "l2=0.5,1.25"],
        Some(("\"θ1\" = { start = 2.0", "\"θ1\" = { start = ?")),
    );
}

#[test]
fn whose_start_follows_a_parameter_that_varies() {
    check("kepler", None, 3.0, &["eccentricity=0.1:0.7:4", "mu=1,2"], None);
}

#[test]
fn of_explicit_composed_and_adaptive_methods() {
    for method in ["trapezoidal", "compose(suzuki4, midpoint)", "rk4", "dop853", "gauss(3)"] {
        check(
            "henon-heiles",
            Some(method),
            5.0,
            &["y'=0.1:0.5:3"],
            Some(("y = { start = 0.0, velocity = 0.5 }", "y = { start = 0.0, velocity = ? }")),
        );
    }
}

#[test]
fn that_a_condition_stops() {
    check("projectile", None, 2.5, &["vy0=8,12,14", "c=0.1:0.3:2"], None);
}

#[test]
fn with_constraints_and_with_entropies() {
    check("pendulum-rod", None, 1.0, &["phi0=0.5:2:3", "l=1,2"], None);
    check(
        "piston-between-gases",
        Some("midpoint"),
        1.0,
        &["S1=0.5,1.25", "gamma=0:0.2:3"],
        Some(("S1 = { start = 1.0 }", "S1 = { start = ? }")),
    );
}

#[test]
fn whose_velocities_are_iterated() {
    check("relativistic-particle", Some("midpoint"), 1.0, &["F=-1:2:3", "c=1,3"], None);
}

#[test]
fn whose_step_and_end_follow_a_parameter() {
    let text = r#"
parameters = { w = 1.0, n = 40 }
coordinates.x = { start = 1.0 }
dynamics.lagrangian = "x'^2/2 - w^2*x^2/2"
simulation = { step = "2*pi/(w*n)", until = "2*pi/w" }
"#;
    let base = model(text);
    let free = Settings { step: None, extent: None, ..Settings::of(&base) };
    let rows = SweepRows::of(&base, &free, grid(&["w=0.5,1,4"]), Record::End);
    for (member, w) in [0.5, 1.0, 4.0].into_iter().enumerate() {
        assert!((rows.column("t")[member] - std::f64::consts::TAU / w).abs() < 1e-13);
        let alone = model_with(text, &[("w", &shortest(w))]);
        let single = attempt(&alone, &Settings::of(&alone));
        assert_eq!(single.last("x").to_bits(), rows.column("x")[member].to_bits());
    }
    // A step that the caller states is that of all.
    let fixed = Settings { step: Some(0.01), extent: Some(Extent::Steps(7)), ..Settings::of(&base) };
    let rows = SweepRows::of(&base, &fixed, grid(&["w=0.5,1,4"]), Record::End);
    assert_eq!(rows.column("t"), [0.07; 3]);
}
