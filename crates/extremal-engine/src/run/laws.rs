//! The audit of a run with entropies: does the discrete motion obey the first and the second law?

use std::ops::Range;

use extremal_solve::{Reason, StepFailure, on_widest_registers};
use extremal_trajectory::RowBlock;
use serde::Serialize;

use super::blocks::{BlockRows, MOST_ROWS};
use super::observables::Observables;
use super::strands::{largest, least};
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
    /// Energy that came with matter from outside, where matter can come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matter: Option<f64>,
    /// The largest |energy change − work − heat − matter| at any step.
    pub max_defect: f64,
    /// The same relative to the largest energy.
    pub relative: f64,
}

/// The change of the total entropy over a run: what came in from outside, and what was produced.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SecondLaw {
    /// The smallest production in one step.
    pub smallest_step: f64,
    /// The change over the run.
    pub total: f64,
    /// Entropy that came with matter from outside, where matter can come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carried: Option<f64>,
    /// Entropy that came with heat from outside, where heat can come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchanged: Option<f64>,
    /// The rest, which the second law does not let be negative.
    pub produced: f64,
}

impl SecondLaw {
    /// How much entropy was moved and made in all: what an error of the production is measured against.
    pub fn size(&self) -> f64 {
        self.total.abs() + self.carried.map_or(0.0, f64::abs) + self.exchanged.map_or(0.0, f64::abs)
    }
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

impl TemperatureRange {
    fn take(&mut self, t: f64) {
        self.last = t;
        self.lowest = self.lowest.min(t);
        self.highest = self.highest.max(t);
    }

    fn take_block(&mut self, column: &[f64]) {
        on_widest_registers(
            #[inline(always)]
            || {
                self.lowest = least(self.lowest, [column], |[t]| t);
                self.highest = largest(self.highest, [column], |[t]| t);
            },
        );
        self.last = column[column.len() - 1];
    }
}

/// Energy and entropy at one row, and what came of them from outside until then.
struct Balance {
    energy: f64,
    entropy: f64,
    work: Option<f64>,
    heat: Option<f64>,
    matter: Option<f64>,
    carried: Option<f64>,
    exchanged: Option<f64>,
}

/// The columns that a [`Balance`] is read from.
struct BalanceColumns {
    energy: usize,
    entropies: Range<usize>,
    accounts: [Option<usize>; 5],
}

impl BalanceColumns {
    fn of(observables: &Observables) -> BalanceColumns {
        let first = observables.row.entropies.start;
        BalanceColumns {
            energy: observables.row.energy,
            entropies: first..first + observables.heated(),
            accounts: ["work", "heat", "matter", "entropy_carried", "entropy_exchanged"]
                .map(|name| observables.account(name)),
        }
    }

