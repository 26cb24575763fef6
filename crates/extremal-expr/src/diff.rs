//! Derivatives on the graph: gradients of scalars by reverse accumulation, Jacobians and directional derivatives forward.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::build::Arena;
use crate::function::{Function, Function2};
use crate::graph::{Expr, Graph};
use crate::node::{Id, Node};
use crate::rational::Rational;

impl Graph {
    /// The gradient of the scalar `f` by `variables` (symbols), by reverse accumulation: a small multiple of the cost of `f`.
    pub fn gradient<'g>(&'g self, f: Expr<'g>, variables: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let variables: Vec<Id> = variables.iter().map(|e| e.id()).collect();
        let ids = self.with(|arena| reverse(arena, f.id(), &variables));
        self.exprs(&ids)
    }

    /// The Jacobian of `functions` by `variables` (symbols) as sparse rows `(column, derivative)`, columns increasing, zeros left out.
    ///
    /// ```
    /// # use extremal_expr::Graph;
    /// let g = Graph::new();
    /// let (x, y) = (g.symbol("x"), g.symbol("y"));
    /// let rows = g.jacobian(&[x * y, y.exp()], &[x, y]);
    /// assert_eq!(rows, [vec![(0, y), (1, x)], vec![(1, y.exp())]]);
    /// ```
    pub fn jacobian<'g>(&'g self, functions: &[Expr<'g>], variables: &[Expr<'g>]) -> Vec<Vec<(usize, Expr<'g>)>> {
        let rows = self.with(|arena| {
            let one = arena.int(1);
            let seeds = variables.iter().enumerate().map(|(column, v)| (v.id(), vec![(column as u32, one)])).collect();
            forward(arena, functions, seeds)
        });
        rows.into_iter()
            .map(|row| row.into_iter().map(|(column, id)| (column as usize, self.expr(id))).collect())
            .collect()
    }

    /// `Σ ∂f/∂symbol · direction` for each function: with the velocities as direction this is a total time derivative.
    pub fn directional<'g>(&'g self, functions: &[Expr<'g>], direction: &[(Expr<'g>, Expr<'g>)]) -> Vec<Expr<'g>> {
        let ids = self.with(|arena| {
            let seeds = direction.iter().map(|(symbol, by)| (symbol.id(), vec![(0, by.id())])).collect();
            let zero = arena.int(0);
            let rows = forward(arena, functions, seeds);
            rows.into_iter().map(|row| row.first().map_or(zero, |(_, id)| *id)).collect::<Vec<_>>()
        });
        self.exprs(&ids)
    }
}

fn reverse(arena: &mut Arena, f: Id, variables: &[Id]) -> Vec<Id> {
    let nodes = arena.reachable([f]);
    let active = arena.dependent(&nodes, variables.iter().copied());
    let mut adjoints: FxHashMap<Id, Vec<SlopeContribution>> = FxHashMap::default();
    let one = arena.int(1);
    adjoints.insert(f, vec![SlopeContribution { mask: None, value: one, coefficient: Rational::ONE }]);
    let mut partials = Vec::new();
    for id in nodes.iter().rev().filter(|id| active.contains(id)) {
        let node = arena.node(*id).clone();
        if matches!(node, Node::Symbol(_)) {
            continue;
        }
        let Some(contributions) = adjoints.remove(id) else { continue };
        let (mask, mut adjoint) = merge(arena, contributions);
        if is_nested(arena, &node) {
            adjoint = arena.group(adjoint);
        }
        if let Node::Sum { terms, .. } = &node {
            for (term, c) in terms.iter().filter(|(term, _)| active.contains(term)) {
                adjoints.entry(*term).or_default().push(SlopeContribution {
                    mask,
                    value: adjoint,
                    coefficient: c.clone(),
                });
            }
            continue;
        }
        partials.clear();
        local_partials(arena, *id, &node, &active, &mut partials);
        for (child, partial) in &partials {
            let (mask, value) = match partial {
                Partial::Factor(factor) => (mask, arena.mul(adjoint, *factor)),
                Partial::Branch { condition, taken } => {
                    let condition = if *taken { *condition } else { arena.not(*condition) };
                    (Some(mask.map_or(condition, |mask| arena.and(mask, condition))), adjoint)
                }
            };
            adjoints.entry(*child).or_default().push(SlopeContribution { mask, value, coefficient: Rational::ONE });
        }
    }
    let mut gradient = Vec::with_capacity(variables.len());
    for variable in variables {
        let (mask, adjoint) = merge(arena, adjoints.get(variable).cloned().unwrap_or_default());
        gradient.push(mask.map_or(adjoint, |mask| masked(arena, mask, adjoint)));
    }
    gradient
}

