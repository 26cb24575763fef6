//! What holds a solution back: bounds and conditions that are reached, where, and how hard they press.

use extremal_mechanics::boundary::{Condition, Quantity};
use serde::{Serialize, Serializer};

use super::solution::UnknownsReader;

/// A bound or a condition that holds the solution back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActiveBound {
    /// What is at its bound; of a condition on an expression its text.
    pub name: String,
    /// Which bound it is.
    #[serde(serialize_with = "side")]
    pub side: BoundSide,
    /// The bound; of a condition, what its left side less its right is.
    pub bound: f64,
    /// Where: the times of the nodes, or of the middles of the steps.
    pub times: Vec<f64>,
    /// The same as intervals: from a node or the beginning of a step to a node or the end of a step.
    pub intervals: Vec<[f64; 2]>,
}

/// On which side something is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundSide {
    /// At its lower bound.
    Lower,
    /// At its upper bound.
    Upper,
    /// By a condition on an expression.
    Condition,
}

impl BoundSide {
    /// The word for it, as `--json` prints it.
    pub fn name(self) -> &'static str {
        match self {
            BoundSide::Lower => "min",
            BoundSide::Upper => "max",
            BoundSide::Condition => "condition",
        }
    }
}

fn side<S: Serializer>(side: &BoundSide, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(side.name())
}

/// A bound is reached within this part of the room there is.
const NEAR: f64 = 1e-6;

/// How something stands to a bound of it.
struct Pressed {
    /// The distance from the bound.
    distance: f64,
    /// All the room there is.
    room: f64,
    multiplier: f64,
}

/// The bounds found so far, with the last instant of each.
#[derive(Default)]
struct FoundBounds {
    list: Vec<ActiveBound>,
    last: Vec<usize>,
}

impl UnknownsReader<'_, '_> {
    /// Bounds and conditions whose multiplier outweighs the distance from them: the one as a part of the objective for all the room
    /// there is, the other as a part of that room.
    pub fn active_bounds(&self) -> Vec<ActiveBound> {
        let mut found = FoundBounds::default();
        let mut sizes: Vec<(Quantity, f64)> = Vec::new();
        let bounds = &self.discrete.bounds;
        for (at, (quantity, k)) in self.discrete.layout.variables.iter().enumerate() {
            if bounds.lower[at] == bounds.upper[at] {
                continue;
            }
            let room = match bounds.upper[at] - bounds.lower[at] {
                width if width.is_finite() => width,
                _ => match sizes.iter().find(|(of, _)| of == quantity) {
                    Some((_, size)) => *size,
                    None => {
                        sizes.push((*quantity, self.size_of(*quantity)));
                        sizes[sizes.len() - 1].1
                    }
                },
            };
            let sides = [
                (BoundSide::Lower, bounds.lower[at], self.found.lower_multipliers[at]),
                (BoundSide::Upper, bounds.upper[at], self.found.upper_multipliers[at]),
            ];
            for (side, bound, multiplier) in sides {
                let distance = (self.found.x[at] - bound).abs();
                if bound.is_finite() && self.is_pressed(Pressed { distance, room, multiplier }) {
                    let in_step = matches!(
                        quantity,
                        Quantity::Control(_) | Quantity::StageControl { .. } | Quantity::Inner { .. }
                    );
                    let name = self.problem.quantity_name(*quantity);
                    self.reached(&mut found, (name, side, bound), *k, in_step);
                }
            }
        }
        self.active_conditions(&mut found);
        found.list
    }

    fn active_conditions(&self, found: &mut FoundBounds) {
        let statement = &self.problem.statement;
        let of_nodes = &self.problem.transcription.node_rows;
        let mut sizes: Vec<(Condition, f64)> = Vec::new();
        for (at, (condition, k)) in self.discrete.layout.rows.iter().enumerate() {
            if let Condition::ControlRate(control) = condition {
                self.active_rate(found, at, *control, *k);
                continue;
            }
            let (stated, place, in_step, k) = match condition {
                Condition::Path { condition: place, .. } => {
                    (&statement.path_conditions[*place], "", !of_nodes.contains(condition), *k)
                }
                Condition::AtEnd { end, condition } => {
                    let (place, node) = if *end { (" at the end", self.steps()) } else { (" at the start", 0) };
                    (&statement.conditions_at(*end)[*condition], place, false, self.node(node))
                }
                _ => continue,
            };
            if stated.equation {
                continue;
            }
            let room = match sizes.iter().find(|(of, _)| of == condition) {
                Some((_, size)) => *size,
                None => {
                    sizes.push((*condition, self.size_of_row(*condition)));
                    sizes[sizes.len() - 1].1
                }
            };
            let distance = self.found.constraints[at].abs();
            if self.is_pressed(Pressed { distance, room, multiplier: self.found.lambda[at] }) {
                let name = format!("{}{place}", stated.text);
                self.reached(found, (name, BoundSide::Condition, 0.0), k, in_step);
            }
        }
    }

