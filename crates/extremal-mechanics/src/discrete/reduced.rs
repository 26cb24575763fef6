//! Steps of a system that is reduced by its cyclic coordinates: Routh's function is discretised in the place of the Lagrangian.
//!
//! With the momenta p of the cyclic coordinates φ constant, R_d(θ_0, θ_1; p) is the discrete Lagrangian of the others, and φ is found
//! again by φ_1 = φ_0 − ∂R_d/∂p, the same quadrature of φ' = −∂R/∂p that the action is taken by.

use extremal_expr::Expr;
use extremal_model::Method;

use super::action::DiscreteAction;
use super::builder::SchemeBuilder;
use super::scheme::{Equation, Scheme};
use super::{Options, SchemeError, galerkin_of};
use crate::System;

/// The step of `method` for the system without its cyclic coordinates, with these beside it; the state is that of the whole system.
pub(super) fn reduced<'g>(
    system: &System<'g>,
    method: &Method,
    options: Options,
    name: String,
) -> Result<Scheme, SchemeError> {
    let g = system.graph;
    let refused = || SchemeError::NotReduced(name.clone());
    let routhian = system.routhian().ok_or_else(refused)?;
    let (degree, rule) = galerkin_of(method).ok_or_else(refused)?;
    let p: Vec<Expr<'g>> = system.cyclic.iter().map(|place| system.p[*place]).collect();
    let action = DiscreteAction::galerkin(&routhian.reduced, degree, &rule, options.entropy);
    let [turned, printed] = [&action.incremental, &action.nodal].map(|formula| g.gradient(-formula.action, &p));
    let base = action.scheme(&routhian.reduced, name.clone(), options);

    let m = routhian.kept.len();
    let (mut q, mut momenta) = (system.q.clone(), system.p.clone());
    for (at, place) in routhian.kept.iter().enumerate() {
        (q[*place], momenta[*place]) = (g.expr(base.step.outputs[at]), g.expr(base.step.outputs[m + at]));
    }
    let (first, last) = (system.symbols("", "_0"), system.symbols("", "_1"));
    let mut equations = base.equations;
    for ((place, turned), printed) in system.cyclic.iter().zip(turned).zip(printed) {
        q[*place] = system.q[*place] + turned;
        let label = format!("{} at the end of the step", system.names[*place]);
        equations.push(Equation::new(label, last[*place], first[*place] + printed));
    }
    let next = [q, momenta].concat();
    Ok(Scheme {
        constants: base.constants,
        guards: base.guards,
        equations,
        note: format!(
            "{} L_d is that of Routh's function; the momenta of the cyclic coordinates are constant.",
            base.note
        ),
        ..SchemeBuilder::of_momenta(system).step(name, base.step.solves, &next)
    })
}
