//! Panels that are asked for by name.

use std::str::FromStr;

use thiserror::Error;

use super::PlotError;
use super::choose::Picture;
use super::panel::{Curve, Mark, Panel};
use crate::{Columns, Role, Series, is_named};

/// What a panel is to show, as it is written.
///
/// ```
/// use extremal_trajectory::plot::PanelRequest;
/// for text in ["energy", "x x'", "p_*", "x,y", "x1,y1 x2,y2", "x,y,z", "phase theta", "change energy"] {
///     assert!(text.parse::<PanelRequest>().is_ok());
/// }
/// assert!("x,y z".parse::<PanelRequest>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PanelRequest {
    /// Columns over time.
    OverTime(Vec<String>),
    /// By how much columns differ from their first values.
    Change(Vec<String>),
    /// Coordinates against their momenta, or their velocities where there are none.
    Phase(Vec<String>),
    /// Bodies in a plane.
    Plane(Vec<[String; 2]>),
    /// Bodies in space, seen from the side.
    Space(Vec<[String; 3]>),
}

/// Why a panel is not understood.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{text}` is no panel: write names for their course over time, `x,y` for a plane, `x,y,z` for space, `x1,y1 x2,y2` for several bodies, `phase x`, or `change energy`"
)]
pub struct PanelTextError {
    text: String,
}

impl FromStr for PanelRequest {
    type Err = PanelTextError;

    fn from_str(text: &str) -> Result<PanelRequest, PanelTextError> {
        let error = || PanelTextError { text: text.to_owned() };
        // A space behind a comma does not part two bodies.
        let joined: Vec<&str> = text.split(',').map(str::trim).collect();
        let joined = joined.join(",");
        let words: Vec<&str> = joined.split_whitespace().collect();
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        let (first, rest) = words.split_first().ok_or_else(error)?;
        if !joined.contains(',') {
            return match (*first, rest) {
                ("phase" | "change", []) => Err(error()),
                ("phase", names) => Ok(PanelRequest::Phase(owned(names))),
                ("change", names) => Ok(PanelRequest::Change(owned(names))),
                _ => Ok(PanelRequest::OverTime(owned(&words))),
            };
        }
        let bodies: Vec<Vec<String>> = words.iter().map(|word| word.split(',').map(str::to_owned).collect()).collect();
        if bodies.iter().flatten().any(String::is_empty) {
            return Err(error());
        }
        let planes: Option<Vec<[String; 2]>> = bodies.iter().map(|body| body.clone().try_into().ok()).collect();
        let spaces: Option<Vec<[String; 3]>> = bodies.into_iter().map(|body| body.try_into().ok()).collect();
        match (planes, spaces) {
            (Some(planes), _) => Ok(PanelRequest::Plane(planes)),
            (_, Some(spaces)) => Ok(PanelRequest::Space(spaces)),
            _ => Err(error()),
        }
    }
}

