//! Jumps, rounds, calls, and the beginnings and ends of functions.
//!
//! The memory is in x19, other addresses in x20 to x22, the rounds that are left in x23 and the tries in x24.

use crate::native::operand::{AddressRegister, MachineOperand, Register};

use super::encoder::{A64Assembler, A64Width, Flags};

const ROUNDS: u32 = 23;
const TRIES: u32 = 24;

/// Jumps by the distance of so many words: a number of bits, from a bit on.
const CONDITIONAL: (u32, u32) = (19, 5);
const ALWAYS: (u32, u32) = (26, 0);

impl A64Assembler {
    /// Jumps if the number is zero; returns the end of the jump, which is to be given to [`A64Assembler::land`].
    pub fn jump_if_zero(&mut self, number: Register, _: MachineOperand) -> usize {
        self.compare_with_zero(number);
        self.jump_if(Flags::Equal)
    }

    /// Jumps unless a < b, or a ≤ b where `or_equal`; a NaN is neither.
    pub fn jump_unless_less(&mut self, a: MachineOperand, b: Register, or_equal: bool) -> usize {
        self.compare_to_flags(b, a);
        self.jump_if(if or_equal { Flags::LessOrUnordered } else { Flags::LessEqualOrUnordered })
    }

    /// Jumps unless the condition, 1 or 0 in every lane, holds in all of them.
    pub fn jump_unless_all(&mut self, width: A64Width, condition: Register, one: MachineOperand) -> usize {
        self.test_all(width, condition, one);
        self.jump_if(Flags::Equal)
    }

    /// Counts a round and goes back to `top` unless it was the last or the flags of [`A64Assembler::test_all`] say that all hold;
    /// where it was the last and they do not, the number of rounds left is as large as a number can be.
    pub fn next_round_unless_all(&mut self, top: usize) {
        self.count_down(ROUNDS);
        let settled = self.jump_if(Flags::NotEqual);
        self.back_unless_zero(ROUNDS, top);
        self.number(ROUNDS, u64::MAX);
        self.land(settled);
    }

    /// Jumps unless the numbers are less than the limit in all lanes.
    pub fn jump_unless_all_less(&mut self, width: A64Width, a: Register, limit: MachineOperand, _: Register) -> usize {
        self.test_all_less(width, a, limit);
        self.jump_if(Flags::NotEqual)
    }

    fn jump_if(&mut self, flags: Flags) -> usize {
        self.word(0x5400_0000 | flags as u32); // b.cond
        self.bytes.len()
    }

    /// Jumps; for [`A64Assembler::land`].
    pub fn jump(&mut self) -> usize {
        self.word(0x1400_0000); // b
        self.bytes.len()
    }

    /// Jumps to where code is already.
    pub fn jump_back(&mut self, to: usize) {
        let jump = self.jump();
        self.lead(jump, to);
    }

    /// The jump that ends at `jump` leads here.
    pub fn land(&mut self, jump: usize) {
        self.lead(jump, self.bytes.len());
    }

    /// Sets the distance of a jump.
    fn lead(&mut self, jump: usize, to: usize) {
        let at = jump - 4;
        let mut word = [0; 4];
        word.copy_from_slice(&self.bytes[at..jump]);
        let word = u32::from_le_bytes(word);
        let (bits, first) = if word >> 26 == 0x05 { ALWAYS } else { CONDITIONAL };
        let words = (to as i64 - at as i64) / 4;
        self.fits &= (-(1 << (bits - 1))..1 << (bits - 1)).contains(&words);
        let field = (words as u32 & ((1 << bits) - 1)) << first;
        self.bytes[at..jump].copy_from_slice(&(word | field).to_le_bytes());
    }

    fn count_down(&mut self, counter: u32) {
        self.word(0xd100_0400 | counter << 5 | counter); // sub, 1
    }

    fn back_unless_zero(&mut self, counter: u32, top: usize) {
        self.word(0xb500_0000 | counter); // cbnz
        self.lead(self.bytes.len(), top);
    }

    /// Sets the number of tries.
    pub fn set_tries(&mut self, tries: u32) {
        self.number(TRIES, u64::from(tries));
    }

    /// Counts a try and goes back to `top` unless it was the last.
    pub fn next_try(&mut self, top: usize) {
        self.count_down(TRIES);
        self.back_unless_zero(TRIES, top);
    }

    /// Counts a round and goes back to `top` unless it was the last.
    pub fn next_round(&mut self, top: usize) {
        self.count_down(ROUNDS);
        self.back_unless_zero(ROUNDS, top);
    }

