//! Equilibria and normal modes against formulas solved by hand.

use extremal_engine::analyze::{Equilibrium, NoEquilibrium, Stability};

use extremal_testkit::analyses::analysed_with_numbers;
use extremal_testkit::models::model;
use extremal_testkit::runs::gallery;

fn close(ours: f64, by_hand: f64) {
    assert!((ours - by_hand).abs() <= 1e-9 * by_hand.abs().max(1.0), "{ours} is not {by_hand}");
}

fn equilibrium(text: &str) -> Equilibrium {
    analysed_with_numbers(&model(text)).equilibrium.unwrap_or_else(|| panic!("no equilibrium"))
}

fn of_gallery(name: &str) -> Equilibrium {
    analysed_with_numbers(&gallery(name)).equilibrium.unwrap_or_else(|| panic!("no equilibrium of {name}"))
}

#[test]
fn the_spring_with_friction() {
    // [TT] 2.16: x = e^(−λt/2m) cos(wt + …), w = sqrt(4 η m − λ²)/2m.
    let (m, eta, lambda) = (2.0f64, 2.0, 0.3);
    let spring = of_gallery("spring-with-friction");
    close(spring.positions[0].1, 0.0);
    let [mode] = &spring.modes[..] else { panic!("{:?}", spring.modes) };
    close(mode.growth, -lambda / (2.0 * m));
    close(mode.frequency, (4.0 * eta * m - lambda * lambda).sqrt() / (2.0 * m));
    assert_eq!(spring.stability, Stability::Asymptotic);
}

#[test]
fn the_double_pendulum() {
    // Equal masses and lengths: w² = (2 ± √2) g/l with θ2/θ1 = ∓√2.
    let text = extremal_engine::gallery::text("double-pendulum").unwrap();
    let hanging = equilibrium(&text.replace("start = 2.0", "start = 0.3").replace("start = 1.0", "start = -0.2"));
    let [slow, fast] = &hanging.modes[..] else { panic!("{:?}", hanging.modes) };
    let root = 2f64.sqrt();
    close(slow.frequency, ((2.0 - root) * 9.81).sqrt());
    close(fast.frequency, ((2.0 + root) * 9.81).sqrt());
    close(slow.shape[1].1.re / slow.shape[0].1.re, root);
    close(fast.shape[1].1.re / fast.shape[0].1.re, -root);
    assert_eq!((hanging.stability, hanging.neutral, hanging.gyroscopic), (Stability::Stable, 0, false));
}

#[test]
fn the_spring_on_a_rotating_disc() {
    // U = k (r − r0)²/2 − m w² (r² + 2 a r cos φ)/2. Equilibrium φ = 0, r = (k r0 + m w² a)/(k − m w²). With m = w = 1:
    // (U_rr − Ω²)(U_φφ − r² Ω²) = (2 r w)² Ω², U_rr = k − w², U_φφ = w² a r.
    let (k, a, r0) = (10.0f64, 0.5, 1.0);
    let disc = of_gallery("rotating-disc");
    let r = (k * r0 + a) / (k - 1.0);
    close(disc.positions[0].1, r);
    close(disc.positions[1].1, 0.0);
    let (stretch, swing) = (k - 1.0, a * r);
    let half = (swing + r * r * stretch + 4.0 * r * r) / (2.0 * r * r);
    let root = (half * half - stretch * swing / (r * r)).sqrt();
    let frequencies: Vec<f64> = disc.modes.iter().map(|mode| mode.frequency).collect();
    assert_eq!(frequencies.len(), 2);
    close(frequencies[0], (half - root).sqrt());
    close(frequencies[1], (half + root).sqrt());
    assert!(disc.modes.iter().all(|mode| mode.growth.abs() < 1e-9));
    // The potential of the turning frame has a minimum there.
    assert_eq!((disc.stability, disc.gyroscopic), (Stability::Stable, true));
}

#[test]
fn the_triangular_point_is_held_by_gyroscopic_terms() {
    // Ω⁴ − Ω² + 27 mu (1 − mu)/4 = 0 at L4, where the potential has a maximum.
    let model = gallery("restricted-three-body");
    let mu = model.parameters().iter().find(|p| p.name == "mu").unwrap().value;
    let point = of_gallery("restricted-three-body");
    close(point.positions[0].1, 0.5 - mu);
    close(point.positions[1].1, 3f64.sqrt() / 2.0);
    let root = (0.25 - 27.0 * mu * (1.0 - mu) / 4.0).sqrt();
    close(point.modes[0].frequency, (0.5 - root).sqrt());
    close(point.modes[1].frequency, (0.5 + root).sqrt());
    assert_eq!((point.stability, point.gyroscopic), (Stability::Neutral, true));
}

#[test]
fn the_standing_pole_falls() {
    // θ'' = (M + m) g θ/(M l), while the cart is free.
    let model = gallery("cart-pole");
    let value = |name: &str| model.parameters().iter().find(|p| p.name == name).unwrap().value;
    let rate = ((value("M") + value("m")) * value("g") / (value("M") * value("l"))).sqrt();
    let standing = of_gallery("cart-pole");
    let growths: Vec<f64> = standing.modes.iter().map(|mode| mode.growth).collect();
    assert_eq!(growths.len(), 2);
    close(growths.iter().copied().fold(f64::NEG_INFINITY, f64::max), rate);
    close(growths.iter().copied().fold(f64::INFINITY, f64::min), -rate);
    assert_eq!((standing.stability, standing.neutral), (Stability::Unstable, 2));
}

