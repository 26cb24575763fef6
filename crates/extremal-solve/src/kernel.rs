//! A compiled block: its solves done by Newton with exact Jacobians, its outputs evaluated, nothing allocated on the way.

mod layout;

use extremal_eval::{CompileError, EntryPoint, Machine, Program};
use extremal_expr::{Expr, Graph, Id};
use extremal_mechanics::{Block, Meaning, Reduced};

use crate::failure::SolveFailure;

use crate::newton::{NewtonOptions, NewtonSolve, Pace, SolveEntries, SolvePlan, StagedSlopes};

pub use layout::{KernelLayout, SolveLayout};

/// Where the first guess of the unknowns comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuessSource {
    /// The block's own formula.
    Formula,
    /// The values left in [`Kernel::unknowns_mut`].
    Given,
}

/// A [`Block`] made ready to run, with its own memory.
#[derive(Clone)]
pub struct Kernel {
    machine: Machine,
    solves: Vec<NewtonSolve>,
    unknowns: Vec<f64>,
    /// Entry that computes the outputs when there is nothing to solve.
    explicit_entry: usize,
    output_names: Vec<String>,
    /// Outputs, then residuals and sizes of a solve.
    scratch: Vec<f64>,
}

/// How the solves of a block turned out structurally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolveStructure {
    /// Unknowns left after elimination.
    pub unknowns: usize,
    /// All remaining solves are linear in their unknowns.
    pub linear: bool,
    /// Factored Jacobians serve for several updates and steps.
    pub keeps_jacobians: bool,
    /// The unknowns are stages of a collocation method, iterated to a fixed point wherever that converges fast.
    pub fixed_point: bool,
}

impl SolveStructure {
    /// How the unknowns are found: `explicit`, `linear`, `fixed point`, `simplified newton` (Jacobians serve again) or `newton`.
    ///
    /// ```
    /// use extremal_solve::SolveStructure;
    /// let pair = SolveStructure { unknowns: 2, linear: false, keeps_jacobians: false, fixed_point: false };
    /// assert_eq!(pair.iteration(), "newton");
    /// ```
    pub fn iteration(&self) -> &'static str {
        match self {
            SolveStructure { unknowns: 0, .. } => "explicit",
            SolveStructure { linear: true, .. } => "linear",
            SolveStructure { fixed_point: true, .. } => "fixed point",
            SolveStructure { keeps_jacobians: true, .. } => "simplified newton",
            _ => "newton",
        }
    }
}

/// What a call cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Iterations over all solves.
    pub iterations: u32,
    /// The largest residual left, relative to the size of its terms; of a fixed point, before the last update.
    pub residual: f64,
    /// The unknowns were found by fixed-point iteration.
    pub fixed_point: bool,
}

