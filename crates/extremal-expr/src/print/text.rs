//! Text in the language of [`syntax`](crate::syntax). What is printed parses back to the same node of the same graph.

use super::OutputItem;
use super::layout::{FractionSide, NotationLevel, PrintLayout, PrintedFactor, PrintedForm, PrintedFraction};
use crate::{Id, Rational};

/// Writes one node, in parentheses where something tighter than its own operator is needed.
pub(super) fn expand(layout: &PrintLayout<'_>, id: Id, needed: NotationLevel, out: &mut Vec<OutputItem>) {
    let form = layout.form(id);
    let bare = level(&form) >= needed;
    if !bare {
        out.push("(".into());
    }
    body(form, out);
    if !bare {
        out.push(")".into());
    }
}

fn level(form: &PrintedForm) -> NotationLevel {
    match form {
        PrintedForm::Number(value) => number_level(value),
        PrintedForm::Sum(terms) => match terms.as_slice() {
            [term] if !term.negative => NotationLevel::Product,
            _ => NotationLevel::Sum,
        },
        PrintedForm::Fraction(fraction) => match fraction.single() {
            Some(factor) if is_square_root(&factor) => NotationLevel::Atom,
            Some(_) => NotationLevel::Power,
            None => NotationLevel::Product,
        },
        PrintedForm::Power(..) => NotationLevel::Power,
        PrintedForm::Compare(..) | PrintedForm::Truth(_) => NotationLevel::Relation,
        PrintedForm::And(..) => NotationLevel::And,
        PrintedForm::Or(..) => NotationLevel::Or,
        PrintedForm::Not(_) => NotationLevel::Not,
        PrintedForm::Pi
        | PrintedForm::Symbol(_)
        | PrintedForm::Call(..)
        | PrintedForm::Table(..)
        | PrintedForm::Call2(..)
        | PrintedForm::Select(..) => NotationLevel::Atom,
    }
}

fn number_level(value: &Rational) -> NotationLevel {
    match (value.is_negative(), value.is_integer()) {
        (true, _) => NotationLevel::Sum,
        (false, false) => NotationLevel::Product,
        (false, true) => NotationLevel::Atom,
    }
}

fn is_square_root(factor: &PrintedFactor) -> bool {
    factor.power == 1 && factor.root == 2
}

fn body(form: PrintedForm, out: &mut Vec<OutputItem>) {
    match form {
        PrintedForm::Number(value) => out.push(value.to_string().into()),
        PrintedForm::Pi => out.push("pi".into()),
        PrintedForm::Symbol(name) => out.push(name.to_string().into()),
        PrintedForm::Sum(terms) => {
            for (position, term) in terms.iter().enumerate() {
                out.push(term.sign(position).into());
                fraction(&term.value, out);
            }
        }
        PrintedForm::Fraction(value) => fraction(&value, out),
        PrintedForm::Power(base, exponent) => {
            out.push(OutputItem::Node(base, NotationLevel::Atom));
            out.push("^".into());
            out.push(OutputItem::Node(exponent, NotationLevel::Atom));
        }
        PrintedForm::Call(function, a) => call(function.name(), &[a], out),
        PrintedForm::Table(function, a) => call(function.name(), &[a], out),
        PrintedForm::Call2(function, a, b) => call(function.name(), &[a, b], out),
        PrintedForm::Select(condition, a, b) => call("if", &[condition, a, b], out),
        PrintedForm::Compare(comparison, a, b) => {
            out.push(OutputItem::Node(a, NotationLevel::Sum));
            out.push(format!(" {} ", comparison.name()).into());
            out.push(OutputItem::Node(b, NotationLevel::Sum));
        }
        PrintedForm::And(a, b) => {
            out.push(OutputItem::Node(a, NotationLevel::And));
            out.push(" and ".into());
            out.push(OutputItem::Node(b, NotationLevel::Not));
        }
        PrintedForm::Or(a, b) => {
            out.push(OutputItem::Node(a, NotationLevel::Or));
            out.push(" or ".into());
            out.push(OutputItem::Node(b, NotationLevel::And));
        }
        PrintedForm::Not(a) => {
            out.push("not ".into());
            out.push(OutputItem::Node(a, NotationLevel::Not));
        }
        // The language has no words for these; a comparison of numbers is folded to the same.
        PrintedForm::Truth(true) => out.push("0 < 1".into()),
        PrintedForm::Truth(false) => out.push("1 < 0".into()),
    }
}

fn call(name: &'static str, arguments: &[Id], out: &mut Vec<OutputItem>) {
    out.push(name.into());
    for (position, argument) in arguments.iter().enumerate() {
        out.push(if position == 0 { "(".into() } else { ", ".into() });
        out.push(OutputItem::Node(*argument, NotationLevel::LOOSEST));
    }
    out.push(")".into());
}

fn fraction(value: &PrintedFraction, out: &mut Vec<OutputItem>) {
    side(&value.numerator, out);
    if value.denominator.is_one() {
        return;
    }
    out.push("/".into());
    let parts = value.denominator.factors.len() + usize::from(!value.denominator.number.is_one());
    if parts > 1 {
        out.push("(".into());
    }
    side(&value.denominator, out);
    if parts > 1 {
        out.push(")".into());
    }
}

fn side(side: &FractionSide, out: &mut Vec<OutputItem>) {
    let mut separate = false;
    if let Some(number) = side.shown_number() {
        out.push(number.to_string().into());
        separate = true;
    }
    for factor in &side.factors {
        if separate {
            out.push("*".into());
        }
        separate = true;
        power(factor, out);
    }
}

fn power(factor: &PrintedFactor, out: &mut Vec<OutputItem>) {
    if factor.is_plain() {
        out.push(OutputItem::Node(factor.base, NotationLevel::Power));
    } else if is_square_root(factor) {
        out.push("sqrt(".into());
        out.push(OutputItem::Node(factor.base, NotationLevel::LOOSEST));
        out.push(")".into());
    } else {
        out.push(OutputItem::Node(factor.base, NotationLevel::Atom));
        out.push(match (factor.power, factor.root) {
            (power @ 0.., 1) => format!("^{power}").into(),
            (power, 1) => format!("^({power})").into(),
            (power, root) => format!("^({power}/{root})").into(),
        });
    }
}
