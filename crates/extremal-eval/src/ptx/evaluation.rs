//! Values of a program in registers, computed when they are asked for.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use extremal_expr::{Function, Relation};

use super::body::{Body, PtxCondition, PtxNumber};
use super::functions;
use super::uniforms::UniformValues;
use crate::op::{Instruction, Op};
use crate::program::Program;
use crate::ssa::{ValueDefinition, ValueId};

/// What is known of a program in one place of a kernel. A branch goes on with a clone.
#[derive(Clone)]
pub(super) struct Evaluation<'b, 'p> {
    body: &'b Body,
    program: &'p Program,
    steps: Rc<[Instruction<ValueId>]>,
    numbers: FxHashMap<ValueId, PtxNumber<'b>>,
    /// Conditions are predicates: as numbers they exist only where one is asked for.
    conditions: FxHashMap<ValueId, PtxCondition<'b>>,
    /// Comparisons with limits that are the same for all members.
    comparisons: Rc<FxHashMap<ValueId, BriefComparison>>,
    /// Products of magnitudes that are magnitudes of products.
    magnitudes: Rc<FxHashMap<ValueId, SignedProduct>>,
}

/// What is compared with a limit, of which nothing else needs to know how large it is.
enum BriefComparison {
    /// Is `|above|/below` less than it?
    Quotient { above: ValueId, below: ValueId, limit: ValueId },
    /// Is the sum of the magnitudes of these less than it?
    Magnitudes { of: Vec<ValueId>, limit: ValueId },
}

/// The product of two factors, whose magnitude another value is.
struct SignedProduct {
    product: ValueId,
    factors: [ValueId; 2],
}

impl<'b, 'p> Evaluation<'b, 'p> {
    /// With the inputs that are in registers, where nothing is computed yet.
    pub fn new(
        body: &'b Body,
        program: &'p Program,
        steps: Rc<[Instruction<ValueId>]>,
        inputs: FxHashMap<ValueId, PtxNumber<'b>>,
        outputs: &[ValueId],
        uniforms: &UniformValues,
    ) -> Self {
        let comparisons = Rc::new(brief_comparisons(&steps, outputs, uniforms));
        let magnitudes = Rc::new(products_of_magnitudes(program, &steps));
        Evaluation { body, program, steps, numbers: inputs, conditions: FxHashMap::default(), comparisons, magnitudes }
    }

    /// Computes values, and what they need.
    pub fn compute(&mut self, wanted: &[ValueId], uniforms: &mut UniformValues) {
        let mut needed: FxHashSet<ValueId> = wanted.iter().copied().collect();
        let mut missing = Vec::new();
        for step in self.steps.iter().rev() {
            let results = [Some(step.to), step.op.second_result()];
            let is_needed =
                |value: ValueId| needed.contains(&value) && !self.is_there(value) && !uniforms.contains(value);
            if results.into_iter().flatten().any(is_needed) {
                missing.push(*step);
                match self.comparisons.get(&step.to).filter(|_| self.body.is_brief()) {
                    Some(BriefComparison::Quotient { above, below, .. }) => needed.extend([*above, *below]),
                    Some(BriefComparison::Magnitudes { of, .. }) => needed.extend(of),
                    None => step.op.for_each_operand(|operand| {
                        needed.insert(operand);
                    }),
                }
            }
        }
        missing.into_iter().rev().for_each(|step| self.instruction(step, uniforms));
    }

