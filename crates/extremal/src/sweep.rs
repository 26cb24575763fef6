//! Ensembles: one model with many parameters and starts.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use extremal_engine::Settings;
use extremal_engine::problems::ProblemsReport;
use extremal_engine::sweep::{Record, SweepOutcome, SweepProgress, SweepReport, Variation};
use extremal_engine::trajectory::frame::{CompleteParts, Existing, Fields, Frame};

use crate::asked::{Asked, ensemble_runs, shared_result, step_options, variation_options};
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
    on_gpus: bool,
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
            on_gpus: false,
        }
    }

    variation_options! {
        /// Varies a parameter, or the start of a coordinate, a velocity `x'` or an entropy, over evenly spaced values.
        vary
    }

    step_options!();

    /// What is kept of each member.
    #[must_use]
    pub fn record(mut self, record: Record) -> Self {
        self.record = record;
        self
    }

    /// Marches the members on all GPUs of this machine, if it has any; what these cannot do the processor does. The rows stay the same.
    ///
    /// ```
    /// use extremal::Model;
    /// let sweep = Model::gallery("pendulum")?.sweep().vary("theta", 0.1..=2.0, 10).until(1.0);
    /// match sweep.clone().on_gpus().run() {
    ///     Ok(there) => assert_eq!(there["theta"], sweep.run()?["theta"]),
    ///     Err(error) => println!("{error}"),
    /// }
    /// # Ok::<(), extremal::Error>(())
    /// ```
    #[must_use]
    pub fn on_gpus(mut self) -> Self {
        self.on_gpus = true;
        self
    }

    ensemble_runs! {
        "the observer ended the sweep",
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
        members
    }

    fn compiled(&self) -> Result<extremal_engine::sweep::CompiledSweep, Error> {
        self.asked.check()?;
        let model = self.model.working_copy();
        let settings = Settings { wide: self.on_gpus, ..self.asked.following(&model) };
        let sweep = extremal_engine::sweep::CompiledSweep::new(model, &settings, self.variation.clone(), self.record)?;
        let sweep = match &self.members {
            Some(range) => sweep.with_members(range.clone())?,
            None => sweep,
        };
        Ok(if self.on_gpus { sweep.on_devices(extremal_engine::devices::devices()?) } else { sweep })
    }
}

/// Does this machine have GPUs that members can be [marched on](Sweep::on_gpus)?
///
/// ```
/// println!("{}", if extremal::has_gpus() { "there are GPUs" } else { "there is no GPU" });
/// ```
pub fn has_gpus() -> bool {
    extremal_engine::devices::devices().is_ok()
}

/// As many threads as are asked for, or one for each core.
pub(crate) fn thread_count(asked: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    asked.unwrap_or_else(cores)
}

/// Why a sweep ended before it was to end, if a device has failed.
fn broken(sweep: &extremal_engine::sweep::CompiledSweep) -> Option<Error> {
    Some(sweep.device_report()?.failure?.into())
}

fn ensemble(sweep: &extremal_engine::sweep::CompiledSweep, outcome: &SweepOutcome, frame: Option<Frame>) -> Ensemble {
    let SweepOutcome { summary, .. } = outcome;
    let counts = [summary.members(), summary.failed, summary.warned];
    Ensemble::of(sweep.fields(), counts, EnsembleReport::Sweep(sweep.report(outcome)), frame)
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

/// An ensemble that has ended, of motions or of boundary problems. As data ([`Serialize`](serde::Serialize)) it is the summary that
/// `extremal sweep --json` or `extremal solve --json` prints.
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
    summary: EnsembleReport,
}

/// What is said of all members.
#[derive(serde::Serialize)]
#[serde(untagged)]
pub(crate) enum EnsembleReport {
    /// Of motions.
    Sweep(SweepReport),
    /// Of boundary problems.
    Problems(ProblemsReport),
}

impl Ensemble {
    pub(crate) fn of(
        fields: &Fields,
        [members, failed, warned]: [u64; 3],
        summary: EnsembleReport,
        frame: Option<Frame>,
    ) -> Ensemble {
        let (names, words) = (fields.number_names().to_vec(), fields.text_names().to_vec());
        Ensemble { swept: Arc::new(EnsembleData { names, words, frame, members, failed, warned, summary }) }
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
