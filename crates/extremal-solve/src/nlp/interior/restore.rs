//! Into the restoration phase and back.

use std::cell::RefCell;
use std::ops::ControlFlow;

use super::restoration::Restoration;
use super::{ENOUGH, Interior, IterationObserver, ROUND_OFF};
use crate::nlp::standard::{Standard, largest};
use crate::nlp::{Iteration, NlpStatus};

impl Interior<'_, '_> {
    /// The restoration phase (section 3.3): no more than `enough` of the violation, at a point that the filter accepts.
    pub(super) fn restore(&mut self, enough: f64, observe: IterationObserver<'_>) -> Result<(), NlpStatus> {
        let old = (self.violation(&self.c), self.barrier(self.objective, &self.x));
        if !self.may_restore || largest(&self.c) <= self.options.tolerance {
            return Err(self.at_the_end());
        }
        self.filter.add(old.0, old.1);
        let mu = self.mu.max(largest(&self.c));
        let mut restoration = Restoration::about(self.problem, &self.x, mu.sqrt());
        let start = restoration.start(&self.c, mu);
        let n = self.x.len();
        let (status, x, z, line) = {
            let inner = RefCell::new(Standard::of(&mut restoration, &start, false));
            let mut solver = Interior::new(&inner, start, 0.0, mu, self.options);
            solver.may_restore = false;
            let clip = |z: &f64| z.min(1e3);
            solver.z_lower[..n].iter_mut().zip(&self.z_lower).for_each(|(to, from)| *to = clip(from));
            solver.z_upper[..n].iter_mut().zip(&self.z_upper).for_each(|(to, from)| *to = clip(from));
            for i in n..solver.x.len() {
                solver.z_lower[i] = mu / solver.x[i];
            }
            solver.line = Iteration { restoration: true, ..self.line };
            let outer = &*self;
            let status = solver.run(&mut |line, y| {
                let objective = outer.problem.borrow_mut().objective(&y[..n]);
                observe(&Iteration { objective, ..*line }, &y[..n])?;
                let (new, _) = outer.measure(&y[..n]);
                let back = new.0 <= enough * old.0 && outer.filter.accepts(new.0, new.1);
                if back && line.iteration > outer.line.iteration {
                    return ControlFlow::Break(NlpStatus::Solved);
                }
                ControlFlow::Continue(())
            });
            let z = (solver.z_lower[..n].to_vec(), solver.z_upper[..n].to_vec());
            (status, solver.x[..n].to_vec(), z, solver.line)
        };
        self.x = x;
        self.line.iteration = line.iteration.max(self.line.iteration + 1);
        self.evaluate();
        (self.z_lower, self.z_upper) = z;
        self.lambda.fill(0.0);
        match status {
            NlpStatus::Interrupted | NlpStatus::IterationLimit | NlpStatus::NotFinite => return Err(status),
            NlpStatus::Solved if self.violation(&self.c) <= ENOUGH * old.0 => {}
            NlpStatus::Solved | NlpStatus::Stalled | NlpStatus::Unbounded | NlpStatus::Infeasible => {
                return Err(match largest(&self.c) > ROUND_OFF * self.options.tolerance {
                    true if status == NlpStatus::Solved => NlpStatus::Infeasible,
                    true => NlpStatus::Stalled,
                    false => self.at_the_end(),
                });
            }
        }
        if !self.is_finite() {
            return Err(NlpStatus::NotFinite);
        }
        self.estimate_multipliers();
        Ok(())
    }
}
