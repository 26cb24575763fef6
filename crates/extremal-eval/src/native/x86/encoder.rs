//! The few x86-64 instructions a program needs, as bytes (Intel's manual, volume 2, sections 2.3 and 2.7).
//!
//! Vector registers are 0 to 31; those from 16 on, and numbers in memory that all lanes share, exist with AVX-512 only.

use extremal_expr::Relation;

use crate::native::operand::{AddressRegister, BEYOND, Binary, Bits, Fused, MachineOperand, Register};

/// The number of a register of addresses: rdi, rsi, rbx, r14, r13, r15.
fn number(base: AddressRegister) -> u8 {
    match base {
        AddressRegister::GivenMemory => 7,
        AddressRegister::GivenResults => 6,
        AddressRegister::Memory => 3,
        AddressRegister::Results => 14,
        AddressRegister::Fields => 13,
        AddressRegister::Temporaries => 15,
    }
}

fn predicate(comparison: Relation) -> Predicate {
    match comparison {
        Relation::Lt => Predicate::Less,
        Relation::Le => Predicate::LessOrEqual,
        Relation::Eq => Predicate::Equal,
        Relation::Ne => Predicate::NotEqual,
    }
}

/// How many numbers an instruction works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::native) enum X86Width {
    One,
    Four,
    Eight,
    /// Eight and eight: every instruction twice, the second time on the registers from 16 on. While one half waits for its last
    /// result, the other goes on.
    Sixteen,
}

impl X86Width {
    pub fn lanes(self) -> usize {
        match self {
            X86Width::One => 1,
            X86Width::Four => 4,
            X86Width::Eight => 8,
            X86Width::Sixteen => 16,
        }
    }

    /// How many instructions work on all numbers.
    pub fn halves(self) -> u8 {
        if self == X86Width::Sixteen { 2 } else { 1 }
    }

    /// The field L of the prefixes.
    fn code(self) -> u8 {
        match self {
            X86Width::One => 0,
            X86Width::Four => 1,
            X86Width::Eight | X86Width::Sixteen => 2,
        }
    }
}

/// An instruction: the map its code belongs to, the mandatory prefix, the code, whether it needs the bit W, and whether it
/// works on one number or on a whole register.
#[derive(Clone, Copy, Debug)]
struct Opcode {
    map: u8,
    prefix: u8,
    byte: u8,
    wide: bool,
    scalar: bool,
}

const fn packed(byte: u8) -> Opcode {
    Opcode { map: 1, prefix: 1, byte, wide: false, scalar: false }
}

/// Arithmetic on one number or on all lanes: the same code with another prefix.
const fn arithmetic(byte: u8, width: X86Width) -> Opcode {
    match width {
        X86Width::One => Opcode { prefix: 3, scalar: true, ..packed(byte) },
        _ => packed(byte),
    }
}

/// Fused operations have neighbouring codes for all lanes and for one.
const fn fused(byte: u8, width: X86Width) -> Opcode {
    let scalar = matches!(width, X86Width::One);
    Opcode { map: 2, byte: byte + scalar as u8, wide: true, scalar, ..packed(byte) }
}

/// Which operand of a fused operation is overwritten, after Intel's names: `x·z ± y`, `y·x ± z`, `y·z ± x` with the result in x.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FusedOrder {
    O132 = 0,
    O213 = 0x10,
    O231 = 0x20,
}

/// Predicates of comparisons that are quiet about NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Predicate {
    Equal = 0,
    Unordered = 3,
    NotEqual = 4,
    Less = 0x11,
    LessOrEqual = 0x12,
    NotLess = 0x15,
}

/// The mask register in use; the next one is that of the second half.
const MASK: u8 = 1;

/// What happens to the lanes a mask leaves out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Masking {
    None,
    Zero,
    Blend,
}

/// What stands in the field that has the first register of most instructions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstField {
    Register(Register),
    /// The mask.
    Mask,
    /// A part of the code of the operation.
    Extension(u8),
}

/// An instruction on vectors.
#[derive(Clone, Copy)]
struct VectorInstruction {
    op: Opcode,
    width: X86Width,
    first: FirstField,
    second: Option<Register>,
    last: MachineOperand,
    masking: Masking,
    immediate: Option<u8>,
}

impl VectorInstruction {
    fn new(
        op: Opcode,
        width: X86Width,
        first: FirstField,
        second: Option<Register>,
        last: MachineOperand,
    ) -> VectorInstruction {
        VectorInstruction { op, width, first, second, last, masking: Masking::None, immediate: None }
    }

