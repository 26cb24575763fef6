//! Sines and cosines of many numbers, written out: the operations of `elementary/trigonometric.rs` one by one, which have its bits.
//! Angles that need more are left to that function, which is called out of the way.

use std::f64::consts::FRAC_2_PI;

use crate::op::{Instruction, Op};
use crate::slots::{MemorySlot, NOWHERE};
use crate::ssa::ValueId;
use extremal_expr::elementary::{COSINE, HALF_PI, LARGEST_ANGLE, ROUNDING, SINE};

use super::calls::CallKind;
use super::emit::{Emitter, INSTRUCTIONS, SIGN};
use super::operand::{AddressRegister, Bits, MachineOperand, Register};
use super::order::{BlockItem, CallOperands};

/// Numbers among the operations, in memory behind the patterns of instructions.
pub(super) const CONSTANTS: [f64; 21] = [
    FRAC_2_PI,
    ROUNDING,
    HALF_PI[0],
    HALF_PI[1],
    -HALF_PI[1],
    HALF_PI[2],
    0.5,
    1.0,
    SINE[0],
    SINE[1],
    SINE[2],
    SINE[3],
    SINE[4],
    SINE[5],
    COSINE[0],
    COSINE[1],
    COSINE[2],
    COSINE[3],
    COSINE[4],
    COSINE[5],
    LARGEST_ANGLE,
];
const LARGEST: usize = CONSTANTS.len() - 1;

/// The end of a sine and cosine: that of an angle near zero, turned by as many quarters as the last bits of `quadrant` say.
#[derive(Debug)]
pub(super) struct Turn {
    pub quadrant: ValueId,
    pub sine: ValueId,
    pub cosine: ValueId,
    pub results: [Option<ValueId>; 2],
}

/// Sines and cosines that are right if the sizes of their angles together, `size`, are not large.
#[derive(Debug)]
pub(super) struct Check {
    pub size: ValueId,
    pub steps: Vec<Instruction<ValueId>>,
}

impl Check {
    pub fn for_each_operand(&self, mut visit: impl FnMut(ValueId)) {
        visit(self.size);
        for member in self.steps.iter().map(CallOperands::of) {
            member.arguments.into_iter().chain(member.results).flatten().for_each(&mut visit);
        }
    }
}

/// A way round large angles, to be emitted behind the function.
pub(super) struct Detour {
    jump: usize,
    back: usize,
    /// Registers in use, and where they are kept meanwhile.
    saved: Vec<(Register, MemorySlot)>,
    arguments: Vec<MachineOperand>,
    argument_area: MemorySlot,
    result_area: MemorySlot,
    /// Where each result comes from and goes to.
    results: Vec<(MemorySlot, Option<Register>, Option<MachineOperand>)>,
}

/// Operations under construction.
struct Lines<'a> {
    items: &'a mut Vec<BlockItem>,
    first_constant: u32,
    next: u32,
}

