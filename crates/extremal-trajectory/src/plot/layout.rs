//! Where the panels of a figure go.

use super::Figure;
use super::draw;
use super::label::PlotLabel;
use super::palette::{INK, MUTED, WHITE};
use super::scene::{Anchor, Rect, Scene, SceneItem, SceneText};

const MARGIN: f64 = 18.0;
const CELL: (f64, f64) = (450.0, 320.0);
/// A figure of one panel is larger than a cell.
const LONE_CELL: (f64, f64) = (720.0, 440.0);
const GAP: (f64, f64) = (22.0, 18.0);
const TITLE_SIZE: f64 = 17.0;
const SUBTITLE_SIZE: f64 = 12.0;

/// The figure, drawn.
pub(super) fn scene(figure: &Figure) -> Scene {
    let grid = Grid::for_panels(figure.panels.len());
    let cell = if figure.panels.len() == 1 { LONE_CELL } else { CELL };
    let span = |count: usize, size: f64, gap: f64| count as f64 * (size + gap) - gap;
    let width = 2.0 * MARGIN + span(grid.columns, cell.0, GAP.0);
    let mut top = MARGIN;
    let mut items = Vec::new();
    for (text, size, color, is_title) in
        [(&figure.title, TITLE_SIZE, INK, true), (&figure.subtitle, SUBTITLE_SIZE, MUTED, false)]
    {
        if text.is_empty() {
            continue;
        }
        let label = if is_title { PlotLabel::bold(text) } else { PlotLabel::plain(text) };
        items.push(SceneItem::Text(SceneText {
            x: MARGIN,
            y: top + 0.8 * size,
            size,
            anchor: Anchor::Start,
            upwards: false,
            color,
            label: label.fitted(size, width - 2.0 * MARGIN),
        }));
        top += 1.4 * size;
    }
    if top > MARGIN {
        top += 8.0;
    }
    let height = top + span(grid.rows, cell.1, GAP.1) + MARGIN;

    let places = grid.places();
    let cells: Vec<Rect> = places
        .iter()
        .map(|place| {
            let left = MARGIN + place.column as f64 * (cell.0 + GAP.0);
            let top = top + place.row as f64 * (cell.1 + GAP.1);
            Rect { left, top, right: left + span(place.columns, cell.0, GAP.0), bottom: top + cell.1 }
        })
        .collect();
    let margins: Vec<f64> =
        figure.panels.iter().zip(&cells).map(|(panel, cell)| draw::left_margin(panel, *cell)).collect();
    for (i, panel) in figure.panels.iter().enumerate() {
        // Panels above each other begin on one line.
        let margin = places
            .iter()
            .zip(&margins)
            .filter(|(place, _)| place.column == places[i].column)
            .map(|(_, margin)| *margin)
            .fold(0.0, f64::max);
        draw::panel(&mut items, panel, cells[i], margin);
    }
    let page = Rect { left: 0.0, top: 0.0, right: width, bottom: height };
    items.insert(0, SceneItem::Fill(page, WHITE));
    Scene { width, height, items }
}

struct Grid {
    panels: usize,
    columns: usize,
    rows: usize,
}

/// The cells a panel takes: in one row, from `column` on.
#[derive(Debug, PartialEq)]
struct PanelPlace {
    row: usize,
    column: usize,
    columns: usize,
}

impl Grid {
    fn for_panels(panels: usize) -> Self {
        let columns = match panels {
            0 | 1 => 1,
            2..=4 => 2,
            _ => 3,
        };
        Self { panels, columns, rows: panels.div_ceil(columns) }
    }

    /// Left to right, top to bottom; the first panel, usually the one over
    /// time, takes the cells that would stay empty.
    fn places(&self) -> Vec<PanelPlace> {
        let spare = self.columns * self.rows - self.panels;
        (0..self.panels)
            .map(|i| {
                let cell = if i == 0 { 0 } else { i + spare };
                PanelPlace {
                    row: cell / self.columns,
                    column: cell % self.columns,
                    columns: if i == 0 { 1 + spare } else { 1 },
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_filled() {
        for panels in 1..30 {
            let grid = Grid::for_panels(panels);
            let mut taken = vec![0; grid.columns * grid.rows];
            for place in grid.places() {
                assert!(place.column + place.columns <= grid.columns);
                for column in place.column..place.column + place.columns {
                    taken[place.row * grid.columns + column] += 1;
                }
            }
            assert!(taken.iter().all(|n| *n == 1), "{panels} panels");
        }
    }
}
