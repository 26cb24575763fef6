//! Equilibria and small oscillations: numbers for the expressions of a system at rest.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use extremal_expr::{Expr, magnitude};
use extremal_mechanics::System;
use extremal_mechanics::analysis::SmallMotion;
use extremal_model::Model;
use extremal_solve::eigen::{Complex, eigenpairs, symmetric_eigenpairs};

use super::dense::{null_space, positive_definite, product, solve_some, transposed};

/// A state of rest and the small motions about it.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// Where it is, one value per coordinate.
    pub positions: Vec<f64>,
    /// The multipliers of the reactions there.
    pub multipliers: Vec<f64>,
    /// The largest force left, relative to the terms it is the sum of.
    pub residual: f64,
    /// The modes that grow, decay or oscillate, slow ones first; of a conjugate pair the one with the positive frequency.
    pub modes: Vec<Mode>,
    /// How many of the rates are zero: directions in which nothing pulls.
    pub neutral: usize,
    /// What they amount to.
    pub stability: Stability,
    /// Are there gyroscopic terms in the small motions?
    pub gyroscopic: bool,
}

/// A mode `q(t) = Re(shape · exp((growth + i frequency) t))`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Angular frequency.
    pub frequency: f64,
    /// Rate of growth; of decay if negative.
    pub growth: f64,
    /// Amplitude of each coordinate, the largest real and of size one.
    pub shape: Vec<Complex>,
}

/// What can be said about motions that start near an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// All modes decay.
    Asymptotic,
    /// The potential energy has a minimum and nothing feeds the motion (Lagrange and Dirichlet).
    Stable,
    /// No mode grows, but the energy has no minimum, or a mode neither grows nor oscillates: the linear motion does not decide.
    Neutral,
    /// A mode grows.
    Unstable,
}

const MOST_ITERATIONS: usize = 200;
/// A force this small relative to its terms is round-off of their sum.
const ROUND_OFF: f64 = 1e-13;
/// Rates below this fraction of the fastest one count as zero: the square root of round-off, since double zeros split by it.
const SLOW: f64 = 1e-7;

/// The equilibrium that Newton's method finds from the start of `model`, if it finds one.
pub(super) fn equilibrium<'m>(model: &'m Model, system: &System<'m>) -> Option<Equilibrium> {
    // Under dry friction equilibria are not isolated, and no small motion is linear.
    if !system.dry.is_empty() {
        return None;
    }
    let motion = SmallMotion::of(system)?;
    let numbers = Numbers::of(model, system);
    let n = system.len();
    if n == 0 {
        return None;
    }
    let mut z = model.initial().positions;
    z.resize(motion.unknowns.len(), 0.0);
    z = with_reactions(&numbers, &motion, z, n);
    if motion.residual.iter().any(|r| r.depends_on(&[system.t])) {
        return None;
    }
    let sizes: Vec<Expr<'m>> = motion.residual.iter().map(|r| magnitude(*r)).collect();
    let start = z.clone();
    let at_start = numbers.at(&motion, &sizes, &start);
    // Relative to the terms of the sum here and at the start, and to what a change of the unknowns by themselves would make of it.
    let left = |z: &[f64]| {
        let (values, sizes) = (numbers.at(&motion, &motion.residual, z), numbers.at(&motion, &sizes, z));
        let slopes = numbers.at(&motion, &motion.slopes, z);
        let changes = slopes.chunks(z.len()).map(|row| row.iter().zip(z).map(|(s, z)| (s * z).abs()).sum::<f64>());
        let sizes = sizes.iter().zip(&at_start).zip(changes).map(|((here, there), change)| (here + change).max(*there));
        values.iter().zip(sizes).fold(0.0f64, |worst, (r, size)| match *r {
            0.0 => worst,
            r => worst.max(r.abs() / size.max(f64::MIN_POSITIVE)),
        })
    };
    let norm = |z: &[f64]| numbers.at(&motion, &motion.residual, z).iter().map(|r| r * r).sum::<f64>().sqrt();
    let mut residual = left(&z);
    for _ in 0..MOST_ITERATIONS {
        if residual.is_nan() || residual <= ROUND_OFF {
            break;
        }
        let slopes = numbers.at(&motion, &motion.slopes, &z);
        let right: Vec<f64> = numbers.at(&motion, &motion.residual, &z).iter().map(|r| -r).collect();
        let step = solve_some(&slopes, &right, z.len())?;
        // Long steps leave the neighbourhood of the start for no good reason.
        let length = step.iter().fold(0.0f64, |m, d| m.max(d.abs()));
        let mut fraction = (1.0 / length).min(1.0);
        let before = norm(&z);
        let moved = |fraction: f64| z.iter().zip(&step).map(|(z, d)| z + fraction * d).collect::<Vec<f64>>();
        let worse = |fraction: f64| norm(&moved(fraction)).partial_cmp(&before) != Some(Ordering::Less);
        while worse(fraction) && fraction > 1e-6 {
            fraction /= 2.0;
        }
        z = moved(fraction);
        residual = left(&z);
        if length < 1e-15 {
            break;
        }
    }
    // Newton stops at round-off of its own steps, a little above that of the sum.
    if residual.is_nan() || residual >= 1e-9 || moving(system) {
        return None;
    }
    // What is left of a coordinate that vanishes is round-off of the way to it.
    let way = z.iter().zip(&start).fold(0.0f64, |most, (z, start)| most.max((z - start).abs()));
    z.iter_mut().filter(|z| z.abs() < 1e-13 * way).for_each(|z| *z = 0.0);
    let (positions, multipliers) = z.split_at(n);
    let Oscillations { modes, neutral, stability, gyroscopic } = oscillations(&numbers, &motion, &z, n)?;
    Some(Equilibrium {
        positions: positions.to_vec(),
        multipliers: multipliers.to_vec(),
        residual,
        modes,
        neutral,
        stability,
        gyroscopic,
    })
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
struct Numbers {
    known: HashMap<Arc<str>, f64>,
}

