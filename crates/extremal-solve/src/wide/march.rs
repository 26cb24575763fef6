//! The motions of a scheme in a table.

use extremal_device::DeviceError;
use extremal_eval::ptx::MemberInput;
use extremal_expr::{Expr, Graph, Relation};

use super::WideRefusal;
use super::block::WideKernel;
use super::formula::{FormulaKernel, TableFormulas};
use super::newton::WideNewton;
use super::table::{MemberTable, TableKernel, TableKernels};
use crate::march::{BEGUN, Clock, CompiledScheme, FADING, QUIET};
use crate::observable::{Observable, is_bounded};
use crate::step::{FIRST_DIFFERENCES, LIMIT_VALUES, StepSolver, WEIGHTS, WELL_KNOWN, WideLayout};

/// Where parameters and the numbers of a start are found: those of the start in the order positions, velocities, second positions, entropies,
/// time, step, multipliers.
pub struct WidePlaces<'p> {
    /// Of the parameters of the model.
    pub parameters: &'p [MemberInput],
    /// Of the start.
    pub start: &'p [MemberInput],
}

/// What marches the motions of a scheme in a table.
#[derive(Clone)]
pub struct WideMarch {
    /// The columns of the state,
    pub state: Vec<usize>,
    /// of what is observed there,
    pub observed: Vec<usize>,
    /// and of two flags: is the member well, and was one of its steps rough?
    pub well: usize,
    /// The second flag.
    pub rough: usize,
    start: WideKernel,
    begin: FormulaKernel,
    differences: Option<FirstDifferences>,
    observation: WideKernel,
    keep_state: FormulaKernel,
    first_step: Option<(WideNewton, FormulaKernel)>,
    steps: TableKernel,
    openings: [FormulaKernel; 2],
    rest: RestOfStep,
    layout: WideLayout,
    constants: Vec<f64>,
    substeps: Vec<f64>,
    velocities: usize,
    observation_inputs: usize,
    /// What the steps ask of the states they lead to, where that is known.
    observable: Option<Observable>,
}

/// The differences beside a linear oscillator, at its start.
#[derive(Clone)]
struct FirstDifferences {
    well: TableKernel,
    values: TableKernel,
    check: FormulaKernel,
    inputs: usize,
}

/// A step of another size.
#[derive(Clone)]
enum RestOfStep {
    /// By the solution that the first step has too.
    Solved(FormulaKernel),
    /// Substep by substep, the last of which has guards.
    Explicit { step: TableKernel, follow: FormulaKernel, last: FormulaKernel },
}

