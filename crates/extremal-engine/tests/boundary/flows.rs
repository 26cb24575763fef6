//! Motions from momenta: optimality conditions as a flow, Lagrangians with accelerations under constraints and forces.

use extremal_engine::analyze::{AnalysisExtent, analyze};
use extremal_engine::derive::{Form, derive, usual_forms};
use extremal_engine::run::EnergyLaw;
use extremal_engine::sweep::Record;
use extremal_engine::{Model, Settings};
use extremal_testkit::boundary::{assert_orders, columns, problem, solve};
use extremal_testkit::models::{model, model_with};
use extremal_testkit::runs::{Lasting, RecordedRun, attempt, attempt_text, record, reference, refusal, with};
use extremal_testkit::sweeps::{SweepRows, grid};

/// The cart and pole of [VC] 7.2 with the mass m that its Lagrangian lacks in print.
const CART_POLE: &str = r#"
    parameters = { mc = 1, m = 0.3, R = 0.5, g = 9.81, p = 0.5 }
    coordinates.x = { start = 0, velocity = 0, p0 = 1, p1 = 3 }
    coordinates.th = { start = "pi", velocity = 0, p0 = -2, p1 = "p" }
    dynamics.lagrangian = "mc*x'^2/2 + m*(x'^2 + 2*x'*R*cos(th)*th' + R^2*th'^2)/2 - m*g*R*cos(th)"
    controls.u = "x"
    objective.running = "u^2/2"
    simulation = { step = 0.01, until = 1 }
"#;

/// The same with the control eliminated, as [VC] 7.2 writes it: a cost with accelerations, and the pole as a constraint.
const VAKONOMIC: &str = r#"
    parameters = { mc = 1, m = 0.3, R = 0.5, g = 9.81, p = 0.5 }
    coordinates.x = { start = 0, velocity = 0, p0 = 1, p1 = 3 }
    coordinates.th = { start = "pi", velocity = 0, p0 = -2, p1 = "p" }
    dynamics.lagrangian = "((mc + m)*x'' - m*R*sin(th)*th'^2 + m*R*cos(th)*th'')^2/2"
    constraints.pole = { kind = "vakonomic", equation = "m*R*x''*cos(th) + m*R^2*th'' = m*g*R*sin(th)" }
    simulation = { step = 0.01, until = 1 }
"#;

/// What an independent program has at t = 1: classical Runge–Kutta steps of 1/4000 and 1/2000, which agree to 1e-11, for Hamilton's equations
/// of p0·q' + p1·q'' − u²/2, whose derivatives it takes by complex steps.
const AT_ONE: [(&str, f64); 8] = [
    ("x", 0.9154199533597),
    ("th", 2.8195727364733),
    ("x'", 1.0969219829790),
    ("th'", -1.5498030100058),
    ("p_x", 1.0),
    ("p_th", -5.0190794294151),
    ("p_x'", 2.0),
    ("p_th'", -0.4312964789646),
];

fn distance(run: &RecordedRun) -> f64 {
    AT_ONE.iter().map(|(name, value)| (run.last(name) - value).abs()).fold(0.0, f64::max)
}

#[test]
fn the_cart_and_pole_from_momenta() {
    for text in [CART_POLE, VAKONOMIC] {
        let model = model(text);
        let run = record(&model, &reference(&model, 0.1));
        assert!(distance(&run) < 2e-11, "{}", distance(&run));
        // H = p0·q' + p1·q'' − C: at rest with u = 4 it is 3·4 + 0.5·8 − 8, and stays.
        assert!(run.column("energy").iter().all(|h| (h - 8.0).abs() < 1e-12));
        assert_eq!(EnergyLaw::of(&model), EnergyLaw::Conserved);
    }
    let model = model(CART_POLE);
    let run = record(&model, &reference(&model, 0.1));
    assert!((run.last("cost") - 2.5923581719203).abs() < 1e-11);
    // The costate is that of `solve`: u = −ψ for this cost.
    for [u, psi] in run.rows(["u", "costate_x"]) {
        assert!((u + psi).abs() < 1e-12, "{u} {psi}");
    }
}

