//! Stationary action of Lagrangians with higher derivatives.

use extremal_expr::{Expr, Id};

use super::{At, BoundaryError, Condition, Piece, Place, Placed, Quantity, Question, Transcription};
use crate::continuous::HigherSystem;
use crate::discrete::{HermiteAction, ThreePointAction};

/// How a Lagrangian of higher order is made discrete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HigherRule {
    /// Polynomials through q, q', … at both ends of a step: order four for accelerations.
    Hermite,
    /// Differences over three points: order two, for accelerations only.
    Difference,
}

/// The sum of the discrete action of a higher-order Lagrangian, to be made stationary.
///
/// With [`HigherRule::Hermite`] the derivatives of order below k are unknowns of the nodes; with [`HigherRule::Difference`] there
/// is one more point beyond each end, and a velocity there is a central difference; constraints hold at the points. Derivatives at an end that are not held are
/// free: the natural conditions come out of the variation.
pub fn stationary_higher_action<'g>(
    system: &HigherSystem<'g>,
    rule: HigherRule,
    question: &Question<'g>,
) -> Result<Transcription, BoundaryError> {
    if question.terminal.is_some() || question.running.is_some() || !question.controls.is_empty() {
        return Err(BoundaryError::HigherOrder("controls and objectives"));
    }
    match rule {
        HigherRule::Hermite if !system.constraints.is_empty() => Err(BoundaryError::HermiteConstraints),
        HigherRule::Hermite => hermite(system, question),
        HigherRule::Difference if system.order == 2 => three_points(system, question),
        HigherRule::Difference => Err(BoundaryError::DifferenceOrder(system.order)),
    }
}

/// The symbols of the duration and the data of a copy, and time in their terms.
struct Timing<'g> {
    duration: Expr<'g>,
    data: [Expr<'g>; 2],
    rules: Vec<(Expr<'g>, Expr<'g>)>,
    free: bool,
}

impl<'g> Timing<'g> {
    fn of(system: &HigherSystem<'g>, question: &Question<'g>) -> Timing<'g> {
        let duration = system.symbol("duration");
        let data = [system.symbol("part_begin"), system.symbol("part_length")];
        let start = question.start_time.unwrap_or(system.graph.int(0));
        let rules = vec![(system.step(), duration * data[1]), (system.t, start + duration * data[0])];
        Timing { duration, data, rules, free: question.free_duration }
    }

    fn placed(&self, mut variables: Vec<(Expr<'g>, Place)>, formulas: &[Expr<'g>], rows: Vec<Place>, at: At) -> Placed {
        if self.free {
            variables.push((self.duration, Place::Once(0)));
        }
        let all = self.duration.graph().substitute(formulas, &self.rules);
        Placed {
            piece: Piece {
                variables: variables.iter().map(|(symbol, _)| symbol.id()).collect(),
                data: self.data.map(|d| d.id()).to_vec(),
                cost: all[0].id(),
                rows: all[1..].iter().map(|row| row.id()).collect(),
            },
            variables: variables.iter().map(|(_, place)| *place).collect(),
            rows,
            at,
        }
    }

    fn once(&self) -> Vec<Quantity> {
        if self.free { vec![Quantity::Duration] } else { Vec::new() }
    }

    fn given(&self) -> Option<Id> {
        (!self.free).then(|| self.duration.id())
    }
}

fn integral_rows(count: usize) -> (Vec<Place>, Vec<Condition>) {
    ((0..count).map(Place::Once).collect(), (0..count).map(Condition::Integral).collect())
}

