//! Sums over all pairs of like members in a Lagrangian, and what a step has to do with them.
//!
//! Such a sum is never written out in the formulas of a method. In its place the Lagrangian gets a *stand-in* for each coordinate, a
//! function of that coordinate alone which is its own slope; wherever a step has this slope it needs the force of all pairs, at the place
//! that the slope is taken at. So any method says, by its own formulas, where it wants the forces and what it does with them.

use extremal_expr::{Expr, Function, Graph, Id, Node};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::System;

/// A Lagrangian of like members that has the same term for every pair of them.
pub struct PairSum<'g> {
    /// The Lagrangian without these terms.
    pub rest: Expr<'g>,
    /// The term of one pair.
    pub term: Expr<'g>,
    /// The pair.
    pub pair: [usize; 2],
    /// The families of coordinates in it.
    pub moving: Vec<usize>,
}

impl<'g> PairSum<'g> {
    /// Finds the terms of pairs in the Lagrangian of a system whose coordinates are families of so many members, each with `data` of
    /// its own. `None` if there are none, if a pair has another term than the others, or if velocities or the time are in it.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::{PairSum, System};
    /// let g = Graph::new();
    /// let (x, v) = (["x[1]", "x[2]", "x[3]"].map(|name| g.symbol(name)), ["x[1]'", "x[2]'", "x[3]'"].map(|name| g.symbol(name)));
    /// let spring = |i: usize, j: usize| -(x[i] - x[j]).powi(4);
    /// let alone = g.sum((0..3).map(|i| v[i].powi(2) / 2 - x[i].cos()));
    /// let system = System::new(&g, &["x[1]", "x[2]", "x[3]"], alone + spring(0, 1) + spring(0, 2) + spring(1, 2));
    /// let found = PairSum::find(&system, 3, &[]).unwrap();
    /// assert_eq!((found.rest, found.term), (alone, spring(found.pair[0], found.pair[1])));
    /// ```
    pub fn find(system: &System<'g>, members: usize, data: &[Vec<Expr<'g>>]) -> Option<PairSum<'g>> {
        let g = system.graph;
        if members < 3 || !system.len().is_multiple_of(members) {
            return None;
        }
        let mut member_of: FxHashMap<Id, usize> = FxHashMap::default();
        for family in
            [&system.q, &system.v].into_iter().flat_map(|all| all.chunks(members)).chain(data.iter().map(Vec::as_slice))
        {
            member_of.extend(family.iter().enumerate().map(|(member, symbol)| (symbol.id(), member)));
        }
        let members_in = |term: &Expr<'g>| -> FxHashSet<usize> {
            g.free_symbols(&[*term]).iter().filter_map(|symbol| member_of.get(&symbol.id()).copied()).collect()
        };
        let moved: Vec<Expr<'g>> = system.q.iter().chain(&system.v).copied().collect();
        let mut terms: FxHashMap<Id, usize> = FxHashMap::default();
        let pair = [members / 4, members * 3 / 4];
        let mut of_pair = Vec::new();
        for term in summands(system.lagrangian, &moved) {
            *terms.entry(term.id()).or_default() += 1;
            let there = members_in(&term);
            if there.len() == 2 && pair.iter().all(|member| there.contains(member)) {
                of_pair.push(term);
            }
        }
        let term = g.sum(of_pair.iter().copied());
        if of_pair.is_empty() || term.depends_on(&system.v) || term.depends_on(&[system.t]) {
            return None;
        }
        for first in 0..members {
            for second in first + 1..members {
                let rules = exchange(system, members, data, pair, [first, second]);
                for term in g.substitute(&of_pair, &rules) {
                    match terms.get_mut(&term.id()) {
                        Some(count) if *count > 0 => *count -= 1,
                        _ => return None,
                    }
                }
            }
        }
        let rest = terms.into_iter().flat_map(|(term, count)| std::iter::repeat_n(term, count));
        let mut rest: Vec<Id> = rest.collect();
        rest.sort_unstable();
        let of_pair = |family: &&[Expr<'g>]| term.depends_on(&pair.map(|member| family[member]));
        let moving = system.q.chunks(members).enumerate().filter(|(_, family)| of_pair(family)).map(|(at, _)| at);
        Some(PairSum { rest: g.sum(g.exprs(&rest)), term, pair, moving: moving.collect() })
    }

    /// The system with stand-ins for the terms of pairs, and the marks of these, by family of coordinates and member.
    pub fn stood_in_for(&self, system: &System<'g>, members: usize) -> (System<'g>, Vec<Vec<Expr<'g>>>) {
        let g = system.graph;
        let families = self.moving.iter().map(|family| &system.q[family * members..(family + 1) * members]);
        // No name that a user can write.
        let marks: Vec<Vec<Expr<'g>>> = families
            .clone()
            .map(|family| family.iter().map(|q| g.symbol(&format!("pairs of {q}"))).collect())
            .collect();
        let stand_ins = families.flatten().zip(marks.iter().flatten()).map(|(q, mark)| (*q + *mark).exp());
        let lagrangian = self.rest + g.sum(stand_ins.collect::<Vec<_>>());
        (system.with_lagrangian(lagrangian), marks)
    }
}

