//! Turning stated values into expressions of the graph.

use std::collections::{BTreeSet, HashMap, HashSet};

use extremal_expr::syntax::{
    Ast, AstKind, ExprShape, Limits, Lowered, NameProblem, RepeatedText, ShapedExpr, SyntaxError, SyntaxErrorKind,
    SyntaxErrors, Uses, check_name, parse_condition, parse_equation, parse_expression, parse_quantity,
};
use extremal_expr::{Expr, Graph, Id, Rational};

use crate::diagnostic::{Code, Diagnostic, Problems, Span};
use crate::document::{Name, Scalar, ScalarSeries};
use crate::names::{Declaration, NameMeaning, Names, STEP, TIME, View};
use crate::place::ExpressionPlace;
use crate::text::SourceText;

/// Names that the expressions of one model may look up, all members of all families together. It bounds the time that a short
/// text such as a family of a million sums can take.
const MAX_LOOKUPS: u64 = 5_000_000;

/// The number of a member, in the expressions of its family.
pub(crate) const DEFAULT_INDEX: &str = "i";

/// The number of a family's member, by the name it has in expressions.
pub(crate) type MemberNumber<'a> = Option<(&'a str, i64)>;

/// The state of resolving one model.
pub(crate) struct Resolver<'g, 'p> {
    pub graph: &'g Graph,
    pub names: Names<'g>,
    pub problems: &'p mut Problems,
    /// Parameters that the shape of the model depends on.
    pub structural: BTreeSet<String>,
    /// The exact values of parameters, by symbol, where they have one.
    pub exact: HashMap<Id, Rational>,
    /// The values of all parameters, by the names of their symbols.
    pub values: HashMap<String, f64>,
    /// What has been said of the values of functions, by function, so that it is not said for each call.
    said: HashSet<(String, String)>,
}

impl<'g, 'p> Resolver<'g, 'p> {
    pub fn new(graph: &'g Graph, independent: &str, problems: &'p mut Problems) -> Self {
        Resolver {
            graph,
            names: Names::new(graph, independent),
            problems,
            structural: BTreeSet::new(),
            exact: HashMap::new(),
            values: HashMap::new(),
            said: HashSet::new(),
        }
    }

    /// May the name be declared? If not, that is reported.
    pub fn admit(&mut self, name: &Name, what: &'static str) -> bool {
        let label = |d: Diagnostic| d.at(name.span.clone(), "");
        let own = match name.text.as_str() {
            TIME => Some("the time"),
            STEP => Some("the time step"),
            other if other == self.names.independent() => Some("the independent variable of [boundary]"),
            _ => None,
        };
        let diagnostic = match (check_name(&name.text), own, self.names.get(&name.text)) {
            (Err(NameProblem::Malformed), ..) => label(Diagnostic::error(
                Code::InvalidName,
                format!("`{}` cannot be the name of {}", name.text, with_article(what)),
            ))
            .help(NameProblem::Malformed.to_string()),
            (Err(NameProblem::Reserved), ..) => label(Diagnostic::error(
                Code::ReservedName,
                format!(
                    "`{}` cannot be the name of {}: it belongs to the expression language",
                    name.text,
                    with_article(what)
                ),
            )),
            (_, Some(own), _) => label(Diagnostic::error(
                Code::ReservedName,
                format!("`{}` cannot be the name of {}: it is {own}", name.text, with_article(what)),
            )),
            (.., None) if self.names.table(&name.text).is_some() => {
                let table = self.names.table(&name.text).map(|(_, span)| span.clone());
                Diagnostic::error(Code::DuplicateName, format!("`{}` is declared twice", name.text))
                    .at(name.span.clone(), format!("as {} here", with_article(what)))
                    .at(table.unwrap_or_default(), "as a table here")
            }
            (.., None) if self.names.function(&name.text).is_some() => {
                let message = format!("`{}` is declared twice", name.text);
                let function = self.names.function(&name.text).map(|function| function.span.clone());
                Diagnostic::error(Code::DuplicateName, message)
                    .at(name.span.clone(), format!("as {} here", with_article(what)))
                    .at(function.unwrap_or_default(), "as a function here")
            }
            (.., Some(other)) => Diagnostic::error(Code::DuplicateName, format!("`{}` is declared twice", name.text))
                .at(name.span.clone(), format!("as {} here", with_article(what)))
                .at(other.span.clone(), format!("as {} here", with_article(other.what))),
            _ => return true,
        };
        // Which of two declarations was meant is unknown.
        if self.names.function(&name.text).is_some() {
            let broken = Declaration { what, meaning: NameMeaning::Broken, count: None, span: name.span.clone() };
            self.names.declare(&name.text, broken);
        }
        self.names.break_name(&name.text);
        self.problems.push(diagnostic);
        false
    }

