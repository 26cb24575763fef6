//! Coordinates in which a Lagrangian is not singular at an end.
//!
//! Where L ~ |v|^m y^(−a) near y = 0, as for the time of fall with m = 1 and a = 1/2, quadrature sees too little of a step that begins
//! there, and the least sum jumps: more steps do not help. In z = y^(1 − a/m) the leading part is |z'|^m, which polynomials have
//! exactly. Nodes keep their positions y; between them z is a polynomial instead of y.

use extremal_expr::Expr;

use crate::System;

/// A coordinate that is followed as y = base ± z^(1/exponent).
#[derive(Clone, Debug)]
pub struct Unfolding<'g> {
    /// Which coordinate.
    pub coordinate: usize,
    /// Where the Lagrangian is singular.
    pub base: Expr<'g>,
    /// Is the coordinate larger than that?
    pub above: bool,
    /// The exponent of y − base in z, between zero and one.
    pub exponent: Expr<'g>,
}

impl<'g> Unfolding<'g> {
    fn sign(&self) -> i64 {
        if self.above { 1 } else { -1 }
    }
}

/// The system in the new coordinates, by the symbols of the old ones.
pub(super) fn unfolded<'g>(system: &System<'g>, unfoldings: &[Unfolding<'g>]) -> System<'g> {
    system.with_lagrangian(unfold(system, system.lagrangian, unfoldings))
}

/// An expression of q and v in the new coordinates.
pub(super) fn unfold<'g>(system: &System<'g>, f: Expr<'g>, unfoldings: &[Unfolding<'g>]) -> Expr<'g> {
    let mut rules = Vec::new();
    for unfolding in unfoldings {
        let (z, rate) = (system.q[unfolding.coordinate], system.v[unfolding.coordinate]);
        let power = system.graph.int(1) / unfolding.exponent;
        rules.push((z, unfolding.base + z.pow(power) * unfolding.sign()));
        rules.push((rate, power * z.pow(power - 1) * rate * unfolding.sign()));
    }
    f.substitute(&rules)
}

/// An expression of new coordinates at the nodes, in the positions there.
pub(super) fn fold<'g>(f: Expr<'g>, nodes: &[Vec<Expr<'g>>], unfoldings: &[Unfolding<'g>]) -> Expr<'g> {
    let rules = nodes.iter().flat_map(|node| {
        unfoldings.iter().map(|unfolding| {
            let y = node[unfolding.coordinate];
            (y, ((y - unfolding.base) * unfolding.sign()).pow(unfolding.exponent))
        })
    });
    f.substitute(&rules.collect::<Vec<_>>())
}
