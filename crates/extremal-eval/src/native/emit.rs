//! Instructions for the operations of a block.

use extremal_expr::{Function, Function2};

use crate::op::{Instruction, Op};
use crate::slots::{MemorySlot, NOWHERE};
use crate::ssa::ValueId;

use super::calls::CallKind;
use super::operand::{AddressRegister, Binary, Bits, Fused, MachineOperand, Register};
use super::order::{BlockItem, CallOperands, Ordering};
use super::processor::{Assembler, CodeTarget, Width};
use super::registers::Registers;
use super::sines::{CONSTANTS, Detour};

/// So many bit patterns are operands of instructions: those named below.
pub(super) const INSTRUCTIONS: usize = 4;
/// Bit patterns that emitted code finds in memory, in this order: for instructions, and the constants of sines and cosines.
pub(super) const PATTERNS: [u64; INSTRUCTIONS + CONSTANTS.len()] = {
    let mut patterns = [0; INSTRUCTIONS + CONSTANTS.len()];
    [patterns[SIGN as usize], patterns[SIZE as usize]] = [1 << 63, !(1 << 63)];
    patterns[ONE as usize] = 1.0f64.to_bits();
    let mut at = 0;
    while at < CONSTANTS.len() {
        patterns[INSTRUCTIONS + at] = CONSTANTS[at].to_bits();
        at += 1;
    }
    patterns
};
pub(super) const SIGN: MemorySlot = 0;
const SIZE: MemorySlot = 1;
pub(super) const ONE: MemorySlot = 2;
pub(super) const ZERO: MemorySlot = 3;

/// A block to be emitted.
pub(super) struct BlockSource<'a> {
    pub steps: &'a [Instruction<ValueId>],
    /// Values to be written to the buffer of results, in order; empty for a commit.
    pub outputs: &'a [ValueId],
    /// Where each value has to be left in memory, for a commit.
    pub kept: &'a [(ValueId, MemorySlot)],
}

/// Emits the blocks of one program, one after the other.
pub(super) struct Emitter {
    pub(super) code: Assembler,
    pub(super) target: CodeTarget,
    pub(super) registers: Registers,
    pub(super) ordering: Ordering,
    /// Where each value goes in the buffer of results, as a list per value.
    first_output: Vec<u32>,
    next_output: Vec<u32>,
    kept: Vec<MemorySlot>,
    pub(super) patterns: MemorySlot,
    /// The first value that is not the program's: the pattern of the sign, constants, and what is computed on the way.
    pub(super) own_values: u32,
    pub(super) detours: Vec<Detour>,
    /// The condition that choices are prepared for.
    pub(super) noted: Option<ValueId>,
    /// Numbers that every round of a loop replaces, with the registers they go round in.
    pub(super) running: Vec<(Register, Running)>,
    /// Where the result of the present operation has to be, if that is known.
    destination: Option<Register>,
}

/// A number of the memory that every round replaces: it stays in a register until the last one.
pub(super) struct Running {
    pub before: ValueId,
    pub after: ValueId,
    pub slot: MemorySlot,
}

const NONE: u32 = u32::MAX;

impl Emitter {
    /// `fixed` are the places of inputs, constants and kept values; memory from `first_free` on is the emitter's own, beginning
    /// with [`PATTERNS`].
    pub fn new(target: CodeTarget, fixed: &[MemorySlot], first_free: MemorySlot) -> Emitter {
        let own_values = fixed.len() as u32;
        let own = first_free + PATTERNS.len() as MemorySlot;
        let constants = first_free + INSTRUCTIONS as MemorySlot..own;
        let fixed: Vec<MemorySlot> = fixed.iter().copied().chain([first_free + SIGN]).chain(constants).collect();
        let values = fixed.len();
        Emitter {
            code: target.assembler(),
            target,
            registers: Registers::new(target.width, target.registers(), &fixed, own),
            ordering: Ordering::new(values),
            first_output: vec![NONE; values],
            next_output: Vec::new(),
            kept: vec![NOWHERE; values],
            patterns: first_free,
            own_values,
            detours: Vec::new(),
            noted: None,
            running: Vec::new(),
            destination: None,
        }
    }

    /// Makes room for so many values.
    pub(super) fn reserve(&mut self, values: usize) {
        self.registers.reserve(values);
        self.first_output.resize(values.max(self.first_output.len()), NONE);
        self.kept.resize(values.max(self.kept.len()), NOWHERE);
    }

