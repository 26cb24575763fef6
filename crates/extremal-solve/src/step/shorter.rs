//! A step that Newton's method does not find, followed from shorter ones.

use super::StepSolver;
use crate::failure::{Reason, SolveFailure};
use crate::kernel::{GuessSource, Work};

/// The part of the step that is tried first, and the smallest by which it is made longer.
const FIRST: f64 = 1.0 / 16.0;
const SMALLEST: f64 = 1.0 / 1024.0;
/// How much bolder to be after a success.
const BOLDER: f64 = 1.5;
/// Solutions that are tried on the way to one step.
const MOST_TRIES: usize = 64;

/// The solutions for the last two parts of a step, and how long they were.
#[derive(Clone)]
pub(super) struct ShorterSteps {
    parts: [f64; 2],
    unknowns: [Vec<f64>; 2],
    /// The longest step that had a solution where the one that was asked for has none.
    longest: Option<f64>,
}

impl ShorterSteps {
    pub fn new(unknowns: usize) -> Self {
        ShorterSteps { parts: [0.0; 2], unknowns: [vec![0.0; unknowns], vec![0.0; unknowns]], longest: None }
    }

    pub fn forget(&mut self) {
        self.longest = None;
    }

    pub fn longest(&self) -> Option<f64> {
        self.longest
    }

    fn begin(&mut self) {
        self.parts = [0.0; 2];
        self.unknowns.iter_mut().for_each(|unknowns| unknowns.fill(0.0));
    }

    /// Extends the line through both solutions, or the one through zero and the first of them, to a longer part.
    fn predict(&self, part: f64, guess: &mut [f64]) {
        let [before, last] = self.parts;
        let ahead = (part - last) / (last - before);
        for ((guess, before), last) in guess.iter_mut().zip(&self.unknowns[0]).zip(&self.unknowns[1]) {
            *guess = last + ahead * (last - before);
        }
    }

    fn push(&mut self, part: f64, unknowns: &[f64]) {
        self.parts = [self.parts[1], part];
        self.unknowns.swap(0, 1);
        self.unknowns[1].copy_from_slice(unknowns);
    }
}

impl StepSolver {
    /// Solves the substep of size `h` from `time`, whose inputs are set and whose solution was not found or breaks a guard, by making
    /// a shorter one longer and longer. What it gives when that ends early is `outcome`.
    pub(super) fn follow(
        &mut self,
        state: &[f64],
        time: f64,
        h: f64,
        outcome: Result<Work, SolveFailure>,
    ) -> Result<Work, Reason> {
        let broken = self.guards.broken(&self.next[state.len()..]).filter(|_| outcome.is_ok());
        self.shorter.forget();
        if !self.is_explicit()
            && self.first_guess(state, time).is_ok()
            && let Some(work) = self.lengthen(h)
        {
            return Ok(work);
        }
        if let Some(reason) = broken {
            // However short the steps, the motion leaves.
            self.shorter.forget();
            return Err(reason);
        }
        Ok(outcome?)
    }

    fn lengthen(&mut self, h: f64) -> Option<Work> {
        self.shorter.begin();
        let mut iterations = 0;
        let (mut done, mut ahead) = (0.0f64, FIRST);
        for _ in 0..MOST_TRIES {
            if ahead < SMALLEST {
                break;
            }
            let part = (done + ahead).min(1.0);
            self.inputs.set_step(part * h);
            let guess = if done == 0.0 { GuessSource::Formula } else { GuessSource::Given };
            if guess == GuessSource::Given {
                self.shorter.predict(part, self.newton.unknowns_mut());
            }
            match self.solve(guess) {
                Ok(work) if self.holds() => {
                    iterations += work.iterations;
                    if part == 1.0 {
                        return Some(Work { iterations, ..work });
                    }
                    self.shorter.push(part, self.newton.unknowns());
                    (done, ahead) = (part, BOLDER * ahead);
                }
                _ => ahead *= 0.5,
            }
        }
        // A part of a substep says nothing about the whole.
        self.shorter.longest = (done > 0.0 && self.substeps.len() == 1).then_some(done * h);
        None
    }
}
