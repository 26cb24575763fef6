//! A number over a plane: cells in colours, and what these stand for.

use super::Scale;
use super::axis::PlotAxis;
use super::draw::text_of_ticks;
use super::palette::{self, AXIS, GRID};
use super::scene::{Rect, SceneItem, Stroke};

/// How many colours are told apart.
const LEVELS: f64 = 96.0;
/// How far cells reach below others.
const OVERLAP: f64 = 0.4;
/// The bar beside a map: its distance, its width, and the room for what it says.
const BAR: (f64, f64, f64) = (10.0, 12.0, 46.0);

/// Values over a grid, row by row from below; what is not finite is grey.
#[derive(Debug, Clone)]
pub(super) struct ValueMap {
    pub across: Vec<f64>,
    pub up: Vec<f64>,
    pub values: Vec<f64>,
}

/// The ends of the cells around places in ascending order.
fn edges(places: &[f64]) -> Vec<f64> {
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return Vec::new() };
    let step = |at: usize| match places.len() {
        1 => 1.0,
        _ => places[at + 1] - places[at],
    };
    let begin = first - step(0) / 2.0;
    let end = last + step(places.len().saturating_sub(2)) / 2.0;
    let between = places.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0);
    [begin].into_iter().chain(between).chain([end]).collect()
}

impl ValueMap {
    /// The room that a panel with a map needs on its right.
    pub const ROOM: f64 = BAR.0 + BAR.1 + BAR.2;

    /// The corners of the map.
    pub fn corners(&self) -> [(f64, f64); 2] {
        let (across, up) = (edges(&self.across), edges(&self.up));
        let end = |list: &[f64], last: bool| if last { list.last() } else { list.first() }.copied().unwrap_or(f64::NAN);
        [(end(&across, false), end(&up, false)), (end(&across, true), end(&up, true))]
    }

    fn axis(&self) -> Option<PlotAxis> {
        PlotAxis::covering(self.values.iter().copied(), Scale::Linear, 0.0)
    }

    /// Draws the cells into a plot with these axes, and the bar on its right.
    pub fn draw(&self, items: &mut Vec<SceneItem>, plot: Rect, x: &PlotAxis, y: &PlotAxis) {
        items.push(SceneItem::Fill(plot, GRID));
        let Some(colors) = self.axis() else { return };
        let (across, up) = (edges(&self.across), edges(&self.up));
        let place_x = |value: f64| plot.left + x.fraction(value) * plot.width();
        let place_y = |value: f64| plot.bottom - y.fraction(value) * plot.height();
        let level = |value: f64| value.is_finite().then(|| (colors.fraction(value) * LEVELS).round());
        for (row, ends) in up.windows(2).enumerate() {
            let values = &self.values[row * self.across.len()..(row + 1) * self.across.len()];
            let mut from = 0;
            // Neighbours of one colour are one rectangle.
            for run in values.chunk_by(|a, b| level(*a) == level(*b)) {
                let to = from + run.len();
                if let Some(level) = level(run[0]) {
                    let cell = Rect {
                        left: place_x(across[from]),
                        top: place_y(ends[1]),
                        // Cells overlap a little, so that no line is seen between them.
                        right: (place_x(across[to]) + OVERLAP).min(plot.right),
                        bottom: (place_y(ends[0]) + OVERLAP).min(plot.bottom),
                    };
                    items.push(SceneItem::Fill(cell, palette::ordered(level / LEVELS)));
                }
                from = to;
            }
        }
        self.draw_bar(items, plot, &colors);
    }

    fn draw_bar(&self, items: &mut Vec<SceneItem>, plot: Rect, colors: &PlotAxis) {
        let bar = Rect { left: plot.right + BAR.0, right: plot.right + BAR.0 + BAR.1, ..plot };
        let height = bar.height() / LEVELS;
        for level in 0..LEVELS as usize {
            let bottom = bar.bottom - level as f64 * height;
            let stripe = Rect { top: bottom - height, bottom: (bottom + OVERLAP).min(bar.bottom), ..bar };
            items.push(SceneItem::Fill(stripe, palette::ordered((level as f64 + 0.5) / LEVELS)));
        }
        items.push(SceneItem::Frame(bar, Stroke::solid(AXIS, 0.9)));
        let ticks = colors.ticks((bar.height() / 38.0) as usize);
        for (fraction, label) in &ticks.marks {
            let y = bar.bottom - fraction * bar.height();
            items.push(SceneItem::Lines(vec![vec![(bar.right, y), (bar.right + 3.0, y)]], Stroke::solid(AXIS, 0.9)));
            items.push(text_of_ticks(bar.right + 5.5, y, label));
        }
        if let Some(note) = &ticks.note {
            items.push(text_of_ticks(bar.left, bar.top - 8.0, note));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_meet_in_the_middle_and_have_ends() {
        assert_eq!(edges(&[0.0, 1.0, 3.0]), [-0.5, 0.5, 2.0, 4.0]);
        assert_eq!(edges(&[2.0]), [1.5, 2.5]);
        assert!(edges(&[]).is_empty());
    }

    /// A map of x + 10 y: its cells are as many as its values, each where it belongs and with the colour of its value.
    #[test]
    fn a_map_has_its_values_where_they_belong() {
        let map = ValueMap { across: vec![0.0, 1.0], up: vec![0.0, 1.0], values: vec![0.0, 1.0, 10.0, f64::NAN] };
        let axis = |low, high| PlotAxis { scale: Scale::Linear, low, high };
        let mut items = Vec::new();
        let plot = Rect { left: 0.0, top: 0.0, right: 100.0, bottom: 100.0 };
        map.draw(&mut items, plot, &axis(-0.5, 1.5), &axis(-0.5, 1.5));
        let cells: Vec<_> = items
            .iter()
            .filter_map(|item| match item {
                SceneItem::Fill(rect, color) if rect.right <= 100.0 => Some((rect.left, rect.top, *color)),
                _ => None,
            })
            .collect();
        let color = |value: f64| palette::ordered((value / 10.0 * LEVELS).round() / LEVELS);
        let expected = [(0.0, 0.0, GRID), (0.0, 50.0, color(0.0)), (50.0, 50.0, color(1.0)), (0.0, 0.0, color(10.0))];
        assert_eq!(cells, expected);
    }
}
