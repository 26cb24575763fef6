//! From one member of a program to loops over all of them: what is stored between loops, and what is computed where it is used.
//!
//! A value used by several members is either computed again for each, which costs operations, or stored and read at an offset,
//! which costs a loop of its own: the neighbour's value must exist before it is read. Members that are results are stored anyway.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::op::Op;

use super::body::LANES;
use super::shapes::{ShapeId, Shapes, Shifted, ValueShape};

/// So many operations computed twice are worth as much as a loop.
const WORTH_A_LOOP: usize = 12;
/// So many operations are worth a store in one loop and a load in another.
pub(super) const WORTH_A_STORE: usize = 3;
/// What a call of an elementary function counts.
const CALL: usize = 40;

/// A place for one number per member.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Array {
    /// A given field.
    Field(usize),
    /// A result.
    Result(usize),
    /// Something in between; a sum of what is here is a result.
    Temporary(usize),
}

/// What an operation of a loop works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LoopOperand {
    /// The same in all members: a shape.
    Uniform(ShapeId),
    /// A number in an array, so many members further.
    Load(Array, i32),
    /// The result of an earlier operation of the loop.
    Local(usize),
}

/// One loop over members.
#[derive(Debug, Default)]
pub(super) struct Loop {
    pub ops: Vec<Op<LoopOperand>>,
    /// Which results are stored where.
    pub stores: Vec<(Array, usize)>,
    /// The members it is done for, relative to the first and the last of those that are wanted.
    pub members: LoopReach,
    /// The same in whole groups of lanes.
    pub groups: LoopReach,
}

/// So many members before the first one (negative) to so many behind the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LoopReach {
    pub first: i32,
    pub last: i32,
}

impl LoopReach {
    /// Both together.
    pub fn with(self, other: LoopReach) -> LoopReach {
        LoopReach { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    fn moved(self, offset: i32) -> LoopReach {
        LoopReach { first: self.first + offset, last: self.last + offset }
    }

    /// Outwards to multiples of `unit`.
    fn rounded(self, unit: i32) -> LoopReach {
        LoopReach { first: self.first.div_euclid(unit) * unit, last: -((-self.last).div_euclid(unit) * unit) }
    }
}

/// What is wanted of each member.
#[derive(Clone, Debug)]
pub(super) struct WantedValues {
    /// One value per result, by its shape and its position relative to the member.
    pub results: Vec<Shifted>,
    /// One value per sum.
    pub sums: Vec<Shifted>,
}

/// Loops that compute every member.
#[derive(Debug)]
pub(super) struct LoopPlan {
    pub loops: Vec<Loop>,
    /// Results that no loop stores: given fields, the same everywhere, or equal to another result.
    pub copies: Vec<(usize, LoopOperand)>,
    pub temporaries: usize,
    /// Where the summands of each sum are; nowhere if it has none but at the ends.
    pub sums: Vec<Option<Array>>,
    /// The members that are touched, before the first and behind the last.
    pub touched: LoopReach,
    /// The same where loops are done in whole groups of lanes.
    pub touched_by_groups: LoopReach,
    /// The members that are read of each given value beyond the fields.
    pub read: Vec<LoopReach>,
    /// Results that are not finite make another one not finite: they need not be looked at.
    pub implied: Vec<bool>,
}

/// Values that loops can read: fields, and more values of members that are in arrays behind them.
#[derive(Clone, Copy)]
pub(super) struct GivenValues<'a> {
    pub fields: usize,
    /// With their positions relative to the members of their arrays.
    pub values: &'a [Shifted],
}

impl LoopPlan {
    /// `None` if two results, or a result and a summand, are the same values at different members: no loop stores both.
    pub fn new(shapes: &Shapes, wanted: &WantedValues, given: GivenValues<'_>) -> Option<LoopPlan> {
        let mut planner = LoopPlanner::new(shapes, wanted, given)?;
        planner.choose_stored();
        Some(planner.plan(wanted, given))
    }
}

/// Operations to compute a value, of which those for its operands are known.
pub(super) fn cost(op: Op<Shifted>, costs: &[usize]) -> usize {
    let mut cost = if op.is_transcendental() { CALL } else { 1 };
    op.for_each_operand(|operand| cost += costs[operand.shape as usize]);
    cost.min(1000 * CALL)
}

struct LoopPlanner<'s> {
    shapes: &'s Shapes,
    /// The arrays of given values, and at which shift they are there.
    given: FxHashMap<ShapeId, (Array, i32)>,
    /// Where each stored shape is, and at which shift.
    stored: FxHashMap<ShapeId, (Array, i32)>,
    /// Operations to compute a shape from fields and results.
    cost: Vec<usize>,
    /// The shapes that results and sums are made of, operands first.
    order: Vec<ShapeId>,
    temporaries: usize,
    /// The loop in which each stored shape is computed.
    pass: FxHashMap<ShapeId, usize>,
}

