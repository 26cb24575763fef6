//! What varies among members, drawn by the device.

use extremal_device::DeviceError;
use extremal_eval::ptx::DrawnColumn;
use extremal_solve::wide::{KnownParameters, MemberTable, TableKernel, TableKernels, WideRefusal};
use extremal_trajectory::frame::checksum;

use crate::sweep::target::Target;
use crate::sweep::variation::{Axis, Distribution, LARGEST_DEVIATION, RandomAxis, Values, Variation};

/// Draws the numbers of members that a device knows how to draw: those of ranges, and random ones.
pub(super) struct DeviceDrawing {
    kernel: TableKernel,
    /// The number of the first member, and what all members have in common.
    given: Vec<f64>,
    /// Between which numbers each column is.
    bounds: Vec<[f64; 2]>,
}

/// Integers below it are numbers.
const EXACT: u64 = 1 << 53;

fn halves(x: u64) -> [f64; 2] {
    [f64::from(x as u32), f64::from((x >> 32) as u32)]
}

impl DeviceDrawing {
    /// For members up to this one, whose columns are these. `None` where the processor has to draw them.
    pub fn new(
        kernels: &mut TableKernels,
        variation: &Variation,
        columns: &[usize],
        end: u64,
    ) -> Result<Option<DeviceDrawing>, WideRefusal> {
        if variation.list.is_some() || end > EXACT {
            return Ok(None);
        }
        let [low, high] = halves(variation.seed);
        let mut given = vec![0.0, low, high];
        let (mut drawn, mut bounds) = (Vec::new(), Vec::new());
        let mut in_a_row = vec![variation.samples.max(1); variation.grid.len()];
        for at in (0..variation.grid.len().saturating_sub(1)).rev() {
            in_a_row[at] = in_a_row[at + 1].saturating_mul(variation.grid[at + 1].len());
        }
        let (of_grid, of_random) = columns.split_at(variation.grid.len());
        for ((axis, column), in_a_row) in variation.grid.iter().zip(of_grid).zip(in_a_row) {
            let Some([from, to, count]) = spaced(axis) else { return Ok(None) };
            given.extend([in_a_row as f64, count, from, to]);
            bounds.push([from.min(to), from.max(to)]);
            drawn.push(DrawnColumn::Spaced(*column));
        }
        for (axis, column) in variation.random.iter().zip(of_random) {
            let RandomAxis { name, distribution } = axis;
            given.extend(halves(checksum(name.as_bytes())));
            match *distribution {
                Distribution::Uniform { from, to } if !(to - from).is_finite() => return Ok(None),
                Distribution::Uniform { from, to } => {
                    given.extend([from, to]);
                    bounds.push([from.min(to), from.max(to)]);
                    drawn.push(DrawnColumn::Uniform(*column));
                }
                Distribution::Normal { mean, deviation } => {
                    given.extend([mean, deviation]);
                    let wide = LARGEST_DEVIATION * deviation;
                    bounds.push([mean - wide, mean + wide]);
                    drawn.push(DrawnColumn::Normal(*column));
                }
            }
        }
        let kernel = kernels.drawing(&drawn)?;
        Ok(Some(DeviceDrawing { kernel, given, bounds }))
    }

    /// Is it known which states can be observed with all parameters that may be drawn?
    pub fn is_known(&self, known: &mut KnownParameters, parameters: &[f64], targets: &[Target]) -> bool {
        let mut ranges: Vec<[f64; 2]> = parameters.iter().map(|value| [*value; 2]).collect();
        for (target, bounds) in targets.iter().zip(&self.bounds) {
            if let Target::Parameter(at) = target {
                ranges[*at] = *bounds;
            }
        }
        known.is_known_between(&ranges)
    }

    /// Draws the numbers of `count` members from this one on.
    pub fn run(&self, table: &mut MemberTable<'_>, count: usize, first: u64) -> Result<(), DeviceError> {
        let mut given = self.given.clone();
        given[0] = first as f64;
        table.run(self.kernel, count, &[&given])
    }
}

/// The first number of an axis, the last one, and how many there are, where they are evenly spaced.
fn spaced(axis: &Axis) -> Option<[f64; 3]> {
    match axis.values {
        Values::Range { from, count: 1, .. } => Some([from, from, 1.0]),
        Values::Range { from, to, count } if (to - from).is_finite() => Some([from, to, count as f64]),
        Values::Range { .. } | Values::Listed(_) => None,
    }
}
