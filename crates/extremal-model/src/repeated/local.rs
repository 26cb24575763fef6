//! Does a text say the same of every member of a family, whatever their number?

use std::ops::Range;

use extremal_expr::syntax::{Ast, AstKind, AstNode, Limits, NodeId, Root};

/// What a part of an expression is there for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PartRole {
    Value,
    /// It decides between two values.
    Condition,
    /// It chooses a member, or bounds a sum.
    Index,
}

/// What a text that says the same of every member says besides.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Repetition {
    /// Does it say something of every pair of members?
    pub pairs: bool,
    /// Does it say something of members at a distance from each other, or from the ends?
    pub neighbours: bool,
}

impl Repetition {
    pub fn and(self, other: Repetition) -> Repetition {
        Repetition { pairs: self.pairs || other.pairs, neighbours: self.neighbours || other.neighbours }
    }
}

/// The farthest that members may be from each other, or from the ends: an instance with two dozen members has all of what a larger one
/// has. In a smaller one a sum over members further apart would be empty.
const FARTHEST: i64 = 11;

/// Is the text made of members at fixed distances from an index, or from the ends, of sums over all pairs of members, and of nothing else
/// that an index or the number of members decides? Then the rows of its derivatives by the members are shifts of one another but at the
/// ends: a member `q[i + c]` of every term is at a fixed distance from `q[i + d]`, and the terms of a sum differ in `i` alone; and what
/// one pair adds to them is what any other does.
///
/// `count` is the name of the number of members; `index` that of the member's own number, if the text is that of a member. A name of
/// `families` without an index stands for all members at once.
pub(super) fn repetition(text: &str, count: &str, index: Option<&str>, families: &[&str]) -> Option<Repetition> {
    let ast = Ast::expression(text, &Limits::default()).ok()?;
    if !matches!(ast.root(), Root::Expression(_)) {
        return None;
    }
    let mut roles = vec![PartRole::Value; ast.nodes().len()];
    let mut mark = |id: NodeId, role: PartRole| roles[ast.node(id).first.index()..=id.index()].fill(role);
    let mut indices: Vec<&str> = index.into_iter().collect();
    for node in ast.nodes() {
        match &node.kind {
            AstKind::Compare { left, right, .. } => {
                mark(*left, PartRole::Condition);
                mark(*right, PartRole::Condition);
            }
            AstKind::Each { index, .. } => indices.push(ast.slice(*index)),
            _ => {}
        }
    }
    let sums: Vec<IndexedSum<'_>> = ast.nodes().iter().enumerate().filter_map(|at| IndexedSum::of(&ast, at)).collect();
    let mut found = Repetition::default();
    let mut pairs: Vec<PairIndices<'_>> = Vec::new();
    for sum in &sums {
        for bound in [sum.low, sum.high] {
            mark(bound, PartRole::Index);
        }
        let [low, high] = [sum.low, sum.high].map(|bound| Distance::of(&ast, bound, count, &[]));
        match (low, high) {
            (Some(low), Some(high)) => {
                found.neighbours |= low != Distance::Number(1) || high != Distance::from(IndexAnchor::Count);
            }
            _ => pairs.push(sum.over_pairs(&ast, count, index, &sums)?),
        }
    }
    found.pairs = !pairs.is_empty();
    for (at, node) in ast.nodes().iter().enumerate() {
        let AstKind::Member { index: chosen, .. } = &node.kind else { continue };
        mark(*chosen, PartRole::Index);
        match pairs.iter().find(|pair| pair.term.contains(&at)) {
            Some(pair) => {
                let name = bare_name(&ast, *chosen)?;
                if !pair.names.contains(&name) {
                    return None;
                }
            }
            None => {
                let distance = Distance::of(&ast, *chosen, count, &indices)?;
                found.neighbours |= distance != Distance::from(IndexAnchor::Index);
            }
        }
    }
    let allowed = |(node, role): (&AstNode, &PartRole)| match (&node.kind, role) {
        (AstKind::Invalid | AstKind::List(_), _) => false,
        (AstKind::Name { name, .. }, _) if families.contains(&ast.slice(*name)) => false,
        (AstKind::Name { name, .. }, PartRole::Value) => !indices.contains(&ast.slice(*name)),
        (AstKind::Name { name, .. }, PartRole::Condition) => {
            !indices.contains(&ast.slice(*name)) && ast.slice(*name) != count
        }
        _ => true,
    };
    ast.nodes().iter().zip(&roles).all(allowed).then_some(found)
}

/// Does a member's own number decide a value by more than choosing members, or a condition?
pub(super) fn depends_on_number(text: &str, index: &str) -> bool {
    let Ok(ast) = Ast::expression(text, &Limits::default()) else { return false };
    ast.nodes().iter().any(|node| matches!(&node.kind, AstKind::Name { name, .. } if ast.slice(*name) == index))
}

