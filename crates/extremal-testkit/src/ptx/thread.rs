//! One thread.

use super::instructions::{Action, Compute, PtxOperand, PtxStep};
use super::{DeviceMemory, KernelArgument, PtxCode, PtxModule, PtxProblem, problem};

/// RegisterFile of all functions that are running, and which of them were written.
#[derive(Default)]
pub(super) struct RegisterFile {
    bits: Vec<u64>,
    written: Vec<bool>,
}

/// More instructions than any test needs.
const MOST_STEPS: u64 = 1 << 36;

struct Thread<'m> {
    module: &'m PtxModule,
    arguments: &'m [KernelArgument],
    place: [u32; 3],
    memory: &'m mut DeviceMemory,
    registers: &'m mut RegisterFile,
    steps: u64,
}

/// Runs a thread, with its place: block, width of blocks, number in the block.
pub(super) fn run(
    module: &PtxModule,
    code: &PtxCode,
    arguments: &[KernelArgument],
    place: [u32; 3],
    memory: &mut DeviceMemory,
    registers: &mut RegisterFile,
) -> Result<(), PtxProblem> {
    registers.bits.clear();
    registers.written.clear();
    Thread { module, arguments, place, memory, registers, steps: 0 }.function(code, &[])?;
    Ok(())
}

impl Thread<'_> {
    fn function(&mut self, code: &PtxCode, arguments: &[u64]) -> Result<u64, PtxProblem> {
        let base = self.registers.bits.len();
        self.registers.bits.resize(base + code.registers, 0);
        self.registers.written.resize(base + code.registers, false);
        for (register, value) in code.arguments.iter().zip(arguments) {
            self.write(base, *register, *value);
        }
        let mut at = 0;
        while let Some(PtxStep { guard, action }) = code.steps.get(at) {
            at += 1;
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return problem("does not end");
            }
            if let Some((register, wanted)) = guard
                && (self.read(base, PtxOperand::Register(*register))? == 1) != *wanted
            {
                continue;
            }
            match action {
                Action::Compute(compute, to, [a, b, c]) => {
                    let value = match compute {
                        Compute::One(f) => f(self.read(base, *a)?),
                        Compute::Two(f) => f(self.read(base, *a)?, self.read(base, *b)?),
                        Compute::Three(f) => f(self.read(base, *a)?, self.read(base, *b)?, self.read(base, *c)?),
                    };
                    self.write(base, *to, value);
                }
                Action::Special(which, to) => self.write(base, *to, u64::from(self.place[*which])),
                Action::LoadParameter { to, parameter, offset, width } => {
                    let value = match (&self.arguments[*parameter], width) {
                        (KernelArgument::Long(value), 8) => *value,
                        (KernelArgument::Word(value), 4) => u64::from(*value),
                        (KernelArgument::Numbers(numbers), 8) => numbers[offset / 8].to_bits(),
                        _ => return problem("an argument of another width"),
                    };
                    self.write(base, *to, value);
                }
                Action::Load { to, place, offset, width } => {
                    let place = self.read(base, *place)?.wrapping_add(*offset);
                    let value = match place < super::memory::FIRST {
                        true => self.module.constants.load(place, *width)?,
                        false => self.memory.load(place, *width)?,
                    };
                    self.write(base, *to, value);
                }
                Action::Store { place, offset, from, width } => {
                    let place = self.read(base, *place)?.wrapping_add(*offset);
                    let value = self.read(base, *from)?;
                    self.memory.store(place, *width, value)?;
                }
                Action::Jump(to) => at = *to,
                Action::Call { function, result, arguments } => {
                    let values: Result<Vec<u64>, _> = arguments.iter().map(|from| self.read(base, *from)).collect();
                    let value = self.function(&self.module.functions[*function], &values?)?;
                    self.write(base, *result, value);
                }
                Action::Return => {
                    let value = code.result.map_or(Ok(0), |register| self.read(base, PtxOperand::Register(register)));
                    self.registers.bits.truncate(base);
                    self.registers.written.truncate(base);
                    return value;
                }
            }
        }
        problem("the end of a body without ret")
    }

    #[inline]
    fn read(&self, base: usize, operand: PtxOperand) -> Result<u64, PtxProblem> {
        match operand {
            PtxOperand::Bits(bits) => Ok(bits),
            PtxOperand::Register(register) => match self.registers.written[base + register as usize] {
                true => Ok(self.registers.bits[base + register as usize]),
                false => problem(format!("register {register} is read before it is written")),
            },
        }
    }

    #[inline]
    fn write(&mut self, base: usize, register: u32, value: u64) {
        self.registers.bits[base + register as usize] = value;
        self.registers.written[base + register as usize] = true;
    }
}
