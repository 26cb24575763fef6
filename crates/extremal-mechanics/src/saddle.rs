//! Equations of motion beside equations that bind the motion, reduced to the multipliers alone.
//!
//! In `M w − Rᵀλ = p`, `φ(w) = 0` the second equations have no multiplier in them. Where the first are affine with a mass matrix of
//! small blocks that nothing but parameters changes, they give w by λ in closed form, and what is left is `φ(w(λ)) = 0`: its slopes are the Schur
//! complement G M⁻¹ Rᵀ, which couples only multipliers that act on the same coordinates, a band for a chain.

use extremal_expr::elimination::{groups, solve_group};
use extremal_expr::{Expr, Graph};

/// Coordinates that are coupled by masses or are nodes of one step, up to which they are solved for by their multipliers.
const MOST_COUPLED: usize = 3;
/// A coordinate with more multipliers than this would couple them all with one another: all unknowns stay.
const MOST_MULTIPLIERS: usize = 6;

/// Equations with the unknown that each belongs to.
pub(crate) struct Paired<'a, 'g> {
    pub unknowns: &'a [Expr<'g>],
    pub residual: &'a [Expr<'g>],
    /// The slopes of the residual by the unknowns.
    pub slopes: &'a [Vec<(usize, Expr<'g>)>],
    /// Of each unknown the row that is its own.
    pub rows: &'a [usize],
}

