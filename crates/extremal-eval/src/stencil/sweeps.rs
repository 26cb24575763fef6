//! The loops of a plan at a given size: some rows at a time, each part small enough for the cache.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::machine::execute;
use crate::native::Sweep;
use crate::op::{Op, Step};
use crate::program::Backend;
use crate::slots::Slot;
use crate::ssa::Value;

use super::body::{Bodies, Body, Buffer, Buffers, Groups, Interpreter, LANES, Place};
use super::plan::{Array, Loop, Operand};
use super::{Loops, Uniforms};

/// Rows of a piece: what a loop leaves is still in the cache when the next one reads it.
pub(super) const PIECE: usize = 1024;

/// Rows that are done together, and whether they begin or end all rows: there loops go exactly as far as they must.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub from: usize,
    pub to: usize,
    pub begins: bool,
    pub ends: bool,
}

/// Loops with the memory to run them. Nothing is allocated after they were made.
#[derive(Clone)]
pub(super) struct Sweeps {
    loops: Arc<Loops>,
    size: usize,
    /// The numbers of a temporary in a piece, and where its first row is among them.
    stride: usize,
    origin: usize,
    bodies: Arc<Bodies>,
    runner: Runner,
    temporaries: Vec<f64>,
    settings: Vec<Setting>,
}

/// What does not change from row to row.
#[derive(Clone)]
struct Setting {
    /// Parameters, scalars, constants, and what follows from them.
    uniforms: Vec<f64>,
    /// The uniforms belong to the inputs they were last computed for.
    current: bool,
    /// The fixed places, one number per lane; the first says whether results are finite.
    memory: Vec<f64>,
}

#[derive(Clone)]
enum Runner {
    Native(Arc<Sweep>),
    Interpreted(Interpreter),
}

impl Sweeps {
    /// For so many rows and so many settings of the scalars; `None` where the backend is not available.
    pub fn new(loops: &Arc<Loops>, size: usize, backend: Backend, settings: usize) -> Option<Sweeps> {
        let reach = loops.plan.touched_by_groups;
        let origin = -reach.first as usize;
        let stride = PIECE + origin + reach.last as usize + LANES;
        let bodies = Writer::new(loops, size, stride).write();
        let runner = match backend {
            Backend::Tape => Runner::Interpreted(Interpreter::new(&bodies)),
            _ => Runner::Native(Arc::new(Sweep::compile(&bodies, backend)?)),
        };
        let memory = match &runner {
            Runner::Native(sweep) => sweep.memory(),
            Runner::Interpreted(_) => vec![0.0; bodies.fixed * LANES],
        };
        let setting = Setting { uniforms: loops.uniforms.memory.clone(), current: false, memory };
        Some(Sweeps {
            size,
            stride,
            origin,
            bodies: Arc::new(bodies),
            runner,
            temporaries: vec![0.0; loops.plan.temporaries * stride],
            settings: vec![setting; settings],
            loops: loops.clone(),
        })
    }

    pub fn is_native(&self) -> bool {
        matches!(self.runner, Runner::Native(_))
    }

    /// Rows of one round.
    pub fn lanes(&self) -> usize {
        match &self.runner {
            Runner::Native(sweep) => sweep.lanes(),
            Runner::Interpreted(_) => LANES,
        }
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        for setting in &mut self.settings {
            setting.uniforms[..values.len()].copy_from_slice(values);
            setting.current = false;
        }
    }

    /// Prepares a setting for these scalars; what has been computed with it so far counts as finite.
    pub fn set_scalars(&mut self, setting: usize, scalars: &[f64]) {
        let lanes = self.lanes();
        let Loops { uniforms, parameters, scalars: count, .. } = &*self.loops;
        let setting = &mut self.settings[setting];
        setting.memory[..lanes].fill(0.0);
        assert_eq!(scalars.len(), *count, "the scalars of another stencil");
        let place = &mut setting.uniforms[*parameters..parameters + count];
        if setting.current && uniforms.used.iter().all(|at| place[*at].to_bits() == scalars[*at].to_bits()) {
            return;
        }
        place.copy_from_slice(scalars);
        execute(&uniforms.steps, &mut setting.uniforms);
        for (at, slot) in uniforms.slots.values().enumerate() {
            let place = (FIRST_UNIFORM as usize + at) * lanes;
            setting.memory[place..place + lanes].fill(setting.uniforms[*slot as usize]);
        }
        setting.current = true;
    }

    /// Are all results finite that were computed with a setting?
    pub fn are_finite(&self, setting: usize) -> bool {
        self.settings[setting].memory[..self.lanes()].iter().all(|x| *x == 0.0)
    }

    /// Computes rows, as many as a piece has at most and no fewer than lanes.
    pub fn run(&mut self, setting: usize, piece: Piece, fields: &[f64], results: &mut [f64]) {
        let lanes = self.lanes();
        let Setting { uniforms, memory, .. } = &mut self.settings[setting];
        let mut buffers = Buffers { fields, results, temporaries: &mut self.temporaries };
        for (at, body) in self.loops.plan.loops.iter().enumerate() {
            let first = if piece.begins { body.rows.first } else { body.groups.first };
            let last = if piece.ends { body.rows.last } else { body.groups.last };
            let row = piece.from.wrapping_add_signed(first as isize);
            let end = piece.to.wrapping_add_signed(last as isize);
            let mut run = |row: usize, rows: usize| {
                let groups = Groups { row, local: self.origin + row - piece.from, count: rows / lanes };
                match &mut self.runner {
                    Runner::Native(sweep) => sweep.run(at, groups, memory, &mut buffers),
                    Runner::Interpreted(interpreter) => interpreter.run(&self.bodies, at, groups, memory, &mut buffers),
                }
            };
            // Rows of the piece keep their places in groups, so that most of what is read and written lies within a cache line.
            let ahead = -first as usize % lanes;
            let aligned = if ahead > 0 && row + lanes <= end { row + ahead } else { row };
            if aligned > row {
                run(row, lanes);
            }
            run(aligned, end - aligned);
            // The rest with rows that are done already.
            if !(end - aligned).is_multiple_of(lanes) {
                run(end - lanes, lanes);
            }
        }
        if !self.loops.plan.copies.is_empty() && !copy(&self.loops, uniforms, self.size, piece, fields, results) {
            memory[0] = f64::NAN;
        }
    }

