//! Forms on the phase space and of a step, and the matrices of its regularity, against formulas typed by hand.

use extremal_engine::analyze::{AnalysisExtent, Findings, StepFindings, StepFormulas, StepMeasures, analyze};
use extremal_engine::expr::Expr;
use extremal_engine::mechanics::analysis::SearchBounds;
use extremal_engine::mechanics::geometry::{GeometricStatement, IdentityVerdict};
use extremal_engine::{Model, Settings};

use extremal_testkit::analyses::{assert_equal, typed};
use extremal_testkit::models::model;
use extremal_testkit::runs::{gallery, gallery_with, with};

/// Round-off of a step and its derivative, relative: entries of the forms are about 1/h = 100, their differences about 1.
const ROUND_OFF: f64 = 1e-10;

pub(super) fn seen<'m>(model: &'m Model, method: &str, step: f64) -> Findings<'m> {
    let extent = AnalysisExtent {
        search: SearchBounds { degree: 1, candidates: 8 },
        geometry: true,
        ..AnalysisExtent::default()
    };
    analyze(model, &with(model, method, step), extent)
}

fn step_of<'a, 'm>(found: &'a Findings<'m>) -> &'a StepFindings<'m> {
    found.step_geometry.as_ref().unwrap()
}

pub(super) fn formulas<'a, 'm>(found: &'a Findings<'m>) -> &'a StepFormulas<'m> {
    step_of(found).formulas.as_ref().unwrap_or_else(|| panic!("{:?}", step_of(found).left_out))
}

fn measured<'a>(found: &'a Findings<'_>) -> &'a StepMeasures {
    step_of(found).measured.as_ref().unwrap_or_else(|| panic!("{:?}", step_of(found).left_out))
}

fn verdict(found: &Findings<'_>, statement: GeometricStatement) -> IdentityVerdict {
    let phase = found.phase.as_ref().unwrap().as_ref().unwrap_or_else(|reason| panic!("{reason:?}"));
    phase.statements.iter().find(|(one, _)| *one == statement).unwrap().1
}

pub(super) fn close(ours: f64, by_hand: f64, tolerance: f64) {
    assert!((ours - by_hand).abs() <= tolerance, "{ours} is not {by_hand}");
}

/// ω at the first step: the coefficient of dx_i ∧ dx_j.
fn coefficient(found: &Findings<'_>, side: usize, i: usize, j: usize) -> f64 {
    let first = step_of(found).first.as_ref().unwrap();
    first.two_forms.as_ref().unwrap()[side][i * first.at.len() + j]
}

