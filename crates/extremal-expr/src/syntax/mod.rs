//! The expression language: text to [`Graph`].
//!
//! Three passes, each a loop: [`Ast`] from characters, names resolved in a [`Scope`], the graph built. Vectors, matrices and calls of
//! declared functions are written out on the way, so that the graph knows numbers and conditions only. What is wrong is collected in [`SyntaxErrors`], each error with the bytes it is about.
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
mod shape;
mod span;
mod suggest;

use std::collections::BTreeSet;

use crate::{Expr, Graph};

pub use ast::{Ast, AstKind, AstNode, AstOperand, NodeId, OperandRange, Root};
pub use error::{BadNumber, SyntaxError, SyntaxErrorKind, SyntaxErrors};
use scope::NoNames;
pub use scope::{AnyName, Binding, DeclaredFunction, NameRefusal, NameShape, NameUse, Scope};
pub use shape::{ExprShape, ShapedExpr};
pub use span::TextSpan;
pub use suggest::nearest;

use error::ErrorCollector;
use lower::{Expansion, KnownSums, LoweredValue, LoweringContext, LoweringText};
use parser::Goal;
use resolve::Resolved;

/// Most primes a name may carry.
pub const MAX_PRIMES: u32 = 8;

/// How deep functions may call one another.
pub const MAX_CALL_DEPTH: usize = 64;

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

/// A number that is read again and again, once for every member of a family: its text is parsed once, and what sums have in common is
/// written out once.
///
/// ```
/// use extremal_expr::{Graph, syntax::{AnyName, RepeatedText}};
/// let graph = Graph::new();
/// let mut text = RepeatedText::new(&graph, "sum(j, 1, 3, j*x)")?;
/// assert_eq!(text.read(&AnyName(&graph))?.value, graph.symbol("x") * 6);
/// assert_eq!(text.read(&AnyName(&graph))?.value, graph.symbol("x") * 6);
/// # Ok::<(), extremal_expr::syntax::SyntaxErrors>(())
/// ```
pub struct RepeatedText<'g> {
    graph: &'g Graph,
    ast: Ast,
    sums: KnownSums<'g>,
}

impl<'g> RepeatedText<'g> {
    /// Parses a text, to be read into a graph.
    ///
    /// # Errors
    /// Everything wrong with its form.
    pub fn new(graph: &'g Graph, text: &str) -> Result<RepeatedText<'g>, SyntaxErrors> {
        Ok(RepeatedText { graph, ast: Ast::expression(text, &Limits::default())?, sums: KnownSums::default() })
    }

    /// Reads it once more.
    ///
    /// # Errors
    /// See [`parse_expression`].
    pub fn read(&mut self, scope: &dyn Scope<'g>) -> Result<Lowered<'g>, SyntaxErrors> {
        let errors = &mut ErrorCollector::new(Limits::default().errors);
        let (graph, ast, sums) = (self.graph, &self.ast, &mut self.sums);
        let taken =
            build_parsed(graph, ast, sums, scope, errors, |built, errors| expected(built, Want::Number, errors));
        std::mem::replace(errors, ErrorCollector::new(1)).finish(taken)
    }
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
    build(graph, text, Goal::Equation, scope, |built, errors| match built.ast.root() {
        Root::Equation { left, right } => {
            let left = built.expect(left, Want::Number, errors);
            let right = built.expect(right, Want::Number, errors);
            left.zip(right).map(|((left, _), (right, _))| LoweredEquation { left, right, uses: built.uses })
        }
        Root::Expression(_) => None,
    })
}

/// Reads a number, a vector or a matrix, such as `m*cross(r, r')`.
///
/// ```
/// use extremal_expr::{Graph, syntax::{AnyName, ExprShape, parse_quantity}};
/// let graph = Graph::new();
/// let (moment, _) = parse_quantity(&graph, "m*cross([x, y, 0], [0, 0, f])", &AnyName(&graph))?;
/// assert_eq!(moment.shape, ExprShape::Vector(3));
/// assert_eq!(moment.elements[1], -(graph.symbol("m") * graph.symbol("x") * graph.symbol("f")));
/// # Ok::<(), extremal_expr::syntax::SyntaxErrors>(())
/// ```
///
/// # Errors
/// See [`parse_expression`].
pub fn parse_quantity<'g>(
    graph: &'g Graph,
    text: &str,
    scope: &dyn Scope<'g>,
) -> Result<(ShapedExpr<'g>, Uses), SyntaxErrors> {
    build(graph, text, Goal::Expression, scope, |built, errors| match built.ast.root() {
        Root::Expression(root) => Some((built.quantity(root, errors)?, built.uses)),
        Root::Equation { .. } => None,
    })
}

/// Reads a number, written as such or as an expression without names, and evaluates it.
///
/// ```
/// use extremal_expr::syntax::parse_number;
/// assert_eq!(parse_number("pi/2")?, std::f64::consts::FRAC_PI_2);
/// assert!(parse_number("2*x").is_err());
/// # Ok::<(), extremal_expr::syntax::SyntaxErrors>(())
/// ```
///
/// # Errors
/// See [`parse_expression`].
pub fn parse_number(text: &str) -> Result<f64, SyntaxErrors> {
    if let Ok(number) = text.trim().parse() {
        return Ok(number);
    }
    let graph = Graph::new();
    let read = parse_expression(&graph, text, &NoNames)?;
    Ok(graph.evaluate(&[read.value], |_| None)[0])
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

/// A text built into values, with what is needed to say what is wrong with them.
struct BuiltText<'a, 'g> {
    ast: &'a Ast,
    resolved: &'a Resolved<'a>,
    values: Vec<LoweredValue<'g>>,
    uses: Uses,
}

impl<'g> BuiltText<'_, 'g> {
    fn expect(&self, node: NodeId, want: Want, errors: &mut ErrorCollector) -> Option<(Expr<'g>, bool)> {
        let kind = match (&self.values[node.index()], want) {
            (LoweredValue::Number(value, _), Want::Number | Want::Any) => return Some((*value, false)),
            (LoweredValue::Condition(value, _), Want::Condition | Want::Any) => return Some((*value, true)),
            (LoweredValue::Number(..), Want::Condition) => SyntaxErrorKind::ExpectedCondition,
            (LoweredValue::Condition(..), Want::Number) => SyntaxErrorKind::ExpectedNumber,
            (LoweredValue::Array(found), _) => lower::no_number(self.ast, self.resolved, node, found.shape),
            (LoweredValue::Invalid, _) => return None,
        };
        errors.report(kind, self.ast.node(node).span);
        None
    }

    fn quantity(&self, node: NodeId, errors: &mut ErrorCollector) -> Option<ShapedExpr<'g>> {
        match &self.values[node.index()] {
            LoweredValue::Array(found) => Some(ShapedExpr::clone(found)),
            _ => {
                let (value, _) = self.expect(node, Want::Number, errors)?;
                Some(ShapedExpr { shape: ExprShape::Number, elements: vec![value] })
            }
        }
    }
}

