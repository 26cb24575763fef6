//! A start checked as that of a run is, but compiled once: for members of sweeps, and for motions whose parameters change.

mod lanes;

use extremal_device::DeviceError;
use extremal_eval::ptx::MemberInput;
use extremal_expr::{Expr, Graph, Relation};
use extremal_mechanics::{Block, System};
use extremal_model::Model;
use extremal_solve::wide::{FormulaKernel, MemberTable, TableFormulas, TableKernel, TableKernels, WideRefusal};
use extremal_solve::{GuessSource, Kernel, LinearSolver, NewtonOptions, SolveFailure, StartValues, dependence};
use thiserror::Error;

use super::manifold::{ManifoldStart, final_manifold};
use super::{
    Bordered, CONSISTENT, ConstraintError, ConstraintViolation, Observables, Settings, SetupError, TYPED,
    checked_ahead, ids, size_of_terms, undetermined,
};

pub(crate) use lanes::LaneStartCheck;

/// Why no motion can start from somewhere.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StartProblem {
    /// A formula has no finite value there.
    #[error("at the start, {0}")]
    NotFinite(SolveFailure),
    /// A coordinate outside its domain.
    #[error("`{coordinate}` starts outside its domain")]
    OutsideDomain {
        /// The coordinate.
        coordinate: String,
    },
    /// A temperature that is not positive.
    #[error("the temperature of `{entropy}` is {temperature} at the start")]
    Temperature {
        /// Its entropy.
        entropy: String,
        /// The temperature.
        temperature: f64,
    },
    /// A conductance that is negative.
    #[error("the conductance of `{conduction}` is {conductance} at the start")]
    Conductance {
        /// The contact.
        conduction: String,
        /// The conductance.
        conductance: f64,
    },
    /// Shares of heat that are not parts of a whole.
    #[error("the shares of the heat of the friction on `{coordinate}` are not parts of a whole")]
    HeatShares {
        /// The coordinate on which the friction acts.
        coordinate: String,
    },
    /// What is refused at the start of a run too.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// Shares that sum to 1 but for this much are a whole, as in a model file.
const SHARES_TOLERANCE: f64 = 1e-12;

/// Looks at starts one after the other, and moves them onto the constraints if it may.
#[derive(Clone)]
pub(crate) struct StartCheck {
    kernel: Kernel,
    coordinates: usize,
    /// Coordinates with a domain.
    domains: Vec<String>,
    entropies: Vec<String>,
    conductions: Vec<String>,
    /// Coordinates with friction whose heat is shared, and among how many entropies.
    shared: Vec<(String, usize)>,
    /// Names of constraints, and whether it is their positions that are looked at.
    residuals: Vec<(String, bool)>,
    /// Constraints that must stay independent.
    kept: Vec<String>,
    regularity: Option<RegularityCheck>,
    /// To the nearest positions, then to the nearest velocities.
    projection: Option<[Kernel; 2]>,
    /// To where a singular system moves, in their place.
    on_manifold: Option<ManifoldStart>,
    /// Is a start moved that misses the constraints by more than its last digits?
    project: bool,
    inputs: Vec<f64>,
    values: Vec<f64>,
}

/// The checks for the members of a table.
pub(crate) struct WideStartCheck {
    evaluate: TableKernel,
    judge: FormulaKernel,
}

impl WideStartCheck {
    /// Checks the first `count` members; of parameters and starts only what does not vary is looked at.
    pub fn run(
        &self,
        table: &mut MemberTable<'_>,
        count: usize,
        parameters: &[f64],
        start: &[f64],
    ) -> Result<(), DeviceError> {
        table.run(self.evaluate, count, &[parameters, start])?;
        self.judge.run(table, count, &[])
    }
}

#[derive(Clone)]
struct RegularityCheck {
    pattern: Vec<Vec<usize>>,
    solver: LinearSolver,
    /// What is not determined when a column has no pivot.
    undetermined: Vec<SetupError>,
}

