//! Discrete systems of the user's own between two positions at each end: the cart and pole of [VC] 8.6, and its flow past the end.

use extremal_engine::boundary::{ContinuationError, Problem, Statement};
use extremal_engine::{Model, Settings};

use extremal_testkit::boundary::{attempt, problem, solve};
use extremal_testkit::models::model;
use extremal_testkit::numbers::distance;
use extremal_testkit::runs::record;

/// The optimal value by another program, with a residual of the optimality conditions of 1e-11.
const COST: f64 = 29.3528614704;

const CART_POLE: &str = r#"
    parameters = { M = 1.0, m = 0.3, l = 0.5, g = 9.81 }
    coordinates = { x = {}, th = {} }
    [boundary]
    duration = 2.0
    steps = 50
    start = { x = 0, th = "pi" }
    second = { x = 0, th = "pi" }
    next_to_last = { x = 1, th = 0 }
    end = { x = 1, th = 0 }
"#;

/// L_d of the thesis times h, the force h u at every inner node.
fn with_controls(more: &str) -> Model {
    let stated = r#"
    [dynamics]
    lagrangian = "(M + m)*x'^2/2 + m*l*cos(th)*x'*th' + m*l^2*th'^2/2 - m*g*l*cos(th)"
    [objective]
    running = "u^2/2"
    [discrete]
    lagrangian = """(M + m)*(x_1 - x_0)^2/(2*h) + m*l*cos((th_0 + th_1)/2)*(x_1 - x_0)*(th_1 - th_0)/h
        + m*l^2*(th_1 - th_0)^2/(2*h) - h*m*g*l*cos((th_0 + th_1)/2)"""
    "#;
    model(&format!("{CART_POLE}{stated}{more}"))
}

/// The same as the thesis puts it last: h u²/2 over three points, with u from the equation of the cart, under that of the pole.
fn over_three_points(more: &str) -> Model {
    let stated = r#"
    [dynamics]
    lagrangian = "((M + m)*x'' + m*l*(cos(th)*th'' - sin(th)*th'^2))^2/2"
    [constraints]
    pole = { equation = "m*l*cos(th)*x'' + m*l^2*th'' - m*g*l*sin(th) = 0", kind = "vakonomic" }
    [discrete]
    lagrangian = """h/2*((M + m)/h^2*(2*x_1 - x_0 - x_2)
        + m*l/h^2*(cos((th_1 + th_0)/2)*(th_1 - th_0) - cos((th_2 + th_1)/2)*(th_2 - th_1)))^2"""
    constraints.pole = """l^2*m*(2*th_1 - th_0 - th_2) + l*m*((x_1 - x_0)*cos((th_1 + th_0)/2) - (x_2 - x_1)*cos((th_2 + th_1)/2))
        + l*m*g*h^2/2*(sin((th_1 + th_0)/2) + sin((th_2 + th_1)/2))
        - l*m/2*((x_1 - x_0)*(th_1 - th_0)*sin((th_1 + th_0)/2) + (x_2 - x_1)*(th_2 - th_1)*sin((th_2 + th_1)/2)) = 0"""
    "#;
    model(&format!("{CART_POLE}{stated}{more}"))
}

#[test]
fn controls_at_the_nodes_of_a_discrete_lagrangian() {
    for cost in ["", "cost = \"h*u^2/2\"\n"] {
        let model = with_controls(&format!("{cost}[controls]\nu = \"x\""));
        let solution = solve(&model, Some("custom"), 50);
        assert!((solution.objective - COST).abs() < 5e-10 * COST, "{}", solution.objective);
        let sum: f64 = solution.values("u").unwrap().iter().map(|u| 0.04 * u * u / 2.0).sum();
        assert!((sum - COST).abs() < 1e-8, "the controls in the table cost {sum}");
    }
    // A cost that is twice as large is.
    let model = with_controls("cost = \"h*u^2\"\n[controls]\nu = \"x\"");
    assert!((solve(&model, Some("custom"), 50).objective - 2.0 * COST).abs() < 1e-8);
    // Bounds hold at the nodes.
    let bounded = with_controls("[controls]\nu = { on = \"x\", min = -10, max = 10 }");
    let solution = solve(&bounded, Some("custom"), 50);
    assert!(solution.objective > COST + 0.1 && solution.values("u").unwrap().iter().all(|u| u.abs() <= 10.0 + 1e-6));
    let refused = problem(&bounded, Some("custom")).continued(&solution, 2.2).unwrap_err();
    assert_eq!(refused, ContinuationError::Bound("u".to_owned()));
}

