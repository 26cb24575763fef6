//! A run on its way, one row at a time.

use std::ops::ControlFlow;

use extremal_solve::{March, StepFailure};
use extremal_trajectory::{RecordError, Recorder};

use super::event_log::EventLog;
use super::events::{EventWatch, StepPassage};
use super::given_times::{BetweenEvents, RowsAtTimes};
use super::outcome::{End, Outcome, RunProgress};
use super::recording::{RowRecorder, Watched};
use super::stops::{crossed, located};
use super::{CompiledRun, Warning, without_choice};

/// Values recorded between two looks at the clock or at an interrupt.
const VALUES_BETWEEN_LOOKS: u64 = 512;

/// A run on its way: each call of [`advance`](Execution::advance) records a row.
///
/// ```
/// use extremal_engine::{Model, Recorder, CompiledRun, Settings};
/// let model = Model::from_toml(extremal_engine::gallery::text("pendulum").unwrap())?;
/// let run = CompiledRun::new(&model, &Settings::of(&model))?;
/// let mut recorder = Recorder::new(run.columns().clone());
/// let mut execution = run.start();
/// while execution.advance(&mut recorder)? && execution.row()[0] < 1.0 {}
/// assert!((execution.row()[0] - 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Execution {
    part: Part,
    /// What came of the parts before this one.
    before: Option<Outcome>,
    /// What came of all, at the end.
    outcome: Option<Outcome>,
}

/// A run, or what is left of it after other constraints were chosen.
struct Part {
    run: CompiledRun,
    /// Why there is no motion, or the motion.
    motion: Result<Box<dyn March>, StepFailure>,
    rows: RowRecorder,
    events: Option<(EventWatch, Option<EventLog>)>,
    given: Option<RowsAtTimes>,
    steps: u64,
    /// The first row was recorded by the part before.
    resumed: bool,
    begun: bool,
}

/// What comes of the attempt to go on by a row.
enum Going {
    /// There is a row.
    On,
    /// There is a row, and it is the last.
    Stopped(Box<End>),
    /// There is none.
    Ended(Box<End>),
}

impl Going {
    fn failed(failure: StepFailure) -> Going {
        Going::Ended(Box::new(End::Failed(failure)))
    }
}

impl Part {
    fn new(run: CompiledRun, resumed: bool) -> Part {
        let (motion, rows) = (run.begin(), RowRecorder::new(&run));
        let events = run.events.clone().map(|rules| (EventWatch::new(rules, &run.observables), None));
        let given = RowsAtTimes::of(&run, resumed);
        let steps = run.steps_before();
        Part { run, motion, rows, events, given, steps, resumed, begun: false }
    }

    fn advance(&mut self, recorder: &mut Recorder) -> Result<Going, RecordError> {
        let motion = match &mut self.motion {
            Ok(motion) => motion.as_mut(),
            Err(failure) => return Ok(Going::failed(failure.clone())),
        };
        if !self.begun {
            self.begun = true;
            let failure = match self.resumed {
                true => self.rows.look(motion).err().map(Box::new),
                false => self.rows.push(motion, recorder)?,
            };
            match failure {
                Some(failure) => return Ok(Going::failed(*failure)),
                None if !self.resumed => {
                    if let Some(given) = &mut self.given {
                        let taken = given.take(&self.run.observables, motion);
                        if let Err(failure) = taken.and_then(|()| self.rows.differentiate(motion, given.rows())) {
                            return Ok(Going::failed(failure));
                        }
                        given.rows().drain(..).try_for_each(|given| recorder.give(&given.row))?;
                    }
                    return Ok(Going::On);
                }
                None => {}
            }
        }
        if self.run.has_ended(motion, self.steps) {
            return Ok(Going::Ended(Box::new(End::Reached)));
        }
        if let Some(given) = &mut self.given {
            given.begin(self.rows.row());
        }
        if let Err(failure) = self.run.advance(motion, self.steps + 1) {
            return Ok(Going::failed(failure));
        }
        self.steps += 1;
        let crossed = match &mut self.events {
            None => crossing(&self.run, motion, &mut self.rows),
            Some((watch, log)) => {
                let observables = &*self.run.observables;
                let log = log.get_or_insert_with(|| EventLog::new(watch, observables, recorder.wants_events()));
                log.clear();
                let begin = self.rows.time();
                let listener = log.listening(observables);
                let mut listener = BetweenEvents { given: self.given.as_mut(), observables, listener };
                let passage = watch.pass(observables, motion, begin, self.rows.stops(), &mut listener);
                if !matches!(passage, Ok(StepPassage::Undisturbed)) {
                    self.rows.leap(log, recorder)?;
                }
                let name = |condition: usize| observables.stops[condition].0.clone();
                let events = observables.stops.len() - observables.events;
                passage.map(|passage| match passage {
                    StepPassage::Undisturbed | StepPassage::Changed => None,
                    StepPassage::Stopped(condition) => Some(End::Stopped { condition: name(condition) }),
                    StepPassage::Accumulated(event) => Some(End::Accumulated { event: name(events + event) }),
                })
            }
        };
        let crossed = match crossed {
            Ok(crossed) => crossed,
            Err(failure) => return Ok(Going::failed(failure)),
        };
        let taken = self.given.as_mut().map_or(Ok(()), |given| {
            given.take(&self.run.observables, motion)?;
            self.rows.differentiate(motion, given.rows())
        });
        if let Some(failure) = self.rows.push(motion, recorder)? {
            return Ok(Going::failed(*failure));
        }
        if let Some(given) = &mut self.given {
            given.rows().drain(..).try_for_each(|given| recorder.give(&given.row))?;
        }
        if let Err(failure) = taken {
            return Ok(Going::failed(failure));
        }
        Ok(crossed.map_or(Going::On, |end| Going::Stopped(Box::new(end))))
    }

