//! A validated model.

use std::collections::HashMap;
use std::fmt;

use extremal_expr::{Expr, Graph, Id};

use crate::builder::ModelBuilder;
use crate::diagnostic::{Diagnostic, InvalidModel, Problems};
use crate::names::{STEP, TIME};
use crate::overrides::Overrides;
use crate::tables::{
    self, Conduction, Constraint, Content, Coordinate, Definition, Discrete, Entropy, Exact, Expected, FrictionTerm,
    Invariant, Parameter, Simulation, Statements, Stop, Symmetry,
};

/// A validated model: what the user stated, as expressions of one graph.
///
/// Parameters are symbols of the graph, so that their values can change ([`Model::set_parameter`]) without deriving anything again.
///
/// ```
/// use extremal_model::Model;
/// let mut model = Model::from_toml(r#"
///     name = "Pendulum"
///     [parameters]
///     g = 9.81
///     l = 2.0
///     [coordinates]
///     "θ" = { start = "pi/2" }
///     [definitions]
///     x = "l*sin(θ)"
///     y = "-l*cos(θ)"
///     [dynamics]
///     lagrangian = "(x'^2 + y'^2)/2 - g*y"
///     [simulation]
///     step = "l/1000"
/// "#)?;
/// assert_eq!(model.coordinates()[0].name, "θ");
/// assert_eq!(model.initial().positions, [std::f64::consts::FRAC_PI_2]);
/// model.set_parameter("l", 5.0).unwrap();
/// assert_eq!(model.simulation().step, Some(0.005));
/// # Ok::<(), extremal_model::InvalidModel>(())
/// ```
pub struct Model {
    pub(crate) graph: Graph,
    name: Option<String>,
    source: Option<String>,
    description: Option<String>,
    pub(crate) content: Content,
    warnings: Vec<Diagnostic>,
    source_text: String,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("name", &self.name)
            .field("parameters", &self.content.parameters.len())
            .field("coordinates", &self.content.coordinates.len())
            .finish_non_exhaustive()
    }
}

/// The state a run starts from.
#[derive(Clone, Debug, PartialEq)]
pub struct Initial {
    /// One per coordinate.
    pub positions: Vec<f64>,
    /// One per coordinate.
    pub velocities: Vec<f64>,
    /// The positions after one step, if all are stated and the step they depend on is known.
    pub second: Option<Vec<f64>>,
    /// One per entropy.
    pub entropies: Vec<f64>,
    /// One per constraint; zero unless it is vakonomic.
    pub multipliers: Vec<f64>,
}

