//! The continuous equations of motion as a system of first order.

use extremal_expr::{Expr, Id};

use super::builder::thermal_guards;
use super::from_momenta::momentum_phase_flow;
use super::scheme::{SchemeGuard, ids};
use crate::System;
use crate::block::{Block, Solve};

/// The state of the continuous equations: (q, v, S, accounts, multipliers that move); for higher orders (q, …, q^(2k−1), …).
pub(super) fn phase_state<'g>(system: &System<'g>) -> Vec<Expr<'g>> {
    [system.configuration(), system.velocities(), system.carried(), system.moving_multipliers()].concat()
}

/// The equations of motion, for accelerations, rates of entropies, and multipliers or their rates.
fn motion<'g>(system: &System<'g>) -> Solve {
    let unknowns = system.motion_unknowns();
    Solve::new(&unknowns, &system.motion_equations(), &vec![system.graph.int(0); unknowns.len()])
}

/// Equations of motion as a system of first order, for adaptive integrators.
pub struct PhaseFlow {
    /// What moves.
    pub state: Vec<Id>,
    /// How many of it, one after the other, are of the same kind: coordinates, velocities, further derivatives, then each by itself.
    pub alike: Vec<usize>,
    /// From the state and t to its rates.
    pub rates: Block,
    /// From the state and t to velocities and momenta.
    pub observe: Block,
    /// From the state and t to the state, where some of it follows from the rest: that of a singular system.
    pub projection: Option<Block>,
    /// What must hold at every state.
    pub guards: Vec<SchemeGuard>,
}

impl PhaseFlow {
    /// The continuous equations of a system.
    pub fn of(system: &System<'_>) -> PhaseFlow {
        if system.flow.is_some() {
            return momentum_phase_flow(system);
        }
        let (state, n, derivatives) = (ids(&phase_state(system)), system.len(), 2 * system.order);
        PhaseFlow {
            alike: [vec![n; derivatives], vec![1; state.len() - derivatives * n]].concat(),
            state,
            rates: acceleration(system),
            observe: phase_observation(system),
            projection: system.manifold.as_ref().map(|_| Block {
                inputs: ids(&[phase_state(system), vec![system.t]].concat()),
                solves: Vec::new(),
                outputs: ids(&system.restricted(&phase_state(system))),
            }),
            guards: phase_guards(system),
        }
    }
}

/// From the [`phase_state`] and t to its rates.
fn acceleration(system: &System<'_>) -> Block {
    let accounts: Vec<_> = system.accounts().iter().map(|account| account.rate).collect();
    let moving: Vec<_> = system.vakonomic().map(|constraint| constraint.rate).collect();
    let derivatives: Vec<_> = (1..=2 * system.order).flat_map(|order| system.derivative(order)).copied().collect();
    Block {
        inputs: ids(&[phase_state(system), vec![system.t]].concat()),
        solves: vec![motion(system)],
        outputs: ids(&system.restricted(&[&derivatives[..], &system.heat.rates, &accounts, &moving].concat())),
    }
}

/// From the [`phase_state`] and t to velocities and momenta: the observation of a state that carries velocities. Under
/// constraints, accelerations and multipliers are among its unknowns.
pub(super) fn phase_observation(system: &System<'_>) -> Block {
    Block {
        inputs: ids(&[phase_state(system), vec![system.t]].concat()),
        solves: reactions_solve(system),
        outputs: ids(&[system.velocities(), system.momenta()].concat()),
    }
}

/// How an observation finds the reactions: by the equations of motion at the node itself, so that they are as accurate as the
/// state there. Half-impulses of a step would be of order one.
pub(super) fn reactions_solve(system: &System<'_>) -> Vec<Solve> {
    match (system.dry.is_empty(), system.constraints.is_empty()) {
        (false, _) => system.instant_with_dry(),
        (true, true) => Vec::new(),
        (true, false) => vec![motion(system).by_multipliers(system)],
    }
}

/// What must hold at a state that carries velocities: positive temperatures, friction that takes energy.
pub(super) fn phase_guards(system: &System<'_>) -> Vec<SchemeGuard> {
    thermal_guards(system, &system.temperatures(), &system.friction_heating())
}
