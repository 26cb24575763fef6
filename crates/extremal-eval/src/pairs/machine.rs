//! Running a sum over pairs for a given number of members.

use std::ops::Range;
use std::sync::Arc;

use crate::lattice::Compensated;
use crate::lattice::body::{Buffers, LANES, LaneGroups, LoopRunner};
use crate::machine::{Aligned, execute};
use crate::program::Backend;
use crate::widest::Arch;

use super::kernel::{PairKernel, PairPlaces, PairUniforms};
use super::{PairCode, PairProgram};

/// Members that go by one member before they go by the next: what is known of them and what they get stays in the first cache.
const TILE: usize = 512;
/// Members of a group that shorter registers hold.
const HALF: usize = 4;

/// First members that others go by at once: what the sums of so many need, there are registers for. The bits do not depend on it.
fn firsts_at_once(backend: Backend) -> usize {
    match backend {
        Backend::Avx512 => 4,
        Backend::Avx2 | Backend::Neon => 2,
        Backend::Tape => 1,
    }
}

/// A [`PairProgram`] with the memory to run it for a given number of members. Nothing is allocated after it was made.
#[derive(Clone)]
pub struct PairMachine {
    code: Arc<PairCode>,
    kernel: Arc<PairKernel>,
    size: usize,
    /// Members in whole groups.
    stride: usize,
    runner: LoopRunner,
    /// The fixed places of the loop, one number per lane.
    memory: Aligned,
    uniforms: PairUniforms,
    /// What is known of the members, and their numbers.
    fields: Aligned,
    slopes: Aligned,
    /// As many sums side by side as a group has members, whatever is done in one go.
    parts: Vec<[f64; LANES]>,
    arch: Arch,
}

impl PairProgram {
    /// Memory to run it for so many members, by the fastest means there is.
    pub fn machine(&self, size: usize) -> PairMachine {
        let fastest = Backend::FASTEST_FIRST.into_iter().find_map(|backend| self.machine_on(backend, size));
        match fastest {
            Some(machine) => machine,
            None => unreachable!("the interpreter runs everywhere"),
        }
    }

    /// The same for a given backend; `None` where it is not available.
    pub fn machine_on(&self, backend: Backend, size: usize) -> Option<PairMachine> {
        let stride = size.next_multiple_of(LANES);
        let kernel = PairKernel::new(&self.code, stride, firsts_at_once(backend));
        let runner = LoopRunner::new(&kernel.bodies, backend)?;
        let mut fields = vec![0.0; (self.code.members + 1) * stride];
        for (place, number) in fields[self.code.members * stride..].iter_mut().zip(0..) {
            *place = if number < size { number as f64 } else { -1.0 };
        }
        Some(PairMachine {
            code: self.code.clone(),
            size,
            stride,
            memory: Aligned::new(&runner.memory(&kernel.bodies)),
            uniforms: kernel.uniforms.clone(),
            fields: Aligned::new(&fields),
            slopes: Aligned::new(&vec![0.0; self.code.moving * stride]),
            parts: vec![[0.0; LANES]; kernel.places.sums * kernel.places.firsts],
            kernel: Arc::new(kernel),
            runner,
            arch: Arch::new(),
        })
    }
}

impl PairMachine {
    /// What runs the pairs.
    pub fn is_native(&self) -> bool {
        matches!(self.runner, LoopRunner::Native(_))
    }

    /// Sets the parameters.
    ///
    /// # Panics
    /// If there are not as many as the program was compiled for.
    pub fn set_parameters(&mut self, values: &[f64]) {
        assert_eq!(values.len(), self.code.parameters, "the parameters of another program");
        self.uniforms.memory[..values.len()].copy_from_slice(values);
        execute(&self.uniforms.steps[0], &mut self.uniforms.memory);
        let (lanes, place) = (self.runner.lanes(), self.kernel.places.settled());
        let places = self.memory.get_mut()[place * lanes..].chunks_exact_mut(lanes);
        for ((_, slot), place) in self.uniforms.used[..self.uniforms.settled].iter().zip(places) {
            place.fill(self.uniforms.memory[*slot as usize]);
        }
    }

    /// Sets what is known of the members besides what the sum is differentiated by, field by field.
    ///
    /// # Panics
    /// If there are not as many numbers as the program has.
    pub fn set_data(&mut self, data: &[f64]) {
        let PairCode { members, moving, .. } = *self.code;
        assert_eq!(data.len(), (members - moving) * self.size, "the data of another program");
        self.place(moving, data);
    }

