//! What is given from outside the model file.

use std::path::PathBuf;

use extremal_expr::Interpolation;

use crate::diagnostic::{Code, Diagnostic, Problems, Span};
use crate::document::{Name, Scalar, ScalarSeries};
use crate::suggest::help_for;
use crate::tables::{
    ConstraintForm, ControlShape, Direction, ParameterStatement, SimulationSettings, Statements, StopStatement,
};
use crate::text::SourceText;

/// Values that replace those of the model file while it is read: of parameters, so that also counts and bounds follow them, of starts, of
/// the step and the end, and of how constraints are kept.
///
/// ```
/// use extremal_model::{Model, Overrides};
/// let text = r#"
///     [parameters]
///     n = 2
///     [coordinates]
///     x = { count = "n", start = "i" }
///     [dynamics]
///     lagrangian = "sum(i, 1, n, x[i]'^2/2 - x[i]^2/2)"
/// "#;
/// let model = Model::load(text, &Overrides::default().set("n", 5))?;
/// assert_eq!(model.coordinates().len(), 5);
/// # Ok::<(), extremal_model::InvalidModel>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    parameters: Vec<(String, String)>,
    assigned: Vec<(String, String)>,
    step: Option<String>,
    from: Option<String>,
    until: Option<String>,
    pace: Option<String>,
    constraints: Option<ConstraintForm>,
    project: Option<bool>,
    folder: Option<PathBuf>,
    laws: Vec<(String, String)>,
    given_controls: Option<GivenControls>,
    section: Option<(String, Direction)>,
}

/// Values of controls over time: named columns, the first of which is the time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenControls {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Rows of numbers.
    pub rows: Vec<Vec<f64>>,
}

impl Overrides {
    /// Replaces the value of a parameter (`g`, or `m[2]` for one value of a list) by a number or an expression.
    #[must_use]
    pub fn set(mut self, parameter: &str, value: impl ToString) -> Self {
        self.parameters.push((parameter.to_owned(), value.to_string()));
        self
    }

    /// Replaces the value of a parameter, or else of a start (`x`, `x'` for the velocity, `p_x` for the momentum beside a Hamiltonian),
    /// by a number or an expression. A model has one thing by each name.
    #[must_use]
    pub fn assign(mut self, name: &str, value: impl ToString) -> Self {
        self.assigned.push((name.to_owned(), value.to_string()));
        self
    }

    /// Replaces the step by a number or an expression of parameters, which it follows.
    #[must_use]
    pub fn step(mut self, step: impl ToString) -> Self {
        self.step = Some(step.to_string());
        self
    }

    /// Replaces the time of the start by a number or an expression of parameters, which it follows.
    #[must_use]
    pub fn from(mut self, from: impl ToString) -> Self {
        self.from = Some(from.to_string());
        self
    }

    /// Replaces the time at which a run ends likewise.
    #[must_use]
    pub fn until(mut self, until: impl ToString) -> Self {
        self.until = Some(until.to_string());
        self
    }

    /// Replaces how long steps are beside one another: an expression of positions and parameters.
    #[must_use]
    pub fn pace(mut self, pace: impl ToString) -> Self {
        self.pace = Some(pace.to_string());
        self
    }

    /// Replaces how a step keeps the holonomic constraints.
    #[must_use]
    pub fn constraint_form(mut self, form: ConstraintForm) -> Self {
        self.constraints = Some(form);
        self
    }

    /// Replaces whether a start that violates the constraints is moved to the nearest one that does not.
    #[must_use]
    pub fn project(mut self, project: bool) -> Self {
        self.project = Some(project);
        self
    }

    /// Says what a control is in a simulation (`u`, or `u[2]` for a member of a family): an expression of positions, velocities, time and
    /// parameters, instead of its law in the file.
    #[must_use]
    pub fn control(mut self, name: &str, law: impl ToString) -> Self {
        self.laws.push((name.to_owned(), law.to_string()));
        self
    }

    /// Puts one condition in the place of those of `[stop]`: where an expression crosses zero in a direction.
    #[must_use]
    pub fn section(mut self, when: &str, direction: Direction) -> Self {
        self.section = Some((when.to_owned(), direction));
        self
    }

