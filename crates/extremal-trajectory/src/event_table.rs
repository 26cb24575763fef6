//! The rows of a trajectory at events, in a file of their own.

use std::borrow::Cow;
use std::path::Path;

use thiserror::Error;

use crate::frame::{Fields, Frame, FrameError, WholeTable};
use crate::{Columns, ColumnsError};

/// Rows that are collected before they are written.
const ROWS: usize = 1024;

/// Why a file of events cannot be begun.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EventFileError {
    /// A column of the trajectory is called as one of the words is.
    #[error("the columns `event` and `side` of a file of events are taken: {0}")]
    Columns(#[from] ColumnsError),
    /// It cannot be written.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

/// Rows at events on their way to a file: the columns of the trajectory, the name of the event, and the side of it.
pub(crate) struct EventTable {
    table: WholeTable,
    fields: Fields,
    frame: Frame,
}

impl EventTable {
    pub fn create(path: &Path, columns: &Columns) -> Result<EventTable, EventFileError> {
        let fields = Fields::new([""; 0], columns.names(), ["event", "side"])?;
        Ok(EventTable { table: WholeTable::create(path, &fields)?, frame: Frame::new(&fields), fields })
    }

    pub fn push(&mut self, event: &str, side: &'static str, row: &[f64]) -> Result<(), FrameError> {
        self.frame.push(&[], row, [Some(Cow::Owned(event.to_owned())), Some(Cow::Borrowed(side))]);
        if self.frame.rows() < ROWS { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), FrameError> {
        let frame = std::mem::replace(&mut self.frame, Frame::new(&self.fields));
        if frame.rows() > 0 { self.table.push(&frame) } else { Ok(()) }
    }

    pub fn finish(mut self) -> Result<(), FrameError> {
        self.flush()?;
        self.table.finish()
    }
}
