//! Frames as pictures.

use std::f64::consts::{PI, TAU};

use extremal_trajectory::plot::{Ink, Sketch};

use super::geometry::{PagePoint, Room};
use super::{DrawnMotion, PlacedShape};

/// How faint the first of several pictures in one is.
const FAINTEST: f64 = 0.25;
/// The pieces that circles are drawn in.
const ROUND: usize = 48;
/// Sizes that have no units, as parts of the whole picture.
const DOT: f64 = 0.022;
const COIL: f64 = 0.022;
const HATCH: f64 = 0.03;
const HEAD: f64 = 0.035;

impl DrawnMotion {
    /// The mechanism in some frames: one picture, or several in one, of which the last hides the others.
    ///
    /// ```
    /// # #[cfg(feature = "plot")] {
    /// use extremal_engine::drawing::DrawnMotion;
    /// use extremal_engine::trajectory::plot::SketchSheet;
    /// use extremal_engine::{CompiledRun, Model, Recorder, Settings, gallery};
    /// let model = Model::from_toml(gallery::text("double-pendulum").unwrap())?;
    /// let run = CompiledRun::new(&model, &Settings::of(&model))?;
    /// let mut recorder = Recorder::new(run.columns().clone());
    /// run.execute(&mut recorder, |_| std::ops::ControlFlow::Continue(()))?;
    /// let drawn = DrawnMotion::of(&model, recorder.columns(), recorder.series())?;
    /// let sheet = SketchSheet::of(drawn.sketch(&[drawn.frame_at(0.0), drawn.frame_at(0.5)]));
    /// assert!(sheet.to_png()?.starts_with(b"\x89PNG"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sketch(&self, frames: &[usize]) -> Sketch {
        let room = self.room();
        let mut pen = FramePen { motion: self, size: room.size(), heats: self.heats(), sketch: Sketch::default() };
        let Room { across, up } = room;
        pen.sketch.show(across, up);
        let Some((last, before)) = frames.split_last().filter(|(last, _)| **last < self.frames.len()) else {
            return pen.sketch;
        };
        // What stays is seen once, what comes after hides it.
        let stays = |shape: &&PlacedShape| {
            matches!(
                shape,
                PlacedShape::Wall { .. } | PlacedShape::Curve { first: None, .. } | PlacedShape::Trail { .. }
            )
        };
        self.shapes.iter().filter(stays).for_each(|shape| pen.draw(*last, shape));
        for (at, frame) in before.iter().filter(|frame| **frame < self.frames.len()).enumerate() {
            pen.sketch.fade(FAINTEST + (0.8 - FAINTEST) * at as f64 / before.len() as f64);
            self.shapes.iter().filter(|shape| !stays(shape)).for_each(|shape| pen.draw(*frame, shape));
        }
        pen.sketch.fade(1.0);
        self.shapes.iter().filter(|shape| !stays(shape)).for_each(|shape| pen.draw(*last, shape));
        pen.sketch
    }
}

struct FramePen<'m> {
    motion: &'m DrawnMotion,
    size: f64,
    heats: (f64, f64),
    sketch: Sketch,
}

