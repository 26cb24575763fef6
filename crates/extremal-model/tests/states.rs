//! What `[states]` means, and what is said of mistakes in it.

use extremal_model::{Component, Model};
use extremal_testkit::models::{model, text_of, value_at};

#[test]
fn rates_starts_and_families_are_understood() {
    let model = model(
        r#"
        [parameters]
        n = 3
        [coordinates]
        q = 1.0
        [entropies]
        S = 0.5
        [states]
        x = { start = [1, 2], rate = ["-x[1]", "x[1] - u*x[2]"] }
        y = { count = "n", start = "i/2", rate = "i*y[i] + q' + S" }
        [definitions]
        load = "x[1]^2"
        [dynamics]
        lagrangian = "q'^2/2 - exp(S) - load*q"
        [controls]
        u = {}
        [objective]
        running = "u^2"
        [boundary]
        duration = 1
        start = { q = 1, "q'" = 0, x = [0, 1] }
        end = { "y[2]" = 3 }
        guess = { "x[2]" = "t" }
    "#,
    );
    let names: Vec<&str> = model.states().iter().map(|state| state.name.as_str()).collect();
    assert_eq!(names, ["x[1]", "x[2]", "y[1]", "y[2]", "y[3]"]);
    assert_eq!(model.carried_names(), ["S", "x[1]", "x[2]", "y[1]", "y[2]", "y[3]"]);
    assert_eq!(model.initial().entropies, [0.5, 1.0, 2.0, 0.5, 1.0, 1.5]);
    let graph = model.graph();
    let point = [("x[1]", 2.0), ("x[2]", 3.0), ("u", 5.0), ("y[2]", 7.0), ("q'", 11.0), ("S", 13.0)];
    let rates = |controlled: bool| -> Vec<f64> {
        let of = |at: usize| if controlled { model.states()[at].controlled_rate } else { model.states()[at].rate };
        [0, 1, 3].map(|at| value_at(&model, graph.expr(of(at)), &point)).to_vec()
    };
    assert_eq!(rates(true), [-2.0, 2.0 - 15.0, 14.0 + 24.0]);
    assert_eq!(rates(false), [-2.0, 2.0, 14.0 + 24.0]);
    assert_eq!(text_of(&model, model.lagrangian().id()), "q'^2/2 - q*x[1]^2 - exp(S)");
    let boundary = model.boundary().unwrap();
    assert_eq!(boundary.end[0].component, Component::State(3));
    assert_eq!(model.component_name(boundary.end[0].component), "y[2]");
    // Places count coordinates, entropies, states.
    assert!(boundary.guess.iter().position(Option::is_some) == Some(2 + 1));
}

#[test]
fn states_alone_need_no_lagrangian_and_may_start_where_the_boundary_says() {
    let model = model(
        "states = { x = { rate = \"1\" }, y = { rate = \"x\" } }\nboundary = { duration = 1, start = { x = 2 } }",
    );
    assert!(model.lagrangian().is_zero());
    assert_eq!(model.without_start(), Some("y"));
    assert!(model.initial().entropies[0] == 2.0 && model.initial().entropies[1].is_nan());
}

fn messages(text: &str) -> String {
    let Err(invalid) = Model::from_toml(text) else { panic!("no mistake in {text}") };
    invalid.render("test", false)
}

#[test]
fn mistakes_are_named_with_what_to_write_instead() {
    let cases: &[(&str, &[&str])] = &[
        ("states.x = { start = 1 }", &["the state `x` has no rate", "x = { start = 0.0, rate = \"...\" } is x' = ..."]),
        ("states.x = { rate = \"-x\" }", &["the state `x` has no start"]),
        ("states.x = { start = 1, rat = \"-x\" }", &["did you mean `rate`?"]),
        ("states.x = { start = 1, rate = \"-x'\" }", &["`x'` cannot be used: it is the rate of a state"]),
        ("states.x = { start = 1, rate = \"-z\" }", &["unknown name"]),
        ("state.x = { start = 1, rate = \"-x\" }", &["a model file has no table [state]", "did you mean `states`?"]),
        ("states.x = { start = \"1/0\", rate = \"-x\" }", &["x"]),
        (
            "states.x = { start = 1, rate = \"-x\" }\ncontrols.u = {}\nobjective.running = \"u^2\"\nboundary = { duration = 1 }",
            &["the control `u` acts on nothing", "in the rate of a state"],
        ),
        ("states.x = { start = 1, rate = \"-x\" }\ncoordinates.x = 1\ndynamics.lagrangian = \"x'^2\"", &["x"]),
        (
            "states.x = { start = 1, rate = \"u\" }\ncontrols.u = {}\nboundary = { duration = 1, periodic = true }\nobjective.running = \"u^2\"",
            &["a motion with states cannot be periodic"],
        ),
        (
            "states.x = { rate = \"u\" }\ncontrols.u = {}\nboundary = { duration = 1, second = { x = 1 } }\nobjective.running = \"u^2\"",
            &["`x` cannot stand in [boundary] second", "leaves one value open"],
        ),
        (
            "states.x = { rate = \"u\" }\ncontrols.u = {}\nboundary = { duration = 1, start = { \"x'\" = 1 } }\nobjective.running = \"u^2\"",
            &["the rate of a state is what [states] says"],
        ),
        ("coordinates.q = 1\nstates.x = { start = 1, rate = \"-x\" }", &["the model has no Lagrangian"]),
        (
            "coordinates.q = 1\nstates.x = { start = 1, rate = \"-x\" }\ndynamics.lagrangian = \"q'^2 - x*q\"\nconstraints.c = \"q = x\"",
            &["`x` cannot be used in a constraint"],
        ),
    ];
    for (text, expected) in cases {
        let found = messages(text);
        for line in *expected {
            assert!(found.contains(line), "{line} is not said of {text}:\n{found}");
        }
    }
}
