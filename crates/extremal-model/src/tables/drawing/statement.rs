//! `[drawing]` as it is written.

use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::tables::ModelTable;
use crate::tables::families::INDEX;
use crate::text::SourceText;

#[derive(Debug, Default)]
pub(crate) struct DrawingStatement {
    pub(super) points: Vec<PointStatement>,
    pub(super) lines: Vec<Vec<SourceText>>,
    pub(super) walls: Vec<Vec<SourceText>>,
    pub(super) rods: Vec<Vec<SourceText>>,
    pub(super) springs: Vec<SpringStatement>,
    pub(super) curves: Vec<CurveStatement>,
    pub(super) boxes: Vec<ShapeStatement>,
    pub(super) circles: Vec<ShapeStatement>,
    pub(super) discs: Vec<ShapeStatement>,
    pub(super) arrows: Vec<ShapeStatement>,
    pub(super) trails: Vec<ShapeStatement>,
    pub(super) view: ViewStatement,
}

/// `A = ["x1", "y1"]`, or `P = { count = "n", at = ["x[i]", "y[i]"] }`.
#[derive(Debug, Default)]
pub(super) struct PointStatement {
    pub(super) name: Name,
    pub(super) at: Option<ScalarSeries>,
    pub(super) count: Option<Scalar>,
    pub(super) index: Option<SourceText>,
}

/// A shape at one point, or at every member of a family.
#[derive(Debug, Default)]
pub(super) struct ShapeStatement {
    pub(super) at: Option<SourceText>,
    pub(super) radius: Option<Scalar>,
    pub(super) width: Option<Scalar>,
    pub(super) height: Option<Scalar>,
    pub(super) angle: Option<Scalar>,
    pub(super) heat: Option<Scalar>,
    pub(super) vector: Option<ScalarSeries>,
    pub(super) axis: Option<ScalarSeries>,
    pub(super) seconds: Option<Scalar>,
    pub(super) hollow: bool,
}

/// `["O", "A"]`, or `{ between = ["O", "A"], turns = 20 }`.
#[derive(Debug, Default)]
pub(super) struct SpringStatement {
    pub(super) between: Vec<SourceText>,
    pub(super) turns: Option<Scalar>,
}

/// `{ along = "s", from = 0, to = "2*pi", at = ["cos(s)", "sin(s)"] }`.
#[derive(Debug, Default)]
pub(super) struct CurveStatement {
    pub(super) along: Option<SourceText>,
    pub(super) from: Option<Scalar>,
    pub(super) to: Option<Scalar>,
    pub(super) at: Option<ScalarSeries>,
}

/// What is seen of it, and from where.
#[derive(Debug, Default)]
pub(super) struct ViewStatement {
    pub(super) x: Option<ScalarSeries>,
    pub(super) y: Option<ScalarSeries>,
    pub(super) from: Option<ScalarSeries>,
}

pub(in crate::tables) static TABLE: ModelTable = ModelTable {
    name: "drawing",
    sentence: "what the system looks like: points by name, and shapes at them. Numbers are expressions of positions, velocities, entropies, states, controls, time and parameters, and of what a run records (`p_x`, `lambda_rod`, `T_S`, `energy`). Without the table, coordinates and definitions called `x`, `y`, `z` or `x1`, `y1`, `z1` are drawn as points",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| {
        let mut stated = DrawingStatement::default();
        reader.fill(entries, FIELDS, &mut stated);
        into.drawing = Some(stated);
    },
};

