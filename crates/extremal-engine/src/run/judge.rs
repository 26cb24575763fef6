//! Who decides whether a step follows the motion: an adaptive integrator of high order, from the state before the step.

use std::sync::{Arc, Mutex, PoisonError};

use extremal_expr::Id;
use extremal_mechanics::System;
use extremal_model::{Model, Start};
use extremal_solve::{AdaptiveMarcher, AdaptiveMethod, March, Marcher, MotionFate, Reason, StartValues};
use extremal_trajectory::RowBlock;

use super::blocks::BlockRows;
use super::inertia::{Inertia, StatePoint};
use super::layout::TIME;
use super::manifold::final_manifold;
use super::observables::Observables;
use super::{Compiled, CompiledRun};

/// Far below what is called unresolved, and quickly reached.
const TOLERANCE: f64 = 1e-9;
/// Steps for one motion after which it is not known what happens: stiff equations, or forces that jump without end. There is one more
/// for every row, so that judging takes no more than a share of the time.
const MOST_STEPS: u64 = 5_000;
/// A step is unresolved if it is off by this part of the motion in it,
pub(super) const UNRESOLVED: f64 = 0.2;
/// and resolved well by this one.
pub(super) const RESOLVED: f64 = 0.02;
/// How much errors of positions count beside those of velocities: in a first step from rest, methods of first order are off by half of a
/// way that is not yet one.
const OF_POSITIONS: f64 = 0.25;
/// A coordinate that moves this many times further than its velocities at both ends lead does so inside the step alone, unseen by them:
/// its end must then be right to this part of what is allowed of other errors.
const HIDDEN: f64 = 10.0;
/// The same holds where it moves on, but this many times less far than the faster of them leads: its motion is all at one end. Under a
/// constant force it is half as far.
const PEAK: f64 = 4.0;
/// A step is halved at most so many times to find one that resolves the motion.
const HALVINGS: u32 = 14;
/// A step that is unresolved is looked at this much further for the singularity that it may have jumped over.
const FURTHER: f64 = 2.0;

/// Where a motion is at one time.
#[derive(Clone)]
pub(crate) struct Moment {
    pub time: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub p: Vec<f64>,
    s: Vec<f64>,
    /// Those that have an equation of motion.
    multipliers: Vec<f64>,
    /// Σ v p: twice the kinetic energy of a natural system.
    pub work: f64,
    /// Σ |v p|.
    pub kinetic: f64,
    pub energy: f64,
}

impl Moment {
    pub fn new(coordinates: usize, entropies: usize) -> Moment {
        let zero = vec![0.0; coordinates];
        let (s, multipliers) = (vec![0.0; entropies], Vec::new());
        let (work, kinetic, energy) = (0.0, 0.0, 0.0);
        Moment { time: 0.0, q: zero.clone(), v: zero.clone(), p: zero, s, multipliers, work, kinetic, energy }
    }

    /// Takes what a row says.
    pub fn read(&mut self, observables: &Observables, row: &[f64]) {
        let at = &observables.row;
        self.time = row[TIME];
        self.multipliers.clear();
        self.multipliers.extend(observables.moving.iter().map(|constraint| row[at.multiplier(*constraint)]));
        self.energy = row[at.energy];
        let (q, v, p) = (&row[at.positions.clone()], &row[at.velocities.clone()], &row[at.momenta.clone()]);
        (self.work, self.kinetic) = (0.0, 0.0);
        // Rows are short, and there is one for every step: one pass over them.
        let own = self.q.iter_mut().zip(&mut self.v).zip(&mut self.p);
        for (((own_q, own_v), own_p), ((q, v), p)) in own.zip(q.iter().zip(v).zip(p)) {
            (*own_q, *own_v, *own_p) = (*q, *v, *p);
            let product = v * p;
            self.work += product;
            self.kinetic += product.abs();
        }
        // Momenta that are coordinates have none of their own.
        self.q[p.len()..].copy_from_slice(&q[p.len()..]);
        self.v[p.len()..].copy_from_slice(&v[p.len()..]);
        self.s.copy_from_slice(&row[at.entropies.clone()]);
    }

