//! Parameters from measured motions: truths that are found again, and how well they are known.

use extremal_engine::boundary::SolutionTable;
use extremal_engine::fit::{Experiment, FitError, FitOptions, FittedModel, FreeValue, fit};
use extremal_engine::{Model, Settings};
use extremal_testkit::models::model;
use extremal_testkit::numbers::Draws;

/// A pendulum with friction by its speed.
fn pendulum() -> Model {
    model(
        r#"
        parameters = { l = 1.0, c = 0.1, g = 9.81 }
        coordinates.theta = { start = 0.8, velocity = 0.0 }
        dynamics.lagrangian = "l^2*theta'^2/2 + g*l*cos(theta)"
        friction.theta = "-c*theta'"
        outputs.x = "l*sin(theta)"
        simulation = { method = "gauss(2)", step = 0.05 }
        "#,
    )
}

/// A number of mean 0 and deviation 1: the sum of twelve uniform ones.
fn noise(draws: &mut Draws) -> f64 {
    (0..12).map(|_| draws.between(-0.5, 0.5)).sum()
}

fn table(names: &[&str], rows: Vec<Vec<f64>>) -> SolutionTable {
    SolutionTable { names: names.iter().map(|name| (*name).to_owned()).collect(), rows }
}

fn experiment(name: &str, table: SolutionTable) -> Experiment {
    Experiment { name: name.to_owned(), table, given: Vec::new() }
}

/// The damped pendulum by a step of fourth order that is written here, many times finer than that of the fit.
fn measured(l: f64, c: f64, start: [f64; 2], times: &[f64]) -> Vec<f64> {
    let slope = |[a, v]: [f64; 2]| [v, (-9.81 * l * a.sin() - c * v) / (l * l)];
    let (mut at, mut time, mut out) = (start, 0.0, Vec::new());
    for until in times {
        let steps = ((until - time) / 0.002f64).ceil().max(1.0);
        let h = (until - time) / steps;
        for _ in 0..steps as u32 {
            let shifted = |by: [f64; 2], h: f64| [at[0] + h * by[0], at[1] + h * by[1]];
            let k1 = slope(at);
            let k2 = slope(shifted(k1, h / 2.0));
            let k3 = slope(shifted(k2, h / 2.0));
            let k4 = slope(shifted(k3, h));
            let mean = |i: usize| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0;
            at = shifted([mean(0), mean(1)], h);
        }
        time = *until;
        out.push(at[0]);
    }
    out
}

fn fitted(
    model: &Model,
    free: &[FreeValue],
    experiments: &[Experiment],
    options: &FitOptions,
) -> Result<FittedModel, FitError> {
    fit(model, &Settings::of(model), free, experiments, options, || false)
}

fn free(names: &[&str]) -> Vec<FreeValue> {
    names.iter().map(|name| FreeValue::new(*name)).collect()
}

/// A hundred noisy motions of the damped pendulum. A truth lies in its interval of 95 % with that probability: 95 times of 100, with a
/// deviation of sqrt(100 * 0.95 * 0.05) = 2.2; three of these are allowed.
#[test]
fn intervals_contain_the_truth_as_often_as_they_say() {
    let model = pendulum();
    let times: Vec<f64> = (1..=60).map(|k| 0.097 * f64::from(k)).collect();
    let truth = [1.1, 0.15, 0.9];
    let exact = measured(truth[0], truth[1], [truth[2], 0.0], &times);
    let mut draws = Draws(20);
    let mut inside = [0; 3];
    for trial in 0..100 {
        let rows = times.iter().zip(&exact).map(|(t, a)| vec![*t, a + 0.02 * noise(&mut draws)]).collect();
        let data = [experiment("noisy", table(&["t", "theta"], rows))];
        let found = fitted(&model, &free(&["l", "c", "theta"]), &data, &FitOptions::default()).unwrap();
        assert!(found.converged, "{trial}: {found:?}");
        // The deviation of the noise is found to 1/sqrt(2 n) = 9 %: four times that.
        assert!((found.columns[0].deviation / 0.02 - 1.0).abs() < 0.37, "{trial}: {:?}", found.columns);
        for ((inside, value), truth) in inside.iter_mut().zip(&found.values).zip(truth) {
            let [low, high] = value.interval.unwrap();
            *inside += u32::from(low <= truth && truth <= high);
        }
    }
    assert!(inside.iter().all(|count| (89..=100).contains(count)), "{inside:?}");
}

/// What is left without noise is the error of the steps, and where the search begins does not matter.
#[test]
fn exact_data_give_the_truth() {
    let model = pendulum();
    let times: Vec<f64> = (1..=40).map(|k| 0.1 * f64::from(k)).collect();
    let exact = measured(1.3, 0.4, [0.8, 0.5], &times);
    let rows = times.iter().zip(&exact).map(|(t, a)| vec![*t, *a, 1.3 * a.sin()]).collect();
    let data = [experiment("exact", table(&["t", "theta", "x"], rows))];
    let mut unknown = free(&["l", "c", "theta'"]);
    unknown[0].guess = Some(0.9);
    unknown[1].guess = Some(0.05);
    let found = fitted(&model, &unknown, &data, &FitOptions::default()).unwrap();
    assert!(found.converged, "{found:?}");
    // Steps of 0.05 of the fourth order, with frequencies of 3.
    for (value, truth) in found.values.iter().zip([1.3, 0.4, 0.5]) {
        assert!((value.value - truth).abs() < 2e-5, "{value:?}, not {truth}");
    }
    assert_eq!(found.columns.len(), 2);
    assert_eq!(found.degrees_of_freedom, 77);
}

