//! A whole step as one straight-line program in a loop: what a step is when everything works out as expected.
//!
//! The unknowns are extrapolated from so many steps before that one update by Newton's method makes their error round-off, and
//! the equations are evaluated at what came out. A step that leaves more is tried again from there; one that still does, that
//! lacks a good pivot or breaks a guard is none: the motion stays where it was, and the next strategy takes the step.

mod affine;
mod elimination;
mod formulas;
mod layout;
mod round;
mod rows;
mod stages;

use extremal_eval::{Machine, Program};
use extremal_expr::{Expr, Graph, Id};
use extremal_mechanics::discrete::{Scheme, Stages};
use extremal_mechanics::{Block, Meaning, Reduced};

use crate::kernel::same_bits;
use crate::march::ExplicitStep;
use crate::newton::NewtonOptions;
use crate::observable::{self, Observable};
use crate::step::MotionState;
use crate::step::history::{DEPTH, History, WEIGHTS};
use affine::Affine;
pub(crate) use elimination::Elimination;
pub(crate) use formulas::{FusedLimits, FusedWriter, LIMIT_VALUES};
use formulas::{angles, without_common_factors};
use layout::LoopLayout;
use round::{FusedLoop, weight};

pub(super) use formulas::condition_of;
pub(crate) use layout::{LaneLayout, WideLayout};
pub use rows::WatchedRows;
pub(crate) use rows::{RowFormulas, RowLook};

/// Systems of equations up to this size are solved by Cramer's rule in the program itself.
pub(crate) const LARGEST_SOLVE: usize = 3;
/// Substeps of a composition are written one after the other up to so many operations.
const LONGEST_COMPOSITION: usize = 10_000;
/// For larger states the time is spent in the formulas, and compiling them twice would cost more than it gains,
const LARGEST_STATE: usize = 64;
/// unless few formulas belong to each number, and a factorisation would take longer than these. A program for twice as many as this is too
/// long for the cache, and no faster than the factorisation.
const LARGEST_BOUND_STATE: usize = 1024;

/// The tiers of the inputs: parameters and limits; step size, first time and weights of the extrapolation; what the loop changes.
pub(crate) const PARAMETERS_TIER: usize = 0;
pub(crate) const TIMES_TIER: usize = 1;
pub(crate) const LOOP_TIER: usize = 2;

/// Where the weights stand in their tier, behind the step size and the first time.
pub(crate) const FIRST_WEIGHT: usize = 2;

/// So many failures, and one for every four steps taken, are put up with.
const MAX_FAILED: u64 = 8;

/// A step in one program, with the memory to run it.
#[derive(Clone)]
pub(crate) struct FusedStep {
    machine: Machine,
    /// For motions side by side, where the state is small.
    lanes: Option<Program>,
    /// For the table of a device, where that was asked for.
    wide: Option<(Program, WideLayout)>,
    differences: Option<Differences>,
    layout: LoopLayout,
    /// The step size and the first time.
    times: [f64; 2],
    /// How many steps before a guess it is extrapolated from.
    known: usize,
    /// Has this changed since steps were last taken?
    stale: bool,
    /// What the steps ask of the states they lead to, where that is known,
    observable: Option<Observable>,
    /// and whether it is enough for the present parameters.
    enough: bool,
    /// The watch over the rows of constraints that motions side by side carry, where there are any.
    rows: Option<RowFormulas>,
    /// Which unknowns are the ways of the coordinates by the step size, where all of these are unknowns.
    ways: Vec<usize>,
    /// Are the unknowns those of all stages?
    by_stages: bool,
    dimension: usize,
    /// Is the loop where the motion stands?
    loaded: bool,
    taken: u64,
    failed: u64,
}

/// What fused steps change.
#[derive(Clone, Default)]
pub(crate) struct FusedMark {
    inputs: Vec<f64>,
    taken: u64,
    failed: u64,
}

/// The same step, with differences of the state beside it.
#[derive(Clone)]
struct Differences {
    machine: Machine,
    /// The differences at a given state, and whether they are known well enough.
    first: Machine,
    values: Vec<f64>,
    well: bool,
}

