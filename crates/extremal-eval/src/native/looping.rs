//! A block in a loop, its outputs becoming its inputs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use extremal_expr::Relation;

use crate::op::{Instruction, Op};
use crate::program::{Feedback, TRACE_STRIDE, TRIES};
use crate::slots::{MemorySlot, NOWHERE};
use crate::ssa::ValueId;

use super::emit::{Emitter, ONE, ZERO};
use super::operand::{AddressRegister, BEYOND, MachineOperand, Register};
use super::order::BlockItem;
use super::processor::Width;

/// So many registers are left to work in where others keep what they hold from round to round.
const FREE: usize = 8;

/// What decides whether a round goes on.
#[derive(Default)]
struct Tests {
    /// Conditions that no round changes.
    before: Vec<ValueId>,
    /// Comparisons that are made with a jump instead of a number.
    jumps: BTreeMap<ValueId, BlockItem>,
    /// Steps that nobody needs, for all they do is to put comparisons together.
    left_out: Vec<ValueId>,
    /// Conditions that are numbers.
    numbers: Vec<ValueId>,
}

/// Inputs that become other inputs where a condition holds, and stay where it does not.
#[derive(Default)]
pub(super) struct Shifts {
    condition: Option<ValueId>,
    /// By place: the choice, and the place of what is chosen.
    choices: BTreeMap<MemorySlot, (ValueId, MemorySlot)>,
}

/// A copy from one place in memory to another, everywhere or where the condition of the shifts holds.
struct Move {
    to: MemorySlot,
    from: MemorySlot,
    chosen: bool,
}

impl Tests {
    /// Takes the condition, the first of `outputs`, apart.
    fn of(steps: &[Instruction<ValueId>], outputs: &[ValueId]) -> Tests {
        let made: BTreeMap<ValueId, Op<ValueId>> = steps.iter().map(|step| (step.to, step.op)).collect();
        let uses = uses(steps, outputs);
        let mut tests = Tests::default();
        let mut parts = vec![outputs[0]];
        while let Some(part) = parts.pop() {
            match made.get(&part) {
                None => tests.before.push(part),
                Some(Op::And(a, b)) if uses[&part] == 1 => {
                    tests.left_out.push(part);
                    parts.extend([*b, *a]);
                }
                Some(Op::Compare(comparison @ (Relation::Lt | Relation::Le), a, b)) if uses[&part] == 1 => {
                    let or_equal = *comparison == Relation::Le;
                    tests.jumps.insert(part, BlockItem::Test { smaller: *a, larger: *b, or_equal });
                }
                Some(_) => tests.numbers.push(part),
            }
        }
        tests
    }

    /// Puts the comparisons that are made with a jump in their places.
    fn place(&mut self, items: Vec<BlockItem>) -> Vec<BlockItem> {
        let replaced = |item: BlockItem| match item {
            BlockItem::Instruction(step) if self.left_out.contains(&step.to) => None,
            BlockItem::Instruction(step) => Some(self.jumps.remove(&step.to).unwrap_or(BlockItem::Instruction(step))),
            other => Some(other),
        };
        items.into_iter().filter_map(replaced).collect()
    }
}

