//! A composition of Störmer–Verlet steps on Hénon–Heiles: kicks and drifts; the force at the end of a substep is that at the
//! beginning of the next.

use crate::on_widest;
use crate::watched::{WatchedMotion, verlet};

#[inline(always)]
fn force([x, y]: [f64; 2]) -> [f64; 2] {
    [-x - 2.0 * x * y, -y - x * x + y * y]
}

/// Positions after `steps` steps of size `h`, each in these fractions.
pub fn march(h: f64, fractions: &[f64], steps: usize) -> [f64; 2] {
    on_widest(
        #[inline(always)]
        || {
            let (mut q, mut p) = ([0.1, 0.0], [0.0, 0.5]);
            let mut f = force(q);
            for _ in 0..steps {
                for fraction in fractions {
                    let h = fraction * h;
                    let half = [p[0] + 0.5 * h * f[0], p[1] + 0.5 * h * f[1]];
                    q = [q[0] + h * half[0], q[1] + h * half[1]];
                    f = force(q);
                    p = [half[0] + 0.5 * h * f[0], half[1] + 0.5 * h * f[1]];
                }
            }
            q
        },
    )
}

#[inline(always)]
fn energy([x, y]: [f64; 2], [u, v]: [f64; 2]) -> f64 {
    0.5 * (u * u + v * v + x * x + y * y) + x * x * y - y * y * y / 3.0
}

/// The same with the energy watched.
pub fn watched(h: f64, fractions: &[f64], steps: usize) -> WatchedMotion {
    on_widest(
        #[inline(always)]
        || verlet(h, fractions, [[0.1, 0.0], [0.0, 0.5]], steps, force, energy),
    )
}
