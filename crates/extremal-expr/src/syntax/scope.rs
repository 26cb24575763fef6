//! What names mean: the border between the language and whoever uses it.

use std::ops::RangeInclusive;

use super::{Ast, Limits, SyntaxErrors};
use crate::{Expr, Graph, TableFunction};

/// Answers what a name means. The rules of the language (indices in range, no primes on constants, ...) are checked against
/// the [`Binding`]; [`Scope::value`] is then asked only for references that obey them.
pub trait Scope<'g> {
    /// What `name` is, or `None` if it was never declared.
    fn resolve(&self, name: &str) -> Option<Binding>;

    /// The expression a reference stands for.
    ///
    /// # Errors
    /// A reference that the binding allows and the scope still cannot give, such as a derivative of too high an order.
    fn value(&self, reference: NameUse<'_>) -> Result<Expr<'g>, NameRefusal>;

    /// All declared names, for "did you mean".
    fn names(&self) -> Vec<String>;

    /// The time derivative of an expression of what this scope has given.
    ///
    /// # Errors
    /// There is none, or it cannot be used here.
    fn derivative(&self, value: Expr<'g>, primes: u32) -> Result<Expr<'g>, NameRefusal> {
        let (_, message) = (value, format!("a derivative of order {primes} is not known here"));
        Err(NameRefusal { message, help: None })
    }

    /// The function that was declared by this name.
    fn function(&self, name: &str) -> Option<&DeclaredFunction> {
        let _ = name;
        None
    }

    /// The table that was declared by this name.
    fn table(&self, name: &str) -> Option<TableFunction> {
        let _ = name;
        None
    }

    /// All declared functions and tables, for "did you mean".
    fn functions(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A function with arguments, which a call writes out.
#[derive(Clone, Debug)]
pub struct DeclaredFunction {
    name: String,
    arguments: Vec<String>,
    body: Ast,
}

impl DeclaredFunction {
    /// A function by its name, the names of its arguments, and the text of its value.
    ///
    /// # Errors
    /// What is wrong with the form of the text. What its names mean is only known where it is called.
    pub fn new(name: &str, arguments: Vec<String>, body: &str) -> Result<Self, SyntaxErrors> {
        let body = Ast::expression(body, &Limits::default())?;
        Ok(DeclaredFunction { name: name.to_owned(), arguments, body })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of its arguments.
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// Its value, as it was written.
    pub fn body(&self) -> &Ast {
        &self.body
    }

    /// How it is called: `U(r)`.
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, self.arguments.join(", "))
    }
}

/// What a name is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// What to call it in messages: "parameter", "coordinate", ...
    pub what: &'static str,
    /// One quantity or many.
    pub shape: NameShape,
    /// May it be primed?
    pub differentiable: bool,
    /// Its value, if it is an integer that may serve as a bound or an index.
    pub integer: Option<i64>,
}

/// One quantity or many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameShape {
    /// Used without index.
    Single,
    /// Used with an index in this range, or without one as the vector of its members.
    Family(RangeInclusive<i64>),
    /// Used with two indices, both from 1, or without them as a whole.
    Matrix {
        /// How many rows it has.
        rows: i64,
        /// How many columns it has.
        columns: i64,
    },
    /// Used with and without index.
    Open,
}

impl Binding {
    /// Something that does not change with time.
    pub fn constant(what: &'static str) -> Self {
        Binding { what, shape: NameShape::Single, differentiable: false, integer: None }
    }

    /// Something that has time derivatives.
    pub fn variable(what: &'static str) -> Self {
        Binding { differentiable: true, ..Binding::constant(what) }
    }

    /// The same as a family with indices in `range`.
    pub fn family(self, range: RangeInclusive<i64>) -> Self {
        Binding { shape: NameShape::Family(range), ..self }
    }

    /// The same with an integer value known in advance.
    pub fn integer(self, value: i64) -> Self {
        Binding { integer: Some(value), ..self }
    }
}

/// A use of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameUse<'a> {
    /// The name.
    pub name: &'a str,
    /// The index, for a member of a family; the row, for a matrix.
    pub index: Option<i64>,
    /// The column, for a matrix.
    pub column: Option<i64>,
    /// Order of the time derivative.
    pub primes: u32,
}

impl NameUse<'_> {
    /// The reference as it is written: `x`, `x'`, `x[3]''`.
    pub fn symbol(&self) -> String {
        let mut text = self.name.to_owned();
        match (self.index, self.column) {
            (Some(row), Some(column)) => text.push_str(&format!("[{row},{column}]")),
            (Some(index), None) => text.push_str(&format!("[{index}]")),
            (None, _) => {}
        }
        text.extend(std::iter::repeat_n('\'', self.primes as usize));
        text
    }
}

/// Why a scope cannot give a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameRefusal {
    /// What is wrong, as a sentence without a capital.
    pub message: String,
    /// What to do instead.
    pub help: Option<String>,
}

/// The scope in which every name is a symbol, primes and indices included. Printed expressions parse back in it.
///
/// ```
/// use extremal_expr::{Graph, syntax::{AnyName, parse_expression}};
/// let graph = Graph::new();
/// let kinetic = parse_expression(&graph, "m*x'^2/2", &AnyName(&graph))?.value;
/// assert_eq!(kinetic, graph.symbol("m") * graph.symbol("x'").powi(2) / 2);
/// # Ok::<(), extremal_expr::syntax::SyntaxErrors>(())
/// ```
#[derive(Clone, Copy)]
pub struct AnyName<'g>(pub &'g Graph);

impl<'g> Scope<'g> for AnyName<'g> {
    fn resolve(&self, _: &str) -> Option<Binding> {
        Some(Binding { shape: NameShape::Open, ..Binding::variable("name") })
    }

    fn value(&self, reference: NameUse<'_>) -> Result<Expr<'g>, NameRefusal> {
        Ok(self.0.symbol(&reference.symbol()))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The scope of a plain number.
pub(super) struct NoNames;

impl<'g> Scope<'g> for NoNames {
    fn resolve(&self, _: &str) -> Option<Binding> {
        None
    }

    fn value(&self, reference: NameUse<'_>) -> Result<Expr<'g>, NameRefusal> {
        Err(NameRefusal { message: format!("`{}` has no value", reference.symbol()), help: None })
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}
