//! Antiderivatives of simple terms, and potentials of gradients.

use extremal_expr::{Expr, Function, Graph, Node, Rational};

/// `∫ f dx` for a sum of terms that are powers, waves or exponentials of `x` times what does not depend on it.
pub(super) fn antiderivative<'g>(f: Expr<'g>, x: Expr<'g>) -> Option<Expr<'g>> {
    let g = f.graph();
    if !f.depends_on(&[x]) {
        return Some(f * x);
    }
    let expanded = g.expanded(f)?;
    let terms = match expanded.node() {
        Node::Sum { constant, terms } => {
            let scaled = terms.iter().map(|(id, c)| g.expr(*id) * g.rational(c.clone()));
            scaled.chain([g.rational(constant)]).collect()
        }
        _ => vec![expanded],
    };
    let integrals: Option<Vec<_>> = terms.into_iter().map(|term| of_term(term, x)).collect();
    Some(g.sum(integrals?))
}

fn of_term<'g>(term: Expr<'g>, x: Expr<'g>) -> Option<Expr<'g>> {
    let g = term.graph();
    if !term.depends_on(&[x]) {
        return Some(term * x);
    }
    let (factor, scale) = match term.node() {
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
            (g.expr(terms[0].0), g.rational(terms[0].1.clone()))
        }
        _ => (term, g.int(1)),
    };
    let factors = match factor.node() {
        Node::Product(factors) => factors.to_vec(),
        _ => vec![(factor.id(), 1)],
    };
    let (with, without): (Vec<_>, Vec<_>) = factors.into_iter().partition(|(base, _)| g.expr(*base).depends_on(&[x]));
    let [(base, exponent)] = with[..] else { return None };
    let rest = scale * g.product(without.into_iter().map(|(base, e)| g.expr(base).powi(e)));
    Some(rest * of_power(g.expr(base), exponent, x)?)
}

fn of_power<'g>(base: Expr<'g>, exponent: i64, x: Expr<'g>) -> Option<Expr<'g>> {
    let g = base.graph();
    if base == x {
        return match exponent {
            -1 => Some(x.log()),
            e => Some(x.powi(e + 1) / (e + 1)),
        };
    }
    // Functions of an argument that is linear in x.
    let slope_of = |u: Expr<'g>| {
        let slope = g.gradient(u, &[x])[0];
        (g.affine_in(&[u], &[x])[0] && !slope.is_zero()).then_some(slope)
    };
    match base.node() {
        Node::Call(function, u) => {
            let u = g.expr(u);
            let slope = slope_of(u)?;
            match (function, exponent) {
                (Function::Sin, 1) => Some(-u.cos() / slope),
                (Function::Cos, 1) => Some(u.sin() / slope),
                (Function::Exp, e) => Some(base.powi(e) / slope / e),
                (Function::Sinh, 1) => Some(u.call(Function::Cosh) / slope),
                (Function::Cosh, 1) => Some(u.call(Function::Sinh) / slope),
                _ => None,
            }
        }
        Node::Sum { .. } => {
            let slope = slope_of(base)?;
            (exponent != -1).then(|| base.powi(exponent + 1) / slope / (exponent + 1))
        }
        Node::Root(u, q) => {
            let (u, q) = (g.expr(u), i64::from(q));
            let slope = slope_of(u)?;
            let raised = Rational::new(exponent + q, q)?;
            (exponent + q != 0).then(|| base.powi(exponent + q) / slope / g.rational(raised))
        }
        _ => None,
    }
}

/// A function whose gradient by `variables` is `field`, if there is one that can be written down.
pub(crate) fn potential<'g>(g: &'g Graph, field: &[Expr<'g>], variables: &[Expr<'g>]) -> Option<Expr<'g>> {
    let mut sum = g.int(0);
    for (component, variable) in field.iter().zip(variables) {
        let rest = *component - g.gradient(sum, &[*variable])[0];
        let rest = g.expanded(rest).unwrap_or(rest);
        sum = sum + antiderivative(rest, *variable)?;
    }
    let slopes = g.gradient(sum, variables);
    let is_zero = |e: Expr<'g>| g.vanishes(e, &[]) == Some(true);
    let right = slopes.iter().zip(field).all(|(slope, component)| is_zero(*slope - *component));
    right.then(|| g.simplified(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn potentials_of_gradients_and_of_nothing_else() {
        let g = Graph::new();
        let [x, y, k, t] = ["x", "y", "k", "t"].map(|name| g.symbol(name));
        let potentials = [
            k * x.powi(2) / 2 + x * y,
            (k * x).sin() * 3 + y.exp(),
            x.powi(2) * y.powi(3) + (t * 2).cos() * x,
            (x + k).powi(3) / 3 + y.powi(-2),
        ];
        for expected in potentials {
            let field = g.gradient(expected, &[x, y]);
            let found = potential(&g, &field, &[x, y]).unwrap_or_else(|| panic!("{expected}"));
            let rest = g.gradient(found - expected, &[x, y]);
            assert!(rest.iter().all(|slope| g.proves_zero(*slope)), "{found} for {expected}");
        }
        assert_eq!(potential(&g, &[-y, x], &[x, y]), None);
    }
}
