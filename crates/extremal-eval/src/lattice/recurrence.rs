//! Computations by members that are applied over and over, their results becoming their fields.
//!
//! Several applications are done in one go over memory: a tile of members goes through all of them while it is in the cache. Since
//! an application needs members beyond those it makes, each begins and ends a *skew* further back than the one before it:
//!
//! ```text
//! first      ├────────────────────────┤────────────────┤────────────────┤
//! second     ├────────────────────┤────────────────┤────────────────────┤
//! third      ├────────────────┤────────────────┤────────────────────────┤
//! ```
//!
//! The states lie in two arrays in turn, and the one before the first application in a third. An application in a tile reads and
//! writes at most `reach` members beyond it. So a skew of `2 reach` suffices: what it reads has been made, since the application
//! before it is `2 reach` members ahead; and what the next one writes into the same array, ending `2 reach` members further back, goes
//! at most to the first member that is still read. Every number is computed by the same operations from the same numbers as
//! without tiles: all bits are the same.

use std::sync::Arc;

use crate::program::{Backend, CompileError};

use super::body::LANES;
use super::carried::Carried;
use super::ends::{LatticeEnd, LatticeEnds};
use super::loop_machine::{LoopMachine, LoopPiece, PIECE};
use super::machine::NotFinite;
use super::plan::{GivenValues, LoopPlan, LoopReach, WantedValues};
use super::{AlikeMembers, LatticeFormulas, LatticeLoops, LatticeProgram};

/// Members of a tile, and of the skews of all its applications together at most.
struct TileSize {
    tile: usize,
    skews: usize,
}

/// Where all states fit the second cache, a tile with its skews has to fit the first one.
const NEAR: TileSize = TileSize { tile: 384, skews: 128 };
/// Where they do not, it is more important that the states are gone through seldom.
const FAR: TileSize = TileSize { tile: 512, skews: 512 };
/// Bytes that every core has near it.
const SECOND_CACHE: usize = 1 << 20;
/// So many applications are done in one go at most.
const TOGETHER: usize = 32;

/// A computation by members whose results are its fields the next time, for any number of members.
///
/// ```
/// use extremal_eval::{LatticeRecurrence, LatticeFormulas};
/// use extremal_expr::{Expr, Graph, Id};
///
/// // Every number becomes the mean of its neighbours; those at the ends stay.
/// let g = Graph::new();
/// let instance = |size: usize| -> [Vec<Vec<Id>>; 2] {
///     let x: Vec<Expr<'_>> = (0..size).map(|i| g.symbol(&format!("x{i}"))).collect();
///     let mean = |i: usize| if i == 0 || i + 1 == size { x[i] } else { (x[i - 1] + x[i + 1]) / 2 };
///     [vec![x.iter().map(|x| x.id()).collect()], vec![(0..size).map(|i| mean(i).id()).collect()]]
/// };
/// let ([x, mean], [y, larger]) = (instance(20), instance(21));
/// let members = |fields, results| LatticeFormulas { graph: &g, parameters: &[], scalars: &[], fields, results, sums: &[] };
/// let found = LatticeRecurrence::find(members(&x, &mean), members(&y, &larger))?.expect("all members between the ends are alike");
///
/// let mut machine = found.machine(1000, 1).expect("enough members");
/// machine.set_parameters(&[]);
/// let ramp: Vec<f64> = (0..1000).map(f64::from).collect();
/// machine.load(&ramp);
/// machine.run(10, &[]).expect("all is finite");
/// assert_eq!(machine.state(), ramp);
/// # Ok::<(), extremal_eval::CompileError>(())
/// ```
#[derive(Clone)]
pub struct LatticeRecurrence {
    step: LatticeProgram,
    carrying: Option<Carrying>,
}

/// What goes from one application to the next beside the fields.
#[derive(Clone)]
struct Carrying {
    /// Computes it from fields.
    loops: Arc<LatticeLoops>,
    count: usize,
    /// The members that are needed, before the first and behind the last one that the loops of the step make.
    members: LoopReach,
}

