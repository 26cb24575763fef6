//! An ensemble that is marched from the program: to a file, for a picture, for both, or for its summary alone.

use std::path::PathBuf;
use std::time::Duration;

use extremal_engine::sweep::{CoarseGrid, CompiledSweep, Record, SweepOutcome, Variation};
use extremal_engine::trajectory::frame::Frame;

use crate::ensemble::EnsembleArguments;
use crate::failure::CommandError;
use crate::members_told::MembersTold;
use crate::sweep_figure::SweptRows;

/// More members of a grid are drawn by cells, each the mean of its members: so many along an axis.
const MOST_KEPT: u64 = 1 << 22;
const MOST_CELLS: u64 = 500;

/// An ensemble that came to an end, whichever.
pub struct FinishedSweep {
    pub sweep: CompiledSweep,
    pub outcome: SweepOutcome,
    pub file: Option<PathBuf>,
    pub plots: Vec<PathBuf>,
    pub threads: usize,
    pub elapsed: Duration,
}

impl FinishedSweep {
    /// All that was written.
    pub fn files(&self) -> Vec<PathBuf> {
        self.file.iter().chain(&self.plots).cloned().collect()
    }

    /// What is said when it is over.
    pub fn told(&self) -> MembersTold<'_> {
        let SweepOutcome { summary, complete, resumed } = &self.outcome;
        MembersTold {
            members: self.sweep.members(),
            done: summary.members(),
            resumed: *resumed,
            failed: summary.failed,
            first_failure: summary.first_failure.as_ref(),
            warned: summary.warned,
            first_warning: summary.first_warning.as_ref(),
            complete: *complete,
            file: self.file.as_deref(),
            option: "--out",
            threads: self.threads,
            elapsed: self.elapsed,
        }
    }
}

/// What becomes of the rows of an ensemble.
pub struct RowsWanted<'a> {
    pub file: Option<&'a PathBuf>,
    pub plots: &'a [PathBuf],
    pub panels: &'a [String],
    pub title: &'a str,
    pub variation: &'a Variation,
    pub record: Record,
    /// Are rows points of a plane?
    pub is_section: bool,
    pub quiet: bool,
}

/// Marches all members, writes their rows and draws them, as is wanted.
pub fn march(
    sweep: CompiledSweep,
    ensemble: &EnsembleArguments,
    wanted: &RowsWanted<'_>,
) -> Result<FinishedSweep, CommandError> {
    let mut kept = KeptRows::of(&sweep, wanted);
    let (outcome, threads, elapsed) =
        ensemble.compute(wanted.file, wanted.quiet, |file, threads, watch| match file {
            Some((path, existing)) => sweep.to_file_shown(path, existing, threads, |frame| kept.take(frame), watch),
            // Without rows, what marches members may leave them where they are.
            None if wanted.plots.is_empty() => Ok(sweep.summarise(threads, watch)),
            None => Ok(sweep.shown(threads, |frame| kept.take(frame), watch)),
        })?;
    if let Some(frame) = &kept.into_frame() {
        let &RowsWanted { variation, record, is_section, .. } = wanted;
        let rows = SweptRows { sweep: &sweep, variation, record, is_section, frame };
        let figure = rows.figure(wanted.title, wanted.panels)?;
        for path in wanted.plots {
            figure.save(path)?;
        }
    }
    let (file, plots) = (wanted.file.cloned(), wanted.plots.to_vec());
    Ok(FinishedSweep { outcome, sweep, file, plots, threads, elapsed })
}

/// The rows that a picture is drawn from.
enum KeptRows<'s> {
    None,
    All(Frame),
    Cells(CoarseGrid<'s>),
}

impl<'s> KeptRows<'s> {
    fn of(sweep: &'s CompiledSweep, wanted: &RowsWanted<'_>) -> Self {
        if wanted.plots.is_empty() {
            return KeptRows::None;
        }
        let cells = CoarseGrid::of(sweep, MOST_CELLS).filter(|_| sweep.members() > MOST_KEPT);
        cells.map_or_else(|| KeptRows::All(Frame::new(sweep.fields())), KeptRows::Cells)
    }

    fn take(&mut self, frame: &Frame) {
        match self {
            KeptRows::None => {}
            KeptRows::All(all) => all.append(&mut frame.clone()),
            KeptRows::Cells(cells) => cells.take(frame),
        }
    }

    fn into_frame(self) -> Option<Frame> {
        match self {
            KeptRows::None => None,
            KeptRows::All(all) => Some(all),
            KeptRows::Cells(cells) => Some(cells.rows()),
        }
    }
}
