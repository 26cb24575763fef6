//! A formula to be computed: inputs, a short list of solves done in order, outputs.

use std::collections::HashMap;

use extremal_expr::{Expr, Graph, Id};

/// What a computation is, symbolically. One engine compiles and runs any of these; no method has numeric code of its own.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Symbols given from outside at every call.
    pub inputs: Vec<Id>,
    /// Systems of equations, each of which may use the unknowns of those before it.
    pub solves: Vec<Solve>,
    /// The results, from inputs and unknowns.
    pub outputs: Vec<Id>,
}

/// A square system of equations.
#[derive(Clone, Debug)]
pub struct Solve {
    /// What it is solved for.
    pub unknowns: Vec<Id>,
    /// Expressions that vanish at the solution.
    pub residual: Vec<Id>,
    /// A first guess, from inputs and earlier unknowns.
    pub guess: Vec<Id>,
}

impl Solve {
    /// A system of equations for `unknowns`.
    pub fn new(unknowns: &[Expr<'_>], residual: &[Expr<'_>], guess: &[Expr<'_>]) -> Solve {
        let ids = |exprs: &[Expr<'_>]| exprs.iter().map(|e| e.id()).collect();
        Solve { unknowns: ids(unknowns), residual: ids(residual), guess: ids(guess) }
    }

    /// Both systems as one.
    pub fn with(mut self, other: Solve) -> Solve {
        self.unknowns.extend(other.unknowns);
        self.residual.extend(other.residual);
        self.guess.extend(other.guess);
        self
    }
}

impl Block {
    /// Solves in closed form what can be: rows that are affine in a single unknown, over and over. What remains is left to
    /// Newton; a method that is explicit for this system ends with no solve at all.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::{Block, Solve};
    /// let g = Graph::new();
    /// let (a, u, w) = (g.symbol("a"), g.symbol("u"), g.symbol("w"));
    /// let block = Block {
    ///     inputs: vec![a.id()],
    ///     solves: vec![Solve {
    ///         unknowns: vec![u.id(), w.id()],
    ///         residual: vec![(u * 2 - a).id(), (w + u.powi(2)).id()],
    ///         guess: vec![a.id(), a.id()],
    ///     }],
    ///     outputs: vec![w.id()],
    /// };
    /// let explicit = block.eliminated(&g);
    /// assert!(explicit.solves.is_empty());
    /// assert_eq!(g.expr(explicit.outputs[0]), -(a / 2).powi(2));
    /// ```
    pub fn eliminated(&self, g: &Graph) -> Block {
        let mut known: Vec<(Expr<'_>, Expr<'_>)> = Vec::new();
        let mut solves = Vec::new();
        for solve in &self.solves {
            let unknowns = g.exprs(&solve.unknowns);
            let residual = g.substitute(&g.exprs(&solve.residual), &known);
            let guess = g.substitute(&g.exprs(&solve.guess), &known);
            if let Some(open) = eliminate(g, unknowns, residual, guess, &mut known) {
                solves.push(open);
            }
        }
        let outputs = g.substitute(&g.exprs(&self.outputs), &known);
        Block { inputs: self.inputs.clone(), solves, outputs: outputs.iter().map(|e| e.id()).collect() }
    }
}

/// Appends what is solved to `known` (fully substituted) and returns what is left.
fn eliminate<'g>(
    g: &'g Graph,
    mut unknowns: Vec<Expr<'g>>,
    mut residual: Vec<Expr<'g>>,
    mut guess: Vec<Expr<'g>>,
    known: &mut Vec<(Expr<'g>, Expr<'g>)>,
) -> Option<Solve> {
    let zero = g.int(0);
    while !unknowns.is_empty() {
        let lone = rows_with_one_unknown(g, &residual, &unknowns);
        let slopes = g.jacobian(&lone.iter().map(|row| residual[*row]).collect::<Vec<_>>(), &unknowns);
        let entries: Vec<(usize, usize, Expr<'g>)> =
            lone.iter().zip(&slopes).filter_map(|(row, slope)| slope.first().map(|(c, e)| (*row, *c, *e))).collect();
        let varying = g.depend_on(&entries.iter().map(|(.., slope)| *slope).collect::<Vec<_>>(), &unknowns);
        let at_zero: Vec<_> = unknowns.iter().map(|u| (*u, zero)).collect();
        let mut solved = vec![false; unknowns.len()];
        let mut candidates = Vec::new();
        for ((row, column, slope), varies) in entries.into_iter().zip(varying) {
            if !varies && !solved[column] {
                solved[column] = true;
                candidates.push((row, column, slope));
            }
        }
        if candidates.is_empty() {
            break;
        }
        let constants: Vec<_> = candidates.iter().map(|(row, ..)| residual[*row]).collect();
        let constants = g.substitute(&constants, &at_zero);
        let fresh: Vec<_> = candidates
            .iter()
            .zip(&constants)
            .map(|((_, column, slope), constant)| (unknowns[*column], -*constant / *slope))
            .collect();
        let mut used = vec![false; residual.len()];
        candidates.iter().for_each(|(row, ..)| used[*row] = true);
        let open_rows: Vec<_> = (0..residual.len()).filter(|row| !used[*row]).map(|row| residual[row]).collect();
        residual = g.substitute(&open_rows, &fresh);
        let keep = |at: &usize| !solved[*at];
        guess = (0..unknowns.len()).filter(keep).map(|i| guess[i]).collect();
        unknowns = (0..unknowns.len()).filter(keep).map(|i| unknowns[i]).collect();
        known.extend(fresh);
    }
    (!unknowns.is_empty()).then(|| Solve::new(&unknowns, &residual, &guess))
}

/// The rows that contain exactly one of the unknowns. Most systems have none, and looking costs far less than slopes.
fn rows_with_one_unknown<'g>(g: &'g Graph, rows: &[Expr<'g>], unknowns: &[Expr<'g>]) -> Vec<usize> {
    let ids: Vec<Id> = rows.iter().map(|e| e.id()).collect();
    let mut contents: HashMap<Id, Content> = unknowns.iter().map(|u| (u.id(), Content::Only(u.id()))).collect();
    for id in g.reachable(&ids) {
        if contents.contains_key(&id) {
            continue;
        }
        let mut content = Content::Nothing;
        g.expr(id).node().for_each_child(|child| {
            content = content.with(contents.get(&child).copied().unwrap_or(Content::Nothing));
        });
        contents.insert(id, content);
    }
    (0..rows.len()).filter(|row| matches!(contents[&ids[*row]], Content::Only(_))).collect()
}

/// Which unknowns an expression contains.
#[derive(Clone, Copy, PartialEq)]
enum Content {
    Nothing,
    Only(Id),
    Several,
}

impl Content {
    fn with(self, other: Content) -> Content {
        match (self, other) {
            (Content::Nothing, content) | (content, Content::Nothing) => content,
            (a, b) if a == b => a,
            _ => Content::Several,
        }
    }
}
