//! One row in, everywhere it is needed out: files, drifts, plots.

use crate::chosen::ChosenSink;
use crate::event_table::{EventFileError, EventTable};
use crate::frame::FrameError;
use crate::{Column, Columns, Drift, Format, Role, RowBlock, Series, Sink, SinkError};
use std::io;
use std::path::Path;
use thiserror::Error;

/// Why a row could not be recorded.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum RecordError {
    #[error("a row has {found} numbers for {expected} columns")]
    Width { expected: usize, found: usize },
    #[error("the recorder is finished and takes no more rows")]
    Finished,
    #[error("cannot write {output}: {source}")]
    Write { output: String, source: io::Error },
    #[error(transparent)]
    Events(#[from] FrameError),
}

struct Output {
    name: String,
    sink: Box<dyn Sink>,
    /// A sink that failed gets no more rows, but is still closed.
    failed: bool,
}

impl Output {
    fn error(&mut self, source: io::Error) -> RecordError {
        self.failed = true;
        RecordError::Write { output: self.name.clone(), source }
    }
}

/// Takes the rows of a trajectory and hands each to every output, to the
/// [`Drift`] of every energy and invariant, and to the [`Series`] plots are
/// drawn from. Memory does not grow with the number of rows.
///
/// Dropping a recorder closes its files, so that a run that stops early leaves
/// readable ones; [`finish`](Self::finish) does so and reports errors.
///
/// ```
/// use extremal_trajectory::{Column, Columns, Recorder, Role};
///
/// let columns = Columns::new([
///     Column::time(),
///     Column::coordinate("x"),
///     Column::new("energy", Role::Energy),
/// ])?;
/// let mut recorder = Recorder::new(columns);
/// for i in 0..=10 {
///     let t = 0.1 * i as f64;
///     recorder.push(&[t, t.cos(), 0.5])?;
/// }
/// recorder.finish()?;
/// assert_eq!(recorder.rows(), 11);
/// let (column, drift) = recorder.drifts().next().unwrap();
/// assert_eq!((column.name(), drift.max_drift()), ("energy", 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recorder {
    columns: Columns,
    /// The columns that go to files, where not all do.
    chosen: Option<Vec<usize>>,
    outputs: Vec<Output>,
    drifts: Vec<(usize, Drift)>,
    series: Series,
    every: u64,
    for_files_only: bool,
    /// Outputs get the rows that are given to them alone.
    given_rows: bool,
    /// The rows at events.
    events: Option<EventTable>,
    finished: bool,
    last_is_written: bool,
    /// One of the rows of a block.
    row: Vec<f64>,
}

impl Recorder {
    /// A recorder without files.
    pub fn new(columns: Columns) -> Self {
        let drifts = [Role::Energy, Role::Invariant]
            .into_iter()
            .flat_map(|role| columns.with_role(role))
            .map(|index| (index, Drift::default()))
            .collect();
        Self {
            series: Series::new(columns.len()),
            columns,
            chosen: None,
            outputs: Vec::new(),
            drifts,
            every: 1,
            for_files_only: false,
            given_rows: false,
            events: None,
            finished: false,
            last_is_written: true,
            row: Vec::new(),
        }
    }

    /// Sends only every `n`-th row to the outputs, and always the last one.
    /// Drifts and series still see every row.
    #[must_use]
    pub fn every(mut self, n: u64) -> Self {
        self.every = n.max(1);
        self
    }

    /// Sends only the rows that are [given](Self::give) to the outputs: none of those that are pushed. Drifts and series still see these.
    #[must_use]
    pub fn given_rows_only(mut self) -> Self {
        self.given_rows = true;
        self
    }

    /// Takes a row for the outputs alone.
    ///
    /// # Errors
    /// As for [`push`](Self::push).
    pub fn give(&mut self, row: &[f64]) -> Result<(), RecordError> {
        self.check(row)?;
        self.write(row)
    }

    /// Files that are added from now on get the columns at these positions alone, in this order.
    #[must_use]
    pub fn writing(mut self, chosen: Vec<usize>) -> Self {
        self.chosen = Some(chosen);
        self
    }

    /// Whole rows are wanted for files only, not for plots: of the series there are the first and the last. See also
    /// [`wants_row`](Self::wants_row).
    #[must_use]
    pub fn for_files_only(mut self) -> Self {
        self.for_files_only = true;
        self
    }

    /// Does the next row have to be whole? If not, [`pass`](Self::pass) takes what is needed of it, which
    /// matters to a trajectory of very many columns.
    pub fn wants_row(&self) -> bool {
        let index = self.series.seen();
        let is_written = self.writes_pushed() && index.is_multiple_of(self.every);
        !self.for_files_only || index == 0 || is_written
    }

