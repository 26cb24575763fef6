//! Sums over members, in an order that does not depend on what runs them or how many come at once.

use super::loop_machine::PIECE;

/// Numbers of a group: as many parts a sum has.
const PARTS: usize = 8;

/// A sum of so many numbers that come in any portions: those of a piece in eight parts, which are added up at its end.
#[derive(Clone)]
pub(super) struct PiecewiseTotal {
    size: usize,
    seen: usize,
    parts: [f64; PARTS],
    /// What is left where the size is no multiple of the parts.
    rest: f64,
    total: Compensated,
}

impl PiecewiseTotal {
    pub fn of(size: usize) -> PiecewiseTotal {
        PiecewiseTotal { size, seen: 0, parts: [0.0; PARTS], rest: NOTHING, total: Compensated::default() }
    }

    pub fn begin(&mut self) {
        *self = PiecewiseTotal::of(self.size);
    }

    /// Takes the next numbers.
    pub fn push_all(&mut self, numbers: &[f64]) {
        let mut left = numbers;
        while !left.is_empty() {
            let (now, later) = left.split_at(left.len().min(PIECE - self.seen % PIECE));
            self.push_in_piece(now);
            left = later;
            if self.seen.is_multiple_of(PIECE) || self.seen == self.size {
                self.total.add(self.parts.iter().sum::<f64>() + self.rest);
                (self.parts, self.rest) = ([0.0; PARTS], NOTHING);
            }
        }
    }

    fn push_in_piece(&mut self, numbers: &[f64]) {
        let grouped = (self.size - self.size % PARTS).saturating_sub(self.seen).min(numbers.len());
        let (grouped, rest) = numbers.split_at(grouped);
        let before = (PARTS - self.seen % PARTS) % PARTS;
        let (before, whole) = grouped.split_at(before.min(grouped.len()));
        let at = self.seen % PARTS;
        self.parts[at..].iter_mut().zip(before).for_each(|(part, x)| *part += x);
        let (groups, after) = whole.as_chunks::<PARTS>();
        let mut parts = self.parts;
        for group in groups {
            parts.iter_mut().zip(group).for_each(|(part, x)| *part += x);
        }
        parts.iter_mut().zip(after).for_each(|(part, x)| *part += x);
        self.parts = parts;
        rest.iter().for_each(|x| self.rest += x);
        self.seen += numbers.len();
    }

    /// Adds a number to the sum of all pieces so far.
    pub fn add(&mut self, x: f64) {
        self.total.add(x);
    }

    pub fn value(&self) -> f64 {
        self.total.value()
    }
}

/// What the sum of no numbers is in the standard library.
const NOTHING: f64 = -0.0;

/// A sum with what was rounded off beside it (Neumaier).
#[derive(Clone, Copy, Default)]
pub(crate) struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    pub fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        let (large, small) = if self.sum.abs() >= x.abs() { (self.sum, x) } else { (x, self.sum) };
        self.lost += (large - sum) + small;
        self.sum = sum;
    }

    pub fn value(&self) -> f64 {
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_do_not_matter() {
        let numbers: Vec<f64> = (0..2605).map(|i| (f64::from(i) * 0.37).sin() * 1e3).collect();
        for size in [0, 3, 8, 1023, 1024, 1029, 2048, 2605] {
            let mut expected = Compensated::default();
            for piece in numbers[..size].chunks(PIECE) {
                let (groups, rest) = piece.as_chunks::<PARTS>();
                let parts = groups.iter().fold([0.0; PARTS], |parts, group| {
                    let mut next = parts;
                    (0..PARTS).for_each(|at| next[at] += group[at]);
                    next
                });
                expected.add(parts.iter().sum::<f64>() + rest.iter().sum::<f64>());
            }
            for portion in [1, 5, 8, 384, 1000, 3000] {
                let mut total = PiecewiseTotal::of(size);
                numbers[..size].chunks(portion).for_each(|numbers| total.push_all(numbers));
                assert_eq!(total.value().to_bits(), expected.value().to_bits(), "{size} numbers, {portion} at a time");
            }
        }
    }
}
