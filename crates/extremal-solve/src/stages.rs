//! The stages of a collocation method by fixed-point iteration, side by side: a lane for each stage, as many at once as there are.

use extremal_eval::{CompileError, Entry, LaneMachine, Machine, Program};
use extremal_expr::{Expr, Function2, Graph, Id, magnitude};
use extremal_mechanics::Block;
use extremal_mechanics::discrete::{Scheme, Stages};

use crate::kernel::Work;
use crate::newton::{NewtonOptions, ROUND_OFF, UNDERFLOW};

/// For more unknowns per stage a factorisation in formulas would grow too long.
const LARGEST_STAGE: usize = 6;
/// Iterations in one call, before it is given up.
const MAX_ITERATIONS: u32 = 25;
/// Slower convergence is better left to Newton's method.
const SLOWEST: f64 = 0.4;
/// The largest number of calls for which it is not tried.
const MAX_WAIT: u32 = 127;

/// Stages of the programs: parameters; step and coefficients; state and time; unknowns.
const PARAMETERS: usize = 0;
const STEP: usize = 1;
const STATE: usize = 2;
const UNKNOWNS: usize = 3;

/// Entries: the next unknowns and how far they are from the last; the same with the residual of the last.
const ITERATE: usize = 0;
const CHECK: usize = 1;

/// The equations of all stages, ready to be solved, with their own memory.
#[derive(Clone)]
pub(crate) struct StageIteration {
    groups: Vec<Group>,
    /// From the solution to the outputs of the block.
    finish: Machine,
    values: Vec<Vec<f64>>,
    /// For each stage of the last step, what it adds to each stage of the next.
    ahead: Vec<Vec<f64>>,
    /// Unknowns per stage.
    own: usize,
    state: usize,
    tolerance: f64,
    /// Those of the same kind together, for each the values of all stages.
    unknowns: Vec<f64>,
    h: f64,
    kept: Kept,
}

/// What is kept of one call for the next.
#[derive(Clone, Default)]
struct Kept {
    /// The state after the last call, whose unknowns predict those of a call that begins there.
    state: Vec<f64>,
    last: Vec<f64>,
    /// How fast it converged.
    rate: f64,
    /// Calls for which it is not tried: twice as many after every failure.
    wait: u32,
    waited: u32,
}

impl StageIteration {
    /// For the step of `scheme`, whose outputs are those of `block`; `None` where its stages are not alike or too large, or where
    /// something could be solved in closed form.
    pub fn compile(
        g: &Graph,
        scheme: &Scheme,
        parameters: &[Id],
        block: &Block,
        options: NewtonOptions,
    ) -> Result<Option<StageIteration>, CompileError> {
        let (Some(stages), [solve]) = (&scheme.stages, &block.solves[..]) else { return Ok(None) };
        if solve.unknowns != stages.all || stages.own.len() > LARGEST_STAGE || scheme.substeps.len() > 1 {
            return Ok(None);
        }
        let Some([iterate, check]) = entries(g, stages) else { return Ok(None) };
        let h = g.symbol("h").id();
        let state: Vec<Id> = scheme.state.iter().copied().chain([scheme.time]).collect();
        let underflow = g.symbol(UNDERFLOW_SYMBOL).id();
        let mut all = stages.all.clone();
        regroup(&stages.all, stages.own.len(), &mut all);
        let inputs = [
            parameters.iter().copied().chain([underflow]).collect(),
            [&[h], &stages.coefficients[..]].concat(),
            state.clone(),
            [&stages.own[..], &all].concat(),
        ];
        let program = Program::compile_with_names(g, &inputs, &stages.state, &[iterate, check])?;
        let guess: Vec<Id> = block.inputs[state.len() + 1..].to_vec();
        let inputs = [parameters.to_vec(), vec![h], [state, guess].concat(), stages.all.clone()];
        let finish = Program::compile(g, &inputs, &[Entry { stage: UNKNOWNS, outputs: block.outputs.clone() }])?;
        let own = stages.own.len();
        Ok(Some(StageIteration {
            groups: Group::all(&program, stages.values.len(), own, options),
            finish: options.machine(&finish),
            values: stages.values.clone(),
            ahead: transposed(&stages.ahead),
            own,
            state: scheme.state.len(),
            tolerance: options.tolerance,
            unknowns: vec![0.0; stages.all.len()],
            h: f64::NAN,
            kept: Kept::default(),
        }))
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        self.finish.inputs_mut(PARAMETERS).copy_from_slice(values);
        self.finish.commit(PARAMETERS);
        for group in &mut self.groups {
            group.spread(PARAMETERS, 0, values);
            group.spread(PARAMETERS, values.len(), &[UNDERFLOW]);
            group.commit(PARAMETERS);
        }
        self.h = f64::NAN;
    }

