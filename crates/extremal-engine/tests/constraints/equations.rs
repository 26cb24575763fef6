//! Derived equals hand-written: constrained equations, continuous and discrete, at random points; and the printed discrete
//! equations hold along the steps that are marched.

use std::collections::HashMap;

use extremal_engine::Settings;
use extremal_engine::derive::{Form, derive};
use extremal_engine::expr::{Expr, magnitude};
use extremal_engine::mechanics::System;
use extremal_engine::printed::EquationSide;
use extremal_testkit::numbers::Draws;
use extremal_testkit::runs::{gallery, record, with};

/// Looks a symbol up by its printed name.
type Lookup<'a> = &'a dyn Fn(&str) -> f64;

/// Values for every symbol that is asked for: parameters of the model, else random.
struct Point<'m> {
    model: &'m extremal_engine::Model,
    draws: std::cell::RefCell<(Draws, HashMap<String, f64>)>,
}

impl Point<'_> {
    fn value(&self, name: &str) -> f64 {
        if let Some(parameter) = self.model.parameters().iter().find(|p| p.name == name) {
            return parameter.value;
        }
        let mut state = self.draws.borrow_mut();
        let (draws, known) = &mut *state;
        *known.entry(name.to_string()).or_insert_with(|| draws.between(-1.5, 1.5))
    }
}

