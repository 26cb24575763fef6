//! Backward error: the Lagrangian whose exact motions pass through the points of a variational integrator, as a series in the step
//! (Vermeeren, *Modified equations for variational integrators*, arXiv:1505.05411).

use extremal_expr::{Expr, Graph};
use extremal_model::{EntropyBase, Method};

use super::{DiscreteAction, galerkin_of};
use crate::System;
use crate::continuous::solve_linear;

/// The highest power of the step.
const HIGHEST: usize = 4;
/// A power whose formulas have more parts than this is left out,
const MOST_PARTS: usize = 4000;
/// and one with more than these is not made shorter, and is the last.
const MOST_SHORTENED: usize = 400;

/// Systems with more coordinates have formulas that fill pages.
const MOST_COORDINATES: usize = 12;

/// L_mod = L + h ℓ_1 + h² ℓ_2 + …, up to some power.
pub struct ModifiedLagrangian<'g> {
    /// L, ℓ_1, ℓ_2, …, in positions and velocities.
    pub terms: Vec<Expr<'g>>,
    /// The energy of L_mod by powers of the step, as a function of positions and momenta, these written by the velocities of L:
    /// p = ∂L/∂v.
    pub energy: Vec<Expr<'g>>,
    /// Is the step its own inverse, so that odd powers vanish?
    pub symmetric: bool,
}

impl<'g> ModifiedLagrangian<'g> {
    /// The energy up to this power, for this step.
    pub fn energy_to(&self, power: usize, step: Expr<'g>) -> Expr<'g> {
        let term = |(k, term): (usize, &Expr<'g>)| step.powi(k as i64) * *term;
        step.graph().sum(self.energy.iter().take(power + 1).enumerate().map(term))
    }

    /// The powers that are not zero, the highest included that is known.
    pub fn powers(&self) -> impl Iterator<Item = usize> {
        let every = if self.symmetric { 2 } else { 1 };
        (every..self.terms.len()).step_by(every)
    }
}

impl<'g> System<'g> {
    /// The modified Lagrangian of a method that takes straight lines between its points (`left`, `right`, `theta`, `midpoint`,
    /// `trapezoidal`); `None` for other methods, for what is no motion of a regular Lagrangian alone, and where not even the first power can be
    /// written down.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// let g = Graph::new();
    /// let (x, v) = (g.symbol("x"), g.symbol("x'"));
    /// let verlet = System::new(&g, &["x"], v.powi(2) / 2 + x.cos()).modified_lagrangian(&"trapezoidal".parse()?).unwrap();
    /// // (U'² − 2 U'' v²)/24 with U = −cos(x).
    /// let typed = (x.sin().powi(2) - x.cos() * v.powi(2) * 2) / 24;
    /// assert!(g.proves_zero(verlet.terms[2] - typed));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn modified_lagrangian(&self, method: &Method) -> Option<ModifiedLagrangian<'g>> {
        let forced = self.force.iter().any(|force| !force.is_zero());
        let (degree, rule) = galerkin_of(method)?;
        let too_many = self.len() > MOST_COORDINATES;
        if too_many || degree > 1 || forced || self.order > 1 || !self.heat.is_empty() || !self.constraints.is_empty() {
            return None;
        }
        let action = DiscreteAction::galerkin(self, degree, &rule, EntropyBase::Midpoint);
        if !action.named_constants().is_empty() || self.is_empty() {
            return None;
        }
        let jets = StepJets::of(self);
        let mean = jets.mean_lagrangian(self, &action)?;
        let symmetric = self.graph.vanishes(mean[1], &[]) == Some(true);
        let meshed = jets.meshed(self, &mean);
        let mut series = ModifiedSeries::of(self)?;
        for power in 1..=HIGHEST {
            let term = series.term(self, &jets, &meshed[..=power], power);
            let is_known = series.push(self, term);
            if !is_known {
                break;
            }
        }
        // The energy needs the first correction twice; odd powers of a symmetric step are none.
        let first = if symmetric { 2 } else { 1 };
        series.terms.truncate(2 * first + 1);
        let longest = series.terms.len().saturating_sub(1) / first * first;
        series.terms.truncate(longest + 1);
        (longest >= first).then(|| ModifiedLagrangian {
            energy: series.energy(self, first),
            terms: series.terms,
            symmetric,
        })
    }
}

/// Symbols for q, q', q'', …, and how they follow each other.
struct StepJets<'g> {
    /// Per derivative and coordinate.
    q: Vec<Vec<Expr<'g>>>,
}

