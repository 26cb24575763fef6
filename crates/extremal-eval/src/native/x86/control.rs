//! Jumps, rounds, calls, and the beginnings and ends of functions.

use super::encoder::{Predicate, X86Assembler, X86Width};
use crate::native::operand::{MachineOperand, Register};

impl X86Assembler {
    /// Jumps if the number is zero; returns the end of the jump, which is to be given to [`X86Assembler::land`].
    pub fn jump_if_zero(&mut self, number: Register, zero: MachineOperand) -> usize {
        self.compare_to_flags(number, zero);
        self.bytes.extend([0x0f, 0x84, 0, 0, 0, 0]); // je
        self.bytes.len()
    }

    /// Jumps unless a < b, or a ≤ b where `or_equal`; a NaN is neither.
    pub fn jump_unless_less(&mut self, a: MachineOperand, b: Register, or_equal: bool) -> usize {
        self.compare_to_flags(b, a);
        self.bytes.extend([0x0f, if or_equal { 0x82 } else { 0x86 }, 0, 0, 0, 0]); // jb, jbe
        self.bytes.len()
    }

    /// Jumps unless the condition, 1 or 0 in every lane, holds in all of them.
    pub fn jump_unless_all(&mut self, width: X86Width, condition: Register, one: MachineOperand) -> usize {
        self.test_all(width, condition, one);
        let jump = if self.masks { 0x85 } else { 0x83 }; // jne, jae
        self.bytes.extend([0x0f, jump, 0, 0, 0, 0]);
        self.bytes.len()
    }

    /// Sets the flags by whether the condition, 1 or 0 in every lane, holds in all of them.
    pub fn test_all(&mut self, width: X86Width, condition: Register, one: MachineOperand) {
        if self.masks {
            self.compare_to_mask(Predicate::NotEqual, width, condition, one);
            self.test_mask(width);
        } else {
            self.test_bits(width, condition, one);
        }
    }

    /// Counts a round and goes back to `top` unless it was the last or the flags of [`X86Assembler::test_all`] say that all hold;
    /// where it was the last and they do not, the number of rounds left is as large as a number can be.
    pub fn next_round_unless_all(&mut self, top: usize) {
        self.bytes.extend([0x4d, 0x8d, 0x7f, 0xff]); // lea r15, [r15 - 1]
        let jump = if self.masks { 0x84 } else { 0x82 }; // je, jb
        self.bytes.extend([0x0f, jump, 0, 0, 0, 0]);
        let settled = self.bytes.len();
        self.bytes.extend([0x4d, 0x85, 0xff, 0x0f, 0x85]); // test r15, r15; jne
        self.distance_back(top);
        self.bytes.extend([0x49, 0x83, 0xcf, 0xff]); // or r15, -1
        self.land(settled);
    }

    /// Jumps unless the numbers are less than the limit in all lanes; `scratch` is overwritten.
    pub fn jump_unless_all_less(
        &mut self,
        width: X86Width,
        a: Register,
        limit: MachineOperand,
        scratch: Register,
    ) -> usize {
        if self.masks {
            self.compare_to_mask(Predicate::NotLess, width, a, limit);
            self.test_mask(width);
        } else {
            self.compare_to_bits(Predicate::NotLess, width, scratch, a, limit);
            self.test_signs(width, scratch, MachineOperand::Register(scratch));
        }
        self.bytes.extend([0x0f, 0x85, 0, 0, 0, 0]); // jne
        self.bytes.len()
    }

    /// Jumps to where code is already.
    pub fn jump_back(&mut self, to: usize) {
        self.bytes.push(0xe9); // jmp
        self.distance_back(to);
    }

    /// Jumps; for [`X86Assembler::land`].
    pub fn jump(&mut self) -> usize {
        self.bytes.extend([0xe9, 0, 0, 0, 0]); // jmp
        self.bytes.len()
    }

    /// The jump that ends at `jump` leads here.
    pub fn land(&mut self, jump: usize) {
        let distance = self.fitting(i32::try_from(self.bytes.len() - jump));
        self.bytes[jump - 4..jump].copy_from_slice(&distance.to_le_bytes());
    }

