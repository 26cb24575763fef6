//! Rows of the next state that are affine in the state, at slopes known before the motion begins.

use extremal_expr::{Expr, Graph, Id, Relation};

use super::formulas::FusedWriter;

/// An affine row: the slopes of the increment by the place of what they belong to, and the rest.
struct AffineRow<'g> {
    increments: Vec<(usize, Expr<'g>)>,
    constant: Expr<'g>,
    moves: bool,
}

/// The next state, and the differences beside it.
#[derive(Clone)]
pub(super) struct NextState<'g> {
    pub next: Vec<Expr<'g>>,
    pub differences: Vec<Difference<'g>>,
    /// Where the numbers are good enough for the differences.
    pub well: Vec<Expr<'g>>,
}

/// A difference of the state from step to step.
#[derive(Clone)]
pub(super) struct Difference<'g> {
    pub symbol: Expr<'g>,
    /// What it is at a given state.
    pub first: Expr<'g>,
    pub next: Expr<'g>,
}

/// The affine rows of a step that solves nothing.
pub(super) struct Affine<'g> {
    state: Vec<Expr<'g>>,
    next: Vec<Expr<'g>>,
    rows: Vec<Option<AffineRow<'g>>>,
}

impl<'g> Affine<'g> {
    pub fn new(
        g: &'g Graph,
        writer: &mut FusedWriter<'g>,
        state: &[Expr<'g>],
        next: &[Expr<'g>],
        unknowns: &[Id],
    ) -> Affine<'g> {
        let mut rows: Vec<Option<AffineRow<'g>>> = next.iter().map(|_| None).collect();
        if unknowns.is_empty() {
            let jacobian = g.jacobian(next, state);
            let slopes: Vec<Expr<'g>> = jacobian.iter().flatten().map(|(_, slope)| *slope).collect();
            let time = g.expr(writer.time);
            let changing: Vec<Expr<'g>> = state.iter().copied().chain([time]).collect();
            let mut varying = g.depend_on(&slopes, &changing).into_iter();
            let affine = g.affine_rows(next, state, &jacobian);
            let at_zero: Vec<_> = state.iter().map(|s| (*s, g.int(0))).collect();
            let constants = g.substitute(next, &at_zero);
            for (i, slopes) in jacobian.iter().enumerate() {
                let varies = varying.by_ref().take(slopes.len()).fold(false, |any, varies| any | varies);
                // A single slope is as good as it is.
                if varies || !affine[i] || slopes.len() < 2 {
                    continue;
                }
                let increment = |(j, slope): &(usize, Expr<'g>)| {
                    let increment = if *j == i { *slope - 1 } else { *slope };
                    (*j, writer.name(increment))
                };
                let increments = slopes.iter().map(increment).collect();
                let constant = constants[i];
                rows[i] = Some(AffineRow { increments, constant, moves: constant.depends_on(&[time]) });
            }
        }
        Affine { state: state.to_vec(), next: next.to_vec(), rows }
    }

    /// The rows written as increments, for slopes near one would gather their round-off. A step waits for two operations.
    pub fn increments(&self) -> NextState<'g> {
        let written = |(i, row): (usize, &Option<AffineRow<'g>>)| match row {
            None => self.next[i],
            Some(row) => row.increments.iter().fold(row.constant, |sum, (j, increment)| {
                let sum = sum + *increment * self.state[*j];
                if *j == i { sum + self.state[i] } else { sum }
            }),
        };
        NextState {
            next: self.rows.iter().enumerate().map(written).collect(),
            differences: Vec::new(),
            well: Vec::new(),
        }
    }

    /// The same, but where two rows are affine in each other only, like position x and momentum y of an oscillator,
    ///
    /// ```text
    /// x' = x + a x + b y + k
    /// y' = y + c x + d y + l
    /// ```
    ///
    /// the differences u = x' - x and w = u' - u go beside x, and y follows from x and u. Of these,
    ///
    /// ```text
    /// x' = x + u,    u' = u + w,    w' = t w + (t + s) u + s x + r
    /// ```
    ///
    /// with t = a + d, s = b c - a d, r = b l - d k, the first two wait for a sum each, and the third is known a step before it is
    /// needed. No slope is near one. What is asked of the numbers: as much is known of y as of u = a x + b y + k, which is enough if
    /// b y is as large as a x, and in motions of these rows y is to x like the root of c to that of b; and s must not be what is left
    /// of much larger terms, or its round-off would move what rests. `None` if there are no such rows.
    ///
    /// This serves every linear oscillator that is not coupled to another, with any method that elimination makes explicit. Its motions
    /// have the digits that come out here: to write them as increments alone would change the last ones.
    pub fn differences(&self, g: &'g Graph, writer: &mut FusedWriter<'g>) -> Option<NextState<'g>> {
        let mut rows = self.increments();
        for (i, j) in self.pairs() {
            let (Some(first), Some(second)) = (&self.rows[i], &self.rows[j]) else { continue };
            let ([a, b], [c, d]) = (first.slopes(), second.slopes());
            let (x, y) = (self.state[i], self.state[j]);
            let [u, w] = [1, 2].map(|order| g.symbol(&format!("fused difference {order} of {i}")));
            let (k, l) = (first.constant, second.constant);
            let trace = writer.name(a + d);
            let determinant = writer.name(b * c - a * d);
            let rest = writer.name(b * l - d * k);
            let both = writer.name(trace + determinant);
            let next_x = writer.name(x + u);
            let next_u = writer.name(u + w);
            let of_x = writer.name(determinant * x + rest);
            let of_both = writer.name(both * u + of_x);
            let [by_u, by_x, by_one] = [b.powi(-1), a / b, k / b].map(|slope| writer.name(slope));
            rows.next[i] = next_x;
            rows.next[j] = next_u * by_u - next_x * by_x - by_one;
            let first_u = writer.name(a * x + b * y + k);
            let first_w = trace * first_u + of_x;
            rows.differences.push(Difference { symbol: u, first: first_u, next: next_u });
            rows.differences.push(Difference { symbol: w, first: first_w, next: of_both + trace * w });
            let size = (b * c).abs() + (a * d).abs();
            rows.well.push(g.compare(Relation::Le, a.powi(2), (b * c).abs()));
            rows.well.push(g.compare(Relation::Le, size, determinant.abs() * 2));
        }
        (!rows.differences.is_empty()).then_some(rows)
    }

    /// Rows that are affine in each other and themselves only.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let closed = |at: usize, pair: [usize; 2]| {
            let row = self.rows[at].as_ref().filter(|row| !row.moves);
            row.is_some_and(|row| row.increments.iter().map(|(place, _)| *place).eq(pair))
        };
        let all = (0..self.rows.len()).flat_map(|i| (i + 1..self.rows.len()).map(move |j| (i, j)));
        all.filter(|(i, j)| closed(*i, [*i, *j]) && closed(*j, [*i, *j])).collect()
    }
}

impl<'g> AffineRow<'g> {
    /// The two slopes of a row of a pair.
    fn slopes(&self) -> [Expr<'g>; 2] {
        [self.increments[0].1, self.increments[1].1]
    }
}
