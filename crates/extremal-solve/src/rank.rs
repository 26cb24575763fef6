//! Which rows of a matrix depend on others, and whether they come to, as it changes.

/// A row counts as dependent when, scaled to length one, it comes this close to the span of the others.
const DEPENDENT: f64 = 1e-8;

/// Rows that depend on others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dependence {
    /// Rows that do not depend on those before them.
    pub independent: Vec<usize>,
    /// The others, each with the independent rows that it is a combination of. A row of zeros depends on none.
    pub dependent: Vec<(usize, Vec<usize>)>,
}

/// Splits the rows of a matrix, in their order, into independent and dependent ones.
///
/// ```
/// use extremal_solve::dependence;
/// let rows = [vec![1.0, 0.0, 1.0], vec![0.0, 1.0, 0.0], vec![2.0, 0.0, 2.0]];
/// let found = dependence(&rows);
/// assert_eq!(found.independent, [0, 1]);
/// assert_eq!(found.dependent, [(2, vec![0])]);
/// ```
pub fn dependence(rows: &[Vec<f64>]) -> Dependence {
    let mut found = Dependence::default();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    // Each basis vector as a combination of the independent rows.
    let mut origins: Vec<Vec<f64>> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let length = norm(row);
        if length == 0.0 {
            found.dependent.push((at, Vec::new()));
            continue;
        }
        let mut rest: Vec<f64> = row.iter().map(|x| x / length).collect();
        let mut combination = vec![0.0; basis.len()];
        // Twice: once loses digits when the row is nearly dependent.
        for _ in 0..2 {
            for (vector, origin) in basis.iter().zip(&origins) {
                let part = dot(&rest, vector);
                rest.iter_mut().zip(vector).for_each(|(x, b)| *x -= part * b);
                combination.iter_mut().zip(origin).for_each(|(c, o)| *c += part * o);
            }
        }
        let left = norm(&rest);
        if left <= DEPENDENT {
            let used = (0..basis.len()).filter(|k| combination[*k].abs() > DEPENDENT.sqrt());
            found.dependent.push((at, used.map(|k| found.independent[k]).collect()));
            continue;
        }
        let mut origin: Vec<f64> = combination.iter().map(|c| -c / left).collect();
        origin.push(1.0 / left);
        origins.iter_mut().for_each(|o| o.push(0.0));
        origins.push(origin);
        basis.push(rest.iter().map(|x| x / left).collect());
        found.independent.push(at);
    }
    found
}

/// What a [`RowWatch`] sees in the rows of a matrix that changes from look to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sight {
    /// The rows are independent and stay so for now.
    Independent,
    /// At its present pace a row reaches the span of those before it by the next look.
    Approaching {
        /// The row.
        row: usize,
        /// Its distance from that span, relative to the longest it has been.
        distance: f64,
    },
    /// Since the last look a row went through the span of those before it and came out on the other side.
    Passed {
        /// The row.
        row: usize,
    },
}

/// A row this close to the span of the others, on its way to reach it by the next look, is about to.
const NEARLY_DEPENDENT: f64 = 0.1;
/// The cosine below which the part of a row outside the span of the others has turned round: steps do not rotate by 120°.
const TURNED_ROUND: f64 = -0.5;

/// Watches whether the rows of a matrix stay independent while it changes step by step.
///
/// The part of each row outside the span of those before it vanishes where the rank is lost, and comes out reversed behind such a
/// point, even when the point itself lies between two looks.
///
/// ```
/// use extremal_solve::{RowWatch, Sight};
/// let mut watch = RowWatch::new(2, 2);
/// let rows = |angle: f64| [1.0, 0.0, angle.cos(), angle.sin()];
/// assert_eq!(watch.look(&rows(0.4)), Sight::Independent);
/// assert_eq!(watch.look(&rows(0.3)), Sight::Independent);
/// assert_eq!(watch.look(&rows(-0.2)), Sight::Passed { row: 1 });
/// ```
#[derive(Clone, Debug)]
pub struct RowWatch {
    width: usize,
    /// Of each row, the part outside the span of those before it, scaled to length one; now and at the last look.
    parts: Vec<f64>,
    last_parts: Vec<f64>,
    /// The longest that each row has been.
    longest: Vec<f64>,
    distances: Vec<f64>,
    seen: bool,
}

