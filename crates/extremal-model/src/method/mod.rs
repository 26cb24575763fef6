//! The integration methods: the list of them, with all that is said of each. Parsing, messages, `extremal methods` and the tables
//! of the documentation come from it.

mod feature;
mod parse;
mod parts;

use std::fmt;

use extremal_expr::Rational;

use crate::ConstraintKind::{Chetaev, Holonomic, Nonholonomic, Vakonomic};
use Feature::{
    Accelerations, Action, Boundary, BoundaryConstraints, BoundaryEntropies, ConstrainedTwoPoints, Constraints,
    DryFriction, Entropies, HigherDerivatives, HigherForces, Matter, Momenta, Poisson, Reduction, Singular,
    SingularEntropies, States, TwoPoints, Velocities,
};
use parse::MethodTerm;
use parts::PrintedRational;

pub use feature::{Feature, Refusal};
pub use parse::{MethodError, MethodErrorKind};
pub use parts::{Composition, CompositionBase, Quadrature};

/// An integration method, as `[simulation] method` or a command line names it.
///
/// A method is read with [`str::parse`] and prints its canonical name, which reads back to the same method.
///
/// ```
/// use extremal_model::Method;
/// let method: Method = "galerkin( 2 )".parse()?;
/// assert_eq!(method.to_string(), "galerkin(2, gauss(2))");
/// assert_eq!("yoshida4".parse::<Method>()?.to_string(), "compose(yoshida4, trapezoidal)");
///
/// let wrong = "midpont".parse::<Method>().unwrap_err();
/// assert_eq!(wrong.help().as_deref(), Some("did you mean `midpoint`?"));
/// # Ok::<(), extremal_model::MethodError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Discrete Lagrangian at the left end of the step.
    Left,
    /// Discrete Lagrangian at the right end of the step.
    Right,
    /// Discrete Lagrangian at the middle of the step.
    Midpoint,
    /// Discrete Lagrangian at the fraction in `[0, 1]` of the step.
    Theta(Rational),
    /// The mean of left and right: Störmer-Verlet.
    Trapezoidal,
    /// Galerkin variational integrator: polynomials of the degree, the action by the quadrature.
    Galerkin {
        /// Degree of the polynomials, 1 to [`MAX_STAGES`].
        degree: u32,
        /// How the action integral is taken.
        quadrature: Quadrature,
    },
    /// A composition: of a symmetric method of order two, or of a method and its adjoint.
    Compose {
        /// The fractions of the step.
        composition: Composition,
        /// The method that takes each of them.
        base: CompositionBase,
    },
    /// Energy-preserving collocation with the stages, 1 to [`MAX_STAGES`]: the first and the second law hold for every step.
    EnergyEntropy(u32),
    /// The same with one stage and gradients of the quadratic parts of the Hamiltonian: keeps momenta of linear symmetries as well.
    EnergyEntropyMomentum,
    /// Kepler motions about a dominating body, between kicks of all other forces, order 2.
    WisdomHolman,
    /// The user's own discrete Lagrangian and forces, from `[discrete]`.
    Custom,
    /// For Lagrangians with accelerations: differences over three points, order 2.
    Difference,
    /// For Lagrangians with accelerations or higher derivatives: the Hermite polynomial between two points, order 4 for accelerations.
    Hermite,
    /// Reference: the explicit method of Euler.
    Euler,
    /// Reference: the explicit midpoint method.
    Rk2,
    /// Reference: the classical Runge-Kutta method of order 4.
    Rk4,
    /// Reference: Dormand-Prince 5(4), adaptive.
    Dopri5,
    /// Reference: Dormand-Prince 8(5,3), adaptive.
    Dop853,
    /// Reference: Gauss-Legendre collocation with the stages, 1 to [`MAX_STAGES`].
    Gauss(u32),
}

/// The largest degree of `galerkin` and the most stages of `gauss` and `energy-entropy`.
pub const MAX_STAGES: u32 = 8;
/// The most points of a quadrature.
pub const MAX_QUADRATURE_POINTS: u32 = 12;

