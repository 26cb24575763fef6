//! What a figure is made of, before it becomes SVG or pixels.

use super::label::PlotLabel;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Color(pub u8, pub u8, pub u8);

/// How much of what is behind a band it hides.
pub(super) const BAND_OPACITY: f64 = 0.35;

/// A rectangle in figure units, y downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Rect {
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stroke {
    pub color: Color,
    pub width: f64,
    pub dash: Option<(f64, f64)>,
}

impl Stroke {
    pub fn solid(color: Color, width: f64) -> Self {
        Self { color, width, dash: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

pub(super) struct SceneText {
    pub x: f64,
    pub y: f64,
    pub size: f64,
    pub anchor: Anchor,
    /// Turned to read upwards.
    pub upwards: bool,
    pub color: Color,
    pub label: PlotLabel,
}

/// The outline of a band: along its top, back along its bottom.
pub(super) fn band_outline(band: &[(f64, f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    let top = band.iter().map(|(x, top, _)| (*x, *top));
    let bottom = band.iter().rev().map(|(x, _, bottom)| (*x, *bottom));
    top.chain(bottom)
}

pub(super) enum SceneItem {
    Fill(Rect, Color),
    Frame(Rect, Stroke),
    /// A broken line: each run is drawn on its own.
    Lines(Vec<Vec<(f64, f64)>>, Stroke),
    /// A translucent band given by `(x, top, bottom)`.
    Band(Vec<(f64, f64, f64)>, Color),
    /// Discs of one radius.
    Discs(Vec<(f64, f64)>, f64, Color),
    /// A line, or a surface with a rim, that what is below shows through where it is not opaque.
    Shape {
        points: Vec<(f64, f64)>,
        fill: Option<Color>,
        stroke: Option<Stroke>,
        opacity: f64,
    },
    /// What follows is cut off outside of this, or no more.
    Clip(Option<Rect>),
    /// A circle filled with white.
    Ring((f64, f64), f64, Stroke),
    Text(SceneText),
}

pub(super) struct Scene {
    pub width: f64,
    pub height: f64,
    pub items: Vec<SceneItem>,
}
