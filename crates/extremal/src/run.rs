//! A run that has ended: its rows, and what is to be said about it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use extremal_engine::Recorder;
use extremal_engine::run::{End, EventCount, Outcome, Report, RunSummary};
use extremal_engine::trajectory::{Columns, Drift, Format, Role, Series, sig};

use crate::asked::shared_result;
use crate::{Error, ErrorKind, Plot, State};

/// A run that has ended: rows under named columns, drifts, warnings. Copies share their rows.
///
/// As data ([`Serialize`](serde::Serialize)) it is the summary that `extremal run --json` prints.
///
/// ```
/// use extremal::Model;
/// let run = Model::gallery("kepler")?.simulate().until(10.0).run()?;
/// let (t, x): (&[f64], &[f64]) = (&run["t"], &run["x"]);
/// assert_eq!(t.len(), x.len());
/// assert_eq!(run.end().q("x"), *x.last().unwrap());
/// assert!(run.warnings().is_empty());
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone)]
pub struct Run {
    recorded: Arc<Recorded>,
}

struct Recorded {
    title: String,
    subtitle: String,
    columns: Columns,
    rows: Vec<Vec<f64>>,
    last: Vec<f64>,
    drifts: Vec<(String, Drift)>,
    series: Series,
    energy_changes: bool,
    steps: u64,
    stopped_by: Option<String>,
    warnings: Vec<String>,
    summary: RunSummary,
}

impl Run {
    pub(crate) fn of(
        run: &extremal_engine::CompiledRun,
        outcome: &Outcome,
        recorder: &Recorder,
        rows: Vec<Vec<f64>>,
    ) -> Run {
        let warnings = run.all_warnings(outcome);
        let model = run.model().lock();
        let report = Report { model: &model, run, outcome, recorder, warnings };
        let energy_changes = report.energy_law().why_it_changes().is_some();
        let stopped_by = outcome.end.stopped_by();
        let recorded = Recorded {
            title: model.name().unwrap_or("Model").to_owned(),
            subtitle: format!("{}, h = {}", run.method(), sig(run.step(), 6)),
            columns: recorder.columns().clone(),
            rows,
            last: recorder.last().map(<[f64]>::to_vec).unwrap_or_default(),
            drifts: recorder.drifts().map(|(column, drift)| (column.name().to_owned(), drift.clone())).collect(),
            series: recorder.series().clone(),
            energy_changes,
            steps: outcome.steps,
            stopped_by,
            summary: report.summary(),
            warnings: report.warnings,
        };
        Run { recorded: Arc::new(recorded) }
    }

    /// The run, or why it came to a bad end.
    pub(crate) fn ended(self, end: &End) -> Result<Run, Error> {
        match end {
            End::Reached | End::Stopped { .. } | End::Accumulated { .. } => Ok(self),
            End::Failed(failure) => Err(Error::of_run(ErrorKind::Motion, failure.to_string(), self)),
            End::Interrupted => Err(Error::of_run(ErrorKind::Interrupted, "the observer ended the run", self)),
        }
    }

    /// The names of the columns: `t`, the coordinates, their velocities `x'` and momenta `p_x`, and so on.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.recorded.columns.iter().map(|column| column.name())
    }

    /// The numbers of a column.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let index = self.recorded.columns.iter().position(|column| column.name() == name)?;
        self.recorded.rows.get(index).map(Vec::as_slice)
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.recorded.steps
    }

    /// The state at the end.
    pub fn end(&self) -> State {
        State::new(&self.recorded.columns, self.recorded.last.clone())
    }

    /// The `[stop]` condition that ended it, or the event that accumulates.
    pub fn stopped_by(&self) -> Option<&str> {
        self.recorded.stopped_by.as_deref()
    }

    /// How often each of the `[events]` happened, and what it did to the energy.
    pub fn events(&self) -> &[EventCount] {
        &self.recorded.summary.events
    }

    /// How far the energy departed from its first value, over all steps.
    pub fn energy(&self) -> &Drift {
        let is_energy = |name: &str| {
            self.recorded.columns.iter().any(|column| column.name() == name && column.role() == Role::Energy)
        };
        let energy = self.recorded.drifts.iter().find(|(name, _)| is_energy(name));
        &energy.expect("every run records its energy").1
    }

    /// How far the energy, an invariant or the momentum of a symmetry departed from its first value, over all steps.
    pub fn drift(&self, name: &str) -> Option<&Drift> {
        self.recorded.drifts.iter().find(|(known, _)| known == name).map(|(_, drift)| drift)
    }

    /// The energy, invariants and momenta of symmetries, with how far each departed from its first value.
    pub fn drifts(&self) -> impl Iterator<Item = (&str, &Drift)> {
        self.recorded.drifts.iter().map(|(name, drift)| (name.as_str(), drift))
    }

    /// What should be known before the numbers are believed.
    pub fn warnings(&self) -> &[String] {
        &self.recorded.warnings
    }

    /// Writes the rows, as .csv, .json or .parquet.
    ///
    /// # Errors
    /// An unknown format, or a file that cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let mut sink = Format::of(path)?.create(path, &self.recorded.columns)?;
        let length = self.recorded.rows.first().map_or(0, Vec::len);
        let mut write = || -> std::io::Result<()> {
            for at in 0..length {
                let row: Vec<f64> = self.recorded.rows.iter().map(|column| column[at]).collect();
                sink.write_row(&row)?;
            }
            sink.finish()
        };
        write().map_err(|source| Error::writing(path, &source))
    }

    /// A picture of it.
    pub fn plot(&self) -> Plot {
        let Recorded { title, subtitle, columns, series, energy_changes, .. } = &*self.recorded;
        Plot::of(title, subtitle, columns, series, *energy_changes)
    }
}

shared_result!(Run.recorded);

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("title", &self.recorded.title)
            .field("steps", &self.recorded.steps)
            .finish_non_exhaustive()
    }
}
