//! Symmetries of velocities and entropies: vector fields X on TQ × R^m with L_X θ_L = df, which conserve f − θ_L(X) exactly when
//! X(E) + η_L(X) − F_ext(X) = 0, (F5) and (F6) of docs/theory.md.

use extremal_expr::Expr;

use super::verdict::{IdentityVerdict, ZeroJudge};
use crate::System;
use crate::analysis::potential;
use crate::continuous::Hamiltonian;

/// A vector field on positions, velocities and entropies.
#[derive(Clone, Debug)]
pub struct LiftedField<'g> {
    /// What it does to each coordinate.
    pub positions: Vec<Expr<'g>>,
    /// What it does to each velocity.
    pub velocities: Vec<Expr<'g>>,
    /// What it does to each entropy.
    pub entropies: Vec<Expr<'g>>,
}

impl<'g> System<'g> {
    /// The function f with df = L_X θ_L, θ_L = p dq, up to a constant; `None` where there is none, or none that can be written down.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// use extremal_mechanics::geometry::LiftedField;
    /// let g = Graph::new();
    /// let [x, v, c] = ["x", "x'", "c"].map(|name| g.symbol(name));
    /// let damped = System::new(&g, &["x"], v.powi(2) / 2);
    /// let field = LiftedField { positions: vec![g.int(1)], velocities: vec![c], entropies: Vec::new() };
    /// assert_eq!(damped.lifted_function(&field), Some(c * x));
    /// assert_eq!(damped.lifted_quantity(&field), Some(c * x - v));
    /// ```
    pub fn lifted_function(&self, field: &LiftedField<'g>) -> Option<Expr<'g>> {
        let variables = self.lifted_variables();
        potential(self.graph, &self.lifted_form(field), &variables)
    }

    /// f − θ_L(X), which is conserved where the condition of the field vanishes.
    pub fn lifted_quantity(&self, field: &LiftedField<'g>) -> Option<Expr<'g>> {
        Some(self.graph.simplified(self.lifted_function(field)? - self.noether_momentum(&field.positions)))
    }

    /// Is L_X θ_L closed, which it must be to be some df?
    pub fn lifted_closure(&self, field: &LiftedField<'g>, judge: &ZeroJudge<'g>) -> IdentityVerdict {
        let form = super::OneForm { variables: self.lifted_variables(), coefficients: self.lifted_form(field) };
        judge.vanish(form.exterior().matrix)
    }

    /// X(E) + η_L(X) − F_ext(X), with the reactions counted as forces: the rate of f − θ_L(X) along the motion.
    pub fn lifted_condition(&self, field: &LiftedField<'g>) -> Expr<'g> {
        let g = self.graph;
        let change = g.directional(&[self.energy()], &self.lifted_direction(field))[0];
        let temperatures = self.temperatures();
        // η_L(X) − F_ext(X) = −T dS(X) − F(X), friction and all other forces together.
        let heat = g.dot(&temperatures, &field.entropies);
        let forces = g.dot(&self.force, &field.positions) + g.dot(&self.reactions(), &field.positions);
        change - heat - forces
    }

    /// What vanishes if the field, carried to (q, p, S), satisfies L_X θ = df and X(H) + η(X) − F_ext(X) = 0 there.
    pub fn canonical_conditions(
        &self,
        field: &LiftedField<'g>,
        function: Expr<'g>,
        hamiltonian: &Hamiltonian<'g>,
    ) -> Vec<Expr<'g>> {
        let (g, n) = (self.graph, self.len());
        let velocities: Vec<_> = self.v.iter().copied().zip(hamiltonian.q_rate.iter().copied()).collect();
        let carried = |functions: &[Expr<'g>]| g.substitute(functions, &velocities);
        let pushed = carried(&g.directional(&self.momenta(), &self.lifted_direction(field)));
        let (along, warmed) = (carried(&field.positions), carried(&field.entropies));
        let variables = [&self.q[..], &self.p, &self.heat.s].concat();
        let mut form = vec![g.int(0); variables.len()];
        form[..n].copy_from_slice(&pushed);
        for (p, row) in self.p.iter().zip(g.jacobian(&along, &variables)) {
            row.into_iter().for_each(|(at, slope)| form[at] = form[at] + *p * slope);
        }
        let slopes = g.gradient(carried(&[function])[0], &variables);
        let exact = form.iter().zip(slopes).map(|(a, b)| *a - b);
        let components = [&along[..], &pushed, &warmed].concat();
        let direction: Vec<_> = variables.iter().copied().zip(components).collect();
        let change = g.directional(&[hamiltonian.h], &direction)[0];
        let heat = g.dot(&g.gradient(hamiltonian.h, &self.heat.s), &warmed);
        let forces = g.dot(&carried(&self.force), &along);
        exact.chain([change - heat - forces]).collect()
    }

    fn lifted_variables(&self) -> Vec<Expr<'g>> {
        [&self.q[..], &self.v, &self.heat.s].concat()
    }

    fn lifted_direction(&self, field: &LiftedField<'g>) -> Vec<(Expr<'g>, Expr<'g>)> {
        let components = [&field.positions[..], &field.velocities, &field.entropies].concat();
        self.lifted_variables().into_iter().zip(components).collect()
    }

    /// The coefficients of L_X (p dq) = X(p) dq + p dX.
    fn lifted_form(&self, field: &LiftedField<'g>) -> Vec<Expr<'g>> {
        let g = self.graph;
        let momenta = self.momenta();
        let mut form = vec![g.int(0); self.lifted_variables().len()];
        form[..self.len()].copy_from_slice(&g.directional(&momenta, &self.lifted_direction(field)));
        let rows = g.jacobian(&field.positions, &self.lifted_variables());
        for (p, row) in momenta.iter().zip(rows) {
            row.into_iter().for_each(|(at, slope)| form[at] = form[at] + *p * slope);
        }
        form
    }
}
