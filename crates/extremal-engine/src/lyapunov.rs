//! Lyapunov exponents: the mean growth of small changes of a motion, by the exact derivatives of its steps.

use std::ops::ControlFlow;

use extremal_solve::{SolveFailure, StepFailure};
use serde::Serialize;
use thiserror::Error;

use crate::run::{CompiledRun, RunProgress, SensitivityError, SetupError};

/// What is asked of a spectrum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LyapunovOptions {
    /// For how long the motion goes on before growth counts: it finds where it stays, and changes their directions.
    pub transient: f64,
    /// How many of the largest exponents; all if it is not said.
    pub exponents: Option<usize>,
}

/// An exponent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LyapunovExponent {
    /// The mean growth of the logarithm of a length, per time.
    pub value: f64,
    /// How well the mean is known, by how it differs between parts of the motion.
    pub error: f64,
}

/// The exponents of a motion, and what checks them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LyapunovSpectrum {
    /// Largest first.
    pub exponents: Vec<LyapunovExponent>,
    /// The mean growth of volume, where all exponents are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sum: Option<f64>,
    /// The largest sum of an exponent and the one that a symplectic step pairs it with; where the state is positions and momenta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<f64>,
    /// Kaplan and Yorke's dimension, where the sum of the exponents that are known becomes negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimension: Option<f64>,
    /// Over how much time, in how many steps, the mean is taken.
    pub time: f64,
    /// Steps behind the transient.
    pub steps: u64,
    /// Did the caller end it early?
    pub interrupted: bool,
    /// The names of the directions that a change can have.
    pub state: Vec<String>,
    /// Means up to some times, for a picture of how they settle: the time, then the exponents in the order of their directions.
    #[serde(skip)]
    pub course: Vec<Vec<f64>>,
}

/// Why there is no spectrum.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum LyapunovError {
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error("{0}")]
    Motion(#[from] StepFailure),
    #[error("the motion cannot be differentiated at t = {time}: {cause}")]
    Derivative { time: f64, cause: SolveFailure },
    #[error("the transient of {transient} leaves no step of a run of {time}: end later")]
    NothingLeft { transient: f64, time: f64 },
    #[error("a backward run has the exponents of the forward one with the other sign: let the run end after its start")]
    Backward,
    #[error("there are {known} exponents, not {asked}")]
    TooMany { asked: usize, known: usize },
    #[error("a change of the motion is lost in one step at t = {time}: it has no exponents")]
    Lost { time: f64 },
}

impl From<SensitivityError> for LyapunovError {
    fn from(error: SensitivityError) -> LyapunovError {
        LyapunovError::Setup(error.into())
    }
}

/// Parts of a motion that are compared with each other.
const PARTS: usize = 20;
/// Times at which means are kept.
const COURSE: u64 = 400;
/// Where constraints act, directions that a step leaves with less than this part of the largest are none that a motion can go.
const LOST: f64 = 1e-9;
/// Steps between two looks at an interrupt.
const STEPS_BETWEEN_LOOKS: u64 = 256;

/// Directions that are followed: columns of `size` numbers that are orthonormal.
struct GrowingFrame {
    size: usize,
    columns: Vec<Vec<f64>>,
}

impl GrowingFrame {
    /// All directions, or the first so many. With positions and momenta, momenta come in the opposite order: the triangular factors of
    /// symplectic matrices between such frames are symplectic, and their diagonals come in pairs.
    fn of(size: usize, degrees: Option<usize>, count: usize) -> GrowingFrame {
        let paired = degrees.map_or(0, |degrees| 2 * degrees);
        let place = |at: usize| if at < paired && 2 * at >= paired { paired / 2 + paired - 1 - at } else { at };
        let unit = |at: usize| (0..size).map(|row| f64::from(u8::from(row == place(at)))).collect();
        GrowingFrame { size, columns: (0..count).map(unit).collect() }
    }

