//! Discrete systems over three points: Lagrangians L_d(x_0, x_1, x_2) of second order with constraints, and motions with a control at
//! every node; (V1) to (V5) of docs/theory.md.
//!
//! With L̃ = L_d + λ·Φ_d a motion satisfies, at every point but the first and the last two,
//!
//! ```text
//! D_3 L̃(q_{k−2}, q_{k−1}, q_k, λ_{k−2}) + D_2 L̃(q_{k−1}, q_k, q_{k+1}, λ_{k−1}) + D_1 L̃(q_k, q_{k+1}, q_{k+2}, λ_k) = 0
//! Φ_d(q_k, q_{k+1}, q_{k+2}) = 0
//! ```
//!
//! which is a flow (q_0 … q_3, λ_0, λ_1) → (q_1 … q_4, λ_1, λ_2) where the bordered matrix of D_1 D_3 L̃, D_1 Φ_d and D_3 Φ_d is regular.
//! What is chosen at a point and has no neighbours, as a control, stands beside λ: L̃ is stationary under both.

use extremal_expr::Expr;

use super::builder::SchemeBuilder;
use super::difference::ThreePointAction;
use super::own::StatedDiscrete;
use super::scheme::{Equation, Scheme, ids};
use crate::System;
use crate::block::{Block, Meaning, Solve};

