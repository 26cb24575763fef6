//! The equations of a model, for print: continuous and discrete, as text, LaTeX or JSON.

mod higher;

use std::fmt::Write as _;

use extremal_expr::{Expr, Function, Graph, Id};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, Scheme, SchemeError, scheme};
use extremal_model::{CompositionBase, Method, Model};
use serde_json::{Map, Value, json};

use crate::run::Settings;
use crate::system::{custom_of, system_of};

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
    fn text(&self, graph: &Graph, limit: Option<usize>) -> String {
        match self {
            Side::Expression(id) => match limit {
                Some(limit) => graph.expr(*id).text().limit(limit).to_string(),
                None => graph.expr(*id).to_string(),
            },
            Side::Named(text, _) => text.clone(),
            Side::Number(value) => value.to_string(),
        }
    }

    fn latex(&self, graph: &Graph) -> String {
        match self {
            Side::Expression(id) => graph.expr(*id).latex().limit(PRINT_LIMIT).to_string(),
            Side::Named(_, latex) => latex.clone(),
            Side::Number(value) => value.to_string(),
        }
    }
}

/// Expressions longer than this many nodes are cut in print (never in JSON): a page holds no more.
const PRINT_LIMIT: usize = 4000;

/// Derives the equations of `model` in the given forms; the discrete ones for the method and start of `settings`.
///
/// ```
/// use extremal::{Model, Settings, derive::{Form, derive}};
/// let model = Model::from_toml(extremal::gallery::text("harmonic-oscillator").unwrap())?;
/// let text = derive(&model, &Settings::of(&model), &[Form::Lagrange])?.to_text();
/// assert!(text.contains("k*x + m*x'' = 0"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn derive<'m>(model: &'m Model, settings: &Settings, forms: &[Form]) -> Result<Derivation<'m>, SchemeError> {
    let mut pages = Pages { graph: model.graph(), sections: Vec::new() };
    if model.order() > 1 {
        higher::derive(model, settings, forms, &mut pages)?;
        return Ok(Derivation { graph: pages.graph, sections: pages.sections });
    }
    let system = system_of(model);
    for form in forms {
        match form {
            Form::Lagrange => lagrange(&system, &mut pages),
            Form::Hamilton => hamilton(&system, &mut pages),
            Form::Discrete => discrete(model, &system, settings, &mut pages)?,
        }
    }
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

