//! Mean gradients of functions over a step: (E19), (X1) and (X6) of docs/theory.md.

use extremal_expr::{Expr, Rational};

use super::parts::QuadraticParts;
use crate::discrete::collocation::Collocation;
use crate::discrete::quadrature::{QuadratureRule, lagrange};

/// The step from `z` with constant or stage rates, time among the variables where a function contains it.
pub(super) struct SteppedVariables<'g> {
    /// The variables at the start.
    pub z: Vec<Expr<'g>>,
    /// Their rates, per stage.
    pub rates: Vec<Vec<Expr<'g>>>,
    /// h.
    pub step: Expr<'g>,
}

impl<'g> SteppedVariables<'g> {
    /// z + h Σ w_j k_j.
    pub fn led(&self, weights: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let column = |k: usize| self.rates.iter().map(|rate| rate[k]).collect::<Vec<_>>();
        let along = |(k, z): (usize, &Expr<'g>)| *z + self.step * self.step.graph().dot(weights, &column(k));
        self.z.iter().enumerate().map(along).collect()
    }

    /// The functions after such a way.
    pub fn at(&self, functions: &[Expr<'g>], there: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let rules: Vec<_> = self.z.iter().copied().zip(there.iter().copied()).collect();
        self.step.graph().substitute(functions, &rules)
    }
}

/// Mean gradients of several functions.
pub(super) struct MeanGradients<'g> {
    /// By function, stage and variable.
    pub of: Vec<Vec<Vec<Expr<'g>>>>,
    /// By stage and variable: what may be added to the gradients of a function where their quadrature is off.
    pub directions: Vec<Vec<Expr<'g>>>,
    /// What the directions change of Σ b_i G_i·k_i; zero where nothing is off.
    pub squares: Expr<'g>,
}

impl<'g> MeanGradients<'g> {
    /// Along the polynomial u of the step: G_i = (1/b_i) ∫ l_i ∇f(u) dτ, corrected along the rates.
    pub fn along_step(
        method: &mut Collocation<'_, 'g>,
        step: &SteppedVariables<'g>,
        functions: &[Expr<'g>],
        nodes: usize,
    ) -> Self {
        let (g, width) = (step.step.graph(), step.z.len());
        let gradients: Vec<Expr<'g>> = functions.iter().flat_map(|f| g.gradient(*f, &step.z)).collect();
        let rule = QuadratureRule::gauss(nodes);
        let mut sums = vec![vec![Vec::new(); gradients.len()]; method.len()];
        for (at, (tau, omega)) in (1..).zip(rule.nodes.iter().zip(&rule.weights)) {
            let integrals = method.integrals(*tau);
            let u = step.led(&method.numbers(&integrals, &format!("A_m{at}")));
            let values = step.at(&gradients, &u);
            for (i, sums) in sums.iter_mut().enumerate() {
                let weight = omega * lagrange(&method.c, i, *tau).0 / method.b[i];
                let weight = method.number(weight, format!("W_{}_m{at}", i + 1));
                sums.iter_mut().zip(&values).for_each(|(sum, value)| sum.push(weight * *value));
            }
        }
        let stages: Vec<Vec<Expr<'g>>> =
            sums.into_iter().map(|stage| stage.into_iter().map(|sum| g.sum(sum)).collect()).collect();
        let of_function = |f: usize| stages.iter().map(|stage| stage[f * width..(f + 1) * width].to_vec()).collect();
        let weights = method.b.clone();
        let b = method.numbers(&weights, "b");
        let squares = g.sum(b.iter().zip(&step.rates).map(|(b, rate)| *b * g.dot(rate, rate)));
        MeanGradients { of: (0..functions.len()).map(of_function).collect(), directions: step.rates.clone(), squares }
    }

    /// Over one stage, straight between the values of quadratic parts π: G = Σ_k ∫ ∂f/∂π_k dτ ∇π_k(z_½). Every symmetry of the parts is
    /// one of G.
    pub fn along_parts(
        method: &mut Collocation<'_, 'g>,
        step: &SteppedVariables<'g>,
        taken: &QuadraticParts<'g>,
        nodes: usize,
    ) -> Self {
        let g = step.step.graph();
        let half = step.led(&[g.rational(Rational::HALF)]);
        let after: Vec<_> = step.at(&taken.parts, &step.led(&[g.int(1)])).into_iter().map(Expr::grouped).collect();
        let changes: Vec<_> = after.iter().zip(&taken.parts).map(|(after, before)| *after - *before).collect();
        let slopes: Vec<Expr<'g>> = taken.functions.iter().flat_map(|f| g.gradient(*f, &taken.symbols)).collect();
        let rule = QuadratureRule::gauss(nodes);
        let mut sums = vec![Vec::new(); slopes.len()];
        for (at, (tau, omega)) in (1..).zip(rule.nodes.iter().zip(&rule.weights)) {
            let tau = method.number(*tau, format!("tau_m{at}"));
            let weight = method.number(*omega, format!("W_m{at}"));
            let there = taken.parts.iter().zip(&changes).map(|(before, change)| *before + tau * *change);
            let rules: Vec<_> = taken.symbols.iter().copied().zip(there).collect();
            let values = g.substitute(&slopes, &rules);
            sums.iter_mut().zip(values).for_each(|(sum, value)| sum.push(weight * value));
        }
        let varying = g.depend_on(&slopes, &taken.symbols);
        let means = slopes.iter().zip(sums).zip(varying);
        // The mean of a constant is the constant, without the round-off of the weights.
        let means: Vec<_> = means.map(|((slope, sum), varies)| if varies { g.sum(sum) } else { *slope }).collect();
        let rows: Vec<Vec<Expr<'g>>> =
            taken.parts.iter().map(|part| step.at(&g.gradient(*part, &step.z), &half)).collect();
        let chained = |factors: &[Expr<'g>]| -> Vec<Expr<'g>> {
            let column = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<_>>();
            (0..step.z.len()).map(|k| g.dot(factors, &column(k))).collect()
        };
        // Where no slope changes with a part, nothing of its quadrature is off.
        let bends = |symbol: &Expr<'g>| g.depend_on(&slopes, &[*symbol]).contains(&true);
        let rate = |(symbol, change): (&Expr<'g>, &Expr<'g>)| match bends(symbol) {
            true => *change / step.step,
            false => g.int(0),
        };
        let rates: Vec<_> = taken.symbols.iter().zip(&changes).map(rate).collect();
        let width = taken.parts.len();
        MeanGradients {
            of: (0..taken.functions.len()).map(|f| vec![chained(&means[f * width..(f + 1) * width])]).collect(),
            directions: vec![chained(&rates)],
            squares: g.dot(&rates, &rates),
        }
    }
}