const FIELDS: &[TableField<DrawingStatement>] = &[
    field(
        "points",
        "places by name, `{ O = [0, 0], A = [\"x1\", \"y1\"] }`, of two or three components; a family is `P = { count = \"n\", at = [\"x[i]\", \"y[i]\"], index = \"i\" }`",
        |reader, entry, into| {
            let entries = reader.table(entry).unwrap_or_default();
            into.points = entries.iter().map(|entry| read_point(reader, entry)).collect();
        },
    ),
    field(
        "rods",
        "lists of points that rods join, `[[\"O\", \"A\", \"B\"]]`; a family stands for its members, `P[2]` for one of them",
        |reader, entry, into| {
            into.rods = read_paths(reader, entry);
        },
    ),
    field("lines", "the same with thin lines: threads, rails, axes", |reader, entry, into| {
        into.lines = read_paths(reader, entry)
    }),
    field("walls", "the same with what does not move: floors, walls, hatched on their right", |reader, entry, into| {
        into.walls = read_paths(reader, entry)
    }),
    field(
        "springs",
        "the same with coils, or tables `{ between = [\"O\", \"A\"], turns = 20 }`, 10 turns if not stated",
        |reader, entry, into| into.springs = read_springs(reader, entry),
    ),
    field(
        "curves",
        "wires and tracks, `{ along = \"s\", from = 0, to = \"2*pi\", at = [\"cos(s)\", \"sin(s)\"] }`, where `s` is a name of your own; from 0 to 1 if not stated",
        |reader, entry, into| into.curves = read_curves(reader, entry),
    ),
    field(
        "discs",
        "bodies: a point or a table `{ at = \"A\", radius = \"r\", angle = \"phi\", hollow = true }`; an angle draws a spoke",
        |reader, entry, into| into.discs = read_shapes(reader, entry, DISC),
    ),
    field(
        "boxes",
        "rectangles, `{ at = \"A\", width = 1, height = \"b\", angle = \"phi\", heat = \"T_S\" }`; `heat`, a temperature, colours what has one: a gas",
        |reader, entry, into| into.boxes = read_shapes(reader, entry, BOX),
    ),
    field(
        "circles",
        "wheels in space, `{ at = \"A\", radius = \"r\", axis = [0, 0, 1], angle = \"phi\" }`; an angle, from the horizontal about the axis, draws a spoke",
        |reader, entry, into| into.circles = read_shapes(reader, entry, CIRCLE),
    ),
    field(
        "arrows",
        "vectors, `{ at = \"A\", vector = [\"0.1*x'\", 0] }`: velocities, forces, reactions",
        |reader, entry, into| {
            into.arrows = read_shapes(reader, entry, ARROW);
        },
    ),
    field(
        "trails",
        "points whose paths are drawn, by name; `{ at = \"A\", seconds = 2 }` keeps the last of it",
        |reader, entry, into| into.trails = read_shapes(reader, entry, TRAIL),
    ),
    field(
        "view",
        "what is seen, `{ x = [-2, 2], y = [-2, 1] }`, else all of the motion; in space `{ from = [2, -3, 1] }` is the direction that it is looked at from",
        |reader, entry, into| {
            let entries = reader.table(entry).unwrap_or_default();
            reader.fill(entries, VIEW, &mut into.view);
        },
    ),
];

const POINT: &[TableField<PointStatement>] = &[
    field("at", "its components", |reader, entry, into| into.at = reader.series(entry)),
    field("count", "makes a family of so many", |reader, entry, into| into.count = reader.scalar(entry)),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
];

const SPRING: &[TableField<SpringStatement>] = &[
    field("between", "the points it is between", |reader, entry, into| {
        into.between = reader.strings(entry).unwrap_or_default();
    }),
    field("turns", "how many turns it has", |reader, entry, into| into.turns = reader.scalar(entry)),
];

const CURVE: &[TableField<CurveStatement>] = &[
    field("at", "its components", |reader, entry, into| into.at = reader.series(entry)),
    field("along", "the name of its parameter", |reader, entry, into| into.along = reader.string(entry)),
    field("from", "where that begins", |reader, entry, into| into.from = reader.scalar(entry)),
    field("to", "where that ends", |reader, entry, into| into.to = reader.scalar(entry)),
];

const VIEW: &[TableField<ViewStatement>] = &[
    field("x", "from left to right", |reader, entry, into| into.x = reader.series(entry)),
    field("y", "from bottom to top", |reader, entry, into| into.y = reader.series(entry)),
    field("from", "the direction that it is looked at from", |reader, entry, into| into.from = reader.series(entry)),
];

const AT: TableField<ShapeStatement> =
    field("at", "the point it stands at", |reader, entry, into| into.at = reader.string(entry));
