//! How a function goes through the points of a table.

use super::PolynomialPiece;

/// How a function goes from one point of a table to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interpolation {
    /// The value of a point holds up to the next one.
    Constant,
    /// Straight lines.
    Linear,
    /// The cubic spline: two derivatives are continuous, and the first two pieces are one polynomial, as are the last two.
    Cubic,
    /// Cubic pieces that rise where the numbers rise and fall where they fall (Fritsch and Butland's slopes); one derivative is continuous.
    Monotone,
    /// The cubic spline that repeats itself: the last point is the first one again.
    Periodic,
}

impl Interpolation {
    /// All of them, the usual one first.
    pub const ALL: [Interpolation; 5] = [
        Interpolation::Cubic,
        Interpolation::Linear,
        Interpolation::Monotone,
        Interpolation::Periodic,
        Interpolation::Constant,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Interpolation::Constant => "constant",
            Interpolation::Linear => "linear",
            Interpolation::Cubic => "cubic",
            Interpolation::Monotone => "monotone",
            Interpolation::Periodic => "periodic",
        }
    }

    fn least_points(self) -> usize {
        match self {
            Interpolation::Periodic => 4,
            Interpolation::Constant => 1,
            _ => 2,
        }
    }
}

/// What a table says where it has no numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutsideTable {
    /// Nothing: the function is not defined there.
    Error,
    /// The value of the nearest point.
    Hold,
    /// Straight on, with the slope at the nearest point.
    Extend,
}

impl OutsideTable {
    /// All of them, the usual one first.
    pub const ALL: [OutsideTable; 3] = [OutsideTable::Error, OutsideTable::Hold, OutsideTable::Extend];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            OutsideTable::Error => "error",
            OutsideTable::Hold => "hold",
            OutsideTable::Extend => "extend",
        }
    }
}

/// Why no function goes through points.
#[derive(Clone, Debug, PartialEq)]
pub enum TableProblem {
    /// There are fewer than that.
    TooFew {
        /// How many there must be.
        needed: usize,
    },
    /// Not every x has its y.
    Lengths {
        /// How many x there are.
        x: usize,
        /// How many y there are.
        y: usize,
    },
    /// This one is not above the one before it, or no number at all.
    NotIncreasing {
        /// Its position, from 1.
        at: usize,
        /// Its value.
        x: f64,
    },
    /// A value that is no finite number, or too large to go through.
    NotFinite {
        /// Its position, from 1.
        at: usize,
    },
    /// What should repeat itself does not end where it begins.
    NotPeriodic {
        /// The first value.
        first: f64,
        /// The last one.
        last: f64,
    },
}

impl std::fmt::Display for TableProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TableProblem::TooFew { needed } => write!(f, "it has fewer than {needed} points"),
            TableProblem::Lengths { x, y } => write!(f, "it has {x} x and {y} y"),
            TableProblem::NotIncreasing { at, x } => write!(f, "x number {at}, {x}, is not above the one before it"),
            TableProblem::NotFinite { at } => write!(f, "y number {at} is no finite number, or too far from the next"),
            TableProblem::NotPeriodic { first, last } => {
                write!(f, "it is to repeat itself, but begins at {first} and ends at {last}")
            }
        }
    }
}

impl std::error::Error for TableProblem {}

pub(super) fn check(x: &[f64], y: &[f64], interpolation: Interpolation) -> Result<(), TableProblem> {
    if x.len() != y.len() {
        return Err(TableProblem::Lengths { x: x.len(), y: y.len() });
    }
    if x.len() < interpolation.least_points() {
        return Err(TableProblem::TooFew { needed: interpolation.least_points() });
    }
    for (at, value) in x.iter().enumerate() {
        if !(value.is_finite() && (at == 0 || x[at - 1] < *value)) {
            return Err(TableProblem::NotIncreasing { at: at + 1, x: *value });
        }
    }
    if let Some(at) = y.iter().position(|value| !value.is_finite()) {
        return Err(TableProblem::NotFinite { at: at + 1 });
    }
    let rise = |at: usize| (y[at + 1] - y[at]) / (x[at + 1] - x[at]).powi(3);
    if let Some(at) = (0..y.len() - 1).find(|at| !rise(*at).is_finite()) {
        return Err(TableProblem::NotFinite { at: at + 1 });
    }
    let (first, last) = (y[0], y[y.len() - 1]);
    if interpolation == Interpolation::Periodic && first != last {
        return Err(TableProblem::NotPeriodic { first, last });
    }
    Ok(())
}

