//! Symmetries that a model states, tested.

use extremal_expr::Expr;
use extremal_mechanics::System;
use extremal_mechanics::analysis::{Conservation, FirstOrderSystem, is_dissipated};
use extremal_mechanics::geometry::{IdentityVerdict, LiftedField, ZeroJudge};
use extremal_model::{StatedLift, SymmetryGenerator};

/// A symmetry of `[symmetries]`, tested.
pub struct StatedSymmetry<'m> {
    /// Its name.
    pub name: String,
    /// Its generator, one component per coordinate.
    pub generator: Vec<Expr<'m>>,
    /// Its momentum p·X; of a field on velocities and entropies f − p·X, if there is such an f and it can be written down.
    pub momentum: Option<Expr<'m>>,
    /// Is that conserved?
    pub conservation: Conservation,
    /// Its rate: by (C12), without reactions, or by (F6).
    pub rate: Expr<'m>,
    /// Does a contact system scale it as its contact form?
    pub dissipated: bool,
    /// What was found of a field on velocities and entropies.
    pub lifted: Option<LiftedSymmetry<'m>>,
}

/// A symmetry with components for velocities and entropies.
pub struct LiftedSymmetry<'m> {
    /// f with df = L_X θ.
    pub function: Option<Expr<'m>>,
    /// Is L_X θ closed?
    pub closed: IdentityVerdict,
    /// Is X(E) + η(X) − F_ext(X) = 0 (\[TP\] proposition 5)?
    pub condition: IdentityVerdict,
    /// Do both hold in (q, p, S) (\[TP\] proposition 4)? `None` without a Hamiltonian in closed form, or without f.
    pub canonical: Option<IdentityVerdict>,
}

impl<'m> StatedSymmetry<'m> {
    pub(super) fn of(
        reduced: &FirstOrderSystem<'m>,
        symmetry: &SymmetryGenerator,
        judge: &ZeroJudge<'m>,
        test: &dyn Fn(Expr<'m>) -> Conservation,
    ) -> StatedSymmetry<'m> {
        let (system, g) = (&reduced.system, reduced.system.graph);
        let name = symmetry.name.clone();
        match &symmetry.lift {
            Some(lift) if reduced.order == 1 => lifted(system, name, g.exprs(&symmetry.generator), lift, judge, test),
            Some(_) => StatedSymmetry {
                name,
                generator: g.exprs(&symmetry.generator),
                momentum: None,
                conservation: Conservation::Undecided,
                rate: g.int(0),
                dissipated: false,
                lifted: None,
            },
            None => {
                let generator = reduced.prolonged(&g.exprs(&symmetry.generator));
                let momentum = system.noether_momentum(&generator);
                let rate = g.simplified(reduced.stated(noether_rate(system, &generator)));
                let conservation = test(momentum);
                let dissipated = system.is_contact() && is_dissipated(system, momentum) == Some(true);
                let momentum = Some(g.simplified(reduced.stated(momentum)));
                StatedSymmetry { name, generator, momentum, conservation, rate, dissipated, lifted: None }
            }
        }
    }
}

fn lifted<'m>(
    system: &System<'m>,
    name: String,
    generator: Vec<Expr<'m>>,
    lift: &StatedLift,
    judge: &ZeroJudge<'m>,
    test: &dyn Fn(Expr<'m>) -> Conservation,
) -> StatedSymmetry<'m> {
    let g = system.graph;
    let field = LiftedField {
        positions: generator.clone(),
        velocities: g.exprs(&lift.velocities),
        entropies: g.exprs(&lift.entropies),
    };
    let rate = g.simplified(system.lifted_condition(&field));
    let function = system.lifted_function(&field);
    let momentum = system.lifted_quantity(&field);
    let hamiltonian = system.reacting().next().is_none().then(|| system.hamiltonian()).flatten();
    let canonical = function.zip(hamiltonian.as_ref());
    let findings = LiftedSymmetry {
        closed: system.lifted_closure(&field, judge),
        condition: judge.vanish([rate]),
        canonical: canonical.map(|(f, h)| judge.vanish(system.canonical_conditions(&field, f, h))),
        function,
    };
    let conservation = momentum.map_or(Conservation::Undecided, test);
    StatedSymmetry { name, generator, momentum, conservation, rate, dissipated: false, lifted: Some(findings) }
}

/// ∂L/∂q·X + p·X' + F·X, the rate of p·X along the motion.
fn noether_rate<'m>(system: &System<'m>, generator: &[Expr<'m>]) -> Expr<'m> {
    let g = system.graph;
    let slopes = g.gradient(system.lagrangian, &system.q);
    let rates = system.time_derivative(generator);
    let forces = g.dot(&system.force, generator) + g.dot(&system.herglotz_forces(), generator);
    g.dot(&slopes, generator) + g.dot(&system.momenta(), &rates) + forces
}
