//! Ensembles: one model with many parameters and starts.
//!
//! A [`CompiledSweep`] compiles the model once and marches a member for each combination that a [`Variation`] asks for. A member that cannot
//! go on is a row that says so. Rows do not depend on threads, nor on how the work was cut or interrupted.

mod adjustable;
mod coarse;
mod cohort;
mod device;
mod engine;
mod lane_extremes;
mod list;
mod member_marcher;
mod members;
pub(crate) mod part_file;
pub(crate) mod pool;
mod record;
mod start_formulas;
pub(crate) mod summary;
pub(crate) mod target;
mod variation;

use std::ops::{ControlFlow, Range as NumberRange};
use std::path::Path;

use extremal_device::Device;
use extremal_mechanics::discrete::SchemeError;
use extremal_model::{Extent, Model};
use extremal_solve::{LaneMarcher, LaneStart};
use extremal_trajectory::frame::{Existing, Fields, Frame, FrameError};
use extremal_trajectory::{ColumnsError, shortest};
use thiserror::Error;

use crate::SharedModel;
use crate::run::{Compiled, CompiledRun, Instruments, Promises, Settings, SetupError, StartCheck};
use device::{DeviceSweep, DeviceWork};
use engine::Engine;
use member_marcher::SweepContext;
pub(crate) use members::{Fixed, Preparation};
use part_file::{PartFile, TakeRows, Tally, WatchMembers};
use pool::{Cut, SweepEnding};
use record::Layout;
use target::targets;

pub use adjustable::AdjustableRun;
pub use coarse::CoarseGrid;
pub use device::{DeviceRefusal, DeviceReport, SweepDevices};
pub use list::{List, ListError};
pub use record::Record;
pub use summary::{Range, Summary, SweepReport};
pub use target::VariationError;
pub(crate) use target::{Target, named_targets};
pub use variation::{Axis, AxisError, Distribution, RandomAxis, Values, Variation};

/// Why a sweep cannot begin.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum SweepError {
    /// What is to vary does not fit the model.
    #[error(transparent)]
    Variation(#[from] VariationError),
    /// The model cannot even be run as it is.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Two columns have one name.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    #[error("there are no events to record: the model has neither [stop] conditions nor [events]")]
    NoEvents,
    #[error("{rows} rows for each member are too many to keep: record fewer of them")]
    TooManyRows { rows: u64 },
    #[error("there are no members {from} to {to} (the last one not counted): there are {all}")]
    NoMembers { from: u64, to: u64, all: u64 },
    /// Values from which nothing starts.
    #[error("{0}")]
    Values(String),
}

/// One model with many parameters and starts, compiled.
///
/// ```
/// use extremal_engine::sweep::{Record, CompiledSweep, Variation};
/// use extremal_engine::{Model, Settings};
/// let model = Model::from_toml(extremal_engine::gallery::text("harmonic-oscillator").unwrap())?;
/// let variation = Variation { grid: vec!["x=0.5:1.5:3".parse()?], ..Variation::default() };
/// let sweep = CompiledSweep::new(&model, &Settings::of(&model), variation, Record::End)?;
/// let (rows, summary) = sweep.collect(1);
/// assert_eq!((rows.rows(), summary.finished), (3, 3));
/// // The oscillator is linear: its ends are in proportion to its starts.
/// let column = |name: &str| sweep.fields().number_names().iter().position(|n| n == name).unwrap();
/// let (start, end) = (rows.numbers(column("x(0)")), rows.numbers(column("x")));
/// assert!((end[2] / end[0] - start[2] / start[0]).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CompiledSweep {
    run: CompiledRun,
    settings: Settings,
    fixed: Fixed,
    variation: Variation,
    targets: Vec<Target>,
    layout: Layout,
    check: StartCheck,
    cut: Cut,
    /// Are these members asked for as a part of the whole?
    is_part: bool,
    /// How many members are marched at once on each thread, if that is asked for.
    lanes: Option<usize>,
    /// What members are marched on, if not on the processor.
    devices: Option<SweepDevices>,
}

/// How far a sweep has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepProgress {
    /// Members that have ended.
    pub done: u64,
    /// All members.
    pub members: u64,
    /// How many of those done an earlier call did.
    pub resumed: u64,
}

/// What came of a sweep, besides its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepOutcome<S = Summary> {
    /// Of all members that have ended, in earlier calls too.
    pub summary: S,
    /// Were these all?
    pub complete: bool,
    /// How many of them an earlier call did.
    pub resumed: u64,
}

/// Members marched at once, best first, by how many there are at the most: what there are instructions for, or what an interpreter does
/// best. A lane that nobody is in costs as much as the others.
const LANES: [(u64, &[usize]); 3] = [(4, &[4, 8, 16]), (8, &[8, 16, 4]), (u64::MAX, &[16, 8, 4, 64])];

