//! Motions from momenta and the optimality conditions of control problems: the unified Hamiltonian and what follows from it.

use extremal_expr::Expr;
use extremal_mechanics::System;
use extremal_mechanics::analysis::primary_rank;
use extremal_model::Model;

use super::{Pages, named, of};
use crate::analyze::parameters_of;

/// The page of [VC 5.3, 7.1]: what the constraints leave free, H, primary constraints, equations of the momenta, regularity.
pub(super) fn optimal<'m>(model: &'m Model, system: &System<'m>, pages: &mut Pages<'m>) {
    match system.unified() {
        Some(unified) => unified_page(&unified, system, pages),
        None => implicit_page(system, pages),
    }
    regularity(model, system, pages);
}

fn unified_page<'m>(
    unified: &extremal_mechanics::continuous::UnifiedProblem<'m>,
    system: &System<'m>,
    pages: &mut Pages<'m>,
) {
    let free = unified.free.iter().map(|symbol| symbol.to_string()).collect::<Vec<_>>().join(", ");
    if !unified.bound.is_empty() {
        let stay = if unified.free.len() == 1 { "stays" } else { "stay" };
        let note = format!("Solved for what they bind; {free} {stay} free.");
        let lines = unified.bound.iter().map(|(symbol, value)| (of(*symbol), *value)).collect();
        let controlled = system.flow.as_ref().is_some_and(|flow| flow.cost.is_some());
        let (equations, value) = match controlled {
            true => ("Equations of motion as constraints", "Cost where they hold"),
            false => ("Constraints", "Lagrangian where they hold"),
        };
        pages.section(equations, Some(note), lines);
        pages.section(value, None, vec![(named("L_M", "L_M"), unified.lagrangian)]);
    }
    let note = "p_x is conjugate to x, p_x' to x': H is the sum of momenta times rates less L_M. It is constant where the time does not occur.";
    pages.section("Unified Hamiltonian", Some(note.to_owned()), vec![(named("H", "H"), unified.hamiltonian)]);
    let zero = system.graph.int(0);
    let lines = unified.primary.iter().map(|slope| (of(system.graph.simplified(*slope)), zero)).collect();
    let note = format!("H is stationary in {free}.");
    pages.section("Primary constraints", Some(note), lines);
    let rates = unified.momentum_rates(system);
    momenta(system, rates, pages);
    let matrix = unified.regularity.iter().zip(&unified.free).flat_map(|(row, a)| {
        row.iter().zip(&unified.free).map(move |(entry, b)| {
            let latex = format!("-\\frac{{\\partial^2 H}}{{\\partial {}\\,\\partial {}}}", a.latex(), b.latex());
            (named(format!("-d2H/(d({a})*d({b}))"), latex), *entry)
        })
    });
    let note = "Where this matrix has an inverse, momenta determine the motion.".to_owned();
    pages.section("Regularity", Some(note), matrix.collect());
    if let Some(rows) = unified.fourth_order(system).filter(|rows| !rows.is_empty()) {
        let lines = rows.into_iter().map(|row| (of(row), zero)).collect();
        let note =
            "Two rates of the primary constraints; linear in the fourth derivatives, with the matrix above.".to_owned();
        pages.section("Equations of fourth order", Some(note), lines);
    }
}

/// Where the constraints are not solved in closed form, multipliers and all that is hidden stay in the equations.
fn implicit_page<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let zero = system.graph.int(0);
    let note = "With the multipliers of the constraints, which have no closed form here.".to_owned();
    pages.section("Unified Hamiltonian", Some(note), vec![(named("H", "H"), system.unified_hamiltonian())]);
    let rows = system.primary_constraints();
    pages.section("Primary constraints", None, rows.into_iter().map(|row| (of(row), zero)).collect());
    momenta(system, system.momentum_rates(), pages);
}

fn momenta<'m>(system: &System<'m>, rates: Vec<Expr<'m>>, pages: &mut Pages<'m>) {
    let rate = |p: &Expr<'m>| named(format!("d({p})/dt"), format!("\\frac{{d}}{{dt}}{}", p.latex()));
    let lines = system.p.iter().zip(rates).map(|(p, value)| (rate(p), value)).collect();
    pages.section("Equations of the momenta", None, lines);
}

/// Is the condition of regularity met at generic states?
fn regularity<'m>(model: &'m Model, system: &System<'m>, pages: &mut Pages<'m>) {
    let size = system.hidden().len();
    let verdict = match primary_rank(system, &parameters_of(model).exact) {
        Some(rank) if rank == size => {
            "The condition of regularity holds at generic states: momenta determine the motion.".to_owned()
        }
        Some(rank) => format!(
            "The condition of regularity fails everywhere: {} of {size} unknowns are not determined.",
            size - rank
        ),
        None => "The condition of regularity could not be decided.".to_owned(),
    };
    pages.section("Verdict", Some(verdict), Vec::new());
}
