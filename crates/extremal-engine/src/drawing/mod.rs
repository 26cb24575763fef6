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

#[cfg(feature = "plot")]
mod geometry;
#[cfg(feature = "plot")]
mod picture;

#[cfg(feature = "plot")]
pub use geometry::Room;

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
    /// What is seen of it, where that is stated.
    pub view: DrawingView,
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

/// What is seen of a drawing, where that is stated.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DrawingView {
    /// From left to right.
    pub across: Option<[f64; 2]>,
    /// From bottom to top.
    pub up: Option<[f64; 2]>,
    /// The direction that it is looked at from, in space.
    pub from: Option<[f64; 3]>,
}

/// A shape: its points by their places, its numbers by their places in a frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
#[allow(missing_docs, reason = "they are those of `DrawnShape`")]
pub enum PlacedShape {
    Line {
        points: Vec<usize>,
    },
    Wall {
        points: Vec<usize>,
    },
    Rod {
        points: Vec<usize>,
    },
    /// Places that stay, or `count` places in a frame from `first` on.
    Curve {
        places: Vec<[f64; 3]>,
        first: Option<usize>,
        count: usize,
    },
    Spring {
        points: [usize; 2],
        turns: u32,
    },
    Box {
        at: usize,
        width: usize,
        height: usize,
        angle: Option<usize>,
        heat: Option<usize>,
    },
    /// Bodies of one statement have one number, their colour.
    Disc {
        at: usize,
        radius: Option<usize>,
        angle: Option<usize>,
        heat: Option<usize>,
        hollow: bool,
        body: usize,
    },
    Circle {
        at: usize,
        radius: usize,
        axis: usize,
        angle: Option<usize>,
        body: usize,
    },
    Arrow {
        at: usize,
        vector: usize,
    },
    Trail {
        at: usize,
        seconds: Option<usize>,
        body: usize,
    },
}

impl DrawnMotion {
    /// The drawing of a model along rows with these columns.
    ///
    /// # Errors
    /// See [`DrawingError`].
    pub fn of(model: &Model, columns: &Columns, series: &Series) -> Result<DrawnMotion, DrawingError> {
        DrawnMotion::with(model, columns, series, &[])
    }

    /// The same, with frames as near to these times as there are rows.
    ///
    /// # Errors
    /// See [`DrawingError`].
    pub fn with(model: &Model, columns: &Columns, series: &Series, times: &[f64]) -> Result<DrawnMotion, DrawingError> {
        let rows: Vec<&[f64]> = series.rows().collect();
        let chosen = chosen(&rows, columns.time().unwrap_or(0), times, MOST_FRAMES);
        DrawnMotion::of_rows(model, &model.parameter_values(), columns, &chosen)
    }

    /// The drawing along a run with other [values of the parameters](crate::CompiledRun::parameter_values) than those of the model, in at
    /// most so many frames.
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
        let rows: Vec<&[f64]> = series.rows().collect();
        let chosen = chosen(&rows, columns.time().unwrap_or(0), &[], frames);
        DrawnMotion::of_rows(model, parameters, columns, &chosen)
    }

    fn of_rows(
        model: &Model,
        parameters: &[f64],
        columns: &Columns,
        chosen: &[&[f64]],
    ) -> Result<DrawnMotion, DrawingError> {
        let drawing = model.drawing();
        if drawing.points.is_empty() && drawing.shapes.is_empty() {
            return Err(DrawingError::Nothing);
        }
        let time = columns.time().unwrap_or(0);
        let mut numbers = FrameNumbers::of(model);
        numbers.moving.extend(drawing.points.iter().flat_map(|point| point.at));
        let mut shapes: Vec<PlacedShape> = drawing.shapes.iter().filter_map(|shape| numbers.placed(shape)).collect();
        let fixed_count = numbers.fixed.len();
        let view = [&drawing.across.map(Vec::from), &drawing.up.map(Vec::from), &drawing.from.map(Vec::from)];
        numbers.fixed.extend(view.into_iter().flatten().flatten());
        let mut moving = RowEvaluation::new(model, parameters, columns, &numbers.moving)?;
        let fixed = match chosen.first() {
            Some(row) => RowEvaluation::new(model, parameters, columns, &numbers.fixed)?.at(row),
            None => vec![f64::NAN; numbers.fixed.len()],
        };
        let mut places = fixed[..fixed_count].chunks_exact(3).map(|place| [place[0], place[1], place[2]]);
        for shape in &mut shapes {
            if let PlacedShape::Curve { places: into, first: None, count } = shape {
                into.extend(places.by_ref().take(*count));
            }
        }
        let mut stated = fixed[fixed_count..].iter().copied();
        let mut pair = || Some([stated.next()?, stated.next()?]);
        let (across, up) = (drawing.across.and_then(|_| pair()), drawing.up.and_then(|_| pair()));
        let from = drawing.from.and_then(|_| Some([stated.next()?, stated.next()?, stated.next()?]));
        let shown = columns.with_role(Role::Coordinate).take(6).chain(columns.with_role(Role::Energy).take(1));
        let names: Vec<&str> = columns.names().collect();
        let curves = shown
            .map(|at| MotionCurve { name: names[at].to_owned(), values: chosen.iter().map(|row| row[at]).collect() });
        Ok(DrawnMotion {
            points: drawing.points.iter().map(|point| point.name.clone()).collect(),
            spatial: drawing.spatial,
            view: DrawingView { across, up, from },
            shapes,
            times: chosen.iter().map(|row| row[time]).collect(),
            curves: curves.collect(),
            frames: chosen.iter().map(|row| moving.at(row)).collect(),
        })
    }

    /// The frame nearest to a time.
    pub fn frame_at(&self, time: f64) -> usize {
        let away = |at: &usize| (self.times[*at] - time).abs();
        (0..self.times.len()).min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0)
    }
}