    /// The code, and the end of the memory it works in; `None` where a distance in it does not fit its instruction.
    pub fn finish(self) -> Option<(Vec<u8>, usize)> {
        self.code.fits.then_some((self.code.bytes, self.registers.end as usize))
    }

    /// Appends a function of two addresses, of the memory and of the results; returns where it begins.
    pub fn block(&mut self, source: &BlockSource<'_>) -> usize {
        let begin = self.begin_function();
        let items = self.items(source.steps);
        let calls = items.iter().any(BlockItem::calls);
        let (memory, results) = if calls {
            (AddressRegister::Memory, AddressRegister::Results)
        } else {
            (AddressRegister::GivenMemory, AddressRegister::GivenResults)
        };
        if calls {
            self.code.enter();
        }
        self.note_destinations(source);
        self.registers.begin(&items, memory);
        for (at, item) in items.iter().enumerate() {
            self.item(item, at, results);
        }
        // What the block did not compute, it passes on.
        for (at, value) in source.outputs.iter().enumerate() {
            if self.first_output[value.index()] != NONE {
                self.registers.fill(&mut self.code, 0, *value);
                self.code.store(self.target.width, results, self.registers.bytes(at as MemorySlot), 0);
            }
        }
        self.registers.finish(&items);
        self.forget_destinations(source);
        if calls {
            self.code.leave();
        }
        self.end_function();
        begin
    }

    /// Begins a function; returns where that is.
    pub(super) fn begin_function(&mut self) -> usize {
        self.noted = None;
        self.code.begin(self.target.width)
    }

    /// Everything but what belongs to loops.
    pub(super) fn item(&mut self, item: &BlockItem, at: usize, results: AddressRegister) {
        self.registers.advance(item, at);
        // Comparisons and calls make other notes.
        let keeps = |op: &Op<ValueId>| !matches!(op, Op::Compare(..) | Op::Call2(..));
        if !matches!(item, BlockItem::Instruction(Instruction { op, .. }) if keeps(op)) {
            self.noted = None;
        }
        match item {
            BlockItem::Instruction(step) => self.step(step, item, results),
            BlockItem::Call(kind, steps) => self.call(*kind, steps, item, results),
            BlockItem::Turn(turn) => self.turn(turn, item),
            BlockItem::Check(check) => self.check(check, item, results),
            BlockItem::Test { .. } | BlockItem::Round(_) => {}
        }
    }

    pub(super) fn note_destinations(&mut self, source: &BlockSource<'_>) {
        self.next_output.clear();
        for (at, value) in source.outputs.iter().enumerate() {
            self.next_output.push(std::mem::replace(&mut self.first_output[value.index()], at as u32));
        }
        source.kept.iter().for_each(|(value, slot)| self.kept[value.index()] = *slot);
    }

    pub(super) fn forget_destinations(&mut self, source: &BlockSource<'_>) {
        source.outputs.iter().for_each(|value| self.first_output[value.index()] = NONE);
        source.kept.iter().for_each(|(value, _)| self.kept[value.index()] = NOWHERE);
    }

    /// Writes a value that was just computed to where it has to go.
    pub(super) fn deliver(&mut self, value: ValueId, results: AddressRegister) {
        let mut at = std::mem::replace(&mut self.first_output[value.index()], NONE);
        let kept = self.kept[value.index()];
        if at != NONE || kept != NOWHERE {
            let register = self.registers.load(&mut self.code, value);
            while at != NONE {
                self.code.store(self.target.width, results, self.registers.bytes(at), register);
                at = self.next_output[at as usize];
            }
            if kept != NOWHERE {
                self.registers.keep(&mut self.code, value, kept);
            }
        }
        self.registers.drop_if_dead(value);
    }

    /// A register for the result of an operation, that of a dying operand if there is one.
    pub(super) fn result(&mut self, operands: &[ValueId]) -> Register {
        self.registers.free_registers(operands);
        self.destination.take().unwrap_or_else(|| self.registers.take(&mut self.code))
    }

    /// The register of the number that a value replaces in the next round, if nothing needs it any more.
    fn register_of_replaced(&self, value: ValueId) -> Option<Register> {
        let (register, replaced) = self.running.iter().find(|(_, running)| running.after == value)?;
        self.registers.is_used_up(replaced.before).then_some(*register)
    }

