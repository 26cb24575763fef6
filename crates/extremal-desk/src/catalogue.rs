//! What there is to choose from: words of the language, methods, built-in models.

use extremal_engine::expr::{Function, Function2};
use extremal_engine::model::{MethodFamily, ModelTable};
use extremal_engine::{Model, gallery};
use serde_json::{Value, json};

use crate::DeskError;

/// The tables with their keys, the functions, the methods.
pub(crate) fn words() -> Value {
    let tables = ModelTable::all().iter().map(|table| {
        let keys = table.keys();
        let keys: Vec<Value> = keys.iter().map(|key| json!({ "name": key.name, "sentence": key.sentence })).collect();
        json!({ "name": table.name, "sentence": table.sentence, "keys": keys })
    });
    let functions = Function::ALL.iter().map(|f| json!({ "name": f.name(), "sentence": f.sentence() }));
    let functions2 = Function2::ALL.iter().map(|f| json!({ "name": f.name(), "sentence": f.sentence() }));
    let methods = MethodFamily::all().iter().map(|family| {
        json!({
            "name": family.name(),
            "example": (family.example)().to_string(),
            "usage": family.usage,
            "sentence": family.sentence,
            "order": family.order,
            "keeps": family.keeps,
        })
    });
    json!({
        "tables": tables.collect::<Vec<_>>(),
        "functions": functions.chain(functions2).collect::<Vec<_>>(),
        "methods": methods.collect::<Vec<_>>(),
        "version": env!("CARGO_PKG_VERSION"),
    })
}

/// The built-in models.
pub(crate) fn gallery() -> Value {
    let entry = |name: &'static str| {
        let model = gallery::text(name).and_then(|text| Model::from_toml(text).ok());
        json!({
            "name": name,
            "title": model.as_ref().and_then(Model::name),
            "description": model.as_ref().and_then(Model::description),
            "drawn": model.as_ref().is_some_and(|model| !model.drawing().points.is_empty()),
            "problem": model.as_ref().is_some_and(|model| model.boundary().is_some()),
        })
    };
    json!({ "models": gallery::names().map(entry).collect::<Vec<_>>() })
}

/// The text of a built-in model.
pub(crate) fn model(name: &str) -> Result<Value, DeskError> {
    let text = gallery::text(name).ok_or_else(|| DeskError::UnknownModel(name.to_owned()))?;
    Ok(json!({ "name": name, "text": text }))
}
