//! A validated model.

mod momenta;

use std::collections::HashMap;
use std::fmt;

use extremal_expr::{Expr, Graph, Id};

use crate::diagnostic::{Diagnostic, InvalidModel, Problems};
use crate::names::STEP;
use crate::overrides::Overrides;
use crate::tables::coordinates::MOMENTA;
use crate::tables::{
    self, Amount, Boundary, Component, ComponentLists, Conduction, Content, Control, Coordinate, Definition, Discrete,
    Discretisation, Drawing, DryFriction, Entropy, Exact, Expected, FirstOrderState, FrictionTerm, Invariant,
    ModelConstraint, ModelPort, MotionEvent, Objective, OutputQuantity, Parameter, SimulationSettings, StateLaw,
    Statements, Stop, SymmetryGenerator, Unknown, control_rate,
};
use crate::text::SourceText;

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
#[derive(Clone)]
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
    /// One per coordinate; not a number where a boundary problem leaves the start open ([`Model::without_start`]).
    pub positions: Vec<f64>,
    /// One per coordinate.
    pub velocities: Vec<f64>,
    /// Of a Lagrangian of higher order, the derivatives from 2 to `2 * order - 1`, each with one number per coordinate.
    pub higher: Vec<Vec<f64>>,
    /// Of a motion that starts from momenta, those conjugate to each derivative below its order, with one number per coordinate.
    pub momenta: Vec<Vec<f64>>,
    /// The positions after one step, if all are stated and the step they depend on is known.
    pub second: Option<Vec<f64>>,
    /// One per entropy, then one per amount of matter, then one per state; not a number where a boundary problem leaves the start of a
    /// state open.
    pub entropies: Vec<f64>,
    /// One per constraint; zero unless it is vakonomic.
    pub multipliers: Vec<f64>,
}