/// The numbers of one pair in the place of those of another.
fn exchange<'g>(
    system: &System<'g>,
    members: usize,
    data: &[Vec<Expr<'g>>],
    from: [usize; 2],
    to: [usize; 2],
) -> Vec<(Expr<'g>, Expr<'g>)> {
    let families = system.q.chunks(members).chain(data.iter().map(Vec::as_slice));
    families.flat_map(|family| [0, 1].map(|side| (family[from[side]], family[to[side]]))).collect()
}

/// One evaluation of the forces of all pairs: by family of coordinates and member.
#[derive(Clone, Debug)]
pub struct ForceStage {
    /// Where they are taken, in what is given and the symbols of the stages before.
    pub places: Vec<Vec<Id>>,
    /// The symbols of these places in later formulas.
    pub place_symbols: Vec<Vec<Id>>,
    /// The symbols of the forces in later formulas.
    pub forces: Vec<Vec<Id>>,
}

/// Explicit formulas with stand-ins, as evaluations of forces one after the other and what is made of them.
#[derive(Clone, Debug)]
pub struct StagedFormulas {
    /// Each may use those before it.
    pub stages: Vec<ForceStage>,
    /// The results, in what is given and the symbols of the stages.
    pub results: Vec<Id>,
}

impl StagedFormulas {
    /// `None` if forces are wanted at two places that do not follow from each other, or not of all members alike.
    pub fn of(g: &Graph, results: &[Id], marks: &[Vec<Expr<'_>>]) -> Option<StagedFormulas> {
        let members = marks.first().map_or(0, Vec::len);
        let all_marks = marks.iter().flatten().enumerate();
        let places: FxHashMap<Id, usize> = all_marks.map(|(at, mark)| (mark.id(), at)).collect();
        let mut depth: FxHashMap<Id, usize> = FxHashMap::default();
        let mut calls: Vec<Vec<Option<(Id, Id)>>> = Vec::new();
        for id in g.reachable(results) {
            let node = g.expr(id).node();
            let mut below = 0;
            node.for_each_child(|child| below = below.max(depth[&child]));
            if let Some((at, argument)) = stand_in(g, &node, &places) {
                below += 1;
                calls.resize(calls.len().max(below), vec![None; places.len()]);
                if calls[below - 1][at].replace((id, argument)).is_some() {
                    return None;
                }
            }
            depth.insert(id, below);
        }
        let mut rules: Vec<(Expr<'_>, Expr<'_>)> = Vec::new();
        let mut stages = Vec::new();
        for (stage, calls) in calls.into_iter().enumerate() {
            let calls: Vec<(Id, Id)> = calls.into_iter().collect::<Option<_>>()?;
            let arguments: Vec<Expr<'_>> = calls
                .iter()
                .zip(marks.iter().flatten())
                .map(|((_, argument), mark)| g.expr(*argument) - g.expr(mark.id()))
                .collect();
            let written = g.substitute(&arguments, &rules);
            let named = |what: &str| -> Vec<Expr<'_>> {
                (0..calls.len()).map(|at| g.symbol(&format!("{what} {stage} {at}"))).collect()
            };
            let (place_symbols, forces) = (named("place of pairs"), named("force of pairs"));
            rules.extend(calls.iter().zip(&forces).map(|((call, _), force)| (g.expr(*call), *force)));
            let computed = arguments.iter().zip(&place_symbols).filter(|(place, _)| place.as_symbol().is_none());
            for (place, symbol) in computed {
                rules.push((*place, *symbol));
                // Kept together where others depend on it, the same number is the position at the end as it is.
                if let Node::Grouped(whole) = place.node() {
                    rules.push((g.expr(whole), *symbol));
                }
            }
            let by_family = |list: &[Expr<'_>]| {
                list.chunks(members).map(|family| family.iter().map(|e| e.id()).collect()).collect()
            };
            stages.push(ForceStage {
                places: by_family(&written),
                place_symbols: by_family(&place_symbols),
                forces: by_family(&forces),
            });
        }
        let results = g.substitute(&g.exprs(results), &rules);
        let left: Vec<Expr<'_>> = marks.iter().flatten().map(|mark| g.expr(mark.id())).collect();
        let places = stages.iter().flat_map(|stage| stage.places.iter().flatten());
        let written: Vec<Expr<'_>> = results.iter().copied().chain(places.map(|id| g.expr(*id))).collect();
        let whole = !g.depend_on(&written, &left).contains(&true);
        whole.then(|| StagedFormulas { stages, results: results.iter().map(|e| e.id()).collect() })
    }
}