impl WideMarch {
    /// For the motions of a scheme that was compiled for a table.
    ///
    /// # Errors
    /// Its steps need what a thread does not do.
    pub fn new(
        scheme: &CompiledScheme,
        kernels: &mut TableKernels,
        places: &WidePlaces<'_>,
    ) -> Result<WideMarch, WideRefusal> {
        let solver = &scheme.solver;
        let fused = solver.fused.as_ref().ok_or(WideRefusal::Steps)?;
        let (program, layout) = fused.wide().ok_or(WideRefusal::Unprepared)?;
        let constants = scheme.constants().to_vec();
        let uniform = |count: usize| vec![MemberInput::Uniform; count];
        let in_columns = |columns: &[usize]| columns.iter().map(|at| MemberInput::Column(*at)).collect::<Vec<_>>();
        let parameters = [places.parameters, &uniform(constants.len())].concat();
        let with_limits = [&parameters[..], &uniform(LIMIT_VALUES.len())].concat();

        let loop_columns: Vec<usize> = kernels.columns(layout.len()).collect();
        let state = loop_columns[..layout.state].to_vec();
        let rough = loop_columns[layout.rough()];
        let well = kernels.column();
        let previous: Vec<usize> = kernels.columns(state.len()).collect();
        let observed: Vec<usize> = kernels.columns(solver.observation.outputs.len()).collect();

        let start = WideKernel::new(kernels, &scheme.start, "a start", [&parameters, places.start], &state, well)?;
        let observation_inputs = solver.observation.kernel.program_inputs();
        let of_observation = [in_columns(&state), uniform(observation_inputs - state.len())].concat();
        let observation = WideKernel::new(
            kernels,
            &solver.observation.kernel,
            "what is observed",
            [&parameters, &of_observation],
            &observed,
            well,
        )?;
        let velocities = scheme.dimension;
        let of_step = [in_columns(&state), uniform(2), in_columns(&observed[..velocities])].concat();
        let at = MarchColumns { loop_columns: &loop_columns, layout, previous: &previous, well };
        let (first_step, rest) = match solver.newton().unknowns().is_empty() {
            false if solver.begins_alike() => {
                let newton = WideNewton::new(kernels, solver.newton(), [&parameters, &of_step])?;
                let follow = at.follow_first(kernels, &newton, true)?;
                let rest = RestOfStep::Solved(at.follow_first(kernels, &newton, false)?);
                (Some((newton, follow)), rest)
            }
            false => return Err(WideRefusal::Steps),
            true => (None, explicit_rest(kernels, solver, [&parameters, &of_step], &state, well)?),
        };
        let ages = if layout.unknowns > 0 { WEIGHTS[0].len() } else { 0 };
        let of_times = uniform(2 + ages + usize::from(layout.count.is_none()));
        let steps = kernels.looping(program, vec![with_limits.clone(), of_times, in_columns(&loop_columns)])?;
        let differences = match fused.first_differences() {
            None => None,
            Some((first, inputs)) => {
                let beside = &loop_columns[layout.differences..][..layout.beside];
                let of_state = [in_columns(&state), uniform(inputs - state.len())].concat();
                let tiers = vec![with_limits, uniform(2 + ages), of_state];
                let known = kernels.column();
                let check = |kernels: &mut TableKernels| {
                    let g = Graph::new();
                    let mut f = TableFormulas::new(&g);
                    let holds = f.is_set(known);
                    f.keep_set(well, holds);
                    f.kernel(kernels)
                };
                Some(FirstDifferences {
                    well: kernels.entry(&first, WELL_KNOWN, tiers.clone(), vec![Some(known)])?,
                    values: kernels.entry(
                        &first,
                        FIRST_DIFFERENCES,
                        tiers,
                        beside.iter().copied().map(Some).collect(),
                    )?,
                    check: check(kernels)?,
                    inputs,
                })
            }
        };
        let scratch: Vec<usize> = kernels.columns(velocities + 1).collect();
        Ok(WideMarch {
            start,
            begin: at.begin(kernels)?,
            differences,
            observation,
            keep_state: at.keep_state(kernels)?,
            first_step,
            steps,
            openings: [at.opening(kernels, &scratch, 1)?, at.opening(kernels, &scratch, 2)?],
            rest,
            layout: layout.clone(),
            constants,
            substeps: solver.substeps().to_vec(),
            velocities,
            observation_inputs,
            observable: fused.observable().cloned(),
            state,
            observed,
            well,
            rough,
        })
    }
}

/// What is known of the parameters of a march.
#[derive(Clone)]
pub struct KnownParameters {
    observable: Option<Observable>,
    constants: Vec<f64>,
}

impl KnownParameters {
    /// Do its steps lead only to states that can be observed, whatever the parameters are between these? If not, that may still be so for
    /// each of them.
    pub fn is_known_between(&mut self, parameters: &[[f64; 2]]) -> bool {
        let constants = self.constants.iter().map(|value| [*value; 2]);
        let all: Vec<[f64; 2]> = parameters.iter().copied().chain(constants).collect();
        self.observable.as_mut().is_none_or(|observable| observable.holds_between(&all))
    }
}

impl WideMarch {
    /// What is known of its parameters.
    pub fn known_parameters(&self) -> KnownParameters {
        KnownParameters { observable: self.observable.clone(), constants: self.constants.clone() }
    }

    /// Are times bounded with these steps?
    pub fn has_bounded_times(&self, h: f64, time: f64) -> bool {
        is_bounded(h, time)
    }
}

/// The columns that formulas of a march are about.
struct MarchColumns<'a> {
    loop_columns: &'a [usize],
    layout: &'a WideLayout,
    previous: &'a [usize],
    well: usize,
}