/// Is it a sum that is written by another one, as those along a chain are? Then so are its derivatives: they are as few as the sums.
fn is_nested(arena: &Arena, node: &Node) -> bool {
    let Node::Grouped(sum) = node else { return false };
    let Node::Sum { terms, .. } = arena.node(*sum) else { return false };
    terms.iter().any(|(term, c)| c.abs().is_one() && matches!(arena.node(*term), Node::Grouped(_)))
}

/// A part of an adjoint: `coefficient·value` where `mask`, if any, holds; nothing elsewhere, whatever the value is there. The
/// mask is applied last, because a factor of a branch not taken may be undefined, and zero times undefined is not zero.
#[derive(Clone)]
struct SlopeContribution {
    mask: Option<Id>,
    value: Id,
    coefficient: Rational,
}

/// The sum of contributions and where it counts.
fn merge(arena: &mut Arena, mut contributions: Vec<SlopeContribution>) -> (Option<Id>, Id) {
    contributions.sort_by_key(|c| c.mask);
    let sums: Vec<(Option<Id>, Id)> = contributions
        .chunk_by(|a, b| a.mask == b.mask)
        .map(|same| (same[0].mask, arena.sum(same.iter().map(|c| (c.value, c.coefficient.clone())))))
        .collect();
    match sums.as_slice() {
        [] => (None, arena.int(0)),
        [alone] => *alone,
        [(Some(a), of_a), (Some(b), of_b)] => {
            // The two branches of one conditional.
            if let Some((outer, condition)) = complementary(arena, *a, *b) {
                return (outer, arena.select(condition, *of_a, *of_b));
            }
            if let Some((outer, condition)) = complementary(arena, *b, *a) {
                return (outer, arena.select(condition, *of_b, *of_a));
            }
            let (in_a, in_b) = (masked(arena, *a, *of_a), masked(arena, *b, *of_b));
            (Some(arena.or(*a, *b)), arena.add(in_a, in_b))
        }
        several => {
            let anywhere = several.iter().map(|(mask, _)| *mask).reduce(|a, b| Some(arena.or(a?, b?))).flatten();
            let parts: Vec<_> = several
                .iter()
                .map(|(mask, value)| (mask.map_or(*value, |mask| masked(arena, mask, *value)), Rational::ONE))
                .collect();
            (anywhere, arena.sum(parts))
        }
    }
}

/// `value` where `mask` holds, else zero.
fn masked(arena: &mut Arena, mask: Id, value: Id) -> Id {
    let zero = arena.int(0);
    match *arena.node(mask) {
        Node::Not(opposite) => arena.select(opposite, zero, value),
        _ => arena.select(mask, value, zero),
    }
}

/// If `a` is `outer and c` and `b` is `outer and not c`: that `outer` (`None`: everywhere) and `c`.
fn complementary(arena: &Arena, a: Id, b: Id) -> Option<(Option<Id>, Id)> {
    match (arena.node(a), arena.node(b)) {
        (_, Node::Not(opposite)) if *opposite == a => Some((None, a)),
        (Node::And(outer, c), Node::And(other, not_c)) if outer == other => {
            matches!(arena.node(*not_c), Node::Not(opposite) if opposite == c).then_some((Some(*outer), *c))
        }
        _ => None,
    }
}

/// A sparse gradient: columns increasing.
type SparseRow = Vec<(u32, Id)>;

