//! What a contact system and a Poisson system have beside, or instead of, Lagrange's equations.

use extremal_mechanics::System;
use extremal_mechanics::continuous::LOG_FACTOR;

use super::{Pages, named, of};

/// z' = L, and how energy and contact form change.
pub(super) fn action<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let note = "The principle of Herglotz: the action is part of the Lagrangian, and dL/dz times the momenta act beside the forces. The \
                flow scales the contact form, and with it the energy, by exp(log_factor).";
    let lines = vec![
        (of(system.heat.rates[0]), system.lagrangian),
        (named(format!("{LOG_FACTOR}'"), "\\frac{d}{dt}\\log f"), system.contact_rate()),
    ];
    pages.section("Action", Some(note.to_owned()), lines);
}

/// The contact form in words, for the page of Hamilton's equations.
pub(super) fn contact_note(system: &System<'_>) -> String {
    let z = &system.heat.names[0];
    let forms = system.p.iter().zip(&system.names).map(|(p, q)| format!(" - {p}*d{q}"));
    format!(
        "Contact form: eta = d{z}{}, with the Reeb field d/d{z}. q' = dH/dp, p' = -dH/dq - p*dH/d{z}, {z}' = p*dH/dp - H; the flow \
         scales eta by exp of the integral of -dH/d{z}.",
        forms.collect::<String>()
    )
}

/// The Hamiltonian, the brackets and x' = {x, H}.
pub(super) fn poisson<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let Some(brackets) = system.poisson() else { return };
    // The same page for every form that is asked for.
    if pages.sections.iter().any(|section| section.title == BRACKETS) {
        return;
    }
    pages.section("Hamiltonian", None, vec![(named("H", "H"), -system.lagrangian)]);
    let names = &system.heat.names;
    let lines = brackets.pairs().map(|(i, j, value)| {
        let latex = format!("\\{{{}, {}\\}}", system.heat.s[i].latex(), system.heat.s[j].latex());
        (named(format!("{{{}, {}}}", names[i], names[j]), latex), value)
    });
    pages.section(BRACKETS, Some("Skew; those that are not written are zero.".to_owned()), lines.collect());
    let slopes = system.graph.gradient(-system.lagrangian, &system.heat.s);
    let rates = system.heat.rates.iter().zip(brackets.applied(&slopes));
    let note = "x' = {x, H} of every variable.".to_owned();
    pages.section("Equations of motion", Some(note), rates.map(|(rate, value)| (of(*rate), value)).collect());
}

const BRACKETS: &str = "Poisson brackets";
