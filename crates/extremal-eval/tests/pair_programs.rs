//! Sums over all pairs: against loops typed by hand, with the same bits on every backend.

use extremal_eval::{Backend, PairProgram, PairwiseFormulas};
use extremal_expr::{Expr, Function, Graph, Id};

const SIZES: [usize; 10] = [1, 2, 3, 7, 8, 9, 24, 65, 512, 700];

fn ids(exprs: &[Expr<'_>]) -> Vec<Id> {
    exprs.iter().map(|e| e.id()).collect()
}

/// Softened gravity of bodies with masses: parameters G and e, members x, y and m.
fn gravity() -> PairProgram {
    let g = Graph::new();
    let [a, b] = ["a", "b"].map(|of| ["x", "y", "m"].map(|name| g.symbol(&format!("{name}{of}"))));
    let (strength, soft) = (g.symbol("G"), g.symbol("e"));
    let square = (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2) + soft.powi(2);
    let term = strength * a[2] * b[2] / square.sqrt();
    let members = [ids(&a), ids(&b)];
    let parameters = ids(&[strength, soft]);
    let members = [&members[0][..], &members[1]];
    PairProgram::compile(PairwiseFormulas { graph: &g, parameters: &parameters, members, moving: 2, term: term.id() })
        .expect("a program")
}

/// A term that treats both members differently, with functions that are called.
fn uneven() -> PairProgram {
    let g = Graph::new();
    let (a, b) = (g.symbol("a"), g.symbol("b"));
    let term = a.powi(2) * b.sin() + (a - b * 2).exp() / (b.powi(2) + 1) + b.cos() * a.call(Function::Atan);
    let members = [&[a.id()][..], &[b.id()]];
    PairProgram::compile(PairwiseFormulas { graph: &g, parameters: &[], members, moving: 1, term: term.id() })
        .expect("a program")
}

/// Numbers that repeat nothing, each between -1 and 1.
fn numbers(count: usize, seed: f64) -> Vec<f64> {
    (0..count).map(|i| (seed + 12.9898 * i as f64).sin()).collect()
}

#[test]
fn gravity_is_what_a_hand_would_add_up() {
    let program = gravity();
    for n in SIZES {
        let (x, y) = (numbers(n, 0.3), numbers(n, 1.7));
        let m: Vec<f64> = numbers(n, 2.9).iter().map(|m| 1.5 + m).collect();
        let (strength, soft) = (0.7, 0.05);
        let (mut sum, mut slopes, mut sizes) = (0.0, vec![0.0; 2 * n], vec![0.0; 2 * n]);
        for i in 0..n {
            for j in i + 1..n {
                let (dx, dy) = (x[i] - x[j], y[i] - y[j]);
                let r = (dx * dx + dy * dy + soft * soft).sqrt();
                sum += strength * m[i] * m[j] / r;
                let f = strength * m[i] * m[j] / (r * r * r);
                for (at, d) in [(0, dx), (n, dy)] {
                    slopes[at + i] -= f * d;
                    slopes[at + j] += f * d;
                    sizes[at + i] += (f * d).abs();
                    sizes[at + j] += (f * d).abs();
                }
            }
        }
        let mut machine = program.machine(n);
        machine.set_parameters(&[strength, soft]);
        let mut found = vec![0.0; 2 * n];
        machine.set_data(&m);
        let total = machine.run(&[x, y].concat(), &mut found);
        // A dozen roundings in each term, and those of a sum in both orders.
        let tolerance = (12 + 2 * n) as f64 * f64::EPSILON;
        assert!((total - sum).abs() <= tolerance * sum, "n = {n}: {total}, by hand {sum}");
        for ((found, by_hand), size) in found.iter().zip(&slopes).zip(&sizes) {
            assert!((found - by_hand).abs() <= tolerance * size, "n = {n}: {found}, by hand {by_hand}");
        }
    }
}

#[test]
fn members_may_be_treated_differently() {
    let program = uneven();
    let term = |a: f64, b: f64| a * a * b.sin() + (a - 2.0 * b).exp() / (b * b + 1.0) + b.cos() * a.atan();
    for n in [2, 9, 40] {
        let x = numbers(n, 0.1);
        let mut slopes = vec![0.0; n];
        let mut machine = program.machine(n);
        machine.set_parameters(&[]);
        let total = machine.run(&x, &mut slopes);
        let sum_of = |x: &[f64]| -> f64 { (0..n).map(|i| (i + 1..n).map(|j| term(x[i], x[j])).sum::<f64>()).sum() };
        let sum = sum_of(&x);
        assert!((total - sum).abs() <= 1e-14 * sum.abs() * n as f64);
        for (i, found) in slopes.iter().enumerate() {
            // A central difference: third derivatives are below 30 in each of the n terms, values below 30.
            let h = 1e-5;
            let shifted = |by: f64| {
                sum_of(&x.iter().enumerate().map(|(k, x)| x + if k == i { by } else { 0.0 }).collect::<Vec<_>>())
            };
            let slope = (shifted(h) - shifted(-h)) / (2.0 * h);
            let tolerance = n as f64 * (30.0 * h * h / 6.0 + 30.0 * n as f64 * f64::EPSILON / h);
            assert!((found - slope).abs() < tolerance, "{found} and {slope}");
        }
    }
}

#[test]
fn every_backend_has_the_same_bits() {
    for (program, fields, parameters) in [(gravity(), 3, &[0.7, 0.05][..]), (uneven(), 1, &[])] {
        for n in SIZES {
            let on = |backend: Backend| {
                let mut machine = program.machine_on(backend, n)?;
                machine.set_parameters(parameters);
                let moving = fields - fields / 3;
                let mut slopes = vec![0.0; n * moving];
                machine.set_data(&numbers((fields - moving) * n, 0.9));
                let sum = machine.run(&numbers(moving * n, 0.4), &mut slopes);
                slopes.push(sum);
                Some(slopes.into_iter().map(f64::to_bits).collect::<Vec<_>>())
            };
            let tape = on(Backend::Tape).expect("it runs everywhere");
            for backend in Backend::EMITTED {
                assert!(on(backend).is_none_or(|bits| bits == tape), "{backend:?}, n = {n}");
            }
        }
    }
}

#[test]
fn a_pair_at_one_place_shows() {
    let g = Graph::new();
    let (a, b) = (g.symbol("a"), g.symbol("b"));
    let formulas = PairwiseFormulas {
        graph: &g,
        parameters: &[],
        members: [&[a.id()], &[b.id()]],
        moving: 1,
        term: (a - b).powi(-2).id(),
    };
    let mut machine = PairProgram::compile(formulas).expect("a program").machine(20);
    machine.set_parameters(&[]);
    let mut slopes = vec![0.0; 20];
    let mut x: Vec<f64> = (0..20).map(f64::from).collect();
    // No member is a pair with itself, and there are none behind the last one.
    assert!(machine.run(&x, &mut slopes).is_finite() && slopes.iter().all(|slope| slope.is_finite()));
    x[13] = 4.0;
    assert!(!machine.run(&x, &mut slopes).is_finite());
    let spoiled: Vec<usize> = (0..20).filter(|i| !slopes[*i].is_finite()).collect();
    assert_eq!(spoiled, [4, 13]);
}
