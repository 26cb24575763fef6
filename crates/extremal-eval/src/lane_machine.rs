//! Several runs of one program side by side, a number for each in every register.

use std::sync::Arc;

use crate::native::Native;
use crate::program::{Backend, ProgramCode};
use crate::wide_tape::{self, BLOCK};

/// The memory several runs of a [`Program`](crate::Program) share, which are computed all at once: by machine code, or by a tape
/// whose instructions are for all of them. Each lane computes what a [`Machine`](crate::Machine) with its inputs would, bit for
/// bit, whatever the others do.
///
/// ValueTable that belong together stand together: where a machine has a number, this has one for each lane.
#[derive(Clone)]
pub struct LaneMachine {
    code: Arc<ProgramCode>,
    /// Without machine code the tape is interpreted.
    native: Option<Arc<Native>>,
    memory: Aligned,
    lanes: usize,
    /// What becomes inputs again, on its way along the tape.
    carried: Vec<f64>,
    spreads: bool,
}

/// Numbers that begin with a cache line: a register that spans two lines takes twice as long to fill.
struct Aligned {
    numbers: Vec<f64>,
    first: usize,
}

/// Numbers in a cache line.
const LINE: usize = 8;

impl Aligned {
    fn new(numbers: &[f64]) -> Aligned {
        let mut all = vec![0.0; numbers.len() + LINE];
        let first = all.as_ptr().align_offset(LINE * size_of::<f64>()).min(LINE);
        all[first..first + numbers.len()].copy_from_slice(numbers);
        all.truncate(first + numbers.len());
        Aligned { numbers: all, first }
    }

    fn get(&self) -> &[f64] {
        &self.numbers[self.first..]
    }

    fn get_mut(&mut self) -> &mut [f64] {
        &mut self.numbers[self.first..]
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Aligned {
        Aligned::new(self.get())
    }
}

impl LaneMachine {
    pub(crate) fn native(code: Arc<ProgramCode>, native: Arc<Native>, lanes: usize) -> LaneMachine {
        let mut memory = initial(&code, native.memory(), lanes);
        native.prepare(&mut memory);
        let spreads = code.has_lanes(lanes);
        LaneMachine { code, native: Some(native), memory: Aligned::new(&memory), lanes, carried: Vec::new(), spreads }
    }

    /// For [`BLOCK`] lanes.
    pub(crate) fn interpreted(code: Arc<ProgramCode>) -> LaneMachine {
        let memory = initial(&code, code.layout.len, BLOCK);
        let carried = vec![0.0; code.feedback.map_or(0, |_| code.entry(0).output_slots.len() * BLOCK)];
        LaneMachine { code, native: None, memory: Aligned::new(&memory), lanes: BLOCK, carried, spreads: false }
    }

    /// How many runs there are.
    #[inline]
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// What runs them.
    pub fn backend(&self) -> Backend {
        self.native.as_ref().map_or(Backend::Tape, |native| native.backend())
    }

    /// The inputs of a stage: for each input the values of all lanes.
    ///
    /// # Panics
    /// If the program has no such stage.
    #[inline]
    pub fn inputs(&self, stage: usize) -> &[f64] {
        let inputs = self.code.inputs(stage);
        &self.memory.get()[inputs.start * self.lanes..inputs.end * self.lanes]
    }

    /// The inputs of a stage, to be written.
    ///
    /// # Panics
    /// If the program has no such stage.
    #[inline]
    pub fn inputs_mut(&mut self, stage: usize) -> &mut [f64] {
        let inputs = self.code.inputs(stage);
        &mut self.memory.get_mut()[inputs.start * self.lanes..inputs.end * self.lanes]
    }

    /// Computes what later stages need of this one.
    ///
    /// # Panics
    /// If the program has no such stage.
    #[inline]
    pub fn commit(&mut self, stage: usize) {
        match &self.native {
            Some(native) => native.commit(stage, self.memory.get_mut()),
            None => wide_tape::execute(&self.code.commit_tapes[stage], self.memory.get_mut()),
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

    /// Goes round at most `times`: as long as the condition holds in all lanes, outputs replace inputs. Returns how often they did.
    ///
    /// # Panics
    /// If the program was not made by [`Program::looping`](crate::Program::looping).
    pub fn repeat(&mut self, times: u64) -> u64 {
        let Some(feedback) = self.code.feedback else { panic!("a program that is no loop") };
        if let Some(native) = &self.native {
            return native.repeat(times, self.memory.get_mut());
        }
        let mut carried = std::mem::take(&mut self.carried);
        let mut round = 0;
        while round < times {
            self.run_tape(0, &mut carried);
            let (holds, next) = carried.split_at(self.lanes);
            if holds.contains(&0.0) {
                break;
            }
            self.memory.get_mut()[feedback.first * self.lanes..][..next.len()].copy_from_slice(next);
            round += 1;
        }
        self.carried = carried;
        round
    }

    fn run_tape(&mut self, entry: usize, out: &mut [f64]) {
        let entry = self.code.entry(entry);
        let memory = self.memory.get_mut();
        wide_tape::execute(&entry.tape, memory);
        for (out, slot) in out.chunks_exact_mut(self.lanes).zip(&entry.output_slots) {
            out.copy_from_slice(&memory[*slot as usize * self.lanes..][..self.lanes]);
        }
    }

    /// Are inputs that are lanes of others taken from there? Otherwise they are to be given and nothing is repeated: those that have
    /// inputs to be [given](crate::Spread::given) in there, along the tape all of them in their own places.
    #[inline]
    pub fn spreads(&self) -> bool {
        self.spreads
    }

    /// Goes round, the outputs of an entry replacing inputs, until its condition holds in all lanes; returns how often, or `None`
    /// where it does not hold after so many `times`.
    ///
    /// # Panics
    /// If the program was not made by [`Program::converging`](crate::Program::converging), it has no such entry, or this machine does not
    /// [spread](LaneMachine::spreads) lanes.
    #[inline]
    pub fn converge(&mut self, entry: usize, times: u64) -> Option<u64> {
        match &self.native {
            Some(native) if self.spreads && entry < self.code.converging => {
                native.converge(entry, times, self.memory.get_mut())
            }
            _ => panic!("a program that does not converge"),
        }
    }
}

/// Memory of so many slots where nothing is known but the constants.
fn initial(code: &ProgramCode, slots: usize, lanes: usize) -> Vec<f64> {
    let mut memory = vec![f64::NAN; slots * lanes];
    let first = code.layout.inputs.last().map_or(0, |range| range.end);
    for (constant, place) in code.layout.constants.iter().zip(memory[first * lanes..].chunks_exact_mut(lanes)) {
        place.fill(*constant);
    }
    memory
}
