//! Optimal control by hand: the numbers of a transcription before any model file.

use std::ops::ControlFlow;
use std::time::Instant;

use extremal_expr::Graph;
use extremal_expr::syntax::{AnyName, parse_expression};
use extremal_mechanics::System;
use extremal_mechanics::boundary::{Condition, Quantity, Question, controlled_motion};
use extremal_solve::nlp::{Assembled, Bounds, NlpOptions, NlpSolution, NlpStart, NlpStatus, minimise};

const FREE: f64 = f64::INFINITY;

/// Cart and pole between two rests, as in the thesis on vakonomic control: masses 1 and 0.3, length 0.5.
fn cart_pole(steps: usize, bound: f64) -> (NlpSolution, f64) {
    let g = Graph::new();
    let text = "1.3/2*x'^2 + 0.15*cos(th)*x'*th' + 0.0375*th'^2 - 0.3*9.81*0.5*cos(th)";
    let lagrangian = parse_expression(&g, text, &AnyName(&g)).unwrap().value;
    let mut system = System::new(&g, &["x", "th"], lagrangian);
    let u = g.symbol("u");
    system.force[0] = u;
    let question = Question { controls: vec![u], running: Some(u.powi(2)), ..Question::default() };
    let problem = controlled_motion(&system, &"midpoint".parse().unwrap(), None, &question, &[]).unwrap();
    let grid: Vec<f64> = (0..=steps).map(|k| k as f64 / steps as f64).collect();
    let layout = problem.assemble(&grid);
    let (start, end) = ([0.0, std::f64::consts::PI], [1.0, 0.0]);
    let (mut lower, mut upper, mut guess) = (Vec::new(), Vec::new(), Vec::new());
    for (quantity, k) in &layout.variables {
        let s = *k as f64 / steps as f64;
        let (range, value) = match quantity {
            Quantity::Position(i) => {
                let value = start[*i] + s * (end[*i] - start[*i]);
                (if *k == 0 || *k == steps { (value, value) } else { (-FREE, FREE) }, value)
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
    assert!(layout.rows.iter().all(|(row, _)| matches!(row, Condition::Motion(_))));
    let bounds = Bounds { lower, upper, constraint_lower: vec![0.0; rows], constraint_upper: vec![0.0; rows] };
    let pieces: Vec<_> = problem.pieces.iter().map(|placed| placed.piece.clone()).collect();
    let parameters: Vec<_> = problem.duration.into_iter().collect();
    let mut nlp = Assembled::compile(&g, &parameters, &pieces, layout.elements, bounds).unwrap();
    nlp.set_parameters(&[2.0]);
    let clock = Instant::now();
    let verbose = std::env::var_os("SHOW_ITERATIONS").is_some();
    let solution = minimise(&mut nlp, NlpStart { x: &guess, lambda: &[] }, &NlpOptions::default(), &mut |line| {
        if verbose {
            println!("{line:?}");
        }
        ControlFlow::Continue(())
    });
    (solution, clock.elapsed().as_secs_f64())
}

#[test]
fn cart_pole_from_rest_to_rest() {
    let (solution, time) = cart_pole(50, 20.0);
    println!("{:?} {} {} {time}", solution.status, solution.objective, solution.iterations);
    assert_eq!(solution.status, NlpStatus::Solved);
    assert!((solution.objective - 59.5370549).abs() < 1e-6);
    let (solution, time) = cart_pole(50, 10.0);
    println!("{:?} {} {} {time}", solution.status, solution.objective, solution.iterations);
    assert!((solution.objective - 62.966959).abs() < 1e-5);
    let (solution, time) = cart_pole(50, 4.0);
    println!("{:?} {} {} {time} {:?}", solution.status, solution.objective, solution.iterations, solution.last);
    assert_eq!(solution.status, NlpStatus::Infeasible);
    let (solution, time) = cart_pole(3333, 20.0);
    println!("{:?} {} {} {time}", solution.status, solution.objective, solution.iterations);
}