fn lagrange<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let g = system.graph;
    pages.section("Lagrangian", None, vec![(named("L", "L"), system.lagrangian)]);
    let mut unforced = system.clone();
    unforced.force.fill(g.int(0));
    let equations = unforced.euler_lagrange();
    let right = system.force.iter().zip(system.reactions()).map(|(force, reaction)| *force + reaction);
    let lines = equations.iter().zip(right).map(|(left, right)| (of(g.simplified(*left)), right));
    pages.section("Equations of motion", None, lines.collect());
    if !system.dry.is_empty() {
        dry_friction(system, pages);
    }
    if !system.constraints.is_empty() {
        constraints(system, pages);
    }
    if !system.heat.is_empty() {
        let temperatures = system.temperatures();
        let sources = system.entropy_sources(&temperatures);
        let symbol = |k: usize| {
            let name = &system.heat.names[k];
            (format!("T_{name}"), format!("T_{{{}}}", system.heat.s[k].latex()))
        };
        let lines = temperatures.iter().enumerate().map(|(k, t)| (named(symbol(k).0, symbol(k).1), *t));
        pages.section("Temperatures", None, lines.collect());
        let lines = sources.iter().enumerate().map(|(k, source)| {
            let rate = system.heat.rates[k];
            (named(format!("{}*{rate}", symbol(k).0), format!("{}\\,{}", symbol(k).1, rate.latex())), *source)
        });
        let note = "Friction, outside heat and conduction warm the entropies.".to_string();
        pages.section("Entropy balance", Some(note), lines.collect());
    }
    let momenta = system.p.iter().zip(system.momenta()).map(|(p, value)| (of(*p), value));
    pages.section("Momenta", None, momenta.collect());
    pages.section("Energy", None, vec![(named("E", "E"), system.energy())]);

    let Some(split) = system.kinetic_split() else {
        let note = "The Lagrangian is not quadratic in the velocities: it has no kinetic split.".to_string();
        pages.section("Kinetic split", Some(note), Vec::new());
        return;
    };
    let lines = [("T2", "T_2", split.t2), ("T1", "T_1", split.t1), ("T0 - V", "T_0 - V", split.rest)];
    let lines = lines.into_iter().filter(|(.., e)| !e.is_zero()).map(|(text, tex, e)| (named(text, tex), e));
    pages.section("Kinetic split", None, lines.collect());
    let entry = |symbol: &str, tex: &str, j: usize, k: usize| {
        let (a, b) = (&system.names[j], &system.names[k]);
        let (x, y) = (system.q[j].latex(), system.q[k].latex());
        named(format!("{symbol}[{a}, {b}]"), format!("{tex}_{{{x},{y}}}"))
    };
    let upper = (0..system.len()).flat_map(|j| (j..system.len()).map(move |k| (j, k)));
    let mass = upper.filter(|(j, k)| !split.mass[*j][*k].is_zero());
    pages.section("Mass matrix", None, mass.map(|(j, k)| (entry("a", "a", j, k), split.mass[j][k])).collect());
    let christoffel = split.christoffel(system);
    if !christoffel.is_empty() {
        let lines = christoffel.into_iter().map(|c| {
            let [k, l, j] = [c.k, c.l, c.j].map(|i| (&system.names[i], system.q[i].latex().to_string()));
            let text = format!("[{} {}, {}]", k.0, l.0, j.0);
            (named(text, format!("[{}\\,{},\\,{}]", k.1, l.1, j.1)), c.value)
        });
        pages.section("Christoffel symbols of the first kind", None, lines.collect());
    }
    let gamma = split.gyroscopic(system);
    let upper = (0..system.len()).flat_map(|j| (j + 1..system.len()).map(move |k| (j, k)));
    let lines: Vec<_> = upper
        .filter(|(j, k)| !gamma[*j][*k].is_zero())
        .map(|(j, k)| (entry("γ", "\\gamma", j, k), gamma[j][k]))
        .collect();
    if !lines.is_empty() {
        pages.section("Gyroscopic matrix", Some("Skew: it does no work.".to_string()), lines);
    }
}

/// The inclusion f ∈ −B Sign(w) of each dry friction.
fn dry_friction<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let g = system.graph;
    let mut lines = Vec::new();
    for dry in &system.dry {
        let (f, w) = (dry.force, g.simplified(dry.along));
        let bound = g.simplified(dry.bound);
        lines.push((of(f), -(bound * w.call(Function::Sign))));
        if let Some(holding) = dry.holding {
            let largest = named(format!("max(abs({f}))"), format!("\\max\\,\\lvert {}\\rvert", f.latex()));
            lines.push((largest, holding));
        }
    }
    let note = "While a contact slides. While it sticks, Sign(0) is the whole interval from -1 to 1 (f in -B*Sign(w)), and f the value \
                that keeps it from sliding; where max(abs(f)) is given, it is the bound while it sticks.";
    pages.section("Dry friction", Some(note.to_string()), lines);
}

