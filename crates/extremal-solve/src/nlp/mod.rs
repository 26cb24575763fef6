//! Nonlinear programs: minimise f(x) where c(x) and x stay within bounds, or find where f + λ·c is stationary.
//!
//! [`Nlp`] is what a problem has to provide; nothing in it belongs to a solver. [`minimise`] is a primal–dual interior point
//! method with a filter line search and a restoration phase (Wächter and Biegler 2006); without bounds it is Newton's method on
//! the optimality conditions, with the inertia of their matrix corrected so that it goes downhill. [`stationary`] is Newton's
//! method on the same conditions without correction: it finds minima and saddles alike, and says which.

mod assembled;
mod interior;
mod kkt;
mod nearest;
mod standard;
mod stationary;

use std::ops::ControlFlow;

pub use assembled::Assembled;
pub use interior::minimise;
pub use nearest::Nearest;
pub use stationary::stationary;

/// Bounds of variables and constraints; an infinite one is none, equal ones fix a variable or make an equation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NlpBounds {
    /// Lower bound of each variable.
    pub lower: Vec<f64>,
    /// Upper bound of each variable.
    pub upper: Vec<f64>,
    /// Lower bound of each constraint.
    pub constraint_lower: Vec<f64>,
    /// Upper bound of each constraint.
    pub constraint_upper: Vec<f64>,
}

/// A nonlinear program: functions, first and second derivatives, and where the derivatives are not zero.
///
/// Values of a derivative are written in the order of its pattern; entries in the same place add up. Functions take `&mut self`
/// because evaluation needs memory; they must depend on their arguments alone.
pub trait Nlp {
    /// The bounds, which also tell how many variables and constraints there are.
    fn bounds(&self) -> NlpBounds;
    /// Constraint and variable of each entry of the Jacobian.
    fn jacobian_pattern(&self) -> Vec<(usize, usize)>;
    /// Two variables for each entry of the Hessian of the Lagrangian, of which only one triangle is given.
    fn hessian_pattern(&self) -> Vec<(usize, usize)>;
    /// f(x).
    fn objective(&mut self, x: &[f64]) -> f64;
    /// ∇f(x).
    fn gradient(&mut self, x: &[f64], out: &mut [f64]);
    /// c(x).
    fn constraints(&mut self, x: &[f64], out: &mut [f64]);
    /// ∂c/∂x.
    fn jacobian(&mut self, x: &[f64], out: &mut [f64]);
    /// ∂²(σ f + λ·c)/∂x².
    fn hessian(&mut self, x: &[f64], sigma: f64, lambda: &[f64], out: &mut [f64]);
    /// Weights by which displacements of the variables are measured: [`Curvature::least`] is relative to them.
    fn metric(&self) -> Vec<f64> {
        vec![1.0; self.bounds().lower.len()]
    }
    /// May the functions be used at this point? Solvers stay where they may.
    fn is_inside(&mut self, _x: &[f64]) -> bool {
        true
    }
}

/// When a solver is content, and when it gives up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NlpOptions {
    /// The largest error accepted in the (scaled) optimality conditions.
    pub tolerance: f64,
    /// Iterations before giving up.
    pub max_iterations: usize,
    /// The barrier parameter at the start: smaller for a start near the solution.
    pub barrier: f64,
}

impl Default for NlpOptions {
    fn default() -> Self {
        NlpOptions { tolerance: 1e-10, max_iterations: 500, barrier: 0.1 }
    }
}

/// How a solver ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NlpStatus {
    /// A point that satisfies the optimality conditions.
    Solved,
    /// A point from which the violation of the constraints cannot be lessened, though it is not zero.
    Infeasible,
    /// The objective falls without end.
    Unbounded,
    /// A function is not finite at the start, or may not be used there.
    NotFinite,
    /// No further progress, for reasons of precision or degeneracy.
    Stalled,
    /// Too many iterations.
    IterationLimit,
    /// The caller asked.
    Interrupted,
}

/// One line of the log of a solver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Iteration {
    /// Its number.
    pub iteration: usize,
    /// f(x).
    pub objective: f64,
    /// The largest violation of a constraint.
    pub infeasibility: f64,
    /// The largest error in the gradient of the Lagrangian.
    pub dual_infeasibility: f64,
    /// The barrier parameter.
    pub barrier: f64,
    /// What was added to the Hessian.
    pub regularisation: f64,
    /// The fraction of the step that was taken.
    pub fraction: f64,
    /// Was it a step of the restoration phase?
    pub restoration: bool,
}

/// Called once an iteration; breaks to stop the solver.
pub type Watch<'w> = &'w mut dyn FnMut(&Iteration) -> ControlFlow<()>;

/// What the second variation on the constraints says of a stationary point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// All directions lead up.
    Minimum,
    /// All directions lead down.
    Maximum,
    /// So many independent directions lead down, others up.
    Saddle(usize),
    /// Some directions are flat to working precision, as along a symmetry.
    Flat {
        /// So many lead down.
        down: usize,
        /// So many are flat.
        flat: usize,
    },
    /// The constraints are dependent: nothing can be said.
    Dependent,
}

/// The second variation at a stationary point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curvature {
    /// Which directions lead up, which down.
    pub nature: Nature,
    /// The curvature nearest to zero along the constraints, relative to the [metric](Nlp::metric): how far the point is from
    /// being of another nature.
    pub least: f64,
}

/// Where a solver ended.
#[derive(Clone, Debug)]
pub struct NlpSolution {
    /// How.
    pub status: NlpStatus,
    /// The variables.
    pub x: Vec<f64>,
    /// Multipliers of the constraints: f + λ·c is stationary.
    pub lambda: Vec<f64>,
    /// Multipliers of lower bounds, not negative.
    pub lower_multipliers: Vec<f64>,
    /// Multipliers of upper bounds, not negative.
    pub upper_multipliers: Vec<f64>,
    /// f(x).
    pub objective: f64,
    /// c(x).
    pub constraints: Vec<f64>,
    /// Iterations taken, those of the restoration phase included.
    pub iterations: usize,
    /// The last line of the log.
    pub last: Iteration,
    /// What kind of point it is; `None` if it was not reached.
    pub curvature: Option<Curvature>,
}

/// Where a solver starts: variables, and multipliers if there are any to start from.
#[derive(Clone, Copy, Debug)]
pub struct NlpStart<'a> {
    /// One per variable.
    pub x: &'a [f64],
    /// One per constraint, or none.
    pub lambda: &'a [f64],
    /// Those of lower and of upper bounds, where the start is the solution of a program that is nearly the same: the solver then
    /// stays near it.
    pub bound_multipliers: Option<[&'a [f64]; 2]>,
}