/// `derived` against `typed`, at 20 points.
fn assert_same(
    name: &str,
    model: &extremal_engine::Model,
    derived: &[Expr<'_>],
    typed: &dyn Fn(Lookup<'_>) -> Vec<f64>,
) {
    let sizes: Vec<_> = derived.iter().map(|e| magnitude(*e)).collect();
    let all = [derived, &sizes].concat();
    for seed in 0..20 {
        let point = Point { model, draws: std::cell::RefCell::new((Draws(seed), HashMap::new())) };
        let ours = model.graph().evaluate(&all, |symbol| Some(point.value(symbol)));
        let by_hand = typed(&|symbol| point.value(symbol));
        assert_eq!(by_hand.len(), derived.len(), "{name}");
        for (row, hand) in by_hand.iter().enumerate() {
            // The rounding of a handful of operations on terms of that size.
            let allowed = 1e-13 * ours[derived.len() + row].max(hand.abs());
            assert!((ours[row] - hand).abs() <= allowed, "{name}, row {row}: derived {}, typed {hand}", ours[row]);
        }
    }
}

/// Lagrange's equations with reactions, then the constraints differentiated until they contain accelerations.
#[test]
fn continuous_equations_equal_hand_typed_ones() {
    type Typed = fn(Lookup<'_>) -> Vec<f64>;
    let cases: [(&str, Typed); 6] = [
        ("pendulum-rod", |s| {
            // [LM 66] with λ x of the source written 2 λ x, because the rod is x² + y² = l².
            let (x, y, vx, vy, ax, ay) = (s("x"), s("y"), s("x'"), s("y'"), s("x''"), s("y''"));
            let lambda = s("lambda_rod");
            vec![
                s("m") * (ax - s("g")) - 2.0 * lambda * x,
                s("m") * ay - 2.0 * lambda * y,
                2.0 * (x * ax + y * ay + vx * vx + vy * vy),
            ]
        }),
        ("pendulum-polar", |s| {
            // [LM 82], with the slip L1 put right.
            let (rho, phi, dr, w) = (s("rho"), s("phi"), s("rho'"), s("phi'"));
            vec![
                s("m") * (s("rho''") - rho * w * w - s("g") * phi.cos()) - s("lambda_rod"),
                s("m") * (rho * rho * s("phi''") + 2.0 * rho * dr * w + s("g") * rho * phi.sin()),
                s("rho''"),
            ]
        }),
        ("wire-phi-freed", |s| {
            // [LM 148], with the slip L3 put right.
            let (r, dr, w, sin) = (s("r"), s("r'"), s("phi'"), s("theta0").sin());
            vec![
                s("m") * (s("r''") - r * w * w * sin * sin - s("g") * s("theta0").cos()),
                s("m") * (r * r * s("phi''") + 2.0 * r * dr * w) * sin * sin - s("lambda_turn"),
                s("phi''"),
            ]
        }),
        ("pursuit", |s| {
            // [LM 169] and the constraint (167) differentiated.
            let (x, y, vx, vy, ax, ay) = (s("x"), s("y"), s("x'"), s("y'"), s("x''"), s("y''"));
            let ahead = s("u") * s("t") - y;
            vec![
                s("m") * ax - s("lambda_aim") * ahead,
                s("m") * ay - s("lambda_aim") * x,
                (s("u") - vy) * vx + ahead * ax + vx * vy + x * ay,
            ]
        }),
        ("knife-edge-rod", |s| {
            // [AD 7.66–7.68].
            let (sin, cos) = s("theta").sin_cos();
            let (vx, vy, w, l, lambda) = (s("x'"), s("y'"), s("theta'"), s("l"), s("lambda_edge"));
            vec![
                2.0 * s("m") * s("x''") + lambda * sin,
                2.0 * s("m") * s("y''") - lambda * cos,
                s("m") * l * l / 2.0 * s("theta''") + lambda * l / 2.0,
                -s("x''") * sin + s("y''") * cos - l / 2.0 * s("theta''") - w * (vx * cos + vy * sin),
            ]
        }),
        ("skate-on-incline-vakonomic", |s| {
            let (sin, cos) = s("theta").sin_cos();
            let (vx, vy, w) = (s("x'"), s("y'"), s("theta'"));
            let (lambda, rate) = (s("lambda_blade"), s("lambda_blade'"));
            vec![
                s("m") * (s("x''") - s("g")) + rate * sin + lambda * w * cos,
                s("m") * s("y''") - rate * cos + lambda * w * sin,
                s("J") * s("theta''") - lambda * (vx * cos + vy * sin),
                s("x''") * sin - s("y''") * cos + w * (vx * cos + vy * sin),
            ]
        }),
    ];
    for (name, typed) in cases {
        let model = gallery(name);
        assert_same(name, &model, &System::of(&model).motion_equations(), &|s| typed(s));
    }
}

/// The right-hand sides of the printed equations of a step, the discrete Lagrangian left out.
fn printed<'m>(model: &'m extremal_engine::Model, settings: &Settings) -> Vec<Expr<'m>> {
    let derivation = derive(model, settings, &[Form::Discrete]).unwrap();
    let lines = derivation.sections[0].equations().skip(1);
    let right = lines.map(|line| match line.right {
        EquationSide::Expression(right) => right,
        _ => panic!("a number among the equations"),
    });
    right.collect()
}

/// One step of `midpoint`, as (3.3) with half an impulse at each end; the constraint after it; velocities and hidden constraint.
#[test]
fn discrete_equations_equal_hand_typed_ones() {
    type Typed = fn(Lookup<'_>) -> Vec<f64>;
    let cases: [(&str, Typed); 4] = [
        ("pendulum-rod", |s| {
            let (m, g, h) = (s("m"), s("g"), s("h"));
            let (wx, wy) = ((s("x_1") - s("x_0")) / h, (s("y_1") - s("y_0")) / h);
            let (before, after) = (s("lambda_rod_0"), s("lambda_rod_1"));
            vec![
                m * wx - h / 2.0 * (m * g + 2.0 * before * s("x_0")),
                m * wy - h / 2.0 * 2.0 * before * s("y_0"),
                m * wx + h / 2.0 * (m * g + 2.0 * after * s("x_1")),
                m * wy + h / 2.0 * 2.0 * after * s("y_1"),
                s("x_1").powi(2) + s("y_1").powi(2) - s("l").powi(2),
                m * s("x_1'"),
                m * s("y_1'"),
                2.0 * (s("x_1") * s("x_1'") + s("y_1") * s("y_1'")),
            ]
        }),
        ("wire-phi-freed", |s| {
            let (m, h, sin) = (s("m"), s("h"), s("theta0").sin());
            let (r, wr, wp) = ((s("r_0") + s("r_1")) / 2.0, (s("r_1") - s("r_0")) / h, (s("phi_1") - s("phi_0")) / h);
            let pull = m * (r * sin * sin * wp * wp + s("g") * s("theta0").cos());
            let moment = m * r * r * sin * sin * wp;
            vec![
                m * wr - h / 2.0 * pull,
                moment - h / 2.0 * s("lambda_turn_0"),
                m * wr + h / 2.0 * pull,
                moment + h / 2.0 * s("lambda_turn_1"),
                s("phi_1") - s("w") * (s("t") + h),
                m * s("r_1'"),
                m * s("r_1").powi(2) * sin * sin * s("phi_1'"),
                s("phi_1'") - s("w"),
            ]
        }),
        ("rolling-disc", |s| {
            // [TT] example 2.32 with theorem 2.31; multipliers in our sign and units.
            let (m, i, j, r, h) = (s("m"), s("I"), s("J"), s("R"), s("h"));
            let rate = |q: &str| (s(&format!("{q}_1")) - s(&format!("{q}_0"))) / h;
            let (wx, wy, wt, wp) = (rate("x"), rate("y"), rate("theta"), rate("phi"));
            let half = |place: &str| {
                let (sin, cos) = s(&format!("phi_{place}")).sin_cos();
                let (lx, ly) = (s(&format!("lambda_roll_x_{place}")), s(&format!("lambda_roll_y_{place}")));
                [h / 2.0 * lx, h / 2.0 * ly, -h / 2.0 * r * (lx * cos + ly * sin)]
            };
            let ([ax, ay, at], [bx, by, bt]) = (half("0"), half("1"));
            let (sin, cos) = ((s("phi_0") + s("phi_1")) / 2.0).sin_cos();
            let (sin_1, cos_1) = s("phi_1").sin_cos();
            vec![
                m * wx - ax,
                m * wy - ay,
                i * wt - at,
                j * wp,
                m * wx + bx,
                m * wy + by,
                i * wt + bt,
                j * wp,
                wx - r * cos * wt,
                wy - r * sin * wt,
                m * s("x_1'"),
                m * s("y_1'"),
                i * s("theta_1'"),
                j * s("phi_1'"),
                s("x_1'") - r * cos_1 * s("theta_1'"),
                s("y_1'") - r * sin_1 * s("theta_1'"),
            ]
        }),
        ("skate-on-incline-vakonomic", |s| {
            // (4.3): the multiplier of the step stands in the discrete Lagrangian.
            let (m, g, h) = (s("m"), s("g"), s("h"));
            let (wx, wy, wt) =
                ((s("x_1") - s("x_0")) / h, (s("y_1") - s("y_0")) / h, (s("theta_1") - s("theta_0")) / h);
            let (sin, cos) = ((s("theta_0") + s("theta_1")) / 2.0).sin_cos();
            let lambda = s("lambda_blade");
            let bend = h / 2.0 * lambda * (wx * cos + wy * sin);
            vec![
                m * wx + lambda * sin - h / 2.0 * m * g,
                m * wy - lambda * cos,
                s("J") * wt - bend,
                m * wx + lambda * sin + h / 2.0 * m * g,
                m * wy - lambda * cos,
                s("J") * wt + bend,
                wx * sin - wy * cos,
            ]
        }),
    ];
    for (name, typed) in cases {
        let model = gallery(name);
        let derived = printed(&model, &with(&model, "midpoint", 0.1));
        assert_same(name, &model, &derived, &|s| typed(s));
    }
}

/// The printed step of the pendulum along its run: the first impulse makes up for p_0, the last for p_1, each with one multiplier.
#[test]
fn printed_discrete_equations_hold_along_the_motion() {
    let pendulum = gallery("pendulum-rod");
    let h = 0.05;
    let rows = record(&pendulum, &with(&pendulum, "midpoint", h)).rows(["x", "y", "p_x", "p_y"]);
    for pair in rows.windows(2) {
        let [[x0, y0, px0, py0], [x1, y1, px1, py1]] = [pair[0], pair[1]];
        let (wx, wy) = ((x1 - x0) / h, (y1 - y0) / h);
        // What is left of the momenta must point along the rod.
        let before = [wx - h / 2.0 * 9.81 - px0, wy - py0];
        let after = [px1 - wx - h / 2.0 * 9.81, py1 - wy];
        // Quotients of rounded positions lose ε/h.
        let rounding = 20.0 * f64::EPSILON / h;
        assert!((before[0] * y0 - before[1] * x0).abs() < rounding, "{before:?}");
        assert!((after[0] * y1 - after[1] * x1).abs() < rounding, "{after:?}");
        assert!((x1 * x1 + y1 * y1 - 1.0).abs() < 1e-14 && (x1 * px1 + y1 * py1).abs() < 1e-14);
    }
}
