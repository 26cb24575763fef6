//! LaTeX mathematics within what KaTeX and MathJax both understand.

use super::OutputItem;
use super::layout::{FractionSide, NotationLevel, PrintLayout, PrintedFactor, PrintedForm, PrintedFraction};
use super::symbol::Symbol;
use crate::{Function, Function2, Id, Rational, Relation};

/// Writes one node, in parentheses where something tighter than its own notation is needed.
pub(super) fn expand(layout: &PrintLayout<'_>, id: Id, needed: NotationLevel, out: &mut Vec<OutputItem>) {
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

/// How tightly the notation of a node binds. That of MathML is the same.
pub(super) fn level(form: &PrintedForm) -> NotationLevel {
    match form {
        PrintedForm::Number(value) if value.is_negative() => NotationLevel::Sum,
        PrintedForm::Number(value) if !value.is_integer() => NotationLevel::Product,
        PrintedForm::Symbol(name) if Symbol::new(name).raised => NotationLevel::Power,
        PrintedForm::Sum(terms) => match terms.as_slice() {
            [term] if !term.negative => NotationLevel::Product,
            _ => NotationLevel::Sum,
        },
        PrintedForm::Fraction(fraction) => match fraction.single() {
            Some(_) => NotationLevel::Power,
            None => NotationLevel::Product,
        },
        // The brace of the cases is open to the right.
        PrintedForm::Select(..) => NotationLevel::Not,
        PrintedForm::Compare(..) => NotationLevel::Relation,
        PrintedForm::And(..) => NotationLevel::And,
        PrintedForm::Or(..) => NotationLevel::Or,
        PrintedForm::Not(_) => NotationLevel::Not,
        PrintedForm::Power(..) => NotationLevel::Power,
        // `\sin(x)^2` would be read as the sine of a square.
        PrintedForm::Call(function, _) if !matches!(function, Function::Abs) => NotationLevel::Power,
        PrintedForm::Table(..) | PrintedForm::Call2(..) => NotationLevel::Power,
        PrintedForm::Number(_)
        | PrintedForm::Pi
        | PrintedForm::Symbol(_)
        | PrintedForm::Call(..)
        | PrintedForm::Truth(_) => NotationLevel::Atom,
    }
}

fn body(layout: &PrintLayout<'_>, form: PrintedForm, out: &mut Vec<OutputItem>) {
    match form {
        PrintedForm::Number(value) => number(&value, out),
        PrintedForm::Pi => out.push(r"\pi".into()),
        PrintedForm::Symbol(name) => out.push(Symbol::new(&name).latex.into()),
        PrintedForm::Sum(terms) => {
            for (position, term) in terms.iter().enumerate() {
                out.push(term.sign(position).into());
                fraction(layout, &term.value, out);
            }
        }
        PrintedForm::Fraction(value) => fraction(layout, &value, out),
        PrintedForm::Power(base, exponent) => {
            out.push(OutputItem::Node(base, NotationLevel::Atom));
            out.push("^{".into());
            out.push(OutputItem::Node(exponent, NotationLevel::LOOSEST));
            out.push("}".into());
        }
        PrintedForm::Call(function, a) => call(function, a, None, out),
        PrintedForm::Table(function, a) => {
            let name = function.name().trim_end_matches('\'');
            let primes = &function.name()[name.len()..];
            out.push(format!(r"\operatorname{{{}}}{primes}", name.replace('_', r"\_")).into());
            out.push(r"\left(".into());
            out.push(OutputItem::Node(a, NotationLevel::LOOSEST));
            out.push(r"\right)".into());
        }
        PrintedForm::Call2(function, a, b) => {
            out.push(match function {
                Function2::Atan2 => r"\operatorname{atan2}".into(),
                Function2::Min => r"\min".into(),
                Function2::Max => r"\max".into(),
            });
            out.push(r"\left(".into());
            out.push(OutputItem::Node(a, NotationLevel::LOOSEST));
            out.push(", ".into());
            out.push(OutputItem::Node(b, NotationLevel::LOOSEST));
            out.push(r"\right)".into());
        }
        PrintedForm::Select(condition, a, b) => {
            out.push(r"\begin{cases} ".into());
            out.push(OutputItem::Node(a, NotationLevel::LOOSEST));
            out.push(r" & \text{if } ".into());
            out.push(OutputItem::Node(condition, NotationLevel::LOOSEST));
            out.push(r" \\ ".into());
            out.push(OutputItem::Node(b, NotationLevel::LOOSEST));
            out.push(r" & \text{otherwise} \end{cases}".into());
        }
        PrintedForm::Compare(comparison, a, b) => {
            out.push(OutputItem::Node(a, NotationLevel::Sum));
            out.push(match comparison {
                Relation::Lt => " < ".into(),
                Relation::Le => r" \le ".into(),
                Relation::Eq => " = ".into(),
                Relation::Ne => r" \ne ".into(),
            });
            out.push(OutputItem::Node(b, NotationLevel::Sum));
        }
        PrintedForm::And(a, b) => infix(a, r" \land ", b, NotationLevel::And, out),
        PrintedForm::Or(a, b) => infix(a, r" \lor ", b, NotationLevel::Or, out),
        PrintedForm::Not(a) => {
            out.push(r"\lnot ".into());
            out.push(OutputItem::Node(a, NotationLevel::Atom));
        }
        PrintedForm::Truth(true) => out.push(r"\top".into()),
        PrintedForm::Truth(false) => out.push(r"\bot".into()),
    }
}

fn infix(a: Id, operator: &'static str, b: Id, level: NotationLevel, out: &mut Vec<OutputItem>) {
    out.push(OutputItem::Node(a, level));
    out.push(operator.into());
    out.push(OutputItem::Node(b, NotationLevel::Not));
}

fn number(value: &Rational, out: &mut Vec<OutputItem>) {
    let sign = if value.is_negative() { "-" } else { "" };
    let (numerator, denominator) = (value.numerator().abs(), value.denominator());
    out.push(match denominator.is_one() {
        true => format!("{sign}{numerator}").into(),
        false => format!(r"{sign}\frac{{{numerator}}}{{{denominator}}}").into(),
    });
}

fn fraction(layout: &PrintLayout<'_>, value: &PrintedFraction, out: &mut Vec<OutputItem>) {
    if value.denominator.is_one() {
        side(layout, &value.numerator, NotationLevel::Power, out);
        return;
    }
    out.push(r"\frac{".into());
    side(layout, &value.numerator, NotationLevel::LOOSEST, out);
    out.push("}{".into());
    side(layout, &value.denominator, NotationLevel::LOOSEST, out);
    out.push("}".into());
}

/// Writes number and factors; `alone` is what a single plain factor must bind like.
fn side(layout: &PrintLayout<'_>, side: &FractionSide, alone: NotationLevel, out: &mut Vec<OutputItem>) {
    if let Some(factor) = side.single().filter(PrintedFactor::is_plain) {
        out.push(OutputItem::Node(factor.base, alone));
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

fn power(layout: &PrintLayout<'_>, factor: &PrintedFactor, out: &mut Vec<OutputItem>) {
    if factor.is_plain() {
        out.push(OutputItem::Node(factor.base, NotationLevel::Power));
    } else if factor.power == 1 && factor.root == 2 {
        out.push(r"\sqrt{".into());
        out.push(OutputItem::Node(factor.base, NotationLevel::LOOSEST));
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
                out.push(OutputItem::Node(factor.base, NotationLevel::Atom));
                out.push(format!("^{{{exponent}}}").into());
            }
        }
    }
}

/// Is a power of it written on the name, as in `\sin^2 x`?
pub(super) fn raises_by_name(function: Function) -> bool {
    use Function::{Cos, Cosh, Sin, Sinh, Tan, Tanh};
    matches!(function, Sin | Cos | Tan | Sinh | Cosh | Tanh)
}

fn call(function: Function, argument: Id, exponent: Option<String>, out: &mut Vec<OutputItem>) {
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
    out.push(OutputItem::Node(argument, NotationLevel::LOOSEST));
    out.push(close.into());
}
