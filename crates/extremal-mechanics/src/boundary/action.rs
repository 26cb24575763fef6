//! Stationary action between ends that are fixed, free or periodic.

use extremal_expr::Expr;
use extremal_model::{ConstraintKind, ControlShape, Method, at_end_of_motion};

use super::{
    At, BoundaryError, Condition, Discretised, GridPlace, Piece, Placed, Quantity, Question, Transcription, higher,
    unfolding,
};
use crate::System;
use crate::discrete::CustomDiscrete;

/// The sum of the discrete action over the steps, to be made stationary (P1). Ends whose positions are not held
/// are free, and the natural conditions p = 0 come out of the variation.
///
/// The controls and costs of the question are not looked at; for Lagrangians with higher derivatives they are refused.
pub fn stationary_action<'g>(
    system: &System<'g>,
    method: &Method,
    custom: Option<CustomDiscrete<'g>>,
    question: &Question<'g>,
) -> Result<Transcription, BoundaryError> {
    if system.order > 1 {
        return higher::stationary_action(system, method, custom, question);
    }
    let ends = question.end_conditions.concat();
    let at_ends = |end: bool| system.v.iter().map(move |v| at_end_of_motion(*v, end));
    let fast: Vec<_> = at_ends(false).chain(at_ends(true)).collect();
    let linked = system.graph.depend_on(&question.links, &fast).contains(&true);
    if linked || question.of_steps(system, &[]).is_some() || system.graph.depend_on(&ends, &system.v).contains(&true) {
        return Err(BoundaryError::Conditions);
    }
    let unfoldings = &question.unfoldings;
    // Vakonomic multipliers belong to rows of their own here.
    let unfolded = unfolding::unfolded(&system.unmultiplied(), unfoldings);
    let discretised = Discretised::of(&unfolded, method, custom, &Question::default())?;
    let nodal = discretised.action.nodal();
    let nodes = &nodal.unknowns;
    let integral = |f: Expr<'g>, what: &'static str| {
        let integral = discretised.integral(system, unfolding::unfold(system, f, unfoldings), what)?;
        Ok::<_, BoundaryError>(unfolding::fold(integral, nodes, unfoldings))
    };
    let off: Vec<_> = system.moving_multipliers().into_iter().map(|lambda| (lambda, system.graph.int(0))).collect();
    let action = unfolding::fold(nodal.action.substitute(&off), nodes, unfoldings);
    let mut formulas = Formulas::new(system, question);
    let mut rows = Vec::new();
    let mut once_rows = Vec::new();
    for (i, integrand) in question.integrals.iter().enumerate() {
        rows.push((integral(*integrand, "integral constraints")?, GridPlace::Once(i)));
        once_rows.push(Condition::Integral(i));
    }
    let mut step_rows = Vec::new();
    for (i, constraint) in system.constraints.iter().enumerate() {
        match constraint.kind {
            ConstraintKind::Holonomic => {}
            ConstraintKind::Nonholonomic | ConstraintKind::Chetaev => {
                return Err(BoundaryError::Nonholonomic(constraint.name.clone()));
            }
            // h Φ, so that the multiplier keeps the meaning it has in L + λ Φ.
            ConstraintKind::Vakonomic => {
                let row = match discretised.own_constraint(system, i) {
                    Some(own) => own,
                    None => integral(constraint.expression, "constraints")?,
                };
                rows.push((row, GridPlace::Step(step_rows.len())));
                step_rows.push(Condition::Constraint(i));
            }
        }
    }
    let mut variables = formulas.step_variables(nodes);
    variables.extend(formulas.duration_variable());
    formulas.push(&variables, action, &rows, At::Every);
    let mut node_rows = formulas.bind_positions(question, 0);
    let positions = node_variables(&system.q);
    node_rows.extend(formulas.bind_nodes(system, question, (&positions, &[]), node_rows.len()));
    for (end, at) in [(false, At::First), (true, At::Last)] {
        let rows = &question.end_conditions[usize::from(end)];
        let place = |condition: usize| GridPlace::Once(once_rows.len() + condition);
        let placed: Vec<_> = rows.iter().enumerate().map(|(k, row)| (*row, place(k))).collect();
        if !placed.is_empty() {
            let variables: Vec<_> = positions.iter().copied().chain(formulas.duration_variable()).collect();
            formulas.push(&variables, system.graph.int(0), &placed, at);
        }
        once_rows.extend((0..rows.len()).map(|condition| Condition::AtEnd { end, condition }));
    }
    once_rows.extend(formulas.bind_ends(question, [&positions, &positions], once_rows.len()));
    let momenta = momenta(system, &action, nodes, &nodal.forces).map(|p| formulas.timed(&p));
    let n = system.len();
    Ok(Transcription {
        node: (0..n).map(Quantity::Position).collect(),
        step: inner_quantities(nodes.len(), n),
        node_rows,
        step_rows,
        once_rows,
        momenta: momenta.map(|p| p.iter().map(|e| e.id()).collect()),
        constants: discretised.action.named_constants().to_vec(),
        ..formulas.transcription(question)
    })
}

