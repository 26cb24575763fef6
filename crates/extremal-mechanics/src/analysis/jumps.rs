//! What jumps, as the limit of what is steep: a Lagrangian that jumps where a body passes has no slope there but a kick, and a
//! function that jumps changes although its rate is zero wherever it has one.

use std::collections::HashMap;

use extremal_expr::{Expr, Function, Id, Node, Relation};

/// The functions with something smooth in the place of every `sign` and `if` that `moving` decide; `None` where there is none.
/// What holds for any smooth transition holds at the jump.
pub(super) fn with_slopes<'g>(functions: &[Expr<'g>], moving: &[Expr<'g>]) -> Option<Vec<Expr<'g>>> {
    let g = functions.first()?.graph();
    let mut functions = functions.to_vec();
    let mut found = false;
    loop {
        let ids: Vec<Id> = functions.iter().map(|f| f.id()).collect();
        // Children come first, so that what stands inside is smooth already.
        let jump = g.reachable(&ids).into_iter().map(|id| g.expr(id)).find_map(|e| {
            let (slope, decided) = match e.node() {
                Node::Call(Function::Sign, u) => (g.expr(u).call(Function::Tanh), g.expr(u)),
                Node::Select(condition, then, otherwise) => {
                    let (then, otherwise) = (g.expr(then), g.expr(otherwise));
                    (otherwise + (then - otherwise) * share(g.expr(condition)), g.expr(condition))
                }
                _ => return None,
            };
            decided.depends_on(moving).then_some((e, slope))
        });
        match jump {
            Some(rule) => functions = g.substitute(&functions, &[rule]),
            None => return found.then_some(functions),
        }
        found = true;
    }
}

/// A number between 0 and 1 that is near 1 where a condition holds by far.
fn share(condition: Expr<'_>) -> Expr<'_> {
    let g = condition.graph();
    let one = g.int(1);
    let mut shares: HashMap<Id, Expr<'_>> = HashMap::new();
    for id in g.reachable(&[condition.id()]) {
        let of = |id: &Id| shares.get(id).copied().unwrap_or(one);
        let value = match g.expr(id).node() {
            Node::Compare(Relation::Lt | Relation::Le, a, b) => ((g.expr(b) - g.expr(a)).call(Function::Tanh) + 1) / 2,
            Node::Compare(Relation::Eq, a, b) => (-(g.expr(a) - g.expr(b)).powi(2)).exp(),
            Node::Compare(Relation::Ne, a, b) => one - (-(g.expr(a) - g.expr(b)).powi(2)).exp(),
            Node::And(a, b) => of(&a) * of(&b),
            Node::Or(a, b) => one - (one - of(&a)) * (one - of(&b)),
            Node::Not(a) => one - of(&a),
            Node::Truth(holds) => g.int(i64::from(holds)),
            // Parts of what is compared.
            _ => continue,
        };
        shares.insert(id, value);
    }
    shares.get(&condition.id()).copied().unwrap_or(one)
}
