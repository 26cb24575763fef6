//! The few A64 instructions a program needs, as words (Arm's manual, sections C4.1 and C7.2).
//!
//! One number is in the low half of a register, four are in two registers. Numbers of registers, as the allocator knows them, leave
//! out what functions keep for their callers (v8 to v15) where there is one number; four numbers are in v0 to v13 and in the
//! registers 16 above them, and functions of them keep v8 to v15 by themselves. The last ones are for operands on their way.

use extremal_expr::Relation;

use crate::native::operand::{AddressRegister, BEYOND, Binary, Bits, Fused, MachineOperand, Register};

/// How many numbers an instruction of the program works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::native) enum A64Width {
    One,
    Four,
}

/// Registers for operands on their way: of an instruction, and what it makes before its result.
pub(super) const SCRATCH_OF_ONE: [Register; 2] = [22, 23];
pub(super) const SCRATCH_OF_FOUR: [Register; 2] = [14, 15];

impl A64Width {
    pub fn lanes(self) -> usize {
        match self {
            A64Width::One => 1,
            A64Width::Four => 4,
        }
    }

    /// So many calls do for all numbers.
    pub fn halves(self) -> u8 {
        1
    }

    /// So many registers hold all numbers.
    pub(super) fn parts(self) -> u8 {
        match self {
            A64Width::One => 1,
            A64Width::Four => 2,
        }
    }

    fn scratch(self) -> [Register; 2] {
        match self {
            A64Width::One => SCRATCH_OF_ONE,
            A64Width::Four => SCRATCH_OF_FOUR,
        }
    }

    /// The register of the processor that holds a part.
    pub(super) fn register(self, register: Register, part: u8) -> u32 {
        match self {
            A64Width::One if register >= 8 => register as u32 + 8,
            _ => register as u32 + 16 * part as u32,
        }
    }
}

/// An instruction for one number and for two.
#[derive(Clone, Copy)]
pub(super) struct Opcodes {
    one: u32,
    two: u32,
}

const fn opcodes(one: u32, two: u32) -> Opcodes {
    Opcodes { one, two }
}

const FADD: Opcodes = opcodes(0x1e60_2800, 0x4e60_d400);
const FSUB: Opcodes = opcodes(0x1e60_3800, 0x4ee0_d400);
const FMUL: Opcodes = opcodes(0x1e60_0800, 0x6e60_dc00);
const FDIV: Opcodes = opcodes(0x1e60_1800, 0x6e60_fc00);
const FSQRT: Opcodes = opcodes(0x1e61_c000, 0x6ee1_f800);
const FNEG: Opcodes = opcodes(0x1e61_4000, 0x6ee0_f800);
const FABS: Opcodes = opcodes(0x1e60_c000, 0x4ee0_f800);
/// All bits where the comparison holds, none where it does not.
const FCMEQ: Opcodes = opcodes(0x5e60_e400, 0x4e60_e400);
const FCMGE: Opcodes = opcodes(0x7e60_e400, 0x6e60_e400);
const FCMGT: Opcodes = opcodes(0x7ee0_e400, 0x6ee0_e400);
/// The same, compared with zero.
const FCMEQ_ZERO: Opcodes = opcodes(0x5ee0_d800, 0x4ee0_d800);
const FMOV_ONE: Opcodes = opcodes(0x1e6e_1000, 0x6f03_f600);
const FMLA: u32 = 0x4e60_cc00;
const FMLS: u32 = 0x4ee0_cc00;
/// On all bits of a register.
const AND: u32 = 0x4e20_1c00;
const BIC: u32 = 0x4e60_1c00;
const ORR: u32 = 0x4ea0_1c00;
const EOR: u32 = 0x6e20_1c00;
const NOT: u32 = 0x6e20_5800;
/// The result, a mask, takes bits of the first operand where it is set, else of the second one.
const BSL: u32 = 0x6e60_1c00;
/// The result takes bits of the first operand where the second one, a mask, is set.
const BIT: u32 = 0x6ea0_1c00;
/// The result takes bits of the first operand where the second one, a mask, is not set.
const BIF: u32 = 0x6ee0_1c00;
const DUP: u32 = 0x4e08_0400;

