//! Parameters and starts from measured motions: least squares by the exact derivatives of the discrete motion.

mod experiment;
mod least_squares;
mod student;

use extremal_trajectory::RecordError;
use serde::Serialize;
use thiserror::Error;

use crate::SharedModel;
use crate::boundary::SolutionTable;
use crate::run::{Settings, SetupError};
use crate::sweep::SweepError;
use experiment::CompiledExperiment;
use least_squares::{Covariance, LeastSquares, Linearised, covariance, search};

/// An unknown: a parameter, or the start of a coordinate `x`, a velocity `x'`, an entropy or a state.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeValue {
    /// Its name.
    pub name: String,
    /// Where the search begins, if not with what the model says.
    pub guess: Option<f64>,
    /// The least that it may be.
    pub min: f64,
    /// The most that it may be.
    pub max: f64,
    /// Does every experiment have one of its own?
    pub each: bool,
}

impl FreeValue {
    /// Without bounds, the same in all experiments, from the value of the model.
    pub fn new(name: impl Into<String>) -> FreeValue {
        FreeValue { name: name.into(), guess: None, min: f64::NEG_INFINITY, max: f64::INFINITY, each: false }
    }
}

/// Rows that were measured on one motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// What it is called.
    pub name: String,
    /// Times and columns; what was not measured is no number.
    pub table: SolutionTable,
    /// Parameters and starts that are known of it, where they differ from those of the model.
    pub given: Vec<(String, f64)>,
}

impl Experiment {
    /// Columns that were measured at these times; what was not is no number.
    pub fn new(name: impl Into<String>, times: &[f64], columns: &[(&str, &[f64])]) -> Experiment {
        let value = |column: &[f64], row: usize| column.get(row).copied().unwrap_or(f64::NAN);
        let row = |(at, time): (usize, &f64)| {
            [*time].into_iter().chain(columns.iter().map(|(_, column)| value(column, at))).collect()
        };
        let names = ["t"].into_iter().chain(columns.iter().map(|(name, _)| *name)).map(str::to_owned).collect();
        let table = SolutionTable { names, rows: times.iter().enumerate().map(row).collect() };
        Experiment { name: name.into(), table, given: Vec::new() }
    }
}

/// How a fit is made.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// The columns of the data that are compared; all if there are none here.
    pub columns: Vec<String>,
    /// Standard deviations of measurements that are known, by column. Those of other columns are found from what the fit leaves.
    pub deviations: Vec<(String, f64)>,
    /// The probability with which the intervals contain the truth.
    pub confidence: f64,
}

impl Default for FitOptions {
    fn default() -> Self {
        FitOptions { columns: Vec::new(), deviations: Vec::new(), confidence: 0.95 }
    }
}

/// An unknown that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FittedValue {
    /// Its name.
    pub name: String,
    /// The experiment that it is of, if it is not of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment: Option<String>,
    /// Its value.
    pub value: f64,
    /// The standard deviation of its value, where no bound holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// The interval of confidence, where no bound holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// What was measured in a column, beside the motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FittedColumn {
    /// Its name.
    pub name: String,
    /// Numbers that were measured, over all experiments.
    pub measured: usize,
    /// The standard deviation that was stated, or found.
    pub deviation: f64,
    /// Was it stated?
    pub stated: bool,
    /// The root of the mean square of what is left.
    pub left: f64,
}

/// A measured number beside the motion that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// Which experiment.
    pub experiment: usize,
    /// Which of the columns.
    pub column: usize,
    /// When.
    pub time: f64,
    /// What was measured.
    pub measured: f64,
    /// What the motion says.
    pub found: f64,
}

/// Parameters and starts that fit measured motions best.
#[derive(Clone, Debug, Serialize)]
pub struct FittedModel {
    /// All that was unknown.
    pub values: Vec<FittedValue>,
    /// The correlations of the values, row by row; zero with those that a bound holds.
    pub correlations: Vec<Vec<f64>>,
    /// What was measured.
    pub columns: Vec<FittedColumn>,
    /// The sum of the squares of what is left, each in units of its standard deviation.
    pub chi_squared: f64,
    /// Numbers that were measured less values that were found.
    pub degrees_of_freedom: usize,
    /// Iterations of the search.
    pub iterations: u32,
    /// Was nothing more to be gained? If not, the values are no fit.
    pub converged: bool,
    /// Every measured number beside what was found.
    #[serde(skip)]
    pub residuals: Vec<Residual>,
}

