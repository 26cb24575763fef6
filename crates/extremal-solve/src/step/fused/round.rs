//! What the loop of a fused step changes, and what takes its place after a step.

use extremal_eval::{EntryPoint, Program, TRIES};
use extremal_expr::{Expr, Function2, Graph, Id, Relation};
use extremal_mechanics::discrete::Scheme;

use super::LOOP_TIER;
use super::affine::NextState;
use super::formulas::FusedWriter;
use super::layout::WideLayout;
use super::rows::RowFormulas;
use crate::march::{FADING, SMOOTH};
use crate::observable::Observable;
use crate::step::history::DEPTH;

/// What the loop has to do for a step.
pub(super) struct FusedLoop<'g> {
    pub g: &'g Graph,
    pub scheme: &'g Scheme,
    /// Inputs that the loop does not change.
    pub constant: [Vec<Id>; 2],
    pub count: Expr<'g>,
    pub unknowns: Vec<Id>,
    pub guess: Vec<Expr<'g>>,
    pub ways: Vec<usize>,
    /// Are the unknowns those of all stages?
    pub staged: bool,
    pub observable: Option<&'g Observable>,
    pub rows: Option<RowFormulas>,
}

/// What the loop changes, what takes its place after a step, and what takes the place of the last of it for another try.
struct LoopValues {
    inputs: Vec<Id>,
    next: Vec<Id>,
    again: Vec<Id>,
}

impl<'g> FusedLoop<'g> {
    fn changing(&self, writer: &FusedWriter<'g>, rows: &NextState<'g>) -> LoopValues {
        let (g, n) = (self.g, self.unknowns.len());
        let past: Vec<Vec<Expr<'_>>> = (0..DEPTH).map(|age| (0..n).map(|at| past(g, age, at)).collect()).collect();
        let residual = g.symbol("fused residual");
        let mut inputs: Vec<Id> = self.scheme.state.clone();
        inputs.extend([self.count, residual].iter().chain(past.iter().flatten()).chain(&self.guess).map(|e| e.id()));
        inputs.extend(rows.differences.iter().map(|difference| difference.symbol.id()));

        let newest = [&[g.exprs(&self.unknowns)], &past[..DEPTH - 1]].concat();
        let mut next: Vec<Id> = rows.next.iter().map(|e| e.id()).collect();
        next.extend([self.next_count(writer, rows).id(), writer.residual.id()]);
        next.extend(newest.iter().flatten().map(|e| e.id()));
        let guessed = |at: usize| match self.staged {
            true => extrapolated_late(g, &newest, at),
            false => extrapolated(g, &newest, at),
        };
        next.extend((0..n).map(|at| guessed(at).id()));
        next.extend(rows.differences.iter().map(|difference| difference.next.id()));
        let mut again = self.unknowns.clone();
        if n > 0 {
            let updates = g.symbol("fused updates");
            inputs.push(updates.id());
            next.push((updates + 1).id());
            again.push((updates + 1).id());
        }
        LoopValues { inputs, next, again }
    }

