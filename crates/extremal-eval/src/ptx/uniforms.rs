//! What is the same for all members, computed before a launch.

use rustc_hash::{FxHashMap, FxHashSet};

use extremal_expr::Function;
use extremal_expr::elementary::Lanes;

use super::kernel::MemberInput;
use crate::op::{Instruction, Op};
use crate::program::Program;
use crate::ssa::{ValueDefinition, ValueId};

/// What a kernel is given: a value, or a share of one that is positive.
#[derive(Clone, Copy, PartialEq)]
enum GivenNumber {
    Whole(ValueId),
    Share(ValueId, f64),
}

/// The part of a program that only uniform inputs determine, and which of its values a kernel is given.
#[derive(Clone)]
pub(super) struct UniformValues {
    program: Program,
    steps: Vec<Instruction<ValueId>>,
    uniform: FxHashSet<ValueId>,
    inputs: Vec<Vec<MemberInput>>,
    given: Vec<GivenNumber>,
}

impl UniformValues {
    pub fn new(program: &Program, steps: &[Instruction<ValueId>], inputs: &[Vec<MemberInput>]) -> UniformValues {
        let mut values = UniformValues {
            program: program.clone(),
            steps: Vec::new(),
            uniform: FxHashSet::default(),
            inputs: inputs.to_vec(),
            given: Vec::new(),
        };
        for step in steps {
            let mut all = true;
            step.op.for_each_operand(|operand| all &= values.is_known(operand));
            if all {
                values.steps.push(*step);
                values.uniform.insert(step.to);
                values.uniform.extend(step.op.second_result());
            }
        }
        values
    }

    /// Is it the same for all members?
    pub fn is_known(&self, value: ValueId) -> bool {
        match self.program.definition(value) {
            ValueDefinition::Constant(_) => true,
            ValueDefinition::Input { tier, index } => self.inputs[tier][index] == MemberInput::Uniform,
            ValueDefinition::Computed(_) => self.uniform.contains(&value),
        }
    }

    /// Is it computed before the launch?
    pub fn contains(&self, value: ValueId) -> bool {
        self.uniform.contains(&value)
    }

    /// The place of a value among those that a kernel is given.
    pub fn place(&mut self, value: ValueId) -> usize {
        self.place_of(GivenNumber::Whole(value))
    }

    /// The same for its product with a factor, which is no number where the value is not positive, or not an ordinary number.
    pub fn place_of_share(&mut self, value: ValueId, factor: f64) -> usize {
        self.place_of(GivenNumber::Share(value, factor))
    }

    fn place_of(&mut self, number: GivenNumber) -> usize {
        self.given.iter().position(|given| *given == number).unwrap_or_else(|| {
            self.given.push(number);
            self.given.len() - 1
        })
    }

    /// How many are given.
    pub fn len(&self) -> usize {
        self.given.len()
    }

    /// The numbers, from the uniform inputs.
    pub fn numbers(&self, input: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let mut computed: FxHashMap<ValueId, f64> = FxHashMap::default();
        let number = |computed: &FxHashMap<ValueId, f64>, value: ValueId| match self.program.definition(value) {
            ValueDefinition::Constant(number) => number,
            ValueDefinition::Input { tier, index } => input(tier, index),
            ValueDefinition::Computed(_) => computed.get(&value).copied().unwrap_or(f64::NAN),
        };
        for Instruction { to, op } in &self.steps {
            let value = |op: Op<ValueId>| op.map(|operand| Lanes([number(&computed, operand)])).value().0[0];
            let results = match *op {
                Op::SinCos { argument, cosine } => [
                    Some((*to, value(Op::Call(Function::Sin, argument)))),
                    Some((cosine, value(Op::Call(Function::Cos, argument)))),
                ],
                op => [Some((*to, value(op))), None],
            };
            computed.extend(results.into_iter().flatten());
        }
        let given = |given: &GivenNumber| match *given {
            GivenNumber::Whole(value) => number(&computed, value),
            GivenNumber::Share(value, factor) => match number(&computed, value) {
                whole if (1e-100..1e100).contains(&whole) => whole * factor,
                _ => f64::NAN,
            },
        };
        self.given.iter().map(given).collect()
    }
}
