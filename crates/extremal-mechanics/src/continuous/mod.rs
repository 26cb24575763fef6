//! Continuous mechanics: equations of motion, momenta and energy, the kinetic split, Hamilton's form.

mod hamilton;
mod kinetic;
mod lagrange;

pub use hamilton::Hamiltonian;
pub use kinetic::{Christoffel, KineticSplit};
