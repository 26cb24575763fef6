//! Any text is loaded as a model or refused with a message that can be shown.

#![no_main]

use extremal_model::{Model, render};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Model::from_toml(text) {
        Ok(model) => {
            let _ = render(model.warnings(), "model.toml", text, true);
            let initial = model.initial();
            let numbers = initial.velocities.iter().chain(&initial.multipliers).chain(initial.higher.iter().flatten());
            assert!(numbers.into_iter().all(|number| number.is_finite()));
            assert!(model.without_start().is_some() || initial.positions.iter().all(|number| number.is_finite()));
            if let Some(boundary) = model.boundary() {
                assert!(model.number(boundary.duration.guess()) > 0.0);
            }
        }
        Err(invalid) => {
            assert!(!invalid.diagnostics.is_empty());
            assert!(!invalid.render("model.toml", true).is_empty());
        }
    }
});