    /// Takes many steps at once where that can be done; returns how many.
    fn advance_block(&mut self, recorder: &mut Recorder) -> Result<usize, RecordError> {
        let Ok(motion) = &mut self.motion else { return Ok(0) };
        // What is left at the end is no whole step.
        let left = self.run.plan.whole_steps.saturating_sub(self.steps);
        if !self.begun || left == 0 {
            return Ok(0);
        }
        let free = self.given.as_ref().map_or(u64::MAX, |given| given.free_steps(self.rows.time()));
        if free == 0 {
            return Ok(0);
        }
        let taken = self.rows.push_block(motion.as_mut(), left, free, recorder)?;
        self.steps += taken as u64;
        Ok(taken)
    }

    /// What came of it, and what is left of the run with other constraints.
    fn close(&mut self, end: End, recorder: &mut Recorder) -> Result<(Outcome, Option<CompiledRun>), RecordError> {
        let motion = match &mut self.motion {
            Ok(motion) => motion.as_mut(),
            Err(failure) => return Ok((Outcome::unbegun(failure.clone()), None)),
        };
        let end = match end {
            End::Failed(failure) => {
                let ahead = self.rows.last_length().filter(|_| self.run.plan.until.is_some());
                let mut failure = self.rows.explain(failure, ahead.unwrap_or(self.run.plan.step));
                if self.run.observables.entropies > 0 {
                    failure.reason = without_choice(failure.reason, &self.run.left_out(), false);
                }
                End::Failed(failure)
            }
            end => end,
        };
        self.rows.complete(motion, recorder)?;
        let outcome = self.outcome(end);
        let rest = match &mut self.motion {
            Ok(motion) => self.run.with_other_constraints(&outcome.end, motion.as_mut()),
            Err(_) => None,
        };
        Ok((outcome, rest))
    }

    /// Times at which rows were wanted, and to which the motion did not come.
    fn missed(&self) -> Option<(usize, f64)> {
        self.given.as_ref()?.missed()
    }

    fn outcome(&self, end: End) -> Outcome {
        let motion = match &self.motion {
            Ok(motion) => motion.as_ref(),
            Err(failure) => return Outcome::unbegun(failure.clone()),
        };
        let passed = self.rows.passed(motion);
        let Watched { errors, residuals, laws, mut warnings } = self.rows.watched();
        if let (Some((times, first)), false) = (self.missed(), matches!(end, End::Interrupted)) {
            warnings.push(Warning::NotReached { times, first });
        }
        let (steps, time, work) = (motion.steps() - self.run.steps_before(), motion.time(), motion.work());
        let events = self.events.iter().flat_map(|(watch, _)| watch.counts()).cloned().collect();
        Outcome { end, steps, time, work, errors, residuals, laws, events, passed, warnings }
    }
}

impl Execution {
    /// Goes on by one row and records it; `false` where there is none any more.
    ///
    /// # Errors
    /// Only when a row cannot be recorded. A motion that cannot go on is an [`Outcome`].
    pub fn advance(&mut self, recorder: &mut Recorder) -> Result<bool, RecordError> {
        while self.outcome.is_none() {
            match self.part.advance(recorder)? {
                Going::On => return Ok(true),
                Going::Stopped(end) => {
                    self.close(*end, recorder)?;
                    return Ok(true);
                }
                Going::Ended(end) => self.close(*end, recorder)?,
            }
        }
        Ok(false)
    }

    /// Goes on by many rows and records them, where nothing is to be said about any of them and they are more than a few; returns how
    /// many. Where it returns none, there may still be a row by [`advance`](Execution::advance).
    ///
    /// # Errors
    /// Only when rows cannot be recorded.
    pub fn advance_block(&mut self, recorder: &mut Recorder) -> Result<usize, RecordError> {
        match self.outcome {
            None => self.part.advance_block(recorder),
            Some(_) => Ok(0),
        }
    }

