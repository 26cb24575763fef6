//! What the tables of controls, objective and boundary mean, against what was written.

use std::collections::HashMap;

use extremal_expr::{Expr, Id};
use extremal_model::{Component, Duration, Fixed, Method, Model};

const CONTROL: &str = include_str!("good/control.toml");
const CURVE: &str = include_str!("good/curve.toml");

fn load(text: &str) -> Model {
    Model::from_toml(text).unwrap_or_else(|invalid| panic!("{}", invalid.render("test.toml", false)))
}

fn text_of(model: &Model, id: Id) -> String {
    model.graph().expr(id).to_string()
}

/// The value of an expression where every symbol has one, parameters included.
fn at(model: &Model, expression: Expr<'_>, point: &[(&str, f64)]) -> f64 {
    let mut values: HashMap<&str, f64> = model.parameters().iter().map(|p| (p.name.as_str(), p.value)).collect();
    values.extend(point.iter().copied());
    let graph = model.graph();
    graph.evaluate(&[graph.expr(expression.id())], |name| values.get(name).copied())[0]
}

/// The two numbers agree up to the rounding of a handful of operations on terms of this size.
fn assert_close(a: f64, b: f64, size: f64) {
    assert!((a - b).abs() <= 32.0 * f64::EPSILON * size, "{a} is not {b}");
}

fn values(model: &Model, fixed: &[Fixed]) -> Vec<(String, f64)> {
    fixed.iter().map(|fixed| (model.component_name(fixed.component), model.number(fixed.value))).collect()
}

fn named(pairs: &[(&str, f64)]) -> Vec<(String, f64)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

#[test]
fn controls_act_as_they_are_stated() {
    let model = load(CONTROL);
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
    let [on_x, on_theta, on_y1, on_y2] = [0, 1, 2, 3].map(|place| at(&model, model.controlled_forces()[place], &point));
    assert_close(on_x, 0.3f64.sin() + 1.21 + 0.7 - 0.2 + 2.0 * 3.0 + 5.0 + 7.0, 20.0);
    assert_close(on_theta, 0.5 * 0.4f64.cos() * 1.5 * 3.0, 3.0);
    assert_close(on_y1, 2.0 * 0.6f64.sin() - 0.2 + 5.0, 7.0);
    assert_close(on_y2, 2.0 * 0.6f64.sin() + 2.0 * 7.0, 16.0);
    let free: Vec<String> = model.forces().iter().map(Expr::to_string).collect();
    assert_eq!(free, ["sin(t)", "0", "0", "0"]);
    let objective = model.objective().unwrap();
    let running = model.graph().expr(objective.running.unwrap());
    let with_entropy: Vec<_> = point.iter().copied().chain([("S", 4.0)]).collect();
    assert_close(at(&model, running, &with_entropy), 0.49 + 25.0 + 49.0 + 0.04 + 9.0 + 4.0 + 0.3, 100.0);
    assert_eq!(text_of(&model, objective.terminal.unwrap()), "x'^2 + S + t");
}

#[test]
fn ends_bounds_and_guesses_follow_the_file() {
    let model = load(CONTROL);
    let boundary = model.boundary().unwrap();
    let Duration::Free { min, max, guess } = boundary.duration else { panic!("{:?}", boundary.duration) };
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
        boundary.guess.iter().map(|guess| at(&model, model.graph().expr(guess.unwrap()), &now)).collect();
    for (guess, expected) in guesses.iter().zip([2.125 + 0.5, half_circle / 2.0, 0.5, 1.0]) {
        assert_close(*guess, expected, 8.0);
    }
    let torque = model.graph().expr(model.controls()[2].guess.unwrap());
    assert_close(at(&model, torque, &now), 1.0, 8.0);
    assert_eq!(text_of(&model, model.controls()[4].guess.unwrap()), "2*t");
    assert!(boundary.periodic.is_empty());
    assert_eq!(&model.source_text()[boundary.start[1].span.clone()], "\"x'\"");
}

#[test]
fn a_run_starts_where_the_tables_say() {
    let model = load(CONTROL);
    let initial = model.initial();
    // [coordinates] comes first, then [boundary]; `y[1]` has a start in neither.
    assert_eq!((initial.positions[0], initial.velocities[0]), (0.5, 1.0));
    assert_eq!((initial.positions[1], initial.positions[3]), (std::f64::consts::PI, -1.0));
    assert!(initial.positions[2].is_nan());
    assert_eq!(model.without_start().unwrap().name, "y[1]");
    let started = load(&CONTROL.replace("\"y[2]\" = -1", "y = 2"));
    assert!(started.without_start().is_none());
    assert_eq!(started.initial().positions[2..], [2.0, 2.0]);
}

#[test]
fn a_curve_has_its_own_variable_and_order() {
    let model = load(CURVE);
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    assert_eq!((model.independent(), model.time().to_string()), ("x", "x".to_owned()));
    assert_eq!(model.order(), 3);
    assert_eq!(model.simulation().method, Method::Hermite);
    let point = [("x", 0.5), ("y", 9.0), ("y'", 2.0), ("y''", 3.0), ("z[1]''", 1.0), ("z[2]''", 2.0), ("z[3]''", 4.0)];
    let point: Vec<_> = point.into_iter().chain([("s'", 6.0)]).collect();
    assert_close(at(&model, model.lagrangian(), &point), 4.5 + 1.5 * 0.5 * 2.0 + 21.0 + 18.0, 60.0);
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
