//! One problem after the other, on a thread of its own.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use extremal_model::Model;
use extremal_solve::nlp::Iteration;
use extremal_trajectory::frame::{Frame, Word};
use extremal_trajectory::sig;

use super::ProblemPlan;
use crate::boundary::{Answer, Guess, Problem, ProblemFormulas, Statement, Status, UnmetCondition};
use crate::sweep::pool::{ChunkWork, ChunkWorker};

/// The status of a member that is no problem with its values.
const REFUSED: &str = "refused";

/// Solves members of a set of problems.
pub(super) struct ProblemWorker<'s> {
    /// The model as it is stated, which every member begins from: what one of them adds to its formulas no other one sees.
    pub model: Model,
    pub formulas: Option<ProblemFormulas>,
    pub plan: &'s ProblemPlan,
}

impl ChunkWorker for ProblemWorker<'_> {
    type Chunk = Range<u64>;

    fn work(self, chunks: &mut dyn FnMut(ChunkWork<'_, Range<u64>>)) {
        chunks(&mut |members, wanted| {
            let mut frame = Frame::new(&self.plan.fields);
            members.for_each(|member| self.push_row(member, wanted, &mut frame));
            frame
        });
    }
}

impl ProblemWorker<'_> {
    fn push_row(&self, member: u64, wanted: &dyn Fn() -> bool, frame: &mut Frame) {
        let (problem, start) = (member / self.plan.guesses(), member % self.plan.guesses());
        let mut numbers = Vec::new();
        self.plan.variation.push_values(problem, &mut numbers);
        let answer = self.answer(&numbers, start, wanted);
        if self.plan.settings.starts > 0 {
            numbers.push(start as f64);
        }
        let texts = match &answer {
            Ok(answer) => {
                numbers.extend(results(answer));
                words(answer)
            }
            Err(reason) => {
                numbers.resize(self.plan.fields.number_names().len(), f64::NAN);
                [Some(REFUSED.into()), Some(Cow::Owned(reason.clone())), None]
            }
        };
        frame.push(&[member as i64], &numbers, texts);
    }

    /// The problem with these values, solved from this of its guesses; or why it is none.
    fn answer(&self, values: &[f64], start: u64, wanted: &dyn Fn() -> bool) -> Result<Answer, String> {
        let ProblemPlan { method, variation, settings, .. } = self.plan;
        let mut model = self.model.clone();
        let changes: Vec<(&str, f64)> = variation.names().zip(values.iter().copied()).collect();
        model.set_parameters(&changes).map_err(|error| error.to_string())?;
        let statement = Statement::of(&model).map_err(|error| error.to_string())?;
        let problem = Problem::with_formulas(&model, statement, method, self.formulas.as_ref());
        let problem = problem.map_err(|error| error.to_string())?;
        let guess = match start {
            0 => settings.guess.clone(),
            shaken => Guess::of_start(shaken, variation.seed),
        };
        let mut watch = |_: &Iteration| if wanted() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        let answer = problem.answer(&guess, &settings.solve, settings.refinement, &mut watch);
        answer.map_err(|error| error.to_string())
    }
}

/// The numbers of a row, in the order of the columns.
fn results(answer: &Answer) -> [f64; 8] {
    let Answer { solution, assessment, .. } = answer;
    let end_error = assessment.as_ref().and_then(|assessment| assessment.verification.end_error());
    let comparison = assessment.as_ref().and_then(|assessment| assessment.comparison.as_ref());
    [
        solution.objective,
        solution.duration,
        solution.steps as f64,
        solution.iterations as f64,
        solution.residual,
        solution.dual_residual,
        end_error.unwrap_or(f64::NAN),
        comparison.map_or(f64::NAN, |comparison| comparison.error),
    ]
}

/// How it ended, why it is no solution, and what is in doubt of one.
fn words(answer: &Answer) -> [Word; 3] {
    let Answer { solution, assessment, .. } = answer;
    let doubts: Vec<String> =
        assessment.iter().flat_map(|assessment| &assessment.doubts).map(ToString::to_string).collect();
    let doubts = (!doubts.is_empty()).then(|| Cow::Owned(doubts.join("; ")));
    let status = Some(Cow::Borrowed(solution.status.name()));
    match solution.status.is_solved() {
        true => [status, None, doubts],
        false => [status, doubts.or_else(|| Some(missing(answer).into())), None],
    }
}

/// What keeps a problem without a solution that could be doubted.
fn missing(answer: &Answer) -> String {
    let solution = &answer.solution;
    let why = match solution.status {
        Status::Infeasible => "the conditions cannot be met together, at least not near the guess",
        Status::Unbounded => "the objective falls without end: it has no minimum",
        Status::NotFinite => "a formula has no finite value at the guess",
        Status::Stalled => "the solver makes no further progress",
        Status::IterationLimit => "too many iterations",
        other => other.name(),
    };
    match solution.violations.first() {
        Some(UnmetCondition { condition, time, amount, .. }) => {
            format!("{why}: {condition} is missed by {} at {}", sig(*amount, 3), sig(*time, 6))
        }
        None => why.to_owned(),
    }
}
