//! Computations by members applied over and over, in tiles and with what one application leaves for the next, against the same one at
//! a time.

use extremal_eval::{
    Backend, EntryPoint, LatticeFormulas, LatticeProgram, LatticeRecurrence, NotFinite, Program, Stopped,
};
use extremal_expr::{Expr, Graph, Id};

/// The results of so many members from `a`, `h`, and two fields.
type Instance = for<'g> fn(&'g Graph, [Expr<'g>; 2], [&[Expr<'g>]; 2]) -> [Vec<Expr<'g>>; 2];

/// A chain between two walls, springs that harden and a step of kick, drift and kick.
fn verlet<'g>(g: &'g Graph, [a, h]: [Expr<'g>; 2], [x, p]: [&[Expr<'g>]; 2]) -> [Vec<Expr<'g>>; 2] {
    let n = x.len();
    let force = |x: &[Expr<'g>], i: usize| {
        let at = |i: usize| if (1..=n).contains(&i) { x[i - 1] } else { g.int(0) };
        let (left, right) = (at(i + 1) - at(i), at(i + 2) - at(i + 1));
        right + a * right.powi(3) - left - a * left.powi(3)
    };
    let half: Vec<_> = (0..n).map(|i| p[i] + h / 2 * force(x, i)).collect();
    let next: Vec<_> = (0..n).map(|i| (x[i] + h * half[i]).grouped()).collect();
    let ended = (0..n).map(|i| p[i] + h / 2 * force(x, i) + h / 2 * force(&next, i)).collect();
    [next, ended]
}

/// Neighbours three apart, a function, and a field that the other one replaces.
fn far<'g>(g: &'g Graph, [a, h]: [Expr<'g>; 2], [x, p]: [&[Expr<'g>]; 2]) -> [Vec<Expr<'g>>; 2] {
    let n = x.len() as i64;
    let at = |list: &[Expr<'g>], i: i64| if (0..n).contains(&i) { list[i as usize] } else { g.int(1) };
    let wave = |i: i64| a * at(p, i).sin() + h * (at(x, i + 3) - at(x, i - 2));
    let mixed = (0..n).map(|i| (wave(i - 1) + wave(i + 2)) / 3 + wave(i) / 7).collect();
    [p.to_vec(), mixed]
}

/// The chain closed to a ring: the first is the neighbour of the last.
fn ring<'g>(_: &'g Graph, [a, h]: [Expr<'g>; 2], [x, p]: [&[Expr<'g>]; 2]) -> [Vec<Expr<'g>>; 2] {
    let n = x.len();
    let force = |x: &[Expr<'g>], i: usize| {
        let (left, right) = (x[i] - x[(i + n - 1) % n], x[(i + 1) % n] - x[i]);
        right + a * right.powi(3) - left - a * left.powi(3)
    };
    let next: Vec<_> = (0..n).map(|i| (x[i] + h * (p[i] + h / 2 * force(x, i))).grouped()).collect();
    let ended = (0..n).map(|i| p[i] + h / 2 * force(x, i) + h / 2 * force(&next, i)).collect();
    [next, ended]
}

struct Written {
    scalars: Vec<Id>,
    fields: Vec<Vec<Id>>,
    results: Vec<Vec<Id>>,
}

fn written(g: &Graph, instance: Instance, size: usize) -> Written {
    let symbols = |name: &str| -> Vec<Expr<'_>> { (0..size).map(|i| g.symbol(&format!("{name}{i}"))).collect() };
    let ids = |list: &[Expr<'_>]| -> Vec<Id> { list.iter().map(|e| e.id()).collect() };
    let (scalars, x, p) = ([g.symbol("a"), g.symbol("h")], symbols("x"), symbols("p"));
    let results = instance(g, scalars, [&x, &p]);
    Written {
        scalars: vec![scalars[1].id()],
        fields: vec![ids(&x), ids(&p)],
        results: results.iter().map(|list| ids(list)).collect(),
    }
}

fn both(instance: Instance) -> (LatticeProgram, LatticeRecurrence) {
    // In graphs of their own: the order of terms follows that of symbols.
    let (g, f) = (Graph::new(), Graph::new());
    let (small, larger) = (written(&g, instance, 24), written(&f, instance, 25));
    let (a, b) = ([g.symbol("a").id()], [f.symbol("a").id()]);
    let (small, larger) = (rows_of(&g, &a, &small), rows_of(&f, &b, &larger));
    let program = LatticeProgram::find(small, larger).expect("all symbols are inputs").expect("members are alike");
    let recurrence =
        LatticeRecurrence::find(small, larger).expect("all symbols are inputs").expect("members are alike");
    (program, recurrence)
}

fn rows_of<'a>(graph: &'a Graph, parameters: &'a [Id], written: &'a Written) -> LatticeFormulas<'a> {
    let Written { scalars, fields, results } = written;
    LatticeFormulas { graph, parameters, scalars, fields, results, sums: &[] }
}

