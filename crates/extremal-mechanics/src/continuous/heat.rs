//! What moves by equations of first order: entropies, with temperatures, what warms them, and the account of work and heat; and states
//! whose rates a user states, (S1) of docs/theory.md, or which follow from a law: the action, and the variables of a Poisson system.

use extremal_expr::Expr;

use super::poisson::PoissonBrackets;
use super::ports::{Inflow, Port};
use crate::System;

/// The entropies of a system, behind them amounts of matter, then states. Empty for a purely mechanical one.
#[derive(Clone, Default)]
pub struct Heat<'g> {
    /// Names of the entropies, then of the amounts, then of the states.
    pub names: Vec<String>,
    /// Entropies, then amounts of matter, then states.
    pub s: Vec<Expr<'g>>,
    /// Their rates `S'`, as symbols.
    pub rates: Vec<Expr<'g>>,
    /// For each amount the entropy of the part that holds it.
    pub held_by: Vec<usize>,
    /// Ways on which matter and heat come in and go.
    pub ports: Vec<Port<'g>>,
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

/// Something that is summed up along a motion to balance the energy, or the entropy.
#[derive(Clone)]
pub struct Account<'g> {
    /// `work`, `heat` or `matter` for the energy, `entropy_carried` or `entropy_exchanged` for the entropy; `cost` in the flow of a
    /// control problem; that of a contact system.
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
            held_by: Vec::new(),
            ports: Vec::new(),
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

    /// Is there neither an entropy nor an amount nor a state?
    pub fn is_empty(&self) -> bool {
        self.s.is_empty()
    }

    /// What one of those that are carried is called, by its place.
    pub fn word(&self, place: usize) -> &'static str {
        match self.law {
            _ if place < self.entropies().len() => "entropy",
            _ if place < self.balanced().len() => "amount",
            RateLaw::Stated => "state",
            RateLaw::Action => "action",
            RateLaw::Poisson(_) => "variable",
        }
    }

    /// How many of those that are carried have one rate over a step of a variational method: entropies, amounts, and an action.
    pub(crate) fn held(&self) -> usize {
        match self.law {
            RateLaw::Action => self.s.len(),
            RateLaw::Stated | RateLaw::Poisson(_) => self.balanced().len(),
        }
    }

    /// The entropies alone.
    pub fn entropies(&self) -> &[Expr<'g>] {
        &self.s[..self.balanced().len() - self.held_by.len()]
    }

    /// The amounts of matter alone.
    pub fn amounts(&self) -> &[Expr<'g>] {
        &self.balanced()[self.entropies().len()..]
    }

    /// Entropies and amounts, which change by balances; states have rates of their own.
    pub fn balanced(&self) -> &[Expr<'g>] {
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
        let mut slopes = self.carried_slopes();
        slopes.truncate(self.heat.entropies().len());
        slopes
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

    /// T S' of each entropy: friction, outside heat, what flows in from warmer neighbours and through ports; then N' of each amount.
    /// `slopes` are temperatures and chemical potentials, which may be the discrete ones of a method.
    pub fn entropy_sources(&self, slopes: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let mut sources: Vec<_> = self
            .friction_heating()
            .into_iter()
            .zip(&self.heat.power)
            .map(|(friction, power)| friction + *power)
            .collect();
        for (a, b, conductance) in &self.heat.conduction {
            let flow = *conductance * (slopes[*b] - slopes[*a]);
            sources[*a] = sources[*a] + flow;
            sources[*b] = sources[*b] - flow;
        }
        sources.resize(self.heat.balanced().len(), self.graph.int(0));
        self.heat.through_ports(slopes, &mut sources);
        sources
    }

    /// The rates of all that is carried, where these are the temperatures and chemical potentials: S' and N' by the balances, then
    /// those of the states.
    pub fn carried_rates(&self, slopes: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let mut rates = self.entropy_sources(slopes);
        let warmed = rates.iter_mut().zip(slopes).take(self.heat.entropies().len());
        warmed.for_each(|(rate, temperature)| *rate = *rate / *temperature);
        rates.extend(&self.heat.state_rates);
        rates
    }

    /// Residuals of T S' = sources, and of N' = sources for amounts, which vanish along the motion.
    pub fn entropy_balance(&self) -> Vec<Expr<'g>> {
        let slopes = self.carried_slopes();
        let rates = &self.heat.rates[..self.heat.balanced().len()];
        self.carried_rows(&slopes, rates, &self.entropy_sources(&slopes))
    }

    /// Residuals of x' = f of every state (S1).
    pub fn state_equations(&self) -> Vec<Expr<'g>> {
        let rates = &self.heat.rates[self.heat.balanced().len()..];
        rates.iter().zip(&self.heat.state_rates).map(|(rate, value)| *rate - *value).collect()
    }

    /// Residuals of all equations of first order: of entropies, of amounts, then of states.
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
    /// ∂L/∂t, what states that the Lagrangian contains do by their change, heat, and what matter brings; and what changes its entropy.
    /// Accounts that are always zero are left out. A motion from momenta has that of its cost, a contact system the logarithm of its
    /// factor.
    pub fn accounts(&self) -> Vec<Account<'g>> {
        self.accounts_with(self.power_beside_forces(), &self.carried_slopes())
    }

    /// What changes the energy beside forces and heat: moving constraints, the explicit time, −∂L/∂t, and states that the Lagrangian
    /// contains.
    pub fn power_beside_forces(&self) -> Expr<'g> {
        let g = self.graph;
        let by_states = g.dot(&g.gradient(self.lagrangian, self.heat.states()), &self.heat.state_rates);
        self.constraint_power() - g.gradient(self.lagrangian, &[self.t])[0] - by_states
    }

    /// The accounts where the energy changes by `beside_forces` beside forces, heat and matter, and these are the temperatures and
    /// chemical potentials: a method may have expressions of its own for both.
    pub fn accounts_with(&self, beside_forces: Expr<'g>, slopes: &[Expr<'g>]) -> Vec<Account<'g>> {
        if let Some(flow) = &self.flow {
            return flow.accounts(self);
        }
        if self.heat.entropies().is_empty() {
            return self.contact_account().into_iter().collect();
        }
        // Whether there is an account does not depend on the values of temperatures.
        let any = self.account_rates(beside_forces, &self.slope_symbols());
        let rates = self.account_rates(beside_forces, slopes).into_iter().zip(any);
        rates
            .filter(|(_, (_, any))| !any.is_zero())
            .map(|((name, rate), _)| Account { name, value: self.symbol(name), rate })
            .collect()
    }

    fn account_rates(&self, beside_forces: Expr<'g>, slopes: &[Expr<'g>]) -> [(&'static str, Expr<'g>); 5] {
        let g = self.graph;
        let work = g.dot(&self.external_force(), &self.v) + beside_forces + self.dry_power();
        let Inflow { heat, matter, carried, exchanged } = self.heat.inflow(slopes);
        let sum = |rates: Vec<Expr<'g>>| g.sum(rates);
        [
            ("work", work),
            ("heat", sum(heat)),
            ("matter", sum(matter)),
            ("entropy_carried", sum(carried)),
            ("entropy_exchanged", sum(exchanged)),
        ]
    }

    /// The symbols that a step carries besides positions and momenta (or velocities): entropies, amounts, states, then accounts.
    pub fn carried(&self) -> Vec<Expr<'g>> {
        self.heat.s.iter().copied().chain(self.accounts().iter().map(|account| account.value)).collect()
    }
}
