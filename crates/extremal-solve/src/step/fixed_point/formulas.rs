//! What is computed for a stage, as formulas that its neighbours share.

use extremal_eval::{CompileError, EntryPoint, Program, Spread};
use extremal_expr::{Expr, Function2, Graph, Id, Relation, magnitude, with_angles_apart};
use extremal_mechanics::discrete::{Scheme, Stages};

use super::{LONGEST_ELIMINATION, NEARLY};
use crate::newton::UNDERFLOW;
use crate::step::fused::condition_of;

/// The tiers of the inputs: parameters; step and coefficients; state and time; unknowns.
pub(super) const PARAMETERS: usize = 0;
pub(super) const STEP: usize = 1;
pub(super) const STATE: usize = 2;
pub(super) const UNKNOWNS: usize = 3;

/// Entries, each a condition and what replaces the first of the last inputs: an update of the stage's own unknowns; the same with the
/// residual of the last ones; the end of the step with the prediction for the next one.
pub(super) const ITERATE: usize = 0;
pub(super) const CHECK: usize = 1;
pub(super) const FINISH: usize = 2;

/// Numbers that formulas cannot write, given with the parameters.
pub(super) const LIMITS: [(&str, f64); 4] = [
    ("stage underflow", UNDERFLOW),
    ("stage residual nearly round-off", NEARLY),
    ("stage largest", f64::MAX),
    ("stage infinity", f64::INFINITY),
];

/// So many lanes has a machine that has several.
const FEWEST_LANES: usize = 4;

/// More unknowns of all stages are found for one motion after the other.
pub(in crate::step) const MOST_TOGETHER: usize = 6;

/// Where the last inputs stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageSlots {
    /// How far a stage's own unknowns, which come first, moved last, and how far before.
    pub change: usize,
    pub before: usize,
    /// The residual, relative to its terms, before the last change.
    pub residual: usize,
    /// The unknowns as they were predicted.
    pub predicted: usize,
    /// The outputs of the step, if it is these formulas that determine them: the next state and guards.
    pub next: usize,
    /// How far unknowns may move when it is time to check.
    pub limit: usize,
    /// The unknowns of all stages, for one lane.
    pub all: usize,
    /// The same for several lanes: for each kind so many inputs, which have all numbers one after the other.
    pub given: usize,
    pub given_each: usize,
}

/// The program of a stage.
pub(super) struct StageProgram {
    pub program: Program,
    pub places: StageSlots,
    /// The same where lanes are motions: it gets the unknowns of all stages in their own places. Not where there are many.
    pub together: Option<Program>,
}

impl StageProgram {
    /// Is the end of the step determined by these formulas?
    pub fn finishes(&self) -> bool {
        self.places.limit > self.places.next
    }

    /// `None` where the unknowns of a stage do not determine each other in their order, or too many of them do.
    pub fn compile(
        g: &Graph,
        scheme: &Scheme,
        stages: &Stages,
        parameters: &[Id],
        outputs: &[Id],
    ) -> Result<Option<StageProgram>, CompileError> {
        let (n, count) = (stages.own.len(), stages.values.len());
        let symbols = |name: &str, count: usize| -> Vec<Expr<'_>> {
            (0..count).map(|at| g.symbol(&format!("stage {name} {at}"))).collect()
        };
        let [change, before, residual_before, limit, h] =
            ["stage change", "stage change before", "stage residual before", "stage limit", "h"].map(|s| g.symbol(s));
        let [underflow, nearly, largest, infinity] = LIMITS.map(|(name, _)| g.symbol(name));
        let ahead = symbols("ahead", count);
        let mut writer = StageWriter::new(g);
        let Some(StageEquations { residual, update, .. }) = writer.equations(stages) else { return Ok(None) };

        let max = |a, b| g.call2(Function2::Max, a, b);
        let moved = update.iter().map(|d| d.abs()).reduce(max).unwrap_or(g.int(0));
        let next = g.exprs(&stages.own).into_iter().zip(&update).map(|(x, d)| x - *d);
        let next: Vec<Expr<'_>> = next.chain([moved, change]).collect();
        let relative = residual.iter().map(|r| r.abs() / max(magnitude(*r), underflow)).reduce(max).unwrap_or(g.int(0));
        let iterated = [&[g.compare(Relation::Le, moved, limit)], &next[..]].concat();
        let checked = [&[g.compare(Relation::Le, relative, nearly)], &next[..], &[relative]].concat();

