//! A step that Newton's method does not find, followed from shorter ones.

use super::{Marcher, Reason};
use crate::failure::SolveFailure;
use crate::kernel::{Guess, Work};

/// The part of the step that is tried first, and the smallest by which it is made longer.
const FIRST: f64 = 1.0 / 16.0;
const SMALLEST: f64 = 1.0 / 1024.0;
/// How much bolder to be after a success.
const BOLDER: f64 = 1.5;
/// Solutions that are tried on the way to one step.
const MOST_TRIES: usize = 64;

/// The solutions for the last two parts of a step, and how long they were.
#[derive(Clone)]
pub(super) struct Followed {
    parts: [f64; 2],
    unknowns: [Vec<f64>; 2],
    /// The longest step that had a solution where the one that was asked for has none.
    longest: Option<f64>,
}

impl Followed {
    pub fn new(unknowns: usize) -> Self {
        Followed { parts: [0.0; 2], unknowns: [vec![0.0; unknowns], vec![0.0; unknowns]], longest: None }
    }

    pub fn forget(&mut self) {
        self.longest = None;
    }

    pub fn longest(&self) -> Option<f64> {
        self.longest
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

impl Marcher {
    /// Solves the step from `begin` of size `h`, whose inputs are set and whose solution was not found or breaks a guard, by making
    /// a shorter one longer and longer. What it gives when that ends early is `outcome`.
    pub(super) fn follow(&mut self, begin: f64, h: f64, outcome: Result<Work, SolveFailure>) -> Result<Work, Reason> {
        let n = self.state.len();
        let broken = self.next[n..].iter().position(|holds| *holds == 0.0).filter(|_| outcome.is_ok());
        self.followed.forget();
        if !self.scheme.step.unknowns().is_empty() && self.first_guess(begin).is_ok() {
            let mut followed = std::mem::replace(&mut self.followed, Followed::new(0));
            let found = self.follow_with(begin, h, &mut followed);
            self.followed = followed;
            if let Some(work) = found {
                return Ok(work);
            }
        }
        if let Some(at) = broken {
            // However short the steps, the motion leaves.
            self.followed.forget();
            return Err(Reason::broken(&self.scheme.guards, self.scheme.laws, at));
        }
        Ok(outcome?)
    }

    fn follow_with(&mut self, begin: f64, h: f64, followed: &mut Followed) -> Option<Work> {
        let n = self.state.len();
        followed.parts = [0.0; 2];
        followed.unknowns.iter_mut().for_each(|unknowns| unknowns.fill(0.0));
        self.inputs[n] = begin;
        let mut total = Work::default();
        let (mut done, mut ahead) = (0.0f64, FIRST);
        for _ in 0..MOST_TRIES {
            if ahead < SMALLEST {
                break;
            }
            let part = (done + ahead).min(1.0);
            self.inputs[n + 1] = part * h;
            let guess = if done == 0.0 { Guess::Formula } else { Guess::Given };
            if guess == Guess::Given {
                followed.predict(part, self.scheme.step.unknowns_mut());
            }
            match self.scheme.step.run(&self.inputs, guess, &mut self.next) {
                Ok(work) if !self.next[n..].contains(&0.0) => {
                    total.iterations += work.iterations;
                    if part == 1.0 {
                        return Some(Work { iterations: total.iterations, ..work });
                    }
                    followed.push(part, self.scheme.step.unknowns());
                    (done, ahead) = (part, BOLDER * ahead);
                }
                _ => ahead *= 0.5,
            }
        }
        // A part of a substep says nothing about the whole.
        followed.longest = (done > 0.0 && self.scheme.substeps.len() == 1).then_some(done * h);
        None
    }
}
