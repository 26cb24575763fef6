//! What is said about many problems when they are solved.

use std::collections::BTreeMap;

use extremal_trajectory::frame::{Fields, Frame, Word};
use serde::Serialize;

use super::WORDS;
use crate::boundary::Status;
use crate::serialized::by_name;
use crate::sweep::Range;
use crate::sweep::part_file::Tally;
use crate::sweep::summary::{FirstSaid, failure, warning};

/// The members that ended in each way, and the range of every number.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProblemsSummary {
    /// Members with a solution, perhaps an unverified one.
    pub solved: u64,
    /// Members without.
    pub failed: u64,
    /// How many members have each status.
    pub statuses: BTreeMap<String, u64>,
    /// The first member without a solution, and why.
    #[serde(serialize_with = "failure")]
    pub first_failure: Option<(u64, String)>,
    /// Solutions that there is a doubt of.
    pub warned: u64,
    /// The first of these, and the doubt.
    #[serde(serialize_with = "warning")]
    pub first_warning: Option<(u64, String)>,
    /// Of every column of numbers, in their order.
    #[serde(skip)]
    pub ranges: Vec<Range>,
}

/// What came of many problems.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ProblemsReport {
    /// The name of the model.
    pub model: Option<String>,
    /// The method.
    pub method: String,
    /// How many members there are.
    pub members: u64,
    /// Have all of them ended?
    pub complete: bool,
    /// How many had ended in an earlier call.
    pub resumed: u64,
    /// How they ended.
    #[serde(flatten)]
    pub summary: ProblemsSummary,
    /// The range of every number.
    #[serde(serialize_with = "by_name")]
    pub columns: Vec<(String, Range)>,
}

impl ProblemsSummary {
    /// Of some rows.
    pub(super) fn of(frame: &Frame, fields: &Fields) -> ProblemsSummary {
        let [status, reason, warning] = [0, 1, 2].map(|word: usize| frame.texts(word));
        debug_assert_eq!(fields.text_names(), WORDS);
        let said = |words: &[Word]| -> FirstSaid {
            let at = words.iter().position(Option::is_some)?;
            Some((frame.integers(0)[at] as u64, words[at].as_deref().unwrap_or_default().to_owned()))
        };
        let mut statuses = BTreeMap::new();
        for name in status.iter().flatten() {
            *statuses.entry(name.to_string()).or_default() += 1;
        }
        let is_solved = |name: &str| Status::SOLVED.iter().any(|status| status.name() == name);
        let solved = statuses.iter().filter(|(name, _)| is_solved(name)).map(|(_, count)| *count).sum();
        ProblemsSummary {
            solved,
            failed: frame.rows() as u64 - solved,
            statuses,
            first_failure: said(reason),
            warned: warning.iter().flatten().count() as u64,
            first_warning: said(warning),
            ranges: (0..fields.number_names().len())
                .map(|column| Range::of(frame.numbers(column).iter().copied()))
                .collect(),
        }
    }

    /// How many members have ended.
    pub fn members(&self) -> u64 {
        self.solved + self.failed
    }
}

impl Tally for ProblemsSummary {
    fn join(&mut self, next: ProblemsSummary) {
        self.solved += next.solved;
        self.failed += next.failed;
        for (name, count) in next.statuses {
            *self.statuses.entry(name).or_default() += count;
        }
        self.first_failure = self.first_failure.take().or(next.first_failure);
        self.warned += next.warned;
        self.first_warning = self.first_warning.take().or(next.first_warning);
        Range::join_all(&mut self.ranges, &next.ranges);
    }

    fn members(&self) -> u64 {
        ProblemsSummary::members(self)
    }

    fn to_note(&self) -> String {
        let ranges: Vec<[u64; 4]> = self.ranges.iter().map(Range::bits).collect();
        let ended = [self.solved, self.failed, self.warned];
        serde_json::json!([ended, self.statuses, self.first_failure, self.first_warning, ranges]).to_string()
    }

    fn from_note(note: &str) -> Option<ProblemsSummary> {
        type Note = ([u64; 3], BTreeMap<String, u64>, FirstSaid, FirstSaid, Vec<[u64; 4]>);
        let (ended, statuses, first_failure, first_warning, ranges): Note = serde_json::from_str(note).ok()?;
        let [solved, failed, warned] = ended;
        let ranges = ranges.into_iter().map(Range::of_bits).collect();
        Some(ProblemsSummary { solved, failed, statuses, first_failure, warned, first_warning, ranges })
    }
}
