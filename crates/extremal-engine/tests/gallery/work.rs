//! The work of every gallery model, counted and not timed: a change that makes a model iterate more often or its programs longer shows
//! here, on any machine. `INSTA_UPDATE=always` writes the numbers anew; the difference is read before it is committed.

use std::fmt::Write;

use extremal_engine::eval::Program;
use extremal_engine::gallery::names;
use extremal_engine::{CompiledRun, Settings};
use extremal_testkit::boundary::{attempt, problem};
use extremal_testkit::runs::{executed, gallery};

/// Operations of all entries of the programs, those among them that call functions, and those done once for parameters and states.
fn operations(programs: &[Program]) -> String {
    let (mut all, mut calls, mut hoisted) = (0, 0, 0);
    for program in programs {
        for entry in 0..program.entries() {
            let counts = program.counts(entry);
            (all, calls) = (all + counts.operations, calls + counts.transcendental);
            hoisted += if entry == 0 { counts.hoisted.iter().sum() } else { 0 };
        }
    }
    format!("{all:>6} operations {calls:>5} calls {hoisted:>6} hoisted")
}

#[test]
fn the_work_of_every_model_is_as_recorded() {
    let mut lines = String::new();
    for name in names() {
        let model = gallery(name);
        let (work, programs) = if model.boundary().is_some() {
            let problem = problem(&model, None);
            let solution = attempt(&problem, None);
            let work = format!("solve {:>7} steps {:>7} iterations", solution.steps, solution.iterations);
            (work, problem.programs())
        } else {
            let run = CompiledRun::new(&model, &Settings::of(&model)).unwrap();
            let outcome = executed(&run).outcome;
            let how = run.structure().map_or("adaptive", |structure| structure.iteration());
            let work = format!("run   {:>7} steps {:>7} iterations, {how}", outcome.steps, outcome.work.iterations);
            (work, run.programs())
        };
        writeln!(lines, "{name:<32} {work:<60} {}", operations(&programs)).unwrap();
    }
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("work", lines);
    });
}
