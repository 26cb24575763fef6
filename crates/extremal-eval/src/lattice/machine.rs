//! Running a program once at a given size.

use crate::program::Backend;

use super::LatticeProgram;
use super::body::LANES;
use super::ends::{LatticeEnd, LatticeEnds};
use super::loop_machine::{LoopMachine, LoopPiece, PIECE};
use super::totals::PiecewiseTotal;

/// A result that is not a finite number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotFinite {
    /// A number of a member.
    Member {
        /// Which result.
        result: usize,
        /// Of which member.
        member: usize,
    },
    /// A sum.
    Sum(usize),
}

/// A [`LatticeProgram`] with the memory to run it for a given number of members. Nothing is allocated after it was made.
#[derive(Clone)]
pub struct LatticeMachine {
    program: LatticeProgram,
    size: usize,
    ends: LatticeEnds,
    loops_memory: LoopMachine,
    totals: Vec<PiecewiseTotal>,
}

impl LatticeProgram {
    /// The fewest members it can be run for.
    pub fn smallest(&self) -> usize {
        self.size.max(self.before + self.behind + LANES)
    }

    /// Memory to run it for so many members, by the fastest means there is; `None` if they are too few.
    pub fn machine(&self, size: usize) -> Option<LatticeMachine> {
        Backend::FASTEST_FIRST.into_iter().find_map(|backend| self.machine_on(backend, size))
    }

    /// The same for a given backend; `None` also where it is not available.
    pub fn machine_on(&self, backend: Backend, size: usize) -> Option<LatticeMachine> {
        if size < self.smallest() {
            return None;
        }
        Some(LatticeMachine {
            ends: LatticeEnds::new(self, size),
            loops_memory: LoopMachine::new(&self.loops, size, backend, 1)?,
            totals: vec![PiecewiseTotal::of(size - self.before - self.behind); self.sums],
            size,
            program: self.clone(),
        })
    }
}

impl LatticeMachine {
    /// What runs the members.
    pub fn is_native(&self) -> bool {
        self.loops_memory.is_native()
    }

    /// Sets the parameters.
    ///
    /// # Panics
    /// If there are not as many as the program was found for.
    pub fn set_parameters(&mut self, values: &[f64]) {
        self.loops_memory.set_parameters(values);
        self.ends.set_parameters(values);
    }

    /// Computes all members and sums. `fields` and `results` have one number per member, field by field and result by result. After a
    /// failure all results are there, whatever they are.
    ///
    /// # Panics
    /// If there are not as many numbers as the program has.
    pub fn run(
        &mut self,
        scalars: &[f64],
        fields: &[f64],
        results: &mut [f64],
        sums: &mut [f64],
    ) -> Result<(), NotFinite> {
        let program = &self.program;
        assert_eq!(fields.len(), program.fields * self.size, "the fields of another program");
        assert_eq!(results.len(), program.results * self.size, "the results of another program");
        assert_eq!(sums.len(), program.sums, "the sums of another program");
        self.loops_memory.set_scalars(0, scalars);
        let lanes = self.loops_memory.lanes();
        let (first, end) = (program.before, self.size - program.behind);
        self.totals.iter_mut().for_each(PiecewiseTotal::begin);
        let mut from = first;
        while from < end {
            let to = end.min(from + PIECE);
            // A group of lanes must fit: a short last piece does some members again.
            let began = from.min(to - lanes.min(to - first));
            let piece = LoopPiece { from: began, to, begins: true, ends: true };
            self.loops_memory.run(0, piece, fields, results);
            for (sum, total) in self.totals.iter_mut().enumerate() {
                if let Some(summands) = self.loops_memory.summands(sum, piece, from, fields, results) {
                    total.push_all(summands);
                }
            }
            from = to;
        }
        let mut finite = self.loops_memory.are_finite(0);
        for side in [LatticeEnd::First, LatticeEnd::Last] {
            let (of_end, is_finite) = self.ends.run(side, scalars, fields, results);
            finite &= is_finite;
            self.totals.iter_mut().zip(of_end).for_each(|(total, sum)| total.add(*sum));
        }
        for (sum, total) in sums.iter_mut().zip(&self.totals) {
            *sum = total.value();
        }
        if finite && sums.iter().all(|sum| sum.is_finite()) {
            return Ok(());
        }
        Err(match results.iter().position(|x| !x.is_finite()) {
            Some(at) => NotFinite::Member { result: at / self.size, member: at % self.size },
            None => NotFinite::Sum(sums.iter().position(|x| !x.is_finite()).unwrap_or(0)),
        })
    }
}
