//! Where a drawing is on the page: its projection, and how much room it takes.

use super::{DrawnMotion, PlacedShape};

/// A place on the page, in the units of the model.
pub type PagePoint = (f64, f64);

/// Room on the page: from left to right, from bottom to top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// From left to right.
    pub across: [f64; 2],
    /// From bottom to top.
    pub up: [f64; 2],
}

impl Room {
    /// The longer side: what sizes without units are parts of.
    pub fn size(&self) -> f64 {
        let size = (self.across[1] - self.across[0]).max(self.up[1] - self.up[0]);
        if size > 0.0 { size } else { 1.0 }
    }
}

/// From where a drawing in space is looked at: turned about the vertical, raised above the horizontal.
const TURNED: f64 = 0.6;
const RAISED: f64 = 0.35;

impl DrawnMotion {
    /// A place in space on the page; in the plane, the place itself.
    pub(super) fn flat(&self, [x, y, z]: [f64; 3]) -> PagePoint {
        if !self.spatial {
            return (x, y);
        }
        let (turned, raised) = match self.view.from {
            Some([a, b, c]) => (b.atan2(a), c.atan2(a.hypot(b))),
            None => (TURNED, RAISED),
        };
        let away = turned.cos() * x + turned.sin() * y;
        (turned.cos() * y - turned.sin() * x, raised.cos() * z - raised.sin() * away)
    }

    /// Three numbers of a frame.
    pub(super) fn triple(&self, frame: usize, at: usize) -> [f64; 3] {
        let numbers = &self.frames[frame];
        std::array::from_fn(|k| numbers.get(at + k).copied().unwrap_or(f64::NAN))
    }

    /// A point in a frame.
    pub(super) fn point(&self, frame: usize, at: usize) -> [f64; 3] {
        self.triple(frame, 3 * at)
    }

    /// The places of a circle in space, and the tip of a spoke turned by `angle`.
    pub(super) fn circle(middle: [f64; 3], axis: [f64; 3], radius: f64, angle: f64) -> [f64; 3] {
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [a, b, c] = axis.map(|x| x / length);
        // Horizontal and across the axis; the first axis where that is vertical.
        let flat = a.hypot(b);
        let first = if flat > 1e-9 { [-b / flat, a / flat, 0.0] } else { [1.0, 0.0, 0.0] };
        let second = [b * first[2] - c * first[1], c * first[0] - a * first[2], a * first[1] - b * first[0]];
        std::array::from_fn(|k| middle[k] + radius * (angle.cos() * first[k] + angle.sin() * second[k]))
    }

    /// The corners of a box.
    pub(super) fn corners(&self, frame: usize, shape: &PlacedShape) -> Vec<PagePoint> {
        let PlacedShape::Box { at, width, height, angle, .. } = shape else { return Vec::new() };
        let number = |at: usize| self.frames[frame].get(at).copied().unwrap_or(f64::NAN);
        let (w, h) = (number(*width).abs() / 2.0, number(*height).abs() / 2.0);
        let (x, y) = self.flat(self.point(frame, *at));
        let (sin, cos) = angle.map_or(0.0, number).sin_cos();
        let corner = |(a, b): (f64, f64)| (x + a * cos - b * sin, y + a * sin + b * cos);
        [(-w, -h), (w, -h), (w, h), (-w, h)].map(corner).to_vec()
    }

    /// The room that the whole motion takes, or what is stated.
    pub fn room(&self) -> Room {
        let nothing = Room { across: [f64::INFINITY, f64::NEG_INFINITY], up: [f64::INFINITY, f64::NEG_INFINITY] };
        let mut room = nothing;
        let mut grow = |(x, y): PagePoint, by: f64| {
            if x.is_finite() && y.is_finite() && by.is_finite() {
                room.across = [room.across[0].min(x - by), room.across[1].max(x + by)];
                room.up = [room.up[0].min(y - by), room.up[1].max(y + by)];
            }
        };
        for frame in 0..self.frames.len() {
            let number = |at: usize| self.frames[frame].get(at).copied().unwrap_or(f64::NAN);
            let mut point = |at: usize, by: f64| grow(self.flat(self.point(frame, at)), by);
            for shape in &self.shapes {
                match shape {
                    PlacedShape::Line { points } | PlacedShape::Wall { points } | PlacedShape::Rod { points } => {
                        points.iter().for_each(|at| point(*at, 0.0));
                    }
                    PlacedShape::Spring { points, .. } => points.iter().for_each(|at| point(*at, 0.0)),
                    PlacedShape::Box { .. } => {}
                    PlacedShape::Disc { at, radius, .. } => point(*at, radius.map_or(0.0, |at| number(at).abs())),
                    PlacedShape::Circle { at, radius, .. } => point(*at, number(*radius).abs()),
                    PlacedShape::Arrow { at, .. } | PlacedShape::Trail { at, .. } => point(*at, 0.0),
                    PlacedShape::Curve { .. } => {}
                }
            }
            for shape in &self.shapes {
                match shape {
                    PlacedShape::Curve { first: Some(first), count, .. } => {
                        (0..*count).for_each(|k| grow(self.flat(self.triple(frame, first + 3 * k)), 0.0));
                    }
                    PlacedShape::Curve { places, .. } if frame == 0 => {
                        places.iter().for_each(|place| grow(self.flat(*place), 0.0));
                    }
                    PlacedShape::Box { .. } => self.corners(frame, shape).into_iter().for_each(|at| grow(at, 0.0)),
                    _ => {}
                }
            }
        }
        if room.across[0] > room.across[1] {
            room = Room { across: [-1.0, 1.0], up: [-1.0, 1.0] };
        }
        let margin = 0.06 * room.size();
        let wider = |[from, to]: [f64; 2]| [from - margin, to + margin];
        Room { across: self.view.across.unwrap_or(wider(room.across)), up: self.view.up.unwrap_or(wider(room.up)) }
    }

    /// The coldest and the hottest of what is coloured by heat.
    pub(super) fn heats(&self) -> (f64, f64) {
        let of = |shape: &PlacedShape| match shape {
            PlacedShape::Box { heat, .. } | PlacedShape::Disc { heat, .. } => *heat,
            _ => None,
        };
        let places: Vec<usize> = self.shapes.iter().filter_map(of).collect();
        let all = self.frames.iter().flat_map(|frame| places.iter().map(|at| frame[*at])).filter(|x| x.is_finite());
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    }
}
