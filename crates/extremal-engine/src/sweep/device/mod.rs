//! Members on devices: the whole course of each in a table, and those for which something is to be said, or does not work out the usual way,
//! by the processor.

mod batch;
mod course;
mod drawing;
mod pool;
mod report;
mod row_workers;
mod rows;

use extremal_eval::ptx::MemberInput;
use extremal_solve::wide::{FormulaKernel, TableKernels, WideMarch, WidePlaces, WideRefusal};
use thiserror::Error;

use super::member_marcher::SweepContext;
use super::members::Preparation;
use super::record::Record;
use super::target::Target;
use super::variation::Variation;
use crate::run::{Compiled, Plan, StartCheck, WideStartCheck, WideWatch, row_columns};
use course::ExtremeColumns;
use drawing::DeviceDrawing;

pub(super) use pool::{DeviceWork, march};
pub use report::{DeviceReport, SweepDevices};

/// Why the members of a sweep are all marched by the processor.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum DeviceRefusal {
    #[error("`{0}` adapts its steps")]
    Adaptive(String),
    #[error("the model is a lattice of like members")]
    Lattice,
    #[error("constraints are watched at every step")]
    Constraints,
    #[error("[stop] conditions and [events] are looked for in every step")]
    Stops,
    #[error("every step of this method or model is looked at for its accuracy")]
    Accuracy,
    #[error("it is not known which states can be observed")]
    Observation,
    #[error("the step or the end follows the parameters that vary")]
    OwnSteps,
    #[error(transparent)]
    Kernels(#[from] WideRefusal),
}

/// The kernels of a sweep, and where everything stands in its table.
pub(super) struct DeviceSweep<'s> {
    common: &'s SweepContext<'s>,
    plan: Plan,
    kernels: TableKernels,
    march: WideMarch,
    check: WideStartCheck,
    watch: WideWatch,
    extremes: Option<(ExtremeColumns, [FormulaKernel; 2])>,
    /// Draws what varies, where a device can.
    drawing: Option<DeviceDrawing>,
    /// The columns of what varies, of parameters that follow, and of places of the start that follow.
    varied: Vec<usize>,
    following: [Vec<(usize, usize)>; 2],
    /// Parameters and start where nothing varies, the start once for its check and once for the march.
    parameters: Vec<f64>,
    check_start: Vec<f64>,
    march_start: Vec<f64>,
    /// Which varied quantity is a parameter, and which one.
    varied_parameters: Vec<Option<usize>>,
    /// The columns that rows are made of: those that are kept but the time, or their least and largest values.
    row_columns: Vec<usize>,
}

/// So many rows behind the start are looked at closely.
const OPENINGS: usize = super::member_marcher::OPENING as usize;