impl LatticeRecurrence {
    /// Finds the member that all others repeat, as [`LatticeProgram::find`] does. There are as many results as fields, and no sums.
    pub fn find(
        small: LatticeFormulas<'_>,
        larger: LatticeFormulas<'_>,
    ) -> Result<Option<LatticeRecurrence>, CompileError> {
        let Some(mut alike) = AlikeMembers::find(small, larger)? else { return Ok(None) };
        if small.results.len() != small.fields.len() || !small.sums.is_empty() {
            return Ok(None);
        }
        if let Some((plan, carrying)) = alike.carrying(&Carried::find(&alike.shapes, &alike.wanted.results)) {
            let reach = LoopReach {
                first: carrying.members.first + carrying.loops.plan.touched.first,
                last: carrying.members.last + carrying.loops.plan.touched.last,
            };
            (alike.before, alike.behind) =
                (alike.before.max(-reach.first as usize), alike.behind.max(reach.last as usize));
            if let Some(step) = alike.program(plan)? {
                return Ok(Some(LatticeRecurrence { step, carrying: Some(carrying) }));
            }
        }
        let given = GivenValues { fields: small.fields.len(), values: &[] };
        let Some(plan) = LoopPlan::new(&alike.shapes, &alike.wanted, given) else { return Ok(None) };
        Ok(alike.program(plan)?.map(|step| LatticeRecurrence { step, carrying: None }))
    }

    /// How many operations one member takes, and how many loops they are in.
    pub fn operations(&self) -> (usize, usize) {
        self.step.operations()
    }

    /// The fewest members it can be run for.
    pub fn smallest(&self) -> usize {
        self.step.smallest()
    }

    /// Memory to run it for so many members, and at least so many times in one go, by the fastest means there is; `None` if there are
    /// too few members.
    pub fn machine(&self, size: usize, together: usize) -> Option<RecurrenceMachine> {
        Backend::FASTEST_FIRST.into_iter().find_map(|backend| self.machine_on(backend, size, together))
    }

    /// The same for a given backend; `None` also where it is not available.
    pub fn machine_on(&self, backend: Backend, size: usize, together: usize) -> Option<RecurrenceMachine> {
        if size < self.smallest() {
            return None;
        }
        let LatticeProgram { before, behind, fields, scalars, loops, .. } = &self.step;
        let touched = loops.plan.touched_by_groups;
        let reach = (-touched.first).max(touched.last) as usize;
        let skew = (2 * reach).next_multiple_of(LANES);
        let numbers = (fields + self.carrying.as_ref().map_or(0, |carrying| carrying.count)) * size;
        let TileSize { tile, skews } = if 3 * numbers * size_of::<f64>() > SECOND_CACHE { FAR } else { NEAR };
        let most = together.max((skews / skew.max(1)).clamp(1, TOGETHER));
        let primer = match &self.carrying {
            Some(carrying) => Some(LoopMachine::new(&carrying.loops, size, backend, 1)?),
            None => None,
        };
        Some(RecurrenceMachine {
            loops_memory: LoopMachine::new(loops, size, backend, most)?,
            ends: LatticeEnds::new(&self.step, size),
            primer,
            carried_members: self.carrying.as_ref().map_or_else(LoopReach::default, |carrying| carrying.members),
            carried: self.carrying.as_ref().map_or(0, |carrying| carrying.count),
            size,
            fields: *fields,
            scalars: *scalars,
            first: *before,
            end: size - behind,
            skew,
            // The ends of a ring need each other after every application.
            tile: if self.step.is_ring {
                size
            } else {
                tile.max((4 * (reach + self.step.size)).next_multiple_of(LANES))
            },
            states: Default::default(),
            kept: 0,
            current: 0,
            taken: Vec::with_capacity(most * scalars),
            steps: 0,
            ends_are_finite: vec![true; most],
        })
    }
}

impl AlikeMembers<'_> {
    /// The loops of a step that is given what is carried, and what computes that from fields; `None` if nothing is.
    fn carrying(&self, carried: &Carried) -> Option<(LoopPlan, Carrying)> {
        let Carried { values, next } = carried;
        if values.is_empty() {
            return None;
        }
        let fields = self.small.fields.len();
        let results = [&self.wanted.results[..], next].concat();
        let plan =
            LoopPlan::new(&self.shapes, &WantedValues { results, sums: Vec::new() }, GivenValues { fields, values })?;
        let from_fields = WantedValues { results: values.clone(), sums: Vec::new() };
        let loops = self.loops(LoopPlan::new(&self.shapes, &from_fields, GivenValues { fields, values: &[] })?);
        let members = plan.read.iter().copied().fold(LoopReach::default(), LoopReach::with);
        Some((plan, Carrying { loops: Arc::new(loops), count: values.len(), members }))
    }
}

