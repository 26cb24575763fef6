//! An orbit by collocation at two Gauss nodes, which is what polynomials of second degree with two Gauss points are here: fixed point
//! iteration on the accelerations, which are extrapolated from the last six steps.

use crate::{QUINTIC, on_widest};

#[inline(always)]
fn acceleration([x, y]: [f64; 2]) -> [f64; 2] {
    let square = x * x + y * y;
    let pull = -1.0 / (square * square.sqrt());
    [pull * x, pull * y]
}

/// The position after `steps` steps from the pericentre of an orbit of semi-axis one.
pub fn march(h: f64, eccentricity: f64, steps: usize) -> [f64; 2] {
    let root = 3f64.sqrt() / 6.0;
    let a = [[0.25, 0.25 - root], [0.25 + root, 0.25]];
    let c = [0.5 - root, 0.5 + root];
    let twice = [0, 1].map(|i| [0, 1].map(|j| h * h * (a[i][0] * a[0][j] + a[i][1] * a[1][j])));
    let end = [0, 1].map(|j| h * h * 0.5 * (a[0][j] + a[1][j]));
    on_widest(
        #[inline(always)]
        || {
            let mut q = [1.0 - eccentricity, 0.0];
            let mut v = [0.0, ((1.0 + eccentricity) / (1.0 - eccentricity)).sqrt()];
            let mut past = [[acceleration(q); 2]; QUINTIC.len()];
            for step in 0..steps {
                let mut k = past[0];
                if step >= past.len() {
                    k = [[0.0; 2]; 2];
                    for (weight, past) in QUINTIC.iter().zip(&past) {
                        for i in 0..2 {
                            k[i] = [0, 1].map(|d| weight.mul_add(past[i][d], k[i][d]));
                        }
                    }
                }
                for _ in 0..50 {
                    let at =
                        |i: usize, d: usize| q[d] + h * c[i] * v[d] + twice[i][0] * k[0][d] + twice[i][1] * k[1][d];
                    let next = [0, 1].map(|i| acceleration([at(i, 0), at(i, 1)]));
                    let moved = |i: usize| (next[i][0] - k[i][0]).abs().max((next[i][1] - k[i][1]).abs());
                    let change = moved(0).max(moved(1)) * h * h;
                    k = next;
                    if change <= 1e-14 {
                        break;
                    }
                }
                for d in 0..2 {
                    q[d] += h * v[d] + end[0] * k[0][d] + end[1] * k[1][d];
                    v[d] += 0.5 * h * (k[0][d] + k[1][d]);
                }
                past.rotate_right(1);
                past[0] = k;
            }
            q
        },
    )
}
