//! Boundary-value and optimal-control problems against closed forms and other programs.

mod cart_pole;
mod collections;
mod conditions;
mod constraints;
mod control;
mod curves;
mod discrete;
mod flows;
mod higher;
mod many;
mod misuse;
mod orbits;
mod shapes;
mod statements;
mod states;
mod unknowns;
mod verdicts;
mod verification;
