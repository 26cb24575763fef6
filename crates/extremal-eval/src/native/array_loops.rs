//! Loops that go along arrays, several members at a time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use memmap2::Mmap;

use crate::lattice::body::{Buffer, Buffers, LaneGroups, LoopBodies, LoopBody, LoopPlace};
use crate::program::Backend;
use crate::slots::{MemorySlot, NOWHERE};
use crate::ssa::ValueId;

use super::emit::{BlockSource, Emitter, PATTERNS, Running};
use super::executable;
use super::operand::{AddressRegister, Register};
use super::order::BlockItem;
use super::processor::CodeTarget;
use super::registers::ARRAYS;

/// Loops in executable memory.
pub(crate) struct ArrayLoops {
    code: Mmap,
    loops: Vec<(usize, Vec<BufferReach>)>,
    memory: usize,
    patterns: usize,
    lanes: usize,
    /// Members from one round to the next.
    advance: usize,
}

/// The numbers of a buffer that a round touches: from `first` to before `end`, relative to its first member.
#[derive(Clone, Copy)]
struct BufferReach {
    buffer: Buffer,
    first: isize,
    end: isize,
}

/// Memory, then fields, results and temporaries at the first member, and the number of rounds.
type ArrayLoopFunction = emitted!(fn(*mut f64, *const f64, *mut f64, *mut f64, u64));

fn base(buffer: Buffer) -> AddressRegister {
    match buffer {
        Buffer::Fields => AddressRegister::Fields,
        Buffer::Results => AddressRegister::Results,
        Buffer::Temporaries => AddressRegister::Temporaries,
    }
}

impl ArrayLoops {
    /// Compiles all loops; `None` where the machine cannot run them, or distances do not fit instructions.
    pub fn compile(bodies: &LoopBodies, backend: Backend) -> Option<ArrayLoops> {
        let lanes = CodeTarget::lanes_along_arrays(backend);
        let target = CodeTarget::of(backend, lanes)?;
        let mut arrays = Vec::new();
        let mut slot = |place: LoopPlace| match place {
            LoopPlace::Fixed(slot) => Some(slot),
            LoopPlace::Nowhere => Some(NOWHERE),
            LoopPlace::Along(buffer, offset) => {
                arrays.push((base(buffer), i32::try_from(offset.checked_mul(8)?).ok()?));
                Some(ARRAYS + arrays.len() as MemorySlot - 1)
            }
        };
        let fixed: Vec<MemorySlot> = bodies.places.iter().map(|place| slot(*place)).collect::<Option<_>>()?;
        let mut kept = Vec::new();
        for body in &bodies.list {
            let stores = body.stores.iter().map(|(value, place)| Some((*value, slot(*place)?)));
            kept.push(stores.collect::<Option<Vec<_>>>()?);
        }
        let mut emitter = Emitter::new(target, &fixed, bodies.fixed as MemorySlot);
        emitter.registers.arrays = arrays;
        let advance = bodies.advance.unwrap_or(lanes);
        let loops = bodies
            .list
            .iter()
            .zip(&kept)
            .map(|(body, kept)| {
                let source = BlockSource { steps: &body.steps, outputs: &[], kept };
                (emitter.array_loop(&source, advance), reaches(bodies, body, lanes))
            })
            .collect();
        let (bytes, memory) = emitter.finish()?;
        Some(ArrayLoops { code: executable(&bytes)?, loops, memory, patterns: bodies.fixed, lanes, advance })
    }

    /// Members of one round.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Numbers of memory that loops need, with the patterns among them written.
    pub fn memory(&self) -> Vec<f64> {
        let mut memory = vec![0.0; self.memory * self.lanes];
        for (at, pattern) in PATTERNS.iter().enumerate() {
            let first = (self.patterns + at) * self.lanes;
            memory[first..first + self.lanes].fill(f64::from_bits(*pattern));
        }
        memory
    }

    /// Does one loop.
    pub fn run(&self, at: usize, groups: LaneGroups, memory: &mut [f64], buffers: &mut Buffers<'_>) {
        let (offset, reaches) = &self.loops[at];
        if groups.count == 0 {
            return;
        }
        assert!(memory.len() >= self.memory * self.lanes, "the memory of other loops");
        let last = (groups.count - 1) * self.advance;
        for reach in reaches {
            let first = groups.first(reach.buffer) as isize;
            let fits =
                first + reach.first >= 0 && first + last as isize + reach.end <= buffers.len(reach.buffer) as isize;
            assert!(fits, "members outside of their arrays");
        }
        // SAFETY: a loop begins at this offset and has this signature; it touches what was compared just now with the lengths of
        // the buffers, and the memory that it was laid out for. Addresses of members that no operation reads need not be valid.
        unsafe {
            let rounds = std::mem::transmute::<*const u8, ArrayLoopFunction>(self.code.as_ptr().add(*offset));
            rounds(
                memory.as_mut_ptr(),
                buffers.fields.as_ptr().wrapping_add(groups.member),
                buffers.results.as_mut_ptr().wrapping_add(groups.member),
                buffers.temporaries.as_mut_ptr().wrapping_add(groups.local),
                groups.count as u64,
            );
        }
    }
}

