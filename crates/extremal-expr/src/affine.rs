//! Is an expression affine in some symbols? Derivatives alone do not tell: those of `sign(x)` vanish and those of `abs(x)` are
//! constant almost everywhere, and neither is affine.

use crate::graph::{Expr, Graph};
use crate::node::Id;

/// One row of a Jacobian: `(column, derivative)`.
type SparseSlopes<'g> = Vec<(usize, Expr<'g>)>;

impl Graph {
    /// Which of `functions` are affine in all `variables` (symbols) together.
    ///
    /// ```
    /// # use extremal_expr::{Function, Graph};
    /// let g = Graph::new();
    /// let (x, y) = (g.symbol("x"), g.symbol("y"));
    /// let jump = x.call(Function::Sign);
    /// assert_eq!(g.affine_in(&[x * y.abs() - 2, jump + x, x * y], &[x]), [true, false, true]);
    /// assert_eq!(g.affine_in(&[x * y], &[x, y]), [false]);
    /// ```
    pub fn affine_in<'g>(&'g self, functions: &[Expr<'g>], variables: &[Expr<'g>]) -> Vec<bool> {
        self.affine_rows(functions, variables, &self.jacobian(functions, variables))
    }

    /// The same where the Jacobian of `functions` by `variables` is at hand, as [`Graph::jacobian`] gives it.
    pub fn affine_rows<'g>(
        &'g self,
        functions: &[Expr<'g>],
        variables: &[Expr<'g>],
        jacobian: &[SparseSlopes<'g>],
    ) -> Vec<bool> {
        self.affine_slopes(functions, variables, jacobian).iter().map(Option::is_some).collect()
    }

    /// The constant slopes of those functions that are affine. They are those of the Jacobian, which may contain what breaks and
    /// cancels.
    pub fn affine_slopes<'g>(
        &'g self,
        functions: &[Expr<'g>],
        variables: &[Expr<'g>],
        jacobian: &[SparseSlopes<'g>],
    ) -> Vec<Option<SparseSlopes<'g>>> {
        let constant = |rows: &[SparseSlopes<'g>], variables: &[Expr<'g>]| -> Vec<bool> {
            let slopes: Vec<Expr<'g>> = rows.iter().flatten().map(|(_, slope)| *slope).collect();
            let mut varying = self.depend_on(&slopes, variables).into_iter();
            rows.iter().map(|row| !varying.by_ref().take(row.len()).fold(false, |any, varies| any | varies)).collect()
        };
        let Some((smooth, breaks)) = self.with_breaks_named(functions, variables) else {
            let constant = constant(jacobian, variables);
            return jacobian.iter().zip(constant).map(|(row, constant)| constant.then(|| row.clone())).collect();
        };
        let all = [variables, &breaks].concat();
        let rows = self.jacobian(&smooth, &all);
        let constant = constant(&rows, &all);
        let within = |row: &SparseSlopes<'g>| row.iter().all(|(column, _)| *column < variables.len());
        rows.into_iter().zip(constant).map(|(row, constant)| (constant && within(&row)).then_some(row)).collect()
    }

    /// Which of `functions` are differentiable as often as what they are made of: no `sign`, `abs`, `min`, `max` of `variables`, no
    /// `if` that they decide, unless it cancels. Only of such a function do derivatives by `variables` say everything.
    ///
    /// ```
    /// # use extremal_expr::Graph;
    /// let g = Graph::new();
    /// let (x, y) = (g.symbol("x"), g.symbol("y"));
    /// assert_eq!(g.unbroken_in(&[x * y.abs(), x.abs()], &[x]), [true, false]);
    /// ```
    pub fn unbroken_in<'g>(&'g self, functions: &[Expr<'g>], variables: &[Expr<'g>]) -> Vec<bool> {
        match self.with_breaks_named(functions, variables) {
            None => vec![true; functions.len()],
            Some((smooth, breaks)) => self.jacobian(&smooth, &breaks).iter().map(Vec::is_empty).collect(),
        }
    }

    /// The functions with a symbol for everything that breaks at some value of `variables`, and these symbols; `None` if nothing does.
    /// What cancels in a sum then still cancels in the derivatives.
    fn with_breaks_named<'g>(
        &'g self,
        functions: &[Expr<'g>],
        variables: &[Expr<'g>],
    ) -> Option<(Vec<Expr<'g>>, Vec<Expr<'g>>)> {
        let found: Vec<Id> = {
            let arena = self.arena();
            let nodes = arena.reachable(functions.iter().map(|e| e.id()));
            let breaks = |id: &Id| arena.node(*id).breaks_at().is_some();
            if !nodes.iter().any(breaks) {
                return None;
            }
            let moving = arena.dependent(&nodes, variables.iter().map(|e| e.id()));
            let moved = |id: &Id| arena.node(*id).breaks_at().is_some_and(|by| by.iter().any(|id| moving.contains(id)));
            nodes.into_iter().filter(moved).collect()
        };
        if found.is_empty() {
            return None;
        }
        let names: Vec<Expr<'g>> = (0..found.len()).map(|at| self.symbol(&format!("break {at}"))).collect();
        let rules: Vec<_> = found.iter().map(|id| self.expr(*id)).zip(names.iter().copied()).collect();
        Some((self.substitute(functions, &rules), names))
    }
}