impl<'g> StepJets<'g> {
    fn of(system: &System<'g>) -> StepJets<'g> {
        let primed = |name: &String, times: usize| system.graph.symbol(&format!("{name}{}", "'".repeat(times)));
        // The velocity of a chord has one derivative more than the power of the step that it comes with.
        StepJets {
            q: (0..=HIGHEST + 1).map(|times| system.names.iter().map(|name| primed(name, times)).collect()).collect(),
        }
    }

    /// L_d/h about the middle of the step, by powers of the step.
    fn mean_lagrangian(&self, system: &System<'g>, action: &DiscreteAction<'g>) -> Option<Vec<Expr<'g>>> {
        let (g, h) = (system.graph, system.step());
        let [first, chord] = &action.incremental.unknowns[..] else { return None };
        let taylor = |coordinate: usize, odd_only: bool| {
            let mut factorial = 1i64;
            let mut terms = Vec::new();
            for (j, jet) in self.q.iter().enumerate() {
                factorial *= j.max(1) as i64;
                let power = (h / 2).powi(j as i64) / factorial;
                match odd_only {
                    // (q(t + h/2) − q(t − h/2))/h, without the division.
                    true if j % 2 == 1 => terms
                        .push(jet[coordinate] * h.powi(j as i64 - 1) * (g.int(1) / 2).powi(j as i64 - 1) / factorial),
                    true => {}
                    false if j % 2 == 1 => terms.push(-(jet[coordinate] * power)),
                    false => terms.push(jet[coordinate] * power),
                }
            }
            g.sum(terms)
        };
        let mut rules = vec![(system.t, system.t - h / 2)];
        for k in 0..system.len() {
            rules.push((first[k], taylor(k, false)));
            rules.push((chord[k], taylor(k, true)));
        }
        let mean = (action.incremental.action / h).substitute(&rules);
        Some(coefficients(g, mean, h, HIGHEST))
    }

    /// The Lagrangian whose integral over a step is L_d on every curve: by Euler and Maclaurin
    /// D − h²/24 D'' + 7 h⁴/5760 D'''' for the mean D over the step.
    fn meshed(&self, system: &System<'g>, mean: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let g = system.graph;
        let twice = |f: Expr<'g>| self.time_derivative(system, self.time_derivative(system, f));
        let meshed = |k: usize| {
            let second = if k >= 2 { twice(mean[k - 2]) / -24 } else { g.int(0) };
            let fourth = if k >= 4 { twice(twice(mean[k - 4])) * 7 / 5760 } else { g.int(0) };
            mean[k] + second + fourth
        };
        (0..mean.len()).map(meshed).collect()
    }

    fn time_derivative(&self, system: &System<'g>, f: Expr<'g>) -> Expr<'g> {
        let g = system.graph;
        let mut direction = vec![(system.t, g.int(1))];
        for pair in self.q.windows(2) {
            direction.extend(pair[0].iter().copied().zip(pair[1].iter().copied()));
        }
        g.directional(&[f], &direction)[0]
    }
}

/// The terms of L_mod that are known, and the accelerations of its motions by powers of the step.
struct ModifiedSeries<'g> {
    terms: Vec<Expr<'g>>,
    accelerations: Vec<Vec<Expr<'g>>>,
    mass: Vec<Vec<Expr<'g>>>,
}

