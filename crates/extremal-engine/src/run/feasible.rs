//! Constraints before a run: are they independent, do they agree with the start and with each other?

use extremal_expr::{Expr, magnitude, magnitudes};
use extremal_mechanics::{Block, Constraint, System};
use extremal_model::Model;
use extremal_solve::{
    CompiledScheme, Dependence, GuessSource, Kernel, March, NewtonOptions, SolveFailure, are_clearly_independent,
    dependence, furthest_first,
};
use thiserror::Error;

use super::SetupError;
use super::integrable::integrable;
use super::start::RunStart;
use crate::analyze::parameters_of;

/// What the constraints of a model amount to, found at the start of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstraintStructure {
    /// Independent velocities that the constraints leave.
    pub degrees_of_freedom: usize,
    /// How many constraints are independent.
    pub rank: usize,
    /// Constraints that follow from others, with those others. They are left out.
    pub redundant: Vec<(String, Vec<String>)>,
    /// Velocity constraints that restrict positions, alone or all together.
    pub integrable: Vec<String>,
    /// How far the start was moved to satisfy the constraints: the largest change of a position or a velocity.
    pub moved: f64,
    /// By how much the stated start missed the constraints: the largest residual relative to its terms.
    pub missed: f64,
}

/// A constraint that the start violates.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintViolation {
    /// Its name.
    pub constraint: String,
    /// Is it the position that violates it, or the velocity?
    pub of_position: bool,
    /// Left less right side.
    pub residual: f64,
    /// The size of its terms.
    pub size: f64,
}

/// What vanishes along every motion of a singular Lagrangian, and does not at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct ManifoldViolation {
    /// What should vanish.
    pub constraint: String,
    /// What it is.
    pub residual: f64,
    /// The size of its terms.
    pub size: f64,
}

/// Constraints that do not fit the start or each other.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ConstraintError {
    /// The start is not on the constraints.
    #[error("the start violates its constraints: {}; correct it, or let `project` find the nearest start that fits", listed(.0))]
    Inconsistent(Vec<ConstraintViolation>),
    /// The start of a singular Lagrangian has no motion.
    #[error(
        "the Lagrangian is singular, and no motion goes through the start: {}; correct it, or let `project` find the nearest start \
         that fits",
        unmet(.0)
    )]
    OffManifold(Vec<ManifoldViolation>),
    /// The second position of a start from two does not follow from the first.
    #[error(
        "the second positions violate the constraints: a step from the first ones leads to `{coordinate}` = {reached}, not \
         {stated}"
    )]
    SecondNotReached {
        /// The coordinate that is furthest off.
        coordinate: String,
        /// Its second position.
        stated: f64,
        /// Where the step leads.
        reached: f64,
    },
    /// The first positions of a motion over three points do not satisfy a constraint.
    #[error("the points {first}, {} and {} violate `{constraint}`: it is off by {residual:.3e}", first + 1, first + 2)]
    PointsViolate {
        /// The constraint.
        constraint: String,
        /// The first of the three points, counted from 1.
        first: usize,
        /// Left less right side.
        residual: f64,
    },
    /// No start satisfies both.
    #[error("`{constraint}` contradicts {}: where the others hold, it is off by {residual:.3e}", quoted(.others))]
    Contradictory {
        /// The constraint.
        constraint: String,
        /// Those that exclude it.
        others: Vec<String>,
        /// How far it is from holding.
        residual: f64,
    },
    /// Two that agree at the start, at its time, and nowhere else.
    #[error("`{constraint}` contradicts {}: they agree at the start and nowhere else", quoted(.others))]
    OnlyAtStart {
        /// The constraint.
        constraint: String,
        /// Those that exclude it.
        others: Vec<String>,
    },
    /// The constraints are dependent at the start and only there.
    #[error(
        "the start is a singular configuration: `{constraint}` and {} are dependent there, but not nearby, and do not determine \
         the motion; start elsewhere",
        quoted(.others)
    )]
    SingularStart {
        /// The constraint.
        constraint: String,
        /// Those it depends on there.
        others: Vec<String>,
    },
    /// A constraint whose gradient vanishes.
    #[error(
        "`{constraint}` restricts no velocity at the start, because its derivatives vanish there: write it so that they do not \
         (`x = 0` instead of `x^2 = 0`)"
    )]
    Vanishing {
        /// The constraint.
        constraint: String,
    },
    /// An equation of state with which the constraint algorithm does not end with one motion.
    #[error(
        "`{constraint}` binds entropies, and it was not found that the equations have one motion with it: `analyze` shows how far the \
         constraint algorithm gets"
    )]
    NoStates {
        /// The constraint.
        constraint: String,
    },
    /// Vakonomic constraints of which one follows from the others.
    #[error("`{constraint}` follows from {}: vakonomic constraints must be independent", quoted(.others))]
    DependentVakonomic {
        /// The constraint.
        constraint: String,
        /// Those it depends on.
        others: Vec<String>,
    },
    /// The nearest start was not found.
    #[error("no start that satisfies the constraints was found near the stated one: {0}")]
    NotProjected(SolveFailure),
}

