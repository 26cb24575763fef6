//! The Jacobian of stages that are alike, by the chain rule: the equations of a stage are differentiated once, by what the stage is
//! made of, and that by the unknowns of all stages. Written out, the products of both would be a matrix of expressions.

use std::sync::Arc;

use extremal_expr::{Expr, Graph, Id};
use extremal_mechanics::Block;

/// Up to so many unknowns the Jacobian is written out, and its entries are as good as expressions can be.
const LARGEST_WRITTEN_OUT: usize = 100;

/// How entries of a Jacobian are made of values.
#[derive(Clone, Default)]
pub(crate) struct ChainRule {
    /// Where a value is added: the entry, the value.
    values: Vec<[u32; 2]>,
    /// Where the product of two values is added.
    products: Vec<[u32; 3]>,
}

impl ChainRule {
    /// The entries.
    pub fn combine(&self, values: &[f64], entries: &mut [f64]) {
        entries.fill(0.0);
        for [entry, value] in &self.values {
            entries[*entry as usize] += values[*value as usize];
        }
        for [entry, a, b] in &self.products {
            entries[*entry as usize] += values[*a as usize] * values[*b as usize];
        }
    }
}

/// What is computed for the Jacobian of all stages.
#[derive(Clone)]
pub(crate) struct StagedSlopes {
    /// The values that entries are made of.
    pub values: Vec<Id>,
    /// The columns of the entries, by rows.
    pub pattern: Vec<Vec<usize>>,
    /// Are the equations affine in the unknowns?
    pub linear: bool,
    pub rule: Arc<ChainRule>,
}

impl StagedSlopes {
    /// For a block that solves the equations of many stages; `None` where there are few unknowns, or where one could be eliminated.
    pub fn of(g: &Graph, block: &Block) -> Option<StagedSlopes> {
        let [solve] = &block.solves[..] else { return None };
        let stages = solve.stages.as_deref().filter(|stages| stages.points.len() > 1)?;
        if solve.unknowns.len() <= LARGEST_WRITTEN_OUT {
            return None;
        }
        let (own, unknowns) = (g.exprs(&stages.own), g.exprs(&solve.unknowns));
        let symbols = g.exprs(&stages.symbols);
        let depends = |point: &Vec<Id>| g.depend_on(&g.exprs(point), &unknowns);
        let moving: Vec<usize> =
            depends(&stages.points[0]).iter().enumerate().filter(|(_, moves)| **moves).map(|(at, _)| at).collect();
        let variables: Vec<Expr<'_>> = own.iter().copied().chain(moving.iter().map(|at| symbols[*at])).collect();
        let residual = g.exprs(&stages.residual);
        let rows = g.jacobian(&residual, &variables);
        if rows.iter().any(|row| row.len() == 1 && row[0].0 < own.len()) {
            return None;
        }
        let linear = !g.affine_rows(&residual, &variables, &rows).contains(&false);
        let mut slopes =
            StagedSlopes { values: Vec::new(), pattern: Vec::new(), linear, rule: Arc::new(ChainRule::default()) };
        let mut rule = ChainRule::default();
        for (stage, point) in stages.points.iter().enumerate() {
            let there = g.exprs(point);
            let links = g.jacobian(&moving.iter().map(|at| there[*at]).collect::<Vec<_>>(), &unknowns);
            let links: Vec<_> = links.iter().map(|row| slopes.keep(row)).collect();
            let first = stage * own.len();
            let rules = own.iter().copied().zip(unknowns[first..].iter().copied());
            let rules: Vec<_> = rules.chain(symbols.iter().copied().zip(there)).collect();
            for row in &rows {
                let (columns, row): (Vec<usize>, Vec<Expr<'_>>) = row.iter().copied().unzip();
                let row: Vec<_> = columns.into_iter().zip(g.substitute(&row, &rules)).collect();
                let row = slopes.keep(&row);
                slopes.add(&row, first, own.len(), &links, &mut rule);
            }
        }
        slopes.rule = Arc::new(rule);
        Some(slopes)
    }

    /// Takes values in; returns the place of each beside its column.
    fn keep(&mut self, row: &[(usize, Expr<'_>)]) -> Vec<(usize, u32)> {
        let first = self.values.len();
        self.values.extend(row.iter().map(|(_, value)| value.id()));
        (first as u32..).zip(row).map(|(place, (column, _))| (*column, place)).collect()
    }

    /// Appends a row of the Jacobian: slopes by the `own` unknowns of a stage, the `first` of which this is, and, behind them, by what
    /// `links` lead from to all unknowns.
    fn add(
        &mut self,
        row: &[(usize, u32)],
        first: usize,
        own: usize,
        links: &[Vec<(usize, u32)>],
        rule: &mut ChainRule,
    ) {
        let through = |column: usize| column.checked_sub(own).map(|at| &links[at]);
        let mut columns: Vec<usize> = Vec::new();
        for (column, _) in row {
            match through(*column) {
                None => columns.push(first + column),
                Some(links) => columns.extend(links.iter().map(|(unknown, _)| *unknown)),
            }
        }
        columns.sort_unstable();
        columns.dedup();
        let begin: usize = self.pattern.iter().map(Vec::len).sum();
        let entry = |unknown: usize| (begin + columns.partition_point(|column| *column < unknown)) as u32;
        for (column, slope) in row {
            match through(*column) {
                None => rule.values.push([entry(first + column), *slope]),
                Some(links) => {
                    rule.products.extend(links.iter().map(|(unknown, link)| [entry(*unknown), *slope, *link]));
                }
            }
        }
        self.pattern.push(columns);
    }
}
