//! The tape against the node-by-node evaluator of the graph.

use std::collections::HashMap;

use crate::recipes::{TIERS, build, feed, recipe, same_bits, symbols};
use extremal_eval::{EntryPoint, Program};
use extremal_expr::{Expr, Function, Function2, Graph, Id, Relation};
use extremal_testkit::bounded::{Bounded, evaluate};
use proptest::prelude::*;

fn tierd_inputs(g: &Graph) -> Vec<Vec<Id>> {
    TIERS.iter().map(|names| names.iter().map(|name| g.symbol(name).id()).collect()).collect()
}

/// Up to the errors of two libraries.
fn alike(a: f64, b: f64) -> bool {
    same_bits(a, b) || (a - b).abs() <= 2.0 * f64::EPSILON * b.abs()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, max_global_rejects: 1 << 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tape_and_graph_agree(recipe in recipe(24), point in prop::array::uniform7(-2.5..2.5f64)) {
        let g = &Graph::new();
        let made = build(g, &recipe);
        let output = *made.last().unwrap();
        let values: HashMap<&str, f64> = symbols().zip(point).collect();
        let bounds = evaluate(g, &[output.id()], |name| values[name]);
        // Cancellation to nothing: the value is all error, and functions of it are anybody's guess.
        let told = |b: &Bounded| match b.value.is_nan() {
            true => b.error.is_nan(),
            false => b.error.is_finite() && b.error <= 1e-6 * b.value.abs().max(1e-6),
        };
        prop_assume!(bounds.values().all(told));
        let bound = bounds[&output.id()];

        let program = Program::compile(g, &tierd_inputs(g), &[EntryPoint { tier: 2, outputs: vec![output.id()] }]).unwrap();
        let mut machine = program.machine();
        feed(&mut machine, &point);
        let mut out = [0.0];
        machine.run(0, &mut out);
        let naive = g.evaluate(&[output], |name| values.get(name).copied())[0];
        if naive.is_nan() {
            prop_assert!(out[0].is_nan(), "graph NaN, tape {}\n{program}", out[0]);
        } else {
            // Both are within the bound of the exact value; what underflows has no relative bound.
            prop_assert!((out[0] - naive).abs() <= 2.0 * bound.error + f64::MIN_POSITIVE, "graph {naive:e}, tape {:e}, bound {:e}\n{program}", out[0], bound.error);
        }
    }

    #[test]
    fn an_output_does_not_depend_on_the_entry_that_computes_it(recipe in recipe(40), point in prop::array::uniform7(-2.5..2.5f64)) {
        let g = &Graph::new();
        let outputs: Vec<Id> = build(g, &recipe).iter().map(|e| e.id()).collect();
        let inputs = tierd_inputs(g);
        // One entry for all, one per output at the last tier, and one per output at the earliest tier that allows it: there
        // the work is done in the run instead of a commit.
        let earliest = |id: &Id| {
            let used = g.free_symbols(&[g.expr(*id)]);
            inputs.iter().rposition(|tier| tier.iter().any(|input| used.iter().any(|e| e.id() == *input))).unwrap_or(0)
        };
        let mut entries = vec![EntryPoint { tier: 2, outputs: outputs.clone() }];
        entries.extend(outputs.iter().map(|id| EntryPoint { tier: 2, outputs: vec![*id] }));
        entries.extend(outputs.iter().map(|id| EntryPoint { tier: earliest(id), outputs: vec![*id] }));
        let program = Program::compile(g, &inputs, &entries).unwrap();
        let mut machine = program.machine();
        feed(&mut machine, &point);

        let mut all = vec![0.0; outputs.len()];
        machine.run(0, &mut all);
        for (at, expected) in all.iter().enumerate() {
            for entry in [1 + at, 1 + outputs.len() + at] {
                let mut one = [0.0];
                machine.run(entry, &mut one);
                prop_assert!(same_bits(one[0], *expected), "output {at}: {} alone, {expected} together\n{program}", one[0]);
            }
        }
        // Nothing a run did disturbs another run.
        let mut again = vec![0.0; outputs.len()];
        machine.run(0, &mut again);
        prop_assert!(all.iter().zip(&again).all(|(a, b)| same_bits(*a, *b)));
    }
}

