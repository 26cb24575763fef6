//! Values: every one is defined once, equal definitions are the same value, and constants are folded.

use rustc_hash::FxHashMap;

use crate::functions::Lanes;
use crate::op::Op;

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
    /// An input, by stage and place in it.
    Input {
        /// The stage it belongs to.
        stage: usize,
        /// Its place among the inputs of the stage.
        index: usize,
    },
    /// The result of an operation on earlier values.
    Computed(Op<ValueId>),
}

/// How soon a value is known: constants first, then what needs inputs of stage 0, of stage 1, ...
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct StageLevel(u32);

impl StageLevel {
    pub const CONSTANT: StageLevel = StageLevel(0);

    pub fn of_stage(stage: usize) -> StageLevel {
        StageLevel(u32::try_from(stage).map_or(u32::MAX, |stage| stage.saturating_add(1)))
    }

    /// The stage of a value that is not constant.
    pub fn stage(self) -> Option<usize> {
        self.0.checked_sub(1).map(|stage| stage as usize)
    }
}

/// All values of a program under construction.
#[derive(Default)]
pub(crate) struct ValueTable {
    definitions: Vec<ValueDefinition>,
    levels: Vec<StageLevel>,
    constants: FxHashMap<u64, ValueId>,
    computed: FxHashMap<Op<ValueId>, ValueId>,
}

impl ValueTable {
    fn push(&mut self, definition: ValueDefinition, level: StageLevel) -> ValueId {
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

    pub fn level(&self, value: ValueId) -> StageLevel {
        self.levels[value.index()]
    }

    pub fn into_definitions(self) -> Vec<ValueDefinition> {
        self.definitions
    }

    pub fn input(&mut self, stage: usize, index: usize) -> ValueId {
        self.push(ValueDefinition::Input { stage, index }, StageLevel::of_stage(stage))
    }

    pub fn constant(&mut self, number: f64) -> ValueId {
        if let Some(value) = self.constants.get(&number.to_bits()) {
            return *value;
        }
        let value = self.push(ValueDefinition::Constant(number), StageLevel::CONSTANT);
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
        let mut level = StageLevel::CONSTANT;
        op.for_each_operand(|operand| level = level.max(self.level(operand)));
        if level == StageLevel::CONSTANT {
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