    /// The summands of a sum in the piece that was computed last.
    pub fn summands<'a>(
        &'a self,
        sum: usize,
        piece: Piece,
        from: usize,
        fields: &'a [f64],
        results: &'a [f64],
    ) -> Option<&'a [f64]> {
        let (size, to) = (self.size, piece.to);
        Some(match self.loops.plan.sums[sum]? {
            Array::Field(field) => &fields[field * size + from..field * size + to],
            Array::Row(row) => &results[row * size + from..row * size + to],
            Array::Temporary(place) => {
                let local = place * self.stride + self.origin + (from - piece.from);
                &self.temporaries[local..local + (to - from)]
            }
        })
    }
}

/// The results of a piece that no loop has; false if one of them is not finite.
fn copy(loops: &Loops, uniforms: &[f64], size: usize, piece: Piece, fields: &[f64], results: &mut [f64]) -> bool {
    let Piece { from: first, to: end, .. } = piece;
    let mut finite = true;
    for (row, from) in &loops.plan.copies {
        let to = row * size + first..row * size + end;
        match from {
            Operand::Uniform(shape) => {
                let number = uniforms[loops.uniforms.slots[shape] as usize];
                results[to.clone()].fill(number);
            }
            Operand::Load(Array::Field(field), offset) => {
                let at = (field * size + first).wrapping_add_signed(*offset as isize);
                results[to.clone()].copy_from_slice(&fields[at..at + (end - first)]);
            }
            Operand::Load(Array::Row(other), _) => {
                results.copy_within(other * size + first..other * size + end, to.start);
            }
            Operand::Load(Array::Temporary(_), _) | Operand::Local(_) => {}
        }
        finite &= results[to].iter().fold(0.0, |all, x| x * 0.0 + all) == 0.0;
    }
    finite
}

/// The fixed places: whether all is finite, and then the uniforms.
const FINITE: Slot = 0;
const FIRST_UNIFORM: Slot = 1;

/// Gives the values of loops their places.
struct Writer<'s> {
    loops: &'s [Loop],
    implied: &'s [bool],
    uniforms: &'s Uniforms,
    size: usize,
    stride: usize,
    places: Vec<Place>,
}

impl<'s> Writer<'s> {
    fn new(loops: &'s Loops, size: usize, stride: usize) -> Writer<'s> {
        let Loops { plan, uniforms, .. } = loops;
        let places = (0..FIRST_UNIFORM + uniforms.slots.len() as Slot).map(Place::Fixed).collect();
        Writer { loops: &plan.loops, implied: &plan.implied, uniforms, size, stride, places }
    }

    fn write(mut self) -> Bodies {
        let fixed = self.places.len();
        let list = self.loops.iter().map(|body| self.body(body)).collect();
        Bodies { places: self.places, list, fixed }
    }

    fn value(&mut self, place: Place) -> Value {
        self.places.push(place);
        Value(self.places.len() as u32 - 1)
    }

    fn place(&self, array: Array, offset: i32) -> Place {
        let (buffer, first) = match array {
            Array::Field(field) => (Buffer::Fields, field * self.size),
            Array::Row(row) => (Buffer::Results, row * self.size),
            Array::Temporary(place) => (Buffer::Temporaries, place * self.stride),
        };
        Place::Along(buffer, first as isize + offset as isize)
    }

    fn body(&mut self, body: &Loop) -> Body {
        let mut loads: FxHashMap<(Array, i32), Value> = FxHashMap::default();
        let mut made: Vec<Value> = Vec::with_capacity(body.ops.len());
        let mut steps = Vec::with_capacity(body.ops.len());
        for op in &body.ops {
            let op = op.map(|operand| match operand {
                Operand::Local(at) => made[at],
                Operand::Uniform(shape) => {
                    let place = self.uniforms.slots.range(..shape).count() as u32;
                    Value(FIRST_UNIFORM + place)
                }
                Operand::Load(array, offset) => {
                    let place = self.place(array, offset);
                    *loads.entry((array, offset)).or_insert_with(|| self.value(place))
                }
            });
            let to = self.value(Place::Nowhere);
            steps.push(Step { to, op });
            made.push(to);
        }
        let mut stores: Vec<(Value, Place)> =
            body.stores.iter().map(|(array, at)| (made[*at], self.place(*array, 0))).collect();
        // A finite number less itself is zero: what adds up to anything else is not finite.
        let mut finite = Value(FINITE);
        for (array, at) in &body.stores {
            if matches!(array, Array::Row(row) if self.implied.get(*row) == Some(&false)) {
                let [nothing, to] = [self.value(Place::Nowhere), self.value(Place::Nowhere)];
                steps.push(Step { to: nothing, op: Op::Sub(made[*at], made[*at]) });
                steps.push(Step { to, op: Op::Add(finite, nothing) });
                finite = to;
            }
        }
        if finite != Value(FINITE) {
            stores.push((finite, Place::Fixed(FINITE)));
        }
        Body { steps, stores }
    }
}