#[test]
fn the_forms_of_the_first_step_of_the_ideal_gas() {
    // x_0 = x_1 = 1, S_0 = 10, h = 0.01, L_d = h L at the middle: D1D2 L_d = -1/h - h (10/9) e^S/4, D_S D1 L_d = h e^S/3, and
    // each force adds gamma/2.
    let piston = gallery("ideal-gas-piston");
    let found = seen(&piston, "midpoint", 0.01);
    let (h, gamma, energy) = (0.01, 0.1, 10f64.exp());
    let (mixed, heated) = (1.0 / h + h * energy * 10.0 / 36.0, h * energy / 3.0);
    let at: Vec<f64> = step_of(&found).first.as_ref().unwrap().at.iter().map(|(_, value)| *value).collect();
    assert_eq!(at, [1.0, 1.0, 10.0]);
    // A handful of operations on numbers of about 200.
    for (side, i, j, by_hand) in [
        (0, 0, 1, mixed + gamma / 2.0),
        (0, 0, 2, -heated),
        (1, 0, 1, mixed - gamma / 2.0),
        (1, 1, 2, heated),
        (0, 1, 2, 0.0),
        (1, 0, 2, 0.0),
    ] {
        close(coefficient(&found, side, i, j), by_hand, 1e-11);
    }
    // As they are printed with seven digits.
    for (side, i, j, printed) in [(0, 0, 1, 161.2346), (0, 0, 2, -73.4216), (1, 0, 1, 161.1346), (1, 1, 2, 73.4216)] {
        close(coefficient(&found, side, i, j), printed, 5e-5);
    }
    // The same as formulas.
    let [minus, plus] = formulas(&found).two_forms.as_ref().unwrap();
    let mixed = "1/h + h*exp(S_0)/4*(1/c)*(1/c + 1)*((x_0 + x_1)/2)^(-1/c - 2)";
    let heated = "h*exp(S_0)/(2*c)*((x_0 + x_1)/2)^(-1/c - 1)";
    let at = |text: &str| value(&piston, typed(&piston, text), &[("x_0", 1.3), ("x_1", 1.1), ("S_0", 0.7)]);
    let ours = |e: Expr<'_>| value(&piston, e, &[("x_0", 1.3), ("x_1", 1.1), ("S_0", 0.7)]);
    close(ours(minus.matrix[1]), at(&format!("{mixed} + gamma/2")), 1e-11);
    close(ours(minus.matrix[2]), at(&format!("-{heated}")), 1e-11);
    close(ours(plus.matrix[1]), at(&format!("{mixed} - gamma/2")), 1e-11);
    close(ours(plus.matrix[5]), at(heated), 1e-11);
    // Φ*ω− = ω+ along the motion, and the converse fails. Here displacements grow, by 1/h in some directions.
    assert!(measured(&found).pull_back.unwrap() < 1e-8, "{:?}", measured(&found));
    assert_eq!(formulas(&found).equal, Some(IdentityVerdict::Failed));
}

/// [TP] theorem 6, with the signs of (F14): the friction of the step at both ends and what L_d says of the temperature. On the displacement of a
/// step it is the rule for the entropy.
#[test]
fn the_form_of_the_entropy_of_a_step() {
    let piston = gallery("ideal-gas-piston");
    let by_hand = [
        ("left", "gamma*(x_1 - x_0)/2", ["-h*exp(S_0)*((x_0 + x_1)/2)^(-1/c)", "0"]),
        (
            "midpoint",
            "gamma*(x_1 - x_0)/2",
            ["-h/2*exp((S_0 + S_1)/2)*((x_0 + x_1)/2)^(-1/c)", "-h/2*exp((S_0 + S_1)/2)*((x_0 + x_1)/2)^(-1/c)"],
        ),
    ];
    let point = [("x_0", 1.3), ("x_1", 1.1), ("S_0", 0.7), ("S_1", 0.8)];
    for (base, friction, [first, last]) in by_hand {
        let settings = Settings { entropy: base.parse().unwrap(), ..with(&piston, "midpoint", 0.01) };
        let found = analyze(&piston, &settings, AnalysisExtent { geometry: true, ..AnalysisExtent::default() });
        let [form] = &formulas(&found).geometry.entropy_forms[..] else { panic!("one entropy") };
        let names: Vec<String> = form.variables.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["x_0", "x_1", "S_0", "S_1"]);
        for (ours, typed_by_hand) in form.coefficients.iter().zip([friction, friction, first, last]) {
            // A few operations on numbers of order one.
            close(value(&piston, *ours, &point), value(&piston, typed(&piston, typed_by_hand), &point), 1e-14);
        }
        let displacement = ["x_1 - x_0", "x_1 - x_0", "S_1 - S_0", "S_1 - S_0"].map(|text| typed(&piston, text));
        let pairs = form.coefficients.iter().zip(displacement);
        let along = pairs.map(|(a, moved)| value(&piston, *a, &point) * value(&piston, moved, &point)).sum::<f64>();
        let weight = if base == "left" { "S_0" } else { "(S_0 + S_1)/2" };
        let rule = format!("gamma*(x_1 - x_0)^2 - h*exp({weight})*((x_0 + x_1)/2)^(-1/c)*(S_1 - S_0)");
        close(along, value(&piston, typed(&piston, &rule), &point), 1e-14);
        assert!(found.to_text().contains("η_d = "), "{}", found.to_text());
    }
}

