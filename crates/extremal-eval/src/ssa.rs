//! Values: every one is defined once, equal definitions are the same value, and constants are folded.

use rustc_hash::FxHashMap;

use crate::functions::Lanes;
use crate::op::Op;

/// A value of a program, defined exactly once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value(pub(crate) u32);

impl Value {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Definition {
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
    Computed(Op<Value>),
}

/// How soon a value is known: constants first, then what needs inputs of stage 0, of stage 1, ...
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Level(u32);

impl Level {
    pub const CONSTANT: Level = Level(0);

    pub fn of_stage(stage: usize) -> Level {
        Level(u32::try_from(stage).map_or(u32::MAX, |stage| stage.saturating_add(1)))
    }

    /// The stage of a value that is not constant.
    pub fn stage(self) -> Option<usize> {
        self.0.checked_sub(1).map(|stage| stage as usize)
    }
}

/// All values of a program under construction.
#[derive(Default)]
pub(crate) struct Values {
    definitions: Vec<Definition>,
    levels: Vec<Level>,
    constants: FxHashMap<u64, Value>,
    computed: FxHashMap<Op<Value>, Value>,
}

impl Values {
    fn push(&mut self, definition: Definition, level: Level) -> Value {
        let value =
            Value(u32::try_from(self.definitions.len()).expect("fewer than 2^32 values: memory ends long before"));
        self.definitions.push(definition);
        self.levels.push(level);
        value
    }

    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    pub fn definition(&self, value: Value) -> Definition {
        self.definitions[value.index()]
    }

    pub fn level(&self, value: Value) -> Level {
        self.levels[value.index()]
    }

    pub fn into_definitions(self) -> Vec<Definition> {
        self.definitions
    }

    pub fn input(&mut self, stage: usize, index: usize) -> Value {
        self.push(Definition::Input { stage, index }, Level::of_stage(stage))
    }

    pub fn constant(&mut self, number: f64) -> Value {
        if let Some(value) = self.constants.get(&number.to_bits()) {
            return *value;
        }
        let value = self.push(Definition::Constant(number), Level::CONSTANT);
        self.constants.insert(number.to_bits(), value);
        value
    }

    /// The value of `op`, which has one result.
    pub fn compute(&mut self, op: Op<Value>) -> Value {
        let op = match op {
            Op::Add(a, b) if b < a => Op::Add(b, a),
            Op::Mul(a, b) if b < a => Op::Mul(b, a),
            other => other,
        };
        if let Some(value) = self.computed.get(&op) {
            return *value;
        }
        let mut level = Level::CONSTANT;
        op.for_each_operand(|operand| level = level.max(self.level(operand)));
        if level == Level::CONSTANT {
            let folded = op.map(|operand| Lanes([self.known(operand)])).value();
            return self.constant(folded.0[0]);
        }
        let value = self.push(Definition::Computed(op), level);
        self.computed.insert(op, value);
        value
    }

    /// The number a constant is.
    fn known(&self, value: Value) -> f64 {
        match self.definition(value) {
            Definition::Constant(number) => number,
            _ => f64::NAN,
        }
    }
}
