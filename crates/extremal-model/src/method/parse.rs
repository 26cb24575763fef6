//! `name`, `name(argument, ...)`: reading a method, with the place of each misfit.

use std::str::FromStr;

use extremal_expr::Rational;

use super::{Composition, CompositionBase, MAX_QUADRATURE_POINTS, MAX_STAGES, Method, MethodFamily, Quadrature};
use crate::diagnostic::Span;
use crate::suggest::help_for;

/// Longer texts are refused unread; the longest name that means something is a third of it.
const MAX_LENGTH: usize = 128;
/// Deeper calls than `galerkin(2, gauss(2))` mean nothing.
const MAX_DEPTH: usize = 2;

/// A text that is not a method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct MethodError {
    /// What is wrong.
    pub kind: MethodErrorKind,
    /// The bytes of the text that are wrong.
    pub span: Span,
}

/// What is wrong with the name of a method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum MethodErrorKind {
    #[error("a method is written `name` or `name(argument, ...)`: expected {expected}")]
    Syntax { expected: &'static str },
    #[error("there is no method `{name}`")]
    Unknown { name: String },
    #[error("`{method}` is written `{usage}`")]
    Arguments { method: String, usage: String },
    #[error("the {what} of `{method}` must be {range}, not {found}")]
    OutOfRange { method: &'static str, what: &'static str, range: String, found: String },
    #[error("{quadrature} is too weak for degree {degree}: it needs at least {degree} points")]
    WeakQuadrature { quadrature: Quadrature, degree: u32 },
    #[error(
        "`{base}` cannot be composed by `{composition}`, which needs {}",
        if composition.alternates() { "a method that it takes by turns with its adjoint" } else { "a symmetric method of order two" }
    )]
    Base { composition: Composition, base: String },
    #[error("there is no composition `{name}`")]
    UnknownComposition { name: String },
    #[error("there is no quadrature `{name}`")]
    UnknownQuadrature { name: String },
}

impl MethodError {
    /// What to write instead, where that can be guessed.
    pub fn help(&self) -> Option<String> {
        match &self.kind {
            MethodErrorKind::Unknown { name } => {
                let names = names();
                help_for(name, "the methods are", names.iter().copied()).or_else(|| {
                    let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                    Some(format!("the methods are: {}", all.join(", ")))
                })
            }
            MethodErrorKind::UnknownComposition { name } => {
                help_for(name, "the compositions are", Composition::ALL.map(Composition::name))
            }
            MethodErrorKind::UnknownQuadrature { name } => {
                help_for(name, "the quadratures are", ["gauss(r)", "lobatto(r)"])
            }
            MethodErrorKind::Base { composition, .. } if composition.alternates() => Some("compose `left`".to_owned()),
            MethodErrorKind::Base { .. } => Some("compose `midpoint` or `trapezoidal`".to_owned()),
            _ => None,
        }
    }
}

impl FromStr for Method {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Method, MethodError> {
        if text.len() > MAX_LENGTH {
            let kind = MethodErrorKind::Syntax { expected: "something much shorter" };
            return Err(MethodError { kind, span: 0..text.len() });
        }
        let mut cursor = Cursor { text, at: 0 };
        let term = cursor.term(0)?;
        cursor.skip_blanks();
        if cursor.at < text.len() {
            return Err(cursor.expected("the end"));
        }
        method(&term)
    }
}

/// `name`, `name(arguments)` or a number.
pub(super) struct MethodTerm<'a> {
    /// The name, or the text of the number.
    head: &'a str,
    head_span: Span,
    arguments: Option<Vec<MethodTerm<'a>>>,
    span: Span,
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, character: char) -> bool {
        self.skip_blanks();
        let found = self.text[self.at..].starts_with(character);
        if found {
            self.at += character.len_utf8();
        }
        found
    }

    fn expected(&self, expected: &'static str) -> MethodError {
        let width = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        MethodError { kind: MethodErrorKind::Syntax { expected }, span: self.at..self.at + width }
    }

    fn term(&mut self, depth: usize) -> Result<MethodTerm<'a>, MethodError> {
        self.skip_blanks();
        let start = self.at;
        let rest = &self.text[start..];
        let word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+');
        let head = &rest[..rest.find(|c| !word(c)).unwrap_or(rest.len())];
        if head.is_empty() {
            return Err(self.expected(if depth == 0 { "the name of a method" } else { "an argument" }));
        }
        self.at += head.len();
        let head_span = start..self.at;
        let after_head = self.at;
        let mut arguments = None;
        if self.eat('(') {
            if depth == MAX_DEPTH {
                self.at -= 1;
                return Err(self.expected("`)`"));
            }
            let mut list = Vec::new();
            loop {
                list.push(self.term(depth + 1)?);
                if self.eat(')') {
                    break;
                }
                if !self.eat(',') {
                    return Err(self.expected("`,` or `)`"));
                }
            }
            arguments = Some(list);
        } else {
            self.at = after_head;
        }
        Ok(MethodTerm { head, head_span, arguments, span: start..self.at })
    }
}

