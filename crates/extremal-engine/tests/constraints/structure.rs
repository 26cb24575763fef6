//! What the program finds out about constraints: rank, redundancy, contradictions, singular configurations.

use extremal_engine::model::ConstraintForm;
use extremal_engine::run::{ConstraintError, SetupError};
use extremal_engine::solve::Reason;
use extremal_engine::{CompiledRun, Model, Settings};

use extremal_testkit::models::model;
use extremal_testkit::numbers::distance;
use extremal_testkit::runs::{Lasting, attempt, gallery, record, with};

fn pendulum_with(more: &str) -> Model {
    let text = extremal_engine::gallery::text("pendulum-rod").unwrap();
    model(&text.replace("\n[drawing]", &format!("{more}\n\n[drawing]")))
}

fn refusal(model: &Model) -> ConstraintError {
    match CompiledRun::new(model, &Settings::of(model)) {
        Err(SetupError::Constraints(error)) => error,
        Err(other) => panic!("another refusal: {other}"),
        Ok(_) => panic!("not refused"),
    }
}

/// Coordinates less independent constraints, by counting on paper.
#[test]
fn degrees_of_freedom_and_rank() {
    for (name, free, rank) in [
        ("pendulum-rod", 1, 1),
        ("double-pendulum-rods", 2, 2),
        ("dumbbell-on-rails", 1, 3),
        ("wire-freed", 1, 2),
        ("rolling-disc", 2, 2),
        ("chaplygin-sleigh", 2, 1),
        ("four-bar-linkage", 1, 2),
        ("chain-of-rods", 8, 8),
        ("rigid-body-rods", 6, 6),
        ("skate-on-incline-vakonomic", 2, 1),
        ("pendulum", 1, 0),
    ] {
        let model = gallery(name);
        let run = CompiledRun::new(&model, &Settings::of(&model)).unwrap();
        let found = run.constraints();
        assert_eq!((found.degrees_of_freedom, found.rank), (free, rank), "{name}");
        assert!(found.redundant.is_empty() && found.moved == 0.0, "{name}");
    }
}

/// The hoop's rolling can be integrated; those of disc, sleigh, skate and pursuit cannot.
#[test]
fn integrable_velocity_constraints_are_recognised() {
    for (name, integrable) in [
        ("hoop-on-incline", &["roll"][..]),
        ("rolling-disc", &[]),
        ("chaplygin-sleigh", &[]),
        ("knife-edge-rod", &[]),
        ("nonholonomic-particle", &[]),
        ("pursuit", &[]),
    ] {
        let model = gallery(name);
        let run = CompiledRun::new(&model, &Settings::of(&model)).unwrap();
        assert_eq!(run.constraints().integrable, integrable, "{name}");
    }
}

#[test]
fn the_same_rod_twice_has_the_right_total_reaction() {
    let (single, double) = (pendulum_with(""), pendulum_with("again = \"3*x^2 = 3*l^2 - 3*y^2\""));
    let settings = Settings::of(&double);
    let run = CompiledRun::new(&double, &settings).unwrap();
    assert_eq!(run.constraints().redundant, [("again".to_string(), vec!["rod".to_string()])]);
    assert_eq!((run.constraints().degrees_of_freedom, run.constraints().rank), (1, 1));
    let [single, double] = [&single, &double].map(|model| record(model, &Settings::of(model)));
    let names = ["x", "y", "reaction_x", "reaction_y"];
    for (a, b) in single.rows(names).iter().zip(double.rows(names)) {
        assert_eq!(*a, b);
    }
    let residual = double.outcome.residuals.iter().find(|(name, _)| name == "again").unwrap().1;
    assert!(residual < 1e-13, "{residual:e}");
}

/// Near its zero a logarithm is as small as the round-off of its argument: that is no contradiction.
#[test]
fn the_same_rod_by_a_logarithm_follows_from_it() {
    for again in ["log((x^2 + y^2)/l^2) = 0", "asin((x^2 + y^2)/l^2 - 1) = 0", "exp(x^2 + y^2) = exp(l^2)"] {
        let double = pendulum_with(&format!("again = \"{again}\""));
        let run = CompiledRun::new(&double, &Settings::of(&double)).unwrap_or_else(|e| panic!("{again}: {e}"));
        assert_eq!(run.constraints().redundant, [("again".to_string(), vec!["rod".to_string()])], "{again}");
    }
    let other = pendulum_with("again = \"log((x^2 + y^2)/l^2) = 1e-7*t\"");
    let refused = refusal(&other);
    assert!(
        matches!(refused, ConstraintError::OnlyAtStart { .. } | ConstraintError::Contradictory { .. }),
        "{refused}"
    );
}

