//! Systems with entropy through the public API: both laws, refusals, agreement with an independent integrator.

use std::ops::ControlFlow;

use extremal_engine::compare::{Against, compare};
use extremal_engine::run::{End, Outcome, SetupError, Warning};
use extremal_engine::{Method, Model, Overrides, Recorder, Run, Settings, gallery};

fn model(name: &str) -> Model {
    Model::from_toml(gallery::text(name).unwrap()).unwrap_or_else(|e| panic!("{}", e.render(name, false)))
}

fn parse(text: &str) -> Model {
    Model::from_toml(text).unwrap_or_else(|e| panic!("{}", e.render("test", false)))
}

fn settings(model: &Model, method: &str, step: f64, steps: u64) -> Settings {
    Settings {
        method: method.parse().unwrap(),
        step: Some(step),
        extent: Some(extremal_engine::model::Extent::Steps(steps)),
        start: extremal_engine::model::Start::Legendre,
        ..Settings::of(model)
    }
}

fn execute(model: &Model, settings: &Settings) -> (Outcome, Recorder) {
    let run = Run::new(model, settings).unwrap();
    let mut recorder = Recorder::new(run.columns().clone());
    let outcome = run.execute(&mut recorder, |_| ControlFlow::Continue(())).unwrap();
    (outcome, recorder)
}

/// The gallery models with an entropy and without outside forces or heat.
fn closed_systems() -> Vec<(&'static str, Model)> {
    gallery::names()
        .map(|name| (name, model(name)))
        .filter(|(_, m)| !m.entropies().is_empty() && m.discrete().is_none() && m.constraints().is_empty())
        .collect()
}

#[test]
fn energy_entropy_keeps_both_laws_on_every_gallery_system() {
    let systems = closed_systems();
    assert!(systems.len() >= 10);
    for (name, model) in &systems {
        for method in ["energy-entropy", "energy-entropy(2)"] {
            for step in [1e-3, 1e-2] {
                let (outcome, _) = execute(model, &settings(model, method, step, 20_000));
                assert_eq!(outcome.end, End::Reached, "{name} {method} {step}");
                let laws = outcome.laws.unwrap();
                assert!(laws.first.relative <= 1e-12, "{name} {method} {step}: {:e}", laws.first.relative);
                // A sum of entropies of size S rounds by an ulp of S when nothing is produced.
                let ulp = f64::EPSILON * laws.temperatures.len() as f64 * 30.0;
                assert!(laws.second.smallest_step >= -ulp, "{name} {method} {step}: {:e}", laws.second.smallest_step);
            }
        }
    }
}

/// The largest step that still has a solution: doubled until a step fails, then both laws checked one size below.
#[test]
fn both_laws_hold_at_the_largest_step_that_has_a_solution() {
    for (name, model) in closed_systems() {
        let mut step = 0.02;
        let mut last_good = None;
        while step < 100.0 {
            let (outcome, _) = execute(&model, &settings(&model, "energy-entropy", step, 40));
            if outcome.end != End::Reached {
                break;
            }
            last_good = Some((step, outcome.laws.unwrap()));
            step *= 2.0;
        }
        let (step, laws) = last_good.unwrap_or_else(|| panic!("{name}: no step at all"));
        println!("{name}: {step} {:e} {:e}", laws.first.relative, laws.second.smallest_step);
        assert!(laws.first.relative <= 1e-12, "{name} at {step}: {:e}", laws.first.relative);
        assert!(laws.second.smallest_step >= -1e-13, "{name} at {step}: {:e}", laws.second.smallest_step);
    }
}

/// Uniform numbers, always the same ones (splitmix64).
struct Draws(u64);

