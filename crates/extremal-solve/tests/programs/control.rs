//! Optimal control by hand: the numbers of a transcription before any model file.

use std::ops::ControlFlow;

use extremal_expr::syntax::{AnyName, parse_expression};
use extremal_expr::{Expr, Graph};
use extremal_mechanics::System;
use extremal_mechanics::boundary::{Quantity, Question, Transcription, controlled_motion};
use extremal_model::Method;
use extremal_solve::nlp::{Assembled, NlpBounds, NlpOptions, NlpSolution, NlpStart, NlpStatus, minimise};

const FREE: f64 = f64::INFINITY;
const DURATION: f64 = 2.0;
const ENDS: [[f64; 2]; 2] = [[0.0, std::f64::consts::PI], [1.0, 0.0]];

/// Cart and pole of the thesis on vakonomic control: masses 1 and 0.3, length 0.5, and the force u on the cart, as a symbol.
fn cart_pole(g: &Graph) -> (System<'_>, Expr<'_>) {
    let text = "1.3/2*x'^2 + 0.15*cos(th)*x'*th' + 0.0375*th'^2 - 0.3*9.81*0.5*cos(th)";
    let lagrangian = parse_expression(g, text, &AnyName(g)).unwrap().value;
    (System::new(g, &["x", "th"], lagrangian), g.symbol("u"))
}

/// Solves a transcription from straight lines between the ends, which are fixed.
fn solve(g: &Graph, problem: &Transcription, steps: usize, bound: f64) -> NlpSolution {
    let grid: Vec<f64> = (0..=steps).map(|k| k as f64 / steps as f64).collect();
    let layout = problem.assemble(&grid);
    let (mut lower, mut upper, mut guess) = (Vec::new(), Vec::new(), Vec::new());
    for (quantity, k) in &layout.variables {
        let (range, value) = match quantity {
            Quantity::Position(i) => {
                let value = ENDS[0][*i] + *k as f64 / steps as f64 * (ENDS[1][*i] - ENDS[0][*i]);
                let fixed = *k == 0 || *k == steps;
                (if fixed { (value, value) } else { (-FREE, FREE) }, value)
            }
            Quantity::StartVelocity(_) | Quantity::EndVelocity(_) => ((0.0, 0.0), 0.0),
            Quantity::Control(_) => ((-bound, bound), 0.0),
            other => panic!("{other:?}"),
        };
        lower.push(range.0);
        upper.push(range.1);
        guess.push(value);
    }
    let rows = layout.rows.len();
    let bounds = NlpBounds { lower, upper, constraint_lower: vec![0.0; rows], constraint_upper: vec![0.0; rows] };
    let pieces: Vec<_> = problem.pieces.iter().map(|placed| placed.piece.clone()).collect();
    let parameters: Vec<_> = problem.duration.into_iter().collect();
    let mut nlp = Assembled::compile(g, &parameters, &pieces, layout.elements, bounds).unwrap();
    nlp.set_parameters(&[DURATION]);
    let start = NlpStart { x: &guess, lambda: &[], bound_multipliers: None };
    minimise(&mut nlp, start, &NlpOptions::default(), &mut |_| ControlFlow::Continue(()))
}

/// From rest to rest with |u| bounded; the cost is the sum of h u².
fn rest_to_rest(steps: usize, bound: f64) -> NlpSolution {
    let g = Graph::new();
    let (mut system, u) = cart_pole(&g);
    system.force[0] = u;
    let question = Question { controls: vec![u], running: Some(u.powi(2)), ..Question::default() };
    let problem = controlled_motion(&system, &Method::Midpoint, None, &question, &[]).unwrap();
    solve(&g, &problem, steps, bound)
}

#[test]
fn cart_pole_from_rest_to_rest() {
    // The same transcription in CasADi with IPOPT.
    let solution = rest_to_rest(50, 20.0);
    assert_eq!(solution.status, NlpStatus::Solved);
    assert!((solution.objective - 59.5370549).abs() < 1e-6, "{}", solution.objective);
    let solution = rest_to_rest(50, 10.0);
    assert_eq!(solution.status, NlpStatus::Solved);
    assert!((solution.objective - 62.966959).abs() < 1e-5, "{}", solution.objective);
    assert_eq!(rest_to_rest(50, 4.0).status, NlpStatus::Infeasible);
}

#[test]
fn many_steps_cost_no_more_iterations() {
    let solution = rest_to_rest(3333, 20.0);
    assert_eq!(solution.status, NlpStatus::Solved);
    // The limit of the refined problem; the error falls like the square of the step, from 0.73 at N = 50.
    assert!((solution.objective - 58.8077).abs() < 5e-4, "{}", solution.objective);
    assert!(solution.iterations < 40, "{}", solution.iterations);
}
