//! What is computed when.

use extremal_eval::{CompileError, EntryPoint, Machine, Op, Program, ValueDefinition};
use extremal_expr::{Expr, Graph, Id};

fn ids(exprs: &[Expr]) -> Vec<Id> {
    exprs.iter().map(|e| e.id()).collect()
}

fn compile(tiers: &[&[Expr]], entries: &[(usize, &[Expr])]) -> Program {
    let graph = tiers.iter().flat_map(|symbols| symbols.iter()).next().unwrap().graph();
    let inputs: Vec<_> = tiers.iter().map(|symbols| ids(symbols)).collect();
    let entries: Vec<_> =
        entries.iter().map(|(tier, outputs)| EntryPoint { tier: *tier, outputs: ids(outputs) }).collect();
    Program::compile(graph, &inputs, &entries).unwrap()
}

fn run(machine: &mut Machine, entry: usize) -> Vec<f64> {
    let mut out = vec![0.0; machine.program().outputs(entry).len()];
    machine.run(entry, &mut out);
    out
}

#[test]
fn slow_work_is_done_at_commits_and_only_if_a_later_tier_needs_it() {
    let g = &Graph::new();
    let [m, l, h, x] = ["m", "l", "h", "x"].map(|name| g.symbol(name));
    let parameter_work = (m * l).sqrt().exp();
    let fast = x * parameter_work * m.powi(2) * h.cos();
    let program = compile(&[&[m, l], &[h], &[x]], &[(2, &[fast]), (0, &[m.sin()]), (1, &[parameter_work + h])]);
    // Tier 0: m*l, its root, the exponential, m*m, their product; the sine is for an entry of tier 0 itself. Tier 1: the
    // cosine, and its product with the above.
    assert_eq!(program.counts(0).hoisted, [5, 2, 0]);
    assert_eq!((program.counts(0).operations, program.counts(0).transcendental), (1, 0));
    assert_eq!((program.counts(1).operations, program.counts(1).transcendental), (1, 1));
    assert_eq!(program.counts(2).operations, 1);
    assert_eq!(program.kept(0).len(), 2);

    let mut machine = program.machine();
    machine.inputs_mut(0).copy_from_slice(&[2.0, 8.0]);
    machine.commit(0);
    machine.inputs_mut(1)[0] = 0.5;
    machine.commit(1);
    machine.inputs_mut(2)[0] = 3.0;
    let expected = 3.0 * 4.0f64.exp() * 4.0 * 0.5f64.cos();
    // Four roundings on each side.
    assert!((run(&mut machine, 0)[0] - expected).abs() <= 8.0 * f64::EPSILON * expected);
    assert_eq!(run(&mut machine, 1), [2.0f64.sin()]);
    assert_eq!(run(&mut machine, 2), [4.0f64.exp() + 0.5]);
}

#[test]
fn a_commit_takes_effect_only_when_called() {
    let g = &Graph::new();
    let (k, x) = (g.symbol("k"), g.symbol("x"));
    let program = compile(&[&[k], &[x]], &[(1, &[k.exp() * x])]);
    let mut machine = program.machine();
    machine.inputs_mut(1)[0] = 2.0;
    assert!(run(&mut machine, 0)[0].is_nan(), "nothing was committed");
    machine.inputs_mut(0)[0] = 0.0;
    machine.commit(0);
    assert_eq!(run(&mut machine, 0), [2.0]);
    machine.inputs_mut(0)[0] = 1.0;
    assert_eq!(run(&mut machine, 0), [2.0]);
    machine.commit(0);
    assert_eq!(run(&mut machine, 0), [1f64.exp() * 2.0]);
}

#[test]
fn an_entry_of_a_tier_does_not_need_its_commit_and_leaves_it_alone() {
    let g = &Graph::new();
    let (x, y) = (g.symbol("x"), g.symbol("y"));
    let program = compile(&[&[x], &[y]], &[(0, &[x.sin()]), (1, &[x.sin() + y])]);
    let mut machine = program.machine();
    machine.inputs_mut(0)[0] = 1.0;
    machine.commit(0);
    machine.inputs_mut(0)[0] = 2.0;
    assert_eq!(run(&mut machine, 0), [2f64.sin()]);
    machine.inputs_mut(1)[0] = 0.0;
    assert_eq!(run(&mut machine, 1), [1f64.sin()], "still the committed one");
}

