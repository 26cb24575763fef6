//! The summary of a run: what a physicist wants to know first.

use std::fmt::Write as _;

use extremal_engine::model::{Pacing, StateLaw};
use extremal_engine::run::{End, EnergyLaw, EventCount, LatticeStructure, Outcome, Report, SecondLaw};
use extremal_engine::solve::SolveStructure;
use extremal_engine::trajectory::{Role, shortest, sig};

use crate::commands::FinishedRun;
use crate::outputs::written;
use crate::source::Source;
use crate::terminal::{
    ERROR, FAINT, HEADING, WARNING, and_more, duration, print_error, size, table_of_facts, table_of_numbers,
};

/// Coordinates beyond this number are counted, not listed.
const MOST_COORDINATES: usize = 12;
/// Where those are that are not listed.
const ELSEWHERE: &str = ", in the files of --out and in --json";

/// The summary as text with styles.
pub fn of(source: &Source, finished: &FinishedRun) -> String {
    let report = finished.report(source);
    let mut out = format!("{HEADING}{}{HEADING:#}\n", source.title());
    if let Some(origin) = source.model.source() {
        let _ = writeln!(out, "{FAINT}{origin}{FAINT:#}");
    }
    out.push('\n');
    facts(&mut out, finished);
    if finished.recorder.rows() > 0 {
        coordinates(&mut out, finished);
        out.push('\n');
        invariants(&mut out, &report);
    }
    constraints(&mut out, finished);
    laws(&mut out, finished);
    errors(&mut out, finished);
    for note in finished.run.notes().into_iter().chain(finished.outcome.passage_warnings()) {
        let _ = writeln!(out, "\n{WARNING}note{WARNING:#}: {note}");
    }
    for warning in &finished.outcome.warnings {
        let _ = writeln!(out, "\n{WARNING}warning{WARNING:#}: {warning}");
    }
    out.push_str(&written(&finished.written));
    out
}

fn facts(out: &mut String, finished: &FinishedRun) {
    let (run, outcome) = (&finished.run, &finished.outcome);
    let step = shortest(run.step().abs());
    let (step, solved) = match run.structure() {
        None => (format!("recorded every {step}"), "adaptive steps, to the tolerance".to_owned()),
        Some(structure) => {
            let paced = match run.settings().pacing {
                Pacing::Even => String::new(),
                pacing => format!(" where the pace is 1, {pacing}"),
            };
            (format!("step {step}{paced}"), solved(&structure, outcome))
        }
    };
    let mut table = table_of_facts();
    table.row(["method", &format!("{}, {step}", run.method())]);
    let (from, until) = (sig(run.start_time(), 8), sig(outcome.time, 8));
    let way = if run.step() < 0.0 { ", backward" } else { "" };
    table.row(["time", &format!("{from} to {until}{way}, {}", pace(finished))]);
    let time = shortest(outcome.time);
    match &outcome.end {
        End::Stopped { condition } => table.row(["stopped", &format!("by `{condition}` at t = {time}")]),
        End::Accumulated { event } => table.row([
            "stopped",
            &format!("at t = {time}, where `{event}` follows `{event}` without end: nothing is left to happen by it"),
        ]),
        End::Reached | End::Failed(_) | End::Interrupted => {}
    }
    for EventCount { name, count, first, last, energy_change } in outcome.events.iter().take(MOST_COORDINATES) {
        let times = match count {
            0 => "never".to_owned(),
            1 => format!("once, at t = {}", sig(*first, 8)),
            count => format!("{count} times, from t = {} to {}", sig(*first, 8), sig(*last, 8)),
        };
        let energy =
            if *energy_change == 0.0 { String::new() } else { format!(", energy changed by {}", size(*energy_change)) };
        table.row([name.as_str(), &format!("{times}{energy}")]);
    }
    table.row(["solved by", &solved]);
    if let Some(LatticeStructure { members, operations, loops, pair_operations }) = run.lattice() {
        let one = format!("{members} members by the formulas of one: {operations} operations in {loops} loops");
        table.row(["repeated", &one]);
        if let Some(operations) = pair_operations {
            let pairs = members * (members - 1) / 2;
            table.row(["pairs", &format!("{pairs} pairs by the formulas of one: {operations} operations")]);
        }
    }
    out.push_str(&table.to_string());
}

