//! Programs as large as users can make them.

use std::time::{Duration, Instant};

use extremal_eval::{EntryPoint, Program};
use extremal_expr::{Expr, Graph};

/// Sizes at which a linear compiler takes about a second and a quadratic one, with 1e11 steps, more than a minute.
const LARGE: usize = 300_000;
const LIMIT: Duration = Duration::from_secs(40);

fn compile(inputs: &[Expr], output: Expr) -> Program {
    let inputs = inputs.iter().map(|e| e.id()).collect();
    let start = Instant::now();
    let program =
        Program::compile(output.graph(), &[inputs], &[EntryPoint { tier: 0, outputs: vec![output.id()] }]).unwrap();
    assert!(start.elapsed() < LIMIT, "compiling took {:?}", start.elapsed());
    program
}

fn value(program: &Program, inputs: &[f64]) -> f64 {
    let mut machine = program.machine();
    machine.inputs_mut(0).copy_from_slice(inputs);
    let mut out = [0.0];
    machine.run(0, &mut out);
    out[0]
}

#[test]
fn a_long_sum_is_compiled_in_linear_time_and_added_accurately() {
    const N: usize = LARGE;
    let g = &Graph::new();
    let x: Vec<Expr> = (0..N).map(|i| g.symbol(&format!("x{i}"))).collect();
    let program = compile(&x, g.sum(x.iter().copied()));
    assert_eq!(program.counts(0).operations, N - 1);
    // Memory: the inputs and the partial sums of a binary counter.
    assert!(program.memory() <= N + 22, "{} slots", program.memory());
    // One third is not exact in binary: adding one after the other is off by about N/4 units in the last place; in runs of 32
    // combined in pairs the error is at most 31 + log2(N/32) < 45 of them.
    let exact = N as f64 / 3.0;
    assert!((value(&program, &vec![1.0 / 3.0; N]) - exact).abs() <= 45.0 * f64::EPSILON * exact);
}

#[test]
fn a_long_product_and_a_long_list_of_outputs() {
    const N: usize = 50_000;
    let g = &Graph::new();
    let x: Vec<Expr> = (0..N).map(|i| g.symbol(&format!("x{i}"))).collect();
    let program = compile(&x, g.product(x.iter().copied()));
    assert_eq!(value(&program, &vec![-1.0; N]), 1.0);

    let inputs = x.iter().map(|e| e.id()).collect();
    let outputs = x.iter().map(|e| e.sin().id()).collect();
    let program = Program::compile(g, &[inputs], &[EntryPoint { tier: 0, outputs }]).unwrap();
    assert_eq!(program.counts(0).operations, N);
}

#[test]
fn a_deep_chain_neither_overflows_the_stack_nor_fills_the_memory() {
    const DEPTH: usize = LARGE;
    let g = &Graph::new();
    let x = g.symbol("x");
    let program = compile(&[x], (0..DEPTH).fold(x, |chain, _| (chain + x).sin()));
    let expected = (0..DEPTH).fold(0.7f64, |value, _| (value + 0.7).sin());
    assert_eq!(program.counts(0).operations, 2 * DEPTH);
    assert!(program.memory() <= 3, "{} slots", program.memory());
    assert_eq!(value(&program, &[0.7]), expected);
}
