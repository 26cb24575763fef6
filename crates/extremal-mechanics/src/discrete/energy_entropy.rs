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

use extremal_expr::{Comparison, Expr, Rational, magnitude};

use super::SchemeError;
use super::quadrature::{Quadrature, lagrange, lagrange_integral};
use super::scheme::{Constants, Equation, Scheme, ids};
use super::variational::{legendre_start, observe_momenta, thermal_guards};
use crate::block::{Block, Meaning, Solve};
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
    let gradient = g.gradient(hamiltonian, &z);
    let collocation = Quadrature::gauss(stages);
    let rule = Quadrature::gauss(nodes);
    let mut constants = Constants::new(g);

    // One unknown rate per stage and component, named after what it is the rate of.
    let rates: Vec<Vec<Expr<'g>>> = (1..=stages)
        .map(|i| {
            let suffix = format!("_{i}");
            let q = system.symbols("k_", &suffix);
            let p = system.symbols("k_p_", &suffix);
            [q, p, system.entropy_symbols("k_", &suffix)].concat()
        })
        .collect();
    let along = |constants: &mut Constants<'g>, tau: f64, label: &str| -> Vec<Expr<'g>> {
        let weights: Vec<_> = (0..stages)
            .map(|j| {
                let weight = lagrange_integral(&collocation.nodes, j, tau);
                constants.number(weight, || system.constant(&format!("A_{label}_{}", j + 1)))
            })
            .collect();
        let column = |k: usize| rates.iter().map(|rate| rate[k]).collect::<Vec<_>>();
        z.iter().enumerate().map(|(k, z)| *z + h * g.dot(&weights, &column(k))).collect()
    };

    // Mean gradients by quadrature, all stages from the same evaluations of ∇H.
    let mut means = vec![vec![Vec::new(); z.len()]; stages];
    for (at, (tau, omega)) in rule.nodes.iter().zip(&rule.weights).enumerate() {
        let u = along(&mut constants, *tau, &format!("m{}", at + 1));
        let rules: Vec<_> = z.iter().copied().zip(u).collect();
        let values = g.substitute(&gradient, &rules);
        for (i, mean) in means.iter_mut().enumerate() {
            let weight = omega * lagrange(&collocation.nodes, i, *tau).0 / collocation.weights[i];
            let weight = constants.number(weight, || system.constant(&format!("W_{}_m{}", i + 1, at + 1)));
            mean.iter_mut().zip(&values).for_each(|(sum, value)| sum.push(weight * *value));
        }
    }
    let means: Vec<Vec<Expr<'g>>> =
        means.into_iter().map(|mean| mean.into_iter().map(|sum| g.sum(sum)).collect()).collect();
    let b: Vec<Expr<'g>> = collocation
        .weights
        .iter()
        .enumerate()
        .map(|(i, b)| constants.number(*b, || system.constant(&format!("b_{}", i + 1))))
        .collect();
    let z_next: Vec<_> =
        (0..z.len()).map(|k| z[k] + h * g.dot(&b, &rates.iter().map(|rate| rate[k]).collect::<Vec<_>>())).collect();
    let alpha = correction(system, hamiltonian, (&z, &z_next), &b, &means, &rates);
    let corrected = |mean: &Vec<Expr<'g>>, rate: &Vec<Expr<'g>>| -> Vec<Expr<'g>> {
        mean.iter().zip(rate).map(|(mean, k)| *mean + alpha * *k).collect()
    };
    let means: Vec<Vec<Expr<'g>>> = means.iter().zip(&rates).map(|(mean, rate)| corrected(mean, rate)).collect();

    let accounts = system.accounts();
    let mut rows = Vec::new();
    let mut account_rates = vec![Vec::new(); accounts.len()];
    let (mut temperatures, mut heating, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for (i, mean) in means.iter().enumerate() {
        let u = along(&mut constants, collocation.nodes[i], &format!("c{}", i + 1));
        let time = system.t + h * constants.number(collocation.nodes[i], || system.constant(&format!("c_{}", i + 1)));
        let (slope_q, rest) = mean.split_at(n);
        let (velocity, temperature) = rest.split_at(n);
        let point = Point { q: u[..n].to_vec(), v: velocity.to_vec(), s: u[2 * n..].to_vec(), t: time };
        let force = system.at(&system.force, &point);
        // Conduction is driven by the discrete temperatures, which then meet the energy identity.
        let symbols = system.entropy_symbols("T_", "");
        let sources = system.at(&system.entropy_sources(&symbols), &point);
        let held: Vec<_> = symbols.into_iter().zip(temperature.iter().copied()).collect();
        let sources = g.substitute(&sources, &held);
        let rate = &rates[i];
        rows.extend((0..n).map(|k| rate[k] - velocity[k]));
        rows.extend((0..n).map(|k| rate[n + k] + slope_q[k] - force[k]));
        rows.extend((0..m).map(|k| temperature[k] * rate[2 * n + k] - sources[k]));
        let grown = system.at(&accounts.iter().map(|account| account.rate).collect::<Vec<_>>(), &point);
        account_rates.iter_mut().zip(grown).for_each(|(all, rate)| all.push(rate));
        times.push(time);
        temperatures.push(temperature.to_vec());
        heating.push(system.at(&system.friction_heating(), &point));
    }

    let carried = system.carried();
    let mut next = z_next;
    next.extend(carried[m..].iter().zip(&account_rates).map(|(sum, all)| *sum + h * g.dot(&b, all)));

    let zero = g.int(0);
    let unknowns = rates.concat();
    let momenta = system.names.iter().map(|name| format!("p_{name}"));
    let components: Vec<String> =
        system.names.iter().cloned().chain(momenta).chain(system.heat.names.clone()).collect();
    let meanings = components.into_iter().map(Meaning::Rate).collect::<Vec<_>>().into_iter().cycle();
    let guess: Vec<_> = (0..stages).flat_map(|_| [&system.v[..], &vec![zero; n + m]].concat()).collect();
    let state = [&system.q[..], &system.p, &carried].concat();
    let mut guards = Vec::new();
    for (temperatures, heating) in temperatures.iter().zip(&heating) {
        guards.extend(thermal_guards(system, temperatures, heating));
    }
    let equations = print(system, hamiltonian, &times);
    Ok(Scheme {
        name,
        state: ids(&state),
        time: system.t.id(),
        start: legendre_start(system),
        step: Block {
            inputs: ids(&[&state[..], &[system.t, h], &system.v].concat()),
            solves: vec![Solve::new(&unknowns, &rows, &guess).meaning(meanings)],
            outputs: ids(&next),
        },
        observe: observe_momenta(system),
        constants: constants.into_named(),
        stages: None,
        substeps: vec![1.0],
        guards,
        equations,
    })
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
    g.select(g.compare(Comparison::Lt, noise, defect.abs()), defect / (h * squares), g.int(0))
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
        let warm = |k: usize| Equation::new("rate of an entropy", k_s[k], sources[k] / g_s[k]);
        equations.extend((0..g_s.len()).map(warm));
    }
    equations
}
