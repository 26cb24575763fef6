//! `[boundary]` as written.

use super::super::ModelTable;
use super::super::assignments::{self, Assignment};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::text::SourceText;

/// The table as written.
#[derive(Default)]
pub(crate) struct BoundaryStatement {
    /// Its name.
    pub span: Span,
    pub independent: Option<SourceText>,
    pub from: Option<Scalar>,
    pub to: Option<Scalar>,
    pub duration: Option<DurationStatement>,
    /// Was there a duration or an end, perhaps in error?
    pub is_timed: bool,
    pub steps: Option<Scalar>,
    pub start: Vec<Assignment>,
    pub end: Vec<Assignment>,
    pub second: Vec<Assignment>,
    pub next_to_last: Vec<Assignment>,
    pub via: Vec<WaypointStatement>,
    pub periodic: Option<PeriodicStatement>,
    pub path: Vec<PathStatement>,
    pub conditions: ConditionTexts,
    pub integrals: Vec<(Name, Scalar)>,
    pub guess: Vec<Assignment>,
    pub grading: Option<GradingStatement>,
}

/// Conditions on expressions, as written.
#[derive(Default)]
pub(crate) struct ConditionTexts {
    pub path: Vec<SourceText>,
    pub start: Vec<SourceText>,
    pub end: Vec<SourceText>,
    pub links: Vec<SourceText>,
}

/// `{ start = 6, end = 1 }`: how fast steps shrink towards each end.
#[derive(Default)]
pub(crate) struct GradingStatement {
    pub start: Option<Scalar>,
    pub end: Option<Scalar>,
}

/// `2.0`, or `{ min = 0.5, max = 5.0, guess = 2.0 }`.
pub(crate) enum DurationStatement {
    Fixed(Scalar),
    Free(Span, FreeDuration),
}

/// `{ min = 0.5, max = 5.0, guess = 2.0 }`.
#[derive(Default)]
pub(crate) struct FreeDuration {
    pub min: Option<Scalar>,
    pub max: Option<Scalar>,
    pub guess: Option<Scalar>,
}

