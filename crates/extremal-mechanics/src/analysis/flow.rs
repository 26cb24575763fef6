//! The motion as a vector field, and exact samples of it.

use extremal_expr::generic::{Field, Generic, Matrix, Residue};
use extremal_expr::{Expr, Graph, Id, Rational};

use super::jets::Jets;
use super::singular::{ChainVerdict, ConstraintChain};
use crate::System;

/// The vector field of a motion: rates of the state, which may contain unknowns that linear equations determine.
#[derive(Clone)]
pub struct Flow<'g> {
    /// Where the expressions live.
    pub graph: &'g Graph,
    /// Time.
    pub time: Expr<'g>,
    /// The symbols of the state with their rates.
    pub state: Vec<(Expr<'g>, Expr<'g>)>,
    /// Those of the state that are velocities.
    pub velocities: Vec<Expr<'g>>,
    /// What the equations determine: accelerations, rates of entropies, multipliers.
    pub unknowns: Vec<Expr<'g>>,
    /// Residuals that are linear in the unknowns.
    pub equations: Vec<Expr<'g>>,
    /// Momenta with their rates.
    pub momenta: Vec<(Expr<'g>, Expr<'g>)>,
    /// What vanishes for the velocities of every state, linear in them.
    pub surface: Vec<Expr<'g>>,
    /// Functions that have one value on all states that are possible: holonomic constraints.
    pub trivial: Vec<Expr<'g>>,
    /// Symbols of the state that the others determine, where the states with a motion are a submanifold.
    pub solved: Vec<(Expr<'g>, Expr<'g>)>,
}

impl<'g> Flow<'g> {
    /// The motion of a system; constraints that follow from others are left out.
    pub fn of(system: &System<'g>) -> Flow<'g> {
        let g = system.graph;
        let mut system = system.clone();
        let kept = independent_constraints(&system);
        let mut places = 0..;
        system.constraints.retain(|_| places.next().is_some_and(|place| kept.contains(&place)));
        let slopes = g.gradient(system.lagrangian, &system.q);
        let reactions = system.reactions();
        let pushed = slopes.iter().zip(&system.force).zip(&reactions).zip(system.herglotz_forces());
        let rates = pushed.map(|(((slope, force), reaction), scaled)| *slope + *force + *reaction + scaled);
        let pairs = [(&system.q, &system.v), (&system.v, &system.a), (&system.heat.s, &system.heat.rates)];
        let mut state: Vec<_> =
            pairs.into_iter().flat_map(|(x, rate)| x.iter().copied().zip(rate.iter().copied())).collect();
        state.extend(system.vakonomic().map(|constraint| (constraint.multiplier, constraint.rate)));
        let holonomic = system.constraints.iter().filter(|c| c.kind.nature().binds_positions);
        Flow {
            graph: g,
            time: system.t,
            state,
            velocities: system.v.clone(),
            unknowns: system.motion_unknowns(),
            equations: system.motion_equations(),
            momenta: system.momenta().into_iter().zip(rates).collect(),
            surface: system.constraints.iter().map(|constraint| constraint.velocity).collect(),
            trivial: holonomic.map(|constraint| constraint.expression).collect(),
            solved: Vec::new(),
        }
    }

    /// The motion of a singular system on its final constraint submanifold, if it is unique there.
    pub fn on_final(system: &System<'g>, chain: &ConstraintChain<'g>) -> Option<Flow<'g>> {
        let jets = Jets::of(system);
        (chain.verdict == ChainVerdict::Unique).then(|| Flow {
            unknowns: jets.tops(),
            equations: chain.motion.clone(),
            surface: Vec::new(),
            trivial: Vec::new(),
            solved: chain.solved.clone(),
            ..Flow::of(system)
        })
    }

    /// How many independent integrals there can be.
    pub fn dimension(&self) -> usize {
        let bound = self.surface.len() + self.trivial.len() + self.solved.len();
        // There can be more conditions than a motion can meet.
        self.state.len().saturating_sub(bound)
    }

    /// The rates of functions of state and time.
    pub fn rates_of(&self, functions: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let mut direction = vec![(self.time, self.graph.int(1))];
        direction.extend(&self.state);
        self.graph.directional(functions, &direction)
    }
}

/// Values and rates of functions at random states, exactly.
pub struct FlowSampler {
    generic: Generic,
    functions: usize,
    /// Which coefficients of the rates by the unknowns there are: function and unknown.
    slopes: Vec<(usize, usize)>,
    /// Unknowns, where any rate contains one.
    unknowns: usize,
    surface: usize,
    velocities: Vec<Id>,
}

/// Seeds that are tried before a point is called impossible: a root that depends on a velocity exists on the surface of the
/// constraints with probability one half.
const ATTEMPTS: u64 = 100;

