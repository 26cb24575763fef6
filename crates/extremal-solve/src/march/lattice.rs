//! Marching an explicit scheme of many like members, whatever their number: its formulas are those of a few members, of which
//! all but the first and the last are shifts of one another, and of one pair where all act on each other.

use std::ops::Range;

use extremal_eval::{
    Backend, CompileError, LatticeFormulas, LatticeMachine, LatticeProgram, LatticeRecurrence, NotFinite,
    RecurrenceMachine, Stopped, zeros,
};
use extremal_expr::{Graph, Id};
use extremal_mechanics::discrete::Scheme;
use extremal_mechanics::{Block, summands};

use super::paired::{LatticePairs, PairedInstance, PairedMachine, PairedParts, PairedSteps};
use super::{Clock, March, StartValues, TotalWork};
use crate::failure::{Reason, SolveFailure, StepFailure};

/// A scheme for families of few members.
#[derive(Clone, Copy)]
pub struct LatticeInstance<'a> {
    /// Where the formulas are.
    pub graph: &'a Graph,
    /// The method.
    pub scheme: &'a Scheme,
    /// The symbols of the model's parameters.
    pub parameters: &'a [Id],
    /// The members of each family.
    pub members: usize,
    /// Numbers that every member has one of, by families of symbols.
    pub data: &'a [Vec<Id>],
    /// Sums over all members that are observed, in coordinates, velocities, momenta and time.
    pub sums: &'a [Id],
    /// What all pairs of members have alike.
    pub pairs: Option<LatticePairs<'a>>,
}

/// A scheme compiled for families of any size.
#[derive(Clone)]
pub struct LatticeScheme {
    start: LatticeProgram,
    step: LatticeStep,
    observe: LatticeProgram,
    /// What is summed up of the observation.
    summed: LatticeProgram,
    constants: Vec<f64>,
    substeps: Vec<f64>,
    /// The state, family by family: what stands before and behind the number of a member in its name.
    names: Vec<(String, String)>,
    /// How often the sum over all pairs is in each of the sums.
    in_sums: Vec<f64>,
}

#[derive(Clone)]
enum LatticeStep {
    Recurrence(LatticeRecurrence),
    Paired(Box<PairedSteps>),
}

impl LatticeScheme {
    /// Looks for the structure that both instances share; `larger` has one member more per family. `None` if there is something
    /// to solve in a step, or if the members are not alike.
    pub fn find(
        small: LatticeInstance<'_>,
        larger: LatticeInstance<'_>,
    ) -> Result<Option<LatticeScheme>, CompileError> {
        let (Some(a), Some(b)) = (ExplicitParts::of(small), ExplicitParts::of(larger)) else { return Ok(None) };
        let program = |part: fn(&ExplicitParts) -> &LatticePart| -> Result<Option<LatticeProgram>, CompileError> {
            LatticeProgram::find(
                part(&a).formulas(small.graph, &a.parameters),
                part(&b).formulas(larger.graph, &b.parameters),
            )
        };
        let start = program(|e| &e.start)?;
        let step = match (&a.paired, &b.paired, small.pairs) {
            (Some(of_small), Some(of_larger), Some(pairs)) => {
                let small_one = PairedInstance { graph: small.graph, parameters: &a.parameters, parts: of_small };
                let larger_one = PairedInstance { graph: larger.graph, parameters: &b.parameters, parts: of_larger };
                let state = small.scheme.state.len() / small.members;
                PairedSteps::find(small_one, larger_one, pairs, state)?
                    .map(|steps| LatticeStep::Paired(Box::new(steps)))
            }
            _ => {
                let both = |part: fn(&ExplicitParts) -> &LatticePart| {
                    [part(&a).formulas(small.graph, &a.parameters), part(&b).formulas(larger.graph, &b.parameters)]
                };
                LatticeRecurrence::find_with_sums(both(|e| &e.step), both(|e| &e.summed))?.map(LatticeStep::Recurrence)
            }
        };
        let (observe, summed) = (program(|e| &e.observe)?, program(|e| &e.summed)?);
        let (Some(start), Some(step), Some(observe), Some(summed)) = (start, step, observe, summed) else {
            return Ok(None);
        };
        let first_member = |id: &Id| {
            let name = small.graph.expr(*id).as_symbol()?;
            name.split_once("[1]").map(|(before, behind)| (before.to_owned(), behind.to_owned()))
        };
        let names: Option<Vec<_>> = small.scheme.state.iter().step_by(small.members).map(first_member).collect();
        Ok(names.map(|names| LatticeScheme {
            start,
            step,
            observe,
            summed,
            constants: small.scheme.constants.iter().map(|(_, value)| *value).collect(),
            substeps: small.scheme.substeps.clone(),
            names,
            in_sums: small.pairs.map_or_else(|| vec![0.0; small.sums.len()], |pairs| pairs.in_sums.to_vec()),
        }))
    }

