//! `[tables]`: functions of one argument that are given by numbers, here or in a file.

use std::fs;
use std::path::{Path, PathBuf};

use extremal_expr::{Interpolation, OutsideTable, TableFunction};

use super::{ModelTable, Statements};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::resolver::Resolver;
use crate::suggest::help_for;
use crate::text::SourceText;

/// The most bytes that a file of numbers may have.
const MAX_TABLE_BYTES: u64 = 64 << 20;

/// `road = { file = "road.csv", x = "s", y = "z", interpolation = "cubic", outside = "hold" }`, or with lists of numbers.
#[derive(Default)]
pub(crate) struct TabulatedStatement {
    name: Name,
    file: Option<SourceText>,
    x: Option<TableColumn>,
    y: Option<TableColumn>,
    interpolation: Option<Interpolation>,
    outside: Option<OutsideTable>,
}

/// Numbers, or the name of a column that has them.
enum TableColumn {
    Named(SourceText),
    Numbers(Vec<f64>, Span),
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "tables",
    sentence: "functions of one argument that are given by numbers: `road = { file = \"road.csv\", x = \"s\", y = \"z\" }`, or `x` and `y` as lists of numbers. They are called like functions, `road(x)`; `road'(x)` is the derivative by the argument, that of the same pieces",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| {
        for entry in entries {
            let mut statement = TabulatedStatement { name: entry.name.clone(), ..TabulatedStatement::default() };
            if let Some(entries) = reader.table(&entry) {
                reader.fill(entries, FIELDS, &mut statement);
                into.tabulated.push(statement);
            }
        }
    },
};

const FIELDS: &[TableField<TabulatedStatement>] = &[
    field(
        "file",
        "a file of numbers in columns with a line of names above them, separated by commas, semicolons, tabs or spaces; its path is relative to the model file",
        |reader, entry, into| into.file = reader.string(entry),
    ),
    field(
        "x",
        "the arguments, in increasing order: the name of a column, the first one unless it is said, or a list of numbers",
        |reader, entry, into| {
            into.x = column(reader, entry);
        },
    ),
    field(
        "y",
        "the values: the name of a column, the second one unless it is said, or a list of numbers",
        |reader, entry, into| {
            into.y = column(reader, entry);
        },
    ),
    field(
        "interpolation",
        "`cubic` (the default: a spline with two continuous derivatives), `linear`, `monotone` (cubic pieces without new hills), `periodic` (a spline that repeats itself; the last value is the first again) or `constant` (each value up to the next)",
        |reader, entry, into| {
            let unknown = |word: &str| format!("there is no interpolation `{word}`");
            let found = reader.choice(entry, Interpolation::ALL, Interpolation::name, "there are", unknown);
            into.interpolation = found.map(|(choice, _)| choice);
        },
    ),
    field(
        "outside",
        "what holds below the first argument and above the last: `error` (the default: there is no value, and the motion ends), `hold` (the value at the end) or `extend` (straight on)",
        |reader, entry, into| {
            let unknown = |word: &str| format!("`{word}` does not say what a table is outside of its range");
            let found = reader.choice(entry, OutsideTable::ALL, OutsideTable::name, "it can be", unknown);
            into.outside = found.map(|(choice, _)| choice);
        },
    ),
];

fn column<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Option<TableColumn> {
    match reader.series(entry)? {
        ScalarSeries::One(Scalar::Text(name)) => Some(TableColumn::Named(name)),
        ScalarSeries::List { items, span } => {
            let mut numbers = Vec::with_capacity(items.len());
            for item in items {
                match item {
                    Scalar::Number { value, .. } => numbers.push(value.to_f64()),
                    Scalar::Text(text) => {
                        let message = format!("a table has numbers, not expressions such as `{}`", text.value);
                        reader.problems.push(Diagnostic::error(Code::WrongType, message).at(text.span, ""));
                        return None;
                    }
                }
            }
            Some(TableColumn::Numbers(numbers, span))
        }
        ScalarSeries::One(number) => {
            reader.problems.push(
                Diagnostic::error(Code::WrongType, format!("`{}` is one number", entry.name.text))
                    .at(number.span(), "")
                    .help("a table has a list of them, or the name of a column of its file"),
            );
            None
        }
    }
}

impl Statements {
    /// Adds a table of values by a name like this one, which is returned.
    pub(crate) fn add_table(&mut self, like: &str, points: &[[f64; 2]], interpolation: Interpolation) -> String {
        let mut text: String = like.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        while self.tabulated.iter().any(|table| table.name.text == text) {
            text.push('_');
        }
        let column = |at: usize| Some(TableColumn::Numbers(points.iter().map(|point| point[at]).collect(), 0..0));
        self.tabulated.push(TabulatedStatement {
            name: Name { text: text.clone(), span: 0..0 },
            x: column(0),
            y: column(1),
            interpolation: Some(interpolation),
            outside: Some(OutsideTable::Hold),
            ..TabulatedStatement::default()
        });
        text
    }
}

/// Declares all tables; files are looked for in `folder`.
pub(crate) fn resolve(resolver: &mut Resolver<'_, '_>, statements: &[TabulatedStatement], folder: Option<&Path>) {
    for statement in statements {
        if !resolver.admit(&statement.name, "table") {
            continue;
        }
        let function = read(statement, folder);
        if let Err(diagnostic) = &function {
            resolver.problems.push(diagnostic.clone());
        }
        // One that is wrong has been reported; its uses are not to blame.
        let function = function.ok().or_else(|| {
            let (interpolation, outside) = (Interpolation::Constant, OutsideTable::Hold);
            TableFunction::through(&statement.name.text, &[0.0], &[1.0], interpolation, outside).ok()
        });
        if let Some(function) = function {
            resolver.names.declare_table(&statement.name.text, function, statement.name.span.clone());
        }
    }
}

