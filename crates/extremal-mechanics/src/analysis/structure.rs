//! How a system is built: the kinetic split, its symmetry under reversal, what in it is without effect or in disguise.

use extremal_expr::generic::{Field, Generic, Matrix};
use extremal_expr::{Expr, Node};

use super::calculus::{antiderivative, potential};
use super::real::signs;
use crate::System;
use crate::continuous::{Christoffel, KineticSplit};

/// What the form of a system says.
pub struct SystemStructure<'g> {
    /// The kinetic split, if L is at most quadratic in the velocities.
    pub split: Option<KineticSplit<'g>>,
    /// The Christoffel symbols that do not vanish.
    pub christoffel: Vec<Christoffel<'g>>,
    /// The gyroscopic matrix, if it does not vanish.
    pub gyroscopic: Option<Vec<Vec<Expr<'g>>>>,
    /// L = T2(q, v) − V(q), without anything linear in the velocities and without time.
    pub natural: bool,
    /// Does the Lagrangian contain the time?
    pub explicit_time: bool,
    /// Is the motion that runs backwards from any moment a motion too? `None` where that is not decided.
    pub reversible: Option<bool>,
    /// The energy p·v − L.
    pub energy: Expr<'g>,
    /// T + V as the Lagrangian is written, where it is something else than the energy.
    pub total_energy: Option<Expr<'g>>,
    /// The part of the Lagrangian that is a total time derivative.
    pub gauge: Option<Gauge<'g>>,
    /// Forces at rest that are a gradient.
    pub potential_force: Option<PotentialForce<'g>>,
}

/// A part of the Lagrangian without effect on the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gauge<'g> {
    /// The part.
    pub part: Expr<'g>,
    /// What it is the time derivative of, if that can be written down.
    pub of: Option<Expr<'g>>,
}

/// A force that could be part of the Lagrangian.
#[derive(Clone, Debug, PartialEq)]
pub struct PotentialForce<'g> {
    /// The force on each coordinate.
    pub force: Vec<Expr<'g>>,
    /// The potential V with F = −∂V/∂q, if it can be written down.
    pub potential: Option<Expr<'g>>,
}

/// Reads the structure of a system. `multipliers` are constants that are to be found with the motion: what they stand before is
/// not without effect.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::System;
/// use extremal_mechanics::analysis::structure;
/// let g = Graph::new();
/// let [x, v, c] = ["x", "x'", "c"].map(|name| g.symbol(name));
/// let seen = structure(&System::new(&g, &["x"], (v + c).powi(2) / 2 - x.powi(2)), &[]);
/// assert_eq!(seen.gauge.unwrap().of, Some(g.symbol("t") * c.powi(2) / 2 + c * x));
/// ```
pub fn structure<'g>(system: &System<'g>, multipliers: &[Expr<'g>]) -> SystemStructure<'g> {
    let g = system.graph;
    let split = system.kinetic_split();
    let christoffel = split.as_ref().map(|split| split.christoffel(system)).unwrap_or_default();
    let christoffel = christoffel.into_iter().map(|c| Christoffel { value: g.simplified(c.value), ..c });
    let gyroscopic = split.as_ref().map(|split| {
        let rows = split.gyroscopic(system).into_iter();
        rows.map(|row| row.into_iter().map(|entry| g.simplified(entry)).collect()).collect::<Vec<Vec<_>>>()
    });
    let is_zero = |e: Expr<'g>| g.vanishes(e, &[]) == Some(true);
    let gyroscopic = gyroscopic.filter(|rows| rows.iter().flatten().any(|entry| !is_zero(*entry)));
    let explicit_time = !is_zero(g.gradient(system.lagrangian, &[system.t])[0]);
    let natural = !explicit_time && split.as_ref().is_some_and(|split| split.linear.iter().all(|a| is_zero(*a)));
    SystemStructure {
        christoffel: christoffel.filter(|c| !c.value.is_zero()).collect(),
        natural,
        explicit_time,
        reversible: is_reversible(system),
        energy: readable_energy(system),
        total_energy: (!is_total_energy(system)).then(|| g.simplified(written_energy(system))),
        gauge: gauge(system, multipliers),
        potential_force: potential_force(system),
        split,
        gyroscopic,
    }
}

/// The terms of a sum.
fn written_terms(f: Expr<'_>) -> Vec<Expr<'_>> {
    let g = f.graph();
    match f.node() {
        Node::Sum { constant, terms } => {
            let scaled = terms.iter().map(|(id, c)| g.expr(*id) * g.rational(c.clone()));
            scaled.chain([g.rational(constant)]).filter(|term| !term.is_zero()).collect()
        }
        _ => vec![f],
    }
}

/// T + V as the Lagrangian is written: its terms that are quadratic in the velocities are kinetic; what the others are at rest
/// is minus the potential.
fn written_energy<'g>(system: &System<'g>) -> Expr<'g> {
    let g = system.graph;
    let moving = [&system.q[..], &system.v, &[system.t]].concat();
    // A kinetic energy is not negative, at rest in a moving frame neither; what is belongs to a product with a potential.
    let is_kinetic = |at_rest: Expr<'g>| !signs(g, at_rest, |symbol| !moving.contains(symbol)).0;
    let mut sum = Vec::new();
    let mut products = Vec::new();
    for (term, quadratic, at_rest) in by_velocities(system, &written_terms(system.lagrangian)) {
        match quadratic {
            true if is_kinetic(at_rest) => sum.push(term),
            true => products.extend(written_terms(g.expanded(term).unwrap_or(term))),
            false => sum.push(-at_rest),
        }
    }
    let parts = by_velocities(system, &products).into_iter();
    sum.extend(parts.map(|(term, quadratic, at_rest)| if quadratic { term } else { -at_rest }));
    g.sum(sum)
}