impl RowWatch {
    /// A watch over `count` rows of `width` entries.
    pub fn new(count: usize, width: usize) -> Self {
        RowWatch {
            width,
            parts: vec![0.0; count * width],
            last_parts: vec![0.0; count * width],
            longest: vec![0.0; count],
            distances: vec![0.0; count],
            seen: false,
        }
    }

    /// How many entries it looks at.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Is there nothing to look at?
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Looks at the matrix, given row by row. The first row in trouble is told.
    pub fn look(&mut self, rows: &[f64]) -> Sight {
        let width = self.width;
        std::mem::swap(&mut self.parts, &mut self.last_parts);
        self.parts.copy_from_slice(rows);
        let mut sight = Sight::Independent;
        for row in 0..self.longest.len() {
            let (before, from) = self.parts.split_at_mut(row * width);
            let part = &mut from[..width];
            self.longest[row] = self.longest[row].max(norm(part));
            for other in before.chunks_exact(width) {
                let along = dot(part, other);
                part.iter_mut().zip(other).for_each(|(x, b)| *x -= along * b);
            }
            let length = norm(part);
            if length > 0.0 {
                part.iter_mut().for_each(|x| *x /= length);
            }
            let distance = if length > 0.0 { length / self.longest[row] } else { 0.0 };
            let last_distance = std::mem::replace(&mut self.distances[row], distance);
            if !self.seen || sight != Sight::Independent {
                continue;
            }
            let last_part = &self.last_parts[row * width..(row + 1) * width];
            if dot(part, last_part) < TURNED_ROUND {
                sight = Sight::Passed { row };
            } else if distance < NEARLY_DEPENDENT && 2.0 * distance <= last_distance {
                sight = Sight::Approaching { row, distance };
            }
        }
        self.seen = true;
        sight
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_named() {
        let rows = [vec![1.0, 0.0, 0.0], vec![1.0, 1.0, 0.0], vec![0.0, 0.0, 0.0], vec![3.0, -1.0, 0.0]];
        let found = dependence(&rows);
        assert_eq!(found.independent, [0, 1]);
        assert_eq!(found.dependent, [(2, vec![]), (3, vec![0, 1])]);
    }

    /// A row that turns towards another, evenly, is told in the last look before they meet.
    #[test]
    fn approach_is_seen_one_look_ahead() {
        let mut watch = RowWatch::new(2, 2);
        let sights: Vec<Sight> = (0..10)
            .map(|k| {
                let angle = 0.095 - 0.01 * f64::from(k);
                watch.look(&[2.0, 0.0, 5.0 * angle.cos(), 5.0 * angle.sin()])
            })
            .collect();
        assert!(sights[..9].iter().all(|sight| *sight == Sight::Independent), "{sights:?}");
        let Sight::Approaching { row: 1, distance } = sights[9] else { panic!("{sights:?}") };
        assert!((distance - 0.005f64.sin()).abs() < 1e-15);
    }

    /// A row that shrinks to nothing and comes out reversed never changes its direction until then.
    #[test]
    fn a_vanishing_row_is_seen() {
        let mut watch = RowWatch::new(1, 2);
        assert_eq!(watch.look(&[0.3, 0.3]), Sight::Independent);
        assert_eq!(watch.look(&[0.2, 0.2]), Sight::Independent);
        let mut late = watch.clone();
        assert_eq!(watch.look(&[-0.1, -0.1]), Sight::Passed { row: 0 });
        assert!(matches!(late.look(&[0.02, 0.02]), Sight::Approaching { row: 0, .. }));
    }
}
