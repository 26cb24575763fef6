//! The summary of an ensemble.

use std::fmt::Write as _;

use extremal_engine::sweep::SweepReport;
use extremal_engine::trajectory::shortest;
use serde::Serialize;

use crate::device::{DeviceSummary, told};
use crate::members_told::{MembersWork, ranges};
use crate::outputs::written;
use crate::source::Source;
use crate::swept::FinishedSweep;
use crate::terminal::{HEADING, WARNING, table_of_facts};

/// The summary as text with styles.
pub fn of(source: &Source, swept: &FinishedSweep) -> String {
    let mut out = format!("{HEADING}{}{HEADING:#}\n\n", source.title());
    let mut table = table_of_facts();
    let run = swept.sweep.run();
    table.row(["method", &format!("{}, step {}", run.method(), shortest(run.step()))]);
    table.row(["members", &members(swept)]);
    if let Some(report) = swept.sweep.device_report() {
        table.row(["device", &told(&report)]);
    }
    table.row(["time", &swept.told().pace("marched")]);
    let _ = writeln!(out, "{table}");
    let names = swept.sweep.fields().number_names();
    out.push_str(&ranges(names, &swept.outcome.summary.ranges, "--out"));
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
    format!("{total}: {ended}{}, {} rows", swept.told().warned_too(), summary.rows)
}

/// What came of a sweep, and what it took.
#[derive(Serialize)]
pub struct PrintedSweep {
    #[serde(flatten)]
    report: SweepReport,
    file: Option<String>,
    work: MembersWork,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<DeviceSummary>,
    warnings: Vec<String>,
}

/// The summary as data.
pub fn data(source: &Source, swept: &FinishedSweep) -> PrintedSweep {
    PrintedSweep {
        report: swept.sweep.report(&swept.outcome),
        file: swept.file.as_ref().map(|path| path.display().to_string()),
        work: swept.told().work(),
        device: swept.sweep.device_report().as_ref().map(DeviceSummary::of),
        warnings: source.warnings().chain(swept.sweep.run().notes()).collect(),
    }
}
