//! What is known of a solution beyond the equations of its own grid: the second variation, other grids, a simulation.
//!
//! An answer counts as verified where the curvature nearest to zero is larger than what it changes by between two grids, where the
//! grids agree, and where a simulation arrives at the end of the solution. Where no simulation is possible, three grids must
//! converge instead.

use std::fmt;

use extremal_solve::nlp::Nature;
use extremal_trajectory::{ColumnLayout, sig};
use serde::Serialize;

use super::search::on_another_grid;
use super::{
    BoundarySolution, EndMap, Guess, Kind, Level, Normality, Problem, ProblemError, Refinement, SolveSettings, Status,
    Verification,
};
use super::{WatchIterations, check};

/// A simulation may miss the end by this part of what a component moves, and the error by other grids may be this part.
const FINE: f64 = 2e-2;
/// From this estimated part on the answer is wrong rather than inexact.
const WRONG: f64 = 0.1;
/// Coarser grids than this tell nothing.
const LEAST_STEPS: usize = 8;
/// Finer grids than this are not tried for a comparison.
const MOST_STEPS: usize = 100_000;
/// Components that move less than this part of the one that moves most are not compared with themselves.
const STILL: f64 = 1e-3;

/// The same problem on another grid.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridComparison {
    /// Steps of the other grid.
    pub steps: usize,
    /// The cost, or the action, on it.
    pub objective: f64,
    /// The largest change of the cost or of a coordinate, as a part of its size.
    pub change: f64,
    /// The error of the solution itself, estimated from the changes, as a part of its size.
    pub error: f64,
    /// The order at which the changes fall, where there were three grids.
    pub order: Option<f64>,
    /// The curvature nearest to zero on the other grid.
    pub least_curvature: Option<f64>,
    /// The linearised end map on the other grid.
    #[serde(skip)]
    pub end_map: Option<EndMap>,
}

/// What is not known of a solution, or speaks against it.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// The second variation is singular as far as the grids can tell.
    NearConjugate {
        /// Steps of both grids.
        steps: [usize; 2],
        /// The curvature nearest to zero on both.
        least: [f64; 2],
    },
    /// Grids disagree.
    Grids {
        /// Steps of the other grid.
        steps: usize,
        /// The estimated error, as a part of the size of the solution.
        error: f64,
        /// The order at which they approach each other, if it is known.
        order: Option<f64>,
    },
    /// A refinement came to its limit, of steps or of work.
    Limit {
        /// The last steps.
        steps: usize,
        /// By which part of itself the cost changed from the grid before, if there was one.
        change: Option<f64>,
        /// By how much a simulation misses the end, if there is one.
        end_error: Option<f64>,
        /// What was asked for.
        tolerance: f64,
    },
    /// A simulation does not arrive where the solution does.
    Missed {
        /// The component it misses most.
        name: String,
        /// By so much.
        error: f64,
        /// Which is this part of what the component moves.
        part: f64,
    },
    /// There is neither a simulation nor another grid to compare with.
    Alone {
        /// Why there is no simulation.
        reason: String,
    },
    /// The Lagrangian has no finite value at an end, and no coordinate is known in which it has.
    Singular,
    /// The second variation could not be judged.
    Nature,
}

