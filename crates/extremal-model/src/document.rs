//! The TOML side: tables, keys and values with their places in the source, read with a diagnostic for each misfit.

use extremal_expr::Rational;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::diagnostic::{Code, Diagnostic, Problems, Span};
use crate::suggest::help_for;
use crate::text::SourceText;

/// Larger files are refused unread.
pub const MAX_FILE_BYTES: usize = 1 << 20;

/// Longer numbers are refused: exact arithmetic on them only costs time.
const MAX_NUMBER_LENGTH: usize = 1000;

/// A key that a table may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableKey {
    /// How it is written.
    pub name: &'static str,
    /// What it says, in Markdown.
    pub sentence: &'static str,
}

/// A key, and how its value gets into the statement `S` of its table.
pub(crate) struct TableField<S: 'static> {
    pub key: TableKey,
    read: for<'t> fn(&mut TableReader<'t, '_>, &TableEntry<'t>, &mut S),
}

/// `read` takes the value out of the file into the statement.
pub(crate) const fn field<S>(
    name: &'static str,
    sentence: &'static str,
    read: for<'t> fn(&mut TableReader<'t, '_>, &TableEntry<'t>, &mut S),
) -> TableField<S> {
    TableField { key: TableKey { name, sentence }, read }
}

/// The keys of a list of fields.
pub(crate) fn keys<S>(fields: &[TableField<S>]) -> Vec<TableKey> {
    fields.iter().map(|field| field.key).collect()
}

/// A key of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Name {
    pub text: String,
    pub span: Span,
}

/// A value that stands for an expression: a number, or a text to be parsed.
#[derive(Clone, Debug)]
pub(crate) enum Scalar {
    Number { value: Rational, span: Span },
    Text(SourceText),
}

impl Scalar {
    pub fn span(&self) -> Span {
        match self {
            Scalar::Number { span, .. } => span.clone(),
            Scalar::Text(text) => text.span.clone(),
        }
    }
}

/// One value for all members of a family, or a list with one for each.
#[derive(Clone, Debug)]
pub(crate) enum ScalarSeries {
    One(Scalar),
    List { items: Vec<Scalar>, span: Span },
}

impl ScalarSeries {
    pub fn span(&self) -> Span {
        match self {
            ScalarSeries::One(value) => value.span(),
            ScalarSeries::List { span, .. } => span.clone(),
        }
    }

    /// The value for the member at this position; `None` beyond the end of a list.
    pub fn item(&self, position: usize) -> Option<&Scalar> {
        match self {
            ScalarSeries::One(value) => Some(value),
            ScalarSeries::List { items, .. } => items.get(position),
        }
    }

    /// The place of the value for the member at this position.
    pub fn item_span(&self, position: usize) -> Span {
        match self {
            ScalarSeries::List { items, .. } if position < items.len() => items[position].span(),
            _ => self.span(),
        }
    }
}

/// Parses the text; syntax errors are reported.
pub(crate) fn parse<'a>(source: &'a str, problems: &mut Problems) -> Option<Spanned<DeTable<'a>>> {
    if source.len() > MAX_FILE_BYTES {
        let message = format!("the model file has {} bytes; the limit is {MAX_FILE_BYTES}", source.len());
        problems.push(Diagnostic::error(Code::FileTooLarge, message));
        return None;
    }
    let (table, errors) = DeTable::parse_recoverable(source);
    let valid = errors.is_empty();
    for error in errors {
        let span = error.span().unwrap_or(source.len()..source.len());
        let diagnostic = match error.message() {
            "duplicate key" => Diagnostic::error(Code::DuplicateName, "this key stands twice in its table"),
            other => Diagnostic::error(Code::TomlSyntax, format!("this is not valid TOML: {other}")),
        };
        problems.push(diagnostic.at(span, "").maybe_help(toml_help(error.message())));
    }
    valid.then_some(table)
}

fn toml_help(message: &str) -> Option<String> {
    let help = if message.contains("string values must be quoted") {
        "write expressions between quotes: lagrangian = \"x'^2/2\""
    } else if message.starts_with("invalid unquoted key") {
        "a key with other characters stands between quotes: \"θ\" = 0.1"
    } else {
        return None;
    };
    Some(help.to_owned())
}

/// A value with its key, and where it stands.
pub(crate) struct TableEntry<'t> {
    pub name: Name,
    value: &'t Spanned<DeValue<'t>>,
    /// The table it stands in, as the user writes it, e.g. `[coordinates] x`.
    path: String,
}

/// Reads values out of the parsed file.
pub(crate) struct TableReader<'t, 'p> {
    pub source: &'t str,
    pub problems: &'p mut Problems,
}

