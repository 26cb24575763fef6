//! The mechanical system as expressions: what the continuous and the discrete side both start from.

use std::collections::HashSet;

use extremal_expr::{Expr, Graph};

use crate::constraint::Constraint;
use crate::continuous::{Dry, Heat};
use crate::manifold::FinalManifold;
use crate::momentum_flow::MomentumFlow;

/// One system: symbols for coordinates and their derivatives, the Lagrangian and the generalised forces.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::System;
/// let g = Graph::new();
/// let (x, v) = (g.symbol("x"), g.symbol("x'"));
/// let oscillator = System::new(&g, &["x"], v.powi(2) / 2 - x.powi(2) / 2);
/// let a = oscillator.a[0];
/// assert_eq!(oscillator.euler_lagrange(), [a + x]);
/// // The Lagrangian may have accelerations and higher derivatives.
/// let spline = System::new(&g, &["x"], a.powi(2) / 2);
/// assert_eq!(spline.euler_lagrange(), [g.symbol("x''''")]);
/// assert_eq!(spline.momenta(), [-g.symbol("x'''"), a]);
/// ```
#[derive(Clone)]
pub struct System<'g> {
    /// Where all expressions live.
    pub graph: &'g Graph,
    /// Time.
    pub t: Expr<'g>,
    /// Names of the coordinates.
    pub names: Vec<String>,
    /// The order k of the highest derivative in the Lagrangian.
    pub order: usize,
    /// Coordinates.
    pub q: Vec<Expr<'g>>,
    /// Velocities `x'`.
    pub v: Vec<Expr<'g>>,
    /// Accelerations `x''`.
    pub a: Vec<Expr<'g>>,
    /// Derivatives beyond accelerations, up to order 2k, per order and coordinate: none for a Lagrangian of positions and velocities.
    pub higher: Vec<Vec<Expr<'g>>>,
    /// Momenta as symbols: `p_x`, and for higher orders `p_x'`, …, conjugate to q, q', ….
    pub p: Vec<Expr<'g>>,
    /// The Lagrangian L(q, v, S, t); vakonomic constraints are part of it, as λΦ.
    pub lagrangian: Expr<'g>,
    /// Generalised forces per coordinate, external and friction together.
    pub force: Vec<Expr<'g>>,
    /// Entropies, and what warms them.
    pub heat: Heat<'g>,
    /// Constraints on the motion.
    pub constraints: Vec<Constraint<'g>>,
    /// Dry friction; its forces are part of `force` under their own symbols.
    pub dry: Vec<Dry<'g>>,
    /// Where a singular system moves, once that is known.
    pub manifold: Option<FinalManifold<'g>>,
    /// The places of the cyclic coordinates without which steps are taken, as [`reducible`](System::reducible) finds them.
    pub cyclic: Vec<usize>,
    /// What a motion has besides, if it starts from momenta.
    pub flow: Option<MomentumFlow<'g>>,
    /// Does the mass of a coordinate vanish at the parameters of the model? Under constraints it may.
    pub massless: bool,
    /// Names that the user has taken; symbols of our own avoid them.
    taken: HashSet<String>,
}

