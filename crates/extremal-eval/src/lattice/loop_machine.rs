//! The loops of a plan at a given size: some members at a time, each part small enough for the cache.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::machine::execute;
use crate::op::{Instruction, Op};
use crate::program::Backend;
use crate::slots::MemorySlot;
use crate::ssa::ValueId;

use super::body::{Buffer, Buffers, LANES, LaneGroups, LoopBodies, LoopBody, LoopPlace, LoopRunner};
use super::plan::{Array, Loop, LoopOperand};
use super::{LatticeLoops, Uniforms};

/// Members of a piece: what a loop leaves is still in the cache when the next one reads it.
pub(super) const PIECE: usize = 1024;

/// Members that are done together, and whether they begin or end all members: there loops go exactly as far as they must.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopPiece {
    pub from: usize,
    pub to: usize,
    pub begins: bool,
    pub ends: bool,
}

/// Loops with the memory to run them. Nothing is allocated after they were made.
#[derive(Clone)]
pub(super) struct LoopMachine {
    loops: Arc<LatticeLoops>,
    size: usize,
    /// The numbers of a temporary in a piece, and where its first member is among them.
    stride: usize,
    origin: usize,
    bodies: Arc<LoopBodies>,
    runner: LoopRunner,
    temporaries: Vec<f64>,
    settings: Vec<LoopSetting>,
}

/// What does not change from member to member.
#[derive(Clone)]
struct LoopSetting {
    /// Parameters, scalars, constants, and what follows from them.
    uniforms: Vec<f64>,
    /// The uniforms belong to the inputs they were last computed for.
    current: bool,
    /// The fixed places, one number per lane; the first says whether results are finite.
    memory: Vec<f64>,
}