    /// The name under which the members of a family know their number.
    pub fn index_name(&mut self, stated: Option<&SourceText>, family: &Name) -> String {
        let (name, span) = match stated {
            Some(text) => (text.value.clone(), text.span.clone()),
            None => (DEFAULT_INDEX.to_owned(), family.span.clone()),
        };
        let reserved = [TIME, STEP, self.names.independent()].contains(&name.as_str());
        let diagnostic = if check_name(&name).is_err() || reserved {
            Diagnostic::error(Code::InvalidName, format!("`{name}` cannot be the name of an index")).at(span, "")
        } else if let Some(other) = self.names.get(&name) {
            Diagnostic::error(Code::DuplicateName, format!("the index `{name}` hides the {} `{name}`", other.what))
                .at(span, format!("in this family, `{name}` is the number of the member"))
                .at(other.span.clone(), "declared here")
                .help("choose another name with `index = \"k\"`")
        } else {
            return name;
        };
        self.problems.push(diagnostic);
        name
    }

    /// A number-valued expression.
    pub fn number(&mut self, scalar: &Scalar, place: &ExpressionPlace, member: MemberNumber<'_>) -> Option<Expr<'g>> {
        if self.problems.is_full() {
            return None;
        }
        match scalar {
            Scalar::Number { value, .. } => Some(self.graph.rational(value.clone())),
            Scalar::Text(text) => {
                let view = View { names: &self.names, place, member, bound: None };
                let read = parse_expression(self.graph, &text.value, &view);
                self.accept(read.map(value_and_uses), text, place)
            }
        }
    }

    /// A number-valued expression in which one name stands for another expression.
    pub fn along(&mut self, scalar: &Scalar, place: &ExpressionPlace, name: &str, value: Expr<'g>) -> Option<Expr<'g>> {
        let Scalar::Text(text) = scalar else { return self.number(scalar, place, None) };
        let view = View { names: &self.names, place, member: None, bound: Some((name, value)) };
        let read = parse_expression(self.graph, &text.value, &view);
        self.accept(read.map(value_and_uses), text, place)
    }

    /// A number, a vector or a matrix.
    pub fn quantity(&mut self, scalar: &Scalar, place: &ExpressionPlace) -> Option<ShapedExpr<'g>> {
        match scalar {
            Scalar::Text(text) if !self.problems.is_full() => {
                let view = View { names: &self.names, place, member: None, bound: None };
                let read = parse_quantity(self.graph, &text.value, &view);
                self.accept(read, text, place)
            }
            _ => self
                .number(scalar, place, None)
                .map(|value| ShapedExpr { shape: ExprShape::Number, elements: vec![value] }),
        }
    }

    /// A condition.
    pub fn condition(
        &mut self,
        scalar: &Scalar,
        place: &ExpressionPlace,
        member: MemberNumber<'_>,
    ) -> Option<Expr<'g>> {
        match scalar {
            Scalar::Number { span, .. } => {
                let message = format!("{} is a condition, not a number", place.what);
                let help = SyntaxErrorKind::ExpectedCondition.help();
                self.problems
                    .push(Diagnostic::error(Code::NumberOrCondition, message).at(span.clone(), "").maybe_help(help));
                None
            }
            Scalar::Text(text) => {
                let view = View { names: &self.names, place, member, bound: None };
                let read = parse_condition(self.graph, &text.value, &view);
                self.accept(read.map(value_and_uses), text, place)
            }
        }
    }