    /// The fewest members of each family.
    pub fn smallest(&self) -> usize {
        let programs = [&self.start, &self.observe, &self.summed].map(LatticeProgram::smallest);
        let step = match &self.step {
            LatticeStep::Recurrence(step) => step.smallest(),
            LatticeStep::Paired(steps) => steps.smallest(),
        };
        programs.into_iter().fold(step, usize::max)
    }

    /// The operations for one member in a step, and the loops they are in.
    pub fn operations(&self) -> (usize, usize) {
        match &self.step {
            LatticeStep::Recurrence(step) => step.operations(),
            LatticeStep::Paired(steps) => steps.operations(),
        }
    }

    /// The operations for one pair of members, where all act on each other.
    pub fn pair_operations(&self) -> Option<usize> {
        match &self.step {
            LatticeStep::Recurrence(_) => None,
            LatticeStep::Paired(steps) => Some(steps.pair_operations()),
        }
    }

    /// What it takes to run families of so many members each, not begun yet; `None` if they are too few. Of the backends the
    /// fastest is taken, unless one is asked for and available.
    pub fn marcher(&self, members: usize, backend: Option<Backend>) -> Option<LatticeMarcher> {
        let machine = |program: &LatticeProgram| {
            let asked_for = backend.and_then(|backend| program.machine_on(backend, members));
            asked_for.or_else(|| program.machine(members))
        };
        let substeps = self.substeps.len();
        let step = match &self.step {
            LatticeStep::Recurrence(step) => {
                let asked_for = backend.and_then(|backend| step.machine_on(backend, members, substeps));
                StepMachine::Recurrence(Box::new(asked_for.or_else(|| step.machine(members, substeps))?))
            }
            LatticeStep::Paired(steps) => StepMachine::Paired(Box::new(steps.machine(members, substeps, backend)?)),
        };
        Some(LatticeMarcher {
            start: machine(&self.start)?,
            scalars: vec![0.0; step.most() * SCALARS],
            times: Vec::with_capacity(step.most()),
            sums: vec![0.0; step.most() * self.in_sums.len()],
            step,
            observe: machine(&self.observe)?,
            summed: machine(&self.summed)?,
            constants: self.constants.clone(),
            names: self.names.clone(),
            substeps: self.substeps.clone(),
            in_sums: self.in_sums.clone(),
            members,
            data: Vec::new(),
            observed: Vec::new(),
            clock: Clock::default(),
        })
    }
}

/// The scalars of a step: its time and its size.
const SCALARS: usize = 2;

/// The blocks of a scheme that needs nothing solved.
pub(super) struct ExplicitParts {
    parameters: Vec<Id>,
    start: LatticePart,
    step: LatticePart,
    /// The step between evaluations of forces, where members act on each other in pairs.
    pub paired: Option<PairedParts>,
    observe: LatticePart,
    summed: LatticePart,
}

/// A computation by members.
#[derive(Clone)]
pub(super) struct LatticePart {
    pub scalars: Vec<Id>,
    pub fields: Vec<Vec<Id>>,
    pub results: Vec<Vec<Id>>,
    pub sums: Vec<Vec<Id>>,
}