fn listed(violations: &[ConstraintViolation]) -> String {
    let one = |v: &ConstraintViolation| {
        let what = if v.of_position { "positions" } else { "velocities" };
        format!("`{}` is off by {:.3e} ({what})", v.constraint, v.residual)
    };
    violations.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn unmet(violations: &[ManifoldViolation]) -> String {
    let one = |v: &ManifoldViolation| format!("`{}` is {:.3e} instead of 0", v.constraint, v.residual);
    violations.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A start is consistent when its residuals are below this part of their terms: what a computation leaves.
pub(crate) const CONSISTENT: f64 = 1e-10;
/// A start whose residuals are below this part of their terms was meant to be consistent, and printed with eight digits or more: it is
/// moved onto the constraints without being asked.
pub(crate) const TYPED: f64 = 1e-8;
/// Second positions are reached when a step from the first ones comes this close, relative to one plus their size.
const REACHED: f64 = 1e-8;
/// Relative size of the displacement, also in time, by which redundancy is told from a singular configuration or a contradiction, and
/// the residual, relative to its terms, below which a constraint still holds there.
const NEARBY: f64 = 1e-3;
const STILL_HOLDS: f64 = 1e-9;

/// Beyond so many constraints, of which some seem to depend on others, their rank, which takes m² n operations, is left to the first step,
/// which fails where they are dependent.
const MOST_CHECKED: usize = 500;

/// Which of dependent constraints are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Choice {
    /// The first ones.
    First,
    /// Those furthest from depending on each other at the start.
    Furthest,
}

impl Choice {
    fn of(self, rows: &[Vec<f64>]) -> Dependence {
        match self {
            Choice::First => dependence(rows),
            Choice::Furthest => {
                let order = furthest_first(rows);
                let ordered: Vec<Vec<f64>> = order.iter().map(|at| rows[*at].clone()).collect();
                let mut found = dependence(&ordered);
                found.independent.iter_mut().for_each(|at| *at = order[*at]);
                found.independent.sort_unstable();
                for (at, others) in &mut found.dependent {
                    *at = order[*at];
                    others.iter_mut().for_each(|other| *other = order[*other]);
                    others.sort_unstable();
                }
                found.dependent.sort_unstable();
                found
            }
        }
    }
}

/// Checks the constraints of `system` at `start` and leaves the independent ones. With `project`, the start is moved first.
pub(crate) fn make_feasible(
    model: &Model,
    system: &mut System<'_>,
    start: &mut RunStart,
    choice: Choice,
    project: bool,
) -> Result<ConstraintStructure, SetupError> {
    if system.constraints.is_empty() {
        return Ok(ConstraintStructure { degrees_of_freedom: system.len(), ..ConstraintStructure::default() });
    }
    let count = system.constraints.len();
    let found = match count > MOST_CHECKED || clearly_independent(system, start) {
        false => choice.of(&velocity_rows(system, start)),
        true => Dependence { independent: (0..count).collect(), dependent: Vec::new() },
    };
    let name = |at: &usize| system.constraints[*at].name.clone();
    let dependent: Vec<(usize, Vec<String>)> =
        found.dependent.iter().map(|(at, others)| (*at, others.iter().map(name).collect())).collect();
    for (at, others) in &dependent {
        let constraint = name(at);
        if system.constraints[*at].is_state_equation(system) {
            return Err(ConstraintError::NoStates { constraint }.into());
        }
        if others.is_empty() {
            return Err(ConstraintError::Vanishing { constraint }.into());
        }
        if !system.constraints[*at].kind.nature().reacts {
            return Err(ConstraintError::DependentVakonomic { constraint, others: others.clone() }.into());
        }
    }
    let mut kept = system.clone();
    kept.constraints = found.independent.iter().map(|at| system.constraints[*at].clone()).collect();
    let mut moved = 0.0;
    let violated = violations(system, start, &system.constraints);
    let missed = violated.iter().map(|violation| violation.residual.abs() / violation.size).fold(0.0, f64::max);
    let typed = missed <= TYPED;
    if !violated.is_empty() {
        let mut nearest = start.clone();
        let reached = projected(model, &kept, &mut nearest);
        if reached.is_ok() {
            for (at, others) in &dependent {
                let left = violations(system, &nearest, &system.constraints[*at..=*at]);
                if let Some(violation) = left.first() {
                    let (constraint, residual) = (name(at), violation.residual);
                    return Err(ConstraintError::Contradictory { constraint, others: others.clone(), residual }.into());
                }
            }
        }
        if !project && !typed {
            return Err(ConstraintError::Inconsistent(violated).into());
        }
        reached?;
        let numbers = |at: &RunStart| [at.point(), at.values.second.clone()].concat();
        let changes = numbers(start).into_iter().zip(numbers(&nearest)).map(|(a, b)| (a - b).abs());
        moved = changes.fold(0.0, f64::max);
        *start = nearest;
    }
    let mut dependent = dependent;
    for (at, others) in &mut dependent {
        let constraint = name(at);
        match around(model, system, &kept, start, *at) {
            Around::Follows(found) if found.is_empty() => {}
            Around::Follows(found) => {
                *others = found.iter().map(|other| kept.constraints[*other].name.clone()).collect()
            }
            Around::Independent => {
                return Err(ConstraintError::SingularStart { constraint, others: others.clone() }.into());
            }
            Around::Contradicts => {
                return Err(ConstraintError::OnlyAtStart { constraint, others: others.clone() }.into());
            }
        }
    }
    let structure = ConstraintStructure {
        degrees_of_freedom: system.len().saturating_sub(found.independent.len()),
        rank: found.independent.len(),
        redundant: dependent.iter().map(|(at, others)| (name(at), others.clone())).collect(),
        integrable: integrable(&kept, &parameters_of(model).exact),
        moved,
        missed,
    };
    *system = kept;
    Ok(structure)
}

/// Refuses second positions to which no step leads, because a constraint on velocities excludes them. A start or a step that
/// fails is left to the run, which says why.
pub(crate) fn check_second(
    system: &System<'_>,
    start: &RunStart,
    scheme: &CompiledScheme,
) -> Result<(), ConstraintError> {
    let second = &start.values.second;
    if system.constraints.is_empty() || second.is_empty() {
        return Ok(());
    }
    let Ok(mut motion) = scheme.start(&start.values, start.second_time) else { return Ok(()) };
    if motion.advance().is_err() {
        return Ok(());
    }
    let off = |k: usize| (motion.state()[k] - second[k]).abs() / (1.0 + second[k].abs());
    let worst = (0..system.len()).max_by(|a, b| off(*a).total_cmp(&off(*b)));
    match worst.filter(|k| off(*k) > REACHED) {
        Some(k) => Err(ConstraintError::SecondNotReached {
            coordinate: system.names[k].clone(),
            stated: second[k],
            reached: motion.state()[k],
        }),
        None => Ok(()),
    }
}

/// The rows ∂Φ/∂v of all constraints.
fn velocity_rows(system: &System<'_>, at: &RunStart) -> Vec<Vec<f64>> {
    let n = system.len();
    let entries: Vec<_> =
        system.constraints.iter().flat_map(|c| system.graph.gradient(c.velocity, &system.v)).collect();
    at.evaluate(system, &entries).chunks(n).map(<[f64]>::to_vec).collect()
}

/// Is every row ∂Φ/∂v far from the span of the others, going by the few columns that it has entries in?
fn clearly_independent(system: &System<'_>, at: &RunStart) -> bool {
    let velocities: Vec<_> = system.constraints.iter().map(|constraint| constraint.velocity).collect();
    let rows = system.graph.jacobian(&velocities, &system.v);
    let entries: Vec<_> = rows.iter().flatten().map(|(_, entry)| *entry).collect();
    let pattern: Vec<Vec<usize>> = rows.iter().map(|row| row.iter().map(|(column, _)| *column).collect()).collect();
    are_clearly_independent(&pattern, &at.evaluate(system, &entries))
}

/// The row ∂Φ/∂v of one constraint.
fn velocity_row<'g>(system: &System<'g>, constraint: &Constraint<'g>, at: &RunStart) -> Vec<f64> {
    at.evaluate(system, &system.graph.gradient(constraint.velocity, &system.v))
}

