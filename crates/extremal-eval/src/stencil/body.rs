//! Loops with places for their values, and the interpreter that runs them: the measure of the emitted ones.

use crate::functions::Lanes;
use crate::op::Step;
use crate::slots::Slot;
use crate::ssa::Value;

/// Arrays that a loop goes along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Buffer {
    Fields,
    Results,
    Temporaries,
}

/// Where a value of a loop is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// The same in every row.
    Fixed(Slot),
    /// So many numbers behind the row's own place in a buffer.
    Along(Buffer, isize),
    /// Nowhere: it is computed.
    Nowhere,
}

/// The operations of one loop, and where results are stored.
pub(crate) struct Body {
    pub steps: Vec<Step<Value>>,
    pub stores: Vec<(Value, Place)>,
}

/// All loops of a computation.
pub(crate) struct Bodies {
    /// By value.
    pub places: Vec<Place>,
    pub list: Vec<Body>,
    /// How many fixed places there are.
    pub fixed: usize,
}

/// Rows of a loop: the place of the first in fields and results and in the temporaries, and how many groups of lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Groups {
    pub row: usize,
    pub local: usize,
    pub count: usize,
}

/// The arrays of a run.
pub(crate) struct Buffers<'a> {
    pub fields: &'a [f64],
    pub results: &'a mut [f64],
    pub temporaries: &'a mut [f64],
}

impl Buffers<'_> {
    pub fn len(&self, buffer: Buffer) -> usize {
        match buffer {
            Buffer::Fields => self.fields.len(),
            Buffer::Results => self.results.len(),
            Buffer::Temporaries => self.temporaries.len(),
        }
    }
}

impl Groups {
    /// The place of the first row in a buffer.
    pub fn first(&self, buffer: Buffer) -> usize {
        match buffer {
            Buffer::Fields | Buffer::Results => self.row,
            Buffer::Temporaries => self.local,
        }
    }
}

/// Rows that the interpreter does at a time.
pub(crate) const LANES: usize = 8;

/// Runs loops anywhere.
#[derive(Clone)]
pub(crate) struct Interpreter {
    values: Vec<Lanes<LANES>>,
}

impl Interpreter {
    pub fn new(bodies: &Bodies) -> Interpreter {
        Interpreter { values: vec![Lanes([0.0; LANES]); bodies.places.len()] }
    }

    /// Does one loop; `memory` has the fixed places, [`LANES`] numbers each.
    pub fn run(&mut self, bodies: &Bodies, at: usize, groups: Groups, memory: &mut [f64], buffers: &mut Buffers<'_>) {
        for group in 0..groups.count {
            let now = Groups { row: groups.row + group * LANES, local: groups.local + group * LANES, count: 1 };
            let body = &bodies.list[at];
            for step in &body.steps {
                let op = step.op.map(|value| self.read(bodies, value, now, memory, buffers));
                self.values[step.to.index()] = op.value();
            }
            for (value, place) in &body.stores {
                let Lanes(numbers) = self.read(bodies, *value, now, memory, buffers);
                let to = match *place {
                    Place::Fixed(slot) => &mut memory[slot as usize * LANES..],
                    Place::Along(buffer, offset) => {
                        let first = now.first(buffer).wrapping_add_signed(offset);
                        match buffer {
                            Buffer::Results => &mut buffers.results[first..],
                            Buffer::Temporaries => &mut buffers.temporaries[first..],
                            Buffer::Fields => continue,
                        }
                    }
                    Place::Nowhere => continue,
                };
                to[..LANES].copy_from_slice(&numbers);
            }
        }
    }

    fn read(&self, bodies: &Bodies, value: Value, now: Groups, memory: &[f64], buffers: &Buffers<'_>) -> Lanes<LANES> {
        let (from, first) = match bodies.places[value.index()] {
            Place::Nowhere => return self.values[value.index()],
            Place::Fixed(slot) => (memory, slot as usize * LANES),
            Place::Along(buffer, offset) => {
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
