//! What a builder is told about one coordinate, entropy or constraint.

use super::value::Value;
use crate::ConstraintKind;

/// Where a coordinate starts, and what else a model file says about it.
///
/// A plain number or expression is a start at rest. [`CoordinateSpec::default`] leaves the start open, as a boundary problem may.
#[derive(Clone, Debug, Default)]
pub struct CoordinateSpec {
    pub(super) entries: Vec<(&'static str, Value)>,
}

impl CoordinateSpec {
    /// A coordinate that starts here, at rest.
    pub fn start(value: impl Into<Value>) -> Self {
        CoordinateSpec::default().with("start", value.into())
    }

    /// The velocity it starts with.
    pub fn velocity(self, value: impl Into<Value>) -> Self {
        self.with("velocity", value.into())
    }

    /// The acceleration it starts with, where the Lagrangian contains accelerations.
    pub fn acceleration(self, value: impl Into<Value>) -> Self {
        self.with("acceleration", value.into())
    }

    /// The jerk, the third derivative, it starts with, where the Lagrangian contains accelerations.
    pub fn jerk(self, value: impl Into<Value>) -> Self {
        self.with("jerk", value.into())
    }

    /// The fourth derivative it starts with, where the Lagrangian contains the third.
    pub fn snap(self, value: impl Into<Value>) -> Self {
        self.with("snap", value.into())
    }

    /// The fifth derivative it starts with, where the Lagrangian contains the third.
    pub fn crackle(self, value: impl Into<Value>) -> Self {
        self.with("crackle", value.into())
    }

    /// The position after one step, for a start from two points.
    pub fn second(self, value: impl Into<Value>) -> Self {
        self.with("second", value.into())
    }

    /// A condition that must hold along the motion.
    pub fn domain(self, condition: &str) -> Self {
        self.with("domain", condition.into())
    }

    /// Makes it a family with this many members.
    pub fn count(self, count: impl Into<Value>) -> Self {
        self.with("count", count.into())
    }

    /// The name of the member's number in the expressions of this coordinate, instead of `i`.
    pub fn index(self, name: &str) -> Self {
        self.with("index", name.into())
    }

    fn with(mut self, key: &'static str, value: Value) -> Self {
        self.entries.push((key, value));
        self
    }
}

impl<T: Into<Value>> From<T> for CoordinateSpec {
    fn from(value: T) -> Self {
        CoordinateSpec::start(value)
    }
}

/// Where an entropy starts, and whether it is a family.
///
/// A plain number or expression is a start.
#[derive(Clone, Debug, Default)]
pub struct EntropySpec {
    pub(super) entries: Vec<(&'static str, Value)>,
}

impl EntropySpec {
    /// An entropy that starts here.
    pub fn start(value: impl Into<Value>) -> Self {
        EntropySpec { entries: vec![("start", value.into())] }
    }

    /// Makes it a family with this many members.
    pub fn count(mut self, count: impl Into<Value>) -> Self {
        self.entries.push(("count", count.into()));
        self
    }

    /// The name of the member's number in the expressions of this entropy, instead of `i`.
    pub fn index(mut self, name: &str) -> Self {
        self.entries.push(("index", name.into()));
        self
    }
}

impl<T: Into<Value>> From<T> for EntropySpec {
    fn from(value: T) -> Self {
        EntropySpec::start(value)
    }
}

/// What a constraint says, of which kind it is, and whether it is a family.
///
/// A plain equation is a holonomic constraint if it contains no velocity, else a nonholonomic one.
#[derive(Clone, Debug, Default)]
pub struct ConstraintSpec {
    pub(super) entries: Vec<(&'static str, Value)>,
}

impl ConstraintSpec {
    /// A constraint with this equation.
    pub fn equation(equation: impl Into<Value>) -> Self {
        ConstraintSpec::default().with("equation", equation.into())
    }

    /// Of this kind.
    pub fn kind(self, kind: ConstraintKind) -> Self {
        self.with("kind", kind.name().into())
    }

    /// What the multiplier of a vakonomic constraint starts from.
    pub fn multiplier(self, value: impl Into<Value>) -> Self {
        self.with("multiplier", value.into())
    }

    /// The virtual displacements of a nonholonomic constraint where they differ from its equation.
    pub fn variational(self, equation: impl Into<Value>) -> Self {
        self.with("variational", equation.into())
    }

    /// Makes it a family with this many members.
    pub fn count(self, count: impl Into<Value>) -> Self {
        self.with("count", count.into())
    }

    /// The name of the member's number in the equations of this constraint, instead of `i`.
    pub fn index(self, name: &str) -> Self {
        self.with("index", name.into())
    }

    fn with(mut self, key: &'static str, value: Value) -> Self {
        self.entries.push((key, value));
        self
    }
}

impl<T: Into<Value>> From<T> for ConstraintSpec {
    fn from(value: T) -> Self {
        ConstraintSpec::equation(value)
    }
}
