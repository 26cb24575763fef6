//! MathML within MathML Core, which browsers draw without help. They do not break lines in it: a sum comes in pieces between which a page
//! may do so.

use super::layout::{
    FractionSide, NotationLevel, PrintLayout, PrintedFactor, PrintedForm, PrintedFraction, PrintedTerm,
};
use super::symbol::NameParts;
use super::{OutputItem, greek, latex};
use crate::{Expr, Function, Function2, Id, Rational, Relation};

/// Nodes that are written of one expression; the rest is `…`. Nobody reads more, and a page has to lay it out.
const MOST_NODES: usize = 20_000;
/// Between factors: a thin space that is read as a product.
const TIMES: &str = "<mo lspace=\"0\" rspace=\"0.17em\">\u{2062}</mo>";

impl Expr<'_> {
    /// The expression as MathML, without the element `math` around it: one piece for each term of a sum, with its sign, between which a
    /// line may end.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// let g = Graph::new();
    /// let (m, v, x) = (g.symbol("m"), g.symbol("x'"), g.symbol("x"));
    /// let pieces = (m * v.powi(2) / 2 - x.sqrt()).mathml();
    /// assert_eq!(pieces.len(), 2);
    /// assert_eq!(pieces[1], "<mrow><mo form=\"infix\">−</mo><msqrt><mi>x</mi></msqrt></mrow>");
    /// ```
    pub fn mathml(self) -> Vec<String> {
        let layout = PrintLayout::new(self);
        let mut writer = MathMlWriter { layout: &layout, left: MOST_NODES };
        match layout.form(self.id()) {
            PrintedForm::Sum(terms) => {
                let mut pieces = Vec::with_capacity(terms.len());
                for (position, term) in terms.iter().enumerate() {
                    if writer.left == 0 {
                        pieces.push(ELIDED.to_owned());
                        break;
                    }
                    let mut items = vec!["<mrow>".into()];
                    signed(&layout, term, position, &mut items);
                    items.push("</mrow>".into());
                    pieces.push(writer.write(items));
                }
                pieces
            }
            _ => vec![writer.write(vec![OutputItem::Node(self.id(), NotationLevel::LOOSEST)])],
        }
    }
}

const ELIDED: &str = "<mi>…</mi>";

/// Writes pieces until there were too many nodes.
struct MathMlWriter<'a, 'g> {
    layout: &'a PrintLayout<'g>,
    left: usize,
}

impl MathMlWriter<'_, '_> {
    /// Expands items with a stack instead of recursion, so that depth is no concern.
    fn write(&mut self, items: Vec<OutputItem>) -> String {
        let mut text = String::new();
        let mut stack: Vec<OutputItem> = items.into_iter().rev().collect();
        let mut pieces = Vec::new();
        while let Some(item) = stack.pop() {
            match item {
                OutputItem::Text(piece) => text.push_str(&piece),
                OutputItem::Node(..) if self.left == 0 => text.push_str(ELIDED),
                OutputItem::Node(id, level) => {
                    self.left -= 1;
                    expand(self.layout, id, level, &mut pieces);
                    stack.extend(pieces.drain(..).rev());
                }
            }
        }
        text
    }
}

/// Writes one node as one element, in parentheses where something tighter than its own notation is needed.
fn expand(layout: &PrintLayout<'_>, id: Id, needed: NotationLevel, out: &mut Vec<OutputItem>) {
    let form = layout.form(id);
    if latex::level(&form) >= needed {
        return body(layout, form, out);
    }
    out.push("<mrow><mo>(</mo>".into());
    body(layout, form, out);
    out.push("<mo>)</mo></mrow>".into());
}

