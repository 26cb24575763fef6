//! The geometry behind the motion: forms on the phase space, what the motion does to them, and symmetries beyond the configurations.

mod forms;
mod lifted;
mod phase;
mod verdict;

pub use forms::{OneForm, TwoForm};
pub use lifted::LiftedField;
pub use phase::{GeometricStatement, NoPhaseGeometry, PhaseGeometry};
pub(crate) use verdict::exponent_symbols;
pub use verdict::{IdentityVerdict, ZeroJudge};
