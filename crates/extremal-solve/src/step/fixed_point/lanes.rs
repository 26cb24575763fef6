//! Stages side by side, as many as a machine has lanes.

use extremal_eval::Machine;

use super::formulas::{CHECK, FINISH, ITERATE, LIMITS, PARAMETERS, STATE, STEP, StageProgram, StageSlots, UNKNOWNS};
use crate::newton::NewtonOptions;

/// All stages, in as few groups as the machine allows.
#[derive(Clone)]
pub(super) struct StageLanes {
    groups: Vec<StageGroup>,
    stages: usize,
    /// Unknowns per stage.
    own: usize,
    places: StageSlots,
    /// Of each entry.
    outputs: [usize; 3],
    /// There is one group, and its lanes know of each other.
    alone: bool,
    /// The unknowns of all stages, on their way to those that do not.
    shared: Vec<f64>,
}

/// Some stages side by side.
#[derive(Clone)]
struct StageGroup {
    first: usize,
    count: usize,
    machine: Machine,
    /// Outputs, for each the values of all lanes.
    out: Vec<f64>,
}

impl StageLanes {
    pub fn new(stage: &StageProgram, stages: usize, own: usize, options: NewtonOptions) -> StageLanes {
        let program = &stage.program;
        let on = |lanes: usize| match options.backend {
            Some(backend) => program.lane_machine_on(backend, lanes),
            None => program.lane_machine(lanes),
        };
        let widest = if stages > 4 { &[8, 4][..] } else { &[4] };
        let wide = widest.iter().find_map(|lanes| on(*lanes)).filter(|_| stages > 1);
        let machine = wide.unwrap_or_else(|| options.machine(program));
        let lanes = machine.lanes();
        let outputs = [ITERATE, CHECK, FINISH].map(|entry| program.outputs(entry).len());
        let longest = outputs.into_iter().max().unwrap_or(0);
        let group = |first: usize| StageGroup {
            first,
            count: lanes.min(stages - first),
            machine: machine.clone(),
            out: vec![0.0; longest * lanes],
        };
        let groups: Vec<StageGroup> = (0..stages).step_by(lanes).map(group).collect();
        let alone = matches!(&groups[..], [only] if only.machine.spreads());
        StageLanes { groups, stages, own, places: stage.places, outputs, alone, shared: vec![0.0; own * stages] }
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        for group in &mut self.groups {
            group.spread(PARAMETERS, 0, values);
            group.spread(PARAMETERS, values.len(), &LIMITS.map(|(_, value)| value));
            group.machine.commit(PARAMETERS);
        }
    }

    /// Sets the step, and the coefficients that distinguish the stages: those of their formulas, those of the prediction.
    pub fn set_step(&mut self, h: f64, values: &[Vec<f64>], ahead: &[Vec<f64>]) {
        for group in &mut self.groups {
            let lanes = group.machine.lanes();
            let (first, last) = (group.first, group.count - 1);
            let (step, coefficients) = group.machine.inputs_mut(STEP).split_at_mut(lanes);
            step.fill(h);
            for (at, place) in coefficients.chunks_exact_mut(lanes).enumerate() {
                for (lane, x) in place.iter_mut().enumerate() {
                    // Lanes too many do what the last one does.
                    let stage = first + lane.min(last);
                    *x = values[stage].get(at).copied().unwrap_or_else(|| ahead[stage][at - values[stage].len()]);
                }
            }
            group.machine.commit(STEP);
        }
    }

    /// Sets the state and the time at the beginning of a step.
    pub fn set_state(&mut self, state_and_time: &[f64]) {
        for group in &mut self.groups {
            group.spread(STATE, 0, state_and_time);
            group.machine.commit(STATE);
        }
    }

    /// Sets the unknowns, one stage after the other. Nothing is known of how far they moved.
    pub fn set_unknowns(&mut self, x: &[f64]) {
        for group in &mut self.groups {
            let lanes = group.machine.lanes();
            let (first, last) = (group.first, group.count - 1);
            let inputs = group.machine.inputs_mut(UNKNOWNS);
            for (kind, place) in inputs.chunks_exact_mut(lanes).take(self.own).enumerate() {
                place.iter_mut().enumerate().for_each(|(lane, to)| *to = x[(first + lane.min(last)) * self.own + kind]);
            }
            inputs[self.places.change * lanes..(self.places.before + 1) * lanes].fill(f64::INFINITY);
        }
    }

    /// Updates the unknowns until none moves by more than `limit`; returns how often, if so many `times` suffice.
    pub fn converge(&mut self, limit: f64, times: u64) -> Option<u64> {
        for group in &mut self.groups {
            let lanes = group.machine.lanes();
            group.machine.inputs_mut(UNKNOWNS)[self.places.limit * lanes..][..lanes].fill(limit);
        }
        self.rounds(ITERATE, times)
    }

    /// Updates the unknowns once. Is the residual that was left before nearly round-off?
    pub fn check(&mut self) -> bool {
        self.rounds(CHECK, 1).is_some()
    }

