//! All factorisations of sparse patterns against the same demands.

use super::banded::BandedLu;
use super::ordering::{Adjacency, minimum_degree, narrow_band};
use super::pattern::Pattern;
use super::sparse::{DIAGONAL_PREFERENCE, SparseLu};
use super::testing::{SeededNumbers, backward_error};
use super::{DenseLu, Factorisation, LinearSolver, Singular};

type RowPattern = Vec<Vec<usize>>;

fn chain(n: usize) -> RowPattern {
    (0..n).map(|i: usize| (i.saturating_sub(1)..(i + 2).min(n)).collect()).collect()
}

fn ring(n: usize) -> RowPattern {
    (0..n).map(|i| vec![(i + n - 1) % n, i, (i + 1) % n]).collect()
}

/// A chain and one unknown that occurs in every equation, such as a free duration.
fn chain_with_border(n: usize) -> RowPattern {
    let mut rows = chain(n - 1);
    rows.iter_mut().for_each(|row| row.push(n - 1));
    rows.push((0..n).collect());
    rows
}

fn lattice(side: usize) -> RowPattern {
    let near = |a: usize, b: usize| a.abs_diff(b) <= 1;
    let place = |k: usize| (k / side, k % side);
    let linked = |(a, b): (usize, usize), (c, d): (usize, usize)| (a == c && near(b, d)) || (b == d && near(a, c));
    (0..side * side).map(|k| (0..side * side).filter(|&l| linked(place(k), place(l))).collect()).collect()
}

/// Positions in a plane linked by rods: the multipliers have no diagonal entries.
fn rods(links: usize) -> RowPattern {
    let mut rows: RowPattern = (0..2 * links).map(|i| vec![i]).collect();
    for link in 0..links {
        let multiplier = rows.len();
        let bodies = link.saturating_sub(1)..=link;
        let coordinates: Vec<usize> = bodies.flat_map(|body| [2 * body, 2 * body + 1]).collect();
        coordinates.iter().for_each(|&c| rows[c].push(multiplier));
        rows.push(coordinates);
    }
    rows
}

/// A permuted diagonal, so that some matrix with the pattern is regular, and a few entries more per row.
fn scattered(n: usize, more: usize, random: &mut SeededNumbers) -> RowPattern {
    let mut columns: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        columns.swap(i, random.index(i + 1));
    }
    columns
        .into_iter()
        .map(|column| {
            let mut row: Vec<usize> = (0..more).map(|_| random.index(n)).chain([column]).collect();
            row.sort_unstable();
            row.dedup();
            row
        })
        .collect()
}

fn patterns() -> Vec<RowPattern> {
    let mut random = SeededNumbers::new(5);
    let mut all =
        vec![chain(1), chain(2), chain(40), ring(41), chain_with_border(30), lattice(3), lattice(9), rods(1), rods(15)];
    all.extend((0..60).map(|k| scattered(2 + k, 1 + k % 4, &mut random)));
    all
}

fn with_values<'a>(rows: &'a RowPattern, values: &'a [f64]) -> impl Iterator<Item = Vec<(usize, f64)>> + 'a {
    let mut values = values.iter();
    rows.iter().map(move |row| row.iter().copied().zip(values.by_ref().copied()).collect())
}

fn entries(rows: &RowPattern) -> usize {
    rows.iter().map(Vec::len).sum()
}

/// Solves by every factorisation; they must agree on what is singular.
fn solve_all_ways(rows: &RowPattern, values: &[f64], b: &[f64]) -> Vec<(&'static str, Result<Vec<f64>, Singular>)> {
    let n = rows.len();
    let pattern = || Pattern::new(n, rows);
    let adjacency = Adjacency::of(&pattern());
    let mut banded = BandedLu::new(pattern(), narrow_band(&adjacency).0);
    let mut sparse = SparseLu::new(pattern(), minimum_degree(&adjacency).0, DIAGONAL_PREFERENCE);
    let mut chosen = LinearSolver::for_pattern(n, rows);
    let mut x = [b.to_vec(), b.to_vec(), b.to_vec()];
    let outcomes = [
        banded.factor(values).map(|()| banded.solve(&mut x[0])),
        sparse.factor(values).map(|()| sparse.solve(&mut x[1])),
        chosen.factor(values).map(|()| chosen.solve(&mut x[2])),
    ];
    let names = ["banded", "sparse", "chosen"];
    names.into_iter().zip(outcomes.into_iter().zip(x).map(|(outcome, x)| outcome.map(|()| x))).collect()
}

