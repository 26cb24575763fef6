//! Events that change the state of a motion: located inside a step, carried out, and the rest of the step taken from there.

use std::ops::Range;

use extremal_expr::Id;
use extremal_mechanics::System;
use extremal_mechanics::continuous::StateJump;
use extremal_mechanics::discrete::SchemeError;
use extremal_model::{ChangedQuantity, Direction, EventEffect, Model, Start};
use extremal_solve::{
    GuessSource, Kernel, March, NewtonOptions, Reason, RootError, StartValues, StepFailure, find_root,
};
use serde::Serialize;

use super::observables::Observables;
use super::start_check::StartCheck;
use super::stops::crosses;
use super::{Settings, SetupError};

/// What the events of a kind did along a motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventCount {
    /// Its name.
    pub name: String,
    /// How often it happened.
    pub count: u64,
    /// When first.
    pub first: f64,
    /// When last.
    pub last: f64,
    /// By how much all of them changed the energy.
    pub energy_change: f64,
}

/// An event follows the one before it of its kind within this part of a step, or less,
const SOON: f64 = 1e-9;
/// so many times one after the other: then they accumulate. After the first of them a ball that keeps 98 % of its speed in every bounce
/// is done but for a part of 1e-7 of the step.
const MOST_SOON: u32 = 100;
/// An expression within this part of its largest value so far is zero, by what its zeros are located to.
const TOUCHING: f64 = 1e-12;
/// The part of the rest of a step after which it is seen where an expression without a rate goes.
const PROBED: f64 = 1.0 / 4096.0;
/// How many times the rest of a step is halved to find where the motion has left a zero.
const HALVINGS: u32 = 60;

/// What it takes to carry out the events of a model.
#[derive(Clone)]
pub(crate) struct EventRules {
    rules: Vec<EventRule>,
    check: StartCheck,
    parameters: Vec<f64>,
}

#[derive(Clone)]
struct EventRule {
    is_impact: bool,
    /// It is promised to keep the energy: what it changes of it is an error.
    keeps_energy: bool,
    /// Is the rate of its expression known where the motion is?
    has_rate: bool,
    jump: Kernel,
}

/// The rates of the expressions of events, where the equations of motion say them; zero for those of entropies and states.
pub(super) fn event_rates<'g>(model: &'g Model, system: &System<'g>) -> Vec<extremal_expr::Expr<'g>> {
    let g = system.graph;
    let rate = |expression: Id| {
        let expression = g.expr(expression);
        if has_rate(system, expression) { system.time_derivative(&[expression])[0] } else { g.int(0) }
    };
    model.events().iter().map(|event| rate(event.expression)).collect()
}

fn has_rate<'g>(system: &System<'g>, expression: extremal_expr::Expr<'g>) -> bool {
    !expression.depends_on(&system.heat.s)
}

impl EventRules {
    /// The rules of a model; `None` if it has no events.
    pub fn of<'m>(
        model: &'m Model,
        system: &System<'m>,
        settings: &Settings,
        observables: &Observables,
        parameters: &[Id],
    ) -> Result<Option<EventRules>, SetupError> {
        if model.events().is_empty() {
            return Ok(None);
        }
        if model.order() > 1 {
            return Err(SchemeError::BesideAccelerations("events").into());
        }
        if model.momentum_order().is_some() {
            return Err(SchemeError::OptimalFlow("events").into());
        }
        if settings.start != Start::Legendre {
            return Err(SetupError::EventStart);
        }
        let mut rules = Vec::new();
        for event in model.events() {
            let (jump, keeps_energy) = jump_of(model, system, &event.name, &event.effect, event.expression)?;
            let block = system.jump_block(&jump);
            rules.push(EventRule {
                is_impact: matches!(event.effect, EventEffect::Impact { .. }),
                keeps_energy,
                has_rate: has_rate(system, system.graph.expr(event.expression)),
                jump: Kernel::compile(model.graph(), parameters, &block, NewtonOptions::default())?,
            });
        }
        let check = StartCheck::new(model, settings, observables)?;
        Ok(Some(EventRules { rules, check, parameters: Vec::new() }))
    }

    /// Sets the parameters, in the order of the model.
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        self.rules.iter_mut().for_each(|rule| rule.jump.set_parameters(parameters));
        self.parameters = parameters.to_vec();
    }
}