impl LoopMachine {
    /// For so many members and so many settings of the scalars; `None` where the backend is not available.
    pub fn new(loops: &Arc<LatticeLoops>, size: usize, backend: Backend, settings: usize) -> Option<LoopMachine> {
        let reach = loops.plan.touched_by_groups;
        let origin = -reach.first as usize;
        let stride = PIECE + origin + reach.last as usize + LANES;
        let bodies = BodyWriter::new(loops, size, stride).write();
        let runner = LoopRunner::new(&bodies, backend)?;
        let memory = runner.memory(&bodies);
        let setting = LoopSetting { uniforms: loops.uniforms.memory.clone(), current: false, memory };
        Some(LoopMachine {
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
        matches!(self.runner, LoopRunner::Native(_))
    }

    /// Members of one round.
    pub fn lanes(&self) -> usize {
        self.runner.lanes()
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
        let LatticeLoops { uniforms, parameters, scalars: count, .. } = &*self.loops;
        let setting = &mut self.settings[setting];
        setting.memory[..lanes].fill(0.0);
        assert_eq!(scalars.len(), *count, "the scalars of another program");
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

    /// Computes members, as many as a piece has at most and no fewer than lanes.
    pub fn run(&mut self, setting: usize, piece: LoopPiece, fields: &[f64], results: &mut [f64]) {
        let lanes = self.lanes();
        let LoopSetting { uniforms, memory, .. } = &mut self.settings[setting];
        let mut buffers = Buffers { fields, results, temporaries: &mut self.temporaries };
        for (at, body) in self.loops.plan.loops.iter().enumerate() {
            let first = if piece.begins { body.members.first } else { body.groups.first };
            let last = if piece.ends { body.members.last } else { body.groups.last };
            let member = piece.from.wrapping_add_signed(first as isize);
            let end = piece.to.wrapping_add_signed(last as isize);
            let mut run = |member: usize, members: usize| {
                let groups = LaneGroups { member, local: self.origin + member - piece.from, count: members / lanes };
                self.runner.run(&self.bodies, at, groups, memory, &mut buffers);
            };
            // Members of the piece keep their places in groups, so that most of what is read and written lies within a cache line.
            let ahead = -first as usize % lanes;
            let aligned = if ahead > 0 && member + lanes <= end { member + ahead } else { member };
            if aligned > member {
                run(member, lanes);
            }
            run(aligned, end - aligned);
            // The rest with members that are done already.
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
        piece: LoopPiece,
        from: usize,
        fields: &'a [f64],
        results: &'a [f64],
    ) -> Option<&'a [f64]> {
        let (size, to) = (self.size, piece.to);
        Some(match self.loops.plan.sums[sum]? {
            Array::Field(field) => &fields[field * size + from..field * size + to],
            Array::Result(result) => &results[result * size + from..result * size + to],
            Array::Temporary(place) => {
                let local = place * self.stride + self.origin + (from - piece.from);
                &self.temporaries[local..local + (to - from)]
            }
        })
    }
}

/// The results of a piece that no loop has; false if one of them is not finite.
fn copy(
    loops: &LatticeLoops,
    uniforms: &[f64],
    size: usize,
    piece: LoopPiece,
    fields: &[f64],
    results: &mut [f64],
) -> bool {
    let LoopPiece { from: first, to: end, .. } = piece;
    let mut finite = true;
    for (result, from) in &loops.plan.copies {
        let to = result * size + first..result * size + end;
        match from {
            LoopOperand::Uniform(shape) => {
                let number = uniforms[loops.uniforms.slots[shape] as usize];
                results[to.clone()].fill(number);
            }
            LoopOperand::Load(Array::Field(field), offset) => {
                let at = (field * size + first).wrapping_add_signed(*offset as isize);
                results[to.clone()].copy_from_slice(&fields[at..at + (end - first)]);
            }
            LoopOperand::Load(Array::Result(other), _) => {
                results.copy_within(other * size + first..other * size + end, to.start);
            }
            LoopOperand::Load(Array::Temporary(_), _) | LoopOperand::Local(_) => {}
        }
        finite &= results[to].iter().fold(0.0, |all, x| x * 0.0 + all) == 0.0;
    }
    finite
}

/// The fixed places: whether all is finite, and then the uniforms.
const FINITE: MemorySlot = 0;
const FIRST_UNIFORM: MemorySlot = 1;

/// Gives the values of loops their places.
struct BodyWriter<'s> {
    loops: &'s [Loop],
    implied: &'s [bool],
    uniforms: &'s Uniforms,
    size: usize,
    stride: usize,
    places: Vec<LoopPlace>,
}

impl<'s> BodyWriter<'s> {
    fn new(loops: &'s LatticeLoops, size: usize, stride: usize) -> BodyWriter<'s> {
        let LatticeLoops { plan, uniforms, .. } = loops;
        let places = (0..FIRST_UNIFORM + uniforms.slots.len() as MemorySlot).map(LoopPlace::Fixed).collect();
        BodyWriter { loops: &plan.loops, implied: &plan.implied, uniforms, size, stride, places }
    }

    fn write(mut self) -> LoopBodies {
        let fixed = self.places.len();
        let list = self.loops.iter().map(|body| self.body(body)).collect();
        LoopBodies { places: self.places, list, fixed, advance: None }
    }

    fn value(&mut self, place: LoopPlace) -> ValueId {
        self.places.push(place);
        ValueId(self.places.len() as u32 - 1)
    }

    fn place(&self, array: Array, offset: i32) -> LoopPlace {
        let (buffer, first) = match array {
            Array::Field(field) => (Buffer::Fields, field * self.size),
            Array::Result(result) => (Buffer::Results, result * self.size),
            Array::Temporary(place) => (Buffer::Temporaries, place * self.stride),
        };
        LoopPlace::Along(buffer, first as isize + offset as isize)
    }

    fn body(&mut self, body: &Loop) -> LoopBody {
        let mut loads: FxHashMap<(Array, i32), ValueId> = FxHashMap::default();
        let mut made: Vec<ValueId> = Vec::with_capacity(body.ops.len());
        let mut steps = Vec::with_capacity(body.ops.len());
        for op in &body.ops {
            let op = op.map(|operand| match operand {
                LoopOperand::Local(at) => made[at],
                LoopOperand::Uniform(shape) => {
                    let place = self.uniforms.slots.range(..shape).count() as u32;
                    ValueId(FIRST_UNIFORM + place)
                }
                LoopOperand::Load(array, offset) => {
                    let place = self.place(array, offset);
                    *loads.entry((array, offset)).or_insert_with(|| self.value(place))
                }
            });
            let to = self.value(LoopPlace::Nowhere);
            steps.push(Instruction { to, op });
            made.push(to);
        }
        let mut stores: Vec<(ValueId, LoopPlace)> =
            body.stores.iter().map(|(array, at)| (made[*at], self.place(*array, 0))).collect();
        // A finite number less itself is zero: what adds up to anything else is not finite.
        let mut finite = ValueId(FINITE);
        for (array, at) in &body.stores {
            if matches!(array, Array::Result(result) if self.implied.get(*result) == Some(&false)) {
                let [nothing, to] = [self.value(LoopPlace::Nowhere), self.value(LoopPlace::Nowhere)];
                steps.push(Instruction { to: nothing, op: Op::Sub(made[*at], made[*at]) });
                steps.push(Instruction { to, op: Op::Add(finite, nothing) });
                finite = to;
            }
        }
        if finite != ValueId(FINITE) {
            stores.push((finite, LoopPlace::Fixed(FINITE)));
        }
        LoopBody { steps, stores }
    }
}
