//! The motion of a singular system, on the states that have one.

use extremal_expr::Expr;
use extremal_expr::elimination::solve_affine;

use crate::System;
use crate::analysis::{dense, generic_rank};
use crate::block::{Block, Solve};
use crate::discrete::ids;

/// Multipliers on a phase space are solved for up to this many that are coupled.
const MAX_COUPLED: usize = 6;

/// The final constraint submanifold W_f of a singular system, where the constraint algorithm ends with a unique motion: the states that
/// have one, and what it is there.
#[derive(Clone, Debug)]
pub struct FinalManifold<'g> {
    /// What vanishes on it.
    pub constraints: Vec<Expr<'g>>,
    /// Some symbols of the state by the others, which are its coordinates.
    pub chart: Vec<(Expr<'g>, Expr<'g>)>,
    /// Residuals that determine the [`motion_unknowns`](System::motion_unknowns), in the coordinates of the chart.
    pub motion: Vec<Expr<'g>>,
}

impl<'g> FinalManifold<'g> {
    /// The symbols of the state that are coordinates of the chart.
    pub fn coordinates(&self, system: &System<'g>) -> Vec<Expr<'g>> {
        let follows = |symbol: &Expr<'g>| self.chart.iter().any(|(dependent, _)| dependent == symbol);
        system.moving_state().into_iter().filter(|symbol| !follows(symbol)).collect()
    }
}

impl<'g> System<'g> {
    /// The same expressions on W_f, where the system is singular: by the coordinates of its chart.
    pub fn restricted(&self, fs: &[Expr<'g>]) -> Vec<Expr<'g>> {
        match &self.manifold {
            Some(manifold) => self.graph.substitute(fs, &manifold.chart),
            None => fs.to_vec(),
        }
    }

    /// Where a system moves whose last half of coordinates are the momenta p of the first, with the Lagrangian p·q' − H(q, p, S, t): on
    /// q' = ∂H/∂p, p' = −∂H/∂q + F + Aᵀλ, with the λ by which ∂H/∂p satisfies the constraints all the time. `None` where this is not all:
    /// with vakonomic constraints, constraints beside entropies, and forces on momenta or by their rates.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// let g = Graph::new();
    /// let [x, p, v] = ["x", "p", "x'"].map(|name| g.symbol(name));
    /// let system = System::new(&g, &["x", "p"], p * v - p.powi(4) - x.powi(2));
    /// let manifold = system.phase_space().unwrap();
    /// assert_eq!(manifold.chart, [(v, p.powi(3) * 4), (g.symbol("p'"), x * -2)]);
    /// ```
    pub fn phase_space(&self) -> Option<FinalManifold<'g>> {
        let (g, half) = (self.graph, self.len() / 2);
        let (positions, momenta) = self.q.split_at(half);
        let acting: Vec<_> =
            self.force.iter().zip(self.reactions()).map(|(force, reaction)| *force + reaction).collect();
        let (forces, on_momenta) = acting.split_at(half);
        let bound: Vec<_> = self.constraints.iter().map(|constraint| constraint.velocity).collect();
        let by_rates = g.depend_on(&[forces, &bound].concat(), &self.v[half..]).contains(&true);
        let more = !bound.is_empty() && (self.vakonomic().next().is_some() || !self.heat.is_empty());
        if by_rates || more || !self.dry.is_empty() || on_momenta.iter().any(|force| !force.is_zero()) {
            return None;
        }
        let at_rest: Vec<_> = self.v.iter().map(|v| (*v, g.int(0))).collect();
        let hamiltonian = -self.lagrangian.substitute(&at_rest);
        let velocities = g.gradient(hamiltonian, momenta);
        let moving: Vec<_> = self.v.iter().copied().zip(velocities.iter().copied()).collect();
        let pushed = g.substitute(forces, &moving);
        let slopes = g.gradient(hamiltonian, positions);
        let rates = velocities.iter().copied().chain(pushed.iter().zip(&slopes).map(|(force, slope)| *force - *slope));
        let mut chart: Vec<_> = self.v.iter().copied().zip(rates).collect();
        // The constraints on velocities by momenta, and the multipliers that keep them.
        let hidden = g.substitute(&bound, &moving);
        let multipliers: Vec<_> = self.constraints.iter().map(|constraint| constraint.multiplier).collect();
        let kept = g.substitute(&self.time_derivative(&hidden), &chart);
        let reactions = solve_affine(g, &kept, &multipliers, |group| group.len() <= MAX_COUPLED)?;
        let acted: Vec<_> = multipliers.iter().copied().zip(reactions).collect();
        chart.iter_mut().for_each(|(_, rate)| *rate = rate.substitute(&acted));
        let changes: Vec<_> = chart.iter().map(|(_, rate)| *rate).collect();
        let changes = g.substitute(&self.time_derivative(&changes), &chart);
        let mut motion: Vec<_> = self.a.iter().zip(changes).map(|(a, change)| *a - change).collect();
        motion.extend(g.substitute(&self.carried_equations(), &chart));
        motion.extend(acted.iter().map(|(multiplier, value)| *multiplier - *value));
        let on_positions = self.constraints.iter().filter(|constraint| constraint.expression != constraint.velocity);
        let mut constraints: Vec<_> = on_positions.map(|constraint| constraint.expression).collect();
        constraints.extend(hidden);
        constraints.extend(chart.iter().map(|(v, rate)| *v - *rate));
        Some(FinalManifold { constraints, chart, motion })
    }

    /// What a motion of first order is made of: positions, velocities, entropies, and the multipliers that move.
    pub fn moving_state(&self) -> Vec<Expr<'g>> {
        [&self.q[..], &self.v, &self.heat.s, &self.moving_multipliers()].concat()
    }

