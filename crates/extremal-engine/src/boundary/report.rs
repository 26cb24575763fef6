//! A solved problem as data: what `solve --json` prints.

use extremal_solve::nlp::Nature;
use serde::Serialize;

use super::{
    ActiveBound, Assessment, BoundarySolution, ControlArcs, EndMomenta, FoundParameter, Grading, GridComparison, Kind,
    Level, Normality, Problem, UnmetCondition, Verification,
};
use crate::serialized::by_name;

/// A solution with all that is said about it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SolveReport {
    /// The name of the model.
    pub model: Option<String>,
    /// The method.
    pub method: String,
    /// What kind of problem it is.
    pub problem: &'static str,
    /// How it ended.
    pub status: &'static str,
    /// What the second variation says of it.
    pub nature: Option<String>,
    /// The cost, or the action.
    pub objective: f64,
    /// The duration.
    pub duration: f64,
    /// Steps of the grid.
    pub steps: usize,
    /// Iterations of the solver.
    pub iterations: usize,
    /// The largest error left in the conditions.
    pub residual: f64,
    /// The largest error left in the gradient.
    pub dual_residual: f64,
    /// At how many instants a bound is reached.
    pub active_bounds: usize,
    /// The bounds that hold it back.
    pub bounds: Vec<ActiveBound>,
    /// How controls go between their bounds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arcs: Vec<ControlArcs>,
    /// Was it found from other guesses, because the stated one led nowhere?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rescued: bool,
    /// The name of the independent variable.
    pub independent: String,
    /// The solution over the grid.
    #[serde(serialize_with = "by_name")]
    pub columns: Vec<(String, Vec<f64>)>,
    /// Warnings about the model, and what is in doubt.
    pub warnings: Vec<String>,
    /// Parameters that were to be found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknowns: Vec<FoundParameter>,
    /// The derivatives of the least cost, or of the action, by the parameters that are given.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_name")]
    pub sensitivities: Vec<(String, f64)>,
    /// Multipliers of the integrals.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_name")]
    pub integral_multipliers: Vec<(String, f64)>,
    /// Multipliers of the conditions on expressions at the ends.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_name")]
    pub end_multipliers: Vec<(String, f64)>,
    /// Momenta at both ends of an optimal motion between states: a run from those at the start follows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub momenta: Option<EndMomenta>,
    /// What is not met, the worst first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<UnmetCondition>,
    /// How the steps shrink towards the ends, if they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grading: Option<Grading>,
    /// The curvature nearest to zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_curvature: Option<f64>,
    /// The same problem on another grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<GridComparison>,
    /// What a simulation says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// Whether the multipliers of a control problem with states are `normal`, `abnormal` or `undecided`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multipliers: Option<&'static str>,
    /// Costates at the start of multipliers with p0 = 0, by state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub abnormal_costates: Vec<Vec<f64>>,
    /// The grids of a refinement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refinement: Vec<Level>,
    /// The costs of all minima that several starts found, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub minima: Vec<f64>,
}

impl SolveReport {
    /// What is said about `solution`: by the checks, if there was one to check; by the grids of a refinement and the minima of
    /// several starts, if there are any.
    pub fn of(
        problem: &Problem<'_>,
        solution: &BoundarySolution,
        assessment: Option<&Assessment>,
        levels: &[Level],
        minima: &[BoundarySolution],
        warnings: impl Iterator<Item = String>,
    ) -> SolveReport {
        let doubts = assessment.into_iter().flat_map(|assessment| &assessment.doubts).map(ToString::to_string);
        let columns = solution
            .columns
            .iter()
            .enumerate()
            .map(|(at, column)| (column.name().to_owned(), solution.rows.iter().map(|row| row[at]).collect()));
        let normality = assessment.and_then(|assessment| assessment.normality.as_ref());
        SolveReport {
            model: problem.model().name().map(str::to_owned),
            method: problem.method().to_string(),
            problem: kind_name(problem.kind()),
            status: solution.status.name(),
            nature: solution.nature.map(nature_name),
            objective: solution.objective,
            duration: solution.duration,
            steps: solution.steps,
            iterations: solution.iterations,
            residual: solution.residual,
            dual_residual: solution.dual_residual,
            active_bounds: solution.active.iter().map(|bound| bound.times.len()).sum(),
            bounds: solution.active.clone(),
            arcs: if solution.status.is_solved() { problem.control_arcs(solution) } else { Vec::new() },
            rescued: solution.rescued,
            independent: problem.statement().independent.clone(),
            columns: columns.collect(),
            warnings: warnings.chain(doubts).collect(),
            unknowns: solution.found.clone(),
            sensitivities: assessment.map_or_else(Vec::new, |_| problem.sensitivities(solution).unwrap_or_default()),
            integral_multipliers: solution.integral_multipliers.clone(),
            end_multipliers: solution.end_multipliers.clone(),
            momenta: solution.momenta.clone(),
            violations: solution.violations.clone(),
            grading: Some(problem.grading()).filter(|grading| *grading != Grading::NONE),
            least_curvature: solution.least_curvature,
            comparison: assessment.and_then(|assessment| assessment.comparison.clone()),
            verification: assessment.map(|assessment| assessment.verification.clone()),
            multipliers: normality.map(Normality::name),
            abnormal_costates: match normality {
                Some(Normality::Abnormal(costates)) => costates.clone(),
                _ => Vec::new(),
            },
            refinement: if levels.len() > 1 { levels.to_vec() } else { Vec::new() },
            minima: if minima.len() > 1 { minima.iter().map(|m| m.objective).collect() } else { Vec::new() },
        }
    }
}

/// The word for a kind of problem.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Action => "stationary action",
        Kind::Motion => "motion between conditions",
        Kind::Control => "optimal control",
    }
}

/// The words for the nature of a stationary point.
pub fn nature_name(nature: Nature) -> String {
    let directions = |count: usize| format!("{count} {}", if count == 1 { "direction" } else { "directions" });
    match nature {
        Nature::Minimum => "minimum".to_owned(),
        Nature::Maximum => "maximum".to_owned(),
        Nature::Saddle(down) => format!("saddle, {} down", directions(down)),
        Nature::Flat { down: 0, flat } => format!("minimum, flat in {}", directions(flat)),
        Nature::Flat { down, flat } => format!("saddle, {} down, flat in {}", directions(down), directions(flat)),
        Nature::Dependent => "of unknown nature, the conditions are dependent".to_owned(),
    }
}
