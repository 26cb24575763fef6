//! The watch over the rows of constraints as a formula: for motions that nobody looks at, a few more operations in every step.

use std::ops::Range;

use extremal_eval::{EntryPoint, Machine, Program};
use extremal_expr::{Expr, Function2, Graph, Id, Relation};
use extremal_mechanics::Block;
use extremal_mechanics::discrete::Scheme;

use super::formulas::{FusedLimits, FusedWriter};
use crate::kernel::same_bits;
use crate::linear::MovingGram;
use crate::newton::NewtonOptions;

/// What is observed of the constraints of a motion, by its place among the outputs.
#[derive(Clone, Debug, Default)]
pub struct WatchedRows {
    /// How far they are from holding.
    pub residuals: Range<usize>,
    /// Entries of their rows, row by row, and behind them as many rates of change.
    pub entries: Range<usize>,
    /// The columns of the entries of each row.
    pub pattern: Vec<Vec<usize>>,
}

/// More rows are looked at one motion after the other.
const MOST_ROWS: usize = 8;
/// Rows whose squared distance from the span of others is less than this part of the square of the longest row so far are looked at
/// closely, and so are those of constraints that are off by enough to blur such a distance.
const NEAR: f64 = 1e-6;
const BLURRED: f64 = 8.0 / NEAR;
/// By so much a step counts as longer than it is, for what a closer look compares with it is rounded otherwise.
const WIDER: f64 = 1.0 + 1e-6;

/// A formula that tells, at a state, whether all rows are so far from the span of others that no step from it or to it can have brought
/// them there, going by their rates. Where it says no, a closer look may say otherwise.
#[derive(Clone)]
pub(crate) struct RowFormulas {
    residuals: Vec<Id>,
    entries: Vec<Id>,
    positions: Vec<Id>,
    pattern: Vec<Vec<usize>>,
    /// The order in which distances are taken.
    order: Vec<usize>,
}

impl RowFormulas {
    /// `outputs` are behind those that `observe` has for itself. `None` where there are too many rows, or where equations would have to
    /// be solved for what they are made of.
    pub fn of(g: &Graph, scheme: &Scheme, observe: &Block, watched: &WatchedRows) -> Option<RowFormulas> {
        if watched.pattern.is_empty() || watched.pattern.len() > MOST_ROWS {
            return None;
        }
        let reduced = observe.reduced(g).block;
        let own = scheme.observe.outputs.len();
        let outputs =
            |range: &Range<usize>| reduced.outputs.get(own + range.start..own + range.end).map(<[Id]>::to_vec);
        let (residuals, entries) = (outputs(&watched.residuals)?, outputs(&watched.entries)?);
        let open: Vec<Id> = reduced.solves.iter().flat_map(|solve| solve.unknowns.iter().copied()).collect();
        let guesses = observe.inputs.iter().copied().filter(|id| !scheme.state.contains(id) && *id != scheme.time);
        let unknown = g.exprs(&open.into_iter().chain(guesses).collect::<Vec<_>>());
        let needed = g.exprs(&[&residuals[..], &entries].concat());
        (!g.depend_on(&needed, &unknown).contains(&true)).then(|| RowFormulas {
            residuals,
            entries,
            positions: scheme.state[..scheme.dimension()].to_vec(),
            order: MovingGram::new(&watched.pattern).order(),
            pattern: watched.pattern.clone(),
        })
    }

