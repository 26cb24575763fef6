//! Sections of formulas and sentences, as text, as LaTeX and as MathML.

use std::fmt::Write as _;

use extremal_expr::Expr;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// Equations and sentences under one heading.
#[derive(Clone, Debug, Serialize)]
pub struct Section<'m> {
    /// The heading.
    pub title: String,
    /// A sentence below the heading, where one is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What stands under it.
    #[serde(rename = "equations")]
    pub lines: Vec<SectionLine<'m>>,
}

/// A line of a section.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum SectionLine<'m> {
    /// `left = right`.
    Equation(PrintedEquation<'m>),
    /// A sentence.
    Sentence(String),
}

/// `left = right`, and what is said about it.
#[derive(Clone, Debug)]
pub struct PrintedEquation<'m> {
    /// Left-hand side.
    pub left: EquationSide<'m>,
    /// Right-hand side.
    pub right: EquationSide<'m>,
    /// Sentences below it.
    pub remarks: Vec<String>,
}

/// One side of an equation.
#[derive(Clone, Debug)]
pub enum EquationSide<'m> {
    /// An expression.
    Expression(Expr<'m>),
    /// An expression that is written with names for its parts where it would be too long.
    WithParts(Expr<'m>),
    /// A name that is no expression (`[r r, θ]`), and its LaTeX.
    Named(String, String),
    /// A number that is not exact.
    Number(f64),
}

impl EquationSide<'_> {
    /// As text.
    pub fn text(&self) -> String {
        match self {
            EquationSide::Expression(e) => e.to_string(),
            EquationSide::WithParts(e) => e.text_with_parts(),
            EquationSide::Named(text, _) => text.clone(),
            EquationSide::Number(value) => value.to_string(),
        }
    }

    /// As LaTeX.
    pub fn latex(&self) -> String {
        match self {
            EquationSide::Expression(e) => e.latex().to_string(),
            EquationSide::WithParts(e) => e.latex_with_parts(),
            EquationSide::Named(_, latex) => latex.clone(),
            EquationSide::Number(value) => value.to_string(),
        }
    }

    /// As MathML, in pieces between which a line may end.
    pub fn mathml(&self) -> Vec<String> {
        match self {
            EquationSide::Expression(e) => e.mathml(),
            EquationSide::WithParts(e) => e.mathml_with_parts(),
            EquationSide::Named(text, _) => vec![mathml_text(text)],
            EquationSide::Number(value) => vec![format!("<mn>{value}</mn>")],
        }
    }
}

/// Words within MathML.
fn mathml_text(text: &str) -> String {
    format!("<mtext>{}</mtext>", text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
}

impl<'m> Section<'m> {
    pub(crate) fn titled(title: impl Into<String>) -> Section<'m> {
        Section { title: title.into(), note: None, lines: Vec::new() }
    }

    /// Adds a sentence.
    pub(crate) fn say(&mut self, sentence: impl Into<String>) {
        self.lines.push(SectionLine::Sentence(sentence.into()));
    }

    /// The equations among the lines.
    pub fn equations(&self) -> impl Iterator<Item = &PrintedEquation<'m>> {
        self.lines.iter().filter_map(|line| match line {
            SectionLine::Equation(equation) => Some(equation),
            SectionLine::Sentence(_) => None,
        })
    }
}

impl<'m> SectionLine<'m> {
    pub(crate) fn equation(left: EquationSide<'m>, right: EquationSide<'m>) -> SectionLine<'m> {
        SectionLine::Equation(PrintedEquation { left, right, remarks: Vec::new() })
    }

    /// The same with something said about it.
    pub(crate) fn remarked(mut self, remark: impl Into<String>) -> SectionLine<'m> {
        if let SectionLine::Equation(equation) = &mut self {
            equation.remarks.push(remark.into());
        }
        self
    }
}

impl PrintedEquation<'_> {
    fn latex(&self, equals: &str) -> String {
        format!("{}{equals}{}", self.left.latex(), self.right.latex())
    }
}

impl Serialize for PrintedEquation<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("PrintedEquation", 3)?;
        fields.serialize_field("left", &self.left.text())?;
        fields.serialize_field("right", &self.right.text())?;
        fields.serialize_field("latex", &self.latex(" = "))?;
        fields.end()
    }
}

/// Plain text; expressions read back as such.
pub(crate) fn to_text(sections: &[Section<'_>]) -> String {
    let mut out = String::new();
    for (index, section) in sections.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let _ = writeln!(out, "{}", section.title);
        if let Some(note) = &section.note {
            let _ = writeln!(out, "  {note}");
        }
        for line in &section.lines {
            match line {
                SectionLine::Sentence(sentence) => {
                    let _ = writeln!(out, "  {sentence}");
                }
                SectionLine::Equation(PrintedEquation { left, right, remarks }) => {
                    let _ = writeln!(out, "  {} = {}", left.text(), right.text());
                    for remark in remarks {
                        let _ = writeln!(out, "      {remark}");
                    }
                }
            }
        }
    }
    out
}

/// LaTeX: one `align*` environment per section, headings and sentences as comments.
pub(crate) fn to_latex(sections: &[Section<'_>]) -> String {
    let mut out = String::new();
    for section in sections {
        let _ = writeln!(out, "% {}", section.title);
        let sentences = section.lines.iter().filter_map(|line| match line {
            SectionLine::Sentence(sentence) => Some(sentence),
            SectionLine::Equation(_) => None,
        });
        for sentence in section.note.iter().chain(sentences) {
            let _ = writeln!(out, "% {sentence}");
        }
        let equations: Vec<String> = section.equations().map(|equation| equation.latex(" &= ")).collect();
        if !equations.is_empty() {
            let _ = writeln!(out, "\\begin{{align*}}\n{}\n\\end{{align*}}", equations.join(" \\\\\n"));
        }
    }
    out
}
