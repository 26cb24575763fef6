//! The mass matrix along a motion, bordered by the constraints: where its determinant vanishes, the equations of motion do not
//! determine accelerations, and a method that steps over the place goes on with a motion that nothing connects with the one before.

use extremal_eval::CompileError;
use extremal_expr::{Expr, Id};
use extremal_mechanics::{Block, System};
use extremal_solve::{GuessSource, Kernel, NewtonOptions};

use super::blocks::BlockRows;
use super::start::{Bordered, ids};

/// Blocks of a mass matrix up to this size have a determinant that is written out,
const WRITTEN: usize = 3;
/// if it has no more nodes than this; what is larger is only looked at when something else is suspicious.
const NODES: usize = 200;
/// Not more determinants than this are looked at in every row.
const LOOKED_AT: usize = 8;
/// A determinant that changes by this factor in one step is on its way to zero, or comes from there: where it vanishes as the power
/// 2/3 of time, and the zero lies in the middle of a step, it is (3/2 : 1/2)^(2/3) = 2.08 in the steps before and after.
pub(super) const LEAP: f64 = 2.0;
/// Systems with more coordinates have no determinant that is looked at in every row,
const MANY: usize = 16;
/// and matrices above this size are not factored to learn why a motion ends.
const LARGEST: usize = 32;
/// A determinant below this part of what it was before is called zero where a motion ends.
const VANISHED: f64 = 1e-4;
/// Halvings of a step to find where a determinant changes its sign.
const HALVINGS: u32 = 50;
/// Parts of a step among which the smallest determinant is looked for, and thirds that are taken off around it.
const PARTS: u32 = 32;
const THIRDS: u32 = 80;
/// Where the mass touches zero in the middle of a step, velocities and momenta may be much the same at both ends: this row and the next
/// ones are looked at whatever they are.
const CLOSE: u32 = 3;

/// The determinants of the blocks of the mass matrix that vary along the motion, as far as they are short.
pub(super) fn determinants<'g>(system: &System<'g>) -> Vec<Expr<'g>> {
    let g = system.graph;
    let vakonomic = system.constraints.iter().any(|constraint| constraint.is_vakonomic());
    if vakonomic || system.manifold.is_some() || system.order > 1 || system.len() > MANY {
        return Vec::new();
    }
    let mass = system.mass_matrix();
    let moving = [&system.q[..], &system.v, &system.heat.s, &[system.t]].concat();
    let entry =
        |i: usize, j: usize| mass[i].iter().find(|(column, _)| *column == j).map_or(g.int(0), |(_, entry)| *entry);
    let short =
        |determinant: &Expr<'g>| determinant.depends_on(&moving) && g.reachable(&[determinant.id()]).len() <= NODES;
    let blocks = blocks(&mass).into_iter().filter(|block| block.len() <= WRITTEN);
    let written = blocks.map(|block| {
        determinant(&block.iter().map(|i| block.iter().map(|j| entry(*i, *j)).collect()).collect::<Vec<Vec<_>>>())
    });
    written.filter(short).take(LOOKED_AT).collect()
}

/// The coordinates that a matrix couples, together.
fn blocks<T>(rows: &[Vec<(usize, T)>]) -> Vec<Vec<usize>> {
    let mut of: Vec<usize> = (0..rows.len()).collect();
    for (i, row) in rows.iter().enumerate() {
        for (j, _) in row {
            let (from, to) = (of[i].max(of[*j]), of[i].min(of[*j]));
            of.iter_mut().filter(|block| **block == from).for_each(|block| *block = to);
        }
    }
    let members = |block: usize| (0..rows.len()).filter(|i| of[*i] == block).collect::<Vec<_>>();
    (0..rows.len()).map(members).filter(|members| !members.is_empty()).collect()
}

/// By its first row.
fn determinant<'g>(matrix: &[Vec<Expr<'g>>]) -> Expr<'g> {
    let without = |column: usize| -> Vec<Vec<Expr<'g>>> {
        let kept = |row: &Vec<Expr<'g>>| {
            row.iter().enumerate().filter(|(at, _)| *at != column).map(|(_, entry)| *entry).collect()
        };
        matrix[1..].iter().map(kept).collect()
    };
    match matrix {
        [row] => row[0],
        _ => {
            let terms = matrix[0].iter().enumerate().map(|(at, entry)| {
                let minor = *entry * determinant(&without(at));
                if at % 2 == 0 { minor } else { -minor }
            });
            matrix[0][0].graph().sum(terms)
        }
    }
}

/// Compares determinants from row to row.
#[derive(Clone, Default)]
pub(super) struct InertiaWatch {
    before: Vec<f64>,
    /// Rows that are still close to a leap.
    close: u32,
}

impl InertiaWatch {
    pub fn new(count: usize) -> Self {
        InertiaWatch { before: vec![f64::NAN; count], close: 0 }
    }

    pub fn begin(&mut self) {
        self.before.fill(f64::NAN);
        self.close = 0;
    }

