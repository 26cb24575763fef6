//! The integrators against closed forms and against what the codes of Hairer and Wanner print.

use std::convert::Infallible;
use std::f64::consts::TAU;

use super::tableau::{DOP853, DOPRI5, EmbeddedTableau};
use super::*;

const METHODS: [AdaptiveMethod; 2] = [AdaptiveMethod::Dopri5, AdaptiveMethod::Dop853];

fn tolerance(tolerance: f64) -> AdaptiveOptions {
    AdaptiveOptions { relative_tolerance: tolerance, absolute_tolerance: tolerance, ..Default::default() }
}

/// A body around a fixed sun, and a scalar equation with time in it that is solved by 1/(1 + t²).
fn planet_and_bell(t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
    let cubed = y[0].hypot(y[1]).powi(3);
    dy.copy_from_slice(&[y[2], y[3], -y[0] / cubed, -y[1] / cubed, -2.0 * t * y[4] * y[4]]);
    Ok(())
}

/// The closed form, with the period 2π and the nearest point at t = 0.
fn planet_and_bell_at(eccentricity: f64, t: f64) -> [f64; 5] {
    let e = eccentricity;
    let mut anomaly = t;
    for _ in 0..50 {
        anomaly -= (anomaly - e * anomaly.sin() - t) / (1.0 - e * anomaly.cos());
    }
    let (sin, cos) = anomaly.sin_cos();
    let (width, speed) = ((1.0 - e * e).sqrt(), 1.0 / (1.0 - e * cos));
    [cos - e, width * sin, -sin * speed, width * cos * speed, 1.0 / (1.0 + t * t)]
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The restricted three-body problem of earth, moon and satellite.
fn arenstorf(_: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
    let moon = 0.012277471;
    let earth = 1.0 - moon;
    let to_earth = (y[0] + moon).hypot(y[1]).powi(3);
    let to_moon = (y[0] - earth).hypot(y[1]).powi(3);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = y[0] + 2.0 * y[3] - earth * (y[0] + moon) / to_earth - moon * (y[0] - earth) / to_moon;
    dy[3] = y[1] - 2.0 * y[2] - earth * y[1] / to_earth - moon * y[1] / to_moon;
    Ok(())
}

const ARENSTORF_START: [f64; 4] = [0.994, 0.0, 0.0, -2.001_585_106_379_082_5];
const ARENSTORF_PERIOD: f64 = 17.065_216_560_157_964;

fn sum(weights: super::tableau::Weights, term: impl Fn(usize) -> f64) -> f64 {
    weights.iter().map(|&(place, weight)| weight * term(place)).sum()
}

#[test]
fn coefficients_satisfy_the_quadrature_conditions() {
    let check = |tableau: &EmbeddedTableau, embedded: i32| {
        let mut nodes = vec![0.0];
        nodes.extend(tableau.stages.iter().map(|stage| stage.c));
        nodes.push(1.0);
        nodes.extend(tableau.dense_stages.iter().map(|stage| stage.c));
        for stage in tableau.stages.iter().chain(tableau.dense_stages) {
            // Weights of size up to 43 cancel to c.
            assert!((sum(stage.a, |_| 1.0) - stage.c).abs() < 100.0 * f64::EPSILON, "{stage:?}");
        }
        for power in 0..i32::from(tableau.order) {
            let integral = sum(tableau.solution, |place| nodes[place].powi(power));
            assert!((integral - 1.0 / f64::from(power + 1)).abs() < 20.0 * f64::EPSILON, "power {power}: {integral}");
            let difference = sum(tableau.error, |place| nodes[place].powi(power)).abs();
            assert_eq!(difference < 20.0 * f64::EPSILON, power < embedded, "power {power}: {difference}");
        }
        for weights in tableau.dense {
            // These terms vanish for a linear solution.
            assert!(sum(weights, |_| 1.0).abs() < 2000.0 * f64::EPSILON);
        }
    };
    check(&DOPRI5, 4);
    check(&DOP853, 5);
}

#[test]
fn dopri5_repeats_the_published_run() {
    // Output of the driver dr_dopri5.f, to the digits it prints. It does not count rejections before the first accepted
    // step.
    let published = [
        (2.0, -0.5798781411, 0.6090775251),
        (4.0, -0.1983335270, 1.137638086),
        (6.0, -0.4735743943, 0.2239068118),
        (8.0, -1.174553350, -0.2759466982),
        (10.0, -0.8398073466, 0.4468302268),
        (12.0, 0.01314712468, -0.8385751499),
        (14.0, -0.6031129504, -0.9912598031),
        (16.0, 0.2427110999, -0.3899948833),
        (ARENSTORF_PERIOD, 0.9940021016, 0.8911185692e-5),
    ];
    let times = published.map(|(t, ..)| t);
    let mut rows = published.iter();
    let mut output = |_: f64, y: &[f64]| {
        let &(t, first, second) = rows.next().unwrap();
        // Two close encounters multiply rounding by 1e5 and more; half a unit of the tenth digit is 5e-11.
        assert!((y[0] - first).abs() < 1e-9 && (y[1] - second).abs() < 1e-9, "{t}: {} {}", y[0], y[1]);
        Ok(())
    };
    let work =
        integrate(AdaptiveMethod::Dopri5, tolerance(1e-7), 0.0, &ARENSTORF_START, &times, &mut arenstorf, &mut output)
            .unwrap();
    assert_eq!(work, AdaptiveWork { accepted: 216, rejected: 24, evaluations: 1442 });
}

#[test]
fn dop853_repeats_the_published_run() {
    // Van der Pol's equation as in the driver dr_dop853.f. The code takes 1468 steps, accepts 1345 and needs 21530
    // evaluations, three per accepted step of which are for dense output and not made here. The solution is that of the
    // Bari test set for initial value solvers.
    let mut van_der_pol = |_: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = y[1];
        dy[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-3;
        Ok::<(), Infallible>(())
    };
    let mut integrator = AdaptiveIntegrator::new(AdaptiveMethod::Dop853, tolerance(1e-9), 0.0, &[2.0, 0.0]);
    integrator.advance_to(2.0, &mut van_der_pol).unwrap();
    let y = integrator.state();
    assert!((y[0] - 1.763_234_540_188_910_2).abs() < 1e-12 && (y[1] + 0.835_688_681_914_662_1).abs() < 1e-12, "{y:?}");
    assert_eq!(integrator.work(), AdaptiveWork { accepted: 1345, rejected: 123, evaluations: 21530 - 3 * 1345 });
}

#[test]
fn the_arenstorf_orbit_closes() {
    // Errors grow by some 1e5 on the way, through two passages near the moon.
    for (method, tol, bound) in [(AdaptiveMethod::Dopri5, 1e-12, 1e-7), (AdaptiveMethod::Dop853, 1e-13, 1e-8)] {
        let mut integrator = AdaptiveIntegrator::new(method, tolerance(tol), 0.0, &ARENSTORF_START);
        integrator.advance_to(ARENSTORF_PERIOD, &mut arenstorf).unwrap();
        let gap = distance(integrator.state(), &ARENSTORF_START);
        assert!(gap < bound, "{method:?}: {gap:e}");
    }
}

#[test]
fn orders_are_as_stated() {
    for (method, intervals) in
        [(AdaptiveMethod::Dopri5, [64, 128, 256, 512]), (AdaptiveMethod::Dop853, [24, 32, 48, 64])]
    {
        let end = 4.0;
        let errors = intervals.map(|n| {
            // With a tolerance that accepts everything, steps end where told to, after a few short ones at the start.
            let mut integrator = AdaptiveIntegrator::new(method, tolerance(1e12), 0.0, &planet_and_bell_at(0.3, 0.0));
            for k in 1..=n {
                integrator.advance_to(end * k as f64 / n as f64, &mut planet_and_bell).unwrap();
            }
            distance(integrator.state(), &planet_and_bell_at(0.3, end))
        });
        for k in 1..errors.len() {
            let order = (errors[k - 1] / errors[k]).ln() / (intervals[k] as f64 / intervals[k - 1] as f64).ln();
            assert!((order - f64::from(method.order())).abs() < 0.5, "{method:?}: order {order} from {errors:?}");
        }
    }
}

#[test]
fn tight_tolerances_are_met() {
    let eccentricity = 0.5;
    let mut integrator =
        AdaptiveIntegrator::new(AdaptiveMethod::Dop853, tolerance(1e-13), 0.0, &planet_and_bell_at(eccentricity, 0.0));
    let mut worst = 0.0_f64;
    for k in 1..=40 {
        let t = TAU * f64::from(k) / 8.0;
        integrator.advance_to(t, &mut planet_and_bell).unwrap();
        worst = worst.max(distance(integrator.state(), &planet_and_bell_at(eccentricity, t)));
    }
    // Some 80 steps a revolution, each wrong by 1e-13 times a speed of up to two: the energy is off by up to 1.6e-11
    // more after each, the period by 3π times that, which adds up to 15 such shifts over five revolutions.
    assert!(worst < 2e-9, "{worst:e}");
    assert!(integrator.work().accepted < 450, "{:?}", integrator.work());
}

#[test]
fn dense_output_is_as_good_as_the_steps() {
    for (method, tol) in
        [(AdaptiveMethod::Dopri5, 1e-8), (AdaptiveMethod::Dop853, 1e-10), (AdaptiveMethod::Dop853, 1e-13)]
    {
        let times: Vec<f64> = (0..=1000).map(|k| TAU * f64::from(k) / 1000.0).collect();
        let (mut inside, mut at_steps) = (0.0_f64, 0.0_f64);
        let start = planet_and_bell_at(0.5, 0.0);
        let mut output = |t: f64, y: &[f64]| {
            inside = inside.max(distance(y, &planet_and_bell_at(0.5, t)));
            Ok(())
        };
        integrate(method, tolerance(tol), 0.0, &start, &times, &mut planet_and_bell, &mut output).unwrap();
        let mut integrator = AdaptiveIntegrator::new(method, tolerance(tol), 0.0, &start);
        while integrator.time() < TAU {
            integrator.step(TAU, &mut planet_and_bell).unwrap();
            at_steps = at_steps.max(distance(integrator.state(), &planet_and_bell_at(0.5, integrator.time())));
        }
        assert!(inside < 10.0 * at_steps, "{method:?}: {inside:e} inside, {at_steps:e} at the ends");
    }
}

#[test]
fn dense_output_is_of_the_order_stated() {
    // From the integrator's own state the error of one step is of one order more: h^9 at its end by DOP853, and h^8 inside, where
    // the polynomial is of order 7; h^6 and h^5 by DOPRI5.
    for (method, lengths) in
        [(AdaptiveMethod::Dopri5, [0.04, 0.03, 0.02, 0.01]), (AdaptiveMethod::Dop853, [0.3, 0.25, 0.2, 0.15])]
    {
        let errors = lengths.map(|length| {
            let mut loose = AdaptiveIntegrator::new(method, tolerance(1e12), -1.0, &planet_and_bell_at(0.3, -1.0));
            loose.advance_to(0.4, &mut planet_and_bell).unwrap();
            let begin = loose.state().to_vec();
            let mut tight = AdaptiveIntegrator::new(AdaptiveMethod::Dop853, tolerance(1e-15), 0.4, &begin);
            loose.step(0.4 + length, &mut planet_and_bell).unwrap();
            assert_eq!((loose.time_before(), loose.time()), (0.4, 0.4 + length), "one step");
            let mut inside = [0.0; 5];
            let mut worst = 0.0f64;
            for part in 1..8 {
                let time = 0.4 + length * f64::from(part) / 8.0;
                tight.advance_to(time, &mut planet_and_bell).unwrap();
                loose.interpolate(time, &mut planet_and_bell, &mut inside).unwrap();
                worst = worst.max(distance(&inside, tight.state()));
            }
            tight.advance_to(loose.time(), &mut planet_and_bell).unwrap();
            [worst, distance(loose.state(), tight.state())]
        });
        for (at, order) in [(0, method.order() - 1), (1, method.order())] {
            let (first, last) = (errors[0][at], errors[3][at]);
            let slope = (first / last).ln() / (lengths[0] / lengths[3]).ln();
            assert!((slope - f64::from(order + 1)).abs() < 0.5, "{method:?}: slope {slope} from {errors:?}");
        }
    }
}

#[test]
fn integration_runs_backwards() {
    for method in METHODS {
        let mut integrator = AdaptiveIntegrator::new(method, tolerance(1e-11), 3.0, &planet_and_bell_at(0.3, 3.0));
        integrator.advance_to(-2.0, &mut planet_and_bell).unwrap();
        let error = distance(integrator.state(), &planet_and_bell_at(0.3, -2.0));
        // The bell grows by five on the way; errors of some hundred steps add up.
        assert!(error < 1e-8, "{method:?}: {error:e}");
    }
}

#[test]
fn output_times_do_not_change_the_steps() {
    let run = |times: &[f64]| {
        let mut last = Vec::new();
        let start = planet_and_bell_at(0.3, 0.0);
        let mut output = |_: f64, y: &[f64]| {
            last = y.to_vec();
            Ok(())
        };
        let method = AdaptiveMethod::Dop853;
        integrate(method, tolerance(1e-9), 0.0, &start, times, &mut planet_and_bell, &mut output).unwrap();
        last
    };
    assert_eq!(run(&[5.0]), run(&[0.0, 0.1, 0.2, 3.3, 3.3, 5.0]));
}

#[test]
fn a_failing_right_hand_side_is_reported_where_it_fails() {
    for method in METHODS {
        let mut root = |t: f64, _: &[f64], dy: &mut [f64]| {
            if t > 1.0 {
                return Err("outside the domain");
            }
            dy[0] = (1.0 - t).sqrt();
            Ok(())
        };
        let mut integrator = AdaptiveIntegrator::new(method, tolerance(1e-8), 0.0, &[0.0]);
        let Err(AdaptiveError::RightHandSide { t, cause }) = integrator.advance_to(2.0, &mut root) else {
            panic!("no failure reported")
        };
        assert_eq!(cause, "outside the domain");
        assert!(t <= 1.0 && t > 1.0 - 1e-12, "{t}");
        assert_eq!(integrator.time(), t);
        // What was reached still holds: the integral of sqrt(1 - t).
        assert!((integrator.state()[0] - 2.0 / 3.0).abs() < 1e-6, "{:?}", integrator.state());
        let mut at_once = AdaptiveIntegrator::new(method, tolerance(1e-8), 1.5, &[0.0]);
        assert!(matches!(at_once.advance_to(2.0, &mut root), Err(AdaptiveError::RightHandSide { t: 1.5, .. })));
    }
}

#[test]
fn a_step_that_leaves_the_domain_is_only_shortened() {
    for method in METHODS {
        // Decays towards zero and stays positive, but a long step overshoots.
        let mut decay = |_: f64, y: &[f64], dy: &mut [f64]| {
            if y[0] <= 0.0 {
                return Err("not positive");
            }
            dy[0] = -y[0];
            Ok(())
        };
        let options = AdaptiveOptions { relative_tolerance: 0.0, absolute_tolerance: 1e-2, ..Default::default() };
        let mut integrator = AdaptiveIntegrator::new(method, options, 0.0, &[1.0]);
        integrator.advance_to(100.0, &mut decay).unwrap();
        assert!(integrator.work().rejected > 0);
        assert!(integrator.state()[0] > 0.0 && integrator.state()[0] < 0.1);
    }
}

#[test]
fn stiff_equations_use_up_the_steps() {
    for method in METHODS {
        let mut stiff = |t: f64, y: &[f64], dy: &mut [f64]| {
            dy[0] = -1e6 * (y[0] - t.cos());
            Ok::<(), Infallible>(())
        };
        let options = AdaptiveOptions { max_steps: 1000, ..tolerance(1e-6) };
        let mut integrator = AdaptiveIntegrator::new(method, options, 0.0, &[1.0]);
        let error = integrator.advance_to(1.0, &mut stiff).unwrap_err();
        // Stability keeps steps below 10/1e6.
        let AdaptiveError::TooManySteps { t, steps: 1000, step, obstacle: Obstacle::Stiff } = error else {
            panic!("{error}")
        };
        assert!(t < 0.01 && step < 1e-5, "{t} {step}");
        // More can be allowed, and only these are counted.
        integrator.allow(10);
        let error = integrator.advance_to(1.0, &mut stiff).unwrap_err();
        assert!(matches!(error, AdaptiveError::TooManySteps { steps: 10, .. }), "{error}");
        assert_eq!((integrator.tried(), integrator.work().tried()), (10, 1010));
    }
}

#[test]
fn what_keeps_the_steps_short_is_named() {
    for method in METHODS {
        // y'' of y and y'.
        let stopped = |y: &[f64], acceleration: fn(f64, f64) -> f64| {
            let options = AdaptiveOptions { max_steps: 2000, ..tolerance(1e-10) };
            let mut integrator = AdaptiveIntegrator::new(method, options, 0.0, y);
            let mut rhs = |_: f64, y: &[f64], dy: &mut [f64]| {
                dy.copy_from_slice(&[y[1], acceleration(y[0], y[1])]);
                Ok::<(), Infallible>(())
            };
            match integrator.advance_to(1.0, &mut rhs) {
                Err(AdaptiveError::TooManySteps { obstacle, .. }) => obstacle,
                other => panic!("{other:?}"),
            }
        };
        // A block that should stick: its friction points the other way at every look.
        let stick = stopped(&[0.0, 0.3], |_, v| 0.5 - v.signum());
        assert_eq!(stick, Obstacle::Jumps);
        let spring = stopped(&[1.0, 0.0], |x, _| -1e14 * x);
        assert_eq!(spring, Obstacle::Fast);
        // The same friction, smoothed: where the block would stick its velocity answers a million times faster than it moves.
        let smoothed = stopped(&[0.0, 0.3], |_, v| 0.5 - v / v.hypot(1e-6));
        assert_eq!(smoothed, Obstacle::Stiff);
    }
}

#[test]
fn a_singularity_stops_the_integration_in_front_of_it() {
    for method in METHODS {
        let mut blow_up = |_: f64, y: &[f64], dy: &mut [f64]| {
            dy[0] = y[0] * y[0];
            Ok::<(), Infallible>(())
        };
        let mut integrator = AdaptiveIntegrator::new(method, tolerance(1e-10), 0.0, &[1.0]);
        let error = integrator.advance_to(2.0, &mut blow_up).unwrap_err();
        assert!(matches!(error, AdaptiveError::StepTooSmall { t, .. } if (t - 1.0).abs() < 1e-6), "{error}");
    }
}

fn still(_: f64, _: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
    dy.fill(0.0);
    Ok(())
}

#[test]
fn impossible_requests_are_refused() {
    let attempt = |options: AdaptiveOptions, start: f64, t: f64| {
        AdaptiveIntegrator::new(AdaptiveMethod::Dopri5, options, 0.0, &[start]).advance_to(t, &mut still)
    };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(attempt(tolerance(bad), 1.0, 1.0), Err(AdaptiveError::Tolerances { .. })), "{bad}");
    }
    assert!(matches!(attempt(tolerance(1e-6), f64::NAN, 1.0), Err(AdaptiveError::NotFinite { t: 0.0 })));
    assert!(matches!(attempt(tolerance(1e-6), 1.0, f64::INFINITY), Err(AdaptiveError::Time { .. })));
    assert!(matches!(attempt(tolerance(1e-6), 1.0, f64::NAN), Err(AdaptiveError::Time { .. })));
    let times = [1.0, 0.5, 2.0];
    let options = AdaptiveOptions::default();
    let unordered =
        integrate(AdaptiveMethod::Dopri5, options, 0.0, &[1.0], &times, &mut still, &mut |_, _| Ok(())).unwrap_err();
    assert_eq!(unordered, AdaptiveError::Time { time: 0.5 });
    let mut integrator = AdaptiveIntegrator::new(AdaptiveMethod::Dopri5, options, 0.0, &[1.0]);
    integrator.advance_to(1.0, &mut still).unwrap();
    let outside = integrator.interpolate(1.5, &mut still, &mut [0.0]);
    assert_eq!(outside, Err(AdaptiveError::Time { time: 1.5 }));
}