impl DurationStatement {
    pub fn span(&self) -> Span {
        match self {
            DurationStatement::Fixed(scalar) => scalar.span(),
            DurationStatement::Free(span, _) => span.clone(),
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
    Some(Vec<SourceText>),
}

/// `x = { min = 0, max = 1 }`.
pub(crate) struct PathStatement {
    pub key: SourceText,
    pub min: Option<ScalarSeries>,
    pub max: Option<ScalarSeries>,
}

pub(crate) static TABLE: ModelTable = ModelTable {
    name: "boundary",
    sentence: "a motion asked for by its ends; with `[objective]` the one with the controls that cost least",
    keys: || keys(FIELDS),
    read: |reader, table, entries, into| {
        let mut statement = BoundaryStatement { span: table.name.span.clone(), ..BoundaryStatement::default() };
        reader.fill(entries, FIELDS, &mut statement);
        into.boundary = Some(statement);
    },
};

const FIELDS: &[TableField<BoundaryStatement>] = &[
    field(
        "independent",
        "the name of the independent variable, `t` if not stated: with `\"x\"`, `y'` is dy/dx",
        |reader, entry, into| into.independent = reader.string(entry),
    ),
    field("from", "where it begins, 0 if not stated", |reader, entry, into| into.from = reader.scalar(entry)),
    field("to", "where it ends, instead of `duration`", |reader, entry, into| {
        into.is_timed = true;
        into.to = reader.scalar(entry);
    }),
    field(
        "duration",
        "how long it takes; `{ min = 0.5, max = 5, guess = 2 }` is to be found",
        |reader, entry, into| {
            into.is_timed = true;
            into.duration = read_duration(reader, entry);
        },
    ),
    field("steps", "of the grid, 100 if not stated", |reader, entry, into| into.steps = reader.scalar(entry)),
    field(
        "grading",
        "`{ start = 3, end = 1 }`: steps shrink towards an end by this power; unless given, towards an end where the Lagrangian has no finite value",
        |reader, entry, into| {
            into.grading = reader.table(entry).map(|entries| {
                let mut grading = GradingStatement::default();
                reader.fill(entries, GRADING, &mut grading);
                grading
            });
        },
    ),
    field(
        "start",
        "what is given at the start: `{ x = 0, \"x'\" = \"v0\" }`, or a list of such tables and of conditions on expressions, `[\"x + y = 1\", \"x' >= 0\"]`; what is not given is free",
        |reader, entry, into| {
            into.conditions.start = read_either(reader, entry, |reader, item| {
                into.start.extend(assignments::read_table(reader, item));
            });
        },
    ),
    field(
        "end",
        "what is given at the end, of entropies too, in the same way: `[{ x = 1 }, \"y = x^2\"]`",
        |reader, entry, into| {
            into.conditions.end = read_either(reader, entry, |reader, item| {
                into.end.extend(assignments::read_table(reader, item));
            });
        },
    ),
    field("second", "positions given one step after the start", |reader, entry, into| {
        into.second = assignments::read_table(reader, entry);
    }),
    field("next_to_last", "positions given one step before the end", |reader, entry, into| {
        into.next_to_last = assignments::read_table(reader, entry);
    }),
    field(
        "via",
        "points in between, at a time or after a part of the duration: `[{ t = 0.5, x = 1 }, { s = 0.75, x = 2 }]`",
        |reader, entry, into| into.via = read_via(reader, entry),
    ),
    field(
        "links",
        "what holds between both ends, `[\"x_end = x_start + 1\", \"x_end' = x_start'\"]`: equations and conditions on values with `_start` or `_end` behind their names",
        |reader, entry, into| into.conditions.links = reader.strings(entry).unwrap_or_default(),
    ),
    field("periodic", "`true`, or the coordinates that end as they began: `[\"x\", \"y\"]`", |reader, entry, into| {
        into.periodic = read_periodic(reader, entry)
    }),
    field(
        "path",
        "what holds along the way: bounds, `{ x = { min = 0 }, \"x'\" = { max = 1 } }`, or a list of such tables and of conditions on expressions, `[\"x^2 + y^2 >= r^2\", \"abs(u) <= mu*N\"]`",
        |reader, entry, into| {
            into.conditions.path = read_either(reader, entry, |reader, item| {
                into.path.extend(read_path(reader, item));
            });
        },
    ),
    field(
        "integrals",
        "`{ length = \"sqrt(1 + y'^2) = 3\", effort = \"u^2 <= 2\" }`: what is integrated over the motion, and what comes out, at most or at least",
        |reader, entry, into| {
            let entries = reader.table(entry).unwrap_or_default();
            into.integrals = reader.named_scalars(entries);
        },
    ),
    field(
        "guess",
        "where the search begins: expressions of the independent variable and of `s`, its elapsed part",
        |reader, entry, into| into.guess = assignments::read_table(reader, entry),
    ),
];

const DURATION: &[TableField<FreeDuration>] = &[
    field("min", "the shortest", |reader, entry, into| into.min = reader.scalar(entry)),
    field("max", "the longest", |reader, entry, into| into.max = reader.scalar(entry)),
    field("guess", "where the search begins", |reader, entry, into| into.guess = reader.scalar(entry)),
];

const PATH: &[TableField<PathStatement>] = &[
    field("min", "the lower bound", |reader, entry, into| into.min = reader.series(entry)),
    field("max", "the upper bound", |reader, entry, into| into.max = reader.series(entry)),
];

const GRADING: &[TableField<GradingStatement>] = &[
    field("start", "at the start", |reader, entry, into| into.start = reader.scalar(entry)),
    field("end", "at the end", |reader, entry, into| into.end = reader.scalar(entry)),
];

fn read_duration<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Option<DurationStatement> {
    if !reader.is_table(entry) {
        return reader.scalar(entry).map(DurationStatement::Fixed);
    }
    let entries = reader.table(entry)?;
    let mut free = FreeDuration::default();
    reader.fill(entries, DURATION, &mut free);
    Some(DurationStatement::Free(entry.value_span(), free))
}

fn read_via<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Vec<WaypointStatement> {
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

fn read_periodic<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Option<PeriodicStatement> {
    if let Some(all) = reader.as_boolean(entry) {
        return all.then_some(PeriodicStatement::All);
    }
    if !reader.is_string_or_list(entry) {
        reader.wrong_type(entry, "true or a list of coordinates", None);
        return None;
    }
    reader.strings(entry).map(PeriodicStatement::Some)
}

/// A table, or a list of tables and texts: each table is read by `table`, the texts are returned.
fn read_either<'t, 'p>(
    reader: &mut TableReader<'t, 'p>,
    entry: &TableEntry<'t>,
    mut table: impl FnMut(&mut TableReader<'t, 'p>, &TableEntry<'t>),
) -> Vec<SourceText> {
    let items = reader.list(entry);
    let items = items.as_deref().unwrap_or(std::slice::from_ref(entry));
    let mut texts = Vec::new();
    for item in items {
        if reader.is_string_or_list(item) {
            texts.extend(reader.string(item));
        } else {
            table(reader, item);
        }
    }
    texts
}

fn read_path<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Vec<PathStatement> {
    let mut bounds = Vec::new();
    for entry in reader.table(entry).unwrap_or_default() {
        let mut statement = PathStatement { key: reader.key(&entry), min: None, max: None };
        let Some(entries) = reader.table(&entry) else { continue };
        if entries.is_empty() {
            let message = format!("{} has neither `min` nor `max`", entry.full_path());
            reader.problems.push(Diagnostic::error(Code::Missing, message).at(entry.value_span(), ""));
        }
        reader.fill(entries, PATH, &mut statement);
        bounds.push(statement);
    }
    bounds
}
