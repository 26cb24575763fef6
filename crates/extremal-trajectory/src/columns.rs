//! What the numbers of a row mean: a name and a role per column.

use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;

/// What a column is, in the eyes of a physicist; plots and summaries choose by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Role {
    /// The independent variable of a trajectory.
    Time,
    /// A number held fixed during a run, such as the varied parameter of a sweep.
    Parameter,
    /// A generalised coordinate.
    Coordinate,
    /// The time derivative of a coordinate.
    Velocity,
    /// A conjugate momentum.
    Momentum,
    /// An entropy.
    Entropy,
    /// A quantity with an equation of first order.
    State,
    /// A temperature.
    Temperature,
    /// An amount of matter.
    Amount,
    /// A chemical potential.
    Potential,
    /// A Lagrange multiplier (the reaction of a constraint).
    Multiplier,
    /// A control input.
    Control,
    /// The total energy.
    Energy,
    /// One part of the energy: kinetic, potential, internal.
    EnergyPart,
    /// Another quantity that should stay constant.
    Invariant,
    /// A quantity that was asked for by name.
    Asked,
    /// Anything else worth recording.
    Output,
}

/// A named column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    name: String,
    role: Role,
    of: Option<String>,
}

impl Column {
    /// A column with any role.
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        Self { name: name.into(), role, of: None }
    }

    /// The time column, `t`.
    pub fn time() -> Self {
        Self::new("t", Role::Time)
    }

    /// A coordinate.
    pub fn coordinate(name: impl Into<String>) -> Self {
        Self::new(name, Role::Coordinate)
    }

    /// The velocity of a coordinate, named with a prime: `x'`.
    pub fn velocity(coordinate: &str) -> Self {
        Self::new(format!("{coordinate}'"), Role::Velocity).of(coordinate)
    }

    /// The momentum conjugate to a coordinate, named `p_x`.
    pub fn momentum(coordinate: &str) -> Self {
        Self::new(format!("p_{coordinate}"), Role::Momentum).of(coordinate)
    }

    /// Says which other column this one belongs to: a momentum to its
    /// coordinate, a temperature to its entropy.
    #[must_use]
    pub fn of(mut self, owner: impl Into<String>) -> Self {
        self.of = Some(owner.into());
        self
    }

    /// The name, as written in the header of a file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The column this one belongs to, if it was said.
    pub fn owner(&self) -> Option<&str> {
        self.of.as_deref()
    }
}

/// Why a list of columns is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum ColumnsError {
    #[error("a trajectory needs at least one column")]
    Empty,
    #[error("two columns are named `{name}`")]
    Duplicate { name: String },
    #[error("`{first}` and `{second}` both claim to be the time")]
    TwoTimes { first: String, second: String },
}

/// The columns of a trajectory, in file order, with unique names. Cheap to clone.
///
/// ```
/// use extremal_trajectory::{Column, Columns, Role};
///
/// let columns = Columns::new([
///     Column::time(),
///     Column::coordinate("x"),
///     Column::velocity("x"),
///     Column::momentum("x"),
/// ])?;
/// assert_eq!(columns.names().collect::<Vec<_>>(), ["t", "x", "x'", "p_x"]);
/// assert_eq!(columns.with_role(Role::Momentum).collect::<Vec<_>>(), [3]);
/// # Ok::<(), extremal_trajectory::ColumnsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    columns: Arc<[Column]>,
}

