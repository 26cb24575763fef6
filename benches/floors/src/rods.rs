//! Störmer–Verlet on a chain of n rods in Cartesian coordinates, masses and lengths one (RATTLE): the multipliers by Newton's method with
//! the tridiagonal matrix of each step, then those of the velocities at its end.

use crate::watched::{WatchedEnergy, WatchedMotion};
use crate::{CUBIC, on_widest};

const G: f64 = 9.81;
/// After an update from residuals this small the next one would be round-off.
const QUADRATIC: f64 = 1e-8;

/// Vectors along the plane, one per place; place 0 is the support.
#[derive(Clone)]
struct Plane {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Plane {
    fn zeros(n: usize) -> Plane {
        Plane { x: vec![0.0; n + 2], y: vec![0.0; n + 2] }
    }

    /// From each place to the one before it.
    #[inline(always)]
    fn links_of(&mut self, at: &Plane, n: usize) {
        for i in 1..=n {
            (self.x[i], self.y[i]) = (at.x[i] - at.x[i - 1], at.y[i] - at.y[i - 1]);
        }
    }

    /// What tensions along the links pull each place with: none follows the last link, whose tension is zero.
    #[inline(always)]
    fn pull(&self, tension: &[f64], i: usize) -> (f64, f64) {
        let along = |d: &[f64]| d[i] * tension[i] - d[i + 1] * tension[i + 1];
        (along(&self.x), along(&self.y))
    }
}

/// A tridiagonal matrix of products of links, and a right-hand side.
struct Tridiagonal {
    lower: Vec<f64>,
    diagonal: Vec<f64>,
    upper: Vec<f64>,
    right: Vec<f64>,
}

impl Tridiagonal {
    /// What tensions along `pulled` change of the lengths of `links`, times `scale`.
    #[inline(always)]
    fn fill(&mut self, links: &Plane, pulled: &Plane, n: usize, scale: f64) {
        for i in 1..=n {
            let product = |k: usize| links.x[i] * pulled.x[k] + links.y[i] * pulled.y[k];
            self.diagonal[i] = scale * if i == 1 { product(1) } else { 2.0 * product(i) };
            self.lower[i] = if i > 1 { -scale * product(i - 1) } else { 0.0 };
            self.upper[i] = if i < n { -scale * product(i + 1) } else { 0.0 };
        }
    }

    #[inline(always)]
    fn solve(&mut self, n: usize) {
        let Tridiagonal { lower, diagonal, upper, right } = self;
        for i in 2..=n {
            let factor = lower[i] / diagonal[i - 1];
            diagonal[i] -= factor * upper[i - 1];
            right[i] -= factor * right[i - 1];
        }
        right[n] /= diagonal[n];
        for i in (1..n).rev() {
            right[i] = (right[i] - upper[i] * right[i + 1]) / diagonal[i];
        }
    }
}

#[inline(always)]
fn march_plain(h: f64, angles: &[f64], steps: usize, mut look: impl FnMut(&Plane, &Plane)) -> Vec<f64> {
    let n = angles.len();
    let [mut q, mut v, mut next, mut links, mut after] = std::array::from_fn(|_| Plane::zeros(n));
    for i in 1..=n {
        (q.x[i], q.y[i]) = (q.x[i - 1] + angles[i - 1].cos(), q.y[i - 1] + angles[i - 1].sin());
    }
    let zeros = || vec![0.0; n + 2];
    let mut matrix = Tridiagonal { lower: zeros(), diagonal: zeros(), upper: zeros(), right: zeros() };
    let mut tension = zeros();
    let mut past = vec![zeros(); 4];
    look(&q, &v);
    for step in 0..steps {
        links.links_of(&q, n);
        for i in 1..=n {
            let predicted: f64 = (0..4).map(|age| CUBIC[age] * past[age][i]).sum();
            tension[i] = if step < 4 { past[0][i] } else { predicted };
        }
        for _ in 0..20 {
            for i in 1..=n {
                let (x, y) = links.pull(&tension, i);
                next.x[i] = q.x[i] + h * (v.x[i] + 0.5 * h * (G + x));
                next.y[i] = q.y[i] + h * (v.y[i] + 0.5 * h * y);
            }
            after.links_of(&next, n);
            let mut worst = 0.0f64;
            for i in 1..=n {
                matrix.right[i] = after.x[i] * after.x[i] + after.y[i] * after.y[i] - 1.0;
                worst = worst.max(matrix.right[i].abs());
            }
            matrix.fill(&after, &links, n, h * h);
            matrix.solve(n);
            tension.iter_mut().zip(&matrix.right).for_each(|(tension, change)| *tension -= change);
            if worst <= QUADRATIC {
                break;
            }
        }
        for i in 1..=n {
            let (x, y) = links.pull(&tension, i);
            (v.x[i], v.y[i]) = (v.x[i] + 0.5 * h * (G + x), v.y[i] + 0.5 * h * y);
            (next.x[i], next.y[i]) = (q.x[i] + h * v.x[i], q.y[i] + h * v.y[i]);
            v.x[i] += 0.5 * h * G;
        }
        past.rotate_right(1);
        past[0].copy_from_slice(&tension);
        after.links_of(&next, n);
        for i in 1..=n {
            matrix.right[i] = after.x[i] * (v.x[i] - v.x[i - 1]) + after.y[i] * (v.y[i] - v.y[i - 1]);
        }
        matrix.fill(&after, &after, n, 1.0);
        matrix.solve(n);
        matrix.right[n + 1] = 0.0;
        for i in 1..=n {
            let (x, y) = after.pull(&matrix.right, i);
            (v.x[i], v.y[i]) = (v.x[i] - x, v.y[i] - y);
        }
        std::mem::swap(&mut q, &mut next);
        look(&q, &v);
    }
    [&q.x[1..=n], &q.y[1..=n]].concat()
}

/// Positions x, then y, after `steps` steps from rest; the links begin at these angles.
pub fn march(h: f64, angles: &[f64], steps: usize) -> Vec<f64> {
    on_widest(
        #[inline(always)]
        || march_plain(h, angles, steps, |_, _| ()),
    )
}

/// The same with the energy watched.
pub fn watched(h: f64, angles: &[f64], steps: usize) -> WatchedMotion {
    let n = angles.len();
    on_widest(
        #[inline(always)]
        || {
            let mut energy: Option<WatchedEnergy> = None;
            let positions = march_plain(h, angles, steps, |q, v| {
                let [x, u, w] = [&q.x[1..=n], &v.x[1..=n], &v.y[1..=n]];
                let now = energy_of(x, u, w);
                match &mut energy {
                    Some(energy) => energy.push(now),
                    None => energy = Some(WatchedEnergy::new(now)),
                }
            });
            WatchedMotion { positions, energy: energy.expect("the start was looked at") }
        },
    )
}

/// In strands as wide as registers.
#[inline(always)]
fn energy_of(x: &[f64], u: &[f64], w: &[f64]) -> f64 {
    const STRANDS: usize = 8;
    let one = |x: f64, u: f64, w: f64| 0.5 * u.mul_add(u, w * w) - G * x;
    let mut sums = [0.0; STRANDS];
    let whole = x.len() - x.len() % STRANDS;
    for first in (0..whole).step_by(STRANDS) {
        for (strand, sum) in sums.iter_mut().enumerate() {
            let at = first + strand;
            *sum += one(x[at], u[at], w[at]);
        }
    }
    let rest: f64 = (whole..x.len()).map(|at| one(x[at], u[at], w[at])).sum();
    sums.iter().sum::<f64>() + rest
}
