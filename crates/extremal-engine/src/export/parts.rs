//! What of a model is exported, compiled.

use extremal_eval::source::{InputPlace, ProgramInput};
use extremal_eval::{EntryPoint, Program};
use extremal_expr::{Expr, Graph, Id};
use extremal_mechanics::System;
use extremal_mechanics::discrete::PhaseFlow;
use extremal_model::{Extent, Model, Start};
use extremal_solve::{ExplicitStep, Kernel, NewtonOptions, StartValues};
use extremal_trajectory::Role;

use super::ExportError;
use super::block::ExportBlock;
use crate::run::{Compiled, CompiledRun, Settings, SetupError, final_manifold, ids};

/// Numbers of a state that are written out.
const LARGEST_STATE: usize = 256;

/// What of a model is exported. A *phase state* is that of the continuous equations: positions, velocities, entropies, accounts; a
/// *state* is what a step carries.
pub(super) struct ExportParts<'m> {
    pub model: &'m Model,
    pub settings: Settings,
    /// Names and values of the parameters.
    pub parameters: Vec<(&'m str, f64)>,
    /// The phase state by its names, and where a motion starts.
    pub phase: Vec<String>,
    pub initial: Vec<f64>,
    /// How many of it are positions and velocities, and how many multipliers are at its end.
    pub motion: usize,
    pub multipliers: usize,
    /// How many entropies, amounts and states of first order there are.
    pub entropies: usize,
    pub rates: ExportBlock,
    /// The mass matrix: its size, the program, and the place of each of its outputs.
    pub mass: Option<DenseMatrix>,
    pub slopes: DenseMatrix,
    pub state: Vec<String>,
    pub velocities: Vec<String>,
    pub start: ExportBlock,
    pub step: ExportBlock,
    pub observe: ExportBlock,
    /// Does a step begin its search with velocities, which are then carried behind the state?
    pub carries_velocities: bool,
    pub explicit: Option<ExplicitStep>,
    pub substeps: Vec<f64>,
    pub guards: Vec<String>,
    pub invariants: Vec<String>,
    pub invariant_formulas: Option<ExportBlock>,
    /// The numbers that stand behind the parameters in the programs of a step.
    pub step_parameters: Vec<ProgramInput>,
}

/// A program whose outputs are entries of a matrix, or of several one after the other.
pub(super) struct DenseMatrix {
    pub program: Program,
    /// Rows and columns.
    pub size: [usize; 2],
    /// What the inputs of each tier are.
    pub inputs: Vec<Vec<ProgramInput>>,
    pub places: Vec<(usize, usize)>,
    /// How many numbers there are in all.
    pub length: usize,
}