impl Emitter {
    /// Appends a function of the address of the memory and a number of rounds, which returns how many of these are left when the
    /// condition, the first of `outputs`, does not hold after some tries. A `traced` one also gets the address where it writes the
    /// first values that every round hands on. Returns where it begins.
    pub fn looping(
        &mut self,
        steps: &[Instruction<ValueId>],
        outputs: &[ValueId],
        feedback: Feedback,
        traced: bool,
    ) -> usize {
        let begin = self.begin_function();
        let mut tests = match self.target.width {
            Width::One => Tests::of(steps, outputs),
            _ => Tests { numbers: vec![outputs[0]], ..Tests::default() },
        };
        let (next, again) = outputs[1..].split_at(feedback.carried);
        let mut items = tests.place(self.items(steps));
        let stays = self.stays(&items, next, feedback);
        let shifts = if stays { Shifts::default() } else { self.shifts(steps, outputs, feedback, traced) };
        let shifted = |value: &ValueId| shifts.choices.values().any(|(choice, _)| choice == value);
        items.retain(|item| !matches!(item, BlockItem::Instruction(step) if shifted(&step.to)));
        if feedback.retried > 0 {
            // Every try counts, whatever it fails for.
            tests.numbers.append(&mut tests.before);
            // What will be tried again is put into memory before the ways part.
            let (jumps, others) = items.into_iter().partition(|item| matches!(item, BlockItem::Test { .. }));
            items = others;
            items.extend::<Vec<BlockItem>>(jumps);
        }
        let first_jump = items.iter().position(|item| matches!(item, BlockItem::Test { .. })).unwrap_or(items.len());
        let mut needed: Vec<ValueId> = outputs[1..].iter().filter(|value| !shifted(value)).copied().collect();
        needed.extend(tests.numbers.iter().chain(&shifts.condition));
        items.push(BlockItem::Round(needed));
        match traced {
            true => self.code.enter_traced_rounds(),
            false => self.code.enter_rounds(),
        }
        self.registers.begin(&items, AddressRegister::Memory);
        let residents = if stays { self.residents(&items, next, feedback) } else { Vec::new() };
        let mut failed: Vec<usize> = tests.before.iter().map(|condition| self.leave_unless(*condition)).collect();
        let next_round = self.code.bytes.len();
        if feedback.retried > 0 {
            self.code.set_tries(TRIES);
        }
        let top = self.code.bytes.len();
        for (at, item) in items.iter().enumerate() {
            if at == first_jump {
                again.iter().for_each(|value| self.registers.store(&mut self.code, *value));
            }
            match item {
                BlockItem::Test { smaller, larger, or_equal } => {
                    self.registers.advance(item, at);
                    let larger = self.registers.load(&mut self.code, *larger);
                    let smaller = self.registers.operand(&mut self.code, *smaller);
                    failed.push(self.code.jump_unless_less(smaller, larger, *or_equal));
                    self.noted = self.noted.filter(|_| self.target.jumps_keep_notes());
                    self.registers.release(item);
                }
                _ => self.item(item, at, AddressRegister::Memory),
            }
        }
        again.iter().for_each(|value| self.registers.store(&mut self.code, *value));
        for condition in &tests.numbers {
            let tested = self.registers.load(&mut self.code, *condition);
            failed.push(match self.target.width {
                Width::One => self.code.jump_if_zero(tested, self.registers.place(self.patterns + ZERO)),
                width => self.code.jump_unless_all(width, tested, self.registers.place(self.patterns + ONE)),
            });
            self.registers.unlock();
        }
        if traced {
            self.trace(&next[..feedback.traced]);
        }
        match stays {
            true => self.move_residents(&residents),
            false => self.hand_on(next, feedback.first as MemorySlot, &shifts),
        }
        self.code.next_round(next_round);
        let done = self.code.jump();
        failed.into_iter().for_each(|jump| self.code.land(jump));
        if feedback.retried > 0 {
            let homes = again.iter().map(|value| self.registers.home(*value));
            let places = (feedback.first_retried as MemorySlot..).zip(homes);
            self.copy_all(places.map(|(to, from)| Move { to, from, chosen: false }).collect(), 0, 0);
            self.code.next_try(top);
        }
        self.code.land(done);
        for resident in &residents {
            let place = self.registers.bytes(resident.slot);
            self.code.store(self.target.width, AddressRegister::Memory, place, resident.register);
        }
        if traced {
            self.registers.finish(&items);
            self.code.leave_traced_rounds();
            self.end_function();
            return begin;
        }
        self.end_rounds(&items, begin)
    }

    /// Writes values to the trace, each to its own column.
    fn trace(&mut self, values: &[ValueId]) {
        for (column, value) in values.iter().enumerate() {
            let from = self.registers.load(&mut self.code, *value);
            let place = i32::try_from(column * TRACE_STRIDE * size_of::<f64>()).unwrap_or(BEYOND);
            self.code.store(Width::One, AddressRegister::Fields, place, from);
            self.registers.unlock();
        }
        self.code.next_in_trace();
    }

    pub(super) fn end_rounds(&mut self, items: &[BlockItem], begin: usize) -> usize {
        self.registers.finish(items);
        self.code.leave_rounds();
        self.end_function();
        begin
    }

    /// Jumps if a condition, which no round changes, does not hold.
    fn leave_unless(&mut self, condition: ValueId) -> usize {
        let scratch = self.registers.take(&mut self.code);
        self.registers.fill(&mut self.code, scratch, condition);
        self.code.jump_if_zero(scratch, self.registers.place(self.patterns + ZERO))
    }

