//! Discrete systems of the user's own: a discrete Lagrangian as it is typed, or a finite-difference map from which one is formed.

use extremal_expr::{Expr, Rational};

use super::action::{DiscreteAction, Formula, Slopes};
use super::scheme::Constants;
use crate::{Point, System};

/// What the method `custom` is for a model.
pub enum CustomDiscrete<'g> {
    /// A discrete Lagrangian, forces, entropy rules and constraints.
    Stated(StatedDiscrete<'g>),
    /// A finite-difference map.
    Map(DifferenceMap<'g>),
}

/// The user's own discrete system, in the symbols `x_0`, `x_1`, `h`, `t`.
#[derive(Clone)]
pub struct StatedDiscrete<'g> {
    /// L_d(x_0, x_1).
    pub lagrangian: Expr<'g>,
    /// f−, per coordinate.
    pub force_minus: Vec<Expr<'g>>,
    /// f+, per coordinate.
    pub force_plus: Vec<Expr<'g>>,
    /// Expressions that vanish, one per entropy, also in `S_0`, `S_1`.
    pub entropy_rules: Vec<Expr<'g>>,
    /// Discrete constraints that replace those of the method, per constraint; may be shorter than the list of constraints.
    pub constraints: Vec<Option<Expr<'g>>>,
    /// What a node with controls costs, in the positions before, at and after it.
    pub cost: Option<Expr<'g>>,
    /// Do the Lagrangian and the constraints reach to `x_2`?
    pub three_points: bool,
}

/// Where in a step the system is looked at: at one place or, in the mean, at several (V6).
#[derive(Clone)]
pub struct DifferenceMap<'g> {
    /// The places, whose weights sum to one.
    pub nodes: Vec<MapNode<'g>>,
}

/// ψ(x_0, x_1, S_0, S_1), in the symbols of both ends, `h` and `t`.
#[derive(Clone)]
pub struct MapNode<'g> {
    /// Its part in the mean.
    pub weight: Expr<'g>,
    /// Positions.
    pub position: Vec<Expr<'g>>,
    /// Velocities.
    pub velocity: Vec<Expr<'g>>,
    /// Entropies.
    pub entropy: Vec<Expr<'g>>,
    /// Their rates.
    pub rate: Vec<Expr<'g>>,
    /// Time.
    pub time: Expr<'g>,
}

impl<'g> MapNode<'g> {
    /// Expressions of positions, velocities, entropies, their rates and time, at ψ.
    pub(crate) fn pull_back(&self, system: &System<'g>, fs: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let point = Point { q: self.position.clone(), v: self.velocity.clone(), s: self.entropy.clone(), t: self.time };
        let rates: Vec<_> = system.heat.rates.iter().copied().zip(self.rate.iter().copied()).collect();
        system.graph.substitute(&system.at(fs, &point), &rates)
    }
}

impl<'g> DifferenceMap<'g> {
    /// The means of expressions over the step.
    fn means(&self, system: &System<'g>, fs: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let at: Vec<Vec<Expr<'g>>> = self.nodes.iter().map(|node| node.pull_back(system, fs)).collect();
        let mean =
            |k: usize| system.graph.sum(self.nodes.iter().zip(&at).map(|(node, values)| node.weight * values[k]));
        (0..fs.len()).map(mean).collect()
    }

