//! The first and the last members, which are not like the others: ordinary programs.

use crate::machine::Machine;
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
    before: usize,
    behind: usize,
    results: usize,
    sums: usize,
    outputs: Vec<f64>,
    /// What the first end reads of members, and the last one.
    members: [Vec<ReadMember>; 2],
}

/// A number of a member that an end is made of: its place among the inputs, and among the fields.
#[derive(Clone, Copy)]
struct ReadMember {
    input: usize,
    field: usize,
}

impl LatticeEnds {
    pub fn new(program: &LatticeProgram, size: usize) -> LatticeEnds {
        let LatticeProgram { before, behind, results, sums, .. } = *program;
        LatticeEnds {
            machine: program.ends.machine(),
            size,
            before,
            behind,
            results,
            sums,
            outputs: vec![0.0; results * before.max(behind) + sums],
            members: [LatticeEnd::First, LatticeEnd::Last].map(|side| members_read(program, side, size)),
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
        let inputs = self.machine.inputs_mut(1);
        inputs[..scalars.len()].copy_from_slice(scalars);
        self.members[entry].iter().for_each(|read| inputs[read.input] = fields[read.field]);
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

/// What an end reads of members, of which the program knows a few and there are `size`.
fn members_read(program: &LatticeProgram, side: LatticeEnd, size: usize) -> Vec<ReadMember> {
    let (ends, window) = (&program.ends, program.size);
    // So many members of the window are the first ones, the others the last: in a ring an end may look at both.
    let ahead = match side {
        _ if program.is_ring => window / 2,
        LatticeEnd::First => window,
        LatticeEnd::Last => 0,
    };
    let mut list: Vec<ReadMember> = Vec::new();
    let mut meet = |value: ValueId| {
        if let ValueDefinition::Input { tier: 1, index: input } = ends.definition(value)
            && let Some(at) = input.checked_sub(program.scalars)
            && list.iter().all(|read| read.input != input)
        {
            let (field, member) = (at / window, at % window);
            let member = if member < ahead { member } else { size - (window - member) };
            list.push(ReadMember { input, field: field * size + member });
        }
    };
    let entry = side as usize;
    ends.hoisted_ops(1).iter().chain(ends.ops(entry)).for_each(|step| step.op.for_each_operand(&mut meet));
    ends.outputs(entry).iter().copied().for_each(&mut meet);
    list
}
