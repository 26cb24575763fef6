//! The summary of a solved boundary problem.

use std::fmt::Write as _;
use std::path::PathBuf;

use extremal_engine::boundary::{
    BoundSide, BoundarySolution, Duration, FoundParameter, Grading, GridComparison, Kind, Normality, Problem,
    StatedControl, Status, UnmetCondition, Verification, kind_name, nature_name,
};
use extremal_engine::model::ControlShape;
use extremal_engine::trajectory::{Align, Role, Table, shortest, sig};

use crate::commands::FinishedSolve;
use crate::outputs::written as written_files;
use crate::source::Source;
use crate::terminal::{ERROR, FAINT, HEADING, WARNING, and_more, duration, size, table_of_facts, table_of_numbers};

/// A bound of an unknown holds it where its multiplier is more than this part of the objective.
const HELD: f64 = 1e-7;
/// Intervals beyond this number are counted, not listed.
const MOST_INTERVALS: usize = 4;
/// Coordinates beyond this number are counted, not listed.
const MOST_ROWS: usize = 12;

/// The summary as text with styles.
pub fn of(source: &Source, solved: &FinishedSolve<'_>, written: &[PathBuf]) -> String {
    let mut out = format!("{HEADING}{}{HEADING:#}\n", source.title());
    if let Some(origin) = source.model.source() {
        let _ = writeln!(out, "{FAINT}{origin}{FAINT:#}");
    }
    out.push('\n');
    facts(&mut out, solved);
    if !solved.solution.rows.is_empty() {
        ends(&mut out, &solved.solution);
        momenta(&mut out, &solved.solution);
    }
    bounds(&mut out, &solved.solution);
    sensitivities(&mut out, solved);
    levels(&mut out, solved);
    minima(&mut out, solved);
    out.push_str(&written_files(written));
    out
}

/// From the momenta at the start a run follows the optimal motion.
fn momenta(out: &mut String, solution: &BoundarySolution) {
    let Some(momenta) = &solution.momenta else { return };
    let mut table = table_of_numbers(["momentum", "start", "end"]);
    for ((name, start), (_, end)) in momenta.start.iter().zip(&momenta.end).take(2 * MOST_ROWS) {
        table.row([name.clone(), sig(*start, 8), sig(*end, 8)]);
    }
    let _ = write!(out, "\n{table}");
}

fn facts(out: &mut String, solved: &FinishedSolve<'_>) {
    let FinishedSolve { problem, solution, .. } = solved;
    let mut table = table_of_facts();
    table.row(["problem", kind_name(problem.kind())]);
    table.row(["method", &format!("{}, {} steps{}", problem.method(), solution.steps, graded(problem.grading()))]);
    for line in shapes(problem) {
        table.row(["control", &line]);
    }
    let status = match solution.nature {
        Some(nature) => format!("{}: {}", solution.status.name(), nature_name(nature)),
        None => solution.status.name().to_owned(),
    };
    let iterations = if solution.iterations == 1 { "iteration" } else { "iterations" };
    let pace = format!("{} {iterations} in {}", solution.iterations, duration(solved.elapsed));
    table.row(["status", &format!("{status}, {pace}")]);
    match problem.kind() {
        Kind::Action => table.row(["action", &sig(solution.objective, 12)]),
        Kind::Control => table.row(["objective", &sig(solution.objective, 12)]),
        Kind::Motion => {}
    }
    if matches!(problem.statement().duration, Duration::Free { .. }) {
        table.row(["duration", &sig(solution.duration, 12)]);
    }
    for FoundParameter { name, value, multiplier } in &solution.found {
        let held = match multiplier.abs() > HELD * solution.objective.abs() {
            true => format!(", held by a bound with the multiplier {}", sig(*multiplier, 6)),
            false => String::new(),
        };
        table.row([name, &format!("{}{held}", sig(*value, 12))]);
    }
    for (name, multiplier) in solution.integral_multipliers.iter().chain(&solution.end_multipliers) {
        table.row([&format!("multiplier of {name}"), &sig(*multiplier, 10)]);
    }
    table.row([
        "residual",
        &format!("{} in the conditions, {} in the gradient", size(solution.residual), size(solution.dual_residual)),
    ]);
    let Some(assessment) = &solved.assessment else {
        out.push_str(&table.to_string());
        return;
    };
    match &assessment.verification {
        verification @ Verification::Reached { .. } => {
            let error = verification.end_error().unwrap_or_default();
            let text = format!("dop853 with the solution's start and controls ends {} from its end", size(error));
            table.row(["simulation", &text]);
        }
        Verification::Impossible(reason) => table.row(["simulation", &format!("none: {reason}")]),
    }
    if let Some(normality) = &assessment.normality {
        table.row(["multipliers", &multipliers(normality, solution)]);
    }
    if let Some(GridComparison { steps, change, order, .. }) = &assessment.comparison {
        let mut text = format!("differs by {} % on {steps} steps", sig(100.0 * change, 2));
        if let Some(order) = order {
            let _ = write!(text, ", falling at the order {}", sig(*order, 2));
        }
        table.row(["other grid", &text]);
    }
    out.push_str(&table.to_string());
}