impl Lines<'_> {
    fn line(&mut self, op: Op<ValueId>) -> ValueId {
        let to = ValueId(self.next);
        self.next += 1;
        self.items.push(BlockItem::Instruction(Instruction { to, op }));
        to
    }

    fn constant(&self, number: f64) -> ValueId {
        let at = CONSTANTS.iter().position(|constant| constant.to_bits() == number.to_bits());
        ValueId(self.first_constant + at.unwrap_or(LARGEST) as u32)
    }

    /// `c0 + c1 x + … + c5 x⁵` of x, x² and x⁴.
    fn polynomial(&mut self, [x, x2, x4]: [ValueId; 3], coefficients: [f64; 6]) -> ValueId {
        let [a, b, c, d, e, f] = coefficients.map(|number| self.constant(number));
        let first = self.line(Op::MulAdd(x, b, a));
        let second = self.line(Op::MulAdd(x, d, c));
        let third = self.line(Op::MulAdd(x, f, e));
        let four = self.line(Op::MulAdd(x2, second, first));
        self.line(Op::MulAdd(x4, third, four))
    }

    fn sine_and_cosine(&mut self, x: ValueId, results: [Option<ValueId>; 2]) {
        let [turns, rounding, one, half] = [FRAC_2_PI, ROUNDING, 1.0, 0.5].map(|number| self.constant(number));
        let [pi_0, pi_1, minus_pi_1, pi_2] =
            [HALF_PI[0], HALF_PI[1], -HALF_PI[1], HALF_PI[2]].map(|number| self.constant(number));
        // The angle less the nearest multiple of π/2, in two parts.
        let quadrant = self.line(Op::MulAdd(x, turns, rounding));
        let k = self.line(Op::Sub(quadrant, rounding));
        let first = self.line(Op::SubMul(k, pi_0, x));
        let second = self.line(Op::Mul(k, minus_pi_1));
        let r = self.line(Op::Add(first, second));
        let back = self.line(Op::Sub(r, first));
        let kept = self.line(Op::Sub(r, back));
        let lost_first = self.line(Op::Sub(first, kept));
        let lost_second = self.line(Op::Sub(second, back));
        let lost = self.line(Op::Add(lost_first, lost_second));
        let product = self.line(Op::MulAdd(k, pi_1, second));
        let beyond = self.line(Op::MulAdd(k, pi_2, product));
        let low = self.line(Op::Sub(lost, beyond));
        // Sine and cosine of what is left.
        let square = self.line(Op::Mul(r, r));
        let fourth = self.line(Op::Mul(square, square));
        let powers = [square, fourth, self.line(Op::Mul(fourth, fourth))];
        let lead = self.line(Op::SubMul(square, half, one));
        let cube = self.line(Op::Mul(r, square));
        let by_low = self.line(Op::Mul(low, lead));
        let polynomial = self.polynomial(powers, SINE);
        let sine = self.line(Op::MulAdd(cube, polynomial, by_low));
        let sine = self.line(Op::Add(r, sine));
        let lost = self.line(Op::Sub(one, lead));
        let lost = self.line(Op::SubMul(square, half, lost));
        let lost = self.line(Op::SubMul(r, low, lost));
        let polynomial = self.polynomial(powers, COSINE);
        let cosine = self.line(Op::MulAdd(fourth, polynomial, lost));
        let cosine = self.line(Op::Add(lead, cosine));
        // The sum lost the sign of a zero, and has that of r everywhere else. Conditions are put together bit by bit, so that these
        // operations do for other bits as well.
        let sign = self.line(Op::And(r, ValueId(self.first_constant - 1)));
        let sine = self.line(Op::Or(sine, sign));
        self.items.push(BlockItem::Turn(Turn { quadrant, sine, cosine, results }));
    }
}

impl Emitter {
    /// The items of a block, with sines and cosines of lanes written out.
    pub fn items(&mut self, steps: &[Instruction<ValueId>]) -> Vec<BlockItem> {
        let ordered = self.ordering.items(steps);
        if self.target.width.lanes() == 1 {
            return ordered;
        }
        let mut items = Vec::with_capacity(ordered.len());
        let first_constant = self.own_values + 1;
        let mut next = first_constant + CONSTANTS.len() as u32;
        for item in ordered {
            match item {
                BlockItem::Call(CallKind::SinCos, steps) => {
                    let mut lines = Lines { items: &mut items, first_constant, next };
                    let mut size = None;
                    for step in &steps {
                        let CallOperands { arguments: [Some(angle), _], results } = CallOperands::of(step) else {
                            continue;
                        };
                        let own = lines.line(Op::Call(extremal_expr::Function::Abs, angle));
                        size = Some(size.map_or(own, |size| lines.line(Op::Add(size, own))));
                        lines.sine_and_cosine(angle, results);
                    }
                    next = lines.next;
                    items.extend(size.map(|size| BlockItem::Check(Check { size, steps })));
                }
                other => items.push(other),
            }
        }
        self.reserve(next as usize);
        items
    }

    pub(super) fn turn(&mut self, turn: &Turn, item: &BlockItem) {
        let width = self.target.width;
        let [quadrant, sine, cosine] =
            [turn.quadrant, turn.sine, turn.cosine].map(|value| self.registers.load(&mut self.code, value));
        let [odd, half] = [63, 62].map(|count| {
            let register = self.scratch();
            self.code.shift_left(width, register, quadrant, count);
            register
        });
        let results = turn.results.map(|result| result.map(|value| (value, self.scratch())));
        self.code.note_signs(width, odd);
        // Quarters are told apart by their last bit.
        for (result, pair) in results.iter().zip([(cosine, sine), (sine, cosine)]) {
            if let Some((_, to)) = result {
                self.code.by_signs(width, *to, odd, (MachineOperand::Register(pair.0), pair.1));
            }
        }
        // The second half of the turn changes the sign of the sine, the second and third quarter that of the cosine.
        let sign = self.registers.place(self.patterns + SIGN);
        self.code.bits(Bits::Xor, width, odd, odd, MachineOperand::Register(half));
        for (result, signs) in results.iter().zip([half, odd]) {
            if let Some((_, to)) = result {
                self.code.bits(Bits::And, width, signs, signs, sign);
                self.code.bits(Bits::Xor, width, *to, *to, MachineOperand::Register(signs));
            }
        }
        self.registers.release(item);
        results.into_iter().flatten().for_each(|(value, register)| self.registers.put(value, register));
    }

