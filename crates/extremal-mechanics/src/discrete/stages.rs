//! The stages of a collocation method: the same equations for all of them, with other coefficients.

use extremal_expr::{Expr, Graph, Id};

use super::collocation::Collocation;
use super::quadrature::lagrange;
use super::scheme::{Scheme, ids};
use crate::{Point, System};

/// What the unknowns of each stage must satisfy, written once for all stages. Where the step is small, the unknowns are a fixed
/// point: solve the equations of each stage for its own unknowns, with those of all stages as they were; repeat.
#[derive(Clone, Debug)]
pub struct Stages {
    /// The unknowns of the stage at hand: those that its equations are solved for, then those that follow from them.
    pub own: Vec<Id>,
    /// The unknowns of all stages, one after the other.
    pub all: Vec<Id>,
    /// Symbols that the state at the beginning of the step determines, and equations that are affine in them.
    pub first: Vec<(Id, Id)>,
    /// The state at the stage: symbols, and what they stand for, in the unknowns of all stages, the coefficients, the state and the
    /// time at the beginning of the step, what it determines, the step, and symbols before them.
    pub state: Vec<(Id, Id)>,
    /// The symbols among these that its equations contain.
    pub symbols: Vec<Id>,
    /// What these are at each stage in the formulas of the step; nothing where the step is otherwise solved for other unknowns.
    pub points: Vec<Vec<Id>>,
    /// Its equations, in its own unknowns and its state, as many as unknowns.
    pub residual: Vec<Id>,
    /// What the last of its unknowns follow from: its state, and the unknowns before them.
    pub following: Vec<Id>,
    /// Symbols whose values distinguish the stages.
    pub coefficients: Vec<Id>,
    /// These values, for each stage.
    pub values: Vec<Vec<f64>>,
    /// For each stage of the next step, what it takes of each stage of this one to extend the polynomial through them.
    pub ahead: Vec<Vec<f64>>,
    /// Where the step ends, by the unknowns of all stages, if these are not what the step is otherwise solved for.
    pub end: Option<Vec<Id>>,
}

/// What changes at a rate that is among the unknowns of a stage: accelerations, entropy rates, rates of multipliers.
pub(super) struct Rates<'a, 'g> {
    pub accelerations: &'a [Vec<Expr<'g>>],
    pub entropies: &'a [Vec<Expr<'g>>],
    pub multipliers: &'a [Vec<Expr<'g>>],
    /// All unknowns, for each stage.
    pub unknowns: &'a [Vec<Expr<'g>>],
    /// Positions, velocities, entropies, time and multipliers, for each stage.
    pub points: &'a [Vec<Expr<'g>>],
}

