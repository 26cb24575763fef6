//! The arguments that several commands share, and how their values are read.

use clap::{Args, Parser};
use extremal_engine::expr::syntax::{Ast, Limits, parse_number};
use extremal_engine::model::{AtSingular, ConstraintForm, EntropyBase, Extent, Pacing, Start};
use extremal_engine::{Method, Model, Overrides, Settings};

use crate::commands::Command;
use crate::{memory, source};

const EXAMPLES: &str = "\
Examples:
  extremal                                       simulate and plot a double pendulum
  extremal gallery                               list the built-in models
  extremal run gallery:kepler --plot kepler.svg  simulate one of them
  extremal derive my-model.toml                  print the equations of your own

A MODEL is a file, `gallery:NAME` for a built-in model, or `-` for standard input.
Exit codes: 0 done, 1 the computation failed (what was computed is kept),
2 bad input, 130 interrupted.";

/// Write a Lagrangian as text; get its equations, a structure-preserving simulation, and what it conserves.
///
/// Without a command: simulates a double pendulum, writes double-pendulum.svg here, and says what to try next.
#[derive(Parser)]
#[command(name = "extremal", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The most memory to use, such as 500M or 4G [default: three quarters of the machine's]
    #[arg(long, global = true, value_name = "SIZE", value_parser = memory::size)]
    pub memory: Option<u64>,
}

/// What a command says of its result.
#[derive(Args)]
pub struct PrintArguments {
    /// Print one JSON object instead of the summary
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// Which model, with which parameters.
#[derive(Args)]
pub struct ModelArguments {
    /// A model file, `gallery:NAME`, or `-` for standard input
    pub model: String,
    /// Give a parameter or a start another value, a number or an expression: `g=1.62`, `theta=pi/3`, "x'=2"; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub assignments: Vec<(String, String)>,
}

impl ModelArguments {
    pub fn overrides(&self) -> Overrides {
        let overrides = Overrides::default().folder(source::folder_of(&self.model));
        self.assignments.iter().fold(overrides, |all, (name, value)| all.assign(name, value))
    }

    /// The same with a step, a start and an end that are expressions.
    pub fn overrides_with(
        &self,
        step: Option<&SettingText>,
        from: Option<&SettingText>,
        until: Option<&SettingText>,
    ) -> Overrides {
        let overrides = self.overrides();
        let overrides = match step.and_then(SettingText::expression) {
            Some(step) => overrides.step(step),
            None => overrides,
        };
        let overrides = match from.and_then(SettingText::expression) {
            Some(from) => overrides.from(from),
            None => overrides,
        };
        match until.and_then(SettingText::expression) {
            Some(until) => overrides.until(until),
            None => overrides,
        }
    }
}

/// How a step is made.
#[derive(Args)]
pub struct MethodArguments {
    /// The method, such as midpoint, trapezoidal, "galerkin(2)", "compose(suzuki4, midpoint)", energy-entropy, rk4, dop853
    #[arg(long, value_parser = method)]
    pub method: Option<Method>,
    #[command(flatten)]
    pub step: StepArguments,
}

/// How a motion is marched, and how far.
#[derive(Args)]
pub struct MarchArguments {
    #[command(flatten)]
    pub method: MethodArguments,
    /// The time step (for dopri5 and dop853: the time between records), a number or an expression of the model's parameters
    #[arg(long, value_name = "H", allow_negative_numbers = true, value_parser = setting)]
    pub step: Option<SettingText>,
    /// How long steps are beside one another, an expression of positions and parameters: 1 where they have the length of the step
    #[arg(long, value_name = "EXPRESSION")]
    pub pace: Option<String>,
    /// The time of the start, 0 if neither this nor the model says so
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = setting)]
    pub from: Option<SettingText>,
    /// The time to end at, a number or an expression of the model's parameters: 10, "10*2*pi/w"; before the start, the motion is followed backward
    #[arg(long, value_name = "T", conflicts_with = "steps", allow_negative_numbers = true, value_parser = setting)]
    pub until: Option<SettingText>,
    /// The number of steps to take
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: Option<u64>,
    /// Residual tolerance of implicit steps relative to their terms, or error tolerance of dopri5 and dop853
    #[arg(long, value_name = "TOL", allow_negative_numbers = true, value_parser = number)]
    pub tolerance: Option<f64>,
}

