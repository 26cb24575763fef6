//! How members are cut into batches, which device takes them, and what the processor does beside it: it draws the next ones, marches those
//! again that need it, and makes rows of those before.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::panic::resume_unwind;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use extremal_device::{Device, DeviceError};
use extremal_solve::wide::MemberTable;
use extremal_trajectory::frame::Frame;

use super::DeviceSweep;
use super::batch::DrawnBatch;
use super::course::{MarchedBatch, SpareNumbers};
use super::report::SweepDevices;
use super::rows::RowsAgain;
use crate::sweep::engine::Engine;
use crate::sweep::members::Preparation;
use crate::sweep::pool::Cut;
use crate::sweep::record::Record;
use crate::sweep::summary::Summary;
use crate::sweep::variation::Variation;

/// The most members of a batch,
const MOST_MEMBERS: u64 = 1 << 18;
/// the most numbers that are read of them,
const MOST_NUMBERS: u64 = 1 << 26;
/// and the most steps of all of them together: what an interrupt waits for.
const MOST_STEPS: u64 = 1 << 33;
/// The part of a device's memory that a table uses; there are two.
const SHARE: f64 = 0.4;
/// Fewer members to be marched again are not worth a thread.
const FEWEST_AGAIN: usize = 8;
/// Between two looks at an interrupt.
const LOOK: Duration = Duration::from_millis(50);

/// What members are marched with.
pub(in crate::sweep) struct DeviceWork<'w, 's> {
    pub sweep: DeviceSweep<'s>,
    pub preparation: &'w Preparation<'w>,
    pub variation: &'w Variation,
    pub cut: Cut,
    /// The steps of a member.
    pub steps: u64,
    /// Threads beside the devices, and what makes an engine for one of them, for members that are marched again.
    pub threads: u64,
    pub engine: &'w (dyn Fn() -> Engine<'s> + Sync),
}

/// Marches all groups from `first` on, as the pool of threads does. An error of a device ends the work with the groups that are done.
pub(in crate::sweep) fn march<E>(
    devices: &SweepDevices,
    work: DeviceWork<'_, '_>,
    first: u64,
    mut take: impl FnMut(Frame, Summary) -> Result<(), E>,
    mut watch: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<u64, E> {
    let DeviceWork { sweep, preparation, variation, cut, steps, threads, engine } = work;
    let mut engines = Vec::new();
    let sweep = &sweep;
    let begin = Instant::now();
    let mut held = devices.lock();
    // Every device is used twice, so that one batch is marched while the numbers of another are read.
    let again: Result<Vec<Box<dyn Device>>, DeviceError> = held.iter_mut().map(|device| device.another()).collect();
    let mut again = again.unwrap_or_default();
    let both = held.iter_mut().chain(&mut again).collect();
    let tables = match tables(both, sweep, cut, steps) {
        Ok(tables) => tables,
        Err(error) => {
            devices.told().failure = Some(error);
            return Ok(first);
        }
    };
    devices.told().ready += begin.elapsed().as_secs_f64();
    let room = tables.iter().map(MemberTable::members).min().unwrap_or(1) as u64;
    let per_batch = (room / cut.group).max(1);
    let batches: Vec<Range<u64>> =
        (first..cut.groups()).step_by(per_batch as usize).map(|at| at..cut.groups().min(at + per_batch)).collect();
    let ahead = tables.len() + 1;
    let mut known = sweep.march.known_parameters();
    let (hand_out, jobs) = mpsc::channel::<(usize, DrawnBatch)>();
    let (give_back, results) = mpsc::channel::<(usize, Result<MarchedBatch, DeviceError>)>();
    let (jobs, spare) = (Mutex::new(Some(jobs)), SpareNumbers::default());
    let spare = &spare;
    let outcome = thread::scope(|scope| {
        let (jobs, hand_out) = (QueueEnd(&jobs), hand_out);
        for mut table in tables {
            let (queue, give_back) = (jobs.0, give_back.clone());
            scope.spawn(move || {
                while let Some((at, batch)) = next_job(queue) {
                    let marched = sweep.march(&mut table, batch, spare);
                    let failed = marched.is_err();
                    if give_back.send((at, marched)).is_err() || failed {
                        return;
                    }
                }
            });
        }
        drop(give_back);
        let (mut drawn, mut taken, mut waiting) = (0, 0, BTreeMap::new());
        let members_of = |groups: &Range<u64>| cut.members_of(groups.start).start..cut.members_of(groups.end - 1).end;
        while taken < batches.len() {
            while drawn < batches.len() && drawn < taken + ahead {
                let members = members_of(&batches[drawn]);
                let batch = DrawnBatch::new(sweep, &mut known, preparation, variation, members, threads);
                if hand_out.send((drawn, batch)).is_err() {
                    break;
                }
                drawn += 1;
            }
            match results.recv_timeout(LOOK) {
                Ok((at, Ok(marched))) => {
                    waiting.insert(at, marched);
                }
                Ok((_, Err(error))) => {
                    devices.told().failure = Some(error);
                    break;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some(marched) = waiting.remove(&taken) {
                devices.told().marched += marched.drawn.count as u64;
                devices.told().left += marched.rare.len() as u64;
                let wanted = marched.rare.len().div_ceil(FEWEST_AGAIN).min(threads as usize);
                while engines.len() < wanted {
                    engines.push(engine());
                }
                let again = march_again(&mut engines, preparation, &marched);
                let rows = rows_of_groups(sweep, cut, batches[taken].clone(), &marched, &again, threads);
                let used = marched.rows.into_iter().map(|row| row.numbers);
                spare.lock().unwrap_or_else(PoisonError::into_inner).extend(used);
                rows.into_iter().try_for_each(|(frame, summary)| take(frame, summary))?;
                taken += 1;
            }
            let done = batches.get(taken).map_or(cut.end, |groups| cut.members_of(groups.start).start);
            if watch(done - cut.begin).is_break() {
                break;
            }
        }
        Ok(batches.get(taken).map_or(cut.groups(), |groups| groups.start))
    });
    devices.told().marching += begin.elapsed().as_secs_f64();
    outcome
}

/// A table on every device, with room for as many members as it has memory for, or as there are.
fn tables<'t>(
    devices: Vec<&'t mut Box<dyn Device>>,
    sweep: &'t DeviceSweep<'_>,
    cut: Cut,
    steps: u64,
) -> Result<Vec<MemberTable<'t>>, DeviceError> {
    let Cut { group, .. } = cut;
    let kernels = &sweep.kernels;
    let share = cut.members().div_ceil(devices.len().max(1) as u64);
    let rows = match sweep.common.layout.record {
        Record::All { every } => 2 + steps / every.max(1),
        Record::End | Record::Events | Record::Extremes => 1,
    };
    let numbers = MOST_NUMBERS / (rows * sweep.row_columns.len().max(1) as u64);
    let most = MOST_MEMBERS.min(MOST_STEPS / steps.max(1)).min(numbers).min(share).max(1);
    let one = MemberTable::bytes(kernels, 1).max(1);
    let make = |device: &'t mut Box<dyn Device>| {
        let fits = (device.free_memory()? as f64 * SHARE) as u64 / one;
        let groups = most.div_ceil(group).min(fits / group).max(1);
        MemberTable::new(device.as_mut(), kernels, (groups * group).min(cut.members()) as usize)
    };
    devices.into_iter().map(make).collect()
}