/// A dependence that is no combination of two: a square frame of four rods with both diagonals.
#[test]
fn one_of_six_rods_in_the_plane_is_redundant() {
    let frame = model(
        r#"
        coordinates.x = { start = [0.0, 1.0, 1.0, 0.0], velocity = [0.3, 0.3, -0.7, -0.7] }
        coordinates.y = { start = [0.0, 0.0, 1.0, 1.0], velocity = [0.0, 1.0, 1.0, 0.0] }
        dynamics.lagrangian = "sum(i, 1, 4, i*(x[i]'^2 + y[i]'^2)/2)"
        constraints.a = "(x[1] - x[2])^2 + (y[1] - y[2])^2 = 1"
        constraints.b = "(x[2] - x[3])^2 + (y[2] - y[3])^2 = 1"
        constraints.c = "(x[3] - x[4])^2 + (y[3] - y[4])^2 = 1"
        constraints.d = "(x[4] - x[1])^2 + (y[4] - y[1])^2 = 1"
        constraints.e = "(x[1] - x[3])^2 + (y[1] - y[3])^2 = 2"
        constraints.f = "(x[2] - x[4])^2 + (y[2] - y[4])^2 = 2"
        simulation = { step = 0.01, until = 2.0 }
        "#,
    );
    let run = CompiledRun::new(&frame, &Settings::of(&frame)).unwrap();
    let structure = run.constraints();
    assert_eq!((structure.degrees_of_freedom, structure.rank), (3, 5));
    let others = ["a", "b", "c", "d", "e"].map(str::to_string).to_vec();
    assert_eq!(structure.redundant, [("f".to_string(), others)]);
    let run = record(&frame, &Settings::of(&frame));
    assert!(run.outcome.residuals.iter().all(|(_, residual)| *residual < 1e-12), "{:?}", run.outcome.residuals);
    // A body in the plane without forces: its centre moves straight, with the momentum over the mass, (-1.9 − ...)/10.
    let momentum: f64 = [0.3, 0.6, -2.1, -2.8].iter().sum();
    let centre = (1..=4).map(|i| f64::from(i) * run.last(&format!("x[{i}]"))).sum::<f64>() / 10.0;
    assert!((centre - (0.5 + 2.0 * momentum / 10.0)).abs() < 1e-12, "{centre}");
}

#[test]
fn contradictory_constraints_are_named() {
    match refusal(&pendulum_with("longer = \"x^2 + y^2 = 4*l^2\"")) {
        ConstraintError::Contradictory { constraint, others, residual } => {
            assert_eq!((constraint.as_str(), others), ("longer", vec!["rod".to_string()]));
            assert!((residual + 3.0).abs() < 1e-9, "{residual}");
        }
        other => panic!("{other}"),
    }
}

/// Two drives that agree at the start, in position and in velocity, and nowhere else.
#[test]
fn drives_that_agree_only_at_the_start_contradict_each_other() {
    let driven = |more: &str| {
        model(&format!(
            r#"
            [coordinates]
            x = {{ start = 0.0, velocity = 1.0 }}
            y = {{ start = 0.0, velocity = 1.0 }}
            [dynamics]
            lagrangian = "(x'^2 + y'^2 - y^2)/2"
            [constraints]
            drive = "x = sin(t)"
            {more}
            [simulation]
            step = 0.1
            until = 1.0
            "#
        ))
    };
    let others = vec!["drive".to_string()];
    assert_eq!(
        refusal(&driven("other = \"x = t\"")),
        ConstraintError::OnlyAtStart { constraint: "other".to_string(), others: others.clone() }
    );
    let same = driven("other = \"x' = cos(t)\"");
    let run = CompiledRun::new(&same, &Settings::of(&same)).unwrap();
    assert_eq!(run.constraints().redundant, [("other".to_string(), others)]);
}

