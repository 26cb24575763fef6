//! The expression language: text to [`Graph`].
//!
//! Three passes, each a loop: [`Ast`] from characters, names resolved in a [`Scope`], the graph built. What is wrong is
//! collected in [`SyntaxErrors`], each error with the bytes it is about.
//!
//! ```
//! use extremal_expr::{Graph, syntax::{AnyName, parse_expression}};
//! let graph = Graph::new();
//! let scope = AnyName(&graph);
//! let chain = parse_expression(&graph, "sum(i, 1, 3, (x[i+1] - x[i])^2/2)", &scope)?;
//! let member = |i: i64| graph.symbol(&format!("x[{i}]"));
//! let by_hand = graph.sum((1..=3).map(|i| (member(i + 1) - member(i)).powi(2) / 2));
//! assert_eq!(chain.value, by_hand);
//!
//! let errors = parse_expression(&graph, "2x + sinn(y)", &scope).unwrap_err();
//! assert_eq!(errors.as_slice()[0].help().unwrap(), "to multiply, write `2*x`");
//! # Ok::<(), extremal_expr::syntax::SyntaxErrors>(())
//! ```

mod ast;
mod error;
mod exact;
mod functions;
mod lexer;
mod lower;
mod parser;
mod resolve;
mod scope;
mod span;
mod suggest;

use std::collections::BTreeSet;

use crate::{Expr, Graph};

pub use ast::{Ast, AstKind, AstNode, AstOperand, NodeId, OperandRange, Root};
pub use error::{BadNumber, SyntaxError, SyntaxErrorKind, SyntaxErrors};
pub use scope::{AnyName, Binding, NameRefusal, NameShape, NameUse, Scope};
pub use span::TextSpan;
pub use suggest::nearest;

use error::ErrorCollector;
use lower::LoweredValue;
use parser::Goal;

/// Most primes a name may carry.
pub const MAX_PRIMES: u32 = 8;

/// How much text is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest text.
    pub text_bytes: usize,
    /// Deepest nesting of parentheses, calls, signs and exponents.
    pub nesting: usize,
    /// Most nodes built, with every `sum` written out.
    pub nodes: usize,
    /// Most digits of one number; the default covers every number that exact arithmetic keeps.
    pub number_digits: usize,
    /// Most errors collected.
    pub errors: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { text_bytes: 1 << 20, nesting: 256, nodes: 4_000_000, number_digits: 1300, errors: 20 }
    }
}

/// Names that occur in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// All names found in the scope.
    pub names: BTreeSet<String>,
    /// Those whose integer value shaped the expression (as a bound, an index, or in a branch decided in advance): another
    /// value needs the text to be read again.
    pub structural: BTreeSet<String>,
}

/// An expression read from text.
#[derive(Clone, Debug)]
pub struct Lowered<'g> {
    /// The expression.
    pub value: Expr<'g>,
    /// Is it a condition rather than a number?
    pub is_condition: bool,
    /// The names in it.
    pub uses: Uses,
}

/// An equation read from text.
#[derive(Clone, Debug)]
pub struct LoweredEquation<'g> {
    /// Left of the `=`.
    pub left: Expr<'g>,
    /// Right of the `=`.
    pub right: Expr<'g>,
    /// The names in it.
    pub uses: Uses,
}

/// Reads a number such as `m*x'^2/2`.
///
/// # Errors
/// Everything wrong with the text; so for the other readers.
pub fn parse_expression<'g>(graph: &'g Graph, text: &str, scope: &dyn Scope<'g>) -> Result<Lowered<'g>, SyntaxErrors> {
    read(graph, text, Want::Number, scope)
}

/// Reads a condition such as `x > 0`.
///
/// # Errors
/// See [`parse_expression`].
pub fn parse_condition<'g>(graph: &'g Graph, text: &str, scope: &dyn Scope<'g>) -> Result<Lowered<'g>, SyntaxErrors> {
    read(graph, text, Want::Condition, scope)
}

/// Reads a number or a condition.
///
/// # Errors
/// See [`parse_expression`].
pub fn parse_any<'g>(graph: &'g Graph, text: &str, scope: &dyn Scope<'g>) -> Result<Lowered<'g>, SyntaxErrors> {
    read(graph, text, Want::Any, scope)
}

/// Reads an equation such as `x^2 + y^2 = l^2`.
///
/// # Errors
/// See [`parse_expression`].
pub fn parse_equation<'g>(
    graph: &'g Graph,
    text: &str,
    scope: &dyn Scope<'g>,
) -> Result<LoweredEquation<'g>, SyntaxErrors> {
    let limits = Limits::default();
    let mut errors = ErrorCollector::new(limits.errors);
    let read = build(graph, text, Goal::Equation, scope, &limits, &mut errors);
    let equation = read.and_then(|built| match built.root {
        Root::Equation { left, right } => {
            let left = built.expect(left, Want::Number, &mut errors);
            let right = built.expect(right, Want::Number, &mut errors);
            left.zip(right).map(|((left, _), (right, _))| LoweredEquation { left, right, uses: built.uses })
        }
        Root::Expression(_) => None,
    });
    errors.finish(equation)
}