/// Momenta at both ends of a step (D9): p− = −∂S/∂Q_0 − f_0 and p+ = ∂S/∂Q_s + f_s.
pub(super) fn momenta<'g>(
    system: &System<'g>,
    action: &Expr<'g>,
    nodes: &[Vec<Expr<'g>>],
    forces: &[Vec<Expr<'g>>],
) -> [Vec<Expr<'g>>; 2] {
    let g = system.graph;
    let last = nodes.len() - 1;
    let total = |node: usize| -> Vec<Expr<'g>> {
        g.gradient(*action, &nodes[node]).iter().zip(&forces[node]).map(|(slope, force)| *slope + *force).collect()
    };
    [total(0).into_iter().map(|p| -p).collect(), total(last)]
}

/// The unknowns at the inner nodes of a step that has so many nodes.
pub(super) fn inner_quantities(nodes: usize, n: usize) -> Vec<Quantity> {
    let inner = 0..nodes - 2;
    inner.flat_map(|node| (0..n).map(move |coordinate| Quantity::Inner { node, coordinate })).collect()
}

/// Positions of one node as variables.
pub(super) fn node_variables<'g>(q: &[Expr<'g>]) -> Vec<(Expr<'g>, GridPlace)> {
    q.iter().enumerate().map(|(k, q)| (*q, GridPlace::Node(0, k))).collect()
}

/// Pieces in the making, with time and step expressed by the duration and the data of each copy.
pub(super) struct Formulas<'s, 'g> {
    system: &'s System<'g>,
    /// The duration and, as parts of it, the beginning and the length of a step.
    duration: Expr<'g>,
    begin: Expr<'g>,
    length: Expr<'g>,
    start_time: Expr<'g>,
    free_duration: bool,
    unknowns: Vec<Expr<'g>>,
    pub pieces: Vec<Placed>,
}

impl<'s, 'g> Formulas<'s, 'g> {
    pub fn new(system: &'s System<'g>, question: &Question<'g>) -> Self {
        Formulas {
            system,
            duration: system.symbol("duration"),
            begin: system.symbol("part_begin"),
            length: system.symbol("part_length"),
            start_time: question.start_time.unwrap_or(system.graph.int(0)),
            free_duration: question.free_duration,
            unknowns: question.unknowns.clone(),
            pieces: Vec::new(),
        }
    }

    /// The variables of a step: all of its nodes.
    pub fn step_variables(&self, nodes: &[Vec<Expr<'g>>]) -> Vec<(Expr<'g>, GridPlace)> {
        let (n, last) = (self.system.len(), nodes.len() - 1);
        let mut variables = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            variables.extend(node.iter().enumerate().map(|(k, q)| match i {
                0 => (*q, GridPlace::Node(0, k)),
                i if i == last => (*q, GridPlace::Node(1, k)),
                i => (*q, GridPlace::Step((i - 1) * n + k)),
            }));
        }
        variables
    }

    /// The duration as a variable, if it is one; it comes first among those that occur once.
    pub fn duration_variable(&self) -> Option<(Expr<'g>, GridPlace)> {
        self.free_duration.then_some((self.duration, GridPlace::Once(0)))
    }

    pub fn once(&self) -> Vec<Quantity> {
        let duration = self.free_duration.then_some(Quantity::Duration);
        duration.into_iter().chain((0..self.unknowns.len()).map(Quantity::Unknown)).collect()
    }

