//! Equations solved for what they determine, and steps in closed form, against runs and formulas typed by hand.

use std::collections::HashMap;

use extremal_engine::derive::{Form, derive, usual_forms};
use extremal_engine::gallery::names;
use extremal_engine::mechanics::System;
use extremal_engine::model::Start;
use extremal_engine::printed::{EquationSide, Section};
use extremal_engine::{Model, Settings};
use extremal_testkit::models::{model, value_at};
use extremal_testkit::numbers::Draws;
use extremal_testkit::runs::{Lasting, attempt, gallery, gallery_text, record, reference, with};

fn printed(name: &str) -> String {
    let model = gallery(name);
    derive(&model, &Settings::of(&model), &[Form::Solved]).unwrap().to_text()
}

/// Multipliers and accelerations as their sources have them: [AD 7.6], [LM 77] (whose rod is half of ours), [LM 83], and the rolling disc.
#[test]
fn solved_equations_are_those_of_the_sources() {
    let cases = [
        ("hoop-on-incline", &["lambda_roll = g*m*sin(alpha)/2", "x'' = g*sin(alpha)/2"][..]),
        ("pendulum-rod", &["lambda_rod = -m*(g*x + x'^2 + y'^2)/(2*l^2)"]),
        ("pendulum-polar", &["lambda_rod = -l*m*phi'^2 - g*m*cos(phi)", "phi'' = -g*sin(phi)/l", "rho'' = 0"]),
        ("dumbbell-on-rails", &["lambda_rod = -m*(g*x1 - g*x2 + x2'^2 + y1'^2)/(2*l^2)"]),
        ("rolling-disc", &["lambda_roll_x = -R*m*phi'*theta'*sin(phi)", "y' = R*theta'*sin(phi)", "J*phi'' = 0"]),
        ("kepler", &["x'' = -mu*x/(x^2 + y^2)^(3/2)"]),
        ("ideal-gas-piston", &["S' = gamma*x'^2/(x^(-1/c)*exp(S))"]),
    ];
    for (name, lines) in cases {
        let text = printed(name);
        lines.iter().for_each(|line| assert!(text.contains(line), "{name}: no {line} in\n{text}"));
    }
}

/// Short ones are printed where no form is asked for, long ones are not; LaTeX and JSON have them too.
#[test]
fn short_solved_equations_are_usual() {
    for (name, is_usual) in [("hoop-on-incline", true), ("cart-pole", true), ("double-pendulum-rods", false)] {
        assert_eq!(usual_forms(&gallery(name)).contains(&Form::Solved), is_usual, "{name}");
    }
    let model = gallery("hoop-on-incline");
    let derivation = derive(&model, &Settings::of(&model), &usual_forms(&model)).unwrap();
    let latex = derivation.to_latex();
    assert!(latex.contains("\\lambda_{\\mathrm{roll}} &= "), "{latex}");
    let json = serde_json::to_value(&derivation).unwrap();
    let titles: Vec<&str> = json["sections"].as_array().unwrap().iter().filter_map(|s| s["title"].as_str()).collect();
    assert!(titles.contains(&"Solved equations") && titles.contains(&"Reduced equations"), "{titles:?}");
}

/// A singular Lagrangian has no accelerations to solve for, and says so.
#[test]
fn what_cannot_be_solved_is_said() {
    let model = model("coordinates.x = 1.0\ncoordinates.y = 0.0\ndynamics.lagrangian = \"(x' + y')^2/2 - x^2\"");
    let text = derive(&model, &Settings::of(&model), &[Form::Solved]).unwrap().to_text();
    assert!(text.contains("do not determine the accelerations in closed form"), "{text}");
}

/// Of every gallery model: without holonomic constraints, the solved values satisfy the equations of motion at random points.
#[test]
fn solved_values_satisfy_the_equations() {
    let mut compared = 0;
    for name in names() {
        let model = gallery(name);
        let system = System::of(&model);
        if system.constraints.iter().any(|c| c.kind.nature().binds_positions) {
            continue;
        }
        let Some(values) = system.solved_motion() else { continue };
        let g = system.graph;
        let rules: Vec<_> = system.motion_unknowns().into_iter().zip(values).collect();
        let equations = system.motion_equations();
        let sizes: Vec<_> = equations.iter().map(|e| extremal_engine::expr::magnitude(*e)).collect();
        let all = g.substitute(&[&equations[..], &sizes].concat(), &rules);
        let mut draws = Draws(7);
        let mut seen = HashMap::new();
        for _ in 0..5 {
            seen.clear();
            let parameter = |name: &str| model.parameters().iter().find(|p| p.name == name).map(|p| p.value);
            let symbols = g.free_symbols(&all);
            for symbol in symbols.iter().filter_map(|symbol| symbol.as_symbol()) {
                let value = parameter(&symbol).unwrap_or_else(|| draws.between(0.3, 1.2));
                seen.insert(symbol.to_string(), value);
            }
            let found = g.evaluate(&all, |name| seen.get(name).copied());
            for (row, size) in found[..equations.len()].iter().zip(&found[equations.len()..]) {
                // A random point may be outside of a domain.
                let is_inside = row.is_finite() && size.is_finite();
                assert!(!is_inside || row.abs() <= 1e-10 * size, "{name}: {row} of {size}");
                compared += usize::from(is_inside);
            }
        }
    }
    assert!(compared > 500, "only {compared}");
}

