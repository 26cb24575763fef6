//! Sums over what an application of a computation leaves: their summands are made in its own loops, while a tile is in the cache.
//!
//! The loops know nothing of the members next to the ends, so that these are taken as they are in the sums of a state by themselves:
//! so are the pieces in which numbers are added, and with them all bits.

use std::sync::Arc;

use crate::program::{Backend, CompileError};

use super::ends::{LatticeEnd, LatticeEnds};
use super::loop_machine::{LoopMachine, LoopPiece};
use super::plan::{GivenValues, LoopPlan, LoopReach, WantedValues};
use super::shapes::{Shapes, Shifted};
use super::totals::PiecewiseTotal;
use super::{AlikeMembers, LatticeFormulas, LatticeLoops, LatticeProgram};

/// Sums of a state.
pub(super) struct StateSums {
    alone: LatticeProgram,
    densities: Vec<Shifted>,
}

impl StateSums {
    /// Their summands among all shapes; the scalars of the computation are not theirs. `None` where the members are not alike.
    pub fn find(
        [small, larger]: [LatticeFormulas<'_>; 2],
        first_scalar: usize,
    ) -> Result<(Shapes, Option<StateSums>), CompileError> {
        let Some(alike) = AlikeMembers::find_among(Shapes::default(), first_scalar, small, larger)? else {
            return Ok((Shapes::default(), None));
        };
        let AlikeMembers { shapes, wanted, .. } = alike;
        let alone = LatticeProgram::find(small, larger)?;
        Ok((shapes, alone.map(|alone| StateSums { alone, densities: wanted.sums })))
    }

    /// The loops of the computation that make the summands too, and members that these are not made of before the first and behind
    /// the last result that all repeat.
    pub fn plan(
        &self,
        alike: &mut AlikeMembers<'_>,
        results: &[Shifted],
        given: GivenValues<'_>,
    ) -> Option<(LoopPlan, LoopReach)> {
        let fields = alike.wanted.results.clone();
        let sums = self.densities.iter().map(|density| alike.shapes.after(*density, &fields)).collect();
        let plan = LoopPlan::new(&alike.shapes, &WantedValues { results: results.to_vec(), sums }, given)?;
        let reaches = self.densities.iter().map(|density| alike.shapes.reach(*density));
        Some((plan, reaches.fold(LoopReach::default(), LoopReach::with)))
    }

    /// Members at both ends that have summands of their own.
    pub fn ends(&self) -> [usize; 2] {
        [self.alone.before, self.alone.behind]
    }

    pub fn with_loops(&self, alike: &AlikeMembers<'_>, plan: LoopPlan) -> SumsAfter {
        let scalars = alike.small.scalars.len() + self.alone.scalars;
        SumsAfter { loops: Arc::new(alike.loops(plan, scalars)), alone: self.alone.clone() }
    }
}

/// Sums over what an application leaves.
#[derive(Clone)]
pub(super) struct SumsAfter {
    loops: Arc<LatticeLoops>,
    alone: LatticeProgram,
}

impl SumsAfter {
    /// The members that loops of the application touch in whole groups.
    pub fn touched_by_groups(&self) -> LoopReach {
        self.loops.plan.touched_by_groups
    }

    /// The fewest members.
    pub fn smallest(&self) -> usize {
        self.alone.smallest()
    }

