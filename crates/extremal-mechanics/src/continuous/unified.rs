//! The unified Hamiltonian in coordinates of the motions that constraints admit, [VC 5.3, 7.1].

use extremal_expr::Expr;

use super::elimination::solve_affine;
use crate::System;

/// So many coupled unknowns are solved for.
const MAX_COUPLED: usize = 6;

/// A problem with constraints of the order of its Lagrangian, as functions of what they leave free: accelerations of coordinates on
/// which controls act, or the controls themselves.
pub struct UnifiedProblem<'g> {
    /// What is free.
    pub free: Vec<Expr<'g>>,
    /// What follows from it, highest derivatives and controls, with its values.
    pub bound: Vec<(Expr<'g>, Expr<'g>)>,
    /// The Lagrangian, or the cost, where the constraints hold.
    pub lagrangian: Expr<'g>,
    /// H = Σ p^(r)·q^(r+1) − L there (M6).
    pub hamiltonian: Expr<'g>,
    /// ∂H by what is free, which vanishes along a motion.
    pub primary: Vec<Expr<'g>>,
    /// −∂²H by what is free, whose inverse the motion needs (M8).
    pub regularity: Vec<Vec<Expr<'g>>>,
}

impl<'g> System<'g> {
    /// The unified problem of a motion from momenta; `None` where its constraints cannot be solved in closed form.
    ///
    /// ```
    /// use extremal_mechanics::System;
    /// use extremal_model::Model;
    /// let model = Model::from_toml(r#"
    ///     coordinates = { x = { start = 0, p1 = 2 }, y = 1 }
    ///     dynamics = { lagrangian = "(x'^2 + y'^2)/2 - x*y" }
    ///     controls = { u = "x" }
    ///     objective = { running = "u^2/2" }
    /// "#)?;
    /// let unified = System::followed(&model)?.unified().unwrap();
    /// assert_eq!(unified.lagrangian.to_string(), "(x'' + y)^2/2");
    /// assert_eq!(unified.regularity[0][0].to_string(), "1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unified(&self) -> Option<UnifiedProblem<'g>> {
        let g = self.graph;
        let flow = self.flow.as_ref()?;
        let (multipliers, controls) = (symbols(&flow.multipliers), symbols(&flow.controls));
        let constraints = g.gradient(self.lagrangian, &multipliers);
        let highest = self.derivative(self.order);
        let solved =
            |unknowns: &[Expr<'g>]| solve_affine(g, &constraints, unknowns, |group| group.len() <= MAX_COUPLED);
        let candidates = self.bound_candidates(&constraints, &controls);
        let (bound, values) = candidates.into_iter().find_map(|bound| solved(&bound).map(|values| (bound, values)))?;
        let bound: Vec<_> = bound.into_iter().zip(values.into_iter().map(|value| g.simplified(value))).collect();
        let is_bound = |symbol: &Expr<'g>| bound.iter().any(|(other, _)| other == symbol);
        let free = highest.iter().chain(&controls).copied().filter(|symbol| !is_bound(symbol)).collect::<Vec<_>>();
        let off: Vec<_> = multipliers.iter().map(|multiplier| (*multiplier, g.int(0))).collect();
        let lagrangian = g.simplified(self.lagrangian.substitute(&off).substitute(&bound));
        let rates: Vec<Expr<'g>> = (1..=self.order).flat_map(|order| self.derivative(order)).copied().collect();
        let hamiltonian = g.dot(&self.p, &g.substitute(&rates, &bound)) - lagrangian;
        let primary = g.gradient(hamiltonian, &free);
        let second = |slope: &Expr<'g>| g.gradient(-*slope, &free).into_iter().map(|e| g.simplified(e)).collect();
        let regularity = primary.iter().map(second).collect();
        Some(UnifiedProblem { free, bound, lagrangian, hamiltonian, primary, regularity })
    }

    /// What constraints may be solved for, best first: all controls with the highest derivatives on which none acts; where there are no
    /// controls, as many of the last of those that occur; all highest derivatives.
    fn bound_candidates(&self, constraints: &[Expr<'g>], controls: &[Expr<'g>]) -> Vec<Vec<Expr<'g>>> {
        let highest = self.derivative(self.order);
        let uncontrolled = highest.iter().zip(constraints).filter(|(_, row)| !row.depends_on(controls));
        let uncontrolled: Vec<Expr<'g>> = uncontrolled.map(|(symbol, _)| *symbol).collect();
        let mut candidates = vec![[controls, &uncontrolled].concat(), highest.to_vec()];
        if controls.is_empty() {
            let occurring: Vec<Expr<'g>> = highest
                .iter()
                .copied()
                .filter(|symbol| constraints.iter().any(|row| row.depends_on(&[*symbol])))
                .collect();
            candidates = occurring.windows(constraints.len().max(1)).rev().map(<[_]>::to_vec).collect();
            if constraints.is_empty() {
                candidates = vec![Vec::new()];
            }
        }
        candidates.retain(|bound| bound.len() == constraints.len());
        candidates
    }
}

fn symbols<'g>(named: &[(String, Expr<'g>)]) -> Vec<Expr<'g>> {
    named.iter().map(|(_, symbol)| *symbol).collect()
}

impl<'g> UnifiedProblem<'g> {
    /// p^(r)' = −∂H/∂q^(r), with the forces for r = 0 (M7).
    pub fn momentum_rates(&self, system: &System<'g>) -> Vec<Expr<'g>> {
        let slopes = system.graph.gradient(self.hamiltonian, &system.configuration());
        let forces = system.force.iter().copied().chain(std::iter::repeat(system.graph.int(0)));
        slopes.into_iter().zip(forces).map(|(slope, force)| force - slope).collect()
    }

    /// For accelerations: the equations of fourth order of the free ones, from two rates of the primary constraints (M9). `None` where
    /// controls are what is free.
    pub fn fourth_order(&self, system: &System<'g>) -> Option<Vec<Expr<'g>>> {
        let (g, n) = (system.graph, system.len());
        let places: Option<Vec<usize>> = self.free.iter().map(|free| system.a.iter().position(|a| a == free)).collect();
        let places = places.filter(|_| system.order == 2)?;
        let rates = self.momentum_rates(system);
        let mut direction = vec![(system.t, g.int(1))];
        direction.extend(system.q.iter().copied().zip(system.v.iter().copied()));
        direction.extend(system.v.iter().copied().zip(g.substitute(&system.a, &self.bound)));
        direction.extend(places.iter().map(|k| (system.a[*k], system.higher[0][*k])));
        direction.extend(places.iter().map(|k| (system.higher[0][*k], system.higher[1][*k])));
        direction.extend(system.p.iter().copied().zip(rates.iter().copied()));
        // p1 of a free coordinate by its primary constraint, and its rate as the equations have it.
        let momenta: Vec<Expr<'g>> =
            places.iter().zip(&self.primary).map(|(k, slope)| system.p[n + k] - *slope).collect();
        let twice = g.directional(&g.directional(&momenta, &direction), &direction);
        let stated: Vec<Expr<'g>> = places.iter().map(|k| rates[n + k]).collect();
        let stated = g.directional(&stated, &direction);
        Some(twice.into_iter().zip(stated).map(|(twice, stated)| g.simplified(twice - stated)).collect())
    }
}