    /// Both sides of an equation.
    pub fn equation(
        &mut self,
        scalar: &Scalar,
        place: &ExpressionPlace,
        member: MemberNumber<'_>,
    ) -> Option<(Expr<'g>, Expr<'g>)> {
        if self.problems.is_full() {
            return None;
        }
        match scalar {
            Scalar::Number { span, .. } => {
                let message = format!("{} is an equation, not a number", place.what);
                let diagnostic = Diagnostic::error(Code::WrongType, message).at(span.clone(), "");
                self.problems.push(diagnostic.help("write it between quotes: \"x^2 + y^2 = 1\""));
                None
            }
            Scalar::Text(text) => {
                let view = View { names: &self.names, place, member, bound: None };
                let read = parse_equation(self.graph, &text.value, &view);
                self.accept(read.map(|equation| ((equation.left, equation.right), equation.uses)), text, place)
            }
        }
    }

    /// What was read, or `None` with its errors reported.
    fn accept<T>(
        &mut self,
        read: Result<(T, Uses), SyntaxErrors>,
        text: &SourceText,
        place: &ExpressionPlace,
    ) -> Option<T> {
        let errors = match read {
            Ok((value, uses)) => {
                self.structural.extend(uses.structural);
                if self.names.lookups() <= MAX_LOOKUPS {
                    return Some(value);
                }
                let message = format!("{} makes the model too large", place.what);
                let help = format!("the families of a model may refer to names {MAX_LOOKUPS} times in all");
                self.problems.push(Diagnostic::error(Code::TooLarge, message).at(text.span.clone(), "").help(help));
                return None;
            }
            Err(errors) => errors,
        };
        let broken = self.is_broken(&text.value);
        for error in &errors {
            // What an undeclared integer, family or vector causes has been explained where it was declared.
            let is_caused = matches!(code(&error.kind), Code::WrongShape)
                || matches!(error.kind, SyntaxErrorKind::NotAnInteger { .. });
            if !(broken && is_caused) {
                let Some(mut diagnostic) = self.said_once(error, text) else { continue };
                if let (SyntaxErrorKind::ExpectedNumber, Some(help)) = (&error.kind, place.condition_help) {
                    diagnostic = diagnostic.help(help);
                }
                self.problems.push(diagnostic);
            }
        }
        None
    }

    /// The diagnostic of an error; `None` if it is one of a function that has been reported for another call.
    fn said_once(&mut self, error: &SyntaxError, text: &SourceText) -> Option<Diagnostic> {
        let SyntaxErrorKind::InFunction { function, error: inner } = &error.kind else {
            return Some(diagnostic(error, text));
        };
        let Some(declared) = self.names.function(function) else { return Some(diagnostic(error, text)) };
        if !self.said.insert((function.clone(), format!("{} {inner}", inner.span))) {
            return None;
        }
        let called = text.locate(error.span.start..error.span.end);
        Some(
            diagnostic(inner, &declared.text)
                .at(called, format!("`{}` is called from here", declared.function.signature())),
        )
    }

    /// The names that a text depends on, also through the functions it calls.
    pub fn names_used(&self, text: &str) -> BTreeSet<String> {
        let TextNames { mut names, calls } = names_in(text);
        names.extend(calls.iter().filter_map(|function| self.names.names_behind(function)).flatten().cloned());
        names
    }

