//! What is watched along every motion, whoever marches it: its resolution, a conserved energy, both laws, the constraints.

use std::sync::Arc;

use extremal_expr::magnitude;
use extremal_mechanics::{Constraint, System};
use extremal_model::{Code, Method, Model};
use extremal_solve::{Reason, StepFailure, on_widest_registers};
use extremal_trajectory::RowBlock;

use super::blocks::BlockRows;
use super::energy::EnergyLaw;
use super::judge::Judge;
use super::laws::{Laws, SecondLaw};
use super::layout::TIME;
use super::observables::Observables;
use super::resolution::Resolution;
use super::start::RunStart;
use super::strands::{StrandedSum, largest};
use super::warming::Warming;
use super::warning::{CONSTRAINT, ENERGY, FIRST_LAW, SECOND_LAW, Warning};
use super::watch::ConstraintWatch;
use super::{Compiled, CompiledRun};

/// The watch over one motion.
pub(crate) struct Audits {
    observables: Arc<Observables>,
    promises: Promises,
    judge: Judge,
    /// Not where steps are seen only in passing. Where they are those of an adaptive integrator it only remembers where the motion is.
    resolution: Option<Resolution>,
    /// In its place where there are entropies alone.
    warming: Option<Warming>,
    energy: Option<EnergyAudit>,
    /// Was there a row, among those that were only glimpsed at, that calls for a look at all of them?
    doubtful: bool,
}

/// Of a motion that is glimpsed at only now and then, this part of what is warned of is enough to look at all of it.
pub(super) const DOUBTFUL: f64 = 0.3;

/// An energy that should not change.
#[derive(Clone, Default)]
struct EnergyAudit {
    first: Option<f64>,
    off: f64,
    since: Option<f64>,
    /// The sum of Σ |v p|, twice the kinetic energy, so far, and of how many rows.
    kinetic: StrandedSum,
    rows: f64,
    /// The largest of them.
    highest: f64,
}

impl EnergyAudit {
    /// Is it off by so much that every row should be looked at? Few rows know the mean of the kinetic energy but poorly: the largest
    /// of them, which may be one of a peak, does not count.
    fn is_doubtful(&self) -> bool {
        let others = (self.kinetic.sum() - self.highest) / 2.0 / (self.rows - 1.0).max(1.0);
        let scale = self.first.map_or(0.0, f64::abs).max(others);
        let limit = DOUBTFUL * ENERGY * scale;
        !limit.is_finite() || self.off > limit
    }

    fn scale(&self) -> f64 {
        // A sum that overflowed says nothing.
        let mean = self.kinetic.sum() / 2.0 / self.rows.max(1.0);
        self.first.map_or(0.0, f64::abs).max(if mean.is_finite() { mean } else { 0.0 })
    }

    /// Takes a whole row, of which Σ |v p| may be known.
    fn take_row(&mut self, observables: &Observables, row: &[f64], products: Option<f64>) {
        let sum = || {
            let rates = row[observables.row.velocities.clone()].iter().zip(&row[observables.row.momenta.clone()]);
            rates.map(|(v, p)| (v * p).abs()).sum::<f64>()
        };
        self.take(row[TIME], row[observables.row.energy], products.unwrap_or_else(sum));
    }

    fn take(&mut self, time: f64, energy: f64, products: f64) {
        self.rows += 1.0;
        self.highest = self.highest.max(products);
        self.kinetic.push(products);
        self.look(time, energy);
    }

    /// Takes rows as if one after the other, of each its time, its energy and Σ |v p|.
    #[inline(always)]
    fn take_block(&mut self, times: &[f64], energies: &[f64], products: &[f64]) {
        let first = self.first.unwrap_or(f64::NAN);
        let off = largest(self.off, [energies], |[energy]| (energy - first).abs());
        if off <= ENERGY * first.abs() {
            self.off = off;
            self.rows += energies.len() as f64;
            self.highest = largest(self.highest, [products], |[product]| product);
            self.kinetic.push_all(products);
            return;
        }
        for ((time, energy), product) in times.iter().zip(energies).zip(products) {
            self.take(*time, *energy, *product);
        }
    }