impl<'g> System<'g> {
    /// A system without forces; its order is that of the Lagrangian.
    pub fn new(graph: &'g Graph, names: &[&str], lagrangian: Expr<'g>) -> System<'g> {
        let symbols = graph.free_symbols(&[lagrangian]);
        let taken: Vec<String> = symbols.iter().filter_map(|s| s.as_symbol()).map(|name| name.to_string()).collect();
        let primes = |symbol: &String| {
            let stem = symbol.trim_end_matches('\'');
            if names.contains(&stem) { symbol.len() - stem.len() } else { 0 }
        };
        let order = taken.iter().map(primes).max().unwrap_or(1);
        System::with_taken(graph, names, order, lagrangian, taken)
    }

    /// A system of this order without forces whose own symbols avoid the names in `taken`.
    pub fn with_taken(
        graph: &'g Graph,
        names: &[&str],
        order: usize,
        lagrangian: Expr<'g>,
        taken: Vec<String>,
    ) -> System<'g> {
        let order = order.max(1);
        let primed = |times: usize| -> Vec<Expr<'g>> {
            names.iter().map(|name| graph.symbol(&format!("{name}{}", "'".repeat(times)))).collect()
        };
        let mut system = System {
            graph,
            t: graph.symbol("t"),
            names: names.iter().map(|n| n.to_string()).collect(),
            order,
            q: primed(0),
            v: primed(1),
            a: primed(2),
            higher: (3..=2 * order).map(primed).collect(),
            p: Vec::new(),
            lagrangian,
            force: vec![graph.int(0); names.len()],
            heat: Heat::default(),
            constraints: Vec::new(),
            dry: Vec::new(),
            manifold: None,
            cyclic: Vec::new(),
            flow: None,
            massless: false,
            taken: taken.into_iter().collect(),
        };
        system.p = (0..order).flat_map(|r| system.symbols("p_", &"'".repeat(r))).collect();
        system
    }

    /// The same motion without constraints that are imposed before the variation: their multipliers are coordinates (H7).
    #[must_use]
    pub fn with_multipliers_as_coordinates(&self) -> System<'g> {
        let multipliers: Vec<String> =
            self.moving_multipliers().iter().filter_map(|m| m.as_symbol()).map(|name| name.to_string()).collect();
        let names: Vec<&str> = self.names.iter().chain(&multipliers).map(String::as_str).collect();
        let taken = self.taken.iter().cloned().collect();
        let mut system = System::with_taken(self.graph, &names, self.order, self.lagrangian, taken);
        system.force[..self.len()].copy_from_slice(&self.force);
        System { t: self.t, ..system }
    }

    /// The same system with another Lagrangian.
    #[must_use]
    pub fn with_lagrangian(&self, lagrangian: Expr<'g>) -> System<'g> {
        System { lagrangian, ..self.clone() }
    }

    /// The coordinates at these places alone, with another Lagrangian and the forces of the whole written without the others. No
    /// constraints, entropies or dry friction.
    pub(crate) fn keeping(&self, kept: &[usize], lagrangian: Expr<'g>, force: &[Expr<'g>]) -> System<'g> {
        let pick = |all: &[Expr<'g>]| kept.iter().map(|place| all[*place]).collect::<Vec<_>>();
        System {
            names: kept.iter().map(|place| self.names[*place].clone()).collect(),
            q: pick(&self.q),
            v: pick(&self.v),
            a: pick(&self.a),
            p: pick(&self.p),
            force: pick(force),
            lagrangian,
            cyclic: Vec::new(),
            ..self.clone()
        }
    }

    /// The derivative of this order, at most 2k, of each coordinate.
    pub fn derivative(&self, order: usize) -> &[Expr<'g>] {
        match order {
            0 => &self.q,
            1 => &self.v,
            2 => &self.a,
            order => &self.higher[order - 3],
        }
    }

    /// q, …, q^(k−1): what is given by positions where the Lagrangian has velocities only.
    pub fn configuration(&self) -> Vec<Expr<'g>> {
        (0..self.order).flat_map(|order| self.derivative(order)).copied().collect()
    }

    /// q^(k), …, q^(2k−1): what momenta determine. Velocities, where the Lagrangian has no higher derivatives.
    pub fn velocities(&self) -> Vec<Expr<'g>> {
        (self.order..2 * self.order).flat_map(|order| self.derivative(order)).copied().collect()
    }

    /// q^(2k): what the equations of motion determine. Accelerations, where the Lagrangian has no higher derivatives.
    pub fn accelerations(&self) -> &[Expr<'g>] {
        self.derivative(2 * self.order)
    }

    /// The symbol of the step, `h`: a reserved name, never the user's.
    pub fn step(&self) -> Expr<'g> {
        self.graph.symbol("h")
    }

    /// The symbols of the positions at the start and at the end of a step, `x_0` and `x_1`.
    pub fn ends(&self) -> [Vec<Expr<'g>>; 2] {
        // The later one first: differences then read (x_1 - x_0), because the older symbol of a sum leads with a plus.
        let last = self.symbols("", "_1");
        [self.symbols("", "_0"), last]
    }

    /// The symbols of the entropies at the start and at the end of a step, `S_0` and `S_1`.
    pub fn entropy_ends(&self) -> [Vec<Expr<'g>>; 2] {
        let last = self.entropy_symbols("", "_1");
        [self.entropy_symbols("", "_0"), last]
    }

    /// A symbol of our own that belongs to nothing that moves: `b_1` is the end of a step of a coordinate or a state `b`, so it is avoided.
    pub fn constant(&self, name: &str) -> Expr<'g> {
        let stem = name.split('_').next().unwrap_or(name);
        let mut moving = self.names.iter().chain(&self.heat.names);
        match moving.any(|name| name.split('[').next() == Some(stem)) {
            true => self.symbol(&format!("{name}_")),
            false => self.symbol(name),
        }
    }

    /// The number of coordinates.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Is there no coordinate?
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// One symbol per coordinate, named `prefix` + coordinate + `suffix`, none of them a name of the user's. The index of a
    /// member of a family stays behind the suffix (`x_1[3]`), primes behind that.
    pub fn symbols(&self, prefix: &str, suffix: &str) -> Vec<Expr<'g>> {
        self.named(&self.names, prefix, suffix)
    }

    /// The same, one per entropy.
    pub fn entropy_symbols(&self, prefix: &str, suffix: &str) -> Vec<Expr<'g>> {
        self.named(&self.heat.names, prefix, suffix)
    }

    fn named(&self, names: &[String], prefix: &str, suffix: &str) -> Vec<Expr<'g>> {
        let stem = suffix.trim_end_matches('\'');
        let primes = &suffix[stem.len()..];
        let one = |name: &String| {
            let (family, index) = name.split_at(name.find('[').unwrap_or(name.len()));
            self.symbol(&format!("{prefix}{family}{stem}{index}{primes}"))
        };
        names.iter().map(one).collect()
    }

    /// A symbol of our own: underscores are added while the name is the user's.
    pub fn symbol(&self, name: &str) -> Expr<'g> {
        let (stem, rest) = name.split_at(name.find(['[', '\'']).unwrap_or(name.len()));
        let mut stem = stem.to_string();
        while self.taken.contains(&stem) {
            stem.push('_');
        }
        self.graph.symbol(&format!("{stem}{rest}"))
    }

    /// The present: coordinates, velocities, entropies and time by their own symbols.
    pub fn here(&self) -> Point<'g> {
        Point { q: self.q.clone(), v: self.v.clone(), s: self.heat.s.clone(), t: self.t }
    }

    /// The expressions with coordinates, velocities, entropies and time replaced.
    pub fn at(&self, fs: &[Expr<'g>], point: &Point<'g>) -> Vec<Expr<'g>> {
        let pairs = [(&self.q, &point.q), (&self.v, &point.v), (&self.heat.s, &point.s)];
        let mut rules: Vec<_> =
            pairs.into_iter().flat_map(|(from, to)| from.iter().copied().zip(to.iter().copied())).collect();
        rules.push((self.t, point.t));
        self.graph.substitute(fs, &rules)
    }

    /// The expressions with q, q', … and time replaced; `values` per order and coordinate.
    pub fn at_derivatives(&self, fs: &[Expr<'g>], values: &[Vec<Expr<'g>>], t: Expr<'g>) -> Vec<Expr<'g>> {
        let mut rules = vec![(self.t, t)];
        for (order, values) in values.iter().enumerate() {
            rules.extend(self.derivative(order).iter().copied().zip(values.iter().copied()));
        }
        self.graph.substitute(fs, &rules)
    }
}

/// Where an expression of the system is taken.
#[derive(Clone)]
pub struct Point<'g> {
    /// Coordinates.
    pub q: Vec<Expr<'g>>,
    /// Velocities.
    pub v: Vec<Expr<'g>>,
    /// Entropies.
    pub s: Vec<Expr<'g>>,
    /// Time.
    pub t: Expr<'g>,
}