/// Why there is no fit.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum FitError {
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Values(#[from] SweepError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("nothing is free: say which parameters and starts are looked for")]
    NothingFree,
    #[error("nothing was measured")]
    NothingMeasured,
    #[error("{name}: the model has no column `{column}`; {help}; or choose columns with `--columns`")]
    UnknownColumn { name: String, column: String, help: String },
    #[error("no experiment has a column `{column}`")]
    NotMeasured { column: String },
    #[error(
        "`{column}` is recorded, but its derivative is not: measure positions, velocities, momenta, or name what you measure in \
         [outputs]"
    )]
    NoDerivative { column: String },
    #[error("the standard deviation of `{column}` is a positive number, not {deviation}")]
    Deviation { column: String, deviation: f64 },
    #[error("the bounds of `{name}`, {min} and {max}, leave nothing between them")]
    Bounds { name: String, min: f64, max: f64 },
    #[error("{name}: measured before the motion starts, at {time}; state the start with `from`, now {from}")]
    BeforeStart { name: String, time: f64, from: f64 },
    #[error("{measured} numbers were measured for {unknown} that are looked for: more are needed")]
    TooFew { measured: usize, unknown: usize },
    #[error("{name}: the motion ends at t = {time}, before what was measured: {reason}")]
    MotionEnds { name: String, time: f64, reason: String },
    #[error("nothing that was measured depends on `{name}`: fix it, or measure something else")]
    Silent { name: String },
    #[error(
        "`{first}` and `{second}` change what was measured in the same way: fix one of them, or measure something else"
    )]
    Alike { first: String, second: String },
}

/// Standard deviations that are not stated are found anew after each search, until they change by less than this part.
const SETTLED: f64 = 1e-3;
const MOST_ROUNDS: u32 = 20;
/// What is left of numbers that vary by one where a fit is perfect.
const ROUND_OFF: f64 = 1e-14;

/// Fits a model to measured motions. `settings` are those of its runs, whose end follows from what was measured.
///
/// ```
/// use extremal_engine::boundary::SolutionTable;
/// use extremal_engine::fit::{Experiment, FitOptions, FreeValue, fit};
/// use extremal_engine::{Model, Settings};
/// let model = Model::from_toml("parameters.k = 1\ncoordinates.x = 1\ndynamics.lagrangian = \"x'^2/2 - k*x^2/2\"\n\
///     simulation = { method = \"gauss(3)\", step = 0.05 }")?;
/// let rows = (1..=20).map(|i| 0.1 * f64::from(i)).map(|t| vec![t, (2.0 * t).cos()]).collect();
/// let table = SolutionTable { names: vec!["t".into(), "x".into()], rows };
/// let experiment = Experiment { name: "cosine".into(), table, given: Vec::new() };
/// let found = fit(&model, &Settings::of(&model), &[FreeValue::new("k")], &[experiment], &FitOptions::default(), || false)?;
/// assert!(found.converged && (found.values[0].value - 4.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// See [`FitError`].
pub fn fit(
    model: impl Into<SharedModel>,
    settings: &Settings,
    free: &[FreeValue],
    experiments: &[Experiment],
    options: &FitOptions,
    mut interrupted: impl FnMut() -> bool,
) -> Result<FittedModel, FitError> {
    let model = model.into();
    if free.is_empty() {
        return Err(FitError::NothingFree);
    }
    if let Some(FreeValue { name, min, max, .. }) =
        free.iter().find(|free| free.min.is_nan() || free.max.is_nan() || free.min >= free.max)
    {
        return Err(FitError::Bounds { name: name.clone(), min: *min, max: *max });
    }
    let columns = compared_columns(experiments, options)?;
    let mut compiled = experiments
        .iter()
        .map(|experiment| CompiledExperiment::new(&model, settings, free, experiment, &columns))
        .collect::<Result<Vec<_>, _>>()?;
    let unknowns = Unknowns::of(free, experiments);
    let mut problem = FitProblem { experiments: &mut compiled, unknowns: &unknowns, columns: columns.len() };
    let measured = problem.measured();
    let n = unknowns.list.len();
    let all: usize = measured.iter().sum();
    if all == 0 {
        return Err(FitError::NothingMeasured);
    }
    if all <= n {
        return Err(FitError::TooFew { measured: all, unknown: n });
    }
    let stated: Vec<Option<f64>> =
        columns.iter().map(|column| stated_deviation(options, column)).collect::<Result<_, _>>()?;
    let start: Vec<f64> =
        unknowns.list.iter().map(|unknown| problem.experiments[unknown.first].start_of(free, unknown.free)).collect();
    let bounds: Vec<(f64, f64)> =
        unknowns.list.iter().map(|unknown| (free[unknown.free].min, free[unknown.free].max)).collect();
    let mut deviations: Vec<f64> =
        stated.iter().enumerate().map(|(column, stated)| stated.unwrap_or_else(|| problem.spread(column))).collect();
    let (mut start, mut iterations, mut round) = (start, 0, 0);
    let found = loop {
        let found = search(start, &bounds, |values| problem.linearised(values, &deviations), &mut interrupted)?;
        (iterations, round) = (iterations + found.iterations, round + 1);
        if stated.iter().all(Option::is_some) {
            break found;
        }
        let squares = problem.squares(&found.values)?;
        // What is found from the same numbers leaves them as many fewer.
        let part = (all - n) as f64 / all as f64;
        let left = |column: usize| (squares[column] / (measured[column].max(1) as f64 * part)).sqrt();
        let next: Vec<f64> = (0..columns.len())
            .map(|column| stated[column].unwrap_or_else(|| left(column).max(ROUND_OFF * problem.spread(column))))
            .collect();
        let settled = next.iter().zip(&deviations).all(|(next, now)| (next / now - 1.0).abs() < SETTLED);
        deviations = next;
        if settled || round == MOST_ROUNDS || interrupted() {
            break found;
        }
        start = found.values;
    };
    let residuals = problem.residuals(&found.values)?;
    let found = LeastSquares { at: problem.linearised(&found.values, &deviations)?, ..found };
    let squares = problem.squares(&found.values)?;
    let described = columns.iter().enumerate().map(|(column, name)| FittedColumn {
        name: name.clone(),
        measured: measured[column],
        deviation: deviations[column],
        stated: stated[column].is_some(),
        left: (squares[column] / measured[column].max(1) as f64).sqrt(),
    });
    let fitted = Fitted { unknowns: &unknowns, free, experiments };
    let columns: Vec<FittedColumn> = described.collect();
    let found_deviations = columns.iter().any(|column| !column.stated);
    let degrees = all - n;
    let width = student::two_sided(options.confidence, found_deviations.then_some(degrees as f64));
    let (values, correlations) = fitted.values(&found, width)?;
    Ok(FittedModel {
        values,
        correlations,
        columns,
        chi_squared: found.at.cost(),
        degrees_of_freedom: degrees,
        iterations,
        converged: found.converged,
        residuals,
    })
}

