//! What a model file means, against formulas written out by hand.

use extremal_model::{Code, Direction, Extent, Method, Model, Overrides, ParameterError, Start};
use extremal_testkit::models::{model, text_of, value_at};
use extremal_testkit::numbers::assert_close;

const EVERYTHING: &str = include_str!("good/everything.toml");

#[test]
fn primes_of_definitions_follow_the_chain_rule() {
    let model = model(
        r#"
        parameters = { l = 1.5, g = 9.81 }
        coordinates.q = 0.3
        definitions = { x = "l*sin(q) + t^2", y = "-l*cos(q)", a = "x''" }
        dynamics.lagrangian = "(x'^2 + y'^2)/2 - g*y"
        invariants.speed = "x'"
        "#,
    );
    let (l, g, q, v, w, t) = (1.5, 9.81, 0.7f64, -1.3f64, 0.4, 2.0);
    let point = [("q", q), ("q'", v), ("q''", w), ("t", t)];
    let (vx, vy) = (l * q.cos() * v + 2.0 * t, l * q.sin() * v);
    let expected = (vx * vx + vy * vy) / 2.0 + g * l * q.cos();
    assert_close(value_at(&model, model.lagrangian(), &point), expected, 20.0);
    let acceleration = model.definitions().iter().find(|d| d.name == "a").unwrap();
    let expected = l * (q.cos() * w - q.sin() * v * v) + 2.0;
    assert_close(value_at(&model, model.graph().expr(acceleration.expression), &point), expected, 4.0);
    assert_close(value_at(&model, model.graph().expr(model.invariants()[0].expression), &point), vx, 6.0);
    let unused: Vec<Code> = model.warnings().iter().map(|warning| warning.code).collect();
    assert_eq!(unused, [Code::UnusedDefinition], "only `a` is unused");
}

#[test]
fn every_table_is_understood() {
    let model = model(EVERYTHING);
    let names: Vec<&str> = model.coordinates().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["x[1]", "x[2]", "x[3]", "θ", "z", "y[1]", "y[2]"]);
    let w = (4.0 * std::f64::consts::PI.powi(2) / 6.0).sqrt();
    let initial = model.initial();
    for (found, expected) in initial.positions.iter().zip([0.1, 0.2, 0.3, 0.5, 1.0, 0.5, 1.0]) {
        assert_close(*found, expected, 1.0);
    }
    for (found, expected) in initial.velocities.iter().zip([0.0, w, -1.0, 0.0, w, 0.0, 0.0]) {
        assert_close(*found, expected, 3.0);
    }
    assert_eq!(initial.second, None, "only `z` has a second position");

    let point = [
        ("x[1]", 0.2),
        ("x[2]", -0.4),
        ("x[3]", 1.1),
        ("x[1]'", 0.5),
        ("x[2]'", -0.6),
        ("x[3]'", 0.7),
        ("θ", 0.3),
        ("θ'", 1.2),
        ("z", 2.0),
        ("z'", -0.8),
        ("y[1]'", 0.9),
        ("y[2]'", 1.4),
        ("t", 5.0),
    ];
    let height_rate = 0.01 * 0.3f64.cos() - 2.05 * 0.3f64.sin() * 1.2;
    let kinetic = 0.125 + 0.36 + 1.5 * 0.49 + height_rate * height_rate / 2.0 + 0.32 + (0.81 + 1.96) / 2.0;
    let potential = 2.0 * std::f64::consts::PI.powi(2) * 0.9f64.powi(2) + (-0.4 * 1.1) - 0.2;
    assert_close(value_at(&model, model.lagrangian(), &point), kinetic - potential, 20.0);

    let forces: Vec<f64> = model.forces().iter().map(|force| value_at(&model, *force, &point)).collect();
    let expected = [1.0 - 0.005, 2.0 + 0.006, 3.0 - 0.007, 0.0, 1.0, 0.0, 5f64.sin()];
    forces.iter().zip(expected).for_each(|(found, expected)| assert_close(*found, expected, 4.0));
    let friction: Vec<String> = model.friction().iter().map(|force| force.to_string()).collect();
    assert_eq!(friction, ["-x[1]'", "0", "-x[3]'", "0", "0", "-c*y[1]'", "-c*y[2]'"]);

    assert_eq!(model.symmetries()[0].generator.iter().map(|g| text_of(&model, *g)).collect::<String>(), "1110000");
    assert_eq!(model.exact().iter().map(|exact| exact.coordinate).collect::<Vec<_>>(), [4]);
    assert_eq!(model.expected()[0].time, Some(1.0));
    assert_eq!(model.expected()[0].values.len(), 6);
    assert_eq!(model.stops()[1].direction, Direction::Rising);
    let simulation = model.simulation();
    assert_eq!(simulation.method, "compose(yoshida4, midpoint)".parse::<Method>().unwrap());
    assert_eq!(simulation.extent, Some(Extent::Until(2.0 * std::f64::consts::PI)));
    assert_eq!((simulation.record, simulation.tolerance), (Some(10), Some(1e-12)));
    assert_eq!(simulation.start, Start::Legendre);

    let discrete = model.discrete().unwrap();
    assert_eq!(text_of(&model, discrete.ends.before[1]), "x_0[2]");
    assert_eq!(text_of(&model, discrete.ends.after[4]), "z_1");
    assert_eq!(text_of(&model, discrete.force_plus[0]), "h");
    assert_eq!(text_of(&model, discrete.force_minus[2]), "-h*x_0[3]");
}