    /// Takes all directions through a step with this derivative, of which the rows have `stride` numbers, and makes them orthonormal again;
    /// `growth` gets the logarithms of what they have grown by. Directions that are lost are left out if that may be.
    fn advance(&mut self, derivative: &[f64], stride: usize, may_lose: bool, growth: &mut Vec<f64>) -> Option<()> {
        let size = self.size;
        for column in &mut self.columns {
            let row = |at: usize| derivative[at * stride..][..size].iter();
            *column = (0..size).map(|at| row(at).zip(&*column).map(|(a, b)| a * b).sum()).collect();
        }
        growth.clear();
        let mut kept: Vec<Vec<f64>> = Vec::with_capacity(self.columns.len());
        let mut largest = 0.0f64;
        for mut column in std::mem::take(&mut self.columns) {
            largest = largest.max(length(&column));
            // Twice is enough for orthogonality up to round-off.
            for _ in 0..2 {
                for other in &kept {
                    let along: f64 = column.iter().zip(other).map(|(a, b)| a * b).sum();
                    column.iter_mut().zip(other).for_each(|(own, other)| *own -= along * other);
                }
            }
            let left = length(&column);
            if may_lose && left <= LOST * largest {
                continue;
            }
            if left <= 0.0 || !left.is_finite() {
                return None;
            }
            column.iter_mut().for_each(|own| *own /= left);
            growth.push(left.ln());
            kept.push(column);
        }
        self.columns = kept;
        Some(())
    }
}

fn length(column: &[f64]) -> f64 {
    column.iter().map(|own| own * own).sum::<f64>().sqrt()
}

impl CompiledRun {
    /// The Lyapunov exponents of the planned run. Stop conditions do not end it.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use extremal_engine::lyapunov::LyapunovOptions;
    /// use extremal_engine::{CompiledRun, Model, Settings};
    /// // x'' = x: lengths grow and shrink like e^t.
    /// let model = Model::from_toml("coordinates.x = 0\ndynamics.lagrangian = \"x'^2/2 + x^2/2\"\n\
    ///     simulation = { method = \"gauss(3)\", step = 0.05, until = 200 }")?;
    /// let run = CompiledRun::new(&model, &Settings::of(&model))?;
    /// let options = LyapunovOptions { transient: 20.0, exponents: None };
    /// let spectrum = run.lyapunov(&options, |_| ControlFlow::Continue(()))?;
    /// assert!((spectrum.exponents[0].value - 1.0).abs() < 1e-9);
    /// assert!(spectrum.sum.unwrap().abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`LyapunovError`].
    pub fn lyapunov(
        &self,
        options: &LyapunovOptions,
        mut watch: impl FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<LyapunovSpectrum, LyapunovError> {
        let h = self.step();
        if h < 0.0 {
            return Err(LyapunovError::Backward);
        }
        let mut followed = self.followed_steps()?;
        let (size, planned) = (followed.size(), self.planned_steps());
        let asked = options.exponents.unwrap_or(size);
        let may_lose = self.constraints().rank > 0;
        if asked > size || asked == 0 {
            return Err(LyapunovError::TooMany { asked, known: size });
        }
        let settling = (options.transient / h).ceil().max(0.0) as u64;
        if settling >= planned {
            let time = planned as f64 * h;
            return Err(LyapunovError::NothingLeft { transient: options.transient, time });
        }
        let degrees = followed.canonical().filter(|_| !may_lose);
        let mut frame = GrowingFrame::of(size, degrees, if may_lose { size } else { asked });
        let mut growth = Vec::new();
        let mut sums = Sums::new(planned - settling);
        let mut interrupted = false;
        for step in 1..=planned {
            let time = followed.time();
            followed.advance(step).map_err(|error| match error {
                StepOrSlope::Step(failure) => LyapunovError::Motion(failure),
                StepOrSlope::Slope(cause) => LyapunovError::Derivative { time, cause },
            })?;
            let first = step == 1 && may_lose;
            frame
                .advance(followed.derivative(), followed.stride(), first, &mut growth)
                .ok_or(LyapunovError::Lost { time })?;
            if first {
                if asked > frame.columns.len() && options.exponents.is_some() {
                    return Err(LyapunovError::TooMany { asked, known: frame.columns.len() });
                }
                frame.columns.truncate(asked);
                growth.truncate(asked);
            }
            if step > settling {
                sums.push(&growth, followed.time() - time);
            }
            let now = RunProgress { step, steps: planned, time: followed.time() };
            if step.is_multiple_of(STEPS_BETWEEN_LOOKS) && watch(now).is_break() {
                interrupted = true;
                break;
            }
        }
        if sums.steps == 0 {
            return Err(LyapunovError::NothingLeft { transient: options.transient, time: followed.time() });
        }
        let all = frame.columns.len() == size || may_lose && options.exponents.is_none();
        let pairs = degrees.filter(|degrees| frame.columns.len() >= 2 * degrees);
        Ok(sums.spectrum(all, pairs, interrupted, followed.names().to_vec()))
    }
}

/// Growth, summed up.
struct Sums {
    planned: u64,
    steps: u64,
    time: f64,
    totals: Vec<f64>,
    /// Of each part of the motion, the growth and the time.
    parts: Vec<(Vec<f64>, f64)>,
    course: Vec<Vec<f64>>,
}

impl Sums {
    fn new(planned: u64) -> Sums {
        Sums { planned, steps: 0, time: 0.0, totals: Vec::new(), parts: Vec::new(), course: Vec::new() }
    }

