//! Fused operations, which overwrite one of their operands.

use crate::ssa::ValueId;

use super::encoder::FusedOrder;
use crate::native::emit::Emitter;
use crate::native::operand::{Fused, MachineOperand, Register};

impl Emitter {
    /// `±a·b ± c`. The register of one operand is overwritten: of one that dies, else one fetched from memory, else a copy.
    pub(in crate::native) fn fused(&mut self, op: Fused, a: ValueId, b: ValueId, c: ValueId) -> Register {
        let rank = |value: ValueId| match (self.registers.in_register(value), self.registers.dies(value)) {
            (Some(_), true) => 0,
            (None, _) => 1,
            (Some(_), false) => 2,
        };
        let candidates = [(rank(c), 0), (rank(a), 1), (rank(b), 2)];
        let (rank, which) = candidates.into_iter().min().unwrap_or((2, 0));
        // The product may be taken the other way round, so that it is a or c that is overwritten.
        let (a, b) = if which == 2 { (b, a) } else { (a, b) };
        let tied = if which == 0 { c } else { a };
        // The other two: one in a register, one wherever it is.
        let others = if which == 0 { [a, b] } else { [b, c] };
        let swap = self.registers.in_register(others[0]).is_none() && self.registers.in_register(others[1]).is_some();
        let [inner, last] = if swap { [others[1], others[0]] } else { others };
        let order = match (which == 0, swap) {
            (true, _) => FusedOrder::O231,
            (false, false) => FusedOrder::O213,
            (false, true) => FusedOrder::O132,
        };
        let fixed = (rank == 0).then(|| self.registers.load(&mut self.code, tied));
        let inner_register = (inner != tied).then(|| self.registers.load(&mut self.code, inner));
        let last_operand = (last != tied).then(|| self.registers.operand(&mut self.code, last));
        let to = match fixed {
            Some(register) => {
                self.registers.free_registers(&[tied]);
                register
            }
            None => {
                let register = self.registers.take(&mut self.code);
                match self.registers.in_register(tied) {
                    Some(from) => self.code.copy(self.target.width, register, from),
                    None => self.registers.fill(&mut self.code, register, tied),
                }
                register
            }
        };
        let inner = inner_register.unwrap_or(to);
        let last = last_operand.unwrap_or(MachineOperand::Register(to));
        self.code.fused(op, order, self.target.width, to, inner, last);
        self.registers.free_registers(&[a, b, c]);
        to
    }
}