impl CompiledSweep {
    /// Derives and compiles everything. A step or an end of `None` in the settings is that of the model, and follows the parameters
    /// that vary.
    ///
    /// # Errors
    /// See [`SweepError`].
    pub fn new(
        model: impl Into<SharedModel>,
        settings: &Settings,
        variation: Variation,
        record: Record,
    ) -> Result<CompiledSweep, SweepError> {
        let shared = model.into();
        let model = shared.lock();
        if model.order() > 1 {
            return Err(SetupError::from(SchemeError::BesideAccelerations("sweeps")).into());
        }
        let targets = targets(&model, settings.start, &variation)?;
        let members = variation.members().ok_or(VariationError::TooMany)?;
        if record == Record::Events && model.stops().is_empty() && model.events().is_empty() {
            return Err(SweepError::NoEvents);
        }
        let (settings, fixed) = fixed_settings(&model, settings);
        drop(model);
        let run = CompiledRun::new(&shared, &settings)?;
        let varied: Vec<String> = variation.names().zip(&targets).map(|(name, target)| column(name, *target)).collect();
        let layout = Layout::new(record, &varied, &run.observables)?;
        let check = StartCheck::new(&shared.lock(), &settings, &run.observables)?;
        let cut = Cut::of(members, run.planned_steps(), &layout)?;
        Ok(CompiledSweep {
            run,
            settings,
            fixed,
            variation,
            targets,
            layout,
            check,
            cut,
            is_part: false,
            lanes: None,
            devices: None,
        })
    }

    /// The columns of its rows.
    pub fn fields(&self) -> &Fields {
        &self.layout.fields
    }

    /// How many members there are.
    pub fn members(&self) -> u64 {
        self.cut.members()
    }

    /// Marches these members alone, as a part of the whole: their numbers and rows are those that they have there.
    ///
    /// # Errors
    /// There are no such members.
    pub fn with_members(mut self, range: NumberRange<u64>) -> Result<Self, SweepError> {
        self.cut = self.cut.part(range)?;
        self.is_part = true;
        Ok(self)
    }

    /// The run of the model as it is.
    pub fn run(&self) -> &CompiledRun {
        &self.run
    }

    /// Writes the rows of so many members at once. The rows stay the same, but a file of them is another.
    #[must_use]
    pub fn with_groups_of(mut self, members: u64) -> Self {
        let group = members.max(1);
        self.cut = Cut { group, chunk: self.cut.chunk.min(group), ..self.cut };
        self
    }

    /// Marches so many members at once on each thread, if there are instructions for it, or one after the other. The rows stay the
    /// same.
    #[must_use]
    pub fn with_lanes(mut self, lanes: usize) -> Self {
        self.lanes = Some(lanes);
        self
    }

    /// Marches members on devices, of a sweep whose settings say that it is [`wide`](Settings::wide); what they cannot do the processor
    /// does. The rows stay the same.
    #[must_use]
    pub fn on_devices(mut self, devices: Vec<Box<dyn Device>>) -> Self {
        self.devices = Some(SweepDevices::new(devices));
        self
    }

    /// What the devices did, if it has any.
    pub fn device_report(&self) -> Option<DeviceReport> {
        self.devices.as_ref().map(SweepDevices::report)
    }

    /// How many members one thread marches at once.
    pub fn lanes(&self) -> usize {
        self.lane_marcher(self.cut.shared_by(1)).map_or(1, |(lanes, _)| lanes.lanes())
    }

    /// What marches the members of a chunk at once, where that is possible, and begins with them.
    fn lane_marcher(&self, cut: Cut) -> Option<(LaneMarcher, LaneStart)> {
        let Compiled::Scheme(scheme) = &*self.run.compiled else { return None };
        let lanes = match self.lanes {
            Some(lanes) => scheme.lanes(lanes),
            None => {
                let (_, best_first) = LANES.iter().find(|(members, _)| cut.chunk <= *members)?;
                best_first.iter().find_map(|lanes| scheme.lanes(*lanes))
            }
        }?;
        let start = scheme.lane_start(lanes.lanes());
        Some((lanes, start))
    }

    /// Marches all members on so many threads and keeps their rows.
    pub fn collect(&self, threads: usize) -> (Frame, Summary) {
        let (frame, outcome) = self.collect_watched(threads, |_| ControlFlow::Continue(()));
        (frame, outcome.summary)
    }

