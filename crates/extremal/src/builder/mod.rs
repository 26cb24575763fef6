//! Models stated in Rust instead of a file.

mod boundary;
mod events;
mod geometric;
mod spec;
mod value;

use std::collections::BTreeMap;
use std::fmt;

use extremal_engine::model::ModelTable;

use crate::{AtSingular, ConstraintForm, Direction, EntropyBase, Error, Method, Model, Pacing, Start};

pub use boundary::BoundarySpec;
pub use spec::{AmountSpec, ConstraintSpec, ControlSpec, CoordinateSpec, EntropySpec, PortSpec, StateSpec, TableSpec};
pub use value::Value;

use value::{inline, key, line, toml};

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
    /// The lines of each table; those above the first have no name.
    tables: BTreeMap<&'static str, Vec<String>>,
    /// Friction that says what it heats: the tables of each coordinate.
    heating: Vec<(String, Vec<String>)>,
}

impl ModelBuilder {
    pub(crate) fn new(name: &str) -> Self {
        ModelBuilder::default().with("", "name", name)
    }

    /// Where the system comes from.
    pub fn source(self, source: &str) -> Self {
        self.with("", "source", source)
    }

    /// What the system shows.
    pub fn description(self, description: &str) -> Self {
        self.with("", "description", description)
    }

    /// A parameter: a number, an expression of other parameters, or a list.
    pub fn parameter(self, name: &str, value: impl Into<Value>) -> Self {
        self.with("parameters", &key(name), value)
    }

    /// A coordinate and where it starts.
    pub fn coordinate(self, name: &str, spec: impl Into<CoordinateSpec>) -> Self {
        self.table("coordinates", name, &spec.into().entries)
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
    pub fn entropy(self, name: &str, spec: impl Into<EntropySpec>) -> Self {
        self.table("entropies", name, &spec.into().entries)
    }

    /// A quantity with an equation of first order: its rate, and where it starts.
    ///
    /// ```
    /// use extremal::{Model, StateSpec};
    /// let decay = Model::builder("Decay").state("x", StateSpec::rate("-x").start(1.0)).build()?;
    /// let run = decay.simulate().step(0.01).until(1.0).run()?;
    /// assert!((run.end().get("x").unwrap() - (-1.0f64).exp()).abs() < 1e-5);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn state(self, name: &str, spec: impl Into<StateSpec>) -> Self {
        self.table("states", name, &spec.into().entries)
    }

    /// A function that is given by numbers, called as `name(x)`.
    pub fn tabulated(self, name: &str, spec: TableSpec) -> Self {
        self.table("tables", name, &spec.entries)
    }

    /// A named expression.
    pub fn definition(self, name: &str, value: impl Into<Value>) -> Self {
        self.with("definitions", &key(name), value)
    }

    /// A family of named expressions of the member's number `i`.
    pub fn definition_family(self, name: &str, count: impl Into<Value>, value: &str) -> Self {
        self.table("definitions", name, &[line("count", count), line("value", value)])
    }

    /// The Lagrangian.
    pub fn lagrangian(self, expression: &str) -> Self {
        self.with("dynamics", "lagrangian", expression)
    }

