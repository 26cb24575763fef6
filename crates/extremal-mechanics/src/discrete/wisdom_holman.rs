//! Bodies about one that dominates, or about a fixed centre: exact Kepler motions between kicks of all other forces.
//!
//! In democratic heliocentric variables, r_k = q_k − q_0 and velocities u_k beside that of the centre of mass, the Hamiltonian is one of
//! Kepler motions that know nothing of each other, one of the dominating body, (Σ m_k u_k)²/2m_0, and one of what is left of the potential.
//! A step takes half of the last, half of the second, the first, and both again (K14). The Kepler motion is written in universal variables
//! (K15), for every kind of orbit; its equation is solved by so many iterations that are part of the formula, and a guard looks at what
//! they leave.

use extremal_expr::{Expr, Function, Function2, Graph, Node, Rational, Relation};

use super::builder::SchemeBuilder;
use super::constrained::has_constant_masses;
use super::scheme::{Equation, Scheme, SchemeGuard};
use crate::{System, summands};

/// Iterations by Laguerre's method, from a start after Danby: four do for eccentricities up to 0.7, five up to 0.95, six up to 0.999.
const ITERATIONS: usize = 6;
/// The series are taken at z/4^3 with so many terms, of which the last is round-off for |z| up to 40.
const QUARTERS: usize = 3;
const TERMS: i64 = 8;
/// Just below (2π)²: one revolution.
const LONGEST: i64 = 39;
/// Of the terms of Kepler's equation, what may be left of it.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// A body on its orbit.
struct Orbit<'g> {
    /// Its coordinates.
    own: Vec<usize>,
    mass: Expr<'g>,
    /// c of the potential −c/r.
    strength: Expr<'g>,
}

/// What dominates, and what goes about it.
struct Dominated<'g> {
    /// The coordinates of the dominating body; none for a fixed centre.
    centre: Vec<usize>,
    orbits: Vec<Orbit<'g>>,
    /// The Lagrangian without the potentials of these orbits.
    rest: Expr<'g>,
    masses: Vec<Expr<'g>>,
}

/// The vector whose length is in a potential: the coordinates of two bodies, of which the first in the model may be missing.
struct Separation {
    centre: Vec<usize>,
    own: Vec<usize>,
}

