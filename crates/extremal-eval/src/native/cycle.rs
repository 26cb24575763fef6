//! A block that goes round by itself, its outputs becoming its inputs.

use crate::op::Step;
use crate::program::{Cycle, TRIES};
use crate::slots::Slot;
use crate::ssa::Value;

use super::emit::{Emitter, ZERO};
use super::encoder::Base;
use super::order::Item;

impl Emitter {
    /// Appends a function of the address of the memory and a number of rounds, which returns how many of these are left when the
    /// condition, the first of `outputs`, does not hold after some tries. Returns where it begins.
    pub fn cycle(&mut self, steps: &[Step<Value>], outputs: &[Value], cycle: Cycle) -> usize {
        let begin = self.begin_function();
        let mut items = self.ordering.items(steps);
        items.push(Item::Round(outputs.to_vec()));
        self.code.enter_rounds();
        self.registers.begin(&items, Base::Rbx);
        let next_round = self.code.bytes.len();
        self.code.set_tries(TRIES);
        let top = self.code.bytes.len();
        for (at, item) in items.iter().enumerate() {
            self.item(item, at, Base::Rbx);
        }
        let (condition, outputs) = (outputs[0], &outputs[1..]);
        let tested = self.registers.load(&mut self.code, condition);
        let zero = self.registers.place(self.patterns + ZERO);
        // What will be tried again is put into memory before the ways part.
        let (next, again) = outputs.split_at(cycle.carried);
        again.iter().for_each(|value| self.registers.store(&mut self.code, *value));
        let failed = self.code.jump_if_zero(tested, zero);
        self.registers.unlock();
        self.hand_on(next, cycle.first as Slot);
        self.code.next_round(next_round);
        let done = self.code.jump();
        self.code.land(failed);
        if cycle.retried > 0 {
            for (to, value) in (cycle.first_retried as Slot..).zip(again) {
                self.registers.fill(&mut self.code, 0, *value);
                self.code.store(self.target.width, Base::Rbx, self.registers.bytes(to), 0);
            }
            self.code.next_try(top);
        }
        self.code.land(done);
        self.registers.finish(&items);
        self.code.leave_rounds();
        self.code.ret();
        begin
    }

    /// Writes the values to the slots from `first` on, as if all at once.
    fn hand_on(&mut self, values: &[Value], first: Slot) {
        let width = self.target.width;
        let places = first..first + values.len() as Slot;
        // What is itself an input waits elsewhere until all inputs have been read.
        let mut waiting = Vec::new();
        for (to, value) in places.clone().zip(values) {
            let home = self.registers.home(*value);
            if home != to && places.contains(&home) {
                let from = self.registers.load(&mut self.code, *value);
                let place = self.registers.area(1);
                self.code.store(width, Base::Rbx, self.registers.bytes(place), from);
                self.registers.unlock();
                waiting.push((to, place));
            }
        }
        for (to, value) in places.clone().zip(values) {
            if !places.contains(&self.registers.home(*value)) {
                let from = self.registers.load(&mut self.code, *value);
                self.code.store(width, Base::Rbx, self.registers.bytes(to), from);
                self.registers.unlock();
            }
        }
        for (to, place) in waiting {
            let register = self.registers.take(&mut self.code);
            self.code.load(width, register, Base::Rbx, self.registers.bytes(place));
            self.code.store(width, Base::Rbx, self.registers.bytes(to), register);
        }
    }
}
