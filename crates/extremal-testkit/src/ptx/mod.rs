//! An interpreter of PTX: of exactly the part that `extremal_eval::ptx` prints, read from the text alone. What is not of that part,
//! registers that nobody declared or wrote, operands of another type and addresses outside of what was allocated are problems.
//!
//! ```
//! use extremal_testkit::ptx::{KernelArgument, DeviceMemory, PtxModule};
//!
//! let text = ".version 7.0\n.target sm_70\n.address_size 64\n\
//!     .visible .entry twice(\n\t.param .u64 place\n)\n{\n\t.reg .b64 %l<1>;\n\t.reg .f64 %d<2>;\n\
//!     \tld.param.u64 %l0, [place];\n\tld.global.f64 %d0, [%l0];\n\tadd.rn.f64 %d1, %d0, %d0;\n\
//!     \tst.global.f64 [%l0], %d1;\n\tret;\n}\n";
//! let module = PtxModule::parse(text)?;
//! let mut memory = DeviceMemory::default();
//! let place = memory.put(&[1.5]);
//! module.launch("twice", 1, 1, &[KernelArgument::Long(place)], &mut memory)?;
//! assert_eq!(memory.numbers(place, 1), [3.0]);
//! # Ok::<(), extremal_testkit::ptx::PtxProblem>(())
//! ```

mod instructions;
mod memory;
mod read;
mod thread;

use std::collections::HashMap;
use std::fmt;

pub use memory::DeviceMemory;

use instructions::PtxStep;

/// What is wrong with a text, or with what it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PtxProblem(pub String);

impl fmt::Display for PtxProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PtxProblem {}

pub(crate) fn problem<T>(text: impl Into<String>) -> Result<T, PtxProblem> {
    Err(PtxProblem(text.into()))
}

/// What a kernel is given.
#[derive(Clone, PartialEq, Debug)]
pub enum KernelArgument {
    /// `.u64`: an address or a count.
    Long(u64),
    /// `.u32`: a count.
    Word(u32),
    /// `.b8[8 n]`: numbers.
    Numbers(Vec<f64>),
}

/// What a kernel declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum KernelParameter {
    Long,
    Word,
    Bytes(usize),
}

/// Instructions, and how many registers they use.
struct PtxCode {
    steps: Vec<PtxStep>,
    registers: usize,
    /// For functions: the registers of the arguments, and of the result.
    arguments: Vec<u32>,
    result: Option<u32>,
}

struct KernelCode {
    code: PtxCode,
    parameters: Vec<(String, KernelParameter)>,
}

/// A module that was read.
pub struct PtxModule {
    kernels: HashMap<String, KernelCode>,
    functions: Vec<PtxCode>,
    /// Numbers beside the functions, at their addresses.
    constants: DeviceMemory,
}

impl PtxModule {
    /// Reads a text.
    ///
    /// # Errors
    /// It contains something else than what is printed.
    pub fn parse(text: &str) -> Result<PtxModule, PtxProblem> {
        read::module(text)
    }

    /// The names of the kernels, in no order.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.kernels.keys().map(String::as_str)
    }

    /// Runs all threads, one after the other.
    ///
    /// # Errors
    /// There is no such kernel, the arguments are others, or a thread does what it must not.
    pub fn launch(
        &self,
        name: &str,
        blocks: u32,
        threads: u32,
        arguments: &[KernelArgument],
        memory: &mut DeviceMemory,
    ) -> Result<(), PtxProblem> {
        let Some(kernel) = self.kernels.get(name) else { return problem(format!("no kernel {name}")) };
        let kinds = arguments.iter().map(|argument| match argument {
            KernelArgument::Long(_) => KernelParameter::Long,
            KernelArgument::Word(_) => KernelParameter::Word,
            KernelArgument::Numbers(numbers) => KernelParameter::Bytes(8 * numbers.len()),
        });
        if !kinds.eq(kernel.parameters.iter().map(|(_, kind)| *kind)) {
            return problem(format!("{name} is given other arguments than {:?}", kernel.parameters));
        }
        let mut stack = thread::RegisterFile::default();
        for block in 0..blocks {
            for thread in 0..threads {
                let place = [block, threads, thread];
                thread::run(self, &kernel.code, arguments, place, memory, &mut stack)
                    .map_err(|problem| PtxProblem(format!("{name}, block {block}, thread {thread}: {problem}")))?;
            }
        }
        Ok(())
    }
}
