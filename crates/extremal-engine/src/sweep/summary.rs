//! What is said about a sweep when it is over.

use extremal_trajectory::frame::{Frame, Word};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::part_file::Tally;
use super::record::{FAILED, FINISHED, STOPPED};
use crate::serialized::by_name;

/// The members that ended in each way, and the range of every number.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Rows recorded.
    pub rows: u64,
    /// Members that reached their end.
    pub finished: u64,
    /// Members that a stop condition ended.
    pub stopped: u64,
    /// Members that could not go on.
    pub failed: u64,
    /// The first of these, and why.
    #[serde(serialize_with = "failure")]
    pub first_failure: Option<(u64, String)>,
    /// Members that there is a warning of, however they ended.
    pub warned: u64,
    /// The first of these, and its warning.
    #[serde(serialize_with = "warning")]
    pub first_warning: Option<(u64, String)>,
    /// Of every column of numbers, in their order.
    #[serde(skip)]
    pub ranges: Vec<Range>,
}

/// What came of a sweep.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SweepReport {
    /// The name of the model.
    pub model: Option<String>,
    /// The method.
    pub method: String,
    /// The step.
    pub step: f64,
    /// What was recorded of each member.
    pub record: &'static str,
    /// How many members there are.
    pub members: u64,
    /// Have all of them ended?
    pub complete: bool,
    /// How many had ended in an earlier sweep.
    pub resumed: u64,
    /// How they ended.
    #[serde(flatten)]
    pub summary: Summary,
    /// The range of every number.
    #[serde(serialize_with = "by_name")]
    pub columns: Vec<(String, Range)>,
}

pub(crate) fn failure<S: Serializer>(first: &Option<(u64, String)>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct FirstFailure<'a> {
        member: u64,
        reason: &'a str,
    }
    first.as_ref().map(|(member, reason)| FirstFailure { member: *member, reason }).serialize(serializer)
}

pub(crate) fn warning<S: Serializer>(first: &Option<(u64, String)>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct FirstWarning<'a> {
        member: u64,
        warning: &'a str,
    }
    first.as_ref().map(|(member, warning)| FirstWarning { member: *member, warning }).serialize(serializer)
}

/// What is known of the finite numbers of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least.
    pub least: f64,
    /// The largest.
    pub largest: f64,
    /// Their sum.
    pub sum: f64,
    /// How many they are.
    pub count: u64,
}

impl Default for Range {
    fn default() -> Range {
        Range { least: f64::NAN, largest: f64::NAN, sum: 0.0, count: 0 }
    }
}

/// The least as `min`, the mean and the largest as `max`.
impl Serialize for Range {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Range", 3)?;
        fields.serialize_field("min", &self.least)?;
        fields.serialize_field("mean", &self.mean())?;
        fields.serialize_field("max", &self.largest)?;
        fields.end()
    }
}

impl Range {
    /// Their mean, NaN if there are none.
    pub fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }

    pub(crate) fn of(numbers: impl IntoIterator<Item = f64>) -> Range {
        let finite = numbers.into_iter().filter(|number| number.is_finite());
        finite.fold(Range::default(), |range, number| {
            range.joined(&Range { least: number, largest: number, sum: number, count: 1 })
        })
    }

    fn joined(&self, other: &Range) -> Range {
        // These skip what is not a number.
        let (least, largest) = (self.least.min(other.least), self.largest.max(other.largest));
        Range { least, largest, sum: self.sum + other.sum, count: self.count + other.count }
    }

    /// Adds to each the one of the same column.
    pub(crate) fn join_all(ranges: &mut Vec<Range>, next: &[Range]) {
        ranges.resize(next.len(), Range::default());
        ranges.iter_mut().zip(next).for_each(|(range, next)| *range = range.joined(next));
    }

    /// Its bits, which [`Range::of_bits`] reads back.
    pub(crate) fn bits(&self) -> [u64; 4] {
        [self.least.to_bits(), self.largest.to_bits(), self.sum.to_bits(), self.count]
    }

    /// Reads its bits back.
    pub(crate) fn of_bits([least, largest, sum, count]: [u64; 4]) -> Range {
        let [least, largest, sum] = [least, largest, sum].map(f64::from_bits);
        Range { least, largest, sum, count }
    }
}