    /// Takes the determinants of the next row; has one of them changed here, or a row or two ago, as only one does that vanishes near by?
    pub fn leaps(&mut self, now: &[f64]) -> bool {
        let mut found = false;
        for (before, now) in self.before.iter_mut().zip(now) {
            let before = std::mem::replace(before, *now);
            found |= leaps(before, *now);
        }
        self.close = if found { CLOSE } else { self.close.saturating_sub(1) };
        self.close > 0
    }
}

impl InertiaWatch {
    /// Would no row of a block be a leap, nor close to one? It has the determinants column by column.
    pub fn stays_quiet<'b>(&self, mut columns: impl Iterator<Item = &'b [f64]>) -> bool {
        self.close == 0
            && self.before.iter().all(|before| {
                let column = columns.next().unwrap_or_default();
                BlockRows::steps(column, *before).fold(true, |quiet, (before, now)| quiet & !leaps(before, now))
            })
    }

    /// Takes the determinants of a row of such a block.
    pub fn go_on<'b>(&mut self, columns: impl Iterator<Item = &'b [f64]>, row: usize) {
        self.before.iter_mut().zip(columns).for_each(|(before, column)| *before = column[row]);
    }
}

/// Does a determinant change in a step as only one does that vanishes near by?
pub(super) fn leaps(before: f64, now: f64) -> bool {
    let within = now > before / LEAP && now < before * LEAP || now < before / LEAP && now > before * LEAP;
    !before.is_nan() && before != now && !within
}

/// The whole matrix at given states.
#[derive(Clone)]
pub(super) struct Inertia {
    kernel: Kernel,
    /// Where the entries of each row stand.
    pattern: Vec<Vec<usize>>,
    inputs: Vec<f64>,
    values: Vec<f64>,
    /// For the factorisation.
    dense: Vec<f64>,
    /// Are there constraints?
    pub bordered: bool,
}

/// A determinant: its sign, and the logarithm to base two of its size.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Determinant {
    pub sign: f64,
    pub size: f64,
}

impl Determinant {
    /// Is it nothing beside another one?
    fn is_nothing_beside(self, other: Determinant) -> bool {
        self.size < other.size + VANISHED.log2()
    }

    fn has_other_sign_than(self, other: Determinant) -> bool {
        self.sign * other.sign < 0.0
    }
}

/// The place of a state in the inputs of an [`Inertia`].
pub(super) struct StatePoint<'s> {
    pub q: &'s [f64],
    pub v: &'s [f64],
    pub s: &'s [f64],
    pub time: f64,
}

impl Inertia {
    /// The matrix of a system, unless it is constant or too large.
    pub fn of(system: &System<'_>, parameters: &[Id]) -> Result<Option<Inertia>, CompileError> {
        if system.len() + system.constraints.len() > LARGEST || system.is_empty() {
            return Ok(None);
        }
        let Bordered { pattern, entries } = Bordered::of(system);
        let inputs = [&system.q[..], &system.v, &system.heat.s, &[system.t]].concat();
        if !system.graph.depend_on(&entries, &inputs).contains(&true) {
            return Ok(None);
        }
        let block = Block { inputs: ids(&inputs), solves: Vec::new(), outputs: ids(&entries) };
        Ok(Some(Inertia {
            kernel: Kernel::compile(system.graph, parameters, &block, NewtonOptions::default())?,
            inputs: vec![0.0; inputs.len()],
            values: vec![0.0; entries.len()],
            dense: vec![0.0; pattern.len() * pattern.len()],
            pattern,
            bordered: !system.constraints.is_empty(),
        }))
    }

    pub fn set_parameters(&mut self, parameters: &[f64]) {
        self.kernel.set_parameters(parameters);
    }

    /// The determinant at a state, where it can be evaluated.
    pub fn at(&mut self, state: &StatePoint<'_>) -> Option<Determinant> {
        let values = state.q.iter().chain(state.v).chain(state.s).copied().chain([state.time]);
        self.inputs.iter_mut().zip(values).for_each(|(input, value)| *input = value);
        self.evaluate()
    }

    /// The determinant on the straight line between two states, at some part of it.
    fn between(&mut self, from: &StatePoint<'_>, to: &StatePoint<'_>, part: f64) -> Option<Determinant> {
        let pair = |a: &StatePoint<'_>| a.q.iter().chain(a.v).chain(a.s).copied().chain([a.time]).collect::<Vec<f64>>();
        let line = pair(from).into_iter().zip(pair(to)).map(|(a, b)| a + part * (b - a));
        self.inputs.iter_mut().zip(line).for_each(|(input, value)| *input = value);
        self.evaluate()
    }

