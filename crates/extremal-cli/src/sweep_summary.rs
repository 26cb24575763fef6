//! The summary of an ensemble.

use std::fmt::Write as _;

use extremal_engine::sweep::{Range, SweepReport};
use extremal_engine::trajectory::{shortest, sig};
use serde::Serialize;

use crate::commands::FinishedSweep;
use crate::outputs::written;
use crate::source::Source;
use crate::terminal::{ERROR, HEADING, WARNING, and_more, duration, print_error, table_of_facts, table_of_numbers};

/// Columns beyond this number are counted, not listed.
const MOST_COLUMNS: usize = 24;

/// The summary as text with styles.
pub fn of(source: &Source, swept: &FinishedSweep) -> String {
    let mut out = format!("{HEADING}{}{HEADING:#}\n\n", source.title());
    let mut table = table_of_facts();
    let run = swept.sweep.run();
    table.row(["method", &format!("{}, step {}", run.method(), shortest(run.step()))]);
    table.row(["members", &members(swept)]);
    table.row(["time", &pace(swept)]);
    let _ = writeln!(out, "{table}");
    out.push_str(&ranges(swept));
    for note in run.notes() {
        let _ = writeln!(out, "\n{WARNING}note{WARNING:#}: {note}");
    }
    out.push_str(&written(&swept.files()));
    out
}

fn members(swept: &FinishedSweep) -> String {
    let summary = &swept.outcome.summary;
    let counts = [(summary.finished, "finished"), (summary.stopped, "stopped"), (summary.failed, "failed")];
    let ended: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, how)| format!("{count} {how}")).collect();
    let total = swept.sweep.members();
    let ended = if ended.is_empty() { "none marched".to_owned() } else { ended.join(", ") };
    let warned = match summary.warned {
        0 => String::new(),
        warned => format!(", {warned} with a warning"),
    };
    format!("{total}: {ended}{warned}, {} rows", summary.rows)
}

fn pace(swept: &FinishedSweep) -> String {
    let marched = swept.outcome.summary.members() - swept.outcome.resumed;
    let threads = match swept.threads {
        1 => "1 thread".to_owned(),
        several => format!("{several} threads"),
    };
    let resumed = match swept.outcome.resumed {
        0 => String::new(),
        resumed => format!(", {resumed} were done before"),
    };
    if marched == 0 {
        return format!("nothing marched{resumed}");
    }
    let each = duration(swept.elapsed.div_f64(marched as f64));
    format!("{marched} members in {} on {threads} ({each} per member){resumed}", duration(swept.elapsed))
}

/// The range of every number.
fn ranges(swept: &FinishedSweep) -> String {
    let mut table = table_of_numbers(["column", "least", "mean", "largest"]);
    let names = swept.sweep.fields().number_names();
    for (name, range) in names.iter().zip(&swept.outcome.summary.ranges).take(MOST_COLUMNS) {
        let Range { least, largest, .. } = *range;
        table.row([name.clone(), sig(least, 8), sig(range.mean(), 8), sig(largest, 8)]);
    }
    format!("{table}{}", and_more(names.len(), MOST_COLUMNS, ", in the file of --out and in --json"))
}

/// What came of a sweep, and what it took.
#[derive(Serialize)]
pub struct PrintedSweep {
    #[serde(flatten)]
    report: SweepReport,
    file: Option<String>,
    work: SweepWork,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct SweepWork {
    threads: usize,
    seconds: f64,
}

/// The summary as data.
pub fn data(source: &Source, swept: &FinishedSweep) -> PrintedSweep {
    PrintedSweep {
        report: swept.sweep.report(&swept.outcome),
        file: swept.file.as_ref().map(|path| path.display().to_string()),
        work: SweepWork { threads: swept.threads, seconds: swept.elapsed.as_secs_f64() },
        warnings: source.warnings().chain(swept.sweep.run().notes()).collect(),
    }
}

/// Says on standard error what is missing.
pub fn report_end(swept: &FinishedSweep) {
    let summary = &swept.outcome.summary;
    if let Some((member, reason)) = &summary.first_failure {
        let style = if summary.failed == summary.members() { ERROR } else { WARNING };
        let word = if summary.failed == summary.members() { "error" } else { "warning" };
        print_error(&format!(
            "{style}{word}{style:#}: {} of {} members failed, the first is {member}: {reason}\n",
            summary.failed,
            summary.members()
        ));
    }
    if let Some((member, warning)) = &summary.first_warning {
        print_error(&format!(
            "{WARNING}warning{WARNING:#}: {} of {} members have a warning, the first is {member}: {warning}\n",
            summary.warned,
            summary.members()
        ));
    }
    if !swept.outcome.complete {
        let kept = match &swept.file {
            Some(path) => format!("they are in `{}`; continue with `--resume`", path.display()),
            None => "nothing was written (no --out)".to_owned(),
        };
        let (done, all) = (summary.members(), swept.sweep.members());
        print_error(&format!("{WARNING}interrupted{WARNING:#} after {done} of {all} members\n  {kept}\n"));
    }
}
