//! A measured motion beside that of the model.

use std::io;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use extremal_expr::syntax::nearest;
use extremal_model::Extent;
use extremal_trajectory::Sink;

use super::{Experiment, FitError, FreeValue};
use crate::SharedModel;
use crate::run::{End, Settings};
use crate::sweep::AdjustableRun;

/// An experiment with the run that is compared with it.
pub(super) struct CompiledExperiment {
    name: String,
    run: AdjustableRun,
    /// What is looked for, then what is given.
    free: Vec<String>,
    given: Vec<(String, f64)>,
    times: Vec<f64>,
    /// By columns that are compared: where they stand in a row, and where their derivatives do; what was measured, row by row.
    compared: Vec<Option<Compared>>,
}

struct Compared {
    column: usize,
    derivatives: Vec<usize>,
    measured: Vec<f64>,
}

impl CompiledExperiment {
    pub fn new(
        model: &SharedModel,
        settings: &Settings,
        free: &[FreeValue],
        experiment: &Experiment,
        columns: &[String],
    ) -> Result<CompiledExperiment, FitError> {
        let Experiment { name, table, given } = experiment;
        let from = settings.from.or(model.lock().simulation().from).unwrap_or(0.0);
        let times: Vec<f64> = table.rows.iter().map(|row| row[0]).collect();
        let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Err(FitError::NothingMeasured) };
        if first < from {
            return Err(FitError::BeforeStart { name: name.clone(), time: first, from });
        }
        let settings = Settings {
            extent: Some(Extent::Until(last)),
            step: settings.step.or(model.lock().simulation().step),
            from: Some(from),
            at: times.clone(),
            sensitivity: free.iter().map(|free| free.name.clone()).collect(),
            columns: columns.to_vec(),
            ..settings.clone()
        };
        let run = AdjustableRun::new(model, &settings)?;
        let known = run.run().columns();
        let mut compared = Vec::with_capacity(columns.len());
        for column in columns {
            let Some(measured) = table.names[1..].iter().position(|own| own == column) else {
                compared.push(None);
                continue;
            };
            let Some(place) = known.index_of(column) else {
                let help = match nearest(column, known.names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it has {}", known.names().take(20).collect::<Vec<_>>().join(", ")),
                };
                return Err(FitError::UnknownColumn { name: name.clone(), column: column.clone(), help });
            };
            let derivative = |free: &FreeValue| known.index_of(&format!("d{column}/d{}", free.name));
            let derivatives: Option<Vec<usize>> = free.iter().map(derivative).collect();
            compared.push(Some(Compared {
                column: place,
                derivatives: derivatives.ok_or_else(|| FitError::NoDerivative { column: column.clone() })?,
                measured: table.rows.iter().map(|row| row[measured + 1]).collect(),
            }));
        }
        Ok(CompiledExperiment {
            name: name.clone(),
            run,
            free: free.iter().map(|free| free.name.clone()).collect(),
            given: given.clone(),
            times,
            compared,
        })
    }

    /// Where the search for a free value begins.
    pub fn start_of(&self, free: &[FreeValue], at: usize) -> f64 {
        let stated = || self.run.run().value_of(&free[at].name);
        free[at].guess.or_else(stated).unwrap_or(0.0)
    }

    /// What was measured in a column: when, and what.
    pub fn measured(&self, column: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let values = self.compared[column].iter().flat_map(|compared| &compared.measured);
        self.times.iter().copied().zip(values.copied()).filter(|(_, value)| value.is_finite())
    }

    /// Runs with these free values; `take` gets the column, the time, what was measured, what was found, and its slopes.
    pub fn compared(
        &mut self,
        values: &[f64],
        mut take: impl FnMut(usize, f64, f64, f64, &[f64]),
    ) -> Result<(), FitError> {
        let given = self.given.iter().map(|(name, value)| (name.as_str(), *value));
        let all: Vec<(&str, f64)> =
            given.chain(self.free.iter().map(String::as_str).zip(values.iter().copied())).collect();
        let run = self.run.with(&all)?;
        let rows = Rows::default();
        let mut recorder = run.recorder().for_files_only();
        recorder.add_sink("the rows of a fit", Box::new(rows.clone()));
        let outcome = run.execute(&mut recorder, |_| ControlFlow::Continue(()))?;
        let rows = std::mem::take(&mut *rows.0.lock().unwrap_or_else(PoisonError::into_inner));
        if rows.len() < self.times.len() {
            let reason = match &outcome.end {
                End::Failed(failure) => failure.to_string(),
                end => end.stopped_by().unwrap_or_else(|| "it is over".to_owned()),
            };
            return Err(FitError::MotionEnds { name: self.name.clone(), time: outcome.time, reason });
        }
        let mut slopes = vec![0.0; self.free.len()];
        for (column, compared) in self.compared.iter().enumerate() {
            let Some(Compared { column: place, derivatives, measured }) = compared else { continue };
            for ((row, time), measured) in rows.iter().zip(&self.times).zip(measured) {
                if measured.is_finite() {
                    slopes.iter_mut().zip(derivatives).for_each(|(slope, place)| *slope = row[*place]);
                    take(column, *time, *measured, row[*place], &slopes);
                }
            }
        }
        Ok(())
    }
}

/// The rows at the times that were measured.
#[derive(Clone, Default)]
struct Rows(Arc<Mutex<Vec<Vec<f64>>>>);

impl Sink for Rows {
    fn write_row(&mut self, row: &[f64]) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(row.to_vec());
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}
