//! What the tests of all crates share, in one vocabulary.
//!
//! | module | words | feature |
//! |---|---|---|
//! | `numbers` | distances of lists, measured orders, roots, random numbers that are always the same | |
//! | `bounded`, `scope` | numbers with bounds on their errors; names as a model would declare them | `expr` |
//! | `models` | a model from its text, the value of an expression | `model` |
//! | `marches` | systems and steps below a model; motions typed by hand as the independent truth | `solve` |
//! | `runs` | gallery models, settings, runs with everything they record | `engine` |
//! | `boundary` | boundary problems solved and checked | `engine` |
//! | `sweeps` | ensembles and their rows by name | `engine` |
//! | `analyses` | what is found out about a model, formulas typed by hand | `engine` |
//! | `ptx` | an interpreter of PTX, as far as it is printed | `ptx` |
//! | `pretended_device` | a device that interprets its kernels, and fails when it is told to | `device` |
//! | `program` | the program called as a user would, in a folder of its own | `program` |
//!
//! Everything here panics where a test would fail, with what it saw.

pub mod numbers;

#[cfg(feature = "engine")]
pub mod analyses;
#[cfg(feature = "engine")]
pub mod boundary;
#[cfg(feature = "expr")]
pub mod bounded;
#[cfg(feature = "solve")]
pub mod marches;
#[cfg(feature = "model")]
pub mod models;
#[cfg(feature = "device")]
pub mod pretended_device;
#[cfg(feature = "program")]
pub mod program;
#[cfg(feature = "ptx")]
pub mod ptx;
#[cfg(feature = "engine")]
pub mod runs;
#[cfg(feature = "expr")]
pub mod scope;
#[cfg(feature = "engine")]
pub mod sweeps;