/// Evaluates at `x`, `y`, without hoisting.
fn at(output: Expr, x: f64, y: f64) -> f64 {
    let g = output.graph();
    let inputs = vec![g.symbol("x").id(), g.symbol("y").id()];
    let program = Program::compile(g, &[inputs], &[EntryPoint { tier: 0, outputs: vec![output.id()] }]).unwrap();
    let mut machine = program.machine();
    machine.inputs_mut(0).copy_from_slice(&[x, y]);
    let mut out = [0.0];
    machine.run(0, &mut out);
    out[0]
}

#[test]
fn every_function_is_the_one_it_names() {
    let g = &Graph::new();
    for function in Function::ALL {
        for x in [-3.0, -0.5, 0.0, 0.25, 1.0, 7.5, f64::INFINITY, f64::NAN] {
            let value = at(g.symbol("x").call(*function), x, 0.0);
            assert!(alike(value, function.apply(x)), "{}({x}) = {value}", function.name());
        }
    }
    for function in Function2::ALL {
        for (x, y) in [(1.0, 2.0), (2.0, 1.0), (-1.0, -0.0), (f64::NAN, 1.0), (1.0, f64::NAN)] {
            let value = at(g.call2(*function, g.symbol("x"), g.symbol("y")), x, y);
            assert!(alike(value, function.apply(x, y)), "{}({x}, {y}) = {value}", function.name());
        }
    }
}

#[test]
fn sine_with_cosine_has_the_bits_of_sine_alone() {
    let g = &Graph::new();
    let x = g.symbol("x");
    let (sin, cos) = (x.sin().id(), x.cos().id());
    let entries = [vec![sin, cos], vec![sin], vec![cos]].map(|outputs| EntryPoint { tier: 0, outputs });
    let program = Program::compile(g, &[vec![x.id()]], &entries).unwrap();
    assert_eq!(program.counts(0).operations, 1);
    let mut machine = program.machine();
    let mut angle = 1e-3;
    while angle < 1e9 {
        machine.inputs_mut(0)[0] = angle;
        let (mut both, mut sin, mut cos) = ([0.0; 2], [0.0], [0.0]);
        machine.run(0, &mut both);
        machine.run(1, &mut sin);
        machine.run(2, &mut cos);
        assert_eq!([both[0].to_bits(), both[1].to_bits()], [sin[0].to_bits(), cos[0].to_bits()], "at {angle}");
        angle *= 1.0003;
    }
}

#[test]
fn a_lost_domain_is_never_hidden() {
    let g = &Graph::new();
    let (x, y) = (g.symbol("x"), g.symbol("y"));
    let third = g.int(1) / 3;
    for undefined in [
        x.sqrt() * x.sqrt(),
        x.sqrt().powi(3),
        x.sqrt().powi(-5),
        x.pow(third),
        x.pow(third * -2),
        x.log(),
        g.call2(Function2::Min, x.sqrt(), y),
        g.call2(Function2::Max, y, x.sqrt()),
        g.select(g.compare(Relation::Lt, y, x), y, x.sqrt()),
    ] {
        assert!(at(undefined, -8.0, 2.0).is_nan());
    }
    // The branch not taken may be undefined.
    assert_eq!(at(g.select(g.compare(Relation::Lt, x, y), y, x.sqrt()), -8.0, 2.0), 2.0);
    assert_eq!(at(x.call(Function::Cbrt), -8.0, 0.0), -2.0);
}

#[test]
fn conditions() {
    let g = &Graph::new();
    let (x, y) = (g.symbol("x"), g.symbol("y"));
    let [lt, le, eq, ne] = [Relation::Lt, Relation::Le, Relation::Eq, Relation::Ne].map(|c| g.compare(c, x, y));
    let truth = |e: Expr| [(1.0, 2.0), (2.0, 2.0), (3.0, 2.0), (f64::NAN, 2.0)].map(|(x, y)| at(e, x, y));
    assert_eq!(truth(lt), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(truth(le), [1.0, 1.0, 0.0, 0.0]);
    assert_eq!(truth(eq), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(truth(ne), [1.0, 0.0, 1.0, 1.0]);
    assert_eq!(truth(g.and(le, ne)), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(truth(g.or(lt, eq)), [1.0, 1.0, 0.0, 0.0]);
    assert_eq!(truth(g.not(lt)), [0.0, 1.0, 1.0, 1.0]);
    assert_eq!(truth(g.select(lt, x * 10, y * 100)), [10.0, 200.0, 200.0, 200.0]);
}
