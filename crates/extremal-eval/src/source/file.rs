//! A file of source under construction.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use extremal_expr::TableFunction;

use super::dialect::{Dialect, FileFacts, LibraryUses};
use super::library;
use super::names::{NameTable, identifier};
use super::statement::{SourceFunction, SourceStatement};
use super::straight::FormulaSource;
use super::{Argument, Language};

/// Named numbers, or texts, that a file states.
pub enum NumberTable<'a> {
    /// Numbers.
    Numbers(&'a [f64]),
    /// Texts.
    Texts(&'a [String]),
}

/// A file of source under construction. Parameters are an argument of everything in it, with values that it starts with.
pub struct SourceFile {
    dialect: &'static dyn Dialect,
    prefix: String,
    parameters: Vec<(String, f64)>,
    uses: LibraryUses,
    curves: BTreeSet<TableFunction>,
    tables: Vec<String>,
    formulas: Vec<String>,
    functions: Vec<String>,
    largest: usize,
    slopes: bool,
}

impl SourceFile {
    /// A file for something of this name, with its parameters.
    pub fn new(language: Language, name: &str, parameters: &[(&str, f64)]) -> SourceFile {
        let dialect = language.dialect();
        let mut fields = NameTable::new(dialect.reserved());
        SourceFile {
            dialect,
            prefix: identifier(name).to_ascii_lowercase(),
            parameters: parameters.iter().map(|(name, value)| (fields.take(name), *value)).collect(),
            uses: LibraryUses::new(),
            curves: BTreeSet::new(),
            tables: Vec::new(),
            formulas: Vec::new(),
            functions: Vec::new(),
            largest: 0,
            slopes: false,
        }
    }

    /// States numbers or texts by a name.
    pub fn table(&mut self, name: &str, comment: &str, table: &NumberTable<'_>) {
        let line = match table {
            NumberTable::Numbers(values) => self.dialect.numbers(name, values),
            NumberTable::Texts(values) => self.dialect.texts(name, values),
        };
        self.tables.push(format!("{}{line}\n", commented(self.dialect.documentation(), comment)));
    }

    /// Writes formulas.
    pub fn formulas(&mut self, source: &FormulaSource<'_>) {
        let lines = source.write(self.dialect, &self.parameters, &mut self.uses);
        self.curves.extend(source.tables());
        let end = self.dialect.end_of_formulas();
        self.formulas.push(format!(
            "{}{}\n{end}",
            commented(self.dialect.documentation(), source.comment),
            lines.join("\n")
        ));
    }

    /// Writes a function.
    pub fn function(&mut self, function: &SourceFunction) {
        self.note(&function.body);
        let mut lines = vec![self.dialect.function(&function.name, &function.arguments)];
        lines.extend(self.lines(&function.body).into_iter().map(|line| format!("    {line}")));
        let end = self.dialect.end_of_function();
        self.functions.push(format!(
            "{}{}\n{end}",
            commented(self.dialect.documentation(), &function.comment),
            lines.join("\n")
        ));
    }

    /// What statements need of the library.
    fn note(&mut self, body: &[SourceStatement]) {
        for statement in body {
            match statement {
                SourceStatement::Solve { unknowns, .. } => self.largest = self.largest.max(*unknowns),
                SourceStatement::Slopes { sizes: [.., unknowns], .. } => {
                    self.slopes = true;
                    self.largest = self.largest.max(*unknowns);
                }
                SourceStatement::Substeps { body, .. } => self.note(body),
                _ => {}
            }
        }
    }

    fn lines(&self, body: &[SourceStatement]) -> Vec<String> {
        let lines = |statement: &SourceStatement| {
            let inside = match statement {
                SourceStatement::Substeps { body, .. } => self.lines(body),
                _ => Vec::new(),
            };
            self.dialect.statement(statement, inside.into_iter().map(|line| format!("    {line}")).collect())
        };
        body.iter().flat_map(lines).collect()
    }

    /// The whole text, below a comment; `tolerance` is that of residuals relative to their terms.
    pub fn finish(self, heading: &str, tolerance: f64) -> String {
        let facts = FileFacts { prefix: &self.prefix, parameters: &self.parameters, largest: self.largest, tolerance };
        let [functions, newton] = self.dialect.library();
        let mut parts = vec![self.dialect.opening(&facts)];
        parts.extend(self.tables.iter().cloned());
        parts.push(library::sections(functions, &self.uses));
        parts.extend(self.curves.iter().map(|function| self.dialect.table(*function)));
        if self.largest > 0 {
            parts.push(library::parts(newton, if self.slopes { &["newton", "slopes"] } else { &["newton"] }));
        }
        parts.extend(self.formulas.iter().chain(&self.functions).cloned());
        parts.push(self.dialect.closing().to_owned());
        let parts = parts.iter().map(|part| part.trim_matches('\n')).filter(|part| !part.is_empty());
        let body = parts.collect::<Vec<_>>().join("\n\n").replace('@', &self.dialect.prefix(&self.prefix));
        format!("{}\n{body}\n", commented(self.dialect.comment(), heading))
    }
}

impl Argument {
    /// Its name.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Argument::Scalar(name) | Argument::Given(name, _) | Argument::Written(name, _) => name,
        }
    }
}

/// The lines of a text, each below the sign of a comment.
fn commented(sign: &str, text: &str) -> String {
    text.lines().fold(String::new(), |mut all, line| {
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        // A backslash at the end would take the next line into the comment.
        let line = line.trim_end_matches(['\\', ' ']);
        let _ = writeln!(all, "{}", format!("{sign} {line}").trim_end());
        all
    })
}
