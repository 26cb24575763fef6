//! A block that goes round by itself, its outputs becoming its inputs.

use std::ops::Range;

use crate::op::Step;
use crate::program::{Cycle, TRIES};
use crate::slots::Slot;
use crate::ssa::Value;

use super::emit::{Emitter, ONE, ZERO};
use super::encoder::{Base, Register, Width};
use super::order::Item;

/// So many inputs at most stay in registers, with enough left to work in: even without AVX-512 there are sixteen.
const MOST_RESIDENTS: usize = 7;

impl Emitter {
    /// Appends a function of the address of the memory and a number of rounds, which returns how many of these are left when the
    /// condition, the first of `outputs`, does not hold after some tries. Returns where it begins.
    pub fn cycle(&mut self, steps: &[Step<Value>], outputs: &[Value], cycle: Cycle) -> usize {
        let begin = self.begin_function();
        let mut items = self.ordering.items(steps);
        items.push(Item::Round(outputs.to_vec()));
        self.code.enter_rounds();
        self.registers.begin(&items, Base::Rbx);
        let replaced = cycle.first as Slot..(cycle.first + cycle.carried) as Slot;
        let residents = if cycle.retried > 0 { Vec::new() } else { self.residents(&items, replaced) };
        let next_round = self.code.bytes.len();
        if cycle.retried > 0 {
            self.code.set_tries(TRIES);
        }
        let top = self.code.bytes.len();
        for (at, item) in items.iter().enumerate() {
            self.item(item, at, Base::Rbx);
        }
        let (condition, outputs) = (outputs[0], &outputs[1..]);
        let tested = self.registers.load(&mut self.code, condition);
        // What will be tried again is put into memory before the ways part.
        let (next, again) = outputs.split_at(cycle.carried);
        again.iter().for_each(|value| self.registers.store(&mut self.code, *value));
        let failed = match self.target.width {
            Width::One => self.code.jump_if_zero(tested, self.registers.place(self.patterns + ZERO)),
            width => self.code.jump_unless_all(width, tested, self.registers.place(self.patterns + ONE)),
        };
        self.registers.unlock();
        self.hand_on(next, cycle.first as Slot);
        self.settle(&residents, next, cycle.first as Slot);
        self.code.next_round(next_round);
        let done = self.code.jump();
        self.code.land(failed);
        if cycle.retried > 0 {
            let homes = again.iter().map(|value| self.registers.home(*value));
            let moves = (cycle.first_retried as Slot..).zip(homes).collect();
            self.copy_all(moves, 0);
            self.code.next_try(top);
        }
        self.code.land(done);
        self.end_rounds(&items, begin)
    }

    /// Appends a function of the address of the memory and a number of rounds, in each of which `outputs` replace the inputs from
    /// `first` on, until the condition before them holds in all lanes. It returns how many rounds are left then, or as large a number
    /// as there is. Returns where it begins.
    pub fn settling(&mut self, steps: &[Step<Value>], outputs: &[Value], first: Slot) -> usize {
        let begin = self.begin_function();
        let mut items = self.ordering.items(steps);
        items.push(Item::Round(outputs.to_vec()));
        self.code.enter_rounds();
        self.registers.begin(&items, Base::Rbx);
        let (condition, outputs) = (outputs[0], &outputs[1..]);
        let residents = self.residents(&items, first..first + outputs.len() as Slot);
        let top = self.code.bytes.len();
        for (at, item) in items.iter().enumerate() {
            self.item(item, at, Base::Rbx);
        }
        let tested = self.registers.load(&mut self.code, condition);
        self.code.test_all(self.target.width, tested, self.registers.place(self.patterns + ONE));
        self.registers.unlock();
        // This leaves the flags alone.
        self.hand_on(outputs, first);
        self.settle(&residents, outputs, first);
        self.code.next_round_unless_all(top);
        self.end_rounds(&items, begin)
    }

    fn end_rounds(&mut self, items: &[Item], begin: usize) -> usize {
        self.registers.finish(items);
        self.code.leave_rounds();
        if self.target.width != Width::One {
            self.code.clear_upper();
        }
        self.code.ret();
        begin
    }

    /// Inputs that are replaced and can stay in registers from round to round, so that no round waits for memory: in short blocks
    /// without calls. They are loaded here.
    fn residents(&mut self, items: &[Item], replaced: Range<Slot>) -> Vec<(Slot, Register)> {
        let mut inputs = Vec::new();
        for item in items {
            item.for_each_operand(|value| {
                if replaced.contains(&self.registers.home(value)) && !inputs.contains(&value) {
                    inputs.push(value);
                }
            });
        }
        let calls = items.iter().any(|item| matches!(item, Item::Call(..)));
        if calls || inputs.len() > MOST_RESIDENTS {
            return Vec::new();
        }
        let mut residents = Vec::new();
        for value in inputs {
            residents.push((self.registers.home(value), self.registers.load(&mut self.code, value)));
        }
        self.registers.unlock();
        residents
    }

    /// Moves the new values of the residents, as if all at once, to the registers where the next round expects them.
    fn settle(&mut self, residents: &[(Slot, Register)], values: &[Value], first: Slot) {
        let mut moves: Vec<(Register, Register)> = Vec::new();
        let mut from_memory = Vec::new();
        for (slot, to) in residents {
            match self.registers.in_register(values[(slot - first) as usize]) {
                Some(from) if from == *to => {}
                Some(from) => moves.push((*to, from)),
                None => from_memory.push((*slot, *to)),
            }
        }
        while !moves.is_empty() {
            match moves.iter().position(|(to, _)| moves.iter().all(|(_, from)| from != to)) {
                Some(at) => {
                    let (to, from) = moves.swap_remove(at);
                    self.code.copy(self.target.width, to, from);
                }
                None => {
                    let taken = |register: Register| {
                        residents.iter().any(|(_, r)| *r == register) || moves.iter().any(|(_, from)| *from == register)
                    };
                    let spare = (0..Register::MAX).find(|register| !taken(*register)).unwrap_or(0);
                    self.code.copy(self.target.width, spare, moves[0].1);
                    moves[0].1 = spare;
                }
            }
        }
        for (slot, to) in from_memory {
            self.code.load(self.target.width, to, Base::Rbx, self.registers.bytes(slot));
        }
    }

    /// Writes the values to the slots from `first` on, as if all at once.
    fn hand_on(&mut self, values: &[Value], first: Slot) {
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
