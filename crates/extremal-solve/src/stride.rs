//! A whole step as one straight-line program that goes round by itself: what a step is when everything works out as expected.
//!
//! The unknowns are extrapolated from so many steps before that one update by Newton's method makes their error round-off, and
//! the equations are evaluated at what came out. A step that leaves more is tried again from there; one that still does, that
//! lacks a good pivot or breaks a guard is none: the motion stays where it was, and [`Kernel`](crate::Kernel) decides what becomes of it.

use extremal_eval::{CompileError, Machine, Program, TRIES};
use extremal_expr::{Comparison, Expr, Function2, Graph, Id, Node, magnitude};
use extremal_mechanics::Reduced;
use extremal_mechanics::discrete::Scheme;

use crate::linear::LEAST_RATIO;
use crate::march::DEPTH;
use crate::newton::{NewtonOptions, ROUND_OFF, UNDERFLOW};

/// Systems of equations up to this size are solved by Cramer's rule in the program itself.
const LARGEST_SOLVE: usize = 3;
/// For larger states the time is spent in the formulas, and compiling them twice would cost more than it gains.
const LARGEST_STATE: usize = 64;

/// Numbers that formulas cannot write, given with the parameters.
const LIMITS: [(&str, f64); 4] = [
    ("stride round-off", ROUND_OFF),
    ("stride underflow", UNDERFLOW),
    ("stride largest", f64::MAX),
    ("stride pivot", LEAST_RATIO),
];

/// The stage of what goes round.
pub(crate) const GOING: usize = 2;

/// A step in one program, with the memory to run it.
///
/// Inputs: parameters and limits; step size and first time; then what goes round: state, number of the step, largest residual so
/// far, unknowns of the last steps, newest first, and the guess, with which a step that was not good enough is tried again, and
/// the number of updates.
#[derive(Clone)]
pub(crate) struct Stride {
    machine: Machine,
    lanes: Program,
    state: usize,
    unknowns: usize,
}

/// Where a motion stands.
pub(crate) struct Standing<'a> {
    pub state: &'a [f64],
    pub step: u64,
    pub updates: u64,
    pub max_residual: f64,
    pub history: &'a [f64],
}

impl Stride {
    /// The step of `scheme`, reduced and with its guards as outputs behind the state, if it is small enough.
    pub fn compile(
        g: &Graph,
        scheme: &Scheme,
        parameters: &[Id],
        reduced: &Reduced,
        options: NewtonOptions,
    ) -> Option<Stride> {
        let block = &reduced.block;
        let small = block.solves.iter().all(|solve| solve.unknowns.len() <= LARGEST_SOLVE);
        if !small || scheme.state.len() > LARGEST_STATE || scheme.substeps.len() > 1 {
            return None;
        }
        let limits = LIMITS.map(|(name, _)| g.symbol(name));
        let [h, begin, count, residual] = ["h", "stride begin", "stride count", "stride residual"].map(|s| g.symbol(s));
        let mut writer = Writer { g, limits, time: scheme.time, names: Vec::new(), holds: Vec::new(), residual };
        writer.names.push((scheme.time, (begin + count * h).id()));
        let unknowns: Vec<Id> = block.solves.iter().flat_map(|solve| solve.unknowns.iter().copied()).collect();
        let past: Vec<Vec<Expr<'_>>> = (0..DEPTH)
            .map(|age| (0..unknowns.len()).map(|at| g.symbol(&format!("stride {age} steps ago {at}"))).collect())
            .collect();
        let mut guess: Vec<Expr<'_>> = (0..unknowns.len()).map(|at| g.symbol(&format!("stride guess {at}"))).collect();
        let mut first = 0;
        for (solve, rows) in block.solves.iter().zip(&reduced.slopes) {
            let n = solve.unknowns.len();
            writer.solve(&solve.unknowns, &solve.residual, rows, &guess[first..first + n]);
            first += n;
        }
        let (next, guards) = block.outputs.split_at(scheme.state.len());
        let next = affine_rows(g, &mut writer, &g.exprs(&scheme.state), &g.exprs(next), &unknowns);
        writer.finite(&next);
        for guard in g.exprs(guards) {
            writer.holds.push(condition_of(g, guard));
        }
        let mut outputs: Vec<Id> = Vec::new();
        outputs.extend(next.iter().chain([&(count + 1), &writer.residual]).map(|e| e.id()));
        let newest = [&[g.exprs(&unknowns)], &past[..DEPTH - 1]].concat();
        outputs.extend(newest.iter().flatten().map(|e| e.id()));
        outputs.extend((0..unknowns.len()).map(|at| extrapolated(g, &newest, at).id()));
        let mut again = unknowns.clone();
        if !unknowns.is_empty() {
            guess.push(g.symbol("stride updates"));
            let updated = guess[unknowns.len()] + 1;
            outputs.push(updated.id());
            again.push(updated.id());
        }

        let going: Vec<Id> = scheme.state.iter().copied().chain([count.id(), residual.id()]).collect();
        let inputs = [
            parameters.iter().copied().chain(limits.map(Expr::id)).collect(),
            vec![h.id(), begin.id()],
            going.into_iter().chain(past.iter().flatten().chain(&guess).map(|e| e.id())).collect(),
        ];
        // Formulas that need more than the state are left to the kernel.
        let program = Program::cycle(g, &inputs, &writer.names, writer.condition().id(), &outputs, &again).ok()?;
        let lanes = lane_program(g, &inputs, &writer, &outputs, &again).ok()?;
        let (state, unknowns) = (scheme.state.len(), unknowns.len());
        Some(Stride { machine: options.machine(&program), lanes, state, unknowns })
    }