fn read(statement: &TabulatedStatement, folder: Option<&Path>) -> Result<TableFunction, Diagnostic> {
    let name = &statement.name;
    let (x, y) = match (&statement.file, &statement.x, &statement.y) {
        (None, Some(TableColumn::Numbers(x, _)), Some(TableColumn::Numbers(y, _))) => (x.clone(), y.clone()),
        (None, _, _) => {
            let message = format!("the table `{}` has no numbers", name.text);
            let help = "give it a file, or lists of numbers: x = [0, 1], y = [0, 2]";
            return Err(Diagnostic::error(Code::Missing, message).at(name.span.clone(), "").help(help));
        }
        (Some(_), Some(TableColumn::Numbers(_, span)), _) | (Some(_), _, Some(TableColumn::Numbers(_, span))) => {
            let message = format!("the table `{}` has numbers here and in a file", name.text);
            let help = "beside a file, x and y are names of its columns";
            return Err(Diagnostic::error(Code::Conflict, message).at(span.clone(), "").help(help));
        }
        (Some(file), x, y) => columns_of(file, [x.as_ref(), y.as_ref()], folder)?,
    };
    let (interpolation, outside) =
        (statement.interpolation.unwrap_or(Interpolation::Cubic), statement.outside.unwrap_or(OutsideTable::Error));
    if interpolation == Interpolation::Periodic && statement.outside.is_some() {
        let message = format!("the table `{}` repeats itself and has no outside", name.text);
        return Err(Diagnostic::error(Code::Conflict, message).at(name.span.clone(), "").help("leave `outside` out"));
    }
    TableFunction::through(&name.text, &x, &y, interpolation, outside).map_err(|problem| {
        let message = format!("no function goes through the table `{}`: {problem}", name.text);
        Diagnostic::error(Code::InvalidTable, message).at(name.span.clone(), "")
    })
}

/// Two columns of a file.
fn columns_of(
    file: &SourceText,
    asked: [Option<&TableColumn>; 2],
    folder: Option<&Path>,
) -> Result<(Vec<f64>, Vec<f64>), Diagnostic> {
    let wrong = |message: String| Diagnostic::error(Code::InvalidTable, message).at(file.span.clone(), "");
    let Some(folder) = folder else {
        let message = format!("a text of a model alone cannot say where `{}` is", file.value);
        return Err(wrong(message).help("read the model from a file, or state the numbers in x and y"));
    };
    let path: PathBuf = folder.join(&file.value);
    let size = fs::metadata(&path).map(|data| data.len());
    if size.as_ref().is_ok_and(|bytes| *bytes > MAX_TABLE_BYTES) {
        return Err(wrong(format!("`{}` has more than {MAX_TABLE_BYTES} bytes", file.value)));
    }
    let text = size.and_then(|_| fs::read_to_string(&path));
    let text = text.map_err(|error| wrong(format!("cannot read `{}`: {error}", path.display())))?;
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let Some((_, header)) = lines.next() else {
        return Err(wrong(format!("`{}` is empty", file.value)));
    };
    let separator = [',', ';', '\t'].into_iter().find(|sign| header.contains(*sign));
    let names = cells(header, separator);
    if names.iter().any(|name| name.parse::<f64>().is_ok()) {
        let diagnostic = wrong(format!("`{}` has no names above its columns", file.value));
        return Err(diagnostic.help("write them into its first line, such as s,z"));
    }
    let mut places = [0, 1];
    for (place, column) in places.iter_mut().zip(asked) {
        let Some(TableColumn::Named(text)) = column else { continue };
        let found = names.iter().position(|name| **name == text.value);
        *place = found.ok_or_else(|| {
            let message = format!("`{}` has no column `{}`", file.value, text.value);
            let help = help_for(&text.value, "its columns are", names.iter().copied());
            Diagnostic::error(Code::InvalidTable, message).at(text.span.clone(), "").maybe_help(help)
        })?;
    }
    let mut columns = (Vec::new(), Vec::new());
    for (line, row) in lines {
        let row = cells(row, separator);
        let number = |place: usize| {
            let cell = row.get(place).copied().unwrap_or("");
            let message = || format!("`{}`, line {}: `{cell}` is not a number", file.value, line + 1);
            cell.parse::<f64>().map_err(|_| wrong(message()))
        };
        columns.0.push(number(places[0])?);
        columns.1.push(number(places[1])?);
    }
    Ok(columns)
}

/// What stands between separators, or between spaces.
fn cells(line: &str, separator: Option<char>) -> Vec<&str> {
    match separator {
        Some(separator) => line.split(separator).map(|cell| cell.trim().trim_matches('"')).collect(),
        None => line.split_whitespace().collect(),
    }
}

/// Warns of tables that nothing calls.
pub(crate) fn warn_unused(resolver: &mut Resolver<'_, '_>) {
    for (name, span) in resolver.names.unused_tables() {
        let message = format!("the table `{name}` is never called");
        resolver.problems.push(Diagnostic::warning(Code::UnusedDefinition, message).at(span, ""));
    }
}
