//! What the tables of controls, objective and boundary mean, against what was written.

use extremal_expr::{Expr, Id};
use extremal_model::{BoundaryDuration, Component, FixedValue, Method, Model, Overrides, ParameterError};
use extremal_testkit::models::{self, model, text_of, value_at};
use extremal_testkit::numbers::assert_close;

const CONTROL: &str = include_str!("good/control.toml");
const CURVE: &str = include_str!("good/curve.toml");

fn values(model: &Model, fixed: &[FixedValue]) -> Vec<(String, f64)> {
    fixed.iter().map(|fixed| (model.component_name(fixed.component), model.number(fixed.value))).collect()
}

fn named(pairs: &[(&str, f64)]) -> Vec<(String, f64)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

#[test]
fn controls_act_as_they_are_stated() {
    let model = model(CONTROL);
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    let names: Vec<&str> = model.controls().iter().map(|control| control.name.as_str()).collect();
    assert_eq!(names, ["u", "both", "torque", "pair[1]", "pair[2]", "wind", "thrust", "steer"]);
    let gains = |place: usize| -> Vec<(usize, String)> {
        model.controls()[place].gains.iter().map(|(on, gain)| (*on, text_of(&model, *gain))).collect()
    };
    let gain = |on: usize, gain: &str| (on, gain.to_owned());
    assert_eq!(gains(0), [gain(0, "1")]);
    assert_eq!(gains(1), [gain(0, "1"), gain(2, "1")]);
    assert_eq!(gains(2), [gain(1, "l*x'*cos(θ)"), gain(0, "2")]);
    assert_eq!(gains(4), [gain(3, "2"), gain(0, "1")]);
    assert!(gains(5).is_empty());
    let bounds = |place: usize| {
        let control = &model.controls()[place];
        [control.min, control.max].map(|bound| bound.map(|bound| model.number(bound)))
    };
    assert_eq!(bounds(0), [None, None]);
    assert_eq!(bounds(2), [Some(-20.0), Some(20.0)]);
    assert_eq!((bounds(3), bounds(4)), ([None, Some(1.0)], [None, Some(20.0)]));

    let point = [
        ("t", 0.3),
        ("θ", 0.4),
        ("x'", 1.5),
        ("u", 0.7),
        ("both", -0.2),
        ("torque", 3.0),
        ("pair[1]", 5.0),
        ("pair[2]", 7.0),
        ("wind", 1.1),
        ("thrust", 2.0),
        ("steer", 0.6),
    ];
    let [on_x, on_theta, on_y1, on_y2] =
        [0, 1, 2, 3].map(|place| value_at(&model, model.controlled_forces()[place], &point));
    assert_close(on_x, 0.3f64.sin() + 1.21 + 0.7 - 0.2 + 2.0 * 3.0 + 5.0 + 7.0, 20.0);
    assert_close(on_theta, 0.5 * 0.4f64.cos() * 1.5 * 3.0, 3.0);
    assert_close(on_y1, 2.0 * 0.6f64.sin() - 0.2 + 5.0, 7.0);
    assert_close(on_y2, 2.0 * 0.6f64.sin() + 2.0 * 7.0, 16.0);
    let free: Vec<String> = model.forces().iter().map(Expr::to_string).collect();
    assert_eq!(free, ["sin(t)", "0", "0", "0"]);
    let objective = model.objective().unwrap();
    let running = model.graph().expr(objective.running.unwrap());
    let with_entropy: Vec<_> = point.iter().copied().chain([("S", 4.0)]).collect();
    assert_close(value_at(&model, running, &with_entropy), 0.49 + 25.0 + 49.0 + 0.04 + 9.0 + 4.0 + 0.3, 100.0);
    assert_eq!(text_of(&model, objective.terminal.unwrap()), "x'^2 + S + t");
}