impl StartCheck {
    pub fn new(model: &Model, settings: &Settings, observables: &Observables) -> Result<StartCheck, SetupError> {
        let g = model.graph();
        let mut system = System::followed(model)?;
        let all = system.constraints.clone();
        let mut kept = observables.kept.iter();
        system.constraints.retain(|_| kept.next().is_none_or(|kept| *kept));
        system.manifold = final_manifold(model, &system, &settings.method);
        let bounded = model.coordinates().iter().filter_map(|c| Some((c.name.clone(), g.expr(c.domain?))));
        let (domains, conditions): (Vec<String>, Vec<Expr<'_>>) = bounded.unzip();
        let mut outputs: Vec<Expr<'_>> = conditions.iter().map(|c| g.select(*c, g.int(1), g.int(0))).collect();
        outputs.extend(system.temperatures());
        outputs.extend(model.conductions().iter().map(|conduction| g.expr(conduction.conductance)));
        let shared = model.friction_terms().iter().filter(|term| !term.shares.is_empty());
        outputs.extend(shared.clone().flat_map(|term| &term.shares).map(|(_, share)| g.expr(*share)));
        let mut residuals = Vec::new();
        for constraint in &all {
            let positions = constraint.kind.nature().binds_positions.then_some((constraint.expression, true));
            for (residual, of_position) in positions.into_iter().chain([(constraint.velocity, false)]) {
                residuals.push((constraint.name.clone(), of_position));
                outputs.extend([residual, size_of_terms(&system, residual)]);
            }
        }
        outputs.extend(system.binding_velocities().flat_map(|c| g.gradient(c.velocity, &system.v)));
        // Where momenta do not determine a motion, its first step says so.
        let regularity = (system.flow.is_none() && checked_ahead(&settings.method, &system)).then(|| {
            let Bordered { pattern, entries } = Bordered::of(&system);
            outputs.extend(entries);
            RegularityCheck {
                solver: LinearSolver::for_pattern(pattern.len(), &pattern),
                undetermined: (0..pattern.len()).map(|column| undetermined(&system, column, None)).collect(),
                pattern,
            }
        });
        let parameters: Vec<_> = model.parameters().iter().map(|p| p.symbol).collect();
        let compile = |block: &Block| Kernel::compile(g, &parameters, block, NewtonOptions::default());
        let projection = match !system.constraints.is_empty() {
            true => Some([compile(&system.position_projection())?, compile(&system.velocity_projection())?]),
            false => None,
        };
        let inputs = inputs(&system);
        Ok(StartCheck {
            kernel: compile(&Block { inputs: ids(&inputs), solves: Vec::new(), outputs: ids(&outputs) })?,
            coordinates: system.len(),
            domains,
            entropies: model.entropies().iter().map(|entropy| entropy.name.clone()).collect(),
            conductions: model.conductions().iter().map(|conduction| conduction.name.clone()).collect(),
            shared: shared.map(|t| (model.coordinates()[t.coordinate].name.clone(), t.shares.len())).collect(),
            residuals,
            kept: system.binding_velocities().map(|constraint| constraint.name.clone()).collect(),
            regularity,
            projection,
            on_manifold: ManifoldStart::new(model, &system, settings.project)?,
            project: settings.project,
            inputs: vec![0.0; inputs.len()],
            values: vec![0.0; outputs.len()],
        })
    }

    /// The same checks for the members of a table, whose flag `well` is set as long as nothing is wrong. Not everything that is right is seen
    /// to be.
    pub fn wide(
        &self,
        kernels: &mut TableKernels,
        parameters: &[MemberInput],
        start: &[MemberInput],
        well: usize,
    ) -> Result<WideStartCheck, WideRefusal> {
        if !self.residuals.is_empty() || self.on_manifold.is_some() {
            return Err(WideRefusal::Solves { what: "a start on constraints", unknowns: self.coordinates });
        }
        let values: Vec<usize> = kernels.columns(self.values.len()).collect();
        let columns = values.iter().copied().map(Some).collect();
        let evaluate = kernels.entry(&self.kernel.program(), 0, vec![parameters.to_vec(), start.to_vec()], columns)?;
        let g = Graph::new();
        let mut f = TableFormulas::new(&g);
        let all = f.columns(values);
        let (laws, entries) = all.split_at(self.after_laws());
        let (domains, rest) = laws.split_at(self.domains.len());
        let (temperatures, rest) = rest.split_at(self.entropies.len());
        let (conductances, mut rest) = rest.split_at(self.conductions.len());
        let zero = f.zero();
        let mut holds = vec![f.are_finite(&all)];
        holds.extend(domains.iter().map(|inside| g.compare(Relation::Ne, *inside, zero)));
        holds.extend(temperatures.iter().map(|temperature| f.below(zero, *temperature)));
        holds.extend(conductances.iter().map(|conductance| f.at_most(zero, *conductance)));
        for (_, count) in &self.shared {
            let shares;
            (shares, rest) = rest.split_at(*count);
            let [one, off] = [1.0, SHARES_TOLERANCE / 2.0].map(|value| f.number(value));
            holds.extend(shares.iter().map(|share| f.at_most(zero, *share)));
            holds.push(f.at_most((g.sum(shares.iter().copied()) - one).abs(), off));
        }
        if let Some(regularity) = &self.regularity {
            holds.extend(are_regular(&mut f, regularity, entries));
        }
        let all = f.all(holds);
        f.keep_set(well, all);
        Ok(WideStartCheck { evaluate, judge: f.kernel(kernels)? })
    }

    /// Checks a start; one that violates the constraints is moved to the nearest that does not, if that is wanted. Returns by how much of
    /// their terms it missed them.
    pub fn check(&mut self, parameters: &[f64], start: &mut StartValues) -> Result<f64, StartProblem> {
        self.kernel.set_parameters(parameters);
        if let Some(on_manifold) = &mut self.on_manifold {
            on_manifold.set_parameters(parameters);
            let missed = on_manifold.settle(start)?.missed;
            self.evaluate(start)?;
            self.judge()?;
            return Ok(missed);
        }
        self.evaluate(start)?;
        let violated = self.violations();
        let missed = violated.iter().map(|violation| (violation.residual / violation.size).abs()).fold(0.0, f64::max);
        if !violated.is_empty() {
            let typed = violated.iter().all(|violation| violation.residual.abs() <= TYPED * violation.size);
            if !self.project && !typed {
                return Err(SetupError::from(ConstraintError::Inconsistent(violated)).into());
            }
            self.project(parameters, start)?;
            self.evaluate(start)?;
            let left = self.violations();
            if !left.is_empty() {
                return Err(SetupError::from(ConstraintError::Inconsistent(left)).into());
            }
        }
        self.judge()?;
        Ok(missed)
    }

    fn evaluate(&mut self, start: &StartValues) -> Result<(), StartProblem> {
        let StartValues { q, v, s, multipliers, time, .. } = start;
        let values = q.iter().chain(v).chain(s).chain([time]).chain(multipliers);
        self.inputs.iter_mut().zip(values).for_each(|(input, value)| *input = *value);
        let done = self.kernel.run(&self.inputs, GuessSource::Formula, &mut self.values);
        done.map(|_| ()).map_err(StartProblem::NotFinite)
    }

    /// The values behind domains, temperatures, conductances and shares.
    fn after_laws(&self) -> usize {
        let shares: usize = self.shared.iter().map(|(_, count)| count).sum();
        self.domains.len() + self.entropies.len() + self.conductions.len() + shares
    }

    fn violations(&self) -> Vec<ConstraintViolation> {
        let pairs = self.values[self.after_laws()..].chunks(2);
        let looked = self.residuals.iter().zip(pairs);
        let off = looked.filter(|(_, pair)| pair[0].abs() > CONSISTENT * pair[1]);
        off.map(|((constraint, of_position), pair)| ConstraintViolation {
            constraint: constraint.clone(),
            of_position: *of_position,
            residual: pair[0],
            size: pair[1],
        })
        .collect()
    }

    /// Moves the start onto the constraints that are kept.
    fn project(&mut self, parameters: &[f64], start: &mut StartValues) -> Result<(), StartProblem> {
        let Some([positions, velocities]) = &mut self.projection else { return Ok(()) };
        let given = self.inputs.len() - start.multipliers.len();
        let failed = |failure| StartProblem::from(SetupError::from(ConstraintError::NotProjected(failure)));
        positions.set_parameters(parameters);
        positions.run(&self.inputs[..given], GuessSource::Formula, &mut start.q).map_err(failed)?;
        self.inputs[..start.q.len()].copy_from_slice(&start.q);
        velocities.set_parameters(parameters);
        velocities.run(&self.inputs[..given], GuessSource::Formula, &mut start.v).map_err(failed)?;
        Ok(())
    }

    /// Judges the values: domains, the laws of thermodynamics, the rank of the constraints, regularity.
    fn judge(&mut self) -> Result<(), StartProblem> {
        let (domains, rest) = self.values.split_at(self.domains.len());
        if let Some((coordinate, _)) = self.domains.iter().zip(domains).find(|(_, holds)| **holds == 0.0) {
            return Err(StartProblem::OutsideDomain { coordinate: coordinate.clone() });
        }
        let (temperatures, rest) = rest.split_at(self.entropies.len());
        if let Some((entropy, temperature)) = self.entropies.iter().zip(temperatures).find(|(_, t)| **t <= 0.0) {
            return Err(StartProblem::Temperature { entropy: entropy.clone(), temperature: *temperature });
        }
        let (conductances, mut rest) = rest.split_at(self.conductions.len());
        if let Some((conduction, conductance)) = self.conductions.iter().zip(conductances).find(|(_, c)| **c < 0.0) {
            return Err(StartProblem::Conductance { conduction: conduction.clone(), conductance: *conductance });
        }
        for (coordinate, count) in &self.shared {
            let shares;
            (shares, rest) = rest.split_at(*count);
            let sum: f64 = shares.iter().sum();
            if shares.iter().any(|share| *share < 0.0) || (sum - 1.0).abs() > SHARES_TOLERANCE {
                return Err(StartProblem::HeatShares { coordinate: coordinate.clone() });
            }
        }
        let rest = &rest[2 * self.residuals.len()..];
        let (rows, entries) = rest.split_at(self.kept.len() * self.coordinates);
        if !self.kept.is_empty() {
            let rows: Vec<Vec<f64>> = rows.chunks(self.coordinates).map(<[f64]>::to_vec).collect();
            if let Some((at, others)) = dependence(&rows).dependent.first() {
                let constraint = self.kept[*at].clone();
                let others: Vec<String> = others.iter().map(|other| self.kept[*other].clone()).collect();
                return Err(StartProblem::Setup(SetupError::from(match others.is_empty() {
                    true => ConstraintError::Vanishing { constraint },
                    false => ConstraintError::SingularStart { constraint, others },
                })));
            }
        }
        match &mut self.regularity {
            Some(RegularityCheck { solver, undetermined, .. }) => match solver.factor(entries) {
                Ok(()) => Ok(()),
                Err(singular) => Err(undetermined[singular.column].clone().into()),
            },
            None => Ok(()),
        }
    }
}

/// Pivots of a matrix that is eliminated without exchanging rows are at least this part of its diagonal.
const LEAST_PIVOT: f64 = 1e-6;
/// Larger matrices are not written out.
const LARGEST_WRITTEN: usize = 12;

/// What holds where a matrix is as those of kinetic energies are: no entry beside the diagonal is much larger than those on it, and what
/// elimination leaves of the diagonal is not much smaller. Then every factorisation succeeds.
fn are_regular<'g>(f: &mut TableFormulas<'g>, check: &RegularityCheck, entries: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let (g, n) = (f.graph(), check.pattern.len());
    if n > LARGEST_WRITTEN {
        // Nothing is known.
        return vec![g.not(f.all([]))];
    }
    let mut a = vec![vec![f.zero(); n]; n];
    let places = check.pattern.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |j| (i, *j)));
    places.zip(entries).for_each(|((i, j), entry)| a[i][j] = *entry);
    let (four, least) = (f.number(4.0), f.number(LEAST_PIVOT));
    let mut holds = Vec::new();
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j) {
        holds.push(f.at_most(a[i][j].powi(2), four * (a[i][i] * a[j][j]).abs()));
    }
    let diagonal: Vec<Expr<'g>> = (0..n).map(|i| a[i][i].abs()).collect();
    for k in 0..n {
        let (above, below) = a.split_at_mut(k + 1);
        let pivot_row = &above[k];
        let pivot = f.named(pivot_row[k]);
        holds.push(f.below(least * diagonal[k], pivot.abs()));
        for row in below {
            let factor = f.named(row[k] * pivot.powi(-1));
            for (entry, pivot_entry) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                *entry = f.named(*entry - factor * *pivot_entry);
            }
        }
    }
    holds
}

/// Positions, velocities, entropies, time, and the multipliers that move; momenta where a motion starts from them.
fn inputs<'g>(system: &System<'g>) -> Vec<Expr<'g>> {
    let motion = match system.flow.is_some() {
        true => [&system.configuration()[..], &system.p].concat(),
        false => [&system.q[..], &system.v].concat(),
    };
    [&motion[..], &system.heat.s, &[system.t], &system.moving_multipliers()].concat()
}
