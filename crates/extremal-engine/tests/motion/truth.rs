//! Motions whose truth is known: the recurrence and closed form of the spring with friction, the pendulum in elliptic functions.

use std::f64::consts::PI;

use extremal_testkit::models::model;
use extremal_testkit::numbers::measured_order;
use extremal_testkit::runs::{attempt, attempt_text, with};

/// m x'' = -η x - λ x' by the method `left`, which is the recurrence
/// (1 + a) x_{k+1} = (2 + a - b) x_k - x_{k-1} with a = h λ/m, b = h² η/m.
struct Spring {
    a: f64,
    b: f64,
    x0: f64,
    x1: f64,
}

const M: f64 = 2.0;
const ETA: f64 = 2.0;
const LAMBDA: f64 = 0.3;
const H: f64 = 0.1;
const STEPS: usize = 1000;

impl Spring {
    fn new(x0: f64, x1: f64) -> Spring {
        Spring { a: H * LAMBDA / M, b: H * H * ETA / M, x0, x1 }
    }

    fn text(&self) -> String {
        let (x0, x1) = (self.x0, self.x1);
        format!(
            r#"
            coordinates.x = {{ start = {x0}, second = {x1} }}
            dynamics.lagrangian = "{M}*x'^2/2 - {ETA}*x^2/2"
            friction.x = "-{LAMBDA}*x'"
            simulation = {{ method = "left", start = "two-points", step = {H}, steps = {STEPS} }}
            "#
        )
    }

    /// The modulus of the roots z of (1 + a) z² - (2 + a - b) z + 1 = 0.
    fn modulus(&self) -> f64 {
        1.0 / (1.0 + self.a).sqrt()
    }

    /// The argument of the roots. Written as cos θ = (1 - (b - a)/2)/√(1 + a) it would lose digits near θ = 0; the
    /// discriminant, expanded, does not.
    fn angle(&self) -> f64 {
        let difference = self.b - self.a;
        (4.0 * self.b - difference * difference).sqrt().atan2(2.0 - difference)
    }

    fn closed_form(&self, k: usize) -> f64 {
        let (r, theta, k) = (self.modulus(), self.angle(), k as f64);
        (self.x1 * r.powf(k - 1.0) * (k * theta).sin() - self.x0 * r.powf(k) * ((k - 1.0) * theta).sin()) / theta.sin()
    }

    /// How far round-off can carry two evaluations apart after k steps: each step rounds a value of size |x| |z|^j some
    /// sixteen times, and what it adds grows by |z|^(k-j) sin((k-j) θ)/sin θ until step k.
    fn round_off(&self, k: usize) -> f64 {
        let size = self.x0.abs().max(self.x1.abs());
        16.0 * f64::EPSILON * size / self.angle().sin() * (k + 1) as f64 * self.modulus().powi(k as i32)
    }
}

#[test]
fn spring_with_friction_is_the_recurrence_and_its_closed_form() {
    for spring in [Spring::new(0.3, 0.3), Spring::new(0.3, 0.32), Spring::new(-0.1, 0.05)] {
        let x = attempt_text(&spring.text()).column("x");
        assert_eq!(x.len(), STEPS + 1);
        let (mut before, mut now) = (spring.x0, spring.x1);
        for (k, x) in x.iter().enumerate().skip(1) {
            let allowed = spring.round_off(k);
            let (by_recurrence, by_formula) = ((x - now).abs(), (x - spring.closed_form(k)).abs());
            assert!(by_recurrence <= allowed, "step {k}: {by_recurrence:e} from the recurrence, {allowed:e} allowed");
            assert!(by_formula <= allowed, "step {k}: {by_formula:e} from the closed form, {allowed:e} allowed");
            (before, now) = (now, ((2.0 + spring.a - spring.b) * now - before) / (1.0 + spring.a));
        }
    }
}

/// cd(u, k) = cn/dn by the arithmetic-geometric mean and descending Landen transformations (Abramowitz & Stegun 16.4, 17.6).
fn cd(u: f64, k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    let mut ratios = Vec::new();
    while (a - b) > 1e-16 * a && ratios.len() < 10 {
        let c = 0.5 * (a - b);
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        ratios.push(c / a);
    }
    let mut phi = a * u * f64::powi(2.0, ratios.len() as i32);
    let mut upper = phi;
    for ratio in ratios.iter().rev() {
        upper = phi;
        phi = 0.5 * (phi + (ratio * phi.sin()).asin());
    }
    // dn = cos φ_0/cos(φ_1 - φ_0), cn = cos φ_0.
    (upper - phi).cos()
}

/// The complete integral K(k).
fn quarter_period(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    PI / (2.0 * a)
}

#[test]
fn elliptic_functions_have_their_tabulated_values() {
    let k = 0.5_f64.sqrt();
    // K(1/√2) = Γ(1/4)²/(4 √π).
    let complete = 1.854_074_677_301_371_9;
    assert!((quarter_period(k) - complete).abs() < 1e-15);
    assert_eq!(cd(0.0, k), 1.0);
    assert!(cd(complete, k).abs() < 1e-15);
    assert!((cd(2.0 * complete, k) + 1.0).abs() < 1e-15);
    // cn(K/2) = √k'/√(1 + k'), dn(K/2) = √k' (Abramowitz & Stegun 16.5).
    let halfway = 1.0 / (1.0 + k).sqrt();
    assert!((cd(complete / 2.0, k) - halfway).abs() < 1e-15);
}

const GRAVITY: f64 = 9.81;
const AMPLITUDE: f64 = 2.0;

fn pendulum(end: f64) -> String {
    format!(
        r#"
        coordinates.theta = {{ start = {AMPLITUDE} }}
        dynamics.lagrangian = "theta'^2/2 + {GRAVITY}*cos(theta)"
        simulation = {{ step = 0.01, until = {end} }}
        "#
    )
}

fn elliptic_pendulum(t: f64) -> f64 {
    let k = (AMPLITUDE / 2.0).sin();
    2.0 * (k * cd(GRAVITY.sqrt() * t, k)).asin()
}

#[test]
fn pendulum_converges_to_elliptic_functions_at_the_order_of_the_method() {
    // More than a period, so that turning points and the fast passage are both inside.
    let end = 3.0;
    assert!(4.0 * quarter_period((AMPLITUDE / 2.0).sin()) < GRAVITY.sqrt() * end);
    let model = model(&pendulum(end));
    let cases: [(&str, f64, f64, &[u64]); 3] = [
        ("midpoint", 2.0, 0.05, &[200, 400, 800, 1600]),
        ("galerkin(2)", 4.0, 0.1, &[100, 200, 400, 800]),
        ("compose(kahan-li8, trapezoidal)", 8.0, 0.5, &[36, 42, 48, 56, 64]),
    ];
    for (method, order, tolerance, counts) in cases {
        let points: Vec<(f64, f64)> = counts
            .iter()
            .map(|n| {
                let h = end / *n as f64;
                let run = attempt(&model, &with(&model, method, h));
                let (t, theta) = (run.column("t"), run.column("theta"));
                assert_eq!(t.len() as u64, n + 1);
                let error = t.iter().zip(&theta).map(|(t, theta)| (theta - elliptic_pendulum(*t)).abs());
                (h, error.fold(0.0, f64::max))
            })
            .collect();
        // A thousand steps of round-off, amplified by the shear of the motion: below 1e-12 nothing is measured.
        let measured = measured_order(&points, 1e-12);
        assert!((measured - order).abs() < tolerance, "{method}: order {measured:.3}, {points:?}");
    }
}