#[test]
fn ends_bounds_and_guesses_follow_the_file() {
    let model = model(CONTROL);
    let boundary = model.boundary().unwrap();
    let BoundaryDuration::Free { min, max, guess } = boundary.duration else { panic!("{:?}", boundary.duration) };
    let numbers = [boundary.from, min.unwrap(), max.unwrap(), guess].map(|id| model.number(id));
    assert_eq!(numbers, [1.0, 0.5, 4.0, 2.25]);
    assert_eq!(boundary.steps, 50);
    let half_circle = std::f64::consts::PI;
    let start = [("x", 0.0), ("x'", 1.0), ("θ", half_circle), ("y[2]", -1.0)];
    assert_eq!(values(&model, &boundary.start), named(&start));
    let end = [("x", 1.0), ("y[1]", 1.0), ("y[2]", 2.0), ("y[1]'", 0.0), ("y[2]'", 2.0), ("S", 4.0)];
    assert_eq!(values(&model, &boundary.end), named(&end));
    let [first, second] = boundary.via.as_slice() else { panic!("{:?}", boundary.via) };
    assert_eq!((model.number(first.fraction), model.number(second.fraction)), (0.25, 0.5));
    assert_eq!(values(&model, &first.values), named(&[("x", 0.5), ("y[1]'", 0.0)]));
    let bound = |id: Option<Id>| id.map(|id| model.number(id));
    let path = boundary.path.iter().map(|b| (model.component_name(b.component), bound(b.min), bound(b.max)));
    let expected = [
        ("x", Some(-1.0), Some(20.0)),
        ("x'", None, Some(9.0)),
        ("y[1]", Some(-1.0), Some(3.0)),
        ("y[2]", Some(-2.0), Some(4.0)),
        ("S", None, Some(5.0)),
    ];
    assert_eq!(path.collect::<Vec<_>>(), expected.map(|(name, min, max)| (name.to_owned(), min, max)));
    assert_eq!(boundary.path[4].component, Component::Entropy(0));
    let work = &boundary.integrals[0];
    assert_eq!(
        (work.name.as_str(), text_of(&model, work.integrand), model.number(work.value)),
        ("work", "u*x'".into(), 6.0)
    );
    // Halfway through the guessed duration of 2.25, which begins at 1.
    let now = [("t", 1.0 + 2.25 / 2.0)];
    let guesses: Vec<f64> =
        boundary.guess[..4].iter().map(|guess| value_at(&model, model.graph().expr(guess.unwrap()), &now)).collect();
    for (guess, expected) in guesses.iter().zip([2.125 + 0.5, half_circle / 2.0, 0.5, 1.0]) {
        assert_close(*guess, expected, 8.0);
    }
    let torque = model.graph().expr(model.controls()[2].guess.unwrap());
    assert_close(value_at(&model, torque, &now), 1.0, 8.0);
    assert_eq!(text_of(&model, model.controls()[4].guess.unwrap()), "2*t");
    assert!(boundary.periodic.is_empty());
    assert_eq!(&model.source_text()[boundary.start[1].span.clone()], "\"x'\"");
}

#[test]
fn a_run_starts_where_the_tables_say() {
    let model = model(CONTROL);
    let initial = model.initial();
    // [coordinates] comes first, then [boundary]; `y[1]` has a start in neither.
    assert_eq!((initial.positions[0], initial.velocities[0]), (0.5, 1.0));
    assert_eq!((initial.positions[1], initial.positions[3]), (std::f64::consts::PI, -1.0));
    assert!(initial.positions[2].is_nan());
    assert_eq!(model.without_start(), Some("y[1]"));
    let started = models::model(&CONTROL.replace("\"y[2]\" = -1", "y = 2"));
    assert!(started.without_start().is_none());
    assert_eq!(started.initial().positions[2..], [2.0, 2.0]);
}

#[test]
fn a_curve_has_its_own_variable_and_order() {
    let model = model(CURVE);
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    assert_eq!((model.independent(), model.time().to_string()), ("x", "x".to_owned()));
    assert_eq!(model.order(), 3);
    assert_eq!(model.simulation().method, Method::Hermite);
    let point = [("x", 0.5), ("y", 9.0), ("y'", 2.0), ("y''", 3.0), ("z[1]''", 1.0), ("z[2]''", 2.0), ("z[3]''", 4.0)];
    let point: Vec<_> = point.into_iter().chain([("s'", 6.0)]).collect();
    assert_close(value_at(&model, model.lagrangian(), &point), 4.5 + 1.5 * 0.5 * 2.0 + 21.0 + 18.0, 60.0);
    assert_eq!(model.derivatives(3)[1].to_string(), "z[1]'''");
    let ride = &model.constraints()[0];
    assert_eq!(text_of(&model, ride.left), "x*y + z[1]'''");
    let boundary = model.boundary().unwrap();
    assert_eq!((model.number(boundary.from), model.number(boundary.duration.guess())), (-2.0, 4.0));
    assert_eq!(boundary.steps, 20);
    assert_eq!(boundary.periodic, [1, 2, 3, 4]);
    let end: Vec<Component> = boundary.end.iter().map(|fixed| fixed.component).collect();
    let component = |derivative| Component::Coordinate { place: 0, derivative };
    assert_eq!(end, [component(2), component(3)]);
    assert_eq!(boundary.via.iter().map(|via| model.number(via.fraction)).collect::<Vec<_>>(), [0.25, 0.5]);
    let guessed: Vec<bool> = boundary.guess.iter().map(Option::is_some).collect();
    assert_eq!(guessed, [true, false, true, false, false]);
    assert_eq!(text_of(&model, boundary.guess[0].unwrap()), "x^2 + 1");
}