    pub fn forget(&mut self) {
        self.kept = Kept::default();
    }

    /// Solves for the unknowns, of which `x` is a guess, and computes the outputs. `None`, and the guess unchanged, where that does
    /// not converge fast enough.
    pub fn run(&mut self, inputs: &[f64], x: &mut [f64], out: &mut [f64]) -> Option<Work> {
        if self.kept.wait > 0 {
            self.kept.wait -= 1;
            return None;
        }
        let (state, rest) = inputs.split_at(self.state);
        let h = rest[1];
        let same_step = h == self.h;
        self.set_step(h);
        if same_step && self.kept.state == state {
            self.predict();
        } else {
            regroup(x, self.own, &mut self.unknowns);
        }
        for group in &mut self.groups {
            group.spread(STATE, 0, &inputs[..self.state + 1]);
            group.commit(STATE);
        }
        let done = self.iterate();
        if done.is_none() {
            let waited = (2 * self.kept.waited + 1).min(MAX_WAIT);
            self.kept = Kept { wait: waited, waited, ..Kept::default() };
            return None;
        }
        regroup(&self.unknowns, self.values.len(), x);
        let (first, guess) = self.finish.inputs_mut(STATE).split_at_mut(self.state + 1);
        first.copy_from_slice(&inputs[..self.state + 1]);
        guess.copy_from_slice(&rest[2..]);
        self.finish.commit(STATE);
        self.finish.inputs_mut(UNKNOWNS).copy_from_slice(x);
        self.finish.run(0, out);
        self.remember(&out[..self.state]);
        done
    }

    fn set_step(&mut self, h: f64) {
        if h == self.h {
            return;
        }
        self.h = h;
        self.finish.inputs_mut(STEP).fill(h);
        self.finish.commit(STEP);
        for group in &mut self.groups {
            group.distinguish(h, &self.values);
            group.commit(STEP);
        }
    }

    /// Extends the polynomials through the stages of the last step.
    fn predict(&mut self) {
        let stages = self.values.len();
        self.unknowns.fill(0.0);
        let kinds = self.unknowns.chunks_exact_mut(stages).zip(self.kept.last.chunks_exact(stages));
        for (guess, last) in kinds {
            for (weights, last) in self.ahead.iter().zip(last) {
                guess.iter_mut().zip(weights).for_each(|(guess, weight)| *guess += weight * last);
            }
        }
    }

    /// Remembers the solution for the next call.
    fn remember(&mut self, next_state: &[f64]) {
        let kept = &mut self.kept;
        kept.state.clear();
        kept.state.extend_from_slice(next_state);
        kept.last.clear();
        kept.last.extend_from_slice(&self.unknowns);
        kept.waited /= 2;
    }

    /// Iterates until the residual is round-off.
    fn iterate(&mut self) -> Option<Work> {
        let (mut size, mut before) = (f64::INFINITY, f64::INFINITY);
        for iterations in 1..=MAX_ITERATIONS {
            // The residual is worth a look where it is expected to be round-off.
            let last = iterations > 1 && before * self.kept.rate <= ROUND_OFF * size;
            let entry = if last { CHECK } else { ITERATE };
            let [mut change, mut residual] = [0.0f64; 2];
            for group in &mut self.groups {
                let [own_change, own_residual] = group.iterate(entry, &self.unknowns);
                change = larger(change, own_change);
                residual = larger(residual, own_residual);
            }
            let falls = change <= SLOWEST * before;
            if last && (residual <= ROUND_OFF || residual <= self.tolerance && !falls) {
                return Some(Work { iterations, residual });
            }
            // Near round-off neither the changes nor their ratio say anything: time to look at the residual.
            let near = change <= self.tolerance * size;
            if !falls && !near {
                return None;
            }
            if before.is_finite() {
                self.kept.rate = match (near, falls) {
                    (false, _) => change / before,
                    (true, true) => self.kept.rate,
                    (true, false) => 0.0,
                };
            }
            before = change;
            for group in &self.groups {
                group.next(&mut self.unknowns);
            }
            if size.is_infinite() {
                size = worst(&self.unknowns);
            }
        }
        None
    }
}

const UNDERFLOW_SYMBOL: &str = "stage underflow";

