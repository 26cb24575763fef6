//! The equations of Lagrangians with accelerations.

use extremal_expr::Expr;
use extremal_mechanics::{Block, Solve, System};

use super::{Pages, named, of};

pub(super) fn lagrange<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let g = system.graph;
    pages.section("Lagrangian", None, vec![(named("L", "L"), system.lagrangian)]);
    let equations = system.euler_lagrange();
    let lines = equations.iter().map(|equation| (of(g.simplified(*equation)), g.int(0)));
    pages.section("Equations of motion", None, lines.collect());
    // Multipliers of constraints have none.
    let momenta = system.p.iter().zip(system.momenta()).filter(|(_, value)| !value.is_zero());
    let note = "Each is conjugate to the derivative in its name.".to_owned();
    pages.section("Ostrogradsky momenta", Some(note), momenta.map(|(p, value)| (of(*p), value)).collect());
    pages.section("Energy", None, vec![(named("E", "E"), system.energy())]);
}

/// H(q, …, q^(k−1), p) = Σ p^(r)·q^(r+1) − L, with q^(k) from the highest momenta where these are affine in it one by one.
pub(super) fn hamilton<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let (g, n, k) = (system.graph, system.len(), system.order);
    let momenta = system.momenta();
    let residual: Vec<_> = momenta.iter().zip(&system.p).skip((k - 1) * n).map(|(formula, p)| *formula - *p).collect();
    let rates: Vec<_> = (1..=k).flat_map(|order| system.derivative(order)).copied().collect();
    let energy = g.dot(&system.p, &rates) - system.lagrangian;
    let block = Block {
        inputs: Vec::new(),
        solves: vec![Solve::new(system.derivative(k), &residual, &vec![g.int(0); system.len()])],
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
    let of_rates = rates.iter().zip(g.gradient(h, &system.p)).map(|(rate, slope)| (of(*rate), slope));
    let rate = |p: &Expr<'m>| named(format!("d({p})/dt"), format!("\\frac{{d}}{{dt}}{}", p.latex()));
    let slopes = g.gradient(h, &system.configuration());
    let forces = system.force.iter().copied().chain(std::iter::repeat(g.int(0)));
    let of_momenta =
        system.p.iter().zip(slopes.into_iter().zip(forces)).map(|(p, (slope, force))| (rate(p), force - slope));
    let lines = of_rates.chain(of_momenta).collect();
    pages.section("Hamilton's equations", None, lines);
}
