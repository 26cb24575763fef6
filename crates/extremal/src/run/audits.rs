//! What is watched along every motion, whoever marches it: its resolution, a conserved energy, both laws, the constraints.

use extremal_expr::magnitude;
use extremal_mechanics::{Constraint, System};
use extremal_model::{CompositionBase, Method};
use extremal_solve::{Reason, StepFailure};

use super::beginning::Beginning;
use super::energy::EnergyLaw;
use super::judge::{Judge, Source};
use super::laws::Laws;
use super::observables::Observables;
use super::resolution::Resolution;
use super::warning::{CONSTRAINT, ENERGY, FIRST_LAW, Warning};
use super::{Compiled, Run};

/// The watch over one motion.
pub(crate) struct Audits<'r, S> {
    observables: &'r Observables,
    promises: Promises,
    judge: Judge<S>,
    /// Not where the steps are those of an adaptive integrator, or seen only in passing.
    resolution: Option<Resolution>,
    energy: Option<EnergyAudit>,
    /// Was there a row, among those that were only glimpsed at, that calls for a look at all of them?
    doubtful: bool,
}

/// Of a motion that is glimpsed at only now and then, this part of what is warned of is enough to look at all of it.
const DOUBTFUL: f64 = 0.3;

/// An energy that should not change.
#[derive(Clone, Default)]
struct EnergyAudit {
    first: Option<f64>,
    off: f64,
    since: Option<f64>,
    /// The mean of the kinetic energy so far, and the rows that it is the mean of.
    kinetic: f64,
    rows: f64,
    /// The largest of them.
    highest: f64,
}

impl EnergyAudit {
    /// Is it off by so much that every row should be looked at? Few rows know the mean of the kinetic energy but poorly: the largest
    /// of them, which may be one of a peak, does not count.
    fn is_doubtful(&self) -> bool {
        let others = (self.kinetic * self.rows - self.highest) / (self.rows - 1.0).max(1.0);
        let scale = self.first.map_or(0.0, f64::abs).max(others);
        let limit = DOUBTFUL * ENERGY * scale;
        limit.is_nan() || self.off > limit
    }

    fn scale(&self) -> f64 {
        self.first.map_or(0.0, f64::abs).max(self.kinetic)
    }

    /// Takes a whole row, of which Σ |v p| may be known.
    fn take(&mut self, observables: &Observables, row: &[f64], products: Option<f64>) {
        let sum = || {
            let n = observables.coordinates;
            let rates = row[1 + n..][..n].iter().zip(&row[1 + 2 * n..][..n]);
            rates.map(|(v, p)| (v * p).abs()).sum::<f64>()
        };
        let kinetic = products.unwrap_or_else(sum) / 2.0;
        self.rows += 1.0;
        self.highest = self.highest.max(kinetic);
        self.kinetic += (kinetic - self.kinetic) / self.rows;
        self.look(row[0], row[observables.first_temperature() + observables.entropies]);
    }

    fn look(&mut self, time: f64, energy: f64) {
        let first = *self.first.get_or_insert(energy);
        let limit = ENERGY * self.scale();
        let off = (energy - first).abs();
        if off > limit && self.since.is_none() {
            self.since = Some(time);
        }
        self.off = self.off.max(off);
    }

    fn warning(&self) -> Option<Warning> {
        let scale = self.scale();
        let since = self.since.filter(|_| self.off > ENERGY * scale)?;
        Some(Warning::Energy { time: since, off: self.off, scale })
    }
}

/// What the model and the method promise, whatever the numbers are.
#[derive(Clone)]
pub(crate) struct Promises {
    /// Steps of the method are steps of the motion, not only looks at it.
    stepping: bool,
    energy: bool,
    first_law: bool,
    /// How large the terms of the constraints on positions are at the start.
    constraint_sizes: Vec<f64>,
    /// The method is of second order or more: a motion that is smooth from step to step is followed well.
    pub accurate: bool,
}

impl Promises {
    pub fn of(run: &Run<'_>) -> Self {
        let first_law = matches!(
            run.method,
            Method::EnergyEntropy(_) | Method::Compose { base: CompositionBase::EnergyEntropy, .. }
        );
        Promises {
            stepping: matches!(run.compiled, Compiled::Scheme(_)),
            energy: run.method != Method::Custom && EnergyLaw::of(run.model).why_it_changes().is_none(),
            first_law,
            constraint_sizes: run.constraint_sizes.clone(),
            accurate: !matches!(run.method, Method::Left | Method::Right | Method::Theta(_) | Method::Custom),
        }
    }
}

