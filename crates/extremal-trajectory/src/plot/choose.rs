//! Which panels a trajectory deserves, from the roles of its columns.

use super::PlotError;
use super::font::Style;
use super::label::PlotLabel;
use super::panel::{Curve, Mark, Panel};
use super::request::{PanelRequest, is_length};
use crate::{Columns, Role, Series, sig};

/// Curves that still fit in one legend; families larger than this are drawn
/// as a family.
const FEW: usize = 8;
/// Quantities share an axis if the smallest fills this part of it.
const COMPARABLE: f64 = 1.0 / 25.0;
/// Planes are drawn to scale unless that would flatten them beyond this.
const FLATTEST: f64 = 12.0;
const MOST_PHASE_CURVES: usize = 3;
const PROFILES: usize = 4;

/// What the caller wants to see, where the roles do not decide.
///
/// ```
/// use extremal_trajectory::plot::Selection;
///
/// let selection = Selection { plane: Some(("x2".into(), "y2".into())), ..Selection::default() };
/// # let _ = selection;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The columns of the configuration plane; the first two coordinates if
    /// not said.
    pub plane: Option<(String, String)>,
    /// The energy changes by itself: it is drawn as it is, not as an error.
    pub energy_changes: bool,
    /// What to show instead of what the roles of the columns suggest.
    pub panels: Vec<PanelRequest>,
}

impl Selection {
    pub(super) fn plane_in(&self, columns: &Columns) -> Result<Option<(usize, usize)>, PlotError> {
        let find = |name: &String| {
            columns.index_of(name).ok_or_else(|| PlotError::UnknownColumn {
                name: name.clone(),
                known: columns.names().map(str::to_owned).collect(),
            })
        };
        match &self.plane {
            Some((x, y)) => Ok(Some((find(x)?, find(y)?))),
            None => Ok(None),
        }
    }
}

/// The panels, most telling first.
pub(super) fn panels(
    columns: &Columns,
    series: &Series,
    plane: Option<(usize, usize)>,
    energy_changes: bool,
) -> Vec<Panel> {
    let picture = Picture { columns, series };
    let coordinates = picture.with_role(Role::Coordinate);
    let mut panels = picture.over_time("Coordinates", &coordinates);
    if plane.is_none() && coordinates.len() > FEW {
        panels.extend(picture.profiles(&coordinates));
    } else {
        panels.extend(picture.configuration_plane(&coordinates, plane));
    }
    panels.extend(picture.phase_plane(&coordinates));
    panels.extend(picture.over_time("States", &picture.with_role(Role::State)));
    panels.extend(picture.over_time("Controls", &picture.with_role(Role::Control)));
    panels.extend(picture.over_time("Outputs", &picture.with_role(Role::Asked)));
    let energy = picture.with_role(Role::Energy);
    match energy_changes {
        true => panels.extend(picture.over_time("Energy", &energy)),
        false => panels.extend(picture.errors("Energy error", &energy)),
    }
    panels.extend(picture.errors("Invariants", &picture.with_role(Role::Invariant)));
    for (title, role) in [
        ("Energy split", Role::EnergyPart),
        ("Entropy", Role::Entropy),
        ("Temperature", Role::Temperature),
        ("Matter", Role::Amount),
        ("Chemical potential", Role::Potential),
        ("Multipliers", Role::Multiplier),
    ] {
        panels.extend(picture.over_time(title, &picture.with_role(role)));
    }
    if panels.is_empty() {
        let others: Vec<usize> = (0..columns.len()).filter(|i| Some(*i) != columns.time()).collect();
        panels = picture.over_time("Trajectory", &others);
    }
    panels
}

/// The points of values that are each held until the next.
fn staircase(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let held = points.windows(2).flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]);
    held.chain(points.last().copied()).collect()
}

pub(super) struct Picture<'a> {
    pub columns: &'a Columns,
    pub series: &'a Series,
}