impl<'s> DeviceSweep<'s> {
    /// Prints the kernels for the members of a sweep.
    pub fn new(
        common: &'s SweepContext<'s>,
        compiled: &Compiled,
        method: &str,
        check: &StartCheck,
        preparation: &Preparation<'_>,
        plan: &Plan,
        (variation, end): (&Variation, u64),
    ) -> Result<DeviceSweep<'s>, DeviceRefusal> {
        let observables = &common.observables;
        let scheme = match compiled {
            Compiled::Scheme(scheme) => scheme,
            Compiled::Adaptive(_) | Compiled::Paced(_) => return Err(DeviceRefusal::Adaptive(method.to_owned())),
            Compiled::Lattice(_) => return Err(DeviceRefusal::Lattice),
        };
        let is_constrained = !observables.constraints.is_empty() || !observables.configurations.is_empty();
        let refusals = [
            (is_constrained, DeviceRefusal::Constraints),
            (!observables.stops.is_empty() || common.layout.record == Record::Events, DeviceRefusal::Stops),
            (!common.promises.accurate, DeviceRefusal::Accuracy),
            (!scheme.observation().linear || !scheme.knows_what_is_observable(), DeviceRefusal::Observation),
            (!preparation.same_steps(), DeviceRefusal::OwnSteps),
        ];
        if let Some((_, refusal)) = refusals.into_iter().find(|(refused, _)| *refused) {
            return Err(refusal);
        }
        let mut kernels = TableKernels::default();
        let [parameters, start] = preparation.common();
        let mut parameter_places = vec![MemberInput::Uniform; parameters.len()];
        let mut start_places = vec![MemberInput::Uniform; start.len()];
        let place = |places: &mut [MemberInput], at: usize, column: usize| places[at] = MemberInput::Column(column);
        let [of_parameters, of_starts] = preparation
            .following()
            .map(|places| places.into_iter().map(|at| (at, kernels.column())).collect::<Vec<(usize, usize)>>());
        of_parameters.iter().for_each(|(at, column)| place(&mut parameter_places, *at, *column));
        of_starts.iter().for_each(|(at, column)| place(&mut start_places, *at, *column));
        // What is varied does not follow.
        let varied: Vec<usize> = kernels.columns(preparation.targets().len()).collect();
        for (target, column) in preparation.targets().iter().zip(&varied) {
            match (target, preparation.place_of(*target)) {
                (_, Some(at)) => place(&mut start_places, at, *column),
                (Target::Parameter(at), None) => place(&mut parameter_places, *at, *column),
                _ => {}
            }
        }
        let layout = preparation.layout;
        let numbers: Vec<(MemberInput, f64)> = start_places.into_iter().zip(start.iter().copied()).collect();
        let uniform = |value: f64| (MemberInput::Uniform, value);
        let (before_time, multipliers) = numbers.split_at(layout.first_entropy() + layout.entropies);
        let for_march = [before_time, &[uniform(plan.from), uniform(plan.step)], multipliers].concat();
        let second = 2 * layout.coordinates..layout.first_entropy();
        let for_check =
            [&before_time[..second.start], &before_time[second.end..], &[uniform(plan.from)], multipliers].concat();
        let (march_places, march_start): (Vec<_>, Vec<_>) = for_march.into_iter().unzip();
        let (check_places, check_start): (Vec<_>, Vec<_>) = for_check.into_iter().unzip();
        let places = WidePlaces { parameters: &parameter_places, start: &march_places };
        let march = WideMarch::new(scheme, &mut kernels, &places)?;
        if !march.has_bounded_times(plan.step, plan.from) {
            return Err(DeviceRefusal::Observation);
        }
        let check = check.wide(&mut kernels, &parameter_places, &check_places, march.well)?;
        let watch = WideWatch::new(&mut kernels, &march, observables, &common.promises, OPENINGS)?;
        let columns = row_columns(observables, &march);
        let kept: Vec<Option<usize>> = common.layout.kept().iter().map(|column| columns[*column]).collect();
        let extremes = match common.layout.record {
            Record::Extremes => Some(ExtremeColumns::new(&mut kernels, &kept)?),
            _ => None,
        };
        let row_columns = match &extremes {
            Some((columns, _)) => columns.places.iter().flatten().copied().collect(),
            None => kept.into_iter().flatten().collect(),
        };
        let follows = !of_parameters.is_empty() || !of_starts.is_empty();
        let drawing = if follows { None } else { DeviceDrawing::new(&mut kernels, variation, &varied, end)? };
        let drawing = drawing
            .filter(|drawing| drawing.is_known(&mut march.known_parameters(), parameters, preparation.targets()));
        let parameter_of = |target: &Target| if let Target::Parameter(at) = target { Some(*at) } else { None };
        Ok(DeviceSweep {
            common,
            plan: plan.clone(),
            varied_parameters: preparation.targets().iter().map(parameter_of).collect(),
            parameters: parameters.to_vec(),
            kernels,
            march,
            check,
            watch,
            extremes,
            drawing,
            varied,
            following: [of_parameters, of_starts],
            check_start,
            march_start,
            row_columns,
        })
    }
    /// What draws the numbers of members, if the device does.
    fn drawing(&self) -> Option<&DeviceDrawing> {
        self.drawing.as_ref()
    }
}
