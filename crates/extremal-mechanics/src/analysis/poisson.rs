//! What the brackets of a Poisson system are like: their rank, and the functions whose bracket with everything vanishes.
//!
//! A Casimir is what every Hamiltonian conserves. With slopes of H that are any numbers at any state, the search for first integrals
//! finds just these.

use extremal_expr::Expr;
use extremal_expr::generic::{Field, Generic, Matrix};

use super::conserved::{Parameters, Proof, tidy};
use super::flow::Flow;
use super::search::{SearchBounds, SearchProblem, search};
use crate::System;
use crate::continuous::PoissonBrackets;

/// The brackets of a Poisson system, looked at.
#[derive(Clone, Debug)]
pub struct PoissonStructure<'g> {
    /// How many variables there are.
    pub variables: usize,
    /// The rank of their brackets at a generic state; `None` where these could not be evaluated exactly.
    pub rank: Option<usize>,
    /// How the brackets depend on the variables.
    pub dependence: BracketDependence,
    /// Functions whose bracket with every other vanishes.
    pub casimirs: Vec<Casimir<'g>>,
}

/// How brackets depend on the variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BracketDependence {
    /// Not at all.
    Constant,
    /// Linearly: Lie-Poisson brackets, with constants besides if they are affine.
    Affine,
    /// In another way.
    General,
}

/// A function whose bracket with every other vanishes.
#[derive(Clone, Debug)]
pub struct Casimir<'g> {
    /// The function.
    pub expression: Expr<'g>,
    /// Is it one for all values of the parameters, or for the present ones only?
    pub general: bool,
    /// How that is known.
    pub proof: Proof,
}

/// Looks at the brackets of `system`; `None` if it has none.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::analysis::{Parameters, SearchBounds, poisson_structure};
/// use extremal_mechanics::continuous::{Heat, PoissonBrackets};
/// use extremal_mechanics::System;
/// let g = Graph::new();
/// let [x, y, z] = ["x", "y", "z"].map(|name| g.symbol(name));
/// let energy = x.powi(2) / 2 + y.powi(2) / 4 + z.powi(2) / 6;
/// let mut body = System::new(&g, &[], -energy);
/// let brackets = PoissonBrackets::new(3, [((0, 1), -z), ((1, 2), -x), ((0, 2), y)]);
/// body.heat = Heat::of_brackets(&["x", "y", "z"], brackets, energy);
/// let seen = poisson_structure(&body, &Parameters::default(), SearchBounds::default()).unwrap();
/// assert_eq!(seen.rank, Some(2));
/// assert_eq!(seen.casimirs[0].expression, x.powi(2) + y.powi(2) + z.powi(2));
/// ```
pub fn poisson_structure<'g>(
    system: &System<'g>,
    parameters: &Parameters<'g>,
    bounds: SearchBounds,
) -> Option<PoissonStructure<'g>> {
    let brackets = system.poisson()?;
    let (g, x) = (system.graph, &system.heat.s);
    let values: Vec<Expr<'g>> = brackets.pairs().map(|(_, _, value)| value).collect();
    let dependence = match (g.depend_on(&values, x).contains(&true), g.affine_in(&values, x).contains(&false)) {
        (false, _) => BracketDependence::Constant,
        (true, false) => BracketDependence::Affine,
        (true, true) => BracketDependence::General,
    };
    Some(PoissonStructure {
        variables: x.len(),
        rank: rank(system, brackets),
        dependence,
        casimirs: casimirs(system, brackets, parameters, bounds),
    })
}

/// The rank at a generic state.
fn rank<'g>(system: &System<'g>, brackets: &PoissonBrackets<'g>) -> Option<usize> {
    const TRIES: u64 = 64;
    let (g, n) = (system.graph, system.heat.s.len());
    let entries = brackets.dense(g.int(0));
    (0..Field::COUNT).find_map(|number| {
        let field = Field::number(number);
        let generic = Generic::new(g, &entries, &[], field);
        let values = (0..TRIES).find_map(|seed| generic.at(seed, &[]))?;
        let mut matrix = Matrix::new(n);
        values.chunks(n).for_each(|row| matrix.push(row));
        Some(matrix.rank(field))
    })
}

fn casimirs<'g>(
    system: &System<'g>,
    brackets: &PoissonBrackets<'g>,
    parameters: &Parameters<'g>,
    bounds: SearchBounds,
) -> Vec<Casimir<'g>> {
    let slopes = system.entropy_symbols("slope_", "");
    let rates = brackets.applied(&slopes);
    let flow = Flow {
        state: system.heat.s.iter().copied().zip(rates).collect(),
        unknowns: Vec::new(),
        equations: Vec::new(),
        ..Flow::of(system)
    };
    // What occurs in the brackets occurs in Casimirs; H has nothing to do with them.
    let values = brackets.pairs().map(|(_, _, value)| value);
    let seen = system.with_lagrangian(system.graph.sum(values.map(|value| value.powi(2))));
    let free = parameters.free(&seen);
    let problem = SearchProblem { system: &seen, flow: &flow, fixed: &parameters.exact, free: &free, known: &[] };
    let (found, _) = search(&problem, bounds);
    let proved = found.into_iter().filter_map(|integral| {
        let (expression, _) = tidy(&integral, &parameters.symbols);
        let rates = brackets.applied(&system.graph.gradient(expression, &system.heat.s));
        let proof = Proof::of_zeros(&rates, if integral.general { &[] } else { &parameters.exact })?;
        // Time has no bracket.
        (!expression.depends_on(&[system.t])).then_some(Casimir { expression, general: integral.general, proof })
    });
    proved.collect()
}
