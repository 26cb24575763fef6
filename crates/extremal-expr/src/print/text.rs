//! Text in the language of [`syntax`](crate::syntax). What is printed parses back to the same node of the same graph.

use super::Item;
use super::layout::{Factor, Form, Fraction, Layout, Level, Side};
use crate::{Id, Rational};

/// Writes one node, in parentheses where something tighter than its own operator is needed.
pub(super) fn expand(layout: &Layout<'_>, id: Id, needed: Level, out: &mut Vec<Item>) {
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

fn level(form: &Form) -> Level {
    match form {
        Form::Number(value) => number_level(value),
        Form::Sum(terms) => match terms.as_slice() {
            [term] if !term.negative => Level::Product,
            _ => Level::Sum,
        },
        Form::Fraction(fraction) => match fraction.single() {
            Some(factor) if is_square_root(&factor) => Level::Atom,
            Some(_) => Level::Power,
            None => Level::Product,
        },
        Form::Power(..) => Level::Power,
        Form::Compare(..) | Form::Truth(_) => Level::Comparison,
        Form::And(..) => Level::And,
        Form::Or(..) => Level::Or,
        Form::Not(_) => Level::Not,
        Form::Pi | Form::Symbol(_) | Form::Call(..) | Form::Call2(..) | Form::Select(..) => Level::Atom,
    }
}

fn number_level(value: &Rational) -> Level {
    match (value.is_negative(), value.is_integer()) {
        (true, _) => Level::Sum,
        (false, false) => Level::Product,
        (false, true) => Level::Atom,
    }
}

fn is_square_root(factor: &Factor) -> bool {
    factor.power == 1 && factor.root == 2
}

fn body(form: Form, out: &mut Vec<Item>) {
    match form {
        Form::Number(value) => out.push(value.to_string().into()),
        Form::Pi => out.push("pi".into()),
        Form::Symbol(name) => out.push(name.to_string().into()),
        Form::Sum(terms) => {
            for (position, term) in terms.iter().enumerate() {
                out.push(match (position, term.negative) {
                    (0, true) => "-".into(),
                    (0, false) => "".into(),
                    (_, true) => " - ".into(),
                    (_, false) => " + ".into(),
                });
                fraction(&term.value, out);
            }
        }
        Form::Fraction(value) => fraction(&value, out),
        Form::Power(base, exponent) => {
            out.push(Item::Node(base, Level::Atom));
            out.push("^".into());
            out.push(Item::Node(exponent, Level::Atom));
        }
        Form::Call(function, a) => call(function.name(), &[a], out),
        Form::Call2(function, a, b) => call(function.name(), &[a, b], out),
        Form::Select(condition, a, b) => call("if", &[condition, a, b], out),
        Form::Compare(comparison, a, b) => {
            out.push(Item::Node(a, Level::Sum));
            out.push(format!(" {} ", comparison.name()).into());
            out.push(Item::Node(b, Level::Sum));
        }
        Form::And(a, b) => {
            out.push(Item::Node(a, Level::And));
            out.push(" and ".into());
            out.push(Item::Node(b, Level::Not));
        }
        Form::Or(a, b) => {
            out.push(Item::Node(a, Level::Or));
            out.push(" or ".into());
            out.push(Item::Node(b, Level::And));
        }
        Form::Not(a) => {
            out.push("not ".into());
            out.push(Item::Node(a, Level::Not));
        }
        // The language has no words for these; a comparison of numbers is folded to the same.
        Form::Truth(true) => out.push("0 < 1".into()),
        Form::Truth(false) => out.push("1 < 0".into()),
    }
}

fn call(name: &'static str, arguments: &[Id], out: &mut Vec<Item>) {
    out.push(name.into());
    for (position, argument) in arguments.iter().enumerate() {
        out.push(if position == 0 { "(".into() } else { ", ".into() });
        out.push(Item::Node(*argument, Level::LOOSEST));
    }
    out.push(")".into());
}

fn fraction(value: &Fraction, out: &mut Vec<Item>) {
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

fn side(side: &Side, out: &mut Vec<Item>) {
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

fn power(factor: &Factor, out: &mut Vec<Item>) {
    if factor.is_plain() {
        out.push(Item::Node(factor.base, Level::Power));
    } else if is_square_root(factor) {
        out.push("sqrt(".into());
        out.push(Item::Node(factor.base, Level::LOOSEST));
        out.push(")".into());
    } else {
        out.push(Item::Node(factor.base, Level::Atom));
        out.push(match (factor.power, factor.root) {
            (power @ 0.., 1) => format!("^{power}").into(),
            (power, 1) => format!("^({power})").into(),
            (power, root) => format!("^({power}/{root})").into(),
        });
    }
}
