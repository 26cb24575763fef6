//! [`Ast`] to [`Graph`]: one loop over the nodes, which `if` and `sum` make jump.

mod arrays;
mod calls;

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::ast::{Ast, AstKind, AstOperand, NodeId, OperandRange};
use super::error::{BadNumber, ErrorCollector, SyntaxErrorKind as Kind};
use super::exact::{Bound, MAX_BITS, Overlong};
use super::functions::Named;
use super::resolve::{Referent, Resolved};
use super::scope::{Binding, NameUse, Scope};
use super::{Limits, ShapedExpr, TextSpan};
use crate::{Expr, Graph, Node, Rational, Relation};

pub(super) use arrays::no_number;
use calls::CallKey;

/// What a node was built into.
#[derive(Clone, Debug)]
pub(super) enum LoweredValue<'g> {
    /// Nothing, because of an error already reported.
    Invalid,
    /// A number, and its value if that is an integer known in advance.
    Number(Expr<'g>, Option<i64>),
    /// A condition, and its truth if that is known in advance.
    Condition(Expr<'g>, Option<bool>),
    /// A vector or a matrix.
    Array(Rc<ShapedExpr<'g>>),
}

/// What stays the same in all texts of one expression: its own and those of the functions it calls.
#[derive(Clone, Copy)]
pub(super) struct LoweringContext<'a, 'g> {
    pub graph: &'g Graph,
    pub scope: &'a dyn Scope<'g>,
    pub limits: &'a Limits,
}

/// One of these texts, with the arguments of the function whose value it is.
#[derive(Clone, Copy)]
pub(super) struct LoweringText<'a, 'g> {
    pub ast: &'a Ast,
    pub resolved: &'a Resolved<'a>,
    pub arguments: &'a [LoweredValue<'g>],
    /// How many calls deep it stands.
    pub depth: usize,
}

/// What has been found out on the way through all of them.
#[derive(Default)]
pub(super) struct Expansion<'g> {
    /// The work done.
    spent: usize,
    /// All names found in the scope.
    pub names: BTreeSet<String>,
    /// Those whose integer value shaped the result.
    pub structural: BTreeSet<String>,
    /// The calls written out, with the arguments whose integer value shaped them.
    calls: FxHashMap<CallKey, (LoweredValue<'g>, BTreeSet<usize>)>,
    /// Terms of sums that are in no other sum, where they were written out before.
    pub sums: KnownSums<'g>,
}

/// The terms of sums in one text, by the nodes that begin these: a sum with more terms begins with them.
pub(super) type KnownSums<'g> = FxHashMap<NodeId, KnownTerms<'g>>;

/// The first terms of a sum.
pub(super) struct KnownTerms<'g> {
    first: i64,
    terms: Vec<LoweredValue<'g>>,
    /// What the names in a term were then, by their places.
    names: Vec<(usize, Binding)>,
}

/// A `sum` being written out.
struct OpenSum<'g> {
    each: NodeId,
    index: i64,
    last: i64,
    terms: Vec<LoweredValue<'g>>,
}

/// The index of an element, with the node that says it; for matrices the column likewise.
#[derive(Clone, Copy)]
struct ElementIndex {
    node: NodeId,
    index: i64,
    column: Option<(NodeId, i64)>,
}

pub(super) struct AstLowering<'a, 'g> {
    context: LoweringContext<'a, 'g>,
    graph: &'g Graph,
    ast: &'a Ast,
    resolved: &'a Resolved<'a>,
    arguments: &'a [LoweredValue<'g>],
    depth: usize,
    errors: &'a mut ErrorCollector,
    expansion: &'a mut Expansion<'g>,
    values: Vec<LoweredValue<'g>>,
    series: Vec<OpenSum<'g>>,
    known: FxHashMap<NameUse<'a>, LoweredValue<'g>>,
    bound: Bound,
    /// Arguments whose integer value shaped the result.
    structural_arguments: BTreeSet<usize>,
}

/// Builds every node. The second part is the arguments whose integer value shaped the result.
pub(super) fn lower<'a, 'g>(
    context: LoweringContext<'a, 'g>,
    text: LoweringText<'a, 'g>,
    errors: &'a mut ErrorCollector,
    expansion: &'a mut Expansion<'g>,
) -> (Vec<LoweredValue<'g>>, BTreeSet<usize>) {
    let LoweringText { ast, resolved, arguments, depth } = text;
    expansion.names.extend(resolved.names.iter().map(|(name, _)| (*name).to_owned()));
    let mut lowering = AstLowering {
        context,
        graph: context.graph,
        ast,
        resolved,
        arguments,
        depth,
        errors,
        expansion,
        values: vec![LoweredValue::Invalid; ast.nodes().len()],
        series: Vec::new(),
        known: FxHashMap::default(),
        bound: Bound::new(),
        structural_arguments: BTreeSet::new(),
    };
    lowering.run();
    (lowering.values, lowering.structural_arguments)
}