#[test]
fn orders_from_momenta() {
    for text in [CART_POLE, VAKONOMIC] {
        let model = model(text);
        let cases = [
            ("midpoint", 2.0, 20),
            ("galerkin(2)", 4.0, 20),
            ("gauss(3)", 6.0, 16),
            ("compose(suzuki4, midpoint)", 4.0, 20),
            ("rk4", 4.0, 40),
            ("rk2", 2.0, 80),
            ("euler", 1.0, 800),
        ];
        for (method, order, first) in cases {
            let error = |steps: usize| distance(&record(&model, &with(&model, method, 1.0 / steps as f64)));
            assert_orders(method, order, 0.25, first, error);
        }
    }
}

/// The cyclic x has a constant momentum and p_x' = 3 − t: linear, so that collocation has both exactly, and the cost to its order.
#[test]
fn what_collocation_keeps() {
    let model = model(CART_POLE);
    for method in ["midpoint", "galerkin(2)"] {
        let run = record(&model, &with(&model, method, 0.02));
        for [t, p0, p1] in run.rows(["t", "p_x", "p_x'"]) {
            assert!((p0 - 1.0).abs() < 1e-13 && (p1 - 3.0 + t).abs() < 1e-13, "{method} at {t}: {p0} {p1}");
        }
    }
    let error =
        |steps: usize| record(&model, &with(&model, "midpoint", 1.0 / steps as f64)).last("cost") - 2.59235817192;
    assert_orders("cost", 2.0, 0.1, 20, |steps| error(steps).abs());
}

/// `analyze` says of the flow what the motion above shows: H and the momentum of x are constant. With time in the cost H is not.
#[test]
fn what_is_constant_along_optimal_motions_is_said() {
    let seen = |text: &str| {
        let model = model(text);
        let found = analyze(&model, &Settings::of(&model), AnalysisExtent::default());
        (found.to_text(), found.report().optimal_motion)
    };
    let (page, report) = seen(CART_POLE);
    assert!(page.contains("constant: it does not contain the time"), "{page}");
    assert!(page.contains("p_x is constant: H does not contain x"), "{page}");
    let report = report.unwrap();
    assert_eq!((report.constant, &report.momenta[..]), (Some(true), &["p_x".to_owned()][..]));
    assert_eq!(report.stationary_in, ["x''", "th''", "costate_x", "costate_th", "u"]);
    let (page, report) = seen(&CART_POLE.replace("u^2/2", "exp(t)*u^2/2"));
    assert_eq!(report.unwrap().constant, Some(false));
    assert!(page.contains("not constant: it contains the time"), "{page}");
    // A vakonomic motion is analysed itself.
    assert!(seen(VAKONOMIC).1.is_none());
}

/// The derivative of a step by its state, by central differences, keeps dq∧dp0 + dq'∧dp1 if the method is symplectic.
#[test]
fn collocation_from_momenta_is_symplectic() {
    const STATE: [&str; 8] = ["x", "th", "x'", "th'", "p_x", "p_th", "p_x'", "p_th'"];
    const AT: [f64; 8] = [0.1, 2.9, 0.4, -0.7, 1.0, -2.0, 3.0, 0.5];
    let step = |method: &str, at: [f64; 8]| -> [f64; 8] {
        let [x, th, vx, vth, p0x, p0th, p1x, p1th] = at;
        let start = format!(
            "coordinates.x = {{ start = {x:e}, velocity = {vx:e}, p0 = {p0x:e}, p1 = {p1x:e} }}\n\
             coordinates.th = {{ start = {th:e}, velocity = {vth:e}, p0 = {p0th:e}, p1 = {p1th:e} }}\n"
        );
        let rest = CART_POLE.lines().filter(|line| !line.contains("coordinates."));
        let model = model(&(start + &rest.collect::<Vec<_>>().join("\n").replace(", p = 0.5", "")));
        let run = record(&model, &with(&model, method, 0.1).steps(1));
        STATE.map(|name| run.last(name))
    };
    let defect = |method: &str| {
        let slopes: Vec<Vec<f64>> = (0..8)
            .map(|k| {
                let moved = |by: f64| step(method, std::array::from_fn(|i| AT[i] + if i == k { by } else { 0.0 }));
                let (after, before) = (moved(1e-5), moved(-1e-5));
                (0..8).map(|i| (after[i] - before[i]) / 2e-5).collect()
            })
            .collect();
        let form = |a: &[f64], b: &[f64]| (0..4).map(|i| a[i] * b[i + 4] - a[i + 4] * b[i]).sum::<f64>();
        let unit = |i: usize, j: usize| if i + 4 == j { 1.0 } else { 0.0 } - if j + 4 == i { 1.0 } else { 0.0 };
        let pairs = (0..8).flat_map(|i| (0..8).map(move |j| (i, j)));
        pairs.map(|(i, j)| (form(&slopes[i], &slopes[j]) - unit(i, j)).abs()).fold(0.0, f64::max)
    };
    // Differences of 1e-5 leave 1e-10 times third derivatives, and round-off 1e-11.
    assert!(defect("midpoint") < 1e-6, "{}", defect("midpoint"));
    assert!(defect("galerkin(2)") < 1e-6, "{}", defect("galerkin(2)"));
    assert!(defect("rk2") > 1e-3, "{}", defect("rk2"));
}