    /// Takes what a row of a block says.
    pub fn read_block(&mut self, observables: &Observables, rows: &BlockRows<'_>, row: usize) {
        let at = &observables.row;
        let value = |column: usize| rows.column(column)[row];
        self.time = value(TIME);
        self.multipliers.clear();
        self.multipliers.extend(observables.moving.iter().map(|constraint| value(at.multiplier(*constraint))));
        self.energy = value(at.energy);
        for (own, columns) in [
            (&mut self.q, &at.positions),
            (&mut self.v, &at.velocities),
            (&mut self.p, &at.momenta),
            (&mut self.s, &at.entropies),
        ] {
            own.iter_mut().zip(columns.clone()).for_each(|(own, column)| *own = value(column));
        }
        (self.work, self.kinetic) = (0.0, 0.0);
        for (v, p) in self.v.iter().zip(&self.p).take(at.momenta.len()) {
            self.work += v * p;
            self.kinetic += (v * p).abs();
        }
    }

    /// Takes Σ v p and Σ |v p| from velocities and momenta.
    fn measure(&mut self) {
        let products = || self.v.iter().zip(&self.p).map(|(v, p)| v * p);
        (self.work, self.kinetic) = (products().sum(), products().map(f64::abs).sum());
    }

    /// How much velocities and momenta change, in units of the energy whatever those of the coordinates are: Σ |Δv| |p| + |v| |Δp|, and
    /// Σ |Δv Δp|.
    pub fn change(&self, after: &Moment) -> [f64; 2] {
        let mut change = [0.0; 2];
        for ((v0, v1), (p0, p1)) in self.v.iter().zip(&after.v).zip(self.p.iter().zip(&after.p)) {
            let (dv, dp) = ((v1 - v0).abs(), (p1 - p0).abs());
            change[0] += dv * p0.abs().max(p1.abs()) + dp * v0.abs().max(v1.abs());
            change[1] += dv * dp;
        }
        change
    }

    /// How far another end of the motion from `before` is from this one, relative to the motion in between: kinetic energies of
    /// differences against kinetic energies, positions against how far velocities lead. Energies below `floor` are none.
    fn distance(&self, before: &Moment, other: &Moment, floor: f64) -> f64 {
        let h = (self.time - before.time).abs();
        let [_, gained] = before.change(self);
        let scale = before.kinetic + self.kinetic + gained + floor;
        let [_, of_rates] = self.change(other);
        let apart = |at: usize| (self.q[at] - other.q[at]).abs() * (self.p[at].abs().max(before.p[at].abs()));
        let of_positions: f64 = (0..self.q.len()).map(apart).sum();
        (of_rates / scale).sqrt().max(OF_POSITIONS * of_positions / (h * scale))
    }

    /// The same for coordinates whose motion in between their velocities at both ends do not show, relative to how far each of them moves.
    fn hidden_distance(&self, before: &Moment, other: &Moment) -> f64 {
        let h = (self.time - before.time).abs();
        let hidden = |at: usize| {
            let (way, v0, v1) = (self.q[at] - before.q[at], before.v[at], self.v[at]);
            let (moved, led) = (way.abs(), h * v0.abs().max(v1.abs()));
            let onward = way * v0 > 0.0 && way * v1 > 0.0;
            let off = (self.q[at] - other.q[at]).abs();
            if moved > HIDDEN * led || onward && led > PEAK * moved { HIDDEN * off / moved } else { 0.0 }
        };
        (0..self.q.len()).map(hidden).fold(0.0, f64::max)
    }

