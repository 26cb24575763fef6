//! Which curve is which, said outside the plot so that nothing is covered.

use super::draw::text;
use super::label::PlotLabel;
use super::palette::{self, INK, MUTED};
use super::panel::{Mark, Panel};
use super::scene::{Color, Rect, SceneItem, Stroke};

const SIZE: f64 = 11.5;
const ROW: f64 = 17.0;
const SAMPLE: f64 = 18.0;
const SAMPLE_GAP: f64 = 5.0;
const ENTRY_GAP: f64 = 14.0;
/// The length of the colour bar of a family.
const FAMILY: f64 = 60.0;
/// Rows beyond this would leave no room for the plot.
const MOST_ROWS: usize = 4;

enum Sample {
    Curve(Stroke, Mark),
    Start,
    End,
    /// All colours of an ordered family, between its first and last name.
    Family,
    Nothing,
}

impl Sample {
    fn width(&self) -> f64 {
        match self {
            Sample::Curve(..) => SAMPLE + SAMPLE_GAP,
            Sample::Start | Sample::End => 8.0 + SAMPLE_GAP,
            Sample::Family => FAMILY + 2.0 * SAMPLE_GAP - ENTRY_GAP,
            Sample::Nothing => 0.0,
        }
    }
}

struct LegendEntry {
    sample: Sample,
    label: PlotLabel,
    color: Color,
}

impl LegendEntry {
    fn width(&self) -> f64 {
        self.sample.width() + self.label.width(SIZE)
    }
}

/// The legend of a panel, cut into rows.
pub(super) struct Legend {
    rows: Vec<Vec<LegendEntry>>,
    /// On the line of the title, at its right.
    is_beside_title: bool,
}

/// How curve `index` of `count` is drawn.
pub(super) fn stroke(index: usize, count: usize, width: f64, mark: Mark) -> Stroke {
    if count > palette::MOST_DISTINCT {
        let fraction = index as f64 / (count - 1) as f64;
        return Stroke::solid(palette::ordered(fraction), width);
    }
    Stroke {
        color: palette::distinct(index),
        width,
        dash: match mark {
            Mark::Dashed => Some((5.0, 3.0)),
            _ => palette::dash(index),
        },
    }
}

impl Legend {
    /// The legend for a panel of this width with a title of that width.
    pub fn of(panel: &Panel, width: f64, title_width: f64) -> Self {
        let entries = entries(panel);
        let total: f64 = entries.iter().map(|e| e.width() + ENTRY_GAP).sum();
        let is_beside_title = title_width + ENTRY_GAP + total <= width;
        let mut rows: Vec<Vec<LegendEntry>> = vec![Vec::new()];
        let mut used = 0.0;
        for mut entry in entries {
            if entry.width() > width {
                entry.label = entry.label.fitted(SIZE, width - entry.sample.width());
            }
            if used > 0.0 && used + entry.width() > width {
                rows.push(Vec::new());
                used = 0.0;
            }
            used += entry.width() + ENTRY_GAP;
            if let Some(row) = rows.last_mut() {
                row.push(entry);
            }
        }
        rows.truncate(MOST_ROWS);
        rows.retain(|row| !row.is_empty());
        Self { rows, is_beside_title }
    }

    /// The room it needs under the title.
    pub fn height_below_title(&self) -> f64 {
        if self.is_beside_title { 0.0 } else { self.rows.len() as f64 * ROW }
    }

    /// Draws it for a plot between `left` and `right` in a cell from `top`.
    pub fn draw(&self, items: &mut Vec<SceneItem>, left: f64, right: f64, top: f64) {
        for (i, row) in self.rows.iter().enumerate() {
            let (mut x, y) = if self.is_beside_title {
                let gaps = (row.len() - 1) as f64 * ENTRY_GAP;
                let width = row.iter().map(LegendEntry::width).sum::<f64>() + gaps;
                (right - width, top + 12.5)
            } else {
                (left, top + 30.5 + i as f64 * ROW)
            };
            for entry in row {
                draw_sample(items, &entry.sample, x, y - 0.32 * SIZE);
                let at = (x + entry.sample.width(), y);
                items.push(text(at, SIZE, entry.color, entry.label.clone()));
                x += entry.width() + ENTRY_GAP;
            }
        }
    }
}

fn entries(panel: &Panel) -> Vec<LegendEntry> {
    let count = panel.curves.len();
    let mut entries = Vec::new();
    if count > palette::MOST_DISTINCT {
        let ends = [panel.curves.first(), panel.curves.last()];
        let samples = [Sample::Nothing, Sample::Family];
        for (curve, sample) in ends.into_iter().flatten().zip(samples) {
            entries.push(LegendEntry { sample, label: curve.label.clone(), color: INK });
        }
    } else if count > 1 || panel.curves.iter().any(|c| c.label != panel.y_label) {
        for (index, curve) in panel.curves.iter().enumerate() {
            entries.push(LegendEntry {
                sample: Sample::Curve(stroke(index, count, 1.8, curve.mark), curve.mark),
                label: curve.label.clone(),
                color: INK,
            });
        }
    }
    if panel.curves.iter().any(|c| c.shows_ends) {
        for (sample, word) in [(Sample::Start, "start"), (Sample::End, "end")] {
            entries.push(LegendEntry { sample, label: PlotLabel::plain(word), color: MUTED });
        }
    }
    entries.retain(|e| !e.label.is_empty());
    entries
}

fn draw_sample(items: &mut Vec<SceneItem>, sample: &Sample, x: f64, y: f64) {
    match sample {
        Sample::Curve(stroke, mark) => {
            if !matches!(mark, Mark::Points | Mark::Dots) {
                let line = vec![(x, y), (x + SAMPLE, y)];
                items.push(SceneItem::Lines(vec![line], *stroke));
            }
            if matches!(mark, Mark::Points | Mark::Dots | Mark::LineAndPoints) {
                items.push(SceneItem::Discs(vec![(x + SAMPLE / 2.0, y)], 2.6, stroke.color));
            }
        }
        Sample::Start => items.push(SceneItem::Ring((x + 4.0, y), 3.4, Stroke::solid(MUTED, 1.3))),
        Sample::End => items.push(SceneItem::Discs(vec![(x + 4.0, y)], 3.4, MUTED)),
        Sample::Family => {
            const STRIPES: usize = 30;
            let width = FAMILY / STRIPES as f64;
            for i in 0..STRIPES {
                let left = x - ENTRY_GAP + SAMPLE_GAP + i as f64 * width;
                let stripe = Rect { left, top: y - 4.0, right: left + width + 0.3, bottom: y + 4.0 };
                let color = palette::ordered(i as f64 / (STRIPES - 1) as f64);
                items.push(SceneItem::Fill(stripe, color));
            }
        }
        Sample::Nothing => {}
    }
}
