//! The few x86-64 instructions a program needs, as bytes (Intel's manual, volume 2, sections 2.3 and 2.7).

/// A vector register, 0 to 31; those from 16 on exist with AVX-512 only.
pub(super) type Register = u8;

/// General registers that hold addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Base {
    Rbx = 3,
    Rsi = 6,
    Rdi = 7,
    R13 = 13,
    R14 = 14,
    R15 = 15,
}

/// How many numbers an instruction works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    One,
    Four,
    Eight,
}

impl Width {
    pub fn lanes(self) -> usize {
        match self {
            Width::One => 1,
            Width::Four => 4,
            Width::Eight => 8,
        }
    }

    /// The field L of the prefixes.
    fn code(self) -> u8 {
        match self {
            Width::One => 0,
            Width::Four => 1,
            Width::Eight => 2,
        }
    }
}

/// The last operand: a register, memory at an address, or a single number there that all lanes share (AVX-512 only).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    Register(Register),
    Memory(Base, i32),
    Spread(Base, i32),
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
const fn arithmetic(byte: u8, width: Width) -> Opcode {
    match width {
        Width::One => Opcode { prefix: 3, scalar: true, ..packed(byte) },
        _ => packed(byte),
    }
}

/// Fused operations have neighbouring codes for all lanes and for one.
const fn fused(byte: u8, width: Width) -> Opcode {
    let scalar = matches!(width, Width::One);
    Opcode { map: 2, byte: byte + scalar as u8, wide: true, scalar, ..packed(byte) }
}

/// Which operand of a fused operation is overwritten, after Intel's names: `x·z ± y`, `y·x ± z`, `y·z ± x` with the result in x.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    O132 = 0,
    O213 = 0x10,
    O231 = 0x20,
}

/// Binary operations whose last operand may be in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Sqrt,
}

/// Fused operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fused {
    MulAdd,
    MulSub,
    SubMul,
}

/// Operations on the bits of all lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bits {
    And,
    Or,
    Xor,
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

/// The first mask register; the only one used.
const MASK: u8 = 1;

/// What happens to the lanes a mask leaves out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Masking {
    None,
    Zero,
    Blend,
}

/// Code under construction.
pub(super) struct Assembler {
    pub bytes: Vec<u8>,
    /// Comparisons give masks (AVX-512) instead of bits.
    masks: bool,
}

impl Assembler {
    pub fn new(masks: bool) -> Assembler {
        Assembler { bytes: Vec::new(), masks }
    }

    pub fn binary(&mut self, op: Binary, width: Width, to: Register, a: Register, b: Operand) {
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
        let a = if op == Binary::Sqrt && width != Width::One { 0 } else { a };
        self.vector(arithmetic(byte, width), width, to, a, b);
    }

    pub fn fused(&mut self, op: Fused, order: Order, width: Width, x: Register, y: Register, z: Operand) {
        let byte = match op {
            Fused::MulAdd => 0x98,
            Fused::MulSub => 0x9a,
            Fused::SubMul => 0x9c,
        };
        self.vector(fused(byte + order as u8, width), width, x, y, z);
    }

    pub fn bits(&mut self, op: Bits, width: Width, to: Register, a: Register, b: Operand) {
        let byte = match op {
            Bits::And => 0x54,
            Bits::Or => 0x56,
            Bits::Xor => 0x57,
        };
        self.vector(packed(byte), width, to, a, b);
    }

    pub fn load(&mut self, width: Width, to: Register, base: Base, offset: i32) {
        self.vector(arithmetic(0x10, width), width, to, 0, Operand::Memory(base, offset));
    }

    /// Can operands be numbers that all lanes share?
    pub fn spreads_operands(&self) -> bool {
        self.masks
    }

    /// Gives all lanes the number at an address.
    pub fn load_spread(&mut self, width: Width, to: Register, base: Base, offset: i32) {
        let op = Opcode { map: 2, scalar: true, ..packed(0x19) }; // vbroadcastsd
        self.vector(op, width, to, 0, Operand::Memory(base, offset));
    }

    pub fn store(&mut self, width: Width, base: Base, offset: i32, from: Register) {
        self.vector(arithmetic(0x11, width), width, from, 0, Operand::Memory(base, offset));
    }

    /// Loads from an operand in memory.
    pub fn load_from(&mut self, width: Width, to: Register, from: Operand) {
        self.vector(arithmetic(0x10, width), width, to, 0, from);
    }

    /// Stores to an operand in memory.
    pub fn store_at(&mut self, width: Width, to: Operand, from: Register) {
        self.vector(arithmetic(0x11, width), width, from, 0, to);
    }

