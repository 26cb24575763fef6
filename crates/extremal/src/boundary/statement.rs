//! What a boundary problem states, as numbers and expressions.

use extremal_expr::Id;

/// What is given at one end: a coordinate or a derivative of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndValue {
    /// Which coordinate.
    pub coordinate: usize,
    /// Zero for the position, one for the velocity, and so on.
    pub order: usize,
    /// Its value.
    pub value: f64,
}

/// How long the motion lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Duration {
    /// So long.
    Fixed(f64),
    /// To be found.
    Free {
        /// Not shorter.
        min: f64,
        /// Not longer.
        max: f64,
        /// Where to begin.
        guess: f64,
    },
}

impl Duration {
    /// The duration, or where the search for it begins.
    pub fn guess(self) -> f64 {
        match self {
            Duration::Fixed(value) => value,
            Duration::Free { guess, .. } => guess,
        }
    }
}

/// An input of the system that is to be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Its name.
    pub name: String,
    /// Its symbol.
    pub symbol: Id,
    /// The force per unit of it on each coordinate it acts on.
    pub gains: Vec<(usize, Id)>,
    /// Not smaller.
    pub min: f64,
    /// Not larger.
    pub max: f64,
    /// A first guess, an expression of time and of the relative time `s`.
    pub guess: Option<Id>,
}

/// An integral over the motion that has a given value.
#[derive(Clone, Debug, PartialEq)]
pub struct Integral {
    /// Its name.
    pub name: String,
    /// The integrand.
    pub integrand: Id,
    /// The value.
    pub value: f64,
}

/// Bounds of a coordinate or a velocity along the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathBound {
    /// Which coordinate.
    pub coordinate: usize,
    /// Zero for the position, one for the velocity.
    pub order: usize,
    /// Not smaller.
    pub min: f64,
    /// Not larger.
    pub max: f64,
}

/// A boundary or control problem of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The name of the independent variable.
    pub independent: String,
    /// Where it starts.
    pub begin: f64,
    /// How far it goes.
    pub duration: Duration,
    /// Steps of the grid.
    pub steps: usize,
    /// Nodes crowd towards the ends where the motion is singular: powers of the relative distance, one for a uniform grid.
    pub grading: (f64, f64),
    /// Given at the start.
    pub start: Vec<EndValue>,
    /// Given at the end.
    pub end: Vec<EndValue>,
    /// Does the motion close?
    pub periodic: bool,
    /// Inputs to be chosen.
    pub controls: Vec<Control>,
    /// The running cost.
    pub running: Option<Id>,
    /// The cost of the end.
    pub terminal: Option<Id>,
    /// Integrals with given values.
    pub integrals: Vec<Integral>,
    /// Bounds along the way.
    pub path: Vec<PathBound>,
    /// First guesses per coordinate, expressions of time and of the relative time `s`.
    pub guess: Vec<Option<Id>>,
    /// The symbol of the relative time.
    pub relative_time: Id,
}
