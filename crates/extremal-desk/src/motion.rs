//! Motions: rows, pictures, what is said about them. What was compiled is kept.

use std::ops::ControlFlow;

use extremal_engine::drawing::DrawnMotion;
use extremal_engine::model::Extent;
use extremal_engine::run::{EnergyLaw, Report};
use extremal_engine::sweep::AdjustableRun;
use extremal_engine::trajectory::{Columns, Role, Series};
use extremal_engine::{CompiledRun, Model, Recorder, Settings};
use serde_json::{Value, json};

use crate::numbers::NumberBlocks;
use crate::{DeskError, DeskProgress, ModelRequest, WatchDesk};

/// Rows of an answer: more than there are pixels.
const MOST_ROWS: usize = 1200;
/// Numbers of an answer, half of them in rows: 8 MiB.
const MOST_NUMBERS: usize = 1 << 20;
/// Pictures of a motion that is played, and of one that is drawn small.
const MOST_FRAMES: usize = 1200;
const SMALL_FRAMES: usize = 60;
/// Steps of a motion that is drawn small.
const SMALL_STEPS: u64 = 400;
/// Compiled motions that are kept: those of two methods side by side, before and after a change of the text.
const KEPT: usize = 4;

/// Compiled motions, the latest first.
#[derive(Default)]
pub(crate) struct CompiledMotions(Vec<(ModelRequest, AdjustableRun)>);

impl CompiledMotions {
    /// Runs what is asked for.
    pub fn run(
        &mut self,
        asked: &ModelRequest,
        blocks: &mut NumberBlocks,
        watch: WatchDesk<'_>,
    ) -> Result<Value, DeskError> {
        let run = self.compiled(asked)?;
        let mut recorder = Recorder::new(run.columns().clone());
        let outcome = run.execute(&mut recorder, |now| watch(DeskProgress { done: now.step, total: Some(now.steps) }));
        let outcome = outcome.map_err(DeskError::Record)?;
        let model = run.model().lock();
        let columns = recorder.columns();
        // Behind the lock of the model, its warnings are taken from it here.
        let warnings = model.warnings().iter().map(ToString::to_string).chain(run.notes());
        let warnings = warnings.chain(outcome.passage_warnings());
        let warnings = warnings.chain(outcome.warnings.iter().map(ToString::to_string)).collect();
        let report = Report { model: &model, run: &run, outcome: &outcome, recorder: &recorder, warnings };
        let energy = match report.energy_law() {
            EnergyLaw::Conserved => json!({ "conserved": true }),
            EnergyLaw::Jacobi => json!({ "conserved": true, "note": "the Jacobi integral, not T + V" }),
            EnergyLaw::Scaled => json!({ "conserved": false, "note": "scaled along the motion: E' = ∂L/∂z E" }),
            EnergyLaw::Changes(reason) => json!({ "conserved": false, "note": reason }),
        };
        let drawing = drawing(&model, &run.parameter_values(), columns, recorder.series(), MOST_FRAMES, blocks);
        Ok(json!({
            "command": asked.command("run", &[]),
            "summary": report.summary(),
            "energy": energy,
            "columns": described(columns),
            "rows": rows(columns.len(), recorder.series(), blocks),
            "drawing": drawing,
            "parameters": named(&model, &run.parameter_values()),
            "keeps": run.method().family().keeps,
        }))
    }

    /// The run with the values that are asked for; compiled only where it was not before.
    pub fn compiled(&mut self, asked: &ModelRequest) -> Result<CompiledRun, DeskError> {
        let place = match self.0.iter().position(|(kept, _)| kept.is_same_motion(asked)) {
            Some(place) => place,
            None => {
                let model = asked.model_as_it_is()?;
                let settings = asked.settings(&model)?;
                self.0.truncate(KEPT - 1);
                self.0.push((asked.clone(), AdjustableRun::new(model, &settings)?));
                self.0.len() - 1
            }
        };
        self.0[..=place].rotate_right(1);
        let values: Vec<(&str, f64)> = asked.values.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        // Values that a compiled run does not take, as the number of members, are those of the model that is read with them.
        match self.0[0].1.with(&values) {
            Ok(run) => Ok(run),
            Err(_) => {
                let model = asked.model()?;
                let settings = asked.settled(&model)?;
                Ok(CompiledRun::new(model, &settings)?)
            }
        }
    }
}

