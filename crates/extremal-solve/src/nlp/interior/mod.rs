//! The primal–dual interior point method with a filter line search; the numbers of equations are those of Wächter and Biegler,
//! "On the implementation of an interior-point filter line-search algorithm", Math. Program. 106 (2006).

mod barrier;
mod filter;
mod restoration;
mod restore;
mod search;

use std::cell::RefCell;
use std::ops::ControlFlow;

use barrier::pushed;
use filter::Filter;
use search::SearchOutcome;

use super::kkt::{Kkt, Shift};
use super::standard::{Multiplied, SolverEnd, Standard, largest};
use super::{Iteration, Nlp, NlpOptions, NlpSolution, NlpStart, NlpStatus, Watch};

/// A barrier problem is solved when its error is below this multiple of the barrier parameter (7).
const BARRIER_ERROR: f64 = 10.0;
/// The barrier parameter falls by this factor, or to this power of itself (7).
const BARRIER_FACTOR: f64 = 0.2;
const BARRIER_POWER: f64 = 1.5;
/// How far inside its bounds the start is pushed (section 3.6).
const PUSH: f64 = 1e-2;
/// The same of a start that is the solution of nearly the same program.
const WARM_PUSH: f64 = 1e-6;
/// Multipliers of the constraints at the start are dropped when larger than this (section 3.6).
const LARGEST_FIRST_MULTIPLIER: f64 = 1e3;
/// Beyond this, variables or objective are taken to be without bound.
const DIVERGED: f64 = 1e15;
/// After so many steps on end of less than this fraction, which leave nearly all of the violation, multipliers that have grown lead
/// nowhere: the constraints are nearly dependent, and the curvature has grown with them. The restoration phase goes on without
/// them, until a good part of the violation is gone.
const SHORT_STEPS: usize = 10;
const SHORT: f64 = 0.05;
const SHORT_ENOUGH: f64 = 0.5;
const GROWN_MULTIPLIER: f64 = 1e6;
/// What the restoration phase has to reach otherwise, as a part of the violation.
const ENOUGH: f64 = 0.9;
/// Where no step makes progress any more, an error so many times the tolerance is round-off.
const ROUND_OFF: f64 = 1e3;

/// A minimum of the program near the start.
///
/// ```
/// use extremal_solve::nlp::{NlpBounds, Nlp, NlpOptions, NlpStart, NlpStatus, minimise};
/// /// The point of the half plane x + y >= 1 that is nearest to the origin.
/// struct Nearest;
/// impl Nlp for Nearest {
///     fn bounds(&self) -> NlpBounds {
///         let free = f64::INFINITY;
///         NlpBounds { lower: vec![-free; 2], upper: vec![free; 2], constraint_lower: vec![1.0], constraint_upper: vec![free] }
///     }
///     fn jacobian_pattern(&self) -> Vec<(usize, usize)> { vec![(0, 0), (0, 1)] }
///     fn hessian_pattern(&self) -> Vec<(usize, usize)> { vec![(0, 0), (1, 1)] }
///     fn objective(&mut self, x: &[f64]) -> f64 { x[0] * x[0] + x[1] * x[1] }
///     fn gradient(&mut self, x: &[f64], out: &mut [f64]) { out.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]) }
///     fn constraints(&mut self, x: &[f64], out: &mut [f64]) { out[0] = x[0] + x[1] }
///     fn jacobian(&mut self, _: &[f64], out: &mut [f64]) { out.fill(1.0) }
///     fn hessian(&mut self, _: &[f64], sigma: f64, _: &[f64], out: &mut [f64]) { out.fill(2.0 * sigma) }
/// }
/// let start = NlpStart { x: &[5.0, -7.0], lambda: &[], bound_multipliers: None };
/// let solution = minimise(&mut Nearest, start, &NlpOptions::default(), &mut |_| std::ops::ControlFlow::Continue(()));
/// assert_eq!(solution.status, NlpStatus::Solved);
/// assert!((solution.x[0] - 0.5).abs() < 1e-9 && (solution.objective - 0.5).abs() < 1e-9);
/// ```
pub fn minimise(nlp: &mut dyn Nlp, start: NlpStart<'_>, options: &NlpOptions, watch: Watch<'_>) -> NlpSolution {
    let problem = RefCell::new(Standard::of(nlp, start.x, true));
    let y = problem.borrow_mut().start();
    let push = if start.bound_multipliers.is_some() { WARM_PUSH } else { PUSH };
    let mut solver = Interior::new(&problem, y, push, options.barrier, *options);
    if !start.lambda.is_empty() {
        solver.lambda = problem.borrow().scaled_multipliers(start.lambda);
    }
    if let Some(multipliers) = start.bound_multipliers {
        let [lower, upper] = problem.borrow().scaled_bound_multipliers(multipliers, &solver.lambda);
        solver.press(&lower, &upper);
    }
    if problem.borrow_mut().hopeless_violation() > options.tolerance {
        return solver.solution(NlpStatus::Infeasible);
    }
    let status = solver.run(&mut |line, _| {
        let objective = problem.borrow().unscaled(line.objective);
        watch(&Iteration { objective, ..*line }).map_break(|()| NlpStatus::Interrupted)
    });
    solver.solution(status)
}

