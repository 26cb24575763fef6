//! Marching schemes: orders, symplecticity, long runs, heat; against hand-typed equations and known laws.

mod adaptive_rows;
mod exact_laws;
mod fused_stages;
mod fused_steps;
mod heat;
mod higher_order;
mod holonomic;
mod long_runs;
mod orders;
mod paced;
mod splittings;
mod stages;
mod symplectic;
mod trees;
mod velocity_constraints;
mod wisdom_holman;
