//! Where values live in the memory of a machine: `inputs by tier | constants | values kept across tiers | temporaries`.
//!
//! Temporaries are shared by all tapes and reused as soon as their last reader has run, so that a large program works in a
//! memory much smaller than its number of values.

use std::ops::Range;

use crate::op::{Instruction, Op};
use crate::schedule::{CodeBlock, Schedule};
use crate::ssa::{ValueDefinition, ValueId, ValueTable};

/// A place in the memory of a machine.
pub(crate) type MemorySlot = u32;

/// How the memory of a machine is divided.
pub(crate) struct MemoryLayout {
    pub inputs: Vec<Range<usize>>,
    /// The constants, placed right after the inputs.
    pub constants: Vec<f64>,
    /// The places of inputs, constants and kept values, by value; the others have none.
    pub fixed: Vec<MemorySlot>,
    pub first_temporary: usize,
    pub len: usize,
}

/// The programs with slots in place of values.
pub(crate) struct Tapes {
    pub layout: MemoryLayout,
    pub commits: Vec<Vec<Instruction<MemorySlot>>>,
    /// The instructions and the slots of the outputs.
    pub entries: Vec<(Vec<Instruction<MemorySlot>>, Vec<MemorySlot>)>,
}

/// A value that has no place yet.
pub(crate) const NOWHERE: MemorySlot = MemorySlot::MAX;

/// Gives every value its place.
pub(crate) fn assign(
    values: &ValueTable,
    input_counts: &[usize],
    schedule: &Schedule,
    outputs: &[Vec<ValueId>],
) -> Tapes {
    let mut inputs = Vec::with_capacity(input_counts.len());
    let mut next = 0;
    for count in input_counts {
        inputs.push(next..next + count);
        next += count;
    }
    let mut fixed =
        FixedSlots { values, inputs: &inputs, places: vec![NOWHERE; values.len()], constants: Vec::new(), next };
    for step in schedule.hoisted.iter().chain(&schedule.entries).flat_map(|block| &block.steps) {
        step.op.for_each_operand(|operand| fixed.place_leaf(operand));
    }
    outputs.iter().flatten().for_each(|output| fixed.place_leaf(*output));
    for value in schedule.hoisted.iter().flat_map(|block| &block.results) {
        fixed.place_next(*value);
    }
    let (fixed, constants, first_temporary) = (fixed.places, fixed.constants, fixed.next);

    let mut scan = Scan::new(fixed, first_temporary);
    let commits = schedule.hoisted.iter().map(|block| scan.tape(block, &block.results, true).0).collect();
    let entries =
        schedule.entries.iter().zip(outputs).map(|(block, outputs)| scan.tape(block, outputs, false)).collect();
    let layout = MemoryLayout { inputs, constants, first_temporary, len: scan.end as usize, fixed: scan.fixed };
    Tapes { layout, commits, entries }
}

/// Values whose place never changes.
struct FixedSlots<'a> {
    values: &'a ValueTable,
    inputs: &'a [Range<usize>],
    places: Vec<MemorySlot>,
    constants: Vec<f64>,
    next: usize,
}

impl FixedSlots<'_> {
    fn place_leaf(&mut self, value: ValueId) {
        match self.values.definition(value) {
            ValueDefinition::Input { tier, index } => {
                self.places[value.index()] = (self.inputs[tier].start + index) as MemorySlot
            }
            ValueDefinition::Constant(number) if self.places[value.index()] == NOWHERE => {
                self.constants.push(number);
                self.place_next(value);
            }
            ValueDefinition::Constant(_) | ValueDefinition::Computed(_) => {}
        }
    }

    fn place_next(&mut self, value: ValueId) {
        self.places[value.index()] = self.next as MemorySlot;
        self.next += 1;
    }
}

/// Linear scan over one block after the other.
struct Scan {
    fixed: Vec<MemorySlot>,
    /// Places in the present block, `NOWHERE` outside of it.
    local: Vec<MemorySlot>,
    /// The last step of the present block that reads a value.
    last_use: Vec<usize>,
    first: MemorySlot,
    free: Vec<MemorySlot>,
    next: MemorySlot,
    /// The end of the memory any block needed.
    end: MemorySlot,
}

impl Scan {
    fn new(fixed: Vec<MemorySlot>, first: usize) -> Scan {
        let (local, last_use, first) = (vec![NOWHERE; fixed.len()], vec![0; fixed.len()], first as MemorySlot);
        Scan { fixed, local, last_use, first, free: Vec::new(), next: first, end: first }
    }

    /// The block with slots for values, and the slots of `outputs`. The results of a commit go to their fixed places; those of
    /// an entry are temporaries that live to its end, so that a run never overwrites what a commit computed.
    fn tape(
        &mut self,
        block: &CodeBlock,
        outputs: &[ValueId],
        results_are_fixed: bool,
    ) -> (Vec<Instruction<MemorySlot>>, Vec<MemorySlot>) {
        (self.free, self.next) = (Vec::new(), self.first);
        for (at, step) in block.steps.iter().enumerate() {
            step.op.for_each_operand(|operand| self.last_use[operand.index()] = at);
        }
        for value in &block.results {
            self.last_use[value.index()] = usize::MAX;
            if results_are_fixed {
                self.local[value.index()] = self.fixed[value.index()];
            }
        }
        let steps = block.steps.iter().enumerate().map(|(at, step)| self.step(at, *step)).collect();
        let slots = outputs.iter().map(|output| self.place(*output)).collect();
        self.end = self.end.max(self.next);
        for step in &block.steps {
            self.local[step.to.index()] = NOWHERE;
            if let Some(second) = step.op.second_result() {
                self.local[second.index()] = NOWHERE;
            }
        }
        (steps, slots)
    }

    fn place(&self, value: ValueId) -> MemorySlot {
        match self.local[value.index()] {
            NOWHERE => self.fixed[value.index()],
            slot => slot,
        }
    }

    fn define(&mut self, value: ValueId) -> MemorySlot {
        if self.local[value.index()] == NOWHERE {
            self.local[value.index()] = self.free.pop().unwrap_or_else(|| {
                self.next += 1;
                self.next - 1
            });
        }
        self.local[value.index()]
    }

    fn step(&mut self, at: usize, step: Instruction<ValueId>) -> Instruction<MemorySlot> {
        // Operands are read before results are written, so a result may take the place of an operand that dies here.
        let second = step.op.second_result();
        let op = step.op.map(|value| if Some(value) == second { NOWHERE } else { self.place(value) });
        step.op.for_each_operand(|operand| {
            let index = operand.index();
            if self.last_use[index] == at && self.local[index] != NOWHERE {
                // Never again: the same operand in a second position must not free it twice.
                self.last_use[index] = usize::MAX;
                self.free.push(self.local[index]);
            }
        });
        let to = self.define(step.to);
        let op = match (op, second) {
            (Op::SinCos { argument, .. }, Some(cosine)) => Op::SinCos { argument, cosine: self.define(cosine) },
            (other, _) => other,
        };
        Instruction { to, op }
    }
}
