//! Text to a hash-consed expression graph with exact rationals; derivatives; printing. No physics.
//!
//! Expressions are simplified by construction ([`Graph`]); gradients are accumulated in reverse and Jacobians forward, so
//! the cost of a gradient is a small multiple of the cost of the function, whatever the number of variables.

mod affine;
mod angles;
mod build;
mod diff;
pub mod elementary;
pub mod elimination;
mod function;
pub mod generic;
mod graph;
mod identity;
mod magnitude;
mod nesting;
mod node;
pub mod print;
mod quotient;
mod rational;
mod simplify;
pub mod syntax;
mod table;

pub use angles::with_angles_apart;
pub use function::{Function, Function2};
pub use graph::{Expr, Graph};
pub use magnitude::{magnitude, magnitudes, round_offs};
pub use nesting::NestedSums;
pub use node::{Id, Node, Relation};
pub use quotient::SumQuotient;
pub use rational::Rational;
pub use table::{Interpolation, OutsideTable, PolynomialPiece, TableFunction, TablePieces, TableProblem};
