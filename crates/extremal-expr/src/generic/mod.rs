//! Exact arithmetic at generic points: identities are tested, ranks and null spaces found, without round-off.
//!
//! Expressions are evaluated in a finite [`Field`] where elementary functions keep their algebra: sines and cosines are points of
//! the circle `c² + s² = 1` that multiply when arguments add, exponentials are positive numbers that do, roots are roots. Anything
//! else (logarithms, inverse functions) is a number of its own. An identity that holds at a random point of the field holds, but
//! for a probability of about its degree over 2^62, for the functions themselves. The converse may fail: an identity that
//! rests on more than this algebra is not seen.

mod field;
mod linear;
mod point;
mod prepare;
mod stages;
mod zero;

pub use field::{Field, Residue};
pub use linear::{Echelon, Matrix, VectorSpace};
pub use point::{Generic, GenericPoint};
pub use zero::real_points;
