//! What a builder is told about controls and boundary problems.

use super::TomlEntries;
use super::value::{Value, inline, key, quoted, toml};

/// On what a control acts, and within which bounds.
///
/// The name of a coordinate is a control that adds itself to the force on it.
#[derive(Clone, Debug, Default)]
pub struct ControlSpec {
    gains: Vec<(String, Value)>,
    entries: Vec<(&'static str, Value)>,
}

impl ControlSpec {
    /// A control that acts on this coordinate. [`ControlSpec::default`] is one that occurs in a force.
    pub fn on(coordinate: &str) -> Self {
        ControlSpec::default().gain(coordinate, 1)
    }

    /// It adds so many times itself to the force on the coordinate; may be repeated.
    pub fn gain(mut self, coordinate: &str, gain: impl Into<Value>) -> Self {
        self.gains.push((coordinate.to_owned(), gain.into()));
        self
    }

    /// The least it may be.
    pub fn min(self, value: impl Into<Value>) -> Self {
        self.with("min", value.into())
    }

    /// The most it may be.
    pub fn max(self, value: impl Into<Value>) -> Self {
        self.with("max", value.into())
    }

    /// A first guess, an expression of time and of the elapsed part `s` of the duration.
    pub fn guess(self, value: impl Into<Value>) -> Self {
        self.with("guess", value.into())
    }

    /// Makes it a family with this many members.
    pub fn count(self, count: impl Into<Value>) -> Self {
        self.with("count", count.into())
    }

    /// The name of the member's number in the expressions of this control, instead of `i`.
    pub fn index(self, name: &str) -> Self {
        self.with("index", name.into())
    }

    fn with(mut self, key: &'static str, value: Value) -> Self {
        self.entries.push((key, value));
        self
    }

    pub(super) fn to_toml(&self) -> String {
        let on = (!self.gains.is_empty()).then(|| format!("on = {}", assigned(&self.gains)));
        let entries = self.entries.iter().map(|(key, value)| format!("{key} = {}", toml(value)));
        inline(&on.into_iter().chain(entries).collect::<Vec<_>>())
    }
}

impl From<&str> for ControlSpec {
    fn from(coordinate: &str) -> Self {
        ControlSpec::on(coordinate)
    }
}

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
    entries: TomlEntries,
    start: Vec<(String, Value)>,
    end: Vec<(String, Value)>,
    via: Vec<String>,
    path: TomlEntries,
    integrals: TomlEntries,
    guess: Vec<(String, Value)>,
}

impl BoundarySpec {
    /// A motion that takes so long.
    pub fn duration(duration: impl Into<Value>) -> Self {
        BoundarySpec::default().with("duration", toml(&duration.into()))
    }

    /// A motion whose duration is to be found between these bounds.
    pub fn duration_between(min: impl Into<Value>, max: impl Into<Value>) -> Self {
        let bounds = [("min".to_owned(), min.into()), ("max".to_owned(), max.into())];
        BoundarySpec::default().with("duration", assigned(&bounds))
    }

    /// A motion whose duration is to be found near this guess.
    pub fn duration_near(guess: impl Into<Value>) -> Self {
        BoundarySpec::default().with("duration", assigned(&[("guess".to_owned(), guess.into())]))
    }

    /// A motion, or curve, from here to there on the axis of the independent variable.
    pub fn between(from: impl Into<Value>, to: impl Into<Value>) -> Self {
        BoundarySpec::default().from(from).with("to", toml(&to.into()))
    }

    /// Where the independent variable begins, instead of zero.
    pub fn from(self, from: impl Into<Value>) -> Self {
        self.with("from", toml(&from.into()))
    }

    /// The name of the independent variable, instead of `t`.
    pub fn independent(self, name: &str) -> Self {
        self.with("independent", quoted(name))
    }

    /// The number of steps.
    pub fn steps(self, steps: impl Into<Value>) -> Self {
        self.with("steps", toml(&steps.into()))
    }

    /// Steps that shrink towards the ends by these powers; one for equal steps.
    pub fn grading(self, start: impl Into<Value>, end: impl Into<Value>) -> Self {
        let powers = [("start".to_owned(), start.into()), ("end".to_owned(), end.into())];
        self.with("grading", assigned(&powers))
    }

    /// The value at the start of `x`, `x'`, ...
    pub fn start(mut self, component: &str, value: impl Into<Value>) -> Self {
        self.start.push((component.to_owned(), value.into()));
        self
    }

    /// The value at the end of `x`, `x'`, ... or of an entropy.
    pub fn end(mut self, component: &str, value: impl Into<Value>) -> Self {
        self.end.push((component.to_owned(), value.into()));
        self
    }

    /// Values after this part of the duration, which is between 0 and 1. Points must be stated in the order of time.
    pub fn via(mut self, fraction: impl Into<Value>, values: &[(&str, Value)]) -> Self {
        let values = values.iter().map(|(component, value)| ((*component).to_owned(), value.clone()));
        let point: Vec<_> = std::iter::once(("s".to_owned(), fraction.into())).chain(values).collect();
        self.via.push(assigned(&point));
        self
    }

    /// All coordinates end as they began.
    pub fn periodic(self) -> Self {
        self.with("periodic", "true".to_owned())
    }

    /// These coordinates end as they began.
    pub fn periodic_in(self, coordinates: &[&str]) -> Self {
        let names: Vec<_> = coordinates.iter().map(|name| quoted(name)).collect();
        self.with("periodic", format!("[{}]", names.join(", ")))
    }

    /// The least that `x`, `x'`, ... or an entropy may be along the motion, and the most.
    pub fn path(mut self, component: &str, min: Option<Value>, max: Option<Value>) -> Self {
        let bounds = [("min", min), ("max", max)];
        let bounds = bounds.into_iter().filter_map(|(bound, value)| Some((bound.to_owned(), value?)));
        self.path.push((key(component), assigned(&bounds.collect::<Vec<_>>())));
        self
    }

    /// The integral of the left side of the equation over the motion is its right side.
    pub fn integral(mut self, name: &str, equation: &str) -> Self {
        self.integrals.push((key(name), quoted(equation)));
        self
    }

    /// A first guess of a coordinate, an expression of the independent variable and of the elapsed part `s` of the duration.
    pub fn guess(mut self, coordinate: &str, value: impl Into<Value>) -> Self {
        self.guess.push((coordinate.to_owned(), value.into()));
        self
    }

    fn with(mut self, key: &str, value: String) -> Self {
        self.entries.push((key.to_owned(), value));
        self
    }

    /// The table.
    pub(super) fn table(&self) -> TomlEntries {
        let mut table = self.entries.clone();
        for (key, values) in [("start", &self.start), ("end", &self.end), ("guess", &self.guess)] {
            table.extend((!values.is_empty()).then(|| (key.to_owned(), assigned(values))));
        }
        for (key, entries) in [("path", &self.path), ("integrals", &self.integrals)] {
            let entries: Vec<_> = entries.iter().map(|(key, value)| format!("{key} = {value}")).collect();
            table.extend((!entries.is_empty()).then(|| (key.to_owned(), inline(&entries))));
        }
        table.extend((!self.via.is_empty()).then(|| ("via".to_owned(), format!("[{}]", self.via.join(", ")))));
        table
    }
}

/// An inline table of values by name.
fn assigned(values: &[(String, Value)]) -> String {
    inline(&values.iter().map(|(name, value)| format!("{} = {}", key(name), toml(value))).collect::<Vec<_>>())
}