    /// The Hamiltonian, instead of a Lagrangian: an expression of positions, momenta (`p_x` is that of `x`), entropies, time and
    /// parameters.
    ///
    /// ```
    /// use extremal::{CoordinateSpec, Model};
    /// let model = Model::builder("electron")
    ///     .coordinate("x", CoordinateSpec::start(1.0).momentum(0.5))
    ///     .hamiltonian("sqrt(1 + p_x^2) + x^2/2")
    ///     .build()?;
    /// let run = model.simulate().method("trapezoidal".parse()?).step(0.01).until(1.0).run()?;
    /// assert!((run["energy"].last().unwrap() - run["energy"][0]).abs() < 1e-5);
    /// assert_eq!(run["p_x"][0], 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hamiltonian(self, expression: &str) -> Self {
        self.with("dynamics", "hamiltonian", expression)
    }

    /// An external force on a coordinate, or on a point: a definition of positions that is its coordinate.
    pub fn force(self, coordinate: &str, value: impl Into<Value>) -> Self {
        self.with("forces", &key(coordinate), value)
    }

    /// A friction force on a coordinate, which heats the only entropy, if there is one.
    pub fn friction(self, coordinate: &str, value: impl Into<Value>) -> Self {
        self.with("friction", &key(coordinate), value)
    }

    /// A friction force on a coordinate and the entropies it heats, with their shares; a coordinate may have several.
    pub fn friction_heating(mut self, coordinate: &str, force: impl Into<Value>, shares: &[(&str, Value)]) -> Self {
        let shares: Vec<_> = shares.iter().map(|(of, share)| line(&key(of), share.clone())).collect();
        let term = inline(&[line("force", force), format!("heats = {}", inline(&shares))]);
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
    pub fn dry_friction(self, coordinate: &str, bound: &str, holding: Option<&str>, along: Option<&str>) -> Self {
        let stated = [("dry", Some(bound)), ("static", holding), ("along", along)];
        let entries = stated.iter().filter_map(|(key, value)| Some(line(key, (*value)?)));
        self.table("friction", coordinate, &entries.collect::<Vec<_>>())
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
    pub fn dissipation(self, function: &str) -> Self {
        self.with("dynamics", "dissipation", function)
    }

    /// The friction of the thermodynamic Herglotz principle, `(dL/dS)(dL/dv)`.
    pub fn herglotz(self) -> Self {
        self.with("dynamics", "friction", "herglotz")
    }

    /// A heat power into an entropy.
    pub fn heat(self, entropy: &str, power: impl Into<Value>) -> Self {
        self.with("heat", &key(entropy), power)
    }

    /// A wall that conducts heat between two entropies.
    pub fn conduction(self, name: &str, between: [&str; 2], conductance: impl Into<Value>) -> Self {
        self.table("conduction", name, &[line("between", between), line("conductance", conductance)])
    }

    /// A family of walls, with entropies and conductance in terms of the member's number `i`.
    pub fn conduction_family(
        self,
        name: &str,
        count: impl Into<Value>,
        between: [&str; 2],
        conductance: impl Into<Value>,
    ) -> Self {
        let entries = [line("between", between), line("conductance", conductance), line("count", count)];
        self.table("conduction", name, &entries)
    }

    /// An amount of matter and where it starts, which changes by ports.
    ///
    /// ```
    /// use extremal::{Model, PortSpec};
    /// let model = Model::builder("Leaking vessel")
    ///     .entropy("S", 1.0)
    ///     .amount("N", 2.0)
    ///     .lagrangian("-N^2*exp(S/N)")
    ///     .port("leak", PortSpec::leading_out_of("N").flow("N/10"))
    ///     .build()?;
    /// let run = model.simulate().step(0.01).until(1.0).run()?;
    /// // What leaves takes its own entropy along.
    /// let (s, n) = (run.end().get("S").unwrap(), run.end().get("N").unwrap());
    /// assert!((s/n - 0.5).abs() < 1e-12 && n < 2.0);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn amount(self, name: &str, spec: impl Into<AmountSpec>) -> Self {
        self.table("matter", name, &spec.into().entries)
    }

    /// A way on which matter or heat comes in or goes.
    pub fn port(self, name: &str, spec: PortSpec) -> Self {
        self.table("ports", name, &spec.entries)
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
    pub fn constraint(self, name: &str, spec: impl Into<ConstraintSpec>) -> Self {
        self.table("constraints", name, &spec.into().entries)
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
    pub fn control(self, name: &str, spec: impl Into<ControlSpec>) -> Self {
        self.table("controls", name, &spec.into().entries)
    }

    /// The cost per time that the controls are to make as small as possible.
    pub fn running_cost(self, expression: &str) -> Self {
        self.with("objective", "running", expression)
    }

    /// The cost of the end that the controls are to make as small as possible.
    pub fn terminal_cost(self, expression: &str) -> Self {
        self.with("objective", "terminal", expression)
    }

    /// What is not to become large anywhere on the way: its largest value is a cost.
    pub fn maximum_cost(self, expression: &str) -> Self {
        self.with("objective", "maximum", expression)
    }

    /// Between which ends the motion is to be found.
    pub fn boundary(mut self, spec: BoundarySpec) -> Self {
        self.tables.insert("boundary", spec.lines());
        self
    }

    /// A quantity to be recorded.
    pub fn output(self, name: &str, expression: &str) -> Self {
        self.with("outputs", &key(name), expression)
    }

    /// A quantity to be watched because it should stay constant.
    pub fn invariant(self, name: &str, expression: &str) -> Self {
        self.with("invariants", &key(name), expression)
    }

    /// The generator of a symmetry, by coordinate; with components for velocities (`x'`) or entropies a field on all of them.
    pub fn symmetry(self, name: &str, generator: &[(&str, &str)]) -> Self {
        let entries: Vec<_> = generator.iter().map(|(of, value)| line(&key(of), *value)).collect();
        self.table("symmetries", name, &entries)
    }

    /// The closed form of a coordinate or entropy along the motion.
    pub fn exact(self, quantity: &str, expression: &str) -> Self {
        self.with("exact", &key(quantity), expression)
    }

    /// The user's own discrete Lagrangian, in `x_0`, `x_1` and `h`.
    pub fn discrete_lagrangian(self, expression: &str) -> Self {
        self.with("discrete", "lagrangian", expression)
    }

    /// The user's own discrete forces on a coordinate, at the beginning and at the end of a step.
    pub fn discrete_forces(self, coordinate: &str, minus: impl Into<Value>, plus: impl Into<Value>) -> Self {
        let coordinate = key(coordinate);
        let builder = self.with("discrete", &format!("force_minus.{coordinate}"), minus);
        builder.with("discrete", &format!("force_plus.{coordinate}"), plus)
    }

    /// The user's own rule for an entropy: an expression that vanishes over each step, in `x_0`, `x_1`, `S_0`, `S_1` and `h`.
    pub fn discrete_entropy(self, entropy: &str, expression: &str) -> Self {
        self.with("discrete", &format!("entropy.{}", key(entropy)), expression)
    }

    /// The user's own discrete form of a constraint: an equation in `x_0`, `x_1`, `h` and `t`.
    pub fn discrete_constraint(self, constraint: &str, equation: impl Into<Value>) -> Self {
        self.with("discrete", &format!("constraints.{}", key(constraint)), equation)
    }

    /// Ends a run where the expression crosses zero.
    pub fn stop(self, name: &str, expression: &str, direction: Direction) -> Self {
        self.table("stop", name, &[line("when", expression), line("direction", direction.name())])
    }

    /// The method of integration.
    pub fn method(self, method: Method) -> Self {
        self.with("simulation", "method", method.to_string())
    }

    /// The time step.
    pub fn step(self, step: impl Into<Value>) -> Self {
        self.with("simulation", "step", step)
    }

    /// The time at the start.
    pub fn from(self, time: impl Into<Value>) -> Self {
        self.with("simulation", "from", time)
    }

    /// The time to run to.
    pub fn until(self, time: impl Into<Value>) -> Self {
        self.with("simulation", "until", time)
    }

    /// The number of steps to run.
    pub fn steps(self, steps: u64) -> Self {
        self.stated("simulation", "steps", steps)
    }

    /// How the first step is made.
    pub fn start(self, start: Start) -> Self {
        self.with("simulation", "start", start.name())
    }

    /// Where a step evaluates the entropies.
    pub fn entropy_base(self, base: EntropyBase) -> Self {
        self.with("simulation", "entropy", base.name())
    }

    /// How a step keeps the holonomic constraints.
    pub fn constraint_form(self, form: ConstraintForm) -> Self {
        self.with("simulation", "constraints", form.name())
    }

    /// Whether a start that violates the constraints is moved to the nearest one that does not.
    pub fn project(self, project: bool) -> Self {
        self.stated("simulation", "project", project)
    }

    /// How long steps are beside one another, by positions and parameters, and how they follow it.
    pub fn pace(self, pace: impl Into<Value>, pacing: Pacing) -> Self {
        self.with("simulation", "pace", pace).with("simulation", "pacing", pacing.name())
    }

    /// What a run does at a singular configuration of its constraints.
    pub fn at_singular(self, rule: AtSingular) -> Self {
        self.with("simulation", "singular", rule.name())
    }

    /// Record every so many steps.
    pub fn record(self, every: u64) -> Self {
        self.stated("simulation", "record", every)
    }

    /// The tolerance of the solver.
    pub fn tolerance(self, tolerance: f64) -> Self {
        self.with("simulation", "tolerance", tolerance)
    }

    /// A line of a table, with a value as TOML.
    fn stated(mut self, table: &'static str, key: &str, value: impl fmt::Display) -> Self {
        self.tables.entry(table).or_default().push(format!("{key} = {value}"));
        self
    }

    fn with(self, table: &'static str, key: &str, value: impl Into<Value>) -> Self {
        self.stated(table, key, toml(&value.into()))
    }

    fn table(self, table: &'static str, name: &str, entries: &[String]) -> Self {
        self.stated(table, &key(name), inline(entries))
    }

    /// The model file that says the same.
    pub fn to_toml(&self) -> String {
        let mut tables = self.tables.clone();
        let heating = self.heating.iter().map(|(of, terms)| format!("{of} = [{}]", terms.join(", ")));
        tables.entry("friction").or_default().extend(heating);
        let mut out = String::new();
        for name in std::iter::once("").chain(ModelTable::all().iter().map(|table| table.name)) {
            let lines = tables.get(name).filter(|lines| !lines.is_empty());
            let title = lines.filter(|_| !name.is_empty()).map(|_| format!("\n[{name}]"));
            for line in title.iter().chain(lines.into_iter().flatten()) {
                out.extend([line, "\n"]);
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