    /// The last part of a jump to where code is already.
    fn distance_back(&mut self, to: usize) {
        let distance = self.fitting(i32::try_from(to as i64 - (self.bytes.len() as i64 + 4)));
        self.bytes.extend(distance.to_le_bytes());
    }

    /// Like [`X86Assembler::enter`] for a function of memory and, as its third argument, a number of rounds.
    pub fn enter_rounds(&mut self) {
        self.bytes.extend([0x53, 0x41, 0x56, 0x41, 0x57]); // push rbx; push r14; push r15
        self.bytes.extend([0x48, 0x89, 0xfb, 0x49, 0x89, 0xd7]); // mov rbx, rdi; mov r15, rdx
    }

    /// The same with an address to go along, the second argument.
    pub fn enter_traced_rounds(&mut self) {
        self.bytes.extend([0x53, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57]); // push rbx; push r13; push r14; push r15
        self.bytes.extend([0x48, 0x83, 0xec, 0x08]); // sub rsp, 8
        self.bytes.extend([0x48, 0x89, 0xfb, 0x49, 0x89, 0xf5, 0x49, 0x89, 0xd7]); // mov rbx, rdi; mov r13, rsi; mov r15, rdx
    }

    /// Moves the address on by a number.
    pub fn next_in_trace(&mut self) {
        self.bytes.extend([0x49, 0x83, 0xc5, 0x08]); // add r13, 8
    }

    /// Like [`X86Assembler::leave_rounds`].
    pub fn leave_traced_rounds(&mut self) {
        self.bytes.extend([0x4c, 0x89, 0xf8, 0x48, 0x83, 0xc4, 0x08]); // mov rax, r15; add rsp, 8
        self.bytes.extend([0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x5b]); // pop r15; pop r14; pop r13; pop rbx
    }

    /// Sets the number of tries.
    pub fn set_tries(&mut self, tries: u32) {
        self.bytes.extend([0x41, 0xbe]); // mov r14d, tries
        self.bytes.extend(tries.to_le_bytes());
    }

    /// Counts a try and goes back to `top` unless it was the last.
    pub fn next_try(&mut self, top: usize) {
        self.bytes.extend([0x41, 0xff, 0xce, 0x0f, 0x85]); // dec r14d; jne
        self.distance_back(top);
    }

    /// Counts a round and goes back to `top` unless it was the last.
    pub fn next_round(&mut self, top: usize) {
        self.bytes.extend([0x49, 0xff, 0xcf, 0x0f, 0x85]); // dec r15; jne
        self.distance_back(top);
    }

    /// Returns the number of rounds that are left.
    pub fn leave_rounds(&mut self) {
        self.bytes.extend([0x4c, 0x89, 0xf8, 0x41, 0x5f, 0x41, 0x5e, 0x5b]); // mov rax, r15; pop r15; pop r14; pop rbx
    }

    /// Like [`X86Assembler::enter`] for a function of memory, three addresses to go along, and a number of rounds.
    pub fn enter_array_loop(&mut self) {
        self.bytes.extend([0x53, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57]); // push rbx, r12, r13, r14, r15
        self.bytes.extend([0x48, 0x89, 0xfb, 0x49, 0x89, 0xf5]); // mov rbx, rdi; mov r13, rsi
        self.bytes.extend([0x49, 0x89, 0xd6, 0x49, 0x89, 0xcf, 0x4d, 0x89, 0xc4]); // mov r14, rdx; mov r15, rcx; mov r12, r8
    }

    /// Moves the three addresses on by `bytes`, and goes back to `top` unless it was the last round.
    pub fn next_members(&mut self, bytes: usize, top: usize) {
        let bytes = self.fitting(i8::try_from(bytes)) as u8;
        for register in [0xc5, 0xc6, 0xc7] {
            self.bytes.extend([0x49, 0x83, register, bytes]); // add r13, r14, r15
        }
        self.bytes.extend([0x49, 0xff, 0xcc, 0x0f, 0x85]); // dec r12; jne
        self.distance_back(top);
    }

    pub fn leave_array_loop(&mut self) {
        self.bytes.extend([0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5b]); // pop r15, r14, r13, r12, rbx
    }

