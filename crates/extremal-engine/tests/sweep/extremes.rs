//! At extreme parameters too a member is its run: the same status, time and last row, whatever is recorded, and however many are
//! marched side by side.

use extremal_engine::model::Extent;
use extremal_engine::run::End;
use extremal_engine::sweep::{Record, Sweep};
use extremal_engine::trajectory::shortest;
use extremal_engine::{Method, Overrides, Settings, gallery};

use crate::support::{Rows, Single, grid, model};

/// A parameter of a model, and values far from the stated one.
struct Case<'t> {
    text: &'t str,
    method: Option<&'t str>,
    steps: u64,
    parameter: &'t str,
    values: &'t [f64],
}

/// How a run ended: its status, and its last row by names.
type Ending = (&'static str, Vec<(String, u64)>);

fn alone(case: &Case<'_>, settings: &dyn Fn(&extremal_engine::Model) -> Settings, value: f64) -> Ending {
    let model = model(case.text, Overrides::default().set(case.parameter, shortest(value)));
    let single = Single::of(&model, &settings(&model));
    let status = match &single.outcome.end {
        End::Reached => "finished",
        End::Stopped { .. } => "stopped",
        End::Failed(_) => "failed",
        End::Interrupted => panic!("nobody interrupts"),
    };
    let last = |name: &String| single.column(name).last().map_or(f64::NAN.to_bits(), |x| x.to_bits());
    (status, single.names().into_iter().map(|name| (name.clone(), last(&name))).collect())
}

fn check(case: &Case<'_>) {
    let base = model(case.text, Overrides::default());
    let settings = |model: &extremal_engine::Model| {
        let settings = Settings { extent: Some(Extent::Steps(case.steps)), ..Settings::of(model) };
        match case.method {
            Some(method) => Settings { method: method.parse::<Method>().unwrap(), ..settings },
            None => settings,
        }
    };
    let values: Vec<String> = case.values.iter().map(|value| shortest(*value)).collect();
    let axis = format!("{}={}", case.parameter, values.join(","));
    let runs: Vec<Ending> = case.values.iter().map(|value| alone(case, &settings, *value)).collect();
    let given = Settings { step: None, ..settings(&base) };
    for record in [Record::End, Record::Extremes, Record::All { every: 1 }, Record::All { every: 7 }] {
        for (lanes, threads) in [(1, 1), (4, 2), (64, 1)] {
            let sweep = Sweep::new(&base, &given, grid(&[&axis]), record).unwrap().with_lanes(lanes);
            let (frame, summary) = sweep.collect(threads);
            let rows = Rows { fields: sweep.fields().clone(), frame, summary };
            let ends: Vec<usize> = (0..rows.frame.rows()).filter(|row| rows.statuses()[*row].is_some()).collect();
            assert_eq!(ends.len(), runs.len());
            for ((row, (status, last)), value) in ends.iter().zip(&runs).zip(&values) {
                let what = format!("{} = {value}, {}, {lanes} lanes", case.parameter, record.name());
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

const FALLING: &str = r#"
    [parameters]
    x0 = 1.0
    [coordinates]
    x = { start = "x0" }
    [dynamics]
    lagrangian = "x'^2/2 - log(x)"
    [simulation]
    method = "trapezoidal"
    step = 0.01
    until = 5.0
"#;

#[test]
fn where_the_energy_ends_before_the_motion_does() {
    // The forces 1/x exist on the other side of x = 0, the logarithm in the energy does not.
    check(&Case { text: FALLING, method: None, steps: 300, parameter: "x0", values: &[0.5, 0.75, 1.0, 2.0, 30.0] });
}

#[test]
fn where_a_quantity_overflows() {
    let text = gallery::text("spring-in-gas").unwrap();
    check(&Case { text, method: None, steps: 300, parameter: "x0", values: &[0.3, 3000.0] });
    let rising = "[parameters]\nx0 = 1.0\n[coordinates]\nx = { start = \"x0\" }\n[dynamics]\nlagrangian = \"x'^2/2 + x^4/4\"\n\
                  [simulation]\nmethod = \"midpoint\"\nstep = 0.1\nuntil = 1.0\n";
    for method in ["rk2", "rk4", "left"] {
        check(&Case {
            text: rising,
            method: Some(method),
            steps: 40,
            parameter: "x0",
            values: &[0.1, 2.0, 100.0, 1e60],
        });
    }
}

#[test]
fn where_steps_are_hard_to_solve() {
    let text = gallery::text("thermoelastic-double-pendulum").unwrap();
    check(&Case { text, method: None, steps: 100, parameter: "k1", values: &[1.0, 1e3, 1e5] });
    let text = gallery::text("geodesic-torus").unwrap();
    check(&Case { text, method: None, steps: 400, parameter: "R", values: &[2.0, 20000.0, 1e9] });
}

#[test]
fn where_masses_and_forces_are_far_apart() {
    let text = gallery::text("double-pendulum").unwrap();
    check(&Case { text, method: None, steps: 150, parameter: "m2", values: &[1e-12, 1e-3, 1.0, 1e6, 1e12] });
    check(&Case { text, method: None, steps: 150, parameter: "g", values: &[-1e3, 0.0, 1e3, 1e5] });
    let text = gallery::text("kepler").unwrap();
    for method in ["midpoint", "left", "rk4"] {
        let values = &[0.1, 0.9, 0.999, 0.999999];
        check(&Case { text, method: Some(method), steps: 200, parameter: "eccentricity", values });
    }
}
