//! Expression graph to straight-line programs and their evaluators. No physics.
//!
//! A [`Program`] holds several entry points (a residual, a residual with its Jacobian, the outputs of a step, ...) compiled
//! from one [`Graph`](extremal_expr::Graph), sharing every common sub-expression. Its inputs come in *tiers*, slowest
//! changing first; what depends on slow inputs only is computed when those are committed, not at every call.
//!
//! ```
//! use extremal_eval::{EntryPoint, Program};
//! use extremal_expr::Graph;
//!
//! let g = Graph::new();
//! let (k, x) = (g.symbol("k"), g.symbol("x"));
//! let force = -(k.sqrt() * x);
//! let program = Program::compile(
//!     &g,
//!     &[vec![k.id()], vec![x.id()]],
//!     &[EntryPoint { tier: 1, outputs: vec![force.id()] }],
//! )?;
//!
//! let mut machine = program.machine();
//! machine.inputs_mut(0)[0] = 9.0;
//! machine.commit(0); // takes the root, once
//! let mut out = [0.0];
//! for x in [1.0, 2.0] {
//!     machine.inputs_mut(1)[0] = x;
//!     machine.run(0, &mut out); // one multiplication
//!     assert_eq!(out, [-3.0 * x]);
//! }
//! # Ok::<(), extremal_eval::CompileError>(())
//! ```

mod arithmetic;
mod lattice;
mod lower;
mod machine;
#[cfg_attr(
    not(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "native")),
    path = "native/absent.rs"
)]
mod native;
mod op;
mod pairs;
mod program;
pub mod ptx;
mod schedule;
mod slots;
pub mod source;
mod ssa;
mod wide_tape;
mod widest;
mod zeros;

pub use lattice::{
    LatticeFormulas, LatticeMachine, LatticeProgram, LatticeRecurrence, NotFinite, RecurrenceMachine, Stopped,
};
pub use machine::Machine;
pub use op::{Instruction, Op};
pub use pairs::{PairMachine, PairProgram, PairwiseFormulas};
pub use program::{Backend, CompileError, EntryPoint, OpCounts, Program, Spread, TRACE_ROUNDS, TRACE_STRIDE, TRIES};
pub use ssa::{ValueDefinition, ValueId};
pub use widest::{Arch, on_widest_registers};
pub use zeros::zeros;