    /// Memory for so many members and so many applications in one go, of which loops do the members in between.
    pub fn machine(
        &self,
        size: usize,
        [first, end]: [usize; 2],
        backend: Backend,
        together: usize,
    ) -> Option<SumsMachine> {
        let LatticeProgram { before, behind, sums, scalars, ref loops, .. } = self.alone;
        Some(SumsMachine {
            loops: LoopMachine::new(&self.loops, size, backend, together)?,
            alone: LoopMachine::new(loops, size, backend, 1)?,
            ends: LatticeEnds::new(&self.alone, size),
            all: [before, size - behind],
            in_loops: [first, end],
            sums,
            scalars,
            totals: vec![PiecewiseTotal::of(size - before - behind); together * sums],
            at_first: vec![0.0; together * sums],
            given: Vec::with_capacity(self.loops.scalars),
        })
    }
}

/// What it takes to make sums in the loops of an application.
#[derive(Clone)]
pub(super) struct SumsMachine {
    /// Those of the application, with the summands.
    pub loops: LoopMachine,
    alone: LoopMachine,
    ends: LatticeEnds,
    /// The members that have summands like each other, and those of them that loops of the application do.
    all: [usize; 2],
    in_loops: [usize; 2],
    pub sums: usize,
    pub scalars: usize,
    /// Application by application.
    totals: Vec<PiecewiseTotal>,
    at_first: Vec<f64>,
    /// The scalars of an application, and its own.
    given: Vec<f64>,
}

impl SumsMachine {
    pub fn set_parameters(&mut self, values: &[f64]) {
        self.loops.set_parameters(values);
        self.alone.set_parameters(values);
        self.ends.set_parameters(values);
    }

    /// Begins with an application of these scalars.
    pub fn begin(&mut self, application: usize, scalars: &[f64], own: &[f64]) {
        self.given.clear();
        self.given.extend(scalars.iter().chain(own));
        self.loops.set_scalars(application, &self.given);
        self.totals[application * self.sums..][..self.sums].iter_mut().for_each(PiecewiseTotal::begin);
    }

    /// Takes what stands at the first end of what an application left, and before the members of its loops.
    pub fn take_first(&mut self, application: usize, own: &[f64], state: &[f64]) {
        let (of_end, _) = self.ends.run(LatticeEnd::First, own, state, &mut []);
        self.at_first[application * self.sums..][..self.sums].copy_from_slice(of_end);
        self.take_alone(application, own, [self.all[0], self.in_loops[0]], state);
    }

    /// Takes the summands of the piece that its loops have just done.
    pub fn take_piece(&mut self, application: usize, piece: LoopPiece, before: &[f64], after: &[f64]) {
        for (sum, total) in self.totals[application * self.sums..][..self.sums].iter_mut().enumerate() {
            if let Some(summands) = self.loops.summands(sum, piece, piece.from, before, after) {
                total.push_all(summands);
            }
        }
    }

    /// Takes what stands behind the members of its loops, and at the last end.
    pub fn take_last(&mut self, application: usize, own: &[f64], state: &[f64]) {
        self.take_alone(application, own, [self.in_loops[1], self.all[1]], state);
        let (of_end, _) = self.ends.run(LatticeEnd::Last, own, state, &mut []);
        let places = application * self.sums..(application + 1) * self.sums;
        let ends = self.at_first[places.clone()].iter().zip(of_end);
        for (total, (first, last)) in self.totals[places].iter_mut().zip(ends) {
            total.add(*first);
            total.add(*last);
        }
    }

    /// The sums over what an application left.
    pub fn values(&self, application: usize) -> impl Iterator<Item = f64> {
        self.totals[application * self.sums..][..self.sums].iter().map(PiecewiseTotal::value)
    }

    /// Takes members of a state by themselves.
    fn take_alone(&mut self, application: usize, own: &[f64], [from, to]: [usize; 2], state: &[f64]) {
        if from == to {
            return;
        }
        self.alone.set_scalars(0, own);
        // A group of lanes must fit.
        let fewest = self.alone.lanes().max(to - from);
        let began = from.min(self.all[1] - fewest);
        let piece = LoopPiece { from: began, to: began + fewest, begins: true, ends: true };
        self.alone.run(0, piece, state, &mut []);
        for (sum, total) in self.totals[application * self.sums..][..self.sums].iter_mut().enumerate() {
            if let Some(summands) = self.alone.summands(sum, piece, from, state, &[]) {
                total.push_all(&summands[..to - from]);
            }
        }
    }
}
