//! Batches of members on devices, and their rows in order.

use std::collections::BTreeMap;
use std::mem;
use std::ops::{ControlFlow, Range};
use std::panic::resume_unwind;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use extremal_device::{Device, DeviceError};
use extremal_solve::wide::MemberTable;
use extremal_trajectory::frame::Frame;

use super::DeviceSweep;
use super::batch::DrawnBatch;
use super::course::{MarchedBatch, SpareNumbers};
use super::report::SweepDevices;
use super::row_workers::{self, RowJob, RowsDone};
use super::rows::RowsAgain;
use crate::sweep::engine::Engine;
use crate::sweep::members::Preparation;
use crate::sweep::pool::Cut;
use crate::sweep::record::Record;
use crate::sweep::summary::Summary;
use crate::sweep::variation::Variation;

/// The most members of a batch: as many as have threads side by side,
const MOST_MEMBERS: u64 = 1 << 16;
/// the most numbers that are read of them,
const MOST_NUMBERS: u64 = 1 << 26;
/// and the most steps of all of them together: what an interrupt waits for.
const MOST_STEPS: u64 = 1 << 33;
/// So many batches are on a device at once, so that it has work while numbers are read, and where the last threads of a kernel are slow.
const TABLES: usize = 4;
/// The part of a device's memory that they use.
const SHARE: f64 = 0.8;
/// Fewer members to be marched again are not worth a thread, and more are shared.
const MARCHED_AGAIN: Range<usize> = 4..256;
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
    /// Are rows wanted, or only what is said of them?
    pub rows: bool,
}

/// What the one who hands out is told.
enum Told {
    Marched(usize, Result<MarchedBatch, DeviceError>),
    /// A table has no more batches.
    Left,
    /// A thread panics.
    Broken,
    Done(RowsDone),
}

/// Tells that its thread panics: nobody waits for what it does.
struct Alarm<'t>(&'t Sender<Told>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            // Nobody may be there to be told.
            let _ = self.0.send(Told::Broken);
        }
    }
}

/// A batch whose rows are being made.
struct OpenBatch {
    marched: Option<MarchedBatch>,
    again: RowsAgain,
    /// So many parts of it are being marched again.
    going: usize,
    shared: Option<Arc<(MarchedBatch, RowsAgain)>>,
    rows: Vec<Option<(Frame, Summary)>>,
}

impl OpenBatch {
    fn is_done(&self) -> bool {
        self.going == 0 && self.rows.iter().all(Option::is_some)
    }
}