/// x'' = u at the least ∫ u²/2 from rest to rest: x = 3 t² − 2 t³, u = 6 − 12 t, so p1 = u and p0 = −p1' = 12.
const REST_TO_REST: &str = r#"
    coordinates.x = {}
    dynamics.lagrangian = "x'^2/2"
    controls.u = "x"
    objective.running = "u^2/2"
    boundary = { duration = 1, start = { x = 0, "x'" = 0 }, end = { x = 1, "x'" = 0 } }
"#;

#[test]
fn momenta_of_a_solution_are_those_of_the_flow() {
    let rest_to_rest = model(REST_TO_REST);
    let error = |steps: usize| {
        let momenta = solve(&rest_to_rest, None, steps).momenta.unwrap();
        let found = momenta.start.iter().chain(&momenta.end);
        let known = [("p_x", 12.0), ("p_x'", 6.0), ("p_x", 12.0), ("p_x'", -6.0)];
        found
            .zip(known)
            .map(|((name, found), (known_name, known))| {
                assert_eq!(name, known_name);
                (found - known).abs()
            })
            .fold(0.0, f64::max)
    };
    assert_orders("momenta", 2.0, 0.05, 20, error);
    // Past the end the motion goes on as the cubic.
    let past = |steps: usize| {
        let problem = problem(&rest_to_rest, None);
        let continued = problem.continued(&solve(&rest_to_rest, None, steps), 1.5).unwrap();
        let exact = |t: f64| [3.0 * t * t - 2.0 * t.powi(3), 6.0 * t * (1.0 - t), 6.0 - 12.0 * t];
        let rows = columns(&continued, ["t", "x", "x'", "u"]);
        let rows = rows.into_iter().filter(|[t, ..]| *t > 1.001);
        rows.map(|[t, x, v, u]| {
            let [x_, v_, u_] = exact(t);
            (x - x_).abs().max((v - v_).abs()).max((u - u_).abs())
        })
        .fold(0.0, f64::max)
    };
    assert_orders("past the end", 2.0, 0.05, 20, past);
}

/// A mass that depends on the place, friction, and a cost of higher degree: a run from the momenta of the solution arrives where it ends.
#[test]
fn a_run_from_the_momenta_of_a_solution_follows_it() {
    let text = |start: &str, ends: &str| {
        format!(
            "coordinates.x = {{ {start} }}\n\
             dynamics.lagrangian = \"(1 + x^2/4)*x'^2/2 - cos(x)\"\n\
             friction.x = \"-x'/5\"\n\
             controls.u = {{ on = {{ x = \"1 + x^2/10\" }} }}\n\
             objective.running = \"u^2/2 + u^4/20 + x^2/2\"\n{ends}"
        )
    };
    let ends = "boundary = { duration = 1.5, start = { x = 0.2, \"x'\" = 0.3 }, end = { x = 0.6, \"x'\" = 0.1 } }";
    let problem = model(&text("", ends));
    let errors = |steps: usize| {
        let solution = solve(&problem, None, steps);
        let momenta = solution.momenta.clone().unwrap().start;
        let start = format!("start = 0.2, velocity = 0.3, p0 = {:e}, p1 = {:e}", momenta[0].1, momenta[1].1);
        let flow = model(&text(&start, "simulation = { step = 0.1, until = 1.5 }"));
        let run = record(&flow, &reference(&flow, 0.1));
        [(run.last("x") - 0.6).abs().max((run.last("x'") - 0.1).abs()), (run.last("cost") - solution.objective).abs()]
    };
    assert_orders("end of the flow", 2.0, 0.1, 40, |steps| errors(steps)[0]);
    assert_orders("cost of the flow", 2.0, 0.1, 40, |steps| errors(steps)[1]);
}