/// What of `constraints` does not hold at `start`, relative to the size of its terms. Velocities do not count where the start is
/// two positions, which then must both be right.
fn violations<'g>(system: &System<'g>, start: &RunStart, constraints: &[Constraint<'g>]) -> Vec<ConstraintViolation> {
    let second = start.second();
    let mut checks = Vec::new();
    for (at, constraint) in constraints.iter().enumerate() {
        if constraint.kind.nature().binds_positions {
            let residual = constraint.expression;
            checks.push(StartCheckRow { at, residual, of_position: true, of_second: false });
            if second.is_some() {
                checks.push(StartCheckRow { at, residual, of_position: true, of_second: true });
            }
        }
        if second.is_none() {
            checks.push(StartCheckRow { at, residual: constraint.velocity, of_position: false, of_second: false });
        }
    }
    let residuals: Vec<_> = checks.iter().map(|check| check.residual).collect();
    let both = [&residuals[..], &sizes_of_terms(system, &residuals)].concat();
    // All at once: of many constraints each is about a few of many symbols.
    let values = start.evaluate(system, &both);
    let at_second = second.map_or_else(Vec::new, |second| second.evaluate(system, &both));
    let found = checks.iter().enumerate().filter_map(|(row, check)| {
        let values = if check.of_second { &at_second } else { &values };
        let (residual, size) = (values[row], values[checks.len() + row]);
        let constraint = constraints[check.at].name.clone();
        let violated = residual.abs() > CONSISTENT * size || !residual.is_finite();
        violated.then_some(ConstraintViolation { constraint, of_position: check.of_position, residual, size })
    });
    found.collect()
}

