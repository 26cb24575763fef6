//! What a user must know about the results of a run that came to its end: audits that failed, motions that were not resolved.

use std::fmt;

use extremal_trajectory::sig;

/// A reason to mistrust what was computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// An energy that nothing should change has changed.
    Energy {
        /// When it first was off by more than a tenth of its scale.
        time: f64,
        /// The largest departure from its first value.
        off: f64,
        /// What that is measured against: the larger of the first energy and the mean kinetic energy.
        scale: f64,
    },
    /// The first law is broken.
    FirstLaw {
        /// The largest defect relative to the largest energy.
        relative: f64,
        /// Does the method promise to keep it?
        promised: bool,
    },
    /// Entropy was destroyed.
    SecondLaw {
        /// The least production in one step.
        least: f64,
        /// How much entropy was moved and made in all.
        size: f64,
    },
    /// A constraint does not hold any more.
    Constraint {
        /// Its name.
        name: String,
        /// The largest difference of its sides.
        residual: f64,
        /// The size of its terms at the start.
        size: f64,
    },
    /// Rows were wanted at times to which the motion did not come.
    NotReached {
        /// How many.
        times: usize,
        /// The first of them.
        first: f64,
    },
    /// A step is too long for what happens in it.
    Unresolved {
        /// When the first such step began.
        time: f64,
        /// Its size.
        step: f64,
        /// A step with which the same method follows the motion there, if one was found.
        resolving: Option<f64>,
    },
}

/// A conserved energy may be off by this part of its scale.
pub const ENERGY: f64 = 0.1;
/// A first law that a method promises may be off by this part of the largest energy; with other methods it is as good as an energy.
pub const FIRST_LAW: f64 = 1e-6;
/// In one step so much of the entropy that is moved and made in a run may be destroyed by the errors of the method.
pub const SECOND_LAW: f64 = 1e-6;
/// A constraint may be off by this part of the size of its terms.
pub const CONSTRAINT: f64 = 1e-3;

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Energy { time, off, scale } => write!(
                f,
                "the energy should be conserved and is off by {off:.3e}, which is {:.0} % of its scale {scale:.3e}, from \
                 t = {} on: take a smaller step or another method",
                100.0 * off / scale,
                sig(*time, 6),
            ),
            Warning::FirstLaw { relative, promised } => write!(
                f,
                "the first law is off by {relative:.3e} of the energy{}: take a smaller step",
                if *promised { ", though the method promises it" } else { "" }
            ),
            Warning::SecondLaw { least, size } => write!(
                f,
                "a step destroys the entropy {:.3e}, of {size:.3e} that are moved and made: matter or heat flows against what \
                 drives it, or the step is too long",
                -least
            ),
            Warning::Constraint { name, residual, size } => write!(
                f,
                "the constraint `{name}` is off by {residual:.3e}, with terms of size {size:.3e}: take a smaller step, or a \
                 method that keeps constraints"
            ),
            Warning::NotReached { times: 1, first } => {
                write!(f, "the run ended before t = {}, at which a row was wanted", sig(*first, 9))
            }
            Warning::NotReached { times, first } => {
                write!(
                    f,
                    "the run ended before {times} of the times at which rows were wanted, from t = {} on",
                    sig(*first, 9)
                )
            }
            Warning::Unresolved { time, step, resolving } => {
                let (time, step) = (sig(*time, 6), sig(*step, 6));
                write!(
                    f,
                    "from t = {time} on steps of {step} do not resolve the motion: what follows is not what the equations say"
                )?;
                match resolving {
                    Some(step) => write!(f, "; there a step of {} would", sig(*step, 2)),
                    None => Ok(()),
                }
            }
        }
    }
}