    /// Ends the step and predicts the next one. Is its state one of the motion, if it is determined here?
    pub fn finish(&mut self) -> bool {
        self.rounds(FINISH, 1).is_some()
    }

    fn rounds(&mut self, entry: usize, times: u64) -> Option<u64> {
        if self.alone {
            return self.groups[0].machine.converge(entry, times);
        }
        (1..=times).find(|_| {
            self.share();
            let outputs = self.outputs[entry];
            let holds = self.groups.iter_mut().map(|group| group.round(entry, outputs));
            holds.fold(true, |all, holds| all & holds)
        })
    }

    /// Gives every stage the unknowns of all.
    fn share(&mut self) {
        let (own, stages) = (self.own, self.stages);
        for group in &self.groups {
            let lanes = group.machine.lanes();
            let kinds = group.machine.inputs(UNKNOWNS).chunks_exact(lanes).zip(self.shared.chunks_exact_mut(stages));
            kinds.for_each(|(from, to)| to[group.first..][..group.count].copy_from_slice(&from[..group.count]));
        }
        for group in &mut self.groups {
            let lanes = group.machine.lanes();
            let inputs = group.machine.inputs_mut(UNKNOWNS);
            if lanes == 1 {
                inputs[self.places.all..][..own * stages].copy_from_slice(&self.shared);
                continue;
            }
            let places = inputs[self.places.given * lanes..].chunks_exact_mut(self.places.given_each * lanes);
            places.zip(self.shared.chunks_exact(stages)).for_each(|(to, from)| to[..stages].copy_from_slice(from));
        }
    }

    /// The outputs of the finished step.
    pub fn outcome(&self, out: &mut [f64]) {
        let machine = &self.groups[0].machine;
        let lanes = machine.lanes();
        let next = machine.inputs(UNKNOWNS)[self.places.next * lanes..].iter().step_by(lanes);
        out.iter_mut().zip(next).for_each(|(out, x)| *out = *x);
    }

    /// The unknowns, one stage after the other.
    pub fn unknowns(&self, x: &mut [f64]) {
        self.read(0, x);
    }

    /// The prediction, one stage after the other.
    pub fn predicted(&self, x: &mut [f64]) {
        self.read(self.places.predicted, x);
    }

    fn read(&self, first: usize, x: &mut [f64]) {
        for group in &self.groups {
            let lanes = group.machine.lanes();
            let places = group.machine.inputs(UNKNOWNS)[first * lanes..].chunks_exact(lanes).take(self.own);
            for (kind, place) in places.enumerate() {
                let own = place[..group.count].iter().enumerate();
                own.for_each(|(lane, from)| x[(group.first + lane) * self.own + kind] = *from);
            }
        }
    }

    /// How far unknowns moved last, at most.
    pub fn change(&self) -> f64 {
        self.largest(self.places.change, 1)
    }

    /// How far unknowns moved before, at most.
    pub fn before(&self) -> f64 {
        self.largest(self.places.before, 1)
    }

    /// The largest residual before the last change.
    pub fn residual(&self) -> f64 {
        self.largest(self.places.residual, 1)
    }

    /// The size of the unknowns.
    pub fn size(&self) -> f64 {
        self.largest(0, self.own)
    }

    fn largest(&self, first: usize, count: usize) -> f64 {
        self.groups.iter().fold(0.0, |largest, group| {
            let lanes = group.machine.lanes();
            larger(largest, worst(&group.machine.inputs(UNKNOWNS)[first * lanes..(first + count) * lanes]))
        })
    }
}

impl StageGroup {
    /// Gives all lanes the same values, as inputs from the `first` on.
    fn spread(&mut self, tier: usize, first: usize, values: &[f64]) {
        let lanes = self.machine.lanes();
        let places = self.machine.inputs_mut(tier)[first * lanes..].chunks_exact_mut(lanes);
        places.zip(values).for_each(|(place, value)| place.fill(*value));
    }

    /// Replaces inputs by the outputs of an entry. Does its condition hold in all lanes?
    fn round(&mut self, entry: usize, outputs: usize) -> bool {
        let lanes = self.machine.lanes();
        let out = &mut self.out[..outputs * lanes];
        self.machine.run(entry, out);
        let (holds, next) = out.split_at(lanes);
        self.machine.inputs_mut(UNKNOWNS)[..next.len()].copy_from_slice(next);
        holds.iter().all(|holds| *holds != 0.0)
    }
}

/// The larger of two; NaN wins.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// The largest size; NaN when there is one, which a sum is sure to show.
fn worst(values: &[f64]) -> f64 {
    let (pairs, rest) = values.as_chunks::<2>();
    let (mut largest, mut sums) = ([0.0f64; 2], [0.0; 2]);
    for pair in pairs {
        for i in 0..2 {
            let size = pair[i].abs();
            largest[i] = if size > largest[i] { size } else { largest[i] };
            sums[i] += size;
        }
    }
    for x in rest {
        largest[0] = if x.abs() > largest[0] { x.abs() } else { largest[0] };
        sums[0] += x.abs();
    }
    let sum = sums[0] + sums[1];
    if sum.is_nan() { sum } else { largest[0].max(largest[1]) }
}
