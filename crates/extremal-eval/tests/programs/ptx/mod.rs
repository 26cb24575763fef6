//! Kernels, read from their text and run thread by thread, give the bits of the tape.

mod device;
mod functions;
mod text;

use extremal_eval::ptx::{DrawnColumn, MemberInput, MemberLayout, drawing};
use extremal_eval::{Backend, EntryPoint, Program, TRIES};
use extremal_expr::{Graph, Id, Relation};
use proptest::prelude::*;

use crate::recipes::{TIERS, build, feed, number, recipe, same_bits};
use device::Device;

fn symbols(g: &Graph) -> Vec<Vec<Id>> {
    TIERS.iter().map(|names| names.iter().map(|name| g.symbol(name).id()).collect()).collect()
}

/// Columns for all inputs but those that are uniform, one after the other.
fn layout(uniform: &[usize]) -> MemberLayout {
    let mut next = 0;
    let mut place = || {
        next += 1;
        if uniform.contains(&(next - 1)) { MemberInput::Uniform } else { MemberInput::Column(next - 1) }
    };
    let inputs = TIERS.iter().map(|names| names.iter().map(|_| place()).collect()).collect();
    MemberLayout { inputs, outputs: Vec::new() }
}

/// The columns of some points.
fn columns(points: &[[f64; 7]]) -> Vec<Vec<f64>> {
    (0..7).map(|at| points.iter().map(|point| point[at]).collect()).collect()
}

/// Where inputs are uniform all points have the same.
fn made_uniform(points: &mut [[f64; 7]], uniform: &[usize]) {
    for at in uniform {
        let first = points[0][*at];
        points.iter_mut().for_each(|point| point[*at] = first);
    }
}

fn uniform_input(points: &[[f64; 7]]) -> impl Fn(usize, usize) -> f64 {
    let first = points[0];
    move |tier, input| first[TIERS[..tier].iter().map(|names| names.len()).sum::<usize>() + input]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn kernels_give_the_bits_of_the_tape(
        recipe in recipe(120),
        mut points in prop::collection::vec(prop::array::uniform7(number()), 3),
        uniform in prop::sample::subsequence(vec![0usize, 1, 2, 3, 4], 0..5),
    ) {
        made_uniform(&mut points, &uniform);
        let g = &Graph::new();
        let outputs: Vec<Id> = build(g, &recipe).iter().map(|e| e.id()).collect();
        let program = Program::compile(g, &symbols(g), &[EntryPoint { tier: 2, outputs: outputs.clone() }]).unwrap();
        let wanted = (0..outputs.len()).map(|at| Some(7 + at)).collect();
        let kernel = program.kernel("entry", 0, &MemberLayout { outputs: wanted, ..layout(&uniform) }).unwrap();
        let mut device = Device::new(&columns(&points), 7 + outputs.len(), 1);
        device.launch(&kernel, 0, uniform_input(&points));
        let mut tape = program.machine_on(Backend::Tape).unwrap();
        for (member, point) in points.iter().enumerate() {
            feed(&mut tape, point);
            let mut expected = vec![0.0; outputs.len()];
            tape.run(0, &mut expected);
            for (at, expected) in expected.iter().enumerate() {
                let found = device.column(7 + at)[member];
                prop_assert!(same_bits(*expected, found), "tape {expected:e}, kernel {found:e}, output {at}\n{program}");
            }
        }
    }

    #[test]
    fn loops_give_the_bits_of_the_tape(
        recipe in recipe(60),
        mut points in prop::collection::vec(prop::array::uniform7(number()), 3),
        order in 0usize..6,
        uniform in prop::sample::subsequence(vec![0usize, 1, 2, 3], 0..4),
    ) {
        made_uniform(&mut points, &uniform);
        let g = &Graph::new();
        let inputs = symbols(g);
        let own = &inputs[2];
        let computed = *build(g, &recipe).last().unwrap();
        let at_most = |a: Id, limit: i64| g.compare(Relation::Le, g.expr(a), g.int(limit));
        let shared = at_most(own[1], 3);
        let all = [
            g.compare(Relation::Lt, g.expr(own[order % own.len()]), g.int(2)),
            at_most(inputs[0][0], 3),
            shared,
            g.or(at_most(own[2], 1), g.not(at_most(own[0], -2))),
            g.compare(Relation::Ne, g.expr(own[0]), g.int(1)),
        ];
        let condition = all[..1 + order % all.len()].iter().copied().reduce(|a, b| g.and(a, b)).unwrap();
        let computed = g.select(shared, computed, -computed);
        let mut outputs: Vec<Id> = own.clone();
        outputs.rotate_left(order % own.len());
        outputs[order / 2 % own.len()] = computed.id();
        // Another try exchanges two inputs, and replaces a third, or there is none.
        let again = [(computed + g.expr(own[0])).id(), own[2], own[1]];
        let again = if order % 2 == 1 { &again[..] } else { &[] };
        let program = Program::looping(g, &inputs, &[], condition.id(), &outputs, again).unwrap();
        let kernel = program.loop_kernel("rounds", &layout(&uniform)).unwrap();
        let mut device = Device::new(&columns(&points), 7, 4);
        // In launches of some rounds each, tries included.
        for _ in 0..8 {
            device.launch(&kernel, 3, uniform_input(&points));
        }
        let [left, tries] = device.counters();
        for (member, point) in points.iter().enumerate() {
            let mut tape = program.machine_on(Backend::Tape).unwrap();
            feed(&mut tape, point);
            let rounds = tape.repeat(4) as u32;
            prop_assert_eq!(4 - rounds, left[member]);
            prop_assert_eq!(rounds < 4, tries[member] == TRIES);
            for (at, expected) in tape.inputs(2).iter().enumerate() {
                let found = device.column(4 + at)[member];
                prop_assert!(same_bits(*expected, found), "tape {expected:e}, kernel {found:e}, input {at}\n{program}");
            }
        }
    }
}

/// What members differ by. Of a generator whose counter and key are zero the authors' library gives 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
#[test]
fn numbers_are_drawn_by_the_published_generator() {
    let columns = [DrawnColumn::Uniform(0), DrawnColumn::Normal(1), DrawnColumn::Spaced(2), DrawnColumn::Spaced(3)];
    let kernel = drawing("draw", &columns).unwrap();
    let given = [0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 6.0, 0.0, 0.0, 1.0, 0.5, 2.0, 3.0, 0.2, 0.9, 1.0, 1.0, 7.0, 7.0];
    let mut device = Device::new(&[vec![f64::NAN; 7]], 4, 0);
    device.launch(&kernel, 0, |_, at| given[at]);
    let unit = |high: u64, low: u64| ((high << 32 | low) >> 11) as f64 / (1u64 << 53) as f64;
    let [a, b] = [unit(0xe169_c58d, 0x6627_e8d5), unit(0x9b00_dbd8, 0xbc57_ac4c)];
    assert_eq!(device.column(0)[0], 2.0 + 4.0 * a);
    let normal = (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos();
    // Logarithm and cosine of this machine's library may differ in the last places.
    assert!((device.column(1)[0] - (1.0 + 0.5 * normal)).abs() < 1e-14);
    let middle = 0.2 + (0.9 - 0.2) * 0.5;
    assert_eq!(device.column(2), [0.2, 0.2, middle, middle, 0.9, 0.9, 0.2]);
    assert_eq!(device.column(3), [7.0; 7]);
    assert_ne!(device.column(0)[0], device.column(0)[1]);
}
