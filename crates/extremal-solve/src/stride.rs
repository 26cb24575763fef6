//! A whole step as one straight-line program that goes round by itself: what a step is when everything works out as expected.
//!
//! The unknowns are extrapolated from the last steps, corrected by Newton's method and once more with the same Jacobian, and the
//! equations are evaluated at what came out. A step that leaves a residual above round-off, that lacks a good pivot or breaks a
//! guard is none: the motion stays where it was, and [`Kernel`](crate::Kernel) decides what becomes of it.

use extremal_eval::{Machine, Program};
use extremal_expr::{Comparison, Expr, Function2, Graph, Id, magnitude};
use extremal_mechanics::Reduced;
use extremal_mechanics::discrete::Scheme;

use crate::linear::LEAST_RATIO;
use crate::march::{DEPTH, EXTRAPOLATION};
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

/// A step in one program, with the memory to run it.
///
/// Inputs: parameters and limits; step size and first time; then what goes round: state, number of the step, largest residual so
/// far, unknowns of the last steps, newest first, and the guess, with which a step that was not good enough is tried again.
#[derive(Clone)]
pub(crate) struct Stride {
    machine: Machine,
    state: usize,
    unknowns: usize,
    updates: u32,
}

/// Where a motion stands.
pub(crate) struct Standing<'a> {
    pub state: &'a [f64],
    pub step: u64,
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
        let mut writer = Writer { g, limits, names: Vec::new(), holds: Vec::new(), residual };
        writer.names.push((scheme.time, (begin + count * h).id()));
        let unknowns: Vec<Id> = block.solves.iter().flat_map(|solve| solve.unknowns.iter().copied()).collect();
        let past: Vec<Vec<Expr<'_>>> = (0..DEPTH)
            .map(|age| (0..unknowns.len()).map(|at| g.symbol(&format!("stride {age} steps ago {at}"))).collect())
            .collect();
        let guess: Vec<Expr<'_>> = (0..unknowns.len()).map(|at| g.symbol(&format!("stride guess {at}"))).collect();
        let mut first = 0;
        let mut updates = 0;
        for (solve, rows) in block.solves.iter().zip(&reduced.slopes) {
            let n = solve.unknowns.len();
            updates += writer.solve(&solve.unknowns, &solve.residual, rows, guess[first..first + n].to_vec());
            first += n;
        }
        if updates > options.max_iterations {
            return None;
        }
        let (next, guards) = block.outputs.split_at(scheme.state.len());
        let next = g.exprs(next);
        writer.finite(&next);
        for guard in g.exprs(guards) {
            writer.holds.push(g.compare(Comparison::Ne, guard, g.int(0)));
        }
        let mut outputs: Vec<Id> = Vec::new();
        outputs.extend(next.iter().chain([&(count + 1), &writer.residual]).map(|e| e.id()));
        let newest = [&[g.exprs(&unknowns)], &past[..DEPTH - 1]].concat();
        outputs.extend(newest.iter().flatten().map(|e| e.id()));
        outputs.extend((0..unknowns.len()).map(|at| extrapolated(g, &newest, at).id()));

        let going: Vec<Id> = scheme.state.iter().copied().chain([count.id(), residual.id()]).collect();
        let inputs = [
            parameters.iter().copied().chain(limits.map(Expr::id)).collect(),
            vec![h.id(), begin.id()],
            going.into_iter().chain(past.iter().flatten().chain(&guess).map(|e| e.id())).collect(),
        ];
        // Formulas that need more than the state are left to the kernel.
        let program = Program::cycle(g, &inputs, &writer.names, writer.condition().id(), &outputs, &unknowns).ok()?;
        if std::env::var("STRIDE").is_ok() {
            println!("{program}");
        }
        Some(Stride {
            machine: options.machine(&program),
            state: scheme.state.len(),
            unknowns: unknowns.len(),
            updates,
        })
    }

    /// Newton updates in every step.
    pub fn updates(&self) -> u32 {
        self.updates
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
        let (state, rest) = self.machine.inputs_mut(2).split_at_mut(self.state);
        state.copy_from_slice(standing.state);
        rest[0] = standing.step as f64;
        rest[1] = standing.max_residual;
        let (history, guess) = rest[2..].split_at_mut(DEPTH * n);
        history.copy_from_slice(standing.history);
        for (at, guess) in guess.iter_mut().enumerate() {
            *guess = (0..DEPTH).map(|age| EXTRAPOLATION[DEPTH - 1][age] * history[age * n + at]).sum();
        }
    }

    pub fn history(&self) -> &[f64] {
        &self.machine.inputs(2)[self.state + 2..][..DEPTH * self.unknowns]
    }

    pub fn state(&self) -> &[f64] {
        &self.machine.inputs(2)[..self.state]
    }

    pub fn max_residual(&self) -> f64 {
        self.machine.inputs(2)[self.state + 1]
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

    /// Gives the unknowns their values: Newton's method from `guess`, then once more with the same Jacobian unless the equations
    /// are linear. Returns the number of updates.
    fn solve(&mut self, unknowns: &[Id], residual: &[Id], rows: &[Vec<(usize, Id)>], guess: Vec<Expr<'g>>) -> u32 {
        let g = self.g;
        let (unknowns, residual) = (g.exprs(unknowns), g.exprs(residual));
        let n = unknowns.len();
        let at = |values: &[Expr<'g>], list: &[Expr<'g>]| {
            let rules: Vec<_> = unknowns.iter().copied().zip(values.iter().copied()).collect();
            g.substitute(list, &rules)
        };
        let slopes: Vec<Expr<'g>> = rows.iter().flatten().map(|(_, id)| g.expr(*id)).collect();
        let linear = !g.depend_on(&slopes, &unknowns).contains(&true);
        let mut values = self.name_all(&at(&guess, &slopes)).into_iter();
        let mut matrix = vec![vec![g.int(0); n]; n];
        for (row, entries) in matrix.iter_mut().zip(rows) {
            entries.iter().zip(&mut values).for_each(|((column, _), value)| row[*column] = value);
        }
        let inverse = self.inverse(&matrix);
        let updates = if linear { 1 } else { 2 };
        let mut x = guess;
        for _ in 0..updates {
            let r = self.name_all(&at(&x, &residual));
            let moved: Vec<_> = (0..n).map(|i| x[i] - g.dot(&inverse.rows[i], &r) * inverse.factor).collect();
            x = self.name_all(&moved);
        }
        self.names.extend(unknowns.iter().zip(&x).map(|(unknown, x)| (unknown.id(), x.id())));
        for equation in residual {
            let size = g.call2(Function2::Max, magnitude(equation), self.limits[1]);
            let left = self.name(equation.abs() / size);
            self.holds.push(g.compare(Comparison::Le, left, self.limits[0]));
            self.residual = g.call2(Function2::Max, self.residual, left);
        }
        updates
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
        let first = self.g.compare(Comparison::Le, self.g.int(0), self.g.int(1));
        self.holds.iter().fold(first, |all, condition| self.g.and(all, *condition))
    }
}

/// One step ahead of these values, newest first.
fn extrapolated<'g>(g: &'g Graph, past: &[Vec<Expr<'g>>], at: usize) -> Expr<'g> {
    let weights = EXTRAPOLATION[DEPTH - 1].map(|weight| g.int(weight as i64));
    g.sum(past.iter().zip(weights).map(|(values, weight)| values[at] * weight))
}

/// A matrix `factor · rows`.
struct Inverse<'g> {
    rows: Vec<Vec<Expr<'g>>>,
    factor: Expr<'g>,
}
