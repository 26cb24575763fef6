//! Very many motions side by side: a table of members in the memory of a device, a column for each number that a member has.
//!
//! Everything a member needs is done there: its start, what is observed of it, Newton's method for the first step, the steps while the
//! history grows, and all others, each by a kernel that goes through the table. The kernels are printed from the same programs that a
//! [`Marcher`](crate::Marcher) runs, and between them stand small formulas ([`TableFormulas`]); so the bits are the same. A member for which
//! something does not work out the usual way is no longer *well*: it is left to a marcher.

mod block;
mod formula;
mod linear;
mod march;
mod newton;
mod table;

use extremal_eval::CompileError;
use extremal_eval::ptx::KernelRefusal;
use thiserror::Error;

pub use block::WideKernel;
pub use formula::{FormulaKernel, TableFormulas};
pub use march::{KnownParameters, WideMarch, WideMotion, WidePlaces};
pub use table::{MemberTable, TableKernel, TableKernels};

/// Why a table cannot take motions.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum WideRefusal {
    #[error("a step is not one straight-line program: it solves too many equations together, or is too long")]
    Steps,
    #[error("steps were not prepared for a device")]
    Unprepared,
    #[error("{what} solves {unknowns} equations together, or in turn, which a thread does not")]
    Solves { what: &'static str, unknowns: usize },
    #[error(transparent)]
    Kernel(#[from] KernelRefusal),
    #[error(transparent)]
    Compile(#[from] CompileError),
}