#[test]
fn every_factorisation_solves_every_pattern_to_rounding() {
    let mut random = SeededNumbers::new(6);
    for rows in patterns() {
        let n = rows.len();
        let b = random.vector(n);
        let values = random.vector(entries(&rows));
        for (name, x) in solve_all_ways(&rows, &values, &b) {
            let error = backward_error(with_values(&rows, &values), &x.unwrap(), &b);
            // n ε, times a growth of pivots of up to 1/0.1 per preferred diagonal entry, rarely more than a few in a
            // row.
            assert!(error <= 100.0 * n as f64 * f64::EPSILON, "{name}, n = {n}: {error:e}");
        }
    }
}

#[test]
fn a_chain_has_the_known_inverse() {
    // (A⁻¹)_ij = min(i, j) (n + 1 - max(i, j)) / (n + 1) for -1 2 -1, counted from one; the condition is about n²/2.
    let n = 200;
    let rows = chain(n);
    let values: Vec<f64> = rows
        .iter()
        .enumerate()
        .flat_map(|(i, row)| row.iter().map(move |&j| if i == j { 2.0 } else { -1.0 }))
        .collect();
    let source = 70;
    let mut b = vec![0.0; n];
    b[source] = 1.0;
    for (name, x) in solve_all_ways(&rows, &values, &b) {
        for (i, x) in x.unwrap().into_iter().enumerate() {
            let (low, high) = (i.min(source) + 1, i.max(source) + 1);
            let exact = (low * (n + 1 - high)) as f64 / (n + 1) as f64;
            assert!((x - exact).abs() <= (n * n) as f64 * f64::EPSILON * exact, "{name}: {x} is not {exact}");
        }
    }
}

#[test]
fn the_choice_follows_the_pattern() {
    let chosen = |rows: &RowPattern| LinearSolver::for_pattern(rows.len(), rows).factorisation();
    assert_eq!(chosen(&(0..50).map(|i| vec![i]).collect()), Factorisation::Diagonal);
    assert_eq!(chosen(&vec![(0..50).collect(); 50]), Factorisation::Dense);
    assert_eq!(chosen(&chain(3)), Factorisation::Dense);
    assert_eq!(chosen(&chain(50)), Factorisation::Banded);
    assert_eq!(chosen(&ring(50)), Factorisation::Banded);
    assert_eq!(chosen(&rods(50)), Factorisation::Banded);
    assert_eq!(chosen(&chain_with_border(50)), Factorisation::Sparse);
    assert_eq!(chosen(&lattice(20)), Factorisation::Sparse);
}

#[test]
fn renumbering_narrows_rings_and_chains_in_any_order() {
    let half_band = |rows: &RowPattern| narrow_band(&Adjacency::of(&Pattern::new(rows.len(), rows))).1;
    assert_eq!(half_band(&ring(100)), 2);
    let shuffled: RowPattern = (0..101).map(|i| vec![(i + 37) % 101, i, (i + 64) % 101]).collect();
    assert_eq!(half_band(&shuffled), 2);
}

#[test]
fn a_factorisation_does_not_depend_on_the_one_before() {
    let mut random = SeededNumbers::new(7);
    for rows in patterns() {
        let n = rows.len();
        let pattern = || Pattern::new(n, &rows);
        let order = minimum_degree(&Adjacency::of(&pattern())).0;
        let mut used = SparseLu::new(pattern(), order.clone(), DIAGONAL_PREFERENCE);
        for _ in 0..5 {
            let values = random.vector(entries(&rows));
            let b = random.vector(n);
            let mut fresh = SparseLu::new(pattern(), order.clone(), DIAGONAL_PREFERENCE);
            let (mut x, mut y) = (b.clone(), b);
            used.factor(&values).unwrap();
            used.solve(&mut x);
            fresh.factor(&values).unwrap();
            fresh.solve(&mut y);
            assert_eq!(x, y);
            // The same pivots again, in the places known.
            used.factor(&values).unwrap();
            used.solve(&mut y);
            fresh.solve(&mut x);
            assert_eq!(x, y);
        }
    }
}

#[test]
fn singular_matrices_are_refused_and_the_solver_recovers() {
    let mut random = SeededNumbers::new(8);
    for rows in patterns() {
        let n = rows.len();
        let dependent = n / 2;
        let regular = random.vector(entries(&rows));
        // Without its column an unknown occurs in no equation.
        let singular: Vec<f64> =
            rows.iter().flatten().zip(&regular).map(|(&j, &value)| if j == dependent { 0.0 } else { value }).collect();
        for (name, x) in solve_all_ways(&rows, &singular, &vec![1.0; n]) {
            assert!(x.is_err(), "{name}, n = {n}");
        }
        let mut solver = LinearSolver::for_pattern(n, &rows);
        let mut first = vec![1.0; n];
        solver.factor(&regular).unwrap();
        solver.solve(&mut first);
        assert!(solver.factor(&singular).is_err());
        let mut second = vec![1.0; n];
        solver.factor(&regular).unwrap();
        solver.solve(&mut second);
        assert_eq!(first, second);
    }
}

