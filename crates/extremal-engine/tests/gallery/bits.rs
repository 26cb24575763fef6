//! What evaluates the formulas cannot be seen in the results.

use extremal_engine::boundary::{Problem, Statement};
use extremal_engine::eval::{Backend, Machine, Program};
use extremal_engine::gallery::names;
use extremal_engine::model::Parameter;
use extremal_engine::sweep::{CompiledSweep, Record, Variation};
use extremal_engine::{CompiledRun, Model, Settings};
use extremal_testkit::runs::{Lasting, gallery};

const STEPS: usize = 25;

/// The bits of all states and observed values of a short run; a motion that ends early ends it for all.
fn bits(name: &str, backend: Backend) -> Vec<u64> {
    let model = gallery(name);
    let settings = Settings { backend: Some(backend), ..Settings::of(&model) };
    let run = CompiledRun::new(&model, &settings).unwrap();
    let mut motion = run.begin().unwrap();
    let mut bits = Vec::new();
    for _ in 0..STEPS {
        if motion.advance().is_err() {
            break;
        }
        bits.extend(motion.state().iter().map(|x| x.to_bits()));
        bits.extend(motion.observe().unwrap().iter().map(|x| x.to_bits()));
    }
    bits
}

#[test]
fn machine_code_gives_the_bits_of_the_tape() {
    for name in names().filter(|name| gallery(name).boundary().is_none()) {
        let expected = bits(name, Backend::Tape);
        assert!(!expected.is_empty(), "{name}");
        for backend in Backend::EMITTED {
            assert!(bits(name, backend) == expected, "{name}: {backend:?} differs from the tape");
        }
    }
}

/// What all entries of a program give for inputs that differ from point to point.
fn computed(mut machine: Machine, point: usize) -> Vec<f64> {
    let program = machine.program();
    let mut results = Vec::new();
    for tier in 0..program.tiers() {
        machine.inputs_mut(tier).iter_mut().enumerate().for_each(|(at, x)| *x = input(tier, at, point));
        machine.commit(tier);
    }
    for entry in 0..program.entries() {
        let mut out = vec![0.0; program.outputs(entry).len()];
        machine.run(entry, &mut out);
        results.extend(out);
    }
    results
}

/// The same with one point on each lane, for every lane.
fn computed_in_lanes(mut machine: Machine, program: &Program) -> Vec<Vec<f64>> {
    let lanes = machine.lanes();
    for tier in 0..program.tiers() {
        for (at, x) in machine.inputs_mut(tier).iter_mut().enumerate() {
            *x = input(tier, at / lanes, at % lanes);
        }
        machine.commit(tier);
    }
    let mut results = vec![Vec::new(); lanes];
    for entry in 0..program.entries() {
        let mut out = vec![0.0; program.outputs(entry).len() * lanes];
        machine.run(entry, &mut out);
        out.iter().enumerate().for_each(|(at, x)| results[at % lanes].push(*x));
    }
    results
}

/// Positive numbers about one, as parameters, states and steps may be.
fn input(tier: usize, at: usize, point: usize) -> f64 {
    let number = 7919 * tier + 104_729 * at + 1_299_709 * point;
    0.2 + (number as f64 * 0.618_033_988_749_894_9).fract()
}

fn programs(model: &Model) -> Vec<Program> {
    match Statement::of(model) {
        Ok(statement) => Problem::new(model, statement, &Settings::of(model).method).unwrap().programs(),
        Err(_) => CompiledRun::new(model, &Settings::of(model)).unwrap().programs(),
    }
}

#[test]
fn programs_give_the_bits_of_the_tape_alone_in_lanes_and_in_blocks() {
    let backends = Backend::EMITTED.into_iter().chain([Backend::Tape]);
    let lane_kinds: Vec<_> = backends.flat_map(|backend| [4, 8, 16, 64].map(|lanes| (backend, lanes))).collect();
    for name in names() {
        let model = gallery(name);
        for program in programs(&model) {
            let alone = |point| computed(program.machine_on(Backend::Tape).unwrap(), point);
            let expected: Vec<Vec<f64>> = (0..64).map(alone).collect();
            let compare = |found: &[Vec<f64>], what: &str| {
                for (found, expected) in found.iter().zip(&expected) {
                    let differs = |(a, b): (&f64, &f64)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan());
                    let other = found.iter().zip(expected).position(differs);
                    assert_eq!(other, None, "{name}: {what} differs from the tape");
                }
            };
            for backend in Backend::EMITTED {
                let machines = (0..4).filter_map(|point| Some(computed(program.machine_on(backend)?, point)));
                compare(&machines.collect::<Vec<_>>(), &format!("{backend:?}"));
            }
            for (backend, lanes) in lane_kinds.iter().copied() {
                let Some(machine) = program.lane_machine_on(backend, lanes) else { continue };
                compare(&computed_in_lanes(machine, &program), &format!("{backend:?} in {lanes} lanes"));
            }
        }
    }
}

/// Members with different parameters, marched by one stream of instructions where a step is of one piece.
#[test]
fn members_of_a_sweep_have_the_bits_of_motions_alone() {
    let mut side_by_side = 0;
    for name in names().filter(|name| gallery(name).boundary().is_none() && gallery(name).order() == 1) {
        let model = gallery(name);
        let settings = Settings::of(&model).steps(40);
        let sweep = |parameter: &Parameter| {
            let axis = format!("{}={}:{}", parameter.name, 0.9 * parameter.value, 1.1 * parameter.value);
            let random = vec![axis.parse().ok()?];
            let variation = Variation { random, samples: 11, ..Variation::default() };
            CompiledSweep::new(&model, &settings, variation, Record::End).ok()
        };
        // Not a number of members, nor a parameter that is zero.
        let Some(varied) = model.parameters().iter().find(|parameter| sweep(parameter).is_some()) else { continue };
        let rows = |lanes| {
            let sweep = sweep(varied).unwrap().with_lanes(lanes);
            let columns = 0..sweep.fields().number_names().len();
            let (frame, _) = sweep.collect(1);
            let bits: Vec<u64> = columns.flat_map(|at| frame.numbers(at).iter().map(|x| x.to_bits())).collect();
            (sweep.lanes(), bits)
        };
        let (_, alone) = rows(1);
        for lanes in [4, 8, 16, 64] {
            let (taken, together) = rows(lanes);
            side_by_side += usize::from(taken == 64);
            assert!(together == alone, "{name}: {lanes} members at once differ from members alone");
        }
    }
    assert!(side_by_side > 20, "only {side_by_side} models have a step of one piece");
}
