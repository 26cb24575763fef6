//! Dissipated quantities of a contact system: f' = ∂L/∂z f along every motion, as of the energy and of the momenta of symmetries.
//!
//! With u' = −∂L/∂z u beside the motion, u f is a first integral, and the search for these finds the dissipated quantities.

use extremal_expr::Expr;

use super::conserved::{Parameters, Proof, tidy};
use super::flow::Flow;
use super::naming::name_of;
use super::search::{FirstIntegral, IntegralTerm, SearchBounds, SearchProblem, search};
use crate::System;

/// A function of the state that the motion scales as it scales the contact form.
#[derive(Clone, Debug)]
pub struct DissipatedQuantity<'g> {
    /// What it is called.
    pub name: String,
    /// The function.
    pub expression: Expr<'g>,
    /// Does that hold for all values of the parameters, or for the present ones only?
    pub general: bool,
    /// How it is known.
    pub proof: Proof,
}

/// The dissipated quantities of a contact system, the energy first; none of any other system.
pub fn dissipated_quantities<'g>(
    system: &System<'g>,
    parameters: &Parameters<'g>,
    bounds: SearchBounds,
) -> Vec<DissipatedQuantity<'g>> {
    if !system.is_contact() {
        return Vec::new();
    }
    let judge = DissipationJudge::new(system);
    let energy = super::structure::readable_energy(system);
    let of_energy = judge.proof(energy, &[]).map(|proof| DissipatedQuantity {
        name: "energy".to_owned(),
        expression: energy,
        general: true,
        proof,
    });
    let scale = system.symbol("scale");
    let mut flow = Flow::of(system);
    flow.state.push((scale, -(system.contact_rate() * scale)));
    let mut seen = system.clone();
    seen.heat.s.push(scale);
    let known: Vec<Expr<'g>> = of_energy.iter().map(|found| found.expression * scale).collect();
    let free = parameters.free(system);
    let problem = SearchProblem { system: &seen, flow: &flow, fixed: &parameters.exact, free: &free, known: &known };
    let (found, _) = search(&problem, bounds);
    let others = found.iter().filter_map(|integral| {
        let unscaled = unscaled(integral, scale)?;
        let (expression, _) = tidy(&unscaled, &parameters.symbols);
        let values = if integral.general { &[][..] } else { &parameters.exact };
        let proof = judge.proof(expression, values)?;
        let name = name_of(system, &unscaled);
        Some(DissipatedQuantity { name, expression, general: integral.general, proof })
    });
    of_energy.into_iter().chain(others).collect()
}

/// f of an integral u f; `None` where some term is not linear in u.
fn unscaled<'g>(integral: &FirstIntegral<'g>, scale: Expr<'g>) -> Option<FirstIntegral<'g>> {
    let g = scale.graph();
    let divided = |value: Expr<'g>| {
        let slope = g.gradient(value, &[scale])[0];
        (!slope.is_zero() && !slope.depends_on(&[scale])).then_some(slope)
    };
    let terms = integral.terms.iter().map(|term| {
        let (factor, product) = (divided(term.factor)?, divided(term.product)?);
        Some(IntegralTerm { factor, product, ..term.clone() })
    });
    Some(FirstIntegral { terms: terms.collect::<Option<_>>()?, ..integral.clone() })
}

/// Tests f' = ∂L/∂z f by the equations solved for accelerations.
struct DissipationJudge<'a, 'g> {
    system: &'a System<'g>,
    /// Accelerations and the rate of the action, where they have a closed form.
    solved: Option<Vec<(Expr<'g>, Expr<'g>)>>,
}

impl<'a, 'g> DissipationJudge<'a, 'g> {
    fn new(system: &'a System<'g>) -> Self {
        let solved = system.solved_motion().map(|values| system.motion_unknowns().into_iter().zip(values).collect());
        DissipationJudge { system, solved }
    }

    /// f' − ∂L/∂z f along the motion.
    fn defect(&self, function: Expr<'g>) -> Option<Expr<'g>> {
        let rate = self.system.time_derivative(&[function])[0] - self.system.contact_rate() * function;
        Some(rate.substitute(self.solved.as_ref()?))
    }

    /// How it is known that f' − ∂L/∂z f vanishes; `None` where it is not.
    fn proof(&self, function: Expr<'g>, values: &[(Expr<'g>, extremal_expr::Rational)]) -> Option<Proof> {
        Proof::of_zeros(&[self.defect(function)?], values)
    }
}

/// Does the motion of a contact system scale a function of the state as it scales the contact form? `None` where that is not known.
pub fn is_dissipated<'g>(system: &System<'g>, function: Expr<'g>) -> Option<bool> {
    system.graph.vanishes(DissipationJudge::new(system).defect(function)?, &[])
}
