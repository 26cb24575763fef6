//! Continuous mechanics: equations of motion, momenta and energy, the kinetic split, Hamilton's form.

mod contact;
mod dry;
mod hamilton;
mod heat;
mod integrability;
mod jump;
mod kinetic;
mod lagrange;
mod nonholonomic;
mod poisson;
mod ports;
mod projection;
mod routh;
mod short_kinetic;
mod solved;
mod unified;

use extremal_expr::elimination;

pub use contact::LOG_FACTOR;
pub use dry::Dry;
pub(crate) use dry::{clamped, sticks};
pub(crate) use elimination::{solve_affine, solve_linear};
pub use hamilton::Hamiltonian;
pub use heat::{Account, Friction, Heat, RateLaw};
pub use integrability::PfaffianForm;
pub use jump::StateJump;
pub use kinetic::{Christoffel, KineticSplit};
pub use nonholonomic::ReducedMotion;
pub use poisson::PoissonBrackets;
pub use ports::Port;
pub use routh::{ReductionError, Routhian};
pub use unified::UnifiedProblem;