impl Model {
    /// Reads a model file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_toml(text: &str) -> Result<Model, InvalidModel> {
        Model::load(text, &Overrides::default())
    }

    /// Reads a model file with some values replaced.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn load(text: &str, overrides: &Overrides) -> Result<Model, InvalidModel> {
        let mut problems = Problems::default();
        let graph = Graph::new();
        let read = tables::read(text, &mut problems).and_then(|mut statements| {
            overrides.apply(&mut statements.parameters, &mut problems);
            if overrides.changes_parameters() {
                // The numbers of [expected] belong to the parameters of the file.
                statements.expected.clear();
            }
            let mut content = tables::resolve(&statements, &graph, &mut problems)?;
            overrides.apply_settings(&mut content.settings.simulation);
            Some((statements, content))
        });
        let failed = problems.errors() > 0;
        let (diagnostics, source_text) = (problems.into_sorted(), text.to_owned());
        match read {
            Some((Statements { name, source, description, .. }, content)) if !failed => {
                Ok(Model { graph, name, source, description, content, warnings: diagnostics, source_text })
            }
            _ => Err(InvalidModel { diagnostics, source_text }),
        }
    }

    /// States a model in Rust instead of a file.
    pub fn builder(name: &str) -> ModelBuilder {
        ModelBuilder::new(name)
    }

    /// The graph of all expressions.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The name of the system.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Where the system comes from.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// What the system shows.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The parameters, each after those it uses; a list has one for each value.
    pub fn parameters(&self) -> &[Parameter] {
        &self.content.parameters
    }

    /// The coordinates in the order of the file; a family has one for each member.
    pub fn coordinates(&self) -> &[Coordinate] {
        &self.content.coordinates
    }

    /// The entropies in the order of the file; a family has one for each member.
    pub fn entropies(&self) -> &[Entropy] {
        &self.content.entropies
    }

    /// The definitions in the order of the file; a family has one for each member.
    pub fn definitions(&self) -> &[Definition] {
        &self.content.definitions
    }

    /// The symbol of time.
    pub fn time(&self) -> Expr<'_> {
        self.graph.symbol(TIME)
    }

    /// The symbols of the positions.
    pub fn positions(&self) -> Vec<Expr<'_>> {
        self.content.coordinates.iter().map(|c| self.graph.expr(c.position)).collect()
    }

    /// The symbols of the velocities.
    pub fn velocities(&self) -> Vec<Expr<'_>> {
        self.content.coordinates.iter().map(|c| self.graph.expr(c.velocity)).collect()
    }

    /// The symbols of the accelerations.
    pub fn accelerations(&self) -> Vec<Expr<'_>> {
        self.content.coordinates.iter().map(|c| self.graph.expr(c.acceleration)).collect()
    }

    /// The Lagrangian, an expression of positions, velocities, entropies, time and parameters.
    pub fn lagrangian(&self) -> Expr<'_> {
        self.graph.expr(self.content.lagrangian)
    }

    /// The external generalised forces, one per coordinate.
    pub fn forces(&self) -> Vec<Expr<'_>> {
        self.graph.exprs(&self.content.forces)
    }

    /// The whole friction force on each coordinate: the sum of its [`Model::friction_terms`].
    pub fn friction(&self) -> Vec<Expr<'_>> {
        self.graph.exprs(&self.content.friction)
    }

    /// The friction forces one by one, with the entropies that each of them heats.
    pub fn friction_terms(&self) -> &[FrictionTerm] {
        &self.content.friction_terms
    }

    /// Is the friction that of the thermodynamic Herglotz principle, `(dL/dS)(dL/dv)`?
    pub fn herglotz(&self) -> bool {
        self.content.herglotz
    }

    /// The heat power that each entropy receives from outside.
    pub fn heat(&self) -> Vec<Expr<'_>> {
        self.graph.exprs(&self.content.heat)
    }

    /// The walls through which heat flows between entropies.
    pub fn conductions(&self) -> &[Conduction] {
        &self.content.conductions
    }

    /// The constraints in the order of the file; a family has one for each member.
    ///
    /// ```
    /// use extremal_model::{ConstraintKind, Model};
    /// let model = Model::from_toml(r#"
    ///     [coordinates]
    ///     x = 1.0
    ///     y = 0.0
    ///     [dynamics]
    ///     lagrangian = "(x'^2 + y'^2)/2 - 9.81*y"
    ///     [constraints]
    ///     rod = "x^2 + y^2 = 1"
    /// "#)?;
    /// let [rod] = model.constraints() else { panic!("there is one") };
    /// assert_eq!(rod.kind, ConstraintKind::Holonomic);
    /// assert_eq!(model.graph().expr(rod.left).to_string(), "x^2 + y^2");
    /// # Ok::<(), extremal_model::InvalidModel>(())
    /// ```
    pub fn constraints(&self) -> &[Constraint] {
        &self.content.constraints
    }

    /// Quantities to be watched because they should stay constant.
    pub fn invariants(&self) -> &[Invariant] {
        &self.content.invariants
    }

    /// Generators of symmetries.
    pub fn symmetries(&self) -> &[Symmetry] {
        &self.content.symmetries
    }

    /// Closed forms, for those coordinates and entropies that have one.
    pub fn exact(&self) -> &[Exact] {
        &self.content.exact
    }

    /// Independently computed numbers, for tests.
    pub fn expected(&self) -> &[Expected] {
        &self.content.expected
    }

    /// The user's own discrete Lagrangian, forces, entropy rules and constraints.
    pub fn discrete(&self) -> Option<&Discrete> {
        self.content.discrete.as_ref()
    }

    /// Where a run ends early.
    pub fn stops(&self) -> &[Stop] {
        &self.content.stops
    }

    /// How to run the model unless the user says otherwise.
    pub fn simulation(&self) -> &Simulation {
        &self.content.settings.simulation
    }

    /// The step, an expression of parameters, if it is stated.
    pub fn step_expression(&self) -> Option<Expr<'_>> {
        self.content.settings.step.map(|id| self.graph.expr(id))
    }

    /// The final time, an expression of parameters, if it is stated.
    pub fn until_expression(&self) -> Option<Expr<'_>> {
        self.content.settings.until.map(|id| self.graph.expr(id))
    }

    /// What is probably not meant, though the model can be used.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The text the model was read from, into which the spans of [`Model::warnings`] point.
    pub fn source_text(&self) -> &str {
        &self.source_text
    }

    /// The values of the parameters, in their order.
    pub fn parameter_values(&self) -> Vec<f64> {
        self.content.parameters.iter().map(|parameter| parameter.value).collect()
    }

    /// The state a run starts from, with the present values of the parameters. Second positions that depend on the step need
    /// [`Model::initial_with_step`].
    pub fn initial(&self) -> Initial {
        let step = [self.graph.symbol(STEP)];
        let depends = self.second().is_some_and(|second| self.graph.depend_on(&second, &step).contains(&true));
        let initial = self.initial_with_step(f64::NAN);
        Initial { second: initial.second.filter(|_| !depends), ..initial }
    }

    /// The state a run with this step starts from, with the present values of the parameters.
    ///
    /// ```
    /// use extremal_model::Model;
    /// let model = Model::from_toml(r#"
    ///     [coordinates]
    ///     x = { start = 0.0, velocity = 1.0, second = "sin(h)" }
    ///     [dynamics]
    ///     lagrangian = "x'^2/2 - x^2/2"
    ///     [simulation]
    ///     start = "two-points"
    /// "#)?;
    /// assert_eq!(model.initial().second, None);
    /// assert_eq!(model.initial_with_step(0.1).second, Some(vec![0.1f64.sin()]));
    /// # Ok::<(), extremal_model::InvalidModel>(())
    /// ```
    pub fn initial_with_step(&self, step: f64) -> Initial {
        let numbers = |ids: &mut dyn Iterator<Item = Id>| self.evaluate(&self.graph.exprs(&ids.collect::<Vec<_>>()));
        let coordinates = &self.content.coordinates;
        let values = self.values();
        let value_of = |name: &str| if name == STEP { Some(step) } else { values.get(name).copied() };
        Initial {
            positions: numbers(&mut coordinates.iter().map(|c| c.start)),
            velocities: numbers(&mut coordinates.iter().map(|c| c.start_velocity)),
            second: self.second().map(|second| self.graph.evaluate(&second, value_of)),
            entropies: numbers(&mut self.content.entropies.iter().map(|entropy| entropy.start)),
            multipliers: numbers(&mut self.content.constraints.iter().map(|constraint| constraint.multiplier)),
        }
    }

    /// The second positions, if all are stated.
    fn second(&self) -> Option<Vec<Expr<'_>>> {
        self.content.coordinates.iter().map(|c| c.second.map(|id| self.graph.expr(id))).collect()
    }

    fn values(&self) -> HashMap<&str, f64> {
        self.content.parameters.iter().map(|p| (p.name.as_str(), p.value)).collect()
    }

    /// Expressions of parameters as numbers.
    pub fn evaluate(&self, expressions: &[Expr<'_>]) -> Vec<f64> {
        let values = self.values();
        self.graph.evaluate(&self.graph.exprs(&expressions.iter().map(|e| e.id()).collect::<Vec<_>>()), |name| {
            values.get(name).copied()
        })
    }
}