    /// The same; `watch` may end the work, with the rows of the members done by then.
    pub fn collect_watched(
        &self,
        threads: usize,
        mut watch: impl FnMut(SweepProgress) -> ControlFlow<()>,
    ) -> (Frame, SweepOutcome) {
        let mut all = Frame::new(&self.layout.fields);
        let mut summary = Summary::default();
        let keep = |mut frame: Frame, part: Summary| {
            summary.join(part);
            all.append(&mut frame);
            Ok::<(), std::convert::Infallible>(())
        };
        let Ok(_) = self.march(SweepEnding::AtOnce, true, 0, threads, keep, |done| watch(self.progress(done, 0)));
        let complete = summary.members() == self.cut.members();
        (all, SweepOutcome { summary, complete, resumed: 0 })
    }

    /// Marches all members without keeping rows; `watch` may end the work.
    pub fn summarise(&self, threads: usize, watch: impl FnMut(SweepProgress) -> ControlFlow<()>) -> SweepOutcome {
        self.summed_up(threads, None, watch)
    }

    /// The same; `show` sees all rows, some at a time and in their order.
    pub fn shown(
        &self,
        threads: usize,
        mut show: impl FnMut(&Frame),
        watch: impl FnMut(SweepProgress) -> ControlFlow<()>,
    ) -> SweepOutcome {
        self.summed_up(threads, Some(&mut show), watch)
    }

    fn summed_up(
        &self,
        threads: usize,
        mut show: Option<&mut dyn FnMut(&Frame)>,
        mut watch: impl FnMut(SweepProgress) -> ControlFlow<()>,
    ) -> SweepOutcome {
        let mut summary = Summary::default();
        let rows = show.is_some();
        let keep = |frame: Frame, part: Summary| {
            summary.join(part);
            show.iter_mut().for_each(|show| show(&frame));
            Ok::<(), std::convert::Infallible>(())
        };
        let watch = |done| watch(self.progress(done, 0));
        let Ok(groups) = self.march(SweepEnding::AfterGroup, rows, 0, threads, keep, watch);
        SweepOutcome { summary, complete: groups == self.cut.groups(), resumed: 0 }
    }

    /// Marches the members and writes their rows, or those that an earlier call has not done. `watch` may end the work: the file
    /// then has the members so far, and can be resumed. A part has a manifest beside it, by which all parts can be merged.
    ///
    /// # Errors
    /// The file cannot be written, or not be resumed.
    pub fn to_file(
        &self,
        path: &Path,
        existing: Existing,
        threads: usize,
        watch: impl FnMut(SweepProgress) -> ControlFlow<()>,
    ) -> Result<SweepOutcome, FrameError> {
        self.to_file_shown(path, existing, threads, |_| {}, watch)
    }

    /// The same; `show` sees the rows that are computed, some at a time and in their order.
    ///
    /// # Errors
    /// As [`CompiledSweep::to_file`].
    pub fn to_file_shown(
        &self,
        path: &Path,
        existing: Existing,
        threads: usize,
        mut show: impl FnMut(&Frame),
        watch: impl FnMut(SweepProgress) -> ControlFlow<()>,
    ) -> Result<SweepOutcome, FrameError> {
        let march = |first, take: TakeRows<'_, Summary>, watch: WatchMembers<'_>| {
            let seen = |frame: Frame, part| {
                show(&frame);
                take(frame, part)
            };
            self.march(SweepEnding::AfterGroup, true, first, threads, seen, watch)
        };
        self.part_file().write(path, existing, watch, march)
    }

