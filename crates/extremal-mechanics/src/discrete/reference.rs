//! Reference integrators: Runge–Kutta methods on the continuous equations, as schemes like any other.

use extremal_expr::Expr;
use extremal_model::Method;

use super::quadrature::{Quadrature, lagrange_integral};
use super::scheme::{Constants, Equation, Scheme, ids};
use crate::System;
use crate::block::{Block, Solve};

/// A Runge–Kutta tableau.
struct Tableau {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    c: Vec<f64>,
    explicit: bool,
}

impl Tableau {
    fn of(method: &Method) -> Tableau {
        match method {
            Method::Rk2 => Tableau::explicit(&[&[0.5]], &[0.0, 1.0]),
            Method::Rk4 => Tableau::explicit(
                &[&[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
                &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
            ),
            Method::Gauss(s) => Tableau::collocation(*s as usize),
            other => unreachable!("{other} is not a fixed-step Runge-Kutta method"),
        }
    }

    /// From the rows below the first.
    fn explicit(rows: &[&[f64]], b: &[f64]) -> Tableau {
        let a: Vec<Vec<f64>> = [&[][..]].iter().chain(rows).map(|row| row.to_vec()).collect();
        let c = a.iter().map(|row| row.iter().sum()).collect();
        Tableau { a, b: b.to_vec(), c, explicit: true }
    }

    fn collocation(s: usize) -> Tableau {
        let rule = Quadrature::gauss(s);
        let row = |c: &f64| (0..s).map(|j| lagrange_integral(&rule.nodes, j, *c)).collect();
        Tableau { a: rule.nodes.iter().map(row).collect(), b: rule.weights, c: rule.nodes, explicit: false }
    }
}

/// The scheme of `rk2`, `rk4` or `gauss(s)`; its state is (q, v).
///
/// With stage accelerations A_i as unknowns, stage velocities and positions follow: V_i = v + h Σ a_ij A_j,
/// Q_i = q + h Σ a_ij V_j, and each stage must satisfy the Euler–Lagrange equations.
pub(super) fn runge_kutta<'g>(system: &System<'g>, method: &Method, name: String) -> Scheme {
    let g = system.graph;
    let n = system.len();
    let h = system.step();
    let tableau = Tableau::of(method);
    let stages = tableau.b.len();
    let mut constants = Constants::new(g);
    let equation = system.euler_lagrange();
    let a: Vec<Vec<_>> = (1..=stages).map(|i| system.symbols("a_", &format!("_{i}"))).collect();

    let weigh =
        |constants: &mut Constants<'g>, start: &[Expr<'g>], weights: &[f64], label: &str, rates: &[Vec<Expr<'g>>]| {
            let mut sum = start.to_vec();
            for (j, weight) in weights.iter().enumerate() {
                let weight = h * constants.number(*weight, || system.constant(&format!("{label}_{}", j + 1)));
                for k in 0..n {
                    sum[k] = sum[k] + weight * rates[j][k];
                }
            }
            sum
        };
    let mut v = Vec::new();
    for (i, row) in tableau.a.iter().enumerate() {
        v.push(weigh(&mut constants, &system.v, row, &format!("a_{}", i + 1), &a));
    }
    let mut residuals = Vec::new();
    for (i, row) in tableau.a.iter().enumerate() {
        let q = weigh(&mut constants, &system.q, row, &format!("a_{}", i + 1), &v);
        let time = system.t + h * constants.number(tableau.c[i], || system.constant(&format!("c_{}", i + 1)));
        let rules: Vec<_> = system.a.iter().copied().zip(a[i].iter().copied()).collect();
        residuals.push(system.all_at(&g.substitute(&equation, &rules), &q, &v[i], time));
    }
    let q_next = weigh(&mut constants, &system.q, &tableau.b, "b", &v);
    let v_next = weigh(&mut constants, &system.v, &tableau.b, "b", &a);

    let solve = |unknowns: &[Expr<'g>], residual: &[Expr<'g>]| Solve {
        unknowns: ids(unknowns),
        residual: ids(residual),
        guess: vec![g.int(0).id(); unknowns.len()],
    };
    let solves = match tableau.explicit {
        true => a.iter().zip(&residuals).map(|(a, r)| solve(a, r)).collect(),
        false => vec![solve(&a.concat(), &residuals.concat())],
    };
    let equations = residuals.iter().enumerate().flat_map(|(i, rows)| {
        let label = |k: usize| format!("stage {} of {}", i + 1, system.names[k]);
        rows.iter().enumerate().map(move |(k, row)| Equation::new(label(k), g.int(0), *row)).collect::<Vec<_>>()
    });
    let (q1, v1) = (system.symbols("", "_1"), system.symbols("", "_1'"));
    let ends = (0..n).flat_map(|k| {
        [Equation::new("next position", q1[k], q_next[k]), Equation::new("next velocity", v1[k], v_next[k])]
    });
    let equations = equations.chain(ends).collect();
    let state = [&system.q[..], &system.v].concat();
    let guess = system.symbols("v_", "");
    Scheme {
        name,
        state: ids(&state),
        time: system.t.id(),
        start: Block { inputs: ids(&[&state[..], &[system.t, h]].concat()), solves: Vec::new(), outputs: ids(&state) },
        step: Block {
            inputs: ids(&[&state[..], &[system.t, h], &guess].concat()),
            solves,
            outputs: ids(&[q_next, v_next].concat()),
        },
        observe: Block { inputs: ids(&[&state[..], &[system.t], &guess].concat()), ..phase_observation(system) },
        constants: constants.into_named(),
        substeps: vec![1.0],
        equations,
    }
}

/// From (q, v, t) to (v, a): the right-hand side for adaptive integrators.
pub fn acceleration(system: &System<'_>) -> Block {
    Block {
        inputs: ids(&[&system.q[..], &system.v, &[system.t]].concat()),
        solves: vec![Solve {
            unknowns: ids(&system.a),
            residual: ids(&system.euler_lagrange()),
            guess: vec![system.graph.int(0).id(); system.len()],
        }],
        outputs: ids(&[&system.v[..], &system.a].concat()),
    }
}

/// From (q, v, t) to velocities and momenta: the observation of a state that carries velocities.
pub fn phase_observation(system: &System<'_>) -> Block {
    Block {
        inputs: ids(&[&system.q[..], &system.v, &[system.t]].concat()),
        solves: Vec::new(),
        outputs: ids(&[&system.v[..], &system.momenta()].concat()),
    }
}