fn body(layout: &PrintLayout<'_>, form: PrintedForm, out: &mut Vec<OutputItem>) {
    let loosest = |id: Id| OutputItem::Node(id, NotationLevel::LOOSEST);
    match form {
        PrintedForm::Number(value) => number(&value, out),
        PrintedForm::Pi => out.push("<mi>π</mi>".into()),
        PrintedForm::Symbol(name) => out.push(symbol(&name).into()),
        PrintedForm::Sum(terms) => {
            out.push("<mrow>".into());
            terms.iter().enumerate().for_each(|(position, term)| signed(layout, term, position, out));
            out.push("</mrow>".into());
        }
        PrintedForm::Fraction(value) => fraction(layout, &value, out),
        PrintedForm::Power(base, exponent) => {
            out.push("<msup>".into());
            out.extend([OutputItem::Node(base, NotationLevel::Atom), loosest(exponent)]);
            out.push("</msup>".into());
        }
        PrintedForm::Call(function, a) => call(function, a, None, out),
        PrintedForm::Table(function, a) => {
            let name = function.name().trim_end_matches('\'');
            let primes = "′".repeat(function.name().len() - name.len());
            out.push(format!("<mrow><mi>{}{primes}</mi>", escaped(name)).into());
            arguments(&[a], out);
            out.push("</mrow>".into());
        }
        PrintedForm::Call2(function, a, b) => {
            let name = match function {
                Function2::Atan2 => "atan2",
                Function2::Min => "min",
                Function2::Max => "max",
            };
            out.push(format!("<mrow><mi>{name}</mi>").into());
            arguments(&[a, b], out);
            out.push("</mrow>".into());
        }
        PrintedForm::Select(condition, a, b) => {
            out.push("<mrow><mo>{</mo><mtable><mtr><mtd>".into());
            out.push(loosest(a));
            out.push("</mtd><mtd><mtext>if </mtext>".into());
            out.push(loosest(condition));
            out.push("</mtd></mtr><mtr><mtd>".into());
            out.push(loosest(b));
            out.push("</mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>".into());
        }
        PrintedForm::Compare(comparison, a, b) => {
            let sign = match comparison {
                Relation::Lt => "&lt;",
                Relation::Le => "≤",
                Relation::Eq => "=",
                Relation::Ne => "≠",
            };
            infix([(a, NotationLevel::Sum), (b, NotationLevel::Sum)], sign, out);
        }
        PrintedForm::And(a, b) => infix([(a, NotationLevel::And), (b, NotationLevel::Not)], "∧", out),
        PrintedForm::Or(a, b) => infix([(a, NotationLevel::Or), (b, NotationLevel::Not)], "∨", out),
        PrintedForm::Not(a) => {
            out.push("<mrow><mo>¬</mo>".into());
            out.push(OutputItem::Node(a, NotationLevel::Atom));
            out.push("</mrow>".into());
        }
        PrintedForm::Truth(true) => out.push("<mi>⊤</mi>".into()),
        PrintedForm::Truth(false) => out.push("<mi>⊥</mi>".into()),
    }
}

fn infix([left, right]: [(Id, NotationLevel); 2], sign: &'static str, out: &mut Vec<OutputItem>) {
    out.push("<mrow>".into());
    out.push(OutputItem::Node(left.0, left.1));
    out.push(format!("<mo>{sign}</mo>").into());
    out.push(OutputItem::Node(right.0, right.1));
    out.push("</mrow>".into());
}

/// A term with its sign; a piece of its own begins with the sign between terms, which has its spaces.
fn signed(layout: &PrintLayout<'_>, term: &PrintedTerm, position: usize, out: &mut Vec<OutputItem>) {
    match (position, term.negative) {
        (0, false) => {}
        (0, true) => out.push("<mo>−</mo>".into()),
        (_, true) => out.push("<mo form=\"infix\">−</mo>".into()),
        (_, false) => out.push("<mo form=\"infix\">+</mo>".into()),
    }
    fraction(layout, &term.value, out);
}

fn number(value: &Rational, out: &mut Vec<OutputItem>) {
    let (numerator, denominator) = (value.numerator().abs(), value.denominator());
    let size = match denominator.is_one() {
        true => format!("<mn>{numerator}</mn>"),
        false => format!("<mfrac><mn>{numerator}</mn><mn>{denominator}</mn></mfrac>"),
    };
    out.push(if value.is_negative() { format!("<mrow><mo>−</mo>{size}</mrow>") } else { size }.into());
}

fn fraction(layout: &PrintLayout<'_>, value: &PrintedFraction, out: &mut Vec<OutputItem>) {
    if value.denominator.is_one() {
        return side(layout, &value.numerator, NotationLevel::Power, out);
    }
    out.push("<mfrac>".into());
    side(layout, &value.numerator, NotationLevel::LOOSEST, out);
    side(layout, &value.denominator, NotationLevel::LOOSEST, out);
    out.push("</mfrac>".into());
}

/// Writes number and factors as one element; `alone` is what a single plain factor must bind like.
fn side(layout: &PrintLayout<'_>, side: &FractionSide, alone: NotationLevel, out: &mut Vec<OutputItem>) {
    if let Some(factor) = side.single() {
        match factor.is_plain() {
            true => out.push(OutputItem::Node(factor.base, alone)),
            false => power(layout, &factor, out),
        }
        return;
    }
    if side.factors.is_empty() {
        return number(&side.number, out);
    }
    out.push("<mrow>".into());
    let mut separator = "";
    if let Some(value) = side.shown_number() {
        number(value, out);
        separator = TIMES;
    }
    for factor in &side.factors {
        let digits_meet = !separator.is_empty() && layout.is_number(factor.base);
        out.push(if digits_meet { "<mo>⋅</mo>".into() } else { separator.into() });
        power(layout, factor, out);
        separator = TIMES;
    }
    out.push("</mrow>".into());
}

