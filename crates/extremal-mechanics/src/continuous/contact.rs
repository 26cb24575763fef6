//! Contact systems: the action z is part of the Lagrangian, and its rate is L (the principle of Herglotz).
//!
//! ```text
//! z' = L(q, v, z, t)        d/dt(∂L/∂v) − ∂L/∂q = ∂L/∂z ∂L/∂v + F
//! ```
//!
//! The flow scales the contact form η = dz − p dq by exp ∫∂L/∂z dt, and so it does every quantity that the shift of time or a symmetry
//! would conserve. These are (J1) to (J6) of docs/theory.md.

use extremal_expr::Expr;

use super::heat::Account;
use crate::System;

/// The name of ∫∂L/∂z dt, the logarithm of the factor by which the contact form has been scaled.
pub const LOG_FACTOR: &str = "log_factor";

impl<'g> System<'g> {
    /// Is it a contact system?
    pub fn is_contact(&self) -> bool {
        matches!(self.heat.law, super::RateLaw::Action)
    }

    /// ∂L/∂z, the rate at which the contact form grows; zero where there is no action variable.
    pub fn contact_rate(&self) -> Expr<'g> {
        match self.is_contact() {
            true => self.graph.gradient(self.lagrangian, &self.heat.s[..1])[0],
            false => self.graph.int(0),
        }
    }

    /// ∂L/∂z ∂L/∂v, what the action adds to the forces.
    pub fn herglotz_forces(&self) -> Vec<Expr<'g>> {
        let rate = self.contact_rate();
        if rate.is_zero() {
            return vec![self.graph.int(0); self.len()];
        }
        self.graph.gradient(self.lagrangian, &self.v).into_iter().map(|momentum| rate * momentum).collect()
    }

    /// ∫∂L/∂z dt along a motion, where it is not always zero.
    pub(super) fn contact_account(&self) -> Option<Account<'g>> {
        let rate = self.contact_rate();
        (!rate.is_zero()).then(|| Account { name: LOG_FACTOR, value: self.symbol(LOG_FACTOR), rate })
    }

    /// What a quantity that the motion scales like the contact form is divided by to stay the same.
    pub fn contact_factor(&self) -> Expr<'g> {
        self.contact_account().map_or(self.graph.int(1), |account| account.value.exp())
    }
}

#[cfg(test)]
mod tests {
    use crate::System;
    use crate::continuous::Heat;
    use extremal_expr::Graph;

    /// L = m v²/2 − V(q) − c z²/2 by hand: m q'' = −V' − c z m q', E' = −c z E.
    #[test]
    fn herglotz_by_hand() {
        let g = Graph::new();
        let [q, v, z, m, c] = ["q", "q'", "z", "m", "c"].map(|name| g.symbol(name));
        let lagrangian = m * v.powi(2) / 2 - q.sin() - c * z.powi(2) / 2;
        let mut system = System::new(&g, &["q"], lagrangian);
        system.heat = Heat::of_action("z", lagrangian);
        let (a, rate) = (system.a[0], system.heat.rates[0]);
        assert!(g.proves_zero(system.motion_equations()[0] - (m * a + q.cos() + c * z * m * v)));
        assert!(g.proves_zero(system.motion_equations()[1] - (rate - lagrangian)));
        let motion = [(a, -(q.cos() / m) - c * z * v), (rate, lagrangian)];
        let grown = system.time_derivative(&[system.energy()])[0].substitute(&motion);
        assert!(g.proves_zero(grown + c * z * system.energy()));
        let h = system.hamiltonian().unwrap();
        let p = system.p[0];
        assert!(g.proves_zero(h.p_rate[0] + q.cos() + c * z * p));
        assert!(g.proves_zero(h.s_rate[0] - (p.powi(2) / m / 2 - q.sin() - c * z.powi(2) / 2)));
    }
}
