//! The energy–entropy method: both laws of thermodynamics hold for the discrete motion, at any step and to order 2s.
//!
//! Energy-preserving collocation (Hairer 2010; Cohen & Hairer 2011) for z = (q, p, S): with s Gauss nodes c_i, weights b_i and
//! Lagrange polynomials l_i, the polynomial u with u' = Σ l_j k_j leads from z_0 to z_1 = z_0 + h Σ b_j k_j. Its rates k_i come
//! from the mean gradients
//!
//! ```text
//! G_i = (1/b_i) ∫_0^1 l_i(τ) ∇H(u(τ)) dτ
//! k_q = G_p    k_p = −G_q + F    k_S = (−F_fr·G_p + P + Σ κ (G_S' − G_S)) / G_S
//! ```
//!
//! with forces at the node and the velocity G_p. Then H(z_1) − H(z_0) = h Σ b_i G_i·k_i = h Σ b_i (F_ext·G_p + P), and with
//! b_i > 0 and G_S > 0 no step lowers the entropy. s = 1 is the average-vector-field step.
//!
//! Time that H contains is one more variable, of rate 1: Σ b_i G_t is its part of the work. Holonomic constraints φ and what they say of
//! momenta, ψ, are kept by H − λφ − μψ in place of H (`bound.rs`), since the step changes neither.
//!
//! The integral is a Gauss sum Ḡ_i. Where its error shows (very long steps), G_i = Ḡ_i + α k_i with
//! α = ((H(z_1) − H(z_0))/h − Σ b_i Ḡ_i·k_i) / Σ b_i |k_i|² makes the identity exact again; where the numerator is round-off, α = 0,
//! so that nothing is divided by the vanishing rates of a motion at rest.

mod bound;
mod mean;
mod parts;
mod symmetry;

use extremal_expr::{Expr, magnitude};

use super::SchemeError;
use super::builder::{SchemeBuilder, thermal_guards};
use super::collocation::Collocation;
use super::scheme::{Equation, Scheme};
use crate::block::{Meaning, Solve};
use crate::continuous::Hamiltonian;
use crate::{Point, System};
use bound::{BoundFunction, BoundFunctions, quotient_above};
use mean::{MeanGradients, SteppedVariables};
use parts::QuadraticParts;

pub use symmetry::check_symmetry;

/// So many rates are solved for as a full system, which costs less than one more unknown.
const MOST_COUPLED: usize = 32;

/// Which of the energy–entropy methods.
pub(super) struct EnergyForm {
    /// Collocation nodes.
    pub stages: usize,
    /// Quadrature nodes of the mean gradients.
    pub nodes: usize,
    /// Are gradients taken between quadratic parts of H, so that momenta of linear symmetries are kept? With one stage.
    pub momenta: bool,
}

