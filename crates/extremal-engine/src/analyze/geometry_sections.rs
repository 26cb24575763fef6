//! The geometry of a system and of a step of its method as sections of formulas and sentences.

use extremal_expr::Expr;
use extremal_mechanics::discrete::{MatrixZeros, StepBinding, StepMatrix};
use extremal_mechanics::geometry::{GeometricStatement, IdentityVerdict, NoPhaseGeometry, PhaseGeometry};

use super::form_text::{form_side, numeric_two_form, one_form_terms, two_form_terms};
use super::step_geometry::{FirstPair, MATTER, STATES, StepFindings, StepFormulas};
use super::transport::StepMeasures;
use crate::printed::{EquationSide, Section, SectionLine};

/// Longer formulas are not printed.
const LONGEST: usize = 700;
/// Larger matrices are not printed.
const MOST_ROWS: usize = 6;
/// Deviations up to this are round-off of some steps and their derivatives.
const ROUND_OFF: f64 = 1e-9;

/// The geometry of a system, or why it is not written down.
pub(super) fn phase_section<'m>(seen: &Result<PhaseGeometry<'m>, NoPhaseGeometry>) -> Section<'m> {
    let mut section = Section::titled("Geometry of the phase space");
    let seen = match seen {
        Ok(seen) => seen,
        Err(reason) => {
            section.say(no_geometry(*reason));
            return section;
        }
    };
    push_form(&mut section, ("θ", "\\theta"), &one_form_terms(&seen.liouville));
    push_form(&mut section, ("ω", "\\omega"), &two_form_terms(&seen.symplectic));
    let many = seen.entropy_forms.len() > 1;
    for (place, eta) in seen.entropy_forms.iter().enumerate() {
        let s = eta.variables[eta.variables.len() - seen.entropy_forms.len() + place];
        let left = if many { format!("η[{s}]") } else { "η".to_owned() };
        let latex = if many { format!("\\eta_{{{}}}", s.latex()) } else { "\\eta".to_owned() };
        push_form(&mut section, (&left, &latex), &one_form_terms(eta));
        let (left, latex) = match many {
            true => (format!("Reeb field of {s} along d/d{s}"), format!("\\mathcal{{R}}_{{{}}}", s.latex())),
            false => (format!("Reeb field along d/d{s}"), "\\mathcal{R}".to_owned()),
        };
        section
            .lines
            .push(SectionLine::equation(EquationSide::Named(left, latex), EquationSide::WithParts(seen.reeb[place])));
    }
    if let Some(verdict) = seen.herglotz.filter(|verdict| verdict.holds()) {
        section.say(format!("η = -T (dS - p dq), a multiple of the contact form dS - p dq: {}", proved(verdict)));
    }
    match seen.contact {
        Some(true) => {
            section.say("η is a contact form: η∧(dη)^n does not vanish but on a thin set, by exact arithmetic")
        }
        Some(false) => section.say("η is no contact form: η∧(dη)^n = 0"),
        None => {}
    }
    match seen.closed {
        Some(IdentityVerdict::Failed) => {
            section.say("dη is not zero: (ω, η) is partially cosymplectic, not cosymplectic")
        }
        Some(verdict) if verdict.holds() => section.say("dη = 0: (ω, η) is cosymplectic"),
        _ => {}
    }
    for (statement, verdict) in &seen.statements {
        section.say(format!("{}: {}", statement_text(*statement, seen.entropy_forms.len()), proved(*verdict)));
    }
    section
}

pub(super) fn no_geometry(reason: NoPhaseGeometry) -> String {
    match reason {
        NoPhaseGeometry::NoHamiltonian => "left out: the Legendre transform has no inverse in closed form".to_owned(),
        NoPhaseGeometry::Reactions => {
            "left out: constraints react, and the motion is not that of forms on the whole phase space".to_owned()
        }
        NoPhaseGeometry::DryFriction => "left out: where contacts stick and slide there is no vector field".to_owned(),
        NoPhaseGeometry::States => STATES.to_owned(),
        NoPhaseGeometry::Matter => MATTER.to_owned(),
        NoPhaseGeometry::Accelerations => "left out: written for Lagrangians of positions and velocities".to_owned(),
        NoPhaseGeometry::Large { dimension } => {
            format!("left out: the phase space has {dimension} dimensions, and identities are written for up to 24")
        }
        NoPhaseGeometry::Long => "left out: Hamilton's equations are too long to be differentiated twice".to_owned(),
    }
}