#[test]
fn the_second_order_problem_has_the_same_solution() {
    let (three, controlled) = (over_three_points(""), with_controls("[controls]\nu = \"x\""));
    let three = solve(&three, Some("custom"), 50);
    let nodes = solve(&controlled, Some("custom"), 50);
    assert!((three.objective - COST).abs() < 5e-10 * COST, "{}", three.objective);
    for name in ["x", "th"] {
        assert!(distance(&three.values(name).unwrap(), &nodes.values(name).unwrap()) < 1e-8, "{name}");
    }
    // Its constraint is the equation of the pole times h: so is its multiplier the costate of the pole over h.
    let [lambda, costate] = [three.values("lambda_pole"), nodes.values("costate_th")].map(Option::unwrap);
    let scaled: Vec<f64> = lambda.iter().map(|lambda| lambda * 0.04).collect();
    assert!(distance(&scaled, &costate) < 1e-6, "{scaled:?}\n{costate:?}");
}

/// The solution is an orbit of the discrete flow, which `run` follows from its first four points, and `continued` past its end.
#[test]
fn the_discrete_flow_goes_through_the_solution_and_on() {
    let stated = over_three_points("");
    let problem = problem(&stated, Some("custom"));
    let solution = attempt(&problem, Some(50));
    let continued = problem.continued(&solution, 2.4).unwrap();
    assert_eq!(continued.rows.len(), 61);
    let points: Vec<String> =
        continued.rows[..4].iter().map(|row| format!("{{ x = {:e}, th = {:e} }}", row[1], row[2])).collect();
    let lambda = continued.values("lambda_pole").unwrap();
    let start = format!(
        "points = [{}]\nmultipliers = [{{ pole = {:e} }}, {{ pole = {:e} }}]\n[simulation]\nmethod = \"custom\"\nstart = \"points\"\nstep = 0.04\nsteps = 50",
        points.join(", "),
        lambda[1],
        lambda[2]
    );
    let flow = over_three_points(&start);
    let run = record(&flow, &Settings::of(&flow));
    // Errors of about 1e-10 in the start grow with the flow, which has expanding directions: 1e4 over the motion.
    for name in ["x", "th"] {
        let apart = distance(&run.column(name)[..51], &continued.values(name).unwrap()[..51]);
        assert!(apart < 1e-6, "{name}: {apart:e}");
    }
    assert!((run.column("step_lambda_pole")[30] - lambda[31]).abs() < 1e-2);
    // What follows after the end satisfies the equations as they are typed in the thesis, from one end of five points to the other.
    let h = 0.04;
    let rows: Vec<[f64; 3]> =
        continued.rows.iter().zip(&lambda).map(|(row, lambda)| [row[1], row[2], *lambda]).collect();
    for at in 2..58 {
        let five: [[f64; 3]; 5] = std::array::from_fn(|k| rows[at - 2 + k]);
        for coordinate in 0..2 {
            let residual = stationarity(h, five, coordinate);
            assert!(residual.abs() < 2e-4, "row {at}, coordinate {coordinate}: {residual:e}");
        }
    }
    // And the controls of the other form of the problem, continued, are those of this one.
    let controlled = with_controls("[controls]\nu = \"x\"");
    let nodes = extremal_testkit::boundary::problem(&controlled, Some("custom"));
    let nodes = nodes.continued(&attempt(&nodes, Some(50)), 2.4).unwrap();
    for name in ["x", "th"] {
        assert!(distance(&nodes.values(name).unwrap(), &continued.values(name).unwrap()) < 1e-5, "{name}");
    }
    assert!(nodes.values("u").unwrap()[50..60].iter().all(|u| u.abs() > 1.0));
}

