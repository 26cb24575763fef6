//! No false positive: all that is reported about the gallery holds along motions of DOP853, which knows nothing of the analysis; and
//! friction that warms nothing takes the energy away.

use std::fmt::Write as _;

use extremal_engine::analyze::Findings;
use extremal_engine::expr::{Expr, Rational, magnitude};
use extremal_engine::mechanics::System;
use extremal_engine::mechanics::analysis::{Parameters, SearchBounds, Symmetry, conserved_quantities, regularity};
use extremal_engine::model::{Extent, Pacing};
use extremal_engine::run::{End, Tracked};
use extremal_engine::{CompiledRun, Model, Settings, gallery as embedded};
use extremal_testkit::analyses::{analysed, typed};
use extremal_testkit::models::model;
use extremal_testkit::runs::{Lasting, RecordedRun, executed, gallery};

/// Longer motions show nothing new; curves meet singularities.
const LONGEST: f64 = 4.0;
const LONGEST_CURVE: f64 = 1.0;
/// Rows of a run, and how many of them a singularity must leave.
const ROWS: usize = 200;
const FEWEST_ROWS: usize = 10;

/// The independent variable of a curve is its time; it starts at one half, because some curves are singular at zero.
fn in_our_time<'m>(problem: &'m Model, e: Expr<'m>) -> Expr<'m> {
    let g = problem.graph();
    match problem.boundary() {
        Some(_) => e.substitute(&[(problem.time(), g.symbol("t") + g.rational(Rational::new(1, 2).unwrap()))]),
        None => e,
    }
}

/// A motion of a boundary problem from a state of our own, with values of our own for the multipliers of its integrals.
fn started<'m>(problem: &'m Model, analysis: &Findings<'m>) -> Model {
    let mut text = String::from("[parameters]\n");
    let used: Vec<String> =
        problem.graph().free_symbols(&[analysis.system.lagrangian]).iter().map(ToString::to_string).collect();
    for parameter in problem.parameters().iter().filter(|p| used.contains(&p.name)) {
        let _ = writeln!(text, "{} = {:?}", parameter.name, parameter.value);
    }
    for multiplier in &analysis.multipliers {
        let _ = writeln!(text, "{multiplier} = 0.7");
    }
    text.push_str("[coordinates]\n");
    for (k, coordinate) in problem.coordinates().iter().enumerate() {
        let k = k as f64;
        let higher = if analysis.order > 1 { ", acceleration = 0.4, jerk = -0.2" } else { "" };
        let _ = writeln!(
            text,
            "\"{}\" = {{ start = {:?}, velocity = {:?}{higher} }}",
            coordinate.name,
            0.8 + 0.3 * k,
            0.5 - 0.2 * k
        );
    }
    let stated = if analysis.order > 1 { problem.lagrangian() } else { analysis.system.lagrangian };
    let lagrangian = in_our_time(problem, stated);
    let _ = writeln!(text, "[dynamics]\nlagrangian = \"{lagrangian}\"");
    if analysis.order > 1 {
        text.push_str("[simulation]\nmethod = \"hermite\"\n");
    }
    model(&text)
}

/// The text of a boundary problem with constraints or entropies, with a start instead of ends.
fn started_text(name: &str) -> Option<String> {
    let text = extremal_engine::gallery::text(name)?;
    let before = |table: &str| text.split(table).next().map(str::to_string);
    match name {
        // z' = (x y' − y x')/2.
        "heisenberg" => Some(
            before("[boundary]")?
                .replace("x = {}", "x = { start = 1.0, velocity = 0.5 }")
                .replace("y = {}", "y = { start = 0.2, velocity = 0.3 }")
                .replace("z = {}", "z = { start = 0.0, velocity = 0.1 }")
                .replace("\"vakonomic\"", "\"vakonomic\", multiplier = 0.4"),
        ),
        "lagging-motor" => Some(
            before("[controls]")?
                .replace("x = {}", "x = { start = 1.0, velocity = 0.5 }")
                .replace("{ rate = \"(u - F)/tau\" }", "{ start = 0.7, rate = \"-F/tau\" }"),
        ),
        "piston-stroke" => {
            Some(before("[controls]")?.replace("x = { domain", "x = { start = 1.0, velocity = 0.4, domain"))
        }
        _ => None,
    }
}

