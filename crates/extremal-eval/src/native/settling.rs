//! A block that goes round by itself until all lanes have settled.

use crate::op::Step;
use crate::slots::Slot;
use crate::ssa::Value;

use super::cycle::Shifts;
use super::emit::{Emitter, ONE};
use super::encoder::Base;
use super::order::Item;

impl Emitter {
    /// Appends a function of the address of the memory and a number of rounds, in each of which `outputs` replace the inputs from
    /// `first` on, until the condition before them holds in all lanes. It returns how many rounds are left then, or as large a number
    /// as there is. Returns where it begins.
    pub fn settling(&mut self, steps: &[Step<Value>], outputs: &[Value], first: Slot) -> usize {
        let begin = self.begin_function();
        let mut items = self.items(steps);
        items.push(Item::Round(outputs.to_vec()));
        self.code.enter_rounds();
        self.registers.begin(&items, Base::Rbx);
        let top = self.code.bytes.len();
        for (at, item) in items.iter().enumerate() {
            self.item(item, at, Base::Rbx);
        }
        let (condition, outputs) = (outputs[0], &outputs[1..]);
        let tested = self.registers.load(&mut self.code, condition);
        self.code.test_all(self.target.width, tested, self.registers.place(self.patterns + ONE));
        self.registers.unlock();
        // Through memory, where other lanes find it; this leaves the flags alone.
        self.hand_on(outputs, first, &Shifts::default());
        self.code.next_round_unless_all(top);
        self.end_rounds(&items, begin)
    }
}
