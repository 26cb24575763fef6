//! What is said of many members, whatever was computed for each of them.

use std::path::Path;
use std::time::Duration;

use extremal_engine::sweep::Range;
use extremal_engine::trajectory::sig;
use serde::Serialize;

use crate::failure::Ending;
use crate::terminal::{ERROR, WARNING, and_more, duration, print_error, table_of_numbers};

/// Columns beyond this number are counted, not listed.
const MOST_COLUMNS: usize = 24;

/// How the members ended, and what it took.
pub struct MembersTold<'a> {
    pub members: u64,
    pub done: u64,
    pub resumed: u64,
    pub failed: u64,
    pub first_failure: Option<&'a (u64, String)>,
    pub warned: u64,
    pub first_warning: Option<&'a (u64, String)>,
    pub complete: bool,
    pub file: Option<&'a Path>,
    /// What asks for a file.
    pub option: &'static str,
    pub threads: usize,
    pub elapsed: Duration,
}

/// What it took, as data.
#[derive(Serialize)]
pub struct MembersWork {
    threads: usize,
    seconds: f64,
}

impl MembersTold<'_> {
    pub fn ending(&self) -> Ending {
        match self.complete {
            false => Ending::Interrupted,
            true if self.failed == self.done => Ending::Failed,
            true => Ending::Done,
        }
    }

    pub fn work(&self) -> MembersWork {
        MembersWork { threads: self.threads, seconds: self.elapsed.as_secs_f64() }
    }

    /// How long it took, in words; `done` is what was done to the members.
    pub fn pace(&self, done: &str) -> String {
        let now = self.done - self.resumed;
        let threads = match self.threads {
            1 => "1 thread".to_owned(),
            several => format!("{several} threads"),
        };
        let resumed = match self.resumed {
            0 => String::new(),
            resumed => format!(", {resumed} were done before"),
        };
        if now == 0 {
            return format!("nothing {done}{resumed}");
        }
        let each = duration(self.elapsed.div_f64(now as f64));
        format!("{now} members in {} on {threads} ({each} per member){resumed}", duration(self.elapsed))
    }

    /// How many have a warning, behind the others.
    pub fn warned_too(&self) -> String {
        match self.warned {
            0 => String::new(),
            warned => format!(", {warned} with a warning"),
        }
    }

    /// Says on standard error what is missing.
    pub fn report_end(&self) {
        if let Some((member, reason)) = self.first_failure {
            let (style, word) = if self.failed == self.done { (ERROR, "error") } else { (WARNING, "warning") };
            print_error(&format!(
                "{style}{word}{style:#}: {} of {} members failed, the first is {member}: {reason}\n",
                self.failed, self.done
            ));
        }
        if let Some((member, warning)) = self.first_warning {
            print_error(&format!(
                "{WARNING}warning{WARNING:#}: {} of {} members have a warning, the first is {member}: {warning}\n",
                self.warned, self.done
            ));
        }
        if !self.complete {
            let kept = match self.file {
                Some(path) => format!("they are in `{}`; continue with `--resume`", path.display()),
                None => format!("nothing was written (no {})", self.option),
            };
            let (done, all) = (self.done, self.members);
            print_error(&format!("{WARNING}interrupted{WARNING:#} after {done} of {all} members\n  {kept}\n"));
        }
    }
}

/// The range of every number; `option` is what asks for the file that has all of them.
pub fn ranges(names: &[String], ranges: &[Range], option: &str) -> String {
    let mut table = table_of_numbers(["column", "least", "mean", "largest"]);
    for (name, range) in names.iter().zip(ranges).take(MOST_COLUMNS) {
        let Range { least, largest, .. } = *range;
        table.row([name.clone(), sig(least, 8), sig(range.mean(), 8), sig(largest, 8)]);
    }
    format!("{table}{}", and_more(names.len(), MOST_COLUMNS, &format!(", in the file of {option} and in --json")))
}
