//! What a run of a control problem from momenta follows: one Hamiltonian, and what is constant along its motions.

use extremal_expr::Expr;
use extremal_mechanics::System;
use extremal_model::Model;
use serde::Serialize;

use super::sections::formula;
use crate::printed::Section;

/// The optimality conditions of a control problem as a motion from momenta.
pub struct OptimalMotion<'m> {
    /// H = p·q' + p'·q'' − C − ψ·(equations of motion), (M1).
    pub hamiltonian: Expr<'m>,
    /// What H is stationary in, without rates of its own.
    pub hidden: Vec<Expr<'m>>,
    /// Is H constant? It is where it does not contain the time; `None` where that is not decided.
    pub constant: Option<bool>,
    /// Momenta that are constant, each with the coordinate that H does not contain.
    pub momenta: Vec<(Expr<'m>, Expr<'m>)>,
}

/// The same as data.
#[derive(Clone, Debug, Serialize)]
pub struct OptimalMotionReport {
    /// The Hamiltonian.
    pub hamiltonian: String,
    /// What it is stationary in.
    pub stationary_in: Vec<String>,
    /// Is it constant along the motion? `None` where that is not decided.
    pub constant: Option<bool>,
    /// Momenta that are constant.
    pub momenta: Vec<String>,
}

impl<'m> OptimalMotion<'m> {
    /// What a run follows; `None` where that is the system itself, or no motion.
    pub(super) fn of(model: &'m Model) -> Option<OptimalMotion<'m>> {
        if model.momentum_order().is_none() || model.order() > 1 {
            return None;
        }
        let (g, flow) = (model.graph(), System::followed(model).ok()?);
        let hamiltonian = flow.unified_hamiltonian();
        // H' = ∂H/∂t and p' = −∂H/∂q, since H is stationary in what has no rate.
        let slopes = g.gradient(hamiltonian, &[&[flow.t][..], &flow.q].concat());
        let absent: Vec<Option<bool>> = slopes.iter().map(|slope| g.vanishes(*slope, &[])).collect();
        let cyclic = flow.p.iter().zip(&flow.q).zip(&absent[1..]).filter(|(_, absent)| **absent == Some(true));
        Some(OptimalMotion {
            hamiltonian,
            hidden: flow.hidden(),
            constant: absent[0],
            momenta: cyclic.map(|((p, q), _)| (*p, *q)).collect(),
        })
    }

    pub(super) fn section(&self) -> Section<'m> {
        let mut section = Section::titled("Optimal motion");
        let hidden: Vec<String> = self.hidden.iter().map(Expr::to_string).collect();
        section.say("what is said above is the motion without control; a run follows Hamilton's equations of");
        let kept = match self.constant {
            Some(true) => "constant: it does not contain the time",
            Some(false) => "not constant: it contains the time",
            None => "whether it contains the time is not decided",
        };
        let stationary = format!("stationary in {} ([VC] 7.3 to 7.6)", hidden.join(", "));
        section.lines.push(formula("H", "H", self.hamiltonian).remarked(stationary).remarked(kept));
        for (p, q) in &self.momenta {
            section.say(format!("{p} is constant: H does not contain {q}"));
        }
        section
    }

    pub(super) fn report(&self) -> OptimalMotionReport {
        OptimalMotionReport {
            hamiltonian: self.hamiltonian.text_with_parts(),
            stationary_in: self.hidden.iter().map(Expr::to_string).collect(),
            constant: self.constant,
            momenta: self.momenta.iter().map(|(p, _)| p.to_string()).collect(),
        }
    }
}
