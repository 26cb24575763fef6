//! The work of the benchmarks as a careful programmer would write it for one problem: exact Jacobians typed in, everything
//! inlined, nothing checked that need not be. What the product is measured against.

pub mod chain;
pub mod double_pendulum;
#[cfg(target_arch = "x86_64")]
mod eight;
pub mod fermi_pasta_ulam;
pub mod gauss;
pub mod henon_heiles;
pub mod kepler;
pub mod n_body;
mod real;
pub mod rod;
pub mod rods;
pub mod solar_system;
pub mod thermal;
pub mod watched;
mod widest;

pub use widest::on_widest;

/// Weights that extend the polynomial through the last six values by one step, newest first.
const QUINTIC: [f64; 6] = [6.0, -15.0, 20.0, -15.0, 6.0, -1.0];
/// The same for the last four values.
const CUBIC: [f64; 4] = [4.0, -6.0, 4.0, -1.0];
