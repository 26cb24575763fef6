//! Normal and abnormal multipliers of a control problem with states (S8).
//!
//! A multiplier with p0 = 0 is a costate that no variation of the controls meets: its slopes by all controls vanish, so that the
//! linearised map from controls to what is given at the end is not onto. For each component that is given there the costate that ends as
//! its unit vector is followed backwards through the rows of the discrete problem itself; the slopes of all of them by controls, free
//! starts and a free duration have a Gram matrix, whose rank is that of the end map.

use std::collections::HashMap;

use extremal_mechanics::boundary::{Condition, Quantity};
use extremal_solve::DenseLu;
use extremal_solve::eigen::symmetric_eigenpairs;
use extremal_solve::nlp::Nlp;

use super::solution::UnknownsReader;
use super::statement::first_state;

/// Slopes that are this part of the terms they are made of are zero.
const CANCELLED: f64 = 1e-12;
/// Below this the least eigenvalue of the scaled Gram matrix is round-off, above `INDEPENDENT` it is not.
const DEPENDENT: f64 = 1e-13;
const INDEPENDENT: f64 = 1e-9;
/// A control is at a bound within this part of its range.
const AT_BOUND: f64 = 1e-6;

/// The linearised end map along a solution.
#[derive(Clone, Debug, PartialEq)]
pub struct EndMap {
    /// How many components are given at the end.
    pub conditions: usize,
    /// Of each the mean square of its slopes by the controls: how strongly they move it.
    pub reach: Vec<f64>,
    /// The least eigenvalue of their Gram matrix, scaled to ones on its diagonal; zero where one of them is not moved at all.
    pub least: f64,
    /// Costates at the start of the multipliers with p0 = 0.
    pub abnormal: Vec<Vec<f64>>,
    /// Does a multiplier with p0 = 0 respect the bounds that hold controls? Not known where there are several.
    pub admitted: Option<bool>,
    /// Do bounds hold controls?
    pub held: bool,
}

/// What the multipliers of a solution are.
#[derive(Clone, Debug, PartialEq)]
pub enum Normality {
    /// There are none with p0 = 0: the cost has a say.
    Normal,
    /// There are some with p0 = 0; their costates at the start.
    Abnormal(Vec<Vec<f64>>),
    /// It cannot be told, for this reason.
    Undecided(&'static str),
}

impl Normality {
    /// In a word.
    pub fn name(&self) -> &'static str {
        match self {
            Normality::Normal => "normal",
            Normality::Abnormal(_) => "abnormal",
            Normality::Undecided(_) => "undecided",
        }
    }
}

impl EndMap {
    /// What the end maps of a solution and of the one on another grid say.
    pub fn normality(&self, other: Option<&EndMap>) -> Normality {
        let Some(other) = other else { return Normality::Undecided("there is no other grid to compare with") };
        match (self.is_normal(), other.is_normal()) {
            (Some(true), Some(true)) if self.changes(other) => {
                Normality::Undecided("the linearised end map changes with the grid")
            }
            (Some(true), Some(true)) => Normality::Normal,
            (Some(false), Some(false)) if self.abnormal.len() == other.abnormal.len() => {
                Normality::Abnormal(self.abnormal.clone())
            }
            (Some(_), Some(_)) => Normality::Undecided("the rank of the linearised end map changes with the grid"),
            _ => Normality::Undecided(
                "the linearised end map is nearly singular, or bounds hold several candidates back",
            ),
        }
    }

    /// What this grid alone says.
    fn is_normal(&self) -> Option<bool> {
        match self.abnormal.len() {
            0 => (self.least >= INDEPENDENT).then_some(true),
            _ => self.admitted.map(|admitted| !admitted),
        }
    }

    /// By more than a factor of four from grid to grid, which no map does that converges?
    fn changes(&self, other: &EndMap) -> bool {
        let apart = |a: f64, b: f64| !(0.25..=4.0).contains(&(a / b));
        // Where a bound holds all controls but those of a switch, what is left of the map is the grid's.
        if self.held || other.held {
            return false;
        }
        apart(self.least, other.least) || self.reach.iter().zip(&other.reach).any(|(a, b)| apart(*a, *b))
    }
}

impl UnknownsReader<'_, '_> {
    /// The linearised end map; `None` where it is not known how to follow a costate: beside mechanical coordinates, entropies,
    /// integrals, points in between, conditions on expressions, or where a bound holds a state.
    pub fn end_map(&self) -> Option<EndMap> {
        let problem = self.problem;
        let heat = &problem.system.heat;
        let plain = problem.system.is_empty() && heat.entropies().is_empty() && !heat.states().is_empty();
        let statement = &problem.statement;
        let held = self.at_bounds();
        let bound =
            |at: &usize| matches!(self.discrete.layout.variables[*at].0, Quantity::State(_) | Quantity::Duration);
        let asked = statement.integrals.is_empty()
            && !statement.has_conditions()
            && statement.via.is_empty()
            && !held.keys().any(bound);
        if !plain || !asked || self.found.last.infeasibility.is_nan() {
            return None;
        }
        let given: Vec<usize> =
            statement.end.iter().map(|value| value.coordinate - first_state(problem.model)).collect();
        let adjoint = Adjoint::of(self);
        let followed: Vec<Followed> =
            given.iter().map(|state| adjoint.follow(*state)).collect::<Option<Vec<Followed>>>()?;
        Some(adjoint.assess(&followed, &held))
    }

