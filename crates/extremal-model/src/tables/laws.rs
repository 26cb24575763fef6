//! What the second law asks of a model at its start: positive temperatures, heat that only flows from warm to cold, friction that
//! heats.

use std::collections::HashMap;

use extremal_expr::{Expr, Graph, Id};

use super::conduction::Conduction;
use super::coordinates::{Coordinate, Coordinates};
use super::dynamics::Dynamics;
use super::entropies::{Entropies, Entropy};
use super::friction::FrictionTerm;
use crate::diagnostic::{Code, Diagnostic};
use crate::resolver::Resolver;

/// How far from 1 shares may sum: the rounding of a handful of additions and of the decimals in the file.
const SHARES_TOLERANCE: f64 = 1e-12;

/// The parts of a model that the laws speak of.
pub(crate) struct LawsAtStart<'a> {
    pub graph: &'a Graph,
    pub lagrangian: Id,
    pub coordinates: &'a [Coordinate],
    pub entropies: &'a [Entropy],
    pub friction: &'a [FrictionTerm],
    pub conductions: &'a [Conduction],
}

/// Something that cannot be; quantities by their places.
pub(crate) enum Breach {
    /// A temperature that is not a positive number.
    Temperature { entropy: usize, value: f64 },
    /// A conductance that is negative or no number.
    Conductance { conduction: usize, value: f64 },
    /// A negative share.
    NegativeShare { term: usize, entropy: usize, value: f64 },
    /// Shares that do not sum to 1.
    ShareSum { term: usize, value: f64 },
}

/// Friction that cools an entropy instead of heating it.
pub(crate) struct Pumping {
    pub entropy: usize,
    /// The power that the friction gives to the motion.
    pub power: f64,
    /// The term that gives most of it.
    pub term: usize,
}

impl LawsAtStart<'_> {
    /// Everything that is impossible at the start.
    pub fn breaches(&self, value_of: impl Fn(&str) -> Option<f64>) -> Vec<Breach> {
        let mut breaches = Vec::new();
        for (entropy, slope) in self.graph.evaluate(&self.temperatures(), &value_of).into_iter().enumerate() {
            // Not `-slope`, which would call a temperature of zero -0.
            let value = 0.0 - slope;
            if !(value > 0.0 && value.is_finite()) {
                breaches.push(Breach::Temperature { entropy, value });
            }
        }
        let conductances: Vec<Expr<'_>> = self.conductions.iter().map(|c| self.graph.expr(c.conductance)).collect();
        for (conduction, value) in self.graph.evaluate(&conductances, &value_of).into_iter().enumerate() {
            if !(value >= 0.0 && value.is_finite()) {
                breaches.push(Breach::Conductance { conduction, value });
            }
        }
        let mut shares = self.shares(&value_of).into_iter();
        for (term, stated) in self.friction.iter().enumerate().filter(|(_, term)| !term.shares.is_empty()) {
            let values: Vec<f64> = shares.by_ref().take(stated.shares.len()).collect();
            let sum: f64 = values.iter().sum();
            if let Some(at) = values.iter().position(|value| *value < 0.0) {
                breaches.push(Breach::NegativeShare { term, entropy: stated.shares[at].0, value: values[at] });
            } else if sum.is_nan() || (sum - 1.0).abs() > SHARES_TOLERANCE {
                breaches.push(Breach::ShareSum { term, value: sum });
            }
        }
        breaches
    }

    /// The entropies that friction cools at the start.
    pub fn pumping(&self, value_of: impl Fn(&str) -> Option<f64>) -> Vec<Pumping> {
        let factors = self.friction.iter().flat_map(|term| [term.force, self.coordinates[term.coordinate].velocity]);
        let factors = self.graph.evaluate(&self.graph.exprs(&factors.collect::<Vec<Id>>()), &value_of);
        let mut shares = self.shares(&value_of).into_iter();
        let mut powers: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.entropies.len()];
        for (term, (stated, factors)) in self.friction.iter().zip(factors.chunks(2)).enumerate() {
            for ((entropy, _), share) in stated.shares.iter().zip(shares.by_ref()) {
                powers[*entropy].push((term, share * factors[0] * factors[1]));
            }
        }
        powers.iter().enumerate().filter_map(|(entropy, powers)| pumped(entropy, powers)).collect()
    }

    /// `dL/dS`, minus the temperatures.
    fn temperatures(&self) -> Vec<Expr<'_>> {
        let symbols: Vec<Expr<'_>> = self.entropies.iter().map(|entropy| self.graph.expr(entropy.symbol)).collect();
        self.graph.gradient(self.graph.expr(self.lagrangian), &symbols)
    }

    /// The shares of all terms, one after the other.
    fn shares(&self, value_of: impl Fn(&str) -> Option<f64>) -> Vec<f64> {
        let ids = self.friction.iter().flat_map(|term| term.shares.iter().map(|(_, share)| *share));
        let shares: Vec<Expr<'_>> = ids.map(|id| self.graph.expr(id)).collect();
        self.graph.evaluate(&shares, value_of)
    }
}

