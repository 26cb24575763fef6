//! Differential forms on a space with coordinates: sums of expressions times differentials.

use extremal_expr::{Expr, Graph};

/// Σ a_i dz_i.
#[derive(Clone, Debug, PartialEq)]
pub struct OneForm<'g> {
    /// The coordinates z_i.
    pub variables: Vec<Expr<'g>>,
    /// The coefficients a_i.
    pub coefficients: Vec<Expr<'g>>,
}

/// Σ_(i<j) a_ij dz_i ∧ dz_j.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoForm<'g> {
    /// The coordinates z_i.
    pub variables: Vec<Expr<'g>>,
    /// The whole matrix a_ij = −a_ji by rows.
    pub matrix: Vec<Expr<'g>>,
}

impl<'g> OneForm<'g> {
    /// The form that is zero everywhere.
    pub fn zero(g: &'g Graph, variables: &[Expr<'g>]) -> OneForm<'g> {
        OneForm { variables: variables.to_vec(), coefficients: vec![g.int(0); variables.len()] }
    }

    /// The differential df of a function.
    pub fn differential_of(f: Expr<'g>, variables: &[Expr<'g>]) -> OneForm<'g> {
        OneForm { variables: variables.to_vec(), coefficients: f.graph().gradient(f, variables) }
    }

    /// Its value on a vector field.
    pub fn of(&self, field: &[Expr<'g>]) -> Option<Expr<'g>> {
        let g = field.first()?.graph();
        Some(g.dot(&self.coefficients, field))
    }

    /// The exterior derivative dα, whose entries are ∂_i a_j − ∂_j a_i.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::geometry::OneForm;
    /// let g = Graph::new();
    /// let (x, p) = (g.symbol("x"), g.symbol("p"));
    /// // −d(p dx) = dx ∧ dp.
    /// let liouville = OneForm { variables: vec![x, p], coefficients: vec![p, g.int(0)] };
    /// assert_eq!(liouville.exterior().matrix[1], g.int(-1));
    /// ```
    pub fn exterior(&self) -> TwoForm<'g> {
        let n = self.variables.len();
        let Some(g) = self.variables.first().map(|z| z.graph()) else {
            return TwoForm { variables: Vec::new(), matrix: Vec::new() };
        };
        let mut matrix = vec![g.int(0); n * n];
        for (j, row) in g.jacobian(&self.coefficients, &self.variables).into_iter().enumerate() {
            for (i, slope) in row {
                matrix[i * n + j] = matrix[i * n + j] + slope;
                matrix[j * n + i] = matrix[j * n + i] - slope;
            }
        }
        TwoForm { variables: self.variables.clone(), matrix }
    }

    /// The sum of forms on one space.
    pub fn plus(&self, other: &OneForm<'g>) -> OneForm<'g> {
        let sums = self.coefficients.iter().zip(&other.coefficients).map(|(a, b)| *a + *b).collect();
        OneForm { variables: self.variables.clone(), coefficients: sums }
    }

    /// The difference of forms on one space.
    pub fn minus(&self, other: &OneForm<'g>) -> OneForm<'g> {
        let rest = self.coefficients.iter().zip(&other.coefficients).map(|(a, b)| *a - *b).collect();
        OneForm { variables: self.variables.clone(), coefficients: rest }
    }
}

impl<'g> TwoForm<'g> {
    /// Σ_k dx_k ∧ α_k, where x_k is the coordinate at `places[k]`.
    pub fn of_pairs(variables: &[Expr<'g>], places: &[usize], forms: &[OneForm<'g>]) -> TwoForm<'g> {
        let n = variables.len();
        let mut matrix: Vec<Expr<'g>> = Vec::new();
        if let Some(z) = variables.first() {
            matrix = vec![z.graph().int(0); n * n];
        }
        for (place, form) in places.iter().zip(forms) {
            for (j, coefficient) in form.coefficients.iter().enumerate().filter(|(j, _)| j != place) {
                matrix[place * n + j] = matrix[place * n + j] + *coefficient;
                matrix[j * n + place] = matrix[j * n + place] - *coefficient;
            }
        }
        TwoForm { variables: variables.to_vec(), matrix }
    }

    /// ι_X ω, the form Y ↦ ω(X, Y).
    pub fn contracted(&self, field: &[Expr<'g>]) -> OneForm<'g> {
        let n = self.variables.len();
        let coefficient = |j: usize| {
            let column: Vec<Expr<'g>> = (0..n).map(|i| self.matrix[i * n + j]).collect();
            self.variables[j].graph().dot(field, &column)
        };
        OneForm { variables: self.variables.clone(), coefficients: (0..n).map(coefficient).collect() }
    }

    /// The coefficients a_ij with i < j that are not written as zero.
    pub fn terms(&self) -> impl Iterator<Item = (usize, usize, Expr<'g>)> + '_ {
        let n = self.variables.len();
        let above = (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)));
        above.map(move |(i, j)| (i, j, self.matrix[i * n + j])).filter(|(_, _, a)| !a.is_zero())
    }

    /// The difference of forms on one space.
    pub fn minus(&self, other: &TwoForm<'g>) -> TwoForm<'g> {
        let rest = self.matrix.iter().zip(&other.matrix).map(|(a, b)| *a - *b).collect();
        TwoForm { variables: self.variables.clone(), matrix: rest }
    }
}
