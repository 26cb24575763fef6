//! A formula to be computed: inputs, a short list of solves done in order, outputs.

use extremal_expr::{Expr, Graph, Id, magnitudes, round_offs};
use rustc_hash::FxHashMap;

use crate::System;
use crate::discrete::Stages;
use crate::nested::{nested, slopes};
use crate::saddle::Paired;

/// What a computation is, symbolically. One engine compiles and runs any of these; no method has numeric code of its own.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Symbols given from outside at every call.
    pub inputs: Vec<Id>,
    /// Systems of equations, each of which may use the unknowns of those before it.
    pub solves: Vec<Solve>,
    /// The results, from inputs and unknowns.
    pub outputs: Vec<Id>,
}

/// A square system of equations.
#[derive(Clone, Debug)]
pub struct Solve {
    /// What it is solved for.
    pub unknowns: Vec<Id>,
    /// Expressions that vanish at the solution.
    pub residual: Vec<Id>,
    /// A first guess, from inputs and earlier unknowns.
    pub guess: Vec<Id>,
    /// What each unknown is.
    pub meanings: Vec<Meaning>,
    /// What the unknowns are stage by stage, where they are those of stages that are alike.
    pub stages: Option<Box<Stages>>,
    /// May unknowns be found from the multipliers in their own equations, because no mass vanishes?
    pub by_multipliers: bool,
    /// Is everything eliminated that multipliers give, from equations that are not linear? Then no other equation says how well these
    /// are known.
    pub of_multipliers: bool,
}

/// What an unknown is, for a reader who never saw its symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Meaning {
    /// What its symbol says.
    #[default]
    Itself,
    /// It gives a coordinate, of this name, after the step or inside it.
    Next(String),
    /// The acceleration of a coordinate.
    Acceleration(String),
    /// The rate of a coordinate, momentum or entropy.
    Rate(String),
    /// The force of a dry friction, recorded by this name.
    DryFriction(String),
}

impl Solve {
    /// A system of equations for `unknowns`: as many equations and guesses as there are unknowns.
    pub fn new(unknowns: &[Expr<'_>], residual: &[Expr<'_>], guess: &[Expr<'_>]) -> Solve {
        debug_assert!(
            unknowns.len() == residual.len() && unknowns.len() == guess.len(),
            "{} equations and {} guesses for {:?}",
            residual.len(),
            guess.len(),
            unknowns.iter().map(|unknown| unknown.to_string()).collect::<Vec<_>>()
        );
        let ids = |exprs: &[Expr<'_>]| exprs.iter().map(|e| e.id()).collect();
        let meanings = vec![Meaning::Itself; unknowns.len()];
        Solve {
            unknowns: ids(unknowns),
            residual: ids(residual),
            guess: ids(guess),
            meanings,
            stages: None,
            by_multipliers: false,
            of_multipliers: false,
        }
    }

    /// The same with what the first unknowns are.
    pub fn meaning(mut self, meanings: impl IntoIterator<Item = Meaning>) -> Solve {
        self.meanings.iter_mut().zip(meanings).for_each(|(own, meaning)| *own = meaning);
        self
    }

    /// The same where the unknown of each of the first equations follows from it and the multipliers, unless a mass vanishes.
    pub(crate) fn by_multipliers(self, system: &System<'_>) -> Solve {
        Solve { by_multipliers: !system.massless, ..self }
    }

    /// How large the residual can be by round-off alone, in units of ε. `residual` is that of this system, with other symbols in it.
    pub fn sizes<'g>(&self, residual: &[Expr<'g>]) -> Vec<Expr<'g>> {
        if self.of_multipliers { round_offs(residual) } else { magnitudes(residual) }
    }

    /// The same, written once for all stages.
    pub(crate) fn by_stages(self, stages: Stages) -> Solve {
        Solve { stages: Some(Box::new(stages)), ..self }
    }

    /// The same where an unknown that `other` has too is what it is there.
    pub(crate) fn meaning_as_in(mut self, other: &Solve) -> Solve {
        let known: FxHashMap<Id, &Meaning> = other.unknowns.iter().copied().zip(&other.meanings).collect();
        for (unknown, own) in self.unknowns.iter().zip(&mut self.meanings) {
            if let Some(meaning) = known.get(unknown) {
                *own = (*meaning).clone();
            }
        }
        self
    }

    /// Both systems as one.
    pub fn with(mut self, other: Solve) -> Solve {
        self.unknowns.extend(other.unknowns);
        self.residual.extend(other.residual);
        self.guess.extend(other.guess);
        self.meanings.extend(other.meanings);
        self.stages = None;
        self.by_multipliers &= other.by_multipliers;
        self
    }
}

