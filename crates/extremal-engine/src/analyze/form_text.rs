//! Differential forms as text and as LaTeX.

use extremal_expr::Expr;
use extremal_mechanics::geometry::{OneForm, TwoForm};

use crate::printed::EquationSide;

/// A coefficient with the basis that it stands before.
pub(super) struct FormTerm {
    pub coefficient: String,
    pub coefficient_latex: String,
    pub basis: String,
    pub basis_latex: String,
}

/// Longer coefficients are not printed.
const LONGEST: usize = 240;

fn differential(symbol: Expr<'_>) -> (String, String) {
    (format!("d{symbol}"), format!("\\mathrm{{d}}{}", symbol.latex()))
}

impl FormTerm {
    fn new(coefficient: Expr<'_>, (basis, basis_latex): (String, String)) -> FormTerm {
        let coefficient = coefficient.graph().simplified(coefficient);
        // What is too long is left out by its length: a node more than fits would do.
        let text = coefficient.text().limit(LONGEST);
        FormTerm {
            coefficient: text.to_string(),
            coefficient_latex: coefficient.latex().limit(LONGEST).to_string(),
            basis,
            basis_latex,
        }
    }

    fn is_long(&self) -> bool {
        self.coefficient.len() > LONGEST
    }
}

/// The terms of a one-form that are not zero.
pub(super) fn one_form_terms(form: &OneForm<'_>) -> Vec<FormTerm> {
    let terms = form.variables.iter().zip(&form.coefficients).filter(|(_, coefficient)| !coefficient.is_zero());
    terms.map(|(z, coefficient)| FormTerm::new(*coefficient, differential(*z))).collect()
}

/// The terms of a two-form that are not zero.
pub(super) fn two_form_terms(form: &TwoForm<'_>) -> Vec<FormTerm> {
    let term = |(i, j, coefficient): (usize, usize, Expr<'_>)| {
        let [(a, a_latex), (b, b_latex)] = [i, j].map(|place| differential(form.variables[place]));
        FormTerm::new(coefficient, (format!("{a}∧{b}"), format!("{a_latex} \\wedge {b_latex}")))
    };
    form.terms().map(term).collect()
}

/// A two-form with numbers, `161.2 dx_0∧dx_1 - 73.4 dx_0∧dS_0`; what is round-off beside the largest coefficient is left out.
pub(super) fn numeric_two_form(names: &[String], form: &[f64]) -> String {
    const ROUND_OFF: f64 = 1e-13;
    let n = names.len();
    let largest = form.iter().fold(0.0, |most, a| f64::max(most, a.abs()));
    let above = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let terms = above.filter(|(i, j)| form[i * n + j].abs() > ROUND_OFF * largest).map(|(i, j)| {
        let basis = format!("d{}∧d{}", names[i], names[j]);
        (extremal_trajectory::sig(form[i * n + j], 8), basis)
    });
    joined(terms)
}

/// The form as the right side of an equation; `None` if a coefficient is too long to be read.
pub(super) fn form_side<'m>(terms: &[FormTerm]) -> Option<EquationSide<'m>> {
    if terms.iter().any(FormTerm::is_long) {
        return None;
    }
    let text = joined(terms.iter().map(|term| (term.coefficient.clone(), term.basis.clone())));
    let latex = joined(terms.iter().map(|term| (term.coefficient_latex.clone(), term.basis_latex.clone())));
    Some(EquationSide::Named(text, latex))
}

/// Terms one after the other, with their signs between them.
fn joined(terms: impl Iterator<Item = (String, String)>) -> String {
    let mut out = String::new();
    for (coefficient, basis) in terms {
        let bracketed = if is_sum(&coefficient) { format!("({coefficient})") } else { coefficient };
        let (sign, size) = match bracketed.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("+", bracketed.as_str()),
        };
        match (out.is_empty(), sign) {
            (true, "+") => {}
            (true, _) => out.push('-'),
            (false, _) => out.push_str(&format!(" {sign} ")),
        }
        out.push_str(&if size == "1" { basis } else { format!("{size} {basis}") });
    }
    if out.is_empty() { "0".to_owned() } else { out }
}

/// Is it a sum outside of all brackets?
fn is_sum(text: &str) -> bool {
    let mut depth = 0usize;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            '+' | '-' if depth == 0 && at > 0 && before == ' ' => return true,
            _ => {}
        }
        before = letter;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_brackets_stand_where_they_are_read() {
        let terms = [("-a", "dx"), ("1", "dy"), ("b - c", "dz"), ("-1", "dw")];
        let text = joined(terms.iter().map(|(a, b)| (a.to_string(), b.to_string())));
        assert_eq!(text, "-a dx + dy + (b - c) dz - dw");
        assert_eq!(joined(std::iter::empty()), "0");
        assert!(is_sum("-a + b") && !is_sum("f(a + b)") && !is_sum("-a*b^(-1)"));
    }
}
