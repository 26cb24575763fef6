//! The embedded typeface (a part of DejaVu Sans), so that figures look the
//! same on a machine without fonts.

use std::sync::OnceLock;

use super::truetype::{Face, OutlinePen};

/// What SVG readers should use: the typeface itself, or one of its width.
pub(super) const FAMILY: &str = "DejaVu Sans, Bitstream Vera Sans, Verdana, sans-serif";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Regular,
    Italic,
    Bold,
}

fn face(style: Style) -> Option<&'static Face<'static>> {
    static FACES: OnceLock<[Option<Face<'static>>; 3]> = OnceLock::new();
    let faces = FACES.get_or_init(|| {
        [
            include_bytes!("../../assets/DejaVuSans.ttf").as_slice(),
            include_bytes!("../../assets/DejaVuSans-Oblique.ttf").as_slice(),
            include_bytes!("../../assets/DejaVuSans-Bold.ttf").as_slice(),
        ]
        .map(Face::new)
    });
    faces[style as usize].as_ref()
}

/// The width of `text` at font size 1. A character the typeface lacks counts
/// as its missing-glyph box.
pub(super) fn width(text: &str, style: Style) -> f64 {
    let Some(face) = face(style) else { return 0.0 };
    let units: u32 = text.chars().map(|c| u32::from(face.advance(glyph(face, c)).unwrap_or(0))).sum();
    f64::from(units) / f64::from(face.units_per_em())
}

/// Sends the outline of `text` to `pen`, starting at the origin of the
/// baseline with y upwards, in font units. Before each glyph
/// `advance` tells `pen` how far along the line it starts.
pub(super) fn outline<P: OutlinePen>(text: &str, style: Style, pen: &mut P, mut advance: impl FnMut(&mut P, f64)) {
    let Some(face) = face(style) else { return };
    let mut along = 0.0;
    for c in text.chars() {
        let glyph = glyph(face, c);
        advance(pen, along);
        face.outline(glyph, pen);
        along += f64::from(face.advance(glyph).unwrap_or(0));
    }
}

/// Font units in one font size.
pub(super) fn units_per_em(style: Style) -> f64 {
    face(style).map_or(1.0, |face| f64::from(face.units_per_em()))
}

/// The glyph of a character, or the box for what the typeface lacks.
fn glyph(face: &Face<'_>, c: char) -> u16 {
    face.glyph(c).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_face_has_the_letters_of_physics() {
        for style in [Style::Regular, Style::Italic, Style::Bold] {
            let face = face(style).expect("the embedded face parses");
            for c in "Aaz09 ,.-+−×·′″₀₁⁰⁻¹²³αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩéü…–→∞∂".chars()
            {
                assert!(face.glyph(c).is_some(), "{style:?} lacks {c}");
            }
        }
    }

    #[test]
    fn widths_add_up() {
        let one = width("x", Style::Regular);
        // The x of DejaVu Sans is 1212 of 2048 units wide.
        assert!((one - 1212.0 / 2048.0).abs() < 1e-12);
        assert!((width("xxx", Style::Regular) - 3.0 * one).abs() < 1e-12);
    }
}
