//! What a run makes of a model that is a boundary problem, or has accelerations.

use extremal_engine::derive::{Form, derive};
use extremal_engine::{CompiledRun, Settings};

use extremal_testkit::models::model;
use extremal_testkit::runs::attempt_text;

const DRIVEN: &str = r#"
    coordinates.y = { velocity = 1.0 }
    dynamics.lagrangian = "y'^2/2"
    forces.y = "x + u"
    controls.u = { min = -1, max = 1 }
    objective.running = "u^2"
    boundary = { independent = "x", to = 1, start = { y = 2 } }
    simulation = { method = "dop853", step = 0.5, until = 1 }
"#;

#[test]
fn a_boundary_problem_runs_from_its_start_without_its_controls() {
    let run = attempt_text(DRIVEN);
    // y'' = x; the tolerance is that of the method, on numbers of order 1.
    assert!((run.last("y") - (2.0 + 1.0 + 1.0 / 6.0)).abs() < 1e-11, "{}", run.last("y"));
}

#[test]
fn a_boundary_problem_with_an_open_start_is_refused() {
    let open = model(&DRIVEN.replace("start = { y = 2 }", "end = { y = 2 }"));
    let refused = CompiledRun::new(&open, &Settings::of(&open)).err().map(|error| error.to_string());
    assert_eq!(refused.as_deref(), Some("the model is a boundary problem and does not say where `y` starts"));
}

#[test]
fn accelerations_are_never_left_out_of_the_equations() {
    let text = r#"
        coordinates.x = { start = 1.0, acceleration = -1.0 }
        dynamics.lagrangian = "x''^2/2 + x'^2/2"
        simulation = { method = "hermite", step = 0.1, until = 1 }
    "#;
    let model = model(text);
    let mut settings = Settings::of(&model);
    for method in ["midpoint", "rk4", "gauss(2)"] {
        settings.method = method.parse().unwrap();
        let refused = CompiledRun::new(&model, &settings).err().map(|error| error.to_string());
        let expected = format!(
            "`{}` is not defined for a Lagrangian with accelerations: use `hermite`, `difference`, `dop853`, `dopri5` or `custom`",
            settings.method
        );
        assert_eq!(refused, Some(expected.clone()));
        assert_eq!(derive(&model, &settings, &[Form::Discrete]).err().map(|error| error.to_string()), Some(expected));
    }
}
