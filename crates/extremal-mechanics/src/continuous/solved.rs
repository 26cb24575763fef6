//! The equations of motion solved for what they determine: accelerations, rates of entropies, multipliers.

use extremal_expr::Expr;

use super::elimination::solve_affine;
use crate::System;

/// Equations are solved up to this many accelerations that are coupled: beyond it the formulas fill pages.
const MAX_COUPLED: usize = 6;

impl<'g> System<'g> {
    /// Accelerations, rates of entropies, and multipliers (of vakonomic constraints their rates), in the order of
    /// [`motion_unknowns`](Self::motion_unknowns), as the equations of motion determine them. `None` where the equations are not
    /// affine in them, do not determine all of them, or couple too many.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// use extremal_model::ConstraintKind;
    /// let g = Graph::new();
    /// let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    /// let mut slope = System::new(&g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 - y);
    /// slope.constrain("slope", ConstraintKind::Holonomic, y - x, None);
    /// let half = g.int(1) / 2;
    /// assert_eq!(slope.solved_motion().unwrap(), [-half, -half, half]);
    /// ```
    pub fn solved_motion(&self) -> Option<Vec<Expr<'g>>> {
        let g = self.graph;
        let few = |group: &[usize]| group.iter().filter(|place| **place < self.len()).count() <= MAX_COUPLED;
        let solved = solve_affine(g, &self.motion_equations(), &self.motion_unknowns(), few)?;
        let here = self.on_constraints();
        Some(solved.into_iter().map(|value| where_holds(value, &here)).collect())
    }

    /// What constraints say of positions and velocities, by which the solved equations become shorter: f(q) = c of f, and of a velocity
    /// that stands alone its value.
    fn on_constraints(&self) -> Vec<(Expr<'g>, Expr<'g>)> {
        let g = self.graph;
        let at = |symbols: &[Expr<'g>]| symbols.iter().map(|symbol| (*symbol, g.int(0))).collect::<Vec<_>>();
        let (at_origin, at_rest) = (at(&self.q), at(&self.v));
        let mut rules = Vec::new();
        for constraint in self.constraints.iter().filter(|c| c.kind.nature().binds_positions) {
            // Where the expression is the sum of a part with positions and one without.
            let constant = constraint.expression.substitute(&at_origin);
            let moving = constraint.expression - constant;
            if let (false, Some((factor, sum))) = (constant.is_zero(), g.factored(moving)) {
                let is_sum = sum.as_number().is_none();
                rules.push(if is_sum { (sum, -constant / factor) } else { (moving, -constant) });
            }
            if let [(place, slope)] = g.jacobian(&[constraint.velocity], &self.v)[0][..] {
                rules.push((self.v[place], -constraint.velocity.substitute(&at_rest) / slope));
            }
        }
        rules
    }
}

/// A value as short as it gets where the constraints hold.
fn where_holds<'g>(value: Expr<'g>, here: &[(Expr<'g>, Expr<'g>)]) -> Expr<'g> {
    let g = value.graph();
    let Some(quotient) = g.as_quotient(value) else { return g.simplified(value) };
    let [numerator, denominator] = [quotient.numerator, quotient.denominator].map(|sum| sum.substitute(here));
    // Constraints that make it zero are singular there, and no help elsewhere.
    if g.vanishes(denominator, &[]) != Some(false) {
        return g.simplified(quotient.value());
    }
    g.simplified(quotient.factor.substitute(here) * g.simplified(numerator) / g.simplified(denominator))
}
