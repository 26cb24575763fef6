//! Ranges and tick marks.

use crate::number::{power_of_ten, trim_zeros};

/// How an axis maps values to length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By powers of ten; values that are not positive are not drawn.
    Log,
}

impl Scale {
    fn apply(self, x: f64) -> f64 {
        match self {
            // Beyond this, differences overflow.
            Scale::Linear if x.is_finite() => x.clamp(-1e300, 1e300),
            Scale::Log if x > 0.0 && x.is_finite() => x.log10(),
            _ => f64::NAN,
        }
    }
}

/// An interval of scaled values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PlotAxis {
    pub scale: Scale,
    pub low: f64,
    pub high: f64,
}

/// Where ticks stand, as fractions of the axis, with their text.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Ticks {
    pub marks: Vec<(f64, String)>,
    /// Fractions of unlabelled ticks.
    pub minor: Vec<f64>,
    /// What every label is to be multiplied by and added to.
    pub note: Option<String>,
}

impl PlotAxis {
    /// The range of the values that can be drawn, `None` if there are none.
    /// Data narrower than `floor`, or than rounding lets one see, count as
    /// constant.
    pub fn covering(values: impl Iterator<Item = f64>, scale: Scale, floor: f64) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in values.map(|x| scale.apply(x)).filter(|x| x.is_finite()) {
            low = low.min(x);
            high = high.max(x);
        }
        if low > high {
            return None;
        }
        let size = low.abs().max(high.abs());
        let visible = (1e-12 * size).max(floor).max(1e-300);
        if high - low < visible {
            let half = match scale {
                Scale::Log => 0.5,
                Scale::Linear if floor > 0.0 => 1.5 * floor,
                Scale::Linear if size < 1e-300 => 1.0,
                Scale::Linear => 0.1 * size,
            };
            let middle = low + (high - low) / 2.0;
            low = middle - half;
            high = middle + half;
        }
        Some(Self { scale, low, high })
    }

    /// The axis with a part of its length added at both ends.
    pub fn padded(self, part: f64) -> Self {
        self.with_span((1.0 + 2.0 * part) * self.span())
    }

    /// The axis with the same middle and another length.
    pub fn with_span(self, span: f64) -> Self {
        let middle = self.low + self.span() / 2.0;
        Self { low: middle - span / 2.0, high: middle + span / 2.0, ..self }
    }

    pub fn span(&self) -> f64 {
        self.high - self.low
    }

    /// Where a value falls, 0 at the low end and 1 at the high end; NaN when
    /// it cannot be drawn.
    pub fn fraction(&self, x: f64) -> f64 {
        (self.scale.apply(x) - self.low) / self.span()
    }

    /// About `wanted` ticks at round values.
    pub fn ticks(&self, wanted: usize) -> Ticks {
        match self.scale {
            Scale::Linear => self.linear_ticks(wanted.max(1)),
            Scale::Log => self.log_ticks(wanted.max(1)),
        }
    }

    /// The most ticks whose labels keep their distance, where `width` gives
    /// the part of the axis that a label takes up.
    pub fn fitted_ticks(&self, wanted: usize, width: impl Fn(&str) -> f64) -> Ticks {
        let mut wanted = wanted.max(2);
        loop {
            let ticks = self.ticks(wanted);
            let crowded = ticks.marks.windows(2).any(|pair| {
                let room = pair[1].0 - pair[0].0;
                room < (width(&pair[0].1) + width(&pair[1].1)) / 2.0
            });
            if !crowded || wanted == 1 {
                return ticks;
            }
            wanted -= 1;
        }
    }

    fn linear_ticks(&self, wanted: usize) -> Ticks {
        // Ticks are whole multiples of 1, 2 or 5 times 10^power, so that their
        // labels can be written exactly.
        let rough = self.span() / wanted as f64;
        let mut power = rough.log10().floor() as i32;
        let multiple = match rough / ten_to(power) {
            m if m <= 1.0 + 1e-9 => 1,
            m if m <= 2.0 + 1e-9 => 2,
            m if m <= 5.0 + 1e-9 => 5,
            _ => {
                power += 1;
                1
            }
        };
        let step = f64::from(multiple) * ten_to(power);
        let tolerance = 1e-9;
        let first = (self.low / step - tolerance).ceil() as i64;
        let last = (self.high / step + tolerance).floor() as i64;
        if last < first || last - first > 1000 {
            return Ticks::default();
        }
        let units: Vec<i64> = (first..=last).map(|k| k * i64::from(multiple)).collect();
        let positions = (first..=last).map(|k| (k as f64 * step - self.low) / self.span());
        let (labels, note) = written(&units, power);
        Ticks { marks: positions.zip(labels).collect(), minor: Vec::new(), note }
    }

    fn log_ticks(&self, wanted: usize) -> Ticks {
        let fraction = |log: f64| (log - self.low) / self.span();
        let inside = |log: &f64| (-1e-9..=1.0 + 1e-9).contains(&fraction(*log));
        let first = self.low.floor() as i32;
        let last = self.high.ceil() as i32;
        let within_decades = |digits: &[u32]| -> Vec<(i32, u32)> {
            (first..=last)
                .flat_map(|power| digits.iter().map(move |digit| (power, *digit)))
                .filter(|(power, digit)| inside(&(f64::from(*power) + f64::from(*digit).log10())))
                .collect()
        };
        let place = |(power, digit): (i32, u32)| fraction(f64::from(power) + f64::from(digit).log10());
        let decades = within_decades(&[1]);
        let minor = if decades.len() <= 8 {
            let all = within_decades(&[2, 3, 4, 5, 6, 7, 8, 9]);
            all.into_iter().map(place).collect()
        } else {
            Vec::new()
        };
        let stride = decades.len().div_ceil(wanted).max(1) as i32;
        let chosen = match decades.len() {
            0 => within_decades(&[1, 2, 3, 4, 5, 6, 7, 8, 9]),
            1 => within_decades(&[1, 2, 5]),
            _ => decades.into_iter().filter(|(power, _)| power.rem_euclid(stride) == 0).collect(),
        };
        let label = |(power, digit)| match digit {
            1 => power_of_ten(power),
            digit => format!("{digit}×{}", power_of_ten(power)),
        };
        Ticks { marks: chosen.into_iter().map(|c| (place(c), label(c))).collect(), minor, note: None }
    }
}