/// x = 1/(1 + t) under the force −24 x x'²: for L = x''²/2 the equation is x'''' = −F.
#[test]
fn forces_beside_accelerations() {
    let braked = |start: &str, force: &str| {
        model(&format!(
            "coordinates.x = {{ start = 1, velocity = -1, {start} }}\n\
             dynamics.lagrangian = \"x''^2/2\"\n{force}\n\
             simulation = {{ method = \"dop853\", step = 0.1, until = 2 }}"
        ))
    };
    let (derivatives, momenta) = ("acceleration = 2, jerk = -6", "p0 = 6, p1 = 2");
    let forces = ["friction.x = \"-24*x*x'^2\"", "forces.x = \"-24*x*x'^2\"", "dynamics.dissipation = \"8*x*x'^3\""];
    for force in forces {
        let model = braked(derivatives, force);
        let run = record(&model, &reference(&model, 0.1));
        assert!((run.last("x") - 1.0 / 3.0).abs() < 1e-11, "{force}: {}", run.last("x"));
        assert!((run.last("x'''") + 6.0 / 81.0).abs() < 1e-10);
        assert_eq!(EnergyLaw::of(&model), EnergyLaw::Changes("forces act".to_owned()));
        // E = −x''' x' + x''²/2 changes at the rate of the power F x' = 24 x⁷, by 4 (1 − 3⁻⁶).
        let change = run.last("energy") - run.column("energy")[0];
        assert!((change - 4.0 * (1.0 - 3f64.powi(-6))).abs() < 1e-10, "{change}");
    }
    let error = |model: &Model, method: &str, steps: usize| {
        let run = record(model, &with(model, method, 2.0 / steps as f64));
        run.rows(["t", "x"]).iter().map(|[t, x]| (x - 1.0 / (1.0 + t)).abs()).fold(0.0, f64::max)
    };
    for (start, method, order, first) in [
        (derivatives, "hermite", 4.0, 20),
        (derivatives, "difference", 2.0, 80),
        (momenta, "midpoint", 2.0, 40),
        (momenta, "galerkin(2)", 4.0, 40),
    ] {
        let model = braked(start, forces[0]);
        assert_orders(method, order, 0.2, first, |steps| error(&model, method, steps));
    }
    let braked = braked(derivatives, forces[0]);
    let text = derive(&braked, &Settings::of(&braked), &[Form::Hamilton]);
    assert!(text.unwrap().to_text().contains("d(p_x)/dt = -24*x*x'^2"));
}

/// Third derivatives: x = e^t solves x⁽⁶⁾ = x for L = (x'''² + x²)/2, with p2 = x''', p1 = −x'''', p0 = x⁽⁵⁾.
#[test]
fn momenta_of_third_derivatives() {
    let text = r#"
        coordinates.x = { start = 1, velocity = 1, acceleration = 1, p0 = 1, p1 = -1, p2 = 1 }
        dynamics.lagrangian = "(x'''^2 + x^2)/2"
        simulation = { step = 0.1, until = 1 }
    "#;
    let model = model(text);
    let run = record(&model, &reference(&model, 0.1));
    for name in ["x", "x'", "x''", "x'''", "x''''", "x'''''", "p_x", "p_x''"] {
        assert!((run.last(name) - 1f64.exp()).abs() < 1e-11, "{name} {}", run.last(name));
    }
    let error =
        |steps: usize| (record(&model, &with(&model, "midpoint", 1.0 / steps as f64)).last("x") - 1f64.exp()).abs();
    assert_orders("midpoint", 2.0, 0.05, 20, error);
}

#[test]
fn a_sweep_shoots_from_momenta() {
    let model = model(CART_POLE);
    let sweep =
        SweepRows::of(&model, &with(&model, "midpoint", 0.01), grid(&["p=0.4:0.6:3", "x'=0:0.2:2"]), Record::End);
    for (at, (p, v)) in [(0.4, 0.0), (0.4, 0.2), (0.5, 0.0), (0.5, 0.2), (0.6, 0.0), (0.6, 0.2)].into_iter().enumerate()
    {
        let text = CART_POLE.replace("start = 0, velocity = 0", &format!("start = 0, velocity = {v}"));
        let alone = model_with(&text, &[("p", &p.to_string())]);
        let run = record(&alone, &with(&alone, "midpoint", 0.01));
        for name in ["x", "th", "p_th'", "cost"] {
            assert_eq!(sweep.column(name)[at], run.last(name), "{name} for p = {p}, x' = {v}");
        }
    }
}

