//! Small programs written as text.

use std::ops::ControlFlow;

use extremal_expr::Graph;
use extremal_expr::syntax::{AnyName, parse_expression};
use extremal_mechanics::boundary::{Element, Piece};
use extremal_solve::nlp::{Assembled, Iteration, NlpBounds, NlpOptions, NlpSolution, NlpStart, minimise, stationary};

pub const FREE: f64 = f64::INFINITY;

/// minimise `objective` in `x[1]`, `x[2]`, …
pub struct Text<'t> {
    pub objective: &'t str,
    /// Each within the two numbers.
    pub constraints: Vec<(&'t str, f64, f64)>,
    /// Bounds of each variable; none for those left out.
    pub bounds: &'t [(f64, f64)],
    pub start: &'t [f64],
}

impl Text<'_> {
    fn compiled(&self) -> Assembled {
        self.compiled_inside(None)
    }

    /// With a row that must be positive wherever the program is evaluated.
    fn compiled_inside(&self, guard: Option<&str>) -> Assembled {
        let g = Graph::new();
        let read = |text: &str| parse_expression(&g, text, &AnyName(&g)).unwrap().value.id();
        let n = self.start.len();
        let variables = (1..=n).map(|i| g.symbol(&format!("x[{i}]")).id()).collect();
        let rows: Vec<_> = self.constraints.iter().map(|(text, ..)| read(text)).collect();
        let element =
            Element { piece: 0, variables: (0..n).collect(), data: [0.0; 2], rows: (0..rows.len()).collect() };
        let bound = |i: usize| self.bounds.get(i).copied().unwrap_or((-FREE, FREE));
        let bounds = NlpBounds {
            lower: (0..n).map(|i| bound(i).0).collect(),
            upper: (0..n).map(|i| bound(i).1).collect(),
            constraint_lower: self.constraints.iter().map(|(_, lower, _)| *lower).collect(),
            constraint_upper: self.constraints.iter().map(|(.., upper)| *upper).collect(),
        };
        let piece = Piece { variables, data: Vec::new(), cost: read(self.objective), rows };
        let Some(guard) = guard else {
            return Assembled::compile(&g, &[], &[piece], vec![element], bounds).unwrap();
        };
        let inside = Piece { rows: vec![read(guard)], cost: g.int(0).id(), ..piece.clone() };
        let guards = vec![Element { piece: 1, rows: Vec::new(), ..element.clone() }];
        Assembled::compile(&g, &[], &[piece, inside], vec![element], bounds).unwrap().guarded(guards)
    }

    /// With every line of the log.
    pub fn minimise_logged(&self) -> (NlpSolution, Vec<Iteration>) {
        let mut log = Vec::new();
        let start = NlpStart { x: self.start, lambda: &[], bound_multipliers: None };
        let solution = minimise(&mut self.compiled(), start, &NlpOptions::default(), &mut |line| {
            log.push(*line);
            ControlFlow::Continue(())
        });
        (solution, log)
    }

    /// Only where `guard` is positive.
    pub fn minimise_inside(&self, guard: &str) -> NlpSolution {
        let start = NlpStart { x: self.start, lambda: &[], bound_multipliers: None };
        let mut program = self.compiled_inside(Some(guard));
        minimise(&mut program, start, &NlpOptions::default(), &mut |_| ControlFlow::Continue(()))
    }

    pub fn minimise(&self) -> NlpSolution {
        let start = NlpStart { x: self.start, lambda: &[], bound_multipliers: None };
        let verbose = std::env::var_os("SHOW_ITERATIONS").is_some();
        minimise(&mut self.compiled(), start, &NlpOptions::default(), &mut |line| {
            if verbose {
                println!("{line:?}");
            }
            ControlFlow::Continue(())
        })
    }

    pub fn stationary(&self) -> NlpSolution {
        let start = NlpStart { x: self.start, lambda: &[], bound_multipliers: None };
        stationary(&mut self.compiled(), start, &NlpOptions::default(), &mut |_| ControlFlow::Continue(()))
    }
}