/// Breaks, pieces and period of the function through points that are checked.
pub(super) fn pieces(
    x: &[f64],
    y: &[f64],
    interpolation: Interpolation,
    outside: OutsideTable,
) -> (Vec<f64>, Vec<PolynomialPiece>, Option<f64>) {
    let last = x.len() - 1;
    let slopes = match interpolation {
        Interpolation::Constant | Interpolation::Linear => vec![0.0; x.len()],
        Interpolation::Cubic => spline_slopes(x, y),
        Interpolation::Monotone => monotone_slopes(x, y),
        Interpolation::Periodic => periodic_slopes(x, y),
    };
    let inner = (0..last).map(|at| {
        let width = x[at + 1] - x[at];
        let secant = (y[at + 1] - y[at]) / width;
        let (here, there) = (slopes[at], slopes[at + 1]);
        let coefficients = match interpolation {
            Interpolation::Constant => [y[at], 0.0, 0.0, 0.0],
            Interpolation::Linear => [y[at], secant, 0.0, 0.0],
            _ => {
                let bend = (here - secant) + (there - secant);
                [y[at], here, ((secant - here) - bend) / width, bend / (width * width)]
            }
        };
        PolynomialPiece { origin: x[at], coefficients }
    });
    let inner: Vec<PolynomialPiece> = inner.collect();
    if interpolation == Interpolation::Periodic {
        let pieces = [&inner[..1], &inner, &inner[last - 1..]].concat();
        return (x.to_vec(), pieces, Some(x[last] - x[0]));
    }
    let beyond = |at: usize, neighbour: Option<&PolynomialPiece>| {
        let slope = neighbour.map_or(0.0, |piece| {
            let (d, [_, b, c, e]) = (x[at] - piece.origin, piece.coefficients);
            b + d * (2.0 * c + d * (3.0 * e))
        });
        let coefficients = match outside {
            OutsideTable::Error => [f64::NAN; 4],
            OutsideTable::Hold => [y[at], 0.0, 0.0, 0.0],
            OutsideTable::Extend => [y[at], slope, 0.0, 0.0],
        };
        PolynomialPiece { origin: x[at], coefficients }
    };
    let (below, mut above) = (beyond(0, inner.first()), beyond(last, inner.last()));
    let mut breaks = x.to_vec();
    let mut middle = inner;
    if outside == OutsideTable::Error {
        // Round-off at the ends is not outside: a billionth of the range.
        let room = 1e-9 * (x[last] - x[0]).max(x[0].abs()).max(x[last].abs());
        if let [only] = breaks.as_mut_slice() {
            // One point says something of one place.
            middle = vec![PolynomialPiece { origin: *only, coefficients: [y[0], 0.0, 0.0, 0.0] }];
            breaks = vec![x[0] - room, x[0] + room.max(f64::MIN_POSITIVE)];
        } else {
            breaks[0] -= room;
            breaks[last] += room;
        }
        above.coefficients = [f64::NAN; 4];
    }
    let pieces = [&[below], middle.as_slice(), &[above]].concat();
    (breaks, pieces, None)
}

/// How many breaks there are in a unit, where none is farther than half a distance from where it would be if all were the same.
pub(super) fn density(breaks: &[f64]) -> Option<f64> {
    let (first, last) = (*breaks.first()?, *breaks.last()?);
    let distance = (last - first) / (breaks.len() as f64 - 1.0);
    let even = |(at, place): (usize, &f64)| (place - (first + at as f64 * distance)).abs() < 0.5 * distance;
    let usable = breaks.len() > 8 && (1.0 / distance).is_finite() && breaks.iter().enumerate().all(even);
    usable.then(|| 1.0 / distance)
}

fn widths_and_secants(x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let widths: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let secants = y.windows(2).zip(&widths).map(|(pair, width)| (pair[1] - pair[0]) / width).collect();
    (widths, secants)
}

/// A system of equations each of which has an unknown and its two neighbours.
struct SplineRows {
    lower: Vec<f64>,
    middle: Vec<f64>,
    upper: Vec<f64>,
}

impl SplineRows {
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let count = right.len();
        let (mut middle, mut value) = (self.middle.clone(), right.to_vec());
        for at in 1..count {
            let factor = self.lower[at] / middle[at - 1];
            middle[at] -= factor * self.upper[at - 1];
            value[at] -= factor * value[at - 1];
        }
        for at in (0..count).rev() {
            let above = if at + 1 < count { self.upper[at] * value[at + 1] } else { 0.0 };
            value[at] = (value[at] - above) / middle[at];
        }
        value
    }
}

