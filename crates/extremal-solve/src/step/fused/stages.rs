//! The stages of a collocation method in a fused step, one after the other in a straight line.

use extremal_expr::{Expr, Graph, Id, Node, magnitude};
use extremal_mechanics::discrete::{Scheme, Stages};

use super::formulas::FusedWriter;
use crate::step::fixed_point::{MOST_TOGETHER, StageEquations, StageWriter};

/// Are there so few stages, and without functions that are better evaluated at several of them at once, that one after the other is
/// soonest done?
pub(super) fn go_one_by_one(g: &Graph, stages: &Stages) -> bool {
    let calls = |id: &Id| matches!(g.expr(*id).node(), Node::Call(..) | Node::Table(..) | Node::Power(..));
    stages.all.len() <= MOST_TOGETHER
        && !g.reachable(&[&stages.residual[..], &stages.following].concat()).iter().any(calls)
}

impl<'g> FusedWriter<'g> {
    /// Gives the unknowns of all stages their values, and writes the outputs of the step by them.
    ///
    /// The stages are a fixed point X = Φ(X) of their equations, each solved for its own unknowns. Newton's method from a guess G moves
    /// it by (1 - Φ')⁻¹(Φ(G) - G), of which two terms are taken, 1 + Φ': in steps that go on smoothly Φ' is small, and its square is
    /// nothing. `None` where an equation lacks its own unknown, or the step ends elsewhere than at sums over its stages.
    pub(super) fn solve_stages(
        &mut self,
        scheme: &Scheme,
        stages: &Stages,
        outputs: &[Id],
        guess: &[Expr<'g>],
    ) -> Option<Vec<Expr<'g>>> {
        let (g, own) = (self.g, stages.own.len());
        let mut writer = StageWriter::new(g);
        let StageEquations { common, residual, update } = writer.equations(stages)?;
        let equations = writer.names.len();
        let outputs = writer.affine(scheme, outputs, &stages.all)?;
        let ends = writer.names.split_off(equations);
        let stage = writer.names.split_off(common);
        self.names.extend(writer.names);
        let all = g.exprs(&stages.all);
        let mut values: Vec<Vec<(Expr<'g>, Expr<'g>)>> = Vec::new();
        let mut moves = Vec::new();
        for at in 0..stages.values.len() {
            let mut rules = self.at_stage(stages, at, guess);
            self.instance(&stage, &mut rules);
            moves.extend(self.name_all(&g.substitute(&update, &rules)));
            values.push(rules);
        }
        for (at, rules) in values.iter().enumerate() {
            let ahead = all.iter().copied().zip(moves.iter().copied());
            let here = g.exprs(&stages.own).into_iter().zip(moves[at * own..].iter().copied());
            let mut slopes: Vec<_> = ahead.chain(here).collect();
            for (symbol, e) in &stage {
                let slope = self.slope_along(g.expr(*e), &slopes, rules);
                if !slope.is_zero() {
                    let slope = self.name(slope);
                    slopes.push((g.expr(*symbol), slope));
                }
            }
            for (k, update) in update.iter().enumerate() {
                let slope = self.slope_along(*update, &slopes, rules);
                let (unknown, by) = (at * own + k, moves[at * own + k]);
                // Φ' along the way is the way less the slope of the update.
                let way = by + (by - slope);
                self.names.push((stages.all[unknown], (guess[unknown] - way).id()));
            }
        }
        for at in 0..stages.values.len() {
            let mut rules = self.at_stage(stages, at, &all);
            self.instance(&stages.state, &mut rules);
            for equation in g.substitute(&residual, &rules) {
                self.vanishes(equation, magnitude(equation));
            }
        }
        self.names.extend(ends);
        Some(outputs)
    }

    /// What the symbols of a stage stand for, where these are the unknowns of all.
    fn at_stage(&self, stages: &Stages, at: usize, unknowns: &[Expr<'g>]) -> Vec<(Expr<'g>, Expr<'g>)> {
        let g = self.g;
        let numbers = stages.values[at].iter().map(|value| g.float(*value).unwrap_or(g.int(0)));
        let own = unknowns[at * stages.own.len()..].iter().copied();
        let coefficients = g.exprs(&stages.coefficients).into_iter().zip(numbers);
        let all = g.exprs(&stages.all).into_iter().zip(unknowns.iter().copied());
        coefficients.chain(g.exprs(&stages.own).into_iter().zip(own)).chain(all).collect()
    }

    /// Gives what has names at a stage names of its own.
    fn instance(&mut self, named: &[(Id, Id)], rules: &mut Vec<(Expr<'g>, Expr<'g>)>) {
        for (symbol, e) in named {
            let value = self.g.expr(*e).substitute(rules);
            rules.push((self.g.expr(*symbol), self.name(value)));
        }
    }

    /// The slope of an expression along a way that changes symbols at these rates.
    fn slope_along(&self, e: Expr<'g>, rates: &[(Expr<'g>, Expr<'g>)], values: &[(Expr<'g>, Expr<'g>)]) -> Expr<'g> {
        let g = self.g;
        let (symbols, rates): (Vec<Expr<'g>>, Vec<Expr<'g>>) = rates.iter().copied().unzip();
        let slopes = g.substitute(&g.gradient(e, &symbols), values);
        g.dot(&slopes, &rates)
    }
}
