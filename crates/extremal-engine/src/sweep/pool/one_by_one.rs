//! Without threads: one chunk of members after the other.

use std::ops::{ControlFlow, Range};

use extremal_trajectory::frame::Frame;

use super::{ChunkWork, ChunkWorker, Cut, SweepEnding};

/// Marches all groups from `first` on with one worker. Their frames are given to `take` in order; `watch` is called now and then
/// with the number of members done and may end the work, as `ending` says. Returns the number of groups done.
pub(crate) fn march<W: ChunkWorker, E>(
    cut: Cut,
    ending: SweepEnding,
    first: u64,
    workers: Vec<W>,
    prepare: impl Fn(Range<u64>) -> W::Chunk,
    mut take: impl FnMut(Frame) -> Result<(), E>,
    mut watch: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<u64, E> {
    let mut done = Ok(first);
    if let Some(worker) = workers.into_iter().next() {
        worker.work(&mut |work| done = groups(cut, ending, first, work, &prepare, &mut take, &mut watch));
    }
    done
}

fn groups<C, E>(
    cut: Cut,
    ending: SweepEnding,
    first: u64,
    work: ChunkWork<'_, C>,
    prepare: &impl Fn(Range<u64>) -> C,
    take: &mut impl FnMut(Frame) -> Result<(), E>,
    watch: &mut impl FnMut(u64) -> ControlFlow<()>,
) -> Result<u64, E> {
    for group in first..cut.groups() {
        let mut whole: Option<Frame> = None;
        let mut ends = false;
        for chunk in group * cut.chunks_per_group()..(group + 1) * cut.chunks_per_group() {
            let members = cut.members_of_chunk(chunk);
            let done = members.end - cut.begin;
            let mut frame = work(prepare(members), &|| true);
            match &mut whole {
                Some(whole) => whole.append(&mut frame),
                None => whole = Some(frame),
            }
            ends |= watch(done).is_break();
            if ends && ending != SweepEnding::AfterGroup {
                break;
            }
        }
        if let Some(whole) = whole.filter(|_| !(ends && ending == SweepEnding::WithoutGroup)) {
            take(whole)?;
        }
        if ends {
            return Ok(if ending == SweepEnding::AfterGroup { group + 1 } else { group });
        }
    }
    Ok(cut.groups())
}
