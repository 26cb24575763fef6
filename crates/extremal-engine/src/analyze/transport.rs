//! What steps do to the canonical two-form and to the forms of the discrete Lagrangian, along a motion, by the exact derivative of
//! a step.

use std::collections::HashMap;

use extremal_expr::{Expr, Id};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{CustomDiscrete, Options, Scheme, StepGeometry, scheme};
use extremal_model::Extent;
use extremal_solve::dense::{determinant, identity, null_space, product};
use extremal_solve::{NewtonOptions, TangentMap};
use serde::Serialize;

use super::pair::{PairFormulas, StepPair, dense, set};
use super::step_geometry::{StepQuestion, parameter_values};
use crate::run::{CompiledRun, Settings};

/// What was measured along a motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepMeasures {
    /// Steps that were looked at.
    pub steps: u64,
    /// The largest deviation of Φ*ω− from ω+, relative to the latter, over the pairs of neighbouring steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_back: Option<f64>,
    /// The largest deviation of DΦᵀ J DΦ from J on the states that the constraints allow: zero for a symplectic step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symplectic: Option<f64>,
    /// The smallest and the largest determinant of a step by (q, p, S), without constraints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<(f64, f64)>,
    /// The smallest and the largest factor by which a step changes volumes of (q, p), or of the constrained phase space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub liouville: Option<(f64, f64)>,
}

/// Along so many steps is measured, if not more or fewer are asked for.
const STEPS: u64 = 16;
const MOST_STEPS: u64 = 256;

/// Marches along the motion and measures. The first pair is there where the step has formulas; the last is why the motion ended early.
pub(super) fn transported<'m>(
    question: &StepQuestion<'_, 'm>,
    geometry: Option<&StepGeometry<'m>>,
    step: f64,
) -> Result<(Option<StepPair>, StepMeasures, Option<String>), String> {
    let StepQuestion { model, system, settings, .. } = question;
    let steps = question.steps.clamp(STEPS, MOST_STEPS);
    let options = Options {
        start: settings.start,
        entropy: settings.entropy,
        constraints: settings.constraints,
        ..Options::default()
    };
    let custom = CustomDiscrete::of(model, system);
    let scheme = scheme(system, &settings.method, options, custom).map_err(|error| error.to_string())?;
    let parameters = parameter_values(model);
    let tangent = TangentMap::new(model.graph(), &scheme, &parameters, NewtonOptions::default());
    let mut tangent = tangent.map_err(|error| error.to_string())?;
    let settings = Settings { extent: Some(Extent::Steps(steps + 1)), ..(*settings).clone() };
    let run = CompiledRun::new(*model, &settings).map_err(|error| error.to_string())?;
    let mut motion = run.begin().map_err(|failure| failure.to_string())?;
    let mut watch = TransportWatch::new(system, &scheme, geometry, parameters, step);
    for _ in 0..steps {
        let outcome = (|| {
            let velocity = motion.observe().map_err(|failure| failure.to_string())?[..system.len()].to_vec();
            let (state, time) = (motion.state().to_vec(), motion.time());
            let mut next = state.clone();
            let derivative =
                tangent.advance(&mut next, time, step, &velocity).map_err(|failure| failure.to_string())?;
            let unknowns = tangent.unknowns().collect();
            watch.see(StepTaken { state, next, velocity, time, unknowns }, &derivative);
            motion.advance().map_err(|failure| failure.to_string())
        })();
        match outcome {
            Err(reason) if watch.measures.steps == 0 => return Err(reason),
            Err(reason) => {
                let measured = format!("measured over {} of {steps} steps, then: {reason}", watch.measures.steps);
                return Ok((watch.first, watch.measures, Some(measured)));
            }
            Ok(()) => {}
        }
    }
    Ok((watch.first, watch.measures, None))
}

/// A step as the motion takes it.
pub(super) struct StepTaken {
    pub state: Vec<f64>,
    pub next: Vec<f64>,
    /// Velocities before it.
    pub velocity: Vec<f64>,
    pub time: f64,
    /// What was solved for.
    pub unknowns: HashMap<Id, f64>,
}

struct TransportWatch<'a, 'g> {
    system: &'a System<'g>,
    formulas: Option<PairFormulas<'a, 'g>>,
    /// Does a state have momenta, not velocities?
    by_momenta: bool,
    /// Slopes of ∂L/∂v by (q, v, S), and of what constraints say of (q, v), which displacements of a state obey.
    slopes: Vec<Expr<'g>>,
    rows: Vec<Expr<'g>>,
    /// Is it known which displacements are possible?
    possible: bool,
    known: HashMap<String, f64>,
    step: f64,
    first: Option<StepPair>,
    /// Displacements that the last step has led to, and ω+ of it on them.
    carried: Option<(Vec<f64>, Vec<f64>)>,
    measures: StepMeasures,
}