    /// The row of a rate, where a bound of it holds the solution back.
    fn active_rate(&self, found: &mut FoundBounds, row: usize, control: usize, step: usize) {
        let [slowest, fastest] = self.problem.statement.controls[control].rate;
        let (value, lambda) = (self.found.constraints[row], self.found.lambda[row]);
        let room = match fastest - slowest {
            width if width.is_finite() => width,
            _ => self.size_of_row(Condition::ControlRate(control)),
        };
        for (side, bound, multiplier) in [(BoundSide::Lower, slowest, -lambda), (BoundSide::Upper, fastest, lambda)] {
            let distance = (value - bound).abs();
            if bound.is_finite() && self.is_pressed(Pressed { distance, room, multiplier }) {
                self.reached(found, (self.problem.rate_name(control), side, bound), step, true);
            }
        }
    }

    fn is_pressed(&self, Pressed { distance, room, multiplier }: Pressed) -> bool {
        let part = distance / room;
        part < NEAR && multiplier * room > part * self.found.objective.abs()
    }

    /// Adds the instant or the step of a node to what is known of a bound.
    fn reached(
        &self,
        found: &mut FoundBounds,
        (name, side, bound): (String, BoundSide, f64),
        node: usize,
        in_step: bool,
    ) {
        let instant = node.saturating_sub(self.problem.transcription.ghosts);
        let here = self.time(instant);
        let (time, until) = match in_step {
            true => (0.5 * (here + self.time(instant + 1)), self.time(instant + 1)),
            false => (here, here),
        };
        let known = found.list.iter().position(|known| known.name == name && known.side == side);
        let Some(at) = known else {
            found.list.push(ActiveBound { name, side, bound, times: vec![time], intervals: vec![[here, until]] });
            found.last.push(instant);
            return;
        };
        let known = &mut found.list[at];
        known.times.push(time);
        let last = found.last[at];
        match known.intervals.last_mut().filter(|_| instant <= last + 1) {
            Some(interval) => interval[1] = interval[1].max(until),
            None => known.intervals.push([here, until]),
        }
        found.last[at] = instant;
    }

    /// The largest magnitude of a quantity and of its bounds on the grid; 1 if it is zero everywhere.
    fn size_of(&self, quantity: Quantity) -> f64 {
        let bounds = &self.discrete.bounds;
        let places = self.discrete.layout.variables.iter().enumerate().filter(|(_, (of, _))| *of == quantity);
        let values = places.flat_map(|(at, _)| [self.found.x[at], bounds.lower[at], bounds.upper[at]]);
        largest_or_one(values)
    }

    /// The same of the rows of a condition.
    fn size_of_row(&self, condition: Condition) -> f64 {
        let places = self.discrete.layout.rows.iter().zip(&self.found.constraints);
        largest_or_one(places.filter(|((of, _), _)| *of == condition).map(|(_, value)| *value))
    }

    /// Multipliers of the conditions along the way at the instants, per length of time: with them cost plus ∫ μ g dt is stationary, and
    /// μ is not negative where a condition g ≤ 0 holds the motion back. That of a condition in the steps stands at the start of each,
    /// and the last row repeats it.
    pub fn path_multipliers(&self) -> Vec<Vec<f64>> {
        let steps = self.steps();
        let length = |step: usize| self.time(step + 1) - self.time(step);
        let periodic = self.problem.transcription.periodic;
        let around = |instant: usize| match instant {
            at if periodic => 0.5 * (length((at + steps - 1) % steps) + length(at % steps)),
            0 => 0.5 * length(0),
            at if at == steps => 0.5 * length(steps - 1),
            at => 0.5 * (length(at - 1) + length(at)),
        };
        let of_nodes = &self.problem.transcription.node_rows;
        let mut all = vec![vec![0.0; steps + 1]; self.problem.statement.path_conditions.len()];
        for ((condition, node), lambda) in self.discrete.layout.rows.iter().zip(&self.found.lambda) {
            let Condition::Path { condition: place, .. } = condition else { continue };
            let instant = node.saturating_sub(self.problem.transcription.ghosts);
            match of_nodes.contains(condition) {
                true => all[*place][instant] = lambda / around(instant),
                false => all[*place][instant] += lambda / length(instant),
            }
        }
        for (place, values) in all.iter_mut().enumerate() {
            if periodic {
                values[steps] = values[0];
            } else if !of_nodes.contains(&Condition::Path { condition: place, stage: 0 }) {
                values[steps] = values[steps - 1];
            }
        }
        all
    }

    /// Multipliers of the conditions at the ends.
    pub fn end_condition_multipliers(&self) -> Vec<(String, f64)> {
        let rows = self.discrete.layout.rows.iter().zip(&self.found.lambda);
        let one = |((condition, _), lambda): (&(Condition, usize), &f64)| match condition {
            Condition::AtEnd { end, condition } => {
                Some((self.problem.statement.conditions_at(*end)[*condition].text.clone(), *lambda))
            }
            Condition::Link(link) => Some((self.problem.statement.links[*link].text.clone(), *lambda)),
            _ => None,
        };
        rows.filter_map(one).collect()
    }
}

/// The largest finite magnitude; 1 if all vanish.
fn largest_or_one(values: impl Iterator<Item = f64>) -> f64 {
    let most = values.filter(|value| value.is_finite()).fold(0.0, |most: f64, value| most.max(value.abs()));
    if most > 0.0 { most } else { 1.0 }
}
