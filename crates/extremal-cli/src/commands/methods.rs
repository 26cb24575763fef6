//! `extremal methods`: the integration methods.

use clap::Args;
use extremal_engine::Method;
use extremal_engine::model::{Feature, MethodFamily};
use extremal_engine::trajectory::{Align, Table};
use serde_json::{Value, json};

use crate::arguments;
use crate::failure::{CommandError, Ending};
use crate::terminal::{self, FAINT, HEADING};

const EXAMPLES: &str = "\
Examples:
  extremal methods                    list the methods
  extremal methods energy-entropy     what it is, keeps, and is defined for
  extremal methods --json";

/// List the integration methods, or tell all about one
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct MethodsArguments {
    /// The method to tell about, such as `midpoint` or `galerkin(3)`
    #[arg(value_parser = arguments::method)]
    method: Option<Method>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn execute(arguments: &MethodsArguments) -> Result<Ending, CommandError> {
    let text = match (&arguments.method, arguments.json) {
        (None, true) => format!("{:#}\n", Value::from_iter(MethodFamily::all().iter().map(|family| object(family)))),
        (None, false) => list(),
        (Some(method), true) => format!("{:#}\n", object(method.family())),
        (Some(method), false) => page(method),
    };
    terminal::print(&text)?;
    Ok(Ending::Done)
}

fn object(family: &MethodFamily) -> Value {
    let defined = Feature::all().into_iter().filter(|feature| family.takes(*feature));
    let defined: Vec<String> = defined.map(|feature| feature.to_string()).collect();
    json!({
        "name": family.name(),
        "usage": family.usage,
        "sentence": family.sentence,
        "equations": family.equations,
        "order": family.order,
        "keeps": family.keeps,
        "defined": defined,
    })
}

fn list() -> String {
    let columns = [("method", Align::Left), ("order", Align::Left), ("keeps", Align::Left)];
    let mut table = Table::new(columns);
    for family in MethodFamily::all() {
        table.row([family.usage, family.order, family.keeps]);
    }
    format!("{table}\n{FAINT}extremal methods NAME tells all about one; docs/theory.md has the equations{FAINT:#}\n")
}

fn page(method: &Method) -> String {
    let family = method.family();
    let mut table = terminal::table_of_facts();
    table.row(["order", family.order]);
    table.row(["keeps", family.keeps]);
    table.row(["equations", &format!("{} of docs/theory.md", family.equations)]);
    let defined = |wanted: bool| Feature::all().into_iter().filter(move |feature| method.takes(*feature) == wanted);
    for (index, feature) in defined(true).enumerate() {
        table.row([if index == 0 { "defined" } else { "" }, &feature.to_string()]);
    }
    for (index, feature) in defined(false).enumerate() {
        table.row([if index == 0 { "not defined" } else { "" }, &feature.to_string()]);
    }
    format!("{HEADING}{}{HEADING:#}\n{}\n\n{table}\n", family.usage, family.sentence)
}
