//! The derivative of a step by its state, by implicit differentiation: the linearised flow of a method.

use extremal_eval::{CompileError, EntryPoint, Machine, Program};
use extremal_expr::{Expr, Graph, Id};
use extremal_mechanics::discrete::Scheme;

use crate::dense::{identity, product};
use crate::failure::SolveFailure;
use crate::kernel::{GuessSource, Kernel};
use crate::linear::DenseLu;
use crate::newton::NewtonOptions;

/// One (sub)step of a scheme together with its derivative by the state.
///
/// With residual R(z, u) = 0 and next state N(z, u): DF = N_z − N_u R_u⁻¹ R_z.
pub struct TangentMap {
    step: Kernel,
    machine: Machine,
    state: usize,
    unknowns: Vec<Id>,
    /// What the last step had for these.
    found: Vec<f64>,
    values: Vec<f64>,
    lu: DenseLu,
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
        let unknowns: Vec<Id> = scheme.step.solves.iter().flat_map(|s| s.unknowns.clone()).collect();
        let residual: Vec<Id> = scheme.step.solves.iter().flat_map(|s| s.residual.clone()).collect();
        let mut block = scheme.step.clone();
        block.outputs.extend(&unknowns);
        let mut step = Kernel::compile(g, &symbols, &block, options)?;
        step.set_parameters(&numbers);

        let (z, u) = (g.exprs(&scheme.state), g.exprs(&unknowns));
        let (r, next) = (g.exprs(&residual), g.exprs(&scheme.step.outputs));
        let mut outputs = Vec::new();
        for (functions, variables) in [(&r, &u), (&r, &z), (&next, &u), (&next, &z)] {
            outputs.extend(dense(g, functions, variables));
        }
        let values = vec![0.0; outputs.len()];
        let inputs = [symbols, scheme.step.inputs.clone(), unknowns.clone()];
        let program = Program::compile(g, &inputs, &[EntryPoint { tier: 2, outputs }])?;
        let mut machine = program.machine();
        machine.inputs_mut(0).copy_from_slice(&numbers);
        machine.commit(0);
        let (state, substeps) = (z.len(), scheme.substeps.clone());
        let (found, lu) = (vec![0.0; unknowns.len()], DenseLu::new(unknowns.len()));
        Ok(TangentMap { step, machine, state, unknowns, found, values, lu, substeps })
    }

    /// What the last (sub)step solved for, by its symbols.
    pub fn unknowns(&self) -> impl Iterator<Item = (Id, f64)> + '_ {
        self.unknowns.iter().copied().zip(self.found.iter().copied())
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
            let derivative = self.substep(&inputs, state)?;
            total = product(&derivative, &total, n, n, n);
            elapsed += fraction;
        }
        Ok(total)
    }

    fn substep(&mut self, inputs: &[f64], state: &mut [f64]) -> Result<Vec<f64>, SolveFailure> {
        let (n, m) = (self.state, self.unknowns.len());
        let mut out = vec![0.0; n + m];
        self.step.run(inputs, GuessSource::Formula, &mut out)?;
        self.machine.inputs_mut(1).copy_from_slice(inputs);
        self.machine.commit(1);
        self.machine.inputs_mut(2).copy_from_slice(&out[n..]);
        self.machine.run(0, &mut self.values);
        let (r_u, rest) = self.values.split_at(m * m);
        let (r_z, rest) = rest.split_at(m * n);
        let (n_u, n_z) = rest.split_at(n * m);
        if m > 0 {
            self.lu.factor(r_u).map_err(|_| SolveFailure::Singular { unknown: "the step".to_string() })?;
        }
        let mut derivative = n_z.to_vec();
        let mut column = vec![0.0; m];
        for k in 0..n {
            (0..m).for_each(|i| column[i] = r_z[i * n + k]);
            if m > 0 {
                self.lu.solve(&mut column);
            }
            for i in 0..n {
                derivative[i * n + k] -= (0..m).map(|j| n_u[i * m + j] * column[j]).sum::<f64>();
            }
        }
        state.copy_from_slice(&out[..n]);
        self.found.copy_from_slice(&out[n..]);
        Ok(derivative)
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
