//! Loops that write down what they hand on: the same numbers as round after round, on every backend.

use extremal_eval::{Backend, Machine, Program, TRACE_ROUNDS, TRACE_STRIDE};
use extremal_expr::{Graph, Id, Rational, Relation};

const BACKENDS: [Backend; 4] = [Backend::Tape, Backend::Avx2, Backend::Avx512, Backend::Neon];

/// Compares a trace of `rounds` with single rounds; both end where the condition fails.
fn follows(machine: &Machine, traced: usize, rounds: u64) -> u64 {
    let (mut together, mut alone) = (machine.clone(), machine.clone());
    let mut trace = vec![f64::NAN; traced * TRACE_STRIDE];
    let taken = together.repeat_traced(rounds, &mut trace);
    for round in 0..taken as usize {
        assert_eq!(alone.repeat(1), 1);
        let found: Vec<u64> = trace.chunks(TRACE_STRIDE).map(|column| column[round].to_bits()).collect();
        let expected: Vec<u64> = alone.inputs(0)[..traced].iter().map(|x| x.to_bits()).collect();
        assert_eq!(found, expected, "round {round} on {:?}", machine.backend());
    }
    if taken < rounds {
        assert_eq!(alone.repeat(1), 0);
    }
    assert!(trace.chunks(TRACE_STRIDE).all(|column| column[taken as usize..].iter().all(|x| x.is_nan())));
    let bits = |machine: &Machine| machine.inputs(0).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&together), bits(&alone));
    taken
}

/// Few inputs stay in registers, many do not; some are chosen, some move on as they are, some are not traced.
#[test]
fn a_trace_is_what_single_rounds_leave() {
    let g = &Graph::new();
    for count in [3, 40] {
        let x: Vec<_> = (0..count).map(|i| g.symbol(&format!("x{i}"))).collect();
        let moves = g.compare(Relation::Lt, x[0].sin(), g.rational(Rational::HALF));
        let mut next: Vec<Id> = (0..count).map(|i| g.select(moves, x[(i + 1) % count], x[i]).id()).collect();
        next[1] = (x[0] * 3 / 4 + x[1]).id();
        next[2] = x[0].id();
        let goes_on = g.compare(Relation::Lt, x[1], g.int(100));
        let inputs = vec![x.iter().map(|e| e.id()).collect()];
        for traced in [1, 2, count] {
            let program = Program::traced_looping(g, &inputs, &[], goes_on.id(), &next, &[], traced).unwrap();
            let taken: Vec<u64> = BACKENDS
                .into_iter()
                .filter_map(|backend| program.machine_on(backend))
                .map(|mut machine| {
                    let start = |at: usize| ((7 + at) as f64 * 0.618).fract() * 3.0;
                    machine.inputs_mut(0).iter_mut().enumerate().for_each(|(at, x)| *x = start(at));
                    follows(&machine, traced, 7) + follows(&machine, traced, TRACE_ROUNDS as u64)
                })
                .collect();
            assert!(taken.iter().all(|rounds| *rounds == taken[0] && *rounds > 7), "{taken:?}");
        }
    }
}

/// Roots of a growing number by Heron's rule: a round is tried again until the root is near. 1.5, 2.25, 5.1 and 25.6 take at most four tries each, 656 takes five.
#[test]
fn rounds_that_are_tried_again_are_written_once() {
    let g = &Graph::new();
    let [a, x, tries] = ["a", "x", "tries"].map(|name| g.symbol(name));
    let better = (x + a / x) / 2;
    let near = g.compare(Relation::Lt, (better.powi(2) - a).abs(), a / 1000);
    let next = [(a * a).id(), better.id(), tries.id()];
    let again = [better.id(), (tries + 1).id()];
    let inputs = vec![vec![a.id(), x.id(), tries.id()]];
    let program = Program::traced_looping(g, &inputs, &[], near.id(), &next, &again, 2).unwrap();
    for mut machine in BACKENDS.into_iter().filter_map(|backend| program.machine_on(backend)) {
        machine.inputs_mut(0).copy_from_slice(&[1.5, 1.0, 0.0]);
        assert_eq!(follows(&machine, 2, 100), 4);
    }
}
