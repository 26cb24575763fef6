//! Constraints of an energy–entropy step: (X2) to (X5) of docs/theory.md.

use extremal_expr::{Expr, Rational, Relation, magnitude};

use super::parts::QuadraticParts;
use crate::constraint::Constraint;
use crate::discrete::collocation::Collocation;
use crate::{Point, System};

/// A function of the state that a step keeps at zero, and its multiplier at every stage.
pub(super) struct BoundFunction<'g> {
    /// Its name, with what it binds.
    pub label: String,
    /// φ(q, t), or the velocity form A v + b by momenta.
    pub value: Expr<'g>,
    /// The same as it is printed.
    pub shown: Expr<'g>,
    /// What its reaction is multiplied by, per stage.
    pub multipliers: Vec<Expr<'g>>,
}

/// What the constraints of a system bind.
pub(super) struct BoundFunctions<'g> {
    /// Of holonomic constraints the positions and the momenta: they act by their gradients, as parts of the Hamiltonian.
    pub potentials: Vec<BoundFunction<'g>>,
    /// Of nonholonomic constraints the momenta: they act by reactions.
    pub kinematic: Vec<BoundFunction<'g>>,
}

impl<'g> BoundFunctions<'g> {
    /// `velocities` are those of momenta.
    pub fn of(system: &System<'g>, velocities: &[Expr<'g>], method: &Collocation<'_, 'g>) -> Self {
        let by_momenta: Vec<_> = system.v.iter().copied().zip(velocities.iter().copied()).collect();
        let mut bound = BoundFunctions { potentials: Vec::new(), kinematic: Vec::new() };
        for constraint in system.reacting() {
            let moving = constraint.velocity.substitute(&by_momenta);
            let function = |label: String, [value, shown]: [Expr<'g>; 2], prefix: &str| {
                let symbol =
                    |suffix: &str| vec![system.multiplier_symbol(constraint, &format!("{prefix}{}", &suffix[1..]))];
                BoundFunction { label, value, shown, multipliers: method.symbols(symbol).concat() }
            };
            let (name, hidden) = (constraint.name.clone(), format!("{} for momenta", constraint.name));
            if constraint.kind.nature().binds_positions {
                let by_parts = rate_by_parts(system, constraint.expression, &by_momenta);
                bound.potentials.push(function(name, [constraint.expression; 2], ""));
                bound.potentials.push(function(hidden, [by_parts, moving], "hidden_"));
            } else {
                bound.kinematic.push(function(hidden, [moving; 2], ""));
            }
        }
        bound
    }

    /// All of them: potentials first.
    pub fn all(&self) -> impl Iterator<Item = &BoundFunction<'g>> {
        self.potentials.iter().chain(&self.kinematic)
    }

    /// Reactions of nonholonomic constraints at the stages, whose rates of positions `point.v` are.
    pub fn reactions(&self, system: &System<'g>, points: &[Point<'g>], b: &[Expr<'g>]) -> Vec<StageReaction<'g>> {
        let g = system.graph;
        let mut reactions: Vec<StageReaction<'g>> = points
            .iter()
            .enumerate()
            .map(|(i, point)| {
                let working = self.along_rows(system, point, i, |constraint| !constraint.power.is_zero());
                let force = self.along_rows(system, point, i, |constraint| constraint.power.is_zero());
                StageReaction { power: g.dot(&working, &point.v), working, force }
            })
            .collect();
        let missed = g.sum(b.iter().zip(&reactions).zip(points).map(|((b, r), at)| *b * g.dot(&r.force, &at.v)));
        if missed.is_zero() {
            reactions.iter_mut().for_each(StageReaction::gather);
            return reactions;
        }
        let pushes: Vec<_> = points.iter().map(|point| momentum_of_motion(system, point)).collect();
        let carried = g.sum(b.iter().zip(&pushes).zip(points).map(|((b, push), at)| *b * g.dot(push, &at.v)));
        let share = quotient_above(missed, carried, magnitude(missed));
        for (reaction, push) in reactions.iter_mut().zip(&pushes) {
            reaction.force.iter_mut().zip(push).for_each(|(force, push)| *force = *force - share * *push);
            reaction.gather();
        }
        reactions
    }

    /// The forces λ_i R(u_i) of the nonholonomic constraints that are asked for.
    pub fn along_rows(
        &self,
        system: &System<'g>,
        point: &Point<'g>,
        stage: usize,
        asked: impl Fn(&Constraint<'g>) -> bool,
    ) -> Vec<Expr<'g>> {
        let mut kinematic = self.kinematic.iter();
        let multiplier = |constraint: &Constraint<'g>| match constraint.kind.nature().binds_positions {
            true => None,
            false => kinematic.next().map(|function| function.multipliers[stage]).filter(|_| asked(constraint)),
        };
        let multipliers: Vec<_> =
            system.reacting().map(multiplier).map(|found| found.unwrap_or(system.graph.int(0))).collect();
        system.reactions_at(point, &multipliers)
    }
}

/// dφ/dt as Σ ∂φ/∂π_k dπ_k/dt by the quadratic parts π of φ, whose rates then are pieces as well, with the symmetries that π has.
fn rate_by_parts<'g>(system: &System<'g>, phi: Expr<'g>, by_momenta: &[(Expr<'g>, Expr<'g>)]) -> Expr<'g> {
    let g = system.graph;
    let taken = QuadraticParts::of(system, &[phi], &[&system.q[..], &[system.t]].concat());
    let back: Vec<_> = taken.symbols.iter().copied().zip(taken.parts.iter().copied()).collect();
    let slopes = g.substitute(&g.gradient(taken.functions[0], &taken.symbols), &back);
    let rates = g.substitute(&system.time_derivative(&taken.parts), by_momenta);
    g.sum(slopes.into_iter().zip(rates).map(|(slope, rate)| slope * rate.grouped()))
}

/// What nonholonomic constraints do at a stage.
pub(super) struct StageReaction<'g> {
    /// The force on each coordinate.
    pub force: Vec<Expr<'g>>,
    /// The power of those whose virtual displacements are not those of the motion.
    pub power: Expr<'g>,
    working: Vec<Expr<'g>>,
}

impl StageReaction<'_> {
    /// Adds the forces that work to those that do not.
    fn gather(&mut self) {
        self.force.iter_mut().zip(&self.working).for_each(|(force, working)| *force = *force + *working);
    }
}

/// M(q) v.
fn momentum_of_motion<'g>(system: &System<'g>, point: &Point<'g>) -> Vec<Expr<'g>> {
    let g = system.graph;
    let rows = system.mass_matrix();
    let sums: Vec<_> = rows.iter().map(|row| g.sum(row.iter().map(|(k, mass)| *mass * system.v[*k]))).collect();
    system.at(&sums, point)
}

/// `defect / by`, or zero where the defect is the round-off of terms of this size: nothing is then divided by what vanishes at rest.
pub(super) fn quotient_above<'g>(defect: Expr<'g>, by: Expr<'g>, size: Expr<'g>) -> Expr<'g> {
    let g = defect.graph();
    // Sixty-four ulp of the terms that were added up.
    let threshold = g.rational(Rational::new(1, 1 << 46).unwrap_or(Rational::ZERO));
    // Terms that have lost digits to underflow have a defect of nothing but that.
    let underflow = g.float(f64::MIN_POSITIVE / f64::EPSILON).unwrap_or(g.int(0));
    let noise = threshold * size + underflow;
    g.select(g.compare(Relation::Lt, noise, defect.abs()), defect / by, g.int(0))
}