/// The value of an expression with the step 0.01.
fn value(model: &Model, e: Expr<'_>, point: &[(&str, f64)]) -> f64 {
    extremal_testkit::models::value_at(model, e, &[point, &[("h", 0.01)]].concat())
}

#[test]
fn the_oscillator_contracts_areas_by_a_known_factor() {
    let oscillator = gallery("damped-oscillator");
    let (h, g) = (0.1, 0.1);
    let found = seen(&oscillator, "midpoint", h);
    let volume = formulas(&found).volume.unwrap();
    assert_equal(volume, typed(&oscillator, "(4 + h^2 - 2*h*gamma)/(4 + h^2 + 2*h*gamma)"));
    let factor = (4.0 + h * h - 2.0 * h * g) / (4.0 + h * h + 2.0 * h * g);
    let StepMeasures { volume, liouville, symplectic, pull_back, .. } = measured(&found).clone();
    for (low, high) in [volume.unwrap(), liouville.unwrap()] {
        close(low, factor, 1e-12);
        close(high, factor, 1e-12);
    }
    // DΦᵀ J DΦ = det DΦ J in one dimension.
    close(symplectic.unwrap(), 1.0 - factor, 1e-12);
    assert!(pull_back.unwrap() < ROUND_OFF);
    let step = formulas(&found);
    // The matrices of the theorem with the entropy rule gamma*(S_1 - S_0)/h = gamma*((q_1 - q_0)/h)^2.
    assert_equal(step.geometry.forward.entries[0], typed(&oscillator, "1/h + h/4 + gamma/2"));
    assert_equal(step.geometry.backward.entries[0], typed(&oscillator, "-1/h - h/4 + gamma/2"));
    assert_equal(step.geometry.forward.entries[3], typed(&oscillator, "gamma/h"));
    assert!(step.zeros.iter().all(|zeros| zeros.rank == Some(2) && zeros.nowhere));
    assert_eq!(step.equal, Some(IdentityVerdict::Failed));
}

/// Two pistons in the middle of both ends, entropies too: momenta at both ends from x_0, y_0, x_1, y_1, S_0, with S_1 by iteration.
fn momenta_of_two_pistons(z: [f64; 5], h: f64) -> [f64; 4] {
    let [x0, y0, x1, y1, s0] = z;
    let (gamma, width, speeds) = (0.1, (x0 + x1 + y0 + y1) / 2.0, [(x1 - x0) / h, (y1 - y0) / h]);
    let friction = gamma * (speeds[0] * speeds[0] + speeds[1] * speeds[1]);
    let mut s1 = s0;
    for _ in 0..60 {
        let temperature = ((s0 + s1) / 2.0).exp() * width.powf(-2.0 / 3.0);
        s1 = s0 + h * friction / temperature;
    }
    // -dU/dx of U = e^S w^(-2/3), for both pistons alike.
    let push = ((s0 + s1) / 2.0).exp() * 2.0 / 3.0 * width.powf(-5.0 / 3.0);
    let half = |k: usize| h / 2.0 * (push - gamma * speeds[k]);
    [speeds[0] - half(0), speeds[1] - half(1), speeds[0] + half(0), speeds[1] + half(1)]
}

