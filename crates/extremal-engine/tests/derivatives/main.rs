//! Derivatives of motions, and what is made of them.

mod fits;
mod gradients;
mod growth;
mod sensitivities;