impl<'s> LoopPlanner<'s> {
    fn new(shapes: &'s Shapes, wanted: &WantedValues, given: GivenValues<'_>) -> Option<LoopPlanner<'s>> {
        let mut planner = LoopPlanner {
            shapes,
            given: given
                .values
                .iter()
                .zip(given.fields..)
                .map(|(v, at)| (v.shape, (Array::Field(at), v.shift)))
                .collect(),
            stored: FxHashMap::default(),
            cost: vec![0; shapes.list.len()],
            order: Vec::new(),
            temporaries: 0,
            pass: FxHashMap::default(),
        };
        for (result, value) in wanted.results.iter().enumerate() {
            if planner.op(value.shape).is_some() {
                let place = planner.stored.entry(value.shape).or_insert((Array::Result(result), value.shift));
                if place.1 != value.shift {
                    return None;
                }
            }
        }
        for value in &wanted.sums {
            if planner.op(value.shape).is_some() {
                planner.store(value.shape, value.shift);
                if planner.stored[&value.shape].1 != value.shift {
                    return None;
                }
            }
        }
        let roots = wanted.results.iter().chain(&wanted.sums).map(|value| value.shape);
        planner.order = shapes.below(roots, |shape| planner.given.contains_key(&shape));
        for shape in planner.order.clone() {
            planner.cost[shape as usize] = match (planner.stored.get(&shape), planner.op(shape)) {
                (None, Some(op)) => cost(op, &planner.cost),
                _ => 0,
            };
        }
        Some(planner)
    }

    /// The operation that makes a value of each member.
    fn op(&self, shape: ShapeId) -> Option<Op<Shifted>> {
        self.shapes.op(shape).filter(|_| !self.given.contains_key(&shape))
    }

    /// The array of a value that is given, and at which shift it is there.
    fn field(&self, shape: ShapeId) -> Option<(Array, i32)> {
        match self.shapes.list[shape as usize] {
            ValueShape::Field(field) => Some((Array::Field(field), 0)),
            _ => self.given.get(&shape).copied(),
        }
    }

    fn store(&mut self, shape: ShapeId, shift: i32) {
        if !self.stored.contains_key(&shape) {
            self.stored.insert(shape, (Array::Temporary(self.temporaries), shift));
            self.temporaries += 1;
        }
    }

    /// Decides what is stored.
    fn choose_stored(&mut self) {
        self.store_what_many_rows_use();
        // Every round stores something that was not.
        loop {
            self.number_passes();
            let Some((shape, shift)) = self.used_in_several_passes() else { return };
            self.store(shape, shift);
        }
    }

    fn store_what_many_rows_use(&mut self) {
        let mut shifts: FxHashMap<ShapeId, Vec<i32>> = FxHashMap::default();
        for shape in self.order.clone().into_iter().rev() {
            let Some(op) = self.op(shape) else { continue };
            let mut own = shifts.remove(&shape).unwrap_or_default();
            own.sort_unstable();
            own.dedup();
            if own.len() > 1 && (own.len() - 1) * self.cost[shape as usize] > WORTH_A_LOOP {
                self.store(shape, own[own.len() / 2]);
            }
            if let Some((_, shift)) = self.stored.get(&shape) {
                own = vec![*shift];
            }
            op.for_each_operand(|operand| {
                shifts.entry(operand.shape).or_default().extend(own.iter().map(|shift| shift + operand.shift))
            });
        }
    }

    fn number_passes(&mut self) {
        self.pass.clear();
        for shape in self.order.clone() {
            if self.stored.contains_key(&shape) {
                let mut pass = 0;
                self.visit(shape, |stored, shift| {
                    let (_, at) = self.stored[&stored];
                    pass = pass.max(self.pass[&stored] + usize::from(shift != at));
                });
                self.pass.insert(shape, pass);
            }
        }
    }

    /// The stored values that a stored value is made of, with their shifts.
    fn visit(&self, root: ShapeId, mut met: impl FnMut(ShapeId, i32)) {
        self.body(root, |value, is_stored| {
            if is_stored {
                met(value.shape, value.shift);
            }
        });
    }

    /// All values of members that a stored value is made of, each once, down to those that are stored.
    fn body(&self, root: ShapeId, mut met: impl FnMut(Shifted, bool)) {
        let mut seen: FxHashSet<Shifted> = FxHashSet::default();
        let mut stack = vec![Shifted { shape: root, shift: self.stored[&root].1 }];
        while let Some(value) = stack.pop() {
            let Some(op) = self.op(value.shape) else { continue };
            op.for_each_operand(|operand| {
                let operand = Shifted { shape: operand.shape, shift: value.shift + operand.shift };
                if self.op(operand.shape).is_some() && seen.insert(operand) {
                    let is_stored = self.stored.contains_key(&operand.shape);
                    met(operand, is_stored);
                    if !is_stored {
                        stack.push(operand);
                    }
                }
            });
        }
    }

    /// The largest value that loops after the one where it is first needed would compute again.
    fn used_in_several_passes(&self) -> Option<(ShapeId, i32)> {
        // Per value the first loop and whether there is another, and its shift if it is always the same.
        let mut uses: FxHashMap<ShapeId, (usize, bool, Option<i32>)> = FxHashMap::default();
        for root in self.stored.keys() {
            let pass = self.pass[root];
            self.body(*root, |value, is_stored| {
                if !is_stored {
                    let use_of = uses.entry(value.shape).or_insert((pass, false, Some(value.shift)));
                    use_of.1 |= use_of.0 != pass;
                    use_of.2 = use_of.2.filter(|shift| *shift == value.shift);
                }
            });
        }
        let worth = |(shape, (_, several, shift)): (&ShapeId, &(usize, bool, Option<i32>))| {
            let shift = (*several && self.cost[*shape as usize] > WORTH_A_STORE).then_some((*shift)?)?;
            Some((*shape, shift))
        };
        uses.iter().filter_map(worth).max()
    }

    fn plan(&self, wanted: &WantedValues, given: GivenValues<'_>) -> LoopPlan {
        let passes = self.pass.values().max().map_or(0, |last| last + 1);
        let mut roots: Vec<Vec<ShapeId>> = vec![Vec::new(); passes];
        for shape in &self.order {
            if let Some(pass) = self.pass.get(shape) {
                roots[*pass].push(*shape);
            }
        }
        let mut loops: Vec<Loop> = roots.iter().enumerate().map(|(pass, roots)| self.write(pass, roots)).collect();
        let array = |value: &Shifted| {
            self.field(value.shape).or_else(|| self.stored.get(&value.shape).copied()).map(|(array, _)| array)
        };
        let sums = wanted.sums.iter().map(array).collect();
        let copies = self.copies(wanted);
        let by_groups = LoopExtent::of(&mut loops, &copies, LANES as i32, |body| &mut body.groups);
        let extent = LoopExtent::of(&mut loops, &copies, 1, |body| &mut body.members);
        let of = |array: Array| extent.needed.get(&array).copied().unwrap_or_default();
        let more = given.values.len();
        let results = wanted.results.len() - more;
        LoopPlan {
            copies,
            temporaries: self.temporaries,
            sums,
            touched: extent.touched,
            touched_by_groups: by_groups.touched,
            read: (0..more).map(|at| of(Array::Field(given.fields + at))).collect(),
            implied: self.implied(&wanted.results[..results]),
            loops,
        }
    }

    /// Which results cannot but spoil another one of their member if they are not finite.
    fn implied(&self, results: &[Shifted]) -> Vec<bool> {
        let spoiled_by: Vec<FxHashSet<Shifted>> = results.iter().map(|result| self.spoilers(*result)).collect();
        let spoils = |result: &Shifted| {
            let mut others = results.iter().zip(&spoiled_by).filter(|(other, _)| *other != result);
            others.any(|(_, spoilers)| spoilers.contains(result))
        };
        results.iter().map(spoils).collect()
    }

    /// The values that make `root` not finite if they are not: no sum and no product hides them.
    fn spoilers(&self, root: Shifted) -> FxHashSet<Shifted> {
        let mut seen = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(value) = stack.pop() {
            let Some(op) = self.op(value.shape).filter(|_| seen.insert(value)) else { continue };
            let mut meet = |operand: Shifted| {
                stack.push(Shifted { shape: operand.shape, shift: value.shift + operand.shift });
            };
            match op {
                Op::Add(..) | Op::Sub(..) | Op::Mul(..) | Op::Neg(_) | Op::Sqrt(_) => op.for_each_operand(meet),
                Op::MulAdd(..) | Op::MulSub(..) | Op::SubMul(..) => op.for_each_operand(meet),
                Op::Div(numerator, _) => meet(numerator),
                _ => {}
            }
        }
        seen
    }

    fn copies(&self, wanted: &WantedValues) -> Vec<(usize, LoopOperand)> {
        let copy = |(result, value): (usize, &Shifted)| {
            let from = match (self.field(value.shape), self.stored.get(&value.shape)) {
                _ if self.shapes.uniform[value.shape as usize] => LoopOperand::Uniform(value.shape),
                (Some((field, shift)), _) => LoopOperand::Load(field, value.shift - shift),
                (_, Some((array, _))) if *array != Array::Result(result) => LoopOperand::Load(*array, 0),
                _ => return None,
            };
            Some((result, from))
        };
        wanted.results.iter().enumerate().filter_map(copy).collect()
    }

    fn write(&self, pass: usize, roots: &[ShapeId]) -> Loop {
        let mut writer = LoopWriter { planner: self, pass, made: FxHashMap::default(), written: Loop::default() };
        for root in roots {
            let (array, shift) = self.stored[root];
            let result = writer.compute(Shifted { shape: *root, shift });
            writer.written.stores.push((array, result));
        }
        writer.written
    }
}

