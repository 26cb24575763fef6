//! One panel, drawn into its cell.

use super::axis::{PlotAxis, Ticks};
use super::label::PlotLabel;
use super::legend::{self, Legend};
use super::map::ValueMap;
use super::palette::{self, AXIS, GRID, INK, MUTED};
use super::panel::{Curve, Mark, Panel};
use super::polyline;
use super::scene::{Anchor, Color, Rect, SceneItem, SceneText, Stroke};

const TITLE_SIZE: f64 = 13.0;
const LABEL_SIZE: f64 = 12.0;
const TICK_SIZE: f64 = 10.5;
const TICK_LENGTH: f64 = 4.0;
const RIGHT_MARGIN: f64 = 10.0;
const BOTTOM_MARGIN: f64 = 42.0;
const TITLE_HEIGHT: f64 = 24.0;
const NOTE_HEIGHT: f64 = 15.0;
const LINE_WIDTH: f64 = 1.5;
const MARKER_RADIUS: f64 = 2.6;
const DOT_RADIUS: f64 = 1.2;

/// A panel's measures once its cell and left margin are known.
struct PanelLayout {
    plot: Rect,
    axes: Option<(PlotAxis, PlotAxis)>,
    x_ticks: Ticks,
    y_ticks: Ticks,
    legend: Legend,
}

impl PanelLayout {
    fn new(panel: &Panel, cell: Rect, left_margin: f64) -> Self {
        let left = cell.left + left_margin;
        let bar = if panel.map.is_some() { ValueMap::ROOM } else { 0.0 };
        let right = cell.right - RIGHT_MARGIN - bar;
        let title = PlotLabel::bold(&panel.title).width(TITLE_SIZE);
        let legend = Legend::of(panel, right - left, title);
        let mut plot = Rect {
            left,
            top: cell.top + TITLE_HEIGHT + legend.height_below_title(),
            right,
            bottom: cell.bottom - BOTTOM_MARGIN,
        };
        // The note above the axis takes room, which may change the ticks, but
        // not whether there is a note.
        let mut layout = Self::measured(panel, plot);
        if layout.1.note.is_some() {
            plot.top += NOTE_HEIGHT;
            layout = Self::measured(panel, plot);
        }
        Self { plot, axes: layout.2, x_ticks: layout.0, y_ticks: layout.1, legend }
    }

    fn measured(panel: &Panel, plot: Rect) -> (Ticks, Ticks, Option<(PlotAxis, PlotAxis)>) {
        let Some((x, y)) = axes(panel, plot) else {
            return (Ticks::default(), Ticks::default(), None);
        };
        let x_ticks =
            x.fitted_ticks((plot.width() / 55.0).min(10.0) as usize, |label| (text_width(label) + 14.0) / plot.width());
        let y_ticks = y.ticks((plot.height() / 38.0) as usize);
        (x_ticks, y_ticks, Some((x, y)))
    }

    fn x(&self, fraction: f64) -> f64 {
        self.plot.left + fraction * self.plot.width()
    }

    fn y(&self, fraction: f64) -> f64 {
        self.plot.bottom - fraction * self.plot.height()
    }
}

/// The room a panel needs left of its plot for ticks and the axis label.
pub(super) fn left_margin(panel: &Panel, cell: Rect) -> f64 {
    let layout = PanelLayout::new(panel, cell, 60.0);
    let widest = layout.y_ticks.marks.iter().map(|(_, label)| text_width(label)).fold(0.0, f64::max);
    let label = if panel.y_label.is_empty() { 0.0 } else { LABEL_SIZE + 8.0 };
    widest + TICK_LENGTH + 6.0 + label
}

/// Draws a panel.
pub(super) fn panel(items: &mut Vec<SceneItem>, panel: &Panel, cell: Rect, left_margin: f64) {
    let layout = PanelLayout::new(panel, cell, left_margin);
    let plot = layout.plot;
    items.push(text(
        (plot.left, cell.top + TITLE_SIZE),
        TITLE_SIZE,
        INK,
        PlotLabel::bold(&panel.title).fitted(TITLE_SIZE, plot.width()),
    ));
    layout.legend.draw(items, plot.left, plot.right, cell.top);
    draw_grid(items, panel, &layout);
    match &layout.axes {
        Some((x, y)) => {
            if let Some(map) = &panel.map {
                map.draw(items, plot, x, y);
            }
            let many = panel.curves.len() > palette::MOST_DISTINCT;
            for (index, curve) in panel.curves.iter().enumerate() {
                let stroke = legend::stroke(index, panel.curves.len(), LINE_WIDTH, curve.mark);
                let points = curve.points.iter().map(|(px, py)| (layout.x(x.fraction(*px)), layout.y(y.fraction(*py))));
                let runs = polyline::runs(points);
                draw_curve(items, curve, runs, stroke, panel.is_plane, many);
            }
        }
        None => items.push(centred(
            ((plot.left + plot.right) / 2.0, (plot.top + plot.bottom) / 2.0),
            PlotLabel::plain("no data to draw"),
        )),
    }
    items.push(SceneItem::Frame(plot, Stroke::solid(AXIS, 0.9)));
    draw_labels(items, panel, &layout, cell);
}