impl<'a, 'g> TransportWatch<'a, 'g> {
    fn new(
        system: &'a System<'g>,
        scheme: &Scheme,
        geometry: Option<&'a StepGeometry<'g>>,
        parameters: Vec<(Id, f64)>,
        step: f64,
    ) -> Self {
        let (g, n) = (system.graph, system.len());
        let momenta: Vec<Id> = system.p.iter().map(|p| p.id()).collect();
        let by_momenta = scheme.state[n..2 * n] == momenta[..];
        let variables = [&system.q[..], &system.v, &system.heat.s].concat();
        let mut bound = Vec::new();
        for constraint in system.reacting() {
            bound.push(constraint.velocity);
            bound.extend(constraint.kind.nature().binds_positions.then_some(constraint.expression));
        }
        let constants = geometry.map_or(&[][..], |geometry| &geometry.constants);
        let mut known = HashMap::new();
        for (symbol, value) in parameters.iter().chain(constants) {
            set(&mut known, g.expr(*symbol), *value);
        }
        set(&mut known, system.step(), step);
        let moving = system.vakonomic().next().is_some();
        TransportWatch {
            slopes: dense(g.jacobian(&system.momenta(), &variables), variables.len(), g.int(0)),
            rows: dense(g.jacobian(&bound, &variables[..2 * n]), 2 * n, g.int(0)),
            possible: !moving || by_momenta && bound.is_empty(),
            measures: StepMeasures { steps: 0, pull_back: None, symplectic: None, volume: None, liouville: None },
            formulas: geometry.map(|geometry| PairFormulas::of(g, geometry)),
            system,
            by_momenta,
            known,
            step,
            first: None,
            carried: None,
        }
    }

    fn see(&mut self, taken: StepTaken, derivative: &[f64]) {
        self.measures.steps += 1;
        let pair = self.formulas.as_ref().and_then(|formulas| formulas.at(self.system, &taken, &mut self.known));
        if self.rows.is_empty() && self.possible {
            // What a state carries besides does not move it.
            let (size, own) = (taken.state.len(), 2 * self.system.len() + self.system.heat.s.len());
            let block: Vec<f64> = derivative.chunks(size).take(own).flat_map(|row| row[..own].to_vec()).collect();
            widen(&mut self.measures.volume, determinant(&block, own));
        }
        if self.possible && !self.system.is_empty() {
            self.transport(&taken, derivative, pair.as_ref());
        }
        if self.first.is_none() {
            self.first = pair;
        }
    }

    fn transport(&mut self, taken: &StepTaken, derivative: &[f64], pair: Option<&StepPair>) {
        let size = taken.state.len();
        self.place(&taken.state, &taken.velocity, taken.time);
        let (basis, pairs) = self.basis(size);
        let before = self.canonical(&basis, size);
        let images = applied(derivative, &basis, size);
        if !self.by_momenta {
            let n = self.system.len();
            self.place(&taken.next, &taken.next[n..2 * n], taken.time + self.step);
        }
        let after = self.canonical(&images, size);
        let count = basis.len() / size.max(1);
        let deviation = largest_gap(&after, &before) / largest(&before);
        self.measures.symplectic = Some(self.measures.symplectic.unwrap_or(0.0).max(deviation));
        let block = |form: &[f64]| -> Vec<f64> {
            (0..pairs).flat_map(|i| form[i * count..i * count + pairs].to_vec()).collect()
        };
        let volumes = [&before, &after].map(|form| determinant(&block(form), pairs).abs().sqrt());
        // Where velocities alone are constrained, the form may have a kernel, and no volume belongs to it.
        if pairs > 0 && volumes[0] > f64::EPSILON * largest(&before) && !self.is_nonholonomic() {
            widen(&mut self.measures.liouville, volumes[1] / volumes[0]);
        }
        let formed = self.formulas.as_ref().is_some_and(PairFormulas::has_forms);
        let Some(pair) = pair.filter(|_| formed) else { return };
        if let Some((displaced, plus)) = self.carried.take() {
            let further = applied(derivative, &displaced, size);
            let minus = self.on_pairs(&pair.two_forms[0], &displaced, &further, size);
            let deviation = largest_gap(&minus, &plus) / largest(&plus);
            self.measures.pull_back = Some(self.measures.pull_back.unwrap_or(0.0).max(deviation));
        }
        let plus = self.on_pairs(&pair.two_forms[1], &basis, &images, size);
        self.carried = Some((images, plus));
    }

