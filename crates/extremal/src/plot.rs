//! Pictures.

use std::path::Path;

#[cfg(feature = "plot")]
use extremal_engine::trajectory::Figure;
#[cfg(feature = "plot")]
use extremal_engine::trajectory::plot::Selection;
use extremal_engine::trajectory::{Columns, Series};

use crate::Error;

/// A picture, to be saved as .svg or .png.
///
/// ```
/// # #[cfg(feature = "plot")] {
/// let run = extremal::Model::gallery("pendulum")?.simulate().until(1.0).run()?;
/// assert!(run.plot().svg().starts_with("<svg"));
/// # }
/// # Ok::<(), extremal::Error>(())
/// ```
pub struct Plot {
    #[cfg(feature = "plot")]
    figure: Figure,
}

#[cfg(feature = "plot")]
impl Plot {
    /// The panels that the columns suggest; an energy that should change is shown as it is, not as an error.
    pub(crate) fn of(title: &str, subtitle: &str, columns: &Columns, series: &Series, energy_changes: bool) -> Plot {
        let selection = Selection { energy_changes, ..Selection::default() };
        // Only panels that are asked for by name may be missing, and none are.
        let figure = Figure::with_selection(title, columns, series, &selection);
        let figure = figure.unwrap_or_else(|_| Figure::of(title, columns, series));
        Plot { figure: figure.subtitle(subtitle) }
    }

    /// As SVG.
    pub fn svg(&self) -> String {
        self.figure.to_svg()
    }

    /// As PNG.
    ///
    /// # Errors
    /// It is too large.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        Ok(self.figure.to_png()?)
    }

    /// Writes it, as .svg or .png.
    ///
    /// # Errors
    /// An unknown format, or a file that cannot be written; without the feature `plot` there are no pictures
    /// ([`ErrorKind::Feature`](crate::ErrorKind::Feature)).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        Ok(self.figure.save(path.as_ref())?)
    }
}

#[cfg(not(feature = "plot"))]
impl Plot {
    pub(crate) fn of(_: &str, _: &str, _: &Columns, _: &Series, _: bool) -> Plot {
        Plot {}
    }

    /// There are no pictures without the feature `plot`.
    ///
    /// # Errors
    /// Always.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref().display();
        let message = format!("`{path}` needs the feature `plot`, without which this library was built");
        Err(Error::new(crate::ErrorKind::Feature, message))
    }
}
