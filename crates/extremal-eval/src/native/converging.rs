//! A block that is repeated until a condition holds in all lanes.

use crate::op::Instruction;
use crate::slots::MemorySlot;
use crate::ssa::ValueId;

use super::emit::{Emitter, ONE};
use super::looping::Shifts;
use super::operand::AddressRegister;
use super::order::BlockItem;

impl Emitter {
    /// Appends a function of the address of the memory and a number of rounds, in each of which `outputs` replace the inputs from
    /// `first` on, until the condition before them holds in all lanes. It returns how many rounds are left then, or as large a number
    /// as there is. Returns where it begins.
    pub fn converging(&mut self, steps: &[Instruction<ValueId>], outputs: &[ValueId], first: MemorySlot) -> usize {
        let begin = self.begin_function();
        let mut items = self.items(steps);
        items.push(BlockItem::Round(outputs.to_vec()));
        self.code.enter_rounds();
        self.registers.begin(&items, AddressRegister::Memory);
        let top = self.code.bytes.len();
        for (at, item) in items.iter().enumerate() {
            self.item(item, at, AddressRegister::Memory);
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
