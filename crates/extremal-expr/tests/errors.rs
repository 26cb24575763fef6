//! Every message the language has, as a person sees it.

use std::fmt::Write;

use extremal_expr::Graph;
use extremal_expr::syntax::{SyntaxErrors, parse_any, parse_condition, parse_equation, parse_expression};
use extremal_testkit::scope::SmallScope;

fn render(text: &str, errors: &SyntaxErrors) -> String {
    let mut out = String::new();
    let shown: String = text.chars().take(70).collect();
    writeln!(out, "  {shown}").unwrap();
    for error in errors {
        let column = text[..error.span.start].chars().count();
        let width = text[error.span.start..error.span.end].chars().count().clamp(1, 70);
        writeln!(out, "  {}{} {error}", " ".repeat(column), "^".repeat(width)).unwrap();
        if let Some(help) = error.help() {
            writeln!(out, "  {} help: {help}", " ".repeat(column + width)).unwrap();
        }
    }
    out
}

fn report(cases: &str, reader: impl Fn(&str) -> Option<SyntaxErrors>) -> String {
    let mut out = String::new();
    for text in cases.split('|') {
        let errors = reader(text).unwrap_or_else(|| panic!("accepted: {text}"));
        out += &render(text, &errors);
        out.push('\n');
    }
    out
}

#[test]
fn form() {
    let graph = Graph::new();
    let cases = "|   |2x|2 x|(x)(m)|2(x + 1)|x theta|x +|x + * m|* x|x + (m - 2|x)|x + 1) * (m|q[1|q[]|[1, 2]|\
        1 < x < 2|x = 1|if(x = 1, 2, 3)|1.2.3 + x|1e999|1e-999|x² + 1|2 × x − 1|x # m @ 2|(x + 1)'|\
        sin(x)'|q'[1]|x''''''''''|2[1]|x && m|!x|sin|sum + 1|sum(1, 2, 3)|sum(i, 1, 2)|sum(2*i, 1, 3, i)|\
        sum(pi, 1, 3, x)|if(x > 1, 2)|if()|max(x, )|sin(x m)|x + 'm|x, m|q[1)]|\"x\"";
    insta::assert_snapshot!(report(cases, |text| parse_any(&graph, text, &SmallScope(&graph)).err()));
}

#[test]
fn meaning() {
    let graph = Graph::new();
    let cases = "tehta + 1|Theta|θ|gama*x|nothing_like_it|p|ln(x)|sinus(x)|sine(x)|arcsin(x)|frobnicate(x)|\
        x(theta + 1)|S(1)|sin()|sin(x, m)|atan2(x)|min(x)|pow(x)|m'|t'|pi'|sum(i, 1, 3, i')|x'''|q|q'|\
        x[1]|m[1]|sum(i, 1, 3, i[1])|q[0]|q[n + 1]|sum(i, 1, n, q[i + 1])|q[1.5]|q[x]|q[m]|\
        sum(i, 1, m, q[i])|sum(i, 1, 1/2, q[i])|sum(i, 1, 1e12, x)|sum(i, 1, 3000, sum(j, 1, 3000, x))|\
        sum(i, 1, 10000, 1/i)|(x > 1) + 2|sin(x > 1)|if(x, 1, 2)|if(x > 1, x > 2, 3)|x > 1 and m|not m|\
        (x < 1) < 2|x^(m < 1)|q[x < 1]|x/0|x/(2 - 2)|0^-1|tehta + gama*ln(y) - 2x + q[0]";
    insta::assert_snapshot!(report(cases, |text| parse_any(&graph, text, &SmallScope(&graph)).err()));
}

#[test]
fn wanted_otherwise() {
    let graph = Graph::new();
    let scope = SmallScope(&graph);
    let numbers = report("x > 1|if(x > 1, 1, 2) and x < 1", |text| parse_expression(&graph, text, &scope).err());
    let conditions = report("x + 1", |text| parse_condition(&graph, text, &scope).err());
    let wrong = "x + 1|x = 1 = m|x == m|= 1|x =|x < 1 = m|x = y|(x = 1) = 2";
    let equations = report(wrong, |text| parse_equation(&graph, text, &scope).err());
    insta::assert_snapshot!(format!("numbers\n{numbers}conditions\n{conditions}equations\n{equations}"));
}

#[test]
fn errors_stop_after_twenty() {
    let graph = Graph::new();
    let text = "unknown_a + unknown_b - ".repeat(50) + "1";
    let errors = parse_any(&graph, &text, &SmallScope(&graph)).unwrap_err();
    assert_eq!(errors.as_slice().len(), 20);
    let text = "# ".repeat(500);
    assert_eq!(parse_any(&graph, &text, &SmallScope(&graph)).unwrap_err().as_slice().len(), 20);
}
