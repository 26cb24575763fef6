//! Marching an explicit scheme of many like members, whatever their number: its formulas are those of a few members, of which
//! all but the first and the last are shifts of one another.

use extremal_eval::{
    Backend, CompileError, LatticeFormulas, LatticeMachine, LatticeProgram, LatticeRecurrence, NotFinite,
    RecurrenceMachine, Stopped,
};
use extremal_expr::{Expr, Graph, Id, Node};
use extremal_mechanics::Block;
use extremal_mechanics::discrete::Scheme;

use super::{Clock, March, TotalWork};
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
    /// Sums over all members that are observed, in coordinates, velocities, momenta and time.
    pub sums: &'a [Id],
}

/// A scheme compiled for families of any size.
#[derive(Clone)]
pub struct LatticeScheme {
    start: LatticeProgram,
    step: LatticeRecurrence,
    observe: LatticeProgram,
    /// What is summed up of the observation.
    summed: LatticeProgram,
    constants: Vec<f64>,
    substeps: Vec<f64>,
    /// The state, family by family: what stands before and behind the number of a member in its name.
    names: Vec<(String, String)>,
    sums: usize,
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
        let step = LatticeRecurrence::find(
            a.step.formulas(small.graph, &a.parameters),
            b.step.formulas(larger.graph, &b.parameters),
        )?;
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
            sums: small.sums.len(),
        }))
    }

    /// The fewest members of each family.
    pub fn smallest(&self) -> usize {
        let programs = [&self.start, &self.observe, &self.summed].map(LatticeProgram::smallest);
        programs.into_iter().fold(self.step.smallest(), usize::max)
    }

    /// The operations for one member in a step, and the loops they are in.
    pub fn operations(&self) -> (usize, usize) {
        self.step.operations()
    }

    /// What it takes to run families of so many members each, not begun yet; `None` if they are too few. Of the backends the
    /// fastest is taken, unless one is asked for and available.
    pub fn marcher(&self, members: usize, backend: Option<Backend>) -> Option<LatticeMarcher> {
        let machine = |program: &LatticeProgram| {
            let asked_for = backend.and_then(|backend| program.machine_on(backend, members));
            asked_for.or_else(|| program.machine(members))
        };
        let substeps = self.substeps.len();
        let asked_for = backend.and_then(|backend| self.step.machine_on(backend, members, substeps));
        let step = asked_for.or_else(|| self.step.machine(members, substeps))?;
        Some(LatticeMarcher {
            start: machine(&self.start)?,
            scalars: vec![0.0; step.most() * SCALARS],
            step,
            observe: machine(&self.observe)?,
            summed: machine(&self.summed)?,
            constants: self.constants.clone(),
            names: self.names.clone(),
            substeps: self.substeps.clone(),
            sums: self.sums,
            members,
            observed: Vec::new(),
            clock: Clock::default(),
        })
    }
}

/// The scalars of a step: its time and its size.
const SCALARS: usize = 2;

/// The blocks of a scheme that needs nothing solved.
struct ExplicitParts {
    parameters: Vec<Id>,
    start: LatticePart,
    step: LatticePart,
    observe: LatticePart,
    summed: LatticePart,
}

/// A computation by members.
#[derive(Clone)]
struct LatticePart {
    scalars: Vec<Id>,
    fields: Vec<Vec<Id>>,
    results: Vec<Vec<Id>>,
    sums: Vec<Vec<Id>>,
}

impl ExplicitParts {
    fn of(instance: LatticeInstance<'_>) -> Option<ExplicitParts> {
        let LatticeInstance { graph: g, scheme, parameters, members, sums } = instance;
        let size = scheme.state.len();
        if members == 0 || !size.is_multiple_of(2 * members) || !scheme.guards.is_empty() {
            return None;
        }
        let by_member = |ids: &[Id]| ids.chunks(members).map(<[Id]>::to_vec).collect::<Vec<_>>();
        let part = |block: &Block, scalars: usize, sums: &[Id]| {
            let outputs = [&block.outputs, sums].concat();
            let Block { inputs, solves, outputs } = Block { outputs, ..block.clone() }.eliminated(g);
            let (fields, scalars) = (inputs.get(..size)?, inputs.get(size..size + scalars)?);
            let (results, sums) = outputs.split_at_checked(size)?;
            let terms = |sum: &Id| terms(g.expr(*sum), &g.exprs(fields)).iter().map(|e| e.id()).collect();
            let explicit = solves.is_empty() && sums.len() + size == outputs.len();
            explicit.then(|| LatticePart {
                scalars: scalars.to_vec(),
                fields: by_member(fields),
                results: by_member(results),
                sums: sums.iter().map(terms).collect(),
            })
        };
        let observe = part(&scheme.observe, 1, sums)?;
        Some(ExplicitParts {
            parameters: parameters.iter().copied().chain(scheme.constants.iter().map(|(id, _)| *id)).collect(),
            start: part(&scheme.start, SCALARS, &[])?,
            step: part(&scheme.step, SCALARS, &[])?,
            summed: LatticePart { results: Vec::new(), ..observe.clone() },
            observe,
        })
    }
}

