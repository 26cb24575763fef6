//! Expressions as text that parses back, as LaTeX and as MathML.
//!
//! ```
//! use extremal_expr::Graph;
//! let g = Graph::new();
//! let (m, v, x) = (g.symbol("m"), g.symbol("x'"), g.symbol("x"));
//! let energy = m * v.powi(2) / 2 - x.sqrt() / 3;
//! assert_eq!(energy.to_string(), "m*x'^2/2 - sqrt(x)/3");
//! assert_eq!(energy.latex().to_string(), r"\frac{m\,\dot{x}^{2}}{2} - \frac{\sqrt{x}}{3}");
//! assert_eq!(energy.text().limit(3).to_string(), "m*x'^2/2 - sqrt(…)/3");
//! ```

pub(crate) mod greek;
mod latex;
mod layout;
mod mathml;
mod order;
mod shared;
mod symbol;
mod text;

use std::borrow::Cow;
use std::fmt;

use crate::{Expr, Id};
use layout::{NotationLevel, PrintLayout};
pub use shared::Shared;

/// An expression in the language of [`syntax`](crate::syntax).
#[derive(Clone, Copy, Debug)]
pub struct ExprText<'g> {
    expr: Expr<'g>,
    limit: usize,
}

/// An expression as LaTeX mathematics, without delimiters.
#[derive(Clone, Copy, Debug)]
pub struct Latex<'g> {
    expr: Expr<'g>,
    limit: usize,
}

impl<'g> Expr<'g> {
    /// The expression as text that parses back to it.
    pub fn text(self) -> ExprText<'g> {
        ExprText { expr: self, limit: usize::MAX }
    }

    /// The expression as LaTeX.
    pub fn latex(self) -> Latex<'g> {
        Latex { expr: self, limit: usize::MAX }
    }
}

impl ExprText<'_> {
    /// Prints at most this many nodes, the rest as `…`. A graph shares its sub-expressions and text cannot, so the text of a
    /// large graph may be far larger than the graph.
    pub fn limit(self, nodes: usize) -> Self {
        ExprText { limit: nodes, ..self }
    }
}

impl Latex<'_> {
    /// Prints at most this many nodes, the rest as `\ldots`.
    pub fn limit(self, nodes: usize) -> Self {
        Latex { limit: nodes, ..self }
    }
}

impl fmt::Display for ExprText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        emit(f, self.expr, self.limit, "…", text::expand)
    }
}

impl fmt::Display for Latex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        emit(f, self.expr, self.limit, r"\ldots", latex::expand)
    }
}

impl fmt::Display for Expr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

/// A piece of output: characters, or a node still to be expanded where operators of at least this level may stand bare.
#[derive(Clone, Debug)]
enum OutputItem {
    Text(Cow<'static, str>),
    Node(Id, NotationLevel),
}

impl From<&'static str> for OutputItem {
    fn from(text: &'static str) -> Self {
        OutputItem::Text(Cow::Borrowed(text))
    }
}

impl From<String> for OutputItem {
    fn from(text: String) -> Self {
        OutputItem::Text(Cow::Owned(text))
    }
}

/// Writes an expression with a stack of pieces instead of recursion, so depth is no concern.
fn emit(
    f: &mut fmt::Formatter<'_>,
    expr: Expr<'_>,
    limit: usize,
    elided: &str,
    expand: fn(&PrintLayout<'_>, Id, NotationLevel, &mut Vec<OutputItem>),
) -> fmt::Result {
    let layout = PrintLayout::new(expr);
    let mut stack = vec![OutputItem::Node(expr.id(), NotationLevel::LOOSEST)];
    let mut pieces = Vec::new();
    let mut printed = 0;
    while let Some(item) = stack.pop() {
        match item {
            OutputItem::Text(text) => f.write_str(&text)?,
            OutputItem::Node(..) if printed >= limit => f.write_str(elided)?,
            OutputItem::Node(id, level) => {
                printed += 1;
                expand(&layout, id, level, &mut pieces);
                stack.extend(pieces.drain(..).rev());
            }
        }
    }
    Ok(())
}