    fn look(&mut self, time: f64, energy: f64) {
        let first = *self.first.get_or_insert(energy);
        let off = (energy - first).abs();
        // The limit is never below the first of these.
        if off > ENERGY * first.abs() && off > ENERGY * self.scale() && self.since.is_none() {
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
    /// There are whole rows.
    rows: bool,
    energy: bool,
    first_law: bool,
    /// How large the terms of the constraints on positions are at the start.
    constraint_sizes: Vec<f64>,
    /// A force that jumps with the direction of the motion, in words, and what to do about it.
    jump: Option<(String, String)>,
    /// The method is of second order or more: a motion whose positions and momenta are smooth from step to step is followed well, unless
    /// there are none or the mass changes by itself.
    pub accurate: bool,
}

impl Promises {
    pub fn of(run: &CompiledRun, model: &Model) -> Self {
        Promises {
            stepping: matches!(*run.compiled, Compiled::Scheme(_) | Compiled::Paced(_)),
            rows: !matches!(*run.compiled, Compiled::Lattice(_)),
            // A quotient by a factor that falls without end ends in round-off, whatever the method does.
            energy: run.method != Method::Custom
                && matches!(run.energy_law(model), EnergyLaw::Conserved | EnergyLaw::Jacobi),
            first_law: run.method.keeps_energy(),
            constraint_sizes: run.constraint_sizes.clone(),
            jump: jump(model),
            accurate: run.observables.coordinates > 0
                && !run.observables.timed_mass
                && !matches!(run.method, Method::Left | Method::Right | Method::Theta(_) | Method::Custom),
        }
    }
}

impl Promises {
    /// By which part of the largest energy the first law may be off. What heat and work leave of the energy is conserved like the energy
    /// of a system that gets none.
    pub(super) fn first_law_limit(&self) -> f64 {
        if self.first_law { FIRST_LAW } else { ENERGY }
    }

    /// How large the terms of the constraints on positions are at the start.
    pub(super) fn constraint_sizes(&self) -> &[f64] {
        &self.constraint_sizes
    }

    /// Should the energy stay what it is?
    pub(super) fn keeps_energy(&self) -> bool {
        self.energy
    }

    /// Are there entropies or states alone, in steps that should follow them?
    fn warming(&self, observables: &Observables) -> bool {
        self.stepping && observables.coordinates == 0 && observables.entropies > 0
    }
}

impl Audits {
    pub fn new(observables: Arc<Observables>, promises: Promises, judge: Judge) -> Self {
        Audits {
            judge,
            resolution: promises.rows.then(|| Resolution::new(&observables, promises.energy)),
            warming: promises.warming(&observables).then(|| Warming::new(observables.entropies)),
            energy: promises.energy.then(EnergyAudit::default),
            doubtful: false,
            promises,
            observables,
        }
    }

    /// Begins with another motion, of other parameters.
    pub fn begin(&mut self, parameters: &[f64]) {
        self.judge.set_parameters(parameters);
        self.resolution.iter_mut().for_each(Resolution::begin);
        self.warming.iter_mut().for_each(|warming| *warming = Warming::new(self.observables.entropies));
        self.energy.iter_mut().for_each(|energy| *energy = EnergyAudit::default());
        self.doubtful = false;
    }

    /// Goes on after the state has changed at once, and the energy by so much.
    pub fn leap(&mut self, energy: f64) {
        self.resolution.iter_mut().for_each(Resolution::leap);
        self.warming.iter_mut().for_each(|warming| *warming = Warming::new(self.observables.entropies));
        if let Some(audit) = &mut self.energy {
            audit.first = audit.first.map(|first| first + energy);
        }
    }

    /// Takes the determinants of the mass matrix at the row that is looked at next.
    pub fn weigh(&mut self, determinants: &[f64]) {
        self.resolution.iter_mut().for_each(|resolution| resolution.weigh(determinants));
    }

    /// Looks at a whole row. What it returns is why the step to it is none.
    pub fn look(&mut self, row: &[f64]) -> Option<Reason> {
        let observables = &*self.observables;
        if let Some(warming) = &mut self.warming {
            if let Some(reason) = warming.look(observables, row, &mut self.judge) {
                return Some(reason);
            }
        } else if let Some(resolution) = &mut self.resolution {
            if !self.promises.stepping {
                resolution.remember(observables, row);
            } else if let Some(reason) = resolution.look(observables, row, &mut self.judge) {
                return Some(reason);
            }
        }
        if let Some(energy) = &mut self.energy {
            energy.take_row(observables, row, self.resolution.as_ref().map(Resolution::kinetic_now));
        }
        None
    }

    /// Can it look at many rows at a time?
    pub fn takes_blocks(&self) -> bool {
        self.promises.stepping && self.resolution.is_some() && self.warming.is_none()
    }

    /// Looks at the rows of a block, unless one of them needs a closer look: then nothing is changed.
    pub fn pass(&mut self, rows: &BlockRows<'_>) -> bool {
        let observables = &*self.observables;
        let Some(resolution) = &mut self.resolution else { return false };
        if !resolution.pass(observables, rows, &mut self.judge) {
            return false;
        }
        if let Some(energy) = &mut self.energy {
            let kinetic = resolution.kinetic_in_block();
            let energies = rows.column(observables.row.energy);
            on_widest_registers(
                #[inline(always)]
                || energy.take_block(rows.times(), energies, kinetic),
            );
        }
        true
    }

    /// Looks at one of the first rows of a motion, of which only some are looked at later.
    pub fn open(&mut self, row: &[f64]) {
        let observables = &*self.observables;
        let suspicious =
            self.resolution.as_mut().is_some_and(|resolution| resolution.suspects_opening(observables, row));
        let warming = self.warming.as_mut().is_some_and(|warming| warming.suspects(observables, row));
        self.doubtful |= suspicious || warming;
        // In motions that begin at rest these rows know nothing of the kinetic energy.
        self.glance(row[TIME], row[observables.row.energy]);
    }

    /// Looks at one of the later rows of such a motion.
    pub fn glimpse(&mut self, row: &[f64]) {
        let observables = &*self.observables;
        self.energy.iter_mut().for_each(|energy| energy.take_row(observables, row, None));
    }

    /// Is there anything in these rows for which every row should be looked at?
    pub fn is_doubtful(&self, laws: Option<&Laws>) -> bool {
        let energy = self.energy.as_ref().is_some_and(EnergyAudit::is_doubtful);
        let relative = laws.map_or(0.0, |laws| laws.first.relative);
        self.doubtful || energy || relative.is_nan() || relative > DOUBTFUL * self.promises.first_law_limit()
    }

    /// A failure with its deeper reason, where the equations of motion show one.
    pub fn explain(&mut self, failure: StepFailure, step: f64) -> StepFailure {
        let (Reason::Solve(_) | Reason::Adaptive(_), Some(resolution)) = (&failure.reason, &self.resolution) else {
            return failure;
        };
        if let Some((jump, help)) = self.promises.jump.clone() {
            let reason = Reason::JumpingForce { jump, help, cause: Box::new(failure.reason) };
            return StepFailure { reason, shorter: None, ..failure };
        }
        // An adaptive integrator has seen for itself what is unbounded, but not why.
        let deeper = |reason: &Reason| self.promises.stepping || matches!(reason, Reason::SingularMass { .. });
        let end = match &self.warming {
            Some(warming) => warming.end(step, &mut self.judge),
            None => resolution.end(step, &mut self.judge),
        };
        match end.filter(deeper) {
            Some(reason) => StepFailure { reason, shorter: None, ..failure },
            None => failure,
        }
    }

    /// Looks at the energy alone.
    pub fn glance(&mut self, time: f64, energy: f64) {
        self.energy.iter_mut().for_each(|audit| audit.look(time, energy));
    }

    /// What is to be said at the end, from what else was seen of the motion.
    pub fn warnings(&self, constraints: &ConstraintWatch, laws: Option<&Laws>) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = self.resolution.iter().filter_map(Resolution::warning).cloned().collect();
        warnings.extend(self.warming.iter().filter_map(Warming::warning).cloned());
        warnings.extend(self.energy.as_ref().and_then(EnergyAudit::warning));
        let promised = self.promises.first_law;
        let broken =
            laws.map(|laws| laws.first.relative).filter(|relative| *relative > self.promises.first_law_limit());
        warnings.extend(broken.map(|relative| Warning::FirstLaw { relative, promised }));
        warnings.extend(laws.and_then(|laws| destroyed(&laws.second)));
        // Those on positions are as large as at the start; those on velocities may begin at rest.
        let sizes = self.promises.constraint_sizes.iter().zip(&constraints.sizes).map(|(first, seen)| first.max(*seen));
        let names = self.observables.constraints.iter();
        for ((name, residual), size) in names.zip(&constraints.residuals).zip(sizes) {
            if size > 0.0 && *residual > CONSTRAINT * size {
                warnings.push(Warning::Constraint { name: name.clone(), residual: *residual, size });
            }
        }
        warnings
    }
}

#[cfg(test)]
impl Audits {
    /// Which part of what is warned of the energy, the first law and the worst constraint are off.
    pub fn parts(&self, constraints: &ConstraintWatch, laws: Option<&Laws>) -> [f64; 3] {
        let energy = self.energy.as_ref().map_or(0.0, |energy| energy.off / (ENERGY * energy.scale()));
        let first_law = laws.map_or(0.0, |laws| laws.first.relative / self.promises.first_law_limit());
        let sizes = self.promises.constraint_sizes.iter().zip(&constraints.sizes).map(|(first, seen)| first.max(*seen));
        let parts = constraints.residuals.iter().zip(sizes).filter(|(_, size)| *size > 0.0);
        let constraint = parts.map(|(residual, size)| residual / (CONSTRAINT * size)).fold(0.0, f64::max);
        [energy, first_law, constraint].map(|part| if part.is_nan() { 0.0 } else { part })
    }
}

/// Entropy that is destroyed where some comes in from outside: elsewhere guards of every step see to it.
fn destroyed(law: &SecondLaw) -> Option<Warning> {
    let (least, size) = (law.smallest_step, law.size());
    let open = law.carried.or(law.exchanged).is_some();
    (open && least < -SECOND_LAW * size).then_some(Warning::SecondLaw { least, size })
}

/// A force that jumps, and what to do about it, where the model was warned of one.
fn jump(model: &Model) -> Option<(String, String)> {
    let warning = model.warnings().iter().find(|warning| warning.code == Code::JumpingFriction)?;
    Some((warning.message.clone(), warning.help.clone().unwrap_or_default()))
}

/// The sizes of the terms of constraints on positions at the start; those of others may vanish there and are measured on the way.
pub(super) fn constraint_sizes<'m>(
    system: &System<'m>,
    beginning: &RunStart,
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

#[cfg(test)]
mod tests {
    use super::super::judge::Instruments;
    use super::super::laws::Audit;
    use super::super::snapshot::Snapshot;
    use super::*;
    use crate::run::Settings;
    use extremal_model::Start;

