//! What a comparison leaves of its samples: files with all of them, and curves over time.

use std::path::Path;

use extremal_trajectory::frame::{Existing, Fields, Frame, FrameError, FrameFile};
use extremal_trajectory::{ColumnsError, Series};
use thiserror::Error;

use super::ComparedSample;

/// Why the samples of a comparison cannot be written.
#[derive(Debug, Error)]
pub enum ComparisonFileError {
    /// A coordinate has the name of a column that every file has.
    #[error("the file of a comparison cannot be laid out: {0}")]
    Columns(#[from] ColumnsError),
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] FrameError),
}

/// A file with a row for every sample: its number, step and time; of each coordinate and entropy the value, the truth and the
/// difference; the energies; the method.
pub struct ComparisonFile {
    file: FrameFile,
    frame: Frame,
    fields: Fields,
    numbers: Vec<f64>,
}

/// Rows that are written together.
const TOGETHER: usize = 4096;
/// The columns of the energies of a sample.
const ENERGIES: [&str; 5] = ["energy", "energy_p-", "energy_p+", "energy_v", "energy_true"];

impl ComparisonFile {
    /// Begins a file, in the place of another one; `names` are those of
    /// [`compared_names`](super::compared_names).
    ///
    /// # Errors
    /// An unknown format, a name that is taken, or whatever the system refuses.
    pub fn create(path: &Path, names: &[String]) -> Result<ComparisonFile, ComparisonFileError> {
        let compared = names.iter().flat_map(|name| [name.clone(), format!("{name}_true"), format!("{name}_error")]);
        let numbers = ["step".to_owned(), "t".to_owned()].into_iter().chain(compared);
        let fields = Fields::new(["sample"], numbers.chain(ENERGIES.map(str::to_owned)), ["method"])?;
        let file = FrameFile::open(path, &fields, &[], Existing::Replace)?.file;
        Ok(ComparisonFile { file, frame: Frame::new(&fields), fields, numbers: Vec::new() })
    }

    /// Takes a sample.
    ///
    /// # Errors
    /// Whatever the system refuses.
    pub fn push(&mut self, sample: &ComparedSample<'_>) -> Result<(), FrameError> {
        self.numbers.clear();
        self.numbers.push(sample.step);
        self.numbers.extend(numbers(sample));
        let number = i64::try_from(sample.number).unwrap_or(i64::MAX);
        self.frame.push(&[number], &self.numbers, [Some(sample.method.to_string().into())]);
        if self.frame.rows() >= TOGETHER { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), FrameError> {
        let frame = std::mem::replace(&mut self.frame, Frame::new(&self.fields));
        self.file.push(&frame, String::new())
    }

    /// Makes the file complete.
    ///
    /// # Errors
    /// Whatever the system refuses.
    pub fn finish(mut self) -> Result<(), FrameError> {
        self.write()?;
        self.file.finish()
    }
}

/// Time; value, truth and difference of each quantity; energies.
fn numbers(sample: &ComparedSample<'_>) -> impl Iterator<Item = f64> {
    let compared = sample.values.iter().zip(sample.truth).flat_map(|(value, truth)| [*value, *truth, *value - *truth]);
    let energy = sample.energy;
    let energies = [energy.momentum, energy.minus, energy.plus, energy.velocity, energy.truth];
    std::iter::once(sample.time).chain(compared).chain(energies)
}

/// A motion of a comparison over time, in bounded memory.
pub struct ComparedCurve {
    /// The method and the step in words.
    pub label: String,
    /// The step.
    pub step: f64,
    /// How many quantities are compared.
    quantities: usize,
    series: Series,
}

/// What a curve shows of a quantity or of the energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveOf {
    /// A quantity, by its place among [`compared_names`](super::compared_names).
    Value(usize),
    /// What it should be.
    Truth(usize),
    /// The difference.
    Error(usize),
    /// The energy, by the momentum of the state.
    Energy,
    /// By p⁻.
    EnergyMinus,
    /// By p⁺.
    EnergyPlus,
    /// By the positions of a step.
    EnergyVelocity,
    /// What it should be.
    EnergyTruth,
}

impl ComparedCurve {
    /// Takes a sample to the curve of its method and step, which is the last one, or a new one.
    pub fn collect(curves: &mut Vec<ComparedCurve>, sample: &ComparedSample<'_>) {
        let label = format!("{}, h = {}", sample.method, sample.step);
        if curves.last().is_none_or(|last| last.label != label) {
            let quantities = sample.values.len();
            let series = Series::new(1 + 3 * quantities + ENERGIES.len());
            curves.push(ComparedCurve { label, step: sample.step, quantities, series });
        }
        if let Some(curve) = curves.last_mut() {
            curve.series.push(&numbers(sample).collect::<Vec<f64>>());
        }
    }

    /// The points of a curve over time; none of a quantity that this motion does not have.
    pub fn points(&self, of: CurveOf) -> Vec<(f64, f64)> {
        let energies = 1 + 3 * self.quantities;
        let column = match of {
            CurveOf::Value(at) => 1 + 3 * at,
            CurveOf::Truth(at) => 2 + 3 * at,
            CurveOf::Error(at) => 3 + 3 * at,
            CurveOf::Energy => energies,
            CurveOf::EnergyMinus => energies + 1,
            CurveOf::EnergyPlus => energies + 2,
            CurveOf::EnergyVelocity => energies + 3,
            CurveOf::EnergyTruth => energies + 4,
        };
        self.series.points(0, column).filter(|(_, value)| value.is_finite()).collect()
    }
}
