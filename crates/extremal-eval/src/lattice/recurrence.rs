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

use std::ops::Range;
use std::sync::Arc;

use crate::program::{Backend, CompileError};
use crate::zeros::zeros;

use super::body::LANES;
use super::carried::Carried;
use super::ends::{LatticeEnd, LatticeEnds};
use super::loop_machine::{LoopMachine, LoopPiece, PIECE};
use super::machine::NotFinite;
use super::plan::{GivenValues, LoopPlan, LoopReach, WantedValues};
use super::sums::{StateSums, SumsAfter, SumsMachine};
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
    sums: Option<SumsAfter>,
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
        match AlikeMembers::find(small, larger)? {
            Some(alike) => Self::of(alike, None),
            None => Ok(None),
        }
    }

    /// The same with sums over what every application leaves, of the same parameters and fields and with scalars of their own, for
    /// [`run_with_sums`](RecurrenceMachine::run_with_sums). There may be none where their members are not alike.
    pub fn find_with_sums(
        [small, larger]: [LatticeFormulas<'_>; 2],
        sums: [LatticeFormulas<'_>; 2],
    ) -> Result<Option<LatticeRecurrence>, CompileError> {
        let (shapes, sums) = StateSums::find(sums, small.scalars.len())?;
        match AlikeMembers::find_among(shapes, 0, small, larger)? {
            Some(alike) => Self::of(alike, sums.as_ref()),
            None => Ok(None),
        }
    }

    fn of(mut alike: AlikeMembers<'_>, sums: Option<&StateSums>) -> Result<Option<LatticeRecurrence>, CompileError> {
        if alike.small.results.len() != alike.small.fields.len() || !alike.small.sums.is_empty() {
            return Ok(None);
        }
        let carried = Carried::find(&alike.shapes, &alike.wanted.results);
        let ends = (alike.before, alike.behind);
        if !carried.values.is_empty() {
            if let Some(found) = alike.recurrence(&carried, sums)? {
                return Ok(Some(found));
            }
            (alike.before, alike.behind) = ends;
        }
        alike.recurrence(&Carried::default(), sums)
    }

    /// How many operations one member takes, and how many loops they are in.
    pub fn operations(&self) -> (usize, usize) {
        self.step.operations()
    }

    /// The fewest members it can be run for.
    pub fn smallest(&self) -> usize {
        self.step.smallest().max(self.sums.as_ref().map_or(0, SumsAfter::smallest))
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
        let with_sums = self.sums.as_ref().map_or_else(LoopReach::default, SumsAfter::touched_by_groups);
        let touched = loops.plan.touched_by_groups.with(with_sums);
        let reach = (-touched.first).max(touched.last) as usize;
        let skew = (2 * reach).next_multiple_of(LANES);
        let numbers = (fields + self.carrying.as_ref().map_or(0, |carrying| carrying.count)) * size;
        let TileSize { tile, skews } = if 3 * numbers * size_of::<f64>() > SECOND_CACHE { FAR } else { NEAR };
        // The ends of a ring need each other after every application; and few members are a tile by themselves, for the way into a loop
        // and out of it counts.
        let is_one = self.step.is_ring || size <= PIECE;
        let skewed = if size <= PIECE { TOGETHER } else { skews / skew.max(1) };
        let most = together.max(skewed.clamp(1, TOGETHER));
        let primer = match &self.carrying {
            Some(carrying) => Some(LoopMachine::new(&carrying.loops, size, backend, 1)?),
            None => None,
        };
        Some(RecurrenceMachine {
            loops_memory: LoopMachine::new(loops, size, backend, most)?,
            ends: LatticeEnds::new(&self.step, size),
            primer,
            sums: match &self.sums {
                Some(sums) => Some(sums.machine(size, [*before, size - behind], backend, most)?),
                None => None,
            },
            sums_every: None,
            sum_scalars: Vec::with_capacity(most),
            carried_members: self.carrying.as_ref().map_or_else(LoopReach::default, |carrying| carrying.members),
            carried: self.carrying.as_ref().map_or(0, |carrying| carrying.count),
            size,
            fields: *fields,
            scalars: *scalars,
            first: *before,
            end: size - behind,
            skew,
            tile: if is_one { size } else { tile.max((4 * (reach + self.step.size)).next_multiple_of(LANES)) },
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
    /// The computation where these values are carried, with sums where there are any.
    fn recurrence(
        &mut self,
        carried: &Carried,
        sums: Option<&StateSums>,
    ) -> Result<Option<LatticeRecurrence>, CompileError> {
        let results = [&self.wanted.results[..], &carried.next].concat();
        let given = GivenValues { fields: self.small.fields.len(), values: &carried.values };
        let wanted = WantedValues { results: results.clone(), sums: Vec::new() };
        let Some(plan) = LoopPlan::new(&self.shapes, &wanted, given) else { return Ok(None) };
        let with_sums = sums.and_then(|sums| sums.plan(self, &results, given).map(|(plan, reach)| (sums, plan, reach)));
        if let Some((sums, plan, reach)) = &with_sums {
            let [before, behind] = sums.ends();
            self.before = (self.before - reach.first as usize).max(before).max(-plan.touched.first as usize);
            self.behind = (self.behind + reach.last as usize).max(behind).max(plan.touched.last as usize);
        }
        let mut carrying = None;
        if !carried.values.is_empty() {
            let from_fields = WantedValues { results: carried.values.clone(), sums: Vec::new() };
            let Some(primed) = LoopPlan::new(&self.shapes, &from_fields, GivenValues { values: &[], ..given }) else {
                return Ok(None);
            };
            let read = plan.read.iter().chain(with_sums.iter().flat_map(|(_, plan, _)| &plan.read));
            let members = read.copied().fold(LoopReach::default(), LoopReach::with);
            self.before = self.before.max(-(members.first + primed.touched.first) as usize);
            self.behind = self.behind.max((members.last + primed.touched.last) as usize);
            let loops = Arc::new(self.loops(primed, self.small.scalars.len()));
            carrying = Some(Carrying { loops, count: carried.values.len(), members });
        }
        let sums = with_sums.map(|(sums, plan, _)| sums.with_loops(self, plan));
        Ok(self.program(plan)?.map(|step| LatticeRecurrence { step, carrying, sums }))
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
    sums: Option<SumsMachine>,
    /// After how many applications of the present run sums are made, if they are, and the scalars of these.
    sums_every: Option<usize>,
    sum_scalars: Vec<f64>,
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
        self.sums.iter_mut().for_each(|sums| sums.set_parameters(values));
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
        self.begin(steps, scalars);
        let Some(after) = self.apply() else { return Ok(()) };
        // Once more up to there, and then a look at what came out.
        (self.steps, self.sums_every) = (after + 1, None);
        self.apply();
        let results = self.state();
        let at = results.iter().position(|x| !x.is_finite()).unwrap_or(0);
        let place = NotFinite::Member { result: at / self.size, member: at % self.size };
        self.take_back(1);
        Err(Stopped { after, place })
    }

    /// The same, with the [sums](LatticeRecurrence::find_with_sums) over what every so many applications leave written one after the
    /// other; `own` has the scalars of these. False, and nothing is changed, where there are no such sums, or where something is not
    /// finite.
    ///
    /// # Panics
    /// If that is more than fits one run, or if there are not as many numbers.
    pub fn run_with_sums(
        &mut self,
        [steps, every]: [usize; 2],
        scalars: &[f64],
        own: &[f64],
        values: &mut [f64],
    ) -> bool {
        let Some(sums) = &self.sums else { return false };
        let times = steps / every;
        assert!(own.len() == times * sums.scalars && values.len() == times * sums.sums, "the scalars of other sums");
        self.begin(steps, scalars);
        self.sum_scalars.clear();
        self.sum_scalars.extend_from_slice(own);
        self.sums_every = Some(every);
        let mut finite = self.apply().is_none();
        if let Some(sums) = &self.sums {
            let made = (0..times).flat_map(|time| sums.values((time + 1) * every - 1));
            values.iter_mut().zip(made).for_each(|(value, sum)| *value = sum);
            finite &= values.iter().all(|value| value.is_finite());
        }
        if !finite {
            self.take_back(steps);
        }
        finite
    }

    fn begin(&mut self, steps: usize, scalars: &[f64]) {
        assert!(steps <= self.most(), "more than fits one run");
        assert_eq!(scalars.len(), steps * self.scalars, "the scalars of another recurrence");
        (self.kept, self.steps, self.sums_every) = (self.current, steps, None);
        self.taken.clear();
        self.taken.extend_from_slice(scalars);
    }

    /// Undoes so many of the applications of the last run, or all of them.
    pub fn take_back(&mut self, steps: usize) {
        (self.steps, self.sums_every) = (self.steps.saturating_sub(steps), None);
        self.current = self.kept;
        self.apply();
    }

    /// Applies it as often as the last run was to; says which application was the first that failed.
    fn apply(&mut self) -> Option<usize> {
        let steps = self.steps;
        for step in 0..steps {
            let scalars = &self.taken[step * self.scalars..(step + 1) * self.scalars];
            let own = self.sum_scalars_of(step);
            match (&mut self.sums, own) {
                (Some(sums), Some(own)) => sums.begin(step, scalars, &self.sum_scalars[own]),
                _ => self.loops_memory.set_scalars(step, scalars),
            }
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
        let loops_are_finite = |step: usize| match (&self.sums, self.sum_scalars_of(step)) {
            (Some(sums), Some(_)) => sums.loops.are_finite(step),
            _ => self.loops_memory.are_finite(step),
        };
        (0..steps).find(|step| !self.ends_are_finite[*step] || !loops_are_finite(*step))
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
        let own = self.sum_scalars_of(step);
        let [before, after] = [self.place(step), self.place(step + 1)];
        let mut from = tile.from;
        while from < tile.to {
            let to = if tile.to - from <= PIECE { tile.to } else { from + PIECE / 2 };
            let piece =
                LoopPiece { from, to, begins: tile.begins && from == tile.from, ends: tile.ends && to == tile.to };
            let (given, made) = both(&mut self.states, [before, after]);
            match (&mut self.sums, &own) {
                (Some(sums), Some(_)) => sums.loops.run(step, piece, given, made),
                _ => self.loops_memory.run(step, piece, given, made),
            }
            // What loops make of the carried values does not reach the members next to the ends.
            let LoopReach { first, last } = self.carried_members;
            if piece.begins {
                self.end(LatticeEnd::First, step, [before, after]);
                if first < 0 {
                    let from = self.first.wrapping_add_signed(first as isize);
                    self.prime(after, from, self.first.max(from + LANES));
                }
            }
            if piece.ends {
                self.end(LatticeEnd::Last, step, [before, after]);
                if last > 0 {
                    let to = self.end + last as usize;
                    self.prime(after, self.end.min(to - LANES), to);
                }
            }
            if let (Some(sums), Some(own)) = (&mut self.sums, &own) {
                let own = &self.sum_scalars[own.clone()];
                let (given, made) = both(&mut self.states, [before, after]);
                if piece.begins {
                    sums.take_first(step, own, made);
                }
                sums.take_piece(step, piece, given, made);
                if piece.ends {
                    sums.take_last(step, own, made);
                }
            }
            from = to;
        }
    }

    /// One end in an application that leads from one place to another.
    fn end(&mut self, side: LatticeEnd, step: usize, places: [usize; 2]) {
        let scalars = &self.taken[step * self.scalars..(step + 1) * self.scalars];
        let (before, after) = both(&mut self.states, places);
        let (_, finite) = self.ends.run(side, scalars, before, after);
        self.ends_are_finite[step] &= finite;
    }

    /// Where the scalars of the sums over what an application leaves are, if they are made.
    fn sum_scalars_of(&self, step: usize) -> Option<Range<usize>> {
        let count = self.sums.as_ref()?.scalars;
        let every = self.sums_every?;
        let time = (step + 1) / every;
        (step + 1).is_multiple_of(every).then(|| (time - 1) * count..time * count)
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

/// The states at two places, one to be read and one to be written.
fn both(states: &mut [LatticeState; 3], places: [usize; 2]) -> (&[f64], &mut [f64]) {
    let Ok([before, after]) = states.get_disjoint_mut(places) else { unreachable!("two places are never the same") };
    (before.numbers(), after.numbers_mut())
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
            self.memory = zeros(count + LINE);
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
