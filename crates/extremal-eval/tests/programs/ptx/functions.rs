//! Functions and quotients at numbers that are hard for them.

use extremal_eval::ptx::{MemberInput, MemberLayout};
use extremal_eval::{Backend, EntryPoint, Program};
use extremal_expr::{Function, Function2, Graph, Id, Interpolation, OutsideTable, Relation, TableFunction};

use super::device::Device;
use crate::recipes::same_bits;

/// Numbers at which functions are special, and some of all sizes.
fn hard_numbers() -> Vec<f64> {
    let mut numbers = vec![
        0.0,
        5e-324,
        1e-310,
        f64::MIN_POSITIVE,
        1e-30,
        1e-9,
        1e-8,
        0.17,
        0.4375,
        0.5,
        0.6875,
        0.975,
        0.99999,
        1.0,
        1.1875,
        1.5,
        2.0,
        2.4375,
        3.0,
        8.0,
        19.0,
        20.0,
        27.0,
        64.0,
        355.0,
        709.7,
        710.4,
        745.0,
        746.0,
        747.0,
        999999999.0,
        1e9,
        1000000001.0,
        1e15,
        9007199254740991.0,
        9007199254740992.0,
        1e22,
        1e100,
        1e300,
        f64::MAX,
        f64::INFINITY,
        // The double nearest to a multiple of π/2, and others that come close.
        6381956970095103.0 * 2f64.powi(797),
        5319372648326541.0,
        22.0,
        // Cubic roots nearly in the middle of two numbers.
        f64::from_bits(0x4009_b782_23aa_307c),
        f64::from_bits(0x401a_202b_fc89_ddff),
    ];
    let steps = [f64::next_up, f64::next_down];
    let near: Vec<f64> = numbers.iter().flat_map(|x| steps.map(|step| step(*x))).collect();
    numbers.extend(near);
    // A multiplicative sequence through all exponents, always the same.
    let mut bits = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..400 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = f64::from_bits(bits & !(1 << 63));
        numbers.push(if x.is_nan() { 1.0 } else { x });
        numbers.push((bits >> 11) as f64 / 2f64.powi(50));
    }
    let opposite: Vec<f64> = numbers.iter().map(|x| -x).collect();
    numbers.extend(opposite);
    numbers.push(f64::NAN);
    numbers
}

const LIMIT: f64 = 1e-3;

/// Compares formulas of x, y and a limit with the tape at pairs of numbers: as an entry, and as a loop, where numbers that are ordinary are
/// computed in fewer operations than others.
fn compare(formulas: impl Fn(&Graph, [Id; 3]) -> Vec<(String, Id)>, pairs: &[[f64; 2]]) {
    let g = Graph::new();
    let [x, y, limit] = ["x", "y", "limit"].map(|name| g.symbol(name).id());
    let (names, outputs): (Vec<String>, Vec<Id>) = formulas(&g, [x, y, limit]).into_iter().unzip();
    let count = outputs.len();
    let entries = [EntryPoint { tier: 1, outputs: outputs.clone() }];
    let program = Program::compile(&g, &[vec![limit], vec![x, y]], &entries).unwrap();
    let mut tape = program.machine_on(Backend::Tape).unwrap();
    tape.inputs_mut(0)[0] = LIMIT;
    tape.commit(0);
    let of_tape = |pair: &[f64; 2]| {
        tape.inputs_mut(1).copy_from_slice(pair);
        let mut expected = vec![0.0; count];
        tape.run(0, &mut expected);
        expected
    };
    let expected: Vec<Vec<f64>> = pairs.iter().map(of_tape).collect();
    let given: Vec<Vec<f64>> = (0..2).map(|at| pairs.iter().map(|pair| pair[at]).collect()).collect();
    let check = |device: &Device, what: &str| {
        for (at, name) in names.iter().enumerate() {
            for (member, found) in device.column(2 + at).into_iter().enumerate() {
                let (pair, expected) = (pairs[member], expected[member][at]);
                assert!(
                    same_bits(expected, found),
                    "{name} of {pair:?} in {what}: tape {expected:e}, kernel {found:e}"
                );
            }
        }
    };

    let uniform = vec![MemberInput::Uniform];
    let columns = |count: usize| (0..count).map(MemberInput::Column).collect();
    let wanted = (0..count).map(|at| Some(2 + at)).collect();
    let layout = MemberLayout { inputs: vec![uniform.clone(), columns(2)], outputs: wanted };
    let mut device = Device::new(&given, 2 + count, 1);
    device.launch(&program.kernel("functions", 0, &layout).unwrap(), 0, |_, _| LIMIT);
    check(&device, "an entry");

    let results: Vec<Id> = (0..count).map(|at| g.symbol(&format!("result {at}")).id()).collect();
    let inputs = [vec![limit], [&[x, y], &results[..]].concat()];
    let goes_on = g.compare(Relation::Le, g.int(0), g.int(1)).id();
    let program = Program::looping(&g, &inputs, &[], goes_on, &[&[x, y], &outputs[..]].concat(), &[]).unwrap();
    let layout = MemberLayout { inputs: vec![uniform, columns(2 + count)], outputs: Vec::new() };
    let mut device = Device::new(&given, 2 + count, 1);
    device.launch(&program.loop_kernel("rounds", &layout).unwrap(), 1, |_, _| LIMIT);
    check(&device, "a loop");
}

