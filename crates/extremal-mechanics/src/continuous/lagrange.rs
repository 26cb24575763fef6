//! Lagrange's equations and the quantities read off them.

use extremal_expr::Expr;

use crate::System;

impl<'g> System<'g> {
    /// Momenta p = ∂L/∂v; for higher orders those of Ostrogradsky, p^(r) = Σ_s (−1)^s d^s/dt^s ∂L/∂q^(r+1+s), conjugate to
    /// q^(r), r = 0 … k−1 (H2). In a motion that starts from momenta they are its state.
    pub fn momenta(&self) -> Vec<Expr<'g>> {
        if self.flow.is_some() {
            return self.p.clone();
        }
        // From the highest down: p^(r−1) = ∂L/∂q^(r) − d/dt p^(r).
        let mut last = self.slopes(self.order);
        let mut momenta = last.clone();
        for r in (1..self.order).rev() {
            let rates = self.time_derivative(&last);
            last = self.slopes(r).iter().zip(rates).map(|(slope, rate)| *slope - rate).collect();
            momenta.splice(0..0, last.iter().copied());
        }
        momenta
    }

    /// ∂L/∂q^(l).
    fn slopes(&self, l: usize) -> Vec<Expr<'g>> {
        self.graph.gradient(self.lagrangian, self.derivative(l))
    }

    /// The energy (Jacobi integral) h = p·v − L, for higher orders Σ_r p^(r)·q^(r+1) − L (H3).
    pub fn energy(&self) -> Expr<'g> {
        let rates: Vec<Expr<'g>> = (1..=self.order).flat_map(|order| self.derivative(order)).copied().collect();
        self.graph.dot(&self.momenta(), &rates) - self.lagrangian
    }

    /// The total time derivative along a motion: ∂/∂t + v·∂/∂q + a·∂/∂v + … + S'·∂/∂S + λ'·∂/∂λ, the last for multipliers that move.
    pub fn time_derivative(&self, fs: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let mut direction = vec![(self.t, self.graph.int(1))];
        for order in 0..2 * self.order {
            direction.extend(self.derivative(order).iter().copied().zip(self.derivative(order + 1).iter().copied()));
        }
        direction.extend(self.heat.s.iter().copied().zip(self.heat.rates.iter().copied()));
        direction.extend(self.vakonomic().map(|constraint| (constraint.multiplier, constraint.rate)));
        self.graph.directional(fs, &direction)
    }

    /// Residuals of the Euler–Lagrange equations, d/dt(∂L/∂v) − ∂L/∂q − F, which vanish along the motion; with an action z in the
    /// Lagrangian those of Herglotz, less ∂L/∂z ∂L/∂v (J2). For higher orders these
    /// are Σ_l (−1)^l d^l/dt^l ∂L/∂q^(l) = 0 (H1), with the sign that leaves q^(2k) the one it has in first order.
    pub fn euler_lagrange(&self) -> Vec<Expr<'g>> {
        // p^(0)' = ∂L/∂q closes the recursion of the momenta.
        let rates = self.time_derivative(&self.momenta()[..self.len()]);
        let slopes = self.slopes(0);
        let sign = if self.order % 2 == 1 { 1 } else { -1 };
        let rows = rates.iter().zip(&slopes).zip(&self.force).zip(self.herglotz_forces());
        rows.map(|(((rate, slope), force), scaled)| (*rate - *slope - *force - scaled) * sign).collect()
    }

    /// The mass matrix M = ∂²L/∂v² as sparse rows; for higher orders ∂²L/∂q^(k)². Where it has no inverse, the Lagrangian is
    /// singular.
    pub fn mass_matrix(&self) -> Vec<Vec<(usize, Expr<'g>)>> {
        self.graph.jacobian(&self.slopes(self.order), self.derivative(self.order))
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

    /// L = x''²/2 − (a + b) x'²/2 + a b x²/2, the oscillator of Pais and Uhlenbeck with squared frequencies a and b.
    #[test]
    fn pais_uhlenbeck_by_hand() {
        let g = Graph::new();
        let x = |primes: usize| g.symbol(&format!("x{}", "'".repeat(primes)));
        let (a, b) = (g.symbol("a"), g.symbol("b"));
        let l = x(2).powi(2) / 2 - (a + b) * x(1).powi(2) / 2 + a * b * x(0).powi(2) / 2;
        let system = System::new(&g, &["x"], l);
        let equation = system.euler_lagrange()[0];
        let by_hand = x(4) + (a + b) * x(2) + a * b * x(0);
        assert!(g.simplified(equation - by_hand).is_zero() || g.expanded(equation - by_hand).unwrap().is_zero());
        let momenta = system.momenta();
        assert_eq!(momenta[1], x(2));
        assert!(g.expanded(momenta[0] + (a + b) * x(1) + x(3)).unwrap().is_zero());
        let energy = x(2).powi(2) / 2 - x(1) * x(3) - (a + b) * x(1).powi(2) / 2 - a * b * x(0).powi(2) / 2;
        assert!(g.expanded(system.energy() - energy).unwrap().is_zero());
    }
}
