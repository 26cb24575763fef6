//! Motions of models written as text, against closed forms, equations typed by hand, and the ways in which a run can end.

mod audits;
mod boundary;
mod contact;
mod derived;
mod discrete;
mod dry;
mod events;
mod exact_laws;
mod failures;
mod forces;
mod hamiltonian;
mod heat;
mod jumps;
mod lattice;
mod open;
mod poisson;
mod printed;
mod references;
mod resolution;
mod rest;
mod routh;
mod settings;
mod singular;
mod solved;
mod states;
mod truth;
