//! A scene as an SVG document.

use super::font::{FAMILY, Style};
use super::label::{LOWERED_BY, LOWERED_SIZE};
use super::scene::{Anchor, BAND_OPACITY, Color, Scene, SceneItem, SceneText, Stroke, band_outline};
use std::fmt::Write as _;

/// The document. SceneText stays text, so that it can be searched and edited.
pub(super) fn document(scene: &Scene, title: &str) -> String {
    let (width, height) = (Number(scene.width), Number(scene.height));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FAMILY}\" fill=\"none\" \
         stroke-linejoin=\"round\" stroke-linecap=\"round\">\n<title>{}</title>\n",
        escaped(title)
    );
    let mut clips = 0;
    for item in &scene.items {
        if let SceneItem::Clip(Some(_)) = item {
            clips += 1;
        }
        // Writing to a String cannot fail.
        let _ = write_item(&mut svg, item, clips);
    }
    svg.push_str("</svg>\n");
    svg
}

fn write_item(svg: &mut String, item: &SceneItem, clips: usize) -> std::fmt::Result {
    match item {
        SceneItem::Fill(r, color) => writeln!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{color}\"/>",
            Number(r.left),
            Number(r.top),
            Number(r.width()),
            Number(r.height())
        ),
        SceneItem::Frame(r, stroke) => writeln!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>",
            Number(r.left),
            Number(r.top),
            Number(r.width()),
            Number(r.height()),
            attributes(stroke)
        ),
        SceneItem::Lines(runs, stroke) => {
            svg.push_str("<path d=\"");
            for run in runs {
                for (i, (x, y)) in run.iter().enumerate() {
                    let command = match i {
                        0 => "M",
                        1 => "L",
                        _ => " ",
                    };
                    write!(svg, "{command}{} {}", Number(*x), Number(*y))?;
                }
            }
            writeln!(svg, "\" {}/>", attributes(stroke))
        }
        SceneItem::Band(band, color) => {
            svg.push_str("<path d=\"");
            for (i, (x, y)) in band_outline(band).enumerate() {
                let command = if i == 0 { "M" } else { "L" };
                write!(svg, "{command}{} {}", Number(x), Number(y))?;
            }
            let opacity = Number(BAND_OPACITY);
            writeln!(svg, "Z\" fill=\"{color}\" fill-opacity=\"{opacity}\"/>")
        }
        SceneItem::Discs(centres, radius, color) => {
            // A zero-length dash with round caps is a disc, in few bytes.
            svg.push_str("<path d=\"");
            for (x, y) in centres {
                write!(svg, "M{} {}h0", Number(*x), Number(*y))?;
            }
            let stroke = Stroke::solid(*color, 2.0 * radius);
            writeln!(svg, "\" {}/>", attributes(&stroke))
        }
        SceneItem::Shape { points, fill, stroke, opacity } => {
            svg.push_str("<path d=\"");
            for (i, (x, y)) in points.iter().enumerate() {
                let command = match i {
                    0 => "M",
                    1 => "L",
                    _ => " ",
                };
                write!(svg, "{command}{} {}", Number(*x), Number(*y))?;
            }
            svg.push('"');
            if let Some(fill) = fill {
                write!(svg, " fill=\"{fill}\"")?;
            }
            if let Some(stroke) = stroke {
                write!(svg, " {}", attributes(stroke))?;
            }
            if *opacity < 1.0 {
                write!(svg, " opacity=\"{}\"", Number(*opacity))?;
            }
            svg.push_str("/>\n");
            Ok(())
        }
        SceneItem::Clip(Some(r)) => writeln!(
            svg,
            "<clipPath id=\"cell{clips}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n\
             <g clip-path=\"url(#cell{clips})\">",
            Number(r.left),
            Number(r.top),
            Number(r.width()),
            Number(r.height())
        ),
        SceneItem::Clip(None) => writeln!(svg, "</g>"),
        SceneItem::Ring((x, y), radius, stroke) => writeln!(
            svg,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"#ffffff\" {}/>",
            Number(*x),
            Number(*y),
            Number(*radius),
            attributes(stroke)
        ),
        SceneItem::Text(text) => write_text(svg, text),
    }
}

fn write_text(svg: &mut String, text: &SceneText) -> std::fmt::Result {
    let (x, y) = (Number(text.x), Number(text.y));
    write!(svg, "<text font-size=\"{}\" fill=\"{}\"", Number(text.size), text.color)?;
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => svg.push_str(" text-anchor=\"middle\""),
        Anchor::End => svg.push_str(" text-anchor=\"end\""),
    }
    if text.upwards {
        write!(svg, " transform=\"translate({x} {y}) rotate(-90)\">")?;
    } else {
        write!(svg, " x=\"{x}\" y=\"{y}\">")?;
    }
    let mut is_lowered = false;
    for span in &text.label.spans {
        let mut style = String::new();
        match span.style {
            Style::Regular => {}
            Style::Italic => style.push_str(" font-style=\"italic\""),
            Style::Bold => style.push_str(" font-weight=\"bold\""),
        }
        if span.lowered {
            write!(style, " font-size=\"{}\"", Number(LOWERED_SIZE * text.size))?;
        }
        if span.lowered != is_lowered {
            let sink = if span.lowered { LOWERED_BY } else { -LOWERED_BY };
            write!(style, " dy=\"{}\"", Number(sink * text.size))?;
            is_lowered = span.lowered;
        }
        let content = escaped(&span.text);
        if style.is_empty() {
            svg.push_str(&content);
        } else {
            write!(svg, "<tspan{style}>{content}</tspan>")?;
        }
    }
    svg.push_str("</text>\n");
    Ok(())
}

fn attributes(stroke: &Stroke) -> String {
    let dash = stroke
        .dash
        .map(|(on, off)| format!(" stroke-dasharray=\"{} {}\"", Number(on), Number(off)))
        .unwrap_or_default();
    format!("stroke=\"{}\" stroke-width=\"{}\"{dash}", stroke.color, Number(stroke.width))
}

impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// A coordinate to a hundredth of a unit, in as few characters as that takes.
struct Number(f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hundredths = (self.0 * 100.0).round() / 100.0;
        // Adding zero turns -0 into 0.
        write!(f, "{}", hundredths + 0.0)
    }
}

/// SceneText for XML: the five special characters replaced, and what XML forbids
/// left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
