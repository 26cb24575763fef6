//! How members are cut into chunks and groups, and who marches them.

#[cfg_attr(not(feature = "parallel"), path = "pool/one_by_one.rs")]
mod threads;

use std::ops::Range;

use extremal_trajectory::frame::Frame;

use super::SweepError;
use super::record::{Layout, Record};

pub(crate) use threads::march;

/// Computes the rows of a chunk; what it is asked tells whether they are still wanted.
pub(crate) type ChunkWork<'w, C> = &'w mut dyn FnMut(C, &dyn Fn() -> bool) -> Frame;

/// Someone who computes chunks, one after the other, on a thread of its own.
pub(crate) trait ChunkWorker: Send {
    /// What is to be computed.
    type Chunk: Send;
    /// Makes ready and gives `chunks` what computes one of them.
    fn work(self, chunks: &mut dyn FnMut(ChunkWork<'_, Self::Chunk>));
}

/// What becomes of the group that is being marched when the work is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SweepEnding {
    /// It is finished: a file has whole groups.
    AfterGroup,
    /// It ends with the chunks that are done.
    AtOnce,
    /// It is left: its members are computed again.
    WithoutGroup,
}

/// How members are cut: a group is written at once, a chunk is marched at once. Neither can be seen in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The first member that is marched,
    pub begin: u64,
    /// and the one behind the last.
    pub end: u64,
    pub group: u64,
    pub chunk: u64,
}

/// The most members whose rows are written at once.
const GROUP_MEMBERS: u64 = 1 << 16;
/// Numbers of steps times columns in a group, some seconds of work: what an interrupt waits for, and what is lost with a kill.
const GROUP_WORK: u64 = 1 << 29;
/// Numbers in a group, 8 MiB of them.
const GROUP_VALUES: u64 = 1 << 20;
/// Members that a thread marches at once,
const CHUNK_MEMBERS: u64 = 1024;
/// and the steps times columns in them.
const CHUNK_WORK: u64 = 1 << 22;
/// Numbers of one member, 512 MiB of them.
const MOST_MEMBER_VALUES: u64 = 1 << 26;
/// Crossings are not more frequent than this, in the mean.
const STEPS_PER_EVENT: u64 = 16;
/// At least so many where the group has them, however long they take: they go side by side.
const FULL_LANES: u64 = 16;

impl Cut {
    /// For so many members of so many steps: it depends on nothing but the sweep.
    pub fn of(members: u64, steps: u64, layout: &Layout) -> Result<Cut, SweepError> {
        let rows = match layout.record {
            Record::End | Record::Extremes => 1,
            Record::Events => 2 + steps / STEPS_PER_EVENT,
            Record::All { every } => 2 + steps / every.max(1),
        };
        let columns = layout.fields.len() as u64;
        if rows.saturating_mul(columns) > MOST_MEMBER_VALUES {
            return Err(SweepError::TooManyRows { rows });
        }
        let work = steps.saturating_mul(columns).max(1);
        let most = GROUP_MEMBERS.min(GROUP_WORK / work).min(GROUP_VALUES / (rows * columns));
        let group = most.min(members).max(1);
        let chunk = CHUNK_MEMBERS.min(CHUNK_WORK / work).max(FULL_LANES).min(group);
        Ok(Cut { begin: 0, end: members, group, chunk })
    }

    pub fn members(&self) -> u64 {
        self.end - self.begin
    }

    /// The same for so many threads, so that each of them has members where there are few.
    pub fn shared_by(&self, threads: u64) -> Cut {
        let share = self.members().min(self.group).div_ceil(threads.max(1));
        Cut { chunk: self.chunk.min(share).max(1), ..*self }
    }

    pub fn groups(&self) -> u64 {
        self.members().div_ceil(self.group)
    }

    /// The part of it with these members.
    pub fn part(self, range: Range<u64>) -> Result<Cut, SweepError> {
        let Range { start: from, end: to } = range;
        match from < to && to <= self.end {
            true => Ok(Cut { begin: from, end: to, ..self }),
            false => Err(SweepError::NoMembers { from, to, all: self.end }),
        }
    }

    pub fn members_of(&self, group: u64) -> Range<u64> {
        let begin = self.begin + group * self.group;
        begin.min(self.end)..self.end.min(begin + self.group)
    }

    fn chunks_per_group(&self) -> u64 {
        self.group.div_ceil(self.chunk)
    }

    /// The members of a chunk; chunks are counted through all groups, and those behind the end of a group are empty.
    fn members_of_chunk(&self, chunk: u64) -> Range<u64> {
        let group = self.members_of(chunk / self.chunks_per_group());
        let begin = group.start + chunk % self.chunks_per_group() * self.chunk;
        begin.min(group.end)..(begin + self.chunk).min(group.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_members_are_shared_by_all_threads() {
        let cut = |members, group| Cut { begin: 0, end: members, group, chunk: 128 };
        let chunk = |members, group, threads| cut(members, group).shared_by(threads).chunk;
        assert_eq!([chunk(8, 8, 1), chunk(8, 8, 2), chunk(8, 8, 3), chunk(8, 8, 100)], [8, 4, 3, 1]);
        assert_eq!([chunk(1000, 1000, 2), chunk(1000, 64, 2), chunk(1, 1, 4)], [128, 32, 1]);
    }

    #[test]
    fn chunks_cover_all_members_once_and_end_with_their_group() {
        for (begin, end, group, chunk) in
            [(0, 1, 1, 1), (0, 10, 4, 3), (3, 103, 7, 7), (0, 5, 64, 2), (64, 128, 64, 64)]
        {
            let cut = Cut { begin, end, group, chunk };
            let chunks = cut.groups() * cut.chunks_per_group();
            let all: Vec<u64> = (0..chunks).flat_map(|chunk| cut.members_of_chunk(chunk)).collect();
            assert_eq!(all, (begin..end).collect::<Vec<_>>());
            for chunk in 0..chunks {
                let range = cut.members_of_chunk(chunk);
                let group = cut.members_of(chunk / cut.chunks_per_group());
                assert!(group.start <= range.start && range.end <= group.end);
            }
        }
    }
}