impl MarchColumns<'_> {
    fn state(&self) -> &[usize] {
        &self.loop_columns[..self.layout.state]
    }

    /// A start: everyone is well, no step was rough, none was taken.
    fn begin(&self, kernels: &mut TableKernels) -> Result<FormulaKernel, WideRefusal> {
        let g = Graph::new();
        let mut f = TableFormulas::new(&g);
        let (zero, one) = (f.zero(), f.number(1.0));
        f.put(self.well, one);
        let counts = self.layout.count.map(|at| self.loop_columns[at]);
        for column in counts.into_iter().chain([self.loop_columns[self.layout.rough()]]) {
            f.put(column, zero);
        }
        f.kernel(kernels)
    }

    fn keep_state(&self, kernels: &mut TableKernels) -> Result<FormulaKernel, WideRefusal> {
        let g = Graph::new();
        let mut f = TableFormulas::new(&g);
        for (from, to) in self.state().iter().zip(self.previous) {
            let value = f.column(*from);
            f.put(*to, value);
        }
        f.kernel(kernels)
    }

    /// Takes the state that Newton's method has found, and, after a first step, what it is remembered by.
    fn follow_first(
        &self,
        kernels: &mut TableKernels,
        newton: &WideNewton,
        first: bool,
    ) -> Result<FormulaKernel, WideRefusal> {
        let g = Graph::new();
        let mut f = TableFormulas::new(&g);
        let (state, guards) = newton.outputs.split_at(self.layout.state);
        for (to, from) in self.state().iter().zip(state) {
            let value = f.column(*from);
            f.put(*to, value);
        }
        let holds: Vec<Expr<'_>> = guards.iter().chain([&newton.done]).map(|column| f.is_set(*column)).collect();
        let all = f.all(holds);
        f.keep_set(self.well, all);
        if first {
            let layout = self.layout;
            let zero = f.zero();
            let remembered = &self.loop_columns[layout.history..][..layout.known * layout.unknowns];
            remembered[layout.unknowns..].iter().for_each(|column| f.put(*column, zero));
            for (at, found) in newton.found.iter().enumerate() {
                let x = f.column(*found);
                f.put(remembered[at], x);
                // What is extrapolated from one step is this, summed with nothing.
                f.put(self.loop_columns[layout.guess() + at], x + zero);
            }
            if let Some(count) = layout.count {
                let one = f.number(1.0);
                f.put(self.loop_columns[count], one);
            }
        }
        f.kernel(kernels)
    }

    /// Sees whether the motion is smooth after its first step and after its second one, from which on the loop does so.
    fn opening(
        &self,
        kernels: &mut TableKernels,
        scratch: &[usize],
        step: usize,
    ) -> Result<FormulaKernel, WideRefusal> {
        let g = Graph::new();
        let mut f = TableFormulas::new(&g);
        let (layout, n) = (self.layout, self.layout.dimension);
        let [before, after] = [self.previous, self.state()].map(|columns| f.columns(columns[..2 * n].iter().copied()));
        let (ways_before, strongest_before) = (&scratch[..n], scratch[n]);
        let (mut first, mut second) = (f.zero(), f.zero());
        let mut ways = Vec::new();
        for i in 0..n {
            let way = f.named(after[i] - before[i]);
            let last = if step == 1 { f.zero() } else { f.column(ways_before[i]) };
            first = first + (way * after[n + i]).abs();
            second = second + ((way - last) * (after[n + i] - before[n + i])).abs();
            ways.push(way);
        }
        let begun = f.number(BEGUN);
        let seen = f.larger(first, begun * second);
        let seen = f.named(seen);
        if step == 1 {
            f.put(strongest_before, seen);
            for (column, way) in ways_before.iter().zip(&ways) {
                f.put(*column, *way);
            }
            if layout.own_ways {
                let columns = &self.loop_columns[layout.ways..][..n];
                columns.iter().zip(&ways).for_each(|(column, way)| f.put(*column, *way));
            }
        } else {
            let [fading, quiet] = [FADING, QUIET].map(|value| f.number(value));
            let earlier = f.column(strongest_before);
            let strongest = f.larger(seen, fading * earlier);
            let strongest = f.named(strongest);
            let unit = f.given();
            let largest = f.larger(earlier, strongest);
            f.put(self.loop_columns[layout.strongest()], strongest * unit.powi(-1));
            f.put(self.loop_columns[layout.quiet()], quiet * largest * unit.powi(-1));
        }
        let zero = f.zero();
        f.put(self.loop_columns[layout.rough()], zero);
        f.kernel(kernels)
    }
}

