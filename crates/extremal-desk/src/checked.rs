//! What is wrong with a text, where, and what its names are.

use extremal_engine::derive::usual_forms;
use extremal_engine::model::{Diagnostic, Extent, Severity};
use extremal_engine::run::Settings;
use extremal_engine::trajectory::shortest;
use extremal_engine::{InvalidModel, Model, gallery};
use serde_json::{Value, json};

use crate::{DeskError, ModelRequest};

/// Names that a page completes and offers as sliders; a family of thousands has them in its text.
const MOST_NAMES: usize = 400;

/// What is wrong with the model, or its names, values and settings.
pub(crate) fn check(asked: &ModelRequest) -> Value {
    match asked.model_as_it_is() {
        Ok(model) => sound(asked, &model),
        Err(DeskError::Model(InvalidModel { diagnostics: found, source_text })) => {
            json!({ "sound": false, "diagnostics": diagnostics(&found, &source_text) })
        }
        Err(other) => other.content(),
    }
}

fn sound(asked: &ModelRequest, model: &Model) -> Value {
    let parameters = model.parameters().iter().take(MOST_NAMES).map(|parameter| {
        let of_others = !model.graph().free_symbols(&[model.graph().expr(parameter.expression)]).is_empty();
        json!({
            "name": parameter.name, "value": parameter.value, "structural": parameter.structural, "follows": of_others,
        })
    });
    let settings = Settings::of(model);
    let until = match settings.extent {
        Some(Extent::Until(time)) => Some(time),
        Some(Extent::Steps(steps)) => settings.step.map(|step| step * steps as f64),
        None => None,
    };
    json!({
        "sound": true,
        "name": model.name(),
        "source": model.source(),
        "description": model.description(),
        "diagnostics": diagnostics(model.warnings(), model.source_text()),
        "parameters": parameters.collect::<Vec<_>>(),
        "starts": starts(model),
        "names": names(model),
        "drawn": !model.drawing().points.is_empty(),
        "problem": model.boundary().is_some(),
        "controls": model.controls().iter().map(|control| control.name.as_str()).collect::<Vec<_>>(),
        "heat": !model.entropies().is_empty(),
        "exact": !model.exact().is_empty(),
        "forms": usual_forms(model).len(),
        "method": settings.method.to_string(),
        "step": settings.step.map(shortest),
        "until": until.map(shortest),
        "built_in": gallery::names().find(|name| gallery::text(name) == Some(asked.text.as_str())),
    })
}

/// Names and values of the starts that can be other ones.
fn starts(model: &Model) -> Vec<Value> {
    let initial = model.initial();
    let start = |name: String, value: &f64| value.is_finite().then(|| json!({ "name": name, "value": value }));
    let coordinates = model.coordinates();
    let positions = coordinates.iter().zip(&initial.positions).filter_map(|(c, value)| start(c.name.clone(), value));
    let velocities = coordinates.iter().zip(&initial.velocities).filter(|(c, _)| c.start_momentum.is_none());
    let velocities = velocities.filter_map(|(c, value)| start(format!("{}'", c.name), value));
    let carried = model.carried_names().into_iter().zip(&initial.entropies);
    let carried = carried.filter_map(|(name, value)| start(name.to_owned(), value));
    positions.chain(velocities).chain(carried).take(MOST_NAMES).collect()
}

/// What expressions of the model can contain, with what it is.
fn names(model: &Model) -> Vec<Value> {
    let mut names: Vec<(String, &str)> = Vec::new();
    let mut add = |name: &str, what: &'static str| {
        let family = name.split('[').next().unwrap_or(name).to_owned();
        if !names.iter().any(|(known, _)| *known == family) && names.len() < MOST_NAMES {
            names.push((family, what));
        }
    };
    model.parameters().iter().for_each(|p| add(&p.name, "parameter"));
    for coordinate in model.coordinates() {
        add(&coordinate.name, "coordinate");
        if !coordinate.name.contains('[') {
            add(&format!("{}'", coordinate.name), "velocity");
            add(&format!("p_{}", coordinate.name), "momentum");
        }
    }
    model.entropies().iter().for_each(|entropy| add(&entropy.name, "entropy"));
    model.amounts().iter().for_each(|amount| add(&amount.name, "amount"));
    model.states().iter().for_each(|state| add(&state.name, "state"));
    model.definitions().iter().for_each(|definition| add(&definition.name, "definition"));
    model.controls().iter().for_each(|control| add(&control.name, "control"));
    names.into_iter().map(|(name, what)| json!({ "name": name, "what": what })).collect()
}

/// Problems with their places as a page counts them, in units of UTF-16.
pub(crate) fn diagnostics(found: &[Diagnostic], text: &str) -> Value {
    let place = |byte: usize| {
        let end = (0..=byte.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text[..end].encode_utf16().count()
    };
    let line = |byte: usize| text.as_bytes()[..byte.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1;
    let shown = found.iter().map(|diagnostic| {
        let labels = diagnostic.labels.iter().map(|label| {
            json!({
                "from": place(label.span.start), "to": place(label.span.end),
                "line": line(label.span.start), "text": label.text,
            })
        });
        json!({
            "severity": match diagnostic.severity { Severity::Error => "error", Severity::Warning => "warning" },
            "code": diagnostic.code.name(),
            "message": diagnostic.message,
            "help": diagnostic.help,
            "labels": labels.collect::<Vec<_>>(),
        })
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> ModelRequest {
        ModelRequest { text: text.to_owned(), ..ModelRequest::default() }
    }

    #[test]
    fn a_mistake_is_found_where_a_page_counts() {
        // θ is two bytes and one unit.
        let text = "[coordinates]\n\"θ\" = 1\n[dynamics]\nlagrangian = \"θ'^2/2 + cos(θ)*k\"\n";
        let checked = check(&asked(text));
        assert_eq!(checked["sound"], false);
        let label = &checked["diagnostics"][0]["labels"][0];
        let from = label["from"].as_u64().unwrap() as usize;
        let units: Vec<u16> = text.encode_utf16().collect();
        assert_eq!(String::from_utf16(&units[from..from + 1]).unwrap(), "k");
        assert_eq!(label["line"], 4);
    }

    #[test]
    fn names_and_values_are_those_of_the_model() {
        let checked = check(&asked(gallery::text("double-pendulum").unwrap()));
        assert_eq!(checked["built_in"], "double-pendulum");
        assert_eq!(checked["starts"][0]["name"], "θ1");
        assert_eq!(checked["starts"][0]["value"], 2.0);
        let names: Vec<&str> = checked["names"].as_array().unwrap().iter().filter_map(|n| n["name"].as_str()).collect();
        assert!(["g", "θ1", "θ1'", "p_θ1"].iter().all(|name| names.contains(name)), "{names:?}");
    }
}
