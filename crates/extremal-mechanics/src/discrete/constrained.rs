//! Constraints in a step: impulses of reaction at its nodes, positions and velocities that satisfy them; (B5) to (B7) of
//! docs/theory.md.
//!
//! A reacting constraint adds the impulses h b_i R(Q_i)ᵀ λ_i to the forces at the nodes, with the weights b_i of the Lobatto rule
//! through them, which is one half at both ends of a step of degree one. A holonomic constraint is satisfied at every node
//! after the first; a nonholonomic one between both ends, A(q_a)(q_1 − q_0)/h + b(q_a) = 0. The impulse at the end is left out
//! of this solve: what it has to be follows from the velocities at the end, which must satisfy the constraints too (RATTLE),
//! or is made up for by the first impulse of the next step (SHAKE). Positions are the same in both.

use extremal_expr::{Expr, Relation};

use super::scheme::Equation;
use crate::block::Solve;
use crate::{Point, System};

/// Where the nodes of a step are, in some unknowns.
pub(super) struct Nodes<'g> {
    /// Positions, per node and coordinate.
    pub positions: Vec<Vec<Expr<'g>>>,
    /// Times.
    pub times: Vec<Expr<'g>>,
    /// h b_i.
    pub weights: Vec<Expr<'g>>,
    /// Between the ends: position, difference quotient, entropies and time where nonholonomic constraints are taken.
    pub between: Point<'g>,
    /// Entropies at both ends.
    pub entropies: [Vec<Expr<'g>>; 2],
    /// What position constraints are divided by.
    pub scale: Expr<'g>,
    /// Discrete constraints of the user's own, one per constraint, which replace those above.
    pub own: Vec<Option<Expr<'g>>>,
}

/// What the reacting constraints add to the equations of a step.
pub(super) struct Imposed<'g> {
    /// Multipliers at the nodes but the last, node by node.
    pub multipliers: Vec<Expr<'g>>,
    /// As many equations.
    pub residual: Vec<Expr<'g>>,
    /// Impulses per node and coordinate; none at the last.
    pub impulses: Vec<Vec<Expr<'g>>>,
    /// The work of constraints that move, the last node excluded.
    pub work: Expr<'g>,
}

impl<'g> Nodes<'g> {
    /// A node, with the mean velocity of the step: rows that change with velocities are then the same for both directions of time.
    pub fn point(&self, node: usize) -> Point<'g> {
        let s = self.entropies[usize::from(node > 0)].clone();
        Point { q: self.positions[node].clone(), v: self.between.v.clone(), s, t: self.times[node] }
    }

    /// The constraints imposed on these nodes.
    pub fn impose(&self, system: &System<'g>) -> Imposed<'g> {
        let g = system.graph;
        let last = self.positions.len() - 1;
        let mut imposed = Imposed {
            multipliers: Vec::new(),
            residual: Vec::new(),
            impulses: vec![vec![g.int(0); system.len()]; last + 1],
            work: g.int(0),
        };
        for node in 0..last {
            let multipliers: Vec<_> =
                system.reacting().map(|constraint| system.multiplier_symbol(constraint, &place(node, last))).collect();
            imposed.impulses[node] = self.impulse(system, node, &multipliers);
            imposed.work = imposed.work + self.weights[node] * self.power(system, node, &multipliers);
            imposed.multipliers.extend(multipliers);
            let own = self.own.iter().copied().chain(std::iter::repeat(None));
            for (constraint, own) in system.constraints.iter().zip(own).filter(|(c, _)| !c.is_vakonomic()) {
                imposed.residual.push(match (own, constraint.kind.nature().binds_positions) {
                    (Some(own), _) => own,
                    (None, true) => system.at(&[constraint.expression], &self.point(node + 1))[0] / self.scale,
                    (None, false) => system.at(&[constraint.expression], &self.between)[0],
                });
            }
        }
        imposed
    }

    /// The constraints of the step backwards: those on positions at the nodes but the last.
    pub fn backward(&self, system: &System<'g>) -> Vec<Expr<'g>> {
        let own = || self.own.iter().copied().chain(std::iter::repeat(None));
        let at_node = |node: usize| {
            let reacting = system.constraints.iter().zip(own()).filter(|(constraint, _)| !constraint.is_vakonomic());
            reacting.map(move |(constraint, own)| match (own, constraint.kind.nature().binds_positions) {
                (Some(own), _) => own,
                (None, true) => system.at(&[constraint.expression], &self.point(node))[0],
                (None, false) => system.at(&[constraint.expression], &self.between)[0],
            })
        };
        (0..self.positions.len() - 1).flat_map(at_node).collect()
    }

    /// The impulse h b_i R(Q_i)ᵀ λ_i on each coordinate.
    pub fn impulse(&self, system: &System<'g>, node: usize, multipliers: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let forces = system.reactions_at(&self.point(node), multipliers);
        forces.into_iter().map(|force| self.weights[node] * force).collect()
    }

    /// The power of constraints that move.
    pub fn power(&self, system: &System<'g>, node: usize, multipliers: &[Expr<'g>]) -> Expr<'g> {
        let powers: Vec<_> = system.reacting().map(|constraint| constraint.power).collect();
        system.graph.dot(&system.at(&powers, &self.point(node)), multipliers)
    }

    /// What is printed: the constraints of a step, and those that velocities and momenta satisfy at its end.
    pub fn equations(&self, system: &System<'g>) -> Vec<Equation> {
        let (g, last) = (system.graph, self.positions.len() - 1);
        let zero = g.int(0);
        let mut equations = Vec::new();
        let names: Vec<_> = system.reacting().map(|constraint| &constraint.name).collect();
        for (at, row) in self.impose(system).residual.into_iter().enumerate() {
            let label = format!("{} in the step", names[at % names.len()]);
            equations.push(Equation::new(label, zero, row));
        }
        if names.is_empty() {
            return equations;
        }
        let v = system.symbols("", "_1'");
        let end = Point { v: v.clone(), ..self.point(last) };
        for (p, momentum) in system.symbols("p_", "_1").iter().zip(system.at(&system.momenta(), &end)) {
            equations.push(Equation::new("velocities at the end of the step", *p, momentum));
        }
        for (constraint, row) in system.constraints.iter().zip(system.velocity_constraints_at(&end)) {
            equations.push(Equation::new(format!("{} at the end of the step", constraint.name), zero, row));
        }
        equations
    }
}