    /// ∫ f dt over a step: h times the mean of f.
    pub(crate) fn integral(&self, system: &System<'g>, f: Expr<'g>) -> Expr<'g> {
        system.step() * self.means(system, &[f])[0]
    }

    /// L_d = h L∘ψ, f∓ = h (∂x/∂x_∓)ᵀ F∘ψ, and the entropy balance at ψ.
    fn formula(&self, system: &System<'g>) -> Formula<'g> {
        let (g, h) = (system.graph, system.step());
        let force = system.force_without_dry();
        let pulled = |end: &Vec<Expr<'g>>| -> Vec<Expr<'g>> {
            let mut sums = vec![Vec::new(); system.len()];
            for node in &self.nodes {
                let force = node.pull_back(system, &force);
                for (row, force) in g.jacobian(&node.position, end).into_iter().zip(&force) {
                    row.into_iter().for_each(|(k, slope)| sums[k].push(h * node.weight * slope * *force));
                }
            }
            sums.into_iter().map(|sum| g.sum(sum)).collect()
        };
        // The work of moving constraints belongs to their impulses at the nodes.
        let no_impulse: Vec<_> = system.reacting().map(|constraint| (constraint.multiplier, g.int(0))).collect();
        let rates: Vec<_> = system.accounts().iter().map(|account| account.rate).collect();
        let (ends, at) = (system.ends(), |fs: &[Expr<'g>]| self.means(system, fs));
        Formula {
            action: h * at(&[system.lagrangian])[0],
            forces: ends.iter().map(pulled).collect(),
            entropy: at(&system.entropy_balance()),
            states: Default::default(),
            temperatures: at(&system.temperatures()),
            heating: at(&system.friction_heating()),
            accounts: at(&g.substitute(&rates, &no_impulse)).into_iter().map(|rate| h * rate).collect(),
            unknowns: ends.into(),
        }
    }
}

impl<'g> DiscreteAction<'g> {
    /// The discrete system of the user's own.
    pub fn custom(system: &System<'g>, custom: CustomDiscrete<'g>) -> Self {
        match custom {
            CustomDiscrete::Stated(stated) => Self::stated(system, stated),
            CustomDiscrete::Map(map) => {
                let between = |c: &crate::Constraint<'g>| {
                    let nature = c.kind.nature();
                    (nature.reacts && !nature.binds_positions).then(|| map.means(system, &[c.expression])[0])
                };
                let constraints = system.constraints.iter().map(between).collect();
                Self::of_ends(system, map.formula(system), constraints)
            }
        }
    }

    /// A discrete Lagrangian L_d(x_0, x_1), discrete forces f−, f+ and entropy rules as they are typed. Nothing is said of its
    /// temperatures, nor of work and heat.
    fn stated(system: &System<'g>, stated: StatedDiscrete<'g>) -> Self {
        let all = system.constraints.iter().enumerate().filter(|(_, constraint)| constraint.is_vakonomic());
        let multiplied = all.map(|(at, constraint)| constraint.multiplier * stated.over_step(system, at));
        let nodal = Formula {
            unknowns: system.ends().into(),
            action: stated.lagrangian + system.graph.sum(multiplied),
            forces: vec![stated.force_minus, stated.force_plus],
            entropy: stated.entropy_rules,
            states: Default::default(),
            temperatures: Vec::new(),
            heating: Vec::new(),
            accounts: vec![system.graph.int(0); system.accounts().len()],
        };
        Self::of_ends(system, nodal, stated.constraints)
    }

    /// The action of a step from formulas in both of its ends.
    fn of_ends(system: &System<'g>, nodal: Formula<'g>, own_constraints: Vec<Option<Expr<'g>>>) -> Self {
        let (g, h, n) = (system.graph, system.step(), system.len());
        let ends = system.ends();
        let [s_0, s_1] = system.entropy_ends();
        let w = Self::increments(system, 1);
        let heat = &system.heat;
        let mut rules: Vec<_> = ends[0].iter().copied().zip(system.q.iter().copied()).collect();
        rules.extend((0..s_0.len()).flat_map(|k| [(s_0[k], heat.s[k]), (s_1[k], heat.s[k] + h * heat.rates[k])]));
        // As x_0 = q and x_1 = q + e first: of both slopes the forces at x_1 are then the same expressions.
        let displacement = system.symbols("e_", "");
        let displaced: Vec<_> = (0..n).map(|k| (ends[1][k], system.q[k] + displacement[k])).collect();
        let action = nodal.action.substitute(&[&rules[..], &displaced].concat());
        let slopes = g.gradient(action, &[&displacement[..], &system.q].concat());
        let moved: Vec<_> = displacement.iter().zip(&w[1]).map(|(e, w)| (*e, h * *w)).collect();
        let mut by_w = g.substitute(&slopes, &moved);
        let by_q = by_w.split_off(n);
        rules.extend((0..n).map(|k| (ends[1][k], system.q[k] + h * w[1][k])));
        let incremental = Formula {
            unknowns: w,
            action: nodal.action.substitute(&rules),
            forces: nodal.forces.iter().map(|f| g.substitute(f, &rules)).collect(),
            entropy: g.substitute(&nodal.entropy, &rules),
            states: Default::default(),
            temperatures: g.substitute(&nodal.temperatures, &rules),
            heating: g.substitute(&nodal.heating, &rules),
            accounts: g.substitute(&nodal.accounts, &rules),
        };
        DiscreteAction {
            nodes: vec![0.0, 1.0],
            base: g.rational(Rational::HALF),
            own_constraints,
            nodal,
            incremental,
            slopes: Slopes { by_w: vec![by_w], by_q },
            implicit_entropy: true,
            constants: Constants::new(g),
        }
    }
}

impl<'g> StatedDiscrete<'g> {
    /// What a constraint imposed before the variation is over a step: the user's own φ_d, which is over the step as the Lagrangian
    /// is, or else h Φ in the middle of the step (V1).
    pub(crate) fn over_step(&self, system: &System<'g>, constraint: usize) -> Expr<'g> {
        let h = system.step();
        let ([first, last], [s_0, _]) = (system.ends(), system.entropy_ends());
        let pairs = || first.iter().zip(&last);
        self.constraints.get(constraint).copied().flatten().unwrap_or_else(|| {
            let middle = Point {
                q: pairs().map(|(a, b)| (*a + *b) / 2).collect(),
                v: pairs().map(|(a, b)| (*b - *a) / h).collect(),
                s: s_0,
                t: system.t + h / 2,
            };
            h * system.at(&[system.constraints[constraint].expression], &middle)[0]
        })
    }
}
