//! Computations by members against the same computation as one program, and against loops typed by hand.

use extremal_eval::{Backend, EntryPoint, LatticeFormulas, LatticeProgram, NotFinite, Program};
use extremal_expr::{Expr, Graph, Id};

/// Fields, results and sums of an instance with so many members.
struct Instance {
    scalars: Vec<Id>,
    fields: Vec<Vec<Id>>,
    results: Vec<Vec<Id>>,
    sums: Vec<Vec<Id>>,
}

impl Instance {
    fn rows<'a>(&'a self, graph: &'a Graph) -> LatticeFormulas<'a> {
        let Instance { scalars, fields, results, sums } = self;
        LatticeFormulas { graph, parameters: &[], scalars, fields, results, sums }
    }
}

fn ids(list: &[Expr<'_>]) -> Vec<Id> {
    list.iter().map(|e| e.id()).collect()
}

fn symbols<'g>(g: &'g Graph, name: &str, size: usize) -> Vec<Expr<'g>> {
    (0..size).map(|i| g.symbol(&format!("{name}{i}"))).collect()
}

/// A smoothed field, what a neighbour's neighbour makes of it, a copy, and a number that is the same everywhere.
fn smoothing(g: &Graph, size: usize) -> Instance {
    let (a, x, y) = (g.symbol("a"), symbols(g, "x", size), symbols(g, "y", size));
    let at = |list: &[Expr<'_>], i: isize| list[i.clamp(0, size as isize - 1) as usize].id();
    let smooth: Vec<Expr<'_>> = (0..size as isize)
        .map(|i| g.expr(at(&x, i)) + a * (g.expr(at(&x, i - 1)) - g.expr(at(&x, i + 1))).sin() / 3)
        .collect();
    let far: Vec<Expr<'_>> = (0..size as isize)
        .map(|i| g.expr(at(&smooth, i + 2)) * g.expr(at(&y, i)) - g.expr(at(&smooth, i - 2)).exp())
        .collect();
    let weights: Vec<Expr<'_>> = (0..size).map(|i| smooth[i] * y[i]).collect();
    Instance {
        scalars: vec![a.id()],
        fields: vec![ids(&x), ids(&y)],
        results: vec![ids(&far), ids(&smooth), ids(&y), vec![(a * 2).id(); size]],
        sums: vec![ids(&weights)],
    }
}

fn found(g: &Graph, instance: impl Fn(&Graph, usize) -> Instance) -> Option<LatticeProgram> {
    let (small, larger) = (instance(g, 24), instance(g, 25));
    LatticeProgram::find(small.rows(g), larger.rows(g)).expect("all symbols are inputs")
}

fn numbers(size: usize) -> Vec<f64> {
    (0..2 * size).map(|i| ((i * i) as f64 * 0.37).sin()).collect()
}

#[test]
fn members_have_the_bits_of_one_program_on_every_backend() {
    let g = Graph::new();
    let lattice = found(&g, smoothing).expect("members are alike");
    for size in [lattice.smallest(), 97, 1030, 2500] {
        let whole = smoothing(&g, size);
        let outputs: Vec<Id> = whole.results.iter().flatten().copied().collect();
        let inputs = [vec![], whole.scalars.iter().chain(whole.fields.iter().flatten()).copied().collect()];
        let program =
            Program::compile(&g, &inputs, &[EntryPoint { tier: 1, outputs }]).expect("all symbols are inputs");
        let mut machine = program.machine();
        machine.commit(0);
        let fields = numbers(size);
        machine.inputs_mut(1)[0] = 0.8;
        machine.inputs_mut(1)[1..].copy_from_slice(&fields);
        let mut expected = vec![0.0; 4 * size];
        machine.run(0, &mut expected);
        let total: f64 = (0..size).map(|i| expected[size + i] * fields[size + i]).sum();
        for backend in Backend::EMITTED.into_iter().chain([Backend::Tape]) {
            let Some(mut loops) = lattice.machine_on(backend, size) else { continue };
            loops.set_parameters(&[]);
            let (mut results, mut sums) = (vec![f64::NAN; 4 * size], [0.0]);
            loops.run(&[0.8], &fields, &mut results, &mut sums).expect("all is finite");
            assert!(results.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()), "{backend:?}, {size}");
            assert!((sums[0] - total).abs() < f64::EPSILON * size as f64, "{backend:?}, {size}: {sums:?} {total}");
        }
    }
}

#[test]
fn what_is_not_finite_is_found_wherever_it_is() {
    let g = Graph::new();
    let lattice = found(&g, smoothing).expect("members are alike");
    let size = 1500;
    let mut machine = lattice.machine(size).expect("enough members");
    machine.set_parameters(&[]);
    for member in [0, 11, 700, size - 1] {
        let mut fields = numbers(size);
        fields[size + member] = f64::INFINITY;
        let (mut results, mut sums) = (vec![0.0; 4 * size], [0.0]);
        let failed = machine.run(&[0.8], &fields, &mut results, &mut sums);
        assert_eq!(failed, Err(NotFinite::Member { result: 0, member }));
    }
    let (mut results, mut sums) = (vec![0.0; 4 * size], [0.0]);
    machine.run(&[0.8], &numbers(size), &mut results, &mut sums).expect("the machine is as good as new");
}

#[test]
fn members_that_are_not_shifts_of_one_another_are_no_lattice() {
    let g = Graph::new();
    let with = |member: fn(&Graph, &[Id], usize) -> Id| {
        found(&g, |g, size| {
            let x = ids(&symbols(g, "x", size));
            let members = (0..size).map(|i| member(g, &x, i)).collect();
            Instance { scalars: vec![], fields: vec![x], results: vec![members], sums: vec![] }
        })
    };
    assert!(with(|g, x, i| (g.expr(x[i]) * 2).id()).is_some());
    assert!(with(|g, x, i| (g.expr(x[i]) * i as i64).id()).is_none(), "another factor in every member");
    assert!(with(|g, x, i| (g.expr(x[x.len() - 1 - i]) * 2).id()).is_none(), "backwards");
    assert!(with(|g, x, i| (g.expr(x[i]) + g.expr(x[0])).id()).is_none(), "the first one in every member");
    assert!(with(|g, x, _| g.sum(g.exprs(x)).id()).is_none(), "all of them in every member");
    let few = found(&g, smoothing).expect("members are alike");
    assert!(few.machine(few.smallest() - 1).is_none());
}
