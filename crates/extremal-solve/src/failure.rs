//! Why a computation stopped.

use thiserror::Error;

use crate::adaptive::Obstacle;

/// Why a system of equations could not be solved.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SolveFailure {
    /// Newton's method did not bring the residual down.
    #[error(
        "no next state exists, or none was found: after {iterations} iterations the equation for {unknown} is off by \
         {residual:.3e} relative to its terms (tolerance {tolerance:.1e})"
    )]
    NoConvergence {
        /// Iterations done.
        iterations: u32,
        /// The unknown of the worst equation.
        unknown: String,
        /// Its residual relative to the size of its terms.
        residual: f64,
        /// What was asked for.
        tolerance: f64,
    },
    /// The Jacobian cannot be inverted.
    #[error("the equations are singular: they do not determine {unknown}")]
    Singular {
        /// The unknown of the failing pivot.
        unknown: String,
    },
    /// A residual or an output is not a finite number.
    #[error("`{what}` is not a finite number (a division by zero, an overflow, or a function outside its domain)")]
    NotFinite {
        /// What came out as NaN or infinite.
        what: String,
    },
}

impl SolveFailure {
    /// The same failure, said to have come after so many iterations.
    pub(crate) fn after(mut self, done: u32) -> SolveFailure {
        if let SolveFailure::NoConvergence { iterations, .. } = &mut self {
            *iterations = done;
        }
        self
    }
}

/// Why a step was not taken.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Reason {
    /// The equations of the step have no solution that could be found.
    #[error(transparent)]
    Solve(#[from] SolveFailure),
    /// The new state violates a declared domain.
    #[error("the motion leaves its domain: `{condition}` does not hold any more")]
    LeftDomain {
        /// The condition.
        condition: String,
    },
    /// A motion whose derivatives were asked for has none.
    #[error("the motion cannot be differentiated there: {cause}")]
    Derivative {
        /// Why.
        cause: SolveFailure,
    },
    /// A step that takes no time.
    #[error("steps become too short to be taken: the `pace` falls to zero, or so near to it that no time passes")]
    NoTimePasses,
    /// A time inside a step that no shorter step leads to.
    #[error("no part of the step leads to t = {time}")]
    NotReachedInside {
        /// The time.
        time: f64,
    },
    /// An event that leads nowhere.
    #[error("the event `{event}` leads to no state from which the motion goes on: {cause}")]
    Event {
        /// Its name.
        event: String,
        /// Why not.
        cause: String,
    },
    /// A law that the method relies on does not hold in this step.
    #[error("this must hold and does not: {law}")]
    Lawless {
        /// The law, in words.
        law: String,
    },
    /// A temperature falls to zero: there is no motion beyond.
    #[error("the temperature of {entropy} falls towards zero (it is {temperature:.3e} now): {cause}")]
    Cold {
        /// The entropy.
        entropy: String,
        /// The last temperature.
        temperature: f64,
        /// What failed first.
        cause: Box<Reason>,
    },
    /// The constraints are dependent at a configuration on the way.
    #[error(
        "the motion runs into a singular configuration at t = {time:.9}: there `{constraint}` {}, and the constraints do not \
         determine how it goes on (`singular = \"pass\"` goes straight on)",
        depends(.others)
    )]
    SingularConfiguration {
        /// A constraint.
        constraint: String,
        /// Those that it depends on there.
        others: Vec<String>,
        /// When.
        time: f64,
    },
    /// A step that is too long to be followed through a nearly singular configuration.
    #[error(
        "the step leaps over a nearly singular configuration at t = {time:.9}, where `{constraint}` {} but for {distance:.1e}: take \
         a shorter step",
        depends(.others)
    )]
    UnresolvedConfiguration {
        /// A constraint.
        constraint: String,
        /// Those that it nearly depends on there.
        others: Vec<String>,
        /// When.
        time: f64,
        /// How far it is from that, relative to the longest that its row has been.
        distance: f64,
    },
    /// A step fails ahead of a singular configuration.
    #[error(
        "the motion runs into a singular configuration, where `{constraint}` depends on the other constraints (its distance from that \
         is {distance:.1e} and vanishes within the next steps): {cause}"
    )]
    BeforeSingularConfiguration {
        /// A constraint.
        constraint: String,
        /// How far it is from depending on the others, relative to the longest that its row has been.
        distance: f64,
        /// What failed.
        cause: Box<Reason>,
    },
    /// The constraints that were kept become dependent where those that were left out may not be, and none is chosen again.
    #[error(
        "of the constraints that were kept, `{constraint}` becomes dependent on others within the next step; {} left out because the others \
         imply it, and may determine how the motion goes on, but {}",
        was(.left_out), not_chosen(*.sweep)
    )]
    NotChosenAgain {
        /// A constraint.
        constraint: String,
        /// Those that follow from others.
        left_out: Vec<String>,
        /// Is it a member of a sweep? A run with entropies if not.
        sweep: bool,
    },
    /// The equations of motion have no solution beyond a time within the step.
    #[error(
        "the motion runs into a singularity: from here the exact one ends at t = {time}, where {what} grows beyond all bounds"
    )]
    Singularity {
        /// When the exact motion ends.
        time: f64,
        /// What is unbounded there.
        what: String,
    },
    /// The equations of motion do not determine the accelerations at a time within the step.
    #[error(
        "the mass matrix{} is singular at t = {time:.9}: its determinant {}{}",
        if *.bordered { ", bordered by the constraints," } else { "" },
        if *.crosses { "changes sign" } else { "vanishes" },
        .unbounded.as_ref().map_or_else(String::new, |what| format!(", and {what} grows beyond all bounds")),
    )]
    SingularMass {
        /// When.
        time: f64,
        /// Are there constraints?
        bordered: bool,
        /// Has the determinant another sign beyond?
        crosses: bool,
        /// What is unbounded there, where that was seen.
        unbounded: Option<String>,
    },
    /// A step fails where a force jumps with the direction of the motion.
    #[error("{jump}, and a step in which it should stick has no solution: {help} ({cause})")]
    JumpingForce {
        /// What jumps, in words.
        jump: String,
        /// What to do.
        help: String,
        /// What failed.
        cause: Box<Reason>,
    },
    /// A constraint that followed from the others at the start does not any more.
    #[error(
        "`{constraint}` followed from the other constraints at the start and does not any more: it is off by {residual:.3e}"
    )]
    NoLongerRedundant {
        /// The constraint.
        constraint: String,
        /// Left less right side.
        residual: f64,
    },
    /// An adaptive integrator whose steps lead nowhere.
    #[error(
        "after {steps} steps of the integrator it is at t = {time}, where they are {step:.1e} long: {obstacle}{}",
        more(*.obstacle, *.record)
    )]
    Stagnation {
        /// The time it came to.
        time: f64,
        /// The steps that were tried since the last record.
        steps: u64,
        /// Their length at the end.
        step: f64,
        /// What keeps them short.
        obstacle: Obstacle,
        /// Records so far apart leave it enough steps.
        record: f64,
    },
    /// An adaptive integrator gave up.
    #[error("{0}")]
    Adaptive(String),
}