impl FlowSampler {
    /// Prepares functions with their rates. Symbols in `fixed` keep their values, all others are random.
    pub fn new<'g>(
        flow: &Flow<'g>,
        functions: &[(Expr<'g>, Expr<'g>)],
        fixed: &[(Expr<'g>, Rational)],
        field: Field,
    ) -> FlowSampler {
        let g = flow.graph;
        let zero = g.int(0);
        let at_zero: Vec<_> = flow.unknowns.iter().map(|u| (*u, zero)).collect();
        let (values, rates): (Vec<_>, Vec<_>) = functions.iter().copied().unzip();
        let mut slopes = Vec::new();
        let mut outputs = [values, g.substitute(&rates, &at_zero)].concat();
        for (function, row) in g.jacobian(&rates, &flow.unknowns).into_iter().enumerate() {
            for (unknown, slope) in row {
                slopes.push((function, unknown));
                outputs.push(slope);
            }
        }
        let unknowns = if slopes.is_empty() { 0 } else { flow.unknowns.len() };
        if unknowns > 0 {
            outputs.extend(dense(g, &flow.equations, &flow.unknowns));
            outputs.extend(g.substitute(&flow.equations, &at_zero));
        }
        let velocities = &flow.velocities;
        outputs.extend(dense(g, &flow.surface, velocities));
        outputs.extend(&flow.surface);
        let surface = flow.surface.len();
        outputs.extend(if surface == 0 { &[][..] } else { velocities });
        let outputs = g.substitute(&outputs, &flow.solved);
        FlowSampler {
            generic: Generic::new(g, &outputs, fixed, field),
            functions: functions.len(),
            slopes,
            unknowns,
            surface,
            velocities: velocities.iter().map(|v| v.id()).collect(),
        }
    }

    /// The field of the values.
    pub fn field(&self) -> Field {
        self.generic.field()
    }

    /// Values and rates at the state number `seed`; `None` where there is no such state.
    pub fn at(&self, seed: u64) -> Option<(Vec<Residue>, Vec<Residue>)> {
        (0..ATTEMPTS).find_map(|attempt| self.attempt(seed.wrapping_mul(ATTEMPTS).wrapping_add(attempt)))
    }

    fn attempt(&self, seed: u64) -> Option<(Vec<Residue>, Vec<Residue>)> {
        let f = self.generic.field();
        let point = self.generic.point(seed)?;
        let mut out = match self.surface {
            0 => point.outputs,
            _ => self.generic.moved(&point, &self.on_surface(&point.outputs)?)?,
        };
        let (n, u) = (self.functions, self.unknowns);
        let mut rates = out[n..2 * n].to_vec();
        let slopes = &out[2 * n..];
        if u > 0 {
            let equations = &slopes[self.slopes.len()..];
            let (matrix, right) = (&equations[..u * u], &equations[u * u..u * u + u]);
            let unknowns = solve_regular(f, matrix, right)?;
            for ((function, unknown), slope) in self.slopes.iter().zip(slopes) {
                rates[*function] = f.add(rates[*function], f.mul(*slope, unknowns[*unknown]));
            }
        }
        out.truncate(n);
        Some((out, rates))
    }

    /// The velocities nearest in kind to the random ones that satisfy the constraints.
    fn on_surface(&self, out: &[Residue]) -> Option<Vec<(Id, Residue)>> {
        let f = self.generic.field();
        let (m, n) = (self.surface, self.velocities.len());
        let tail = &out[out.len() - m * n - m - n..];
        let mut matrix = Matrix::new(n);
        (0..m).for_each(|row| matrix.push(&tail[row * n..(row + 1) * n]));
        let residual: Vec<Residue> = tail[m * n..m * n + m].iter().map(|r| f.neg(*r)).collect();
        let change = matrix.solve(f, &residual)?;
        let velocities = &tail[m * n + m..];
        Some(
            self.velocities.iter().zip(velocities.iter().zip(change)).map(|(id, (v, d))| (*id, f.add(*v, d))).collect(),
        )
    }
}

/// The places of the constraints whose rows in the velocities do not depend on those before them, at a generic state.
pub fn independent_constraints(system: &System<'_>) -> Vec<usize> {
    let g = system.graph;
    let (m, n) = (system.constraints.len(), system.len());
    if m == 0 {
        return Vec::new();
    }
    let forms: Vec<Expr<'_>> = system.constraints.iter().map(|constraint| constraint.velocity).collect();
    let entries = dense(g, &forms, &system.v);
    let sampled = (0..Field::COUNT).find_map(|number| {
        let field = Field::number(number);
        let generic = Generic::new(g, &entries, &[], field);
        Some((field, (0..ATTEMPTS).find_map(|seed| generic.at(seed, &[]))?))
    });
    let Some((field, rows)) = sampled else { return (0..m).collect() };
    // By columns, so that the constraints that depend on earlier ones show.
    let mut columns = Matrix::new(m);
    (0..n).for_each(|k| columns.push(&(0..m).map(|row| rows[row * n + k]).collect::<Vec<_>>()));
    columns.independent_columns(field)
}

/// Solves `matrix x = −right` where the matrix is invertible.
fn solve_regular(f: Field, matrix: &[Residue], right: &[Residue]) -> Option<Vec<Residue>> {
    let n = right.len();
    let mut augmented = Matrix::new(n + 1);
    for (row, right) in matrix.chunks(n).zip(right) {
        augmented.push(&[row, &[f.neg(*right)]].concat());
    }
    let echelon = augmented.echelon(f);
    let regular = echelon.pivots.iter().copied().eq(0..n);
    regular.then(|| (0..n).map(|row| echelon.rows.row(row)[n]).collect())
}

/// The Jacobian by full rows.
pub(crate) fn dense<'g>(g: &'g Graph, functions: &[Expr<'g>], variables: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let mut entries = vec![g.int(0); functions.len() * variables.len()];
    for (row, columns) in g.jacobian(functions, variables).into_iter().enumerate() {
        for (column, value) in columns {
            entries[row * variables.len() + column] = value;
        }
    }
    entries
}