#[test]
fn a_start_of_higher_order_has_all_its_derivatives() {
    let text = r#"
        parameters.a = -1.5
        coordinates.x = { start = 1.0, velocity = 2, acceleration = "a" }
        coordinates.y = { count = 2, start = "i", jerk = [3, "a"], crackle = "10*i" }
        dynamics.lagrangian = "x'''^2/2 + y[1]'''^2/2 + y[2]''^2/2"
        simulation.method = "hermite"
    "#;
    let mut model = model(text);
    assert_eq!(model.order(), 3);
    let initial = model.initial();
    assert_eq!((initial.positions, initial.velocities), (vec![1.0, 1.0, 2.0], vec![2.0, 0.0, 0.0]));
    assert_eq!(initial.higher, [[-1.5, 0.0, 0.0], [0.0, 3.0, -1.5], [0.0; 3], [0.0, 10.0, 20.0]]);
    model.set_parameter("a", 4.0).unwrap();
    assert_eq!(model.initial().higher[0][0], 4.0);
    assert_eq!(
        models::model("[coordinates]\nx = 1\n[dynamics]\nlagrangian = \"x'^2\"").initial().higher,
        Vec::<Vec<f64>>::new()
    );
}

#[test]
fn parameters_may_change_as_far_as_the_problem_makes_sense() {
    let mut model = model(CONTROL);
    let refused = |model: &mut Model, name: &str, value: f64| model.set_parameter(name, value).unwrap_err().to_string();
    assert_eq!(refused(&mut model, "reach", -3.0), "with reach = -3, `x` cannot be at least -1 and at most -3");
    assert_eq!(refused(&mut model, "T", -1.0), "with T = -1, the duration is -1.125; it must be positive");
    assert_eq!(
        refused(&mut model, "T", 10.0),
        "with T = 10, points in between must stand in the order in which they are passed"
    );
    assert_eq!(refused(&mut model, "T", 0.0), "with T = 0, the duration is 0; it must be positive");
    // Nothing has changed.
    assert_eq!(model.number(model.boundary().unwrap().duration.guess()), 2.25);
    model.set_parameter("T", 3.0).unwrap();
    assert_eq!(model.number(model.boundary().unwrap().duration.guess()), 3.375);
    let more = Model::load(CONTROL, &Overrides::default().set("n", 2).set("T", "3/2")).unwrap();
    assert!(more.expected().is_empty());
    let mut curve = models::model(CURVE);
    assert!(matches!(curve.set_parameter("N", 50.0), Err(ParameterError::Structural { .. })));
    assert_eq!(refused(&mut curve, "a", -2.0), "with a = -2, the duration is -4; it must be positive");
}

#[test]
fn an_end_may_lie_where_the_lagrangian_is_singular() {
    let text = r#"
        coordinates.y = { domain = "y > 0" }
        dynamics.lagrangian = "sqrt((1 + y'^2)/(2*9.81*y))"
        boundary = { independent = "x", to = 1, start = { y = 0 }, end = { y = 1 } }
    "#;
    let model = model(text);
    assert_eq!(model.initial().positions, [0.0]);
    assert_eq!((model.boundary().unwrap().steps, &model.simulation().method), (100, &Method::Midpoint));
    let message = Model::from_toml(&text.replace("{ domain", "{ start = 0, domain")).unwrap_err().to_string();
    assert_eq!(message, "`y` starts outside its domain");
}

#[test]
fn names_of_the_user_come_before_that_of_the_elapsed_part() {
    let text = |coordinate: &str, guess: &str| {
        format!(
            "[parameters]\ns = 7\n[coordinates]\n{coordinate} = {{}}\n[dynamics]\nlagrangian = \"s*{coordinate}'^2\"\n\
             [boundary]\nduration = 2\nguess = {{ {coordinate} = \"{guess}\" }}"
        )
    };
    let model = model(&text("x", "s*t"));
    assert_eq!(text_of(&model, model.boundary().unwrap().guess[0].unwrap()), "s*t");
    let model = models::model(&text("x", "s*t").replace("s = 7", "k = 7").replace("\"s*x", "\"k*x"));
    assert_eq!(text_of(&model, model.boundary().unwrap().guess[0].unwrap()), "t^2/2");
}

