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
//! The integral is a Gauss sum Ḡ_i. Where its error shows (very long steps), G_i = Ḡ_i + α k_i with
//! α = ((H(z_1) − H(z_0))/h − Σ b_i Ḡ_i·k_i) / Σ b_i |k_i|² makes the identity exact again; where the numerator is round-off, α = 0,
//! so that nothing is divided by the vanishing rates of a motion at rest.

use extremal_expr::{Expr, Rational, Relation, magnitude};

use super::SchemeError;
use super::builder::{SchemeBuilder, thermal_guards};
use super::collocation::Collocation;
use super::quadrature::{QuadratureRule, lagrange};
use super::scheme::{Equation, Scheme};
use crate::block::{Meaning, Solve};
use crate::{Point, System};

/// The scheme with `stages` collocation nodes and `nodes` quadrature nodes for the mean gradients.
pub(super) fn energy_entropy<'g>(
    system: &System<'g>,
    stages: usize,
    nodes: usize,
    name: String,
) -> Result<Scheme, SchemeError> {
    let (g, h, n, m) = (system.graph, system.step(), system.len(), system.heat.s.len());
    let hamiltonian = system.hamiltonian().ok_or_else(|| SchemeError::NoHamiltonian(name.clone()))?.h;
    if hamiltonian.depends_on(&[system.t]) {
        return Err(SchemeError::ExplicitTime(name));
    }
    let z = [&system.q[..], &system.p, &system.heat.s].concat();
    let mut method = Collocation::gauss(system, stages);
    // One unknown rate per stage and component, named after what it is the rate of.
    let rates = method.symbols(|suffix| {
        let (q, p) = (system.symbols("k_", suffix), system.symbols("k_p_", suffix));
        [q, p, system.entropy_symbols("k_", suffix)].concat()
    });
    let column = |k: usize| rates.iter().map(|rate| rate[k]).collect::<Vec<_>>();
    let led = |weights: &[Expr<'g>]| -> Vec<Expr<'g>> {
        z.iter().enumerate().map(|(k, z)| *z + h * g.dot(weights, &column(k))).collect()
    };
    let means = mean_gradients(&mut method, &g.gradient(hamiltonian, &z), &z, nodes, led);
    let weights = method.b.clone();
    let b = method.numbers(&weights, "b");
    let z_next = led(&b);
    let alpha = correction(system, hamiltonian, (&z, &z_next), &b, &means, &rates);
    let corrected = |(mean, rate): (&Vec<Expr<'g>>, &Vec<Expr<'g>>)| -> Vec<Expr<'g>> {
        mean.iter().zip(rate).map(|(mean, k)| *mean + alpha * *k).collect()
    };
    let means: Vec<Vec<Expr<'g>>> = means.iter().zip(&rates).map(corrected).collect();

    let account_formulas: Vec<_> = system.accounts().iter().map(|account| account.rate).collect();
    let (mut rows, mut grown, mut guards, mut times) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (i, (mean, rate)) in means.iter().zip(&rates).enumerate() {
        let integrals = method.integrals(method.c[i]);
        let u = led(&method.numbers(&integrals, &format!("A_c{}", i + 1)));
        let (slope_q, rest) = mean.split_at(n);
        let (velocity, temperature) = rest.split_at(n);
        let point = Point { q: u[..n].to_vec(), v: velocity.to_vec(), s: u[2 * n..].to_vec(), t: method.time(i) };
        let force = system.at(&system.force, &point);
        // Conduction is driven by the discrete temperatures, which then meet the energy identity.
        let symbols = system.entropy_symbols("T_", "");
        let sources = system.at(&system.entropy_sources(&symbols), &point);
        let discrete: Vec<_> = symbols.into_iter().zip(temperature.iter().copied()).collect();
        let sources = g.substitute(&sources, &discrete);
        rows.extend((0..n).map(|k| rate[k] - velocity[k]));
        rows.extend((0..n).map(|k| rate[n + k] + slope_q[k] - force[k]));
        match system.poisson() {
            Some(brackets) => {
                let there: Vec<_> = z.iter().copied().zip(u.iter().copied()).collect();
                let rates = brackets.at(&there).applied(mean);
                rows.extend((0..m).map(|k| rate[k] - rates[k]));
            }
            None => {
                rows.extend((0..m).map(|k| temperature[k] * rate[2 * n + k] - sources[k]));
                guards.extend(thermal_guards(system, temperature, &system.at(&system.friction_heating(), &point)));
            }
        }
        grown.push(system.at(&account_formulas, &point));
        times.push(point.t);
    }
    let accounts_next = system.carried().into_iter().skip(m).enumerate().map(|(k, sum)| {
        let growth: Vec<_> = grown.iter().map(|grown| grown[k]).collect();
        sum + h * g.dot(&b, &growth)
    });
    let next: Vec<_> = z_next.into_iter().chain(accounts_next).collect();

    let momenta = system.names.iter().map(|name| format!("p_{name}"));
    let components = system.names.iter().cloned().chain(momenta).chain(system.heat.names.clone());
    let meanings: Vec<_> = components.map(Meaning::Rate).collect();
    let guess = [&system.v[..], &vec![g.int(0); n + m]].concat().repeat(stages);
    let solve = Solve::new(&rates.concat(), &rows, &guess).meaning(meanings.into_iter().cycle());
    Ok(Scheme {
        constants: method.constants.into_named(),
        guards,
        equations: print(system, hamiltonian, &times),
        note: format!(
            "One step of size {h}: z_1 = z_0 + {h} Σ b_i k_i for z = (q, p, S). G are mean gradients of H along the step; positions \
             and entropies in forces are those of the stage."
        ),
        ..SchemeBuilder::of_momenta(system).step(name, vec![solve], &next)
    })
}

