//! The equations of a model, for print: continuous and discrete, as text, LaTeX or JSON.

mod closed_form;
mod contact;
mod first_order;
mod higher;
mod optimal;
mod routh;
mod solved;
mod states;

use std::collections::HashMap;

use extremal_expr::{Expr, Graph};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{CustomDiscrete, Options, SchemeError, check_method, paced, scheme};
use extremal_model::{Model, Pacing};
use serde::{Deserialize, Serialize};

use crate::printed::{EquationSide, Section, SectionLine, to_latex, to_text};
use crate::run::{Settings, final_manifold};

/// Which equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Lagrange's equations with everything read off the Lagrangian.
    Lagrange,
    /// The same solved for accelerations and multipliers; the reduced equations of a nonholonomic system.
    Solved,
    /// Hamilton's equations.
    Hamilton,
    /// Routh's function, the equations without cyclic coordinates, and how these are found again.
    Routh,
    /// Of a control problem, or of a motion from momenta: the unified Hamiltonian, primary constraints, equations of the momenta.
    Optimal,
    /// The discrete equations of a method.
    Discrete,
}

impl Form {
    /// What it is called where one is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Form::Lagrange => "lagrange",
            Form::Solved => "solved",
            Form::Hamilton => "hamilton",
            Form::Routh => "routh",
            Form::Optimal => "optimal",
            Form::Discrete => "discrete",
        }
    }
}

/// Equations under headings.
#[derive(Clone, Debug, Serialize)]
pub struct Derivation<'m> {
    /// The headings in order.
    pub sections: Vec<Section<'m>>,
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
    let moves = || match model.momentum_order() {
        Some(_) => System::followed(model),
        None => Ok(System::controlled(model)),
    };
    let of_states = of_states(&system);
    for form in forms {
        match (form, system.order) {
            (Form::Lagrange | Form::Solved | Form::Hamilton, _) if system.poisson().is_some() => {
                contact::poisson(&system, &mut pages);
            }
            (Form::Lagrange | Form::Hamilton, _) if of_states => {
                states::equations(&system, first_order::controls(model), &mut pages);
                states::pontryagin(model, &system, &mut pages);
            }
            (Form::Lagrange, 1) => first_order::lagrange(&system, first_order::controls(model), &mut pages),
            (Form::Lagrange, _) => higher::lagrange(&system.with_multipliers_as_coordinates(), &mut pages),
            (Form::Solved, 1) => solved::solved(&system, &mut pages),
            (Form::Solved, _) => solved::solved(&system.with_multipliers_as_coordinates(), &mut pages),
            (Form::Hamilton, 1) if model.momentum_coordinates() > 0 => first_order::on_phase_space(&system, &mut pages),
            (Form::Hamilton, 1) => first_order::hamilton(&system, model.hamiltonian(), &mut pages),
            (Form::Hamilton, _) => higher::hamilton(&system.with_multipliers_as_coordinates(), &mut pages),
            (Form::Routh, _) => routh::routh(&system, &settings.reduce, &mut pages)?,
            (Form::Optimal, _) => optimal::optimal(model, &conditions(model)?, &mut pages),
            (Form::Discrete, _) => discrete(model, &moves()?, settings, &mut pages)?,
        }
    }
    pages.name_parts(model);
    Ok(Derivation { sections: pages.sections })
}

/// The forms that are printed where none is asked for: Hamilton's equations of a stated Hamiltonian, Lagrange's equations, solved where that is short, optimality
/// conditions where a motion starts from momenta, and one step of the method.
pub fn usual_forms(model: &Model) -> Vec<Form> {
    if model.momentum_coordinates() > 0 {
        return vec![Form::Hamilton, Form::Discrete];
    }
    let system = System::controlled(model);
    if system.poisson().is_some() {
        return vec![Form::Hamilton, Form::Discrete];
    }
    let system = if system.order > 1 { system.with_multipliers_as_coordinates() } else { system };
    let mut forms: Vec<Form> = model.hamiltonian().map(|_| Form::Hamilton).into_iter().collect();
    forms.push(Form::Lagrange);
    forms.extend((solved::is_short(&system) && !of_states(&system)).then_some(Form::Solved));
    forms.extend(model.momentum_order().map(|_| Form::Optimal));
    forms.push(Form::Discrete);
    forms
}

/// What the optimality conditions are those of.
fn conditions(model: &Model) -> Result<System<'_>, SchemeError> {
    match (model.order(), model.objective().and_then(|objective| objective.running)) {
        (1, None) => Err(SchemeError::NoObjective),
        (1, Some(_)) => System::optimal(model),
        _ => System::of(model).from_momenta(),
    }
}

/// Are there states alone, whose rates say it all?
fn of_states(system: &System<'_>) -> bool {
    system.is_empty() && system.heat.entropies().is_empty() && !system.heat.is_empty()
}

