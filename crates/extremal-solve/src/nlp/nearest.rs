//! The point that satisfies the constraints nearest to another one.

use super::{Nlp, NlpBounds};

/// The constraints of a program with another objective, Σ wᵢ (xᵢ − rᵢ)²/2: what is left of a program when only its constraints
/// are hard to meet.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::boundary::{Element, Piece};
/// use extremal_solve::nlp::{Assembled, Nearest, NlpBounds, NlpOptions, NlpStart, minimise};
/// // The circle x² + y² = 1, and the point of it that is nearest to (2, 2).
/// let g = Graph::new();
/// let (x, y) = (g.symbol("x"), g.symbol("y"));
/// let piece = Piece { variables: vec![x.id(), y.id()], data: vec![], cost: x.id(), rows: vec![(x * x + y * y).id()] };
/// let free = f64::INFINITY;
/// let bounds =
///     NlpBounds { lower: vec![-free; 2], upper: vec![free; 2], constraint_lower: vec![1.0], constraint_upper: vec![1.0] };
/// let element = Element { piece: 0, variables: vec![0, 1], data: [0.0; 2], rows: vec![0] };
/// let mut circle = Assembled::compile(&g, &[], &[piece], vec![element], bounds)?;
/// let mut nearest = Nearest::to(&mut circle, vec![2.0, 2.0], vec![1.0, 1.0]);
/// let start = NlpStart { x: &[2.0, 2.0], lambda: &[], bound_multipliers: None };
/// let found = minimise(&mut nearest, start, &NlpOptions::default(), &mut |_| std::ops::ControlFlow::Continue(()));
/// assert!((found.x[0] - 0.5f64.sqrt()).abs() < 1e-9 && (found.x[1] - found.x[0]).abs() < 1e-9);
/// # Ok::<(), extremal_eval::CompileError>(())
/// ```
pub struct Nearest<'n> {
    program: &'n mut dyn Nlp,
    reference: Vec<f64>,
    weights: Vec<f64>,
}

impl<'n> Nearest<'n> {
    /// The point of `program` nearest to `reference`, with a weight for each variable; one of zero leaves it to the others.
    pub fn to(program: &'n mut dyn Nlp, reference: Vec<f64>, weights: Vec<f64>) -> Nearest<'n> {
        Nearest { program, reference, weights }
    }
}

impl Nlp for Nearest<'_> {
    fn bounds(&self) -> NlpBounds {
        self.program.bounds()
    }

    fn jacobian_pattern(&self) -> Vec<(usize, usize)> {
        self.program.jacobian_pattern()
    }

    fn hessian_pattern(&self) -> Vec<(usize, usize)> {
        let mut pattern = self.program.hessian_pattern();
        pattern.extend((0..self.weights.len()).map(|i| (i, i)));
        pattern
    }

    fn objective(&mut self, x: &[f64]) -> f64 {
        let parts = self.weights.iter().zip(x).zip(&self.reference);
        parts.map(|((weight, x), r)| 0.5 * weight * (x - r).powi(2)).sum()
    }

    fn gradient(&mut self, x: &[f64], out: &mut [f64]) {
        for (((out, weight), x), r) in out.iter_mut().zip(&self.weights).zip(x).zip(&self.reference) {
            *out = weight * (x - r);
        }
    }

    fn constraints(&mut self, x: &[f64], out: &mut [f64]) {
        self.program.constraints(x, out);
    }

    fn jacobian(&mut self, x: &[f64], out: &mut [f64]) {
        self.program.jacobian(x, out);
    }

    fn hessian(&mut self, x: &[f64], sigma: f64, lambda: &[f64], out: &mut [f64]) {
        let (own, near) = out.split_at_mut(out.len() - self.weights.len());
        self.program.hessian(x, 0.0, lambda, own);
        for (out, weight) in near.iter_mut().zip(&self.weights) {
            *out = sigma * weight;
        }
    }

    fn metric(&self) -> Vec<f64> {
        self.program.metric()
    }

    fn is_inside(&mut self, x: &[f64]) -> bool {
        self.program.is_inside(x)
    }
}
