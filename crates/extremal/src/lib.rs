//! Write a Lagrangian as text, with its friction, heat, constraints and controls; get its equations, a structure-preserving
//! simulation with proof of what it conserves, and optimal controls.
//!
//! ```
//! use extremal::{Method, Model};
//!
//! let model = Model::parse(r#"
//!     name = "Pendulum"
//!     [parameters]
//!     l = 1.0
//!     [coordinates]
//!     theta = { start = 2.0 }
//!     [dynamics]
//!     lagrangian = "l^2*theta'^2/2 + 9.81*l*cos(theta)"
//! "#)?.with("l", 2.0)?;
//!
//! let run = model.simulate().method(Method::galerkin(2)).step(0.01).until(10.0).run()?;
//! let theta: &[f64] = &run["theta"];
//! assert!(run.energy().max_drift() < 1e-6 && run.warnings().is_empty());
//! # assert_eq!(theta.len(), 1001);
//! # let folder = tempfile::tempdir().unwrap();
//! # let at = |name: &str| folder.path().join(name);
//!
//! run.save(at("run.parquet"))?;
//! run.plot().save(at("run.svg"))?;
//!
//! for state in model.simulate().step(0.01).stream()? {
//!     if state?.q("theta") < -1.9 {
//!         break;
//!     }
//! }
//! let mut motion = model.simulate().step(0.01).march()?;
//! motion.advance(1000)?;
//! motion.set_parameter("l", 1.5)?;
//!
//! assert_eq!(model.analyze().conserved()[0].name, "energy");
//! let all = model.sweep().vary("l", 1.0..=2.0, 11).step(0.01).until(1.0).run()?;
//! assert_eq!(all.members(), 11);
//! # Ok::<(), extremal::Error>(())
//! ```

mod analyze;
mod asked;
mod builder;
mod compare;
mod compiled;
mod data;
mod equations;
mod error;
mod function;
mod model;
mod motion;
mod observer;
mod plot;
mod run;
mod simulate;
mod solve;
mod solve_many;
mod state;
mod stream;
mod sweep;

pub use analyze::{Analysis, Conserved};
pub use builder::{
    AmountSpec, BoundarySpec, ConstraintSpec, ControlSpec, CoordinateSpec, EntropySpec, ModelBuilder, PortSpec,
    StateSpec, TableSpec, Value,
};
pub use compare::{Comparison, Measured};
pub use compiled::CompiledSimulation;
pub use equations::Equations;
pub use error::{Error, ErrorKind};
pub use function::StateFunction;
pub use model::Model;
pub use motion::Motion;
pub use observer::{Observer, Progress};
pub use plot::Plot;
pub use run::Run;
pub use simulate::Simulation;
pub use solve::{Optimization, Solution};
pub use solve_many::Optimizations;
pub use state::State;
pub use stream::Stream;
pub use sweep::{Ensemble, Sweep, has_gpus, merge_parts};

pub use extremal_engine::Method;
pub use extremal_engine::boundary::{Seek, Status};
pub use extremal_engine::derive::Form;
pub use extremal_engine::fit::{Experiment, FitOptions, FittedColumn, FittedModel, FittedValue, FreeValue, Residual};
pub use extremal_engine::lyapunov::{LyapunovExponent, LyapunovSpectrum};
pub use extremal_engine::model::{
    AtSingular, Composition, CompositionBase, ConstraintForm, ConstraintKind, Diagnostic, Direction, EntropyBase,
    Feature, MethodFamily, Pacing, Quadrature, Start,
};
pub use extremal_engine::run::{EventCount, Gradient, Slope};
pub use extremal_engine::sweep::{Distribution, Record};
pub use extremal_engine::trajectory::Drift;