/// The values of the parameters by name, for sliders that follow others.
fn named(model: &Model, values: &[f64]) -> Vec<Value> {
    let pairs = model.parameters().iter().zip(values);
    pairs.take(MOST_ROWS).map(|(parameter, value)| json!([parameter.name, value])).collect()
}

/// A short stretch of a motion, to be drawn small.
pub(crate) fn picture(
    asked: &ModelRequest,
    blocks: &mut NumberBlocks,
    watch: WatchDesk<'_>,
) -> Result<Value, DeskError> {
    let model = asked.model()?;
    let settings = asked.settled(&model)?;
    let run = CompiledRun::new(&model, &settings)?;
    let short = run.planned_steps() <= SMALL_STEPS;
    let run = if short { run } else { shortened(&model, settings)? };
    let mut recorder = Recorder::new(run.columns().clone());
    run.execute(&mut recorder, |now| watch(DeskProgress { done: now.step, total: Some(now.steps) }))?;
    let (columns, series) = (recorder.columns(), recorder.series());
    let drawing = drawing(&model, &model.parameter_values(), columns, series, SMALL_FRAMES, blocks);
    Ok(json!({ "drawing": drawing, "columns": described(columns), "rows": rows(columns.len(), series, blocks) }))
}

fn shortened(model: &Model, settings: Settings) -> Result<CompiledRun, DeskError> {
    Ok(CompiledRun::new(model, &Settings { extent: Some(Extent::Steps(SMALL_STEPS)), ..settings })?)
}

/// The columns by name and role.
pub(crate) fn described(columns: &Columns) -> Vec<Value> {
    let role = |role: Role| format!("{role:?}").to_lowercase();
    columns.iter().map(|c| json!({ "name": c.name(), "role": role(c.role()), "of": c.owner() })).collect()
}

/// The rows that are kept, evenly chosen, first and last included.
pub(crate) fn rows(width: usize, series: &Series, blocks: &mut NumberBlocks) -> Value {
    let all: Vec<&[f64]> = series.rows().collect();
    let most = MOST_ROWS.min(MOST_NUMBERS / 2 / width.max(1)).max(2);
    json!(blocks.put(&thinned(&all, most), width))
}

/// At most so many of them, evenly chosen.
fn thinned<'r>(rows: &[&'r [f64]], most: usize) -> Vec<&'r [f64]> {
    let last = rows.len().saturating_sub(1);
    let count = rows.len().min(most);
    (0..count).map(|at| rows[at * last / count.saturating_sub(1).max(1)]).collect()
}

/// What the system looks like along the rows, or why there is nothing to be seen.
pub(crate) fn drawing(
    model: &Model,
    parameters: &[f64],
    columns: &Columns,
    series: &Series,
    frames: usize,
    blocks: &mut NumberBlocks,
) -> Value {
    // A picture has three numbers for a point, and some for its shapes.
    let width = 6 * model.drawing().points.len().max(1);
    let frames = frames.min(MOST_NUMBERS / 2 / width).max(2);
    match DrawnMotion::with_parameters(model, parameters, columns, series, frames) {
        Ok(drawn) => {
            let width = drawn.frames.first().map_or(0, Vec::len);
            let frames: Vec<&[f64]> = drawn.frames.iter().map(Vec::as_slice).collect();
            json!({
                "points": drawn.points,
                "spatial": drawn.spatial,
                "view": drawn.view,
                "shapes": drawn.shapes,
                "times": blocks.put_column(&drawn.times),
                "frames": blocks.put(&frames, width),
            })
        }
        Err(error) => json!({ "error": error.to_string() }),
    }
}

/// Goes on for as long as the page wants to wait.
pub(crate) fn watched(watch: &mut dyn FnMut(DeskProgress) -> ControlFlow<()>, done: u64) -> ControlFlow<()> {
    watch(DeskProgress { done, total: None })
}
