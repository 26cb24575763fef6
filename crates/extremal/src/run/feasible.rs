//! Constraints before a run: are they independent, do they agree with the start and with each other?

use extremal_expr::{Expr, magnitude};
use extremal_mechanics::{Block, Constraint, System};
use extremal_model::{ConstraintKind, Model};
use extremal_solve::{Guess, Kernel, NewtonOptions, SolveFailure, dependence};
use thiserror::Error;

use super::SetupError;
use super::beginning::{Beginning, ids};

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
}

/// A constraint that the start violates.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Its name.
    pub constraint: String,
    /// Is it the position that violates it, or the velocity?
    pub of_position: bool,
    /// Left less right side.
    pub residual: f64,
}

/// Constraints that do not fit the start or each other.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ConstraintError {
    /// The start is not on the constraints.
    #[error("the start violates its constraints: {}; correct it, or let `--project` find the nearest start that fits", listed(.0))]
    Inconsistent(Vec<Violation>),
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

fn listed(violations: &[Violation]) -> String {
    let one = |v: &Violation| {
        let what = if v.of_position { "positions" } else { "velocities" };
        format!("`{}` is off by {:.3e} ({what})", v.constraint, v.residual)
    };
    violations.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A start is consistent when its residuals are below this part of their terms: digits that a user types or computes.
pub(crate) const CONSISTENT: f64 = 1e-10;
/// Relative size of the displacement by which redundancy is told from a singular configuration, and the residual, relative to
/// its terms, below which a constraint still holds there. At a singular configuration it grows like the square of the displacement.
const NEARBY: f64 = 1e-3;
const STILL_HOLDS: f64 = 1e-9;

/// Checks the constraints of `system` at `start` and leaves the independent ones. With `project`, the start is moved first.
pub(crate) fn make_feasible(
    model: &Model,
    system: &mut System<'_>,
    start: &mut Beginning,
    project: bool,
) -> Result<ConstraintStructure, SetupError> {
    if system.constraints.is_empty() {
        return Ok(ConstraintStructure { degrees_of_freedom: system.len(), ..ConstraintStructure::default() });
    }
    let found = dependence(&velocity_rows(system, start));
    let name = |at: &usize| system.constraints[*at].name.clone();
    let dependent: Vec<(usize, Vec<String>)> =
        found.dependent.iter().map(|(at, others)| (*at, others.iter().map(name).collect())).collect();
    for (at, others) in &dependent {
        let constraint = name(at);
        if others.is_empty() {
            return Err(ConstraintError::Vanishing { constraint }.into());
        }
        if system.constraints[*at].is_vakonomic() {
            return Err(ConstraintError::DependentVakonomic { constraint, others: others.clone() }.into());
        }
    }
    let mut kept = system.clone();
    kept.constraints = found.independent.iter().map(|at| system.constraints[*at].clone()).collect();
    let mut moved = 0.0;
    let violated = violations(system, start, &system.constraints);
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
        if !project {
            return Err(ConstraintError::Inconsistent(violated).into());
        }
        reached?;
        let changes = start.point().into_iter().zip(nearest.point()).map(|(a, b)| (a - b).abs());
        moved = changes.fold(0.0, f64::max);
        *start = nearest;
    }
    if let Some((at, others)) = dependent.iter().find(|(at, _)| !holds_nearby(model, system, &kept, start, *at)) {
        return Err(ConstraintError::SingularStart { constraint: name(at), others: others.clone() }.into());
    }
    let structure = ConstraintStructure {
        degrees_of_freedom: system.len() - found.independent.len(),
        rank: found.independent.len(),
        redundant: dependent.iter().map(|(at, others)| (name(at), others.clone())).collect(),
        integrable: integrable(&kept, start),
        moved,
    };
    *system = kept;
    Ok(structure)
}

/// The rows ∂Φ/∂v of all constraints.
fn velocity_rows(system: &System<'_>, at: &Beginning) -> Vec<Vec<f64>> {
    let n = system.len();
    let entries: Vec<_> =
        system.constraints.iter().flat_map(|c| system.graph.gradient(c.velocity, &system.v)).collect();
    at.evaluate(system, &entries).chunks(n).map(<[f64]>::to_vec).collect()
}

/// What of `constraints` does not hold at `start`, relative to the size of its terms.
fn violations<'g>(system: &System<'g>, start: &Beginning, constraints: &[Constraint<'g>]) -> Vec<Violation> {
    let mut found = Vec::new();
    for constraint in constraints {
        let positions = (constraint.kind == ConstraintKind::Holonomic).then_some((constraint.expression, true));
        for (residual, of_position) in positions.into_iter().chain([(constraint.velocity, false)]) {
            let values = start.evaluate(system, &[residual, magnitude(residual)]);
            if values[0].abs() > CONSISTENT * values[1] || !values[0].is_finite() {
                found.push(Violation { constraint: constraint.name.clone(), of_position, residual: values[0] });
            }
        }
    }
    found
}

/// Moves `start` to the nearest positions, then to the nearest velocities, that satisfy the constraints of `system`.
fn projected(model: &Model, system: &System<'_>, start: &mut Beginning) -> Result<(), SetupError> {
    let parameters: Vec<_> = model.parameters().iter().map(|p| p.symbol).collect();
    let values = model.parameter_values();
    let run = |block: &Block, point: &[f64], out: &mut [f64]| -> Result<(), SetupError> {
        let mut kernel = Kernel::compile(system.graph, &parameters, block, NewtonOptions::default())?;
        kernel.set_parameters(&values);
        kernel.run(point, Guess::Formula, out).map_err(ConstraintError::NotProjected)?;
        Ok(())
    };
    let point = start.point();
    run(&system.position_projection(), &point, &mut start.values.q)?;
    let point = start.point();
    run(&system.velocity_projection(), &point, &mut start.values.v)
}