fn hermite<'g>(system: &HigherSystem<'g>, question: &Question<'g>) -> Result<Transcription, BoundaryError> {
    let (g, h, n, k) = (system.graph, system.step(), system.len(), system.order);
    let timing = Timing::of(system, question);
    // The action in the derivatives at both ends: α_i = (q_1^(i) − Taylor)/h^(k−i).
    let ends: Vec<Vec<Expr<'g>>> = (0..k).map(|i| system.symbols("", &format!("_end_{i}"))).collect();
    let nodal = |integrand: Expr<'g>| -> (Expr<'g>, Vec<(Id, f64)>) {
        let mut own = system.clone();
        own.lagrangian = integrand;
        let action = HermiteAction::of(&own);
        let rules: Vec<_> = (0..k)
            .flat_map(|i| (0..n).map(move |q| (i, q)))
            .map(|(i, q)| {
                let taylor = g.sum((i..k).map(|j| {
                    let factorial: i64 = (1..=(j - i) as i64).product();
                    action.start[j][q] * h.powi((j - i) as i64) / factorial
                }));
                (action.increments[i][q], (ends[i][q] - taylor) / h.powi((k - i) as i64))
            })
            .collect();
        (action.action.substitute(&rules), action.constants.into_named())
    };
    let (action, constants) = nodal(system.lagrangian);
    let mut variables = Vec::new();
    for (offset, node) in [&system.derivatives[..k], &ends[..]].into_iter().enumerate() {
        for (i, symbols) in node.iter().enumerate() {
            variables.extend(symbols.iter().enumerate().map(|(q, s)| (*s, Place::Node(offset, i * n + q))));
        }
    }
    let formulas: Vec<Expr<'g>> =
        [action].into_iter().chain(question.integrals.iter().map(|integrand| nodal(*integrand).0)).collect();
    let (rows, once_rows) = integral_rows(question.integrals.len());
    let quantity = |i: usize, q: usize| match i {
        0 => Quantity::Position(q),
        i => Quantity::Derivative { order: i, coordinate: q },
    };
    Ok(Transcription {
        node: (0..k).flat_map(|i| (0..n).map(move |q| quantity(i, q))).collect(),
        step: Vec::new(),
        once: timing.once(),
        node_rows: Vec::new(),
        step_rows: Vec::new(),
        once_rows,
        pieces: vec![timing.placed(variables, &formulas, rows, At::Every)],
        duration: timing.given(),
        constants,
        periodic: question.periodic,
        ghosts: 0,
        momenta: [Vec::new(), Vec::new()],
    })
}

fn three_points<'g>(system: &HigherSystem<'g>, question: &Question<'g>) -> Result<Transcription, BoundaryError> {
    let (g, h, n) = (system.graph, system.step(), system.len());
    let timing = Timing::of(system, question);
    let points = ThreePointAction::of(system).points;
    let formulas = |weight: i64| -> Vec<Expr<'g>> {
        let constraints = system.constraints.iter().map(|(_, phi)| *phi);
        let integrands = [system.lagrangian].into_iter().chain(question.integrals.iter().copied()).chain(constraints);
        let at_middle = integrands.map(|integrand| {
            let mut own = system.clone();
            own.lagrangian = integrand;
            // Time is that of the middle point, one step after the first.
            ThreePointAction::of(&own).action.substitute(&[(system.t, system.t + h)]) / weight
        });
        at_middle.collect()
    };
    let variables: Vec<_> = points
        .iter()
        .enumerate()
        .flat_map(|(offset, point)| point.iter().enumerate().map(move |(q, s)| (*s, Place::Node(offset, q))))
        .collect();
    let (mut rows, once_rows) = integral_rows(question.integrals.len());
    // h Φ at the point in the middle, and half of it at the ends: the multiplier is that of L + λ Φ.
    rows.extend((0..system.constraints.len()).map(|row| Place::Node(1, row)));
    let mut pieces = Vec::new();
    let mut ends = Vec::new();
    match question.periodic {
        true => pieces.push(timing.placed(variables.clone(), &formulas(1), rows.clone(), At::Every)),
        false => {
            for (weight, at) in [(2, At::First), (1, At::Inner), (2, At::Last)] {
                pieces.push(timing.placed(variables.clone(), &formulas(weight), rows.clone(), at));
            }
            // Velocities at the ends, as unknowns that a central difference ties to the points around.
            for (end, at) in [(false, At::First), (true, At::Last)] {
                let offset = ends.len();
                let velocities = system.symbols("", if end { "_v_end" } else { "_v_start" });
                let mut variables = variables.clone();
                let first = usize::from(timing.free) + offset;
                variables.extend(velocities.iter().enumerate().map(|(q, v)| (*v, Place::Once(first + q))));
                let mut formulas = vec![g.int(0)];
                formulas.extend((0..n).map(|q| (points[2][q] - points[0][q]) / 2 - h * velocities[q]));
                let places = (0..n).map(|q| Place::Once(question.integrals.len() + offset + q)).collect();
                pieces.push(timing.placed(variables, &formulas, places, at));
                ends.extend((0..n).map(|q| (end, q)));
            }
        }
    }
    let mut once = timing.once();
    let velocity = |(end, q): &(bool, usize)| match end {
        true => Quantity::EndVelocity(*q),
        false => Quantity::StartVelocity(*q),
    };
    once.extend(ends.iter().map(velocity));
    let once_rows = once_rows
        .into_iter()
        .chain(ends.iter().map(|(end, q)| Condition::EndVelocity { end: *end, coordinate: *q }))
        .collect();
    Ok(Transcription {
        node: (0..n).map(Quantity::Position).collect(),
        step: Vec::new(),
        once,
        node_rows: (0..system.constraints.len()).map(Condition::Constraint).collect(),
        step_rows: Vec::new(),
        once_rows,
        pieces,
        duration: timing.given(),
        constants: Vec::new(),
        periodic: question.periodic,
        ghosts: usize::from(!question.periodic),
        momenta: [Vec::new(), Vec::new()],
    })
}