/// A family of methods, such as `galerkin(s)` for every degree `s`.
///
/// ```
/// use extremal_model::{MethodFamily, Method};
/// let family = Method::Midpoint.family();
/// assert_eq!((family.usage, family.order), ("midpoint", "2"));
/// assert!(MethodFamily::all().iter().any(|family| family.name() == "galerkin"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct MethodFamily {
    /// How it is written, with letters for the arguments.
    pub usage: &'static str,
    /// What it is, in one sentence.
    pub sentence: &'static str,
    /// Where its equations are on the page of the theory.
    pub equations: &'static str,
    /// Its order, in the letters of `usage`.
    pub order: &'static str,
    /// What it keeps exactly, for a system without forces where nothing else is said.
    pub keeps: &'static str,
    /// What it is made for.
    pub kind: MethodKind,
    /// What it is defined for; everything else is refused by name.
    takes: &'static [&'static [Feature]],
    /// One of its methods.
    pub example: fn() -> Method,
    /// Reads the arguments; `None` for a method that takes none, which is `example`.
    read: Option<ReadArguments>,
}

/// Reads the arguments of a method.
type ReadArguments = fn(&MethodTerm<'_>) -> Result<Method, MethodError>;

/// What a family of methods is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MethodKind {
    /// A discrete principle of least action: symplectic, and conserves the momenta of symmetries.
    Variational,
    /// Conserves the energy itself.
    EnergyPreserving,
    /// A discrete action of the user's.
    Own,
    /// Solves the continuous equations to compare with, and keeps no structure.
    Reference,
}

const MOTIONS: &[Feature] = &[
    Velocities,
    Entropies,
    Matter,
    States,
    Constraints(Holonomic),
    Constraints(Nonholonomic),
    Constraints(Chetaev),
    Constraints(Vakonomic),
];
/// A discrete system of one's own says nothing of matter or states, nor of rows that change with the velocities.
const OWN_MOTIONS: &[Feature] =
    &[Velocities, Entropies, Constraints(Holonomic), Constraints(Nonholonomic), Constraints(Vakonomic)];
const PROBLEMS: &[Feature] = &[TwoPoints, ConstrainedTwoPoints, Boundary, BoundaryEntropies, BoundaryConstraints];
/// The impulses of dry friction come from both ends of a step alike, and so must the forces that they hold against.
const SYMMETRIC: &[&[Feature]] = &[MOTIONS, PROBLEMS, &[Action, DryFriction, Singular, Reduction]];
/// The midpoint rule is collocation at one Gauss point, which may be taken from momenta too.
const MIDPOINT_TAKES: &[&[Feature]] =
    &[MOTIONS, PROBLEMS, &[Action, Poisson, DryFriction, Singular, Reduction, Momenta]];

const SYMPLECTIC: &str = "symplectic form, momenta of affine symmetries";

/// What the variational methods have in common; the rest is said by each.
const VARIATIONAL: MethodFamily = MethodFamily {
    usage: "",
    sentence: "",
    equations: "",
    order: "2",
    keeps: SYMPLECTIC,
    kind: MethodKind::Variational,
    // In canonical coordinates of where a singular Lagrangian moves each is a symplectic pair.
    takes: &[MOTIONS, PROBLEMS, &[Action, Singular, Reduction]],
    example: || Method::Midpoint,
    read: None,
};
const REFERENCE: MethodFamily = MethodFamily {
    keeps: "nothing",
    kind: MethodKind::Reference,
    // The whole equations are integrated: the motion is the same.
    takes: &[MOTIONS, &[Action, Poisson, Singular, SingularEntropies, Reduction, Momenta]],
    ..VARIATIONAL
};

static MIDPOINT: MethodFamily = MethodFamily {
    usage: "midpoint",
    sentence: "discrete Lagrangian at the middle of the step",
    equations: "D2 with a = 1/2",
    takes: MIDPOINT_TAKES,
    example: || Method::Midpoint,
    ..VARIATIONAL
};