fn next_job<J>(queue: &Mutex<Option<Receiver<J>>>) -> Option<J> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.recv().ok()
}

/// Leaves nothing to be marched when the one who hands out leaves, for whatever reason.
struct QueueEnd<'q, J>(&'q Mutex<Option<Receiver<J>>>);

impl<J> Drop for QueueEnd<'_, J> {
    fn drop(&mut self) {
        // Whoever waits for a job has the lock, and is let go by the one who hands out.
        if let Ok(mut jobs) = self.0.try_lock() {
            *jobs = None;
        }
    }
}

/// Marches members again by the processor.
fn march_again(engines: &mut [Engine<'_>], preparation: &Preparation<'_>, marched: &MarchedBatch) -> RowsAgain {
    let share = marched.rare.len().div_ceil(engines.len().max(1)).max(1);
    let parts = marched.rare.chunks(share).map(|places| {
        let members = places.iter().map(|at| {
            let number = marched.drawn.first + *at as u64;
            (*at, preparation.members(number..number + 1))
        });
        members.collect::<Vec<_>>()
    });
    thread::scope(|scope| {
        let marching: Vec<_> = engines
            .iter_mut()
            .zip(parts)
            .map(|(engine, members)| {
                scope.spawn(move || {
                    let rows = members.iter().map(|(at, members)| (*at, engine.march_block(members)));
                    rows.collect::<Vec<_>>()
                })
            })
            .collect();
        marching.into_iter().flat_map(joined).collect()
    })
}

/// The rows of the groups of a batch, with what is said of them.
fn rows_of_groups(
    sweep: &DeviceSweep<'_>,
    cut: Cut,
    groups: Range<u64>,
    marched: &MarchedBatch,
    again: &RowsAgain,
    threads: u64,
) -> Vec<(Frame, Summary)> {
    let layout = sweep.common.layout;
    let rows_of = |group: u64| {
        let members = cut.members_of(group);
        let place = |member: u64| (member - marched.drawn.first) as usize;
        let frame = marched.rows(layout, place(members.start)..place(members.end), again);
        let summary = Summary::of(&frame, layout.fields.number_names().len(), layout.texts());
        (frame, summary)
    };
    let share = (groups.end - groups.start).div_ceil(threads.max(1)).max(1);
    let parts = groups.clone().step_by(share as usize).map(|from| from..groups.end.min(from + share));
    thread::scope(|scope| {
        let rows_of = &rows_of;
        let making: Vec<_> = parts.map(|part| scope.spawn(move || part.map(rows_of).collect::<Vec<_>>())).collect();
        making.into_iter().flat_map(joined).collect()
    })
}

/// What a thread has made; a panic goes on here.
pub(super) fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
