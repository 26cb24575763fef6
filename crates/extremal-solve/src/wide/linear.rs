//! Small linear systems as formulas: those of [`LinearSolver`](crate::LinearSolver), bit for bit, where it needs no elimination.

use extremal_expr::Expr;

use super::formula::TableFormulas;
use crate::linear::{Factorisation, LEAST_RATIO, LinearSolver, SMALL_USABLE};

/// A system of equations whose numbers stand in columns.
pub(super) struct ColumnSystem<'g> {
    pub right: Vec<Expr<'g>>,
    /// Row by row.
    pub matrix: Vec<Vec<Expr<'g>>>,
    diagonal: bool,
}

/// Its solution, and whether it is one.
pub(super) struct ColumnSolution<'g> {
    pub x: Vec<Expr<'g>>,
    pub reliable: Expr<'g>,
}

/// The largest system that is solved by Cramer's rule.
const LARGEST: usize = 3;

/// The solver, if its systems are written as formulas.
pub(super) fn written_out(solver: Option<&LinearSolver>) -> Option<&LinearSolver> {
    solver.filter(|solver| match solver.factorisation() {
        Factorisation::Diagonal => true,
        Factorisation::Dense => solver.size() <= LARGEST,
        Factorisation::Banded | Factorisation::Sparse => false,
    })
}

impl<'g> ColumnSystem<'g> {
    /// Reads right-hand sides, and behind them the entries of a pattern, from columns one after the other.
    pub fn read(
        f: &mut TableFormulas<'g>,
        solver: &LinearSolver,
        first: usize,
        rows: &[usize],
        columns: &[usize],
    ) -> ColumnSystem<'g> {
        let n = solver.size();
        let right = f.columns(first..first + n);
        let mut matrix = vec![vec![f.zero(); n]; n];
        for (at, (row, column)) in rows.iter().zip(columns).enumerate() {
            let entry = f.column(first + n + at);
            matrix[*row][*column] = entry;
        }
        ColumnSystem { right, matrix, diagonal: solver.factorisation() == Factorisation::Diagonal }
    }

    /// Solves it. Every product is rounded, as it is there.
    pub fn solve(&self, f: &mut TableFormulas<'g>) -> ColumnSolution<'g> {
        let n = self.right.len();
        if self.diagonal {
            let normal = f.number(f64::MIN_POSITIVE);
            let most = f.number(f64::MAX);
            let entries: Vec<Expr<'g>> = (0..n).map(|i| self.matrix[i][i]).collect();
            let usable =
                entries.iter().map(|entry| f.graph().and(f.at_most(normal, entry.abs()), f.at_most(entry.abs(), most)));
            let reliable = f.all(usable.collect::<Vec<_>>());
            let x = self.right.iter().zip(entries).map(|(right, entry)| *right * entry.powi(-1)).collect();
            return ColumnSolution { x, reliable };
        }
        let Adjugate { rows, determinant, magnitude } = self.adjugate(f);
        let least = f.number(LEAST_RATIO);
        let [from, to] = [SMALL_USABLE.start, SMALL_USABLE.end].map(|bound| f.number(bound));
        let share = f.rounded(least * magnitude);
        let reliable = f.all([f.below(share, determinant.abs()), f.at_most(from, magnitude), f.below(magnitude, to)]);
        let x = rows.iter().map(|row| {
            let numerator = match n {
                1 => self.right[0],
                _ => rounded_dot(f, row, &self.right),
            };
            numerator * determinant.powi(-1)
        });
        ColumnSolution { x: x.collect(), reliable }
    }

    fn adjugate(&self, f: &mut TableFormulas<'g>) -> Adjugate<'g> {
        let a = &self.matrix;
        match a.len() {
            1 => Adjugate { rows: vec![vec![f.zero()]], determinant: a[0][0], magnitude: a[0][0].abs() },
            2 => {
                let (ad, bc) = (f.rounded(a[0][0] * a[1][1]), f.rounded(a[0][1] * a[1][0]));
                let [minus_b, minus_c] = [-a[0][1], -a[1][0]].map(|entry| f.named(entry));
                Adjugate {
                    rows: vec![vec![a[1][1], minus_b], vec![minus_c, a[0][0]]],
                    determinant: f.named(ad - bc),
                    magnitude: f.named(ad.abs() + bc.abs()),
                }
            }
            _ => {
                let [[a, b, c], [d, e, g], [h, i, j]] =
                    [0, 1, 2].map(|row| [0, 1, 2].map(|column| self.matrix[row][column]));
                let mut product = |x: Expr<'g>, y: Expr<'g>| f.rounded(x * y);
                let (ej, gi, dj, gh, di, eh) =
                    (product(e, j), product(g, i), product(d, j), product(g, h), product(d, i), product(e, h));
                let others = [
                    [(c, i), (b, j)],
                    [(b, g), (c, e)],
                    [(a, j), (c, h)],
                    [(c, d), (a, g)],
                    [(b, h), (a, i)],
                    [(a, e), (b, d)],
                ]
                .map(|pairs| pairs.map(|(x, y)| product(x, y)));
                let [first, second, third] = [ej - gi, gh - dj, di - eh].map(|minor| f.named(minor));
                let [bi, be, aj, cd, bh, ae] = others.map(|[x, y]| f.named(x - y));
                let terms = [a * first, b * second, c * third].map(|term| f.rounded(term));
                let sizes = [(a, ej, gi), (b, gh, dj), (c, di, eh)].map(|(entry, x, y)| {
                    let both = f.named(x.abs() + y.abs());
                    f.rounded(entry.abs() * both)
                });
                Adjugate {
                    rows: vec![vec![first, bi, be], vec![second, aj, cd], vec![third, bh, ae]],
                    determinant: sum_in_order(f, &terms),
                    magnitude: sum_in_order(f, &sizes),
                }
            }
        }
    }
}

struct Adjugate<'g> {
    rows: Vec<Vec<Expr<'g>>>,
    determinant: Expr<'g>,
    /// The sum of the magnitudes of the terms of the determinant.
    magnitude: Expr<'g>,
}

fn rounded_dot<'g>(f: &mut TableFormulas<'g>, a: &[Expr<'g>], b: &[Expr<'g>]) -> Expr<'g> {
    let products: Vec<Expr<'g>> = a.iter().zip(b).map(|(a, b)| f.rounded(*a * *b)).collect();
    sum_in_order(f, &products)
}

/// The first two first.
fn sum_in_order<'g>(f: &mut TableFormulas<'g>, terms: &[Expr<'g>]) -> Expr<'g> {
    let (first, rest) = (terms[0], &terms[1..]);
    rest.iter().fold(first, |sum, term| f.named(sum + *term))
}