/// The scheme, if the first coordinate is that of a body that dominates, or that goes about a fixed centre.
pub(super) fn wisdom_holman<'g>(system: &System<'g>, name: String) -> Option<Scheme> {
    let (g, h) = (system.graph, system.step());
    let Dominated { centre, orbits, rest, masses } = Dominated::find(system)?;
    let slopes = g.gradient(rest, &system.q).into_iter().zip(&system.force);
    let forces: Vec<Expr<'g>> = slopes.map(|(slope, force)| slope + *force).collect();
    let kicked: Vec<Expr<'g>> =
        system.p.iter().zip(&forces).map(|(p, force)| (*p + h / 2 * *force).grouped()).collect();
    let mut q: Vec<Expr<'g>> = (0..system.len()).map(|at| system.q[at] + h * kicked[at] / masses[at]).collect();
    let mut p = kicked.clone();

    let heavy = centre.first().map(|at| masses[*at]);
    let total = g.sum(heavy.into_iter().chain(orbits.iter().map(|orbit| orbit.mass)));
    let axes = orbits[0].own.len();
    // Of the centre of mass, by axis; a fixed centre does not move.
    let common: Vec<Expr<'g>> = (0..axes)
        .map(|axis| match centre.get(axis) {
            Some(at) => {
                let momenta = [*at].into_iter().chain(orbits.iter().map(|orbit| orbit.own[axis]));
                (g.sum(momenta.map(|at| kicked[at])) / total).grouped()
            }
            None => g.int(0),
        })
        .collect();
    let velocities: Vec<Vec<Expr<'g>>> = orbits
        .iter()
        .map(|orbit| (0..axes).map(|axis| (kicked[orbit.own[axis]] / orbit.mass - common[axis]).grouped()).collect())
        .collect();
    // How fast the dominating body goes the other way.
    let against = |velocities: &[Vec<Expr<'g>>]| -> Vec<Expr<'g>> {
        let axis = |axis: usize| match heavy {
            Some(heavy) => {
                let shares = orbits.iter().zip(velocities).map(|(orbit, u)| orbit.mass * u[axis]);
                (g.sum(shares.collect::<Vec<_>>()) / heavy).grouped()
            }
            None => g.int(0),
        };
        (0..axes).map(axis).collect()
    };
    let before = against(&velocities);
    let mut guards = Vec::new();
    let mut moved = Vec::new();
    let mut after = Vec::new();
    for (orbit, u) in orbits.iter().zip(&velocities) {
        let place = |axis: usize| {
            let from = centre.get(axis).map_or(g.int(0), |at| system.q[*at]);
            (system.q[orbit.own[axis]] - from + h / 2 * before[axis]).grouped()
        };
        let places: Vec<Expr<'g>> = (0..axes).map(place).collect();
        let way = KeplerMotion::new(g, &places, u, orbit.strength / orbit.mass, h);
        guards.extend(way.guards(&system.names[orbit.own[0]], h));
        after.push(u.iter().zip(&way.velocities).map(|(u, change)| (*u + *change).grouped()).collect::<Vec<_>>());
        moved.push(way);
    }
    let behind = against(&after);
    let shifts: Vec<Vec<Expr<'g>>> = moved
        .iter()
        .map(|way| (0..axes).map(|axis| (way.places[axis] + h / 2 * (before[axis] + behind[axis])).grouped()).collect())
        .collect();
    for axis in 0..axes {
        let shares = |changes: &dyn Fn(usize) -> Expr<'g>| -> Vec<Expr<'g>> {
            orbits.iter().enumerate().map(|(k, orbit)| orbit.mass * changes(k)).collect()
        };
        let mut carried = g.int(0);
        if let Some(at) = centre.get(axis) {
            carried = (h * common[axis] - g.sum(shares(&|k| shifts[k][axis])) / total).grouped();
            q[*at] = system.q[*at] + carried;
            p[*at] = kicked[*at] - g.sum(shares(&|k| moved[k].velocities[axis]));
        }
        for (k, orbit) in orbits.iter().enumerate() {
            let at = orbit.own[axis];
            q[at] = system.q[at] + (carried + shifts[k][axis]).grouped();
            p[at] = kicked[at] + orbit.mass * moved[k].velocities[axis];
        }
    }
    let q: Vec<Expr<'g>> = q.into_iter().map(Expr::grouped).collect();
    let mut rules: Vec<(Expr<'g>, Expr<'g>)> = system.q.iter().copied().zip(q.iter().copied()).collect();
    rules.push((system.t, system.t + h));
    let last = g.substitute(&forces, &rules);
    let p: Vec<Expr<'g>> = p.into_iter().zip(last).map(|(p, force)| p + h / 2 * force).collect();
    let next = [q, p, system.carried()].concat();
    let half = system.symbols("p_", "_half");
    let equations = (0..system.len()).map(|at| {
        Equation::new(
            format!("momentum of {} after the first kick", system.names[at]),
            half[at],
            system.p[at] + h / 2 * forces[at],
        )
    });
    let about: Vec<String> = orbits.iter().map(|orbit| system.names[orbit.own[0]].clone()).collect();
    let note = format!(
        "A step of size {h}: half a kick by all forces but those to the centre, as below; Kepler motions of the bodies of {} about it, in \
         democratic heliocentric variables; half a kick again.",
        about.join(", ")
    );
    let scheme = SchemeBuilder::of_momenta(system).step(name, Vec::new(), &next);
    Some(Scheme { guards, equations: equations.collect(), note, ..scheme })
}

impl<'g> Dominated<'g> {
    fn find(system: &System<'g>) -> Option<Dominated<'g>> {
        let g = system.graph;
        if !has_constant_masses(system) || system.len() < 2 {
            return None;
        }
        let masses: Vec<Expr<'g>> =
            g.jacobian(&system.momenta(), &system.v).into_iter().flatten().map(|(_, mass)| mass).collect();
        let moving = [&system.q[..], &system.v].concat();
        let mut found = Vec::new();
        let mut others = Vec::new();
        for term in summands(system.lagrangian, &moving) {
            match potential(system, term) {
                Some((strength, separation)) => found.push((term, strength, separation)),
                None => others.push(term),
            }
        }
        let centre = found.iter().find(|(_, _, vector)| vector.centre.contains(&0) || vector.own.contains(&0))?;
        let centre = centre.2.centre.clone();
        let mut orbits: Vec<Orbit<'g>> = Vec::new();
        for (term, strength, Separation { centre: about, own }) in found {
            let alike = own.iter().all(|at| masses[*at] == masses[own[0]]);
            if about != centre || !alike {
                others.push(term);
                continue;
            }
            match orbits.iter_mut().find(|orbit| orbit.own.iter().any(|at| own.contains(at))) {
                Some(orbit) if orbit.own == own => orbit.strength = orbit.strength + strength,
                Some(_) => others.push(term),
                None => orbits.push(Orbit { mass: masses[own[0]], own, strength }),
            }
        }
        let axes = orbits.first()?.own.len();
        let alike = orbits.iter().all(|orbit| orbit.own.len() == axes)
            && centre.iter().all(|at| masses[*at] == masses[centre[0]]);
        let rest = g.sum(others);
        // Gyroscopic terms and friction are no kicks.
        let forces: Vec<Expr<'g>> =
            g.gradient(rest, &system.q).into_iter().chain(system.force.iter().copied()).collect();
        let others = [&system.q[..], &[system.t]].concat();
        let plain = !g.depend_on(&forces, &system.v).contains(&true)
            && !g.depend_on(&system.momenta(), &others).contains(&true);
        (alike && plain).then_some(Dominated { centre, orbits, rest, masses })
    }
}

/// The c of a term c/|r|, and its vector r, whose components are coordinates or differences of two.
fn potential<'g>(system: &System<'g>, term: Expr<'g>) -> Option<(Expr<'g>, Separation)> {
    let g = system.graph;
    let roots = g.reachable(&[term.id()]).into_iter().filter_map(|id| match g.expr(id).node() {
        Node::Root(square, 2) => Some(g.expr(square)),
        _ => None,
    });
    let moving = [&system.q[..], &system.v, &[system.t]].concat();
    for square in roots {
        let strength = term * square.sqrt();
        if !strength.depends_on(&moving)
            && let Some(separation) = separation(system, square)
        {
            return Some((strength, separation));
        }
    }
    None
}

fn separation<'g>(system: &System<'g>, square: Expr<'g>) -> Option<Separation> {
    let g = system.graph;
    let Node::Sum { constant, terms } = square.node() else { return None };
    if !constant.is_zero() {
        return None;
    }
    let coordinate = |id| system.q.iter().position(|q| q.id() == id);
    let mut components = Vec::new();
    for (term, coefficient) in terms.iter() {
        let Node::Product(factors) = g.expr(*term).node() else { return None };
        let [(base, 2)] = factors[..] else { return None };
        if !coefficient.is_one() {
            return None;
        }
        components.push(match g.expr(base).node() {
            Node::Sum { constant, terms } => match &terms[..] {
                [(a, of_a), (b, of_b)] if constant.is_zero() && (of_a + of_b).is_zero() && of_a.abs().is_one() => {
                    let (a, b) = (coordinate(*a)?, coordinate(*b)?);
                    (Some(a.min(b)), a.max(b))
                }
                _ => return None,
            },
            _ => (None, coordinate(base)?),
        });
    }
    components.sort_unstable();
    let own = components.iter().map(|(_, own)| *own).collect();
    let centre: Vec<usize> = components.iter().filter_map(|(centre, _)| *centre).collect();
    (centre.is_empty() || centre.len() == components.len()).then_some(Separation { centre, own })
}