/// Where the solver is.
struct Interior<'r, 'n> {
    problem: &'r RefCell<Standard<'n>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    jacobian_pattern: Vec<(usize, usize)>,
    options: NlpOptions,
    kkt: Kkt,
    x: Vec<f64>,
    lambda: Vec<f64>,
    z_lower: Vec<f64>,
    z_upper: Vec<f64>,
    mu: f64,
    objective: f64,
    gradient: Vec<f64>,
    c: Vec<f64>,
    filter: Filter,
    /// Below this violation the objective alone may decide.
    small_violation: f64,
    line: Iteration,
    /// May it call for a restoration phase?
    may_restore: bool,
    tiny_steps: usize,
    short_steps: usize,
    /// The violation before these.
    violation_before: f64,
}

/// A step in all variables.
struct SearchDirection {
    x: Vec<f64>,
    lambda: Vec<f64>,
    z_lower: Vec<f64>,
    z_upper: Vec<f64>,
}

type IterationObserver<'w> = &'w mut dyn FnMut(&Iteration, &[f64]) -> ControlFlow<NlpStatus>;

impl<'r, 'n> Interior<'r, 'n> {
    fn new(problem: &'r RefCell<Standard<'n>>, start: Vec<f64>, push: f64, mu: f64, options: NlpOptions) -> Self {
        let standard = problem.borrow();
        let (lower, upper) = (standard.lower.clone(), standard.upper.clone());
        let x: Vec<f64> = (0..start.len()).map(|i| pushed(start[i], lower[i], upper[i], push)).collect();
        let one = |bound: &[f64]| bound.iter().map(|b| if b.is_finite() { 1.0 } else { 0.0 }).collect();
        let bounded = lower.iter().chain(&upper).any(|b| b.is_finite());
        Interior {
            problem,
            jacobian_pattern: standard.jacobian.clone(),
            kkt: Kkt::of(&standard),
            lambda: vec![0.0; standard.rows()],
            z_lower: one(&lower),
            z_upper: one(&upper),
            // Without bounds there is no barrier, and the last one is the first.
            mu: if bounded { mu } else { options.tolerance / BARRIER_ERROR },
            objective: f64::NAN,
            gradient: vec![0.0; x.len()],
            c: vec![0.0; standard.rows()],
            filter: Filter::new(f64::INFINITY),
            small_violation: 0.0,
            line: Iteration::default(),
            may_restore: true,
            tiny_steps: 0,
            short_steps: 0,
            violation_before: 0.0,
            lower,
            upper,
            options,
            x,
        }
    }

    /// Takes multipliers of bounds, no smaller than those at which the barrier would leave the variables.
    fn press(&mut self, lower: &[f64], upper: &[f64]) {
        for i in 0..self.x.len() {
            if self.lower[i].is_finite() {
                self.z_lower[i] = lower[i].max(self.mu / (self.x[i] - self.lower[i]));
            }
            if self.upper[i].is_finite() {
                self.z_upper[i] = upper[i].max(self.mu / (self.upper[i] - self.x[i]));
            }
        }
    }

