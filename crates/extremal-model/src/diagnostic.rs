//! What is wrong with a model, where, and what to do about it.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

/// A range of bytes of the model's source text.
pub type Span = Range<usize>;

/// Does the problem stop the model from being used?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The model can be used; something in it is probably not meant.
    Warning,
    /// The model cannot be used.
    Error,
}

/// A remark attached to a place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be said about it; may be empty.
    pub text: String,
}

/// One problem: a one-line message, the places it concerns (the first is the main one) and, where known, the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The kind of problem, stable across versions.
    pub code: Code,
    /// One line.
    pub message: String,
    /// The places concerned; the first one is the main one.
    pub labels: Vec<Label>,
    /// How to repair it.
    pub help: Option<String>,
}

impl Diagnostic {
    pub(crate) fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into())
    }

    pub(crate) fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into())
    }

    fn new(severity: Severity, code: Code, message: String) -> Self {
        Diagnostic { severity, code, message, labels: Vec::new(), help: None }
    }

    pub(crate) fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the help only if there is one.
    pub(crate) fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Where problems are gathered while a model is read.
#[derive(Default)]
pub(crate) struct Problems {
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Problems {
    /// Problems beyond this number are dropped: nobody reads them, and each one costs a rendered snippet.
    const LIMIT: usize = 100;

    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
        }
        if self.list.len() < Self::LIMIT && !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    /// The number of errors so far; compare before and after a stage to see whether it succeeded.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Are there so many errors that looking for more is of no use?
    pub fn is_full(&self) -> bool {
        self.errors >= Self::LIMIT
    }

    /// The errors in the order of the source, then the warnings.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|d| (Reverse(d.severity), d.labels.first().map_or(usize::MAX, |l| l.span.start)));
        self.list
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The kinds of problems, by a name that stays the same when the wording of a message changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$doc])* $variant,)*
        }

        impl Code {
            /// The name, in kebab case.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$variant => $name,)*
                }
            }
        }
    };
}

codes! {
    /// The file is not TOML.
    TomlSyntax = "toml-syntax",
    /// The file is larger than [`crate::MAX_FILE_BYTES`].
    FileTooLarge = "file-too-large",
    /// A table that the format does not have.
    UnknownTable = "unknown-table",
    /// A key that its table does not have.
    UnknownKey = "unknown-key",
    /// A value of the wrong type.
    WrongType = "wrong-type",
    /// A required key or table is absent.
    Missing = "missing",
    /// A key that is of no use beside the others.
    Conflict = "conflict",
    /// An option that is none of the listed words.
    UnknownOption = "unknown-option",
    /// Numbers that no function goes through, or a file without them.
    InvalidTable = "invalid-table",
    /// A key that cannot be used as a name in expressions.
    InvalidName = "invalid-name",
    /// A control character in text for people.
    ControlCharacter = "control-character",
    /// A name the language keeps for itself.
    ReservedName = "reserved-name",
    /// A name declared twice.
    DuplicateName = "duplicate-name",
    /// An expression that cannot be parsed.
    ExpressionSyntax = "expression-syntax",
    /// A name nobody declared.
    UnknownName = "unknown-name",
    /// A function with the wrong number of arguments.
    WrongArity = "wrong-arity",
    /// A name that is used in a way its kind does not allow.
    Misuse = "misuse",
    /// A number where a condition belongs, or the other way round.
    NumberOrCondition = "number-or-condition",
    /// A number, a vector or a matrix where another of them belongs.
    WrongShape = "wrong-shape",
    /// A time derivative of something that has none, or of too high an order.
    InvalidPrime = "invalid-prime",
    /// An index that is not an integer or outside its family.
    InvalidIndex = "invalid-index",
    /// A limit on the input is exceeded.
    TooLarge = "too-large",
    /// Definitions or parameters that depend on themselves.
    CyclicDefinition = "cyclic-definition",
    /// A number that is infinite or not a number.
    NotFinite = "not-finite",
    /// A number outside the values that make sense there.
    OutOfRange = "out-of-range",
    /// A family size that is not an integer.
    InvalidCount = "invalid-count",
    /// A list whose length is not the family's.
    WrongLength = "wrong-length",
    /// A coordinate that the Lagrangian does not contain.
    AbsentCoordinate = "absent-coordinate",
    /// A key that should be a coordinate.
    UnknownCoordinate = "unknown-coordinate",
    /// An entropy that the Lagrangian does not contain.
    AbsentEntropy = "absent-entropy",
    /// A name that should be an entropy.
    UnknownEntropy = "unknown-entropy",
    /// Friction of which it is not said, or not in full, which entropies it heats.
    HeatShares = "heat-shares",
    /// A temperature that is not positive at the start.
    Temperature = "temperature",
    /// Friction that gives energy instead of taking it.
    PumpingFriction = "pumping-friction",
    /// Friction that jumps with the direction of the motion, stated as a force.
    JumpingFriction = "jumping-friction",
    /// A name that should be a constraint.
    UnknownConstraint = "unknown-constraint",
    /// A constraint that says nothing about the motion.
    EmptyConstraint = "empty-constraint",
    /// `[discretisation]` that leads from equal ends of a step elsewhere, or with another velocity than their difference over h.
    NoDifferenceMap = "no-difference-map",
    /// A velocity constraint that is not linear in the velocities where it must be.
    NotLinear = "not-linear",
    /// Poisson brackets that do not satisfy the Jacobi identity.
    JacobiIdentity = "jacobi-identity",
    /// A control that acts on nothing.
    IdleControl = "idle-control",
    /// A start outside the coordinate's own domain.
    OutsideDomain = "outside-domain",
    /// An unknown or malformed method.
    InvalidMethod = "invalid-method",
    /// A name that an override mentions and the model lacks.
    UnknownOverride = "unknown-override",
    /// A parameter that nothing uses.
    UnusedParameter = "unused-parameter",
    /// A definition that nothing uses.
    UnusedDefinition = "unused-definition",
    /// A quantity without any effect.
    NoEffect = "no-effect",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The model cannot be used: every problem found in it, and the text they point into.
///
/// [`Display`](fmt::Display) gives the first error in one line; [`render`](InvalidModel::render) shows all of them with the source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct InvalidModel {
    /// The errors in the order of the source, then the warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The text the spans point into.
    pub source_text: String,
}

impl InvalidModel {
    /// The problems as a student reads them: message, the lines of the source with the place marked, help.
    pub fn render(&self, file_name: &str, color: bool) -> String {
        crate::render::render(&self.diagnostics, file_name, &self.source_text, color)
    }

    fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|d| d.severity == Severity::Error)
    }
}

impl fmt::Display for InvalidModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.errors().next() {
            Some(first) => write!(f, "{first}")?,
            None => f.write_str("the model cannot be used")?,
        }
        match self.errors().count() {
            0 | 1 => Ok(()),
            n => write!(f, " (and {} more problems)", n - 1),
        }
    }
}
