//! What an integrator asks of the equations it follows.

/// Where a step begins.
#[derive(Clone, Copy)]
pub(crate) struct StepBegin<'a> {
    pub state: &'a [f64],
    /// The rates there, and at stages of the step that are known.
    pub rates: &'a [f64],
    pub time: f64,
    pub length: f64,
    pub end: f64,
}

/// The right-hand side of `y' = f(t, y)`.
pub(crate) trait StepRates<E> {
    /// Writes the rates at a time and state.
    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), E>;

    /// A step as [`WholeStep::step`](super::WholeStep::step) has it, if it is one program and works out. Otherwise its stages are
    /// evaluated one after the other, which also tells what is wrong.
    fn whole_step(&mut self, _: &StepBegin<'_>) -> Option<&[f64]> {
        None
    }

    /// The same for the coefficients of dense output.
    fn whole_dense(&mut self, _: &StepBegin<'_>) -> Option<&[f64]> {
        None
    }
}

impl<E, F: FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>> StepRates<E> for F {
    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), E> {
        self(t, y, dy)
    }
}
