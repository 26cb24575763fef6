//! Equilibria and small oscillations: numbers for the expressions of a system at rest.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use extremal_expr::{Expr, magnitude};
use extremal_mechanics::System;
use extremal_mechanics::analysis::SmallMotion;
use extremal_model::Model;
use extremal_solve::dense::solve_some;
use extremal_solve::eigen::Complex64;
use serde::{Serialize, Serializer};

use super::modes::{Oscillations, oscillations};
use crate::serialized::by_name;

/// A state of rest and the small motions about it.
#[derive(Clone, Debug, Serialize)]
pub struct Equilibrium {
    /// Where it is, by coordinate.
    #[serde(rename = "q", serialize_with = "by_name")]
    pub positions: Vec<(String, f64)>,
    /// The multipliers of the reactions there.
    #[serde(skip)]
    pub multipliers: Vec<f64>,
    /// The largest force left, relative to the terms it is the sum of.
    pub residual: f64,
    /// The modes that grow, decay or oscillate, slow ones first; of a conjugate pair the one with the positive frequency.
    pub modes: Vec<Mode>,
    /// How many of the rates are zero: directions in which nothing pulls.
    pub neutral: usize,
    /// The entropies at which it was sought, which stay fixed in the small motions too.
    #[serde(rename = "entropies_held", serialize_with = "has_any")]
    pub entropies: Vec<f64>,
    /// Are there gyroscopic terms in the small motions?
    pub gyroscopic: bool,
    /// What the modes amount to.
    pub stability: Stability,
}

/// Why there is nothing to say about an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEquilibrium {
    /// Newton's method found none from any of this many starts.
    NotFound {
        /// How many starts there were.
        starts: usize,
    },
    /// The forces at rest contain the time.
    Driven,
    /// A constraint moves.
    Moving,
    /// At rest, heat still flows.
    Warming,
}

/// A mode `q(t) = Re(shape · exp((growth + i frequency) t))`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mode {
    /// Angular frequency.
    pub frequency: f64,
    /// Rate of growth; of decay if negative.
    pub growth: f64,
    /// Amplitude of each coordinate by name, the largest real and of size one.
    #[serde(serialize_with = "parts_by_name")]
    pub shape: Vec<(String, Complex64)>,
}

fn has_any<S: Serializer>(entropies: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(!entropies.is_empty())
}

/// Real and imaginary parts by name.
fn parts_by_name<S: Serializer>(shape: &[(String, Complex64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(shape.iter().map(|(name, entry)| (name, [entry.re, entry.im])))
}

/// What can be said about motions that start near an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stability {
    /// All modes decay.
    Asymptotic,
    /// The potential energy has a minimum and nothing feeds the motion (Lagrange and Dirichlet).
    Stable,
    /// No mode grows, but the energy has no minimum, or a mode neither grows nor oscillates: the linear motion does not decide.
    Neutral,
    /// A mode grows.
    Unstable,
    /// The linearised equations contain the time, so that there are no modes.
    TimeDependent,
}

const MOST_ITERATIONS: usize = 200;
/// A force this small relative to its terms is round-off of their sum.
const ROUND_OFF: f64 = 1e-13;
/// Newton stops at round-off of its own steps, a little above that of the sum.
const SMALL_FORCE: f64 = 1e-9;
/// The next step of Newton's method beside the way to an equilibrium; on a slope that only fades away it is as long as that.
const SMALL_STEP: f64 = 1e-6;
/// Starts beside the stated one, in fractions of the coordinates.
const SPREADS: [f64; 8] = [0.1, 0.3, 0.3, 1.0, 1.0, 2.0, 2.0, 4.0];
/// Large systems are given few starts.
const MANY_COORDINATES: usize = 40;

/// The equilibrium that Newton's method finds from the start of `model` or from starts around it. `None` for a system with
/// vakonomic constraints, whose multipliers are not at rest.
pub(super) fn equilibrium<'m>(model: &'m Model, system: &System<'m>) -> Option<Result<Equilibrium, NoEquilibrium>> {
    // Under dry friction equilibria are not isolated, and no small motion is linear.
    if !system.dry.is_empty() {
        return None;
    }
    // An action goes on where positions rest, and variables with brackets have no positions.
    if system.is_contact() || system.poisson().is_some() {
        return None;
    }
    let motion = SmallMotion::of(system)?;
    let n = system.len();
    let stated = model.initial().positions;
    if n == 0 || stated.iter().any(|q| !q.is_finite()) {
        return None;
    }
    let g = system.graph;
    let contain_time = |functions: &[Expr<'m>]| {
        let seem = functions.iter().zip(g.depend_on(functions, &[system.t]));
        let mut seem = seem.filter(|(_, seems)| *seems);
        seem.any(|(f, _)| g.vanishes(g.gradient(*f, &[system.t])[0], &[]) != Some(true))
    };
    if contain_time(&motion.residual) {
        return Some(Err(NoEquilibrium::Driven));
    }
    if is_moving(system) {
        return Some(Err(NoEquilibrium::Moving));
    }
    let numbers = Numbers::of(model, system);
    let starts = starts(&stated);
    let sought = RestSearch { model, numbers: &numbers, motion: &motion, n };
    let found = starts.iter().find_map(|start| sought.from(start));
    let Some(Rest { z, residual, start }) = found else {
        return Some(Err(NoEquilibrium::NotFound { starts: starts.len() }));
    };
    if is_warming(system, &numbers, &motion, &z) {
        return Some(Err(NoEquilibrium::Warming));
    }
    let entropies = model.initial().entropies;
    let positions = system.names.iter().cloned().zip(z.iter().copied()).collect();
    let multipliers = z[n..].to_vec();
    let matrices = [&motion.mass, &motion.damping, &motion.stiffness, &motion.positions, &motion.velocities];
    let varies = matrices.into_iter().any(|matrix| contain_time(matrix));
    let oscillations = match varies {
        true => Oscillations::of_time_dependent(),
        false => oscillations(&numbers, &motion, [&z, &start], &system.names)?,
    };
    let Oscillations { modes, neutral, stability, gyroscopic } = oscillations;
    Some(Ok(Equilibrium { positions, multipliers, residual, modes, neutral, stability, gyroscopic, entropies }))
}

