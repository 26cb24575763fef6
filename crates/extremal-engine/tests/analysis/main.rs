//! `analyze` against mechanics done by hand, and against motions computed without it.

mod along_motions;
mod equilibria;
mod found;
mod geometry;
mod higher;
mod lifted;
mod method;
mod printed;
mod singular;
mod structure;
mod structures;
