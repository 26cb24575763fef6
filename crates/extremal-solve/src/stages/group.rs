//! Stages side by side, as many as a machine has lanes.

use extremal_eval::{LaneMachine, Machine, Program};

use super::formulas::{CHECK, FINISH, ITERATE, LIMIT, MOVED, PARAMETERS, STATE, STEP, UNKNOWNS};
use crate::newton::{NewtonOptions, UNDERFLOW};

/// All stages, in as few groups as the machine allows.
#[derive(Clone)]
pub(super) struct Groups {
    groups: Vec<Group>,
    stages: usize,
    /// Unknowns per stage.
    own: usize,
}

/// Some stages side by side.
#[derive(Clone)]
struct Group {
    first: usize,
    count: usize,
    runner: Runner,
    /// Outputs of an iteration and of the end of a step, for each the values of all lanes.
    iterated: Vec<f64>,
    finished: Vec<f64>,
}

#[derive(Clone)]
enum Runner {
    Lanes(LaneMachine),
    One(Machine),
}

impl Groups {
    pub fn new(program: &Program, stages: usize, own: usize, options: NewtonOptions) -> Groups {
        let on = |lanes: usize| match options.backend {
            Some(backend) => program.lane_machine_on(backend, lanes),
            None => program.lane_machine(lanes),
        };
        let widest = if stages > 4 { &[8, 4][..] } else { &[4] };
        let wide = widest.iter().find_map(|lanes| on(*lanes)).filter(|_| stages > 1);
        let runner = wide.map_or_else(|| Runner::One(options.machine(program)), Runner::Lanes);
        let lanes = runner.lanes();
        let group = |first: usize| Group {
            first,
            count: lanes.min(stages - first),
            runner: runner.clone(),
            iterated: vec![0.0; program.outputs(ITERATE).len().max(program.outputs(CHECK).len()) * lanes],
            finished: vec![0.0; program.outputs(FINISH).len() * lanes],
        };
        Groups { groups: (0..stages).step_by(lanes).map(group).collect(), stages, own }
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        for group in &mut self.groups {
            group.spread(PARAMETERS, values);
            let lanes = group.runner.lanes();
            group.runner.inputs_mut(PARAMETERS)[values.len() * lanes..].fill(UNDERFLOW);
            group.runner.commit(PARAMETERS);
        }
    }

    /// Sets the step, and the coefficients that distinguish the stages: those of their formulas, those of the prediction.
    pub fn set_step(&mut self, h: f64, values: &[Vec<f64>], ahead: &[Vec<f64>]) {
        for group in &mut self.groups {
            let lanes = group.runner.lanes();
            let (first, last) = (group.first, group.count - 1);
            let (step, coefficients) = group.runner.inputs_mut(STEP).split_at_mut(lanes);
            step.fill(h);
            for (at, place) in coefficients.chunks_exact_mut(lanes).enumerate() {
                for (lane, x) in place.iter_mut().enumerate() {
                    // Lanes too many do what the last one does.
                    let stage = first + lane.min(last);
                    *x = values[stage].get(at).copied().unwrap_or_else(|| ahead[stage][at - values[stage].len()]);
                }
            }
            group.runner.commit(STEP);
        }
    }

    /// Sets the state and the time at the beginning of the step.
    pub fn set_state(&mut self, values: &[f64]) {
        for group in &mut self.groups {
            group.spread(STATE, values);
            group.runner.commit(STATE);
        }
    }

    /// Sets the unknowns, one stage after the other.
    pub fn set_unknowns(&mut self, x: &[f64]) {
        for group in &mut self.groups {
            let lanes = group.runner.lanes();
            let (first, last) = (group.first, group.count - 1);
            let places = group.runner.inputs_mut(UNKNOWNS).chunks_exact_mut(lanes).take(self.own);
            for (kind, place) in places.enumerate() {
                place.iter_mut().enumerate().for_each(|(lane, to)| *to = x[(first + lane.min(last)) * self.own + kind]);
            }
        }
    }

    /// Takes the prediction made at the end of the last step.
    pub fn adopt_prediction(&mut self) {
        for group in &mut self.groups {
            let lanes = group.runner.lanes();
            let predicted = &group.finished[group.finished.len() - self.own * lanes..];
            group.runner.inputs_mut(UNKNOWNS)[..self.own * lanes].copy_from_slice(predicted);
        }
    }

    /// That prediction, one stage after the other.
    pub fn prediction(&self, x: &mut [f64]) {
        for group in &self.groups {
            let lanes = group.runner.lanes();
            let predicted = group.finished[group.finished.len() - self.own * lanes..].chunks_exact(lanes);
            for (kind, place) in predicted.enumerate() {
                let own = place[..group.count].iter().enumerate();
                own.for_each(|(lane, from)| x[(group.first + lane) * self.own + kind] = *from);
            }
        }
    }

    /// Nothing is known of how far the unknowns moved.
    pub fn begin(&mut self) {
        let first = self.own;
        for group in &mut self.groups {
            let lanes = group.runner.lanes();
            group.runner.inputs_mut(UNKNOWNS)[first * lanes..(first + MOVED) * lanes].fill(f64::INFINITY);
        }
    }

