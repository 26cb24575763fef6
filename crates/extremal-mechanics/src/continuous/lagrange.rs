//! Lagrange's equations and the quantities read off them.

use extremal_expr::Expr;

use crate::System;

impl<'g> System<'g> {
    /// Momenta p = ∂L/∂v.
    pub fn momenta(&self) -> Vec<Expr<'g>> {
        self.graph.gradient(self.lagrangian, &self.v)
    }

    /// The energy (Jacobi integral) h = p·v − L.
    pub fn energy(&self) -> Expr<'g> {
        self.graph.dot(&self.momenta(), &self.v) - self.lagrangian
    }

    /// The total time derivative along a motion: ∂/∂t + v·∂/∂q + a·∂/∂v + S'·∂/∂S + λ'·∂/∂λ, the last for multipliers that move.
    pub fn time_derivative(&self, fs: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let mut direction = vec![(self.t, self.graph.int(1))];
        direction.extend(self.q.iter().copied().zip(self.v.iter().copied()));
        direction.extend(self.v.iter().copied().zip(self.a.iter().copied()));
        direction.extend(self.heat.s.iter().copied().zip(self.heat.rates.iter().copied()));
        direction.extend(self.vakonomic().map(|constraint| (constraint.multiplier, constraint.rate)));
        self.graph.directional(fs, &direction)
    }

    /// Residuals of the Euler–Lagrange equations, d/dt(∂L/∂v) − ∂L/∂q − F, which vanish along the motion.
    pub fn euler_lagrange(&self) -> Vec<Expr<'g>> {
        let rates = self.time_derivative(&self.momenta());
        let slopes = self.graph.gradient(self.lagrangian, &self.q);
        rates.iter().zip(&slopes).zip(&self.force).map(|((rate, slope), force)| *rate - *slope - *force).collect()
    }

    /// The mass matrix M = ∂²L/∂v² as sparse rows.
    pub fn mass_matrix(&self) -> Vec<Vec<(usize, Expr<'g>)>> {
        self.graph.jacobian(&self.momenta(), &self.v)
    }

    /// The momentum p·X of a symmetry with generator `x` (one component per coordinate), by Noether's theorem.
    pub fn noether_momentum(&self, x: &[Expr<'g>]) -> Expr<'g> {
        self.graph.dot(&self.momenta(), x)
    }
}

#[cfg(test)]
mod tests {
    use crate::System;
    use extremal_expr::Graph;

    #[test]
    fn polar_kepler_by_hand() {
        let g = Graph::new();
        let (r, rv, fv) = (g.symbol("r"), g.symbol("r'"), g.symbol("f'"));
        let l = (rv.powi(2) + r.powi(2) * fv.powi(2)) / 2 + r.powi(-1);
        let system = System::new(&g, &["r", "f"], l);
        let (ra, fa) = (system.a[0], system.a[1]);
        assert_eq!(system.euler_lagrange(), [ra - r * fv.powi(2) + r.powi(-2), r.powi(2) * fa + r * rv * fv * 2]);
        assert_eq!(system.momenta(), [rv, r.powi(2) * fv]);
    }
}
