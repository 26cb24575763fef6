//! One row of a run, by names.

use extremal_engine::trajectory::{Columns, Role};

/// The state of a motion at one time.
///
/// ```
/// let run = extremal::Model::gallery("pendulum")?.simulate().until(1.0).run()?;
/// let end = run.end();
/// assert_eq!(end.time(), 1.0);
/// assert_eq!(end.v("theta"), end.get("theta'").unwrap());
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    columns: Columns,
    row: Vec<f64>,
}

impl State {
    pub(crate) fn new(columns: &Columns, row: Vec<f64>) -> State {
        State { columns: columns.clone(), row }
    }

    /// The time.
    pub fn time(&self) -> f64 {
        self.columns.time().map_or(f64::NAN, |index| self.row[index])
    }

    /// The names of its numbers.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name())
    }

    /// The number in a column.
    pub fn get(&self, column: &str) -> Option<f64> {
        let index = self.columns.iter().position(|known| known.name() == column)?;
        self.row.get(index).copied()
    }

    /// A coordinate.
    ///
    /// # Panics
    /// There is no such coordinate; [`State::get`] asks.
    pub fn q(&self, coordinate: &str) -> f64 {
        self.of(Role::Coordinate, coordinate)
    }

    /// The velocity of a coordinate.
    ///
    /// # Panics
    /// There is no such coordinate.
    pub fn v(&self, coordinate: &str) -> f64 {
        self.of(Role::Velocity, coordinate)
    }

    /// The momentum of a coordinate.
    ///
    /// # Panics
    /// There is no such coordinate.
    pub fn p(&self, coordinate: &str) -> f64 {
        self.of(Role::Momentum, coordinate)
    }

    /// All numbers, in the order of the columns.
    pub fn row(&self) -> &[f64] {
        &self.row
    }

    fn of(&self, role: Role, coordinate: &str) -> f64 {
        let belongs = |index: &usize| {
            let column = &self.columns[*index];
            column.owner().unwrap_or(column.name()) == coordinate
        };
        match self.columns.with_role(role).find(belongs) {
            Some(index) => self.row[index],
            None => panic!("there is no coordinate `{coordinate}`"),
        }
    }
}