impl ExplicitParts {
    pub fn of(instance: LatticeInstance<'_>) -> Option<ExplicitParts> {
        let LatticeInstance { graph: g, scheme, parameters, members, data, sums, pairs } = instance;
        let size = scheme.state.len();
        if members == 0 || !size.is_multiple_of(2 * members) || !scheme.guards.is_empty() {
            return None;
        }
        let by_member = |ids: &[Id]| ids.chunks(members).map(<[Id]>::to_vec).chain(data.iter().cloned()).collect();
        let part = |block: &Block, scalars: usize, sums: &[Id]| {
            let outputs = [&block.outputs, sums].concat();
            let Block { inputs, solves, outputs } = Block { outputs, ..block.clone() }.eliminated(g);
            let (fields, scalars) = (inputs.get(..size)?, inputs.get(size..size + scalars)?);
            let (results, sums) = outputs.split_at_checked(size)?;
            let terms = |sum: &Id| summands(g.expr(*sum), &g.exprs(fields)).iter().map(|e| e.id()).collect();
            let explicit = solves.is_empty() && sums.len() + size == outputs.len();
            explicit.then(|| LatticePart {
                scalars: scalars.to_vec(),
                fields: by_member(fields),
                results: by_member(results),
                sums: sums.iter().map(terms).collect(),
            })
        };
        let mut observe = part(&scheme.observe, 1, sums)?;
        observe.results.truncate(size / members);
        let step = part(&scheme.step, SCALARS, &[])?;
        let paired = match pairs {
            Some(pairs) => Some(PairedParts::of(g, &step, pairs)?),
            None => None,
        };
        Some(ExplicitParts {
            parameters: parameters.iter().copied().chain(scheme.constants.iter().map(|(id, _)| *id)).collect(),
            start: part(&scheme.start, SCALARS, &[])?,
            step,
            paired,
            summed: LatticePart { results: Vec::new(), ..observe.clone() },
            observe,
        })
    }
}

impl LatticePart {
    pub fn formulas<'a>(&'a self, graph: &'a Graph, parameters: &'a [Id]) -> LatticeFormulas<'a> {
        let LatticePart { scalars, fields, results, sums } = self;
        LatticeFormulas { graph, parameters, scalars, fields, results, sums }
    }
}

/// The steps with the memory to take them.
#[derive(Clone)]
enum StepMachine {
    Recurrence(Box<RecurrenceMachine>),
    Paired(Box<PairedMachine>),
}

impl StepMachine {
    fn most(&self) -> usize {
        match self {
            StepMachine::Recurrence(machine) => machine.most(),
            StepMachine::Paired(machine) => machine.most(),
        }
    }

    fn set_parameters(&mut self, values: &[f64]) {
        match self {
            StepMachine::Recurrence(machine) => machine.set_parameters(values),
            StepMachine::Paired(machine) => machine.set_parameters(values),
        }
    }

    fn load_with<T>(&mut self, write: impl FnOnce(&mut [f64], &mut [f64]) -> T) -> T {
        match self {
            StepMachine::Recurrence(machine) => machine.load_with(write),
            StepMachine::Paired(machine) => machine.load_with(write),
        }
    }

    /// State and data of the members.
    fn numbers(&self) -> &[f64] {
        match self {
            StepMachine::Recurrence(machine) => machine.state(),
            StepMachine::Paired(machine) => machine.numbers(),
        }
    }

    /// The sum over all pairs, of which there may be none.
    fn pair_sum(&mut self) -> f64 {
        match self {
            StepMachine::Recurrence(_) => 0.0,
            StepMachine::Paired(machine) => machine.pair_sum(),
        }
    }

    fn run(&mut self, steps: usize, scalars: &[f64]) -> Result<(), Stopped> {
        match self {
            StepMachine::Recurrence(machine) => machine.run(steps, scalars),
            StepMachine::Paired(machine) => machine.run(steps, scalars),
        }
    }

    fn take_back(&mut self, steps: usize) {
        match self {
            StepMachine::Recurrence(machine) => machine.take_back(steps),
            StepMachine::Paired(machine) => machine.take_back(steps),
        }
    }
}

/// Many like members on their way.
#[derive(Clone)]
pub struct LatticeMarcher {
    start: LatticeMachine,
    step: StepMachine,
    observe: LatticeMachine,
    summed: LatticeMachine,
    constants: Vec<f64>,
    names: Vec<(String, String)>,
    substeps: Vec<f64>,
    /// How often the sum over all pairs is in each of the sums.
    in_sums: Vec<f64>,
    members: usize,
    /// Numbers that members have, family by family.
    data: Vec<f64>,
    /// Those of the steps that are taken in one go.
    scalars: Vec<f64>,
    /// When each of them ends, and what is summed up there.
    times: Vec<f64>,
    sums: Vec<f64>,
    observed: Vec<f64>,
    clock: Clock,
}

