//! What a run says of the energy of a motion, by hand: its first and last value, how far it went, and its slope over time.

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
