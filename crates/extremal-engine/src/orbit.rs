//! Periodic motions: where one comes back to, its period, its multipliers, and how it changes with a parameter.

use extremal_solve::dense::{cholesky, lower_solve, upper_solve};
use extremal_solve::eigen::eigenpairs;
use extremal_solve::{SolveFailure, StepFailure};
use serde::Serialize;
use thiserror::Error;

use crate::run::{CompiledRun, PeriodMap, Returned, SetupError};
use crate::sweep::{AdjustableRun, SweepError};

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitSearch {
    /// About how long it takes, or exactly.
    pub period: f64,
    /// In how many steps.
    pub steps: u64,
    /// Is the period exactly this? So it is wherever the equations depend on time.
    pub fixed: bool,
}

/// A motion that comes back to where it began.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PeriodicOrbit {
    /// How long it takes.
    pub period: f64,
    /// In how many steps.
    pub steps: u64,
    /// What the state is made of, positions with momenta or velocities,
    pub names: Vec<String>,
    /// and where the motion begins.
    pub state: Vec<f64>,
    /// By how much it misses its beginning, at most.
    pub missed: f64,
    /// By what changes of the state are multiplied in a period: real and imaginary parts, the largest first.
    pub multipliers: Vec<[f64; 2]>,
    /// Iterations of the search.
    pub iterations: u32,
    #[serde(skip)]
    whole: Vec<f64>,
}

impl PeriodicOrbit {
    /// The largest size of a multiplier.
    pub fn largest_multiplier(&self) -> f64 {
        self.multipliers.first().map_or(0.0, |[re, im]| re.hypot(*im))
    }
}

/// Why there is none.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum OrbitError {
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Values(#[from] SweepError),
    #[error("the motion does not begin: {0}")]
    Begin(#[from] StepFailure),
    #[error("a period is a positive time of at least two steps")]
    Period,
    #[error("the motion from the start does not go through a period: {0}")]
    Motion(SolveFailure),
    #[error(
        "no motion near the start comes back after about {period}: it is missed by {missed:.2e}; begin closer to one"
    )]
    NotFound { period: f64, missed: f64 },
    #[error("the search came to a rest, which is no orbit: begin closer to one")]
    Rest,
    #[error("the multipliers were not found")]
    Multipliers,
}

const MOST_ITERATIONS: u32 = 60;
/// A state that is missed by less than this part of it, and of one, comes back.
const BACK: f64 = 1e-9;
/// Beside this it is round-off.
const ROUND_OFF: f64 = 1e-14;
/// What directions that change nothing are held with, relative to the others: orbits come in families, of which the nearest is wanted.
const HELD: f64 = 1e-9;
/// A motion that moves by less than this part of its state in a step rests.
const RESTS: f64 = 1e-9;

impl CompiledRun {
    /// Finds a periodic motion near the start of this run, by Newton's method on the map of a period with its exact derivative.
    ///
    /// ```
    /// use extremal_engine::orbit::OrbitSearch;
    /// use extremal_engine::{CompiledRun, Model, Settings};
    /// // A linear oscillator comes back after 2 pi from wherever it begins.
    /// let model = Model::from_toml("coordinates.x = 1\ndynamics.lagrangian = \"x'^2/2 - x^2/2\"\n\
    ///     simulation = { method = \"gauss(3)\", step = 0.1, until = 1 }")?;
    /// let run = CompiledRun::new(&model, &Settings::of(&model))?;
    /// let orbit = run.orbit(&OrbitSearch { period: 6.0, steps: 60, fixed: false })?;
    /// assert!((orbit.period - std::f64::consts::TAU).abs() < 1e-8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`OrbitError`].
    pub fn orbit(&self, search: &OrbitSearch) -> Result<PeriodicOrbit, OrbitError> {
        let state = self.begin()?.state().to_vec();
        self.orbit_near(search, state)
    }