    /// Steps are counted where formulas contain the time.
    fn next_count(&self, writer: &FusedWriter<'g>, rows: &NextState<'g>) -> Expr<'g> {
        let named = writer.names.iter().skip(1).map(|(_, e)| *e);
        let all: Vec<Id> = named.chain(rows.next.iter().chain(&writer.holds).map(|e| e.id())).collect();
        let timed = self.g.reachable(&all).contains(&self.scheme.time);
        if timed { self.count + 1 } else { self.count }
    }

    fn inputs(&self, going: Vec<Id>) -> [Vec<Id>; 3] {
        let [parameters, times] = self.constant.clone();
        [parameters, times, going]
    }

    /// Asks that the next state is finite, and can be observed.
    fn admit(&self, writer: &mut FusedWriter<'g>, next: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let g = self.g;
        let values = writer.finite(next);
        if let Some(observable) = self.observable {
            let time = g.expr(self.scheme.time);
            let state = g.exprs(&self.scheme.state).into_iter().zip(values.iter().copied());
            let rules: Vec<_> = state.chain([(time, time + g.symbol("h"))]).collect();
            writer.holds.extend(observable.conditions(g, &rules));
        }
        values
    }

    /// What tells whether the motion is smooth, as [`Smoothness`](crate::march) does, and what takes its place after a step to the state
    /// `next`: the ways, unless unknowns are these by the step size and are remembered as such, the strongest first sum, whether a
    /// step was rough or led near a place where constraints depend on each other, and the square of their longest row.
    fn smoothness(&self, writer: &mut FusedWriter<'g>, next: &[Expr<'g>]) -> Vec<(Expr<'g>, Expr<'g>)> {
        let g = self.g;
        let n = self.scheme.dimension();
        let state = g.exprs(&self.scheme.state);
        let symbol = |what: &str| g.symbol(&format!("fused {what}"));
        let number = |value: f64| g.float(value).unwrap_or(g.int(0));
        let mut going = Vec::new();
        let (mut first, mut second) = (g.int(0), g.int(0));
        for i in 0..n {
            let (last, way) = match self.ways.get(i) {
                Some(at) => (past(g, 0, *at), g.expr(self.unknowns[*at])),
                None => {
                    let last = symbol(&format!("way {i}"));
                    let way = writer.name(next[i] - state[i]);
                    going.push((last, way));
                    (last, way)
                }
            };
            let bend = writer.name(way - last);
            let kick = writer.name(next[n + i] - state[n + i]);
            first = first + writer.name(way * next[n + i]).abs();
            second = second + writer.name(bend * kick).abs();
        }
        let [strongest, rough] = ["strongest", "rough"].map(symbol);
        let faded = writer.name(number(FADING) * strongest);
        let first = writer.name(first);
        let next_strongest = writer.name(g.call2(Function2::Max, faded, first));
        let mut smooth = g.compare(Relation::Le, second, number(SMOOTH) * next_strongest + symbol("quiet"));
        let mut row = None;
        if let Some(rows) = &self.rows {
            let (h, time, longest) = (g.symbol("h"), g.expr(self.scheme.time), symbol("longest row"));
            let there: Vec<_> = state.into_iter().zip(next.iter().copied()).chain([(time, time + h)]).collect();
            let [far, next_longest] = rows.write(writer, &there, longest, h);
            smooth = g.and(smooth, far);
            row = Some((longest, next_longest));
        }
        going.extend([(strongest, next_strongest), (rough, g.select(smooth, rough, g.int(1)))]);
        going.extend(row);
        going
    }

    /// Formulas that need more than the state are left to the kernel, as `None`.
    pub fn program(&self, mut writer: FusedWriter<'g>, rows: &NextState<'g>) -> Option<Program> {
        self.admit(&mut writer, &rows.next);
        let LoopValues { inputs, next, again } = self.changing(&writer, rows);
        let inputs = self.inputs(inputs);
        let traced = self.scheme.state.len();
        Program::traced_looping(self.g, &inputs, &writer.names, writer.condition().id(), &next, &again, traced).ok()
    }

    /// The condition that differences are known well enough, and the differences at a state.
    pub fn first(&self, writer: &FusedWriter<'g>, rows: &NextState<'g>) -> Option<Program> {
        let well = rows.well.iter().copied().reduce(|all, condition| self.g.and(all, condition))?;
        let first = rows.differences.iter().map(|difference| difference.first.id()).collect();
        let inputs = self.inputs(self.changing(writer, rows).inputs);
        let entries = [vec![well.id()], first].map(|outputs| EntryPoint { tier: LOOP_TIER, outputs });
        Program::compile_with_names(self.g, &inputs, &writer.names, &entries).ok()
    }

    /// The program for motions side by side.
    pub fn lane_program(&self, mut writer: FusedWriter<'g>, rows: &NextState<'g>) -> Option<Program> {
        let values = self.admit(&mut writer, &rows.next);
        let smoothness = self.smoothness(&mut writer, &values);
        let LoopValues { inputs: mut going, mut next, again } = self.changing(&writer, rows);
        let g = self.g;
        let [tries, left] = ["fused tries", "fused left"].map(|name| g.symbol(name));
        let goes = g.compare(Relation::Lt, g.int(0), left);
        let works = g.and(goes, writer.condition());
        let unchanged = going.len() - again.len();
        for (at, next) in next.iter_mut().enumerate() {
            let now = g.expr(going[at]);
            let otherwise = match at.checked_sub(unchanged) {
                None => now,
                Some(retried) => g.select(goes, g.expr(again[retried]), now),
            };
            *next = g.select(works, g.expr(*next), otherwise).id();
        }
        for (now, after) in smoothness {
            going.push(now.id());
            next.push(g.select(works, after, now).id());
        }
        let tried = tries + g.call2(Function2::Min, left, g.int(1));
        next.push(g.select(works, g.int(0), tried).id());
        next.push(g.select(works, left - 1, left).id());
        going.extend([tries.id(), left.id()]);
        let mut inputs = self.inputs(going);
        inputs[1].push(g.symbol("fused quiet").id());
        let goes_on = g.compare(Relation::Lt, tries, g.int(i64::from(TRIES)));
        Program::looping(g, &inputs, &writer.names, goes_on.id(), &next, &[]).ok()
    }

    /// The program for the table of a device, in which every motion has its own condition: none waits for another. What is carried along for
    /// what it says of the work is left out.
    pub fn wide_program(&self, mut writer: FusedWriter<'g>, rows: &NextState<'g>) -> Option<(Program, WideLayout)> {
        let values = self.admit(&mut writer, &rows.next);
        let smoothness = self.smoothness(&mut writer, &values);
        let g = self.g;
        let LoopValues { inputs, next, .. } = self.changing(&writer, rows);
        let (state, n) = (self.scheme.state.len(), self.unknowns.len());
        let history = state + 2..state + 2 + DEPTH * n;
        let guess = history.end..history.end + n;
        let differences = guess.end..guess.end + rows.differences.len();
        let timed = next[state] != self.count.id();
        let quiet = g.symbol("fused quiet").id();
        let mut going: Vec<(Id, Id)> = Vec::new();
        let mut take = |places: std::ops::Range<usize>| {
            going.extend(inputs[places.clone()].iter().copied().zip(next[places].iter().copied()));
            going.len()
        };
        let layout = WideLayout {
            state,
            count: timed.then(|| take(0..state + 1) - 1).or_else(|| {
                take(0..state);
                None
            }),
            history: take(history.clone()) - history.len(),
            differences: take(differences.clone()) - differences.len(),
            ways: going.len(),
            own_ways: self.ways.is_empty(),
            known: if n > 0 { DEPTH } else { 0 },
            unknowns: n,
            dimension: self.scheme.dimension(),
            beside: differences.len(),
        };
        going.extend(smoothness.into_iter().map(|(now, after): (Expr<'g>, Expr<'g>)| (now.id(), after.id())));
        going.push((quiet, quiet));
        going.extend(inputs[guess.clone()].iter().copied().zip(next[guess].iter().copied()));
        let (names, next): (Vec<Id>, Vec<Id>) = going.into_iter().unzip();
        let mut inputs = self.inputs(names);
        if !timed {
            inputs[1].push(self.count.id());
        }
        let condition = writer.condition().id();
        let program = Program::looping(g, &inputs, &writer.names, condition, &next, &self.unknowns).ok()?;
        Some((program, layout))
    }
}

/// One step ahead of these values, newest first.
fn extrapolated<'g>(g: &'g Graph, past: &[Vec<Expr<'g>>], at: usize) -> Expr<'g> {
    g.sum(past.iter().enumerate().map(|(age, values)| values[at] * weight(g, age)))
}

/// The same, but the newest value comes last: nothing waits for it longer than it must.
fn extrapolated_late<'g>(g: &'g Graph, past: &[Vec<Expr<'g>>], at: usize) -> Expr<'g> {
    let weighted = |(age, values): (usize, &Vec<Expr<'g>>)| values[at] * weight(g, age);
    let older = g.sum(past.iter().enumerate().skip(1).map(weighted));
    older.grouped() + past[0][at] * weight(g, 0)
}

/// An unknown of so many steps before the last one.
fn past(g: &Graph, age: usize, at: usize) -> Expr<'_> {
    g.symbol(&format!("fused {age} steps ago {at}"))
}

pub(super) fn weight(g: &Graph, age: usize) -> Expr<'_> {
    g.symbol(&format!("fused weight {age}"))
}
