//! Optimal control with the controls eliminated: a discrete vakonomic problem of second order, and its flow.
//!
//! With a control u_k at every node, the equations of the coordinates it acts on give u_k from three positions in a row,
//!
//! ```text
//! −h u_k = D_2 L_d(q_{k−1}, q_k) + D_1 L_d(q_k, q_{k+1})        on controlled coordinates
//!      0 = D_2 L_d(q_{k−1}, q_k) + D_1 L_d(q_k, q_{k+1}) =: Φ   on the others
//! ```
//!
//! so that the cost is a discrete Lagrangian C_d(q_{k−1}, q_k, q_{k+1}) = h C(u_k) of second order with the constraints Φ = 0. Its
//! stationary sequences satisfy, with C̃ = C_d + λ·Φ,
//!
//! ```text
//! D_3 C̃(q_{k−2}, q_{k−1}, q_k, λ_{k−1}) + D_2 C̃(q_{k−1}, q_k, q_{k+1}, λ_k) + D_1 C̃(q_k, q_{k+1}, q_{k+2}, λ_{k+1}) = 0
//! Φ(q_k, q_{k+1}, q_{k+2}) = 0
//! ```
//!
//! which is a map (q_0 … q_3, λ_1, λ_2) → (q_1 … q_4, λ_2, λ_3) where the bordered matrix of D_13 C̃, D_1 Φᵀ and D_3 Φ is regular.

use extremal_expr::Expr;
use extremal_model::{Feature, Method};

use super::action::Formulas;
use super::{At, BoundaryError, Condition, Discretised, GridPlace, Quantity, Question, Transcription};
use crate::System;
use crate::block::{Block, Solve};
use crate::discrete::CustomDiscrete;

