//! Write a Lagrangian as text; get its equations and a structure-preserving simulation with proof of what it conserves.
//!
//! ```
//! use extremal_engine::{Model, Recorder, CompiledRun, Settings};
//!
//! let model = Model::from_toml(r#"
//!     name = "Pendulum"
//!     [parameters]
//!     g = 9.81
//!     l = 1.0
//!     [coordinates]
//!     theta = { start = 2.0 }
//!     [dynamics]
//!     lagrangian = "l^2*theta'^2/2 + g*l*cos(theta)"
//!     [simulation]
//!     method = "midpoint"
//!     step = 0.01
//!     until = 10.0
//! "#)?;
//! let run = CompiledRun::new(&model, &Settings::of(&model))?;
//! let mut recorder = Recorder::new(run.columns().clone());
//! run.execute(&mut recorder, |_| std::ops::ControlFlow::Continue(()))?;
//! let (_, energy) = recorder.drifts().next().unwrap();
//! assert!(energy.max_drift() < 1e-2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analyze;
pub mod boundary;
pub mod compare;
pub mod derive;
pub mod drawing;
pub mod export;
pub mod fit;
pub mod function;
pub mod gallery;
pub mod lyapunov;
pub mod printed;
pub mod problems;
mod random;
pub mod run;
mod serialized;
mod shared;
pub mod sweep;

pub use extremal_eval as eval;
pub use extremal_expr as expr;
pub use extremal_mechanics as mechanics;
pub use extremal_model as model;
pub use extremal_solve as solve;
pub use extremal_trajectory as trajectory;

pub use extremal_model::{InvalidModel, Method, Model, Overrides};
pub use extremal_trajectory::Recorder;
pub use run::{CompiledRun, Settings};
pub use shared::SharedModel;
