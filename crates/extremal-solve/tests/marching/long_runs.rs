//! What must hold over long times: momenta to round-off, energy bounded and without slope.

use extremal_expr::Graph;
use extremal_mechanics::System;
use extremal_solve::{March, Marcher};
use extremal_testkit::marches::{G, begin, double_pendulum};

/// Planar three bodies of unit mass, unit gravity.
fn three_bodies(g: &Graph) -> System<'_> {
    let names = ["x1", "y1", "x2", "y2", "x3", "y3"];
    let q: Vec<_> = names.iter().map(|n| g.symbol(n)).collect();
    let v: Vec<_> = names.iter().map(|n| g.symbol(&format!("{n}'"))).collect();
    let kinetic = g.sum(v.iter().map(|v| v.powi(2))) / 2;
    let attraction =
        [(0, 2), (0, 4), (2, 4)].map(|(i, j)| ((q[i] - q[j]).powi(2) + (q[i + 1] - q[j + 1]).powi(2)).sqrt().powi(-1));
    System::new(g, &names, kinetic + g.sum(attraction))
}

const EIGHT_Q: [f64; 6] = [0.97000436, -0.24308753, -0.97000436, 0.24308753, 0.0, 0.0];
const EIGHT_V: [f64; 6] = [0.466203685, 0.43236573, 0.466203685, 0.43236573, -0.93240737, -0.86473146];

#[test]
fn momenta_of_three_bodies() {
    let g = Graph::new();
    let system = three_bodies(&g);
    for method in ["midpoint", "trapezoidal", "galerkin(2)"] {
        // Drifting slowly, so that no linear momentum is zero by accident and positions stay of order one.
        let v: Vec<f64> = EIGHT_V.iter().enumerate().map(|(i, v)| v + if i % 2 == 0 { 1e-3 } else { -5e-4 }).collect();
        let mut run = begin(&system, method, &EIGHT_Q, &v, 0.005);
        let momenta = |z: &[f64]| {
            let (q, p) = z.split_at(6);
            let spin: f64 = (0..3).map(|i| q[2 * i] * p[2 * i + 1] - q[2 * i + 1] * p[2 * i]).sum();
            [p[0] + p[2] + p[4], p[1] + p[3] + p[5], spin]
        };
        let first = momenta(run.state());
        let mut worst = [0.0f64; 3];
        for _ in 0..100_000 {
            run.advance().unwrap();
            let now = momenta(run.state());
            (0..3).for_each(|k| worst[k] = worst[k].max((now[k] - first[k]).abs()));
        }
        assert!(worst.iter().all(|w| *w <= 1e-12), "{method}: {worst:?}");
    }
}

#[test]
fn rotation_of_the_spherical_pendulum() {
    let g = Graph::new();
    let (a, va, vf) = (g.symbol("a"), g.symbol("a'"), g.symbol("f'"));
    let gravity = g.rational(extremal_expr::Rational::parse_decimal("9.81").unwrap());
    let l = (va.powi(2) + a.sin().powi(2) * vf.powi(2)) / 2 + gravity * a.cos();
    let system = System::new(&g, &["a", "f"], l);
    let mut run = begin(&system, "midpoint", &[1.0, 0.0], &[0.3, 2.0], 0.01);
    let first = run.state()[3];
    for _ in 0..100_000 {
        run.advance().unwrap();
        assert!((run.state()[3] - first).abs() < 1e-12);
    }
}

fn double_pendulum_energy(run: &mut Marcher) -> f64 {
    let z = [run.state()[0], run.state()[1]];
    let [v1, v2] = run.observe().unwrap()[..2] else { unreachable!() };
    let c = (z[0] - z[1]).cos();
    v1 * v1 + 0.5 * v2 * v2 + v1 * v2 * c - G * (2.0 * z[0].cos() + z[1].cos())
}