/// What an event does as formulas, and whether it keeps the energy.
fn jump_of<'m>(
    model: &'m Model,
    system: &System<'m>,
    name: &str,
    effect: &EventEffect,
    expression: Id,
) -> Result<(StateJump<'m>, bool), SetupError> {
    let g = system.graph;
    match effect {
        EventEffect::Change(changes) => {
            let (mut q, mut v, mut s) = (system.q.clone(), system.v.clone(), system.heat.s.clone());
            for (quantity, value) in changes {
                let value = g.expr(*value);
                match *quantity {
                    ChangedQuantity::Position(at) => q[at] = value,
                    ChangedQuantity::Velocity(at) => v[at] = value,
                    ChangedQuantity::Carried(at) => s[at] = value,
                }
            }
            Ok((StateJump::Set { q, v, s }, false))
        }
        EventEffect::Impact { restitution } => {
            let event = name.to_owned();
            if model.momentum_coordinates() > 0 || system.vakonomic().next().is_some() {
                return Err(SetupError::ImpactOnMomenta { event });
            }
            if !system.has_quadratic_kinetic_energy() {
                return Err(SetupError::ImpactNotQuadratic { event });
            }
            let (obstacle, restitution) = (g.expr(expression), g.expr(*restitution));
            let resting = system.heat.entropies().is_empty() && !obstacle.depends_on(&[system.t]);
            let natural = system.constraints.iter().all(|constraint| constraint.power.is_zero());
            let keeps_energy = resting && natural && restitution == g.int(1);
            Ok((StateJump::Impact { obstacle, restitution }, keeps_energy))
        }
    }
}

/// How a motion came through a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum StepPassage {
    /// Nothing happened in it.
    Undisturbed,
    /// Something did, and the motion is at its end.
    Changed,
    /// It met this condition.
    Stopped(usize),
    /// It met events of this kind without end.
    Accumulated(usize),
}

/// Who hears of events.
pub(crate) trait EventObserver {
    /// The motion is where the event happens.
    fn before(&mut self, _event: usize, _motion: &mut dyn March) -> Result<(), StepFailure> {
        Ok(())
    }

    /// It has happened; what was observed before it and after it.
    fn after(&mut self, event: usize, motion: &mut dyn March, before: &[f64], after: &[f64])
    -> Result<(), StepFailure>;
}

/// What is remembered of the events of one motion.
#[derive(Clone)]
pub(crate) struct EventWatch {
    rules: EventRules,
    /// How many stop conditions stand before the events.
    stops: usize,
    /// Per condition: its value at the beginning of the part of the step that is looked at,
    values: Vec<f64>,
    /// whether the motion leaves its zero there, and its rate,
    leaving: Vec<bool>,
    rates: Vec<f64>,
    /// the largest value so far, and the largest speed with which an obstacle was met.
    sizes: Vec<f64>,
    speeds: Vec<f64>,
    /// The length of the step that is looked at.
    length: f64,
    /// Per event: is it an obstacle that is touched and pressed against?
    pressed: Vec<bool>,
    /// Per event: is its expression zero, at the start or without a rate after an event, and not yet known where the motion takes it?
    undecided: Vec<bool>,
    /// Per event: when it happened last, and how many times soon after the one before.
    last: Vec<Option<f64>>,
    soon: Vec<u32>,
    counts: Vec<EventCount>,
    before: Vec<f64>,
    after: Vec<f64>,
    state: Vec<f64>,
}

impl EventWatch {
    pub fn new(rules: EventRules, observables: &Observables) -> EventWatch {
        let (all, events) = (observables.stops.len(), observables.events);
        let count = |(name, _): &(String, Direction)| EventCount {
            name: name.clone(),
            count: 0,
            first: f64::NAN,
            last: f64::NAN,
            energy_change: 0.0,
        };
        EventWatch {
            rules,
            stops: all - events,
            values: vec![0.0; all],
            leaving: vec![false; all],
            rates: vec![0.0; all],
            sizes: vec![0.0; all],
            speeds: vec![0.0; all],
            length: 0.0,
            pressed: vec![false; events],
            undecided: vec![true; events],
            last: vec![None; events],
            soon: vec![0; events],
            counts: observables.stops[all - events..].iter().map(count).collect(),
            before: Vec::new(),
            after: Vec::new(),
            state: vec![0.0; 2 * observables.coordinates + observables.entropies],
        }
    }

