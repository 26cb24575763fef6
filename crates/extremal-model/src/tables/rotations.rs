//! Coordinates of a rotation: a unit quaternion `q`, with the number first. What it does to a body is `rotation(q)`, how fast,
//! `angular_velocity(q)`.

use extremal_expr::{Expr, Id, Rational};

use super::Statements;
use super::constraints::ConstraintStatement;
use super::coordinates::CoordinateStatement;
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, ScalarSeries};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;
use crate::text::SourceText;

/// The numbers of a quaternion.
const COMPONENTS: i64 = 4;

/// Gives every rotation what its one word stands for: four members, the start at rest in the axes of space, and the constraint
/// `q_unit` that keeps the quaternion a unit one.
pub(crate) fn complete(statements: &mut Statements) {
    let mut constraints = Vec::new();
    for coordinate in statements.coordinates.iter_mut().filter(|coordinate| coordinate.rotation) {
        let Name { text, span } = &coordinate.name;
        let number = |value: i64| Scalar::Number { value: Rational::from(value), span: span.clone() };
        coordinate.count.get_or_insert_with(|| number(COMPONENTS));
        coordinate
            .start
            .get_or_insert_with(|| ScalarSeries::List { items: [1, 0, 0, 0].map(number).to_vec(), span: span.clone() });
        coordinate.has_start = true;
        let name = Name { text: format!("{text}_unit"), span: span.clone() };
        let equation = SourceText::new(&format!("dot({text}, {text}) = 1"), span.clone(), "");
        constraints.push(ConstraintStatement::of_equation(name, Scalar::Text(equation)));
    }
    statements.constraints.extend(constraints);
}

/// Is the number of members that of a quaternion, if it is one? If not, that is reported.
pub(super) fn has_members(
    resolver: &mut Resolver<'_, '_>,
    statement: &CoordinateStatement,
    count: Option<i64>,
) -> bool {
    let fits = !statement.rotation || count == Some(COMPONENTS);
    if !fits {
        let message = format!("the rotation `{}` has four members", statement.name.text);
        let at = statement.name.span.clone();
        resolver.problems.push(Diagnostic::error(Code::Conflict, message).at(at, "").help("leave `count` out"));
    }
    fits
}

/// Reports keys that do not go with what else is said of the rotation.
pub(super) fn check(resolver: &mut Resolver<'_, '_>, statement: &CoordinateStatement) {
    let Some(turning) = &statement.angular_velocity else { return };
    let name = &statement.name.text;
    let diagnostic = if !statement.rotation {
        let message = format!("`{name}` is no rotation and has no angular velocity");
        Diagnostic::error(Code::Conflict, message).at(turning.span(), "").help("add `rotation = true`")
    } else if let Some(velocity) = &statement.velocity {
        let message = format!("the velocity of `{name}` is stated twice");
        Diagnostic::error(Code::Conflict, message).at(velocity.span(), "").at(turning.span(), "")
    } else {
        return;
    };
    resolver.problems.push(diagnostic);
}

/// The velocity of a quaternion that turns with this angular velocity along the axes of the body: q' = q ω/2.
pub(super) fn velocity<'g>(
    resolver: &mut Resolver<'g, '_>,
    stated: &ScalarSeries,
    quaternion: &[[Expr<'g>; 3]],
) -> Option<Vec<Id>> {
    let ScalarSeries::List { items, .. } = stated else {
        let message = "an angular velocity is a list of three numbers, along the axes of the body";
        resolver.problems.push(Diagnostic::error(Code::WrongType, message).at(stated.span(), ""));
        return None;
    };
    let turning: Vec<_> = items.iter().map(|item| resolver.number(item, &ExpressionPlace::INITIAL, None)).collect();
    let turning = turning.into_iter().collect::<Option<Vec<_>>>()?;
    let (&[u, v, w], &[[a, ..], [b, ..], [c, ..], [d, ..]]) = (turning.as_slice(), quaternion) else {
        let message = format!("an angular velocity has three numbers, not {}", items.len());
        resolver.problems.push(Diagnostic::error(Code::WrongLength, message).at(stated.span(), ""));
        return None;
    };
    let rates = [-(b * u + c * v + d * w), a * u + c * w - d * v, a * v + d * u - b * w, a * w + b * v - c * u];
    Some(rates.into_iter().map(|rate| (rate / 2).id()).collect())
}