    fn state(&self) -> StatePoint<'_> {
        StatePoint { q: &self.q, v: &self.v, s: &self.s, time: self.time }
    }

    pub fn start(&self) -> StartValues {
        let (q, v, s, multipliers) = (self.q.clone(), self.v.clone(), self.s.clone(), self.multipliers.clone());
        StartValues { q, v, s, multipliers, time: self.time, ..StartValues::default() }
    }

    /// Takes positions from a state and velocities and momenta from what is observed there.
    fn observe(&mut self, motion: &mut dyn March) -> bool {
        let n = self.q.len();
        self.time = motion.time();
        self.q.copy_from_slice(&motion.state()[..n]);
        let Ok(observed) = motion.observe() else { return false };
        self.v.copy_from_slice(&observed[..n]);
        self.p.copy_from_slice(&observed[n..2 * n]);
        self.measure();
        true
    }
}

/// What the judge says about a step.
pub(crate) enum Verdict {
    Resolved,
    /// The motion goes on, but not where the step leads.
    Unresolved {
        resolving: Option<f64>,
    },
    /// From the state before the step the motion does not go on, for this reason.
    Singular(Reason),
    /// There is no way to tell.
    Undecided,
}

/// What it takes to judge: the equations of motion, and the method.
#[derive(Clone)]
pub(crate) struct Means {
    reference: AdaptiveMarcher,
    /// The method, where its steps are of one size and it starts from a moment: not from two points.
    marcher: Option<Marcher>,
    inertia: Option<Inertia>,
}

/// The instruments of several judges, made when one first needs them: not every motion does. Every judge works with its own copy.
pub(crate) struct Instruments {
    shared: Arc<Mutex<Making>>,
    own: Option<Option<Box<Means>>>,
}

enum Making {
    Later(Box<CompiledRun>),
    Done(Option<Box<Means>>),
}

impl Instruments {
    /// Made when they are first needed.
    pub fn later(run: &CompiledRun) -> Self {
        Instruments::sharing(Arc::new(Mutex::new(Making::Later(Box::new(run.clone())))))
    }

    /// Made now, while the model is at hand.
    pub fn ready(run: &CompiledRun, model: &Model) -> Self {
        Instruments::sharing(Arc::new(Mutex::new(Making::Done(Means::of(run, model)))))
    }

    fn sharing(shared: Arc<Mutex<Making>>) -> Self {
        Instruments { shared, own: None }
    }

    /// For another judge.
    pub fn share(&self) -> Self {
        Instruments::sharing(self.shared.clone())
    }

    fn means(&mut self) -> Option<&mut Means> {
        let Instruments { shared, own } = self;
        own.get_or_insert_with(|| made(shared)).as_deref_mut()
    }
}

fn made(shared: &Mutex<Making>) -> Option<Box<Means>> {
    let mut making = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let means = match &mut *making {
        Making::Later(run) => Means::of(run, &run.model.lock()),
        Making::Done(means) => return means.clone(),
    };
    *making = Making::Done(means.clone());
    means
}

/// The judge of the motions with some parameters.
pub(crate) struct Judge {
    instruments: Instruments,
    parameters: Vec<f64>,
    /// The steps of the reference that are left for this motion.
    left: u64,
}

impl Judge {
    pub fn new(instruments: Instruments, parameters: Vec<f64>) -> Self {
        Judge { instruments, parameters, left: MOST_STEPS }
    }

