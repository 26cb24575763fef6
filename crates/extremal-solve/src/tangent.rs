//! Derivatives of what a block computes, by implicit differentiation: the linearised flow of a method.

use extremal_eval::{CompileError, EntryPoint, Machine, Program};
use extremal_expr::{Expr, Graph, Id};
use extremal_mechanics::Block;
use extremal_mechanics::discrete::Scheme;

use crate::dense::{identity, product, transposed};
use crate::failure::SolveFailure;
use crate::kernel::{GuessSource, Kernel};
use crate::linear::DenseLu;
use crate::newton::NewtonOptions;

/// A block together with the derivative of its outputs by some of the symbols that it is given.
///
/// With residual R(y, u) = 0 and outputs N(y, u): DF = N_y − N_u R_u⁻¹ R_y.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::{Block, Solve};
/// use extremal_solve::{BlockTangent, NewtonOptions};
/// let g = Graph::new();
/// let (a, u) = (g.symbol("a"), g.symbol("u"));
/// let root = Block {
///     inputs: vec![a.id()],
///     solves: vec![Solve::new(&[u], &[u.powi(2) - a], &[a])],
///     outputs: vec![u.id()],
/// };
/// let mut root = BlockTangent::new(&g, &[], &root, &[a.id()], NewtonOptions::default())?;
/// root.run(&[4.0])?;
/// assert_eq!((root.outputs(), root.derivative()), (&[2.0][..], &[0.25][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct BlockTangent {
    kernel: Kernel,
    machine: Machine,
    unknowns: Vec<Id>,
    /// How many outputs there are, and how many symbols they are differentiated by.
    outputs: usize,
    by: usize,
    /// Outputs and unknowns of the last call.
    found: Vec<f64>,
    /// R_u, R_y, N_u, N_y.
    slopes: Vec<f64>,
    derivative: Vec<f64>,
    lu: DenseLu,
    column: Vec<f64>,
}

impl BlockTangent {
    /// Compiles `block` with the derivative `by` these symbols, which are among its inputs and `parameters`.
    ///
    /// # Errors
    /// As for [`Kernel::compile`].
    pub fn new(
        g: &Graph,
        parameters: &[Id],
        block: &Block,
        by: &[Id],
        options: NewtonOptions,
    ) -> Result<BlockTangent, CompileError> {
        let unknowns: Vec<Id> = block.solves.iter().flat_map(|solve| solve.unknowns.clone()).collect();
        let residual: Vec<Id> = block.solves.iter().flat_map(|solve| solve.residual.clone()).collect();
        let mut whole = block.clone();
        whole.outputs.extend(&unknowns);
        let kernel = Kernel::compile(g, parameters, &whole, options)?;
        let (y, u) = (g.exprs(by), g.exprs(&unknowns));
        let (r, next) = (g.exprs(&residual), g.exprs(&block.outputs));
        let mut outputs = Vec::new();
        for (functions, variables) in [(&r, &u), (&r, &y), (&next, &u), (&next, &y)] {
            outputs.extend(dense(g, functions, variables));
        }
        let slopes = vec![0.0; outputs.len()];
        let inputs = [parameters.to_vec(), block.inputs.clone(), unknowns.clone()];
        let program = Program::compile(g, &inputs, &[EntryPoint { tier: 2, outputs }])?;
        let (count, by) = (block.outputs.len(), by.len());
        Ok(BlockTangent {
            kernel,
            machine: program.machine(),
            found: vec![0.0; count + unknowns.len()],
            slopes,
            derivative: vec![0.0; count * by],
            lu: DenseLu::new(unknowns.len()),
            column: vec![0.0; unknowns.len()],
            unknowns,
            outputs: count,
            by,
        })
    }

    /// Sets the parameters, in the order given at compilation.
    pub fn set_parameters(&mut self, values: &[f64]) {
        self.kernel.set_parameters(values);
        self.machine.inputs_mut(0).copy_from_slice(values);
        self.machine.commit(0);
    }