/// Problems of many kinds can be stated; what is not theirs to state is left out.
#[test]
fn well_known_problems_can_be_stated() {
    let elastica = model(
        r#"
        coordinates.th = {}
        dynamics.lagrangian = "th'^2/2"
        boundary.independent = "s"
        boundary.duration = 1
        boundary.start = { th = 0 }
        boundary.end = { th = 0 }
        boundary.integrals = { across = "cos(th) = 0.5", up = "sin(th) = 0" }
        boundary.guess = { th = "sin(2*pi*s)" }
        "#,
    );
    assert_eq!((elastica.independent(), elastica.boundary().unwrap().integrals.len()), ("s", 2));
    let heisenberg = model(
        r#"
        coordinates = { x = {}, y = {}, z = {} }
        dynamics.lagrangian = "(x'^2 + y'^2)/2"
        constraints.lift = { equation = "z' = (x*y' - y*x')/2", kind = "vakonomic" }
        boundary.duration = 1
        boundary.start = { x = 0, y = 0, z = 0 }
        boundary.end = { x = 0, y = 0, z = 1 }
        boundary.guess = { x = "sin(2*pi*s)", y = "1 - cos(2*pi*s)" }
        "#,
    );
    assert_eq!((heisenberg.order(), heisenberg.constraints().len()), (1, 1));
    let choreography = model(
        r#"
        coordinates = { x = { count = 3 }, y = { count = 3 } }
        definitions.V = "sum(i, 1, 2, sum(j, i + 1, 3, 1/sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)))"
        dynamics.lagrangian = "sum(i, 1, 3, x[i]'^2 + y[i]'^2)/2 + V"
        boundary.duration = { guess = 6 }
        boundary.periodic = true
        boundary.guess = { x = "cos(2*pi*(s + i/3))", "y[k]" = "sin(4*pi*(s + k/3))/3" }
        "#,
    );
    let guess = choreography.graph().expr(choreography.boundary().unwrap().guess[4].unwrap());
    assert_close(
        value_at(&choreography, guess, &[("t", 1.5)]),
        (4.0 * std::f64::consts::PI * (0.25 + 2.0 / 3.0)).sin() / 3.0,
        16.0,
    );
    // [VC 7.2]: the cart is driven, and its control is eliminated; the pole is a constraint with accelerations.
    let cart_pole = model(
        r#"
        parameters = { M = 1, m = 0.3, l = 0.5, g = 9.81 }
        coordinates = { x = {}, th = {} }
        dynamics.lagrangian = "((M + m)*x'' + m*l*cos(th)*th'' - m*l*sin(th)*th'^2)^2"
        constraints.pole = { equation = "m*l*cos(th)*x'' + m*l^2*th'' = m*g*l*sin(th)", kind = "vakonomic" }
        boundary.duration = 2
        boundary.start = { x = 0, th = "pi", "x'" = 0, "th'" = 0 }
        boundary.end = { x = 1, th = 0, "x'" = 0, "th'" = 0 }
        "#,
    );
    assert_eq!((cart_pole.order(), &cart_pole.simulation().method), (2, &Method::Hermite));
    let quadrotor = model(
        r#"
        coordinates = { x = 0, z = 0, th = 0 }
        dynamics.lagrangian = "(x'^2 + z'^2 + th'^2/10)/2 - 9.81*z"
        controls.left = { on = { x = "-sin(th)", z = "cos(th)", th = -1 }, min = 0, max = 10 }
        controls.right = { on = { x = "-sin(th)", z = "cos(th)", th = 1 }, min = 0, max = 10 }
        objective.terminal = "t"
        boundary.duration = { min = 0.1, max = 10, guess = 2 }
        boundary.start = { x = 0, z = 0, th = 0, "x'" = 0, "z'" = 0, "th'" = 0 }
        boundary.end = { x = 5, z = 1, th = 0, "x'" = 0, "z'" = 0, "th'" = 0 }
        "#,
    );
    let point = [("th", 0.2), ("left", 3.0), ("right", 4.0)];
    assert_close(value_at(&quadrotor, quadrotor.controlled_forces()[0], &point), -7.0 * 0.2f64.sin(), 8.0);
    let piston = model(
        r#"
        coordinates.x = { start = 1, domain = "x > 0" }
        entropies.S = 1
        dynamics.lagrangian = "x'^2/2 - exp(S)*x^(-2/3)"
        friction.x = "-x'/10"
        controls.push = "x"
        objective.terminal = "S"
        boundary = { duration = 3, start = { x = 1, "x'" = 0 }, end = { x = 2, "x'" = 0 } }
        "#,
    );
    assert_eq!(text_of(&piston, piston.objective().unwrap().terminal.unwrap()), "S");
}
