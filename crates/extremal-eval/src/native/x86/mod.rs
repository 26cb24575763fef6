//! x86-64 with AVX2 and FMA, or with AVX-512.

mod control;
#[cfg(test)]
mod decoded;
mod encoder;
mod fused;

use crate::program::Backend;

pub(super) use X86Target as CodeTarget;
pub(super) use encoder::{X86Assembler as Assembler, X86Width as Width};

use encoder::{X86Assembler, X86Width};

/// What emitted code runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct X86Target {
    pub width: X86Width,
    /// 32 registers and masks instead of 16 registers.
    avx512: bool,
}

impl X86Target {
    /// What the code of a backend runs on, if this machine is one.
    pub fn of(backend: Backend, lanes: usize) -> Option<X86Target> {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        let width = match (backend, lanes) {
            (_, 1) => X86Width::One,
            (_, 4) => X86Width::Four,
            (Backend::Avx512, 8) => X86Width::Eight,
            (Backend::Avx512, 16) => X86Width::Sixteen,
            _ => return None,
        };
        match backend {
            Backend::Tape | Backend::Neon => None,
            Backend::Avx2 => avx2.then_some(X86Target { width, avx512: false }),
            Backend::Avx512 => avx512.then_some(X86Target { width, avx512: true }),
        }
    }

    /// The lanes of loops along arrays.
    pub fn lanes_along_arrays(backend: Backend) -> usize {
        if backend == Backend::Avx512 { 8 } else { 4 }
    }

    pub fn registers(self) -> usize {
        if self.avx512 && self.width != X86Width::Sixteen { 32 } else { 16 }
    }

    /// Do conditions that choices were prepared for last until the next comparison?
    pub fn keeps_notes(self) -> bool {
        self.avx512
    }

    /// Is a comparison such a preparation?
    pub fn compares_to_notes(self) -> bool {
        self.avx512
    }

    /// Do they last over jumps?
    pub fn jumps_keep_notes(self) -> bool {
        self.avx512
    }

    pub fn assembler(self) -> X86Assembler {
        X86Assembler::new(self.avx512)
    }
}

/// Makes what was written visible to the fetching of instructions, which it always is here.
pub(super) fn publish(_: &[u8]) {}
