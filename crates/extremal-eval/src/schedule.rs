//! Which operations run when, and in what order.

use extremal_expr::Function;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::op::{Op, Step};
use crate::program::Entry;
use crate::ssa::{Definition, Level, Value, Values};

/// Straight-line code: operations of one level in the order they run, and what others read of it.
pub(crate) struct Block {
    pub steps: Vec<Step<Value>>,
    pub results: Vec<Value>,
}

pub(crate) struct Schedule {
    /// Per stage: what a commit computes.
    pub hoisted: Vec<Block>,
    /// Per entry: what a run computes.
    pub entries: Vec<Block>,
}

/// Splits the work: a run computes what belongs to its own stage; what it needs of earlier stages is left to their commits.
pub(crate) fn schedule(values: &Values, stages: usize, entries: &[Entry], outputs: &[Vec<Value>]) -> Schedule {
    let mut walk = Walk { values, visited: vec![0; values.len()], visit: 0, kept: Kept::new(values.len(), stages) };
    let entries =
        entries.iter().zip(outputs).map(|(entry, outputs)| walk.block(Level::of_stage(entry.stage), outputs)).collect();
    // From the last stage down: a commit may in its turn need values of earlier ones.
    let mut hoisted = Vec::with_capacity(stages);
    for stage in (0..stages).rev() {
        let roots = std::mem::take(&mut walk.kept.by_stage[stage]);
        hoisted.push(walk.block(Level::of_stage(stage), &roots));
    }
    hoisted.reverse();
    Schedule { hoisted, entries }
}

/// Computed values that must outlive the commit of their stage.
struct Kept {
    seen: Vec<bool>,
    by_stage: Vec<Vec<Value>>,
}

impl Kept {
    fn new(values: usize, stages: usize) -> Kept {
        Kept { seen: vec![false; values], by_stage: vec![Vec::new(); stages] }
    }

    fn keep(&mut self, value: Value, level: Level) {
        if let Some(stage) = level.stage()
            && !std::mem::replace(&mut self.seen[value.index()], true)
        {
            self.by_stage[stage].push(value);
        }
    }
}

struct Walk<'v> {
    values: &'v Values,
    /// The number of the walk that last met the value.
    visited: Vec<u32>,
    visit: u32,
    kept: Kept,
}

impl Walk<'_> {
    /// The operations of `level` that `roots` need, operands before their uses, depth first: a value is made shortly before
    /// it is used.
    fn block(&mut self, level: Level, roots: &[Value]) -> Block {
        self.visit += 1;
        let mut order = Vec::new();
        let mut stack: Vec<(Value, bool)> = Vec::new();
        for root in roots {
            stack.push((*root, false));
            while let Some((value, operands_done)) = stack.pop() {
                let Definition::Computed(op) = self.values.definition(value) else { continue };
                let op = joined(self.values, value, op);
                if operands_done {
                    order.push(Step { to: value, op });
                    continue;
                }
                if self.values.level(value) != level {
                    self.kept.keep(value, self.values.level(value));
                    continue;
                }
                if std::mem::replace(&mut self.visited[value.index()], self.visit) == self.visit {
                    continue;
                }
                stack.push((value, true));
                let first = stack.len();
                op.for_each_operand(|operand| stack.push((operand, false)));
                stack[first..].reverse();
            }
        }
        let own = |value: &Value| {
            self.values.level(*value) == level && matches!(self.values.definition(*value), Definition::Computed(_))
        };
        let results: Vec<Value> = roots.iter().copied().filter(own).collect();
        Block { steps: pair_sines(order), results }
    }
}

/// A sum of which a summand is a product of the same level, as one operation. Whether the product is needed elsewhere too must
/// not matter: the sum would have other bits in another entry. It costs no operation more either way.
fn joined(values: &Values, sum: Value, op: Op<Value>) -> Op<Value> {
    let product = |value: Value| match values.definition(value) {
        Definition::Computed(Op::Mul(a, b)) if values.level(value) == values.level(sum) => Some((a, b)),
        _ => None,
    };
    match op {
        Op::Add(x, y) => match (product(x), product(y)) {
            (_, Some((a, b))) => Op::MulAdd(a, b, x),
            (Some((a, b)), None) => Op::MulAdd(a, b, y),
            (None, None) => op,
        },
        Op::Sub(x, y) => match (product(x), product(y)) {
            (_, Some((a, b))) => Op::SubMul(a, b, x),
            (Some((a, b)), None) => Op::MulSub(a, b, y),
            (None, None) => op,
        },
        other => other,
    }
}

/// Where both sine and cosine of an argument are wanted, one operation gives both.
fn pair_sines(steps: Vec<Step<Value>>) -> Vec<Step<Value>> {
    let mut sines: FxHashMap<Value, Value> = FxHashMap::default();
    let mut cosines: FxHashMap<Value, Value> = FxHashMap::default();
    for step in &steps {
        match step.op {
            Op::Call(Function::Sin, argument) => sines.insert(argument, step.to),
            Op::Call(Function::Cos, argument) => cosines.insert(argument, step.to),
            _ => None,
        };
    }
    let mut done: FxHashSet<Value> = FxHashSet::default();
    let pair = |step: Step<Value>| {
        let Op::Call(Function::Sin | Function::Cos, argument) = step.op else { return Some(step) };
        match (sines.get(&argument), cosines.get(&argument)) {
            (Some(sine), Some(cosine)) => {
                done.insert(argument).then_some(Step { to: *sine, op: Op::SinCos { argument, cosine: *cosine } })
            }
            _ => Some(step),
        }
    };
    steps.into_iter().filter_map(pair).collect()
}
