//! Which values of a program are shifts of one another.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::op::Op;
use crate::program::Program;
use crate::ssa::{ValueDefinition, ValueId};

use super::plan::LoopReach;

/// A value up to its position: values of one shape differ by a shift of all their fields.
pub(super) type ShapeId = u32;

/// An operand: its shape, and its position relative to that of the operation. Values without a field have no position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Shifted {
    pub shape: ShapeId,
    pub shift: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ValueShape {
    /// A number, by its bits.
    Constant(u64),
    /// An input that is no field: tier and place.
    Scalar(usize, usize),
    /// A member of a field.
    Field(usize),
    /// An operation with one result.
    Op(Op<Shifted>),
}

/// A value: its shape, and where it is unless it is the same everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Located {
    pub shape: ShapeId,
    pub position: Option<i32>,
}

/// The inputs of a program that change: scalars, numbered from the first on, and fields of so many members.
#[derive(Clone, Copy)]
struct ProgramInputs {
    first_scalar: usize,
    scalars: usize,
    size: usize,
}

/// All shapes met so far, operands before their uses.
#[derive(Default)]
pub(super) struct Shapes {
    pub list: Vec<ValueShape>,
    /// Is it the same everywhere?
    pub uniform: Vec<bool>,
    by_shape: FxHashMap<ValueShape, ShapeId>,
    /// The number of members, of which the last is next to the first.
    ring: i32,
    /// Is anything made of values on both sides of this place?
    pub goes_round: bool,
}

impl Shapes {
    fn intern(&mut self, shape: ValueShape, uniform: bool) -> ShapeId {
        *self.by_shape.entry(shape).or_insert_with(|| {
            self.list.push(shape);
            self.uniform.push(uniform);
            (self.list.len() - 1) as ShapeId
        })
    }

    pub fn zero(&mut self) -> ShapeId {
        self.intern(ValueShape::Constant(0f64.to_bits()), true)
    }

    /// The value of an operation: it is where the first of its operands is.
    pub fn operation(&mut self, op: Op<Located>) -> Located {
        let mut ends = None;
        op.for_each_operand(|operand| {
            if let Some(position) = operand.position {
                let (low, high) = ends.unwrap_or((position, position));
                ends = Some((position.min(low), position.max(high)));
            }
        });
        // What is nearer the other way round is taken that way.
        let around = ends.is_some_and(|(low, high)| high - low > self.ring / 2);
        self.goes_round |= around;
        let (ring, half) = (self.ring, self.ring / 2);
        let (shape, position) = placed(op.map(|operand: Located| match operand.position {
            Some(position) if around && position < half => Located { position: Some(position + ring), ..operand },
            _ => operand,
        }));
        let position = position.map(|position| if around { position % ring } else { position });
        Located { shape: self.intern(shape, position.is_none()), position }
    }

    /// The same if such a value has been met.
    pub fn known_operation(&self, op: Op<Located>) -> Option<Located> {
        let (shape, position) = placed(op);
        Some(Located { shape: *self.by_shape.get(&shape)?, position })
    }

    /// The operation that makes a value that is not the same everywhere.
    pub fn op(&self, shape: ShapeId) -> Option<Op<Shifted>> {
        match self.list[shape as usize] {
            ValueShape::Op(op) if !self.uniform[shape as usize] => Some(op),
            _ => None,
        }
    }

    /// What values are made of, themselves included, operands first; of those that `ends` holds for nothing further.
    pub fn below(&self, roots: impl IntoIterator<Item = ShapeId>, ends: impl Fn(ShapeId) -> bool) -> Vec<ShapeId> {
        let mut stack: Vec<ShapeId> = roots.into_iter().collect();
        let mut seen: FxHashSet<ShapeId> = FxHashSet::default();
        while let Some(shape) = stack.pop() {
            if seen.insert(shape)
                && let Some(op) = self.op(shape).filter(|_| !ends(shape))
            {
                op.for_each_operand(|operand| stack.push(operand.shape));
            }
        }
        let mut order: Vec<ShapeId> = seen.into_iter().collect();
        order.sort_unstable();
        order
    }

    /// What a value becomes when every field is replaced by the result that follows it.
    pub fn after(&mut self, value: Shifted, results: &[Shifted]) -> Shifted {
        let mut after: FxHashMap<ShapeId, Located> = FxHashMap::default();
        for shape in self.below([value.shape], |_| false) {
            let located = match (self.list[shape as usize], self.op(shape)) {
                (ValueShape::Field(field), _) => self.at_rest(results[field]),
                (_, Some(op)) => self.operation(op.map(|operand| {
                    let Located { shape, position } = after[&operand.shape];
                    Located { shape, position: position.map(|position| position + operand.shift) }
                })),
                _ => Located { shape, position: None },
            };
            after.insert(shape, located);
        }
        let Located { shape, position } = after[&value.shape];
        Shifted { shape, shift: position.map_or(0, |position| position + value.shift) }
    }

