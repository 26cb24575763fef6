//! Small oscillations about an equilibrium: modes, and what they say about its stability.

use extremal_expr::Expr;
use extremal_mechanics::analysis::SmallMotion;
use extremal_solve::dense::{cholesky, lower_solve, null_space, positive_definite, product, transposed, upper_solve};
use extremal_solve::eigen::{Complex64, eigenpairs, quotient, symmetric_eigenpairs};

use super::equilibrium::{Mode, Numbers, Stability};

/// Rates below this fraction of the fastest one count as zero: the square root of round-off, since double zeros split by it.
const SLOW: f64 = 1e-7;
/// An entry of the stiffness this small beside what it is at the start of the search vanishes at the equilibrium.
const FADED: f64 = 1e-9;

/// What the linearised equations say.
pub(super) struct Oscillations {
    pub modes: Vec<Mode>,
    pub neutral: usize,
    pub stability: Stability,
    pub gyroscopic: bool,
}

impl Oscillations {
    /// Where the coefficients contain the time, exponentials are no solutions.
    pub(super) fn of_time_dependent() -> Oscillations {
        Oscillations { modes: Vec::new(), neutral: 0, stability: Stability::TimeDependent, gyroscopic: false }
    }
}

/// The modes about `z`. With N_h a basis of the displacements that holonomic constraints allow, N of the velocities and N_v of the
/// virtual displacements, q = N_h y and y' = N_hᵀ N w, N_vᵀ M N w' = −N_vᵀ K N_h y − N_vᵀ D N w.
pub(super) fn oscillations(
    numbers: &Numbers,
    motion: &SmallMotion<'_>,
    [z, start]: [&[f64]; 2],
    names: &[String],
) -> Option<Oscillations> {
    let n = names.len();
    let at = |entries: &[Expr<'_>]| numbers.at(motion, entries, z);
    let (mass, damping, mut stiffness) = (at(&motion.mass), at(&motion.damping), at(&motion.stiffness));
    // At a degenerate equilibrium what is left of the stiffness is what is left of the way to it.
    let there = numbers.at(motion, &motion.stiffness, start);
    stiffness.iter_mut().zip(there).filter(|(k, there)| k.abs() <= FADED * there.abs()).for_each(|(k, _)| *k = 0.0);
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
    if let Some(found) = undamped(&m, &d, &s, &allowed, &moving, names) {
        return Some(found);
    }
    let link = product(&allowed, &transposed(&moving, l, n), k, n, l);
    let size = k + l;
    let mut companion = vec![0.0; size * size];
    for (row, entries) in link.chunks(l.max(1)).enumerate().take(k) {
        companion[row * size + k..row * size + k + l].copy_from_slice(&entries[..l]);
    }
    let mut lu = extremal_solve::DenseLu::new(l);
    lu.factor(&m).ok()?;
    for column in 0..size {
        let mut solution: Vec<f64> =
            (0..l).map(|row| if column < k { -s[row * k + column] } else { -d[row * l + column - k] }).collect();
        lu.solve(&mut solution);
        if solution.iter().any(|x| !x.is_finite()) {
            return None;
        }
        (0..l).for_each(|row| companion[(k + row) * size + column] = solution[row]);
    }
    let pairs = eigenpairs(&companion, size)?;
    let fastest = pairs.iter().fold(0.0f64, |most, pair| most.max(pair.value.norm()));
    let slow = SLOW * fastest;
    let values: Vec<Complex64> = pairs.iter().map(|pair| pair.value).collect();
    // What is below cannot be told from zero.
    let blur: Vec<f64> = blur(&companion, &values, k, fastest).into_iter().map(|blur| blur.max(slow)).collect();
    let modes: Vec<Mode> = pairs
        .iter()
        .zip(&blur)
        .filter(|(pair, blur)| pair.value.im >= 0.0 && pair.value.norm() > **blur)
        .map(|(pair, blur)| {
            let at = |j: usize| {
                (0..k).fold(Complex64::default(), |sum, i| sum + Complex64::from(allowed[i * n + j]) * pair.vector[i])
            };
            let shape: Vec<Complex64> = (0..n).map(at).collect();
            let told = |rate: f64| if rate.abs() > *blur { rate } else { 0.0 };
            let growth = if *blur > slow { told(pair.value.re) } else { pair.value.re };
            Mode { frequency: pair.value.im, growth, shape: scaled(shape, names) }
        })
        .collect();
    let rates = || values.iter().map(|value| value.re).zip(&blur);
    let skew = |i: usize, j: usize| (d[i * l + j] - d[j * l + i]) / 2.0;
    let gyroscopic = (0..l).any(|i| (0..l).any(|j| skew(i, j).abs() > 1e-12 * fastest));
    let dissipative = {
        let symmetric: Vec<f64> = (0..l * l).map(|at| (d[at] + d[at % l * l + at / l]) / 2.0).collect();
        let shifted: Vec<f64> = (0..l * l)
            .map(|at| symmetric[at] + if at % (l + 1) == 0 { 1e-12 * fastest.max(1e-300) } else { 0.0 })
            .collect();
        positive_definite(&shifted, l)
    };
    let stability = if rates().any(|(rate, blur)| rate > *blur) {
        Stability::Unstable
    } else if size > 0 && rates().all(|(rate, blur)| rate < -blur) {
        Stability::Asymptotic
    } else if k == l && positive_definite(&s, l) && positive_definite(&m, l) && dissipative {
        Stability::Stable
    } else {
        Stability::Neutral
    };
    let neutral = values.iter().zip(&blur).filter(|(value, blur)| value.norm() <= **blur).count();
    Some(Oscillations { modes, neutral, stability, gyroscopic })
}

/// How far round-off may have moved each eigenvalue of a companion matrix with `k` displacements: how far the spectrum moves when
/// the matrix is changed by as much. A simple eigenvalue hardly does, one of multiplicity m by the m-th root.
fn blur(companion: &[f64], values: &[Complex64], k: usize, fastest: f64) -> Vec<f64> {
    const TRIALS: usize = 6;
    let size = values.len();
    let slow = |value: &Complex64| value.re.abs() < 1e-2 * fastest;
    if fastest == 0.0 || !values.iter().any(slow) {
        return vec![0.0; size];
    }
    // Velocities in units of the fastest rate make all entries comparable.
    let scale = |at: usize| match (at / size < k, at % size < k) {
        (true, false) => fastest,
        (false, true) => 1.0 / fastest,
        _ => 1.0,
    };
    let balanced: Vec<f64> = companion.iter().enumerate().map(|(at, entry)| entry * scale(at)).collect();
    let norm = balanced.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    let mut blur = vec![0.0f64; size];
    for trial in 0..TRIALS {
        let unit = |at: usize| 2.0 * (0.754_877_666_246_692_7 * (1 + at + trial * size * size) as f64).fract() - 1.0;
        let changed: Vec<f64> =
            balanced.iter().enumerate().map(|(at, entry)| entry + 8.0 * f64::EPSILON * norm * unit(at)).collect();
        let Some(pairs) = eigenpairs(&changed, size) else { continue };
        for (value, blur) in values.iter().zip(&mut blur) {
            let nearest = pairs.iter().map(|pair| (pair.value - *value).norm()).fold(f64::INFINITY, f64::min);
            *blur = blur.max(4.0 * nearest);
        }
    }
    blur
}

/// Real modes where nothing depends on the velocities: M y'' = −K y with symmetric matrices and M positive definite.
fn undamped(
    m: &[f64],
    d: &[f64],
    s: &[f64],
    allowed: &[f64],
    moving: &[f64],
    names: &[String],
) -> Option<Oscillations> {
    let n = names.len();
    let l = moving.len() / n;
    let symmetric = |a: &[f64]| {
        let size = a.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        (0..l * l).all(|at| (a[at] - a[at % l * l + at / l]).abs() <= 1e-12 * size)
    };
    if allowed != moving || d.iter().any(|x| *x != 0.0) || !symmetric(m) || !symmetric(s) {
        return None;
    }
    // With M = C Cᵀ and y = C⁻ᵀ u, u'' = −C⁻¹ K C⁻ᵀ u.
    let c = cholesky(m, l)?;
    let half: Vec<f64> = transposed(&lower_solve(&c, s, l, l), l, l);
    let pairs = symmetric_eigenpairs(&lower_solve(&c, &half, l, l), l);
    let fastest = pairs.iter().fold(0.0f64, |most, (value, _)| most.max(value.abs()));
    let (mut modes, mut neutral) = (Vec::new(), 0);
    for (value, u) in &pairs {
        let y = upper_solve(&c, u, l);
        let shape = product(&y, moving, 1, l, n).into_iter().map(Complex64::from).collect();
        let shape = scaled(shape, names);
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

/// Divided by the largest entry, with the names of the coordinates.
fn scaled(shape: Vec<Complex64>, names: &[String]) -> Vec<(String, Complex64)> {
    let largest = shape.iter().copied().max_by(|a, b| a.norm().total_cmp(&b.norm())).unwrap_or_default();
    let entries = shape.into_iter().map(|entry| if largest.norm() > 0.0 { quotient(entry, largest) } else { entry });
    names.iter().cloned().zip(entries).collect()
}