/// How a node is called in a symbol.
pub(super) fn place(node: usize, last: usize) -> String {
    match node {
        0 => "0".to_string(),
        node if node == last => "1".to_string(),
        node => format!("c{node}"),
    }
}

/// Velocities that satisfy the constraints, and the momenta that belong to them.
pub(super) struct Velocities<'g> {
    pub solve: Solve,
    /// The given momenta with the impulse that brings them there.
    pub momenta: Vec<Expr<'g>>,
    /// The multipliers of that impulse, one per reacting constraint.
    pub impulse: Vec<Expr<'g>>,
    /// The momenta of the velocities, which are the same.
    pub slopes: Vec<Expr<'g>>,
}

/// Solves p + Rᵀμ = ∂L/∂v(q, v, S, t) and A v + b = 0 at `point`, whose velocities are the unknowns, for v, for μ, and for the
/// multipliers that move (`moving` are their symbols there). The rows R are those at `rows`.
pub(super) fn velocities<'g>(
    system: &System<'g>,
    (point, rows): (&Point<'g>, &Point<'g>),
    moving: &[Expr<'g>],
    momenta: &[Expr<'g>],
    guess: &[Expr<'g>],
) -> Velocities<'g> {
    let g = system.graph;
    let impulse: Vec<_> = system.reacting().map(|constraint| system.multiplier_symbol(constraint, "impulse")).collect();
    let reaction = system.reactions_at(rows, &impulse);
    let reached: Vec<_> = momenta.iter().zip(&reaction).map(|(p, r)| *p + *r).collect();
    let there: Vec<_> = system.moving_multipliers().into_iter().zip(moving.iter().copied()).collect();
    let slopes = system.at(&g.substitute(&system.momenta(), &there), point);
    let mut residual: Vec<_> = slopes.iter().zip(&reached).map(|(l_v, p)| *l_v - *p).collect();
    residual.extend(system.velocity_constraints_at(point));
    let multipliers = [moving, &impulse].concat();
    let unknowns = [&point.v[..], &multipliers].concat();
    let mut starts = multiplier_guesses(system, &Point { v: guess.to_vec(), ..point.clone() }, momenta);
    starts.resize(multipliers.len(), g.int(0));
    let guess = [guess, &starts].concat();
    Velocities {
        solve: Solve::new(&unknowns, &residual, &guess).by_multipliers(system),
        momenta: reached,
        impulse,
        slopes,
    }
}

/// What the multipliers that move must be about, for these momenta and the velocities of `point`: of p = ∂L/∂v + λ ∂Φ/∂v the
/// component along each ∂Φ/∂v. Where only the term with λ gives velocities a mass, zero would be a singular place to begin.
pub(super) fn multiplier_guesses<'g>(system: &System<'g>, point: &Point<'g>, momenta: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let g = system.graph;
    let zero = g.int(0);
    let switched_off: Vec<_> = system.moving_multipliers().into_iter().map(|multiplier| (multiplier, zero)).collect();
    if switched_off.is_empty() {
        return Vec::new();
    }
    let free = system.at(&g.substitute(&system.momenta(), &switched_off), point);
    let left: Vec<_> = momenta.iter().zip(free).map(|(p, free)| *p - free).collect();
    let guess = |row: Vec<Expr<'g>>| {
        let row = system.at(&row, point);
        let square = g.dot(&row, &row);
        let moves = g.compare(Relation::Lt, zero, square);
        // At rest a constraint that is quadratic in the velocities has no direction yet.
        g.dot(&row, &left) / g.select(moves, square, g.int(1))
    };
    system.vakonomic().map(|constraint| guess(g.gradient(constraint.velocity, &system.v))).collect()
}

/// Has every coordinate a mass of its own, which does not change? Then velocities follow from momenta, constraints or not.
pub(super) fn has_constant_masses(system: &System<'_>) -> bool {
    let (g, here) = (system.graph, system.here());
    let rows = g.jacobian(&system.momenta(), &system.v);
    let masses: Vec<_> = rows.iter().flatten().map(|(_, mass)| *mass).collect();
    let own = rows.iter().enumerate().all(|(k, row)| matches!(row[..], [(column, _)] if column == k));
    let changing = [&here.q[..], &here.v, &here.s, &[here.t], &system.moving_multipliers()].concat();
    own && !system.massless && !g.depend_on(&masses, &changing).contains(&true)
}