    fn orbit_near(&self, search: &OrbitSearch, mut state: Vec<f64>) -> Result<PeriodicOrbit, OrbitError> {
        let OrbitSearch { mut period, steps, fixed } = *search;
        if !(period > 0.0 && period.is_finite()) || steps < 2 {
            return Err(OrbitError::Period);
        }
        let mut map = self.period_map(steps)?;
        let fixed = fixed || map.is_driven();
        let mut now = map.run(&state, period).map_err(OrbitError::Motion)?;
        let mut missed = off(&map, &state, &now);
        let mut iterations = 0;
        let n = map.size();
        // The motion from the start comes closest to it after a time of its own, whatever its equations are: a linear one comes back from
        // everywhere then, and otherwise only to its rest.
        while !fixed && iterations < MOST_ITERATIONS {
            let longer = period + nearer(&state, &now, n);
            if longer <= 0.5 * search.period || longer >= 2.0 * search.period {
                break;
            }
            let Ok(there) = map.run(&state, longer) else { break };
            let left = off(&map, &state, &there);
            if left >= missed {
                break;
            }
            iterations += 1;
            (period, now, missed) = (longer, there, left);
        }
        let size = |state: &[f64]| state[..n].iter().fold(1.0f64, |most, value| most.max(value.abs()));
        while missed > ROUND_OFF * size(&state) && iterations < MOST_ITERATIONS {
            iterations += 1;
            let step = newton_step(&map, &state, &now, fixed);
            let mut part = 1.0;
            let better = loop {
                let mut next = state.clone();
                next.iter_mut().zip(&step[..n]).for_each(|(value, step)| *value += part * step);
                let longer = if fixed { period } else { period + part * step[n] };
                // A period that vanishes comes back from everywhere.
                let there = (longer > 0.5 * search.period).then(|| map.run(&next, longer).ok()).flatten();
                if let Some(there) = there {
                    let left = off(&map, &next, &there);
                    if left < missed {
                        break Some((next, longer, there, left));
                    }
                }
                part /= 2.0;
                if part < 1e-4 {
                    break None;
                }
            };
            let Some((next, longer, there, left)) = better else { break };
            let settled = left > 0.5 * missed && left <= BACK * size(&next);
            (state, period, now, missed) = (next, longer, there, left);
            if settled {
                break;
            }
        }
        if missed > BACK * size(&state) {
            return Err(OrbitError::NotFound { period, missed });
        }
        if now.first.iter().all(|change| change.abs() <= RESTS * size(&state)) {
            return Err(OrbitError::Rest);
        }
        let monodromy: Vec<f64> = (0..n * n).map(|at| now.derivative[at / n * (n + 1) + at % n]).collect();
        let pairs = eigenpairs(&monodromy, n).ok_or(OrbitError::Multipliers)?;
        let mut multipliers: Vec<[f64; 2]> = pairs.iter().map(|pair| [pair.value.re, pair.value.im]).collect();
        multipliers.sort_by(|a, b| b[0].hypot(b[1]).total_cmp(&a[0].hypot(a[1])).then(b[1].total_cmp(&a[1])));
        Ok(PeriodicOrbit {
            period,
            steps,
            names: map.names().to_vec(),
            state: state[..n].to_vec(),
            missed,
            multipliers,
            iterations,
            whole: state,
        })
    }
}

/// By how much a state is missed after a period, at most.
fn off(map: &PeriodMap, state: &[f64], returned: &Returned) -> f64 {
    let pairs = state[..map.size()].iter().zip(&returned.state);
    pairs
        .map(|(before, after)| (after - before).abs())
        .fold(0.0, |most, off| if off.is_nan() { off } else { most.max(off) })
}

/// By how much longer the motion has to go on to come nearer to where it began.
fn nearer(state: &[f64], now: &Returned, n: usize) -> f64 {
    let rate = |at: usize| now.derivative[at * (n + 1) + n];
    let (along, speed) = (0..n).fold((0.0, 0.0), |(along, speed), at| {
        (along + rate(at) * (state[at] - now.state[at]), speed + rate(at) * rate(at))
    });
    if speed > 0.0 { along / speed } else { 0.0 }
}

/// The least change of state and period that leads to a motion that comes back, by the derivative: along the motion itself there is none.
fn newton_step(map: &PeriodMap, state: &[f64], now: &Returned, fixed: bool) -> Vec<f64> {
    let n = map.size();
    let (all, columns) = (n + 1, if fixed { n } else { n + 1 });
    let mut rows: Vec<(Vec<f64>, f64)> = (0..n)
        .map(|row| {
            let mut slopes = now.derivative[row * all..][..columns].to_vec();
            slopes[row] -= 1.0;
            (slopes, state[row] - now.state[row])
        })
        .collect();
    if !fixed {
        let mut along = now.first.clone();
        let length = along.iter().map(|change| change * change).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        along.iter_mut().for_each(|change| *change /= length);
        along.push(0.0);
        rows.push((along, 0.0));
    }
    let mut normal = vec![0.0; columns * columns];
    let mut right = vec![0.0; columns];
    for (slopes, off) in &rows {
        for i in 0..columns {
            right[i] += slopes[i] * off;
            (0..columns).for_each(|j| normal[i * columns + j] += slopes[i] * slopes[j]);
        }
    }
    let mut held = HELD * (0..columns).map(|at| normal[at * columns + at]).fold(f64::MIN_POSITIVE, f64::max);
    loop {
        let mut matrix = normal.clone();
        (0..columns).for_each(|at| matrix[at * columns + at] += held);
        if let Some(l) = cholesky(&matrix, columns) {
            let mut step = upper_solve(&l, &lower_solve(&l, &right, columns, 1), columns);
            step.resize(all, 0.0);
            return step;
        }
        if !held.is_finite() {
            return vec![0.0; all];
        }
        held *= 10.0;
    }
}

/// A family of periodic motions along the values of a parameter, each found from the one before it; what ended it early, if something did.
///
/// # Errors
/// There is none for the first value.
pub fn continued(
    run: &mut AdjustableRun,
    search: &OrbitSearch,
    name: &str,
    values: &[f64],
) -> Result<(Vec<PeriodicOrbit>, Option<OrbitError>), OrbitError> {
    let mut family: Vec<PeriodicOrbit> = Vec::with_capacity(values.len());
    for value in values {
        let here = run.with(&[(name, *value)])?;
        let found = match family.last() {
            None => here.orbit(search)?,
            Some(last) => {
                let search = OrbitSearch { period: last.period, ..*search };
                match here.orbit_near(&search, last.whole.clone()) {
                    Ok(orbit) => orbit,
                    Err(error) => return Ok((family, Some(error))),
                }
            }
        };
        family.push(found);
    }
    Ok((family, None))
}