fn axes(panel: &Panel, plot: Rect) -> Option<(PlotAxis, PlotAxis)> {
    if let Some(map) = &panel.map {
        let corners = || map.corners().into_iter();
        let x = PlotAxis::covering(corners().map(|corner| corner.0), panel.x_scale, 0.0)?;
        return Some((x, PlotAxis::covering(corners().map(|corner| corner.1), panel.y_scale, 0.0)?));
    }
    // In a plane only what can be drawn counts; over time all times do, so that
    // one sees where values are missing.
    let points = || panel.curves.iter().flat_map(|c| c.points.iter().copied());
    let visible = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
    let x = PlotAxis::covering(points().filter(|p| visible(p) || !panel.is_plane).map(|p| p.0), panel.x_scale, 0.0)?;
    let y = PlotAxis::covering(points().filter(visible).map(|p| p.1), panel.y_scale, panel.y_floor)?;
    let marked = panel.curves.iter().any(|c| c.mark != Mark::Line);
    let x_pad = match (panel.is_plane, marked) {
        (true, _) => 0.06,
        (false, true) => 0.03,
        (false, false) => 0.0,
    };
    let (x, y) = (x.padded(x_pad), y.padded(0.06));
    if !panel.equal_aspect {
        return Some((x, y));
    }
    let unit = (x.span() / plot.width()).max(y.span() / plot.height());
    Some((x.with_span(unit * plot.width()), y.with_span(unit * plot.height())))
}

fn draw_grid(items: &mut Vec<SceneItem>, panel: &Panel, layout: &PanelLayout) {
    let plot = layout.plot;
    let vertical = |fraction: f64, from: f64, to: f64| {
        let x = layout.x(fraction);
        vec![(x, from), (x, to)]
    };
    let horizontal = |fraction: f64, from: f64, to: f64| {
        let y = layout.y(fraction);
        vec![(from, y), (to, y)]
    };
    let marks = |ticks: &Ticks| ticks.marks.iter().map(|m| m.0).collect::<Vec<_>>();
    let (xs, ys) = (marks(&layout.x_ticks), marks(&layout.y_ticks));
    let mut grid: Vec<_> = xs.iter().map(|f| vertical(*f, plot.top, plot.bottom)).collect();
    grid.extend(ys.iter().map(|f| horizontal(*f, plot.left, plot.right)));
    items.push(SceneItem::Lines(grid, Stroke::solid(GRID, 0.8)));

    if let Some((_, y)) = layout.axes.as_ref().filter(|_| panel.zero_line) {
        let zero = y.fraction(0.0);
        if (0.0..=1.0).contains(&zero) {
            let stroke = Stroke { dash: Some((4.0, 3.0)), ..Stroke::solid(MUTED, 0.8) };
            let line = horizontal(zero, plot.left, plot.right);
            items.push(SceneItem::Lines(vec![line], stroke));
        }
    }

    let below = |length| move |f: &f64| vertical(*f, plot.bottom, plot.bottom + length);
    let beside = |length| move |f: &f64| horizontal(*f, plot.left - length, plot.left);
    let half = TICK_LENGTH / 2.0;
    let mut ticks: Vec<_> = xs.iter().map(below(TICK_LENGTH)).collect();
    ticks.extend(ys.iter().map(beside(TICK_LENGTH)));
    ticks.extend(layout.x_ticks.minor.iter().map(below(half)));
    ticks.extend(layout.y_ticks.minor.iter().map(beside(half)));
    items.push(SceneItem::Lines(ticks, Stroke::solid(AXIS, 0.9)));
}