impl Columns {
    /// Checks that names are unique and at most one column is the time.
    ///
    /// # Errors
    /// An empty list, a repeated name, or a second time column.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Result<Self, ColumnsError> {
        let columns: Arc<[Column]> = columns.into_iter().collect();
        if columns.is_empty() {
            return Err(ColumnsError::Empty);
        }
        let mut seen = std::collections::HashSet::with_capacity(columns.len());
        let mut time: Option<&Column> = None;
        for column in columns.iter() {
            if !seen.insert(column.name()) {
                return Err(ColumnsError::Duplicate { name: column.name.clone() });
            }
            if column.role == Role::Time
                && let Some(first) = time.replace(column)
            {
                return Err(ColumnsError::TwoTimes { first: first.name.clone(), second: column.name.clone() });
            }
        }
        Ok(Self { columns })
    }

    /// The number of columns, never zero.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// The columns in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Column> {
        self.columns.iter()
    }

    /// The names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(Column::name)
    }

    /// The position of the column with this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }

    /// The position of the time column.
    #[inline]
    pub fn time(&self) -> Option<usize> {
        self.with_role(Role::Time).next()
    }

    /// The positions of the columns with this role, in order.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = usize> {
        self.columns.iter().enumerate().filter(move |(_, c)| c.role == role).map(|(i, _)| i)
    }

    /// The position of the column with this role that belongs to `owner`.
    pub fn belonging_to(&self, owner: &str, role: Role) -> Option<usize> {
        self.columns.iter().position(|c| c.role == role && c.owner() == Some(owner))
    }
}

impl std::ops::Index<usize> for Columns {
    type Output = Column;

    /// The column at `index`, which must be less than [`Columns::len`].
    fn index(&self, index: usize) -> &Column {
        &self.columns[index]
    }
}

impl<'a> IntoIterator for &'a Columns {
    type Item = &'a Column;
    type IntoIter = std::slice::Iter<'a, Column>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Where the numbers of a state stand in a row, by the roles of its columns: runs of neighbours, empty where there are none.
///
/// ```
/// use extremal_trajectory::{Column, Columns, ColumnLayout};
///
/// let columns = Columns::new([Column::time(), Column::coordinate("x"), Column::coordinate("y"), Column::velocity("x")])?;
/// let layout = ColumnLayout::of(&columns);
/// assert_eq!((layout.positions, layout.velocities, layout.momenta), (1..3, 3..4, 0..0));
/// # Ok::<(), extremal_trajectory::ColumnsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnLayout {
    /// Coordinates.
    pub positions: Range<usize>,
    /// Their velocities.
    pub velocities: Range<usize>,
    /// Their momenta.
    pub momenta: Range<usize>,
    /// Entropies.
    pub entropies: Range<usize>,
    /// States of first order.
    pub states: Range<usize>,
    /// Temperatures of the entropies.
    pub temperatures: Range<usize>,
    /// Amounts of matter.
    pub amounts: Range<usize>,
    /// Controls.
    pub controls: Range<usize>,
}

impl ColumnLayout {
    /// The layout of rows under these columns.
    pub fn of(columns: &Columns) -> ColumnLayout {
        let run = |role: Role| {
            let first = columns.with_role(role).next().unwrap_or(0);
            first..first + columns.iter().skip(first).take_while(|column| column.role == role).count()
        };
        ColumnLayout {
            positions: run(Role::Coordinate),
            velocities: run(Role::Velocity),
            momenta: run(Role::Momentum),
            entropies: run(Role::Entropy),
            states: run(Role::State),
            temperatures: run(Role::Temperature),
            amounts: run(Role::Amount),
            controls: run(Role::Control),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_columns() {
        assert_eq!(Columns::new([]), Err(ColumnsError::Empty));
        let twice = Columns::new([Column::coordinate("x"), Column::new("x", Role::Output)]);
        assert_eq!(twice, Err(ColumnsError::Duplicate { name: "x".into() }));
        let times = Columns::new([Column::time(), Column::new("s", Role::Time)]);
        assert_eq!(times.unwrap_err().to_string(), "`t` and `s` both claim to be the time");
    }

    #[test]
    fn ownership_pairs_momenta_with_coordinates() {
        let columns = Columns::new([
            Column::coordinate("x"),
            Column::coordinate("y"),
            Column::momentum("y"),
            Column::momentum("x"),
        ])
        .unwrap();
        assert_eq!(columns.belonging_to("x", Role::Momentum), Some(3));
        assert_eq!(columns.belonging_to("x", Role::Velocity), None);
        assert_eq!(columns.time(), None);
    }
}