    pub fn copy(&mut self, width: Width, to: Register, from: Register) {
        self.vector(packed(0x28), width, to, 0, Operand::Register(from));
    }

    /// Sets the bits of `one` in `to` where the comparison holds, and clears the others.
    pub fn compare(&mut self, p: Predicate, width: Width, to: Register, a: Register, b: Register, one: Operand) {
        let b = Operand::Register(b);
        if self.masks {
            self.encode(packed(0xc2), width, MASK, a, b, Masking::None, true);
            self.bytes.push(p as u8);
            self.encode(packed(0x10), width, to, 0, one, Masking::Zero, true);
        } else {
            self.vector(packed(0xc2), width, to, a, b);
            self.bytes.push(p as u8);
            self.bits(Bits::And, width, to, to, one);
        }
    }

    /// `to = if a ? b { yes } else { no }`, lane by lane; `scratch` is overwritten.
    pub fn select(
        &mut self,
        p: Predicate,
        width: Width,
        (a, b): (Register, Register),
        scratch: Register,
        to: Register,
        (yes, no): (Register, Register),
    ) {
        if self.masks {
            self.encode(packed(0xc2), width, MASK, a, Operand::Register(b), Masking::None, true);
            self.bytes.push(p as u8);
            let blend = Opcode { map: 2, wide: true, ..packed(0x65) };
            self.encode(blend, width, to, no, Operand::Register(yes), Masking::Blend, true);
        } else {
            self.vector(packed(0xc2), width, scratch, a, Operand::Register(b));
            self.bytes.push(p as u8);
            self.vector(Opcode { map: 3, ..packed(0x4b) }, width, to, no, Operand::Register(yes));
            self.bytes.push(scratch << 4);
        }
    }

    /// Shifts the bits of all lanes.
    pub fn shift_left(&mut self, width: Width, to: Register, from: Register, count: u8) {
        // The code of the operation stands where others have a register.
        self.vector(packed(0x73), width, 6, to, Operand::Register(from)); // vpsllq
        self.bytes.push(count);
    }

    /// Prepares for [`Assembler::by_signs`]: the lanes where the number is not zero, in `signs` where there are no masks.
    pub fn note_nonzero(&mut self, width: Width, number: Register, zero: Operand, signs: Register) {
        if self.masks {
            self.encode(packed(0xc2), width, MASK, number, zero, Masking::None, true);
        } else {
            self.vector(packed(0xc2), width, signs, number, zero);
        }
        self.bytes.push(Predicate::NotEqual as u8);
    }

    /// Prepares for [`Assembler::by_signs`].
    pub fn note_signs(&mut self, width: Width, signs: Register) {
        if self.masks {
            let mask = Opcode { map: 2, prefix: 2, ..packed(0x39) }; // vpmovq2m
            self.encode(mask, width, MASK, 0, Operand::Register(signs), Masking::None, true);
        }
    }

    /// `to = if signs < 0 { yes } else { no }`, by the sign bits of the lanes, which were noted before.
    pub fn by_signs(&mut self, width: Width, to: Register, signs: Register, (yes, no): (Operand, Register)) {
        if self.masks {
            let blend = Opcode { map: 2, wide: true, ..packed(0x65) };
            self.encode(blend, width, to, no, yes, Masking::Blend, true);
        } else {
            self.vector(Opcode { map: 3, ..packed(0x4b) }, width, to, no, yes);
            self.bytes.push(signs << 4);
        }
    }

    fn vector(&mut self, op: Opcode, width: Width, reg: Register, second: Register, last: Operand) {
        let high = |r: Register| r >= 16;
        let long_operand = match last {
            Operand::Register(r) => high(r),
            Operand::Memory(..) => false,
            Operand::Spread(..) => true,
        };
        let long = width == Width::Eight || high(reg) || high(second) || long_operand;
        self.encode(op, width, reg, second, last, Masking::None, long);
    }

    #[allow(clippy::too_many_arguments)]
    fn encode(
        &mut self,
        op: Opcode,
        width: Width,
        reg: Register,
        second: Register,
        last: Operand,
        masking: Masking,
        long: bool,
    ) {
        let (low, extension, x) = match last {
            Operand::Register(r) => (r & 7, r >> 3 & 1, r >> 4 & 1),
            Operand::Memory(base, _) | Operand::Spread(base, _) => (base as u8 & 7, base as u8 >> 3, 0),
        };
        let spread = matches!(last, Operand::Spread(..));
        let (r, r_high, v_high) = (reg >> 3 & 1, reg >> 4, second >> 4);
        if long {
            let (z, mask) = match masking {
                Masking::None => (0, 0),
                Masking::Zero => (1, MASK),
                Masking::Blend => (0, MASK),
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
        let field = (reg & 7) << 3 | low;
        match last {
            Operand::Register(_) => self.bytes.push(0xc0 | field),
            Operand::Memory(_, offset) | Operand::Spread(_, offset) => {
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
                        self.bytes.extend(offset.to_le_bytes());
                    }
                }
            }
        }
    }

