//! What one panel of a figure shows.

use super::axis::Scale;
use super::label::PlotLabel;
use super::map::ValueMap;

/// How the points of a curve are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// Joined by a line, or as points where a line would be a tangle (see
    /// [`Panel::equal_aspect`]).
    #[default]
    Line,
    /// Joined by a dashed line.
    Dashed,
    /// As separate points.
    Points,
    /// As small points, where there are many.
    Dots,
    /// As points joined by a line.
    LineAndPoints,
}

/// A named sequence of points. A point that is not finite breaks the line. An
/// oscillation too fast to follow is drawn as the band it fills.
#[derive(Debug, Clone)]
pub struct Curve {
    pub(super) label: PlotLabel,
    pub(super) points: Vec<(f64, f64)>,
    pub(super) mark: Mark,
    pub(super) shows_ends: bool,
}

impl Curve {
    /// A line through the points. The name appears in the legend, set as in
    /// print: `theta1'` as θ₁′.
    pub fn new(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { label: PlotLabel::name(name), points: points.into_iter().collect(), mark: Mark::Line, shows_ends: false }
    }

    /// Draws it another way.
    #[must_use]
    pub fn mark(mut self, mark: Mark) -> Self {
        self.mark = mark;
        self
    }

    /// Marks the start with a ring and the end with a disc.
    #[must_use]
    pub fn ends(mut self) -> Self {
        self.shows_ends = true;
        self
    }
}

/// One coordinate system with its curves. Build it with the methods below.
///
/// ```
/// use extremal_trajectory::plot::{Curve, Figure, Mark, Panel};
///
/// let errors = [0.1f64, 0.05, 0.025].map(|h| (h, 0.3 * h.powi(2)));
/// let figure = Figure::new("Convergence").panel(
///     Panel::new("Error at the end")
///         .x_label("step h")
///         .y_label("error")
///         .log_log()
///         .curve(Curve::new("midpoint", errors).mark(Mark::LineAndPoints)),
/// );
/// assert!(figure.to_svg().contains("midpoint"));
/// ```
#[derive(Debug, Clone)]
pub struct Panel {
    pub(super) title: String,
    pub(super) x_label: PlotLabel,
    pub(super) y_label: PlotLabel,
    pub(super) x_scale: Scale,
    pub(super) y_scale: Scale,
    pub(super) curves: Vec<Curve>,
    pub(super) equal_aspect: bool,
    pub(super) is_plane: bool,
    pub(super) zero_line: bool,
    pub(super) y_floor: f64,
    pub(super) map: Option<ValueMap>,
}

impl Panel {
    /// An empty panel.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            x_label: PlotLabel::default(),
            y_label: PlotLabel::default(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            curves: Vec::new(),
            equal_aspect: false,
            is_plane: false,
            zero_line: false,
            y_floor: 0.0,
            map: None,
        }
    }

    /// Names the horizontal axis.
    #[must_use]
    pub fn x_label(mut self, name: &str) -> Self {
        self.x_label = PlotLabel::name(name);
        self
    }

    /// Names the vertical axis.
    #[must_use]
    pub fn y_label(mut self, name: &str) -> Self {
        self.y_label = PlotLabel::name(name);
        self
    }

    /// Makes both axes logarithmic.
    #[must_use]
    pub fn log_log(mut self) -> Self {
        self.x_scale = Scale::Log;
        self.log_y()
    }

    /// Makes the vertical axis logarithmic.
    #[must_use]
    pub fn log_y(mut self) -> Self {
        self.y_scale = Scale::Log;
        self
    }

    /// A plane of two equal quantities: both axes have room around the curves,
    /// and a curve whose points are too far apart for a line is drawn as
    /// points.
    #[must_use]
    pub fn plane(mut self) -> Self {
        self.is_plane = true;
        self
    }

    /// A [`plane`](Self::plane) with the same unit length on both axes, so
    /// that circles are round.
    #[must_use]
    pub fn equal_aspect(mut self) -> Self {
        self.equal_aspect = true;
        self.plane()
    }

    /// Draws a line at zero.
    #[must_use]
    pub fn zero_line(mut self) -> Self {
        self.zero_line = true;
        self
    }

    /// Shows differences below `floor` on the vertical axis as none: the
    /// rounding error of the quantity, for instance.
    #[must_use]
    pub fn floor(mut self, floor: f64) -> Self {
        self.y_floor = if floor.is_finite() { floor.max(0.0) } else { 0.0 };
        self
    }

    /// Shows values over a grid by colours, row by row from below: one for each of the places across, in ascending order, at each of
    /// those up. What is not finite is grey; without as many values as places nothing is shown.
    ///
    /// ```
    /// use extremal_trajectory::plot::{Figure, Panel};
    /// let panel = Panel::new("x y").map(vec![1.0, 2.0], vec![1.0, 2.0, 3.0], vec![1.0, 2.0, 2.0, 4.0, 3.0, 6.0]);
    /// assert!(Figure::new("products").panel(panel).to_svg().contains("x y"));
    /// ```
    #[must_use]
    pub fn map(mut self, across: Vec<f64>, up: Vec<f64>, values: Vec<f64>) -> Self {
        let fits = !values.is_empty() && values.len() == across.len() * up.len();
        self.map = fits.then_some(ValueMap { across, up, values });
        self
    }

    /// Adds a curve.
    #[must_use]
    pub fn curve(mut self, curve: Curve) -> Self {
        self.curves.push(curve);
        self
    }

    /// Adds curves.
    #[must_use]
    pub fn curves(mut self, curves: impl IntoIterator<Item = Curve>) -> Self {
        self.curves.extend(curves);
        self
    }
}
