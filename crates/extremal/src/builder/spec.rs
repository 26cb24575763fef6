//! What a builder is told about one coordinate, entropy, state, constraint or control.

use super::value::{Value, key, line};
use crate::ConstraintKind;

/// A spec with a method for each key of its table.
macro_rules! spec {
    ($(#[$about:meta])* $spec:ident { $($(#[$doc:meta])* $key:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default)]
        pub struct $spec {
            pub(super) entries: Vec<String>,
        }

        impl $spec {
            $($(#[$doc])*
            pub fn $key(self, value: impl Into<Value>) -> Self {
                self.with(stringify!($key), value)
            })*

            /// Makes it a family with this many members.
            pub fn count(self, count: impl Into<Value>) -> Self {
                self.with("count", count)
            }

            /// The name of the member's number in its expressions, instead of `i`.
            pub fn index(self, name: &str) -> Self {
                self.with("index", name)
            }

            fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
                self.entries.push(line(key, value));
                self
            }
        }
    };
}

spec! {
    /// Where a coordinate starts, and what else a model file says about it.
    ///
    /// A plain number or expression is a start at rest. [`CoordinateSpec::default`] leaves the start open, as a boundary problem may.
    CoordinateSpec {
        /// The velocity it starts with.
        velocity,
        /// The momentum it starts with, instead of a velocity, where the system is stated by a Hamiltonian.
        momentum,
        /// The acceleration it starts with, where the Lagrangian contains accelerations.
        acceleration,
        /// The jerk, the third derivative, it starts with, where the Lagrangian contains accelerations.
        jerk,
        /// The fourth derivative it starts with, where the Lagrangian contains the third.
        snap,
        /// The fifth derivative it starts with, where the Lagrangian contains the third.
        crackle,
        /// The momentum conjugate to the position: with momenta a run of a control problem follows its optimality conditions.
        p0,
        /// The momentum conjugate to the velocity.
        p1,
        /// The momentum conjugate to the acceleration, where the Lagrangian contains the third derivative.
        p2,
        /// The position after one step, for a start from two points.
        second,
    }
}

impl CoordinateSpec {
    /// A coordinate that starts here, at rest.
    pub fn start(value: impl Into<Value>) -> Self {
        CoordinateSpec::default().with("start", value)
    }

    /// A condition that must hold along the motion.
    pub fn domain(self, condition: &str) -> Self {
        self.with("domain", condition)
    }
}

impl<T: Into<Value>> From<T> for CoordinateSpec {
    fn from(value: T) -> Self {
        CoordinateSpec::start(value)
    }
}

spec! {
    /// Where an entropy starts, and whether it is a family.
    ///
    /// A plain number or expression is a start.
    EntropySpec {}
}

impl EntropySpec {
    /// An entropy that starts here.
    pub fn start(value: impl Into<Value>) -> Self {
        EntropySpec::default().with("start", value)
    }
}

impl<T: Into<Value>> From<T> for EntropySpec {
    fn from(value: T) -> Self {
        EntropySpec::start(value)
    }
}

spec! {
    /// How much matter there is at the start, and which part holds it.
    ///
    /// A plain number or expression is a start.
    AmountSpec {
        /// The entropy of the part that holds it, where there are several.
        entropy,
    }
}

impl AmountSpec {
    /// An amount that starts here.
    pub fn start(value: impl Into<Value>) -> Self {
        AmountSpec::default().with("start", value)
    }
}

impl<T: Into<Value>> From<T> for AmountSpec {
    fn from(value: T) -> Self {
        AmountSpec::start(value)
    }
}

spec! {
    /// Where matter or heat comes from and goes, and what it brings along.
    PortSpec {
        /// How much matter per time.
        flow,
        /// The energy that comes with matter, per amount.
        enthalpy,
        /// The entropy that comes with matter, per amount.
        entropy,
        /// Instead of the enthalpy: the chemical potential of a reservoir.
        potential,
        /// The temperature of a reservoir.
        temperature,
        /// How much heat per time.
        power,
        /// Heat per time and difference of temperatures.
        conductance,
    }
}

impl PortSpec {
    /// It leads into this amount, or for heat into this entropy.
    pub fn leading_into(part: &str) -> Self {
        PortSpec::default().with("into", part)
    }

    /// It leads out of this amount, and nowhere else unless that is said.
    pub fn leading_out_of(amount: &str) -> Self {
        PortSpec::default().with("from", amount)
    }

    /// It leads on into this amount.
    pub fn and_into(self, amount: &str) -> Self {
        self.with("into", amount)
    }
}

spec! {
    /// How fast a state of first order changes, and where it starts.
    ///
    /// A plain expression is a rate.
    StateSpec {
        /// Where it starts; a list makes a family.
        start,
    }
}

impl StateSpec {
    /// A state that changes at this rate.
    pub fn rate(value: impl Into<Value>) -> Self {
        StateSpec::default().with("rate", value)
    }
}

impl<T: Into<Value>> From<T> for StateSpec {
    fn from(value: T) -> Self {
        StateSpec::rate(value)
    }
}

spec! {
    /// What a constraint says, of which kind it is, and whether it is a family.
    ///
    /// A plain equation is a holonomic constraint if it contains no velocity, else a nonholonomic one, and of positions and entropies an
    /// equation of state.
    ConstraintSpec {
        /// What the multiplier of a vakonomic constraint starts from.
        multiplier,
        /// The virtual displacements of a constraint that reacts, where they differ from its equation.
        variational,
    }
}

impl ConstraintSpec {
    /// A constraint with this equation.
    pub fn equation(equation: impl Into<Value>) -> Self {
        ConstraintSpec::default().with("equation", equation)
    }

    /// Of this kind.
    pub fn kind(self, kind: ConstraintKind) -> Self {
        self.with("kind", kind.name())
    }
}

impl<T: Into<Value>> From<T> for ConstraintSpec {
    fn from(value: T) -> Self {
        ConstraintSpec::equation(value)
    }
}

spec! {
    /// On what a control acts, and within which bounds.
    ///
    /// The name of a coordinate is a control that adds itself to the force on it. [`ControlSpec::default`] is one that occurs in a force.
    ControlSpec {
        /// The least it may be.
        min,
        /// The most it may be.
        max,
        /// A first guess, an expression of time and of the elapsed part `s` of the duration.
        guess,
        /// What it is in a simulation: an expression of the state and time, such as a feedback.
        law,
    }
}

impl TableSpec {
    /// The function through these points.
    ///
    /// ```
    /// use extremal::{Model, TableSpec};
    /// let model = Model::builder("Ball on a track")
    ///     .tabulated("track", TableSpec::through([0.0, 1.0, 2.0], [1.0, 0.0, 1.0]).interpolation("cubic").outside("extend"))
    ///     .coordinate("x", 0.5)
    ///     .lagrangian("x'^2/2 - track(x)")
    ///     .build()?;
    /// // A parabola: an oscillator of frequency sqrt(2) about 1.
    /// let end = model.simulate().step(0.001).until(1.0).run()?;
    /// assert!((end.end().q("x") - (1.0 - 0.5 * 2f64.sqrt().cos())).abs() < 1e-6);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn through(x: impl Into<Value>, y: impl Into<Value>) -> Self {
        TableSpec::default().with("x", x).with("y", y)
    }

    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.entries.push(line(key, value));
        self
    }

    /// How it goes from point to point: `cubic`, `linear`, `monotone`, `periodic` or `constant`.
    pub fn interpolation(self, kind: &str) -> Self {
        self.with("interpolation", kind)
    }

    /// What it is outside of its points: `error`, `hold` or `extend`.
    pub fn outside(self, rule: &str) -> Self {
        self.with("outside", rule)
    }
}

