//! The formulas of a step under construction: unknowns by Newton's method, and what must hold.

use extremal_expr::{Expr, Function, Function2, Graph, Id, Node, Rational, Relation};
use extremal_mechanics::discrete::Scheme;
use extremal_mechanics::{Solve, SparseRows};

use super::elimination::Elimination;
use crate::linear::LEAST_RATIO;
use crate::newton::{ROUND_OFF, UNDERFLOW};
use crate::observable::LARGEST_STATE;

/// Angles that an update changes by more have their sines and cosines computed anew, after another try.
const LARGEST_TURN: f64 = 1e-4;

/// Numbers that formulas cannot write, given with the parameters.
pub(super) const LIMITS: [(&str, f64); 5] = [
    ("fused round-off", ROUND_OFF),
    ("fused underflow", UNDERFLOW),
    ("fused largest", LARGEST_STATE),
    ("fused pivot", LEAST_RATIO),
    ("fused turn", LARGEST_TURN),
];

/// Their values, in this order.
pub(crate) const LIMIT_VALUES: [f64; 5] = [LIMITS[0].1, LIMITS[1].1, LIMITS[2].1, LIMITS[3].1, LIMITS[4].1];

/// The symbols of these.
#[derive(Clone, Copy)]
pub(crate) struct FusedLimits<'g> {
    round_off: Expr<'g>,
    underflow: Expr<'g>,
    largest: Expr<'g>,
    pub(super) pivot: Expr<'g>,
    turn: Expr<'g>,
}

impl<'g> FusedLimits<'g> {
    pub(crate) fn new(g: &'g Graph) -> Self {
        let [round_off, underflow, largest, pivot, turn] = LIMITS.map(|(name, _)| g.symbol(name));
        FusedLimits { round_off, underflow, largest, pivot, turn }
    }

    pub(crate) fn list(self) -> [Expr<'g>; 5] {
        [self.round_off, self.underflow, self.largest, self.pivot, self.turn]
    }
}

/// The program under construction: names for what is computed, and what must hold.
#[derive(Clone)]
pub(crate) struct FusedWriter<'g> {
    pub(super) g: &'g Graph,
    pub(crate) limits: FusedLimits<'g>,
    pub(super) time: Id,
    /// Whose sines and cosines are needed.
    pub(super) angles: Vec<Expr<'g>>,
    pub(crate) names: Vec<(Id, Id)>,
    pub(super) holds: Vec<Expr<'g>>,
    /// Sines and cosines that follow from those at the guess.
    pub(super) turned: Vec<(Expr<'g>, Expr<'g>)>,
    /// The largest residual so far.
    pub(super) residual: Expr<'g>,
}

impl<'g> FusedWriter<'g> {
    /// Nothing yet, of a step that begins at this time.
    pub(crate) fn new(g: &'g Graph, limits: FusedLimits<'g>, time: Id) -> Self {
        FusedWriter {
            g,
            limits,
            time,
            angles: Vec::new(),
            names: Vec::new(),
            holds: Vec::new(),
            turned: Vec::new(),
            residual: g.symbol("fused residual"),
        }
    }

