//! Tables of a model text as values that can be changed and written again.

use std::fmt::Write;

use toml::de::{DeTable, DeValue};

/// An entry of a table.
#[derive(Clone, Debug)]
pub enum Value {
    /// An expression: a string, or a number as it is written.
    Text(String),
    /// A number where no expression may stand.
    Number(f64),
    Flag(bool),
    List(Vec<Value>),
    Table(Table),
}

/// Entries in their order.
#[derive(Clone, Debug, Default)]
pub struct Table(pub Vec<(String, Value)>);

impl Value {
    pub fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    pub fn as_table(&mut self) -> Option<&mut Table> {
        if let Value::Table(table) = self { Some(table) } else { None }
    }

    /// Applies `change` to every expression in the value.
    pub fn each_text(&mut self, change: &dyn Fn(&str) -> String) {
        match self {
            Value::Text(text) => *text = change(text),
            Value::Number(_) | Value::Flag(_) => {}
            Value::List(items) => items.iter_mut().for_each(|item| item.each_text(change)),
            Value::Table(table) => table.0.iter_mut().for_each(|(_, item)| item.each_text(change)),
        }
    }

    fn read(value: &DeValue) -> Value {
        match value {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => Value::Text(number.to_string()),
            DeValue::Float(number) => Value::Text(number.to_string()),
            DeValue::Boolean(flag) => Value::Flag(*flag),
            DeValue::Array(items) => Value::List(items.iter().map(|item| Value::read(item.get_ref())).collect()),
            DeValue::Table(table) => Value::Table(Table::of(table)),
            DeValue::Datetime(_) => panic!("a model has no dates"),
        }
    }

    /// Takes the texts that are numbers as numbers.
    pub fn without_expressions(&mut self) {
        match self {
            Value::Text(text) => {
                if let Ok(number) = text.parse() {
                    *self = Value::Number(number);
                }
            }
            Value::Number(_) | Value::Flag(_) => {}
            Value::List(items) => items.iter_mut().for_each(Value::without_expressions),
            Value::Table(table) => table.0.iter_mut().for_each(|(_, item)| item.without_expressions()),
        }
    }

    fn write(&self, into: &mut String) {
        match self {
            Value::Text(text) => write!(into, "{text:?}").unwrap(),
            Value::Number(number) => write!(into, "{number:?}").unwrap(),
            Value::Flag(flag) => write!(into, "{flag}").unwrap(),
            Value::List(items) => {
                into.push('[');
                for item in items {
                    item.write(into);
                    into.push(',');
                }
                into.push(']');
            }
            Value::Table(Table(entries)) => {
                into.push('{');
                for (place, (name, value)) in entries.iter().enumerate() {
                    into.push_str(if place > 0 { ", " } else { " " });
                    write!(into, "{name:?} = ").unwrap();
                    value.write(into);
                }
                into.push_str(" }");
            }
        }
    }
}

impl Table {
    pub fn read(text: &str) -> Table {
        Table::of(DeTable::parse(text).unwrap().get_ref())
    }

    fn of(table: &DeTable) -> Table {
        Table(table.iter().map(|(name, value)| (name.get_ref().to_string(), Value::read(value.get_ref()))).collect())
    }

    /// The text of a document with this content.
    pub fn document(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.0 {
            let Value::Table(Table(entries)) = value else { panic!("{name} stands above the tables") };
            writeln!(text, "[{name}]").unwrap();
            for (key, value) in entries {
                write!(text, "{key:?} = ").unwrap();
                value.write(&mut text);
                text.push('\n');
            }
        }
        text
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.0.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The entry `name`, made from `otherwise` if there is none.
    pub fn entry(&mut self, name: &str, otherwise: Value) -> &mut Value {
        let place = self.0.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.0.push((name.to_string(), otherwise));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }

    pub fn set(&mut self, name: &str, value: Value) {
        *self.entry(name, Value::Flag(false)) = value;
    }

    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }
}
