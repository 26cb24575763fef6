//! What one application of a computation leaves behind that the next one would compute again: the forces at the end of a step,
//! say, which are those at the beginning of the next.
//!
//! A value of the fields alone is compared with what it becomes when every field is replaced by the result that follows it. If
//! this is a value of the same application, made by the same operations, it is kept beside the fields instead.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::{WORTH_A_STORE, cost};
use super::shapes::{Located, ShapeId, Shapes, Shifted, ValueShape};

/// Values that go from one application to the next.
#[derive(Default)]
pub(super) struct Carried {
    /// Of the fields, each with its position relative to the member that it is kept with.
    pub values: Vec<Shifted>,
    /// The same of the results.
    pub next: Vec<Shifted>,
}

impl Carried {
    /// `members` are the results, of which each is the field of the same number the next time.
    pub fn find(shapes: &Shapes, results: &[Shifted]) -> Carried {
        let computed = shapes.below(results.iter().map(|result| result.shape), |_| false);
        let is_computed: FxHashSet<ShapeId> = computed.iter().copied().collect();
        let next = next_values(shapes, results);
        let (costs, uses) = (costs(shapes), first_uses(shapes, results));
        let mut carried = Carried::default();
        let mut seen: FxHashSet<ShapeId> = FxHashSet::default();
        let mut stack: Vec<ShapeId> = results.iter().map(|result| result.shape).collect();
        while let Some(shape) = stack.pop() {
            let Some(op) = shapes.op(shape).filter(|_| seen.insert(shape)) else { continue };
            match next[shape as usize] {
                Some(Located { shape: after, position: Some(shift) })
                    if after != shape && is_computed.contains(&after) && costs[shape as usize] > WORTH_A_STORE =>
                {
                    // With the member that uses it first, so that it is stored where it is computed.
                    let used = uses.get(&after).copied().unwrap_or(shift);
                    carried.values.push(Shifted { shape, shift: used - shift });
                    carried.next.push(Shifted { shape: after, shift: used });
                }
                _ => op.for_each_operand(|operand| stack.push(operand.shape)),
            }
        }
        carried
    }
}

/// What each value, at position 0, becomes the next time; none for what depends on scalars, which may be others then.
fn next_values(shapes: &Shapes, results: &[Shifted]) -> Vec<Option<Located>> {
    let mut next: Vec<Option<Located>> = Vec::with_capacity(shapes.list.len());
    for (at, shape) in shapes.list.iter().enumerate() {
        next.push(match shape {
            ValueShape::Constant(_) | ValueShape::Scalar(0, _) => {
                Some(Located { shape: at as ShapeId, position: None })
            }
            ValueShape::Scalar(..) => None,
            ValueShape::Field(field) => results.get(*field).map(|result| shapes.at_rest(*result)),
            ValueShape::Op(op) => {
                let mut all = true;
                let moved = op.map(|operand: Shifted| match next[operand.shape as usize] {
                    Some(Located { shape, position }) => {
                        Located { shape, position: position.map(|position| position + operand.shift) }
                    }
                    None => {
                        all = false;
                        Located { shape: operand.shape, position: None }
                    }
                });
                all.then(|| shapes.known_operation(moved)).flatten()
            }
        });
    }
    next
}

/// The shift at which each value is used nearest to a result.
fn first_uses(shapes: &Shapes, results: &[Shifted]) -> FxHashMap<ShapeId, i32> {
    let mut uses: FxHashMap<ShapeId, i32> = FxHashMap::default();
    let mut queue: VecDeque<Shifted> = results.iter().copied().collect();
    while let Some(value) = queue.pop_front() {
        if let Entry::Vacant(place) = uses.entry(value.shape)
            && let Some(op) = shapes.op(value.shape)
        {
            place.insert(value.shift);
            op.for_each_operand(|operand| {
                queue.push_back(Shifted { shape: operand.shape, shift: value.shift + operand.shift });
            });
        }
    }
    uses
}

/// Operations to compute each value from fields.
fn costs(shapes: &Shapes) -> Vec<usize> {
    let mut costs: Vec<usize> = Vec::with_capacity(shapes.list.len());
    for shape in 0..shapes.list.len() as ShapeId {
        costs.push(shapes.op(shape).map_or(0, |op| cost(op, &costs)));
    }
    costs
}