#[test]
fn an_inconsistent_start_is_named_with_its_residuals() {
    let text = extremal_engine::gallery::text("pendulum-rod").unwrap();
    let off = text.replace("x = { start = \"l*cos(phi0)\"", "x = { start = \"l*cos(phi0) + 0.1\"");
    let ConstraintError::Inconsistent(violations) = refusal(&model(&off)) else { panic!("another refusal") };
    // (cos φ + 0.1)² + sin² φ − 1, and 2 · 0.1 x' with x' = −0.5 sin φ.
    let expected = [(true, 0.2 * 1.2f64.cos() + 0.01), (false, -0.1 * 1.2f64.sin())];
    assert_eq!(violations.len(), 2);
    for (violation, (of_position, residual)) in violations.iter().zip(expected) {
        assert_eq!((violation.constraint.as_str(), violation.of_position), ("rod", of_position));
        assert!((violation.residual - residual).abs() < 1e-14, "{violation:?}");
    }
}

#[test]
fn a_constraint_without_a_gradient_is_refused() {
    let flat = model(
        r#"
        coordinates = { x = 0.0, y = { start = 0.0, velocity = 1.0 } }
        dynamics.lagrangian = "(x'^2 + y'^2)/2"
        constraints.line = "x^2 = 0"
        simulation = { step = 0.1, until = 1.0 }
        "#,
    );
    assert_eq!(refusal(&flat), ConstraintError::Vanishing { constraint: "line".to_string() });
}

/// A parallelogram whose links are all equal: flat, its rods are dependent and the motion could go on in two ways.
fn rhombus(angle: f64, turn: f64) -> Model {
    model(&format!(
        r#"
        parameters = {{ th0 = {angle}, w0 = {turn} }}
        coordinates.x = {{ start = "cos(th0)", velocity = "-w0*sin(th0)" }}
        coordinates.y = {{ start = "sin(th0)", velocity = "w0*cos(th0)" }}
        coordinates.u = {{ start = "1 + cos(th0)", velocity = "-w0*sin(th0)" }}
        coordinates.w = {{ start = "sin(th0)", velocity = "w0*cos(th0)" }}
        dynamics.lagrangian = "(x'^2 + y'^2 + u'^2 + w'^2)/2"
        constraints.crank = "x^2 + y^2 = 1"
        constraints.rocker = "(u - 1)^2 + w^2 = 1"
        constraints.coupler = "(u - x)^2 + (w - y)^2 = 1"
        simulation = {{ step = 0.01, until = 3.0 }}
        "#
    ))
}

/// The crank turns evenly from 1 with 2 and would be flat at t = (π − 1)/2 = 1.0708. Every run must stop before or in the
/// step that reaches it, and what it recorded until then is the parallelogram's motion.
#[test]
fn a_singular_configuration_stops_the_run() {
    let linkage = rhombus(1.0, 2.0);
    let flat = (std::f64::consts::PI - 1.0) / 2.0;
    let methods = ["midpoint", "trapezoidal", "galerkin(2, lobatto(3))", "compose(suzuki4, midpoint)", "rk4", "dop853"];
    for method in methods {
        for step in [0.001, 0.01, 0.05] {
            let run = attempt(&linkage, &with(&linkage, method, step));
            let failure = run.failure(&format!("{method}, {step}"));
            assert!(is_singular(&failure.reason), "{method}, {step}: {failure}");
            assert!((run.outcome.time - flat).abs() < 2.0 * step, "{method}, {step}: {}", run.outcome.time);
            for [t, x, y, u, w] in run.rows(["t", "x", "y", "u", "w"]) {
                let (s, c) = (1.0 + 2.0 * t).sin_cos();
                // The midpoint rule turns by 2 arcsin(h) ... per step: a relative error of (2h)²/24 in the angle, up to 2e-3.
                assert!(distance(&[x, y, u, w], &[c, s, 1.0 + c, s]) < 5e-3, "{method}, {step}: at {t}");
            }
        }
    }
}

fn is_singular(reason: &Reason) -> bool {
    matches!(reason, Reason::SingularConfiguration { .. } | Reason::BeforeSingularConfiguration { .. })
}