/// A number, or an expression that only the model can give a value.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingText {
    Number(f64),
    Expression(String),
}

impl SettingText {
    /// The number, if it is one; what an expression is worth, the model knows after reading it as an override.
    pub fn number(&self) -> Option<f64> {
        match self {
            SettingText::Number(number) => Some(*number),
            SettingText::Expression(_) => None,
        }
    }

    /// The text of an expression.
    pub fn expression(&self) -> Option<&str> {
        match self {
            SettingText::Number(_) => None,
            SettingText::Expression(text) => Some(text),
        }
    }
}

/// What a method leaves open.
#[derive(Args)]
pub struct StepArguments {
    /// How the first step is made: legendre (position and velocity) or two-points (two positions)
    #[arg(long, value_name = "KIND")]
    pub start: Option<Start>,
    /// Where in a step the entropies of a discrete Lagrangian are taken: left, midpoint or right
    #[arg(long, value_name = "WHERE")]
    pub entropy: Option<EntropyBase>,
    /// How a step keeps constraints: rattle (velocities satisfy them after every step) or shake (when they are looked at)
    #[arg(long, value_name = "FORM")]
    pub constraints: Option<ConstraintForm>,
    /// Move a start that violates the constraints to the nearest one that does not
    #[arg(long)]
    pub project: bool,
    /// What a run does at a singular configuration of its constraints: stop, or pass with a warning
    #[arg(long, value_name = "RULE")]
    pub singular: Option<AtSingular>,
    /// How steps follow a stated pace: symmetric (from one to the next), symplectic (in a time of their own), even (not at all)
    #[arg(long, value_name = "HOW")]
    pub pacing: Option<Pacing>,
    /// Take steps without these cyclic coordinates, by Routh's function, and find them again from the motion of the others
    #[arg(long, value_name = "COORDINATE", value_delimiter = ',')]
    pub reduce: Vec<String>,
}

impl MethodArguments {
    /// The settings of the model with those that were given on the command line.
    pub fn settings(&self, model: &Model) -> Settings {
        let mut settings = Settings::of(model);
        if let Some(method) = &self.method {
            settings.method = method.clone();
        }
        self.step.applied_to(settings)
    }
}

impl MarchArguments {
    /// What replaces values of the model: a step and an end that are expressions follow its parameters as its own would.
    pub fn overrides(&self, model: &ModelArguments) -> Overrides {
        let overrides = model.overrides_with(self.step.as_ref(), self.from.as_ref(), self.until.as_ref());
        match &self.pace {
            Some(pace) => overrides.pace(pace),
            None => overrides,
        }
    }

    /// The settings of the model with those that were given on the command line; a step, a start and an end only if they were given as numbers.
    pub fn settings(&self, model: &Model) -> Settings {
        let model = self.method.settings(model);
        let until = self.until.as_ref().and_then(SettingText::number);
        Settings {
            step: self.step.as_ref().and_then(SettingText::number),
            from: self.from.as_ref().and_then(SettingText::number),
            extent: until.map(Extent::Until).or(self.steps.map(Extent::Steps)),
            tolerance: self.tolerance.or(model.tolerance),
            ..model
        }
    }
}

impl StepArguments {
    /// The settings with those that were given on the command line.
    pub fn applied_to(&self, settings: Settings) -> Settings {
        Settings {
            start: self.start.unwrap_or(settings.start),
            entropy: self.entropy.unwrap_or(settings.entropy),
            constraints: self.constraints.unwrap_or(settings.constraints),
            project: self.project || settings.project,
            singular: self.singular.unwrap_or(settings.singular),
            pacing: self.pacing.unwrap_or(settings.pacing),
            reduce: if self.reduce.is_empty() { settings.reduce } else { self.reduce.clone() },
            ..settings
        }
    }
}