    fn at(&self, value: impl Fn(usize) -> f64) -> Balance {
        let [work, heat, matter, carried, exchanged] = self.accounts.map(|column| column.map(&value));
        let entropy = self.entropies.clone().map(&value).sum();
        Balance { energy: value(self.energy), entropy, work, heat, matter, carried, exchanged }
    }
}

/// A motion that fails below this part of its highest temperature fails because of the cold.
const COLD: f64 = 0.2;

/// What no account has received.
const NOTHING: [f64; MOST_ROWS] = [0.0; MOST_ROWS];

/// Builds [`Laws`] row by row.
#[derive(Default)]
pub(crate) struct Audit {
    seen: Option<Seen>,
    /// The sums of the entropies at the rows of a block.
    entropies: Vec<f64>,
}

struct Seen {
    first_energy: f64,
    first_entropy: f64,
    last_produced: f64,
    largest_energy: f64,
    laws: Laws,
}

impl Seen {
    fn take(&mut self, balance: &Balance) {
        let Laws { first, second, .. } = &mut self.laws;
        first.energy_change = balance.energy - self.first_energy;
        first.work = balance.work.unwrap_or(0.0);
        first.heat = balance.heat.unwrap_or(0.0);
        first.matter = balance.matter;
        let received = first.work + first.heat + first.matter.unwrap_or(0.0);
        first.max_defect = first.max_defect.max((first.energy_change - received).abs());
        self.largest_energy = self.largest_energy.max(balance.energy.abs());
        second.total = balance.entropy - self.first_entropy;
        (second.carried, second.exchanged) = (balance.carried, balance.exchanged);
        let received = second.carried.unwrap_or(0.0) + second.exchanged.unwrap_or(0.0);
        second.produced = second.total - received;
        second.smallest_step = second.smallest_step.min(second.produced - self.last_produced);
        self.last_produced = second.produced;
    }
}

impl Audit {
    pub fn push(&mut self, observables: &Observables, names: &[String], row: &[f64]) {
        if observables.heated() == 0 {
            return;
        }
        let at = &observables.row;
        let temperatures = &row[at.temperatures.clone()];
        let balance = BalanceColumns::of(observables).at(|column| row[column]);
        let Some(seen) = &mut self.seen else {
            let range = |t: &f64| TemperatureRange { first: *t, last: *t, lowest: *t, highest: *t };
            self.seen = Some(Seen {
                first_energy: balance.energy,
                first_entropy: balance.entropy,
                last_produced: 0.0,
                largest_energy: balance.energy.abs(),
                laws: Laws {
                    first: FirstLaw::default(),
                    second: SecondLaw {
                        smallest_step: f64::INFINITY,
                        total: 0.0,
                        carried: balance.carried,
                        exchanged: balance.exchanged,
                        produced: 0.0,
                    },
                    temperatures: names.iter().cloned().zip(temperatures.iter().map(range)).collect(),
                },
            });
            return;
        };
        seen.take(&balance);
        for ((_, range), t) in seen.laws.temperatures.iter_mut().zip(temperatures) {
            range.take(*t);
        }
    }

    /// Takes the rows of a block, as if one after the other; not the first of a run.
    pub fn push_block(&mut self, observables: &Observables, rows: &BlockRows<'_>) {
        let Some(seen) = &mut self.seen else { return };
        let columns = BalanceColumns::of(observables);
        let count = rows.rows();
        let energies = rows.column(columns.energy);
        let [work, heat, matter, carried, exchanged] =
            columns.accounts.map(|column| column.map_or(&NOTHING[..count], |column| rows.column(column)));
        let first = &mut seen.laws.first;
        let before = seen.first_energy;
        on_widest_registers(
            #[inline(always)]
            || {
                let defect =
                    |[energy, work, heat, matter]: [f64; 4]| ((energy - before) - (work + heat + matter)).abs();
                first.max_defect = largest(first.max_defect, [energies, work, heat, matter], defect);
                seen.largest_energy = largest(seen.largest_energy, [energies], |[energy]| energy.abs());
            },
        );
        self.entropies.clear();
        self.entropies.resize(count, std::iter::empty::<f64>().sum());
        for column in columns.entropies.clone() {
            self.entropies.iter_mut().zip(rows.column(column)).for_each(|(sum, entropy)| *sum += entropy);
        }
        // From here on what was produced.
        let before = seen.first_entropy;
        let received = carried.iter().zip(exchanged).map(|(carried, exchanged)| carried + exchanged);
        self.entropies.iter_mut().zip(received).for_each(|(sum, received)| *sum = (*sum - before) - received);
        let (second, produced) = (&mut seen.laws.second, &self.entropies[..]);
        let in_first = produced[0] - seen.last_produced;
        on_widest_registers(
            #[inline(always)]
            || {
                let steps = [&produced[1..], produced];
                second.smallest_step =
                    least(second.smallest_step.min(in_first), steps, |[after, before]| after - before);
            },
        );
        seen.last_produced = produced[count - 1];
        // What is said of the last row alone; extremes do not change by taking it twice, nor does a step of nothing: it is left out.
        let smallest = second.smallest_step;
        seen.take(&columns.at(|column| rows.column(column)[count - 1]));
        seen.laws.second.smallest_step = smallest;
        for ((_, range), column) in seen.laws.temperatures.iter_mut().zip(observables.row.temperatures.clone()) {
            range.take_block(rows.column(column));
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
        // Which of two zeros is the smaller one, machines do not agree upon: nothing is produced either way.
        laws.second.smallest_step += 0.0;
        Some(laws)
    }
}