/// The second-order problem of a control problem whose controls act on one coordinate each.
pub struct VakonomicControl<'g> {
    system: System<'g>,
    /// Symbols of three positions in a row, per position and coordinate.
    points: [Vec<Expr<'g>>; 3],
    /// C_d.
    cost: Expr<'g>,
    /// Φ, per coordinate without control.
    constraints: Vec<(usize, Expr<'g>)>,
    /// The controls from three positions.
    controls: Vec<Expr<'g>>,
    constants: Vec<(extremal_expr::Id, f64)>,
}

impl<'g> VakonomicControl<'g> {
    /// `system` without the forces of the controls; `acts_on` names the coordinate of each control of the question.
    pub fn of(
        system: &System<'g>,
        method: &Method,
        custom: Option<CustomDiscrete<'g>>,
        question: &Question<'g>,
        acts_on: &[usize],
    ) -> Result<VakonomicControl<'g>, BoundaryError> {
        let (g, h) = (system.graph, system.step());
        let discretised = Discretised::of(system, method, custom)?;
        let nodal = discretised.action.nodal();
        // The equations of motion are constraints here, and taken at the nodes alone.
        if let Some(refusal) = method.refuses(&[Feature::Boundary, Feature::BoundaryConstraints]) {
            return Err(BoundaryError::Undefined(refusal));
        }
        let (first, last) = (nodal.unknowns[0].clone(), nodal.unknowns[nodal.unknowns.len() - 1].clone());
        let running = question.running.ok_or(BoundaryError::NoQuadrature("a missing cost"))?;
        let points = ["_q0", "_q1", "_q2"].map(|suffix| system.symbols("", suffix));
        let total = |node: usize, symbols: &[Expr<'g>]| -> Vec<Expr<'g>> {
            let slopes = g.gradient(nodal.action, symbols);
            slopes.iter().zip(&nodal.forces[node]).map(|(slope, force)| *slope + *force).collect()
        };
        let at = |fs: &[Expr<'g>], pair: usize| {
            let mut rules: Vec<_> = first.iter().copied().zip(points[pair].iter().copied()).collect();
            rules.extend(last.iter().copied().zip(points[pair + 1].iter().copied()));
            // Time is that of the first of the three positions.
            rules.push((system.t, system.t + h * pair as i64));
            g.substitute(fs, &rules)
        };
        let before = at(&total(1, &last), 0);
        let after = at(&total(0, &first), 1);
        let balance: Vec<Expr<'g>> = before.iter().zip(&after).map(|(a, b)| *a + *b).collect();
        let controls: Vec<Expr<'g>> = acts_on.iter().map(|k| -balance[*k] / h).collect();
        let mut rules: Vec<_> = system.q.iter().copied().zip(points[1].iter().copied()).collect();
        rules.extend((0..system.len()).map(|k| (system.v[k], (points[2][k] - points[0][k]) / (h * 2))));
        rules.push((system.t, system.t + h));
        rules.extend(question.controls.iter().copied().zip(controls.iter().copied()));
        let cost = h * running.substitute(&rules);
        let constraints = (0..system.len()).filter(|k| !acts_on.contains(k)).map(|k| (k, balance[k])).collect();
        let constants = discretised.action.named_constants().to_vec();
        Ok(VakonomicControl { system: system.clone(), points, cost, constraints, controls, constants })
    }

    /// The problem on a grid, whose ends are given by two positions each.
    pub fn transcription(&self, question: &Question<'g>) -> Transcription {
        let n = self.system.len();
        let mut formulas = Formulas::new(&self.system, question);
        let mut variables = Vec::new();
        for (offset, point) in self.points.iter().enumerate() {
            variables.extend(point.iter().enumerate().map(|(k, q)| (*q, GridPlace::Node(offset, k))));
        }
        variables.extend(formulas.duration_variable());
        let rows: Vec<_> =
            self.constraints.iter().enumerate().map(|(row, (_, phi))| (*phi, GridPlace::Node(1, row))).collect();
        formulas.push(&variables, self.cost, &rows, At::Every);
        Transcription {
            node: (0..n).map(Quantity::Position).collect(),
            node_rows: self.constraints.iter().map(|(k, _)| Condition::Motion(*k)).collect(),
            constants: self.constants.clone(),
            periodic: false,
            ..formulas.transcription(question)
        }
    }

    /// The flow: from q_0 … q_3, λ_1, λ_2, the time of q_0 and h to q_4 and λ_3, which continue the sequence.
    pub fn flow(&self) -> Block {
        let (g, system) = (self.system.graph, &self.system);
        let names = ["_p0", "_p1", "_p2", "_p3", "_p4"].map(|suffix| system.symbols("", suffix));
        let rows = self.constraints.len();
        let multipliers: Vec<Vec<Expr<'g>>> =
            (1..=3).map(|node| (0..rows).map(|row| system.symbol(&format!("lambda_{row}_{node}"))).collect()).collect();
        let phi: Vec<Expr<'g>> = self.constraints.iter().map(|(_, phi)| *phi).collect();
        let own: Vec<Expr<'g>> = (0..rows).map(|row| system.symbol(&format!("lambda_{row}"))).collect();
        let extended = self.cost + g.dot(&own, &phi);
        let shifted = |fs: &[Expr<'g>], first: usize| {
            let mut rules = vec![(system.t, system.t + system.step() * first as i64)];
            for (symbols, values) in self.points.iter().zip(&names[first..]) {
                rules.extend(symbols.iter().copied().zip(values.iter().copied()));
            }
            rules.extend(own.iter().copied().zip(multipliers[first].iter().copied()));
            g.substitute(fs, &rules)
        };
        let parts: Vec<Vec<Expr<'g>>> =
            (0..3).map(|first| shifted(&g.gradient(extended, &self.points[2 - first]), first)).collect();
        let mut residual: Vec<Expr<'g>> = (0..system.len()).map(|k| g.sum(parts.iter().map(|part| part[k]))).collect();
        residual.extend(shifted(&phi, 2));
        let unknowns = [&names[4][..], &multipliers[2]].concat();
        let extrapolated = |values: [&[Expr<'g>]; 2]| -> Vec<Expr<'g>> {
            values[1].iter().zip(values[0]).map(|(b, a)| *b * 2 - *a).collect()
        };
        let guess = [extrapolated([&names[2], &names[3]]), extrapolated([&multipliers[0], &multipliers[1]])].concat();
        let inputs = [names[..4].concat(), multipliers[..2].concat(), vec![system.t, system.step()]].concat();
        Block {
            inputs: inputs.iter().map(|e| e.id()).collect(),
            solves: vec![Solve::new(&unknowns, &residual, &guess)],
            outputs: unknowns.iter().map(|e| e.id()).collect(),
        }
    }

    /// The controls at a node, from the positions before, at and after it, in that order.
    pub fn controls(&self) -> Block {
        let inputs = [self.points.concat(), vec![self.system.t, self.system.step()]].concat();
        Block {
            inputs: inputs.iter().map(|e| e.id()).collect(),
            solves: Vec::new(),
            outputs: self.controls.iter().map(|e| e.id()).collect(),
        }
    }
}