impl<'m> ExportParts<'m> {
    pub fn of(model: &'m Model, settings: &Settings) -> Result<ExportParts<'m>, ExportError> {
        refuse(model, settings)?;
        let settings = Settings { extent: Some(Extent::Steps(1)), full_slopes: true, ..settings.clone() };
        let mut run = CompiledRun::new(model, &settings)?;
        let observables = run.observables.clone();
        let compiled = run.compiled.clone();
        let Compiled::Scheme(scheme) = &*compiled else {
            return Err(ExportError::Adaptive { method: settings.method.to_string() });
        };
        let start_values = run.start_mut().clone();
        let system = system_of(model, &run, &settings)?;
        let g = model.graph();
        let symbols: Vec<Id> = model.parameters().iter().map(|p| p.symbol).collect();
        let parameters = model.parameters().iter().map(|p| (p.name.as_str(), p.value)).collect::<Vec<_>>();
        let inputs = parameter_inputs(&parameters, &[]);

        let flow = PhaseFlow::of(&system);
        let phase = names(g, &flow.state);
        let given = [&phase[..], &names(g, &[system.t.id()])].concat();
        let options = NewtonOptions { full_slopes: true, ..NewtonOptions::default() };
        let rates = Kernel::compile(g, &symbols, &flow.rates, options)?.layout();
        let all = |count: usize| (0..count).map(|at| (at, at)).collect::<Vec<_>>();
        let texts = ["rates", "The rates of the phase state."];
        let rates = ExportBlock::new(texts, rates, &inputs, &given, all(phase.len()));
        let slopes = slopes(&system, &flow, &symbols, &inputs, &given)?;
        let mass = mass(&system, &flow, &symbols, &inputs, &given)?;

        let step_parameters = parameter_inputs(&parameters, scheme.constants());
        let [start, step, observe] = scheme.kernels().map(Kernel::layout);
        let state = scheme.state_names().to_vec();
        let velocities = names(g, &ids(&system.velocities()));
        let StartValues { q, v, s, multipliers, .. } = &start_values;
        let (motion, entropies) = (q.len() + v.len(), s.len());
        let [time, size] = [names(g, &[system.t.id()]), vec!["h".to_owned()]];
        // Where a state has other numbers than positions, velocities and what goes with them, a phase state does not start it.
        let known = motion + entropies;
        if start.program.machine().inputs(1).len() != known + 2 + multipliers.len()
            || known + multipliers.len() > phase.len()
        {
            return Err(ExportError::Start { start: settings.start.to_string() });
        }
        let lengths = [&step, &observe].map(|kernel| kernel.program.machine().inputs(1).len());
        if lengths != [state.len() + 2 + velocities.len(), state.len() + 1 + velocities.len()]
            || velocities.len() != v.len()
        {
            return Err(ExportError::Unsupported {
                what: "this method",
                why: "its state is not that of positions, momenta and velocities; midpoint has such a state",
            });
        }
        let moving = &phase[phase.len() - multipliers.len()..];
        let started = [&phase[..known], &time, &size, moving].concat();
        let guards = scheme.guards().to_vec();
        let texts = ["start", "The state of a step from a phase state."];
        let start = ExportBlock::new(texts, start, &step_parameters, &started, all(state.len()));
        let stepped = [&state[..], &time, &size, &velocities].concat();
        let texts = ["step", "The state after a step, then one number per condition, zero where it does not hold."];
        let step = ExportBlock::new(texts, step, &step_parameters, &stepped, all(state.len() + guards.len()));
        let observed = [&state[..], &time, &velocities].concat();
        let texts = ["velocities", "The velocities that belong to a state."];
        let observe = ExportBlock::new(texts, observe, &step_parameters, &observed, all(velocities.len()));
        let carries_velocities = step.guesses_from(state.len() + 2) || observe.guesses_from(state.len() + 1);

        let (row, seen) = (&observables.row, observables.observed());
        let conserved = |(at, column): (usize, &extremal_trajectory::Column)| {
            let kept = matches!(column.role(), Role::Energy | Role::Invariant) && row.outputs.contains(&at);
            kept.then(|| (column.name().to_owned(), seen.outputs().start + at - row.outputs.start))
        };
        let (invariants, places): (Vec<String>, Vec<usize>) =
            observables.columns.iter().enumerate().filter_map(conserved).unzip();
        let places: Vec<(usize, usize)> = places.into_iter().enumerate().map(|(at, place)| (place, at)).collect();
        let [.., observing] = scheme.kernels();
        let texts = ["invariants", "The energy, and what else the model states as conserved."];
        let invariant_formulas = (!invariants.is_empty())
            .then(|| ExportBlock::new(texts, observing.layout(), &step_parameters, &observed, places));
        let accounts = vec![0.0; phase.len() - known - multipliers.len()];
        Ok(ExportParts {
            model,
            initial: [&q[..], v, s, &accounts, multipliers].concat(),
            motion,
            entropies,
            multipliers: multipliers.len(),
            parameters,
            phase,
            rates,
            mass,
            slopes,
            state,
            velocities,
            start,
            step,
            observe,
            carries_velocities,
            explicit: scheme.explicit_step().filter(|_| !carries_velocities),
            substeps: scheme.substeps().to_vec(),
            guards,
            invariants,
            invariant_formulas,
            step_parameters,
            settings,
        })
    }

    /// How many numbers a state has, velocities counted where it carries them.
    pub fn carried(&self) -> usize {
        self.state.len() + if self.carries_velocities { self.velocities.len() } else { 0 }
    }
}

/// Refuses what a file of formulas does not have.
fn refuse(model: &Model, settings: &Settings) -> Result<(), ExportError> {
    if settings.start != Start::Legendre {
        return Err(ExportError::Start { start: settings.start.to_string() });
    }
    let numbers = 2 * model.coordinates().len() * model.order().max(1) as usize + model.carried_names().len();
    if numbers > LARGEST_STATE {
        return Err(ExportError::TooLarge { numbers, limit: LARGEST_STATE });
    }
    settings.check_even("exported steps").map_err(SetupError::from)?;
    let refused = [
        (!model.dry_friction().is_empty(), "dry friction", "its forces jump, and a right-hand side has no value there"),
        (
            model.momentum_order().is_some(),
            "a motion from momenta",
            "its state has no velocities to begin with; export the model without `p0` and `p1`",
        ),
    ];
    match refused.into_iter().find(|(has, ..)| *has) {
        Some((_, what, why)) => Err(ExportError::Unsupported { what, why }),
        None => Ok(()),
    }
}

/// The system whose continuous equations are written: with the constraints that a run keeps.
fn system_of<'m>(model: &'m Model, run: &CompiledRun, settings: &Settings) -> Result<System<'m>, ExportError> {
    let mut system = System::followed(model)?.with_short_kinetic_energy();
    system.manifold = final_manifold(model, &system, &settings.method);
    let redundant = &run.constraints().redundant;
    system.constraints.retain(|constraint| redundant.iter().all(|(name, _)| *name != constraint.name));
    Ok(system)
}

