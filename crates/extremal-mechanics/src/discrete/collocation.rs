//! The stages of a step: nodes c_i, weights b_i, coefficients a_ij, and where rates at the stages lead.

use extremal_expr::Expr;

use super::quadrature::{QuadratureRule, lagrange_integral};
use super::scheme::Constants;
use crate::System;

/// The coefficients of a method with stages, and the names under which they occur in formulas.
pub(super) struct Collocation<'s, 'g> {
    system: &'s System<'g>,
    /// a_ij; what is missing at the end of a row is zero.
    pub a: Vec<Vec<f64>>,
    /// The coefficients of momenta, where they are not those of positions.
    partner: Option<Vec<Vec<f64>>>,
    /// Weights.
    pub b: Vec<f64>,
    /// Nodes.
    pub c: Vec<f64>,
    pub constants: Constants<'g>,
}

impl<'s, 'g> Collocation<'s, 'g> {
    /// Collocation at `s` Gauss nodes.
    pub fn gauss(system: &'s System<'g>, s: usize) -> Self {
        Collocation::at_nodes(system, &QuadratureRule::gauss(s), Constants::new(system.graph))
    }

    /// Collocation at the nodes of a quadrature; `constants` are the numbers that have names already.
    pub fn at_nodes(system: &'s System<'g>, rule: &QuadratureRule, constants: Constants<'g>) -> Self {
        let QuadratureRule { nodes: c, weights: b } = rule.clone();
        let row = |tau: &f64| (0..c.len()).map(|j| lagrange_integral(&c, j, *tau)).collect();
        Collocation { system, a: c.iter().map(row).collect(), partner: None, b, c, constants }
    }

    /// Collocation at the nodes of any rule for positions, and for momenta what makes the pair symplectic: b_i â_ij + b_j a_ji = b_i b_j.
    /// On Lobatto nodes it is the pair IIIA and IIIB, on Gauss nodes both are the same.
    pub fn partitioned(system: &'s System<'g>, rule: &QuadratureRule) -> Self {
        let method = Collocation::at_nodes(system, rule, Constants::new(system.graph));
        let (a, b, s) = (&method.a, &method.b, method.len());
        let partner = (0..s).map(|i| (0..s).map(|j| b[j] * (1.0 - a[j][i] / b[i])).collect()).collect();
        Collocation { partner: Some(partner), ..method }
    }

    /// An explicit method, by the rows below the first.
    pub fn explicit(system: &'s System<'g>, rows: &[&[f64]], b: &[f64]) -> Self {
        let a: Vec<Vec<f64>> = [&[][..]].iter().chain(rows).map(|row| row.to_vec()).collect();
        let c = a.iter().map(|row| row.iter().sum()).collect();
        Collocation { system, a, partner: None, b: b.to_vec(), c, constants: Constants::new(system.graph) }
    }

    /// The number of stages.
    pub fn len(&self) -> usize {
        self.b.len()
    }

    /// The symbols of every stage, made by `of` from the suffix that tells the stages apart.
    pub fn symbols(&self, of: impl Fn(&str) -> Vec<Expr<'g>>) -> Vec<Vec<Expr<'g>>> {
        (1..=self.len()).map(|i| of(&format!("_{i}"))).collect()
    }

    /// A number of the method, under this name unless it is a simple fraction.
    pub fn number(&mut self, value: f64, name: String) -> Expr<'g> {
        self.constants.number(value, || self.system.constant(&name))
    }

    /// Numbers in a row, named `label_1`, `label_2`, ….
    pub fn numbers(&mut self, values: &[f64], label: &str) -> Vec<Expr<'g>> {
        (1..).zip(values).map(|(j, value)| self.number(*value, format!("{label}_{j}"))).collect()
    }

    /// t + c_i h.
    pub fn time(&mut self, i: usize) -> Expr<'g> {
        self.system.t + self.system.step() * self.number(self.c[i], format!("c_{}", i + 1))
    }

    /// What the rates of all stages amount to at τ: ∫_0^τ of the Lagrange polynomials.
    pub fn integrals(&self, tau: f64) -> Vec<f64> {
        (0..self.len()).map(|j| lagrange_integral(&self.c, j, tau)).collect()
    }

    /// start + h Σ a_ij k_j.
    pub fn at_stage(&mut self, i: usize, start: &[Expr<'g>], rates: &[Vec<Expr<'g>>]) -> Vec<Expr<'g>> {
        let row = self.a[i].clone();
        self.led(start, &row, &format!("a_{}", i + 1), rates)
    }

    /// The same for momenta.
    pub fn at_partner_stage(&mut self, i: usize, start: &[Expr<'g>], rates: &[Vec<Expr<'g>>]) -> Vec<Expr<'g>> {
        match self.partner.as_ref().map(|partner| partner[i].clone()) {
            Some(row) => self.led(start, &row, &format!("d_{}", i + 1), rates),
            None => self.at_stage(i, start, rates),
        }
    }

    /// start + h Σ b_j k_j.
    pub fn at_end(&mut self, start: &[Expr<'g>], rates: &[Vec<Expr<'g>>]) -> Vec<Expr<'g>> {
        let weights = self.b.clone();
        self.led(start, &weights, "b", rates)
    }

    fn led(&mut self, start: &[Expr<'g>], weights: &[f64], label: &str, rates: &[Vec<Expr<'g>>]) -> Vec<Expr<'g>> {
        let mut sum = start.to_vec();
        for (weight, rates) in self.numbers(weights, label).into_iter().zip(rates) {
            let weight = self.system.step() * weight;
            sum.iter_mut().zip(rates).for_each(|(sum, rate)| *sum = *sum + weight * *rate);
        }
        sum
    }
}