static TRAPEZOIDAL: MethodFamily = MethodFamily {
    usage: "trapezoidal",
    sentence: "the mean of `left` and `right`: Störmer-Verlet",
    equations: "D3",
    takes: SYMMETRIC,
    example: || Method::Trapezoidal,
    ..VARIATIONAL
};

static GALERKIN: MethodFamily = MethodFamily {
    usage: "galerkin(s)",
    sentence: "polynomials of degree s; the action by `gauss(s)`, or as in `galerkin(s, lobatto(r))`",
    equations: "G1 to G6",
    order: "2s",
    // Impulses of velocity constraints at control points that are not quadrature nodes lose the order.
    takes: &[&[Velocities, States, Singular, Reduction, Momenta, Constraints(Holonomic), TwoPoints, Boundary]],
    example: || Method::Galerkin { degree: 2, quadrature: Quadrature::Gauss(2) },
    read: Some(parse::galerkin),
    ..VARIATIONAL
};

static COMPOSED_MIDPOINT: MethodFamily = MethodFamily {
    usage: "compose(c, midpoint)",
    sentence: "a symmetric composition c of midpoint steps: `yoshida4`, `suzuki4`, `yoshida6`, `yoshida8`, `kahan-li8`, `sofroniou-spaletta10`",
    equations: "K1 to K9",
    order: "that of c",
    takes: &[MOTIONS, &[Action, Poisson, Singular, Reduction, Momenta]],
    example: || composed(CompositionBase::Midpoint),
    read: Some(parse::compose),
    ..VARIATIONAL
};

static COMPOSED_TRAPEZOIDAL: MethodFamily = MethodFamily {
    usage: "compose(c, trapezoidal)",
    sentence: "a symmetric composition c of trapezoidal steps; `yoshida4` and the other names alone mean it too",
    takes: &[MOTIONS, &[Action, Singular, Reduction, Momenta]],
    example: || composed(CompositionBase::Trapezoidal),
    ..COMPOSED_MIDPOINT
};

static COMPOSED_LEFT: MethodFamily = MethodFamily {
    usage: "compose(c, left)",
    sentence: "left and right steps by turns, a composition c of a method and its adjoint: `blanes-moan4`, `blanes-moan6`, and `blanes-moan6-nystrom` for constant masses and forces by positions; these names alone mean it too",
    equations: "K10 to K13",
    takes: &[&[Velocities]],
    example: || Method::compose(Composition::BlanesMoan4),
    ..COMPOSED_MIDPOINT
};

static COMPOSED_ENERGY_ENTROPY: MethodFamily = MethodFamily {
    usage: "compose(c, energy-entropy)",
    sentence: "a symmetric composition c of energy-entropy steps; a step may lower the entropy",
    keeps: "energy; first law",
    kind: MethodKind::EnergyPreserving,
    takes: ENERGY_ENTROPY.takes,
    example: || composed(CompositionBase::EnergyEntropy),
    ..COMPOSED_MIDPOINT
};

static ENERGY_ENTROPY: MethodFamily = MethodFamily {
    usage: "energy-entropy(s)",
    sentence: "energy-preserving collocation with s stages, 1 if not given",
    equations: "E15 to E21, X1 to X5",
    order: "2s",
    keeps: "energy; first and second law",
    kind: MethodKind::EnergyPreserving,
    takes: &[&[Velocities, Entropies, Matter, Poisson, Constraints(Holonomic), Constraints(Nonholonomic)]],
    example: || Method::EnergyEntropy(1),
    read: Some(parse::energy_entropy),
    ..VARIATIONAL
};

