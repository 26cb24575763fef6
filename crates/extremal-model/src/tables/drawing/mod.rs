//! `[drawing]`: what the system looks like, by expressions of its state.

mod statement;

use extremal_expr::Id;

use super::coordinates::Coordinates;
use super::definitions::Definitions;
use super::families::{Family, family_count, family_index, member_name};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, ScalarSeries};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver};
use crate::suggest::help_for;
use crate::text::SourceText;

pub(crate) use statement::DrawingStatement;
pub(super) use statement::TABLE;
use statement::{CurveStatement, PointStatement, ShapeStatement};

/// The pieces that a curve is drawn in.
const PIECES: i64 = 72;
/// The turns of a spring that does not say how many it has.
const TURNS: u32 = 10;
/// The most turns that are drawn.
const MOST_TURNS: i64 = 200;

/// What a system looks like.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// The places that shapes refer to; a family has one for each member.
    pub points: Vec<DrawnPoint>,
    /// In the order in which they are drawn.
    pub shapes: Vec<DrawnShape>,
    /// Does anything of it have three components?
    pub spatial: bool,
    /// What is seen from left to right, where that is stated.
    pub across: Option<[Id; 2]>,
    /// What is seen from bottom to top, where that is stated.
    pub up: Option<[Id; 2]>,
    /// The direction that it is looked at from, where that is stated.
    pub from: Option<[Id; 3]>,
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
    /// A thin line from point to point: a thread, a rail.
    Line(Vec<usize>),
    /// What does not move, hatched on the right of the way from point to point.
    Wall(Vec<usize>),
    /// A rod from point to point.
    Rod(Vec<usize>),
    /// A line through places that have no names: a wire, a track.
    Curve(Vec<[Id; 3]>),
    /// A coil between two points.
    Spring {
        /// Its ends.
        ends: [usize; 2],
        /// How many turns it has.
        turns: u32,
    },
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
        /// What it is coloured by.
        heat: Option<Id>,
        /// Is only its rim drawn?
        hollow: bool,
    },
    /// A circle in space.
    Circle {
        /// Its middle.
        at: usize,
        /// Its radius.
        radius: Id,
        /// What it is across.
        axis: [Id; 3],
        /// By how much its spoke is turned about the axis, if it has one.
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
    Trail {
        /// The point.
        at: usize,
        /// For how long it is seen, if not for ever.
        seconds: Option<Id>,
    },
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
    let at = |resolver: &mut Resolver<'_, '_>, stated: &Option<ScalarSeries>, lengths: &[usize]| match stated {
        Some(series) => components(resolver, series, lengths).map(|items| vector(resolver, items, None)),
        None => None,
    };
    let view = &stated.view;
    drawing.across = at(resolver, &view.x, &[2]).map(|[from, to, _]| [from, to]);
    drawing.up = at(resolver, &view.y, &[2]).map(|[from, to, _]| [from, to]);
    drawing.from = at(resolver, &view.from, &[3]);
    for curve in &stated.curves {
        resolve_curve(resolver, curve, &mut drawing);
    }
    type OfPoints = fn(Vec<usize>) -> DrawnShape;
    for (paths, shape) in [
        (&stated.walls, DrawnShape::Wall as OfPoints),
        (&stated.lines, DrawnShape::Line),
        (&stated.rods, DrawnShape::Rod),
    ] {
        let found = paths.iter().map(|path| path_of(resolver, &families, path)).filter(|path| path.len() > 1);
        drawing.shapes.extend(found.map(shape));
    }
    for spring in &stated.springs {
        let turns = match &spring.turns {
            Some(turns) => resolver.integer(turns, "the number of turns"),
            None => Some(i64::from(TURNS)),
        };
        let turns = turns.map_or(TURNS, |turns| turns.clamp(1, MOST_TURNS) as u32);
        let points = path_of(resolver, &families, &spring.between);
        drawing.shapes.extend(points.windows(2).map(|ends| DrawnShape::Spring { ends: [ends[0], ends[1]], turns }));
    }
    for (shapes, resolve) in [
        (&stated.trails, resolve_trail as ShapeMeaning),
        (&stated.boxes, resolve_box),
        (&stated.circles, resolve_circle),
        (&stated.discs, resolve_disc),
        (&stated.arrows, resolve_arrow),
    ] {
        for shape in shapes {
            let Some(at) = &shape.at else { continue };
            for (point, member) in members(resolver, &families, at) {
                let member = member.as_ref().map(|(index, number)| (index.as_str(), *number));
                drawing.shapes.extend(resolve(resolver, shape, point, member));
            }
        }
    }
    // Mechanisms are in front of the gases they are in.
    drawing.shapes.sort_by_key(|shape| !matches!(shape, DrawnShape::Block { heat: Some(_), .. }));
    drawing
}

