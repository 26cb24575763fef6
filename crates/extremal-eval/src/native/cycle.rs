//! A block that goes round by itself, its outputs becoming its inputs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use extremal_expr::Comparison;

use crate::op::{Op, Step};
use crate::program::{Cycle, TRIES};
use crate::slots::{NOWHERE, Slot};
use crate::ssa::Value;

use super::emit::{Emitter, ONE, ZERO};
use super::encoder::{Base, Register, Width};
use super::order::Item;

/// So many registers are left to work in where others keep what they hold from round to round.
const FREE: usize = 8;

/// What decides whether a round goes on.
#[derive(Default)]
struct Tests {
    /// Conditions that no round changes.
    before: Vec<Value>,
    /// Comparisons that are made with a jump instead of a number.
    jumps: BTreeMap<Value, Item>,
    /// Steps that nobody needs, for all they do is to put comparisons together.
    left_out: Vec<Value>,
    /// Conditions that are numbers.
    numbers: Vec<Value>,
}

impl Tests {
    /// Takes the condition, the first of `outputs`, apart.
    fn of(steps: &[Step<Value>], outputs: &[Value]) -> Tests {
        let made: BTreeMap<Value, Op<Value>> = steps.iter().map(|step| (step.to, step.op)).collect();
        let mut uses: BTreeMap<Value, usize> = BTreeMap::new();
        let mut count = |value: Value| *uses.entry(value).or_default() += 1;
        steps.iter().for_each(|step| step.op.for_each_operand(&mut count));
        outputs.iter().copied().for_each(&mut count);
        let mut tests = Tests::default();
        let mut parts = vec![outputs[0]];
        while let Some(part) = parts.pop() {
            match made.get(&part) {
                None => tests.before.push(part),
                Some(Op::And(a, b)) if uses[&part] == 1 => {
                    tests.left_out.push(part);
                    parts.extend([*b, *a]);
                }
                Some(Op::Compare(comparison @ (Comparison::Lt | Comparison::Le), a, b)) if uses[&part] == 1 => {
                    let or_equal = *comparison == Comparison::Le;
                    tests.jumps.insert(part, Item::Test { smaller: *a, larger: *b, or_equal });
                }
                Some(_) => tests.numbers.push(part),
            }
        }
        tests
    }

    /// Puts the comparisons that are made with a jump in their places.
    fn place(&mut self, items: Vec<Item>) -> Vec<Item> {
        let replaced = |item: Item| match item {
            Item::Step(step) if self.left_out.contains(&step.to) => None,
            Item::Step(step) => Some(self.jumps.remove(&step.to).unwrap_or(Item::Step(step))),
            other => Some(other),
        };
        items.into_iter().filter_map(replaced).collect()
    }
}

