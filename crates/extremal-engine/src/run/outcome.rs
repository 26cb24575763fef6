//! What comes of a run besides its rows.

use extremal_solve::{PassedConfiguration, StepFailure, TotalWork};

use super::{EventCount, Laws, Warning};

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// At the time that was asked for.
    Reached,
    /// At a stop condition, whose zero was located.
    Stopped {
        /// Its name in the model.
        condition: String,
    },
    /// Where events of a kind follow each other without end: a ball comes to rest.
    Accumulated {
        /// The name of the event.
        event: String,
    },
    /// It could not go on.
    Failed(StepFailure),
    /// The caller asked.
    Interrupted,
}

impl End {
    /// What of the model has ended it: the name of a stop condition, or what accumulates.
    pub fn stopped_by(&self) -> Option<String> {
        match self {
            End::Stopped { condition } => Some(condition.clone()),
            End::Accumulated { event } => Some(format!("{event} accumulates")),
            End::Reached | End::Failed(_) | End::Interrupted => None,
        }
    }
}

/// How far a run has come, for progress bars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunProgress {
    /// Steps taken.
    pub step: u64,
    /// Steps planned.
    pub steps: u64,
    /// The time reached.
    pub time: f64,
}

/// What came of a run, besides the recorded rows.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Steps taken.
    pub steps: u64,
    /// The time reached.
    pub time: f64,
    /// Iterations and residuals.
    pub work: TotalWork,
    /// The largest distance from the closed form, for each coordinate and entropy that has one.
    pub errors: Vec<(String, f64)>,
    /// The largest |left − right| of each constraint.
    pub residuals: Vec<(String, f64)>,
    /// The audit of both laws, for a system with entropies.
    pub laws: Option<Laws>,
    /// What events did.
    pub events: Vec<EventCount>,
    /// The first singular configurations that were passed on purpose, and how many there were.
    pub passed: (Vec<PassedConfiguration>, u64),
    /// Audits that failed, and steps that do not resolve the motion.
    pub warnings: Vec<Warning>,
}

impl Outcome {
    /// Of a motion that did not begin.
    pub(super) fn unbegun(failure: StepFailure) -> Outcome {
        Outcome {
            end: End::Failed(failure),
            steps: 0,
            time: 0.0,
            work: TotalWork::default(),
            errors: Vec::new(),
            residuals: Vec::new(),
            laws: None,
            events: Vec::new(),
            passed: (Vec::new(), 0),
            warnings: Vec::new(),
        }
    }

    /// Both parts of one run.
    pub(super) fn followed_by(self, rest: Outcome) -> Outcome {
        let larger = |before: Vec<(String, f64)>, after: &[(String, f64)]| -> Vec<(String, f64)> {
            before.into_iter().zip(after).map(|((name, a), (_, b))| (name, a.max(*b))).collect()
        };
        let work = TotalWork {
            iterations: self.work.iterations + rest.work.iterations,
            max_residual: self.work.max_residual.max(rest.work.max_residual),
            newton_steps: self.work.newton_steps + rest.work.newton_steps,
        };
        Outcome {
            end: rest.end,
            steps: self.steps + rest.steps,
            time: rest.time,
            work,
            errors: larger(self.errors, &rest.errors),
            residuals: larger(self.residuals, &rest.residuals),
            laws: self.laws,
            events: joined_events(self.events, rest.events),
            passed: ([self.passed.0, rest.passed.0].concat(), self.passed.1 + rest.passed.1),
            warnings: [self.warnings, rest.warnings].concat(),
        }
    }

    /// What a user must know about singular configurations that were passed.
    pub fn passage_warnings(&self) -> Vec<String> {
        let (passed, count) = &self.passed;
        let mut warnings: Vec<String> = passed
            .iter()
            .map(|PassedConfiguration { time, constraint, others, broken }| {
                let others = others.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                let depends = if others.is_empty() { "restricts no velocity".into() } else { format!("depends on {others}") };
                let how = if *broken { "leapt over" } else { "passed" };
                format!(
                    "a singular configuration was {how} at t = {time:.9}: there `{constraint}` {depends}, and more than one motion \
                     goes on; this is the one that the steps led to"
                )
            })
            .collect();
        if !warnings.is_empty() {
            let worst = self.residuals.iter().max_by(|a, b| a.1.total_cmp(&b.1));
            let worst =
                worst.map_or_else(String::new, |(name, off)| format!("; constraints held to {off:.1e} (`{name}`)"));
            warnings.push(format!("{count} singular configurations were passed{worst}"));
        }
        warnings
    }
}

/// The events of both parts of a run.
fn joined_events(before: Vec<EventCount>, rest: Vec<EventCount>) -> Vec<EventCount> {
    let mut all = before;
    for event in rest {
        match all.iter_mut().find(|known| known.name == event.name) {
            Some(known) if event.count == 0 => known.energy_change += event.energy_change,
            Some(known) => {
                known.first = if known.count == 0 { event.first } else { known.first };
                known.count += event.count;
                known.last = event.last;
                known.energy_change += event.energy_change;
            }
            None => all.push(event),
        }
    }
    all
}