    fn with(self, immediate: u8) -> VectorInstruction {
        VectorInstruction { immediate: Some(immediate), ..self }
    }

    /// The same on the registers from 16 on.
    fn second_half(self) -> VectorInstruction {
        let higher = |register: Register| register + 16;
        VectorInstruction {
            first: match self.first {
                FirstField::Register(register) => FirstField::Register(higher(register)),
                other => other,
            },
            second: self.second.map(higher),
            last: match self.last {
                MachineOperand::Register(register) => MachineOperand::Register(higher(register)),
                MachineOperand::Memory(base, offset) if !self.op.scalar => {
                    MachineOperand::Memory(base, offset.checked_add(64).unwrap_or(BEYOND))
                }
                shared => shared,
            },
            ..self
        }
    }

    /// Does it need the prefix of AVX-512?
    fn is_long(&self) -> bool {
        let high = |register: Register| register >= 16;
        let first = match self.first {
            FirstField::Register(register) => high(register),
            FirstField::Mask => true,
            FirstField::Extension(_) => false,
        };
        let last = match self.last {
            MachineOperand::Register(register) => high(register),
            MachineOperand::Memory(..) => false,
            MachineOperand::Spread(..) => true,
        };
        let wide = self.width.code() == 2 || self.masking != Masking::None;
        wide || first || last || self.second.is_some_and(high)
    }
}

/// Code under construction.
pub(in crate::native) struct X86Assembler {
    pub bytes: Vec<u8>,
    /// Comparisons give masks (AVX-512) instead of bits.
    pub(super) masks: bool,
    /// Every distance and number so far fits its field. Code for which this does not hold must not run.
    pub(in crate::native) fits: bool,
}

impl X86Assembler {
    pub fn new(masks: bool) -> X86Assembler {
        X86Assembler { bytes: Vec::new(), masks, fits: true }
    }

    /// A number for a field of an instruction; anything where it does not fit, which is noted.
    pub(super) fn fitting<T: Default, E>(&mut self, number: Result<T, E>) -> T {
        self.fits &= number.is_ok();
        number.unwrap_or_default()
    }

    /// An offset of four bytes.
    pub(super) fn offset(&mut self, offset: i32) {
        self.fits &= offset != BEYOND;
        self.bytes.extend(offset.to_le_bytes());
    }

    pub fn binary(&mut self, op: Binary, width: X86Width, to: Register, a: Register, b: MachineOperand) {
        let byte = match op {
            Binary::Add => 0x58,
            Binary::Mul => 0x59,
            Binary::Sub => 0x5c,
            Binary::Min => 0x5d,
            Binary::Div => 0x5e,
            Binary::Max => 0x5f,
            Binary::Sqrt => 0x51,
        };
        // The packed root has one operand only.
        let a = Some(a).filter(|_| op != Binary::Sqrt || width == X86Width::One);
        self.vector(arithmetic(byte, width), width, to, a, b);
    }

    pub(super) fn fused(
        &mut self,
        op: Fused,
        order: FusedOrder,
        width: X86Width,
        x: Register,
        y: Register,
        z: MachineOperand,
    ) {
        let byte = match op {
            Fused::MulAdd => 0x98,
            Fused::MulSub => 0x9a,
            Fused::SubMul => 0x9c,
        };
        self.vector(fused(byte + order as u8, width), width, x, Some(y), z);
    }

    pub fn bits(&mut self, op: Bits, width: X86Width, to: Register, a: Register, b: MachineOperand) {
        let byte = match op {
            Bits::And => 0x54,
            Bits::Or => 0x56,
            Bits::Xor => 0x57,
        };
        self.vector(packed(byte), width, to, Some(a), b);
    }

    pub fn load(&mut self, width: X86Width, to: Register, base: AddressRegister, offset: i32) {
        self.load_from(width, to, MachineOperand::Memory(base, offset));
    }

    /// Can operands be numbers that all lanes share?
    pub fn spreads_operands(&self) -> bool {
        self.masks
    }

    /// Gives all lanes the number at an address.
    pub fn load_spread(&mut self, width: X86Width, to: Register, base: AddressRegister, offset: i32) {
        let op = Opcode { map: 2, scalar: true, ..packed(0x19) }; // vbroadcastsd
        self.vector(op, width, to, None, MachineOperand::Memory(base, offset));
    }

    pub fn store(&mut self, width: X86Width, base: AddressRegister, offset: i32, from: Register) {
        self.store_at(width, MachineOperand::Memory(base, offset), from);
    }

    /// Loads from an operand in memory.
    pub fn load_from(&mut self, width: X86Width, to: Register, from: MachineOperand) {
        self.vector(arithmetic(0x10, width), width, to, None, from);
    }

