//! Motions that start from momenta: one Hamiltonian for all of them, and what has no rate of its own.
//!
//! ```text
//! H = Σ p^(r)·q^(r+1) − L(q, …, q^(k), λ, u, t)      ∂H/∂y = 0 for y = (q^(k), λ, u)
//! ```
//!
//! The Lagrangian may contain multipliers of constraints and controls. Positions with their derivatives below q^(k) and the momenta move
//! by Hamilton's equations; y is wherever H is stationary in it, the primary constraints of Skinner and Rusk. These are (M1) to (M4) of
//! docs/theory.md.

use extremal_expr::Expr;
use extremal_model::Model;

use crate::System;
use crate::block::{Meaning, Solve};
use crate::continuous::Account;
use crate::discrete::SchemeError;

/// What a motion that starts from momenta has besides positions, derivatives and momenta.
#[derive(Clone, Default)]
pub struct MomentumFlow<'g> {
    /// The multipliers of constraints, by the names under which they are recorded.
    pub multipliers: Vec<(String, Expr<'g>)>,
    /// The controls, by their names.
    pub controls: Vec<(String, Expr<'g>)>,
    /// What is summed up along the motion.
    pub cost: Option<Expr<'g>>,
}

impl<'g> MomentumFlow<'g> {
    /// Multipliers, then controls.
    pub fn recorded(&self) -> impl Iterator<Item = &(String, Expr<'g>)> {
        self.multipliers.iter().chain(&self.controls)
    }

    /// The account of the cost, which begins at zero.
    pub(crate) fn accounts(&self, system: &System<'g>) -> Vec<Account<'g>> {
        self.cost.map(|rate| Account { name: "cost", value: system.symbol("cost"), rate }).into_iter().collect()
    }
}

impl<'m> System<'m> {
    /// What a run of a model follows: its system, or where momenta are stated at the start the flow from them, of the optimality
    /// conditions if it is a control problem.
    ///
    /// # Errors
    /// Momenta beside what their motion is not defined for.
    ///
    /// ```
    /// use extremal_mechanics::System;
    /// use extremal_model::Model;
    /// let model = Model::from_toml(r#"
    ///     coordinates = { x = { start = 0, p0 = 1, p1 = 2 } }
    ///     dynamics = { lagrangian = "x'^2/2" }
    ///     controls = { u = "x" }
    ///     objective = { running = "u^2/2" }
    /// "#)?;
    /// let flow = System::followed(&model)?;
    /// let (g, p) = (model.graph(), &flow.p);
    /// // H_u = 0 with u = x'': the control is the momentum of the velocity.
    /// let u = g.symbol("u");
    /// let hamiltonian = flow.energy().substitute(&[(flow.a[0], u), (g.symbol("costate_x"), -p[1])]);
    /// assert!(g.proves_zero(hamiltonian - p[0] * flow.v[0] - p[1] * u + u.powi(2) / 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn followed(model: &'m Model) -> Result<System<'m>, SchemeError> {
        match (model.momentum_order(), model.order()) {
            (None, _) => Ok(System::of(model)),
            (Some(_), 1) if model.controls().iter().any(|control| control.min.is_some() || control.max.is_some()) => {
                Err(SchemeError::OptimalFlow("bounds of controls"))
            }
            (Some(_), 1) => System::optimal(model),
            (Some(_), _) => System::of(model).from_momenta(),
        }
    }

    /// The optimality conditions of a control problem: the Lagrangian C + ψ·(∂L/∂q + F − d/dt ∂L/∂v), in which costates ψ and controls have no
    /// rates (M5). Bounds of controls are not looked at.
    ///
    /// # Errors
    /// The problem has more than equations of motion.
    pub fn optimal(model: &'m Model) -> Result<System<'m>, SchemeError> {
        let g = model.graph();
        let plant = System::controlled(model).with_short_kinetic_energy();
        let refused = [
            (!plant.heat.is_empty(), "entropies"),
            (!plant.constraints.is_empty(), "constraints"),
            (!plant.dry.is_empty(), "dry frictions"),
        ];
        if let Some((_, what)) = refused.into_iter().find(|(stated, _)| *stated) {
            return Err(SchemeError::OptimalFlow(what));
        }
        let running = model.objective().and_then(|objective| objective.running);
        let cost = running.map_or(g.int(0), |id| g.expr(id));
        let costates = plant.symbols("costate_", "");
        let missing: Vec<Expr<'m>> = plant.euler_lagrange().into_iter().map(|residual| -residual).collect();
        let names: Vec<&str> = plant.names.iter().map(String::as_str).collect();
        let lagrangian = cost + g.dot(&costates, &missing);
        let mut system = System::with_taken(g, &names, 2, lagrangian, model.taken_names());
        system.t = plant.t;
        system.flow = Some(MomentumFlow {
            multipliers: names.iter().map(|name| format!("costate_{name}")).zip(costates).collect(),
            controls: model.controls().iter().map(|control| (control.name.clone(), g.expr(control.symbol))).collect(),
            cost: Some(cost),
        });
        Ok(system)
    }

    /// The same system with its vakonomic multipliers among what has no rate of its own.
    ///
    /// # Errors
    /// What is not defined beside accelerations.
    pub fn from_momenta(mut self) -> Result<System<'m>, SchemeError> {
        self.check_order()?;
        let named = |constraint: &crate::Constraint<'m>| (format!("lambda_{}", constraint.name), constraint.multiplier);
        let multipliers = self.constraints.iter().map(named).collect();
        self.constraints.clear();
        self.flow = Some(MomentumFlow { multipliers, ..MomentumFlow::default() });
        Ok(self)
    }
}

impl<'g> System<'g> {
    /// H = Σ p^(r)·q^(r+1) − L, with momenta as symbols and the highest derivatives still in it (M1).
    pub fn unified_hamiltonian(&self) -> Expr<'g> {
        let rates: Vec<Expr<'g>> = (1..=self.order).flat_map(|order| self.derivative(order)).copied().collect();
        self.graph.dot(&self.p, &rates) - self.lagrangian
    }

    /// What has no rate of its own in a motion from momenta: the highest derivatives, multipliers, controls.
    pub fn hidden(&self) -> Vec<Expr<'g>> {
        let recorded = self.flow.iter().flat_map(MomentumFlow::recorded).map(|(_, symbol)| *symbol);
        self.derivative(self.order).iter().copied().chain(recorded).collect()
    }

    /// The primary constraints ∂H/∂y, which determine y = [`hidden`](Self::hidden) (M2).
    pub fn primary_constraints(&self) -> Vec<Expr<'g>> {
        self.graph.gradient(self.unified_hamiltonian(), &self.hidden())
    }

    /// The rates of the momenta: p^(r)' = −∂H/∂q^(r), with the forces for r = 0 (M3).
    pub fn momentum_rates(&self) -> Vec<Expr<'g>> {
        let slopes = self.graph.gradient(self.unified_hamiltonian(), &self.configuration());
        let forces = self.force.iter().copied().chain(std::iter::repeat(self.graph.int(0)));
        slopes.into_iter().zip(forces).map(|(slope, force)| force - slope).collect()
    }

    /// ∂²H/∂y∂y, row by row: where it has no inverse, momenta do not determine the motion (M4).
    pub fn primary_slopes(&self) -> Vec<Vec<(usize, Expr<'g>)>> {
        self.graph.jacobian(&self.primary_constraints(), &self.hidden())
    }

    /// Finds y from positions, derivatives below q^(k) and momenta; `guess` are the highest derivatives, all of them or none.
    pub fn hidden_solve(&self, guess: &[Expr<'g>]) -> Solve {
        let hidden = self.hidden();
        let zeros = vec![self.graph.int(0); hidden.len() - guess.len()];
        Solve::new(&hidden, &self.primary_constraints(), &[guess, &zeros].concat()).meaning(self.hidden_meanings())
    }

    pub(crate) fn hidden_meanings(&self) -> Vec<Meaning> {
        match self.order {
            2 => self.names.iter().cloned().map(Meaning::Acceleration).collect(),
            _ => Vec::new(),
        }
    }

    /// Finds the derivatives of y up to q^(2k−1), each from the rate of the equations before.
    pub(crate) fn hidden_rates(&self) -> Vec<Solve> {
        let (g, n) = (self.graph, self.len());
        let mut direction = vec![(self.t, g.int(1))];
        for order in 0..self.order {
            direction.extend(self.derivative(order).iter().copied().zip(self.derivative(order + 1).iter().copied()));
        }
        direction.extend(self.p.iter().copied().zip(self.momentum_rates()));
        let (mut hidden, mut rows) = (self.hidden(), self.primary_constraints());
        let mut solves = Vec::new();
        for order in self.order + 1..2 * self.order {
            let primed = |symbol: &Expr<'g>| g.symbol(&format!("{symbol}'"));
            let rates: Vec<Expr<'g>> = hidden[n..].iter().map(primed).collect();
            let rates = [self.derivative(order), &rates].concat();
            direction.extend(hidden.iter().copied().zip(rates.iter().copied()));
            rows = g.directional(&rows, &direction);
            solves.push(Solve::new(&rates, &rows, &vec![g.int(0); rates.len()]));
            hidden = rates;
        }
        solves
    }
}
