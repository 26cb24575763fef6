//! The outer solar system by collocation at eight Gauss nodes: Newton's equations, fixed point iteration on the accelerations, one
//! lane per stage, predicted by the polynomial of the step before.

use std::array::from_fn;

use crate::gauss::{S, lagrange, nodes, times};
use crate::on_widest;
use crate::real::{FloorLanes, SideBySide};
use crate::watched::{WatchedEnergy, WatchedMotion};

const BODIES: usize = 6;
const GRAVITY: f64 = 2.95912208286e-4;
const MASSES: [f64; BODIES] =
    [1.00000597682, 0.000954786104043, 0.000285583733151, 0.0000437273164546, 0.0000517759138449, 1.0 / 1.3e8];

/// x of all bodies, then y, then z.
pub type Planets = [f64; 3 * BODIES];

#[inline(always)]
fn accelerations<V: SideBySide>(q: &[V; 3 * BODIES]) -> [V; 3 * BODIES] {
    let mut a = [V::of(0.0); 3 * BODIES];
    for i in 0..BODIES {
        for j in i + 1..BODIES {
            let mut d = [V::of(0.0); 3];
            for (e, d) in d.iter_mut().enumerate() {
                *d = q[e * BODIES + j] - q[e * BODIES + i];
            }
            let square = d[0].fma(d[0], d[1].fma(d[1], d[2] * d[2]));
            let pull = V::of(GRAVITY) * (square * square.sqrt()).recip();
            let (own, other) = (V::of(MASSES[j]) * pull, -(V::of(MASSES[i]) * pull));
            for (e, d) in d.into_iter().enumerate() {
                let (at_i, at_j) = (e * BODIES + i, e * BODIES + j);
                a[at_i] = own.fma(d, a[at_i]);
                a[at_j] = other.fma(d, a[at_j]);
            }
        }
    }
    a
}

/// Columns for all stages, and weights.
struct OrbitCoefficients {
    c: [f64; S],
    /// h² (a²)_ij.
    twice: [[f64; S]; S],
    ahead: [[f64; S]; S],
    /// h b_j and h² Σ b_i a_ij.
    velocity: [f64; S],
    position: [f64; S],
}

/// Positions after `steps` steps.
pub fn march(h: f64, start: [Planets; 2], steps: usize) -> Planets {
    on_widest_lanes(h, start, steps, |_, _| ())
}

/// The same with the energy watched.
pub fn watched(h: f64, start: [Planets; 2], steps: usize) -> WatchedMotion {
    let mut watched = WatchedEnergy::new(energy(&start[0], &start[1]));
    let positions = on_widest_lanes(
        h,
        start,
        steps,
        #[inline(always)]
        |x, v| watched.push(energy(x, v)),
    );
    WatchedMotion { positions: positions.to_vec(), energy: watched }
}

#[inline(always)]
fn energy(x: &Planets, v: &Planets) -> f64 {
    let mut energy = 0.0;
    for i in 0..BODIES {
        let [at, next, last] = [i, BODIES + i, 2 * BODIES + i];
        energy += 0.5 * MASSES[i] * (v[at] * v[at] + v[next] * v[next] + v[last] * v[last]);
        for j in i + 1..BODIES {
            let d: [f64; 3] = from_fn(|e| x[e * BODIES + j] - x[e * BODIES + i]);
            energy -= GRAVITY * MASSES[i] * MASSES[j] / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
        }
    }
    energy
}

fn on_widest_lanes(h: f64, start: [Planets; 2], steps: usize, look: impl FnMut(&Planets, &Planets)) -> Planets {
    let (c, b) = nodes();
    let integral = |i: usize, j: usize| (0..S).map(|k| b[k] * c[i] * lagrange(&c, j, c[i] * c[k])).sum::<f64>();
    let a: [[f64; S]; S] = from_fn(|i| from_fn(|j| integral(i, j)));
    let coefficients = OrbitCoefficients {
        c,
        twice: from_fn(|j| from_fn(|i| h * h * (0..S).map(|k| a[i][k] * a[k][j]).sum::<f64>())),
        ahead: from_fn(|j| from_fn(|i| lagrange(&c, j, 1.0 + c[i]))),
        velocity: b.map(|b| h * b),
        position: from_fn(|j| h * h * (0..S).map(|i| b[i] * a[i][j]).sum::<f64>()),
    };
    #[cfg(target_arch = "x86_64")]
    if crate::eight::present() {
        return on_widest(
            #[inline(always)]
            || collocate::<crate::eight::Eight>(h, start, steps, &coefficients, look),
        );
    }
    on_widest(
        #[inline(always)]
        || collocate::<FloorLanes<S>>(h, start, steps, &coefficients, look),
    )
}

#[inline(always)]
fn collocate<V: SideBySide>(
    h: f64,
    [mut x, mut v]: [Planets; 2],
    steps: usize,
    coefficients: &OrbitCoefficients,
    mut look: impl FnMut(&Planets, &Planets),
) -> Planets {
    let twice: [V; S] = from_fn(|j| V::load(&coefficients.twice[j]));
    let ahead: [V; S] = from_fn(|j| V::load(&coefficients.ahead[j]));
    let (velocity, position) = (V::load(&coefficients.velocity), V::load(&coefficients.position));
    let nodes = V::load(&coefficients.c) * V::of(h);
    let mut k = accelerations(&from_fn(|d| V::of(x[d])));
    for step in 0..steps {
        if step > 0 {
            for k in &mut k {
                *k = times(&ahead, *k, V::of(0.0));
            }
        }
        let (mut free, mut stages) = (k, k);
        for d in 0..3 * BODIES {
            free[d] = nodes.fma(V::of(v[d]), V::of(x[d]));
        }
        let mut last = f64::INFINITY;
        loop {
            for d in 0..3 * BODIES {
                stages[d] = times(&twice, k[d], free[d]);
            }
            let next = accelerations(&stages);
            let mut moved = V::of(0.0);
            for d in 0..3 * BODIES {
                moved = moved.larger(next[d] - k[d]);
            }
            k = next;
            let change = moved.size() * h * h;
            if change <= 1e-15 || change >= last {
                break;
            }
            last = change;
        }
        for d in 0..3 * BODIES {
            x[d] += h * v[d] + (k[d] * position).total();
            v[d] += (k[d] * velocity).total();
        }
        look(&x, &v);
    }
    x
}