    fn run(&mut self, observe: IterationObserver<'_>) -> NlpStatus {
        self.evaluate();
        if !self.is_finite() {
            return NlpStatus::NotFinite;
        }
        if self.lambda.iter().all(|value| *value == 0.0) {
            self.estimate_multipliers();
        }
        let violation = self.violation(&self.c);
        self.filter = Filter::new(1e4 * violation.max(1.0));
        self.small_violation = 1e-4 * violation.max(1.0);
        loop {
            if let Some(status) = self.judge(observe) {
                return status;
            }
            let Some((direction, shift)) = self.direction() else {
                match self.restore(ENOUGH, observe) {
                    Ok(()) => continue,
                    Err(status) => return status,
                }
            };
            self.line.regularisation = shift.hessian;
            match self.search(&direction) {
                SearchOutcome::Accepted if self.is_stuck() => {
                    if let Err(status) = self.restore(SHORT_ENOUGH, observe) {
                        return status;
                    }
                }
                SearchOutcome::Accepted => {}
                SearchOutcome::Failed => {
                    if let Err(status) = self.restore(ENOUGH, observe) {
                        return status;
                    }
                }
            }
        }
    }

    /// Have the last steps been short, with little use, though the constraints are far from satisfied?
    fn is_stuck(&mut self) -> bool {
        let violation = self.violation(&self.c);
        let grown = largest(&self.lambda) > GROWN_MULTIPLIER;
        if !(self.line.fraction < SHORT && grown && self.may_restore) {
            self.short_steps = 0;
            return false;
        }
        if self.short_steps == 0 {
            self.violation_before = violation;
        }
        self.short_steps += 1;
        let over = self.short_steps >= SHORT_STEPS;
        if over {
            self.short_steps = 0;
        }
        over && violation > self.small_violation.max(ENOUGH * self.violation_before)
    }

    /// Is it over? Otherwise the barrier parameter is brought up to date.
    fn judge(&mut self, observe: IterationObserver<'_>) -> Option<NlpStatus> {
        let dual = self.dual_residual();
        self.line.objective = self.objective;
        self.line.infeasibility = largest(&self.c);
        self.line.dual_infeasibility = largest(&dual);
        self.line.barrier = self.mu;
        if let ControlFlow::Break(status) = observe(&self.line, &self.x) {
            return Some(status);
        }
        if self.error(&dual, 0.0) <= self.options.tolerance {
            return Some(NlpStatus::Solved);
        }
        if self.line.iteration >= self.options.max_iterations {
            return Some(NlpStatus::IterationLimit);
        }
        if self.objective < -DIVERGED || largest(&self.x) > DIVERGED {
            return Some(NlpStatus::Unbounded);
        }
        if self.tiny_steps >= 2 && self.mu <= self.last_barrier() {
            return Some(self.at_the_end());
        }
        while self.mu > self.last_barrier()
            && (self.error(&dual, self.mu) <= BARRIER_ERROR * self.mu || self.tiny_steps >= 2)
        {
            self.mu = (BARRIER_FACTOR * self.mu).min(self.mu.powf(BARRIER_POWER)).max(self.last_barrier());
            self.filter.clear();
            self.tiny_steps = 0;
        }
        None
    }

    fn last_barrier(&self) -> f64 {
        self.options.tolerance / BARRIER_ERROR
    }

    /// The verdict where no progress is possible any more.
    fn at_the_end(&self) -> NlpStatus {
        match self.error(&self.dual_residual(), 0.0) <= ROUND_OFF * self.options.tolerance {
            true => NlpStatus::Solved,
            false => NlpStatus::Stalled,
        }
    }

    fn evaluate(&mut self) {
        let mut problem = self.problem.borrow_mut();
        self.objective = problem.objective(&self.x);
        problem.gradient(&self.x, &mut self.gradient);
        problem.constraints(&self.x, &mut self.c);
        problem.jacobian(&self.x, self.kkt.jacobian_mut());
    }

