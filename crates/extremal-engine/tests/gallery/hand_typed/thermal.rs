//! Systems with entropy: equations typed by hand, and where their discrete motions are after some steps.
//!
//! Each residual is `d/dt(dL/dv) - dL/dq - F`, each heating `T_A S_A'` (friction, conduction, heat from outside), each
//! temperature `-dL/dS_A`, each energy `v . dL/dv - L`. The discrete motions come from a Python program with the
//! equations of the methods typed from the literature and Newton's method with complex-step Jacobians.

use super::{Parameters, Range};

/// Euler-Lagrange residual from parameters, positions, velocities, accelerations and entropies.
pub type HeatResidual = fn(Parameters, &[f64], &[f64], &[f64], &[f64]) -> Vec<f64>;

/// One number per entropy from parameters, positions, velocities and entropies.
pub type PerEntropy = fn(Parameters, &[f64], &[f64], &[f64]) -> Vec<f64>;

/// Energy from parameters, positions, velocities and entropies.
pub type HeatEnergy = fn(Parameters, &[f64], &[f64], &[f64]) -> f64;

/// One system with entropy and its equations.
pub struct HandTypedHeat {
    /// Name of the gallery file, without its extension.
    pub gallery: &'static str,
    /// Where each coordinate may be sampled, in the order of the file.
    pub positions: &'static [Range],
    /// Where every velocity may be sampled.
    pub velocities: Range,
    /// Where every entropy may be sampled.
    pub entropies: Range,
    /// The equations of motion.
    pub residual: HeatResidual,
    /// The temperatures.
    pub temperatures: PerEntropy,
    /// The heat each entropy receives per unit time.
    pub heating: PerEntropy,
    /// The energy function.
    pub energy: HeatEnergy,
}