#[test]
fn entropy_terms_of_two_pistons_are_those_of_differences() {
    let pistons = gallery("two-pistons");
    let h = 0.05;
    let found = seen(&pistons, "midpoint", h);
    let first = step_of(&found).first.as_ref().unwrap();
    let z: Vec<f64> = first.at.iter().map(|(_, value)| *value).collect();
    let z = <[f64; 5]>::try_from(z).unwrap();
    let momenta = momenta_of_two_pistons(z, h);
    first.momenta.concat().iter().zip(momenta).for_each(|(ours, by_hand)| close(*ours, by_hand, 1e-12));
    let slope = |k: usize, j: usize| {
        let moved = |by: f64| {
            let mut z = z;
            z[j] += by;
            momenta_of_two_pistons(z, h)[k]
        };
        (moved(1e-5) - moved(-1e-5)) / 2e-5
    };
    let by_hand = |side: usize, i: usize, j: usize| {
        let at = |row: usize, column: usize| if row / 2 == side { slope(row, column) } else { 0.0 };
        at(i, j) - at(j, i)
    };
    for (side, i, j) in (0..2).flat_map(|side| (0..25).map(move |at| (side, at / 5, at % 5))) {
        // Second differences of functions of size 1/h, with a distance of 1e-5.
        close(coefficient(&found, side, i, j), by_hand(side, i, j), 2e-8);
    }
    assert!(coefficient(&found, 0, 0, 4).abs() > 1e-3, "there is a term with dS");
    // The formulas say the same as the numbers.
    let [minus, _] = formulas(&found).two_forms.as_ref().unwrap();
    let end = measured(&found);
    assert!(end.pull_back.unwrap() < ROUND_OFF && end.symplectic.unwrap() > 1e-4, "{end:?}");
    assert_eq!(minus.variables.len(), 5);
}

#[test]
fn propositions_hold_for_two_pistons_and_say_where_they_do_not() {
    use GeometricStatement::{Contraction, Energy, EntropyTransport, Kernel, Transport, Volume};
    let pistons = gallery("two-pistons");
    let found = seen(&pistons, "midpoint", 0.05);
    for statement in [Volume, Kernel, Contraction, Transport, EntropyTransport, Energy] {
        assert_eq!(verdict(&found, statement), IdentityVerdict::Proved, "{statement:?}");
    }
    let phase = found.phase.as_ref().unwrap().as_ref().unwrap();
    assert_eq!(
        (phase.contact, phase.closed, phase.herglotz),
        (Some(true), Some(IdentityVerdict::Failed), Some(IdentityVerdict::Failed))
    );
    // η = gamma p dq − T dS and R = −1/T d/dS.
    assert_equal(phase.entropy_forms[0].coefficients[0], typed(&pistons, "gamma*p_x"));
    let point = [("x", 0.4), ("y", 0.9), ("S", 0.3), ("p_x", 0.1), ("p_y", 0.2)];
    let temperature = 0.3f64.exp() * 1.3f64.powf(-2.0 / 3.0);
    close(value(&pistons, phase.entropy_forms[0].coefficients[4], &point), -temperature, 1e-14);
    close(value(&pistons, phase.reeb[0], &point), -1.0 / temperature, 1e-14);

    // Two gases with a wall: heat is conducted, so that the motion is in neither kernel; without it, it is.
    let gases = gallery("piston-between-gases");
    let found = seen(&gases, "midpoint", 0.02);
    for (statement, holds) in [
        (Volume, true),
        (Kernel, false),
        (Contraction, true),
        (Transport, true),
        (EntropyTransport, false),
        (Energy, true),
    ] {
        assert_eq!(verdict(&found, statement) == IdentityVerdict::Proved, holds, "{statement:?}");
        assert_eq!(verdict(&found, statement) == IdentityVerdict::Failed, !holds, "{statement:?}");
    }
    assert!(measured(&found).pull_back.unwrap() < ROUND_OFF, "{:?}", measured(&found));
    assert_eq!(formulas(&found).geometry.forward.size(), 3);
    let insulated = gallery_with("piston-between-gases", &[("kappa", "0")]);
    let found = seen(&insulated, "midpoint", 0.02);
    assert!(verdict(&found, Kernel).holds() && verdict(&found, EntropyTransport).holds());

    // Heat from outside changes the energy; an external force does work.
    let heated = model(
        r#"
        coordinates.x = { start = 1, velocity = 0.5 }
        entropies.S = 0
        dynamics.lagrangian = "x'^2/2 - x^2/2 - exp(S)"
        friction.x = "-x'/10"
        heat.S = "1/2"
        simulation = { step = 0.1, until = 1 }
        "#,
    );
    let found = seen(&heated, "midpoint", 0.1);
    assert_eq!((verdict(&found, Kernel), verdict(&found, Energy)), (IdentityVerdict::Failed, IdentityVerdict::Failed));
    assert_eq!(
        (verdict(&found, Contraction), verdict(&found, Transport)),
        (IdentityVerdict::Proved, IdentityVerdict::Proved)
    );
}