impl FusedStep {
    /// The step of `scheme`, reduced and with its guards as outputs behind the state, if it is small enough; or by its stages, of which
    /// there are few, and the same outputs by their unknowns.
    pub fn compile(
        g: &Graph,
        scheme: &Scheme,
        parameters: &[Id],
        (reduced, staged): (&Reduced, Option<(&Stages, &[Id])>),
        observable: impl FnOnce() -> Option<Observable>,
        rows: impl FnOnce() -> Option<RowFormulas>,
        options: NewtonOptions,
    ) -> Option<FusedStep> {
        let block = &reduced.block;
        let eliminations = eliminations(reduced);
        let staged = staged.filter(|(stages, _)| {
            eliminations.is_none() && scheme.substeps.len() == 1 && stages::go_one_by_one(g, stages)
        });
        let eliminations = match staged {
            Some(_) => Vec::new(),
            None => eliminations?,
        };
        let is_bound = eliminations.iter().any(Option::is_some);
        let largest = if is_bound { LARGEST_BOUND_STATE } else { LARGEST_STATE };
        if scheme.state.len() > largest || scheme.substeps.len() > 1 && !is_short(g, scheme, block) {
            return None;
        }
        let observable = observable();
        let limits = FusedLimits::new(g);
        let [h, begin, count] = ["h", "fused begin", "fused count"].map(|s| g.symbol(s));
        let angles = if staged.is_none() { angles(g, &reduced.expressions(g)) } else { Vec::new() };
        let mut writer = FusedWriter { angles, ..FusedWriter::new(g, limits, scheme.time) };
        writer.names.push((scheme.time, (begin + count * h).id()));
        let unknowns: Vec<Id> = match staged {
            None => block.solves.iter().flat_map(|solve| solve.unknowns.iter().copied()).collect(),
            Some((stages, _)) => stages.all.clone(),
        };
        let guess: Vec<Expr<'_>> = (0..unknowns.len()).map(|at| g.symbol(&format!("fused guess {at}"))).collect();
        let outputs = match staged {
            Some((stages, outputs)) => writer.solve_stages(scheme, stages, outputs, &guess)?,
            None => {
                let mut first = 0;
                for ((solve, rows), elimination) in block.solves.iter().zip(&reduced.slopes).zip(&eliminations) {
                    let n = solve.unknowns.len();
                    let later = g.exprs(&unknowns[first + n..]);
                    writer.solve((solve, rows), elimination.as_ref(), &guess[first..first + n], &later);
                    first += n;
                }
                let outputs = g.substitute(&g.exprs(&block.outputs), &writer.turned);
                writer.substeps(scheme, outputs)
            }
        };
        let (next, guards) = outputs.split_at(scheme.state.len());
        let (next, guards) = (next.to_vec(), guards.to_vec());
        for guard in &guards {
            writer.holds.push(without_common_factors(g, condition_of(g, *guard), &next));
        }
        let affine = Affine::new(g, &mut writer, &g.exprs(&scheme.state), &next, &unknowns);
        let ages = if unknowns.is_empty() { 0..0 } else { 0..DEPTH };
        let times = [h, begin].into_iter().chain(ages.map(|age| weight(g, age))).map(Expr::id).collect();
        let constant = [parameters.iter().copied().chain(limits.list().map(Expr::id)).collect(), times];
        let ways = if staged.is_none() { ways(g, scheme, block, &unknowns) } else { Vec::new() };
        let mut round = FusedLoop {
            g,
            scheme,
            constant,
            count,
            unknowns,
            guess,
            ways,
            staged: staged.is_some(),
            observable: observable.as_ref(),
            rows: None,
        };
        let mut other = writer.clone();
        let differences = affine.differences(g, &mut other);
        let program = round.program(writer.clone(), &affine.increments())?;
        let wide_writer = if differences.is_some() { &other } else { &writer };
        let wide_rows = differences.clone().unwrap_or_else(|| affine.increments());
        let wide = options.wide.then(|| round.wide_program(wide_writer.clone(), &wide_rows)).flatten();
        let has_lanes = scheme.state.len() <= LARGEST_STATE;
        round.rows = if has_lanes { rows() } else { None };
        let (lanes, differences) = match &differences {
            None if !has_lanes => (None, None),
            None => (Some(round.lane_program(writer, &affine.increments())?), None),
            Some(rows) => {
                let machine = options.machine(&round.program(other.clone(), rows)?);
                let first = options.machine(&round.first(&other, rows)?);
                let values = vec![0.0; rows.differences.len()];
                let lanes = round.lane_program(other, rows)?;
                (Some(lanes), Some(Differences { machine, first, values, well: false }))
            }
        };
        let (unknowns, ways, rows) = (round.unknowns.len(), round.ways, round.rows);
        let beside = differences.as_ref().map_or(0, |differences| differences.values.len());
        Some(FusedStep {
            machine: options.machine(&program),
            lanes,
            wide,
            differences,
            layout: LoopLayout { state: scheme.state.len(), unknowns, differences: beside },
            times: [f64::NAN; 2],
            known: 0,
            stale: false,
            observable,
            rows,
            enough: true,
            ways,
            by_stages: staged.is_some(),
            dimension: scheme.dimension(),
            loaded: false,
            taken: 0,
            failed: 0,
        })
    }

