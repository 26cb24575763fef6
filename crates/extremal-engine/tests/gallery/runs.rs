//! Every gallery model runs or is solved, and ends where independent programs say it ends.

use extremal_engine::gallery::names;
use extremal_engine::run::End;
use extremal_engine::{CompiledRun, Model, Settings};
use extremal_testkit::boundary;
use extremal_testkit::numbers::distance;
use extremal_testkit::runs::{attempt, gallery};

#[test]
fn every_model_ends_where_it_is_expected() {
    for name in names() {
        let model = gallery(name);
        if model.boundary().is_some() {
            continue;
        }
        check_statement(name, &model);
        let run = attempt(&model, &Settings::of(&model));
        let outcome = &run.outcome;
        assert!(
            matches!(outcome.end, End::Reached | End::Stopped { .. } | End::Accumulated { .. }),
            "{name}: {:?}",
            outcome.end
        );
        assert_eq!(outcome.warnings, [], "{name} is warned of");
        for expected in model.expected() {
            if let Some(time) = expected.time {
                assert!(
                    (outcome.time - time).abs() <= expected.tolerance.max(1e-12 * time),
                    "{name}: {}",
                    outcome.time
                );
            }
            for (column, value) in &expected.values {
                let error = (run.last(column) - value).abs();
                assert!(error <= expected.tolerance, "{name}: {column} = {} differs by {error:e}", run.last(column));
            }
        }
    }
}

fn check_statement(name: &str, model: &Model) {
    assert!(model.warnings().is_empty(), "{name}: {:?}", model.warnings());
    assert!(!model.expected().is_empty(), "{name} has no [expected] numbers");
}

#[test]
fn every_boundary_problem_has_the_expected_solution() {
    let mut solved = 0;
    for name in names() {
        let model = gallery(name);
        if model.boundary().is_none() {
            continue;
        }
        check_statement(name, &model);
        let solution = boundary::attempt(&boundary::problem(&model, None), None);
        assert!(solution.status.is_solved(), "{name}: {:?} {:?}", solution.status, solution.violations);
        for expected in model.expected() {
            for (column, value) in &expected.values {
                let found = match column.as_str() {
                    "objective" => solution.objective,
                    "duration" => solution.duration,
                    column => solution.values(column).and_then(|values| values.last().copied()).unwrap(),
                };
                let error = (found - value).abs();
                assert!(error <= expected.tolerance, "{name}: {column} = {found} differs by {error:e}");
            }
        }
        solved += 1;
    }
    assert!(solved >= 20);
}

#[test]
fn discrete_motions_equal_an_independent_implementation() {
    let mut marched = 0;
    for line in include_str!("marched.txt").lines().filter(|line| !line.starts_with('#')) {
        let [name, steps, tolerance, expected @ ..] = &line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let model = gallery(name);
        let run = CompiledRun::new(&model, &Settings::of(&model)).unwrap();
        let mut motion = run.begin().unwrap();
        for _ in 0..steps.parse::<u64>().unwrap() {
            motion.advance().unwrap();
        }
        let (n, m) = (model.coordinates().len(), model.entropies().len());
        let reached = [&motion.state()[..n], &motion.state()[2 * n..2 * n + m]].concat();
        let expected: Vec<f64> = expected.iter().map(|number| number.parse().unwrap()).collect();
        let error = distance(&reached, &expected);
        assert!(error <= tolerance.parse().unwrap(), "{name} is {error:e} from {expected:?}");
        marched += 1;
    }
    assert!(marched >= 43);
}
