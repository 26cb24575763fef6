//! Running a stencil at a given size: piece by piece, each small enough for the cache.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::machine::{Machine, execute};
use crate::native::Sweep;
use crate::op::{Op, Step};
use crate::program::Backend;
use crate::slots::Slot;
use crate::ssa::Value;

use super::Stencil;
use super::body::{Bodies, Body, Buffer, Buffers, Groups, Interpreter, LANES, Place};
use super::plan::{Array, Loop, Operand};

/// Rows of a piece: what a loop leaves is still in the cache when the next one reads it.
const PIECE: usize = 1024;

/// A result that is not a finite number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotFinite {
    /// A number of a row.
    Row {
        /// Which result.
        result: usize,
        /// Of which row.
        row: usize,
    },
    /// A sum.
    Sum(usize),
}

/// A [`Stencil`] with the memory to run it for a given number of rows. Nothing is allocated after it was made.
#[derive(Clone)]
pub struct RowMachine {
    stencil: Stencil,
    size: usize,
    ends: Machine,
    end_outputs: Vec<f64>,
    /// Parameters, scalars, constants, and what follows from them.
    uniforms: Vec<f64>,
    /// The uniforms belong to the inputs they were last computed for.
    current: bool,
    bodies: Arc<Bodies>,
    runner: Runner,
    /// The fixed places, one number per lane; the first says whether results are finite.
    memory: Vec<f64>,
    temporaries: Vec<f64>,
    totals: Vec<Compensated>,
}

#[derive(Clone)]
enum Runner {
    Native(Arc<Sweep>),
    Interpreted(Interpreter),
}

impl Runner {
    fn lanes(&self) -> usize {
        match self {
            Runner::Native(sweep) => sweep.lanes(),
            Runner::Interpreted(_) => LANES,
        }
    }
}

impl Stencil {
    /// The fewest rows it can be run for.
    pub fn smallest(&self) -> usize {
        self.size.max(self.before + self.behind + LANES)
    }

    /// Numbers set aside for each temporary: a piece, with what it needs beyond its ends.
    fn stride(&self) -> usize {
        PIECE + self.plan.before + self.plan.behind + LANES
    }

    /// Memory to run it for so many rows, by the fastest means there is; `None` if they are too few.
    pub fn machine(&self, size: usize) -> Option<RowMachine> {
        let backends = [Backend::Avx512, Backend::Avx2, Backend::Tape];
        backends.into_iter().find_map(|backend| self.machine_on(backend, size))
    }

    /// The same for a given backend; `None` also where it is not available.
    pub fn machine_on(&self, backend: Backend, size: usize) -> Option<RowMachine> {
        if size < self.smallest() {
            return None;
        }
        let stride = self.stride();
        let bodies = Writer::new(self, size, stride).write();
        let runner = match backend {
            Backend::Tape => Runner::Interpreted(Interpreter::new(&bodies)),
            _ => Runner::Native(Arc::new(Sweep::compile(&bodies, backend)?)),
        };
        let memory = match &runner {
            Runner::Native(sweep) => sweep.memory(),
            Runner::Interpreted(_) => vec![0.0; bodies.fixed * LANES],
        };
        let end_rows = self.results * self.before.max(self.behind) + self.sums;
        Some(RowMachine {
            ends: self.ends.machine(),
            end_outputs: vec![0.0; end_rows],
            uniforms: self.uniforms.memory.clone(),
            current: false,
            temporaries: vec![0.0; self.plan.temporaries * stride],
            totals: vec![Compensated::default(); self.sums],
            size,
            bodies: Arc::new(bodies),
            runner,
            memory,
            stencil: self.clone(),
        })
    }
}

impl RowMachine {
    /// What runs the rows.
    pub fn is_native(&self) -> bool {
        matches!(self.runner, Runner::Native(_))
    }

    /// Sets the parameters.
    ///
    /// # Panics
    /// If there are not as many as the stencil was found for.
    pub fn set_parameters(&mut self, values: &[f64]) {
        self.uniforms[..values.len()].copy_from_slice(values);
        self.ends.inputs_mut(0).copy_from_slice(values);
        self.ends.commit(0);
        self.current = false;
    }