/// Two motions of one pendulum, from starts of their own, one with gaps.
#[test]
fn experiments_share_what_is_not_their_own() {
    let model = pendulum();
    let times: Vec<f64> = (1..=50).map(|k| 0.08 * f64::from(k)).collect();
    let mut draws = Draws(3);
    let mut data = Vec::new();
    for (name, start) in [("slow", 0.4), ("wide", 1.5)] {
        let exact = measured(1.2, 0.2, [start, 0.0], &times);
        let noisy = |(k, (t, a)): (usize, (&f64, &f64))| {
            vec![*t, if k % 7 == 3 { f64::NAN } else { a + 0.01 * noise(&mut draws) }]
        };
        data.push(experiment(name, table(&["t", "theta"], times.iter().zip(&exact).enumerate().map(noisy).collect())));
    }
    let mut unknown = free(&["l", "c", "theta"]);
    unknown[2].each = true;
    let options = FitOptions { deviations: vec![("theta".to_owned(), 0.01)], ..FitOptions::default() };
    let found = fitted(&model, &unknown, &data, &options).unwrap();
    let truths = [("l", None, 1.2), ("c", None, 0.2), ("theta", Some("slow"), 0.4), ("theta", Some("wide"), 1.5)];
    for (value, (name, of, truth)) in found.values.iter().zip(truths) {
        assert_eq!((value.name.as_str(), value.experiment.as_deref()), (name, of));
        // Four standard deviations.
        assert!((value.value - truth).abs() < 4.0 * value.deviation.unwrap(), "{value:?}, not {truth}");
    }
    assert_eq!(found.columns[0].measured, 86);
    // Its mean are the degrees of freedom, its deviation the root of twice of them: four times that.
    let degrees = found.degrees_of_freedom as f64;
    assert_eq!(degrees, 82.0);
    assert!((found.chi_squared - degrees).abs() < 4.0 * (2.0 * degrees).sqrt(), "{}", found.chi_squared);
}

#[test]
fn a_bound_holds_what_would_go_beyond_it() {
    let model = pendulum();
    let times: Vec<f64> = (1..=40).map(|k| 0.1 * f64::from(k)).collect();
    let exact = measured(1.0, 0.4, [0.8, 0.0], &times);
    let rows = times.iter().zip(&exact).map(|(t, a)| vec![*t, *a]).collect();
    let data = [experiment("bounded", table(&["t", "theta"], rows))];
    let mut unknown = free(&["l", "c"]);
    unknown[1].max = 0.3;
    let found = fitted(&model, &unknown, &data, &FitOptions::default()).unwrap();
    assert!(found.converged);
    assert_eq!((found.values[1].value, found.values[1].interval), (0.3, None));
    assert!(found.values[0].interval.is_some());
}

#[test]
fn what_cannot_be_found_is_said() {
    let model = pendulum();
    let data = |names: &[&str], rows: &[[f64; 2]]| {
        [experiment("data.csv", table(names, rows.iter().map(|row| row.to_vec()).collect()))]
    };
    let rows = [[0.1, 0.79], [0.2, 0.75], [0.3, 0.7], [0.4, 0.6], [0.5, 0.4]];
    let said = |names: &[&str], experiments: &[Experiment]| {
        fitted(&model, &free(names), experiments, &FitOptions::default()).unwrap_err().to_string()
    };
    assert!(said(&[], &data(&["t", "theta"], &rows)).contains("nothing is free"));
    assert!(said(&["k"], &data(&["t", "theta"], &rows)).contains("no parameter, coordinate, entropy or state `k`"));
    let unknown = said(&["c"], &data(&["t", "thta"], &rows));
    assert!(unknown.contains("no column `thta`; did you mean `theta`?"), "{unknown}");
    assert!(said(&["c"], &data(&["t", "energy"], &rows)).contains("its derivative is not"));
    assert!(
        said(&["c"], &data(&["t", "theta"], &[[-0.1, 0.8], [0.2, 0.7]])).contains("before the motion starts, at -0.1")
    );
    assert!(said(&["c", "l"], &data(&["t", "theta"], &rows[..2])).contains("2 numbers were measured for 2"));
    let twins = Model::from_toml(
        "parameters = { a = 1, b = 1, free = 1 }\ncoordinates.x = 1\ndynamics.lagrangian = \"x'^2/2 - a*b*x^2/2\"\n\
         simulation = { step = 0.05 }\n",
    )
    .unwrap();
    let refused = |names: &[&str]| {
        fitted(&twins, &free(names), &data(&["t", "x"], &rows), &FitOptions::default()).unwrap_err().to_string()
    };
    assert!(refused(&["a", "b"]).contains("`a` and `b` change what was measured in the same way"));
    assert!(refused(&["a", "free"]).contains("nothing that was measured depends on `free`"));
}
