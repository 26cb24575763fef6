//! Systems with entropy. Heat comes from friction, from conduction and from outside.

use super::{AROUND_ZERO, DISTANCE, HandTyped, Range, Sample, typed};

const UPPER_MASSES: [Range; 4] = [(-0.3, 0.3), (-1.3, -0.7), (0.6, 1.2), (-1.3, -0.7)];

pub fn systems() -> Vec<HandTyped> {
    let cart = typed("cart-with-friction", &[AROUND_ZERO], |Sample { p, v, a, s, .. }| {
        let temperature = p("T0") * ((s[0] - p("S0")) / p("nu")).exp();
        let energy = p("m") * v[0] * v[0] / 2.0 + p("nu") * temperature;
        vec![p("m") * a[0] + p("mu") * v[0], temperature, p("mu") * v[0] * v[0], energy]
    });
    let contact = typed("contact-oscillator", &[AROUND_ZERO], |Sample { p, q, v, a, s, .. }| {
        let (m, k, gamma) = (p("m"), p("k"), p("gamma"));
        let energy = m * v[0] * v[0] / 2.0 + k * q[0] * q[0] / 2.0 + gamma * s[0];
        vec![m * (a[0] + gamma * v[0]) + k * q[0], gamma, gamma * m * v[0] * v[0], energy]
    });
    let damped = typed("damped-oscillator", &[AROUND_ZERO], |Sample { p, q, v, a, s, .. }| {
        let gamma = p("gamma");
        let energy = v[0] * v[0] / 2.0 + q[0] * q[0] / 2.0 + gamma * s[0];
        vec![a[0] + gamma * v[0] + q[0], gamma, gamma * v[0] * v[0], energy]
    });
    let containers = typed("gas-containers", &[(0.3, 1.7)], |Sample { p, q, v, a, s, .. }| {
        // Sackur and Tetrode: the energies of the gases left and right of the wall.
        let energy = |s: f64, volume: f64| (s.exp() / (p("c") * volume)).powf(2.0 / 3.0);
        let (e1, e2) = (energy(s[0], q[0]), energy(s[1], 2.0 - q[0]));
        let into_first = p("alpha") * 1.5 * (1.0 / e1 - 1.0 / e2);
        let residual = p("m") * a[0] - 2.0 * e1 / (3.0 * q[0]) + 2.0 * e2 / (3.0 * (2.0 - q[0]));
        let energy = p("m") * v[0] * v[0] / 2.0 + e1 + e2;
        vec![residual, 2.0 * e1 / 3.0, 2.0 * e2 / 3.0, into_first, -into_first, energy]
    });
    let bar = typed("heat-bar", &[], |Sample { p, s, .. }| {
        let t: Vec<f64> = s.iter().map(|s| p("Tm") * (s / p("c")).exp()).collect();
        let n = t.len();
        let heating = |i: usize| p("kappa") * (t[(i + 1).min(n - 1)] - 2.0 * t[i] + t[i.saturating_sub(1)]);
        t.iter().copied().chain((0..n).map(heating)).chain([p("c") * t.iter().sum::<f64>()]).collect()
    });
    let ideal = typed("ideal-gas-piston", &[DISTANCE], |Sample { p, q, v, a, s, .. }| {
        let (c, gamma) = (p("c"), p("gamma"));
        let temperature = s[0].exp() * q[0].powf(-1.0 / c);
        let residual = a[0] + gamma * v[0] - s[0].exp() * q[0].powf(-1.0 - 1.0 / c) / c;
        vec![residual, temperature, gamma * v[0] * v[0], v[0] * v[0] / 2.0 + temperature]
    });
    let between = typed("piston-between-gases", &[(0.3, 1.7)], |Sample { p, q, v, a, s, .. }| {
        let (c, room) = (p("c"), p("l") - q[0]);
        let [t1, t2] = [s[0].exp() / q[0], s[1].exp() / room].map(|x| x.powf(1.0 / c) / c);
        let (rubbed, into_first) = (p("gamma") * v[0] * v[0], p("kappa") * (t2 - t1));
        let residual = p("m") * a[0] + p("gamma") * v[0] - t1 / q[0] + t2 / room;
        let heating = [p("share") * rubbed + into_first, (1.0 - p("share")) * rubbed - into_first];
        vec![residual, t1, t2, heating[0], heating[1], p("m") * v[0] * v[0] / 2.0 + c * (t1 + t2)]
    });
    let against = typed("spring-against-gas", &[(-0.5, 0.7)], |Sample { p, q, v, a, s, .. }| {
        let (m, k, mu, room) = (p("m"), p("k"), p("mu"), p("x0") - q[0]);
        let volume = p("A") * room / p("V0");
        let gas = p("U0") * (2.0 * (s[0] - p("S0")) / (3.0 * p("NR"))).exp() / volume.powf(2.0 / 3.0);
        vec![
            m * a[0] + mu * v[0] - k * room + 2.0 * gas / (3.0 * room),
            2.0 * gas / (3.0 * p("NR")),
            mu * v[0] * v[0],
            m * v[0] * v[0] / 2.0 + k * room * room / 2.0 + gas,
        ]
    });
    let inside = typed("spring-in-gas", &[AROUND_ZERO], |Sample { p, q, v, a, s, .. }| {
        let (m, eta, lambda) = (p("m"), p("eta"), p("lambda"));
        let gas = p("U0") * (p("alpha") * (s[0] - p("S0"))).exp();
        let energy = m * v[0] * v[0] / 2.0 + eta * q[0] * q[0] / 2.0 + gas;
        vec![m * a[0] + lambda * v[0] + eta * q[0], p("alpha") * gas, lambda * v[0] * v[0], energy]
    });
    let thermoelastic = typed("thermoelastic-double-pendulum", &UPPER_MASSES, |Sample { p, q, v, a, s, .. }| {
        let (m1, m2, k, k1, beta, tr) = (p("m1"), p("m2"), p("k"), p("k1"), p("beta"), p("Tr"));
        // The temperature of a spring, its pull along both axes, and its energy.
        let spring = |along: [f64; 2], rest: f64, s: f64| {
            let length_squared = along[0] * along[0] + along[1] * along[1];
            let strain = (length_squared.sqrt() / rest).ln();
            let temperature = tr * ((s - beta * strain - k1 * strain * strain / 2.0) / p("c")).exp();
            let stress = (k + k1 * tr) * strain + beta * tr - temperature * (beta + k1 * strain);
            let elastic = (k + k1 * tr) * strain.powi(2) / 2.0 + beta * tr * strain + p("c") * (temperature - tr);
            (temperature, along.map(|x| stress * x / length_squared), elastic)
        };
        let (t1, f1, e1) = spring([q[0], q[1]], p("l1"), s[0]);
        let (t2, f2, e2) = spring([q[2] - q[0], q[3] - q[1]], p("l2"), s[1]);
        let kinetic = (m1 * (v[0] * v[0] + v[1] * v[1]) + m2 * (v[2] * v[2] + v[3] * v[3])) / 2.0;
        let upper = [m1 * a[0] + f1[0] - f2[0], m1 * a[1] + f1[1] - f2[1]];
        let rest = [t1, t2, p("kappa") * (t2 - t1), p("kappa") * (t1 - t2), kinetic + e1 + e2];
        [&upper[..], &[m2 * a[2] + f2[0], m2 * a[3] + f2[1]], &rest].concat()
    });
    let two = typed("two-pistons", &[DISTANCE, DISTANCE], |Sample { p, q, v, a, s, .. }| {
        let (c, gamma, room) = (p("c"), p("gamma"), q[0] + q[1]);
        let (gas, push) = (s[0].exp() * room.powf(-1.0 / c), s[0].exp() * room.powf(-1.0 - 1.0 / c) / c);
        let squares = v[0] * v[0] + v[1] * v[1];
        let residuals = [0, 1].map(|j| a[j] + gamma * v[j] - push);
        vec![residuals[0], residuals[1], gas, gamma * squares, squares / 2.0 + gas]
    });
    let van_der_waals = typed("van-der-waals-piston", &[DISTANCE], |Sample { p, q, v, a, s, .. }| {
        let (gamma, room) = (p("gamma"), q[0] - p("b"));
        let temperature = s[0].exp() * room.powf(-2.0 / 3.0);
        let pressure = 2.0 / 3.0 * s[0].exp() * room.powf(-5.0 / 3.0);
        let energy = v[0] * v[0] / 2.0 + temperature - p("a") / q[0];
        vec![a[0] + gamma * v[0] - pressure + p("a") / (q[0] * q[0]), temperature, gamma * v[0] * v[0], energy]
    });
    let cool = [cart, bar, containers, between, against].map(|system| HandTyped { entropies: (-0.5, 0.5), ..system });
    cool.into_iter().chain([contact, damped, ideal, inside, thermoelastic, two, van_der_waals]).collect()
}