#[test]
fn exact_values_survive_decimals_and_expressions() {
    let model = model(
        r#"
        parameters = { a = 0.1, b = "3*a", c = "pi*a" }
        coordinates.x = 0.0
        dynamics.lagrangian = "a*x'^2 + b + c"
        "#,
    );
    let exact: Vec<Option<String>> =
        model.parameters().iter().map(|p| p.exact.as_ref().map(|e| e.to_string())).collect();
    assert_eq!(exact, [Some("1/10".to_owned()), Some("3/10".to_owned()), None]);
    assert_eq!(model.parameter_values(), [0.1, 3.0 * 0.1, std::f64::consts::PI * 0.1]);
}

#[test]
fn parameters_change_and_what_depends_on_them_follows() {
    let mut model = model(
        r#"
        parameters = { n = 2, k = 4.0, w = "sqrt(k)", size = "n + 1" }
        coordinates.x = { count = "size", start = "w*i", domain = "x[i] < 20" }
        dynamics.lagrangian = "sum(i, 1, n + 1, x[i]'^2/2 - k*x[i]^2/2)"
        simulation = { step = "1/w", until = "k - 1" }
        "#,
    );
    let lagrangian = model.lagrangian().id();
    model.set_parameter("k", 9.0).unwrap();
    assert_eq!(model.lagrangian().id(), lagrangian, "nothing is derived again");
    assert_eq!(model.initial().positions, [3.0, 6.0, 9.0]);
    assert_eq!(model.simulation().step, Some(1.0 / 3.0));
    assert_eq!(model.simulation().extent, Some(Extent::Until(8.0)));

    let error = |result: Result<(), ParameterError>| result.unwrap_err().to_string();
    assert_eq!(error(model.set_parameter("K", 1.0)), "the model has no parameter `K`; did you mean `k`?");
    for fixed in ["n", "size"] {
        assert!(matches!(model.set_parameter(fixed, 3.0), Err(ParameterError::Structural { .. })));
    }
    assert_eq!(error(model.set_parameter("k", -1.0)), "with k = -1, the parameter `w` is not finite");
    assert_eq!(error(model.set_parameter("k", f64::NAN)), "with k = NaN, the parameter `k` is not finite");
    assert_eq!(error(model.set_parameter("k", 0.0)), "with k = 0, the step is not finite");
    assert_eq!(error(model.set_parameter("k", 0.5)), "with k = 0.5, the final time is not positive");
    assert_eq!(error(model.set_parameter("k", 100.0)), "with k = 100, `x[2]` starts outside its domain");
    assert_eq!(model.initial().positions, [3.0, 6.0, 9.0], "a refused change changes nothing");
    model.set_parameter("w", 1.0).unwrap();
    model.set_parameter("k", 16.0).unwrap();
    assert_eq!(model.initial().positions, [1.0, 2.0, 3.0], "a value that was set no longer follows its expression");

    // Either of these alone would make no sense with the other as it was.
    let both = model.set_parameters(&[("w", 1.0), ("k", 0.5)]);
    assert_eq!(error(both), "with w = 1, k = 0.5, the final time is not positive");
    model.set_parameters(&[("w", 2.0), ("k", 4.0)]).unwrap();
    assert_eq!((model.initial().positions, model.simulation().step), (vec![2.0, 4.0, 6.0], Some(0.5)));
    assert!(matches!(model.set_parameters(&[("k", 9.0), ("n", 3.0)]), Err(ParameterError::Structural { .. })));
    assert_eq!(model.parameter_values()[1], 4.0, "a refused change changes nothing");
}

#[test]
fn second_positions_follow_the_step_of_the_run() {
    let mut model = model(
        r#"
        parameters.w = 2.0
        coordinates.x = { start = 0.0, velocity = "w", second = "sin(w*h)/sqrt(w - 1)" }
        coordinates.y = { start = 1.0, second = "w" }
        dynamics.lagrangian = "x'^2/2 + y'^2/2 - w^2*x^2/2"
        simulation = { start = "two-points", step = 0.1 }
        "#,
    );
    assert_eq!(model.initial().second, None, "which step the run has is not known");
    assert_eq!(model.initial_with_step(0.25).second, Some(vec![0.5f64.sin(), 2.0]));
    let refused = model.set_parameter("w", 0.5).unwrap_err();
    assert_eq!(refused.to_string(), "with w = 0.5, the second position of `x` is not finite");
    model.set_parameter("w", 5.0).unwrap();
    assert_eq!(model.initial_with_step(0.1).second, Some(vec![0.5f64.sin() / 2.0, 5.0]));
}

#[test]
fn overrides_reach_counts_and_are_checked_like_the_file() {
    let set = |name: &str, value: &str| Model::load(EVERYTHING, &Overrides::default().set(name, value));
    let model = set("m[2]", "pi/2").unwrap();
    assert_eq!(model.parameters().iter().find(|p| p.name == "m[2]").unwrap().value, std::f64::consts::FRAC_PI_2);
    let model = Model::load(EVERYTHING, &Overrides::default().set("c", 0.5)).unwrap();
    assert_eq!(model.initial().positions.len(), 7);

    let shown = |name, value| set(name, value).unwrap_err().render("everything.toml", false);
    insta::assert_snapshot!("override-unknown", shown("gamma", "1"));
    insta::assert_snapshot!("override-invalid", shown("c", "2x"));
    insta::assert_snapshot!("override-not-finite", shown("m0", "-1"));
    insta::assert_snapshot!("override-list", shown("m", "1"));
}