    /// The sum over all pairs of the members, whose places `fields` has field by field; its slopes are written likewise.
    ///
    /// # Panics
    /// If there are not as many numbers as the program has.
    pub fn run(&mut self, fields: &[f64], slopes: &mut [f64]) -> f64 {
        let moving = self.code.moving;
        let (size, stride) = (self.size, self.stride);
        assert_eq!(fields.len(), moving * size, "the fields of another program");
        assert_eq!(slopes.len(), moving * size, "the slopes of another program");
        self.place(0, fields);
        self.slopes.get_mut().fill(0.0);
        let total = self.arch.dispatch(
            #[inline(always)]
            || match self.runner.lanes() {
                LANES => self.tiles::<LANES>(),
                _ => self.tiles::<HALF>(),
            },
        );
        for (from, to) in self.slopes.get().chunks_exact(stride.max(1)).zip(slopes.chunks_exact_mut(size.max(1))) {
            to.copy_from_slice(&from[..size]);
        }
        total
    }

    /// Lets all members go by each other, so many at a time; returns the sum of the terms.
    #[inline(always)]
    fn tiles<const L: usize>(&mut self) -> f64 {
        let mut total = Compensated::default();
        for first in (0..self.stride).step_by(TILE) {
            let end = self.stride.min(first + TILE);
            let members = self.size.min(end - 1);
            for member in (0..members).step_by(self.kernel.places.firsts) {
                self.rows::<L>(member..members, first.max((member + 1) / LANES * LANES), end, &mut total);
            }
        }
        total.value()
    }

    /// Puts numbers of the members to where loops find them, from a field on.
    fn place(&mut self, first: usize, fields: &[f64]) {
        let places = self.fields.get_mut().chunks_exact_mut(self.stride.max(1)).skip(first);
        for (to, from) in places.zip(fields.chunks_exact(self.size.max(1))) {
            to[..self.size].copy_from_slice(from);
        }
    }

    /// Lets the members from one place to another go by the first of these members, as many as do so at once; adds the terms to the sum.
    #[inline(always)]
    fn rows<const L: usize>(&mut self, members: Range<usize>, from: usize, end: usize, total: &mut Compensated) {
        let PairMachine { code, kernel, runner, memory, uniforms, fields, slopes, parts, stride, .. } = self;
        let PairPlaces { firsts, sums, .. } = kernel.places;
        let (lanes, _) = memory.get_mut().as_chunks_mut::<L>();
        for first in 0..firsts {
            let member = members.start + first;
            if member >= members.end {
                // No member comes behind it.
                lanes[kernel.places.own_number(first)] = [f64::INFINITY; L];
                continue;
            }
            let own = fields.get()[member..].iter().step_by(*stride);
            for (place, number) in uniforms.memory[code.parameters..][..code.members].iter_mut().zip(own) {
                *place = *number;
            }
            if !uniforms.steps[1].is_empty() {
                execute(&uniforms.steps[1], &mut uniforms.memory);
            }
            lanes[kernel.places.own_number(first)] = [member as f64; L];
            let changing = &mut lanes[kernel.places.uniforms_of(first)];
            for (place, (_, slot)) in changing.iter_mut().zip(&uniforms.used[uniforms.settled..]) {
                *place = [uniforms.memory[*slot as usize]; L];
            }
        }
        for round in 0..LANES / L {
            let (lanes, _) = memory.get_mut().as_chunks_mut::<L>();
            for first in 0..firsts {
                lanes[kernel.places.sums_of(first)].iter_mut().for_each(|sums| *sums = [0.0; L]);
            }
            let groups = LaneGroups { member: from + round * L, local: 0, count: (end - from) / LANES };
            let mut buffers = Buffers { fields: fields.get(), results: slopes.get_mut(), temporaries: &mut [] };
            runner.run(&kernel.bodies, 0, groups, memory.get_mut(), &mut buffers);
            let (lanes, _) = memory.get().as_chunks::<L>();
            for (first, parts) in parts.chunks_exact_mut(sums).enumerate() {
                for (parts, made) in parts.iter_mut().zip(&lanes[kernel.places.sums_of(first)]) {
                    let (places, _) = parts.as_chunks_mut::<L>();
                    places[round] = *made;
                }
            }
        }
        for (member, parts) in members.zip(parts.chunks_exact(sums)) {
            let (of_slopes, of_term) = parts.split_at(code.moving);
            for (slope, parts) in slopes.get_mut()[member..].iter_mut().step_by(*stride).zip(of_slopes) {
                *slope += in_pairs(parts);
            }
            total.add(of_term.iter().map(in_pairs).sum());
        }
    }
}

#[inline(always)]
fn in_pairs(parts: &[f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = *parts;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}