static ENERGY_ENTROPY_MOMENTUM: MethodFamily = MethodFamily {
    usage: "energy-entropy-momentum",
    sentence: "energy-preserving step between the quadratic parts of the Hamiltonian",
    equations: "E16 with X6",
    order: "2",
    keeps: "energy; first and second law; momenta of linear symmetries of the quadratic parts",
    example: || Method::EnergyEntropyMomentum,
    read: None,
    ..ENERGY_ENTROPY
};

static COMPOSED_ENERGY_ENTROPY_MOMENTUM: MethodFamily = MethodFamily {
    usage: "compose(c, energy-entropy-momentum)",
    sentence: "a symmetric composition c of energy-entropy-momentum steps; a step may lower the entropy",
    keeps: "energy; first law; momenta of linear symmetries of the quadratic parts",
    example: || composed(CompositionBase::EnergyEntropyMomentum),
    ..COMPOSED_ENERGY_ENTROPY
};

static WISDOM_HOLMAN: MethodFamily = MethodFamily {
    usage: "wisdom-holman",
    sentence: "for bodies about one that dominates, which comes first in the model, or about a fixed centre: exact Kepler motions between kicks of all other forces",
    equations: "K14 to K16",
    keeps: "symplectic form, momenta of translations and rotations",
    takes: &[&[Velocities]],
    example: || Method::WisdomHolman,
    ..VARIATIONAL
};

static COMPOSED_WISDOM_HOLMAN: MethodFamily = MethodFamily {
    usage: "compose(c, wisdom-holman)",
    sentence: "a symmetric composition c of wisdom-holman steps",
    keeps: WISDOM_HOLMAN.keeps,
    takes: WISDOM_HOLMAN.takes,
    example: || composed(CompositionBase::WisdomHolman),
    ..COMPOSED_MIDPOINT
};

static HERMITE: MethodFamily = MethodFamily {
    usage: "hermite",
    sentence: "for Lagrangians with accelerations or beyond: the Hermite polynomial between two points",
    equations: "H4",
    order: "4 for accelerations",
    takes: &[&[Accelerations, HigherDerivatives, HigherForces, Boundary]],
    example: || Method::Hermite,
    ..VARIATIONAL
};

static DIFFERENCE: MethodFamily = MethodFamily {
    usage: "difference",
    sentence: "for Lagrangians with accelerations: differences over three points",
    equations: "H5, H6",
    takes: &[&[Accelerations, HigherForces, Boundary, BoundaryConstraints]],
    example: || Method::Difference,
    ..VARIATIONAL
};

static DOP853: MethodFamily = MethodFamily {
    usage: "dop853",
    sentence: "reference: Dormand-Prince 8(5,3), adaptive",
    equations: "R6",
    order: "8",
    takes: &[
        MOTIONS,
        &[Action, Poisson, Accelerations, HigherDerivatives, HigherForces],
        &[Singular, SingularEntropies, Reduction, Momenta],
    ],
    example: || Method::Dop853,
    ..REFERENCE
};

static GAUSS: MethodFamily = MethodFamily {
    usage: "gauss(s)",
    sentence: "reference: Gauss-Legendre collocation with s stages",
    equations: "R4",
    order: "2s",
    keeps: "symplectic form where the mass matrix is constant",
    example: || Method::Gauss(2),
    read: Some(parse::gauss),
    ..REFERENCE
};

static RK4: MethodFamily = MethodFamily {
    usage: "rk4",
    sentence: "reference: the classical Runge-Kutta method",
    equations: "R3",
    order: "4",
    example: || Method::Rk4,
    ..REFERENCE
};

static LEFT: MethodFamily = MethodFamily {
    usage: "left",
    sentence: "discrete Lagrangian at the left end of the step",
    equations: "D2 with a = 0",
    order: "1",
    example: || Method::Left,
    ..VARIATIONAL
};

static RIGHT: MethodFamily = MethodFamily {
    usage: "right",
    sentence: "discrete Lagrangian at the right end of the step",
    equations: "D2 with a = 1",
    example: || Method::Right,
    ..LEFT
};

