//! What a builder is told about boundary problems.

use super::value::{Value, inline, key, line};

/// Between which ends a motion is to be found, and what else it has to satisfy.
///
/// ```
/// use extremal::{BoundarySpec, CoordinateSpec, Model};
/// let model = Model::builder("Catenary")
///     .coordinate("y", CoordinateSpec::default())
///     .lagrangian("y*sqrt(1 + y'^2)")
///     .boundary(
///         BoundarySpec::between(-1, 1)
///             .independent("x")
///             .start("y", 2)
///             .end("y", 2)
///             .integral("length", "sqrt(1 + y'^2) = 3")
///             .guess("y", "1 + x^2"),
///     )
///     .build()?;
/// let curve = model.solve().steps(40).run()?;
/// assert_eq!(curve["y"].len(), 41);
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BoundarySpec {
    lines: Vec<String>,
    via: Vec<String>,
    links: Vec<Value>,
}

impl BoundarySpec {
    /// A motion that takes so long.
    pub fn duration(duration: impl Into<Value>) -> Self {
        BoundarySpec::default().with("duration", duration)
    }

    /// A motion whose duration is to be found between these bounds.
    pub fn duration_between(min: impl Into<Value>, max: impl Into<Value>) -> Self {
        BoundarySpec::default().with("duration.min", min).with("duration.max", max)
    }

    /// A motion whose duration is to be found near this guess.
    pub fn duration_near(guess: impl Into<Value>) -> Self {
        BoundarySpec::default().with("duration.guess", guess)
    }

    /// A motion, or curve, from here to there on the axis of the independent variable.
    pub fn between(from: impl Into<Value>, to: impl Into<Value>) -> Self {
        BoundarySpec::default().from(from).with("to", to)
    }

    /// Where the independent variable begins, instead of zero.
    pub fn from(self, from: impl Into<Value>) -> Self {
        self.with("from", from)
    }

    /// The name of the independent variable, instead of `t`.
    pub fn independent(self, name: &str) -> Self {
        self.with("independent", name)
    }

    /// The number of steps.
    pub fn steps(self, steps: impl Into<Value>) -> Self {
        self.with("steps", steps)
    }

    /// Steps that shrink towards the ends by these powers; one for equal steps.
    pub fn grading(self, start: impl Into<Value>, end: impl Into<Value>) -> Self {
        self.with("grading.start", start).with("grading.end", end)
    }

    /// The value at the start of `x`, `x'`, ...
    pub fn start(self, component: &str, value: impl Into<Value>) -> Self {
        self.with(&format!("start.{}", key(component)), value)
    }

    /// The value at the end of `x`, `x'`, ... or of an entropy.
    pub fn end(self, component: &str, value: impl Into<Value>) -> Self {
        self.with(&format!("end.{}", key(component)), value)
    }

    /// Values after this part of the duration, which is between 0 and 1. Points must be stated in the order of time.
    pub fn via(mut self, fraction: impl Into<Value>, values: &[(&str, Value)]) -> Self {
        let values = values.iter().map(|(component, value)| line(&key(component), value.clone()));
        let point: Vec<_> = std::iter::once(line("s", fraction)).chain(values).collect();
        self.via.push(inline(&point));
        self
    }

    /// All coordinates end as they began.
    pub fn periodic(mut self) -> Self {
        self.lines.push("periodic = true".to_owned());
        self
    }

    /// These coordinates end as they began.
    pub fn periodic_in(self, coordinates: &[&str]) -> Self {
        self.with("periodic", coordinates.to_vec())
    }

    /// What holds between both ends: `x_end = x_start + 1`; may be repeated.
    pub fn link(mut self, condition: &str) -> Self {
        self.links.push(condition.into());
        self
    }

    /// The least that `x`, `x'`, ... or an entropy may be along the motion, and the most.
    pub fn path(mut self, component: &str, min: Option<Value>, max: Option<Value>) -> Self {
        let bounds: Vec<_> =
            min.map(|min| line("min", min)).into_iter().chain(max.map(|max| line("max", max))).collect();
        self.lines.push(format!("path.{} = {}", key(component), inline(&bounds)));
        self
    }

    /// The integral of the left side over the motion is the right side, or with `<=` and `>=` at most or at least that.
    pub fn integral(self, name: &str, equation: &str) -> Self {
        self.with(&format!("integrals.{}", key(name)), equation)
    }

    /// A first guess of a coordinate, an expression of the independent variable and of the elapsed part `s` of the duration.
    pub fn guess(self, coordinate: &str, value: impl Into<Value>) -> Self {
        self.with(&format!("guess.{}", key(coordinate)), value)
    }

    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.lines.push(line(key, value));
        self
    }

    /// The lines of the table.
    pub(super) fn lines(mut self) -> Vec<String> {
        self.lines.extend((!self.links.is_empty()).then(|| line("links", self.links)));
        self.lines.extend((!self.via.is_empty()).then(|| format!("via = [{}]", self.via.join(", "))));
        self.lines
    }
}
