//! What unknowns and rows are called in messages.

use extremal_mechanics::boundary::{Condition, Quantity};

use super::Problem;
use super::statement::component_name;

impl Problem<'_> {
    fn coordinate(&self, coordinate: usize, order: usize) -> String {
        component_name(self.model, coordinate, order)
    }

    fn state(&self, state: usize) -> &str {
        &self.model.states()[state].name
    }

    /// An entropy, or an amount behind them.
    fn carried(&self, place: usize) -> &str {
        self.model.carried_names()[place]
    }

    /// The rate of a control, as it is written.
    pub(super) fn rate_name(&self, control: usize) -> String {
        format!("{}'", self.statement.controls[control].name)
    }

    /// The name of an unknown.
    pub(super) fn quantity_name(&self, quantity: Quantity) -> String {
        match quantity {
            Quantity::Position(coordinate) | Quantity::Inner { coordinate, .. } => self.coordinate(coordinate, 0),
            Quantity::Derivative { order, coordinate } => self.coordinate(coordinate, order),
            Quantity::Control(control) | Quantity::StageControl { control, .. } | Quantity::NodeControl(control) => {
                self.statement.controls[control].name.clone()
            }
            Quantity::Entropy(entropy) => self.carried(entropy).to_owned(),
            Quantity::State(state) => self.state(state).to_owned(),
            Quantity::StateRate { state, .. } => format!("{}'", self.state(state)),
            Quantity::Multiplier(constraint) => format!("lambda_{}", self.model.constraints()[constraint].name),
            Quantity::Hindrance { end, constraint } => {
                let name = &self.model.constraints()[constraint].name;
                format!("hindrance of `{name}` at the {}", if end { "end" } else { "start" })
            }
            Quantity::Unknown(unknown) => self.statement.unknowns[unknown].name.clone(),
            Quantity::Duration => "duration".to_owned(),
            Quantity::StartVelocity(coordinate) | Quantity::EndVelocity(coordinate) => self.coordinate(coordinate, 1),
        }
    }

    /// What a row demands, in words.
    pub(super) fn condition_name(&self, condition: Condition) -> String {
        let end_name = |end: bool| if end { "end" } else { "start" };
        match condition {
            Condition::Motion(coordinate) | Condition::InnerMotion { coordinate, .. } => {
                format!("the equation of motion of `{}`", self.coordinate(coordinate, 0))
            }
            Condition::Constraint(constraint) => {
                format!("the constraint `{}`", self.model.constraints()[constraint].name)
            }
            Condition::ConstraintAtEnd { end, constraint } => {
                let name = &self.model.constraints()[constraint].name;
                format!("the constraint `{name}` on the velocities at the {}", end_name(end))
            }
            Condition::EntropyBalance(entropy) => {
                let what = if entropy < self.model.entropies().len() { "entropy" } else { "amount" };
                format!("the balance of the {what} `{}`", self.carried(entropy))
            }
            Condition::StateStep(state) | Condition::StageRate { state, .. } => {
                format!("the rate of the state `{}`", self.state(state))
            }
            Condition::VelocityBound(coordinate) => format!("the bounds of `{}`", self.coordinate(coordinate, 1)),
            Condition::Path { condition, .. } => {
                format!("the condition `{}`", self.statement.path_conditions[condition].text)
            }
            Condition::AtEnd { end, condition } => {
                let text = &self.statement.conditions_at(end)[condition].text;
                format!("the condition `{text}` at the {}", end_name(end))
            }
            Condition::ControlRate(control) => format!("the bounds of `{}`", self.rate_name(control)),
            Condition::Link(link) => format!("the link `{}`", self.statement.links[link].text),
            Condition::Integral(integral) => format!("the integral `{}`", self.statement.integrals[integral].name),
            Condition::EndVelocity { end, coordinate } => {
                format!("`{}` at the {}", self.coordinate(coordinate, 1), end_name(end))
            }
            Condition::Natural { end, coordinate } => {
                format!("no momentum of the free `{}` at the {}", self.coordinate(coordinate, 0), end_name(end))
            }
        }
    }
}
