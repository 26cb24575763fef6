//! A motion that goes on for as long as it is asked to.

use extremal_engine::run::End;

use crate::{Error, ErrorKind, State};

/// A motion on its way, compiled once: it takes as many steps as it is asked to, and its parameters can be changed in between.
///
/// ```
/// use extremal::Model;
/// let mut motion = Model::gallery("pendulum")?.march()?;
/// motion.advance(100)?;
/// let before = motion.state();
/// motion.set_parameter("l", 1.5)?;
/// assert_eq!(motion.parameter("l"), Some(1.5));
/// // What jumps is the velocity: the momentum stays.
/// motion.advance(1)?;
/// assert!((motion.state().p("theta") / before.p("theta") - 1.0).abs() < 0.1);
/// # Ok::<(), extremal::Error>(())
/// ```
pub struct Motion {
    motion: extremal_engine::run::RestartableMotion,
}

impl Motion {
    pub(crate) fn of(motion: extremal_engine::run::RestartableMotion) -> Motion {
        Motion { motion }
    }

    /// Takes so many steps, or fewer where a `[stop]` condition ends it.
    ///
    /// # Errors
    /// The motion cannot go on; it is then at its last good state.
    pub fn advance(&mut self, steps: u64) -> Result<(), Error> {
        self.motion.advance(steps)?;
        match self.motion.end() {
            Some(End::Failed(failure)) => Err(Error::new(ErrorKind::Motion, failure.to_string())),
            _ => Ok(()),
        }
    }

    /// Where it is.
    pub fn state(&self) -> State {
        State::new(self.motion.run().columns(), self.motion.row().to_vec())
    }

    /// The numbers of where it is, in the order of [`State::columns`].
    pub fn row(&self) -> &[f64] {
        self.motion.row()
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.motion.steps()
    }

    /// The `[stop]` condition that has ended it, or the event that accumulates.
    pub fn stopped_by(&self) -> Option<&str> {
        match self.motion.end() {
            Some(End::Stopped { condition: name } | End::Accumulated { event: name }) => Some(name),
            _ => None,
        }
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.motion.parameter(name)
    }

    /// Gives a parameter another value from now on; nothing is compiled again. Parameters that follow from it change too, unless they
    /// were set themselves. Positions, momenta and entropies stay, as those of a motion do whose Lagrangian jumps; the step stays.
    ///
    /// # Errors
    /// There is no such parameter ([`ErrorKind::Settings`]), the shape of the model depends on it ([`ErrorKind::Unsupported`]), or the
    /// motion cannot go on with it from where it is ([`ErrorKind::Singular`]). The motion is then as it was.
    pub fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), Error> {
        Ok(self.motion.set_parameter(name, value)?)
    }

    /// What should be known before the numbers are believed.
    pub fn warnings(&self) -> Vec<String> {
        self.motion.run().all_warnings(&self.motion.outcome())
    }
}
