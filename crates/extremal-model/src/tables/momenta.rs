//! Momenta at the start: which motion they belong to, and what is stated beside them.

use super::coordinates::{CoordinateStatement, Coordinates, HIGHER, MOMENTA};
use super::{Objective, Statements};
use crate::diagnostic::{Code, Diagnostic};
use crate::resolver::Resolver;

impl Statements {
    /// Does a coordinate start with a momentum?
    pub(super) fn starts_from_momenta(&self) -> bool {
        self.coordinates.iter().any(|coordinate| coordinate.momenta.iter().any(Option::is_some))
    }
}

/// The order of the motion that momenta start, if some are stated: that of the Lagrangian where it has accelerations, and 2 for the
/// optimality conditions of a control problem.
pub(super) fn momentum_order(statements: &Statements, objective: Option<&Objective>, order: u32) -> Option<u32> {
    let controlled = objective.is_some_and(|objective| objective.running.is_some()).then_some(2);
    if order > 1 { Some(order) } else { controlled }.filter(|_| statements.starts_from_momenta())
}

/// Momenta start a motion that has them, and say what derivatives would say.
pub(super) fn check(
    resolver: &mut Resolver<'_, '_>,
    statements: &[CoordinateStatement],
    coordinates: &Coordinates,
    order: Option<u32>,
) {
    for family in &coordinates.families.list {
        let (statement, name) = (&statements[family.statement], &family.name.text);
        for ((what, series), at) in MOMENTA.iter().zip(&statement.momenta).zip(0..) {
            let Some(series) = series else { continue };
            let (message, help) = match order {
                None => (
                    format!("`{what}` of `{name}` belongs to a control problem or to a Lagrangian with accelerations"),
                    "start other motions from `velocity`; for a control problem add [controls], and [objective] with a running cost",
                ),
                Some(order) if at >= order => (
                    format!("a motion of order {order} has no momentum `{what}`"),
                    "momenta are conjugate to the derivatives below the order: `p0` to positions, `p1` to velocities",
                ),
                Some(_) => continue,
            };
            resolver.problems.push(Diagnostic::error(Code::Conflict, message).at(series.span(), "").help(help));
        }
        let Some(order) = order else { continue };
        for ((what, series), derivative) in HIGHER.iter().zip(&statement.higher).zip(2..) {
            if let (Some(series), true) = (series, derivative >= order) {
                let message = format!("the {what} of `{name}` follows from the momenta at the start");
                let diagnostic = Diagnostic::error(Code::Conflict, message).at(series.span(), "");
                resolver.problems.push(diagnostic.help("state momenta of all coordinates, or derivatives of all"));
            }
        }
    }
}