    /// The rates of the [`moving_state`](Self::moving_state), by accelerations and other unknowns of the motion.
    pub fn moving_rates(&self) -> Vec<Expr<'g>> {
        let rates: Vec<_> = self.vakonomic().map(|constraint| constraint.rate).collect();
        [&self.v[..], &self.a, &self.heat.rates, &rates].concat()
    }

    /// From the [`moving_state`](Self::moving_state) and t to one on W_f that differs only in the symbols for which `free` holds, along the
    /// normals: x̂ − x = (∂φ/∂x)ᵀ μ, φ(x̂) = 0, for those φ that contain one of them. `None` where the system is not singular.
    pub fn manifold_projection(&self, free: impl Fn(usize) -> bool) -> Option<Block> {
        let (g, manifold, state) = (self.graph, self.manifold.as_ref()?, self.moving_state());
        let near: Vec<_> = (0..state.len()).map(|at| self.symbol(&format!("near_{}", at + 1))).collect();
        let (given, unknown): (Vec<_>, Vec<_>) =
            state.iter().zip(&near).enumerate().filter(|(at, _)| free(*at)).map(|(_, pair)| pair).unzip();
        let there: Vec<_> = given.iter().copied().zip(unknown.iter().copied()).collect();
        let touched = independent_in(&manifold.constraints, &given);
        let rows = g.substitute(&touched, &there);
        let weights: Vec<_> = (1..=rows.len()).map(|at| self.symbol(&format!("weight_{at}"))).collect();
        let mut residual: Vec<Expr<'g>> = unknown.iter().zip(&given).map(|(near, given)| *near - *given).collect();
        for (row, weight) in g.jacobian(&touched, &given).into_iter().zip(&weights) {
            for (column, slope) in row {
                residual[column] = residual[column] - slope * *weight;
            }
        }
        residual.extend(&rows);
        let guess = [&given[..], &vec![g.int(0); weights.len()]].concat();
        let ends: Vec<_> = (0..state.len()).map(|at| if free(at) { near[at] } else { state[at] }).collect();
        Some(Block {
            inputs: ids(&[&state[..], &[self.t]].concat()),
            solves: vec![Solve::new(&[&unknown[..], &weights].concat(), &residual, &guess)],
            outputs: ids(&ends),
        })
    }
}

/// Those constraints that restrict the symbols, without the ones that follow from others as far as these symbols are concerned.
fn independent_in<'g>(constraints: &[Expr<'g>], symbols: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let mut kept: Vec<Expr<'g>> = Vec::new();
    for constraint in constraints.iter().filter(|constraint| constraint.depends_on(symbols)) {
        kept.push(*constraint);
        let slopes = dense(constraint.graph(), &kept, symbols);
        if generic_rank(constraint.graph(), &slopes, symbols.len(), &[]).is_some_and(|rank| rank < kept.len()) {
            kept.pop();
        }
    }
    kept
}
