//! Why a model cannot be run.

use extremal_eval::CompileError;
use extremal_mechanics::discrete::SchemeError;
use extremal_trajectory::ColumnsError;
use thiserror::Error;

use super::{ConstraintError, SensitivityError, SettingsError};

/// Why a run could not be set up.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SetupError {
    /// Derivatives that are not known.
    #[error(transparent)]
    Sensitivity(#[from] SensitivityError),
    /// The settings do not fit.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The method does not fit the model.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// A boundary problem that leaves open where a coordinate starts.
    #[error("the model is a boundary problem and does not say where `{coordinate}` starts")]
    NoStart {
        /// The coordinate.
        coordinate: String,
    },
    /// Two recorded quantities have one name.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    /// A column that is asked for by a name that nothing has.
    #[error("no column, definition or error is named `{name}`; {help}")]
    UnknownColumn {
        /// The name.
        name: String,
        /// What there is.
        help: String,
    },
    /// The formulas do not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A symmetry of velocities and entropies whose quantity is not known.
    #[error(
        "the symmetry `{symmetry}` has nothing to be recorded: no f with df = L_X(p*dq) was found; `extremal analyze` says whether there \
         is one, and a quantity of your own belongs into [invariants]"
    )]
    NoQuantity {
        /// The symmetry.
        symmetry: String,
    },
    /// The Lagrangian does not determine the motion at the start.
    #[error(
        "the Lagrangian is singular at the start: its mass matrix d2L/dv2{} has no inverse and leaves the acceleration of \
         `{coordinate}` undetermined{}",
        if *.bordered { ", bordered by the constraints," } else { "" },
        .verdict.as_ref().map_or_else(String::new, |verdict| format!("; {verdict}")),
    )]
    Singular {
        /// The coordinate of the failing pivot.
        coordinate: String,
        /// Are there constraints?
        bordered: bool,
        /// What the constraint algorithm says about it, where it was asked.
        verdict: Option<String>,
    },
    /// The Lagrangian does not determine its highest derivatives from their momenta at the start.
    #[error(
        "the Lagrangian is singular at the start: its second derivatives by the highest ones have no inverse and leave \
         `{derivative}` undetermined"
    )]
    SingularHigher {
        /// The derivative of the failing pivot.
        derivative: String,
    },
    /// The equations do not determine a multiplier at the start.
    #[error(
        "the constraints do not determine their multipliers at the start: the mass matrix bordered by them has no inverse and \
         leaves the multiplier of `{constraint}` undetermined"
    )]
    SingularMultiplier {
        /// The constraint of the failing pivot.
        constraint: String,
    },
    /// A start at which a vakonomic constraint, for its multiplier is zero, does not give velocities their mass.
    #[error(
        "the multiplier of the vakonomic constraint `{constraint}` starts at 0, and there the equations do not determine the motion: \
         only its term in L + lambda*Phi does; state `multiplier = ...` for it"
    )]
    MultiplierAtZero {
        /// The constraint.
        constraint: String,
    },
    /// Momenta that nowhere determine the motion.
    #[error(
        "momenta do not determine the motion: the second derivatives of the unified Hamiltonian by {hidden} have rank {rank}, not {size}"
    )]
    MomentaUndetermined {
        /// What has no rate of its own.
        hidden: String,
        /// The rank at a generic state.
        rank: usize,
        /// How many there are.
        size: usize,
    },
    /// Momenta that do not determine the motion at the start.
    #[error("the momenta at the start determine no {hidden}: {reason}")]
    MomentaAtStart {
        /// What has no rate of its own.
        hidden: String,
        /// Why Newton's method did not find it.
        reason: String,
    },
    /// Events of a motion that does not begin with velocities.
    #[error(
        "events change velocities: a run with [events] starts from these, not from several positions; leave `start` out"
    )]
    EventStart,
    /// An impact on momenta that are coordinates, or that constraints change which are imposed before the variation.
    #[error(
        "the impact `{event}` throws velocities back, and here momenta move by themselves: state a Lagrangian of velocities, or what becomes \
         of the state by `when` and `set`"
    )]
    ImpactOnMomenta {
        /// Its name.
        event: String,
    },
    /// An impact where momenta are not affine in the velocities.
    #[error(
        "the impact `{event}` needs a kinetic energy that is quadratic in the velocities: with another, what is left of the speed does not \
         say what is left of the energy; state what becomes of the velocities by `when` and `set`"
    )]
    ImpactNotQuadratic {
        /// Its name.
        event: String,
    },
    /// Methods compared where events change the state.
    #[error(
        "methods are compared along motions without events, and the model has [events]: leave them out, or run it with several steps"
    )]
    ComparedEvents,
    /// The constraints do not fit.
    #[error(transparent)]
    Constraints(#[from] ConstraintError),
}