/// How a Kepler motion r'' = −k r/|r|³ goes on for a time, and what tells how well it is known.
struct KeplerMotion<'g> {
    /// Changes of position and velocity, by axis.
    places: Vec<Expr<'g>>,
    velocities: Vec<Expr<'g>>,
    /// β s², the square of the way in eccentric anomaly.
    way: Expr<'g>,
    residual: Expr<'g>,
    size: Expr<'g>,
}

impl<'g> KeplerMotion<'g> {
    fn new(g: &'g Graph, q: &[Expr<'g>], u: &[Expr<'g>], k: Expr<'g>, h: Expr<'g>) -> KeplerMotion<'g> {
        let r = g.dot(q, q).sqrt();
        let eta = g.dot(q, u).grouped();
        let beta = (k * 2 / r - g.dot(u, u)).grouped();
        let zeta = (k - beta * r).grouped();
        // With ξ = β s² and the functions c_n(ξ), G_n = s^n c_n: Kepler's equation is r s + η G_2 + ζ G_3 = h.
        let at = |s: Expr<'g>| {
            let square = s * s;
            let [c0, c1, c2, c3] = series(g, (beta * square).grouped());
            [c0, s * c1, square * c2, square * s * c3]
        };
        let equation = |s: Expr<'g>, [_, _, g2, g3]: [Expr<'g>; 4]| (r * s + eta * g2 + zeta * g3 - h).grouped();
        let distance = |[_, g1, g2, _]: [Expr<'g>; 4]| (r + eta * g1 + zeta * g2).grouped();
        let mut s = start(g, r, eta, beta, k, h);
        for _ in 0..ITERATIONS {
            let powers = at(s);
            let (left, slope) = (equation(s, powers), distance(powers));
            let bend = eta * powers[0] + zeta * powers[1];
            let root = (slope * slope * 16 - left * bend * 20).abs().sqrt();
            s = (s - left * 5 / (slope + root)).grouped();
        }
        let powers = at(s);
        let [_, g1, g2, g3] = powers;
        let r_end = distance(powers);
        let (f, by_u) = (-(k * g2) / r, h - k * g3);
        let (f_rate, by_u_rate) = (-(k * g1) / (r * r_end), -(k * g2) / r_end);
        let along = |by_q: Expr<'g>, by_u: Expr<'g>| -> Vec<Expr<'g>> {
            let (by_q, by_u) = (by_q.grouped(), by_u.grouped());
            q.iter().zip(u).map(|(q, u)| (by_q * *q + by_u * *u).grouped()).collect()
        };
        KeplerMotion {
            places: along(f, by_u),
            velocities: along(f_rate, by_u_rate),
            way: beta * s * s,
            residual: equation(s, powers),
            size: (r * s).abs() + (eta * g2).abs() + (zeta * g3).abs() + h.abs(),
        }
    }

    fn guards(&self, body: &str, h: Expr<'g>) -> [SchemeGuard; 2] {
        let g = h.graph();
        let tolerance = g.float(ROUND_OFF).unwrap_or(g.int(0));
        let solved = g.compare(Relation::Le, self.residual.abs(), tolerance * self.size);
        let short = g.compare(Relation::Le, self.way.abs(), g.int(LONGEST));
        [
            SchemeGuard {
                label: format!("the step is shorter than the revolution of the body of {body}"),
                condition: short.id(),
            },
            SchemeGuard { label: format!("Kepler's equation of the body of {body} is solved"), condition: solved.id() },
        ]
    }
}

