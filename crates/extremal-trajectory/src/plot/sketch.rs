//! Pictures of things: lines and surfaces in one plane, in the units of what is shown.

use super::PlotError;
use super::label::PlotLabel;
use super::palette::{self, GRID, INK, MUTED, WHITE};
use super::scene::{Anchor, Color, Rect, Scene, SceneItem, SceneText, Stroke};
use super::{PictureFormat, png, polyline, svg};
use std::path::Path;

/// A colour by what it is the colour of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ink {
    /// Rods and rims.
    Rod,
    /// Threads, rails, axes.
    Thin,
    /// Bodies, by their number: those that repeat repeat the colours.
    Body(usize),
    /// What is around bodies: blocks.
    Block,
    /// Vectors.
    Arrow,
    /// From cold, 0, to hot, 1.
    Heat(f64),
}

impl Ink {
    fn color(self) -> Color {
        match self {
            Ink::Rod => palette::AXIS,
            Ink::Thin => palette::PALE,
            Ink::Body(index) => palette::distinct(index),
            Ink::Block => palette::BLOCK,
            Ink::Arrow => palette::distinct(2),
            Ink::Heat(part) => palette::heat(part),
        }
    }
}

/// One line or surface of a [`Sketch`].
#[derive(Debug, Clone)]
struct SketchMark {
    points: Vec<(f64, f64)>,
    fill: Option<Ink>,
    /// The line, and its width on the page.
    line: Option<(Ink, f64)>,
    opacity: f64,
}

/// What something looks like: lines and surfaces, later ones over earlier ones. What is not finite is left out.
///
/// ```
/// use extremal_trajectory::plot::{Ink, Sketch, SketchSheet};
///
/// let mut sketch = Sketch::default();
/// sketch.line([(0.0, 0.0), (0.8, -0.6)], Ink::Rod, 3.0);
/// sketch.surface([(0.7, -0.7), (0.9, -0.7), (0.9, -0.5), (0.7, -0.5)], Ink::Body(0));
/// let sheet = SketchSheet::of(sketch).caption("a box on a rod");
/// assert!(sheet.to_svg().contains("a box on a rod"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Sketch {
    marks: Vec<SketchMark>,
    view: Option<[f64; 4]>,
    opacity: Option<f64>,
}

impl Sketch {
    /// Shows this part of the plane, from left to right and from bottom to top, instead of all that there is.
    pub fn show(&mut self, [left, right]: [f64; 2], [bottom, top]: [f64; 2]) {
        let view = [left, right, bottom, top];
        self.view = Some(view).filter(|view| view.iter().all(|x| x.is_finite()) && left < right && bottom < top);
    }

    /// Draws what follows so that this part of it is seen: 1 hides what is behind.
    pub fn fade(&mut self, opacity: f64) {
        self.opacity = Some(opacity.clamp(0.0, 1.0));
    }

    /// A line of a width on the page, broken where it is not finite.
    pub fn line(&mut self, points: impl IntoIterator<Item = (f64, f64)>, ink: Ink, width: f64) {
        self.broken(points, ink, width, 1.0);
    }

    /// A line that what is below it shows through.
    pub fn faint_line(&mut self, points: impl IntoIterator<Item = (f64, f64)>, ink: Ink, width: f64) {
        self.broken(points, ink, width, 0.5);
    }

    fn broken(&mut self, points: impl IntoIterator<Item = (f64, f64)>, ink: Ink, width: f64, opacity: f64) {
        for run in polyline::runs(points.into_iter()) {
            self.mark(run, None, Some((ink, width)), opacity);
        }
    }

    /// A surface with a rim.
    pub fn surface(&mut self, outline: impl IntoIterator<Item = (f64, f64)>, ink: Ink) {
        let mut points: Vec<(f64, f64)> = outline.into_iter().collect();
        points.extend(points.first().copied());
        self.mark(points, Some(ink), Some((Ink::Rod, 1.1)), 1.0);
    }

    /// A rim alone.
    pub fn rim(&mut self, outline: impl IntoIterator<Item = (f64, f64)>, ink: Ink, width: f64) {
        let mut points: Vec<(f64, f64)> = outline.into_iter().collect();
        points.extend(points.first().copied());
        self.mark(points, None, Some((ink, width)), 1.0);
    }

    fn mark(&mut self, points: Vec<(f64, f64)>, fill: Option<Ink>, line: Option<(Ink, f64)>, opacity: f64) {
        let opacity = opacity * self.opacity.unwrap_or(1.0);
        if !points.is_empty() && points.iter().all(|(x, y)| x.is_finite() && y.is_finite()) {
            self.marks.push(SketchMark { points, fill, line, opacity });
        }
    }

    /// What is seen: from left to right, from bottom to top.
    fn bounds(&self) -> [f64; 4] {
        if let Some(view) = self.view {
            return view;
        }
        let all = self.marks.iter().flat_map(|mark| &mark.points);
        let nothing = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
        let found = all.fold(nothing, |[l, r, b, t], (x, y)| [l.min(*x), r.max(*x), b.min(*y), t.max(*y)]);
        if found[0] <= found[1] { found } else { [-1.0, 1.0, -1.0, 1.0] }
    }

