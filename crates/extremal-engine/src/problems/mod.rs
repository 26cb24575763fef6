//! Many boundary problems: one model with many parameters, and each problem from one guess or several.
//!
//! A [`ProblemSet`] derives and compiles the problem once and solves a member for each combination that a [`Variation`] asks for, as
//! [`Problem::answer`] does. A member that is not solved is a row that says so. Rows do not depend on threads, nor on how the work was
//! cut or interrupted.

mod summary;
mod worker;

use std::ops::{ControlFlow, Range as NumberRange};
use std::path::Path;

use extremal_model::{Method, Model};
use extremal_trajectory::frame::{Existing, Fields, Frame, FrameError, checksum};
use extremal_trajectory::shortest;
use thiserror::Error;

use crate::SharedModel;
use crate::boundary::{Guess, Problem, ProblemError, ProblemFormulas, Refinement, SolveSettings, Statement};
use crate::sweep::part_file::{PartFile, TakeRows, Tally, WatchMembers};
use crate::sweep::pool::{self, Cut, SweepEnding};
use crate::sweep::target::{MOST_MEMBERS, Target, targets};
use crate::sweep::{SweepError, SweepOutcome, SweepProgress, Variation, VariationError};
use worker::ProblemWorker;

pub use summary::{ProblemsReport, ProblemsSummary};

/// Why many problems cannot be set up.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum ProblemSetError {
    /// What is to vary does not fit the model, or there are no such members.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// There is no such problem, whatever the parameters are.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    #[error(
        "`{name}` is no parameter: of a boundary problem nothing else varies; state its value in `[boundary]` by one, as \
         `start = {{ {name} = \"{name}0\" }}`"
    )]
    NotAParameter { name: String },
}

impl From<VariationError> for ProblemSetError {
    fn from(error: VariationError) -> ProblemSetError {
        SweepError::Variation(error).into()
    }
}

/// How each of many problems is solved.
#[derive(Clone, Debug, Default)]
pub struct ProblemSettings {
    /// Steps, tolerance, limits, what is looked for.
    pub solve: SolveSettings,
    /// Finer grids for each of them, until these agree.
    pub refinement: Option<Refinement>,
    /// Where the search for each of them begins.
    pub guess: Guess,
    /// From so many shaken guesses each problem is solved besides; every one of them is a member of its own.
    pub starts: u64,
}

/// Many boundary problems of one model, compiled.
///
/// ```
/// use extremal_engine::Model;
/// use extremal_engine::problems::{ProblemSet, ProblemSettings};
/// use extremal_engine::sweep::Variation;
/// // The least action of a free particle that goes a way a in one second is a²/2.
/// let model = Model::from_toml(r#"
///     parameters.a = 1.0
///     coordinates.x = {}
///     dynamics.lagrangian = "x'^2/2"
///     boundary = { duration = 1.0, steps = 20, start = { x = 0.0 }, end = { x = "a" } }
/// "#)?;
/// let variation = Variation { grid: vec!["a=1:3:3".parse()?], ..Variation::default() };
/// let problems = ProblemSet::new(&model, model.simulation().method.clone(), variation, ProblemSettings::default())?;
/// let (rows, summary) = problems.collect(2);
/// assert_eq!((problems.fields().number_names()[1].as_str(), summary.solved), ("objective", 3));
/// assert!(rows.numbers(1).iter().zip([0.5, 2.0, 4.5]).all(|(found, exact)| (found - exact).abs() < 1e-9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ProblemSet {
    model: SharedModel,
    /// Where all members can be solved by the same ones.
    formulas: Option<ProblemFormulas>,
    plan: ProblemPlan,
    cut: Cut,
    /// Are these members asked for as a part of the whole?
    is_part: bool,
}

/// What all members have in common.
struct ProblemPlan {
    method: Method,
    variation: Variation,
    settings: ProblemSettings,
    fields: Fields,
}

/// Rows that are written at once. What an interrupt leaves of them is computed again.
const GROUP_MEMBERS: u64 = 32;
/// The columns of a row behind what varies.
const RESULTS: [&str; 8] =
    ["objective", "duration", "steps", "iterations", "residual", "dual_residual", "end_error", "grid_error"];
/// The column of the guess, where there are several.
const START: &str = "start";
/// The columns of words.
const WORDS: [&str; 3] = ["status", "reason", "warning"];