    /// An input that is in a register.
    pub fn input(&self, is_wanted: impl Fn(ValueId) -> bool) -> Option<PtxNumber<'b>> {
        self.numbers.iter().find(|(value, _)| is_wanted(**value)).map(|(_, number)| *number)
    }

    /// Takes an input from another register.
    pub fn replace_input(&mut self, is_meant: impl Fn(ValueId) -> bool, register: PtxNumber<'b>) {
        self.numbers.iter_mut().filter(|(value, _)| is_meant(**value)).for_each(|(_, number)| *number = register);
    }

    fn is_there(&self, value: ValueId) -> bool {
        self.numbers.contains_key(&value) || self.conditions.contains_key(&value)
    }

    /// A value that was computed, as a number.
    pub fn number(&mut self, value: ValueId, uniforms: &mut UniformValues) -> PtxNumber<'b> {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = match (self.program.definition(value), self.conditions.get(&value)) {
            (ValueDefinition::Constant(number), _) => self.body.number(number),
            (_, Some(condition)) => condition.choose(1.0, 0.0),
            _ => {
                let place = 8 * uniforms.place(value);
                self.body.result("ld.param.f64", &[&format!("[uniforms$+{place}]")])
            }
        };
        self.numbers.insert(value, number);
        number
    }

    /// A share of a number that is the same for all members.
    fn share(&self, value: ValueId, factor: f64, uniforms: &mut UniformValues) -> PtxNumber<'b> {
        let place = 8 * uniforms.place_of_share(value, factor);
        self.body.result("ld.param.f64", &[&format!("[uniforms$+{place}]")])
    }

    /// A value that was computed, as a condition.
    pub fn condition(&mut self, value: ValueId, uniforms: &mut UniformValues) -> PtxCondition<'b> {
        if let Some(condition) = self.conditions.get(&value) {
            return *condition;
        }
        let condition = self.number(value, uniforms).differs(0.0);
        self.conditions.insert(value, condition);
        condition
    }

    /// A comparison as it is for ordinary numbers.
    fn compared(&mut self, comparison: &BriefComparison, uniforms: &mut UniformValues) -> PtxCondition<'b> {
        match comparison {
            BriefComparison::Quotient { above, below, limit } => {
                let [above, below] = [above, below].map(|value| self.number(*value, uniforms));
                functions::quotient_is_below(above, below, self.share(*limit, 1.0, uniforms))
            }
            BriefComparison::Magnitudes { of, limit } => {
                let numbers: Vec<_> = of.iter().map(|value| self.number(*value, uniforms)).collect();
                match numbers[..] {
                    [one] => functions::magnitude_is_below(one, self.share(*limit, 1.0, uniforms)),
                    _ => {
                        let part = 0.5 / numbers.len() as f64;
                        functions::are_small(&numbers, self.share(*limit, part, uniforms))
                    }
                }
            }
        }
    }

    /// The magnitude of a product, which may be needed itself.
    fn magnitude(&mut self, of: &SignedProduct, uniforms: &mut UniformValues) -> PtxNumber<'b> {
        let product = match self.numbers.get(&of.product) {
            Some(product) => *product,
            None => {
                let [a, b] = of.factors.map(|factor| self.number(factor, uniforms));
                a * b
            }
        };
        self.numbers.insert(of.product, product);
        product.abs()
    }

    fn instruction(&mut self, Instruction { to, op }: Instruction<ValueId>, uniforms: &mut UniformValues) {
        if self.is_there(to) {
            return;
        }
        let (comparisons, magnitudes) = (self.comparisons.clone(), self.magnitudes.clone());
        if let Some(product) = magnitudes.get(&to) {
            let number = self.magnitude(product, uniforms);
            self.numbers.insert(to, number);
            return;
        }
        let condition = match op {
            Op::Compare(..) if self.body.is_brief() && comparisons.contains_key(&to) => {
                Some(self.compared(&comparisons[&to], uniforms))
            }
            Op::Compare(relation, a, b) => {
                let [a, b] = [a, b].map(|value| self.number(value, uniforms));
                Some(match relation {
                    Relation::Lt => a.less(b),
                    Relation::Le => a.at_most(b),
                    Relation::Eq => a.equals(b),
                    Relation::Ne => a.differs(b),
                })
            }
            Op::And(a, b) => Some(self.condition(a, uniforms) & self.condition(b, uniforms)),
            Op::Or(a, b) => Some(self.condition(a, uniforms) | self.condition(b, uniforms)),
            Op::Not(a) => Some(!self.condition(a, uniforms)),
            _ => None,
        };
        if let Some(condition) = condition {
            self.conditions.insert(to, condition);
            return;
        }
        let mut of = |value: ValueId| self.number(value, uniforms);
        let number = match op {
            Op::Add(a, b) => of(a) + of(b),
            Op::Sub(a, b) => of(a) - of(b),
            Op::Mul(a, b) => of(a) * of(b),
            Op::Div(a, b) => functions::quotient(of(a), of(b)),
            Op::Neg(a) => -of(a),
            Op::MulAdd(a, b, c) => of(a).fma(of(b), of(c)),
            Op::MulSub(a, b, c) => of(a).fma(of(b), -of(c)),
            Op::SubMul(a, b, c) => (-of(a)).fma(of(b), of(c)),
            Op::Sqrt(a) => of(a).sqrt(),
            Op::Pow(a, b) => functions::power(of(a), of(b)),
            Op::Call(function, a) => functions::apply(function, of(a)),
            Op::Table(function, a) => functions::looked_up(function, of(a)),
            Op::Call2(function, a, b) => functions::apply2(function, of(a), of(b)),
            Op::SinCos { argument, cosine } => {
                let (sine, of_cosine) = functions::sin_cos(of(argument));
                self.numbers.insert(cosine, of_cosine);
                sine
            }
            Op::Select(c, a, b) => {
                let (a, b) = (of(a), of(b));
                self.condition(c, uniforms).choose(a, b)
            }
            Op::Compare(..) | Op::And(..) | Op::Or(..) | Op::Not(_) => return,
        };
        self.numbers.insert(to, number);
    }
}