/// Each term with whether it is more than linear in the velocities, and what it is at rest; all at once, for there may be thousands.
fn by_velocities<'g>(system: &System<'g>, terms: &[Expr<'g>]) -> Vec<(Expr<'g>, bool, Expr<'g>)> {
    let g = system.graph;
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, g.int(0))).collect();
    let rows = g.jacobian(terms, &system.v);
    let slopes: Vec<Expr<'g>> = rows.iter().flatten().map(|(_, slope)| *slope).collect();
    let mut varying = g.depend_on(&slopes, &system.v).into_iter();
    let quadratic: Vec<bool> =
        rows.iter().map(|row| varying.by_ref().take(row.len()).filter(|one| *one).count() > 0).collect();
    let still = g.substitute(terms, &at_rest);
    terms.iter().zip(quadratic).zip(still).map(|((term, quadratic), still)| (*term, quadratic, still)).collect()
}

/// Is p·v − L what the Lagrangian's own terms add up to as T + V?
pub(super) fn is_total_energy(system: &System<'_>) -> bool {
    let difference = || written_energy(system) - system.energy();
    system.kinetic_split().is_none() || system.graph.vanishes(difference(), &[]) == Some(true)
}

/// The energy as T2 + V where there is a kinetic split, which reads better than p·v − L.
pub(super) fn readable_energy<'g>(system: &System<'g>) -> Expr<'g> {
    let g = system.graph;
    let Some(split) = system.kinetic_split() else { return g.simplified(system.energy()) };
    let mut kinetic = Vec::new();
    for (j, row) in split.mass.iter().enumerate() {
        for (k, entry) in row.iter().enumerate().skip(j).filter(|(_, entry)| !entry.is_zero()) {
            let product = g.simplified(*entry) * system.v[j] * system.v[k];
            kinetic.push(if j == k { product / 2 } else { product });
        }
    }
    g.simplified(g.sum(kinetic) - split.rest)
}

/// Are the equations of motion the same for the motion that runs backwards from any moment, and is no entropy made? What contains
/// the time is driven: even where it is even in time, it runs backwards from one moment only.
fn is_reversible(system: &System<'_>) -> Option<bool> {
    let g = system.graph;
    // Whether an action in the Lagrangian can be turned around with the motion is not looked into.
    if g.vanishes(system.contact_rate(), &[]) != Some(true) {
        return None;
    }
    let later = system.symbol("later_t");
    let mut backwards: Vec<_> = system.v.iter().map(|v| (*v, -*v)).chain([(system.t, later)]).collect();
    let mut decided = Some(system.dry.is_empty());
    let mut require = |zero: Option<bool>| {
        decided = match (decided, zero) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    };
    for constraint in &system.constraints {
        // Even or odd in the velocities, a constraint allows them in both directions.
        let there = constraint.velocity;
        let back = there.substitute(&backwards);
        let [even, odd] = [back - there, back + there].map(|e| g.vanishes(e, &[]));
        require(if even == Some(true) || odd == Some(true) { Some(true) } else { even.and(odd) });
        let still = constraint.expression.substitute(&[(system.t, later)]);
        if constraint.kind.nature().binds_positions {
            require(g.vanishes(constraint.expression - still, &[]));
        }
        if constraint.is_vakonomic() {
            backwards.push(match odd == Some(true) {
                true => (constraint.multiplier, -constraint.multiplier),
                false => (constraint.rate, -constraint.rate),
            });
        }
    }
    let equations = system.euler_lagrange();
    let reversed = g.substitute(&equations, &backwards);
    equations.iter().zip(&reversed).for_each(|(there, back)| require(g.vanishes(*there - *back, &[])));
    system.entropy_sources(&system.carried_slopes()).iter().for_each(|source| require(g.vanishes(*source, &[])));
    // States may run backwards together with others of their kind, which is not looked for.
    let still = |rate: &Expr<'_>| g.vanishes(*rate, &[]).filter(|vanishes| *vanishes);
    system.heat.state_rates.iter().for_each(|rate| require(still(rate)));
    decided
}

