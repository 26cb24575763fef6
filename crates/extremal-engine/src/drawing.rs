//! A drawing along a motion: from rows of numbers to numbers for pictures.

use extremal_eval::CompileError;
use extremal_expr::Id;
use extremal_mechanics::Block;
use extremal_model::{DrawnShape, Model};
use extremal_solve::{GuessSource, Kernel, NewtonOptions};
use extremal_trajectory::{Columns, Role, Series};
use serde::Serialize;
use thiserror::Error;

use crate::run::ids;

/// The most pictures of one motion.
const MOST_FRAMES: usize = 600;

/// Why a motion cannot be drawn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DrawingError {
    /// Neither a table nor names say what it looks like.
    #[error("nothing says what this system looks like: state its points in a table [drawing]")]
    Nothing,
    /// A number of it cannot be computed.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// A motion as pictures: in every frame the three components of each point, then what shapes need besides. A number that the motion
/// does not have is not finite, and what depends on it is not drawn.
///
/// ```
/// use extremal_engine::drawing::DrawnMotion;
/// use extremal_engine::{CompiledRun, Model, Recorder, Settings, gallery};
/// let model = Model::from_toml(gallery::text("double-pendulum").unwrap())?;
/// let run = CompiledRun::new(&model, &Settings::of(&model))?;
/// let mut recorder = Recorder::new(run.columns().clone());
/// run.execute(&mut recorder, |_| std::ops::ControlFlow::Continue(()))?;
/// let drawn = DrawnMotion::of(&model, recorder.columns(), recorder.series())?;
/// let (first, place) = (&drawn.frames[0], drawn.points.iter().position(|name| name == "A").unwrap());
/// assert_eq!((first[3 * place], first[3 * place + 1]), (2f64.sin(), -2f64.cos()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DrawnMotion {
    /// The names of the points.
    pub points: Vec<String>,
    /// Are they in space?
    pub spatial: bool,
    /// In the order in which they are drawn.
    pub shapes: Vec<PlacedShape>,
    /// The time of every frame.
    pub times: Vec<f64>,
    /// The numbers of every frame.
    pub frames: Vec<Vec<f64>>,
    /// Quantities to be seen beside it: coordinates, and the energy.
    pub curves: Vec<MotionCurve>,
}

/// A quantity, frame by frame.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MotionCurve {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
}

/// A shape: its points by their places, its numbers by their places in a frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
#[allow(missing_docs, reason = "they are those of `DrawnShape`")]
pub enum PlacedShape {
    Line { points: Vec<usize> },
    Rod { points: Vec<usize> },
    Spring { points: [usize; 2] },
    Box { at: usize, width: usize, height: usize, angle: Option<usize>, heat: Option<usize> },
    Disc { at: usize, radius: Option<usize>, angle: Option<usize> },
    Arrow { at: usize, vector: usize },
    Trail { at: usize },
}

impl DrawnMotion {
    /// The drawing of a model along rows with these columns.
    ///
    /// # Errors
    /// See [`DrawingError`].
    pub fn of(model: &Model, columns: &Columns, series: &Series) -> Result<DrawnMotion, DrawingError> {
        DrawnMotion::with_parameters(model, &model.parameter_values(), columns, series, MOST_FRAMES)
    }