impl Stages {
    /// For collocation at `nodes` with the matrix `a`: V = v + h Σ a_ij A_j, and Q = q + h c_i v + h² Σ (a²)_ij A_j.
    pub(super) fn new<'g>(system: &System<'g>, nodes: &[f64], a: &[Vec<f64>], rates: &Rates<'_, 'g>) -> Stages {
        let mut writer = StageFormulas::new(system, nodes.len(), rates.unknowns[0].len());
        let velocities = writer.grown(&system.v, rates.accelerations);
        let entropies = writer.grown(&system.heat.s, rates.entropies);
        let moving = system.moving_multipliers();
        let multipliers = writer.grown(&moving, rates.multipliers);
        let positions = writer.accelerated(&system.q, &system.v, rates.accelerations);
        let point = Point {
            q: writer.named("position", positions),
            v: writer.named("velocity", velocities),
            s: writer.named("entropy", entropies),
            t: writer.time(system),
        };
        let moved = writer.named("multiplier", multipliers);
        let symbols = [&point.q[..], &point.v, &point.s, &[point.t], &moved].concat();
        let mut rules: Vec<_> = system.motion_unknowns().into_iter().zip(writer.own.iter().copied()).collect();
        rules.extend(moving.iter().copied().zip(moved));
        let residual = system.at(&system.graph.substitute(&system.motion_equations(), &rules), &point);
        Stages {
            symbols: ids(&symbols),
            points: rates.points.iter().map(|point| ids(point)).collect(),
            ..writer.stages(nodes, a, rates.unknowns, &residual)
        }
    }

    /// For the variational method of polynomials of degree s and as many Gauss points. Varied by the velocities V_j at the points,
    /// the action h Σ b_j L(Q_j, V_j), Q_i = q + h Σ a_ij V_j, under q_1 = q + h Σ b_j V_j is stationary for
    ///
    /// ```text
    /// L_v(Q_i, V_i) = p_1 − h Σ_j (b_j a_ji/b_i) W_j,  W_j = L_q(Q_j, V_j) + F_j,  p_1 = p + h Σ b_j W_j
    /// ```
    ///
    /// and at Gauss points b_j a_ji = b_i (b_j − a_ij): L_v(Q_i, V_i) = p + h Σ a_ij W_j. This is collocation in positions and momenta,
    /// for every Lagrangian of positions, velocities and time and all forces (G8). Where the momenta are affine in the velocities
    /// alone, accelerations A with W = M A are all there is to find.
    fn in_momenta<'g>(system: &System<'g>, method: &mut Collocation<'_, 'g>) -> Stages {
        let g = system.graph;
        let momenta = system.momenta();
        let mass = system.mass_matrix();
        match depend_on_velocities_alone(system, &momenta, &mass) {
            true => {
                let a = method.symbols(|suffix| system.symbols("a_", suffix));
                let mut writer = StageFormulas::new(system, method.len(), system.len());
                let v = stage_symbols(g, "first velocity", system.len());
                let rules: Vec<_> = system.v.iter().copied().zip(v.iter().copied()).collect();
                let legendre = g.substitute(&momenta, &rules);
                let legendre = legendre.iter().zip(&system.p).map(|(formula, p)| *formula - *p);
                let velocities = writer.grown(&v, &a);
                let positions = writer.accelerated(&system.q, &v, &a);
                let point = Point {
                    q: writer.named("position", positions),
                    v: writer.named("velocity", velocities),
                    s: Vec::new(),
                    t: writer.time(system),
                };
                let rules: Vec<_> = system.a.iter().copied().zip(writer.own.iter().copied()).collect();
                let residual = system.at(&g.substitute(&system.euler_lagrange(), &rules), &point);
                let led: Vec<_> = (0..method.len()).map(|i| method.at_stage(i, &v, &a)).collect();
                let row = |row: &Vec<(usize, Expr<'g>)>, a: &[Expr<'g>]| g.sum(row.iter().map(|(k, m)| *m * a[*k]));
                let pushed: Vec<Vec<_>> = a.iter().map(|a| mass.iter().map(|m| row(m, a)).collect()).collect();
                let end = [method.at_end(&system.q, &led), method.at_end(&system.p, &pushed)].concat();
                Stages {
                    first: v.iter().zip(legendre).map(|(v, row)| (v.id(), row.id())).collect(),
                    end: Some(ids(&end)),
                    ..writer.stages(&method.c, &method.a, &a, &residual)
                }
            }
            false => {
                let v = method.symbols(|suffix| system.symbols("v_", suffix));
                let w = method.symbols(|suffix| system.symbols("f_", suffix));
                let mut writer = StageFormulas::new(system, method.len(), 2 * system.len());
                let positions = writer.grown(&system.q, &v);
                let impulses = writer.grown(&system.p, &w);
                let (own_v, own_w) = writer.own.split_at(system.len());
                let (own_v, own_w) = (own_v.to_vec(), own_w.to_vec());
                let point =
                    Point { q: writer.named("position", positions), v: own_v, s: Vec::new(), t: writer.time(system) };
                let p = writer.named("momentum", impulses);
                let slopes = g.gradient(system.lagrangian, &system.q);
                let forces: Vec<_> = slopes.iter().zip(&system.force).map(|(slope, force)| *slope + *force).collect();
                let (momenta, forces) = (system.at(&momenta, &point), system.at(&forces, &point));
                let legendre = momenta.iter().zip(&p).map(|(formula, p)| *formula - *p);
                let residual: Vec<_> =
                    legendre.chain(own_w.iter().zip(&forces).map(|(w, force)| *w - *force)).collect();
                let end = [method.at_end(&system.q, &v), method.at_end(&system.p, &w)].concat();
                let all: Vec<_> = v.iter().zip(&w).map(|(v, w)| [&v[..], w].concat()).collect();
                Stages {
                    following: ids(&forces),
                    end: Some(ids(&end)),
                    ..writer.stages(&method.c, &method.a, &all, &residual)
                }
            }
        }
    }
}

/// Are the momenta affine in the velocities, with a mass matrix of parameters, and free of everything else that moves?
fn depend_on_velocities_alone<'g>(system: &System<'g>, momenta: &[Expr<'g>], mass: &[Vec<(usize, Expr<'g>)>]) -> bool {
    let g = system.graph;
    let others = [&system.q[..], &[system.t]].concat();
    let mass: Vec<_> = mass.iter().flatten().map(|(_, m)| *m).collect();
    !g.depend_on(momenta, &others).contains(&true) && !g.depend_on(&mass, &system.v).contains(&true)
}