/// The mark of a stand-in, by its place among all, and what the stand-in is taken of, the mark included.
fn stand_in(g: &Graph, node: &Node, marks: &FxHashMap<Id, usize>) -> Option<(usize, Id)> {
    let Node::Call(Function::Exp, argument) = node else { return None };
    let Node::Sum { terms, .. } = g.expr(*argument).node() else { return None };
    let mark = terms.iter().find_map(|(id, coefficient)| marks.get(id).filter(|_| coefficient.is_one()))?;
    Some((*mark, *argument))
}

/// The terms that add up to an expression; a factor without any of the `moving` symbols is taken into them.
pub fn summands<'g>(sum: Expr<'g>, moving: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let g = sum.graph();
    let mut found = Vec::new();
    let mut stack = vec![(g.int(1), sum)];
    while let Some((factor, e)) = stack.pop() {
        match e.node() {
            Node::Sum { constant, terms } => {
                stack.extend(terms.iter().map(|(id, c)| (factor * g.rational(c.clone()), g.expr(*id))));
                found.extend((!constant.is_zero()).then(|| factor * g.rational(constant)));
            }
            Node::Product(factors) => match only_sum(g, &factors, moving) {
                Some((others, sum)) => stack.push((factor * others, sum)),
                None => found.push(factor * e),
            },
            _ => found.push(factor * e),
        }
    }
    found
}

/// A product of which only one factor, a sum, has moving symbols in it: the other factors, and that sum.
fn only_sum<'g>(g: &'g Graph, factors: &[(Id, i64)], moving: &[Expr<'g>]) -> Option<(Expr<'g>, Expr<'g>)> {
    let bases: Vec<Expr<'g>> = factors.iter().map(|(id, _)| g.expr(*id)).collect();
    let moves = g.depend_on(&bases, moving);
    let at = moves.iter().position(|moves| *moves)?;
    let alone = moves.iter().filter(|moves| **moves).count() == 1 && factors[at].1 == 1;
    let others = bases.iter().zip(factors).enumerate().filter(|(place, _)| *place != at);
    let others = others.map(|(_, (base, (_, power)))| base.powi(*power));
    (alone && matches!(bases[at].node(), Node::Sum { .. })).then(|| (g.product(others), bases[at]))
}
