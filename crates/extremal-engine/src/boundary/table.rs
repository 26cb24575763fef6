//! A table of values over time, as a solution leaves it and a warm start takes it.

use extremal_trajectory::csv_lines;
use serde_json::Value;
use thiserror::Error;

/// Named columns over increasing times; the first column is the time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolutionTable {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Rows of numbers.
    pub rows: Vec<Vec<f64>>,
}

/// A text that is no table.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum TableError {
    #[error("it is neither CSV with a header nor JSON as `extremal solve` writes them")]
    Format,
    #[error("line {line}: `{cell}` is not a number")]
    Cell { line: usize, cell: String },
    #[error("row {row} has {found} values, there are {expected} columns")]
    Ragged { row: usize, found: usize, expected: usize },
    #[error("it needs at least two rows with increasing times in the first column")]
    Times,
}

impl SolutionTable {
    /// Reads CSV with a header, or JSON with `columns` (and `rows`), as `--out` and `--json` write them.
    ///
    /// ```
    /// use extremal_engine::boundary::SolutionTable;
    /// let csv = SolutionTable::read("t,x\n0,1\n1,3\n")?;
    /// assert_eq!(csv.at("x", 0.25, false), Some(1.5));
    /// let json = SolutionTable::read(r#"{"columns": {"t": [0, 1], "x": [1, 3]}}"#)?;
    /// assert_eq!(csv, json);
    /// # Ok::<(), extremal_engine::boundary::TableError>(())
    /// ```
    pub fn read(text: &str) -> Result<SolutionTable, TableError> {
        let table = match serde_json::from_str::<Value>(text) {
            Ok(value) => from_json(&value)?,
            Err(_) => from_csv(text)?,
        };
        for (at, row) in table.rows.iter().enumerate() {
            if row.len() != table.names.len() {
                return Err(TableError::Ragged { row: at + 1, found: row.len(), expected: table.names.len() });
            }
        }
        let increasing = table.rows.windows(2).all(|pair| pair[0][0] < pair[1][0]);
        if table.rows.len() < 2 || table.names.is_empty() || !increasing {
            return Err(TableError::Times);
        }
        Ok(table)
    }

    /// From the first time to the last.
    pub fn duration(&self) -> f64 {
        match (self.rows.first(), self.rows.last()) {
            (Some(first), Some(last)) => last[0] - first[0],
            _ => 0.0,
        }
    }

    /// The value of a column at a part of the duration: on the straight line between two rows, or that of the row before.
    /// `None` if there is no such column, or no number there.
    pub fn at(&self, name: &str, fraction: f64, constant_in_steps: bool) -> Option<f64> {
        let column = self.names.iter().position(|known| known == name)?;
        let time = self.rows.first()?[0] + fraction * self.duration();
        let after = self.rows.partition_point(|row| row[0] <= time).clamp(1, self.rows.len() - 1);
        let (left, right) = (&self.rows[after - 1], &self.rows[after]);
        let part = if constant_in_steps { 0.0 } else { (time - left[0]) / (right[0] - left[0]) };
        let value = left[column] + part * (right[column] - left[column]);
        value.is_finite().then_some(value)
    }
}

fn from_csv(text: &str) -> Result<SolutionTable, TableError> {
    let mut lines = csv_lines(text);
    let (_, names) = lines.next().ok_or(TableError::Format)?;
    if names.iter().any(|name| name.is_empty() || name.parse::<f64>().is_ok()) {
        return Err(TableError::Format);
    }
    let number = |line: usize, cell: &str| match cell {
        "" => Ok(f64::NAN),
        text => text.parse().map_err(|_| TableError::Cell { line, cell: text.to_owned() }),
    };
    let rows = lines.map(|(line, cells)| cells.iter().map(|cell| number(line, cell)).collect());
    let rows = rows.collect::<Result<_, _>>()?;
    Ok(SolutionTable { names: names.into_iter().map(Into::into).collect(), rows })
}

fn from_json(value: &Value) -> Result<SolutionTable, TableError> {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let array = |value: &Value| value.as_array().map(|values| values.iter().map(number).collect::<Vec<f64>>());
    match (&value["columns"], &value["rows"]) {
        (Value::Array(names), Value::Array(rows)) => {
            let names: Option<Vec<String>> = names.iter().map(|name| name.as_str().map(str::to_owned)).collect();
            let rows: Option<Vec<Vec<f64>>> = rows.iter().map(array).collect();
            Ok(SolutionTable { names: names.ok_or(TableError::Format)?, rows: rows.ok_or(TableError::Format)? })
        }
        (Value::Object(columns), _) => {
            let names: Vec<String> = columns.keys().cloned().collect();
            let columns: Option<Vec<Vec<f64>>> = columns.values().map(array).collect();
            let columns = columns.ok_or(TableError::Format)?;
            let length = columns.iter().map(Vec::len).max().unwrap_or(0);
            let cell = |column: &Vec<f64>, row: usize| column.get(row).copied().unwrap_or(f64::NAN);
            let rows = (0..length).map(|row| columns.iter().map(|column| cell(column, row)).collect()).collect();
            let mut table = SolutionTable { names, rows };
            // An object has no order: it has to be said which column is the time.
            let time = value["independent"].as_str().unwrap_or("t");
            if let Some(time) = table.names.iter().position(|name| name == time) {
                table.names.swap(0, time);
                table.rows.iter_mut().for_each(|row| row.swap(0, time));
            }
            Ok(table)
        }
        _ => Err(TableError::Format),
    }
}
