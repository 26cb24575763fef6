//! The memory programs run in, and the tape interpreter: the measure of every faster backend.

use std::sync::Arc;

use crate::native::Native;
use crate::op::{Instruction, Operands};
use crate::program::{Backend, Feedback, Program, ProgramCode, TRACE_ROUNDS, TRACE_STRIDE, TRIES};
use crate::slots::MemorySlot;
use crate::wide_tape;
use extremal_expr::elementary::Lanes;

/// The memory a [`Program`] runs in, once or several times side by side, each run in a *lane*. Nothing is allocated after it was made.
///
/// Order of use: set the inputs of tier 0 and commit it, then tier 1, and so on; an entry of tier `s` may be run once the
/// inputs of `s` are set and all earlier tiers are committed (`s` itself need not be). After a change in a tier, commit that
/// tier and the later ones again. Running an entry changes nothing that a commit computed.
///
/// Where there are lanes, every number stands there once for each of them, one after the other. A lane computes what a machine with
/// one of them would, bit for bit, whatever the others do.
#[derive(Clone)]
pub struct Machine {
    code: Arc<ProgramCode>,
    /// Without machine code the tape is interpreted.
    native: Option<Arc<Native>>,
    memory: Aligned,
    lanes: usize,
    /// What becomes inputs again, on its way.
    carried: Vec<f64>,
    spreads: bool,
}

/// Numbers that begin with a cache line: a register that spans two lines takes twice as long to fill.
pub(crate) struct Aligned {
    numbers: Vec<f64>,
    first: usize,
}

/// Numbers in a cache line.
const LINE: usize = 8;

impl Aligned {
    pub fn new(numbers: &[f64]) -> Aligned {
        let mut all = vec![0.0; numbers.len() + LINE];
        let first = all.as_ptr().align_offset(LINE * size_of::<f64>()).min(LINE);
        all[first..first + numbers.len()].copy_from_slice(numbers);
        all.truncate(first + numbers.len());
        Aligned { numbers: all, first }
    }

    #[inline]
    pub fn get(&self) -> &[f64] {
        &self.numbers[self.first..]
    }

    #[inline]
    pub fn get_mut(&mut self) -> &mut [f64] {
        &mut self.numbers[self.first..]
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Aligned {
        Aligned::new(self.get())
    }
}

impl Machine {
    /// For one lane, for as many as there is machine code for, or for as many as the wide tape has.
    pub(crate) fn new(code: Arc<ProgramCode>, native: Option<Arc<Native>>, lanes: usize) -> Machine {
        let slots = native.as_ref().map_or(code.layout.len, |native| native.memory());
        let mut memory = vec![f64::NAN; slots * lanes];
        let first = code.layout.inputs.last().map_or(0, |range| range.end);
        for (constant, place) in code.layout.constants.iter().zip(memory[first * lanes..].chunks_exact_mut(lanes)) {
            place.fill(*constant);
        }
        if let Some(native) = &native {
            native.prepare(&mut memory);
        }
        let carried = vec![0.0; code.feedback.map_or(0, |_| code.entry(0).output_slots.len() * lanes)];
        let spreads = native.is_some() && code.has_lanes(lanes);
        Machine { code, native, memory: Aligned::new(&memory), lanes, carried, spreads }
    }

    /// What runs the program.
    pub fn backend(&self) -> Backend {
        self.native.as_ref().map_or(Backend::Tape, |native| native.backend())
    }

    /// The program this machine runs.
    pub fn program(&self) -> Program {
        Program { code: self.code.clone() }
    }

    /// How many runs there are.
    #[inline]
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// The inputs of a tier: for each input the values of all lanes.
    ///
    /// # Panics
    /// If the program has no such tier.
    #[inline]
    pub fn inputs(&self, tier: usize) -> &[f64] {
        let inputs = self.code.inputs(tier);
        &self.memory.get()[inputs.start * self.lanes..inputs.end * self.lanes]
    }

    /// The inputs of a tier, to be written.
    ///
    /// # Panics
    /// If the program has no such tier.
    #[inline]
    pub fn inputs_mut(&mut self, tier: usize) -> &mut [f64] {
        let inputs = self.code.inputs(tier);
        &mut self.memory.get_mut()[inputs.start * self.lanes..inputs.end * self.lanes]
    }

    /// Computes what later tiers need of this one. Call it when the inputs of the tier are final.
    ///
    /// # Panics
    /// If the program has no such tier.
    #[inline]
    pub fn commit(&mut self, tier: usize) {
        match &self.native {
            Some(native) => native.commit(tier, self.memory.get_mut()),
            None => interpret(&self.code.commit_tapes[tier], self.memory.get_mut(), self.lanes),
        }
    }

