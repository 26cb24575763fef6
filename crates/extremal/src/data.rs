//! A model as data: the tables and keys of the model file, in their order.

use std::fmt::{self, Write as _};

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::Model;

/// A model as data has the tables and keys of the model file.
///
/// ```
/// use extremal::Model;
/// let model: Model = serde_json::from_str(r#"{
///     "parameters": { "k": [1, 4] },
///     "coordinates": { "y": 0.5, "x": { "start": 1.0 } },
///     "dynamics": { "lagrangian": "(x'^2 + y'^2 - k[1]*x^2 - k[2]*y^2)/2" }
/// }"#)?;
/// assert_eq!(model.coordinates(), ["y", "x"]);
/// let data = serde_json::to_value(&model.with("k[2]", 9.0)?)?;
/// assert_eq!(data["dynamics"]["lagrangian"], "(x'^2 + y'^2 - k[1]*x^2 - k[2]*y^2)/2");
/// assert_eq!(data["parameters"]["k"], serde_json::json!([1, 9.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Serialize for Model {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (text, overrides) = self.statement();
        let table = DeTable::parse(text).map_err(S::Error::custom)?;
        let given: Vec<(&str, &str)> = overrides.parameters().collect();
        serializer.collect_map(in_order(table.get_ref()).into_iter().map(|(key, value)| {
            let given = if key == "parameters" { given.as_slice() } else { &[] };
            (key, Data { value, given, name: None })
        }))
    }
}

fn in_order<'t>(table: &'t DeTable<'t>) -> Vec<(&'t str, &'t DeValue<'t>)> {
    let mut entries: Vec<(&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries.into_iter().map(|(key, value)| (key.get_ref().as_ref(), value.get_ref())).collect()
}

/// A value of the file, with what is given in place of the parameters in it.
struct Data<'t> {
    value: &'t DeValue<'t>,
    given: &'t [(&'t str, &'t str)],
    /// The parameter that it is.
    name: Option<String>,
}

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let replaced = self.given.iter().find(|(name, _)| self.name.as_deref() == Some(*name));
        if let Some((_, text)) = replaced {
            return match text.parse::<f64>() {
                Ok(number) => serializer.serialize_f64(number),
                Err(_) => serializer.serialize_str(text),
            };
        }
        let named = |value, name| Data { value, given: self.given, name };
        match self.value {
            DeValue::String(text) => serializer.serialize_str(text),
            DeValue::Integer(number) => {
                let number = i64::from_str_radix(number.as_str(), number.radix()).map_err(S::Error::custom)?;
                serializer.serialize_i64(number)
            }
            DeValue::Float(number) => serializer.serialize_f64(number.as_str().parse().map_err(S::Error::custom)?),
            DeValue::Boolean(truth) => serializer.serialize_bool(*truth),
            DeValue::Datetime(time) => serializer.collect_str(time),
            DeValue::Array(items) => serializer.collect_seq(items.iter().zip(1..).map(|(item, number): (_, usize)| {
                named(item.get_ref(), self.name.as_ref().map(|list| format!("{list}[{number}]")))
            })),
            DeValue::Table(table) => {
                let entries = in_order(table).into_iter();
                serializer.collect_map(entries.map(|(key, value)| (key, named(value, Some(key.to_owned())))))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Model {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Model, D::Error> {
        let TomlText::Table(tables) = TomlText::deserialize(deserializer)? else {
            return Err(serde::de::Error::custom("a model is an object of tables"));
        };
        let (mut top, mut rest) = (String::new(), String::new());
        // Writing to a String cannot fail.
        for (key, value) in &tables {
            let _ = match value {
                TomlText::Value(value) => writeln!(top, "{} = {value}", quoted(key)),
                TomlText::Table(entries) => {
                    let lines = entries.iter().map(|(key, value)| format!("{} = {value}\n", quoted(key)));
                    writeln!(rest, "[{}]\n{}", quoted(key), lines.collect::<String>())
                }
            };
        }
        Model::parse(&(top + &rest)).map_err(serde::de::Error::custom)
    }
}

/// A value as TOML writes it.
enum TomlText {
    Value(String),
    Table(Vec<(String, TomlText)>),
}

impl fmt::Display for TomlText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TomlText::Value(text) => f.write_str(text),
            TomlText::Table(entries) => {
                let entries = entries.iter().map(|(key, value)| format!("{} = {value}", quoted(key)));
                write!(f, "{{ {} }}", entries.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// TOML escapes what JSON escapes, and one character more.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

impl<'de> Deserialize<'de> for TomlText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TomlText, D::Error> {
        deserializer.deserialize_any(TomlVisitor)
    }
}

struct TomlVisitor;

impl<'de> Visitor<'de> for TomlVisitor {
    type Value = TomlText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text, a list or an object")
    }

    fn visit_bool<E>(self, truth: bool) -> Result<TomlText, E> {
        Ok(TomlText::Value(truth.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<TomlText, E> {
        Ok(TomlText::Value(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<TomlText, E> {
        Ok(TomlText::Value(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<TomlText, E> {
        Ok(TomlText::Value(format!("{number:?}").to_ascii_lowercase()))
    }

    fn visit_str<E>(self, text: &str) -> Result<TomlText, E> {
        Ok(TomlText::Value(quoted(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<TomlText, A::Error> {
        let mut texts = Vec::new();
        while let Some(item) = items.next_element::<TomlText>()? {
            texts.push(item.to_string());
        }
        Ok(TomlText::Value(format!("[{}]", texts.join(", "))))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<TomlText, A::Error> {
        let mut table = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            table.push(entry);
        }
        Ok(TomlText::Table(table))
    }
}
