//! A motion as a film: pictures at even times, in a `.gif`, or in an `.mp4` by `ffmpeg`.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use extremal_engine::drawing::DrawnMotion;
use extremal_engine::trajectory::plot::SketchSheet;
use extremal_engine::trajectory::write_whole;

use crate::failure::CommandError;

/// Pictures per second: a hundred divided by it is the whole number that the delays of a GIF are.
const RATE: u16 = 25;
/// How long a film takes, in seconds: as long as the motion does, but within these.
const SHORTEST: f64 = 2.0;
const LONGEST: f64 = 20.0;
const SIZE: (f64, f64) = (560.0, 420.0);
/// The program that makes an MP4.
const ENCODER: &str = "ffmpeg";

/// What files a film can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmFormat {
    Gif,
    Mp4,
}

/// Refuses a film that this machine cannot make.
pub fn check(format: FilmFormat) -> Result<(), CommandError> {
    let found = || Command::new(ENCODER).arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    match format == FilmFormat::Gif || found().is_ok() {
        true => Ok(()),
        false => Err(CommandError::NoEncoder),
    }
}

/// Rows of pixels, all of one size.
struct FilmPicture {
    pixels: Vec<[u8; 3]>,
    width: u32,
    height: u32,
}

struct Film<'m> {
    motion: &'m DrawnMotion,
    title: &'m str,
    frames: Vec<usize>,
}

impl Film<'_> {
    fn picture(&self, frame: usize) -> Result<FilmPicture, CommandError> {
        let sheet = SketchSheet::of(self.motion.sketch(&[frame])).caption(self.title).size(SIZE.0, SIZE.1, 1.0);
        let (pixels, width, height) = sheet.to_pixels()?;
        Ok(FilmPicture { pixels, width, height })
    }
}

/// Writes the film.
pub fn save(path: &Path, title: &str, motion: &DrawnMotion, format: FilmFormat) -> Result<(), CommandError> {
    let (Some(first), Some(last)) = (motion.times.first(), motion.times.last()) else { return Ok(()) };
    let seconds = (last - first).abs().clamp(SHORTEST, LONGEST);
    let count = (seconds * f64::from(RATE)).round() as usize;
    let time = |at: usize| first + (last - first) * at as f64 / count as f64;
    let film = Film { motion, title, frames: (0..=count).map(|at| motion.frame_at(time(at))).collect() };
    let failed = |source| CommandError::Animation { path: path.to_owned(), source };
    match format {
        FilmFormat::Gif => write_whole(path, &as_gif(&film)?).map_err(failed),
        FilmFormat::Mp4 => as_mp4(&film, path),
    }
}

/// The colours of a GIF: the most frequent ones of some pictures, and the nearest of these to every other.
struct Palette {
    colors: Vec<[u8; 3]>,
    nearest: HashMap<[u8; 3], u8>,
}

impl Palette {
    const MOST: usize = 256;
    /// Of so many pictures.
    const SAMPLES: usize = 12;

    fn of(film: &Film<'_>) -> Result<Palette, CommandError> {
        let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
        let step = film.frames.len().div_ceil(Self::SAMPLES).max(1);
        for frame in film.frames.iter().step_by(step) {
            for pixel in film.picture(*frame)?.pixels {
                *counts.entry(pixel).or_default() += 1;
            }
        }
        let mut counts: Vec<([u8; 3], usize)> = counts.into_iter().collect();
        counts.sort_unstable_by_key(|(color, count)| (std::cmp::Reverse(*count), *color));
        let colors = counts.into_iter().take(Self::MOST).map(|(color, _)| color).collect();
        Ok(Palette { colors, nearest: HashMap::new() })
    }

    fn index(&mut self, color: [u8; 3]) -> u8 {
        let colors = &self.colors;
        *self.nearest.entry(color).or_insert_with(|| {
            let away = |other: &[u8; 3]| -> i32 {
                other.iter().zip(color).map(|(a, b)| (i32::from(*a) - i32::from(b)).pow(2)).sum()
            };
            let found = (0..colors.len()).min_by_key(|at| away(&colors[*at]));
            // There are at most 256.
            found.unwrap_or(0) as u8
        })
    }
}

fn as_gif(film: &Film<'_>) -> Result<Vec<u8>, CommandError> {
    let encoding = |error: gif::EncodingError| CommandError::Film(error.to_string());
    let mut palette = Palette::of(film)?;
    let Some(first) = film.frames.first() else { return Ok(Vec::new()) };
    let FilmPicture { width, height, .. } = film.picture(*first)?;
    let (width, height) = (width as u16, height as u16);
    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, width, height, palette.colors.as_flattened()).map_err(encoding)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(encoding)?;
    for frame in &film.frames {
        let pixels = film.picture(*frame)?.pixels;
        let buffer: Vec<u8> = pixels.into_iter().map(|color| palette.index(color)).collect();
        let mut frame = gif::Frame::from_indexed_pixels(width, height, buffer, None);
        frame.delay = 100 / RATE;
        encoder.write_frame(&frame).map_err(encoding)?;
    }
    drop(encoder);
    Ok(bytes)
}

fn as_mp4(film: &Film<'_>, path: &Path) -> Result<(), CommandError> {
    let failed = |source| CommandError::Animation { path: path.to_owned(), source };
    let Some(first) = film.frames.first() else { return Ok(()) };
    let FilmPicture { width, height, .. } = film.picture(*first)?;
    let mut encoder = Command::new(ENCODER)
        .args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"])
        .args(["-s", &format!("{width}x{height}"), "-r", &RATE.to_string(), "-i", "-", "-an"])
        // The format wants even sizes.
        .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p", "-movflags", "+faststart"])
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut input = encoder.stdin.take();
    let mut sent: io::Result<()> = Ok(());
    for frame in &film.frames {
        let picture = film.picture(*frame)?;
        if let Some(input) = &mut input {
            sent = input.write_all(picture.pixels.as_flattened());
        }
        if sent.is_err() {
            break;
        }
    }
    drop(input);
    let output = encoder.wait_with_output().map_err(failed)?;
    if !output.status.success() || sent.is_err() {
        // A part of a film is none.
        let _ = fs::remove_file(path);
    }
    match (output.status.success(), sent) {
        (true, Ok(())) => Ok(()),
        (true, Err(error)) => Err(failed(error)),
        (false, _) => Err(CommandError::Film(format!("{ENCODER}: {}", String::from_utf8_lossy(&output.stderr).trim()))),
    }
}
