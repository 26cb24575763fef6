//! Where the formulas may be used: the domains of the coordinates.

use extremal_mechanics::boundary::{Assembly, Element, Piece, Quantity};
use extremal_model::Model;
use extremal_solve::nlp::Bounds;

use super::guess::Path;
use super::statement::Statement;
use super::{Problem, StatementError};

/// An end counts as one on the border of a domain if this part of the way from it all is well.
const INWARDS: f64 = 1e-9;
/// One row per domain that depends on positions alone: positive inside.
pub(super) fn piece(model: &Model) -> Option<Piece> {
    let g = model.graph();
    let positions: Vec<_> = model.coordinates().iter().map(|c| g.expr(c.position)).collect();
    let known: Vec<_> = model.parameters().iter().map(|p| g.expr(p.symbol)).chain(positions.iter().copied()).collect();
    let of_positions =
        |condition: &extremal_expr::Expr<'_>| g.free_symbols(&[*condition]).iter().all(|symbol| known.contains(symbol));
    let domains = model.coordinates().iter().filter_map(|c| c.domain).map(|id| g.expr(id)).filter(of_positions);
    let rows: Vec<_> = domains.map(|condition| g.select(condition, g.int(1), g.int(0)).id()).collect();
    let variables = model.coordinates().iter().map(|c| c.position).collect();
    (!rows.is_empty()).then(|| Piece { variables, data: Vec::new(), cost: g.int(0).id(), rows })
}

/// A guard at every node that is not given: a given end may lie on the border.
pub(super) fn guards(problem: &Problem<'_>, layout: &Assembly, bounds: &Bounds) -> Vec<Element> {
    let Some(piece) = problem.guard else { return Vec::new() };
    let n = problem.system.len();
    let first = layout.variables.iter().enumerate().filter_map(|(at, (quantity, _))| match quantity {
        Quantity::Position(0) | Quantity::Inner { coordinate: 0, .. } => Some(at),
        _ => None,
    });
    // Coordinates of a node stand side by side.
    let nodes = first.filter(|at| (*at..at + n).any(|at| bounds.lower[at] != bounds.upper[at]));
    nodes.map(|at| Element { piece, variables: (at..at + n).collect(), data: [0.0; 2], rows: Vec::new() }).collect()
}

/// The ends that are given must be in the domain, or on its border.
pub(super) fn check_ends(model: &Model, statement: &Statement) -> Result<(), StatementError> {
    let g = model.graph();
    let path = Path { model, statement };
    if statement.periodic {
        return Ok(());
    }
    for domain in model.coordinates().iter().filter_map(|c| c.domain).map(|id| g.expr(id)) {
        for (verb, end, inwards) in [("start", 0.0, INWARDS), ("end", 1.0, 1.0 - INWARDS)] {
            let symbols = g.free_symbols(&[domain]);
            let values = if end == 0.0 { &statement.start } else { &statement.end };
            let given = |coordinate: usize| values.iter().any(|v| v.coordinate == coordinate && v.order == 0);
            let places =
                (0..model.coordinates().len()).filter(|k| symbols.contains(&g.expr(model.coordinates()[*k].position)));
            if !places.into_iter().all(given) {
                continue;
            }
            let holds = |fraction: f64| path.value(domain, fraction, &[]) != 0.0;
            if !holds(end) && !holds(inwards) {
                return Err(StatementError::OutsideDomain { verb, domain: domain.to_string() });
            }
        }
    }
    Ok(())
}
