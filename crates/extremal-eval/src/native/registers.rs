//! Which value is where while straight-line code is emitted: in a register, in memory, or in both.

use crate::program::SpreadSlot;
use crate::slots::{MemorySlot, NOWHERE};
use crate::ssa::ValueId;

use super::operand::{AddressRegister, BEYOND, MachineOperand, Register};
use super::order::BlockItem;
use super::processor::{Assembler, Width};

const NO_REGISTER: Register = Register::MAX;
/// Used by nothing any more.
pub(super) const NEVER: u32 = u32::MAX;
/// A value used again within this many operations is worth a register.
const SOON: u32 = 24;
/// Places from here on are not in the memory of the program but in arrays that a loop goes along.
pub(super) const ARRAYS: MemorySlot = 1 << 31;

/// Registers and memory of one block under way.
///
/// When a register is needed and none is free, the value whose next use is farthest gives way (Belady); it is stored at most
/// once, for values never change.
pub(super) struct Registers {
    pub width: Width,
    count: usize,
    /// What each register holds.
    holds: [Option<ValueId>; 32],
    /// Registers that may not be given away during the present operation.
    locked: u32,
    /// Registers that keep what they hold for the whole block, whether it is used again or not.
    pinned: u32,
    register: Vec<Register>,
    /// Where each value stands in memory: fixed places of inputs, constants and kept values, or a place of its own.
    home: Vec<MemorySlot>,
    /// The homes of values that belong to no block.
    fixed: Vec<MemorySlot>,
    /// The next use of each value, and for every use in order the one after it.
    next: Vec<u32>,
    following: Vec<u32>,
    consumed: usize,
    position: u32,
    free_slots: Vec<MemorySlot>,
    first_slot: MemorySlot,
    next_slot: MemorySlot,
    /// The end of the memory that any block needed.
    pub end: MemorySlot,
    base: AddressRegister,
    /// The places from [`ARRAYS`] on.
    pub arrays: Vec<(AddressRegister, i32)>,
    /// By place: where a number stands that all lanes share, in bytes.
    spread: Vec<Option<i32>>,
}

impl Registers {
    pub fn new(width: Width, count: usize, fixed: &[MemorySlot], first_slot: MemorySlot) -> Registers {
        let values = fixed.len();
        Registers {
            width,
            count,
            holds: [None; 32],
            locked: 0,
            pinned: 0,
            register: vec![NO_REGISTER; values],
            home: fixed.to_vec(),
            fixed: fixed.to_vec(),
            next: vec![NEVER; values],
            following: Vec::new(),
            consumed: 0,
            position: 0,
            free_slots: Vec::new(),
            first_slot,
            next_slot: first_slot,
            end: first_slot,
            base: AddressRegister::GivenMemory,
            arrays: Vec::new(),
            spread: Vec::new(),
        }
    }

    /// Places that are never read themselves, but in every lane from one lane of another place.
    pub fn spread(&mut self, spreads: &[SpreadSlot]) {
        for SpreadSlot { slot, of, lane, .. } in spreads {
            let slot = *slot as usize;
            self.spread.resize(self.spread.len().max(slot + 1), None);
            self.spread[slot] = Some(self.bytes(*of).saturating_add(8 * *lane as i32));
        }
    }

    /// Makes room for so many values.
    pub fn reserve(&mut self, values: usize) {
        let values = values.max(self.home.len());
        self.register.resize(values, NO_REGISTER);
        self.home.resize(values, NOWHERE);
        self.fixed.resize(values, NOWHERE);
        self.next.resize(values, NEVER);
    }

    /// Prepares for a block whose memory is at `base`.
    pub fn begin(&mut self, items: &[BlockItem], base: AddressRegister) {
        self.base = base;
        self.following.clear();
        let mut operands = Vec::new();
        for (at, item) in items.iter().enumerate().rev() {
            operands.clear();
            item.for_each_operand(|value| operands.push(value));
            for value in operands.iter().rev() {
                self.following.push(std::mem::replace(&mut self.next[value.index()], at as u32));
            }
        }
        self.following.reverse();
        items.iter().for_each(|item| item.for_each_result(|value| self.home[value.index()] = NOWHERE));
        (self.consumed, self.position, self.pinned) = (0, 0, 0);
        self.holds = [None; 32];
        self.free_slots.clear();
        self.next_slot = self.first_slot;
    }

