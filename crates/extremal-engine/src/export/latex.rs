//! The equations as a document of their own.

use std::fmt::Write as _;

use extremal_model::Model;

use super::ExportError;
use crate::derive::{derive, usual_forms};
use crate::printed::SectionLine;
use crate::run::Settings;

pub(super) fn document(model: &Model, settings: &Settings) -> Result<String, ExportError> {
    let derivation = derive(model, settings, &usual_forms(model))?;
    let mut out = "\\documentclass[a4paper]{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n".to_owned();
    let title = model.name().unwrap_or("A model without a name");
    let _ = writeln!(out, "\\title{{{}}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle", text(title));
    for paragraph in model.description().into_iter().chain(model.source()) {
        let _ = writeln!(out, "\n{}", text(paragraph.trim()));
    }
    let g = model.graph();
    let value = |symbol, value: f64| format!("{} &= {}", g.expr(symbol).latex(), number(value));
    let parameters: Vec<String> = model.parameters().iter().map(|p| value(p.symbol, p.value)).collect();
    section(&mut out, "Parameters", None, &parameters);
    for part in &derivation.sections {
        let equations = part.equations();
        let equations: Vec<String> =
            equations.map(|equation| format!("{} &= {}", equation.left.latex(), equation.right.latex())).collect();
        let sentences: Vec<&str> = part
            .lines
            .iter()
            .filter_map(|line| match line {
                SectionLine::Sentence(sentence) => Some(sentence.as_str()),
                SectionLine::Equation(_) => None,
            })
            .collect();
        let note: Vec<&str> = part.note.as_deref().into_iter().chain(sentences).collect();
        section(&mut out, &part.title, (!note.is_empty()).then(|| note.join("\n\n")), &equations);
    }
    out += "\n\\end{document}\n";
    Ok(out)
}

fn section(out: &mut String, title: &str, note: Option<String>, equations: &[String]) {
    if equations.is_empty() && note.is_none() {
        return;
    }
    let _ = writeln!(out, "\n\\section*{{{}}}", text(title));
    if let Some(note) = note {
        let _ = writeln!(out, "{}", text(&note));
    }
    if !equations.is_empty() {
        let _ = writeln!(out, "\\begin{{align*}}\n{}\n\\end{{align*}}", equations.join(" \\\\\n"));
    }
}

/// A number as it is printed in a formula.
fn number(value: f64) -> String {
    let written = format!("{value:?}");
    match written.split_once('e') {
        Some((digits, exponent)) => format!("{digits} \\cdot 10^{{{exponent}}}"),
        None => written,
    }
}

/// Text with the signs that are special written out.
fn text(plain: &str) -> String {
    let mut out = String::new();
    for c in plain.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '{' | '}' | '_' | '&' | '%' | '#' | '$' => out.extend(['\\', c]),
            '^' => out.push_str("\\^{}"),
            '~' => out.push_str("\\~{}"),
            '<' | '>' | '|' | '−' | '∂' | '′' | '·' | '≥' | '≤' | '√' | '∞' | 'Α'..='ω' => {
                let _ = write!(out, "$ {}$", formula_sign(c));
            }
            '\n' => out.push('\n'),
            // What is not in every font of the standard encoding.
            c if c.is_control() || c > '\u{17f}' && !('\u{2010}'..='\u{2026}').contains(&c) => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

fn formula_sign(c: char) -> String {
    const GREEK: [&str; 25] = [
        "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu",
        "xi", "omicron", "pi", "rho", "varsigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
    ];
    let command = match c {
        '<' | '>' => return c.to_string(),
        '|' => "vert",
        '−' => return "-".to_owned(),
        '∂' => "partial",
        '′' => "prime",
        '·' => "cdot",
        '≥' => "geq",
        '≤' => "leq",
        '√' => "surd",
        '∞' => "infty",
        'α'..='ω' => GREEK[c as usize - 'α' as usize],
        'Γ' => "Gamma",
        'Δ' => "Delta",
        'Θ' => "Theta",
        'Λ' => "Lambda",
        'Ξ' => "Xi",
        'Π' => "Pi",
        'Σ' => "Sigma",
        'Φ' => "Phi",
        'Ψ' => "Psi",
        'Ω' => "Omega",
        _ => return "?".to_owned(),
    };
    // There is no such command, because the letter is an o.
    if command == "omicron" { "o".to_owned() } else { format!("\\{command}") }
}
