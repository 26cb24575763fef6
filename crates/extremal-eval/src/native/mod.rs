//! Machine code for x86-64 and aarch64, from the same program the tape runs and with the same bits.
//!
//! `order` gathers the calls of elementary functions, `registers` decides what is where, `emit` turns operations into
//! instructions, `calls` holds the functions that are called, `sines` writes out those that are called most. What differs from
//! processor to processor is in `x86` and `a64`: an `Assembler` that turns instructions into bytes, with the same methods in both,
//! and a `CodeTarget` that says what there is to work with. The tape is the measure: every test compares with it.
//!
//! # Safety
//! Emitted code reads and writes only the memory it was laid out for (`Native::memory` groups of lanes at the first address)
//! and writes as many results as the entry has outputs at the second; it calls only the functions of `calls`. It needs the
//! processor features of its `CodeTarget`, which are tested before anything is emitted. Its pages are written first and made
//! executable afterwards, never both at once.
#![allow(unsafe_code)]

/// A function that is called, or calls, as emitted code does.
#[cfg(target_arch = "x86_64")]
macro_rules! emitted {
    ($($function:tt)*) => { unsafe extern "sysv64" $($function)* };
}
#[cfg(target_arch = "aarch64")]
macro_rules! emitted {
    ($($function:tt)*) => { unsafe extern "C" $($function)* };
}

#[cfg(target_arch = "aarch64")]
#[path = "a64/mod.rs"]
mod processor;
#[cfg(target_arch = "x86_64")]
#[path = "x86/mod.rs"]
mod processor;

mod array_loops;
mod calls;
mod converging;
mod emit;
mod looping;
mod operand;
mod order;
mod registers;
mod sines;

use memmap2::{Mmap, MmapMut};

use crate::program::{Backend, NativeSource};
use crate::slots::MemorySlot;

use emit::{BlockSource, Emitter, PATTERNS};
use processor::{CodeTarget, publish};

pub(crate) use array_loops::ArrayLoops;

/// Blocks of a program in executable memory.
pub(crate) struct Native {
    code: Mmap,
    entries: Vec<usize>,
    commits: Vec<Option<usize>>,
    feedback: Option<usize>,
    traced: Option<usize>,
    converging: Vec<usize>,
    /// Slots a machine needs, and the first of those that hold bit patterns.
    memory: usize,
    patterns: usize,
    lanes: usize,
    backend: Backend,
}

/// A block: memory, and where its outputs go.
type EntryFunction = emitted!(fn(*mut f64, *mut f64));
/// Memory, nothing or where the trace goes, the number of rounds; returns how many of them are left.
type LoopFunction = emitted!(fn(*mut f64, *mut f64, u64) -> u64);

/// Pages to be executed.
fn executable(bytes: &[u8]) -> Option<Mmap> {
    let mut code = MmapMut::map_anon(bytes.len().max(1)).ok()?;
    code[..bytes.len()].copy_from_slice(bytes);
    let code = code.make_exec().ok()?;
    publish(&code);
    Some(code)
}