#[test]
fn functions_of_one_number() {
    let pairs: Vec<[f64; 2]> = hard_numbers().into_iter().map(|x| [x, 0.0]).collect();
    for function in Function::ALL {
        compare(|g, [x, ..]| vec![(function.name().to_owned(), g.expr(x).call(*function).id())], &pairs);
    }
    let both = |g: &Graph, x: Id| [g.expr(x).sin().id(), g.expr(x).cos().id(), g.expr(x).sqrt().id()];
    compare(|g, [x, ..]| ["sin", "cos", "sqrt"].map(str::to_owned).into_iter().zip(both(g, x)).collect(), &pairs);
}

#[test]
fn functions_of_two_numbers() {
    let some: Vec<f64> =
        hard_numbers().into_iter().enumerate().filter(|(at, _)| *at < 50 || at % 31 == 0).map(|(_, x)| x).collect();
    let whole = [1.0, 2.0, 3.0, -1.0, -2.0, -3.0, 0.5, -0.5, 1e9 + 1.0];
    let pairs: Vec<[f64; 2]> =
        some.iter().flat_map(|x| some.iter().chain(&whole).flat_map(|y| [[*x, *y], [-*x, *y], [*y, *x]])).collect();
    let formulas = |g: &Graph, [x, y, _]: [Id; 3]| {
        let (x, y) = (g.expr(x), g.expr(y));
        let mut list = vec![("pow".to_owned(), x.pow(y).id())];
        list.extend(Function2::ALL.iter().map(|function| (function.name().to_owned(), g.call2(*function, x, y).id())));
        for relation in Relation::ALL {
            let condition = g.compare(*relation, x, y);
            list.push((format!("{relation:?}"), condition.id()));
            list.push((format!("choice by {relation:?}"), g.select(g.not(condition), x, y).id()));
        }
        list
    };
    compare(formulas, &pairs);
}

#[test]
fn tables() {
    let x: Vec<f64> = (0..40).map(|at| f64::from(at) * 0.25 + f64::from(at % 3) * 0.01).collect();
    let y: Vec<f64> = x.iter().map(|x| (x * 1.3).sin()).collect();
    let mut closed = y.clone();
    closed[39] = closed[0];
    let pairs: Vec<[f64; 2]> = hard_numbers()
        .into_iter()
        .chain(x.iter().copied())
        .chain((0..300).map(|at| f64::from(at) * 0.05 - 2.0))
        .map(|x| [x, 0.0])
        .collect();
    for (name, interpolation, outside, y) in [
        ("cubic", Interpolation::Cubic, OutsideTable::Extend, &y),
        ("linear", Interpolation::Linear, OutsideTable::Error, &y),
        ("monotone", Interpolation::Monotone, OutsideTable::Hold, &y),
        ("périodique", Interpolation::Periodic, OutsideTable::Error, &closed),
    ] {
        let table = TableFunction::through(name, &x, y, interpolation, outside).unwrap();
        let slope = table.slope().unwrap();
        compare(
            |g, [x, ..]| {
                [table, slope].iter().map(|table| (table.name().to_owned(), g.expr(x).table(*table).id())).collect()
            },
            &pairs,
        );
    }
}

