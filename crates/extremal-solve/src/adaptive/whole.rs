//! A whole step as one straight-line program: stages, end and errors of a tableau as formulas of the flow.

use extremal_eval::{EntryPoint, Machine, Program};
use extremal_expr::{Expr, Graph, Id, with_angles_apart};
use extremal_mechanics::discrete::PhaseFlow;
use extremal_mechanics::{Block, Solve, SparseRows};

use super::AdaptiveMethod;
use super::rates::StepBegin;
use super::tableau::{EmbeddedTableau, TableauStage, Weights};
use crate::newton::NewtonOptions;
use crate::step::{Elimination, FusedLimits, FusedWriter, LARGEST_SOLVE, LIMIT_VALUES};

/// Residuals of linear equations that are accepted, in units of their terms: those of an elimination without exchange of rows. What
/// leaves more is solved stage by stage.
const LEFT: f64 = 64.0 * f64::EPSILON;
/// Operations of a step up to which it is one program: a longer one does not stay in the cache.
const LONGEST: usize = 20_000;

/// The steps of a method for one flow, with the memory to take them.
#[derive(Clone)]
pub(crate) struct WholeStep {
    step: Machine,
    dense: Option<Machine>,
    /// The stages whose rates dense output begins with.
    kept: Vec<usize>,
    /// A truth value, the end of the step, its errors, and the rates that dense output needs.
    values: Vec<f64>,
    /// A truth value and the coefficients of dense output.
    dense_values: Vec<f64>,
}

impl WholeStep {
    /// `None` where rates follow from equations that are not written out, or from too many formulas.
    pub fn compile(
        g: &Graph,
        flow: &PhaseFlow,
        method: AdaptiveMethod,
        parameters: &[Id],
        options: NewtonOptions,
    ) -> Option<WholeStep> {
        let tableau = method.tableau();
        let formulas = FlowFormulas::of(g, flow, options)?;
        if formulas.operations() * tableau.stages.len() > LONGEST {
            return None;
        }
        let (machine, outputs) = formulas.step(tableau, parameters, options)?;
        let (dense, coefficients) = match tableau.dense_stages {
            [] => (None, 0),
            _ => formulas.dense(tableau, parameters, options).map(|(machine, outputs)| (Some(machine), outputs))?,
        };
        let (values, dense_values) = (vec![0.0; outputs], vec![0.0; coefficients]);
        let kept = [0].into_iter().chain(tableau.kept()).collect();
        Some(WholeStep { step: machine, dense, kept, values, dense_values })
    }

    /// Sets the parameters, in the order given at compilation.
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        let [_, rest @ ..] = LIMIT_VALUES;
        for machine in self.dense.iter_mut().chain([&mut self.step]) {
            let inputs = machine.inputs_mut(0);
            let values = parameters.iter().copied().chain([LEFT]).chain(rest);
            inputs.iter_mut().zip(values).for_each(|(input, value)| *input = value);
            machine.commit(0);
        }
    }

    /// The end of a step, its errors and the rates that are [kept](EmbeddedTableau::kept), one after the other; `None` where something
    /// is not finite or a solution is not good enough.
    pub fn step(&mut self, begin: &StepBegin<'_>) -> Option<&[f64]> {
        let StepBegin { state, rates, time, length, end } = *begin;
        let (inputs, n) = (self.step.inputs_mut(1), state.len());
        inputs[..n].copy_from_slice(state);
        inputs[n..2 * n].copy_from_slice(&rates[..n]);
        inputs[2 * n..].copy_from_slice(&[time, length, end]);
        self.step.run(0, &mut self.values);
        let (holds, values) = self.values.split_first()?;
        (*holds != 0.0).then_some(values)
    }

    /// The coefficients of dense output beyond the cubic polynomial, from the rates at all stages of the step.
    pub fn dense(&mut self, begin: &StepBegin<'_>) -> Option<&[f64]> {
        let StepBegin { state, rates, time, length, .. } = *begin;
        let machine = self.dense.as_mut()?;
        let (inputs, n) = (machine.inputs_mut(1), state.len());
        inputs[..n].copy_from_slice(state);
        inputs[n..n + 2].copy_from_slice(&[time, length]);
        let places = self.kept.iter().zip(inputs[n + 2..].chunks_exact_mut(n));
        places.for_each(|(place, input)| input.copy_from_slice(&rates[place * n..][..n]));
        machine.run(0, &mut self.dense_values);
        let (holds, values) = self.dense_values.split_first()?;
        (*holds != 0.0).then_some(values)
    }
}

/// The rates of a flow as formulas: linear equations to be solved first, then outputs.
struct FlowFormulas<'g> {
    g: &'g Graph,
    state: Vec<Expr<'g>>,
    time: Id,
    block: Block,
    slopes: Vec<SparseRows>,
    eliminations: Vec<Option<Elimination>>,
}

