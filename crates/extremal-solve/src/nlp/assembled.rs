//! A program put together from many copies of a few compiled pieces.

use extremal_eval::{CompileError, EntryPoint, Machine, Program};
use extremal_expr::{Expr, Graph, Id};
use extremal_mechanics::boundary::{Element, Piece};

use super::{Nlp, NlpBounds};

/// A program whose cost and rows are sums over elements: copies of pieces with their own variables and data. Each piece is
/// differentiated and compiled once, whatever the number of its copies.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::boundary::{Element, Piece};
/// use extremal_solve::nlp::{Assembled, NlpBounds, Nlp};
/// // Σ (x_{k+1} − x_k)² over two steps, by one piece.
/// let g = Graph::new();
/// let (a, b) = (g.symbol("a"), g.symbol("b"));
/// let piece = Piece { variables: vec![a.id(), b.id()], data: vec![], cost: (b - a).powi(2).id(), rows: vec![] };
/// let copy = |k: usize| Element { piece: 0, variables: vec![k, k + 1], data: [0.0; 2], rows: vec![] };
/// let free = f64::INFINITY;
/// let bounds = NlpBounds { lower: vec![-free; 3], upper: vec![free; 3], ..NlpBounds::default() };
/// let mut sum = Assembled::compile(&g, &[], &[piece], vec![copy(0), copy(1)], bounds)?;
/// assert_eq!(sum.objective(&[0.0, 1.0, 3.0]), 5.0);
/// # Ok::<(), extremal_eval::CompileError>(())
/// ```
#[derive(Clone)]
pub struct Assembled {
    pieces: Vec<CompiledPiece>,
    elements: Vec<Element>,
    /// Elements all of whose rows must be positive for the functions to be used.
    guards: Vec<Element>,
    bounds: NlpBounds,
    metric: Option<Vec<f64>>,
}

/// Tiers of the inputs of a piece.
const PARAMETERS: usize = 0;
const DATA: usize = 1;
const VARIABLES: usize = 2;
const WEIGHTS: usize = 3;
/// Entries of the program of a piece.
const COST: usize = 0;
const GRADIENT: usize = 1;
const ROWS: usize = 2;
const JACOBIAN: usize = 3;
const HESSIAN: usize = 4;

/// A piece, its derivatives and their patterns.
#[derive(Clone)]
struct CompiledPiece {
    machine: Machine,
    data: usize,
    gradient: Vec<usize>,
    jacobian: Vec<(usize, usize)>,
    hessian: Vec<(usize, usize)>,
    rows: usize,
    out: Vec<f64>,
}

impl CompiledPiece {
    fn of(g: &Graph, parameters: &[Id], piece: &Piece) -> Result<CompiledPiece, CompileError> {
        let variables = g.exprs(&piece.variables);
        let rows = g.exprs(&piece.rows);
        let cost = g.expr(piece.cost);
        let slopes = g.gradient(cost, &variables);
        let gradient: Vec<usize> = (0..slopes.len()).filter(|k| !slopes[*k].is_zero()).collect();
        let jacobian_rows = g.jacobian(&rows, &variables);
        let weights: Vec<Expr<'_>> = (0..=rows.len()).map(|row| fresh(g, &format!("weight_{row}"))).collect();
        let lagrangian = weights[0] * cost + g.dot(&weights[1..], &rows);
        let curvature = g.jacobian(&g.gradient(lagrangian, &variables), &variables);
        let below: Vec<(usize, usize, Id)> = curvature
            .iter()
            .enumerate()
            .flat_map(|(i, row)| row.iter().filter(move |(j, _)| *j <= i).map(move |(j, e)| (i, *j, e.id())))
            .collect();
        let flat =
            |rows: &[Vec<(usize, Expr<'_>)>]| -> Vec<Id> { rows.iter().flatten().map(|(_, e)| e.id()).collect() };
        let entries = [
            EntryPoint { tier: VARIABLES, outputs: vec![piece.cost] },
            EntryPoint { tier: VARIABLES, outputs: gradient.iter().map(|k| slopes[*k].id()).collect() },
            EntryPoint { tier: VARIABLES, outputs: piece.rows.clone() },
            EntryPoint { tier: VARIABLES, outputs: flat(&jacobian_rows) },
            EntryPoint { tier: WEIGHTS, outputs: below.iter().map(|(.., id)| *id).collect() },
        ];
        let inputs = [
            parameters.to_vec(),
            piece.data.clone(),
            piece.variables.clone(),
            weights.iter().map(|w| w.id()).collect(),
        ];
        let program = Program::compile(g, &inputs, &entries)?;
        let jacobian: Vec<_> = jacobian_rows
            .iter()
            .enumerate()
            .flat_map(|(row, e)| e.iter().map(move |(column, _)| (row, *column)))
            .collect();
        let longest = [1, gradient.len(), rows.len(), jacobian.len(), below.len()].into_iter().max().unwrap_or(1);
        Ok(CompiledPiece {
            machine: program.machine(),
            data: piece.data.len(),
            gradient,
            jacobian,
            hessian: below.iter().map(|(i, j, _)| (*i, *j)).collect(),
            rows: rows.len(),
            out: vec![0.0; longest],
        })
    }

    /// Loads the data and the variables of a copy.
    fn load(&mut self, element: &Element, x: &[f64]) {
        self.machine.inputs_mut(DATA).copy_from_slice(&element.data[..self.data]);
        self.machine.commit(DATA);
        for (input, variable) in self.machine.inputs_mut(VARIABLES).iter_mut().zip(&element.variables) {
            *input = x[*variable];
        }
    }

    fn run(&mut self, entry: usize, length: usize) -> &[f64] {
        self.machine.run(entry, &mut self.out[..length]);
        &self.out[..length]
    }
}

/// A symbol that nobody uses: names of users have no such character.
fn fresh<'g>(g: &'g Graph, name: &str) -> Expr<'g> {
    g.symbol(&format!("{name}~"))
}

