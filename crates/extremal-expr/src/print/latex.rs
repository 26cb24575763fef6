//! LaTeX mathematics within what KaTeX and MathJax both understand.

use super::Item;
use super::layout::{Factor, Form, Fraction, Layout, Level, Side};
use super::symbol::Symbol;
use crate::{Comparison, Function, Function2, Id, Rational};

/// Writes one node, in parentheses where something tighter than its own notation is needed.
pub(super) fn expand(layout: &Layout<'_>, id: Id, needed: Level, out: &mut Vec<Item>) {
    let form = layout.form(id);
    let bare = level(&form) >= needed;
    if !bare {
        out.push(r"\left(".into());
    }
    body(layout, form, out);
    if !bare {
        out.push(r"\right)".into());
    }
}

fn level(form: &Form) -> Level {
    match form {
        Form::Number(value) if value.is_negative() => Level::Sum,
        Form::Number(value) if !value.is_integer() => Level::Product,
        Form::Symbol(name) if Symbol::new(name).raised => Level::Power,
        Form::Sum(terms) => match terms.as_slice() {
            [term] if !term.negative => Level::Product,
            _ => Level::Sum,
        },
        Form::Fraction(fraction) => match fraction.single() {
            Some(_) => Level::Power,
            None => Level::Product,
        },
        // The brace of the cases is open to the right.
        Form::Select(..) => Level::Not,
        Form::Compare(..) => Level::Comparison,
        Form::And(..) => Level::And,
        Form::Or(..) => Level::Or,
        Form::Not(_) => Level::Not,
        Form::Power(..) => Level::Power,
        // `\sin(x)^2` would be read as the sine of a square.
        Form::Call(function, _) if !matches!(function, Function::Abs) => Level::Power,
        Form::Call2(..) => Level::Power,
        Form::Number(_) | Form::Pi | Form::Symbol(_) | Form::Call(..) | Form::Truth(_) => Level::Atom,
    }
}

fn body(layout: &Layout<'_>, form: Form, out: &mut Vec<Item>) {
    match form {
        Form::Number(value) => number(&value, out),
        Form::Pi => out.push(r"\pi".into()),
        Form::Symbol(name) => out.push(Symbol::new(&name).latex.into()),
        Form::Sum(terms) => {
            for (position, term) in terms.iter().enumerate() {
                out.push(match (position, term.negative) {
                    (0, true) => "-".into(),
                    (0, false) => "".into(),
                    (_, true) => " - ".into(),
                    (_, false) => " + ".into(),
                });
                fraction(layout, &term.value, out);
            }
        }
        Form::Fraction(value) => fraction(layout, &value, out),
        Form::Power(base, exponent) => {
            out.push(Item::Node(base, Level::Atom));
            out.push("^{".into());
            out.push(Item::Node(exponent, Level::LOOSEST));
            out.push("}".into());
        }
        Form::Call(function, a) => call(function, a, None, out),
        Form::Call2(function, a, b) => {
            out.push(match function {
                Function2::Atan2 => r"\operatorname{atan2}".into(),
                Function2::Min => r"\min".into(),
                Function2::Max => r"\max".into(),
            });
            out.push(r"\left(".into());
            out.push(Item::Node(a, Level::LOOSEST));
            out.push(", ".into());
            out.push(Item::Node(b, Level::LOOSEST));
            out.push(r"\right)".into());
        }
        Form::Select(condition, a, b) => {
            out.push(r"\begin{cases} ".into());
            out.push(Item::Node(a, Level::LOOSEST));
            out.push(r" & \text{if } ".into());
            out.push(Item::Node(condition, Level::LOOSEST));
            out.push(r" \\ ".into());
            out.push(Item::Node(b, Level::LOOSEST));
            out.push(r" & \text{otherwise} \end{cases}".into());
        }
        Form::Compare(comparison, a, b) => {
            out.push(Item::Node(a, Level::Sum));
            out.push(match comparison {
                Comparison::Lt => " < ".into(),
                Comparison::Le => r" \le ".into(),
                Comparison::Eq => " = ".into(),
                Comparison::Ne => r" \ne ".into(),
            });
            out.push(Item::Node(b, Level::Sum));
        }
        Form::And(a, b) => infix(a, r" \land ", b, Level::And, out),
        Form::Or(a, b) => infix(a, r" \lor ", b, Level::Or, out),
        Form::Not(a) => {
            out.push(r"\lnot ".into());
            out.push(Item::Node(a, Level::Atom));
        }
        Form::Truth(true) => out.push(r"\top".into()),
        Form::Truth(false) => out.push(r"\bot".into()),
    }
}