/// Marches all groups from `first` on, as the pool of threads does. An error of a device ends the work with the groups that are done.
pub(in crate::sweep) fn march<E>(
    devices: &SweepDevices,
    work: DeviceWork<'_, '_>,
    first: u64,
    mut take: impl FnMut(Frame, Summary) -> Result<(), E>,
    mut watch: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<u64, E> {
    let DeviceWork { sweep, preparation, variation, cut, steps, threads, engine, rows } = work;
    let sweep = &sweep;
    let begin = Instant::now();
    let mut held = devices.lock();
    let mut again: Vec<Box<dyn Device>> = Vec::new();
    for _ in 1..TABLES {
        again.extend(held.iter_mut().map_while(|device| device.another().ok()));
    }
    let all = held.iter_mut().chain(&mut again).collect();
    let tables = match tables(all, sweep, cut, steps) {
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
    let count = tables.len();
    // Some are on devices, some wait for one, of some rows are made.
    let ahead = 3 * count;
    let mut known = sweep.march.known_parameters();
    let (hand_out, jobs) = mpsc::channel::<(usize, DrawnBatch)>();
    let (ask, asked) = mpsc::channel::<RowJob>();
    let (tell, told) = mpsc::channel::<Told>();
    let (jobs, asked, spare) = (Mutex::new(Some(jobs)), Mutex::new(asked), SpareNumbers::default());
    let (asked, spare) = (&asked, &spare);
    thread::scope(|scope| {
        let (queue, ask) = (QueueEnd(&jobs), ask);
        for mut table in tables {
            let (queue, tell) = (queue.0, tell.clone());
            scope.spawn(move || {
                let _alarm = Alarm(&tell);
                while let Some((at, batch)) = next_job(queue) {
                    let marched = sweep.march(&mut table, batch, spare);
                    let failed = marched.is_err();
                    if tell.send(Told::Marched(at, marched)).is_err() || failed {
                        break;
                    }
                }
                // Nobody may be there to be told.
                let _ = tell.send(Told::Left);
            });
        }
        let layout = sweep.common.layout;
        for _ in 0..threads {
            let tell = tell.clone();
            scope.spawn(move || {
                let _alarm = Alarm(&tell);
                row_workers::work(asked, &tell, (layout, rows), engine, Told::Done);
            });
        }
        drop(tell);
        let members_of = |groups: &Range<u64>| cut.members_of(groups.start).start..cut.members_of(groups.end - 1).end;
        let mut desk = RowDesk { cut, preparation, batches: &batches, threads, ask, open: BTreeMap::new(), out: 0 };
        let mut hand_out = Some(hand_out);
        let (mut drawn, mut taken, mut left) = (0, 0, 0);
        while taken < batches.len() && (left < count || desk.out > 0) {
            while let Some(hand_out) = hand_out.as_ref().filter(|_| drawn < batches.len().min(taken + ahead)) {
                let members = members_of(&batches[drawn]);
                let batch = DrawnBatch::new(sweep, &mut known, preparation, variation, members, threads);
                if hand_out.send((drawn, batch)).is_err() {
                    break;
                }
                drawn += 1;
            }
            match told.recv_timeout(LOOK) {
                Ok(Told::Marched(at, Ok(marched))) => {
                    devices.told().marched += marched.drawn.count as u64;
                    devices.told().left += marched.rare.len() as u64;
                    desk.open(at, marched);
                }
                Ok(Told::Marched(_, Err(error))) => {
                    // What others have begun they may finish.
                    devices.told().failure = Some(error);
                    hand_out = None;
                }
                Ok(Told::Left) => left += 1,
                Ok(Told::Done(done)) => desk.take(done),
                Err(RecvTimeoutError::Timeout) => {}
                // The panic goes on where threads are joined.
                Ok(Told::Broken) | Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some((rows, used)) = desk.finished(taken) {
                spare.lock().unwrap_or_else(PoisonError::into_inner).extend(used);
                rows.into_iter().try_for_each(|(frame, summary)| take(frame, summary))?;
                taken += 1;
            }
            let done = batches.get(taken).map_or(cut.end, |groups| cut.members_of(groups.start).start);
            if watch(done - cut.begin).is_break() {
                break;
            }
        }
        devices.told().marching += begin.elapsed().as_secs_f64();
        Ok(batches.get(taken).map_or(cut.groups(), |groups| groups.start))
    })
}

/// Where batches lie while their rows are made.
struct RowDesk<'d> {
    cut: Cut,
    preparation: &'d Preparation<'d>,
    batches: &'d [Range<u64>],
    threads: u64,
    ask: Sender<RowJob>,
    open: BTreeMap<usize, OpenBatch>,
    /// What was asked for and is not done.
    out: usize,
}

impl RowDesk<'_> {
    fn asks(&mut self, job: RowJob) {
        self.out += usize::from(self.ask.send(job).is_ok());
    }

    /// Takes a batch that was marched.
    fn open(&mut self, batch: usize, marched: MarchedBatch) {
        let fewest = MARCHED_AGAIN.start;
        let share = marched.rare.len().div_ceil(self.threads.max(1) as usize).clamp(fewest, MARCHED_AGAIN.end);
        let first = marched.drawn.first;
        let mut going = 0;
        for places in marched.rare.chunks(share) {
            let members = places.iter().map(|at| {
                let number = first + *at as u64;
                (*at, self.preparation.members(number..number + 1))
            });
            let members = members.collect();
            self.asks(RowJob::Again { batch, members });
            going += 1;
        }
        let groups = self.batches[batch].clone().count();
        let rows = (0..groups).map(|_| None).collect();
        let open = OpenBatch { marched: Some(marched), again: RowsAgain::new(), going, shared: None, rows };
        self.open.insert(batch, open);
        if going == 0 {
            self.make_rows(batch);
        }
    }

    /// Takes what was done.
    fn take(&mut self, done: RowsDone) {
        self.out -= 1;
        match done {
            RowsDone::Again { batch, rows } => {
                let Some(open) = self.open.get_mut(&batch) else { return };
                open.again.extend(rows);
                open.going -= 1;
                if open.going == 0 {
                    self.make_rows(batch);
                }
            }
            RowsDone::Rows { batch, group, rows, summary } => {
                if let Some(place) = self.open.get_mut(&batch).and_then(|open| open.rows.get_mut(group)) {
                    *place = Some((rows, summary));
                }
            }
        }
    }

    /// Asks for the rows of a batch of which nobody is marched any more.
    fn make_rows(&mut self, batch: usize) {
        let Some(open) = self.open.get_mut(&batch) else { return };
        let Some(marched) = open.marched.take() else { return };
        let first = marched.drawn.first;
        let shared = Arc::new((marched, mem::take(&mut open.again)));
        open.shared = Some(shared.clone());
        for (at, group) in self.batches[batch].clone().enumerate() {
            let members = self.cut.members_of(group);
            let places = (members.start - first) as usize..(members.end - first) as usize;
            self.asks(RowJob::Rows { batch, group: at, places, marched: shared.clone() });
        }
    }

    /// The rows of a batch by groups, if all are there, and the memory of its numbers.
    fn finished(&mut self, batch: usize) -> Option<(Vec<(Frame, Summary)>, Vec<Vec<f64>>)> {
        if !self.open.get(&batch)?.is_done() {
            return None;
        }
        let open = self.open.remove(&batch)?;
        // Whoever made rows of it may just be about to let it go.
        let shared = open.shared.and_then(Arc::into_inner);
        let used =
            shared.map_or_else(Vec::new, |(marched, _)| marched.rows.into_iter().map(|row| row.numbers).collect());
        Some((open.rows.into_iter().flatten().collect(), used))
    }
}

/// Tables on devices, each with room for as many members as it has memory for, or as there are; fewer where memory is short.
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
    let mut made = Vec::new();
    for device in devices {
        let fits = (device.free_memory()? as f64 * SHARE / TABLES as f64) as u64 / one;
        let groups = most.div_ceil(group).min(fits / group).max(1);
        match MemberTable::new(device.as_mut(), kernels, (groups * group).min(cut.members()) as usize) {
            Ok(table) => made.push(table),
            Err(error) if made.is_empty() => return Err(error),
            Err(_) => break,
        }
    }
    Ok(made)
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

/// What a thread has made; a panic goes on here.
pub(super) fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
