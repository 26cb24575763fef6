//! The geometry of a system and of a step of its method as data.

use extremal_expr::Expr;
use extremal_mechanics::discrete::{MatrixZeros, StepMatrix};
use extremal_mechanics::geometry::{GeometricStatement, IdentityVerdict, NoPhaseGeometry, PhaseGeometry};
use serde::Serialize;

use super::form_text::{FormTerm, one_form_terms, two_form_terms};
use super::geometry_sections::{no_geometry, statement_text};
use super::stated::LiftedSymmetry;
use super::step_geometry::{StepFindings, StepFormulas};
use super::transport::StepMeasures;

/// Forms on the phase space, and what the motion does to them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PhaseGeometryReport {
    /// Why nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// p dq.
    pub theta: Vec<FormReport>,
    /// dq ∧ dp.
    pub omega: Vec<FormReport>,
    /// One form for every entropy.
    pub eta: Vec<Vec<FormReport>>,
    /// The component of each Reeb field along its entropy.
    pub reeb: Vec<String>,
    /// Is η a contact form, for a single entropy?
    pub contact: Option<bool>,
    /// Is η = −T (dS − p dq)?
    pub herglotz: Option<bool>,
    /// Is dη = 0?
    pub closed: Option<bool>,
    /// What was checked.
    pub statements: Vec<StatementReport>,
}

/// A statement that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct StatementReport {
    /// Its name.
    pub name: &'static str,
    /// In words.
    pub statement: &'static str,
    /// Does it hold? `None` where that is not decided.
    pub holds: Option<bool>,
}

/// A term of a form.
#[derive(Clone, Debug, Serialize)]
pub struct FormReport {
    /// Its coefficient.
    pub coefficient: String,
    /// What it stands before.
    pub basis: String,
}

/// Matrices and forms of a step.
#[derive(Clone, Debug, Serialize)]
pub struct StepGeometryReport {
    /// The method.
    pub method: String,
    /// The matrix of the step forwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward: Option<MatrixReport>,
    /// The matrix of the step backwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backward: Option<MatrixReport>,
    /// ω− and ω+ in the ends of a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub two_forms: Option<[Vec<FormReport>; 2]>,
    /// η_d of each entropy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entropy_forms: Vec<Vec<FormReport>>,
    /// Are both the same?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equal: Option<bool>,
    /// The determinant of the step by its state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// Does every step keep the momentum of a stated symmetry, by name?
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub noether: Vec<(String, Option<bool>)>,
    /// The first step: q_0, q_1 and S_0 by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<FirstReport>,
    /// What was measured along the motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<StepMeasures>,
    /// What was left out, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A matrix of a step.
#[derive(Clone, Debug, Serialize)]
pub struct MatrixReport {
    /// What is differentiated.
    pub rows: Vec<String>,
    /// By what.
    pub columns: Vec<String>,
    /// The entries by rows, unless there are too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Vec<String>>>,
    /// Its rank at a generic step.
    pub rank: Option<usize>,
    /// Its determinant, if it is short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub determinant: Option<String>,
    /// Is it proved that the determinant vanishes nowhere?
    pub regular_everywhere: bool,
    /// The determinant at the first step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_first: Option<f64>,
}

/// Numbers at the first step.
#[derive(Clone, Debug, Serialize)]
pub struct FirstReport {
    /// The variables of the forms.
    pub variables: Vec<String>,
    /// Their values.
    pub values: Vec<f64>,
    /// p− and p+.
    pub momenta: [Vec<f64>; 2],
    /// The coefficients of ω− and ω+, as full matrices by rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub two_forms: Option<[Vec<Vec<f64>>; 2]>,
}

/// What was found of a symmetry of velocities and entropies.
#[derive(Clone, Debug, Serialize)]
pub struct LiftReport {
    /// f with df = L_X θ.
    pub function: Option<String>,
    /// Is L_X θ closed?
    pub closed: Option<bool>,
    /// Is X(E) + η(X) − F_ext(X) = 0?
    pub condition: Option<bool>,
    /// Do both hold in positions and momenta?
    pub canonical: Option<bool>,
}

/// Matrices with more rows are given by their rank alone.
const MOST_ROWS: usize = 12;

fn holds(verdict: IdentityVerdict) -> Option<bool> {
    match verdict {
        IdentityVerdict::Proved | IdentityVerdict::ProvedHere => Some(true),
        IdentityVerdict::Failed => Some(false),
        IdentityVerdict::Undecided => None,
    }
}

fn terms(terms: Vec<FormTerm>) -> Vec<FormReport> {
    terms.into_iter().map(|term| FormReport { coefficient: term.coefficient, basis: term.basis }).collect()
}

fn name(statement: GeometricStatement) -> &'static str {
    match statement {
        GeometricStatement::Volume => "volume",
        GeometricStatement::Kernel => "kernel",
        GeometricStatement::Contraction => "contraction",
        GeometricStatement::Transport => "transport",
        GeometricStatement::EntropyTransport => "entropy transport",
        GeometricStatement::Energy => "energy",
    }
}

