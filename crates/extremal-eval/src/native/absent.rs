//! No machine code, because of the architecture or without the feature: programs are interpreted.

use crate::lattice::body::{Buffers, LaneGroups, LoopBodies};
use crate::program::{Backend, NativeSource};

/// Without machine code no system is asked for anything.
pub(crate) fn lie_in_large_pages(_: &mut [f64]) {}

/// Never made.
pub(crate) enum NoNative {}

pub(crate) use {NoArrayLoops as ArrayLoops, NoNative as Native};

impl NoNative {
    pub fn compile(_: &NativeSource<'_>, _: Backend, _: usize) -> Option<Native> {
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

    pub fn repeat_traced(&self, _: u64, _: &mut [f64], _: &mut [f64]) -> u64 {
        match *self {}
    }

    pub fn converge(&self, _: usize, _: u64, _: &mut [f64]) -> Option<u64> {
        match *self {}
    }

    pub fn run(&self, _: usize, _: &mut [f64], _: &mut [f64]) {
        match *self {}
    }
}

/// Never made.
pub(crate) enum NoArrayLoops {}

impl NoArrayLoops {
    pub fn compile(_: &LoopBodies, _: Backend) -> Option<ArrayLoops> {
        None
    }

    pub fn lanes(&self) -> usize {
        match *self {}
    }

    pub fn memory(&self) -> Vec<f64> {
        match *self {}
    }

    pub fn run(&self, _: usize, _: LaneGroups, _: &mut [f64], _: &mut Buffers<'_>) {
        match *self {}
    }
}