#[test]
fn contact_forms_are_told_from_closed_ones() {
    let contact = gallery("contact-oscillator");
    let found = seen(&contact, "midpoint", 0.1);
    let phase = found.phase.as_ref().unwrap().as_ref().unwrap();
    assert_eq!((phase.contact, phase.herglotz), (Some(true), Some(IdentityVerdict::Proved)));
    // Without friction η = −T dS: closed for a constant temperature, no contact form for any.
    for (energy, closed) in [("S", IdentityVerdict::Proved), ("exp(S)*(1 + x^2)", IdentityVerdict::Failed)] {
        let text = format!(
            "coordinates.x = {{ start = 1, velocity = 0.5 }}\nentropies.S = 0\ndynamics.lagrangian = \"x'^2/2 - {energy}\"\n\
             simulation = {{ step = 0.1, until = 1 }}"
        );
        let still = model(&text);
        let found = seen(&still, "midpoint", 0.1);
        let phase = found.phase.as_ref().unwrap().as_ref().unwrap();
        assert_eq!((phase.contact, phase.closed), (Some(false), Some(closed)), "{energy}");
    }
}

#[test]
fn a_rod_borders_the_matrices() {
    // [m/h, 0, -h x_0; 0, m/h, -h y_0; 2 x_1, 2 y_1, 0] and its like backwards.
    let pendulum = gallery("pendulum-rod");
    let found = seen(&pendulum, "midpoint", 0.01);
    let step = formulas(&found);
    for zeros in &step.zeros {
        assert_equal(zeros.determinant.unwrap(), typed(&pendulum, "2*m*(x_0*x_1 + y_0*y_1)"));
        assert!(zeros.rank == Some(3) && !zeros.nowhere, "a quarter of a turn in a step is singular");
    }
    let first = step_of(&found).first.as_ref().unwrap();
    let [x0, y0, x1, y1] = first.at.iter().map(|(_, value)| *value).collect::<Vec<_>>()[..] else { panic!() };
    close(first.determinants[0], 2.0 * (x0 * x1 + y0 * y1), 1e-12);
    // On the circle the step is symplectic, and Φ*ω− = ω+ on displacements along it.
    let StepMeasures { pull_back, symplectic, liouville, volume, .. } = measured(&found).clone();
    assert!(pull_back.unwrap() < ROUND_OFF && symplectic.unwrap() < ROUND_OFF, "{pull_back:?} {symplectic:?}");
    close(liouville.unwrap().0, 1.0, ROUND_OFF);
    assert_eq!(volume, None);
    assert!(found.phase.as_ref().unwrap().is_err());
}