fn read<'g>(graph: &'g Graph, text: &str, want: Want, scope: &dyn Scope<'g>) -> Result<Lowered<'g>, SyntaxErrors> {
    build(graph, text, Goal::Expression, scope, |built, errors| expected(built, want, errors))
}

fn expected<'g>(built: BuiltText<'_, 'g>, want: Want, errors: &mut ErrorCollector) -> Option<Lowered<'g>> {
    match built.ast.root() {
        Root::Expression(root) => {
            let (value, is_condition) = built.expect(root, want, errors)?;
            Some(Lowered { value, is_condition, uses: built.uses })
        }
        Root::Equation { .. } => None,
    }
}

fn build<'g, T>(
    graph: &'g Graph,
    text: &str,
    goal: Goal,
    scope: &dyn Scope<'g>,
    take: impl FnOnce(BuiltText<'_, 'g>, &mut ErrorCollector) -> Option<T>,
) -> Result<T, SyntaxErrors> {
    let limits = Limits::default();
    let errors = &mut ErrorCollector::new(limits.errors);
    let parsed = parser::parse(text, goal, &limits, errors);
    let taken = parsed.and_then(|ast| build_parsed(graph, &ast, &mut KnownSums::default(), scope, errors, take));
    std::mem::replace(errors, ErrorCollector::new(1)).finish(taken)
}

fn build_parsed<'g, T>(
    graph: &'g Graph,
    ast: &Ast,
    sums: &mut KnownSums<'g>,
    scope: &dyn Scope<'g>,
    errors: &mut ErrorCollector,
    take: impl FnOnce(BuiltText<'_, 'g>, &mut ErrorCollector) -> Option<T>,
) -> Option<T> {
    let resolved = resolve::resolve(ast, scope, &[], errors);
    // Names are looked up even in a text that is broken elsewhere; building it would only repeat what is known.
    if !errors.is_empty() {
        return None;
    }
    let mut expansion = Expansion::knowing(std::mem::take(sums));
    let text = LoweringText { ast, resolved: &resolved, arguments: &[], depth: 0 };
    let context = LoweringContext { graph, scope, limits: &Limits::default() };
    let (values, _) = lower::lower(context, text, errors, &mut expansion);
    *sums = expansion.sums;
    let uses = Uses { names: expansion.names, structural: expansion.structural };
    take(BuiltText { ast, resolved: &resolved, values, uses }, errors)
}
