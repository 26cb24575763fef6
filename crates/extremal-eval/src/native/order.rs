//! The order in which emitted code computes: calls of one depth together.

use crate::op::{Instruction, Op};
use crate::ssa::ValueId;

use super::calls::CallKind;
use super::sines::{Check, Turn};

/// A part of a block.
#[derive(Debug)]
pub(super) enum BlockItem {
    /// One operation, done by instructions.
    Instruction(Instruction<ValueId>),
    /// Several operations of one kind, done by a call.
    Call(CallKind, Vec<Instruction<ValueId>>),
    /// The ends of sines and cosines that are written out.
    Turn(Turn),
    Check(Check),
    /// What must hold for a round to go on: the first value is less than the second one, or equal where it may be.
    Test {
        smaller: ValueId,
        larger: ValueId,
        or_equal: bool,
    },
    /// The end of a round: the values that are needed then.
    Round(Vec<ValueId>),
}

/// Never needed by a call.
const LAST: u32 = u32::MAX;

/// Per value: in how many calls it is, and which call it is made for. Kept between blocks, all zero outside.
pub(super) struct Ordering {
    depth: Vec<u32>,
    phase: Vec<u32>,
}

impl Ordering {
    pub fn new(values: usize) -> Ordering {
        Ordering { depth: vec![0; values], phase: vec![LAST; values] }
    }

    /// The steps of a block, reordered: first what the arguments of the first calls need, then these calls, gathered by kind, then
    /// what the arguments of the next calls need, and so on. At a call little is alive that must be kept.
    pub fn items(&mut self, steps: &[Instruction<ValueId>]) -> Vec<BlockItem> {
        for step in steps {
            let mut depth = 0;
            step.op.for_each_operand(|operand| depth = depth.max(self.depth[operand.index()]));
            depth += u32::from(CallKind::of(&step.op).is_some());
            self.depth[step.to.index()] = depth;
            if let Some(second) = step.op.second_result() {
                self.depth[second.index()] = depth;
            }
        }
        let mut calls = 0;
        for step in steps.iter().rev() {
            let mut phase = self.phase[step.to.index()];
            if CallKind::of(&step.op).is_some() {
                phase = self.depth[step.to.index()] - 1;
                calls = calls.max(phase + 1);
            }
            self.phase[step.to.index()] = phase;
            step.op.for_each_operand(|operand| {
                let earliest = &mut self.phase[operand.index()];
                *earliest = phase.min(*earliest);
            });
        }
        let mut phases: Vec<Vec<Instruction<ValueId>>> = vec![Vec::new(); calls as usize + 1];
        let mut gathered: Vec<Vec<(CallKind, Instruction<ValueId>)>> = vec![Vec::new(); calls as usize];
        for step in steps {
            let phase = self.phase[step.to.index()];
            match CallKind::of(&step.op) {
                Some(kind) => gathered[phase as usize].push((kind, *step)),
                None => phases[phase.min(calls) as usize].push(*step),
            }
        }
        for step in steps {
            self.forget(step);
        }
        let mut items = Vec::with_capacity(steps.len());
        for (phase, own) in phases.into_iter().enumerate() {
            items.extend(own.into_iter().map(BlockItem::Instruction));
            if let Some(calls) = gathered.get_mut(phase) {
                calls.sort_by_key(|(kind, _)| *kind);
                for same in calls.chunk_by(|a, b| a.0 == b.0) {
                    items.push(BlockItem::Call(same[0].0, same.iter().map(|(_, step)| *step).collect()));
                }
            }
        }
        items
    }

    fn forget(&mut self, step: &Instruction<ValueId>) {
        let mut clear = |value: ValueId| (self.depth[value.index()], self.phase[value.index()]) = (0, LAST);
        clear(step.to);
        step.op.for_each_operand(&mut clear);
        if let Some(second) = step.op.second_result() {
            clear(second);
        }
    }
}

impl BlockItem {
    /// Does it call a function, be it seldom?
    pub fn calls(&self) -> bool {
        matches!(self, BlockItem::Call(..) | BlockItem::Check(_))
    }

    /// Calls `visit` with every operand.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ValueId)) {
        match self {
            BlockItem::Instruction(step) => step.op.for_each_operand(visit),
            BlockItem::Call(_, steps) => steps.iter().for_each(|step| step.op.for_each_operand(&mut visit)),
            BlockItem::Turn(turn) => [turn.quadrant, turn.sine, turn.cosine].into_iter().for_each(visit),
            BlockItem::Check(check) => check.for_each_operand(visit),
            BlockItem::Test { smaller, larger, .. } => [*smaller, *larger].into_iter().for_each(visit),
            BlockItem::Round(values) => values.iter().copied().for_each(visit),
        }
    }

    /// Calls `visit` with every result.
    pub fn for_each_result(&self, mut visit: impl FnMut(ValueId)) {
        let steps = match self {
            BlockItem::Instruction(step) => std::slice::from_ref(step),
            BlockItem::Call(_, steps) => &steps[..],
            BlockItem::Turn(turn) => return turn.results.into_iter().flatten().for_each(visit),
            BlockItem::Check(_) | BlockItem::Test { .. } | BlockItem::Round(_) => &[],
        };
        for step in steps {
            visit(step.to);
            step.op.second_result().into_iter().for_each(&mut visit);
        }
    }
}

/// The arguments of a call in order, and where its results go: sine, cosine, or the only one.
pub(super) struct CallOperands {
    pub arguments: [Option<ValueId>; 2],
    pub results: [Option<ValueId>; 2],
}

impl CallOperands {
    pub fn of(step: &Instruction<ValueId>) -> CallOperands {
        let mut arguments = [None; 2];
        let mut count = 0;
        step.op.for_each_operand(|operand| {
            arguments[count] = Some(operand);
            count += 1;
        });
        let results = match step.op {
            Op::SinCos { cosine, .. } => [Some(step.to), Some(cosine)],
            Op::Call(extremal_expr::Function::Cos, _) => [None, Some(step.to)],
            _ => [Some(step.to), None],
        };
        CallOperands { arguments, results }
    }
}
