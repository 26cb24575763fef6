//! `[drawing]`: what the system looks like, by expressions of its state.

use extremal_expr::Id;

use super::ModelTable;
use super::coordinates::Coordinates;
use super::definitions::Definitions;
use super::families::{Family, INDEX, family_count, family_index, member_name};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver};
use crate::suggest::help_for;
use crate::text::SourceText;

/// What a system looks like.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// The places that shapes refer to; a family has one for each member.
    pub points: Vec<DrawnPoint>,
    /// In the order in which they are drawn.
    pub shapes: Vec<DrawnShape>,
    /// Do some points have three components?
    pub spatial: bool,
}

/// A named place.
#[derive(Clone, Debug)]
pub struct DrawnPoint {
    /// Its name: `A`, or `P[3]` for a member of a family.
    pub name: String,
    /// Its components, the third zero in the plane.
    pub at: [Id; 3],
}

/// A shape at some of the [`Drawing::points`], which it names by their places in the list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DrawnShape {
    /// A thin line from point to point: a rail, a wall.
    Line(Vec<usize>),
    /// A rod from point to point.
    Rod(Vec<usize>),
    /// A coil between two points.
    Spring([usize; 2]),
    /// A rectangle around a point.
    Block {
        /// Its middle.
        at: usize,
        /// Its width.
        width: Id,
        /// Its height.
        height: Id,
        /// By how much it is turned.
        angle: Option<Id>,
        /// What it is coloured by.
        heat: Option<Id>,
    },
    /// A body around a point.
    Disc {
        /// Its middle.
        at: usize,
        /// Its radius; that of a small dot if there is none.
        radius: Option<Id>,
        /// The direction of its spoke, if it has one.
        angle: Option<Id>,
    },
    /// A vector from a point.
    Arrow {
        /// Where it begins.
        at: usize,
        /// What is added to that.
        vector: [Id; 3],
    },
    /// Where a point has been.
    Trail(usize),
}

#[derive(Debug, Default)]
pub(crate) struct DrawingStatement {
    points: Vec<PointStatement>,
    lines: Vec<Vec<SourceText>>,
    rods: Vec<Vec<SourceText>>,
    springs: Vec<Vec<SourceText>>,
    boxes: Vec<ShapeStatement>,
    discs: Vec<ShapeStatement>,
    arrows: Vec<ShapeStatement>,
    trails: Vec<SourceText>,
}

/// `A = ["x1", "y1"]`, or `P = { count = "n", at = ["x[i]", "y[i]"] }`.
#[derive(Debug, Default)]
struct PointStatement {
    name: Name,
    at: Option<ScalarSeries>,
    count: Option<Scalar>,
    index: Option<SourceText>,
}

/// A shape at one point, or at every member of a family.
#[derive(Debug, Default)]
struct ShapeStatement {
    at: Option<SourceText>,
    radius: Option<Scalar>,
    width: Option<Scalar>,
    height: Option<Scalar>,
    angle: Option<Scalar>,
    heat: Option<Scalar>,
    vector: Option<ScalarSeries>,
}

pub(super) static TABLE: ModelTable = ModelTable {
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
    field("lines", "the same with thin lines: rails, walls", |reader, entry, into| {
        into.lines = read_paths(reader, entry)
    }),
    field("springs", "the same with coils", |reader, entry, into| into.springs = read_paths(reader, entry)),
    field(
        "discs",
        "bodies: a point or a table `{ at = \"A\", radius = \"r\", angle = \"phi\" }`; an angle draws a spoke",
        |reader, entry, into| into.discs = read_shapes(reader, entry, DISC),
    ),
    field(
        "boxes",
        "rectangles, `{ at = \"A\", width = 1, height = \"b\", angle = \"phi\", heat = \"T_S\" }`; `heat` colours it",
        |reader, entry, into| into.boxes = read_shapes(reader, entry, BOX),
    ),
    field("arrows", "vectors, `{ at = \"A\", vector = [\"0.1*x'\", 0] }`", |reader, entry, into| {
        into.arrows = read_shapes(reader, entry, ARROW);
    }),
    field("trails", "points whose paths are drawn, a name or a list of names", |reader, entry, into| {
        into.trails = reader.strings(entry).unwrap_or_default();
    }),
];

