//! The memory programs run in, and the tape interpreter: the measure of every faster backend.

use std::sync::Arc;

use crate::functions::Lanes;
use crate::native::Native;
use crate::op::{Instruction, Operands};
use crate::program::{Backend, Program, ProgramCode, TRIES};
use crate::slots::MemorySlot;

/// The memory a [`Program`] runs in. Nothing is allocated after it was made.
///
/// Order of use: set the inputs of stage 0 and commit it, then stage 1, and so on; an entry of stage `s` may be run once the
/// inputs of `s` are set and all earlier stages are committed (`s` itself need not be). After a change in a stage, commit that
/// stage and the later ones again. Running an entry changes nothing that a commit computed.
#[derive(Clone)]
pub struct Machine {
    code: Arc<ProgramCode>,
    memory: Vec<f64>,
    /// What becomes inputs again, on its way.
    carried: Vec<f64>,
    /// Without machine code the tape is interpreted.
    native: Option<Arc<Native>>,
}

impl Machine {
    pub(crate) fn new(code: Arc<ProgramCode>, native: Option<Arc<Native>>) -> Machine {
        let mut memory = vec![f64::NAN; native.as_ref().map_or(code.layout.len, |native| native.memory())];
        let first = code.layout.inputs.last().map_or(0, |range| range.end);
        memory[first..first + code.layout.constants.len()].copy_from_slice(&code.layout.constants);
        if let Some(native) = &native {
            native.prepare(&mut memory);
        }
        let carried = vec![0.0; code.feedback.map_or(0, |_| code.entry(0).output_slots.len())];
        Machine { code, memory, carried, native }
    }

    /// What runs the program.
    pub fn backend(&self) -> Backend {
        self.native.as_ref().map_or(Backend::Tape, |native| native.backend())
    }

    /// The program this machine runs.
    pub fn program(&self) -> Program {
        Program { code: self.code.clone() }
    }

    /// The inputs of a stage.
    ///
    /// # Panics
    /// If the program has no such stage.
    pub fn inputs(&self, stage: usize) -> &[f64] {
        &self.memory[self.code.inputs(stage)]
    }

    /// The inputs of a stage, to be written.
    ///
    /// # Panics
    /// If the program has no such stage.
    pub fn inputs_mut(&mut self, stage: usize) -> &mut [f64] {
        &mut self.memory[self.code.inputs(stage)]
    }

    /// Computes what later stages need of this one. Call it when the inputs of the stage are final.
    ///
    /// # Panics
    /// If the program has no such stage.
    pub fn commit(&mut self, stage: usize) {
        match &self.native {
            Some(native) => native.commit(stage, &mut self.memory),
            None => execute(&self.code.commit_tapes[stage], &mut self.memory),
        }
    }

    /// Runs an entry and writes its outputs to `out`.
    ///
    /// # Panics
    /// If the program has no such entry, or `out` is not as long as its outputs.
    #[inline]
    pub fn run(&mut self, entry: usize, out: &mut [f64]) {
        let code = self.code.entry(entry);
        assert_eq!(out.len(), code.output_slots.len(), "the entry has another number of outputs");
        match &self.native {
            Some(native) => native.run(entry, &mut self.memory, out),
            None => self.run_tape(entry, out),
        }
    }

    /// Goes round at most `times`: as long as the condition holds, outputs replace inputs. Returns how often they did; the inputs
    /// are those of the round that was not completed, except for those that are tried again.
    ///
    /// # Panics
    /// If the program was not made by [`Program::looping`].
    pub fn repeat(&mut self, times: u64) -> u64 {
        let Some(feedback) = self.code.feedback else { panic!("a program that is no loop") };
        if let Some(native) = &self.native {
            return native.repeat(times, &mut self.memory);
        }
        let mut carried = std::mem::take(&mut self.carried);
        let (mut round, mut tries) = (0, 0);
        while round < times && tries < TRIES {
            self.run_tape(0, &mut carried);
            let (next, again) = carried[1..].split_at(feedback.carried);
            if carried[0] != 0.0 {
                self.memory[feedback.first..feedback.first + next.len()].copy_from_slice(next);
                (round, tries) = (round + 1, 0);
            } else {
                self.memory[feedback.first_retried..feedback.first_retried + again.len()].copy_from_slice(again);
                tries = if feedback.retried == 0 { TRIES } else { tries + 1 };
            }
        }
        self.carried = carried;
        round
    }

    fn run_tape(&mut self, entry: usize, out: &mut [f64]) {
        let entry = self.code.entry(entry);
        execute(&entry.tape, &mut self.memory);
        for (out, slot) in out.iter_mut().zip(&entry.output_slots) {
            *out = self.memory[*slot as usize];
        }
    }
}

/// A memory with slots for operands.
struct Memory<'m>(&'m mut [f64]);

impl Memory<'_> {
    #[inline(always)]
    fn read(&self, slot: MemorySlot) -> Lanes<1> {
        Lanes([self.0[slot as usize]])
    }

    #[inline(always)]
    fn write(&mut self, slot: MemorySlot, Lanes([value]): Lanes<1>) {
        self.0[slot as usize] = value;
    }
}

impl Operands<MemorySlot, 1> for Memory<'_> {
    #[inline(always)]
    fn one(&mut self, to: MemorySlot, a: MemorySlot, f: impl Fn(Lanes<1>) -> Lanes<1>) {
        self.write(to, f(self.read(a)));
    }

    #[inline(always)]
    fn two(&mut self, to: MemorySlot, operands: [MemorySlot; 2], f: impl Fn([Lanes<1>; 2]) -> Lanes<1>) {
        self.write(to, f(operands.map(|slot| self.read(slot))));
    }

    #[inline(always)]
    fn three(&mut self, to: MemorySlot, operands: [MemorySlot; 3], f: impl Fn([Lanes<1>; 3]) -> Lanes<1>) {
        self.write(to, f(operands.map(|slot| self.read(slot))));
    }

    #[inline(always)]
    fn pair(&mut self, to: [MemorySlot; 2], a: MemorySlot, f: impl Fn(Lanes<1>) -> [Lanes<1>; 2]) {
        let results = f(self.read(a));
        to.into_iter().zip(results).for_each(|(slot, value)| self.write(slot, value));
    }
}

pub(crate) fn execute(tape: &[Instruction<MemorySlot>], memory: &mut [f64]) {
    let mut memory = Memory(memory);
    for step in tape {
        step.op.execute(step.to, &mut memory);
    }
}
