//! Many problems in one call: each is the problem that it would be alone, however the work is cut.

use std::fs;
use std::ops::ControlFlow;

use extremal_engine::boundary::{Guess, SolveSettings};
use extremal_engine::problems::{ProblemSet, ProblemSetError, ProblemSettings};
use extremal_engine::sweep::{SweepError, SweepProgress, Variation, VariationError};
use extremal_engine::trajectory::frame::{CompleteParts, Existing, FrameError};
use extremal_engine::{Method, Model};

use extremal_testkit::boundary::{assessed, attempt, problem};
use extremal_testkit::models::{model, model_with};
use extremal_testkit::runs::{gallery, gallery_with};
use extremal_testkit::sweeps::{SweepRows, assert_same, grid, random};

/// A unit mass that goes a way d in the time T and rests at both ends.
const TRANSFER: &str = r#"
    parameters = { d = 1.0, T = 1.0 }
    coordinates.x = {}
    dynamics.lagrangian = "x'^2/2"
    controls.u = { on = "x" }
    objective.running = "u^2/2"
    boundary = { duration = "T", steps = 20, start = { x = "-d", "x'" = 0 }, end = { x = 0, "x'" = 0 } }
"#;

fn problems(model: &Model, variation: Variation, settings: ProblemSettings) -> ProblemSet {
    ProblemSet::new(model, model.simulation().method.clone(), variation, settings).unwrap()
}

fn rows(problems: &ProblemSet, threads: usize) -> SweepRows<extremal_engine::problems::ProblemsSummary> {
    let (frame, summary) = problems.collect(threads);
    SweepRows { fields: problems.fields().clone(), frame, summary }
}