/// Whether the multipliers are normal, and what that rests on.
fn multipliers(normality: &Normality, solution: &BoundarySolution) -> String {
    let conditions = solution.end_map.as_ref().map_or(0, |map| map.conditions);
    match normality {
        Normality::Normal if conditions == 0 => "normal: nothing is given at the end".to_owned(),
        Normality::Normal => format!("normal: the controls move the end in all {conditions} directions that are given"),
        Normality::Abnormal(costates) => {
            let one = |costate: &Vec<f64>| {
                let numbers: Vec<String> = costate.iter().map(|p| sig(*p, 4)).collect();
                format!("({})", numbers.join(", "))
            };
            let all: Vec<String> = costates.iter().map(one).collect();
            let rank = conditions.saturating_sub(costates.len());
            format!(
                "abnormal: the linearised end map has rank {rank} of {conditions}; with p0 = 0 any multiple of p(0) = {} can be added",
                all.join(" and ")
            )
        }
        Normality::Undecided(reason) => format!("undecided whether normal: {reason}"),
    }
}

/// Of controls that go through the steps otherwise than their bounds may let expect.
fn shapes(problem: &Problem<'_>) -> Vec<String> {
    let one = |(control, shape): (&StatedControl, &ControlShape)| {
        let name = &control.name;
        match shape {
            ControlShape::Constant => None,
            ControlShape::Linear => Some(format!("{name} is linear from node to node")),
            ControlShape::Polynomial => {
                let bounded = control.min.is_finite() || control.max.is_finite();
                bounded.then(|| {
                    format!("{name} is a polynomial in each step, and keeps its bounds at the quadrature nodes")
                })
            }
        }
    };
    problem.statement().controls.iter().zip(problem.shapes()).filter_map(one).collect()
}

/// Where steps shrink, and how.
fn graded(Grading { start, end }: Grading) -> String {
    let ends = [(start, "start"), (end, "end")].into_iter().filter(|(power, _)| *power > 1.0);
    let ends: Vec<String> = ends.map(|(power, end)| format!("the {end} by the power {}", sig(power, 3))).collect();
    match ends.is_empty() {
        true => String::new(),
        false => format!(", shrinking towards {}", ends.join(" and ")),
    }
}

/// What could not be verified of a solution, with styles.
pub fn doubts(solved: &FinishedSolve<'_>) -> String {
    let mut out = String::new();
    let Some(assessment) = &solved.assessment else { return out };
    for doubt in &assessment.doubts {
        let _ = writeln!(out, "{WARNING}warning{WARNING:#}: {doubt}");
    }
    // Where a bound holds, the steps may not be to blame.
    if !assessment.doubts.is_empty() && solved.levels.is_empty() && solved.solution.active.is_empty() {
        out.push_str("  `--refine` takes finer grids until they agree\n");
    }
    out
}

fn ends(out: &mut String, solution: &BoundarySolution) {
    let (first, last) = (&solution.rows[0], &solution.rows[solution.rows.len() - 1]);
    let mut table = table_of_numbers(["", "start", "end", "least", "most"]);
    let shown = |role: Role| !matches!(role, Role::Time | Role::Parameter);
    let columns: Vec<usize> = (0..first.len()).filter(|at| shown(solution.columns[*at].role())).collect();
    for at in columns.iter().take(MOST_ROWS) {
        let values = || solution.rows.iter().map(|row| row[*at]);
        let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let cells = [first[*at], last[*at], least, most].map(|x| sig(x, 8));
        table.row([solution.columns[*at].name().to_owned()].into_iter().chain(cells));
    }
    let _ = write!(out, "\n{table}{}", and_more(columns.len(), MOST_ROWS, ", in the files of --out and in --json"));
}

fn bounds(out: &mut String, solution: &BoundarySolution) {
    for bound in &solution.active {
        let name = &bound.name;
        let held = match bound.side {
            BoundSide::Lower => format!("{name} is at its smallest value {}", shortest(bound.bound)),
            BoundSide::Upper => format!("{name} is at its largest value {}", shortest(bound.bound)),
            BoundSide::Condition => format!("{name} holds the motion back"),
        };
        let places =
            if bound.times.len() == 1 { "1 place".to_owned() } else { format!("{} places", bound.times.len()) };
        let _ = writeln!(out, "\n  {held} at {places}, {}", intervals(&bound.intervals));
    }
}

