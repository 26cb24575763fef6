//! Small linear systems of expressions, solved as they would be by hand: one group of coupled unknowns after the other.

use crate::{Expr, Graph};

/// Up to here cofactors read better than elimination.
const MOST_COFACTORS: usize = 3;

/// The places 0 to `size` in groups that no pair connects.
///
/// ```
/// use extremal_expr::elimination::groups;
/// assert_eq!(groups(4, [(0, 2), (3, 2)]), [vec![0, 2, 3], vec![1]]);
/// ```
pub fn groups(size: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..size).collect();
    fn root(parent: &mut [usize], mut place: usize) -> usize {
        while parent[place] != place {
            parent[place] = parent[parent[place]];
            place = parent[place];
        }
        place
    }
    for (i, j) in pairs {
        let (i, j) = (root(&mut parent, i), root(&mut parent, j));
        parent[i.max(j)] = i.min(j);
    }
    let mut groups = vec![Vec::new(); parent.len()];
    for place in 0..parent.len() {
        groups[root(&mut parent, place)].push(place);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Solves equations that are affine in their unknowns, one group of coupled ones after the other; `None` where they are not affine, do
/// not determine all unknowns, or couple some that are too many, as `may_solve` judges from their places.
///
/// ```
/// use extremal_expr::{Graph, elimination::solve_affine};
/// let g = Graph::new();
/// let [x, y, a] = ["x", "y", "a"].map(|name| g.symbol(name));
/// assert_eq!(solve_affine(&g, &[a * x - 1, x + y], &[x, y], |_| true).unwrap(), [a.powi(-1), -a.powi(-1)]);
/// assert!(solve_affine(&g, &[x.powi(2) - a], &[x], |_| true).is_none());
/// ```
pub fn solve_affine<'g>(
    g: &'g Graph,
    equations: &[Expr<'g>],
    unknowns: &[Expr<'g>],
    may_solve: impl Fn(&[usize]) -> bool,
) -> Option<Vec<Expr<'g>>> {
    let rows = g.jacobian(equations, unknowns);
    if g.affine_rows(equations, unknowns, &rows).contains(&false) {
        return None;
    }
    let at_zero: Vec<_> = unknowns.iter().map(|unknown| (*unknown, g.int(0))).collect();
    let right: Vec<Expr<'g>> = g.substitute(equations, &at_zero).into_iter().map(|e| g.simplified(-e)).collect();
    let pairs = rows.iter().flat_map(|row| row.windows(2).map(|pair| (pair[0].0, pair[1].0)));
    let mut solved = vec![g.int(0); unknowns.len()];
    let coupled = groups(unknowns.len(), pairs);
    let mut group_of = vec![0; unknowns.len()];
    for (at, group) in coupled.iter().enumerate() {
        group.iter().for_each(|place| group_of[*place] = at);
    }
    let mut rows_of = vec![Vec::new(); coupled.len()];
    for (at, row) in rows.iter().enumerate() {
        row.first().into_iter().for_each(|(place, _)| rows_of[group_of[*place]].push(at));
    }
    for (group, own) in coupled.iter().zip(rows_of) {
        if own.len() != group.len() || !may_solve(group) {
            return None;
        }
        let entry = |row: usize, column: usize| {
            let found = rows[row].iter().find(|(place, _)| *place == column);
            found.map_or(g.int(0), |(_, entry)| g.simplified(*entry))
        };
        let matrix: Vec<Vec<_>> = own.iter().map(|i| group.iter().map(|j| entry(*i, *j)).collect()).collect();
        let given: Vec<_> = own.iter().map(|row| right[*row]).collect();
        let (numerators, denominator) = solve_group(&matrix, &given)?;
        for (place, numerator) in group.iter().zip(numerators) {
            solved[*place] = numerator / denominator;
        }
    }
    Some(solved)
}

/// Solves `m x = b` for a group of coupled unknowns: numerators, and the denominator of all of them. `None` when the matrix is
/// singular.
///
/// ```
/// use extremal_expr::{Graph, elimination::solve_group};
/// let g = Graph::new();
/// let [a, b] = ["a", "b"].map(|name| g.symbol(name));
/// let (numerators, denominator) = solve_group(&[vec![a]], &[b]).unwrap();
/// assert_eq!(numerators[0] / denominator, b / a);
/// ```
pub fn solve_group<'g>(m: &[Vec<Expr<'g>>], b: &[Expr<'g>]) -> Option<(Vec<Expr<'g>>, Expr<'g>)> {
    match b.len() {
        2..=MOST_COFACTORS => by_cofactors(m, b),
        _ => Some((solve_linear(m, b)?, b.first()?.graph().int(1))),
    }
}

