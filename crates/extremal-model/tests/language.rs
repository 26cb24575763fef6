//! Functions, vectors, rotations and starts of a model, against formulas written out by hand.

use extremal_model::{Code, Extent, Model, Overrides};
use extremal_testkit::models::{model, value_at};
use extremal_testkit::numbers::assert_close;

/// The same Lagrangian in other words has the same value.
fn assert_same_lagrangian(short: &str, by_hand: &str, point: &[(&str, f64)]) {
    let (short, by_hand) = (model(short), model(by_hand));
    let [found, expected] = [&short, &by_hand].map(|model| value_at(model, model.lagrangian(), point));
    assert_close(found, expected, 30.0);
}

#[test]
fn functions_and_vectors_are_shorthand() {
    assert_same_lagrangian(
        r#"
        parameters = { k = 2.0, m = 3.0, w = "f(2)" }
        coordinates = { x = 1.0, y = 0.5, a = { count = 3, start = 0.1 } }
        dynamics.lagrangian = "kinetic(m, r) - U(norm(r)) + w*dot(R*a, a') + dot(a', transpose(R)*a') + U(x)'"
        definitions = { r = ["x", "y*t"], R = [[1, "k", 0], [0, 2, "x"], ["y", 0, 3]], unused = "R*R" }
        [functions]
        "U(r)" = "-k/r + f(r)"
        "kinetic(m, r)" = "m*dot(r', r')/2"
        "f(s)" = "s^2/k"
        "#,
        r#"
        parameters = { k = 2.0, m = 3.0, w = 2.0 }
        coordinates = { x = 1.0, y = 0.5, a = { count = 3, start = 0.1 } }
        definitions = { Y = "y*t", d = "sqrt(x^2 + Y^2)", u = "-k/x + x^2/k" }
        dynamics.lagrangian = """m*(x'^2 + Y'^2)/2 + k/d - d^2/k + u'
            + w*((a[1] + k*a[2])*a[1]' + (2*a[2] + x*a[3])*a[2]' + (y*a[1] + 3*a[3])*a[3]')
            + a[1]'*(a[1]' + y*a[3]') + a[2]'*(k*a[1]' + 2*a[2]') + a[3]'*(x*a[2]' + 3*a[3]')"""
        "#,
        &[("x", 1.2), ("x'", -0.7), ("y", 0.4), ("y'", 1.1), ("t", 0.9)]
            .into_iter()
            .chain([("a[1]", 0.3), ("a[2]", -0.8), ("a[3]", 1.4), ("a[1]'", 0.2), ("a[2]'", -1.3), ("a[3]'", 0.6)])
            .collect::<Vec<_>>(),
    );
}

#[test]
fn definitions_of_vectors_have_members() {
    let model = model(
        r#"
        coordinates = { x = 1.0, y = 0.5, z = 0.0 }
        definitions = { r = ["x", "y", "z"], L = "cross(r, r')", R = "[[x, y], [0, 1]]", S = "2*R*R" }
        dynamics.lagrangian = "dot(r', r')/2 + L[3] + S[1,2]"
        "#,
    );
    let names: Vec<&str> = model.definitions().iter().map(|definition| definition.name.as_str()).collect();
    let vectors = ["r[1]", "r[2]", "r[3]", "L[1]", "L[2]", "L[3]"];
    let matrices = ["R[1,1]", "R[1,2]", "R[2,1]", "R[2,2]", "S[1,1]", "S[1,2]", "S[2,1]", "S[2,2]"];
    assert_eq!(names, [&vectors[..], &matrices[..]].concat());
    let point = [("x", 2.0), ("y", 3.0), ("z", 5.0), ("x'", 7.0), ("y'", 11.0), ("z'", 13.0)];
    let kinetic = (49.0 + 121.0 + 169.0) / 2.0;
    assert_close(value_at(&model, model.lagrangian(), &point), kinetic + (22.0 - 21.0) + 2.0 * (6.0 + 3.0), 4.0);
}