    /// Begins with a motion of other parameters.
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        self.parameters.clear();
        self.parameters.extend_from_slice(parameters);
        self.left = MOST_STEPS;
    }

    /// Is there for every row.
    pub fn see_rows(&mut self, rows: u64) {
        self.left += rows;
    }

    /// Why the motion cannot go on from here for a step of size `h`, if its equations say so.
    pub fn end_of(&mut self, now: &Moment, h: f64) -> Option<Reason> {
        let means = self.instruments.means()?;
        means.set_parameters(&self.parameters);
        match fate(&mut means.reference, &mut self.left, &now.start(), now.time + (1.0 + FURTHER) * h) {
            MotionFate::Singular { time, what } => Some(means.ended(now, None, time, what)),
            MotionFate::Reached | MotionFate::Undecided => None,
        }
    }

    /// What becomes of a motion from these values until a time, and the state in which it is then.
    pub fn follow(&mut self, start: &StartValues, until: f64) -> Option<(MotionFate, Vec<f64>)> {
        let means = self.instruments.means()?;
        means.set_parameters(&self.parameters);
        let fate = fate(&mut means.reference, &mut self.left, start, until);
        Some((fate, means.reference.state().to_vec()))
    }

    /// A part of the step `h`, found by halving it, with which the method comes to where it should.
    pub fn halved(&mut self, start: &StartValues, h: f64, arrived: impl Fn(&[f64]) -> bool) -> Option<f64> {
        let marcher = self.instruments.means()?.marcher.as_mut()?;
        marcher.set_parameters(&self.parameters);
        (1..=HALVINGS).find_map(|halvings| {
            let steps = 1u64 << halvings;
            let shorter = h / steps as f64;
            let done = marcher.restart(start, shorter).is_ok() && marcher.advance_many(steps).is_ok();
            (done && arrived(marcher.state())).then_some(shorter)
        })
    }

    /// Does the step between these moments follow the motion? Kinetic energies below `floor` are round-off.
    /// A step that resolves the motion is looked for where it is `wanted`.
    pub fn verdict(&mut self, before: &Moment, after: &Moment, floor: f64, wanted: bool) -> Verdict {
        let Some(means) = self.instruments.means() else { return Verdict::Undecided };
        means.set_parameters(&self.parameters);
        let h = after.time - before.time;
        let start = before.start();
        let mut exact = after.clone();
        let first = fate(&mut means.reference, &mut self.left, &start, after.time);
        if let MotionFate::Singular { time, what } = first {
            return Verdict::Singular(means.ended(before, Some(after), time, what));
        }
        // An integrator, too, may step over a zero of the mass.
        if let Some(reason) = means.crossed(before, after) {
            return Verdict::Singular(reason);
        }
        if first == MotionFate::Undecided || !exact.observe(&mut means.reference) {
            return Verdict::Undecided;
        }
        if let Some(reason) = means.crossed(before, &exact) {
            return Verdict::Singular(reason);
        }
        if exact.distance(before, after, floor).max(exact.hidden_distance(before, after)) <= UNRESOLVED {
            return Verdict::Resolved;
        }
        let further = fate(&mut means.reference, &mut self.left, &start, after.time + FURTHER * h);
        if let MotionFate::Singular { time, what } = further {
            return Verdict::Singular(means.ended(before, Some(after), time, what));
        }
        if let Some(reason) = means.touched(before, after) {
            return Verdict::Singular(reason);
        }
        let marcher = means.marcher.as_mut().filter(|_| wanted);
        Verdict::Unresolved { resolving: marcher.and_then(|marcher| resolving(marcher, before, &exact, floor)) }
    }
}

#[cfg(test)]
impl Judge {
    /// How far a step is from the motion, if that is known.
    pub fn apart(&mut self, before: &Moment, after: &Moment, floor: f64) -> Option<f64> {
        self.left = MOST_STEPS;
        let (fate, _) = self.follow(&before.start(), after.time)?;
        let mut exact = after.clone();
        let arrived = fate == MotionFate::Reached && exact.observe(&mut self.instruments.means()?.reference);
        arrived.then(|| exact.distance(before, after, floor).max(exact.hidden_distance(before, after)))
    }
}

/// What becomes of a motion until a time, as far as the steps that are left can tell.
fn fate(reference: &mut AdaptiveMarcher, left: &mut u64, start: &StartValues, until: f64) -> MotionFate {
    if *left == 0 {
        return MotionFate::Undecided;
    }
    reference.limit_steps(*left);
    let fate = reference.fate(start, until);
    *left -= reference.steps_tried().min(*left);
    fate
}

