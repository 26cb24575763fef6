//! Motions at their edges: collisions, poles, charts that end, masses that vanish, constraints that lose their rank, dry friction, rest, the borders
//! of domains, conjugate points. The outcome of each is known in closed form, and every method is tried on it: it is right, it
//! stops, or it warns by name. None is silent.

mod collisions;
mod conjugate;
mod domains;
mod friction;
mod harness;
mod masses;
mod poles;
mod rank;
mod rest;
mod turntable;