const POINT: &[TableField<PointStatement>] = &[
    field("at", "its components", |reader, entry, into| into.at = reader.series(entry)),
    field("count", "makes a family of so many", |reader, entry, into| into.count = reader.scalar(entry)),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
];

const AT: TableField<ShapeStatement> =
    field("at", "the point it stands at", |reader, entry, into| into.at = reader.string(entry));
const ANGLE: TableField<ShapeStatement> =
    field("angle", "by how much it is turned", |reader, entry, into| into.angle = reader.scalar(entry));
const DISC: &[TableField<ShapeStatement>] =
    &[AT, field("radius", "its radius", |reader, entry, into| into.radius = reader.scalar(entry)), ANGLE];
const BOX: &[TableField<ShapeStatement>] = &[
    AT,
    field("width", "its width", |reader, entry, into| into.width = reader.scalar(entry)),
    field("height", "its height", |reader, entry, into| into.height = reader.scalar(entry)),
    ANGLE,
    field("heat", "what it is coloured by", |reader, entry, into| into.heat = reader.scalar(entry)),
];
const ARROW: &[TableField<ShapeStatement>] =
    &[AT, field("vector", "its components", |reader, entry, into| into.vector = reader.series(entry))];

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

/// The points of a family, or one point, in the flat list.
struct PointFamily {
    name: String,
    first: usize,
    count: Option<i64>,
    index: String,
}

/// What one statement means at one point.
type ShapeMeaning = fn(&mut Resolver<'_, '_>, &ShapeStatement, usize, MemberNumber<'_>) -> Option<DrawnShape>;

/// The statement, resolved; without one, what the names of coordinates and definitions suggest.
pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statement: Option<&DrawingStatement>,
    coordinates: &Coordinates,
    definitions: &Definitions,
) -> Drawing {
    let Some(stated) = statement else { return suggested(resolver, coordinates, definitions) };
    let mut drawing = Drawing::default();
    let mut families: Vec<PointFamily> = Vec::new();
    for point in &stated.points {
        resolve_point(resolver, point, &mut drawing, &mut families);
    }
    for (paths, shape) in [(&stated.lines, DrawnShape::Line as fn(_) -> _), (&stated.rods, DrawnShape::Rod)] {
        let found = paths.iter().map(|path| path_of(resolver, &families, path)).filter(|path| path.len() > 1);
        drawing.shapes.extend(found.map(shape));
    }
    for path in &stated.springs {
        let points = path_of(resolver, &families, path);
        drawing.shapes.extend(points.windows(2).map(|ends| DrawnShape::Spring([ends[0], ends[1]])));
    }
    let trails = stated.trails.iter().flat_map(|text| members(resolver, &families, text)).collect::<Vec<_>>();
    drawing.shapes.extend(trails.iter().map(|(point, _)| DrawnShape::Trail(*point)));
    for (shapes, resolve) in
        [(&stated.boxes, resolve_box as ShapeMeaning), (&stated.discs, resolve_disc), (&stated.arrows, resolve_arrow)]
    {
        for shape in shapes {
            let Some(at) = &shape.at else { continue };
            for (point, member) in members(resolver, &families, at) {
                let member = member.as_ref().map(|(index, number)| (index.as_str(), *number));
                drawing.shapes.extend(resolve(resolver, shape, point, member));
            }
        }
    }
    drawing
}