    /// A problem that has these pieces; what its unknowns and rows are is left to say.
    pub fn transcription(self, question: &Question<'g>) -> Transcription {
        Transcription {
            node: Vec::new(),
            step: Vec::new(),
            once: self.once(),
            node_rows: Vec::new(),
            step_rows: Vec::new(),
            once_rows: Vec::new(),
            duration: (!self.free_duration).then(|| self.duration.id()),
            pieces: self.pieces,
            constants: Vec::new(),
            periodic: question.periodic,
            ghosts: 0,
            control_nodes: Vec::new(),
            shapes: vec![ControlShape::Constant; question.controls.len()],
            momenta: [Vec::new(), Vec::new()],
        }
    }

    /// Expressions of h and t in terms of the duration and the data of a copy.
    pub fn timed(&self, fs: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let rules = [
            (self.system.step(), self.duration * self.length),
            (self.system.t, self.start_time + self.duration * self.begin),
        ];
        self.system.graph.substitute(fs, &rules)
    }

    /// Expressions of times at both ends in terms of the duration.
    pub fn timed_at_ends(&self, fs: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let t = self.system.t;
        let rules = [
            (at_end_of_motion(t, false), self.start_time),
            (at_end_of_motion(t, true), self.start_time + self.duration),
        ];
        self.system.graph.substitute(fs, &rules)
    }

    pub fn zero(&self) -> Expr<'g> {
        self.system.graph.int(0)
    }

    /// Holonomic constraints at the nodes, as rows from `first_row` on: h φ, and half of it at the ends, so that multipliers are
    /// those of the continuous motion.
    pub fn bind_positions(&mut self, question: &Question<'g>, first_row: usize) -> Vec<Condition> {
        let (h, zero) = (self.system.step(), self.system.graph.int(0));
        let all = self.system.constraints.iter().enumerate();
        let holonomic: Vec<_> = all.filter(|(_, constraint)| constraint.kind.nature().binds_positions).collect();
        if !holonomic.is_empty() {
            let mut variables = node_variables(&self.system.q);
            variables.extend(self.duration_variable());
            let rows = |weight: Expr<'g>| -> Vec<(Expr<'g>, GridPlace)> {
                let residuals = holonomic.iter().enumerate();
                residuals
                    .map(|(row, (_, constraint))| (weight * constraint.expression, GridPlace::Node(0, first_row + row)))
                    .collect()
            };
            match question.periodic {
                true => self.push(&variables, zero, &rows(h), At::Every),
                false => {
                    for (weight, at) in [(h / 2, At::First), (h, At::Inner), (h / 2, At::Last)] {
                        self.push(&variables, zero, &rows(weight), at);
                    }
                }
            }
        }
        holonomic.iter().map(|(i, _)| Condition::Constraint(*i)).collect()
    }

    /// The parameters to be found that occur in expressions; they come after the duration.
    fn unknown_variables(&self, of: &[Expr<'g>]) -> Vec<(Expr<'g>, GridPlace)> {
        let occurs = |symbol: Expr<'g>| self.system.graph.depend_on(of, &[symbol]).contains(&true);
        let placed = self.unknowns.iter().enumerate().filter(|(_, symbol)| occurs(**symbol));
        placed.map(|(k, symbol)| (*symbol, GridPlace::Once(usize::from(self.free_duration) + k))).collect()
    }

    /// A piece whose copies begin at `h` and `t` of their own.
    pub fn push(
        &mut self,
        variables: &[(Expr<'g>, GridPlace)],
        cost: Expr<'g>,
        rows: &[(Expr<'g>, GridPlace)],
        at: At,
    ) {
        let all: Vec<Expr<'g>> = [cost].into_iter().chain(rows.iter().map(|(row, _)| *row)).collect();
        let all = self.timed(&all);
        let variables = [variables, &self.unknown_variables(&all)].concat();
        self.pieces.push(Placed {
            piece: Piece {
                variables: variables.iter().map(|(symbol, _)| symbol.id()).collect(),
                data: vec![self.begin.id(), self.length.id()],
                cost: all[0].id(),
                rows: all[1..].iter().map(|row| row.id()).collect(),
            },
            variables: variables.iter().map(|(_, place)| *place).collect(),
            rows: rows.iter().map(|(_, place)| *place).collect(),
            at,
        });
    }
}
