//! Nonlinear programs with known solutions.

mod collection;
mod control;
mod text;
mod verdicts;