fn draw_labels(items: &mut Vec<SceneItem>, panel: &Panel, layout: &PanelLayout, cell: Rect) {
    let plot = layout.plot;
    for (fraction, label) in &layout.x_ticks.marks {
        items.push(SceneItem::Text(SceneText {
            anchor: Anchor::Middle,
            ..tick_text(layout.x(*fraction), plot.bottom + TICK_LENGTH + 11.0, label)
        }));
    }
    for (fraction, label) in &layout.y_ticks.marks {
        // Digits are about 0.73 of the font size tall.
        let y = layout.y(*fraction) + 0.365 * TICK_SIZE;
        items.push(SceneItem::Text(SceneText {
            anchor: Anchor::End,
            ..tick_text(plot.left - TICK_LENGTH - 3.0, y, label)
        }));
    }
    if let Some(note) = &layout.y_ticks.note {
        items.push(SceneItem::Text(tick_text(plot.left, plot.top - 5.0, note)));
    }
    let x_label_line = plot.bottom + 32.0;
    if let Some(note) = &layout.x_ticks.note {
        items.push(SceneItem::Text(SceneText { anchor: Anchor::End, ..tick_text(plot.right, x_label_line, note) }));
    }
    items.push(centred(
        ((plot.left + plot.right) / 2.0, x_label_line),
        panel.x_label.clone().fitted(LABEL_SIZE, plot.width()),
    ));
    items.push(SceneItem::Text(SceneText {
        x: cell.left + LABEL_SIZE,
        y: (plot.top + plot.bottom) / 2.0,
        size: LABEL_SIZE,
        anchor: Anchor::Middle,
        upwards: true,
        color: INK,
        label: panel.y_label.clone().fitted(LABEL_SIZE, plot.height()),
    }));
}

fn draw_curve(
    items: &mut Vec<SceneItem>,
    curve: &Curve,
    runs: Vec<Vec<(f64, f64)>>,
    stroke: Stroke,
    is_plane: bool,
    many: bool,
) {
    let ends = runs.first().and_then(|run| run.first()).copied().zip(runs.last().and_then(|run| run.last()).copied());
    let stroke = Stroke { width: if many { 0.7 } else { stroke.width }, ..stroke };
    let tangle = is_plane && curve.mark == Mark::Line && runs.iter().any(|r| polyline::is_tangle(r));
    if tangle {
        let points = runs.concat();
        let radius = if points.len() > 2000 { 0.8 } else { 1.3 };
        items.push(SceneItem::Discs(points, radius, stroke.color));
    } else if matches!(curve.mark, Mark::Points | Mark::Dots) {
        let radius = if curve.mark == Mark::Dots { DOT_RADIUS } else { MARKER_RADIUS };
        items.push(SceneItem::Discs(runs.concat(), radius, stroke.color));
    } else {
        let (lone, runs): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| run.len() == 1);
        let mut marked: Vec<_> = lone.concat();
        if curve.mark == Mark::LineAndPoints {
            marked.extend(runs.iter().flatten().copied());
        }
        let mut lines = Vec::new();
        for run in &runs {
            match polyline::band(run).filter(|_| !is_plane) {
                Some(band) => draw_band(items, band, stroke.color),
                None => lines.push(polyline::simplified(run)),
            }
        }
        if !lines.is_empty() {
            items.push(SceneItem::Lines(lines, stroke));
        }
        if !marked.is_empty() {
            items.push(SceneItem::Discs(marked, MARKER_RADIUS, stroke.color));
        }
    }
    if let Some((start, end)) = ends.filter(|_| curve.shows_ends) {
        items.push(SceneItem::Discs(vec![end], 3.4, stroke.color));
        items.push(SceneItem::Ring(start, 3.4, Stroke::solid(stroke.color, 1.3)));
    }
}

fn draw_band(items: &mut Vec<SceneItem>, band: Vec<(f64, f64, f64)>, color: Color) {
    let top = band.iter().map(|(x, top, _)| (*x, *top)).collect();
    let bottom = band.iter().map(|(x, _, bottom)| (*x, *bottom)).collect();
    items.push(SceneItem::Band(band, color));
    items.push(SceneItem::Lines(vec![top, bottom], Stroke::solid(color, 1.0)));
}

fn text_width(label: &str) -> f64 {
    PlotLabel::plain(label).width(TICK_SIZE)
}

/// What a tick of a vertical bar stands for, beside its end.
pub(super) fn text_of_ticks(x: f64, y: f64, label: &str) -> SceneItem {
    SceneItem::Text(tick_text(x, y + 0.365 * TICK_SIZE, label))
}

fn tick_text(x: f64, y: f64, label: &str) -> SceneText {
    SceneText {
        x,
        y,
        size: TICK_SIZE,
        anchor: Anchor::Start,
        upwards: false,
        color: AXIS,
        label: PlotLabel::plain(label),
    }
}

pub(super) fn text((x, y): (f64, f64), size: f64, color: Color, label: PlotLabel) -> SceneItem {
    SceneItem::Text(SceneText { x, y, size, anchor: Anchor::Start, upwards: false, color, label })
}

fn centred((x, y): (f64, f64), label: PlotLabel) -> SceneItem {
    SceneItem::Text(SceneText { x, y, size: LABEL_SIZE, anchor: Anchor::Middle, upwards: false, color: INK, label })
}