/// What is computed for one stage, by an update of its own unknowns with Newton's method, which is exact where the equations are
/// linear in them; `None` where the unknowns do not determine each other in their order.
fn entries(g: &Graph, stages: &Stages) -> Option<[Entry; 2]> {
    let (own, residual) = (g.exprs(&stages.own), g.exprs(&stages.residual));
    let n = own.len();
    let mut matrix = vec![vec![g.int(0); n]; n];
    for (row, slopes) in matrix.iter_mut().zip(g.jacobian(&residual, &own)) {
        slopes.into_iter().for_each(|(column, slope)| row[column] = slope);
    }
    let update = solved(g, matrix, residual.clone())?;
    let max = |a, b| g.call2(Function2::Max, a, b);
    let change = update.iter().map(|d| d.abs()).reduce(max)?;
    let size = |r| max(magnitude(r), g.symbol(UNDERFLOW_SYMBOL));
    let relative = residual.iter().map(|r| r.abs() / size(*r)).reduce(max)?;
    let mut outputs: Vec<Id> = own.iter().zip(&update).map(|(x, d)| (*x - *d).id()).collect();
    outputs.push(change.id());
    let iterate = Entry { stage: UNKNOWNS, outputs: outputs.clone() };
    outputs.push(relative.id());
    Some([iterate, Entry { stage: UNKNOWNS, outputs }])
}

/// The solution of `matrix · x = right`, by elimination without exchange of rows.
fn solved<'g>(g: &'g Graph, mut matrix: Vec<Vec<Expr<'g>>>, mut right: Vec<Expr<'g>>) -> Option<Vec<Expr<'g>>> {
    let n = right.len();
    for k in 0..n {
        if matrix[k][k].is_zero() {
            return None;
        }
        let (above, below) = matrix.split_at_mut(k + 1);
        let inverse = above[k][k].powi(-1);
        for (i, row) in below.iter_mut().enumerate().filter(|(_, row)| !row[k].is_zero()) {
            let factor = row[k] * inverse;
            for j in k + 1..n {
                row[j] = row[j] - factor * above[k][j];
            }
            right[k + 1 + i] = right[k + 1 + i] - factor * right[k];
        }
    }
    for k in (0..n).rev() {
        let known = g.sum((k + 1..n).map(|j| matrix[k][j] * right[j]));
        right[k] = (right[k] - known) / matrix[k][k];
    }
    Some(right)
}

/// Some stages side by side.
#[derive(Clone)]
struct Group {
    first: usize,
    count: usize,
    /// Of all groups.
    stages: usize,
    /// Unknowns per stage.
    own: usize,
    runner: Runner,
    /// Outputs, for each the values of all lanes.
    out: Vec<f64>,
}

#[derive(Clone)]
enum Runner {
    Lanes(LaneMachine),
    One(Machine),
}

impl Group {
    /// Groups for all stages: as few as the machine allows.
    fn all(program: &Program, stages: usize, own: usize, options: NewtonOptions) -> Vec<Group> {
        let on = |lanes: usize| match options.backend {
            Some(backend) => program.lane_machine_on(backend, lanes),
            None => program.lane_machine(lanes),
        };
        let widest = if stages > 4 { &[8, 4][..] } else { &[4] };
        let wide = widest.iter().find_map(|lanes| on(*lanes)).filter(|_| stages > 1);
        let runner = wide.map_or_else(|| Runner::One(options.machine(program)), Runner::Lanes);
        let lanes = runner.lanes();
        let firsts = (0..stages).step_by(lanes);
        firsts
            .map(|first| Group {
                first,
                count: lanes.min(stages - first),
                stages,
                own,
                runner: runner.clone(),
                out: vec![0.0; (own + 2) * lanes],
            })
            .collect()
    }

    /// Gives all lanes the same values, as inputs from the `first` on.
    fn spread(&mut self, stage: usize, first: usize, values: &[f64]) {
        let lanes = self.runner.lanes();
        let places = &mut self.runner.inputs_mut(stage)[first * lanes..];
        match lanes {
            8 => spread::<8>(places, values),
            4 => spread::<4>(places, values),
            _ => spread::<1>(places, values),
        }
    }

    /// Gives each lane the coefficients of its stage; lanes too many do what the last one does.
    fn distinguish(&mut self, h: f64, values: &[Vec<f64>]) {
        let lanes = self.runner.lanes();
        let own = &values[self.first..self.first + self.count];
        let (step, coefficients) = self.runner.inputs_mut(STEP).split_at_mut(lanes);
        step.fill(h);
        for (at, place) in coefficients.chunks_exact_mut(lanes).enumerate() {
            place.iter_mut().enumerate().for_each(|(lane, x)| *x = own[lane.min(own.len() - 1)][at]);
        }
    }

