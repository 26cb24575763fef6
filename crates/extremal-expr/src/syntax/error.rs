//! What can be wrong with an expression, and where.

use std::fmt;

use super::{ExprShape, TextSpan};

/// One thing that is wrong, with the bytes it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// Where, in bytes of the text that was given.
    pub span: TextSpan,
}

/// What is wrong, without the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum SyntaxErrorKind {
    #[error("the expression is {bytes} bytes long; at most {limit} are read")]
    TextTooLong { bytes: usize, limit: usize },
    #[error("nested more than {limit} levels deep")]
    TooDeep { limit: usize },
    #[error("the expression, with its sums written out, has more than {limit} nodes")]
    TooManyNodes { limit: usize },
    #[error("the expression is empty")]
    Empty,
    #[error("unexpected character `{character}`")]
    UnexpectedCharacter {
        character: char,
        /// What to write in its place, if it looks like something known.
        instead: Option<&'static str>,
    },
    #[error("`{text}` is not a number")]
    BadNumber {
        text: String,
        /// Why it was refused.
        reason: BadNumber,
    },
    #[error("this needs an exact number of more than {limit} bits")]
    NumberTooLong { limit: usize },
    #[error("expected {expected}, found {found}")]
    Unexpected { expected: &'static str, found: String },
    #[error("an operator is missing")]
    MissingOperator {
        /// The same characters with a `*`, when they are short.
        suggestion: Option<String>,
    },
    #[error("this `{open}` is never closed")]
    Unclosed { open: char },
    #[error("comparisons cannot be chained")]
    ChainedComparison,
    #[error("`=` is not an operator here")]
    StrayEquals {
        /// Was an equation asked for (so that this is the second `=`)?
        in_equation: bool,
    },
    #[error("expected an equation `left = right`")]
    MissingEquals,
    #[error("a prime can only follow a name or a closing bracket")]
    MisplacedPrime,
    #[error("{primes} primes; at most {limit} are understood")]
    TooManyPrimes { primes: u32, limit: u32 },
    #[error("an index can only follow a name")]
    MisplacedIndex,
    #[error("unknown name `{name}`")]
    UnknownName {
        name: String,
        /// The nearest declared name.
        suggestion: Option<String>,
    },
    #[error("unknown function `{name}`")]
    UnknownFunction {
        name: String,
        /// The nearest function.
        suggestion: Option<String>,
    },
    #[error("`{name}` is {} {what}, not a function", article(what))]
    NotAFunction { name: String, what: &'static str },
    #[error("`{name}` needs its arguments in parentheses")]
    BareFunction { name: String },
    #[error("`{name}'(...)` is no function: by its argument a table alone is differentiated so")]
    PrimedFunction { name: String },
    #[error("`{function}` takes {expected}, found {found}")]
    WrongArity { function: String, expected: &'static str, found: usize },
    #[error("`{signature}` takes {}, found {found}", counted(*expected))]
    WrongArgumentCount {
        /// How the function was declared: `U(r)`.
        signature: String,
        expected: usize,
        found: usize,
    },
    #[error("in `{function}`: {error}")]
    InFunction {
        function: String,
        /// What is wrong there, with its place in the text of the function.
        error: Box<SyntaxError>,
    },
    #[error("functions call one another more than {limit} levels deep")]
    DeepCalls { limit: usize },
    #[error("expected a number, found {found}")]
    ExpectedScalar { found: ExprShape },
    #[error("{left} and {right} cannot be added")]
    UnlikeSummands { left: ExprShape, right: ExprShape },
    #[error("{left} and {right} cannot be multiplied")]
    NoProduct { left: ExprShape, right: ExprShape },
    #[error("nothing can be divided by {by}")]
    NoQuotient { by: ExprShape },
    #[error("`if` chooses between {left} and {right}")]
    UnlikeBranches { left: ExprShape, right: ExprShape },
    #[error("`{function}` takes {expected}, found {found}")]
    WrongShape {
        function: &'static str,
        expected: &'static str,
        /// The shapes of the arguments, in words.
        found: String,
    },
    #[error("the list is empty")]
    EmptyList,
    #[error("the list has {first} beside {other}")]
    UnlikeItems { first: ExprShape, other: ExprShape },
    #[error("`{name}` is a {rows} by {columns} matrix and needs two indices")]
    MissingColumn { name: String, rows: i64, columns: i64 },
    #[error("`{name}` is no matrix and takes one index")]
    NotAMatrix { name: String },
    #[error("the first argument of `sum` is the name of its index")]
    BadSumIndex,
    #[error("`{name}` is {} {what} and has no time derivative", article(what))]
    NoDerivative { name: String, what: &'static str },
    #[error("{message}")]
    Refused {
        message: String,
        /// What to do instead, in the scope's words.
        help: Option<String>,
    },
    #[error("`{name}` is a family of {count} and needs an index")]
    MissingIndex {
        name: String,
        count: i64,
        /// Its first index.
        first: i64,
    },
    #[error("`{name}` is a single {what} and takes no index")]
    NotAFamily { name: String, what: &'static str },
    #[error("index {index} is outside `{name}[{first}]` to `{name}[{last}]`")]
    IndexOutOfRange { name: String, index: i64, first: i64, last: i64 },
    #[error("{role} must be an integer known in advance")]
    NotAnInteger { role: &'static str },
    #[error("expected a number, found a condition")]
    ExpectedNumber,
    #[error("expected a condition, found a number")]
    ExpectedCondition,
    #[error("division by zero")]
    DivisionByZero,
}

fn counted(arguments: usize) -> String {
    if arguments == 1 { "1 argument".to_owned() } else { format!("{arguments} arguments") }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// Why a number was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadNumber {
    /// More than one decimal point.
    SeveralPoints,
    /// Outside the range of double precision.
    OutOfRange,
    /// More digits than [`Limits::number_digits`](super::Limits::number_digits).
    TooManyDigits,
}

impl SyntaxErrorKind {
    /// What to write instead, when there is something useful to say.
    pub fn help(&self) -> Option<String> {
        use SyntaxErrorKind as Kind;
        let text = match self {
            Kind::UnexpectedCharacter { instead: Some(instead), .. } => format!("write `{instead}`"),
            Kind::BadNumber { reason: BadNumber::OutOfRange, .. } => {
                "numbers reach from about 1e-308 to 1e308 in size".to_owned()
            }
            Kind::BadNumber { reason: BadNumber::TooManyDigits, .. } => {
                "double precision keeps 17 significant digits".to_owned()
            }
            Kind::MissingOperator { suggestion: Some(text) } => format!("to multiply, write `{text}`"),
            Kind::MissingOperator { suggestion: None } => "to multiply, write `*`".to_owned(),
            Kind::ChainedComparison => "join two comparisons with `and`: `a < x and x < b`".to_owned(),
            Kind::StrayEquals { in_equation: false } => "to compare, write `==`".to_owned(),
            Kind::StrayEquals { in_equation: true } => "an equation has one `=`".to_owned(),
            Kind::MissingEquals => "an equation is written with a single `=`".to_owned(),
            Kind::MisplacedPrime => "put the expression between parentheses, and the prime behind them".to_owned(),
            Kind::MisplacedIndex => "an index follows the name and precedes the primes: `x[1]'`".to_owned(),
            Kind::UnknownName { suggestion: Some(name), .. } => format!("did you mean `{name}`?"),
            Kind::UnknownFunction { suggestion: Some(name), .. } => format!("did you mean `{name}`?"),
            Kind::NotAFunction { name, .. } => format!("to multiply, write `{name}*(...)`"),
            Kind::BareFunction { name } => match name.as_str() {
                "sum" => "write `sum(i, first, last, term)`".to_owned(),
                "if" => "write `if(condition, value, otherwise)`".to_owned(),
                _ => format!("write `{name}(...)`"),
            },
            Kind::WrongArity { function, .. } => match function.as_str() {
                "sum" => "write `sum(i, first, last, term)`".to_owned(),
                "if" => "write `if(condition, value, otherwise)`".to_owned(),
                _ => return None,
            },
            Kind::BadSumIndex => "write `sum(i, first, last, term)`".to_owned(),
            Kind::MissingIndex { name, first, .. } => {
                format!("write `{name}[{first}]`, or `{name}[i]` inside a sum over `i`")
            }
            Kind::MissingColumn { name, .. } => format!("write `{name}[1,1]`: row and column"),
            Kind::ExpectedScalar { found: ExprShape::Vector(_) } => {
                "make a number of vectors with `dot(a, b)`, `norm(a)`, or an index on the name of one: `a[1]`"
                    .to_owned()
            }
            Kind::NoProduct { left: ExprShape::Vector(_), right: ExprShape::Vector(_) } => {
                "vectors are multiplied by `dot(a, b)` and `cross(a, b)`".to_owned()
            }
            Kind::NoProduct { left: ExprShape::Vector(_), .. } => {
                "a matrix stands left of the vector: `transpose(M)*a`".to_owned()
            }
            Kind::NoProduct { .. } => "a matrix has as many columns as what follows it has rows".to_owned(),
            Kind::InFunction { error, .. } => return error.help(),
            Kind::NotAnInteger { .. } => {
                "use whole numbers, integer parameters and the index of a surrounding `sum`".to_owned()
            }
            Kind::ExpectedNumber => "choose between numbers with `if(condition, a, b)`".to_owned(),
            Kind::ExpectedCondition => "a condition compares numbers: `x > 0`".to_owned(),
            Kind::Refused { help: Some(help), .. } => help.clone(),
            _ => return None,
        };
        Some(text)
    }
}

impl SyntaxError {
    /// An error of this kind at this place.
    pub fn new(kind: SyntaxErrorKind, span: TextSpan) -> Self {
        SyntaxError { kind, span }
    }

    /// What to write instead, when there is something useful to say.
    pub fn help(&self) -> Option<String> {
        self.kind.help()
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for SyntaxError {}

/// Everything that is wrong with one text, in the order of the text; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxErrors(Vec<SyntaxError>);

impl SyntaxErrors {
    /// All errors.
    pub fn as_slice(&self) -> &[SyntaxError] {
        &self.0
    }

    /// The errors in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, SyntaxError> {
        self.0.iter()
    }
}

impl IntoIterator for SyntaxErrors {
    type Item = SyntaxError;
    type IntoIter = std::vec::IntoIter<SyntaxError>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a SyntaxErrors {
    type Item = &'a SyntaxError;
    type IntoIter = std::slice::Iter<'a, SyntaxError>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for SyntaxErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "at {}: {error}", error.span)?;
            if let Some(help) = error.help() {
                write!(f, " ({help})")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for SyntaxErrors {}

/// Collects errors up to a number, one per place.
#[derive(Debug)]
pub(super) struct ErrorCollector {
    errors: Vec<SyntaxError>,
    limit: usize,
}

impl ErrorCollector {
    pub(super) fn new(limit: usize) -> Self {
        ErrorCollector { errors: Vec::new(), limit: limit.max(1) }
    }

    /// Keeps the error unless something is already known to be wrong at the very same place.
    pub(super) fn report(&mut self, kind: SyntaxErrorKind, span: TextSpan) {
        if !self.is_full() && !self.errors.iter().any(|e| e.span == span) {
            self.errors.push(SyntaxError { kind, span });
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.errors.len() >= self.limit
    }

    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// `Ok(value)` when nothing was reported.
    pub(super) fn finish<T>(mut self, value: Option<T>) -> Result<T, SyntaxErrors> {
        match value {
            Some(value) if self.errors.is_empty() => Ok(value),
            _ => {
                if self.errors.is_empty() {
                    self.report(SyntaxErrorKind::Empty, TextSpan::default());
                }
                self.errors.sort_by_key(|e| (e.span.start, e.span.end));
                Err(SyntaxErrors(self.errors))
            }
        }
    }
}
