//! Conserved quantities: what is known by its form, what a search finds, each proved, named, and traced to its symmetry.

use extremal_expr::generic::{Field, Generic, Matrix};
use extremal_expr::{Expr, Node, Rational};

use super::flow::{Flow, FlowSampler, dense};
use super::jumps::with_slopes;
use super::naming::{name_of, symmetry_of};
use super::refutation::is_far_from_zero;
use super::search::{FirstIntegral, SearchBounds, SearchProblem, SearchSpace, search};
use super::singular::Regularity;
use crate::System;
use crate::continuous::solve_linear;
use crate::geometry::exponent_symbols;

/// The parameters of a system: all of them as symbols, and the exact values of those that have one.
#[derive(Clone, Debug, Default)]
pub struct Parameters<'g> {
    /// The symbols.
    pub symbols: Vec<Expr<'g>>,
    /// Exact values.
    pub exact: Vec<(Expr<'g>, Rational)>,
}

impl<'g> Parameters<'g> {
    /// Those that may have any value where integrals of `system` are sought: exponents must be numbers.
    pub(super) fn free(&self, system: &System<'g>) -> Vec<Expr<'g>> {
        let in_exponents = exponent_symbols(system);
        self.symbols.iter().copied().filter(|p| !in_exponents.contains(p)).collect()
    }
}

/// A function of state and time that does not change along any motion.
#[derive(Clone, Debug)]
pub struct ConservedQuantity<'g> {
    /// What it is called.
    pub name: String,
    /// Its expression in coordinates, velocities, entropies, time and parameters.
    pub expression: Expr<'g>,
    /// The symmetry that generates it.
    pub symmetry: Option<Symmetry<'g>>,
    /// The theorem that connects both.
    pub theorem: Option<Theorem>,
    /// Does it hold for all values of the parameters, or for the present ones only?
    pub general: bool,
    /// How it is known.
    pub proof: Proof,
}

/// What generates a conserved quantity.
#[derive(Clone, Debug, PartialEq)]
pub enum Symmetry<'g> {
    /// A shift of time.
    Time,
    /// A vector field X(q, t) on the configurations, with g = p·X − f.
    Point {
        /// X, one component per coordinate.
        generator: Vec<Expr<'g>>,
        /// f(q, t).
        gauge: Expr<'g>,
    },
    /// δq = ∂g/∂p, which depends on the velocities.
    Hidden {
        /// One component per coordinate.
        generator: Vec<Expr<'g>>,
    },
}

/// Why a symmetry gives a conserved quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theorem {
    /// Noether's theorem without forces.
    Noether,
    /// The complete lift of X changes L by minus the work of the forces along X (\[TP\] theorem 3).
    ForcedMomentum,
    /// A vector field on velocities and entropies with g = f − p·X (\[TP\] proposition 5).
    ForcedGeneral,
    /// The energy of a system whose forces do no work, or warm its own entropies.
    FirstLaw,
}

/// How it is known that a quantity is conserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Its rate is zero by the rules of algebra.
    Symbolic,
    /// Its rate is exactly zero at this many random states, by arithmetic in a finite field.
    Sampled {
        /// How many.
        states: usize,
    },
}

impl Proof {
    /// How it is known that all of these vanish, at these values of parameters; `None` where it is not.
    pub(super) fn of_zeros<'g>(zeros: &[Expr<'g>], values: &[(Expr<'g>, Rational)]) -> Option<Proof> {
        /// Points of a field at which `Graph::vanishes` looks.
        const POINTS: usize = 3;
        if zeros.iter().all(|zero| zero.graph().proves_zero(*zero)) {
            return Some(Proof::Symbolic);
        }
        let vanish = zeros.iter().all(|zero| zero.graph().vanishes(*zero, values) == Some(true));
        vanish.then_some(Proof::Sampled { states: POINTS })
    }
}