fn forward(arena: &mut Arena, functions: &[Expr<'_>], seeds: FxHashMap<Id, SparseRow>) -> Vec<SparseRow> {
    let nodes = arena.reachable(functions.iter().map(|e| e.id()));
    let active = arena.dependent(&nodes, seeds.keys().copied());
    let mut columns = RowContributions::for_rows(seeds.values());
    let mut rows = seeds;
    let mut partials = Vec::new();
    for id in nodes.iter().filter(|id| active.contains(id)) {
        if rows.contains_key(id) {
            continue;
        }
        let node = arena.node(*id).clone();
        if let Node::Sum { terms, .. } = &node {
            for (term, c) in terms.iter() {
                let Some(row) = rows.get(term) else { continue };
                row.iter().for_each(|(column, d)| columns.add(*column, *d, c));
            }
        } else {
            partials.clear();
            local_partials(arena, *id, &node, &active, &mut partials);
            for (child, partial) in &partials {
                let Some(row) = rows.get(child) else { continue };
                for (column, d) in row {
                    let value = match partial {
                        Partial::Factor(factor) => arena.mul(*factor, *d),
                        Partial::Branch { condition, taken } => {
                            let zero = arena.int(0);
                            let (then, otherwise) = if *taken { (*d, zero) } else { (zero, *d) };
                            arena.select(*condition, then, otherwise)
                        }
                    };
                    columns.add(*column, value, &Rational::ONE);
                }
            }
        }
        let mut row = columns.take_row(arena);
        if is_nested(arena, &node) {
            row.iter_mut().for_each(|(_, value)| *value = arena.group(*value));
        }
        rows.insert(*id, row);
    }
    functions.iter().map(|e| rows.get(&e.id()).cloned().unwrap_or_default()).collect()
}

/// The contributions to one sparse row, by column. Terms of a sum often contribute the same derivative again and again, so
/// equal neighbours are merged as they come.
struct RowContributions {
    sums: Vec<Vec<(Id, Rational)>>,
    used: Vec<u32>,
}

impl RowContributions {
    fn for_rows<'r>(rows: impl Iterator<Item = &'r SparseRow>) -> RowContributions {
        let count = rows.flatten().map(|(column, _)| *column as usize + 1).max().unwrap_or(0);
        RowContributions { sums: vec![Vec::new(); count], used: Vec::new() }
    }

    fn add(&mut self, column: u32, value: Id, coefficient: &Rational) {
        let sum = &mut self.sums[column as usize];
        match sum.last_mut() {
            Some((last, c)) if *last == value => *c = &*c + coefficient,
            Some(_) => sum.push((value, coefficient.clone())),
            None => {
                self.used.push(column);
                sum.push((value, coefficient.clone()));
            }
        }
    }

    /// The row, zeros left out; nothing stays behind.
    fn take_row(&mut self, arena: &mut Arena) -> SparseRow {
        self.used.sort_unstable();
        let mut row = SparseRow::with_capacity(self.used.len());
        for column in self.used.drain(..) {
            let value = arena.sum(self.sums[column as usize].drain(..));
            if !matches!(arena.node(value), Node::Number(v) if v.is_zero()) {
                row.push((column, value));
            }
        }
        row
    }
}

/// ∂node/∂child: a factor, or "one where this branch of a conditional is taken".
enum Partial {
    Factor(Id),
    Branch { condition: Id, taken: bool },
}

/// The partial derivatives of `node` (not a sum) by its active children.
fn local_partials(arena: &mut Arena, id: Id, node: &Node, active: &FxHashSet<Id>, out: &mut Vec<(Id, Partial)>) {
    let mut factor = |child: Id, value: Id| out.push((child, Partial::Factor(value)));
    match node {
        Node::Product(factors) => {
            for (at, (base, exponent)) in factors.iter().enumerate().filter(|(_, (base, _))| active.contains(base)) {
                let lowered = factors.iter().enumerate().map(|(i, (b, e))| (*b, if i == at { e - 1 } else { *e }));
                let rest = arena.product(lowered.collect::<Vec<_>>());
                factor(*base, arena.scale(rest, &Rational::from(*exponent)));
            }
        }
        Node::Root(a, q) => {
            let power = arena.product([(id, 1 - i64::from(*q))]);
            factor(*a, arena.scale(power, &Rational::new(1, i64::from(*q)).unwrap_or(Rational::ZERO)));
        }
        Node::Power(a, b) => {
            if active.contains(a) {
                let one = arena.int(1);
                let lowered = arena.sub(*b, one);
                let power = arena.power(*a, lowered);
                factor(*a, arena.mul(*b, power));
            }
            if active.contains(b) {
                let log = arena.call(Function::Log, *a);
                factor(*b, arena.mul(id, log));
            }
        }
        Node::Call(f, a) => factor(*a, f.slope(arena, *a, id)),
        Node::Table(f, a) => match f.slope() {
            Some(slope) => factor(*a, arena.table(slope, *a)),
            None => factor(*a, arena.int(0)),
        },
        Node::Grouped(a) => factor(*a, arena.int(1)),
        Node::Call2(Function2::Atan2, y, x) => {
            let (xx, yy) = (arena.product([(*x, 2)]), arena.product([(*y, 2)]));
            let square = arena.add(xx, yy);
            if active.contains(y) {
                factor(*y, arena.div(*x, square));
            }
            if active.contains(x) {
                let ratio = arena.div(*y, square);
                factor(*x, arena.neg(ratio));
            }
        }
        Node::Call2(f @ (Function2::Min | Function2::Max), a, b) => {
            let condition = arena.takes_second(*f, *a, *b);
            branches(condition, *b, *a, active, out);
        }
        Node::Select(condition, then, otherwise) => branches(*condition, *then, *otherwise, active, out),
        // Leaves, conditions (locally constant) and sums, which the callers treat themselves.
        _ => {}
    }
}

fn branches(condition: Id, then: Id, otherwise: Id, active: &FxHashSet<Id>, out: &mut Vec<(Id, Partial)>) {
    for (child, taken) in [(then, true), (otherwise, false)] {
        if active.contains(&child) {
            out.push((child, Partial::Branch { condition, taken }));
        }
    }
}