/// A sum as written: its index, its bounds, and the nodes of its term.
struct IndexedSum<'a> {
    index: &'a str,
    low: NodeId,
    high: NodeId,
    term: Range<usize>,
}

/// A sum over all pairs: the names of both members' numbers, and the nodes of its term.
struct PairIndices<'a> {
    names: [&'a str; 2],
    term: Range<usize>,
}

impl<'a> IndexedSum<'a> {
    fn of(ast: &'a Ast, (at, node): (usize, &AstNode)) -> Option<IndexedSum<'a>> {
        let AstKind::Each { index, low, high, end } = &node.kind else { return None };
        Some(IndexedSum { index: ast.slice(*index), low: *low, high: *high, term: at + 1..end.index() })
    }

    /// The pairs that this sum is over together with one around it, from the first member to the last one, if that is so. `own` is the
    /// number of the member that the whole text is of.
    fn over_pairs(
        &self,
        ast: &Ast,
        count: &str,
        own: Option<&'a str>,
        sums: &[IndexedSum<'a>],
    ) -> Option<PairIndices<'a>> {
        let around = |sum: &&IndexedSum<'a>| sum.term.start < self.term.start && self.term.start < sum.term.end;
        let within = |sum: &IndexedSum<'a>| self.term.start < sum.term.start && sum.term.start < self.term.end;
        let outer = sums.iter().filter(around).collect::<Vec<_>>();
        let of = |bound: NodeId, moving: &[&str]| Distance::of(ast, bound, count, moving);
        let (first, last) = (Distance::Number(1), Distance::from(IndexAnchor::Count));
        let (other, [outer_low, outer_high]) = match (&outer[..], own) {
            ([outer], None) => (outer.index, [outer.low, outer.high].map(|bound| of(bound, &[]))),
            ([], Some(own)) => (own, [Some(first), Some(last)]),
            _ => return None,
        };
        let [low, high] = [self.low, self.high].map(|bound| of(bound, &[other]));
        // The last member has none behind it, and the first one none before it.
        let later = low == Some(Distance::Anchored(IndexAnchor::Index, 1))
            && high == Some(last)
            && outer_low == Some(first)
            && [last, Distance::Anchored(IndexAnchor::Count, -1)].map(Some).contains(&outer_high);
        let earlier = low == Some(first)
            && high == Some(Distance::Anchored(IndexAnchor::Index, -1))
            && [first, Distance::Number(2)].map(Some).contains(&outer_low)
            && outer_high == Some(last);
        let alone = !sums.iter().any(within) && self.index != other;
        (alone && (later || earlier)).then(|| PairIndices { names: [other, self.index], term: self.term.clone() })
    }
}

/// What a distance is counted from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum IndexAnchor {
    /// The number of members.
    Count,
    /// The number of a member.
    Index,
}

/// A member, or a bound, that is a fixed distance from something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Distance {
    Number(i64),
    Anchored(IndexAnchor, i64),
}

impl From<IndexAnchor> for Distance {
    fn from(anchor: IndexAnchor) -> Distance {
        Distance::Anchored(anchor, 0)
    }
}

impl Distance {
    /// An integer, the number of members, or one of the indices, with an integer added that is not too large.
    fn of(ast: &Ast, id: NodeId, count: &str, moving: &[&str]) -> Option<Distance> {
        let anchor = |id: NodeId| match bare_name(ast, id)? {
            name if moving.contains(&name) => Some(IndexAnchor::Index),
            name => (name == count).then_some(IndexAnchor::Count),
        };
        let number = |id: NodeId| match ast.node(id).kind {
            AstKind::Number => ast.slice(ast.node(id).span).parse::<i64>().ok(),
            _ => None,
        };
        let (mut from, mut far) = (None, 0i64);
        let mut add = |id: NodeId, inverse: bool| -> Option<()> {
            match (anchor(id), number(id)) {
                (Some(anchor), _) if from.is_none() && !inverse => from = Some(anchor),
                (None, Some(number)) => far = far.checked_add(if inverse { -number } else { number })?,
                _ => return None,
            }
            Some(())
        };
        match &ast.node(id).kind {
            AstKind::Sum(range) => {
                for operand in ast.operands(range) {
                    add(operand.node, operand.inverse)?;
                }
            }
            _ => add(id, false)?,
        }
        (far.abs() <= FARTHEST).then(|| from.map_or(Distance::Number(far), |anchor| Distance::Anchored(anchor, far)))
    }
}

