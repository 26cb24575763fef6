//! Programs: what they compute, in what order, by which backend.

mod against_graph;
mod backends;
mod lowering;
mod ptx;
mod recipes;
mod scale;
mod tiers;
mod traces;