impl PhaseGeometryReport {
    pub(super) fn of(seen: &Result<PhaseGeometry<'_>, NoPhaseGeometry>) -> PhaseGeometryReport {
        let seen = match seen {
            Ok(seen) => seen,
            Err(reason) => {
                return PhaseGeometryReport { left_out: Some(no_geometry(*reason)), ..PhaseGeometryReport::default() };
            }
        };
        let statement = |(statement, verdict): &(GeometricStatement, IdentityVerdict)| StatementReport {
            name: name(*statement),
            statement: statement_text(*statement, seen.entropy_forms.len()),
            holds: holds(*verdict),
        };
        PhaseGeometryReport {
            left_out: None,
            theta: terms(one_form_terms(&seen.liouville)),
            omega: terms(two_form_terms(&seen.symplectic)),
            eta: seen.entropy_forms.iter().map(|eta| terms(one_form_terms(eta))).collect(),
            reeb: seen.reeb.iter().map(|component| component.text_with_parts()).collect(),
            contact: seen.contact,
            herglotz: seen.herglotz.and_then(holds),
            closed: seen.closed.and_then(holds),
            statements: seen.statements.iter().map(statement).collect(),
        }
    }
}

impl StepGeometryReport {
    pub(super) fn of(seen: &StepFindings<'_>) -> StepGeometryReport {
        let formulas = seen.formulas.as_ref();
        let matrix = |side: usize| {
            formulas.map(|formulas: &StepFormulas<'_>| {
                let matrix = [&formulas.geometry.forward, &formulas.geometry.backward][side];
                MatrixReport::of(
                    matrix,
                    &formulas.zeros[side],
                    seen.first.as_ref().map(|first| first.determinants[side]),
                )
            })
        };
        let two_forms = formulas.and_then(|formulas| formulas.two_forms.as_ref());
        StepGeometryReport {
            method: seen.method.clone(),
            forward: matrix(0),
            backward: matrix(1),
            two_forms: two_forms.map(|[minus, plus]| [minus, plus].map(|form| terms(two_form_terms(form)))),
            entropy_forms: formulas.map_or_else(Vec::new, |formulas| {
                formulas.geometry.entropy_forms.iter().map(|form| terms(one_form_terms(form))).collect()
            }),
            equal: formulas.and_then(|formulas| formulas.equal).and_then(holds),
            volume: formulas.and_then(|formulas| formulas.volume).map(|volume| volume.text_with_parts()),
            noether: formulas.map_or_else(Vec::new, |formulas| {
                formulas.noether.iter().map(|(name, verdict)| (name.clone(), holds(*verdict))).collect()
            }),
            first: seen.first.as_ref().map(|first| {
                let (variables, values): (Vec<String>, Vec<f64>) = first.at.iter().cloned().unzip();
                let width = variables.len().max(1);
                let rows = |form: &Vec<f64>| form.chunks(width).map(<[f64]>::to_vec).collect();
                let two_forms = first.two_forms.as_ref().map(|[minus, plus]| [rows(minus), rows(plus)]);
                FirstReport { variables, values, momenta: first.momenta.clone(), two_forms }
            }),
            measured: seen.measured.clone(),
            left_out: seen.left_out.clone(),
        }
    }
}

impl MatrixReport {
    fn of(matrix: &StepMatrix<'_>, zeros: &MatrixZeros<'_>, at_first: Option<f64>) -> MatrixReport {
        let size = matrix.size().max(1);
        let row = |row: &[Expr<'_>]| row.iter().map(|entry| entry.text_with_parts()).collect();
        MatrixReport {
            rows: matrix.rows.clone(),
            columns: matrix.columns.iter().map(Expr::to_string).collect(),
            entries: (size <= MOST_ROWS).then(|| matrix.entries.chunks(size).map(row).collect()),
            rank: zeros.rank,
            determinant: zeros.determinant.map(|value| value.text_with_parts()),
            regular_everywhere: zeros.nowhere,
            at_first,
        }
    }
}

impl LiftReport {
    pub(super) fn of(seen: &LiftedSymmetry<'_>) -> LiftReport {
        LiftReport {
            function: seen.function.map(|f| f.text_with_parts()),
            closed: holds(seen.closed),
            condition: holds(seen.condition),
            canonical: seen.canonical.and_then(holds),
        }
    }
}
