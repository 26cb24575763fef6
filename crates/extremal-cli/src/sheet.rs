//! What the models of the gallery look like, at the ends of their motions.

use std::ops::ControlFlow;

use extremal_engine::boundary::{Guess, Problem, SolveSettings, Statement};
use extremal_engine::drawing::DrawnMotion;
use extremal_engine::trajectory::plot::Sketch;
use extremal_engine::trajectory::{Columns, Series};
use extremal_engine::{CompiledRun, Model, Recorder, Settings, gallery};

use crate::failure::CommandError;

/// The drawings that are stated, by the names of their models. What names of coordinates suggest is not among them: nobody has said
/// that it is what the system looks like.
pub fn sketches() -> Result<Vec<(String, Sketch)>, CommandError> {
    let mut found = Vec::new();
    for name in gallery::names() {
        let text = gallery::text(name).filter(|text| text.lines().any(|line| line == "[drawing]"));
        // That all of them are models is known: the gallery is tested.
        if let Some(model) = text.and_then(|text| Model::from_toml(text).ok()) {
            found.push((name.to_owned(), sketch(&model)?));
        }
    }
    Ok(found)
}

fn sketch(model: &Model) -> Result<Sketch, CommandError> {
    match model.boundary() {
        Some(_) => {
            let problem = Problem::new(model, Statement::of(model)?, &model.simulation().method)?;
            let settings = SolveSettings::default();
            let solution = problem.solve(&Guess::Stated, &settings, &mut |_| ControlFlow::Continue(()))?;
            let mut series = Series::new(solution.columns.len());
            solution.rows.iter().for_each(|row| series.push(row));
            at_its_end(model, &solution.columns, &series)
        }
        None => {
            let run = CompiledRun::new(model, &Settings::of(model))?;
            let mut recorder = Recorder::new(run.columns().clone());
            run.execute(&mut recorder, |_| ControlFlow::Continue(()))?;
            at_its_end(model, recorder.columns(), recorder.series())
        }
    }
}

fn at_its_end(model: &Model, columns: &Columns, series: &Series) -> Result<Sketch, CommandError> {
    let motion = DrawnMotion::of(model, columns, series)?;
    Ok(motion.sketch(&[motion.times.len().saturating_sub(1)]))
}
