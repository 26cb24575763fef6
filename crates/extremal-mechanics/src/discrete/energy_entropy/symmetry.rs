//! Which momenta the gradients between quadratic parts keep.

use extremal_expr::Expr;
use extremal_model::{CompositionBase, Method};

use super::parts::QuadraticParts;
use super::{SchemeError, hamiltonian_as_written};
use crate::System;

/// Refuses a method that promises momenta where the Hamiltonian has this affine symmetry and one of its quadratic parts has not: the
/// promise would not be kept. `generator` is the velocity of each coordinate.
///
/// # Errors
/// [`SchemeError::UnkeptMomentum`], with the part.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::{System, discrete::check_symmetry};
/// let g = Graph::new();
/// let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
/// let (kinetic, rotation) = ((vx.powi(2) + vy.powi(2)) / 2, [-y, x]);
/// let method = "energy-entropy-momentum".parse()?;
/// let square = System::new(&g, &["x", "y"], kinetic - (x.powi(2) + y.powi(2)).powi(2));
/// assert!(check_symmetry(&square, &method, "rotation", &rotation).is_ok());
/// // The same potential, multiplied out.
/// let powers = System::new(&g, &["x", "y"], kinetic - x.powi(4) - x.powi(2) * y.powi(2) * 2 - y.powi(4));
/// assert!(check_symmetry(&powers, &method, "rotation", &rotation).is_err());
/// # Ok::<(), extremal_model::MethodError>(())
/// ```
pub fn check_symmetry<'g>(
    system: &System<'g>,
    method: &Method,
    name: &str,
    generator: &[Expr<'g>],
) -> Result<(), SchemeError> {
    let g = system.graph;
    let promised = matches!(
        method,
        Method::EnergyEntropyMomentum | Method::Compose { base: CompositionBase::EnergyEntropyMomentum, .. }
    );
    let affine = || g.affine_in(generator, &system.q).into_iter().all(|affine| affine);
    let still = || !g.depend_on(generator, &[&system.v[..], &[system.t]].concat()).contains(&true);
    if !promised || !affine() || !still() {
        return Ok(());
    }
    let Some(hamiltonian) = hamiltonian_as_written(system) else { return Ok(()) };
    // What the symmetry does to positions, and to momenta such that p·q' stays the same.
    let momentum = g.dot(&system.p, generator);
    let turned = g.gradient(momentum, &system.q).into_iter().map(|slope| -slope);
    let directions =
        system.q.iter().copied().zip(generator.iter().copied()).chain(system.p.iter().copied().zip(turned));
    let directions: Vec<_> = directions.collect();
    let stays = |f: Expr<'g>| g.vanishes(g.directional(&[f], &directions)[0], &[]) == Some(true);
    let variables = [&system.q[..], &system.p, &system.heat.s, &[system.t]].concat();
    let parts = QuadraticParts::of(system, &[hamiltonian.h], &variables);
    match parts.parts.into_iter().find(|part| !stays(*part)) {
        Some(part) if stays(hamiltonian.h) => Err(SchemeError::UnkeptMomentum {
            method: method.to_string(),
            symmetry: name.to_owned(),
            part: part.to_string(),
        }),
        _ => Ok(()),
    }
}
