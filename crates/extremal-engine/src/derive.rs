//! The equations of a model, for print: continuous and discrete, as text, LaTeX or JSON.

mod first_order;
mod higher;

use std::fmt::Write as _;

use extremal_expr::{Expr, Graph, Id};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{CustomDiscrete, Options, SchemeError, scheme};
use extremal_model::Model;
use serde_json::{Map, Value, json};

use crate::run::Settings;

/// Which equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lagrange's equations with everything read off the Lagrangian.
    Lagrange,
    /// Hamilton's equations.
    Hamilton,
    /// The discrete equations of a method.
    Discrete,
}

/// Equations under headings.
pub struct Derivation<'m> {
    graph: &'m Graph,
    /// The headings in order.
    pub sections: Vec<Section>,
}

/// Equations under one heading.
pub struct Section {
    /// The heading.
    pub title: String,
    /// A sentence below the heading, where one is needed.
    pub note: Option<String>,
    /// The equations.
    pub equations: Vec<Line>,
}

/// One line, `left = right`.
pub struct Line {
    /// Left-hand side.
    pub left: Side,
    /// Right-hand side.
    pub right: Side,
}

/// One side of an equation.
pub enum Side {
    /// An expression, simplified for reading.
    Expression(Id),
    /// A name that is no expression (`[r r, θ]`), and its LaTeX.
    Named(String, String),
    /// A number that is not exact.
    Number(f64),
}

impl Side {
    fn text(&self, graph: &Graph) -> String {
        match self {
            Side::Expression(id) => graph.expr(*id).to_string(),
            Side::Named(text, _) => text.clone(),
            Side::Number(value) => value.to_string(),
        }
    }

    fn latex(&self, graph: &Graph) -> String {
        match self {
            Side::Expression(id) => graph.expr(*id).latex().to_string(),
            Side::Named(_, latex) => latex.clone(),
            Side::Number(value) => value.to_string(),
        }
    }
}

/// Derives the equations of `model` in the given forms; the discrete ones for the method and start of `settings`.
///
/// ```
/// use extremal_engine::{Model, Settings, derive::{Form, derive}};
/// let model = Model::from_toml(extremal_engine::gallery::text("harmonic-oscillator").unwrap())?;
/// let text = derive(&model, &Settings::of(&model), &[Form::Lagrange])?.to_text();
/// assert!(text.contains("k*x + m*x'' = 0"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Controls are symbols of the equations. What would be too long to write, because its parts occur over and over, is written with
/// names for them, and a last section says what these stand for.
pub fn derive<'m>(model: &'m Model, settings: &Settings, forms: &[Form]) -> Result<Derivation<'m>, SchemeError> {
    let mut pages = Pages { graph: model.graph(), sections: Vec::new() };
    let system = System::controlled(model);
    system.check_order()?;
    for form in forms {
        match (form, system.order) {
            (Form::Lagrange, 1) => first_order::lagrange(&system, first_order::controls(model), &mut pages),
            (Form::Lagrange, _) => higher::lagrange(&system.with_multipliers_as_coordinates(), &mut pages),
            (Form::Hamilton, 1) => first_order::hamilton(&system, &mut pages),
            (Form::Hamilton, _) => higher::hamilton(&system.with_multipliers_as_coordinates(), &mut pages),
            (Form::Discrete, _) => discrete(model, &system, settings, &mut pages)?,
        }
    }
    pages.name_parts(model);
    Ok(Derivation { graph: pages.graph, sections: pages.sections })
}

struct Pages<'m> {
    graph: &'m Graph,
    sections: Vec<Section>,
}

