//! Identities decided by the exact test of zero.

use extremal_expr::{Expr, Node, Rational};

use crate::System;
use crate::analysis::Parameters;

/// What the exact test of zero says of an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentityVerdict {
    /// It holds, whatever the parameters.
    Proved,
    /// It holds for the present values of the parameters.
    ProvedHere,
    /// It does not hold.
    Failed,
    /// Neither was shown.
    Undecided,
}

impl IdentityVerdict {
    /// Does it hold?
    pub fn holds(self) -> bool {
        matches!(self, IdentityVerdict::Proved | IdentityVerdict::ProvedHere)
    }

    /// Of two identities together.
    pub fn and(self, other: IdentityVerdict) -> IdentityVerdict {
        use IdentityVerdict::{Failed, Proved, Undecided};
        match (self, other) {
            (Failed, _) | (_, Failed) => Failed,
            (Undecided, _) | (_, Undecided) => Undecided,
            (Proved, Proved) => Proved,
            _ => IdentityVerdict::ProvedHere,
        }
    }
}

/// The test of zero with the parameters of a system. Those in exponents keep their values: another one would be another function.
pub struct ZeroJudge<'g> {
    in_exponents: Vec<(Expr<'g>, Rational)>,
    exact: Vec<(Expr<'g>, Rational)>,
}

impl<'g> ZeroJudge<'g> {
    /// With these parameters.
    pub fn new(system: &System<'g>, parameters: &Parameters<'g>) -> ZeroJudge<'g> {
        let exponents = exponent_symbols(system);
        let in_exponents = parameters.exact.iter().filter(|(p, _)| exponents.contains(p)).cloned().collect();
        ZeroJudge { in_exponents, exact: parameters.exact.clone() }
    }

    /// The values of all parameters that have an exact one.
    pub fn values(&self) -> &[(Expr<'g>, Rational)] {
        &self.exact
    }

    /// Do all of these vanish?
    pub fn vanish(&self, identities: impl IntoIterator<Item = Expr<'g>>) -> IdentityVerdict {
        identities.into_iter().fold(IdentityVerdict::Proved, |so_far, f| match so_far {
            IdentityVerdict::Failed => IdentityVerdict::Failed,
            so_far => so_far.and(self.vanishes(f)),
        })
    }

    fn vanishes(&self, f: Expr<'g>) -> IdentityVerdict {
        let g = f.graph();
        if g.vanishes(f, &self.in_exponents) == Some(true) {
            return IdentityVerdict::Proved;
        }
        match g.vanishes(f, &self.exact) {
            Some(true) => IdentityVerdict::ProvedHere,
            Some(false) => IdentityVerdict::Failed,
            None => IdentityVerdict::Undecided,
        }
    }
}

/// The symbols in exponents: a general value would leave the algebra of roots.
pub(crate) fn exponent_symbols<'g>(system: &System<'g>) -> Vec<Expr<'g>> {
    let g = system.graph;
    let sources: Vec<_> = [&[system.lagrangian][..], &system.force].concat().iter().map(|e| e.id()).collect();
    let exponents: Vec<Expr<'g>> = g
        .reachable(&sources)
        .into_iter()
        .filter_map(|id| match g.expr(id).node() {
            Node::Power(_, exponent) => Some(g.expr(exponent)),
            _ => None,
        })
        .collect();
    g.free_symbols(&exponents)
}