/// Does friction cool the entropy, given the powers of its terms?
fn pumped(entropy: usize, powers: &[(usize, f64)]) -> Option<Pumping> {
    let power: f64 = powers.iter().map(|(_, power)| power).sum();
    let size: f64 = powers.iter().map(|(_, power)| power.abs()).sum();
    let (term, _) = *powers.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    // Powers that cancel leave the rounding of their sum.
    (power > size * f64::EPSILON * powers.len() as f64).then_some(Pumping { entropy, power, term })
}

/// Reports what the laws forbid at the start, and warns of friction that begins by giving energy.
pub(crate) fn check(
    resolver: &mut Resolver<'_, '_>,
    dynamics: &Dynamics,
    coordinates: &Coordinates,
    entropies: &Entropies,
    starts: &HashMap<String, f64>,
) {
    if entropies.list.is_empty() {
        return;
    }
    let laws = LawsAtStart {
        graph: resolver.graph,
        lagrangian: dynamics.lagrangian,
        coordinates: &coordinates.list,
        entropies: &entropies.list,
        friction: &dynamics.friction.terms,
        conductions: &dynamics.conductions.list,
    };
    let value_of = |name: &str| starts.get(name).or_else(|| resolver.values.get(name)).copied();
    let breaches = laws.breaches(value_of);
    let pumping = if breaches.is_empty() { laws.pumping(value_of) } else { Vec::new() };
    for breach in breaches {
        resolver.problems.push(diagnostic(&breach, dynamics, entropies));
    }
    for Pumping { entropy, power, term } in pumping {
        let name = &entropies.list[entropy].name;
        let message =
            format!("at the start, friction takes heat from `{name}` and gives the motion a power of {power}");
        let span = dynamics.friction.spans[term].clone();
        let diagnostic = Diagnostic::warning(Code::PumpingFriction, message).at(span, "a run stops where this happens");
        let help = "friction points against the velocity, as \"-c*x'\" does; a force that drives belongs into [forces]";
        resolver.problems.push(diagnostic.help(help));
    }
}

fn diagnostic(breach: &Breach, dynamics: &Dynamics, entropies: &Entropies) -> Diagnostic {
    match *breach {
        Breach::Temperature { entropy, value } => {
            let name = &entropies.list[entropy].name;
            let message = format!("the temperature of `{name}` is {value} at the start; it must be positive");
            let mut diagnostic = Diagnostic::error(Code::Temperature, message);
            if let Some(family) = entropies.families.of_member(entropy) {
                diagnostic = diagnostic.at(family.name.span.clone(), "");
            }
            diagnostic.help(format!(
                "the temperature is -dL/d{name}: the Lagrangian must contain minus an energy that grows with `{name}`"
            ))
        }
        Breach::Conductance { conduction, value } => {
            let name = &dynamics.conductions.list[conduction].name;
            let message = format!("the conductance of `{name}` is {value} at the start; it cannot be negative");
            Diagnostic::error(Code::OutOfRange, message)
                .at(dynamics.conductions.spans[conduction].clone(), "heat would flow from cold to warm")
        }
        Breach::NegativeShare { term, entropy, value } => {
            let message = format!("the share of `{}` in the friction heat is {value}", entropies.list[entropy].name);
            Diagnostic::error(Code::HeatShares, message)
                .at(dynamics.friction.spans[term].clone(), "a share cannot be negative")
        }
        Breach::ShareSum { term, value } => {
            Diagnostic::error(Code::HeatShares, format!("the shares of the friction heat sum to {value}"))
                .at(dynamics.friction.spans[term].clone(), "they must sum to 1")
        }
    }
}