/// The Gauss sums Ḡ_i, all stages from the same evaluations of ∇H; `led` goes along u.
fn mean_gradients<'g>(
    method: &mut Collocation<'_, 'g>,
    gradient: &[Expr<'g>],
    z: &[Expr<'g>],
    nodes: usize,
    led: impl Fn(&[Expr<'g>]) -> Vec<Expr<'g>>,
) -> Vec<Vec<Expr<'g>>> {
    let Some(g) = z.first().map(|z| z.graph()) else { return vec![Vec::new(); method.len()] };
    let rule = QuadratureRule::gauss(nodes);
    let mut means = vec![vec![Vec::new(); z.len()]; method.len()];
    for (at, (tau, omega)) in (1..).zip(rule.nodes.iter().zip(&rule.weights)) {
        let integrals = method.integrals(*tau);
        let u = led(&method.numbers(&integrals, &format!("A_m{at}")));
        let values = g.substitute(gradient, &z.iter().copied().zip(u).collect::<Vec<_>>());
        for (i, mean) in means.iter_mut().enumerate() {
            let weight = omega * lagrange(&method.c, i, *tau).0 / method.b[i];
            let weight = method.number(weight, format!("W_{}_m{at}", i + 1));
            mean.iter_mut().zip(&values).for_each(|(sum, value)| sum.push(weight * *value));
        }
    }
    means.into_iter().map(|mean| mean.into_iter().map(|sum| g.sum(sum)).collect()).collect()
}

/// The factor α of the exact energy identity; zero where the quadrature alone satisfies it to round-off.
fn correction<'g>(
    system: &System<'g>,
    hamiltonian: Expr<'g>,
    (z, z_next): (&[Expr<'g>], &[Expr<'g>]),
    b: &[Expr<'g>],
    means: &[Vec<Expr<'g>>],
    rates: &[Vec<Expr<'g>>],
) -> Expr<'g> {
    let (g, h) = (system.graph, system.step());
    let rules: Vec<_> = z.iter().copied().zip(z_next.iter().copied()).collect();
    let after = hamiltonian.substitute(&rules);
    let power = g.sum(b.iter().zip(means).zip(rates).map(|((b, mean), rate)| *b * g.dot(mean, rate)));
    let squares = g.sum(b.iter().zip(rates).map(|(b, rate)| *b * g.dot(rate, rate)));
    let defect = after - hamiltonian - h * power;
    // Sixty-four ulp of the terms that were added up: below, the defect is their round-off.
    let threshold = g.rational(Rational::new(1, 1 << 46).unwrap_or(Rational::ZERO));
    // Energies that have lost digits to underflow have a defect of nothing but that.
    let underflow = g.float(f64::MIN_POSITIVE / f64::EPSILON).unwrap_or(g.int(0));
    let noise = threshold * (magnitude(after) + magnitude(hamiltonian)) + underflow;
    g.select(g.compare(Relation::Lt, noise, defect.abs()), defect / (h * squares), g.int(0))
}

/// The step in words of mean gradients `G_x`, which would fill pages if written out.
fn print<'g>(system: &System<'g>, hamiltonian: Expr<'g>, times: &[Expr<'g>]) -> Vec<Equation> {
    let mut equations = vec![Equation::new("Hamiltonian", system.constant("H"), hamiltonian)];
    for (i, time) in (1..).zip(times) {
        let suffix = format!("_{i}");
        let (g_q, g_p) = (system.symbols("G_", &suffix), system.symbols("G_p_", &suffix));
        let g_s = system.entropy_symbols("G_", &suffix);
        let point = Point { q: system.q.clone(), v: g_p.clone(), s: system.heat.s.clone(), t: *time };
        let force = system.at(&system.force, &point);
        let sources = system.at(&system.entropy_sources(&g_s), &point);
        let (k_q, k_p) = (system.symbols("k_", &suffix), system.symbols("k_p_", &suffix));
        let k_s = system.entropy_symbols("k_", &suffix);
        for k in 0..system.len() {
            equations.push(Equation::new("rate of a position", k_q[k], g_p[k]));
            equations.push(Equation::new("rate of a momentum", k_p[k], force[k] - g_q[k]));
        }
        match system.poisson() {
            Some(brackets) => {
                let rates = brackets.applied(&g_s).into_iter().zip(&k_s);
                equations.extend(rates.map(|(rate, k)| Equation::new("rate of a variable", *k, rate)));
            }
            None => {
                let warm = |k: usize| Equation::new("rate of an entropy", k_s[k], sources[k] / g_s[k]);
                equations.extend((0..g_s.len()).map(warm));
            }
        }
    }
    equations
}
