//! Motions of linear steps in closed form: x_k by the roots of the characteristic polynomial.

use extremal_mechanics::System;
use extremal_mechanics::discrete::{LinearRecurrence, Scheme};
use extremal_model::Start;

use super::{Pages, of};

/// A chain of alike coordinates needs no page for each.
const MOST_COORDINATES: usize = 6;
/// Longer coefficients are not printed.
const LONGEST: usize = 300;

/// What z² − A z + B = 0 has, for the present parameters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Roots {
    Complex,
    Double,
    Real,
}

/// The closed form of each coordinate, where the step of `scheme` is a linear recurrence for it. `values` are those of parameters and
/// of the step.
pub(super) fn closed_forms<'m>(
    system: &System<'m>,
    scheme: &Scheme,
    start: Start,
    values: impl Fn(&str) -> Option<f64>,
    pages: &mut Pages<'m>,
) {
    if system.len() > MOST_COORDINATES {
        return;
    }
    let Some(recurrences) = scheme.recurrences(system) else { return };
    for recurrence in &recurrences {
        closed_form(system, recurrence, start, &values, pages);
    }
}

fn closed_form<'m>(
    system: &System<'m>,
    recurrence: &LinearRecurrence<'m>,
    start: Start,
    values: impl Fn(&str) -> Option<f64>,
    pages: &mut Pages<'m>,
) {
    let g = system.graph;
    let LinearRecurrence { trace, determinant, constant, .. } = *recurrence;
    // Of several names the first that is free: k is often a spring.
    let free = |names: [&str; 3]| {
        let is_free = |name: &&str| system.symbol(name).to_string() == **name;
        system.symbol(names.iter().find(|name| is_free(name)).unwrap_or(&names[0]))
    };
    let k = free(["k", "n", "j"]);
    let at = |suffix: &str| system.symbols("", suffix)[recurrence.coordinate];
    let (x_0, x_1, x_k) = (at("_0"), at("_1"), at(&format!("_{k}")));
    let [is_one, is_constant] = [determinant - 1, constant].map(|part| g.vanishes(part, &[]) == Some(true));
    let is_centred = !is_constant && g.vanishes(g.int(1) - trace + determinant, &[]) == Some(false);
    let [a, c] = [system.symbol("A"), system.symbol("C")];
    let b = if is_one { g.int(1) } else { system.symbol("B") };

    let mut lines = vec![(of(a), trace)];
    if !is_one {
        lines.push((of(b), determinant));
    }
    if !is_constant {
        lines.push((of(c), constant));
    }
    if start == Start::Legendre {
        lines.push((of(x_1), recurrence.first));
    }
    // Around the point of rest, where there is one; else a motion that grows with the steps.
    let rest = if is_centred { c / (g.int(1) - a + b) } else { g.int(0) };
    let (y_0, y_1) = (x_0 - rest, x_1 - rest);
    let seen = g.evaluate(&[trace, determinant], &values);
    let discriminant = seen[0] * seen[0] - 4.0 * seen[1];
    // A double root is one by algebra; round-off of the step would make it two.
    let roots = if g.vanishes(trace.powi(2) - determinant * 4, &[]) == Some(true) {
        Roots::Double
    } else if discriminant < 0.0 {
        Roots::Complex
    } else if discriminant > 0.0 {
        Roots::Real
    } else {
        return;
    };
    let drift = if is_constant || is_centred {
        g.int(0)
    } else if roots == Roots::Double {
        // Both roots are one.
        c * k * (k - 1) / 2
    } else {
        c * k / (g.int(1) - b)
    };
    // What the drift has done at the first step is no part of the rest.
    let y_1 = y_1 - drift.substitute(&[(k, g.int(1))]);
    let form = match roots {
        Roots::Complex => {
            let angle = free(["theta", "phi", "psi"]);
            lines.push((of(angle.cos()), a / (b.sqrt() * 2)));
            let scale = b.pow((k - 1) / 2);
            scale * (y_1 * (angle * k).sin() - b.sqrt() * y_0 * (angle * (k - 1)).sin()) / angle.sin()
        }
        Roots::Double => {
            let z = g.simplified(trace / 2);
            z.pow(k) * y_0 + k * z.pow(k - 1) * (y_1 - z * y_0)
        }
        Roots::Real => {
            let z = system.symbol("z_1");
            let other = system.symbol("z_2");
            let root = (a.powi(2) - b * 4).sqrt();
            lines.push((of(z), (a + root) / 2));
            lines.push((of(other), (a - root) / 2));
            ((y_1 - other * y_0) * z.pow(k) - (y_1 - z * y_0) * other.pow(k)) / (z - other)
        }
    };
    lines.push((of(x_k), rest + drift + form));
    let [now, before, after] = [format!("_{k}"), format!("_({k} - 1)"), format!("_({k} + 1)")];
    let name = &system.names[recurrence.coordinate];
    let last = if is_one { String::new() } else { format!("{b}*") };
    let constant = if is_constant { String::new() } else { format!(" + {c}") };
    let polynomial = format!("z^2 - {a}*z + {b}");
    let kind = match roots {
        Roots::Complex => format!("with complex roots of {polynomial} for the parameters of the model"),
        Roots::Double => format!("with a double root of {polynomial}"),
        Roots::Real => format!("with real roots of {polynomial} for the parameters of the model"),
    };
    let note = format!("The step is {name}{after} = {a}*{name}{now} - {last}{name}{before}{constant}, {kind}.");
    // Coefficients of high-order methods fill pages.
    if lines.iter().all(|(_, right)| right.to_string().len() <= LONGEST) {
        pages.as_written("Closed form of the steps", note, lines);
    }
}
