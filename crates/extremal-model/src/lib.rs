//! The model file: what the user states, validated, with source spans.
//!
//! [`Model::load`] reads the TOML text of a model. It ends in a [`Model`], which owns the expression graph of everything that was
//! stated, or in an [`InvalidModel`] with every problem found, each at its place.
//!
//! [`ModelTable::all`] lists the tables of a model file and their keys, with a sentence on each.
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
mod asked;
mod diagnostic;
mod document;
mod method;
mod model;
mod named;
mod names;
mod order;
mod overrides;
mod place;
mod prelude;
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
pub use overrides::{GivenControls, Overrides, stage_time, stage_value};
pub use place::MAX_ORDER;
pub use render::render;
pub use repeated::{MemberData, RepeatedModel, RepeatedStart};
pub use tables::*;