/// The columns that are compared: those that were chosen, or all that were measured.
fn compared_columns(experiments: &[Experiment], options: &FitOptions) -> Result<Vec<String>, FitError> {
    let measured = |column: &String| experiments.iter().any(|experiment| experiment.table.names[1..].contains(column));
    if let Some(column) = options
        .columns
        .iter()
        .chain(options.deviations.iter().map(|(column, _)| column))
        .find(|column| !measured(column))
    {
        return Err(FitError::NotMeasured { column: column.clone() });
    }
    if !options.columns.is_empty() {
        return Ok(options.columns.clone());
    }
    let mut columns: Vec<String> = Vec::new();
    for name in experiments.iter().flat_map(|experiment| &experiment.table.names[1..]) {
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    Ok(columns)
}

fn stated_deviation(options: &FitOptions, column: &str) -> Result<Option<f64>, FitError> {
    match options.deviations.iter().find(|(name, _)| name == column) {
        Some((_, deviation)) if *deviation > 0.0 && deviation.is_finite() => Ok(Some(*deviation)),
        Some((_, deviation)) => Err(FitError::Deviation { column: column.to_owned(), deviation: *deviation }),
        None => Ok(None),
    }
}

/// One of the unknowns of the least squares.
#[derive(Clone, Copy)]
struct FitUnknown {
    free: usize,
    /// The experiment that it is of, or the first of all.
    first: usize,
    of_all: bool,
}

/// The unknowns: those of all experiments, then those of each.
struct Unknowns {
    list: Vec<FitUnknown>,
}

impl Unknowns {
    fn of(free: &[FreeValue], experiments: &[Experiment]) -> Unknowns {
        let shared = free.iter().enumerate().filter(|(_, free)| !free.each);
        let shared = shared.map(|(free, _)| FitUnknown { free, first: 0, of_all: true });
        let own = |first: usize| {
            let each = free.iter().enumerate().filter(|(_, free)| free.each);
            each.map(move |(free, _)| FitUnknown { free, first, of_all: false })
        };
        Unknowns { list: shared.chain((0..experiments.len()).flat_map(own)).collect() }
    }

    /// Where the free values of an experiment stand among the unknowns, in their order.
    fn places(&self, experiment: usize) -> Vec<usize> {
        let mut own: Vec<(usize, usize)> = self
            .list
            .iter()
            .enumerate()
            .filter(|(_, unknown)| unknown.of_all || unknown.first == experiment)
            .map(|(place, unknown)| (unknown.free, place))
            .collect();
        own.sort_unstable();
        own.into_iter().map(|(_, place)| place).collect()
    }
}

/// The least squares of a fit.
struct FitProblem<'p> {
    experiments: &'p mut [CompiledExperiment],
    unknowns: &'p Unknowns,
    columns: usize,
}