/// The scheme of such a method.
pub(super) fn energy_entropy<'g>(system: &System<'g>, form: &EnergyForm, name: String) -> Result<Scheme, SchemeError> {
    let (g, h, n, m) = (system.graph, system.step(), system.len(), system.heat.s.len());
    let found = if form.momenta { hamiltonian_as_written(system) } else { system.hamiltonian() };
    let Hamiltonian { h: hamiltonian, q_rate, .. } = found.ok_or_else(|| SchemeError::NoHamiltonian(name.clone()))?;
    let mut method = Collocation::gauss(system, form.stages);
    // One unknown rate per stage and component, named after what it is the rate of.
    let rates = method.symbols(|suffix| {
        let (q, p) = (system.symbols("k_", suffix), system.symbols("k_p_", suffix));
        [q, p, system.entropy_symbols("k_", suffix)].concat()
    });
    let bound = BoundFunctions::of(system, &q_rate, &method);
    let potentials: Vec<_> = bound.potentials.iter().map(|function| function.value).collect();
    let functions = [&[hamiltonian][..], &potentials].concat();
    let step = stepped(system, &rates, &functions);
    let gradients = match form.momenta {
        false => MeanGradients::along_step(&mut method, &step, &functions, form.nodes),
        true => {
            let parts = QuadraticParts::of(system, &functions, &step.z);
            MeanGradients::along_parts(&mut method, &step, &parts, form.nodes)
        }
    };
    let weights = method.b.clone();
    let b = method.numbers(&weights, "b");
    let z_next = ended(system, &step, &b);
    let correction = system.symbol("alpha");
    let (means, corrected) = corrected(&gradients, &bound, &step, &b, (&functions, &z_next), correction);
    let points = stage_points(system, &mut method, &step);
    let reactions = bound.reactions(system, &points, &b);

    let beside = system.symbol("power_beside");
    let beside_forces = if system.power_beside_forces().is_zero() { g.int(0) } else { beside };
    // Conduction and ports are driven by the discrete temperatures and potentials, which then meet the energy identity.
    let symbols = system.slope_symbols();
    let accounts = system.accounts_with(beside_forces, &symbols);
    let account_formulas: Vec<_> = accounts.iter().map(|account| account.rate).collect();
    let (mut rows, mut grown, mut guards) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (mean, rate)) in means.iter().zip(&rates).enumerate() {
        let (slope_q, rest) = mean.split_at(n);
        let (velocity, rest) = rest.split_at(n);
        let (temperature, by_time) = rest.split_at(m);
        let point = Point { v: velocity.to_vec(), ..points[i].clone() };
        let force = system.at(&system.force, &point);
        let sources = system.at(&system.entropy_sources(&symbols), &point);
        let mut discrete: Vec<_> = symbols.iter().copied().zip(temperature.iter().copied()).collect();
        let sources = g.substitute(&sources, &discrete);
        let reaction = &reactions[i].force;
        rows.extend((0..n).map(|k| rate[k] - velocity[k]));
        rows.extend((0..n).map(|k| rate[n + k] + slope_q[k] - force[k] - reaction[k]));
        match system.poisson() {
            Some(brackets) => {
                let there: Vec<_> = system.heat.s.iter().copied().zip(point.s.iter().copied()).collect();
                let rates = brackets.at(&there).applied(temperature);
                rows.extend((0..m).map(|k| rate[k] - rates[k]));
            }
            None => {
                rows.extend(system.carried_rows(temperature, &rate[2 * n..2 * n + m], &sources));
                guards.extend(thermal_guards(system, temperature, &system.at(&system.friction_heating(), &point)));
            }
        }
        discrete.push((beside, g.sum(by_time.iter().copied().chain([reactions[i].power]))));
        grown.push(g.substitute(&system.at(&account_formulas, &point), &discrete));
    }
    let imposed = imposed(system, &mut method, (&bound, &gradients), &step, form.nodes);
    let accounts_next = system.carried().into_iter().skip(m).enumerate().map(|(k, sum)| {
        let growth: Vec<_> = grown.iter().map(|grown| grown[k]).collect();
        sum + h * g.dot(&b, &growth)
    });
    let next: Vec<_> = z_next[..2 * n + m].iter().copied().chain(accounts_next).collect();

    let momenta = system.names.iter().map(|name| format!("p_{name}"));
    let components = system.names.iter().cloned().chain(momenta).chain(system.heat.names.clone());
    let meanings: Vec<_> = components.map(Meaning::Rate).collect();
    let guess = [&system.v[..], &vec![g.int(0); n + m]].concat().repeat(form.stages);
    let motion = Solve::new(&rates.concat(), &rows, &guess).meaning(meanings.into_iter().cycle());
    let times: Vec<_> = points.iter().map(|point| point.t).collect();
    Ok(Scheme {
        constants: method.constants.into_named(),
        guards,
        equations: print(system, hamiltonian, &bound, &times),
        note: note(system, form),
        ..SchemeBuilder::of_momenta(system).step(name, vec![motion.with(imposed).with(corrected)], &next)
    })
}

/// The Hamiltonian with the terms at rest as they stand in the Lagrangian, not multiplied out: their pieces are those of the user.
fn hamiltonian_as_written<'g>(system: &System<'g>) -> Option<Hamiltonian<'g>> {
    let rest = system.kinetic_split()?.rest;
    let kinetic = system.with_lagrangian(system.lagrangian - rest).hamiltonian()?;
    Some(Hamiltonian { h: kinetic.h - rest, ..kinetic })
}

/// What is stepped over: (q, p, S), and time where one of the functions contains it.
fn stepped<'g>(system: &System<'g>, rates: &[Vec<Expr<'g>>], functions: &[Expr<'g>]) -> SteppedVariables<'g> {
    let g = system.graph;
    let mut step = SteppedVariables {
        z: [&system.q[..], &system.p, &system.heat.s].concat(),
        rates: rates.to_vec(),
        step: system.step(),
    };
    if g.depend_on(functions, &[system.t]).contains(&true) {
        step.z.push(system.t);
        step.rates.iter_mut().for_each(|rate| rate.push(g.int(1)));
    }
    step
}

