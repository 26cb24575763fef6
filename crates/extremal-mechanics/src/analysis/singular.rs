//! Regularity, and the constraint algorithm where it fails.
//!
//! A singular Lagrangian determines neither its accelerations nor the states that have a motion at all. Where the matrix of the
//! highest derivatives has a null vector, the corresponding combination of the equations restricts the state; it must hold along
//! the motion, so that its time derivative is one more equation, and so on until nothing new appears (Gotay, Nester & Hinds;
//! \[VC\] chapters 4 and 5). What is left is the final constraint submanifold W_f.

use extremal_expr::generic::{Field, Generic, Matrix};
use extremal_expr::{Expr, Graph, Rational};

use super::flow::dense;
use super::jets::Jets;
use super::real::{range, signs};
use crate::System;
use crate::manifold::FinalManifold;

/// What the matrix of the highest derivatives says.
#[derive(Clone, Debug)]
pub struct Regularity<'g> {
    /// What the equations should determine: accelerations, and with constraints multipliers.
    pub unknowns: usize,
    /// The rank of their matrix at a generic state.
    pub rank: usize,
    /// Could the rank be found? Where not, it is taken to be full.
    pub decided: bool,
    /// The rank of the mass matrix ∂²L/∂v² alone.
    pub mass_rank: usize,
    /// The determinant of the matrix, if it is small enough to be written down and not zero: where it vanishes, the motion is not
    /// determined.
    pub determinant: Option<Expr<'g>>,
    /// Is it proved that the determinant vanishes nowhere, for the values of the parameters?
    pub regular_everywhere: bool,
    /// The dimension of the space of states.
    pub state_dimension: usize,
    /// The constraint algorithm, where the matrix is singular.
    pub chain: Option<ConstraintChain<'g>>,
    /// The dimension of the states that have a motion, if it is known.
    pub final_dimension: Option<usize>,
}

impl Regularity<'_> {
    /// Do positions and velocities determine the motion?
    pub fn is_regular(&self) -> bool {
        self.rank == self.unknowns
    }
}

/// The constraints that a motion of a singular system satisfies.
#[derive(Clone, Debug)]
pub struct ConstraintChain<'g> {
    /// The constraints found in each round; all vanish on W_f.
    pub rounds: Vec<Vec<Expr<'g>>>,
    /// The highest derivatives that stay undetermined on W_f.
    pub free: Vec<Expr<'g>>,
    /// W_f as a graph: some symbols of the state by the others.
    pub solved: Vec<(Expr<'g>, Expr<'g>)>,
    /// Residuals on W_f that determine the highest derivatives, as far as they are determined.
    pub motion: Vec<Expr<'g>>,
    /// What it comes to.
    pub verdict: ChainVerdict<'g>,
}

impl<'g> ConstraintChain<'g> {
    /// W_f with its motion, if there is one and only one.
    pub fn manifold(self) -> Option<FinalManifold<'g>> {
        let unique = self.verdict == ChainVerdict::Unique;
        unique.then(|| FinalManifold { constraints: self.rounds.concat(), chart: self.solved, motion: self.motion })
    }
}

/// The end of the constraint algorithm.
#[derive(Clone, Debug, PartialEq)]
pub enum ChainVerdict<'g> {
    /// Through every state of W_f there is one motion.
    Unique,
    /// There is a motion, with arbitrary functions of time in it.
    NotUnique,
    /// There is none: this does not vanish and would have to.
    NoMotion {
        /// What would have to vanish.
        contradiction: Expr<'g>,
    },
    /// A constraint could not be solved for any variable, so that it is not known what holds on it.
    Undecided {
        /// The constraint.
        constraint: Expr<'g>,
    },
}

/// Determinants are written down up to this many unknowns.
const MOST_IN_DETERMINANT: usize = 4;
/// Rounds of the algorithm: each lowers the dimension, so that this many mean a very long chain.
const MOST_ROUNDS: usize = 12;
/// Elimination by formulas is tried up to this many unknowns.
const MOST_UNKNOWNS: usize = 16;