    /// The latest row.
    pub fn row(&self) -> &[f64] {
        self.part.rows.row()
    }

    /// Makes the latest row whole.
    pub(super) fn complete(&mut self, recorder: &mut Recorder) -> Result<(), RecordError> {
        match &mut self.part.motion {
            Ok(motion) => self.part.rows.complete(motion.as_mut(), recorder),
            Err(_) => Ok(()),
        }
    }

    /// The run that it goes by now.
    pub(super) fn run(&self) -> &CompiledRun {
        &self.part.run
    }

    /// Goes on by another run from where it is.
    pub(super) fn go_on(&mut self, run: CompiledRun, recorder: &mut Recorder) -> Result<(), RecordError> {
        let (outcome, _) = self.part.close(End::Interrupted, recorder)?;
        self.before = Some(joined(self.before.take(), outcome));
        self.part = Part::new(run, true);
        Ok(())
    }

    /// How far it has come.
    pub fn progress(&self) -> RunProgress {
        let Part { run, steps, .. } = &self.part;
        let time = self.row()[0];
        let part = run.plan.until.map(|until| (time - run.plan.from) / (until - run.plan.from));
        let planned = match part {
            Some(part) if part > 0.0 => (*steps as f64 / part).ceil() as u64,
            _ => run.planned_steps(),
        };
        RunProgress { step: *steps, steps: planned, time }
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        let before = self.before.as_ref().map_or(0, |before| before.steps);
        before + self.part.motion.as_ref().map_or(0, |motion| motion.steps())
    }

    /// What would come of it if it were interrupted now.
    pub fn so_far(&self) -> Outcome {
        match &self.outcome {
            Some(outcome) => outcome.clone(),
            None => joined(self.before.clone(), self.part.outcome(End::Interrupted)),
        }
    }

    /// What came of it, once there are no more rows.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// What came of it. One that has not ended is interrupted.
    ///
    /// # Errors
    /// The last row cannot be recorded.
    pub fn finish(mut self, recorder: &mut Recorder) -> Result<Outcome, RecordError> {
        match self.outcome {
            Some(outcome) => Ok(outcome),
            None => Ok(joined(self.before, self.part.close(End::Interrupted, recorder)?.0)),
        }
    }

    fn close(&mut self, end: End, recorder: &mut Recorder) -> Result<(), RecordError> {
        let (outcome, rest) = self.part.close(end, recorder)?;
        let outcome = joined(self.before.take(), outcome);
        match rest {
            Some(rest) => (self.part, self.before) = (Part::new(rest, true), Some(outcome)),
            None => self.outcome = Some(outcome),
        }
        Ok(())
    }
}

fn joined(before: Option<Outcome>, last: Outcome) -> Outcome {
    match before {
        Some(before) => before.followed_by(last),
        None => last,
    }
}

impl CompiledRun {
    /// Begins to run, row by row.
    pub fn start(&self) -> Execution {
        Execution { part: Part::new(self.clone(), false), before: None, outcome: None }
    }

    /// Runs from the start; every step is pushed to `recorder`, `watch` is called now and then and may end the run.
    ///
    /// # Errors
    /// Only when a row cannot be recorded. A motion that cannot go on is an [`Outcome`].
    pub fn execute(
        &self,
        recorder: &mut Recorder,
        mut watch: impl FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<Outcome, RecordError> {
        let mut execution = self.start();
        // Large systems take long steps: look after each of them.
        let looks = (VALUES_BETWEEN_LOOKS / self.observables.columns.len() as u64).max(1);
        // There is a row before the first step.
        let mut rows_left = 2u64;
        loop {
            let rows = match execution.advance_block(recorder)? {
                0 if !execution.advance(recorder)? => break,
                0 => 1,
                rows => rows as u64,
            };
            rows_left = rows_left.saturating_sub(rows);
            if rows_left == 0 && execution.outcome.is_none() {
                rows_left = looks;
                if watch(execution.progress()).is_break() {
                    break;
                }
            }
        }
        let outcome = execution.finish(recorder)?;
        recorder.finish()?;
        Ok(outcome)
    }
}

/// If a stop condition crossed zero in the last step, goes back to where the first one did and names it.
fn crossing(run: &CompiledRun, motion: &mut dyn March, rows: &mut RowRecorder) -> Result<Option<End>, StepFailure> {
    let observables = &run.observables;
    if observables.stops.is_empty() {
        return Ok(None);
    }
    let begin = rows.time();
    let crossed = crossed(observables, motion, rows.stops())?;
    let Some(first) = located(observables, motion, &crossed, begin)?.into_iter().next() else {
        return Ok(None);
    };
    motion.retake(first.after)?;
    Ok(Some(End::Stopped { condition: observables.stops[first.condition].0.clone() }))
}
