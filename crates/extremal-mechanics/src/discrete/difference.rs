//! Lagrangians with accelerations by differences over three points.

use extremal_expr::Expr;

use super::builder::SchemeBuilder;
use super::scheme::{Equation, Scheme, ids};
use crate::System;
use crate::block::{Block, Solve};

/// L_d(x_0, x_1, x_2) = h/2 [L(x_1, (x_1 − x_0)/h, a) + L(x_1, (x_2 − x_1)/h, a)] with a = (x_2 − 2 x_1 + x_0)/h² (H5).
///
/// The mean of the two one-sided velocities: with the centred one the method is unstable for close frequencies.
pub struct ThreePointAction<'g> {
    /// Symbols of the three points, per point and coordinate.
    pub points: [Vec<Expr<'g>>; 3],
    /// L_d; time is that of the point in the middle.
    pub action: Expr<'g>,
}

impl<'g> ThreePointAction<'g> {
    /// The action of a system of order two.
    pub fn of(system: &System<'g>) -> ThreePointAction<'g> {
        let (g, h) = (system.graph, system.step());
        // The later ones first: differences then read with a leading plus.
        let last = system.symbols("", "_2");
        let middle = system.symbols("", "_1");
        let first = system.symbols("", "_0");
        let each = |f: &dyn Fn(usize) -> Expr<'g>| -> Vec<Expr<'g>> { (0..system.len()).map(f).collect() };
        let acceleration = each(&|k| (last[k] - middle[k] * 2 + first[k]) / h.powi(2));
        let sides = [each(&|k| (middle[k] - first[k]) / h), each(&|k| (last[k] - middle[k]) / h)];
        let lagrangian = |velocity: &[Expr<'g>]| {
            let values = [middle.clone(), velocity.to_vec(), acceleration.clone()];
            system.at_derivatives(&[system.lagrangian], &values, system.t)[0]
        };
        let action = h * g.sum(sides.iter().map(|side| lagrangian(side))) / 2;
        ThreePointAction { points: [first, middle, last], action }
    }

    /// The user's own L_d, whose time is that of the first point.
    pub(super) fn stated(system: &System<'g>, lagrangian: Expr<'g>) -> ThreePointAction<'g> {
        let action = lagrangian.substitute(&[(system.t, system.t - system.step())]);
        ThreePointAction { points: system.three_points(), action }
    }

    /// The discrete Euler–Lagrange equation D_3 L_d(x_−2, x_−1, x_0) + D_2 L_d(x_−1, x_0, x_1) + D_1 L_d(x_0, x_1, x_2) = 0 for
    /// five points around `time`, divided by the step; with forces at the one in the middle, whose displacement they work on.
    fn equation(&self, system: &System<'g>, points: &[Vec<Expr<'g>>; 5], time: Expr<'g>) -> Vec<Expr<'g>> {
        let (g, h) = (system.graph, system.step());
        let parts = (0..3).map(|shift| {
            let slopes = g.gradient(self.action / h, &self.points[2 - shift]);
            let mut rules = vec![(system.t, time + h * (shift as i64 - 1))];
            for (symbols, values) in self.points.iter().zip(&points[shift..]) {
                rules.extend(symbols.iter().copied().zip(values.iter().copied()));
            }
            g.substitute(&slopes, &rules)
        });
        let mut parts: Vec<Vec<Expr<'g>>> = parts.collect();
        let [_, before, here, after, _] = points;
        let velocity: Vec<Expr<'g>> = (0..system.len()).map(|k| (after[k] - before[k]) / (h * 2)).collect();
        parts.push(system.at_derivatives(&system.force, &[here.clone(), velocity], time));
        (0..system.len()).map(|k| g.sum(parts.iter().map(|part| part[k]))).collect()
    }
}

/// The integrator of the three-point rule, of order two. The state carries q, q' and, by central differences, q'' and q''', with
/// the four points around; it is started symmetrically from q, q', q'' and q''', which is exact to the order of the method.
pub(super) fn difference<'g>(system: &System<'g>, action: ThreePointAction<'g>, name: String) -> Scheme {
    let (g, h) = (system.graph, system.step());
    let around = ["_m2", "_m1", "_p1", "_p2"].map(|suffix| system.symbols("", suffix));
    let [m2, m1, p1, p2] = &around;
    let [q, v, a, j] = [0, 1, 2, 3].map(|order| system.derivative(order).to_vec());
    let each = |f: &dyn Fn(usize) -> Expr<'g>| -> Vec<Expr<'g>> { (0..system.len()).map(f).collect() };

    let next = system.symbols("", "_p3");
    let time = system.t + h;
    let residual = action.equation(system, &[m1.clone(), q.clone(), p1.clone(), p2.clone(), next.clone()], time);
    let guess = each(&|k| p2[k] * 4 - p1[k] * 6 + q[k] * 4 - m1[k]);
    let derived = [
        each(&|k| (p2[k] - q[k]) / (h * 2)),
        each(&|k| (p2[k] - p1[k] * 2 + q[k]) / h.powi(2)),
        each(&|k| (next[k] - p2[k] * 2 + q[k] * 2 - m1[k]) / (h.powi(3) * 2)),
    ];
    let outputs = [&[p1.clone()][..], &derived, &[m1.clone(), q.clone(), p2.clone(), next.clone()]].concat().concat();

    // Odd parts from the Taylor series, the even part of the far points from the equation itself.
    let far = system.symbols("", "_far");
    let odd = |k: usize, times: i64| (h * v[k]) * times + h.powi(3) * j[k] * times.pow(3) / 6;
    let even = |k: usize| q[k] + h.powi(2) * a[k] / 2;
    let ring = [
        each(&|k| far[k] - odd(k, 2)),
        each(&|k| even(k) - odd(k, 1)),
        each(&|k| even(k) + odd(k, 1)),
        each(&|k| far[k] + odd(k, 2)),
    ];
    let [s0, s1, s2, s3] = ring.clone();
    let start_rows = action.equation(system, &[s0, s1, q.clone(), s2, s3], system.t);
    let start_guess = each(&|k| q[k] + h.powi(2) * a[k] * 2);

    let motion = [q.clone(), v.clone(), a.clone(), j.clone()].concat();
    let state = [motion.clone(), around.concat()].concat();
    let velocities = [system.symbols("guess_", "_2"), system.symbols("guess_", "_3")].concat();
    let equation = action.equation(system, &[m2.clone(), m1.clone(), q.clone(), p1.clone(), p2.clone()], system.t);
    let mut equations = vec![Equation::new("discrete Lagrangian", system.symbol("L_d"), action.action)];
    let rows = equation.iter().zip(&system.names);
    equations.extend(rows.map(|(row, name)| Equation::new(format!("motion of {name}"), g.int(0), *row)));
    let start = Block {
        inputs: ids(&[&motion[..], &[system.t, h]].concat()),
        solves: vec![Solve::new(&far, &start_rows, &start_guess)],
        outputs: ids(&[motion.clone(), ring.concat()].concat()),
    };
    let observed = [&a[..], &j, &system.momenta()].concat();
    let step = vec![Solve::new(&next, &residual, &guess)];
    let note = "Points are h apart, around the one at t: x_m2, x_m1, x, x_p1, x_p2. Each equation fixes the last of its five points.";
    let form = SchemeBuilder::of_state(system, state, velocities, start, &observed);
    Scheme { equations, note: note.to_owned(), ..form.step(name, step, &outputs) }
}