static THETA: MethodFamily = MethodFamily {
    usage: "theta(a)",
    sentence: "discrete Lagrangian at the fraction a of the step, from 0 to 1",
    equations: "D2",
    order: "1, and 2 at a = 1/2",
    example: || Method::Theta(Rational::ONE),
    read: Some(parse::theta),
    ..LEFT
};

static DOPRI5: MethodFamily = MethodFamily {
    usage: "dopri5",
    sentence: "reference: Dormand-Prince 5(4), adaptive",
    equations: "R5",
    order: "5",
    example: || Method::Dopri5,
    ..DOP853
};

static RK2: MethodFamily = MethodFamily {
    usage: "rk2",
    sentence: "reference: the explicit midpoint method",
    equations: "R2",
    order: "2",
    example: || Method::Rk2,
    ..RK4
};

static EULER: MethodFamily = MethodFamily {
    usage: "euler",
    sentence: "reference: the explicit method of Euler",
    equations: "R7",
    order: "1",
    example: || Method::Euler,
    ..RK4
};

static CUSTOM: MethodFamily = MethodFamily {
    usage: "custom",
    sentence: "your own discrete Lagrangian, forces and constraints, from [discrete], or your own finite-difference map, from [discretisation]",
    equations: "D17",
    order: "that of the discrete Lagrangian",
    kind: MethodKind::Own,
    // A discrete Lagrangian of one's own may reach over three points; of matter and states it says nothing.
    takes: &[OWN_MOTIONS, PROBLEMS, &[Accelerations]],
    example: || Method::Custom,
    ..LEFT
};

/// Makes of one list the order of the families and the family of every method; the compiler refuses a list that lacks a method.
macro_rules! families {
    ($($method:pat => $family:ident,)+) => {
        static ALL: &[&MethodFamily] = &[$(&$family),+];

        impl Method {
            /// The family it belongs to, with all that is said of it.
            pub fn family(&self) -> &'static MethodFamily {
                match self {
                    $($method => &$family,)+
                }
            }
        }
    };
}

// What is usually best comes first: messages advise in this order.
families! {
    Method::Midpoint => MIDPOINT,
    Method::Trapezoidal => TRAPEZOIDAL,
    Method::Galerkin { .. } => GALERKIN,
    Method::Compose { base: CompositionBase::Midpoint, .. } => COMPOSED_MIDPOINT,
    Method::EnergyEntropy(_) => ENERGY_ENTROPY,
    Method::EnergyEntropyMomentum => ENERGY_ENTROPY_MOMENTUM,
    Method::Hermite => HERMITE,
    Method::Difference => DIFFERENCE,
    Method::Dop853 => DOP853,
    Method::Gauss(_) => GAUSS,
    Method::Rk4 => RK4,
    Method::Compose { base: CompositionBase::Trapezoidal, .. } => COMPOSED_TRAPEZOIDAL,
    Method::Compose { base: CompositionBase::Left, .. } => COMPOSED_LEFT,
    Method::WisdomHolman => WISDOM_HOLMAN,
    Method::Compose { base: CompositionBase::WisdomHolman, .. } => COMPOSED_WISDOM_HOLMAN,
    Method::Left => LEFT,
    Method::Right => RIGHT,
    Method::Theta(_) => THETA,
    Method::Compose { base: CompositionBase::EnergyEntropy, .. } => COMPOSED_ENERGY_ENTROPY,
    Method::Compose { base: CompositionBase::EnergyEntropyMomentum, .. } => COMPOSED_ENERGY_ENTROPY_MOMENTUM,
    Method::Dopri5 => DOPRI5,
    Method::Rk2 => RK2,
    Method::Euler => EULER,
    Method::Custom => CUSTOM,
}

fn composed(base: CompositionBase) -> Method {
    Method::Compose { composition: Composition::Suzuki4, base }
}

