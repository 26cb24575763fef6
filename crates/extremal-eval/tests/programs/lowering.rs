//! Which operations an expression becomes.

use extremal_eval::{EntryPoint, Op, Program};
use extremal_expr::{Expr, Graph, Rational};

/// Compiled with `a, b` of an earlier tier than `x, y, z`.
fn compile(outputs: &[Expr]) -> Program {
    let g = outputs[0].graph();
    let inputs =
        [vec!["a", "b"], vec!["x", "y", "z"]].map(|names| names.iter().map(|name| g.symbol(name).id()).collect());
    let outputs = outputs.iter().map(|e| e.id()).collect();
    Program::compile(g, &inputs, &[EntryPoint { tier: 1, outputs }]).unwrap()
}

/// The names of the operations of a run, sorted.
fn ops(outputs: &[Expr]) -> String {
    let program = compile(outputs);
    let mut names: Vec<_> = program.ops(0).iter().map(|step| step.op.name()).collect();
    names.sort_unstable();
    names.join(" ")
}

fn value(output: Expr, slow: [f64; 2], fast: [f64; 3]) -> f64 {
    let mut machine = compile(&[output]).machine();
    machine.inputs_mut(0).copy_from_slice(&slow);
    machine.commit(0);
    machine.inputs_mut(1).copy_from_slice(&fast);
    let mut out = [0.0];
    machine.run(0, &mut out);
    out[0]
}

#[test]
fn sums_and_products_become_few_operations() {
    let g = &Graph::new();
    let [a, b, x, y, z] = ["a", "b", "x", "y", "z"].map(|name| g.symbol(name));
    for (output, expected) in [
        (x - y, "sub"),
        (y - x, "sub"),
        (-x - y, "add neg"),
        (-(x * y), "mul neg"),
        (x / 2 + y / 2 - z / 2, "add mul sub"),
        (x * 3 + y * 3 + z, "add muladd"),
        (x * y / z, "div mul"),
        (x / (y * z), "div mul"),
        (g.int(1) / x, "div"),
        (x * a * b, "mul"),
        (x * a * b * 2, "mul"),
        (x * a + y * b * 5, "mul muladd"),
        (x / a, "mul"),
        (x * b / a, "mul"),
        (x * 3 / a, "mul"),
        (a / x, "div"),
        (-(a * x), "mul"),
        (z - (x * y), "submul"),
        (x * y - z, "mulsub"),
        (x + (a + b * 2) + 3, "add"),
        ((x + y).sqrt().powi(-3), "add div mul sqrt"),
        (x.pow(g.int(2) / 3), "pow"),
        (x.pow(g.int(-5) / 3) * y, "mul pow"),
        (x.powi(-2), "div mul"),
        (x.powi(65), "pow"),
        (x.powi(-65), "pow"),
        (x.powi(64), "mul mul mul mul mul mul"),
        (g.int(2).sqrt() * g.pi() * x, "mul"),
    ] {
        assert_eq!(ops(&[output]), expected, "{}", compile(&[output]));
    }
    // Powers share what they have in common: x², x³ = x²·x, x⁴, x⁶ = (x³)².
    assert_eq!(ops(&[x.powi(2), x.powi(3), x.powi(4), x.powi(6)]), "mul mul mul mul");
    // A product with another use is joined with its sum all the same: the bits of a sum do not depend on what else is wanted.
    assert_eq!(ops(&[x * y + z, x * y]), "mul muladd");
    // An opposite is not formed where a sum can subtract instead.
    assert_eq!(ops(&[(x + y) * -1 + z.sin()]), "add sin sub");
}

#[test]
fn coefficients_are_applied_with_one_rounding() {
    let g = &Graph::new();
    let [x, y] = ["x", "y"].map(|name| g.symbol(name));
    let ratio = |p, q| g.rational(Rational::new(p, q).unwrap());
    for v in [1.0, 7.0, 0.1, 1e300, -3.3] {
        let fast = [v, 0.7 * v, 0.0];
        assert_eq!(value(x / 3, [0.0; 2], fast), v / 3.0);
        assert_eq!(value(-(x / 10), [0.0; 2], fast), v / -10.0);
        assert_eq!(value(x * ratio(5, 8), [0.0; 2], fast), v * 0.625);
        assert_eq!(value(x * ratio(2, 3), [0.0; 2], fast), v * (2.0 / 3.0));
        // The difference first, the common coefficient last.
        assert_eq!(value(x / 3 - y / 3, [0.0; 2], fast), (v - 0.7 * v) / 3.0);
        assert_eq!(value(x / 3 - ratio(1, 3), [0.0; 2], fast), (v - 1.0) / 3.0);
    }
}

#[test]
fn numbers_are_rounded_once() {
    let g = &Graph::new();
    // 1/49 + 48/49·... : the exact rational is folded before it becomes a float.
    let tenth = g.rational(Rational::parse_decimal("0.1").unwrap());
    assert_eq!(value(tenth * 3, [0.0; 2], [0.0; 3]), 0.3);
    let program = compile(&[g.symbol("x") * tenth * 3]);
    assert!(program.ops(0).iter().all(|step| matches!(step.op, Op::Mul(..))));
}

#[test]
fn large_powers_keep_the_sign_of_negative_bases() {
    let g = &Graph::new();
    let x = g.symbol("x");
    assert_eq!(value(x.powi(65), [0.0; 2], [-1.0, 0.0, 0.0]), -1.0);
    assert_eq!(value(x.powi(-66), [0.0; 2], [-1.0, 0.0, 0.0]), 1.0);
    assert_eq!(value(x.powi(3), [0.0; 2], [-2.0, 0.0, 0.0]), -8.0);
    // x^(200/2) must not be defined where sqrt(x)^200 is not.
    assert!(value(x.sqrt().powi(200), [0.0; 2], [-1.0, 0.0, 0.0]).is_nan());
}
