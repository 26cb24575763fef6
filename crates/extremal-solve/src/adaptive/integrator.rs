//! One step after the other, with step-size control and dense output.

use super::obstacle::obstacle;
use super::rates::{StepBegin, StepRates};
use super::sizes::ComponentSizes;
use super::tableau::{EmbeddedTableau, TableauStage, Weights};
use super::{AdaptiveError, AdaptiveMethod, AdaptiveOptions, AdaptiveWork};

/// Part of the step that should just meet the tolerance that is tried.
const SAFETY: f64 = 0.9;
/// Part of a step that is left after the right-hand side could not be evaluated along it.
const RETREAT: f64 = 0.25;
/// Errors below this part of the tolerance say nothing about the next.
const LEAST_ERROR: f64 = 1e-4;

/// An integration that goes on step by step.
///
/// The right-hand side writes the derivative; it may fail. A failure along a trial step, or a derivative that is not
/// finite, only shortens the step, since the solution itself may stay clear of the place; it is reported when no
/// shorter step helps.
///
/// ```
/// use extremal_solve::{AdaptiveIntegrator, AdaptiveMethod, AdaptiveOptions};
///
/// let mut pendulum = |_t: f64, y: &[f64], dy: &mut [f64]| {
///     dy[0] = y[1];
///     dy[1] = -y[0].sin();
///     Ok::<(), String>(())
/// };
/// let mut integrator = AdaptiveIntegrator::new(AdaptiveMethod::Dop853, AdaptiveOptions::default(), 0.0, &[1.0, 0.0]);
/// integrator.advance_to(10.0, &mut pendulum)?;
/// let [angle, velocity] = integrator.state() else { unreachable!() };
/// let energy = velocity * velocity / 2.0 - angle.cos();
/// assert!((energy + 1.0_f64.cos()).abs() < 1e-12);
/// # Ok::<(), extremal_solve::AdaptiveError<String>>(())
/// ```
#[derive(Debug, Clone)]
pub struct AdaptiveIntegrator {
    pub(super) tableau: &'static EmbeddedTableau,
    options: AdaptiveOptions,
    pub(super) t: f64,
    pub(super) y: Vec<f64>,
    /// Start of the step taken last; during a step, the state it leads to.
    pub(super) t_before: f64,
    pub(super) y_before: Vec<f64>,
    /// Derivatives at the stages of the step taken last, one after the other.
    pub(super) k: Vec<f64>,
    /// Whether the derivative at `y` is the one at the end of that step, not the one at the start of the next.
    at_end: bool,
    /// Length of the step to try next; none before the first.
    next: Option<f64>,
    error_before: f64,
    /// State at a stage.
    scratch: Vec<f64>,
    /// The stages whose derivatives a step leaves.
    kept: Vec<usize>,
    /// Error estimates of each component by the length of the step, and those of the second embedded method.
    fine: Vec<f64>,
    coarse: Vec<f64>,
    /// Coefficients of the interpolating polynomial beyond the cubic one, if they were asked for since the last step.
    pub(super) dense: Vec<f64>,
    pub(super) dense_ready: bool,
    /// What errors are measured by beyond the tolerances, if the components are to say how large they are.
    sizes: Option<ComponentSizes>,
    pub(super) work: AdaptiveWork,
    /// Steps that may be tried, and those that had been when they were allowed.
    allowed: u64,
    tried_before: u64,
}

impl AdaptiveIntegrator {
    /// An integration that starts at `y0` at time `t0`.
    pub fn new(method: AdaptiveMethod, options: AdaptiveOptions, t0: f64, y0: &[f64]) -> Self {
        let n = y0.len();
        let tableau = method.tableau();
        Self {
            tableau,
            options,
            t: t0,
            y: y0.to_vec(),
            t_before: t0,
            y_before: y0.to_vec(),
            k: vec![0.0; n * tableau.derivatives()],
            at_end: false,
            next: None,
            error_before: LEAST_ERROR,
            scratch: vec![0.0; n],
            kept: tableau.kept().collect(),
            fine: vec![0.0; n],
            coarse: vec![0.0; if tableau.coarse.is_some() { n } else { 0 }],
            dense: vec![0.0; n * tableau.dense.len()],
            dense_ready: false,
            sizes: None,
            work: AdaptiveWork::default(),
            allowed: options.max_steps,
            tried_before: 0,
        }
    }

