//! Numbers: compiled blocks with Newton's method, marching a scheme, reference integrators, events, tangent maps.

mod adaptive;
mod configuration;
pub mod dense;
pub mod eigen;
mod failure;
mod kernel;
mod lane_kernel;
mod linear;
mod march;
mod newton;
pub mod nlp;
mod observable;
mod rank;
mod root;
mod step;
mod symmetric;
mod tangent;
pub mod wide;

pub use adaptive::{
    AdaptiveError, AdaptiveIntegrator, AdaptiveMethod, AdaptiveOptions, AdaptiveWork, Obstacle, integrate,
};
pub use configuration::{ConfigurationWatch, PassedConfiguration};
pub use extremal_eval::on_widest_registers;
pub use failure::{Reason, SolveFailure, StepFailure};
pub use kernel::{GuessSource, Kernel, KernelLayout, SolveLayout, SolveStructure, Work};
pub use lane_kernel::LaneKernel;
pub use linear::{DenseLu, Factorisation, LaneSolver, LinearSolver, Singular};
pub use march::{
    AdaptiveMarcher, CompiledScheme, ExplicitStep, Guard, LaneCohort, LaneMarcher, LaneObserver, LaneStart,
    LatticeInstance, LatticeMarcher, LatticePairs, LatticeScheme, March, Marcher, MotionBlock, MotionFate,
    PacedMarcher, SeenLanes, StartValues, TotalWork,
};
pub use newton::NewtonOptions;
pub use rank::{
    ConstraintRowBlock, ConstraintRows, Dependence, Passage, RowWatch, are_clearly_independent, dependence,
    furthest_first,
};
pub use root::{RootError, find_root};
pub use step::WatchedRows;
pub use symmetric::{MatrixInertia, SymmetricSolver};
pub use tangent::{BlockTangent, TangentMap};
