//! The equations of Lagrangians of positions and velocities.

use extremal_expr::{Expr, Function};
use extremal_mechanics::System;
use extremal_model::Model;

use super::{Pages, contact, named, of};

/// What the symbols of the controls are.
pub(super) fn controls(model: &Model) -> Option<String> {
    let names: Vec<&str> = model.controls().iter().map(|control| control.name.as_str()).collect();
    let (are, they) = if names.len() == 1 { ("is a control", "it is") } else { ("are controls", "they are") };
    let in_run = if model.momentum_order().is_some() { "what the momenta say" } else { "zero" };
    (!names.is_empty()).then(|| {
        format!(
            "{} {are}: `solve` chooses what {they} as a function of time; in `run` {they} {in_run}.",
            names.join(", ")
        )
    })
}

pub(super) fn lagrange<'m>(system: &System<'m>, controls: Option<String>, pages: &mut Pages<'m>) {
    let g = system.graph;
    pages.section("Lagrangian", None, vec![(named("L", "L"), system.lagrangian)]);
    let mut unforced = system.clone();
    unforced.force.fill(g.int(0));
    let equations = unforced.euler_lagrange();
    let right = system.force.iter().zip(system.reactions()).map(|(force, reaction)| *force + reaction);
    let lines = equations.iter().zip(right).map(|(left, right)| (of(g.simplified(*left)), right));
    pages.section("Equations of motion", controls, lines.collect());
    if !system.dry.is_empty() {
        dry_friction(system, pages);
    }
    if !system.constraints.is_empty() {
        constraints(system, pages);
    }
    if system.is_contact() {
        contact::action(system, pages);
    } else if !system.heat.states().is_empty() {
        super::states::equations(system, None, pages);
    }
    if !system.heat.entropies().is_empty() {
        let (slopes, entropies) = (system.carried_slopes(), system.heat.entropies().len());
        let sources = system.entropy_sources(&slopes);
        let symbol = |k: usize| {
            let (text, tex) = if k < entropies { ("T", "T") } else { ("mu", "\\mu") };
            (format!("{text}_{}", system.heat.names[k]), format!("{tex}_{{{}}}", system.heat.s[k].latex()))
        };
        let mut lines: Vec<_> =
            slopes.iter().enumerate().map(|(k, slope)| (named(symbol(k).0, symbol(k).1), *slope)).collect();
        let potentials = lines.split_off(entropies);
        pages.section("Temperatures", None, lines);
        if !potentials.is_empty() {
            pages.section("Chemical potentials", None, potentials);
        }
        let lines = sources.iter().enumerate().map(|(k, source)| {
            let rate = system.heat.rates[k];
            match k < entropies {
                true => {
                    (named(format!("{}*{rate}", symbol(k).0), format!("{}\\,{}", symbol(k).1, rate.latex())), *source)
                }
                false => (of(rate), *source),
            }
        });
        let (title, note) = match system.heat.ports.is_empty() {
            true => ("Entropy balance", "Friction, outside heat and conduction warm the entropies."),
            false => (
                "Balance of entropy and matter",
                "Friction, heat, conduction and what comes with matter warm the entropies; ports move amounts.",
            ),
        };
        pages.section(title, Some(note.to_string()), lines.collect());
    }
    let momenta = system.p.iter().zip(system.momenta()).map(|(p, value)| (of(*p), value));
    pages.section("Momenta", None, momenta.collect());
    pages.section("Energy", None, vec![(named("E", "E"), system.energy())]);

    let Some(split) = system.kinetic_split() else {
        let note = "The Lagrangian is not quadratic in the velocities: it has no kinetic split.".to_string();
        pages.section("Kinetic split", Some(note), Vec::new());
        return;
    };
    let lines = [("T2", "T_2", split.t2), ("T1", "T_1", split.t1), ("T0 - V", "T_0 - V", split.rest)];
    let lines = lines.into_iter().filter(|(.., e)| !e.is_zero()).map(|(text, tex, e)| (named(text, tex), e));
    pages.section("Kinetic split", None, lines.collect());
    let entry = |symbol: &str, tex: &str, j: usize, k: usize| {
        let (a, b) = (&system.names[j], &system.names[k]);
        let (x, y) = (system.q[j].latex(), system.q[k].latex());
        named(format!("{symbol}[{a}, {b}]"), format!("{tex}_{{{x},{y}}}"))
    };
    let upper = (0..system.len()).flat_map(|j| (j..system.len()).map(move |k| (j, k)));
    let mass = upper.filter(|(j, k)| !split.mass[*j][*k].is_zero());
    pages.section("Mass matrix", None, mass.map(|(j, k)| (entry("a", "a", j, k), split.mass[j][k])).collect());
    let christoffel = split.christoffel(system);
    if !christoffel.is_empty() {
        let lines = christoffel.into_iter().map(|c| {
            let [k, l, j] = [c.k, c.l, c.j].map(|i| (&system.names[i], system.q[i].latex().to_string()));
            let text = format!("[{} {}, {}]", k.0, l.0, j.0);
            (named(text, format!("[{}\\,{},\\,{}]", k.1, l.1, j.1)), c.value)
        });
        pages.section("Christoffel symbols of the first kind", None, lines.collect());
    }
    let gamma = split.gyroscopic(system);
    let upper = (0..system.len()).flat_map(|j| (j + 1..system.len()).map(move |k| (j, k)));
    let lines: Vec<_> = upper
        .filter(|(j, k)| !gamma[*j][*k].is_zero())
        .map(|(j, k)| (entry("γ", "\\gamma", j, k), gamma[j][k]))
        .collect();
    if !lines.is_empty() {
        pages.section("Gyroscopic matrix", Some("Skew: it does no work.".to_string()), lines);
    }
}

