//! Equations of motion of the gallery systems, derived on paper and typed in by hand.
//!
//! They are the independent side of the comparison "derived equals hand-written": nothing here comes from the program.

mod chains;
mod curved;
mod massless;
mod orbits;
mod oscillators;
mod pendulums;
mod thermal;

/// The interval a random sample is drawn from.
pub type Range = (f64, f64);

/// A state of a system: parameters of the gallery file by name, positions, velocities, accelerations, entropies, time.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    pub p: &'a dyn Fn(&str) -> f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub a: &'a [f64],
    pub s: &'a [f64],
    pub t: f64,
}

/// One system of the gallery with its equations.
pub struct HandTyped {
    /// Name of the gallery file, without its extension.
    pub gallery: &'static str,
    /// Where each coordinate may be sampled, in the order of the file; members of a family share the last range.
    pub positions: &'static [Range],
    /// Where every velocity may be sampled.
    pub velocities: Range,
    /// Where every entropy may be sampled.
    pub entropies: Range,
    /// For each coordinate `d/dt(dL/dv) - dL/dq - F`, for each entropy the temperature `-dL/dS`, for each the heat that it receives
    /// per unit time, then the energy `v . dL/dv - L`.
    pub rows: fn(Sample<'_>) -> Vec<f64>,
}

const fn typed(gallery: &'static str, positions: &'static [Range], rows: fn(Sample<'_>) -> Vec<f64>) -> HandTyped {
    HandTyped { gallery, positions, velocities: SLOW, entropies: (-1.0, 2.0), rows }
}

/// All systems.
pub fn all() -> Vec<HandTyped> {
    let groups = [
        chains::systems(),
        curved::systems(),
        massless::systems(),
        orbits::systems(),
        oscillators::systems(),
        pendulums::systems(),
        thermal::systems(),
    ];
    groups.into_iter().flatten().collect()
}

/// Velocities of order one.
const SLOW: Range = (-2.0, 2.0);
/// A full turn.
const ANGLE: Range = (-3.0, 3.0);
/// Displacements of order one.
const AROUND_ZERO: Range = (-2.0, 2.0);
/// Distances bounded away from zero.
const DISTANCE: Range = (0.5, 2.0);
