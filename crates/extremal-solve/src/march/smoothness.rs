//! Are the steps of a motion short beside what happens in it? A sign that costs next to nothing, for motions that nobody looks at.
//!
//! With the way a = Δq of a step and e = Δp, the sums Σ |a p|, Σ |Δa e| and Σ |Δ²a Δe| are in the units of the action, whatever those of
//! the coordinates are. In an oscillation that a step turns by θ they are as 1 to θ² to θ⁴, and where the first vanishes the second
//! does not: a motion is smooth while the third is a small part of the two others.

/// The third sum may be this part of the others. It is θ⁴ for θ = 0.38, seventeen steps for a period, which every method of second
/// order follows well.
pub(crate) const SMOOTH: f64 = 0.02;
/// Below this part of the largest of the first sums so far there is nothing to see.
pub(crate) const QUIET: f64 = 1e-5;
/// Steps before there are third differences.
const KNOWN: u32 = 3;

/// What is remembered of a motion to tell.
#[derive(Clone)]
pub(super) struct Smoothness {
    /// The ways of the last step, their differences, the changes of the momenta, then the largest first sum and how much the third
    /// sum was ever beyond what it may be: as they go round in lanes.
    pub values: Vec<f64>,
    steps: u32,
}

/// How many numbers go round for so many coordinates.
pub(crate) fn width(coordinates: usize) -> usize {
    3 * coordinates + 2
}

impl Smoothness {
    pub fn new(coordinates: usize) -> Self {
        Smoothness { values: vec![0.0; width(coordinates)], steps: 0 }
    }

    pub fn forget(&mut self) {
        self.values.fill(0.0);
        self.steps = 0;
    }

    /// Takes a step between two states.
    pub fn follow(&mut self, before: &[f64], after: &[f64]) {
        let n = (self.values.len() - 2) / 3;
        let (remembered, totals) = self.values.split_at_mut(3 * n);
        let (ways, rest) = remembered.split_at_mut(n);
        let (bends, kicks) = rest.split_at_mut(n);
        let mut sums = [0.0; 3];
        for i in 0..n {
            let (way, kick) = (after[i] - before[i], after[n + i] - before[n + i]);
            let bend = way - ways[i];
            let differences = [way * after[n + i], bend * kick, (bend - bends[i]) * (kick - kicks[i])];
            sums.iter_mut().zip(differences).for_each(|(sum, term)| *sum += term.abs());
            (ways[i], bends[i], kicks[i]) = (way, bend, kick);
        }
        totals[0] = totals[0].max(sums[0]);
        self.steps = self.steps.saturating_add(1);
        let beyond = sums[2] - SMOOTH * (sums[0] + sums[1]) - QUIET * totals[0];
        // What is no number is not smooth.
        if self.steps >= KNOWN && (beyond.is_nan() || beyond > totals[1]) {
            totals[1] = beyond;
        }
    }

    /// Were all steps smooth?
    pub fn holds(&self) -> bool {
        self.values.last().is_some_and(|beyond| *beyond <= 0.0)
    }
}