    /// The condition at the state that `rules` put in the place of this one, and the square of the longest row so far, which was `longest`
    /// before, for steps of size `h`.
    pub(super) fn write<'g>(
        &self,
        writer: &mut FusedWriter<'g>,
        rules: &[(Expr<'g>, Expr<'g>)],
        longest: Expr<'g>,
        h: Expr<'g>,
    ) -> [Expr<'g>; 2] {
        let g = writer.g;
        let number = |value: f64| g.float(value).unwrap_or(g.int(0));
        let mut there = |ids: &[Id]| {
            let values = g.substitute(&g.exprs(ids), rules);
            writer.name_all(&values)
        };
        let (residuals, all, positions) = (there(&self.residuals), there(&self.entries), there(&self.positions));
        let (entries, rates) = all.split_at(all.len() / 2);
        let mut places = 0..;
        let rows: Vec<Vec<(usize, usize)>> =
            self.pattern.iter().map(|row| row.iter().copied().zip(&mut places).collect()).collect();
        let product = |a: usize, b: usize| {
            let (mut value, mut rate) = (g.int(0), g.int(0));
            for (column, p) in &rows[a] {
                for (_, q) in rows[b].iter().filter(|(other, _)| other == column) {
                    value = value + entries[*p] * entries[*q];
                    rate = rate + rates[*p] * entries[*q] + entries[*p] * rates[*q];
                }
            }
            [value, rate]
        };
        let (mut factors, mut pivots): (Vec<Vec<[Expr<'g>; 2]>>, Vec<[Expr<'g>; 2]>) = (Vec::new(), Vec::new());
        let mut far = Vec::new();
        let mut next_longest = longest;
        for (k, row) in self.order.iter().enumerate() {
            let mut pivot = product(*row, *row).map(|e| writer.name(e));
            next_longest = g.call2(Function2::Max, next_longest, pivot[0]);
            let mut own: Vec<[Expr<'g>; 2]> = Vec::new();
            let mut open: Vec<[Expr<'g>; 2]> = Vec::new();
            for (j, other) in self.order[..k].iter().enumerate() {
                let mut entry = product(*row, *other);
                for (m, [factor, factor_rate]) in factors[j].iter().enumerate() {
                    let [before, before_rate] = open[m];
                    entry = [entry[0] - *factor * before, entry[1] - *factor_rate * before - *factor * before_rate];
                }
                let entry = entry.map(|e| writer.name(e));
                let [divisor, divisor_rate] = pivots[j];
                let factor = writer.name(entry[0] / divisor);
                let factor_rate = writer.name((entry[1] - factor * divisor_rate) / divisor);
                pivot = [
                    writer.name(pivot[0] - factor * entry[0]),
                    writer.name(pivot[1] - factor_rate * entry[0] - factor * entry[1]),
                ];
                own.push([factor, factor_rate]);
                open.push(entry);
            }
            far.push(g.compare(Relation::Lt, pivot[1].abs() * h.abs() * number(WIDER), pivot[0] * 2));
            factors.push(own);
            pivots.push(pivot);
        }
        let next_longest = writer.name(next_longest);
        let size = writer.name(next_longest * g.dot(&positions, &positions));
        far.extend(pivots.iter().map(|[pivot, _]| g.compare(Relation::Lt, next_longest * number(NEAR), *pivot)));
        let blurred = |residual: Expr<'g>| (residual * number(BLURRED)).powi(2);
        far.extend(residuals.into_iter().map(|residual| g.compare(Relation::Le, blurred(residual), size)));
        let all = far.into_iter().reduce(|all, condition| g.and(all, condition));
        [all.unwrap_or_else(|| g.compare(Relation::Le, g.int(0), g.int(1))), next_longest]
    }
}

/// The same for states that are looked at one by one.
#[derive(Clone)]
pub(crate) struct RowLook {
    machine: Machine,
}

impl RowLook {
    pub fn compile(
        g: &Graph,
        scheme: &Scheme,
        parameters: &[Id],
        rows: &RowFormulas,
        options: NewtonOptions,
    ) -> Option<RowLook> {
        let [h, longest] = ["h", "longest row"].map(|name| g.symbol(name));
        let mut writer = FusedWriter::new(g, FusedLimits::new(g), scheme.time);
        let [far, next] = rows.write(&mut writer, &[], longest, h);
        let far = g.select(far, g.int(1), g.int(0));
        let inputs = scheme.state.iter().copied().chain([scheme.time, h.id(), longest.id()]).collect();
        let entry = EntryPoint { tier: 1, outputs: vec![far.id(), next.id()] };
        let program = Program::compile_with_names(g, &[parameters.to_vec(), inputs], &writer.names, &[entry]).ok()?;
        Some(RowLook { machine: options.machine(&program) })
    }

    /// The program, whose inputs are parameters; state, time, step, and the square of the longest row so far.
    pub fn program(&self) -> Program {
        self.machine.program()
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        if !same_bits(self.machine.inputs(0), values) {
            self.machine.inputs_mut(0).copy_from_slice(values);
            self.machine.commit(0);
        }
    }

    /// Are the rows far from the span of others at this state? `longest` is the square of the longest row so far.
    pub fn are_far(&mut self, state: &[f64], time: f64, h: f64, longest: &mut f64) -> bool {
        let (own, rest) = self.machine.inputs_mut(1).split_at_mut(state.len());
        own.copy_from_slice(state);
        rest.copy_from_slice(&[time, h, *longest]);
        self.machine.commit(1);
        let mut found = [0.0; 2];
        self.machine.run(0, &mut found);
        *longest = found[1];
        found[0] != 0.0
    }
}
