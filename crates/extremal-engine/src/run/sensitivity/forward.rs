//! Derivatives along a motion, row by row.

use extremal_solve::dense::product;
use extremal_solve::{March, SolveFailure};

use super::super::blocks::ColumnSource;
use super::super::layout::TIME;
use super::super::observables::Observables;
use super::super::{CompiledRun, RunStart};
use super::{Tangents, ValueSlopes, asked_outputs, start_inputs};

/// A row of the derivatives of what is seen of a motion.
#[derive(Clone, Copy)]
enum DerivativeSource {
    State(usize),
    Observed(usize),
}

/// The derivatives of a motion where it is.
#[derive(Clone)]
pub(crate) struct Sensitivities {
    tangents: Tangents,
    flow: TangentFlow,
    seen: Vec<DerivativeSource>,
    /// Where the derivatives stand in a row.
    first: usize,
    start: RunStart,
    slopes: Vec<(Vec<f64>, Vec<f64>)>,
    step: f64,
}

/// Where a motion is, and how its state and the parameters change with what it is differentiated by.
#[derive(Clone, Default)]
struct TangentFlow {
    state: Vec<f64>,
    velocity: Vec<f64>,
    time: f64,
    /// Row by row, for each number of the state, then for each parameter.
    derivative: Vec<f64>,
    /// How many it is differentiated by.
    by: usize,
}

impl Sensitivities {
    /// Of a run that asks for them.
    pub fn of(run: &CompiledRun) -> Option<Sensitivities> {
        let rules = run.sensitivity.as_deref()?;
        let parameters = run.start.parameter_values();
        let slopes = rules.slopes(&run.model.lock(), &run.plan, &parameters);
        let mut tangents = rules.tangents.clone();
        tangents.set_parameters(&parameters);
        Some(Sensitivities {
            tangents,
            flow: TangentFlow::default(),
            seen: seen(&run.observables),
            first: run.observables.row.sensitivities,
            start: run.start.clone(),
            slopes: slopes.into_iter().map(|ValueSlopes { parameters, start }| (parameters, start)).collect(),
            step: run.plan.step,
        })
    }

    /// Begins where the motion does; its row gets the derivatives.
    fn begin(&mut self, motion: &dyn March, velocities: &[f64], row: &mut [f64]) -> Result<(), SolveFailure> {
        let Tangents { start, state, places, .. } = &mut self.tangents;
        start.run(&start_inputs(&self.start.values, self.step))?;
        let by = self.slopes.len();
        let stated = self.slopes.first().map_or(0, |(_, start)| start.len());
        let given: Vec<f64> = (0..stated + places.len())
            .flat_map(|row| self.slopes.iter().map(move |slopes| (row, slopes)))
            .map(|(row, (parameters, start))| match row.checked_sub(stated) {
                None => start[row],
                Some(at) => parameters[places[at]],
            })
            .collect();
        let mut derivative = product(start.derivative(), &given, *state, stated + places.len(), by);
        derivative.extend_from_slice(&given[stated * by..]);
        self.flow = TangentFlow {
            state: motion.state().to_vec(),
            velocity: velocities.to_vec(),
            time: motion.time(),
            derivative,
            by,
        };
        self.tangents.observe(&self.flow).map(|observed| self.write(&self.flow, &observed, row))
    }

    /// Goes on to where the motion is; its row gets the derivatives.
    pub fn follow(&mut self, motion: &dyn March, velocities: &[f64], row: &mut [f64]) -> Result<(), SolveFailure> {
        if self.flow.state.is_empty() {
            return self.begin(motion, velocities, row);
        }
        self.flow = self.reached(motion.state(), motion.time(), velocities)?;
        self.tangents.observe(&self.flow).map(|observed| self.write(&self.flow, &observed, row))
    }

    /// Gives a row inside the step that begins where the motion was seen last its derivatives.
    pub fn look(&mut self, state: &[f64], velocities: &[f64], row: &mut [f64]) -> Result<(), SolveFailure> {
        let flow = self.reached(state, row[TIME], velocities)?;
        self.tangents.observe(&flow).map(|observed| self.write(&flow, &observed, row))
    }

    fn reached(&mut self, state: &[f64], time: f64, velocities: &[f64]) -> Result<TangentFlow, SolveFailure> {
        let mut flow = self.flow.clone();
        let h = time - flow.time;
        // The time of a whole step is a product, and the step is its own size.
        let h = if (h - self.step).abs() <= 1e-9 * self.step.abs() { self.step } else { h };
        if h != 0.0 {
            self.tangents.step(&mut flow, h)?;
        }
        flow.state.copy_from_slice(state);
        flow.velocity.copy_from_slice(velocities);
        flow.time = time;
        Ok(flow)
    }

    /// Name by name, what is seen.
    fn write(&self, flow: &TangentFlow, observed: &[f64], row: &mut [f64]) {
        let by = flow.by;
        let values = (0..by).flat_map(|name| self.seen.iter().map(move |seen| (name, *seen)));
        for (place, (name, seen)) in row[self.first..].iter_mut().zip(values) {
            *place = match seen {
                DerivativeSource::State(at) => flow.derivative[at * by + name],
                DerivativeSource::Observed(at) => observed[at * by + name],
            };
        }
    }
}

impl Tangents {
    fn step(&mut self, flow: &mut TangentFlow, h: f64) -> Result<(), SolveFailure> {
        let (n, by) = (self.state, flow.by);
        let mut elapsed = 0.0;
        for fraction in &self.substeps {
            let inputs = [&flow.state[..], &[flow.time + elapsed * h, fraction * h], &flow.velocity].concat();
            self.step.run(&inputs)?;
            let next = product(self.step.derivative(), &flow.derivative, n, n + self.places.len(), by);
            flow.derivative[..n * by].copy_from_slice(&next);
            flow.state.copy_from_slice(self.step.outputs());
            elapsed += fraction;
        }
        Ok(())
    }

    /// How what is observed changes.
    fn observe(&mut self, flow: &TangentFlow) -> Result<Vec<f64>, SolveFailure> {
        let inputs = [&flow.state[..], &[flow.time], &flow.velocity].concat();
        self.observe.run(&inputs)?;
        let (observed, given) = (self.observe.outputs().len(), self.state + self.places.len());
        Ok(product(self.observe.derivative(), &flow.derivative, observed, given, flow.by))
    }
}

/// Where the derivatives of the columns that have some come from, in their order.
fn seen(observables: &Observables) -> Vec<DerivativeSource> {
    let sources = ColumnSource::of_all(observables);
    let asked: Vec<usize> = asked_outputs(observables).collect();
    let behind = 2 * observables.coordinates;
    let of_column = |(column, source): (usize, ColumnSource)| {
        let is_asked = observables.columns[column].role() == extremal_trajectory::Role::Asked;
        match source {
            _ if !super::is_differentiated(&observables.columns[column]) => None,
            ColumnSource::State(at) => Some(DerivativeSource::State(at)),
            ColumnSource::Observed(at) if !is_asked => Some(DerivativeSource::Observed(at)),
            ColumnSource::Observed(at) => {
                asked.iter().position(|output| behind + output == at).map(|at| DerivativeSource::Observed(behind + at))
            }
            ColumnSource::Time | ColumnSource::Estimate => None,
        }
    };
    sources.into_iter().enumerate().filter_map(of_column).collect()
}