/// What flags say, as a comparison leaves them; NaN is unordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(super) enum Flags {
    Equal = 0,
    NotEqual = 1,
    LessOrUnordered = 11,
    LessEqualOrUnordered = 13,
}

/// Code under construction.
pub(in crate::native) struct A64Assembler {
    pub bytes: Vec<u8>,
    /// Every distance and number so far fits its field. Code for which this does not hold must not run.
    pub(in crate::native) fits: bool,
}

impl Default for A64Assembler {
    fn default() -> A64Assembler {
        A64Assembler { bytes: Vec::new(), fits: true }
    }
}

impl A64Assembler {
    pub(super) fn word(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }

    /// An instruction of a result and two operands, by their registers.
    fn three(&mut self, code: u32, to: u32, a: u32, b: u32) {
        self.word(code | b << 16 | a << 5 | to);
    }

    fn arithmetic(&mut self, op: Opcodes, width: A64Width, to: u32, a: u32, b: u32) {
        let code = if width == A64Width::One { op.one } else { op.two };
        self.three(code, to, a, b);
    }

    /// The same for one operand, in all parts.
    fn unary(&mut self, op: Opcodes, width: A64Width, to: Register, a: Register) {
        for part in 0..width.parts() {
            self.arithmetic(op, width, width.register(to, part), width.register(a, part), 0);
        }
    }

    /// A part of an operand, loaded on its way if it has to be.
    fn part(&mut self, width: A64Width, operand: MachineOperand, part: u8) -> u32 {
        let scratch = width.register(width.scratch()[0], part);
        match operand {
            MachineOperand::Register(register) => return width.register(register, part),
            MachineOperand::Memory(base, offset) => self.load_part(width, scratch, base, offset, part),
            MachineOperand::Spread(base, offset) => {
                self.load_part(A64Width::One, scratch, base, offset, 0);
                self.three(DUP, scratch, scratch, 0);
            }
        }
        scratch
    }

    /// A part of the register for what comes before a result.
    fn mask(width: A64Width, part: u8) -> u32 {
        width.register(width.scratch()[1], part)
    }

    fn move_part(&mut self, to: u32, from: u32) {
        if to != from {
            self.three(ORR, to, from, from);
        }
    }

    pub fn binary(&mut self, op: Binary, width: A64Width, to: Register, a: Register, b: MachineOperand) {
        for part in 0..width.parts() {
            let b = self.part(width, b, part);
            let [to, a] = [to, a].map(|register| width.register(register, part));
            match op {
                Binary::Add => self.arithmetic(FADD, width, to, a, b),
                Binary::Sub => self.arithmetic(FSUB, width, to, a, b),
                Binary::Mul => self.arithmetic(FMUL, width, to, a, b),
                Binary::Div => self.arithmetic(FDIV, width, to, a, b),
                Binary::Sqrt => self.arithmetic(FSQRT, width, to, b, 0),
                Binary::Min | Binary::Max => {
                    let mask = A64Assembler::mask(width, part);
                    let (larger, smaller) = if op == Binary::Min { (b, a) } else { (a, b) };
                    self.arithmetic(FCMGT, width, mask, larger, smaller);
                    self.three(BSL, mask, a, b);
                    self.move_part(to, mask);
                }
            }
        }
    }

    /// `to = ±a·b ± c` of one number.
    pub(super) fn fused_one(&mut self, op: Fused, to: Register, a: Register, b: MachineOperand, c: MachineOperand) {
        let [b, c] = match (b, c) {
            // Two operands on their way need two registers.
            (MachineOperand::Register(_), _) | (_, MachineOperand::Register(_)) => {
                [b, c].map(|operand| self.part(A64Width::One, operand, 0))
            }
            _ => {
                let first = self.part(A64Width::One, b, 0);
                let mask = A64Assembler::mask(A64Width::One, 0);
                self.move_part(mask, first);
                [mask, self.part(A64Width::One, c, 0)]
            }
        };
        let [to, a] = [to, a].map(|register| A64Width::One.register(register, 0));
        let code = match op {
            Fused::MulAdd => 0x1f40_0000, // fmadd
            Fused::SubMul => 0x1f40_8000, // fmsub
            Fused::MulSub => 0x1f60_8000, // fnmsub
        };
        self.word(code | b << 16 | c << 10 | a << 5 | to);
    }

