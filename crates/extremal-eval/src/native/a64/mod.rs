//! aarch64, whose every processor has fused operations and two numbers in a register.

mod control;
mod encoder;
mod fused;
mod memory;
#[cfg(test)]
mod words;

use crate::program::Backend;

pub(super) use A64Target as CodeTarget;
pub(super) use encoder::{A64Assembler as Assembler, A64Width as Width};

use encoder::{A64Assembler, A64Width};

/// What emitted code runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct A64Target {
    pub width: A64Width,
}

impl A64Target {
    /// What the code of a backend runs on, if this machine is one.
    pub fn of(backend: Backend, lanes: usize) -> Option<A64Target> {
        let width = match lanes {
            1 => A64Width::One,
            4 => A64Width::Four,
            _ => return None,
        };
        // Where nobody says how written code is published, there is none.
        let publishes = cfg!(any(target_os = "linux", target_os = "android", target_vendor = "apple"));
        (backend == Backend::Neon && publishes).then_some(A64Target { width })
    }

    /// The lanes of loops along arrays.
    pub fn lanes_along_arrays(_: Backend) -> usize {
        4
    }

    /// Registers that values may be in; the others are the assembler's own.
    pub fn registers(self) -> usize {
        match self.width {
            A64Width::One => encoder::SCRATCH_OF_ONE[0] as usize,
            A64Width::Four => encoder::SCRATCH_OF_FOUR[0] as usize,
        }
    }

    /// Do conditions that choices were prepared for last until the next comparison? Those of one number are flags.
    pub fn keeps_notes(self) -> bool {
        self.width == A64Width::One
    }

    /// Is a comparison such a preparation?
    pub fn compares_to_notes(self) -> bool {
        false
    }

    /// Do they last over jumps?
    pub fn jumps_keep_notes(self) -> bool {
        false
    }

    pub fn assembler(self) -> A64Assembler {
        A64Assembler::default()
    }
}

/// Makes what was written visible to the fetching of instructions: data is written back as far as where instructions come from,
/// and what was fetched from there before is forgotten (Arm's manual, section B2.7.4.2).
#[cfg(not(target_vendor = "apple"))]
pub(super) fn publish(code: &[u8]) {
    use std::arch::asm;

    let sizes: u64;
    // SAFETY: a register that every program may read.
    unsafe { asm!("mrs {}, ctr_el0", out(reg) sizes, options(nomem, nostack, preserves_flags)) };
    let lines = |log_words: u64| {
        let size = 4 << (log_words & 15);
        let first = code.as_ptr() as usize & !(size - 1);
        (first..code.as_ptr() as usize + code.len()).step_by(size)
    };
    // SAFETY: these instructions change no number, and their addresses are those of the code.
    unsafe {
        for line in lines(sizes >> 16) {
            asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags));
        }
        asm!("dsb ish", options(nostack, preserves_flags));
        for line in lines(sizes) {
            asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags));
        }
        asm!("dsb ish", "isb", options(nostack, preserves_flags));
    }
}

/// The same by the function that Apple's systems have for it.
#[cfg(target_vendor = "apple")]
pub(super) fn publish(code: &[u8]) {
    unsafe extern "C" {
        fn sys_icache_invalidate(start: *const std::ffi::c_void, size: usize);
    }
    // SAFETY: it reads nothing but the addresses.
    unsafe { sys_icache_invalidate(code.as_ptr().cast(), code.len()) };
}