    /// Forgets the values of the block.
    pub fn finish(&mut self, items: &[BlockItem]) {
        self.end = self.end.max(self.next_slot);
        let mut forget = |value: ValueId| {
            self.register[value.index()] = NO_REGISTER;
            self.home[value.index()] = self.fixed[value.index()];
        };
        self.holds.iter().flatten().copied().for_each(&mut forget);
        for item in items {
            item.for_each_operand(&mut forget);
            item.for_each_result(&mut forget);
        }
    }

    /// Goes on to an item: from now on the next use of its operands is the one after it.
    pub fn advance(&mut self, item: &BlockItem, position: usize) {
        self.position = position as u32;
        self.locked = 0;
        item.for_each_operand(|value| {
            self.next[value.index()] = self.following[self.consumed];
            self.consumed += 1;
        });
    }

    /// Is the value needed no more after this item?
    pub fn dies(&self, value: ValueId) -> bool {
        self.next[value.index()] == NEVER && !self.in_register(value).is_some_and(|register| self.is_pinned(register))
    }

    /// Has the value been used for the last time, wherever it is?
    pub fn is_used_up(&self, value: ValueId) -> bool {
        self.next[value.index()] == NEVER
    }

    /// The value in a register that keeps it for the whole block.
    pub fn pin(&mut self, code: &mut Assembler, value: ValueId) -> Register {
        let register = self.load(code, value);
        self.pinned |= 1 << register;
        register
    }

    /// The same for a place in memory that no operation reads.
    pub fn pin_place(&mut self, code: &mut Assembler, slot: MemorySlot) -> Register {
        let register = self.take(code);
        code.load(self.width, register, self.base, self.bytes(slot));
        self.pinned |= 1 << register;
        register
    }

    pub fn is_pinned(&self, register: Register) -> bool {
        self.pinned >> register & 1 == 1
    }

    pub fn in_register(&self, value: ValueId) -> Option<Register> {
        Some(self.register[value.index()]).filter(|register| *register != NO_REGISTER)
    }

    /// The distance of a slot from the first, [`BEYOND`] where no instruction can have it.
    pub fn bytes(&self, slot: MemorySlot) -> i32 {
        debug_assert_ne!(slot, NOWHERE, "a value that is nowhere in memory");
        let bytes = slot as u64 * self.width.lanes() as u64 * 8;
        i32::try_from(bytes).unwrap_or(BEYOND)
    }

    /// Where the value stands in memory, if it does.
    pub fn home(&self, value: ValueId) -> MemorySlot {
        self.home[value.index()]
    }

    fn address(&self, slot: MemorySlot) -> (AddressRegister, i32) {
        match slot.checked_sub(ARRAYS) {
            Some(array) if slot != NOWHERE => self.arrays[array as usize],
            _ => (self.base, self.bytes(slot)),
        }
    }

    /// Registers that hold something.
    pub fn in_use(&self) -> Vec<Register> {
        let used = |register: &Register| self.holds[*register as usize].is_some() || self.is_pinned(*register);
        (0..self.count as Register).filter(used).collect()
    }

    /// The value wherever it is.
    pub fn anywhere(&self, value: ValueId) -> MachineOperand {
        self.in_register(value).map_or_else(|| self.memory(value), MachineOperand::Register)
    }

    /// The value in memory; only for values that are there.
    pub fn memory(&self, value: ValueId) -> MachineOperand {
        let home = self.home[value.index()];
        match self.shared(home) {
            Some(offset) => MachineOperand::Spread(self.base, offset),
            None => self.place(home),
        }
    }

    /// Where the number of a place stands that all lanes share.
    fn shared(&self, slot: MemorySlot) -> Option<i32> {
        self.spread.get(slot as usize).copied().flatten()
    }

    pub fn place(&self, slot: MemorySlot) -> MachineOperand {
        let (base, offset) = self.address(slot);
        MachineOperand::Memory(base, offset)
    }

    /// The value in a register that stays until the next item.
    pub fn load(&mut self, code: &mut Assembler, value: ValueId) -> Register {
        let register = self.in_register(value).unwrap_or_else(|| {
            let register = self.take(code);
            self.fill(code, register, value);
            self.put(value, register);
            register
        });
        self.locked |= 1 << register;
        register
    }

    /// Reads the value from memory.
    pub fn fill(&self, code: &mut Assembler, register: Register, value: ValueId) {
        match self.memory(value) {
            MachineOperand::Spread(base, offset) => code.load_spread(self.width, register, base, offset),
            MachineOperand::Memory(base, offset) => code.load(self.width, register, base, offset),
            MachineOperand::Register(from) => code.copy(self.width, register, from),
        }
    }