    /// Do rows that are pushed go to outputs?
    fn writes_pushed(&self) -> bool {
        !self.outputs.is_empty() && !self.given_rows
    }

    /// The first row that is written from this one on.
    fn next_written(&self, from: u64) -> u64 {
        from.checked_next_multiple_of(self.every).unwrap_or(u64::MAX)
    }

    /// Does one of the next so many rows have to be whole?
    pub fn wants_one_of(&self, rows: usize) -> bool {
        let first = self.series.seen();
        let is_written = self.writes_pushed() && self.next_written(first) < first + rows as u64;
        !self.for_files_only || first == 0 || is_written
    }

    /// So many of the next rows need not be whole: of these it is enough to [`pass`](Self::pass) the energies and invariants.
    pub fn rows_to_pass(&self) -> u64 {
        let first = self.series.seen();
        match (first, self.for_files_only) {
            (0, _) | (_, false) => 0,
            _ if self.outputs.is_empty() => u64::MAX,
            _ => self.next_written(first) - first,
        }
    }

    /// Takes rows. Unless [one of them is wanted](Self::wants_one_of), of columns that are neither the time nor an energy or invariant
    /// only the last number counts. It is inlined, for the registers that the caller is compiled for.
    ///
    /// # Errors
    /// As for [`push`](Self::push), after the rows up to the first that cannot be recorded.
    #[inline(always)]
    pub fn push_block(&mut self, block: &dyn RowBlock) -> Result<(), RecordError> {
        let Some(last) = block.rows().checked_sub(1) else { return Ok(()) };
        let mut row = std::mem::take(&mut self.row);
        row.resize(self.columns.len(), 0.0);
        let pushed = self.push_rows(block, last, &mut row);
        self.row = row;
        pushed
    }

    #[inline(always)]
    fn push_rows(&mut self, block: &dyn RowBlock, last: usize, row: &mut [f64]) -> Result<(), RecordError> {
        let Some(time) = self.columns.time().filter(|_| self.rows() > 0) else {
            return (0..=last).try_for_each(|at| {
                block.read_row(at, row);
                self.push(row)
            });
        };
        block.read_row(last, row);
        self.check(row)?;
        let times = block.column(time);
        for (column, drift) in &mut self.drifts {
            drift.push_all(times, block.column(*column));
        }
        let (first, end) = (self.series.seen(), self.series.seen() + block.rows() as u64);
        if self.for_files_only {
            self.series.skip(block.rows() as u64);
            self.series.set_last(row);
        } else {
            self.series.push_block(block, row);
        }
        self.last_is_written = self.given_rows || (end - 1).is_multiple_of(self.every);
        if self.given_rows {
            return Ok(());
        }
        let due = self.next_written(first);
        if due >= end {
            return Ok(());
        }
        let mut result = Ok(());
        for output in self.outputs.iter_mut().filter(|output| !output.failed) {
            // No row of a block is further than its end.
            let stride = self.every.min(block.rows() as u64) as usize;
            if let Err(source) = output.sink.write_block(block, (due - first) as usize, stride) {
                result = result.and(Err(output.error(source)));
            }
        }
        result
    }

    /// Takes the time of a row, and its energies and invariants in the order of [`drifts`](Self::drifts), in
    /// place of the row. If it is the last one, [`complete`](Self::complete) must follow.
    ///
    /// # Errors
    /// Not as many numbers as drifts, or a recorder that is finished.
    pub fn pass(&mut self, t: f64, invariants: &[f64]) -> Result<(), RecordError> {
        if self.finished {
            return Err(RecordError::Finished);
        }
        if invariants.len() != self.drifts.len() {
            return Err(RecordError::Width { expected: self.drifts.len(), found: invariants.len() });
        }
        self.series.skip(1);
        self.drifts.iter_mut().zip(invariants).for_each(|((_, drift), value)| drift.push(t, *value));
        self.last_is_written = self.given_rows;
        Ok(())
    }

    /// Takes the whole of the row that was passed last.
    ///
    /// # Errors
    /// The row is not as wide as the columns, or the recorder is finished.
    pub fn complete(&mut self, row: &[f64]) -> Result<(), RecordError> {
        self.check(row)?;
        self.series.set_last(row);
        Ok(())
    }

    fn check(&self, row: &[f64]) -> Result<(), RecordError> {
        let expected = self.columns.len();
        match row.len() {
            _ if self.finished => Err(RecordError::Finished),
            found if found != expected => Err(RecordError::Width { expected, found }),
            _ => Ok(()),
        }
    }