#[test]
fn the_output_can_stop_the_integration() {
    let mut seen = 0;
    let mut output = |t: f64, _: &[f64]| {
        seen += 1;
        if t < 0.25 { Ok(()) } else { Err("enough") }
    };
    let mut still = |_: f64, _: &[f64], dy: &mut [f64]| {
        dy.fill(0.0);
        Ok(())
    };
    let times = [0.1, 0.2, 0.3, 0.4];
    let options = AdaptiveOptions::default();
    let stopped = integrate(AdaptiveMethod::Dop853, options, 0.0, &[1.0], &times, &mut still, &mut output);
    assert_eq!(stopped, Err(AdaptiveError::Output { t: 0.3, cause: "enough" }));
    assert_eq!(seen, 3);
}

#[test]
fn empty_systems_and_empty_times_are_no_trouble() {
    for method in METHODS {
        let mut integrator = AdaptiveIntegrator::new(method, AdaptiveOptions::default(), 0.0, &[]);
        integrator.advance_to(1.0, &mut still).unwrap();
        integrator.interpolate(0.9999, &mut still, &mut []).unwrap_or(());
        let work = integrate(method, AdaptiveOptions::default(), 0.0, &[1.0], &[], &mut still, &mut |_, _| Ok(()));
        assert_eq!(work, Ok(AdaptiveWork::default()));
    }
}
