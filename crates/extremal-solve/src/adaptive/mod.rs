//! Adaptive reference integrators for `y' = f(t, y)`: DOPRI5 and DOP853 of Hairer, Nørsett and Wanner.
//!
//! They know nothing of mechanics and preserve no structure; structured methods are measured against them.

mod dense;
mod integrator;
mod obstacle;
mod rates;
mod sizes;
mod tableau;
#[cfg(test)]
mod tests;
mod whole;

pub use integrator::AdaptiveIntegrator;
pub use obstacle::Obstacle;
pub(crate) use rates::{StepBegin, StepRates};
use tableau::{DOP853, DOPRI5, EmbeddedTableau};
pub(crate) use whole::WholeStep;

/// An embedded Runge-Kutta method with dense output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdaptiveMethod {
    /// Dormand and Prince, order 5 with error estimate of order 4; dense output of order 4.
    Dopri5,
    /// Dormand and Prince, order 8 with error estimates of orders 5 and 3; dense output of order 7.
    Dop853,
}

impl AdaptiveMethod {
    fn tableau(self) -> &'static EmbeddedTableau {
        match self {
            Self::Dopri5 => &DOPRI5,
            Self::Dop853 => &DOP853,
        }
    }

    /// The order of convergence.
    pub fn order(self) -> u8 {
        self.tableau().order
    }
}

/// What the step-size control aims for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveOptions {
    /// The error of a step should stay below this part of each component's size,
    pub relative_tolerance: f64,
    /// plus this; not used by an integrator that goes [by sizes](AdaptiveIntegrator::by_sizes).
    pub absolute_tolerance: f64,
    /// Steps that may be tried in all, accepted or not, unless [more are allowed](AdaptiveIntegrator::allow).
    pub max_steps: u64,
}

impl Default for AdaptiveOptions {
    /// Close to what double precision allows: both tolerances 1e-13, ten million steps.
    fn default() -> Self {
        Self { relative_tolerance: 1e-13, absolute_tolerance: 1e-13, max_steps: 10_000_000 }
    }
}

/// Work done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AdaptiveWork {
    /// Steps taken.
    pub accepted: u64,
    /// Steps tried in vain.
    pub rejected: u64,
    /// Evaluations of the right-hand side.
    pub evaluations: u64,
}

impl AdaptiveWork {
    /// Steps tried, with success or in vain.
    pub fn tried(&self) -> u64 {
        self.accepted + self.rejected
    }
}

/// Why an integration stopped; `E` is what the right-hand side and the output report.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AdaptiveError<E> {
    /// A tolerance is negative or not finite, or both are zero.
    #[error("tolerances must be at least zero and not both zero, not {relative} (relative) and {absolute} (absolute)")]
    Tolerances {
        /// The relative tolerance given.
        relative: f64,
        /// The absolute tolerance given.
        absolute: f64,
    },
    /// A time asked for is not finite, lies behind the one before it, or is not part of the step to interpolate in.
    #[error("time {time} is out of order")]
    Time {
        /// The time.
        time: f64,
    },
    /// The right-hand side failed at the start, or however short the step from `t` was made.
    #[error("the right-hand side cannot be evaluated at t = {t}: {cause}")]
    RightHandSide {
        /// Time reached.
        t: f64,
        /// What it reported.
        cause: E,
    },
    /// The right-hand side is not finite at the start.
    #[error("the right-hand side is not finite at t = {t}")]
    NotFinite {
        /// Time of the start.
        t: f64,
    },
    /// The error stays too large, however short the step: a singularity, or tolerances beyond the precision of the
    /// right-hand side.
    #[error(
        "step size {step:e} is too small to go on at t = {t}: a singularity, a force that jumps (friction that does is stated as dry \
         friction), or tolerances too tight"
    )]
    StepTooSmall {
        /// Time reached.
        t: f64,
        /// The step tried last.
        step: f64,
    },
    /// All steps allowed are used up.
    #[error(
        "{steps} steps, the most allowed, lead no further than t = {t}, where they are {step:.1e} long: {obstacle}"
    )]
    TooManySteps {
        /// Time reached.
        t: f64,
        /// Steps tried since they were allowed.
        steps: u64,
        /// Their length at the end.
        step: f64,
        /// What keeps them short.
        obstacle: Obstacle,
    },
    /// The output did not want any more.
    #[error("stopped at t = {t} by the output: {cause}")]
    Output {
        /// Time of the output.
        t: f64,
        /// What it reported.
        cause: E,
    },
}

/// Integrates from `t0` and hands the state at each of the `times` to `output`, by dense output; nothing is kept.
///
/// The steps depend on the last of the times, not on those between. To have the full accuracy of the method at every
/// output instead of that of its dense output, use [`AdaptiveIntegrator::advance_to`].
///
/// # Errors
/// See [`AdaptiveError`].
///
/// ```
/// use extremal_solve::{AdaptiveMethod, AdaptiveOptions, integrate};
///
/// let times = [0.0, 0.5, 1.0];
/// let mut decay = |_t: f64, y: &[f64], dy: &mut [f64]| Ok::<(), String>(dy[0] = -y[0]);
/// integrate(AdaptiveMethod::Dop853, AdaptiveOptions::default(), 0.0, &[1.0], &times, &mut decay, &mut |t, y| {
///     assert!((y[0] - (-t).exp()).abs() < 1e-12);
///     Ok(())
/// })?;
/// # Ok::<(), extremal_solve::AdaptiveError<String>>(())
/// ```
pub fn integrate<E>(
    method: AdaptiveMethod,
    options: AdaptiveOptions,
    t0: f64,
    y0: &[f64],
    times: &[f64],
    rhs: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    output: &mut impl FnMut(f64, &[f64]) -> Result<(), E>,
) -> Result<AdaptiveWork, AdaptiveError<E>> {
    let mut integrator = AdaptiveIntegrator::new(method, options, t0, y0);
    let Some(&end) = times.last() else { return Ok(integrator.work()) };
    let forwards = end >= t0;
    let mut before = t0;
    let mut state = vec![0.0; y0.len()];
    for &time in times {
        let in_order = if forwards { time >= before } else { time <= before };
        if !in_order {
            return Err(AdaptiveError::Time { time });
        }
        before = time;
        let passed = |reached: f64| if forwards { reached >= time } else { reached <= time };
        while !passed(integrator.time()) {
            integrator.step(end, rhs)?;
        }
        integrator.interpolate(time, rhs, &mut state)?;
        output(time, &state).map_err(|cause| AdaptiveError::Output { t: time, cause })?;
    }
    Ok(integrator.work())
}