/// The lists of what a model states, each by the name of its field.
macro_rules! lists {
    ($($(#[$doc:meta])* $list:ident: $item:ty,)+) => {
        $($(#[$doc])*
        pub fn $list(&self) -> &[$item] {
            &self.content.$list
        })+
    };
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
        Model::load_adjusted(text, overrides, |_| {})
    }

    /// The same with what is asked for from outside the file.
    pub(crate) fn read(text: &str, overrides: &Overrides, quantities: Vec<SourceText>) -> Result<Model, InvalidModel> {
        Model::load_adjusted(text, overrides, |statements| statements.quantities = quantities)
    }

    /// The same with what it states adjusted before it is resolved.
    pub(crate) fn load_adjusted(
        text: &str,
        overrides: &Overrides,
        adjust: impl FnOnce(&mut Statements),
    ) -> Result<Model, InvalidModel> {
        let mut problems = Problems::default();
        let graph = Graph::new();
        let read = tables::read(text, &mut problems).and_then(|mut statements| {
            tables::rotations::complete(&mut statements);
            overrides.apply(&mut statements, &mut problems);
            adjust(&mut statements);
            if overrides.changes_values() {
                // The numbers of [expected] belong to the parameters and starts of the file.
                statements.expected.clear();
            }
            tables::hamiltonian::complete(&mut statements);
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

    lists! {
        /// The parameters, each after those it uses; a list has one for each value.
        parameters: Parameter,
        /// The coordinates in the order of the file; a family has one for each member.
        coordinates: Coordinate,
        /// The entropies in the order of the file; a family has one for each member.
        entropies: Entropy,
        /// The amounts of matter in the order of the file; a family has one for each member.
        ///
        /// ```
        /// # use extremal_model::Model;
        /// let model = Model::from_toml(r#"
        ///     [entropies]
        ///     S = 0
        ///     [matter]
        ///     N = 1
        ///     [dynamics]
        ///     lagrangian = "-N^(5/3)*exp(2*S/(3*N))"
        ///     [ports]
        ///     inlet = { into = "N", flow = "sin(t)^2", enthalpy = 3, entropy = 1 }
        /// "#)?;
        /// assert_eq!((model.amounts()[0].entropy, model.ports()[0].name.as_str()), (0, "inlet"));
        /// # Ok::<(), extremal_model::InvalidModel>(())
        /// ```
        amounts: Amount,
        /// The quantities with equations of first order, in the order of the file; a family has one for each member.
        ///
        /// ```
        /// # use extremal_model::Model;
        /// let model = Model::from_toml(r#"
        ///     [states]
        ///     prey = { start = 1.0, rate = "prey*(2 - hunters)" }
        ///     hunters = { start = 0.5, rate = "hunters*(prey - 1)" }
        /// "#)?;
        /// assert_eq!(model.graph().expr(model.states()[0].rate).to_string(), "-prey*(hunters - 2)");
        /// assert_eq!(model.initial().entropies, [1.0, 0.5]);
        /// # Ok::<(), extremal_model::InvalidModel>(())
        /// ```
        states: FirstOrderState,
        /// The definitions in the order of the file; a family has one for each member.
        definitions: Definition,
        /// What is to be chosen as a function of time.
        controls: Control,
        /// The friction forces one by one, with the entropies that each of them heats.
        friction_terms: FrictionTerm,
        /// The dry frictions: forces of any value up to a bound, which are not part of [`Model::friction`].
        ///
        /// ```
        /// # use extremal_model::Model;
        /// let model = Model::from_toml(r#"
        ///     [coordinates]
        ///     x = { start = 0, velocity = 1 }
        ///     [dynamics]
        ///     lagrangian = "x'^2/2"
        ///     [friction]
        ///     x = { dry = "0.3*9.81" }
        /// "#)?;
        /// assert_eq!(model.graph().expr(model.dry_friction()[0].along).to_string(), "x'");
        /// # Ok::<(), extremal_model::InvalidModel>(())
        /// ```
        dry_friction: DryFriction,
        /// The walls through which heat flows between entropies.
        conductions: Conduction,
        /// The ways on which matter and heat come in and go.
        ports: ModelPort,
        /// The constraints in the order of the file; a family has one for each member.
        constraints: ModelConstraint,
        /// Quantities to be recorded.
        outputs: OutputQuantity,
        /// Quantities to be watched because they should stay constant.
        invariants: Invariant,
        /// Generators of symmetries.
        symmetries: SymmetryGenerator,
        /// Closed forms, for those coordinates and entropies that have one.
        exact: Exact,
        /// Independently computed numbers, for tests.
        expected: Expected,
        /// Where a run ends early.
        stops: Stop,
        /// What changes the state of a motion on the way; a family has one for each member.
        events: MotionEvent,
        /// The expressions that it was [`asked`](Model::asked) for.
        quantities: Id,
    }

    /// What it looks like: what `[drawing]` says, or else what the names of coordinates and definitions suggest.
    ///
    /// ```
    /// # use extremal_model::Model;
    /// let model = Model::from_toml("[coordinates]\nx = 1\ny = 0\n[dynamics]\nlagrangian = \"(x'^2 + y'^2)/2\"")?;
    /// assert_eq!(model.drawing().points.len(), 1);
    /// # Ok::<(), extremal_model::InvalidModel>(())
    /// ```
    pub fn drawing(&self) -> &Drawing {
        &self.content.drawing
    }

    /// The symbol of time, or of whatever else is the independent variable.
    pub fn time(&self) -> Expr<'_> {
        self.graph.symbol(&self.content.independent)
    }

    /// The name of the independent variable: `t`, unless `[boundary]` gives it another.
    pub fn independent(&self) -> &str {
        &self.content.independent
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

    /// The symbols of the time derivatives of the coordinates, of any order: `x''` for the order 2.
    pub fn derivatives(&self, order: u32) -> Vec<Expr<'_>> {
        let primes = "'".repeat(order as usize);
        self.content.coordinates.iter().map(|c| self.graph.symbol(&format!("{}{primes}", c.name))).collect()
    }

    /// The highest derivative of a coordinate in the Lagrangian and the constraints, at least 1 and at most [`MAX_ORDER`](crate::MAX_ORDER). Beyond 1, only
    /// methods with [`Feature::Accelerations`](crate::Feature::Accelerations) apply.
    pub fn order(&self) -> u32 {
        self.content.order
    }

    /// Names that symbols of a method avoid: coordinates, entropies, controls, time and parameters, members of families without
    /// their index.
    pub fn taken_names(&self) -> Vec<String> {
        let names = self.coordinates().iter().map(|c| c.name.as_str());
        let controls = self.controls().iter().map(|control| control.name.as_str());
        let own = names.chain(self.carried_names()).chain(controls).chain([self.independent()]);
        let own = own.map(|name| name.split('[').next().unwrap_or(name).to_string());
        own.chain(self.parameters().iter().map(|p| p.name.clone())).collect()
    }

    /// The Lagrangian, an expression of positions, velocities, entropies, time and parameters; of higher derivatives up to
    /// [`Model::order`].
    pub fn lagrangian(&self) -> Expr<'_> {
        self.graph.expr(self.content.lagrangian)
    }

    /// The symbols of the rates that controls may have in costs and conditions, `u'` of `u`.
    pub fn control_rates(&self) -> Vec<Expr<'_>> {
        self.controls().iter().map(|control| control_rate(self.graph.expr(control.symbol))).collect()
    }

    /// The external generalised forces, one per coordinate, while controls follow their laws, or are zero without one.
    pub fn forces(&self) -> Vec<Expr<'_>> {
        self.graph.exprs(&self.content.forces)
    }

    /// The external generalised forces with the controls in them, one per coordinate.
    pub fn controlled_forces(&self) -> Vec<Expr<'_>> {
        self.graph.exprs(&self.content.controlled_forces)
    }

    /// What the choice is to make as small as possible. A model with [`Model::boundary`] and without this asks for a stationary
    /// action.
    pub fn objective(&self) -> Option<&Objective> {
        self.content.objective.as_ref()
    }

    /// The parameters that `solve` is to find, which are among [`Model::parameters`] too.
    pub fn unknowns(&self) -> &[Unknown] {
        &self.content.unknowns
    }

    /// Between which ends the motion is to be found.
    pub fn boundary(&self) -> Option<&Boundary> {
        self.content.boundary.as_ref()
    }

    /// A component of the state of this model as it is written: `x[2]'`.
    ///
    /// # Panics
    /// If it is a component of another model.
    pub fn component_name(&self, component: Component) -> String {
        component.name(self.component_lists())
    }

    /// The whole friction force on each coordinate: the sum of its [`Model::friction_terms`].
    pub fn friction(&self) -> Vec<Expr<'_>> {
        self.graph.exprs(&self.content.friction)
    }

    /// Is the friction that of the thermodynamic Herglotz principle, `(dL/dS)(dL/dv)`?
    pub fn herglotz(&self) -> bool {
        self.content.herglotz
    }

    /// What moves the states of [`Model::states`].
    pub fn state_law(&self) -> &StateLaw {
        &self.content.state_law
    }

    /// The heat power that each entropy receives from outside.
    pub fn heat(&self) -> Vec<Expr<'_>> {
        self.graph.exprs(&self.content.heat)
    }

    /// The user's own discrete Lagrangian, forces, entropy rules and constraints.
    pub fn discrete(&self) -> Option<&Discrete> {
        self.content.discrete.as_ref()
    }

    /// The user's own finite-difference map.
    pub fn discretisation(&self) -> Option<&Discretisation> {
        self.content.discretisation.as_ref()
    }

    /// How to run the model unless the user says otherwise.
    pub fn simulation(&self) -> &SimulationSettings {
        &self.content.settings.simulation
    }

    /// The step, an expression of parameters, if it is stated.
    pub fn step_expression(&self) -> Option<Expr<'_>> {
        self.content.settings.step.map(|id| self.graph.expr(id))
    }

    /// The time of the start, an expression of parameters, if it is stated.
    pub fn from_expression(&self) -> Option<Expr<'_>> {
        self.content.settings.from.map(|id| self.graph.expr(id))
    }

    /// The final time, an expression of parameters, if it is stated.
    pub fn until_expression(&self) -> Option<Expr<'_>> {
        self.content.settings.until.map(|id| self.graph.expr(id))
    }

    /// How long steps are beside one another, an expression of positions and parameters, if that is stated.
    pub fn pace(&self) -> Option<Expr<'_>> {
        self.content.settings.pace.map(|id| self.graph.expr(id))
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
        let starts = self.start_expressions();
        let or = |starts: &[Option<Id>], unstated: f64| -> Vec<f64> {
            let mut stated = numbers(&mut starts.iter().flatten().copied()).into_iter();
            starts.iter().map(|start| start.and_then(|_| stated.next()).unwrap_or(unstated)).collect()
        };
        let values = self.values();
        let value_of = |name: &str| if name == STEP { Some(step) } else { values.get(name).copied() };
        Initial {
            positions: or(&starts[0], f64::NAN),
            velocities: or(&starts[1], 0.0),
            higher: starts[2..].iter().map(|starts| or(starts, 0.0)).collect(),
            momenta: self.momentum_starts().iter().map(|starts| or(starts, 0.0)).collect(),
            second: self.second().map(|second| self.graph.evaluate(&second, value_of)),
            entropies: {
                let starts: Vec<_> = self.carried_starts().into_iter().map(|start| start.map(Expr::id)).collect();
                or(&starts, f64::NAN)
            },
            multipliers: numbers(&mut self.content.constraints.iter().map(|constraint| constraint.multiplier)),
        }
    }

    /// The first coordinate or state that neither its own table nor `[boundary]` gives a start: the model then has no initial state to
    /// run from.
    pub fn without_start(&self) -> Option<&str> {
        // Momenta that are coordinates follow from the velocities that are stated instead.
        let positions = self.content.coordinates.len() - self.momentum_coordinates();
        let names = self.content.coordinates[..positions].iter().map(|c| c.name.as_str());
        let names = names.chain(self.content.states.iter().map(|state| state.name.as_str()));
        let starts = self.start_expressions().swap_remove(0).into_iter().take(positions).chain(self.state_starts());
        names.zip(starts).find(|(_, start)| start.is_none()).map(|(name, _)| name)
    }

    /// The names of all that moves by equations of first order, which a state carries beside positions and velocities: entropies, then
    /// amounts of matter, then states.
    pub fn carried_names(&self) -> Vec<&str> {
        let Content { entropies, amounts, states, .. } = &self.content;
        let balanced = entropies.iter().map(|entropy| &entropy.name).chain(amounts.iter().map(|amount| &amount.name));
        balanced.chain(states.iter().map(|state| &state.name)).map(String::as_str).collect()
    }

    /// The starts that follow the start of a quantity, by the names of their symbols: `y` in `y = "2*x"` for `x`.
    pub fn starts_following(&self, name: &str) -> impl Iterator<Item = &str> {
        let uses = self.content.start_uses.iter();
        uses.filter(move |follows| follows.used == name).map(|follows| follows.user.as_str())
    }

    /// Where all of these start, expressions of parameters; `None` where a boundary problem leaves a state open.
    pub fn carried_starts(&self) -> Vec<Option<Expr<'_>>> {
        let Content { entropies, amounts, .. } = &self.content;
        let balanced = entropies.iter().map(|entropy| entropy.start).chain(amounts.iter().map(|amount| amount.start));
        balanced.map(Some).chain(self.state_starts()).map(|start| start.map(|id| self.graph.expr(id))).collect()
    }

    pub(crate) fn component_lists(&self) -> ComponentLists<'_> {
        let Content { coordinates, entropies, amounts, states, .. } = &self.content;
        ComponentLists { coordinates, entropies, amounts, states }
    }

    /// Where each state starts.
    pub(crate) fn state_starts(&self) -> Vec<Option<Id>> {
        tables::state_starts(&self.content.states, self.content.boundary.as_ref())
    }

    /// Where each coordinate starts, and each of its derivatives that the equations leave open.
    pub(crate) fn start_expressions(&self) -> Vec<Vec<Option<Id>>> {
        let Content { coordinates, boundary, order, .. } = &self.content;
        tables::start_expressions(coordinates, boundary.as_ref(), 2 * order - 1)
    }

    /// The momenta at the start, by the derivative that they are conjugate to.
    pub(crate) fn momentum_starts(&self) -> Vec<Vec<Option<Id>>> {
        let order = self.content.momentum_order.unwrap_or(0) as usize;
        let conjugate = |r: usize| self.content.coordinates.iter().map(move |c| c.start_momenta[r]).collect();
        (0..order.min(MOMENTA.len())).map(conjugate).collect()
    }

    /// The second positions, if all are stated.
    fn second(&self) -> Option<Vec<Expr<'_>>> {
        self.content.coordinates.iter().map(|c| c.second.map(|id| self.graph.expr(id))).collect()
    }

    fn values(&self) -> HashMap<&str, f64> {
        self.content.parameters.iter().map(|p| (p.name.as_str(), p.value)).collect()
    }

    /// An expression of parameters as a number.
    pub fn number(&self, expression: Id) -> f64 {
        self.evaluate(&[self.graph.expr(expression)])[0]
    }

    /// Expressions of parameters and the step `h` as numbers.
    pub fn evaluate_with_step(&self, expressions: &[Id], step: f64) -> Vec<f64> {
        let values = self.values();
        let value_of = |name: &str| if name == STEP { Some(step) } else { values.get(name).copied() };
        self.graph.evaluate(&self.graph.exprs(expressions), value_of)
    }

    /// Expressions of parameters as numbers.
    pub fn evaluate(&self, expressions: &[Expr<'_>]) -> Vec<f64> {
        let values = self.values();
        self.graph.evaluate(&self.graph.exprs(&expressions.iter().map(|e| e.id()).collect::<Vec<_>>()), |name| {
            values.get(name).copied()
        })
    }
}