    /// Functions begin on their own cache lines. Those of lanes keep the registers that callers want kept.
    pub fn begin(&mut self, width: A64Width) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(64), 0);
        let begin = self.bytes.len();
        if width == A64Width::Four {
            self.word(0x6dbc_27e8); // stp d8, d9, [sp, -64]!
            self.word(0x6d01_2fea); // stp d10, d11, [sp, 16]
            self.word(0x6d02_37ec); // stp d12, d13, [sp, 32]
            self.word(0x6d03_3fee); // stp d14, d15, [sp, 48]
        }
        begin
    }

    /// Ends a function that [`A64Assembler::begin`] began, behind what leaves it.
    pub fn end(&mut self, width: A64Width) {
        if width == A64Width::Four {
            self.word(0x6d43_3fee); // ldp d14, d15, [sp, 48]
            self.word(0x6d42_37ec); // ldp d12, d13, [sp, 32]
            self.word(0x6d41_2fea); // ldp d10, d11, [sp, 16]
            self.word(0x6cc4_27e8); // ldp d8, d9, [sp], 64
        }
        self.word(0xd65f_03c0); // ret
    }

    /// Keeps what a caller wants kept: where it goes on, and the registers of addresses and counters.
    fn keep(&mut self) {
        self.word(0xa9bc_53f3); // stp x19, x20, [sp, -64]!
        self.word(0xa901_5bf5); // stp x21, x22, [sp, 16]
        self.word(0xa902_63f7); // stp x23, x24, [sp, 32]
        self.word(0xf900_1bfe); // str x30, [sp, 48]
    }

    fn give_back(&mut self) {
        self.word(0xf940_1bfe); // ldr x30, [sp, 48]
        self.word(0xa942_63f7); // ldp x23, x24, [sp, 32]
        self.word(0xa941_5bf5); // ldp x21, x22, [sp, 16]
        self.word(0xa8c4_53f3); // ldp x19, x20, [sp], 64
    }

    /// Moves arguments out of the way of calls.
    fn move_arguments(&mut self, to: &[(u32, u32)]) {
        for (to, argument) in to {
            self.word(0xaa00_03e0 | argument << 16 | to); // mov
        }
    }

    /// Begins to work on memory, with a place for results.
    pub fn enter(&mut self) {
        self.keep();
        self.move_arguments(&[(19, 0), (20, 1)]);
    }

    pub fn leave(&mut self) {
        self.give_back();
    }

    /// Like [`A64Assembler::enter`] for a function of memory and, as its third argument, a number of rounds.
    pub fn enter_rounds(&mut self) {
        self.keep();
        self.move_arguments(&[(19, 0), (ROUNDS, 2)]);
    }

    /// The same with an address to go along, the second argument.
    pub fn enter_traced_rounds(&mut self) {
        self.keep();
        self.move_arguments(&[(19, 0), (21, 1), (ROUNDS, 2)]);
    }

    /// Moves the address on by a number.
    pub fn next_in_trace(&mut self) {
        self.word(0x9100_22b5); // add x21, x21, 8
    }

    /// Returns the number of rounds that are left.
    pub fn leave_rounds(&mut self) {
        self.move_arguments(&[(0, ROUNDS)]);
        self.give_back();
    }

    /// Like [`A64Assembler::leave_rounds`].
    pub fn leave_traced_rounds(&mut self) {
        self.leave_rounds();
    }

    /// Like [`A64Assembler::enter`] for a function of memory, three addresses to go along, and a number of rounds.
    pub fn enter_array_loop(&mut self) {
        self.keep();
        self.move_arguments(&[(19, 0), (21, 1), (20, 2), (22, 3), (ROUNDS, 4)]);
    }

    /// Moves the three addresses on by `bytes`, and goes back to `top` unless it was the last round.
    pub fn next_members(&mut self, bytes: usize, top: usize) {
        self.fits &= bytes < 1 << 12;
        for register in [20, 21, 22] {
            self.word(0x9100_0000 | (bytes as u32 & 0xfff) << 10 | register << 5 | register); // add
        }
        self.next_round(top);
    }

    pub fn leave_array_loop(&mut self) {
        self.give_back();
    }

    /// The first argument: an address in the memory.
    pub fn first_argument(&mut self, offset: i32) {
        self.address(0, AddressRegister::Memory, offset);
    }

    /// The second argument: an address in the memory.
    pub fn second_argument(&mut self, offset: i32) {
        self.address(1, AddressRegister::Memory, offset);
    }

    /// The third argument: a number.
    pub fn third_argument(&mut self, count: usize) {
        self.number(2, count as u64);
    }

    /// The second argument: an address anywhere.
    pub fn second_argument_at(&mut self, address: usize) {
        self.number(1, address as u64);
    }

    /// The fourth argument: an address anywhere.
    pub fn fourth_argument_at(&mut self, address: usize) {
        self.number(3, address as u64);
    }

    pub fn call(&mut self, address: usize) {
        self.number(16, address as u64);
        self.word(0xd63f_0200); // blr x16
    }
}
