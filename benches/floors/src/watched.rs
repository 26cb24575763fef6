//! What a run says of the energy of a motion, by hand: its first and last value, how far it went, and its slope over time.

use crate::on_widest;

/// An energy that is looked at after every step, by sums without a division on the way.
#[derive(Clone, Copy, Debug)]
pub struct WatchedEnergy {
    first: f64,
    /// The last value.
    pub last: f64,
    /// The largest departure from the first.
    pub largest: f64,
    count: f64,
    sum: f64,
    moment: f64,
}

impl WatchedEnergy {
    /// Begins with a first value.
    pub fn new(first: f64) -> WatchedEnergy {
        WatchedEnergy { first, last: first, largest: 0.0, count: 1.0, sum: 0.0, moment: 0.0 }
    }

    /// Takes the next value.
    #[inline(always)]
    pub fn push(&mut self, energy: f64) {
        let departure = energy - self.first;
        self.last = energy;
        self.largest = self.largest.max(departure.abs());
        self.sum += departure;
        self.moment = self.count.mul_add(departure, self.moment);
        self.count += 1.0;
    }

    /// The slope of the line through the departures, from times `h` apart.
    pub fn slope(&self, h: f64) -> f64 {
        let n = self.count;
        let (times, squares) = (n * (n - 1.0) / 2.0, (n - 1.0) * n * (2.0 * n - 1.0) / 6.0);
        (n * self.moment - times * self.sum) / (n * squares - times * times) / h
    }
}

/// Where a motion ends, and what was seen of its energy.
pub struct WatchedMotion {
    /// The positions at the end, and what else the loop computes.
    pub positions: Vec<f64>,
    /// The energy along the way.
    pub energy: WatchedEnergy,
}

/// Störmer–Verlet in two coordinates of mass one, each step in these fractions of `h`.
#[inline(always)]
pub fn verlet(
    h: f64,
    fractions: &[f64],
    [mut q, mut p]: [[f64; 2]; 2],
    steps: usize,
    force: impl Fn([f64; 2]) -> [f64; 2],
    energy: impl Fn([f64; 2], [f64; 2]) -> f64,
) -> WatchedMotion {
    let mut f = force(q);
    let mut watched = WatchedEnergy::new(energy(q, p));
    for _ in 0..steps {
        for fraction in fractions {
            let h = fraction * h;
            let half = [p[0] + 0.5 * h * f[0], p[1] + 0.5 * h * f[1]];
            q = [q[0] + h * half[0], q[1] + h * half[1]];
            f = force(q);
            p = [half[0] + 0.5 * h * f[0], half[1] + 0.5 * h * f[1]];
        }
        watched.push(energy(q, p));
    }
    WatchedMotion { positions: q.to_vec(), energy: watched }
}

/// Kepler's problem from the pericentre of an orbit of this eccentricity, the larger half axis one.
pub mod kepler {
    use super::{WatchedEnergy, WatchedMotion, on_widest, verlet};

    #[inline(always)]
    fn force([x, y]: [f64; 2]) -> [f64; 2] {
        let square = x * x + y * y;
        let pull = -1.0 / (square * square.sqrt());
        [pull * x, pull * y]
    }

    #[inline(always)]
    fn energy([x, y]: [f64; 2], [u, v]: [f64; 2]) -> f64 {
        0.5 * (u * u + v * v) - 1.0 / (x * x + y * y).sqrt()
    }

    fn start(eccentricity: f64) -> [[f64; 2]; 2] {
        [[1.0 - eccentricity, 0.0], [0.0, ((1.0 + eccentricity) / (1.0 - eccentricity)).sqrt()]]
    }

    /// By Störmer–Verlet.
    pub fn by_verlet(h: f64, eccentricity: f64, steps: usize) -> WatchedMotion {
        on_widest(
            #[inline(always)]
            || verlet(h, &[1.0], start(eccentricity), steps, force, energy),
        )
    }

    /// Weights that extend the polynomial through the last six values by one step, newest first.
    const AHEAD: [f64; 6] = crate::QUINTIC;

    /// By two Gauss stages, whose accelerations are extrapolated from six steps and iterated to a fixed point.
    pub fn by_gauss(h: f64, eccentricity: f64, steps: usize) -> WatchedMotion {
        on_widest(
            #[inline(always)]
            || {
                let root = 3f64.sqrt() / 6.0;
                let nodes = [0.5 - root, 0.5 + root];
                let table = [[0.25, 0.25 - root], [0.25 + root, 0.25]];
                let square = |i: usize, j: usize| h * h * (table[i][0] * table[0][j] + table[i][1] * table[1][j]);
                let inside = [[square(0, 0), square(0, 1)], [square(1, 0), square(1, 1)]];
                let ends = [0, 1].map(|j| h * h * 0.5 * (table[0][j] + table[1][j]));
                let [mut q, mut v] = start(eccentricity);
                let mut past = [[force(q); 2]; 6];
                let mut watched = WatchedEnergy::new(energy(q, v));
                for step in 0..steps {
                    let mut stages = past[0];
                    if step >= 6 {
                        stages = [[0.0; 2]; 2];
                        for (weight, old) in AHEAD.iter().zip(&past) {
                            for i in 0..2 {
                                for d in 0..2 {
                                    stages[i][d] = weight.mul_add(old[i][d], stages[i][d]);
                                }
                            }
                        }
                    }
                    for _ in 0..50 {
                        let at = |i: usize, d: usize| {
                            q[d] + h * nodes[i] * v[d] + inside[i][0] * stages[0][d] + inside[i][1] * stages[1][d]
                        };
                        let next = [force([at(0, 0), at(0, 1)]), force([at(1, 0), at(1, 1)])];
                        let mut change = 0f64;
                        for i in 0..2 {
                            for d in 0..2 {
                                change = change.max((next[i][d] - stages[i][d]).abs());
                            }
                        }
                        stages = next;
                        if change * h * h <= 1e-14 {
                            break;
                        }
                    }
                    for d in 0..2 {
                        q[d] += h * v[d] + ends[0] * stages[0][d] + ends[1] * stages[1][d];
                        v[d] += 0.5 * h * (stages[0][d] + stages[1][d]);
                    }
                    past.rotate_right(1);
                    past[0] = stages;
                    watched.push(energy(q, v));
                }
                WatchedMotion { positions: q.to_vec(), energy: watched }
            },
        )
    }
}
