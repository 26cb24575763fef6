//! What cannot be meant, each named.

use std::ops::ControlFlow;

use extremal_engine::Model;
use extremal_engine::boundary::{Guess, Problem, ProblemError, SolveSettings, Statement, StatementError, Status};

/// A unit mass pushed from -1 to 0, with the tables that a test gives.
fn pushed(controls: &str, objective: &str, boundary: &str) -> String {
    format!(
        "[coordinates]\nx = {{}}\n[dynamics]\nlagrangian = \"x'^2/2\"\n[controls]\n{controls}\n[objective]\n{objective}\n\
         [boundary]\n{boundary}\n"
    )
}

const CONTROL: &str = "u = { on = \"x\", min = -1, max = 1 }";
const COST: &str = "running = \"u^2\"";
const ENDS: &str = "start = { x = -1, \"x'\" = 0 }\nend = { x = 0, \"x'\" = 0 }";

/// What is said, whether by the model, by the statement, or by the solver.
fn said(text: &str) -> Result<Status, String> {
    let model = Model::from_toml(text).map_err(|e| e.render("test", false))?;
    let solve = || -> Result<Status, ProblemError> {
        let problem = Problem::new(&model, Statement::of(&model)?, &model.simulation().method)?;
        let settings = SolveSettings::default();
        let solution = problem.solve(&Guess::Stated, &settings, &mut |_| ControlFlow::Continue(()))?;
        if solution.status == Status::Infeasible {
            assert!(!solution.violations.is_empty() && solution.violations[0].amount > 0.0);
        }
        Ok(solution.status)
    };
    solve().map_err(|error| error.to_string())
}

fn refused(text: &str, words: &[&str]) {
    match said(text) {
        Ok(status) => panic!("{status:?}"),
        Err(message) => {
            for word in words {
                assert!(message.contains(word), "no `{word}` in: {message}");
            }
        }
    }
}

#[test]
fn unreachable_targets_are_infeasible() {
    // At most 1/4 away with |u| <= 1 in unit time.
    let text = pushed(CONTROL, COST, &format!("duration = 1\nsteps = 20\n{ENDS}"));
    assert_eq!(said(&text), Ok(Status::Infeasible));
}

#[test]
fn contradictory_bounds() {
    let boundary = format!("duration = 3\nsteps = 20\n{ENDS}");
    refused(&pushed("u = { on = \"x\", min = 1, max = -1 }", COST, &boundary), &["u", "1", "-1"]);
    let path = format!("{boundary}\npath = {{ x = {{ max = -2 }} }}");
    refused(&pushed(CONTROL, COST, &path), &["`x`", "at most -2"]);
}

#[test]
fn too_few_nodes() {
    refused(&pushed(CONTROL, COST, &format!("duration = 3\nsteps = 1\n{ENDS}")), &["1", "steps", "too few"]);
}

#[test]
fn a_control_that_acts_on_nothing() {
    let boundary = format!("duration = 3\nsteps = 20\n{ENDS}");
    refused(&pushed("u = { min = -1, max = 1 }", COST, &boundary), &["`u`", "acts on nothing"]);
}

#[test]
fn a_duration_of_zero() {
    refused(&pushed(CONTROL, COST, &format!("duration = 0\nsteps = 20\n{ENDS}")), &["duration", "positive"]);
    let free = format!("duration = {{ min = 2, max = 1, guess = 1.5 }}\nsteps = 20\n{ENDS}");
    refused(&pushed(CONTROL, COST, &free), &["duration", "2", "1"]);
}

#[test]
fn an_objective_without_a_minimum() {
    let text = pushed("u = { on = \"x\" }", "running = \"-u^2\"", &format!("duration = 3\nsteps = 20\n{ENDS}"));
    assert_eq!(said(&text), Ok(Status::Unbounded));
}

#[test]
fn what_is_missing_or_superfluous() {
    let model = Model::from_toml("[coordinates]\nx = { start = 1 }\n[dynamics]\nlagrangian = \"x'^2/2\"").unwrap();
    assert_eq!(Statement::of(&model).err(), Some(ProblemError::NoBoundary));
    let closed = "[coordinates]\nx = {}\n[dynamics]\nlagrangian = \"x'^2/2 - x^2/2\"\n[forces]\nx = \"-x'\"\n\
                  [boundary]\nduration = 1\nsteps = 20\nstart = { x = 1, \"x'\" = 0 }\nend = { x = 0 }";
    let model = Model::from_toml(closed).unwrap();
    let statement = Statement::of(&model).unwrap();
    let refused = Problem::new(&model, statement, &model.simulation().method).err();
    assert_eq!(refused, Some(StatementError::Conditions { needed: 2, given: 3 }.into()));
}

