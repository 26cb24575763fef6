//! The loop over the second members of pairs.

use extremal_expr::{Function, Relation};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lattice::body::{Buffer, LANES, LoopBodies, LoopBody, LoopPlace};
use crate::op::{Instruction, Op};
use crate::program::Program;
use crate::slots::MemorySlot;
use crate::ssa::{ValueDefinition, ValueId};

use super::PairCode;

/// The loop, and what it needs that does not change on the way.
pub(super) struct PairKernel {
    pub bodies: LoopBodies,
    /// Numbers that are the same for all pairs of a first member.
    pub uniforms: PairUniforms,
    /// The fixed places: sums of what goes to the first member and of the term, its number, and then the uniforms.
    pub sums: usize,
}

/// Values that do not depend on the second member, as a tape in a memory of its own.
#[derive(Clone, Default)]
pub(super) struct PairUniforms {
    /// Parameters, the first member, constants, and what follows from them.
    pub memory: Vec<f64>,
    /// What follows from parameters, and what follows from the first member.
    pub steps: [Vec<Instruction<MemorySlot>>; 2],
    /// Those that the loop uses and where they are in this memory: those that parameters decide, then the others.
    pub used: Vec<(ValueId, MemorySlot)>,
    /// How many of them parameters decide.
    pub settled: usize,
}

/// The place of the first member's number.
pub(super) fn own_number(sums: usize) -> usize {
    sums
}

/// The first fixed place of the uniforms.
pub(super) fn first_uniform(sums: usize) -> usize {
    sums + 2
}

impl PairKernel {
    /// For members whose numbers are `stride` apart from field to field.
    pub fn new(code: &PairCode, stride: usize) -> PairKernel {
        let uniforms = PairUniforms::of(code);
        let sums = code.moving + 1;
        let mut writer =
            KernelWriter { code, stride, uniforms: &uniforms, places: Vec::new(), known: FxHashMap::default() };
        let body = writer.body(sums);
        let (places, fixed) = (writer.places, first_uniform(sums) + uniforms.used.len());
        PairKernel { bodies: LoopBodies { places, list: vec![body], fixed, advance: Some(LANES) }, uniforms, sums }
    }
}

impl PairUniforms {
    fn of(code: &PairCode) -> PairUniforms {
        let PairCode { program, parameters, members, .. } = code;
        let mut made = PairUniforms { memory: vec![0.0; parameters + members], ..PairUniforms::default() };
        let mut slots: FxHashMap<ValueId, MemorySlot> = FxHashMap::default();
        let mut place = |value: ValueId, memory: &mut Vec<f64>| {
            *slots.entry(value).or_insert_with(|| match program.definition(value) {
                ValueDefinition::Input { tier: 0, index } => index as MemorySlot,
                ValueDefinition::Input { index, .. } => (parameters + index) as MemorySlot,
                ValueDefinition::Constant(number) => {
                    memory.push(number);
                    memory.len() as MemorySlot - 1
                }
                ValueDefinition::Computed(_) => {
                    memory.push(0.0);
                    memory.len() as MemorySlot - 1
                }
            })
        };
        for tier in [0, 1] {
            for step in program.hoisted_ops(tier) {
                let op = step.op.map(|value| place(value, &mut made.memory));
                let to = place(step.to, &mut made.memory);
                made.steps[tier].push(Instruction { to, op });
            }
        }
        let known_first: FxHashSet<ValueId> = program.hoisted_ops(0).iter().flat_map(results).collect();
        let settled = |value: &ValueId| match program.definition(*value) {
            ValueDefinition::Input { tier, .. } => tier == 0,
            ValueDefinition::Constant(_) => true,
            ValueDefinition::Computed(_) => known_first.contains(value),
        };
        let (first, then): (Vec<ValueId>, Vec<ValueId>) = uniform_values(program).into_iter().partition(settled);
        made.settled = first.len();
        made.used = first.into_iter().chain(then).map(|value| (value, place(value, &mut made.memory))).collect();
        made
    }
}

fn results(step: &Instruction<ValueId>) -> impl Iterator<Item = ValueId> {
    [Some(step.to), step.op.second_result()].into_iter().flatten()
}

/// What the loop uses that the second member does not decide, in the order of its first use.
fn uniform_values(program: &Program) -> Vec<ValueId> {
    let made: FxHashSet<ValueId> = program.ops(0).iter().flat_map(results).collect();
    let mut seen: FxHashSet<ValueId> = FxHashSet::default();
    let mut list = Vec::new();
    let mut meet = |value: ValueId| {
        let goes_by = matches!(program.definition(value), ValueDefinition::Input { tier: 2, .. });
        if !goes_by && !made.contains(&value) && seen.insert(value) {
            list.push(value);
        }
    };
    program.ops(0).iter().for_each(|step| step.op.for_each_operand(&mut meet));
    program.outputs(0).iter().for_each(|output| meet(opposite_of(program, *output).0));
    list
}

