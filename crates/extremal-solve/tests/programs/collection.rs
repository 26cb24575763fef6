//! The problems of Hock and Schittkowski, in `hock_schittkowski.txt`.

use extremal_solve::nlp::NlpStatus;

use crate::text::{FREE, Text};

/// A bound that is left out is none.
fn bound(text: &str, otherwise: f64) -> f64 {
    if text.is_empty() { otherwise } else { text.parse().unwrap() }
}

#[test]
fn minima_of_hock_and_schittkowski() {
    let lines = include_str!("hock_schittkowski.txt").lines().filter(|line| !line.starts_with('#'));
    let lines: Vec<&str> = lines.collect();
    let problems: Vec<&[&str]> = lines.chunk_by(|_, line| line.starts_with(' ')).collect();
    assert_eq!(problems.len(), 21);
    for problem in problems {
        let [statement, objective, constraints @ ..] = problem else { panic!("{problem:?}") };
        let (number, rest) = statement.split_once(" minimum ").unwrap();
        let (minimum, rest) = rest.split_once(" start ").unwrap();
        let (start, bounds) = rest.split_once(" bounds ").unwrap_or((rest, ""));
        let minimum: f64 = minimum.parse().unwrap();
        let start: Vec<f64> = start.split(' ').map(|number| number.parse().unwrap()).collect();
        let bounds = bounds.split_whitespace().map(|pair| pair.split_once(':').unwrap());
        let bounds: Vec<(f64, f64)> = bounds.map(|(low, high)| (bound(low, -FREE), bound(high, FREE))).collect();
        let constraint = |line: &&'static str| match line.split_once(" >= ") {
            Some((left, right)) => (left.trim(), right.parse().unwrap(), FREE),
            None => {
                let (left, right) = line.split_once(" = ").unwrap();
                (left.trim(), right.parse().unwrap(), right.parse().unwrap())
            }
        };
        let constraints = constraints.iter().map(constraint).collect();
        let solution = Text { objective: objective.trim(), constraints, bounds: &bounds, start: &start }.minimise();
        assert_eq!(solution.status, NlpStatus::Solved, "HS{number}: {:?}", solution.last);
        // Printed with nine digits or fewer; the flat ones (26) end where their slope is below the tolerance.
        let error = (solution.objective - minimum).abs() / minimum.abs().max(1.0);
        assert!(error < 2e-8, "HS{number}: {} instead of {minimum}, {:?}", solution.objective, solution.last);
        assert!(solution.iterations < 100, "HS{number}: {} iterations", solution.iterations);
    }
}
