//! What can be said about a system before it is simulated: what it conserves, where it is singular, how it is built.

mod flow;
mod generators;
mod lift;
mod search;

pub use flow::{Flow, FlowSampler};
pub use search::{Integral, SearchBounds, SearchSpace, Term};

use extremal_expr::{Expr, Rational};

use crate::System;

/// Test entry.
pub fn try_search<'g>(
    system: &System<'g>,
    fixed: &[(Expr<'g>, Rational)],
    free: &[Expr<'g>],
    known: &[Expr<'g>],
    bounds: SearchBounds,
) -> (Vec<Integral<'g>>, SearchSpace<'g>) {
    let flow = Flow::of(system);
    search::search(&search::Problem { system, flow: &flow, fixed, free, known }, bounds)
}