/// Solves `m x = b` by Cramer's rule: numerators over the determinant, each as short as it can be written.
fn by_cofactors<'g>(m: &[Vec<Expr<'g>>], b: &[Expr<'g>]) -> Option<(Vec<Expr<'g>>, Expr<'g>)> {
    let (g, n) = (b.first()?.graph(), b.len());
    let cofactor = |i: usize, j: usize| {
        let others = |skip: usize| (0..n).filter(move |k| *k != skip);
        let minor: Vec<Vec<_>> = others(i).map(|row| others(j).map(|column| m[row][column]).collect()).collect();
        let value = match minor.len() {
            1 => minor[0][0],
            _ => minor[0][0] * minor[1][1] - minor[0][1] * minor[1][0],
        };
        g.simplified(if (i + j).is_multiple_of(2) { value } else { -value })
    };
    // The adjugate, which is the inverse times the determinant.
    let adjugate: Vec<Vec<_>> = (0..n).map(|i| (0..n).map(|j| cofactor(j, i)).collect()).collect();
    let first: Vec<Expr<'g>> = adjugate.iter().map(|row| row[0]).collect();
    let determinant = g.simplified(g.dot(&m[0], &first));
    (!is_zero(determinant)).then(|| (adjugate.iter().map(|row| g.dot(row, b)).collect(), determinant))
}

/// Solves `m x = b` by elimination, exchanging rows where a pivot is zero; `None` when the matrix is singular.
///
/// ```
/// use extremal_expr::{Graph, elimination::solve_linear};
/// let g = Graph::new();
/// let (one, a) = (g.int(1), g.symbol("a"));
/// assert_eq!(solve_linear(&[vec![one, one], vec![one, -one]], &[a, a]).unwrap(), [a, g.int(0)]);
/// assert!(solve_linear(&[vec![a, a], vec![a, a]], &[one, one]).is_none());
/// ```
pub fn solve_linear<'g>(m: &[Vec<Expr<'g>>], b: &[Expr<'g>]) -> Option<Vec<Expr<'g>>> {
    let n = b.len();
    let mut rows: Vec<Vec<Expr<'g>>> =
        m.iter().zip(b).map(|(row, b)| row.iter().copied().chain([*b]).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).find(|i| !is_zero(rows[*i][k]))?;
        rows.swap(k, pivot);
        let (done, open) = rows.split_at_mut(k + 1);
        let top = &done[k];
        for row in open.iter_mut().filter(|row| !row[k].is_zero()) {
            let factor = row[k] / top[k];
            for (entry, above) in row.iter_mut().zip(top).skip(k + 1) {
                *entry = *entry - factor * *above;
            }
        }
    }
    let mut x: Vec<Expr<'g>> = b.to_vec();
    for k in (0..n).rev() {
        let known = (k + 1..n).fold(rows[k][n], |sum, j| sum - rows[k][j] * x[j]);
        x[k] = known / rows[k][k];
    }
    Some(x)
}

/// Is the pivot zero, or not known to be something else? One such as a² − (a b)²/b² is without looking it, and 1e-12 is not.
///
/// ```
/// use extremal_expr::{Graph, elimination::is_zero};
/// let g = Graph::new();
/// let [a, b] = ["a", "b"].map(|name| g.symbol(name));
/// assert!(is_zero((a + b).powi(2) - a.powi(2) - b.powi(2) - a * b * 2) && !is_zero(a - b));
/// ```
pub fn is_zero(e: Expr<'_>) -> bool {
    e.graph().vanishes(e, &[]) != Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graph;

    /// Matrices that are not symmetric, by cofactors and by elimination: m x − b vanishes.
    #[test]
    fn solutions_satisfy_their_equations() {
        let g = Graph::new();
        for n in 2..=4 {
            let entry = |i: usize, j: usize| match (i + 2 * j) % 5 {
                0 => g.int(0),
                k => g.symbol(&format!("m{i}{j}")) + k as i64,
            };
            let m: Vec<Vec<_>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
            let b: Vec<_> = (0..n).map(|i| g.symbol(&format!("b{i}"))).collect();
            let (numerators, denominator) = solve_group(&m, &b).unwrap();
            let x: Vec<_> = numerators.iter().map(|numerator| *numerator / denominator).collect();
            for (row, b) in m.iter().zip(&b) {
                assert_eq!(g.vanishes(g.dot(row, &x) - *b, &[]), Some(true), "{n}");
            }
        }
    }
}