impl<'g> Paired<'_, 'g> {
    /// All unknowns that have a slope in their own row, by the others, the multipliers: their places, and what they are. Empty where they
    /// do not follow from these. Masses that change with `inputs` might vanish on the way, and are not divided by.
    pub fn by_multipliers(&self, g: &'g Graph, inputs: &[Expr<'g>]) -> Vec<(usize, Expr<'g>)> {
        let n = self.unknowns.len();
        let slope = |row: usize, column: usize| {
            let found = self.slopes[row].binary_search_by_key(&column, |(place, _)| *place).ok()?;
            Some(self.slopes[row][found].1)
        };
        let is_multiplier: Vec<bool> = (0..n).map(|at| slope(self.rows[at], at).is_none()).collect();
        if !is_multiplier.contains(&true) {
            return Vec::new();
        }
        let affine = g.affine_rows(self.residual, self.unknowns, self.slopes);
        let others = |at: usize| self.slopes[self.rows[at]].iter().map(|(place, _)| *place);
        let pairs = (0..n).filter(|at| !is_multiplier[*at]);
        let pairs =
            pairs.flat_map(|at| others(at).filter(|place| !is_multiplier[*place]).map(move |place| (at, place)));
        let solvable = |group: &Vec<usize>| {
            let mut multipliers: Vec<usize> =
                group.iter().flat_map(|at| others(*at)).filter(|place| is_multiplier[*place]).collect();
            multipliers.sort_unstable();
            multipliers.dedup();
            group.len() <= MOST_COUPLED
                && group.iter().all(|at| affine[self.rows[*at]])
                && multipliers.len() <= MOST_MULTIPLIERS
        };
        let groups: Vec<Vec<usize>> = groups(n, pairs).into_iter().filter(|group| !is_multiplier[group[0]]).collect();
        if !groups.iter().all(solvable) {
            return Vec::new();
        }
        let off: Vec<_> = groups.iter().flatten().map(|at| (self.unknowns[*at], g.int(0))).collect();
        let rows: Vec<_> = groups.iter().flatten().map(|at| self.residual[self.rows[*at]]).collect();
        let mut given = g.substitute(&rows, &off).into_iter().map(|rest| -rest);
        let mut solved = Vec::with_capacity(off.len());
        for group in groups {
            let right: Vec<_> = given.by_ref().take(group.len()).collect();
            let entry = |row: &usize, column: &usize| slope(self.rows[*row], *column).unwrap_or(g.int(0));
            let matrix: Vec<Vec<_>> = group.iter().map(|i| group.iter().map(|j| entry(i, j)).collect()).collect();
            let changes = g.depend_on(&matrix.concat(), inputs).contains(&true);
            let Some((numerators, denominator)) = solve_group(&matrix, &right).filter(|_| !changes) else {
                return Vec::new();
            };
            // One number for every equation that it stands in.
            let each = numerators.into_iter().map(|numerator| (numerator / denominator).grouped());
            solved.extend(group.into_iter().zip(each));
        }
        solved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{Block, Reduced, Solve};

    /// Masses on a line under forces of multipliers, each of which binds the squares of the two masses beside it.
    fn chain(g: &Graph, mass: Expr<'_>, allowed: bool) -> Reduced {
        let n = 5;
        let symbols = |stem: &str, count: usize| -> Vec<Expr<'_>> {
            (0..count).map(|at| g.symbol(&format!("{stem}{at}"))).collect()
        };
        let (w, p, multipliers) = (symbols("w", n + 1), symbols("p", n + 1), symbols("lambda", n));
        let pulled = (0..=n).map(|at| {
            let before = if at > 0 { multipliers[at - 1] } else { g.int(0) };
            let after = if at < n { multipliers[at] } else { g.int(0) };
            mass * w[at] - p[at] - before * p[at] - after * p[at]
        });
        let bound = (0..n).map(|at| w[at].powi(2) + w[at + 1].powi(2) - 1);
        let residual: Vec<_> = pulled.chain(bound).collect();
        let unknowns = [w, multipliers].concat();
        let zeros = vec![g.int(0); unknowns.len()];
        let solve = Solve { by_multipliers: allowed, ..Solve::new(&unknowns, &residual, &zeros) };
        let inputs = [p, vec![g.symbol("changing")]].concat();
        Block { inputs: inputs.iter().map(|e| e.id()).collect(), solves: vec![solve], outputs: Vec::new() }.reduced(g)
    }

    #[test]
    fn a_chain_is_left_with_a_band_of_multipliers() {
        let g = Graph::new();
        let reduced = chain(&g, g.symbol("m"), true);
        let columns = |row: &Vec<(usize, extremal_expr::Id)>| row.iter().map(|(column, _)| *column).collect::<Vec<_>>();
        let pattern: Vec<Vec<usize>> = reduced.slopes[0].iter().map(columns).collect();
        assert_eq!(pattern, [vec![0, 1], vec![0, 1, 2], vec![1, 2, 3], vec![2, 3, 4], vec![3, 4]]);
        assert!(reduced.block.solves[0].of_multipliers);
    }

    /// Not where it was not asked for, nor where a mass might vanish on the way.
    #[test]
    fn masses_that_may_vanish_are_not_divided_by() {
        let g = Graph::new();
        for (mass, allowed) in [(g.symbol("m"), false), (g.symbol("changing"), true), (g.symbol("w3"), true)] {
            let reduced = chain(&g, mass, allowed);
            assert_eq!(reduced.block.solves[0].unknowns.len(), 11, "{mass}");
        }
    }

    /// A coordinate that many multipliers act on would couple all of them.
    #[test]
    fn a_hub_keeps_all_unknowns() {
        let g = Graph::new();
        for (rods, open) in [(MOST_MULTIPLIERS, MOST_MULTIPLIERS), (MOST_MULTIPLIERS + 1, 2 * MOST_MULTIPLIERS + 3)] {
            let (hub, p) = (g.symbol("hub"), g.symbol("p"));
            let names = |stem: &str| (0..rods).map(|at| g.symbol(&format!("{stem}{at}"))).collect::<Vec<_>>();
            let (ends, multipliers) = (names("end"), names("lambda"));
            let momenta = ends.iter().zip(&multipliers).map(|(w, multiplier)| *w - p - *multiplier * p);
            let bound = ends.iter().map(|w| (*w - hub).powi(2) - 1);
            let pulled = hub - p - g.sum(multipliers.iter().map(|multiplier| *multiplier * p));
            let residual: Vec<_> = [pulled].into_iter().chain(momenta).chain(bound).collect();
            let unknowns = [vec![hub], ends.clone(), multipliers.clone()].concat();
            let zeros = vec![g.int(0); unknowns.len()];
            let solve = Solve { by_multipliers: true, ..Solve::new(&unknowns, &residual, &zeros) };
            let block = Block { inputs: vec![p.id()], solves: vec![solve], outputs: Vec::new() };
            assert_eq!(block.reduced(&g).block.solves[0].unknowns.len(), open);
        }
    }
}