pub(super) fn statement_text(statement: GeometricStatement, entropies: usize) -> &'static str {
    match (statement, entropies) {
        (GeometricStatement::Volume, 0) => "ω^n is a volume form",
        (GeometricStatement::Volume, 1) => "ω^n∧η is a volume form ([TP] proposition 1)",
        (GeometricStatement::Volume, _) => {
            "ω^n∧η[1]∧η[2]... is a volume form ([TP] proposition 1, for several entropies)"
        }
        (GeometricStatement::Kernel, _) => {
            "η(E) = 0 for the motion E: no heat but that of friction ([TP] proposition 2)"
        }
        (GeometricStatement::Contraction, 0) => "ι_E ω = dH - F",
        (GeometricStatement::Contraction, _) => "ι_E ω = dH + η - F_ext ([TP] proposition 2)",
        (GeometricStatement::Transport, 0) => "L_E ω = -dF",
        (GeometricStatement::Transport, _) => "L_E ω = dη - dF_ext ([TP] proposition 2)",
        (GeometricStatement::EntropyTransport, _) => "L_E η = ι_E dη ([TP] proposition 2)",
        (GeometricStatement::Energy, 0) => "E(H) = F(E): only forces change the energy",
        (GeometricStatement::Energy, _) => "E(H) = F_ext(E): only external forces change the energy ([TP] equation 15)",
    }
}

pub(super) fn proved(verdict: IdentityVerdict) -> &'static str {
    match verdict {
        IdentityVerdict::Proved => "proved",
        IdentityVerdict::ProvedHere => "proved for these values of the parameters",
        IdentityVerdict::Failed => "fails",
        IdentityVerdict::Undecided => "not decided",
    }
}

fn push_form(section: &mut Section<'_>, (left, latex): (&str, &str), terms: &[super::form_text::FormTerm]) {
    match form_side(terms) {
        Some(right) => {
            let left = EquationSide::Named(left.to_owned(), latex.to_owned());
            section.lines.push(SectionLine::equation(left, right));
        }
        None => section.say(format!("{left} has {} terms, too long to be printed", terms.len())),
    }
}

impl<'m> StepFindings<'m> {
    pub(super) fn section(&self) -> Section<'m> {
        let mut section = Section::titled(format!("Geometry of a step of {}", self.method));
        if let Some(formulas) = &self.formulas {
            formulas.matrices(&mut section, self.first.as_ref());
            formulas.forms(&mut section, self.first.as_ref());
            for (name, verdict) in &formulas.noether {
                let theorem = "p+*X(q_1) = p-*X(q_0) in every step ([TP] theorem 12)";
                section.say(format!("symmetry {name}: {theorem}: {}", proved(*verdict)));
            }
        }
        if let Some(measured) = &self.measured {
            measured.say(&mut section);
        }
        self.left_out.iter().for_each(|reason| section.say(reason.clone()));
        section
    }
}

impl<'m> StepFormulas<'m> {
    fn matrices(&self, section: &mut Section<'m>, first: Option<&FirstPair>) {
        let sides = [("forward", &self.geometry.forward), ("backward", &self.geometry.backward)];
        for (side, (name, matrix)) in sides.into_iter().enumerate() {
            let bordered = if self.is_bordered() { ", bordered by the constraints" } else { "" };
            section.say(format!("{name} matrix ([TT] 3.25{bordered}): {}", described(matrix)));
            let size = matrix.size();
            if size > MOST_ROWS {
                section.say(format!("its {size} x {size} entries are not printed: more than {MOST_ROWS} rows"));
            } else {
                section.lines.extend(entries(matrix));
            }
            let zeros = &self.zeros[side];
            if let Some(value) = zeros.determinant {
                let left = (format!("det {name}"), format!("\\det_{{\\text{{{name}}}}}"));
                section.lines.push(bounded(left, value));
            }
            section.say(zeros_text(zeros, size));
            if let Some(first) = first {
                section.say(format!("at the first step its determinant is {}", number(first.determinants[side])));
            }
        }
        if let Some(volume) = self.volume {
            let left = match self.geometry.entropies[0].is_empty() {
                true => "det D(q_1, p_1)/D(q_0, p_0)",
                false => "det D(q_1, p_1, S_1)/D(q_0, p_0, S_0)",
            };
            section.lines.push(bounded((left.to_owned(), "\\det D\\Phi".to_owned()), volume));
        }
    }

    fn is_bordered(&self) -> bool {
        self.geometry.binding != StepBinding::Free
    }

