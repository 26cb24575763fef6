//! What each method is defined for: one table, from which refusals, their advice and the documentation come.

use std::fmt;

use extremal_expr::Rational;

use super::{Composition, CompositionBase, Method, Quadrature};
use crate::ConstraintKind;

/// What a system, its start or a question asks of a method. A method that does not claim it in [`Method::features`] refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// A Lagrangian of positions and velocities.
    Velocities,
    /// A Lagrangian with accelerations.
    Accelerations,
    /// A Lagrangian with derivatives beyond accelerations.
    HigherDerivatives,
    /// Entropies.
    Entropies,
    /// Dry friction.
    DryFriction,
    /// Constraints of this kind.
    Constraints(ConstraintKind),
    /// A start from two positions.
    TwoPoints,
    /// The same under constraints.
    ConstrainedTwoPoints,
    /// A boundary-value or control problem.
    Boundary,
    /// The same with entropies.
    BoundaryEntropies,
    /// The same under constraints.
    BoundaryConstraints,
}

impl Feature {
    /// All features, in the order of the documentation.
    pub const ALL: [Feature; 13] = [
        Feature::Velocities,
        Feature::Accelerations,
        Feature::HigherDerivatives,
        Feature::Entropies,
        Feature::DryFriction,
        Feature::Constraints(ConstraintKind::Holonomic),
        Feature::Constraints(ConstraintKind::Nonholonomic),
        Feature::Constraints(ConstraintKind::Vakonomic),
        Feature::TwoPoints,
        Feature::ConstrainedTwoPoints,
        Feature::Boundary,
        Feature::BoundaryEntropies,
        Feature::BoundaryConstraints,
    ];

    /// The feature that a Lagrangian with derivatives up to `order` is.
    pub fn of_order(order: usize) -> Feature {
        match order {
            ..=1 => Feature::Velocities,
            2 => Feature::Accelerations,
            3.. => Feature::HigherDerivatives,
        }
    }
}

impl fmt::Display for Feature {
    /// Reads on from "is not defined".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Feature::Velocities => f.write_str("for a Lagrangian without accelerations"),
            Feature::Accelerations => f.write_str("for a Lagrangian with accelerations"),
            Feature::HigherDerivatives => f.write_str("for a Lagrangian with derivatives beyond accelerations"),
            Feature::Entropies => f.write_str("for a system with entropies"),
            Feature::DryFriction => f.write_str("under dry friction"),
            Feature::Constraints(kind) => write!(f, "under {} constraints", kind.name()),
            Feature::TwoPoints => f.write_str("from two points"),
            Feature::ConstrainedTwoPoints => f.write_str("from two points under constraints"),
            Feature::Boundary => f.write_str("for a boundary problem"),
            Feature::BoundaryEntropies => f.write_str("for a boundary problem with entropies"),
            Feature::BoundaryConstraints => f.write_str("for a boundary problem under constraints"),
        }
    }
}