impl PanelRequest {
    /// The names that are asked for, as they are written.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        let (lists, pairs, triples) = match self {
            PanelRequest::OverTime(names) | PanelRequest::Change(names) | PanelRequest::Phase(names) => {
                (&names[..], &[][..], &[][..])
            }
            PanelRequest::Plane(bodies) => (&[][..], &bodies[..], &[][..]),
            PanelRequest::Space(bodies) => (&[][..], &[][..], &bodies[..]),
        };
        lists.iter().chain(pairs.iter().flatten()).chain(triples.iter().flatten())
    }

    /// Do all names exist, and have coordinates momenta or velocities where they are asked for?
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self, columns: &Columns) -> Result<(), PlotError> {
        match self {
            PanelRequest::OverTime(names) | PanelRequest::Change(names) => {
                names.iter().try_for_each(|name| all(columns, name).map(drop))
            }
            PanelRequest::Phase(names) => names.iter().try_for_each(|name| {
                all(columns, name)?.into_iter().try_for_each(|column| partner(columns, column).map(drop))
            }),
            PanelRequest::Plane(bodies) => bodies.iter().flatten().try_for_each(|name| one(columns, name).map(drop)),
            PanelRequest::Space(bodies) => bodies.iter().flatten().try_for_each(|name| one(columns, name).map(drop)),
        }
    }

    /// The panel.
    pub(super) fn panel(&self, columns: &Columns, series: &Series) -> Result<Panel, PlotError> {
        let picture = Picture { columns, series };
        match self {
            PanelRequest::OverTime(names) => {
                let found = found(columns, names)?;
                let panel = picture.time_panel(&names.join(", ")).curves(picture.curves(&found));
                Ok(match found[..] {
                    [only] => panel.y_label(columns[only].name()),
                    _ => panel,
                })
            }
            PanelRequest::Change(names) => {
                let found = found(columns, names)?;
                let panel = picture.errors(&format!("Change of {}", names.join(", ")), &found);
                Ok(panel.unwrap_or_else(|| Panel::new("")))
            }
            PanelRequest::Phase(names) => {
                let coordinates = found(columns, names)?;
                let pairs = coordinates.iter().map(|q| Ok((*q, partner(columns, *q)?)));
                let pairs: Vec<(usize, usize)> = pairs.collect::<Result<_, PlotError>>()?;
                let title = format!("Phase plane of {}", names.join(", "));
                Ok(plane(columns, series, &title, &pairs, false))
            }
            PanelRequest::Plane(bodies) => {
                let pairs = bodies.iter().map(|[x, y]| Ok((one(columns, x)?, one(columns, y)?)));
                let pairs: Vec<(usize, usize)> = pairs.collect::<Result<_, PlotError>>()?;
                let title = bodies.iter().map(|body| body.join(", ")).collect::<Vec<_>>().join("; ");
                let lengths = bodies.iter().flatten().all(|name| is_length(name));
                Ok(plane(columns, series, &title, &pairs, lengths))
            }
            PanelRequest::Space(bodies) => {
                let places = bodies.iter().map(|[x, y, z]| Ok([one(columns, x)?, one(columns, y)?, one(columns, z)?]));
                let places: Vec<[usize; 3]> = places.collect::<Result<_, PlotError>>()?;
                let title = bodies.iter().map(|body| body.join(", ")).collect::<Vec<_>>().join("; ");
                Ok(space(columns, series, &title, &places))
            }
        }
    }
}

/// Is it called as lengths along axes are: `x`, `y2`, `z[3]`?
pub(super) fn is_length(name: &str) -> bool {
    let rest = name.strip_prefix(['x', 'y', 'z']);
    rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || matches!(c, '[' | ']' | '_')))
}

fn unknown(columns: &Columns, name: &str) -> PlotError {
    PlotError::UnknownColumn { name: name.to_owned(), known: columns.names().map(str::to_owned).collect() }
}

fn all(columns: &Columns, name: &str) -> Result<Vec<usize>, PlotError> {
    let found: Vec<usize> = (0..columns.len()).filter(|at| is_named(columns[*at].name(), name)).collect();
    if found.is_empty() { Err(unknown(columns, name)) } else { Ok(found) }
}

fn found(columns: &Columns, names: &[String]) -> Result<Vec<usize>, PlotError> {
    let lists: Vec<Vec<usize>> = names.iter().map(|name| all(columns, name)).collect::<Result<_, _>>()?;
    Ok(lists.concat())
}

fn one(columns: &Columns, name: &str) -> Result<usize, PlotError> {
    columns.index_of(name).ok_or_else(|| unknown(columns, name))
}

/// The momentum of a coordinate, or its velocity.
fn partner(columns: &Columns, coordinate: usize) -> Result<usize, PlotError> {
    let name = columns[coordinate].name();
    let of = |role: Role| columns.belonging_to(name, role);
    of(Role::Momentum).or_else(|| of(Role::Velocity)).ok_or_else(|| PlotError::NoPhase { name: name.to_owned() })
}

