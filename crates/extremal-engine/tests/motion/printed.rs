//! The printed discrete equations hold along the steps that are marched.

use std::collections::HashMap;

use extremal_engine::derive::{Form, derive};
use extremal_engine::expr::Expr;
use extremal_engine::model::EntropyBase;
use extremal_engine::printed::EquationSide;
use extremal_engine::{Model, Settings};

use extremal_testkit::models::model;
use extremal_testkit::runs::{attempt, with};

const STEP: f64 = 0.04;

fn system() -> Model {
    model(
        r#"
        parameters = { c = 0.3, k = 1.7 }
        coordinates = { x = { start = 0.4, velocity = 0.2 }, y = { start = -0.3, velocity = 0.5 } }
        dynamics.lagrangian = "(x'^2 + (1 + x^2)*y'^2)/2 + x*y'*sin(t) - k*cos(x)*y^2 - x^4/4"
        forces.y = "cos(2*t)*x"
        friction = { x = "-c*x'", y = "-c*y'*x^2" }
        discrete.lagrangian = "(x_1 - x_0)^2/(2*h) + (1 + x_0*x_1)*(y_1 - y_0)^2/(2*h) - h*k*cos(x_0)*y_1^2 - h*t*x_1"
        discrete.force_minus = { x = "-c*(x_1 - x_0)/2" }
        discrete.force_plus = { x = "-c*(x_1 - x_0)/2", y = "h*cos(2*t)*x_0" }
        simulation = { step = 0.04, steps = 60 }
        "#,
    )
}

type Values = HashMap<String, f64>;

/// The equations of a method as they are shown: momenta at both ends, and those of the inner nodes, which vanish.
struct Shown<'m> {
    model: &'m Model,
    momenta: Vec<(String, Expr<'m>)>,
    inner: Vec<Expr<'m>>,
    constants: Values,
}

impl<'m> Shown<'m> {
    fn of(model: &'m Model, method: &str) -> Shown<'m> {
        let derivation = derive(model, &with(model, method, STEP), &[Form::Discrete]).unwrap();
        let symbol = |side: &EquationSide<'_>| match side {
            EquationSide::Expression(expression) => expression.as_symbol().map(|name| name.to_string()),
            _ => None,
        };
        let mut shown = Shown { model, momenta: Vec::new(), inner: Vec::new(), constants: Values::new() };
        for line in derivation.sections.iter().flat_map(|section| section.equations()) {
            match (symbol(&line.left), &line.right) {
                (Some(name), EquationSide::Number(value)) => {
                    shown.constants.insert(name, *value);
                }
                (Some(name), EquationSide::Expression(right)) if name.starts_with("p_") => {
                    shown.momenta.push((name, *right));
                }
                (None, EquationSide::Expression(right)) => shown.inner.push(*right),
                _ => {}
            }
        }
        for parameter in model.parameters() {
            shown.constants.insert(parameter.name.clone(), parameter.value);
        }
        shown.constants.insert("h".to_string(), STEP);
        shown
    }

    fn evaluate(&self, expressions: &[Expr<'m>], values: &Values) -> Vec<f64> {
        let value_of = |name: &str| values.get(name).or_else(|| self.constants.get(name)).copied();
        self.model.graph().evaluate(expressions, value_of)
    }

    /// Adds the inner nodes to `values`: where their equations vanish, by Newton with differences for slopes.
    fn solve_inner_nodes(&self, values: &mut Values) {
        let nodes: Vec<(String, f64)> = (1..=self.inner.len() / 2)
            .flat_map(|i| {
                ["x", "y"].map(|q| (format!("{q}_c{i}"), 0.5 * (values[&format!("{q}_0")] + values[&format!("{q}_1")])))
            })
            .collect();
        values.extend(nodes.iter().cloned());
        for _ in 0..20 {
            let residual = self.evaluate(&self.inner, values);
            let columns: Vec<Vec<f64>> = nodes
                .iter()
                .map(|(name, _)| {
                    let mut moved = values.clone();
                    *moved.get_mut(name).unwrap() += 1e-6;
                    let after = self.evaluate(&self.inner, &moved);
                    after.iter().zip(&residual).map(|(a, b)| (a - b) / 1e-6).collect()
                })
                .collect();
            for ((name, _), step) in nodes.iter().zip(solve(&columns, &residual)) {
                *values.get_mut(name).unwrap() -= step;
            }
        }
    }
}

/// Gaussian elimination with pivots; the matrix is given by columns.
fn solve(columns: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let mut rows: Vec<Vec<f64>> = (0..n).map(|i| columns.iter().map(|c| c[i]).chain([right[i]]).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs())).unwrap();
        rows.swap(k, pivot);
        for i in 0..n {
            if i != k {
                let factor = rows[i][k] / rows[k][k];
                let row = rows[k].clone();
                rows[i].iter_mut().zip(row).for_each(|(a, b)| *a -= factor * b);
            }
        }
    }
    (0..n).map(|k| rows[k][n] / rows[k][k]).collect()
}

