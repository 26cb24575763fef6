//! Störmer–Verlet on the alpha chain of Fermi, Pasta and Ulam with fixed ends: one force per step, drift and kick together in
//! blocks that stay in the first cache.

use crate::on_widest;

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