/// The formulas of a step of another size where nothing is solved.
fn explicit_rest(
    kernels: &mut TableKernels,
    solver: &StepSolver,
    [parameters, inputs]: [&[MemberInput]; 2],
    state: &[usize],
    well: usize,
) -> Result<RestOfStep, WideRefusal> {
    let kernel = solver.newton();
    let outputs: Vec<usize> = kernels.columns(state.len() + solver.guards().len()).collect();
    let columns = outputs.iter().copied().map(Some).collect();
    let tiers = vec![parameters.to_vec(), inputs.to_vec()];
    let step = kernels.entry(&kernel.program(), kernel.explicit_entry(), tiers, columns)?;
    let mut follow = |guarded: bool| {
        let g = Graph::new();
        let mut f = TableFormulas::new(&g);
        let values = f.columns(outputs.iter().copied());
        let mut holds = f.are_finite(&values);
        for (column, value) in state.iter().zip(&values) {
            f.put(*column, *value);
        }
        for guard in values[state.len()..].iter().filter(|_| guarded) {
            holds = g.and(holds, g.compare(Relation::Ne, *guard, f.zero()));
        }
        f.keep_set(well, holds);
        f.kernel(kernels)
    };
    Ok(RestOfStep::Explicit { step, follow: follow(false)?, last: follow(true)? })
}

/// The motions of the first members of a table on their way. What does not vary among them has its number here.
pub struct WideMotion<'m> {
    march: &'m WideMarch,
    count: usize,
    /// With constants and limits.
    parameters: Vec<f64>,
    start: Vec<f64>,
    clock: Clock,
    /// After how many steps they were observed last.
    seen: Option<u64>,
}

impl<'m> WideMotion<'m> {
    /// Of `count` members, with parameters and starts in the order of [`WidePlaces`]; of these only what does not vary is looked at.
    pub fn new(march: &'m WideMarch, count: usize, parameters: &[f64], start: &[f64], h: f64, time: f64) -> Self {
        let parameters = [parameters, &march.constants, &LIMIT_VALUES].concat();
        WideMotion { march, count, parameters, start: start.to_vec(), clock: Clock::new(time, h), seen: None }
    }

    /// The time they are at.
    pub fn time(&self) -> f64 {
        self.clock.time
    }

    fn model_parameters(&self) -> &[f64] {
        &self.parameters[..self.parameters.len() - LIMIT_VALUES.len()]
    }

    /// Brings them to their starts.
    ///
    /// # Errors
    /// The device fails.
    pub fn begin(&mut self, table: &mut MemberTable<'_>) -> Result<(), DeviceError> {
        let march = self.march;
        table.begin(self.count)?;
        march.begin.run(table, self.count, &[])?;
        march.start.run(table, self.count, self.model_parameters(), &self.start)?;
        if let Some(FirstDifferences { well, values, check, inputs }) = &march.differences {
            let state = vec![0.0; *inputs];
            let times = self.times(WEIGHTS.len() - 1);
            for kernel in [well, values] {
                table.run(*kernel, self.count, &[&self.parameters, &times, &state])?;
            }
            check.run(table, self.count, &[])?;
        }
        Ok(())
    }

    /// Observes them where they are.
    ///
    /// # Errors
    /// The device fails.
    pub fn observe(&mut self, table: &mut MemberTable<'_>) -> Result<(), DeviceError> {
        if self.seen == Some(self.clock.steps) {
            return Ok(());
        }
        let mut inputs = vec![0.0; self.march.observation_inputs];
        inputs[self.march.state.len()] = self.clock.time;
        self.march.observation.run(table, self.count, self.model_parameters(), &inputs)?;
        self.seen = Some(self.clock.steps);
        Ok(())
    }