    /// The file of its rows.
    fn part_file(&self) -> PartFile<'_> {
        PartFile {
            fields: &self.layout.fields,
            identity: self.identity(),
            cut: self.cut,
            of: self.variation.members().unwrap_or(self.cut.end),
            is_part: self.is_part,
        }
    }

    /// What came of it as data.
    pub fn report(&self, outcome: &SweepOutcome) -> SweepReport {
        let names = self.layout.fields.number_names().iter().cloned();
        SweepReport {
            model: self.run.model.lock().name().map(str::to_owned),
            method: self.run.method().to_string(),
            step: self.run.step(),
            record: self.layout.record.name(),
            members: self.cut.members(),
            complete: outcome.complete,
            resumed: outcome.resumed,
            summary: outcome.summary.clone(),
            columns: names.zip(outcome.summary.ranges.iter().copied()).collect(),
        }
    }

    fn progress(&self, done: u64, resumed: u64) -> SweepProgress {
        SweepProgress { done, members: self.cut.members(), resumed }
    }

    /// Marches the groups from `first` on; returns how many are done then. Where `rows` are not wanted, but only what is said of them, they
    /// may be left out.
    fn march<E>(
        &self,
        ending: SweepEnding,
        rows: bool,
        first: u64,
        threads: usize,
        mut take: impl FnMut(Frame, Summary) -> Result<(), E>,
        watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<u64, E> {
        let (variation, targets) = (&self.variation, self.targets.clone());
        let plan = &self.run.plan;
        let model = &*self.run.model.lock();
        let preparation = Preparation::new(model, variation, targets, &self.settings, plan, self.fixed);
        let common = SweepContext {
            observables: self.run.observables.clone(),
            layout: &self.layout,
            start: preparation.layout,
            entropies: model.entropies().iter().map(|entropy| entropy.name.clone()).collect(),
            promises: Promises::of(&self.run, model),
            instruments: Instruments::ready(&self.run, model),
            left_out: self.run.left_out(),
            events: self.run.events.clone(),
        };
        let threads = if cfg!(feature = "parallel") { threads.max(1) as u64 } else { 1 };
        let cut = self.cut.shared_by(threads);
        let threads = threads.min(cut.members().div_ceil(cut.chunk));
        let engine = |lanes| Engine::new(&common, &self.run.compiled, self.check.clone(), lanes, cut.chunk as usize);
        if let Some(devices) = &self.devices {
            let method = self.run.method().to_string();
            let drawn = (variation, self.cut.end);
            match DeviceSweep::new(&common, &self.run.compiled, &method, &self.check, &preparation, plan, drawn) {
                Ok(sweep) => {
                    let (preparation, steps) = (&preparation, self.run.planned_steps());
                    let work = DeviceWork {
                        sweep,
                        preparation,
                        variation,
                        cut: self.cut,
                        steps,
                        threads,
                        engine: &|| engine(None),
                        rows,
                    };
                    return device::march(devices, work, first, take, watch);
                }
                Err(refusal) => devices.refuse(refusal),
            }
        }
        let lanes = self.lane_marcher(cut);
        let engines = (0..threads).map(|_| engine(lanes.clone())).collect();
        let (numbers, texts) = (self.fields().number_names().len(), self.layout.texts());
        let summarised = |frame: Frame| {
            let summary = Summary::of(&frame, numbers, texts);
            take(frame, summary)
        };
        pool::march(cut, ending, first, engines, |numbers| preparation.members(numbers), summarised, watch)
    }

    /// What the rows follow from, by names: a file can be resumed when it is the same.
    fn identity(&self) -> Vec<(String, String)> {
        let model = self.run.model.lock();
        // Backends and the numbers of steps between records are not among it: they change no row.
        let Settings { method, step, from, extent, start, entropy, constraints, project, tolerance, .. } =
            &self.settings;
        let parameters = model.parameters().iter().map(|p| format!("{} = {}", p.name, shortest(p.value)));
        let stated = |fixed: bool| if fixed { "" } else { " (that of the model)" };
        let end = match extent {
            Some(Extent::Until(time)) => format!("t = {}", shortest(*time)),
            Some(Extent::Steps(steps)) => format!("{steps} steps"),
            None => String::new(),
        };
        let record = match self.layout.record {
            Record::All { every } => format!("all, every {every}"),
            other => other.name().to_owned(),
        };
        let number = |x: &Option<f64>| x.map(shortest).unwrap_or_default();
        [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("model", model.source_text().to_owned()),
            ("parameters", parameters.collect::<Vec<_>>().join(" ")),
            ("method", method.to_string()),
            ("step", number(step) + stated(self.fixed.step)),
            (
                "from",
                from.filter(|from| *from != 0.0)
                    .map_or_else(String::new, |from| shortest(from) + stated(self.fixed.from)),
            ),
            ("end", end + stated(self.fixed.end)),
            ("start", start.to_string()),
            ("entropy", entropy.to_string()),
            ("constraints", constraints.to_string()),
            ("projection", if *project { "yes".to_owned() } else { String::new() }),
            ("tolerance", number(tolerance)),
            ("record", record),
        ]
        .into_iter()
        .chain(self.variation.identity())
        .chain([("groups of", self.cut.group.to_string())])
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }
}

/// The settings with the step and the end of the model where none are given, and whether they were.
fn fixed_settings(model: &Model, settings: &Settings) -> (Settings, Fixed) {
    let fixed = Fixed { step: settings.step.is_some(), from: settings.from.is_some(), end: settings.extent.is_some() };
    let settings = Settings {
        step: settings.step.or(model.simulation().step),
        from: settings.from.or(model.simulation().from),
        extent: settings.extent.or(model.simulation().extent),
        ..settings.clone()
    };
    (settings, fixed)
}

/// What the column of a varied quantity is called: the start of `x` is `x(0)`, since `x` is what became of it.
fn column(name: &str, target: Target) -> String {
    match target {
        Target::Parameter(_) => name.to_owned(),
        _ => format!("{name}(0)"),
    }
}
