//! Backward error of a method: the Lagrangian whose motions its points lie on, and what becomes of its energy along the steps.

use std::ops::ControlFlow;

use extremal_mechanics::System;
use extremal_mechanics::discrete::ModifiedLagrangian;
use extremal_model::{Extent, Model, Start};
use extremal_trajectory::Recorder;
use serde::Serialize;

use crate::printed::{EquationSide, Section, SectionLine};
use crate::run::{CompiledRun, End, EnergyLaw, Settings, Tracked};

/// Steps of the measured run; twice as many with half the step.
const STEPS: u64 = 128;
/// Longer corrections are not printed.
const LONGEST: usize = 700;
/// Round-off of this many steps, relative to the energy.
const ROUND_OFF: f64 = 1e-13;

/// The modified Lagrangian of a method, checked.
pub struct BackwardError<'m> {
    /// The method as the user writes it.
    pub method: String,
    /// L + h ℓ_1 + h² ℓ_2 + ….
    pub modified: ModifiedLagrangian<'m>,
    /// How far the energy moves along the steps, with corrections up to each power; empty where it is not conserved, or no run is possible.
    pub drifts: Vec<CorrectedDrift>,
}

/// How far the energy with corrections up to some power moves along a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CorrectedDrift {
    /// The power; 0 is the energy itself.
    pub power: usize,
    /// The largest change.
    pub drift: f64,
    /// The order in the step that two runs show; `None` at round-off.
    pub order: Option<f64>,
}

/// The same as data.
#[derive(Clone, Debug, Serialize)]
pub struct BackwardReport {
    /// The corrections of the Lagrangian by powers of the step.
    pub corrections: Vec<CorrectionReport>,
    /// What becomes of the energy.
    pub drifts: Vec<CorrectedDrift>,
}

/// One correction.
#[derive(Clone, Debug, Serialize)]
pub struct CorrectionReport {
    /// The power of the step.
    pub power: usize,
    /// Its coefficient in the Lagrangian.
    pub lagrangian: String,
    /// Its coefficient in the energy, with the velocities of p = dL/dx'.
    pub energy: String,
}

/// The backward error of the method of `settings`, where it can be written down.
pub(super) fn backward<'m>(model: &'m Model, settings: &Settings) -> Option<BackwardError<'m>> {
    // Of a reduced system the action is another one.
    if !settings.reduce.is_empty() {
        return None;
    }
    let system = System::of(model);
    let modified = system.modified_lagrangian(&settings.method)?;
    let drifts = drifts(model, settings, &modified).unwrap_or_default();
    Some(BackwardError { method: settings.method.to_string(), modified, drifts })
}

/// The drifts of the energies along two runs.
fn drifts<'m>(model: &'m Model, settings: &Settings, modified: &ModifiedLagrangian<'m>) -> Option<Vec<CorrectedDrift>> {
    let step = settings.step.filter(|step| *step > 0.0 && step.is_finite())?;
    EnergyLaw::of(model).why_it_changes().is_none().then_some(())?;
    let powers: Vec<usize> = [0].into_iter().chain(modified.powers()).collect();
    let name = |power: usize| format!("energy to h^{power}");
    let measured = |fraction: u64| -> Option<Vec<(f64, f64)>> {
        let step = step / fraction as f64;
        let exact = model.graph().float(step)?;
        let tracked: Vec<Tracked> = (powers.iter())
            .map(|power| Tracked { name: name(*power), expression: modified.energy_to(*power, exact).id() })
            .collect();
        // Two positions say nothing of the momenta at the start.
        let settings = Settings {
            step: Some(step),
            start: Start::Legendre,
            extent: Some(Extent::Steps(STEPS * fraction)),
            ..settings.clone()
        };
        let run = CompiledRun::tracking(model, &settings, &tracked).ok()?;
        let mut recorder = Recorder::new(run.columns().clone());
        let outcome = run.execute(&mut recorder, |_| ControlFlow::Continue(())).ok()?;
        if let End::Failed(_) = outcome.end {
            return None;
        }
        let of = |power: &usize| {
            let found = recorder.drifts().find(|(column, _)| column.name() == name(*power));
            found.map(|(_, drift)| (drift.max_drift(), drift.first().map_or(0.0, f64::abs)))
        };
        powers.iter().map(of).collect()
    };
    let (coarse, fine) = (measured(1)?, measured(2)?);
    let order = |(coarse, size): (f64, f64), fine: f64| {
        let order = (coarse / fine).log2();
        (fine > ROUND_OFF * size.max(coarse) && order.is_finite()).then_some(order)
    };
    let drift =
        |at: usize| CorrectedDrift { power: powers[at], drift: coarse[at].0, order: order(coarse[at], fine[at].0) };
    Some((0..powers.len()).map(drift).collect())
}

impl<'m> BackwardError<'m> {
    pub(super) fn section(&self) -> Section<'m> {
        let mut section = Section::titled(format!("Backward error of {}", self.method));
        let powers: Vec<usize> = self.modified.powers().collect();
        let times = |power: usize| if power == 1 { "h".to_owned() } else { format!("h^{power}") };
        let terms: Vec<String> = powers.iter().map(|power| format!("{}*L_{power}", times(*power))).collect();
        section.note = Some(format!(
            "The points of a run lie on the motions of L + {}, up to higher powers of the step; H_k are the corrections of the energy, by positions and momenta with p = dL/dx'.",
            terms.join(" + ")
        ));
        for power in powers {
            let parts = [("L", self.modified.terms[power]), ("H", self.modified.energy[power])];
            for (letter, term) in parts {
                let (text, latex) = (format!("{letter}_{power}"), format!("{letter}_{{{power}}}"));
                match term.text().limit(LONGEST).to_string().len() <= LONGEST {
                    true => section
                        .lines
                        .push(SectionLine::equation(EquationSide::Named(text, latex), EquationSide::Expression(term))),
                    false => section.say(format!("{text} is known, and too long to be printed")),
                }
            }
        }
        for CorrectedDrift { power, drift, order } in &self.drifts {
            let what = match power {
                0 => "the energy".to_owned(),
                power => format!("the energy with corrections up to {}", times(*power)),
            };
            let order = match order {
                Some(order) => format!("order {order:.1} in the step"),
                None => "round-off".to_owned(),
            };
            section.say(format!("over {STEPS} steps {what} moves by at most {drift:.1e}: {order}"));
        }
        section
    }

    pub(super) fn report(&self) -> BackwardReport {
        let correction = |power: usize| CorrectionReport {
            power,
            lagrangian: self.modified.terms[power].text_with_parts(),
            energy: self.modified.energy[power].text_with_parts(),
        };
        BackwardReport { corrections: self.modified.powers().map(correction).collect(), drifts: self.drifts.clone() }
    }
}