    /// The same for motions side by side, each of which goes on when its step works out. Behind what goes round, it counts the tries
    /// of the present step and the steps that are left; it ends when one of them has no more tries or steps.
    pub fn lane_program(&self) -> &Program {
        &self.lanes
    }

    /// What it runs on, by stages: parameters and limits; step size and first time; what goes round.
    pub fn inputs(&self, stage: usize) -> &[f64] {
        self.machine.inputs(stage)
    }

    /// What goes round, to be taken from a lane.
    pub fn going_mut(&mut self) -> &mut [f64] {
        self.machine.inputs_mut(GOING)
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        let inputs = self.machine.inputs_mut(0);
        inputs[..values.len()].copy_from_slice(values);
        inputs[values.len()..].copy_from_slice(&LIMITS.map(|(_, value)| value));
        self.machine.commit(0);
    }

    /// Sets the step size and the first time.
    pub fn begin(&mut self, h: f64, time: f64) {
        self.machine.inputs_mut(1).copy_from_slice(&[h, time]);
        self.machine.commit(1);
    }

    /// Goes on from here.
    pub fn load(&mut self, standing: Standing<'_>) {
        let n = self.unknowns;
        let (state, rest) = self.machine.inputs_mut(GOING).split_at_mut(self.state);
        state.copy_from_slice(standing.state);
        rest[0] = standing.step as f64;
        rest[1] = standing.max_residual;
        let (history, guess) = rest[2..].split_at_mut(DEPTH * n);
        history.copy_from_slice(standing.history);
        let (guess, updates) = guess.split_at_mut(n);
        updates.fill(standing.updates as f64);
        for (at, guess) in guess.iter_mut().enumerate() {
            *guess = (0..DEPTH).map(|age| weight(age) as f64 * history[age * n + at]).sum();
        }
    }

    pub fn history(&self) -> &[f64] {
        &self.machine.inputs(GOING)[self.state + 2..][..DEPTH * self.unknowns]
    }

    pub fn state(&self) -> &[f64] {
        &self.machine.inputs(GOING)[..self.state]
    }

    pub fn max_residual(&self) -> f64 {
        self.machine.inputs(GOING)[self.state + 1]
    }