/// Largest deviation in the first and in the last tenth of a run of `steps` steps, and the fitted drift over the run.
fn energy_behaviour(method: &str, steps: u64, h: f64) -> (f64, f64, f64) {
    let g = Graph::new();
    let system = double_pendulum(&g);
    let mut run = begin(&system, method, &[0.9, 0.6], &[0.0, 0.0], h);
    let first = double_pendulum_energy(&mut run);
    let (mut early, mut late) = (0.0f64, 0.0f64);
    let (mut sx, mut sy, mut sxx, mut sxy) = (0.0, 0.0, 0.0, 0.0);
    for k in 1..=steps {
        run.advance().unwrap();
        let e = double_pendulum_energy(&mut run) - first;
        let x = k as f64 / steps as f64;
        (sx, sy, sxx, sxy) = (sx + x, sy + e, sxx + x * x, sxy + x * e);
        if k <= steps / 10 {
            early = early.max(e.abs());
        }
        if k > steps - steps / 10 {
            late = late.max(e.abs());
        }
    }
    let n = steps as f64;
    (early, late, (n * sxy - sx * sy) / (n * sxx - sx * sx))
}

#[test]
fn energy_of_the_double_pendulum_is_bounded_without_slope() {
    let (early, late, slope) = energy_behaviour("midpoint", 1_000_000, 0.01);
    assert!(early < 0.02, "O(h²) of an energy of size 25: {early:e}");
    assert!(late < 1.5 * early, "grows: {early:e} -> {late:e}");
    assert!(slope.abs() < 0.05 * early, "drifts by {slope:e} over the run, error {early:e}");
}

#[test]
fn energy_of_rk4_drifts_and_the_test_sees_it() {
    let (early, late, slope) = energy_behaviour("rk4", 100_000, 0.05);
    assert!(late > 3.0 * early && slope.abs() > early, "{early:e} {late:e} {slope:e}");
}

#[test]
fn figure_eight() {
    let g = Graph::new();
    let system = three_bodies(&g);
    let period = 6.32591398;
    let energy = |z: &[f64]| {
        let (q, p) = z.split_at(6);
        let distance = |i: usize, j: usize| (q[i] - q[j]).hypot(q[i + 1] - q[j + 1]);
        p.iter().map(|p| p * p / 2.0).sum::<f64>() - 1.0 / distance(0, 2) - 1.0 / distance(0, 4) - 1.0 / distance(2, 4)
    };
    for (method, at_end, on_the_way, closure) in
        [("galerkin(2, gauss(2))", 1e-13, 5e-9, 2e-7), ("midpoint", f64::INFINITY, 3e-4, f64::INFINITY)]
    {
        let mut run = begin(&system, method, &EIGHT_Q, &EIGHT_V, period / 400.0);
        let first = energy(run.state());
        let mut worst = 0.0f64;
        for _ in 0..400 {
            run.advance().unwrap();
            worst = worst.max((energy(run.state()) - first).abs());
        }
        let last = (energy(run.state()) - first).abs();
        let gap = (0..6).map(|k| (run.state()[k] - EIGHT_Q[k]).abs()).fold(0.0, f64::max);
        assert!(last <= at_end && worst <= on_the_way && gap <= closure, "{method}: {last:e} {worst:e} {gap:e}");
    }
}

#[test]
fn henon_heiles_holds_its_energy_at_round_off() {
    let g = Graph::new();
    let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    let potential = (x.powi(2) + y.powi(2)) / 2 + x.powi(2) * y - y.powi(3) / 3;
    let system = System::new(&g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 - potential);
    let mut run = begin(&system, "kahan-li8", &[0.1, 0.0], &[0.0, 0.5], 0.01);
    let energy = |z: &[f64]| {
        let [x, y, px, py] = [z[0], z[1], z[2], z[3]];
        (px * px + py * py + x * x + y * y) / 2.0 + x * x * y - y * y * y / 3.0
    };
    let first = energy(run.state());
    let mut worst = 0.0f64;
    for _ in 0..1_000_000 {
        run.advance().unwrap();
        worst = worst.max((energy(run.state()) - first).abs());
    }
    assert!(worst <= 2e-13, "{worst:e}");
}