    fn forms(&self, section: &mut Section<'m>, first: Option<&FirstPair>) {
        let signs = [("-", "-", "θ- = p- dq_0"), ("+", "+", "θ+ = p+ dq_1")];
        let names: Vec<String> =
            first.map_or_else(Vec::new, |first| first.at.iter().map(|(name, _)| name.clone()).collect());
        if let Some(first) = first {
            let at: Vec<String> = first.at.iter().map(|(name, value)| format!("{name} = {}", number(*value))).collect();
            section.say(format!("first step: {}", at.join(", ")));
        }
        for (side, (sign, latex, one_form)) in signs.into_iter().enumerate() {
            if let Some(first) = first {
                let momenta = &first.momenta[side];
                let terms: Vec<String> =
                    self.geometry.ends[side].iter().zip(momenta).map(|(x, p)| format!("{} d{x}", number(*p))).collect();
                section.say(format!("{one_form} = {} there", terms.join(" + ").replace("+ -", "- ")));
            }
            if let Some(forms) = &self.two_forms {
                push_form(section, (&format!("ω{sign}"), &format!("\\omega^{latex}")), &two_form_terms(&forms[side]));
            }
            if let Some(values) = first.and_then(|first| first.two_forms.as_ref()) {
                section.say(format!("ω{sign} there: {}", numeric_two_form(&names, &values[side])));
            }
        }
        for form in &self.geometry.entropy_forms {
            push_form(section, ("η_d", "\\eta_d"), &one_form_terms(form));
        }
        match self.equal {
            Some(verdict) if verdict.holds() => {
                section.say(format!(
                    "ω+ = ω- = -Ω of the discrete Lagrangian, and the step is symplectic: {}",
                    proved(verdict)
                ));
            }
            Some(IdentityVerdict::Failed) => {
                section.say("ω+ is not ω-: Φ*ω- = ω+ holds, and Φ*ω+ = ω- does not ([TP] theorem 11, put right)");
            }
            _ => {}
        }
    }
}

fn described(matrix: &StepMatrix<'_>) -> String {
    let columns: Vec<String> = matrix.columns.iter().map(Expr::to_string).collect();
    let short = |names: &[String]| match names.len() > MOST_ROWS {
        true => format!("{}, ... ({} in all)", names[..MOST_ROWS].join(", "), names.len()),
        false => names.join(", "),
    };
    format!("d({})/d({})", short(&matrix.rows), short(&columns))
}

/// The entries that are not zero, as equations.
fn entries<'m>(matrix: &StepMatrix<'m>) -> Vec<SectionLine<'m>> {
    let size = matrix.size();
    let all = matrix.entries.iter().enumerate().filter(|(_, entry)| !entry.is_zero());
    let line = |(at, entry): (usize, &Expr<'m>)| {
        let (row, column) = (&matrix.rows[at / size], matrix.columns[at % size]);
        let text = format!("d({row})/d({column})");
        let latex = format!("\\frac{{\\partial \\text{{{}}}}}{{\\partial {}}}", row.replace('_', " "), column.latex());
        bounded((text, latex), *entry)
    };
    all.map(line).collect()
}

/// A formula, unless it would fill the page.
fn bounded<'m>((text, latex): (String, String), value: Expr<'m>) -> SectionLine<'m> {
    match value.text().limit(LONGEST).to_string().len() <= LONGEST {
        true => SectionLine::equation(EquationSide::Named(text, latex), EquationSide::Expression(value)),
        false => SectionLine::Sentence(format!("{text} is known, and too long to be printed: --json has it")),
    }
}

fn zeros_text(zeros: &MatrixZeros<'_>, size: usize) -> String {
    match (zeros.rank, zeros.nowhere) {
        (None, _) => "where it is regular is not decided: its entries could not be evaluated exactly".to_owned(),
        (Some(rank), _) if rank < size => format!("singular for all steps: rank {rank} of {size}"),
        (Some(_), true) => {
            format!("regular for all steps of this size: rank {size}, and its determinant vanishes nowhere")
        }
        (Some(_), false) => format!("regular but on a thin set: rank {size} at a generic step"),
    }
}

impl StepMeasures {
    fn say(&self, section: &mut Section<'_>) {
        let steps = format!("{} step{}", self.steps, if self.steps == 1 { "" } else { "s" });
        let judged = |deviation: f64| if deviation <= ROUND_OFF { "round-off" } else { "more than round-off" };
        if let Some(gap) = self.pull_back {
            section.say(format!("Φ*ω- = ω+ over {steps}: holds to {gap:.1e}, {}", judged(gap)));
        }
        if let Some(gap) = self.symplectic {
            let verdict = if gap <= ROUND_OFF { "symplectic to round-off" } else { "not symplectic" };
            section.say(format!("dq∧dp is changed by at most {gap:.1e} per step over {steps}: {verdict}"));
        }
        if let Some(range) = self.volume {
            section.say(format!("volumes of the states change by {} per step", ranged(range)));
        }
        if let Some(range) = self.liouville {
            section.say(format!("volumes of positions and momenta change by {} per step", ranged(range)));
        }
    }
}

/// A factor, or from where to where it goes.
fn ranged((low, high): (f64, f64)) -> String {
    match number(low) == number(high) {
        true => format!("the factor {}", number(low)),
        false => format!("factors from {} to {}", number(low), number(high)),
    }
}

fn number(x: f64) -> String {
    extremal_trajectory::sig(x, 8)
}
