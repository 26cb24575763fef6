//! Without threads: one chunk of members after the other.

use std::ops::{ControlFlow, Range};

use extremal_trajectory::frame::Frame;

use super::{Cut, SweepEnding};
use crate::sweep::engine::Engine;
use crate::sweep::members::Members;

/// Marches all groups from `first` on with one engine. Their frames are given to `take` in order; `watch` is called now and then
/// with the number of members done and may end the work, as `ending` says. Returns the number of groups done.
pub(crate) fn march<E>(
    cut: Cut,
    ending: SweepEnding,
    first: u64,
    engines: Vec<Engine<'_>>,
    prepare: impl Fn(Range<u64>) -> Members,
    mut take: impl FnMut(Frame) -> Result<(), E>,
    mut watch: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<u64, E> {
    let Some(mut engine) = engines.into_iter().next() else { return Ok(first) };
    for group in first..cut.groups() {
        let mut whole: Option<Frame> = None;
        let mut ends = false;
        for chunk in group * cut.chunks_per_group()..(group + 1) * cut.chunks_per_group() {
            let members = cut.members_of_chunk(chunk);
            let done = members.end - cut.begin;
            let mut frame = engine.march_block(&prepare(members));
            match &mut whole {
                Some(whole) => whole.append(&mut frame),
                None => whole = Some(frame),
            }
            ends |= watch(done).is_break();
            if ends && ending == SweepEnding::AtOnce {
                break;
            }
        }
        if let Some(whole) = whole {
            take(whole)?;
        }
        if ends {
            return Ok(if ending == SweepEnding::AfterGroup { group + 1 } else { group });
        }
    }
    Ok(cut.groups())
}
