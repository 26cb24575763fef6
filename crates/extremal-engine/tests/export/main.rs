//! Exported files compile without a warning and compute what a run computes.

mod files;
mod refusals;
mod steps;