/// The names that a method may begin with, each once.
fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = MethodFamily::all().iter().map(|family| family.name()).collect();
    names.extend(Composition::ALL.map(Composition::name));
    names.sort_unstable();
    names.dedup();
    names
}

fn method(term: &MethodTerm<'_>) -> Result<Method, MethodError> {
    if let Some(composition) = composition_named(term.head) {
        return bare(term, Method::compose(composition));
    }
    match MethodFamily::all().iter().find(|family| family.name() == term.head) {
        Some(MethodFamily { read: Some(read), .. }) => read(term),
        Some(family) => bare(term, (family.example)()),
        None => Err(fail(MethodErrorKind::Unknown { name: term.head.to_owned() }, &term.head_span)),
    }
}

/// A method without arguments.
fn bare(term: &MethodTerm<'_>, method: Method) -> Result<Method, MethodError> {
    match term.arguments {
        None => Ok(method),
        Some(_) => Err(usage(term, term.head)),
    }
}

pub(super) fn theta(term: &MethodTerm<'_>) -> Result<Method, MethodError> {
    let [argument] = arguments(term) else { return Err(usage(term, "theta(0.3)")) };
    let value = match argument.arguments {
        None => fraction(argument.head),
        Some(_) => None,
    };
    match value {
        Some(theta) if !theta.is_negative() && theta <= Rational::ONE => Ok(Method::Theta(theta)),
        _ => Err(out_of_range(argument, "theta", "fraction", "a number from 0 to 1".to_owned())),
    }
}

pub(super) fn gauss(term: &MethodTerm<'_>) -> Result<Method, MethodError> {
    let [stages] = arguments(term) else { return Err(usage(term, "gauss(2)")) };
    Ok(Method::Gauss(whole(stages, "gauss", "number of stages", 1, MAX_STAGES)?))
}

pub(super) fn energy_entropy(term: &MethodTerm<'_>) -> Result<Method, MethodError> {
    match (&term.arguments, arguments(term)) {
        (None, _) => Ok(Method::EnergyEntropy(1)),
        (_, [stages]) => Ok(Method::EnergyEntropy(whole(stages, "energy-entropy", "number of stages", 1, MAX_STAGES)?)),
        _ => Err(usage(term, "energy-entropy or energy-entropy(2)")),
    }
}

pub(super) fn galerkin(term: &MethodTerm<'_>) -> Result<Method, MethodError> {
    let (degree, rule) = match arguments(term) {
        [degree] => (degree, None),
        [degree, rule] => (degree, Some(rule)),
        _ => return Err(usage(term, "galerkin(2) or galerkin(2, gauss(2)) or galerkin(2, lobatto(3))")),
    };
    let degree = whole(degree, "galerkin", "degree", 1, MAX_STAGES)?;
    let Some(rule) = rule else {
        return Ok(Method::Galerkin { degree, quadrature: Quadrature::Gauss(degree) });
    };
    let quadrature = match (rule.head, arguments(rule)) {
        ("gauss", [points]) => Quadrature::Gauss(whole(points, "gauss", "number of points", 1, MAX_QUADRATURE_POINTS)?),
        ("lobatto", [points]) => {
            Quadrature::Lobatto(whole(points, "lobatto", "number of points", 2, MAX_QUADRATURE_POINTS)?)
        }
        ("gauss", _) => return Err(usage(rule, "gauss(2)")),
        ("lobatto", _) => return Err(usage(rule, "lobatto(3)")),
        (name, _) => return Err(fail(MethodErrorKind::UnknownQuadrature { name: name.to_owned() }, &rule.head_span)),
    };
    let (Quadrature::Gauss(points) | Quadrature::Lobatto(points)) = quadrature;
    // With fewer points than velocity coefficients some velocity polynomial vanishes at all of them.
    if points < degree {
        return Err(fail(MethodErrorKind::WeakQuadrature { quadrature, degree }, &rule.span));
    }
    Ok(Method::Galerkin { degree, quadrature })
}

pub(super) fn compose(term: &MethodTerm<'_>) -> Result<Method, MethodError> {
    let (name, base) = match arguments(term) {
        [name] => (name, None),
        [name, base] => (name, Some(base)),
        _ => return Err(usage(term, "compose(yoshida4, trapezoidal)")),
    };
    let composition = composition_named(name.head)
        .filter(|_| name.arguments.is_none())
        .ok_or_else(|| fail(MethodErrorKind::UnknownComposition { name: name.head.to_owned() }, &name.span))?;
    let base = match base {
        None => composition.usual_base(),
        Some(base) => CompositionBase::ALL
            .into_iter()
            .filter(|known| (*known == CompositionBase::Left) == composition.alternates())
            .find(|known| known.name() == base.head && base.arguments.is_none())
            .ok_or_else(|| fail(MethodErrorKind::Base { composition, base: base.head.to_owned() }, &base.span))?,
    };
    Ok(Method::Compose { composition, base })
}

fn composition_named(name: &str) -> Option<Composition> {
    Composition::ALL.into_iter().find(|c| c.name() == name)
}

