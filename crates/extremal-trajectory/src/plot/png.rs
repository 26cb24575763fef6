//! A scene as pixels.

use super::PlotError;
use super::font;
use super::label::{LOWERED_BY, LOWERED_SIZE};
use super::palette::WHITE;
use super::scene::{Anchor, BAND_OPACITY, Color, Rect, Scene, SceneItem, SceneText, Stroke, band_outline};
use tiny_skia::{
    FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, StrokeDash, Transform,
};

/// The scene as a PNG with `scale` pixels per unit.
pub(super) fn image(scene: &Scene, scale: f64) -> Result<Vec<u8>, PlotError> {
    let pixmap = drawn(scene, scale)?;
    pixmap.encode_png().map_err(|error| PlotError::Encode { reason: error.to_string() })
}

/// The scene as rows of pixels, with their width and height.
pub(super) fn pixels(scene: &Scene, scale: f64) -> Result<(Vec<[u8; 3]>, u32, u32), PlotError> {
    let pixmap = drawn(scene, scale)?;
    // A page that does not end with a pixel covers a part of its last ones: what is behind them is white too.
    let on_white = |pixel: &PremultipliedColorU8| {
        let behind = 255 - pixel.alpha();
        [pixel.red(), pixel.green(), pixel.blue()].map(|part| part.saturating_add(behind))
    };
    Ok((pixmap.pixels().iter().map(on_white).collect(), pixmap.width(), pixmap.height()))
}

fn drawn(scene: &Scene, scale: f64) -> Result<Pixmap, PlotError> {
    let pixels = |length: f64| (length * scale).round().max(1.0) as u32;
    let (width, height) = (pixels(scene.width), pixels(scene.height));
    let mut canvas = Canvas {
        pixmap: Pixmap::new(width, height).ok_or(PlotError::TooLarge { width, height })?,
        base: Transform::from_scale(scale as f32, scale as f32),
        mask: None,
    };
    for item in &scene.items {
        canvas.draw(item);
    }
    Ok(canvas.pixmap)
}

struct Canvas {
    pixmap: Pixmap,
    base: Transform,
    /// What is not cut off.
    mask: Option<Mask>,
}

impl Canvas {
    fn draw(&mut self, item: &SceneItem) {
        match item {
            SceneItem::Fill(rect, color) => self.fill(rectangle(rect), &opaque(*color), self.base),
            SceneItem::Frame(rect, stroke) => self.stroke(rectangle(rect), stroke),
            SceneItem::Lines(runs, stroke) => {
                let mut path = PathBuilder::new();
                for run in runs {
                    for (i, (x, y)) in run.iter().enumerate() {
                        match i {
                            0 => path.move_to(*x as f32, *y as f32),
                            _ => path.line_to(*x as f32, *y as f32),
                        }
                    }
                }
                self.stroke(path.finish(), stroke);
            }
            SceneItem::Band(band, color) => {
                let mut path = PathBuilder::new();
                for (i, (x, y)) in band_outline(band).enumerate() {
                    match i {
                        0 => path.move_to(x as f32, y as f32),
                        _ => path.line_to(x as f32, y as f32),
                    }
                }
                path.close();
                self.fill(path.finish(), &paint(*color, BAND_OPACITY), self.base);
            }
            SceneItem::Discs(centres, radius, color) => {
                let mut path = PathBuilder::new();
                for (x, y) in centres {
                    path.push_circle(*x as f32, *y as f32, *radius as f32);
                }
                self.fill(path.finish(), &opaque(*color), self.base);
            }
            SceneItem::Shape { points, fill, stroke, opacity } => {
                let mut path = PathBuilder::new();
                for (i, (x, y)) in points.iter().enumerate() {
                    match i {
                        0 => path.move_to(*x as f32, *y as f32),
                        _ => path.line_to(*x as f32, *y as f32),
                    }
                }
                let Some(path) = path.finish() else { return };
                if let Some(color) = fill {
                    self.fill(Some(path.clone()), &paint(*color, *opacity), self.base);
                }
                if let Some(stroke) = stroke {
                    self.stroke_with(Some(path), stroke, &paint(stroke.color, *opacity));
                }
            }
            SceneItem::Clip(rect) => {
                self.mask = rect.as_ref().and_then(rectangle).and_then(|path| {
                    let mut mask = Mask::new(self.pixmap.width(), self.pixmap.height())?;
                    mask.fill_path(&path, FillRule::Winding, true, self.base);
                    Some(mask)
                });
            }
            SceneItem::Ring((x, y), radius, stroke) => {
                let circle = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32);
                self.fill(circle.clone(), &opaque(WHITE), self.base);
                self.stroke(circle, stroke);
            }
            SceneItem::Text(text) => self.text(text),
        }
    }

    fn fill(&mut self, path: Option<Path>, paint: &Paint<'_>, transform: Transform) {
        if let Some(path) = path {
            self.pixmap.fill_path(&path, paint, FillRule::Winding, transform, self.mask.as_ref());
        }
    }

    fn stroke(&mut self, path: Option<Path>, stroke: &Stroke) {
        self.stroke_with(path, stroke, &opaque(stroke.color));
    }

    fn stroke_with(&mut self, path: Option<Path>, stroke: &Stroke, paint: &Paint<'_>) {
        let Some(path) = path else { return };
        let style = tiny_skia::Stroke {
            width: stroke.width as f32,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            dash: stroke.dash.and_then(|(on, off)| StrokeDash::new(vec![on as f32, off as f32], 0.0)),
            ..tiny_skia::Stroke::default()
        };
        self.pixmap.stroke_path(&path, paint, &style, self.base, self.mask.as_ref());
    }

    fn text(&mut self, text: &SceneText) {
        let start = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5,
            Anchor::End => -1.0,
        };
        let mut along = start * text.label.width(text.size);
        let mut place = self.base.pre_translate(text.x as f32, text.y as f32);
        if text.upwards {
            place = place.pre_rotate(-90.0);
        }
        for span in &text.label.spans {
            let (size, sink) =
                if span.lowered { (LOWERED_SIZE * text.size, LOWERED_BY * text.size) } else { (text.size, 0.0) };
            let mut pen = Pen::default();
            font::outline(&span.text, span.style, &mut pen, |pen, along| {
                pen.along = along as f32;
            });
            let unit = (size / font::units_per_em(span.style)) as f32;
            let transform = place.pre_translate(along as f32, sink as f32).pre_scale(unit, -unit);
            self.fill(pen.path.finish(), &opaque(text.color), transform);
            along += size * font::width(&span.text, span.style);
        }
    }
}

/// Glyph outlines, one after the other.
#[derive(Default)]
struct Pen {
    path: PathBuilder,
    along: f32,
}

impl super::truetype::OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.along + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.along + x, y);
    }

    fn quad_to(&mut self, control: (f32, f32), x: f32, y: f32) {
        self.path.quad_to(self.along + control.0, control.1, self.along + x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

fn rectangle(rect: &Rect) -> Option<Path> {
    tiny_skia::Rect::from_ltrb(rect.left as f32, rect.top as f32, rect.right as f32, rect.bottom as f32)
        .map(PathBuilder::from_rect)
}

fn opaque(color: Color) -> Paint<'static> {
    paint(color, 1.0)
}

fn paint(color: Color, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    let alpha = (255.0 * opacity).round() as u8;
    paint.set_color_rgba8(color.0, color.1, color.2, alpha);
    paint
}