impl Picture<'_> {
    fn with_role(&self, role: Role) -> Vec<usize> {
        self.columns.with_role(role).collect()
    }

    fn name(&self, column: usize) -> &str {
        self.columns[column].name()
    }

    pub fn time_panel(&self, title: &str) -> Panel {
        let label = match self.columns.time().map(|time| self.name(time)) {
            Some("t") => "time",
            Some(other) => other,
            None => "row",
        };
        Panel::new(title).x_label(label)
    }

    /// A column over time, moved down by `shift`, in at most about `most`
    /// points, with every extreme kept.
    fn curve(&self, column: usize, shift: f64, most: usize) -> Vec<(f64, f64)> {
        let time = self.columns.time();
        if self.series.seen() as usize <= most {
            return self
                .series
                .rows()
                .enumerate()
                .map(|(i, row)| (time.map_or(i as f64, |t| row[t]), row[column] - shift))
                .collect();
        }
        let extremes: Vec<(f64, f64)> = self.series.extremes(column).collect();
        let rows_each = self.series.seen() as f64 / extremes.len().max(1) as f64;
        let times: Vec<(f64, f64)> = match time {
            Some(time) => self.series.extremes(time).collect(),
            None => (0..extremes.len()).map(|i| (i as f64 * rows_each, (i + 1) as f64 * rows_each)).collect(),
        };
        let group = (2 * extremes.len()).div_ceil(most).max(1);
        let widest = |span: &[(f64, f64)]| span.iter().fold((f64::NAN, f64::NAN), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let first = self.series.column(column).next().unwrap_or(0.0);
        let mut points: Vec<(f64, f64)> = Vec::with_capacity(most + 2);
        for (times, values) in times.chunks(group).zip(extremes.chunks(group)) {
            let (from, to) = widest(times);
            let (low, high) = widest(values);
            // The extreme nearer to the last point came first, or might have.
            let last = points.last().map_or(first, |p| p.1 + shift);
            let (a, b) = if (last - low).abs() <= (last - high).abs() { (low, high) } else { (high, low) };
            points.push((from, a - shift));
            points.push((to, b - shift));
        }
        points
    }

    pub fn curves(&self, columns: &[usize]) -> Vec<Curve> {
        let most = if columns.len() > FEW { 600 } else { 2048 };
        let one = |column: usize| {
            let points = self.curve(column, 0.0, most);
            match self.columns[column].role() {
                Role::Control => staircase(&points),
                _ => points,
            }
        };
        columns.iter().map(|i| Curve::new(self.name(*i), one(*i))).collect()
    }

    /// Panels over time, columns of unlike size apart.
    fn over_time(&self, title: &str, columns: &[usize]) -> Vec<Panel> {
        if columns.is_empty() {
            return Vec::new();
        }
        let curves = self.curves(columns);
        let groups = if columns.len() > FEW {
            vec![(0..columns.len()).collect()]
        } else {
            comparable(&curves.iter().map(range).collect::<Vec<_>>())
        };
        groups
            .iter()
            .map(|group| {
                let panel = self.time_panel(title).curves(group.iter().map(|i| curves[*i].clone()));
                match group[..] {
                    [only] => panel.y_label(self.name(columns[only])),
                    _ => panel,
                }
            })
            .collect()
    }

    /// Departures from the first value, over time.
    pub fn errors(&self, title: &str, columns: &[usize]) -> Option<Panel> {
        if columns.is_empty() {
            return None;
        }
        let first = |column: usize| self.series.column(column).find(|x| x.is_finite()).unwrap_or(0.0);
        let curves: Vec<Curve> =
            columns.iter().map(|i| Curve::new(self.name(*i), self.curve(*i, first(*i), 2048))).collect();
        let size = columns.iter().map(|i| first(*i).abs()).fold(0.0, f64::max);
        let panel = self.time_panel(title);
        if comparable(&curves.iter().map(range).collect::<Vec<_>>()).len() > 1 {
            // Exact zeros would break the line: they are drawn as the smallest
            // change there is. Those at the start are no finding: not drawn.
            let changes = curves.iter().flat_map(|c| c.points.iter().map(|p| p.1.abs()));
            let least = changes.filter(|x| *x > 0.0).fold(f64::INFINITY, f64::min);
            let sizes = curves.into_iter().map(|mut curve| {
                for (_, y) in curve.points.iter_mut().take_while(|p| p.1 == 0.0) {
                    *y = f64::NAN;
                }
                for (_, y) in curve.points.iter_mut().filter(|p| p.1.is_finite()) {
                    *y = y.abs().max(least);
                }
                curve
            });
            return Some(panel.curves(sizes).log_y().y_label("|change|"));
        }
        let mut panel = panel.curves(curves).zero_line().floor(size * f64::EPSILON);
        panel.y_label = PlotLabel::plain("change");
        if let [only] = columns {
            panel.y_label = change_of(self.name(*only));
            panel.curves[0].label = PlotLabel::default();
        }
        Some(panel)
    }

    /// Bodies in a plane where names say that there are some, else the first two coordinates; to scale where both are lengths.
    fn configuration_plane(&self, coordinates: &[usize], plane: Option<(usize, usize)>) -> Option<Panel> {
        let bodies = if plane.is_none() { self.bodies(coordinates) } else { Vec::new() };
        if bodies.len() > 1 {
            let curves = bodies.iter().map(|(x, y)| {
                let name = format!("{}, {}", self.name(*x), self.name(*y));
                Curve::new(&name, self.series.points(*x, *y)).ends()
            });
            return Some(Panel::new("Configuration plane").x_label("x").y_label("y").curves(curves).equal_aspect());
        }
        let (x, y) = plane
            .or_else(|| bodies.first().copied())
            .or_else(|| coordinates.first().copied().zip(coordinates.get(1).copied()))?;
        let curve = Curve::new("", self.series.points(x, y)).ends();
        let lengths = is_length(self.name(x)) && is_length(self.name(y)) && flatness(&curve) <= FLATTEST;
        let panel = Panel::new("Configuration plane").x_label(self.name(x)).y_label(self.name(y)).curve(curve);
        Some(if lengths { panel.equal_aspect() } else { panel.plane() })
    }

    /// The coordinates `x` and `y` of bodies, `x1` and `y1`, `x[2]` and `y[2]`.
    fn bodies(&self, coordinates: &[usize]) -> Vec<(usize, usize)> {
        let named = |name: &str| coordinates.iter().copied().find(|i| self.name(*i) == name);
        let of = |x: &usize| {
            let name = self.name(*x);
            let rest = name.strip_prefix('x').filter(|_| is_length(name))?;
            Some((*x, named(&format!("y{rest}"))?))
        };
        coordinates.iter().filter_map(of).take(FEW).collect()
    }

    /// Coordinates against momenta, or velocities where there are none.
    fn phase_plane(&self, coordinates: &[usize]) -> Option<Panel> {
        let pairs = |role: Role| -> Vec<(usize, usize)> {
            coordinates
                .iter()
                .filter_map(|q| Some((*q, self.columns.belonging_to(self.name(*q), role)?)))
                .take(MOST_PHASE_CURVES)
                .collect()
        };
        let momenta = pairs(Role::Momentum);
        let (pairs, word) =
            if momenta.is_empty() { (pairs(Role::Velocity), "velocity") } else { (momenta, "momentum") };
        let curves: Vec<Curve> =
            pairs.iter().map(|(q, p)| Curve::new(self.name(*q), self.series.points(*q, *p)).ends()).collect();
        // Only what is comparable with the first coordinate on both axes.
        let first = |ranges: Vec<(f64, f64)>| comparable(&ranges).into_iter().find(|g| g.contains(&0));
        let across = first(curves.iter().map(|c| extent(c.points.iter().map(|p| p.0))).collect())?;
        let up = first(curves.iter().map(range).collect())?;
        let shown: Vec<usize> = across.into_iter().filter(|i| up.contains(i)).collect();
        let panel = Panel::new("Phase plane").plane();
        Some(match shown[..] {
            [only] => panel
                .x_label(self.name(pairs[only].0))
                .y_label(self.name(pairs[only].1))
                .curve(Curve { label: PlotLabel::default(), ..curves[only].clone() }),
            _ => panel.x_label("coordinate").y_label(word).curves(shown.iter().map(|i| curves[*i].clone())),
        })
    }

    /// Many coordinates at a few times, against their number.
    fn profiles(&self, coordinates: &[usize]) -> Option<Panel> {
        let rows: Vec<&[f64]> = self.series.rows().collect();
        let last = rows.len().checked_sub(1)?;
        let mut at: Vec<usize> = (0..PROFILES).map(|i| i * last / (PROFILES - 1)).collect();
        at.dedup();
        let curves = at.into_iter().map(|row| {
            let name = match self.columns.time() {
                Some(time) => format!("{} = {}", self.name(time), sig(rows[row][time], 3)),
                None => format!("row {row}"),
            };
            let values = coordinates.iter().map(|i| rows[row][*i]);
            let points = values.enumerate().map(|(i, x)| ((i + 1) as f64, x));
            Curve::new(&name, points).mark(Mark::LineAndPoints)
        });
        Some(Panel::new("Profile").x_label("coordinate number").curves(curves))
    }
}