    /// One expression per member: the same text for all of them, or a list.
    pub fn series(
        &mut self,
        series: &ScalarSeries,
        place: &ExpressionPlace,
        index: &str,
        count: i64,
    ) -> Option<Vec<Expr<'g>>> {
        match series {
            ScalarSeries::One(scalar) => {
                let mut members = self.members(scalar);
                (1..=count).map(|number| members.read(self, place, (index, number))).collect()
            }
            ScalarSeries::List { items, .. } => {
                self.check_length(series, count)?;
                let values: Vec<_> = items.iter().map(|item| self.number(item, place, None)).collect();
                values.into_iter().collect()
            }
        }
    }

    /// A value that is stated once for all members of a family.
    pub fn members<'s>(&self, scalar: &'s Scalar) -> MemberScalar<'g, 's> {
        let parsed = match scalar {
            Scalar::Text(text) => RepeatedText::new(self.graph, &text.value).ok(),
            Scalar::Number { .. } => None,
        };
        MemberScalar { scalar, parsed }
    }

    /// A list must have one value for each member.
    pub fn check_length(&mut self, series: &ScalarSeries, count: i64) -> Option<()> {
        if let ScalarSeries::List { items, span } = series
            && i64::try_from(items.len()) != Ok(count)
        {
            let message = format!("the list has {} values for a family of {count}", items.len());
            self.problems.push(Diagnostic::error(Code::WrongLength, message).at(span.clone(), ""));
            return None;
        }
        Some(())
    }

    /// Does a text contain a name whose declaration is in error?
    pub fn is_broken(&self, text: &str) -> bool {
        self.names_used(text).iter().any(|name| self.names.is_broken(name))
    }

    /// An integer that is fixed once the model is read.
    pub fn integer(&mut self, scalar: &Scalar, what: &str) -> Option<i64> {
        let value = self.number(scalar, &ExpressionPlace::COUNT, None)?;
        for symbol in self.graph.free_symbols(&[value]) {
            let name = symbol.as_symbol()?;
            if self.names.is_broken(&name) {
                return None;
            }
            self.structural.insert(name.to_string());
        }
        let integer = self.exact_value(value).as_ref().and_then(Rational::to_i64);
        if integer.is_none() {
            let message = format!("{what} must be an integer, not {}", self.evaluate(value));
            self.problems.push(Diagnostic::error(Code::InvalidCount, message).at(scalar.span(), ""));
        }
        integer
    }

    /// The exact number an expression of parameters stands for, if it is one.
    pub fn exact_value(&self, value: Expr<'g>) -> Option<Rational> {
        let rule = |symbol: &Expr<'g>| Some((*symbol, self.graph.rational(self.exact.get(&symbol.id())?.clone())));
        let rules: Vec<_> = self.graph.free_symbols(&[value]).iter().filter_map(rule).collect();
        value.substitute(&rules).as_number()
    }

    /// The number an expression of parameters stands for.
    pub fn evaluate(&self, value: Expr<'g>) -> f64 {
        self.evaluate_all(&[value])[0]
    }

    /// The same of many expressions, which may share what they are made of.
    pub fn evaluate_all(&self, values: &[Expr<'g>]) -> Vec<f64> {
        self.graph.evaluate(values, |name| self.values.get(name).copied())
    }

    /// The same, refused unless it is finite. Nothing is said where a parameter in it is already in error.
    pub fn finite(&mut self, value: Expr<'g>, span: Span, what: &str) -> Option<f64> {
        let number = self.evaluate(value);
        if number.is_finite() {
            return Some(number);
        }
        let symbols = self.graph.free_symbols(&[value]);
        if symbols.iter().filter_map(|s| s.as_symbol()).all(|name| self.values.contains_key(&*name)) {
            self.problems.push(not_finite(number, span, what));
        }
        None
    }

    /// A finite number that a setting stands for.
    pub fn setting(&mut self, scalar: &Scalar, what: &str) -> Option<(Expr<'g>, f64)> {
        let value = self.number(scalar, &ExpressionPlace::SETTING, None)?;
        Some((value, self.finite(value, scalar.span(), what)?))
    }
}

/// A value that is stated once for all members of a family. What cannot be parsed is explained when it is read.
pub(crate) struct MemberScalar<'g, 's> {
    scalar: &'s Scalar,
    parsed: Option<RepeatedText<'g>>,
}

impl<'g> MemberScalar<'g, '_> {
    /// The value for a member.
    pub fn read(
        &mut self,
        resolver: &mut Resolver<'g, '_>,
        place: &ExpressionPlace,
        member: (&str, i64),
    ) -> Option<Expr<'g>> {
        match (self.scalar, &mut self.parsed) {
            (Scalar::Text(text), Some(parsed)) if !resolver.problems.is_full() => {
                let read = parsed.read(&View { names: &resolver.names, place, member: Some(member), bound: None });
                resolver.accept(read.map(value_and_uses), text, place)
            }
            (scalar, _) => resolver.number(scalar, place, Some(member)),
        }
    }
}

