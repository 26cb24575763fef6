//! Lagrangians with accelerations: the oscillator of Pais and Uhlenbeck, x'''' + (a² + b²) x'' + a² b² x = 0.

use extremal_expr::Graph;
use extremal_expr::syntax::{AnyName, parse_expression};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, scheme};
use extremal_solve::{CompiledScheme, March, NewtonOptions, StartValues};

/// x = A cos(a t) + B sin(b t) + C cos(b t): its derivatives of order 0 to 3.
fn exact(a: f64, b: f64, t: f64) -> [f64; 4] {
    let (p, q, r) = (0.8, 0.5, -0.3);
    let quarter = std::f64::consts::FRAC_PI_2;
    [0, 1, 2, 3].map(|order| {
        let phase = f64::from(order) * quarter;
        p * a.powi(order) * (a * t + phase).cos()
            + q * b.powi(order) * (b * t + phase).sin()
            + r * b.powi(order) * (b * t + phase).cos()
    })
}

/// The largest error of x, and the largest distance of the Ostrogradsky energy from its first value, over all steps.
fn march(method: &str, a: f64, b: f64, h: f64, steps: usize) -> (f64, f64) {
    let g = Graph::new();
    let text = format!("x''^2/2 - ({a}^2 + {b}^2)*x'^2/2 + {a}^2*{b}^2*x^2/2");
    let lagrangian = parse_expression(&g, &text, &AnyName(&g)).unwrap().value;
    let system = System::new(&g, &["x"], lagrangian);
    let scheme = scheme(&system, &method.parse().unwrap(), Options::default(), None).unwrap();
    let energy = system.energy().id();
    let mut compiled = CompiledScheme::new(&g, &scheme, &[], &[energy], &[], NewtonOptions::default()).unwrap();
    compiled.set_parameters(&[]);
    let [x, v, acceleration, jerk] = exact(a, b, 0.0);
    let start = StartValues { q: vec![x, v], v: vec![acceleration, jerk], ..StartValues::default() };
    let mut motion = compiled.start(&start, h).unwrap();
    let first = motion.observe().unwrap()[4];
    let (mut error, mut drift) = (0.0f64, 0.0f64);
    for step in 1..=steps {
        motion.advance().unwrap();
        error = error.max((motion.state()[0] - exact(a, b, h * step as f64)[0]).abs());
        drift = drift.max((motion.observe().unwrap()[4] - first).abs());
    }
    (error, drift)
}

#[test]
fn orders_against_the_closed_form() {
    for (method, order) in [("difference", 2.0), ("hermite", 4.0)] {
        let errors: Vec<f64> = [50, 100, 200].map(|n| march(method, 1.0, 2.0, 5.0 / n as f64, n).0).to_vec();
        for pair in errors.windows(2) {
            let measured = (pair[0] / pair[1]).log2();
            // The next terms of the error are of relative size (2h)² <= 0.04.
            assert!((measured - order).abs() < 0.1, "order {measured} instead of {order}: {errors:?}");
        }
    }
}

#[test]
fn energy_stays_bounded_also_for_close_frequencies() {
    for (a, b) in [(1.0, 2.0), (1.0, 1.02)] {
        let steps = 100_000;
        let (_, early) = march("difference", a, b, 0.05, steps / 10);
        let (_, all) = march("difference", a, b, 0.05, steps);
        // (b h)² = 0.01 times a fraction of the terms, of which x' x''' is the largest with b⁴/3 = 5; a beat of the close
        // frequencies takes 6300 steps.
        assert!(all < 1e-2 && all < 1.2 * early, "frequencies {a}, {b}: {early:e} then {all:e}");
        let (_, all) = march("hermite", a, b, 0.05, steps);
        // (b h)⁴ = 1e-4 times a fraction of the same terms.
        assert!(all < 1e-5, "frequencies {a}, {b}: {all:e}");
    }
}
