//! Events that change the state of a motion, in the words of the model file.

use super::ModelBuilder;
use super::value::{Value, inline, key, line};
use crate::Direction;

impl ModelBuilder {
    /// Gives parts of the state other values where the expression crosses zero: `[("y'", "-e*y'")]`.
    ///
    /// ```
    /// use extremal::{Direction, Model};
    /// let model = Model::builder("Ball")
    ///     .coordinate("y", 1.0)
    ///     .lagrangian("y'^2/2 - 9.81*y")
    ///     .event("bounce", "y", Direction::Falling, &[("y'", "-y'/2")])
    ///     .build()?;
    /// let run = model.simulate().step(0.01).until(1.0).run()?;
    /// // It falls for 0.45, and for as long again it is in the air after the first bounce.
    /// assert_eq!(run.events()[0].count, 2);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn event(self, name: &str, expression: &str, direction: Direction, set: &[(&str, &str)]) -> Self {
        let set: Vec<String> = set.iter().map(|(quantity, value)| line(&key(quantity), *value)).collect();
        let entries =
            [line("when", expression), line("direction", direction.name()), format!("set = {}", inline(&set))];
        self.table("events", name, &entries)
    }

    /// An obstacle, a condition on positions that holds along the motion: where it would be broken, velocities are thrown back, and this
    /// part of the speed of approach is left.
    ///
    /// ```
    /// use extremal::Model;
    /// let model = Model::builder("Elastic ball")
    ///     .coordinate("y", 1.0)
    ///     .lagrangian("y'^2/2 - 9.81*y")
    ///     .obstacle("floor", "y >= 0", 1)
    ///     .build()?;
    /// let run = model.simulate().step(0.01).until(100.0).run()?;
    /// assert!(run.energy().max_drift() < 1e-10);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn obstacle(self, name: &str, condition: &str, restitution: impl Into<Value>) -> Self {
        self.table("events", name, &[line("obstacle", condition), line("restitution", restitution)])
    }
}
