//! What methods are made of: quadratures, compositions, fractions.

use std::fmt;

use extremal_expr::Rational;

use crate::named::named;

/// A quadrature rule on one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quadrature {
    /// Gauss-Legendre with this many points.
    Gauss(u32),
    /// Gauss-Lobatto with this many points, both ends among them.
    Lobatto(u32),
}

/// Fractions of a step: of a symmetric method for a symmetric composition, or of a method and its adjoint by turns.
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
    /// Sofroniou and Spaletta's thirty-five stages, order 10.
    SofroniouSpaletta10,
    /// Blanes and Moan's twelve steps of a method and its adjoint, order 4.
    BlanesMoan4,
    /// The same with twenty steps, order 6.
    BlanesMoan6,
    /// Twenty-eight steps of Blanes and Moan, order 6 where masses are constant and forces depend on positions alone.
    BlanesMoan6Nystrom,
}

named! { Composition: Yoshida4 = "yoshida4", Yoshida6 = "yoshida6", Yoshida8 = "yoshida8", Suzuki4 = "suzuki4",
KahanLi8 = "kahan-li8", SofroniouSpaletta10 = "sofroniou-spaletta10", BlanesMoan4 = "blanes-moan4",
BlanesMoan6 = "blanes-moan6", BlanesMoan6Nystrom = "blanes-moan6-nystrom" }

impl Composition {
    /// Is it made of a method and its adjoint by turns, which need not be symmetric?
    pub fn alternates(self) -> bool {
        matches!(self, Composition::BlanesMoan4 | Composition::BlanesMoan6 | Composition::BlanesMoan6Nystrom)
    }

    /// What it composes where nothing is said.
    pub fn usual_base(self) -> CompositionBase {
        if self.alternates() { CompositionBase::Left } else { CompositionBase::Trapezoidal }
    }
}

/// The methods that can be composed: symmetric ones of order two, and one that has an adjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompositionBase {
    /// [`Method::Midpoint`](super::Method::Midpoint).
    Midpoint,
    /// [`Method::Trapezoidal`](super::Method::Trapezoidal).
    Trapezoidal,
    /// [`Method::EnergyEntropy`](super::Method::EnergyEntropy) with one stage: keeps the energy exactly; its negative substeps lower the entropy inside a step.
    EnergyEntropy,
    /// [`Method::EnergyEntropyMomentum`](super::Method::EnergyEntropyMomentum): the same, and keeps momenta of linear symmetries.
    EnergyEntropyMomentum,
    /// [`Method::WisdomHolman`](super::Method::WisdomHolman).
    WisdomHolman,
    /// [`Method::Left`](super::Method::Left), by turns with its adjoint [`Method::Right`](super::Method::Right).
    Left,
}

named! { CompositionBase: Midpoint = "midpoint", Trapezoidal = "trapezoidal", EnergyEntropy = "energy-entropy",
EnergyEntropyMomentum = "energy-entropy-momentum", WisdomHolman = "wisdom-holman", Left = "left" }

impl CompositionBase {
    /// Does every step keep the energy itself?
    pub fn keeps_energy(self) -> bool {
        matches!(self, CompositionBase::EnergyEntropy | CompositionBase::EnergyEntropyMomentum)
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
pub(super) struct PrintedRational<'a>(pub &'a Rational);

impl fmt::Display for PrintedRational<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimal = self.0.to_f64().to_string();
        match Rational::parse_decimal(&decimal) {
            Some(value) if value == *self.0 => f.write_str(&decimal),
            _ => write!(f, "{}", self.0),
        }
    }
}
