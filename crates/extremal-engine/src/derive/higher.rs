//! The equations of Lagrangians with accelerations.

use extremal_mechanics::continuous::HigherSystem;
use extremal_mechanics::discrete::{SchemeError, higher_scheme};
use extremal_mechanics::{Block, Solve};
use extremal_model::{Method, Model};

use super::{Form, Pages, discrete_pages, named, of};
use crate::Settings;
use crate::system::higher_system_of;

/// All forms of the equations, as [`derive`](super::derive) prints them.
pub(super) fn derive<'m>(
    model: &'m Model,
    settings: &Settings,
    forms: &[Form],
    pages: &mut Pages<'m>,
) -> Result<(), SchemeError> {
    let constrained = higher_system_of(model)?;
    let system = constrained.multiplied();
    for form in forms {
        match form {
            Form::Lagrange => lagrange(&system, pages),
            Form::Hamilton => hamilton(&system, pages),
            Form::Discrete => {
                let scheme = higher_scheme(&constrained, &settings.method)?;
                discrete_pages(&scheme, note(&settings.method).to_owned(), pages);
            }
        }
    }
    Ok(())
}

fn lagrange<'m>(system: &HigherSystem<'m>, pages: &mut Pages<'m>) {
    let g = system.graph;
    pages.section("Lagrangian", None, vec![(named("L", "L"), system.lagrangian)]);
    let equations = system.euler_lagrange();
    let lines = equations.iter().map(|equation| (of(g.simplified(*equation)), g.int(0)));
    pages.section("Equations of motion", None, lines.collect());
    let momenta = system.momentum_symbols().concat().into_iter().zip(system.momenta().concat());
    // Multipliers of constraints have none.
    let momenta = momenta.filter(|(_, value)| !value.is_zero());
    let note = "Each is conjugate to the derivative in its name.".to_owned();
    pages.section("Ostrogradsky momenta", Some(note), momenta.map(|(p, value)| (of(p), value)).collect());
    pages.section("Energy", None, vec![(named("E", "E"), system.energy())]);
}

/// H(q, …, q^(k−1), p) = Σ p^(r)·q^(r+1) − L, with q^(k) from the highest momenta where these are affine in it one by one.
fn hamilton<'m>(system: &HigherSystem<'m>, pages: &mut Pages<'m>) {
    let (g, k) = (system.graph, system.order);
    let p = system.momentum_symbols();
    let highest = &system.derivatives[k];
    let momenta = system.momenta();
    let residual: Vec<_> = momenta[k - 1].iter().zip(&p[k - 1]).map(|(formula, p)| *formula - *p).collect();
    let pairs = p.iter().zip(&system.derivatives[1..]);
    let energy = g.sum(pairs.map(|(p, rate)| g.dot(p, rate))) - system.lagrangian;
    let block = Block {
        inputs: Vec::new(),
        solves: vec![Solve::new(highest, &residual, &vec![g.int(0); system.len()])],
        outputs: vec![energy.id()],
    };
    let solved = block.eliminated(g);
    if !solved.solves.is_empty() {
        let note =
            "The momenta cannot be solved for the highest derivatives in closed form here; a run does it numerically.";
        pages.section("Hamiltonian", Some(note.to_owned()), Vec::new());
        return;
    }
    let h = g.expr(solved.outputs[0]);
    let note = "Derivatives below the highest are coordinates of their own, with the Ostrogradsky momenta.".to_owned();
    pages.section("Hamiltonian", Some(note), vec![(named("H", "H"), h)]);
    let mut lines = Vec::new();
    for (r, p) in p.iter().enumerate() {
        let rates = system.derivatives[r + 1].iter().zip(g.gradient(h, p));
        lines.extend(rates.map(|(rate, slope)| (of(*rate), slope)));
    }
    for (r, p) in p.iter().enumerate() {
        let slopes = p.iter().zip(g.gradient(h, &system.derivatives[r]));
        let rate = |name: String, tex: String| named(format!("d({name})/dt"), format!("\\frac{{d}}{{dt}}{tex}"));
        lines.extend(slopes.map(|(p, slope)| (rate(p.to_string(), p.latex().to_string()), -slope)));
    }
    pages.section("Hamilton's equations", None, lines);
}

fn note(method: &Method) -> &'static str {
    match method {
        Method::Difference => {
            "Points are h apart, around the one at t: x_m2, x_m1, x, x_p1, x_p2. Each equation fixes the last of its five points."
        }
        _ => {
            "One step of size h at t. The derivatives at its end are those of the Taylor polynomial of the start, and \
             h^(k - i)*alpha_i more in the i-th; the momenta at the start fix the alphas, those with _1 are at the end."
        }
    }
}