    /// Forgets the motion before another one, of these parameters.
    pub fn begin(&mut self, parameters: &[f64]) {
        self.rules.set_parameters(parameters);
        self.leaving.fill(false);
        self.undecided.fill(true);
        self.sizes.fill(0.0);
        self.speeds.fill(0.0);
        self.last.fill(None);
        self.soon.fill(0);
        for count in &mut self.counts {
            (count.count, count.first, count.last, count.energy_change) = (0, f64::NAN, f64::NAN, 0.0);
        }
    }

    /// What happened so far, of those that did.
    pub fn counts(&self) -> impl Iterator<Item = &EventCount> {
        self.counts.iter()
    }

    /// Is the energy promised to stay in this event?
    pub fn keeps_energy(&self, event: usize) -> bool {
        self.rules.rules[event].keeps_energy
    }

    /// Takes the motion through the events of its last step, which began at the time `begin` with these `values` of the conditions; they
    /// become those at its end.
    pub fn pass(
        &mut self,
        observables: &Observables,
        motion: &mut dyn March,
        begin: f64,
        values: &mut [f64],
        observer: &mut dyn EventObserver,
    ) -> Result<StepPassage, StepFailure> {
        let (end, length) = (motion.time(), motion.time() - begin);
        let (mut begin, mut changed) = (begin, false);
        self.length = length;
        for (condition, value) in values.iter().enumerate() {
            // An event at the very end of the step before has said where the motion leaves to.
            if !self.leaving[condition] {
                self.values[condition] = *value;
            }
            self.sizes[condition] = self.sizes[condition].max(value.abs());
        }
        let mut at_once = self.decided(observables, motion, length)?;
        loop {
            let observed = &motion.observe()?[observables.observed().stops()];
            values.copy_from_slice(observed);
            for (size, value) in self.sizes.iter_mut().zip(&*values) {
                *size = size.max(value.abs());
            }
            let mut first: Option<(usize, f64)> = at_once.take().map(|condition| (condition, 0.0));
            let looked_at = if first.is_some() { &[] } else { &*values };
            for (condition, value) in looked_at.iter().enumerate() {
                if self.is_crossed(observables, condition, *value) {
                    let at = self.located(observables, motion, condition, *value, begin, end)?;
                    if first.is_none_or(|(_, earliest)| at.abs() < earliest.abs()) {
                        first = Some((condition, at));
                    }
                }
            }
            let Some((condition, after)) = first else {
                // Where the motion leaves a zero and does not come back, it has left it.
                for (condition, leaving) in self.leaving.iter_mut().enumerate() {
                    *leaving &= values[condition].abs()
                        <= TOUCHING * self.sizes[condition].max(self.speeds[condition] * length.abs());
                }
                return Ok(if changed { StepPassage::Changed } else { StepPassage::Undisturbed });
            };
            motion.retake(after)?;
            if condition < self.stops {
                return Ok(StepPassage::Stopped(condition));
            }
            begin = motion.time();
            changed = true;
            let mut next = Some(condition - self.stops);
            while let Some(event) = next {
                self.carry_out(observables, motion, event, observer)?;
                if self.accumulates(event, begin, length) {
                    return Ok(StepPassage::Accumulated(event));
                }
                // An obstacle that is pressed against elsewhere has its own impact at the same time.
                next = self.pressed.iter().position(|pressed| *pressed);
            }
            self.probe(observables, motion, end - begin)?;
            if let Some(condition) = self.decided(observables, motion, end - begin)? {
                // It was met without a speed to leave it with, and is met again at once.
                motion.retake(0.0)?;
                return Ok(StepPassage::Accumulated(condition - self.stops));
            }
            motion.complete(end)?;
        }
    }