fn power(layout: &PrintLayout<'_>, factor: &PrintedFactor, out: &mut Vec<OutputItem>) {
    if factor.is_plain() {
        out.push(OutputItem::Node(factor.base, NotationLevel::Power));
    } else if factor.power == 1 && factor.root == 2 {
        out.push("<msqrt>".into());
        out.push(OutputItem::Node(factor.base, NotationLevel::LOOSEST));
        out.push("</msqrt>".into());
    } else {
        let sign = if factor.power < 0 { "<mo>−</mo>" } else { "" };
        let size = factor.power.unsigned_abs();
        let exponent = match (factor.root, factor.power) {
            (1, 0..) => format!("<mn>{size}</mn>"),
            (1, _) => format!("<mrow>{sign}<mn>{size}</mn></mrow>"),
            (root, _) => {
                format!("<mrow>{sign}<mn>{size}</mn><mo lspace=\"0\" rspace=\"0\">/</mo><mn>{root}</mn></mrow>")
            }
        };
        match layout.as_call(factor.base) {
            Some((function, argument)) if latex::raises_by_name(function) && factor.power > 0 => {
                call(function, argument, Some(exponent), out);
            }
            _ => {
                out.push("<msup>".into());
                out.push(OutputItem::Node(factor.base, NotationLevel::Atom));
                out.push(format!("{exponent}</msup>").into());
            }
        }
    }
}

fn call(function: Function, argument: Id, exponent: Option<String>, out: &mut Vec<OutputItem>) {
    match function {
        Function::Abs => {
            out.push("<mrow><mo>|</mo>".into());
            out.push(OutputItem::Node(argument, NotationLevel::LOOSEST));
            out.push("<mo>|</mo></mrow>".into());
        }
        Function::Cbrt => {
            out.push("<mroot>".into());
            out.push(OutputItem::Node(argument, NotationLevel::LOOSEST));
            out.push("<mn>3</mn></mroot>".into());
        }
        _ => {
            let name =
                function.latex().trim_start_matches(r"\operatorname{").trim_start_matches('\\').trim_end_matches('}');
            out.push(match exponent {
                Some(exponent) => format!("<mrow><msup><mi>{name}</mi>{exponent}</msup>").into(),
                None => format!("<mrow><mi>{name}</mi>").into(),
            });
            arguments(&[argument], out);
            out.push("</mrow>".into());
        }
    }
}

/// Arguments between parentheses, after the sign that says that what stands before them is a function.
fn arguments(ids: &[Id], out: &mut Vec<OutputItem>) {
    out.push("<mo>\u{2061}</mo><mrow><mo>(</mo>".into());
    for (position, id) in ids.iter().enumerate() {
        if position > 0 {
            out.push("<mo>,</mo>".into());
        }
        out.push(OutputItem::Node(*id, NotationLevel::LOOSEST));
    }
    out.push("<mo>)</mo></mrow>".into());
}

/// A name: Greek letters, what stands below it, dots.
fn symbol(name: &str) -> String {
    let parts = NameParts::of(name);
    let base = letter(&parts.base);
    let base = match parts.primes {
        1 => format!("<mover accent=\"true\">{base}<mo>˙</mo></mover>"),
        2 => format!("<mover accent=\"true\">{base}<mo>¨</mo></mover>"),
        _ => base,
    };
    let below: Vec<String> = parts.subscripts.iter().map(|part| word(part)).chain(parts.index.map(word)).collect();
    let above = parts.is_raised().then(|| format!("<mrow><mo>(</mo><mn>{}</mn><mo>)</mo></mrow>", parts.primes));
    let below = match below.as_slice() {
        [] => None,
        [single] => Some(single.clone()),
        several => Some(format!("<mrow>{}</mrow>", several.join("<mo>,</mo>"))),
    };
    match (below, above) {
        (None, None) => base,
        (Some(below), None) => format!("<msub>{base}{below}</msub>"),
        (None, Some(above)) => format!("<msup>{base}{above}</msup>"),
        (Some(below), Some(above)) => format!("<msubsup>{base}{below}{above}</msubsup>"),
    }
}

fn word(text: &str) -> String {
    match text.bytes().all(|b| b.is_ascii_digit()) {
        true => format!("<mn>{text}</mn>"),
        false => letter(text),
    }
}

fn letter(name: &str) -> String {
    match greek::letter(name) {
        Some(letter) => format!("<mi>{letter}</mi>"),
        None if name.is_empty() => "<mi>□</mi>".to_owned(),
        None => format!("<mi>{}</mi>", escaped(name)),
    }
}

