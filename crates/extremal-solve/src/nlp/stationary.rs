//! Newton's method on ∇f + Aᵀλ = 0, c = 0, shortened until the residual falls: minima and saddles alike.

use std::ops::ControlFlow;

use super::kkt::{Kkt, Shift};
use super::standard::{Multiplied, SolverEnd, Standard, largest};
use super::{Iteration, Nlp, NlpOptions, NlpSolution, NlpStart, NlpStatus, Watch};

/// The smallest fraction of a step that is tried.
const SMALLEST_FRACTION: f64 = 1.0 / 65536.0;
/// Where no step makes progress any more, an error so many times the tolerance is round-off.
const ROUND_OFF: f64 = 1e3;
/// Added to the diagonal where the matrix is singular, relative to nothing: it is equilibrated by its own entries.
const SINGULAR_SHIFT: f64 = 1e-8;

/// A stationary point of f + λ·c near the start. The program must have no bounds but those that fix variables
/// or make equations; others are not looked at.
pub fn stationary(nlp: &mut dyn Nlp, start: NlpStart<'_>, options: &NlpOptions, watch: Watch<'_>) -> NlpSolution {
    let mut problem = Standard::of(nlp, start.x, true);
    let x = problem.start();
    let lambda = match start.lambda {
        [] => vec![0.0; problem.rows()],
        given => problem.scaled_multipliers(given),
    };
    let mut kkt = Kkt::of(&problem);
    let mut newton =
        Newton { pattern: problem.jacobian.clone(), point: StationaryPoint { x, lambda }, line: Iteration::default() };
    let status = match problem.hopeless_violation() > options.tolerance {
        true => NlpStatus::Infeasible,
        false => newton.run(&mut problem, &mut kkt, options, watch),
    };
    let curvature = match status {
        NlpStatus::Solved => kkt.curvature(&vec![0.0; problem.variables()], &problem.metric()),
        _ => None,
    };
    let none = vec![0.0; problem.variables()];
    let Newton { point, line, .. } = newton;
    let point = Multiplied { y: &point.x, lambda: &point.lambda, z_lower: &none, z_upper: &none };
    problem.solution(&point, SolverEnd { status, last: line, curvature })
}

#[derive(Clone)]
struct StationaryPoint {
    x: Vec<f64>,
    lambda: Vec<f64>,
}

struct Newton {
    pattern: Vec<(usize, usize)>,
    point: StationaryPoint,
    line: Iteration,
}

impl Newton {
    fn run(&mut self, problem: &mut Standard<'_>, kkt: &mut Kkt, options: &NlpOptions, watch: Watch<'_>) -> NlpStatus {
        let n = self.point.x.len();
        let mut residual = self.residual(problem, kkt, &self.point.clone());
        if residual.iter().any(|value| !value.is_finite()) || !problem.is_inside(&self.point.x) {
            return NlpStatus::NotFinite;
        }
        if self.point.lambda.iter().all(|value| *value == 0.0) && !self.point.lambda.is_empty() {
            self.estimate(kkt, &residual[..n]);
            residual = self.residual(problem, kkt, &self.point.clone());
        }
        loop {
            self.line.objective = problem.objective(&self.point.x);
            self.line.infeasibility = largest(&residual[n..]);
            self.line.dual_infeasibility = largest(&residual[..n]);
            let objective = problem.unscaled(self.line.objective);
            if let ControlFlow::Break(()) = watch(&Iteration { objective, ..self.line }) {
                return NlpStatus::Interrupted;
            }
            problem.hessian(&self.point.x, &self.point.lambda, kkt.hessian_mut());
            if largest(&residual) <= options.tolerance {
                return NlpStatus::Solved;
            }
            if self.line.iteration >= options.max_iterations {
                return NlpStatus::IterationLimit;
            }
            let sigma = vec![0.0; n];
            self.line.regularisation = 0.0;
            let Some(inertia) = kkt.factor(&sigma, Shift::default()) else { return NlpStatus::NotFinite };
            if inertia.zero > 0 {
                self.line.regularisation = SINGULAR_SHIFT;
                kkt.factor(&sigma, Shift { hessian: SINGULAR_SHIFT, constraints: SINGULAR_SHIFT });
            }
            let mut step: Vec<f64> = residual.iter().map(|value| -value).collect();
            kkt.solve(&mut step);
            match self.advance(problem, kkt, &step, &residual) {
                Some(next) => residual = next,
                None if largest(&residual) <= ROUND_OFF * options.tolerance => {
                    // The Jacobian was left at the last trial.
                    self.residual(problem, kkt, &self.point.clone());
                    return NlpStatus::Solved;
                }
                None => return NlpStatus::Stalled,
            }
            self.line.iteration += 1;
        }
    }

    /// Takes as much of the step as makes the residual fall.
    fn advance(
        &mut self,
        problem: &mut Standard<'_>,
        kkt: &mut Kkt,
        step: &[f64],
        residual: &[f64],
    ) -> Option<Vec<f64>> {
        let n = self.point.x.len();
        let before = norm(residual);
        let mut fraction = 1.0;
        while fraction >= SMALLEST_FRACTION {
            let moved = |from: &[f64], by: &[f64]| from.iter().zip(by).map(|(x, d)| x + fraction * d).collect();
            let trial =
                StationaryPoint { x: moved(&self.point.x, &step[..n]), lambda: moved(&self.point.lambda, &step[n..]) };
            if !problem.is_inside(&trial.x) {
                fraction *= 0.5;
                continue;
            }
            let next = self.residual(problem, kkt, &trial);
            if norm(&next) <= (1.0 - 1e-4 * fraction) * before {
                self.point = trial;
                self.line.fraction = fraction;
                return Some(next);
            }
            fraction *= 0.5;
        }
        None
    }

    /// Least-squares multipliers for the gradient `dual`.
    fn estimate(&mut self, kkt: &mut Kkt, dual: &[f64]) {
        let n = dual.len();
        kkt.hessian_mut().fill(0.0);
        if kkt.factor(&vec![1.0; n], Shift::default()).is_some_and(|inertia| inertia.zero == 0) {
            let mut right: Vec<f64> =
                dual.iter().map(|value| -value).chain(vec![0.0; self.point.lambda.len()]).collect();
            kkt.solve(&mut right);
            self.point.lambda.copy_from_slice(&right[n..]);
        }
    }

    fn residual(&self, problem: &mut Standard<'_>, kkt: &mut Kkt, point: &StationaryPoint) -> Vec<f64> {
        let n = point.x.len();
        let mut residual = vec![0.0; n + point.lambda.len()];
        let (dual, c) = residual.split_at_mut(n);
        problem.gradient(&point.x, dual);
        problem.constraints(&point.x, c);
        problem.jacobian(&point.x, kkt.jacobian_mut());
        for ((row, column), value) in self.pattern.iter().zip(kkt.jacobian()) {
            dual[*column] += value * point.lambda[*row];
        }
        residual
    }
}

fn norm(values: &[f64]) -> f64 {
    let largest = largest(values);
    match largest.is_finite() && largest > 0.0 {
        true => largest * values.iter().map(|value| (value / largest).powi(2)).sum::<f64>().sqrt(),
        false if largest == 0.0 && values.iter().all(|value| !value.is_nan()) => 0.0,
        false => f64::INFINITY,
    }
}