    /// Computes all rows and sums. `fields` and `results` have one number per row, field by field and result by result. After a
    /// failure all results are there, whatever they are.
    ///
    /// # Panics
    /// If there are not as many numbers as the stencil has.
    pub fn run(
        &mut self,
        scalars: &[f64],
        fields: &[f64],
        results: &mut [f64],
        sums: &mut [f64],
    ) -> Result<(), NotFinite> {
        let stencil = &self.stencil;
        assert_eq!(fields.len(), stencil.fields * self.size, "the fields of another stencil");
        assert_eq!(results.len(), stencil.results * self.size, "the results of another stencil");
        assert_eq!(sums.len(), stencil.sums, "the sums of another stencil");
        self.set_scalars(scalars);
        let stride = self.stencil.stride();
        let lanes = self.runner.lanes();
        self.memory[..lanes].fill(0.0);
        let (first, end) = (self.stencil.before, self.size - self.stencil.behind);
        self.totals.fill(Compensated::default());
        let mut from = first;
        while from < end {
            let to = end.min(from + PIECE);
            // A group of lanes must fit: a short last piece does some rows again.
            self.piece(from.min(to - lanes.min(to - first)), to, fields, results);
            for (total, array) in self.totals.iter_mut().zip(&self.stencil.plan.sums) {
                let summands = match array {
                    None => continue,
                    Some(Array::Field(field)) => &fields[field * self.size + from..field * self.size + to],
                    Some(Array::Row(row)) => &results[row * self.size + from..row * self.size + to],
                    Some(Array::Temporary(place)) => {
                        let began = from.min(to - lanes.min(to - first));
                        let local = place * stride + self.stencil.plan.before + (from - began);
                        &self.temporaries[local..local + (to - from)]
                    }
                };
                total.add(sum_of(summands));
            }
            from = to;
        }
        let finite = self.copy(fields, results) && self.memory[..lanes].iter().all(|x| *x == 0.0);
        let ends_are_finite = self.run_ends(scalars, fields, results);
        for (sum, total) in sums.iter_mut().zip(&self.totals) {
            *sum = total.value();
        }
        if finite && ends_are_finite && sums.iter().all(|sum| sum.is_finite()) {
            return Ok(());
        }
        Err(match results.iter().position(|x| !x.is_finite()) {
            Some(at) => NotFinite::Row { result: at / self.size, row: at % self.size },
            None => NotFinite::Sum(sums.iter().position(|x| !x.is_finite()).unwrap_or(0)),
        })
    }

    fn set_scalars(&mut self, scalars: &[f64]) {
        let Stencil { uniforms, scalars: count, .. } = &self.stencil;
        assert_eq!(scalars.len(), *count, "the scalars of another stencil");
        let first = self.ends.inputs(0).len();
        let place = &mut self.uniforms[first..first + count];
        if self.current && uniforms.used.iter().all(|at| place[*at].to_bits() == scalars[*at].to_bits()) {
            return;
        }
        place.copy_from_slice(scalars);
        execute(&uniforms.steps, &mut self.uniforms);
        let lanes = self.runner.lanes();
        for (at, slot) in uniforms.slots.values().enumerate() {
            let place = (FIRST_UNIFORM as usize + at) * lanes;
            self.memory[place..place + lanes].fill(self.uniforms[*slot as usize]);
        }
        self.current = true;
    }

    fn piece(&mut self, from: usize, to: usize, fields: &[f64], results: &mut [f64]) {
        let lanes = self.runner.lanes();
        let before = self.stencil.plan.before;
        let mut buffers = Buffers { fields, results, temporaries: &mut self.temporaries };
        for (at, body) in self.stencil.plan.loops.iter().enumerate() {
            let first = from.wrapping_add_signed(body.first as isize);
            let rows = to.wrapping_add_signed(body.last as isize) - first;
            let local = before.wrapping_add_signed(body.first as isize);
            let whole = Groups { row: first, local, count: rows / lanes };
            // The rest with rows that are done already.
            let back = rows - lanes;
            let rest = Groups { row: first + back, local: local + back, count: 1 };
            for groups in [Some(whole), (!rows.is_multiple_of(lanes)).then_some(rest)].into_iter().flatten() {
                match &mut self.runner {
                    Runner::Native(sweep) => sweep.run(at, groups, &mut self.memory, &mut buffers),
                    Runner::Interpreted(interpreter) => {
                        interpreter.run(&self.bodies, at, groups, &mut self.memory, &mut buffers)
                    }
                }
            }
        }
    }

