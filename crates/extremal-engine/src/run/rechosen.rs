//! Constraints where they become dependent: others are chosen where that helps.

use extremal_model::Start;
use extremal_solve::{March, Reason};

use super::{CompiledRun, End, Settings};

/// A state is moved by no more than this part of its positions when other constraints are chosen at it.
const MOST_MOVED: f64 = 1e-6;

/// A reason to end that says which constraints were left out, where they are not chosen again: in a sweep, or with entropies.
pub(crate) fn without_choice(reason: Reason, left_out: &[String], sweep: bool) -> Reason {
    match reason {
        reason if left_out.is_empty() => reason,
        Reason::SingularConfiguration { constraint, .. }
        | Reason::UnresolvedConfiguration { constraint, .. }
        | Reason::BeforeSingularConfiguration { constraint, .. } => {
            Reason::NotChosenAgain { constraint, left_out: left_out.to_vec(), sweep }
        }
        other => other,
    }
}

impl CompiledRun {
    /// The constraints that follow from others.
    pub(crate) fn left_out(&self) -> Vec<String> {
        self.constraints.redundant.iter().map(|(name, _)| name.clone()).collect()
    }

    /// What is left of a run that ends where the constraints that were kept become dependent, with others of those that follow from
    /// them in their place: the same motion. `None` where there are no others, or no step was possible since they were chosen. Accounts
    /// of heat and work are not carried over, so that a system with entropies ends there.
    pub(super) fn with_other_constraints(&self, end: &End, motion: &mut dyn March) -> Option<CompiledRun> {
        let End::Failed(failure) = end else { return None };
        let dependent = matches!(
            failure.reason,
            Reason::SingularConfiguration { .. }
                | Reason::UnresolvedConfiguration { .. }
                | Reason::BeforeSingularConfiguration { .. }
        );
        let redundant = &self.constraints.redundant;
        if !dependent
            || redundant.is_empty()
            || motion.steps() == 0
            || self.observables.entropies > 0
            || self.sensitivity.is_some()
        {
            return None;
        }
        let (q, time) = (motion.state()[self.observables.state().positions()].to_vec(), motion.time());
        let v = motion.observe().ok()?[self.observables.observed().velocities()].to_vec();
        let here = self.start.reached(&q, &v, time);
        // Close to where the others are dependent, an adaptive method has lost digits in what they do not determine.
        let settings = Settings { start: Start::Legendre, project: true, ..self.settings.clone() };
        let mut rest = CompiledRun::starting_at(&self.model, &settings, &self.tracked, Some(here)).ok()?;
        let same = rest.observables.columns == self.observables.columns && rest.constraints.redundant != *redundant;
        rest.plan.whole_steps = self.plan.whole_steps.checked_sub(motion.steps())?;
        rest.plan.remainder = self.plan.remainder;
        let close = rest.constraints.moved <= MOST_MOVED * q.iter().fold(1.0, |most: f64, q| most.max(q.abs()));
        (same && close && rest.constraints.rank == self.constraints.rank).then_some(rest)
    }
}