/// The variational method `scheme` of degree `s` with as many Gauss points, with its stages.
pub(super) fn by_gauss_points(system: &System<'_>, s: usize, mut scheme: Scheme) -> Scheme {
    let plain = system.heat.s.is_empty() && system.constraints.is_empty() && system.dry.is_empty();
    if let [solve] = &mut scheme.step.solves[..]
        && plain
        && scheme.guards.is_empty()
    {
        let mut method = Collocation::gauss(system, s);
        solve.stages = Some(Box::new(Stages::in_momenta(system, &mut method)));
        let known: Vec<Id> = scheme.constants.iter().map(|(id, _)| *id).collect();
        let named = method.constants.into_named();
        scheme.constants.extend(named.into_iter().filter(|(id, _)| !known.contains(id)));
    }
    scheme
}

/// No name of a user's has a space in it.
fn stage_symbols<'g>(g: &'g Graph, label: &str, count: usize) -> Vec<Expr<'g>> {
    (1..=count).map(|at| g.symbol(&format!("stage {label} {at}"))).collect()
}

/// Formulas of the stage at hand under construction.
struct StageFormulas<'g> {
    g: &'g Graph,
    h: Expr<'g>,
    /// a_ij and (a²)_ij for this stage.
    once: Vec<Expr<'g>>,
    twice: Vec<Expr<'g>>,
    node: Expr<'g>,
    own: Vec<Expr<'g>>,
    state: Vec<(Id, Id)>,
}

impl<'g> StageFormulas<'g> {
    fn new(system: &System<'g>, stages: usize, unknowns: usize) -> Self {
        let (g, h) = (system.graph, system.step());
        let once = stage_symbols(g, "weight", stages);
        let twice = stage_symbols(g, "weight of accelerations", stages);
        let node = g.symbol("stage node");
        StageFormulas { g, h, once, twice, node, own: stage_symbols(g, "unknown", unknowns), state: Vec::new() }
    }

    /// A long sum in two parts that do not wait for each other.
    fn total(&mut self, terms: Vec<Expr<'g>>) -> Expr<'g> {
        let mut part = |first: usize| {
            let name = self.g.symbol(&format!("stage part {}", self.state.len()));
            self.state.push((name.id(), self.g.sum(terms.iter().skip(first).step_by(2).copied()).id()));
            name
        };
        if terms.len() > 1 { part(0) + part(1) } else { terms[0] }
    }

    /// start + h Σ a_ij k_j.
    fn grown(&mut self, start: &[Expr<'g>], rates: &[Vec<Expr<'g>>]) -> Vec<Expr<'g>> {
        let h = self.h;
        let sum = |k: usize| {
            let terms = self.once.iter().zip(rates).map(|(weight, rates)| h * *weight * rates[k]).collect();
            start[k] + self.total(terms)
        };
        (0..start.len()).map(sum).collect()
    }

    /// q + h c_i v + h² Σ (a²)_ij A_j.
    fn accelerated(&mut self, q: &[Expr<'g>], v: &[Expr<'g>], accelerations: &[Vec<Expr<'g>>]) -> Vec<Expr<'g>> {
        let (h, node) = (self.h, self.node);
        let position = |k: usize| {
            let rates = self.twice.iter().zip(accelerations);
            let accelerated = rates.map(|(weight, rates)| h * h * *weight * rates[k]).collect();
            let accelerated = self.total(accelerated);
            q[k] + h * node * v[k] + accelerated
        };
        (0..q.len()).map(position).collect()
    }

    /// t + c_i h.
    fn time(&mut self, system: &System<'g>) -> Expr<'g> {
        self.named("time", vec![system.t + self.h * self.node])[0]
    }

    fn named(&mut self, label: &str, values: Vec<Expr<'g>>) -> Vec<Expr<'g>> {
        let names = stage_symbols(self.g, label, values.len());
        self.state.extend(names.iter().zip(&values).map(|(name, value)| (name.id(), value.id())));
        names
    }

    fn stages(self, nodes: &[f64], a: &[Vec<f64>], unknowns: &[Vec<Expr<'g>>], residual: &[Expr<'g>]) -> Stages {
        let s = nodes.len();
        let squared = |i: usize, j: usize| (0..s).map(|k| a[i][k] * a[k][j]).sum::<f64>();
        let values =
            |i: usize| [nodes[i]].into_iter().chain(a[i].clone()).chain((0..s).map(|j| squared(i, j))).collect();
        let ahead = |i: usize| (0..s).map(|j| lagrange(nodes, j, 1.0 + nodes[i]).0).collect();
        Stages {
            own: ids(&self.own),
            all: ids(&unknowns.concat()),
            first: Vec::new(),
            state: self.state,
            symbols: Vec::new(),
            points: Vec::new(),
            residual: ids(residual),
            following: Vec::new(),
            coefficients: ids(&[&[self.node], &self.once[..], &self.twice].concat()),
            values: (0..s).map(values).collect(),
            ahead: (0..s).map(ahead).collect(),
            end: None,
        }
    }
}
