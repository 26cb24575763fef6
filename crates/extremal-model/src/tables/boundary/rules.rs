//! What can be seen to be wrong with a boundary problem before it is solved.

use std::collections::HashMap;

use extremal_expr::{Graph, Id};

use super::super::controls::Control;
use super::{Boundary, BoundaryDuration, Component, ComponentLists, FixedValue, StateBound};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::resolver::Resolver;

/// Where guesses are tried, as parts of the duration.
const TRIED: [f64; 3] = [0.0, 0.5, 1.0];

/// No grid needs steps that shrink faster than this power.
const LARGEST_POWER: f64 = 30.0;

/// The order of the Lagrangian decides which derivatives can be given at an end, and which bounded.
pub(crate) fn check(resolver: &mut Resolver<'_, '_>, boundary: &Boundary, lists: ComponentLists<'_>, order: u32) {
    let points = boundary.via.iter().flat_map(|waypoint| &waypoint.values);
    let fixed = boundary.start.iter().chain(&boundary.end).chain(points).map(|fixed| (fixed.component, &fixed.span));
    let fixed = fixed.map(|(component, span)| (component, span, 2 * order - 1, "given"));
    let bounded = boundary.path.iter().map(|bound| (bound.component, &bound.span, order, "bounded"));
    for (component, span, highest, verb) in fixed.chain(bounded) {
        let Component::Coordinate { derivative, .. } = component else { continue };
        if derivative > highest {
            let name = component.name(lists);
            let message = format!("`{name}` cannot be {verb}: it follows from the equations of motion");
            let help = match highest {
                1 => "this Lagrangian leaves positions and velocities open".to_owned(),
                _ => format!("this Lagrangian leaves derivatives up to the order {highest} open"),
            };
            resolver.problems.push(Diagnostic::error(Code::Misuse, message).at(span.clone(), "").help(help));
        }
    }
}

/// Numbers of a boundary problem, with whatever contradicts itself in them.
struct Examined<'a, V> {
    graph: &'a Graph,
    lists: ComponentLists<'a>,
    value_of: V,
    found: Vec<Diagnostic>,
}

/// Everything that is wrong with the numbers of a boundary problem, with these values of the parameters.
pub(crate) fn problems(
    graph: &Graph,
    boundary: &Boundary,
    controls: &[Control],
    lists: ComponentLists<'_>,
    time: Id,
    value_of: impl Fn(&str) -> Option<f64>,
) -> Vec<Diagnostic> {
    let mut examined = Examined { graph, lists, value_of, found: Vec::new() };
    let duration = examined.duration(boundary);
    let bounds = examined.path(&boundary.path);
    for control in controls {
        examined.bounds(control.min, control.max, &format!("`{}`", control.name), &control.span);
        let [slowest, fastest] = control.rate;
        examined.bounds(slowest, fastest, &format!("the rate of `{}`", control.name), &control.span);
    }
    examined.fixed(&boundary.start, &bounds, "at the start");
    examined.fixed(&boundary.end, &bounds, "at the end");
    examined.fixed(&boundary.second, &bounds, "after one step");
    examined.fixed(&boundary.next_to_last, &bounds, "one step before the end");
    examined.via(boundary, &bounds);
    for integral in &boundary.integrals {
        examined.finite(integral.value, &format!("the integral `{}`", integral.name), &integral.span);
    }
    examined.grading(boundary);
    // With wrong times the guesses would only be wrong again.
    if let (Some((from, duration)), true) = (duration, examined.found.is_empty()) {
        examined.guesses(boundary, controls, time, from, duration);
    }
    examined.found
}

/// The bounds of a component, as numbers.
type ComponentBounds = HashMap<Component, (Option<f64>, Option<f64>)>;

