//! What is kept of members: compared with closed forms, and with the rows of single runs.

use std::f64::consts::{FRAC_PI_2, PI};

use extremal_engine::Settings;
use extremal_engine::sweep::{List, Record, Variation};
use extremal_testkit::models::model;
use extremal_testkit::runs::{Lasting, attempt, gallery, gallery_with};
use extremal_testkit::sweeps::{SweepRows, grid, kept_columns};

const OSCILLATOR: &str = r#"
parameters.k = 1.0
coordinates.x = { start = 1.0, velocity = 0.0 }
dynamics.lagrangian = "x'^2/2 - k*x^2/2"
stop.middle = { when = "x" }
simulation = { step = 0.01, until = 10.0 }
"#;

#[test]
fn every_crossing_of_a_condition_is_an_event() {
    let model = model(OSCILLATOR);
    let rows = SweepRows::of(&model, &Settings::of(&model), grid(&["x=1,2", "k=1,4"]), Record::Events);
    for member in 0..4 {
        let w = [1.0, 2.0][member % 2];
        let of_member: Vec<usize> = (0..rows.frame.rows()).filter(|at| rows.members()[*at] == member as i64).collect();
        // x = cos(w t) is zero at t = (k + 1/2) π/w; the period of the midpoint rule is longer by (w h)²/12.
        let zeros = (0..).map(|k| (f64::from(k) * PI + FRAC_PI_2) / w).take_while(|t| *t < 10.0);
        let (last, events) = of_member.split_last().unwrap();
        let times: Vec<f64> = events.iter().map(|at| rows.column("t")[*at]).collect();
        assert_eq!(times.len(), zeros.clone().count());
        for (time, zero) in times.iter().zip(zeros) {
            assert!((time - zero).abs() < 1.1 * (w * 0.01).powi(2) / 12.0 * zero, "{time} and {zero}");
        }
        for at in events {
            assert_eq!((rows.events()[*at], rows.statuses()[*at]), (Some("middle"), None));
            assert!(rows.column("x")[*at].abs() < 1e-13, "the crossing is where the condition is zero");
        }
        assert_eq!((rows.events()[*last], rows.statuses()[*last]), (None, Some("finished")));
        assert_eq!(rows.column("t")[*last], 10.0);
    }
    assert_eq!((rows.summary.finished, rows.summary.members()), (4, 4));
}

#[test]
fn extremes_are_those_of_all_rows_of_a_run() {
    let model = gallery("double-pendulum");
    let settings = Settings::of(&model).until(2.0);
    let rows = SweepRows::of(&model, &settings, grid(&["l2=1,1.5"]), Record::Extremes);
    for (member, l2) in ["1", "1.5"].into_iter().enumerate() {
        let single = attempt(&gallery_with("double-pendulum", &[("l2", l2)]), &settings);
        for name in kept_columns(&single).iter().filter(|name| *name != "t") {
            let column = single.column(name);
            let (least, largest) =
                (column.iter().copied().fold(f64::NAN, f64::min), column.iter().copied().fold(f64::NAN, f64::max));
            assert_eq!(rows.column(&format!("{name}_min"))[member], least, "{name}");
            assert_eq!(rows.column(&format!("{name}_max"))[member], largest, "{name}");
        }
    }
}

#[test]
fn all_rows_are_those_of_a_run() {
    let model = gallery("pendulum");
    let settings = Settings::of(&model).steps(25);
    let single = attempt(&model, &settings);
    for every in [1, 4, 5, 100] {
        let rows = SweepRows::of(&model, &settings, grid(&["theta=2,2"]), Record::All { every });
        let kept: Vec<usize> = (0..=25).filter(|step| step % every as usize == 0 || *step == 25).collect();
        assert_eq!(rows.frame.rows(), 2 * kept.len());
        for name in kept_columns(&single) {
            let expected: Vec<f64> = kept.iter().map(|step| single.column(&name)[*step]).collect();
            assert_eq!(rows.column(&name), [&expected[..], &expected].concat(), "{name}, every {every}");
        }
        // Only the last row of a member says how it ended.
        let ended: Vec<bool> = rows.statuses().iter().map(Option::is_some).collect();
        let expected: Vec<bool> = (1..=kept.len()).map(|row| row == kept.len()).collect();
        assert_eq!(ended, [&expected[..], &expected].concat());
    }
}

#[test]
fn a_list_is_marched_in_its_order() {
    let model = model(OSCILLATOR);
    let list = List::read("x,k\n3,1\n-1,4\n0.5,9\n").unwrap();
    let settings = Settings::of(&model).until(1.0);
    let variation = Variation { list: Some(list), ..Variation::default() };
    let rows = SweepRows::of(&model, &settings, variation, Record::Events);
    let ends: Vec<usize> = (0..rows.frame.rows()).filter(|at| rows.statuses()[*at].is_some()).collect();
    for (at, (x, w)) in ends.into_iter().zip([(3.0, 1.0), (-1.0, 2.0), (0.5, 3.0f64)]) {
        // The phase after t = 1 is w - w³h²/12: midpoint is the exact motion at that frequency, up to h⁴.
        let exact = x * (w - w * w * w * 1e-4 / 12.0).cos();
        assert!((rows.column("x")[at] - exact).abs() < 1e-6 * w.powi(5), "{exact}");
    }
}
