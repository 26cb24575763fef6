//! Motions with forces and controls, of least cost.

use extremal_expr::Expr;
use extremal_model::{ControlShape, Method, control_rate};

use super::action::{Formulas, inner_quantities, momenta};
use super::conditions::{carried_variables, in_step};
use super::controls::line_variables;
use super::{At, BoundaryError, Condition, Discretised, GridPlace, Quantity, Question, Transcription};
use crate::System;
use crate::discrete::CustomDiscrete;

/// The discrete equations of motion with forces and controls as constraints, and the cost of the question (P3).
///
/// A control acts through the discrete forces; unless its shape is said it is constant in each step, or, where there are states, has a
/// value of its own at each node of the quadrature (S3). One that is linear is an unknown of the nodes (P9). Positions are unknowns of the nodes; velocities are
/// unknowns at the two ends only, where they enter by the discrete Legendre transforms. `natural` lists ends (`true` for the
/// last) and coordinates that are free there: p·δq = 0 for all their displacements that the constraints admit, which is
/// p + Rᵀν = 0 with some ν.
pub fn controlled_motion<'g>(
    system: &System<'g>,
    method: &Method,
    custom: Option<CustomDiscrete<'g>>,
    question: &Question<'g>,
    natural: &[(bool, usize)],
) -> Result<Transcription, BoundaryError> {
    let g = system.graph;
    let (n, zero) = (system.len(), system.graph.int(0));
    let discretised = Discretised::of(system, method, custom, question)?;
    let nodal = discretised.action.nodal();
    let nodes = &nodal.unknowns;
    let last = nodes.len() - 1;
    let mut formulas = Formulas::new(system, question);

    let mut node: Vec<Quantity> = (0..n).map(Quantity::Position).collect();
    node.extend((0..system.heat.balanced().len()).map(Quantity::Entropy));
    node.extend((0..system.heat.states().len()).map(Quantity::State));
    let first_multiplier = node.len();
    node.extend((0..system.constraints.len()).map(Quantity::Multiplier));
    let (inputs, first_line) = (&discretised.inputs, node.len());
    let linear: Vec<usize> = inputs.linear().collect();
    node.extend(linear.iter().copied().map(Quantity::NodeControl));
    let mut step = inner_quantities(nodes.len(), n);
    let mut variables = formulas.step_variables(nodes);
    let reactions = reactions(system, nodes)?;
    for (offset, reaction) in reactions.iter().enumerate() {
        let multipliers = reaction.multipliers.iter().enumerate();
        variables.extend(multipliers.map(|(k, symbol)| (*symbol, GridPlace::Node(offset, first_multiplier + k))));
    }
    for (offset, entropies) in system.entropy_ends().iter().enumerate() {
        variables.extend(entropies.iter().enumerate().map(|(k, s)| (*s, GridPlace::Node(offset, n + k))));
    }
    for (stage, rates) in nodal.states.rates.iter().enumerate() {
        for (state, rate) in rates.iter().enumerate() {
            variables.push((*rate, GridPlace::Step(step.len())));
            step.push(Quantity::StateRate { stage, state });
        }
    }
    let control_nodes = discretised.control_nodes();
    for (control, symbol) in question.controls.iter().enumerate() {
        if inputs.shapes[control] == ControlShape::Constant {
            variables.push((*symbol, GridPlace::Step(step.len())));
            step.push(Quantity::Control(control));
        }
    }
    for (stage, controls) in nodal.states.inputs.iter().enumerate() {
        for (control, symbol) in inputs.places.iter().copied().zip(controls) {
            if inputs.shapes[control] == ControlShape::Polynomial {
                variables.push((*symbol, GridPlace::Step(step.len())));
                step.push(Quantity::StageControl { stage, control });
            }
        }
    }
    variables.extend(line_variables(question, &linear, first_line, true));
    let lines = inputs.lines(system, question, (&nodal.states.inputs, &control_nodes));
    variables.extend(formulas.duration_variable());

    let mut rows = Vec::new();
    let mut step_rows = Vec::new();
    for (i, (symbols, forces)) in nodes.iter().zip(&nodal.forces).enumerate() {
        for (k, (slope, force)) in g.gradient(nodal.action, symbols).iter().zip(forces).enumerate() {
            let place = match i {
                0 => GridPlace::Node(0, k),
                i if i == last => GridPlace::Node(1, k),
                _ => {
                    step_rows.push(Condition::InnerMotion { node: i - 1, coordinate: k });
                    GridPlace::Step(step_rows.len() - 1)
                }
            };
            let reaction = match i {
                0 => reactions[0].impulse[k],
                i if i == last => reactions[1].impulse[k],
                _ => zero,
            };
            rows.push((*slope + *force + reaction, place));
        }
    }
    for (k, balance) in nodal.entropy.iter().enumerate() {
        rows.push((*balance, GridPlace::Step(step_rows.len())));
        step_rows.push(Condition::EntropyBalance(k));
    }
    let states = system.heat.states().len();
    for (at, row) in nodal.states.rows.iter().enumerate() {
        rows.push((*row, GridPlace::Step(step_rows.len())));
        step_rows.push(Condition::StageRate { stage: at / states, state: at % states });
    }
    let [_, last_carried] = system.entropy_ends();
    for (k, (end, led)) in last_carried[system.heat.balanced().len()..].iter().zip(&nodal.states.end).enumerate() {
        rows.push((*end - *led, GridPlace::Step(step_rows.len())));
        step_rows.push(Condition::StateStep(k));
    }
    for (i, constraint) in system.constraints.iter().enumerate() {
        if constraint.kind.nature().reacts && !constraint.kind.nature().binds_positions {
            let row = discretised.integral(system, constraint.expression, "constraints")?;
            rows.push((row, GridPlace::Step(step_rows.len())));
            step_rows.push(Condition::Constraint(i));
        }
    }
    for k in &question.bounded_velocities {
        for velocity in discretised.at_nodes(system, system.v[*k], "bounds of velocities")? {
            rows.push((velocity, GridPlace::Step(step_rows.len())));
            step_rows.push(Condition::VelocityBound(*k));
        }
    }
    let multipliers = [&reactions[0].multipliers[..], &reactions[1].multipliers];
    for control in &question.bounded_rates {
        rows.push((control_rate(question.controls[*control]), GridPlace::Step(step_rows.len())));
        step_rows.push(Condition::ControlRate(*control));
    }
    for (row, condition) in in_step(system, &discretised, question, multipliers, &lines)? {
        rows.push((row, GridPlace::Step(step_rows.len())));
        step_rows.push(condition);
    }
    let mut once_rows = Vec::new();
    for (i, integrand) in question.integrals.iter().enumerate() {
        rows.push((discretised.integral(system, *integrand, "integral constraints")?, GridPlace::Once(i)));
        once_rows.push(Condition::Integral(i));
    }
    let running = match question.running {
        Some(cost) => discretised.integral(system, cost, "a running cost")?,
        None => zero,
    };
    let lined = |f: Expr<'g>| if lines.is_empty() { f } else { f.substitute(&lines) };
    let rows: Vec<_> = rows.into_iter().map(|(row, place)| (lined(row), place)).collect();
    formulas.push(&variables, lined(running), &rows, At::Every);

    let mut at_node = carried_variables(system);
    at_node.extend(line_variables(question, &linear, first_line, false));
    let mut node_rows: Vec<Condition> = (0..n).map(Condition::Motion).collect();
    node_rows.extend(formulas.bind_positions(question, n));
    node_rows.extend(formulas.bind_nodes(system, question, (&at_node, &linear), node_rows.len()));
    let mut once = formulas.once();
    if !question.periodic {
        let first_velocity = once.len();
        once.extend((0..n).map(Quantity::StartVelocity));
        once.extend((0..n).map(Quantity::EndVelocity));
        let p = system.momenta();
        for end in [false, true] {
            let mut variables = at_node.clone();
            let offset = first_velocity + if end { n } else { 0 };
            variables.extend(system.v.iter().enumerate().map(|(k, v)| (*v, GridPlace::Once(offset + k))));
            variables.extend(formulas.duration_variable());
            let sign = if end { -1 } else { 1 };
            let mut rows: Vec<(Expr<'g>, GridPlace)> = (0..n).map(|k| (p[k] * sign, GridPlace::Node(0, k))).collect();
            let free: Vec<usize> = natural.iter().filter(|(at_end, _)| *at_end == end).map(|(_, k)| *k).collect();
            let mut hindrances = Vec::new();
            for (i, constraint) in system.constraints.iter().enumerate().filter(|_| !free.is_empty()) {
                let symbol = system.symbol(&format!("hindrance_{}_{}", constraint.name, usize::from(end)));
                variables.push((symbol, GridPlace::Once(once.len())));
                once.push(Quantity::Hindrance { end, constraint: i });
                hindrances.push(symbol);
            }
            for k in &free {
                let hindered = system.constraints.iter().zip(&hindrances).flat_map(|(constraint, symbol)| {
                    constraint.reaction.iter().filter(|(at, _)| at == k).map(|(_, row)| *row * *symbol)
                });
                rows.push((p[*k] + g.sum(hindered), GridPlace::Once(once_rows.len())));
                once_rows.push(Condition::Natural { end, coordinate: *k });
            }
            // With fewer free coordinates than constraints, many ν will do: the smallest is taken.
            let surplus = match free.len() < hindrances.len() {
                true => g.dot(&hindrances, &hindrances) / 2,
                false => zero,
            };
            for (i, constraint) in system.constraints.iter().enumerate() {
                rows.push((constraint.velocity, GridPlace::Once(once_rows.len())));
                once_rows.push(Condition::ConstraintAtEnd { end, constraint: i });
            }
            for (condition, row) in question.end_conditions[usize::from(end)].iter().enumerate() {
                rows.push((*row, GridPlace::Once(once_rows.len())));
                once_rows.push(Condition::AtEnd { end, condition });
            }
            let cost = question.terminal.filter(|_| end).unwrap_or(zero);
            formulas.push(&variables, cost + surplus, &rows, if end { At::Last } else { At::First });
        }
        let at_end = |offset: usize| -> Vec<(Expr<'g>, GridPlace)> {
            let velocities =
                system.v.iter().enumerate().map(|(k, v)| (*v, GridPlace::Once(first_velocity + offset + k)));
            at_node.iter().copied().chain(velocities).collect()
        };
        once_rows.extend(formulas.bind_ends(question, [&at_end(0), &at_end(n)], once_rows.len()));
    }
    let momenta = momenta(system, &nodal.action, nodes, &nodal.forces)
        .map(|p| formulas.timed(&p.into_iter().map(lined).collect::<Vec<_>>()));
    Ok(Transcription {
        node,
        step,
        once,
        node_rows,
        step_rows,
        once_rows,
        momenta: momenta.map(|p| p.iter().map(|e| e.id()).collect()),
        constants: discretised.action.named_constants().to_vec(),
        control_nodes,
        shapes: inputs.shapes.clone(),
        ..formulas.transcription(question)
    })
}

/// What the constraints do at one end of a step.
struct Reaction<'g> {
    /// The symbols of their multipliers there.
    multipliers: Vec<Expr<'g>>,
    /// h/2 Aᵀλ, per coordinate.
    impulse: Vec<Expr<'g>>,
}

