//! `[action]`: the action as a variable of the Lagrangian, by the principle of Herglotz; and what cannot stand beside states whose rates
//! follow from a law.

use extremal_expr::{Graph, Id};

use super::families::QuantityKind;
use super::poisson::{PoissonBracket, bracket_rates};
use super::states::{FirstOrderState, StateStatement, read_as};
use super::{ModelTable, Statements};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{TableField, field, keys};
use crate::resolver::Resolver;

/// What moves the states of [`Model::states`](crate::Model::states).
///
/// ```
/// use extremal_model::{Model, StateLaw};
/// let model = Model::from_toml(r#"
///     [coordinates]
///     x = 1.0
///     [action]
///     z = 0.0
///     [dynamics]
///     lagrangian = "x'^2/2 - x^2/2 - z/10"
/// "#)?;
/// assert!(matches!(model.state_law(), StateLaw::Action));
/// assert_eq!(model.states()[0].name, "z");
/// # Ok::<(), extremal_model::InvalidModel>(())
/// ```
#[derive(Clone, Debug, Default)]
pub enum StateLaw {
    /// The rates that `[states]` states.
    #[default]
    Stated,
    /// It is the action of a contact system: its rate is the Lagrangian.
    Action,
    /// They are the variables of a Poisson system: x' = {x, H}, with the brackets that are not zero. The Lagrangian is −H.
    Poisson(Vec<PoissonBracket>),
}

impl StateLaw {
    /// Gives the states the rates of their law: L of an action, B ∇H of variables with brackets.
    pub(crate) fn give_rates(&self, graph: &Graph, lagrangian: Id, states: &mut [FirstOrderState]) {
        let rates = match self {
            StateLaw::Stated => return,
            StateLaw::Action => vec![lagrangian; states.len()],
            StateLaw::Poisson(brackets) => bracket_rates(graph, -graph.expr(lagrangian), brackets, states),
        };
        for (state, rate) in states.iter_mut().zip(rates) {
            (state.rate, state.controlled_rate) = (rate, rate);
        }
    }
}

/// The action variable, and where the table stands.
pub(crate) struct ActionStatement {
    pub span: Span,
    pub variables: Vec<StateStatement>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "action",
    sentence: "a contact system: one name by which the Lagrangian may use the action, and where it starts: `z = 0.0`, or a table. The principle of Herglotz has z' = L",
    keys: || keys(FIELDS),
    read: |reader, table, entries, into| {
        let variables = entries.iter().map(|entry| read_as(reader, entry, FIELDS, QuantityKind::Action)).collect();
        into.action = Some(ActionStatement { span: table.name.span.clone(), variables });
    },
};

const FIELDS: &[TableField<StateStatement>] =
    &[field("start", "the action at the start", |reader, entry, into| into.start = reader.series(entry))];

/// Refuses what has no meaning beside `[action]` or `[poisson]`.
pub(crate) fn check(resolver: &mut Resolver<'_, '_>, statements: &Statements) {
    if let Some(action) = &statements.action {
        if action.variables.len() != 1 {
            let message = format!("[action] needs exactly one variable, not {}", action.variables.len());
            let diagnostic = Diagnostic::error(Code::Conflict, message).at(action.span.clone(), "");
            resolver.problems.push(diagnostic.help("write z = 0.0: what the action is at the start"));
        }
        if statements.dynamics.hamiltonian.is_some() {
            let diagnostic = Diagnostic::error(Code::Conflict, "`hamiltonian` is not defined beside [action]");
            let help = "state the `lagrangian`: the rate of the action is L";
            resolver.problems.push(diagnostic.at(action.span.clone(), "").help(help));
        }
        refuse(resolver, "action", &action.span, &beside_action(statements));
    }
    if let Some(poisson) = &statements.poisson {
        let all = [&beside_action(statements)[..], &beside_poisson(statements)].concat();
        refuse(resolver, "poisson", &poisson.span, &all);
    }
}

/// A table by its name, and whether it says something.
type StatedTable = (&'static str, bool);

fn beside_action(statements: &Statements) -> Vec<StatedTable> {
    vec![
        ("entropies", !statements.entropies.is_empty()),
        ("states", !statements.states.is_empty()),
        ("heat", !statements.dynamics.heat.is_empty()),
        ("conduction", !statements.conduction.is_empty()),
        ("constraints", !statements.constraints.is_empty()),
        ("controls", !statements.controls.is_empty()),
        ("objective", statements.objective.is_some()),
        ("boundary", statements.boundary.is_some()),
        ("discrete", statements.discrete.is_some()),
        ("discretisation", statements.discretisation.is_some()),
    ]
}

fn beside_poisson(statements: &Statements) -> Vec<StatedTable> {
    vec![
        ("coordinates", !statements.coordinates.is_empty()),
        ("dynamics", statements.dynamics.stated),
        ("action", statements.action.is_some()),
        ("forces", !statements.dynamics.forces.is_empty()),
        ("friction", !statements.friction.is_empty()),
        ("symmetries", !statements.observables.symmetries.is_empty()),
    ]
}

fn refuse(resolver: &mut Resolver<'_, '_>, own: &str, span: &Span, others: &[StatedTable]) {
    for (other, _) in others.iter().filter(|(_, stated)| *stated) {
        let message = format!("[{other}] is not defined beside [{own}]");
        let help = match (own, *other) {
            (_, "states") => format!("[{own}] says how its own variables change: keep one of them"),
            ("action", "entropies") => "an entropy changes by heat, an action by z' = L: keep one of them".to_owned(),
            ("poisson", "coordinates" | "dynamics") => {
                "a Poisson system is stated by [poisson] alone: its variables, its brackets and its `hamiltonian`"
                    .to_owned()
            }
            _ => format!("remove [{other}]"),
        };
        resolver.problems.push(Diagnostic::error(Code::Conflict, message).at(span.clone(), "").help(help));
    }
}
