//! A validated model.

use std::collections::HashMap;
use std::fmt;

use extremal_expr::{Expr, Graph, Id};

use crate::builder::ModelBuilder;
use crate::diagnostic::{Diagnostic, InvalidModel, Problems};
use crate::names::TIME;
use crate::overrides::Overrides;
use crate::tables::{
    self, Content, Coordinate, Definition, Discrete, Exact, Expected, Invariant, Parameter, Simulation, Statements,
    Stop, Symmetry,
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
    /// The positions after one step, if all are stated.
    pub second: Option<Vec<f64>>,
}

impl Model {
    /// Reads a model file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_toml(text: &str) -> Result<Model, InvalidModel> {
        Model::load(text, &Overrides::default())
    }

    /// Reads a model file with some parameters replaced.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn load(text: &str, overrides: &Overrides) -> Result<Model, InvalidModel> {
        let mut problems = Problems::default();
        let graph = Graph::new();
        let read = tables::read(text, &mut problems).and_then(|mut statements| {
            overrides.apply(&mut statements.parameters, &mut problems);
            let content = tables::resolve(&statements, &graph, &mut problems)?;
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

    /// The Lagrangian, an expression of positions, velocities, time and parameters.
    pub fn lagrangian(&self) -> Expr<'_> {
        self.graph.expr(self.content.lagrangian)
    }

    /// The external generalised forces, one per coordinate.
    pub fn forces(&self) -> Vec<Expr<'_>> {
        self.graph.exprs(&self.content.forces)
    }

    /// The friction forces, one per coordinate.
    pub fn friction(&self) -> Vec<Expr<'_>> {
        self.graph.exprs(&self.content.friction)
    }

    /// Quantities to be watched because they should stay constant.
    pub fn invariants(&self) -> &[Invariant] {
        &self.content.invariants
    }

    /// Generators of symmetries.
    pub fn symmetries(&self) -> &[Symmetry] {
        &self.content.symmetries
    }

    /// Closed forms, for those coordinates that have one.
    pub fn exact(&self) -> &[Exact] {
        &self.content.exact
    }

    /// Independently computed numbers, for tests.
    pub fn expected(&self) -> &[Expected] {
        &self.content.expected
    }

    /// The user's own discrete Lagrangian and forces.
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

    /// The state a run starts from, with the present values of the parameters.
    pub fn initial(&self) -> Initial {
        let ids =
            |of: fn(&Coordinate) -> Option<Id>| self.content.coordinates.iter().map(of).collect::<Option<Vec<Id>>>();
        let numbers = |ids: Vec<Id>| self.evaluate(&self.graph.exprs(&ids));
        Initial {
            positions: numbers(ids(|c| Some(c.start)).unwrap_or_default()),
            velocities: numbers(ids(|c| Some(c.start_velocity)).unwrap_or_default()),
            second: ids(|c| c.second).map(numbers),
        }
    }

    /// Expressions of parameters as numbers.
    pub fn evaluate(&self, expressions: &[Expr<'_>]) -> Vec<f64> {
        let values: HashMap<&str, f64> = self.content.parameters.iter().map(|p| (p.name.as_str(), p.value)).collect();
        self.graph.evaluate(&self.graph.exprs(&expressions.iter().map(|e| e.id()).collect::<Vec<_>>()), |name| {
            values.get(name).copied()
        })
    }
}