impl ProblemSet {
    /// Derives and compiles the problem.
    ///
    /// # Errors
    /// See [`ProblemSetError`]. What is wrong with the values of a member is told in its row.
    pub fn new(
        model: impl Into<SharedModel>,
        method: Method,
        variation: Variation,
        settings: ProblemSettings,
    ) -> Result<ProblemSet, ProblemSetError> {
        let shared = model.into();
        let model = shared.lock();
        let members = checked_members(&model, &variation, &settings)?;
        let fields = fields(&variation, &settings)?;
        let formulas = match Statement::of(&model).and_then(|stated| Problem::new(&model, stated, &method)) {
            Ok(problem) => problem.formulas(),
            // With other values it may make sense.
            Err(ProblemError::Statement(_)) => None,
            Err(error) => return Err(error.into()),
        };
        drop(model);
        let cut = Cut { begin: 0, end: members, group: GROUP_MEMBERS.min(members), chunk: 1 };
        let plan = ProblemPlan { method, variation, settings, fields };
        Ok(ProblemSet { model: shared, formulas, plan, cut, is_part: false })
    }

    /// The columns of its rows.
    pub fn fields(&self) -> &Fields {
        &self.plan.fields
    }

    /// How many members there are: problems, times the guesses of each.
    pub fn members(&self) -> u64 {
        self.cut.members()
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.plan.method
    }

    /// Solves these members alone, as a part of the whole: their numbers and rows are those that they have there.
    ///
    /// # Errors
    /// There are no such members.
    pub fn with_members(mut self, range: NumberRange<u64>) -> Result<Self, ProblemSetError> {
        self.cut = self.cut.part(range)?;
        self.is_part = true;
        Ok(self)
    }

    /// Solves all members on so many threads and keeps their rows.
    pub fn collect(&self, threads: usize) -> (Frame, ProblemsSummary) {
        let (frame, outcome) = self.collect_watched(threads, |_| ControlFlow::Continue(()));
        (frame, outcome.summary)
    }

    /// The same; `watch` may end the work, with the rows of the members done by then.
    pub fn collect_watched(
        &self,
        threads: usize,
        watch: impl FnMut(SweepProgress) -> ControlFlow<()>,
    ) -> (Frame, SweepOutcome<ProblemsSummary>) {
        let mut all = Frame::new(&self.plan.fields);
        let outcome = self.marched(threads, watch, |mut frame| all.append(&mut frame));
        (all, outcome)
    }

    /// Solves all members without keeping rows; `watch` may end the work.
    pub fn summarise(
        &self,
        threads: usize,
        watch: impl FnMut(SweepProgress) -> ControlFlow<()>,
    ) -> SweepOutcome<ProblemsSummary> {
        self.marched(threads, watch, drop)
    }

    fn marched(
        &self,
        threads: usize,
        mut watch: impl FnMut(SweepProgress) -> ControlFlow<()>,
        mut keep: impl FnMut(Frame),
    ) -> SweepOutcome<ProblemsSummary> {
        let mut summary = ProblemsSummary::default();
        let take = |frame: Frame, part: ProblemsSummary| {
            summary.join(part);
            keep(frame);
            Ok::<(), std::convert::Infallible>(())
        };
        let members = self.cut.members();
        let watch = |done| watch(SweepProgress { done, members, resumed: 0 });
        let Ok(_) = self.march(SweepEnding::AtOnce, 0, threads, take, watch);
        let complete = summary.members() == members;
        SweepOutcome { summary, complete, resumed: 0 }
    }

    /// Solves the members and writes their rows, or those that an earlier call has not done. `watch` may end the work: the file then has
    /// the members so far, and can be resumed. A part has a manifest beside it, by which all parts can be merged.
    ///
    /// # Errors
    /// The file cannot be written, or not be resumed.
    pub fn to_file(
        &self,
        path: &Path,
        existing: Existing,
        threads: usize,
        watch: impl FnMut(SweepProgress) -> ControlFlow<()>,
    ) -> Result<SweepOutcome<ProblemsSummary>, FrameError> {
        let march = |first, take: TakeRows<'_, ProblemsSummary>, watch: WatchMembers<'_>| {
            self.march(SweepEnding::WithoutGroup, first, threads, take, watch)
        };
        let file = PartFile {
            fields: &self.plan.fields,
            identity: self.identity(),
            cut: self.cut,
            of: self.plan.members().unwrap_or(self.cut.end),
            is_part: self.is_part,
        };
        file.write(path, existing, watch, march)
    }