/// Asks the system for large pages for these numbers, which were not written yet. It may have none, or not know of any.
pub(crate) fn lie_in_large_pages(numbers: &mut [f64]) {
    #[cfg(target_os = "linux")]
    {
        /// Advice is for whole pages; those of this size are whole ones wherever there are larger ones.
        const PAGE: usize = 1 << 16;
        let bytes = std::mem::size_of_val(numbers);
        let first = numbers.as_mut_ptr();
        let before = first.cast::<u8>().align_offset(PAGE);
        if let Some(whole) = bytes.checked_sub(before).map(|rest| rest - rest % PAGE).filter(|whole| *whole > 0) {
            // SAFETY: the pages belong to these numbers, and what is in them does not change.
            unsafe { libc::madvise(first.cast::<u8>().add(before).cast(), whole, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = numbers;
}

impl Native {
    /// Compiles for `lanes` numbers side by side; `None` where the machine cannot run it, or distances do not fit instructions.
    pub fn compile(blocks: &NativeSource<'_>, backend: Backend, lanes: usize) -> Option<Native> {
        let target = CodeTarget::of(backend, lanes)?;
        let mut emitter = Emitter::new(target, blocks.fixed, blocks.first_free as MemorySlot);
        emitter.registers.spread(blocks.spreads);
        let commits = blocks
            .commits
            .iter()
            .map(|block| {
                let kept: Vec<_> = block.results.iter().map(|value| (*value, blocks.fixed[value.index()])).collect();
                let source = BlockSource { steps: &block.steps, outputs: &[], kept: &kept };
                (!block.steps.is_empty()).then(|| emitter.block(&source))
            })
            .collect();
        let entries = blocks
            .entries
            .iter()
            .map(|(block, outputs)| emitter.block(&BlockSource { steps: &block.steps, outputs, kept: &[] }))
            .collect();
        let feedback = match (blocks.feedback, &blocks.entries[..]) {
            (Some(feedback), [(block, outputs)]) => Some(emitter.looping(&block.steps, outputs, feedback, false)),
            _ => None,
        };
        let traced = match (blocks.feedback.filter(|feedback| feedback.traced > 0 && lanes == 1), &blocks.entries[..]) {
            (Some(feedback), [(block, outputs)]) => Some(emitter.looping(&block.steps, outputs, feedback, true)),
            _ => None,
        };
        let first_converging = blocks.first_converging as MemorySlot;
        let converging = blocks.entries[..blocks.converging]
            .iter()
            .map(|(block, outputs)| emitter.converging(&block.steps, outputs, first_converging))
            .collect();
        let (bytes, memory) = emitter.finish()?;
        let patterns = blocks.first_free;
        Some(Native {
            code: executable(&bytes)?,
            entries,
            commits,
            feedback,
            traced,
            converging,
            memory,
            patterns,
            lanes,
            backend,
        })
    }

    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Slots of memory a machine needs.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Writes the bit patterns that instructions need.
    pub fn prepare(&self, memory: &mut [f64]) {
        for (at, pattern) in PATTERNS.iter().enumerate() {
            let first = (self.patterns + at) * self.lanes;
            memory[first..first + self.lanes].fill(f64::from_bits(*pattern));
        }
    }

    /// Computes what later tiers need of this one.
    #[inline]
    pub fn commit(&self, tier: usize, memory: &mut [f64]) {
        assert!(memory.len() >= self.memory * self.lanes, "the memory of another program");
        if let Some(offset) = self.commits[tier] {
            // SAFETY: the memory is large enough; a commit writes no results.
            unsafe { self.function(offset)(memory.as_mut_ptr(), std::ptr::null_mut()) };
        }
    }

    /// Runs an entry, which has `out.len()` outputs for all lanes together.
    #[inline]
    pub fn run(&self, entry: usize, memory: &mut [f64], out: &mut [f64]) {
        assert!(memory.len() >= self.memory * self.lanes, "the memory of another program");
        // SAFETY: the memory is large enough, and the caller has compared the number of outputs.
        unsafe { self.function(self.entries[entry])(memory.as_mut_ptr(), out.as_mut_ptr()) };
    }

    /// Goes round at most `times`; returns how often.
    pub fn repeat(&self, times: u64, memory: &mut [f64]) -> u64 {
        match self.feedback {
            Some(offset) if times > 0 => times - self.rounds_left(offset, times, memory, std::ptr::null_mut()),
            _ => 0,
        }
    }

    /// The same; every round writes to the columns of a trace, which the caller has measured.
    pub fn repeat_traced(&self, times: u64, memory: &mut [f64], trace: &mut [f64]) -> u64 {
        match self.traced {
            Some(offset) if times > 0 => times - self.rounds_left(offset, times, memory, trace.as_mut_ptr()),
            _ => 0,
        }
    }

    /// Goes round at most `times`, until the condition of an entry holds; returns how often, if it does.
    #[inline]
    pub fn converge(&self, entry: usize, times: u64, memory: &mut [f64]) -> Option<u64> {
        match times {
            0 => None,
            _ => {
                let left = self.rounds_left(self.converging[entry], times, memory, std::ptr::null_mut());
                times.checked_sub(left)
            }
        }
    }

    /// Goes round; returns how many rounds are left, more than there were if it did not converge.
    #[inline]
    fn rounds_left(&self, offset: usize, times: u64, memory: &mut [f64], trace: *mut f64) -> u64 {
        assert!(memory.len() >= self.memory * self.lanes, "the memory of another program");
        // SAFETY: the memory is large enough, and the block at this offset is a loop, so it takes a count.
        let rounds = unsafe { std::mem::transmute::<EntryFunction, LoopFunction>(self.function(offset)) };
        unsafe { rounds(memory.as_mut_ptr(), trace, times) }
    }

    #[inline]
    fn function(&self, offset: usize) -> EntryFunction {
        // SAFETY: a block begins at the offset, and it has this signature.
        unsafe { std::mem::transmute::<*const u8, EntryFunction>(self.code.as_ptr().add(offset)) }
    }
}