    /// Keeps what a caller wants kept, aligns the stack, and moves the two arguments out of the way of calls.
    pub fn enter(&mut self) {
        self.bytes.extend([0x53, 0x41, 0x56, 0x48, 0x83, 0xec, 0x08]); // push rbx; push r14; sub rsp, 8
        self.bytes.extend([0x48, 0x89, 0xfb, 0x49, 0x89, 0xf6]); // mov rbx, rdi; mov r14, rsi
    }

    pub fn leave(&mut self) {
        self.bytes.extend([0x48, 0x83, 0xc4, 0x08, 0x41, 0x5e, 0x5b]); // add rsp, 8; pop r14; pop rbx
    }

    /// Functions begin on their own cache lines.
    pub fn begin(&mut self, _: X86Width) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(64), 0xcc);
        self.bytes.len()
    }

    /// Ends a function that [`X86Assembler::begin`] began, behind what leaves it.
    pub fn end(&mut self, width: X86Width) {
        if width != X86Width::One {
            self.bytes.extend([0xc5, 0xf8, 0x77]); // vzeroupper
        }
        self.ret();
    }

    pub(super) fn ret(&mut self) {
        self.bytes.push(0xc3);
    }

    /// `rdi = rbx + offset`
    pub fn first_argument(&mut self, offset: i32) {
        self.bytes.extend([0x48, 0x8d, 0xbb]);
        self.offset(offset);
    }

    /// `rsi = rbx + offset`
    pub fn second_argument(&mut self, offset: i32) {
        self.bytes.extend([0x48, 0x8d, 0xb3]);
        self.offset(offset);
    }

    /// `rdx = count`
    pub fn third_argument(&mut self, count: usize) {
        let count = self.fitting(u32::try_from(count));
        self.bytes.push(0xba);
        self.bytes.extend(count.to_le_bytes());
    }

    /// `rsi = address`
    pub fn second_argument_at(&mut self, address: usize) {
        self.bytes.extend([0x48, 0xbe]);
        self.bytes.extend((address as u64).to_le_bytes());
    }

    /// `rcx = address`
    pub fn fourth_argument_at(&mut self, address: usize) {
        self.bytes.extend([0x48, 0xb9]);
        self.bytes.extend((address as u64).to_le_bytes());
    }

    pub fn call(&mut self, address: usize) {
        self.bytes.extend([0x48, 0xb8]);
        self.bytes.extend((address as u64).to_le_bytes());
        self.bytes.extend([0xff, 0xd0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::operand::{AddressRegister, BEYOND};

    #[test]
    fn jumps_lead_where_they_land() {
        let mut code = X86Assembler::new(false);
        let top = code.bytes.len();
        let over = code.jump();
        code.bytes.extend([0x90; 300]);
        code.jump_back(top);
        code.land(over);
        // e9 with the distance from the end of the instruction: 300 and another jump ahead, then all of it back.
        assert_eq!(code.bytes[..5], [0xe9, 0x31, 0x01, 0, 0]);
        assert_eq!(code.bytes[305..], [0xe9, 0xca, 0xfe, 0xff, 0xff]);
        assert!(code.fits);
    }

    #[test]
    fn what_does_not_fit_an_instruction_is_noticed() {
        type Emit = fn(&mut X86Assembler);
        let beyond: [(&str, Emit); 5] = [
            ("an offset", |code| code.load(X86Width::One, 0, AddressRegister::Memory, BEYOND)),
            ("an argument", |code| code.first_argument(BEYOND)),
            // The second half of a wide operand is 64 bytes on.
            ("a second half", |code| code.load(X86Width::Sixteen, 0, AddressRegister::Memory, i32::MAX - 63)),
            ("a count", |code| code.third_argument(1 << 40)),
            ("a member", |code| code.next_members(128, 0)),
        ];
        for (what, emit) in beyond {
            let mut code = X86Assembler::new(true);
            emit(&mut code);
            assert!(!code.fits, "{what}");
        }
        let within: [Emit; 4] = [
            |code| code.load(X86Width::Sixteen, 0, AddressRegister::Memory, i32::MAX - 65),
            |code| code.first_argument(i32::MAX - 1),
            |code| code.third_argument(u32::MAX as usize),
            |code| code.next_members(64, 0),
        ];
        for emit in within {
            let mut code = X86Assembler::new(true);
            emit(&mut code);
            assert!(code.fits);
        }
    }
}