/// Where a bound is reached: "from 0 to 0.5 and at 1".
fn intervals(all: &[[f64; 2]]) -> String {
    let one = |[from, to]: &[f64; 2]| match from == to {
        true => format!("at {}", sig(*from, 6)),
        false => format!("from {} to {}", sig(*from, 6), sig(*to, 6)),
    };
    let shown: Vec<String> = all.iter().take(MOST_INTERVALS).map(one).collect();
    match all.len().saturating_sub(MOST_INTERVALS) {
        0 => shown.join(" and "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// How the least cost changes with what is given.
fn sensitivities(out: &mut String, solved: &FinishedSolve<'_>) {
    let assessed = solved.assessment.is_some();
    let all = if assessed { solved.problem.sensitivities(&solved.solution).unwrap_or_default() } else { Vec::new() };
    if all.is_empty() {
        return;
    }
    let what = if solved.problem.kind() == Kind::Action { "slope of the action" } else { "slope of the objective" };
    let mut table = table_of_numbers(["parameter", "value", what]);
    for (name, slope) in all.iter().take(MOST_ROWS) {
        let value = solved.problem.model().parameters().iter().find(|parameter| parameter.name == *name);
        table.row([name.clone(), value.map_or_else(String::new, |p| sig(p.value, 8)), sig(*slope, 8)]);
    }
    let _ = write!(out, "\n{table}{}", and_more(all.len(), MOST_ROWS, ", in --json"));
}

fn levels(out: &mut String, solved: &FinishedSolve<'_>) {
    if solved.levels.len() < 2 {
        return;
    }
    let headers = ["steps", "objective", "end error of a simulation", "iterations"];
    let mut table = Table::new(headers.map(|header| (header, Align::Right))).indented(2);
    for level in &solved.levels {
        table.row([
            level.steps.to_string(),
            sig(level.objective, 12),
            level.end_error.map_or_else(|| "-".to_owned(), size),
            level.iterations.to_string(),
        ]);
    }
    let _ = write!(out, "\n{table}");
}

fn minima(out: &mut String, solved: &FinishedSolve<'_>) {
    if solved.minima.len() < 2 {
        return;
    }
    let listed: Vec<String> = solved.minima.iter().map(|minimum| sig(minimum.objective, 10)).collect();
    let _ = writeln!(out, "\n  minima found: {}", listed.join(", "));
}

/// Why there is no solution, with styles.
pub fn failure(solved: &FinishedSolve<'_>) -> String {
    let solution = &solved.solution;
    let reason = match solution.status {
        Status::Infeasible => "the conditions cannot be met together, at least not near the guess",
        Status::Unbounded => "the objective falls without end: it has no minimum",
        Status::NotFinite => "a formula has no finite value at the guess: give a `guess` inside its domain",
        Status::Stalled => {
            "the solver makes no further progress: try another `guess`, more steps, or `--seek stationary`"
        }
        Status::IterationLimit => "too many iterations: raise `--max-iterations`, or give a better `guess`",
        Status::Interrupted => "interrupted",
        Status::Unresolved if !solved.levels.is_empty() => "the refinement did not come as near as it was asked to",
        Status::Unresolved | Status::NearConjugate => "this is no solution that can be relied on",
        Status::Optimal | Status::Stationary | Status::Unverified => return String::new(),
    };
    let mut out = format!("{ERROR}error{ERROR:#}: {reason}\n");
    if let Some(assessment) = &solved.assessment {
        for doubt in &assessment.doubts {
            let _ = writeln!(out, "  {doubt}");
        }
        let helped = solution.status == Status::Unresolved && solved.levels.is_empty() && solution.active.is_empty();
        if helped {
            out.push_str("  `--refine` takes finer grids until they agree; [boundary] `grading` shrinks steps towards a singular end\n");
        }
    }
    if solution.status != Status::Interrupted {
        for violation in &solution.violations {
            let UnmetCondition { condition, node, time, amount } = violation;
            let (amount, time) = (size(*amount), sig(*time, 6));
            let _ = writeln!(out, "  {condition} is missed by {amount} at node {node} (t = {time})");
        }
        if solution.status == Status::Infeasible {
            for bound in &solution.active {
                let (name, times, all) = (&bound.name, bound.times.len(), solution.steps);
                let what = match bound.side {
                    BoundSide::Condition => name.clone(),
                    side => format!("{name} at its {} = {}", side.name(), shortest(bound.bound)),
                };
                let _ = writeln!(out, "  binding: {what} at {times} of {all} steps");
            }
        }
    }
    out
}
