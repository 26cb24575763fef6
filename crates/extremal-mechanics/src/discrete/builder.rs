//! What all methods have in common: what a step carries, how a run starts, how a state is observed, what every step must satisfy.

use extremal_expr::{Expr, Rational, Relation, magnitude};

use super::constrained::velocities;
use super::flow::{phase_observation, phase_state, reactions_solve};
use super::scheme::{Scheme, SchemeGuard, ids};
use crate::System;
use crate::block::{Block, Solve};

/// A scheme in the making: all of it but the step.
pub(super) struct SchemeBuilder<'s, 'g> {
    system: &'s System<'g>,
    /// What a step carries.
    pub state: Vec<Expr<'g>>,
    /// The velocities that a first guess of the step may use.
    pub velocities: Vec<Expr<'g>>,
    pub start: Block,
    pub observe: Block,
}

impl<'s, 'g> SchemeBuilder<'s, 'g> {
    /// The state is (q, p, S) with states and accounts; velocities belong to momenta by the Legendre transform.
    pub fn of_momenta(system: &'s System<'g>) -> Self {
        SchemeBuilder {
            system,
            state: [&system.configuration()[..], &system.p, &system.carried()].concat(),
            velocities: system.velocities(),
            start: legendre_start(system),
            observe: observe_momenta(system, false),
        }
    }

    /// The same where velocities that belong to momenta satisfy the constraints already, at the end of every step.
    pub fn of_bound_momenta(system: &'s System<'g>) -> Self {
        SchemeBuilder { observe: observe_momenta(system, true), ..SchemeBuilder::of_momenta(system) }
    }

    /// The state is (q, v, S) with the accounts and the multipliers that move.
    pub fn of_velocities(system: &'s System<'g>) -> Self {
        let (state, guess) = (phase_state(system), system.symbols("v_", ""));
        let moving = system.moving_multipliers();
        let instant = [system.t, system.step()];
        SchemeBuilder {
            system,
            start: Block {
                inputs: ids(&[&system.q[..], &system.v, &system.heat.s, &instant, &moving].concat()),
                solves: Vec::new(),
                outputs: ids(&[started(system, &system.v), moving].concat()),
            },
            observe: Block { inputs: ids(&[&state[..], &[system.t], &guess].concat()), ..phase_observation(system) },
            state,
            velocities: guess,
        }
    }

    /// Any other state, with the velocities of which a first guess may be made.
    pub fn of_state(
        system: &'s System<'g>,
        state: Vec<Expr<'g>>,
        velocities: Vec<Expr<'g>>,
        start: Block,
        observed: &[Expr<'g>],
    ) -> Self {
        let inputs = ids(&[&state[..], &[system.t], &velocities].concat());
        let observe = Block { inputs, solves: Vec::new(), outputs: ids(observed) };
        SchemeBuilder { system, state, velocities, start, observe }
    }

    /// Further symbols in the state, and what they are at the start.
    pub fn carry(&mut self, symbols: &[Expr<'g>], at_start: &[Expr<'g>]) {
        let end = self.state.len();
        self.state.extend(symbols);
        self.start.outputs.extend(ids(at_start));
        self.observe.inputs.splice(end..end, ids(symbols));
    }

    /// The scheme whose step solves these equations and leads to the state `next`.
    pub fn step(self, name: String, solves: Vec<Solve>, next: &[Expr<'g>]) -> Scheme {
        let instant = [self.system.t, self.system.step()];
        Scheme {
            name,
            time: self.system.t.id(),
            step: Block {
                inputs: ids(&[&self.state[..], &instant, &self.velocities].concat()),
                solves,
                outputs: ids(next),
            },
            state: ids(&self.state),
            start: self.start,
            observe: self.observe,
            constants: Vec::new(),
            guards: Vec::new(),
            substeps: vec![1.0],
            time_in_state: None,
            equations: Vec::new(),
            note: String::new(),
        }
    }
}

/// Temperatures must stay positive and friction must not pump: what each step is checked for.
pub(super) fn thermal_guards<'g>(
    system: &System<'g>,
    temperatures: &[Expr<'g>],
    heating: &[Expr<'g>],
) -> Vec<SchemeGuard> {
    let g = system.graph;
    let names = &system.heat.names;
    let positive = temperatures[..system.heat.entropies().len().min(temperatures.len())].iter().zip(names).map(
        |(temperature, name)| SchemeGuard {
            label: format!("the temperature -dL/d{name} stays positive"),
            condition: g.compare(Relation::Lt, g.int(0), *temperature).id(),
        },
    );
    // Friction that is zero up to round-off may come out with either sign.
    let slack = g.rational(Rational::new(-1, 1_000_000_000_000).unwrap_or(Rational::ZERO));
    let dissipative =
        heating.iter().zip(names).filter(|(power, _)| !power.is_zero()).map(|(power, name)| SchemeGuard {
            label: format!("the friction that heats {name} takes energy out of the motion"),
            condition: g.compare(Relation::Le, slack * magnitude(*power), *power).id(),
        });
    positive.chain(dissipative).collect()
}

/// The state at the start from positions, the given momenta or velocities, and entropies; the accounts start at zero.
pub(super) fn started<'g>(system: &System<'g>, second_half: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let zeros = vec![system.graph.int(0); system.accounts().len()];
    [&system.configuration()[..], second_half, &system.heat.s, &zeros].concat()
}

/// State (q, p, S) from (q, v, S) and the multipliers that move: the continuous Legendre transform.
fn legendre_start(system: &System<'_>) -> Block {
    let (given, instant) = ([system.configuration(), system.velocities()].concat(), [system.t, system.step()]);
    Block {
        inputs: ids(&[&given[..], &system.heat.s, &instant, &system.moving_multipliers()].concat()),
        solves: Vec::new(),
        outputs: ids(&started(system, &system.momenta())),
    }
}

/// Velocities from momenta: solves p = ∂L/∂v(q, v, S, t) for v, from a velocity guess. Under constraints, of which the
/// velocities satisfy all, accelerations and multipliers follow; those of `bound` momenta need no impulse for it.
fn observe_momenta(system: &System<'_>, bound: bool) -> Block {
    let guess: Vec<_> = (0..system.order).flat_map(|r| system.symbols("v_", &"'".repeat(r))).collect();
    let (found, momenta) = match system.order {
        1 if !bound => {
            let here = system.here();
            let found = velocities(system, (&here, &here), &system.moving_multipliers(), &system.p, &guess);
            (found.solve, found.momenta)
        }
        // Each momentum is affine in the highest derivative that it brings in.
        _ => {
            let rows: Vec<_> = system.momenta().iter().zip(&system.p).map(|(formula, p)| *formula - *p).collect();
            (Solve::new(&system.velocities(), &rows, &guess), system.p.clone())
        }
    };
    let mut solves = vec![found];
    solves.extend(reactions_solve(system));
    let state = [&system.configuration()[..], &system.p, &system.carried()].concat();
    Block {
        inputs: ids(&[&state[..], &[system.t], &guess].concat()),
        solves,
        outputs: ids(&[system.velocities(), momenta].concat()),
    }
}
