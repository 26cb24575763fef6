//! What the processor does with members that a device has marched, on threads of their own: those that are marched again, and rows.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use extremal_trajectory::frame::Frame;

use super::course::MarchedBatch;
use super::rows::RowsAgain;
use crate::sweep::engine::Engine;
use crate::sweep::members::Members;
use crate::sweep::record::Layout;
use crate::sweep::summary::Summary;

/// What is to be done.
pub(super) enum RowJob {
    /// Members of a batch, by their places in it.
    Again { batch: usize, members: Vec<(usize, Members)> },
    /// The rows of a group of a batch, whose places are these.
    Rows { batch: usize, group: usize, places: Range<usize>, marched: Arc<(MarchedBatch, RowsAgain)> },
}

/// What was done.
pub(super) enum RowsDone {
    Again { batch: usize, rows: RowsAgain },
    Rows { batch: usize, group: usize, rows: Frame, summary: Summary },
}

/// Does what is to be done until nobody asks for anything. Rows are made if they are wanted, else only what is said of them.
pub(super) fn work<'s, D>(
    jobs: &Mutex<Receiver<RowJob>>,
    done: &Sender<D>,
    (layout, are_wanted): (&Layout, bool),
    engine: &(dyn Fn() -> Engine<'s> + Sync),
    told: impl Fn(RowsDone) -> D,
) {
    let mut own = None;
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let rows = match job {
            Err(_) => return,
            Ok(RowJob::Again { batch, members }) => {
                let engine = own.get_or_insert_with(engine);
                let rows = members.iter().map(|(at, members)| (*at, engine.march_block(members))).collect();
                RowsDone::Again { batch, rows }
            }
            Ok(RowJob::Rows { batch, group, places, marched }) => {
                let (marched, again) = &*marched;
                let (rows, summary) = match are_wanted {
                    true => {
                        let rows = marched.rows(layout, places, again);
                        let summary = Summary::of(&rows, layout.fields.number_names().len(), layout.texts());
                        (rows, summary)
                    }
                    false => (Frame::new(&layout.fields), marched.summary(layout, places, again)),
                };
                RowsDone::Rows { batch, group, rows, summary }
            }
        };
        if done.send(told(rows)).is_err() {
            return;
        }
    }
}
