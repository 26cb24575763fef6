//! A motion or a solution as a notebook: cells for the Python package that give the same numbers, and say so.

use extremal_engine::model::Extent;
use extremal_engine::run::End;
use extremal_engine::trajectory::{Role, shortest};
use extremal_engine::{CompiledRun, Recorder, gallery};
use serde_json::{Value, json};

use crate::numbers::NumberBlocks;
use crate::{DeskError, DeskProgress, ModelRequest, WatchDesk, optimum};

/// Coordinates whose last values are compared: a chain of thousands is told by its first ones.
const MOST_COMPARED: usize = 40;

/// Cells of a notebook, in turn.
#[derive(Default)]
struct Cells(Vec<Value>);

impl Cells {
    fn text(&mut self, source: &str) {
        let id = self.next_id();
        self.0.push(json!({ "cell_type": "markdown", "id": id, "metadata": {}, "source": source }));
    }

    fn code(&mut self, source: &str) {
        let id = self.next_id();
        let cell = json!({
            "cell_type": "code", "execution_count": null, "id": id, "metadata": {}, "outputs": [], "source": source,
        });
        self.0.push(cell);
    }

    fn next_id(&self) -> String {
        format!("cell-{}", self.0.len() + 1)
    }
}

/// The notebook of what is asked for: its motion where it has one, the solution of its problem on so many steps where it states one.
pub(crate) fn notebook(asked: &ModelRequest, steps: Option<usize>, watch: WatchDesk<'_>) -> Result<String, DeskError> {
    let model = asked.model()?;
    let settings = asked.settled(&model)?;
    let mut cells = Cells::default();
    let description = model.description().map(|text| format!("\n\n{text}")).unwrap_or_default();
    cells.text(&format!("# {}{description}", model.name().unwrap_or("Model")));
    cells.code("import extremal as ex");
    let is_parameter = |(name, _): &&(String, f64)| model.parameters().iter().any(|known| known.name == *name);
    let (parameters, starts): (Vec<_>, Vec<_>) = asked.values.iter().partition(is_parameter);
    cells.code(&format!("model = {}\nmodel", stated(&asked.text, &parameters)));
    cells.code("model.equations");
    if let Some(extent) = settings.extent {
        let until = if let Extent::Until(time) = extent { Some(time) } else { None };
        let arguments = arguments([
            ("method", asked.stated_method().map(python_text)),
            ("step", settings.step.filter(|_| asked.states_step()).map(shortest)),
            ("until", until.filter(|_| asked.states_end()).map(shortest)),
            ("values", (!starts.is_empty()).then(|| dictionary(&starts))),
        ]);
        let run = CompiledRun::new(&model, &settings)?;
        let mut recorder = Recorder::new(run.columns().clone());
        let outcome =
            run.execute(&mut recorder, |now| watch(DeskProgress { done: now.step, total: Some(now.steps) }))?;
        cells.text(&format!("`{}`", asked.command("run", &[])));
        cells.code(&attempt(
            "run",
            &format!("model.run({arguments})"),
            "MotionError",
            !matches!(outcome.end, End::Failed(_)),
        ));
        let last = recorder.last().unwrap_or_default();
        let of_coordinates =
            recorder.columns().iter().zip(last).filter(|(column, _)| column.role() == Role::Coordinate);
        let shown: Vec<String> = of_coordinates
            .take(MOST_COMPARED)
            .map(|(column, value)| format!("    {}: {},", python_text(column.name()), python_number(*value)))
            .collect();
        cells.code(&format!(
            "# The end of the motion in the studio, to the last digit.\nshown = {{\n{}\n}}\n{{name: float(run[name][-1]) == value for name, value in shown.items()}}",
            shown.join("\n")
        ));
        cells.code("model.analyze()");
    }
    if model.boundary().is_some() {
        let arguments = arguments([
            ("method", asked.stated_method().map(python_text)),
            ("steps", steps.map(|steps| steps.to_string())),
        ]);
        let found = optimum::solve(asked, steps, &mut NumberBlocks::default(), watch)?;
        cells.text(&format!("`{}`", found["command"].as_str().unwrap_or_default()));
        let solved = found["solved"] == true;
        cells.code(&attempt("solution", &format!("model.solve({arguments})"), "UnsolvedError", solved));
        if let Some(objective) = found["summary"]["objective"].as_f64() {
            cells.code(&format!(
                "# What it costs in the studio, to the last digit.\nsolution.objective == {}",
                python_number(objective)
            ));
        }
    }
    let notebook = json!({
        "cells": cells.0,
        "metadata": {
            "kernelspec": { "display_name": "Python 3", "language": "python", "name": "python3" },
            "language_info": { "name": "python" },
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    });
    Ok(format!("{notebook:#}\n"))
}

/// The model, by its name where it is a built-in one, with the parameters that are set.
fn stated(text: &str, parameters: &[&(String, f64)]) -> String {
    let values = if parameters.is_empty() { String::new() } else { format!(", **{}", dictionary(parameters)) };
    match gallery::names().find(|name| gallery::text(name) == Some(text)) {
        Some(name) => format!("ex.gallery({}{values})", python_text(name)),
        None => format!("ex.Model.parse({}{values})", python_block(text)),
    }
}

/// Values by their names, as Python reads them.
fn dictionary(values: &[&(String, f64)]) -> String {
    let entries = values.iter().map(|(name, value)| format!("{}: {}", python_text(name), python_number(*value)));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
}

/// What is stated of these, as a call takes it.
fn arguments<const N: usize>(all: [(&str, Option<String>); N]) -> String {
    let stated = all.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
    stated.collect::<Vec<_>>().join(", ")
}

/// A statement that shows what it finds; of what fails on its way, what there is of it.
fn attempt(name: &str, call: &str, error: &str, succeeds: bool) -> String {
    if succeeds {
        format!("{name} = {call}\n{name}")
    } else {
        format!(
            "try:\n    {name} = {call}\nexcept ex.{error} as error:\n    print(error)\n    {name} = error.partial\n{name}"
        )
    }
}

/// A text as Python reads it; JSON escapes what has to be.
fn python_text(text: &str) -> String {
    json!(text).to_string()
}

/// A text of many lines as Python reads it, as it stands where that is possible.
fn python_block(text: &str) -> String {
    let is_plain = !text.contains("'''") && !text.ends_with(['\'', '\\']) && !text.contains('\r');
    if is_plain { format!("r'''{text}'''") } else { python_text(text) }
}

/// A number as Python reads it, to the same bits.
fn python_number(value: f64) -> String {
    if value.is_finite() { shortest(value) } else { format!("float(\"{value}\")") }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;

    fn cells(asked: &ModelRequest) -> Vec<(String, String)> {
        let text = notebook(asked, None, &mut |_| ControlFlow::Continue(())).unwrap();
        let notebook: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&notebook["nbformat"], &notebook["nbformat_minor"]), (&json!(4), &json!(5)));
        let text = |cell: &Value, key: &str| cell[key].as_str().unwrap().to_owned();
        let cells = notebook["cells"].as_array().unwrap();
        cells.iter().map(|cell| (text(cell, "cell_type"), text(cell, "source"))).collect()
    }

    fn asked(text: &str) -> ModelRequest {
        ModelRequest { text: text.to_owned(), ..ModelRequest::default() }
    }

    #[test]
    fn a_motion_is_run_with_what_was_set_and_compared() {
        let built_in = asked(gallery::text("pendulum").unwrap());
        let built_in = ModelRequest {
            values: vec![("l".to_owned(), 2.0), ("theta'".to_owned(), 0.5)],
            method: Some("galerkin(2)".to_owned()),
            until: Some("1".to_owned()),
            ..built_in
        };
        let code: Vec<String> = cells(&built_in).into_iter().map(|(_, source)| source).collect();
        let has = |line: &str| code.iter().any(|source| source.lines().any(|other| other == line));
        assert!(has(r#"model = ex.gallery("pendulum", **{"l": 2.0})"#), "{code:?}");
        assert!(has(r#"run = model.run(method="galerkin(2)", until=1.0, values={"theta'": 0.5})"#), "{code:?}");
        assert!(code.iter().any(|source| source.contains("    \"theta\": ")), "{code:?}");
    }

    #[test]
    fn texts_are_texts_to_python() {
        assert_eq!(python_block("a = 'b\\c'\n"), "r'''a = 'b\\c'\n'''");
        assert_eq!(python_block("a = '''b'''"), "\"a = '''b'''\"");
        assert_eq!(python_number(f64::NAN), "float(\"NaN\")");
        assert_eq!(arguments([("step", None), ("until", Some("1".to_owned())), ("x", None)]), "until=1");
    }
}