impl Numbers {
    fn of<'m>(model: &'m Model, system: &System<'m>) -> Numbers {
        let entropies = system.heat.s.iter().filter_map(|s| s.as_symbol()).zip(model.initial().entropies);
        let parameters = model.parameters().iter().map(|p| (p.name.as_str().into(), p.value));
        Numbers { known: entropies.chain(parameters).chain([("t".into(), 0.0)]).collect() }
    }

    fn at(&self, motion: &SmallMotion<'_>, expressions: &[Expr<'_>], z: &[f64]) -> Vec<f64> {
        let Some(g) = motion.unknowns.first().map(|u| u.graph()) else { return Vec::new() };
        let ids: Vec<_> = expressions.iter().map(|e| e.id()).collect();
        let sought: HashMap<Arc<str>, f64> =
            motion.unknowns.iter().filter_map(|u| u.as_symbol()).zip(z.iter().copied()).collect();
        g.evaluate(&g.exprs(&ids), |name| sought.get(name).or_else(|| self.known.get(name)).copied())
    }
}

/// Does a constraint move, so that nothing can be at rest?
fn moving(system: &System<'_>) -> bool {
    let g = system.graph;
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, g.int(0))).collect();
    system.constraints.iter().any(|constraint| !g.proves_zero(constraint.velocity.substitute(&at_rest)))
}

/// What the linearised equations say.
struct Oscillations {
    modes: Vec<Mode>,
    neutral: usize,
    stability: Stability,
    gyroscopic: bool,
}