impl Kernel {
    /// Compiles `block`; `parameters` are symbols whose values are set once for many calls. Solves in closed form what can be.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::{Block, Solve};
    /// use extremal_solve::{GuessSource, Kernel, NewtonOptions};
    /// let g = Graph::new();
    /// let (a, u) = (g.symbol("a"), g.symbol("u"));
    /// let root = Block {
    ///     inputs: vec![a.id()],
    ///     solves: vec![Solve::new(&[u], &[u.powi(2) - a], &[a])],
    ///     outputs: vec![u.id()],
    /// };
    /// let mut kernel = Kernel::compile(&g, &[], &root, NewtonOptions::default())?;
    /// let mut out = [0.0];
    /// kernel.run(&[2.0], GuessSource::Formula, &mut out)?;
    /// assert_eq!(out, [2f64.sqrt()]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compile(
        g: &Graph,
        parameters: &[Id],
        block: &Block,
        options: NewtonOptions,
    ) -> Result<Kernel, CompileError> {
        let names: Vec<String> = block.outputs.iter().map(|id| label(g.expr(*id))).collect();
        Self::compile_named(g, parameters, block, names, options)
    }

    /// The same with names for the outputs, for messages.
    pub fn compile_named(
        g: &Graph,
        parameters: &[Id],
        block: &Block,
        output_names: Vec<String>,
        options: NewtonOptions,
    ) -> Result<Kernel, CompileError> {
        Self::compile_reduced(g, parameters, &options.reduced(g, block), None, output_names, options)
    }

    /// The same for a block from which everything has been eliminated that can be; `staged` are the slopes of its only solve, if
    /// those are not written out.
    pub(crate) fn compile_reduced(
        g: &Graph,
        parameters: &[Id],
        Reduced { block, slopes }: &Reduced,
        staged: Option<&StagedSlopes>,
        output_names: Vec<String>,
        options: NewtonOptions,
    ) -> Result<Kernel, CompileError> {
        let mut inputs = vec![parameters.to_vec(), block.inputs.clone()];
        let mut entries = Vec::new();
        let mut solves = Vec::new();
        for (at, (solve, rows)) in block.solves.iter().zip(slopes).enumerate() {
            let tier = 2 + at;
            inputs.push(solve.unknowns.clone());
            let unknowns = g.exprs(&solve.unknowns);
            let residual = g.exprs(&solve.residual);
            let (pattern, slopes, linear) = match staged {
                Some(staged) => (staged.pattern.clone(), staged.values.clone(), staged.linear),
                None => {
                    let jacobian: Vec<Vec<_>> = rows
                        .iter()
                        .map(|row| row.iter().map(|(column, id)| (*column, g.expr(*id))).collect())
                        .collect();
                    (
                        rows.iter().map(|row| row.iter().map(|(c, _)| *c).collect()).collect::<Vec<Vec<usize>>>(),
                        rows.iter().flatten().map(|(_, id)| *id).collect::<Vec<Id>>(),
                        !g.affine_rows(&residual, &unknowns, &jacobian).contains(&false),
                    )
                }
            };
            let sizes: Vec<Id> = solve.sizes(&residual).into_iter().map(Expr::id).collect();
            let mut checked = Vec::new();
            if at + 1 == block.solves.len() {
                checked.extend_from_slice(&block.outputs);
            }
            let outputs = checked.len();
            checked.extend(solve.residual.iter().chain(&sizes));
            let mut add = |tier: usize, outputs: Vec<Id>| {
                entries.push(EntryPoint { tier, outputs });
                entries.len() - 1
            };
            let own = SolveEntries {
                guess: add(tier - 1, solve.guess.clone()),
                slopes: add(tier, solve.residual.iter().chain(&slopes).copied().collect()),
                check: add(tier, checked),
                residual: add(tier, solve.residual.clone()),
            };
            let plan = SolvePlan {
                tier,
                entries: own,
                outputs,
                inputs: block.inputs.len(),
                linear,
                names: unknowns.iter().zip(&solve.meanings).map(|(u, meaning)| unknown_label(*u, meaning)).collect(),
                slope_rows: pattern.iter().enumerate().flat_map(|(at, row)| row.iter().map(move |_| at)).collect(),
                slope_columns: pattern.iter().flatten().copied().collect(),
                chain: staged.map(|staged| (staged.values.len(), staged.rule.clone())),
            };
            solves.push(NewtonSolve::new(plan, &pattern, options));
        }
        let explicit_entry = entries.len();
        if block.solves.is_empty() {
            entries.push(EntryPoint { tier: 1, outputs: block.outputs.clone() });
        }
        let program = Program::compile(g, &inputs, &entries)?;
        let longest = solves.iter().map(NewtonSolve::checked_len).max().unwrap_or(0);
        let scratch = longest.max(block.outputs.len());
        Ok(Kernel {
            machine: options.machine(&program),
            unknowns: vec![0.0; block.solves.iter().map(|s| s.unknowns.len()).sum()],
            solves,
            explicit_entry,
            output_names,
            scratch: vec![0.0; scratch],
        })
    }

    /// Sets the parameters and does the work that depends on them alone.
    pub fn set_parameters(&mut self, values: &[f64]) {
        self.change_parameters(values);
    }

    /// The same; says whether they are others than before.
    pub(crate) fn change_parameters(&mut self, values: &[f64]) -> bool {
        if same_bits(self.machine.inputs(0), values) {
            return false;
        }
        self.machine.inputs_mut(0).copy_from_slice(values);
        self.machine.commit(0);
        true
    }

    /// Says that the last so many outputs are conditions on the solution: where Newton's method has to be careful, it stays where they
    /// hold, that is, are not zero.
    pub(crate) fn keep_inside(&mut self, guards: usize) {
        self.solves.iter_mut().for_each(|solve| solve.keep_inside(guards));
    }

    /// Lets Jacobians serve again in later calls, which are expected to be much alike. What comes out then depends on the calls
    /// before, by less than the round-off of the equations, until [`Kernel::forget`].
    pub(crate) fn reuse_jacobians(&mut self) {
        self.solves.iter_mut().for_each(NewtonSolve::reuse_jacobians);
    }

    /// Forgets what was kept for later calls.
    pub(crate) fn forget(&mut self) {
        self.solves.iter_mut().for_each(NewtonSolve::forget);
    }

    /// The structure that elimination left.
    pub fn structure(&self) -> SolveStructure {
        SolveStructure {
            unknowns: self.unknowns.len(),
            linear: self.solves.iter().all(|s| s.plan.linear),
            keeps_jacobians: self.solves.iter().any(NewtonSolve::keeps_jacobians),
            fixed_point: false,
        }
    }

    /// What it was compiled to.
    pub fn program(&self) -> Program {
        self.machine.program()
    }

    /// The parameters that were set last.
    pub(crate) fn parameters(&self) -> &[f64] {
        self.machine.inputs(0)
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    pub(crate) fn solves(&self) -> &[NewtonSolve] {
        &self.solves
    }

    /// How many inputs there are.
    pub(crate) fn program_inputs(&self) -> usize {
        self.machine.inputs(1).len()
    }

    /// How many outputs there are.
    pub(crate) fn outputs(&self) -> usize {
        self.output_names.len()
    }

    /// The entry that computes them where there is nothing to solve.
    pub(crate) fn explicit_entry(&self) -> usize {
        self.explicit_entry
    }

    /// The unknowns of the last call, all solves in a row.
    pub fn unknowns(&self) -> &[f64] {
        &self.unknowns
    }

    /// To be filled before a call with [`GuessSource::Given`].
    pub fn unknowns_mut(&mut self) -> &mut [f64] {
        &mut self.unknowns
    }

    /// Runs the block. The outputs are valid only when this succeeds, and are then finite.
    pub fn run(&mut self, inputs: &[f64], guess: GuessSource, out: &mut [f64]) -> Result<Work, SolveFailure> {
        let work = self.solve(inputs, guess, out.len())?;
        let mut finite = true;
        for (out, value) in out.iter_mut().zip(&self.scratch) {
            *out = *value;
            finite &= value.is_finite();
        }
        if finite { Ok(work) } else { self.finite(out).map(|()| work) }
    }

    /// Are these values of the outputs finite?
    pub(crate) fn finite(&self, out: &[f64]) -> Result<(), SolveFailure> {
        match out.iter().position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(at) => Err(SolveFailure::NotFinite { what: self.output_names[at].clone() }),
        }
    }

    /// Leaves so many outputs at the beginning of `scratch`.
    fn solve(&mut self, inputs: &[f64], guess: GuessSource, outputs: usize) -> Result<Work, SolveFailure> {
        self.machine.inputs_mut(1).copy_from_slice(inputs);
        self.machine.commit(1);
        let mut work = Work::default();
        let mut first = 0;
        for (at, solve) in self.solves.iter_mut().enumerate() {
            // What the unknowns of one solve are to the next.
            if at > 0 {
                self.machine.commit(solve.plan.tier - 1);
            }
            let unknowns = &mut self.unknowns[first..first + solve.len()];
            first += solve.len();
            match guess {
                // Linear equations need no guess, and without one their solution depends on nothing but themselves.
                GuessSource::Formula if solve.plan.linear => unknowns.fill(0.0),
                GuessSource::Formula => self.machine.run(solve.guess_entry(), unknowns),
                GuessSource::Given => {}
            }
            let again = solve.run_again(&mut self.machine, unknowns, &mut self.scratch);
            let done = again.map_or_else(|| solve.run(&mut self.machine, unknowns, &mut self.scratch, Pace::Full), Ok);
            let done = match (done, guess) {
                // What to begin with instead of a guess that was given, its giver knows.
                (done, GuessSource::Given) => done,
                (done, GuessSource::Formula) => done.or_else(|_| {
                    self.machine.run(solve.guess_entry(), unknowns);
                    solve.bring_inside(&mut self.machine, unknowns);
                    solve.run(&mut self.machine, unknowns, &mut self.scratch, Pace::Damped)
                }),
            }?;
            work.iterations += done.iterations;
            work.residual = work.residual.max(done.residual);
        }
        if self.solves.is_empty() {
            self.machine.run(self.explicit_entry, &mut self.scratch[..outputs]);
        }
        Ok(work)
    }
}

/// Are these the same numbers? What was never set is none.
pub(crate) fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && !a.is_empty() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() && !a.is_nan())
}

/// Nodes of an expression that a message can show.
const SHOWN: usize = 40;

/// What a message calls an expression: by itself, if it is short.
fn label(e: Expr<'_>) -> String {
    match e.graph().reachable(&[e.id()]).len() <= SHOWN {
        true => e.to_string(),
        false => "a result".to_string(),
    }
}

/// What a message calls an unknown.
fn unknown_label(e: Expr<'_>, meaning: &Meaning) -> String {
    match meaning {
        Meaning::Itself => format!("`{}`", label(e)),
        Meaning::Next(coordinate) => format!("the next `{coordinate}`"),
        Meaning::Acceleration(coordinate) => format!("the acceleration of `{coordinate}`"),
        Meaning::Rate(component) => format!("the rate of `{component}`"),
        Meaning::DryFriction(force) => format!("the dry friction `{force}` beside those that stick with it"),
    }
}