    /// Runs the block and differentiates it.
    ///
    /// # Errors
    /// The block has no solution there, or one that its equations do not determine.
    pub fn run(&mut self, inputs: &[f64]) -> Result<(), SolveFailure> {
        self.kernel.run(inputs, GuessSource::Formula, &mut self.found)?;
        let (n, m, k) = (self.outputs, self.unknowns.len(), self.by);
        self.machine.inputs_mut(1).copy_from_slice(inputs);
        self.machine.commit(1);
        self.machine.inputs_mut(2).copy_from_slice(&self.found[n..]);
        self.machine.run(0, &mut self.slopes);
        let (r_u, rest) = self.slopes.split_at(m * m);
        let (r_y, rest) = rest.split_at(m * k);
        let (n_u, n_y) = rest.split_at(n * m);
        self.derivative.copy_from_slice(n_y);
        if m == 0 {
            return Ok(());
        }
        self.lu.factor(r_u).map_err(|_| SolveFailure::Singular { unknown: "the step".to_string() })?;
        for at in 0..k {
            (0..m).for_each(|i| self.column[i] = r_y[i * k + at]);
            self.lu.solve(&mut self.column);
            for i in 0..n {
                let through: f64 = n_u[i * m..][..m].iter().zip(&self.column).map(|(a, b)| a * b).sum();
                self.derivative[i * k + at] -= through;
            }
        }
        Ok(())
    }

    /// What the last call has found.
    pub fn outputs(&self) -> &[f64] {
        &self.found[..self.outputs]
    }

    /// The derivative of the outputs, row by row.
    pub fn derivative(&self) -> &[f64] {
        &self.derivative
    }

    /// What the last call solved for, by its symbols.
    pub fn unknowns(&self) -> impl Iterator<Item = (Id, f64)> + '_ {
        self.unknowns.iter().copied().zip(self.found[self.outputs..].iter().copied())
    }

    /// The slopes, by the symbols, of a function of the outputs that has these slopes by them: one solve with the transposed equations,
    /// however many symbols there are.
    ///
    /// # Errors
    /// The equations do not determine the solution.
    pub fn pull_back(&mut self, slopes: &[f64]) -> Result<Vec<f64>, SolveFailure> {
        let (n, m, k) = (self.outputs, self.unknowns.len(), self.by);
        let (r_u, rest) = self.slopes.split_at(m * m);
        let (r_y, rest) = rest.split_at(m * k);
        let (n_u, n_y) = rest.split_at(n * m);
        let mut pulled = product(slopes, n_y, 1, n, k);
        if m > 0 {
            let mut weights = product(slopes, n_u, 1, n, m);
            let singular = |_| SolveFailure::Singular { unknown: "the step".to_string() };
            self.lu.factor(&transposed(r_u, m, m)).map_err(singular)?;
            self.lu.solve(&mut weights);
            let through = product(&weights, r_y, 1, m, k);
            pulled.iter_mut().zip(through).for_each(|(pulled, through)| *pulled -= through);
        }
        Ok(pulled)
    }
}

/// One (sub)step of a scheme together with its derivative by the state.
pub struct TangentMap {
    step: BlockTangent,
    state: usize,
    substeps: Vec<f64>,
}

impl TangentMap {
    /// Compiles the step of `scheme` and its derivative.
    pub fn new(
        g: &Graph,
        scheme: &Scheme,
        parameters: &[(Id, f64)],
        options: NewtonOptions,
    ) -> Result<TangentMap, CompileError> {
        let all: Vec<(Id, f64)> = parameters.iter().chain(&scheme.constants).copied().collect();
        let (symbols, numbers): (Vec<Id>, Vec<f64>) = all.into_iter().unzip();
        let mut step = BlockTangent::new(g, &symbols, &scheme.step, &scheme.state, options)?;
        step.set_parameters(&numbers);
        Ok(TangentMap { step, state: scheme.state.len(), substeps: scheme.substeps.clone() })
    }

    /// What the last (sub)step solved for, by its symbols.
    pub fn unknowns(&self) -> impl Iterator<Item = (Id, f64)> + '_ {
        self.step.unknowns()
    }

    /// Advances `state` by a whole step from time `t` and returns the derivative (row-major) of the new by the old state.
    /// `velocity` is a guess for the velocities.
    pub fn advance(&mut self, state: &mut [f64], t: f64, h: f64, velocity: &[f64]) -> Result<Vec<f64>, SolveFailure> {
        let n = self.state;
        let mut total = identity(n);
        let mut elapsed = 0.0;
        for fraction in self.substeps.clone() {
            let inputs: Vec<f64> =
                state.iter().chain(&[t + elapsed * h, fraction * h]).chain(velocity).copied().collect();
            self.step.run(&inputs)?;
            state.copy_from_slice(self.step.outputs());
            total = product(self.step.derivative(), &total, n, n, n);
            elapsed += fraction;
        }
        Ok(total)
    }
}

fn dense<'g>(g: &'g Graph, functions: &[Expr<'g>], variables: &[Expr<'g>]) -> Vec<Id> {
    let mut entries = vec![g.int(0).id(); functions.len() * variables.len()];
    for (row, columns) in g.jacobian(functions, variables).into_iter().enumerate() {
        for (column, value) in columns {
            entries[row * variables.len() + column] = value.id();
        }
    }
    entries
}