    /// In short blocks without calls and other tries, what is replaced stays in registers from round to round, so that no round
    /// waits for memory.
    fn stays(&self, items: &[BlockItem], next: &[ValueId], feedback: Feedback) -> bool {
        let calls = items.iter().any(|item| matches!(item, BlockItem::Call(..)));
        !calls && feedback.retried == 0 && self.replaced(next, feedback).len() <= self.target.registers() - FREE
    }

    /// The places of inputs that change, and what takes them.
    fn replaced(&self, next: &[ValueId], feedback: Feedback) -> Vec<(MemorySlot, ValueId)> {
        let all = (feedback.first as MemorySlot..).zip(next.iter().copied());
        all.filter(|(slot, value)| self.registers.home(*value) != *slot).collect()
    }

    /// Choices between inputs that nobody needs but the next round: they are made where they go, so that they need no registers.
    /// What is traced is wanted in a register all the same.
    fn shifts(&self, steps: &[Instruction<ValueId>], outputs: &[ValueId], feedback: Feedback, traced: bool) -> Shifts {
        let made: BTreeMap<ValueId, Op<ValueId>> = steps.iter().map(|step| (step.to, step.op)).collect();
        let uses = uses(steps, outputs);
        let places = feedback.first as MemorySlot..(feedback.first + feedback.carried) as MemorySlot;
        let mut shifts = Shifts::default();
        for (slot, value) in places.clone().zip(&outputs[1..]).skip(if traced { feedback.traced } else { 0 }) {
            let Some(Op::Select(condition, chosen, other)) = made.get(value) else { continue };
            let (chosen, other) = (self.registers.home(*chosen), self.registers.home(*other));
            let same = shifts.condition.is_none_or(|first| first == *condition);
            if uses[value] == 1 && same && places.contains(&chosen) && other == slot {
                shifts.condition = Some(*condition);
                shifts.choices.insert(slot, (*value, chosen));
            }
        }
        shifts
    }

    /// What stays in registers is loaded here, and written when the rounds end. What else is used most stays too.
    fn residents(&mut self, items: &[BlockItem], next: &[ValueId], feedback: Feedback) -> Vec<Resident> {
        let room = self.target.registers() - FREE;
        let replaced = self.replaced(next, feedback);
        let mut uses: BTreeMap<ValueId, usize> = BTreeMap::new();
        items.iter().for_each(|item| item.for_each_operand(|value| *uses.entry(value).or_default() += 1));
        let inputs: BTreeMap<MemorySlot, ValueId> =
            uses.keys().map(|value| (self.registers.home(*value), *value)).collect();
        let mut residents = Vec::new();
        for (slot, next) in replaced {
            let register = match inputs.get(&slot) {
                Some(value) => self.registers.pin(&mut self.code, *value),
                None => self.registers.pin_place(&mut self.code, slot),
            };
            uses.retain(|value, _| self.registers.home(*value) != slot);
            residents.push(Resident { slot, register, next });
        }
        let mut others: Vec<(ValueId, usize)> = uses.into_iter().collect();
        others.retain(|(value, _)| self.registers.home(*value) != NOWHERE);
        others.sort_by_key(|(_, count)| Reverse(*count));
        for (value, _) in others.into_iter().take(room - residents.len()) {
            self.registers.pin(&mut self.code, value);
        }
        self.registers.unlock();
        residents
    }

    /// Moves the new values of the residents, as if all at once, to the registers where the next round expects them.
    fn move_residents(&mut self, residents: &[Resident]) {
        let width = self.target.width;
        let mut moves: Vec<(Register, Register)> = Vec::new();
        let mut from_memory = Vec::new();
        for Resident { register, next, .. } in residents {
            match self.registers.in_register(*next) {
                Some(from) => moves.push((*register, from)),
                None => from_memory.push((*register, *next)),
            }
        }
        while !moves.is_empty() {
            match moves.iter().position(|(to, _)| moves.iter().all(|(_, from)| from != to)) {
                Some(at) => {
                    let (to, from) = moves.swap_remove(at);
                    self.code.copy(width, to, from);
                }
                None => {
                    let taken = |register: Register| {
                        self.registers.is_pinned(register) || moves.iter().any(|(_, from)| *from == register)
                    };
                    let spare = (0..Register::MAX).find(|register| !taken(*register)).unwrap_or(0);
                    self.code.copy(width, spare, moves[0].1);
                    moves[0].1 = spare;
                }
            }
        }
        for (register, value) in from_memory {
            self.registers.fill(&mut self.code, register, value);
        }
    }