/// Reads a method; what is wrong with it is said together with the likely intent.
pub fn method(text: &str) -> Result<Method, String> {
    text.parse::<Method>().map_err(|error| match error.help() {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    })
}

/// Reads methods between commas; commas inside parentheses belong to a method.
pub fn methods(text: &str) -> Result<Vec<Method>, String> {
    let mut depth = 0i32;
    text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(|part| method(part.trim()))
    .collect()
}

/// Reads a number, written as such or as an expression without names.
pub fn number(text: &str) -> Result<f64, String> {
    parse_number(text).map_err(|errors| errors.iter().next().map(ToString::to_string).unwrap_or_default())
}

/// A time, or many at equal distances.
#[derive(Clone, Debug, PartialEq)]
pub struct Times(pub Vec<f64>);

impl Times {
    /// All times of a list.
    pub fn all(list: &[Times]) -> Vec<f64> {
        list.iter().flat_map(|Times(times)| times).copied().collect()
    }
}

/// More times than this are a mistake.
const MOST_TIMES: u64 = 100_000_000;

/// Reads a time, or `first:last:how many`.
pub fn times(text: &str) -> Result<Times, String> {
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        [one] => Ok(Times(vec![number(one)?])),
        [first, last, count] => {
            let (first, last) = (number(first)?, number(last)?);
            let count: u64 = count.trim().parse().map_err(|_| format!("`{count}` is no number of times"))?;
            if !(2..=MOST_TIMES).contains(&count) {
                return Err(format!("the number of times lies between 2 and {MOST_TIMES}, not {count}"));
            }
            let part = |at: u64| at as f64 / (count - 1) as f64;
            Ok(Times((0..count).map(|at| first + part(at) * (last - first)).collect()))
        }
        _ => Err("write a time, or `first:last:how many`, as `0:10:101`".to_owned()),
    }
}

/// Reads a number, or an expression whose names the model knows.
pub fn setting(text: &str) -> Result<SettingText, String> {
    if let Ok(number) = parse_number(text) {
        return Ok(SettingText::Number(number));
    }
    match Ast::expression(text, &Limits::default()) {
        Ok(_) => Ok(SettingText::Expression(text.to_owned())),
        Err(errors) => Err(errors.iter().next().map(ToString::to_string).unwrap_or_default()),
    }
}

pub fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write it as NAME=VALUE, for example `--set g=1.62`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_of_the_arguments_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn commas_inside_parentheses_belong_to_a_method() {
        let names: Vec<String> = methods("left, compose(suzuki4, midpoint),galerkin(2, lobatto(3))")
            .unwrap()
            .iter()
            .map(Method::to_string)
            .collect();
        assert_eq!(names, ["left", "compose(suzuki4, midpoint)", "galerkin(2, lobatto(3))"]);
        assert!(methods("left,").is_err());
        assert!(methods("midpont").unwrap_err().contains("did you mean `midpoint`?"));
    }

    #[test]
    fn numbers_are_expressions_too() {
        assert_eq!(setting("pi/100").unwrap(), SettingText::Number(std::f64::consts::PI / 100.0));
        assert_eq!(setting("10*T").unwrap(), SettingText::Expression("10*T".to_owned()));
        assert!(setting("10 T").unwrap_err().contains("operator"));
        assert_eq!(number("1/8").unwrap(), 0.125);
        assert!(number("l").unwrap_err().contains("unknown name"));
    }

    #[test]
    fn times_are_listed_or_counted() {
        assert_eq!(times("pi/2").unwrap(), Times(vec![std::f64::consts::FRAC_PI_2]));
        assert_eq!(times("1:2:5").unwrap(), Times(vec![1.0, 1.25, 1.5, 1.75, 2.0]));
        for wrong in ["1:2", "1:2:1", "1:2:x", "a"] {
            assert!(times(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn assignments_keep_the_text_of_the_value() {
        assert_eq!(assignment("l = 2*pi").unwrap(), ("l".to_owned(), "2*pi".to_owned()));
        assert!(assignment("l").is_err());
        assert!(assignment("=2").is_err());
    }
}
