//! What moves by equations of first order: entropies, with temperatures, what warms them, and the account of work and heat; and states
//! whose rates a user states, (S1) of docs/theory.md, or which follow from a law: the action, and the variables of a Poisson system.

use extremal_expr::Expr;

use super::poisson::PoissonBrackets;
use crate::System;

/// The entropies of a system, and its states after them. Empty for a purely mechanical one.
#[derive(Clone, Default)]
pub struct Heat<'g> {
    /// Names of the entropies, then of the states.
    pub names: Vec<String>,
    /// Entropies, then states.
    pub s: Vec<Expr<'g>>,
    /// Their rates `S'`, as symbols.
    pub rates: Vec<Expr<'g>>,
    /// What the rates of the states come from.
    pub law: RateLaw<'g>,
    /// The friction forces (already part of the system's forces) and which entropies their power warms.
    pub friction: Vec<Friction<'g>>,
    /// Heat power received from outside, per entropy.
    pub power: Vec<Expr<'g>>,
    /// Conducting contacts: two entropies and the conductance between them.
    pub conduction: Vec<(usize, usize, Expr<'g>)>,
    /// How fast each state changes, in coordinates, velocities, entropies, states and time.
    pub state_rates: Vec<Expr<'g>>,
}

/// What the rates of the states come from.
#[derive(Clone, Default)]
pub enum RateLaw<'g> {
    /// They are stated, one by one.
    #[default]
    Stated,
    /// The only state is the action, z' = L, which is varied with the motion.
    Action,
    /// The states are all that moves, the variables of a Poisson system: x' = B ∇H with H = −L.
    Poisson(PoissonBrackets<'g>),
}

/// A friction force on one coordinate.
#[derive(Clone)]
pub struct Friction<'g> {
    /// The coordinate it acts on.
    pub coordinate: usize,
    /// The generalised force.
    pub force: Expr<'g>,
    /// Which share of its power warms which entropy.
    pub shares: Vec<(usize, Expr<'g>)>,
}

/// Something that is summed up along a motion to balance the energy.
#[derive(Clone)]
pub struct Account<'g> {
    /// `work` or `heat`; `cost` in the flow of a control problem; that of a contact system.
    pub name: &'static str,
    /// The symbol of its present value.
    pub value: Expr<'g>,
    /// Its rate, in coordinates, velocities, entropies, time and multipliers.
    pub rate: Expr<'g>,
}

impl<'g> Heat<'g> {
    /// Without friction, outside heat or conduction, for the entropies of these names.
    pub fn of(graph: &'g extremal_expr::Graph, names: &[&str]) -> Heat<'g> {
        Heat {
            names: names.iter().map(|name| name.to_string()).collect(),
            s: names.iter().map(|name| graph.symbol(name)).collect(),
            rates: names.iter().map(|name| graph.symbol(&format!("{name}'"))).collect(),
            law: RateLaw::Stated,
            friction: Vec::new(),
            power: vec![graph.int(0); names.len()],
            conduction: Vec::new(),
            state_rates: Vec::new(),
        }
    }

    /// The action of a contact system, whose rate is its Lagrangian.
    pub fn of_action(name: &str, lagrangian: Expr<'g>) -> Heat<'g> {
        let mut heat = Heat { law: RateLaw::Action, ..Heat::default() };
        heat.push_state(name, lagrangian);
        heat
    }

    /// The variables of a Poisson system, with the rates B ∇H.
    pub fn of_brackets(names: &[&str], brackets: PoissonBrackets<'g>, hamiltonian: Expr<'g>) -> Heat<'g> {
        let graph = hamiltonian.graph();
        let symbols: Vec<_> = names.iter().map(|name| graph.symbol(name)).collect();
        let rates = brackets.applied(&graph.gradient(hamiltonian, &symbols));
        let mut heat = Heat { law: RateLaw::Poisson(brackets), ..Heat::default() };
        names.iter().zip(rates).for_each(|(name, rate)| heat.push_state(name, rate));
        heat
    }

    /// Adds a state with its rate, in any symbols of the system.
    pub fn push_state(&mut self, name: &str, rate: Expr<'g>) {
        let graph = rate.graph();
        self.names.push(name.to_string());
        self.s.push(graph.symbol(name));
        self.rates.push(graph.symbol(&format!("{name}'")));
        self.state_rates.push(rate);
    }

    /// Is there neither an entropy nor a state?
    pub fn is_empty(&self) -> bool {
        self.s.is_empty()
    }

    /// What one of those that are carried is called, by its place.
    pub fn word(&self, place: usize) -> &'static str {
        match self.law {
            _ if place < self.entropies().len() => "entropy",
            RateLaw::Stated => "state",
            RateLaw::Action => "action",
            RateLaw::Poisson(_) => "variable",
        }
    }

    /// How many of those that are carried have one rate over a step of a variational method: entropies, and an action.
    pub(crate) fn held(&self) -> usize {
        match self.law {
            RateLaw::Action => self.s.len(),
            RateLaw::Stated | RateLaw::Poisson(_) => self.entropies().len(),
        }
    }

