//! The program from the outside: what it prints, writes and returns.

mod analysis;
mod book;
mod columns;
mod commands;
mod comparisons;
mod constraints;
mod derivatives;
mod events;
mod export;
mod failures;
mod hamiltonian;
mod heat;
mod inputs;
mod pages;
mod papers;
mod pictures;
mod settings;
mod solve;
mod sweep;
mod work;
