//! Derivatives and sizes of sums that are written by one another, as those along a chain: as few as the sums, and the same numbers.

use extremal_expr::{Expr, Graph, magnitude, magnitudes};

/// Sums from the first term on, each written by the one before it; and the terms.
fn chain(g: &Graph, links: usize) -> (Vec<Expr<'_>>, Vec<Expr<'_>>) {
    let terms: Vec<_> = (0..links).map(|k| g.symbol(&format!("a{k}")).sin() * g.symbol(&format!("b{k}"))).collect();
    let mut sums = vec![terms[0] + terms[1]];
    for term in &terms[2..] {
        sums.push(sums[sums.len() - 1].grouped() - *term);
    }
    (sums, terms)
}

fn values(g: &Graph, all: &[Expr<'_>]) -> Vec<f64> {
    // Something else for every name, of size one.
    let value = |name: &str| name.bytes().map(f64::from).reduce(|hash, byte| (1.7 * hash + byte) % 2.9 - 1.3);
    g.evaluate(all, value)
}

fn assert_same(g: &Graph, ours: &[Expr<'_>], expected: &[Expr<'_>]) {
    for (ours, expected) in values(g, ours).into_iter().zip(values(g, expected)) {
        // A few hundred terms of size one, in another order.
        assert!((ours - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{ours} instead of {expected}");
    }
}

#[test]
fn derivatives_along_a_chain_are_sums_along_it() {
    let g = Graph::new();
    let n = 60;
    let (sums, terms) = chain(&g, n);
    let rates: Vec<_> = (0..n).map(|k| g.symbol(&format!("b{k}"))).collect();
    // The same with every sum written out.
    let written =
        (2..=n).map(|k| g.sum(terms[..k].iter().enumerate().map(|(at, term)| if at < 2 { *term } else { -*term })));
    let flat = g.sum(written.map(|sum| sum.powi(2)));
    let energy = g.sum(sums.iter().map(|sum| sum.powi(2)));
    let before = g.len();
    let slopes = g.gradient(energy, &rates);
    assert!(g.len() - before < 12 * n, "{} nodes for a gradient", g.len() - before);
    assert_same(&g, &slopes, &g.gradient(flat, &rates));
    let angles: Vec<_> = (0..n).map(|k| (g.symbol(&format!("a{k}")), rates[k])).collect();
    let before = g.len();
    let turned = g.directional(&slopes, &angles);
    assert!(g.len() - before < 40 * n, "{} nodes for the rates of a gradient", g.len() - before);
    assert_same(&g, &turned, &g.directional(&g.gradient(flat, &rates), &angles));
}

#[test]
fn sizes_along_a_chain_are_sums_along_it() {
    let g = Graph::new();
    let n = 60;
    let (sums, terms) = chain(&g, n);
    let before = g.len();
    let sizes = magnitudes(&sums);
    assert!(g.len() - before < 12 * n, "{} nodes for the sizes", g.len() - before);
    let expected: Vec<_> = (2..=n).map(|k| g.sum(terms[..k].iter().map(|term| magnitude(*term)))).collect();
    let by_value: Vec<_> = (2..=n).map(|k| g.sum(terms[..k].iter().map(|term| term.abs()))).collect();
    // Deep inside, terms count by their values instead of what round-off of an argument makes of them.
    let bounds = values(&g, &by_value).into_iter().zip(values(&g, &expected));
    for (size, (least, most)) in values(&g, &sizes).into_iter().zip(bounds) {
        assert!(size >= least * (1.0 - 1e-12) && size <= most * (1.0 + 1e-12), "{least} {size} {most}");
    }
}

/// As many as a user may have bodies: nothing calls itself for each of them.
#[test]
fn long_chains_need_no_stack() {
    let g = Graph::new();
    let (sums, _) = chain(&g, 100_000);
    let last = sums[sums.len() - 1];
    assert!(values(&g, &[magnitude(last)])[0].is_finite());
    assert_eq!(g.gradient(last.powi(2), &[g.symbol("b0")]).len(), 1);
    assert!(g.nested_sums(&[last.exp()], 1).is_some());
}