/// A value and whether the one that is wanted is its opposite.
fn opposite_of(program: &Program, value: ValueId) -> (ValueId, bool) {
    match program.definition(value) {
        ValueDefinition::Computed(Op::Neg(inner)) => (inner, true),
        _ => (value, false),
    }
}

struct KernelWriter<'c> {
    code: &'c PairCode,
    stride: usize,
    uniforms: &'c PairUniforms,
    places: Vec<LoopPlace>,
    /// The values of the program.
    known: FxHashMap<ValueId, ValueId>,
}

impl KernelWriter<'_> {
    fn value(&mut self, place: LoopPlace) -> ValueId {
        self.places.push(place);
        ValueId(self.places.len() as u32 - 1)
    }

    fn operation(&mut self, steps: &mut Vec<Instruction<ValueId>>, op: Op<ValueId>) -> ValueId {
        let to = self.value(LoopPlace::Nowhere);
        steps.push(Instruction { to, op });
        to
    }

    fn along(&self, buffer: Buffer, field: usize) -> LoopPlace {
        LoopPlace::Along(buffer, (field * self.stride) as isize)
    }

    fn body(&mut self, sums: usize) -> LoopBody {
        let PairCode { program, members, moving, .. } = self.code;
        let fixed = |slot: usize| LoopPlace::Fixed(slot as MemorySlot);
        let before: Vec<ValueId> = (0..sums).map(|slot| self.value(fixed(slot))).collect();
        let own = self.value(fixed(own_number(sums)));
        let zero = self.value(fixed(own_number(sums) + 1));
        let first = first_uniform(sums);
        for (at, (value, _)) in self.uniforms.used.iter().enumerate() {
            let place = self.value(fixed(first + at));
            self.known.insert(*value, place);
        }
        let outputs: Vec<(ValueId, bool)> =
            program.outputs(0).iter().map(|value| opposite_of(program, *value)).collect();
        let mut steps = self.pair(&outputs);
        // Of the second member, what comes behind the first one: members behind the last have a number that is never larger.
        let number = self.value(self.along(Buffer::Fields, *members));
        let counts = self.operation(&mut steps, Op::Compare(Relation::Lt, own, number));
        let mut chosen: FxHashMap<ValueId, ValueId> = FxHashMap::default();
        let mut stores = Vec::new();
        for (at, (value, negative)) in outputs.iter().enumerate() {
            let value = self.leaf(*value);
            let part = match chosen.get(&value) {
                Some(part) => *part,
                None => self.operation(&mut steps, Op::Select(counts, value, zero)),
            };
            chosen.insert(value, part);
            // Slopes by the first member, slopes by the second, the term.
            let (sum, place) = match at.checked_sub(*moving) {
                None => (before[at], fixed(at)),
                Some(at) if at < *moving => {
                    let place = self.along(Buffer::Results, at);
                    (self.value(place), place)
                }
                Some(_) => (before[*moving], fixed(*moving)),
            };
            let op = if *negative { Op::Sub(sum, part) } else { Op::Add(sum, part) };
            let to = self.operation(&mut steps, op);
            stores.push((to, place));
        }
        LoopBody { steps, stores }
    }

    /// The operations for one pair that outputs need.
    fn pair(&mut self, outputs: &[(ValueId, bool)]) -> Vec<Instruction<ValueId>> {
        let program = &self.code.program;
        let mut needed: FxHashSet<ValueId> = outputs.iter().map(|(value, _)| *value).collect();
        let mut order: Vec<Instruction<ValueId>> = Vec::new();
        for step in program.ops(0).iter().rev() {
            if results(step).any(|value| needed.contains(&value)) {
                step.op.for_each_operand(|operand| {
                    needed.insert(operand);
                });
                order.push(*step);
            }
        }
        let mut steps = Vec::with_capacity(order.len());
        for Instruction { to, op } in order.into_iter().rev() {
            match op {
                // Sine and cosine have the same bits alone and together.
                Op::SinCos { argument, cosine } => {
                    let argument = self.leaf(argument);
                    for (function, to) in [(Function::Sin, to), (Function::Cos, cosine)] {
                        let made = self.operation(&mut steps, Op::Call(function, argument));
                        self.known.insert(to, made);
                    }
                }
                op => {
                    let op = op.map(|operand| self.leaf(operand));
                    let made = self.operation(&mut steps, op);
                    self.known.insert(to, made);
                }
            }
        }
        steps
    }

    /// A value of the program in the loop: computed before, or what the second member has.
    fn leaf(&mut self, value: ValueId) -> ValueId {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let place = match self.code.program.definition(value) {
            ValueDefinition::Input { tier: 2, index } => self.along(Buffer::Fields, index),
            _ => unreachable!("what the second member does not decide is known before"),
        };
        let made = self.value(place);
        self.known.insert(value, made);
        made
    }
}
