//! Thermodynamics: temperatures, what warms an entropy, and the account of work and heat. Other states of first order, an action or the
//! variables of a Poisson system, have a law of their own.

use extremal_expr::Expr;

use super::poisson::PoissonBrackets;
use crate::System;

/// The entropies of a system, or other states that move by an equation of first order. Empty for a purely mechanical one.
#[derive(Clone, Default)]
pub struct Heat<'g> {
    /// Names of the entropies.
    pub names: Vec<String>,
    /// Entropies.
    pub s: Vec<Expr<'g>>,
    /// Their rates `S'`, as symbols.
    pub rates: Vec<Expr<'g>>,
    /// What moves them.
    pub law: RateLaw<'g>,
    /// The friction forces (already part of the system's forces) and which entropies their power warms.
    pub friction: Vec<Friction<'g>>,
    /// Heat power received from outside, per entropy.
    pub power: Vec<Expr<'g>>,
    /// Conducting contacts: two entropies and the conductance between them.
    pub conduction: Vec<(usize, usize, Expr<'g>)>,
}

/// What moves the states of first order.
#[derive(Clone, Default)]
pub enum RateLaw<'g> {
    /// They are entropies: T S' is the heat that each receives.
    #[default]
    Heat,
    /// It is the action: z' = L.
    Action,
    /// They are the variables of a Poisson system: x' = B ∇H with H = −L.
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
    /// `work`, `heat`, or that of a contact system.
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
            law: RateLaw::Heat,
            friction: Vec::new(),
            power: vec![graph.int(0); names.len()],
            conduction: Vec::new(),
        }
    }

    /// Is there no entropy, nor any other state of first order?
    pub fn is_empty(&self) -> bool {
        self.s.is_empty()
    }

    /// Are there entropies?
    pub fn is_thermal(&self) -> bool {
        !self.s.is_empty() && matches!(self.law, RateLaw::Heat)
    }

    /// What one of them is called.
    pub fn word(&self) -> &'static str {
        match self.law {
            RateLaw::Heat => "entropy",
            RateLaw::Action => "action",
            RateLaw::Poisson(_) => "variable",
        }
    }
}

impl<'g> System<'g> {
    /// Temperatures T = −∂L/∂S, of entropies only.
    pub fn temperatures(&self) -> Vec<Expr<'g>> {
        if !self.heat.is_thermal() {
            return Vec::new();
        }
        self.graph.gradient(self.lagrangian, &self.heat.s).into_iter().map(|slope| -slope).collect()
    }

    /// The power that friction takes out of the motion into each entropy, −F_fr·v by shares.
    pub fn friction_heating(&self) -> Vec<Expr<'g>> {
        let mut heating = vec![Vec::new(); self.heat.s.len()];
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

    /// Residuals of T S' = sources, of z' = L or of x' = B ∇H, which vanish along the motion.
    pub fn entropy_balance(&self) -> Vec<Expr<'g>> {
        let stated = match &self.heat.law {
            RateLaw::Heat => None,
            RateLaw::Action => Some(vec![self.lagrangian]),
            RateLaw::Poisson(brackets) => Some(self.poisson_rates(brackets)),
        };
        if let Some(stated) = stated {
            return self.heat.rates.iter().zip(stated).map(|(rate, value)| *rate - value).collect();
        }
        let temperatures = self.temperatures();
        let sources = self.entropy_sources(&temperatures);
        (0..self.heat.s.len()).map(|k| temperatures[k] * self.heat.rates[k] - sources[k]).collect()
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
    /// ∂L/∂t, and the heat.
    /// Accounts that are always zero are left out. That of a contact system is the logarithm of its factor.
    pub fn accounts(&self) -> Vec<Account<'g>> {
        if !self.heat.is_thermal() {
            return self.contact_account().into_iter().collect();
        }
        let g = self.graph;
        let explicit = g.gradient(self.lagrangian, &[self.t])[0];
        let work = g.dot(&self.external_force(), &self.v) - explicit + self.constraint_power() + self.dry_power();
        let heat = g.sum(self.heat.power.iter().copied());
        [("work", work), ("heat", heat)]
            .into_iter()
            .filter(|(_, rate)| !rate.is_zero())
            .map(|(name, rate)| Account { name, value: self.symbol(name), rate })
            .collect()
    }

    /// The symbols that a state carries besides positions and momenta (or velocities): entropies, then accounts.
    pub fn carried(&self) -> Vec<Expr<'g>> {
        self.heat.s.iter().copied().chain(self.accounts().iter().map(|account| account.value)).collect()
    }
}