fn arguments<'t, 'a>(term: &'t MethodTerm<'a>) -> &'t [MethodTerm<'a>] {
    term.arguments.as_deref().unwrap_or_default()
}

fn whole(
    term: &MethodTerm<'_>,
    method: &'static str,
    what: &'static str,
    low: u32,
    high: u32,
) -> Result<u32, MethodError> {
    let value = if term.arguments.is_none() { term.head.parse::<u32>().ok() } else { None };
    value
        .filter(|value| (low..=high).contains(value))
        .ok_or_else(|| out_of_range(term, method, what, format!("an integer from {low} to {high}")))
}

/// `0.3`, `1/3`.
fn fraction(text: &str) -> Option<Rational> {
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let denominator = Rational::parse_decimal(denominator)?.recip()?;
    Some(&Rational::parse_decimal(numerator)? * &denominator)
}

fn out_of_range(term: &MethodTerm<'_>, method: &'static str, what: &'static str, range: String) -> MethodError {
    fail(MethodErrorKind::OutOfRange { method, what, range, found: term.head.to_owned() }, &term.span)
}

fn usage(term: &MethodTerm<'_>, usage: &str) -> MethodError {
    let (method, usage) = (term.head.to_owned(), usage.to_owned());
    fail(MethodErrorKind::Arguments { method, usage }, &term.span)
}

fn fail(kind: MethodErrorKind, span: &Span) -> MethodError {
    MethodError { kind, span: span.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (String, String) {
        let error = text.parse::<Method>().unwrap_err();
        (error.to_string(), text[error.span].to_owned())
    }

    #[test]
    fn canonical_names_read_back() {
        for text in [
            "left",
            "right",
            "midpoint",
            "trapezoidal",
            "theta(0.3)",
            "theta(1/3)",
            "galerkin(3, gauss(3))",
            "galerkin(2, lobatto(3))",
            "compose(kahan-li8, midpoint)",
            "compose(yoshida6, trapezoidal)",
            "wisdom-holman",
            "compose(suzuki4, wisdom-holman)",
            "custom",
            "difference",
            "hermite",
            "euler",
            "rk2",
            "rk4",
            "dopri5",
            "dop853",
            "gauss(4)",
            "energy-entropy",
            "energy-entropy(3)",
            "energy-entropy-momentum",
            "compose(suzuki4, energy-entropy-momentum)",
            "compose(sofroniou-spaletta10, midpoint)",
            "compose(blanes-moan4, left)",
        ] {
            assert_eq!(text.parse::<Method>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn short_forms() {
        let same = |a: &str, b: &str| assert_eq!(a.parse::<Method>().unwrap(), b.parse::<Method>().unwrap());
        same("galerkin(2)", "galerkin(2, gauss(2))");
        same("energy-entropy(1)", "energy-entropy");
        same("suzuki4", "compose(suzuki4, trapezoidal)");
        same("compose(suzuki4)", "compose(suzuki4, trapezoidal)");
        same("blanes-moan6-nystrom", "compose(blanes-moan6-nystrom, left)");
        same("  theta ( 0.50 ) ", "theta(1/2)");
    }

    #[test]
    fn misfits_are_named_and_located() {
        let (message, at) = error("galerkin(2, simpson(3))");
        assert_eq!((message.as_str(), at.as_str()), ("there is no quadrature `simpson`", "simpson"));
        let (message, at) = error("galerkin(3, gauss(2))");
        assert!(message.contains("too weak"), "{message}");
        assert_eq!(at, "gauss(2)");
        assert_eq!(error("galerkin(9)").1, "9");
        assert_eq!(error("galerkin(0)").1, "0");
        assert_eq!(error("theta(1.2)").1, "1.2");
        assert_eq!(error("theta(-0.1)").1, "-0.1");
        assert_eq!(error("theta(1/0)").1, "1/0");
        assert_eq!(error("theta").1, "theta");
        assert_eq!(error("midpoint(2)").1, "midpoint(2)");
        assert_eq!(error("compose(yoshida5, midpoint)").1, "yoshida5");
        assert_eq!(error("compose(yoshida4, left)").1, "left");
        let (message, at) = error("compose(blanes-moan6, midpoint)");
        assert!(message.contains("its adjoint"), "{message}");
        assert_eq!(at, "midpoint");
        assert_eq!(error("energy-entropy(0)").1, "0");
        assert_eq!(error("energy-entropy(2, 3)").1, "energy-entropy(2, 3)");
        assert_eq!(error("energy-entropy-momentum(2)").1, "energy-entropy-momentum(2)");
        assert_eq!(error("midpoint x").1, "x");
        assert_eq!(error("galerkin(2").1, "");
        assert_eq!(error("").1, "");
        assert_eq!(error("galerkin(2, gauss(2(2)))").1, "(");
    }

    #[test]
    fn hopeless_texts_are_refused_at_once() {
        assert!("(".repeat(1_000_000).parse::<Method>().is_err());
        assert!("left(".repeat(20).parse::<Method>().is_err());
    }
}
