//! What a constraint of each kind may say.

use std::collections::HashSet;

use extremal_expr::{Expr, Graph, Id, Node};

use super::constraints::{ConstraintKind, ConstraintNature, ConstraintStatement, KindStatement};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Scalar, ScalarSeries};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver};

/// The equation of one constraint.
pub(crate) struct ConstraintEquation<'g> {
    pub left: Expr<'g>,
    pub right: Expr<'g>,
    pub span: Span,
    /// Left minus right, simplified, so that what cancels is not seen.
    difference: Expr<'g>,
}

impl<'g> ConstraintEquation<'g> {
    /// Reads the equation for the member at this position; `None` for an error, also in a name that it uses.
    pub fn read(
        resolver: &mut Resolver<'g, '_>,
        series: &ScalarSeries,
        position: usize,
        number: MemberNumber<'_>,
        place: &ExpressionPlace,
    ) -> Option<ConstraintEquation<'g>> {
        let scalar = series.item(position)?;
        let number = number.filter(|_| matches!(series, ScalarSeries::One(_)));
        let (left, right) = resolver.equation(scalar, place, number)?;
        if let Scalar::Text(text) = scalar
            && resolver.problems.errors() > 0
            && resolver.is_broken(&text.value)
        {
            return None;
        }
        let difference = resolver.graph.simplified(left - right);
        Some(ConstraintEquation { left, right, span: scalar.span(), difference })
    }

    fn velocities(&self, resolver: &Resolver<'g, '_>) -> Vec<Expr<'g>> {
        resolver.names.velocities_in(self.difference)
    }
}

/// The kind that was stated, if the equation can be of that kind, or else the one that it tells. `None` for an error.
pub(crate) fn kind<'g>(
    resolver: &mut Resolver<'g, '_>,
    statement: &ConstraintStatement,
    name: &str,
    equation: &ConstraintEquation<'g>,
) -> Option<ConstraintKind> {
    let velocities = equation.velocities(resolver);
    if let Some(state) = resolver.names.states_in(equation.difference).first() {
        let message = format!("`{state}` cannot be used in a constraint");
        let help = "a state has a rate of its own: constraints may contain positions, velocities, entropies, time and parameters";
        let diagnostic = Diagnostic::error(Code::Conflict, message).at(equation.span.clone(), "").help(help);
        resolver.problems.push(diagnostic);
        return None;
    }
    let order = resolver.names.order_of(equation.difference);
    let holonomic = order == Some(0);
    if order.is_none() {
        let diagnostic = says_nothing(resolver, name, equation);
        resolver.problems.push(diagnostic);
        return None;
    }
    let stated = match &statement.kind {
        KindStatement::Broken => return None,
        KindStatement::Inferred => None,
        KindStatement::Stated(kind, span) => Some((*kind, span)),
    };
    let warm = resolver.names.has_entropy(equation.difference);
    // The temperature of an entropy in a constraint is that of L + λΦ.
    let told = match (holonomic, warm) {
        (true, true) => ConstraintKind::Vakonomic,
        (true, false) => ConstraintKind::Holonomic,
        (false, _) => ConstraintKind::Nonholonomic,
    };
    let (kind, span) = stated.map_or((told, None), |(kind, span)| (kind, Some(span)));
    let of_kind = |span: Option<&Span>| span.cloned().unwrap_or_else(|| equation.span.clone());
    if warm && (holonomic && kind.nature().reacts || !holonomic && !kind.nature().reacts) {
        let message = format!("the constraint `{name}` contains an entropy, so that it cannot be {kind}");
        let help =
            "leave `kind` out: with positions it is imposed before the action is varied, with velocities it reacts";
        resolver.problems.push(Diagnostic::error(Code::Conflict, message).at(of_kind(span), "").help(help));
        return None;
    }
    match (holonomic, kind.nature()) {
        (true, _) if warm => Some(kind),
        (true, ConstraintNature { binds_positions: true, .. }) => Some(kind),
        (true, ConstraintNature { binds_positions: false, .. }) => {
            let message = format!("the constraint `{name}` binds positions only, so that it is holonomic, not {kind}");
            let diagnostic = Diagnostic::error(Code::Conflict, message)
                .at(of_kind(span), "")
                .at(equation.span.clone(), "no velocity remains in this");
            let help = "leave `kind` out: a constraint of positions gives the same motion either way";
            resolver.problems.push(diagnostic.help(help));
            None
        }
        (false, ConstraintNature { binds_positions: true, .. }) => {
            let message = format!("the constraint `{name}` binds velocities, so that it is not {kind}");
            let diagnostic = Diagnostic::error(Code::Conflict, message)
                .at(of_kind(span), "")
                .at(equation.span.clone(), format!("this contains `{}`", velocities[0]));
            let help = "state the equation of the positions, or leave `kind` out";
            resolver.problems.push(diagnostic.help(help));
            None
        }
        (false, ConstraintNature { affine: false, .. }) => Some(kind),
        (false, ConstraintNature { affine: true, .. }) => {
            let Some(velocity) = not_linear_in(resolver, equation.difference, &velocities) else {
                return Some(kind);
            };
            let message = format!("the {kind} constraint `{name}` is not linear in `{velocity}`");
            let diagnostic = Diagnostic::error(Code::NotLinear, message).at(equation.span.clone(), "");
            let help = "d'Alembert's principle needs a constraint affine in the velocities; of any other, kind = \"chetaev\" lets the reaction \
                 act along the slopes by the velocities, and kind = \"vakonomic\" imposes it before the action is varied";
            resolver.problems.push(diagnostic.help(help));
            None
        }
    }
}