fn solved(structure: &SolveStructure, outcome: &Outcome) -> String {
    let unknowns = match structure.unknowns {
        0 => return "explicit formulas, nothing to iterate".to_owned(),
        1 => "1 unknown".to_owned(),
        several => format!("{several} unknowns"),
    };
    let residual = sig(outcome.work.max_residual, 2);
    if structure.linear {
        return format!("one linear solve of {unknowns} per step, residual at most {residual}");
    }
    let each = sig(outcome.work.iterations as f64 / outcome.steps.max(1) as f64, 3);
    if structure.fixed_point {
        let left = match outcome.work.newton_steps {
            0 => String::new(),
            1 => " (1 step left to Newton's method)".to_owned(),
            steps => format!(" ({steps} steps left to Newton's method)"),
        };
        return format!(
            "fixed-point iteration over the stages{left} for {unknowns}, {each} iterations per step, residual at most {residual}"
        );
    }
    let kept = if structure.keeps_jacobians { " (a Jacobian serves for several)" } else { "" };
    format!("Newton's method for {unknowns}, {each} iterations per step{kept}, residual at most {residual}")
}

fn pace(finished: &FinishedRun) -> String {
    let [elapsed, ready] = [finished.elapsed, finished.ready].map(duration);
    match finished.outcome.steps {
        0 => "no step taken".to_owned(),
        1 => format!("1 step in {elapsed}, ready in {ready}"),
        steps => {
            let each = duration(finished.processor.div_f64(steps as f64));
            format!("{steps} steps in {elapsed} ({each} of the processor per step), ready in {ready}")
        }
    }
}

/// A row for each column of a role: its name, its first and its last value, and what else is said of it.
fn ends<const N: usize>(
    out: &mut String,
    finished: &FinishedRun,
    role: Role,
    headers: [&str; N],
    beside: impl Fn(usize, &[f64], &[f64]) -> Vec<f64>,
) {
    let recorder = &finished.recorder;
    let columns = recorder.columns();
    let (Some(first), Some(last)) = (recorder.series().rows().next(), recorder.last()) else { return };
    let places: Vec<usize> = columns.with_role(role).collect();
    if places.is_empty() {
        return;
    }
    let mut table = table_of_numbers(headers);
    for (number, at) in places.iter().enumerate().take(MOST_COORDINATES) {
        let numbers = [first[*at], last[*at]].into_iter().chain(beside(number, first, last));
        table.row([columns[*at].name().to_owned()].into_iter().chain(numbers.map(|x| sig(x, 8))));
    }
    let _ = write!(out, "\n{table}{}", and_more(places.len(), MOST_COORDINATES, ELSEWHERE));
}

fn coordinates(out: &mut String, finished: &FinishedRun) {
    let places = |role| finished.recorder.columns().with_role(role).collect::<Vec<usize>>();
    let at = |row: &[f64], places: &[usize], k: usize| places.get(k).map_or(f64::NAN, |place| row[*place]);
    let (velocities, momenta) = (places(Role::Velocity), places(Role::Momentum));
    let headers = ["coordinate", "start", "end", "velocity", "momentum"];
    ends(out, finished, Role::Coordinate, headers, |k, _, last| vec![at(last, &velocities, k), at(last, &momenta, k)]);
    motion_from_momenta(out, finished);
    for (role, slopes, headers) in [
        (Role::Entropy, Role::Temperature, ["entropy", "start", "end", "temperature at start", "at end"]),
        (Role::Amount, Role::Potential, ["amount", "start", "end", "chemical potential at start", "at end"]),
    ] {
        let slopes = places(slopes);
        ends(out, finished, role, headers, |k, first, last| vec![at(first, &slopes, k), at(last, &slopes, k)]);
    }
    let kind = match finished.run.model().lock().state_law() {
        StateLaw::Stated => "state",
        StateLaw::Action => "action",
        StateLaw::Poisson(_) => "variable",
    };
    for (role, kind) in [(Role::State, kind), (Role::Asked, "output")] {
        ends(out, finished, role, [kind, "start", "end"], |_, _, _| Vec::new());
    }
}