fn not_chosen(sweep: bool) -> &'static str {
    match sweep {
        true => {
            "in a sweep no other constraints are chosen on the way: `run` does so for one member; or state constraints of which \
             none follows from others"
        }
        false => {
            "with entropies no other constraints are chosen on the way: state constraints of which none follows from others"
        }
    }
}

fn was(names: &[String]) -> String {
    let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    format!("{list} {}", if names.len() == 1 { "was" } else { "were" })
}

fn depends(others: &[String]) -> String {
    match others {
        [] => "restricts no velocity".to_string(),
        _ => format!("depends on {}", others.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
    }
}

fn more(obstacle: Obstacle, record: f64) -> String {
    match obstacle {
        Obstacle::Fast => format!(" (with records every {record:.1e} there are enough of them)"),
        Obstacle::Stiff | Obstacle::Jumps => String::new(),
    }
}

/// The conditions on every step: laws of the method first, then domains of the model.
#[derive(Clone)]
pub(crate) struct Guards {
    pub names: Vec<String>,
    pub laws: usize,
}

impl Guards {
    /// The failure of the first condition that does not hold, which is zero.
    pub fn broken(&self, truths: &[f64]) -> Option<Reason> {
        let at = truths.iter().position(|holds| *holds == 0.0)?;
        let name = self.names[at].clone();
        Some(match at < self.laws {
            true => Reason::Lawless { law: name },
            false => Reason::LeftDomain { condition: name },
        })
    }
}

/// A run that could not go on. What was computed before it stays valid.
#[derive(Clone, Debug, Error, PartialEq)]
#[error(
    "stopped at step {step}, t = {time}: {reason}{}",
    .shorter.map_or_else(String::new, |h| format!("; from here a step of {h:.3e} has a next state: try a smaller step"))
)]
pub struct StepFailure {
    /// The step that failed, counted from 1.
    pub step: u64,
    /// The time at its beginning.
    pub time: f64,
    /// The last good state, with names.
    pub state: Vec<(String, f64)>,
    /// Why.
    pub reason: Reason,
    /// A step from this state that is not too long, where the one that was asked for is.
    pub shorter: Option<f64>,
}

impl StepFailure {
    /// The failure of the step after so many, from a state whose components have these names.
    pub(crate) fn at(
        steps: u64,
        time: f64,
        names: impl Iterator<Item = String>,
        state: &[f64],
        reason: Reason,
    ) -> StepFailure {
        StepFailure { step: steps + 1, time, state: names.zip(state.iter().copied()).collect(), reason, shorter: None }
    }
}
