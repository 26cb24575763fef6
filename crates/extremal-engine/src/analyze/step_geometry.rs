//! The geometry of a step of the method: both matrices of its regularity, the forms that it transports, and what it does to the
//! canonical one, measured by the exact derivative of the step.

use extremal_expr::{Expr, Id, Rational};
use extremal_mechanics::System;
use extremal_mechanics::analysis::{Parameters, Regularity};
use extremal_mechanics::discrete::{CustomDiscrete, MatrixZeros, StepBinding, StepGeometry};
use extremal_mechanics::geometry::{IdentityVerdict, TwoForm, ZeroJudge};
use extremal_model::{Method, Model};

use super::pair::StepPair;
use super::transport::{StepMeasures, transported};
use crate::run::Settings;

/// Said of systems with states of their own.
pub(super) const STATES: &str = "left out: states with rates of their own are neither positions nor entropies";

/// What is known of a step.
pub struct StepFindings<'m> {
    /// The method as the user writes it.
    pub method: String,
    /// The step as formulas, where it is one of a discrete Lagrangian.
    pub formulas: Option<StepFormulas<'m>>,
    /// The first two positions of the motion, and the numbers there.
    pub first: Option<FirstPair>,
    /// What was measured along the motion.
    pub measured: Option<StepMeasures>,
    /// What was left out, and why.
    pub left_out: Vec<String>,
}

/// A step of a discrete Lagrangian as formulas.
pub struct StepFormulas<'m> {
    /// Momenta and matrices.
    pub geometry: StepGeometry<'m>,
    /// Where the determinants of both matrices vanish, forward and backward.
    pub zeros: [MatrixZeros<'m>; 2],
    /// ω− and ω+, where they can be written down.
    pub two_forms: Option<[TwoForm<'m>; 2]>,
    /// Are both the same form, so that the step is symplectic?
    pub equal: Option<IdentityVerdict>,
    /// The determinant of the step by its state, where it can be written down.
    pub volume: Option<Expr<'m>>,
    /// For each stated symmetry of the configurations: is its momentum conserved by every step, (D16)?
    pub noether: Vec<(String, IdentityVerdict)>,
}

/// Numbers at the first pair of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstPair {
    /// The variables of the forms, by name.
    pub at: Vec<(String, f64)>,
    /// p− and p+.
    pub momenta: [Vec<f64>; 2],
    /// ω− and ω+ as matrices in these variables; `None` where constraints leave no forms.
    pub two_forms: Option<[Vec<f64>; 2]>,
    /// The determinants of both matrices.
    pub determinants: [f64; 2],
}

/// Matrices, forms and derivatives are looked at for at most this many coordinates and entropies.
const MOST_VARIABLES: usize = 32;

pub(super) struct StepQuestion<'a, 'm> {
    pub model: &'m Model,
    pub system: &'a System<'m>,
    pub settings: &'a Settings,
    pub parameters: &'a Parameters<'m>,
    pub regularity: &'a Regularity<'m>,
    /// Steps along which something is measured.
    pub steps: u64,
}

/// The geometry of a step; `None` without a step.
pub(super) fn step_geometry<'m>(question: &StepQuestion<'_, 'm>) -> Option<StepFindings<'m>> {
    let StepQuestion { model, system, settings, .. } = question;
    let step = settings.step.filter(|step| *step > 0.0 && step.is_finite())?;
    let method = settings.method.to_string();
    let mut found = StepFindings { method, formulas: None, first: None, measured: None, left_out: Vec::new() };
    if let Some(reason) = refusal(question) {
        found.left_out.push(reason);
        return Some(found);
    }
    let custom = CustomDiscrete::of(model, system);
    let geometry = StepGeometry::of(system, &settings.method, settings.entropy, custom);
    if geometry.is_none() {
        found.left_out.push(format!(
            "`{}` is no discrete Lagrangian over one step: it has neither the matrices nor the forms of one",
            settings.method
        ));
    }
    let formulas = geometry.map(|geometry| formulas(question, geometry, step));
    if let Some(formulas) = &formulas {
        found.left_out.extend(unwritten(&formulas.geometry, &settings.method));
        if formulas.two_forms.is_none() && formulas.geometry.binding != StepBinding::Velocities {
            found.left_out.push(
                "ω- and ω+ are given by their numbers alone: as formulas they are too long, or too much is to be eliminated"
                    .to_owned(),
            );
        }
    }
    match transported(question, formulas.as_ref().map(|formulas| &formulas.geometry), step) {
        Ok((pair, measured, ended)) => {
            found.left_out.extend(ended);
            found.first = formulas.as_ref().zip(pair).map(|(formulas, pair)| first_pair(&formulas.geometry, &pair));
            found.measured = Some(measured);
        }
        Err(reason) => found.left_out.push(format!("not measured: {reason}")),
    }
    found.formulas = formulas;
    Some(found)
}

