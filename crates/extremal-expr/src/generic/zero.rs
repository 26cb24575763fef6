//! The zero test: exact, at random points.

use super::{Field, Generic};
use crate::{Expr, Node};

/// Points that have to agree, of each field.
const POINTS: u64 = 8;

/// Is the expression zero wherever it is defined? Decided in exact arithmetic at random points: yes but for a probability of about
/// its degree over 2^62, no for certain. `None` where it has no value at the points tried.
///
/// ```
/// use extremal_expr::{Graph, generic::vanishes};
/// let g = Graph::new();
/// let (a, b) = (g.symbol("a"), g.symbol("b"));
/// assert_eq!(vanishes(a.powi(2) - (a * b).powi(2) / b.powi(2)), Some(true));
/// assert_eq!(vanishes(a.sin().powi(2) + a.cos().powi(2) - 1), Some(true));
/// assert_eq!(vanishes(a * g.float(1e-300).unwrap()), Some(false));
/// ```
pub fn vanishes(e: Expr<'_>) -> Option<bool> {
    match e.node() {
        Node::Number(value) => return Some(value.is_zero()),
        Node::Symbol(_) => return Some(false),
        _ => {}
    }
    (0..Field::COUNT).find_map(|number| {
        let generic = Generic::new(e.graph(), &[e], &[], Field::number(number));
        let values: Vec<_> = (0..POINTS).filter_map(|seed| generic.at(seed, &[])).collect();
        (!values.is_empty()).then(|| values.iter().all(|value| value[0] == Field::ZERO))
    })
}
