//! The summary of many boundary problems.

use std::fmt::Write as _;

use extremal_engine::problems::ProblemsReport;
use serde::Serialize;

use crate::commands::FinishedProblems;
use crate::members_told::{MembersWork, ranges};
use crate::outputs::written;
use crate::source::Source;
use crate::terminal::{HEADING, table_of_facts};

/// The summary as text with styles.
pub fn of(source: &Source, solved: &FinishedProblems) -> String {
    let mut out = format!("{HEADING}{}{HEADING:#}\n\n", source.title());
    let mut table = table_of_facts();
    table.row(["method", &solved.problems.method().to_string()]);
    table.row(["members", &members(solved)]);
    table.row(["time", &solved.told().pace("solved")]);
    let _ = writeln!(out, "{table}");
    let names = solved.problems.fields().number_names();
    out.push_str(&ranges(names, &solved.outcome.summary.ranges, "--rows"));
    out.push_str(&written(solved.file.as_slice()));
    out
}

fn members(solved: &FinishedProblems) -> String {
    let summary = &solved.outcome.summary;
    let ended: Vec<String> = summary.statuses.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let ended = if ended.is_empty() { "none solved".to_owned() } else { ended.join(", ") };
    format!("{}: {ended}{}", solved.problems.members(), solved.told().warned_too())
}

/// What came of many problems, and what it took.
#[derive(Serialize)]
pub struct PrintedProblems {
    #[serde(flatten)]
    report: ProblemsReport,
    file: Option<String>,
    work: MembersWork,
    warnings: Vec<String>,
}

/// The summary as data.
pub fn data(source: &Source, solved: &FinishedProblems) -> PrintedProblems {
    PrintedProblems {
        report: solved.problems.report(&solved.outcome),
        file: solved.file.as_ref().map(|path| path.display().to_string()),
        work: solved.told().work(),
        warnings: source.warnings().collect(),
    }
}