/// Why nothing of a step is looked at.
fn refusal(question: &StepQuestion<'_, '_>) -> Option<String> {
    let StepQuestion { model, system, settings, regularity, .. } = question;
    let variables = system.len() + system.heat.s.len();
    let custom = settings.method == Method::Custom;
    if model.order() > 1 {
        Some("left out: forms of a step are written for Lagrangians of positions and velocities".to_owned())
    } else if matches!(settings.method, Method::Dopri5 | Method::Dop853) {
        Some(format!("left out: `{}` chooses its own steps", settings.method))
    } else if !system.heat.states().is_empty() {
        Some(STATES.to_owned())
    } else if !system.dry.is_empty() {
        Some("left out: where contacts stick and slide a step has no derivative".to_owned())
    } else if !regularity.is_regular() && !custom {
        Some("left out: the Lagrangian is singular, and its steps are taken where it has a motion".to_owned())
    } else if variables > MOST_VARIABLES {
        let counted = format!("{variables} coordinates and entropies");
        Some(format!("left out: {counted}, and matrices and forms are looked at up to {MOST_VARIABLES}"))
    } else {
        None
    }
}

/// What is not said of the forms of a step, and why.
fn unwritten(geometry: &StepGeometry<'_>, method: &Method) -> Option<String> {
    match geometry.binding {
        StepBinding::Free => None,
        StepBinding::Positions => Some(
            "the forms are those on displacements along the constraints, where impulses add nothing to them".to_owned(),
        ),
        StepBinding::Velocities => Some(format!(
            "two positions do not tell the momenta of `{method}` where velocities are constrained or multipliers move: no forms are \
             given"
        )),
    }
}

fn formulas<'m>(question: &StepQuestion<'_, 'm>, geometry: StepGeometry<'m>, step: f64) -> StepFormulas<'m> {
    let StepQuestion { model, system, parameters, .. } = question;
    let g = model.graph();
    let judge = ZeroJudge::new(system, parameters);
    let mut values: Vec<(Expr<'m>, Rational)> = parameters.exact.clone();
    values.extend(Rational::from_f64(step).map(|step| (system.step(), step)));
    let zeros = [geometry.forward.zeros(&values), geometry.backward.zeros(&values)];
    let formed = geometry.binding != StepBinding::Velocities;
    let two_forms = if formed { geometry.two_forms() } else { None };
    let two_forms = two_forms.map(|forms| forms.map(|form| without_zeros(form, &judge)));
    let equal = two_forms.as_ref().map(|[minus, plus]| judge.vanish(minus.minus(plus).matrix));
    let volume = geometry.volume(&zeros[0], &zeros[1]);
    let plain = model.symmetries().iter().filter(|symmetry| symmetry.lift.is_none() && formed);
    let noether = plain.map(|symmetry| {
        let change = geometry.noether(system, &g.exprs(&symmetry.generator), g.int(0));
        (symmetry.name.clone(), judge.vanish([change]))
    });
    StepFormulas { noether: noether.collect(), geometry, zeros, two_forms, equal, volume }
}

/// A form without the terms that are zero without looking it.
fn without_zeros<'m>(form: TwoForm<'m>, judge: &ZeroJudge<'m>) -> TwoForm<'m> {
    let zero =
        |entry: Expr<'m>| if judge.vanish([entry]) == IdentityVerdict::Proved { entry.graph().int(0) } else { entry };
    TwoForm { matrix: form.matrix.iter().map(|entry| zero(*entry)).collect(), ..form }
}

fn first_pair(geometry: &StepGeometry<'_>, pair: &StepPair) -> FirstPair {
    let name = |symbol: &Expr<'_>| symbol.as_symbol().map_or_else(String::new, |name| name.to_string());
    let names = geometry.variables();
    let size = [geometry.forward.size(), geometry.backward.size()];
    let determinant = |side: usize| extremal_solve::dense::determinant(&pair.matrices[side], size[side]);
    FirstPair {
        at: names.iter().map(name).zip(pair.at.iter().copied()).collect(),
        momenta: pair.momenta.clone(),
        two_forms: (geometry.binding != StepBinding::Velocities).then(|| pair.two_forms.clone()),
        determinants: [determinant(0), determinant(1)],
    }
}

/// The symbols of the parameters with their values.
pub(super) fn parameter_values(model: &Model) -> Vec<(Id, f64)> {
    model.parameters().iter().map(|parameter| (parameter.symbol, parameter.value)).collect()
}