#[test]
fn printed_equations_hold_along_the_motion() {
    let model = system();
    let cases = [
        ("left", 0),
        ("midpoint", 0),
        ("trapezoidal", 0),
        ("theta(0.3)", 0),
        ("custom", 0),
        ("galerkin(2, lobatto(3))", 2),
        ("galerkin(3)", 4),
    ];
    for (method, inner) in cases {
        let shown = Shown::of(&model, method);
        assert_eq!((shown.momenta.len(), shown.inner.len()), (4, inner), "{method}");
        let run = attempt(&model, &with(&model, method, STEP));
        let columns = ["t", "x", "y", "p_x", "p_y"].map(|name| run.column(name));
        assert!(columns[0].len() > 60, "{method}");
        for k in 0..columns[0].len() - 1 {
            let mut values = Values::from([("t".to_string(), columns[0][k])]);
            for (name, column) in ["x", "y", "p_x", "p_y"].iter().zip(&columns[1..]) {
                values.insert(format!("{name}_0"), column[k]);
                values.insert(format!("{name}_1"), column[k + 1]);
            }
            shown.solve_inner_nodes(&mut values);
            let right: Vec<Expr<'_>> = shown.momenta.iter().map(|(_, e)| *e).collect();
            for ((name, _), value) in shown.momenta.iter().zip(shown.evaluate(&right, &values)) {
                // Quotients (x_1 - x_0)/h of rounded positions of order one lose a few ε/h, with coefficients up to
                // about ten for the inner nodes of degree 3.
                let error = (value - values[name]).abs();
                assert!(error <= 50.0 * f64::EPSILON / STEP, "{method}, step {k}: {name} is off by {error:e}");
            }
        }
    }
}

#[test]
fn a_custom_start_from_two_points_uses_the_same_equations() {
    let text = r#"
        coordinates.x = { start = 0.5, second = 0.53 }
        dynamics.lagrangian = "x'^2/2 - x^4/4"
        simulation = { method = "midpoint", start = "two-points", step = 0.1, steps = 50 }
    "#;
    let model = model(text);
    let run = attempt(&model, &Settings::of(&model));
    let (x, p) = (run.column("x"), run.column("p_x"));
    assert!((x[1] - 0.53).abs() <= 4.0 * f64::EPSILON, "the second point is reached: {}", x[1]);
    // p_0 = (x_1 - x_0)/h + h/2 ((x_0 + x_1)/2)³, by hand.
    let p0 = (0.53 - 0.5) / 0.1 + 0.05 * 0.515_f64.powi(3);
    assert!((p[0] - p0).abs() <= 8.0 * f64::EPSILON / 0.1);
}

/// One coordinate and one entropy, with time in the Lagrangian.
fn warm() -> Model {
    model(
        r#"
        parameters.c = 0.3
        coordinates.x = { start = 0.4, velocity = 0.2 }
        entropies.S = 0.5
        dynamics.lagrangian = "(1 + t)*x'^2/2 - (1 + x^2)*exp(S)"
        friction.x = "-c*x'"
        simulation = { step = 0.04, steps = 60 }
        "#,
    )
}

#[test]
fn the_base_of_the_entropies_is_printed_as_it_is_used() {
    let model = warm();
    let h = STEP;
    for (base, b) in [(EntropyBase::Left, 0.0), (EntropyBase::Midpoint, 0.5), (EntropyBase::Right, 1.0)] {
        let settings = Settings { entropy: base, ..with(&model, "midpoint", h) };
        let derivation = derive(&model, &settings, &[Form::Discrete]).unwrap();
        let lines: Vec<(String, Expr<'_>)> = derivation.sections[0]
            .equations()
            .map(|line| match (&line.left, &line.right) {
                (EquationSide::Expression(left), EquationSide::Expression(right)) => (left.to_string(), *right),
                _ => panic!("a line of other things than expressions"),
            })
            .collect();
        let names: Vec<&str> = lines.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["L_d", "p_x_0", "p_x_1", "0"]);
        let right: Vec<Expr<'_>> = lines.iter().map(|(_, right)| *right).collect();
        let run = attempt(&model, &settings);
        let columns = ["t", "x", "p_x", "S"].map(|name| run.column(name));
        for k in 0..columns[0].len() - 1 {
            let [t, x_0, p_0, s_0] = [0, 1, 2, 3].map(|i| columns[i][k]);
            let [_, x_1, p_1, s_1] = [0, 1, 2, 3].map(|i| columns[i][k + 1]);
            let values = model.graph().evaluate(&right, |name| {
                Some(match name {
                    "t" => t,
                    "h" => h,
                    "c" => 0.3,
                    "x_0" => x_0,
                    "x_1" => x_1,
                    "S_0" => s_0,
                    "S_1" => s_1,
                    other => panic!("the symbol {other}"),
                })
            });
            // By hand, with the entropy at (1 − b) S_0 + b S_1 and the rest in the middle.
            let (m, x, v) = (1.0 + t + h / 2.0, (x_0 + x_1) / 2.0, (x_1 - x_0) / h);
            let warmth = ((1.0 - b) * s_0 + b * s_1).exp();
            let typed = [
                h * (m * v * v / 2.0 - (1.0 + x * x) * warmth),
                m * v + h * x * warmth + h * 0.3 * v / 2.0,
                m * v - h * x * warmth - h * 0.3 * v / 2.0,
                (1.0 + x * x) * warmth * (s_1 - s_0) / h - 0.3 * v * v,
            ];
            for ((name, printed), by_hand) in names.iter().zip(&values).zip(typed) {
                // Difference quotients of rounded numbers of order one.
                let allowed = 50.0 * f64::EPSILON / h;
                assert!(
                    (printed - by_hand).abs() <= allowed,
                    "{base:?}, step {k}: {name} is {printed}, typed {by_hand}"
                );
            }
            let met = [values[1] - p_0, values[2] - p_1, values[3]];
            assert!(met.iter().all(|e| e.abs() <= 50.0 * f64::EPSILON / h), "{base:?}, step {k}: off by {met:?}");
        }
    }
}