#[test]
fn outputs_may_be_anything_and_repeat() {
    let g = &Graph::new();
    let (k, x) = (g.symbol("k"), g.symbol("x"));
    let e = x * x;
    let outputs = [g.int(3), g.pi(), k, x, k.cos(), e, e, g.int(3), g.compare(extremal_expr::Relation::Lt, k, x)];
    let program = compile(&[&[k], &[x]], &[(1, &outputs), (1, &[])]);
    let mut machine = program.machine();
    machine.inputs_mut(0)[0] = 0.5;
    machine.commit(0);
    machine.inputs_mut(1)[0] = 4.0;
    assert_eq!(run(&mut machine, 0), [3.0, std::f64::consts::PI, 0.5, 4.0, 0.5f64.cos(), 16.0, 16.0, 3.0, 1.0]);
    assert!(run(&mut machine, 1).is_empty());
}

#[test]
fn a_residual_alone_skips_the_work_of_its_jacobian() {
    let g = &Graph::new();
    let (x, y) = (g.symbol("x"), g.symbol("y"));
    let residual = [x.exp() * y - 1, x.powi(2) + y.powi(2)];
    let jacobian = g.jacobian(&residual, &[x, y]);
    let both: Vec<Expr> = residual.iter().copied().chain(jacobian.iter().flatten().map(|(_, e)| *e)).collect();
    let program = compile(&[&[x, y]], &[(0, &residual), (0, &both)]);
    let (alone, together) = (program.counts(0), program.counts(1));
    assert_eq!((alone.transcendental, together.transcendental), (1, 1), "the exponential is shared");
    // exp, times y less 1 in one, x², y² added in one. Together exp·y is an output itself, so the difference is a fifth; 2x, 2y.
    assert_eq!((alone.operations, together.operations), (4, 7));
    let mut machine = program.machine();
    machine.inputs_mut(0).copy_from_slice(&[0.5, 2.0]);
    let (short, long) = (run(&mut machine, 0), run(&mut machine, 1));
    assert_eq!(short, long[..2]);
}

#[test]
fn clones_are_independent_and_cross_threads() {
    let g = &Graph::new();
    let x = g.symbol("x");
    let program = compile(&[&[x]], &[(0, &[x.sin() + x.powi(3)])]);
    let mut first = program.machine();
    first.inputs_mut(0)[0] = 1.0;
    let mut second = first.clone();
    second.inputs_mut(0)[0] = 2.0;
    let from_thread = std::thread::spawn(move || run(&mut second, 0)).join().unwrap();
    assert_eq!(from_thread, [2f64.sin() + 8.0]);
    assert_eq!(run(&mut first, 0), [1f64.sin() + 1.0]);
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&program);
}

#[test]
fn errors_name_the_culprit() {
    let g = &Graph::new();
    let (x, y) = (g.symbol("x"), g.symbol("y'"));
    let entry = |tier, e: Expr| vec![EntryPoint { tier, outputs: vec![e.id()] }];
    let error = |inputs: &[Vec<Id>], entries: Vec<EntryPoint>| Program::compile(g, inputs, &entries).unwrap_err();
    let unbound = error(&[vec![x.id()]], entry(0, x + y.sin()));
    assert_eq!(unbound, CompileError::UnboundSymbol { name: "y'".into() });
    assert_eq!(unbound.to_string(), "`y'` has no value: it is not among the inputs");
    assert_eq!(error(&[vec![x.id()], vec![x.id()]], entry(0, x)), CompileError::DuplicateInput { name: "x".into() });
    assert_eq!(error(&[vec![x.id(), (x * 2).id()]], entry(0, x)), CompileError::InputNotSymbol { tier: 0, index: 1 });
    assert_eq!(error(&[vec![x.id()]], entry(1, x)), CompileError::NoSuchTier { entry: 0, tier: 1, tiers: 1 });
    assert_eq!(
        error(&[vec![x.id()], vec![y.id()]], entry(0, x * y)),
        CompileError::OutputTooEarly { entry: 0, output: 0, tier: 0, needs: 1 }
    );
}

#[test]
fn the_listing_shows_the_program() {
    let g = &Graph::new();
    let (k, x) = (g.symbol("k"), g.symbol("x"));
    let program = compile(&[&[k], &[x]], &[(1, &[x.sin() * x.cos() * k / 3])]);
    let text = program.to_string();
    assert!(text.contains("sincos in1.0"), "{text}");
    assert!(text.contains("div in0.0, 3.0"), "{text}");
    assert!(matches!(program.definition(program.outputs(0)[0]), ValueDefinition::Computed(Op::Mul(..))));
}
