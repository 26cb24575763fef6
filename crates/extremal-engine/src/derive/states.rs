//! The equations of states, and Pontryagin's principle for controls in them.

use extremal_expr::Expr;
use extremal_mechanics::System;
use extremal_model::Model;

use super::{Pages, named, of};

/// The rates of the states.
pub(super) fn equations<'m>(system: &System<'m>, controls: Option<String>, pages: &mut Pages<'m>) {
    let heat = &system.heat;
    let rates = heat.rates[heat.balanced().len()..].iter().zip(&heat.state_rates);
    pages.section("Equations of the states", controls, rates.map(|(rate, value)| (of(*rate), *value)).collect());
}

/// Pontryagin's Hamiltonian of a system of states alone, and the conditions it gives, (S5) to (S7); nothing without an objective.
pub(super) fn pontryagin<'m>(model: &'m Model, system: &System<'m>, pages: &mut Pages<'m>) {
    let g = system.graph;
    let Some(objective) = model.objective() else { return };
    let cost = objective.running.map_or(g.int(0), |id| g.expr(id));
    if g.depend_on(&[cost], &model.control_rates()).contains(&true) {
        let note = "The cost contains rates of controls: with these controls as states, and their rates as controls, it has one.";
        pages.section("Pontryagin's Hamiltonian", Some(note.to_owned()), Vec::new());
        return;
    }
    let (states, rates) = (system.heat.states(), &system.heat.state_rates);
    let costates = system.entropy_symbols("p_", "");
    let controls: Vec<Expr<'m>> = model.controls().iter().map(|control| g.expr(control.symbol)).collect();
    let h = g.dot(&costates, rates) - cost;
    let note =
        "With the multiplier p0 = 1 of the cost: normal extremals. Of abnormal ones p0 = 0, and the cost is left out.";
    pages.section("Pontryagin's Hamiltonian", Some(note.to_owned()), vec![(named("H", "H"), h)]);
    let zero = g.int(0);
    if !controls.is_empty() {
        let lines = g.gradient(h, &controls).into_iter().map(|slope| (of(g.simplified(slope)), zero)).collect();
        let note = "dH/du = 0, where a control is inside its bounds: of all its values it makes H largest.";
        pages.section("Conditions for the controls", Some(note.to_owned()), lines);
    }
    let prime = |p: &Expr<'m>| named(format!("{p}'"), format!("\\dot{{{}}}", p.latex()));
    let slopes = g.gradient(h, states);
    let lines = costates.iter().zip(&slopes).map(|(p, slope)| (prime(p), -*slope)).collect();
    let note = "p' = -dH/dx. Along an extremal the states move by x' = dH/dp.".to_owned();
    pages.section("Equations of the costates", Some(note), lines);
    ends(model, (states, &costates), pages);
    if let Some(best) = affine_controls(h, &controls) {
        let note = "The conditions solved, inside the bounds.".to_owned();
        let lines = controls.iter().zip(&best).map(|(control, value)| (of(*control), *value)).collect();
        pages.section("Controls of an extremal", Some(note), lines);
        let rules: Vec<_> = controls.iter().copied().zip(best).collect();
        let reduced = g.simplified(h.substitute(&rules));
        let note = "H with these controls: x' = dH*/dp, p' = -dH*/dx is the flow of the extremals.".to_owned();
        pages.section("Hamiltonian of the extremals", Some(note), vec![(named("H*", "H^*"), reduced)]);
    }
}

/// What holds at an end of components that are not given there.
fn ends<'m>(model: &'m Model, (states, costates): (&[Expr<'m>], &[Expr<'m>]), pages: &mut Pages<'m>) {
    let Some(boundary) = model.boundary() else { return };
    let g = pages.graph;
    let terminal = model.objective().and_then(|objective| objective.terminal).map_or(g.int(0), |id| g.expr(id));
    let slopes = g.gradient(terminal, states);
    let given = |fixed: &[extremal_model::FixedValue], state: usize| {
        fixed.iter().any(|fixed| fixed.component == extremal_model::Component::State(state))
    };
    let mut lines = Vec::new();
    for (k, p) in costates.iter().enumerate() {
        if !given(&boundary.start, k) {
            lines.push((named(format!("{p}(start)"), format!("{}(\\text{{start}})", p.latex())), g.int(0)));
        }
        if !given(&boundary.end, k) {
            lines.push((named(format!("{p}(end)"), format!("{}(\\text{{end}})", p.latex())), -slopes[k]));
        }
    }
    if !lines.is_empty() {
        pages.section("Costates at free ends", None, lines);
    }
    if boundary.duration.is_free() {
        let slope = g.gradient(terminal, &[model.time()])[0];
        let line = (named("H(end)", "H(\\text{end})"), slope);
        pages.section("Free duration", Some("The end is where it is best.".to_owned()), vec![line]);
    }
}

/// The controls by dH/du = 0 where each condition is affine in its own control and has no other.
fn affine_controls<'m>(h: Expr<'m>, controls: &[Expr<'m>]) -> Option<Vec<Expr<'m>>> {
    let g = h.graph();
    let off: Vec<_> = controls.iter().map(|control| (*control, g.int(0))).collect();
    let best = g.gradient(h, controls).into_iter().enumerate().map(|(k, condition)| {
        let curvature = g.gradient(condition, controls);
        let alone = curvature.iter().enumerate().all(|(j, slope)| j == k || g.vanishes(*slope, &[]) == Some(true));
        let own = g.simplified(curvature[k]);
        let solvable = alone && !own.depends_on(controls) && g.vanishes(own, &[]) == Some(false);
        solvable.then(|| g.simplified(-(condition.substitute(&off) / own)))
    });
    best.collect::<Option<Vec<_>>>().filter(|best| !best.is_empty())
}