    /// Draws it to scale into a cell; lines are as wide as `thickness` says.
    fn draw(&self, items: &mut Vec<SceneItem>, cell: Rect, thickness: f64) {
        let [left, right, bottom, top] = self.bounds();
        let (width, height) = (right - left, top - bottom);
        let scale = (cell.width() / width).min(cell.height() / height);
        let scale = if scale.is_finite() { scale } else { 1.0 };
        let (x0, y0) = ((cell.left + cell.right) / 2.0, (cell.top + cell.bottom) / 2.0);
        let (mx, my) = ((left + right) / 2.0, (bottom + top) / 2.0);
        let place = |(x, y): &(f64, f64)| (x0 + (x - mx) * scale, y0 - (y - my) * scale);
        for mark in &self.marks {
            let points: Vec<(f64, f64)> = mark.points.iter().map(place).collect();
            items.push(SceneItem::Shape {
                points: if mark.fill.is_none() { polyline::simplified(&points) } else { points },
                fill: mark.fill.map(Ink::color),
                stroke: mark.line.map(|(ink, width)| Stroke::solid(ink.color(), width * thickness)),
                opacity: mark.opacity,
            });
        }
    }
}

/// One sketch as a picture, or many with their captions in rows.
#[derive(Debug, Clone)]
pub struct SketchSheet {
    title: String,
    cells: Vec<(String, Sketch)>,
    columns: usize,
    cell: (f64, f64),
    scale: f64,
}

impl SketchSheet {
    /// A picture of one thing.
    pub fn of(sketch: Sketch) -> SketchSheet {
        let [left, right, bottom, top] = sketch.bounds();
        // Neither a strip nor a column, however flat or narrow it is.
        let part = ((top - bottom) / (right - left)).clamp(0.25, 0.75);
        let height = if part.is_finite() { 640.0 * part } else { 480.0 };
        let cells = vec![(String::new(), sketch)];
        SketchSheet { title: String::new(), cells, columns: 1, cell: (640.0, height), scale: 2.0 }
    }

    /// Pictures of many things, with so many in a row.
    pub fn rows(title: impl Into<String>, cells: Vec<(String, Sketch)>, columns: usize) -> SketchSheet {
        SketchSheet { title: title.into(), cells, columns: columns.max(1), cell: (150.0, 112.0), scale: 1.5 }
    }