    /// Jumps out of the way if an angle is large, and comes back with other sines and cosines.
    pub(super) fn check(&mut self, check: &Check, item: &BlockItem, results: AddressRegister) {
        let (width, members) = (self.target.width, check.steps.iter().map(CallOperands::of).collect::<Vec<_>>());
        let size = self.registers.load(&mut self.code, check.size);
        let scratch = self.scratch();
        let largest = self.registers.place(self.patterns + (INSTRUCTIONS + LARGEST) as MemorySlot);
        let jump = self.code.jump_unless_all_less(width, size, largest, scratch);
        let back = self.code.bytes.len();
        let saved = self.registers.in_use();
        let saved = saved.into_iter().map(|register| (register, self.registers.area(1))).collect();
        let arguments = members.iter().filter_map(|member| member.arguments[0]);
        let arguments: Vec<MachineOperand> = arguments.map(|value| self.registers.anywhere(value)).collect();
        let (count, argument_area) = (members.len(), self.registers.area(members.len()));
        let result_area = self.registers.area(2 * count);
        let mut moved = Vec::new();
        for (at, member) in members.iter().enumerate() {
            for (place, value) in member.results.iter().enumerate() {
                if let Some(value) = value {
                    let home = self.registers.home(*value);
                    let home = (home != NOWHERE).then(|| self.registers.place(home));
                    let from = result_area + (place * count + at) as MemorySlot;
                    moved.push((from, self.registers.in_register(*value), home));
                }
            }
        }
        self.detours.push(Detour { jump, back, saved, arguments, argument_area, result_area, results: moved });
        for member in &members {
            for result in member.results.iter().flatten() {
                self.registers.unlock();
                self.deliver(*result, results);
            }
        }
        self.registers.release(item);
    }

    /// Ends a function; what lies out of its way follows.
    pub(super) fn end_function(&mut self) {
        let width = self.target.width;
        self.code.end(width);
        for detour in std::mem::take(&mut self.detours) {
            self.code.land(detour.jump);
            let place = |emitter: &Emitter, slot: MemorySlot| emitter.registers.place(slot);
            for (register, slot) in &detour.saved {
                self.code.store_at(width, place(self, *slot), *register);
            }
            // Those in memory last, for they come through a register.
            let (in_registers, in_memory): (Vec<_>, Vec<_>) = detour
                .arguments
                .iter()
                .enumerate()
                .partition(|(_, place)| matches!(place, MachineOperand::Register(_)));
            for (at, argument) in in_registers.into_iter().chain(in_memory) {
                let from = match *argument {
                    MachineOperand::Register(register) => register,
                    MachineOperand::Memory(..) => {
                        self.code.load_from(width, 0, *argument);
                        0
                    }
                    MachineOperand::Spread(base, offset) => {
                        self.code.load_spread(width, 0, base, offset);
                        0
                    }
                };
                self.code.store_at(width, place(self, detour.argument_area + at as MemorySlot), from);
            }
            self.code.first_argument(self.registers.bytes(detour.result_area));
            self.code.second_argument(self.registers.bytes(detour.argument_area));
            self.call_in_memory(CallKind::SinCos, detour.arguments.len());
            for (from, _, home) in &detour.results {
                if let Some(home) = home {
                    self.code.load_from(width, 0, place(self, *from));
                    self.code.store_at(width, *home, 0);
                }
            }
            for (register, slot) in &detour.saved {
                self.code.load_from(width, *register, place(self, *slot));
            }
            for (from, register, _) in &detour.results {
                if let Some(register) = register {
                    self.code.load_from(width, *register, place(self, *from));
                }
            }
            self.code.jump_back(detour.back);
        }
    }
}