#[test]
fn a_rolling_disc_has_bordered_matrices_and_no_forms() {
    let disc = gallery("rolling-disc");
    let h = 0.05;
    let found = seen(&disc, "midpoint", h);
    let step = formulas(&found);
    assert_eq!((step.geometry.forward.size(), step.zeros[0].rank, step.two_forms.is_none()), (6, Some(6), true));
    // By Schur's complement of the masses: det M det(D M⁻¹ B) with D = ∂φ_d/∂q_1 and B = h/2 R(q_0)ᵀ.
    let first = step_of(&found).first.as_ref().unwrap();
    let at: Vec<f64> = first.at.iter().map(|(_, value)| *value).collect();
    let [_, _, theta0, phi0, _, _, theta1, phi1] = at[..] else { panic!("{at:?}") };
    let (masses, middle) = ([1.0, 1.0, 0.5, 0.25], (phi0 + phi1) / 2.0);
    let speed = (theta1 - theta0) / (2.0 * h);
    let d = [
        [1.0 / h, 0.0, -middle.cos() / h, middle.sin() * speed],
        [0.0, 1.0 / h, -middle.sin() / h, -middle.cos() * speed],
    ];
    let r = [[1.0, 0.0, -phi0.cos(), 0.0], [0.0, 1.0, -phi0.sin(), 0.0]];
    let entry = |i: usize, j: usize| (0..4).map(|k| d[i][k] * h / masses[k] * h / 2.0 * r[j][k]).sum::<f64>();
    let schur = entry(0, 0) * entry(1, 1) - entry(0, 1) * entry(1, 0);
    let by_hand = masses.iter().map(|m| m / h).product::<f64>() * schur;
    close(first.determinants[0] / by_hand, 1.0, 1e-11);
    assert!(measured(&found).pull_back.is_none() && measured(&found).symplectic.is_some());
    assert!(step_of(&found).left_out.iter().any(|reason| reason.contains("no forms")));
}

#[test]
fn without_forces_a_step_is_symplectic_proved_and_measured() {
    let pendulum = gallery("double-pendulum");
    let found = seen(&pendulum, "midpoint", 0.01);
    assert!(formulas(&found).equal.unwrap().holds());
    // ω− = −D1 D2 L_d: minus the second derivatives of the discrete Lagrangian, by differences of the typed one.
    let first = step_of(&found).first.as_ref().unwrap();
    let at: Vec<f64> = first.at.iter().map(|(_, value)| *value).collect();
    let parameter = |name: &str| pendulum.parameters().iter().find(|p| p.name == name).unwrap().value;
    let [m1, m2, l1, l2, g] = ["m1", "m2", "l1", "l2", "g"].map(parameter);
    let action = |z: &[f64]| {
        let (a, b) = ((z[0] + z[2]) / 2.0, (z[1] + z[3]) / 2.0);
        let (va, vb) = ((z[2] - z[0]) / 0.01, (z[3] - z[1]) / 0.01);
        let kinetic =
            (m1 + m2) * l1 * l1 * va * va / 2.0 + m2 * l2 * l2 * vb * vb / 2.0 + m2 * l1 * l2 * va * vb * (a - b).cos();
        0.01 * (kinetic + (m1 + m2) * g * l1 * a.cos() + m2 * g * l2 * b.cos())
    };
    for (i, j) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
        let d = 1e-4;
        let moved = |s: f64, t: f64| {
            let mut z = at.clone();
            z[i] += s * d;
            z[j] += t * d;
            action(&z)
        };
        let mixed = (moved(1.0, 1.0) - moved(1.0, -1.0) - moved(-1.0, 1.0) + moved(-1.0, -1.0)) / (4.0 * d * d);
        // Fourth derivatives of the action, of size 1/h, times 1e-8; round-off of it over 4e-8.
        close(coefficient(&found, 0, i, j), -mixed, 2e-5);
        close(coefficient(&found, 1, i, j), -mixed, 2e-5);
    }
    let StepMeasures { pull_back, symplectic, volume, .. } = measured(&found).clone();
    assert!(pull_back.unwrap() < 1e-8 && symplectic.unwrap() < 1e-8, "{pull_back:?} {symplectic:?}");
    close(volume.unwrap().0, 1.0, 1e-8);
    assert_eq!(verdict(&found, GeometricStatement::Transport), IdentityVerdict::Proved);
}