impl<'g> FlowFormulas<'g> {
    fn of(g: &'g Graph, flow: &PhaseFlow, options: NewtonOptions) -> Option<FlowFormulas<'g>> {
        let reduced = options.reduced(g, &flow.rates);
        let mut block = reduced.block;
        let mut eliminations = Vec::with_capacity(block.solves.len());
        for (solve, rows) in block.solves.iter().zip(&reduced.slopes) {
            let n = solve.unknowns.len();
            let entries: Vec<Vec<_>> =
                rows.iter().map(|row| row.iter().map(|(column, id)| (*column, g.expr(*id))).collect()).collect();
            let (unknowns, residual) = (g.exprs(&solve.unknowns), g.exprs(&solve.residual));
            // Sums that are unknowns have rows of their own.
            if n != rows.len() || g.affine_rows(&residual, &unknowns, &entries).contains(&false) {
                return None;
            }
            eliminations.push(if n <= LARGEST_SOLVE { None } else { Some(Elimination::of(rows)?) });
        }
        let mut slopes = reduced.slopes;
        apart(g, &mut block, &mut slopes);
        let time = *block.inputs.last()?;
        Some(FlowFormulas { g, state: g.exprs(&flow.state), time, block, slopes, eliminations })
    }

    /// About as many as it takes to evaluate the rates once.
    fn operations(&self) -> usize {
        let slopes = self.slopes.iter().flatten().flatten().map(|(_, slope)| *slope);
        let residuals = self.block.solves.iter().flat_map(|solve| solve.residual.iter().copied());
        let all: Vec<Id> = self.block.outputs.iter().copied().chain(residuals).chain(slopes).collect();
        self.g.reachable(&all).len()
    }

    fn symbols(&self, name: &str) -> Vec<Expr<'g>> {
        (0..self.state.len()).map(|at| self.g.symbol(&format!("{name} {at}"))).collect()
    }

    /// A step with its errors.
    fn step(&self, tableau: &EmbeddedTableau, parameters: &[Id], options: NewtonOptions) -> Option<(Machine, usize)> {
        let [begin, h, end] = ["step begin", "step length", "step end"].map(|name| self.g.symbol(name));
        let mut stages = StepWriter::new(self, begin, h, self.symbols("first rate"));
        for (place, stage) in (1..).zip(tableau.stages) {
            stages.evaluate(place, stage);
        }
        let next = stages.moved(tableau.solution);
        stages.evaluate_at(tableau.end(), &next, end);
        let fine = stages.weighed(tableau.error);
        let coarse = match tableau.coarse {
            Some(weights) => {
                let both: Vec<(usize, f64)> = tableau.solution.iter().copied().chain(negated(weights)).collect();
                stages.weighed(&both)
            }
            None => Vec::new(),
        };
        let kept: Vec<Expr<'g>> = tableau.kept().flat_map(|place| stages.rates[place].clone()).collect();
        let first = stages.rates[0].clone();
        let inputs = [&self.state[..], &first, &[begin, h, end]].concat();
        stages.machine(parameters, &inputs, &[next, fine, coarse, kept].concat(), options)
    }

    /// What dense output needs beside the step.
    fn dense(&self, tableau: &EmbeddedTableau, parameters: &[Id], options: NewtonOptions) -> Option<(Machine, usize)> {
        let [begin, h] = ["step begin", "step length"].map(|name| self.g.symbol(name));
        let mut stages = StepWriter::new(self, begin, h, self.symbols("first rate"));
        stages.rates.resize(tableau.end() + 1, Vec::new());
        for place in tableau.kept() {
            stages.rates[place] = self.symbols(&format!("rate {place}"));
        }
        let known: Vec<Expr<'g>> = stages.rates.concat();
        for (place, stage) in (tableau.end() + 1..).zip(tableau.dense_stages) {
            stages.evaluate(place, stage);
        }
        let outputs: Vec<Expr<'g>> = tableau.dense.iter().flat_map(|weights| stages.weighed(weights)).collect();
        let outputs: Vec<Expr<'g>> = outputs.into_iter().map(|coefficient| h * coefficient).collect();
        let inputs = [&self.state[..], &[begin, h], &known].concat();
        stages.machine(parameters, &inputs, &outputs, options)
    }
}

/// Sines of sums and differences from those of the angles, where these are computed anyway.
fn apart(g: &Graph, block: &mut Block, slopes: &mut [SparseRows]) {
    let slopes = slopes.iter_mut().flatten().flatten().map(|(_, slope)| slope);
    let residuals = block.solves.iter_mut().flat_map(|solve| &mut solve.residual);
    let places: Vec<&mut Id> = block.outputs.iter_mut().chain(residuals).chain(slopes).collect();
    let together: Vec<Expr<'_>> = places.iter().map(|id| g.expr(**id)).collect();
    for (place, apart) in places.into_iter().zip(with_angles_apart(g, &together)) {
        *place = apart.id();
    }
}

fn negated(weights: Weights) -> impl Iterator<Item = (usize, f64)> {
    weights.iter().map(|(place, weight)| (*place, -weight))
}