impl<'g> Expansion<'g> {
    /// Nothing yet, but terms of sums that are known from before.
    pub fn knowing(sums: KnownSums<'g>) -> Self {
        Expansion { sums, ..Expansion::default() }
    }
}

impl<'a, 'g> AstLowering<'a, 'g> {
    fn run(&mut self) {
        let ast = self.ast;
        let mut position = 0;
        while let Some(node) = ast.nodes().get(position) {
            if !self.spend(1) {
                return;
            }
            let id = NodeId(position as u32);
            let mut next = position + 1;
            self.values[position] = match &node.kind {
                AstKind::Invalid => LoweredValue::Invalid,
                AstKind::Number => self.number(node.span),
                AstKind::Name { name, primes } => self.reference(id, *name, None, *primes),
                AstKind::Member { name, index, column, primes } => match self.element_index(*index, *column) {
                    Some(at) => self.reference(id, *name, Some(at), *primes),
                    None => LoweredValue::Invalid,
                },
                AstKind::List(items) => self.list(id, items),
                AstKind::Derivative { of, primes } => {
                    let value = self.values[of.index()].clone();
                    self.derivative(id, value, *primes)
                }
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

    /// Counts work; `false`, which is reported, when there has been too much of it.
    fn spend(&mut self, work: usize) -> bool {
        let limit = self.context.limits.nodes;
        self.expansion.spent = self.expansion.spent.saturating_add(work);
        let spent = self.expansion.spent > limit;
        if spent {
            self.errors.report(Kind::TooManyNodes { limit }, TextSpan::new(0, self.ast.text().len()));
        }
        !spent
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

    fn reference(&mut self, id: NodeId, name: TextSpan, at: Option<ElementIndex>, primes: u32) -> LoweredValue<'g> {
        let resolved = self.resolved;
        match resolved.nodes[id.index()] {
            Referent::Nothing | Referent::Function(_) | Referent::Declared | Referent::Zero | Referent::Table(_) => {
                LoweredValue::Invalid
            }
            Referent::Argument(place) => self.argument(id, name, place as usize, at, primes),
            Referent::Pi => LoweredValue::Number(self.graph.pi(), None),
            Referent::Index(each) => match self.series.iter().find(|s| s.each == each) {
                Some(series) => LoweredValue::Number(self.graph.int(series.index), Some(series.index)),
                None => LoweredValue::Invalid,
            },
            Referent::Name(found) => {
                let (name, binding) = &resolved.names[found as usize];
                if !self.is_in_range(name, &binding.shape, at) {
                    return LoweredValue::Invalid;
                }
                let (index, column) = (at.map(|at| at.index), at.and_then(|at| at.column).map(|(_, column)| column));
                let reference = NameUse { name, index, column, primes };
                if let Some(value) = self.known.get(&reference) {
                    return value.clone();
                }
                let value = match at {
                    None => self.whole(id, binding, reference),
                    Some(_) => self.single(id, binding, reference),
                };
                self.known.insert(reference, value.clone());
                value
            }
        }
    }

    /// The operand as a number; an error is reported where it is none.
    fn numeric(&mut self, id: NodeId) -> Option<(Expr<'g>, Option<i64>)> {
        let kind = match &self.values[id.index()] {
            LoweredValue::Number(value, integer) => return Some((*value, *integer)),
            LoweredValue::Condition(..) => Kind::ExpectedNumber,
            LoweredValue::Array(found) => no_number(self.ast, self.resolved, id, found.shape),
            LoweredValue::Invalid => return None,
        };
        self.fail(id, kind);
        None
    }

    /// The operand as a condition; an error is reported where it is a number.
    fn condition(&mut self, id: NodeId) -> Option<(Expr<'g>, Option<bool>)> {
        match self.values[id.index()] {
            LoweredValue::Condition(value, truth) => Some((value, truth)),
            LoweredValue::Number(..) | LoweredValue::Array(_) => {
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

    /// The index of an element.
    fn element_index(&mut self, node: NodeId, column: Option<NodeId>) -> Option<ElementIndex> {
        let index = self.integer(node, "an index");
        let column = match column {
            Some(column) => Some((column, self.integer(column, "an index")?)),
            None => None,
        };
        Some(ElementIndex { node, index: index?, column })
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
            match resolved.nodes[at] {
                Referent::Name(found) => {
                    let (name, binding) = &resolved.names[found as usize];
                    if binding.integer.is_some() {
                        self.expansion.structural.insert((*name).to_owned());
                    }
                }
                Referent::Argument(place) => drop(self.structural_arguments.insert(place as usize)),
                _ => {}
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
                self.expansion.spent = self.expansion.spent.saturating_add(handled);
                LoweredValue::Number(value, integer)
            }
            Err(Overlong) => self.fail(id, Kind::NumberTooLong { limit: MAX_BITS }),
        }
    }

    fn sum(&mut self, id: NodeId, operands: &OperandRange) -> LoweredValue<'g> {
        let operands = self.ast.operands(operands);
        if self.has_arrays(operands) {
            return self.array_sum(id, operands);
        }
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
        if self.has_arrays(operands) {
            return self.array_product(id, operands);
        }
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
        let operands = self.ast.operands(arguments);
        let function = match self.resolved.nodes[id.index()] {
            Referent::Function(Named::OfArrays(function)) => return self.array_function(id, function, operands),
            Referent::Function(function) => function,
            Referent::Declared => return self.declared_call(id, operands),
            Referent::Zero => return LoweredValue::Number(self.graph.int(0), Some(0)),
            Referent::Table(table) => {
                let Some(arguments) = self.gather(operands) else { return LoweredValue::Invalid };
                let value = arguments.first().map(|(x, _)| x.table(table));
                return value.map_or(LoweredValue::Invalid, |value| LoweredValue::Number(value, None));
            }
            _ => return LoweredValue::Invalid,
        };
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
        let [first, second] = [then, otherwise].map(|branch| self.values[branch.index()].clone());
        match (truth, &first, &second) {
            (Some(true), LoweredValue::Array(_), _) => return first,
            (Some(false), _, LoweredValue::Array(_)) => return second,
            (None, LoweredValue::Array(_), LoweredValue::Array(_)) => {
                return self.choose_array(otherwise, value, &first, &second);
            }
            _ => {}
        }
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
        let limit = self.context.limits.nodes;
        if last.abs_diff(first) >= limit as u64 {
            let span = self.span(low).to(self.span(high));
            self.errors.report(Kind::TooManyNodes { limit }, span);
            return Err(LoweredValue::Invalid);
        }
        let terms = self.known_terms(each, first, last);
        let index = first + i64::try_from(terms.len()).unwrap_or(0);
        self.series.push(OpenSum { each, index, last, terms });
        Ok(())
    }

    /// The terms of a sum that are known from before, all but the last at most.
    fn known_terms(&mut self, each: NodeId, first: i64, last: i64) -> Vec<LoweredValue<'g>> {
        let outermost = self.depth == 0 && self.series.is_empty();
        let Some(known) = self.expansion.sums.remove(&each).filter(|known| outermost && known.first == first) else {
            return Vec::new();
        };
        let same =
            |(at, binding): &(usize, Binding)| self.resolved.names.get(*at).is_some_and(|(_, now)| now == binding);
        let mut terms = known.terms;
        terms.truncate(if known.names.iter().all(same) { last.abs_diff(first) as usize } else { 0 });
        terms
    }

    /// Keeps the terms of a sum for when its text is read again.
    fn keep_terms(&mut self, each: NodeId, term: NodeId, first: i64, terms: Vec<LoweredValue<'g>>) {
        if self.depth > 0 || !self.series.is_empty() {
            return;
        }
        let nodes = self.ast.node(term).first.index()..=term.index();
        let found = self.resolved.nodes[nodes].iter().filter_map(|node| match node {
            Referent::Name(found) => Some(*found as usize),
            _ => None,
        });
        let names = found.map(|at| (at, self.resolved.names[at].1.clone())).collect();
        self.expansion.sums.insert(each, KnownTerms { first, terms, names });
    }

    /// Takes the term just built; `Some` is the value of the sum when it was the last.
    fn next_term(&mut self, id: NodeId, term: NodeId) -> Option<LoweredValue<'g>> {
        let value = self.values[term.index()].clone();
        let usable = matches!(value, LoweredValue::Array(_)) || self.numeric(term).is_some();
        let Some(series) = self.series.last_mut().filter(|_| usable) else {
            // The same mistake would be reported for every index.
            self.series.pop();
            return Some(LoweredValue::Invalid);
        };
        series.terms.push(value);
        if series.index < series.last {
            series.index += 1;
            return None;
        }
        let terms = std::mem::take(&mut series.terms);
        let (each, last) = (series.each, series.last);
        self.series.pop();
        if terms.iter().any(|value| matches!(value, LoweredValue::Array(_))) {
            return Some(self.add_arrays(id, terms.into_iter().map(|value| (term, value, false)).collect()));
        }
        let number = |value: &LoweredValue<'g>| match value {
            LoweredValue::Number(value, _) => Some((*value, false)),
            _ => None,
        };
        let summands: Vec<_> = terms.iter().filter_map(number).collect();
        let first = i64::try_from(terms.len()).map_or(last, |count| last - count + 1);
        self.keep_terms(each, term, first, terms);
        let built = self.bound.sum(self.graph, &summands);
        let integer = built.as_ref().ok().and_then(|(value, _)| value.as_number()).and_then(|v| v.to_i64());
        Some(self.built(id, built, integer))
    }
}