impl FramePen<'_> {
    fn draw(&mut self, frame: usize, shape: &PlacedShape) {
        let motion = self.motion;
        let number = |at: usize| motion.frames[frame].get(at).copied().unwrap_or(f64::NAN);
        let place = |at: usize| motion.flat(motion.point(frame, at));
        let places = |points: &[usize]| points.iter().map(|at| place(*at)).collect::<Vec<PagePoint>>();
        match shape {
            PlacedShape::Line { points } => self.sketch.line(places(points), Ink::Thin, 1.3),
            PlacedShape::Rod { points } => self.sketch.line(places(points), Ink::Rod, 4.0),
            PlacedShape::Wall { points } => self.wall(&places(points)),
            PlacedShape::Curve { places, first: None, .. } => {
                self.sketch.line(places.iter().map(|place| motion.flat(*place)), Ink::Thin, 1.5);
            }
            PlacedShape::Curve { first: Some(first), count, .. } => {
                let at = |k: usize| motion.flat(motion.triple(frame, first + 3 * k));
                self.sketch.line((0..*count).map(at), Ink::Thin, 1.5);
            }
            PlacedShape::Spring { points, turns } => {
                let coil = self.coil(place(points[0]), place(points[1]), *turns);
                self.sketch.line(coil, Ink::Rod, 1.5);
            }
            PlacedShape::Box { heat, .. } => {
                let ink = heat.map_or(Ink::Block, |at| self.heat(number(at)));
                self.sketch.surface(motion.corners(frame, shape), ink);
            }
            PlacedShape::Disc { at, radius, angle, heat, hollow, body } => {
                let (x, y) = place(*at);
                let radius = radius.map_or(DOT * self.size, |at| number(at).abs());
                let rim = (0..ROUND).map(|k| {
                    let (sin, cos) = (TAU * k as f64 / ROUND as f64).sin_cos();
                    (x + radius * cos, y + radius * sin)
                });
                match hollow {
                    true => self.sketch.rim(rim, Ink::Body(*body), 2.2),
                    false => self.sketch.surface(rim, heat.map_or(Ink::Body(*body), |at| self.heat(number(at)))),
                }
                if let Some(angle) = angle {
                    let (sin, cos) = number(*angle).sin_cos();
                    self.sketch.line([(x, y), (x + radius * cos, y + radius * sin)], Ink::Rod, 1.5);
                }
            }
            PlacedShape::Circle { at, radius, axis, angle, body } => {
                let (middle, axis) = (motion.point(frame, *at), motion.triple(frame, *axis));
                let on_rim = |angle: f64| motion.flat(DrawnMotion::circle(middle, axis, number(*radius), angle));
                let rim = (0..ROUND).map(|k| on_rim(TAU * k as f64 / ROUND as f64));
                self.sketch.rim(rim, Ink::Body(*body), 2.2);
                if let Some(angle) = angle {
                    self.sketch.line([motion.flat(middle), on_rim(number(*angle))], Ink::Rod, 1.5);
                }
            }
            PlacedShape::Arrow { at, vector } => {
                let (from, by) = (motion.point(frame, *at), motion.triple(frame, *vector));
                let tip = motion.flat(std::array::from_fn(|k| from[k] + by[k]));
                self.arrow(motion.flat(from), tip);
            }
            PlacedShape::Trail { at, seconds, body } => {
                let begin = seconds.map_or(f64::NEG_INFINITY, |at| motion.times[frame] - number(at));
                let frames = (0..=frame).filter(|frame| motion.times[*frame] >= begin);
                let trail: Vec<PagePoint> = frames.map(|frame| motion.flat(motion.point(frame, *at))).collect();
                for run in trail.split(|(x, y)| !x.is_finite() || !y.is_finite()) {
                    self.sketch.faint_line(run.iter().copied(), Ink::Body(*body), 1.4);
                }
            }
        }
    }

    fn heat(&self, value: f64) -> Ink {
        let (cold, hot) = self.heats;
        Ink::Heat(if hot > cold { (value - cold) / (hot - cold) } else { 0.5 })
    }

    /// Loops seen from the side, with straight ends.
    fn coil(&self, from: PagePoint, to: PagePoint, turns: u32) -> Vec<PagePoint> {
        const STEPS: usize = 12;
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        if length.is_nan() || length <= 0.0 {
            return vec![from, to];
        }
        let (along, across) = ((dx / length, dy / length), (-dy / length, dx / length));
        let width = (COIL * self.size).min(length / 3.0);
        let lead = 0.12 * length;
        let at = |a: f64, b: f64| (from.0 + a * along.0 + b * across.0, from.1 + a * along.1 + b * across.1);
        let count = STEPS * turns as usize;
        let loops = (0..=count).map(|k| {
            let part = k as f64 / count as f64;
            let (sin, cos) = (2.0 * PI * f64::from(turns) * part).sin_cos();
            at(lead + (length - 2.0 * lead) * part + 0.4 * width * (1.0 - cos), width * sin)
        });
        [from].into_iter().chain(loops).chain([to]).collect()
    }

    fn wall(&mut self, path: &[PagePoint]) {
        self.sketch.line(path.iter().copied(), Ink::Rod, 1.8);
        let spacing = HATCH * self.size;
        for ends in path.windows(2) {
            let (dx, dy) = (ends[1].0 - ends[0].0, ends[1].1 - ends[0].1);
            let length = dx.hypot(dy);
            let count = length / spacing;
            // There may be too many, or a length that is not finite.
            if count.is_nan() || count > 1000.0 {
                continue;
            }
            let (along, across) = ((dx / length, dy / length), (dy / length, -dx / length));
            for k in 0..count.floor() as usize {
                let a = (k as f64 + 0.8) * spacing;
                let start = (ends[0].0 + a * along.0, ends[0].1 + a * along.1);
                let by = 0.7 * spacing;
                let end = (start.0 + by * (across.0 - along.0), start.1 + by * (across.1 - along.1));
                self.sketch.line([start, end], Ink::Thin, 0.9);
            }
        }
    }

    fn arrow(&mut self, from: PagePoint, tip: PagePoint) {
        let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
        let length = dx.hypot(dy);
        if length.is_nan() || length <= 1e-9 * self.size {
            return;
        }
        let head = (HEAD * self.size).min(length / 2.0);
        let back = |turn: f64| {
            let angle = dy.atan2(dx) + PI + turn;
            (tip.0 + head * angle.cos(), tip.1 + head * angle.sin())
        };
        self.sketch.line([from, tip], Ink::Arrow, 2.2);
        self.sketch.line([back(0.4), tip, back(-0.4)], Ink::Arrow, 2.2);
    }
}