impl Block {
    /// Solves in closed form what can be: rows that are affine in a single unknown, over and over. What remains is left to
    /// Newton; a method that is explicit for this system ends with no solve at all.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::{Block, Solve};
    /// let g = Graph::new();
    /// let (a, u, w) = (g.symbol("a"), g.symbol("u"), g.symbol("w"));
    /// let block = Block {
    ///     inputs: vec![a.id()],
    ///     solves: vec![Solve::new(&[u, w], &[u * 2 - a, w + u.powi(2)], &[a, a])],
    ///     outputs: vec![w.id()],
    /// };
    /// let explicit = block.eliminated(&g);
    /// assert!(explicit.solves.is_empty());
    /// assert_eq!(g.expr(explicit.outputs[0]), -(a / 2).powi(2));
    /// ```
    pub fn eliminated(&self, g: &Graph) -> Block {
        self.reduced(g).block
    }

    /// The same with the slopes of what remains, which elimination had to look at anyway.
    pub fn reduced(&self, g: &Graph) -> Reduced {
        self.reduced_with(g, &[])
    }

    /// The same where sums that contain one another, as those along a chain or a tree do, are written by one another, if there are so
    /// many that it pays. Slopes are then those of residuals and sums by unknowns and sums.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::{Block, Solve};
    /// let g = Graph::new();
    /// let unknowns: Vec<_> = (0..64).map(|k| g.symbol(&format!("u{k}"))).collect();
    /// let from_the_first = |k: usize| g.sum(unknowns[..=k].iter().map(|u| u.sin()));
    /// let residual: Vec<_> = (0..64).map(|k| from_the_first(k).exp() - unknowns[k]).collect();
    /// let solve = Solve::new(&unknowns, &residual, &unknowns);
    /// let block = Block { inputs: Vec::new(), solves: vec![solve], outputs: Vec::new() };
    /// let entries = |slopes: &[extremal_mechanics::SparseRows]| slopes[0].iter().map(Vec::len).sum::<usize>();
    /// assert_eq!(entries(&block.reduced(&g).slopes), 64 * 65 / 2);
    /// assert!(entries(&block.reduced_by_sums(&g).slopes) < 6 * 64);
    /// ```
    pub fn reduced_by_sums(&self, g: &Graph) -> Reduced {
        match nested(g, self) {
            Some((block, sums)) => block.reduced_with(g, &sums),
            None => self.reduced(g),
        }
    }

    /// The same where residuals are written by these sums.
    fn reduced_with<'g>(&self, g: &'g Graph, sums: &[Expr<'g>]) -> Reduced {
        let mut known: Vec<(Expr<'_>, Expr<'_>)> = Vec::new();
        let mut solves = Vec::new();
        let mut slopes = Vec::new();
        for solve in &self.solves {
            let system = OpenSystem {
                unknowns: g.exprs(&solve.unknowns),
                residual: g.substitute(&g.exprs(&solve.residual), &known),
                guess: g.substitute(&g.exprs(&solve.guess), &known),
                sums: g.substitute(sums, &known),
            };
            let inputs = (solve.by_multipliers && sums.is_empty()).then(|| g.exprs(&self.inputs));
            if let Some((open, rows)) = eliminate(g, system, &mut known, inputs.as_deref()) {
                solves.push(open.meaning_as_in(solve));
                slopes.push(rows);
            }
        }
        let outputs = g.substitute(&g.exprs(&self.outputs), &known).iter().map(|e| e.id()).collect();
        Reduced { block: Block { inputs: self.inputs.clone(), solves, outputs }, slopes }
    }
}

/// A block after elimination.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// What remains.
    pub block: Block,
    /// For each remaining solve, the slopes of its residual by its unknowns. Rows behind those of the residual are definitions of sums,
    /// which have the columns behind those of the unknowns.
    pub slopes: Vec<SparseRows>,
}

