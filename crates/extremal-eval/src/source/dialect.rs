//! What differs from language to language.

use std::collections::BTreeSet;

use extremal_expr::TableFunction;

use super::statement::{Argument, SourceStatement};
use crate::op::Op;

/// Parts of the library that are used: their names.
pub(super) type LibraryUses = BTreeSet<&'static str>;

/// Places of the numbers that a file states about itself.
pub(super) struct FileFacts<'f> {
    /// The name of the model, as an identifier.
    pub prefix: &'f str,
    /// Fields of the parameters with their values.
    pub parameters: &'f [(String, f64)],
    /// Unknowns of the largest system, if there is one.
    pub largest: usize,
    pub tolerance: f64,
}

/// How things are written in a language. The sign `@` in what it gives stands for the prefix of names in languages without modules.
pub(super) trait Dialect {
    /// Words that cannot be names, and names of ours.
    fn reserved(&self) -> &'static [&'static str];

    /// What begins a line of a comment.
    fn comment(&self) -> &'static str;

    /// The same above what it is about.
    fn documentation(&self) -> &'static str {
        self.comment()
    }

    /// What stands before everything else: imports, codes of failures, the parameters.
    fn opening(&self, facts: &FileFacts<'_>) -> String;

    /// What ends the file.
    fn closing(&self) -> &'static str {
        ""
    }

    /// The texts of the elementary functions and of Newton's method.
    fn library(&self) -> [&'static str; 2];

    /// What stands for the prefix.
    fn prefix(&self, name: &str) -> String;

    fn number(&self, x: f64) -> String;

    /// The result of an operation on names and numbers, but for sine and cosine together.
    fn operation(&self, op: Op<&str>, uses: &mut LibraryUses) -> String;

    fn bind(&self, name: &str, value: &str) -> String;

    /// The function of a table.
    fn table(&self, function: TableFunction) -> String;

    /// Sine and cosine of one argument.
    fn bind_sines(&self, sine: &str, cosine: &str, argument: &str, uses: &mut LibraryUses) -> String;

    fn element(&self, array: &str, at: usize) -> String;

    fn assign(&self, array: &str, at: usize, value: &str) -> String;

    fn parameter(&self, field: &str) -> String;

    /// The first line of formulas, whose arguments are `p`, `given`, `found` and `out`, of which some are used.
    fn formulas(&self, name: &str, used: [bool; 4]) -> Vec<String>;

    /// The first line of a function.
    fn function(&self, name: &str, arguments: &[Argument]) -> String;

    /// What ends formulas, and what ends a function that did what it should.
    fn end_of_formulas(&self) -> &'static str;
    fn end_of_function(&self) -> &'static str;

    /// The lines of a statement, without indentation; `body` are those inside of it.
    fn statement(&self, statement: &SourceStatement, body: Vec<String>) -> Vec<String>;

    /// An array of numbers, or of texts, by a name.
    fn numbers(&self, name: &str, values: &[f64]) -> String;
    fn texts(&self, name: &str, values: &[String]) -> String;
}

/// A finite number in the fewest digits that read back to the same bits.
pub(super) fn digits(x: f64) -> String {
    format!("{x:?}")
}

/// A text in double quotes, for names that have no control characters.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The opposite of a name or a number.
pub(super) fn opposite(text: &str) -> String {
    text.strip_prefix('-').map_or_else(|| format!("-{text}"), str::to_owned)
}
