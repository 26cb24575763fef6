//! The order in which emitted code computes: calls of one depth together.

use crate::op::{Op, Step};
use crate::ssa::Value;

use super::calls::Kind;
use super::sines::{Check, Turn};

/// A part of a block.
#[derive(Debug)]
pub(super) enum Item {
    /// One operation, done by instructions.
    Step(Step<Value>),
    /// Several operations of one kind, done by a call.
    Call(Kind, Vec<Step<Value>>),
    /// The ends of sines and cosines that are written out.
    Turn(Turn),
    Check(Check),
    /// What must hold for a round to go on: the first value is less than the second one, or equal where it may be.
    Test {
        smaller: Value,
        larger: Value,
        or_equal: bool,
    },
    /// The end of a round: the values that are needed then.
    Round(Vec<Value>),
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
    pub fn items(&mut self, steps: &[Step<Value>]) -> Vec<Item> {
        for step in steps {
            let mut depth = 0;
            step.op.for_each_operand(|operand| depth = depth.max(self.depth[operand.index()]));
            depth += u32::from(Kind::of(&step.op).is_some());
            self.depth[step.to.index()] = depth;
            if let Some(second) = step.op.second_result() {
                self.depth[second.index()] = depth;
            }
        }
        let mut calls = 0;
        for step in steps.iter().rev() {
            let mut phase = self.phase[step.to.index()];
            if Kind::of(&step.op).is_some() {
                phase = self.depth[step.to.index()] - 1;
                calls = calls.max(phase + 1);
            }
            self.phase[step.to.index()] = phase;
            step.op.for_each_operand(|operand| {
                let earliest = &mut self.phase[operand.index()];
                *earliest = phase.min(*earliest);
            });
        }
        let mut phases: Vec<Vec<Step<Value>>> = vec![Vec::new(); calls as usize + 1];
        let mut gathered: Vec<Vec<(Kind, Step<Value>)>> = vec![Vec::new(); calls as usize];
        for step in steps {
            let phase = self.phase[step.to.index()];
            match Kind::of(&step.op) {
                Some(kind) => gathered[phase as usize].push((kind, *step)),
                None => phases[phase.min(calls) as usize].push(*step),
            }
        }
        for step in steps {
            self.forget(step);
        }
        let mut items = Vec::with_capacity(steps.len());
        for (phase, own) in phases.into_iter().enumerate() {
            items.extend(own.into_iter().map(Item::Step));
            if let Some(calls) = gathered.get_mut(phase) {
                calls.sort_by_key(|(kind, _)| *kind);
                for same in calls.chunk_by(|a, b| a.0 == b.0) {
                    items.push(Item::Call(same[0].0, same.iter().map(|(_, step)| *step).collect()));
                }
            }
        }
        items
    }

    fn forget(&mut self, step: &Step<Value>) {
        let mut clear = |value: Value| (self.depth[value.index()], self.phase[value.index()]) = (0, LAST);
        clear(step.to);
        step.op.for_each_operand(&mut clear);
        if let Some(second) = step.op.second_result() {
            clear(second);
        }
    }
}

impl Item {
    /// Does it call a function, be it seldom?
    pub fn calls(&self) -> bool {
        matches!(self, Item::Call(..) | Item::Check(_))
    }

    /// Calls `visit` with every operand.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Value)) {
        match self {
            Item::Step(step) => step.op.for_each_operand(visit),
            Item::Call(_, steps) => steps.iter().for_each(|step| step.op.for_each_operand(&mut visit)),
            Item::Turn(turn) => [turn.quadrant, turn.sine, turn.cosine].into_iter().for_each(visit),
            Item::Check(check) => check.for_each_operand(visit),
            Item::Test { smaller, larger, .. } => [*smaller, *larger].into_iter().for_each(visit),
            Item::Round(values) => values.iter().copied().for_each(visit),
        }
    }

    /// Calls `visit` with every result.
    pub fn for_each_result(&self, mut visit: impl FnMut(Value)) {
        let steps = match self {
            Item::Step(step) => std::slice::from_ref(step),
            Item::Call(_, steps) => &steps[..],
            Item::Turn(turn) => return turn.results.into_iter().flatten().for_each(visit),
            Item::Check(_) | Item::Test { .. } | Item::Round(_) => &[],
        };
        for step in steps {
            visit(step.to);
            step.op.second_result().into_iter().for_each(&mut visit);
        }
    }
}

/// The arguments of a call in order, and where its results go: sine, cosine, or the only one.
pub(super) struct Member {
    pub arguments: [Option<Value>; 2],
    pub results: [Option<Value>; 2],
}

impl Member {
    pub fn of(step: &Step<Value>) -> Member {
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
        Member { arguments, results }
    }
}
