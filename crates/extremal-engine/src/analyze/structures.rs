//! Contact and Poisson systems: their structure, what it implies, and whether the method keeps it.

use extremal_expr::Expr;
use extremal_mechanics::System;
use extremal_mechanics::analysis::{
    BracketDependence, DissipatedQuantity, Parameters, PoissonStructure, Proof, SearchBounds, dissipated_quantities,
    poisson_structure,
};
use extremal_model::{Code, Model};
use serde::Serialize;

use super::Findings;
use super::sections::{formula, number};
use super::tangent::{StepTangent, StepTangents, StructureKept, measured, step_tangents};
use crate::printed::Section;
use crate::run::Settings;

/// What was found of a contact system.
pub struct ContactFindings<'m> {
    /// ∂L/∂z, the rate of the logarithm of the factor by which the flow scales the contact form.
    pub growth: Expr<'m>,
    /// What is scaled alike, the energy first.
    pub dissipated: Vec<DissipatedQuantity<'m>>,
    /// Does the method scale the contact form?
    pub kept: Option<StructureKept>,
    /// The factor of the first step: that of the contact form, and the one that `log_factor` says.
    pub factors: Option<(f64, f64)>,
}

/// What was found of a Poisson system.
pub struct PoissonFindings<'m> {
    /// The brackets.
    pub structure: PoissonStructure<'m>,
    /// Is the Jacobi identity proved? It is not decided otherwise: brackets that break it are refused.
    pub jacobi: bool,
    /// Is a step a Poisson map?
    pub kept: Option<StructureKept>,
}

/// A contact system as data.
#[derive(Clone, Debug, Serialize)]
pub struct ContactReport {
    /// ∂L/∂z.
    pub growth: String,
    /// What the flow scales as it scales the contact form.
    pub dissipated: Vec<FunctionReport>,
    /// How well steps scale the contact form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_map: Option<StructureKept>,
    /// The factor of the contact form in the first step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// The same as `log_factor` says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor_by_log: Option<f64>,
}

/// A Poisson system as data.
#[derive(Clone, Debug, Serialize)]
pub struct PoissonReport {
    /// How many variables there are.
    pub variables: usize,
    /// The rank of their brackets at a generic state, where it is decided.
    pub rank: Option<usize>,
    /// How the brackets depend on the variables.
    pub dependence: &'static str,
    /// `proved` or `undecided`.
    pub jacobi: &'static str,
    /// Functions whose bracket with every other vanishes.
    pub casimirs: Vec<FunctionReport>,
    /// How well a step keeps the brackets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson_map: Option<StructureKept>,
}

/// A function of the state that was found.
#[derive(Clone, Debug, Serialize)]
pub struct FunctionReport {
    /// Its name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The function.
    pub expression: String,
    /// Does what is said of it hold for all values of the parameters?
    pub general: bool,
    /// `symbolic` or `numeric`.
    pub verified: &'static str,
}

/// Looks at a contact system; `None` for any other.
pub(super) fn contact<'m>(
    model: &'m Model,
    system: &System<'m>,
    parameters: &Parameters<'m>,
    (settings, search): (Option<&Settings>, SearchBounds),
) -> Option<ContactFindings<'m>> {
    system.is_contact().then(|| ContactFindings {
        growth: system.graph.simplified(system.contact_rate()),
        dissipated: dissipated_quantities(system, parameters, search),
        kept: settings.and_then(|settings| {
            measured(model, system, settings, |seen, step| contact_deviation(model, system, seen, step).0)
        }),
        factors: settings.and_then(|settings| {
            let seen = step_tangents(model, system, settings, settings.step?, 1)?;
            let first = &seen.steps[0];
            let grown = system.accounts().len();
            let by_log = (0..grown).map(|k| first.after.len() - grown + k).map(|k| first.after[k] - first.before[k]);
            Some((contact_deviation(model, system, &seen, first).1, by_log.sum::<f64>().exp()))
        }),
    })
}