/// The comparisons with limits that are the same for all members that have a shorter form: of a quotient that nothing else needs, of a
/// magnitude, of a sum of magnitudes that nothing else needs.
fn brief_comparisons(
    steps: &[Instruction<ValueId>],
    outputs: &[ValueId],
    uniforms: &UniformValues,
) -> FxHashMap<ValueId, BriefComparison> {
    let made: FxHashMap<ValueId, Op<ValueId>> = steps.iter().map(|step| (step.to, step.op)).collect();
    let mut uses: FxHashMap<ValueId, usize> = FxHashMap::default();
    let mut count = |value: ValueId| *uses.entry(value).or_default() += 1;
    steps.iter().for_each(|step| step.op.for_each_operand(&mut count));
    outputs.iter().copied().for_each(count);
    let is_alone = |value: &ValueId| uses.get(value) == Some(&1);
    let found = steps.iter().filter_map(|step| {
        let Op::Compare(Relation::Lt | Relation::Le, compared, limit) = step.op else { return None };
        if !uniforms.is_known(limit) || uniforms.is_known(compared) {
            return None;
        }
        if let Some(Op::Div(size, below)) = made.get(&compared) {
            let Some(Op::Call(Function::Abs, above)) = made.get(size) else { return None };
            let quotient = BriefComparison::Quotient { above: *above, below: *below, limit };
            return is_alone(&compared).then_some((step.to, quotient));
        }
        let (mut of, mut left) = (Vec::new(), vec![compared]);
        while let Some(value) = left.pop() {
            match made.get(&value)? {
                Op::Call(Function::Abs, of_value) => of.push(*of_value),
                Op::Add(a, b) if is_alone(&value) => left.extend([*a, *b]),
                _ => return None,
            }
        }
        Some((step.to, BriefComparison::Magnitudes { of, limit }))
    });
    found.collect()
}

/// The products of magnitudes of which the product of what they are magnitudes of is computed too: `|x| |y|` beside `x y`.
fn products_of_magnitudes(program: &Program, steps: &[Instruction<ValueId>]) -> FxHashMap<ValueId, SignedProduct> {
    let ordered = |a: ValueId, b: ValueId| if a <= b { [a, b] } else { [b, a] };
    let products: FxHashMap<[ValueId; 2], ValueId> = steps
        .iter()
        .filter_map(|step| if let Op::Mul(a, b) = step.op { Some((ordered(a, b), step.to)) } else { None })
        .collect();
    let mut signed: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let mut found = FxHashMap::default();
    for step in steps {
        let of = |value: ValueId| match program.definition(value) {
            ValueDefinition::Constant(number) if number > 0.0 => Some(value),
            _ => signed.get(&value).copied(),
        };
        match step.op {
            Op::Call(Function::Abs, x) => {
                signed.insert(step.to, x);
            }
            Op::Mul(a, b) => {
                let (Some(x), Some(y)) = (of(a), of(b)) else { continue };
                let factors = ordered(x, y);
                if let Some(product) = products.get(&factors).copied().filter(|product| *product != step.to) {
                    signed.insert(step.to, product);
                    found.insert(step.to, SignedProduct { product, factors });
                }
            }
            _ => {}
        }
    }
    found
}
