//! The constrained models of the gallery against the numbers of `[expected]`, which other programs computed in other coordinates.

use extremal_engine::{Model, gallery as embedded};

use extremal_testkit::numbers::measured_order;
use extremal_testkit::runs::{RecordedRun, gallery, record, reference, with};

/// Models of motions with constraints.
fn constrained() -> Vec<(&'static str, Model)> {
    let all = embedded::names().map(|name| (name, gallery(name)));
    // Under dry friction the references are not defined, and a discrete system of its own has other numbers.
    let smooth = all.filter(|(_, model)| model.dry_friction().is_empty() && model.discrete().is_none());
    smooth.filter(|(_, model)| !model.constraints().is_empty() && model.boundary().is_none()).collect()
}

/// Expected numbers have twelve digits, and the reference runs keep ten of them, multipliers included.
#[test]
fn reference_runs_end_at_the_expected_numbers() {
    let models = constrained();
    assert!(models.len() >= 23, "{}", models.len());
    for (name, model) in models {
        let run = record(&model, &reference(&model, 0.05));
        let mut multipliers = 0;
        for (column, value) in model.expected().iter().flat_map(|expected| &expected.values) {
            let error = (run.last(column) - value).abs();
            assert!(error <= 1e-10 * value.abs().max(1.0), "{name}: {column} = {value} is missed by {error:e}");
            multipliers += usize::from(column.starts_with("lambda"));
        }
        assert!(multipliers > 0, "{name} expects no multiplier");
    }
}

/// Both motion and reactions have the order of the model's method.
#[test]
fn motion_and_reactions_converge_with_the_order_of_the_method() {
    let mut wrong = Vec::new();
    for (name, model) in constrained() {
        let method = model.simulation().method.to_string();
        let fourth = ["suzuki4", "galerkin(2", "gauss(2", "energy-entropy(2)"];
        let order = if fourth.iter().any(|name| method.contains(name)) { 4.0 } else { 2.0 };
        let steps: Vec<f64> = (0..3).map(|k| model.simulation().step.unwrap() / f64::from(1 << k)).collect();
        let runs: Vec<_> = steps.iter().map(|h| record(&model, &with(&model, &method, *h))).collect();
        for expected in model.expected() {
            let error = |run: &RecordedRun| {
                let errors = expected.values.iter().map(|(column, value)| (run.last(column) - value).abs());
                errors.fold(0.0, f64::max)
            };
            let points: Vec<(f64, f64)> = steps.iter().zip(&runs).map(|(h, run)| (*h, error(run))).collect();
            // Exact up to round-off: the hoop, the fall of Appell and Hamel's particle, the reactions of the disc, whose spin and turn the method keeps, and what the free body and satellites keep.
            if points.iter().all(|(_, error)| *error < 1e-12) {
                let exact = ["hoop-on-incline", "rolling-disc", "appell-hamel", "free-rigid-body"];
                let kept = name.starts_with("satellite-") && expected.name == "kept";
                assert!(exact.contains(&name) || kept, "{name}: {points:?}");
                continue;
            }
            // Twelve digits of numbers up to 500.
            let measured = measured_order(&points, 1e-12);
            println!("{name}: {measured:.3} {points:?}");
            if (measured - order).abs() > 0.1 {
                wrong.push(format!("{name}: {order} expected, {measured:.3} measured, {points:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
