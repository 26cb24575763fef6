//! Programs as PTX, the assembly of NVIDIA's GPUs, for one member of an ensemble per thread, with the bits of the tape.
//!
//! All members lie in one table of numbers, `table[column][member]`; a [`MemberLayout`] says where a kernel finds each input there, and
//! where it writes. A [`ThreadKernel`] runs an entry once ([`Program::kernel`](crate::Program::kernel)), or goes round a loop for as many steps as each member has
//! left ([`Program::loop_kernel`](crate::Program::loop_kernel)). A [`drawing`] computes the numbers by which members differ. [`module`] puts kernels and the functions that they call into one text, which the driver compiles.
//!
//! Every operation is one that IEEE 754 rounds and nothing is contracted, so that a GPU computes what the interpreter of tapes does. What
//! depends only on inputs that are the same for all members is computed once, before the launch ([`ThreadKernel::uniforms`]).
//!
//! # Parameters of a kernel
//!
//! | | type | |
//! |---|---|---|
//! | `table` | u64 | where the table begins on the device |
//! | `stride` | u64 | members from one column to the next |
//! | `list` | u64 | where the numbers (u32) of the members begin, one for each thread; 0 if thread t is member t |
//! | `threads` | u32 | threads that have work |
//! | `rounds` | u32 | at most so many rounds of a loop, other tries included |
//! | `counters` | u64 | where `counters[2][member]` (u32) begins: steps left, and tries of the present step; for entries 0, or only those members take part that have steps left |
//! | `uniforms` | `.b8[8 n]` | the numbers of [`ThreadKernel::uniforms`]; left out if there are none |
//!
//! ```
//! use extremal_eval::ptx::{MemberInput, MemberLayout, module};
//! use extremal_eval::{EntryPoint, Program};
//! use extremal_expr::Graph;
//!
//! let g = Graph::new();
//! let (k, x) = (g.symbol("k"), g.symbol("x"));
//! let force = -(k.sqrt() * x);
//! let entry = EntryPoint { tier: 1, outputs: vec![force.id()] };
//! let program = Program::compile(&g, &[vec![k.id()], vec![x.id()]], &[entry])?;
//!
//! // All members have the same k; x is in column 0, the force goes to column 1.
//! let inputs = vec![vec![MemberInput::Uniform], vec![MemberInput::Column(0)]];
//! let kernel = program.kernel("force", 0, &MemberLayout { inputs, outputs: vec![Some(1)] })?;
//! assert_eq!(kernel.uniforms(|_, _| 9.0), [-3.0]);
//! assert!(module(&[&kernel]).contains("mul.rn.f64"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arithmetic;
mod body;
mod drawn;
mod evaluation;
mod functions;
mod kernel;
mod place;
mod uniforms;

pub use drawn::{DrawnColumn, drawing};
pub use kernel::{KernelRefusal, MemberInput, MemberLayout, ThreadKernel, module};