/// The stages, with the rates of positions for velocities.
fn stage_points<'g>(
    system: &System<'g>,
    method: &mut Collocation<'_, 'g>,
    step: &SteppedVariables<'g>,
) -> Vec<Point<'g>> {
    let (n, m) = (system.len(), system.heat.s.len());
    let mut points = Vec::with_capacity(method.len());
    for (i, rate) in step.rates.iter().enumerate() {
        let integrals = method.integrals(method.c[i]);
        let u = step.led(&method.numbers(&integrals, &format!("A_c{}", i + 1)));
        let (q, v, s) = (u[..n].to_vec(), rate[..n].to_vec(), u[2 * n..2 * n + m].to_vec());
        points.push(Point { q, v, s, t: method.time(i) });
    }
    points
}

/// The end of the step; time there is exact, whatever the round-off of the weights.
fn ended<'g>(system: &System<'g>, step: &SteppedVariables<'g>, b: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let mut end = step.led(b);
    if step.z.last() == Some(&system.t) {
        end.pop();
        end.push(system.t + step.step);
    }
    end
}

/// The mean gradients of H − λφ − μψ, with the correction α that makes the energy identity exact. It depends on all rates: where there are
/// many, it is an unknown with an equation of its own, so that each of the others keeps to its neighbours.
fn corrected<'g>(
    gradients: &MeanGradients<'g>,
    bound: &BoundFunctions<'g>,
    step: &SteppedVariables<'g>,
    b: &[Expr<'g>],
    (functions, z_next): (&[Expr<'g>], &[Expr<'g>]),
    unknown: Expr<'g>,
) -> (Vec<Vec<Expr<'g>>>, Solve) {
    let g = step.step.graph();
    let nothing = Solve::new(&[], &[], &[]);
    let mut means = gradients.of[0].clone();
    for (function, of_function) in bound.potentials.iter().zip(&gradients.of[1..]) {
        for (i, mean) in means.iter_mut().enumerate() {
            let pairs = mean.iter_mut().zip(&of_function[i]);
            pairs.for_each(|(sum, slope)| *sum = *sum - function.multipliers[i] * *slope);
        }
    }
    if gradients.squares.is_zero() {
        return (means, nothing);
    }
    let after = step.at(functions, z_next);
    let power = |means: &[Vec<Expr<'g>>]| {
        g.sum(b.iter().zip(means).zip(&step.rates).map(|((b, mean), rate)| *b * g.dot(mean, rate)))
    };
    let missed = |f: usize| after[f] - functions[f] - step.step * power(&gradients.of[f]);
    let size = |f: usize| magnitude(after[f]) + magnitude(functions[f]);
    // What the step leaves of a bound function is the same at every stage, so that its multipliers count by their mean.
    let multipliers: Vec<_> = bound.potentials.iter().map(|function| g.dot(b, &function.multipliers)).collect();
    let bound_missed = multipliers.iter().enumerate().map(|(f, mean)| *mean * missed(f + 1));
    let bound_size = multipliers.iter().enumerate().map(|(f, mean)| mean.abs() * size(f + 1));
    let defect = missed(0) - g.sum(bound_missed);
    let alpha = quotient_above(defect, step.step * gradients.squares, g.sum(bound_size.chain([size(0)])));
    let many = step.rates.iter().map(Vec::len).sum::<usize>() > MOST_COUPLED;
    let factor = if many { unknown } else { alpha };
    for (mean, direction) in means.iter_mut().zip(&gradients.directions) {
        mean.iter_mut().zip(direction).for_each(|(mean, direction)| *mean = *mean + factor * *direction);
    }
    (means, if many { Solve::new(&[unknown], &[unknown - alpha], &[g.int(0)]) } else { nothing })
}

/// The equations of the multipliers: every function is zero at the end of the step and changes in the mean of no stage.
fn imposed<'g>(
    system: &System<'g>,
    method: &mut Collocation<'_, 'g>,
    (bound, gradients): (&BoundFunctions<'g>, &MeanGradients<'g>),
    step: &SteppedVariables<'g>,
    nodes: usize,
) -> Solve {
    let g = system.graph;
    let values: Vec<_> = bound.kinematic.iter().map(|function| function.value).collect();
    let state = 2 * system.len() + system.heat.s.len();
    let rates: Vec<_> = step.rates.iter().map(|rate| rate[..state].to_vec()).collect();
    let whole = stepped(system, &rates, &values);
    let kinematic = match method.len() {
        1 => Vec::new(),
        _ => MeanGradients::along_step(method, &whole, &values, nodes).of,
    };
    let weights = method.b.clone();
    let b = method.numbers(&weights, "b");
    let stages = method.len();
    let rows_of = |function: &BoundFunction<'g>, means: Option<&Vec<Vec<Expr<'g>>>>, step: &SteppedVariables<'g>| {
        let end = step.at(&[function.value], &ended(system, step, &b))[0] / step.step;
        let Some(means) = means.filter(|_| stages > 1) else { return vec![end] };
        let changes: Vec<_> = means.iter().zip(&step.rates).map(|(mean, rate)| g.dot(mean, rate)).collect();
        let whole = g.dot(&b, &changes);
        changes.into_iter().map(|change| change - whole + end).collect()
    };
    let mut rows = Vec::new();
    for (function, means) in bound.potentials.iter().zip(&gradients.of[1..]) {
        rows.extend(rows_of(function, Some(means), step));
    }
    for (at, function) in bound.kinematic.iter().enumerate() {
        rows.extend(rows_of(function, kinematic.get(at), &whole));
    }
    let multipliers: Vec<_> = bound.all().flat_map(|function| function.multipliers.iter().copied()).collect();
    Solve::new(&multipliers, &rows, &vec![g.int(0); multipliers.len()])
}