    /// The value as a last operand: in memory, if it is there and no register is to be had for its next use.
    pub fn operand(&mut self, code: &mut Assembler, value: ValueId) -> MachineOperand {
        let worth_it = || {
            let next = self.next[value.index()];
            next != NEVER && next <= self.position + SOON && self.holds[..self.count].iter().any(Option::is_none)
        };
        let must = || self.shared(self.home[value.index()]).is_some() && !code.spreads_operands();
        if self.in_register(value).is_some() || worth_it() || must() {
            MachineOperand::Register(self.load(code, value))
        } else {
            self.memory(value)
        }
    }

    /// Gives back the registers of operands that die here; their memory is kept until [`Registers::release`].
    pub fn free_registers(&mut self, operands: &[ValueId]) {
        for value in operands {
            if self.dies(*value) {
                if let Some(register) = self.in_register(*value) {
                    self.locked &= !(1 << register);
                }
                self.drop_register(*value);
            }
        }
    }

    /// Gives back everything that operands which die here have.
    pub fn release(&mut self, item: &BlockItem) {
        item.for_each_operand(|value| {
            if self.dies(value) {
                self.drop_register(value);
                let home = std::mem::replace(&mut self.home[value.index()], self.fixed[value.index()]);
                if home >= self.first_slot && home < ARRAYS {
                    self.free_slots.push(home);
                }
            }
        });
    }

    /// A register to write to. Code that stores what was in it may be emitted.
    pub fn take(&mut self, code: &mut Assembler) -> Register {
        let mut farthest: Option<(u32, ValueId)> = None;
        for (at, held) in self.holds[..self.count].iter().enumerate() {
            if (self.locked | self.pinned) >> at & 1 == 1 {
                continue;
            }
            let Some(value) = *held else { return at as Register };
            let next = self.next[value.index()];
            if farthest.is_none_or(|(farthest, _)| next > farthest) {
                farthest = Some((next, value));
            }
        }
        // An operation locks at most its three operands.
        let Some((_, value)) = farthest else { unreachable!("every register is locked") };
        let register = self.register[value.index()];
        self.store(code, value);
        self.drop_register(value);
        register
    }

    pub fn lock(&mut self, register: Register) {
        self.locked |= 1 << register;
    }

    pub fn unlock(&mut self) {
        self.locked = 0;
    }

    /// Sees to it that the value is in memory.
    pub fn store(&mut self, code: &mut Assembler, value: ValueId) {
        let index = value.index();
        if self.home[index] == NOWHERE {
            self.home[index] = self.free_slots.pop().unwrap_or_else(|| self.area(1));
            code.store(self.width, self.base, self.bytes(self.home[index]), self.register[index]);
        }
    }

    /// Stores everything that is still needed, and empties all registers.
    pub fn flush(&mut self, code: &mut Assembler) {
        for at in 0..self.count {
            if let Some(value) = self.holds[at] {
                if !self.dies(value) {
                    self.store(code, value);
                }
                self.drop_register(value);
            }
        }
    }

    /// Memory in a row.
    pub fn area(&mut self, slots: usize) -> MemorySlot {
        let first = self.next_slot;
        self.next_slot += slots as MemorySlot;
        first
    }

    /// The value now has this register, unless nobody wants it.
    pub fn put(&mut self, value: ValueId, register: Register) {
        if let Some(replaced) = self.holds[register as usize].replace(value) {
            self.register[replaced.index()] = NO_REGISTER;
        }
        self.register[value.index()] = register;
    }

    /// The value now has this place in memory.
    pub fn put_in_memory(&mut self, value: ValueId, slot: MemorySlot) {
        self.home[value.index()] = slot;
    }

    /// Copies a value to a place that is kept.
    pub fn keep(&mut self, code: &mut Assembler, value: ValueId, slot: MemorySlot) {
        let (base, offset) = self.address(slot);
        code.store(self.width, base, offset, self.register[value.index()]);
        if self.home[value.index()] == NOWHERE {
            self.home[value.index()] = slot;
        }
    }

    /// Drops a value that nobody needs.
    pub fn drop_if_dead(&mut self, value: ValueId) {
        if self.dies(value) {
            self.drop_register(value);
        }
    }

    fn drop_register(&mut self, value: ValueId) {
        let register = std::mem::replace(&mut self.register[value.index()], NO_REGISTER);
        if register != NO_REGISTER {
            self.holds[register as usize] = None;
        }
    }
}