/// A discrete system over three points.
pub struct ThreePointSystem<'g> {
    /// The symbols of three positions in a row, per position and coordinate.
    pub points: [Vec<Expr<'g>>; 3],
    /// The symbols of the controls at the point in the middle.
    pub controls: Vec<Expr<'g>>,
    /// L_d, or what the point in the middle costs. Time is that of the first point.
    pub action: Expr<'g>,
    /// Φ_d, each under the name of its multiplier.
    pub constraints: Vec<(String, Expr<'g>)>,
}

impl<'g> ThreePointSystem<'g> {
    /// A discrete Lagrangian of the user's own over three points. A constraint without a discrete form of its own is taken as
    /// `difference` does.
    pub fn stated(system: &System<'g>, stated: &StatedDiscrete<'g>) -> ThreePointSystem<'g> {
        let own = stated.constraints.iter().copied().chain(std::iter::repeat(None));
        let over = |(constraint, own): (&crate::Constraint<'g>, Option<Expr<'g>>)| {
            let row = own.unwrap_or_else(|| {
                let action = ThreePointAction::of(&system.with_lagrangian(constraint.expression)).action;
                action.substitute(&[(system.t, system.t + system.step())])
            });
            (constraint.name.clone(), row)
        };
        ThreePointSystem {
            points: system.three_points(),
            controls: Vec::new(),
            action: stated.lagrangian,
            constraints: system.constraints.iter().zip(own).map(over).collect(),
        }
    }

    /// The equations of motion of a discrete Lagrangian over two points with a control at every node, as constraints of its cost:
    /// `pushes` are the forces of the controls, of which each node gets h times the one there. Velocities are central differences.
    pub fn controlled(
        system: &System<'g>,
        stated: &StatedDiscrete<'g>,
        (controls, pushes): (&[Expr<'g>], &[Expr<'g>]),
        running: Expr<'g>,
    ) -> ThreePointSystem<'g> {
        let (g, h) = (system.graph, system.step());
        let points = system.three_points();
        let [first, last] = system.ends();
        let total = |end: &[Expr<'g>], force: &[Expr<'g>]| -> Vec<Expr<'g>> {
            g.gradient(stated.lagrangian, end).iter().zip(force).map(|(slope, force)| *slope + *force).collect()
        };
        let after: Vec<_> = (first.iter().copied().zip(points[1].iter().copied()))
            .chain(last.iter().copied().zip(points[2].iter().copied()))
            .chain([(system.t, system.t + h)])
            .collect();
        let before = total(&last, &stated.force_plus);
        let after = g.substitute(&total(&first, &stated.force_minus), &after);
        let mut middle: Vec<_> = system.q.iter().copied().zip(points[1].iter().copied()).collect();
        middle.extend((0..system.len()).map(|k| (system.v[k], (points[2][k] - points[0][k]) / (h * 2))));
        middle.push((system.t, system.t + h));
        let pushed = g.substitute(pushes, &middle);
        let balance = |k: usize| (system.names[k].clone(), before[k] + after[k] + h * pushed[k]);
        ThreePointSystem {
            controls: controls.to_vec(),
            action: stated.cost.unwrap_or_else(|| h * running.substitute(&middle)),
            constraints: (0..system.len()).map(balance).collect(),
            points,
        }
    }

    /// Multipliers and controls, with a suffix.
    fn locals(&self, system: &System<'g>, suffix: &str) -> Vec<Expr<'g>> {
        let multipliers =
            self.constraints.iter().map(|(name, _)| system.symbol(&format!("step_lambda{suffix}_{name}")));
        let controls = self.controls.iter().filter_map(|u| u.as_symbol());
        multipliers.chain(controls.map(|u| system.symbol(&format!("{u}{suffix}_")))).collect()
    }

    /// The scheme of the flow. A state is q_0 … q_3 as differences over powers of h, the momenta of q_0 and (q_1 − q_0)/h, those of the
    /// two points from which the next is found, and multipliers and controls of the first two constraints.
    pub fn scheme(&self, system: &System<'g>, name: String) -> Scheme {
        let (g, h, n) = (system.graph, system.step(), system.len());
        let each = |f: &dyn Fn(usize) -> Expr<'g>| -> Vec<Expr<'g>> { (0..n).map(f).collect() };
        let flow = ThreePointFlow::of(self, system);
        // As a system of second order calls them; one of first order has no symbols for the higher ones.
        let [v, a, j, k4] = [1, 2, 3, 4].map(|order| {
            let primed = |name: &String| g.symbol(&format!("{name}{}", "'".repeat(order)));
            system.names.iter().map(primed).collect::<Vec<_>>()
        });
        let momenta = [system.symbols("p_", ""), system.symbols("p_", "'")];
        let front = [system.symbols("front_", "_2"), system.symbols("front_", "_3")];
        let [first, second, third] = ["", "_b", "_c"].map(|suffix| self.locals(system, suffix));
        let state =
            [&system.q, &v, &a, &j, &momenta[0], &momenta[1], &front[0], &front[1], &first, &second].map(Vec::clone);

        // The fourth difference is the unknown.
        let after = |steps: i64| {
            each(&|k| {
                let c = |order: i64| -> i64 {
                    (0..order).map(|i| steps - i).product::<i64>() / (1..=order).product::<i64>()
                };
                g.sum([
                    system.q[k],
                    h * v[k] * c(1),
                    h.powi(2) * a[k] * c(2),
                    h.powi(3) * j[k] * c(3),
                    h.powi(4) * k4[k] * c(4),
                ])
            })
        };
        let [q1, q2, q3, q4] = [1, 2, 3, 4].map(after);
        let triple = |points: [&Vec<Expr<'g>>; 3], locals: &[Expr<'g>], begin: i64| flow.at(points, locals, begin);
        let ahead = triple([&q2, &q3, &q4], &third, 2);
        let mut residual = each(&|k| front[0][k] + ahead.slopes[0][k]);
        residual.extend(&ahead.stationary);
        let unknowns = [&k4[..], &third].concat();
        let guess = [&vec![g.int(0); n][..], &second].concat();
        let next_names = system.names.iter().map(|name| Meaning::Next(name.clone()));
        let solve = Solve::new(&unknowns, &residual, &guess).meaning(next_names);
        let here = triple([&q1, &q2, &q3], &second, 1);
        let [p_0, p_1] = discrete_momenta(h, &here.slopes, &ahead.slopes);
        let outputs = [
            q1.clone(),
            each(&|k| v[k] + h * a[k]),
            each(&|k| a[k] + h * j[k]),
            each(&|k| j[k] + h * k4[k]),
            p_0,
            p_1,
            each(&|k| front[1][k] + ahead.slopes[1][k]),
            ahead.slopes[2].clone(),
            second.clone(),
            third,
        ];

        let given = ["_s1", "_s2", "_s3"].map(|suffix| system.symbols("", suffix));
        let [s1, s2, s3] = &given;
        let (start, next) = (triple([&system.q, s1, s2], &first, 0), triple([s1, s2, s3], &second, 1));
        let [p_0, p_1] = discrete_momenta(h, &start.slopes, &next.slopes);
        let started = [
            system.q.clone(),
            each(&|k| (s1[k] - system.q[k]) / h),
            each(&|k| (s2[k] - s1[k] * 2 + system.q[k]) / h.powi(2)),
            each(&|k| (s3[k] - s2[k] * 3 + s1[k] * 3 - system.q[k]) / h.powi(3)),
            p_0,
            p_1,
            each(&|k| start.slopes[2][k] + next.slopes[1][k]),
            next.slopes[2].clone(),
            first.clone(),
            second.clone(),
        ];
        let start = Block {
            inputs: ids(&[&system.q[..], &v, &a, &j, &given.concat(), &[system.t, h], &first, &second].concat()),
            solves: Vec::new(),
            outputs: ids(&started.concat()),
        };
        let guesses = [system.symbols("guess_", "_2"), system.symbols("guess_", "_3")].concat();
        let observed = [&a[..], &j, &momenta[0], &momenta[1]].concat();
        let form = SchemeBuilder::of_state(system, state.concat(), guesses, start, &observed);
        let note = "Points are h apart, around the one at t: x_m2, x_m1, x, x_p1, x_p2. Each equation fixes the last of its five points.";
        let equations = self.equations(system, &flow);
        Scheme { equations, note: note.to_owned(), ..form.step(name, vec![solve], &outputs.concat()) }
    }

    /// The equations, for print.
    fn equations(&self, system: &System<'g>, flow: &ThreePointFlow<'_, 'g>) -> Vec<Equation> {
        let g = system.graph;
        let [m2, m1, p1, p2] = ["_m2", "_m1", "_p1", "_p2"].map(|suffix| system.symbols("", suffix));
        let [before, at, after] = ["_m2", "_m1", ""].map(|suffix| self.locals(system, suffix));
        let parts = [
            flow.at([&m2, &m1, &system.q], &before, -2),
            flow.at([&m1, &system.q, &p1], &at, -1),
            flow.at([&system.q, &p1, &p2], &after, 0),
        ];
        let mut equations = vec![Equation::new("discrete Lagrangian", system.constant("L_d"), flow.extended)];
        for (k, name) in system.names.iter().enumerate() {
            let row = parts[0].slopes[2][k] + parts[1].slopes[1][k] + parts[2].slopes[0][k];
            equations.push(Equation::new(format!("motion of {name}"), g.int(0), row));
        }
        let constraints = self.constraints.iter().zip(&parts[2].stationary);
        equations.extend(constraints.map(|((name, _), row)| Equation::new(name.clone(), g.int(0), *row)));
        equations
    }
}