fn note(system: &System<'_>, form: &EnergyForm) -> String {
    let h = system.step();
    let along = match form.momenta {
        false => "along the step",
        true => "between its quadratic parts at both ends of the step",
    };
    let multiplied = match system.reacting().any(|constraint| constraint.kind.nature().binds_positions) {
        false => "",
        true => ", less the constraints times their multipliers,",
    };
    // Constraints on velocities whose reactions do no work (X5).
    let workless = match system.reacting().any(|c| !c.kind.nature().binds_positions && c.power.is_zero()) {
        false => "",
        true => " From the reactions a multiple of M k_q is taken away, so that they do no work in the step.",
    };
    format!(
        "One step of size {h}: z_1 = z_0 + {h} Σ b_i k_i for z = (q, p, S). G are mean gradients of H{multiplied} {along}; positions \
         and entropies in forces are those of the stage.{workless}"
    )
}

/// The step in words of mean gradients `G_x`, which would fill pages if written out.
fn print<'g>(
    system: &System<'g>,
    hamiltonian: Expr<'g>,
    bound: &BoundFunctions<'g>,
    times: &[Expr<'g>],
) -> Vec<Equation> {
    let g = system.graph;
    let mut equations = vec![Equation::new("Hamiltonian", system.constant("H"), hamiltonian)];
    for (i, time) in times.iter().enumerate() {
        let suffix = format!("_{}", i + 1);
        if !bound.potentials.is_empty() {
            let terms = bound.potentials.iter().map(|function| function.multipliers[i] * function.shown);
            let less = system.constant("H") - g.sum(terms);
            equations.push(Equation::new("what G is of", system.constant(&format!("H{suffix}")), less));
        }
        let (g_q, g_p) = (system.symbols("G_", &suffix), system.symbols("G_p_", &suffix));
        let g_s = system.entropy_symbols("G_", &suffix);
        let point = Point { q: system.q.clone(), v: g_p.clone(), s: system.heat.s.clone(), t: *time };
        let force = system.at(&system.force, &point);
        let reaction = bound.along_rows(system, &point, i, |_| true);
        let sources = system.at(&system.entropy_sources(&g_s), &point);
        let (k_q, k_p) = (system.symbols("k_", &suffix), system.symbols("k_p_", &suffix));
        let k_s = system.entropy_symbols("k_", &suffix);
        for k in 0..system.len() {
            equations.push(Equation::new("rate of a position", k_q[k], g_p[k]));
            equations.push(Equation::new("rate of a momentum", k_p[k], force[k] + reaction[k] - g_q[k]));
        }
        match system.poisson() {
            Some(brackets) => {
                let rates = brackets.applied(&g_s).into_iter().zip(&k_s);
                equations.extend(rates.map(|(rate, k)| Equation::new("rate of a variable", *k, rate)));
            }
            None => {
                let warm = |k: usize| Equation::new("rate of an entropy", k_s[k], sources[k] / g_s[k]);
                equations.extend((0..system.heat.entropies().len()).map(warm));
                let filled = |k: usize| Equation::new("rate of an amount", k_s[k], sources[k]);
                equations.extend((system.heat.entropies().len()..g_s.len()).map(filled));
            }
        }
    }
    let ([_, q_1], [_, s_1], p_1) = (system.ends(), system.entropy_ends(), system.symbols("p_", "_1"));
    let end = Point { q: q_1, v: system.v.clone(), s: s_1, t: system.t + system.step() };
    let momenta: Vec<_> = system.p.iter().copied().zip(p_1).collect();
    for function in bound.all() {
        let value = system.at(&[function.shown], &end)[0].substitute(&momenta);
        equations.push(Equation::new(format!("{} at the end of the step", function.label), g.int(0), value));
    }
    equations
}