    /// `to = -to` of four numbers.
    pub(super) fn negate_own(&mut self, to: Register) {
        self.unary(FNEG, A64Width::Four, to, to);
    }

    /// `to = to ± a·b` of four numbers.
    pub(super) fn accumulate(&mut self, op: Fused, to: Register, a: Register, b: MachineOperand) {
        let code = if op == Fused::SubMul { FMLS } else { FMLA };
        for part in 0..A64Width::Four.parts() {
            let b = self.part(A64Width::Four, b, part);
            self.three(code, A64Width::Four.register(to, part), A64Width::Four.register(a, part), b);
        }
    }

    pub fn bits(&mut self, op: Bits, width: A64Width, to: Register, a: Register, b: MachineOperand) {
        let code = match op {
            Bits::And => AND,
            Bits::Or => ORR,
            Bits::Xor => EOR,
        };
        for part in 0..width.parts() {
            let b = self.part(width, b, part);
            self.three(code, width.register(to, part), width.register(a, part), b);
        }
    }

    /// `to = -a`. There is an instruction for it, which needs no bit of the sign.
    pub fn negate(&mut self, width: A64Width, to: Register, a: Register, _: MachineOperand) {
        self.unary(FNEG, width, to, a);
    }

    /// `to = |a|`, likewise.
    pub fn size(&mut self, width: A64Width, to: Register, a: Register, _: MachineOperand) {
        self.unary(FABS, width, to, a);
    }

    pub fn copy(&mut self, width: A64Width, to: Register, from: Register) {
        for part in 0..width.parts() {
            self.move_part(width.register(to, part), width.register(from, part));
        }
    }

    /// Can operands be numbers that all lanes share?
    pub fn spreads_operands(&self) -> bool {
        true
    }

    /// Gives all lanes the number at an address.
    pub fn load_spread(&mut self, width: A64Width, to: Register, base: AddressRegister, offset: i32) {
        let first = width.register(to, 0);
        self.load_part(A64Width::One, first, base, offset, 0);
        for part in 0..width.parts() {
            self.three(DUP, width.register(to, part), first, 0);
        }
    }

    /// Sets `to` to one where the comparison holds, and to zero elsewhere. There is an instruction for a one.
    pub fn compare(
        &mut self,
        comparison: Relation,
        width: A64Width,
        to: Register,
        (a, b): (Register, Register),
        _: MachineOperand,
    ) {
        for part in 0..width.parts() {
            let [to, a, b, one] = [to, a, b, width.scratch()[0]].map(|register| width.register(register, part));
            let mask = A64Assembler::mask(width, part);
            self.arithmetic(FMOV_ONE, width, one, 0, 0);
            match comparison {
                Relation::Lt => self.arithmetic(FCMGT, width, mask, b, a),
                Relation::Le => self.arithmetic(FCMGE, width, mask, b, a),
                Relation::Eq | Relation::Ne => self.arithmetic(FCMEQ, width, mask, a, b),
            }
            self.three(if comparison == Relation::Ne { BIC } else { AND }, to, one, mask);
        }
    }

    /// `to = if number is NaN { yes } else { no }`, lane by lane.
    pub fn select_nan(
        &mut self,
        width: A64Width,
        number: Register,
        _: Register,
        to: Register,
        (yes, no): (Register, Register),
    ) {
        for part in 0..width.parts() {
            let [to, number, yes, no] = [to, number, yes, no].map(|register| width.register(register, part));
            let mask = A64Assembler::mask(width, part);
            self.arithmetic(FCMEQ, width, mask, number, number);
            self.three(BSL, mask, no, yes);
            self.move_part(to, mask);
        }
    }

