//! The model file: what the user states, validated, with source spans.
//!
//! [`Model::load`] reads the TOML text of a model. It ends in a [`Model`], which owns the expression graph of everything that was
//! stated, or in an [`InvalidModel`] with every problem found, each at its place.
//!
//! # The model file
//!
//! | Table | Entries |
//! |---|---|
//! | at the top | `name`, `source`, `description` |
//! | `[parameters]` | `g = 9.81`, `w = "sqrt(k/m)"`, a list `m = [1.0, 2.0]` used as `m[1]`, `m[2]` |
//! | `[coordinates]` | `x = 1.0`, or `x = { start, velocity, second, domain, count, index }`; only `start` is required, `velocity` is 0; `second` may contain the step `h`; where the Lagrangian leaves them open, also `acceleration`, `jerk`, `snap`, `crackle` |
//! | `[entropies]` | `S = 10.0`, or `S = { start, count, index }`; a model may have entropies and no coordinates |
//! | `[definitions]` | `r = "sqrt(x^2 + y^2)"`, a list, or a family `z = { count = "n", value = "..." }` |
//! | `[dynamics]` | `lagrangian`; `friction = "herglotz"` for the friction `(dL/dS)(dL/dv)` |
//! | `[forces]` | a generalised force per coordinate |
//! | `[friction]` | the same for forces whose power heats: `x = "-c*x'"`, `x = { force, heats = "S1" }`, `x = { force, heats = { S1 = 0.5, S2 = "1/2" } }`, or a list of such tables; one entropy needs no `heats`. Dry friction: `x = { dry = "mu*m*g" }`, with `static = "..."`, the bound while it sticks, and `along = "x' - y'"`, the velocity of sliding |
//! | `[heat]` | a power from outside per entropy |
//! | `[conduction]` | `wall = { between = ["S1", "S2"], conductance }`, or a family `{ between = ["S[i]", "S[i + 1]"], conductance, count, index }` |
//! | `[constraints]` | `rod = "x^2 + y^2 = l^2"`, `roll = "x' = R*theta'"`, or `{ equation, kind, variational, multiplier, count, index }`; without velocities it is holonomic, with them nonholonomic unless `kind = "vakonomic"`; `multiplier` starts that of a vakonomic one, `variational = "x' = 0"` gives a nonholonomic one other virtual displacements |
//! | `[controls]` | forces to be chosen: `u = "x"` acts on `x`, or `u = { on, min, max, guess, count, index }` with `on = "x"`, `["x", "y"]` or gains `{ x = "cos(th)", y = "sin(th)" }`; a control may also occur in `[forces]`. In a simulation all controls are zero |
//! | `[objective]` | what the controls are to make small: `running` (integrated; in positions, velocities, entropies, controls, time) and `terminal` (of the end) |
//! | `[boundary]` | see below |
//! | `[invariants]` | named expressions that should stay constant |
//! | `[symmetries]` | `rotation = { x = "-y", y = "x" }`: a generator per coordinate |
//! | `[exact]` | a closed form per coordinate or entropy, in `t` and parameters |
//! | `[expected]` | `end = { t = 1.0, x = 0.5, tolerance = 1e-6 }`: numbers for tests |
//! | `[discrete]` | `lagrangian`, `force_minus`, `force_plus`, `entropy` (what vanishes, per entropy), `constraints` (an equation per constraint) in `x_0`, `x_1`, `S_0`, `S_1`, `h`, `t` (the beginning of the step) and parameters |
//! | `[discretisation]` | a finite-difference map: `position`, `velocity` (per coordinate), `entropy`, `rate` (per entropy), `time`, in the same; what is not stated is taken as `midpoint` does |
//! | `[stop]` | `floor = "z"`, or `floor = { when = "z", direction = "falling" }`: a run ends where the expression crosses zero |
//! | `[simulation]` | `method`, `step`, `until` or `steps`, `start`, `entropy`, `constraints` (`rattle` or `shake`), `project` (`true` moves a start that violates the constraints), `singular` (`stop` or `pass`), `record`, `tolerance` |
//!
//! A value is a number or an expression between quotes. A coordinate with `count = "n"` (or with a list of starts) is a family
//! `x[1]` to `x[n]`; in its own values, and in the forces on it, `i` is the number of the member (another name with
//! `index = "k"`, or `"x[k]" = "..."` in a table per coordinate; `"x[2]" = "..."` speaks of one member). A member of a family of
//! definitions may use the members before it. A prime on a definition is its total time derivative. An entropy takes no prime: its rate
//! follows from the equations. Its temperature is `-dL/dS` and must be positive at the start.
//!
//! # Boundary problems
//!
//! With `[boundary]` a motion is asked for by its ends: one that makes the action stationary or, with `[objective]`, one that follows the
//! equations of motion with the controls that cost least. Starts in `[coordinates]` may then be left out (`y = {}`). Its keys:
//!
//! | Key | Meaning |
//! |---|---|
//! | `duration` | `2.0`, or to be found: `{ min = 0.5, max = 5.0, guess = 2.0 }`, each optional |
//! | `from`, `to` | where the independent variable begins (0 if not stated) and, instead of `duration`, where it ends |
//! | `independent` | its name instead of `t`: with `independent = "x"`, `y'` is dy/dx |
//! | `steps` | 100 if not stated |
//! | `start`, `end` | `{ x = 0.0, "x'" = "v0" }`: what is given there, `end` also of entropies. All else is free, with the natural conditions of the problem |
//! | `via` | `[{ t = 0.5, x = 1.0 }, { s = 0.75, x = 2.0 }]`: points to be passed, at a time or after a part of the duration |
//! | `periodic` | `true`, or `["x", "y"]`: what ends as it began |
//! | `path` | `{ x = { min = 0, max = 1 }, "x'" = { max = "vmax" } }`: bounds along the motion |
//! | `integrals` | `{ length = "sqrt(1 + y'^2) = 3" }`: what is integrated over the motion, and what comes out |
//! | `guess` | `{ x = "sin(2*pi*s)" }`: where to begin the search, in the independent variable and `s`, its elapsed part from 0 to 1 |
//!
//! A Lagrangian may contain accelerations, and derivatives up to [`MAX_ORDER`], in a boundary problem or with one of the methods for them,
//! `hermite` and `difference`; so may vakonomic constraints.
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
mod diagnostic;
mod document;
mod method;
mod model;
mod names;
mod order;
mod overrides;
mod place;
mod render;
mod repeated;
mod resolver;
mod suggest;
mod tables;
mod text;

pub use adjust::ParameterError;
pub use diagnostic::{Code, Diagnostic, InvalidModel, Label, Severity, Span};
pub use document::{MAX_FILE_BYTES, TableKey};
pub use method::{
    Composition, CompositionBase, Feature, MAX_QUADRATURE_POINTS, MAX_STAGES, Method, MethodError, MethodErrorKind,
    MethodFamily, MethodKind, Quadrature, Refusal,
};
pub use model::{Initial, Model};
pub use overrides::Overrides;
pub use place::MAX_ORDER;
pub use render::render;
pub use repeated::{RepeatedModel, RepeatedStart};
pub use tables::*;