fn start(size: usize) -> Vec<f64> {
    (0..2 * size).map(|i| ((i * i) as f64 * 0.37).sin() / 3.0).collect()
}

/// Different from time to time, and twice the same.
fn scalar(step: usize) -> f64 {
    0.02 + 0.001 * (step / 2 % 5) as f64
}

#[test]
fn all_at_once_has_the_bits_of_one_after_the_other() {
    for instance in [verlet as Instance, far, ring] {
        let (program, recurrence) = both(instance);
        for size in [recurrence.smallest(), 97, 391, 1000, 2503, 4096] {
            let mut one = program.machine_on(Backend::Tape, size).expect("enough members");
            one.set_parameters(&[0.25]);
            let mut state = start(size);
            let mut expected = vec![state.clone()];
            for step in 0..40 {
                let mut next = vec![f64::NAN; 2 * size];
                one.run(&[scalar(step)], &state, &mut next, &mut []).expect("all is finite");
                state = next;
                expected.push(state.clone());
            }
            for backend in Backend::EMITTED.into_iter().chain([Backend::Tape]) {
                let Some(mut machine) = recurrence.machine_on(backend, size, 17) else { continue };
                assert!(machine.most() >= 17);
                machine.set_parameters(&[0.25]);
                machine.load(&expected[0]);
                let mut done = 0;
                for portion in [1, 2, 17, 1, 3, 16] {
                    let scalars: Vec<f64> = (done..done + portion).map(scalar).collect();
                    machine.run(portion, &scalars).expect("all is finite");
                    done += portion;
                    let same = |state: &[f64], steps: usize| {
                        state.iter().zip(&expected[steps]).all(|(a, b)| a.to_bits() == b.to_bits())
                    };
                    assert!(same(machine.state(), done), "{backend:?}, {size} members, {done} times");
                    if portion == 3 {
                        machine.take_back(2);
                        assert!(same(machine.clone().state(), done - 2), "{backend:?}, {size} members, taken back");
                        done -= 2;
                        let scalars: Vec<f64> = (done..done + 2).map(scalar).collect();
                        machine.run(2, &scalars).expect("all is finite");
                        done += 2;
                        assert!(same(machine.state(), done));
                    }
                }
            }
        }
    }
}

#[test]
fn one_time_has_the_bits_of_one_program() {
    for instance in [verlet as Instance, far, ring] {
        let (_, recurrence) = both(instance);
        for size in [recurrence.smallest(), 97, 1203] {
            let g = Graph::new();
            let Written { scalars, fields, results } = written(&g, instance, size);
            let inputs = [vec![g.symbol("a").id()], [scalars, fields.concat()].concat()];
            let entry = EntryPoint { tier: 1, outputs: results.concat() };
            let mut program = Program::compile(&g, &inputs, &[entry]).expect("all symbols are inputs").machine();
            program.inputs_mut(0)[0] = 0.25;
            program.commit(0);
            program.inputs_mut(1)[0] = 0.02;
            let mut machine = recurrence.machine(size, 1).expect("enough members");
            machine.set_parameters(&[0.25]);
            machine.load(&start(size));
            for step in 0..5 {
                program.inputs_mut(1)[1..].copy_from_slice(machine.state());
                let mut expected = vec![0.0; 2 * size];
                program.run(0, &mut expected);
                machine.run(1, &[0.02]).expect("all is finite");
                let same = machine.state().iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "{size} members, step {step}");
            }
        }
    }
}

#[test]
fn forces_at_the_end_of_a_step_are_those_at_the_beginning_of_the_next() {
    let (alone, together) = both(verlet);
    let (once, again) = (alone.operations().0, together.operations().0);
    // Of a force: two distances, two cubes as two products each, and four sums and products more.
    assert!(again + 8 <= once, "{again} operations instead of {once}");
    let (alone, together) = both(far);
    assert_eq!(alone.operations(), together.operations());
}

#[test]
fn what_is_not_finite_ends_a_run_where_it_would_alone() {
    let (program, recurrence) = both(verlet);
    let size = 1500;
    let mut one = program.machine(size).expect("enough members");
    one.set_parameters(&[1.0]);
    for member in [0, 3, 700, size - 1] {
        // A spring hard enough, stretched so far that the motion leaves all bounds within a few steps.
        let mut state = start(size);
        state[member] = 1e30;
        let mut machine = recurrence.machine(size, 1).expect("enough members");
        machine.set_parameters(&[1.0]);
        machine.load(&state);
        let mut after = 0;
        let place = loop {
            let mut next = vec![0.0; 2 * size];
            if let Err(place) = one.run(&[0.05], &state, &mut next, &mut []) {
                break place;
            }
            (state, after) = (next, after + 1);
        };
        assert!(matches!(place, NotFinite::Member { .. }) && after > 0);
        let steps = machine.most();
        assert!(after < steps);
        assert_eq!(machine.run(steps, &vec![0.05; steps]), Err(Stopped { after, place }));
        assert_eq!(machine.state(), state);
    }
}

