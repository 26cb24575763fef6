//! One implicit step of the double pendulum: its program, its size, and the time of an evaluation.
//!
//! `cargo run --release -p extremal-eval --example double_pendulum`

use std::hint::black_box;
use std::time::Instant;

use extremal_eval::{CompileError, EntryPoint, Program};
use extremal_expr::{Expr, Graph, Rational};

/// `L(q, v)` with unit masses and lengths.
fn lagrangian<'g>(graph: &'g Graph, q: &[Expr<'g>], v: &[Expr<'g>]) -> Expr<'g> {
    let kinetic = v[0].powi(2) + v[1].powi(2) / 2 + v[0] * v[1] * (q[0] - q[1]).cos();
    kinetic + graph.symbol("g") * (q[0].cos() * 2 + q[1].cos())
}

fn main() -> Result<(), CompileError> {
    let g = &Graph::new();
    let symbols = |names: [&str; 2]| names.map(|name| g.symbol(name));
    let (p, old, new) = (symbols(["p1", "p2"]), symbols(["a1", "a2"]), symbols(["b1", "b2"]));
    let (h, half) = (g.symbol("h"), g.rational(Rational::new(1, 2).unwrap_or(Rational::ONE)));

    // The midpoint discrete Lagrangian; the residual is p + D1 Ld(old, new).
    let middle: Vec<_> = old.iter().zip(&new).map(|(a, b)| (*a + *b) * half).collect();
    let velocity: Vec<_> = old.iter().zip(&new).map(|(a, b)| (*b - *a) / h).collect();
    let discrete = h * lagrangian(g, &middle, &velocity);
    let slopes = g.gradient(discrete, &old);
    let residual: Vec<_> = p.iter().zip(&slopes).map(|(p, slope)| *p + *slope).collect();
    let jacobian = g.jacobian(&residual, &new);

    let ids = |list: &[Expr]| list.iter().map(|e| e.id()).collect::<Vec<_>>();
    let both: Vec<_> = residual.iter().copied().chain(jacobian.iter().flatten().map(|(_, entry)| *entry)).collect();
    let inputs =
        [vec![g.symbol("g").id()], [&[h], &p[..], &old[..]].concat().iter().map(|e| e.id()).collect(), ids(&new)];
    let entries = [EntryPoint { tier: 2, outputs: ids(&residual) }, EntryPoint { tier: 2, outputs: ids(&both) }];
    let program = Program::compile(g, &inputs, &entries)?;
    println!("{program}");

    let mut machine = program.machine();
    machine.inputs_mut(0)[0] = 9.81;
    machine.commit(0);
    machine.inputs_mut(1).copy_from_slice(&[0.01, 0.3, -0.2, 1.0, 2.0]);
    machine.commit(1);
    machine.inputs_mut(2).copy_from_slice(&[1.01, 1.99]);
    for (entry, name) in [(0, "residual"), (1, "residual and Jacobian")] {
        let mut out = vec![0.0; program.outputs(entry).len()];
        const CALLS: u32 = 1000;
        let best = (0..2000)
            .map(|_| {
                let start = Instant::now();
                for _ in 0..CALLS {
                    machine.inputs_mut(2)[0] = black_box(1.01);
                    machine.run(entry, black_box(&mut out));
                }
                start.elapsed() / CALLS
            })
            .min()
            .unwrap_or_default();
        println!("{name}: {:?}, {best:?} per call", program.counts(entry));
    }
    Ok(())
}
