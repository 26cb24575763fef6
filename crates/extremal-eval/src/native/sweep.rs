//! Loops that go along arrays, several rows at a time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use memmap2::{Mmap, MmapMut};

use crate::program::Backend;
use crate::slots::{NOWHERE, Slot};
use crate::ssa::Value;
use crate::stencil::{Bodies, Body, Buffer, Buffers, Groups, Place};

use super::emit::{Emitter, PATTERNS, Source};
use super::encoder::{Base, Register};
use super::order::Item;
use super::registers::ARRAYS;
use super::target;

/// Loops in executable memory.
pub(crate) struct Sweep {
    code: Mmap,
    loops: Vec<(usize, Vec<Reach>)>,
    memory: usize,
    patterns: usize,
    lanes: usize,
}

/// The numbers of a buffer that a round touches: from `first` to before `end`, relative to its first row.
#[derive(Clone, Copy)]
struct Reach {
    buffer: Buffer,
    first: isize,
    end: isize,
}

/// Memory, then fields, results and temporaries at the first row, and the number of rounds.
type Rounds = unsafe extern "sysv64" fn(*mut f64, *const f64, *mut f64, *mut f64, u64);

fn base(buffer: Buffer) -> Base {
    match buffer {
        Buffer::Fields => Base::R13,
        Buffer::Results => Base::R14,
        Buffer::Temporaries => Base::R15,
    }
}

impl Sweep {
    /// Compiles all loops; `None` where the machine cannot run them, or distances do not fit instructions.
    pub fn compile(bodies: &Bodies, backend: Backend) -> Option<Sweep> {
        let lanes = if backend == Backend::Avx512 { 8 } else { 4 };
        let target = target(backend, lanes)?;
        let mut arrays = Vec::new();
        let mut slot = |place: Place| match place {
            Place::Fixed(slot) => Some(slot),
            Place::Nowhere => Some(NOWHERE),
            Place::Along(buffer, offset) => {
                arrays.push((base(buffer), i32::try_from(offset.checked_mul(8)?).ok()?));
                Some(ARRAYS + arrays.len() as Slot - 1)
            }
        };
        let fixed: Vec<Slot> = bodies.places.iter().map(|place| slot(*place)).collect::<Option<_>>()?;
        let mut kept = Vec::new();
        for body in &bodies.list {
            let stores = body.stores.iter().map(|(value, place)| Some((*value, slot(*place)?)));
            kept.push(stores.collect::<Option<Vec<_>>>()?);
        }
        let mut emitter = Emitter::new(target, &fixed, bodies.fixed as Slot);
        emitter.registers.arrays = arrays;
        let loops = bodies
            .list
            .iter()
            .zip(&kept)
            .map(|(body, kept)| {
                let source = Source { steps: &body.steps, outputs: &[], kept };
                (emitter.sweep(&source), reaches(bodies, body, lanes))
            })
            .collect();
        let (bytes, memory) = emitter.finish()?;
        let mut code = MmapMut::map_anon(bytes.len().max(1)).ok()?;
        code[..bytes.len()].copy_from_slice(&bytes);
        Some(Sweep { code: code.make_exec().ok()?, loops, memory, patterns: bodies.fixed, lanes })
    }

    /// Rows of one round.
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
    pub fn run(&self, at: usize, groups: Groups, memory: &mut [f64], buffers: &mut Buffers<'_>) {
        let (offset, reaches) = &self.loops[at];
        if groups.count == 0 {
            return;
        }
        assert!(memory.len() >= self.memory * self.lanes, "the memory of other loops");
        let last = (groups.count - 1) * self.lanes;
        for reach in reaches {
            let first = groups.first(reach.buffer) as isize;
            let fits =
                first + reach.first >= 0 && first + last as isize + reach.end <= buffers.len(reach.buffer) as isize;
            assert!(fits, "rows outside of their arrays");
        }
        // SAFETY: a loop begins at this offset and has this signature; it touches what was compared just now with the lengths of
        // the buffers, and the memory that it was laid out for. Addresses of rows that no operation reads need not be valid.
        unsafe {
            let rounds = std::mem::transmute::<*const u8, Rounds>(self.code.as_ptr().add(*offset));
            rounds(
                memory.as_mut_ptr(),
                buffers.fields.as_ptr().wrapping_add(groups.row),
                buffers.results.as_mut_ptr().wrapping_add(groups.row),
                buffers.temporaries.as_mut_ptr().wrapping_add(groups.local),
                groups.count as u64,
            );
        }
    }
}