/// The largest relative change of anything that was found, and how much was.
fn largest_change<'m>(name: &str, problem: &'m Model, motion: &Model, analysis: &Findings<'m>) -> (f64, usize) {
    let g = motion.graph();
    let mut tracked = Vec::new();
    for (k, quantity) in analysis.conserved.found.iter().enumerate() {
        let text = in_our_time(problem, quantity.expression).to_string();
        let expression = typed(motion, &text).id();
        tracked.push(Tracked { name: format!("quantity {k}"), expression });
        tracked.push(Tracked { name: format!("size {k}"), expression: magnitude(g.expr(expression)).id() });
    }
    let until = match motion.simulation().extent {
        Some(Extent::Until(end)) => end.min(LONGEST),
        _ => LONGEST_CURVE,
    };
    // Under dry friction the references are not defined; what midpoint keeps there, it keeps to round-off.
    let method = if motion.dry_friction().is_empty() { "dop853" } else { "midpoint" };
    let settings = Settings {
        method: method.parse().unwrap(),
        tolerance: Some(1e-13),
        step: Some(until / ROWS as f64),
        start: extremal_engine::model::Start::default(),
        pacing: Pacing::Even,
        ..Settings::of(motion).until(until)
    };
    let run = CompiledRun::tracking(motion, &settings, &tracked).unwrap_or_else(|e| panic!("{name}: {e}"));
    let RecordedRun { outcome, recorder } = executed(&run);
    let rows = outcome.steps as usize;
    assert!(
        matches!(outcome.end, End::Reached | End::Stopped { .. } | End::Accumulated { .. }) || rows >= FEWEST_ROWS,
        "{name}: {:?}",
        outcome.end
    );
    let drift = |column: String| {
        let found = recorder.drifts().find(|(other, _)| other.name() == column);
        let (_, drift) = found.unwrap_or_else(|| panic!("{name}: no {column}"));
        (drift.first().unwrap().abs(), drift.max_drift())
    };
    let mut largest = 0.0f64;
    for k in 0..analysis.conserved.found.len() {
        let (_, change) = drift(format!("quantity {k}"));
        let (first, growth) = drift(format!("size {k}"));
        let relative = change / (first + growth).max(1e-300);
        assert!(relative <= 1e-8, "{name}: {} changes by {relative:e}", analysis.conserved.found[k].name);
        largest = largest.max(relative);
    }
    (largest, analysis.conserved.found.len())
}

#[test]
fn all_that_is_reported_holds_along_motions() {
    let (mut largest, mut quantities, mut models) = (0.0f64, 0, 0);
    for name in embedded::names() {
        let stated = gallery(name);
        // What is reported of a control problem is that of its motions without control; from momenta a run follows the optimal one.
        if stated.momentum_order().is_some() && !stated.controls().is_empty() {
            continue;
        }
        // Control problems of states alone have no start of their own.
        if stated.boundary().is_some() && stated.coordinates().is_empty() {
            continue;
        }
        let analysis = analysed(&stated);
        let (change, count) = match stated.boundary() {
            Some(_) => {
                let motion = started_text(name).map_or_else(|| started(&stated, &analysis), |text| model(&text));
                largest_change(name, &stated, &motion, &analysis)
            }
            None => largest_change(name, &stated, &stated, &analysis),
        };
        (largest, quantities, models) = (largest.max(change), quantities + count, models + 1);
    }
    println!("{quantities} quantities of {models} models, largest relative change {largest:e}");
    assert!(models >= 89 && quantities >= 120, "{quantities} quantities of {models} models");
}

fn keeps_energy<'g>(system: &System<'g>, parameters: &Parameters<'g>) -> bool {
    let seen = regularity(system, &[]);
    let bounds = SearchBounds { candidates: 40, degree: 2 };
    let conserved = conserved_quantities(system, Some(&seen), parameters, bounds);
    conserved.found.iter().any(|c| c.symmetry == Some(Symmetry::Time))
}

#[test]
fn friction_that_warms_nothing_takes_the_energy_away() {
    let mut with_energy = 0;
    for name in embedded::names() {
        let stated = gallery(name);
        // What has no coordinates has nothing to brake.
        if stated.order() > 1 || stated.coordinates().is_empty() {
            continue;
        }
        let mut system = System::of(&stated);
        let parameters = Parameters {
            symbols: stated.parameters().iter().map(|p| stated.graph().expr(p.symbol)).collect(),
            exact: Vec::new(),
        };
        with_energy += usize::from(keeps_energy(&system, &parameters));
        for k in 0..system.len() {
            system.force[k] = system.force[k] - system.v[k] / 10;
        }
        assert!(!keeps_energy(&system, &parameters), "{name} keeps its energy in spite of friction");
    }
    assert!(with_energy >= 50, "{with_energy}");
}