    /// Unknowns at a bound, and whether it is the upper one.
    fn at_bounds(&self) -> HashMap<usize, bool> {
        let bounds = &self.discrete.bounds;
        let mut held = HashMap::new();
        for (at, x) in self.found.x.iter().enumerate() {
            let (lower, upper) = (bounds.lower[at], bounds.upper[at]);
            let range = if (upper - lower).is_finite() { upper - lower } else { x.abs().max(1.0) };
            let near = |bound: f64| lower < upper && (x - bound).abs() <= AT_BOUND * range;
            if near(upper) {
                held.insert(at, true);
            } else if near(lower) {
                held.insert(at, false);
            }
        }
        held
    }
}

/// The rows of the discrete problem, linearised, in columns.
struct Adjoint<'r, 'p, 'm> {
    reader: &'r UnknownsReader<'p, 'm>,
    columns: Vec<Vec<(usize, f64)>>,
    variables: HashMap<(Quantity, usize), usize>,
    rows: HashMap<(Condition, usize), usize>,
    states: usize,
    stages: usize,
}

/// A costate followed to the start.
struct Followed {
    /// Its slopes by all unknowns, and the sizes of the terms that they are made of.
    slopes: Vec<(f64, f64)>,
    start: Vec<f64>,
}

impl<'r, 'p, 'm> Adjoint<'r, 'p, 'm> {
    fn of(reader: &'r UnknownsReader<'p, 'm>) -> Self {
        let layout = &reader.discrete.layout;
        let mut nlp = reader.problem.pieces.with_elements(layout.elements.clone(), reader.discrete.bounds.clone());
        let pattern = nlp.jacobian_pattern();
        let mut values = vec![0.0; pattern.len()];
        nlp.jacobian(&reader.found.x, &mut values);
        let mut columns = vec![Vec::new(); reader.found.x.len()];
        for ((row, column), value) in pattern.into_iter().zip(values) {
            columns[column].push((row, value));
        }
        let states = reader.problem.system.heat.states().len();
        let rates = |q: &&Quantity| matches!(q, Quantity::StateRate { .. });
        Adjoint {
            columns,
            variables: layout.variables.iter().enumerate().map(|(at, variable)| (*variable, at)).collect(),
            rows: layout.rows.iter().enumerate().map(|(at, row)| (*row, at)).collect(),
            states,
            stages: reader.problem.transcription.step.iter().filter(rates).count() / states,
            reader,
        }
    }

    /// The costate that ends as the unit vector of a state. `None` where a step cannot be followed.
    fn follow(&self, state: usize) -> Option<Followed> {
        let (m, steps) = (self.states, self.reader.steps());
        let mut y = vec![0.0; self.reader.discrete.layout.rows.len()];
        let mut costate = unit(m, state);
        let mut lu = DenseLu::new(self.stages * m);
        for step in (0..steps).rev() {
            for (k, p) in costate.iter().enumerate() {
                y[*self.rows.get(&(Condition::StateStep(k), step))?] = *p;
            }
            let inner: Vec<(usize, usize)> =
                (0..self.stages).flat_map(|stage| (0..m).map(move |k| (stage, k))).collect();
            let rates = inner.iter().map(|(stage, state)| {
                let column = self.variables.get(&(Quantity::StateRate { stage: *stage, state: *state }, step));
                let row = self.rows.get(&(Condition::StageRate { stage: *stage, state: *state }, step));
                Some((*column?, *row?))
            });
            let (rates, rows): (Vec<usize>, Vec<usize>) = rates.collect::<Option<Vec<_>>>()?.into_iter().unzip();
            let place: HashMap<usize, usize> = rows.iter().enumerate().map(|(at, row)| (*row, at)).collect();
            let size = rates.len();
            let (mut matrix, mut right) = (vec![0.0; size * size], vec![0.0; size]);
            for (equation, column) in rates.iter().enumerate() {
                for (row, value) in &self.columns[*column] {
                    match place.get(row) {
                        Some(unknown) => matrix[equation * size + *unknown] += value,
                        None => right[equation] -= value * y[*row],
                    }
                }
            }
            lu.factor(&matrix).ok()?;
            lu.solve(&mut right);
            rows.iter().zip(right).for_each(|(row, value)| y[*row] = value);
            let here = |k: usize| self.variables.get(&(Quantity::State(k), step));
            let passed = |column: &usize| -> f64 {
                let of_step = |row: &usize| self.reader.discrete.layout.rows[*row].1 == step;
                self.columns[*column].iter().filter(|(row, _)| of_step(row)).map(|(row, value)| -value * y[*row]).sum()
            };
            costate = (0..m).map(|k| here(k).map(passed)).collect::<Option<Vec<f64>>>()?;
        }
        let slope = |column: &Vec<(usize, f64)>| {
            let terms = || column.iter().map(|(row, value)| value * y[*row]);
            (terms().sum(), terms().map(f64::abs).sum())
        };
        Some(Followed { slopes: self.columns.iter().map(slope).collect(), start: costate })
    }