/// The inclusion f ∈ −B Sign(w) of each dry friction.
fn dry_friction<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let g = system.graph;
    let mut lines = Vec::new();
    for dry in &system.dry {
        let (f, w) = (dry.force, g.simplified(dry.along));
        let bound = g.simplified(dry.bound);
        lines.push((of(f), -(bound * w.call(Function::Sign))));
        if let Some(holding) = dry.holding {
            let largest = named(format!("max(abs({f}))"), format!("\\max\\,\\lvert {}\\rvert", f.latex()));
            lines.push((largest, holding));
        }
    }
    let note = "While a contact slides. While it sticks, Sign(0) is the whole interval from -1 to 1 (f in -B*Sign(w)), and f the value \
                that keeps it from sliding; where max(abs(f)) is given, it is the bound while it sticks.";
    pages.section("Dry friction", Some(note.to_string()), lines);
}

/// The constraints, and what they say of velocities and accelerations.
fn constraints<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let g = system.graph;
    let zero = g.int(0);
    let vanish = |rows: Vec<Expr<'m>>| rows.into_iter().map(|row| (of(g.simplified(row)), zero)).collect::<Vec<_>>();
    let stated = system.constraints.iter().any(|c| c.displaced);
    let note = match (system.reacting().next(), system.vakonomic().next()) {
        _ if stated => {
            "The reaction on a coordinate is lambda times the derivative of the virtual displacements below, where they are stated; else of the \
             constraint by the coordinate (by its velocity, if the constraint has velocities). Vakonomic constraints are part of the Lagrangian."
        }
        (Some(_), None) => {
            "The reaction on a coordinate is lambda times the derivative of the constraint by it (by its velocity, if \
                            the constraint has velocities)."
        }
        (None, _) => "Vakonomic constraints are part of the Lagrangian, and their multipliers have their own motion.",
        (Some(_), Some(_)) => {
            "Vakonomic constraints are part of the Lagrangian; the others act by reactions, lambda times the \
                               derivative of the constraint."
        }
    };
    let all = system.constraints.iter();
    pages.section("Constraints", Some(note.to_string()), vanish(all.clone().map(|c| c.expression).collect()));
    displacements(system, pages);
    let hidden: Vec<_> = all.clone().filter(|c| c.expression != c.velocity).map(|c| c.velocity).collect();
    if !hidden.is_empty() {
        pages.section("Velocities under the constraints", None, vanish(hidden));
    }
    let velocities: Vec<_> = all.map(|constraint| constraint.velocity).collect();
    let note = "With the equations of motion these determine accelerations and multipliers.".to_string();
    pages.section("Accelerations under the constraints", Some(note), vanish(system.time_derivative(&velocities)));
}