/// In angles the rows of a parallelogram do not become parallel where it is flat: one of them vanishes. No run may get past that,
/// however far its steps reach, for behind it there are two motions, parallel and crossed.
#[test]
fn a_vanishing_row_stops_the_run() {
    for (speed, method, step) in ["midpoint", "trapezoidal", "compose(suzuki4, midpoint)", "rk4", "dop853"]
        .iter()
        .flat_map(|method| [(8.0, method, 0.03), (8.0, method, 0.013), (8.0, method, 0.002), (20.0, method, 0.013)])
    {
        let linkage = model(&format!(
            r#"
            coordinates.theta = {{ start = 1, velocity = {speed} }}
            coordinates.psi = {{ start = 0 }}
            coordinates.chi = {{ start = 1, velocity = {speed} }}
            dynamics.lagrangian = "theta'^2/6 + (theta'^2 + psi'^2/3 + theta'*psi'*cos(theta - psi))/2 + chi'^2/6 - sin(theta) - sin(chi)"
            constraints.loop_x = "0.6*cos(theta) + cos(psi) = 1 + 0.6*cos(chi)"
            constraints.loop_y = "0.6*sin(theta) + sin(psi) = 0.6*sin(chi)"
            simulation = {{ method = "midpoint", step = 0.01, until = 2 }}
            "#
        ));
        let run = attempt(&linkage, &with(&linkage, method, step));
        let failure = run.failure(&format!("{method}, {step}"));
        assert!(is_singular(&failure.reason), "{method}, {step}: {failure}");
        let last = run.last("theta");
        // Stopped in the step before the flat position or in the one that would have reached it.
        let pi = std::f64::consts::PI;
        assert!(last < pi && pi - last < 2.5 * speed * step, "{method}, {step}: {last}");
        assert!((last - run.last("chi")).abs() < 1e-9 && run.last("psi").abs() < 1e-9, "{method}, {step}");
    }
}

#[test]
fn a_start_at_a_singular_configuration_is_refused() {
    let linkage = rhombus(std::f64::consts::PI, 2.0);
    match refusal(&linkage) {
        ConstraintError::SingularStart { constraint, others } => {
            assert_eq!(constraint, "coupler");
            assert_eq!(others, ["crank", "rocker"]);
        }
        other => panic!("{other}"),
    }
}

/// Both forms have the same positions: in exact arithmetic the same, and here up to round-off that the motion amplifies.
#[test]
fn shake_and_rattle_have_the_same_positions() {
    for name in ["pendulum-rod", "spherical-pendulum-rod", "rolling-disc", "chain-of-rods", "wire-phi-freed"] {
        let model = gallery(name);
        let [rattle, shake] = [ConstraintForm::Rattle, ConstraintForm::Shake].map(|constraints| {
            let run = record(&model, &Settings { constraints, ..Settings::of(&model) });
            model.coordinates().iter().map(|c| run.column(&c.name)).collect::<Vec<_>>().concat()
        });
        let apart = distance(&rattle, &shake);
        assert!(apart < 1e-10, "{name}: {apart:e}");
    }
}

/// What has no formula is refused by name.
#[test]
fn methods_without_a_formula_are_refused() {
    for (name, method, words) in [
        ("skate-on-incline-vakonomic", "energy-entropy", "is not defined under vakonomic constraints such as `blade`"),
        ("rolling-disc", "galerkin(2, lobatto(3))", "is not defined under nonholonomic constraints such as `roll_x`"),
        ("skate-on-incline-vakonomic", "galerkin(2)", "is not defined under vakonomic constraints such as `blade`"),
    ] {
        let model = gallery(name);
        let refused =
            CompiledRun::new(&model, &with(&model, method, 0.1)).err().unwrap_or_else(|| panic!("{name}, {method}"));
        assert!(refused.to_string().contains(words), "{refused}");
    }
}

/// A coordinate without mass that is bound to others changes nothing: a pendulum whose rod is stated by its middle.
#[test]
fn a_massless_coordinate_may_be_bound() {
    let pendulum = model(
        r#"
        coordinates.u = { start = 1.0 }
        coordinates.w = { start = 0.0 }
        dynamics.lagrangian = "(u'^2 + w'^2)/2 - 9.81*w"
        constraints.rod = "u^2 + w^2 = 1"
        "#,
    );
    let with_middle = model(
        r#"
        parameters.m = 0.0
        coordinates.u = { start = 1.0 }
        coordinates.w = { start = 0.0 }
        coordinates.x = { start = 0.5 }
        coordinates.y = { start = 0.0 }
        dynamics.lagrangian = "(u'^2 + w'^2)/2 - 9.81*w + m*(x'^2 + y'^2)/2"
        constraints.across = "u = 2*x"
        constraints.along = "w = 2*y"
        constraints.rod = "4*x^2 + 4*y^2 = 1"
        "#,
    );
    for method in ["midpoint", "trapezoidal"] {
        let [alone, bound] =
            [&pendulum, &with_middle].map(|model| record(model, &with(model, method, 0.01).until(1.0)).column("u"));
        // The same positions by other equations: some roundings for each of a hundred steps.
        assert!(distance(&alone, &bound) < 1e-12, "{method}: {:e}", distance(&alone, &bound));
    }
}
