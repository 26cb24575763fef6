//! Motions side by side: what was recorded, how round-off grows along it, and whether two of them are one.
//!
//! A step is solved until its residual is a few units of round-off ε of its terms, so every step leaves the exact discrete motion by
//! a few ε of the size of the state, and the rest of the motion carries that along. How much it grows is measured: the same
//! model from starts a relative δ away ends |Δ| away, and an error of ε is |Δ| ε/δ then. After n steps the sum is at most n ε A with
//! A = |Δ|/δ + size, where the size stands for errors that do not grow.

use std::collections::BTreeMap;

use extremal_engine::run::{End, Settings};
use extremal_engine::trajectory::Role;
use extremal_engine::{CompiledRun, Model};

use crate::source::Source;
use crate::transform::{Rewritten, nearby};
use extremal_testkit::runs::{RecordedRun, executed};

/// Far enough above round-off to be seen after it has shrunk a little, and below what a constraint takes for a violation.
const NEARBY: f64 = 4e-12;

/// Errors of a step in units of round-off: up to 8 of the residual at which Newton's iteration ends, in both motions that are
/// compared, and twice that for directions in which the starts nearby did not happen to differ.
const UNITS_PER_STEP: f64 = 32.0;

/// The columns of a run, by name, one number per row.
pub struct Motion {
    pub columns: BTreeMap<String, (Role, Vec<f64>)>,
    pub steps: u64,
}

/// Why there is no motion.
#[derive(Debug, thiserror::Error)]
pub enum NoMotion {
    /// The method is not for this model.
    #[error("refused: {0}")]
    Refused(String),
    /// It did not get to the end.
    #[error("{0}")]
    Failed(String),
}

/// Runs to the end.
pub fn run(model: &Model, settings: &Settings) -> Result<Motion, NoMotion> {
    let run = CompiledRun::new(model, settings).map_err(|e| NoMotion::Refused(e.to_string()))?;
    let RecordedRun { outcome, recorder } = executed(&run);
    if let End::Failed(failure) = outcome.end {
        return Err(NoMotion::Failed(failure.to_string()));
    }
    let columns =
        recorder.columns().iter().enumerate().map(|(index, column)| {
            (column.name().to_string(), (column.role(), recorder.series().column(index).collect()))
        });
    Ok(Motion { columns: columns.collect(), steps: outcome.steps })
}

/// A motion and how uncertain its numbers are by round-off.
pub struct Reference {
    pub motion: Motion,
    /// A per column: what an error of 1 at the start has become at the worst row.
    amplification: BTreeMap<String, f64>,
    /// Errors of a step relative to the state.
    pub error_per_step: f64,
}

impl Reference {
    /// The motion of `source` with what `choose` makes of its settings.
    pub fn of(source: &Source, choose: &dyn Fn(&Model) -> Settings) -> Result<Reference, NoMotion> {
        let model = source.model();
        let settings = choose(&model);
        let motion = run(&model, &settings)?;
        let near = nearby(source, NEARBY).model();
        // A start that fits its constraints, as near as may be.
        let settings = Settings { project: true, ..choose(&near) };
        let nearby = run(&near, &settings)?;
        let size = |role: Role| {
            let alike = motion.columns.values().filter(|(other, _)| *other == role);
            alike.flat_map(|(_, values)| values).fold(0.0f64, |largest, x| largest.max(x.abs()))
        };
        let amplification = motion.columns.iter().map(|(name, (role, values))| {
            let moved = values.iter().zip(&nearby.columns[name].1).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            (name.clone(), size(*role) + moved / NEARBY)
        });
        let amplification = amplification.collect();
        let error_per_step = UNITS_PER_STEP * f64::EPSILON;
        Ok(Reference { motion, amplification, error_per_step })
    }

