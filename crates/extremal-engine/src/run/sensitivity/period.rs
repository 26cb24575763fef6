//! A number of steps as a map, with its derivative by where it begins and by the time that it takes.

use extremal_solve::dense::product;
use extremal_solve::{BlockTangent, NewtonOptions, SolveFailure};

use super::super::{CompiledRun, SetupError};
use super::{SensitivityError, Tangents, differentiable};

/// Steps of a method over a period.
pub(crate) struct PeriodMap {
    tangents: Tangents,
    /// The step by state and step size.
    step: BlockTangent,
    from: f64,
    steps: u64,
    velocities: usize,
    /// How many numbers of the state must come back: sums of work and heat need not.
    size: usize,
    names: Vec<String>,
    /// Do the equations depend on time?
    driven: bool,
}

/// Where the map leads.
pub(crate) struct Returned {
    pub state: Vec<f64>,
    /// Row by row, by the numbers of the state that must come back, then by the period.
    pub derivative: Vec<f64>,
    /// The change of the state in the first step.
    pub first: Vec<f64>,
}

impl CompiledRun {
    /// So many steps as a map.
    pub(crate) fn period_map(&self, steps: u64) -> Result<PeriodMap, SetupError> {
        let model = &*self.model.lock();
        differentiable(model, &self.settings)?;
        let g = model.graph();
        let scheme = self.scheme.as_deref().ok_or(SensitivityError::Many)?;
        let mut tangents = Tangents::new(model, scheme, &[], Vec::new(), NewtonOptions::default())?;
        let own = self.start.parameter_values();
        tangents.set_parameters(&own);
        let symbols = model.parameters().iter().map(|parameter| parameter.symbol);
        let parameters: Vec<_> = symbols.chain(scheme.constants.iter().map(|(symbol, _)| *symbol)).collect();
        let h = scheme.step.inputs[scheme.state.len() + 1];
        let by: Vec<_> = scheme.state.iter().copied().chain([h]).collect();
        let mut step = BlockTangent::new(g, &parameters, &scheme.step, &by, NewtonOptions::default())?;
        step.set_parameters(&[&own[..], &tangents.constants].concat());
        let residuals = scheme.step.solves.iter().flat_map(|solve| &solve.residual);
        let formulas: Vec<_> = residuals.chain(&scheme.step.outputs).map(|id| g.expr(*id)).collect();
        let time = g.expr(scheme.time);
        let size = scheme.state.len() - self.observables.accounts.len();
        Ok(PeriodMap {
            driven: formulas.iter().any(|formula| formula.depends_on(&[time])),
            names: scheme.state[..size].iter().map(|id| g.expr(*id).to_string()).collect(),
            velocities: self.observables.coordinates,
            from: self.plan.from,
            tangents,
            step,
            steps,
            size,
        })
    }
}

impl PeriodMap {
    pub fn size(&self) -> usize {
        self.size
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn is_driven(&self) -> bool {
        self.driven
    }

    /// Goes through a period from this state.
    pub fn run(&mut self, begin: &[f64], period: f64) -> Result<Returned, SolveFailure> {
        let (n, size, steps) = (self.tangents.state, self.size, self.steps as f64);
        let h = period / steps;
        let columns = size + 1;
        let mut derivative = vec![0.0; n * columns];
        (0..size).for_each(|at| derivative[at * columns + at] = 1.0);
        let mut state = begin.to_vec();
        let mut velocity = vec![0.0; self.velocities];
        let mut first = Vec::new();
        for step in 0..self.steps {
            let time = (step as f64).mul_add(h, self.from);
            self.tangents.observe.run(&[&state[..], &[time], &velocity].concat())?;
            velocity.copy_from_slice(&self.tangents.observe.outputs()[..self.velocities]);
            let mut elapsed = 0.0;
            for fraction in &self.tangents.substeps {
                self.step.run(&[&state[..], &[time + elapsed * h, fraction * h], &velocity].concat())?;
                // By the step size in the last column, of which each substep is a part of a part of the period.
                let own = self.step.derivative();
                let by_state: Vec<f64> = (0..n * n).map(|at| own[at / n * (n + 1) + at % n]).collect();
                let mut next = product(&by_state, &derivative, n, n, columns);
                for row in 0..n {
                    next[row * columns + size] += own[row * (n + 1) + n] * fraction / steps;
                }
                derivative = next;
                state.copy_from_slice(self.step.outputs());
                elapsed += fraction;
            }
            if step == 0 {
                first = state.iter().zip(begin).map(|(after, before)| after - before).take(size).collect();
            }
        }
        derivative.truncate(size * columns);
        Ok(Returned { state, derivative, first })
    }
}
