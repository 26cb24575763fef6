//! What can be said about a system before it is simulated: what it conserves, where it is singular, how it is built.

mod calculus;
mod conserved;
mod contact;
mod control;
mod families;
mod flow;
mod generators;
mod jets;
mod jumps;
mod lift;
mod linear;
mod naming;
mod poisson;
mod real;
mod reduced;
mod refutation;
mod search;
mod singular;
mod structure;

pub(crate) use calculus::potential;
pub use conserved::{
    Conservation, ConservedQuantities, ConservedQuantity, Parameters, Proof, Symmetry, Theorem, conservation,
    conserved_quantities,
};
pub use contact::{DissipatedQuantity, dissipated_quantities, is_dissipated};
pub use control::{ControlRegularity, control_regularity, primary_rank, state_control_regularity};
pub use families::FamilyKind;
pub(crate) use flow::dense;
pub use flow::{Flow, FlowSampler, independent_constraints};
pub use jets::Jets;
pub use linear::SmallMotion;
pub use poisson::{BracketDependence, Casimir, PoissonStructure, poisson_structure};
pub(crate) use real::vanishes_nowhere;
pub use reduced::FirstOrderSystem;
pub use search::{SearchBounds, SearchSpace};

pub use singular::{ChainVerdict, ConstraintChain, Regularity, constraint_algorithm, is_singular, regularity};
pub(crate) use singular::{determinant, generic_rank};
pub use structure::{Gauge, PotentialForce, SystemStructure, structure};
