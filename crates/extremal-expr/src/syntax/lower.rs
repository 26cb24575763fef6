//! [`Ast`] to [`Graph`]: one loop over the nodes, which `if` and `sum` make jump.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::ast::{Ast, AstKind, AstOperand, NodeId, OperandRange};
use super::error::{BadNumber, ErrorCollector, SyntaxErrorKind as Kind};
use super::exact::{Bound, MAX_BITS, Overlong};
use super::functions::Named;
use super::resolve::{Referent, Resolved};
use super::scope::{NameShape, NameUse, Scope};
use super::{Limits, TextSpan};
use crate::{Expr, Graph, Node, Rational, Relation};

/// What a node was built into.
#[derive(Clone, Copy, Debug)]
pub(super) enum LoweredValue<'g> {
    /// Nothing, because of an error already reported.
    Invalid,
    /// A number, and its value if that is an integer known in advance.
    Number(Expr<'g>, Option<i64>),
    /// A condition, and its truth if that is known in advance.
    Condition(Expr<'g>, Option<bool>),
}

/// A `sum` being written out.
struct OpenSum<'g> {
    each: NodeId,
    index: i64,
    last: i64,
    terms: Vec<(Expr<'g>, bool)>,
}

pub(super) struct AstLowering<'a, 'g> {
    graph: &'g Graph,
    ast: &'a Ast,
    resolved: &'a Resolved<'a>,
    scope: &'a dyn Scope<'g>,
    limits: &'a Limits,
    errors: &'a mut ErrorCollector,
    values: Vec<LoweredValue<'g>>,
    series: Vec<OpenSum<'g>>,
    known: FxHashMap<NameUse<'a>, LoweredValue<'g>>,
    bound: Bound,
    spent: usize,
    /// Names whose integer value shaped the result.
    structural: BTreeSet<&'a str>,
}

/// Builds every node; `None` when errors were reported. The second part is the names whose integer value shaped the result.
pub(super) fn lower<'a, 'g>(
    graph: &'g Graph,
    ast: &'a Ast,
    resolved: &'a Resolved<'a>,
    scope: &'a dyn Scope<'g>,
    limits: &'a Limits,
    errors: &'a mut ErrorCollector,
) -> (Vec<LoweredValue<'g>>, BTreeSet<&'a str>) {
    let mut lowering = AstLowering {
        graph,
        ast,
        resolved,
        scope,
        limits,
        errors,
        values: vec![LoweredValue::Invalid; ast.nodes().len()],
        series: Vec::new(),
        known: FxHashMap::default(),
        bound: Bound::new(),
        spent: 0,
        structural: BTreeSet::new(),
    };
    lowering.run();
    (lowering.values, lowering.structural)
}

impl<'a, 'g> AstLowering<'a, 'g> {
    fn run(&mut self) {
        let ast = self.ast;
        let mut position = 0;
        while let Some(node) = ast.nodes().get(position) {
            self.spent += 1;
            if self.spent > self.limits.nodes {
                let kind = Kind::TooManyNodes { limit: self.limits.nodes };
                self.errors.report(kind, TextSpan::new(0, ast.text().len()));
                return;
            }
            let id = NodeId(position as u32);
            let mut next = position + 1;
            self.values[position] = match &node.kind {
                AstKind::Invalid => LoweredValue::Invalid,
                AstKind::Number => self.number(node.span),
                AstKind::Name { name, primes } => self.reference(id, *name, None, *primes),
                AstKind::Member { name, index, primes } => match self.integer(*index, "an index") {
                    Some(at) => self.reference(id, *name, Some((*index, at)), *primes),
                    None => LoweredValue::Invalid,
                },
                AstKind::Sum(operands) => self.sum(id, operands),
                AstKind::Product(operands) => self.product(id, operands),
                AstKind::Power { base, exponent } => self.power(id, *base, *exponent),
                AstKind::Call { arguments, .. } => self.call(id, arguments),
                AstKind::Compare { comparison, left, right } => self.compare(*comparison, *left, *right),
                AstKind::And(left, right) => self.connect(*left, *right, false),
                AstKind::Or(left, right) => self.connect(*left, *right, true),
                AstKind::Not(operand) => match self.condition(*operand) {
                    Some((value, truth)) => LoweredValue::Condition(self.graph.not(value), truth.map(|t| !t)),
                    None => LoweredValue::Invalid,
                },
                AstKind::Then { condition, otherwise } => {
                    if self.truth(*condition) == Some(false) {
                        next = otherwise.index() + 1;
                    }
                    LoweredValue::Invalid
                }
                AstKind::Otherwise { condition, end } => {
                    if self.truth(*condition) == Some(true) {
                        next = end.index();
                    }
                    LoweredValue::Invalid
                }
                AstKind::If { condition, then, otherwise } => self.choose(*condition, *then, *otherwise),
                AstKind::Each { low, high, end, .. } => match self.open_series(id, *low, *high) {
                    Ok(()) => LoweredValue::Invalid,
                    Err(value) => {
                        self.values[end.index()] = value;
                        next = end.index() + 1;
                        LoweredValue::Invalid
                    }
                },
                AstKind::Series { each, term } => match self.next_term(id, *term) {
                    Some(value) => value,
                    None => {
                        next = each.index() + 1;
                        LoweredValue::Invalid
                    }
                },
            };
            position = next;
        }
    }

    fn span(&self, id: NodeId) -> TextSpan {
        self.ast.node(id).span
    }

    fn fail(&mut self, id: NodeId, kind: Kind) -> LoweredValue<'g> {
        self.errors.report(kind, self.span(id));
        LoweredValue::Invalid
    }

    fn number(&mut self, span: TextSpan) -> LoweredValue<'g> {
        let text = self.ast.slice(span);
        match Rational::parse_decimal(text) {
            Some(value) => {
                let integer = value.to_i64();
                LoweredValue::Number(self.graph.rational(value), integer)
            }
            None => {
                let kind = Kind::BadNumber { text: text.to_owned(), reason: BadNumber::OutOfRange };
                self.errors.report(kind, span);
                LoweredValue::Invalid
            }
        }
    }

    fn reference(&mut self, id: NodeId, name: TextSpan, index: Option<(NodeId, i64)>, primes: u32) -> LoweredValue<'g> {
        let (ast, resolved) = (self.ast, self.resolved);
        match resolved.nodes[id.index()] {
            Referent::Nothing | Referent::Function(_) => LoweredValue::Invalid,
            Referent::Pi => LoweredValue::Number(self.graph.pi(), None),
            Referent::Index(each) => match self.series.iter().find(|s| s.each == each) {
                Some(series) => LoweredValue::Number(self.graph.int(series.index), Some(series.index)),
                None => LoweredValue::Invalid,
            },
            Referent::Name(found) => {
                let (_, binding) = &resolved.names[found as usize];
                if let (NameShape::Family(range), Some((node, index))) = (&binding.shape, index)
                    && !range.contains(&index)
                {
                    let name = ast.slice(name).to_owned();
                    let (first, last) = (*range.start(), *range.end());
                    return self.fail(node, Kind::IndexOutOfRange { name, index, first, last });
                }
                let reference = NameUse { name: ast.slice(name), index: index.map(|(_, at)| at), primes };
                if let Some(value) = self.known.get(&reference) {
                    return *value;
                }
                let value = match self.scope.value(reference) {
                    Ok(value) => LoweredValue::Number(value, binding.integer.filter(|_| primes == 0)),
                    Err(refusal) => self.fail(id, Kind::Refused { message: refusal.message, help: refusal.help }),
                };
                self.known.insert(reference, value);
                value
            }
        }
    }

    /// The operand as a number; an error is reported where it is a condition.
    fn numeric(&mut self, id: NodeId) -> Option<(Expr<'g>, Option<i64>)> {
        match self.values[id.index()] {
            LoweredValue::Number(value, integer) => Some((value, integer)),
            LoweredValue::Condition(..) => {
                self.fail(id, Kind::ExpectedNumber);
                None
            }
            LoweredValue::Invalid => None,
        }
    }

    /// The operand as a condition; an error is reported where it is a number.
    fn condition(&mut self, id: NodeId) -> Option<(Expr<'g>, Option<bool>)> {
        match self.values[id.index()] {
            LoweredValue::Condition(value, truth) => Some((value, truth)),
            LoweredValue::Number(..) => {
                self.fail(id, Kind::ExpectedCondition);
                None
            }
            LoweredValue::Invalid => None,
        }
    }

    /// The operand as an integer known in advance.
    fn integer(&mut self, id: NodeId, role: &'static str) -> Option<i64> {
        let (_, integer) = self.numeric(id)?;
        if integer.is_none() {
            self.fail(id, Kind::NotAnInteger { role });
        }
        self.note_structure(id);
        integer
    }

    /// The truth of a condition, if known in advance.
    fn truth(&mut self, id: NodeId) -> Option<bool> {
        let LoweredValue::Condition(_, Some(truth)) = self.values[id.index()] else { return None };
        self.note_structure(id);
        Some(truth)
    }

    /// Notes the names in a subtree that decided an index, a bound or a branch.
    fn note_structure(&mut self, id: NodeId) {
        let resolved = self.resolved;
        for at in self.ast.node(id).first.index()..=id.index() {
            if let Referent::Name(found) = resolved.nodes[at] {
                self.structural.insert(resolved.names[found as usize].0);
            }
        }
    }

    /// The operands as signed expressions, or `None` when one is not a number.
    fn gather(&mut self, operands: &[AstOperand]) -> Option<Vec<(Expr<'g>, bool)>> {
        let mut gathered = Vec::with_capacity(operands.len());
        let mut complete = true;
        for operand in operands {
            match self.numeric(operand.node) {
                Some((value, _)) => gathered.push((value, operand.inverse)),
                None => complete = false,
            }
        }
        complete.then_some(gathered)
    }

    fn integers<'b>(&'b self, operands: &'b [AstOperand]) -> impl Iterator<Item = (Option<i64>, bool)> + 'b {
        operands.iter().map(|operand| match self.values[operand.node.index()] {
            LoweredValue::Number(_, integer) => (integer, operand.inverse),
            _ => (None, operand.inverse),
        })
    }

    fn built(
        &mut self,
        id: NodeId,
        built: Result<(Expr<'g>, usize), Overlong>,
        integer: Option<i64>,
    ) -> LoweredValue<'g> {
        match built {
            Ok((value, handled)) => {
                self.spent = self.spent.saturating_add(handled);
                LoweredValue::Number(value, integer)
            }
            Err(Overlong) => self.fail(id, Kind::NumberTooLong { limit: MAX_BITS }),
        }
    }

    fn sum(&mut self, id: NodeId, operands: &OperandRange) -> LoweredValue<'g> {
        let operands = self.ast.operands(operands);
        let Some(summands) = self.gather(operands) else { return LoweredValue::Invalid };
        let integer = self.integers(operands).try_fold(0i64, |total, (value, inverse)| match inverse {
            true => total.checked_sub(value?),
            false => total.checked_add(value?),
        });
        let built = self.bound.sum(self.graph, &summands);
        self.built(id, built, integer)
    }

    fn product(&mut self, id: NodeId, operands: &OperandRange) -> LoweredValue<'g> {
        let operands = self.ast.operands(operands);
        let Some(factors) = self.gather(operands) else { return LoweredValue::Invalid };
        for (operand, (factor, inverse)) in operands.iter().zip(&factors) {
            if *inverse && factor.is_zero() {
                return self.fail(operand.node, Kind::DivisionByZero);
            }
        }
        let fraction = self.integers(operands).try_fold((1i64, 1i64), |(num, den), (value, inverse)| match inverse {
            true => Some((num, den.checked_mul(value?)?)),
            false => Some((num.checked_mul(value?)?, den)),
        });
        let integer = fraction.and_then(|(num, den)| match num.checked_rem(den)? {
            0 => num.checked_div(den),
            _ => None,
        });
        let built = self.bound.product(self.graph, &factors);
        self.built(id, built, integer)
    }

    fn power(&mut self, id: NodeId, base: NodeId, exponent: NodeId) -> LoweredValue<'g> {
        let (Some((b, base_integer)), Some((e, exponent_integer))) = (self.numeric(base), self.numeric(exponent))
        else {
            return LoweredValue::Invalid;
        };
        if b.is_zero() && e.as_number().is_some_and(|e| e.is_negative()) {
            return self.fail(id, Kind::DivisionByZero);
        }
        let integer = base_integer.zip(exponent_integer).and_then(|(b, e)| b.checked_pow(u32::try_from(e).ok()?));
        LoweredValue::Number(b.pow(e), integer)
    }

    fn call(&mut self, id: NodeId, arguments: &OperandRange) -> LoweredValue<'g> {
        let Referent::Function(function) = self.resolved.nodes[id.index()] else { return LoweredValue::Invalid };
        let operands = self.ast.operands(arguments);
        let Some(arguments) = self.gather(operands) else { return LoweredValue::Invalid };
        let arguments: Vec<Expr<'g>> = arguments.into_iter().map(|(value, _)| value).collect();
        match (function, operands, arguments.as_slice()) {
            (Named::Unary(f), _, [x]) => LoweredValue::Number(x.call(f), None),
            (Named::Sqrt, _, [x]) => LoweredValue::Number(x.sqrt(), None),
            (Named::Pow, [base, exponent], _) => self.power(id, base.node, exponent.node),
            (Named::Binary(f), _, [a, b]) => LoweredValue::Number(self.graph.call2(f, *a, *b), None),
            (Named::Folded(f), _, [first, rest @ ..]) => {
                let value = rest.iter().fold(*first, |a, b| self.graph.call2(f, a, *b));
                LoweredValue::Number(value, value.as_number().and_then(|v| v.to_i64()))
            }
            _ => LoweredValue::Invalid,
        }
    }

    fn compare(&mut self, comparison: Relation, left: NodeId, right: NodeId) -> LoweredValue<'g> {
        let (Some((a, a_integer)), Some((b, b_integer))) = (self.numeric(left), self.numeric(right)) else {
            return LoweredValue::Invalid;
        };
        let value = self.graph.compare(comparison, a, b);
        let truth = match value.node() {
            Node::Truth(truth) => Some(truth),
            _ => a_integer.zip(b_integer).map(|(a, b)| comparison.holds(a, b)),
        };
        LoweredValue::Condition(value, truth)
    }

    fn connect(&mut self, left: NodeId, right: NodeId, either: bool) -> LoweredValue<'g> {
        let (Some((a, p)), Some((b, q))) = (self.condition(left), self.condition(right)) else {
            return LoweredValue::Invalid;
        };
        let value = if either { self.graph.or(a, b) } else { self.graph.and(a, b) };
        // One side decides alone when it is `true` for "or", `false` for "and".
        let truth = match (p, q) {
            (Some(p), _) if p == either => Some(either),
            (_, Some(q)) if q == either => Some(either),
            (Some(_), Some(_)) => Some(!either),
            _ => None,
        };
        LoweredValue::Condition(value, truth)
    }

    fn choose(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> LoweredValue<'g> {
        let Some((value, truth)) = self.condition(condition) else { return LoweredValue::Invalid };
        let taken = match truth {
            Some(true) => self.numeric(then),
            Some(false) => self.numeric(otherwise),
            None => match (self.numeric(then), self.numeric(otherwise)) {
                (Some((a, _)), Some((b, _))) => Some((self.graph.select(value, a, b), None)),
                _ => None,
            },
        };
        taken.map_or(LoweredValue::Invalid, |(value, integer)| LoweredValue::Number(value, integer))
    }

    /// Starts a sum; `Err` is its value when there is nothing to run over.
    fn open_series(&mut self, each: NodeId, low: NodeId, high: NodeId) -> Result<(), LoweredValue<'g>> {
        let (low_value, high_value) = (self.integer(low, "a bound of a sum"), self.integer(high, "a bound of a sum"));
        let (Some(first), Some(last)) = (low_value, high_value) else { return Err(LoweredValue::Invalid) };
        if first > last {
            return Err(LoweredValue::Number(self.graph.int(0), Some(0)));
        }
        if last.abs_diff(first) >= self.limits.nodes as u64 {
            let span = self.span(low).to(self.span(high));
            self.errors.report(Kind::TooManyNodes { limit: self.limits.nodes }, span);
            return Err(LoweredValue::Invalid);
        }
        self.series.push(OpenSum { each, index: first, last, terms: Vec::new() });
        Ok(())
    }

    /// Takes the term just built; `Some` is the value of the sum when it was the last.
    fn next_term(&mut self, id: NodeId, term: NodeId) -> Option<LoweredValue<'g>> {
        let built = self.numeric(term);
        let (Some(series), Some((value, _))) = (self.series.last_mut(), built) else {
            // The same mistake would be reported for every index.
            self.series.pop();
            return Some(LoweredValue::Invalid);
        };
        series.terms.push((value, false));
        if series.index < series.last {
            series.index += 1;
            return None;
        }
        let terms = std::mem::take(&mut series.terms);
        self.series.pop();
        let built = self.bound.sum(self.graph, &terms);
        let integer = built.as_ref().ok().and_then(|(value, _)| value.as_number()).and_then(|v| v.to_i64());
        Some(self.built(id, built, integer))
    }
}
