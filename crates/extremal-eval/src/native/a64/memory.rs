//! Loads and stores, wherever the numbers are.

use crate::native::operand::{AddressRegister, BEYOND, MachineOperand, Register};

use super::encoder::{A64Assembler, A64Width};

/// General registers for addresses on their way, which callers and callees may overwrite.
pub(super) const ADDRESS: u32 = 17;

/// A general register that holds an address. Those from x19 on are kept by what is called.
pub(super) fn number(base: AddressRegister) -> u32 {
    match base {
        AddressRegister::GivenMemory => 0,
        AddressRegister::GivenResults => 1,
        AddressRegister::Memory => 19,
        AddressRegister::Results => 20,
        AddressRegister::Fields => 21,
        AddressRegister::Temporaries => 22,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TransferKind {
    Load,
    Store,
}

/// Transfers of 8 or 16 bytes: with a distance in units of them, with one in bytes from −256 to 255, with one in a register.
struct Transfer {
    unit: i32,
    scaled: u32,
    unscaled: u32,
    by_register: u32,
}

impl Transfer {
    fn new(width: A64Width, direction: TransferKind) -> Transfer {
        let (unit, load, store) = match width {
            A64Width::One => (8, [0xfd40_0000, 0xfc40_0000, 0xfc60_6800], [0xfd00_0000, 0xfc00_0000, 0xfc20_6800]),
            A64Width::Four => (16, [0x3dc0_0000, 0x3cc0_0000, 0x3ce0_6800], [0x3d80_0000, 0x3c80_0000, 0x3ca0_6800]),
        };
        let [scaled, unscaled, by_register] = if direction == TransferKind::Load { load } else { store };
        Transfer { unit, scaled, unscaled, by_register }
    }

    /// The instruction for a distance that fits, without its registers.
    fn at(&self, offset: i32) -> Option<u32> {
        if offset >= 0 && offset % self.unit == 0 && offset / self.unit < 1 << 12 {
            Some(self.scaled | ((offset / self.unit) as u32) << 10)
        } else if (-256..256).contains(&offset) {
            Some(self.unscaled | (offset as u32 & 0x1ff) << 12)
        } else {
            None
        }
    }
}

impl A64Assembler {
    pub fn load(&mut self, width: A64Width, to: Register, base: AddressRegister, offset: i32) {
        self.transfer_all(width, TransferKind::Load, to, base, offset);
    }

    pub fn store(&mut self, width: A64Width, base: AddressRegister, offset: i32, from: Register) {
        self.transfer_all(width, TransferKind::Store, from, base, offset);
    }

    /// Loads from an operand in memory.
    pub fn load_from(&mut self, width: A64Width, to: Register, from: MachineOperand) {
        match from {
            MachineOperand::Register(register) => self.copy(width, to, register),
            MachineOperand::Memory(base, offset) => self.load(width, to, base, offset),
            MachineOperand::Spread(base, offset) => self.load_spread(width, to, base, offset),
        }
    }

    /// Stores to an operand in memory.
    pub fn store_at(&mut self, width: A64Width, to: MachineOperand, from: Register) {
        match to {
            MachineOperand::Register(register) => self.copy(width, register, from),
            MachineOperand::Memory(base, offset) => self.store(width, base, offset, from),
            // A place that lanes share is never written.
            MachineOperand::Spread(..) => self.fits = false,
        }
    }

    /// Loads a part of four numbers, or one number, to a register of the processor.
    pub(super) fn load_part(&mut self, width: A64Width, to: u32, base: AddressRegister, offset: i32, part: u8) {
        self.transfer(width, TransferKind::Load, to, base, further(offset, part));
    }

    fn transfer_all(
        &mut self,
        width: A64Width,
        direction: TransferKind,
        register: Register,
        base: AddressRegister,
        offset: i32,
    ) {
        if width == A64Width::Four && offset % 16 == 0 && (-1024..1024 - 15).contains(&offset) {
            let code = if direction == TransferKind::Load { 0xad40_0000 } else { 0xad00_0000 }; // ldp, stp
            let [low, high] = [0, 1].map(|part| width.register(register, part));
            let units = (offset / 16) as u32 & 0x7f;
            return self.word(code | units << 15 | high << 10 | number(base) << 5 | low);
        }
        for part in 0..width.parts() {
            self.transfer(width, direction, width.register(register, part), base, further(offset, part));
        }
    }

    fn transfer(
        &mut self,
        width: A64Width,
        direction: TransferKind,
        register: u32,
        base: AddressRegister,
        offset: i32,
    ) {
        self.note_offset(offset);
        let transfer = Transfer::new(width, direction);
        let base = number(base);
        if let Some(code) = transfer.at(offset) {
            return self.word(code | base << 5 | register);
        }
        match transfer.at(offset & 0xfff) {
            Some(code) if (0..1 << 24).contains(&offset) => {
                self.add_pages(ADDRESS, base, offset);
                self.word(code | ADDRESS << 5 | register);
            }
            _ => {
                self.number(ADDRESS, i64::from(offset) as u64);
                self.word(transfer.by_register | ADDRESS << 16 | base << 5 | register);
            }
        }
    }

    /// `to = from + offset`, without the last twelve bits of the offset, which has 24.
    fn add_pages(&mut self, to: u32, from: u32, offset: i32) {
        self.word(0x9140_0000 | ((offset >> 12) as u32) << 10 | from << 5 | to); // add, lsl 12
    }

    /// `to = base + offset`, an address.
    pub(super) fn address(&mut self, to: u32, base: AddressRegister, offset: i32) {
        self.note_offset(offset);
        let mut base = number(base);
        if (0..1 << 24).contains(&offset) {
            if offset >= 1 << 12 {
                self.add_pages(to, base, offset);
                base = to;
            }
            self.word(0x9100_0000 | ((offset & 0xfff) as u32) << 10 | base << 5 | to); // add
        } else {
            self.number(ADDRESS, i64::from(offset) as u64);
            self.word(0x8b00_0000 | ADDRESS << 16 | base << 5 | to); // add
        }
    }

    /// Any number of 64 bits in a general register, by as many instructions as it has parts that are not all alike.
    pub(super) fn number(&mut self, to: u32, number: u64) {
        let inverted = (number as i64) < 0;
        let common = if inverted { 0xffff } else { 0 };
        let parts = [0, 1, 2, 3].map(|at| (at, (number >> (16 * at)) as u32 & 0xffff));
        let mut told = parts.into_iter().filter(|(_, part)| *part != common);
        let (at, part) = told.next().unwrap_or((0, common));
        let (code, part) = if inverted { (0x9280_0000, !part & 0xffff) } else { (0xd280_0000, part) }; // movn, movz
        self.word(code | at << 21 | part << 5 | to);
        for (at, part) in told {
            self.word(0xf280_0000 | at << 21 | part << 5 | to); // movk
        }
    }
}

fn further(offset: i32, part: u8) -> i32 {
    offset.checked_add(16 * i32::from(part)).unwrap_or(BEYOND)
}