    /// The program, if nothing is solved in it.
    pub fn explicit(&self) -> Option<ExplicitStep> {
        (self.layout.unknowns == 0).then(|| ExplicitStep {
            program: self.machine.program(),
            limits: LIMIT_VALUES.to_vec(),
            is_used: self.differences.is_none() && self.enough,
        })
    }

    /// Is nothing solved in it?
    pub fn is_explicit(&self) -> bool {
        self.layout.unknowns == 0
    }

    /// How many unknowns all stages have together, where these are what it solves for.
    pub fn stage_unknowns(&self) -> Option<usize> {
        self.by_stages.then_some(self.layout.unknowns)
    }

    /// The program that is used at the present parameters and step.
    fn machine(&self) -> &Machine {
        self.differences.as_ref().filter(|differences| differences.well).map_or(&self.machine, |other| &other.machine)
    }

    fn machine_mut(&mut self) -> &mut Machine {
        let differences = self.differences.as_mut().filter(|differences| differences.well);
        differences.map_or(&mut self.machine, |differences| &mut differences.machine)
    }

    /// Is it the program that motions go side by side with?
    pub fn fits_lanes(&self) -> bool {
        self.differences.as_ref().is_none_or(|differences| differences.well)
    }

    /// The same for motions side by side, each of which goes on when its step works out. It sees whether the motion is smooth, and
    /// counts the tries of the present step and the steps that are left: without any of these a motion waits. It ends when one of them
    /// has no more tries.
    pub fn lane_program(&self) -> Option<&Program> {
        self.lanes.as_ref()
    }

    /// Where things stand in that program.
    pub fn lane_layout(&self) -> LaneLayout {
        let end = self.layout.len();
        let own_ways = self.ways.is_empty();
        let (ways, strongest) = match own_ways {
            true => ((end..end + self.dimension).collect(), end + self.dimension),
            false => (self.ways.iter().map(|at| self.layout.history().start + at).collect(), end),
        };
        let longest = self.rows.as_ref().map(|_| strongest + 2);
        let tries = strongest + 2 + usize::from(longest.is_some());
        let places = self.layout;
        LaneLayout { places, ways, own_ways, strongest, rough: strongest + 1, longest, tries, left: tries + 1 }
    }

    /// The watch over the rows of constraints that motions side by side carry.
    pub fn row_formulas(&self) -> Option<&RowFormulas> {
        self.rows.as_ref()
    }

    /// The same for the table of a device, and where things stand in it.
    pub fn wide(&self) -> Option<(&Program, &WideLayout)> {
        self.wide.as_ref().map(|(program, layout)| (program, layout))
    }

    /// The program that gives the differences that the motions of a table begin with, whose entries are [`WELL_KNOWN`] and
    /// [`FIRST_DIFFERENCES`], and how many inputs its last tier has, of which the state comes first.
    pub fn first_differences(&self) -> Option<(Program, usize)> {
        let first = &self.differences.as_ref()?.first;
        Some((first.program(), first.inputs(LOOP_TIER).len()))
    }

    /// What the steps ask of the states they lead to, where that is known.
    pub fn observable(&self) -> Option<&Observable> {
        self.observable.as_ref()
    }

    /// The inputs of a tier.
    pub fn inputs(&self, tier: usize) -> &[f64] {
        self.machine().inputs(tier)
    }

