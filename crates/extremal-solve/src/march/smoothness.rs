//! Are the steps of a motion short beside what happens in it? A sign that costs next to nothing, for motions that nobody looks at.
//!
//! With the way a = Δq of a step and e = Δp, the sums Σ |a p| and Σ |Δa e| are in the units of the action, whatever those of the
//! coordinates are. In an oscillation that a step turns by θ they are as 1 to θ²: a motion is smooth while the second is a small part of
//! the first. The first vanishes where the motion turns back; so it is remembered, and fades.

/// The second sum may be this part of the first. It is θ² for θ = 0.17, 36 steps for a period: of two hundred double pendulums with
/// steps of 0.02 to 0.06 none that was as smooth had an energy off by more than a third of what is warned of.
pub(crate) const SMOOTH: f64 = 0.03;
/// What is left of the largest first sum after another step. Where a motion turns back the largest of 0.93ᵏ (k θ)², which is 103 θ², is
/// remembered: smooth, however short its steps are.
pub(crate) const FADING: f64 = 0.93;
/// Below this part of the largest of the first sums so far there is nothing to see.
pub(crate) const QUIET: f64 = 1e-5;
/// How many times the second sum is remembered as a first one of a motion that has just begun, maybe at rest: as where it turns back.
pub(crate) const BEGUN: f64 = 80.0;
/// Steps before there are second sums, that is, two ways one after the other.
const KNOWN: u32 = 2;

/// What is remembered of a motion to tell.
#[derive(Clone)]
pub(super) struct Smoothness {
    /// The ways of the last step.
    pub ways: Vec<f64>,
    /// The largest first sum, fading.
    pub strongest: f64,
    /// The largest first sum that was seen.
    largest: f64,
    steps: u32,
    rough: bool,
    /// The square of the longest row of constraints, where these are watched.
    pub longest_row: f64,
}

impl Smoothness {
    pub fn new(coordinates: usize) -> Self {
        Smoothness {
            ways: vec![0.0; coordinates],
            strongest: 0.0,
            largest: 0.0,
            steps: 0,
            rough: false,
            longest_row: 0.0,
        }
    }

    pub fn forget(&mut self) {
        self.ways.fill(0.0);
        (self.strongest, self.largest, self.steps, self.rough) = (0.0, 0.0, 0, false);
        self.longest_row = 0.0;
    }

    /// Goes on after so many steps whose largest first sum is known.
    pub fn stand_in(&mut self, steps: u64, largest: f64) {
        self.forget();
        self.steps = u32::try_from(steps).unwrap_or(u32::MAX);
        self.largest = largest;
    }

    /// Takes a step between two states.
    pub fn follow(&mut self, before: &[f64], after: &[f64]) {
        let n = self.ways.len();
        let (mut first, mut second) = (0.0, 0.0);
        let positions = before[..n].iter().zip(&after[..n]);
        let momenta = before[n..2 * n].iter().zip(&after[n..2 * n]);
        for (last, ((q0, q1), (p0, p1))) in self.ways.iter_mut().zip(positions.zip(momenta)) {
            let way = q1 - q0;
            first += (way * p1).abs();
            second += ((way - *last) * (p1 - p0)).abs();
            *last = way;
        }
        self.steps = self.steps.saturating_add(1);
        self.strongest = first.max(FADING * self.strongest);
        if self.steps <= KNOWN {
            self.strongest = self.strongest.max(BEGUN * second);
        }
        self.largest = self.largest.max(self.strongest);
        let smooth = second <= SMOOTH * self.strongest + self.floor();
        // What is no number is not smooth.
        self.rough |= !smooth && self.steps > KNOWN;
    }

    /// Below this there is nothing to see.
    pub fn floor(&self) -> f64 {
        QUIET * self.largest
    }

    /// Takes what a lane has seen since: the strongest, and whether a step was rough. The ways are there already.
    pub fn resume(&mut self, strongest: f64, rough: bool) {
        (self.strongest, self.largest) = (strongest, self.largest.max(strongest));
        self.rough |= rough;
    }

    /// A step led near a place where constraints depend on each other, which is to be looked at as rough ones are.
    pub fn come_near(&mut self) {
        self.rough = true;
    }

    /// Were all steps smooth?
    pub fn holds(&self) -> bool {
        !self.rough
    }
}
