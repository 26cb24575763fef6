//! The stages of several motions side by side, as they are iterated where nothing but the step before predicts them: a lane for each motion, a
//! machine for each stage.

use extremal_eval::Machine;

use super::formulas::{CHECK, FINISH, ITERATE, LIMITS, PARAMETERS, STATE, STEP, StageSlots, UNKNOWNS};
use super::lanes::larger;
use super::{EXPECTED, FixedPoint, LOOK, MAX_ITERATIONS, NEARLY, SLOWEST};
use crate::newton::ROUND_OFF;

/// The equations of all stages of several motions, each iterated as [`FixedPoint`] would, bit for bit, as long as that converges.
#[derive(Clone)]
pub(crate) struct StagesTogether {
    machines: Vec<Machine>,
    places: StageSlots,
    /// Unknowns per stage.
    own: usize,
    tolerance: f64,
    /// Of each stage.
    outputs: Vec<Vec<f64>>,
    lanes: Vec<StageIteration>,
    found: Vec<f64>,
    holds: Vec<bool>,
}

/// How far the iteration of a lane has come.
#[derive(Clone, Copy)]
struct StageIteration {
    /// How far unknowns move when it is time to check; zero before the first step.
    limit: f64,
    iterations: u64,
    /// Updates since it was seen whether they lead anywhere.
    rounds: u64,
    phase: StagePhase,
}

#[derive(Clone, Copy, PartialEq)]
enum StagePhase {
    /// One iteration shows how large the unknowns are.
    Sizing,
    Iterating,
    Checking,
    Done,
    Failed,
}

impl FixedPoint {
    /// What it takes to iterate the stages of so many motions, where that is worth it.
    pub fn together(&self, lanes: usize) -> Option<StagesTogether> {
        let (program, places) = self.together.as_ref()?;
        let machine = program.lane_machine(lanes)?;
        let longest = [ITERATE, CHECK, FINISH].map(|entry| program.outputs(entry).len()).into_iter().max()?;
        let mut machines = vec![machine; self.values.len()];
        for (machine, (values, ahead)) in machines.iter_mut().zip(self.values.iter().zip(&self.ahead)) {
            let coefficients = machine.inputs_mut(STEP).chunks_exact_mut(lanes).skip(1);
            coefficients.zip(values.iter().chain(ahead)).for_each(|(place, value)| place.fill(*value));
        }
        Some(StagesTogether {
            outputs: vec![vec![0.0; longest * lanes]; machines.len()],
            own: self.found.len() / machines.len(),
            found: vec![0.0; self.found.len() * lanes],
            machines,
            places: *places,
            tolerance: self.tolerance,
            lanes: vec![StageIteration { limit: 0.0, iterations: 0, rounds: 0, phase: StagePhase::Done }; lanes],
            holds: vec![false; lanes],
        })
    }
}

impl StagesTogether {
    /// Sets the parameters, a column for each.
    pub fn set_parameters(&mut self, columns: &[f64]) {
        let lanes = self.lanes.len();
        for machine in &mut self.machines {
            let (parameters, limits) = machine.inputs_mut(PARAMETERS).split_at_mut(columns.len());
            parameters.copy_from_slice(columns);
            limits.chunks_exact_mut(lanes).zip(LIMITS).for_each(|(place, (_, value))| place.fill(value));
            machine.commit(PARAMETERS);
        }
    }

    /// Begins motions with steps of this size, after the parameters are set.
    pub fn begin(&mut self, h: f64) {
        let lanes = self.lanes.len();
        self.lanes.iter_mut().for_each(|lane| lane.limit = 0.0);
        let (change, before) = (self.places.change, self.places.before);
        for machine in &mut self.machines {
            machine.inputs_mut(STEP)[..lanes].fill(h);
            machine.commit(STEP);
            let unknowns = machine.inputs_mut(UNKNOWNS);
            unknowns.fill(0.0);
            unknowns[change * lanes..(before + 1) * lanes].fill(f64::INFINITY);
        }
    }

    /// Takes a step from these states at a time, with every motion that is `wanted`.
    pub fn step(&mut self, states: &[f64], time: f64, wanted: impl Fn(usize) -> bool) {
        for machine in &mut self.machines {
            let (state, times) = machine.inputs_mut(STATE).split_at_mut(states.len());
            state.copy_from_slice(states);
            times.fill(time);
            machine.commit(STATE);
        }
        for (at, lane) in self.lanes.iter_mut().enumerate() {
            let phase = match lane.limit {
                _ if !wanted(at) => StagePhase::Failed,
                0.0 => StagePhase::Sizing,
                _ => StagePhase::Iterating,
            };
            *lane = StageIteration { limit: lane.limit, iterations: 0, rounds: 0, phase };
        }
        while self.lanes.iter().any(|lane| !matches!(lane.phase, StagePhase::Done | StagePhase::Failed)) {
            let checks = self.lanes.iter().any(|lane| lane.phase == StagePhase::Checking);
            self.run(if checks { CHECK } else { ITERATE });
            (0..self.lanes.len()).for_each(|at| self.follow(at));
        }
        self.find();
        self.run(FINISH);
        let lanes = self.lanes.len();
        for (machine, out) in self.machines.iter_mut().zip(&self.outputs) {
            let inputs = machine.inputs_mut(UNKNOWNS);
            let ended = self.places.limit * lanes;
            inputs[..ended].copy_from_slice(&out[lanes..][..ended]);
        }
        self.holds.iter_mut().zip(&self.outputs[0]).for_each(|(own, holds)| *own = *holds != 0.0);
    }