impl Summary {
    /// Of some rows, whose words end in status, reason and warning.
    pub(crate) fn of(frame: &Frame, numbers: usize, texts: usize) -> Summary {
        let [status, reason, warning] = [3, 2, 1].map(|from_the_end| frame.texts(texts - from_the_end));
        let count = |word: &str| status.iter().filter(|status| status.as_deref() == Some(word)).count() as u64;
        let failed = status.iter().position(|status| status.as_deref() == Some(FAILED));
        let warned = warning.iter().position(Option::is_some);
        let first = |at: usize, words: &[Word]| {
            (frame.integers(0)[at] as u64, words[at].as_deref().unwrap_or_default().to_owned())
        };
        Summary {
            rows: frame.rows() as u64,
            finished: count(FINISHED),
            stopped: count(STOPPED),
            failed: count(FAILED),
            first_failure: failed.map(|at| first(at, reason)),
            warned: warning.iter().flatten().count() as u64,
            first_warning: warned.map(|at| first(at, warning)),
            ranges: (0..numbers).map(|column| Range::of(frame.numbers(column).iter().copied())).collect(),
        }
    }

    /// How many members have ended.
    pub fn members(&self) -> u64 {
        self.finished + self.stopped + self.failed
    }
}

impl Tally for Summary {
    fn join(&mut self, next: Summary) {
        self.rows += next.rows;
        self.finished += next.finished;
        self.stopped += next.stopped;
        self.failed += next.failed;
        self.first_failure = self.first_failure.take().or(next.first_failure);
        self.warned += next.warned;
        self.first_warning = self.first_warning.take().or(next.first_warning);
        Range::join_all(&mut self.ranges, &next.ranges);
    }

    fn members(&self) -> u64 {
        Summary::members(self)
    }

    fn to_note(&self) -> String {
        let ranges: Vec<[u64; 4]> = self.ranges.iter().map(Range::bits).collect();
        let ended = [self.rows, self.finished, self.stopped, self.failed, self.warned];
        serde_json::json!([ended, self.first_failure, self.first_warning, ranges]).to_string()
    }

    fn from_note(note: &str) -> Option<Summary> {
        let (ended, first_failure, first_warning, ranges): ([u64; 5], FirstSaid, FirstSaid, Vec<[u64; 4]>) =
            serde_json::from_str(note).ok()?;
        let [rows, finished, stopped, failed, warned] = ended;
        let ranges = ranges.into_iter().map(Range::of_bits).collect();
        Some(Summary { rows, finished, stopped, failed, first_failure, warned, first_warning, ranges })
    }
}

/// The first member that something is said of, and what.
pub(crate) type FirstSaid = Option<(u64, String)>;

#[cfg(test)]
mod tests {
    use extremal_trajectory::frame::Fields;

    use super::*;

    fn summary(reason: Option<&str>) -> Summary {
        let fields = Fields::new(["member"], ["x", "y"], ["status", "reason", "warning"]).unwrap();
        let mut frame = Frame::new(&fields);
        frame.push(&[5], &[0.1, f64::NAN], [Some(FINISHED.into()), None, None]);
        frame.push(&[6], &[0.2, f64::NAN], [None, None, None]);
        if let Some(reason) = reason {
            let said = [Some(FAILED.into()), Some(reason.to_owned().into()), Some("take care".into())];
            frame.push(&[7], &[1.0 / 3.0, f64::INFINITY], said);
        }
        Summary::of(&frame, 2, 3)
    }

    #[test]
    fn notes_read_back_to_the_same_bits() {
        for summary in [summary(None), summary(Some("it \"failed\",\n twice"))] {
            let back = Summary::from_note(&summary.to_note()).unwrap();
            assert_eq!((back.rows, &back.first_failure), (summary.rows, &summary.first_failure));
            assert_eq!((back.warned, &back.first_warning), (summary.warned, &summary.first_warning));
            assert_eq!(back.ranges[0], summary.ranges[0]);
            assert!(back.ranges[1].least.is_nan() && back.ranges[1].count == 0);
        }
        assert_eq!(Summary::from_note("{}"), None);
    }

    #[test]
    fn what_is_joined_counts_all_and_names_the_first_failure() {
        let mut all = Summary::default();
        all.join(summary(None));
        all.join(summary(Some("first")));
        all.join(summary(Some("second")));
        assert_eq!((all.rows, all.finished, all.failed, all.members()), (8, 3, 2, 5));
        assert_eq!(all.first_failure, Some((7, "first".to_owned())));
        assert_eq!((all.warned, all.first_warning), (2, Some((7, "take care".to_owned()))));
        assert_eq!((all.ranges[0].least, all.ranges[0].largest, all.ranges[0].count), (0.1, 1.0 / 3.0, 8));
    }
}
