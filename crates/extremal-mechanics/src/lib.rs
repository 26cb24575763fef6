//! Model to equations: continuous mechanics, discrete schemes; all symbolic.

pub mod analysis;
mod block;
pub mod boundary;
mod constraint;
pub mod continuous;
mod dense;
pub mod discrete;
pub mod geometry;
mod manifold;
mod momentum_flow;
mod nested;
mod of_model;
mod pairs;
mod saddle;
mod system;

pub use block::{Block, Meaning, Reduced, Solve, SparseRows};
pub use constraint::Constraint;
pub use manifold::FinalManifold;
pub use momentum_flow::MomentumFlow;
pub use pairs::{ForceStage, PairSum, StagedFormulas, summands};
pub use system::{Point, System};