    /// Also writes to a file, in the format its name asks for.
    ///
    /// # Errors
    /// An unknown extension, a file that cannot be created, or columns that were chosen twice or not at all.
    pub fn add_file(&mut self, path: &Path) -> Result<(), SinkError> {
        let sink: Box<dyn Sink> = match &self.chosen {
            None => Format::of(path)?.create(path, &self.columns)?,
            Some(chosen) => {
                let inner = Format::of(path)?.create(path, &self.columns.at(chosen)?)?;
                Box::new(ChosenSink { inner, chosen: chosen.clone(), row: Vec::new() })
            }
        };
        self.add_sink(format!("`{}`", path.display()), sink);
        Ok(())
    }

    /// Also writes to a sink; `name` is what errors call it.
    pub fn add_sink(&mut self, name: impl Into<String>, sink: Box<dyn Sink>) {
        self.outputs.push(Output { name: name.into(), sink, failed: false });
    }

    /// Also writes the rows at events to a file of their own, two for each: before it and after it.
    ///
    /// # Errors
    /// An unknown extension, or a file that cannot be created.
    pub fn add_events_file(&mut self, path: &Path) -> Result<(), EventFileError> {
        self.events = Some(EventTable::create(path, &self.columns)?);
        Ok(())
    }

    /// Are rows at events wanted?
    pub fn wants_events(&self) -> bool {
        self.events.is_some()
    }

    /// Takes a row at an event, on one `side` of it.
    ///
    /// # Errors
    /// The file of events cannot be written.
    pub fn event(&mut self, name: &str, side: &'static str, row: &[f64]) -> Result<(), RecordError> {
        match &mut self.events {
            Some(events) => Ok(events.push(name, side, row)?),
            None => Ok(()),
        }
    }

    /// From the next row on, columns that are watched for a drift are others by so much, which was meant.
    pub fn leap(&mut self, change: impl Fn(usize) -> f64) {
        self.drifts.iter_mut().for_each(|(column, drift)| drift.leap(change(*column)));
    }

    /// Takes a row.
    ///
    /// # Errors
    /// The row is not as wide as the columns, the recorder is finished, or an
    /// output cannot be written. In the last case the others have the row.
    pub fn push(&mut self, row: &[f64]) -> Result<(), RecordError> {
        self.check(row)?;
        let index = self.series.seen();
        let t = self.columns.time().map_or(index as f64, |time| row[time]);
        match (self.for_files_only, index) {
            (true, 0) => self.series.begin(row),
            (true, _) => {
                self.series.skip(1);
                self.series.set_last(row);
            }
            (false, _) => self.series.push(row),
        }
        for (column, drift) in &mut self.drifts {
            drift.push(t, row[*column]);
        }
        if self.given_rows {
            return Ok(());
        }
        self.last_is_written = self.every == 1 || index.is_multiple_of(self.every);
        if self.last_is_written { self.write(row) } else { Ok(()) }
    }

    fn write(&mut self, row: &[f64]) -> Result<(), RecordError> {
        let mut result = Ok(());
        for output in self.outputs.iter_mut().filter(|o| !o.failed) {
            if let Err(source) = output.sink.write_row(row) {
                result = result.and(Err(output.error(source)));
            }
        }
        result
    }

    /// Writes the last row if it was skipped, and closes every output. Files
    /// are there from then on; one that could not be written is not. Later
    /// calls do nothing.
    ///
    /// # Errors
    /// The first output that could not be completed; the others are closed
    /// all the same.
    pub fn finish(&mut self) -> Result<(), RecordError> {
        if self.finished {
            return Ok(());
        }
        self.finished = true;
        let mut result = Ok(());
        if !self.last_is_written
            && !self.outputs.is_empty()
            && let Some(row) = self.series.last().map(<[f64]>::to_vec)
        {
            result = self.write(&row);
        }
        for output in self.outputs.iter_mut().filter(|output| !output.failed) {
            if let Err(source) = output.sink.finish() {
                result = result.and(Err(output.error(source)));
            }
        }
        if let Some(events) = self.events.take() {
            result = result.and(events.finish().map_err(RecordError::from));
        }
        result
    }

    /// The columns.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// How many rows were pushed.
    pub fn rows(&self) -> u64 {
        self.series.seen()
    }

    /// The latest row, if there was one.
    pub fn last(&self) -> Option<&[f64]> {
        self.series.last()
    }

    /// The drift of each energy, then of each invariant.
    pub fn drifts(&self) -> impl Iterator<Item = (&Column, &Drift)> {
        self.drifts.iter().map(|(index, drift)| (&self.columns[*index], drift))
    }

    /// The bounded picture of the run, for plots.
    pub fn series(&self) -> &Series {
        &self.series
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // A recorder that was given nothing has nothing to put in the place of older files.
        if self.rows() > 0 {
            // Nobody is left to hear of an error.
            let _ = self.finish();
        }
    }
}