    /// Jumps if the number is zero; returns the end of the jump, which is to be given to [`Assembler::land`].
    pub fn jump_if_zero(&mut self, number: Register, zero: Operand) -> usize {
        self.vector(Opcode { scalar: true, ..packed(0x2e) }, Width::One, number, 0, zero); // vucomisd
        self.bytes.extend([0x0f, 0x84, 0, 0, 0, 0]); // je
        self.bytes.len()
    }

    /// Jumps unless a < b, or a ≤ b where `or_equal`; a NaN is neither.
    pub fn jump_unless_less(&mut self, a: Operand, b: Register, or_equal: bool) -> usize {
        self.vector(Opcode { scalar: true, ..packed(0x2e) }, Width::One, b, 0, a); // vucomisd
        self.bytes.extend([0x0f, if or_equal { 0x82 } else { 0x86 }, 0, 0, 0, 0]); // jb, jbe
        self.bytes.len()
    }

    /// Jumps unless the condition, 1 or 0 in every lane, holds in all of them.
    pub fn jump_unless_all(&mut self, width: Width, condition: Register, one: Operand) -> usize {
        self.test_all(width, condition, one);
        let jump = if self.masks { 0x85 } else { 0x83 }; // jne, jae
        self.bytes.extend([0x0f, jump, 0, 0, 0, 0]);
        self.bytes.len()
    }

    /// Sets the flags by whether the condition, 1 or 0 in every lane, holds in all of them.
    pub fn test_all(&mut self, width: Width, condition: Register, one: Operand) {
        if self.masks {
            self.encode(packed(0xc2), width, MASK, condition, one, Masking::None, true);
            self.bytes.push(Predicate::NotEqual as u8);
            self.bytes.extend([0xc5, 0xf9, 0x98, 0xc9]); // kortestb k1, k1
        } else {
            self.vector(Opcode { map: 2, ..packed(0x17) }, width, condition, 0, one); // vptest
        }
    }

    /// Counts a round and goes back to `top` unless it was the last or the flags of [`Assembler::test_all`] say that all hold;
    /// where it was the last and they do not, the number of rounds left is as large as a number can be.
    pub fn next_round_unless_all(&mut self, top: usize) {
        self.bytes.extend([0x4d, 0x8d, 0x7f, 0xff]); // lea r15, [r15 - 1]
        let jump = if self.masks { 0x84 } else { 0x82 }; // je, jb
        self.bytes.extend([0x0f, jump, 0, 0, 0, 0]);
        let settled = self.bytes.len();
        self.bytes.extend([0x4d, 0x85, 0xff, 0x0f, 0x85]); // test r15, r15; jne
        let distance = top as i64 - (self.bytes.len() as i64 + 4);
        self.bytes.extend((distance as i32).to_le_bytes());
        self.bytes.extend([0x49, 0x83, 0xcf, 0xff]); // or r15, -1
        self.land(settled);
    }

    /// Jumps unless the numbers are less than the limit in all lanes; `scratch` is overwritten.
    pub fn jump_unless_all_less(&mut self, width: Width, a: Register, limit: Operand, scratch: Register) -> usize {
        if self.masks {
            self.encode(packed(0xc2), width, MASK, a, limit, Masking::None, true);
            self.bytes.push(Predicate::NotLess as u8);
            self.bytes.extend([0xc5, 0xf9, 0x98, 0xc9]); // kortestb k1, k1
        } else {
            self.vector(packed(0xc2), width, scratch, a, limit);
            self.bytes.push(Predicate::NotLess as u8);
            self.vector(Opcode { map: 2, ..packed(0x0f) }, width, scratch, 0, Operand::Register(scratch)); // vtestpd
        }
        self.bytes.extend([0x0f, 0x85, 0, 0, 0, 0]); // jne
        self.bytes.len()
    }

    /// Jumps to where code is already.
    pub fn jump_back(&mut self, to: usize) {
        self.bytes.push(0xe9); // jmp
        let distance = to as i64 - (self.bytes.len() as i64 + 4);
        self.bytes.extend((distance as i32).to_le_bytes());
    }

