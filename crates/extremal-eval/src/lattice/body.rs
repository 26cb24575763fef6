//! Loops with places for their values, what runs them, and the interpreter: the measure of the emitted ones.

use std::sync::Arc;

use crate::native::ArrayLoops;
use crate::op::Instruction;
use crate::program::Backend;
use crate::slots::MemorySlot;
use crate::ssa::ValueId;
use extremal_expr::elementary::Lanes;

/// Arrays that a loop goes along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Buffer {
    Fields,
    Results,
    Temporaries,
}

/// Where a value of a loop is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoopPlace {
    /// The same in every member.
    Fixed(MemorySlot),
    /// So many numbers behind the member's own place in a buffer.
    Along(Buffer, isize),
    /// Nowhere: it is computed.
    Nowhere,
}

/// The operations of one loop, and where results are stored.
pub(crate) struct LoopBody {
    pub steps: Vec<Instruction<ValueId>>,
    pub stores: Vec<(ValueId, LoopPlace)>,
}

/// All loops of a computation.
pub(crate) struct LoopBodies {
    /// By value.
    pub places: Vec<LoopPlace>,
    pub list: Vec<LoopBody>,
    /// How many fixed places there are.
    pub fixed: usize,
    /// Members from one round to the next; as many as are done in a round if nothing is said.
    pub advance: Option<usize>,
}

/// Members of a loop: the place of the first in fields and results and in the temporaries, and how many groups of lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneGroups {
    pub member: usize,
    pub local: usize,
    pub count: usize,
}

/// The arrays of a run.
pub(crate) struct Buffers<'a> {
    pub fields: &'a [f64],
    pub results: &'a mut [f64],
    pub temporaries: &'a mut [f64],
}

impl LaneGroups {
    /// The place of the first member in a buffer.
    pub fn first(&self, buffer: Buffer) -> usize {
        match buffer {
            Buffer::Fields | Buffer::Results => self.member,
            Buffer::Temporaries => self.local,
        }
    }
}

/// Members that the interpreter does at a time.
pub(crate) const LANES: usize = 8;

/// What runs the loops of a computation.
#[derive(Clone)]
pub(crate) enum LoopRunner {
    Native(Arc<ArrayLoops>),
    Interpreted(Interpreter),
}

impl LoopRunner {
    /// `None` where the backend is not available.
    pub fn new(bodies: &LoopBodies, backend: Backend) -> Option<LoopRunner> {
        Some(match backend {
            Backend::Tape => LoopRunner::Interpreted(Interpreter::new(bodies)),
            _ => LoopRunner::Native(Arc::new(ArrayLoops::compile(bodies, backend)?)),
        })
    }

    /// The memory that loops need: the fixed places first, one number per lane.
    pub fn memory(&self, bodies: &LoopBodies) -> Vec<f64> {
        match self {
            LoopRunner::Native(loops) => loops.memory(),
            LoopRunner::Interpreted(_) => vec![0.0; bodies.fixed * LANES],
        }
    }

    /// Members of one round.
    #[inline]
    pub fn lanes(&self) -> usize {
        match self {
            LoopRunner::Native(loops) => loops.lanes(),
            LoopRunner::Interpreted(_) => LANES,
        }
    }

    /// Does one loop.
    #[inline]
    pub fn run(
        &mut self,
        bodies: &LoopBodies,
        at: usize,
        groups: LaneGroups,
        memory: &mut [f64],
        buffers: &mut Buffers<'_>,
    ) {
        match self {
            LoopRunner::Native(loops) => loops.run(at, groups, memory, buffers),
            LoopRunner::Interpreted(interpreter) => interpreter.run(bodies, at, groups, memory, buffers),
        }
    }
}

/// Runs loops anywhere.
#[derive(Clone)]
pub(crate) struct Interpreter {
    values: Vec<Lanes<LANES>>,
}

impl Interpreter {
    pub fn new(bodies: &LoopBodies) -> Interpreter {
        Interpreter { values: vec![Lanes([0.0; LANES]); bodies.places.len()] }
    }

    /// Does one loop; `memory` has the fixed places, [`LANES`] numbers each.
    pub fn run(
        &mut self,
        bodies: &LoopBodies,
        at: usize,
        groups: LaneGroups,
        memory: &mut [f64],
        buffers: &mut Buffers<'_>,
    ) {
        let advance = bodies.advance.unwrap_or(LANES);
        for group in 0..groups.count {
            let now =
                LaneGroups { member: groups.member + group * advance, local: groups.local + group * advance, count: 1 };
            let body = &bodies.list[at];
            for step in &body.steps {
                let op = step.op.map(|value| self.read(bodies, value, now, memory, buffers));
                self.values[step.to.index()] = op.value();
            }
            for (value, place) in &body.stores {
                let Lanes(numbers) = self.read(bodies, *value, now, memory, buffers);
                let to = match *place {
                    LoopPlace::Fixed(slot) => &mut memory[slot as usize * LANES..],
                    LoopPlace::Along(buffer, offset) => {
                        let first = now.first(buffer).wrapping_add_signed(offset);
                        match buffer {
                            Buffer::Results => &mut buffers.results[first..],
                            Buffer::Temporaries => &mut buffers.temporaries[first..],
                            Buffer::Fields => continue,
                        }
                    }
                    LoopPlace::Nowhere => continue,
                };
                to[..LANES].copy_from_slice(&numbers);
            }
        }
    }

    fn read(
        &self,
        bodies: &LoopBodies,
        value: ValueId,
        now: LaneGroups,
        memory: &[f64],
        buffers: &Buffers<'_>,
    ) -> Lanes<LANES> {
        let (from, first) = match bodies.places[value.index()] {
            LoopPlace::Nowhere => return self.values[value.index()],
            LoopPlace::Fixed(slot) => (memory, slot as usize * LANES),
            LoopPlace::Along(buffer, offset) => {
                let from = match buffer {
                    Buffer::Fields => buffers.fields,
                    Buffer::Results => &*buffers.results,
                    Buffer::Temporaries => &*buffers.temporaries,
                };
                (from, now.first(buffer).wrapping_add_signed(offset))
            }
        };
        let mut lanes = [0.0; LANES];
        lanes.copy_from_slice(&from[first..first + LANES]);
        Lanes(lanes)
    }
}