/// Is the system regular, and if not, what is its motion? `values` are exact values of parameters.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::System;
/// use extremal_mechanics::analysis::{ChainVerdict, regularity};
/// let g = Graph::new();
/// let [x, y, vx] = ["x", "y", "x'"].map(|name| g.symbol(name));
/// let first_order = System::new(&g, &["x", "y"], vx * y - (x.powi(2) + y.powi(2)) / 2);
/// let seen = regularity(&first_order, &[]);
/// let chain = seen.chain.unwrap();
/// assert_eq!((chain.rounds.len(), seen.final_dimension, chain.verdict), (1, Some(2), ChainVerdict::Unique));
/// ```
pub fn regularity<'g>(system: &System<'g>, values: &[(Expr<'g>, Rational)]) -> Regularity<'g> {
    let g = system.graph;
    let (matrix, n) = bordered(system);
    let matrix: Vec<Expr<'g>> = matrix.into_iter().map(|e| g.simplified(e)).collect();
    let found = generic_rank(g, &matrix, n, values);
    let rank = found.unwrap_or(n);
    let mass = dense(g, &system.momenta(), &system.v);
    let jets = Jets::of(system);
    let state_dimension = jets.state().len();
    let mut seen = Regularity {
        unknowns: n,
        rank,
        decided: found.is_some(),
        mass_rank: generic_rank(g, &mass, system.len(), values).unwrap_or(system.len()),
        determinant: None,
        regular_everywhere: false,
        state_dimension,
        chain: None,
        final_dimension: None,
    };
    if rank == n {
        seen.determinant = determinant(g, &matrix, n);
        seen.regular_everywhere =
            seen.determinant.is_some_and(|determinant| range(determinant, values).excludes_zero());
        // A holonomic constraint binds positions and velocities.
        let bound: usize = system.constraints.iter().map(|c| 1 + usize::from(c.expression != c.velocity)).sum();
        seen.final_dimension = state_dimension.checked_sub(bound);
    } else if n <= MOST_UNKNOWNS {
        let chain = constraint_algorithm(&jets, values);
        let found: usize = chain.rounds.iter().map(Vec::len).sum();
        let decided = matches!(chain.verdict, ChainVerdict::Unique | ChainVerdict::NotUnique);
        seen.final_dimension = state_dimension.checked_sub(found).filter(|_| decided);
        seen.chain = Some(chain);
    }
    seen
}

/// The slopes of the equations of motion by accelerations and multipliers, and how many these are. Entropies are determined by
/// positive temperatures.
fn bordered<'g>(system: &System<'g>) -> (Vec<Expr<'g>>, usize) {
    let heat = system.len()..system.len() + system.heat.s.len();
    let (mut unknowns, mut equations) = (system.motion_unknowns(), system.motion_equations());
    unknowns.drain(heat.clone());
    equations.drain(heat);
    (dense(system.graph, &equations, &unknowns), unknowns.len())
}

/// Is the system singular at every state? Numbers cannot tell this from a matrix that is nearly so at one.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::System;
/// use extremal_mechanics::analysis::is_singular;
/// let g = Graph::new();
/// let [vx, vy] = ["x'", "y'"].map(|name| g.symbol(name));
/// assert!(is_singular(&System::new(&g, &["x", "y"], (vx.powi(2) + vy.powi(2)).sqrt()), &[]));
/// assert!(!is_singular(&System::new(&g, &["x", "y"], vx.powi(4) + vy.powi(2)), &[]));
/// ```
pub fn is_singular<'g>(system: &System<'g>, values: &[(Expr<'g>, Rational)]) -> bool {
    let (matrix, n) = bordered(system);
    generic_rank(system.graph, &matrix, n, values).is_some_and(|rank| rank < n)
}

/// The rank at a generic point; `None` if the matrix could not be evaluated at any.
pub(crate) fn generic_rank<'g>(
    g: &'g Graph,
    matrix: &[Expr<'g>],
    columns: usize,
    values: &[(Expr<'g>, Rational)],
) -> Option<usize> {
    if columns == 0 {
        return Some(0);
    }
    (0..Field::COUNT).find_map(|number| {
        let field = Field::number(number);
        let generic = Generic::new(g, matrix, values, field);
        let points: Vec<_> = (0..200).filter_map(|seed| generic.at(seed, &[])).take(2).collect();
        let rank = |entries: &Vec<_>| {
            let mut rows = Matrix::new(columns);
            entries.chunks(columns).for_each(|row| rows.push(row));
            rows.rank(field)
        };
        points.iter().map(rank).max()
    })
}

/// The determinant by expansion along rows, simplified.
pub(crate) fn determinant<'g>(g: &'g Graph, matrix: &[Expr<'g>], n: usize) -> Option<Expr<'g>> {
    if n == 0 || n > MOST_IN_DETERMINANT {
        return None;
    }
    let mut sum = Vec::new();
    for (order, sign) in permutations(n) {
        let product = g.product(order.iter().enumerate().map(|(row, column)| matrix[row * n + column]));
        sum.push(product * sign);
    }
    Some(g.simplified(g.sum(sum)))
}

/// All orders of `0..n`, with their signs.
fn permutations(n: usize) -> Vec<(Vec<usize>, i64)> {
    let mut all = vec![(Vec::new(), 1)];
    for k in 0..n {
        let place = |(order, sign): &(Vec<usize>, i64)| {
            let insert = |at: usize| {
                let mut longer: Vec<usize> = order.clone();
                longer.insert(at, k);
                (longer, if (k - at).is_multiple_of(2) { *sign } else { -sign })
            };
            (0..=k).map(insert).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(place).collect();
    }
    all
}

/// The constraint algorithm. `values` are exact values of parameters, for tests of zero.
pub fn constraint_algorithm<'g>(jets: &Jets<'g>, values: &[(Expr<'g>, Rational)]) -> ConstraintChain<'g> {
    let g = jets.graph;
    let (state, tops) = (jets.state(), jets.tops());
    let zero = g.int(0);
    let at_zero: Vec<_> = tops.iter().map(|top| (*top, zero)).collect();
    let mut surface = Surface { graph: g, values, rules: Vec::new() };
    let mut rounds: Vec<Vec<Expr<'g>>> = Vec::new();
    let mut rows: Vec<SymbolicRow<'g>> = Vec::new();
    let mut fresh = jets.equations.clone();
    loop {
        for residual in fresh.drain(..) {
            let mut row: Vec<Expr<'g>> = dense(g, &[residual], &tops);
            row.push(residual.substitute(&at_zero));
            rows.push(row);
        }
        let (pivots, mut open) = surface.eliminate(std::mem::take(&mut rows), tops.len());
        rows = pivots;
        let mut round = Vec::new();
        while !open.is_empty() {
            // The simplest first: solved for a variable, it may make the others simpler.
            open.sort_by_key(|constraint| g.reachable(&[constraint.id()]).len());
            let mut constraint = surface.simplified(open.remove(0));
            let stop = match surface.vanishes(constraint) {
                Some(true) => continue,
                Some(false) => match surface.add(constraint, &state) {
                    SolvedConstraint::Yes(vanishing) => {
                        constraint = vanishing;
                        None
                    }
                    SolvedConstraint::Nowhere => Some(ChainVerdict::NoMotion { contradiction: constraint }),
                    SolvedConstraint::Unknown => Some(ChainVerdict::Undecided { constraint }),
                },
                None => Some(ChainVerdict::Undecided { constraint }),
            };
            round.push(constraint);
            if let Some(verdict) = stop {
                rounds.push(round);
                return surface.chain(rounds, &rows, &tops, verdict);
            }
            fresh.push(jets.time_derivative(constraint));
        }
        if round.is_empty() || rounds.len() == MOST_ROUNDS {
            break;
        }
        rounds.push(round);
    }
    let verdict = if rows.len() == tops.len() { ChainVerdict::Unique } else { ChainVerdict::NotUnique };
    surface.chain(rounds, &rows, &tops, verdict)
}

/// Coefficients of the highest derivatives, then the rest.
type SymbolicRow<'g> = Vec<Expr<'g>>;

/// The states that satisfy the constraints so far: some variables by the others.
struct Surface<'a, 'g> {
    graph: &'g Graph,
    values: &'a [(Expr<'g>, Rational)],
    rules: Vec<(Expr<'g>, Expr<'g>)>,
}

enum SolvedConstraint<'g> {
    /// With what vanishes there: the constraint, or of a double root the root, whose rate vanishes too.
    Yes(Expr<'g>),
    /// The constraint contains no variable and is not zero.
    Nowhere,
    Unknown,
}

impl<'g> Surface<'_, 'g> {
    fn chain(
        self,
        rounds: Vec<Vec<Expr<'g>>>,
        rows: &[SymbolicRow<'g>],
        tops: &[Expr<'g>],
        verdict: ChainVerdict<'g>,
    ) -> ConstraintChain<'g> {
        let motion = rows.iter().map(|row| self.graph.dot(row, tops) + row[tops.len()]);
        // Each row determines the first that it contains.
        let determined: Vec<_> = rows.iter().filter_map(|row| row.iter().position(|entry| !entry.is_zero())).collect();
        let free = (0..tops.len()).filter(|at| !determined.contains(at)).map(|at| tops[at]).collect();
        ConstraintChain { rounds, free, motion: motion.collect(), solved: self.rules, verdict }
    }

    fn simplified(&self, e: Expr<'g>) -> Expr<'g> {
        self.graph.simplified(e.substitute(&self.rules))
    }

    /// Is it zero at generic states of the surface?
    fn vanishes(&self, e: Expr<'g>) -> Option<bool> {
        self.graph.vanishes(e.substitute(&self.rules), self.values)
    }

    /// Gaussian elimination of the first `columns` columns: rows with a pivot, and what is left of the others, which vanishes.
    fn eliminate(&self, rows: Vec<SymbolicRow<'g>>, columns: usize) -> (Vec<SymbolicRow<'g>>, Vec<Expr<'g>>) {
        let g = self.graph;
        let clean = |e: Expr<'g>| {
            let e = self.simplified(e);
            if self.vanishes(e) == Some(true) { g.int(0) } else { e }
        };
        let mut rows: Vec<SymbolicRow<'g>> = rows.into_iter().map(|row| row.into_iter().map(clean).collect()).collect();
        let mut pivots = Vec::new();
        for column in 0..columns {
            let size = |row: &SymbolicRow<'g>| g.reachable(&[row[column].id()]).len();
            let candidates = rows.iter().enumerate().filter(|(_, row)| !row[column].is_zero());
            let Some((at, _)) = candidates.min_by_key(|(_, row)| size(row)) else { continue };
            let pivot = rows.remove(at);
            for row in rows.iter_mut().filter(|row| !row[column].is_zero()) {
                let factor = row[column] / pivot[column];
                for (entry, above) in row.iter_mut().zip(&pivot) {
                    *entry = clean(*entry - factor * *above);
                }
            }
            pivots.push(pivot);
        }
        let rest = rows.iter().map(|row| row[columns]).filter(|rest| !rest.is_zero());
        (pivots, rest.map(|rest| g.without_denominators(rest)).collect())
    }

    /// Takes one more constraint: it is solved for the highest derivative in which it is linear, a square, or pure quadratic.
    fn add(&mut self, constraint: Expr<'g>, state: &[Expr<'g>]) -> SolvedConstraint<'g> {
        let g = self.graph;
        let occurring: Vec<Expr<'g>> = state.iter().copied().filter(|s| constraint.depends_on(&[*s])).collect();
        if occurring.is_empty() {
            return SolvedConstraint::Nowhere;
        }
        let primes = |s: &Expr<'g>| s.as_symbol().map_or(0, |name| name.chars().filter(|c| *c == '\'').count());
        let mut linear: Vec<(bool, usize, Expr<'g>, Expr<'g>)> = Vec::new();
        let (mut double, mut quadratic) = (None, None);
        for symbol in occurring {
            let slope = g.gradient(constraint, &[symbol])[0];
            let rest = constraint.substitute(&[(symbol, g.int(0))]);
            if g.affine_in(&[constraint], &[symbol])[0] {
                let varying = slope.depends_on(state);
                linear.push((varying, usize::MAX - primes(&symbol), symbol, -rest / slope));
                continue;
            }
            let curvature = g.simplified(g.gradient(slope, &[symbol])[0]) / 2;
            if curvature.depends_on(&[symbol]) {
                continue;
            }
            let at_zero = slope.substitute(&[(symbol, g.int(0))]);
            let radicand = at_zero.powi(2) - curvature * rest * 4;
            if self.vanishes(radicand) == Some(true) {
                double = double.or(Some((symbol, -at_zero / curvature / 2)));
            } else if self.vanishes(at_zero) == Some(true) {
                let square = -rest / curvature;
                // Real numbers have no root of what is never positive.
                let is_real = signs(g, square, |_| false).1;
                quadratic = quadratic.or(is_real.then(|| (symbol, square.sqrt())));
            }
        }
        linear.sort_by_key(|(varying, primes, ..)| (*varying, *primes));
        let simple = linear.first().map(|(_, _, symbol, value)| (*symbol, *value)).or(quadratic);
        let vanishing = match (simple, double) {
            (None, Some((symbol, value))) => g.without_denominators(symbol - value),
            _ => constraint,
        };
        let Some((symbol, value)) = simple.or(double) else { return SolvedConstraint::Unknown };
        let value = g.simplified(value);
        for (_, image) in &mut self.rules {
            *image = image.substitute(&[(symbol, value)]);
        }
        self.rules.push((symbol, value));
        SolvedConstraint::Yes(vanishing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain<'g>(g: &'g Graph, names: &[&str], lagrangian: Expr<'g>) -> (Regularity<'g>, Vec<Vec<String>>) {
        let seen = regularity(&System::new(g, names, lagrangian), &[]);
        let rounds = seen.chain.iter().flat_map(|chain| &chain.rounds);
        let rounds = rounds.map(|round| round.iter().map(Expr::to_string).collect()).collect();
        (seen, rounds)
    }

    #[test]
    fn a_first_order_lagrangian_lives_on_half_of_its_states() {
        // By hand: y' + x = 0 and x' − y = 0; their derivatives give x'' = y', y'' = −x'.
        let g = Graph::new();
        let [x, y, vx] = ["x", "y", "x'"].map(|name| g.symbol(name));
        let (seen, rounds) = chain(&g, &["x", "y"], vx * y - (x.powi(2) + y.powi(2)) / 2);
        assert_eq!((seen.rank, seen.mass_rank), (0, 0));
        assert_eq!(rounds, [["x + y'", "y - x'"]]);
        assert_eq!((seen.final_dimension, seen.chain.unwrap().verdict), (Some(2), ChainVerdict::Unique));
    }

    #[test]
    fn the_length_of_a_curve_leaves_its_parameter_free() {
        // L = sqrt(x'² + y'²): M v = 0, and v·(equation) is an identity, so nothing is constrained and one function is free.
        let g = Graph::new();
        let [vx, vy] = ["x'", "y'"].map(|name| g.symbol(name));
        let (seen, rounds) = chain(&g, &["x", "y"], (vx.powi(2) + vy.powi(2)).sqrt());
        assert_eq!((seen.rank, seen.unknowns), (1, 2));
        assert!(rounds.is_empty());
        let chain = seen.chain.unwrap();
        assert_eq!((seen.final_dimension, chain.free.len(), chain.verdict), (Some(4), 1, ChainVerdict::NotUnique));
        // The relativistic particle in its own time is regular.
        let c = g.symbol("c");
        let free = regularity(&System::new(&g, &["x"], -(g.int(1) - vx.powi(2) / c.powi(2)).sqrt()), &[]);
        assert!(free.is_regular());
    }

    #[test]
    fn a_lagrangian_linear_in_one_velocity_takes_two_rounds() {
        // L = x'²/2 + x² y' − y²/2. By hand: x'' = 2 x y' and 2 x x' + y = 0. Its derivative, with x'' put in, is
        // 2 x'² + (1 + 4 x²) y' = 0, and the derivative of that determines y''.
        let g = Graph::new();
        let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
        let (seen, rounds) = chain(&g, &["x", "y"], vx.powi(2) / 2 + x.powi(2) * vy - y.powi(2) / 2);
        assert_eq!(seen.rank, 1);
        assert_eq!(rounds.len(), 2);
        let chain = seen.chain.unwrap();
        let by_hand = [x * vx * 2 + y, vx.powi(2) * 2 + (x.powi(2) * 4 + 1) * vy];
        for (round, by_hand) in chain.rounds.iter().zip(by_hand) {
            assert!(proportional(round[0], by_hand), "{} is not {by_hand}", round[0]);
        }
        assert_eq!((seen.final_dimension, chain.verdict), (Some(2), ChainVerdict::Unique));
    }

    /// Are the two equal up to a sign?
    fn proportional<'g>(a: Expr<'g>, b: Expr<'g>) -> bool {
        a.graph().proves_zero(a - b) || a.graph().proves_zero(a + b)
    }

    #[test]
    fn a_lagrange_multiplier_as_a_coordinate_takes_the_rounds_of_a_constraint() {
        // L = (x'² + y'²)/2 + z (x − y): z is a multiplier. By hand: x = y; x' = y'; x'' = z, y'' = −z, so z = 0; z' = 0; z'' = 0.
        let g = Graph::new();
        let [x, y, z, vx, vy, vz] = ["x", "y", "z", "x'", "y'", "z'"].map(|name| g.symbol(name));
        let (seen, rounds) = chain(&g, &["x", "y", "z"], (vx.powi(2) + vy.powi(2)) / 2 + z * (x - y));
        assert_eq!(rounds.len(), 4, "{rounds:?}");
        let chain = seen.chain.unwrap();
        for (round, by_hand) in chain.rounds.iter().zip([x - y, vx - vy, z * 2, vz * 2]) {
            assert!(proportional(round[0], by_hand), "{} is not {by_hand}", round[0]);
        }
        assert_eq!((seen.final_dimension, chain.verdict), (Some(2), ChainVerdict::Unique));
    }

    #[test]
    fn a_constraint_that_is_a_square_binds_the_rate_of_its_root() {
        // Cawley: L = x' z' + y z²/2. By hand: z'' = 0, x'' = y z, z² = 0. So z = 0, z' = 0, x'' = 0, and y is arbitrary:
        // x, x', y, y' are left of six dimensions.
        let g = Graph::new();
        let [y, z, vx, vz] = ["y", "z", "x'", "z'"].map(|name| g.symbol(name));
        let (seen, rounds) = chain(&g, &["x", "y", "z"], vx * vz + y * z.powi(2) / 2);
        assert_eq!(rounds, [["z"], ["z'"]]);
        let chain = seen.chain.unwrap();
        assert_eq!((seen.final_dimension, chain.free.len(), chain.verdict), (Some(4), 1, ChainVerdict::NotUnique));
    }

    #[test]
    fn a_sum_of_squares_is_not_solved_by_an_imaginary_root() {
        // L = x' z' + y (z² + w²)/2 + w'²/2: z² + w² = 0 leaves z = w = 0 only, which the roots of real numbers do not say.
        let g = Graph::new();
        let [y, z, w, vx, vz, vw] = ["y", "z", "w", "x'", "z'", "w'"].map(|name| g.symbol(name));
        let lagrangian = vx * vz + y * (z.powi(2) + w.powi(2)) / 2 + vw.powi(2) / 2;
        let (seen, _) = chain(&g, &["x", "y", "z", "w"], lagrangian);
        assert!(matches!(seen.chain.unwrap().verdict, ChainVerdict::Undecided { .. }));
        assert_eq!(seen.final_dimension, None);
    }

    #[test]
    fn a_lagrangian_without_motion_is_called_so() {
        // L = x + y'²/2: the equation of x is 1 = 0.
        let g = Graph::new();
        let [x, vy] = ["x", "y'"].map(|name| g.symbol(name));
        let (seen, _) = chain(&g, &["x", "y"], x + vy.powi(2) / 2);
        assert!(matches!(seen.chain.unwrap().verdict, ChainVerdict::NoMotion { .. }));
        assert_eq!(seen.final_dimension, None);
    }

    #[test]
    fn the_optimal_cart_pole_is_regular_in_the_sense_of_the_bordered_matrix() {
        // [VC] 7.2 with slips V1 and V2 put right: minimise u²/2, u the force on the cart, subject to the equation of the pole.
        // With A = M + m, B = m l cos θ, C = m l²: u = A x'' + B θ'' − m l sin θ θ'², Φ = B x'' + C θ'' − m g l sin θ.
        // Highest derivatives x, θ, λ'': matrix [[A², AB, B], [AB, B², C], [B, C, 0]] up to sign, whose determinant is
        // −(A C − B²)²: regular. Before that Φ = 0 and Φ' = 0 bind the state, 10 − 2 = 8 = 2 k n as [VC 5.9] says.
        let g = Graph::new();
        let jet = |name: &str, order: usize| {
            (0..=order).map(|l| g.symbol(&format!("{name}{}", "'".repeat(l)))).collect::<Vec<_>>()
        };
        let (x, th, lambda) = (jet("x", 4), jet("th", 4), jet("lambda", 2));
        let [big, m, l, grav] = ["M", "m", "l", "g"].map(|name| g.symbol(name));
        let (s, c) = (th[0].sin(), th[0].cos());
        let u = (big + m) * x[2] + m * l * c * th[2] - m * l * s * th[1].powi(2);
        let phi = m * l * c * x[2] + m * l.powi(2) * th[2] - m * grav * l * s;
        let lagrangian = u.powi(2) / 2 + lambda[0] * phi;
        let jets = Jets::higher_order(g.symbol("t"), vec![x.clone(), th.clone()], vec![lambda], lagrangian);
        assert_eq!(jets.state().len(), 10);
        let chain = constraint_algorithm(&jets, &[]);
        assert_eq!(chain.rounds.len(), 2);
        assert!(proportional(chain.rounds[0][0], phi), "{}", chain.rounds[0][0]);
        let rate = jets.time_derivative(phi);
        // The second round is written on the surface of the first; on it, both agree.
        let acceleration = -(phi.substitute(&[(th[2], g.int(0))])) / (m * l.powi(2));
        let on_surface = |e: Expr<'_>| g.expr(e.id()).substitute(&[(th[2], acceleration)]);
        let ratio = on_surface(chain.rounds[1][0]) / on_surface(rate);
        let slopes = g.gradient(ratio, &[x[1], x[2], x[3], th[0], th[1], th[3]]);
        assert!(slopes.iter().all(|slope| g.proves_zero(*slope)), "{} and {rate}", chain.rounds[1][0]);
        assert_eq!((chain.free.len(), chain.verdict), (0, ChainVerdict::Unique));
    }
}
