//! How a node is laid out for people, whatever the notation: terms in order with their signs, products as one fraction.

use super::order::PrintOrder;
use crate::rational::gcd;
use crate::{Expr, Function, Function2, Graph, Id, Node, Rational, Relation, TableFunction};

/// How tightly a notation binds, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NotationLevel {
    Or,
    And,
    Not,
    Relation,
    Sum,
    Product,
    Power,
    Atom,
}

impl NotationLevel {
    pub(super) const LOOSEST: NotationLevel = NotationLevel::Or;
}

/// A node as people write it.
pub(super) enum PrintedForm {
    Number(Rational),
    Pi,
    Symbol(std::sync::Arc<str>),
    Sum(Vec<PrintedTerm>),
    Fraction(PrintedFraction),
    Power(Id, Id),
    Call(Function, Id),
    Table(TableFunction, Id),
    Call2(Function2, Id, Id),
    Select(Id, Id, Id),
    Compare(Relation, Id, Id),
    And(Id, Id),
    Or(Id, Id),
    Not(Id),
    Truth(bool),
}

/// A summand and its sign.
pub(super) struct PrintedTerm {
    pub negative: bool,
    pub value: PrintedFraction,
}

impl PrintedTerm {
    /// What stands before it, at this place of a sum.
    pub fn sign(&self, position: usize) -> &'static str {
        match (position, self.negative) {
            (0, true) => "-",
            (0, false) => "",
            (_, true) => " - ",
            (_, false) => " + ",
        }
    }
}

/// `numerator number · factors / (denominator number · factors)`, all signs taken out.
pub(super) struct PrintedFraction {
    pub numerator: FractionSide,
    pub denominator: FractionSide,
}

/// One side of a fraction: a positive integer and other factors.
pub(super) struct FractionSide {
    pub number: Rational,
    pub factors: Vec<PrintedFactor>,
}

/// `base^(power/root)`, both positive unless `power` is the one integer without an opposite.
#[derive(Clone, Copy)]
pub(super) struct PrintedFactor {
    pub base: Id,
    pub power: i64,
    pub root: u32,
}

impl PrintedFactor {
    fn whole(base: Id) -> Self {
        PrintedFactor { base, power: 1, root: 1 }
    }

    /// Is it the base itself?
    pub(super) fn is_plain(&self) -> bool {
        self.power == 1 && self.root == 1
    }
}

impl FractionSide {
    /// The number, unless it is 1 beside other factors.
    pub(super) fn shown_number(&self) -> Option<&Rational> {
        (!self.number.is_one() || self.factors.is_empty()).then_some(&self.number)
    }

    pub(super) fn is_one(&self) -> bool {
        self.number.is_one() && self.factors.is_empty()
    }

    /// The only thing on this side, if it is a single factor.
    pub(super) fn single(&self) -> Option<PrintedFactor> {
        match self.factors.as_slice() {
            [factor] if self.number.is_one() => Some(*factor),
            _ => None,
        }
    }
}

impl PrintedFraction {
    /// The only factor, when there is nothing else.
    pub(super) fn single(&self) -> Option<PrintedFactor> {
        self.numerator.single().filter(|_| self.denominator.is_one())
    }
}

/// Lays out the nodes below one expression.
pub(super) struct PrintLayout<'g> {
    graph: &'g Graph,
    order: PrintOrder,
}

impl<'g> PrintLayout<'g> {
    pub(super) fn new(expr: Expr<'g>) -> Self {
        PrintLayout { graph: expr.graph(), order: PrintOrder::new(expr) }
    }

    fn node(&self, id: Id) -> Node {
        self.graph.expr(id).node()
    }

    /// Is this node a plain number?
    pub(super) fn is_number(&self, id: Id) -> bool {
        matches!(self.node(id), Node::Number(_))
    }