/// How far the pull-back of dz − p dq by a step is from a multiple of it, relative to its largest component; and the multiple.
fn contact_deviation<'m>(
    model: &Model,
    system: &System<'m>,
    seen: &StepTangents<'m>,
    step: &StepTangent,
) -> (f64, f64) {
    let (n, size) = (system.len(), seen.state.len());
    let carries_momenta = seen.state[n..2 * n] == system.p[..];
    let form = |state: &[f64]| -> Vec<f64> {
        let momenta = match carries_momenta {
            true => state[n..2 * n].to_vec(),
            false => seen.evaluate(model, &system.momenta(), state),
        };
        let mut form: Vec<f64> = momenta.iter().map(|p| -p).collect();
        form.resize(size, 0.0);
        form[2 * n] = 1.0;
        form
    };
    let (before, after) = (form(&step.before), form(&step.after));
    let pulled = |k: usize| (0..size).map(|j| after[j] * step.derivative[j * size + k]).sum::<f64>();
    let factor = pulled(2 * n);
    let off = (0..size).map(|k| (pulled(k) - factor * before[k]).abs()).fold(0.0, f64::max);
    let largest = before.iter().fold(0.0f64, |most, entry| most.max(entry.abs()));
    (off / largest, factor)
}

/// Looks at a Poisson system; `None` for any other.
pub(super) fn poisson<'m>(
    model: &'m Model,
    system: &System<'m>,
    parameters: &Parameters<'m>,
    (settings, search): (Option<&Settings>, SearchBounds),
) -> Option<PoissonFindings<'m>> {
    Some(PoissonFindings {
        structure: poisson_structure(system, parameters, search)?,
        jacobi: model.warnings().iter().all(|warning| warning.code != Code::JacobiIdentity),
        kept: settings.and_then(|settings| {
            measured(model, system, settings, |seen, step| poisson_deviation(model, system, seen, step))
        }),
    })
}

/// How far D B Dᵀ is from B at the end of a step, relative to the largest bracket there.
fn poisson_deviation<'m>(model: &Model, system: &System<'m>, seen: &StepTangents<'m>, step: &StepTangent) -> f64 {
    let Some(brackets) = system.poisson() else { return 0.0 };
    let n = seen.state.len();
    let entries = brackets.dense(system.graph.int(0));
    let (before, after) = (seen.evaluate(model, &entries, &step.before), seen.evaluate(model, &entries, &step.after));
    let d = &step.derivative;
    let mut off = 0.0f64;
    for i in 0..n {
        let row: Vec<f64> = (0..n).map(|k| (0..n).map(|j| d[i * n + j] * before[j * n + k]).sum()).collect();
        for j in 0..n {
            let mapped: f64 = (0..n).map(|k| row[k] * d[j * n + k]).sum();
            off = off.max((mapped - after[i * n + j]).abs());
        }
    }
    off / after.iter().fold(0.0f64, |most, entry| most.max(entry.abs())).max(f64::MIN_POSITIVE)
}

