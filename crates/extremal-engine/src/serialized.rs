//! How fields become data where their types alone do not say it.

use std::fmt::Display;

use serde::{Serialize, Serializer};

/// Numbers by the names of what they belong to.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct NamedValues(#[serde(serialize_with = "by_name")] pub Vec<(String, f64)>);

/// Names with their values as one object, in their order.
pub(crate) fn by_name<S: Serializer>(pairs: &[(String, impl Serialize)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// What it prints.
pub(crate) fn as_text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// What it prints, if it is there.
pub(crate) fn as_text_if_any<S: Serializer>(value: &Option<impl Display>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}
