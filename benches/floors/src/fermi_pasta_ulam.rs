//! Störmer–Verlet on the alpha chain of Fermi, Pasta and Ulam with fixed ends: one force per step, drift and kick together in
//! blocks that stay in the first cache.

use crate::on_widest;
use crate::watched::{WatchedEnergy, WatchedMotion};

const BLOCK: usize = 1024;

#[inline(always)]
fn drift(q: &mut [f64], v: &[f64], h: f64) {
    for (q, v) in q.iter_mut().zip(v) {
        *q = h.mul_add(*v, *q);
    }
}

/// `v[i] += c (f(q[i+2] - q[i+1]) - f(q[i+1] - q[i]))` with f(d) = d + alpha d².
#[inline(always)]
fn kick(q: &[f64], v: &mut [f64], c: f64, alpha: f64) {
    let n = v.len();
    let (left, own, right) = (&q[..n], &q[1..n + 1], &q[2..n + 2]);
    for i in 0..n {
        let (a, b) = (right[i] - own[i], own[i] - left[i]);
        let (fa, fb) = ((alpha * a).mul_add(a, a), (alpha * b).mul_add(b, b));
        v[i] = c.mul_add(fa - fb, v[i]);
    }
}

/// Positions after `steps` steps from rest.
pub fn march(h: f64, alpha: f64, start: &[f64], steps: usize) -> Vec<f64> {
    let n = start.len();
    let mut q = vec![0.0; n + 2];
    q[1..=n].copy_from_slice(start);
    let mut v = vec![0.0; n + 2];
    on_widest(
        #[inline(always)]
        || {
            kick(&q, &mut v[1..=n], 0.5 * h, alpha);
            for step in 0..steps {
                let c = if step + 1 == steps { 0.5 * h } else { h };
                let mut low = 1;
                while low <= n {
                    let high = (low + BLOCK).min(n + 1);
                    drift(&mut q[low..high], &v[low..high], h);
                    // Kick what has both neighbours drifted.
                    let (a, b) = (if low == 1 { 1 } else { low - 1 }, if high == n + 1 { high } else { high - 1 });
                    kick(&q[a - 1..b + 1], &mut v[a..b], c, alpha);
                    low = high;
                }
            }
        },
    );
    q[1..=n].to_vec()
}

/// Half a kick, twice the energy there, and the other half, in strands as wide as registers.
#[inline(always)]
fn watched_kick(q: &[f64], v: &mut [f64], c: f64, alpha: f64) -> f64 {
    const STRANDS: usize = 16;
    let n = v.len();
    let third = 2.0 * alpha / 3.0;
    let (left, own, right) = (&q[..n], &q[1..n + 1], &q[2..n + 2]);
    let one = |l: f64, o: f64, r: f64, v: &mut f64| {
        let (a, b) = (r - o, o - l);
        let pull = (alpha * a).mul_add(a, a) - (alpha * b).mul_add(b, b);
        let there = c.mul_add(pull, *v);
        *v = c.mul_add(pull, there);
        there.mul_add(there, b * b * third.mul_add(b, 1.0))
    };
    let mut sums = [0.0; STRANDS];
    let whole = n - n % STRANDS;
    for first in (0..whole).step_by(STRANDS) {
        let [l, o, r] = [left, own, right].map(|q| &q[first..first + STRANDS]);
        let v = &mut v[first..first + STRANDS];
        for s in 0..STRANDS {
            sums[s] += one(l[s], o[s], r[s], &mut v[s]);
        }
    }
    let rest: f64 = (whole..n).map(|i| one(left[i], own[i], right[i], &mut v[i])).sum();
    sums.iter().sum::<f64>() + rest
}

/// Positions after `steps` steps from rest, with the energy watched after each.
pub fn watched(h: f64, alpha: f64, start: &[f64], steps: usize) -> WatchedMotion {
    let n = start.len();
    let mut q = vec![0.0; n + 2];
    q[1..=n].copy_from_slice(start);
    let mut v = vec![0.0; n + 2];
    let at_end = |q: &[f64]| {
        let last = -q[n];
        last * last * (2.0 * alpha / 3.0).mul_add(last, 1.0)
    };
    let energy = on_widest(
        #[inline(always)]
        || {
            let first = watched_kick(&q, &mut v[1..=n], 0.0, alpha) + at_end(&q);
            let mut energy = WatchedEnergy::new(0.5 * first);
            kick(&q, &mut v[1..=n], 0.5 * h, alpha);
            for _ in 0..steps {
                let (mut low, mut sum) = (1, 0.0);
                while low <= n {
                    let high = (low + BLOCK).min(n + 1);
                    drift(&mut q[low..high], &v[low..high], h);
                    let (a, b) = (if low == 1 { 1 } else { low - 1 }, if high == n + 1 { high } else { high - 1 });
                    sum += watched_kick(&q[a - 1..b + 1], &mut v[a..b], 0.5 * h, alpha);
                    low = high;
                }
                energy.push(0.5 * (sum + at_end(&q)));
            }
            energy
        },
    );
    WatchedMotion { positions: q[1..=n].to_vec(), energy }
}