impl FitProblem<'_> {
    /// Numbers that were measured, by columns.
    fn measured(&self) -> Vec<usize> {
        (0..self.columns)
            .map(|column| self.experiments.iter().map(|experiment| experiment.measured(column).count()).sum())
            .collect()
    }

    /// How much what was measured in a column varies, to begin with.
    fn spread(&self, column: usize) -> f64 {
        let values: Vec<f64> = self
            .experiments
            .iter()
            .flat_map(|experiment| experiment.measured(column))
            .map(|(_, value)| value)
            .collect();
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
        if spread > 0.0 { spread } else { mean.abs().max(1.0) }
    }

    /// Every measured number beside what these unknowns make of it, with slopes by the unknowns.
    fn each(&mut self, values: &[f64], mut take: impl FnMut(Residual, &[usize], &[f64])) -> Result<(), FitError> {
        for (at, experiment) in self.experiments.iter_mut().enumerate() {
            let places = self.unknowns.places(at);
            let own: Vec<f64> = places.iter().map(|place| values[*place]).collect();
            experiment.compared(&own, |column, time, measured, found, slopes| {
                take(Residual { experiment: at, column, time, measured, found }, &places, slopes);
            })?;
        }
        Ok(())
    }

    fn linearised(&mut self, values: &[f64], deviations: &[f64]) -> Result<Linearised, FitError> {
        let n = values.len();
        let (mut residuals, mut slopes) = (Vec::new(), Vec::new());
        self.each(values, |residual, places, own| {
            let deviation = deviations[residual.column];
            residuals.push((residual.found - residual.measured) / deviation);
            let first = slopes.len();
            slopes.resize(first + n, 0.0);
            places.iter().zip(own).for_each(|(place, slope)| slopes[first + place] = slope / deviation);
        })?;
        Ok(Linearised { residuals, slopes })
    }

    fn residuals(&mut self, values: &[f64]) -> Result<Vec<Residual>, FitError> {
        let mut all = Vec::new();
        self.each(values, |residual, _, _| all.push(residual))?;
        Ok(all)
    }

    /// The sums of squares of what is left, by columns.
    fn squares(&mut self, values: &[f64]) -> Result<Vec<f64>, FitError> {
        let mut squares = vec![0.0; self.columns];
        self.each(values, |residual, _, _| squares[residual.column] += (residual.found - residual.measured).powi(2))?;
        Ok(squares)
    }
}

/// What was looked for, to be told.
struct Fitted<'f> {
    unknowns: &'f Unknowns,
    free: &'f [FreeValue],
    experiments: &'f [Experiment],
}

impl Fitted<'_> {
    /// What an unknown is called where it stands alone.
    fn name(&self, at: usize) -> String {
        let FitUnknown { free, first, of_all } = self.unknowns.list[at];
        let name = self.free[free].name.clone();
        if of_all { name } else { format!("{name} of {}", self.experiments[first].name) }
    }

    /// All unknowns with intervals of so many standard deviations to both sides, and their correlations.
    fn values(&self, found: &LeastSquares, width: f64) -> Result<(Vec<FittedValue>, Vec<Vec<f64>>), FitError> {
        let n = self.unknowns.list.len();
        let inverse = match covariance(&found.at.normal(n), &found.held) {
            Covariance::Known(inverse) => inverse,
            Covariance::Silent(at) => return Err(FitError::Silent { name: self.name(at) }),
            Covariance::Alike(first, second) => {
                return Err(FitError::Alike { first: self.name(first), second: self.name(second) });
            }
        };
        let deviation = |at: usize| inverse[at * n + at].sqrt();
        let value = |(at, unknown): (usize, &FitUnknown)| {
            let (value, known, reach) = (found.values[at], !found.held[at], width * deviation(at));
            FittedValue {
                name: self.free[unknown.free].name.clone(),
                experiment: (!unknown.of_all).then(|| self.experiments[unknown.first].name.clone()),
                value,
                deviation: known.then(|| deviation(at)),
                interval: known.then_some([value - reach, value + reach]),
            }
        };
        let correlation = |i: usize, j: usize| match deviation(i) * deviation(j) {
            0.0 => f64::from(u8::from(i == j)),
            size => inverse[i * n + j] / size,
        };
        let correlations = (0..n).map(|i| (0..n).map(|j| correlation(i, j)).collect()).collect();
        Ok((self.unknowns.list.iter().enumerate().map(value).collect(), correlations))
    }
}
