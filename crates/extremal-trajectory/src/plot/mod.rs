//! Figures that can go into a paper: SVG, and PNG without a font installed.
//!
//! [`Figure::of`] chooses panels from the roles of the columns; [`Panel`] and
//! [`Curve`] build others.

mod axis;
mod choose;
mod draw;
mod font;
mod label;
mod layout;
mod legend;
mod map;
mod palette;
mod panel;
mod png;
mod polyline;
mod request;
mod scene;
mod sketch;
mod svg;
mod truetype;

pub use axis::Scale;
pub use choose::Selection;
pub use panel::{Curve, Mark, Panel};
pub use request::{PanelRequest, PanelTextError};
pub use sketch::{Ink, Sketch, SketchSheet};

use crate::format::{FormatError, asked_for};
use crate::{Columns, Series};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a figure cannot be made or saved.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum PlotError {
    /// The file name says no known picture format.
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error("there is no column `{name}` to plot; there are {}", known.join(", "))]
    UnknownColumn { name: String, known: Vec<String> },
    #[error("`{name}` has neither a momentum nor a velocity: `phase` takes coordinates")]
    NoPhase { name: String },
    #[error("a picture of {width} by {height} pixels is too large")]
    TooLarge { width: u32, height: u32 },
    #[error("cannot encode the picture: {reason}")]
    Encode { reason: String },
    #[error("cannot write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// A picture format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// Scalable, with selectable text.
    Svg,
    /// Pixels, two per unit.
    Png,
}

impl PictureFormat {
    /// The format a file name asks for, by its extension in any case. Ask
    /// before a long run, to refuse a wrong name early.
    ///
    /// # Errors
    /// The extension is missing or unknown; the message lists the known ones.
    pub fn of(path: &Path) -> Result<Self, FormatError> {
        asked_for(path, "picture format", &[("svg", Self::Svg), ("png", Self::Png)])
    }
}

/// A titled grid of panels.
///
/// ```
/// use extremal_trajectory::{Column, Columns, Figure, Series};
///
/// let columns = Columns::new([Column::time(), Column::coordinate("theta")])?;
/// let mut series = Series::new(columns.len());
/// for i in 0..100 {
///     let t = 0.1 * i as f64;
///     series.push(&[t, t.sin()]);
/// }
/// let figure = Figure::of("Pendulum", &columns, &series).subtitle("midpoint, h = 0.1");
/// assert!(figure.to_svg().contains("θ"));
/// assert!(figure.to_png()?.starts_with(b"\x89PNG"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Figure {
    title: String,
    subtitle: String,
    panels: Vec<Panel>,
}

impl Figure {
    /// Pixels per unit in a PNG.
    const PNG_SCALE: f64 = 2.0;

    /// A figure without panels.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), subtitle: String::new(), panels: Vec::new() }
    }

    /// The panels that the roles of the columns suggest: coordinates over
    /// time, configuration and phase planes, errors of energy and invariants,
    /// entropies, temperatures, multipliers, controls, parts of the energy.
    pub fn of(title: impl Into<String>, columns: &Columns, series: &Series) -> Self {
        Self { panels: choose::panels(columns, series, None, false), ..Self::new(title) }
    }

    /// As [`of`](Self::of), with choices made by the caller.
    ///
    /// # Errors
    /// The selection names a column that does not exist.
    pub fn with_selection(
        title: impl Into<String>,
        columns: &Columns,
        series: &Series,
        selection: &Selection,
    ) -> Result<Self, PlotError> {
        let plane = selection.plane_in(columns)?;
        if !selection.panels.is_empty() {
            let panels = selection.panels.iter().map(|request| request.panel(columns, series));
            return Ok(Self { panels: panels.collect::<Result<_, _>>()?, ..Self::new(title) });
        }
        Ok(Self { panels: choose::panels(columns, series, plane, selection.energy_changes), ..Self::new(title) })
    }

    /// Adds a smaller line under the title: the method and step, say.
    #[must_use]
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    /// Adds a panel.
    #[must_use]
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// The titles of the panels, in reading order.
    pub fn panel_titles(&self) -> impl Iterator<Item = &str> {
        self.panels.iter().map(|panel| panel.title.as_str())
    }

    /// The figure as an SVG document.
    pub fn to_svg(&self) -> String {
        svg::document(&layout::scene(self), &self.title)
    }

    /// The figure as a PNG, the same picture as the SVG.
    ///
    /// # Errors
    /// The picture does not fit in memory.
    pub fn to_png(&self) -> Result<Vec<u8>, PlotError> {
        png::image(&layout::scene(self), Self::PNG_SCALE)
    }

    /// Writes the figure in the format the file name asks for.
    ///
    /// # Errors
    /// An unknown extension, or a file that cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), PlotError> {
        let bytes = match PictureFormat::of(path)? {
            PictureFormat::Svg => self.to_svg().into_bytes(),
            PictureFormat::Png => self.to_png()?,
        };
        crate::write_whole(path, &bytes).map_err(|source| PlotError::Write { path: path.into(), source })
    }
}