    fn push(&mut self, growth: &[f64], time: f64) {
        self.totals.resize(growth.len(), 0.0);
        let part = (self.steps * PARTS as u64 / self.planned) as usize;
        if self.parts.len() <= part {
            self.parts.resize(part + 1, (vec![0.0; growth.len()], 0.0));
        }
        let (own, duration) = &mut self.parts[part];
        own.iter_mut().zip(growth).for_each(|(own, growth)| *own += growth);
        *duration += time;
        self.totals.iter_mut().zip(growth).for_each(|(total, growth)| *total += growth);
        (self.steps, self.time) = (self.steps + 1, self.time + time);
        let due = |steps: u64| steps * COURSE / self.planned;
        if due(self.steps) > due(self.steps - 1) {
            let means = self.totals.iter().map(|total| total / self.time);
            self.course.push([self.time].into_iter().chain(means).collect());
        }
    }

    fn spectrum(self, all: bool, degrees: Option<usize>, interrupted: bool, state: Vec<String>) -> LyapunovSpectrum {
        let means: Vec<f64> = self.totals.iter().map(|total| total / self.time).collect();
        let pairs = degrees
            .map(|degrees| (0..degrees).map(|at| (means[at] + means[2 * degrees - 1 - at]).abs()).fold(0.0, f64::max));
        let parts = self.parts.len() as f64;
        let error = |at: usize| {
            let off = self.parts.iter().map(|(growth, time)| (growth[at] / time - means[at]).powi(2));
            (off.sum::<f64>() / (parts - 1.0).max(1.0) / parts).sqrt()
        };
        let mut exponents: Vec<LyapunovExponent> =
            means.iter().enumerate().map(|(at, value)| LyapunovExponent { value: *value, error: error(at) }).collect();
        exponents.sort_by(|a, b| b.value.total_cmp(&a.value));
        LyapunovSpectrum {
            sum: all.then(|| means.iter().sum()),
            pairs,
            dimension: dimension(&exponents),
            exponents,
            time: self.time,
            steps: self.steps,
            interrupted,
            state,
            course: self.course,
        }
    }
}

/// How many of the largest exponents sum up to zero, the last in part.
fn dimension(exponents: &[LyapunovExponent]) -> Option<f64> {
    let mut sum = 0.0;
    for (at, exponent) in exponents.iter().enumerate() {
        if sum + exponent.value < 0.0 {
            return Some(at as f64 + if exponent.value < 0.0 { sum / -exponent.value } else { 0.0 });
        }
        sum += exponent.value;
    }
    None
}

/// What can go wrong in a step that is followed.
pub(crate) enum StepOrSlope {
    Step(StepFailure),
    Slope(SolveFailure),
}