impl March for LatticeMarcher {
    fn steps(&self) -> u64 {
        self.clock.steps
    }

    fn time(&self) -> f64 {
        self.clock.time
    }

    fn state(&self) -> &[f64] {
        &self.step.numbers()[..self.names.len() * self.members]
    }

    fn work(&self) -> TotalWork {
        TotalWork::default()
    }

    fn advance(&mut self) -> Result<(), StepFailure> {
        self.advance_many(1)
    }

    fn advance_many(&mut self, steps: u64) -> Result<(), StepFailure> {
        let together = (self.step.most() / self.substeps.len()) as u64;
        let mut left = steps;
        while left > 0 {
            let now = left.min(together);
            self.move_on(now, self.clock.h)?;
            left -= now;
        }
        Ok(())
    }

    fn advance_by(&mut self, h: f64) -> Result<(), StepFailure> {
        let before = self.clock.time;
        self.move_on(1, h)?;
        self.clock.time = before + h;
        Ok(())
    }

    fn retake(&mut self, h: f64) -> Result<(), StepFailure> {
        self.go_back();
        self.advance_by(h)
    }

    fn change(&mut self, _values: &StartValues, _kept: Range<usize>) -> Result<(), StepFailure> {
        // Models with events are unrolled.
        Err(self.failure(nothing_to_see()))
    }

    fn complete(&mut self, end: f64) -> Result<(), StepFailure> {
        let begin = self.clock.time_after(self.clock.steps.saturating_sub(1));
        self.retake(end - begin)
    }

    fn advance_seen(&mut self, steps: u64, seen: &mut Vec<f64>) -> u64 {
        let substeps = self.substeps.len();
        let steps = steps.min((self.step.most() / substeps) as u64);
        let StepMachine::Recurrence(_) = &self.step else { return 0 };
        self.write_scalars(steps, self.clock.h);
        let (count, clock) = (steps as usize * substeps, self.clock);
        self.times.clear();
        self.times.extend((1..=steps).map(|step| clock.time_after(clock.steps + step)));
        let sums = &mut self.sums[..steps as usize * self.in_sums.len()];
        let StepMachine::Recurrence(machine) = &mut self.step else { return 0 };
        let scalars = &self.scalars[..count * SCALARS];
        if !machine.run_with_sums([count, substeps], scalars, &self.times, sums) {
            return 0;
        }
        seen.clear();
        for (time, sums) in self.times.iter().zip(sums.chunks_exact(self.in_sums.len())) {
            seen.push(*time);
            seen.extend_from_slice(sums);
        }
        self.clock.advance(steps);
        steps
    }

    fn observe(&mut self) -> Result<&[f64], StepFailure> {
        let size = self.names.len() * self.members;
        let (members, sums) = self.observed.split_at_mut(size);
        match self.observe.run(&[self.clock.time], self.step.numbers(), members, sums) {
            Ok(()) if self.add_pairs() => Ok(&self.observed),
            _ => Err(self.reject(nothing_to_see())),
        }
    }

    fn observe_outputs(&mut self) -> Option<Result<&[f64], StepFailure>> {
        let size = self.names.len() * self.members;
        let sums = &mut self.observed[size..];
        Some(match self.summed.run(&[self.clock.time], self.step.numbers(), &mut [], sums) {
            Ok(()) if self.add_pairs() => Ok(&self.observed[size..]),
            _ => Err(self.reject(nothing_to_see())),
        })
    }

    fn stop(&self, reason: Reason) -> StepFailure {
        self.failure(reason)
    }

    fn reject(&mut self, reason: Reason) -> StepFailure {
        if self.clock.steps > 0 {
            self.go_back();
        }
        self.failure(reason)
    }

    fn fork(&self) -> Box<dyn March> {
        Box::new(self.clone())
    }
}

impl LatticeMarcher {
    /// Sets the numbers that members have, family by family, for the next [`restart`](LatticeMarcher::restart).
    pub fn set_data(&mut self, data: Vec<f64>) {
        self.data = data;
    }

