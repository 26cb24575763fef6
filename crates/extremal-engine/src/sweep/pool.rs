//! How members are cut into chunks and groups, and who marches them.

#[cfg_attr(not(feature = "parallel"), path = "pool/one_by_one.rs")]
mod threads;

use std::ops::Range;

use extremal_trajectory::frame::Frame;

use super::SweepError;

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

impl Cut {
    pub fn members(&self) -> u64 {
        self.end - self.begin
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

    fn members_of(&self, group: u64) -> Range<u64> {
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
