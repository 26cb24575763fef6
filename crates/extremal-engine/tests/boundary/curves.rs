//! Curves of least length, time and area between two points.

use std::f64::consts::PI;

use extremal_engine::boundary::{Kind, nature_name};
use extremal_testkit::boundary::{assert_orders, columns, problem, solve};
use extremal_testkit::numbers::root;
use extremal_testkit::runs::gallery_with;

#[test]
fn brachistochrone_takes_the_time_of_the_cycloid() {
    let model = gallery_with("brachistochrone", &[]);
    // x = R (t - sin t), y = R (1 - cos t) through (1, 0.6), in the time t sqrt(R/g).
    let t = root(|t| (t - t.sin()) * 0.6 - (1.0 - t.cos()), 1e-2, 2.0 * PI - 1e-2);
    let time = t * (0.6 / (1.0 - t.cos()) / 9.81).sqrt();
    let error = |method: &'static str| {
        let model = &model;
        move |steps: usize| (solve(model, Some(method), steps).objective - time).abs()
    };
    assert_orders("midpoint", 2.0, 0.02, 25, error("midpoint"));
    assert_orders("galerkin(2)", 4.0, 0.1, 10, error("galerkin(2)"));
}

#[test]
fn catenary_has_its_shape_and_its_tension() {
    let model = gallery_with("catenary", &[]);
    // y = a cosh(x/a) + b between (-1, 0) and (1, 0), of length 2 a sinh(1/a) = 3; the multiplier of the length is -b.
    let a = root(|a| 2.0 * a * (1.0 / a).sinh() - 3.0, 0.2, 5.0);
    let b = -a * (1.0 / a).cosh();
    let shape = |steps: usize, method: &'static str| {
        let solution = solve(&model, Some(method), steps);
        let rows = columns(&solution, ["x", "y"]);
        rows.iter().map(|[x, y]| (y - a * (x / a).cosh() - b).abs()).fold(0.0, f64::max)
    };
    assert_orders("midpoint", 2.0, 0.05, 50, |steps| shape(steps, "midpoint"));
    assert_orders("galerkin(2)", 4.0, 0.2, 20, |steps| shape(steps, "galerkin(2)"));
    let (name, multiplier) = solve(&model, Some("galerkin(2)"), 80).integral_multipliers[0].clone();
    assert_eq!(name, "length");
    assert!((multiplier + b).abs() < 1e-6, "{multiplier} instead of {}", -b);
}

#[test]
fn great_circle_is_shortest() {
    let model = gallery_with("great-circle", &[]);
    // Both at colatitude 30 degrees, 90 degrees of longitude apart.
    let angle = 0.75f64.acos();
    let error = |steps: usize, method: &'static str| (solve(&model, Some(method), steps).objective - angle).abs();
    assert_orders("midpoint", 2.0, 0.02, 25, |steps| error(steps, "midpoint"));
    assert_orders("galerkin(2)", 4.0, 0.1, 10, |steps| error(steps, "galerkin(2)"));
    let solution = solve(&model, None, 50);
    assert_eq!(solution.nature.map(nature_name).as_deref(), Some("minimum"));
}

#[test]
fn soap_film_is_a_catenoid() {
    let model = gallery_with("soap-film", &[]);
    // c cosh(1/2c) = 1, the larger root; the area is 2 pi c (1/2 + c sinh(1/c)/2).
    let c = root(|c| c * (0.5 / c).cosh() - 1.0, 0.5, 0.99);
    let area = 2.0 * PI * c * (0.5 + c / 2.0 * (1.0 / c).sinh());
    let error = |steps: usize, method: &'static str| (solve(&model, Some(method), steps).objective - area).abs();
    assert_orders("midpoint", 2.0, 0.02, 25, |steps| error(steps, "midpoint"));
    assert_orders("galerkin(2)", 4.0, 0.1, 10, |steps| error(steps, "galerkin(2)"));
}

#[test]
fn dido_encloses_a_circle() {
    let model = gallery_with("dido", &[]);
    // An arc of length 2.5 over the chord from -1 to 1.
    let radius = root(|r| 2.0 * r * (1.0 / r).asin() - 2.5, 1.0001, 5.0);
    let centre = -(radius * radius - 1.0).sqrt();
    let error = |steps: usize| {
        let solution = solve(&model, None, steps);
        let rows = columns(&solution, ["x", "y"]);
        rows.iter().map(|[x, y]| (x.hypot(y - centre) - radius).abs()).fold(0.0, f64::max)
    };
    assert_orders("distance from the circle", 2.0, 0.1, 100, error);
    let (_, multiplier) = solve(&model, None, 400).integral_multipliers[0].clone();
    // The error falls like the square of the step, from 1.8e-4 at 100 steps.
    assert!((multiplier - radius).abs() < 2e-5, "{multiplier} instead of {radius}");
}

#[test]
fn light_bends_by_the_law_of_snell() {
    let model = gallery_with("light-in-layers", &[]);
    // The parabola y = C² (1 + ((x + a)/2C²)²) - 1 from (0, 0) to (1, 1/2), where C is n cos.
    let c = root(|c| 2.0 * c * ((1.5 - c * c).sqrt() - (1.0 - c * c).sqrt()) - 1.0, 0.3, 0.9999);
    let invariant = |steps: usize| -> Vec<f64> {
        let rows = columns(&solve(&model, None, steps), ["y", "y'"]);
        rows.iter().map(|[y, slope]| ((1.0 + y) / (1.0 + slope * slope)).sqrt()).collect()
    };
    // The same at all nodes, to round-off: the discrete equations keep it on this ray.
    let first = invariant(50);
    assert!(first.iter().all(|value| (value - first[0]).abs() < 1e-12), "{first:?}");
    assert_orders("n cos", 2.0, 0.05, 25, |steps| (invariant(steps)[0] - c).abs());
}

#[test]
fn free_ends_meet_the_shore_at_right_angles() {
    // The shortest way from (0, 1) to the line x = 1 is level: the natural condition is y' = 0.
    let text = r#"
        coordinates.y = {}
        dynamics.lagrangian = "sqrt(1 + y'^2)"
        boundary = { independent = "x", duration = 1.0, steps = 10, start = { y = 1 }, guess = { y = "1 + x^2" } }
    "#;
    let model = extremal_testkit::models::model(text);
    assert_eq!(problem(&model, None).kind(), Kind::Action);
    let solution = solve(&model, None, 10);
    assert!((solution.objective - 1.0).abs() < 1e-12);
    assert!(solution.values("y").unwrap().iter().all(|y| (y - 1.0).abs() < 1e-9));
}

#[test]
fn heisenberg_geodesic_is_a_circle() {
    let model = gallery_with("heisenberg", &[]);
    let error = |steps: usize| (solve(&model, None, steps).objective - 2.0 * PI).abs();
    assert_orders("energy", 2.0, 0.05, 50, error);
}