    /// Measures the error of each component by its own size along the motion, so that the steps do not depend on units; `alike`
    /// says how many components, one after the other, are of the same kind.
    pub fn by_sizes(mut self, alike: &[usize]) -> Self {
        self.sizes = Some(ComponentSizes::new(alike, &self.y));
        self
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// The state at [`time`](Self::time).
    pub fn state(&self) -> &[f64] {
        &self.y
    }

    /// The time at which the step taken last began.
    pub fn time_before(&self) -> f64 {
        self.t_before
    }

    /// How long the step to try next should be to just meet the tolerance; not known before the first.
    pub fn next_length(&self) -> Option<f64> {
        self.next
    }

    /// Work done so far.
    pub fn work(&self) -> AdaptiveWork {
        self.work
    }

    /// From here on so many steps may be tried, accepted or not, whatever was allowed before.
    pub fn allow(&mut self, steps: u64) {
        (self.allowed, self.tried_before) = (steps, self.work.tried());
    }

    /// Steps tried since they were last [allowed](Self::allow), or since the start.
    pub fn tried(&self) -> u64 {
        self.work.tried() - self.tried_before
    }

    /// Integrates to exactly `t`, forwards or backwards, by shortening the last step.
    ///
    /// # Errors
    /// See [`AdaptiveError`]; [`time`](Self::time) and [`state`](Self::state) are then those of the last step that went
    /// well.
    pub fn advance_to<E>(
        &mut self,
        t: f64,
        rhs: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), AdaptiveError<E>> {
        while self.t != t {
            self.step(t, rhs)?;
        }
        Ok(())
    }

    /// Takes one step towards `limit`, not beyond it.
    ///
    /// # Errors
    /// See [`AdaptiveError`].
    pub fn step<E>(
        &mut self,
        limit: f64,
        rhs: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), AdaptiveError<E>> {
        self.step_by(limit, rhs)
    }

    /// The same with equations whose steps may be programs.
    pub(crate) fn step_by<E>(&mut self, limit: f64, rhs: &mut impl StepRates<E>) -> Result<(), AdaptiveError<E>> {
        if !limit.is_finite() {
            return Err(AdaptiveError::Time { time: limit });
        }
        if limit == self.t {
            return Ok(());
        }
        let free = match self.next {
            Some(length) => length,
            None => self.first_step(limit, rhs)?,
        };
        if self.at_end {
            let n = self.y.len();
            self.k.copy_within(self.tableau.end() * n..(self.tableau.end() + 1) * n, 0);
            self.at_end = false;
        }
        let result = self.step_of_at_most(free, limit, rhs);
        if result.is_err() {
            // What was tried has overwritten what the step before could be interpolated from.
            self.t_before = self.t;
            self.y_before.copy_from_slice(&self.y);
        }
        result
    }

    fn step_of_at_most<E>(
        &mut self,
        mut free: f64,
        limit: f64,
        rhs: &mut impl StepRates<E>,
    ) -> Result<(), AdaptiveError<E>> {
        let left = (limit - self.t).abs();
        // The step has to change the time, and to get to the limit one day.
        let least = f64::EPSILON * (10.0 * self.t.abs() + f64::EPSILON * left);
        let mut failure = None;
        let mut rejected = false;
        loop {
            if self.tried() >= self.allowed {
                return Err(self.too_many_steps(free, limit, rhs));
            }
            let last = 1.01 * free >= left;
            let length = if last { left } else { free };
            let h = length.copysign(limit - self.t);
            if length < least && !last {
                return Err(match failure {
                    Some(cause) => AdaptiveError::RightHandSide { t: self.t, cause },
                    None => AdaptiveError::StepTooSmall { t: self.t, step: h },
                });
            }
            let end = if last { limit } else { self.t + h };
            match self.try_step(h, end, rhs) {
                Ok(error) if error <= 1.0 => {
                    let best = self.best_step(length, error, true);
                    let proposed = if rejected { best.min(length) } else { best };
                    // A step cut short by the limit is no reason to go on with short ones.
                    self.next = Some(if length < free { proposed.max(free) } else { proposed });
                    self.error_before = error.max(LEAST_ERROR);
                    self.accept(end);
                    return Ok(());
                }
                Ok(error) => {
                    failure = None;
                    free = if error.is_finite() { self.best_step(length, error, false) } else { RETREAT * length };
                }
                Err(cause) => {
                    failure = Some(cause);
                    free = RETREAT * length;
                }
            }
            rejected = true;
            self.work.rejected += 1;
        }
    }

    fn too_many_steps<E>(&mut self, free: f64, limit: f64, rhs: &mut impl StepRates<E>) -> AdaptiveError<E> {
        let (t, steps, n) = (self.t, self.tried(), self.y.len());
        let h = free.copysign(limit - t);
        let obstacle = obstacle(t, &self.y, &self.k[..n], h, rhs);
        AdaptiveError::TooManySteps { t, steps, step: h, obstacle }
    }

    /// Tries a step and leaves its end in `y_before`; its error comes relative to the tolerance.
    fn try_step<E>(&mut self, h: f64, end: f64, rhs: &mut impl StepRates<E>) -> Result<f64, E> {
        self.dense_ready = false;
        let begin = StepBegin { state: &self.y, rates: &self.k, time: self.t, length: h, end };
        let whole = rhs.whole_step(&begin);
        let is_whole = whole.is_some();
        match whole {
            Some(values) => self.take_whole(values),
            None => self.take_stages(h, end, rhs)?,
        }
        let mut error = self.error_of_step(h);
        if error > 1.0 && error.is_finite() && self.measure_noise(rhs) {
            error = self.error_of_step(h);
        }
        if error <= 1.0 {
            match is_whole {
                _ if self.tableau.error_needs_end => {}
                true => self.work.evaluations += 1,
                false => self.evaluate_end(end, rhs)?,
            }
            let n = self.y.len();
            if self.k[self.tableau.end() * n..][..n].iter().any(|slope| !slope.is_finite()) {
                return Ok(f64::INFINITY);
            }
        }
        Ok(error)
    }

    /// A step that is one program.
    fn take_whole(&mut self, mut values: &[f64]) {
        let n = self.y.len();
        let mut read = |place: &mut [f64]| {
            let (own, rest) = values.split_at(place.len());
            place.copy_from_slice(own);
            values = rest;
        };
        read(&mut self.y_before);
        read(&mut self.fine);
        read(&mut self.coarse);
        for place in &self.kept {
            read(&mut self.k[place * n..][..n]);
        }
        self.work.evaluations += self.tableau.stages.len() as u64 + u64::from(self.tableau.error_needs_end);
    }

    /// A step stage by stage.
    fn take_stages<E>(&mut self, h: f64, end: f64, rhs: &mut impl StepRates<E>) -> Result<(), E> {
        for (place, stage) in (1..).zip(self.tableau.stages) {
            self.evaluate_stage(place, stage, self.t, h, false, rhs)?;
        }
        combine(&self.y, h, self.tableau.solution, &self.k, &mut self.y_before);
        if self.tableau.error_needs_end {
            self.evaluate_end(end, rhs)?;
        }
        weigh(self.tableau.error, &self.k, &mut self.fine);
        if let Some(coarse) = self.tableau.coarse {
            weigh(self.tableau.solution, &self.k, &mut self.coarse);
            for &(place, weight) in coarse {
                add(-weight, &self.k[place * self.y.len()..], &mut self.coarse);
            }
        }
        Ok(())
    }

    /// Looks how far round-off in the state changes its rates, if errors are measured by that.
    fn measure_noise<E>(&mut self, rhs: &mut impl StepRates<E>) -> bool {
        let Some(sizes) = &mut self.sizes else { return false };
        self.work.evaluations += 1;
        let n = self.y.len();
        sizes.measure_noise(&self.y, &self.k[..n], &mut self.scratch, |y, dy| rhs.rates(self.t, y, dy));
        true
    }

    fn accept(&mut self, end: f64) {
        if let Some(sizes) = &mut self.sizes {
            sizes.accept(&self.y_before);
        }
        std::mem::swap(&mut self.y, &mut self.y_before);
        (self.t_before, self.t) = (self.t, end);
        self.at_end = true;
        self.work.accepted += 1;
    }

    /// Evaluates a stage of the step from `t`, before it is accepted or after.
    pub(super) fn evaluate_stage<E>(
        &mut self,
        place: usize,
        stage: &TableauStage,
        t: f64,
        h: f64,
        accepted: bool,
        rhs: &mut impl StepRates<E>,
    ) -> Result<(), E> {
        let n = self.y.len();
        let start = if accepted { &self.y_before } else { &self.y };
        combine(start, h, stage.a, &self.k, &mut self.scratch);
        self.work.evaluations += 1;
        rhs.rates(t + stage.c * h, &self.scratch, &mut self.k[place * n..][..n])
    }

    fn evaluate_end<E>(&mut self, end: f64, rhs: &mut impl StepRates<E>) -> Result<(), E> {
        let n = self.y.len();
        self.work.evaluations += 1;
        rhs.rates(end, &self.y_before, &mut self.k[self.tableau.end() * n..][..n])
    }

    /// The error of the step just tried over the tolerance.
    fn error_of_step(&mut self, h: f64) -> f64 {
        if let Some(sizes) = &mut self.sizes {
            sizes.look_ahead(&self.y_before);
        }
        let [mut fine, mut coarse] = [0.0; 2];
        for (i, error) in self.fine.iter().enumerate() {
            let tolerance = self.tolerance_of(i, h);
            let part = |error: f64| if error == 0.0 { 0.0 } else { (error / tolerance).powi(2) };
            fine += part(*error);
            coarse += self.coarse.get(i).map_or(0.0, |error| part(*error));
        }
        let n = self.y.len().max(1) as f64;
        let [fine, coarse] = [fine / n, coarse / n];
        if self.tableau.coarse.is_none() {
            return h.abs() * fine.sqrt();
        }
        // The estimate of order 3 keeps that of order 5 from being too trusting: II.10 of the book.
        let both = fine + 0.01 * coarse;
        if both == 0.0 { 0.0 } else { h.abs() * fine / both.sqrt() }
    }

    /// The error that a component may have in a step.
    fn tolerance_of(&self, i: usize, h: f64) -> f64 {
        let size = self.y[i].abs().max(self.y_before[i].abs());
        match &self.sizes {
            None => self.tolerance(size),
            Some(sizes) => sizes.tolerance(i, self.options.relative_tolerance, size, h * self.k[i], h),
        }
    }

    fn tolerance(&self, size: f64) -> f64 {
        self.options.absolute_tolerance + self.options.relative_tolerance * size
    }

    /// The step that should just meet the tolerance, given the error of one.
    fn best_step(&self, length: f64, error: f64, accepted: bool) -> f64 {
        let control = &self.tableau.control;
        let exponent = 1.0 / f64::from(self.tableau.order) - control.memory * control.memory_share;
        let memory = if accepted { self.error_before.powf(control.memory) } else { 1.0 };
        let grow = if accepted { control.grow } else { 1.0 };
        length * (SAFETY * memory / error.powf(exponent)).clamp(control.shrink, grow)
    }

    /// A first step, short enough for the first and second derivatives found here: the rule of II.4 of the book.
    fn first_step<E>(&mut self, limit: f64, rhs: &mut impl StepRates<E>) -> Result<f64, AdaptiveError<E>> {
        let AdaptiveOptions { relative_tolerance: relative, absolute_tolerance: absolute, .. } = self.options;
        let valid = |tolerance: f64| tolerance >= 0.0 && tolerance.is_finite();
        if !(valid(relative) && valid(absolute) && relative + absolute > 0.0) || self.sizes.is_some() && relative == 0.0
        {
            return Err(AdaptiveError::Tolerances { relative, absolute });
        }
        let n = self.y.len();
        let longest = (limit - self.t).abs();
        self.work.evaluations += 1;
        rhs.rates(self.t, &self.y, &mut self.k[..n])
            .map_err(|cause| AdaptiveError::RightHandSide { t: self.t, cause })?;
        if self.k[..n].iter().chain(&self.y).any(|value| !value.is_finite()) {
            return Err(AdaptiveError::NotFinite { t: self.t });
        }
        if let Some(sizes) = &self.sizes {
            let rate = sizes.rate(&self.y, &self.k[..n]);
            // A hundredth of the time in which something changes by its size; when nothing of any size does, the time asked for is all
            // there is to go by.
            let euler = if rate > 0.0 { 0.01 / rate } else { 1e-6 * longest }.min(longest);
            let signed = euler.copysign(limit - self.t);
            combine(&self.y, signed, &[(0, 1.0)], &self.k, &mut self.scratch);
            self.work.evaluations += 1;
            let (first, rest) = self.k.split_at_mut(n);
            // A rate that stays as it is leads far in one step, however small what it changes is.
            let bend = match rhs.rates(self.t + signed, &self.scratch, &mut rest[..n]) {
                Ok(()) => sizes.bend(&self.y, first, &rest[..n], euler).sqrt(),
                Err(_) => rate,
            };
            let from_order = (0.01 * relative).powf(1.0 / f64::from(self.tableau.order)) / bend;
            let first = (100.0 * euler).max(1e-4 * longest).min(from_order).min(longest);
            return Ok(if first.is_finite() && first > 0.0 { first } else { euler });
        }
        let norm = |values: &mut dyn Iterator<Item = f64>| {
            values.zip(&self.y).map(|(v, y)| (v / self.tolerance(y.abs())).powi(2)).sum::<f64>().sqrt()
        };
        let (size, slope) = (norm(&mut self.y.iter().copied()), norm(&mut self.k[..n].iter().copied()));
        let euler = if size < 1e-5 || slope < 1e-5 { 1e-6 } else { 0.01 * size / slope };
        let euler = euler.min(longest).copysign(limit - self.t);
        combine(&self.y, euler, &[(0, 1.0)], &self.k, &mut self.scratch);
        self.work.evaluations += 1;
        let (first, rest) = self.k.split_at_mut(n);
        let bend = match rhs.rates(self.t + euler, &self.scratch, &mut rest[..n]) {
            Ok(()) => {
                let changes = rest[..n].iter().zip(first.iter()).map(|(b, a)| b - a);
                let scaled = changes.zip(&self.y).map(|(v, y)| v / (absolute + relative * y.abs()));
                scaled.map(|v| v * v).sum::<f64>().sqrt() / euler.abs()
            }
            // The control will find out how far the step can go.
            Err(_) => slope,
        };
        let steepest = slope.max(bend);
        let from_order = if steepest <= 1e-15 {
            (euler.abs() * 1e-3).max(1e-6)
        } else {
            (0.01 / steepest).powf(1.0 / f64::from(self.tableau.order))
        };
        let first = (100.0 * euler.abs()).min(from_order).min(longest);
        Ok(if first.is_finite() && first > 0.0 { first } else { euler.abs() })
    }
}

/// `out = Σ w k`
pub(super) fn weigh(weights: Weights, k: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for &(place, weight) in weights {
        add(weight, &k[place * out.len()..], out);
    }
}

/// `out += w k`
fn add(weight: f64, k: &[f64], out: &mut [f64]) {
    for (out, k) in out.iter_mut().zip(k) {
        *out += weight * k;
    }
}

/// `out = y + h Σ w k`
fn combine(y: &[f64], h: f64, weights: Weights, k: &[f64], out: &mut [f64]) {
    weigh(weights, k, out);
    for (out, y) in out.iter_mut().zip(y) {
        *out = y + h * *out;
    }
}