    /// Shifts the bits of all lanes.
    pub fn shift_left(&mut self, width: A64Width, to: Register, from: Register, count: u8) {
        for part in 0..width.parts() {
            let [to, from] = [to, from].map(|register| width.register(register, part));
            self.word(0x4f00_5400 | (64 + u32::from(count)) << 16 | from << 5 | to); // shl
        }
    }

    /// Prepares for [`A64Assembler::by_signs`]: the lanes where the number is not zero, in the flags or in `signs`.
    pub fn note_nonzero(&mut self, width: A64Width, number: Register, _: MachineOperand, signs: Register) {
        if width == A64Width::One {
            return self.compare_with_zero(number);
        }
        self.unary(FCMEQ_ZERO, width, signs, number);
        for part in 0..width.parts() {
            let signs = width.register(signs, part);
            self.three(NOT, signs, signs, 0);
        }
    }

    /// Prepares for [`A64Assembler::by_signs`]: the sign of every lane becomes all its bits.
    pub fn note_signs(&mut self, width: A64Width, signs: Register) {
        for part in 0..width.parts() {
            let signs = width.register(signs, part);
            self.word(0x4f00_0400 | (128 - 63) << 16 | signs << 5 | signs); // sshr
        }
    }

    /// `to = if signs < 0 { yes } else { no }`, by what was noted before.
    pub fn by_signs(&mut self, width: A64Width, to: Register, signs: Register, (yes, no): (MachineOperand, Register)) {
        for part in 0..width.parts() {
            let yes = self.part(width, yes, part);
            let [to, signs, no] = [to, signs, no].map(|register| width.register(register, part));
            if width == A64Width::One {
                self.select_one(Flags::NotEqual, to, yes, no);
            } else if to == signs {
                self.three(BSL, to, yes, no);
            } else if to == yes {
                self.three(BIF, to, no, signs);
            } else {
                self.move_part(to, no);
                self.three(BIT, to, yes, signs);
            }
        }
    }

    fn select_one(&mut self, flags: Flags, to: u32, yes: u32, no: u32) {
        self.three(0x1e60_0c00 | (flags as u32) << 12, to, yes, no); // fcsel
    }

    /// Sets the flags by a number and zero.
    pub(super) fn compare_with_zero(&mut self, number: Register) {
        self.three(0x1e60_2008, 0, A64Width::One.register(number, 0), 0); // fcmp
    }

    /// Sets the flags by two numbers.
    pub(super) fn compare_to_flags(&mut self, a: Register, b: MachineOperand) {
        let b = self.part(A64Width::One, b, 0);
        self.three(0x1e60_2000, 0, A64Width::One.register(a, 0), b); // fcmp
    }

    /// Sets the flags to equal unless the condition, 1 or 0 in every lane, holds in all of them.
    pub fn test_all(&mut self, width: A64Width, condition: Register, _: MachineOperand) {
        if width == A64Width::One {
            return self.compare_with_zero(condition);
        }
        let mask = A64Assembler::mask(width, 0);
        let [low, high] = [0, 1].map(|part| width.register(condition, part));
        self.three(AND, mask, low, high);
        self.three(0x7ef0_f800, mask, mask, 0); // fminp
        self.three(0x1e60_2008, 0, mask, 0); // fcmp
    }

    /// Sets the flags to equal if the numbers are less than the limit in all lanes.
    pub(super) fn test_all_less(&mut self, width: A64Width, a: Register, limit: MachineOperand) {
        for part in 0..width.parts() {
            let limit = self.part(width, limit, part);
            self.arithmetic(FCMGT, width, A64Assembler::mask(width, part), limit, width.register(a, part));
        }
        let all = A64Assembler::mask(width, 0);
        if width == A64Width::Four {
            self.three(AND, all, all, A64Assembler::mask(width, 1));
            self.three(0x0ea1_2800, all, all, 0); // xtn
        }
        self.word(0x9e66_0000 | all << 5 | 16); // fmov x16
        self.word(0xb100_0400 | 16 << 5 | 31); // cmn x16, 1
    }

    /// Notes a distance that no instruction can have.
    pub(super) fn note_offset(&mut self, offset: i32) {
        self.fits &= offset != BEYOND;
    }
}