/// A step with which the method comes from one moment to the other.
fn resolving(marcher: &mut Marcher, before: &Moment, exact: &Moment, floor: f64) -> Option<f64> {
    let mut reached = exact.clone();
    (1..=HALVINGS).find_map(|halvings| {
        let steps = 1u64 << halvings;
        let h = (exact.time - before.time) / steps as f64;
        let arrived = marcher.restart(&before.start(), h).is_ok()
            && marcher.advance_many(steps).is_ok()
            && reached.observe(marcher);
        let resolved = |reached: &Moment| {
            exact.distance(before, reached, floor) <= RESOLVED && exact.hidden_distance(before, reached) <= UNRESOLVED
        };
        (arrived && resolved(&reached)).then_some(h)
    })
}

impl Means {
    /// Those of a run, where there are such: not for equations of higher order, nor where the method is all there is.
    fn of(run: &CompiledRun, model: &Model) -> Option<Box<Means>> {
        let marcher = match &*run.compiled {
            Compiled::Scheme(scheme) => (run.settings.start == Start::Legendre).then(|| scheme.marcher()),
            Compiled::Paced(_) | Compiled::Adaptive(_) => None,
            Compiled::Lattice(_) => return None,
        };
        if model.order() > 1 || model.momentum_order().is_some() || model.discrete().is_some() {
            return None;
        }
        let mut system = System::of(model).with_short_kinetic_energy();
        let redundant = &run.constraints.redundant;
        system.constraints.retain(|constraint| redundant.iter().all(|(name, _)| *name != constraint.name));
        system.manifold = final_manifold(model, &system, &run.method);
        let parameters: Vec<Id> = model.parameters().iter().map(|parameter| parameter.symbol).collect();
        let reference = AdaptiveMarcher::new(&system, AdaptiveMethod::Dop853, TOLERANCE, &parameters, &[], &[]).ok()?;
        let inertia = if system.vakonomic().next().is_none() { Inertia::of(&system, &parameters).ok()? } else { None };
        Some(Box::new(Means { reference, marcher, inertia }))
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.reference.set_parameters(parameters);
        self.marcher.iter_mut().for_each(|marcher| marcher.set_parameters(parameters));
        self.inertia.iter_mut().for_each(|inertia| inertia.set_parameters(parameters));
    }

    /// Why the motion that the reference has followed from `before` ends where it is: something is unbounded, and the mass may have
    /// vanished. A method went on to `after`.
    fn ended(&mut self, before: &Moment, after: Option<&Moment>, time: f64, what: String) -> Reason {
        let (n, state) = (before.q.len(), self.reference.state());
        let end = StatePoint { q: &state[..n], v: &state[n..2 * n], s: &state[2 * n..2 * n + before.s.len()], time };
        let vanished = self.inertia.as_mut().and_then(|inertia| {
            let after = after.map(Moment::state);
            let crosses = inertia.vanishes(&before.state(), &end, after.as_ref())?;
            Some((inertia.bordered, crosses))
        });
        match vanished {
            Some((bordered, crosses)) => Reason::SingularMass { time, bordered, crosses, unbounded: Some(what) },
            None => Reason::Singularity { time, what },
        }
    }

    /// Does a step that is none of the motion pass a zero of the mass?
    fn touched(&mut self, before: &Moment, after: &Moment) -> Option<Reason> {
        let inertia = self.inertia.as_mut()?;
        let time = inertia.touching(&before.state(), &after.state())?;
        Some(Reason::SingularMass { time, bordered: inertia.bordered, crosses: false, unbounded: None })
    }

    /// Has the mass another sign there?
    fn crossed(&mut self, before: &Moment, after: &Moment) -> Option<Reason> {
        let inertia = self.inertia.as_mut()?;
        let time = inertia.crossing(&before.state(), &after.state())?;
        Some(Reason::SingularMass { time, bordered: inertia.bordered, crosses: true, unbounded: None })
    }
}
