//! Points on the page: broken at gaps, and no more of them than the eye sees.

/// Points beyond this distance from the line drawn are kept.
const TOLERANCE: f64 = 0.12;
/// How many points a simplified segment may stand for.
const WINDOW: usize = 48;

/// Splits at points that cannot be drawn.
pub(super) fn runs(points: impl Iterator<Item = (f64, f64)>) -> Vec<Vec<(f64, f64)>> {
    let mut runs = vec![Vec::new()];
    for (x, y) in points {
        if x.is_finite() && y.is_finite() {
            if let Some(run) = runs.last_mut() {
                run.push((x, y));
            }
        } else if runs.last().is_some_and(|run| !run.is_empty()) {
            runs.push(Vec::new());
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// The line through fewer points, nowhere visibly elsewhere.
pub(super) fn simplified(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let Some(&first) = points.first() else {
        return Vec::new();
    };
    let mut kept = vec![first];
    let mut anchor = 0;
    for next in 2..points.len() {
        let between = &points[anchor + 1..next];
        let far = between.iter().any(|p| distance(*p, points[anchor], points[next]) > TOLERANCE);
        if far || between.len() >= WINDOW {
            anchor = next - 1;
            kept.push(points[anchor]);
        }
    }
    if let Some(last) = points.last().filter(|_| points.len() > 1) {
        kept.push(*last);
    }
    kept
}

/// Whether consecutive points are so far apart in direction that a line
/// between them shows chords of a motion that was sampled too rarely.
pub(super) fn is_tangle(points: &[(f64, f64)]) -> bool {
    const FEW: usize = 200;
    const SHARP: f64 = 0.5; // cosine of 60 degrees
    let (mut sharp, mut turns) = (0usize, 0usize);
    for w in points.windows(3) {
        let (a, b) = ((w[1].0 - w[0].0, w[1].1 - w[0].1), (w[2].0 - w[1].0, w[2].1 - w[1].1));
        let lengths = a.0.hypot(a.1) * b.0.hypot(b.1);
        // Turns too small to see do not matter.
        if lengths > 4.0 {
            turns += 1;
            sharp += usize::from((a.0 * b.0 + a.1 * b.1) < SHARP * lengths);
        }
    }
    points.len() >= FEW && turns * 2 > points.len() && sharp * 3 > turns
}

/// The band that an oscillation fills when its swings are too narrow to tell
/// apart, as `(x, top, bottom)`; `None` for a curve that can be followed.
pub(super) fn band(points: &[(f64, f64)]) -> Option<Vec<(f64, f64, f64)>> {
    // Swings per unit of width beyond which lines run into each other, and a
    // bin wide enough to hold both ends of one.
    const DENSE: f64 = 0.8;
    const BIN: f64 = 5.0;
    const LEAST_SWING: f64 = 3.0;
    let (first, last) = (points.first()?, points.last()?);
    let width = last.0 - first.0;
    if width < 8.0 * BIN || points.windows(2).any(|w| w[1].0 < w[0].0) {
        return None;
    }
    let mut swings = 0usize;
    let (mut turned_at, mut extreme, mut upwards) = (first.1, first.1, true);
    for (_, y) in points {
        if (*y > extreme) == upwards {
            extreme = *y;
        } else if (*y - extreme).abs() > LEAST_SWING {
            swings += usize::from((extreme - turned_at).abs() > LEAST_SWING);
            turned_at = extreme;
            extreme = *y;
            upwards = !upwards;
        }
    }
    if (swings as f64) < DENSE * width {
        return None;
    }
    let bins = (width / BIN).floor();
    let bin_of = |x: f64| (((x - first.0) / width * bins) as usize).min(bins as usize - 1);
    let mut extremes = vec![(f64::INFINITY, f64::NEG_INFINITY); bins as usize];
    for (x, y) in points {
        let bin = &mut extremes[bin_of(*x)];
        *bin = (bin.0.min(*y), bin.1.max(*y));
    }
    let mut band: Vec<(f64, f64, f64)> = extremes
        .iter()
        .enumerate()
        .filter(|(_, (top, bottom))| top <= bottom)
        .map(|(i, (top, bottom))| (first.0 + (i as f64 + 0.5) / bins * width, *top, *bottom))
        .collect();
    // The ends of the band are the middles of its end bins.
    if let (Some(start), Some(end)) = (band.first().copied(), band.last().copied()) {
        band.insert(0, (first.0, start.1, start.2));
        band.push((last.0, end.1, end.2));
    }
    Some(band)
}

/// The distance of `p` from the segment `a`–`b`.
fn distance(p: (f64, f64), a: (f64, f64), b: (f64, f64)) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length2 = dx * dx + dy * dy;
    let along = if length2 > 0.0 { (((p.0 - a.0) * dx + (p.1 - a.1) * dy) / length2).clamp(0.0, 1.0) } else { 0.0 };
    (p.0 - a.0 - along * dx).hypot(p.1 - a.1 - along * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_break_the_line() {
        let nan = f64::NAN;
        let points = [(nan, 0.0), (0.0, 0.0), (1.0, nan), (2.0, 0.0), (3.0, 1.0), (4.0, nan)];
        let runs = runs(points.into_iter());
        assert_eq!(runs, [vec![(0.0, 0.0)], vec![(2.0, 0.0), (3.0, 1.0)]]);
    }

    #[test]
    fn simplified_lines_stay_close() {
        let circle: Vec<(f64, f64)> = (0..=5000)
            .map(|i| {
                let angle = f64::from(i) * std::f64::consts::TAU / 5000.0;
                (100.0 * angle.cos(), 100.0 * angle.sin())
            })
            .collect();
        let short = simplified(&circle);
        assert!(short.len() < 250, "{}", short.len());
        assert_eq!((short[0], short[short.len() - 1]), (circle[0], circle[5000]));
        for p in &circle {
            let nearest = short.windows(2).map(|w| distance(*p, w[0], w[1])).fold(f64::INFINITY, f64::min);
            assert!(nearest <= TOLERANCE);
        }
        assert_eq!(simplified(&[(1.0, 2.0)]), [(1.0, 2.0)]);
        assert!(simplified(&[]).is_empty());
    }

    #[test]
    fn dense_oscillations_become_their_envelope() {
        let wave = |period: f64| -> Vec<(f64, f64)> {
            (0..40_000)
                .map(|i| {
                    let x = f64::from(i) / 100.0;
                    (x, (50.0 + x / 10.0) * (std::f64::consts::TAU * x / period).sin())
                })
                .collect()
        };
        assert_eq!(band(&wave(4.0)), None);
        let band = band(&wave(2.0)).unwrap();
        for (x, top, bottom) in &band {
            // The extreme is within the bin, 5 wide, where the amplitude
            // differs by less than 0.5 from that of its middle.
            let amplitude = 50.0 + x / 10.0;
            assert!((bottom - amplitude).abs() < 0.5 && (top + amplitude).abs() < 0.5);
        }
        assert_eq!(super::band(&[]), None);
    }

    #[test]
    fn tangles_are_told_from_curves() {
        let orbit = |step: f64| -> Vec<(f64, f64)> {
            (0..1000)
                .map(|i| {
                    let angle = step * f64::from(i);
                    (100.0 * angle.cos(), 60.0 * angle.sin())
                })
                .collect()
        };
        assert!(!is_tangle(&orbit(0.1)));
        assert!(is_tangle(&orbit(2.0)));
        assert!(!is_tangle(&orbit(2.0)[..100]));
    }
}