#[test]
fn the_page_of_optimality_conditions() {
    let cart_pole = model(CART_POLE);
    let page = |model: &Model| derive(model, &Settings::of(model), &[Form::Optimal]).unwrap().to_text();
    let text = page(&cart_pole);
    // [VC] 7.2 by hand, with V1, V2 and V10 put right.
    for line in [
        "u = g*m*cos(th)*sin(th) - R*m*th'^2*sin(th) + m*x''*sin(th)^2 + mc*x''",
        "th'' = g*sin(th)/R - x''*cos(th)/R",
        "d(p_x)/dt = 0",
        "d(p_x')/dt = -p_x",
        "-d2H/(d(x'')*d(x'')) = m^2*sin(th)^4 + 2*m*mc*sin(th)^2 + mc^2",
        "The condition of regularity holds at generic states",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert!(usual_forms(&cart_pole).contains(&Form::Optimal));
    let without = model(&REST_TO_REST.replace("coordinates.x = {}", "coordinates.x = { start = 0 }"));
    assert!(!usual_forms(&without).contains(&Form::Optimal));
    assert!(page(&without).contains("H = p_x*x' + p_x'*x'' - x''^2/2"), "{}", page(&without));
    // Both ways of stating it have the same Hamiltonian up to the writing of sin² + cos².
    let vakonomic = model(VAKONOMIC);
    assert!(page(&vakonomic).contains("d(p_x')/dt = -p_x"));
    let settings = Settings::of(&cart_pole);
    let discrete = derive(&cart_pole, &settings, &[Form::Discrete]).unwrap().to_text();
    assert!(discrete.contains("p_x_1' = f_x_1'*h + p_x'"), "{discrete}");
}

/// With w = a'' + a'/10 + sin(a) the cost is (w² + a²)/2, whose equation is w'' − w'/10 + w cos(a) + a = 0.
#[test]
fn the_equation_of_fourth_order_by_hand() {
    let text = r#"
        coordinates.a = { start = 0, p1 = 1 }
        dynamics.lagrangian = "a'^2/2 + cos(a)"
        friction.a = "-a'/10"
        controls.torque = "a"
        objective.running = "torque^2/2 + a^2/2"
    "#;
    let model = model(text);
    let page = derive(&model, &Settings::of(&model), &[Form::Optimal]).unwrap().to_text();
    let by_hand = "2*a''*cos(a) - a'^2*sin(a) + a - a''/100 + a'''' + cos(a)*sin(a) = 0";
    assert!(page.contains(by_hand), "{page}");
}

/// Two thrusts on three coordinates leave the controls free in place of accelerations.
#[test]
fn controls_that_are_not_accelerations() {
    let text = r#"
        coordinates = { x = { start = 0, p1 = 1 }, y = 0, a = 0.2 }
        dynamics.lagrangian = "(x'^2 + y'^2 + a'^2)/2 - y"
        controls.u = { on = { x = "-sin(a)", y = "cos(a)", a = 1 } }
        objective.running = "u^2/2"
        simulation = { step = 0.01, until = 1 }
    "#;
    let model = model(text);
    let page = derive(&model, &Settings::of(&model), &[Form::Optimal]).unwrap().to_text();
    for line in ["x'' = -u*sin(a)", "a'' = u", "p_y'*cos(a) - p_x'*sin(a) + p_a' - u = 0"] {
        assert!(page.contains(line), "{line} is not in\n{page}");
    }
    let run = record(&model, &reference(&model, 0.1));
    assert!(run.column("energy").iter().all(|h| (h - run.column("energy")[0]).abs() < 1e-12));
}

#[test]
fn what_is_refused_from_momenta() {
    let cart_pole = model(CART_POLE);
    for method in ["trapezoidal", "left", "hermite", "difference", "energy-entropy", "compose(suzuki4, trapezoidal)"] {
        let message = refusal(&cart_pole, &with(&cart_pole, method, 0.1));
        assert!(message.contains("is not defined from momenta: use `midpoint`"), "{message}");
    }
    let lobatto = refusal(&cart_pole, &with(&cart_pole, "galerkin(2, lobatto(3))", 0.1));
    assert!(lobatto.contains("as many Gauss points"), "{lobatto}");
    let changed = [
        ("controls.u = \"x\"", "controls.u = { on = \"x\", max = 5 }", "bounds of controls are not defined"),
        ("objective.running = \"u^2/2\"", "objective.running = \"x^2\"", "have rank 4, not 5"),
        ("simulation = {", "entropies.S = 0\nsimulation = {", "entropies are not defined"),
        ("simulation = {", "constraints.rail = \"x = 0\"\nsimulation = {", "constraints are not defined"),
        ("simulation = {", "friction.x = { dry = 1 }\nsimulation = {", "dry frictions are not defined"),
    ];
    for (from, to, expected) in changed {
        let text = CART_POLE.replace(from, to);
        let text = if to.contains("entropies") { text.replace("R*cos(th)\"", "R*cos(th) - S\"") } else { text };
        let model = model(&text);
        let message = refusal(&model, &Settings::of(&model));
        assert!(message.contains(expected), "{expected}: {message}");
    }
    // A constraint without accelerations has no multiplier that momenta determine.
    let lower = model(&VAKONOMIC.replace("m*R*x''*cos(th) + m*R^2*th'' = m*g*R*sin(th)", "th' = x'"));
    assert!(refusal(&lower, &Settings::of(&lower)).contains("have rank"), "{}", refusal(&lower, &Settings::of(&lower)));
    // From derivatives there is no start of a multiplier, and with controls no Lagrangian with accelerations.
    let derivatives = VAKONOMIC.replace(", p0 = 1, p1 = 3", "").replace(", p0 = -2, p1 = \"p\"", "");
    let derivatives =
        model(&derivatives.replace("step = 0.01", "method = \"dop853\", step = 0.01").replace(", p = 0.5", ""));
    let message = refusal(&derivatives, &Settings::of(&derivatives));
    assert!(message.contains("from its start") && message.contains("`p0`"), "{message}");
}

/// A momentum that leads to where the control runs away ends with a reason, not with numbers.
#[test]
fn a_flow_that_ends_says_so() {
    let run = attempt_text(
        r#"
        coordinates.x = { start = 0, velocity = 0, p0 = 0, p1 = 0.1 }
        dynamics.lagrangian = "x'^2/2"
        controls.u = "x"
        objective.running = "u^2/2 - x^4"
        simulation = { method = "dop853", step = 0.1, until = 100 }
        "#,
    );
    let failure = run.failure("a cost without a least value").to_string();
    assert!(run.outcome.time < 100.0 && !failure.is_empty(), "{failure}");
    let same = attempt(&model(CART_POLE), &with(&model(CART_POLE), "midpoint", 0.01));
    assert!(same.outcome.warnings.is_empty());
}

#[test]
fn misplaced_momenta_are_shown_where_they_are() {
    let cases = [
        ("coordinates.x = { start = 0, p0 = 1 }\ndynamics.lagrangian = \"x'^2/2\"", "belongs to a control problem"),
        (
            "coordinates.x = { start = 0, p2 = 1 }\ndynamics.lagrangian = \"x'^2/2\"\ncontrols.u = \"x\"\nobjective.running = \"u^2\"",
            "a motion of order 2 has no momentum `p2`",
        ),
        (
            "coordinates.x = { start = 0, p0 = 1, acceleration = 1 }\ndynamics.lagrangian = \"x''^2/2\"",
            "the acceleration of `x` follows from the momenta at the start",
        ),
        (
            "coordinates.x = { start = 0, p0 = 1 }\ndynamics.lagrangian = \"x''^2/2\"\nsimulation.method = \"hermite\"",
            "`hermite` is not defined from momenta",
        ),
        ("coordinates.x = { start = 0, p0 = \"1/0\" }\ndynamics.lagrangian = \"x''^2/2\"", "division by zero"),
        ("coordinates.x = { start = 0, p_0 = 1 }\ndynamics.lagrangian = \"x''^2/2\"", "did you mean `p0`"),
    ];
    for (text, expected) in cases {
        let found = format!("{:?}", Model::from_toml(text).expect_err(expected).diagnostics);
        assert!(found.contains(expected), "{expected}: {found}");
    }
}