impl LatticePart {
    fn formulas<'a>(&'a self, graph: &'a Graph, parameters: &'a [Id]) -> LatticeFormulas<'a> {
        let LatticePart { scalars, fields, results, sums } = self;
        LatticeFormulas { graph, parameters, scalars, fields, results, sums }
    }
}

/// The terms that add up to an expression; a factor without fields is taken into them.
fn terms<'g>(sum: Expr<'g>, fields: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let g = sum.graph();
    let mut found = Vec::new();
    let mut stack = vec![(g.int(1), sum)];
    while let Some((factor, e)) = stack.pop() {
        match e.node() {
            Node::Sum { constant, terms } => {
                stack.extend(terms.iter().map(|(id, c)| (factor * g.rational(c.clone()), g.expr(*id))));
                found.extend((!constant.is_zero()).then(|| factor * g.rational(constant)));
            }
            Node::Product(factors) => match only_sum(g, &factors, fields) {
                Some((others, sum)) => stack.push((factor * others, sum)),
                None => found.push(factor * e),
            },
            _ => found.push(factor * e),
        }
    }
    found
}

/// A product of which only one factor, a sum, has fields in it: the other factors, and that sum.
fn only_sum<'g>(g: &'g Graph, factors: &[(Id, i64)], fields: &[Expr<'g>]) -> Option<(Expr<'g>, Expr<'g>)> {
    let bases: Vec<Expr<'g>> = factors.iter().map(|(id, _)| g.expr(*id)).collect();
    let moving = g.depend_on(&bases, fields);
    let at = moving.iter().position(|moves| *moves)?;
    let alone = moving.iter().filter(|moves| **moves).count() == 1 && factors[at].1 == 1;
    let others = bases.iter().zip(factors).enumerate().filter(|(place, _)| *place != at);
    let others = others.map(|(_, (base, (_, power)))| base.powi(*power));
    (alone && matches!(bases[at].node(), Node::Sum { .. })).then(|| (g.product(others), bases[at]))
}

/// Many like members on their way.
#[derive(Clone)]
pub struct LatticeMarcher {
    start: LatticeMachine,
    step: RecurrenceMachine,
    observe: LatticeMachine,
    summed: LatticeMachine,
    constants: Vec<f64>,
    names: Vec<(String, String)>,
    substeps: Vec<f64>,
    sums: usize,
    members: usize,
    /// Those of the steps that are taken in one go.
    scalars: Vec<f64>,
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
        self.step.state()
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

    fn observe(&mut self) -> Result<&[f64], StepFailure> {
        let state = self.step.state();
        let (members, sums) = self.observed.split_at_mut(state.len());
        match self.observe.run(&[self.clock.time], state, members, sums) {
            Ok(()) => Ok(&self.observed),
            Err(_) => Err(self.reject(nothing_to_see())),
        }
    }

    fn observe_outputs(&mut self) -> Option<Result<&[f64], StepFailure>> {
        let state = self.step.state();
        Some(match self.summed.run(&[self.clock.time], state, &mut [], &mut self.observed[state.len()..]) {
            Ok(()) => Ok(&self.observed[state.len()..]),
            Err(_) => Err(self.reject(nothing_to_see())),
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
    /// If there are not as many as members.
    pub fn restart(&mut self, positions: &[f64], velocities: &[f64], h: f64) -> Result<(), StepFailure> {
        let size = self.names.len() * self.members;
        self.clock = Clock::new(0.0, h);
        if self.observed.len() != size + self.sums {
            // Not touched before something is observed.
            self.observed = vec![0.0; size + self.sums];
        }
        let started = self.step.load_with(|given, state| {
            given[..positions.len()].copy_from_slice(positions);
            given[positions.len()..].copy_from_slice(velocities);
            self.start.run(&[0.0, h], given, state, &mut [])
        });
        started.map_err(|at| self.failure(self.not_finite(at)))
    }

    /// Takes steps in one go; where one fails, the state is the one before it.
    fn move_on(&mut self, steps: u64, h: f64) -> Result<(), StepFailure> {
        let substeps = self.substeps.len();
        let whole_steps = self.scalars.chunks_exact_mut(SCALARS * substeps);
        for (step, scalars) in (0..steps).zip(whole_steps) {
            let time = if step == 0 { self.clock.time } else { self.clock.time_after(self.clock.steps + step) };
            let mut elapsed = 0.0;
            for (fraction, scalars) in self.substeps.iter().zip(scalars.chunks_exact_mut(SCALARS)) {
                scalars.copy_from_slice(&[time + elapsed * h, fraction * h]);
                elapsed += fraction;
            }
        }
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
        StepFailure::at(self.clock.steps, self.clock.time, names, self.step.state(), reason)
    }
}

/// Why a state is none of the motion where something that is observed does not exist.
fn nothing_to_see() -> Reason {
    SolveFailure::NotFinite { what: "a result".to_owned() }.into()
}

fn member_name((before, behind): &(String, String), member: usize) -> String {
    format!("{before}[{}]{behind}", member + 1)
}
