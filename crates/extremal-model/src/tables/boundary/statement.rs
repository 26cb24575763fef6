//! `[boundary]` as written.

use super::super::assignments::{self, Assignment};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Entry, Key, Name, Reader, Scalar, Series, key};
use crate::text::Text;

/// The table as written.
pub(crate) struct BoundaryStatement {
    /// Its name.
    pub span: Span,
    pub independent: Option<Text>,
    pub from: Option<Scalar>,
    pub to: Option<Scalar>,
    pub duration: Option<DurationStatement>,
    /// Was there a duration or an end, perhaps in error?
    pub is_timed: bool,
    pub steps: Option<Scalar>,
    pub start: Vec<Assignment>,
    pub end: Vec<Assignment>,
    pub via: Vec<WaypointStatement>,
    pub periodic: Option<PeriodicStatement>,
    pub path: Vec<PathStatement>,
    pub integrals: Vec<(Name, Scalar)>,
    pub guess: Vec<Assignment>,
    pub grading: Option<GradingStatement>,
}

/// `{ start = 6, end = 1 }`: how fast steps shrink towards each end.
pub(crate) struct GradingStatement {
    pub start: Option<Scalar>,
    pub end: Option<Scalar>,
}

/// `2.0`, or `{ min = 0.5, max = 5.0, guess = 2.0 }`.
pub(crate) enum DurationStatement {
    Fixed(Scalar),
    Free { span: Span, min: Option<Scalar>, max: Option<Scalar>, guess: Option<Scalar> },
}

impl DurationStatement {
    pub fn span(&self) -> Span {
        match self {
            DurationStatement::Fixed(scalar) => scalar.span(),
            DurationStatement::Free { span, .. } => span.clone(),
        }
    }
}

/// `{ t = 0.5, x = 1.0 }`: when, and where.
pub(crate) struct WaypointStatement {
    pub span: Span,
    pub values: Vec<Assignment>,
}

/// `true`, or a list of coordinates.
pub(crate) enum PeriodicStatement {
    All,
    Some(Vec<Text>),
}

/// `x = { min = 0, max = 1 }`.
pub(crate) struct PathStatement {
    pub key: Text,
    pub min: Option<Series>,
    pub max: Option<Series>,
}

pub(crate) const KEYS: &[Key] = &[
    key("independent", "the name of the independent variable, `t` if not stated: with `\"x\"`, `y'` is dy/dx"),
    key("from", "where it begins, 0 if not stated"),
    key("to", "where it ends, instead of `duration`"),
    key("duration", "how long it takes; `{ min = 0.5, max = 5, guess = 2 }` is to be found"),
    key("steps", "of the grid, 100 if not stated"),
    key(
        "grading",
        "`{ start = 3, end = 1 }`: steps shrink towards an end by this power; unless given, towards an end where the Lagrangian has no finite value",
    ),
    key("start", "what is given at the start: `{ x = 0, \"x'\" = \"v0\" }`; what is not given is free"),
    key("end", "what is given at the end, of entropies too"),
    key(
        "via",
        "points in between, at a time or after a part of the duration: `[{ t = 0.5, x = 1 }, { s = 0.75, x = 2 }]`",
    ),
    key("periodic", "`true`, or the coordinates that end as they began: `[\"x\", \"y\"]`"),
    key("path", "bounds along the way: `{ x = { min = 0 }, \"x'\" = { max = 1 } }`"),
    key("integrals", "`{ length = \"sqrt(1 + y'^2) = 3\" }`: what is integrated over the motion, and what comes out"),
    key("guess", "where the search begins: expressions of the independent variable and of `s`, its elapsed part"),
];
const DURATION_KEYS: &[Key] =
    &[key("min", "the shortest"), key("max", "the longest"), key("guess", "where the search begins")];
const PATH_KEYS: &[Key] = &[key("min", "the lower bound"), key("max", "the upper bound")];
const GRADING_KEYS: &[Key] = &[key("start", "at the start"), key("end", "at the end")];