    /// Where a value is whose operation is at position 0.
    pub fn at_rest(&self, value: Shifted) -> Located {
        Located { shape: value.shape, position: (!self.uniform[value.shape as usize]).then_some(value.shift) }
    }

    /// How far the fields are that a value is made of.
    pub fn reach(&self, value: Shifted) -> LoopReach {
        let mut seen: FxHashSet<Shifted> = FxHashSet::default();
        let (mut stack, mut reach) = (vec![value], LoopReach { first: value.shift, last: value.shift });
        while let Some(value) = stack.pop() {
            let Some(op) = self.op(value.shape).filter(|_| seen.insert(value)) else { continue };
            op.for_each_operand(|operand| {
                let shift = value.shift + operand.shift;
                if !self.uniform[operand.shape as usize] {
                    reach = reach.with(LoopReach { first: shift, last: shift });
                    stack.push(Shifted { shape: operand.shape, shift });
                }
            });
        }
        reach
    }

    /// The values of `program`, which has parameters, then scalars and fields of `size` members as inputs, and one entry. Its scalars
    /// are numbered from `first_scalar` on.
    pub fn locate(&mut self, program: &Program, first_scalar: usize, scalars: usize, size: usize) -> Vec<Located> {
        self.ring = size as i32;
        let inputs = ProgramInputs { first_scalar, scalars, size };
        let mut found: FxHashMap<ValueId, Located> = FxHashMap::default();
        let blocks = [program.hoisted_ops(0), program.hoisted_ops(1), program.ops(0)];
        for step in blocks.into_iter().flatten() {
            step.op.for_each_operand(|value| self.leaf(program, value, inputs, &mut found));
            match step.op {
                // Sine and cosine have the same bits alone and together.
                Op::SinCos { argument, cosine } => {
                    let argument = found[&argument];
                    let [sin, cos] = [extremal_expr::Function::Sin, extremal_expr::Function::Cos]
                        .map(|function| self.operation(Op::Call(function, argument)));
                    found.insert(step.to, sin);
                    found.insert(cosine, cos);
                }
                op => {
                    let located = self.operation(op.map(|value| found[&value]));
                    found.insert(step.to, located);
                }
            }
        }
        let outputs = program.outputs(0);
        outputs.iter().for_each(|value| self.leaf(program, *value, inputs, &mut found));
        outputs.iter().map(|value| found[value]).collect()
    }

    fn leaf(
        &mut self,
        program: &Program,
        value: ValueId,
        inputs: ProgramInputs,
        found: &mut FxHashMap<ValueId, Located>,
    ) {
        let ProgramInputs { first_scalar, scalars, size } = inputs;
        let located = match program.definition(value) {
            ValueDefinition::Computed(_) => return,
            ValueDefinition::Constant(number) => {
                Located { shape: self.intern(ValueShape::Constant(number.to_bits()), true), position: None }
            }
            ValueDefinition::Input { tier: 1, index } if index >= scalars => {
                let (field, member) = ((index - scalars) / size, (index - scalars) % size);
                Located { shape: self.intern(ValueShape::Field(field), false), position: Some(member as i32) }
            }
            ValueDefinition::Input { tier, index } => {
                let index = if tier == 1 { first_scalar + index } else { index };
                Located { shape: self.intern(ValueShape::Scalar(tier, index), true), position: None }
            }
        };
        found.insert(value, located);
    }
}

/// The shape of an operation, and where it is.
fn placed(op: Op<Located>) -> (ValueShape, Option<i32>) {
    let mut position: Option<i32> = None;
    op.for_each_operand(|operand| position = [position, operand.position].into_iter().flatten().min());
    let origin = position.unwrap_or(0);
    let shifted = |operand: Located| Shifted {
        shape: operand.shape,
        shift: operand.position.map_or(0, |position| position - origin),
    };
    (ValueShape::Op(in_order(op.map(shifted))), position)
}

/// Operands that may be exchanged without changing a bit, in one order.
fn in_order<R: Copy + Ord>(op: Op<R>) -> Op<R> {
    let (min, max) = (|a: R, b: R| a.min(b), |a: R, b: R| a.max(b));
    match op {
        Op::Add(a, b) => Op::Add(min(a, b), max(a, b)),
        Op::Mul(a, b) => Op::Mul(min(a, b), max(a, b)),
        Op::MulAdd(a, b, c) => Op::MulAdd(min(a, b), max(a, b), c),
        Op::MulSub(a, b, c) => Op::MulSub(min(a, b), max(a, b), c),
        Op::SubMul(a, b, c) => Op::SubMul(min(a, b), max(a, b), c),
        other => other,
    }
}
