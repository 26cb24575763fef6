//! Discrete mechanics: methods as formulas.

mod composition;
mod quadrature;
mod reference;
mod scheme;
mod variational;

use extremal_expr::{Expr, Rational};
use extremal_model::{CompositionBase, Method, Start};
use thiserror::Error;

pub use quadrature::Quadrature;
pub use reference::{acceleration, phase_observation};
pub use scheme::{Equation, Scheme};
pub use variational::DiscreteAction;

use crate::System;

/// A combination of method, start and system that does not exist.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SchemeError {
    /// The adaptive methods have no fixed-step formula.
    #[error("`{0}` is adaptive: it has no step formula of its own")]
    Adaptive(String),
    /// `two-points` with a method that is not a one-step variational method.
    #[error("the start `two-points` is not defined for `{0}`: give velocities and use `legendre`")]
    NoTwoPoints(String),
    /// `custom` without a `[discrete]` table.
    #[error("the method `custom` needs a `[discrete]` table with a `lagrangian`")]
    NoDiscrete,
}

/// The user's own discrete system, in the symbols `x_0`, `x_1`, `h`, `t`.
pub struct CustomDiscrete<'g> {
    /// L_d(x_0, x_1).
    pub lagrangian: Expr<'g>,
    /// f−, per coordinate.
    pub force_minus: Vec<Expr<'g>>,
    /// f+, per coordinate.
    pub force_plus: Vec<Expr<'g>>,
}

/// The scheme of `method` for `system`.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::{System, discrete::scheme};
/// use extremal_model::Start;
/// let g = Graph::new();
/// let (x, v) = (g.symbol("x"), g.symbol("x'"));
/// let oscillator = System::new(&g, &["x"], v.powi(2) / 2 - x.powi(2) / 2);
/// let verlet = scheme(&oscillator, &"trapezoidal".parse()?, Start::Legendre, None)?;
/// // Störmer–Verlet is explicit here: elimination leaves nothing to solve.
/// assert!(verlet.step.eliminated(&g).solves.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn scheme<'g>(
    system: &System<'g>,
    method: &Method,
    start: Start,
    custom: Option<CustomDiscrete<'g>>,
) -> Result<Scheme, SchemeError> {
    let name = method.to_string();
    let one_node = |a: f64| Quadrature { nodes: vec![a], weights: vec![1.0] };
    let galerkin = |degree: usize, rule: &Quadrature| {
        DiscreteAction::galerkin(system, degree, rule).scheme(system, name.clone(), start)
    };
    let only_legendre = || match start {
        Start::Legendre => Ok(()),
        Start::TwoPoints => Err(SchemeError::NoTwoPoints(name.clone())),
    };
    Ok(match method {
        Method::Left => galerkin(1, &one_node(0.0)),
        Method::Right => galerkin(1, &one_node(1.0)),
        Method::Midpoint => galerkin(1, &one_node(0.5)),
        Method::Theta(a) => galerkin(1, &one_node(Rational::to_f64(a))),
        Method::Trapezoidal => galerkin(1, &Quadrature::lobatto(2)),
        Method::Galerkin { degree, quadrature } => galerkin(*degree as usize, &rule_of(*quadrature)),
        Method::Compose { composition, base } => {
            only_legendre()?;
            let base = match base {
                CompositionBase::Midpoint => Method::Midpoint,
                CompositionBase::Trapezoidal => Method::Trapezoidal,
            };
            let base = scheme(system, &base, start, None)?;
            Scheme { name, substeps: composition::substeps(*composition), ..base }
        }
        Method::Custom => {
            let custom = custom.ok_or(SchemeError::NoDiscrete)?;
            DiscreteAction::custom(system, custom.lagrangian, custom.force_minus, custom.force_plus)
                .scheme(system, name, start)
        }
        Method::Rk2 | Method::Rk4 | Method::Gauss(_) => {
            only_legendre()?;
            reference::runge_kutta(system, method, name)
        }
        Method::Dopri5 | Method::Dop853 => return Err(SchemeError::Adaptive(name)),
    })
}

fn rule_of(quadrature: extremal_model::Quadrature) -> Quadrature {
    match quadrature {
        extremal_model::Quadrature::Gauss(n) => Quadrature::gauss(n as usize),
        extremal_model::Quadrature::Lobatto(n) => Quadrature::lobatto(n as usize),
    }
}