impl<'g> ModifiedSeries<'g> {
    fn of(system: &System<'g>) -> Option<ModifiedSeries<'g>> {
        let g = system.graph;
        let zero = g.int(0);
        let row = |row: &Vec<(usize, Expr<'g>)>| {
            let mut dense = vec![zero; system.len()];
            row.iter().for_each(|(place, entry)| dense[*place] = g.simplified(*entry));
            dense
        };
        let mass = system.mass_matrix().iter().map(row).collect();
        let mut series = ModifiedSeries { terms: vec![system.lagrangian], accelerations: Vec::new(), mass };
        let first = series.acceleration(system)?;
        series.accelerations.push(first.into_iter().map(shortened).collect());
        Some(series)
    }

    /// The power of the step in L_mod that the meshed Lagrangian has, when higher derivatives are those of the motions of L_mod.
    fn term(&self, system: &System<'g>, jets: &StepJets<'g>, meshed: &[Expr<'g>], power: usize) -> Expr<'g> {
        let (g, h) = (system.graph, system.step());
        let weighted = |k: usize| h.powi(k as i64);
        let acceleration: Vec<Expr<'g>> = (0..system.len())
            .map(|i| g.sum(self.accelerations.iter().enumerate().map(|(k, a)| weighted(k) * a[i])))
            .collect();
        let mut direction = vec![(system.t, g.int(1))];
        direction.extend(system.q.iter().copied().zip(system.v.iter().copied()));
        direction.extend(system.v.iter().copied().zip(acceleration.iter().copied()));
        let mut derivative = acceleration;
        let mut rules = Vec::new();
        // As far as the terms up to this power have derivatives.
        for jet in &jets.q[2..=(power + 1).max(2)] {
            rules.extend(jet.iter().copied().zip(derivative.iter().copied()));
            derivative = g.directional(&derivative, &direction);
        }
        let whole = g.sum(meshed.iter().enumerate().map(|(k, term)| weighted(k) * *term)).substitute(&rules);
        coefficients(g, whole, h, power)[power]
    }

    /// Takes a term, unless it is too long, and finds the accelerations that go with it; false where the series ends.
    fn push(&mut self, system: &System<'g>, term: Expr<'g>) -> bool {
        let g = system.graph;
        let parts = |all: &[Expr<'g>]| g.reachable(&all.iter().map(|e| e.id()).collect::<Vec<_>>()).len();
        let found = parts(&[term]);
        if found > MOST_PARTS {
            return false;
        }
        if found > MOST_SHORTENED {
            self.terms.push(term);
            return false;
        }
        let is_zero = g.vanishes(term, &[]) == Some(true);
        self.terms.push(if is_zero { g.int(0) } else { shortened(term) });
        match self.acceleration(system) {
            Some(acceleration) if parts(&acceleration) <= MOST_SHORTENED => {
                self.accelerations.push(acceleration.into_iter().map(shortened).collect());
                true
            }
            _ => false,
        }
    }

    /// The next acceleration: the highest power of d/dt ∂L_mod/∂v − ∂L_mod/∂q = 0 so far.
    fn acceleration(&self, system: &System<'g>) -> Option<Vec<Expr<'g>>> {
        let g = system.graph;
        let highest = self.terms.len() - 1;
        let mut right = vec![Vec::new(); system.len()];
        for (k, term) in self.terms.iter().enumerate() {
            let by_v = g.gradient(*term, &system.v);
            let mut direction = vec![];
            // With the acceleration that completes this power; for L itself that is the unknown.
            if let Some(acceleration) = self.accelerations.get(highest - k) {
                direction.extend(system.v.iter().copied().zip(acceleration.iter().copied()));
            }
            let mut slopes = vec![g.int(0); system.len()];
            if k == highest {
                direction.push((system.t, g.int(1)));
                direction.extend(system.q.iter().copied().zip(system.v.iter().copied()));
                slopes = g.gradient(*term, &system.q);
            }
            let rates = g.directional(&by_v, &direction);
            right.iter_mut().zip(slopes.iter().zip(rates)).for_each(|(sum, (slope, rate))| sum.push(*slope - rate));
        }
        let right: Vec<Expr<'g>> = right.into_iter().map(|sum| g.sum(sum)).collect();
        let solved = solve_linear(&self.mass, &right)?;
        Some(
            solved.into_iter().map(|a| g.as_quotient(a).map_or(a, |quotient| g.simplified(quotient.value()))).collect(),
        )
    }

    /// The Legendre transform of L + ε ℓ_s + ε² ℓ_2s, ε = h^s: E − ε ℓ_s + ε² (∂ℓ_s/∂v M⁻¹ ∂ℓ_s/∂v/2 − ℓ_2s).
    fn energy(&self, system: &System<'g>, s: usize) -> Vec<Expr<'g>> {
        let g = system.graph;
        let mut energy = vec![g.int(0); self.terms.len()];
        energy[0] = g.simplified(system.energy());
        energy[s] = -self.terms[s];
        if let Some(second) = self.terms.get(2 * s) {
            let slopes = g.gradient(self.terms[s], &system.v);
            let moved = solve_linear(&self.mass, &slopes).unwrap_or_else(|| vec![g.int(0); slopes.len()]);
            energy[2 * s] = shortened(g.dot(&slopes, &moved) / 2 - *second);
        }
        energy
    }
}

/// The shorter of two ways to write a sum of quotients.
fn shortened(f: Expr<'_>) -> Expr<'_> {
    let g = f.graph();
    g.as_quotient(f).map_or(f, |quotient| g.simplified(quotient.value()))
}

/// The coefficients of a series in `h`, up to a power.
fn coefficients<'g>(g: &'g Graph, f: Expr<'g>, h: Expr<'g>, highest: usize) -> Vec<Expr<'g>> {
    let (mut derivative, mut factorial) = (f, 1i64);
    let mut found = Vec::with_capacity(highest + 1);
    for k in 0..=highest {
        factorial *= k.max(1) as i64;
        found.push(derivative.substitute(&[(h, g.int(0))]) / factorial);
        if k < highest {
            derivative = g.directional(&[derivative], &[(h, g.int(1))])[0];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The oscillator by Störmer and Verlet turns with 2 sin(w h/2) = h, w² = (2 asin(h/2)/h)² = 1 + h²/12 + h⁴/90 + ….
    #[test]
    fn the_frequency_of_verlet() {
        let g = Graph::new();
        let (x, v) = (g.symbol("x"), g.symbol("x'"));
        let system = System::new(&g, &["x"], (v.powi(2) - x.powi(2)) / 2);
        let modified = system.modified_lagrangian(&Method::Trapezoidal).unwrap();
        assert!(modified.symmetric && modified.terms.len() == 5);
        // L_mod = a(h) v²/2 − b(h) x²/2, and w² = b/a.
        let part = |k: usize, symbol: Expr<'_>| {
            let at = [(x, g.int(0)), (v, g.int(0))]
                .map(|(s, zero)| (s, if s == g.expr(symbol.id()) { g.int(1) } else { zero }));
            let value = modified.terms[k].substitute(&at) * 2;
            value.as_number().unwrap().to_f64()
        };
        let a: Vec<f64> = [0, 2, 4].map(|k| part(k, v)).to_vec();
        let b: Vec<f64> = [0, 2, 4].map(|k| -part(k, x)).to_vec();
        assert_eq!((a[0], b[0]), (1.0, 1.0));
        let second = b[1] - a[1];
        let fourth = b[2] - a[2] - a[1] * second;
        assert!((second - 1.0 / 12.0).abs() < 1e-15 && (fourth - 1.0 / 90.0).abs() < 1e-15, "{second} {fourth}");
    }

    /// The symplectic Euler method has H + h H_p H_q/2 (with a sign that depends on which end is taken) as its first correction.
    #[test]
    fn the_first_correction_of_an_end() {
        let g = Graph::new();
        let (x, v) = (g.symbol("x"), g.symbol("x'"));
        let system = System::new(&g, &["x"], v.powi(2) / 2 + x.cos());
        let left = system.modified_lagrangian(&Method::Left).unwrap();
        let right = system.modified_lagrangian(&Method::Right).unwrap();
        assert!(!left.symmetric && left.terms.len() == 3);
        let typed = x.sin() * v / 2;
        assert!(g.proves_zero(left.energy[1] - typed) || g.proves_zero(left.energy[1] + typed), "{}", left.energy[1]);
        assert!(g.proves_zero(left.energy[1] + right.energy[1]));
    }

    #[test]
    fn other_methods_and_systems_have_none() {
        let g = Graph::new();
        let (x, v) = (g.symbol("x"), g.symbol("x'"));
        let mut system = System::new(&g, &["x"], v.powi(2) / 2 - x.powi(2) / 2);
        for method in ["rk4", "galerkin(2)", "custom", "energy-entropy"] {
            assert!(system.modified_lagrangian(&method.parse().unwrap()).is_none(), "{method}");
        }
        system.force = vec![-v];
        assert!(system.modified_lagrangian(&Method::Midpoint).is_none());
        assert!(System::new(&g, &["x"], v - x).modified_lagrangian(&Method::Midpoint).is_none());
    }

    /// A double pendulum has formulas of pages: the work on them is bounded.
    #[test]
    fn long_formulas_end_the_series() {
        let g = Graph::new();
        let [a, b, va, vb, m, l, k] = ["a", "b", "a'", "b'", "m", "l", "k"].map(|name| g.symbol(name));
        let kinetic = (m + k) * l.powi(2) * va.powi(2) / 2
            + m * l.powi(2) * vb.powi(2) / 2
            + m * l.powi(2) * va * vb * (a - b).cos();
        let system = System::new(&g, &["a", "b"], kinetic + (m + k) * l * a.cos() + m * l * b.cos());
        let modified = system.modified_lagrangian(&Method::Midpoint).unwrap();
        assert_eq!(modified.terms.len(), 3);
    }
}