/// "a coordinate", "an entropy".
pub(crate) fn with_article(what: &str) -> String {
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {what}")
}

fn value_and_uses(lowered: Lowered<'_>) -> (Expr<'_>, Uses) {
    (lowered.value, lowered.uses)
}

/// The names in a text, whatever they mean.
#[derive(Default)]
pub(crate) struct TextNames {
    pub names: BTreeSet<String>,
    /// Of the functions it calls.
    pub calls: BTreeSet<String>,
}

/// The names in an expression or equation; none if it cannot be parsed.
pub(crate) fn names_in(text: &str) -> TextNames {
    let limits = Limits::default();
    let mut found = TextNames::default();
    let Ok(ast) = Ast::expression(text, &limits).or_else(|_| Ast::equation(text, &limits)) else {
        return found;
    };
    for node in ast.nodes() {
        match &node.kind {
            AstKind::Name { name, .. } | AstKind::Member { name, .. } => {
                found.names.insert(ast.slice(*name).to_owned())
            }
            AstKind::Call { function, .. } => found.calls.insert(ast.slice(*function).to_owned()),
            _ => continue,
        };
    }
    found
}

fn not_finite(number: f64, span: Span, what: &str) -> Diagnostic {
    let message = match number.is_nan() {
        true => format!("{what} is not a number"),
        false => format!("{what} is infinite"),
    };
    let help = "look for a division by zero, the root or logarithm of a negative number, or an overflow";
    Diagnostic::error(Code::NotFinite, message).at(span, "evaluated with the values of the parameters").help(help)
}

/// An error of the expression language, at its place in the model file.
pub(crate) fn diagnostic(error: &SyntaxError, text: &SourceText) -> Diagnostic {
    let span = text.locate(error.span.start..error.span.end);
    let label = if text.outside { format!("set to `{}`", text.value) } else { String::new() };
    Diagnostic::error(code(&error.kind), error.to_string()).at(span, label).maybe_help(error.help())
}

fn code(kind: &SyntaxErrorKind) -> Code {
    use SyntaxErrorKind as Kind;
    match kind {
        Kind::TextTooLong { .. }
        | Kind::TooDeep { .. }
        | Kind::TooManyNodes { .. }
        | Kind::NumberTooLong { .. }
        | Kind::DeepCalls { .. } => Code::TooLarge,
        Kind::UnknownName { .. } | Kind::UnknownFunction { .. } => Code::UnknownName,
        Kind::WrongArity { .. } | Kind::WrongArgumentCount { .. } => Code::WrongArity,
        Kind::InFunction { error, .. } => code(&error.kind),
        Kind::ExpectedScalar { .. }
        | Kind::UnlikeSummands { .. }
        | Kind::NoProduct { .. }
        | Kind::NoQuotient { .. }
        | Kind::UnlikeBranches { .. }
        | Kind::WrongShape { .. }
        | Kind::UnlikeItems { .. } => Code::WrongShape,
        Kind::NoDerivative { .. } | Kind::MisplacedPrime | Kind::TooManyPrimes { .. } => Code::InvalidPrime,
        Kind::MissingIndex { .. }
        | Kind::MissingColumn { .. }
        | Kind::NotAMatrix { .. }
        | Kind::NotAFamily { .. }
        | Kind::IndexOutOfRange { .. }
        | Kind::NotAnInteger { .. }
        | Kind::MisplacedIndex => Code::InvalidIndex,
        Kind::ExpectedNumber | Kind::ExpectedCondition => Code::NumberOrCondition,
        Kind::Refused { .. } | Kind::NotAFunction { .. } | Kind::BareFunction { .. } | Kind::PrimedFunction { .. } => {
            Code::Misuse
        }
        Kind::DivisionByZero => Code::NotFinite,
        _ => Code::ExpressionSyntax,
    }
}
