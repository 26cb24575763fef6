//! No machine code, because of the architecture or without the feature: programs are interpreted.

use crate::program::{Backend, Cycle, SpreadSlot};
use crate::schedule::Block;
use crate::slots::Slot;
use crate::ssa::Value;
use crate::stencil::{Bodies, Buffers, Groups};

/// Never made.
pub(crate) enum Native {}

/// What is to be compiled.
pub(crate) struct Blocks<'a> {
    pub commits: &'a [Block],
    pub entries: Vec<(&'a Block, &'a [Value])>,
    pub fixed: &'a [Slot],
    pub first_free: usize,
    pub cycle: Option<Cycle>,
    pub settling: usize,
    pub first_settled: usize,
    pub spreads: &'a [SpreadSlot],
}

impl Native {
    pub fn compile(_: &Blocks<'_>, _: Backend, _: usize) -> Option<Native> {
        None
    }

    pub fn backend(&self) -> Backend {
        match *self {}
    }

    pub fn memory(&self) -> usize {
        match *self {}
    }

    pub fn prepare(&self, _: &mut [f64]) {
        match *self {}
    }

    pub fn commit(&self, _: usize, _: &mut [f64]) {
        match *self {}
    }

    pub fn repeat(&self, _: u64, _: &mut [f64]) -> u64 {
        match *self {}
    }

    pub fn settle(&self, _: usize, _: u64, _: &mut [f64]) -> Option<u64> {
        match *self {}
    }

    pub fn run(&self, _: usize, _: &mut [f64], _: &mut [f64]) {
        match *self {}
    }
}

/// Never made.
pub(crate) enum Sweep {}

impl Sweep {
    pub fn compile(_: &Bodies, _: Backend) -> Option<Sweep> {
        None
    }

    pub fn lanes(&self) -> usize {
        match *self {}
    }

    pub fn memory(&self) -> Vec<f64> {
        match *self {}
    }

    pub fn run(&self, _: usize, _: Groups, _: &mut [f64], _: &mut Buffers<'_>) {
        match *self {}
    }
}