impl Method {
    /// What the method is defined for; everything else is refused by name.
    ///
    /// ```
    /// use extremal_model::{Feature, Method};
    /// assert!(Method::Midpoint.takes(Feature::Entropies));
    /// assert!(!"galerkin(2)".parse::<Method>()?.takes(Feature::Entropies));
    /// # Ok::<(), extremal_model::MethodError>(())
    /// ```
    pub fn features(&self) -> &'static [Feature] {
        use ConstraintKind::{Holonomic, Nonholonomic, Vakonomic};
        use Feature::{
            Accelerations, Boundary, BoundaryConstraints, BoundaryEntropies, ConstrainedTwoPoints, Constraints,
            DryFriction, Entropies, HigherDerivatives, TwoPoints, Velocities,
        };
        match self {
            // The impulses of dry friction come from both ends of a step alike, and so must the forces that they hold against.
            Method::Midpoint | Method::Trapezoidal | Method::Galerkin { degree: ..=1, .. } => &[
                Velocities,
                Entropies,
                DryFriction,
                Constraints(Holonomic),
                Constraints(Nonholonomic),
                Constraints(Vakonomic),
                TwoPoints,
                ConstrainedTwoPoints,
                Boundary,
                BoundaryEntropies,
                BoundaryConstraints,
            ],
            Method::Left | Method::Right | Method::Theta(_) | Method::Custom => &[
                Velocities,
                Entropies,
                Constraints(Holonomic),
                Constraints(Nonholonomic),
                Constraints(Vakonomic),
                TwoPoints,
                ConstrainedTwoPoints,
                Boundary,
                BoundaryEntropies,
                BoundaryConstraints,
            ],
            // Impulses of velocity constraints at control points that are not quadrature nodes lose the order.
            Method::Galerkin { degree: 2.., .. } => &[Velocities, Constraints(Holonomic), TwoPoints, Boundary],
            Method::Compose { base: CompositionBase::Midpoint | CompositionBase::Trapezoidal, .. } => {
                &[Velocities, Entropies, Constraints(Holonomic), Constraints(Nonholonomic), Constraints(Vakonomic)]
            }
            Method::EnergyEntropy(_) | Method::Compose { base: CompositionBase::EnergyEntropy, .. } => {
                &[Velocities, Entropies]
            }
            Method::Difference => &[Accelerations, Boundary, BoundaryConstraints],
            Method::Hermite => &[Accelerations, HigherDerivatives, Boundary],
            Method::Rk2 | Method::Rk4 | Method::Gauss(_) => {
                &[Velocities, Entropies, Constraints(Holonomic), Constraints(Nonholonomic), Constraints(Vakonomic)]
            }
            Method::Dopri5 | Method::Dop853 => &[
                Velocities,
                Accelerations,
                HigherDerivatives,
                Entropies,
                Constraints(Holonomic),
                Constraints(Nonholonomic),
                Constraints(Vakonomic),
            ],
        }
    }

    /// Is the method defined for this?
    pub fn takes(&self, feature: Feature) -> bool {
        self.features().contains(&feature)
    }

    /// One method of every family, with the name that stands for all of it; what is usually best comes first.
    pub fn families() -> Vec<(&'static str, Method)> {
        let composed = |base| Method::Compose { composition: Composition::Suzuki4, base };
        vec![
            ("midpoint", Method::Midpoint),
            ("trapezoidal", Method::Trapezoidal),
            ("galerkin(s)", Method::Galerkin { degree: 2, quadrature: Quadrature::Gauss(2) }),
            ("compose(c, midpoint)", composed(CompositionBase::Midpoint)),
            ("energy-entropy", Method::EnergyEntropy(1)),
            ("hermite", Method::Hermite),
            ("difference", Method::Difference),
            ("dop853", Method::Dop853),
            ("gauss(s)", Method::Gauss(2)),
            ("rk4", Method::Rk4),
            ("compose(c, trapezoidal)", composed(CompositionBase::Trapezoidal)),
            ("left", Method::Left),
            ("right", Method::Right),
            ("theta(a)", Method::Theta(Rational::ONE)),
            ("compose(c, energy-entropy)", composed(CompositionBase::EnergyEntropy)),
            ("dopri5", Method::Dopri5),
            ("rk2", Method::Rk2),
            ("custom", Method::Custom),
        ]
    }

    /// The first of `needed` that the method is not defined for, with the families that take all of them.
    pub fn refuses(&self, needed: &[Feature]) -> Option<Refusal> {
        let feature = *needed.iter().find(|feature| !self.takes(**feature))?;
        let fits = |method: &Method| needed.iter().all(|feature| method.takes(*feature));
        let instead = Method::families().into_iter().filter(|(_, method)| fits(method)).map(|(name, _)| name).collect();
        Some(Refusal { method: self.to_string(), feature, instead })
    }
}

/// Families that a message names.
const MOST_ADVISED: usize = 5;

/// A method that is not defined for what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The method.
    pub method: String,
    /// What it is not defined for.
    pub feature: Feature,
    /// Families of methods that are defined for all that was asked.
    pub instead: Vec<&'static str>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not defined {}", self.method, self.feature)?;
        match self.advice() {
            Some(advice) => write!(f, ": {advice}"),
            None => Ok(()),
        }
    }
}

impl Refusal {
    /// What to use instead, if there is something.
    pub fn advice(&self) -> Option<String> {
        let names: Vec<String> = self.instead.iter().take(MOST_ADVISED).map(|name| format!("`{name}`")).collect();
        let (last, others) = names.split_last()?;
        Some(match others {
            [] => format!("use {last}"),
            others => format!("use {} or {last}", others.join(", ")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_reads_back_or_stands_for_one_that_does() {
        for (name, method) in Method::families() {
            assert_eq!(method.to_string().parse::<Method>(), Ok(method), "{name}");
        }
    }

    #[test]
    fn a_refusal_names_only_methods_that_take_everything_asked() {
        let needed = [Feature::Velocities, Feature::Entropies, Feature::Constraints(ConstraintKind::Holonomic)];
        let refusal = Method::EnergyEntropy(1).refuses(&needed).unwrap();
        assert_eq!(refusal.feature, Feature::Constraints(ConstraintKind::Holonomic));
        assert!(refusal.instead.contains(&"midpoint") && !refusal.instead.contains(&"galerkin(s)"));
        assert!(Method::Midpoint.refuses(&needed).is_none());
        let impossible = [Feature::HigherDerivatives, Feature::Entropies];
        assert_eq!(Method::Hermite.refuses(&impossible).unwrap().instead, ["dop853", "dopri5"]);
    }
}
