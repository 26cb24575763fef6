//! Newton's method on equations that are hard to begin with, hard to end, or have no solution.

use extremal_expr::{Expr, Function, Graph};
use extremal_mechanics::{Block, Solve};
use extremal_solve::{GuessSource, Kernel, NewtonOptions, SolveFailure};

/// Solves for unknowns from their guesses, for inputs with these values.
fn solve<'g>(
    g: &'g Graph,
    unknowns: &[(Expr<'g>, f64)],
    residual: &[Expr<'g>],
    inputs: &[(Expr<'g>, f64)],
) -> Result<Vec<f64>, SolveFailure> {
    let (symbols, guess): (Vec<_>, Vec<_>) = unknowns.iter().map(|(u, guess)| (*u, g.float(*guess).unwrap())).unzip();
    let (names, values): (Vec<_>, Vec<_>) = inputs.iter().map(|(input, value)| (input.id(), *value)).unzip();
    let block = Block {
        inputs: names,
        solves: vec![Solve::new(&symbols, residual, &guess)],
        outputs: symbols.iter().map(|u| u.id()).collect(),
    };
    let mut kernel = Kernel::compile(g, &[], &block, NewtonOptions::default()).unwrap();
    let mut out = vec![0.0; symbols.len()];
    kernel.run(&values, GuessSource::Formula, &mut out).map(|_| out)
}

#[test]
fn updates_that_overshoot_are_shortened() {
    // From beyond 1.39 every whole update of Newton's method on the arctangent leads further away.
    let g = Graph::new();
    let (u, a) = (g.symbol("u"), g.symbol("a"));
    let row = u.call(Function::Atan) - a;
    for guess in [2.0, 5.0, 10.0] {
        let found = solve(&g, &[(u, guess)], &[row], &[(a, 0.3)]).unwrap();
        // The slope is 0.91: a residual of a few ε of 0.3 is as much of u.
        assert!((found[0] - 0.3f64.tan()).abs() < 1e-15, "from {guess}: {}", found[0]);
    }
}

#[test]
fn a_guess_outside_the_domain_is_brought_back_into_it() {
    // Defined between 1/8 and 1, not at zero: 3 is halved twice.
    let g = Graph::new();
    let (u, a) = (g.symbol("u"), g.symbol("a"));
    let row = (g.int(1) - u).log() + (u - g.int(1) / 8).log() - a;
    let found = solve(&g, &[(u, 3.0)], &[row], &[(a, (0.5f64 * 0.375).ln())]).unwrap();
    // Both 1/2 and 5/8 solve (1 − u)(u − 1/8) = 3/16.
    assert!((found[0] - 0.5).abs() < 1e-14 || (found[0] - 0.625).abs() < 1e-14, "{}", found[0]);
}

#[test]
fn a_row_is_met_as_exactly_as_its_inputs_are_known() {
    // The argument of the tangent is a multiple of 1.5e-8, so that few residuals are much smaller; inputs half that far away have a
    // root.
    let g = Graph::new();
    let (u, a, b) = (g.symbol("u"), g.symbol("a"), g.symbol("b"));
    let row = (a + u).call(Function::Tan) - b;
    for far in [1e8, 1e8 + 1.0, 1e8 + 3.5] {
        let aim = (far + 0.37f64).tan();
        let slope = 1.0 + aim * aim;
        let between = aim + 0.3e-8 * slope;
        let found = solve(&g, &[(u, 0.37)], &[row], &[(a, far), (b, between)]).unwrap();
        assert!(((far + found[0]).tan() - between).abs() < 3e-8 * slope, "{}", found[0]);
    }
}

#[test]
fn a_root_where_all_terms_vanish_is_known_to_the_round_off_of_the_unknown() {
    // The tangent of the number next to kπ is all that is left of the row: its own terms are no measure for it.
    let g = Graph::new();
    let u = g.symbol("u");
    for turns in [1.0, 100.0, 1e6] {
        let root = turns * std::f64::consts::PI;
        let found = solve(&g, &[(u, root - 0.2)], &[u.call(Function::Tan)], &[]).unwrap();
        assert!((found[0] - root).abs() <= 2.0 * f64::EPSILON * root, "{} for {root}", found[0]);
    }
}

#[test]
fn an_equation_that_misses_its_root_by_little_has_none() {
    // u² − 2u + a is never below a − 1, which is far above the round-off of its terms, however large the other unknown is.
    let g = Graph::new();
    let [u, x, a, b] = ["u", "x", "a", "b"].map(|name| g.symbol(name));
    let rows = [x.log() - b, u.powi(2) - u * 2 + a];
    for missed in [1e-6, 1e-8] {
        for guess in [0.5, 0.9, 1.001, 7.0] {
            let inputs = [(a, 1.0 + missed), (b, 1e10f64.ln())];
            let found = solve(&g, &[(x, 0.9e10), (u, guess)], &rows, &inputs);
            assert!(found.is_err(), "missed by {missed} from {guess}: {found:?}");
        }
        let inputs = [(a, 1.0 - missed), (b, 1e10f64.ln())];
        let found = solve(&g, &[(x, 0.9e10), (u, 7.0)], &rows, &inputs).unwrap();
        // The root is as far from 1 as a double one that is off by `missed`; its round-off is ε over that.
        assert!((found[1] - 1.0 - missed.sqrt()).abs() < 4.0 * f64::EPSILON / missed.sqrt(), "{found:?}");
    }
}

#[test]
fn numbers_that_have_lost_their_digits_to_underflow_are_solved() {
    // 3u = 7 in units of the smallest number has no solution among its multiples.
    let g = Graph::new();
    let (u, a) = (g.symbol("u"), g.symbol("a"));
    let smallest = f64::from_bits(1);
    let found = solve(&g, &[(u, 0.0)], &[u * 3 + u.powi(3) - a], &[(a, 7.0 * smallest)]).unwrap();
    assert!((1.0..=3.0).contains(&(found[0] / smallest)), "{}", found[0]);
}