fn reaches(bodies: &LoopBodies, body: &LoopBody, lanes: usize) -> Vec<BufferReach> {
    let mut reaches: Vec<BufferReach> = Vec::new();
    let mut meet = |place: LoopPlace| {
        let LoopPlace::Along(buffer, offset) = place else { return };
        let end = offset + lanes as isize;
        match reaches.iter_mut().find(|reach| reach.buffer == buffer) {
            Some(reach) => (reach.first, reach.end) = (reach.first.min(offset), reach.end.max(end)),
            None => reaches.push(BufferReach { buffer, first: offset, end }),
        }
    };
    for step in &body.steps {
        step.op.for_each_operand(|value| meet(bodies.places[value.index()]));
    }
    body.stores.iter().for_each(|(_, place)| meet(*place));
    reaches
}

/// So many registers are left to what changes from round to round.
const FREE: usize = 8;

impl Emitter {
    /// What is the same in every round and used most: it stays in registers, unless a round calls functions, which keep none.
    fn held(&self, items: &[BlockItem], source: &BlockSource<'_>) -> Vec<ValueId> {
        if items.iter().any(|item| matches!(item, BlockItem::Call(..))) {
            return Vec::new();
        }
        let changed = |slot: MemorySlot| source.kept.iter().any(|(_, kept)| *kept == slot);
        let mut uses: BTreeMap<ValueId, usize> = BTreeMap::new();
        let mut meet = |value: ValueId| {
            let home = self.registers.home(value);
            if home < ARRAYS && !changed(home) {
                *uses.entry(value).or_default() += 1;
            }
        };
        items.iter().for_each(|item| item.for_each_operand(&mut meet));
        let mut list: Vec<(ValueId, usize)> = uses.into_iter().collect();
        list.sort_by_key(|(_, count)| Reverse(*count));
        // One number that goes from round to round is reckoned with.
        let others = self.going_round(items, source).len().saturating_sub(1);
        list.truncate(self.target.registers().saturating_sub(FREE + others));
        list.into_iter().map(|(value, _)| value).collect()
    }

    /// What goes from round to round, unless a round calls functions, which keep no registers.
    fn going_round(&self, items: &[BlockItem], source: &BlockSource<'_>) -> Vec<Running> {
        if items.iter().any(|item| matches!(item, BlockItem::Call(..))) {
            return Vec::new();
        }
        let mut replaced: BTreeMap<MemorySlot, ValueId> = BTreeMap::new();
        for item in items {
            item.for_each_operand(|value| {
                replaced.entry(self.registers.home(value)).or_insert(value);
            });
        }
        let running = source.kept.iter().filter(|(_, slot)| *slot < ARRAYS);
        let running = running
            .filter_map(|(after, slot)| Some(Running { before: *replaced.get(slot)?, after: *after, slot: *slot }));
        running.take(self.target.registers() - FREE).collect()
    }

    /// Appends a loop over members; returns where it begins.
    fn array_loop(&mut self, source: &BlockSource<'_>, advance: usize) -> usize {
        let begin = self.begin_function();
        let mut items = self.items(source.steps);
        let (held, running) = (self.held(&items, source), self.going_round(&items, source));
        let stays = |(_, slot): &&(ValueId, MemorySlot)| running.iter().all(|running| running.slot != *slot);
        let kept: Vec<(ValueId, MemorySlot)> = source.kept.iter().filter(stays).copied().collect();
        let source = &BlockSource { kept: &kept, ..*source };
        self.code.enter_array_loop();
        self.note_destinations(source);
        items.push(BlockItem::Round(held.iter().copied().chain(running.iter().map(|running| running.after)).collect()));
        self.registers.begin(&items, AddressRegister::Memory);
        let registers: Vec<Register> = held.iter().map(|value| self.registers.load(&mut self.code, *value)).collect();
        self.running =
            running.into_iter().map(|running| (self.registers.pin(&mut self.code, running.before), running)).collect();
        self.registers.unlock();
        let top = self.code.bytes.len();
        for (at, item) in items.iter().enumerate() {
            self.item(item, at, AddressRegister::Memory);
        }
        // What is not there yet; no other value has had these registers: what goes on cannot be lost on the way.
        let running = std::mem::take(&mut self.running);
        for (register, running) in &running {
            let made = self.registers.load(&mut self.code, running.after);
            if made != *register {
                self.code.copy(self.target.width, *register, made);
            }
            self.registers.unlock();
        }
        // What had to give way meanwhile comes back to where the next round expects it.
        for (value, register) in held.iter().zip(registers) {
            if self.registers.in_register(*value) != Some(register) {
                self.registers.fill(&mut self.code, register, *value);
            }
        }
        self.registers.finish(&items);
        self.forget_destinations(source);
        self.code.next_members(8 * advance, top);
        for (register, running) in running {
            self.code.store(self.target.width, AddressRegister::Memory, self.registers.bytes(running.slot), register);
        }
        self.code.leave_array_loop();
        self.end_function();
        begin
    }
}

impl Buffers<'_> {
    fn len(&self, buffer: Buffer) -> usize {
        match buffer {
            Buffer::Fields => self.fields.len(),
            Buffer::Results => self.results.len(),
            Buffer::Temporaries => self.temporaries.len(),
        }
    }
}