/// Rows for frames: evenly chosen ones, and those nearest to the times.
fn chosen<'r>(rows: &[&'r [f64]], time: usize, times: &[f64], most: usize) -> Vec<&'r [f64]> {
    let last = rows.len().saturating_sub(1);
    let count = rows.len().min(most);
    let mut places: Vec<usize> = (0..count).map(|at| at * last / count.saturating_sub(1).max(1)).collect();
    let away = |at: &usize, wanted: f64| (rows[*at][time] - wanted).abs();
    let nearest = |wanted: f64| (0..rows.len()).min_by(|a, b| away(a, wanted).total_cmp(&away(b, wanted)));
    places.extend(times.iter().filter_map(|wanted| nearest(*wanted)));
    places.sort_unstable();
    places.dedup();
    places.into_iter().map(|place| rows[place]).collect()
}

/// The numbers that frames are made of, and those that stay.
struct FrameNumbers<'m> {
    model: &'m Model,
    parameters: Vec<Id>,
    moving: Vec<Id>,
    fixed: Vec<Id>,
    bodies: usize,
    /// The last disc or circle that was placed, and its number: members of a family follow each other.
    body_at: Vec<(usize, usize)>,
}

impl<'m> FrameNumbers<'m> {
    fn of(model: &'m Model) -> Self {
        let parameters = model.parameters().iter().map(|parameter| parameter.symbol).collect();
        FrameNumbers { model, parameters, moving: Vec::new(), fixed: Vec::new(), bodies: 0, body_at: Vec::new() }
    }

    fn put(&mut self, id: Id) -> usize {
        self.moving.push(id);
        self.moving.len() - 1
    }

    fn put_all(&mut self, ids: [Id; 3]) -> usize {
        ids.map(|id| self.put(id))[0]
    }

    fn stays(&self, ids: &[[Id; 3]]) -> bool {
        let g = self.model.graph();
        g.free_symbols(&g.exprs(ids.as_flattened())).iter().all(|symbol| self.parameters.contains(&symbol.id()))
    }

    /// The colour of a body: members of a family have the same.
    fn body(&mut self, at: usize) -> usize {
        let family = |place: usize| self.model.drawing().points[place].name.split('[').next().map(str::to_owned);
        let body = match self.body_at.last() {
            Some((other, body)) if *other + 1 == at && family(*other) == family(at) => *body,
            _ => {
                self.bodies += 1;
                self.bodies - 1
            }
        };
        self.body_at.push((at, body));
        body
    }

    /// A shape with its numbers put after those that there are.
    fn placed(&mut self, shape: &DrawnShape) -> Option<PlacedShape> {
        Some(match shape {
            DrawnShape::Line(points) => PlacedShape::Line { points: points.clone() },
            DrawnShape::Wall(points) => PlacedShape::Wall { points: points.clone() },
            DrawnShape::Rod(points) => PlacedShape::Rod { points: points.clone() },
            DrawnShape::Curve(places) if self.stays(places) => {
                self.fixed.extend(places.as_flattened());
                PlacedShape::Curve { places: Vec::new(), first: None, count: places.len() }
            }
            DrawnShape::Curve(places) => {
                let first = Some(self.moving.len());
                self.moving.extend(places.as_flattened());
                PlacedShape::Curve { places: Vec::new(), first, count: places.len() }
            }
            DrawnShape::Spring { ends, turns } => PlacedShape::Spring { points: *ends, turns: *turns },
            DrawnShape::Block { at, width, height, angle, heat } => PlacedShape::Box {
                at: *at,
                width: self.put(*width),
                height: self.put(*height),
                angle: angle.map(|id| self.put(id)),
                heat: heat.map(|id| self.put(id)),
            },
            DrawnShape::Disc { at, radius, angle, heat, hollow } => PlacedShape::Disc {
                at: *at,
                radius: radius.map(|id| self.put(id)),
                angle: angle.map(|id| self.put(id)),
                heat: heat.map(|id| self.put(id)),
                hollow: *hollow,
                body: self.body(*at),
            },
            DrawnShape::Circle { at, radius, axis, angle } => PlacedShape::Circle {
                at: *at,
                radius: self.put(*radius),
                axis: self.put_all(*axis),
                angle: angle.map(|id| self.put(id)),
                body: self.body(*at),
            },
            DrawnShape::Arrow { at, vector } => PlacedShape::Arrow { at: *at, vector: self.put_all(*vector) },
            DrawnShape::Trail { at, seconds } => {
                PlacedShape::Trail { at: *at, seconds: seconds.map(|id| self.put(id)), body: self.trail(*at) }
            }
            _ => return None,
        })
    }

    /// The colour of a trail: that of the body that leaves it.
    fn trail(&self, at: usize) -> usize {
        let mut bodies = FrameNumbers::of(self.model);
        for shape in &self.model.drawing().shapes {
            if let DrawnShape::Disc { at, .. } | DrawnShape::Circle { at, .. } = shape {
                bodies.body(*at);
            }
        }
        bodies.body_at.iter().find(|(place, _)| *place == at).map_or(1, |(_, body)| *body)
    }
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
