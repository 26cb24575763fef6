//! The loop over the second members of pairs.

use std::ops::Range;

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
    pub places: PairPlaces,
}

/// The fixed places of the loop. Others go by several first members at once, each of which has a block of places: sums of what goes to it
/// and of the term, its number, and the uniforms that follow from it. Behind these are a zero and the uniforms that parameters decide.
#[derive(Clone, Copy)]
pub(super) struct PairPlaces {
    /// First members at once.
    pub firsts: usize,
    pub sums: usize,
    /// Uniforms that follow from a first member.
    changing: usize,
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

impl PairPlaces {
    fn block(&self, first: usize) -> usize {
        first * (self.sums + 1 + self.changing)
    }

    /// The sums of a first member.
    pub fn sums_of(&self, first: usize) -> Range<usize> {
        self.block(first)..self.block(first) + self.sums
    }

    /// The place of its number.
    pub fn own_number(&self, first: usize) -> usize {
        self.block(first) + self.sums
    }

    /// The uniforms that follow from it.
    pub fn uniforms_of(&self, first: usize) -> Range<usize> {
        self.own_number(first) + 1..self.block(first + 1)
    }

    fn zero(&self) -> usize {
        self.block(self.firsts)
    }

    /// The first uniform that parameters decide.
    pub fn settled(&self) -> usize {
        self.zero() + 1
    }
}

impl PairKernel {
    /// For members whose numbers are `stride` apart from field to field, and so many first members at once.
    pub fn new(code: &PairCode, stride: usize, firsts: usize) -> PairKernel {
        let uniforms = PairUniforms::of(code);
        let places = PairPlaces { firsts, sums: code.moving + 1, changing: uniforms.used.len() - uniforms.settled };
        let mut writer =
            KernelWriter { code, stride, uniforms: &uniforms, places: Vec::new(), known: FxHashMap::default() };
        let body = writer.body(places);
        let (of_values, fixed) = (writer.places, places.settled() + uniforms.settled);
        let bodies = LoopBodies { places: of_values, list: vec![body], fixed, advance: Some(LANES) };
        PairKernel { bodies, uniforms, places }
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
    let outputs = signed_outputs(program);
    let steps = steps_below(program, &outputs, |_| false);
    steps.iter().for_each(|step| step.op.for_each_operand(&mut meet));
    outputs.iter().for_each(|(output, _)| meet(*output));
    list
}

/// The operations for one pair that these outputs need, down to values that are known.
fn steps_below(
    program: &Program,
    outputs: &[(ValueId, bool)],
    is_known: impl Fn(ValueId) -> bool,
) -> Vec<Instruction<ValueId>> {
    let mut needed: FxHashSet<ValueId> = outputs.iter().map(|(value, _)| *value).collect();
    let mut steps: Vec<Instruction<ValueId>> = Vec::new();
    for step in program.ops(0).iter().rev() {
        if results(step).any(|value| needed.contains(&value) && !is_known(value)) {
            step.op.for_each_operand(|operand| {
                needed.insert(operand);
            });
            steps.push(*step);
        }
    }
    steps.reverse();
    steps
}

/// The outputs, each as a value and whether it is its opposite: so are two products with a number and with its opposite.
fn signed_outputs(program: &Program) -> Vec<(ValueId, bool)> {
    let steps = || program.hoisted_ops(0).iter().chain(program.hoisted_ops(1)).chain(program.ops(0));
    let mut products: FxHashMap<[ValueId; 2], ValueId> = FxHashMap::default();
    for step in steps() {
        if let Op::Mul(a, b) = step.op {
            products.extend([([a, b], step.to), ([b, a], step.to)]);
        }
    }
    let mut opposites: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for step in steps() {
        let opposite = match step.op {
            Op::Neg(inner) => Some(inner),
            Op::Mul(a, b) => [[a, b], [b, a]]
                .into_iter()
                .find_map(|[one, other]| products.get(&[*opposites.get(&one)?, other]).copied()),
            _ => None,
        };
        opposites.extend(opposite.map(|opposite| (step.to, opposite)));
    }
    let signed = |value: &ValueId| opposites.get(value).map_or((*value, false), |opposite| (*opposite, true));
    program.outputs(0).iter().map(signed).collect()
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

    fn body(&mut self, places: PairPlaces) -> LoopBody {
        let PairCode { program, members, moving, .. } = self.code;
        let fixed = |slot: usize| LoopPlace::Fixed(slot as MemorySlot);
        let zero = self.value(fixed(places.zero()));
        let (settled, changing) = self.uniforms.used.split_at(self.uniforms.settled);
        for (at, (value, _)) in settled.iter().enumerate() {
            let place = self.value(fixed(places.settled() + at));
            self.known.insert(*value, place);
        }
        let outputs = signed_outputs(program);
        // What the second member has, and what follows from it alone, is the same for all first members.
        let decided = self.decided_by_first();
        let number = self.value(self.along(Buffer::Fields, *members));
        let slopes: Vec<LoopPlace> = (0..*moving).map(|at| self.along(Buffer::Results, at)).collect();
        let mut of_second: Vec<ValueId> = slopes.iter().map(|place| self.value(*place)).collect();
        let (mut steps, mut stores) = (Vec::new(), Vec::new());
        for first in 0..places.firsts {
            self.known.retain(|value, _| !decided.contains(value));
            for ((value, _), place) in changing.iter().zip(places.uniforms_of(first)) {
                let place = self.value(fixed(place));
                self.known.insert(*value, place);
            }
            let own = self.value(fixed(places.own_number(first)));
            self.pair(&outputs, &mut steps);
            // Of the second member, what comes behind the first one: members behind the last have a number that is never larger.
            let counts = self.operation(&mut steps, Op::Compare(Relation::Lt, own, number));
            let mut chosen: FxHashMap<ValueId, ValueId> = FxHashMap::default();
            for (at, (value, negative)) in outputs.iter().enumerate() {
                let value = self.leaf(*value);
                let part = match chosen.get(&value) {
                    Some(part) => *part,
                    None => self.operation(&mut steps, Op::Select(counts, value, zero)),
                };
                chosen.insert(value, part);
                let added = |sum: ValueId| if *negative { Op::Sub(sum, part) } else { Op::Add(sum, part) };
                // Slopes by the first member, slopes by the second, the term.
                match at.checked_sub(*moving) {
                    Some(by_second) if by_second < *moving => {
                        of_second[by_second] = self.operation(&mut steps, added(of_second[by_second]));
                    }
                    behind => {
                        let place = fixed(places.sums_of(first).start + behind.map_or(at, |_| *moving));
                        let before = self.value(place);
                        stores.push((self.operation(&mut steps, added(before)), place));
                    }
                }
            }
        }
        stores.extend(of_second.into_iter().zip(slopes));
        LoopBody { steps, stores }
    }

    /// The values of the program that depend on the first member.
    fn decided_by_first(&self) -> FxHashSet<ValueId> {
        let changing = &self.uniforms.used[self.uniforms.settled..];
        let mut decided: FxHashSet<ValueId> = changing.iter().map(|(value, _)| *value).collect();
        for step in self.code.program.ops(0) {
            let mut depends = false;
            step.op.for_each_operand(|operand| depends |= decided.contains(&operand));
            if depends {
                decided.extend(results(step));
            }
        }
        decided
    }

    /// The operations for one pair that outputs need, but for those that are done.
    fn pair(&mut self, outputs: &[(ValueId, bool)], steps: &mut Vec<Instruction<ValueId>>) {
        let order = steps_below(&self.code.program, outputs, |value| self.known.contains_key(&value));
        for Instruction { to, op } in order {
            match op {
                // Sine and cosine have the same bits alone and together.
                Op::SinCos { argument, cosine } => {
                    let argument = self.leaf(argument);
                    for (function, to) in [(Function::Sin, to), (Function::Cos, cosine)] {
                        let made = self.operation(steps, Op::Call(function, argument));
                        self.known.insert(to, made);
                    }
                }
                op => {
                    let op = op.map(|operand| self.leaf(operand));
                    let made = self.operation(steps, op);
                    self.known.insert(to, made);
                }
            }
        }
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

#[cfg(test)]
mod tests {
    use extremal_expr::Graph;

    use super::*;
    use crate::{PairProgram, PairwiseFormulas};

    /// What one member gives the other is the opposite of what it gets: of slopes there are as many choices as coordinates, and of the term
    /// one.
    #[test]
    fn opposite_slopes_are_chosen_once() {
        let g = Graph::new();
        let [a, b] = ["a", "b"].map(|of| ["x", "y", "m"].map(|name| g.symbol(&format!("{name}{of}"))));
        let square = (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2) + 1;
        let term = g.symbol("G") * a[2] * b[2] / square.sqrt();
        let members = [a, b].map(|list| list.map(|e| e.id()));
        let members = [&members[0][..], &members[1]];
        let parameters = [g.symbol("G").id()];
        let formulas = PairwiseFormulas { graph: &g, parameters: &parameters, members, moving: 2, term: term.id() };
        let code = PairProgram::compile(formulas).expect("a program").code;
        let kernel = PairKernel::new(&code, 8, 1);
        let choices = kernel.bodies.list[0].steps.iter().filter(|step| matches!(step.op, Op::Select(..))).count();
        assert_eq!(choices, 3, "{:?}", code.program.ops(0));
    }
}