impl<'t> TableReader<'t, '_> {
    /// The entries of a table in the order of the file; `path` is empty at the top.
    pub fn entries(&self, table: &'t DeTable<'t>, path: &str) -> Vec<TableEntry<'t>> {
        let entry = |(key, value): (&'t Spanned<DeString<'t>>, &'t Spanned<DeValue<'t>>)| TableEntry {
            name: Name { text: key.get_ref().to_string(), span: key.span() },
            value,
            path: path.to_owned(),
        };
        let mut entries: Vec<TableEntry<'t>> = table.iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.name.span.start);
        entries
    }

    /// The entries of the table that `entry` should be.
    pub fn table(&mut self, entry: &TableEntry<'t>) -> Option<Vec<TableEntry<'t>>> {
        let path = entry.full_path();
        match entry.value.get_ref() {
            DeValue::Table(table) => Some(self.entries(table, &path)),
            _ => {
                let help = match entry.path.is_empty() {
                    true => format!("write it as a table, [{}]", entry.name.text),
                    false => format!("write it as a table, {} = {{ ... }}", entry.name.text),
                };
                self.wrong_type(entry, "a table", Some(help));
                None
            }
        }
    }

    /// Reads the entries of a table into a statement; returns the keys that were there. Those that are in none of the fields are
    /// reported.
    pub fn fill<S>(
        &mut self,
        entries: Vec<TableEntry<'t>>,
        fields: &[TableField<S>],
        into: &mut S,
    ) -> Vec<&'static str> {
        let mut stated = Vec::new();
        for entry in entries {
            match fields.iter().find(|field| field.key.name == entry.name.text) {
                Some(field) => {
                    (field.read)(self, &entry, into);
                    stated.push(field.key.name);
                }
                None => self.unknown_key(&entry, &keys(fields)),
            }
        }
        stated
    }

    /// The same for an entry that may be a table or a plain value, which then stands for the first key.
    pub fn fill_entry<S>(
        &mut self,
        entry: &TableEntry<'t>,
        fields: &[TableField<S>],
        into: &mut S,
    ) -> Vec<&'static str> {
        if let (false, Some(first)) = (self.is_table(entry), fields.first()) {
            (first.read)(self, entry, into);
            return vec![first.key.name];
        }
        let entries = self.table(entry).unwrap_or_default();
        self.fill(entries, fields, into)
    }

    /// One of a few words; `unknown` says what is wrong with another one, and `listed` introduces the list of them.
    pub fn choice<T: Copy, const N: usize>(
        &mut self,
        entry: &TableEntry<'t>,
        all: [T; N],
        name: fn(T) -> &'static str,
        listed: &str,
        unknown: impl Fn(&str) -> String,
    ) -> Option<(T, SourceText)> {
        let text = self.string(entry)?;
        if let Some(found) = all.into_iter().find(|choice| name(*choice) == text.value) {
            return Some((found, text));
        }
        let help = help_for(&text.value, listed, all.map(name));
        let diagnostic = Diagnostic::error(Code::UnknownOption, unknown(&text.value)).at(text.span, "");
        self.problems.push(diagnostic.maybe_help(help));
        None
    }

    /// The key as a text of its own.
    pub fn key(&self, entry: &TableEntry<'t>) -> SourceText {
        SourceText::new(&entry.name.text, entry.name.span.clone(), self.source)
    }

    /// Is the value an inline or ordinary table?
    pub fn is_table(&self, entry: &TableEntry<'t>) -> bool {
        entry.value.get_ref().is_table()
    }

    /// The value, if it is `true` or `false`.
    pub fn as_boolean(&self, entry: &TableEntry<'t>) -> Option<bool> {
        entry.value.get_ref().as_bool()
    }

    /// Is the value a string or a list?
    pub fn is_string_or_list(&self, entry: &TableEntry<'t>) -> bool {
        entry.value.get_ref().is_str() || entry.value.get_ref().is_array()
    }

    /// A string that is not an expression.
    pub fn string(&mut self, entry: &TableEntry<'t>) -> Option<SourceText> {
        match entry.value.get_ref() {
            DeValue::String(value) => Some(SourceText::new(value, entry.value.span(), self.source)),
            _ => {
                self.wrong_type(entry, "a string between quotes", None);
                None
            }
        }
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, entry: &TableEntry<'t>) -> Option<bool> {
        let value = self.as_boolean(entry);
        if value.is_none() {
            self.wrong_type(entry, "true or false", None);
        }
        value
    }

    /// A number, or an expression between quotes.
    pub fn scalar(&mut self, entry: &TableEntry<'t>) -> Option<Scalar> {
        self.scalar_value(entry.value, entry)
    }

    /// A scalar, or a list of them.
    pub fn series(&mut self, entry: &TableEntry<'t>) -> Option<ScalarSeries> {
        let DeValue::Array(list) = entry.value.get_ref() else {
            return self.scalar(entry).map(ScalarSeries::One);
        };
        let items: Vec<Scalar> = list.iter().filter_map(|item| self.scalar_value(item, entry)).collect();
        (items.len() == list.len()).then(|| ScalarSeries::List { items, span: entry.value.span() })
    }

    /// A scalar by each name.
    pub fn named_scalars(&mut self, entries: Vec<TableEntry<'t>>) -> Vec<(Name, Scalar)> {
        entries.into_iter().filter_map(|entry| self.scalar(&entry).map(|value| (entry.name, value))).collect()
    }

    /// One string or a list of them, none of them expressions.
    pub fn strings(&mut self, entry: &TableEntry<'t>) -> Option<Vec<SourceText>> {
        let items = self.list(entry);
        let items = items.as_deref().unwrap_or(std::slice::from_ref(entry));
        let texts: Vec<Option<SourceText>> = items.iter().map(|item| self.string(item)).collect();
        texts.into_iter().collect()
    }

    /// The items of a list, each as an entry of its own; `None` if it is no list.
    pub fn list(&self, entry: &TableEntry<'t>) -> Option<Vec<TableEntry<'t>>> {
        let DeValue::Array(list) = entry.value.get_ref() else { return None };
        let item = |value| TableEntry { name: entry.name.clone(), value, path: entry.path.clone() };
        Some(list.iter().map(item).collect())
    }

    fn scalar_value(&mut self, value: &'t Spanned<DeValue<'t>>, entry: &TableEntry<'t>) -> Option<Scalar> {
        let span = value.span();
        let number = match value.get_ref() {
            DeValue::String(text) => return Some(Scalar::Text(SourceText::new(text, span, self.source))),
            DeValue::Float(_) | DeValue::Integer(_) if span.len() > MAX_NUMBER_LENGTH => {
                let message = format!("{} has more than {MAX_NUMBER_LENGTH} digits", entry.full_path());
                self.problems.push(Diagnostic::error(Code::TooLarge, message).at(span, ""));
                return None;
            }
            DeValue::Float(float) => decimal(float.as_str()),
            DeValue::Integer(integer) if integer.radix() == 10 => decimal(integer.as_str()),
            DeValue::Integer(integer) => {
                i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(Rational::from)
            }
            other => {
                let message = format!("{} should be a number or an expression, not {}", entry.full_path(), kind(other));
                self.problems.push(Diagnostic::error(Code::WrongType, message).at(span, ""));
                return None;
            }
        };
        // Beyond the range of `f64` an exact number could be kept, but never evaluated.
        match number.filter(|value| value.to_f64().is_finite()) {
            Some(value) => Some(Scalar::Number { value, span }),
            None => {
                let message = format!("{} is not a finite number", entry.full_path());
                self.problems.push(Diagnostic::error(Code::NotFinite, message).at(span, ""));
                None
            }
        }
    }

    /// Says that the key belongs to none of the known ones.
    pub fn unknown_key(&mut self, entry: &TableEntry<'t>, known: &[TableKey]) {
        let message = match entry.path.is_empty() {
            true => format!("there is no key `{}` at the top of a model file", entry.name.text),
            false => format!("{} has no key `{}`", entry.path, entry.name.text),
        };
        let help = help_for(&entry.name.text, "the keys are", known.iter().map(|key| key.name));
        self.problems.push(
            Diagnostic::error(Code::UnknownKey, message).at(entry.name.span.clone(), "unknown key").maybe_help(help),
        );
    }

    pub fn wrong_type(&mut self, entry: &TableEntry<'t>, wanted: &str, help: Option<String>) {
        let message = format!("{} should be {wanted}, not {}", entry.full_path(), kind(entry.value.get_ref()));
        self.problems.push(Diagnostic::error(Code::WrongType, message).at(entry.value.span(), "").maybe_help(help));
    }
}

impl TableEntry<'_> {
    /// Where the value stands.
    pub fn value_span(&self) -> Span {
        self.value.span()
    }

    /// `[forces] x`, or `name` at the top.
    pub fn full_path(&self) -> String {
        match (self.path.is_empty(), self.value.get_ref().is_table()) {
            (true, true) => format!("[{}]", self.name.text),
            (true, false) => format!("`{}`", self.name.text),
            (false, _) => format!("{} {}", self.path, self.name.text),
        }
    }
}

/// What a value is, in words.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// The exact value of a TOML number, whose sign the expression lexer does not know.
pub(crate) fn decimal(text: &str) -> Option<Rational> {
    match text.strip_prefix('-') {
        Some(positive) => Rational::parse_decimal(positive).map(|value| -&value),
        None => Rational::parse_decimal(text.strip_prefix('+').unwrap_or(text)),
    }
}
