//! Does a text say the same of every member of a family, whatever their number?

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

/// Is the text made of members at fixed distances from an index, or from the ends, and of nothing else that an index or the
/// number of members decides? Then the rows of its derivatives by the members are shifts of one another but at the ends:
/// a member `q[i + c]` of every term is at a fixed distance from `q[i + d]`, and the terms of a sum differ in `i` alone.
///
/// `count` is the name of the number of members; `index` that of the member's own number, if the text is that of a member. A name of
/// `families` without an index stands for all members at once.
pub(super) fn is_local(text: &str, count: &str, index: Option<&str>, families: &[&str]) -> bool {
    let Ok(ast) = Ast::expression(text, &Limits::default()) else { return false };
    if !matches!(ast.root(), Root::Expression(_)) {
        return false;
    }
    let mut roles = vec![PartRole::Value; ast.nodes().len()];
    let mut mark = |id: NodeId, role: PartRole| roles[ast.node(id).first.index()..=id.index()].fill(role);
    let mut indices: Vec<&str> = index.into_iter().collect();
    let mut choices = Vec::new();
    for node in ast.nodes() {
        if let AstKind::Compare { left, right, .. } = &node.kind {
            mark(*left, PartRole::Condition);
            mark(*right, PartRole::Condition);
        }
    }
    for node in ast.nodes() {
        match &node.kind {
            AstKind::Member { index, .. } => {
                mark(*index, PartRole::Index);
                choices.push((*index, true));
            }
            AstKind::Each { index, low, high, .. } => {
                indices.push(ast.slice(*index));
                for bound in [*low, *high] {
                    mark(bound, PartRole::Index);
                    choices.push((bound, false));
                }
            }
            _ => {}
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
    let chosen = |(id, may_move): &(NodeId, bool)| {
        let moving = if *may_move { &indices[..] } else { &[] };
        is_distance(&ast, *id, count, moving)
    };
    ast.nodes().iter().zip(&roles).all(allowed) && choices.iter().all(chosen)
}

/// Is it an integer, the number of members, or one of the indices, with an integer added?
fn is_distance(ast: &Ast, id: NodeId, count: &str, moving: &[&str]) -> bool {
    let is_anchor = |id: NodeId| match &ast.node(id).kind {
        AstKind::Name { name, primes: 0 } => ast.slice(*name) == count || moving.contains(&ast.slice(*name)),
        _ => false,
    };
    let is_number = |id: NodeId| matches!(ast.node(id).kind, AstKind::Number);
    match &ast.node(id).kind {
        AstKind::Sum(range) => {
            let operands = ast.operands(range);
            let anchors = operands.iter().filter(|operand| is_anchor(operand.node)).count();
            let fits = |operand: &extremal_expr::syntax::AstOperand| {
                is_number(operand.node) || is_anchor(operand.node) && !operand.inverse
            };
            anchors <= 1 && operands.iter().all(fits)
        }
        _ => is_anchor(id) || is_number(id),
    }
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn members_at_fixed_distances() {
        for text in [
            "sum(i, 1, n, q[i]'^2/2) - sum(i, 1, n - 1, (q[i + 1] - q[i])^2/2)",
            "q[1]^2 + alpha*q[n]^3/3",
            "sum(k, 2, n - 1, cos(q[k - 1] - q[k + 1]))*n",
            "sum(i, 1, n, if(q[i] > 0, q[i]^2, q[n]))",
        ] {
            assert!(is_local(text, "n", None, &["q"]), "{text}");
        }
        assert!(is_local("-gamma*q[i]' + q[i - 1]", "n", Some("i"), &["q"]));
    }

    #[test]
    fn what_depends_on_where_it_is() {
        for text in [
            "sum(i, 1, n, i*q[i]^2)",
            "sum(i, 1, n, q[2*i])",
            "sum(i, 1, n, sum(j, i + 1, n, (q[i] - q[j])^2))",
            "sum(i, 1, n, q[n + 1 - i]*q[i])",
            "q[n/2]^2",
            "sum(i, 1, m, q[i + m]^2)",
            "if(n > 10, q[1], q[2])",
            "sum(i, 1, n, if(i > 3, q[i], 0))",
            "sum(i, 1, n, q[i]^i)",
            "norm(q)",
            "sum(i, 1, n, q[i]'^2)/dot(q, q)",
        ] {
            assert!(!is_local(text, "n", None, &["q"]), "{text}");
        }
        assert!(!is_local("-i*q[i]'", "n", Some("i"), &["q"]));
    }
}
