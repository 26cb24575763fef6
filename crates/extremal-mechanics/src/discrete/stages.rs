//! The stages of a collocation method: the same equations for all of them, with other coefficients.

use extremal_expr::{Expr, Id};

use super::quadrature::lagrange;
use super::scheme::ids;
use crate::{Point, System};

/// What the unknowns of each stage must satisfy, written once for all stages. Where the step is small, the unknowns are a fixed
/// point: solve the equations of each stage for its own unknowns, with those of all stages as they were; repeat.
#[derive(Clone, Debug)]
pub struct Stages {
    /// The unknowns of the stage at hand.
    pub own: Vec<Id>,
    /// The unknowns of all stages, one after the other.
    pub all: Vec<Id>,
    /// The state at the stage: symbols, and what they stand for, in the unknowns of all stages, the coefficients, the state and the
    /// time at the beginning of the step, the step, and symbols before them.
    pub state: Vec<(Id, Id)>,
    /// Its equations, in its own unknowns and its state.
    pub residual: Vec<Id>,
    /// Symbols whose values distinguish the stages.
    pub coefficients: Vec<Id>,
    /// These values, for each stage.
    pub values: Vec<Vec<f64>>,
    /// For each stage of the next step, what it takes of each stage of this one to extend the polynomial through them.
    pub ahead: Vec<Vec<f64>>,
}

/// What changes at a rate that is among the unknowns of a stage: accelerations, entropy rates, rates of multipliers.
pub(super) struct Rates<'a, 'g> {
    pub accelerations: &'a [Vec<Expr<'g>>],
    pub entropies: &'a [Vec<Expr<'g>>],
    pub multipliers: &'a [Vec<Expr<'g>>],
    /// All unknowns, for each stage.
    pub unknowns: &'a [Vec<Expr<'g>>],
}

impl Stages {
    /// For collocation at `nodes` with the matrix `a`: V = v + h Σ a_ij A_j, and Q = q + h c_i v + h² Σ (a²)_ij A_j.
    pub(super) fn new<'g>(system: &System<'g>, nodes: &[f64], a: &[Vec<f64>], rates: &Rates<'_, 'g>) -> Stages {
        let (g, h, s) = (system.graph, system.step(), nodes.len());
        // No name of a user's has a space in it.
        let symbols = |label: &str, count: usize| -> Vec<Expr<'g>> {
            (1..=count).map(|at| g.symbol(&format!("stage {label} {at}"))).collect()
        };
        let (once, twice) = (symbols("weight", s), symbols("weight of accelerations", s));
        let node = g.symbol("stage node");
        let own = symbols("unknown", rates.unknowns[0].len());
        let mut state = Vec::new();
        // Long sums in two parts that do not wait for each other.
        let mut total = |terms: Vec<Expr<'g>>| -> Expr<'g> {
            let mut part = |first: usize| {
                let name = g.symbol(&format!("stage part {}", state.len()));
                state.push((name.id(), g.sum(terms.iter().skip(first).step_by(2).copied()).id()));
                name
            };
            if terms.len() > 1 { part(0) + part(1) } else { terms[0] }
        };
        let mut grown = |start: &[Expr<'g>], rates: &[Vec<Expr<'g>>]| -> Vec<Expr<'g>> {
            let mut sum = |k: usize| start[k] + total((0..s).map(|j| h * once[j] * rates[j][k]).collect());
            (0..start.len()).map(&mut sum).collect()
        };
        let velocities = grown(&system.v, rates.accelerations);
        let entropies = grown(&system.heat.s, rates.entropies);
        let moving = system.moving_multipliers();
        let multipliers = grown(&moving, rates.multipliers);
        let mut position = |k: usize| {
            let accelerated = total((0..s).map(|j| h * h * twice[j] * rates.accelerations[j][k]).collect());
            system.q[k] + h * node * system.v[k] + accelerated
        };
        let positions = (0..system.len()).map(&mut position).collect();
        let mut named = |label: &str, values: Vec<Expr<'g>>| -> Vec<Expr<'g>> {
            let names = symbols(label, values.len());
            state.extend(names.iter().zip(&values).map(|(name, value)| (name.id(), value.id())));
            names
        };
        let point = Point {
            q: named("position", positions),
            v: named("velocity", velocities),
            s: named("entropy", entropies),
            t: named("time", vec![system.t + h * node])[0],
        };
        let moved = named("multiplier", multipliers);
        let mut rules: Vec<_> = system.motion_unknowns().into_iter().zip(own.iter().copied()).collect();
        rules.extend(moving.iter().copied().zip(moved));
        let residual = system.at(&g.substitute(&system.motion_equations(), &rules), &point);
        let squared = |i: usize, j: usize| (0..s).map(|k| a[i][k] * a[k][j]).sum::<f64>();
        let values =
            |i: usize| [nodes[i]].into_iter().chain(a[i].clone()).chain((0..s).map(|j| squared(i, j))).collect();
        let ahead = |i: usize| (0..s).map(|j| lagrange(nodes, j, 1.0 + nodes[i]).0).collect();
        Stages {
            own: ids(&own),
            all: ids(&rates.unknowns.concat()),
            state,
            residual: ids(&residual),
            coefficients: ids(&[&[node], &once[..], &twice].concat()),
            values: (0..s).map(values).collect(),
            ahead: (0..s).map(ahead).collect(),
        }
    }
}