/// Of a motion from momenta: velocities with their momenta, controls, and the cost.
fn motion_from_momenta(out: &mut String, finished: &FinishedRun) {
    let columns = finished.recorder.columns();
    if finished.run.model().lock().momentum_order().is_none() {
        return;
    }
    let (Some(first), Some(last)) = (finished.recorder.series().rows().next(), finished.recorder.last()) else {
        return;
    };
    let places = |role| columns.with_role(role).collect::<Vec<usize>>();
    let (velocities, momenta, n) = (places(Role::Velocity), places(Role::Momentum), places(Role::Coordinate).len());
    let mut table = table_of_numbers(["velocity", "start", "end", "its momentum at start", "at end"]);
    for (v, p) in velocities.iter().zip(&momenta[n..]).take(n.min(MOST_COORDINATES)) {
        let cells = [first[*v], last[*v], first[*p], last[*p]].map(|x| sig(x, 8));
        table.row([columns[*v].name().to_owned()].into_iter().chain(cells));
    }
    let _ = write!(out, "\n{table}");
    let controls = places(Role::Control).into_iter().chain(columns.index_of("cost"));
    let mut table = table_of_numbers(["control", "start", "end"]);
    for at in controls.clone() {
        table.row([columns[at].name().to_owned(), sig(first[at], 8), sig(last[at], 8)]);
    }
    if controls.count() > 0 {
        let _ = write!(out, "\n{table}");
    }
}

/// The audit of both laws.
fn laws(out: &mut String, finished: &FinishedRun) {
    let Some(laws) = &finished.outcome.laws else { return };
    let mut table = table_of_facts();
    let change = format!(
        "energy change {} = work {} + heat {}{}{}, off by at most {} ({} of the energy)",
        size(laws.first.energy_change),
        size(laws.first.work),
        size(laws.first.heat),
        laws.first.matter.map_or_else(String::new, |matter| format!(" + matter {}", size(matter))),
        laws.first.events.map_or_else(String::new, |events| format!(" + events {}", size(events))),
        size(laws.first.max_defect),
        size(laws.first.relative),
    );
    table.row(["first law", &change]);
    table.row(["second law", &second_law(&laws.second)]);
    for (name, range) in laws.temperatures.iter().take(MOST_COORDINATES) {
        table
            .row([&format!("T of {name}"), &format!("between {} and {}", sig(range.lowest, 6), sig(range.highest, 6))]);
    }
    let _ = write!(out, "\n{table}");
}

fn second_law(law: &SecondLaw) -> String {
    let received = [("carried in", law.carried), ("exchanged", law.exchanged), ("events", law.events)];
    let received: Vec<String> =
        received.iter().filter_map(|(what, sum)| Some(format!("{what} {}", size((*sum)?)))).collect();
    match received.is_empty() {
        true => {
            format!("entropy grows by {} in all, by {} in the worst step", size(law.total), size(law.smallest_step))
        }
        false => format!(
            "entropy change {} = {} + produced {}, at least {} in a step",
            size(law.total),
            received.join(" + "),
            size(law.produced),
            size(law.smallest_step)
        ),
    }
}