    /// Runs an entry and writes its outputs to `out`, for each output the values of all lanes.
    ///
    /// # Panics
    /// If the program has no such entry, or `out` is not as long as its outputs.
    #[inline]
    pub fn run(&mut self, entry: usize, out: &mut [f64]) {
        let outputs = self.code.entry(entry).output_slots.len();
        assert_eq!(out.len(), outputs * self.lanes, "the entry has another number of outputs");
        match &self.native {
            Some(native) => native.run(entry, self.memory.get_mut(), out),
            None => self.run_tape(entry, out),
        }
    }

    /// Repeats a loop at most `times`: as long as the condition holds in all lanes, outputs replace inputs. Returns how often they
    /// did; the inputs are those of the round that was not completed, except for those that are tried again.
    ///
    /// # Panics
    /// If the program was not made by [`Program::looping`].
    pub fn repeat(&mut self, times: u64) -> u64 {
        let Some(feedback) = self.code.feedback else { panic!("a program that is no loop") };
        match &self.native {
            Some(native) => native.repeat(times, self.memory.get_mut()),
            None => self.repeat_tape(feedback, times, &mut []),
        }
    }

    /// The same for at most [`TRACE_ROUNDS`] rounds of one lane; what the first inputs are after each of them is written to the
    /// columns of `trace`, [`TRACE_STRIDE`] apart.
    ///
    /// # Panics
    /// If the program was not made by [`Program::traced_looping`], there are more lanes, or the trace is too short.
    pub fn repeat_traced(&mut self, times: u64, trace: &mut [f64]) -> u64 {
        let feedback = self.code.feedback.filter(|feedback| feedback.traced > 0 && self.lanes == 1);
        let Some(feedback) = feedback else { panic!("a program that leaves no trace") };
        assert!(trace.len() >= feedback.traced * TRACE_STRIDE, "a trace that is too short");
        let times = times.min(TRACE_ROUNDS as u64);
        match &self.native {
            Some(native) => native.repeat_traced(times, self.memory.get_mut(), trace),
            None => self.repeat_tape(feedback, times, trace),
        }
    }

    fn repeat_tape(&mut self, feedback: Feedback, times: u64, trace: &mut [f64]) -> u64 {
        let mut carried = std::mem::take(&mut self.carried);
        let (mut round, mut tries) = (0, 0);
        while round < times && tries < TRIES {
            self.run_tape(0, &mut carried);
            let (holds, rest) = carried.split_at(self.lanes);
            let (next, again) = rest.split_at(feedback.carried * self.lanes);
            let (first, values) = match holds.contains(&0.0) {
                false => (feedback.first, next),
                true => (feedback.first_retried, again),
            };
            self.memory.get_mut()[first * self.lanes..][..values.len()].copy_from_slice(values);
            if !holds.contains(&0.0) {
                let columns = trace.chunks_mut(TRACE_STRIDE).zip(&values[..feedback.traced]);
                columns.for_each(|(column, value)| column[round as usize] = *value);
            }
            (round, tries) = match holds.contains(&0.0) {
                false => (round + 1, 0),
                true if feedback.retried == 0 => (round, TRIES),
                true => (round, tries + 1),
            };
        }
        self.carried = carried;
        round
    }

    /// Are inputs that are lanes of others taken from there? Otherwise they are to be given and nothing is repeated: those that have
    /// inputs to be [given](crate::Spread::given) in there, along the tape all of them in their own places.
    #[inline]
    pub fn spreads(&self) -> bool {
        self.spreads
    }

    /// Repeats an entry, its outputs replacing inputs, until its condition holds in all lanes; returns how often, or `None` where it
    /// does not hold after so many `times`.
    ///
    /// # Panics
    /// If the program was not made by [`Program::converging`], it has no such entry, or this machine does not
    /// [spread](Machine::spreads) lanes.
    #[inline]
    pub fn converge(&mut self, entry: usize, times: u64) -> Option<u64> {
        match &self.native {
            Some(native) if self.spreads && entry < self.code.converging => {
                native.converge(entry, times, self.memory.get_mut())
            }
            _ => panic!("a program that does not converge"),
        }
    }

    fn run_tape(&mut self, entry: usize, out: &mut [f64]) {
        let entry = self.code.entry(entry);
        let memory = self.memory.get_mut();
        interpret(&entry.tape, memory, self.lanes);
        for (out, slot) in out.chunks_exact_mut(self.lanes).zip(&entry.output_slots) {
            out.copy_from_slice(&memory[*slot as usize * self.lanes..][..self.lanes]);
        }
    }
}

fn interpret(tape: &[Instruction<MemorySlot>], memory: &mut [f64], lanes: usize) {
    match lanes {
        1 => execute(tape, memory),
        _ => wide_tape::execute(tape, memory),
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