/// A first guess: for bound orbits after Danby, from the mean anomaly and 0.85 e to the side of the true one; for short ways and open
/// orbits the root of |r| s + η s²/2 + κ s³/6 = h, which is Kepler's equation itself on a parabola, with κ = ζ on a hyperbola.
fn start<'g>(g: &'g Graph, r: Expr<'g>, eta: Expr<'g>, beta: Expr<'g>, k: Expr<'g>, h: Expr<'g>) -> Expr<'g> {
    let frequency = beta.abs().sqrt();
    let sine = eta * frequency / k;
    let cosine = g.int(1) - r * beta / k;
    let mean = (h * beta * frequency / k - sine).grouped();
    let turned = sine * mean.cos() + cosine * mean.sin();
    let far = (sine * sine + cosine * cosine).sqrt() * 17 / 20;
    let aside = g.select(g.compare(Relation::Lt, turned, g.int(0)), -far, far);

    let curved = (k - g.call2(Function2::Min, beta, g.int(0)) * r).grouped();
    let third = (eta / curved).grouped();
    let linear = r * 2 / curved - third.powi(2);
    let constant = (third.powi(3) - (third * r + h) * 3 / curved).grouped();
    let root = (constant.powi(2) + linear.powi(3)).sqrt().grouped();
    let cube = |e: Expr<'g>| e.call(Function::Cbrt);
    let open = (cube(root - constant) - cube(root + constant) - third).grouped();
    let long = g.compare(Relation::Lt, g.rational(Rational::new(1, 10).unwrap_or(Rational::ONE)), beta * open.powi(2));
    g.select(long, (mean + aside) / frequency, open)
}

/// c_n(z) = Σ (−z)^k/(2k + n)!, n = 0 … 3, from the series at a small z and those at four times as much.
fn series<'g>(g: &'g Graph, z: Expr<'g>) -> [Expr<'g>; 4] {
    let mut z = z / 4i64.pow(QUARTERS as u32);
    let sum = |first: i64| {
        let inverse = |k: i64| (1..=2 * k + first).fold(g.int(1), |product, factor| product / factor);
        (0..TERMS - 1).rev().fold(inverse(TERMS - 1), |sum, k| inverse(k) - z * sum).grouped()
    };
    let (mut c2, mut c3) = (sum(2), sum(3));
    let mut c1 = (g.int(1) - z * c3).grouped();
    let mut c0 = (g.int(1) - z * c2).grouped();
    for _ in 0..QUARTERS {
        c3 = ((c2 + c0 * c3) / 4).grouped();
        c2 = c1 * c1 / 2;
        c1 = c0 * c1;
        z = z * 4;
        c0 = (g.int(1) - z * c2).grouped();
    }
    [c0, c1, c2, c3]
}