impl Draws {
    fn between(&mut self, lo: f64, hi: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        lo + (hi - lo) * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[test]
fn both_laws_on_two_hundred_random_systems() {
    let mut draws = Draws(11);
    let mut marched = 0;
    for case in 0..200 {
        let mut d = |lo, hi| format!("{:.6}", draws.between(lo, hi));
        let text = format!(
            r#"
            [coordinates]
            x = {{ start = {}, velocity = {} }}
            y = {{ start = {}, velocity = {} }}
            [entropies]
            A = {}
            B = {}
            [dynamics]
            lagrangian = """{}*x'^2/2 + {}*y'^2/2 + {}*x'*y'*cos(x - y)/4 - {}*x^4/4 - {}*(x - y)^2/2 - y^2
                - exp(A/{})*(2 + sin(x)*{}) - {}*exp(B)*(1 + y^2)"""
            [friction]
            x = {{ force = "-{}*x' - {}*x'^3", heats = {{ A = 0.25, B = 0.75 }} }}
            y = {{ force = "-{}*y'", heats = "A" }}
            [conduction]
            wall = {{ between = ["A", "B"], conductance = "{}*(1 + x^2)" }}
            "#,
            d(-1.0, 1.0),
            d(-2.0, 2.0),
            d(-1.0, 1.0),
            d(-2.0, 2.0),
            d(-1.0, 2.0),
            d(-1.0, 1.0),
            d(0.6, 2.0),
            d(0.6, 2.0),
            d(-1.0, 1.0),
            d(0.0, 3.0),
            d(0.1, 5.0),
            d(0.7, 2.0),
            d(-0.9, 0.9),
            d(0.2, 1.5),
            d(0.0, 1.0),
            d(0.0, 0.5),
            d(0.0, 1.0),
            d(0.0, 2.0),
        );
        let step = draws.between(0.002, 0.15);
        let model = parse(&text);
        let method = ["energy-entropy", "energy-entropy(2)"][case % 2];
        let (outcome, _) = execute(&model, &settings(&model, method, step, 60));
        let laws = outcome.laws.unwrap();
        assert!(laws.first.relative <= 1e-12, "case {case} {method} {step}: {:e}\n{text}", laws.first.relative);
        assert!(laws.second.smallest_step >= -1e-15, "case {case}: {:e}\n{text}", laws.second.smallest_step);
        marched += outcome.steps;
    }
    // A long step may have no solution; nearly all must.
    assert!(marched > 11_500, "{marched} of 12000 steps");
}

#[test]
fn relative_motion_of_two_pistons_is_kept() {
    let model = model("two-pistons");
    let (outcome, recorder) = execute(&model, &settings(&model, "midpoint", 0.01, 100_000));
    assert_eq!(outcome.end, End::Reached);
    let (_, drift) = recorder.drifts().find(|(column, _)| column.name() == "relative motion").unwrap();
    assert!(drift.max_drift() <= 1e-12, "{:e}", drift.max_drift());
}

#[test]
fn the_contact_oscillator_is_the_damped_oscillator() {
    let model = model("contact-oscillator");
    let rows = compare(
        &model,
        &Settings::of(&model),
        &["energy-entropy(2)".parse().unwrap()],
        &[0.05, 0.025],
        Against::Exact,
        0..u64::MAX,
    )
    .unwrap();
    for (_, order) in &rows[1].orders {
        assert!((order.unwrap() - 4.0).abs() < 0.2, "{:?}", rows[1]);
    }
}

#[test]
fn a_piston_between_gases_settles_and_agrees_with_dop853() {
    let model = model("piston-between-gases");
    let methods: Vec<Method> = ["energy-entropy", "energy-entropy(2)", "midpoint"].map(|m| m.parse().unwrap()).to_vec();
    let mut settings = Settings::of(&model);
    settings.extent = Some(extremal_engine::model::Extent::Until(2.0));
    let rows = compare(&model, &settings, &methods, &[0.04, 0.02], Against::Dop853, 0..u64::MAX).unwrap();
    for (row, order) in [(1, 2.0), (3, 4.0), (5, 2.0)] {
        for (_, measured) in &rows[row].orders {
            assert!((measured.unwrap() - order).abs() < 0.3, "{:?}", rows[row]);
        }
    }
    let (outcome, _) =
        execute(&model, &Settings { step: Some(0.05), ..self::settings(&model, "energy-entropy", 0.05, 40_000) });
    let laws = outcome.laws.unwrap();
    let [first, second] = [0, 1].map(|k| laws.temperatures[k].1.last);
    assert!((first - second).abs() < 1e-6 * first, "the temperatures meet: {first} {second}");
    assert!(laws.first.relative < 1e-12 && laws.second.smallest_step >= -1e-14);
}

#[test]
fn no_next_state_is_said() {
    let text = gallery::text("no-next-state").unwrap();
    let runs = Model::load(text, &Overrides::default().set("alpha", 0)).unwrap();
    assert_eq!(execute(&runs, &Settings::of(&runs)).0.end, End::Reached);
    for alpha in ["3.2", "4"] {
        let stuck = Model::load(text, &Overrides::default().set("alpha", alpha)).unwrap();
        let End::Failed(failure) = execute(&stuck, &Settings::of(&stuck)).0.end else {
            panic!("alpha = {alpha} has no motion")
        };
        assert!(failure.to_string().contains("no next state exists"), "{failure}");
    }
}

#[test]
fn friction_that_pumps_is_stopped_by_name() {
    let model = parse(
        r#"
        [coordinates]
        x = { start = 1.0, velocity = 0.0 }
        [entropies]
        S = 1.0
        [dynamics]
        lagrangian = "x'^2/2 - x^2/2 - exp(S)"
        [friction]
        x = "0.3*x'"
        "#,
    );
    for method in ["midpoint", "energy-entropy", "rk4", "dop853"] {
        let (outcome, _) = execute(&model, &settings(&model, method, 0.01, 500));
        let End::Failed(failure) = outcome.end else { panic!("{method} must stop") };
        assert!(failure.to_string().contains("friction that heats S"), "{failure}");
    }
}

#[test]
fn a_temperature_that_reaches_zero_stops_the_run() {
    // Heat is drawn out at constant power: T = S falls to zero.
    let model = parse(
        r#"
        [coordinates]
        x = { start = 1.0 }
        [entropies]
        S = 1.0
        [dynamics]
        lagrangian = "x'^2/2 - x^2/2 - S^2/2"
        [heat]
        S = "-0.5"
        "#,
    );
    for method in ["midpoint", "energy-entropy", "dop853"] {
        let (outcome, _) = execute(&model, &settings(&model, method, 0.01, 500));
        let End::Failed(failure) = outcome.end else { panic!("{method} must stop") };
        assert!((failure.time - 1.0).abs() < 0.02, "T = sqrt(1 - t): {failure}");
        assert!(failure.to_string().contains("the temperature of S falls towards zero"), "{failure}");
    }
}

#[test]
fn heat_and_work_are_accounted_for() {
    let model = parse(
        r#"
        [coordinates]
        x = { start = 1.0, velocity = 0.2 }
        [entropies]
        S = 1.0
        [dynamics]
        lagrangian = "x'^2/2 - x^2/2 - exp(S)*(2 + cos(x))"
        [friction]
        x = "-0.1*x'"
        [forces]
        x = "0.4*sin(2*t)"
        [heat]
        S = "0.3*cos(t)^2"
        "#,
    );
    let (outcome, _) = execute(&model, &settings(&model, "energy-entropy(2)", 0.02, 5000));
    let laws = outcome.laws.unwrap();
    assert!(laws.first.heat > 10.0 && laws.first.work.abs() > 1e-3, "{laws:?}");
    assert!(laws.first.relative < 1e-12, "{laws:?}");
}

#[test]
fn combinations_that_do_not_exist_are_refused_by_name() {
    let piston = model("ideal-gas-piston");
    let refused = |method: &str| match Run::new(&piston, &settings(&piston, method, 0.01, 10)) {
        Err(SetupError::Scheme(error)) => error.to_string(),
        Err(other) => panic!("{method}: {other}"),
        Ok(_) => panic!("{method} must be refused"),
    };
    assert!(refused("galerkin(2)").contains("not defined for a system with entropies"));
    // This model takes its entropies on the left.
    assert!(refused("suzuki4").contains("symmetric"));

    // A start that a method has no formula for is not left out, whatever marches it.
    let oscillator = model("damped-oscillator");
    for method in ["dop853", "rk4", "energy-entropy"] {
        let settings = Settings { method: method.parse().unwrap(), ..Settings::of(&oscillator) };
        let refused = Run::new(&oscillator, &settings).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains(&format!("`two-points` is not defined for `{method}`")), "{method}: {refused}");
    }

    // Inner points of a polynomial have no entropies, between two ends neither.
    let stroke = model("piston-stroke");
    let statement = extremal_engine::boundary::Statement::of(&stroke).unwrap();
    let refused = extremal_engine::boundary::Problem::new(&stroke, statement, &"galerkin(2)".parse().unwrap());
    let message = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(
        message.contains("`galerkin(2, gauss(2))` is not defined for a boundary problem with entropies"),
        "{message}"
    );
}

#[test]
fn compositions_reach_order_four_with_entropies_in_the_middle() {
    let model = model("piston-between-gases");
    let mut settings = Settings::of(&model);
    settings.extent = Some(extremal_engine::model::Extent::Until(2.0));
    let methods: Vec<Method> =
        ["compose(suzuki4, midpoint)", "compose(suzuki4, trapezoidal)"].map(|m| m.parse().unwrap()).to_vec();
    let rows = compare(&model, &settings, &methods, &[0.1, 0.05], Against::Dop853, 0..u64::MAX).unwrap();
    for row in [1, 3] {
        for (_, order) in &rows[row].orders {
            assert!((order.unwrap() - 4.0).abs() < 0.4, "{:?}", rows[row]);
        }
    }
}

/// L = (1 + t) x'²/2 − exp(S): p = 1 stays, so x' = 1/(1 + t), and the energy falls by the integral of ∂L/∂t = x'²/2, which is
/// 1/4 from 0 to 1.
fn growing_mass() -> Model {
    parse(
        r#"
        [coordinates]
        x = { start = 0, velocity = 1 }
        [entropies]
        S = 0.5
        [dynamics]
        lagrangian = "(1 + t)*x'^2/2 - exp(S)"
        "#,
    )
}

#[test]
fn a_lagrangian_that_grows_in_time_takes_work_out_of_the_energy() {
    let model = growing_mass();
    // The midpoint rule misses h²/24 (f'(1) − f'(0)) of the integral of f = 1/(2 (1 + t)²), which is 3.6e-6; the references have
    // order four and more.
    for (method, allowed) in [("midpoint", 4e-6), ("trapezoidal", 1e-5), ("rk4", 1e-8), ("dop853", 1e-8)] {
        let (outcome, _) = execute(&model, &settings(&model, method, 0.01, 100));
        let laws = outcome.laws.unwrap();
        assert!((laws.first.work + 0.25).abs() < allowed, "{method}: {laws:?}");
        assert!((laws.first.energy_change + 0.25).abs() < allowed, "{method}: {laws:?}");
        assert!(laws.first.max_defect < 2.0 * allowed, "{method}: {laws:?}");
    }
}

#[test]
fn the_energy_of_a_step_is_taken_at_its_middle() {
    let model = growing_mass();
    let (_, recorder) = execute(&model, &settings(&model, "midpoint", 0.01, 100));
    let column = |name: &str| recorder.series().column(recorder.columns().index_of(name).unwrap()).collect::<Vec<_>>();
    let (times, energies) = (column("t"), column("energy_v"));
    for k in 1..times.len() {
        // (x_1 − x_0)/h = 1/(1 + t) at the middle of the step, but for the rounding of positions below one, ε/h.
        let middle = (times[k - 1] + times[k]) / 2.0;
        let expected = 0.5 / (1.0 + middle) + 0.5f64.exp();
        assert!((energies[k] - expected).abs() < 4.0 * f64::EPSILON / 0.01, "{k}: {} for {expected}", energies[k]);
    }
}

#[test]
fn a_first_law_lost_to_round_off_is_warned_of() {
    // An energy that is a small difference of large numbers: with the offset it is nothing but their round-off, 1e-6.
    let oscillator = |offset: &str| {
        parse(&format!(
            "[coordinates]\nx = 1e5\n[entropies]\nS = 0\n[dynamics]\nlagrangian = \"x'^2/2 - x^2/2 - exp(S){offset}\"\n"
        ))
    };
    for (offset, warned) in [("", false), (" + 5000000001", true)] {
        let model = oscillator(offset);
        let (outcome, _) = execute(&model, &settings(&model, "energy-entropy", 0.1, 300));
        let said = outcome
            .warnings
            .iter()
            .any(|warning| matches!(warning, Warning::FirstLaw { relative, .. } if *relative > 1e-6));
        assert_eq!(said, warned, "{:?} {:?}", outcome.warnings, outcome.laws);
    }
}

#[test]
fn a_step_that_takes_heat_out_lowers_the_entropy_by_that_much() {
    // T = 1 and S' = cos t: the sum of h cos t in the middle of steps, which falls fastest, by h, about t = π.
    let model = parse(
        "[coordinates]\nx = 0\n[entropies]\nS = 0\n[dynamics]\nlagrangian = \"x'^2/2 - S\"\n[heat]\nS = \"cos(t)\"\n",
    );
    let (h, steps) = (0.1f64, 40);
    for method in ["midpoint", "energy-entropy"] {
        let (outcome, _) = execute(&model, &settings(&model, method, h, steps));
        let laws = outcome.laws.unwrap();
        // The middle of a step is within h/2 of π: cos is within h²/8 of −1.
        assert!(laws.second.smallest_step >= -h && laws.second.smallest_step < -h + h.powi(3) / 8.0, "{laws:?}");
        let total = h * 4f64.sin() / (2.0 * (h / 2.0).sin());
        assert!((laws.second.total - total).abs() < 1e-14 && (laws.first.heat - total).abs() < 1e-14, "{laws:?}");
    }
}

#[test]
fn a_force_of_time_acts_at_the_nodes_of_a_step() {
    let model = parse(
        r#"
        [coordinates]
        x = { start = 0, velocity = 0 }
        [entropies]
        S = 0.5
        [dynamics]
        lagrangian = "x'^2/2 - exp(S)"
        [forces]
        x = "cos(t)"
        "#,
    );
    // Sums of h cos t in the middle of steps are h sin(t)/(2 sin(h/2)); two nodes at ± h/(2√3) around it give cos(h/(2√3)) times that.
    let h: f64 = 0.1;
    let summed = h * 3f64.sin() / (2.0 * (h / 2.0).sin());
    let nodes = (h / 12f64.sqrt()).cos();
    let cases = [("energy-entropy", summed), ("energy-entropy(2)", nodes * summed), ("gauss(2)", nodes * summed)];
    for (method, expected) in cases {
        let (outcome, recorder) = execute(&model, &settings(&model, method, h, 30));
        assert_eq!(outcome.end, End::Reached);
        let v = recorder.series().column(recorder.columns().index_of("x'").unwrap()).last().unwrap();
        assert!((v - expected).abs() < 1e-14, "{method}: {v} for {expected}");
    }
}

/// L = x'²/2 − x²/2 − S (1 + x) from x = 2, S = 0: x = 2 cos t, and the temperature 1 + x is zero at t = 2π/3.
#[test]
fn a_motion_ends_where_a_temperature_would_not_be_positive() {
    let model = parse(
        r#"
        [coordinates]
        x = 2
        [entropies]
        S = 0
        [dynamics]
        lagrangian = "x'^2/2 - x^2/2 - S*(1 + x)"
        "#,
    );
    for method in ["midpoint", "trapezoidal", "left", "energy-entropy"] {
        let (outcome, _) = execute(&model, &settings(&model, method, 0.01, 400));
        let End::Failed(failure) = &outcome.end else { panic!("{method}: {:?} at {}", outcome.end, outcome.time) };
        assert!(failure.to_string().contains("the temperature -dL/dS stays positive"), "{method}: {failure}");
        let end = 2.0 * std::f64::consts::PI / 3.0;
        // Within two steps: the temperature of a step is that of its middle or of an end.
        assert!((outcome.time - end).abs() < 0.02, "{method}: {}", outcome.time);
    }
}
