//! The integration methods by name.

mod abilities;
mod parse;

use std::fmt;

use extremal_expr::Rational;

pub use abilities::{Feature, Refusal};
pub use parse::{MethodError, MethodErrorKind};

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
    /// A symmetric composition of a symmetric method of order two.
    Compose {
        /// The fractions of the step.
        composition: Composition,
        /// The method that takes each of them.
        base: CompositionBase,
    },
    /// Energy-preserving collocation with the stages, 1 to [`MAX_STAGES`]: the first and the second law hold for every step.
    EnergyEntropy(u32),
    /// The user's own discrete Lagrangian and forces, from `[discrete]`.
    Custom,
    /// For Lagrangians with accelerations: differences over three points, order 2.
    Difference,
    /// For Lagrangians with accelerations or higher derivatives: the Hermite polynomial between two points, order 4 for accelerations.
    Hermite,
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

impl Method {
    /// Is it one of the reference integrators, which solve the continuous equations and keep no structure?
    pub fn is_reference(&self) -> bool {
        matches!(self, Method::Rk2 | Method::Rk4 | Method::Dopri5 | Method::Dop853 | Method::Gauss(_))
    }
}

/// A quadrature rule on one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quadrature {
    /// Gauss-Legendre with this many points.
    Gauss(u32),
    /// Gauss-Lobatto with this many points, both ends among them.
    Lobatto(u32),
}

/// A symmetric composition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Composition {
    /// Yoshida's triple jump, order 4.
    Yoshida4,
    /// Yoshida's seven stages, order 6.
    Yoshida6,
    /// Yoshida's fifteen stages, order 8.
    Yoshida8,
    /// Suzuki's five stages, order 4.
    Suzuki4,
    /// Kahan and Li's seventeen stages, order 8.
    KahanLi8,
}

impl Composition {
    /// All compositions.
    pub const ALL: [Composition; 5] = [
        Composition::Yoshida4,
        Composition::Yoshida6,
        Composition::Yoshida8,
        Composition::Suzuki4,
        Composition::KahanLi8,
    ];

    /// Its name in a model file.
    pub fn name(self) -> &'static str {
        match self {
            Composition::Yoshida4 => "yoshida4",
            Composition::Yoshida6 => "yoshida6",
            Composition::Yoshida8 => "yoshida8",
            Composition::Suzuki4 => "suzuki4",
            Composition::KahanLi8 => "kahan-li8",
        }
    }
}

/// The methods that can be composed: symmetric, of order two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompositionBase {
    /// [`Method::Midpoint`].
    Midpoint,
    /// [`Method::Trapezoidal`].
    Trapezoidal,
    /// [`Method::EnergyEntropy`] with one stage: keeps the energy exactly; its negative substeps lower the entropy inside a step.
    EnergyEntropy,
}

impl CompositionBase {
    /// Its name in a model file.
    pub fn name(self) -> &'static str {
        match self {
            CompositionBase::Midpoint => "midpoint",
            CompositionBase::Trapezoidal => "trapezoidal",
            CompositionBase::EnergyEntropy => "energy-entropy",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Left => f.write_str("left"),
            Method::Right => f.write_str("right"),
            Method::Midpoint => f.write_str("midpoint"),
            Method::Theta(theta) => write!(f, "theta({})", Fraction(theta)),
            Method::Trapezoidal => f.write_str("trapezoidal"),
            Method::Galerkin { degree, quadrature } => write!(f, "galerkin({degree}, {quadrature})"),
            Method::Compose { composition, base } => write!(f, "compose({}, {})", composition.name(), base.name()),
            Method::EnergyEntropy(1) => f.write_str("energy-entropy"),
            Method::EnergyEntropy(stages) => write!(f, "energy-entropy({stages})"),
            Method::Custom => f.write_str("custom"),
            Method::Difference => f.write_str("difference"),
            Method::Hermite => f.write_str("hermite"),
            Method::Rk2 => f.write_str("rk2"),
            Method::Rk4 => f.write_str("rk4"),
            Method::Dopri5 => f.write_str("dopri5"),
            Method::Dop853 => f.write_str("dop853"),
            Method::Gauss(stages) => write!(f, "gauss({stages})"),
        }
    }
}

impl fmt::Display for Quadrature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quadrature::Gauss(points) => write!(f, "gauss({points})"),
            Quadrature::Lobatto(points) => write!(f, "lobatto({points})"),
        }
    }
}

/// Prints a rational as a decimal where that is exact (`0.3`), as a quotient otherwise (`1/3`).
struct Fraction<'a>(&'a Rational);

impl fmt::Display for Fraction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimal = self.0.to_f64().to_string();
        match Rational::parse_decimal(&decimal) {
            Some(value) if value == *self.0 => f.write_str(&decimal),
            _ => write!(f, "{}", self.0),
        }
    }
}