/// May `name` be declared: letters, digits and `_`, not starting with a digit, and not a word of the language?
///
/// ```
/// use extremal_expr::syntax::{NameProblem, check_name};
/// assert_eq!(check_name("θ_1"), Ok(()));
/// assert_eq!(check_name("sin"), Err(NameProblem::Reserved));
/// assert_eq!(check_name("x'"), Err(NameProblem::Malformed));
/// ```
///
/// # Errors
/// What is wrong with the name.
pub fn check_name(name: &str) -> Result<(), NameProblem> {
    let mut characters = name.chars();
    if !characters.next().is_some_and(lexer::starts_name) || !characters.all(lexer::continues_name) {
        return Err(NameProblem::Malformed);
    }
    if functions::is_reserved(name) {
        return Err(NameProblem::Reserved);
    }
    Ok(())
}

/// Why a name cannot be declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum NameProblem {
    #[error("a name consists of letters, digits and `_`, and does not start with a digit")]
    Malformed,
    #[error("this word belongs to the expression language")]
    Reserved,
}

impl Ast {
    /// Parses an expression without looking at what its names mean.
    ///
    /// # Errors
    /// Everything wrong with its form.
    pub fn expression(text: &str, limits: &Limits) -> Result<Ast, SyntaxErrors> {
        Self::parse(text, Goal::Expression, limits)
    }

    /// Parses an equation `left = right` likewise.
    ///
    /// # Errors
    /// Everything wrong with its form.
    pub fn equation(text: &str, limits: &Limits) -> Result<Ast, SyntaxErrors> {
        Self::parse(text, Goal::Equation, limits)
    }

    fn parse(text: &str, goal: Goal, limits: &Limits) -> Result<Ast, SyntaxErrors> {
        let mut errors = ErrorCollector::new(limits.errors);
        let ast = parser::parse(text, goal, limits, &mut errors);
        errors.finish(ast)
    }
}

/// What the reader was asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    Number,
    Condition,
    Any,
}

struct Built<'g> {
    values: Vec<LoweredValue<'g>>,
    spans: Vec<TextSpan>,
    root: Root,
    uses: Uses,
}

impl<'g> Built<'g> {
    fn expect(&self, node: NodeId, want: Want, errors: &mut ErrorCollector) -> Option<(Expr<'g>, bool)> {
        match (self.values[node.index()], want) {
            (LoweredValue::Number(value, _), Want::Number | Want::Any) => Some((value, false)),
            (LoweredValue::Condition(value, _), Want::Condition | Want::Any) => Some((value, true)),
            (LoweredValue::Number(..), Want::Condition) => {
                errors.report(SyntaxErrorKind::ExpectedCondition, self.spans[node.index()]);
                None
            }
            (LoweredValue::Condition(..), Want::Number) => {
                errors.report(SyntaxErrorKind::ExpectedNumber, self.spans[node.index()]);
                None
            }
            (LoweredValue::Invalid, _) => None,
        }
    }
}

fn read<'g>(graph: &'g Graph, text: &str, want: Want, scope: &dyn Scope<'g>) -> Result<Lowered<'g>, SyntaxErrors> {
    let limits = Limits::default();
    let mut errors = ErrorCollector::new(limits.errors);
    let built = build(graph, text, Goal::Expression, scope, &limits, &mut errors);
    let lowered = built.and_then(|built| match built.root {
        Root::Expression(root) => {
            let (value, is_condition) = built.expect(root, want, &mut errors)?;
            Some(Lowered { value, is_condition, uses: built.uses })
        }
        Root::Equation { .. } => None,
    });
    errors.finish(lowered)
}

fn build<'g>(
    graph: &'g Graph,
    text: &str,
    goal: Goal,
    scope: &dyn Scope<'g>,
    limits: &Limits,
    errors: &mut ErrorCollector,
) -> Option<Built<'g>> {
    let ast = parser::parse(text, goal, limits, errors)?;
    let resolved = resolve::resolve(&ast, scope, errors);
    // Names are looked up even in a text that is broken elsewhere; building it would only repeat what is known.
    if !errors.is_empty() {
        return None;
    }
    let (values, structural) = lower::lower(graph, &ast, &resolved, scope, limits, errors);
    let names: BTreeSet<String> = resolved.names.iter().map(|(name, _)| (*name).to_owned()).collect();
    let integers = |name: &&str| resolved.names.iter().any(|(n, binding)| n == name && binding.integer.is_some());
    let structural = structural.into_iter().filter(integers).map(str::to_owned).collect();
    let spans = ast.nodes().iter().map(|node| node.span).collect();
    Some(Built { values, spans, root: ast.root(), uses: Uses { names, structural } })
}