    /// Takes so many steps with each of them.
    ///
    /// # Errors
    /// The device fails.
    pub fn advance(&mut self, table: &mut MemberTable<'_>, steps: u64) -> Result<(), DeviceError> {
        let mut left = steps;
        while left > 0 {
            let now = match self.clock.steps {
                0 | 1 => 1,
                _ if self.known() < self.deepest() => 1,
                _ => left,
            };
            self.take(table, now)?;
            left -= now;
        }
        Ok(())
    }

    fn take(&mut self, table: &mut MemberTable<'_>, steps: u64) -> Result<(), DeviceError> {
        let march = self.march;
        let opening = march.openings.get(self.clock.steps as usize);
        if opening.is_some() {
            march.keep_state.run(table, self.count, &[])?;
        }
        match &march.first_step {
            Some((newton, follow)) if self.clock.steps == 0 => {
                self.observe(table)?;
                let inputs = self.step_inputs(self.clock.time, self.clock.h);
                newton.run(table, self.count, self.model_parameters(), &inputs)?;
                follow.run(table, self.count, &[])?;
            }
            _ => {
                let times = self.times(self.known());
                let loop_inputs = vec![0.0; march.layout.len()];
                let uniforms = [&self.parameters[..], &times, &loop_inputs];
                table.repeat(march.steps, self.count, &uniforms, steps)?;
            }
        }
        if let Some(opening) = opening {
            let unit = if march.layout.own_ways { 1.0 } else { self.clock.h.abs() };
            opening.run(table, self.count, &[unit])?;
        }
        self.clock.advance(steps);
        Ok(())
    }

    /// Takes a step of another size, the last one.
    ///
    /// # Errors
    /// The device fails.
    pub fn advance_by(&mut self, table: &mut MemberTable<'_>, h: f64) -> Result<(), DeviceError> {
        let (march, begin) = (self.march, self.clock.time);
        match (&march.rest, &march.first_step) {
            (RestOfStep::Solved(follow), Some((newton, _))) => {
                self.observe(table)?;
                newton.run(table, self.count, self.model_parameters(), &self.step_inputs(begin, h))?;
                follow.run(table, self.count, &[])?;
            }
            (RestOfStep::Explicit { step, follow, last }, _) => {
                let mut elapsed = 0.0;
                for (at, fraction) in march.substeps.iter().enumerate() {
                    let inputs = self.step_inputs(begin + elapsed * h, fraction * h);
                    table.run(*step, self.count, &[self.model_parameters(), &inputs])?;
                    let follow = if at + 1 == march.substeps.len() { last } else { follow };
                    follow.run(table, self.count, &[])?;
                    elapsed += fraction;
                }
            }
            (RestOfStep::Solved(_), None) => {}
        }
        self.clock.advance_by(h);
        Ok(())
    }

    /// State, time, step and velocities; only time and step do not vary.
    fn step_inputs(&self, time: f64, h: f64) -> Vec<f64> {
        let state = self.march.state.len();
        let mut inputs = vec![0.0; state + 2 + self.march.velocities];
        (inputs[state], inputs[state + 1]) = (time, h);
        inputs
    }

    /// Step size, first time, the weights of a guess from so many steps, and the number of the step where it does not matter.
    fn times(&self, known: usize) -> Vec<f64> {
        let weights = if self.march.layout.unknowns > 0 { &WEIGHTS[known][..] } else { &[] };
        let counted = self.march.layout.count.is_none().then_some(0.0);
        [self.clock.h, self.clock.start()].iter().chain(weights).copied().chain(counted).collect()
    }

    /// How many steps the guess after the next one is made of.
    fn known(&self) -> usize {
        self.deepest().min(self.clock.steps as usize + 1)
    }

    fn deepest(&self) -> usize {
        if self.march.layout.unknowns > 0 { self.march.layout.known } else { 0 }
    }
}