/// The terms of the expanded Lagrangian whose Euler–Lagrange expressions cancel: what is a total time derivative.
fn gauge<'g>(system: &System<'g>, multipliers: &[Expr<'g>]) -> Option<Gauge<'g>> {
    let g = system.graph;
    // The equations of Herglotz are not linear in the Lagrangian: a total derivative changes them.
    if system.is_contact() {
        return None;
    }
    let multipliers = [multipliers, &system.moving_multipliers()].concat();
    let mut terms = written_terms(g.expanded(system.lagrangian)?);
    terms.retain(|term| !term.depends_on(&multipliers));
    let n = system.len();
    let mut outputs = Vec::with_capacity(terms.len() * n);
    for term in &terms {
        let mut alone = system.clone();
        alone.lagrangian = *term;
        alone.force.fill(g.int(0));
        alone.constraints.clear();
        outputs.extend(alone.euler_lagrange());
    }
    // A function of an entropy is not without effect: it makes a temperature.
    let warm = g.depend_on(&terms, &system.heat.s);
    let field = Field::number(0);
    let generic = Generic::new(g, &outputs, &[], field);
    let mut matrix = Matrix::new(terms.len());
    let mut seed = 0;
    while matrix.len() < (terms.len() + 2) * n.max(1) && seed < 4000 {
        seed += 1;
        let Some(values) = generic.at(seed, &[]) else { continue };
        for i in 0..n {
            matrix.push(&(0..terms.len()).map(|j| values[j * n + i]).collect::<Vec<_>>());
        }
    }
    if matrix.is_empty() {
        return None;
    }
    let null = matrix.null_space(field);
    let mut part = vec![false; terms.len()];
    for row in 0..null.len() {
        let vector = null.row(row);
        let support: Vec<usize> = (0..terms.len()).filter(|j| vector[*j] != Field::ZERO).collect();
        let whole = support.iter().all(|j| vector[*j] == vector[support[0]] && !warm[*j]);
        if whole {
            support.into_iter().for_each(|j| part[j] = true);
        }
    }
    let part = g.sum(terms.iter().zip(&part).filter(|(_, taken)| **taken).map(|(term, _)| *term));
    (part.depends_on(&system.v) || part.depends_on(&[system.t])).then(|| Gauge { part, of: primitive(system, part) })
}

/// What a total time derivative is the derivative of.
fn primitive<'g>(system: &System<'g>, part: Expr<'g>) -> Option<Expr<'g>> {
    let g = system.graph;
    let slopes = g.gradient(part, &system.v);
    let spatial = potential(g, &slopes, &system.q)?;
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, g.int(0))).collect();
    let rest = part.substitute(&at_rest) - g.gradient(spatial, &[system.t])[0];
    let rest = g.expanded(rest).unwrap_or(rest);
    let temporal = antiderivative(rest, system.t)?;
    let whole = g.simplified(spatial + temporal);
    (g.vanishes(system.time_derivative(&[whole])[0] - part, &[]) == Some(true)).then_some(whole)
}

/// The forces at rest, if they are a gradient and not zero.
pub(super) fn potential_force<'g>(system: &System<'g>) -> Option<PotentialForce<'g>> {
    let g = system.graph;
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, g.int(0))).collect();
    let force = g.substitute(&system.external_force(), &at_rest);
    if force.iter().all(|f| f.is_zero()) || g.depend_on(&force, &system.heat.s).contains(&true) {
        return None;
    }
    let n = system.len();
    let slopes = super::flow::dense(g, &force, &system.q);
    let skew = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let is_zero = |e: Expr<'g>| g.vanishes(e, &[]) == Some(true);
    let closed = skew.into_iter().all(|(i, j)| is_zero(slopes[i * n + j] - slopes[j * n + i]));
    // A force that jumps where another coordinate passes some value is no gradient, though its derivatives do not show it.
    let whole = (0..n).all(|i| {
        let others: Vec<_> = (0..n).filter(|j| *j != i).map(|j| system.q[j]).collect();
        g.unbroken_in(&force[i..=i], &others)[0]
    });
    (closed && whole)
        .then(|| PotentialForce { potential: potential(g, &force, &system.q).map(|v| g.simplified(-v)), force })
}
