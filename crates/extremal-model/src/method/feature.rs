//! What a system can ask of a method, and the words of its refusal.

use std::fmt;

use crate::ConstraintKind;

/// What a system, its start or a question asks of a method. A method whose [`MethodFamily`](super::MethodFamily) does not name it refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// A Lagrangian of positions and velocities.
    Velocities,
    /// A Lagrangian with accelerations.
    Accelerations,
    /// A Lagrangian with derivatives beyond accelerations.
    HigherDerivatives,
    /// Forces beside accelerations.
    HigherForces,
    /// Entropies.
    Entropies,
    /// Amounts of matter.
    Matter,
    /// A contact system: an action that is part of the Lagrangian.
    Action,
    /// A Poisson system: variables with brackets.
    Poisson,
    /// States with rates of their own.
    States,
    /// A singular Lagrangian, whose motion is unique on the states that have one.
    Singular,
    /// The same with entropies.
    SingularEntropies,
    /// A start from momenta.
    Momenta,
    /// Dry friction.
    DryFriction,
    /// A system that is reduced by cyclic coordinates.
    Reduction,
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
    pub fn all() -> Vec<Feature> {
        let mut all = vec![
            Feature::Velocities,
            Feature::Accelerations,
            Feature::HigherDerivatives,
            Feature::HigherForces,
            Feature::Entropies,
            Feature::Matter,
            Feature::Action,
            Feature::Poisson,
            Feature::States,
            Feature::Singular,
            Feature::SingularEntropies,
            Feature::Momenta,
            Feature::DryFriction,
            Feature::Reduction,
        ];
        all.extend(ConstraintKind::ALL.map(Feature::Constraints));
        all.extend([
            Feature::TwoPoints,
            Feature::ConstrainedTwoPoints,
            Feature::Boundary,
            Feature::BoundaryEntropies,
            Feature::BoundaryConstraints,
        ]);
        all
    }

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
            Feature::HigherForces => f.write_str("for forces beside accelerations"),
            Feature::Entropies => f.write_str("for a system with entropies"),
            Feature::Matter => f.write_str("for a system with amounts of matter"),
            Feature::Action => f.write_str("for a contact system"),
            Feature::Poisson => f.write_str("for a Poisson system"),
            Feature::States => f.write_str("for a system with states of first order"),
            Feature::Singular => f.write_str("for a singular Lagrangian"),
            Feature::SingularEntropies => f.write_str("for a singular Lagrangian with entropies or states"),
            Feature::Momenta => f.write_str("from momenta"),
            Feature::DryFriction => f.write_str("under dry friction"),
            Feature::Reduction => f.write_str("for a reduction by cyclic coordinates"),
            Feature::Constraints(kind) => write!(f, "under {} constraints", kind.name()),
            Feature::TwoPoints => f.write_str("from two points"),
            Feature::ConstrainedTwoPoints => f.write_str("from two points under constraints"),
            Feature::Boundary => f.write_str("for a boundary problem"),
            Feature::BoundaryEntropies => f.write_str("for a boundary problem with entropies"),
            Feature::BoundaryConstraints => f.write_str("for a boundary problem under constraints"),
        }
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
    use crate::Method;

    #[test]
    fn a_refusal_names_only_methods_that_take_everything_asked() {
        let needed = [Feature::Velocities, Feature::Entropies, Feature::Constraints(ConstraintKind::Vakonomic)];
        let refusal = Method::EnergyEntropy(1).refuses(&needed).unwrap();
        assert_eq!(refusal.feature, Feature::Constraints(ConstraintKind::Vakonomic));
        assert!(refusal.instead.contains(&"midpoint") && !refusal.instead.contains(&"galerkin(s)"));
        assert!(Method::Midpoint.refuses(&needed).is_none());
        let impossible = [Feature::HigherDerivatives, Feature::Entropies];
        assert_eq!(Method::Hermite.refuses(&impossible).unwrap().instead, ["dop853", "dopri5"]);
    }
}