impl<V: Fn(&str) -> Option<f64>> Examined<'_, V> {
    fn number(&self, id: Id) -> f64 {
        self.graph.evaluate(&[self.graph.expr(id)], &self.value_of)[0]
    }

    fn report(&mut self, code: Code, message: String, span: &Span) {
        self.found.push(Diagnostic::error(code, message).at(span.clone(), ""));
    }

    fn finite(&mut self, id: Id, what: &str, span: &Span) -> Option<f64> {
        let number = self.number(id);
        if !number.is_finite() {
            self.report(Code::NotFinite, format!("{what} is not finite"), span);
        }
        Some(number).filter(|number| number.is_finite())
    }

    fn duration(&mut self, boundary: &Boundary) -> Option<(f64, f64)> {
        let span = &boundary.duration_span;
        let from = self.finite(boundary.from, "the beginning of the motion", span)?;
        let duration = self.finite(boundary.duration.guess(), "the duration", span)?;
        if duration <= 0.0 {
            self.report(Code::OutOfRange, format!("the duration is {duration}; it must be positive"), span);
            return None;
        }
        if let BoundaryDuration::Free { min, max, .. } = boundary.duration {
            let (min, max) = self.bounds(min, max, "the duration", span)?;
            if min.is_some_and(|min| min < 0.0) || max.is_some_and(|max| max <= 0.0) {
                self.report(Code::OutOfRange, "the duration must be positive, and its bounds too".to_owned(), span);
            } else if min.is_some_and(|min| duration < min) || max.is_some_and(|max| duration > max) {
                let message = format!("the guess {duration} of the duration lies outside its bounds");
                self.report(Code::OutOfRange, message, span);
            }
        }
        Some((from, duration))
    }

    fn grading(&mut self, boundary: &Boundary) {
        let Some(grading) = &boundary.grading else { return };
        for (power, end) in [(grading.start, "start"), (grading.end, "end")] {
            let Some(power) = power else { continue };
            let what = format!("the grading towards the {end}");
            let Some(number) = self.finite(power, &what, &grading.span) else { continue };
            if !(1.0..=LARGEST_POWER).contains(&number) {
                let message = format!("{what} is {number}; it must be between 1, for equal steps, and {LARGEST_POWER}");
                self.report(Code::OutOfRange, message, &grading.span);
            }
        }
    }

    /// Bounds as numbers, if they are numbers and leave something in between.
    fn bounds(
        &mut self,
        min: Option<Id>,
        max: Option<Id>,
        what: &str,
        span: &Span,
    ) -> Option<(Option<f64>, Option<f64>)> {
        let mut number = |bound: Option<Id>| match bound {
            Some(bound) => self.finite(bound, &format!("a bound of {what}"), span).map(Some),
            None => Some(None),
        };
        let (min, max) = (number(min)?, number(max)?);
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            let message = format!("{what} cannot be at least {min} and at most {max}");
            self.report(Code::Conflict, message, span);
            return None;
        }
        Some((min, max))
    }

    fn path(&mut self, path: &[StateBound]) -> ComponentBounds {
        let mut all = HashMap::new();
        for StateBound { component, min, max, span } in path {
            let name = component.name(self.lists);
            all.extend(self.bounds(*min, *max, &format!("`{name}`"), span).map(|bounds| (*component, bounds)));
        }
        all
    }

    /// Values are finite and within the bounds of the path.
    fn fixed(&mut self, fixed: &[FixedValue], bounds: &ComponentBounds, when: &str) {
        for FixedValue { component, value, span } in fixed {
            let name = component.name(self.lists);
            let Some(number) = self.finite(*value, &format!("`{name}` {when}"), span) else { continue };
            let Some((min, max)) = bounds.get(component) else { continue };
            let beyond = match (min, max) {
                (Some(min), _) if number < *min => format!("at least {min}"),
                (_, Some(max)) if number > *max => format!("at most {max}"),
                _ => continue,
            };
            let message = format!("`{name}` is {number} {when} and must be {beyond} on the path");
            self.report(Code::Conflict, message, span);
        }
    }

    fn via(&mut self, boundary: &Boundary, bounds: &ComponentBounds) {
        let mut last = 0.0;
        for waypoint in &boundary.via {
            let Some(fraction) = self.finite(waypoint.fraction, "the time of a point in between", &waypoint.span)
            else {
                continue;
            };
            if !(0.0 < fraction && fraction < 1.0) {
                let message = format!(
                    "a point in between is passed after a part of the duration between 0 and 1, not {fraction}"
                );
                self.report(Code::OutOfRange, message, &waypoint.span);
            } else if fraction <= last {
                let message = "points in between must stand in the order in which they are passed".to_owned();
                self.report(Code::OutOfRange, message, &waypoint.span);
            }
            last = fraction;
            self.fixed(&waypoint.values, bounds, "in between");
        }
    }

    /// Guesses are finite at both ends and in the middle.
    fn guesses(&mut self, boundary: &Boundary, controls: &[Control], time: Id, from: f64, duration: f64) {
        let ComponentLists { coordinates, entropies, amounts, states } = self.lists;
        let names = coordinates.iter().map(|c| &c.name).chain(entropies.iter().map(|entropy| &entropy.name));
        let names =
            names.chain(amounts.iter().map(|amount| &amount.name)).chain(states.iter().map(|state| &state.name));
        let moving = names.zip(&boundary.guess).enumerate().filter_map(|(place, (name, guess))| {
            let span = boundary.guess_spans.get(&place).unwrap_or(&boundary.duration_span);
            Some((name, (*guess)?, span))
        });
        let controls = controls.iter().filter_map(|control| Some((&control.name, control.guess?, &control.span)));
        let guessed: Vec<(&String, Id, &Span)> = moving.chain(controls).collect();
        let ids: Vec<Id> = guessed.iter().map(|(_, id, _)| *id).collect();
        let Some(independent) = self.graph.expr(time).as_symbol() else { return };
        for part in TRIED {
            let now = from + part * duration;
            let value_of = |name: &str| if *name == *independent { Some(now) } else { (self.value_of)(name) };
            let numbers = self.graph.evaluate(&self.graph.exprs(&ids), value_of);
            let wrong = guessed.iter().zip(numbers).find(|(_, number)| !number.is_finite());
            if let Some(((name, _, span), _)) = wrong {
                let message = format!("the guess of `{name}` is not finite where {independent} is {now}");
                self.report(Code::NotFinite, message, span);
                return;
            }
        }
    }
}
