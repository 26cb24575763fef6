//! `extremal` alone: the main job on a built-in model, and what to try next.

use std::path::PathBuf;

use extremal_engine::Settings;

use super::simulate::simulate;
use crate::arguments::ModelArguments;
use crate::failure::{CommandError, Ending};
use crate::outputs::Outputs;
use crate::source::Source;
use crate::summary;
use crate::terminal::{HEADING, print};

const MODEL: &str = "gallery:double-pendulum";
const PLOT: &str = "double-pendulum.svg";

const NEXT: [(&str, &str); 6] = [
    ("gallery double-pendulum", "the text of this model"),
    ("derive gallery:double-pendulum", "its equations, of motion and of one step"),
    ("gallery", "the other built-in models"),
    ("run gallery:kepler --plot kepler.svg --out kepler.csv", "another one, with a trajectory file"),
    ("compare gallery:harmonic-oscillator", "errors and measured orders of several methods"),
    ("--help", "all commands"),
];

pub fn execute() -> Result<Ending, CommandError> {
    let source = Source::load(&ModelArguments { model: MODEL.to_owned(), assignments: Vec::new() })?;
    let plots = [PathBuf::from(PLOT)];
    let outputs = Outputs { plots: &plots, ..Outputs::default() };
    let finished = simulate(&source, &Settings::of(&source.model), &[], None, &outputs, true)?;
    print(&summary::of(&source, &finished))?;
    summary::report_end(&finished);
    print(&what_next())?;
    Ok(finished.ending())
}

fn what_next() -> String {
    // As it was called, so that the lines can be pasted: the program may be a file in a build folder.
    let program = std::env::args().next().unwrap_or_else(|| "extremal".to_owned());
    let mut text = format!("\n{HEADING}Try next{HEADING:#}\n");
    for (arguments, purpose) in NEXT {
        text.push_str(&format!("  {program} {arguments}\n      {purpose}\n"));
    }
    text
}
