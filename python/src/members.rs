//! Which members an ensemble has, and what becomes of their rows, from keywords.

use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;

use extremal::{Distribution, Optimizations, Sweep};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::sweep::PyDistribution;

/// What sweeps and many problems have in common.
pub trait Varied: Sized {
    /// Varies over evenly spaced values.
    fn over(self, name: &str, range: RangeInclusive<f64>, count: u64) -> Self;
    /// Varies over these values.
    fn through(self, name: &str, values: &[f64]) -> Self;
    /// Draws at random.
    fn drawn(self, name: &str, distribution: Distribution) -> Self;
    /// So often, and which numbers.
    fn sampled(self, samples: u64, seed: u64) -> Self;
    /// On so many threads.
    fn on(self, threads: usize) -> Self;
    /// These members alone.
    fn part(self, members: Range<u64>) -> Self;
}

macro_rules! varied {
    ($($builder:ty),+) => {$(
        impl Varied for $builder {
            fn over(self, name: &str, range: RangeInclusive<f64>, count: u64) -> Self {
                self.vary(name, range, count)
            }

            fn through(self, name: &str, values: &[f64]) -> Self {
                self.values(name, values)
            }

            fn drawn(self, name: &str, distribution: Distribution) -> Self {
                self.random(name, distribution)
            }

            fn sampled(self, samples: u64, seed: u64) -> Self {
                self.samples(samples, seed)
            }

            fn on(self, threads: usize) -> Self {
                self.threads(threads)
            }

            fn part(self, members: Range<u64>) -> Self {
                self.members(members)
            }
        }
    )+};
}

varied!(Sweep, Optimizations);

/// What was said of the members.
#[derive(Default)]
pub struct MemberOptions<'py> {
    vary: Option<Bound<'py, PyDict>>,
    random: Option<Bound<'py, PyDict>>,
    samples: Option<u64>,
    seed: u64,
    threads: Option<usize>,
    members: Option<(u64, u64)>,
    /// Where the rows go.
    pub file: Option<PathBuf>,
    /// Who wants to see how far it is.
    pub progress: Option<Bound<'py, PyAny>>,
}

impl<'py> MemberOptions<'py> {
    /// Takes a keyword, if it is one of these.
    pub fn takes(&mut self, key: &str, value: &Bound<'py, PyAny>) -> PyResult<bool> {
        match key {
            "vary" => self.vary = value.extract()?,
            "random" => self.random = value.extract()?,
            "samples" => self.samples = value.extract()?,
            "seed" => self.seed = value.extract()?,
            "threads" => self.threads = value.extract()?,
            "members" => self.members = value.extract()?,
            "file" => self.file = value.extract()?,
            "progress" => self.progress = Some(value.clone()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The same with these members.
    pub fn applied_to<V: Varied>(&self, mut to: V) -> PyResult<V> {
        for (name, values) in self.vary.iter().flatten() {
            to = varied(to, &name.str()?.to_string(), &values)?;
        }
        for (name, values) in self.random.iter().flatten() {
            let distribution = match values.cast::<PyDistribution>() {
                Ok(known) => known.get().distribution(),
                Err(_) => {
                    let (from, to) = values.extract()?;
                    Distribution::Uniform { from, to }
                }
            };
            to = to.drawn(&name.str()?.to_string(), distribution);
        }
        // The seed is also that of shaken guesses.
        if self.samples.is_some() || self.seed != 0 {
            to = to.sampled(self.samples.unwrap_or(1), self.seed);
        }
        if let Some(threads) = self.threads {
            to = to.on(threads);
        }
        if let Some((begin, end)) = self.members {
            to = to.part(begin..end);
        }
        Ok(to)
    }
}

/// `(from, to, count)` is a range, everything else a list of values.
fn varied<V: Varied>(to: V, name: &str, values: &Bound<'_, PyAny>) -> PyResult<V> {
    if values.is_instance_of::<PyTuple>() {
        let (from, end, count): (f64, f64, u64) = values.extract().map_err(|_| {
            PyTypeError::new_err(format!(
                "a range of `{name}` is (from, to, count); give its values as a list or an array"
            ))
        })?;
        return Ok(to.over(name, from..=end, count));
    }
    let listed: Vec<f64> = match values.hasattr("tolist")? {
        true => values.call_method0("tolist")?.extract()?,
        false => values.extract()?,
    };
    Ok(to.through(name, &listed))
}
