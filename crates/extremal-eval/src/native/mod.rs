//! Machine code for x86-64, from the same program the tape runs and with the same bits.
//!
//! `order` gathers the calls of elementary functions, `registers` decides what is where, `emit` turns operations into
//! instructions, `encoder` those into bytes, `calls` holds the functions that are called, `sines` writes out those that are called
//! most. The tape is the measure: every test
//! compares with it.
//!
//! # Safety
//! Emitted code reads and writes only the memory it was laid out for (`Native::memory` groups of lanes at the first address)
//! and writes as many results as the entry has outputs at the second; it calls only the functions of `calls`. It needs the
//! processor features of its `Target`, which are tested before anything is emitted. Its pages are written first and made
//! executable afterwards, never both at once.
#![allow(unsafe_code)]

mod calls;
mod control;
mod cycle;
mod emit;
mod encoder;
mod order;
mod registers;
mod settling;
mod sines;
mod sweep;

use memmap2::{Mmap, MmapMut};

use crate::program::{Backend, Cycle, SpreadSlot};
use crate::schedule::Block;
use crate::slots::Slot;
use crate::ssa::Value;

use emit::{Emitter, PATTERNS, Source, Target};
use encoder::Width;

pub(crate) use sweep::Sweep;

/// Blocks of a program in executable memory.
pub(crate) struct Native {
    code: Mmap,
    entries: Vec<usize>,
    commits: Vec<Option<usize>>,
    cycle: Option<usize>,
    settling: Vec<usize>,
    /// Slots a machine needs, and the first of those that hold bit patterns.
    memory: usize,
    patterns: usize,
    lanes: usize,
    backend: Backend,
}

/// What is to be compiled.
pub(crate) struct Blocks<'a> {
    pub commits: &'a [Block],
    pub entries: Vec<(&'a Block, &'a [Value])>,
    /// Places of inputs, constants and kept values.
    pub fixed: &'a [Slot],
    pub first_free: usize,
    /// How the program goes round, if it does.
    pub cycle: Option<Cycle>,
    /// So many entries go round until they have settled, and replace the inputs from this one on.
    pub settling: usize,
    pub first_settled: usize,
    /// Places that are read from a lane of another.
    pub spreads: &'a [SpreadSlot],
}

type Function = unsafe extern "sysv64" fn(*mut f64, *mut f64);
/// Memory, nothing, the number of rounds; returns how many of them are left.
type Rounds = unsafe extern "sysv64" fn(*mut f64, *mut f64, u64) -> u64;

/// What the code of a backend runs on, if this machine is one.
fn target(backend: Backend, lanes: usize) -> Option<Target> {
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    let avx512 = avx2
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    let width = match (backend, lanes) {
        (_, 1) => Width::One,
        (_, 4) => Width::Four,
        (Backend::Avx512, 8) => Width::Eight,
        (Backend::Avx512, 16) => Width::Sixteen,
        _ => return None,
    };
    match backend {
        Backend::Tape => None,
        Backend::Avx2 => avx2.then_some(Target { width, avx512: false }),
        Backend::Avx512 => avx512.then_some(Target { width, avx512: true }),
    }
}

impl Native {
    /// Compiles for `lanes` numbers side by side; `None` where the machine cannot run it, or distances do not fit instructions.
    pub fn compile(blocks: &Blocks<'_>, backend: Backend, lanes: usize) -> Option<Native> {
        let target = target(backend, lanes)?;
        let mut emitter = Emitter::new(target, blocks.fixed, blocks.first_free as Slot);
        emitter.registers.spread(blocks.spreads);
        let commits = blocks
            .commits
            .iter()
            .map(|block| {
                let kept: Vec<_> = block.results.iter().map(|value| (*value, blocks.fixed[value.index()])).collect();
                let source = Source { steps: &block.steps, outputs: &[], kept: &kept };
                (!block.steps.is_empty()).then(|| emitter.block(&source))
            })
            .collect();
        let entries = blocks
            .entries
            .iter()
            .map(|(block, outputs)| emitter.block(&Source { steps: &block.steps, outputs, kept: &[] }))
            .collect();
        let cycle = match (blocks.cycle, &blocks.entries[..]) {
            (Some(cycle), [(block, outputs)]) => Some(emitter.cycle(&block.steps, outputs, cycle)),
            _ => None,
        };
        let first_settled = blocks.first_settled as Slot;
        let settling = blocks.entries[..blocks.settling]
            .iter()
            .map(|(block, outputs)| emitter.settling(&block.steps, outputs, first_settled))
            .collect();
        let (bytes, memory) = emitter.finish()?;
        let mut code = MmapMut::map_anon(bytes.len().max(1)).ok()?;
        code[..bytes.len()].copy_from_slice(&bytes);
        let patterns = blocks.first_free;
        Some(Native {
            code: code.make_exec().ok()?,
            entries,
            commits,
            cycle,
            settling,
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

    /// Computes what later stages need of this one.
    #[inline]
    pub fn commit(&self, stage: usize, memory: &mut [f64]) {
        assert!(memory.len() >= self.memory * self.lanes, "the memory of another program");
        if let Some(offset) = self.commits[stage] {
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
        match self.cycle {
            Some(offset) if times > 0 => times - self.rounds_left(offset, times, memory),
            _ => 0,
        }
    }

    /// Goes round at most `times`, until the condition of an entry holds; returns how often, if it does.
    #[inline]
    pub fn settle(&self, entry: usize, times: u64, memory: &mut [f64]) -> Option<u64> {
        match times {
            0 => None,
            _ => times.checked_sub(self.rounds_left(self.settling[entry], times, memory)),
        }
    }

    /// Goes round; returns how many rounds are left, more than there were if what is to settle did not.
    #[inline]
    fn rounds_left(&self, offset: usize, times: u64, memory: &mut [f64]) -> u64 {
        assert!(memory.len() >= self.memory * self.lanes, "the memory of another program");
        // SAFETY: the memory is large enough, and the block at this offset goes round, so it takes a count.
        let rounds = unsafe { std::mem::transmute::<Function, Rounds>(self.function(offset)) };
        unsafe { rounds(memory.as_mut_ptr(), std::ptr::null_mut(), times) }
    }

    #[inline]
    fn function(&self, offset: usize) -> Function {
        // SAFETY: a block begins at the offset, and it has this signature.
        unsafe { std::mem::transmute::<*const u8, Function>(self.code.as_ptr().add(offset)) }
    }
}
