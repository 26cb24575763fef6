//! Programs: what they compute, in what order, by which backend.

mod against_graph;
mod backends;
mod lowering;
mod scale;
mod stages;
mod support;
