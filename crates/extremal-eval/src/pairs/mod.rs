//! Sums over all pairs of like members: the term of one pair, with its slopes, becomes a loop in which one member stays and the
//! others go by.
//!
//! A pair is looked at once: what it gives to the member that goes by is added to an array, what it gives to the member that stays is
//! added up on the way. Members go by in groups of [`LANES`](crate::lattice::body::LANES), whatever runs the loop, and a group adds to so
//! many sums side by side: so the order of all additions, and with it every bit, is the same on every machine.
//!
//! `kernel` writes the loop, `machine` runs it.

mod kernel;
mod machine;

use std::sync::Arc;

use extremal_expr::{Expr, Graph, Id, Node};
use rustc_hash::FxHashMap;

use crate::program::{CompileError, EntryPoint, Program};

pub use machine::PairMachine;

/// A sum over all pairs of like members, by the term of one pair.
#[derive(Clone, Copy)]
pub struct PairwiseFormulas<'a> {
    /// Where the expressions are.
    pub graph: &'a Graph,
    /// Inputs that seldom change.
    pub parameters: &'a [Id],
    /// What is known of the first member of a pair, and of the second in the same order.
    pub members: [&'a [Id]; 2],
    /// The sum is differentiated by so many of these, the first ones.
    pub moving: usize,
    /// The term of one pair.
    pub term: Id,
}

/// A sum over all pairs of any number of members, and its slopes by what each member has.
///
/// ```
/// use extremal_eval::{PairwiseFormulas, PairProgram};
/// use extremal_expr::Graph;
///
/// // The products of all pairs of numbers: the slope by one of them is the sum of the others.
/// let g = Graph::new();
/// let (a, b) = (g.symbol("a"), g.symbol("b"));
/// let formulas =
///     PairwiseFormulas { graph: &g, parameters: &[], members: [&[a.id()], &[b.id()]], moving: 1, term: (a * b).id() };
/// let program = PairProgram::compile(formulas)?;
/// let mut machine = program.machine(100);
/// machine.set_parameters(&[]);
/// let numbers: Vec<f64> = (1..=100).map(f64::from).collect();
/// let mut slopes = vec![0.0; 100];
/// assert_eq!(machine.run(&numbers, &mut slopes), (5050.0 * 5050.0 - 338_350.0) / 2.0);
/// assert_eq!((slopes[0], slopes[99]), (5049.0, 4950.0));
/// # Ok::<(), extremal_eval::CompileError>(())
/// ```
#[derive(Clone)]
pub struct PairProgram {
    code: Arc<PairCode>,
}

struct PairCode {
    /// Parameters, the first member, the second one; its outputs are the slopes by the first, those by the second, the term.
    program: Program,
    parameters: usize,
    /// Numbers that each member has, of which the first are moving.
    members: usize,
    moving: usize,
}

impl PairProgram {
    /// Differentiates the term and compiles it with its slopes.
    pub fn compile(formulas: PairwiseFormulas<'_>) -> Result<PairProgram, CompileError> {
        let PairwiseFormulas { graph: g, parameters, members: [first, second], moving, term } = formulas;
        let by: Vec<Expr<'_>> =
            [first, second].iter().flat_map(|list| list.iter().take(moving)).map(|id| g.expr(*id)).collect();
        let mut wanted = g.gradient(g.expr(term), &by);
        wanted.push(g.expr(term));
        let (wanted, names) = divided_once(g, &wanted);
        let inputs = [parameters.to_vec(), first.to_vec(), second.to_vec()];
        let entry = EntryPoint { tier: 2, outputs: wanted.iter().map(|e| e.id()).collect() };
        let program = Program::compile_with_names(g, &inputs, &names, &[entry])?;
        Ok(PairProgram {
            code: Arc::new(PairCode { program, parameters: parameters.len(), members: first.len(), moving }),
        })
    }

    /// The operations for one pair.
    pub fn operations(&self) -> usize {
        self.code.program.ops(0).len()
    }
}

/// The same with a name for every number that is divided by, and its powers in terms of that name: the slopes of a term divide
/// by powers of one number, which takes one division where the name stands for its inverse.
fn divided_once<'g>(g: &'g Graph, wanted: &[Expr<'g>]) -> (Vec<Expr<'g>>, Vec<(Id, Id)>) {
    let roots: Vec<Id> = wanted.iter().map(|e| e.id()).collect();
    let mut names: Vec<(Id, Id)> = Vec::new();
    let mut rewritten: Vec<(Expr<'g>, Expr<'g>)> = Vec::new();
    let mut inverses: FxHashMap<Id, Expr<'g>> = FxHashMap::default();
    for id in g.reachable(&roots) {
        let written = g.expr(id);
        let Node::Product(factors) = written.node() else { continue };
        if factors.iter().all(|(_, exponent)| *exponent >= 0) {
            continue;
        }
        let mut product = Vec::with_capacity(factors.len());
        for (base, exponent) in factors.iter() {
            let inner = g.substitute(&[g.expr(*base)], &rewritten)[0];
            product.push(match *exponent {
                0.. => inner.powi(*exponent),
                _ => {
                    let inverse = *inverses.entry(*base).or_insert_with(|| {
                        let name = g.symbol(&format!("inverse {}", names.len()));
                        names.push((name.id(), inner.powi(-1).id()));
                        name
                    });
                    inverse.powi(exponent.saturating_neg())
                }
            });
        }
        rewritten.push((written, g.product(product)));
    }
    (g.substitute(wanted, &rewritten), names)
}
