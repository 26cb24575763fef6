//! States between the steps: dense output.

use super::integrator::weigh;
use super::rates::{StepBegin, StepRates};
use super::{AdaptiveError, AdaptiveIntegrator};

impl AdaptiveIntegrator {
    /// The state at a time within the step taken last.
    ///
    /// # Errors
    /// [`AdaptiveError::Time`] if the time lies outside, [`AdaptiveError::RightHandSide`] from the evaluations that the
    /// polynomial of DOP853 needs, once per step.
    ///
    /// # Panics
    /// If `out` is not as long as the state.
    pub fn interpolate<E>(
        &mut self,
        t: f64,
        rhs: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
        out: &mut [f64],
    ) -> Result<(), AdaptiveError<E>> {
        self.interpolate_by(t, rhs, out)
    }

    /// The same with equations whose steps may be programs.
    pub(crate) fn interpolate_by<E>(
        &mut self,
        t: f64,
        rhs: &mut impl StepRates<E>,
        out: &mut [f64],
    ) -> Result<(), AdaptiveError<E>> {
        if t == self.t {
            out.copy_from_slice(&self.y);
            return Ok(());
        }
        let h = self.t - self.t_before;
        let part = (t - self.t_before) / h;
        if !(0.0..=1.0).contains(&part) {
            return Err(AdaptiveError::Time { time: t });
        }
        if !self.dense_ready {
            self.prepare_dense(h, rhs).map_err(|cause| AdaptiveError::RightHandSide { t: self.t_before, cause })?;
        }
        let n = self.y.len();
        assert_eq!(out.len(), n, "room for the whole state");
        let left = 1.0 - part;
        for (i, out) in out.iter_mut().enumerate() {
            let (start, difference) = (self.y_before[i], self.y[i] - self.y_before[i]);
            let bend = h * self.k[i] - difference;
            let twist = difference - h * self.k[self.tableau.end() * n + i] - bend;
            // From the innermost bracket outwards the factors alternate between the part done and the part left.
            let mut sum = 0.0;
            for (place, higher) in self.dense.chunks_exact(n).enumerate().rev() {
                sum = (sum + higher[i]) * if place % 2 == 0 { left } else { part };
            }
            *out = start + part * (difference + left * (bend + part * (twist + sum)));
        }
        Ok(())
    }

    /// Finds the coefficients beyond those of the cubic polynomial.
    fn prepare_dense<E>(&mut self, h: f64, rhs: &mut impl StepRates<E>) -> Result<(), E> {
        let n = self.y.len();
        let time = self.t_before;
        let begin = StepBegin { state: &self.y_before, rates: &self.k, time, length: h, end: self.t };
        if let Some(coefficients) = rhs.whole_dense(&begin) {
            self.dense.copy_from_slice(coefficients);
            self.work.evaluations += self.tableau.dense_stages.len() as u64;
            self.dense_ready = true;
            return Ok(());
        }
        for (place, stage) in (self.tableau.end() + 1..).zip(self.tableau.dense_stages) {
            self.evaluate_stage(place, stage, self.t_before, h, true, rhs)?;
        }
        for (weights, out) in self.tableau.dense.iter().zip(self.dense.chunks_exact_mut(n.max(1))) {
            weigh(weights, &self.k, out);
            out.iter_mut().for_each(|value| *value *= h);
        }
        self.dense_ready = true;
        Ok(())
    }
}
