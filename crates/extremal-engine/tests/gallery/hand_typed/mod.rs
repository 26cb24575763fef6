//! Equations of motion of the gallery systems, derived on paper and typed in by hand.
//!
//! They are the independent side of the comparison "derived equals hand-written": nothing here comes from
//! the program. Each residual is `d/dt(dL/dv) - dL/dq - F`, each energy `v . dL/dv - L`.

mod chains;
mod curved;
mod massless;
mod orbits;
mod oscillators;
mod pendulums;
mod thermal;

pub use thermal::{HandTypedHeat, systems as heat_systems};

/// Looks up a parameter of the gallery file by name.
pub type Parameters<'a> = &'a dyn Fn(&str) -> f64;

/// Euler-Lagrange residual from parameters, positions, velocities, accelerations and time.
pub type Residual = fn(Parameters, &[f64], &[f64], &[f64], f64) -> Vec<f64>;

/// Energy (Jacobi) function from parameters, positions, velocities and time.
pub type Energy = fn(Parameters, &[f64], &[f64], f64) -> f64;

/// The interval a random sample is drawn from.
pub type Range = (f64, f64);

/// One system of the gallery with its equations.
pub struct HandTyped {
    /// Name of the gallery file, without its extension.
    pub gallery: &'static str,
    /// Coordinates in the order of the file; a family `x` with `count = n` stands for its `n` members.
    pub coordinates: &'static [&'static str],
    /// Where each coordinate may be sampled; members of a family share the range.
    pub positions: &'static [Range],
    /// Where every velocity may be sampled.
    pub velocities: Range,
    /// The equations of motion.
    pub residual: Residual,
    /// The energy function.
    pub energy: Energy,
}

/// All systems, in alphabetical order of their gallery names.
pub fn all() -> Vec<HandTyped> {
    let mut systems: Vec<HandTyped> = [
        chains::systems(),
        curved::systems(),
        massless::systems(),
        orbits::systems(),
        oscillators::systems(),
        pendulums::systems(),
    ]
    .into_iter()
    .flatten()
    .collect();
    systems.sort_by_key(|system| system.gallery);
    systems
}

/// Velocities of order one.
const SLOW: Range = (-2.0, 2.0);
/// A full turn.
const ANGLE: Range = (-3.0, 3.0);
/// Displacements of order one.
const AROUND_ZERO: Range = (-2.0, 2.0);
/// Distances bounded away from zero.
const DISTANCE: Range = (0.5, 2.0);
