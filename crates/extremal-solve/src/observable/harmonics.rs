//! Polynomials of sines and cosines as sums of single ones, whose bounds are then near their true range: cos²(x) is between 0 and 1, and
//! cos(x) cos(y) + sin(x) sin(y), as cos(x - y), between -1 and 1.

use extremal_expr::{Expr, Function, Graph, Node};

/// Longer sums are left as they are.
const MOST_TERMS: usize = 64;
/// So are higher powers,
const LARGEST_EXPONENT: i64 = 8;
/// what is nested deeper, and what has more parts.
const DEEPEST: usize = 32;
const MOST_PARTS: usize = 4096;

/// `factor · cos(angle)` or `factor · sin(angle)`; a constant is the cosine of nothing.
#[derive(Clone, Copy)]
struct Harmonic<'g> {
    factor: Expr<'g>,
    angle: Expr<'g>,
    sine: bool,
}

/// The same expression as a sum of single sines and cosines, where it is a polynomial of a few of them.
pub(super) fn harmonics<'g>(g: &'g Graph, e: Expr<'g>) -> Expr<'g> {
    let Some(sum) = expanded(g, e, DEEPEST, &mut { MOST_PARTS }) else { return e };
    g.sum(sum.into_iter().map(|Harmonic { factor, angle, sine }| factor * if sine { angle.sin() } else { angle.cos() }))
}

fn expanded<'g>(g: &'g Graph, e: Expr<'g>, depth: usize, parts: &mut usize) -> Option<Vec<Harmonic<'g>>> {
    let depth = depth.checked_sub(1)?;
    *parts = parts.checked_sub(1)?;
    let one = |factor: Expr<'g>, angle: Expr<'g>, sine: bool| vec![Harmonic { factor, angle, sine }];
    let sum = match e.node() {
        Node::Call(Function::Sin, angle) => one(g.int(1), g.expr(angle), true),
        Node::Call(Function::Cos, angle) => one(g.int(1), g.expr(angle), false),
        Node::Sum { constant, terms } => {
            let mut sum = one(g.rational(constant), g.int(0), false);
            for (term, coefficient) in terms.iter() {
                let coefficient = g.rational(coefficient.clone());
                let term = expanded(g, g.expr(*term), depth, parts)?.into_iter();
                sum.extend(term.map(|h| Harmonic { factor: h.factor * coefficient, ..h }));
            }
            sum
        }
        Node::Product(factors) => {
            let mut product = one(g.int(1), g.int(0), false);
            for (base, exponent) in factors.iter() {
                let base = g.expr(*base);
                let factor = expanded(g, base, depth, parts)?;
                let constant = matches!(factor[..], [Harmonic { angle, sine: false, .. }] if angle.is_zero());
                if constant || *exponent < 0 {
                    product.iter_mut().for_each(|h| h.factor = h.factor * base.powi(*exponent));
                    continue;
                }
                if *exponent > LARGEST_EXPONENT {
                    return None;
                }
                for _ in 0..*exponent {
                    product = times(g, &product, &factor)?;
                }
            }
            product
        }
        _ => one(e, g.int(0), false),
    };
    gathered(g, sum)
}

fn times<'g>(g: &'g Graph, a: &[Harmonic<'g>], b: &[Harmonic<'g>]) -> Option<Vec<Harmonic<'g>>> {
    if a.len() * b.len() > MOST_TERMS {
        return None;
    }
    let products = a.iter().flat_map(|x| b.iter().map(move |y| (x, y))).flat_map(|(x, y)| {
        let half = x.factor * y.factor / 2;
        let (sum, difference) = (x.angle + y.angle, x.angle - y.angle);
        let (of_sum, of_difference, sine) = match (x.sine, y.sine) {
            (false, false) => (half, half, false),
            (true, true) => (-half, half, false),
            (true, false) => (half, half, true),
            (false, true) => (half, -half, true),
        };
        [Harmonic { factor: of_sum, angle: sum, sine }, Harmonic { factor: of_difference, angle: difference, sine }]
    });
    gathered(g, products.collect())
}

/// One term for each angle and its opposite; sums inside factors are multiplied out, so that they cancel.
fn gathered<'g>(g: &'g Graph, sum: Vec<Harmonic<'g>>) -> Option<Vec<Harmonic<'g>>> {
    let mut all: Vec<Harmonic<'g>> = Vec::new();
    for term in sum {
        if term.sine && term.angle.is_zero() {
            continue;
        }
        let same = all.iter_mut().find(|other| {
            other.sine == term.sine && (other.angle == term.angle || (other.angle + term.angle).is_zero())
        });
        match same {
            Some(other) if other.sine && other.angle != term.angle => other.factor = other.factor - term.factor,
            Some(other) => other.factor = other.factor + term.factor,
            None => all.push(term),
        }
    }
    all.retain(|term| !term.factor.is_zero());
    if all.is_empty() {
        all.push(Harmonic { factor: g.int(0), angle: g.int(0), sine: false });
    }
    (all.len() <= MOST_TERMS).then_some(all)
}