/// All systems with entropy, in alphabetical order of their gallery names.
pub fn systems() -> Vec<HandTypedHeat> {
    vec![
        HandTypedHeat {
            gallery: "cart-with-friction",
            positions: &[(-2.0, 2.0)],
            velocities: (-2.0, 2.0),
            entropies: (-0.5, 0.5),
            residual: |p, _, v, a, _| vec![p("m") * a[0] + p("mu") * v[0]],
            temperatures: |p, _, _, s| vec![p("T0") * ((s[0] - p("S0")) / p("nu")).exp()],
            heating: |p, _, v, _| vec![p("mu") * v[0] * v[0]],
            energy: |p, _, v, s| p("m") * v[0] * v[0] / 2.0 + p("nu") * p("T0") * ((s[0] - p("S0")) / p("nu")).exp(),
        },
        HandTypedHeat {
            gallery: "contact-oscillator",
            positions: &[(-2.0, 2.0)],
            velocities: (-2.0, 2.0),
            entropies: (-2.0, 2.0),
            residual: |p, q, v, a, _| vec![p("m") * (a[0] + p("gamma") * v[0]) + p("k") * q[0]],
            temperatures: |p, _, _, _| vec![p("gamma")],
            heating: |p, _, v, _| vec![p("gamma") * p("m") * v[0] * v[0]],
            energy: |p, q, v, s| p("m") * v[0] * v[0] / 2.0 + p("k") * q[0] * q[0] / 2.0 + p("gamma") * s[0],
        },
        HandTypedHeat {
            gallery: "damped-oscillator",
            positions: &[(-2.0, 2.0)],
            velocities: (-2.0, 2.0),
            entropies: (-2.0, 2.0),
            residual: |p, q, v, a, _| vec![a[0] + p("gamma") * v[0] + q[0]],
            temperatures: |p, _, _, _| vec![p("gamma")],
            heating: |p, _, v, _| vec![p("gamma") * v[0] * v[0]],
            energy: |p, q, v, s| v[0] * v[0] / 2.0 + q[0] * q[0] / 2.0 + p("gamma") * s[0],
        },
        HandTypedHeat {
            gallery: "gas-containers",
            positions: &[(0.3, 1.7)],
            velocities: (-2.0, 2.0),
            entropies: (0.5, 2.0),
            residual: |p, q, _, a, s| {
                let [e1, e2] = container_energies(p, q[0], s);
                vec![p("m") * a[0] - 2.0 * e1 / (3.0 * q[0]) + 2.0 * e2 / (3.0 * (2.0 - q[0]))]
            },
            temperatures: |p, q, _, s| container_energies(p, q[0], s).map(|e| 2.0 * e / 3.0).to_vec(),
            heating: |p, q, _, s| {
                let [e1, e2] = container_energies(p, q[0], s);
                let into_first = p("alpha") * 1.5 * (1.0 / e1 - 1.0 / e2);
                vec![into_first, -into_first]
            },
            energy: |p, q, v, s| p("m") * v[0] * v[0] / 2.0 + container_energies(p, q[0], s).iter().sum::<f64>(),
        },
        HandTypedHeat {
            gallery: "heat-bar",
            positions: &[],
            velocities: (0.0, 0.0),
            entropies: (-0.5, 0.5),
            residual: |_, _, _, _, _| Vec::new(),
            temperatures: |p, _, _, s| bar_temperatures(p, s),
            heating: |p, _, _, s| {
                let t = bar_temperatures(p, s);
                let n = t.len();
                let at = |i: usize| p("kappa") * (t[(i + 1).min(n - 1)] - 2.0 * t[i] + t[i.saturating_sub(1)]);
                (0..n).map(at).collect()
            },
            energy: |p, _, _, s| p("c") * bar_temperatures(p, s).iter().sum::<f64>(),
        },
        HandTypedHeat {
            gallery: "ideal-gas-piston",
            positions: &[(0.5, 2.0)],
            velocities: (-2.0, 2.0),
            entropies: (-1.0, 2.0),
            residual: |p, q, v, a, s| {
                let c = p("c");
                vec![a[0] + p("gamma") * v[0] - s[0].exp() * q[0].powf(-1.0 - 1.0 / c) / c]
            },
            temperatures: |p, q, _, s| vec![s[0].exp() * q[0].powf(-1.0 / p("c"))],
            heating: |p, _, v, _| vec![p("gamma") * v[0] * v[0]],
            energy: |p, q, v, s| v[0] * v[0] / 2.0 + s[0].exp() * q[0].powf(-1.0 / p("c")),
        },
        HandTypedHeat {
            gallery: "piston-between-gases",
            positions: &[(0.3, 1.7)],
            velocities: (-2.0, 2.0),
            entropies: (-1.0, 1.5),
            residual: |p, q, v, a, s| {
                let [t1, t2] = gas_temperatures(p, q[0], s);
                vec![p("m") * a[0] + p("gamma") * v[0] - t1 / q[0] + t2 / (p("l") - q[0])]
            },
            temperatures: |p, q, _, s| gas_temperatures(p, q[0], s).to_vec(),
            heating: |p, q, v, s| {
                let [t1, t2] = gas_temperatures(p, q[0], s);
                let (rubbed, into_first) = (p("gamma") * v[0] * v[0], p("kappa") * (t2 - t1));
                vec![p("share") * rubbed + into_first, (1.0 - p("share")) * rubbed - into_first]
            },
            energy: |p, q, v, s| p("m") * v[0] * v[0] / 2.0 + p("c") * gas_temperatures(p, q[0], s).iter().sum::<f64>(),
        },
        HandTypedHeat {
            gallery: "spring-against-gas",
            positions: &[(-0.5, 0.7)],
            velocities: (-2.0, 2.0),
            entropies: (-1.0, 1.0),
            residual: |p, q, v, a, s| {
                let room = p("x0") - q[0];
                let pressure_force = 2.0 * confined_energy(p, room, s[0]) / (3.0 * room);
                vec![p("m") * a[0] + p("mu") * v[0] - p("k") * room + pressure_force]
            },
            temperatures: |p, q, _, s| vec![2.0 * confined_energy(p, p("x0") - q[0], s[0]) / (3.0 * p("NR"))],
            heating: |p, _, v, _| vec![p("mu") * v[0] * v[0]],
            energy: |p, q, v, s| {
                let room = p("x0") - q[0];
                p("m") * v[0] * v[0] / 2.0 + p("k") * room * room / 2.0 + confined_energy(p, room, s[0])
            },
        },
        HandTypedHeat {
            gallery: "spring-in-gas",
            positions: &[(-2.0, 2.0)],
            velocities: (-2.0, 2.0),
            entropies: (-1.0, 2.0),
            residual: |p, q, v, a, _| vec![p("m") * a[0] + p("lambda") * v[0] + p("eta") * q[0]],
            temperatures: |p, _, _, s| vec![p("alpha") * p("U0") * (p("alpha") * (s[0] - p("S0"))).exp()],
            heating: |p, _, v, _| vec![p("lambda") * v[0] * v[0]],
            energy: |p, q, v, s| {
                let gas = p("U0") * (p("alpha") * (s[0] - p("S0"))).exp();
                p("m") * v[0] * v[0] / 2.0 + p("eta") * q[0] * q[0] / 2.0 + gas
            },
        },
        HandTypedHeat {
            gallery: "thermoelastic-double-pendulum",
            positions: &[(-0.3, 0.3), (-1.3, -0.7), (0.6, 1.2), (-1.3, -0.7)],
            velocities: (-2.0, 2.0),
            entropies: (-0.5, 2.0),
            residual: |p, q, _, a, s| {
                let [first, second] = springs(p, q, s);
                let pull = |spring: &Spring| {
                    let stress = (p("k") + p("k1") * p("Tr")) * spring.strain + p("beta") * p("Tr")
                        - spring.temperature * (p("beta") + p("k1") * spring.strain);
                    spring.along.map(|x| stress * x / spring.length_squared)
                };
                let ([f1x, f1y], [f2x, f2y]) = (pull(&first), pull(&second));
                let (m1, m2) = (p("m1"), p("m2"));
                vec![m1 * a[0] + f1x - f2x, m1 * a[1] + f1y - f2y, m2 * a[2] + f2x, m2 * a[3] + f2y]
            },
            temperatures: |p, q, _, s| springs(p, q, s).map(|spring| spring.temperature).to_vec(),
            heating: |p, q, _, s| {
                let [first, second] = springs(p, q, s);
                let into_first = p("kappa") * (second.temperature - first.temperature);
                vec![into_first, -into_first]
            },
            energy: |p, q, v, s| {
                let elastic = |spring: &Spring| {
                    (p("k") + p("k1") * p("Tr")) * spring.strain.powi(2) / 2.0
                        + p("beta") * p("Tr") * spring.strain
                        + p("c") * (spring.temperature - p("Tr"))
                };
                let kinetic = p("m1") * (v[0] * v[0] + v[1] * v[1]) + p("m2") * (v[2] * v[2] + v[3] * v[3]);
                kinetic / 2.0 + springs(p, q, s).iter().map(elastic).sum::<f64>()
            },
        },
        HandTypedHeat {
            gallery: "two-pistons",
            positions: &[(0.5, 2.0), (0.5, 2.0)],
            velocities: (-2.0, 2.0),
            entropies: (-1.0, 2.0),
            residual: |p, q, v, a, s| {
                let c = p("c");
                let push = s[0].exp() * (q[0] + q[1]).powf(-1.0 - 1.0 / c) / c;
                (0..2).map(|j| a[j] + p("gamma") * v[j] - push).collect()
            },
            temperatures: |p, q, _, s| vec![s[0].exp() * (q[0] + q[1]).powf(-1.0 / p("c"))],
            heating: |p, _, v, _| vec![p("gamma") * (v[0] * v[0] + v[1] * v[1])],
            energy: |p, q, v, s| (v[0] * v[0] + v[1] * v[1]) / 2.0 + s[0].exp() * (q[0] + q[1]).powf(-1.0 / p("c")),
        },
        HandTypedHeat {
            gallery: "van-der-waals-piston",
            positions: &[(0.5, 2.0)],
            velocities: (-2.0, 2.0),
            entropies: (-1.0, 2.0),
            residual: |p, q, v, a, s| {
                let pressure = 2.0 / 3.0 * s[0].exp() * (q[0] - p("b")).powf(-5.0 / 3.0);
                vec![a[0] + p("gamma") * v[0] - pressure + p("a") / (q[0] * q[0])]
            },
            temperatures: |p, q, _, s| vec![s[0].exp() * (q[0] - p("b")).powf(-2.0 / 3.0)],
            heating: |p, _, v, _| vec![p("gamma") * v[0] * v[0]],
            energy: |p, q, v, s| v[0] * v[0] / 2.0 + s[0].exp() * (q[0] - p("b")).powf(-2.0 / 3.0) - p("a") / q[0],
        },
    ]
}