fn invariants(out: &mut String, report: &Report<'_>) {
    // Of states alone nothing is conserved unless the model says so.
    if report.recorder.drifts().next().is_none() {
        return;
    }
    let mut table = table_of_numbers(["conserved?", "first", "last", "max drift", "relative", "trend"]);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    for (column, drift) in report.recorder.drifts() {
        table.row([
            column.name().to_owned(),
            or_dash(drift.first().map(|x| sig(x, 8))),
            or_dash(drift.last().map(|x| sig(x, 8))),
            size(drift.max_drift()),
            or_dash(drift.relative().map(size)),
            or_dash(drift.trend().map(size)),
        ]);
    }
    out.push_str(&table.to_string());
    if report.recorder.drifts().any(|(_, drift)| drift.leaps() != 0.0) {
        let _ = writeln!(out, "  {FAINT}drift: what events changed is not counted{FAINT:#}");
    }
    let remark = match report.energy_law() {
        EnergyLaw::Conserved => return,
        EnergyLaw::Jacobi => "the Jacobi integral p.v - L, conserved: time cancels from the Lagrangian".to_owned(),
        EnergyLaw::Scaled => {
            "changes by E' = dL/dz E; kept is its quotient by the factor exp(log_factor), by which the contact form dz - p dq has grown"
                .to_owned()
        }
        EnergyLaw::Changes(reason) => format!("not conserved, {reason}"),
    };
    let _ = writeln!(out, "  {FAINT}energy: {remark}{FAINT:#}");
}

fn constraints(out: &mut String, finished: &FinishedRun) {
    let (recorder, outcome) = (&finished.recorder, &finished.outcome);
    let columns = recorder.columns();
    let (Some(first), Some(last)) = (recorder.series().rows().next(), recorder.last()) else { return };
    let multipliers: Vec<usize> = columns.with_role(Role::Multiplier).collect();
    if multipliers.is_empty() {
        return;
    }
    let mut table = table_of_numbers(["constraint", "multiplier at start", "at end", "largest residual"]);
    for (at, (name, residual)) in multipliers.iter().zip(&outcome.residuals).take(MOST_COORDINATES) {
        table.row([name.clone(), sig(first[*at], 8), sig(last[*at], 8), size(*residual)]);
    }
    // Those of steps, of discrete constraints of the user's own: every step satisfies them.
    for at in multipliers.iter().skip(outcome.residuals.len()).take(MOST_COORDINATES) {
        let name = columns[*at].owner().unwrap_or(columns[*at].name()).to_owned();
        table.row([name, sig(first[*at], 8), sig(last[*at], 8), String::new()]);
    }
    let structure = finished.run.constraints();
    let _ = write!(out, "\n{table}{}", and_more(outcome.residuals.len(), MOST_COORDINATES, ""));
    if outcome.residuals.is_empty() {
        return;
    }
    let counted = |count: usize, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    let freedom = counted(structure.degrees_of_freedom, "degree of freedom", "degrees of freedom");
    let rank = counted(structure.rank, "independent constraint", "independent constraints");
    let _ = writeln!(out, "  {FAINT}{freedom}, {rank}{FAINT:#}");
}

fn errors(out: &mut String, finished: &FinishedRun) {
    if finished.outcome.errors.is_empty() {
        return;
    }
    let mut table = table_of_numbers(["against [exact]", "largest error"]);
    for (name, error) in finished.outcome.errors.iter().take(MOST_COORDINATES) {
        table.row([name, &size(*error)]);
    }
    let _ = write!(out, "\n{table}");
}

/// Says on standard error why a run ended early, and what is left of it.
pub fn report_end(finished: &FinishedRun) {
    let outcome = &finished.outcome;
    let mut text = String::new();
    match &outcome.end {
        End::Reached | End::Stopped { .. } | End::Accumulated { .. } => return,
        End::Failed(failure) => {
            let _ = writeln!(text, "{ERROR}error{ERROR:#}: {failure}");
            let state: Vec<String> = failure
                .state
                .iter()
                .take(2 * MOST_COORDINATES)
                .map(|(name, value)| format!("{name} = {}", shortest(*value)))
                .collect();
            let _ = writeln!(text, "  last good state: {}", state.join(", "));
        }
        End::Interrupted => {
            let _ = writeln!(text, "{WARNING}interrupted{WARNING:#} after step {}", outcome.steps);
        }
    }
    let kept = match finished.written.as_slice() {
        [] => "nothing was written (no --out or --plot)".to_owned(),
        files => {
            let names: Vec<String> = files.iter().map(|path| format!("`{}`", path.display())).collect();
            format!("kept up to t = {} in {}", shortest(outcome.time), names.join(", "))
        }
    };
    let _ = writeln!(text, "  {kept}");
    print_error(&text);
}