/// Text between tags. Names made outside the language may contain anything.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graph;

    #[test]
    fn names_become_letters_with_what_stands_around_them() {
        for (name, mathml) in [
            ("x", "<mi>x</mi>"),
            ("theta", "<mi>θ</mi>"),
            ("θ1'", "<msub><mover accent=\"true\"><mi>θ</mi><mo>˙</mo></mover><mn>1</mn></msub>"),
            ("x[3]''", "<msub><mover accent=\"true\"><mi>x</mi><mo>¨</mo></mover><mn>3</mn></msub>"),
            ("q_1[2]", "<msub><mi>q</mi><mrow><mn>1</mn><mo>,</mo><mn>2</mn></mrow></msub>"),
            ("p_theta", "<msub><mi>p</mi><mi>θ</mi></msub>"),
            ("k_spring", "<msub><mi>k</mi><mi>spring</mi></msub>"),
            ("x'''", "<msup><mi>x</mi><mrow><mo>(</mo><mn>3</mn><mo>)</mo></mrow></msup>"),
            ("a<b", "<mi>a&lt;b</mi>"),
            ("_", "<mi>□</mi>"),
        ] {
            assert_eq!(symbol(name), mathml, "{name}");
        }
    }

    #[test]
    fn notation_has_the_parentheses_that_it_needs() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        let whole = |e: Expr<'_>| e.mathml().concat();
        assert_eq!(
            whole((x + y).powi(2)),
            "<msup><mrow><mo>(</mo><mrow><mi>x</mi><mo form=\"infix\">+</mo><mi>y</mi></mrow><mo>)</mo></mrow><mn>2</mn></msup>"
        );
        assert_eq!(
            whole(x.sin().powi(2)),
            "<mrow><msup><mi>sin</mi><mn>2</mn></msup><mo>\u{2061}</mo><mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow></mrow>"
        );
        assert_eq!(whole(x / y), "<mfrac><mi>x</mi><mi>y</mi></mfrac>");
        assert_eq!(whole(-x), "<mrow><mo>−</mo><mi>x</mi></mrow>");
        assert_eq!(whole((x / 2).sin()).matches("<mfrac><mi>x</mi><mn>2</mn></mfrac>").count(), 1);
    }

    /// Every element that opens closes, in order, and those with a fixed number of children have them.
    fn check(mathml: &str) {
        let mut open: Vec<(String, usize)> = Vec::new();
        let mut rest = mathml;
        while let Some(start) = rest.find('<') {
            let end = start + rest[start..].find('>').expect("a tag ends");
            let tag = &rest[start + 1..end];
            match tag.strip_prefix('/') {
                Some(name) => {
                    let (opened, children) = open.pop().expect("what closes was opened");
                    assert_eq!(opened, name, "{mathml}");
                    let fixed = match name {
                        "mfrac" | "msup" | "msub" | "mover" | "mroot" => Some(2),
                        "msubsup" => Some(3),
                        _ => None,
                    };
                    assert!(fixed.is_none_or(|count| count == children), "{name} has {children} children: {mathml}");
                }
                None => {
                    if let Some((_, children)) = open.last_mut() {
                        *children += 1;
                    }
                    open.push((tag.split(' ').next().unwrap_or_default().to_owned(), 0));
                }
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty(), "{mathml}");
    }

    #[test]
    fn every_notation_is_well_formed() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y_1'"));
        let half = g.int(1) / 2;
        let mut all: Vec<Expr<'_>> = Function::ALL.iter().map(|f| x.call(*f)).collect();
        all.extend(Function::ALL.iter().map(|f| y * (x + y).call(*f).powi(3) / 7));
        all.extend(Function2::ALL.iter().map(|f| g.call2(*f, x, y).powi(-2)));
        all.extend([x.pow(y), (-x).pow(half), (x * y).sqrt().powi(3), -half * x, x - half, (x - y).powi(-3) * 2]);
        let (less, most) = (g.compare(Relation::Lt, x, y), g.compare(Relation::Le, y, g.int(1)));
        all.extend([g.select(less, x, -y), g.select(g.and(less, most), x + y, y) * 3]);
        for e in all {
            e.mathml().iter().for_each(|piece| check(piece));
        }
    }

    #[test]
    fn what_is_too_long_ends() {
        let g = Graph::new();
        let long = g.sum((0..50_000).map(|k| g.symbol(&format!("x[{k}]")).powi(2)));
        let pieces = long.mathml();
        assert!(pieces.len() <= MOST_NODES + 1);
        assert_eq!(pieces.last().map(String::as_str), Some(ELIDED));
    }
}
