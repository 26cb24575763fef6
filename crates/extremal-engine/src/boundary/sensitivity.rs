//! How the least cost changes with the parameters that are given: at a solution cost and rows, weighted by their multipliers, are
//! stationary in all unknowns, so that only what parameters change themselves counts.

use extremal_eval::CompileError;
use extremal_expr::Id;
use extremal_mechanics::Block;
use extremal_mechanics::boundary::{Condition, Quantity};
use extremal_model::{Boundary, BoundaryDuration, Component, FixedValue};
use extremal_solve::{GuessSource, Kernel, NewtonOptions};

use super::solution::UnknownsReader;
use super::statement::first_state;
use super::{BoundarySolution, Kind, Problem, known_parameters};

impl Problem<'_> {
    /// The derivatives of the least cost, or of the action, by the parameters that are given, where a formula or an end contains them:
    /// total ones, where other parameters follow. Left out are parameters on which the beginning, the grid or the start of an entropy depends.
    pub fn sensitivities(&self, solution: &BoundarySolution) -> Result<Vec<(String, f64)>, CompileError> {
        let reader = UnknownsReader { problem: self, discrete: &solution.answer.0, found: &solution.answer.1 };
        match (self.kind, self.model.boundary()) {
            (Kind::Action | Kind::Control, Some(boundary)) if self.ends.unfoldings.is_empty() => {
                reader.sensitivities(boundary)
            }
            _ => Ok(Vec::new()),
        }
    }
}

/// Where a stated value stands in the problem, as an expression of parameters, and the slope of the cost by it.
type ValueSlope = (Id, f64);

impl UnknownsReader<'_, '_> {
    fn sensitivities(&self, boundary: &Boundary) -> Result<Vec<(String, f64)>, CompileError> {
        let (model, g) = (self.problem.model, self.problem.model.graph());
        let parameters = model.parameters();
        let symbols: Vec<_> = parameters.iter().map(|parameter| g.expr(parameter.symbol)).collect();
        let (mut slopes, by_duration) = self.slopes_of_pieces(&symbols.iter().map(|s| s.id()).collect::<Vec<_>>())?;
        let mut values = self.slopes_of_values(boundary);
        if let BoundaryDuration::Fixed(duration) = boundary.duration {
            values.push((duration, by_duration));
        }
        let known = self.parameter_values();
        let value_of = |name: &str| parameters.iter().position(|p| p.name == name).map(|at| known[at]);
        let by_parameters = |id: Id| g.evaluate(&g.gradient(g.expr(id), &symbols), value_of);
        for (value, slope) in values.into_iter().filter(|(_, slope)| *slope != 0.0) {
            by_parameters(value).into_iter().zip(&mut slopes).for_each(|(by, sum)| *sum += slope * by);
        }
        let mut left_out: Vec<bool> = self.cannot_say(boundary, &symbols.iter().map(|s| s.id()).collect::<Vec<_>>());
        // Every parameter comes after those it uses.
        for at in (0..parameters.len()).rev() {
            let expression = g.expr(parameters[at].expression);
            for (used, depends) in symbols.iter().enumerate().map(|(k, s)| (k, g.depend_on(&[expression], &[*s])[0])) {
                left_out[used] |= depends && left_out[at];
            }
            let slope = slopes[at];
            if slope != 0.0 {
                by_parameters(expression.id()).into_iter().zip(&mut slopes).for_each(|(by, sum)| *sum += slope * by);
            }
        }
        let open = |symbol: Id| model.unknowns().iter().any(|unknown| unknown.symbol == symbol);
        let said = parameters.iter().enumerate().filter(|(at, p)| !left_out[*at] && !p.structural && !open(p.symbol));
        Ok(said.map(|(at, p)| (p.name.clone(), slopes[at])).filter(|(_, slope)| *slope != 0.0).collect())
    }

    /// Parameters on which numbers depend that the formulas have as they are.
    fn cannot_say(&self, boundary: &Boundary, symbols: &[Id]) -> Vec<bool> {
        let model = self.problem.model;
        let g = model.graph();
        let mut numbers = vec![boundary.from];
        numbers.extend(boundary.via.iter().map(|waypoint| waypoint.fraction));
        numbers.extend(boundary.grading.iter().flat_map(|grading| [grading.start, grading.end]).flatten());
        numbers.extend(model.entropies().iter().map(|entropy| entropy.start));
        numbers.extend(model.amounts().iter().map(|amount| amount.start));
        let numbers = g.exprs(&numbers);
        symbols.iter().map(|symbol| g.depend_on(&numbers, &[g.expr(*symbol)]).contains(&true)).collect()
    }

