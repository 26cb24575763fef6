//! Continuous mechanics: equations of motion, momenta and energy, the kinetic split, Hamilton's form.

mod dry;
mod hamilton;
mod heat;
mod integrability;
mod kinetic;
mod lagrange;
mod projection;
mod short_kinetic;

pub use dry::Dry;
pub(crate) use dry::{clamped, sticks};
pub use hamilton::Hamiltonian;
pub(crate) use hamilton::solve_linear;
pub use heat::{Account, Friction, Heat};
pub use integrability::PfaffianForm;
pub use kinetic::{Christoffel, KineticSplit};
