//! Kepler motions between kicks: exact where there is nothing else, of order 2 beside, with an error proportional to what disturbs.

use extremal_expr::Graph;
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, SchemeError, scheme};
use extremal_solve::March;
use extremal_testkit::marches::{advance, begin, double_pendulum, followed_to, positions};
use extremal_testkit::numbers::{OrderCase, assert_orders, distance, root};

const BOTH: [&str; 2] = ["wisdom-holman", "compose(suzuki4, wisdom-holman)"];

/// A body about a fixed centre that attracts with unit strength.
fn kepler(g: &Graph) -> System<'_> {
    let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    System::new(g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 + (x.powi(2) + y.powi(2)).sqrt().powi(-1))
}

/// Steps of a quarter to nine tenths of a revolution on ellipses, against the closed form. A relative error ε of the period in every step
/// is all that grows: steps times time times ε, at speeds up to that of the pericentre.
#[test]
fn ellipses_are_exact() {
    let g = Graph::new();
    let system = kepler(&g);
    for eccentricity in [0.0, 0.3, 0.6, 0.9, 0.98] {
        for h in [0.7, 2.3, 5.7] {
            let speed = f64::sqrt((1.0 + eccentricity) / (1.0 - eccentricity));
            let end = 20.0 * h;
            let angle = root(|e| e - eccentricity * e.sin() - end, end - 1.0, end + 1.0);
            let truth = [angle.cos() - eccentricity, f64::sqrt(1.0 - eccentricity * eccentricity) * angle.sin()];
            for method in BOTH {
                let found = positions(&system, method, &[1.0 - eccentricity, 0.0], &[0.0, speed], h, 20);
                let error = distance(&found, &truth);
                let distance = 1.0 - eccentricity * angle.cos();
                // The start itself is rounded, by which the period changes by 3/2 a v² ε and more.
                let tolerance = 64.0 * f64::EPSILON * end * (1.0 + speed * speed) * f64::sqrt(2.0 / distance);
                assert!(error <= tolerance, "{method}, e = {eccentricity}, h = {h}: {error:e} > {tolerance:e}");
            }
        }
    }
}

/// Parabolas and hyperbolas, toward the centre and away from it, against DOP853.
#[test]
fn open_orbits_are_exact() {
    let g = Graph::new();
    let system = kepler(&g);
    let starts = [[0.0, f64::sqrt(2.0)], [0.0, 1.8], [-1.2, 0.9], [-1.0, 1.0], [0.3, 1.4]];
    for v in starts {
        let truth = followed_to(&[1.0, 0.0, v[0], v[1]], 6.0, |_, z, dz| {
            let pull = (z[0] * z[0] + z[1] * z[1]).powf(-1.5);
            dz.copy_from_slice(&[z[2], z[3], -z[0] * pull, -z[1] * pull]);
        });
        for method in BOTH {
            let found = positions(&system, method, &[1.0, 0.0], &v, 0.5, 12);
            // DOP853 near its round-off, through a pericentre for some of them.
            assert!(distance(&found, &truth[..2]) <= 1e-12, "{method} {v:?}: {found:?} {truth:?}");
        }
    }
}

const PLACES: [f64; 8] = [0.01, 1.0, -2.2, 0.3, -0.02, 0.05, 0.2, 3.6];
const SPEEDS: [f64; 8] = [0.0, -0.1, 0.05, -0.5, 0.0, 1.05, -0.65, 0.05];
const NAMES: [&str; 8] = ["x1", "x2", "x3", "x4", "y1", "y2", "y3", "y4"];

/// The dominating body and three others.
fn masses(scale: f64) -> [f64; 4] {
    [1.0, 0.004 * scale, 0.002 * scale, 0.001 * scale]
}

/// Four bodies in a plane that attract each other.
fn planets(g: &Graph, scale: f64) -> System<'_> {
    let m = masses(scale).map(|m| g.float(m).unwrap());
    let (q, v) = (NAMES.map(|name| g.symbol(name)), NAMES.map(|name| g.symbol(&format!("{name}'"))));
    let kinetic = g.sum((0..8).map(|k| m[k % 4] * v[k].powi(2) / 2));
    let pairs = (0..4).flat_map(|i| (i + 1..4).map(move |j| (i, j)));
    let potential = pairs.map(|(i, j)| m[i] * m[j] / ((q[i] - q[j]).powi(2) + (q[4 + i] - q[4 + j]).powi(2)).sqrt());
    System::new(g, &NAMES, kinetic + g.sum(potential.collect::<Vec<_>>()))
}