/// A rotation by the angle a about the third axis: q = (cos a/2, 0, 0, sin a/2), with the angular velocity a' along it.
#[test]
fn a_rotation_is_a_unit_quaternion() {
    let model = model(
        r#"
        parameters.w = 3.0
        coordinates.q = { rotation = true, start = ["cos(0.2)", 0, 0, "sin(0.2)"], angular_velocity = [0.5, 0.25, "w"] }
        definitions = { omega = "angular_velocity(q)", R = "rotation(q)" }
        dynamics.lagrangian = "dot(omega, omega)/2"
        invariants = { spin = "omega[3]", c = "R[1,1]", s = "R[2,1]", up = "R[3,3]" }
        "#,
    );
    assert_eq!(model.constraints()[0].name, "q_unit");
    let (a, rate) = (0.7f64, 1.9);
    let (c, s) = ((a / 2.0).cos(), (a / 2.0).sin());
    let point = [("q[1]", c), ("q[2]", 0.0), ("q[3]", 0.0), ("q[4]", s)];
    let turning = [("q[1]'", -s * rate / 2.0), ("q[2]'", 0.0), ("q[3]'", 0.0), ("q[4]'", c * rate / 2.0)];
    let point = [point, turning].concat();
    let expected = [rate, a.cos(), a.sin(), 1.0];
    for (invariant, expected) in model.invariants().iter().zip(expected) {
        assert_close(value_at(&model, model.graph().expr(invariant.expression), &point), expected, 8.0);
    }
    // The start has the angular velocity that was stated: what `angular_velocity` finds in it.
    let initial = model.initial();
    let start = ["q[1]", "q[2]", "q[3]", "q[4]"].into_iter().zip(initial.positions);
    let velocity = ["q[1]'", "q[2]'", "q[3]'", "q[4]'"].into_iter().zip(initial.velocities);
    let point: Vec<_> = start.chain(velocity).collect();
    for (definition, expected) in model.definitions().iter().zip([0.5, 0.25, 3.0]) {
        assert_close(value_at(&model, model.graph().expr(definition.expression), &point), expected, 8.0);
    }
}

const LINKED: &str = r#"
    parameters = { l = 2.0, n = 4 }
    coordinates.y = { start = "2*x + x'", velocity = "z[3]" }
    coordinates.x = { start = "l/4", velocity = "S" }
    coordinates.z = { count = "n", start = "if(i > 1, z[i - 1]/2, x)" }
    entropies.S = "3*l"
    dynamics.lagrangian = "(x'^2 + y'^2 + dot(z', z'))/2 - S"
    simulation = { step = 0.1, until = 1 }
"#;

#[test]
fn starts_use_other_starts_in_any_order() {
    let mut linked = model(LINKED);
    assert_eq!(linked.initial().positions, [7.0, 0.5, 0.5, 0.25, 0.125, 0.0625]);
    assert_eq!(linked.initial().velocities[..2], [0.125, 6.0]);
    linked.set_parameter("l", 4.0).unwrap();
    assert_eq!(linked.initial().positions[..3], [14.0, 1.0, 1.0], "they follow parameters");
    assert_eq!(linked.starts_following("x").collect::<Vec<_>>(), ["y", "z[1]"]);
}

/// A velocity that momenta decide is not known when starts are read.
#[test]
fn a_velocity_by_momenta_is_no_start_to_use() {
    let text = r#"
        coordinates = { x = { start = 1.0, momentum = 2.0 }, y = "x'" }
        dynamics.hamiltonian = "(p_x^2 + p_y^2)/2"
    "#;
    let problems = Model::from_toml(text).unwrap_err().diagnostics;
    assert!(problems[0].message.contains("`x'` has no start"), "{problems:?}");
}

#[test]
fn starts_and_settings_are_set_from_outside() {
    let set = |overrides: Overrides| Model::load(LINKED, &overrides);
    let initial = set(Overrides::default().assign("x", "l").assign("x'", 1)).unwrap().initial();
    assert_eq!((initial.positions[0], initial.positions[1], initial.velocities[1]), (5.0, 2.0, 1.0));
    assert_eq!(set(Overrides::default().assign("S", 7)).unwrap().initial().entropies, [7.0]);
    let timed = set(Overrides::default().step("l/8").until("10*l")).unwrap();
    assert_eq!((timed.simulation().step, timed.simulation().extent), (Some(0.25), Some(Extent::Until(20.0))));

    let refused = |overrides: Overrides| set(overrides).unwrap_err().diagnostics[0].clone();
    assert_eq!(refused(Overrides::default().set("x", 1)).code, Code::UnknownOverride, "no parameter");
    assert!(refused(Overrides::default().assign("z[2]", 1)).help.unwrap().contains("one text"));
    assert!(refused(Overrides::default().assign("x''", 1)).message.contains("no parameter and no start `x''`"));
    assert_eq!(refused(Overrides::default().step("m")).code, Code::UnknownName);
    assert_eq!(refused(Overrides::default().from("l").until("l")).code, Code::OutOfRange);
}
