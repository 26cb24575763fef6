//! Marching schemes: orders, symplecticity, long runs, heat; against hand-typed equations and known laws.

mod common;
mod heat;
mod long_runs;
mod orders;
mod symplectic;