    /// Updates by Newton's method, those before the motion was loaded included.
    pub fn updates(&self) -> u64 {
        let inputs = self.machine.inputs(2);
        inputs.get(self.state + 2 + (DEPTH + 1) * self.unknowns).map_or(0, |updates| *updates as u64)
    }

    /// Takes up to so many steps; returns how many worked out.
    pub fn take(&mut self, steps: u64) -> u64 {
        self.machine.repeat(steps)
    }
}

/// The program under construction: names for what is computed, and what must hold.
struct Writer<'g> {
    g: &'g Graph,
    limits: [Expr<'g>; 4],
    time: Id,
    names: Vec<(Id, Id)>,
    holds: Vec<Expr<'g>>,
    /// The largest residual so far.
    residual: Expr<'g>,
}

impl<'g> Writer<'g> {
    /// A name for an expression, so that no simplification reaches through it.
    fn name(&mut self, e: Expr<'g>) -> Expr<'g> {
        let symbol = self.g.symbol(&format!("stride {}", self.names.len()));
        self.names.push((symbol.id(), e.id()));
        symbol
    }

    fn name_all(&mut self, list: &[Expr<'g>]) -> Vec<Expr<'g>> {
        list.iter().map(|e| self.name(*e)).collect()
    }

    /// Gives the unknowns their values: one update by Newton's method.
    fn solve(&mut self, unknowns: &[Id], residual: &[Id], rows: &[Vec<(usize, Id)>], guess: &[Expr<'g>]) {
        let g = self.g;
        let (unknowns, residual) = (g.exprs(unknowns), g.exprs(residual));
        let n = unknowns.len();
        let rules: Vec<_> = unknowns.iter().copied().zip(guess.iter().copied()).collect();
        let slopes: Vec<Expr<'g>> = rows.iter().flatten().map(|(_, id)| g.expr(*id)).collect();
        let mut values = self.name_all(&g.substitute(&slopes, &rules)).into_iter();
        let mut matrix = vec![vec![g.int(0); n]; n];
        for (row, entries) in matrix.iter_mut().zip(rows) {
            entries.iter().zip(&mut values).for_each(|((column, _), value)| row[*column] = value);
        }
        let inverse = self.inverse(&matrix);
        let r = self.name_all(&g.substitute(&residual, &rules));
        for i in 0..n {
            let moved = guess[i] - g.dot(&inverse.rows[i], &r) * inverse.factor;
            self.names.push((unknowns[i].id(), moved.id()));
        }
        for equation in residual {
            let size = g.call2(Function2::Max, magnitude(equation), self.limits[1]);
            let left = self.name(equation.abs() / size);
            self.holds.push(g.compare(Comparison::Le, left, self.limits[0]));
            self.residual = g.call2(Function2::Max, self.residual, left);
        }
    }

    /// By Cramer's rule; the determinant must not be what is left of much larger terms.
    fn inverse(&mut self, a: &[Vec<Expr<'g>>]) -> Inverse<'g> {
        let g = self.g;
        let n = a.len();
        if n == 1 {
            return Inverse { rows: vec![vec![g.int(1)]], factor: a[0][0].powi(-1) };
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
        self.holds.push(g.compare(Comparison::Lt, size * self.limits[3], determinant.abs()));
        Inverse { rows, factor: self.name(determinant.powi(-1)) }
    }

    fn finite(&mut self, values: &[Expr<'g>]) {
        let total = self.g.sum(values.iter().map(|value| value.abs()));
        self.holds.push(self.g.compare(Comparison::Le, total, self.limits[2]));
    }

    fn condition(&self) -> Expr<'g> {
        let all = self.holds.iter().copied().reduce(|all, condition| self.g.and(all, condition));
        all.unwrap_or_else(|| self.g.compare(Comparison::Le, self.g.int(0), self.g.int(1)))
    }
}

/// What a guard tests, without the numbers one and zero that it gives.
pub(crate) fn condition_of<'g>(g: &'g Graph, guard: Expr<'g>) -> Expr<'g> {
    match guard.node() {
        Node::Select(condition, yes, no) if yes == g.int(1).id() && no == g.int(0).id() => g.expr(condition),
        _ => g.compare(Comparison::Ne, guard, g.int(0)),
    }
}

fn lane_program(
    g: &Graph,
    inputs: &[Vec<Id>],
    writer: &Writer<'_>,
    next: &[Id],
    again: &[Id],
) -> Result<Program, CompileError> {
    let [tries, left] = ["stride tries", "stride left"].map(|name| g.symbol(name));
    let works = writer.condition();
    let going = &inputs[GOING];
    let otherwise = going[..going.len() - again.len()].iter().chain(again);
    let mut outputs: Vec<Id> =
        next.iter().zip(otherwise).map(|(next, same)| g.select(works, g.expr(*next), g.expr(*same)).id()).collect();
    outputs.push(g.select(works, g.int(0), tries + 1).id());
    outputs.push(g.select(works, left - 1, left).id());
    let mut inputs = inputs.to_vec();
    inputs[GOING].extend([tries.id(), left.id()]);
    let tries_left = g.compare(Comparison::Lt, tries, g.int(i64::from(TRIES)));
    let goes_on = g.and(tries_left, g.compare(Comparison::Lt, g.int(0), left));
    Program::cycle(g, &inputs, &writer.names, goes_on.id(), &outputs, &[])
}

/// The next state, with the rows that are affine in the state, at slopes known before the motion begins, written as such: a step
/// then waits for two operations only. They are written as increments, for slopes near one would gather their round-off.
fn affine_rows<'g>(
    g: &'g Graph,
    writer: &mut Writer<'g>,
    state: &[Expr<'g>],
    next: &[Expr<'g>],
    unknowns: &[Id],
) -> Vec<Expr<'g>> {
    if !unknowns.is_empty() {
        return next.to_vec();
    }
    let rows = g.jacobian(next, state);
    let slopes: Vec<Expr<'g>> = rows.iter().flatten().map(|(_, slope)| *slope).collect();
    let changing: Vec<Expr<'g>> = state.iter().copied().chain([g.expr(writer.time)]).collect();
    let mut varying = g.depend_on(&slopes, &changing).into_iter();
    let at_zero: Vec<_> = state.iter().map(|s| (*s, g.int(0))).collect();
    let constants = g.substitute(next, &at_zero);
    let mut written = Vec::with_capacity(next.len());
    for (i, row) in rows.iter().enumerate() {
        let varies = varying.by_ref().take(row.len()).fold(false, |any, varies| any | varies);
        // A single slope is as good as it is.
        if varies || row.len() < 2 {
            written.push(next[i]);
            continue;
        }
        let mut sum = constants[i];
        for (j, slope) in row {
            let increment = if *j == i { *slope - 1 } else { *slope };
            let increment = writer.name(increment);
            sum = sum + increment * state[*j];
            if *j == i {
                sum = sum + state[i];
            }
        }
        written.push(sum);
    }
    written
}

/// One step ahead of these values, newest first.
fn extrapolated<'g>(g: &'g Graph, past: &[Vec<Expr<'g>>], at: usize) -> Expr<'g> {
    g.sum(past.iter().enumerate().map(|(age, values)| values[at] * g.int(weight(age))))
}

/// What the value so many steps ago counts in extending the polynomial through the last [`DEPTH`] ones by a step: binomial
/// coefficients with alternating signs.
fn weight(age: usize) -> i64 {
    let binomial = (0..=age as i64).fold(1, |product, k| product * (DEPTH as i64 - k) / (k + 1));
    if age.is_multiple_of(2) { binomial } else { -binomial }
}

/// A matrix `factor · rows`.
struct Inverse<'g> {
    rows: Vec<Vec<Expr<'g>>>,
    factor: Expr<'g>,
}