impl Doubt {
    /// What becomes of a solution with this doubt.
    pub fn status(&self) -> Status {
        match self {
            Doubt::NearConjugate { .. } => Status::NearConjugate,
            Doubt::Limit { .. } | Doubt::Singular => Status::Unresolved,
            Doubt::Grids { error, .. } if *error <= WRONG => Status::Unverified,
            Doubt::Grids { .. } => Status::Unresolved,
            Doubt::Missed { .. } | Doubt::Alone { .. } | Doubt::Nature => Status::Unverified,
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: f64| format!("{} %", sig(100.0 * part, 2));
        match self {
            Doubt::NearConjugate { steps, least } => write!(
                f,
                "the ends are conjugate points as far as these grids can tell: the curvature nearest to zero is {} on {} steps and \
                 {} on {}, so that it is open whether this is a minimum, and whether there is such a motion at all",
                sig(least[0], 3),
                steps[0],
                sig(least[1], 3),
                steps[1]
            ),
            Doubt::Grids { order: Some(_), error, .. } if !error.is_finite() => {
                write!(f, "finer grids do not come closer to each other: how far off the solution is is not known")
            }
            Doubt::Grids { steps, error, order } => {
                match order {
                    Some(order) => write!(f, "the grids approach each other at the order {} only: ", sig(*order, 2))?,
                    None => write!(f, "a grid of {steps} steps gives something else: ")?,
                }
                write!(f, "the solution is off by about {}", percent(*error))
            }
            Doubt::Limit { steps, change, end_error, tolerance } => {
                write!(f, "the refinement ended at its limit, with {steps} steps, before it came within {}", sig(*tolerance, 3))?;
                if let Some(change) = change {
                    write!(f, ": the cost changes by {} of itself from the grid before", sig(*change, 2))?;
                }
                match (change, end_error) {
                    (_, None) => Ok(()),
                    (Some(_), Some(error)) => write!(f, ", and a simulation misses the end by {}", sig(*error, 2)),
                    (None, Some(error)) => write!(f, ": a simulation misses the end by {}", sig(*error, 2)),
                }
            }
            Doubt::Missed { name, error, part } => write!(
                f,
                "a simulation with the solution's start and controls misses its end by {} in `{name}`, {} of what that moves",
                sig(*error, 2),
                percent(*part)
            ),
            Doubt::Alone { reason } => {
                write!(f, "nothing confirms the solution: there is no simulation ({reason}), and no other grid has a solution")
            }
            Doubt::Singular => f.write_str(
                "the Lagrangian has no finite value at an end, where a jump in one step costs too little on any grid: write it in \
                 coordinates in which it is regular there",
            ),
            Doubt::Nature => f.write_str("whether it is a minimum is open: the conditions are dependent there"),
        }
    }
}

/// What the checks of a solution say.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    /// The status that the solution deserves.
    pub status: Status,
    /// The simulation.
    pub verification: Verification,
    /// The comparison with another grid, if there is a solution on one.
    pub comparison: Option<GridComparison>,
    /// Whether the multipliers of a control problem with states are normal, where that is examined.
    pub normality: Option<Normality>,
    /// What is not known, or speaks against it; the worst first.
    pub doubts: Vec<Doubt>,
}

impl BoundarySolution {
    /// The solution with the status it deserves. Of an open nature nothing is said.
    pub fn judged(self, assessment: &Assessment) -> BoundarySolution {
        let nature = self.nature.filter(|_| assessment.status != Status::NearConjugate);
        BoundarySolution { status: assessment.status, nature, ..self }
    }
}

