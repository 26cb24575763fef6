//! The gallery against independent truth: equations typed by hand, motions computed by other programs.

mod bits;
mod equations;
mod hand_typed;
mod papers;
mod runs;
mod stages;
mod work;