impl<'m> Pages<'m> {
    fn section(&mut self, title: impl Into<String>, note: Option<String>, lines: Vec<(Side, Expr<'m>)>) {
        let simplified = |right: Expr<'m>| Side::Expression(self.graph.simplified(right).id());
        let equations = lines.into_iter().map(|(left, right)| Line { left, right: simplified(right) }).collect();
        self.sections.push(Section { title: title.into(), note, equations });
    }

    /// Names what occurs several times in lines that would be too long.
    fn name_parts(&mut self, model: &Model) {
        let lines = self.sections.iter_mut().flat_map(|section| &mut section.equations);
        let sides: Vec<&mut Id> = lines
            .flat_map(|line| [&mut line.left, &mut line.right])
            .filter_map(|side| match side {
                Side::Expression(id) => Some(id),
                _ => None,
            })
            .collect();
        let expressions: Vec<Expr<'m>> = sides.iter().map(|id| self.graph.expr(**id)).collect();
        let taken = model.taken_names();
        let shared = self.graph.shared(&expressions, |name| taken.iter().any(|other| other == name));
        for (side, written) in sides.into_iter().zip(shared.written) {
            *side = written.id();
        }
        if !shared.parts.is_empty() {
            let note =
                "Parts that occur several times in the lines above, which would be too long without names for them.";
            let equations =
                shared.parts.iter().map(|(name, part)| Line { left: of(*name), right: of(*part) }).collect();
            self.sections.push(Section { title: "Where".to_string(), note: Some(note.to_string()), equations });
        }
    }

    fn numbers(&mut self, title: &str, note: Option<String>, lines: impl Iterator<Item = (Side, f64)>) {
        let equations = lines.map(|(left, value)| Line { left, right: Side::Number(value) }).collect();
        self.sections.push(Section { title: title.to_string(), note, equations });
    }
}

fn of<'m>(left: Expr<'m>) -> Side {
    Side::Expression(left.id())
}

fn named(text: impl Into<String>, latex: impl Into<String>) -> Side {
    Side::Named(text.into(), latex.into())
}

/// The formulas of a method, its constants and its substeps.
fn discrete<'m>(
    model: &'m Model,
    system: &System<'m>,
    settings: &Settings,
    pages: &mut Pages<'m>,
) -> Result<(), SchemeError> {
    let g = pages.graph;
    let Settings { start, entropy, constraints, .. } = *settings;
    let options = Options { start, entropy, constraints, ..Options::default() };
    let scheme = scheme(system, &settings.method, options, CustomDiscrete::of(model, system))?;
    let lines = scheme.equations.iter().map(|e| (Side::Expression(e.left), g.expr(e.right))).collect();
    pages.section(format!("Discrete equations of {}", scheme.name), Some(scheme.note), lines);
    if !scheme.constants.is_empty() {
        let lines = scheme.constants.iter().map(|(id, value)| (Side::Expression(*id), *value));
        pages.numbers("Constants of the method", None, lines);
    }
    if scheme.substeps.len() > 1 {
        let lines = (1..)
            .zip(&scheme.substeps)
            .map(|(i, fraction)| (named(format!("h_{i}/h"), format!("h_{{{i}}}/h")), *fraction));
        let note = "The step above is taken with these fractions of h, one after the other.".to_string();
        pages.numbers("Substeps", Some(note), lines);
    }
    Ok(())
}

impl Derivation<'_> {
    /// Plain text; each equation reads back as an expression of the model's language.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for (index, section) in self.sections.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            let _ = writeln!(out, "{}", section.title);
            if let Some(note) = &section.note {
                let _ = writeln!(out, "  {note}");
            }
            for line in &section.equations {
                let [left, right] = [&line.left, &line.right].map(|side| side.text(self.graph));
                let _ = writeln!(out, "  {left} = {right}");
            }
        }
        out
    }

    /// LaTeX: one `align*` environment per section, headings as comments.
    pub fn to_latex(&self) -> String {
        let mut out = String::new();
        for section in &self.sections {
            let _ = writeln!(out, "% {}", section.title);
            if let Some(note) = &section.note {
                let _ = writeln!(out, "% {note}");
            }
            if section.equations.is_empty() {
                continue;
            }
            out.push_str("\\begin{align*}\n");
            let lines: Vec<String> = section.equations.iter().map(|line| self.latex_line(line, " &= ")).collect();
            out.push_str(&lines.join(" \\\\\n"));
            out.push_str("\n\\end{align*}\n");
        }
        out
    }

    fn latex_line(&self, line: &Line, equals: &str) -> String {
        format!("{}{equals}{}", line.left.latex(self.graph), line.right.latex(self.graph))
    }

    /// `{"sections": [{"title", "note", "equations": [{"left", "right", "latex"}]}]}`.
    pub fn to_json(&self) -> Value {
        let sections = self.sections.iter().map(|section| {
            let equations = section.equations.iter().map(|line| {
                json!({
                    "left": line.left.text(self.graph),
                    "right": line.right.text(self.graph),
                    "latex": self.latex_line(line, " = "),
                })
            });
            let mut object = Map::new();
            object.insert("title".to_string(), section.title.clone().into());
            if let Some(note) = &section.note {
                object.insert("note".to_string(), note.clone().into());
            }
            object.insert("equations".to_string(), equations.collect());
            Value::Object(object)
        });
        json!({ "sections": sections.collect::<Vec<_>>() })
    }
}