#[test]
fn an_undetermined_unknown_is_named() {
    // Ten pairs of equations in two unknowns each; those for 7 and 17 say the same.
    let n = 20;
    let rows: RowPattern = (0..n).map(|i| vec![i, (i + 10) % 20]).collect();
    let values: Vec<f64> = (0..n).flat_map(|i| if i % 10 == 7 { [1.0, 1.0] } else { [2.0, 1.0] }).collect();
    for (name, x) in solve_all_ways(&rows, &values, &vec![1.0; n]) {
        let Singular { column } = x.unwrap_err();
        assert!(column == 7 || column == 17, "{name}: {column}");
    }
}

#[test]
fn values_that_are_not_finite_are_refused_wherever_they_are() {
    let mut random = SeededNumbers::new(9);
    for rows in patterns() {
        for place in 0..entries(&rows) {
            let mut values = random.vector(entries(&rows));
            values[place] = if place % 2 == 0 { f64::NAN } else { f64::INFINITY };
            for (name, x) in solve_all_ways(&rows, &values, &vec![1.0; rows.len()]) {
                assert!(x.is_err(), "{name}, n = {}", rows.len());
            }
        }
    }
}

#[test]
fn units_do_not_make_a_system_singular() {
    // Six orders of magnitude between equations and again between unknowns. (One sweep over rows and columns undoes any
    // units of a full matrix, but not those of a sparse one, where rows share few columns.)
    let mut random = SeededNumbers::new(10);
    for rows in patterns() {
        let n = rows.len();
        let values = random.vector(entries(&rows));
        let b = random.vector(n);
        let unit = |k: usize| 2f64.powi((k * 29 % 21) as i32 - 10);
        let mut scaled = values.clone();
        let places = rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |&j| (i, j)));
        scaled.iter_mut().zip(places).for_each(|(value, (i, j))| *value *= unit(i) * unit(j + 7));
        let scaled_b: Vec<f64> = b.iter().enumerate().map(|(i, b)| b * unit(i)).collect();
        for (name, x) in solve_all_ways(&rows, &scaled, &scaled_b) {
            let x: Vec<f64> = x.unwrap().into_iter().enumerate().map(|(j, x)| x * unit(j + 7)).collect();
            let error = backward_error(with_values(&rows, &values), &x, &b);
            assert!(error <= 100.0 * n as f64 * f64::EPSILON, "{name}, n = {n}: {error:e}");
        }
    }
}

#[test]
fn repeated_places_add_up() {
    let rows = vec![vec![0, 0, 1], vec![1]];
    let mut solver = LinearSolver::for_pattern(2, &rows);
    solver.factor(&[1.0, 3.0, 2.0, 5.0]).unwrap();
    let mut x = [8.0, 10.0];
    solver.solve(&mut x);
    assert_eq!(x, [1.0, 2.0]);
}

#[test]
fn an_equation_without_unknowns_is_singular() {
    // As many entries as a diagonal matrix has, all on the diagonal, but not one in each row.
    for n in [2, 3, 30] {
        let mut rows: RowPattern = (0..n).map(|i| vec![i]).collect();
        rows[0] = vec![0, 0];
        rows[1] = vec![];
        for (name, x) in solve_all_ways(&rows, &vec![1.0; n], &vec![1.0; n]) {
            assert_eq!(x, Err(Singular { column: 1 }), "{name}, n = {n}");
        }
    }
}

#[test]
fn dense_and_sparse_agree_on_a_full_matrix() {
    let mut random = SeededNumbers::new(11);
    let n = 12;
    let rows: RowPattern = vec![(0..n).collect(); n];
    let values = random.vector(n * n);
    let b = random.vector(n);
    let mut dense = DenseLu::new(n);
    dense.factor(&values).unwrap();
    let mut x = b.clone();
    dense.solve(&mut x);
    for (name, y) in solve_all_ways(&rows, &values, &b) {
        for (x, y) in x.iter().zip(y.unwrap()) {
            // Condition numbers of random matrices of this size are some hundreds.
            assert!((x - y).abs() <= 1e-11 * x.abs().max(1.0), "{name}: {x} is not {y}");
        }
    }
}
