//! Where the formulas may be used: the domains of the coordinates.

use extremal_mechanics::boundary::{Assembly, Element, Piece, Quantity};
use extremal_model::Model;
use extremal_solve::nlp::NlpBounds;

use super::guess::Path;
use super::statement::Statement;
use super::{Problem, StatementError};

/// How near the border of a domain counts as on it.
const NUDGE: f64 = 1e-9;

/// One row per domain that depends on positions alone: positive inside.
pub(super) fn piece(model: &Model) -> Option<Piece> {
    let g = model.graph();
    let positions: Vec<_> = model.coordinates().iter().map(|c| g.expr(c.position)).collect();
    let (parameters, _) = super::known_parameters(model);
    let known: Vec<_> = g.exprs(&parameters).into_iter().chain(positions.iter().copied()).collect();
    let of_positions =
        |condition: &extremal_expr::Expr<'_>| g.free_symbols(&[*condition]).iter().all(|symbol| known.contains(symbol));
    let domains = model.coordinates().iter().filter_map(|c| c.domain).map(|id| g.expr(id)).filter(of_positions);
    let rows: Vec<_> = domains.map(|condition| g.select(condition, g.int(1), g.int(0)).id()).collect();
    let variables = model.coordinates().iter().map(|c| c.position).collect();
    (!rows.is_empty()).then(|| Piece { variables, data: Vec::new(), cost: g.int(0).id(), rows })
}

/// A guard at every node that is not given: a given end may lie on the border.
pub(super) fn guards(problem: &Problem<'_>, layout: &Assembly, bounds: &NlpBounds) -> Vec<Element> {
    let Some(piece) = problem.guard else { return Vec::new() };
    let (n, ghosts) = (problem.system.len(), problem.transcription.ghosts);
    let between = ghosts..layout.nodes - ghosts;
    let first = layout.variables.iter().enumerate().filter_map(|(at, (quantity, node))| match quantity {
        Quantity::Position(0) if between.contains(node) => Some(at),
        Quantity::Inner { coordinate: 0, .. } => Some(at),
        _ => None,
    });
    // Coordinates of a node stand side by side.
    let nodes = first.filter(|at| (*at..at + n).any(|at| bounds.lower[at] != bounds.upper[at]));
    nodes.map(|at| Element { piece, variables: (at..at + n).collect(), data: [0.0; 2], rows: Vec::new() }).collect()
}

/// The ends that are given must be in the domain, or on its border: a little to one side of them it holds.
pub(super) fn check_ends(model: &Model, statement: &Statement) -> Result<(), StatementError> {
    let g = model.graph();
    let path = Path { model, statement };
    for domain in model.coordinates().iter().filter_map(|c| c.domain).map(|id| g.expr(id)) {
        let symbols = g.free_symbols(&[domain]);
        let involved = |k: &usize| symbols.contains(&g.expr(model.coordinates()[*k].position));
        let places: Vec<usize> = (0..model.coordinates().len()).filter(involved).collect();
        for (verb, fraction, values) in [("start", 0.0, &statement.start), ("end", 1.0, &statement.end)] {
            let given = |k: &usize| values.iter().find(|v| v.coordinate == *k && v.order == 0).map(|v| v.value);
            let Some(point) = places.iter().map(given).collect::<Option<Vec<f64>>>() else { continue };
            let holds = |moved: Option<(usize, f64)>| {
                let value = |(at, k): (usize, &usize)| {
                    let shift = moved.filter(|(which, _)| *which == at).map_or(0.0, |(_, sign)| sign);
                    (model.coordinates()[*k].name.as_str(), point[at] + shift * NUDGE * point[at].abs().max(1.0))
                };
                let values: Vec<(&str, f64)> = places.iter().enumerate().map(value).collect();
                path.value(domain, fraction, &values) != 0.0
            };
            let nudged = (0..places.len()).flat_map(|at| [-1.0, 1.0].map(|sign| Some((at, sign))));
            if !std::iter::once(None).chain(nudged).any(holds) {
                return Err(StatementError::OutsideDomain { verb, domain: domain.to_string() });
            }
        }
    }
    Ok(())
}