/// The stated positions, and others around them.
fn starts(stated: &[f64]) -> Vec<Vec<f64>> {
    let sizes: Vec<f64> = stated.iter().map(|q| q.abs()).filter(|q| *q > 0.0).collect();
    let typical = if sizes.is_empty() { 1.0 } else { sizes.iter().sum::<f64>() / sizes.len() as f64 };
    let shifted = |(at, spread): (usize, &f64)| -> Vec<f64> {
        let size = |q: f64| if q == 0.0 { typical } else { q.abs() };
        // Spread over [−1, 1] by the golden ratio, the same each time.
        let unit = |k: usize| 2.0 * (0.618_033_988_749_894_9 * (1 + k + at * (stated.len() + 3)) as f64).fract() - 1.0;
        stated.iter().enumerate().map(|(k, q)| q + spread * size(*q) * unit(k)).collect()
    };
    let few = if stated.len() > MANY_COORDINATES { 2 } else { SPREADS.len() };
    let others = SPREADS.iter().enumerate().take(few).map(shifted);
    [stated.to_vec()].into_iter().chain(others).collect()
}

/// What Newton's method found.
struct Rest {
    /// Coordinates, then multipliers.
    z: Vec<f64>,
    /// The force that is left.
    residual: f64,
    /// From where.
    start: Vec<f64>,
}

/// What Newton's method works on.
struct RestSearch<'a, 'm> {
    model: &'m Model,
    numbers: &'a Numbers,
    motion: &'a SmallMotion<'m>,
    n: usize,
}

impl RestSearch<'_, '_> {
    /// The equilibrium that is found from these positions.
    fn from(&self, positions: &[f64]) -> Option<Rest> {
        let RestSearch { numbers, motion, n, .. } = *self;
        let mut z = positions.to_vec();
        z.resize(motion.unknowns.len(), 0.0);
        z = with_reactions(numbers, motion, z, n);
        let sizes: Vec<Expr<'_>> = motion.residual.iter().map(|r| magnitude(*r)).collect();
        let start = z.clone();
        let at_start = numbers.at(motion, &sizes, &start);
        // Relative to the terms of the sum here and at the start, and to what a change of the unknowns by themselves would make
        // of it.
        let left = |z: &[f64]| {
            let (values, sizes) = (numbers.at(motion, &motion.residual, z), numbers.at(motion, &sizes, z));
            let slopes = numbers.at(motion, &motion.slopes, z);
            let changes = slopes.chunks(z.len()).map(|row| row.iter().zip(z).map(|(s, z)| (s * z).abs()).sum::<f64>());
            let sizes = sizes.iter().zip(&at_start).zip(changes);
            let sizes = sizes.map(|((here, there), change)| (here + change).max(*there));
            values.iter().zip(sizes).fold(0.0f64, |worst, (r, size)| match *r {
                0.0 => worst,
                r if r.is_nan() => f64::NAN,
                r => worst.max(r.abs() / size.max(f64::MIN_POSITIVE)),
            })
        };
        let norm = |z: &[f64]| numbers.at(motion, &motion.residual, z).iter().map(|r| r * r).sum::<f64>().sqrt();
        let next = |z: &[f64]| {
            let slopes = numbers.at(motion, &motion.slopes, z);
            let right: Vec<f64> = numbers.at(motion, &motion.residual, z).iter().map(|r| -r).collect();
            solve_some(&slopes, &right, z.len())
        };
        let largest = start[..n].iter().fold(1.0f64, |most, q| most.max(q.abs()));
        let is_short = |z: &[f64], step: &[f64]| {
            let way = |k: usize| (z[k] - start[k]).abs().max(start[k].abs());
            (0..n).all(|k| step[k].abs() <= (SMALL_STEP * way(k)).max(ROUND_OFF * largest))
        };
        let mut residual = left(&z);
        let mut step = next(&z)?;
        for _ in 0..MOST_ITERATIONS {
            if residual.is_nan() || residual <= ROUND_OFF && is_short(&z, &step) {
                break;
            }
            // Long steps leave the neighbourhood of the start for no good reason.
            let length = step.iter().fold(0.0f64, |m, d| m.max(d.abs()));
            if length < 1e-15 {
                break;
            }
            let mut fraction = (1.0 / length).min(1.0);
            let before = norm(&z);
            let moved = |fraction: f64| z.iter().zip(&step).map(|(z, d)| z + fraction * d).collect::<Vec<f64>>();
            let worse = |fraction: f64| norm(&moved(fraction)).partial_cmp(&before) != Some(Ordering::Less);
            while worse(fraction) && fraction > 1e-6 {
                fraction /= 2.0;
            }
            z = moved(fraction);
            residual = left(&z);
            step = next(&z)?;
        }
        if residual.is_nan() || residual >= SMALL_FORCE || !is_short(&z, &step) {
            return None;
        }
        if !self.is_in_domain(&z) {
            return None;
        }
        // What is left of a coordinate that vanishes is round-off of the way to it.
        let way = z.iter().zip(&start).fold(0.0f64, |most, (z, start)| most.max((z - start).abs()));
        z.iter_mut().filter(|z| z.abs() < 1e-13 * way).for_each(|z| *z = 0.0);
        Some(Rest { z, residual, start })
    }