/// L̃ and its slopes, over any three points.
struct ThreePointFlow<'s, 'g> {
    system: &'s System<'g>,
    points: &'s [Vec<Expr<'g>>; 3],
    locals: Vec<Expr<'g>>,
    extended: Expr<'g>,
    slopes: Vec<Expr<'g>>,
}

/// What L̃ is over three points: slopes by each of them, and by multipliers and controls.
struct PointSlopes<'g> {
    slopes: [Vec<Expr<'g>>; 3],
    stationary: Vec<Expr<'g>>,
}

impl<'s, 'g> ThreePointFlow<'s, 'g> {
    fn of(of: &'s ThreePointSystem<'g>, system: &'s System<'g>) -> ThreePointFlow<'s, 'g> {
        let g = system.graph;
        let locals = of.locals(system, "");
        let rows: Vec<_> = of.constraints.iter().map(|(_, row)| *row).collect();
        let own: Vec<_> = of.controls.iter().copied().zip(locals[rows.len()..].iter().copied()).collect();
        let extended = (of.action + g.dot(&locals[..rows.len()], &rows)).substitute(&own);
        let slopes = g.gradient(extended, &[of.points.concat(), locals.clone()].concat());
        ThreePointFlow { system, points: &of.points, locals, extended, slopes }
    }

    /// At these points, the first of which is so many steps from now.
    fn at(&self, points: [&Vec<Expr<'g>>; 3], locals: &[Expr<'g>], begin: i64) -> PointSlopes<'g> {
        let (system, n) = (self.system, self.system.len());
        let mut rules = vec![(system.t, system.t + system.step() * begin)];
        for (symbols, values) in self.points.iter().zip(points) {
            rules.extend(symbols.iter().copied().zip(values.iter().copied()));
        }
        rules.extend(self.locals.iter().copied().zip(locals.iter().copied()));
        let all = system.graph.substitute(&self.slopes, &rules);
        let by = |point: usize| all[point * n..(point + 1) * n].to_vec();
        PointSlopes { slopes: [by(0), by(1), by(2)], stationary: all[3 * n..].to_vec() }
    }
}

/// The momenta of q_0 and of (q_1 − q_0)/h (V4).
fn discrete_momenta<'g>(h: Expr<'g>, first: &[Vec<Expr<'g>>; 3], second: &[Vec<Expr<'g>>; 3]) -> [Vec<Expr<'g>>; 2] {
    let at_1: Vec<Expr<'g>> = first[1].iter().zip(&second[0]).map(|(a, b)| -(*a + *b)).collect();
    let both = first[0].iter().zip(&at_1).map(|(at_0, at_1)| *at_1 - *at_0).collect();
    [both, at_1.into_iter().map(|p| h * p).collect()]
}

impl<'g> System<'g> {
    /// The symbols of three positions in a row, `x_0`, `x_1` and `x_2`.
    pub fn three_points(&self) -> [Vec<Expr<'g>>; 3] {
        let last = self.symbols("", "_2");
        let [first, middle] = self.ends();
        [first, middle, last]
    }
}
