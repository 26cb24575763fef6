//! Threads that compute chunks of members, and the order in which their rows come back.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use extremal_trajectory::frame::Frame;

use super::{ChunkWork, ChunkWorker, Cut, SweepEnding};

/// Chunks handed out for each thread before the first of them must have come back: memory is bounded by it.
const AHEAD: u64 = 8;
/// Between two looks at an interrupt.
const LOOK: Duration = Duration::from_millis(50);

/// Marches all groups from `first` on. Their frames are given to `take` in order; `watch` is called now and then with the number of
/// members done and may end the work, as `ending` says. Returns the number of groups done.
pub(crate) fn march<W: ChunkWorker, E>(
    cut: Cut,
    ending: SweepEnding,
    first: u64,
    workers: Vec<W>,
    prepare: impl Fn(Range<u64>) -> W::Chunk,
    mut take: impl FnMut(Frame) -> Result<(), E>,
    mut watch: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<u64, E> {
    let threads = workers.len() as u64;
    let (hand_out, jobs) = mpsc::channel::<(u64, W::Chunk)>();
    let (give_back, results) = mpsc::channel::<(u64, Frame)>();
    let per_group = cut.chunks_per_group();
    let queue = Queue { jobs: Mutex::new(jobs), limit: AtomicU64::new(cut.groups() * per_group) };
    thread::scope(|scope| {
        // Workers live until there is no one left to hand out anything, however this ends.
        let (hand_out, queue) = (hand_out, OnExit(&queue));
        let spawn = |worker: W| {
            let (queue, give_back) = (queue.0, give_back.clone());
            scope.spawn(move || worker.work(&mut |work| queue.work(work, &give_back)))
        };
        let workers: Vec<ScopedJoinHandle<'_, ()>> = workers.into_iter().map(spawn).collect();
        let (mut next, mut limit) = (first * per_group, queue.0.limit());
        let mut collector = Collector { at: next, waiting: BTreeMap::new() };
        let mut group: Option<Frame> = None;
        let mut done = cut.members_of(first).start - cut.begin;
        while collector.at < limit {
            while next < limit && next < collector.at + AHEAD * threads {
                if hand_out.send((next, prepare(cut.members_of_chunk(next)))).is_err() {
                    break;
                }
                next += 1;
            }
            match results.recv_timeout(LOOK) {
                Ok((chunk, frame)) => {
                    collector.waiting.insert(chunk, frame);
                }
                Err(RecvTimeoutError::Timeout) if workers.iter().any(ScopedJoinHandle::is_finished) => break,
                Err(_) => {}
            }
            while let Some((chunk, mut frame)) = collector.next() {
                done += cut.members_of_chunk(chunk).count() as u64;
                match &mut group {
                    Some(group) => group.append(&mut frame),
                    None => group = Some(frame),
                }
                if (chunk + 1).is_multiple_of(per_group)
                    && let Some(whole) = group.take()
                {
                    take(whole)?;
                }
            }
            if watch(done).is_break() {
                limit = limit.min(match ending {
                    SweepEnding::AfterGroup => collector.at.div_ceil(per_group) * per_group,
                    SweepEnding::AtOnce | SweepEnding::WithoutGroup => collector.at,
                });
                queue.0.limit.store(limit, Ordering::Relaxed);
            }
        }
        if let (SweepEnding::AtOnce, Some(part)) = (ending, group) {
            take(part)?;
        }
        Ok(collector.at / per_group)
    })
}

/// What is to be marched.
struct Queue<C> {
    jobs: Mutex<Receiver<(u64, C)>>,
    /// Chunks from here on are not marched any more, though they were handed out.
    limit: AtomicU64,
}

impl<C> Queue<C> {
    fn limit(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }

    fn work(&self, work: ChunkWork<'_, C>, give_back: &Sender<(u64, Frame)>) {
        loop {
            let job = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((chunk, content)) = job else { return };
            let wanted = || chunk < self.limit();
            if wanted() && give_back.send((chunk, work(content, &wanted))).is_err() {
                return;
            }
        }
    }
}

/// Leaves nothing to be marched when the one who hands out leaves, for whatever reason.
struct OnExit<'q, C>(&'q Queue<C>);

impl<C> Drop for OnExit<'_, C> {
    fn drop(&mut self) {
        self.0.limit.store(0, Ordering::Relaxed);
    }
}

/// Puts chunks in order.
struct Collector {
    /// The one that comes next.
    at: u64,
    waiting: BTreeMap<u64, Frame>,
}

impl Collector {
    fn next(&mut self) -> Option<(u64, Frame)> {
        let frame = self.waiting.remove(&self.at)?;
        self.at += 1;
        Some((self.at - 1, frame))
    }
}