/// ∂/∂q_2 of the extended action over five points, by a central difference of the formulas of [VC] 8.6.
fn stationarity(h: f64, five: [[f64; 3]; 5], coordinate: usize) -> f64 {
    let (big, m, l, g) = (1.0, 0.3, 0.5, 9.81);
    let extended = |p: [[f64; 3]; 3]| {
        let [[x0, a, _], [x1, b, lambda], [x2, c, _]] = p;
        let (first, last) = ((a + b) / 2.0, (b + c) / 2.0);
        let u = (big + m) / h.powi(2) * (2.0 * x1 - x0 - x2)
            + m * l / h.powi(2) * (first.cos() * (b - a) - last.cos() * (c - b));
        let phi = l * l * m * (2.0 * b - a - c)
            + l * m * ((x1 - x0) * first.cos() - (x2 - x1) * last.cos())
            + l * m * g * h * h / 2.0 * (first.sin() + last.sin())
            - l * m / 2.0 * ((x1 - x0) * (b - a) * first.sin() + (x2 - x1) * (c - b) * last.sin());
        h * u * u / 2.0 + lambda * phi
    };
    let action = |shift: f64| {
        let mut moved = five;
        moved[2][coordinate] += shift;
        (0..3).map(|k| extended([moved[k], moved[k + 1], moved[k + 2]])).sum::<f64>()
    };
    let eps = 1e-4;
    (action(eps) - action(-eps)) / (2.0 * eps)
}

#[test]
fn what_has_no_meaning_is_refused_by_name() {
    let refusal = |model: &Model, method: &str| {
        Problem::new(model, Statement::of(model).unwrap(), &method.parse().unwrap()).err().unwrap().to_string()
    };
    let velocities = |model: &str| model.replace("start = { x = 0, ", "start = { \"x'\" = 0, x = 0, ");
    for text in [with_controls("[controls]\nu = \"x\""), over_three_points("")] {
        let stated = model(&velocities(text.source_text()));
        assert!(refusal(&stated, "custom").contains("two positions at each end"), "{}", refusal(&stated, "custom"));
    }
    let graded = with_controls("[controls]\nu = \"x\"")
        .source_text()
        .replace("steps = 50", "steps = 50\ngrading = { start = 2 }");
    assert!(refusal(&model(&graded), "custom").contains("whose steps are equal"));
    let terminal =
        with_controls("[controls]\nu = \"x\"").source_text().replace("running =", "terminal = \"x^2\"\nrunning =");
    assert!(refusal(&model(&terminal), "custom").contains("a terminal cost cannot be stated"));
    let plain = with_controls("[controls]\nu = \"x\"");
    let midpoint = problem(&plain, Some("midpoint"));
    assert_eq!(midpoint.continued(&attempt(&midpoint, Some(50)), 2.2).unwrap_err(), ContinuationError::NoFlow);
    let nodes = problem(&plain, Some("custom"));
    let solution = attempt(&nodes, Some(50));
    assert!(nodes.continued(&solution, 1.0).unwrap_err().to_string().contains("it ends at 2"));
}

/// Two positions at the start are an initial value problem: the pendulum of the recurrence, by any method.
#[test]
fn two_positions_at_one_end_determine_a_motion_with_friction() {
    let text = r#"
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2 + cos(x)"
        friction.x = "-x'/10"
        boundary = { duration = 2.0, steps = 20, start = { x = 1.0 }, second = { x = 0.98 } }
    "#;
    let found = solve(&model(text), Some("midpoint"), 20).values("x").unwrap();
    let (h, mut x) = (0.1, vec![1.0f64, 0.98]);
    // D_2 L_d + f+ of one step, D_1 L_d + f- of the next, solved for the third position by Newton's method.
    for k in 1..20 {
        let [a, b] = [x[k - 1], x[k]];
        let row = |c: f64| {
            (b - a) / h
                - h / 2.0 * ((a + b) / 2.0).sin()
                - (b - a) / 20.0
                - (c - b) / h
                - h / 2.0 * ((b + c) / 2.0).sin()
                - (c - b) / 20.0
        };
        let c = (0..20).fold(2.0 * b - a, |c, _| c - row(c) / ((row(c + 1e-6) - row(c - 1e-6)) / 2e-6));
        x.push(c);
    }
    // Newton's method ends at residuals of 1e-8 of the solver.
    assert!(distance(&found, &x) < 1e-7, "{found:?}\n{x:?}");
}