/// Sackur and Tetrode: the energies of the gases left and right of the wall at `q`.
fn container_energies(p: Parameters, q: f64, s: &[f64]) -> [f64; 2] {
    let energy = |s: f64, volume: f64| (s.exp() / (p("c") * volume)).powf(2.0 / 3.0);
    [energy(s[0], q), energy(s[1], 2.0 - q)]
}

/// Temperatures of the gases on both sides of the piston at `x`.
fn gas_temperatures(p: Parameters, x: f64, s: &[f64]) -> [f64; 2] {
    let c = p("c");
    [(s[0].exp() / x).powf(1.0 / c) / c, (s[1].exp() / (p("l") - x)).powf(1.0 / c) / c]
}

/// Energy of the gas in front of the wall.
fn confined_energy(p: Parameters, room: f64, s: f64) -> f64 {
    let volume = p("A") * room / p("V0");
    p("U0") * (2.0 * (s - p("S0")) / (3.0 * p("NR"))).exp() / volume.powf(2.0 / 3.0)
}

fn bar_temperatures(p: Parameters, s: &[f64]) -> Vec<f64> {
    s.iter().map(|s| p("Tm") * (s / p("c")).exp()).collect()
}

/// One spring of the thermoelastic double pendulum.
struct Spring {
    along: [f64; 2],
    length_squared: f64,
    strain: f64,
    temperature: f64,
}

fn springs(p: Parameters, q: &[f64], s: &[f64]) -> [Spring; 2] {
    let spring = |along: [f64; 2], rest: f64, s: f64| {
        let length_squared = along[0] * along[0] + along[1] * along[1];
        let strain = (length_squared.sqrt() / rest).ln();
        let cold = s - p("beta") * strain - p("k1") * strain * strain / 2.0;
        Spring { along, length_squared, strain, temperature: p("Tr") * (cold / p("c")).exp() }
    };
    [spring([q[0], q[1]], p("l1"), s[0]), spring([q[2] - q[0], q[3] - q[1]], p("l2"), s[1])]
}
