//! Fused operations: of one number with a result anywhere, of four numbers with a result that takes the place of the sum.

use crate::native::emit::Emitter;
use crate::native::operand::{Fused, Register};
use crate::ssa::ValueId;

use super::encoder::A64Width;

impl Emitter {
    /// `±a·b ± c`.
    pub(in crate::native) fn fused(&mut self, op: Fused, a: ValueId, b: ValueId, c: ValueId) -> Register {
        let (a, b) = if self.registers.in_register(a).is_none() { (b, a) } else { (a, b) };
        match self.target.width {
            A64Width::One => {
                let first = self.registers.load(&mut self.code, a);
                let second = self.registers.operand(&mut self.code, b);
                let third = self.registers.operand(&mut self.code, c);
                let to = self.result(&[a, b, c]);
                self.code.fused_one(op, to, first, second, third);
                to
            }
            A64Width::Four => {
                let ends = self.registers.dies(c) && c != a && c != b;
                let own = self.registers.in_register(c).filter(|_| ends);
                own.into_iter().for_each(|register| self.registers.lock(register));
                let first = self.registers.load(&mut self.code, a);
                let second = self.registers.operand(&mut self.code, b);
                let to = own.unwrap_or_else(|| {
                    let to = self.registers.take(&mut self.code);
                    self.registers.lock(to);
                    match self.registers.in_register(c) {
                        Some(from) => self.code.copy(A64Width::Four, to, from),
                        None => self.registers.fill(&mut self.code, to, c),
                    }
                    to
                });
                if op == Fused::MulSub {
                    self.code.negate_own(to);
                }
                self.code.accumulate(op, to, first, second);
                self.registers.free_registers(&[a, b, c]);
                to
            }
        }
    }
}