        let all = by_kind(&stages.all, n);
        let ended = writer.affine(scheme, outputs, &all).unwrap_or_default();
        let predicted: Vec<Expr<'_>> = all
            .chunks_exact(count)
            .map(|kind| writer.total(ahead.iter().zip(g.exprs(kind)).map(|(weight, x)| *weight * x).collect()))
            .collect();
        let (state, guards) = ended.split_at(ended.len().min(scheme.state.len()));
        let finite = g.compare(Relation::Le, g.sum(state.iter().map(|x| x.abs())), largest);
        let holds = guards.iter().fold(finite, |all, guard| g.and(all, condition_of(g, *guard)));
        let forgotten = [infinity, infinity, residual_before];
        let finished = [&[holds], &predicted[..], &forgotten, &predicted, &ended].concat();

        let places = {
            let (predicted, next) = (n + 3, 2 * n + 3);
            let limit = next + ended.len();
            let all = limit + 1;
            let (given, given_each) = (all + n * count, count.div_ceil(FEWEST_LANES));
            StageSlots { change: n, before: n + 1, residual: n + 2, predicted, next, limit, all, given, given_each }
        };
        let given = symbols("given", n * places.given_each);
        let own = g.exprs(&stages.own).into_iter().chain([change, before, residual_before]);
        let unknowns = own.chain(symbols("predicted", n)).chain(symbols("next", ended.len())).chain([limit]);
        let inputs = [
            parameters.iter().copied().chain(LIMITS.map(|(name, _)| g.symbol(name).id())).collect(),
            [h.id()]
                .into_iter()
                .chain(stages.coefficients.iter().copied())
                .chain(ahead.iter().map(|e| e.id()))
                .collect(),
            scheme.state.iter().copied().chain([scheme.time]).collect(),
            unknowns.map(Expr::id).chain(all.iter().copied()).chain(given.iter().map(|e| e.id())).collect(),
        ];
        let spread = |(at, symbol): (usize, &Id)| {
            let (kind, lane) = (at / count, at % count);
            let given = Some(given[kind * places.given_each].id());
            Spread { symbol: *symbol, of: stages.own[kind], lane, given }
        };
        let spreads: Vec<Spread> = all.iter().enumerate().map(spread).collect();
        let entry = |outputs: Vec<Expr<'_>>| EntryPoint {
            tier: UNKNOWNS,
            outputs: outputs.into_iter().map(Expr::id).collect(),
        };
        let entries = [iterated, checked, finished].map(entry);
        let program = Program::converging(g, &inputs, &writer.names, &spreads, &entries)?;
        let together = match stages.all.len() <= MOST_TOGETHER && places.limit > places.next {
            true => Some(Program::compile_with_names(g, &inputs, &writer.names, &entries)?),
            false => None,
        };
        Ok(Some(StageProgram { program, places, together }))
    }
}

/// What stands in groups of `size`, by its place in the group first.
pub(super) fn by_kind<T: Copy>(from: &[T], size: usize) -> Vec<T> {
    (0..size).flat_map(|place| from.iter().skip(place).step_by(size).copied()).collect()
}

/// Formulas under construction, with names for what is computed once.
pub(in crate::step) struct StageWriter<'g> {
    g: &'g Graph,
    pub names: Vec<(Id, Id)>,
}

/// The equations of the stage at hand.
pub(in crate::step) struct StageEquations<'g> {
    /// So many of the names before them belong to all stages.
    pub common: usize,
    /// What vanishes.
    pub residual: Vec<Expr<'g>>,
    /// How far its own unknowns are from what these equations make of them.
    pub update: Vec<Expr<'g>>,
}