/// The name that a node is, without primes.
fn bare_name(ast: &Ast, id: NodeId) -> Option<&str> {
    match &ast.node(id).kind {
        AstKind::Name { name, primes: 0 } => Some(ast.slice(*name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Repetition, depends_on_number, repetition};

    /// What is said of members of `q`, of which there are `n`.
    fn of(text: &str, index: Option<&str>) -> Option<Repetition> {
        repetition(text, "n", index, &["q"])
    }

    fn is_local(text: &str, index: Option<&str>) -> bool {
        of(text, index).is_some_and(|found| !found.pairs)
    }

    #[test]
    fn all_pairs() {
        let pairs = Some(Repetition { pairs: true, neighbours: false });
        for text in [
            "sum(i, 1, n, q[i]'^2/2) - sum(i, 1, n, sum(j, i + 1, n, k*(q[i] - q[j])^2))",
            "sum(i, 1, n, m[i]*sum(k, i + 1, n, m[k]/abs(q[i] - q[k])))",
            "sum(i, 1, n, q[i]'^2/2 - sum(j, 1, i - 1, 1/(q[j] - q[i])))",
        ] {
            assert_eq!(of(text, None), pairs, "{text}");
        }
        assert_eq!(of("sum(j, i + 1, n, 1/(q[i] - q[j]))", Some("i")), pairs);
        // Bounds that leave an end out are looked at with more members.
        let both = Some(Repetition { pairs: true, neighbours: true });
        for text in [
            "sum(i, 1, n, sum(j, i + 1, n, q[i]*q[j])) - sum(i, 2, n, (q[i] - q[i - 1])^2)",
            "sum(i, 1, n - 1, sum(j, i + 1, n, q[i]*q[j]))",
            "sum(i, 2, n, sum(j, 1, i - 1, exp(q[j] - q[i])))",
        ] {
            assert_eq!(of(text, None), both, "{text}");
        }
    }

    #[test]
    fn other_double_sums() {
        for text in [
            "sum(i, 1, n, sum(j, i + 2, n, (q[i] - q[j])^2))",
            "sum(i, 2, n, sum(j, i + 1, n, (q[i] - q[j])^2))",
            "sum(i, 1, n - 1, sum(j, 1, i - 1, (q[i] - q[j])^2))",
            "sum(i, 1, n, sum(j, i + 1, n - 1, (q[i] - q[j])^2))",
            "sum(i, 1, n, sum(j, i + 1, n, (q[i] - q[j - 1])^2))",
            "sum(i, 1, n, sum(j, i + 1, n, (q[i] - q[j])^2*q[1]))",
            "sum(i, 1, n, sum(j, i + 1, n, j*(q[i] - q[j])^2))",
            "sum(i, 1, n, sum(j, i + 1, n, sum(k, j + 1, n, q[i]*q[j]*q[k])))",
            "sum(i, 1, n, sum(j, i + 1, n, sum(k, 1, n, q[i]*q[j])))",
            "sum(j, i + 1, n, q[j])",
        ] {
            assert_eq!(of(text, None), None, "{text}");
        }
        assert_eq!(of("sum(j, 1, n, sum(k, j + 1, n, q[j]*q[k]*q[i]))", Some("i")), None);
    }

    /// In an instance of two dozen members there would be nothing of them.
    #[test]
    fn members_far_apart() {
        for text in ["sum(i, 1, n - 30, (q[i + 30] - q[i])^2)", "sum(i, 30, n, q[i]^2)", "q[30]^2"] {
            assert_eq!(of(text, None), None, "{text}");
        }
    }

    #[test]
    fn numbers_of_members_in_values() {
        assert!(depends_on_number("1 + i/n", "i") && depends_on_number("if(i > 3, 2, 1)", "i"));
        assert!(!depends_on_number("sin(a)", "i"));
    }

    #[test]
    fn members_at_fixed_distances() {
        for text in [
            "sum(i, 1, n, q[i]'^2/2) - sum(i, 1, n - 1, (q[i + 1] - q[i])^2/2)",
            "q[1]^2 + alpha*q[n]^3/3",
            "sum(k, 2, n - 1, cos(q[k - 1] - q[k + 1]))*n",
            "sum(i, 1, n, if(q[i] > 0, q[i]^2, q[n]))",
        ] {
            assert!(is_local(text, None), "{text}");
        }
        assert!(is_local("-gamma*q[i]' + q[i - 1]", Some("i")));
    }

    #[test]
    fn what_depends_on_where_it_is() {
        for text in [
            "sum(i, 1, n, i*q[i]^2)",
            "sum(i, 1, n, q[2*i])",
            "sum(i, 1, n, q[n + 1 - i]*q[i])",
            "q[n/2]^2",
            "sum(i, 1, m, q[i + m]^2)",
            "if(n > 10, q[1], q[2])",
            "sum(i, 1, n, if(i > 3, q[i], 0))",
            "sum(i, 1, n, q[i]^i)",
            "norm(q)",
            "sum(i, 1, n, q[i]'^2)/dot(q, q)",
        ] {
            assert!(!is_local(text, None), "{text}");
        }
        assert!(!is_local("-i*q[i]'", Some("i")));
    }
}
