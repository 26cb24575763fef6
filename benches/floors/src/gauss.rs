//! The double pendulum by collocation at eight Gauss nodes, order sixteen: Hamilton's equations, fixed point iteration, one lane
//! per stage.

use std::array::from_fn;

use crate::double_pendulum::G;
use crate::on_widest;
use crate::real::{FloorLanes, SideBySide};

pub(crate) const S: usize = 8;

/// Nodes and weights on [0, 1], by Newton's method on the Legendre polynomial.
pub(crate) fn nodes() -> ([f64; S], [f64; S]) {
    let (mut c, mut b) = ([0.0; S], [0.0; S]);
    for i in 0..S {
        let mut z = (std::f64::consts::PI * (i as f64 + 0.75) / (S as f64 + 0.5)).cos();
        let mut slope = 0.0;
        for _ in 0..20 {
            let (mut before, mut p) = (1.0, z);
            for k in 2..=S {
                let k = k as f64;
                (before, p) = (p, ((2.0 * k - 1.0) * z * p - (k - 1.0) * before) / k);
            }
            slope = S as f64 * (z * p - before) / (z * z - 1.0);
            z -= p / slope;
        }
        c[S - 1 - i] = 0.5 + 0.5 * z;
        b[S - 1 - i] = 1.0 / ((1.0 - z * z) * slope * slope);
    }
    (c, b)
}

pub(crate) fn lagrange(c: &[f64; S], j: usize, x: f64) -> f64 {
    (0..S).filter(|m| *m != j).map(|m| (x - c[m]) / (c[j] - c[m])).product()
}

/// q', p' from q, p.
#[inline(always)]
fn rates<V: SideBySide>(y: [V; 4]) -> [V; 4] {
    let ((s1, c1), (s2, c2)) = (y[0].sin_cos(), y[1].sin_cos());
    let (sin, cos) = (s1 * c2 - c1 * s2, c1 * c2 + s1 * s2);
    let inverse = (V::of(2.0) - cos * cos).recip();
    let v1 = (y[2] - cos * y[3]) * inverse;
    let v2 = (y[3] + y[3] - cos * y[2]) * inverse;
    let turning = v1 * v2 * sin;
    [v1, v2, -(turning + V::of(2.0 * G) * s1), turning - V::of(G) * s2]
}

/// `columns · x + start`, in two strands.
#[inline(always)]
pub(crate) fn times<V: SideBySide>(columns: &[V; S], x: V, start: V) -> V {
    let x = x.numbers();
    let (mut even, mut odd) = (start, columns[1] * V::of(x[1]));
    for j in (0..S).step_by(2) {
        even = columns[j].fma(V::of(x[j]), even);
        if j > 0 {
            odd = columns[j + 1].fma(V::of(x[j + 1]), odd);
        }
    }
    even + odd
}

/// What the stages have to do with each other, by columns: h a_ij, and what extends their polynomial by a step.
struct Coefficients {
    a: [[f64; S]; S],
    ahead: [[f64; S]; S],
    weights: [f64; S],
}

/// Angles after `steps` steps from rest.
pub fn march(h: f64, start: [f64; 2], steps: usize) -> [f64; 2] {
    let (c, b) = nodes();
    let integral = |i: usize, j: usize| (0..S).map(|k| b[k] * c[i] * lagrange(&c, j, c[i] * c[k])).sum::<f64>();
    let coefficients = Coefficients {
        a: from_fn(|j| from_fn(|i| h * integral(i, j))),
        ahead: from_fn(|j| from_fn(|i| lagrange(&c, j, 1.0 + c[i]))),
        weights: b,
    };
    #[cfg(target_arch = "x86_64")]
    if crate::eight::present() {
        return on_widest(
            #[inline(always)]
            || collocate::<crate::eight::Eight>(h, start, steps, &coefficients),
        );
    }
    on_widest(
        #[inline(always)]
        || collocate::<FloorLanes<S>>(h, start, steps, &coefficients),
    )
}

#[inline(always)]
fn collocate<V: SideBySide>(h: f64, start: [f64; 2], steps: usize, coefficients: &Coefficients) -> [f64; 2] {
    let a: [V; S] = from_fn(|j| V::load(&coefficients.a[j]));
    let ahead: [V; S] = from_fn(|j| V::load(&coefficients.ahead[j]));
    let weights = V::load(&coefficients.weights);
    let mut y = [start[0], start[1], 0.0, 0.0];
    let mut lost = [0.0; 4];
    let mut k = [V::of(0.0); 4];
    for _ in 0..steps {
        for rate in &mut k {
            *rate = times(&ahead, *rate, V::of(0.0));
        }
        let mut last = f64::INFINITY;
        for _ in 0..50 {
            let mut stages = k;
            for d in 0..4 {
                stages[d] = times(&a, k[d], V::of(y[d]));
            }
            let next = rates(stages);
            let moved = |d: usize| next[d] - k[d];
            let change = h * moved(0).larger(moved(1)).larger(moved(2).larger(moved(3))).size();
            k = next;
            if change < 1e-15 || (change >= last && change < 1e-12) {
                break;
            }
            last = change;
        }
        for d in 0..4 {
            let step = (k[d] * weights).total() * h + lost[d];
            let next = y[d] + step;
            lost[d] = step - (next - y[d]);
            y[d] = next;
        }
    }
    [y[0], y[1]]
}
