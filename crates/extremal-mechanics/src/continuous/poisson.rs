//! Poisson systems: x' = B(x) ∇H with the skew matrix B of brackets, (Q1) of docs/theory.md. H stands in the system as −L.

use extremal_expr::Expr;

use super::RateLaw;
use crate::System;

/// The brackets {x_i, x_j} of the variables of a Poisson system.
#[derive(Clone)]
pub struct PoissonBrackets<'g> {
    /// Per variable i, the places j and values {x_i, x_j} that are not zero.
    pub rows: Vec<Vec<(usize, Expr<'g>)>>,
}

impl<'g> PoissonBrackets<'g> {
    /// Of so many variables, by pairs i < j; {x_j, x_i} is minus what is given.
    pub fn new(variables: usize, pairs: impl IntoIterator<Item = ((usize, usize), Expr<'g>)>) -> Self {
        let mut rows = vec![Vec::new(); variables];
        for ((i, j), value) in pairs {
            rows[i].push((j, value));
            rows[j].push((i, -value));
        }
        rows.iter_mut().for_each(|row| row.sort_by_key(|(place, _)| *place));
        PoissonBrackets { rows }
    }

    /// B g, for any covector g.
    pub fn applied(&self, slopes: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let row = |row: &Vec<(usize, Expr<'g>)>| row.iter().map(|(j, value)| *value * slopes[*j]).reduce(|a, b| a + b);
        self.rows.iter().zip(slopes).map(|(entries, slope)| row(entries).unwrap_or(slope.graph().int(0))).collect()
    }

    /// The brackets with symbols replaced.
    #[must_use]
    pub fn at(&self, rules: &[(Expr<'g>, Expr<'g>)]) -> Self {
        let replaced = |(place, value): &(usize, Expr<'g>)| (*place, value.substitute(rules));
        PoissonBrackets { rows: self.rows.iter().map(|row| row.iter().map(replaced).collect()).collect() }
    }

    /// All values, row by row.
    pub fn dense(&self, zero: Expr<'g>) -> Vec<Expr<'g>> {
        let n = self.rows.len();
        let mut entries = vec![zero; n * n];
        for (i, row) in self.rows.iter().enumerate() {
            row.iter().for_each(|(j, value)| entries[i * n + j] = *value);
        }
        entries
    }

    /// Every bracket once, i < j.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize, Expr<'g>)> {
        let upper = |(i, row): (usize, &Vec<(usize, Expr<'g>)>)| {
            row.iter().filter(|(j, _)| i < *j).map(|(j, value)| (i, *j, *value)).collect::<Vec<_>>()
        };
        self.rows.iter().enumerate().flat_map(upper)
    }
}

impl<'g> System<'g> {
    /// The brackets, if it is a Poisson system.
    pub fn poisson(&self) -> Option<&PoissonBrackets<'g>> {
        match &self.heat.law {
            RateLaw::Poisson(brackets) => Some(brackets),
            RateLaw::Stated | RateLaw::Action => None,
        }
    }
}
