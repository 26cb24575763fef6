//! What a file says of itself.

use extremal_eval::source::Language;

use super::parts::ExportParts;
use crate::run::EnergyLaw;

/// The comment at the top of a file.
pub(super) fn heading(parts: &ExportParts<'_>, language: Language) -> String {
    let model = parts.model;
    let mut lines = vec![model.name().unwrap_or("A model without a name").to_owned()];
    lines.extend(model.description().into_iter().flat_map(str::lines).map(str::to_owned));
    lines.extend(model.source().map(|source| format!("Source: {source}")));
    lines.push(String::new());
    lines.push(format!("Written by extremal {}. The step is that of the method", env!("CARGO_PKG_VERSION")));
    let method = &parts.settings.method;
    lines.push(format!("    {method} (order {}; keeps: {})", method.family().order, method.family().keeps));
    lines.push(match EnergyLaw::of(model) {
        EnergyLaw::Conserved => "The energy of the model is conserved.".to_owned(),
        EnergyLaw::Jacobi => "The energy of the model is a Jacobi integral, and conserved.".to_owned(),
        EnergyLaw::Scaled => "The energy of the model by the factor of its contact form is conserved.".to_owned(),
        EnergyLaw::Changes(reason) => format!("The energy of the model changes: {reason}."),
    });
    lines.push(String::new());
    lines.extend(use_of(language).iter().map(|line| (*line).to_owned()));
    lines.push(String::new());
    lines.extend(agreement(parts, language).iter().map(|line| (*line).to_owned()));
    if !model.stops().is_empty() {
        lines.push("Stop conditions of the model are not looked at.".to_owned());
    }
    if !model.events().is_empty() {
        lines.push("Events of the model do not happen: the step is that of the motion between them.".to_owned());
    }
    lines.push("Nothing watches whether the step resolves the motion: `extremal run` does.".to_owned());
    if !parts.guards.is_empty() {
        lines.push(String::new());
        lines.push("Conditions on every step:".to_owned());
        let number = |at: usize| if parts.explicit.is_some() { 0 } else { at };
        lines.extend(parts.guards.iter().enumerate().map(|(at, guard)| format!("    {}: {guard}", number(at))));
    }
    lines.join("\n")
}

fn use_of(language: Language) -> &'static [&'static str] {
    match language {
        Language::C => &[
            "Compile it, or include it in another file: cc -std=c11 -O2 -ffp-contract=off ... -lm",
            "Begin with `initial` and `start`, then call `step` with the times t, t + h, t + 2*h, ...",
        ],
        Language::Rust => &[
            "A module without dependencies: put it beside your own and say `mod` with its name.",
            "Begin with `INITIAL` and `start`, then call `step` with the times t, t + h, t + 2*h, ...",
        ],
        Language::Python => &[
            "A module without dependencies. Begin with `Parameters()`, `INITIAL` and `start`, then call `step` with the times",
            "t, t + h, t + 2*h, ...; lists that are written to must have their lengths.",
        ],
        Language::Julia => &[
            "A module without dependencies. Begin with `Parameters()`, `INITIAL` and `start`, then call `step` with the times",
            "t, t + h, t + 2*h, ...; vectors that are written to must have their lengths.",
        ],
    }
}

/// How far the numbers agree with those of a run.
fn agreement(parts: &ExportParts<'_>, language: Language) -> &'static [&'static str] {
    let used = parts.explicit.as_ref().is_none_or(|explicit| explicit.is_used);
    match (language.keeps_bits(), parts.step.is_explicit(), used) {
        (true, true, true) => {
            &["The step is explicit: steps have the bits of those of `extremal run`, at these parameters."]
        }
        (true, true, false) => &[
            "The step is explicit and linear: `extremal run` carries differences of the state, and its steps agree with these",
            "to round-off.",
        ],
        (true, false, _) => &[
            "The step is implicit. `extremal run` begins its search for the unknowns elsewhere: its steps agree with these",
            "to round-off.",
        ],
        (false, ..) => &["Steps agree with those of `extremal run` to round-off."],
    }
}
