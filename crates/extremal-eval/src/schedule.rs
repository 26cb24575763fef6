//! Which operations run when, and in what order.

use extremal_expr::Function;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::op::{Instruction, Op};
use crate::program::EntryPoint;
use crate::ssa::{TierLevel, ValueDefinition, ValueId, ValueTable};

/// Straight-line code: operations of one level in the order they run, and what others read of it.
pub(crate) struct CodeBlock {
    pub steps: Vec<Instruction<ValueId>>,
    pub results: Vec<ValueId>,
}

pub(crate) struct Schedule {
    /// Per tier: what a commit computes.
    pub hoisted: Vec<CodeBlock>,
    /// Per entry: what a run computes.
    pub entries: Vec<CodeBlock>,
}

/// Splits the work: a run computes what belongs to its own tier; what it needs of earlier tiers is left to their commits.
pub(crate) fn schedule(
    values: &ValueTable,
    tiers: usize,
    entries: &[EntryPoint],
    outputs: &[Vec<ValueId>],
) -> Schedule {
    let mut walk =
        Walk { values, visited: vec![0; values.len()], visit: 0, kept: KeptValues::new(values.len(), tiers) };
    let entries = entries
        .iter()
        .zip(outputs)
        .map(|(entry, outputs)| walk.block(TierLevel::of_tier(entry.tier), outputs))
        .collect();
    // From the last tier down: a commit may in its turn need values of earlier ones.
    let mut hoisted = Vec::with_capacity(tiers);
    for tier in (0..tiers).rev() {
        let roots = std::mem::take(&mut walk.kept.by_tier[tier]);
        hoisted.push(walk.block(TierLevel::of_tier(tier), &roots));
    }
    hoisted.reverse();
    Schedule { hoisted, entries }
}

/// Computed values that must outlive the commit of their tier.
struct KeptValues {
    seen: Vec<bool>,
    by_tier: Vec<Vec<ValueId>>,
}

impl KeptValues {
    fn new(values: usize, tiers: usize) -> KeptValues {
        KeptValues { seen: vec![false; values], by_tier: vec![Vec::new(); tiers] }
    }

    fn keep(&mut self, value: ValueId, level: TierLevel) {
        if let Some(tier) = level.tier()
            && !std::mem::replace(&mut self.seen[value.index()], true)
        {
            self.by_tier[tier].push(value);
        }
    }
}

struct Walk<'v> {
    values: &'v ValueTable,
    /// The number of the walk that last met the value.
    visited: Vec<u32>,
    visit: u32,
    kept: KeptValues,
}

impl Walk<'_> {
    /// The operations of `level` that `roots` need, operands before their uses, depth first: a value is made shortly before
    /// it is used.
    fn block(&mut self, level: TierLevel, roots: &[ValueId]) -> CodeBlock {
        self.visit += 1;
        let mut order = Vec::new();
        let mut stack: Vec<(ValueId, bool)> = Vec::new();
        for root in roots {
            stack.push((*root, false));
            while let Some((value, operands_done)) = stack.pop() {
                let ValueDefinition::Computed(op) = self.values.definition(value) else { continue };
                let op = joined(self.values, value, op);
                if operands_done {
                    order.push(Instruction { to: value, op });
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
        let own = |value: &ValueId| {
            self.values.level(*value) == level && matches!(self.values.definition(*value), ValueDefinition::Computed(_))
        };
        let results: Vec<ValueId> = roots.iter().copied().filter(own).collect();
        CodeBlock { steps: pair_sines(order), results }
    }
}

/// A sum of which a summand is a product of the same level, as one operation. Whether the product is needed elsewhere too must
/// not matter: the sum would have other bits in another entry. It costs no operation more either way.
fn joined(values: &ValueTable, sum: ValueId, op: Op<ValueId>) -> Op<ValueId> {
    let product = |value: ValueId| match values.definition(value) {
        ValueDefinition::Computed(Op::Mul(a, b)) if values.level(value) == values.level(sum) => Some((a, b)),
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
fn pair_sines(steps: Vec<Instruction<ValueId>>) -> Vec<Instruction<ValueId>> {
    let mut sines: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let mut cosines: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for step in &steps {
        match step.op {
            Op::Call(Function::Sin, argument) => sines.insert(argument, step.to),
            Op::Call(Function::Cos, argument) => cosines.insert(argument, step.to),
            _ => None,
        };
    }
    let mut done: FxHashSet<ValueId> = FxHashSet::default();
    let pair = |step: Instruction<ValueId>| {
        let Op::Call(Function::Sin | Function::Cos, argument) = step.op else { return Some(step) };
        match (sines.get(&argument), cosines.get(&argument)) {
            (Some(sine), Some(cosine)) => {
                done.insert(argument).then_some(Instruction { to: *sine, op: Op::SinCos { argument, cosine: *cosine } })
            }
            _ => Some(step),
        }
    };
    steps.into_iter().filter_map(pair).collect()
}