    /// Sees where events go whose expressions are zero where the last step, or what is left of it after an event, begins. The condition of
    /// one that the motion takes through zero in its direction is met there.
    fn decided(
        &mut self,
        observables: &Observables,
        motion: &dyn March,
        length: f64,
    ) -> Result<Option<usize>, StepFailure> {
        let mut met = None;
        for at in 0..self.rules.rules.len() {
            let condition = self.stops + at;
            if !std::mem::take(&mut self.undecided[at]) || self.values[condition] != 0.0 || self.is_obstacle(condition)
            {
                continue;
            }
            // Where nothing is left of a step, the next one says it.
            if length == 0.0 {
                self.undecided[at] = true;
                continue;
            }
            let mut ahead = motion.fork();
            ahead.retake(0.0)?;
            let rates = ahead.observe()?;
            let rate = rates[rates_in(observables, rates.len())][at];
            let side = match self.rules.rules[at].has_rate && rate != 0.0 {
                true => rate * length.signum(),
                false => {
                    ahead.retake(PROBED * length)?;
                    ahead.observe()?[observables.observed().stops()][condition]
                }
            };
            self.rates[condition] = rate;
            (self.values[condition], self.leaving[condition]) = match observables.stops[condition].1 {
                Direction::Falling if side < 0.0 => (f64::MIN_POSITIVE, false),
                Direction::Rising if side > 0.0 => (-f64::MIN_POSITIVE, false),
                _ => marked(side),
            };
            if self.values[condition] != 0.0 && !self.leaving[condition] {
                met = met.or(Some(condition));
            }
        }
        Ok(met)
    }

    /// Sees where expressions without a known rate go that an event has left at zero.
    fn probe(&mut self, observables: &Observables, motion: &mut dyn March, rest: f64) -> Result<(), StepFailure> {
        for at in 0..self.rules.rules.len() {
            let condition = self.stops + at;
            if self.rules.rules[at].has_rate || !self.leaving[condition] {
                continue;
            }
            motion.retake(PROBED * rest)?;
            let value = motion.observe()?[observables.observed().stops()][condition];
            (self.values[condition], self.leaving[condition]) = marked(value);
        }
        Ok(())
    }

    /// Does a condition cross zero on the way to this value?
    fn is_crossed(&self, observables: &Observables, condition: usize, after: f64) -> bool {
        let (before, zero) = (self.values[condition], self.zero(condition));
        match self.is_obstacle(condition) {
            // What rests on an obstacle is on it up to round-off.
            true => before >= -zero && after < -zero,
            false => crosses(before, after, observables.stops[condition].1),
        }
    }

    /// Smaller values of a condition are zero.
    fn zero(&self, condition: usize) -> f64 {
        TOUCHING * self.sizes[condition].max(self.speeds[condition] * self.length.abs())
    }

    fn is_obstacle(&self, condition: usize) -> bool {
        condition.checked_sub(self.stops).is_some_and(|event| self.rules.rules[event].is_impact)
    }

    /// How long after `begin` a condition that is crossed until `end` is zero.
    fn located(
        &self,
        observables: &Observables,
        motion: &mut dyn March,
        condition: usize,
        after: f64,
        begin: f64,
        end: f64,
    ) -> Result<f64, StepFailure> {
        let length = end - begin;
        let mut value_after = |h: f64| -> Result<f64, StepFailure> {
            motion.retake(h)?;
            Ok(motion.observe()?[observables.observed().stops()][condition])
        };
        let (mut from, mut before) = (0.0, self.values[condition]);
        if before == 0.0 || self.is_obstacle(condition) && before < 0.0 {
            return Ok(0.0);
        }
        if self.leaving[condition] {
            // On the parabola with this rate that ends there: its vertex, and closer where the motion is back by then.
            let rate = self.rates[condition];
            let vertex = -rate * length * length / (2.0 * (after - rate * length));
            from = if rate != 0.0 && vertex / length > 0.0 && vertex / length < 1.0 { vertex } else { length / 2.0 };
            let mut halvings = 0;
            loop {
                let value = value_after(from)?;
                if value != 0.0 && (value > 0.0) == (before > 0.0) {
                    before = value;
                    break;
                }
                halvings += 1;
                from /= 2.0;
                if halvings > HALVINGS || begin + from == begin {
                    return Ok(0.0);
                }
            }
        }
        match find_root(&mut value_after, from, length, before, after, f64::EPSILON * length.abs()) {
            Ok(at) => Ok(at),
            Err(RootError::Function { cause, .. }) => Err(cause),
            // Both ends are known to differ in sign and observed values to be finite: only the end itself is left.
            Err(_) => Ok(length),
        }
    }

