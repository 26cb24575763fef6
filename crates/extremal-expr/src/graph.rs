//! The graph and the handles through which it is used.

use std::cell::{Ref, RefCell};
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::build::Arena;
use crate::elementary::{integer_power, power};
use crate::function::{Function, Function2};
use crate::node::{Id, Node, Relation};
use crate::rational::Rational;
use crate::table::TableFunction;

/// A hash-consed expression graph: every distinct expression exists once, simplified as it was built.
///
/// ```
/// use extremal_expr::Graph;
/// let g = Graph::new();
/// let (x, y) = (g.symbol("x"), g.symbol("y"));
/// assert_eq!((x + y) - y, x);
/// assert_eq!(x * x * x, x.powi(3));
/// let l = x.powi(2) * y.sin();
/// assert_eq!(g.gradient(l, &[x, y]), [x * 2 * y.sin(), x.powi(2) * y.cos()]);
/// ```
#[derive(Clone, Default)]
pub struct Graph {
    arena: RefCell<Arena>,
}

/// An expression: a handle to a node of a [`Graph`], with the usual operators.
#[derive(Clone, Copy)]
pub struct Expr<'g> {
    graph: &'g Graph,
    id: Id,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Graph {
        Graph::default()
    }

    pub(crate) fn arena(&self) -> Ref<'_, Arena> {
        self.arena.borrow()
    }

    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Arena) -> T) -> T {
        act(&mut self.arena.borrow_mut())
    }

    fn make(&self, build: impl FnOnce(&mut Arena) -> Id) -> Expr<'_> {
        let id = self.with(build);
        self.expr(id)
    }

    /// The expression with this id.
    pub fn expr(&self, id: Id) -> Expr<'_> {
        Expr { graph: self, id }
    }

    /// The expressions with these ids.
    pub fn exprs(&self, ids: &[Id]) -> Vec<Expr<'_>> {
        ids.iter().map(|id| self.expr(*id)).collect()
    }

    /// How many nodes the graph holds.
    pub fn len(&self) -> usize {
        self.arena().len()
    }

    /// Is the graph without nodes?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The symbol of this name.
    pub fn symbol(&self, name: &str) -> Expr<'_> {
        self.make(|a| a.symbol(name))
    }

    /// An exact number.
    pub fn rational(&self, value: Rational) -> Expr<'_> {
        self.make(|a| a.number(value))
    }

    /// An integer.
    pub fn int(&self, value: i64) -> Expr<'_> {
        self.make(|a| a.int(value))
    }

    /// The exact value of an `f64`, `None` when it is not finite.
    pub fn float(&self, value: f64) -> Option<Expr<'_>> {
        Rational::from_f64(value).map(|value| self.rational(value))
    }

    /// The circle constant.
    pub fn pi(&self) -> Expr<'_> {
        self.make(Arena::pi)
    }

    /// The sum of all summands.
    pub fn sum<'g>(&'g self, summands: impl IntoIterator<Item = Expr<'g>>) -> Expr<'g> {
        let summands: Vec<_> = summands.into_iter().map(|e| (e.id, Rational::ONE)).collect();
        self.make(|a| a.sum(summands))
    }

    /// The product of all factors.
    pub fn product<'g>(&'g self, factors: impl IntoIterator<Item = Expr<'g>>) -> Expr<'g> {
        let factors: Vec<_> = factors.into_iter().map(|e| (e.id, 1)).collect();
        self.make(|a| a.product(factors))
    }

    /// `Σ a_i b_i`.
    pub fn dot<'g>(&'g self, a: &[Expr<'g>], b: &[Expr<'g>]) -> Expr<'g> {
        self.sum(a.iter().zip(b).map(|(a, b)| *a * *b))
    }

    /// A function of two arguments.
    pub fn call2<'g>(&'g self, function: Function2, a: Expr<'g>, b: Expr<'g>) -> Expr<'g> {
        self.make(|arena| arena.call2(function, a.id, b.id))
    }

    /// The condition `a comparison b`.
    pub fn compare<'g>(&'g self, comparison: Relation, a: Expr<'g>, b: Expr<'g>) -> Expr<'g> {
        self.make(|arena| arena.compare(comparison, a.id, b.id))
    }

    /// Both conditions.
    pub fn and<'g>(&'g self, a: Expr<'g>, b: Expr<'g>) -> Expr<'g> {
        self.make(|arena| arena.and(a.id, b.id))
    }

    /// Either condition.
    pub fn or<'g>(&'g self, a: Expr<'g>, b: Expr<'g>) -> Expr<'g> {
        self.make(|arena| arena.or(a.id, b.id))
    }

    /// The opposite condition.
    pub fn not<'g>(&'g self, a: Expr<'g>) -> Expr<'g> {
        self.make(|arena| arena.not(a.id))
    }

    /// `then` where `condition` holds, `otherwise` elsewhere.
    pub fn select<'g>(&'g self, condition: Expr<'g>, then: Expr<'g>, otherwise: Expr<'g>) -> Expr<'g> {
        self.make(|arena| arena.select(condition.id, then.id, otherwise.id))
    }

    /// All nodes below and including `roots` in increasing order, which is a topological one.
    pub fn reachable(&self, roots: &[Id]) -> Vec<Id> {
        self.arena().reachable(roots.iter().copied())
    }

    /// The symbols that occur in `roots`, in order of creation.
    pub fn free_symbols<'g>(&'g self, roots: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let arena = self.arena();
        let ids = arena.reachable(roots.iter().map(|e| e.id));
        ids.into_iter().filter(|id| matches!(arena.node(*id), Node::Symbol(_))).map(|id| self.expr(id)).collect()
    }

    /// Which of `roots` contain any of `symbols`.
    pub fn depend_on<'g>(&'g self, roots: &[Expr<'g>], symbols: &[Expr<'g>]) -> Vec<bool> {
        let arena = self.arena();
        let nodes = arena.reachable(roots.iter().map(|e| e.id));
        let found = arena.dependent(&nodes, symbols.iter().map(|e| e.id));
        roots.iter().map(|e| found.contains(&e.id)).collect()
    }

    /// Replaces symbols (or any sub-expressions) all at once.
    pub fn substitute<'g>(&'g self, roots: &[Expr<'g>], rules: &[(Expr<'g>, Expr<'g>)]) -> Vec<Expr<'g>> {
        let ids = self.with(|arena| {
            let mut map: FxHashMap<Id, Id> = rules.iter().map(|(from, to)| (from.id, to.id)).collect();
            for id in arena.reachable(roots.iter().map(|e| e.id)) {
                if map.contains_key(&id) {
                    continue;
                }
                let node = arena.node(id).clone();
                let mut changed = false;
                node.for_each_child(|child| changed |= map.get(&child).is_some_and(|to| *to != child));
                let image = if changed { arena.rebuild(&node, |child| *map.get(&child).unwrap_or(&child)) } else { id };
                map.insert(id, image);
            }
            roots.iter().map(|e| map[&e.id]).collect::<Vec<_>>()
        });
        self.exprs(&ids)
    }

    /// Evaluates `roots` node by node in `f64`: slow, obviously right, the measure of every faster evaluator. A condition
    /// is 1 or 0. Symbols without a value are NaN.
    pub fn evaluate<'g>(&'g self, roots: &[Expr<'g>], value_of: impl Fn(&str) -> Option<f64>) -> Vec<f64> {
        let arena = self.arena();
        let mut values: FxHashMap<Id, f64> = FxHashMap::default();
        for id in arena.reachable(roots.iter().map(|e| e.id)) {
            let v = |id: &Id| values[id];
            let truth = |b: bool| if b { 1.0 } else { 0.0 };
            let value = match arena.node(id) {
                Node::Number(r) => r.to_f64(),
                Node::Pi => std::f64::consts::PI,
                Node::Symbol(name) => value_of(name).unwrap_or(f64::NAN),
                Node::Sum { constant, terms } => {
                    terms.iter().map(|(id, c)| c.to_f64() * v(id)).sum::<f64>() + constant.to_f64()
                }
                Node::Product(factors) => factors.iter().map(|(id, e)| integer_power(v(id), *e)).product(),
                Node::Root(a, 2) => v(a).sqrt(),
                Node::Root(a, q) => power(v(a), 1.0 / f64::from(*q)),
                Node::Power(a, b) => power(v(a), v(b)),
                Node::Call(f, a) => f.apply(v(a)),
                Node::Table(f, a) => f.value(v(a)),
                Node::Call2(f, a, b) => f.apply(v(a), v(b)),
                Node::Select(c, a, b) => {
                    if v(c) != 0.0 {
                        v(a)
                    } else {
                        v(b)
                    }
                }
                Node::Grouped(a) => v(a),
                Node::Compare(c, a, b) => truth(c.holds(v(a), v(b))),
                Node::And(a, b) => v(a) * v(b),
                Node::Or(a, b) => v(a).max(v(b)),
                Node::Not(a) => 1.0 - v(a),
                Node::Truth(b) => truth(*b),
            };
            values.insert(id, value);
        }
        roots.iter().map(|e| values[&e.id]).collect()
    }
}