impl<'g> StageWriter<'g> {
    pub fn new(g: &'g Graph) -> StageWriter<'g> {
        StageWriter { g, names: Vec::new() }
    }

    /// `None` where they do not determine the unknowns in their order, or too many of them do.
    pub fn equations(&mut self, stages: &Stages) -> Option<StageEquations<'g>> {
        let g = self.g;
        self.first(stages)?;
        let common = self.names.len();
        self.names.extend(&stages.state);
        let mut residual = with_angles_apart(g, &g.exprs(&[&stages.residual[..], &stages.following].concat()));
        let following = residual.split_off(stages.own.len());
        let own = g.exprs(&stages.own);
        let (solved, follow) = own.split_at(own.len() - following.len());
        let mut update = self.update(solved, &residual[..solved.len()])?;
        if !follow.is_empty() {
            let rules: Vec<_> = solved.iter().zip(&update).map(|(x, d)| (*x, self.name(*x - *d))).collect();
            let following = g.substitute(&following, &rules);
            update.extend(follow.iter().zip(following).map(|(x, to)| self.name(*x - to)));
        }
        Some(StageEquations { common, residual, update })
    }

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

    /// Names what the state at the beginning of the step determines.
    fn first(&mut self, stages: &Stages) -> Option<()> {
        let (symbols, rows): (Vec<Id>, Vec<Id>) = stages.first.iter().copied().unzip();
        let symbols = self.g.exprs(&symbols);
        let at_zero: Vec<_> = symbols.iter().map(|x| (*x, self.g.int(0))).collect();
        let rows = self.g.exprs(&rows);
        // The rows are affine: what leads from zero to the solution is the solution.
        let constant = self.g.substitute(&rows, &at_zero);
        let update = self.solved(self.g.jacobian(&rows, &symbols), &constant)?;
        self.names.extend(symbols.iter().zip(update).map(|(symbol, d)| (symbol.id(), (-d).id())));
        Some(())
    }

    /// How far a stage's own unknowns are from what Newton's method makes of them, which is exact where the equations are linear in
    /// them.
    fn update(&mut self, own: &[Expr<'g>], residual: &[Expr<'g>]) -> Option<Vec<Expr<'g>>> {
        self.solved(self.g.jacobian(residual, own), residual)
    }

    /// The solution of linear equations with these slopes and right-hand sides, by elimination without exchange of rows; what the
    /// right-hand sides do not enter is divided before they are known.
    fn solved(&mut self, slopes: Vec<Vec<(usize, Expr<'g>)>>, right: &[Expr<'g>]) -> Option<Vec<Expr<'g>>> {
        let g = self.g;
        let n = right.len();
        let mut matrix = vec![vec![g.int(0); n]; n];
        for (row, slopes) in matrix.iter_mut().zip(slopes) {
            slopes.into_iter().for_each(|(column, slope)| row[column] = self.name(slope));
        }
        let mut right: Vec<Expr<'g>> = right.iter().map(|r| self.name(*r)).collect();
        let mut inverses = Vec::with_capacity(n);
        let mut products = 0;
        for k in 0..n {
            if matrix[k][k].is_zero() {
                return None;
            }
            let (above, below) = matrix.split_at_mut(k + 1);
            let inverse = self.name(above[k][k].powi(-1));
            let others: Vec<usize> = (k + 1..n).filter(|j| !above[k][*j].is_zero()).collect();
            for (i, row) in below.iter_mut().enumerate().filter(|(_, row)| !row[k].is_zero()) {
                let factor = self.name(row[k] * inverse);
                products += others.len();
                if products > LONGEST_ELIMINATION {
                    return None;
                }
                for j in &others {
                    row[*j] = self.name(row[*j] - factor * above[k][*j]);
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
    pub fn affine(&mut self, scheme: &Scheme, outputs: &[Id], all: &[Id]) -> Option<Vec<Expr<'g>>> {
        let g = self.g;
        let (next, guards) = outputs.split_at(scheme.state.len());
        let next = g.exprs(next);
        let (state, all) = (g.exprs(&scheme.state), g.exprs(all));
        let variables = [&state[..], &all].concat();
        let rows = g.jacobian(&next, &variables);
        let slopes: Vec<Expr<'g>> = rows.iter().flatten().map(|(_, slope)| *slope).collect();
        let moving: Vec<Expr<'g>> = variables.iter().copied().chain([g.expr(scheme.time)]).collect();
        if g.depend_on(&slopes, &moving).contains(&true) || g.affine_rows(&next, &variables, &rows).contains(&false) {
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
        written.extend(guards);
        Some(written)
    }
}
