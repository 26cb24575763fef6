//! Models stated in Rust instead of a file.

mod boundary;
mod spec;
mod value;

use std::fmt::Write as _;

use crate::{AtSingular, ConstraintForm, Direction, EntropyBase, Error, Method, Model, Start};

pub use boundary::{BoundarySpec, ControlSpec};
pub use spec::{ConstraintSpec, CoordinateSpec, EntropySpec};
pub use value::Value;

use value::{inline, key, quoted, specified, toml};

/// States a model in Rust, table by table, in the words of the model file.
///
/// The builder writes the model file it stands for and reads it like any other, so both ways share one validation and a mistake
/// is shown at the very characters.
///
/// ```
/// use extremal::{CoordinateSpec, Model};
/// let model = Model::builder("Damped spring")
///     .parameter("k", 4.0)
///     .parameter("c", 0.1)
///     .coordinate("x", CoordinateSpec::start(1.0).velocity(0.0))
///     .lagrangian("x'^2/2 - k*x^2/2")
///     .friction("x", "-c*x'")
///     .step(0.01)
///     .until(10.0)
///     .build()?;
/// assert_eq!(model.simulate().run()?.steps(), 1000);
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    top: TomlEntries,
    parameters: TomlEntries,
    coordinates: TomlEntries,
    entropies: TomlEntries,
    definitions: TomlEntries,
    dynamics: TomlEntries,
    forces: TomlEntries,
    friction: TomlEntries,
    /// Friction that says what it heats: the tables of each coordinate.
    heating: Vec<(String, Vec<String>)>,
    heat: TomlEntries,
    conduction: TomlEntries,
    constraints: TomlEntries,
    controls: TomlEntries,
    objective: TomlEntries,
    boundary: TomlEntries,
    invariants: TomlEntries,
    symmetries: TomlEntries,
    exact: TomlEntries,
    discrete: TomlEntries,
    force_minus: TomlEntries,
    force_plus: TomlEntries,
    discrete_entropy: TomlEntries,
    discrete_constraints: TomlEntries,
    stop: TomlEntries,
    simulation: TomlEntries,
}

/// Keys and values, as TOML.
type TomlEntries = Vec<(String, String)>;

impl ModelBuilder {
    pub(crate) fn new(name: &str) -> Self {
        ModelBuilder { top: vec![("name".to_owned(), quoted(name))], ..ModelBuilder::default() }
    }

    /// Where the system comes from.
    pub fn source(mut self, source: &str) -> Self {
        self.top.push(("source".to_owned(), quoted(source)));
        self
    }

    /// What the system shows.
    pub fn description(mut self, description: &str) -> Self {
        self.top.push(("description".to_owned(), quoted(description)));
        self
    }

    /// A parameter: a number, an expression of other parameters, or a list.
    pub fn parameter(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.parameters.push((key(name), toml(&value.into())));
        self
    }

    /// A coordinate and where it starts.
    pub fn coordinate(mut self, name: &str, spec: impl Into<CoordinateSpec>) -> Self {
        self.coordinates.push((key(name), specified(&spec.into().entries)));
        self
    }