    /// What the loop changes, to be taken from a lane.
    pub fn loop_inputs_mut(&mut self) -> &mut [f64] {
        self.machine_mut().inputs_mut(LOOP_TIER)
    }

    fn machines(&mut self) -> impl Iterator<Item = &mut Machine> {
        let differences = self.differences.iter_mut().flat_map(|other| [&mut other.machine, &mut other.first]);
        differences.chain([&mut self.machine])
    }

    fn set(&mut self, tier: usize, values: impl Iterator<Item = f64> + Clone) {
        for machine in self.machines() {
            machine.inputs_mut(tier).iter_mut().zip(values.clone()).for_each(|(input, value)| *input = value);
        }
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        if same_bits(&self.machine.inputs(PARAMETERS_TIER)[..values.len()], values) {
            return;
        }
        self.set(PARAMETERS_TIER, values.iter().copied().chain(LIMIT_VALUES));
        self.machines().for_each(|machine| machine.commit(PARAMETERS_TIER));
        self.stale = true;
        self.enough = self.observable.as_mut().is_none_or(|observable| observable.holds_for(values));
    }

    /// Do its steps lead only to states that can be observed?
    pub fn knows_what_is_observable(&self) -> bool {
        self.observable.is_some()
    }

    /// Does it take steps at the present parameters, step size and first time, and did it not fail too often?
    pub fn is_usable(&self) -> bool {
        self.failed <= MAX_FAILED + self.taken / 4
            && self.enough
            && observable::is_bounded(self.times[0], self.times[1])
    }

    /// Sets the step size and the first time.
    pub fn begin(&mut self, h: f64, time: f64) {
        self.times = [h, time];
        (self.known, self.loaded, self.taken, self.failed) = (0, false, 0, 0);
        self.predict_from(DEPTH);
        if self.differences.is_some() {
            self.freshen();
        }
        if let Some(differences) = &mut self.differences {
            differences.well = differences.begin();
        }
    }

    /// Extrapolates the guess after the next step from so many steps, which is [`DEPTH`] or, when a motion has just begun, less.
    pub fn predict_from(&mut self, known: usize) {
        if known != self.known {
            self.known = known;
            self.stale = true;
            self.set(TIMES_TIER, self.times.into_iter().chain(WEIGHTS[known]));
        }
    }

    /// Does the work that depends on what was set.
    fn freshen(&mut self) {
        if std::mem::take(&mut self.stale) {
            self.machines().for_each(|machine| machine.commit(TIMES_TIER));
        }
    }

    /// Goes on where a motion stands, unless it is there.
    pub fn load(&mut self, motion: &MotionState, history: &History) {
        if std::mem::replace(&mut self.loaded, true) {
            return;
        }
        let layout = self.layout;
        let inputs = self.loop_inputs_mut();
        inputs[layout.state()].copy_from_slice(&motion.state);
        inputs[layout.count()] = motion.clock.steps as f64;
        inputs[layout.max_residual()] = motion.work.max_residual;
        inputs[layout.history()].copy_from_slice(&history.values);
        if let Some(updates) = layout.updates() {
            inputs[updates] = motion.work.iterations as f64;
            for (at, guess) in inputs[layout.guess()].iter_mut().enumerate() {
                let values = history.values[at..].iter().step_by(layout.unknowns);
                *guess = WEIGHTS[history.known()].iter().zip(values).map(|(weight, value)| weight * value).sum();
            }
        }
        if let Some(differences) = self.differences.as_mut().filter(|differences| differences.well) {
            differences.first.inputs_mut(LOOP_TIER)[layout.state()].copy_from_slice(&motion.state);
            differences.begin();
            let inputs = differences.machine.inputs_mut(LOOP_TIER);
            inputs[layout.differences()].copy_from_slice(&differences.values);
        }
    }

    /// Brings a motion to where the loop stands.
    pub fn read(&self, motion: &mut MotionState) {
        let inputs = self.inputs(LOOP_TIER);
        motion.state.copy_from_slice(&inputs[self.layout.state()]);
        motion.work.max_residual = inputs[self.layout.max_residual()];
        motion.work.iterations = self.layout.updates().map_or(0, |updates| inputs[updates] as u64);
    }

