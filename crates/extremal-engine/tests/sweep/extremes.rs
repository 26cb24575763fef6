//! At extreme parameters too a member is its run: the same status, time and last row, whatever is recorded, and however many are
//! marched side by side.

use extremal_engine::run::End;
use extremal_engine::sweep::{CompiledSweep, Record};
use extremal_engine::trajectory::shortest;
use extremal_engine::{Model, Settings};
use extremal_testkit::models::{model, model_with};
use extremal_testkit::runs::{Lasting, attempt, gallery_text};
use extremal_testkit::sweeps::{SweepRows, grid, kept_columns};

/// How a run ended: its status, and its last row by names.
type Ending = (&'static str, Vec<(String, u64)>);

fn alone(model: &Model, settings: &Settings) -> Ending {
    let single = attempt(model, settings);
    let status = match &single.outcome.end {
        End::Reached => "finished",
        End::Stopped { .. } | End::Accumulated { .. } => "stopped",
        End::Failed(_) => "failed",
        End::Interrupted => panic!("nobody interrupts"),
    };
    let last = |name: &String| single.column(name).last().map_or(f64::NAN.to_bits(), |x| x.to_bits());
    (status, kept_columns(&single).into_iter().map(|name| (name.clone(), last(&name))).collect())
}

/// Marches a model with values of a parameter far from the stated one, in all ways.
fn check(text: &str, method: Option<&str>, count: u64, parameter: &str, values: &[f64]) {
    let settings = |model: &Model| {
        let method = method.map_or_else(|| Settings::of(model).method, |method| method.parse().unwrap());
        Settings { method, ..Settings::of(model).steps(count) }
    };
    let values: Vec<String> = values.iter().map(|value| shortest(*value)).collect();
    let axis = format!("{parameter}={}", values.join(","));
    let models = values.iter().map(|value| model_with(text, &[(parameter, value)]));
    let runs: Vec<Ending> = models.map(|model| alone(&model, &settings(&model))).collect();
    let base = model(text);
    let given = Settings { step: None, ..settings(&base) };
    for record in [Record::End, Record::Extremes, Record::All { every: 1 }, Record::All { every: 7 }] {
        for (lanes, threads) in [(1, 1), (4, 2), (64, 1)] {
            let sweep = CompiledSweep::new(&base, &given, grid(&[&axis]), record).unwrap().with_lanes(lanes);
            let rows = SweepRows::collected(&sweep, threads);
            let ends: Vec<usize> = (0..rows.frame.rows()).filter(|row| rows.statuses()[*row].is_some()).collect();
            assert_eq!(ends.len(), runs.len());
            for ((row, (status, last)), value) in ends.iter().zip(&runs).zip(&values) {
                let what = format!("{parameter} = {value}, {}, {lanes} lanes", record.name());
                assert_eq!(rows.statuses()[*row], Some(*status), "{what}: {:?}", rows.reasons()[*row]);
                let kept = last.iter().filter(|(name, _)| record != Record::Extremes || name == "t");
                for (name, bits) in kept {
                    let found = rows.column(name)[*row];
                    assert_eq!(found.to_bits(), *bits, "{what}: {name} is {found}, alone {}", f64::from_bits(*bits));
                    assert!(*status != "finished" || found.is_finite(), "{what}: {name} is {found}");
                }
            }
        }
    }
}

/// A mass on a hyperbola whose branches meet for c = 0, where its constraint restricts nothing: it comes from there to there.
const SADDLE: &str = r#"
    parameters.c = 0.1
    coordinates.x = { start = 1.0, velocity = -1.0 }
    coordinates.y = { start = "sqrt(1 - c)", velocity = "-1/sqrt(1 - c)" }
    dynamics.lagrangian = "(x'^2 + y'^2)/2"
    constraints.curve = "x^2 - y^2 = c"
    simulation = { method = "trapezoidal", step = 0.011, until = 2.2 }
"#;

/// A run stops where constraints depend on each other, and members that nobody looks at stop there too.
#[test]
fn constraints_are_watched_side_by_side() {
    let values = [-0.3, -0.01, -1e-5, 0.0, 1e-9, 1e-4, 0.002, 0.2];
    for method in ["trapezoidal", "midpoint"] {
        check(SADDLE, Some(method), 200, "c", &values);
    }
}

const FALLING: &str = r#"
    parameters.x0 = 1.0
    coordinates.x = { start = "x0" }
    dynamics.lagrangian = "x'^2/2 - log(x)"
    simulation = { method = "trapezoidal", step = 0.01, until = 5.0 }
"#;

#[test]
fn where_the_energy_ends_before_the_motion_does() {
    // The forces 1/x exist on the other side of x = 0, the logarithm in the energy does not.
    check(FALLING, None, 300, "x0", &[0.5, 0.75, 1.0, 2.0, 30.0]);
}

#[test]
fn where_a_quantity_overflows() {
    let text = gallery_text("spring-in-gas");
    check(text, None, 300, "x0", &[0.3, 3000.0]);
    let rising = "[parameters]\nx0 = 1.0\n[coordinates]\nx = { start = \"x0\" }\n[dynamics]\nlagrangian = \"x'^2/2 + x^4/4\"\n\
                  [simulation]\nmethod = \"midpoint\"\nstep = 0.1\nuntil = 1.0\n";
    for method in ["rk2", "rk4", "left"] {
        check(rising, Some(method), 40, "x0", &[0.1, 2.0, 100.0, 1e60]);
    }
}

#[test]
fn where_steps_are_hard_to_solve() {
    let text = gallery_text("thermoelastic-double-pendulum");
    check(text, None, 100, "k1", &[1.0, 1e3, 1e5]);
    let text = gallery_text("geodesic-torus");
    check(text, None, 400, "R", &[2.0, 20000.0, 1e9]);
}

#[test]
fn where_masses_and_forces_are_far_apart() {
    let text = gallery_text("double-pendulum");
    check(text, None, 150, "m2", &[1e-12, 1e-3, 1.0, 1e6, 1e12]);
    check(text, None, 150, "g", &[-1e3, 0.0, 1e3, 1e5]);
    let text = gallery_text("kepler");
    for method in ["midpoint", "left", "rk4"] {
        let values = &[0.1, 0.9, 0.999, 0.999999];
        check(text, Some(method), 200, "eccentricity", values);
    }
}
