//! Open systems: matter and heat that come in and go, with what they bring along.
//!
//! ```text
//! N' = Σ J        T S' = … + Σ J (h − μ) + Σ P
//! ```
//!
//! Matter that joins a part at the rate J brings the energy J h and the entropy J s; the part that it joins has the chemical
//! potential μ = −∂L/∂N. These are (E24) to (E28) of docs/theory.md.

use extremal_expr::Expr;

use super::Heat;
use crate::System;

/// A way on which matter or heat enters or leaves. Amounts and entropies by their places among what a state [carries](Heat::s).
#[derive(Clone)]
pub enum Port<'g> {
    /// Matter, from outside or to outside where an end is not stated.
    Matter {
        /// The amount that it leaves.
        from: Option<usize>,
        /// The amount that it joins.
        into: Option<usize>,
        /// How much per time.
        flow: Expr<'g>,
        /// Energy and entropy per amount, where they are not those of the part that it leaves.
        enthalpy: Option<Expr<'g>>,
        /// Entropy per amount, likewise.
        entropy: Option<Expr<'g>>,
    },
    /// Heat of a reservoir: this power and this conductance times the difference of the temperatures.
    Heat {
        /// The entropy that it warms.
        into: usize,
        /// Power that does not depend on temperatures.
        power: Expr<'g>,
        /// Power per difference of temperatures.
        conductance: Expr<'g>,
        /// The temperature of the reservoir.
        temperature: Expr<'g>,
    },
}

/// What comes in from outside through all ports, per time.
pub(super) struct Inflow<'g> {
    /// Energy with matter.
    pub matter: Vec<Expr<'g>>,
    /// Energy as heat.
    pub heat: Vec<Expr<'g>>,
    /// Entropy with matter.
    pub carried: Vec<Expr<'g>>,
    /// Entropy with heat.
    pub exchanged: Vec<Expr<'g>>,
}

impl<'g> Heat<'g> {
    /// The entropy of the part that holds the amount at this place.
    fn holder(&self, amount: usize) -> usize {
        self.held_by[amount - self.entropies().len()]
    }

    /// Energy and entropy per amount of what leaves a part that holds nothing else: μ + T S/N and S/N.
    fn own_load(&self, amount: usize, slopes: &[Expr<'g>]) -> (Expr<'g>, Expr<'g>) {
        let entropy = self.holder(amount);
        let each = self.s[entropy] / self.s[amount];
        (slopes[amount] + slopes[entropy] * each, each)
    }

    /// Energy and entropy per amount of what goes through a port for matter.
    fn load(
        &self,
        from: Option<usize>,
        (enthalpy, entropy): (Option<Expr<'g>>, Option<Expr<'g>>),
        slopes: &[Expr<'g>],
    ) -> (Option<Expr<'g>>, Option<Expr<'g>>) {
        let own = from.map(|amount| self.own_load(amount, slopes));
        (enthalpy.or(own.map(|(h, _)| h)), entropy.or(own.map(|(_, s)| s)))
    }

    /// The power of a port for heat.
    fn power(&self, port: &Port<'g>, slopes: &[Expr<'g>]) -> Option<(usize, Expr<'g>, Expr<'g>)> {
        match port {
            Port::Matter { .. } => None,
            Port::Heat { into, power, conductance, temperature } => {
                Some((*into, *power + *conductance * (*temperature - slopes[*into]), *temperature))
            }
        }
    }

    /// Adds what ports bring to `sources`: to T S' of an entropy, to N' of an amount. `slopes` are temperatures, then chemical
    /// potentials.
    pub(super) fn through_ports(&self, slopes: &[Expr<'g>], sources: &mut [Expr<'g>]) {
        for port in &self.ports {
            if let Some((into, power, _)) = self.power(port, slopes) {
                sources[into] = sources[into] + power;
            }
            let Port::Matter { from, into, flow, enthalpy, entropy } = port else { continue };
            let (enthalpy, _) = self.load(*from, (*enthalpy, *entropy), slopes);
            let ends = [(*from, -*flow), (*into, *flow)];
            for (amount, flow) in ends.into_iter().filter_map(|(amount, flow)| Some((amount?, flow))) {
                let holder = self.holder(amount);
                let brought = enthalpy.map_or(flow * -slopes[amount], |h| flow * (h - slopes[amount]));
                sources[amount] = sources[amount] + flow;
                sources[holder] = sources[holder] + brought;
            }
        }
    }

    /// What comes in from outside.
    pub(super) fn inflow(&self, slopes: &[Expr<'g>]) -> Inflow<'g> {
        let mut inflow = Inflow { matter: Vec::new(), heat: Vec::new(), carried: Vec::new(), exchanged: Vec::new() };
        for port in &self.ports {
            if let Some((_, power, temperature)) = self.power(port, slopes) {
                inflow.heat.push(power);
                inflow.exchanged.push(power / temperature);
            }
            let Port::Matter { from, into, flow, enthalpy, entropy } = port else { continue };
            let (h, s) = self.load(*from, (*enthalpy, *entropy), slopes);
            let flow = match (from, into) {
                (None, Some(_)) => *flow,
                (Some(_), None) => -*flow,
                _ => continue,
            };
            inflow.matter.extend(h.map(|h| flow * h));
            inflow.carried.extend(s.map(|s| flow * s));
        }
        for (power, temperature) in self.power.iter().zip(slopes) {
            inflow.heat.push(*power);
            inflow.exchanged.push(*power / *temperature);
        }
        inflow
    }
}

impl<'g> System<'g> {
    /// −∂L/∂S and −∂L/∂N: temperatures, then chemical potentials.
    pub fn carried_slopes(&self) -> Vec<Expr<'g>> {
        self.graph.gradient(self.lagrangian, self.heat.balanced()).into_iter().map(|slope| -slope).collect()
    }

    /// Chemical potentials μ = −∂L/∂N.
    pub fn potentials(&self) -> Vec<Expr<'g>> {
        self.carried_slopes().split_off(self.heat.entropies().len())
    }

    /// Σ T S' + Σ μ N', by the balances of entropies and amounts.
    pub fn carried_power(&self) -> Expr<'g> {
        let slopes = self.carried_slopes();
        let (sources, entropies) = (self.entropy_sources(&slopes), self.heat.entropies().len());
        let power = |k: usize| if k < entropies { sources[k] } else { slopes[k] * sources[k] };
        self.graph.sum((0..sources.len()).map(power))
    }

    /// Symbols that stand for temperatures and chemical potentials until those of a method are known.
    pub fn slope_symbols(&self) -> Vec<Expr<'g>> {
        let mut symbols = self.entropy_symbols("T_", "");
        symbols.truncate(self.heat.balanced().len());
        symbols
    }

    /// Residuals of T S' = sources and N' = sources, for these temperatures and potentials, rates and sources.
    pub fn carried_rows(&self, slopes: &[Expr<'g>], rates: &[Expr<'g>], sources: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let entropies = self.heat.entropies().len();
        let row = |k: usize| if k < entropies { slopes[k] * rates[k] - sources[k] } else { rates[k] - sources[k] };
        (0..rates.len()).map(row).collect()
    }
}