#[test]
fn quotients() {
    let pairs: Vec<[f64; 2]> = hard_numbers()
        .into_iter()
        .enumerate()
        .flat_map(|(at, x)| {
            // Quotients all over, and some around the limit.
            let others = [
                (at as f64 * 0.7).exp2(),
                (at as f64 - 500.0).exp2() * 1.1,
                x / LIMIT,
                (x / LIMIT).next_up(),
                x * 990.0,
            ];
            others.into_iter().chain([x / LIMIT * 0.9905, -x, 0.0, -0.0, f64::INFINITY]).map(move |y| [x, y])
        })
        .collect();
    let divisors = [3, -3, 5, -6, 7, 8, -64, 10, 49, 99, 641, 1_000_003, -999_999_999];
    // One formula at a time: what is in doubt in one of them is computed once more in all.
    for divisor in divisors {
        let formula =
            |g: &Graph, [x, ..]: [Id; 3]| vec![(format!("quotient by {divisor}"), (g.expr(x) / g.int(divisor)).id())];
        compare(formula, &pairs);
    }
    for (relation, number) in
        [(Relation::Le, None), (Relation::Lt, None), (Relation::Le, Some(2)), (Relation::Lt, Some(-1))]
    {
        let formula = |g: &Graph, [x, y, limit]: [Id; 3]| {
            let limit = number.map_or(g.expr(limit), |number| g.int(number));
            let condition = g.compare(relation, g.expr(x).abs() / g.expr(y), limit);
            vec![(format!("quotient {relation:?}"), condition.id())]
        };
        compare(formula, &pairs);
    }
}

/// Magnitudes and their sums beside a limit, all over and around it; those of which half of the bits tell nothing are looked at again.
#[test]
fn magnitudes_beside_limits() {
    let near = [LIMIT, LIMIT.next_up(), LIMIT.next_down(), LIMIT * 0.5, LIMIT * 0.25, LIMIT * (1.0 + 1e-7)];
    let numbers: Vec<f64> = hard_numbers().into_iter().chain(near).collect();
    let others = |x: f64| near.into_iter().chain([0.0, -x, LIMIT - x.abs(), f64::INFINITY, f64::NAN]);
    let pairs: Vec<[f64; 2]> = numbers.iter().flat_map(|x| others(*x).map(|y| [*x, y])).collect();
    for (relation, number) in [
        (Relation::Le, None),
        (Relation::Lt, None),
        (Relation::Le, Some(2)),
        (Relation::Lt, Some(0)),
        (Relation::Le, Some(-1)),
    ] {
        for sum in [false, true] {
            let formula = |g: &Graph, [x, y, limit]: [Id; 3]| {
                let limit = number.map_or(g.expr(limit), |number| g.int(number));
                let other = if sum { g.expr(y).abs() } else { g.int(0) };
                let condition = g.compare(relation, g.expr(x).abs() + other, limit);
                vec![(format!("magnitude {relation:?} {number:?} {sum}"), condition.id())]
            };
            compare(formula, &pairs);
        }
    }
}

#[test]
fn inverses_and_magnitudes_of_products() {
    let some: Vec<f64> = hard_numbers().into_iter().step_by(7).collect();
    let pairs: Vec<[f64; 2]> = some.iter().flat_map(|x| some.iter().map(|y| [*x, -*y])).collect();
    let formulas = |g: &Graph, [x, y, limit]: [Id; 3]| {
        let [x, y, limit] = [x, y, limit].map(|id| g.expr(id));
        let (product, sizes) = (x * y, x.abs() * y.abs());
        let list = [x.powi(-1), product.sin(), sizes.sin(), product * limit, sizes * limit.abs(), sizes * x.abs()];
        list.into_iter().enumerate().map(|(at, e)| (format!("formula {at}"), e.id())).collect()
    };
    compare(formulas, &pairs);
}