impl Reduced {
    /// Everything that is computed: residuals, slopes and outputs.
    pub fn expressions<'g>(&self, g: &'g Graph) -> Vec<Expr<'g>> {
        let residuals = self.block.solves.iter().flat_map(|solve| &solve.residual);
        let slopes = self.slopes.iter().flatten().flatten().map(|(_, slope)| slope);
        residuals.chain(slopes).chain(&self.block.outputs).map(|id| g.expr(*id)).collect()
    }
}

/// A matrix of expressions by rows, as `(column, entry)` pairs without the zeros.
pub type SparseRows = Vec<Vec<(usize, Id)>>;

/// Equations from which something may still be eliminated.
struct OpenSystem<'g> {
    unknowns: Vec<Expr<'g>>,
    residual: Vec<Expr<'g>>,
    guess: Vec<Expr<'g>>,
    /// Sums that the residual is written by.
    sums: Vec<Expr<'g>>,
}

/// Appends what is solved to `known` (fully substituted) and returns what is left, with its slopes. With `inputs`, which masses must not
/// depend on, what multipliers give is solved for as well.
fn eliminate<'g>(
    g: &'g Graph,
    OpenSystem { mut unknowns, mut residual, mut guess, mut sums }: OpenSystem<'g>,
    known: &mut Vec<(Expr<'g>, Expr<'g>)>,
    inputs: Option<&[Expr<'g>]>,
) -> Option<(Solve, SparseRows)> {
    let zero = g.int(0);
    let mut rows = Vec::new();
    // Of each unknown the equation that is its own.
    let mut own: Vec<usize> = (0..unknowns.len()).collect();
    while !unknowns.is_empty() {
        // Slopes decide, not occurrence: an unknown may occur in a row and cancel there, as the forces of Störmer–Verlet do.
        rows = slopes(g, &residual, &unknowns, &sums);
        let is_alone = |row: &usize| matches!(rows[*row][..], [(column, _)] if column < unknowns.len());
        let alone: Vec<usize> = (0..residual.len()).filter(is_alone).collect();
        let of_alone: Vec<_> = alone.iter().map(|row| rows[*row].clone()).collect();
        let affine = g.affine_slopes(&alone.iter().map(|row| residual[*row]).collect::<Vec<_>>(), &unknowns, &of_alone);
        let at_zero: Vec<_> = unknowns.iter().map(|u| (*u, zero)).collect();
        let mut solved: Vec<Option<Expr<'g>>> = vec![None; unknowns.len()];
        let mut open_rows = Vec::new();
        let mut affine = affine.into_iter();
        let mut candidates = Vec::new();
        for (row, equation) in residual.iter().enumerate() {
            let affine = if is_alone(&row) { affine.next().flatten() } else { None };
            if let Some([(column, slope)]) = affine.as_deref()
                && solved[*column].is_none()
            {
                solved[*column] = Some(*slope);
                candidates.push((row, *column, *slope));
                continue;
            }
            open_rows.push(*equation);
        }
        if candidates.is_empty() {
            break;
        }
        own = left_over(own, &candidates);
        let constants: Vec<_> = candidates.iter().map(|(row, ..)| residual[*row]).collect();
        let constants = g.substitute(&constants, &at_zero);
        let fresh: Vec<_> = candidates
            .iter()
            .zip(&constants)
            .map(|((_, column, slope), constant)| (unknowns[*column], -*constant / *slope))
            .collect();
        residual = g.substitute(&open_rows, &fresh);
        sums = g.substitute(&sums, &fresh);
        let keep = |at: &usize| solved[*at].is_none();
        guess = (0..unknowns.len()).filter(keep).map(|i| guess[i]).collect();
        unknowns = (0..unknowns.len()).filter(keep).map(|i| unknowns[i]).collect();
        known.extend(fresh);
    }
    let paired = Paired { unknowns: &unknowns, residual: &residual, slopes: &rows, rows: &own };
    let solved = inputs.map_or_else(Vec::new, |inputs| paired.by_multipliers(g, inputs));
    if !solved.is_empty() {
        let fresh: Vec<_> = solved.iter().map(|(at, value)| (unknowns[*at], *value)).collect();
        let is_open = |places: Vec<usize>| {
            let mut open = vec![true; unknowns.len()];
            places.into_iter().for_each(|place| open[place] = false);
            open
        };
        let open = is_open(solved.iter().map(|(at, _)| *at).collect());
        let open_rows = is_open(solved.iter().map(|(at, _)| own[*at]).collect());
        residual = g.substitute(&kept(&residual, &open_rows), &fresh);
        guess = kept(&guess, &open);
        unknowns = kept(&unknowns, &open);
        rows = g.jacobian(&residual, &unknowns);
        known.extend(fresh);
    }
    // Linear equations are solved to round-off by one update, however large their terms are said to be.
    let of_multipliers = !solved.is_empty() && g.affine_rows(&residual, &unknowns, &rows).contains(&false);
    (!unknowns.is_empty()).then(|| {
        let rows = rows.iter().map(|row| row.iter().map(|(column, e)| (*column, e.id())).collect()).collect();
        (Solve { of_multipliers, ..Solve::new(&unknowns, &residual, &guess) }, rows)
    })
}