    /// The results that no loop has; false if one of them is not finite.
    fn copy(&self, fields: &[f64], results: &mut [f64]) -> bool {
        let (first, end) = (self.stencil.before, self.size - self.stencil.behind);
        let mut finite = true;
        for (row, from) in &self.stencil.plan.copies {
            let to = row * self.size + first..row * self.size + end;
            match from {
                Operand::Uniform(shape) => {
                    let number = self.uniforms[self.stencil.uniforms.slots[shape] as usize];
                    results[to.clone()].fill(number);
                }
                Operand::Load(Array::Field(field), offset) => {
                    let at = (field * self.size + first).wrapping_add_signed(*offset as isize);
                    results[to.clone()].copy_from_slice(&fields[at..at + (end - first)]);
                }
                Operand::Load(Array::Row(other), _) => {
                    results.copy_within(other * self.size + first..other * self.size + end, to.start);
                }
                Operand::Load(Array::Temporary(_), _) | Operand::Local(_) => {}
            }
            finite &= results[to].iter().fold(0.0, |all, x| x * 0.0 + all) == 0.0;
        }
        finite
    }

    /// The first and the last rows; false if one of them is not finite.
    fn run_ends(&mut self, scalars: &[f64], fields: &[f64], results: &mut [f64]) -> bool {
        let Stencil { size: window, before, behind, results: count, .. } = self.stencil;
        let mut finite = true;
        for (entry, rows, skipped) in [(0, before, 0), (1, behind, self.size - window)] {
            let inputs = self.ends.inputs_mut(1);
            inputs[..scalars.len()].copy_from_slice(scalars);
            for (to, from) in inputs[scalars.len()..].chunks_exact_mut(window).zip(fields.chunks_exact(self.size)) {
                to.copy_from_slice(&from[skipped..skipped + window]);
            }
            let outputs = &mut self.end_outputs[..count * rows + self.totals.len()];
            self.ends.run(entry, outputs);
            finite &= outputs.iter().all(|x| x.is_finite());
            let (ends, sums) = outputs.split_at(count * rows);
            let first = if entry == 0 { 0 } else { self.size - rows };
            for (row, result) in results.chunks_exact_mut(self.size).enumerate() {
                result[first..first + rows].copy_from_slice(&ends[row * rows..(row + 1) * rows]);
            }
            self.totals.iter_mut().zip(sums).for_each(|(total, sum)| total.add(*sum));
        }
        finite
    }
}

/// The fixed places: whether all is finite, a zero, and then the uniforms.
const FINITE: Slot = 0;
const ZERO: Slot = 1;
const FIRST_UNIFORM: Slot = 2;

/// Gives the values of loops their places.
struct Writer<'s> {
    stencil: &'s Stencil,
    size: usize,
    stride: usize,
    places: Vec<Place>,
}

impl<'s> Writer<'s> {
    fn new(stencil: &'s Stencil, size: usize, stride: usize) -> Writer<'s> {
        let uniforms = stencil.uniforms.slots.len() as Slot;
        let places = (0..FIRST_UNIFORM + uniforms).map(Place::Fixed).collect();
        Writer { stencil, size, stride, places }
    }

    fn write(mut self) -> Bodies {
        let list = self.stencil.plan.loops.iter().map(|body| self.body(body)).collect();
        let fixed = FIRST_UNIFORM as usize + self.stencil.uniforms.slots.len();
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
                    let place = self.stencil.uniforms.slots.range(..shape).count() as u32;
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
        // Zero times a finite number is zero: what adds up to anything else is not finite.
        let mut finite = Value(FINITE);
        for (array, at) in &body.stores {
            if matches!(array, Array::Row(_)) {
                let to = self.value(Place::Nowhere);
                steps.push(Step { to, op: Op::MulAdd(made[*at], Value(ZERO), finite) });
                finite = to;
            }
        }
        if finite != Value(FINITE) {
            stores.push((finite, Place::Fixed(FINITE)));
        }
        Body { steps, stores }
    }
}

/// The sum in eight parts, added up at the end: the order does not depend on what runs the rows.
fn sum_of(numbers: &[f64]) -> f64 {
    let mut parts = [0.0; 8];
    let groups = numbers.chunks_exact(8);
    let rest: f64 = groups.remainder().iter().sum();
    for group in groups {
        parts.iter_mut().zip(group).for_each(|(part, x)| *part += x);
    }
    parts.iter().sum::<f64>() + rest
}

/// A sum with what was rounded off beside it (Neumaier).
#[derive(Clone, Copy, Default)]
struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        let (large, small) = if self.sum.abs() >= x.abs() { (self.sum, x) } else { (x, self.sum) };
        self.lost += (large - sum) + small;
        self.sum = sum;
    }

    fn value(&self) -> f64 {
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}