pub(crate) fn read<'t>(reader: &mut Reader<'t, '_>, table: &Entry<'t>, entries: Vec<Entry<'t>>) -> BoundaryStatement {
    let mut statement = BoundaryStatement {
        span: table.name.span.clone(),
        independent: None,
        from: None,
        to: None,
        duration: None,
        is_timed: false,
        steps: None,
        start: Vec::new(),
        end: Vec::new(),
        via: Vec::new(),
        periodic: None,
        path: Vec::new(),
        integrals: Vec::new(),
        guess: Vec::new(),
        grading: None,
    };
    for entry in entries {
        match entry.name.text.as_str() {
            "independent" => statement.independent = reader.string(&entry),
            "from" => statement.from = reader.scalar(&entry),
            "to" => {
                statement.is_timed = true;
                statement.to = reader.scalar(&entry);
            }
            "duration" => {
                statement.is_timed = true;
                statement.duration = read_duration(reader, &entry);
            }
            "steps" => statement.steps = reader.scalar(&entry),
            "start" => statement.start = read_assignments(reader, &entry),
            "end" => statement.end = read_assignments(reader, &entry),
            "via" => statement.via = read_via(reader, &entry),
            "periodic" => statement.periodic = read_periodic(reader, &entry),
            "path" => statement.path = read_path(reader, &entry),
            "integrals" => statement.integrals = read_integrals(reader, &entry),
            "guess" => statement.guess = read_assignments(reader, &entry),
            "grading" => statement.grading = read_grading(reader, &entry),
            _ => reader.unknown_key(&entry, KEYS),
        }
    }
    statement
}

fn read_assignments<'t>(reader: &mut Reader<'t, '_>, entry: &Entry<'t>) -> Vec<Assignment> {
    let entries = reader.table(entry).unwrap_or_default();
    assignments::read(reader, entries)
}

fn read_duration<'t>(reader: &mut Reader<'t, '_>, entry: &Entry<'t>) -> Option<DurationStatement> {
    if !reader.is_table(entry) {
        return reader.scalar(entry).map(DurationStatement::Fixed);
    }
    let (mut min, mut max, mut guess) = (None, None, None);
    for entry in reader.table(entry)? {
        match entry.name.text.as_str() {
            "min" => min = reader.scalar(&entry),
            "max" => max = reader.scalar(&entry),
            "guess" => guess = reader.scalar(&entry),
            _ => reader.unknown_key(&entry, DURATION_KEYS),
        }
    }
    Some(DurationStatement::Free { span: entry.value_span(), min, max, guess })
}

fn read_grading<'t>(reader: &mut Reader<'t, '_>, entry: &Entry<'t>) -> Option<GradingStatement> {
    let mut grading = GradingStatement { start: None, end: None };
    for entry in reader.table(entry)? {
        match entry.name.text.as_str() {
            "start" => grading.start = reader.scalar(&entry),
            "end" => grading.end = reader.scalar(&entry),
            _ => reader.unknown_key(&entry, GRADING_KEYS),
        }
    }
    Some(grading)
}

fn read_via<'t>(reader: &mut Reader<'t, '_>, entry: &Entry<'t>) -> Vec<WaypointStatement> {
    let items = reader.list(entry);
    let items = items.as_deref().unwrap_or(std::slice::from_ref(entry));
    let mut waypoints = Vec::new();
    for item in items {
        if let Some(entries) = reader.table(item) {
            waypoints.push(WaypointStatement { span: item.value_span(), values: assignments::read(reader, entries) });
        }
    }
    waypoints
}

fn read_periodic<'t>(reader: &mut Reader<'t, '_>, entry: &Entry<'t>) -> Option<PeriodicStatement> {
    if let Some(all) = reader.as_boolean(entry) {
        return all.then_some(PeriodicStatement::All);
    }
    if !reader.is_string_or_list(entry) {
        reader.wrong_type(entry, "true or a list of coordinates", None);
        return None;
    }
    reader.strings(entry).map(PeriodicStatement::Some)
}

fn read_path<'t>(reader: &mut Reader<'t, '_>, entry: &Entry<'t>) -> Vec<PathStatement> {
    let mut bounds = Vec::new();
    for entry in reader.table(entry).unwrap_or_default() {
        let mut statement = PathStatement { key: reader.key(&entry), min: None, max: None };
        let Some(entries) = reader.table(&entry) else { continue };
        if entries.is_empty() {
            let message = format!("{} has neither `min` nor `max`", entry.full_path());
            reader.problems.push(Diagnostic::error(Code::Missing, message).at(entry.value_span(), ""));
        }
        for entry in entries {
            match entry.name.text.as_str() {
                "min" => statement.min = reader.series(&entry),
                "max" => statement.max = reader.series(&entry),
                _ => reader.unknown_key(&entry, PATH_KEYS),
            }
        }
        bounds.push(statement);
    }
    bounds
}

fn read_integrals<'t>(reader: &mut Reader<'t, '_>, entry: &Entry<'t>) -> Vec<(Name, Scalar)> {
    let mut integrals = Vec::new();
    for entry in reader.table(entry).unwrap_or_default() {
        if let Some(equation) = reader.scalar(&entry) {
            integrals.push((entry.name, equation));
        }
    }
    integrals
}
