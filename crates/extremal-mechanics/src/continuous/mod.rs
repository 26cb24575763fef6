//! Continuous mechanics: equations of motion, momenta and energy, the kinetic split, Hamilton's form.

mod hamilton;
mod heat;
mod kinetic;
mod lagrange;

pub use hamilton::Hamiltonian;
pub use heat::{Account, Friction, Heat};
pub use kinetic::{Christoffel, KineticSplit};