/// An application with a result that is not finite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// So many were done before it: the state is what they left.
    pub after: usize,
    /// Where it failed.
    pub place: NotFinite,
}

/// A [`LatticeRecurrence`] with its state and the memory to run it. Nothing is allocated after it was loaded.
#[derive(Clone)]
pub struct RecurrenceMachine {
    loops_memory: LoopMachine,
    ends: LatticeEnds,
    primer: Option<LoopMachine>,
    carried_members: LoopReach,
    carried: usize,
    size: usize,
    fields: usize,
    scalars: usize,
    /// The members of the loops.
    first: usize,
    end: usize,
    skew: usize,
    tile: usize,
    states: [LatticeState; 3],
    /// The state before the last run, and the one now.
    kept: usize,
    current: usize,
    /// The scalars of the last run, and how many times it was applied.
    taken: Vec<f64>,
    steps: usize,
    ends_are_finite: Vec<bool>,
}

impl RecurrenceMachine {
    /// So many applications fit one run.
    pub fn most(&self) -> usize {
        self.ends_are_finite.len()
    }

    /// Sets the parameters for the next [`load`](RecurrenceMachine::load).
    ///
    /// # Panics
    /// If there are not as many as it was found for.
    pub fn set_parameters(&mut self, values: &[f64]) {
        self.loops_memory.set_parameters(values);
        self.ends.set_parameters(values);
        self.primer.iter_mut().for_each(|primer| primer.set_parameters(values));
    }

    /// Begins with a state, field by field.
    ///
    /// # Panics
    /// If it has not as many numbers as there are members and fields.
    pub fn load(&mut self, state: &[f64]) {
        assert_eq!(state.len(), self.fields * self.size, "the state of another recurrence");
        self.load_with(|_, numbers| numbers.copy_from_slice(state));
    }

    /// Begins with a state that is written to the second of two places for one; the first is there to be used meanwhile. Returns
    /// what writing it did.
    pub fn load_with<T>(&mut self, write: impl FnOnce(&mut [f64], &mut [f64]) -> T) -> T {
        (self.kept, self.current, self.steps) = (0, 0, 0);
        let numbers = (self.fields + self.carried) * self.size;
        self.states.iter_mut().for_each(|place| place.reserve(numbers, self.first));
        let [state, spare, _] = &mut self.states;
        let count = self.fields * self.size;
        let written = write(&mut spare.numbers_mut()[..count], &mut state.numbers_mut()[..count]);
        if let Some(primer) = &mut self.primer {
            // No scalar enters what is carried.
            self.taken.clear();
            self.taken.resize(self.scalars, 0.0);
            primer.set_scalars(0, &self.taken);
            let LoopReach { first, last } = self.carried_members;
            let (first, end) = (self.first.wrapping_add_signed(first as isize), self.end + last as usize);
            self.prime(0, first, end);
        }
        self.taken.clear();
        written
    }

    /// The state, field by field.
    pub fn state(&self) -> &[f64] {
        &self.states[self.current].numbers()[..self.fields * self.size]
    }

    /// Applies the computation so many times; `scalars` has those of each time, one after the other.
    ///
    /// # Panics
    /// If that is more than fits one run, or if there are not as many scalars.
    pub fn run(&mut self, steps: usize, scalars: &[f64]) -> Result<(), Stopped> {
        assert!(steps <= self.most(), "more than fits one run");
        assert_eq!(scalars.len(), steps * self.scalars, "the scalars of another recurrence");
        (self.kept, self.steps) = (self.current, steps);
        self.taken.clear();
        self.taken.extend_from_slice(scalars);
        let Some(after) = self.apply() else { return Ok(()) };
        // Once more up to there, and then a look at what came out.
        self.steps = after + 1;
        self.apply();
        let results = self.state();
        let at = results.iter().position(|x| !x.is_finite()).unwrap_or(0);
        let place = NotFinite::Member { result: at / self.size, member: at % self.size };
        self.take_back(1);
        Err(Stopped { after, place })
    }

    /// Undoes so many of the applications of the last run, or all of them.
    pub fn take_back(&mut self, steps: usize) {
        self.steps = self.steps.saturating_sub(steps);
        self.current = self.kept;
        self.apply();
    }