    /// Stores to an operand in memory.
    pub fn store_at(&mut self, width: X86Width, to: MachineOperand, from: Register) {
        self.vector(arithmetic(0x11, width), width, from, None, to);
    }

    pub fn copy(&mut self, width: X86Width, to: Register, from: Register) {
        self.vector(packed(0x28), width, to, None, MachineOperand::Register(from));
    }

    /// Sets the bits of `one` in `to` where the comparison holds, and clears the others.
    pub fn compare(
        &mut self,
        comparison: Relation,
        width: X86Width,
        to: Register,
        (a, b): (Register, Register),
        one: MachineOperand,
    ) {
        let p = predicate(comparison);
        if self.masks {
            self.compare_to_mask(p, width, a, MachineOperand::Register(b));
            let taken = VectorInstruction::new(packed(0x10), width, FirstField::Register(to), None, one);
            self.emit(VectorInstruction { masking: Masking::Zero, ..taken });
        } else {
            self.compare_to_bits(p, width, to, a, MachineOperand::Register(b));
            self.bits(Bits::And, width, to, to, one);
        }
    }

    /// `to = if number is NaN { yes } else { no }`, lane by lane; `scratch` is overwritten.
    pub fn select_nan(
        &mut self,
        width: X86Width,
        number: Register,
        scratch: Register,
        to: Register,
        (yes, no): (Register, Register),
    ) {
        if self.masks {
            self.compare_to_mask(Predicate::Unordered, width, number, MachineOperand::Register(number));
        } else {
            self.compare_to_bits(Predicate::Unordered, width, scratch, number, MachineOperand::Register(number));
        }
        self.by_signs(width, to, scratch, (MachineOperand::Register(yes), no));
    }

    /// `to = -a`, where `sign` is the bit of the sign.
    pub fn negate(&mut self, width: X86Width, to: Register, a: Register, sign: MachineOperand) {
        self.bits(Bits::Xor, width, to, a, sign);
    }

    /// `to = |a|`, where `size` are all bits but that of the sign.
    pub fn size(&mut self, width: X86Width, to: Register, a: Register, size: MachineOperand) {
        self.bits(Bits::And, width, to, a, size);
    }

    /// Shifts the bits of all lanes.
    pub fn shift_left(&mut self, width: X86Width, to: Register, from: Register, count: u8) {
        let from = MachineOperand::Register(from);
        self.emit(VectorInstruction::new(packed(0x73), width, FirstField::Extension(6), Some(to), from).with(count)); // vpsllq
    }

    /// Prepares for [`X86Assembler::by_signs`]: the lanes where the number is not zero, in `signs` where there are no masks.
    pub fn note_nonzero(&mut self, width: X86Width, number: Register, zero: MachineOperand, signs: Register) {
        if self.masks {
            self.compare_to_mask(Predicate::NotEqual, width, number, zero);
        } else {
            self.compare_to_bits(Predicate::NotEqual, width, signs, number, zero);
        }
    }

    /// Prepares for [`X86Assembler::by_signs`].
    pub fn note_signs(&mut self, width: X86Width, signs: Register) {
        if self.masks {
            let mask = Opcode { map: 2, prefix: 2, ..packed(0x39) }; // vpmovq2m
            self.emit(VectorInstruction::new(mask, width, FirstField::Mask, None, MachineOperand::Register(signs)));
        }
    }

    /// `to = if signs < 0 { yes } else { no }`, by the sign bits of the lanes, which were noted before.
    pub fn by_signs(&mut self, width: X86Width, to: Register, signs: Register, (yes, no): (MachineOperand, Register)) {
        if self.masks {
            let blend = Opcode { map: 2, wide: true, ..packed(0x65) };
            let blend = VectorInstruction::new(blend, width, FirstField::Register(to), Some(no), yes);
            self.emit(VectorInstruction { masking: Masking::Blend, ..blend });
        } else {
            let blend = Opcode { map: 3, ..packed(0x4b) };
            self.emit(VectorInstruction::new(blend, width, FirstField::Register(to), Some(no), yes).with(signs << 4));
        }
    }

    /// Notes in the mask where the comparison holds.
    pub(super) fn compare_to_mask(&mut self, p: Predicate, width: X86Width, a: Register, b: MachineOperand) {
        self.emit(VectorInstruction::new(packed(0xc2), width, FirstField::Mask, Some(a), b).with(p as u8));
    }