/// What a system conserves.
#[derive(Clone, Debug)]
pub struct ConservedQuantities<'g> {
    /// The energy first, then by degree in the momenta.
    pub found: Vec<ConservedQuantity<'g>>,
    /// How many of them are functionally independent.
    pub independent: usize,
    /// How many there could be.
    pub most: usize,
    /// Where others were sought.
    pub space: SearchSpace<'g>,
}

/// States at which a rate must vanish when algebra gives no proof.
const STATES: usize = 32;

impl ConservedQuantities<'_> {
    /// Nothing, and nothing sought.
    pub fn none() -> Self {
        let space = SearchSpace { generators: Vec::new(), degree: 0, candidates: 0, further: Vec::new() };
        ConservedQuantities { found: Vec::new(), independent: 0, most: 0, space }
    }
}

/// Finds what `system` conserves; if it is singular, on its final constraint submanifold.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::System;
/// use extremal_mechanics::analysis::{Parameters, SearchBounds, conserved_quantities};
/// let g = Graph::new();
/// let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
/// let kepler = System::new(&g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 + (x.powi(2) + y.powi(2)).sqrt().powi(-1));
/// let conserved = conserved_quantities(&kepler, None, &Parameters::default(), SearchBounds::default());
/// let names: Vec<&str> = conserved.found.iter().map(|c| c.name.as_str()).collect();
/// assert_eq!(names, ["energy", "angular momentum", "Laplace-Runge-Lenz y", "Laplace-Runge-Lenz x"]);
/// assert_eq!(conserved.found[1].expression, x * vy - y * vx);
/// assert_eq!(conserved.independent, 3);
/// ```
pub fn conserved_quantities<'g>(
    system: &System<'g>,
    regularity: Option<&Regularity<'g>>,
    parameters: &Parameters<'g>,
    bounds: SearchBounds,
) -> ConservedQuantities<'g> {
    let chain = regularity.and_then(|seen| seen.chain.as_ref());
    let flow = match chain.map(|chain| Flow::on_final(system, chain)) {
        Some(Some(flow)) => flow,
        // Without a unique motion there is nothing to be said about all motions.
        Some(None) => return ConservedQuantities::none(),
        None => Flow::of(system),
    };
    let judge = ConservationJudge { system, flow: &flow, parameters };
    let mut found = Vec::new();
    found.extend(judge.energy().or_else(|| judge.energy_with_forces()));
    let known: Vec<Expr<'g>> = found.iter().map(|c: &ConservedQuantity<'g>| c.expression).collect();
    let free = parameters.free(system);
    let problem = SearchProblem { system, flow: &flow, fixed: &parameters.exact, free: &free, known: &known };
    let (integrals, space) = search(&problem, bounds);
    let holds = |integral: &&FirstIntegral<'g>| judge.confirms(integral) && judge.passes_jumps(integral.value());
    found.extend(integrals.iter().filter(holds).map(|integral| judge.integral(integral)));
    let most = flow.dimension();
    let (found, independent) = judge.independent(found, most);
    ConservedQuantities { found: with_unique_names(found), independent, most, space }
}

/// Is a function of state and time conserved: whatever the parameters, for their present values, or not at all?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conservation {
    /// For all values of the parameters.
    Always,
    /// For their present values.
    Here,
    /// Not.
    No,
    /// Not known: its rate could not be evaluated exactly, is zero by no algebra and nowhere far from zero, or says nothing of a
    /// jump; or the motion is not unique.
    Undecided,
}

