//! Several runs of one program side by side, a number for each in every register.

use std::sync::Arc;

use crate::native::Native;
use crate::program::{Backend, Code};

/// The memory several runs of a [`Program`](crate::Program) share, in machine code that works on all of them at once. Each lane
/// computes what a [`Machine`](crate::Machine) with its inputs would, bit for bit, whatever the others do.
///
/// Values that belong together stand together: where a machine has a number, this has one for each lane.
#[derive(Clone)]
pub struct LaneMachine {
    code: Arc<Code>,
    native: Arc<Native>,
    memory: Aligned,
    lanes: usize,
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
    pub(crate) fn new(code: Arc<Code>, native: Arc<Native>, lanes: usize) -> LaneMachine {
        let mut memory = vec![f64::NAN; native.memory() * lanes];
        let first = code.layout.inputs.last().map_or(0, |range| range.end);
        for (constant, place) in code.layout.constants.iter().zip(memory[first * lanes..].chunks_exact_mut(lanes)) {
            place.fill(*constant);
        }
        native.prepare(&mut memory);
        let spreads = code.has_lanes(lanes);
        LaneMachine { code, native, memory: Aligned::new(&memory), lanes, spreads }
    }

    /// How many runs there are.
    #[inline]
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// What runs them.
    pub fn backend(&self) -> Backend {
        self.native.backend()
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
        self.native.commit(stage, self.memory.get_mut());
    }

    /// Runs an entry and writes its outputs to `out`, for each output the values of all lanes.
    ///
    /// # Panics
    /// If the program has no such entry, or `out` is not as long as its outputs.
    #[inline]
    pub fn run(&mut self, entry: usize, out: &mut [f64]) {
        let outputs = self.code.entry(entry).output_slots.len();
        assert_eq!(out.len(), outputs * self.lanes, "the entry has another number of outputs");
        self.native.run(entry, self.memory.get_mut(), out);
    }

    /// Goes round at most `times`: as long as the condition holds in all lanes, outputs replace inputs. Returns how often they did.
    ///
    /// # Panics
    /// If the program was not made by [`Program::cycle`](crate::Program::cycle).
    pub fn repeat(&mut self, times: u64) -> u64 {
        assert!(self.code.cycle.is_some_and(|cycle| !cycle.until), "a program that does not go round");
        self.native.repeat(times, self.memory.get_mut())
    }

    /// Are inputs that are lanes of others taken from there? Otherwise they are to be given, and nothing goes round.
    #[inline]
    pub fn spreads(&self) -> bool {
        self.spreads
    }

    /// Goes round, outputs replacing inputs, until the condition holds in all lanes; returns how often, or `None` where it does not
    /// hold after so many `times`.
    ///
    /// # Panics
    /// If the program was not made by [`Program::settling`](crate::Program::settling), or there are too few lanes for it.
    pub fn settle(&mut self, times: u64) -> Option<u64> {
        let settles = self.code.cycle.is_some_and(|cycle| cycle.until) && self.spreads;
        assert!(settles, "a program that does not settle");
        self.native.settle(times, self.memory.get_mut())
    }
}