    /// Did the iteration of a motion converge, to a state that is one?
    pub fn is_done(&self, at: usize) -> bool {
        self.lanes[at].phase == StagePhase::Done && self.holds[at]
    }

    /// The next states, and what comes behind them.
    pub fn next(&self) -> &[f64] {
        &self.machines[0].inputs(UNKNOWNS)[self.places.next * self.lanes.len()..self.places.limit * self.lanes.len()]
    }

    /// The unknowns that were found, one stage after the other.
    pub fn found(&self) -> &[f64] {
        &self.found
    }

    fn find(&mut self) {
        let size = self.own * self.lanes.len();
        for (machine, own) in self.machines.iter().zip(self.found.chunks_exact_mut(size)) {
            own.copy_from_slice(&machine.inputs(UNKNOWNS)[..size]);
        }
    }

    /// Runs an entry of all stages, each with the unknowns of all.
    fn run(&mut self, entry: usize) {
        let (lanes, stages) = (self.lanes.len(), self.machines.len());
        self.find();
        for machine in &mut self.machines {
            let all = &mut machine.inputs_mut(UNKNOWNS)[self.places.all * lanes..];
            for (at, place) in all.chunks_exact_mut(lanes).take(self.own * stages).enumerate() {
                let (kind, stage) = (at / stages, at % stages);
                place.copy_from_slice(&self.found[(stage * self.own + kind) * lanes..][..lanes]);
            }
        }
        for (machine, out) in self.machines.iter_mut().zip(&mut self.outputs) {
            let outputs = machine.program().outputs(entry).len();
            machine.run(entry, &mut out[..outputs * lanes]);
        }
    }

    /// Takes what an iteration came to in a lane.
    fn follow(&mut self, at: usize) {
        let lanes = self.lanes.len();
        let mut lane = self.lanes[at];
        let taken = match lane.phase {
            StagePhase::Done | StagePhase::Failed => return,
            StagePhase::Sizing | StagePhase::Iterating => self.own + 2,
            StagePhase::Checking => self.own + 3,
        };
        for (machine, out) in self.machines.iter_mut().zip(&self.outputs) {
            let inputs = machine.inputs_mut(UNKNOWNS);
            (0..taken).for_each(|place| inputs[place * lanes + at] = out[(place + 1) * lanes + at]);
        }
        let largest = |places: std::ops::Range<usize>| {
            let sizes = self.machines.iter().flat_map(|machine| {
                let inputs = machine.inputs(UNKNOWNS);
                places.clone().map(move |place| inputs[place * lanes + at].abs())
            });
            sizes.fold(0.0, larger)
        };
        let (change, before) = (|| largest(self.own..self.own + 1), || largest(self.own + 1..self.own + 2));
        let size = || largest(0..self.own);
        match lane.phase {
            StagePhase::Sizing => {
                lane.iterations += 1;
                lane.limit = EXPECTED / SLOWEST * size();
                lane.phase = StagePhase::Iterating;
            }
            StagePhase::Checking => {
                lane.iterations += 1;
                let (residual, before) = (largest(self.own + 2..self.own + 3), before());
                if residual > 0.0 {
                    let limit = EXPECTED / residual * before;
                    lane.limit = if residual <= ROUND_OFF { limit.max(lane.limit) } else { limit };
                }
                let rate = change() / before;
                lane.phase = match () {
                    () if residual <= NEARLY => StagePhase::Done,
                    () if rate.is_nan() || rate > SLOWEST => {
                        lane.limit = before;
                        if residual <= self.tolerance { StagePhase::Done } else { StagePhase::Failed }
                    }
                    () if lane.iterations >= MAX_ITERATIONS => StagePhase::Failed,
                    () if residual * rate <= NEARLY => StagePhase::Checking,
                    () => StagePhase::Iterating,
                };
                lane.rounds = 0;
            }
            _ => {
                lane.rounds += 1;
                let change = change();
                if change <= lane.limit {
                    lane.iterations += lane.rounds;
                    lane.phase = StagePhase::Checking;
                } else if lane.rounds == LOOK {
                    lane.iterations += LOOK;
                    lane.rounds = 0;
                    if !(change.is_nan() || change > self.tolerance * size()) {
                        lane.phase = StagePhase::Checking;
                    } else if !(change <= SLOWEST * before()) || lane.iterations >= MAX_ITERATIONS {
                        lane.phase = StagePhase::Failed;
                    }
                }
            }
        }
        self.lanes[at] = lane;
    }
}