/// Tests exactly whether `system` conserves a function of state and time.
pub fn conservation<'g>(
    system: &System<'g>,
    regularity: Option<&Regularity<'g>>,
    parameters: &Parameters<'g>,
    function: Expr<'g>,
) -> Conservation {
    let chain = regularity.and_then(|seen| seen.chain.as_ref());
    let flow = match chain.map(|chain| Flow::on_final(system, chain)) {
        Some(Some(flow)) => flow,
        Some(None) => return Conservation::Undecided,
        None => Flow::of(system),
    };
    let judge = ConservationJudge { system, flow: &flow, parameters };
    let rate = flow.rates_of(&[function])[0];
    let here = judge.vanishes(function, rate, &parameters.exact);
    match judge.vanishes(function, rate, &[]) {
        Some(true) if judge.passes_jumps(function) => Conservation::Always,
        _ if here == Some(true) && judge.passes_jumps(function) => Conservation::Here,
        _ if here == Some(false) && is_far_from_zero(&flow, rate, &parameters.exact) => Conservation::No,
        _ => Conservation::Undecided,
    }
}

struct ConservationJudge<'a, 'g> {
    system: &'a System<'g>,
    flow: &'a Flow<'g>,
    parameters: &'a Parameters<'g>,
}

impl<'g> ConservationJudge<'_, 'g> {
    fn forced(&self) -> bool {
        self.system.force.iter().any(|force| !force.is_zero()) || self.system.reacting().next().is_some()
    }

    /// The energy, if it is conserved.
    fn energy(&self) -> Option<ConservedQuantity<'g>> {
        let (system, g) = (self.system, self.system.graph);
        let energy = system.energy();
        // Where the Lagrangian jumps with time the energy jumps too, which its rate between the jumps does not show.
        if energy.as_number().is_some() || !g.unbroken_in(&[system.lagrangian], &[system.t])[0] {
            return None;
        }
        let rate = self.flow.rates_of(&[energy])[0];
        let general = self.vanishes(energy, rate, &[]) == Some(true);
        if !general && self.vanishes(energy, rate, &self.parameters.exact) != Some(true) {
            return None;
        }
        // dE/dt = F·v − ∂L/∂t − L_x x' + Σ T S' + Σ μ N' + λ R v, and T S' is what the entropy balance says; with an action, L_z p·v besides.
        let explicit = g.gradient(system.lagrangian, &[system.t])[0];
        let heating = system.carried_power();
        let by_states = g.dot(&g.gradient(system.lagrangian, system.heat.states()), &system.heat.state_rates);
        let scaled = g.dot(&system.herglotz_forces(), &system.v);
        let power = g.dot(&system.force, &system.v) - explicit - by_states + scaled;
        let balance = power + heating + system.constraint_power();
        Some(ConservedQuantity {
            name: if super::structure::is_total_energy(system) { "energy" } else { "Jacobi integral" }.to_string(),
            expression: super::structure::readable_energy(system),
            symmetry: Some(Symmetry::Time),
            theorem: match (system.poisson().is_some(), self.forced()) {
                // Brackets are skew, which is all that is needed.
                (true, _) => None,
                (false, true) => Some(Theorem::FirstLaw),
                (false, false) => Some(Theorem::Noether),
            },
            general,
            proof: self.proof(balance, general),
        })
    }

    /// The energy with the potential of the forces, if that is conserved.
    fn energy_with_forces(&self) -> Option<ConservedQuantity<'g>> {
        let potential = super::structure::potential_force(self.system)?.potential?;
        let value = self.system.energy() + potential;
        let rate = self.flow.rates_of(&[value])[0];
        let general = self.vanishes(value, rate, &[]) == Some(true);
        if !general && self.vanishes(value, rate, &self.parameters.exact) != Some(true) {
            return None;
        }
        Some(ConservedQuantity {
            name: "energy with the potential of the forces".to_string(),
            expression: self.system.graph.simplified(super::structure::readable_energy(self.system) + potential),
            symmetry: None,
            theorem: None,
            general,
            proof: self.proof(rate, general),
        })
    }

    fn integral(&self, integral: &FirstIntegral<'g>) -> ConservedQuantity<'g> {
        let system = self.system;
        let (expression, divisor) = tidy(integral, &self.parameters.symbols);
        let symmetry = symmetry_of(system, integral).map(|symmetry| match symmetry {
            Symmetry::Hidden { generator } => {
                let divided = generator.into_iter().map(|x| system.graph.expanded(x / divisor).unwrap_or(x / divisor));
                Symmetry::Hidden { generator: divided.collect() }
            }
            other => other,
        });
        let theorem = symmetry.as_ref().map(|symmetry| match symmetry {
            _ if !self.forced() => Theorem::Noether,
            Symmetry::Point { gauge, .. } if gauge.is_zero() => Theorem::ForcedMomentum,
            _ => Theorem::ForcedGeneral,
        });
        ConservedQuantity {
            name: name_of(system, integral),
            expression,
            symmetry,
            theorem,
            general: integral.general,
            proof: self.proof(integral.rate, integral.general),
        }
    }

    /// Is the rate of a lifted integral zero in another field than that of the search? A fraction that was read wrongly is not.
    fn confirms(&self, integral: &FirstIntegral<'g>) -> bool {
        let value = integral.value();
        let fixed = if integral.general { &[][..] } else { &self.parameters.exact };
        self.vanishes_in((0..Field::COUNT).rev(), value, integral.rate, fixed) == Some(true)
    }

    /// Is the rate zero at random states, for these values of the parameters and any others of the rest? `None` without enough
    /// states.
    fn vanishes(&self, value: Expr<'g>, rate: Expr<'g>, fixed: &[(Expr<'g>, Rational)]) -> Option<bool> {
        self.vanishes_in(0..Field::COUNT, value, rate, fixed)
    }

    /// The first of these fields that has enough states decides.
    fn vanishes_in(
        &self,
        mut fields: impl Iterator<Item = usize>,
        value: Expr<'g>,
        rate: Expr<'g>,
        fixed: &[(Expr<'g>, Rational)],
    ) -> Option<bool> {
        let in_exponents = exponent_symbols(self.system);
        let exponents = self.parameters.exact.iter().filter(|(p, _)| in_exponents.contains(p));
        let fixed: Vec<_> = fixed.iter().chain(exponents).cloned().collect();
        fields.find_map(|number| {
            let sampler = FlowSampler::new(self.flow, &[(value, rate)], &fixed, Field::number(number));
            let rates: Option<Vec<_>> = (0..STATES as u64).map(|seed| Some(sampler.at(seed)?.1[0])).collect();
            rates.map(|rates| rates.iter().all(|rate| *rate == Field::ZERO))
        })
    }

    /// Does a function whose rate vanishes stay the same also where it, or the Lagrangian, jumps?
    fn passes_jumps(&self, value: Expr<'g>) -> bool {
        let state = self.flow.state.iter().map(|(symbol, _)| *symbol).chain([self.flow.time]).collect::<Vec<_>>();
        let Some(smooth) = with_slopes(&[self.system.lagrangian, value], &state) else { return true };
        let mut system = self.system.clone();
        system.lagrangian = smooth[0];
        let flow = Flow::of(&system);
        let judge = ConservationJudge { system: &system, flow: &flow, parameters: self.parameters };
        self.flow.solved.is_empty()
            && judge.vanishes(smooth[1], flow.rates_of(&[smooth[1]])[0], &self.parameters.exact) == Some(true)
    }

    /// Tries algebra on a rate that is known to vanish.
    fn proof(&self, rate: Expr<'g>, general: bool) -> Proof {
        let g = self.system.graph;
        let closed = match rate.depends_on(&self.flow.unknowns) {
            true => self.closed_unknowns().map(|rules| rate.substitute(&rules)),
            false => Some(rate),
        };
        let values: Vec<_> = self.parameters.exact.iter().map(|(p, value)| (*p, g.rational(value.clone()))).collect();
        let surface = self.closed_velocities();
        let proved = closed.zip(surface).is_some_and(|(rate, surface)| {
            let rate = rate.substitute(&surface).substitute(&self.flow.solved);
            g.proves_zero(if general { rate } else { rate.substitute(&values) })
        });
        if proved { Proof::Symbolic } else { Proof::Sampled { states: STATES } }
    }

    /// As many velocities as there are constraints, by the others.
    fn closed_velocities(&self) -> Option<Vec<(Expr<'g>, Expr<'g>)>> {
        let (g, flow) = (self.system.graph, self.flow);
        let (m, n) = (flow.surface.len(), flow.velocities.len());
        if m == 0 {
            return Some(Vec::new());
        }
        let entries = dense(g, &flow.surface, &flow.velocities);
        if entries.iter().any(|entry| entry.depends_on(&flow.velocities)) {
            return None;
        }
        let field = Field::number(0);
        let generic = Generic::new(g, &entries, &[], field);
        let rows = (0..STATES as u64).find_map(|seed| generic.at(seed, &[]))?;
        let mut matrix = Matrix::new(n);
        rows.chunks(n).for_each(|row| matrix.push(row));
        let pivots = matrix.independent_columns(field);
        let square: Vec<Vec<Expr<'g>>> =
            (0..m).map(|row| pivots.iter().map(|k| entries[row * n + k]).collect()).collect();
        let at_zero: Vec<_> = pivots.iter().map(|k| (flow.velocities[*k], g.int(0))).collect();
        let right: Vec<Expr<'g>> = g.substitute(&flow.surface, &at_zero).iter().map(|e| -*e).collect();
        let solution = solve_linear(&square, &right)?;
        Some(pivots.iter().map(|k| flow.velocities[*k]).zip(solution).collect())
    }

    /// The unknowns of the flow in closed form, if they are few.
    fn closed_unknowns(&self) -> Option<Vec<(Expr<'g>, Expr<'g>)>> {
        const MOST_UNKNOWNS: usize = 6;
        let (g, flow) = (self.system.graph, self.flow);
        let n = flow.unknowns.len();
        if n > MOST_UNKNOWNS {
            return None;
        }
        let matrix = dense(g, &flow.equations, &flow.unknowns);
        let rows: Vec<Vec<Expr<'g>>> = matrix.chunks(n).map(<[Expr<'g>]>::to_vec).collect();
        let at_zero: Vec<_> = flow.unknowns.iter().map(|u| (*u, g.int(0))).collect();
        let right: Vec<Expr<'g>> = g.substitute(&flow.equations, &at_zero).iter().map(|e| -*e).collect();
        let solution = solve_linear(&rows, &right)?;
        Some(flow.unknowns.iter().copied().zip(solution).collect())
    }

    /// Leaves out functions of one or two others, momenta that are functions of simpler ones, and everything beyond a full set;
    /// and how many are independent.
    fn independent(&self, found: Vec<ConservedQuantity<'g>>, most: usize) -> (Vec<ConservedQuantity<'g>>, usize) {
        let (g, flow) = (self.system.graph, self.flow);
        let variables: Vec<Expr<'g>> = flow.state.iter().map(|(symbol, _)| *symbol).chain([flow.time]).collect();
        let expressions: Vec<Expr<'g>> = found
            .iter()
            .map(|c| c.expression)
            .chain(flow.trivial.iter().copied())
            .chain(flow.surface.iter().copied())
            .collect();
        let expressions = g.substitute(&expressions, &flow.solved);
        let entries = dense(g, &expressions, &variables);
        let zero = g.int(0);
        let functions: Vec<_> = entries.iter().map(|entry| (*entry, zero)).collect();
        let gradients = (0..Field::COUNT).find_map(|number| {
            let field = Field::number(number);
            let sampler = FlowSampler::new(flow, &functions, &self.parameters.exact, field);
            Some((field, sampler.at(7)?.0))
        });
        let Some((field, gradients)) = gradients else { return (found, 0) };
        let row = |k: usize| &gradients[k * variables.len()..(k + 1) * variables.len()];
        let trivial: Vec<usize> = (found.len()..expressions.len()).collect();
        let rank = |of: &[usize]| {
            let mut matrix = Matrix::new(variables.len());
            of.iter().chain(&trivial).for_each(|k| matrix.push(row(*k)));
            matrix.rank(field)
        };
        let base = rank(&[]);
        let mut kept: Vec<usize> = Vec::new();
        // Momenta come before the energy, which may be a function of them and stays all the same.
        let point = |k: &usize| matches!(found[*k].symmetry, Some(Symmetry::Point { .. }));
        let energy = |k: &usize| found[*k].symmetry == Some(Symmetry::Time);
        let mut order: Vec<usize> = (0..found.len()).collect();
        let length = |k: &usize| g.reachable(&[found[*k].expression.id()]).len();
        order.sort_by_key(|k| if point(k) { (0, length(k)) } else { (1 + usize::from(!energy(k)), 0) });
        for k in order {
            let new = rank(&[&kept[..], &[k]].concat()) > rank(&kept);
            // Momenta that are functions of simpler momenta say nothing new.
            let full = rank(&kept) - base >= most || point(&k);
            let of_few = || {
                let mut pairs = kept.iter().flat_map(|a| kept.iter().map(move |b| [*a, *b]));
                pairs.any(|[a, b]| rank(&[a, b, k]) == rank(&[a, b]))
            };
            if new || energy(&k) || !(full || rank(&[k]) == base || of_few()) {
                kept.push(k);
            }
        }
        let independent = rank(&kept) - base;
        let found = found.into_iter().enumerate().filter(|(k, _)| kept.contains(k)).map(|(_, c)| c);
        (found.collect(), independent)
    }
}

/// The expression of an integral and what it was divided by: of a higher degree in the momenta, the parameters that all terms
/// have in common.
pub(super) fn tidy<'g>(integral: &FirstIntegral<'g>, parameters: &[Expr<'g>]) -> (Expr<'g>, Expr<'g>) {
    let g = integral.rate.graph();
    let sum = integral.value();
    if integral.degree() <= 1 {
        return (g.simplified(sum), g.int(1));
    }
    let expanded = g.expanded(sum).unwrap_or(sum);
    let divisor = common_factor(expanded, parameters);
    let Node::Sum { constant, terms } = expanded.node() else { return (expanded, g.int(1)) };
    let quotients = terms.iter().map(|(term, c)| g.expr(*term) / divisor * g.rational(c.clone()));
    (g.simplified(g.sum(quotients) + g.rational(constant) / divisor), divisor)
}

/// The powers of parameters that all terms of a sum have in common.
fn common_factor<'g>(sum: Expr<'g>, parameters: &[Expr<'g>]) -> Expr<'g> {
    let g = sum.graph();
    let Node::Sum { constant, terms } = sum.node() else { return g.int(1) };
    if !constant.is_zero() {
        return g.int(1);
    }
    let factors_of = |id| match g.expr(id).node() {
        Node::Product(factors) => factors.to_vec(),
        _ => vec![(id, 1)],
    };
    let mut common = factors_of(terms[0].0);
    common.retain(|(base, _)| parameters.iter().any(|p| p.id() == *base));
    for (term, _) in terms.iter().skip(1) {
        let factors = factors_of(*term);
        common.retain_mut(|(base, e)| match factors.iter().find(|(other, _)| other == base) {
            Some((_, other)) if other.signum() == e.signum() => {
                *e = if e.abs() < other.abs() { *e } else { *other };
                true
            }
            _ => false,
        });
    }
    g.product(common.iter().map(|(base, e)| g.expr(*base).powi(*e)))
}

fn with_unique_names(mut found: Vec<ConservedQuantity<'_>>) -> Vec<ConservedQuantity<'_>> {
    for k in 0..found.len() {
        let same = found[..k].iter().filter(|other| other.name.split(" #").next() == Some(&found[k].name)).count();
        if same > 0 {
            found[k].name = format!("{} #{}", found[k].name, same + 1);
        }
    }
    found
}
