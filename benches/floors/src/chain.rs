//! The midpoint rule on a chain of n pendulums, masses and lengths one: dense Newton without pivoting, the residual in O(n) by
//! sums from both ends.

use crate::real::{Fast, Real};
use crate::{CUBIC, on_widest};

const G: f64 = 9.81;
const STOP: f64 = 3e-8;

struct Chain {
    n: usize,
    h: f64,
    /// Masses from each link down.
    weight: Vec<f64>,
    sin: Vec<f64>,
    cos: Vec<f64>,
    v: Vec<f64>,
    by_velocity: Vec<f64>,
    by_position: Vec<f64>,
    jacobian: Vec<f64>,
}

impl Chain {
    fn new(n: usize, h: f64) -> Chain {
        let zeros = || vec![0.0; n];
        Chain {
            n,
            h,
            weight: (0..n).map(|k| (n - k) as f64).collect(),
            sin: zeros(),
            cos: zeros(),
            v: zeros(),
            by_velocity: zeros(),
            by_position: zeros(),
            jacobian: vec![0.0; n * n],
        }
    }

    /// L_v and L_q at the middle of the step.
    #[inline(always)]
    fn evaluate(&mut self, q: &[f64], next: &[f64]) {
        let Chain { n, h, weight, sin, cos, v, by_velocity, by_position, .. } = self;
        for i in 0..*n {
            let (s, c) = Fast::of(0.5 * (q[i] + next[i])).sin_cos();
            (sin[i], cos[i], v[i]) = (s.0[0], c.0[0], (next[i] - q[i]) / *h);
        }
        let (mut x, mut y) = (0.0, 0.0);
        for i in 0..*n {
            x += v[i] * cos[i];
            y += v[i] * sin[i];
            (by_velocity[i], by_position[i]) = (weight[i] * x, weight[i] * y);
        }
        let (mut x, mut y) = (0.0, 0.0);
        for i in (0..*n).rev() {
            let (a, b) = (by_velocity[i] + x, by_position[i] + y);
            x += weight[i] * v[i] * cos[i];
            y += weight[i] * v[i] * sin[i];
            by_velocity[i] = cos[i] * a + sin[i] * b;
            by_position[i] = -v[i] * (sin[i] * a - cos[i] * b) - G * weight[i] * sin[i];
        }
    }

    /// h/4 L_qq + (L_qv - L_vq)/2 - L_vv/h.
    #[inline(always)]
    fn differentiate(&mut self) {
        let Chain { n, h, weight, sin, cos, v, jacobian, .. } = self;
        let (n, h) = (*n, *h);
        for (i, row) in jacobian.chunks_exact_mut(n).enumerate() {
            let (si, ci, vi, wi) = (sin[i], cos[i], v[i], weight[i]);
            let mut diagonal = 0.0;
            for k in 0..n {
                let w = if k > i { weight[k] } else { wi };
                let (c, s) = (ci * cos[k] + si * sin[k], si * cos[k] - ci * sin[k]);
                let turning = w * vi * v[k] * c;
                diagonal += turning;
                row[k] = 0.25 * h * turning - 0.5 * w * (vi + v[k]) * s - w * c / h;
            }
            row[i] -= 0.25 * h * (diagonal + G * wi * ci);
        }
    }

    /// Replaces `r` by the solution; the Jacobian is nearly -L_vv/h and needs no pivoting.
    #[inline(always)]
    fn solve(&mut self, r: &mut [f64]) {
        let (n, j) = (self.n, &mut self.jacobian);
        for k in 0..n {
            let inverse = 1.0 / j[k * n + k];
            let (top, below) = j.split_at_mut((k + 1) * n);
            let pivot_row = &top[k * n..];
            for (i, row) in below.chunks_exact_mut(n).enumerate() {
                let factor = row[k] * inverse;
                for (x, y) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                    *x -= factor * y;
                }
                r[k + 1 + i] -= factor * r[k];
            }
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|k| j[i * n + k] * r[k]).sum();
            r[i] = (r[i] - known) / j[i * n + i];
        }
    }

    #[inline(always)]
    fn march(&mut self, start: &[f64], steps: usize) -> Vec<f64> {
        let (n, h) = (self.n, self.h);
        let mut q = start.to_vec();
        let mut next = q.clone();
        let (mut p, mut r) = (vec![0.0; n], vec![0.0; n]);
        let mut past = vec![q.clone(); 4];
        for _ in 0..steps {
            for i in 0..n {
                next[i] = (0..4).map(|age| CUBIC[age] * past[age][i]).sum();
            }
            for _ in 0..20 {
                self.evaluate(&q, &next);
                for i in 0..n {
                    r[i] = p[i] + 0.5 * h * self.by_position[i] - self.by_velocity[i];
                }
                self.differentiate();
                self.solve(&mut r);
                next.iter_mut().zip(&r).for_each(|(x, d)| *x -= d);
                if r.iter().fold(0.0, |m: f64, d| m.max(d.abs())) <= STOP {
                    break;
                }
            }
            self.evaluate(&q, &next);
            for ((p, by_velocity), by_position) in p.iter_mut().zip(&self.by_velocity).zip(&self.by_position) {
                *p = by_velocity + 0.5 * h * by_position;
            }
            past.rotate_right(1);
            past[0].copy_from_slice(&next);
            q.copy_from_slice(&next);
        }
        q
    }
}

/// Angles after `steps` steps from rest.
pub fn march(h: f64, start: &[f64], steps: usize) -> Vec<f64> {
    let mut chain = Chain::new(start.len(), h);
    on_widest(
        #[inline(always)]
        || chain.march(start, steps),
    )
}