    /// No method that promises the first law was ever seen to break it: what is said if one does.
    #[test]
    fn a_promised_first_law_may_be_off_by_a_millionth() {
        let model = Model::from_toml(crate::gallery::text("cart-with-friction").unwrap()).unwrap();
        for (method, promised) in
            [("energy-entropy", true), ("compose(yoshida4, energy-entropy)", true), ("midpoint", false)]
        {
            let settings = Settings { method: method.parse().unwrap(), start: Start::Legendre, ..Settings::of(&model) };
            let run = CompiledRun::new(&model, &settings).unwrap();
            let judge = Judge::new(Instruments::later(&run), model.parameter_values());
            let audits = Audits::new(run.observables.clone(), Promises::of(&run, &model), judge);
            let mut now = Snapshot::new(&run.observables, None);
            now.take(&run.observables, run.begin().unwrap().as_mut()).unwrap();
            let mut audit = Audit::default();
            audit.push(&run.observables, &["S".to_string()], &now.row);
            let said = |relative: f64| {
                let mut laws = audit.finish().unwrap();
                laws.first.relative = relative;
                audits.warnings(&now.watch, Some(&laws))
            };
            assert_eq!(said(0.9e-6), [], "{method}");
            assert_eq!(said(1.1e-6).is_empty(), !promised, "{method}");
            assert_eq!(said(0.11), [Warning::FirstLaw { relative: 0.11, promised }], "{method}");
        }
    }
}