    /// The function and its argument, if this node is a call.
    pub(super) fn as_call(&self, id: Id) -> Option<(Function, Id)> {
        match self.node(id) {
            Node::Call(function, argument) => Some((function, argument)),
            _ => None,
        }
    }

    pub(super) fn form(&self, id: Id) -> PrintedForm {
        match self.node(id) {
            Node::Number(value) => PrintedForm::Number(value),
            Node::Pi => PrintedForm::Pi,
            Node::Symbol(name) => PrintedForm::Symbol(name),
            Node::Sum { constant, terms } => PrintedForm::Sum(self.terms(&constant, &terms)),
            Node::Product(_) | Node::Root(..) => PrintedForm::Fraction(self.fraction(id, &Rational::ONE)),
            Node::Power(base, exponent) => PrintedForm::Power(base, exponent),
            Node::Call(function, a) => PrintedForm::Call(function, a),
            Node::Table(function, a) => PrintedForm::Table(function, a),
            Node::Call2(function, a, b) => PrintedForm::Call2(function, a, b),
            Node::Select(c, a, b) => PrintedForm::Select(c, a, b),
            Node::Grouped(a) => self.form(a),
            Node::Compare(comparison, a, b) => PrintedForm::Compare(comparison, a, b),
            Node::And(a, b) => PrintedForm::And(a, b),
            Node::Or(a, b) => PrintedForm::Or(a, b),
            Node::Not(a) => PrintedForm::Not(a),
            Node::Truth(value) => PrintedForm::Truth(value),
        }
    }

    fn terms(&self, constant: &Rational, terms: &[(Id, Rational)]) -> Vec<PrintedTerm> {
        let mut ordered: Vec<&(Id, Rational)> = terms.iter().collect();
        ordered.sort_by(|(a, _), (b, _)| self.order.terms(*a, *b));
        let mut laid: Vec<PrintedTerm> = ordered
            .into_iter()
            .map(|(id, c)| PrintedTerm { negative: c.is_negative(), value: self.fraction(*id, &c.abs()) })
            .collect();
        if !constant.is_zero() {
            let value = number_fraction(&constant.abs(), Vec::new(), Vec::new());
            laid.push(PrintedTerm { negative: constant.is_negative(), value });
        }
        // A positive term leads if there is one: `1 - x`, not `-x + 1`.
        if let Some(first) = laid.iter().position(|term| !term.negative) {
            laid[..=first].rotate_right(1);
        }
        laid
    }

    /// `coefficient·node` with the factors sorted above and below the line.
    fn fraction(&self, id: Id, coefficient: &Rational) -> PrintedFraction {
        let node = self.node(id);
        let lone = [(id, 1)];
        let factors: &[(Id, i64)] = match &node {
            Node::Product(factors) => factors,
            _ => &lone,
        };
        let mut ordered = factors.to_vec();
        ordered.sort_by(|(a, _), (b, _)| self.order.factors(*a, *b));
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for (base, exponent) in ordered {
            match exponent.checked_neg() {
                Some(opposite) if exponent < 0 => below.push(self.factor(base, opposite)),
                _ => above.push(self.factor(base, exponent)),
            }
        }
        number_fraction(coefficient, above, below)
    }

    /// `base^power`, a root merged into the exponent where the exponent stays in lowest terms.
    fn factor(&self, base: Id, power: i64) -> PrintedFactor {
        match self.node(base) {
            Node::Root(inner, root) if gcd(power.unsigned_abs().into(), root.into()) == 1 => {
                PrintedFactor { base: inner, power, root }
            }
            _ => PrintedFactor { power, ..PrintedFactor::whole(base) },
        }
    }
}

fn number_fraction(coefficient: &Rational, above: Vec<PrintedFactor>, below: Vec<PrintedFactor>) -> PrintedFraction {
    PrintedFraction {
        numerator: FractionSide { number: coefficient.numerator(), factors: above },
        denominator: FractionSide { number: coefficient.denominator(), factors: below },
    }
}
