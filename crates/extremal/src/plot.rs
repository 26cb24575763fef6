//! Pictures.

use std::path::Path;

use extremal_engine::trajectory::Figure;

use crate::Error;

/// A picture, to be saved as .svg or .png.
///
/// ```
/// let run = extremal::Model::gallery("pendulum")?.simulate().until(1.0).run()?;
/// assert!(run.plot().svg().starts_with("<svg"));
/// # Ok::<(), extremal::Error>(())
/// ```
pub struct Plot {
    figure: Figure,
}

impl Plot {
    pub(crate) fn of(figure: Figure) -> Plot {
        Plot { figure }
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
    /// An unknown format, or a file that cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        Ok(self.figure.save(path.as_ref())?)
    }
}
