//! Colours that stay apart for colour-blind readers and in print.

use super::scene::Color;

pub(super) const INK: Color = Color(0x22, 0x22, 0x22);
pub(super) const MUTED: Color = Color(0x66, 0x66, 0x66);
pub(super) const AXIS: Color = Color(0x55, 0x55, 0x55);
pub(super) const GRID: Color = Color(0xe8, 0xe8, 0xe8);
pub(super) const WHITE: Color = Color(0xff, 0xff, 0xff);

/// Threads and rails beside what moves.
pub(super) const PALE: Color = Color(0x99, 0x99, 0x99);
/// Blocks that are no colour of their own.
pub(super) const BLOCK: Color = Color(0xa8, 0xd4, 0xf0);

/// The palette of Okabe and Ito without its yellow, which is lost on white.
const DISTINCT: [Color; 7] = [
    Color(0x00, 0x72, 0xb2),
    Color(0xd5, 0x5e, 0x00),
    Color(0x00, 0x9e, 0x73),
    Color(0xcc, 0x79, 0xa7),
    Color(0xe6, 0x9f, 0x00),
    Color(0x56, 0xb4, 0xe9),
    Color(0x00, 0x00, 0x00),
];

/// How many curves are told apart by colour and legend; more share a scale.
pub(super) const MOST_DISTINCT: usize = 8;

/// Viridis at even steps, its light end left out.
const ORDERED: [Color; 8] = [
    Color(0x44, 0x01, 0x54),
    Color(0x48, 0x28, 0x78),
    Color(0x3e, 0x49, 0x89),
    Color(0x31, 0x68, 0x8e),
    Color(0x26, 0x82, 0x8e),
    Color(0x1f, 0x9e, 0x89),
    Color(0x35, 0xb7, 0x79),
    Color(0x6e, 0xce, 0x58),
];

/// The colour of curve `index`, one of a few.
pub(super) fn distinct(index: usize) -> Color {
    DISTINCT[index % DISTINCT.len()]
}

/// The dash of curve `index`: colours that repeat come dashed.
pub(super) fn dash(index: usize) -> Option<(f64, f64)> {
    (index >= DISTINCT.len()).then_some((5.0, 3.0))
}

/// The colour at `fraction` of the way through an ordered family.
pub(super) fn ordered(fraction: f64) -> Color {
    between(&ORDERED, fraction)
}

/// The colour at `fraction` of the way through a list of them.
fn between(colors: &[Color], fraction: f64) -> Color {
    let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.5 };
    let at = fraction * (colors.len() - 1) as f64;
    let (from, part) = (at.floor() as usize, at.fract());
    let (a, b) = (colors[from], colors[(from + 1).min(colors.len() - 1)]);
    let mix = |a: u8, b: u8| (f64::from(a) * (1.0 - part) + f64::from(b) * part).round() as u8;
    Color(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// Blue, white and red at even steps, none of them so dark that lines are lost on it.
const HEAT: [Color; 5] = [
    Color(0x4a, 0x7f, 0xc8),
    Color(0xa6, 0xc8, 0xe8),
    Color(0xf4, 0xee, 0xe4),
    Color(0xf2, 0xae, 0x84),
    Color(0xd1, 0x4a, 0x3b),
];

/// From cold, 0, to hot, 1.
pub(super) fn heat(fraction: f64) -> Color {
    between(&HEAT, fraction)
}