    /// Changes the state.
    fn carry_out(
        &mut self,
        observables: &Observables,
        motion: &mut dyn March,
        event: usize,
        observer: &mut dyn EventObserver,
    ) -> Result<(), StepFailure> {
        observer.before(event, motion)?;
        let (n, in_state) = (observables.coordinates, observables.state());
        self.before.clear();
        self.before.extend_from_slice(motion.observe()?);
        let rule = &self.rules.rules[event];
        let rate = self.before[rates_in(observables, self.before.len())][event];
        let away = if rule.is_impact { rate } else { rate * self.values[self.stops + event].signum() };
        if rule.has_rate && away > 0.0 {
            // It moves away from the zero already, and is back sooner than time can tell.
            self.after.clone_from(&self.before);
            self.leave(observables, 0.0);
            return Ok(());
        }
        let multipliers = &self.before[observables.observed().outputs()];
        let mut start = StartValues {
            q: motion.state()[in_state.positions()].to_vec(),
            v: self.before[..n].to_vec(),
            s: motion.state()[in_state.entropies()].to_vec(),
            multipliers: observables.moving.iter().map(|at| multipliers[*at]).collect(),
            time: motion.time(),
            ..StartValues::default()
        };
        let inputs = [&start.q[..], &start.v, &start.s, &[start.time], &start.multipliers].concat();
        let named = |cause: String| Reason::Event { event: self.counts[event].name.clone(), cause };
        let EventRules { rules, check, parameters } = &mut self.rules;
        if let Err(failure) = rules[event].jump.run(&inputs, GuessSource::Formula, &mut self.state) {
            return Err(motion.stop(named(failure.to_string())));
        }
        start.q.copy_from_slice(&self.state[..n]);
        start.v.copy_from_slice(&self.state[n..2 * n]);
        start.s.copy_from_slice(&self.state[2 * n..]);
        if let Err(problem) = check.check(parameters, &mut start) {
            return Err(motion.stop(named(problem.to_string())));
        }
        motion.change(&start, in_state.accounts())?;
        self.after.clear();
        self.after.extend_from_slice(motion.observe()?);
        let energy = observables.observed().energy();
        let count = &mut self.counts[event];
        if count.count == 0 {
            count.first = start.time;
        }
        (count.count, count.last) = (count.count + 1, start.time);
        count.energy_change += self.after[energy] - self.before[energy];
        if self.rules.rules[event].is_impact {
            let speed = &mut self.speeds[self.stops + event];
            *speed = speed.max(rate.abs());
        }
        self.leave(observables, rate.abs());
        observer.after(event, motion, &self.before, &self.after)
    }

    /// Looks at all conditions after an event that was met with this speed: whether the motion leaves their zeros, and where to.
    fn leave(&mut self, observables: &Observables, speed: f64) {
        let rates = rates_in(observables, self.after.len());
        for condition in 0..self.values.len() {
            let value = self.after[observables.observed().stops()][condition];
            let near = value.abs() <= self.zero(condition);
            (self.values[condition], self.leaving[condition]) = (value, false);
            let Some(at) = condition.checked_sub(self.stops) else { continue };
            self.pressed[at] = false;
            if !near {
                continue;
            }
            self.rates[condition] = self.after[rates.clone()][at];
            let rule = &self.rules.rules[at];
            let side = if rule.has_rate { self.rates[condition] } else { 1.0 };
            (self.values[condition], self.leaving[condition]) = match rule.is_impact {
                true => marked(side.max(0.0)),
                false => marked(side),
            };
            self.undecided[at] = self.values[condition] == 0.0;
            // Less speed than round-off leaves of the others is none.
            self.pressed[at] = rule.is_impact && side < -TOUCHING * speed.max(self.speeds[condition]);
        }
    }

    /// Do events of a kind follow each other without end? `length` is that of a step.
    fn accumulates(&mut self, event: usize, time: f64, length: f64) -> bool {
        let soon = self.last[event].is_some_and(|last| (time - last).abs() <= SOON * length.abs());
        self.soon[event] = if soon { self.soon[event] + 1 } else { 0 };
        self.last[event] = Some(time);
        self.soon[event] >= MOST_SOON
    }
}

/// The value of an expression that leaves its zero to this side, and whether it does.
fn marked(side: f64) -> (f64, bool) {
    if side == 0.0 { (0.0, false) } else { (f64::MIN_POSITIVE.copysign(side), true) }
}

/// Where the rates of the expressions of events stand in what is observed: at its end.
fn rates_in(observables: &Observables, observed: usize) -> Range<usize> {
    observed - observables.events..observed
}