const RADIUS: TableField<ShapeStatement> =
    field("radius", "its radius", |reader, entry, into| into.radius = reader.scalar(entry));
const ANGLE: TableField<ShapeStatement> =
    field("angle", "by how much it is turned", |reader, entry, into| into.angle = reader.scalar(entry));
const HEAT: TableField<ShapeStatement> =
    field("heat", "what it is coloured by", |reader, entry, into| into.heat = reader.scalar(entry));
const DISC: &[TableField<ShapeStatement>] = &[
    AT,
    RADIUS,
    ANGLE,
    HEAT,
    field("hollow", "only its rim", |reader, entry, into| into.hollow = reader.boolean(entry).unwrap_or_default()),
];
const BOX: &[TableField<ShapeStatement>] = &[
    AT,
    field("width", "its width", |reader, entry, into| into.width = reader.scalar(entry)),
    field("height", "its height", |reader, entry, into| into.height = reader.scalar(entry)),
    ANGLE,
    HEAT,
];
const CIRCLE: &[TableField<ShapeStatement>] =
    &[AT, RADIUS, field("axis", "what it is across", |reader, entry, into| into.axis = reader.series(entry)), ANGLE];
const ARROW: &[TableField<ShapeStatement>] =
    &[AT, field("vector", "its components", |reader, entry, into| into.vector = reader.series(entry))];
const TRAIL: &[TableField<ShapeStatement>] =
    &[AT, field("seconds", "for how long it stays", |reader, entry, into| into.seconds = reader.scalar(entry))];

fn read_point<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> PointStatement {
    let mut point = PointStatement { name: entry.name.clone(), ..PointStatement::default() };
    reader.fill_entry(entry, POINT, &mut point);
    point
}

fn read_paths<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Vec<Vec<SourceText>> {
    let Some(paths) = reader.list(entry) else {
        reader.wrong_type(entry, "a list of lists of points", None);
        return Vec::new();
    };
    paths.iter().filter_map(|path| reader.strings(path)).collect()
}

fn read_springs<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Vec<SpringStatement> {
    let Some(springs) = reader.list(entry) else {
        reader.wrong_type(entry, "a list of lists of points", None);
        return Vec::new();
    };
    let read = |spring: &TableEntry<'t>| {
        let mut into = SpringStatement::default();
        reader.fill_entry(spring, SPRING, &mut into);
        into
    };
    springs.iter().map(read).collect()
}

fn read_curves<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Vec<CurveStatement> {
    let items = reader.list(entry);
    let items = items.as_deref().unwrap_or(std::slice::from_ref(entry));
    let read = |item: &TableEntry<'t>| {
        let mut curve = CurveStatement::default();
        let entries = reader.table(item)?;
        let stated = reader.fill(entries, CURVE, &mut curve);
        for (key, help) in [("at", "`at = [\"cos(s)\", \"sin(s)\"]`"), ("along", "`along = \"s\"`")] {
            if !stated.contains(&key) {
                let message = format!("this curve of {} lacks {help}", entry.full_path());
                reader.problems.push(Diagnostic::error(Code::Missing, message).at(item.value_span(), ""));
            }
        }
        Some(curve)
    };
    items.iter().filter_map(read).collect()
}

fn read_shapes<'t>(
    reader: &mut TableReader<'t, '_>,
    entry: &TableEntry<'t>,
    fields: &[TableField<ShapeStatement>],
) -> Vec<ShapeStatement> {
    let items = reader.list(entry);
    let items = items.as_deref().unwrap_or(std::slice::from_ref(entry));
    let read = |item: &TableEntry<'t>| {
        let mut shape = ShapeStatement::default();
        if !reader.fill_entry(item, fields, &mut shape).contains(&"at") {
            let message = format!("this shape of {} has no place", entry.full_path());
            let help = "`at = \"A\"` names a point";
            reader.problems.push(Diagnostic::error(Code::Missing, message).at(item.value_span(), "").help(help));
        }
        shape
    };
    items.iter().map(read).collect()
}
