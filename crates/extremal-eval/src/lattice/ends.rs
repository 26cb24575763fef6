//! The first and the last members, which are not like the others: ordinary programs.

use crate::machine::Machine;
use crate::program::Program;
use crate::ssa::{ValueDefinition, ValueId};

use super::LatticeProgram;

/// One of the two ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LatticeEnd {
    First,
    Last,
}

/// Both ends with the memory to compute them.
#[derive(Clone)]
pub(super) struct LatticeEnds {
    machine: Machine,
    size: usize,
    /// Members that an end may look at: those next to it, or in a ring half of them at each end.
    window: usize,
    is_ring: bool,
    before: usize,
    behind: usize,
    results: usize,
    sums: usize,
    outputs: Vec<f64>,
    /// Is anything at the ends made of members or scalars?
    reads: bool,
}

impl LatticeEnds {
    pub fn new(program: &LatticeProgram, size: usize) -> LatticeEnds {
        let LatticeProgram { before, behind, results, sums, is_ring, .. } = *program;
        LatticeEnds {
            machine: program.ends.machine(),
            size,
            window: program.size,
            is_ring,
            before,
            behind,
            results,
            sums,
            outputs: vec![0.0; results * before.max(behind) + sums],
            reads: reads(&program.ends),
        }
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        self.machine.inputs_mut(0).copy_from_slice(values);
        self.machine.commit(0);
    }

    /// Computes the members of an end, and returns its part of the sums; none if something is not finite.
    pub fn run(&mut self, side: LatticeEnd, scalars: &[f64], fields: &[f64], results: &mut [f64]) -> (&[f64], bool) {
        let (entry, members) = match side {
            LatticeEnd::First => (0, self.before),
            LatticeEnd::Last => (1, self.behind),
        };
        // So many members of the window are the first ones, the others the last.
        let ahead = match side {
            _ if self.is_ring => self.window / 2,
            LatticeEnd::First => self.window,
            LatticeEnd::Last => 0,
        };
        if self.reads {
            let inputs = self.machine.inputs_mut(1);
            inputs[..scalars.len()].copy_from_slice(scalars);
            let places = inputs[scalars.len()..].chunks_exact_mut(self.window);
            for (to, from) in places.zip(fields.chunks_exact(self.size)) {
                to[..ahead].copy_from_slice(&from[..ahead]);
                to[ahead..].copy_from_slice(&from[self.size - (self.window - ahead)..]);
            }
        }
        let outputs = &mut self.outputs[..self.results * members + self.sums];
        self.machine.run(entry, outputs);
        let finite = outputs.iter().all(|x| x.is_finite());
        let (ends, sums) = outputs.split_at(self.results * members);
        let first = if side == LatticeEnd::First { 0 } else { self.size - members };
        for (at, result) in results.chunks_exact_mut(self.size).take(self.results).enumerate() {
            result[first..first + members].copy_from_slice(&ends[at * members..(at + 1) * members]);
        }
        (sums, finite)
    }
}

/// Does a program of ends do anything with what changes?
fn reads(ends: &Program) -> bool {
    let changes = |value: &ValueId| !matches!(ends.definition(*value), ValueDefinition::Constant(_));
    [0, 1].iter().any(|entry| ends.outputs(*entry).iter().any(changes))
}