/// Curves in a plane, to scale where both axes are lengths.
fn plane(columns: &Columns, series: &Series, title: &str, pairs: &[(usize, usize)], lengths: bool) -> Panel {
    let panel = Panel::new(title);
    let panel = if lengths { panel.equal_aspect() } else { panel.plane() };
    match pairs {
        [(x, y)] => panel
            .x_label(columns[*x].name())
            .y_label(columns[*y].name())
            .curve(Curve::new("", series.points(*x, *y)).ends()),
        pairs => panel.curves(pairs.iter().map(|(x, y)| {
            Curve::new(&format!("{}, {}", columns[*x].name(), columns[*y].name()), series.points(*x, *y)).ends()
        })),
    }
}

/// Curves in space from the side, with the axes at the corner that is farthest away.
fn space(columns: &Columns, series: &Series, title: &str, places: &[[usize; 3]]) -> Panel {
    /// Turned about the third axis, raised above the plane of the others.
    const TURNED: f64 = 0.6;
    const RAISED: f64 = 0.35;
    let flat = |[x, y, z]: [f64; 3]| {
        let away = TURNED.cos() * x + TURNED.sin() * y;
        (TURNED.cos() * y - TURNED.sin() * x, RAISED.cos() * z - RAISED.sin() * away)
    };
    let all = || series.rows().flat_map(|row| places.iter().map(|place| place.map(|at| row[at])));
    let finite = all().filter(|place| place.iter().all(|x| x.is_finite()));
    let nothing = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let (low, high) = finite.fold(nothing, |(low, high), place| {
        (std::array::from_fn(|k| low[k].min(place[k])), std::array::from_fn(|k| high[k].max(place[k])))
    });
    let name = |place: &[usize; 3]| place.map(|at| columns[at].name()).join(", ");
    let curves = places.iter().map(|place| {
        let points = series.rows().map(|row| flat(place.map(|at| row[at])));
        Curve::new(&if places.len() == 1 { String::new() } else { name(place) }, points).ends()
    });
    let panel = Panel::new(title).equal_aspect().curves(curves);
    let axes = (0..3).filter(|k| low[*k] < high[*k]).map(|k| {
        let mut end = low;
        end[k] = high[k];
        Curve::new(places.first().map_or("", |place| columns[place[k]].name()), [flat(low), flat(end)])
            .mark(Mark::Dashed)
    });
    panel.curves(axes.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;

    #[test]
    fn requests_are_what_they_say() {
        let parsed = |text: &str| text.parse::<PanelRequest>().unwrap();
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(parsed("x2, y2"), PanelRequest::Plane(vec![["x2".into(), "y2".into()]]));
        assert_eq!(parsed("phase theta"), PanelRequest::Phase(owned(&["theta"])));
        assert_eq!(parsed("a b'"), PanelRequest::OverTime(owned(&["a", "b'"])));
        assert!(matches!(parsed("x,y,z u,v,w"), PanelRequest::Space(bodies) if bodies.len() == 2));
        for wrong in ["", " ", "phase", "change", "x,", "x,y,z,w", "x,y a"] {
            assert!(wrong.parse::<PanelRequest>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_not_there_is_said() {
        let columns = Columns::new([Column::time(), Column::coordinate("x"), Column::momentum("x")]).unwrap();
        let check = |text: &str| text.parse::<PanelRequest>().unwrap().check(&columns).map_err(|e| e.to_string());
        assert_eq!(check("phase x"), Ok(()));
        assert!(check("x,q").unwrap_err().contains("no column `q`"));
        assert!(check("phase p_x").unwrap_err().contains("neither a momentum nor a velocity"));
    }

    #[test]
    fn axes_are_equal_where_both_are_lengths() {
        for (name, length) in
            [("x", true), ("y2", true), ("z[12]", true), ("xi", false), ("theta", false), ("x'", false)]
        {
            assert_eq!(is_length(name), length, "{name}");
        }
    }
}