    /// Applies it as often as the last run was to; says which application was the first that failed.
    fn apply(&mut self) -> Option<usize> {
        let steps = self.steps;
        for step in 0..steps {
            self.loops_memory.set_scalars(step, &self.taken[step * self.scalars..(step + 1) * self.scalars]);
            self.ends_are_finite[step] = true;
        }
        let mut from = self.first;
        let mut to = from + self.tile + steps.saturating_sub(1) * self.skew;
        loop {
            let (begins, ends) = (from == self.first, to + self.tile > self.end);
            for step in 0..steps {
                let back = step * self.skew;
                let from = if begins { from } else { from - back };
                let to = if ends { self.end } else { to - back };
                self.tile(step, LoopPiece { from, to, begins, ends });
            }
            if ends {
                break;
            }
            (from, to) = (to, to + self.tile);
        }
        self.current = self.place(steps);
        (0..steps).find(|step| !self.ends_are_finite[*step] || !self.loops_memory.are_finite(*step))
    }

    /// Where the state is after so many applications.
    fn place(&self, steps: usize) -> usize {
        match steps {
            0 => self.kept,
            steps => (self.kept + 1 + steps % 2) % 3,
        }
    }

    /// One application on some members, with the ends that are among them.
    fn tile(&mut self, step: usize, tile: LoopPiece) {
        let places = [self.place(step), self.place(step + 1)];
        let Ok([before, after]) = self.states.get_disjoint_mut(places) else {
            unreachable!("two places are never the same")
        };
        let (before, after) = (before.numbers(), after.numbers_mut());
        let mut from = tile.from;
        while from < tile.to {
            let to = if tile.to - from <= PIECE { tile.to } else { from + PIECE / 2 };
            let piece =
                LoopPiece { from, to, begins: tile.begins && from == tile.from, ends: tile.ends && to == tile.to };
            self.loops_memory.run(step, piece, before, after);
            from = to;
        }
        let scalars = &self.taken[step * self.scalars..(step + 1) * self.scalars];
        for (side, is_here) in [(LatticeEnd::First, tile.begins), (LatticeEnd::Last, tile.ends)] {
            if is_here {
                let (_, finite) = self.ends.run(side, scalars, before, after);
                self.ends_are_finite[step] &= finite;
            }
        }
        // What loops make of the carried values does not reach the members next to the ends.
        let LoopReach { first, last } = self.carried_members;
        if tile.begins && first < 0 {
            let from = self.first.wrapping_add_signed(first as isize);
            self.prime(places[1], from, self.first.max(from + LANES));
        }
        if tile.ends && last > 0 {
            let to = self.end + last as usize;
            self.prime(places[1], self.end.min(to - LANES), to);
        }
    }

    /// Computes members of what is carried from the fields of a state.
    fn prime(&mut self, place: usize, from: usize, to: usize) {
        let Some(primer) = &mut self.primer else { return };
        let (fields, carried) = self.states[place].numbers_mut().split_at_mut(self.fields * self.size);
        let mut at = from;
        while at < to {
            let end = if to - at <= PIECE { to } else { at + PIECE / 2 };
            primer.run(0, LoopPiece { from: at, to: end, begins: true, ends: true }, fields, carried);
            at = end;
        }
    }
}

/// The numbers of a state, the first member of the loops at the beginning of a cache line.
#[derive(Default)]
struct LatticeState {
    memory: Vec<f64>,
    offset: usize,
    count: usize,
    first: usize,
}

/// Numbers of a cache line.
const LINE: usize = 8;

impl LatticeState {
    fn reserve(&mut self, count: usize, first: usize) {
        if self.count != count {
            self.memory = vec![0.0; count + LINE];
            (self.count, self.first) = (count, first);
        }
        let misplaced = (self.memory.as_ptr() as usize / size_of::<f64>() + first) % LINE;
        self.offset = (LINE - misplaced) % LINE;
    }

    fn numbers(&self) -> &[f64] {
        &self.memory[self.offset..self.offset + self.count]
    }

    fn numbers_mut(&mut self) -> &mut [f64] {
        &mut self.memory[self.offset..self.offset + self.count]
    }
}

impl Clone for LatticeState {
    fn clone(&self) -> LatticeState {
        let mut copy = LatticeState::default();
        if self.count > 0 {
            copy.reserve(self.count, self.first);
            copy.numbers_mut().copy_from_slice(self.numbers());
        }
        copy
    }
}