fn resolve_point(
    resolver: &mut Resolver<'_, '_>,
    point: &PointStatement,
    drawing: &mut Drawing,
    families: &mut Vec<PointFamily>,
) {
    let name = &point.name;
    let components = match &point.at {
        Some(ScalarSeries::List { items, .. }) if matches!(items.len(), 2 | 3) => items,
        stated => {
            let message = format!("the point `{}` needs two or three components", name.text);
            let span = stated.as_ref().map_or(name.span.clone(), ScalarSeries::span);
            resolver.problems.push(Diagnostic::error(Code::WrongLength, message).at(span, ""));
            return;
        }
    };
    let Some(count) = family_count(resolver, name, point.count.as_ref(), std::iter::empty()) else { return };
    let index = family_index(resolver, point.index.as_ref(), name, count);
    families.push(PointFamily { name: name.text.clone(), first: drawing.points.len(), count, index: index.clone() });
    drawing.spatial |= components.len() == 3;
    for number in 1..=count.unwrap_or(1) {
        let member = count.map(|_| (index.as_str(), number));
        let at = vector(resolver, components, member);
        let name = member_name(&name.text, count, usize::try_from(number).unwrap_or(0));
        drawing.points.push(DrawnPoint { name, at });
    }
}

/// Three components; what could not be read has been reported, and is zero.
fn vector(resolver: &mut Resolver<'_, '_>, components: &[Scalar], member: MemberNumber<'_>) -> [Id; 3] {
    let zero = resolver.graph.int(0).id();
    let mut at = [zero; 3];
    for (place, component) in at.iter_mut().zip(components) {
        *place = resolver.number(component, &ExpressionPlace::DRAWING, member).map_or(zero, |value| value.id());
    }
    at
}

/// The points that a name stands for, each with the number that it has in its family.
fn members(
    resolver: &mut Resolver<'_, '_>,
    families: &[PointFamily],
    text: &SourceText,
) -> Vec<(usize, Option<(String, i64)>)> {
    let (name, inner) = match text.value.split_once('[') {
        Some((name, rest)) if rest.ends_with(']') => (name, Some(name.len() + 1..text.value.len() - 1)),
        _ => (text.value.as_str(), None),
    };
    let Some(family) = families.iter().find(|family| family.name == name) else {
        let message = format!("[drawing] has no point `{name}`");
        let help = help_for(name, "the points are", families.iter().map(|family| family.name.as_str()));
        let diagnostic = Diagnostic::error(Code::UnknownName, message).at(text.span.clone(), "");
        resolver.problems.push(diagnostic.maybe_help(help));
        return Vec::new();
    };
    let numbered = |number: i64| {
        let place = family.first + usize::try_from(number - 1).unwrap_or(0);
        (place, family.count.map(|_| (family.index.clone(), number)))
    };
    let count = family.count.unwrap_or(1);
    let Some(inner) = inner else { return (1..=count).map(numbered).collect() };
    let Some(number) = resolver.integer(&Scalar::Text(text.part(inner)), "the number of a point") else {
        return Vec::new();
    };
    if family.count.is_none() || !(1..=count).contains(&number) {
        let message = format!("there is no point `{name}[{number}]`");
        resolver.problems.push(Diagnostic::error(Code::InvalidIndex, message).at(text.span.clone(), ""));
        return Vec::new();
    }
    vec![numbered(number)]
}

fn path_of(resolver: &mut Resolver<'_, '_>, families: &[PointFamily], path: &[SourceText]) -> Vec<usize> {
    path.iter().flat_map(|text| members(resolver, families, text)).map(|(point, _)| point).collect()
}

fn number(resolver: &mut Resolver<'_, '_>, stated: Option<&Scalar>, member: MemberNumber<'_>) -> Option<Id> {
    Some(resolver.number(stated?, &ExpressionPlace::DRAWING, member)?.id())
}