    /// What came of it as data.
    pub fn report(&self, outcome: &SweepOutcome<ProblemsSummary>) -> ProblemsReport {
        let names = self.plan.fields.number_names().iter().cloned();
        ProblemsReport {
            model: self.model.lock().name().map(str::to_owned),
            method: self.plan.method.to_string(),
            members: self.cut.members(),
            complete: outcome.complete,
            resumed: outcome.resumed,
            summary: outcome.summary.clone(),
            columns: names.zip(outcome.summary.ranges.iter().copied()).collect(),
        }
    }

    /// Solves the groups from `first` on; returns how many are done then.
    fn march<E>(
        &self,
        ending: SweepEnding,
        first: u64,
        threads: usize,
        mut take: impl FnMut(Frame, ProblemsSummary) -> Result<(), E>,
        watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<u64, E> {
        let threads = if cfg!(feature = "parallel") { threads.max(1) } else { 1 };
        let threads = (threads as u64).min(self.cut.members());
        let worker =
            |_| ProblemWorker { model: self.model.lock().clone(), formulas: self.formulas.clone(), plan: &self.plan };
        let workers = (0..threads).map(worker).collect();
        let summarised = |frame: Frame| {
            let summary = ProblemsSummary::of(&frame, &self.plan.fields);
            take(frame, summary)
        };
        pool::march(self.cut, ending, first, workers, |members| members, summarised, watch)
    }

    /// What the rows follow from, by names: a file can be resumed when it is the same.
    fn identity(&self) -> Vec<(String, String)> {
        let model = self.model.lock();
        let ProblemPlan { method, variation, settings, .. } = &self.plan;
        let SolveSettings { steps, seek, options } = &settings.solve;
        let parameters = model.parameters().iter().map(|p| format!("{} = {}", p.name, shortest(p.value)));
        let guess = match &settings.guess {
            Guess::Stated => String::new(),
            other => format!("of checksum {:016x}", checksum(format!("{other:?}").as_bytes())),
        };
        let or_none = |number: u64| if number == 0 { String::new() } else { number.to_string() };
        let refinement = settings.refinement.map(|refinement| shortest(refinement.tolerance));
        [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("model", model.source_text().to_owned()),
            ("parameters", parameters.collect::<Vec<_>>().join(" ")),
            ("method", method.to_string()),
            ("steps", steps.map(|steps| steps.to_string()).unwrap_or_default()),
            ("aim", format!("{seek:?}").to_lowercase()),
            ("tolerance", shortest(options.tolerance)),
            ("limit of iterations", options.max_iterations.to_string()),
            ("refinement", refinement.unwrap_or_default()),
            ("guess", guess),
            ("shaken guesses", or_none(settings.starts)),
            ("shaken by", if settings.starts > 0 { variation.seed.to_string() } else { String::new() }),
        ]
        .into_iter()
        .chain(variation.identity())
        .chain([("groups of", self.cut.group.to_string())])
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }
}

impl ProblemPlan {
    /// The guesses of each problem.
    fn guesses(&self) -> u64 {
        self.settings.starts + 1
    }

    fn members(&self) -> Option<u64> {
        self.variation.members()?.checked_mul(self.guesses())
    }
}

/// How many members there are, if all that varies are parameters that can.
fn checked_members(model: &Model, variation: &Variation, settings: &ProblemSettings) -> Result<u64, ProblemSetError> {
    let anything = variation.names().next().is_some();
    if anything || settings.starts == 0 {
        let found = targets(model, model.simulation().start, variation)?;
        let other = variation.names().zip(found).find(|(_, target)| !matches!(target, Target::Parameter(_)));
        if let Some((name, _)) = other {
            return Err(ProblemSetError::NotAParameter { name: name.to_owned() });
        }
    } else if variation.samples != 1 {
        return Err(VariationError::NothingRandom.into());
    }
    let members = variation.members().and_then(|members| members.checked_mul(settings.starts.checked_add(1)?));
    members.filter(|members| *members <= MOST_MEMBERS).ok_or_else(|| VariationError::TooMany.into())
}

/// The columns: what varies, the guess, what was found. A parameter may have the name of a result, which is then told from it.
fn fields(variation: &Variation, settings: &ProblemSettings) -> Result<Fields, SweepError> {
    let varied: Vec<&str> = variation.names().collect();
    let told = |name: &str| if varied.contains(&name) { format!("{name}_found") } else { name.to_owned() };
    let start = (settings.starts > 0).then_some(START);
    let results = start.into_iter().chain(RESULTS).map(told);
    let numbers: Vec<String> = varied.iter().map(|name| (*name).to_owned()).chain(results).collect();
    Ok(Fields::new(["member"], numbers, WORDS)?)
}