/// The constraints, and what they say of velocities and accelerations.
fn constraints<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    let g = system.graph;
    let zero = g.int(0);
    let vanish = |rows: Vec<Expr<'m>>| rows.into_iter().map(|row| (of(g.simplified(row)), zero)).collect::<Vec<_>>();
    let note = match (system.reacting().next(), system.vakonomic().next()) {
        (Some(_), None) => {
            "The reaction on a coordinate is lambda times the derivative of the constraint by it (by its velocity, if \
                            the constraint has velocities)."
        }
        (None, _) => "Vakonomic constraints are part of the Lagrangian, and their multipliers have their own motion.",
        (Some(_), Some(_)) => {
            "Vakonomic constraints are part of the Lagrangian; the others act by reactions, lambda times the \
                               derivative of the constraint."
        }
    };
    let all = system.constraints.iter();
    pages.section("Constraints", Some(note.to_string()), vanish(all.clone().map(|c| c.expression).collect()));
    let hidden: Vec<_> = all.clone().filter(|c| c.expression != c.velocity).map(|c| c.velocity).collect();
    if !hidden.is_empty() {
        pages.section("Velocities under the constraints", None, vanish(hidden));
    }
    let velocities: Vec<_> = all.map(|constraint| constraint.velocity).collect();
    let note = "With the equations of motion these determine accelerations and multipliers.".to_string();
    pages.section("Accelerations under the constraints", Some(note), vanish(system.time_derivative(&velocities)));
}

fn hamilton<'m>(system: &System<'m>, pages: &mut Pages<'m>) {
    if system.vakonomic().next().is_some() {
        let note = "With vakonomic constraints the momenta contain the multipliers: there is no Hamiltonian of positions and \
                    momenta in closed form here.";
        pages.section("Hamiltonian", Some(note.to_string()), Vec::new());
        return;
    }
    let Some(hamiltonian) = system.hamiltonian() else {
        let note = "The momenta cannot be solved for the velocities in closed form here; a run does it numerically.";
        pages.section("Hamiltonian", Some(note.to_string()), Vec::new());
        return;
    };
    pages.section("Hamiltonian", None, vec![(named("H", "H"), hamiltonian.h)]);
    let mut lines: Vec<_> = system.v.iter().zip(hamiltonian.q_rate).map(|(v, rate)| (of(*v), rate)).collect();
    lines.extend(
        system
            .p
            .iter()
            .zip(hamiltonian.p_rate)
            .zip(system.reactions())
            .map(|((p, rate), reaction)| (p, rate + reaction))
            .map(|(p, rate)| (named(format!("{p}'"), format!("\\dot{{{}}}", p.latex())), rate)),
    );
    pages.section("Hamilton's equations", None, lines);
    if !system.constraints.is_empty() {
        let rows = system.constraints.iter().map(|c| (of(system.graph.simplified(c.expression)), system.graph.int(0)));
        pages.section("Constraints", None, rows.collect());
    }
}

fn discrete<'m>(
    model: &'m Model,
    system: &System<'m>,
    settings: &Settings,
    pages: &mut Pages<'m>,
) -> Result<(), SchemeError> {
    let method: &Method = &settings.method;
    let options = Options {
        start: settings.start,
        entropy: settings.entropy,
        constraints: settings.constraints,
        ..Options::default()
    };
    let scheme = scheme(system, method, options, custom_of(model, system))?;
    let h = system.step();
    let note = match method {
        Method::EnergyEntropy(_) | Method::Compose { base: CompositionBase::EnergyEntropy, .. } => format!(
            "One step of size {h}: z_1 = z_0 + {h} Σ b_i k_i for z = (q, p, S). G are mean gradients of H along the step; positions \
             and entropies in forces are those of the stage."
        ),
        method if method.is_reference() => {
            "One step from (q, q') at t; each stage satisfies the equations of motion.".to_string()
        }
        _ => format!(
            "One step of size {h} from (x_0, p_0) at t to (x_1, p_1): the lines for p_0 fix x_1, those for p_1 give the rest."
        ),
    };
    discrete_pages(&scheme, note, pages);
    Ok(())
}

/// The formulas of a method, its constants and its substeps.
fn discrete_pages(scheme: &Scheme, note: String, pages: &mut Pages<'_>) {
    let g = pages.graph;
    let lines = scheme.equations.iter().map(|e| (Side::Expression(e.left), g.expr(e.right))).collect();
    pages.section(format!("Discrete equations of {}", scheme.name), Some(note), lines);
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
                let [left, right] = [&line.left, &line.right].map(|side| side.text(self.graph, Some(PRINT_LIMIT)));
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
                    "left": line.left.text(self.graph, None),
                    "right": line.right.text(self.graph, None),
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
