//! Values: every one is defined once, equal definitions are the same value, and constants are folded.

use rustc_hash::FxHashMap;

use crate::op::Op;
use extremal_expr::elementary::Lanes;

/// A value of a program, defined exactly once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueId(pub(crate) u32);

impl ValueId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ValueDefinition {
    /// A number known when the program was compiled.
    Constant(f64),
    /// An input, by tier and place in it.
    Input {
        /// The tier it belongs to.
        tier: usize,
        /// Its place among the inputs of the tier.
        index: usize,
    },
    /// The result of an operation on earlier values.
    Computed(Op<ValueId>),
}

/// How soon a value is known: constants first, then what needs inputs of tier 0, of tier 1, ...
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct TierLevel(u32);

impl TierLevel {
    pub const CONSTANT: TierLevel = TierLevel(0);

    pub fn of_tier(tier: usize) -> TierLevel {
        TierLevel(u32::try_from(tier).map_or(u32::MAX, |tier| tier.saturating_add(1)))
    }

    /// The tier of a value that is not constant.
    pub fn tier(self) -> Option<usize> {
        self.0.checked_sub(1).map(|tier| tier as usize)
    }
}

/// All values of a program under construction.
#[derive(Default)]
pub(crate) struct ValueTable {
    definitions: Vec<ValueDefinition>,
    levels: Vec<TierLevel>,
    constants: FxHashMap<u64, ValueId>,
    computed: FxHashMap<Op<ValueId>, ValueId>,
}

impl ValueTable {
    fn push(&mut self, definition: ValueDefinition, level: TierLevel) -> ValueId {
        let value =
            ValueId(u32::try_from(self.definitions.len()).expect("fewer than 2^32 values: memory ends long before"));
        self.definitions.push(definition);
        self.levels.push(level);
        value
    }

    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    pub fn definition(&self, value: ValueId) -> ValueDefinition {
        self.definitions[value.index()]
    }

    pub fn level(&self, value: ValueId) -> TierLevel {
        self.levels[value.index()]
    }

    pub fn into_definitions(self) -> Vec<ValueDefinition> {
        self.definitions
    }

    pub fn input(&mut self, tier: usize, index: usize) -> ValueId {
        self.push(ValueDefinition::Input { tier, index }, TierLevel::of_tier(tier))
    }

    pub fn constant(&mut self, number: f64) -> ValueId {
        if let Some(value) = self.constants.get(&number.to_bits()) {
            return *value;
        }
        let value = self.push(ValueDefinition::Constant(number), TierLevel::CONSTANT);
        self.constants.insert(number.to_bits(), value);
        value
    }

    /// The value of `op`, which has one result.
    pub fn compute(&mut self, op: Op<ValueId>) -> ValueId {
        let op = match op {
            Op::Add(a, b) if b < a => Op::Add(b, a),
            Op::Mul(a, b) if b < a => Op::Mul(b, a),
            other => other,
        };
        if let Some(value) = self.computed.get(&op) {
            return *value;
        }
        let mut level = TierLevel::CONSTANT;
        op.for_each_operand(|operand| level = level.max(self.level(operand)));
        if level == TierLevel::CONSTANT {
            let folded = op.map(|operand| Lanes([self.known(operand)])).value();
            return self.constant(folded.0[0]);
        }
        let value = self.push(ValueDefinition::Computed(op), level);
        self.computed.insert(op, value);
        value
    }

    /// The number a constant is.
    fn known(&self, value: ValueId) -> f64 {
        match self.definition(value) {
            ValueDefinition::Constant(number) => number,
            _ => f64::NAN,
        }
    }
}