#[test]
fn conditions_that_no_problem_of_this_kind_has() {
    let of = |lagrangian: &str, boundary: &str| {
        format!(
            "coordinates.x = {{}}\ndynamics.lagrangian = \"{lagrangian}\"\nboundary = {{ duration = 1, steps = 10, {boundary} }}\n"
        )
    };
    let objective = &["need an `[objective]`", "running = \"0\""];
    refused(&of("x'^2/2", "start = { x = 0, \"x'\" = 1 }, path = \"x <= 2\""), objective);
    refused(&of("x'^2/2", "start = { x = 0 }, end = { x = 1 }, path = \"x' <= 2\""), objective);
    refused(&of("x'^2/2", "start = { x = 0 }, end = \"x + x' = 1\""), objective);
    refused(
        &of("x''^2/2", "start = { x = 0 }, end = { x = 1 }, path = \"x <= 2\""),
        &["conditions on expressions", "second"],
    );
    refused(&of("x'^2/2 - x^2", "periodic = true, end = \"x = 1\""), &["periodic", "x = 1"]);
}

#[test]
fn shapes_that_a_method_does_not_have() {
    let boundary = format!("duration = 3\nsteps = 20\n{ENDS}");
    let shaped = |shape: &str| format!("u = {{ on = \"x\", shape = \"{shape}\" }}");
    refused(&pushed(&shaped("linear"), COST, &boundary), &["`u`", "`midpoint`", "alternate", "galerkin(2)"]);
    let own = |table: &str| {
        format!("{}{table}\n[simulation]\nmethod = \"custom\"\n", pushed(&shaped("polynomial"), COST, &boundary))
    };
    refused(&own("[discretisation]\nposition.x = \"(x_0 + x_1)/2\"\n"), &["`u`", "your own"]);
    let discrete = own("[discrete]\nlagrangian = \"(x_1 - x_0)^2/(2*h)\"\n").replace(", \"x'\" = 0", "");
    refused(&discrete, &["shapes of controls"]);
    // With one quadrature node a polynomial is a constant.
    assert_eq!(said(&pushed(&shaped("polynomial"), COST, &boundary)), Ok(Status::Optimal));
}

#[test]
fn unknowns_that_nothing_finds() {
    let of = |unknown: &str, objective: &str| {
        format!(
            "unknowns.k = {unknown}\ncoordinates.x = {{}}\ndynamics.lagrangian = \"x'^2/2 - k*x^2/2\"\n{objective}\n\
             boundary = {{ duration = 1, steps = 10, start = {{ x = 1, \"x'\" = 0 }}, end = {{ x = 0 }} }}\n"
        )
    };
    refused(&of("1", ""), &["nothing to find `k` by", "objective"]);
    refused(&of("{ min = 2, max = 1 }", "objective.running = \"0\""), &["`k`", "between 2 and 1"]);
    let idle = of("1", "objective.running = \"0\"\ninvariants.k2 = \"k^2*x\"").replace(" - k*x^2/2", " - x^2/2");
    refused(&idle, &["the unknown `k` is neither"]);
}

#[test]
fn conditions_that_cannot_be_met_are_named() {
    let boundary = format!("duration = 3\nsteps = 20\n{ENDS}\npath = [\"x >= -2*t - 0.5\"]");
    let model = Model::from_toml(&pushed(CONTROL, COST, &boundary)).unwrap();
    let problem = Problem::new(&model, Statement::of(&model).unwrap(), &model.simulation().method).unwrap();
    let settings = SolveSettings::default();
    let solution = problem.solve(&Guess::Stated, &settings, &mut |_| ControlFlow::Continue(())).unwrap();
    // The start is given, and half a unit outside.
    assert_eq!(solution.status, Status::Infeasible);
    let worst = &solution.violations[0];
    assert_eq!((worst.condition.as_str(), worst.node), ("the condition `x >= -2*t - 0.5`", 0));
    assert!((worst.amount - 0.5).abs() < 1e-12, "{}", worst.amount);
}
