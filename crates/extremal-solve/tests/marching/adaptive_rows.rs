//! Rows of a motion that DOP853 follows: read off its dense output where they are close together, with shortened steps where not.

use extremal_expr::Graph;
use extremal_solve::{AdaptiveMarcher, AdaptiveMethod, March};
use extremal_testkit::marches::{double_pendulum, double_pendulum_acceleration, followed, start};
use extremal_testkit::numbers::distance;

const Q0: [f64; 2] = [2.0, 1.0];
const END: f64 = 4.0;

/// The double pendulum, looked at every `h`.
fn motion(tolerance: f64, h: f64) -> AdaptiveMarcher {
    let g = Graph::new();
    let system = double_pendulum(&g);
    let mut marcher = AdaptiveMarcher::new(&system, AdaptiveMethod::Dop853, tolerance, &[], &[], &[]).unwrap();
    marcher.set_parameters(&[]);
    marcher.start(&start(&Q0, &[0.0; 2]), h).unwrap()
}

/// Equations typed by hand, at these times.
fn truth(times: &[f64]) -> Vec<Vec<f64>> {
    followed(&[Q0[0], Q0[1], 0.0, 0.0], times, |_, y, dy| {
        let a = double_pendulum_acceleration([y[0], y[1]], [y[2], y[3]], [0.0; 2]);
        dy.copy_from_slice(&[y[2], y[3], a[0], a[1]]);
    })
}

/// The largest error at the rows, and the steps that were tried for them.
fn errors(tolerance: f64, rows: u64) -> (f64, u64) {
    let mut motion = motion(tolerance, END / rows as f64);
    let times: Vec<f64> = (1..=rows).map(|row| END / rows as f64 * row as f64).collect();
    let mut worst = 0.0f64;
    for (time, exact) in times.iter().zip(truth(&times)) {
        motion.advance().unwrap();
        assert!((motion.time() - time).abs() < 1e-14 * END);
        worst = worst.max(distance(motion.state(), &exact));
    }
    (worst, motion.steps_tried())
}

#[test]
fn rows_close_together_cost_no_steps_and_are_as_good() {
    for tolerance in [1e-6, 1e-9, 1e-12] {
        let (of_one, steps) = errors(tolerance, 1);
        let (of_many, steps_for_many) = errors(tolerance, 4000);
        // The first steps are found for a row and grow from there by a factor of six at most, and the control goes other ways then; with a
        // step for every row there would be 4000.
        assert!(
            steps_for_many <= steps + steps / 10 + 12,
            "{tolerance:e}: {steps_for_many} steps, {steps} for one row"
        );
        // Inside a step the error is of one order less: ten times that of the ends at most, as the integrator's own tests measure, and
        // errors that grow with the time may be larger before the end by as much as the motion is faster there.
        assert!(of_many <= 20.0 * of_one.max(100.0 * tolerance), "{tolerance:e}: {of_many:e}, at the end {of_one:e}");
    }
}

#[test]
fn a_row_inside_a_step_can_be_taken_again_and_gone_on_from() {
    let h = 1e-3;
    let mut motion = motion(1e-10, h);
    (0..1000).for_each(|_| motion.advance().unwrap());
    motion.retake(h / 3.0).unwrap();
    let mut times = vec![0.999 + h / 3.0];
    let retaken = motion.state().to_vec();
    assert!((motion.time() - times[0]).abs() < 1e-14);
    // Observed there: velocities and momenta of that state.
    let velocities = motion.observe().unwrap()[..2].to_vec();
    assert_eq!(velocities, retaken[2..4]);
    motion.advance_by(0.5).unwrap();
    times.push(times[0] + 0.5);
    let exact = truth(&times);
    // Some tens of steps that are right to 1e-10 each.
    assert!(distance(&retaken, &exact[0]) < 1e-8, "{:e}", distance(&retaken, &exact[0]));
    assert!(distance(motion.state(), &exact[1]) < 1e-8, "{:e}", distance(motion.state(), &exact[1]));
}
