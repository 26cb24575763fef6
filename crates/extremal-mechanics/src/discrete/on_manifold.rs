//! Runge–Kutta methods for the motion of a singular system on its final constraint submanifold W_f.

use extremal_expr::Expr;

use super::builder::SchemeBuilder;
use super::collocation::Collocation;
use super::flow::{phase_guards, phase_state};
use super::scheme::{Equation, Scheme};
use crate::System;
use crate::block::{Meaning, Solve};
use crate::manifold::FinalManifold;

/// The scheme with these coefficients; its state is (q, v, S).
///
/// The coordinates z of the chart move by themselves: with stage rates K_i as unknowns, Z_i = z + h Σ a_ij K_j, and K_i are the rates of z
/// at Z_i, accelerations among them by the equations of motion there. The other symbols of the state follow from z, so that a step
/// cannot leave W_f.
pub(super) fn runge_kutta_on<'g>(
    system: &System<'g>,
    manifold: &FinalManifold<'g>,
    mut method: Collocation<'_, 'g>,
    name: String,
) -> Scheme {
    let (g, moving) = (system.graph, MovingSymbols::of(system, manifold));
    let k = method.symbols(|suffix| moving.symbols(system, suffix));
    let motion = system.motion_unknowns();
    let tops = method.symbols(|suffix| {
        (1..=motion.len()).map(|at| system.symbol(&format!("top{at}{suffix}"))).collect::<Vec<Expr<'g>>>()
    });
    let (sums, account_rates): (Vec<_>, Vec<_>) =
        system.accounts().iter().map(|account| (account.value, account.rate)).unzip();
    let rows = moving.needed_rows(&manifold.motion, &motion);
    let formulas = [moving.rates.clone(), rows.residuals, system.restricted(&account_rates)].concat();
    let (mut unknowns, mut residuals, mut growth) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..method.len() {
        let there = method.at_stage(i, &moving.coordinates, &k);
        let mut rules: Vec<_> = moving.coordinates.iter().copied().zip(there).collect();
        rules.extend(motion.iter().copied().zip(tops[i].iter().copied()));
        rules.push((system.t, method.time(i)));
        let mut values = g.substitute(&formulas, &rules);
        growth.push(values.split_off(moving.rates.len() + rows.unknowns.len()));
        values.iter_mut().zip(&k[i]).for_each(|(rate, k)| *rate = *k - *rate);
        unknowns.push([&k[i][..], &rows.unknowns.iter().map(|at| tops[i][*at]).collect::<Vec<_>>()].concat());
        residuals.push(values);
    }
    let mut after: Vec<_> = moving.coordinates.iter().copied().zip(method.at_end(&moving.coordinates, &k)).collect();
    after.extend(sums.iter().copied().zip(method.at_end(&sums, &growth)));
    after.push((system.t, system.t + system.step()));
    let next = g.substitute(&system.restricted(&phase_state(system)), &after);

    let meanings: Vec<Meaning> =
        (moving.names().map(Meaning::Rate)).chain(rows.unknowns.iter().map(|_| Meaning::Itself)).collect();
    let solve = |unknowns: &[Expr<'g>], rows: &[Expr<'g>]| {
        Solve::new(unknowns, rows, &vec![g.int(0); unknowns.len()]).meaning(meanings.iter().cycle().cloned())
    };
    let solves = match method.a[0].is_empty() {
        true => unknowns.iter().zip(&residuals).map(|(unknowns, rows)| solve(unknowns, rows)).collect(),
        false => vec![solve(&unknowns.concat(), &residuals.concat())],
    };
    let mut equations = Vec::new();
    for (i, rows) in (1..).zip(&residuals) {
        let stages = moving.names().zip(rows);
        equations.extend(stages.map(|(name, row)| Equation::new(format!("stage {i} of {name}"), g.int(0), *row)));
    }
    let ends = moving.coordinates.iter().zip(moving.names()).zip(&after);
    equations.extend(ends.map(|((_, name), (_, end))| {
        // Indices and primes stay behind: x_next'.
        let (stem, rest) = name.split_at(name.find(['[', '\'']).unwrap_or(name.len()));
        Equation::new("next state", system.symbol(&format!("{stem}_next{rest}")), *end)
    }));
    Scheme {
        guards: phase_guards(system),
        equations,
        note: "One step on the final constraint submanifold at t; what is not among its coordinates follows from them."
            .to_owned(),
        constants: method.constants.into_named(),
        ..SchemeBuilder::of_velocities(system).step(name, solves, &next)
    }
}

/// What moves on W_f: the coordinates of its chart, and their rates.
struct MovingSymbols<'g> {
    coordinates: Vec<Expr<'g>>,
    rates: Vec<Expr<'g>>,
}

/// The equations of motion that the rates need, with the places of the unknowns that they determine.
struct NeededRows<'g> {
    unknowns: Vec<usize>,
    residuals: Vec<Expr<'g>>,
}

impl<'g> MovingSymbols<'g> {
    fn of(system: &System<'g>, manifold: &FinalManifold<'g>) -> MovingSymbols<'g> {
        let coordinates = manifold.coordinates(system);
        let pairs = system.moving_state().into_iter().zip(system.restricted(&system.moving_rates()));
        let rates = pairs.filter(|(symbol, _)| coordinates.contains(symbol)).map(|(_, rate)| rate).collect();
        MovingSymbols { coordinates, rates }
    }

    fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.coordinates.iter().map(|symbol| symbol.to_string())
    }

    /// The symbols of their rates at a stage.
    fn symbols(&self, system: &System<'g>, suffix: &str) -> Vec<Expr<'g>> {
        (1..=self.coordinates.len()).map(|at| system.symbol(&format!("k{at}{suffix}"))).collect()
    }

    /// Row `at` of `motion` determines the unknown `at` by those behind it.
    fn needed_rows(&self, motion: &[Expr<'g>], unknowns: &[Expr<'g>]) -> NeededRows<'g> {
        let mut residuals: Vec<Expr<'g>> = Vec::new();
        let mut needed = Vec::new();
        for (at, unknown) in unknowns.iter().enumerate() {
            let asked = self.rates.iter().chain(&residuals).any(|formula| formula.depends_on(&[*unknown]));
            if asked {
                needed.push(at);
                residuals.push(motion[at]);
            }
        }
        NeededRows { unknowns: needed, residuals }
    }
}
