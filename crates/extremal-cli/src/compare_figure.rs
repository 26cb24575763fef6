//! The figures of `extremal compare`: over the steps, and over time.

use extremal_engine::compare::{Against, ComparedCurve, ComparisonRow, CurveOf};
use extremal_engine::trajectory::Figure;
use extremal_engine::trajectory::plot::{Curve, Mark, Panel};

use crate::source::Source;

/// More coordinates than this are summed up in one.
pub const MOST_COORDINATES: usize = 3;
/// More samples than this are drawn as a dashed line, fewer as points.
const MOST_POINTS: usize = 100;

/// Of more motions than this the energies by both momenta are not told apart.
const MOST_WITH_BOTH: usize = 2;

/// Largest errors and energy drifts over the step.
pub fn over_steps(source: &Source, rows: &[ComparisonRow], against: Against) -> Figure {
    let panel = |title: &str, label: &str, value: fn(&ComparisonRow) -> f64| {
        let curves = rows.chunk_by(|a, b| a.method == b.method).map(|rows| {
            let done = rows.iter().filter(|row| row.failure.is_none());
            Curve::new(&rows[0].method.to_string(), done.map(|row| (row.step, value(row)))).mark(Mark::LineAndPoints)
        });
        Panel::new(title).x_label("step h").y_label(label).log_log().curves(curves)
    };
    let largest = |row: &ComparisonRow| row.errors.get(worst(row)).map_or(0.0, |(_, error)| *error);
    let errors = panel("Largest error", "error", largest);
    let drifts = panel("Largest energy drift", "energy drift", |row| row.energy_drift);
    Figure::new(source.title()).subtitle(measured(against)).panel(errors).panel(drifts)
}

/// Of each quantity the motions beside the truth, and their errors; then the energies.
pub fn over_time(
    source: &Source,
    names: &[String],
    rows: &[ComparisonRow],
    curves: &[ComparedCurve],
    against: Against,
) -> Figure {
    let panel = |title: String| Panel::new(title).x_label("time");
    let truest = curves.iter().min_by(|a, b| a.step.total_cmp(&b.step));
    let truth = |of: CurveOf| truest.map(|curve| Curve::new("truth", curve.points(of)));
    let drawn = |curve: &ComparedCurve, label: &str, of: CurveOf| {
        let points = curve.points(of);
        let mark = if points.len() > MOST_POINTS { Mark::Dashed } else { Mark::Points };
        Curve::new(label, points).mark(mark)
    };
    let mut figure = Figure::new(source.title()).subtitle(measured(against));
    for at in shown(names.len(), rows) {
        let motions = curves.iter().map(|curve| drawn(curve, &curve.label, CurveOf::Value(at)));
        let motions = truth(CurveOf::Truth(at)).into_iter().chain(motions);
        figure = figure.panel(panel(format!("{} over time", names[at])).y_label(&names[at]).curves(motions));
        let errors = curves.iter().map(|curve| Curve::new(&curve.label, curve.points(CurveOf::Error(at))));
        figure = figure.panel(panel(format!("Error of {}", names[at])).y_label("error").zero_line().curves(errors));
    }
    // Both momenta are one number at every sample but the ends; among many motions they are one curve.
    let kinds = match curves.len() <= MOST_WITH_BOTH {
        true => {
            &[(CurveOf::EnergyMinus, "by p-"), (CurveOf::EnergyPlus, "by p+"), (CurveOf::EnergyVelocity, "by v")][..]
        }
        false => &[(CurveOf::Energy, "by p"), (CurveOf::EnergyVelocity, "by v")],
    };
    let mut energies: Vec<Curve> = truth(CurveOf::EnergyTruth).into_iter().collect();
    for curve in curves {
        // A method without momenta of its own steps has one energy.
        match curve.points(CurveOf::EnergyMinus).is_empty() {
            true => energies.push(drawn(curve, &curve.label, CurveOf::Energy)),
            false => {
                let there = kinds.iter().filter(|(of, _)| !curve.points(*of).is_empty());
                energies.extend(there.map(|(of, by)| drawn(curve, &format!("{}, {by}", curve.label), *of)));
            }
        }
    }
    figure.panel(panel("Energy".to_owned()).y_label("energy").curves(energies))
}

/// The quantities that are drawn: all if they are few, else those of the largest errors.
fn shown(quantities: usize, rows: &[ComparisonRow]) -> Vec<usize> {
    let largest = |at: usize| rows.iter().map(|row| row.errors[at].1).fold(0.0, f64::max);
    let mut places: Vec<usize> = (0..quantities).collect();
    places.sort_by(|a, b| largest(*b).total_cmp(&largest(*a)));
    places.truncate(MOST_COORDINATES);
    places.sort_unstable();
    places
}

/// What the errors are measured against, in words.
pub fn measured(against: Against) -> &'static str {
    match against {
        Against::Exact => "errors against the closed form",
        Against::Dop853 => "errors against dop853 at tolerance 1e-13",
    }
}

/// The coordinate with the largest error.
pub fn worst(row: &ComparisonRow) -> usize {
    let errors = row.errors.iter().map(|(_, error)| *error).enumerate();
    errors.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(at, _)| at)
}
