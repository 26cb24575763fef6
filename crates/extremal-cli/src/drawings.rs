//! What the mechanism looks like: single pictures, and the motion as a page or a film.

use std::path::{Path, PathBuf};

use clap::Args;
use extremal_engine::drawing::{DrawingError, DrawnMotion};
use extremal_engine::trajectory::plot::SketchSheet;
use extremal_engine::trajectory::sig;
use extremal_engine::{Model, Recorder};

use crate::animation;
use crate::failure::CommandError;

/// What to draw of the mechanism.
#[derive(Args, Default)]
pub struct DrawingArguments {
    /// Show the motion of the mechanism, as one .html page that needs nothing else, a .gif, or an .mp4 where ffmpeg is; may be repeated
    #[arg(long, value_name = "FILE")]
    pub animate: Vec<PathBuf>,
    /// Draw the mechanism, as .svg or .png; may be repeated
    #[arg(long, value_name = "FILE")]
    pub frame: Vec<PathBuf>,
    /// Show it at so many times, evenly from the start to the end, in one picture
    #[arg(long, value_name = "N", requires = "frame", conflicts_with = "times", value_parser = clap::value_parser!(u32).range(2..=200))]
    pub shots: Option<u32>,
}

impl DrawingArguments {
    /// Is nothing to be drawn?
    pub fn is_empty(&self) -> bool {
        self.animate.is_empty() && self.frame.is_empty()
    }

    /// All files that are written.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.animate.iter().chain(&self.frame)
    }

    /// Refuses what nothing is known of, before anything is computed.
    pub fn check(&self, model: &Model) -> Result<(), CommandError> {
        let drawing = model.drawing();
        match !self.is_empty() && drawing.points.is_empty() && drawing.shapes.is_empty() {
            true => Err(DrawingError::Nothing.into()),
            false => Ok(()),
        }
    }

    /// Writes all pictures of a motion, those of the mechanism at these times; `written` learns of them.
    pub fn save(
        &self,
        model: &Model,
        title: &str,
        recorder: &Recorder,
        at: &[f64],
        written: &mut Vec<PathBuf>,
    ) -> Result<(), CommandError> {
        if self.is_empty() || recorder.rows() == 0 {
            return Ok(());
        }
        let motion = DrawnMotion::with(model, recorder.columns(), recorder.series(), at)?;
        for path in &self.animate {
            animation::save(path, title, &motion)?;
            written.push(path.clone());
        }
        for path in &self.frame {
            self.picture(path, title, &motion, at)?;
            written.push(path.clone());
        }
        Ok(())
    }

    fn picture(&self, path: &Path, title: &str, motion: &DrawnMotion, at: &[f64]) -> Result<(), CommandError> {
        let (Some(first), Some(last)) = (motion.times.first(), motion.times.last()) else { return Ok(()) };
        // Times that were printed with fewer digits than they have are meant as they are printed.
        let slack = 1e-9 * (last - first).abs();
        if let Some(time) = at.iter().find(|time| **time < first - slack || **time > last + slack) {
            return Err(CommandError::NoFrame { time: *time, first: *first, last: *last });
        }
        let times: Vec<f64> = match self.shots {
            Some(shots) => {
                let part = |shot: u32| f64::from(shot) / f64::from(shots - 1);
                (0..shots).map(|shot| first + part(shot) * (last - first)).collect()
            }
            None if at.is_empty() => vec![*last],
            None => at.to_vec(),
        };
        let frames: Vec<usize> = times.iter().map(|time| motion.frame_at(*time)).collect();
        let shown = |at: Option<&usize>| at.map_or(String::new(), |at| sig(motion.times[*at], 5));
        let caption = match frames.len() {
            1 => format!("{title}, at {}", shown(frames.first())),
            count => format!("{title}, {count} times from {} to {}", shown(frames.first()), shown(frames.last())),
        };
        Ok(SketchSheet::of(motion.sketch(&frames)).caption(caption).save(path)?)
    }
}
