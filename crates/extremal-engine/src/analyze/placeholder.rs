//! Models whose motion is stated by `[discrete]` alone.

use extremal_expr::{Expr, Node};
use extremal_mechanics::System;
use extremal_mechanics::discrete::CustomDiscrete;
use extremal_model::Model;

/// Is it certain that the discrete Lagrangian of the model is no approximation of its Lagrangian? An approximation has
/// L_d(q, q + h v) = h L(q, v) + O(h²); over three points, L_d(q − h v + h² a/2, q, q + h v + h² a/2) = h L(q, v, a) + O(h²).
/// Both without constraints, which are stated beside either.
pub(super) fn is_placeholder(model: &Model) -> bool {
    let (g, system) = (model.graph(), System::of(model));
    let Some(CustomDiscrete::Stated(custom)) = CustomDiscrete::of(model, &system) else { return false };
    let ([first, last, third], [s_0, s_1], h) = (system.three_points(), system.entropy_ends(), system.step());
    let mut rules: Vec<(Expr<'_>, Expr<'_>)> = Vec::new();
    for (k, (first, last)) in first.iter().zip(&last).enumerate() {
        let (q, moved) = (system.q[k], h * system.v[k]);
        match custom.three_points {
            false => rules.extend([(*last, q + moved), (*first, q)]),
            true => {
                let bent = h.powi(2) * system.a[k] / 2;
                rules.extend([(*first, q - moved + bent), (*last, q), (third[k], q + moved + bent)]);
            }
        }
    }
    for (s, (before, after)) in system.heat.s.iter().zip(s_0.iter().zip(&s_1)) {
        rules.extend([(*before, *s), (*after, *s)]);
    }
    let step = custom.lagrangian.substitute(&rules);
    let step = g.expanded(step).unwrap_or(step);
    if divides_by(step, h) {
        return false;
    }
    let at_zero = [(h, g.int(0))];
    let start = step.substitute(&at_zero);
    let rate = g.gradient(step, &[h])[0].substitute(&at_zero);
    [start, rate - model.lagrangian()].into_iter().any(|rest| g.vanishes(rest, &[]) == Some(false))
}

/// Is there a negative power of `h`, so that nothing can be said at `h = 0`?
fn divides_by<'g>(f: Expr<'g>, h: Expr<'g>) -> bool {
    let g = f.graph();
    g.reachable(&[f.id()]).into_iter().any(|id| match g.expr(id).node() {
        Node::Product(factors) => factors.iter().any(|(base, e)| *e < 0 && g.expr(*base).depends_on(&[h])),
        _ => false,
    })
}
