//! Motions continued past the end of a boundary problem, by the flow that they belong to: the discrete one whose stationary sequence they
//! are, or the continuous one of the optimality conditions.

use extremal_mechanics::boundary::{Condition, Quantity};
use extremal_solve::{CompiledScheme, March, NewtonOptions, StartValues, StepFailure};
use thiserror::Error;

use super::solution::with_found;
use super::{BoundarySolution, Problem, ProblemError};

/// Rows past the end are kept in memory.
const MOST_STEPS: u64 = 1_000_000;

/// Why a solution is not continued.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ContinuationError {
    /// There is no flow that the solution belongs to.
    #[error(
        "only optimal motions between positions and velocities, and solutions of `custom` over three points or with controls at its nodes, \
         are continued past the end by their flow"
    )]
    NoFlow,
    /// A bound that a flow does not know of.
    #[error("`{0}` is held by a bound, which the flow past the end does not know of")]
    Bound(String),
    /// A time that is not past the end.
    #[error(
        "the motion cannot be continued to {until}: it ends at {end}, in steps of {step}, and at most {MOST_STEPS} more are taken"
    )]
    Until {
        /// The time asked for.
        until: f64,
        /// The end of the solution.
        end: f64,
        /// Its step.
        step: f64,
    },
    /// The flow does not compile.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A step of the flow failed.
    #[error("past the end, {0}")]
    Step(StepFailure),
}

impl Problem<'_> {
    /// The table of a solution with rows up to the time `until`, or one step beyond it: by the discrete flow (q_0 … q_3, λ_0, λ_1) →
    /// (q_1 … q_4, λ_1, λ_2) from its last four points (V3), or by the continuous one from the momenta at its end. Controls past the end are those that keep the cost stationary.
    ///
    /// # Errors
    /// See [`ContinuationError`].
    pub fn continued(&self, solution: &BoundarySolution, until: f64) -> Result<BoundarySolution, ContinuationError> {
        if let Some(active) = solution.active.first() {
            return Err(ContinuationError::Bound(active.name.clone()));
        }
        let (Some(flow), false) = (&self.flow, self.statement.periodic) else {
            return self.continued_from_momenta(solution, until);
        };
        let (g, n) = (self.model.graph(), self.system.len());
        let mut system = self.system.unmultiplied();
        system.constraints.clear();
        let scheme = flow.scheme(&system, self.method.to_string());
        let parameters: Vec<_> = self.model.parameters().iter().map(|p| p.symbol).collect();
        let mut compiled = CompiledScheme::new(g, &scheme, &parameters, &[], &[], NewtonOptions::default())
            .map_err(ProblemError::from)?;
        compiled.set_parameters(&with_found(self.model, &solution.found));
        let places =
            |names: &[String]| -> Option<Vec<usize>> { names.iter().map(|name| solution.column(name)).collect() };
        let names: Vec<String> = self.model.coordinates().iter().map(|c| c.name.clone()).collect();
        let rates: Vec<String> = names.iter().map(|name| format!("{name}'")).collect();
        let (positions, velocities, locals) = match (places(&names), places(&rates), places(&self.local_names())) {
            (Some(positions), Some(velocities), Some(locals)) => (positions, velocities, locals),
            _ => return Err(ContinuationError::NoFlow),
        };
        let last = solution.rows.len() - 1;
        let at =
            |row: usize, places: &[usize]| -> Vec<f64> { places.iter().map(|at| solution.rows[row][*at]).collect() };
        let end = solution.rows[last][0];
        let (steps, h) = steps_to(solution, until)?;
        let values = StartValues {
            q: [at(last - 3, &positions), vec![0.0; n]].concat(),
            v: vec![0.0; 2 * n],
            second: [1, 2, 3].map(|point| at(last - 3 + point, &positions)).concat(),
            s: Vec::new(),
            multipliers: [at(last - 2, &locals), at(last - 1, &locals)].concat(),
            time: solution.rows[last - 3][0],
        };
        let mut motion = compiled.start(&values, h).map_err(ContinuationError::Step)?;
        let mut continued = solution.clone();
        // A state knows the three points after its own, and multipliers and controls of the two constraints that begin at the first
        // two of them: those of the last row are known one step later than its position.
        let second_locals = 8 * n + locals.len();
        for step in 1..=steps + 1 {
            motion.advance().map_err(ContinuationError::Step)?;
            let state = motion.state();
            if let Some(before) = continued.rows.last_mut() {
                locals.iter().zip(&state[second_locals..]).for_each(|(at, value)| before[*at] = *value);
            }
            if step > steps {
                break;
            }
            let mut row = vec![f64::NAN; solution.columns.len()];
            row[0] = end + step as f64 * h;
            for k in 0..n {
                let [q, v, a, j] = [0, 1, 2, 3].map(|order| state[order * n + k]);
                row[positions[k]] = q + h * (v * 3.0 + h * (a * 3.0 + h * j));
                // The slope of the cubic through the last four points, at the last of them.
                row[velocities[k]] = v + h * (a * 2.5 + h * j * (11.0 / 6.0));
            }
            continued.rows.push(row);
        }
        Ok(continued)
    }

    /// The columns of multipliers and controls at a node, in the order of the flow.
    fn local_names(&self) -> Vec<String> {
        let rows = self.transcription.node_rows.iter().filter_map(|condition| match condition {
            Condition::Motion(k) => Some(format!("costate_{}", self.model.coordinates()[*k].name)),
            Condition::Constraint(k) => Some(format!("lambda_{}", self.model.constraints()[*k].name)),
            _ => None,
        });
        let controls = self.transcription.node.iter().filter_map(|quantity| match quantity {
            Quantity::Control(k) => Some(self.statement.controls[*k].name.clone()),
            _ => None,
        });
        rows.chain(controls).collect()
    }
}

/// How many steps of a solution it takes past its end to a time, and how long they are.
pub(super) fn steps_to(solution: &BoundarySolution, until: f64) -> Result<(u64, f64), ContinuationError> {
    let (h, end) = (solution.duration / solution.steps as f64, solution.rows.last().map_or(f64::NAN, |row| row[0]));
    // The last digits of a time typed by hand are no step of their own.
    let steps = ((until - end) / h - 1e-6).ceil();
    match steps > 0.0 && steps <= MOST_STEPS as f64 {
        true => Ok((steps as u64, h)),
        false => Err(ContinuationError::Until { until, end, step: h }),
    }
}