/// Is the equation without coordinates true or false?
fn says_nothing<'g>(resolver: &Resolver<'g, '_>, name: &str, equation: &ConstraintEquation<'g>) -> Diagnostic {
    let numbers = [equation.left, equation.right, equation.difference].map(|side| resolver.evaluate(side));
    let [left, right, difference] = numbers;
    // The rounding of a handful of operations on either side.
    let rounding = 16.0 * f64::EPSILON * left.abs().max(right.abs());
    let verdict = if equation.difference.is_zero() || difference.abs() <= rounding {
        "it is always true".to_owned()
    } else if resolver.names.has_entropy(equation.difference) {
        "it binds an entropy, not the motion".to_owned()
    } else if difference.is_nan() {
        // The time has no value.
        "it binds the time, not the motion".to_owned()
    } else {
        format!("it is never true: {left} is not {right}")
    };
    let message = format!("the constraint `{name}` contains no coordinate");
    Diagnostic::error(Code::EmptyConstraint, message).at(equation.span.clone(), verdict)
}

/// A velocity in which the expression is not linear, up to terms without it.
fn not_linear_in<'g>(resolver: &Resolver<'g, '_>, expression: Expr<'g>, velocities: &[Expr<'g>]) -> Option<Expr<'g>> {
    let graph = resolver.graph;
    if is_written_affine(graph, expression, velocities) {
        return None;
    }
    // Slopes, not second derivatives: those of abs(x') vanish too; and those of sign(x') do not tell.
    let bends = |velocity: &&Expr<'g>| {
        let slope = graph.simplified(graph.gradient(expression, &[**velocity])[0]);
        resolver.names.order_of(slope) == Some(1) || !graph.unbroken_in(&[expression], &[**velocity])[0]
    };
    velocities.iter().find(bends).copied()
}

/// Is the expression affine as it stands, with nothing to be cancelled? One pass, where derivatives by all velocities would take as
/// many.
fn is_written_affine<'g>(graph: &'g Graph, expression: Expr<'g>, velocities: &[Expr<'g>]) -> bool {
    let mut linear: HashSet<Id> = velocities.iter().map(|velocity| velocity.id()).collect();
    for id in graph.reachable(&[expression.id()]) {
        let node = graph.expr(id).node();
        let mut depends = false;
        node.for_each_child(|child| depends |= linear.contains(&child));
        if !depends {
            continue;
        }
        let affine = match &node {
            Node::Sum { .. } => true,
            Node::Product(factors) => {
                let mut moving = factors.iter().filter(|(base, _)| linear.contains(base));
                moving.next().is_some_and(|(_, exponent)| *exponent == 1) && moving.next().is_none()
            }
            Node::Select(condition, ..) => !linear.contains(condition),
            _ => false,
        };
        if !affine {
            return false;
        }
        linear.insert(id);
    }
    true
}

/// Keys that only constraints of another kind have.
pub(crate) fn check_keys(
    resolver: &mut Resolver<'_, '_>,
    statement: &ConstraintStatement,
    name: &str,
    kind: ConstraintKind,
) -> Option<()> {
    let multiplier = statement.multiplier.as_ref().filter(|_| kind.nature().reacts);
    let multiplier = multiplier.map(|series| {
        let message = format!("the {kind} constraint `{name}` has no multiplier to start from");
        let help = "only the multiplier of a vakonomic constraint has an equation of motion; the others follow from \
                    the motion";
        Diagnostic::error(Code::Conflict, message).at(series.span(), "").help(help)
    });
    let variational = statement.variational.as_ref().filter(|_| !kind.nature().own_displacements);
    let variational = variational.map(|series| {
        let message = format!("the {kind} constraint `{name}` has no virtual displacements of its own");
        let help = "it is imposed before the action is varied, and has no reaction";
        Diagnostic::error(Code::Conflict, message).at(series.span(), "").help(help)
    });
    let found: Vec<Diagnostic> = multiplier.into_iter().chain(variational).collect();
    let fine = found.is_empty();
    found.into_iter().for_each(|diagnostic| resolver.problems.push(diagnostic));
    fine.then_some(())
}

/// The row of virtual displacements, as an expression linear and homogeneous in the velocities. `None` for an error.
pub(crate) fn variational(
    resolver: &mut Resolver<'_, '_>,
    series: &ScalarSeries,
    position: usize,
    number: MemberNumber<'_>,
    name: &str,
) -> Option<Id> {
    let equation = ConstraintEquation::read(resolver, series, position, number, &ExpressionPlace::CONSTRAINT)?;
    let graph = resolver.graph;
    let velocities = equation.velocities(resolver);
    let problem = if velocities.is_empty() {
        "no velocity remains in this".to_owned()
    } else if let Some(velocity) = not_linear_in(resolver, equation.difference, &velocities) {
        format!("this is not linear in `{velocity}`")
    } else {
        let at_rest: Vec<_> = velocities.iter().map(|velocity| (*velocity, graph.int(0))).collect();
        let rest = graph.simplified(equation.difference.substitute(&at_rest));
        if rest.is_zero() {
            return Some((equation.left - equation.right).id());
        }
        format!("`{rest}` remains without the velocities")
    };
    let message = format!("the virtual displacements of `{name}` are not linear in the velocities");
    let diagnostic = Diagnostic::error(Code::NotLinear, message).at(equation.span.clone(), problem);
    let help =
        "the coefficients of the velocities are the row of the virtual displacements: nothing else may stand here";
    resolver.problems.push(diagnostic.help(help));
    None
}