    /// The entropies alone.
    pub fn entropies(&self) -> &[Expr<'g>] {
        &self.s[..self.s.len() - self.state_rates.len()]
    }

    /// The states alone.
    pub fn states(&self) -> &[Expr<'g>] {
        &self.s[self.s.len() - self.state_rates.len()..]
    }
}

impl<'g> System<'g> {
    /// Temperatures T = −∂L/∂S.
    pub fn temperatures(&self) -> Vec<Expr<'g>> {
        self.graph.gradient(self.lagrangian, self.heat.entropies()).into_iter().map(|slope| -slope).collect()
    }

    /// The power that friction takes out of the motion into each entropy, −F_fr·v by shares.
    pub fn friction_heating(&self) -> Vec<Expr<'g>> {
        let mut heating = vec![Vec::new(); self.heat.entropies().len()];
        for friction in &self.heat.friction {
            let power = -(friction.force * self.v[friction.coordinate]);
            for (entropy, share) in &friction.shares {
                heating[*entropy].push(*share * power);
            }
        }
        for dry in &self.dry {
            for (entropy, share) in &dry.shares {
                heating[*entropy].push(*share * dry.heating());
            }
        }
        heating.into_iter().map(|powers| self.graph.sum(powers)).collect()
    }

    /// T S' of each entropy: friction, outside heat, and what flows in from warmer neighbours. `temperatures` may be the
    /// discrete ones of a method.
    pub fn entropy_sources(&self, temperatures: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let mut sources: Vec<_> = self
            .friction_heating()
            .into_iter()
            .zip(&self.heat.power)
            .map(|(friction, power)| friction + *power)
            .collect();
        for (a, b, conductance) in &self.heat.conduction {
            let flow = *conductance * (temperatures[*b] - temperatures[*a]);
            sources[*a] = sources[*a] + flow;
            sources[*b] = sources[*b] - flow;
        }
        sources
    }

    /// Residuals of T S' = sources, which vanish along the motion.
    pub fn entropy_balance(&self) -> Vec<Expr<'g>> {
        let temperatures = self.temperatures();
        let sources = self.entropy_sources(&temperatures);
        (0..temperatures.len()).map(|k| temperatures[k] * self.heat.rates[k] - sources[k]).collect()
    }

    /// Residuals of x' = f of every state (S1).
    pub fn state_equations(&self) -> Vec<Expr<'g>> {
        let rates = &self.heat.rates[self.heat.entropies().len()..];
        rates.iter().zip(&self.heat.state_rates).map(|(rate, value)| *rate - *value).collect()
    }

    /// Residuals of all equations of first order: of entropies, then of states.
    pub fn carried_equations(&self) -> Vec<Expr<'g>> {
        [self.entropy_balance(), self.state_equations()].concat()
    }

    /// The forces that do not warm anything: all forces less the friction of the entropies.
    pub fn external_force(&self) -> Vec<Expr<'g>> {
        let mut external = self.force_without_dry();
        for friction in &self.heat.friction {
            external[friction.coordinate] = external[friction.coordinate] - friction.force;
        }
        external
    }

    /// What changes the energy of a system with entropies from outside: the work of external forces and moving constraints less
    /// ∂L/∂t, what states that the Lagrangian contains do by their change, and the heat.
    /// Accounts that are always zero are left out. A motion from momenta has that of its cost, a contact system the logarithm of its
    /// factor.
    pub fn accounts(&self) -> Vec<Account<'g>> {
        self.accounts_with(self.power_beside_forces())
    }

    /// What changes the energy beside forces and heat: moving constraints, the explicit time, −∂L/∂t, and states that the Lagrangian
    /// contains.
    pub fn power_beside_forces(&self) -> Expr<'g> {
        let g = self.graph;
        let by_states = g.dot(&g.gradient(self.lagrangian, self.heat.states()), &self.heat.state_rates);
        self.constraint_power() - g.gradient(self.lagrangian, &[self.t])[0] - by_states
    }

    /// The accounts where the energy changes by this beside forces and heat: a method may have an expression of its own for it.
    pub fn accounts_with(&self, beside_forces: Expr<'g>) -> Vec<Account<'g>> {
        if let Some(flow) = &self.flow {
            return flow.accounts(self);
        }
        if self.heat.entropies().is_empty() {
            return self.contact_account().into_iter().collect();
        }
        let g = self.graph;
        let work = g.dot(&self.external_force(), &self.v) + beside_forces + self.dry_power();
        let heat = g.sum(self.heat.power.iter().copied());
        [("work", work), ("heat", heat)]
            .into_iter()
            .filter(|(_, rate)| !rate.is_zero())
            .map(|(name, rate)| Account { name, value: self.symbol(name), rate })
            .collect()
    }

    /// The symbols that a step carries besides positions and momenta (or velocities): entropies, states, then accounts.
    pub fn carried(&self) -> Vec<Expr<'g>> {
        self.heat.s.iter().copied().chain(self.accounts().iter().map(|account| account.value)).collect()
    }
}
