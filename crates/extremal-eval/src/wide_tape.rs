//! The tape for many runs at once: every instruction is read once for a block of them, and the compiler makes its loop over the
//! block one of wide registers, on whatever machine it compiles for.

use crate::op::{Instruction, Operands};
use crate::slots::MemorySlot;
use extremal_expr::elementary::Lanes;

/// Numbers that are computed without a look at memory in between.
const GROUP: usize = 8;
const GROUPS: usize = 8;
/// Runs in a block: with fewer the instructions weigh more, with more the memory does.
pub(crate) const BLOCK: usize = GROUP * GROUPS;

/// What a slot holds.
type WideNumber = [[f64; GROUP]; GROUPS];

/// Executes instructions for all runs of a block, whose memory has [`BLOCK`] numbers for each slot.
pub(crate) fn execute(tape: &[Instruction<MemorySlot>], memory: &mut [f64]) {
    let (groups, _) = memory.as_chunks_mut::<GROUP>();
    let (rows, _) = groups.as_chunks_mut::<GROUPS>();
    let mut rows = WideMemory(rows);
    for step in tape {
        step.op.execute(step.to, &mut rows);
    }
}

struct WideMemory<'m>(&'m mut [WideNumber]);

impl WideMemory<'_> {
    #[inline(always)]
    fn each<const A: usize, const R: usize>(
        &mut self,
        to: [MemorySlot; R],
        operands: [MemorySlot; A],
        f: impl Fn([Lanes<GROUP>; A]) -> [Lanes<GROUP>; R],
    ) {
        // A result may take the place of an operand: every group is read before it is written.
        for group in 0..GROUPS {
            let results = f(operands.map(|slot| Lanes(self.0[slot as usize][group])));
            for (slot, Lanes(result)) in to.into_iter().zip(results) {
                self.0[slot as usize][group] = result;
            }
        }
    }
}

impl Operands<MemorySlot, GROUP> for WideMemory<'_> {
    #[inline(always)]
    fn one(&mut self, to: MemorySlot, a: MemorySlot, f: impl Fn(Lanes<GROUP>) -> Lanes<GROUP>) {
        self.each([to], [a], |[a]| [f(a)]);
    }

    #[inline(always)]
    fn two(&mut self, to: MemorySlot, operands: [MemorySlot; 2], f: impl Fn([Lanes<GROUP>; 2]) -> Lanes<GROUP>) {
        self.each([to], operands, |operands| [f(operands)]);
    }

    #[inline(always)]
    fn three(&mut self, to: MemorySlot, operands: [MemorySlot; 3], f: impl Fn([Lanes<GROUP>; 3]) -> Lanes<GROUP>) {
        self.each([to], operands, |operands| [f(operands)]);
    }

    #[inline(always)]
    fn pair(&mut self, to: [MemorySlot; 2], a: MemorySlot, f: impl Fn(Lanes<GROUP>) -> [Lanes<GROUP>; 2]) {
        self.each(to, [a], |[a]| f(a));
    }
}