    fn is_in_domain(&self, z: &[f64]) -> bool {
        let g = self.model.graph();
        let domains: Vec<Expr<'_>> =
            self.model.coordinates().iter().filter_map(|c| c.domain).map(|id| g.expr(id)).collect();
        self.numbers.at(self.motion, &domains, z).iter().all(|holds| *holds == 1.0)
    }
}

/// Do the entropies change at rest?
fn is_warming(system: &System<'_>, numbers: &Numbers, motion: &SmallMotion<'_>, z: &[f64]) -> bool {
    let g = system.graph;
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, g.int(0))).collect();
    let sources = g.substitute(&system.entropy_sources(&system.carried_slopes()), &at_rest);
    let sizes: Vec<Expr<'_>> = sources.iter().map(|source| magnitude(*source)).collect();
    let (values, sizes) = (numbers.at(motion, &sources, z), numbers.at(motion, &sizes, z));
    values.iter().zip(&sizes).any(|(value, size)| value.abs() > SMALL_FORCE * size)
}

/// `z` with the multipliers that balance the forces best, from which Newton's method has a regular matrix.
fn with_reactions(numbers: &Numbers, motion: &SmallMotion<'_>, mut z: Vec<f64>, n: usize) -> Vec<f64> {
    let (size, m) = (z.len(), z.len() - n);
    let (forces, slopes) = (numbers.at(motion, &motion.residual, &z), numbers.at(motion, &motion.slopes, &z));
    let column = |row: usize, k: usize| slopes[row * size + n + k];
    let sum = |f: &dyn Fn(usize) -> f64| (0..n).map(f).sum::<f64>();
    let normal: Vec<f64> = (0..m * m).map(|at| sum(&|row| column(row, at / m) * column(row, at % m))).collect();
    let right: Vec<f64> = (0..m).map(|k| -sum(&|row| column(row, k) * forces[row])).collect();
    if let Some(multipliers) = solve_some(&normal, &right, m) {
        z[n..].copy_from_slice(&multipliers);
    }
    z
}

/// Values of what is not sought: parameters, entropies, time.
pub(super) struct Numbers {
    known: HashMap<Arc<str>, f64>,
}

impl Numbers {
    fn of<'m>(model: &'m Model, system: &System<'m>) -> Numbers {
        let entropies = system.heat.s.iter().filter_map(|s| s.as_symbol()).zip(model.initial().entropies);
        let parameters = model.parameters().iter().map(|p| (p.name.as_str().into(), p.value));
        Numbers { known: entropies.chain(parameters).chain([("t".into(), 0.0)]).collect() }
    }

    pub(super) fn at(&self, motion: &SmallMotion<'_>, expressions: &[Expr<'_>], z: &[f64]) -> Vec<f64> {
        let Some(g) = motion.unknowns.first().map(|u| u.graph()) else { return Vec::new() };
        let ids: Vec<_> = expressions.iter().map(|e| e.id()).collect();
        let sought: HashMap<Arc<str>, f64> =
            motion.unknowns.iter().filter_map(|u| u.as_symbol()).zip(z.iter().copied()).collect();
        g.evaluate(&g.exprs(&ids), |name| sought.get(name).or_else(|| self.known.get(name)).copied())
    }
}

/// Does a constraint move, so that nothing can be at rest?
fn is_moving(system: &System<'_>) -> bool {
    let g = system.graph;
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, g.int(0))).collect();
    system.constraints.iter().any(|constraint| g.vanishes(constraint.velocity.substitute(&at_rest), &[]) != Some(true))
}