impl<'g> Expr<'g> {
    /// The graph it belongs to.
    pub fn graph(self) -> &'g Graph {
        self.graph
    }

    /// Its place in the graph, for storage.
    pub fn id(self) -> Id {
        self.id
    }

    /// Its outermost operation.
    pub fn node(self) -> Node {
        self.graph.arena().node(self.id).clone()
    }

    /// The exact number, if it is one.
    pub fn as_number(self) -> Option<Rational> {
        match self.node() {
            Node::Number(value) => Some(value),
            _ => None,
        }
    }

    /// The name, if it is a symbol.
    pub fn as_symbol(self) -> Option<Arc<str>> {
        self.graph.arena().symbol_name(self.id).cloned()
    }

    /// Is it exactly zero?
    pub fn is_zero(self) -> bool {
        matches!(self.node(), Node::Number(value) if value.is_zero())
    }

    /// Does it contain any of `symbols`?
    pub fn depends_on(self, symbols: &[Expr<'g>]) -> bool {
        self.graph.depend_on(&[self], symbols)[0]
    }

    fn map(self, build: impl FnOnce(&mut Arena, Id) -> Id) -> Expr<'g> {
        self.graph.make(|arena| build(arena, self.id))
    }

    /// The same value, computed as it is written: sums of it and other terms do not take it apart. What is read from one place,
    /// such as the position at the end of a step, is then computed once and not as a part of everything that depends on it.
    ///
    /// ```
    /// # use extremal_expr::Graph;
    /// let g = Graph::new();
    /// let (x, y) = (g.symbol("x"), g.symbol("y"));
    /// let whole = (x + y).grouped();
    /// assert_ne!(whole - y, x);
    /// assert_eq!(g.gradient(whole, &[x]), [g.int(1)]);
    /// assert_eq!(whole.substitute(&[(y, g.int(0))]), x);
    /// ```
    pub fn grouped(self) -> Expr<'g> {
        self.map(|a, x| a.group(x))
    }

    /// A function of this expression.
    pub fn call(self, function: Function) -> Expr<'g> {
        self.map(|a, x| a.call(function, x))
    }

    /// A function of a table of this expression.
    pub fn table(self, function: TableFunction) -> Expr<'g> {
        self.map(|a, x| a.table(function, x))
    }

    /// Sine.
    pub fn sin(self) -> Expr<'g> {
        self.call(Function::Sin)
    }

    /// Cosine.
    pub fn cos(self) -> Expr<'g> {
        self.call(Function::Cos)
    }

    /// Exponential.
    pub fn exp(self) -> Expr<'g> {
        self.call(Function::Exp)
    }

    /// Natural logarithm.
    pub fn log(self) -> Expr<'g> {
        self.call(Function::Log)
    }

    /// Absolute value.
    pub fn abs(self) -> Expr<'g> {
        self.call(Function::Abs)
    }

    /// Square root.
    pub fn sqrt(self) -> Expr<'g> {
        self.map(|a, x| a.root(x, 2))
    }

    /// Integer power.
    pub fn powi(self, exponent: i64) -> Expr<'g> {
        self.map(|a, x| a.product([(x, exponent)]))
    }

    /// Any power.
    pub fn pow(self, exponent: Expr<'g>) -> Expr<'g> {
        self.map(|a, x| a.power(x, exponent.id))
    }

    /// This expression with symbols replaced.
    pub fn substitute(self, rules: &[(Expr<'g>, Expr<'g>)]) -> Expr<'g> {
        self.graph.substitute(&[self], rules)[0]
    }
}

impl PartialEq for Expr<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.graph, other.graph)
    }
}

impl Eq for Expr<'_> {}

impl fmt::Debug for Expr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl<'g> $trait for Expr<'g> {
            type Output = Expr<'g>;
            fn $method(self, other: Expr<'g>) -> Expr<'g> {
                self.map(|a, x| a.$method(x, other.id))
            }
        }

        impl<'g> $trait<i64> for Expr<'g> {
            type Output = Expr<'g>;
            fn $method(self, other: i64) -> Expr<'g> {
                self.map(|a, x| {
                    let y = a.int(other);
                    a.$method(x, y)
                })
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl<'g> Neg for Expr<'g> {
    type Output = Expr<'g>;
    fn neg(self) -> Expr<'g> {
        self.map(|a, x| a.neg(x))
    }
}