fn names(g: &Graph, symbols: &[Id]) -> Vec<String> {
    symbols.iter().map(|id| g.expr(*id).to_string()).collect()
}

/// The parameters as inputs, then numbers.
fn parameter_inputs(parameters: &[(&str, f64)], numbers: &[f64]) -> Vec<ProgramInput> {
    let own = parameters.iter().enumerate().map(|(at, (name, _))| ((*name).to_owned(), InputPlace::Parameter(at)));
    let rest = numbers.iter().map(|value| (String::new(), InputPlace::Number(*value)));
    own.chain(rest).map(|(name, place)| ProgramInput { name, place }).collect()
}

/// The mass matrix at a phase state; none where all of it is zero.
fn mass(
    system: &System<'_>,
    flow: &PhaseFlow,
    symbols: &[Id],
    parameters: &[ProgramInput],
    given: &[String],
) -> Result<Option<DenseMatrix>, ExportError> {
    let (n, rows) = (system.len(), system.mass_matrix());
    if rows.iter().all(Vec::is_empty) {
        return Ok(None);
    }
    let matrix =
        MatrixParts { inputs: vec![symbols.to_vec(), flow.rates.inputs.clone()], entries: Vec::new(), length: 0 };
    let matrix = matrix.append(&rows, n);
    matrix.compiled(system.graph, [n, n], vec![parameters.to_vec(), given_inputs(given)]).map(Some)
}

/// The slopes of the rates by the phase state: where unknowns stand between them, those of the rates by the phase state and by the
/// unknowns, then those of the residuals.
fn slopes(
    system: &System<'_>,
    flow: &PhaseFlow,
    symbols: &[Id],
    parameters: &[ProgramInput],
    given: &[String],
) -> Result<DenseMatrix, ExportError> {
    let g = system.graph;
    let block = flow.rates.reduced(g).block;
    let state = g.exprs(&flow.state);
    let unknowns: Vec<Id> = block.solves.iter().flat_map(|solve| solve.unknowns.iter().copied()).collect();
    let residual: Vec<Id> = block.solves.iter().flat_map(|solve| solve.residual.iter().copied()).collect();
    let (outputs, residual, by) = (g.exprs(&block.outputs), g.exprs(&residual), g.exprs(&unknowns));
    let mut inputs = vec![symbols.to_vec(), block.inputs.clone()];
    inputs.extend(block.solves.iter().map(|solve| solve.unknowns.clone()));
    let matrix = MatrixParts { inputs, entries: Vec::new(), length: 0 };
    let matrix = matrix
        .append(&g.jacobian(&outputs, &state), state.len())
        .append(&g.jacobian(&outputs, &by), by.len())
        .append(&g.jacobian(&residual, &state), state.len())
        .append(&g.jacobian(&residual, &by), by.len());
    let mut places = vec![parameters.to_vec(), given_inputs(given)];
    let mut first = 0;
    for solve in &block.solves {
        let found = (first..first + solve.unknowns.len())
            .map(|at| ProgramInput { name: format!("u{}", at + 1), place: InputPlace::Found(at) });
        places.push(found.collect());
        first += solve.unknowns.len();
    }
    matrix.compiled(g, [state.len(), state.len()], places)
}

fn given_inputs(given: &[String]) -> Vec<ProgramInput> {
    let input = |(at, name): (usize, &String)| ProgramInput { name: name.clone(), place: InputPlace::Given(at) };
    given.iter().enumerate().map(input).collect()
}

/// Matrices one after the other, under construction.
struct MatrixParts {
    inputs: Vec<Vec<Id>>,
    entries: Vec<(usize, Id)>,
    length: usize,
}

impl MatrixParts {
    /// A further matrix by sparse rows.
    fn append(mut self, rows: &[Vec<(usize, Expr<'_>)>], columns: usize) -> MatrixParts {
        for (at, row) in rows.iter().enumerate() {
            let place = |column: usize| self.length + at * columns + column;
            self.entries.extend(row.iter().map(|(column, entry)| (place(*column), entry.id())));
        }
        self.length += rows.len() * columns;
        self
    }

    fn compiled(self, g: &Graph, size: [usize; 2], inputs: Vec<Vec<ProgramInput>>) -> Result<DenseMatrix, ExportError> {
        let outputs = self.entries.iter().map(|(_, id)| *id).collect();
        let entry = EntryPoint { tier: self.inputs.len() - 1, outputs };
        let program = Program::compile(g, &self.inputs, &[entry])?;
        let places = self.entries.iter().enumerate().map(|(at, (place, _))| (at, *place)).collect();
        Ok(DenseMatrix { program, size, inputs, places, length: self.length })
    }
}
