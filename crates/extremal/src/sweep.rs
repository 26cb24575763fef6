//! Ensembles: one model with many parameters and starts.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::Arc;

use extremal_engine::sweep::{
    Axis, Distribution, RandomAxis, Record, SweepOutcome, SweepProgress, SweepReport, Values, Variation,
};
use extremal_engine::trajectory::frame::{CompleteParts, Existing, Frame};

use crate::asked::{Asked, shared_result, step_options};
use crate::observer::unwatched;
use crate::{Error, ErrorKind, Model, Observer, Progress};

/// An ensemble: what varies, how its members are run, what is kept of them. Grids and samples multiply.
///
/// ```
/// use extremal::Model;
/// let model = Model::gallery("harmonic-oscillator")?;
/// let all = model.sweep().vary("x", 0.5..=1.5, 3).until(1.0).run()?;
/// assert_eq!(all.members(), 3);
/// // The oscillator is linear: its ends are in proportion to its starts.
/// assert!((all["x"][2] / all["x"][0] - 3.0).abs() < 1e-12);
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sweep {
    model: Model,
    asked: Asked,
    variation: Variation,
    record: Record,
    threads: Option<usize>,
    members: Option<Range<u64>>,
}

impl Sweep {
    pub(crate) fn of(model: &Model) -> Sweep {
        let variation = Variation { samples: 1, ..Variation::default() };
        Sweep {
            model: model.clone(),
            asked: Asked::default(),
            variation,
            record: Record::End,
            threads: None,
            members: None,
        }
    }

    /// Varies a parameter, or the start of a coordinate, a velocity `x'` or an entropy, over evenly spaced values.
    #[must_use]
    pub fn vary(mut self, name: &str, range: RangeInclusive<f64>, count: u64) -> Self {
        let values = Values::Range { from: *range.start(), to: *range.end(), count };
        self.variation.grid.push(Axis { name: name.to_owned(), values });
        self
    }

    /// Varies it over these values.
    #[must_use]
    pub fn values(mut self, name: &str, values: &[f64]) -> Self {
        self.variation.grid.push(Axis { name: name.to_owned(), values: Values::Listed(values.to_vec()) });
        self
    }

    /// Draws it at random; [`Sweep::samples`] says how often.
    #[must_use]
    pub fn random(mut self, name: &str, distribution: Distribution) -> Self {
        self.variation.random.push(RandomAxis { name: name.to_owned(), distribution });
        self
    }

    /// How often random values are drawn, and which ones.
    #[must_use]
    pub fn samples(mut self, samples: u64, seed: u64) -> Self {
        (self.variation.samples, self.variation.seed) = (samples, seed);
        self
    }

    step_options!();

    /// What is kept of each member.
    #[must_use]
    pub fn record(mut self, record: Record) -> Self {
        self.record = record;
        self
    }

    /// How many threads march; the rows do not depend on it.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Runs these members alone, counted from 0, as a part of the whole: their rows have the bits that they have there. Machines that
    /// know nothing of each other can share a sweep.
    ///
    /// ```
    /// use extremal::Model;
    /// let sweep = Model::gallery("pendulum")?.sweep().vary("theta", 0.1..=2.0, 10).until(1.0);
    /// let (all, part) = (sweep.run()?, sweep.members(3..7).run()?);
    /// assert_eq!(part["theta"], all["theta"][3..7]);
    /// assert_eq!(part.numbers(), Some(&[3, 4, 5, 6][..]));
    /// # Ok::<(), extremal::Error>(())
    /// ```
    #[must_use]
    pub fn members(mut self, range: Range<u64>) -> Self {
        self.members = Some(range);
        self
    }

    /// How many members there are in all.
    ///
    /// # Errors
    /// It cannot be set up.
    pub fn count(&self) -> Result<u64, Error> {
        Ok(Sweep { members: None, ..self.clone() }.compiled()?.members())
    }

    /// Runs it and keeps the rows.
    ///
    /// # Errors
    /// It cannot be set up. Members that fail are rows that say so.
    pub fn run(&self) -> Result<Ensemble, Error> {
        self.run_with(unwatched)
    }

    /// The same; the observer may end it.
    ///
    /// # Errors
    /// As for [`Sweep::run`]; one that was ended is [`ErrorKind::Interrupted`], and [`Error::ensemble`] has the members that were done.
    pub fn run_with(&self, mut observer: impl Observer) -> Result<Ensemble, Error> {
        let sweep = self.compiled()?;
        let watch = |now: SweepProgress| observer.progress(Progress { done: now.done, total: Some(now.members) });
        let (frame, outcome) = sweep.collect_watched(self.thread_count(), watch);
        let all = Ensemble::of(&sweep, &outcome, Some(frame), outcome.summary.members());
        match outcome.complete {
            true => Ok(all),
            false => Err(Error::new(ErrorKind::Interrupted, "the observer ended the sweep").with_ensemble(all)),
        }
    }