    fn step(&mut self, step: &Instruction<ValueId>, item: &BlockItem, results: AddressRegister) {
        let width = self.target.width;
        self.destination = self.register_of_replaced(step.to);
        let to = match step.op {
            Op::Add(a, b) => self.binary(Binary::Add, a, b),
            Op::Sub(a, b) => self.binary(Binary::Sub, a, b),
            Op::Mul(a, b) => self.binary(Binary::Mul, a, b),
            Op::Div(a, b) => self.binary(Binary::Div, a, b),
            Op::MulAdd(a, b, c) => self.fused(Fused::MulAdd, a, b, c),
            Op::MulSub(a, b, c) => self.fused(Fused::MulSub, a, b, c),
            Op::SubMul(a, b, c) => self.fused(Fused::SubMul, a, b, c),
            Op::Sqrt(a) => {
                let operand = self.registers.operand(&mut self.code, a);
                let to = self.result(&[a]);
                let upper = if let MachineOperand::Register(register) = operand { register } else { to };
                self.code.binary(Binary::Sqrt, width, to, upper, operand);
                to
            }
            Op::Neg(a) => self.with_pattern(Assembler::negate, a, SIGN),
            Op::Call(Function::Abs, a) => self.with_pattern(Assembler::size, a, SIZE),
            Op::Not(a) => self.with_pattern(|code, width, to, a, one| code.bits(Bits::Xor, width, to, a, one), a, ONE),
            Op::And(a, b) => self.of_bits(Bits::And, a, b),
            Op::Or(a, b) => self.of_bits(Bits::Or, a, b),
            Op::Compare(comparison, a, b) => {
                let (first, second) = (self.registers.load(&mut self.code, a), self.registers.load(&mut self.code, b));
                let to = self.result(&[a, b]);
                let one = self.registers.place(self.patterns + ONE);
                self.code.compare(comparison, width, to, (first, second), one);
                self.noted = self.target.compares_to_notes().then_some(step.to);
                to
            }
            Op::Select(condition, a, b) => {
                let signs = self.note(condition);
                let no = self.registers.load(&mut self.code, b);
                let yes = match width {
                    // The instruction would read more than a number.
                    Width::One => MachineOperand::Register(self.registers.load(&mut self.code, a)),
                    _ => self.registers.operand(&mut self.code, a),
                };
                let to = self.result(&[condition, a, b]);
                self.code.by_signs(width, to, signs, (yes, no));
                to
            }
            Op::Call2(function, a, b) => self.extreme(function, a, b),
            Op::Pow(..) | Op::Call(..) | Op::Table(..) | Op::SinCos { .. } => unreachable!("done by a call"),
        };
        self.destination = None;
        self.registers.release(item);
        self.registers.put(step.to, to);
        self.deliver(step.to, results);
    }

    /// Prepares for choices by a condition, unless the last ones were by the same. Returns where its signs are, if anywhere.
    pub(super) fn note(&mut self, condition: ValueId) -> Register {
        if self.noted == Some(condition) {
            return 0;
        }
        let tested = self.registers.load(&mut self.code, condition);
        let signs = if self.target.keeps_notes() { 0 } else { self.scratch() };
        self.code.note_nonzero(self.target.width, tested, self.registers.place(self.patterns + ZERO), signs);
        self.noted = self.target.keeps_notes().then_some(condition);
        signs
    }

    /// A register that nothing else uses until the next item.
    pub(super) fn scratch(&mut self) -> Register {
        let register = self.registers.take(&mut self.code);
        self.registers.lock(register);
        register
    }

    fn binary(&mut self, op: Binary, a: ValueId, b: ValueId) -> Register {
        let commutes = matches!(op, Binary::Add | Binary::Mul);
        let swapped = commutes && self.registers.in_register(a).is_none() && self.registers.in_register(b).is_some();
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        let first = self.registers.load(&mut self.code, a);
        let second = self.registers.operand(&mut self.code, b);
        let to = self.result(&[a, b]);
        self.code.binary(op, self.target.width, to, first, second);
        to
    }

    fn with_pattern(
        &mut self,
        emit: impl FnOnce(&mut Assembler, Width, Register, Register, MachineOperand),
        a: ValueId,
        pattern: MemorySlot,
    ) -> Register {
        let first = self.registers.load(&mut self.code, a);
        let to = self.result(&[a]);
        let pattern = self.registers.place(self.patterns + pattern);
        emit(&mut self.code, self.target.width, to, first, pattern);
        to
    }

