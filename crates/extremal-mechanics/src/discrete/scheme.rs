//! A method as a formula: how a run starts, how it steps, what its state means.

use extremal_expr::{Expr, Graph, Id};

use crate::block::Block;

/// An integrator for one system, symbolically. A composition is the same scheme marched over fractional steps.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// The method's name, as the user would write it.
    pub name: String,
    /// The symbols of what one step carries, in order.
    pub state: Vec<Id>,
    /// Time at the beginning of a step.
    pub time: Id,
    /// From coordinates and velocities (and, for `two-points`, second positions), time and step to the state.
    pub start: Block,
    /// From state, time, step, and velocities (for the first guess) to the next state.
    pub step: Block,
    /// From state, time, and velocities (for the first guess) to velocities and momenta, in this order.
    pub observe: Block,
    /// Numbers that occur in the formulas under a name: nodes, weights, coefficients.
    pub constants: Vec<(Id, f64)>,
    /// What each step must satisfy, in the inputs and unknowns of `step`.
    pub guards: Vec<SchemeGuard>,
    /// Fractions of the step, taken one after the other; `[1.0]` for a plain method.
    pub substeps: Vec<f64>,
    /// Where the time of the motion stands in the state, for steps that are alike in another time, which is then `time`.
    pub time_in_state: Option<usize>,
    /// The discrete equations, for print.
    pub equations: Vec<Equation>,
    /// How to read them.
    pub note: String,
}

impl Scheme {
    /// The number of coordinates: a velocity and a momentum of each are observed.
    pub fn dimension(&self) -> usize {
        self.observe.outputs.len() / 2
    }
}

/// A condition on every step.
#[derive(Clone, Debug)]
pub struct SchemeGuard {
    /// What holds, in words.
    pub label: String,
    /// The condition.
    pub condition: Id,
}

/// An equation to be shown, `left = right`.
#[derive(Clone, Debug)]
pub struct Equation {
    /// What it is, in a few words.
    pub label: String,
    /// Left-hand side.
    pub left: Id,
    /// Right-hand side.
    pub right: Id,
}

impl Equation {
    /// An equation between two expressions.
    pub fn new(label: impl Into<String>, left: Expr<'_>, right: Expr<'_>) -> Equation {
        Equation { label: label.into(), left: left.id(), right: right.id() }
    }
}

/// Numbers that enter formulas: simple fractions exactly, all others as named constants, so that formulas stay readable.
pub(crate) struct Constants<'g> {
    graph: &'g Graph,
    named: Vec<(Id, f64)>,
}

/// Quadrature weights and interpolation coefficients that are rational have small denominators; a chance hit within the
/// round-off of their computation, of a fraction this simple, is as good as impossible.
const MAX_DENOMINATOR: i64 = 180;
const ROUND_OFF: f64 = 16.0 * f64::EPSILON;

impl<'g> Constants<'g> {
    pub fn new(graph: &'g Graph) -> Self {
        Constants { graph, named: Vec::new() }
    }

    /// The number `value`, called `symbol` unless it is a simple fraction.
    pub fn number(&mut self, value: f64, symbol: impl FnOnce() -> Expr<'g>) -> Expr<'g> {
        for den in 1..=MAX_DENOMINATOR {
            let num = (value * den as f64).round();
            if (num / den as f64 - value).abs() <= ROUND_OFF * value.abs().max(1.0)
                && let Some(fraction) = extremal_expr::Rational::new(num as i64, den)
            {
                return self.graph.rational(fraction);
            }
        }
        let symbol = symbol();
        if self.named.iter().all(|(id, _)| *id != symbol.id()) {
            self.named.push((symbol.id(), value));
        }
        symbol
    }

    pub fn named(&self) -> &[(Id, f64)] {
        &self.named
    }

    pub fn into_named(self) -> Vec<(Id, f64)> {
        self.named
    }
}

pub(crate) fn ids(exprs: &[Expr<'_>]) -> Vec<Id> {
    exprs.iter().map(|e| e.id()).collect()
}