/// The points of a table, and how a function goes through them.
#[derive(Clone, Debug, Default)]
pub struct TableSpec {
    pub(super) entries: Vec<String>,
}

impl ControlSpec {
    /// A control that acts on this coordinate.
    pub fn on(coordinate: &str) -> Self {
        ControlSpec::default().gain(coordinate, 1)
    }

    /// It adds so many times itself to the force on the coordinate; may be repeated.
    pub fn gain(self, coordinate: &str, gain: impl Into<Value>) -> Self {
        self.with(&format!("on.{}", key(coordinate)), gain)
    }

    /// How it goes through the steps of a grid: `constant`, `linear` or `polynomial`.
    ///
    /// ```
    /// use extremal::{BoundarySpec, ControlSpec, Model};
    /// // In least time by one, from rest to rest, with a jerk of 32 at most.
    /// let model = Model::builder("Crane")
    ///     .coordinate("x", extremal::CoordinateSpec::default())
    ///     .lagrangian("x'^2/2")
    ///     .control("u", ControlSpec::on("x").shape("linear").rate_between(-32, 32))
    ///     .running_cost("1")
    ///     .boundary(
    ///         BoundarySpec::duration_between(0.1, 5.0)
    ///             .start("x", 0)
    ///             .start("x'", 0)
    ///             .end("x", 1)
    ///             .end("x'", 0)
    ///             .link("u_end = -u_start"),
    ///     )
    ///     .method("galerkin(2)".parse().expect("a method"))
    ///     .build()?;
    /// // A force that goes straight from 16 T to -16 T brings it to 8 T^3/3; one that must begin and end with zero takes a unit of time.
    /// assert!((model.solve().steps(32).run()?.duration() - 0.375f64.cbrt()).abs() < 1e-6);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn shape(self, shape: &str) -> Self {
        self.with("shape", shape)
    }

    /// The least and the most that its rate may be; it is then linear in the steps.
    pub fn rate_between(self, min: impl Into<Value>, max: impl Into<Value>) -> Self {
        self.with("rate.min", min).with("rate.max", max)
    }
}

impl From<&str> for ControlSpec {
    fn from(coordinate: &str) -> Self {
        ControlSpec::on(coordinate)
    }
}