    fn is_nonholonomic(&self) -> bool {
        self.system.reacting().any(|constraint| !constraint.kind.nature().binds_positions)
    }

    /// The state by the symbols of the system.
    fn place(&mut self, state: &[f64], velocity: &[f64], time: f64) {
        let (system, n) = (self.system, self.system.len());
        let symbols = system.q.iter().chain(&system.v).chain(&system.heat.s);
        let values = state[..n].iter().chain(velocity).chain(&state[2 * n..]);
        symbols.zip(values).for_each(|(symbol, value)| set(&mut self.known, *symbol, *value));
        set(&mut self.known, system.t, time);
    }

    fn evaluate(&self, functions: &[Expr<'g>]) -> Vec<f64> {
        self.system.graph.evaluate(functions, |name| self.known.get(name).copied())
    }

    /// Displacements of a state, by rows, that the constraints allow: first those of positions and momenta, how many of these there
    /// are, then those of the entropies.
    fn basis(&self, size: usize) -> (Vec<f64>, usize) {
        let (n, m) = (self.system.len(), self.system.heat.s.len());
        if self.rows.is_empty() {
            return (identity(size)[..(2 * n + m) * size].to_vec(), 2 * n);
        }
        let free = null_space(&self.evaluate(&self.rows), 2 * n);
        let pairs = free.len() / (2 * n);
        let warmed = (0..m).flat_map(|k| (0..2 * n + m).map(move |j| if j == 2 * n + k { 1.0 } else { 0.0 }));
        let moved = free.chunks(2 * n).flat_map(|row| row.iter().copied().chain(std::iter::repeat_n(0.0, m)));
        let displacements: Vec<f64> = moved.chain(warmed).collect();
        let slopes = self.evaluate(&self.slopes);
        let state = |row: &[f64]| -> Vec<f64> {
            let second = match self.by_momenta {
                true => product(&slopes, row, n, 2 * n + m, 1),
                false => row[n..2 * n].to_vec(),
            };
            let mut state = [&row[..n], &second, &row[2 * n..]].concat();
            state.resize(size, 0.0);
            state
        };
        (displacements.chunks(2 * n + m).flat_map(state).collect(), pairs)
    }

    /// dq ∧ dp on all pairs of displacements of a state.
    fn canonical(&self, displacements: &[f64], size: usize) -> Vec<f64> {
        let (n, m) = (self.system.len(), self.system.heat.s.len());
        let slopes = if self.by_momenta { Vec::new() } else { self.evaluate(&self.slopes) };
        let momenta: Vec<Vec<f64>> = displacements
            .chunks(size)
            .map(|row| match self.by_momenta {
                true => row[n..2 * n].to_vec(),
                false => product(&slopes, &row[..2 * n + m], n, 2 * n + m, 1),
            })
            .collect();
        let rows: Vec<&[f64]> = displacements.chunks(size).collect();
        let pairing =
            |a: usize, b: usize| (0..n).map(|k| rows[a][k] * momenta[b][k] - momenta[a][k] * rows[b][k]).sum();
        (0..rows.len()).flat_map(|a| (0..rows.len()).map(move |b| (a, b))).map(|(a, b)| pairing(a, b)).collect()
    }

    /// A form of (q_0, q_1, S_0) on the displacements of two neighbouring states.
    fn on_pairs(&self, form: &[f64], first: &[f64], last: &[f64], size: usize) -> Vec<f64> {
        let (n, m) = (self.system.len(), self.system.heat.s.len());
        let width = 2 * n + m;
        let both = first.chunks(size).zip(last.chunks(size));
        let pairs: Vec<Vec<f64>> =
            both.map(|(first, last)| [&first[..n], &last[..n], &first[2 * n..width]].concat()).collect();
        let value = |a: &[f64], b: &[f64]| -> f64 {
            let right = product(form, b, width, width, 1);
            a.iter().zip(right).map(|(a, b)| a * b).sum()
        };
        pairs.iter().flat_map(|a| pairs.iter().map(move |b| value(a, b))).collect()
    }
}

/// The images of displacements, both by rows.
fn applied(derivative: &[f64], displacements: &[f64], size: usize) -> Vec<f64> {
    displacements.chunks(size).flat_map(|row| product(derivative, row, size, size, 1)).collect()
}

fn widen(range: &mut Option<(f64, f64)>, value: f64) {
    let (low, high) = range.unwrap_or((value, value));
    *range = Some((low.min(value), high.max(value)));
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| f64::max(most, value.abs()))
}

fn largest_gap(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()))
}