/// Labels for `units` times 10^`power`, with a common factor and offset taken
/// out into a note where they would be long.
fn written(units: &[i64], power: i32) -> (Vec<String>, Option<String>) {
    let largest = |units: &[i64]| units.iter().map(|n| n.unsigned_abs()).max().unwrap_or(0);
    let offset = match (units.first(), units.last()) {
        (Some(first), Some(last)) if largest(units) >= 100_000 => {
            // Round enough to be read, close enough to leave few digits.
            let round = 10i64.pow((last - first).max(1).ilog10() + 1);
            let middle = units[units.len() / 2];
            (middle + round / 2).div_euclid(round) * round
        }
        _ => 0,
    };
    let units: Vec<i64> = units.iter().map(|n| n - offset).collect();
    let size = largest(&units).max(1).ilog10() as i32 + power;
    let is_short = (-3..5).contains(&size) && (size >= 0 || power >= -5);
    let factor = if is_short { 0 } else { size };
    let decimals = (factor - power).max(0) as usize;
    let labels = units.iter().map(|n| minus(&format!("{:.decimals$}", *n as f64 * ten_to(power - factor)))).collect();
    let mut note = String::new();
    if factor != 0 {
        note.push_str(&format!("×{}", power_of_ten(factor)));
    }
    if offset != 0 {
        let sign = if offset > 0 { "+" } else { "−" };
        let space = if note.is_empty() { "" } else { " " };
        note.push_str(&format!("{space}{sign}{space}{}", decimal(offset.abs(), power)));
    }
    (labels, (!note.is_empty()).then_some(note))
}

/// A positive whole number times a power of ten, written out if that is short.
fn decimal(n: i64, power: i32) -> String {
    let size = n.max(1).ilog10() as i32 + power;
    if (-4..9).contains(&size) {
        let decimals = (-power).max(0) as usize;
        return trim_zeros(&format!("{:.decimals$}", n as f64 * ten_to(power))).to_owned();
    }
    let decimals = (size - power).max(0) as usize;
    let mantissa = format!("{:.decimals$}", n as f64 * ten_to(power - size));
    format!("{}×{}", trim_zeros(&mantissa), power_of_ten(size))
}

/// 10^power, correctly rounded, which `powi` is not.
fn ten_to(power: i32) -> f64 {
    format!("1e{power}").parse().unwrap_or(1.0)
}