    /// The same from a row on, with the time counted from there.
    pub fn after_row(mut self, row: usize) -> Reference {
        for (role, values) in self.motion.columns.values_mut() {
            values.drain(..row);
            if let (Role::Time, Some(begin)) = (*role, values.first().copied()) {
                values.iter_mut().for_each(|t| *t -= begin);
            }
        }
        self
    }

    /// What an error of 1 at the start becomes in a column.
    pub fn growth(&self, column: &str) -> f64 {
        self.amplification[column]
    }

    /// What two computations of a column may differ by.
    pub fn tolerance(&self, column: &str) -> f64 {
        self.error_per_step * self.motion.steps as f64 * self.growth(column)
    }

    /// The largest deviation of `other` from what `rewritten` makes of this motion, in tolerances, and where it is.
    pub fn deviation(&self, rewritten: &Rewritten, other: &Motion) -> (f64, String) {
        let mut worst = (0.0, String::new());
        for (name, (role, values)) in &self.motion.columns {
            let Some((new_name, factor, shift)) = image(rewritten, name, *role) else { continue };
            let Some((_, new_values)) = other.columns.get(&new_name) else {
                return (f64::INFINITY, format!("no column {new_name}"));
            };
            if values.len() != new_values.len() {
                return (f64::INFINITY, format!("{} rows, then {}", values.len(), new_values.len()));
            }
            for (row, (old, new)) in values.iter().zip(new_values).enumerate() {
                let error = (old - (factor * new + shift)).abs();
                if error == 0.0 {
                    continue;
                }
                let share = error / (self.tolerance(name) * rewritten.cancellation);
                let share = if share.is_nan() { f64::INFINITY } else { share };
                if share > worst.0 {
                    worst =
                        (share, format!("{name} in row {row}: {old} and {} differ by {error:e}", factor * new + shift));
                }
            }
        }
        worst
    }
}

/// Where a column is found in the rewritten model, and how it is read there: old = factor · new + shift.
fn image(rewritten: &Rewritten, name: &str, role: Role) -> Option<(String, f64, f64)> {
    let Rewritten { factor, shift, action, time, .. } = *rewritten;
    match role {
        Role::Time => Some((name.into(), 1.0 / time, 0.0)),
        // Momenta of a Hamiltonian that cannot be solved for velocities are coordinates of a phase space, and have rates.
        Role::Coordinate | Role::Velocity if rewritten.source.is_hamiltonian() && name.starts_with("p_") => {
            let primes = name.chars().filter(|c| *c == '\'').count();
            let coordinate = name.strip_prefix("p_")?.trim_end_matches('\'');
            let new_name = format!("p_{}{}", rewritten.name(coordinate), "'".repeat(primes));
            Some((new_name, time.powi(primes as i32) / (action * factor * time), 0.0))
        }
        Role::Coordinate => Some((rewritten.name(name), factor, shift)),
        // Also x'' and x''' of Lagrangians of the second order.
        Role::Velocity => {
            let primes = name.chars().filter(|c| *c == '\'').count();
            let new_name = format!("{}{}", rewritten.name(name.trim_end_matches('\'')), "'".repeat(primes));
            Some((new_name, factor * time.powi(primes as i32), 0.0))
        }
        // A momentum p_x' belongs to x'.
        Role::Momentum if rewritten.same_momenta && !name.starts_with("p_p_") => {
            let primes = name.chars().filter(|c| *c == '\'').count();
            let coordinate = name.strip_prefix("p_")?.trim_end_matches('\'');
            let new_name = format!("p_{}{}", rewritten.name(coordinate), "'".repeat(primes));
            Some((new_name, 1.0 / (action * factor * time.powi(primes as i32 + 1)), 0.0))
        }
        Role::Entropy | Role::Amount | Role::State => Some((name.into(), 1.0, 0.0)),
        Role::Temperature | Role::Potential => Some((name.into(), 1.0 / action, 0.0)),
        Role::Energy if rewritten.same_momenta => Some((name.into(), 1.0 / action, 0.0)),
        _ => None,
    }
}
