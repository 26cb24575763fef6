//! That a rate is not zero, said only where a real state shows it.

use extremal_expr::generic::real_points;
use extremal_expr::{Expr, Rational, magnitude};

use super::flow::{Flow, dense};
use crate::dense::solution;

/// What is so much larger than the round-off of its terms is not zero.
const SIGNIFICANT: f64 = 1e-6;

/// Is a rate along `flow`, not zero by the algebra of a field, not zero for real numbers: at some state far above its round-off?
pub(super) fn is_far_from_zero<'g>(flow: &Flow<'g>, rate: Expr<'g>, values: &[(Expr<'g>, Rational)]) -> bool {
    let g = flow.graph;
    if g.field_decides(&[&[rate], &flow.equations[..], &flow.surface].concat()) {
        return true;
    }
    // Real states on a surface are not drawn as easily.
    if !flow.surface.is_empty() || !flow.solved.is_empty() {
        return false;
    }
    let n = flow.unknowns.len();
    let at_zero: Vec<_> = flow.unknowns.iter().map(|u| (*u, g.int(0))).collect();
    let mut entries = dense(g, &flow.equations, &flow.unknowns);
    entries.extend(g.substitute(&flow.equations, &at_zero));
    let mut symbols = g.free_symbols(&[&entries[..], &[rate]].concat());
    symbols.retain(|symbol| !flow.unknowns.contains(symbol));
    let sizes = [rate, magnitude(rate)];
    real_points(&symbols, values, |mut point| {
        let at = |point: &[(Expr<'g>, f64)], e: &[Expr<'g>]| {
            let of = |name: &str| point.iter().find(|(symbol, _)| symbol.as_symbol().as_deref() == Some(name));
            g.evaluate(e, |name| of(name).map(|(_, value)| *value))
        };
        let mut matrix = at(&point, &entries);
        let right: Vec<f64> = matrix.split_off(n * n).iter().map(|value| -value).collect();
        point.extend(flow.unknowns.iter().copied().zip(solution(matrix, right)?));
        let seen = at(&point, &sizes);
        seen[0].is_finite().then(|| seen[0].abs() > SIGNIFICANT * seen[1])
    })
}