/// What should vanish at a start.
struct StartCheckRow<'g> {
    /// The constraint.
    at: usize,
    residual: Expr<'g>,
    /// Is it about positions? About those of the second point?
    of_position: bool,
    of_second: bool,
}

/// The size of the terms of a constraint. Where those on velocities vanish, as that of y' = 0, what a computation leaves is the round-off of
/// the other velocities: fifteen units of it times [`CONSISTENT`].
pub(crate) fn size_of_terms<'g>(system: &System<'g>, residual: Expr<'g>) -> Expr<'g> {
    sizes_of_terms(system, &[residual])[0]
}

/// The same of many.
fn sizes_of_terms<'g>(system: &System<'g>, residuals: &[Expr<'g>]) -> Vec<Expr<'g>> {
    const ROUND_OFF: i64 = 30_000;
    let g = system.graph;
    let fast = g.sum(system.v.iter().map(|v| v.abs()));
    let rows = g.jacobian(residuals, &system.v);
    let rows = rows.into_iter().map(|row| g.sum(row.into_iter().map(|(_, slope)| slope.abs())));
    magnitudes(residuals).into_iter().zip(rows).map(|(size, row)| size + row * fast / ROUND_OFF).collect()
}

/// Moves `start` to the nearest positions, then to the nearest velocities, that satisfy the constraints of `system`, (B13).
fn projected(model: &Model, system: &System<'_>, start: &mut RunStart) -> Result<(), SetupError> {
    let parameters: Vec<_> = model.parameters().iter().map(|p| p.symbol).collect();
    let values = model.parameter_values();
    let run = |block: &Block, point: &[f64], out: &mut [f64]| -> Result<(), SetupError> {
        let mut kernel = Kernel::compile(system.graph, &parameters, block, NewtonOptions::default())?;
        kernel.set_parameters(&values);
        kernel.run(point, GuessSource::Formula, out).map_err(ConstraintError::NotProjected)?;
        Ok(())
    };
    let point = start.point();
    run(&system.position_projection(), &point, &mut start.values.q)?;
    if let Some(second) = start.second() {
        run(&system.position_projection(), &second.point(), &mut start.values.second)?;
    }
    let point = start.point();
    run(&system.velocity_projection(), &point, &mut start.values.v)
}

/// What a constraint that depends on those kept at the start is around it.
enum Around {
    /// It holds wherever the others do; with the others, by their places, that take part in that.
    Follows(Vec<usize>),
    /// It depends on the others at the start only.
    Independent,
    /// It depends on the others, and does not hold where they do.
    Contradicts,
}

/// Looks at the constraint `at` at points on those kept, at other positions, velocities and times than those of the start.
fn around(model: &Model, system: &System<'_>, kept: &System<'_>, start: &RunStart, at: usize) -> Around {
    let constraint = &system.constraints[at];
    let mut partners = Vec::new();
    for sample in 0..2 {
        let mut nearby = start.clone();
        let displaced = |values: &mut [f64], phase: f64| {
            for (k, value) in values.iter_mut().enumerate() {
                *value += NEARBY * (1.0 + value.abs()) * (phase + 0.9 * f64::from(sample) + 1.7 * k as f64).sin();
            }
        };
        displaced(&mut nearby.values.q, 0.4);
        displaced(&mut nearby.values.v, 1.1);
        nearby.values.time += NEARBY * (1.0 + nearby.values.time.abs()) * f64::from(1 + sample);
        if projected(model, kept, &mut nearby).is_err() {
            return Around::Independent;
        }
        let mut rows = velocity_rows(kept, &nearby);
        rows.push(velocity_row(system, constraint, &nearby));
        let found = dependence(&rows);
        let Some((_, used)) = found.dependent.iter().find(|(row, _)| *row == kept.constraints.len()) else {
            return Around::Independent;
        };
        let holds = [constraint.expression, constraint.velocity].into_iter().all(|residual| {
            let values = nearby.evaluate(system, &[residual, magnitude(residual), sensitivity(system, residual)]);
            values[0].abs() <= STILL_HOLDS * values[1].max(values[2])
        });
        if !holds {
            return Around::Contradicts;
        }
        partners.extend(used);
    }
    partners.sort_unstable();
    partners.dedup();
    Around::Follows(partners)
}

/// How much a function changes with relative changes of what it depends on: log(x² + y²) is small near the unit circle, and the
/// round-off in its argument is not.
fn sensitivity<'g>(system: &System<'g>, f: Expr<'g>) -> Expr<'g> {
    let g = system.graph;
    let symbols = [&system.q[..], &system.v, &[system.t]].concat();
    let terms = g.gradient(f, &symbols).into_iter().zip(&symbols).map(|(slope, symbol)| (slope * *symbol).abs());
    g.sum(terms)
}

/// What analysis may say of the constraints of a model: what follows from what, or that there is no motion because they contradict each
/// other. `None` where the model says too little, or its start is no place to tell.
pub(crate) fn constraints_of(
    model: &Model,
    system: &System<'_>,
) -> Option<Result<ConstraintStructure, ConstraintError>> {
    if model.without_start().is_some() || model.order() > 1 {
        return None;
    }
    let step = model.simulation().step.unwrap_or(1.0);
    let mut start = RunStart::of(model, extremal_model::Start::Legendre, step, 0.0);
    match make_feasible(model, &mut system.clone(), &mut start, Choice::First, true) {
        Ok(structure) => Some(Ok(structure)),
        Err(SetupError::Constraints(
            error @ (ConstraintError::Contradictory { .. } | ConstraintError::OnlyAtStart { .. }),
        )) => Some(Err(error)),
        Err(_) => None,
    }
}
