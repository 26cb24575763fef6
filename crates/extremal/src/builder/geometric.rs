//! Contact and Poisson systems, in the words of the model file.

use super::ModelBuilder;
use super::spec::EntropySpec;
use super::value::{Value, inline, key};

impl ModelBuilder {
    /// The action as a variable of the Lagrangian, and where it starts: a contact system, whose action has the rate L.
    ///
    /// ```
    /// use extremal::Model;
    /// let model = Model::builder("Damped oscillator")
    ///     .coordinate("x", 1.0)
    ///     .action("z", 0.0)
    ///     .lagrangian("x'^2/2 - x^2/2 - z/10")
    ///     .build()?;
    /// let run = model.simulate().step(0.01).until(10.0).run()?;
    /// // The energy decays as the contact form does, by exp(-t/10).
    /// assert!((run.end().get("energy").unwrap() - 0.5 * (-1f64).exp()).abs() < 1e-4);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn action(self, name: &str, start: impl Into<Value>) -> Self {
        self.with("action", &key(name), start)
    }

    /// The Hamiltonian of a Poisson system, which is stated with [`variable`](Self::variable) and [`bracket`](Self::bracket) alone.
    ///
    /// ```
    /// use extremal::Model;
    /// let model = Model::builder("Rigid body")
    ///     .variable("x", 1.0)
    ///     .variable("y", 0.5)
    ///     .variable("z", 0.2)
    ///     .bracket("x", "y", "-z")
    ///     .bracket("y", "z", "-x")
    ///     .bracket("z", "x", "-y")
    ///     .poisson_hamiltonian("x^2/2 + y^2/4 + z^2/6")
    ///     .build()?;
    /// let end = model.simulate().step(0.01).until(10.0).run()?;
    /// let length: f64 = ["x", "y", "z"].iter().map(|name| end.end().get(name).unwrap().powi(2)).sum();
    /// assert!((length - 1.29).abs() < 1e-12);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn poisson_hamiltonian(self, expression: &str) -> Self {
        self.with("poisson", "hamiltonian", expression)
    }

    /// A variable of a Poisson system and where it starts.
    pub fn variable(self, name: &str, spec: impl Into<EntropySpec>) -> Self {
        self.stated("poisson", &format!("variables.{}", key(name)), inline(&spec.into().entries))
    }

    /// The bracket of two variables of a Poisson system; that of the second with the first is minus it.
    pub fn bracket(self, first: &str, second: &str, value: impl Into<Value>) -> Self {
        self.with("poisson", &format!("brackets.{}", key(&format!("{first},{second}"))), value)
    }
}
