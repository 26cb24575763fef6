//! The model file and its builder: what the user states, validated, with source spans.
//!
//! [`Model::load`] reads the TOML text of a model; [`Model::builder`] states the same in Rust. Both end in a [`Model`], which owns
//! the expression graph of everything that was stated, or in an [`InvalidModel`] with every problem found, each at its place.
//!
//! # The model file
//!
//! | Table | Entries |
//! |---|---|
//! | at the top | `name`, `source`, `description` |
//! | `[parameters]` | `g = 9.81`, `w = "sqrt(k/m)"`, a list `m = [1.0, 2.0]` used as `m[1]`, `m[2]` |
//! | `[coordinates]` | `x = 1.0`, or `x = { start, velocity, second, domain, count, index }`; only `start` is required, `velocity` is 0 |
//! | `[definitions]` | `r = "sqrt(x^2 + y^2)"`, a list, or a family `z = { count = "n", value = "..." }` |
//! | `[dynamics]` | `lagrangian` |
//! | `[forces]`, `[friction]` | a generalised force per coordinate |
//! | `[invariants]` | named expressions that should stay constant |
//! | `[symmetries]` | `rotation = { x = "-y", y = "x" }`: a generator per coordinate |
//! | `[exact]` | a closed form per coordinate, in `t` and parameters |
//! | `[expected]` | `end = { t = 1.0, x = 0.5, tolerance = 1e-6 }`: numbers for tests |
//! | `[discrete]` | `lagrangian`, `force_minus`, `force_plus` in `x_0`, `x_1`, `h`, `t` (the beginning of the step) and parameters |
//! | `[stop]` | `floor = "z"`, or `floor = { when = "z", direction = "falling" }`: a run ends where the expression crosses zero |
//! | `[simulation]` | `method`, `step`, `until` or `steps`, `start`, `record`, `tolerance` |
//!
//! A value is a number or an expression between quotes. A coordinate with `count = "n"` (or with a list of starts) is a family
//! `x[1]` to `x[n]`; in its own values, and in the forces on it, `i` is the number of the member (another name with
//! `index = "k"`, or `"x[k]" = "..."` in a table per coordinate; `"x[2]" = "..."` speaks of one member). A member of a family of
//! definitions may use the members before it. A prime on a definition is its total time derivative.
//!
//! ```
//! use extremal_model::Model;
//! let chain = Model::from_toml(r#"
//!     [parameters]
//!     n = 4
//!     [coordinates]
//!     x = { count = "n", start = "sin(pi*i/(n + 1))" }
//!     [definitions]
//!     stretch = { count = "n", value = "x[i] - if(i > 1, x[i - 1], 0)" }
//!     [dynamics]
//!     lagrangian = "sum(i, 1, n, x[i]'^2/2 - stretch[i]^2/2)"
//!     [friction]
//!     x = "-x[i]'/10"
//! "#)?;
//! assert_eq!(chain.coordinates().len(), 4);
//! assert_eq!(chain.friction()[2].to_string(), "-x[3]'/10");
//! # Ok::<(), extremal_model::InvalidModel>(())
//! ```

mod adjust;
mod builder;
mod diagnostic;
mod document;
mod method;
mod model;
mod names;
mod order;
mod overrides;
mod render;
mod resolver;
mod suggest;
mod tables;
mod text;

pub use adjust::ParameterError;
pub use builder::{CoordinateSpec, ModelBuilder, Value};
pub use diagnostic::{Code, Diagnostic, InvalidModel, Label, Severity, Span};
pub use document::MAX_FILE_BYTES;
pub use method::{
    Composition, CompositionBase, MAX_QUADRATURE_POINTS, MAX_STAGES, Method, MethodError, MethodErrorKind, Quadrature,
};
pub use model::{Initial, Model};
pub use overrides::Overrides;
pub use render::render;
pub use tables::{
    Coordinate, Definition, Direction, Discrete, Exact, Expected, Extent, Invariant, MAX_COORDINATES, Parameter,
    Simulation, Start, Stop, Symmetry, UnknownStart,
};
