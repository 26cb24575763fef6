//! Every member is the run that its parameters and start would make alone, bit for bit.

use extremal_engine::model::Extent;
use extremal_engine::run::End;
use extremal_engine::sweep::Record;
use extremal_engine::trajectory::shortest;
use extremal_engine::{Method, Overrides, Settings, gallery};

use crate::support::{Rows, Single, grid, model};

/// A model, the grid that varies it, and how a member of it is written as a model of its own.
struct Case<'t> {
    text: &'t str,
    method: Option<&'t str>,
    extent: Extent,
    axes: &'t [&'t str],
    /// A stated start and how it reads with the value of the first axis, if that is no parameter.
    start: Option<(&'t str, &'t str)>,
}

fn check(case: &Case<'_>) {
    let base = model(case.text, Overrides::default());
    let settings = |model: &extremal_engine::Model| {
        let settings = Settings { extent: Some(case.extent), ..Settings::of(model) };
        match case.method {
            Some(method) => Settings { method: method.parse::<Method>().unwrap(), ..settings },
            None => settings,
        }
    };
    let given = Settings { step: None, ..settings(&base) };
    let rows = Rows::of(&base, &given, grid(case.axes), Record::End);
    let names: Vec<&str> = case.axes.iter().map(|axis| axis.split_once('=').unwrap().0).collect();
    for member in 0..rows.frame.rows() {
        let mut text = case.text.to_owned();
        let mut overrides = Overrides::default();
        for (at, name) in names.iter().enumerate() {
            let value = shortest(rows.frame.numbers(at)[member]);
            match case.start {
                Some((stated, instead)) if at == 0 => {
                    assert!(text.contains(stated));
                    text = text.replace(stated, &instead.replace('?', &value));
                }
                _ => overrides = overrides.set(name, &value),
            }
        }
        let alone = model(&text, overrides);
        let single = Single::of(&alone, &settings(&alone));
        let expected = match &single.outcome.end {
            End::Reached => (Some("finished"), None),
            End::Stopped { condition } => (Some("stopped"), Some(condition.as_str())),
            other => panic!("member {member} alone: {other:?}"),
        };
        assert_eq!((rows.statuses()[member], rows.reasons()[member]), expected);
        for name in single.names() {
            let (alone, of_sweep) = (*single.column(&name).last().unwrap(), rows.column(&name)[member]);
            assert_eq!(alone.to_bits(), of_sweep.to_bits(), "member {member}, {name}: {alone} alone, {of_sweep}");
        }
        let energy = single.column("energy");
        assert_eq!(rows.column("energy_change")[member], energy[energy.len() - 1] - energy[0]);
    }
}

fn text(name: &str) -> &'static str {
    gallery::text(name).unwrap()
}

#[test]
fn of_an_implicit_method_with_a_shorter_last_step() {
    check(&Case {
        text: text("double-pendulum"),
        method: None,
        extent: Extent::Until(1.237),
        axes: &["θ1=-3:3:5", "l2=0.5,1.25"],
        start: Some(("\"θ1\" = { start = 2.0", "\"θ1\" = { start = ?")),
    });
}

#[test]
fn whose_start_follows_a_parameter_that_varies() {
    check(&Case {
        text: text("kepler"),
        method: None,
        extent: Extent::Until(3.0),
        axes: &["eccentricity=0.1:0.7:4", "mu=1,2"],
        start: None,
    });
}

#[test]
fn of_explicit_composed_and_adaptive_methods() {
    for method in ["trapezoidal", "compose(suzuki4, midpoint)", "rk4", "dop853", "gauss(3)"] {
        check(&Case {
            text: text("henon-heiles"),
            method: Some(method),
            extent: Extent::Until(5.0),
            axes: &["y'=0.1:0.5:3"],
            start: Some(("y = { start = 0.0, velocity = 0.5 }", "y = { start = 0.0, velocity = ? }")),
        });
    }
}

#[test]
fn that_a_condition_stops() {
    check(&Case {
        text: text("projectile"),
        method: None,
        extent: Extent::Until(2.5),
        axes: &["vy0=8,12,14", "c=0.1:0.3:2"],
        start: None,
    });
}

#[test]
fn with_constraints_and_with_entropies() {
    check(&Case {
        text: text("pendulum-rod"),
        method: None,
        extent: Extent::Until(1.0),
        axes: &["phi0=0.5:2:3", "l=1,2"],
        start: None,
    });
    check(&Case {
        text: text("piston-between-gases"),
        method: Some("midpoint"),
        extent: Extent::Until(1.0),
        axes: &["S1=0.5,1.25", "gamma=0:0.2:3"],
        start: Some(("S1 = { start = 1.0 }", "S1 = { start = ? }")),
    });
}

#[test]
fn whose_velocities_are_iterated() {
    check(&Case {
        text: text("relativistic-particle"),
        method: Some("midpoint"),
        extent: Extent::Until(1.0),
        axes: &["F=-1:2:3", "c=1,3"],
        start: None,
    });
}

#[test]
fn whose_step_and_end_follow_a_parameter() {
    let text = r#"
[parameters]
w = 1.0
n = 40
[coordinates]
x = { start = 1.0 }
[dynamics]
lagrangian = "x'^2/2 - w^2*x^2/2"
[simulation]
step = "2*pi/(w*n)"
until = "2*pi/w"
"#;
    let base = model(text, Overrides::default());
    let free = Settings { step: None, extent: None, ..Settings::of(&base) };
    let rows = Rows::of(&base, &free, grid(&["w=0.5,1,4"]), Record::End);
    for (member, w) in [0.5, 1.0, 4.0].into_iter().enumerate() {
        assert!((rows.column("t")[member] - std::f64::consts::TAU / w).abs() < 1e-13);
        let alone = model(text, Overrides::default().set("w", shortest(w)));
        let single = Single::of(&alone, &Settings::of(&alone));
        assert_eq!(single.column("x").last().unwrap().to_bits(), rows.column("x")[member].to_bits());
    }
    // A step that the caller states is that of all.
    let fixed = Settings { step: Some(0.01), extent: Some(Extent::Steps(7)), ..Settings::of(&base) };
    let rows = Rows::of(&base, &fixed, grid(&["w=0.5,1,4"]), Record::End);
    assert_eq!(rows.column("t"), [0.07; 3]);
}