/// Does the constraint `at` also hold at another point of the constraints that were kept?
fn holds_nearby(model: &Model, system: &System<'_>, kept: &System<'_>, start: &Beginning, at: usize) -> bool {
    let mut nearby = start.clone();
    let displaced = |values: &mut [f64], phase: f64| {
        for (k, value) in values.iter_mut().enumerate() {
            *value += NEARBY * (1.0 + value.abs()) * (phase + 1.7 * k as f64).sin();
        }
    };
    displaced(&mut nearby.values.q, 0.4);
    displaced(&mut nearby.values.v, 1.1);
    if projected(model, kept, &mut nearby).is_err() {
        return false;
    }
    let constraint = &system.constraints[at];
    [constraint.expression, constraint.velocity].into_iter().all(|residual| {
        let values = nearby.evaluate(system, &[residual, magnitude(residual)]);
        values[0].abs() <= STILL_HOLDS * values[1]
    })
}

/// Frobenius' condition, at points around the start: dω(X, Y) = 0 for all directions X, Y that the constraints allow.
fn integrable(system: &System<'_>, start: &Beginning) -> Vec<String> {
    let velocity = |c: &Constraint<'_>| c.kind != ConstraintKind::Holonomic;
    if !system.constraints.iter().any(velocity) {
        return Vec::new();
    }
    let Some(forms) = system.pfaffian_forms() else { return Vec::new() };
    let width = system.len() + 1;
    let mut every: Vec<bool> = vec![true; forms.len()];
    let entries: Vec<Expr<'_>> =
        forms.iter().flat_map(|form| form.row.iter().chain(form.slopes.iter().flatten()).copied()).collect();
    for sample in 0..3 {
        let mut point = start.clone();
        for (k, q) in point.values.q.iter_mut().enumerate() {
            *q += 0.1 * (1.0 + q.abs()) * (0.3 + 2.1 * k as f64 + 1.3 * f64::from(sample)).sin();
        }
        point.values.time += 0.17 * f64::from(sample);
        let values = point.evaluate(system, &entries);
        let forms: Vec<(&[f64], &[f64])> =
            values.chunks(width * (width + 1)).map(|form| form.split_at(width)).collect();
        let directions = allowed(&forms.iter().map(|(row, _)| row.to_vec()).collect::<Vec<_>>(), width);
        for (flag, (_, slopes)) in every.iter_mut().zip(&forms) {
            let size = slopes.iter().fold(1e-300f64, |m, s| m.max(s.abs()));
            let curl = |x: &[f64], y: &[f64]| -> f64 {
                let pairs = (0..width).flat_map(|i| (0..width).map(move |j| (i, j)));
                pairs.map(|(i, j)| (slopes[width * i + j] - slopes[width * j + i]) * x[j] * y[i]).sum()
            };
            *flag &= directions.iter().all(|x| directions.iter().all(|y| curl(x, y).abs() <= 1e-9 * size));
        }
    }
    let named = system.constraints.iter().zip(every).filter(|(c, holds)| velocity(c) && *holds);
    let names: Vec<String> = named.map(|(constraint, _)| constraint.name.clone()).collect();
    // Some of several are not yet integrable by themselves: only all together.
    let all = system.constraints.iter().filter(|c| velocity(c)).count();
    if names.len() == all { names } else { Vec::new() }
}

/// An orthonormal basis of the directions that all rows annihilate.
fn allowed(rows: &[Vec<f64>], width: usize) -> Vec<Vec<f64>> {
    let unit = |k: usize| (0..width).map(|i| if i == k { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut free = Vec::new();
    for (at, mut vector) in rows.iter().cloned().chain((0..width).map(unit)).enumerate() {
        let scale = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        for _ in 0..2 {
            for known in &basis {
                let part: f64 = vector.iter().zip(known).map(|(a, b)| a * b).sum();
                vector.iter_mut().zip(known).for_each(|(a, b)| *a -= part * b);
            }
        }
        let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length <= 1e-9 * scale {
            continue;
        }
        vector.iter_mut().for_each(|x| *x /= length);
        if at >= rows.len() {
            free.push(vector.clone());
        }
        basis.push(vector);
    }
    free
}

/// The expressions that a run watches: of each constraint the residual, and the rows of those that are kept.
pub(crate) struct Watched {
    /// Left less right sides, positions for holonomic constraints, else velocities.
    pub residuals: Vec<extremal_expr::Id>,
    /// ∂Φ/∂v of the kept constraints, row by row.
    pub rows: Vec<extremal_expr::Id>,
}

impl Watched {
    pub fn of<'g>(all: &[Constraint<'g>], kept: &System<'g>) -> Watched {
        let residuals: Vec<_> = all.iter().map(|constraint| constraint.expression).collect();
        let rows: Vec<_> = match kept.constraints.len() {
            // A single row can only vanish, which the step itself notices.
            2..=MOST_WATCHED => {
                kept.constraints.iter().flat_map(|c| kept.graph.gradient(c.velocity, &kept.v)).collect()
            }
            _ => Vec::new(),
        };
        Watched { residuals: ids(&residuals), rows: ids(&rows) }
    }
}

/// Beyond so many constraints the watch over their rank, which takes m² n operations at every step, would cost more than the step.
const MOST_WATCHED: usize = 32;
