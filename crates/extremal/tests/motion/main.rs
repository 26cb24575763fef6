//! Motions of models written as text, against closed forms, equations typed by hand, and the ways in which a run can end.

mod boundary;
mod discrete;
mod dry;
mod events;
mod failures;
mod jumps;
mod printed;
mod references;
mod settings;
mod support;
mod truth;