    /// A name for an expression, so that no simplification reaches through it; numbers need none.
    pub(crate) fn name(&mut self, e: Expr<'g>) -> Expr<'g> {
        if e.as_number().is_some() {
            return e;
        }
        let symbol = self.g.symbol(&format!("fused {}", self.names.len()));
        self.names.push((symbol.id(), e.id()));
        symbol
    }

    pub(crate) fn name_all(&mut self, list: &[Expr<'g>]) -> Vec<Expr<'g>> {
        list.iter().map(|e| self.name(*e)).collect()
    }

    /// The outputs after the last substep of a composition, from those of one.
    pub(super) fn substeps(&mut self, scheme: &Scheme, outputs: Vec<Expr<'g>>) -> Vec<Expr<'g>> {
        let g = self.g;
        if scheme.substeps.len() == 1 {
            return outputs;
        }
        let (state, h, time) = (g.exprs(&scheme.state), g.symbol("h"), g.expr(scheme.time));
        let mut now = state.clone();
        let mut reached = Vec::new();
        let mut elapsed = 0.0;
        for fraction in &scheme.substeps {
            let times_step = |factor: f64| g.float(factor).unwrap_or(g.int(0)) * h;
            let substep = self.name(times_step(*fraction));
            let begin = self.name(time + times_step(elapsed));
            let rules: Vec<_> = state.iter().copied().zip(now).chain([(h, substep), (time, begin)]).collect();
            reached = g.substitute(&outputs, &rules);
            now = self.name_all(&reached[..state.len()]);
            elapsed += fraction;
        }
        now.extend_from_slice(&reached[state.len()..]);
        now
    }

    /// Gives the unknowns their values: one update by Newton's method.
    pub(crate) fn solve(
        &mut self,
        (solve, rows): (&Solve, &SparseRows),
        elimination: Option<&Elimination>,
        guess: &[Expr<'g>],
        later: &[Expr<'g>],
    ) {
        let g = self.g;
        let (unknowns, residual) = (g.exprs(&solve.unknowns), g.exprs(&solve.residual));
        let rules: Vec<_> = unknowns.iter().copied().zip(guess.iter().copied()).collect();
        let slopes: Vec<Expr<'g>> = rows.iter().flatten().map(|(_, id)| g.expr(*id)).collect();
        let values = self.name_all(&g.substitute(&slopes, &rules));
        let changes: Vec<Expr<'g>> = match elimination {
            None => {
                let inverse = self.inverse(&dense(g, rows, &values));
                let r = self.name_all(&g.substitute(&residual, &rules));
                inverse.rows.iter().map(|row| g.dot(row, &r) * inverse.factor).collect()
            }
            Some(elimination) => {
                let r = self.name_all(&g.substitute(&residual, &rules));
                elimination.solve(self, rows, &values, &r)
            }
        };
        for ((unknown, guess), change) in unknowns.iter().zip(guess).zip(changes) {
            self.names.push((unknown.id(), (*guess - change).id()));
        }
        self.turn(&unknowns, guess, later);
        let equations = g.substitute(&residual, &self.turned);
        for (equation, size) in equations.iter().zip(solve.sizes(&equations)) {
            self.vanishes(*equation, size);
        }
    }

    /// Asks that an equation leaves only round-off of terms of this size.
    pub(super) fn vanishes(&mut self, equation: Expr<'g>, size: Expr<'g>) {
        let g = self.g;
        let size = g.call2(Function2::Max, size, self.limits.underflow);
        let left = self.name(equation.abs() / size);
        self.holds.push(g.compare(Relation::Le, left, self.limits.round_off));
        self.residual = g.call2(Function2::Max, self.residual, left);
    }

    /// Sines and cosines of angles that are affine in the unknowns, from those at the guess: with ε, by which the update turned the
    /// angle, sin(θ + ε) = sin θ + (ε − ε³/6) cos θ − ε²/2 sin θ up to ε⁴/24.
    fn turn(&mut self, unknowns: &[Expr<'g>], guess: &[Expr<'g>], later: &[Expr<'g>]) {
        let g = self.g;
        let values: Vec<_> = unknowns.iter().copied().zip(guess.iter().copied()).collect();
        for angle in self.angles.clone() {
            let slopes = g.gradient(angle, unknowns);
            let affine = g.affine_in(&[angle], unknowns)[0];
            if slopes.iter().all(|slope| slope.is_zero()) || !affine || angle.depends_on(later) {
                continue;
            }
            let moved =
                unknowns.iter().zip(guess).zip(slopes).map(|((after, before), slope)| slope * (*after - *before));
            let turn = self.name(g.sum(moved));
            self.holds.push(g.compare(Relation::Le, turn.abs(), self.limits.turn));
            let square = self.name(turn.powi(2));
            let odd = self.name(turn - turn * square / 6);
            let before = angle.substitute(&values);
            let (sine, cosine) = (before.sin(), before.cos());
            let changes = [odd * cosine - square * sine / 2, -(odd * sine) - square * cosine / 2];
            let [by_sine, by_cosine] = changes.map(|change| self.name(change));
            let turned = [sine + by_sine, cosine + by_cosine].map(|after| self.name(after));
            self.turned.extend([angle.sin(), angle.cos()].into_iter().zip(turned));
        }
    }

    /// By Cramer's rule; the determinant must not be what is left of much larger terms.
    fn inverse(&mut self, a: &[Vec<Expr<'g>>]) -> CramerInverse<'g> {
        let g = self.g;
        let n = a.len();
        if n == 1 {
            return CramerInverse { rows: vec![vec![g.int(1)]], factor: a[0][0].powi(-1) };
        }
        // Row i of the adjugate holds the cofactors of column i; with indices taken round, signs take care of themselves for
        // three rows.
        let cofactor = |i: usize, j: usize| -> [(Expr<'g>, Expr<'g>); 2] {
            let (r, c) = ([(j + 1) % 3, (j + 2) % 3], [(i + 1) % 3, (i + 2) % 3]);
            [(a[r[0]][c[0]], a[r[1]][c[1]]), (a[r[0]][c[1]], a[r[1]][c[0]])]
        };
        let mut rows = Vec::with_capacity(n);
        let mut sizes = Vec::with_capacity(n);
        for i in 0..n {
            let row: Vec<Expr<'g>> = (0..n)
                .map(|j| match n {
                    2 if i == j => a[1 - i][1 - i],
                    2 => -a[i][j],
                    _ => {
                        let [(b, c), (d, e)] = cofactor(i, j);
                        b * c - d * e
                    }
                })
                .collect();
            sizes.push(match n {
                2 => a[1][1 - i].abs(),
                _ => {
                    let [(b, c), (d, e)] = cofactor(i, 0);
                    (b * c).abs() + (d * e).abs()
                }
            });
            rows.push(self.name_all(&row));
        }
        // Expanded along the first row.
        let determinant = g.sum((0..n).map(|i| a[0][i] * rows[i][0]));
        let determinant = self.name(determinant);
        let size = g.sum((0..n).map(|i| a[0][i].abs() * sizes[i]));
        self.holds.push(g.compare(Relation::Lt, size * self.limits.pivot, determinant.abs()));
        CramerInverse { rows, factor: self.name(determinant.powi(-1)) }
    }

    /// Asks that these are finite, and far from being not; returns them by names.
    pub(crate) fn finite(&mut self, values: &[Expr<'g>]) -> Vec<Expr<'g>> {
        // What is no number makes sums that are none; names keep them from being simplified.
        let values = self.name_all(values);
        let total = self.g.sum(values.iter().map(|value| value.abs()));
        self.holds.push(self.g.compare(Relation::Le, total, self.limits.largest));
        values
    }

    pub(crate) fn condition(&self) -> Expr<'g> {
        let all = self.holds.iter().copied().reduce(|all, condition| self.g.and(all, condition));
        all.unwrap_or_else(|| self.g.compare(Relation::Le, self.g.int(0), self.g.int(1)))
    }
}

/// A matrix with these values in the places of its entries.
fn dense<'g>(g: &'g Graph, rows: &SparseRows, values: &[Expr<'g>]) -> Vec<Vec<Expr<'g>>> {
    let mut values = values.iter().copied();
    let mut matrix = vec![vec![g.int(0); rows.len()]; rows.len()];
    for (row, entries) in matrix.iter_mut().zip(rows) {
        entries.iter().zip(&mut values).for_each(|((column, _), value)| row[*column] = value);
    }
    matrix
}

/// The angles whose sines or cosines occur.
pub(super) fn angles<'g>(g: &'g Graph, list: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let mut found: Vec<Expr<'g>> = Vec::new();
    for id in g.reachable(&list.iter().map(|e| e.id()).collect::<Vec<_>>()) {
        if let Node::Call(Function::Sin | Function::Cos, angle) = g.expr(id).node()
            && !found.contains(&g.expr(angle))
        {
            found.push(g.expr(angle));
        }
    }
    found
}

/// A matrix `factor · rows`.
struct CramerInverse<'g> {
    rows: Vec<Vec<Expr<'g>>>,
    factor: Expr<'g>,
}

/// What a guard tests, without the numbers one and zero that it gives.
pub(in crate::step) fn condition_of<'g>(g: &'g Graph, guard: Expr<'g>) -> Expr<'g> {
    match guard.node() {
        Node::Select(condition, yes, no) if yes == g.int(1).id() && no == g.int(0).id() => g.expr(condition),
        _ => g.compare(Relation::Ne, guard, g.int(0)),
    }
}

/// The condition without factors that both sides have and that cannot be negative: what is left implies it. A factor that is no
/// number makes the next state none, for it occurs in `next`.
pub(super) fn without_common_factors<'g>(g: &'g Graph, condition: Expr<'g>, next: &[Expr<'g>]) -> Expr<'g> {
    let Node::Compare(Relation::Le, a, b) = condition.node() else { return condition };
    let occurring = g.reachable(&next.iter().map(|e| e.id()).collect::<Vec<_>>());
    let [(a, of_a), (b, of_b)] = [a, b].map(|id| factors(g.expr(id)));
    let common = |factor: &(Id, i64)| {
        factor.1 % 2 == 0 && of_a.contains(factor) && of_b.contains(factor) && occurring.contains(&factor.0)
    };
    let rest = |coefficient: Rational, factors: &[(Id, i64)]| {
        let rest =
            factors.iter().filter(|factor| !common(factor)).map(|(base, exponent)| g.expr(*base).powi(*exponent));
        g.product(rest) * g.rational(coefficient)
    };
    g.compare(Relation::Le, rest(a, &of_a), rest(b, &of_b))
}

/// A coefficient and powers whose product the expression is.
fn factors(e: Expr<'_>) -> (Rational, Vec<(Id, i64)>) {
    match e.node() {
        Node::Product(factors) => (Rational::ONE, factors.to_vec()),
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
            let (term, coefficient) = &terms[0];
            match e.graph().expr(*term).node() {
                Node::Product(factors) => (coefficient.clone(), factors.to_vec()),
                _ => (coefficient.clone(), vec![(*term, 1)]),
            }
        }
        _ => (Rational::ONE, vec![(e.id(), 1)]),
    }
}