#[test]
fn a_rod_oscillates_as_the_angle_it_stands_for() {
    // The pendulum in x and y with its rod: one mode, w² = g/l, and the tension m g as multiplier of φ = x² + y² − l² (2 λ l = −m g).
    let rod = of_gallery("pendulum-rod");
    let model = gallery("pendulum-rod");
    let value = |name: &str| model.parameters().iter().find(|p| p.name == name).unwrap().value;
    let [mode] = &rod.modes[..] else { panic!("{:?}", rod.modes) };
    close(mode.frequency, (value("g") / value("l")).sqrt());
    assert_eq!(rod.stability, Stability::Stable);
}

/// A model with these coordinates and what follows the Lagrangian.
fn stated(coordinates: &str, lagrangian: &str, rest: &str) -> String {
    format!("[coordinates]\n{coordinates}\n[dynamics]\nlagrangian = \"{lagrangian}\"\n{rest}")
}

fn no_equilibrium(text: &str) -> Option<NoEquilibrium> {
    let model = model(text);
    let analysis = analysed_with_numbers(&model);
    assert!(analysis.equilibrium.is_none(), "{:?}", analysis.equilibrium);
    analysis.no_equilibrium
}

#[test]
fn a_slope_that_fades_away_is_no_equilibrium() {
    for lagrangian in ["x'^2/2 - 1/x", "x'^2/2 - exp(-x)", "x'^2/2 + atan(x)", "x'^2/2 - x"] {
        let seen = no_equilibrium(&stated("x = 1.0", lagrangian, ""));
        assert!(matches!(seen, Some(NoEquilibrium::NotFound { starts }) if starts > 4), "{lagrangian}: {seen:?}");
    }
    let page = analysed_with_numbers(&model(&stated("x = 1.0", "x'^2/2 - 1/x", ""))).to_text();
    assert!(page.contains("none found by Newton's method from"), "{page}");
}

#[test]
fn an_equilibrium_that_the_start_does_not_lead_to_is_found_from_others() {
    // At the top of the barrier of V = x⁴/4 − 2 x³/3 − x²/2 + 2 x, whose slope (x² − 1)(x − 2) is flat at the start: the curvature
    // 3 x² − 4 x − 1 vanishes at x = (2 + √7)/3.
    let flat = (2.0 + 7f64.sqrt()) / 3.0;
    let text = stated(&format!("x = {flat:?}"), "x'^2/2 - x^4/4 + 2*x^3/3 + x^2/2 - 2*x", "");
    let found = equilibrium(&text).positions[0].1;
    assert!([-1.0, 1.0, 2.0].iter().any(|root| (found - root).abs() < 1e-9), "{found}");
    // A degenerate one is one: V = x⁴. Newton's steps are a third of what is left, and the last is below 1e-6 of the way.
    let degenerate = equilibrium(&stated("x = 1.0", "x'^2/2 - x^4", ""));
    assert!(degenerate.positions[0].1.abs() < 1e-5, "{}", degenerate.positions[0].1);
    assert_eq!((degenerate.modes.len(), degenerate.neutral, degenerate.stability), (0, 2, Stability::Neutral));
}

#[test]
fn time_is_not_frozen() {
    // x'' + (1 + cos t) x = 0 has a coefficient that contains the time, t x'' one in the mass.
    assert_eq!(no_equilibrium(&stated("x = 1.0", "x'^2/2 - (1 + cos(t))*x^2/2", "")), Some(NoEquilibrium::Driven));
    let growing = equilibrium(&stated("x = 0.3", "(2 + t)*x'^2/2 + x^2/2", ""));
    assert_eq!((growing.stability, growing.modes.len()), (Stability::TimeDependent, 0));
    // Written and not there.
    let still = equilibrium(&stated("x = 0.3", "x'^2/2 - x^2*(cos(t)^2 + sin(t)^2)/2", ""));
    assert_eq!(still.stability, Stability::Stable);
}

#[test]
fn round_off_of_a_multiple_rate_is_not_growth() {
    // F = u (w·q) with w·u = 0: four rates are zero in one Jordan block, and split by the fourth root of round-off, 1e-4.
    let forces = "[forces]\nx = \"0.3*(0.7*x - 0.3*y)\"\ny = \"0.7*(0.7*x - 0.3*y)\"";
    let block = equilibrium(&stated("x = 0.1\ny = 0.2", "(x'^2 + y'^2)/2", forces));
    assert_eq!((block.stability, block.neutral, block.modes.len()), (Stability::Neutral, 4, 0), "{:?}", block.modes);
    // A small growth that is one: x'' = 1e-4 x' − x.
    let slow = equilibrium(&stated("x = 0.1", "x'^2/2 - x^2/2", "[forces]\nx = \"1e-4*x'\""));
    assert_eq!(slow.stability, Stability::Unstable);
    close(slow.modes[0].growth, 0.5e-4);
}

#[test]
fn entropies_are_said_to_be_held() {
    let piston = gallery("piston-between-gases");
    let analysis = analysed_with_numbers(&piston);
    let page = analysis.to_text();
    match &analysis.equilibrium {
        Some(equilibrium) => {
            assert_eq!(equilibrium.entropies.len(), 2);
            assert!(page.contains("with the entropies held at"), "{page}");
        }
        // Two gases of different temperature that touch are not in equilibrium.
        None => assert_eq!(analysis.no_equilibrium, Some(NoEquilibrium::Warming), "{page}"),
    }
    let hot = stated("x = 1.0", "x'^2/2 - x^2/2 - exp(S)", "[entropies]\nS = 0.5\n[heat]\nS = \"0.2\"");
    assert_eq!(no_equilibrium(&hot), Some(NoEquilibrium::Warming));
    let cold = equilibrium(&stated("x = 1.0", "x'^2/2 - x^2/2 - exp(S)", "[entropies]\nS = 0.5"));
    assert_eq!(cold.entropies, [0.5]);
}
