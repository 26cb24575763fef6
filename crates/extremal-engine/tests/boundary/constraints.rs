//! Boundary problems under constraints: closed forms, and orders at the ends.

use extremal_engine::Model;
use extremal_engine::boundary::{BoundarySolution, Kind, Status};

use extremal_testkit::boundary::{assert_orders, assessed, columns, problem, solve};
use extremal_testkit::models::model;

/// A pendulum on its separatrix, θ = 2 atan(sinh t), in the plane: position, velocity and the multiplier of x² + y² = 1.
fn separatrix(t: f64) -> [f64; 5] {
    let (sin, cos) = (2.0 * t.tanh() / t.cosh(), 2.0 / t.cosh().powi(2) - 1.0);
    let rate = 2.0 / t.cosh();
    [sin, -cos, cos * rate, sin * rate, -(rate * rate + cos) / 2.0]
}

const DURATION: f64 = 1.2;

fn pendulum(start: &str, end: &str) -> Model {
    model(&format!(
        "[coordinates]\nx = {{}}\ny = {{}}\n[dynamics]\nlagrangian = \"(x'^2 + y'^2)/2 - y\"\n[constraints]\nrod = \"x^2 + y^2 = 1\"\n\
         [boundary]\nduration = {DURATION}\nsteps = 50\nstart = {{ {start} }}\nend = {{ {end} }}\n\
         guess = {{ x = \"sin(1.6*t)\", y = \"-cos(1.6*t)\" }}"
    ))
}

/// The largest error of some columns at one row.
fn error(solution: &BoundarySolution, row: usize, names: &[&str]) -> f64 {
    let all = ["x", "y", "x'", "y'", "lambda_rod"];
    let exact = separatrix(solution.rows[row][0]);
    let one = |name: &&str| {
        let value = solution.values(name).unwrap()[row];
        (value - exact[all.iter().position(|known| known == name).unwrap()]).abs()
    };
    names.iter().map(one).fold(0.0, f64::max)
}

#[test]
fn ends_of_a_pendulum_with_a_rod_are_as_accurate_as_its_middle() {
    let [x, y, ..] = separatrix(DURATION);
    let model = pendulum("x = 0, y = -1", &format!("x = {x}, y = {y}"));
    assert_eq!(problem(&model, None).kind(), Kind::Action);
    for method in ["midpoint", "trapezoidal"] {
        for names in [&["x'", "y'"][..], &["lambda_rod"]] {
            let worst = |steps: usize| {
                let solution = solve(&model, Some(method), steps);
                (0..=steps).map(|row| error(&solution, row, names)).fold(0.0, f64::max)
            };
            assert_orders(&format!("{method}: {names:?}"), 2.0, 0.15, 40, worst);
        }
    }
    let solution = solve(&model, None, 40);
    for [x, y, vx, vy] in columns(&solution, ["x", "y", "x'", "y'"]) {
        assert!((x * vx + y * vy).abs() < 1e-12, "velocities along the rod");
    }
    assert_eq!(assessed(&model, None, 40).1.status, Status::Stationary);
}

#[test]
fn stated_velocities_are_met_to_the_last_bit() {
    let [_, _, vx, ..] = separatrix(DURATION);
    let model = pendulum("x = 0, y = -1", &format!("\"x'\" = {vx}"));
    assert_eq!(problem(&model, None).kind(), Kind::Motion);
    let solution = solve(&model, None, 40);
    assert_eq!(solution.values("x'").unwrap()[40], vx);
    for row in [0, 1] {
        let worst =
            |steps: usize| error(&solve(&model, None, steps), row * steps, &["x", "y", "x'", "y'", "lambda_rod"]);
        assert_orders("all at an end", 2.0, 0.15, 40, worst);
    }
}

#[test]
fn free_coordinates_of_a_skate_are_free_along_the_edge_only() {
    // A skate goes round a circle with the speed u and the angular velocity w; where it ends sideways follows.
    let (u, w, t) = (1.5f64, 0.8f64, 2.0f64);
    let model = model(&format!(
        "[coordinates]\nx = {{}}\ny = {{}}\nphi = {{}}\n[dynamics]\nlagrangian = \"(x'^2 + y'^2 + phi'^2)/2\"\n\
         [constraints]\nedge = \"x'*sin(phi) - y'*cos(phi) = 0\"\n[boundary]\nduration = {t}\nsteps = 40\n\
         start = {{ x = 0, y = 0, phi = 0 }}\nend = {{ x = {}, phi = {} }}\nguess = {{ y = \"t^2/4\" }}",
        u / w * (w * t).sin(),
        w * t
    ));
    assert_eq!(problem(&model, None).kind(), Kind::Motion);
    let worst = |steps: usize| {
        let rows = columns(&solve(&model, None, steps), ["t", "y", "x'", "lambda_edge"]);
        let one = |[t, y, vx, lambda]: &[f64; 4]| {
            let off = [y - u / w * (1.0 - (w * t).cos()), vx - u * (w * t).cos(), lambda + u * w];
            off.iter().map(|error| error.abs()).fold(0.0, f64::max)
        };
        rows.iter().map(one).fold(0.0, f64::max)
    };
    assert_orders("a circle", 2.0, 0.15, 40, worst);
    assert_eq!(assessed(&model, None, 40).1.status, Status::Stationary);
}