/// Stages under construction.
struct StepWriter<'f, 'g> {
    flow: &'f FlowFormulas<'g>,
    writer: FusedWriter<'g>,
    begin: Expr<'g>,
    h: Expr<'g>,
    /// By their stages.
    rates: Vec<Vec<Expr<'g>>>,
    /// Of what was evaluated, stage by stage: what is not finite may lead to an end that is.
    sizes: Vec<Expr<'g>>,
}

impl<'f, 'g> StepWriter<'f, 'g> {
    fn new(flow: &'f FlowFormulas<'g>, begin: Expr<'g>, h: Expr<'g>, first: Vec<Expr<'g>>) -> Self {
        let writer = FusedWriter::new(flow.g, FusedLimits::new(flow.g), flow.time);
        StepWriter { flow, writer, begin, h, rates: vec![first], sizes: Vec::new() }
    }

    /// `Σ w k` for every component. What is known last is added last, so that nothing else waits for it.
    fn weighed(&mut self, weights: &[(usize, f64)]) -> Vec<Expr<'g>> {
        let g = self.flow.g;
        let term = |rates: &[Vec<Expr<'g>>], at: usize, (place, weight): (usize, f64)| {
            g.float(weight).unwrap_or(g.int(0)) * rates[place][at]
        };
        let last = weights.iter().map(|(place, _)| *place).max();
        let (late, early): (Vec<_>, Vec<_>) = weights.iter().copied().partition(|(place, _)| Some(*place) == last);
        let mut sums = Vec::with_capacity(self.flow.state.len());
        for at in 0..self.flow.state.len() {
            let early = g.sum(early.iter().map(|weight| term(&self.rates, at, *weight)));
            let early = self.writer.name(early);
            sums.push(late.iter().fold(early, |sum, weight| sum + term(&self.rates, at, *weight)));
        }
        self.writer.name_all(&sums)
    }

    /// `y + h Σ w k`.
    fn moved(&mut self, weights: &[(usize, f64)]) -> Vec<Expr<'g>> {
        let sums = self.weighed(weights);
        let moved: Vec<_> = self.flow.state.iter().zip(sums).map(|(y, sum)| *y + self.h * sum).collect();
        self.writer.name_all(&moved)
    }

    fn evaluate(&mut self, place: usize, stage: &TableauStage) {
        let point = self.moved(stage.a);
        let time = self.begin + self.flow.g.float(stage.c).unwrap_or(self.flow.g.int(0)) * self.h;
        self.evaluate_at(place, &point, time);
    }

    /// The rates at a point of the flow.
    fn evaluate_at(&mut self, place: usize, point: &[Expr<'g>], time: Expr<'g>) {
        let FlowFormulas { g, state, block, slopes, eliminations, .. } = self.flow;
        let time = (g.expr(self.flow.time), self.writer.name(time));
        let mut rules: Vec<_> = state.iter().copied().zip(point.iter().copied()).chain([time]).collect();
        for ((solve, rows), elimination) in block.solves.iter().zip(slopes).zip(eliminations) {
            let n = solve.unknowns.len();
            let own: Vec<Expr<'g>> = (0..n).map(|at| g.symbol(&format!("stage {place} unknown {at}"))).collect();
            rules.extend(g.exprs(&solve.unknowns).into_iter().zip(own.iter().copied()));
            let here = |ids: &[Id]| g.substitute(&g.exprs(ids), &rules);
            let mut entries = here(&rows.iter().flatten().map(|(_, slope)| *slope).collect::<Vec<_>>()).into_iter();
            let mut entry = |(column, _): &(usize, Id)| entries.next().map(|slope| (*column, slope.id()));
            let rows: SparseRows = rows.iter().map(|row| row.iter().filter_map(&mut entry).collect()).collect();
            let nothing = vec![g.int(0); n];
            let instance = Solve::new(&own, &here(&solve.residual), &nothing);
            self.writer.solve((&instance, &rows), elimination.as_ref(), &nothing, &[]);
        }
        let rates = self.writer.name_all(&g.substitute(&g.exprs(&block.outputs), &rules));
        let size = g.sum(rates.iter().chain(point).map(|value| value.abs()));
        self.sizes.push(self.writer.name(size));
        self.rates.resize(self.rates.len().max(place + 1), Vec::new());
        self.rates[place] = rates;
    }

    /// The program of these outputs, and how many there are with the condition before them.
    fn machine(
        mut self,
        parameters: &[Id],
        inputs: &[Expr<'g>],
        outputs: &[Expr<'g>],
        options: NewtonOptions,
    ) -> Option<(Machine, usize)> {
        self.writer.finite(&self.sizes);
        let tiers = [
            parameters.iter().copied().chain(self.writer.limits.list().map(Expr::id)).collect(),
            inputs.iter().map(|input| input.id()).collect::<Vec<Id>>(),
        ];
        let outputs: Vec<Id> = [self.writer.condition()].iter().chain(outputs).map(|output| output.id()).collect();
        let count = outputs.len();
        let entry = EntryPoint { tier: 1, outputs };
        let program = Program::compile_with_names(self.flow.g, &tiers, &self.writer.names, &[entry]).ok()?;
        Some((options.machine(&program), count))
    }
}
