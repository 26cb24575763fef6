//! Equations of motion of any order, as residuals between a state and the highest derivatives.

use extremal_expr::{Expr, Graph};

use crate::System;

/// A system of differential equations, linear in the highest derivative of each variable.
#[derive(Clone)]
pub struct Jets<'g> {
    /// Where the expressions live.
    pub graph: &'g Graph,
    /// Time.
    pub time: Expr<'g>,
    /// Of each variable the symbols of its derivatives, from itself to the highest one, which the equations determine. A variable
    /// with a single symbol, such as the multiplier of a reaction, is no part of the state.
    pub variables: Vec<Vec<Expr<'g>>>,
    /// Residuals that vanish along the motion. Some may contain no highest derivative: they are constraints on the state.
    pub equations: Vec<Expr<'g>>,
}

impl<'g> Jets<'g> {
    /// The motion of a system, its constraints as they are stated.
    pub fn of(system: &System<'g>) -> Jets<'g> {
        let reactions = system.reactions();
        let mut equations: Vec<Expr<'g>> =
            system.euler_lagrange().iter().zip(&reactions).map(|(row, reaction)| *row - *reaction).collect();
        equations.extend(system.carried_equations());
        equations.extend(system.constraints.iter().map(|constraint| constraint.expression));
        let motion = (0..system.len()).map(|k| vec![system.q[k], system.v[k], system.a[k]]);
        let heat = system.heat.s.iter().zip(&system.heat.rates).map(|(s, rate)| vec![*s, *rate]);
        let multipliers = system.constraints.iter().map(|constraint| match constraint.is_vakonomic() {
            true => vec![constraint.multiplier, constraint.rate],
            false => vec![constraint.multiplier],
        });
        let variables = motion.chain(heat).chain(multipliers).collect();
        Jets { graph: system.graph, time: system.t, variables, equations }
    }

    /// The Euler–Lagrange equations `Σ (−d/dt)^l ∂L/∂q^(l) = 0` of a Lagrangian of order `k` with multipliers:
    /// `coordinates` lists of each coordinate `q, q', …, q^(2k)`, `multipliers` of each `λ, …, λ^(k)`, and the Lagrangian contains
    /// the constraints of the multipliers already, as `L + λΦ`.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::analysis::Jets;
    /// let g = Graph::new();
    /// let q: Vec<_> = ["q", "q'", "q''", "q'''", "q''''"].map(|name| g.symbol(name)).to_vec();
    /// let beam = Jets::higher_order(g.symbol("t"), vec![q.clone()], Vec::new(), q[2].powi(2) / 2 - q[0]);
    /// assert_eq!(beam.equations, [q[4] - 1]);
    /// ```
    pub fn higher_order(
        time: Expr<'g>,
        coordinates: Vec<Vec<Expr<'g>>>,
        multipliers: Vec<Vec<Expr<'g>>>,
        lagrangian: Expr<'g>,
    ) -> Jets<'g> {
        let g = lagrangian.graph();
        let mut jets = Jets {
            graph: g,
            time,
            variables: [coordinates.clone(), multipliers.clone()].concat(),
            equations: Vec::new(),
        };
        for symbols in &coordinates {
            let order = symbols.len() / 2;
            let mut sum = g.int(0);
            for l in (0..=order).rev() {
                sum = g.gradient(lagrangian, &[symbols[l]])[0] - jets.time_derivative(sum);
            }
            jets.equations.push(sum);
        }
        jets.equations.extend(multipliers.iter().map(|symbols| g.gradient(lagrangian, &[symbols[0]])[0]));
        jets
    }

    /// The symbols of the state.
    pub fn state(&self) -> Vec<Expr<'g>> {
        self.variables.iter().flat_map(|symbols| &symbols[..symbols.len() - 1]).copied().collect()
    }

    /// The highest derivatives.
    pub fn tops(&self) -> Vec<Expr<'g>> {
        self.variables.iter().filter_map(|symbols| symbols.last()).copied().collect()
    }

    /// The total time derivative of a function of the state.
    pub fn time_derivative(&self, f: Expr<'g>) -> Expr<'g> {
        let mut direction = vec![(self.time, self.graph.int(1))];
        for symbols in &self.variables {
            direction.extend(symbols.windows(2).map(|pair| (pair[0], pair[1])));
        }
        self.graph.directional(&[f], &direction)[0]
    }
}