    /// Runs it and writes the rows to a file, as .csv or .parquet, in bounded memory. One that is there already is continued, if the
    /// same sweep was interrupted there.
    ///
    /// # Errors
    /// It cannot be set up, or the file not be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<Ensemble, Error> {
        self.write_with(path, unwatched)
    }

    /// The same; the observer may end it, and the file can then be continued.
    ///
    /// # Errors
    /// As for [`Sweep::write`]; one that was ended is [`ErrorKind::Interrupted`].
    pub fn write_with(&self, path: impl AsRef<Path>, mut observer: impl Observer) -> Result<Ensemble, Error> {
        let sweep = self.compiled()?;
        let path = path.as_ref();
        let outcome = sweep.to_file(path, Existing::Resume, self.thread_count(), |now| {
            observer.progress(Progress { done: now.done, total: Some(now.members) })
        })?;
        match outcome.complete {
            true => Ok(Ensemble::of(&sweep, &outcome, None, outcome.summary.members())),
            false => Err(Error::new(ErrorKind::Interrupted, "the observer ended the sweep; its file can be continued")),
        }
    }

    fn compiled(&self) -> Result<extremal_engine::sweep::CompiledSweep, Error> {
        self.asked.check()?;
        let model = self.model.working_copy();
        let settings = self.asked.following(&model);
        let sweep = extremal_engine::sweep::CompiledSweep::new(model, &settings, self.variation.clone(), self.record)?;
        Ok(match &self.members {
            Some(range) => sweep.with_members(range.clone())?,
            None => sweep,
        })
    }

    fn thread_count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.unwrap_or_else(cores)
    }
}

/// Puts the files of some members each ([`Sweep::members`] and [`Sweep::write`], with the manifests beside them) together to the
/// file that one sweep of all would have written, byte for byte; returns how many members there are.
///
/// ```
/// use extremal::{Model, merge_parts};
/// let folder = std::env::temp_dir().join(format!("extremal-merge-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let sweep = Model::gallery("harmonic-oscillator")?.sweep().vary("x", 0.5..=1.5, 5).until(1.0);
/// let [whole, one, other, merged] = ["a", "b", "c", "d"].map(|name| folder.join(name).with_extension("csv"));
/// sweep.clone().write(&whole)?;
/// sweep.clone().members(0..2).write(&one)?;
/// sweep.members(2..5).write(&other)?;
/// assert_eq!(merge_parts([&other, &one], &merged)?, 5);
/// assert_eq!(std::fs::read(whole)?, std::fs::read(merged)?);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Parts that are not finished, do not belong together or leave members out; files that cannot be read or written.
pub fn merge_parts(parts: impl IntoIterator<Item = impl AsRef<Path>>, file: impl AsRef<Path>) -> Result<u64, Error> {
    let paths: Vec<_> = parts.into_iter().map(|part| part.as_ref().to_owned()).collect();
    let parts = CompleteParts::of(&paths)?;
    parts.write(file.as_ref())?;
    Ok(parts.count())
}

/// An ensemble that has ended. As data ([`Serialize`](serde::Serialize)) it is the summary that `extremal sweep --json` prints.
#[derive(Clone)]
pub struct Ensemble {
    swept: Arc<EnsembleData>,
}

struct EnsembleData {
    names: Vec<String>,
    words: Vec<String>,
    frame: Option<Frame>,
    members: u64,
    failed: u64,
    warned: u64,
    summary: SweepReport,
}

impl Ensemble {
    fn of(
        sweep: &extremal_engine::sweep::CompiledSweep,
        outcome: &SweepOutcome,
        frame: Option<Frame>,
        members: u64,
    ) -> Ensemble {
        let swept = EnsembleData {
            names: sweep.fields().number_names().to_vec(),
            words: sweep.fields().text_names().to_vec(),
            frame,
            members,
            failed: outcome.summary.failed,
            warned: outcome.summary.warned,
            summary: sweep.report(outcome),
        };
        Ensemble { swept: Arc::new(swept) }
    }

    /// The number of the member that each row belongs to, from 0; none where the rows went to a file.
    pub fn numbers(&self) -> Option<&[i64]> {
        self.swept.frame.as_ref().map(|frame| frame.integers(0))
    }

    /// The names of the columns of words: how members ended, and why.
    pub fn word_columns(&self) -> impl Iterator<Item = &str> {
        self.swept.words.iter().map(String::as_str)
    }

    /// The words of a column, one for each row, where there is one; none where the rows went to a file.
    ///
    /// ```
    /// use extremal::Model;
    /// let all = Model::gallery("harmonic-oscillator")?.sweep().vary("x", 0.5..=1.5, 3).until(1.0).run()?;
    /// assert_eq!(all.words("status").unwrap()[2].as_deref(), Some("finished"));
    /// assert_eq!(all.numbers(), Some(&[0, 1, 2][..]));
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn words(&self, name: &str) -> Option<&[Option<Cow<'static, str>>]> {
        let index = self.swept.words.iter().position(|known| known == name)?;
        self.swept.frame.as_ref().map(|frame| frame.texts(index))
    }

    /// How many members there are.
    pub fn members(&self) -> u64 {
        self.swept.members
    }

    /// How many of them could not go on.
    pub fn failed(&self) -> u64 {
        self.swept.failed
    }

    /// How many of them there is a warning of.
    pub fn warned(&self) -> u64 {
        self.swept.warned
    }

    /// The names of the columns of numbers; the start of what varied is `x(0)`.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.swept.names.iter().map(String::as_str)
    }

    /// The numbers of a column, one for each row; none where the rows went to a file.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let index = self.swept.names.iter().position(|known| known == name)?;
        self.swept.frame.as_ref().map(|frame| frame.numbers(index))
    }
}

shared_result!(Ensemble.swept);