fn infix(a: Id, operator: &'static str, b: Id, level: Level, out: &mut Vec<Item>) {
    out.push(Item::Node(a, level));
    out.push(operator.into());
    out.push(Item::Node(b, Level::Not));
}

fn number(value: &Rational, out: &mut Vec<Item>) {
    let sign = if value.is_negative() { "-" } else { "" };
    let (numerator, denominator) = (value.numerator().abs(), value.denominator());
    out.push(match denominator.is_one() {
        true => format!("{sign}{numerator}").into(),
        false => format!(r"{sign}\frac{{{numerator}}}{{{denominator}}}").into(),
    });
}

fn fraction(layout: &Layout<'_>, value: &Fraction, out: &mut Vec<Item>) {
    if value.denominator.is_one() {
        side(layout, &value.numerator, Level::Power, out);
        return;
    }
    out.push(r"\frac{".into());
    side(layout, &value.numerator, Level::LOOSEST, out);
    out.push("}{".into());
    side(layout, &value.denominator, Level::LOOSEST, out);
    out.push("}".into());
}

/// Writes number and factors; `alone` is what a single plain factor must bind like.
fn side(layout: &Layout<'_>, side: &Side, alone: Level, out: &mut Vec<Item>) {
    if let Some(factor) = side.single().filter(Factor::is_plain) {
        out.push(Item::Node(factor.base, alone));
        return;
    }
    let mut separator = "";
    if let Some(value) = side.shown_number() {
        number(value, out);
        separator = r"\,";
    }
    for factor in &side.factors {
        let digits_meet = !separator.is_empty() && layout.is_number(factor.base);
        out.push(if digits_meet { r" \cdot ".into() } else { separator.into() });
        power(layout, factor, out);
        separator = r"\,";
    }
}

fn power(layout: &Layout<'_>, factor: &Factor, out: &mut Vec<Item>) {
    if factor.is_plain() {
        out.push(Item::Node(factor.base, Level::Power));
    } else if factor.power == 1 && factor.root == 2 {
        out.push(r"\sqrt{".into());
        out.push(Item::Node(factor.base, Level::LOOSEST));
        out.push("}".into());
    } else {
        let exponent = match factor.root {
            1 => factor.power.to_string(),
            root => format!("{}/{root}", factor.power),
        };
        match layout.as_call(factor.base) {
            Some((function, argument)) if raises_by_name(function) && factor.power > 0 => {
                call(function, argument, Some(exponent), out);
            }
            _ => {
                out.push(Item::Node(factor.base, Level::Atom));
                out.push(format!("^{{{exponent}}}").into());
            }
        }
    }
}

/// Is a power of it written on the name, as in `\sin^2 x`?
fn raises_by_name(function: Function) -> bool {
    use Function::{Cos, Cosh, Sin, Sinh, Tan, Tanh};
    matches!(function, Sin | Cos | Tan | Sinh | Cosh | Tanh)
}

fn call(function: Function, argument: Id, exponent: Option<String>, out: &mut Vec<Item>) {
    let (open, close) = match function {
        Function::Abs => (r"\left|", r"\right|"),
        Function::Cbrt => ("{", "}"),
        _ => (r"\left(", r"\right)"),
    };
    out.push(function.latex().into());
    if let Some(exponent) = exponent {
        out.push(format!("^{{{exponent}}}").into());
    }
    out.push(open.into());
    out.push(Item::Node(argument, Level::LOOSEST));
    out.push(close.into());
}