    /// Says what controls are in a simulation, by the columns of a solution, and of the shape that they have there: constant from row to
    /// row, linear, or in every step the polynomial through its values [`stage_value`] at [`stage_time`].
    #[must_use]
    pub fn controls(mut self, given: GivenControls) -> Self {
        self.given_controls = Some(given);
        self
    }

    /// Says where files are looked for that the model names: the folder of the model file. Without it, none are read.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// The replaced parameters, in the order in which they were set.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Is nothing replaced?
    pub fn is_empty(&self) -> bool {
        *self == Overrides { folder: self.folder.clone(), ..Overrides::default() }
    }

    /// Is a parameter, a start or a control replaced?
    pub(crate) fn changes_values(&self) -> bool {
        let controlled = !self.laws.is_empty() || self.given_controls.is_some();
        controlled || !(self.parameters.is_empty() && self.assigned.is_empty())
    }

    pub(crate) fn apply_settings(&self, simulation: &mut SimulationSettings) {
        simulation.constraints = self.constraints.unwrap_or(simulation.constraints);
        simulation.project = self.project.unwrap_or(simulation.project);
    }

    pub(crate) fn apply(&self, statements: &mut Statements, problems: &mut Problems) {
        statements.folder.clone_from(&self.folder);
        let parameters = self.parameters.iter().map(|(name, value)| (name, value, false));
        let assigned = self.assigned.iter().map(|(name, value)| (name, value, true));
        for (name, value, or_start) in parameters.chain(assigned) {
            let found = match or_start {
                true => find(statements, name),
                false => find_parameter(&mut statements.parameters, name),
            };
            let refused = match found {
                Ok((slot, span)) => {
                    slot.replace(Scalar::Text(SourceText::outside(value, span)));
                    continue;
                }
                Err(refused) => refused,
            };
            let help = match refused {
                CannotSet::IsList => Some(format!("`{name}` is a list: set `{}` and so on", first_member(name))),
                CannotSet::IsOne => Some("all members share one text: set a parameter in it".to_owned()),
                CannotSet::Unknown if or_start => help_for(name, "these can be set", settable(statements)),
                CannotSet::Unknown => {
                    let names = statements.parameters.iter().map(|parameter| parameter.name.text.as_str());
                    help_for(name, "the parameters are", names)
                }
            };
            let what = if or_start { "no parameter and no start" } else { "no parameter" };
            let message = format!("the model has {what} `{name}` that could be set to {value}");
            problems.push(Diagnostic::error(Code::UnknownOverride, message).maybe_help(help));
        }
        self.apply_laws(statements, problems);
        if let Some((when, direction)) = &self.section {
            let when = Some(Scalar::Text(SourceText::outside(when, Span::default())));
            let name = Name { text: "section".to_owned(), span: Span::default() };
            statements.stops = vec![StopStatement { name, when, direction: *direction }];
        }
        let simulation = &mut statements.simulation;
        let outside = |value: &String, before: &Option<Scalar>| {
            Some(Scalar::Text(SourceText::outside(value, before.as_ref().map(Scalar::span).unwrap_or_default())))
        };
        if let Some(step) = &self.step {
            simulation.step = outside(step, &simulation.step);
        }
        if let Some(from) = &self.from {
            simulation.from = outside(from, &simulation.from);
        }
        if let Some(until) = &self.until {
            simulation.until = outside(until, &simulation.until);
            simulation.steps = None;
        }
        if let Some(pace) = &self.pace {
            simulation.pace = outside(pace, &simulation.pace);
        }
    }
}

impl Overrides {
    fn apply_laws(&self, statements: &mut Statements, problems: &mut Problems) {
        let controls: Vec<String> = statements.controls.iter().map(|control| control.name.text.clone()).collect();
        let is_control = |name: &str| controls.iter().any(|known| *known == name.split('[').next().unwrap_or(name));
        if let Some(given) = &self.given_controls {
            let mut found = false;
            for (at, name) in given.names.iter().enumerate().skip(1).filter(|(_, name)| is_control(name)) {
                found = true;
                let law = given.law(statements, at);
                statements.laws.push((name.clone(), law));
            }
            if !found {
                let message = "the file of controls has no column of a control of the model";
                let help = help_for("", "the controls are", controls.iter().map(String::as_str));
                problems.push(Diagnostic::error(Code::UnknownOverride, message).maybe_help(help));
            }
        }
        for (name, law) in &self.laws {
            if !is_control(name) {
                let message = format!("the model has no control `{name}` that could be {law}");
                let help = help_for(name, "the controls are", controls.iter().map(String::as_str));
                problems.push(Diagnostic::error(Code::UnknownOverride, message).maybe_help(help));
                continue;
            }
            statements.laws.push((name.clone(), law.clone()));
        }
    }
}

