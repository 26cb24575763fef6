//! What can be said about a system before it is simulated: what it conserves, where it is singular, how it is built.

mod calculus;
mod conserved;
mod flow;
mod generators;
mod lift;
mod naming;
mod search;
mod structure;

pub use conserved::{Conserved, ConservedQuantities, Parameters, Proof, Symmetry, Theorem, conserved_quantities};
pub use flow::{Flow, FlowSampler};
pub use structure::{Gauge, PotentialForce, Structure, structure};
pub use search::{SearchBounds, SearchSpace};