impl Problem<'_> {
    /// Checks a solution: its second variation, another grid, a simulation; `refined` are the grids of a refinement that led to
    /// it, with what was asked of them. `None` if there is no solution.
    pub fn assess(
        &self,
        solution: &BoundarySolution,
        settings: &SolveSettings,
        refined: Option<(&[Level], Refinement)>,
        watch: WatchIterations<'_>,
    ) -> Result<Option<Assessment>, ProblemError> {
        if !solution.status.is_solved() {
            return Ok(None);
        }
        let verification = self.verify(solution)?;
        let missed = self.missed(solution, &verification);
        // A simulation says little near a singularity.
        let order_wanted = missed.is_none() || self.ends.singular;
        let comparison = self.compare(solution, settings, order_wanted, watch)?;
        let mut doubts = Vec::new();
        if let Some(other) = &comparison {
            doubts.extend(self.near_conjugate(solution, other, settings, watch)?);
        }
        if self.ends.unresolved {
            doubts.push(Doubt::Singular);
        }
        let judged = !matches!(solution.nature, None | Some(Nature::Dependent));
        if self.kind != Kind::Motion && !judged {
            doubts.push(Doubt::Nature);
        }
        if let Some((levels, refinement)) = refined
            && !refinement.is_met(levels)
        {
            let end_error = levels.last().and_then(|level| level.end_error);
            let (steps, tolerance) = (solution.steps, refinement.tolerance);
            doubts.push(Doubt::Limit { steps, change: Refinement::change(levels), end_error, tolerance });
        }
        if let Some(GridComparison { steps, error, order, .. }) = comparison
            && error > if order.is_some() { FINE } else { WRONG }
        {
            doubts.push(Doubt::Grids { steps, error, order });
        }
        match (&verification, missed) {
            (_, Some((name, error, part))) if part > FINE => doubts.push(Doubt::Missed { name, error, part }),
            (Verification::Impossible(reason), _) if comparison.is_none() => {
                doubts.push(Doubt::Alone { reason: reason.clone() });
            }
            _ => {}
        }
        let rank = |status: Status| match status {
            Status::NearConjugate => 0,
            Status::Unresolved => 1,
            _ => 2,
        };
        doubts.sort_by_key(|doubt| rank(doubt.status()));
        let status = match (doubts.first(), solution.nature) {
            (Some(doubt), _) => doubt.status(),
            (None, Some(Nature::Minimum | Nature::Flat { down: 0, .. }) | None) => solution.status,
            (None, Some(_)) => Status::Stationary,
        };
        let there = comparison.as_ref().and_then(|comparison| comparison.end_map.as_ref());
        let normality = solution.end_map.as_ref().map(|map| map.normality(there));
        Ok(Some(Assessment { status, verification, comparison, normality, doubts }))
    }

    /// Does the curvature nearest to zero change by more than itself from grid to grid, and again on a finer one?
    fn near_conjugate(
        &self,
        solution: &BoundarySolution,
        other: &GridComparison,
        settings: &SolveSettings,
        watch: WatchIterations<'_>,
    ) -> Result<Option<Doubt>, ProblemError> {
        let definite = matches!(solution.nature, Some(Nature::Minimum | Nature::Maximum | Nature::Saddle(_)));
        // Where bounds hold, what is left of the curvature is theirs.
        let (true, true, Some(least), Some(other_least)) =
            (definite, solution.active.is_empty(), solution.least_curvature, other.least_curvature)
        else {
            return Ok(None);
        };
        let open = |fine: f64, coarse: f64| fine.abs() <= (fine - coarse).abs();
        let finer = 2 * solution.steps.max(other.steps);
        if !open(least, other_least) || !self.is_comparable(finer) {
            return Ok(None);
        }
        let finer = on_another_grid(settings, finer);
        let finer = self.attempt(&Guess::Table(solution.table()), &finer, watch)?;
        let coarse = if other.steps > solution.steps { other_least } else { least };
        let near = finer.least_curvature.is_none_or(|fine| open(fine, coarse));
        let doubt = Doubt::NearConjugate { steps: [solution.steps, other.steps], least: [least, other_least] };
        Ok(near.then_some(doubt))
    }

    /// The component that a simulation misses most: its name, by how much, and which part that is of what it moves.
    fn missed(&self, solution: &BoundarySolution, verification: &Verification) -> Option<(String, f64, f64)> {
        let Verification::Reached { errors } = verification else { return None };
        let n = self.system.len();
        let sizes: Vec<f64> = (1..=errors.len()).map(|column| extent(solution, column, column > n)).collect();
        let (moves, rates) = sizes.split_at(n.min(sizes.len()));
        let floors = [floor(moves), floor(rates)];
        let parts = errors.iter().zip(&sizes).enumerate().map(|(at, ((name, error), size))| {
            let part = error.abs() / size.max(floors[usize::from(at >= n)]);
            (name.clone(), error.abs(), if part.is_nan() { f64::INFINITY } else { part })
        });
        parts.max_by(|a, b| a.2.total_cmp(&b.2))
    }

    /// The solution on one other grid, or on two where the order has to speak for lack of a simulation.
    fn compare(
        &self,
        solution: &BoundarySolution,
        settings: &SolveSettings,
        order_wanted: bool,
        watch: WatchIterations<'_>,
    ) -> Result<Option<GridComparison>, ProblemError> {
        let guess = Guess::Table(solution.table());
        for halve in [true, false] {
            let others: Vec<usize> = [2, 4]
                .into_iter()
                .filter_map(|factor| match halve {
                    true => (solution.steps.is_multiple_of(factor)).then_some(solution.steps / factor),
                    false => Some(solution.steps * factor),
                })
                .filter(|steps| self.is_comparable(*steps))
                .collect();
            let wanted = if order_wanted { 2 } else { 1 };
            if others.len() < wanted {
                continue;
            }
            let mut found = Vec::new();
            for steps in &others[..wanted] {
                let other = self.attempt(&guess, &on_another_grid(settings, *steps), watch)?;
                if other.status.is_solved() {
                    found.push(other);
                }
            }
            if found.len() < wanted {
                continue;
            }
            let change = self.change(solution, &found[0]);
            let (error, order) = match found.get(1) {
                // The error of the finer grid is a third of the change at order two; one is what it is at order one.
                None => (if halve { change } else { 2.0 * change }, None),
                Some(third) => {
                    let next = self.change(&found[0], third);
                    let (coarse, fine) = if halve { (next, change) } else { (change, next) };
                    let ratio = coarse / fine;
                    let grows = if halve { 1.0 } else { ratio * ratio };
                    let error = match ratio > 1.0 {
                        true => fine * grows / (ratio - 1.0),
                        // Where both changes are round-off, they need not fall.
                        false if coarse.max(fine) < FINE * FINE => fine,
                        false => f64::INFINITY,
                    };
                    (error, (fine > 0.0 && ratio > 0.0).then(|| ratio.log2()))
                }
            };
            return Ok(Some(GridComparison {
                steps: found[0].steps,
                objective: found[0].objective,
                change,
                error,
                order,
                least_curvature: found[0].least_curvature,
                end_map: found[0].end_map.clone(),
            }));
        }
        Ok(None)
    }

    fn is_comparable(&self, steps: usize) -> bool {
        (LEAST_STEPS..=MOST_STEPS).contains(&steps)
            && check::enough_steps(steps, self.order, self.statement.periodic).is_ok()
            && check::on_grid(self, steps).is_ok()
    }

    /// The largest change between two grids, one of which has a multiple of the steps of the other, as a part of what changes.
    fn change(&self, a: &BoundarySolution, b: &BoundarySolution) -> f64 {
        let cost = match self.kind {
            Kind::Motion => 0.0,
            _ => (a.objective - b.objective).abs() / a.objective_size.max(b.objective_size).max(f64::MIN_POSITIVE),
        };
        // Along a symmetry the solution may have slipped.
        if matches!(a.nature, Some(Nature::Flat { .. })) {
            return cost;
        }
        let common = a.steps.min(b.steps);
        let row = |of: &BoundarySolution, k: usize| k * (of.steps / common);
        let layout = ColumnLayout::of(&a.columns);
        let moving: Vec<usize> = layout.positions.chain(layout.states).collect();
        let size = |column: &usize| extent(a, *column, false).min(extent(b, *column, false));
        let sizes: Vec<f64> = moving.iter().map(size).collect();
        let least = floor(&sizes);
        let shifts = sizes.iter().zip(&moving).map(|(size, at)| {
            let apart = |k: usize| (a.rows[row(a, k)][*at] - b.rows[row(b, k)][*at]).abs();
            (0..=common).map(apart).fold(0.0, f64::max) / size.max(least)
        });
        shifts.fold(cost, f64::max)
    }
}

/// What a column moves, or for a velocity the largest.
fn extent(solution: &BoundarySolution, column: usize, from_zero: bool) -> f64 {
    let values = || solution.rows.iter().map(|row| row[column]).filter(|value| value.is_finite());
    let zero = if from_zero { 0.0 } else { f64::NAN };
    let (low, high) = (values().fold(zero, f64::min), values().fold(zero, f64::max));
    if high > low { high - low } else { 0.0 }
}

/// What is too small to be compared with itself.
fn floor(sizes: &[f64]) -> f64 {
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 { STILL * largest } else { 1.0 }
}
