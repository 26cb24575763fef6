//! What a run records: columns, and the expressions behind them.

use extremal_expr::{Expr, Id};
use extremal_mechanics::System;
use extremal_model::{Direction, Model};
use extremal_trajectory::{Column, Columns, ColumnsError, Role};

/// The further outputs of a run's observation, in the order in which they are compiled: recorded quantities, then stop
/// conditions, then closed forms.
pub(crate) struct Observables {
    pub columns: Columns,
    /// Expressions in q, v, p, t.
    pub outputs: Vec<Id>,
    /// How many of `outputs` are columns.
    pub recorded: usize,
    pub stops: Vec<(String, Direction)>,
    /// Coordinates that have a closed form, in the order of the last outputs.
    pub exact: Vec<usize>,
}

impl Observables {
    pub fn of<'m>(model: &'m Model, system: &System<'m>) -> Result<Observables, ColumnsError> {
        let g = model.graph();
        let mut columns = vec![Column::time()];
        columns.extend(system.names.iter().map(Column::coordinate));
        columns.extend(system.names.iter().map(|name| Column::velocity(name)));
        columns.extend(system.names.iter().map(|name| Column::momentum(name)));
        let mut outputs: Vec<Expr<'_>> = vec![system.energy()];
        columns.push(Column::new("energy", Role::Energy));
        for symmetry in model.symmetries() {
            columns.push(Column::new(symmetry.name.as_str(), Role::Invariant));
            outputs.push(system.noether_momentum(&g.exprs(&symmetry.generator)));
        }
        for invariant in model.invariants() {
            columns.push(Column::new(invariant.name.as_str(), Role::Invariant));
            outputs.push(g.expr(invariant.expression));
        }
        let recorded = outputs.len();
        outputs.extend(model.stops().iter().map(|stop| g.expr(stop.expression)));
        outputs.extend(model.exact().iter().map(|exact| g.expr(exact.expression)));
        Ok(Observables {
            columns: Columns::new(columns)?,
            outputs: outputs.iter().map(|e| e.id()).collect(),
            recorded,
            stops: model.stops().iter().map(|stop| (stop.name.clone(), stop.direction)).collect(),
            exact: model.exact().iter().map(|exact| exact.coordinate).collect(),
        })
    }
}