fn go_on(_: SweepProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn a_grid_of_problems_has_the_costs_of_the_closed_form() {
    let found = rows(&problems(&model(TRANSFER), grid(&["d=0.5:2:4", "T=1,2"]), ProblemSettings::default()), 2);
    assert_eq!(found.members(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!((found.summary.solved, found.summary.failed), (8, 0));
    for row in 0..8 {
        let [way, time, cost, end_error] = ["d", "T", "objective", "end_error"].map(|name| found.column(name)[row]);
        // 6 d²/T³ for any motion, and what N steps of a control on a line add to it.
        let exact = 6.0 * way * way / (time * time * time) / (1.0 - 1.0 / 400.0);
        // The problem is quadratic: Newton's method leaves round-off of the multipliers, far below this.
        assert!((cost - exact).abs() < 1e-9 * exact, "{cost} instead of {exact}");
        assert_eq!((found.column("duration")[row], found.column("steps")[row]), (time, 20.0));
        assert!(end_error < 1e-9, "constant controls are followed exactly: {end_error}");
    }
    assert!(found.statuses().iter().all(|status| *status == Some("optimal")), "{:?}", found.statuses());
}

/// With formulas that fit all values, and (a start where the Lagrangian is singular) with formulas that hold for one value alone.
#[test]
fn a_member_is_the_problem_of_its_own_bit_for_bit() {
    for (name, parameter, values) in
        [("cart-pole-swing", "limit", ["12.0", "15.0"]), ("brachistochrone", "Y", ["0.5", "0.7"])]
    {
        let axis = format!("{parameter}={}", values.join(","));
        let many = rows(&problems(&gallery(name), grid(&[&axis]), ProblemSettings::default()), 1);
        for (row, value) in values.into_iter().enumerate() {
            let alone = gallery_with(name, &[(parameter, value)]);
            let steps = alone.boundary().unwrap().steps as usize;
            let (solution, assessment) = assessed(&alone, None, steps);
            let same = |column: &str, expected: f64| {
                assert_eq!(many.column(column)[row].to_bits(), expected.to_bits(), "{name}, {value}: {column}");
            };
            same("objective", solution.objective);
            same("residual", solution.residual);
            same("iterations", solution.iterations as f64);
            same("end_error", assessment.verification.end_error().unwrap_or(f64::NAN));
            assert_eq!(many.statuses()[row], Some(assessment.status.name()));
            let doubts: Vec<String> = assessment.doubts.iter().map(ToString::to_string).collect();
            assert_eq!(many.warnings()[row].unwrap_or_default(), doubts.join("; "));
        }
    }
}

/// When a motion begins is a number in the formulas: those of one beginning are not those of another.
#[test]
fn problems_that_begin_at_another_time_have_formulas_of_their_own() {
    let text = r#"
        parameters.begin = 0.0
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2 - t*x"
        boundary = { from = "begin", duration = 1, steps = 100, start = { x = 0 }, end = { x = 0 } }
    "#;
    let found = rows(&problems(&model(text), grid(&["begin=0,2"]), ProblemSettings::default()), 1);
    for (row, (value, exact)) in [("0", -1.0 / 90.0), ("2", -47.0 / 180.0)].into_iter().enumerate() {
        // x'' = -t between zeros: the action is -1/2 of the integral of t x. On a hundred steps a method of order two is off by 1e-4.
        let action = found.column("objective")[row];
        assert!((action - exact).abs() < 1e-3 * exact.abs(), "{action} instead of {exact}");
        let alone = attempt(&problem(&model_with(text, &[("begin", value)]), None), None);
        assert_eq!(action.to_bits(), alone.objective.to_bits(), "from {value}");
    }
}

#[test]
fn threads_and_parts_change_no_bit() {
    let model = gallery("pendulum-between");
    let parameter = model.parameters()[0].clone();
    let around = format!("{}={:?}:{:?}", parameter.name, 0.9 * parameter.value, 1.1 * parameter.value);
    let all = || problems(&model, random(&[&around], 9, 4), ProblemSettings { starts: 1, ..Default::default() });
    let alone = rows(&all(), 1);
    assert_eq!(alone.members().len(), 18);
    for threads in [2, 5] {
        assert_same(&alone.frame, &rows(&all(), threads).frame, &alone.fields, "threads");
    }
    let folder = tempfile::tempdir().unwrap();
    for ending in ["csv", "parquet"] {
        let path = |name: &str| folder.path().join(name).with_extension(ending);
        let whole = all().to_file(&path("whole"), Existing::Refuse, 2, go_on).unwrap();
        assert_eq!(whole.summary, alone.summary);
        for (name, range) in [("a", 0..5), ("b", 5..18)] {
            all().with_members(range).unwrap().to_file(&path(name), Existing::Refuse, 1, go_on).unwrap();
        }
        CompleteParts::of(&[path("b"), path("a")]).unwrap().write(&path("merged")).unwrap();
        assert!(fs::read(path("whole")).unwrap() == fs::read(path("merged")).unwrap(), "{ending}");
    }
    let none = all().with_members(10..19).err();
    assert_eq!(none, Some(SweepError::NoMembers { from: 10, to: 19, all: 18 }.into()));
}

#[test]
fn what_was_interrupted_is_resumed_to_the_same_file() {
    // More members than are written at once.
    let all = || problems(&model(TRANSFER), grid(&["d=0.5:2:50"]), ProblemSettings::default());
    let folder = tempfile::tempdir().unwrap();
    let [whole, resumed] = ["whole.parquet", "resumed.parquet"].map(|name| folder.path().join(name));
    let expected = all().to_file(&whole, Existing::Refuse, 1, go_on).unwrap();
    let stop = |now: SweepProgress| if now.done >= 40 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let first = all().to_file(&resumed, Existing::Refuse, 2, stop).unwrap();
    // The rows of a group that was not whole are not in the file.
    assert_eq!((first.complete, first.summary.members()), (false, 32));
    let other = problems(&model_with(TRANSFER, &[("T", "2")]), grid(&["d=0.5:2:50"]), ProblemSettings::default());
    let refused = other.to_file(&resumed, Existing::Resume, 1, go_on).err();
    assert!(matches!(refused, Some(FrameError::Different { .. })), "{refused:?}");
    let second = all().to_file(&resumed, Existing::Resume, 2, go_on).unwrap();
    assert_eq!((second.complete, second.resumed, second.summary), (true, 32, expected.summary));
    assert!(fs::read(&whole).unwrap() == fs::read(&resumed).unwrap());
}

#[test]
fn problems_that_fail_are_rows_with_their_reasons() {
    // Half the way at full force: the least time is 2 √(d/limit).
    let bounded = TRANSFER.replace("{ on = \"x\" }", "{ on = \"x\", min = -4, max = 4 }");
    let found = rows(&problems(&model(&bounded), grid(&["T=1.5,0.5,-1"]), ProblemSettings::default()), 2);
    assert_eq!(found.statuses()[1..], [Some("infeasible"), Some("refused")]);
    assert_eq!((found.summary.solved, found.summary.failed), (1, 2));
    let reasons = found.reasons();
    assert!(reasons[0].is_none() && reasons[1].unwrap().contains("cannot be met"), "{reasons:?}");
    assert!(reasons[2].unwrap().contains("T = -1"), "{reasons:?}");
    assert!(found.column("objective")[2].is_nan() && found.column("T")[2] == -1.0);
    assert_eq!(found.summary.first_failure.as_ref().map(|(member, _)| *member), Some(1));
}

#[test]
fn every_guess_of_a_problem_has_a_row() {
    let cart = gallery_with("cart-pole-swing", &[("limit", "1e3")]);
    let settings = ProblemSettings { starts: 3, ..ProblemSettings::default() };
    let found = rows(&problems(&cart, Variation { seed: 1, ..Variation::default() }, settings), 2);
    assert_eq!(found.column("start"), [0.0, 1.0, 2.0, 3.0]);
    let alone = problem(&cart, None);
    assert_eq!(found.column("objective")[0].to_bits(), attempt(&alone, None).objective.to_bits());
    let minima = alone.multistart(3, 1, &SolveSettings::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    let best = found.column("objective").iter().copied().fold(f64::INFINITY, f64::min);
    // Of minima that agree to six digits `multistart` keeps the first that it finds.
    let least = minima[0].objective;
    assert!((best - least).abs() <= 1e-6 * least, "{best} instead of {least}");
    let last = alone.solve(&Guess::of_start(3, 1), &SolveSettings::default(), &mut |_| ControlFlow::Continue(()));
    assert_eq!(found.column("objective")[3].to_bits(), last.unwrap().objective.to_bits());
}

#[test]
fn what_cannot_vary_is_refused_by_name() {
    let refused = |text: &str, variation: Variation| {
        let model = model(text);
        let method: Method = model.simulation().method.clone();
        ProblemSet::new(&model, method, variation, ProblemSettings::default()).err().unwrap()
    };
    assert_eq!(refused(TRANSFER, grid(&["x=0:1:3"])), ProblemSetError::NotAParameter { name: "x".into() });
    assert_eq!(refused(TRANSFER, Variation::default()), VariationError::Nothing.into());
    let unknown = refused(TRANSFER, grid(&["dd=0:1:3"])).to_string();
    assert!(unknown.contains("did you mean `d`"), "{unknown}");
    let free = "parameters.k = 1.0\ncoordinates.x = 1.0\ndynamics.lagrangian = \"x'^2/2 - k*x^2/2\"";
    assert!(refused(free, grid(&["k=1:2:2"])).to_string().contains("no `[boundary]`"));
    // A parameter with the name of a result stands beside it.
    let named = model(&TRANSFER.replace("T = 1.0", "duration = 1.0").replace("\"T\"", "\"duration\""));
    let found = rows(&problems(&named, grid(&["duration=1,2"]), ProblemSettings::default()), 1);
    assert_eq!(found.column("duration"), found.column("duration_found"));
}
