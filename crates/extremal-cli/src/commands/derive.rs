//! `extremal derive`: the equations of a model.

use clap::{Args, ValueEnum};
use extremal_engine::derive::{Form, derive, usual_forms};

use crate::arguments::{MethodArguments, ModelArguments};
use crate::failure::{CommandError, Ending};
use crate::source::Source;
use crate::terminal::{self, HEADING};

const EXAMPLES: &str = "\
Examples:
  extremal derive gallery:double-pendulum
  extremal derive gallery:kepler --form hamilton
  extremal derive gallery:spherical-pendulum --form routh
  extremal derive gallery:hoop-on-incline --form solved
  extremal derive gallery:cart-pole-flow --form optimal
  extremal derive my-model.toml --form discrete --method trapezoidal
  extremal derive my-model.toml --latex > equations.tex";

/// Print the equations of a model: of motion, of Hamilton, and of one step of a method
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct DeriveArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Which equations; may be repeated [default: lagrange, solved where that is short, optimal where a motion starts from momenta, and discrete]
    #[arg(long = "form", value_enum, value_name = "FORM")]
    forms: Vec<FormName>,
    #[command(flatten)]
    method: MethodArguments,
    /// Print LaTeX
    #[arg(long, conflicts_with = "json")]
    latex: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormName {
    /// Equations of motion, momenta, energy, kinetic split
    Lagrange,
    /// Accelerations and multipliers in closed form; of nonholonomic systems also without multipliers
    Solved,
    /// Hamiltonian and Hamilton's equations
    Hamilton,
    /// Routh's function: the equations without cyclic coordinates, and how these are found again
    Routh,
    /// Of a control problem or a motion from momenta: unified Hamiltonian, primary constraints, equations of the momenta
    Optimal,
    /// One step of the method
    Discrete,
}

impl From<FormName> for Form {
    fn from(name: FormName) -> Form {
        match name {
            FormName::Lagrange => Form::Lagrange,
            FormName::Solved => Form::Solved,
            FormName::Hamilton => Form::Hamilton,
            FormName::Routh => Form::Routh,
            FormName::Optimal => Form::Optimal,
            FormName::Discrete => Form::Discrete,
        }
    }
}

pub fn execute(arguments: &DeriveArguments) -> Result<Ending, CommandError> {
    let source = Source::load(&arguments.model)?;
    source.show_warnings();
    let forms: Vec<Form> = match arguments.forms.as_slice() {
        [] => usual_forms(&source.model),
        forms => forms.iter().copied().map(Form::from).collect(),
    };
    let derivation = derive(&source.model, &arguments.method.settings(&source.model), &forms)?;
    if arguments.json {
        terminal::print_json(&derivation)?;
    } else if arguments.latex {
        terminal::print(&derivation.to_latex())?;
    } else {
        terminal::print(&with_headings(&derivation.to_text()))?;
    }
    Ok(Ending::Done)
}

/// Marks the lines that are not indented.
pub(super) fn with_headings(text: &str) -> String {
    let mark = |line: &str| match line.starts_with(' ') || line.is_empty() {
        true => format!("{line}\n"),
        false => format!("{HEADING}{line}{HEADING:#}\n"),
    };
    text.lines().map(mark).collect()
}