    fn evaluate(&mut self) -> Option<Determinant> {
        self.kernel.run(&self.inputs, GuessSource::Formula, &mut self.values).ok()?;
        let n = self.pattern.len();
        self.dense.fill(0.0);
        let places = self.pattern.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |j| i * n + j));
        for (place, value) in places.zip(&self.values) {
            self.dense[place] = *value;
        }
        Some(eliminated(&mut self.dense, n))
    }

    /// Where on the straight line between two states the determinant changes its sign, if it has not the same at both.
    pub fn crossing(&mut self, from: &StatePoint<'_>, to: &StatePoint<'_>) -> Option<f64> {
        let (first, last) = (self.at(from)?, self.at(to)?);
        if !first.has_other_sign_than(last) {
            return None;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            match self.between(from, to, middle)?.has_other_sign_than(first) {
                true => high = middle,
                false => low = middle,
            }
        }
        Some(from.time + high * (to.time - from.time))
    }

    /// Where on the straight line between two states the determinant vanishes beside what it is at both, if it does.
    pub fn touching(&mut self, from: &StatePoint<'_>, to: &StatePoint<'_>) -> Option<f64> {
        let (first, last) = (self.at(from)?, self.at(to)?);
        let mut size_at = |part: f64| self.between(from, to, part).map(|determinant| determinant.size);
        let parts = (1..PARTS).map(|at| f64::from(at) / f64::from(PARTS));
        let sizes: Option<Vec<_>> = parts.map(|part| Some((size_at(part)?, part))).collect();
        let (_, least) = sizes?.into_iter().min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        let (mut low, mut high) = (least - 1.0 / f64::from(PARTS), least + 1.0 / f64::from(PARTS));
        for _ in 0..THIRDS {
            let third = (high - low) / 3.0;
            match size_at(low + third)? < size_at(high - third)? {
                true => high -= third,
                false => low += third,
            }
        }
        let there = self.between(from, to, low)?;
        let nothing = there.is_nothing_beside(first) && there.is_nothing_beside(last);
        nothing.then_some(from.time + low * (to.time - from.time))
    }

    /// Has it vanished at the end of a motion that was at `from` before, and does it change its sign there if the motion went straight
    /// on? `other` is a state that it is not zero at either, if one is known.
    pub fn vanishes(
        &mut self,
        from: &StatePoint<'_>,
        end: &StatePoint<'_>,
        other: Option<&StatePoint<'_>>,
    ) -> Option<bool> {
        let (before, there) = (self.at(from)?, self.at(end)?);
        let beside = other.and_then(|other| self.at(other)).is_some_and(|other| there.is_nothing_beside(other));
        if !there.is_nothing_beside(before) && !beside {
            return None;
        }
        let beyond = self.between(from, end, 2.0);
        Some(beyond.is_some_and(|beyond| beyond.has_other_sign_than(before)))
    }
}

/// The determinant of a dense matrix, by elimination with row pivoting.
fn eliminated(a: &mut [f64], n: usize) -> Determinant {
    let mut determinant = Determinant { sign: 1.0, size: 0.0 };
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).unwrap_or(k);
        if pivot != k {
            (0..n).for_each(|column| a.swap(k * n + column, pivot * n + column));
            determinant.sign = -determinant.sign;
        }
        let own = a[k * n + k];
        if own == 0.0 {
            return Determinant { sign: 0.0, size: f64::NEG_INFINITY };
        }
        determinant.sign *= own.signum();
        determinant.size += own.abs().log2();
        for i in k + 1..n {
            let factor = a[i * n + k] / own;
            (k + 1..n).for_each(|column| a[i * n + column] -= factor * a[k * n + column]);
        }
    }
    determinant
}

#[cfg(test)]
mod tests {
    use extremal_expr::Graph;
    use extremal_mechanics::System;

    use super::{InertiaWatch, determinants, eliminated};

    /// det [[2, 1], [3, 4]] = 5, det [[0, 1], [1, 0]] = −1.
    #[test]
    fn determinants_have_sign_and_size() {
        let found = eliminated(&mut [2.0, 1.0, 3.0, 4.0], 2);
        assert_eq!(found.sign, 1.0);
        assert!((found.size - 5f64.log2()).abs() < 1e-15);
        let found = eliminated(&mut [0.0, 1.0, 1.0, 0.0], 2);
        assert_eq!((found.sign, found.size), (-1.0, 0.0));
        assert_eq!(eliminated(&mut [1.0, 2.0, 2.0, 4.0], 2).sign, 0.0);
    }

    /// Two coordinates that are coupled and one that is not; a mass that is constant is not looked at.
    #[test]
    fn every_block_that_varies_has_its_determinant() {
        let g = Graph::new();
        let [x, u, v, w] = ["x", "x'", "y'", "z'"].map(|name| g.symbol(name));
        let l = u * u / 2 + v * v / 2 + x * u * v + g.int(3) * w * w;
        let system = System::new(&g, &["x", "y", "z"], l);
        let found = determinants(&system);
        assert_eq!(found.len(), 1);
        let at = |value: f64| g.evaluate(&found, |_| Some(value))[0];
        assert_eq!((at(0.0), at(2.0)), (1.0, -3.0));
    }

    #[test]
    fn a_leap_is_a_factor_or_a_change_of_sign() {
        let mut watch = InertiaWatch::new(1);
        let rows = [1.0, 1.5, 1.0, 0.4, 0.3, 0.3, 0.3, -0.3, -0.3, -0.4, -0.4, -0.4, 0.0];
        let close = rows.map(|value| watch.leaps(&[value]));
        let yes = [3, 4, 5, 7, 8, 9, 12];
        assert_eq!(close, std::array::from_fn(|row| yes.contains(&row)));
    }
}
