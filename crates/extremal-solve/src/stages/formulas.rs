//! What is computed for a stage, as formulas that its neighbours share.

use extremal_eval::{CompileError, Entry, Program, Spread};
use extremal_expr::{Comparison, Expr, Function2, Graph, Id, magnitude};
use extremal_mechanics::Block;
use extremal_mechanics::discrete::{Scheme, Stages};

/// Inputs: parameters; step and coefficients; state and time; unknowns.
pub(super) const PARAMETERS: usize = 0;
pub(super) const STEP: usize = 1;
pub(super) const STATE: usize = 2;
pub(super) const UNKNOWNS: usize = 3;

/// Entries: an update of the stage's own unknowns, with how far they moved this time and before; the same with the residual of
/// the last ones; the outputs of the step and the prediction for the next one.
pub(super) const ITERATE: usize = 0;
pub(super) const CHECK: usize = 1;
pub(super) const FINISH: usize = 2;

/// Inputs of the last stage between a stage's own unknowns and those of all: how far its own moved last, how far before, and how far
/// they may move when it is time to check.
pub(super) const MOVED: usize = 2;
pub(super) const LIMIT: usize = 1;

/// The program of a stage.
pub(super) struct StageProgram {
    pub program: Program,
    /// The last entry begins with the outputs of the step; otherwise there is only the prediction.
    pub finishes: bool,
}

impl StageProgram {
    /// `None` where the unknowns of a stage do not determine each other in their order.
    pub fn compile(
        g: &Graph,
        scheme: &Scheme,
        stages: &Stages,
        parameters: &[Id],
        block: &Block,
    ) -> Result<Option<StageProgram>, CompileError> {
        let (n, count) = (stages.own.len(), stages.values.len());
        let [underflow, change, before, limit, h] =
            ["stage underflow", "stage change", "stage change before", "stage limit", "h"].map(|name| g.symbol(name));
        let ahead: Vec<Expr<'_>> = (0..count).map(|at| g.symbol(&format!("stage ahead {at}"))).collect();
        let mut writer = Writer { g, names: stages.state.clone() };
        let Some(update) = writer.update(stages) else { return Ok(None) };

        let max = |a, b| g.call2(Function2::Max, a, b);
        let moved = update.iter().map(|d| d.abs()).reduce(max).unwrap_or(g.int(0));
        let next = g.exprs(&stages.own).into_iter().zip(&update).map(|(x, d)| x - *d);
        let next: Vec<Id> = next.chain([moved, change]).map(|e| e.id()).collect();
        let settled = g.compare(Comparison::Le, moved, limit);
        let residual = g.exprs(&stages.residual);
        let relative = residual.iter().map(|r| r.abs() / max(magnitude(*r), underflow)).reduce(max);
        let checked = next.iter().copied().chain(relative.map(Expr::id)).collect();

        let all = by_kind(&stages.all, n);
        let finished = writer.affine(scheme, block, &all);
        let finishes = finished.is_some();
        let mut outputs = finished.unwrap_or_default();
        for kind in all.chunks_exact(count) {
            let terms = ahead.iter().zip(g.exprs(kind)).map(|(weight, x)| *weight * x).collect();
            outputs.push(writer.total(terms).id());
        }

        let state = scheme.state.iter().copied().chain([scheme.time]).collect();
        let inputs = [
            parameters.iter().copied().chain([underflow.id()]).collect(),
            [&[h.id()], &stages.coefficients[..], &ahead.iter().map(|e| e.id()).collect::<Vec<_>>()].concat(),
            state,
            [&stages.own[..], &[change.id(), before.id(), limit.id()], &all].concat(),
        ];
        let spread =
            |(at, symbol): (usize, &Id)| Spread { symbol: *symbol, of: stages.own[at / count], lane: at % count };
        let spreads: Vec<Spread> = all.iter().enumerate().map(spread).collect();
        let iterated = [settled.id()].into_iter().chain(next).collect();
        let entries = [iterated, checked, outputs].map(|outputs| Entry { stage: UNKNOWNS, outputs });
        let program = Program::settling(g, &inputs, &writer.names, &spreads, &entries)?;
        Ok(Some(StageProgram { program, finishes }))
    }
}

/// What stands in groups of `size`, by its place in the group first.
pub(super) fn by_kind<T: Copy>(from: &[T], size: usize) -> Vec<T> {
    (0..size).flat_map(|place| from.iter().skip(place).step_by(size).copied()).collect()
}