    /// The same along a run with other [values of the parameters](crate::CompiledRun::parameter_values) than those of the model, in at most
    /// so many pictures.
    ///
    /// # Errors
    /// See [`DrawingError`].
    pub fn with_parameters(
        model: &Model,
        parameters: &[f64],
        columns: &Columns,
        series: &Series,
        frames: usize,
    ) -> Result<DrawnMotion, DrawingError> {
        let drawing = model.drawing();
        if drawing.points.is_empty() {
            return Err(DrawingError::Nothing);
        }
        let mut numbers: Vec<Id> = drawing.points.iter().flat_map(|point| point.at).collect();
        let shapes = drawing.shapes.iter().filter_map(|shape| placed(shape, &mut numbers)).collect();
        let mut evaluation = RowEvaluation::new(model, parameters, columns, &numbers)?;
        let rows: Vec<&[f64]> = series.rows().collect();
        let last = rows.len().saturating_sub(1);
        let count = rows.len().min(frames);
        let chosen: Vec<&[f64]> = (0..count).map(|at| rows[at * last / count.saturating_sub(1).max(1)]).collect();
        let time = columns.time().unwrap_or(0);
        let shown = columns.with_role(Role::Coordinate).take(6).chain(columns.with_role(Role::Energy).take(1));
        let names: Vec<&str> = columns.names().collect();
        let curves = shown
            .map(|at| MotionCurve { name: names[at].to_owned(), values: chosen.iter().map(|row| row[at]).collect() });
        Ok(DrawnMotion {
            points: drawing.points.iter().map(|point| point.name.clone()).collect(),
            spatial: drawing.spatial,
            shapes,
            times: chosen.iter().map(|row| row[time]).collect(),
            curves: curves.collect(),
            frames: chosen.iter().map(|row| evaluation.at(row)).collect(),
        })
    }
}

/// A shape with its numbers put after those that there are.
fn placed(shape: &DrawnShape, numbers: &mut Vec<Id>) -> Option<PlacedShape> {
    let mut put = |id: Id| {
        numbers.push(id);
        numbers.len() - 1
    };
    Some(match shape {
        DrawnShape::Line(points) => PlacedShape::Line { points: points.clone() },
        DrawnShape::Rod(points) => PlacedShape::Rod { points: points.clone() },
        DrawnShape::Spring(points) => PlacedShape::Spring { points: *points },
        DrawnShape::Block { at, width, height, angle, heat } => PlacedShape::Box {
            at: *at,
            width: put(*width),
            height: put(*height),
            angle: angle.map(&mut put),
            heat: heat.map(&mut put),
        },
        DrawnShape::Disc { at, radius, angle } => {
            PlacedShape::Disc { at: *at, radius: radius.map(&mut put), angle: angle.map(&mut put) }
        }
        DrawnShape::Arrow { at, vector } => PlacedShape::Arrow { at: *at, vector: vector.map(put)[0] },
        DrawnShape::Trail(at) => PlacedShape::Trail { at: *at },
        _ => return None,
    })
}

/// Expressions of a model as functions of a row.
struct RowEvaluation {
    kernel: Kernel,
    /// The column of each input; `None` for what is not recorded.
    columns: Vec<Option<usize>>,
    inputs: Vec<f64>,
    outputs: usize,
}

impl RowEvaluation {
    fn new(model: &Model, values: &[f64], columns: &Columns, numbers: &[Id]) -> Result<RowEvaluation, CompileError> {
        let g = model.graph();
        let parameters: Vec<Id> = model.parameters().iter().map(|parameter| parameter.symbol).collect();
        let mut symbols = g.free_symbols(&g.exprs(numbers));
        symbols.retain(|symbol| !parameters.contains(&symbol.id()));
        let column = |symbol: &extremal_expr::Expr<'_>| {
            let name = symbol.as_symbol()?;
            if *name == *model.independent() { columns.time() } else { columns.index_of(&name) }
        };
        let block = Block { inputs: ids(&symbols), solves: Vec::new(), outputs: numbers.to_vec() };
        let names = numbers.iter().map(|_| "a number of the drawing".to_owned()).collect();
        let mut kernel = Kernel::compile_named(g, &parameters, &block, names, NewtonOptions::default())?;
        kernel.set_parameters(values);
        let places: Vec<_> = symbols.iter().map(column).collect();
        Ok(RowEvaluation { kernel, inputs: vec![f64::NAN; places.len()], columns: places, outputs: numbers.len() })
    }

    fn at(&mut self, row: &[f64]) -> Vec<f64> {
        for (input, column) in self.inputs.iter_mut().zip(&self.columns) {
            *input = column.map_or(f64::NAN, |column| row[column]);
        }
        let mut out = vec![f64::NAN; self.outputs];
        // What is not finite stays in its place: the other shapes can be drawn.
        let _ = self.kernel.run(&self.inputs, GuessSource::Formula, &mut out);
        out
    }
}