    /// Something else goes on with the motion.
    pub fn leave(&mut self, history: &mut History) {
        if std::mem::take(&mut self.loaded) {
            history.values.copy_from_slice(&self.inputs(LOOP_TIER)[self.layout.history()]);
        }
    }

    /// Takes up to so many steps; returns how many worked out.
    pub fn take(&mut self, steps: u64) -> u64 {
        self.freshen();
        let taken = self.machine_mut().repeat(steps);
        self.count_failure(taken < steps);
        taken
    }

    /// The same; the state after each is written to the columns of a trace.
    pub fn take_traced(&mut self, steps: u64, trace: &mut [f64]) -> u64 {
        self.freshen();
        let taken = self.machine_mut().repeat_traced(steps, trace);
        self.count_failure(taken < steps);
        taken
    }

    /// Puts down where the loop stands.
    pub fn put_down(&self, mark: &mut FusedMark) {
        mark.inputs.clear();
        mark.inputs.extend_from_slice(self.inputs(LOOP_TIER));
        (mark.taken, mark.failed) = (self.taken, self.failed);
    }

    /// Goes back there.
    pub fn go_back(&mut self, mark: &FusedMark) {
        self.loop_inputs_mut().copy_from_slice(&mark.inputs);
        (self.taken, self.failed) = (mark.taken, mark.failed);
    }

    /// Counts a step that did not work out, if there was one.
    pub fn count_failure(&mut self, failed: bool) {
        self.failed += u64::from(failed);
    }

    /// Counts steps.
    pub fn count(&mut self, taken: u64) {
        self.taken += taken;
    }

    /// Counts on from so many steps that were taken, and so many that did not work out.
    pub fn count_from(&mut self, taken: u64, failed: u64) {
        (self.taken, self.failed) = (taken, failed);
    }

    /// The steps taken since the motion began.
    pub fn taken(&self) -> u64 {
        self.taken
    }
}

impl Differences {
    /// Computes the differences at the state that was set; are they known well enough?
    fn begin(&mut self) -> bool {
        let mut well = [0.0];
        self.first.run(WELL_KNOWN, &mut well);
        self.first.run(FIRST_DIFFERENCES, &mut self.values);
        well[0] != 0.0
    }
}

/// The entries of the program that gives the differences.
pub(crate) const WELL_KNOWN: usize = 0;
pub(crate) const FIRST_DIFFERENCES: usize = 1;

/// How the equations of each solve are written out: by Cramer's rule where there are few, and by elimination those that are left of
/// constraints; `None` where some are too many.
fn eliminations(reduced: &Reduced) -> Option<Vec<Option<Elimination>>> {
    let solves = &reduced.block.solves;
    let of_multipliers = solves.iter().any(|solve| solve.of_multipliers);
    let each = solves.iter().zip(&reduced.slopes).map(|(solve, rows)| match solve.unknowns.len() {
        // Sums that are unknowns have rows of their own.
        n if n != rows.len() => None,
        0..=LARGEST_SOLVE => Some(None),
        _ if of_multipliers => Elimination::of(rows).map(Some),
        _ => None,
    });
    each.collect()
}

/// Is a composition explicit, and short enough to be written out?
fn is_short(g: &Graph, scheme: &Scheme, block: &Block) -> bool {
    block.solves.is_empty() && g.reachable(&block.outputs).len() * scheme.substeps.len() <= LONGEST_COMPOSITION
}

/// Which unknown is the way of each coordinate in a step by its size; none where some are not, or where there are steps inside the step.
fn ways(g: &Graph, scheme: &Scheme, block: &Block, unknowns: &[Id]) -> Vec<usize> {
    let n = scheme.dimension();
    let meanings: Vec<&Meaning> = block.solves.iter().flat_map(|solve| &solve.meanings).collect();
    let given = |id: &Id| {
        let name = g.expr(*id).as_symbol()?;
        meanings.iter().position(|meaning| matches!(meaning, Meaning::Next(next) if *next == *name))
    };
    let found: Option<Vec<usize>> = scheme.state[..n].iter().map(given).collect();
    found.filter(|_| unknowns.len() == n && scheme.substeps.len() == 1).unwrap_or_default()
}