/// A printed minus in place of the hyphen.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(low: f64, high: f64) -> PlotAxis {
        PlotAxis { scale: Scale::Linear, low, high }
    }

    fn labels(axis: PlotAxis, wanted: usize) -> Vec<String> {
        axis.ticks(wanted).marks.into_iter().map(|m| m.1).collect()
    }

    #[test]
    fn round_labels() {
        assert_eq!(labels(linear(0.0, 10.0), 5), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(linear(-1.05, 1.05), 4), ["−1", "0", "1"]);
        assert_eq!(labels(linear(-1.05, 1.05), 5), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(linear(0.0, 30_000.0), 3), ["0", "10000", "20000", "30000"]);
    }

    #[test]
    fn long_labels_share_a_factor_and_an_offset() {
        let ticks = linear(-3e-9, 4e-9).ticks(4);
        assert_eq!(ticks.note.as_deref(), Some("×10⁻⁹"));
        assert_eq!(ticks.marks[0].1, "−2");
        let ticks = linear(10.0 + 1.2e-7, 10.0 + 3.4e-7).ticks(4);
        assert_eq!(ticks.note.as_deref(), Some("×10⁻⁷ + 10"));
        assert_eq!(ticks.marks[0].1, "2");
        let ticks = linear(-299_792.458_3, -299_792.457_7).ticks(6);
        assert_eq!(ticks.note.as_deref(), Some("×10⁻⁴ − 299792.458"));
        let ticks = linear(1e200, 3e200).ticks(2);
        assert_eq!(ticks.note.as_deref(), Some("×10²⁰⁰"));
    }

    #[test]
    fn ticks_stay_on_the_axis_for_any_magnitude() {
        for exponent in (-290..=299).step_by(7) {
            let size = ten_to(exponent);
            for (low, high) in [(-1.3, 2.7), (0.999, 1.0), (1.0, 1.000_000_001)] {
                let axis = linear(low * size, high * size);
                let ticks = axis.ticks(5);
                assert!(ticks.marks.len() >= 2, "{low} {high} 1e{exponent}");
                assert!(ticks.marks.len() <= 7);
                assert!(ticks.marks.iter().all(|m| (-1e-6..=1.0 + 1e-6).contains(&m.0)));
                assert!(ticks.marks.iter().all(|m| m.1.chars().count() <= 7), "{ticks:?}");
            }
        }
    }

    #[test]
    fn ranges() {
        let cover = |values: &[f64], floor| {
            PlotAxis::covering(values.iter().copied(), Scale::Linear, floor).map(|a| (a.low, a.high))
        };
        assert_eq!(cover(&[], 0.0), None);
        assert_eq!(cover(&[f64::NAN, f64::INFINITY], 0.0), None);
        assert_eq!(cover(&[2.0, f64::NAN, -1.0], 0.0), Some((-1.0, 2.0)));
        assert_eq!(cover(&[10.0, 10.0], 0.0), Some((9.0, 11.0)));
        assert_eq!(cover(&[0.0], 0.0), Some((-1.0, 1.0)));
        assert_eq!(cover(&[0.0], 2e-16), Some((-3e-16, 3e-16)));
        let (low, high) = cover(&[-f64::MAX, f64::MAX], 0.0).unwrap();
        assert!((high - low).is_finite());
        assert!(linear(low, high).fraction(f64::MAX) <= 1.0);
    }

    #[test]
    fn logarithmic() {
        let values = [1e-3, 0.0, -5.0, 1e2];
        let axis = PlotAxis::covering(values.into_iter(), Scale::Log, 0.0).unwrap();
        assert_eq!((axis.low, axis.high), (-3.0, 2.0));
        assert_eq!(axis.ticks(10).marks.len(), 6);
        assert_eq!(axis.ticks(10).marks[0].1, "10⁻³");
        assert!(axis.fraction(0.0).is_nan());
        let narrow = PlotAxis::covering([3.0, 8.0].into_iter(), Scale::Log, 0.0).unwrap();
        assert!(narrow.ticks(5).marks.len() >= 5);
        let wide = PlotAxis::covering([1e-300, 1e300].into_iter(), Scale::Log, 0.0).unwrap();
        assert!(wide.ticks(6).marks.len() <= 7);
    }

    #[test]
    fn crowded_labels_are_thinned() {
        let ticks = linear(0.0, 1.0).fitted_ticks(20, |label| 0.06 * label.len() as f64);
        assert!(ticks.marks.len() <= 6 && ticks.marks.len() >= 2);
    }
}
