//! A member is judged as its run is: the same end, the same reason, the same warnings.

use extremal_engine::Settings;
use extremal_engine::run::End;
use extremal_engine::sweep::{CompiledSweep, Record};
use extremal_testkit::models::{model, model_with};
use extremal_testkit::runs::{RecordedRun, attempt, gallery_text};
use extremal_testkit::sweeps::{SweepRows, assert_same, grid};

/// Status, reason and warning of a member, in the words of a sweep.
type Verdict = [Option<String>; 3];

fn of_run(single: &RecordedRun) -> Verdict {
    let outcome = &single.outcome;
    let said: Vec<String> = outcome.warnings.iter().map(ToString::to_string).collect();
    let (status, reason) = match &outcome.end {
        End::Failed(failure) => ("failed", Some(failure.reason.to_string())),
        End::Stopped { condition } => ("stopped", Some(condition.clone())),
        _ => ("finished", None),
    };
    [Some(status.to_owned()), reason, (!said.is_empty()).then(|| said.join("; "))]
}

/// Those of the members, which are in their last rows.
fn of_members(rows: &SweepRows) -> Vec<Verdict> {
    let words = rows.statuses().into_iter().zip(rows.reasons()).zip(rows.warnings());
    let last = words.filter(|((status, _), _)| status.is_some());
    last.map(|((status, reason), warning)| [status, reason, warning].map(|word| word.map(str::to_owned))).collect()
}

/// How many members were seen to fail, to be warned of, and neither.
#[derive(Debug, Default)]
struct Counted {
    failed: usize,
    warned: usize,
    fine: usize,
}

/// Compares all members of sweeps of all kinds with their runs.
fn assert_same_verdicts(text: &str, axis: &str, methods: &[&str]) -> Counted {
    let mut counted = Counted::default();
    let records = [Record::End, Record::Extremes, Record::All { every: 7 }, Record::All { every: 50 }];
    for method in methods {
        let stated = model(text);
        let settings = Settings { method: method.parse().unwrap(), ..Settings::of(&stated) };
        let name = axis.split_once('=').unwrap().0;
        let ends = SweepRows::of(&stated, &settings, grid(&[axis]), Record::End);
        let runs: Vec<RecordedRun> = ends
            .column(name)
            .iter()
            .map(|value| attempt(&model_with(text, &[(name, &value.to_string())]), &settings))
            .collect();
        let verdicts: Vec<Verdict> = runs.iter().map(of_run).collect();
        for record in records {
            let sweep = CompiledSweep::new(&stated, &settings, grid(&[axis]), record).unwrap();
            let rows = SweepRows::collected(&sweep, 1);
            let what = format!("{method}, {record:?}, three threads");
            assert_same(&rows.frame, &sweep.collect(3).0, sweep.fields(), &what);
            for (at, (member, run)) in of_members(&rows).iter().zip(&verdicts).enumerate() {
                assert_eq!(member, run, "{method}, {record:?}, {name} = {}", ends.column(name)[at]);
            }
            let count = |at: usize| verdicts.iter().filter(|verdict| verdict[at].is_some()).count() as u64;
            assert_eq!((rows.summary.failed, rows.summary.warned), (count(1), count(2)));
        }
        for (at, run) in runs.iter().enumerate() {
            let last = *run.column("t").last().unwrap();
            assert_eq!(ends.column("t")[at], last, "{method}, {name} = {}", ends.column(name)[at]);
        }
        counted.failed += verdicts.iter().filter(|verdict| verdict[1].is_some()).count();
        counted.warned += verdicts.iter().filter(|verdict| verdict[2].is_some()).count();
        counted.fine += verdicts.iter().filter(|verdict| verdict[1..] == [None, None]).count();
    }
    counted
}

/// One coordinate with a parameter `a`.
fn with(lagrangian: &str, start: &str, step: f64, until: f64) -> String {
    format!(
        r#"
        parameters = {{ a = 1.0 }}
        coordinates = {{ x = {{ start = "{start}" }} }}
        dynamics = {{ lagrangian = "{lagrangian}" }}
        simulation = {{ step = {step}, until = {until} }}
    "#
    )
}

#[test]
fn members_that_run_into_a_centre_fail_as_their_runs_do() {
    // From rest at a the centre is reached at t = π (a/2)^(3/2): before t = 2 for a < 1.4799.
    let methods = ["midpoint", "trapezoidal", "galerkin(2)", "rk4", "gauss(2)", "energy-entropy"];
    let counted = assert_same_verdicts(&with("x'^2/2 + 1/x", "a", 0.01, 2.0), "a=0.5:3:11", &methods);
    assert_eq!(counted.failed, 4 * methods.len(), "{counted:?}");
    assert_eq!(counted.fine, 7 * methods.len(), "{counted:?}");
}

#[test]
fn members_that_blow_up_fail_as_their_runs_do() {
    // From rest at a, x'' = x² grows without limit at t = √(3/2) ∫ dx/√(x³ − a³) from a on, which is 2.9744/√a: before t = 4
    // for a > 0.553.
    let methods = ["midpoint", "trapezoidal", "galerkin(2)", "rk4"];
    let counted = assert_same_verdicts(&with("x'^2/2 + x^3/3", "a", 0.02, 4.0), "a=0.1:2:6", &methods);
    assert_eq!(counted.failed, 4 * methods.len(), "{counted:?}");
}

#[test]
fn members_that_are_not_resolved_are_warned_of_as_their_runs_are() {
    let text = gallery_text("kepler");
    let methods = ["midpoint", "galerkin(2)", "trapezoidal", "rk4", "left"];
    let counted = assert_same_verdicts(text, "eccentricity=0:0.99:4", &methods);
    assert!(counted.warned >= methods.len() && counted.fine >= methods.len(), "{counted:?}");
}

#[test]
fn oscillators_beyond_the_stability_of_a_method_are_warned_of_as_their_runs_are() {
    // h ω from 0.05 to 3.5; explicit methods are stable up to 2 or 2.8.
    let methods = ["midpoint", "trapezoidal", "rk4", "left", "galerkin(2)"];
    let counted = assert_same_verdicts(&with("x'^2/2 - a^2*x^2/2", "1", 0.05, 20.0), "a=1:70:8", &methods);
    assert!(counted.failed + counted.warned >= 2 * methods.len() && counted.fine >= methods.len(), "{counted:?}");
    // The same with a spring that hardens, so that there is something to solve.
    let counted = assert_same_verdicts(&with("x'^2/2 - a^2*(x^2/2 + x^4/4)", "1", 0.05, 20.0), "a=1:70:8", &methods);
    assert!(counted.failed + counted.warned >= 2 * methods.len() && counted.fine >= methods.len() - 1, "{counted:?}");
}