struct Pages<'m> {
    graph: &'m Graph,
    sections: Vec<Section<'m>>,
}

impl<'m> Pages<'m> {
    fn section(&mut self, title: impl Into<String>, note: Option<String>, lines: Vec<(EquationSide<'m>, Expr<'m>)>) {
        let line = |(left, right)| SectionLine::equation(left, of(self.graph.simplified(right)));
        let lines = lines.into_iter().map(line).collect();
        self.sections.push(Section { title: title.into(), note, lines });
    }

    /// A section of formulas that are written as they are to be read.
    fn as_written(&mut self, title: &str, note: String, lines: Vec<(EquationSide<'m>, Expr<'m>)>) {
        let lines = lines.into_iter().map(|(left, right)| SectionLine::equation(left, of(right))).collect();
        self.sections.push(Section { title: title.to_owned(), note: Some(note), lines });
    }

    /// Names what occurs several times in lines that would be too long.
    fn name_parts(&mut self, model: &Model) {
        let lines = self.sections.iter_mut().flat_map(|section| &mut section.lines);
        let mut sides: Vec<&mut Expr<'m>> = Vec::new();
        for line in lines {
            let SectionLine::Equation(equation) = line else { continue };
            for side in [&mut equation.left, &mut equation.right] {
                if let EquationSide::Expression(expression) = side {
                    sides.push(expression);
                }
            }
        }
        let expressions: Vec<Expr<'m>> = sides.iter().map(|side| **side).collect();
        let taken = model.taken_names();
        let shared = self.graph.shared(&expressions, |name| taken.iter().any(|other| other == name));
        for (side, written) in sides.into_iter().zip(shared.written) {
            *side = written;
        }
        if !shared.parts.is_empty() {
            let note =
                "Parts that occur several times in the lines above, which would be too long without names for them.";
            let lines = shared.parts.iter().map(|(name, part)| SectionLine::equation(of(*name), of(*part))).collect();
            self.sections.push(Section { title: "Where".to_string(), note: Some(note.to_string()), lines });
        }
    }

    fn numbers(&mut self, title: &str, note: Option<String>, lines: impl Iterator<Item = (EquationSide<'m>, f64)>) {
        let lines = lines.map(|(left, value)| SectionLine::equation(left, EquationSide::Number(value))).collect();
        self.sections.push(Section { title: title.to_string(), note, lines });
    }
}

fn of(expression: Expr<'_>) -> EquationSide<'_> {
    EquationSide::Expression(expression)
}

fn named<'m>(text: impl Into<String>, latex: impl Into<String>) -> EquationSide<'m> {
    EquationSide::Named(text.into(), latex.into())
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
    let mut system = system.clone();
    system.manifold = final_manifold(model, &system, &settings.method);
    system.cyclic = system.reducible(&settings.reduce)?;
    let system = &system;
    check_method(system, &settings.method, settings.start)?;
    let scheme = match (settings.pacing, model.pace()) {
        (pacing @ (Pacing::Symmetric | Pacing::Symplectic), Some(pace)) => {
            paced(system, &settings.method, options, pace, pacing)?
        }
        _ => scheme(system, &settings.method, options, CustomDiscrete::of(model, system))?,
    };
    let lines = scheme.equations.iter().map(|e| (of(g.expr(e.left)), g.expr(e.right))).collect();
    pages.section(format!("Discrete equations of {}", scheme.name), Some(scheme.note.clone()), lines);
    if !scheme.constants.is_empty() {
        let lines = scheme.constants.iter().map(|(id, value)| (of(g.expr(*id)), *value));
        pages.numbers("Constants of the method", None, lines);
    }
    if scheme.substeps.len() > 1 {
        let lines = (1..)
            .zip(&scheme.substeps)
            .map(|(i, fraction)| (named(format!("h_{i}/h"), format!("h_{{{i}}}/h")), *fraction));
        let note = "The step above is taken with these fractions of h, one after the other.".to_string();
        pages.numbers("Substeps", Some(note), lines);
    }
    if model.controls().is_empty() {
        let constants = scheme.constants.iter().filter_map(|(id, value)| Some((g.expr(*id).as_symbol()?, *value)));
        let mut values: HashMap<String, f64> = constants.map(|(name, value)| (name.to_string(), value)).collect();
        values.extend(model.parameters().iter().map(|parameter| (parameter.name.clone(), parameter.value)));
        values.extend(settings.step.map(|step| ("h".to_owned(), step)));
        closed_form::closed_forms(system, &scheme, start, |name| values.get(name).copied(), pages);
    }
    Ok(())
}

impl Derivation<'_> {
    /// Plain text; each equation reads back as an expression of the model's language.
    pub fn to_text(&self) -> String {
        to_text(&self.sections)
    }

    /// LaTeX: one `align*` environment per section, headings as comments.
    pub fn to_latex(&self) -> String {
        to_latex(&self.sections)
    }
}
