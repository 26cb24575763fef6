//! Frobenius' condition: do velocity constraints restrict positions after all?

use extremal_expr::Expr;

use crate::System;

/// One velocity constraint as a form A dq + b dt on positions and time, with its derivatives.
pub struct PfaffianForm<'g> {
    /// A and b: one entry per coordinate, the last for time.
    pub row: Vec<Expr<'g>>,
    /// Derivatives of the entries by coordinates and time, row by row.
    pub slopes: Vec<Vec<Expr<'g>>>,
}

impl<'g> System<'g> {
    /// The constraints as forms ω = A dq + b dt. They are integrable when dω vanishes on the directions that all of them
    /// allow. `None` if one of them is not affine in the velocities.
    pub fn pfaffian_forms(&self) -> Option<Vec<PfaffianForm<'g>>> {
        let g = self.graph;
        let at_rest: Vec<_> = self.v.iter().map(|v| (*v, g.int(0))).collect();
        let variables = [&self.q[..], &[self.t]].concat();
        let mut forms = Vec::new();
        for constraint in &self.constraints {
            let mut row = g.gradient(constraint.velocity, &self.v);
            let bends = g.depend_on(&row.iter().map(|e| g.simplified(*e)).collect::<Vec<_>>(), &self.v).contains(&true);
            if bends || !g.unbroken_in(&[constraint.velocity], &self.v)[0] {
                return None;
            }
            row = g.substitute(&row, &at_rest);
            row.push(constraint.velocity.substitute(&at_rest));
            let mut slopes = vec![vec![g.int(0); variables.len()]; row.len()];
            for (dense, sparse) in slopes.iter_mut().zip(g.jacobian(&row, &variables)) {
                sparse.into_iter().for_each(|(column, slope)| dense[column] = slope);
            }
            forms.push(PfaffianForm { row, slopes });
        }
        Some(forms)
    }
}
