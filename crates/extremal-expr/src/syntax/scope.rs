//! What names mean: the border between the language and whoever uses it.

use std::ops::RangeInclusive;

use crate::{Expr, Graph};

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
    /// Used with an index in this range.
    Family(RangeInclusive<i64>),
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
    /// The index, for a member of a family.
    pub index: Option<i64>,
    /// Order of the time derivative.
    pub primes: u32,
}

impl NameUse<'_> {
    /// The reference as it is written: `x`, `x'`, `x[3]''`.
    pub fn symbol(&self) -> String {
        let mut text = self.name.to_owned();
        if let Some(index) = self.index {
            text.push_str(&format!("[{index}]"));
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