impl MethodFamily {
    /// All families; what is usually best comes first.
    pub fn all() -> &'static [&'static MethodFamily] {
        ALL
    }

    /// The name, without arguments.
    pub fn name(&self) -> &'static str {
        self.usage.split('(').next().unwrap_or_default()
    }

    /// Is it defined for this?
    pub fn takes(&self, feature: Feature) -> bool {
        self.takes.iter().any(|group| group.contains(&feature))
    }
}

impl Method {
    /// The Galerkin variational integrator of a degree, 1 to [`MAX_STAGES`], with as many Gauss points.
    pub fn galerkin(degree: u32) -> Method {
        Method::Galerkin { degree, quadrature: Quadrature::Gauss(degree) }
    }

    /// A composition of trapezoidal steps, or of left steps and their adjoints.
    pub fn compose(composition: Composition) -> Method {
        Method::Compose { composition, base: composition.usual_base() }
    }

    /// Are its numbers in their ranges?
    ///
    /// # Errors
    /// What its name would be refused for.
    ///
    /// ```
    /// use extremal_model::Method;
    /// assert!(Method::galerkin(3).check().is_ok());
    /// assert!(Method::galerkin(0).check().is_err());
    /// ```
    pub fn check(&self) -> Result<(), MethodError> {
        self.to_string().parse::<Method>().map(drop)
    }

    /// Is the method defined for this?
    ///
    /// ```
    /// use extremal_model::{Feature, Method};
    /// assert!(Method::Midpoint.takes(Feature::Entropies));
    /// assert!(!"galerkin(2)".parse::<Method>()?.takes(Feature::Entropies));
    /// # Ok::<(), extremal_model::MethodError>(())
    /// ```
    pub fn takes(&self, feature: Feature) -> bool {
        // Straight lines have no control points between their ends.
        let family = if let Method::Galerkin { degree: 1, .. } = self { &MIDPOINT } else { self.family() };
        family.takes(feature)
    }

    /// Is it one of the reference integrators, which solve the continuous equations and keep no structure?
    pub fn is_reference(&self) -> bool {
        self.family().kind == MethodKind::Reference
    }

    /// Does every step keep the energy itself, and the first law with it?
    ///
    /// ```
    /// use extremal_model::Method;
    /// assert!(Method::EnergyEntropy(2).keeps_energy());
    /// assert!(!Method::Midpoint.keeps_energy());
    /// ```
    pub fn keeps_energy(&self) -> bool {
        self.family().kind == MethodKind::EnergyPreserving
    }

    /// The first of `needed` that the method is not defined for, with the families that take all of them.
    pub fn refuses(&self, needed: &[Feature]) -> Option<Refusal> {
        let feature = *needed.iter().find(|feature| !self.takes(**feature))?;
        let fits = |family: &&&MethodFamily| needed.iter().all(|feature| family.takes(*feature));
        let instead = ALL.iter().filter(fits).map(|family| family.usage).collect();
        Some(Refusal { method: self.to_string(), feature, instead })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.family().name();
        match self {
            Method::Theta(theta) => write!(f, "{name}({})", PrintedRational(theta)),
            Method::Galerkin { degree, quadrature } => write!(f, "{name}({degree}, {quadrature})"),
            Method::Compose { composition, base } => write!(f, "{name}({composition}, {base})"),
            Method::EnergyEntropy(stages @ 2..) | Method::Gauss(stages) => write!(f, "{name}({stages})"),
            Method::EnergyEntropy(_)
            | Method::EnergyEntropyMomentum
            | Method::Left
            | Method::Right
            | Method::Midpoint
            | Method::Trapezoidal
            | Method::WisdomHolman
            | Method::Custom
            | Method::Difference
            | Method::Hermite
            | Method::Euler
            | Method::Rk2
            | Method::Rk4
            | Method::Dopri5
            | Method::Dop853 => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_every_family_belongs_to_it_and_reads_back() {
        for family in MethodFamily::all() {
            let method = (family.example)();
            assert_eq!(method.family().usage, family.usage);
            assert_eq!(method.to_string().parse::<Method>(), Ok(method));
        }
    }
}