impl GivenControls {
    /// The law of the control of a column: the straight line through its values if it is linear, the polynomial of every step where
    /// there are values at its stages, else its values as they hold from row to row.
    fn law(&self, statements: &mut Statements, at: usize) -> String {
        let name = &self.names[at];
        let time = self.names.first().map_or("t", String::as_str);
        let stated =
            statements.controls.iter().find(|control| Some(control.name.text.as_str()) == name.split('[').next());
        let is_linear = stated.and_then(|control| control.shape()) == Some(ControlShape::Linear);
        let mut table = |column: usize, interpolation: Interpolation| {
            let known = self.rows.iter().filter(|row| row.len() > column && row[column].is_finite());
            let points: Vec<[f64; 2]> = known.map(|row| [row[0], row[column]]).collect();
            let table = statements.add_table(&format!("given_{}", self.names[column]), &points, interpolation);
            format!("{table}({time})")
        };
        if is_linear {
            return table(at, Interpolation::Linear);
        }
        let column = |name: String| self.names.iter().position(|known| *known == name);
        let stage = |j: usize| Some((column(stage_time(j))?, column(stage_value(name, j))?));
        let stages: Vec<(usize, usize)> = (1..).map_while(stage).collect();
        if stages.is_empty() {
            return table(at, Interpolation::Constant);
        }
        let mut held = |column: usize| table(column, Interpolation::Constant);
        let nodes: Vec<(String, String)> = stages.iter().map(|(node, value)| (held(*node), held(*value))).collect();
        let term = |(j, (node, value)): (usize, &(String, String))| {
            let others = nodes.iter().enumerate().filter(|(k, _)| *k != j);
            let factors = others.map(|(_, (other, _))| format!("*({time} - {other})/({node} - {other})"));
            format!("{value}{}", factors.collect::<String>())
        };
        nodes.iter().enumerate().map(term).collect::<Vec<_>>().join(" + ")
    }
}

/// The column with the times at which controls have their j-th value in the step that begins in a row.
pub fn stage_time(j: usize) -> String {
    format!("stage_time[{j}]")
}

/// The column with the j-th value of a control in the step that begins in a row.
pub fn stage_value(control: &str, j: usize) -> String {
    format!("stage_{control}[{j}]")
}

/// Why there is nothing to replace.
enum CannotSet {
    Unknown,
    /// The name is that of a list, one of whose items must be named.
    IsList,
    /// A member was named where one text stands for all of them.
    IsOne,
}

/// `x[1]` of `x`, `x[1]'` of `x'`.
fn first_member(name: &str) -> String {
    let bare = name.trim_end_matches('\'');
    format!("{bare}[1]{}", &name[bare.len()..])
}

/// A name taken apart: `x`, `x[2]`, `x'`, `x[2]'`.
struct Settable<'n> {
    base: &'n str,
    member: Option<usize>,
    primes: usize,
}

fn take_apart(name: &str) -> Option<Settable<'_>> {
    let bare = name.trim_end_matches('\'');
    let primes = name.len() - bare.len();
    Some(match bare.strip_suffix(']').and_then(|open| open.split_once('[')) {
        Some((base, number)) => {
            Settable { base, member: Some(number.trim().parse::<usize>().ok()?.checked_sub(1)?), primes }
        }
        None => Settable { base: bare, member: None, primes },
    })
}