/// The slopes with which the second derivative is continuous, and the third one at the second point and the last but one.
fn spline_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let (w, s) = widths_and_secants(x, y);
    let last = x.len() - 1;
    if last == 1 {
        return vec![s[0]; 2];
    }
    let mut rows = SplineRows { lower: vec![0.0; last + 1], middle: vec![0.0; last + 1], upper: vec![0.0; last + 1] };
    let mut right = vec![0.0; last + 1];
    for at in 1..last {
        rows.lower[at] = w[at];
        rows.middle[at] = 2.0 * (w[at - 1] + w[at]);
        rows.upper[at] = w[at - 1];
        right[at] = 3.0 * (w[at] * s[at - 1] + w[at - 1] * s[at]);
    }
    if last == 2 {
        // One parabola.
        (rows.middle[0], rows.upper[0], right[0]) = (1.0, 1.0, 2.0 * s[0]);
        (rows.lower[2], rows.middle[2], right[2]) = (1.0, 1.0, 2.0 * s[1]);
    } else {
        let (first, end) = (w[0] + w[1], w[last - 1] + w[last - 2]);
        (rows.middle[0], rows.upper[0]) = (w[1], first);
        right[0] = ((w[0] + 2.0 * first) * w[1] * s[0] + w[0] * w[0] * s[1]) / first;
        (rows.lower[last], rows.middle[last]) = (end, w[last - 2]);
        right[last] =
            (w[last - 1] * w[last - 1] * s[last - 2] + (2.0 * end + w[last - 1]) * w[last - 2] * s[last - 1]) / end;
    }
    rows.solve(&right)
}

/// The same where the last point is the first one.
fn periodic_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let (w, s) = widths_and_secants(x, y);
    let count = w.len();
    let before = |at: usize| (at + count - 1) % count;
    let mut rows = SplineRows {
        lower: (0..count).map(|at| w[at]).collect(),
        middle: (0..count).map(|at| 2.0 * (w[before(at)] + w[at])).collect(),
        upper: (0..count).map(|at| w[before(at)]).collect(),
    };
    let right: Vec<f64> = (0..count).map(|at| 3.0 * (w[at] * s[before(at)] + w[before(at)] * s[at])).collect();
    // The two corners by the formula of Sherman and Morrison.
    let (corner_above, corner_below) = (rows.lower[0], rows.upper[count - 1]);
    let shift = -rows.middle[0];
    rows.middle[0] -= shift;
    rows.middle[count - 1] -= corner_above * corner_below / shift;
    let mut along = vec![0.0; count];
    (along[0], along[count - 1]) = (shift, corner_below);
    let (plain, moved) = (rows.solve(&right), rows.solve(&along));
    let ratio = corner_above / shift;
    let factor = (plain[0] + ratio * plain[count - 1]) / (1.0 + moved[0] + ratio * moved[count - 1]);
    let mut slopes: Vec<f64> = plain.iter().zip(&moved).map(|(plain, moved)| plain - factor * moved).collect();
    slopes.push(slopes[0]);
    slopes
}

/// Harmonic means of the neighbouring secants, weighted; zero at hills and in valleys.
fn monotone_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let (w, s) = widths_and_secants(x, y);
    let last = x.len() - 1;
    if last == 1 {
        return vec![s[0]; 2];
    }
    let mut slopes = vec![0.0; last + 1];
    for at in 1..last {
        if s[at - 1] * s[at] > 0.0 {
            let (a, b) = (2.0 * w[at] + w[at - 1], w[at] + 2.0 * w[at - 1]);
            slopes[at] = (a + b) / (a / s[at - 1] + b / s[at]);
        }
    }
    slopes[0] = end_slope([w[0], w[1]], [s[0], s[1]]);
    slopes[last] = end_slope([w[last - 1], w[last - 2]], [s[last - 1], s[last - 2]]);
    slopes
}

/// The slope of the parabola through the last three points, no more than keeps the piece monotone.
fn end_slope([w0, w1]: [f64; 2], [s0, s1]: [f64; 2]) -> f64 {
    let slope = ((2.0 * w0 + w1) * s0 - w0 * s1) / (w0 + w1);
    if slope * s0 <= 0.0 {
        0.0
    } else if s0 * s1 <= 0.0 && slope.abs() > 3.0 * s0.abs() {
        3.0 * s0
    } else {
        slope
    }
}