    /// The slopes of all copies of all pieces by parameters, and by a duration that is given.
    fn slopes_of_pieces(&self, symbols: &[Id]) -> Result<(Vec<f64>, f64), CompileError> {
        let (problem, transcription) = (self.problem, &self.problem.transcription);
        let g = problem.model.graph();
        let mut by: Vec<_> = g.exprs(symbols);
        by.extend(transcription.duration.map(|duration| g.expr(duration)));
        let (mut known, mut values) = known_parameters(problem.model);
        known.extend(transcription.constants.iter().map(|(id, _)| *id).chain(transcription.duration));
        values.extend(transcription.constants.iter().map(|(_, value)| *value));
        values.extend(transcription.duration.map(|_| problem.statement.duration.guess()));
        let mut sums = vec![0.0; by.len()];
        for (place, placed) in transcription.pieces.iter().enumerate() {
            let piece = &placed.piece;
            let weights: Vec<_> = (0..piece.rows.len()).map(|row| g.symbol(&format!("multiplier_{row}~"))).collect();
            let whole = g.expr(piece.cost) + g.dot(&weights, &g.exprs(&piece.rows));
            // Parameters to be found are variables, by which the whole is stationary.
            let slopes = g.gradient(whole, &by);
            if slopes.iter().all(|slope| slope.is_zero()) {
                continue;
            }
            let inputs = piece.variables.iter().chain(&piece.data).copied().chain(weights.iter().map(|w| w.id()));
            let block = Block {
                inputs: inputs.collect(),
                solves: Vec::new(),
                outputs: slopes.iter().map(|slope| slope.id()).collect(),
            };
            let mut kernel = Kernel::compile(g, &known, &block, NewtonOptions::default())?;
            kernel.set_parameters(&values);
            let mut out = vec![0.0; by.len()];
            for element in self.discrete.layout.elements.iter().filter(|element| element.piece == place) {
                let variables = element.variables.iter().map(|at| self.found.x[*at]);
                let data = element.data.iter().take(piece.data.len()).copied();
                let inputs: Vec<f64> =
                    variables.chain(data).chain(element.rows.iter().map(|at| self.found.lambda[*at])).collect();
                if kernel.run(&inputs, GuessSource::Formula, &mut out).is_err() {
                    out.fill(f64::NAN);
                }
                sums.iter_mut().zip(&out).for_each(|(sum, slope)| *sum += slope);
            }
        }
        let by_duration = transcription.duration.map_or(0.0, |_| sums[symbols.len()]);
        sums.truncate(symbols.len());
        Ok((sums, by_duration))
    }

    /// What is given at the ends, bounds that hold, and values of integrals.
    fn slopes_of_values(&self, boundary: &Boundary) -> Vec<ValueSlope> {
        let problem = self.problem;
        let slopes = self.slopes();
        let steps = self.steps();
        let given = |fixed: &FixedValue, instant: usize| -> Option<ValueSlope> {
            let node = self.node(instant);
            let at = match fixed.component {
                Component::Coordinate { place, derivative: 0 } => self.place(Quantity::Position(place), node),
                Component::Coordinate { place, derivative } => {
                    let own = Quantity::Derivative { order: derivative as usize, coordinate: place };
                    let once = match instant {
                        0 => Quantity::StartVelocity(place),
                        _ => Quantity::EndVelocity(place),
                    };
                    self.place(own, node).or_else(|| self.place(once, 0))
                }
                Component::State(place) => self.place(Quantity::State(place), node),
                Component::Entropy(place) => self.place(Quantity::Entropy(place), node),
            }?;
            let bounds = &self.discrete.bounds;
            (bounds.lower[at] == bounds.upper[at]).then(|| (fixed.value, slopes[at]))
        };
        let mut values: Vec<ValueSlope> = Vec::new();
        values.extend(boundary.start.iter().filter_map(|fixed| given(fixed, 0)));
        values.extend(boundary.end.iter().filter_map(|fixed| given(fixed, steps)));
        values.extend(boundary.second.iter().filter_map(|fixed| given(fixed, 1)));
        values.extend(boundary.next_to_last.iter().filter_map(|fixed| given(fixed, steps - 1)));
        for (waypoint, (fraction, _)) in boundary.via.iter().flat_map(|w| w.values.iter()).zip(&problem.statement.via) {
            values.extend(given(waypoint, (fraction * steps as f64).round() as usize));
        }
        let path = |coordinate: usize, order: usize| {
            let stated = problem.statement.path.iter().zip(&boundary.path);
            let bound = stated.filter(|(known, _)| known.coordinate == coordinate && known.order == order);
            bound.map(|(_, bound)| [bound.min, bound.max]).next().unwrap_or_default()
        };
        let states = first_state(problem.model);
        for (at, (quantity, _)) in self.discrete.layout.variables.iter().enumerate() {
            let [min, max] = match *quantity {
                Quantity::Position(coordinate) | Quantity::Inner { coordinate, .. } => path(coordinate, 0),
                Quantity::Derivative { order, coordinate } => path(coordinate, order),
                Quantity::State(state) => path(states + state, 0),
                Quantity::Control(control)
                | Quantity::StageControl { control, .. }
                | Quantity::NodeControl(control) => {
                    let control = &problem.model.controls()[control];
                    [control.min, control.max]
                }
                // The largest value along the way has no bounds.
                Quantity::Unknown(unknown) => {
                    problem.model.unknowns().get(unknown).map_or([None, None], |unknown| [unknown.min, unknown.max])
                }
                Quantity::Duration => match boundary.duration {
                    BoundaryDuration::Free { min, max, .. } => [min, max],
                    BoundaryDuration::Fixed(_) => [None, None],
                },
                _ => [None, None],
            };
            values.extend(min.map(|min| (min, self.found.lower_multipliers[at])));
            values.extend(max.map(|max| (max, -self.found.upper_multipliers[at])));
        }
        for ((condition, _), lambda) in self.discrete.layout.rows.iter().zip(&self.found.lambda) {
            match *condition {
                Condition::VelocityBound(coordinate) => {
                    let [min, max] = path(coordinate, 1);
                    let bound = if *lambda > 0.0 { max } else { min };
                    values.extend(bound.map(|bound| (bound, -lambda)));
                }
                Condition::ControlRate(control) => {
                    let [min, max] = problem.model.controls()[control].rate;
                    let bound = if *lambda > 0.0 { max } else { min };
                    values.extend(bound.map(|bound| (bound, -lambda)));
                }
                Condition::Integral(integral) => values.push((boundary.integrals[integral].value, -lambda)),
                _ => {}
            }
        }
        values
    }
}