/// The place of the value of a parameter.
fn find_parameter<'s>(
    parameters: &'s mut [ParameterStatement],
    name: &str,
) -> Result<(ValueSlot<'s>, Span), CannotSet> {
    let named = take_apart(name).filter(|name| name.primes == 0).ok_or(CannotSet::Unknown)?;
    let parameter = parameters.iter_mut().find(|parameter| parameter.name.text == named.base);
    let parameter = parameter.ok_or(CannotSet::Unknown)?;
    Ok((ValueSlot::within(&mut parameter.value, named.member)?, parameter.name.span.clone()))
}

/// The place of a value. A model has one thing by each name, so that there is never a choice.
fn find<'s>(statements: &'s mut Statements, name: &str) -> Result<(ValueSlot<'s>, Span), CannotSet> {
    let Settable { base, member, primes } = take_apart(name).ok_or(CannotSet::Unknown)?;
    if statements.parameters.iter().any(|parameter| parameter.name.text == base) {
        return find_parameter(&mut statements.parameters, name);
    }
    let has_momenta = statements.dynamics.hamiltonian.is_some();
    for coordinate in &mut statements.coordinates {
        let momentum = has_momenta && base.strip_prefix("p_") == Some(&coordinate.name.text);
        let series = match primes {
            0 if momentum => &mut coordinate.momentum,
            0 if coordinate.name.text == base => &mut coordinate.start,
            1 if coordinate.name.text == base => &mut coordinate.velocity,
            _ => continue,
        };
        let is_family = coordinate.count.is_some();
        return Ok((ValueSlot::of(series, member, is_family)?, coordinate.name.span.clone()));
    }
    let entropies = statements.entropies.iter_mut().map(|entropy| (&entropy.name, &mut entropy.start));
    let amounts = statements.matter.iter_mut().map(|amount| (&amount.name, &mut amount.start));
    let variables = statements.poisson.iter_mut().flat_map(|poisson| &mut poisson.variables);
    let actions = statements.action.iter_mut().flat_map(|action| &mut action.variables);
    let states = statements.states.iter_mut().chain(variables).chain(actions);
    let states = states.map(|state| (&state.name, &mut state.start));
    let mut carried = entropies.chain(amounts).chain(states).filter(|(name, _)| primes == 0 && name.text == base);
    let (name, start) = carried.next().ok_or(CannotSet::Unknown)?;
    Ok((ValueSlot::of(start, member, false)?, name.span.clone()))
}

/// What can be set, by name.
fn settable(statements: &Statements) -> impl Iterator<Item = &str> + Clone {
    let parameters = statements.parameters.iter().map(|parameter| &parameter.name);
    let coordinates = statements.coordinates.iter().map(|coordinate| &coordinate.name);
    let entropies = statements.entropies.iter().map(|entropy| &entropy.name);
    let states = statements.states.iter().map(|state| &state.name);
    parameters.chain(coordinates).chain(entropies).chain(states).map(|name| name.text.as_str())
}

/// Where a value stands, or would.
enum ValueSlot<'s> {
    Stated(&'s mut Scalar),
    Absent(&'s mut Option<ScalarSeries>),
}

impl<'s> ValueSlot<'s> {
    fn within(series: &'s mut ScalarSeries, member: Option<usize>) -> Result<Self, CannotSet> {
        match (series, member) {
            (ScalarSeries::One(scalar), None) => Ok(ValueSlot::Stated(scalar)),
            (ScalarSeries::List { items, .. }, Some(member)) => {
                items.get_mut(member).map(ValueSlot::Stated).ok_or(CannotSet::Unknown)
            }
            (ScalarSeries::List { .. }, None) => Err(CannotSet::IsList),
            (ScalarSeries::One(_), Some(_)) => Err(CannotSet::IsOne),
        }
    }

    fn of(series: &'s mut Option<ScalarSeries>, member: Option<usize>, is_family: bool) -> Result<Self, CannotSet> {
        match series {
            Some(series) => ValueSlot::within(series, member),
            None => match member {
                None => Ok(ValueSlot::Absent(series)),
                Some(_) if is_family => Err(CannotSet::IsOne),
                Some(_) => Err(CannotSet::Unknown),
            },
        }
    }

    fn replace(self, value: Scalar) {
        match self {
            ValueSlot::Stated(scalar) => *scalar = value,
            ValueSlot::Absent(series) => *series = Some(ScalarSeries::One(value)),
        }
    }
}