    /// The words above it.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> SketchSheet {
        self.title = caption.into();
        self
    }

    /// The size of a picture, in units of the page, of which a pixel of a PNG is `1/scale`.
    #[must_use]
    pub fn size(mut self, width: f64, height: f64, scale: f64) -> SketchSheet {
        (self.cell, self.scale) = ((width, height), scale);
        self
    }

    fn scene(&self) -> Scene {
        const MARGIN: f64 = 14.0;
        const TITLE: f64 = 14.0;
        const CAPTION: f64 = 9.5;
        const GAP: f64 = 8.0;
        let captioned = self.cells.iter().any(|(caption, _)| !caption.is_empty());
        let (columns, below) = (self.columns.min(self.cells.len().max(1)), if captioned { 1.6 * CAPTION } else { 0.0 });
        let span = |count: usize, size: f64| count as f64 * (size + GAP) - GAP;
        let top = if self.title.is_empty() { MARGIN } else { MARGIN + 1.7 * TITLE };
        let width = 2.0 * MARGIN + span(columns, self.cell.0);
        let height = top + MARGIN + span(self.cells.len().div_ceil(columns), self.cell.1 + below);
        let mut items = vec![SceneItem::Fill(Rect { left: 0.0, top: 0.0, right: width, bottom: height }, WHITE)];
        let text = |x: f64, y: f64, size: f64, anchor: Anchor, color: Color, label: PlotLabel, room: f64| {
            let label = label.fitted(size, room);
            SceneItem::Text(SceneText { x, y, size, anchor, upwards: false, color, label })
        };
        if !self.title.is_empty() {
            let label = PlotLabel::bold(&self.title);
            items.push(text(MARGIN, MARGIN + 0.8 * TITLE, TITLE, Anchor::Start, INK, label, width - 2.0 * MARGIN));
        }
        for (at, (caption, sketch)) in self.cells.iter().enumerate() {
            let left = MARGIN + (at % columns) as f64 * (self.cell.0 + GAP);
            let top = top + (at / columns) as f64 * (self.cell.1 + below + GAP);
            let cell = Rect { left, top, right: left + self.cell.0, bottom: top + self.cell.1 };
            let inner = Rect {
                left: cell.left + 0.06 * cell.width(),
                right: cell.right - 0.06 * cell.width(),
                top: cell.top + 0.06 * cell.height(),
                bottom: cell.bottom - 0.06 * cell.height(),
            };
            items.push(SceneItem::Clip(Some(cell)));
            // Lines of a small picture are thinner, but not as much thinner as it is smaller.
            sketch.draw(&mut items, inner, (cell.width() / 640.0).sqrt().min(1.5));
            items.push(SceneItem::Clip(None));
            if captioned {
                items.push(SceneItem::Frame(cell, Stroke::solid(GRID, 0.8)));
                let middle = (cell.left + cell.right) / 2.0;
                let label = PlotLabel::plain(caption);
                items.push(text(
                    middle,
                    cell.bottom + 1.2 * CAPTION,
                    CAPTION,
                    Anchor::Middle,
                    MUTED,
                    label,
                    self.cell.0,
                ));
            }
        }
        Scene { width, height, items }
    }

    /// The picture as an SVG document.
    pub fn to_svg(&self) -> String {
        svg::document(&self.scene(), &self.title)
    }

    /// The picture as a PNG.
    ///
    /// # Errors
    /// The picture does not fit in memory.
    pub fn to_png(&self) -> Result<Vec<u8>, PlotError> {
        png::image(&self.scene(), self.scale)
    }

    /// The picture as rows of pixels of red, green and blue, with its width and height.
    ///
    /// # Errors
    /// The picture does not fit in memory.
    pub fn to_pixels(&self) -> Result<(Vec<[u8; 3]>, u32, u32), PlotError> {
        png::pixels(&self.scene(), self.scale)
    }

    /// Writes the picture in the format the file name asks for.
    ///
    /// # Errors
    /// An unknown extension, or a file that cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), PlotError> {
        let bytes = match PictureFormat::of(path)? {
            PictureFormat::Svg => self.to_svg().into_bytes(),
            PictureFormat::Png => self.to_png()?,
        };
        crate::write_whole(path, &bytes).map_err(|source| PlotError::Write { path: path.into(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of a path in an SVG document.
    fn places(svg: &str, color: Color) -> Vec<(f64, f64)> {
        let line = svg.lines().find(|line| line.contains(&format!("stroke=\"{color}\""))).unwrap();
        let path = line.split("d=\"").nth(1).unwrap().split('"').next().unwrap();
        let numbers: Vec<f64> =
            path.split(|c: char| c.is_alphabetic() || c == ' ').filter_map(|word| word.parse().ok()).collect();
        numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
    }

    #[test]
    fn a_sketch_is_to_scale_upright_and_in_the_middle() {
        let mut sketch = Sketch::default();
        sketch.show([-2.0, 2.0], [0.0, 1.0]);
        sketch.line([(-2.0, 0.0), (2.0, 0.0), (0.0, 1.0)], Ink::Arrow, 1.0);
        let found = places(&SketchSheet::of(sketch).to_svg(), Ink::Arrow.color());
        let (width, height) = (found[1].0 - found[0].0, found[0].1 - found[2].1);
        // Coordinates are written to a hundredth.
        assert!((width / height - 4.0).abs() < 0.02 && width > 350.0, "{found:?}");
        assert!((found[2].0 - (found[0].0 + found[1].0) / 2.0).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn what_is_not_finite_is_left_out_and_breaks_lines() {
        let mut sketch = Sketch::default();
        sketch.line([(0.0, 0.0), (1.0, 0.0), (f64::NAN, 0.0), (2.0, 0.0), (3.0, 0.0)], Ink::Arrow, 1.0);
        sketch.surface([(0.0, f64::INFINITY), (1.0, 1.0), (1.0, 0.0)], Ink::Block);
        assert_eq!(sketch.marks.len(), 2);
        let svg = SketchSheet::of(sketch).to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(!SketchSheet::of(Sketch::default()).to_svg().contains("NaN"));
    }

    /// What is outside of a stated view is cut off at the cell, in pixels too.
    #[test]
    fn cells_of_a_sheet_do_not_touch() {
        let mut wide = Sketch::default();
        wide.show([0.0, 1.0], [0.0, 1.0]);
        wide.line([(-100.0, 0.5), (100.0, 0.5)], Ink::Arrow, 8.0);
        let sheet = SketchSheet::rows("", vec![("a".into(), wide), ("b".into(), Sketch::default())], 2);
        let (pixels, width, height) = sheet.size(100.0, 80.0, 1.0).to_pixels().unwrap();
        let Color(r, g, b) = Ink::Arrow.color();
        let is_green = |at: usize| pixels[at] == [r, g, b];
        let columns: Vec<usize> = (0..pixels.len()).filter(|at| is_green(*at)).map(|at| at % width as usize).collect();
        // A hundred columns by what is opaque of a line of 3.2.
        assert!(pixels.len() == (width * height) as usize && columns.len() > 150, "{}", columns.len());
        // The first cell is between the margin of 14 and 114.
        assert!(columns.iter().all(|x| (14..=114).contains(x)), "{:?}", columns.iter().max());
    }
}