/// Formulas under construction, with names for what is computed once.
struct Writer<'g> {
    g: &'g Graph,
    names: Vec<(Id, Id)>,
}

impl<'g> Writer<'g> {
    /// A name for an expression, so that no simplification reaches through it.
    fn name(&mut self, e: Expr<'g>) -> Expr<'g> {
        if e.as_symbol().is_some() || e.as_number().is_some() {
            return e;
        }
        let symbol = self.g.symbol(&format!("stage value {}", self.names.len()));
        self.names.push((symbol.id(), e.id()));
        symbol
    }

    /// A sum in two parts that do not wait for each other.
    fn total(&mut self, terms: Vec<Expr<'g>>) -> Expr<'g> {
        let [even, odd] = [0, 1].map(|first| self.g.sum(terms.iter().skip(first).step_by(2).copied()));
        self.name(even) + self.name(odd)
    }

    /// How far a stage's own unknowns are from what Newton's method makes of them, which is exact where the equations are linear in
    /// them. By elimination without exchange of rows; what the residuals do not enter is divided before they are known.
    fn update(&mut self, stages: &Stages) -> Option<Vec<Expr<'g>>> {
        let g = self.g;
        let (own, residual) = (g.exprs(&stages.own), g.exprs(&stages.residual));
        let n = own.len();
        let mut matrix = vec![vec![g.int(0); n]; n];
        for (row, slopes) in matrix.iter_mut().zip(g.jacobian(&residual, &own)) {
            slopes.into_iter().for_each(|(column, slope)| row[column] = self.name(slope));
        }
        let mut right: Vec<Expr<'g>> = residual.iter().map(|r| self.name(*r)).collect();
        let mut inverses = Vec::with_capacity(n);
        for k in 0..n {
            if matrix[k][k].is_zero() {
                return None;
            }
            let (above, below) = matrix.split_at_mut(k + 1);
            let inverse = self.name(above[k][k].powi(-1));
            for (i, row) in below.iter_mut().enumerate().filter(|(_, row)| !row[k].is_zero()) {
                let factor = self.name(row[k] * inverse);
                for j in k + 1..n {
                    row[j] = self.name(row[j] - factor * above[k][j]);
                }
                right[k + 1 + i] = self.name(right[k + 1 + i] - factor * right[k]);
            }
            inverses.push(inverse);
        }
        for k in (0..n).rev() {
            let known = g.sum((k + 1..n).map(|j| matrix[k][j] * right[j]));
            right[k] = self.name((right[k] - known) * inverses[k]);
        }
        Some(right)
    }

    /// The outputs of the step, where the next state is affine in state and unknowns with slopes that the step size determines:
    /// increments, added to the state at once.
    fn affine(&mut self, scheme: &Scheme, block: &Block, all: &[Id]) -> Option<Vec<Id>> {
        let g = self.g;
        let (next, guards) = block.outputs.split_at(scheme.state.len());
        let next = g.exprs(next);
        let (state, all) = (g.exprs(&scheme.state), g.exprs(all));
        let variables = [&state[..], &all].concat();
        let rows = g.jacobian(&next, &variables);
        let slopes: Vec<Expr<'g>> = rows.iter().flatten().map(|(_, slope)| *slope).collect();
        let moving: Vec<Expr<'g>> = variables.iter().copied().chain([g.expr(scheme.time)]).collect();
        if g.depend_on(&slopes, &moving).contains(&true) {
            return None;
        }
        let at_zero: Vec<_> = variables.iter().map(|x| (*x, g.int(0))).collect();
        let mut rest = g.substitute(&next, &at_zero);
        let mut written = Vec::with_capacity(next.len());
        for (at, row) in rows.into_iter().enumerate() {
            let mut terms = Vec::new();
            let mut kept = g.int(0);
            for (column, slope) in row {
                let slope = self.name(slope);
                match column {
                    _ if column == at && slope == g.int(1) => kept = state[at],
                    _ if column < state.len() => rest[at] = rest[at] + slope * state[column],
                    _ => terms.push(slope * variables[column]),
                }
            }
            let increment = rest[at] + self.total(terms);
            let increment = self.name(increment);
            written.push(self.name(kept + increment));
        }
        let rules: Vec<_> = next.into_iter().zip(written.iter().copied()).collect();
        let guards = g.substitute(&g.exprs(guards), &rules);
        Some(written.iter().chain(&guards).map(|e| e.id()).collect())
    }
}
