//! Back to the constraints: the program min ρ Σ(p + n) + ζ/2 |D(y − y_R)|² where c(y) − p + n = 0 and p, n >= 0.

use std::cell::RefCell;

use crate::nlp::standard::Standard;
use crate::nlp::{Nlp, NlpBounds};

/// Weight of the violation.
const RHO: f64 = 1000.0;

/// The restoration program of a problem about a point.
pub(super) struct Restoration<'r, 'n> {
    problem: &'r RefCell<Standard<'n>>,
    reference: Vec<f64>,
    /// ζ D².
    weights: Vec<f64>,
    n: usize,
    m: usize,
}

impl<'r, 'n> Restoration<'r, 'n> {
    /// About `reference`, with the proximity weight ζ.
    pub fn about(problem: &'r RefCell<Standard<'n>>, reference: &[f64], zeta: f64) -> Self {
        let weights = reference.iter().map(|y| zeta * (1.0 / y.abs()).min(1.0).powi(2)).collect();
        let (n, m) = (problem.borrow().variables(), problem.borrow().rows());
        Restoration { problem, reference: reference.to_vec(), weights, n, m }
    }

    /// The start: the reference, with p and n that balance the violation `c` and the barrier `mu`.
    pub fn start(&self, c: &[f64], mu: f64) -> Vec<f64> {
        let half = |c: &f64| (mu - RHO * c) / (2.0 * RHO);
        let negative: Vec<f64> = c.iter().map(|c| half(c) + (half(c).powi(2) + mu * c / (2.0 * RHO)).sqrt()).collect();
        let positive = c.iter().zip(&negative).map(|(c, n)| c + n);
        self.reference.iter().copied().chain(positive).chain(negative.iter().copied()).collect()
    }
}

impl Nlp for Restoration<'_, '_> {
    fn bounds(&self) -> NlpBounds {
        let problem = self.problem.borrow();
        let mut lower = problem.lower.clone();
        lower.resize(self.n + 2 * self.m, 0.0);
        let mut upper = problem.upper.clone();
        upper.resize(self.n + 2 * self.m, f64::INFINITY);
        NlpBounds { lower, upper, constraint_lower: vec![0.0; self.m], constraint_upper: vec![0.0; self.m] }
    }

    fn jacobian_pattern(&self) -> Vec<(usize, usize)> {
        let mut pattern = self.problem.borrow().jacobian.clone();
        pattern.extend((0..self.m).map(|row| (row, self.n + row)));
        pattern.extend((0..self.m).map(|row| (row, self.n + self.m + row)));
        pattern
    }

    fn hessian_pattern(&self) -> Vec<(usize, usize)> {
        let mut pattern = self.problem.borrow().hessian.clone();
        pattern.extend((0..self.n).map(|i| (i, i)));
        pattern
    }

    fn is_inside(&mut self, x: &[f64]) -> bool {
        self.problem.borrow_mut().is_inside(&x[..self.n])
    }

    fn objective(&mut self, x: &[f64]) -> f64 {
        let near = self.weights.iter().zip(x).zip(&self.reference).map(|((w, y), r)| 0.5 * w * (y - r).powi(2));
        near.sum::<f64>() + RHO * x[self.n..].iter().sum::<f64>()
    }

    fn gradient(&mut self, x: &[f64], out: &mut [f64]) {
        for i in 0..self.n {
            out[i] = self.weights[i] * (x[i] - self.reference[i]);
        }
        out[self.n..].fill(RHO);
    }

    fn constraints(&mut self, x: &[f64], out: &mut [f64]) {
        self.problem.borrow_mut().constraints(&x[..self.n], out);
        for row in 0..self.m {
            out[row] += x[self.n + self.m + row] - x[self.n + row];
        }
    }

    fn jacobian(&mut self, x: &[f64], out: &mut [f64]) {
        let (own, slacks) = out.split_at_mut(out.len() - 2 * self.m);
        self.problem.borrow_mut().jacobian(&x[..self.n], own);
        slacks[..self.m].fill(-1.0);
        slacks[self.m..].fill(1.0);
    }

    fn hessian(&mut self, x: &[f64], sigma: f64, lambda: &[f64], out: &mut [f64]) {
        let (own, near) = out.split_at_mut(out.len() - self.n);
        self.problem.borrow_mut().constraint_hessian(&x[..self.n], lambda, own);
        for (out, weight) in near.iter_mut().zip(&self.weights) {
            *out = sigma * weight;
        }
    }
}
