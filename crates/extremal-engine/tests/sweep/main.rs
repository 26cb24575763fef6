//! Ensembles: the same rows however they are marched, and each member the same as a run of its own.

mod devices;
mod extremes;
mod files;
mod members;
mod records;
mod refusals;
mod threads;
mod verdicts;