    /// Sets the parameters for the next [`restart`](LatticeMarcher::restart).
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        let values: Vec<f64> = parameters.iter().chain(&self.constants).copied().collect();
        for machine in [&mut self.start, &mut self.observe, &mut self.summed] {
            machine.set_parameters(&values);
        }
        self.step.set_parameters(&values);
    }

    /// Begins a run with steps of size `h` from positions and velocities, family by family.
    ///
    /// # Panics
    /// If there are not as many as members, or not as many of their data.
    pub fn restart(&mut self, positions: &[f64], velocities: &[f64], h: f64) -> Result<(), StepFailure> {
        let size = self.names.len() * self.members;
        self.clock = Clock::new(0.0, h);
        if self.observed.len() != size + self.in_sums.len() {
            // Not touched before something is observed.
            self.observed = zeros(size + self.in_sums.len());
        }
        let started = self.step.load_with(|given, state| {
            given[..positions.len()].copy_from_slice(positions);
            given[positions.len()..size].copy_from_slice(velocities);
            given[size..].copy_from_slice(&self.data);
            self.start.run(&[0.0, h], given, state, &mut [])
        });
        started.map_err(|at| self.failure(self.not_finite(at)))
    }

    /// Adds the sum over all pairs to what is observed; false if that is not finite.
    fn add_pairs(&mut self) -> bool {
        if self.in_sums.iter().all(|often| *often == 0.0) {
            return true;
        }
        let (pairs, first) = (self.step.pair_sum(), self.names.len() * self.members);
        for (sum, often) in self.observed[first..].iter_mut().zip(&self.in_sums) {
            *sum += often * pairs;
        }
        pairs.is_finite()
    }

    /// Writes down time and size of the next steps and of what they consist of.
    fn write_scalars(&mut self, steps: u64, h: f64) {
        let whole_steps = self.scalars.chunks_exact_mut(SCALARS * self.substeps.len());
        for (step, scalars) in (0..steps).zip(whole_steps) {
            let time = if step == 0 { self.clock.time } else { self.clock.time_after(self.clock.steps + step) };
            let mut elapsed = 0.0;
            for (fraction, scalars) in self.substeps.iter().zip(scalars.chunks_exact_mut(SCALARS)) {
                scalars.copy_from_slice(&[time + elapsed * h, fraction * h]);
                elapsed += fraction;
            }
        }
    }

    /// Takes steps in one go; where one fails, the state is the one before it.
    fn move_on(&mut self, steps: u64, h: f64) -> Result<(), StepFailure> {
        self.write_scalars(steps, h);
        let substeps = self.substeps.len();
        let count = steps as usize * substeps;
        let outcome = self.step.run(count, &self.scalars[..count * SCALARS]);
        let taken = match outcome {
            Ok(()) => steps,
            Err(Stopped { after, .. }) => (after / substeps) as u64,
        };
        if taken > 0 {
            self.clock.advance(taken);
        }
        outcome.map_err(|Stopped { after, place }| {
            self.step.take_back(after % substeps);
            self.failure(self.not_finite(place))
        })
    }

    /// Undoes the last step.
    fn go_back(&mut self) {
        self.step.take_back(self.substeps.len());
        self.clock.take_back();
    }

    /// Why a step, or the start, leads nowhere.
    fn not_finite(&self, place: NotFinite) -> Reason {
        let name = match place {
            NotFinite::Member { result, member } => self.names.get(result).map(|name| member_name(name, member)),
            NotFinite::Sum(_) => None,
        };
        SolveFailure::NotFinite { what: name.unwrap_or_else(|| "a result".to_owned()) }.into()
    }

    fn failure(&self, reason: Reason) -> StepFailure {
        let names = self.names.iter().flat_map(|name| (0..self.members).map(|member| member_name(name, member)));
        StepFailure::at(self.clock.steps, self.clock.time, names, self.state(), reason)
    }
}

/// Why a state is none of the motion where something that is observed does not exist.
fn nothing_to_see() -> Reason {
    SolveFailure::NotFinite { what: "a result".to_owned() }.into()
}

fn member_name((before, behind): &(String, String), member: usize) -> String {
    format!("{before}[{}]{behind}", member + 1)
}