    fn is_finite(&mut self) -> bool {
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let inside = self.problem.borrow_mut().is_inside(&self.x);
        inside
            && self.objective.is_finite()
            && finite(&self.gradient)
            && finite(&self.c)
            && finite(self.kkt.jacobian_mut())
    }

    fn violation(&self, c: &[f64]) -> f64 {
        c.iter().map(|value| value.abs()).sum()
    }

    fn add_multiplied(&mut self, out: &mut [f64]) {
        let values = self.kkt.jacobian_mut();
        for ((row, column), value) in self.jacobian_pattern.iter().zip(values) {
            out[*column] += *value * self.lambda[*row];
        }
    }

    /// ∇f + Aᵀλ − z_L + z_U.
    fn dual_residual(&self) -> Vec<f64> {
        let mut sum = self.gradient.clone();
        for ((row, column), value) in self.jacobian_pattern.iter().zip(self.kkt.jacobian()) {
            sum[*column] += *value * self.lambda[*row];
        }
        for ((sum, lower), upper) in sum.iter_mut().zip(&self.z_lower).zip(&self.z_upper) {
            *sum += upper - lower;
        }
        sum
    }

    /// Least-squares multipliers of the constraints (36).
    fn estimate_multipliers(&mut self) {
        let (n, m) = (self.x.len(), self.lambda.len());
        self.lambda.fill(0.0);
        if m == 0 {
            return;
        }
        self.kkt.hessian_mut().fill(0.0);
        let factored = self.kkt.factor(&vec![1.0; n], Shift::default());
        let mut right: Vec<f64> =
            (0..n).map(|i| -(self.gradient[i] - self.z_lower[i] + self.z_upper[i])).chain(vec![0.0; m]).collect();
        if factored.is_some_and(|inertia| inertia.zero == 0) {
            self.kkt.solve(&mut right);
            if largest(&right[n..]) <= LARGEST_FIRST_MULTIPLIER {
                self.lambda.copy_from_slice(&right[n..]);
            }
        }
    }

    /// The step of Newton's method on the barrier problem (11), downhill.
    fn direction(&mut self) -> Option<(SearchDirection, Shift)> {
        self.problem.borrow_mut().hessian(&self.x, &self.lambda, self.kkt.hessian_mut());
        let shift = self.kkt.factor_convex(&self.sigma(), self.mu)?;
        let direction = self.solve(self.c.clone())?;
        Some((direction, shift))
    }

    /// The step towards c(x) = 0 with `c` in its place.
    fn solve(&mut self, c: Vec<f64>) -> Option<SearchDirection> {
        let n = self.x.len();
        let mut right = self.barrier_gradient();
        self.add_multiplied(&mut right);
        right.extend(c);
        for value in &mut right {
            *value = -*value;
        }
        self.kkt.solve(&mut right);
        if right.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let lambda = right.split_off(n);
        let dual = |z: f64, slack: f64, dx: f64| if slack.is_finite() { (self.mu - z * dx) / slack - z } else { 0.0 };
        let z_lower = (0..n).map(|i| dual(self.z_lower[i], self.x[i] - self.lower[i], right[i])).collect();
        let z_upper = (0..n).map(|i| dual(self.z_upper[i], self.upper[i] - self.x[i], -right[i])).collect();
        Some(SearchDirection { x: right, lambda, z_lower, z_upper })
    }

    fn solution(mut self, status: NlpStatus) -> NlpSolution {
        let curvature = (status == NlpStatus::Solved)
            .then(|| {
                self.problem.borrow_mut().hessian(&self.x, &self.lambda, self.kkt.hessian_mut());
                let (sigma, metric) = (self.sigma(), self.problem.borrow().metric());
                self.kkt.curvature(&sigma, &metric)
            })
            .flatten();
        let point = Multiplied { y: &self.x, lambda: &self.lambda, z_lower: &self.z_lower, z_upper: &self.z_upper };
        self.problem.borrow_mut().solution(&point, SolverEnd { status, last: self.line, curvature })
    }
}
