//! Functions that are given by tables: the piece by bisection, its polynomial by Horner's rule.

use extremal_expr::TableFunction;

use super::{Routine, address_of};
use crate::ptx::body::{Count, Double, PtxNumber};

/// Numbers of a piece.
const WIDTH: u64 = 5;

/// The breaks, and behind them the pieces.
pub(super) fn numbers(function: TableFunction) -> Vec<u64> {
    let pieces = function.pieces().iter().flat_map(|piece| std::iter::once(piece.origin).chain(piece.coefficients));
    function.breaks().iter().copied().chain(pieces).map(f64::to_bits).collect()
}

pub(super) fn value(function: TableFunction, x: PtxNumber<'_>) -> PtxNumber<'_> {
    let body = x.body();
    let breaks = function.breaks();
    let x = match (function.period(), breaks.first()) {
        (Some(period), Some(first)) => {
            let turns = ((x - *first) / period).floor();
            x - body.number(period) * turns
        }
        _ => x,
    };
    let table = address_of(body, Routine::Pieces(function));
    // How many breaks are not above.
    let (below, end) = (body.variable(0u32), body.variable(breaks.len() as u32));
    let (again, found) = (body.label(), body.label());
    body.place(again);
    body.jump_if(below.not_below(end), found);
    let middle: Count<'_> = (below + end).shift_right(1u32);
    let place = table + middle.wide().shift_left(3u32);
    let at: PtxNumber<'_> = body.result("ld.global.f64", &[&format!("[{place}]")]);
    let above = at.at_most(x);
    body.set(below, above.choose(middle + 1u32, below));
    body.set(end, above.choose(end, middle));
    body.jump(again);
    body.place(found);
    let row = table + below.wide() * (8 * WIDTH);
    let first = 8 * breaks.len() as u64;
    let [origin, a, b, c, d] =
        [0, 1, 2, 3, 4].map(|at| body.result::<Double>("ld.global.f64", &[&format!("[{row}+{}]", first + 8 * at)]));
    let distance = x - origin;
    a + distance * (b + distance * (c + distance * d))
}