    fn commit(&mut self, stage: usize) {
        match &mut self.runner {
            Runner::Lanes(machine) => machine.commit(stage),
            Runner::One(machine) => machine.commit(stage),
        }
    }

    /// Runs an entry at the unknowns of all stages; returns the largest change, and the largest residual if it is computed.
    fn iterate(&mut self, entry: usize, unknowns: &[f64]) -> [f64; 2] {
        let (lanes, n) = (self.runner.lanes(), self.own);
        self.spread(UNKNOWNS, n, unknowns);
        match lanes {
            8 => self.load_own::<8>(unknowns),
            4 => self.load_own::<4>(unknowns),
            _ => self.load_own::<1>(unknowns),
        }
        let out = &mut self.out[..(n + 1 + entry) * lanes];
        match &mut self.runner {
            Runner::Lanes(machine) => machine.run(entry, out),
            Runner::One(machine) => machine.run(entry, out),
        }
        [worst(&out[n * lanes..(n + 1) * lanes]), worst(&out[(n + 1) * lanes..])]
    }

    /// Gives each lane the unknowns of its own stage.
    fn load_own<const LANES: usize>(&mut self, unknowns: &[f64]) {
        let (first, count, stages) = (self.first, self.count, self.stages);
        let (places, _) = self.runner.inputs_mut(UNKNOWNS).as_chunks_mut::<LANES>();
        for (place, kind) in places.iter_mut().zip(unknowns.chunks_exact(stages)) {
            let own = &kind[first..first + count];
            match own.first_chunk() {
                Some(own) => *place = *own,
                None => (0..LANES).for_each(|lane| place[lane] = own[lane.min(count - 1)]),
            }
        }
    }

    /// Puts the next unknowns of its stages where they belong.
    fn next(&self, unknowns: &mut [f64]) {
        match self.runner.lanes() {
            8 => self.unload::<8>(unknowns),
            4 => self.unload::<4>(unknowns),
            _ => self.unload::<1>(unknowns),
        }
    }

    fn unload<const LANES: usize>(&self, unknowns: &mut [f64]) {
        let (next, _) = self.out.as_chunks::<LANES>();
        for (kind, next) in unknowns.chunks_exact_mut(self.stages).zip(next) {
            let own = &mut kind[self.first..self.first + self.count];
            match own.first_chunk_mut() {
                Some(own) => *own = *next,
                None => own.iter_mut().zip(next).for_each(|(own, next)| *own = *next),
            }
        }
    }
}

fn spread<const LANES: usize>(places: &mut [f64], values: &[f64]) {
    let (places, _) = places.as_chunks_mut::<LANES>();
    places.iter_mut().zip(values).for_each(|(place, value)| *place = [*value; LANES]);
}

/// The larger of two; NaN wins.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// The largest size; NaN when there is one, which only a sum is sure to show.
fn worst(values: &[f64]) -> f64 {
    let (fours, rest) = values.as_chunks::<4>();
    let (mut largest, mut sums) = ([0.0f64; 4], [0.0; 4]);
    for four in fours {
        for i in 0..4 {
            let size = four[i].abs();
            largest[i] = if size > largest[i] { size } else { largest[i] };
            sums[i] += size;
        }
    }
    let sum = sums.iter().chain(rest).map(|x| x.abs()).sum::<f64>();
    let largest = largest.iter().chain(rest).fold(0.0, |largest, x| if x.abs() > largest { x.abs() } else { largest });
    if sum.is_nan() { sum } else { largest }
}

/// What stands in groups of `size`, by its place in the group first.
fn regroup<T: Copy>(from: &[T], size: usize, to: &mut [T]) {
    let groups = from.len() / size;
    for (at, group) in from.chunks_exact(size).enumerate() {
        group.iter().enumerate().for_each(|(place, value)| to[place * groups + at] = *value);
    }
}

fn transposed(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..rows.len()).map(|j| rows.iter().map(|row| row[j]).collect()).collect()
}

impl Runner {
    fn lanes(&self) -> usize {
        match self {
            Runner::Lanes(machine) => machine.lanes(),
            Runner::One(_) => 1,
        }
    }

    fn inputs_mut(&mut self, stage: usize) -> &mut [f64] {
        match self {
            Runner::Lanes(machine) => machine.inputs_mut(stage),
            Runner::One(machine) => machine.inputs_mut(stage),
        }
    }
}