/// `E − E₀` for a symbol, `energy − first` for a word.
fn change_of(name: &str) -> PlotLabel {
    let label = PlotLabel::name(name);
    match &label.spans[..] {
        [only] if only.style == Style::Italic => {
            label.clone().then(" − ", Style::Regular).then_label(label).then_lowered("0", Style::Regular)
        }
        _ => label.then(" − first", Style::Regular),
    }
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.filter(|x| x.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), |a, x| (a.0.min(x), a.1.max(x)))
}

fn range(curve: &Curve) -> (f64, f64) {
    extent(curve.points.iter().map(|p| p.1))
}

fn flatness(curve: &Curve) -> f64 {
    let (left, right) = extent(curve.points.iter().map(|p| p.0));
    let (low, high) = range(curve);
    let (width, height) = (right - left, high - low);
    // A straight line along an axis has no shape to keep.
    (width / height).max(height / width)
}

/// Groups of ranges that can share an axis: each spans a fair part of what all
/// of its group span. A value that never moves goes where it does not stretch
/// the axis much.
fn comparable(ranges: &[(f64, f64)]) -> Vec<Vec<usize>> {
    struct PanelGroup {
        low: f64,
        high: f64,
        least: f64,
        members: Vec<usize>,
    }
    let span = |i: usize| ranges[i].1 - ranges[i].0;
    // Largest first; what never moves, or has no values, last.
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    order.sort_by(|a, b| span(*b).total_cmp(&span(*a)));
    let mut groups: Vec<PanelGroup> = Vec::new();
    for i in order {
        let ((low, high), span) = (ranges[i], span(i));
        let home = groups.iter_mut().find(|group| {
            let whole = group.high.max(high) - group.low.min(low);
            let least = if span > 0.0 { group.least.min(span) } else { group.least };
            low > high || least == 0.0 || least >= COMPARABLE * whole
        });
        match home {
            Some(group) => {
                group.low = group.low.min(low);
                group.high = group.high.max(high);
                if span > 0.0 {
                    group.least = group.least.min(span);
                }
                group.members.push(i);
            }
            None => groups.push(PanelGroup { low, high, least: span, members: vec![i] }),
        }
    }
    let mut groups: Vec<Vec<usize>> = groups.into_iter().map(|group| group.members).collect();
    for group in &mut groups {
        group.sort_unstable();
    }
    groups.sort();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;

    #[test]
    fn unlike_sizes_part() {
        let groups = comparable(&[(0.0, 1.0), (-1000.0, 1000.0), (-0.5, 0.2), (0.0, 900.0)]);
        assert_eq!(groups, [vec![0, 2], vec![1, 3]]);
        // A small swing far from the others, and values that never move.
        let groups = comparable(&[(0.0, 1.0), (500.0, 501.0), (0.5, 0.5), (500.2, 500.2)]);
        assert_eq!(groups, [vec![0, 2], vec![1, 3]]);
        assert_eq!(comparable(&[(2.0, 2.0), (3.0, 3.0)]), [[0, 1]]);
        let nothing = (f64::INFINITY, f64::NEG_INFINITY);
        assert_eq!(comparable(&[nothing, (0.0, 1.0)]), [vec![0, 1]]);
    }

    fn series(columns: usize, rows: usize) -> Series {
        let mut series = Series::new(columns);
        for i in 0..rows {
            let t = 0.01 * i as f64;
            let row: Vec<f64> = (0..columns).map(|c| if c == 0 { t } else { (t + c as f64).sin() }).collect();
            series.push(&row);
        }
        series
    }

    fn titles(columns: &[Column]) -> Vec<String> {
        let columns = Columns::new(columns.iter().cloned()).unwrap();
        let panels = panels(&columns, &series(columns.len(), 50), None, false);
        panels.into_iter().map(|panel| panel.title).collect()
    }

    #[test]
    fn roles_choose_panels() {
        let [t, x, y] = [Column::time(), Column::coordinate("x"), Column::coordinate("y")];
        assert_eq!(titles(&[t.clone(), x.clone()]), ["Coordinates"]);
        assert_eq!(titles(&[t.clone(), x.clone(), Column::velocity("x")]), ["Coordinates", "Phase plane"]);
        assert_eq!(
            titles(&[t.clone(), x, y, Column::new("E", Role::Energy)]),
            ["Coordinates", "Configuration plane", "Energy error"]
        );
        assert_eq!(
            titles(&[t.clone(), Column::new("S", Role::Entropy), Column::new("T", Role::Temperature)]),
            ["Entropy", "Temperature"]
        );
        assert_eq!(titles(&[t.clone(), Column::new("w", Role::Output)]), ["Trajectory"]);
        let mut many = vec![t];
        many.extend((1..=64).map(|i| Column::coordinate(format!("x[{i}]"))));
        assert_eq!(titles(&many), ["Coordinates", "Profile"]);
    }

    #[test]
    fn momenta_come_before_velocities() {
        let columns =
            Columns::new([Column::time(), Column::coordinate("x"), Column::velocity("x"), Column::momentum("x")])
                .unwrap();
        let series = series(4, 20);
        let phase = panels(&columns, &series, None, false).pop().unwrap();
        assert_eq!(phase.y_label, PlotLabel::name("p_x"));
        let first = phase.curves[0].points[0];
        assert_eq!(first, (1f64.sin(), 3f64.sin()));
    }

    #[test]
    fn a_long_curve_keeps_its_extremes_in_few_points() {
        let columns = Columns::new([Column::time(), Column::coordinate("x")]).unwrap();
        let mut series = Series::new(2);
        for i in 0..400_000 {
            let x = if i == 123_456 { 7.0 } else { 0.0 };
            series.push(&[f64::from(i), x]);
        }
        let panel = &panels(&columns, &series, None, false)[0];
        let points = &panel.curves[0].points;
        assert!(points.len() <= 2050);
        assert_eq!(range(&panel.curves[0]), (0.0, 7.0));
        assert_eq!(points[points.len() - 1].0, 399_999.0);
        assert!(points.windows(2).all(|w| w[0].0 <= w[1].0));
    }
}
