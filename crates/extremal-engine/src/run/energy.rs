//! What is known of the energy p·v − L before anything is computed.

use extremal_expr::Expr;
use extremal_mechanics::System;
use extremal_mechanics::continuous::RateLaw;
use extremal_model::Model;

/// Does the energy p·v − L stay the same along every motion?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnergyLaw {
    /// It does.
    Conserved,
    /// It does although the Lagrangian is written with time, as that of a driven system is: what is conserved is the Jacobi integral,
    /// and not the T + V of the driven bodies.
    Jacobi,
    /// It does not, but its quotient by the factor of the contact form does: E' = ∂L/∂z E.
    Scaled,
    /// It does not, for this reason.
    Changes(String),
}

impl EnergyLaw {
    /// The law of a model. The energy is constant where ∂L/∂t is zero, whether or not t is written, when no force does work on the
    /// system from outside and no heat comes in. Friction that warms an entropy only turns one kind of energy into another.
    ///
    /// ```
    /// use extremal_engine::{Model, run::EnergyLaw};
    /// let text = r#"
    ///     definitions = { x = "r*cos(w*t)", y = "r*sin(w*t)" }
    ///     parameters = { w = 2 }
    ///     coordinates = { r = { start = 1 } }
    ///     dynamics = { lagrangian = "(x'^2 + y'^2)/2" }
    /// "#;
    /// assert_eq!(EnergyLaw::of(&Model::from_toml(text)?), EnergyLaw::Jacobi);
    /// # Ok::<(), extremal_engine::InvalidModel>(())
    /// ```
    pub fn of(model: &Model) -> EnergyLaw {
        let system = System::followed(model).unwrap_or_else(|_| System::of(model));
        let g = system.graph;
        // What acts in a control problem is a part of its optimality conditions.
        let mut outside = if system.flow.is_some() { system.force.clone() } else { model.forces() };
        if model.entropies().is_empty() && system.flow.is_none() {
            outside = outside.into_iter().zip(model.friction()).map(|(force, friction)| force + friction).collect();
        }
        let accounts = system.accounts();
        let received =
            |name: &str| accounts.iter().find(|account| account.name == name).map_or(g.int(0), |account| account.rate);
        let of_time = match system.poisson() {
            Some(_) => "the Hamiltonian depends on time",
            None => "the Lagrangian depends on time",
        };
        // The brackets are skew, and an action scales the energy: neither is a reason of its own.
        let by_states = match system.heat.law {
            RateLaw::Stated => g.dot(&g.gradient(system.lagrangian, system.heat.states()), &system.heat.state_rates),
            RateLaw::Action | RateLaw::Poisson(_) => g.int(0),
        };
        let reasons = [
            (g.dot(&outside, &system.v), "forces act"),
            (received("heat"), "heat comes in"),
            (received("matter"), "matter comes in"),
            (system.constraint_power(), "constraints do work"),
            (g.gradient(system.lagrangian, &[system.t])[0], of_time),
            (by_states, "states change the Lagrangian"),
        ];
        let mut reasons: Vec<&str> =
            reasons.into_iter().filter(|(rate, _)| !is_zero(*rate)).map(|(_, why)| why).collect();
        if model.entropies().is_empty() && system.flow.is_none() && !model.dry_friction().is_empty() {
            reasons.push("dry friction acts");
        }
        match reasons.is_empty() {
            false => EnergyLaw::Changes(reasons.join(" and ")),
            true if !system.contact_rate().is_zero() => EnergyLaw::Scaled,
            true if system.lagrangian.depends_on(&[system.t]) => EnergyLaw::Jacobi,
            true => EnergyLaw::Conserved,
        }
    }

    /// Why the energy may change, if it may.
    pub fn why_it_changes(&self) -> Option<&str> {
        match self {
            EnergyLaw::Changes(reason) => Some(reason),
            EnergyLaw::Conserved | EnergyLaw::Jacobi | EnergyLaw::Scaled => None,
        }
    }
}

fn is_zero(rate: Expr<'_>) -> bool {
    rate.graph().vanishes(rate, &[]) == Some(true)
}