    /// Writes the values to the slots from `first` on, as if all at once.
    pub(super) fn hand_on(&mut self, values: &[ValueId], first: MemorySlot, shifts: &Shifts) {
        let width = self.target.width;
        let places = first..first + values.len() as MemorySlot;
        // Inputs that become other inputs.
        let inputs = places.clone().zip(values).map(|(to, value)| (to, self.registers.home(*value)));
        let moved = inputs.filter(|(to, from)| to != from && places.contains(from));
        let mut moves: Vec<Move> = moved.map(|(to, from)| Move { to, from, chosen: false }).collect();
        moves.extend(shifts.choices.iter().map(|(to, (_, from))| Move { to: *to, from: *from, chosen: true }));
        if !moves.is_empty() {
            self.noted = None;
            let signs = shifts.condition.map_or(0, |condition| self.note(condition));
            let scratch = self.scratch();
            self.copy_all(moves, scratch, signs);
            self.registers.unlock();
        }
        for (to, value) in places.clone().zip(values) {
            if !places.contains(&self.registers.home(*value)) && !shifts.choices.contains_key(&to) {
                let from = self.registers.load(&mut self.code, *value);
                self.code.store(width, AddressRegister::Memory, self.registers.bytes(to), from);
                self.registers.unlock();
            }
        }
    }

    /// Copies memory as if all at once: each as soon as nobody needs what it replaces, and a ring is cut by one that waits.
    fn copy_all(&mut self, mut moves: Vec<Move>, scratch: Register, signs: Register) {
        moves.retain(|step| step.to != step.from);
        let mut readers: BTreeMap<MemorySlot, usize> = BTreeMap::new();
        moves.iter().for_each(|step| *readers.entry(step.from).or_default() += 1);
        let writers: BTreeMap<MemorySlot, usize> = moves.iter().enumerate().map(|(at, step)| (step.to, at)).collect();
        let mut ready: Vec<usize> = (0..moves.len()).filter(|at| !readers.contains_key(&moves[*at].to)).collect();
        let mut done = vec![false; moves.len()];
        // A place that was read by all who need it may be written.
        let mut release = |from: MemorySlot, ready: &mut Vec<usize>| {
            let left = readers.entry(from).and_modify(|left| *left -= 1).or_default();
            ready.extend(writers.get(&from).filter(|_| *left == 0));
        };
        for ring in 0..moves.len() {
            while let Some(at) = ready.pop() {
                self.copy(&moves[at], scratch, signs);
                done[at] = true;
                release(moves[at].from, &mut ready);
            }
            if !done[ring] {
                let place = self.registers.area(1);
                let from = std::mem::replace(&mut moves[ring].from, place);
                self.copy(&Move { to: place, from, chosen: false }, scratch, signs);
                release(from, &mut ready);
            }
        }
        while let Some(at) = ready.pop() {
            self.copy(&moves[at], scratch, signs);
            release(moves[at].from, &mut ready);
        }
    }

    fn copy(&mut self, step: &Move, scratch: Register, signs: Register) {
        let width = self.target.width;
        let places = [step.to, step.from]
            .map(|slot| MachineOperand::Memory(AddressRegister::Memory, self.registers.bytes(slot)));
        let [to, from] = places;
        if step.chosen {
            // A store by a mask would be shorter, and was measured to be slower.
            self.code.load_from(width, scratch, to);
            self.code.by_signs(width, scratch, signs, (from, scratch));
        } else {
            self.code.load_from(width, scratch, from);
        }
        self.code.store_at(width, to, scratch);
    }
}

/// How often each value is used.
fn uses(steps: &[Instruction<ValueId>], outputs: &[ValueId]) -> BTreeMap<ValueId, usize> {
    let mut uses: BTreeMap<ValueId, usize> = BTreeMap::new();
    let mut count = |value: ValueId| *uses.entry(value).or_default() += 1;
    steps.iter().for_each(|step| step.op.for_each_operand(&mut count));
    outputs.iter().copied().for_each(&mut count);
    uses
}

/// An input that is replaced and stays in a register from round to round.
struct Resident {
    slot: MemorySlot,
    register: Register,
    next: ValueId,
}
