//! Every backend gives the bits of the tape.

use crate::recipes::{TIERS, build, feed, number, recipe, same_bits};
use extremal_eval::{Backend, EntryPoint, Machine, Program, Spread};
use extremal_expr::{Graph, Id, Relation};
use proptest::prelude::*;

/// Sets and commits all inputs, with points in turn on the lanes.
fn feed_lanes(machine: &mut Machine, points: &[[f64; 7]]) {
    let lanes = machine.lanes();
    let mut first = 0;
    for (tier, names) in TIERS.iter().enumerate() {
        for (at, place) in machine.inputs_mut(tier).chunks_exact_mut(lanes).enumerate() {
            place.iter_mut().zip(points.iter().cycle()).for_each(|(x, point)| *x = point[first + at]);
        }
        machine.commit(tier);
        first += names.len();
    }
}

fn run(machine: &mut Machine, point: &[f64], outputs: &[usize]) -> Vec<Vec<f64>> {
    feed(machine, point);
    let run = |(entry, count): (usize, &usize)| {
        let mut out = vec![0.0; *count];
        machine.run(entry, &mut out);
        out
    };
    outputs.iter().enumerate().map(run).collect()
}

/// The same with points in turn on the lanes; what each lane has for the outputs of all entries.
fn run_lanes(machine: &mut Machine, points: &[[f64; 7]], outputs: &[usize]) -> Vec<Vec<f64>> {
    feed_lanes(machine, points);
    let lanes = machine.lanes();
    let mut all = vec![Vec::new(); lanes];
    for (entry, count) in outputs.iter().enumerate() {
        let mut out = vec![0.0; count * lanes];
        machine.run(entry, &mut out);
        out.iter().enumerate().for_each(|(at, x)| all[at % lanes].push(*x));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every case compares some sixty random expressions, all together more than 1e5.
    #[test]
    fn every_backend_gives_the_bits_of_the_tape(recipe in recipe(120), points in prop::collection::vec(prop::array::uniform7(number()), 3)) {
        let g = &Graph::new();
        let outputs: Vec<Id> = build(g, &recipe).iter().map(|e| e.id()).collect();
        let inputs: Vec<Vec<Id>> =
            TIERS.iter().map(|names| names.iter().map(|name| g.symbol(name).id()).collect()).collect();
        let entries = [
            EntryPoint { tier: 2, outputs: outputs.clone() },
            EntryPoint { tier: 2, outputs: vec![*outputs.last().unwrap()] },
        ];
        let program = Program::compile(g, &inputs, &entries).unwrap();
        let mut tape = program.machine_on(Backend::Tape).unwrap();
        let counts = [outputs.len(), 1];
        let expected: Vec<Vec<f64>> = points.iter().map(|point| run(&mut tape, point, &counts).concat()).collect();
        for mut machine in Backend::EMITTED.iter().filter_map(|b| program.machine_on(*b)) {
            for (point, expected) in points.iter().zip(&expected) {
                let found = run(&mut machine, point, &counts).concat();
                for (expected, found) in expected.iter().zip(&found) {
                    prop_assert!(same_bits(*expected, *found), "tape {expected:e}, {:?} {found:e}\n{program}", machine.backend());
                }
            }
        }
        for mut machine in lane_machines(&program) {
            let found = run_lanes(&mut machine, &points, &counts);
            for (expected, found) in expected.iter().cycle().zip(&found) {
                for (expected, found) in expected.iter().zip(found) {
                    prop_assert!(
                        same_bits(*expected, *found),
                        "tape {expected:e}, {:?} in {} lanes {found:e}\n{program}", machine.backend(), machine.lanes()
                    );
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Outputs go round as inputs, some of them computed, some handed on from one input to another.
    #[test]
    fn rounds_give_the_bits_of_the_tape(recipe in recipe(60), point in prop::array::uniform7(number()), order in 0usize..6) {
        let g = &Graph::new();
        let inputs: Vec<Vec<Id>> =
            TIERS.iter().map(|names| names.iter().map(|name| g.symbol(name).id()).collect()).collect();
        let own = &inputs[2];
        let computed = *build(g, &recipe).last().unwrap();
        // Comparisons of all kinds, of what changes and of what does not, one of them used for something else too.
        let at_most = |a: Id, limit: i64| g.compare(Relation::Le, g.expr(a), g.int(limit));
        let below = g.compare(Relation::Lt, g.expr(own[order % own.len()]), g.int(2));
        let shared = at_most(own[1], 3);
        let either = g.or(at_most(own[2], 1), g.not(at_most(own[0], -2)));
        let other = g.compare(Relation::Ne, g.expr(own[0]), g.int(1));
        let all = [below, at_most(inputs[0][0], 3), shared, either, other];
        let condition = all[..1 + order % all.len()].iter().copied().reduce(|a, b| g.and(a, b)).unwrap();
        let computed = g.select(shared, computed, -computed);
        let mut outputs: Vec<Id> = own.clone();
        outputs.rotate_left(order % own.len());
        outputs[order / 2 % own.len()] = computed.id();
        // Another try exchanges two inputs, and replaces a third, or there is none.
        let again = [(computed + g.expr(own[0])).id(), own[2], own[1]];
        let again = if order % 2 == 1 { &again[..] } else { &[] };
        let program = Program::looping(g, &inputs, &[], condition.id(), &outputs, again).unwrap();
        let rounds = |mut machine: Machine| {
            feed(&mut machine, &point);
            (machine.repeat(4), machine.inputs(2).to_vec())
        };
        let (expected_rounds, expected) = rounds(program.machine_on(Backend::Tape).unwrap());
        for backend in Backend::EMITTED {
            let Some(machine) = program.machine_on(backend) else { continue };
            let (found_rounds, found) = rounds(machine);
            prop_assert_eq!(expected_rounds, found_rounds);
            for (expected, found) in expected.iter().zip(&found) {
                prop_assert!(same_bits(*expected, *found), "tape {expected:e}, {backend:?} {found:e}\n{program}");
            }
        }
    }
}

/// Every kind of machine with lanes that there is here.
fn lane_machines(program: &Program) -> Vec<Machine> {
    let backends = Backend::EMITTED.into_iter().chain([Backend::Tape]);
    let kinds = backends.flat_map(|backend| [4, 8, 16, 64].map(|lanes| (backend, lanes)));
    kinds.filter_map(|(backend, lanes)| program.lane_machine_on(backend, lanes)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Entries, and rounds up to the one that a lane does not complete.
    #[test]
    fn lanes_give_the_bits_of_the_tape(recipe in recipe(60), points in prop::collection::vec(prop::array::uniform7(number()), 13)) {
        let g = &Graph::new();
        let inputs: Vec<Vec<Id>> =
            TIERS.iter().map(|names| names.iter().map(|name| g.symbol(name).id()).collect()).collect();
        let own = &inputs[2];
        let computed = *build(g, &recipe).last().unwrap();
        let condition = g.compare(Relation::Lt, g.expr(own[0]), g.int(2));
        let mut outputs: Vec<Id> = own.clone();
        outputs.rotate_left(1);
        outputs[0] = computed.id();
        let program = Program::looping(g, &inputs, &[], condition.id(), &outputs, &[]).unwrap();
        let results = outputs.len() + 1;
        let prepared = |point: &[f64]| {
            let mut machine = program.machine_on(Backend::Tape).unwrap();
            feed(&mut machine, point);
            machine
        };
        for mut machine in lane_machines(&program) {
            let lanes = machine.lanes();
            feed_lanes(&mut machine, &points);
            let mut out = vec![0.0; results * lanes];
            machine.run(0, &mut out);
            let rounds = points.iter().take(lanes).map(|point| prepared(point).repeat(3)).min().unwrap();
            prop_assert_eq!(machine.repeat(3), rounds);
            for (lane, point) in points.iter().cycle().take(lanes).enumerate() {
                let mut alone = prepared(point);
                let mut expected = vec![0.0; results];
                alone.run(0, &mut expected);
                alone.repeat(rounds);
                let found = out.iter().skip(lane).step_by(lanes).chain(machine.inputs(2).iter().skip(lane).step_by(lanes));
                for (expected, found) in expected.iter().chain(alone.inputs(2)).zip(found) {
                    prop_assert!(same_bits(*expected, *found), "tape {expected:e}, {:?} {found:e}\n{program}", machine.backend());
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Two inputs are what the first is in two of the lanes: given by hand to the tape, round by round.
    #[test]
    fn lanes_that_know_of_each_other_give_the_bits_of_the_tape(
        recipe in recipe(60),
        points in prop::collection::vec(prop::array::uniform7(number()), 16),
    ) {
        let g = &Graph::new();
        let inputs: Vec<Vec<Id>> =
            TIERS.iter().map(|names| names.iter().map(|name| g.symbol(name).id()).collect()).collect();
        let [own, shared @ ..] = [0, 1, 2].map(|at| inputs[2][at]);
        let sources = [3, 1];
        let spreads = [0, 1].map(|at| Spread { symbol: shared[at], of: own, lane: sources[at], given: None });
        let outputs: Vec<Id> = build(g, &recipe).iter().map(|e| e.id()).collect();
        let next = g.expr(*outputs.last().unwrap());
        let settled = g.compare(extremal_expr::Relation::Lt, next.abs(), g.int(2));
        let entries = [
            EntryPoint { tier: 2, outputs: vec![settled.id(), next.id()] },
            EntryPoint { tier: 2, outputs: vec![settled.id(), outputs[outputs.len() / 2], own, next.id()] },
        ];
        let program = Program::converging(g, &inputs, &[], &spreads, &entries).unwrap();
        let mut tape = program.machine_on(Backend::Tape).unwrap();
        let mut alone = |point: &[f64], values: [f64; 3], entry: usize, count: usize| {
            tape.inputs_mut(0).copy_from_slice(&point[..2]);
            tape.commit(0);
            tape.inputs_mut(1).copy_from_slice(&point[2..4]);
            tape.commit(1);
            tape.inputs_mut(2).copy_from_slice(&values);
            let mut out = vec![0.0; count];
            tape.run(entry, &mut out);
            out
        };
        for mut machine in lane_machines(&program).into_iter().filter(Machine::spreads) {
            let lanes = machine.lanes();
            for (tier, first) in [(0, 0), (1, 2)] {
                for (at, place) in machine.inputs_mut(tier).chunks_exact_mut(lanes).enumerate() {
                    place.iter_mut().zip(&points).for_each(|(x, point)| *x = point[first + at]);
                }
                machine.commit(tier);
            }
            let mut values: Vec<f64> = points[..lanes].iter().map(|point| point[4]).collect();
            machine.inputs_mut(2)[..lanes].copy_from_slice(&values);
            let mut out = vec![0.0; 4 * lanes];
            machine.run(1, &mut out);
            for (lane, point) in points[..lanes].iter().enumerate() {
                let expected = alone(point, [values[lane], values[3], values[1]], 1, 4);
                for (expected, found) in expected.iter().zip(out.iter().skip(lane).step_by(lanes)) {
                    prop_assert!(same_bits(*expected, *found), "tape {expected:e}, {:?} {found:e}\n{program}", machine.backend());
                }
            }
            let mut rounds = None;
            for round in 1..=3 {
                let next = |lane: usize| alone(&points[lane], [values[lane], values[3], values[1]], 0, 2);
                let results: Vec<Vec<f64>> = (0..lanes).map(next).collect();
                values = results.iter().map(|result| result[1]).collect();
                if results.iter().all(|result| result[0] == 1.0) {
                    rounds = Some(round);
                    break;
                }
            }
            prop_assert_eq!(machine.converge(0, 3), rounds);
            for (expected, found) in values.iter().zip(machine.inputs(2)) {
                prop_assert!(same_bits(*expected, *found), "tape {expected:e}, {:?} {found:e}\n{program}", machine.backend());
            }
        }
    }
}

#[test]
fn the_fastest_backend_is_taken() {
    let g = &Graph::new();
    let program = Program::compile(g, &[vec![g.symbol("x").id()]], &[]).unwrap();
    let best = Backend::EMITTED.into_iter().find(|b| program.machine_on(*b).is_some()).unwrap_or(Backend::Tape);
    assert_eq!(program.machine().backend(), best);
    // The instructions that the emitter needs are part of every processor of this kind.
    if cfg!(all(target_arch = "aarch64", target_os = "linux")) {
        let lanes = program.lane_machine(4).map(|machine| machine.backend());
        assert_eq!((best, lanes), (Backend::Neon, Some(Backend::Neon)));
    }
}

/// More values alive at once than any machine has registers.
#[test]
fn values_that_find_no_register() {
    let g = &Graph::new();
    let x: Vec<_> = (0..90).map(|i| g.symbol(&format!("x{i}"))).collect();
    let parts: Vec<_> = (0..90).map(|i| x[i] * x[(7 * i + 1) % 90] + x[(i + 5) % 90].sin()).collect();
    // Used first in one order, then in another.
    let forward = (0..90).fold(x[0], |sum, i| sum * parts[i] / 3 + parts[(i * 11) % 90]);
    let backward = (0..90)
        .rev()
        .fold(x[1], |sum, i| (sum - parts[i]).call(extremal_expr::Function::Abs) * parts[(i * 13) % 90] / 2);
    let outputs = vec![forward.id(), backward.id(), (forward * backward).exp().id()];
    let inputs = vec![x.iter().map(|e| e.id()).collect()];
    let program = Program::compile(g, &inputs, &[EntryPoint { tier: 0, outputs }]).unwrap();
    let values = |backend| {
        let mut machine = program.machine_on(backend)?;
        for (at, input) in machine.inputs_mut(0).iter_mut().enumerate() {
            *input = 0.3 + 0.01 * at as f64;
        }
        let mut out = [0.0; 3];
        machine.run(0, &mut out);
        Some(out.map(f64::to_bits))
    };
    let expected = values(Backend::Tape);
    for backend in Backend::EMITTED {
        assert!(values(backend).is_none_or(|found| Some(found) == expected), "{backend:?}");
    }
}

/// Sines and cosines of lanes are written out for angles that are not large, with all kinds of them side by side.
#[test]
fn angles_of_all_sizes_side_by_side() {
    let g = &Graph::new();
    let names: Vec<_> = (0..6).map(|i| g.symbol(&format!("x{i}"))).collect();
    let mut outputs: Vec<Id> = names[..4].iter().flat_map(|x| [x.sin().id(), x.cos().id()]).collect();
    // One function only, functions of functions, and many values that live longer than the calls.
    outputs.extend([names[4].sin().id(), names[5].cos().id()]);
    let products: Vec<_> = (0..6).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| names[i] * names[j]).collect();
    let nested = products.iter().fold(g.int(0), |sum, product| sum + (*product + names[0].sin()).cos());
    outputs.push((nested + products.iter().fold(g.int(1), |total, product| total * (*product + 2))).id());
    let inputs = vec![names.iter().map(|e| e.id()).collect()];
    let program = Program::compile(g, &inputs, &[EntryPoint { tier: 0, outputs: outputs.clone() }]).unwrap();
    let special = [0.0, -0.0, 1e9, 999_999_999.5, -1e9, 1e22, f64::NAN, f64::NEG_INFINITY, 5e-324, -1e-300];
    let quarter = std::f64::consts::FRAC_PI_2;
    let angle = |at: usize| match at % 8 {
        0 if at.is_multiple_of(5) => special[at / 40 % special.len()],
        1 => quarter * (at % 41) as f64 - 20.0 * quarter,
        2 => 1e6 * (at as f64).sqrt(),
        _ => (at as f64 * 0.618).fract() * 14.0 - 7.0,
    };
    let mut tape = program.machine_on(Backend::Tape).unwrap();
    for mut machine in lane_machines(&program) {
        let lanes = machine.lanes();
        for first in 0..500 {
            machine.inputs_mut(0).iter_mut().enumerate().for_each(|(at, input)| *input = angle(7 * first + at));
            let inputs = machine.inputs(0).to_vec();
            let mut out = vec![0.0; outputs.len() * lanes];
            machine.run(0, &mut out);
            for lane in 0..lanes {
                let own = inputs.iter().skip(lane).step_by(lanes);
                tape.inputs_mut(0).iter_mut().zip(own).for_each(|(input, value)| *input = *value);
                let mut expected = vec![0.0; outputs.len()];
                tape.run(0, &mut expected);
                for (expected, found) in expected.iter().zip(out.iter().skip(lane).step_by(lanes)) {
                    assert!(same_bits(*expected, *found), "{expected:e}, {:?} {found:e}", machine.backend());
                }
            }
        }
    }
}

/// Inputs that become others where a condition holds, lane by lane: few, which stay in registers, and many, which do not.
#[test]
fn inputs_are_shifted_where_a_condition_holds() {
    let g = &Graph::new();
    for count in [3, 40] {
        let x: Vec<_> = (0..count).map(|i| g.symbol(&format!("x{i}"))).collect();
        let moves = g.compare(Relation::Lt, x[0].sin(), g.rational(extremal_expr::Rational::HALF));
        let mut outputs: Vec<Id> = (0..count).map(|i| g.select(moves, x[(i + 1) % count], x[i]).id()).collect();
        outputs[1] = g.select(moves, x[0] + x[1], x[2]).id();
        outputs[2] = g.select(g.not(moves), x[1], x[2]).id();
        let goes_on = g.compare(Relation::Lt, x[1], g.int(1000));
        let inputs = vec![x.iter().map(|e| e.id()).collect()];
        let program = Program::looping(g, &inputs, &[], goes_on.id(), &outputs, &[]).unwrap();
        let start = |lane: usize, at: usize| ((lane * 7 + at) as f64 * 0.618).fract() * 3.0;
        let gone = |backend: Backend, lane: usize| {
            let mut machine = program.machine_on(backend)?;
            machine.inputs_mut(0).iter_mut().enumerate().for_each(|(at, x)| *x = start(lane, at));
            assert_eq!(machine.repeat(50), 50);
            Some(machine.inputs(0).to_vec())
        };
        let alone: Vec<Vec<f64>> = (0..64).filter_map(|lane| gone(Backend::Tape, lane)).collect();
        for backend in Backend::EMITTED {
            for (lane, expected) in alone.iter().enumerate() {
                assert!(gone(backend, lane).is_none_or(|found| found == *expected), "{backend:?}");
            }
        }
        for mut machine in lane_machines(&program) {
            let lanes = machine.lanes();
            for (at, place) in machine.inputs_mut(0).chunks_exact_mut(lanes).enumerate() {
                place.iter_mut().enumerate().for_each(|(lane, x)| *x = start(lane, at));
            }
            assert_eq!(machine.repeat(50), 50);
            for (lane, expected) in alone[..lanes].iter().enumerate() {
                let found: Vec<f64> = machine.inputs(0).iter().skip(lane).step_by(lanes).copied().collect();
                assert_eq!(found, *expected, "{:?}", machine.backend());
            }
        }
    }
}

/// Inputs that all move on, by so many places up or down, out of the row or round it.
#[test]
fn rows_of_inputs_are_shifted() {
    let g = &Graph::new();
    let x: Vec<_> = (0..40).map(|i| g.symbol(&format!("x{i}"))).collect();
    let goes_on = g.compare(Relation::Lt, x[0], g.int(1000));
    for (shift, ring) in [1, 2, 3, 5, 39, 38, 35].into_iter().flat_map(|shift| [(shift, false), (shift, true)]) {
        let mut outputs: Vec<Id> = (0..40).map(|i| x[(i + 40 - shift) % 40].id()).collect();
        if !ring {
            let entering = if shift < 20 { 0..shift } else { shift..40 };
            entering.for_each(|i| outputs[i] = (x[i] * 3 / 4 + x[20]).id());
        }
        let inputs = vec![x.iter().map(|e| e.id()).collect()];
        let program = Program::looping(g, &inputs, &[], goes_on.id(), &outputs, &[]).unwrap();
        let gone = |backend| {
            let mut machine = program.machine_on(backend)?;
            machine.inputs_mut(0).iter_mut().enumerate().for_each(|(at, x)| *x = at as f64);
            assert_eq!(machine.repeat(7), 7);
            Some(machine.inputs(0).to_vec())
        };
        let expected = gone(Backend::Tape);
        for backend in Backend::EMITTED {
            assert!(gone(backend).is_none_or(|found| Some(found) == expected), "{backend:?}, by {shift}");
        }
    }
}