#[test]
fn every_method_with_a_step_is_measured() {
    let pendulum = gallery("pendulum");
    for (method, symplectic) in [
        ("galerkin(2)", true),
        ("trapezoidal", true),
        ("compose(suzuki4, midpoint)", true),
        ("gauss(2)", true),
        ("rk4", false),
        ("euler", false),
    ] {
        let found = seen(&pendulum, method, 0.1);
        let seen = measured(&found);
        let deviation = seen.symplectic.unwrap();
        assert_eq!(deviation < ROUND_OFF, symplectic, "{method}: {seen:?}");
        let variational = matches!(method, "galerkin(2)" | "trapezoidal");
        assert_eq!(step_of(&found).formulas.is_some(), variational, "{method}");
        assert_eq!(seen.pull_back.is_some_and(|gap| gap < ROUND_OFF), variational, "{method}: {seen:?}");
    }
    // Two rows for the inner control value and the end, neither of them eliminated.
    let found = seen(&pendulum, "galerkin(2)", 0.1);
    assert_eq!(formulas(&found).geometry.forward.size(), 2);
    // Euler's method multiplies areas by 1 + h² (g/l) cos θ: from θ = 2 on, where the pendulum swings down.
    let found = seen(&pendulum, "euler", 0.01);
    let (low, high) = measured(&found).volume.unwrap();
    close(low, 1.0 + 1e-4 * 9.81 * 2f64.cos(), 1e-12);
    assert!(high > low && high <= 1.0 + 1e-4 * 9.81, "{low} {high}");
}

#[test]
fn discrete_systems_of_ones_own() {
    // [TT] example 3.29: both matrices as the source has them, up to the sign of p+ in the second.
    let own = gallery("no-next-state");
    let found = seen(&own, "custom", 1.0);
    let step = formulas(&found);
    let expected = [["-1/(1 + (q_0 + q_1)^2)", "0", "0", "1"], ["1/(1 + (q_0 + q_1)^2)", "0", "0", "1"]];
    for (matrix, texts) in [&step.geometry.forward, &step.geometry.backward].into_iter().zip(expected) {
        matrix.entries.iter().zip(texts).for_each(|(entry, text)| assert_equal(*entry, typed(&own, text)));
    }
    close(step_of(&found).first.as_ref().unwrap().determinants[0], -0.5, 1e-15);
    assert!(measured(&found).pull_back.unwrap() < ROUND_OFF);
    // Still regular, and without a motion.
    let without = gallery_with("no-next-state", &[("alpha", "3.2")]);
    let found = seen(&without, "custom", 1.0);
    assert_eq!(formulas(&found).zeros[0].rank, Some(2));
    assert!(
        step_of(&found).left_out.iter().any(|reason| reason.starts_with("measured over 1 of 16 steps, then: ")),
        "{:?}",
        step_of(&found).left_out
    );

    // A discrete vakonomic constraint: [1/h, 0, 0, -y_0; λ, 1/h, 0, x_1 - x_0; 0, 0, 1/h, 1; -y_0, 0, 1, 0].
    let steps = gallery("vakonomic-steps");
    let found = seen(&steps, "custom", 0.1);
    assert_equal(formulas(&found).zeros[0].determinant.unwrap(), typed(&steps, "-(1 + y_0^2)/h^2"));
    assert!(formulas(&found).zeros[0].nowhere && formulas(&found).two_forms.is_none());

    // A finite-difference map of one's own, with heat.
    let map = gallery("geometric-piston");
    let found = seen(&map, "custom", 0.1);
    assert!(measured(&found).pull_back.unwrap() < ROUND_OFF, "{:?}", measured(&found));
}

#[test]
fn what_is_left_out_has_a_reason() {
    let lattice = gallery_with("toda-lattice", &[("n", "40")]);
    for (model, method, reason) in [
        (gallery("dry-oscillator"), "midpoint", "stick and slide"),
        (gallery("pais-uhlenbeck"), "hermite", "positions and velocities"),
        (gallery("lotka-volterra"), "midpoint", "singular"),
        (gallery("pendulum"), "dop853", "its own steps"),
        (lattice, "trapezoidal", "40 coordinates"),
        (gallery("two-pistons"), "energy-entropy", "no discrete Lagrangian"),
    ] {
        let found = seen(&model, method, 0.01);
        let reasons = step_of(&found).left_out.join("; ");
        assert!(reasons.contains(reason), "{reasons} does not say {reason}");
    }
}