/// The reactions at both ends of a step: each node gets half of its impulse h Aᵀλ from either side (D14).
fn reactions<'g>(system: &System<'g>, nodes: &[Vec<Expr<'g>>]) -> Result<[Reaction<'g>; 2], BoundaryError> {
    let (g, h) = (system.graph, system.step());
    if let Some(constraint) = system.constraints.iter().find(|constraint| constraint.is_vakonomic()) {
        return Err(BoundaryError::Vakonomic(constraint.name.clone()));
    }
    let at_end = |end: usize| {
        let multipliers: Vec<Expr<'g>> =
            system.constraints.iter().map(|c| system.symbol(&format!("lambda_{}_{end}", c.name))).collect();
        let time = if end == 0 { system.t } else { system.t + h };
        let mut rules: Vec<_> = system.q.iter().copied().zip(nodes[end].iter().copied()).collect();
        rules.push((system.t, time));
        let mut terms = vec![Vec::new(); system.len()];
        for (constraint, lambda) in system.constraints.iter().zip(&multipliers) {
            for (k, row) in &constraint.reaction {
                terms[*k].push(h * *row * *lambda / 2);
            }
        }
        let impulse: Vec<Expr<'g>> = terms.into_iter().map(|terms| g.sum(terms)).collect();
        Reaction { impulse: g.substitute(&impulse, &rules), multipliers }
    };
    Ok([at_end(0), at_end(1)])
}
