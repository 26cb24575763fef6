//! Constraints from the model file to the recorded reactions, against closed forms and equations typed by hand.

mod chetaev;
mod distribution;
mod equations;
mod heat;
mod longtime;
mod nonholonomic;
mod reactions;
mod reference;
mod singular;
mod starts;
mod state_equations;
mod structure;
mod vakonomic;