impl Emitter {
    /// Appends a function of the address of the memory and a number of rounds, which returns how many of these are left when the
    /// condition, the first of `outputs`, does not hold after some tries. Returns where it begins.
    pub fn cycle(&mut self, steps: &[Step<Value>], outputs: &[Value], cycle: Cycle) -> usize {
        let begin = self.begin_function();
        let mut tests = match self.target.width {
            Width::One => Tests::of(steps, outputs),
            _ => Tests { numbers: vec![outputs[0]], ..Tests::default() },
        };
        let mut items = tests.place(self.ordering.items(steps));
        if cycle.retried > 0 {
            // Every try counts, whatever it fails for.
            tests.numbers.append(&mut tests.before);
            // What will be tried again is put into memory before the ways part.
            let (jumps, others) = items.into_iter().partition(|item| matches!(item, Item::Test { .. }));
            items = others;
            items.extend::<Vec<Item>>(jumps);
        }
        let first_jump = items.iter().position(|item| matches!(item, Item::Test { .. })).unwrap_or(items.len());
        items.push(Item::Round([&tests.numbers, &outputs[1..]].concat()));
        let (next, again) = outputs[1..].split_at(cycle.carried);
        self.code.enter_rounds();
        self.registers.begin(&items, Base::Rbx);
        let residents = self.residents(&items, next, cycle);
        let mut failed: Vec<usize> = tests.before.iter().map(|condition| self.leave_unless(*condition)).collect();
        let next_round = self.code.bytes.len();
        if cycle.retried > 0 {
            self.code.set_tries(TRIES);
        }
        let top = self.code.bytes.len();
        for (at, item) in items.iter().enumerate() {
            if at == first_jump {
                again.iter().for_each(|value| self.registers.store(&mut self.code, *value));
            }
            match item {
                Item::Test { smaller, larger, or_equal } => {
                    self.registers.advance(item, at);
                    let larger = self.registers.load(&mut self.code, *larger);
                    let smaller = self.registers.operand(&mut self.code, *smaller);
                    failed.push(self.code.jump_unless_less(smaller, larger, *or_equal));
                    self.registers.release(item);
                }
                _ => self.item(item, at, Base::Rbx),
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
        match residents.is_empty() {
            true => self.hand_on(next, cycle.first as Slot),
            false => self.settle(&residents),
        }
        self.code.next_round(next_round);
        let done = self.code.jump();
        failed.into_iter().for_each(|jump| self.code.land(jump));
        if cycle.retried > 0 {
            let homes = again.iter().map(|value| self.registers.home(*value));
            let moves = (cycle.first_retried as Slot..).zip(homes).collect();
            self.copy_all(moves, 0);
            self.code.next_try(top);
        }
        self.code.land(done);
        for resident in &residents {
            let place = self.registers.bytes(resident.slot);
            self.code.store(self.target.width, Base::Rbx, place, resident.register);
        }
        self.end_rounds(&items, begin)
    }

    pub(super) fn end_rounds(&mut self, items: &[Item], begin: usize) -> usize {
        self.registers.finish(items);
        self.code.leave_rounds();
        if self.target.width != Width::One {
            self.code.clear_upper();
        }
        self.code.ret();
        begin
    }

    /// Jumps if a condition, which no round changes, does not hold.
    fn leave_unless(&mut self, condition: Value) -> usize {
        let scratch = self.registers.take(&mut self.code);
        self.registers.fill(&mut self.code, scratch, condition);
        self.code.jump_if_zero(scratch, self.registers.place(self.patterns + ZERO))
    }

    /// In short blocks without calls and other tries, what is replaced stays in registers from round to round, so that no round
    /// waits for memory: it is loaded here, and written when the rounds end. What else is used most stays too.
    fn residents(&mut self, items: &[Item], next: &[Value], cycle: Cycle) -> Vec<Resident> {
        let room = self.target.registers() - FREE;
        let slots = cycle.first as Slot..;
        let replaced: Vec<(Slot, Value)> =
            slots.zip(next.iter().copied()).filter(|(slot, value)| self.registers.home(*value) != *slot).collect();
        let calls = items.iter().any(|item| matches!(item, Item::Call(..)));
        // Lanes read each other's numbers from memory.
        if calls || cycle.retried > 0 || replaced.len() > room {
            return Vec::new();
        }
        let mut uses: BTreeMap<Value, usize> = BTreeMap::new();
        items.iter().for_each(|item| item.for_each_operand(|value| *uses.entry(value).or_default() += 1));
        let inputs: BTreeMap<Slot, Value> = uses.keys().map(|value| (self.registers.home(*value), *value)).collect();
        let mut residents = Vec::new();
        for (slot, next) in replaced {
            let register = match inputs.get(&slot) {
                Some(value) => self.registers.pin(&mut self.code, *value),
                None => self.registers.pin_place(&mut self.code, slot),
            };
            uses.retain(|value, _| self.registers.home(*value) != slot);
            residents.push(Resident { slot, register, next });
        }
        let mut others: Vec<(Value, usize)> = uses.into_iter().collect();
        others.retain(|(value, _)| self.registers.home(*value) != NOWHERE);
        others.sort_by_key(|(_, count)| Reverse(*count));
        for (value, _) in others.into_iter().take(room - residents.len()) {
            self.registers.pin(&mut self.code, value);
        }
        self.registers.unlock();
        residents
    }

    /// Moves the new values of the residents, as if all at once, to the registers where the next round expects them.
    fn settle(&mut self, residents: &[Resident]) {
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
    pub(super) fn hand_on(&mut self, values: &[Value], first: Slot) {
        let width = self.target.width;
        let places = first..first + values.len() as Slot;
        // Inputs that become other inputs.
        let inputs = places.clone().zip(values).map(|(to, value)| (to, self.registers.home(*value)));
        let moves: Vec<(Slot, Slot)> = inputs.filter(|(to, from)| to != from && places.contains(from)).collect();
        if !moves.is_empty() {
            let scratch = self.registers.take(&mut self.code);
            self.copy_all(moves, scratch);
        }
        for (to, value) in places.clone().zip(values) {
            if !places.contains(&self.registers.home(*value)) {
                let from = self.registers.load(&mut self.code, *value);
                self.code.store(width, Base::Rbx, self.registers.bytes(to), from);
                self.registers.unlock();
            }
        }
    }

    /// Copies memory `to` places `from` others as if all at once: each as soon as nobody needs what it replaces, and a ring is cut
    /// by one that waits.
    fn copy_all(&mut self, mut moves: Vec<(Slot, Slot)>, scratch: Register) {
        moves.retain(|(to, from)| to != from);
        while !moves.is_empty() {
            match moves.iter().position(|(to, _)| moves.iter().all(|(_, from)| from != to)) {
                Some(at) => {
                    let (to, from) = moves.swap_remove(at);
                    self.copy(from, to, scratch);
                }
                None => {
                    let place = self.registers.area(1);
                    self.copy(moves[0].1, place, scratch);
                    moves[0].1 = place;
                }
            }
        }
    }

    fn copy(&mut self, from: Slot, to: Slot, scratch: Register) {
        let width = self.target.width;
        self.code.load(width, scratch, Base::Rbx, self.registers.bytes(from));
        self.code.store(width, Base::Rbx, self.registers.bytes(to), scratch);
    }
}

/// An input that is replaced and stays in a register from round to round.
struct Resident {
    slot: Slot,
    register: Register,
    next: Value,
}