    /// The rank of the end map from the costates of its components.
    fn assess(&self, followed: &[Followed], held: &HashMap<usize, bool>) -> EndMap {
        let r = followed.len();
        let (mut gram, mut sizes) = (vec![vec![0.0; r]; r], vec![0.0; r]);
        for (at, (quantity, k)) in self.reader.discrete.layout.variables.iter().enumerate() {
            let Some(weight) = self.weight(*quantity, *k, at).filter(|_| !held.contains_key(&at)) else { continue };
            for i in 0..r {
                let (slope, terms) = followed[i].slopes[at];
                sizes[i] += weight * terms * terms;
                for j in 0..r {
                    gram[i][j] += weight * slope * followed[j].slopes[at].0;
                }
            }
        }
        let reach: Vec<f64> = (0..r).map(|i| gram[i][i]).collect();
        let moved: Vec<usize> = (0..r).filter(|i| reach[*i] > CANCELLED * CANCELLED * sizes[*i]).collect();
        let scaled = |i: usize, j: usize| gram[i][j] / (reach[i] * reach[j]).sqrt();
        let matrix: Vec<f64> = moved.iter().flat_map(|i| moved.iter().map(|j| scaled(*i, *j))).collect();
        let pairs = symmetric_eigenpairs(&matrix, moved.len());
        let least = pairs.iter().map(|(value, _)| *value).fold(1.0, f64::min);
        let mut directions: Vec<Vec<f64>> = (0..r).filter(|i| !moved.contains(i)).map(|i| unit(r, i)).collect();
        for (_, vector) in pairs.iter().filter(|(value, _)| *value < DEPENDENT) {
            let mut direction = vec![0.0; r];
            for (i, component) in moved.iter().zip(vector) {
                direction[*i] = component / reach[*i].sqrt();
            }
            directions.push(direction);
        }
        let at_start = |direction: &Vec<f64>| -> Vec<f64> {
            let sum = |k: usize| followed.iter().zip(direction).map(|(f, c)| c * f.start[k]).sum::<f64>();
            let costate: Vec<f64> = (0..self.states).map(sum).collect();
            let largest = costate.iter().fold(0.0, |most: f64, p| most.max(p.abs()));
            costate.iter().map(|p| if largest > 0.0 { p / largest } else { *p }).collect()
        };
        let admitted = match (directions.len(), held.is_empty()) {
            (_, true) => Some(true),
            (0, _) => Some(true),
            (1, false) => Some(self.is_admitted(followed, &directions[0], held)),
            _ => None,
        };
        let least = if moved.len() < r { 0.0 } else { least.max(0.0) };
        let abnormal = directions.iter().map(at_start).collect();
        EndMap { conditions: r, reach, least, abnormal, admitted, held: !held.is_empty() }
    }

    /// With one of its signs: at a lower bound the slope does not fall, at an upper one it does not grow.
    fn is_admitted(&self, followed: &[Followed], direction: &[f64], held: &HashMap<usize, bool>) -> bool {
        let slope = |at: usize| followed.iter().zip(direction).map(|(f, c)| c * f.slopes[at].0).sum::<f64>();
        let slopes: Vec<f64> = held.iter().map(|(at, upper)| if *upper { -slope(*at) } else { slope(*at) }).collect();
        let slack = CANCELLED * slopes.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
        slopes.iter().all(|slope| *slope >= -slack) || slopes.iter().all(|slope| *slope <= slack)
    }

    /// What is varied, weighted so that sums are integrals: controls, starts that are free, a free duration.
    fn weight(&self, quantity: Quantity, node: usize, at: usize) -> Option<f64> {
        let bounds = &self.reader.discrete.bounds;
        match quantity {
            Quantity::Control(_) | Quantity::StageControl { .. } => {
                let length = self.reader.time(node + 1) - self.reader.time(node);
                Some(1.0 / length)
            }
            Quantity::NodeControl(_) => {
                let time = |instant: usize| self.reader.time(instant);
                Some(2.0 / (time(node + 1) - time(node.saturating_sub(1))))
            }
            Quantity::State(_) if node == 0 && bounds.lower[at] < bounds.upper[at] => Some(1.0),
            Quantity::Duration | Quantity::Unknown(_) => Some(1.0),
            _ => None,
        }
    }
}

fn unit(length: usize, at: usize) -> Vec<f64> {
    (0..length).map(|k| f64::from(u8::from(k == at))).collect()
}