    /// Sets all bits of `to` where the comparison holds, and clears the others.
    pub(super) fn compare_to_bits(
        &mut self,
        p: Predicate,
        width: X86Width,
        to: Register,
        a: Register,
        b: MachineOperand,
    ) {
        self.emit(VectorInstruction::new(packed(0xc2), width, FirstField::Register(to), Some(a), b).with(p as u8));
    }

    /// Compares a number with another and sets the flags.
    pub(super) fn compare_to_flags(&mut self, a: Register, b: MachineOperand) {
        self.vector(Opcode { scalar: true, ..packed(0x2e) }, X86Width::One, a, None, b); // vucomisd
    }

    /// Sets the flags by `a & b` and `!a & b`.
    pub(super) fn test_bits(&mut self, width: X86Width, a: Register, b: MachineOperand) {
        self.vector(Opcode { map: 2, ..packed(0x17) }, width, a, None, b); // vptest
    }

    /// Sets the flags by the signs of `a & b` and `!a & b`.
    pub(super) fn test_signs(&mut self, width: X86Width, a: Register, b: MachineOperand) {
        self.vector(Opcode { map: 2, ..packed(0x0f) }, width, a, None, b); // vtestpd
    }

    /// Sets the flags by whether the mask is zero everywhere.
    pub(super) fn test_mask(&mut self, width: X86Width) {
        let second = MASK + width.halves() - 1;
        self.bytes.extend([0xc5, 0xf9, 0x98, 0xc0 | MASK << 3 | second]); // kortestb
    }

    fn vector(&mut self, op: Opcode, width: X86Width, first: Register, second: Option<Register>, last: MachineOperand) {
        self.emit(VectorInstruction::new(op, width, FirstField::Register(first), second, last));
    }

    fn emit(&mut self, instruction: VectorInstruction) {
        self.encode(&instruction, MASK);
        if instruction.width == X86Width::Sixteen {
            self.encode(&instruction.second_half(), MASK + 1);
        }
    }

    fn encode(&mut self, instruction: &VectorInstruction, mask: u8) {
        let VectorInstruction { op, width, first, second, last, masking, immediate } = *instruction;
        let first = match first {
            FirstField::Register(register) => register,
            FirstField::Mask => mask,
            FirstField::Extension(code) => code,
        };
        let second = second.unwrap_or(0);
        let (low, extension, x) = match last {
            MachineOperand::Register(r) => (r & 7, r >> 3 & 1, r >> 4 & 1),
            MachineOperand::Memory(base, _) | MachineOperand::Spread(base, _) => {
                (number(base) & 7, number(base) >> 3, 0)
            }
        };
        let spread = matches!(last, MachineOperand::Spread(..));
        let (r, r_high, v_high) = (first >> 3 & 1, first >> 4, second >> 4);
        let long = instruction.is_long();
        if long {
            let (z, mask) = match masking {
                Masking::None => (0, 0),
                Masking::Zero => (1, mask),
                Masking::Blend => (0, mask),
            };
            self.bytes.extend([
                0x62,
                (r ^ 1) << 7 | (x ^ 1) << 6 | (extension ^ 1) << 5 | (r_high ^ 1) << 4 | op.map,
                // W is set in this prefix for all operations on doubles.
                1 << 7 | (!second & 15) << 3 | 1 << 2 | op.prefix,
                z << 7 | width.code() << 5 | u8::from(spread) << 4 | (v_high ^ 1) << 3 | mask,
            ]);
        } else {
            let tail = (!second & 15) << 3 | width.code() << 2 | op.prefix;
            if op.map == 1 && extension == 0 {
                self.bytes.extend([0xc5, (r ^ 1) << 7 | tail]);
            } else {
                self.bytes.extend([
                    0xc4,
                    (r ^ 1) << 7 | 1 << 6 | (extension ^ 1) << 5 | op.map,
                    u8::from(op.wide) << 7 | tail,
                ]);
            }
        }
        self.bytes.push(op.byte);
        let field = (first & 7) << 3 | low;
        match last {
            MachineOperand::Register(_) => self.bytes.push(0xc0 | field),
            MachineOperand::Memory(_, offset) | MachineOperand::Spread(_, offset) => {
                // The long prefix counts short distances in operands.
                let unit = match (long, op.scalar || spread) {
                    (false, _) => 1,
                    (true, true) => 8,
                    (true, false) => 16 << width.code(),
                };
                match i8::try_from(offset / unit) {
                    Ok(short) if offset % unit == 0 => self.bytes.extend([0x40 | field, short as u8]),
                    _ => {
                        self.bytes.push(0x80 | field);
                        self.offset(offset);
                    }
                }
            }
        }
        self.bytes.extend(immediate);
    }
}