/// Sums over a state at a time `t`: an energy with springs to both sides, ends that have terms of their own, and a sum at the ends alone.
fn sums_of(g: &Graph, size: usize, goes_round: bool) -> ([Id; 1], [Vec<Vec<Id>>; 2]) {
    let symbols = |name: &str| -> Vec<Expr<'_>> { (0..size).map(|i| g.symbol(&format!("{name}{i}"))).collect() };
    let (t, a, x, p) = (g.symbol("t"), g.symbol("a"), symbols("x"), symbols("p"));
    let stretch = |i: usize| x[(i + 1) % size] - x[i];
    let kinetic = p.iter().map(|p| p.powi(2) / 2);
    let springs = (0..size - usize::from(!goes_round)).map(|i| stretch(i).powi(2) / 2 + a * stretch(i).powi(3) / 3);
    let walls = [x[0].powi(2) / 2 * t.cos(), -(x[size - 1].powi(3) + t)];
    let energy: Vec<Id> = kinetic.chain(springs).chain(walls).map(|e| e.id()).collect();
    let moved = x.iter().map(|x| (t * *x).id()).collect();
    let list = |list: &[Expr<'_>]| -> Vec<Id> { list.iter().map(|e| e.id()).collect() };
    ([t.id()], [vec![energy, moved, list(&walls[..1])], vec![list(&x), list(&p)]])
}

#[test]
fn sums_in_the_loops_of_an_application_have_the_bits_of_those_alone() {
    for (instance, goes_round) in [(verlet as Instance, false), (far, false), (ring, true)] {
        let (g, f) = (Graph::new(), Graph::new());
        let (small, larger) = (written(&g, instance, 24), written(&f, instance, 25));
        let (a, b) = ([g.symbol("a").id()], [f.symbol("a").id()]);
        let ((t, [terms, fields]), (u, [more, fields_of_more])) =
            (sums_of(&g, 24, goes_round), sums_of(&f, 25, goes_round));
        let formulas = |graph, parameters, scalars, fields, sums| LatticeFormulas {
            graph,
            parameters,
            scalars,
            fields,
            results: &[],
            sums,
        };
        let sums = [formulas(&g, &a, &t, &fields, &terms), formulas(&f, &b, &u, &fields_of_more, &more)];
        let step = [rows_of(&g, &a, &small), rows_of(&f, &b, &larger)];
        let alone = LatticeProgram::find(sums[0], sums[1]).expect("all symbols are inputs").expect("members are alike");
        let found = LatticeRecurrence::find_with_sums(step, sums).expect("all symbols are inputs").expect("alike");
        for size in [found.smallest(), 97, 391, 1000, 2503, 4097] {
            for backend in Backend::EMITTED.into_iter().chain([Backend::Tape]) {
                let Some(mut one) = found.machine_on(backend, size, 1) else { continue };
                let mut many = found.machine_on(backend, size, 34).expect("there is the one");
                let mut look = alone.machine_on(Backend::Tape, size).expect("enough members");
                one.set_parameters(&[0.25]);
                many.set_parameters(&[0.25]);
                look.set_parameters(&[0.25]);
                one.load(&start(size));
                many.load(&start(size));
                let mut done = 0;
                for [count, every] in [[1, 1], [2, 1], [34, 1], [34, 2], [6, 3], [7, 3]] {
                    let mut expected = Vec::new();
                    for at in done..done + count {
                        one.run(1, &[scalar(at)]).expect("all is finite");
                        let mut seen = [0.0; 3];
                        look.run(&[at as f64 / 8.0], one.state(), &mut [], &mut seen).expect("all is finite");
                        if (at + 1 - done).is_multiple_of(every) {
                            expected.extend(seen);
                        }
                    }
                    let scalars: Vec<f64> = (done..done + count).map(scalar).collect();
                    let times: Vec<f64> = (1..=count / every).map(|at| (done + at * every - 1) as f64 / 8.0).collect();
                    let mut values = vec![f64::NAN; 3 * times.len()];
                    assert!(many.run_with_sums([count, every], &scalars, &times, &mut values));
                    done += count;
                    let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
                    assert!(same(&values, &expected), "{backend:?}, {size} members: {values:?}, alone {expected:?}");
                    assert!(same(many.state(), one.state()), "{backend:?}, {size} members");
                }
                // Where something is not finite nothing is changed.
                let before = many.state().to_vec();
                let mut values = [0.0; 6];
                assert!(!many.run_with_sums([2, 1], &[scalar(done), f64::NAN], &[1.0, 2.0], &mut values));
                assert_eq!(many.state(), before);
                assert!(!many.run_with_sums([2, 1], &[scalar(done); 2], &[1.0, f64::INFINITY], &mut values));
                assert_eq!(many.state(), before);
            }
        }
    }
}
