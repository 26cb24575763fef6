//! Which rows of a matrix depend on others, and how far a matrix is from losing rank.

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

/// How far rows, scaled to length one, are from being dependent: the smallest distance of one from the span of those before it.
///
/// `rows` has `count` rows of `rows.len() / count` entries, and is destroyed.
pub fn distance_from_dependence(rows: &mut [f64], count: usize) -> f64 {
    let width = rows.len() / count.max(1);
    let mut smallest = 1.0f64;
    for at in 0..count {
        let (before, from) = rows.split_at_mut(at * width);
        let row = &mut from[..width];
        let length = norm(row);
        if length == 0.0 {
            return 0.0;
        }
        row.iter_mut().for_each(|x| *x /= length);
        for vector in before.chunks_exact(width) {
            let part = dot(row, vector);
            row.iter_mut().zip(vector).for_each(|(x, b)| *x -= part * b);
        }
        let left = norm(row);
        smallest = smallest.min(left);
        if left == 0.0 {
            return 0.0;
        }
        row.iter_mut().for_each(|x| *x /= left);
    }
    smallest
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

    /// Two unit rows at an angle: the distance is its sine.
    #[test]
    fn distance_is_the_sine_of_the_angle() {
        for angle in [1e-6f64, 0.3, 1.5] {
            let mut rows = [2.0, 0.0, 5.0 * angle.cos(), 5.0 * angle.sin()];
            let distance = distance_from_dependence(&mut rows, 2);
            assert!((distance - angle.sin()).abs() < 1e-15, "{distance}");
        }
    }
}