fn reaches(bodies: &Bodies, body: &Body, lanes: usize) -> Vec<Reach> {
    let mut reaches: Vec<Reach> = Vec::new();
    let mut meet = |place: Place| {
        let Place::Along(buffer, offset) = place else { return };
        let end = offset + lanes as isize;
        match reaches.iter_mut().find(|reach| reach.buffer == buffer) {
            Some(reach) => (reach.first, reach.end) = (reach.first.min(offset), reach.end.max(end)),
            None => reaches.push(Reach { buffer, first: offset, end }),
        }
    };
    for step in &body.steps {
        step.op.for_each_operand(|value| meet(bodies.places[value.index()]));
    }
    body.stores.iter().for_each(|(_, place)| meet(*place));
    reaches
}

/// A number of the memory that every round replaces: it stays in a register until the last one.
struct Running {
    before: Value,
    after: Value,
    slot: Slot,
}

/// So many registers are left to what changes from round to round.
const FREE: usize = 8;

impl Emitter {
    /// What is the same in every round and used most: it stays in registers, unless a round calls functions, which keep none.
    fn held(&self, items: &[Item], source: &Source<'_>) -> Vec<Value> {
        if items.iter().any(|item| matches!(item, Item::Call(..))) {
            return Vec::new();
        }
        let changed = |slot: Slot| source.kept.iter().any(|(_, kept)| *kept == slot);
        let mut uses: BTreeMap<Value, usize> = BTreeMap::new();
        let mut meet = |value: Value| {
            let home = self.registers.home(value);
            if home < ARRAYS && !changed(home) {
                *uses.entry(value).or_default() += 1;
            }
        };
        items.iter().for_each(|item| item.for_each_operand(&mut meet));
        let mut list: Vec<(Value, usize)> = uses.into_iter().collect();
        list.sort_by_key(|(_, count)| Reverse(*count));
        list.truncate(self.target.registers().saturating_sub(FREE));
        list.into_iter().map(|(value, _)| value).collect()
    }

    /// What goes from round to round, unless a round calls functions, which keep no registers.
    fn running(&self, items: &[Item], source: &Source<'_>) -> Option<Running> {
        if items.iter().any(|item| matches!(item, Item::Call(..))) {
            return None;
        }
        let (after, slot) = *source.kept.iter().find(|(_, slot)| *slot < ARRAYS)?;
        let mut before = None;
        for item in items {
            item.for_each_operand(|value| before = before.or((self.registers.home(value) == slot).then_some(value)));
        }
        before.map(|before| Running { before, after, slot })
    }

    /// Appends a loop over rows; returns where it begins.
    fn sweep(&mut self, source: &Source<'_>) -> usize {
        let begin = self.begin_function();
        let mut items = self.items(source.steps);
        let (held, running) = (self.held(&items, source), self.running(&items, source));
        let stays = |(_, slot): &&(Value, Slot)| running.as_ref().is_none_or(|running| running.slot != *slot);
        let kept: Vec<(Value, Slot)> = source.kept.iter().filter(stays).copied().collect();
        let source = &Source { kept: &kept, ..*source };
        self.code.enter_sweep();
        self.note_destinations(source);
        items.push(Item::Round(held.iter().copied().chain(running.iter().map(|running| running.after)).collect()));
        self.registers.begin(&items, Base::Rbx);
        let registers: Vec<Register> = held.iter().map(|value| self.registers.load(&mut self.code, *value)).collect();
        let running = running.map(|running| (self.registers.load(&mut self.code, running.before), running));
        self.registers.unlock();
        let top = self.code.bytes.len();
        for (at, item) in items.iter().enumerate() {
            self.item(item, at, Base::Rbx);
        }
        if let Some((register, running)) = &running {
            let made = self.registers.load(&mut self.code, running.after);
            if made != *register {
                self.code.copy(self.target.width, *register, made);
            }
        }
        // What had to give way meanwhile comes back to where the next round expects it.
        for (value, register) in held.iter().zip(registers) {
            if self.registers.in_register(*value) != Some(register) {
                self.registers.fill(&mut self.code, register, *value);
            }
        }
        self.registers.finish(&items);
        self.forget_destinations(source);
        self.code.next_rows(8 * self.target.width.lanes(), top);
        if let Some((register, running)) = running {
            self.code.store(self.target.width, Base::Rbx, self.registers.bytes(running.slot), register);
        }
        self.code.leave_sweep();
        self.code.clear_upper();
        self.end_function();
        begin
    }
}