    /// Updates the unknowns until none moves by more than `limit`; returns how often, if so many `times` suffice.
    pub fn settle(&mut self, limit: f64, times: u64) -> Option<u64> {
        let first = self.own + MOVED;
        for group in &mut self.groups {
            let lanes = group.runner.lanes();
            group.runner.inputs_mut(UNKNOWNS)[first * lanes..(first + LIMIT) * lanes].fill(limit);
        }
        if let [Group { runner: Runner::Lanes(machine), .. }] = &mut self.groups[..]
            && machine.spreads()
        {
            return machine.settle(times);
        }
        (1..=times).find(|_| {
            self.share();
            let mut settled = true;
            for group in &mut self.groups {
                let lanes = group.runner.lanes();
                let results = (1 + self.own + MOVED) * lanes;
                group.runner.run(ITERATE, &mut group.iterated[..results]);
                let (holds, next) = group.iterated[..results].split_at(lanes);
                settled &= holds.iter().all(|holds| *holds != 0.0);
                group.runner.inputs_mut(UNKNOWNS)[..next.len()].copy_from_slice(next);
            }
            settled
        })
    }

    /// Updates the unknowns once; returns the largest residual before.
    pub fn check(&mut self) -> f64 {
        self.share();
        let mut largest = 0.0;
        for group in &mut self.groups {
            let lanes = group.runner.lanes();
            let results = (self.own + MOVED + 1) * lanes;
            group.runner.run(CHECK, &mut group.iterated[..results]);
            let (next, residual) = group.iterated[..results].split_at((self.own + MOVED) * lanes);
            largest = larger(largest, worst(residual));
            group.runner.inputs_mut(UNKNOWNS)[..next.len()].copy_from_slice(next);
        }
        largest
    }

    /// The outputs of the step, as many as asked for and the program has, and the prediction for the next one.
    pub fn finish(&mut self, out: &mut [f64]) {
        self.share();
        for group in &mut self.groups {
            group.runner.run(FINISH, &mut group.finished);
        }
        let lanes = self.groups[0].runner.lanes();
        out.iter_mut().zip(self.groups[0].finished.iter().step_by(lanes)).for_each(|(out, x)| *out = *x);
    }

    /// The unknowns, one stage after the other.
    pub fn unknowns(&self, x: &mut [f64]) {
        for group in &self.groups {
            let places = group.runner.inputs(UNKNOWNS).chunks_exact(group.runner.lanes()).take(self.own);
            for (kind, place) in places.enumerate() {
                let own = place[..group.count].iter().enumerate();
                own.for_each(|(lane, from)| x[(group.first + lane) * self.own + kind] = *from);
            }
        }
    }

    /// How far unknowns moved last, how far before, at most.
    pub fn moved(&self) -> [f64; 2] {
        [self.own, self.own + 1].map(|place| self.worst_of(place, 1))
    }

    /// The size of the unknowns.
    pub fn size(&self) -> f64 {
        self.worst_of(0, self.own)
    }

    fn worst_of(&self, first: usize, count: usize) -> f64 {
        self.groups.iter().fold(0.0, |largest, group| {
            let lanes = group.runner.lanes();
            larger(largest, worst(&group.runner.inputs(UNKNOWNS)[first * lanes..(first + count) * lanes]))
        })
    }

    /// Gives every stage the unknowns of all, where machines do not see to it themselves.
    fn share(&mut self) {
        if let [Group { runner: Runner::Lanes(machine), .. }] = &self.groups[..]
            && machine.spreads()
        {
            return;
        }
        let first = self.own + MOVED + LIMIT;
        for kind in 0..self.own {
            for stage in 0..self.stages {
                let lanes = self.groups[0].runner.lanes();
                let x = self.groups[stage / lanes].runner.inputs(UNKNOWNS)[kind * lanes + stage % lanes];
                for group in &mut self.groups {
                    let place = (first + kind * self.stages + stage) * lanes;
                    group.runner.inputs_mut(UNKNOWNS)[place..place + lanes].fill(x);
                }
            }
        }
    }
}

impl Group {
    /// Gives all lanes the same values, as the first inputs of a stage.
    fn spread(&mut self, stage: usize, values: &[f64]) {
        let places = self.runner.lanes();
        let inputs = self.runner.inputs_mut(stage);
        match places {
            8 => spread::<8>(inputs, values),
            4 => spread::<4>(inputs, values),
            _ => spread::<1>(inputs, values),
        }
    }
}

fn spread<const LANES: usize>(places: &mut [f64], values: &[f64]) {
    let (places, _) = places.as_chunks_mut::<LANES>();
    places.iter_mut().zip(values).for_each(|(place, value)| *place = [*value; LANES]);
}

/// The larger of two; NaN wins.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// The largest size; NaN when there is one. Sizes are ordered like their bits, NaN last.
fn worst(values: &[f64]) -> f64 {
    f64::from_bits(values.iter().fold(0, |largest, x| x.abs().to_bits().max(largest)))
}

impl Runner {
    fn lanes(&self) -> usize {
        match self {
            Runner::Lanes(machine) => machine.lanes(),
            Runner::One(_) => 1,
        }
    }

    fn inputs(&self, stage: usize) -> &[f64] {
        match self {
            Runner::Lanes(machine) => machine.inputs(stage),
            Runner::One(machine) => machine.inputs(stage),
        }
    }

    fn inputs_mut(&mut self, stage: usize) -> &mut [f64] {
        match self {
            Runner::Lanes(machine) => machine.inputs_mut(stage),
            Runner::One(machine) => machine.inputs_mut(stage),
        }
    }

    fn commit(&mut self, stage: usize) {
        match self {
            Runner::Lanes(machine) => machine.commit(stage),
            Runner::One(machine) => machine.commit(stage),
        }
    }

    fn run(&mut self, entry: usize, out: &mut [f64]) {
        match self {
            Runner::Lanes(machine) => machine.run(entry, out),
            Runner::One(machine) => machine.run(entry, out),
        }
    }
}