/// The modes about `z`. With N_h a basis of the displacements that holonomic constraints allow, N of the velocities and N_v of the
/// virtual displacements, q = N_h y and y' = N_hᵀ N w, N_vᵀ M N w' = −N_vᵀ K N_h y − N_vᵀ D N w.
fn oscillations(numbers: &Numbers, motion: &SmallMotion<'_>, z: &[f64], n: usize) -> Option<Oscillations> {
    let at = |entries: &[Expr<'_>]| numbers.at(motion, entries, z);
    let (mass, damping, stiffness) = (at(&motion.mass), at(&motion.damping), at(&motion.stiffness));
    let allowed = null_space(&at(&motion.positions), n);
    let moving = null_space(&at(&motion.velocities), n);
    let virtual_moves = null_space(&at(&motion.virtual_rows), n);
    let (k, l) = (allowed.len() / n, moving.len() / n);
    if virtual_moves.len() != moving.len() {
        return None;
    }
    // Bases are stored by rows: their products with full matrices stand transposed.
    let reduced = |matrix: &[f64], right: &[f64], columns: usize| {
        let image = product(matrix, &transposed(right, columns, n), n, n, columns);
        product(&virtual_moves, &image, l, n, columns)
    };
    let (m, d, s) = (reduced(&mass, &moving, l), reduced(&damping, &moving, l), reduced(&stiffness, &allowed, k));
    let link = product(&allowed, &transposed(&moving, l, n), k, n, l);
    let size = k + l;
    let mut companion = vec![0.0; size * size];
    for (row, entries) in link.chunks(l.max(1)).enumerate().take(k) {
        companion[row * size + k..row * size + k + l].copy_from_slice(&entries[..l]);
    }
    for column in 0..size {
        let right: Vec<f64> =
            (0..l).map(|row| if column < k { -s[row * k + column] } else { -d[row * l + column - k] }).collect();
        let solution = super::dense::solve(&m, &right, l)?;
        (0..l).for_each(|row| companion[(k + row) * size + column] = solution[row]);
    }
    if let Some(found) = undamped(&m, &d, &s, &allowed, &moving, n) {
        return Some(found);
    }
    let pairs = eigenpairs(&companion, size)?;
    let fastest = pairs.iter().fold(0.0f64, |most, pair| most.max(pair.value.abs()));
    let slow = SLOW * fastest;
    let modes: Vec<Mode> = pairs
        .iter()
        .filter(|pair| pair.value.im >= 0.0 && pair.value.abs() > slow)
        .map(|pair| {
            let at = |j: usize| {
                (0..k).fold(Complex::default(), |sum, i| sum + Complex::from(allowed[i * n + j]) * pair.vector[i])
            };
            let shape: Vec<Complex> = (0..n).map(at).collect();
            Mode { frequency: pair.value.im, growth: pair.value.re, shape: scaled(shape) }
        })
        .collect();
    let rates: Vec<f64> = pairs.iter().map(|pair| pair.value.re).collect();
    let skew = |i: usize, j: usize| (d[i * l + j] - d[j * l + i]) / 2.0;
    let gyroscopic = (0..l).any(|i| (0..l).any(|j| skew(i, j).abs() > 1e-12 * fastest));
    let dissipative = {
        let symmetric: Vec<f64> = (0..l * l).map(|at| (d[at] + d[at % l * l + at / l]) / 2.0).collect();
        let shifted: Vec<f64> = (0..l * l)
            .map(|at| symmetric[at] + if at % (l + 1) == 0 { 1e-12 * fastest.max(1e-300) } else { 0.0 })
            .collect();
        positive_definite(&shifted, l)
    };
    let stability = if rates.iter().any(|rate| *rate > slow) {
        Stability::Unstable
    } else if size > 0 && rates.iter().all(|rate| *rate < -slow) {
        Stability::Asymptotic
    } else if k == l && positive_definite(&s, l) && positive_definite(&m, l) && dissipative {
        Stability::Stable
    } else {
        Stability::Neutral
    };
    let neutral = pairs.iter().filter(|pair| pair.value.abs() <= slow).count();
    Some(Oscillations { modes, neutral, stability, gyroscopic })
}

/// Real modes where nothing depends on the velocities: M y'' = −K y with symmetric matrices and M positive definite.
fn undamped(m: &[f64], d: &[f64], s: &[f64], allowed: &[f64], moving: &[f64], n: usize) -> Option<Oscillations> {
    let l = moving.len() / n;
    let symmetric = |a: &[f64]| {
        let size = a.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        (0..l * l).all(|at| (a[at] - a[at % l * l + at / l]).abs() <= 1e-12 * size)
    };
    if allowed != moving || d.iter().any(|x| *x != 0.0) || !symmetric(m) || !symmetric(s) {
        return None;
    }
    // With M = C Cᵀ and y = C⁻ᵀ u, u'' = −C⁻¹ K C⁻ᵀ u.
    let c = super::dense::cholesky(m, l)?;
    let half: Vec<f64> = transposed(&super::dense::lower_solve(&c, s, l, l), l, l);
    let pairs = symmetric_eigenpairs(&super::dense::lower_solve(&c, &half, l, l), l);
    let fastest = pairs.iter().fold(0.0f64, |most, (value, _)| most.max(value.abs()));
    let (mut modes, mut neutral) = (Vec::new(), 0);
    for (value, u) in &pairs {
        let y = super::dense::upper_solve(&c, u, l);
        let shape = product(&y, moving, 1, l, n).into_iter().map(Complex::from).collect();
        let shape = scaled(shape);
        let rate = value.abs().sqrt();
        if value.abs() <= SLOW * SLOW * fastest {
            neutral += 2;
        } else if *value > 0.0 {
            modes.push(Mode { frequency: rate, growth: 0.0, shape });
        } else {
            modes.push(Mode { frequency: 0.0, growth: rate, shape: shape.clone() });
            modes.push(Mode { frequency: 0.0, growth: -rate, shape });
        }
    }
    let stability = match pairs.first() {
        Some((lowest, _)) if *lowest < -SLOW * SLOW * fastest => Stability::Unstable,
        Some((lowest, _)) if *lowest > SLOW * SLOW * fastest => Stability::Stable,
        _ => Stability::Neutral,
    };
    Some(Oscillations { modes, neutral, stability, gyroscopic: false })
}

/// Divided by the largest entry.
fn scaled(shape: Vec<Complex>) -> Vec<Complex> {
    let largest = shape.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or_default();
    match largest.abs() > 0.0 {
        true => shape.into_iter().map(|entry| entry / largest).collect(),
        false => shape,
    }
}
