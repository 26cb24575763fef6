//! The audit of a run with entropies: does the discrete motion obey the first and the second law?

use extremal_solve::{Reason, StepFailure};
use serde::Serialize;

use super::observables::Observables;
use crate::serialized::by_name;

/// What the laws of thermodynamics say about a run, measured at every step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Laws {
    /// The balance of energy.
    pub first: FirstLaw,
    /// The change of the total entropy.
    pub second: SecondLaw,
    /// The temperatures of each entropy.
    #[serde(serialize_with = "by_name")]
    pub temperatures: Vec<(String, TemperatureRange)>,
}

/// The balance of energy over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct FirstLaw {
    /// Energy at the end less energy at the start.
    pub energy_change: f64,
    /// Work done by external forces (and by explicit time dependence).
    pub work: f64,
    /// Heat received from outside.
    pub heat: f64,
    /// The largest |energy change − work − heat| at any step.
    pub max_defect: f64,
    /// The same relative to the largest energy.
    pub relative: f64,
}

/// The change of the total entropy over a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SecondLaw {
    /// The smallest in one step.
    pub smallest_step: f64,
    /// Over the run.
    pub total: f64,
}

/// The temperatures of one entropy over a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TemperatureRange {
    /// At the start.
    pub first: f64,
    /// At the end.
    pub last: f64,
    /// The lowest.
    pub lowest: f64,
    /// The highest.
    pub highest: f64,
}

/// A motion that fails below this part of its highest temperature fails because of the cold.
const COLD: f64 = 0.2;

/// Builds [`Laws`] row by row.
#[derive(Default)]
pub(crate) struct Audit {
    seen: Option<Seen>,
}

struct Seen {
    first_energy: f64,
    first_entropy: f64,
    last_entropy: f64,
    largest_energy: f64,
    laws: Laws,
}

impl Audit {
    pub fn push(&mut self, observables: &Observables, names: &[String], row: &[f64]) {
        if observables.heated() == 0 {
            return;
        }
        let at = &observables.row;
        let (temperatures, energy) = (&row[at.temperatures.clone()], row[at.energy]);
        let entropy: f64 = row[at.entropies.clone()][..observables.heated()].iter().sum();
        let account = |kept: Option<usize>| kept.map_or(0.0, |kept| row[at.accounts.clone()][kept]);
        let Some(seen) = &mut self.seen else {
            let range = |t: &f64| TemperatureRange { first: *t, last: *t, lowest: *t, highest: *t };
            self.seen = Some(Seen {
                first_energy: energy,
                first_entropy: entropy,
                last_entropy: entropy,
                largest_energy: energy.abs(),
                laws: Laws {
                    first: FirstLaw::default(),
                    second: SecondLaw { smallest_step: f64::INFINITY, total: 0.0 },
                    temperatures: names.iter().cloned().zip(temperatures.iter().map(range)).collect(),
                },
            });
            return;
        };
        let Laws { first, second, temperatures: ranges } = &mut seen.laws;
        first.energy_change = energy - seen.first_energy;
        (first.work, first.heat) = (account(observables.work), account(observables.heat));
        first.max_defect = first.max_defect.max((first.energy_change - first.work - first.heat).abs());
        seen.largest_energy = seen.largest_energy.max(energy.abs());
        second.smallest_step = second.smallest_step.min(entropy - seen.last_entropy);
        second.total = entropy - seen.first_entropy;
        seen.last_entropy = entropy;
        for ((_, range), t) in ranges.iter_mut().zip(temperatures) {
            range.last = *t;
            range.lowest = range.lowest.min(*t);
            range.highest = range.highest.max(*t);
        }
    }

    /// A failure with its deeper reason, where that is the cold.
    pub fn explain(&self, mut failure: StepFailure) -> StepFailure {
        if let Some((entropy, temperature)) = self.cold() {
            let cause = Box::new(failure.reason);
            failure.reason = Reason::Cold { entropy: entropy.to_string(), temperature, cause };
        }
        failure
    }

    /// The entropy whose temperature has fallen to a small part of its highest, if there is one.
    fn cold(&self) -> Option<(&str, f64)> {
        let temperatures = &self.seen.as_ref()?.laws.temperatures;
        let cold = temperatures.iter().find(|(_, range)| range.last < COLD * range.highest);
        cold.map(|(name, range)| (name.as_str(), range.last))
    }

    pub fn finish(&self) -> Option<Laws> {
        let seen = self.seen.as_ref()?;
        let mut laws = seen.laws.clone();
        if seen.largest_energy > 0.0 {
            laws.first.relative = laws.first.max_defect / seen.largest_energy;
        }
        if laws.second.smallest_step.is_infinite() {
            laws.second.smallest_step = 0.0;
        }
        Some(laws)
    }
}