impl Assembled {
    /// Compiles the pieces; `parameters` are symbols whose values are set by [`Assembled::set_parameters`].
    pub fn compile(
        g: &Graph,
        parameters: &[Id],
        pieces: &[Piece],
        elements: Vec<Element>,
        bounds: NlpBounds,
    ) -> Result<Assembled, CompileError> {
        let pieces = pieces.iter().map(|piece| CompiledPiece::of(g, parameters, piece)).collect::<Result<_, _>>()?;
        let mut assembled = Assembled { pieces, elements, guards: Vec::new(), bounds, metric: None };
        if parameters.is_empty() {
            assembled.set_parameters(&[]);
        }
        Ok(assembled)
    }

    /// Sets the parameters.
    pub fn set_parameters(&mut self, values: &[f64]) {
        for piece in &mut self.pieces {
            piece.machine.inputs_mut(PARAMETERS).copy_from_slice(values);
            piece.machine.commit(PARAMETERS);
        }
    }

    /// What the pieces were compiled to.
    pub fn programs(&self) -> impl Iterator<Item = Program> {
        self.pieces.iter().map(|piece| piece.machine.program())
    }

    /// The same pieces on other elements.
    pub fn with_elements(&self, elements: Vec<Element>, bounds: NlpBounds) -> Assembled {
        Assembled { pieces: self.pieces.clone(), elements, guards: Vec::new(), bounds, metric: None }
    }

    /// Sets the bounds, of as many variables and constraints as before.
    pub fn set_bounds(&mut self, bounds: NlpBounds) {
        self.bounds = bounds;
    }

    /// With elements that add nothing to the program, but all of whose rows must be positive wherever it is evaluated.
    pub fn guarded(self, guards: Vec<Element>) -> Assembled {
        Assembled { guards, ..self }
    }

    /// With a weight for each variable, by which displacements are measured.
    pub fn measured(self, metric: Vec<f64>) -> Assembled {
        Assembled { metric: Some(metric), ..self }
    }

    /// What the elements add to the objective, without their signs: it is small only against this.
    pub fn objective_size(&mut self, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for element in &self.elements {
            let piece = &mut self.pieces[element.piece];
            piece.load(element, x);
            sum += piece.run(COST, 1)[0].abs();
        }
        sum
    }
}

impl Nlp for Assembled {
    fn bounds(&self) -> NlpBounds {
        self.bounds.clone()
    }

    fn metric(&self) -> Vec<f64> {
        self.metric.clone().unwrap_or_else(|| vec![1.0; self.bounds.lower.len()])
    }

    fn is_inside(&mut self, x: &[f64]) -> bool {
        self.guards.iter().all(|element| {
            let piece = &mut self.pieces[element.piece];
            piece.load(element, x);
            piece.run(ROWS, piece.rows).iter().all(|value| *value > 0.0)
        })
    }

    fn jacobian_pattern(&self) -> Vec<(usize, usize)> {
        let places = |element: &Element| {
            let local = &self.pieces[element.piece].jacobian;
            local.iter().map(|(row, column)| (element.rows[*row], element.variables[*column])).collect::<Vec<_>>()
        };
        self.elements.iter().flat_map(places).collect()
    }

    fn hessian_pattern(&self) -> Vec<(usize, usize)> {
        let places = |element: &Element| {
            let local = &self.pieces[element.piece].hessian;
            local.iter().map(|(i, j)| (element.variables[*i], element.variables[*j])).collect::<Vec<_>>()
        };
        self.elements.iter().flat_map(places).collect()
    }

    fn objective(&mut self, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for element in &self.elements {
            let piece = &mut self.pieces[element.piece];
            piece.load(element, x);
            sum += piece.run(COST, 1)[0];
        }
        sum
    }

    fn gradient(&mut self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for element in &self.elements {
            let piece = &mut self.pieces[element.piece];
            piece.load(element, x);
            piece.run(GRADIENT, piece.gradient.len());
            for (local, value) in piece.gradient.iter().zip(&piece.out) {
                out[element.variables[*local]] += value;
            }
        }
    }

    fn constraints(&mut self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for element in &self.elements {
            let piece = &mut self.pieces[element.piece];
            piece.load(element, x);
            for (row, value) in element.rows.iter().zip(piece.run(ROWS, piece.rows)) {
                out[*row] += value;
            }
        }
    }

    fn jacobian(&mut self, x: &[f64], out: &mut [f64]) {
        let mut at = 0;
        for element in &self.elements {
            let piece = &mut self.pieces[element.piece];
            piece.load(element, x);
            let length = piece.jacobian.len();
            out[at..at + length].copy_from_slice(piece.run(JACOBIAN, length));
            at += length;
        }
    }

    fn hessian(&mut self, x: &[f64], sigma: f64, lambda: &[f64], out: &mut [f64]) {
        let mut at = 0;
        for element in &self.elements {
            let piece = &mut self.pieces[element.piece];
            piece.load(element, x);
            piece.machine.commit(VARIABLES);
            let weights = piece.machine.inputs_mut(WEIGHTS);
            weights[0] = sigma;
            for (weight, row) in weights[1..].iter_mut().zip(&element.rows) {
                *weight = lambda[*row];
            }
            let length = piece.hessian.len();
            out[at..at + length].copy_from_slice(piece.run(HESSIAN, length));
            at += length;
        }
    }
}
