//! How controls go between their bounds: at the one or the other, with switches, or in between.

use serde::Serialize;

use super::{BoundSide, BoundarySolution, Kind, Problem};

/// What a control does for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ArcKind {
    /// It is at its smallest value.
    Min,
    /// It is at its largest value.
    Max,
    /// It is in between, where the Hamiltonian is affine in it: its slope by the control vanishes all the while.
    Singular,
    /// It is in between while a bound or a condition holds the motion back.
    Held,
    /// It is in between, and the Hamiltonian has a minimum there.
    Between,
}

/// A part of the motion in which a control does the same.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ControlArc {
    /// What it does.
    pub kind: ArcKind,
    /// From when.
    pub from: f64,
    /// Until when.
    pub to: f64,
}

/// The arcs of a control.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ControlArcs {
    /// The control.
    pub control: String,
    /// Is the Hamiltonian affine in it? Then it is at a bound or singular.
    pub affine: bool,
    /// What it does, one after the other; a switch between two bounds that takes a step or two is the middle of these.
    pub arcs: Vec<ControlArc>,
}

impl ControlArcs {
    /// From bound to bound, and never in between?
    pub fn is_bang_bang(&self) -> bool {
        self.arcs.len() > 1 && self.arcs.iter().all(|arc| matches!(arc.kind, ArcKind::Min | ArcKind::Max))
    }

    /// When it switches.
    pub fn switches(&self) -> Vec<f64> {
        self.arcs.windows(2).map(|pair| pair[1].from).collect()
    }
}

/// Between two bounds so many steps are a switch.
const SWITCH_STEPS: usize = 2;

impl Problem<'_> {
    /// What each control with bounds does, in the order of the model; nothing of controls that are never at a bound, nor singular.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use extremal_engine::Model;
    /// use extremal_engine::boundary::{Guess, Problem, SolveSettings, Statement};
    /// let model = Model::from_toml(
    ///     r#"
    ///     name = "From rest to rest in least time"
    ///     [coordinates]
    ///     x = {}
    ///     [dynamics]
    ///     lagrangian = "x'^2/2"
    ///     [controls]
    ///     u = { on = "x", min = -1, max = 1 }
    ///     [objective]
    ///     running = "1"
    ///     [boundary]
    ///     duration = { min = 0.1, max = 10 }
    ///     steps = 40
    ///     start = { x = 0, "x'" = 0 }
    ///     end = { x = 1, "x'" = 0 }
    ///     "#,
    /// )?;
    /// let problem = Problem::new(&model, Statement::of(&model)?, &model.simulation().method)?;
    /// let solution = problem.solve(&Guess::Stated, &SolveSettings::default(), &mut |_| ControlFlow::Continue(()))?;
    /// let arcs = problem.control_arcs(&solution);
    /// assert!(arcs[0].is_bang_bang());
    /// assert!((arcs[0].switches()[0] - 1.0).abs() < 0.05);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn control_arcs(&self, solution: &BoundarySolution) -> Vec<ControlArcs> {
        if self.kind != Kind::Control {
            return Vec::new();
        }
        let controls = self.statement.controls.iter();
        let bounded = controls.filter(|control| control.min.is_finite() || control.max.is_finite());
        let arcs = bounded.map(|control| {
            let affine = self.is_affine_in(control.symbol);
            ControlArcs { control: control.name.clone(), affine, arcs: arcs_of(&control.name, affine, solution) }
        });
        arcs.filter(|found| found.arcs.iter().any(|arc| arc.kind != ArcKind::Between)).collect()
    }

    /// Is Pontryagin's Hamiltonian affine in this control, and is it in no product with another one?
    fn is_affine_in(&self, control: extremal_expr::Id) -> bool {
        let g = self.model.graph();
        let symbol = g.expr(control);
        let controls: Vec<_> = self.statement.controls.iter().map(|control| g.expr(control.symbol)).collect();
        let rates = self.model.states().iter().map(|state| g.expr(state.controlled_rate));
        let running = self.statement.running.map(|id| g.expr(id));
        let conditions = self.statement.integrals.iter().map(|integral| g.expr(integral.integrand));
        let all = self.model.controlled_forces().into_iter().chain(rates).chain(running).chain(conditions);
        let slopes: Vec<_> = all.map(|expression| g.gradient(expression, &[symbol])[0]).collect();
        !g.depend_on(&slopes, &controls).contains(&true)
    }
}

/// The arcs of a control from the bounds that hold it.
fn arcs_of(control: &str, affine: bool, solution: &BoundarySolution) -> Vec<ControlArc> {
    let times: Vec<f64> = solution.rows.iter().map(|row| row[0]).collect();
    let (Some(first), Some(last)) = (times.first().copied(), times.last().copied()) else { return Vec::new() };
    let mut at_bounds: Vec<ControlArc> = Vec::new();
    for bound in solution.active.iter().filter(|bound| bound.name == control) {
        let kind = match bound.side {
            BoundSide::Lower => ArcKind::Min,
            BoundSide::Upper => ArcKind::Max,
            BoundSide::Condition => continue,
        };
        at_bounds.extend(bound.intervals.iter().map(|[from, to]| ControlArc { kind, from: *from, to: *to }));
    }
    at_bounds.sort_by(|a, b| a.from.total_cmp(&b.from));
    let held = |from: f64, to: f64| {
        let others = solution.active.iter().filter(|bound| bound.name != control);
        let mut intervals = others.flat_map(|bound| &bound.intervals);
        intervals.any(|[begin, end]| *begin < to && *end > from)
    };
    let mut arcs: Vec<ControlArc> = Vec::new();
    let mut reached = first;
    let end = ControlArc { kind: ArcKind::Between, from: last, to: last };
    for next in at_bounds.into_iter().chain([end]) {
        let steps = times.iter().filter(|time| **time > reached && **time <= next.from).count();
        let is_last = next.from >= last;
        let switch = steps <= SWITCH_STEPS && (is_last || arcs.last().is_none_or(|before| before.kind != next.kind));
        if switch {
            // The bounds meet within the steps between them.
            let middle = if is_last || arcs.is_empty() { next.from } else { 0.5 * (reached + next.from) };
            if let Some(before) = arcs.last_mut() {
                before.to = if is_last { last } else { middle };
            }
            if !is_last {
                let from = if arcs.is_empty() { first } else { middle };
                arcs.push(ControlArc { from, ..next });
            }
        } else {
            let kind = match () {
                () if held(reached, next.from) => ArcKind::Held,
                () if affine => ArcKind::Singular,
                () => ArcKind::Between,
            };
            if steps > 0 {
                arcs.push(ControlArc { kind, from: reached, to: next.from });
            }
            if !is_last {
                match arcs.last_mut().filter(|before| before.kind == next.kind) {
                    Some(before) => before.to = next.to,
                    None => arcs.push(next.clone()),
                }
            }
        }
        reached = next.to;
    }
    arcs
}