    /// Jumps; for [`Assembler::land`].
    pub fn jump(&mut self) -> usize {
        self.bytes.extend([0xe9, 0, 0, 0, 0]); // jmp
        self.bytes.len()
    }

    /// The jump that ends at `jump` leads here.
    pub fn land(&mut self, jump: usize) {
        let distance = (self.bytes.len() - jump) as i32;
        self.bytes[jump - 4..jump].copy_from_slice(&distance.to_le_bytes());
    }

    /// Like [`Assembler::enter`] for a function of memory and, as its third argument, a number of rounds.
    pub fn enter_rounds(&mut self) {
        self.bytes.extend([0x53, 0x41, 0x56, 0x41, 0x57]); // push rbx; push r14; push r15
        self.bytes.extend([0x48, 0x89, 0xfb, 0x49, 0x89, 0xd7]); // mov rbx, rdi; mov r15, rdx
    }

    /// Sets the number of tries.
    pub fn set_tries(&mut self, tries: u32) {
        self.bytes.extend([0x41, 0xbe]); // mov r14d, tries
        self.bytes.extend(tries.to_le_bytes());
    }

    /// Counts a try and goes back to `top` unless it was the last.
    pub fn next_try(&mut self, top: usize) {
        self.bytes.extend([0x41, 0xff, 0xce, 0x0f, 0x85]); // dec r14d; jne
        let distance = top as i64 - (self.bytes.len() as i64 + 4);
        self.bytes.extend((distance as i32).to_le_bytes());
    }

    /// Counts a round and goes back to `top` unless it was the last.
    pub fn next_round(&mut self, top: usize) {
        self.bytes.extend([0x49, 0xff, 0xcf, 0x0f, 0x85]); // dec r15; jne
        let distance = top as i64 - (self.bytes.len() as i64 + 4);
        self.bytes.extend((distance as i32).to_le_bytes());
    }

    /// Returns the number of rounds that are left.
    pub fn leave_rounds(&mut self) {
        self.bytes.extend([0x4c, 0x89, 0xf8, 0x41, 0x5f, 0x41, 0x5e, 0x5b]); // mov rax, r15; pop r15; pop r14; pop rbx
    }

    /// Like [`Assembler::enter`] for a function of memory, three addresses to go along, and a number of rounds.
    pub fn enter_sweep(&mut self) {
        self.bytes.extend([0x53, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57]); // push rbx, r12, r13, r14, r15
        self.bytes.extend([0x48, 0x89, 0xfb, 0x49, 0x89, 0xf5]); // mov rbx, rdi; mov r13, rsi
        self.bytes.extend([0x49, 0x89, 0xd6, 0x49, 0x89, 0xcf, 0x4d, 0x89, 0xc4]); // mov r14, rdx; mov r15, rcx; mov r12, r8
    }

    /// Moves the three addresses on by `bytes`, and goes back to `top` unless it was the last round.
    pub fn next_rows(&mut self, bytes: u8, top: usize) {
        for register in [0xc5, 0xc6, 0xc7] {
            self.bytes.extend([0x49, 0x83, register, bytes]); // add r13, r14, r15
        }
        self.bytes.extend([0x49, 0xff, 0xcc, 0x0f, 0x85]); // dec r12; jne
        let distance = top as i64 - (self.bytes.len() as i64 + 4);
        self.bytes.extend((distance as i32).to_le_bytes());
    }

    pub fn leave_sweep(&mut self) {
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

    pub fn clear_upper(&mut self) {
        self.bytes.extend([0xc5, 0xf8, 0x77]); // vzeroupper
    }

    pub fn ret(&mut self) {
        self.bytes.push(0xc3);
    }

    /// `rdi = rbx + offset`
    pub fn first_argument(&mut self, offset: i32) {
        self.bytes.extend([0x48, 0x8d, 0xbb]);
        self.bytes.extend(offset.to_le_bytes());
    }

    /// `rsi = rbx + offset`
    pub fn second_argument(&mut self, offset: i32) {
        self.bytes.extend([0x48, 0x8d, 0xb3]);
        self.bytes.extend(offset.to_le_bytes());
    }

    /// `rdx = count`
    pub fn third_argument(&mut self, count: u32) {
        self.bytes.push(0xba);
        self.bytes.extend(count.to_le_bytes());
    }

    pub fn call(&mut self, address: usize) {
        self.bytes.extend([0x48, 0xb8]);
        self.bytes.extend((address as u64).to_le_bytes());
        self.bytes.extend([0xff, 0xd0]);
    }
}
