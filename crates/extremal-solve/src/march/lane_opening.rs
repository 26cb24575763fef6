//! The first steps of motions side by side, before the loop sees whether they are smooth.

use super::{BEGUN, FADING, QUIET, SMOOTH};

/// What tells whether the first steps are smooth, as [`Smoothness`](super::smoothness::Smoothness) does.
#[derive(Clone)]
pub(super) struct LaneOpening {
    coordinates: usize,
    /// Positions and momenta before the step.
    pub before: Vec<f64>,
    pub ways: Vec<f64>,
    pub strongest: Vec<f64>,
    pub largest: Vec<f64>,
    sums: [Vec<f64>; 2],
}

impl LaneOpening {
    /// Of motions with so many coordinates.
    pub fn new(coordinates: usize, lanes: usize) -> LaneOpening {
        let numbers = |count: usize| vec![0.0; count * lanes];
        LaneOpening {
            coordinates,
            before: numbers(2 * coordinates),
            ways: numbers(coordinates),
            strongest: numbers(1),
            largest: numbers(1),
            sums: [numbers(1), numbers(1)],
        }
    }

    /// Begins with other motions.
    pub fn forget(&mut self) {
        [&mut self.ways, &mut self.strongest, &mut self.largest].into_iter().for_each(|column| column.fill(0.0));
    }

    /// Takes a step to a state; from the third on it may be `rough`.
    #[inline(always)]
    pub fn follow(&mut self, after: &[f64], known: bool, rough: &mut [bool]) {
        let lanes = rough.len();
        let LaneOpening { coordinates, before, ways, strongest, largest, sums: [first, second] } = self;
        first.fill(0.0);
        second.fill(0.0);
        let size = *coordinates * lanes;
        let momenta = before[size..].chunks_exact(lanes).zip(after[size..].chunks_exact(lanes));
        let positions = before[..size].chunks_exact(lanes).zip(after[..size].chunks_exact(lanes));
        for (((q0, q1), (p0, p1)), last) in positions.zip(momenta).zip(ways.chunks_exact_mut(lanes)) {
            for at in 0..lanes {
                let way = q1[at] - q0[at];
                first[at] += (way * p1[at]).abs();
                second[at] += ((way - last[at]) * (p1[at] - p0[at])).abs();
                last[at] = way;
            }
        }
        for at in 0..lanes {
            strongest[at] = first[at].max(FADING * strongest[at]);
            if !known {
                strongest[at] = strongest[at].max(BEGUN * second[at]);
            }
            largest[at] = largest[at].max(strongest[at]);
            // What is no number is not smooth.
            rough[at] |= known && !(second[at] <= SMOOTH * strongest[at] + QUIET * largest[at]);
        }
    }
}