    /// An entropy and where it starts.
    ///
    /// ```
    /// use extremal::Model;
    /// let model = Model::builder("Piston")
    ///     .coordinate("x", 1.0)
    ///     .entropy("S", 0.5)
    ///     .lagrangian("x'^2/2 - exp(S)/x")
    ///     .friction("x", "-x'/10")
    ///     .heat("S", "sin(t)^2")
    ///     .build()?;
    /// let run = model.simulate().step(0.01).until(1.0).run()?;
    /// assert!(run.end().get("S").unwrap() > 0.5);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn entropy(mut self, name: &str, spec: impl Into<EntropySpec>) -> Self {
        self.entropies.push((key(name), specified(&spec.into().entries)));
        self
    }

    /// A named expression.
    pub fn definition(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.definitions.push((key(name), toml(&value.into())));
        self
    }

    /// A family of named expressions of the member's number `i`.
    pub fn definition_family(mut self, name: &str, count: impl Into<Value>, value: &str) -> Self {
        let entries = [format!("count = {}", toml(&count.into())), format!("value = {}", quoted(value))];
        self.definitions.push((key(name), inline(&entries)));
        self
    }

    /// The Lagrangian.
    pub fn lagrangian(mut self, expression: &str) -> Self {
        self.dynamics.push(("lagrangian".to_owned(), quoted(expression)));
        self
    }

    /// An external force on a coordinate, or on a point: a definition of positions that is its coordinate.
    pub fn force(mut self, coordinate: &str, value: impl Into<Value>) -> Self {
        self.forces.push((key(coordinate), toml(&value.into())));
        self
    }

    /// A friction force on a coordinate, which heats the only entropy, if there is one.
    pub fn friction(mut self, coordinate: &str, value: impl Into<Value>) -> Self {
        self.friction.push((key(coordinate), toml(&value.into())));
        self
    }

    /// A friction force on a coordinate and the entropies it heats, with their shares; a coordinate may have several.
    pub fn friction_heating(mut self, coordinate: &str, force: impl Into<Value>, shares: &[(&str, Value)]) -> Self {
        let shares: Vec<_> = shares.iter().map(|(of, share)| format!("{} = {}", key(of), toml(share))).collect();
        let term = inline(&[format!("force = {}", toml(&force.into())), format!("heats = {}", inline(&shares))]);
        let coordinate = key(coordinate);
        match self.heating.iter_mut().find(|(of, _)| *of == coordinate) {
            Some((_, terms)) => terms.push(term),
            None => self.heating.push((coordinate, vec![term])),
        }
        self
    }

    /// A dry friction on a coordinate: its bound, and, where they are stated, the bound while it sticks and the velocity along which
    /// the contact slides.
    ///
    /// ```
    /// use extremal::{CoordinateSpec, Model};
    /// let model = Model::builder("Block")
    ///     .coordinate("x", CoordinateSpec::start(0.0).velocity(1.0))
    ///     .lagrangian("x'^2/2")
    ///     .dry_friction("x", "3", Some("4"), None)
    ///     .build()?;
    /// // It comes to rest after a third of a second.
    /// let run = model.simulate().step(0.01).until(1.0).run()?;
    /// assert!(run.end().v("x").abs() < 1e-9);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn dry_friction(mut self, coordinate: &str, bound: &str, holding: Option<&str>, along: Option<&str>) -> Self {
        let stated = [("dry", Some(bound)), ("static", holding), ("along", along)];
        let entries = stated.iter().filter_map(|(key, value)| Some(format!("{key} = {}", quoted(value.as_ref()?))));
        self.friction.push((key(coordinate), inline(&entries.collect::<Vec<_>>())));
        self
    }

    /// Friction by Rayleigh's function of positions and velocities, which heats the only entropy, if there is one.
    ///
    /// ```
    /// use extremal::{CoordinateSpec, Model};
    /// let model = Model::builder("Damped spring")
    ///     .coordinate("x", CoordinateSpec::start(1.0))
    ///     .lagrangian("x'^2/2 - x^2/2")
    ///     .dissipation("x'^2/20")
    ///     .build()?;
    /// assert!(model.equations().solved()?.contains("x'' = -x - x'/10"));
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn dissipation(mut self, function: &str) -> Self {
        self.dynamics.push(("dissipation".to_owned(), quoted(function)));
        self
    }

    /// The friction of the thermodynamic Herglotz principle, `(dL/dS)(dL/dv)`.
    pub fn herglotz(mut self) -> Self {
        self.dynamics.push(("friction".to_owned(), quoted("herglotz")));
        self
    }

    /// A heat power into an entropy.
    pub fn heat(mut self, entropy: &str, power: impl Into<Value>) -> Self {
        self.heat.push((key(entropy), toml(&power.into())));
        self
    }

    /// A wall that conducts heat between two entropies.
    pub fn conduction(mut self, name: &str, between: [&str; 2], conductance: impl Into<Value>) -> Self {
        self.conduction.push((key(name), inline(&wall(between, &conductance.into()))));
        self
    }

    /// A family of walls, with entropies and conductance in terms of the member's number `i`.
    pub fn conduction_family(
        mut self,
        name: &str,
        count: impl Into<Value>,
        between: [&str; 2],
        conductance: impl Into<Value>,
    ) -> Self {
        let mut entries = wall(between, &conductance.into());
        entries.push(format!("count = {}", toml(&count.into())));
        self.conduction.push((key(name), inline(&entries)));
        self
    }

    /// A constraint: its equation, or more with a [`ConstraintSpec`].
    ///
    /// ```
    /// use extremal::{ConstraintKind, ConstraintSpec, Model};
    /// let model = Model::builder("Skate on an incline")
    ///     .coordinate("x", 0.0)
    ///     .coordinate("y", 0.0)
    ///     .coordinate("a", 0.0)
    ///     .lagrangian("(x'^2 + y'^2 + a'^2)/2 + x")
    ///     .constraint("blade", ConstraintSpec::equation("y'*cos(a) = x'*sin(a)").kind(ConstraintKind::Vakonomic))
    ///     .build()?;
    /// assert_eq!(model.coordinates(), ["x", "y", "a"]);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn constraint(mut self, name: &str, spec: impl Into<ConstraintSpec>) -> Self {
        self.constraints.push((key(name), specified(&spec.into().entries)));
        self
    }

    /// A control: the coordinate it acts on, or more with a [`ControlSpec`].
    ///
    /// ```
    /// use extremal::{BoundarySpec, ControlSpec, Model};
    /// let model = Model::builder("Double integrator")
    ///     .coordinate("x", -1.0)
    ///     .lagrangian("x'^2/2")
    ///     .control("u", ControlSpec::on("x").min(-10.0).max(10.0))
    ///     .running_cost("u^2/2")
    ///     .boundary(BoundarySpec::duration(1.0).start("x", -1.0).start("x'", 0.0).end("x", 0.0).end("x'", 0.0))
    ///     .build()?;
    /// assert!((model.solve().steps(50).run()?["u"][0] - 6.0).abs() < 0.2);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn control(mut self, name: &str, spec: impl Into<ControlSpec>) -> Self {
        self.controls.push((key(name), spec.into().to_toml()));
        self
    }

    /// The cost per time that the controls are to make as small as possible.
    pub fn running_cost(mut self, expression: &str) -> Self {
        self.objective.push(("running".to_owned(), quoted(expression)));
        self
    }

    /// The cost of the end that the controls are to make as small as possible.
    pub fn terminal_cost(mut self, expression: &str) -> Self {
        self.objective.push(("terminal".to_owned(), quoted(expression)));
        self
    }

    /// Between which ends the motion is to be found.
    pub fn boundary(mut self, spec: BoundarySpec) -> Self {
        self.boundary = spec.table();
        self
    }

    /// A quantity to be watched because it should stay constant.
    pub fn invariant(mut self, name: &str, expression: &str) -> Self {
        self.invariants.push((key(name), quoted(expression)));
        self
    }

    /// The generator of a symmetry, by coordinate.
    pub fn symmetry(mut self, name: &str, generator: &[(&str, &str)]) -> Self {
        let entries: Vec<_> = generator.iter().map(|(of, value)| format!("{} = {}", key(of), quoted(value))).collect();
        self.symmetries.push((key(name), inline(&entries)));
        self
    }

    /// The closed form of a coordinate or entropy along the motion.
    pub fn exact(mut self, quantity: &str, expression: &str) -> Self {
        self.exact.push((key(quantity), quoted(expression)));
        self
    }

    /// The user's own discrete Lagrangian, in `x_0`, `x_1` and `h`.
    pub fn discrete_lagrangian(mut self, expression: &str) -> Self {
        self.discrete.push(("lagrangian".to_owned(), quoted(expression)));
        self
    }

    /// The user's own discrete forces on a coordinate, at the beginning and at the end of a step.
    pub fn discrete_forces(mut self, coordinate: &str, minus: impl Into<Value>, plus: impl Into<Value>) -> Self {
        self.force_minus.push((key(coordinate), toml(&minus.into())));
        self.force_plus.push((key(coordinate), toml(&plus.into())));
        self
    }

    /// The user's own rule for an entropy: an expression that vanishes over each step, in `x_0`, `x_1`, `S_0`, `S_1` and `h`.
    pub fn discrete_entropy(mut self, entropy: &str, expression: &str) -> Self {
        self.discrete_entropy.push((key(entropy), quoted(expression)));
        self
    }

    /// The user's own discrete form of a constraint: an equation in `x_0`, `x_1`, `h` and `t`.
    pub fn discrete_constraint(mut self, constraint: &str, equation: impl Into<Value>) -> Self {
        self.discrete_constraints.push((key(constraint), toml(&equation.into())));
        self
    }

    /// Ends a run where the expression crosses zero.
    pub fn stop(mut self, name: &str, expression: &str, direction: Direction) -> Self {
        let entries = [format!("when = {}", quoted(expression)), format!("direction = {}", quoted(direction.name()))];
        self.stop.push((key(name), inline(&entries)));
        self
    }

    /// The method of integration.
    pub fn method(self, method: Method) -> Self {
        self.simulated("method", quoted(&method.to_string()))
    }

    /// The time step.
    pub fn step(self, step: impl Into<Value>) -> Self {
        self.simulated("step", toml(&step.into()))
    }

    /// The time to run to.
    pub fn until(self, time: impl Into<Value>) -> Self {
        self.simulated("until", toml(&time.into()))
    }

    /// The number of steps to run.
    pub fn steps(self, steps: u64) -> Self {
        self.simulated("steps", steps.to_string())
    }

    /// How the first step is made.
    pub fn start(self, start: Start) -> Self {
        self.simulated("start", quoted(start.name()))
    }

    /// Where a step evaluates the entropies.
    pub fn entropy_base(self, base: EntropyBase) -> Self {
        self.simulated("entropy", quoted(base.name()))
    }

    /// How a step keeps the holonomic constraints.
    pub fn constraint_form(self, form: ConstraintForm) -> Self {
        self.simulated("constraints", quoted(form.name()))
    }

    /// Whether a start that violates the constraints is moved to the nearest one that does not.
    pub fn project(self, project: bool) -> Self {
        self.simulated("project", project.to_string())
    }

    /// What a run does at a singular configuration of its constraints.
    pub fn at_singular(self, rule: AtSingular) -> Self {
        self.simulated("singular", quoted(rule.name()))
    }

    /// Record every so many steps.
    pub fn record(self, every: u64) -> Self {
        self.simulated("record", every.to_string())
    }

    /// The tolerance of the solver.
    pub fn tolerance(self, tolerance: f64) -> Self {
        self.simulated("tolerance", toml(&Value::Number(tolerance)))
    }

    fn simulated(mut self, key: &str, value: String) -> Self {
        self.simulation.push((key.to_owned(), value));
        self
    }

    /// The model file that says the same.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        let mut friction = self.friction.clone();
        friction.extend(self.heating.iter().map(|(of, terms)| (of.clone(), format!("[{}]", terms.join(", ")))));
        let tables = [
            ("", &self.top),
            ("parameters", &self.parameters),
            ("coordinates", &self.coordinates),
            ("entropies", &self.entropies),
            ("definitions", &self.definitions),
            ("dynamics", &self.dynamics),
            ("forces", &self.forces),
            ("friction", &friction),
            ("heat", &self.heat),
            ("conduction", &self.conduction),
            ("constraints", &self.constraints),
            ("controls", &self.controls),
            ("objective", &self.objective),
            ("boundary", &self.boundary),
            ("invariants", &self.invariants),
            ("symmetries", &self.symmetries),
            ("exact", &self.exact),
            ("discrete", &self.discrete),
            ("discrete.force_minus", &self.force_minus),
            ("discrete.force_plus", &self.force_plus),
            ("discrete.entropy", &self.discrete_entropy),
            ("discrete.constraints", &self.discrete_constraints),
            ("stop", &self.stop),
            ("simulation", &self.simulation),
        ];
        for (name, table) in tables {
            if table.is_empty() {
                continue;
            }
            if !name.is_empty() {
                let _ = writeln!(out, "\n[{name}]");
            }
            for (key, value) in table {
                let _ = writeln!(out, "{key} = {value}");
            }
        }
        out
    }

    /// The model.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn build(&self) -> Result<Model, Error> {
        Model::parse(&self.to_toml())
    }
}

fn wall(between: [&str; 2], conductance: &Value) -> Vec<String> {
    let between = between.map(quoted).join(", ");
    vec![format!("between = [{between}]"), format!("conductance = {}", toml(conductance))]
}