/// Along motions under constraints, the solved multipliers are those that a run of DOP853 finds by its own linear algebra.
#[test]
fn solved_multipliers_are_those_of_runs() {
    let mut compared = 0;
    for name in names() {
        let model = gallery(name);
        // A discrete system of its own is no motion of a reference.
        let marched = model.boundary().is_none() && model.discrete().is_none() && model.dry_friction().is_empty();
        if model.constraints().is_empty() || !marched {
            continue;
        }
        let system = System::of(&model);
        let Some(values) = system.solved_motion() else { continue };
        let columns = model.constraints().iter().map(|c| format!("lambda_{}", c.name));
        let reacting = system.constraints.iter().zip(columns).filter(|(c, _)| !c.is_vakonomic());
        let unknowns = system.motion_unknowns();
        let settings = Settings { start: Start::Legendre, ..reference(&model, 0.01).steps(40) };
        let run = attempt(&model, &settings);
        for (constraint, column) in reacting {
            let place = unknowns.iter().position(|unknown| *unknown == constraint.multiplier).unwrap();
            let recorded = run.column(&column);
            for (row, recorded) in recorded.iter().enumerate() {
                let state = run.recorder.columns().names().map(str::to_owned);
                let values_there = run.recorder.series().rows().nth(row).unwrap().to_vec();
                let point: Vec<(String, f64)> = state.zip(values_there).collect();
                let point: Vec<(&str, f64)> = point.iter().map(|(name, value)| (name.as_str(), *value)).collect();
                let found = value_at(&model, values[place], &point);
                // Denominators of a rotation vanish where it starts, at the axes of space.
                if row == 0 && !found.is_finite() && gallery_text(name).contains("rotation = true") {
                    continue;
                }
                assert!(
                    (found - recorded).abs() < 1e-7 * (1.0 + recorded.abs()),
                    "{name}, {column}: {found} {recorded}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "only {compared}");
}

/// The lines of a closed form, evaluated for the step number `k`.
fn x_k(model: &Model, section: &Section<'_>, known: &HashMap<String, f64>, k: f64) -> f64 {
    let mut values = known.clone();
    let index = ["k", "n", "j"].into_iter().find(|name| !known.contains_key(*name)).unwrap();
    values.insert(index.to_owned(), k);
    let mut last = f64::NAN;
    for line in section.equations() {
        let EquationSide::Expression(right) = &line.right else { panic!("an expression") };
        let value = model.graph().evaluate(&[*right], |name| values.get(name).copied())[0];
        let left = line.left.text();
        // An angle is given by its cosine.
        match left.strip_prefix("cos(").and_then(|rest| rest.strip_suffix(')')) {
            Some(angle) => values.insert(angle.to_owned(), value.acos()),
            None => values.insert(left, value),
        };
        last = value;
    }
    last
}

/// Checks x_k of every coordinate against a run of so many steps; returns what was said of the roots.
fn assert_closed(model: &Model, settings: &Settings, steps: u64, tolerance: f64) -> Vec<String> {
    let derivation = derive(model, settings, &[Form::Discrete]).unwrap();
    let sections: Vec<_> = derivation.sections.iter().filter(|s| s.title == "Closed form of the steps").collect();
    assert_eq!(sections.len(), model.coordinates().len(), "{}", derivation.to_text());
    let run = record(model, &settings.clone().steps(steps));
    let mut known: HashMap<String, f64> = model.parameters().iter().map(|p| (p.name.clone(), p.value)).collect();
    known.insert("h".to_owned(), settings.step.unwrap());
    for coordinate in model.coordinates() {
        let name = &coordinate.name;
        let momentum = format!("p_{name}");
        for (symbol, column) in [(format!("{name}_0"), name), (format!("p_{name}_0"), &momentum)] {
            known.insert(symbol, run.column(column)[0]);
        }
        known.insert(format!("{name}_0'"), run.column(&format!("{name}'"))[0]);
        known.insert(format!("{name}_1"), run.column(name)[1]);
    }
    for (coordinate, section) in model.coordinates().iter().zip(&sections) {
        for (k, marched) in run.column(&coordinate.name).iter().enumerate() {
            let closed = x_k(model, section, &known, k as f64);
            assert!((closed - marched).abs() < tolerance, "{} at {k}: {closed} {marched}", coordinate.name);
        }
    }
    sections.iter().filter_map(|section| section.note.clone()).collect()
}

/// x_k by the roots of the characteristic polynomial [TT 2.6, A.2] is where the recurrence leads, for every kind of root.
#[test]
fn steps_of_linear_systems_have_closed_forms() {
    let spring = gallery("spring-with-friction");
    let notes = assert_closed(&spring, &Settings::of(&spring), 200, 1e-12);
    assert!(notes[0].contains("x_(k + 1) = A*x_k - B*x_(k - 1), with complex roots"), "{notes:?}");
    for method in ["left", "midpoint", "trapezoidal", "rk2", "rk4", "euler"] {
        // The projectile is above the ground for a while only.
        for (name, steps) in [("harmonic-oscillator", 100), ("viscous-oscillator", 100), ("projectile", 10)] {
            let model = gallery(name);
            assert_closed(&model, &with(&model, method, 0.1), steps, 1e-10);
        }
    }
    // Free fall: a double root at one, and a constant.
    let falling = model("coordinates.y = { start = 2, velocity = 1 }\ndynamics.lagrangian = \"y'^2/2 - 9.81*y\"");
    let notes = assert_closed(&falling, &with(&falling, "midpoint", 0.1), 50, 1e-10);
    assert!(notes[0].contains("double root"), "{notes:?}");
    // A weight on a spring swings about its rest; overdamped it creeps there.
    for (damping, kind) in [("0.1", "complex"), ("9", "real")] {
        let hanging = model(&format!(
            "coordinates.y = {{ start = 2, velocity = 1 }}
             dynamics.lagrangian = \"y'^2/2 - 4*y^2/2 - 9.81*y\"
             friction.y = \"-{damping}*y'\""
        ));
        let notes = assert_closed(&hanging, &with(&hanging, "midpoint", 0.05), 100, 1e-10);
        assert!(notes[0].contains(kind), "{notes:?}");
    }
}

/// What is not linear, changes with time, or is coupled, has none.
#[test]
fn other_steps_have_none() {
    for name in ["pendulum", "caldirola-kanai", "coupled-oscillators", "hoop-on-incline", "damped-oscillator"] {
        let model = gallery(name);
        let text = derive(&model, &Settings::of(&model), &[Form::Discrete]).unwrap().to_text();
        assert!(!text.contains("Closed form"), "{name}: {text}");
    }
}

/// [LM 70-77]: Euler's step with the multiplier of (77), which has l² where the constraint itself would have x² + y².
#[test]
fn euler_with_the_multiplier_of_the_source() {
    let pendulum = model(
        "
        parameters.g = 9.8
        parameters.l = 1.0
        parameters.m = 1.0
        coordinates.x = \"l*cos(1)\"
        coordinates.y = \"l*sin(1)\"
        definitions.lambda = \"-m*((x'^2 + y'^2)/l^2 + x*g/l^2)\"
        dynamics.lagrangian = \"m*(x'^2 + y'^2)/2 + m*g*x\"
        forces.x = \"lambda*x\"
        forces.y = \"lambda*y\"
        invariants.tension = \"lambda\"
    ",
    );
    let run = record(&pendulum, &with(&pendulum, "euler", 0.001).steps(1000));
    assert!((run.last("tension") - -5.7269431955).abs() < 5e-11, "{}", run.last("tension"));
    // With the rod as a constraint, (76) has x² + y² as it is, off the circle by the error of the method. The same step typed in another
    // language has these digits; the true multiplier is that of the angle, -5.7920451485, to first order in the step.
    let rod = model(
        "
        parameters.g = 9.8
        coordinates.x = \"cos(1)\"
        coordinates.y = \"sin(1)\"
        dynamics.lagrangian = \"(x'^2 + y'^2)/2 + g*x\"
        constraints.rod = \"(x^2 + y^2)/2 = 1/2\"
    ",
    );
    let lambda = |step: f64, count: u64| record(&rod, &with(&rod, "euler", step).steps(count)).last("lambda_rod");
    let (coarse, fine) = (lambda(0.001, 1000), lambda(0.0005, 2000));
    assert!((coarse - -5.763058406352).abs() < 1e-11, "{coarse}");
    let order = ((coarse - -5.79204514851) / (fine - -5.79204514851)).log2();
    assert!((order - 1.0).abs() < 0.05, "order {order}");
}