struct LoopWriter<'p, 's> {
    planner: &'p LoopPlanner<'s>,
    pass: usize,
    made: FxHashMap<Shifted, usize>,
    written: Loop,
}

impl LoopWriter<'_, '_> {
    /// An operand that needs nothing to be computed here, if it is one.
    fn ready(&self, value: Shifted) -> Option<LoopOperand> {
        let planner = self.planner;
        if planner.shapes.uniform[value.shape as usize] {
            return Some(LoopOperand::Uniform(value.shape));
        }
        if let Some((field, shift)) = planner.field(value.shape) {
            return Some(LoopOperand::Load(field, value.shift - shift));
        }
        match planner.stored.get(&value.shape) {
            Some((array, shift)) if planner.pass[&value.shape] < self.pass => {
                Some(LoopOperand::Load(*array, value.shift - shift))
            }
            _ => self.made.get(&value).copied().map(LoopOperand::Local),
        }
    }

    /// Writes what a value of this loop needs and the value itself; returns the operation that makes it.
    fn compute(&mut self, root: Shifted) -> usize {
        let mut stack = vec![root];
        while let Some(value) = stack.last().copied() {
            if self.ready(value).is_some() {
                stack.pop();
                continue;
            }
            let Some(op) = self.planner.op(value.shape) else { unreachable!("what is no operation is ready") };
            let at = |operand: Shifted| Shifted { shape: operand.shape, shift: value.shift + operand.shift };
            let waiting = stack.len();
            op.for_each_operand(|operand| {
                if self.ready(at(operand)).is_none() {
                    stack.push(at(operand));
                }
            });
            if stack.len() == waiting {
                let Some(op) = complete(op, |operand| self.ready(at(operand))) else { unreachable!("all are ready") };
                self.made.insert(value, self.written.ops.len());
                self.written.ops.push(op);
                stack.pop();
            }
        }
        self.made[&root]
    }
}