fn resolve_box(
    resolver: &mut Resolver<'_, '_>,
    shape: &ShapeStatement,
    at: usize,
    member: MemberNumber<'_>,
) -> Option<DrawnShape> {
    let (Some(width), Some(height)) = (&shape.width, &shape.height) else {
        let message = "a box has a `width` and a `height`";
        let span = shape.at.as_ref().map(|at| at.span.clone()).unwrap_or_default();
        resolver.problems.push(Diagnostic::error(Code::Missing, message).at(span, ""));
        return None;
    };
    let (width, height) = (number(resolver, Some(width), member)?, number(resolver, Some(height), member)?);
    let angle = number(resolver, shape.angle.as_ref(), member);
    let heat = number(resolver, shape.heat.as_ref(), member);
    Some(DrawnShape::Block { at, width, height, angle, heat })
}

fn resolve_disc(
    resolver: &mut Resolver<'_, '_>,
    shape: &ShapeStatement,
    at: usize,
    member: MemberNumber<'_>,
) -> Option<DrawnShape> {
    let radius = number(resolver, shape.radius.as_ref(), member);
    Some(DrawnShape::Disc { at, radius, angle: number(resolver, shape.angle.as_ref(), member) })
}

fn resolve_arrow(
    resolver: &mut Resolver<'_, '_>,
    shape: &ShapeStatement,
    at: usize,
    member: MemberNumber<'_>,
) -> Option<DrawnShape> {
    match &shape.vector {
        Some(ScalarSeries::List { items, .. }) if matches!(items.len(), 2 | 3) => {
            Some(DrawnShape::Arrow { at, vector: vector(resolver, items, member) })
        }
        stated => {
            let message = "an arrow has a `vector` of two or three components";
            let of_point = shape.at.as_ref().map(|at| at.span.clone()).unwrap_or_default();
            let span = stated.as_ref().map_or(of_point, ScalarSeries::span);
            resolver.problems.push(Diagnostic::error(Code::WrongLength, message).at(span, ""));
            None
        }
    }
}

/// Coordinates and definitions called `x`, `y`, `z`, alone or with the same ending, are points with trails.
fn suggested(resolver: &Resolver<'_, '_>, coordinates: &Coordinates, definitions: &Definitions) -> Drawing {
    let positions: Vec<Id> = coordinates.list.iter().map(|coordinate| coordinate.position).collect();
    let values: Vec<Id> = definitions.list.iter().map(|definition| definition.expression).collect();
    let all = coordinates.families.list.iter().zip(std::iter::repeat(&positions));
    let all: Vec<_> = all.chain(definitions.families.list.iter().zip(std::iter::repeat(&values))).collect();
    let find = |name: String| all.iter().find(|(family, _)| family.name.text == name && family.columns.is_none());
    let zero = resolver.graph.int(0).id();
    let mut drawing = Drawing::default();
    for (family, _) in &all {
        let Some(ending) = family.name.text.strip_prefix('x').or(family.name.text.strip_prefix('y')) else { continue };
        let found = ["x", "y", "z"].map(|axis| find(format!("{axis}{ending}")));
        let alone = found.iter().flatten().count() == 1;
        let leads = found.iter().flatten().next().is_some_and(|(first, _)| first.name.text == family.name.text);
        if !leads || alone && !ending.chars().all(|c| c.is_ascii_digit()) {
            continue;
        }
        for member in 0..family.len() {
            let component = |of: Option<&(&Family, &Vec<Id>)>| {
                of.filter(|(of, _)| of.len() == family.len()).and_then(|(of, ids)| ids.get(of.first + member).copied())
            };
            let at = found.map(component);
            drawing.spatial |= at[2].is_some();
            drawing.shapes.push(DrawnShape::Trail(drawing.points.len()));
            drawing.shapes.push(DrawnShape::Disc { at: drawing.points.len(), radius: None, angle: None });
            drawing.points.push(DrawnPoint { name: family.member(member), at: at.map(|id| id.unwrap_or(zero)) });
        }
    }
    drawing
}
