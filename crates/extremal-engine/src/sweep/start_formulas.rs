//! What follows from parameters, for member after member: the numbers that [`Graph::evaluate`] gives, without looking anything up.

use extremal_expr::elementary::{integer_power, power};
use extremal_expr::{Expr, Function, Function2, Graph, Id, Node, Relation, TableFunction};

/// Some expressions in the order of their evaluation.
pub(super) struct StartFormulas {
    steps: Vec<FormulaStep>,
    roots: Vec<usize>,
}

/// An operation on values before it, by their places.
enum FormulaStep {
    Number(f64),
    /// A value that is given, if there is one.
    Given(Option<usize>),
    Sum(f64, Vec<(usize, f64)>),
    Product(Vec<(usize, i64)>),
    SquareRoot(usize),
    Root(usize, f64),
    Power(usize, usize),
    Call(Function, usize),
    Table(TableFunction, usize),
    Call2(Function2, usize, usize),
    Select(usize, usize, usize),
    Same(usize),
    Compare(Relation, usize, usize),
    And(usize, usize),
    Or(usize, usize),
    Not(usize),
}

impl StartFormulas {
    /// Of these expressions; `place` says which of the values that are given a symbol has.
    pub fn new(g: &Graph, roots: &[Expr<'_>], place: impl Fn(&str) -> Option<usize>) -> StartFormulas {
        let ids: Vec<Id> = roots.iter().map(|root| root.id()).collect();
        let nodes = g.reachable(&ids);
        // They are in increasing order, and so are children before parents.
        let at = |id: &Id| nodes.binary_search(id).unwrap_or(usize::MAX);
        let step = |id: &Id| match g.expr(*id).node() {
            Node::Number(value) => FormulaStep::Number(value.to_f64()),
            Node::Pi => FormulaStep::Number(std::f64::consts::PI),
            Node::Truth(truth) => FormulaStep::Number(f64::from(u8::from(truth))),
            Node::Symbol(name) => FormulaStep::Given(place(&name)),
            Node::Sum { constant, terms } => {
                FormulaStep::Sum(constant.to_f64(), terms.iter().map(|(id, c)| (at(id), c.to_f64())).collect())
            }
            Node::Product(factors) => FormulaStep::Product(factors.iter().map(|(id, n)| (at(id), *n)).collect()),
            Node::Root(a, 2) => FormulaStep::SquareRoot(at(&a)),
            Node::Root(a, q) => FormulaStep::Root(at(&a), 1.0 / f64::from(q)),
            Node::Power(a, b) => FormulaStep::Power(at(&a), at(&b)),
            Node::Call(f, a) => FormulaStep::Call(f, at(&a)),
            Node::Table(f, a) => FormulaStep::Table(f, at(&a)),
            Node::Call2(f, a, b) => FormulaStep::Call2(f, at(&a), at(&b)),
            Node::Select(c, a, b) => FormulaStep::Select(at(&c), at(&a), at(&b)),
            Node::Grouped(a) => FormulaStep::Same(at(&a)),
            Node::Compare(c, a, b) => FormulaStep::Compare(c, at(&a), at(&b)),
            Node::And(a, b) => FormulaStep::And(at(&a), at(&b)),
            Node::Or(a, b) => FormulaStep::Or(at(&a), at(&b)),
            Node::Not(a) => FormulaStep::Not(at(&a)),
        };
        let steps: Vec<FormulaStep> = nodes.iter().map(step).collect();
        StartFormulas { steps, roots: ids.iter().map(at).collect() }
    }

    /// The values of the expressions where the symbols have those that are given; what has none is no number. All values are left in
    /// `values`.
    pub fn evaluate(&self, values: &mut Vec<f64>, given: impl Fn(usize) -> f64) -> impl Iterator<Item = f64> {
        values.clear();
        for step in &self.steps {
            let v = |place: &usize| values[*place];
            let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
            let value = match step {
                FormulaStep::Number(value) => *value,
                FormulaStep::Given(place) => place.map_or(f64::NAN, &given),
                FormulaStep::Sum(constant, terms) => terms.iter().map(|(at, c)| c * v(at)).sum::<f64>() + constant,
                FormulaStep::Product(factors) => factors.iter().map(|(at, n)| integer_power(v(at), *n)).product(),
                FormulaStep::SquareRoot(a) => v(a).sqrt(),
                FormulaStep::Root(a, inverse) => power(v(a), *inverse),
                FormulaStep::Power(a, b) => power(v(a), v(b)),
                FormulaStep::Call(f, a) => f.apply(v(a)),
                FormulaStep::Table(f, a) => f.value(v(a)),
                FormulaStep::Call2(f, a, b) => f.apply(v(a), v(b)),
                FormulaStep::Select(c, a, b) => v(if v(c) != 0.0 { a } else { b }),
                FormulaStep::Same(a) => v(a),
                FormulaStep::Compare(c, a, b) => truth(c.holds(v(a), v(b))),
                FormulaStep::And(a, b) => v(a) * v(b),
                FormulaStep::Or(a, b) => v(a).max(v(b)),
                FormulaStep::Not(a) => 1.0 - v(a),
            };
            values.push(value);
        }
        self.roots.iter().map(|root| values[*root])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation there is, where it is easy and where there is no number.
    #[test]
    fn values_are_those_of_the_graph() {
        let g = Graph::new();
        let [a, b] = ["a", "b"].map(|name| g.symbol(name));
        let half = a / 2;
        let inside = g.and(g.compare(Relation::Lt, a, b), g.not(g.compare(Relation::Eq, a, g.int(1))));
        let beyond = g.or(g.compare(Relation::Le, b, a), inside);
        let roots = [
            half + b * 3 - 1,
            a.powi(3) * b.powi(-2),
            a.sqrt() + g.pi(),
            a.sin() * b.cos() + a.exp(),
            g.call2(Function2::Max, a, b) - g.call2(Function2::Atan2, b, a),
            g.select(inside, a, b) + g.select(beyond, b, a),
            (a + b).grouped() - b,
            g.symbol("unknown") * a,
        ];
        let names = ["a", "b"];
        let mut scratch = Vec::new();
        let formulas = StartFormulas::new(&g, &roots, |name| names.iter().position(|other| *other == name));
        for values in [[0.3, 0.7], [2.5, -1.25], [-4.0, 1.0], [1.0, f64::INFINITY]] {
            let value_of = |name: &str| names.iter().position(|other| *other == name).map(|at| values[at]);
            let expected: Vec<u64> = g.evaluate(&roots, value_of).into_iter().map(f64::to_bits).collect();
            let found: Vec<u64> = formulas.evaluate(&mut scratch, |at| values[at]).map(f64::to_bits).collect();
            assert_eq!(found, expected, "{values:?}");
        }
    }
}