    fn of_bits(&mut self, op: Bits, a: ValueId, b: ValueId) -> Register {
        let (first, second) = (self.registers.load(&mut self.code, a), self.registers.load(&mut self.code, b));
        let to = self.result(&[a, b]);
        self.code.bits(op, self.target.width, to, first, MachineOperand::Register(second));
        to
    }

    /// The smaller or larger of two: the instruction gives its second operand if one is NaN, so only a NaN in the first is left
    /// to be put through.
    fn extreme(&mut self, function: Function2, a: ValueId, b: ValueId) -> Register {
        let width = self.target.width;
        let op = if function == Function2::Min { Binary::Min } else { Binary::Max };
        let (first, second) = (self.registers.load(&mut self.code, a), self.registers.load(&mut self.code, b));
        let (picked, mask) = (self.scratch(), self.scratch());
        self.code.binary(op, width, picked, second, MachineOperand::Register(first));
        let to = self.result(&[a, b]);
        self.code.select_nan(width, second, mask, to, (second, picked));
        to
    }

    fn call(&mut self, kind: CallKind, steps: &[Instruction<ValueId>], item: &BlockItem, results: AddressRegister) {
        let members: Vec<CallOperands> = steps.iter().map(CallOperands::of).collect();
        if self.target.width == Width::One {
            self.call_with_registers(kind, &members, item);
        } else {
            self.call_with_memory(kind, &members, item);
        }
        self.registers.release(item);
        for member in &members {
            for result in member.results.iter().flatten() {
                self.registers.unlock();
                self.deliver(*result, results);
            }
        }
    }

    /// One number per operation: up to eight at a time in the registers of arguments.
    fn call_with_registers(&mut self, kind: CallKind, members: &[CallOperands], item: &BlockItem) {
        item.for_each_operand(|value| self.registers.store(&mut self.code, value));
        self.registers.flush(&mut self.code);
        for chunk in members.chunks(8 / kind.arguments()) {
            let (address, size) = kind.in_registers(chunk.len());
            let area = self.registers.area(size * kind.results());
            for lane in 0..size {
                let member = &chunk[lane.min(chunk.len() - 1)];
                for (place, value) in member.arguments.iter().enumerate() {
                    if let Some(value) = value {
                        self.registers.fill(&mut self.code, (4 * place + lane) as Register, *value);
                    }
                }
            }
            self.code.first_argument(self.registers.bytes(area));
            if let Some(numbers) = kind.numbers() {
                self.code.second_argument_at(numbers);
            }
            self.code.call(address);
            for (lane, member) in chunk.iter().enumerate() {
                for (place, value) in member.results.iter().enumerate() {
                    if let Some(value) = value {
                        self.registers.put_in_memory(*value, area + (place * size + lane) as MemorySlot);
                    }
                }
            }
        }
    }

    /// Many numbers per operation: all arguments in a row in memory.
    fn call_with_memory(&mut self, kind: CallKind, members: &[CallOperands], item: &BlockItem) {
        let count = members.len();
        let arguments = self.registers.area(count * kind.arguments());
        for (at, member) in members.iter().enumerate() {
            for (place, value) in member.arguments.iter().enumerate() {
                if let Some(value) = value {
                    let from = self.registers.load(&mut self.code, *value);
                    let MachineOperand::Memory(base, offset) =
                        self.registers.place(arguments + (place * count + at) as MemorySlot)
                    else {
                        continue;
                    };
                    self.code.store(self.target.width, base, offset, from);
                    self.registers.unlock();
                }
            }
        }
        item.for_each_operand(|value| self.registers.drop_if_dead(value));
        self.registers.flush(&mut self.code);
        let area = self.registers.area(count * kind.results());
        self.code.first_argument(self.registers.bytes(area));
        self.code.second_argument(self.registers.bytes(arguments));
        self.call_in_memory(kind, count);
        for (at, member) in members.iter().enumerate() {
            for (place, value) in member.results.iter().enumerate() {
                if let Some(value) = value {
                    self.registers.put_in_memory(*value, area + (place * count + at) as MemorySlot);
                }
            }
        }
    }
}

impl Emitter {
    /// Calls a function of `count` groups of lanes, whose addresses are set.
    pub(super) fn call_in_memory(&mut self, kind: CallKind, count: usize) {
        let (lanes, halves) = (self.target.width.lanes(), self.target.width.halves());
        self.code.third_argument(count * usize::from(halves));
        if let Some(numbers) = kind.numbers() {
            self.code.fourth_argument_at(numbers);
        }
        self.code.call(kind.in_memory(lanes / usize::from(halves)));
    }
}