impl<'m> Findings<'m> {
    /// What is particular to a contact system.
    pub(super) fn contact_section(&self) -> Option<Section<'m>> {
        let found = self.contact.as_ref()?;
        let system = &self.system;
        let mut section = Section::titled("Contact structure");
        let forms = system.p.iter().zip(&system.names).map(|(p, q)| format!(" - {p}*d{q}"));
        let z = &system.heat.names[0];
        section.say(format!("contact form eta = d{z}{}, Reeb field d/d{z}", forms.collect::<String>()));
        let left = format!("dL/d{z}");
        let remark = "the flow scales eta by exp of its integral, which is recorded as log_factor";
        section.lines.push(formula(left, "\\partial L/\\partial z", found.growth).remarked(remark));
        for quantity in &found.dissipated {
            let latex = format!("\\text{{{}}}", quantity.name);
            let line = formula(quantity.name.clone(), latex, quantity.expression);
            let law = format!(
                "dissipated: f' = dL/d{z} f, so that f*exp(-log_factor) is constant{}",
                present(quantity.general)
            );
            section.lines.push(line.remarked(law).remarked(known(quantity.proof)));
        }
        if found.dissipated.is_empty() {
            section.say("no dissipated quantity found");
        }
        if let Some(kept) = &found.kept {
            section.say(match kept.exact {
                true => format!("a step scales eta: {}", measured_words(kept)),
                false => format!("a step does not scale eta: off by up to {}{}", number(kept.deviation), falling(kept)),
            });
        }
        if let (Some((factor, by_log)), true) = (found.factors, found.kept.is_some_and(|kept| kept.exact)) {
            section.say(format!(
                "its factor in the first step is {}, by log_factor {}",
                number(factor),
                number(by_log)
            ));
        }
        Some(section)
    }

    /// The structure of a Poisson system, which takes the place of that of a Lagrangian.
    pub(super) fn poisson_section(&self) -> Option<Section<'m>> {
        let found = self.poisson.as_ref()?;
        let (seen, system) = (&found.structure, &self.system);
        let mut section = Section::titled("Poisson structure");
        let rank = seen
            .rank
            .map_or("their rank is not decided".to_owned(), |rank| format!("of rank {rank} at a generic state"));
        section.say(format!("{} variables; {} brackets, {rank}", seen.variables, dependence(seen.dependence)));
        section.say(match found.jacobi {
            true => "skew by construction; the Jacobi identity is proved for all values of the parameters",
            false => "skew by construction; whether the Jacobi identity holds is not decided",
        });
        for (i, j, value) in system.poisson().into_iter().flat_map(|brackets| brackets.pairs()) {
            let [a, b] = [i, j].map(|place| &system.heat.names[place]);
            let [x, y] = [i, j].map(|place| system.heat.s[place].latex().to_string());
            section.lines.push(formula(
                format!("{{{a}, {b}}}"),
                format!("\\{{{x}, {y}\\}}"),
                self.graph.simplified(value),
            ));
        }
        section.lines.push(formula("H", "H", -system.lagrangian));
        for casimir in &seen.casimirs {
            let line = formula("Casimir", "\\text{Casimir}", casimir.expression);
            let all = format!("its bracket with every function vanishes{}", present(casimir.general));
            section.lines.push(line.remarked(all).remarked(known(casimir.proof)));
        }
        if let Some(missing) = seen
            .rank
            .map(|rank| (seen.variables - rank).saturating_sub(seen.casimirs.len()))
            .filter(|missing| *missing > 0)
        {
            section.say(format!(
                "the rank leaves room for {missing} more independent Casimirs near a generic state than were found"
            ));
        }
        if let Some(kept) = &found.kept {
            section.say(match kept.exact {
                true => format!("a step is a Poisson map, D B D^T = B: {}", measured_words(kept)),
                false => format!(
                    "a step is no Poisson map: D B D^T is off B by up to {}{}",
                    number(kept.deviation),
                    falling(kept)
                ),
            });
        }
        Some(section)
    }

    pub(super) fn contact_report(&self) -> Option<ContactReport> {
        let found = self.contact.as_ref()?;
        Some(ContactReport {
            growth: found.growth.text_with_parts(),
            dissipated: (found.dissipated.iter())
                .map(|quantity| function(Some(&quantity.name), quantity.expression, quantity.general, quantity.proof))
                .collect(),
            contact_map: found.kept,
            factor: found.factors.map(|factors| factors.0),
            factor_by_log: found.factors.map(|factors| factors.1),
        })
    }

    pub(super) fn poisson_report(&self) -> Option<PoissonReport> {
        let found = self.poisson.as_ref()?;
        let seen = &found.structure;
        Some(PoissonReport {
            variables: seen.variables,
            rank: seen.rank,
            dependence: dependence(seen.dependence),
            jacobi: if found.jacobi { "proved" } else { "undecided" },
            casimirs: (seen.casimirs.iter())
                .map(|casimir| function(None, casimir.expression, casimir.general, casimir.proof))
                .collect(),
            poisson_map: found.kept,
        })
    }
}

fn function(name: Option<&String>, expression: Expr<'_>, general: bool, proof: Proof) -> FunctionReport {
    let verified = if proof == Proof::Symbolic { "symbolic" } else { "numeric" };
    FunctionReport { name: name.cloned(), expression: expression.text_with_parts(), general, verified }
}

fn dependence(seen: BracketDependence) -> &'static str {
    match seen {
        BracketDependence::Constant => "constant",
        BracketDependence::Affine => "affine (Lie-Poisson)",
        BracketDependence::General => "nonlinear",
    }
}

fn present(general: bool) -> &'static str {
    if general { "" } else { ", for these values of the parameters" }
}

fn known(proof: Proof) -> String {
    match proof {
        Proof::Symbolic => "proved by algebra".to_owned(),
        Proof::Sampled { states } => format!("exactly so at {states} random states of a finite field"),
    }
}

/// What was seen of a structure that is kept to round-off.
fn measured_words(kept: &StructureKept) -> String {
    let long =
        kept.long_steps.map_or(String::new(), |off| format!(", and by {} in steps four times as long", number(off)));
    format!("measured over {} steps, off by at most {}{long}", kept.steps, number(kept.deviation))
}

fn falling(kept: &StructureKept) -> String {
    match kept.order {
        Some(order) => {
            format!(" in a step, which falls with the step to the power {}", extremal_trajectory::sig(order, 3))
        }
        None => " in a step".to_owned(),
    }
}