fn planets_followed(scale: f64, end: f64) -> Vec<f64> {
    let m = masses(scale);
    followed_to(&[PLACES, SPEEDS].concat(), end, |_, z, dz| {
        dz[..8].copy_from_slice(&z[8..]);
        for i in 0..4 {
            let pulls = (0..4).filter(|j| *j != i).map(|j| {
                let (dx, dy) = (z[j] - z[i], z[4 + j] - z[4 + i]);
                let pull = m[j] * (dx * dx + dy * dy).powf(-1.5);
                (pull * dx, pull * dy)
            });
            let (ax, ay) = pulls.fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x, sum.1 + y));
            (dz[8 + i], dz[12 + i]) = (ax, ay);
        }
    })
}

const CASES: &[OrderCase<'_>] = &[
    ("wisdom-holman", 2.0, 0.1, &[24, 32, 48, 64, 96]),
    ("compose(suzuki4, wisdom-holman)", 4.0, 0.3, &[16, 24, 32, 48]),
    ("compose(yoshida6, wisdom-holman)", 6.0, 0.5, &[40, 48, 56, 64, 80]),
];

#[test]
fn orders_among_planets() {
    let g = Graph::new();
    let system = planets(&g, 1.0);
    let truth = planets_followed(1.0, 6.0);
    assert_orders("planets", CASES, 6.0, 1e-12, |method, n| {
        vec![distance(&positions(&system, method, &PLACES, &SPEEDS, 6.0 / n as f64, n), &truth[..8])]
    });
}

/// A hundredth of the masses beside the dominating one: a hundredth of the error. The rest is of second order in them.
#[test]
fn the_error_is_proportional_to_what_disturbs() {
    let error = |scale: f64| {
        let g = Graph::new();
        let found = positions(&planets(&g, scale), "wisdom-holman", &PLACES, &SPEEDS, 0.1, 60);
        distance(&found, &planets_followed(scale, 6.0)[..8])
    };
    let ratio = error(1.0) / error(0.01);
    assert!((80.0..120.0).contains(&ratio), "{ratio}");
}

/// Momentum, angular momentum and the centre of mass to round-off over ten thousand steps; the energy comes back to where it was.
#[test]
fn what_is_kept_among_planets() {
    let (g, m) = (Graph::new(), masses(1.0));
    let mut run = begin(&planets(&g, 1.0), "wisdom-holman", &PLACES, &SPEEDS, 0.1);
    let kept = |z: &[f64]| -> [f64; 3] {
        let (q, p) = z.split_at(8);
        let turning = (0..4).map(|i| q[i] * p[4 + i] - q[4 + i] * p[i]).sum();
        [p[..4].iter().sum(), p[4..8].iter().sum(), turning]
    };
    let energy = |z: &[f64]| {
        let (q, p) = z.split_at(8);
        let kinetic: f64 = (0..8).map(|k| p[k] * p[k] / (2.0 * m[k % 4])).sum();
        let pairs = (0..4).flat_map(|i| (i + 1..4).map(move |j| (i, j)));
        kinetic - pairs.map(|(i, j)| m[i] * m[j] / f64::hypot(q[i] - q[j], q[4 + i] - q[4 + j])).sum::<f64>()
    };
    let (first, before) = (kept(run.state()), energy(run.state()));
    let mut worst = [0.0f64; 2];
    for part in &mut worst {
        for _ in 0..5000 {
            advance(&mut run, 1);
            *part = part.max((energy(run.state()) - before).abs());
        }
    }
    // Of numbers of the size of 0.01, each rounded a few times in every step.
    assert!(distance(&kept(run.state()), &first) <= 1e-14, "{:?} {first:?}", kept(run.state()));
    // h² times forces among planets of 1e-5 at most; no larger in the second half than in the first but for slow turns of the orbits.
    assert!(worst[0] <= 3e-6 && worst[1] <= 1.3 * worst[0], "{worst:?}");
}

#[test]
fn a_step_of_a_revolution_is_none() {
    let g = Graph::new();
    let mut run = begin(&kepler(&g), "wisdom-holman", &[1.0, 0.0], &[0.0, 1.0], 6.3);
    let failure = run.advance().unwrap_err().to_string();
    assert!(failure.contains("shorter than the revolution"), "{failure}");
}

#[test]
fn what_nothing_dominates_is_refused() {
    let g = Graph::new();
    let softened = {
        let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
        System::new(&g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 + (x.powi(2) + y.powi(2) + 1).sqrt().powi(-1))
    };
    let braked = {
        let mut system = kepler(&g);
        system.force = vec![-system.v[0], g.int(0)];
        system
    };
    for system in [double_pendulum(&g), softened, braked] {
        let refused = scheme(&system, &"wisdom-holman".parse().unwrap(), Options::default(), None).err();
        assert!(matches!(refused, Some(SchemeError::NotDominated(_))));
    }
}
