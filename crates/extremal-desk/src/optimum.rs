//! Boundary and control problems.

use extremal_engine::Recorder;
use extremal_engine::boundary::{Guess, Problem, SolveReport, SolveSettings, Statement};
use extremal_engine::solve::nlp::Iteration;
use serde_json::{Value, json};

use crate::motion::{described, drawing, rows, watched};
use crate::numbers::NumberBlocks;
use crate::{DeskError, ModelRequest, WatchDesk};

/// Pictures of a solution.
const MOST_FRAMES: usize = 1500;
/// Of a problem without states of a motion, all that a page lays out.
const MOST_STEPS: usize = 100_000;

pub(crate) fn solve(
    asked: &ModelRequest,
    steps: Option<usize>,
    blocks: &mut NumberBlocks,
    watch: WatchDesk<'_>,
) -> Result<Value, DeskError> {
    let model = asked.model()?;
    let method = asked.method()?.unwrap_or_else(|| model.simulation().method.clone());
    let problem = Problem::new(&model, Statement::of(&model)?, &method)?;
    let settings = SolveSettings { steps: steps.map(|steps| steps.min(MOST_STEPS)), ..SolveSettings::default() };
    let mut iterations = 0;
    let mut each = |_: &Iteration| {
        iterations += 1;
        watched(watch, iterations)
    };
    let mut solution = problem.solve(&Guess::Stated, &settings, &mut each)?;
    let assessment = problem.assess(&solution, &settings, None, &mut each)?;
    if let Some(assessment) = &assessment {
        solution = solution.judged(assessment);
    }
    let warnings = model.warnings().iter().map(ToString::to_string);
    let report = SolveReport::of(&problem, &solution, assessment.as_ref(), &[], &[], warnings);
    let mut recorder = Recorder::new(solution.columns.clone());
    solution.rows.iter().try_for_each(|row| recorder.push(row))?;
    recorder.finish()?;
    let (columns, series) = (recorder.columns(), recorder.series());
    let mut summary = json!(report);
    // The numbers of the columns are those of the rows.
    if let Some(object) = summary.as_object_mut() {
        object.shift_remove("columns");
    }
    let steps = steps.map(|steps| steps.to_string());
    let further: Vec<(&str, &str)> = steps.iter().map(|steps| ("--steps", steps.as_str())).collect();
    let of_problem = ModelRequest { step: None, until: None, ..asked.clone() };
    Ok(json!({
        "command": of_problem.command("solve", &further),
        "solved": solution.status.is_solved(),
        "summary": summary,
        "columns": described(columns),
        "rows": rows(columns.len(), series, blocks),
        "drawing": drawing(&model, &model.parameter_values(), columns, series, MOST_FRAMES, blocks),
    }))
}