/// Those that are open.
fn kept<'g>(all: &[Expr<'g>], open: &[bool]) -> Vec<Expr<'g>> {
    all.iter().zip(open).filter(|(_, open)| **open).map(|(e, _)| *e).collect()
}

/// The rows that unknowns have of their own when these rows were solved for these columns. An unknown whose row is gone takes the one
/// that the unknown solved for leaves behind.
fn left_over(mut own: Vec<usize>, solved: &[(usize, usize, Expr<'_>)]) -> Vec<usize> {
    let mut owner = vec![0; own.len()];
    own.iter().enumerate().for_each(|(column, row)| owner[*row] = column);
    let (mut row_stays, mut column_stays) = (vec![true; own.len()], vec![true; own.len()]);
    for &(row, column, _) in solved {
        (row_stays[row], column_stays[column]) = (false, false);
        let (robbed, left) = (owner[row], own[column]);
        (own[robbed], owner[left]) = (left, robbed);
        (own[column], owner[row]) = (row, column);
    }
    let mut places = 0..;
    let place: Vec<usize> = row_stays.iter().map(|stays| if *stays { places.next().unwrap_or(0) } else { 0 }).collect();
    own.into_iter().zip(column_stays).filter(|(_, stays)| *stays).map(|(row, _)| place[row]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use extremal_expr::{Function, Function2, Relation};

    #[test]
    fn what_breaks_at_an_unknown_is_not_solved_for_it() {
        let g = Graph::new();
        let (a, u) = (g.symbol("a"), g.symbol("u"));
        let negative = g.compare(Relation::Lt, u, g.int(0));
        let broken = [
            u + u.call(Function::Sign),
            u + u.abs(),
            u + g.call2(Function2::Max, u, a),
            u + g.select(negative, g.int(1), g.int(2)),
            g.select(negative, u, u * 2),
            // One unknown alone has a slope, the other only breaks.
            u + g.symbol("w").call(Function::Sign),
        ];
        for row in broken {
            let unknowns = [u, g.symbol("w")];
            let block = Block {
                inputs: vec![a.id()],
                solves: vec![Solve::new(&unknowns, &[row - a, unknowns[1].powi(3) + u], &[a, a])],
                outputs: vec![u.id()],
            };
            assert_eq!(block.eliminated(&g).solves[0].unknowns.len(), 2, "{row}");
        }
    }

    #[test]
    fn what_breaks_elsewhere_or_cancels_does_not_hinder() {
        let g = Graph::new();
        let (a, u) = (g.symbol("a"), g.symbol("u"));
        let switch = g.compare(Relation::Lt, a, g.int(0));
        let clamp = g.call2(Function2::Max, -a, g.call2(Function2::Min, a, u));
        for row in [g.select(switch, u, u * 2), u * a.abs(), a * (u - clamp) / 2 + a * clamp / 2] {
            let solve = Solve::new(&[u], &[row - 1], &[a]);
            let block = Block { inputs: vec![a.id()], solves: vec![solve], outputs: vec![u.id()] };
            assert!(block.eliminated(&g).solves.is_empty(), "{row}");
        }
    }
}