/// The components of a series of one of these lengths.
fn components<'s>(
    resolver: &mut Resolver<'_, '_>,
    series: &'s ScalarSeries,
    lengths: &[usize],
) -> Option<&'s [Scalar]> {
    match series {
        ScalarSeries::List { items, .. } if lengths.contains(&items.len()) => Some(items),
        series => {
            let words: Vec<String> = lengths.iter().map(ToString::to_string).collect();
            let message = format!("this is a list of {} numbers", words.join(" or "));
            resolver.problems.push(Diagnostic::error(Code::WrongLength, message).at(series.span(), ""));
            None
        }
    }
}

/// The places along a curve, formulas of its parameter with numbers put into them.
fn resolve_curve(resolver: &mut Resolver<'_, '_>, curve: &CurveStatement, drawing: &mut Drawing) {
    let (Some(at), Some(along)) = (&curve.at, &curve.along) else { return };
    let Some(items) = components(resolver, at, &[2, 3]) else { return };
    let name = Name { text: along.value.clone(), span: along.span.clone() };
    let name = resolver.index_name(Some(along), &name);
    let graph = resolver.graph;
    let (zero, one) = (graph.int(0).id(), graph.int(1).id());
    let from = curve.from.as_ref().map_or(Some(zero), |from| number(resolver, Some(from), None));
    let to = curve.to.as_ref().map_or(Some(one), |to| number(resolver, Some(to), None));
    // A name that no user can give.
    let parameter = graph.symbol(&format!("{name} along a curve"));
    let place = &ExpressionPlace::DRAWING;
    let formulas: Option<Vec<_>> = items.iter().map(|item| resolver.along(item, place, &name, parameter)).collect();
    let (Some(from), Some(to), Some(formulas)) = (from, to, formulas) else { return };
    drawing.spatial |= formulas.len() == 3;
    let (from, to) = (graph.expr(from), graph.expr(to));
    let place = |piece: i64| {
        let value = from + (to - from) * graph.int(piece) / graph.int(PIECES);
        let mut at = [zero; 3];
        for (place, formula) in at.iter_mut().zip(&formulas) {
            *place = formula.substitute(&[(parameter, value)]).id();
        }
        at
    };
    drawing.shapes.push(DrawnShape::Curve((0..=PIECES).map(place).collect()));
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

fn resolve_trail(
    resolver: &mut Resolver<'_, '_>,
    shape: &ShapeStatement,
    at: usize,
    member: MemberNumber<'_>,
) -> Option<DrawnShape> {
    Some(DrawnShape::Trail { at, seconds: number(resolver, shape.seconds.as_ref(), member) })
}

fn resolve_circle(
    resolver: &mut Resolver<'_, '_>,
    shape: &ShapeStatement,
    at: usize,
    member: MemberNumber<'_>,
) -> Option<DrawnShape> {
    let (Some(radius), Some(axis)) = (&shape.radius, &shape.axis) else {
        let message = "a circle has a `radius` and an `axis`";
        let span = shape.at.as_ref().map(|at| at.span.clone()).unwrap_or_default();
        resolver.problems.push(Diagnostic::error(Code::Missing, message).at(span, ""));
        return None;
    };
    let axis = components(resolver, axis, &[3])?;
    Some(DrawnShape::Circle {
        at,
        radius: number(resolver, Some(radius), member)?,
        axis: vector(resolver, axis, member),
        angle: number(resolver, shape.angle.as_ref(), member),
    })
}

fn resolve_disc(
    resolver: &mut Resolver<'_, '_>,
    shape: &ShapeStatement,
    at: usize,
    member: MemberNumber<'_>,
) -> Option<DrawnShape> {
    let radius = number(resolver, shape.radius.as_ref(), member);
    let angle = number(resolver, shape.angle.as_ref(), member);
    let heat = number(resolver, shape.heat.as_ref(), member);
    Some(DrawnShape::Disc { at, radius, angle, heat, hollow: shape.hollow })
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
            let here = drawing.points.len();
            drawing.shapes.push(DrawnShape::Trail { at: here, seconds: None });
            drawing.shapes.push(DrawnShape::Disc { at: here, radius: None, angle: None, heat: None, hollow: false });
            drawing.points.push(DrawnPoint { name: family.member(member), at: at.map(|id| id.unwrap_or(zero)) });
        }
    }
    drawing
}
