//! The audit of a run with entropies: does the discrete motion obey the first and the second law?

use extremal_solve::{Reason, StepFailure};
use extremal_trajectory::json_number;
use serde_json::{Map, Value, json};

use super::observables::Observables;

/// What the laws of thermodynamics say about a run, measured at every step.
#[derive(Clone, Debug, PartialEq)]
pub struct Laws {
    /// Energy at the end less energy at the start.
    pub energy_change: f64,
    /// Work done by external forces (and by explicit time dependence).
    pub work: f64,
    /// Heat received from outside.
    pub heat: f64,
    /// The largest |energy change − work − heat| at any step.
    pub first_law_defect: f64,
    /// The same relative to the largest energy.
    pub first_law_relative: f64,
    /// The smallest change of the total entropy in one step.
    pub smallest_production: f64,
    /// The change of the total entropy over the run.
    pub total_production: f64,
    /// Per entropy: name, and first, last, lowest and highest temperature.
    pub temperatures: Vec<(String, TemperatureRange)>,
}

/// The temperatures of one entropy over a run.
#[derive(Clone, Copy, Debug, PartialEq)]
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

impl Laws {
    /// `{"first": {...}, "second": {...}, "temperatures": {...}}`.
    pub fn to_json(&self) -> Value {
        let temperatures: Map<String, Value> = self
            .temperatures
            .iter()
            .map(|(name, range)| {
                let range = json!({
                    "first": json_number(range.first),
                    "last": json_number(range.last),
                    "lowest": json_number(range.lowest),
                    "highest": json_number(range.highest),
                });
                (name.clone(), range)
            })
            .collect();
        json!({
            "first": {
                "energy_change": json_number(self.energy_change),
                "work": json_number(self.work),
                "heat": json_number(self.heat),
                "max_defect": json_number(self.first_law_defect),
                "relative": json_number(self.first_law_relative),
            },
            "second": {
                "smallest_step": json_number(self.smallest_production),
                "total": json_number(self.total_production),
            },
            "temperatures": temperatures,
        })
    }
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
        if observables.entropies == 0 {
            return;
        }
        let at = observables.first_temperature();
        let temperatures = &row[at..at + observables.entropies];
        let energy = row[at + observables.entropies];
        let entropies = 1 + 3 * observables.coordinates;
        let entropy: f64 = row[entropies..entropies + observables.entropies].iter().sum();
        let account = |name: &str| {
            let index = observables.accounts.iter().position(|known| *known == name);
            index.map_or(0.0, |index| row[row.len() - observables.accounts.len() + index])
        };
        let Some(seen) = &mut self.seen else {
            let range = |t: &f64| TemperatureRange { first: *t, last: *t, lowest: *t, highest: *t };
            self.seen = Some(Seen {
                first_energy: energy,
                first_entropy: entropy,
                last_entropy: entropy,
                largest_energy: energy.abs(),
                laws: Laws {
                    energy_change: 0.0,
                    work: 0.0,
                    heat: 0.0,
                    first_law_defect: 0.0,
                    first_law_relative: 0.0,
                    smallest_production: f64::INFINITY,
                    total_production: 0.0,
                    temperatures: names.iter().cloned().zip(temperatures.iter().map(range)).collect(),
                },
            });
            return;
        };
        let laws = &mut seen.laws;
        laws.energy_change = energy - seen.first_energy;
        (laws.work, laws.heat) = (account("work"), account("heat"));
        laws.first_law_defect = laws.first_law_defect.max((laws.energy_change - laws.work - laws.heat).abs());
        seen.largest_energy = seen.largest_energy.max(energy.abs());
        laws.smallest_production = laws.smallest_production.min(entropy - seen.last_entropy);
        laws.total_production = entropy - seen.first_entropy;
        seen.last_entropy = entropy;
        for ((_, range), t) in laws.temperatures.iter_mut().zip(temperatures) {
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
            laws.first_law_relative = laws.first_law_defect / seen.largest_energy;
        }
        if laws.smallest_production.is_infinite() {
            laws.smallest_production = 0.0;
        }
        Some(laws)
    }
}
