//! Values of a model file, and how they are written in TOML.

use std::fmt::Write as _;

/// A number, an expression, or a list of them: what a model file may give as a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// An integer, which may also count members and bound sums.
    Integer(i64),
    /// An expression.
    Expression(String),
    /// One value for each member of a family.
    List(Vec<Value>),
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Number(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Integer(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Value::Integer(value.into())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::Expression(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Value::Expression(value)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Value::List(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(values: [T; N]) -> Self {
        Value::List(values.into_iter().map(Into::into).collect())
    }
}

/// As a value of a TOML file.
pub(super) fn toml(value: &Value) -> String {
    // Recursion is as deep as the caller's program nests lists; no text gets here.
    match value {
        Value::Number(number) if number.is_nan() => "nan".to_owned(),
        Value::Number(number) => format!("{number:?}"),
        Value::Integer(integer) => integer.to_string(),
        Value::Expression(text) => quoted(text),
        Value::List(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
    }
}

/// A line of a table.
pub(super) fn line(key: &str, value: impl Into<Value>) -> String {
    format!("{key} = {}", toml(&value.into()))
}

/// An inline table.
pub(super) fn inline(lines: &[String]) -> String {
    format!("{{ {} }}", lines.join(", "))
}

/// A key, between quotes unless it may stand bare.
pub(super) fn key(text: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !text.is_empty() && text.chars().all(bare) { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
