//! The midpoint rule with friction that heats: entropies are those before the step.

use crate::watched::{WatchedEnergy, WatchedMotion};
use crate::{QUINTIC, on_widest};

/// An oscillator of mass and stiffness one in a bath of temperature `gamma`, with friction `gamma`, as a recurrence for the
/// positions: from the first two of them, position and entropy after `steps` steps (at least one).
pub fn oscillator(h: f64, gamma: f64, [first, second]: [f64; 2], steps: usize) -> [f64; 2] {
    let lead = 1.0 / (h * h) + 0.25 + gamma / (2.0 * h);
    let a = (2.0 / (h * h) - 0.5) / lead;
    let b = (gamma / (2.0 * h) - 1.0 / (h * h) - 0.25) / lead;
    let rate = 1.0 / h;
    on_widest(
        #[inline(always)]
        || {
            let (mut before, mut now) = (first, second);
            let mut entropy = rate * (now - before) * (now - before);
            for _ in 1..steps {
                let next = a.mul_add(now, b * before);
                let change = next - now;
                entropy = (rate * change).mul_add(change, entropy);
                (before, now) = (now, next);
            }
            [now, entropy]
        },
    )
}

/// The same with the energy watched, that of the momentum at the end of each step and of the heat: position and entropy at the end.
pub fn oscillator_watched(h: f64, gamma: f64, [first, second]: [f64; 2], steps: usize) -> WatchedMotion {
    let lead = 1.0 / (h * h) + 0.25 + gamma / (2.0 * h);
    let a = (2.0 / (h * h) - 0.5) / lead;
    let b = (gamma / (2.0 * h) - 1.0 / (h * h) - 0.25) / lead;
    let (rate, pull, drag) = (1.0 / h, -0.25 * h, 1.0 / h - 0.5 * gamma);
    on_widest(
        #[inline(always)]
        || {
            let energy = |before: f64, now: f64, entropy: f64| {
                let momentum = drag * (now - before) + pull * (now + before);
                0.5 * (momentum * momentum + now * now) + gamma * entropy
            };
            let (mut before, mut now) = (first, second);
            let mut entropy = rate * (now - before) * (now - before);
            let mut watched = WatchedEnergy::new(energy(before, now, entropy));
            for _ in 1..steps {
                let next = a.mul_add(now, b * before);
                let change = next - now;
                entropy = (rate * change).mul_add(change, entropy);
                (before, now) = (now, next);
                watched.push(energy(before, now, entropy));
            }
            WatchedMotion { positions: vec![now, entropy], energy: watched }
        },
    )
}

/// A piston of mass one on an ideal gas of energy `exp(S) x^(-1/c)` with friction `gamma`, begun by two positions: position and
/// entropy after `steps` steps. Newton's method with a quintic predictor, the system's exponential and power.
pub fn piston(h: f64, c: f64, gamma: f64, start: [f64; 2], entropy: f64, steps: usize) -> [f64; 2] {
    on_widest(
        #[inline(always)]
        || {
            let k = 1.0 / c;
            let (mut x, mut s) = (start[0], entropy);
            let (mut p, mut past) = (0.0, [0.0; 6]);
            for step in 0..steps {
                let heat = s.exp();
                let energy = |w: f64| {
                    let middle = x + 0.5 * h * w;
                    (middle, heat * middle.powf(-k))
                };
                let mut w = match step {
                    0 => (start[1] - start[0]) / h,
                    1..6 => past[0],
                    _ => (0..6).map(|age| QUINTIC[age] * past[age]).sum(),
                };
                if step > 0 {
                    for _ in 0..20 {
                        let (middle, u) = energy(w);
                        let force = k * u / middle;
                        let residual = w - 0.5 * h * force + 0.5 * h * gamma * w - p;
                        let slope = 1.0 + 0.25 * h * h * (k + 1.0) * force / middle + 0.5 * h * gamma;
                        let update = residual / slope;
                        w -= update;
                        if update.abs() <= 1e-8 * w.abs() {
                            break;
                        }
                    }
                }
                let (middle, u) = energy(w);
                p = match step {
                    0 => w + 0.5 * h * k * u / middle - 0.5 * h * gamma * w,
                    _ => p + h * k * u / middle - h * gamma * w,
                };
                s += h * gamma * w * w / u;
                x += h * w;
                for age in (1..6).rev() {
                    past[age] = past[age - 1];
                }
                past[0] = w;
            }
            [x, s]
        },
    )
}