/// The operation on other operands, if there is one for each.
fn complete(op: Op<Shifted>, mut operand: impl FnMut(Shifted) -> Option<LoopOperand>) -> Option<Op<LoopOperand>> {
    let mut whole = true;
    let op = op.map(|value| {
        operand(value).unwrap_or_else(|| {
            whole = false;
            LoopOperand::Local(0)
        })
    });
    whole.then_some(op)
}

/// How far loops reach.
struct LoopExtent {
    touched: LoopReach,
    /// Array by array.
    needed: FxHashMap<Array, LoopReach>,
}

impl LoopExtent {
    /// Gives every loop the members that later ones need of it, rounded to multiples of `unit`.
    fn of(
        loops: &mut [Loop],
        copies: &[(usize, LoopOperand)],
        unit: i32,
        of_loop: impl Fn(&mut Loop) -> &mut LoopReach,
    ) -> LoopExtent {
        let mut extent = LoopExtent { touched: LoopReach::default(), needed: FxHashMap::default() };
        for (_, from) in copies {
            extent.read(*from, LoopReach::default());
        }
        for body in loops.iter_mut().rev() {
            let needed = |(array, _): &(Array, usize)| extent.needed.get(array).copied().unwrap_or_default();
            let reach = body.stores.iter().map(needed).fold(LoopReach::default(), LoopReach::with).rounded(unit);
            *of_loop(body) = reach;
            body.ops.iter().for_each(|op| op.for_each_operand(|operand| extent.read(operand, reach)));
            extent.touched = extent.touched.with(reach);
        }
        extent
    }

    fn read(&mut self, operand: LoopOperand, by: LoopReach) {
        if let LoopOperand::Load(array, offset) = operand {
            let members = by.moved(offset);
            self.touched = self.touched.with(members);
            let needed = self.needed.entry(array).or_default();
            *needed = needed.with(members);
        }
    }
}