/// The virtual displacements that are stated apart from their constraints.
fn displacements<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let g = system.graph;
    let stated: Vec<_> = system.constraints.iter().filter(|c| c.displaced).collect();
    if !stated.is_empty() {
        let rows = stated.iter().map(|c| (of(g.simplified(c.power)), g.int(0))).collect();
        let names: Vec<&str> = stated.iter().map(|c| c.name.as_str()).collect();
        let note =
            format!("Those of {}: its reaction is lambda times the derivative by the velocities.", names.join(", "));
        pages.section("Virtual displacements", Some(note), rows);
    }
}

/// Hamilton's equations where the last half of the coordinates are the momenta of the first.
pub(super) fn on_phase_space<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let (g, half) = (system.graph, system.len() / 2);
    let h = system.energy();
    pages.section("Hamiltonian", None, vec![(named("H", "H"), h)]);
    let velocities = g.gradient(h, &system.q[half..]);
    let moving: Vec<_> = system.v.iter().copied().zip(velocities.iter().copied()).collect();
    let acting: Vec<_> =
        system.force.iter().zip(system.reactions()).map(|(force, reaction)| *force + reaction).collect();
    let pushed = g.substitute(&acting[..half], &moving);
    let slopes = g.gradient(h, &system.q[..half]);
    let mut lines: Vec<_> = moving.iter().map(|(v, rate)| (of(*v), *rate)).collect();
    let pushes = pushed.iter().zip(slopes).map(|(force, slope)| *force - slope);
    lines.extend(system.v[half..].iter().zip(pushes).map(|(rate, value)| (of(*rate), value)));
    let carried = g.substitute(&system.carried_rates(&system.carried_slopes()), &moving);
    lines.extend(system.heat.rates.iter().zip(carried).map(|(rate, value)| (of(*rate), value)));
    let note = "The velocities have no momenta in closed form: momenta are coordinates, and steps are taken on the phase space.";
    pages.section("Hamilton's equations", Some(note.to_string()), lines);
    if !system.constraints.is_empty() {
        let rows = system.constraints.iter().map(|c| (of(g.simplified(c.expression)), g.int(0)));
        pages.section("Constraints", None, rows.collect());
    }
}

pub(super) fn hamilton<'m>(system: &System<'m>, stated: Option<Expr<'m>>, pages: &mut Pages<'m>) {
    let g = system.graph;
    let Some(hamiltonian) = system.hamiltonian() else {
        let note = "The momenta cannot be solved for the velocities in closed form here; a run does it numerically.";
        pages.section("Hamiltonian", Some(note.to_string()), Vec::new());
        return;
    };
    let title = if system.is_contact() { "Contact Hamiltonian" } else { "Hamiltonian" };
    pages.section(title, None, vec![(named("H", "H"), stated.unwrap_or(hamiltonian.h))]);
    let rate = |e: &Expr<'m>| named(format!("{e}'"), format!("\\dot{{{}}}", e.latex()));
    let by_momenta: Vec<_> = system.v.iter().copied().zip(hamiltonian.q_rate.iter().copied()).collect();
    let reactions = g.substitute(&system.reactions(), &by_momenta);
    let mut lines: Vec<_> = system.v.iter().zip(hamiltonian.q_rate).map(|(v, rate)| (of(*v), rate)).collect();
    let p_rates = hamiltonian.p_rate.into_iter().zip(reactions).map(|(rate, reaction)| rate + reaction);
    lines.extend(system.p.iter().zip(p_rates).map(|(p, value)| (rate(p), value)));
    lines.extend(system.heat.rates.iter().zip(hamiltonian.s_rate).map(|(rate, value)| (of(*rate), value)));
    let note = (!system.heat.entropies().is_empty()).then(|| {
        "The entropies are warmed at the temperatures T = ∂H/∂S by friction, outside heat and conduction.".to_string()
    });
    let note = if system.is_contact() { Some(contact::contact_note(system)) } else { note };
    pages.section("Hamilton's equations", note, lines);
    if !hamiltonian.multipliers.is_empty() {
        let lines = system.vakonomic().zip(hamiltonian.multipliers).map(|(c, value)| (of(c.multiplier), value));
        let note = "Vakonomic constraints are part of the Lagrangian: the momenta contain their multipliers and determine them.";
        pages.section("Multipliers", Some(note.to_string()), lines.collect());
    }
    if !system.constraints.is_empty() {
        let rows = system.constraints.iter().map(|c| (of(g.simplified(c.expression)), g.int(0)));
        pages.section("Constraints", None, rows.collect());
        displacements(system, pages);
    }
}