impl<'r, S: Source> Audits<'r, S> {
    pub fn new(observables: &'r Observables, promises: Promises, judge: Judge<S>) -> Self {
        Audits {
            observables,
            judge,
            resolution: promises.stepping.then(|| Resolution::new(observables, promises.energy)),
            energy: promises.energy.then(EnergyAudit::default),
            doubtful: false,
            promises,
        }
    }

    /// Begins with another motion, of other parameters.
    pub fn begin(&mut self, parameters: &[f64]) {
        self.judge.set_parameters(parameters);
        self.resolution.iter_mut().for_each(Resolution::begin);
        self.energy.iter_mut().for_each(|energy| *energy = EnergyAudit::default());
        self.doubtful = false;
    }

    /// Looks at a whole row. What it returns is why the step to it is none.
    pub fn look(&mut self, row: &[f64]) -> Option<Reason> {
        let observables = self.observables;
        if let Some(resolution) = &mut self.resolution
            && let Some(reason) = resolution.look(observables, row, &mut self.judge)
        {
            return Some(reason);
        }
        if let Some(energy) = &mut self.energy {
            energy.take(observables, row, self.resolution.as_ref().map(Resolution::kinetic_now));
        }
        None
    }

    /// Looks at one of the first rows of a motion, of which only some are looked at later.
    pub fn open(&mut self, row: &[f64]) {
        let observables = self.observables;
        let suspicious = self.resolution.as_mut().is_some_and(|resolution| resolution.suspects(observables, row));
        self.doubtful |= suspicious;
        // In motions that begin at rest these rows know nothing of the kinetic energy.
        self.glance(row[0], row[observables.first_temperature() + observables.entropies]);
    }

    /// Looks at one of the later rows of such a motion.
    pub fn glimpse(&mut self, row: &[f64]) {
        let observables = self.observables;
        self.energy.iter_mut().for_each(|energy| energy.take(observables, row, None));
    }

    /// Is there anything in these rows for which every row should be looked at?
    pub fn is_doubtful(&self, laws: Option<&Laws>) -> bool {
        let energy = self.energy.as_ref().is_some_and(EnergyAudit::is_doubtful);
        let relative = laws.map_or(0.0, |laws| laws.first_law_relative);
        self.doubtful || energy || self.promises.first_law && (relative.is_nan() || relative > DOUBTFUL * FIRST_LAW)
    }

    /// A failure with its deeper reason, where the equations of motion show one.
    pub fn explain(&mut self, failure: StepFailure, step: f64) -> StepFailure {
        let (Reason::Solve(_), Some(resolution)) = (&failure.reason, &self.resolution) else { return failure };
        match resolution.end(step, &mut self.judge) {
            Some(reason) => StepFailure { reason, shorter: None, ..failure },
            None => failure,
        }
    }

    /// Looks at the energy alone.
    pub fn glance(&mut self, time: f64, energy: f64) {
        self.energy.iter_mut().for_each(|audit| audit.look(time, energy));
    }

    /// What is to be said at the end, from what else was seen of the motion.
    pub fn warnings(&self, residuals: &[f64], laws: Option<&Laws>) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = self.resolution.iter().filter_map(Resolution::warning).cloned().collect();
        warnings.extend(self.energy.as_ref().and_then(EnergyAudit::warning));
        let broken = laws
            .map(|laws| laws.first_law_relative)
            .filter(|relative| self.promises.first_law && *relative > FIRST_LAW);
        warnings.extend(broken.map(|relative| Warning::FirstLaw { relative }));
        let constraints = self.observables.constraints.iter().zip(residuals).zip(&self.promises.constraint_sizes);
        for ((name, residual), size) in constraints {
            if *size > 0.0 && *residual > CONSTRAINT * size {
                warnings.push(Warning::Constraint { name: name.clone(), residual: *residual, size: *size });
            }
        }
        warnings
    }
}

/// The sizes of the terms of constraints on positions at the start; those of other constraints may vanish there and are zero.
pub(super) fn constraint_sizes<'m>(
    system: &System<'m>,
    beginning: &Beginning,
    constraints: &[Constraint<'m>],
) -> Vec<f64> {
    let sizes: Vec<_> = constraints
        .iter()
        .map(|constraint| match constraint.kind.nature().binds_positions {
            true => magnitude(constraint.expression),
            false => system.graph.int(0),
        })
        .collect();
    beginning.evaluate(system, &sizes)
}
