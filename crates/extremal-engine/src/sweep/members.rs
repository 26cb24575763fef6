//! Members made ready to march: from what varies to parameters, starts and steps as numbers.

use std::collections::HashMap;
use std::ops::Range;

use extremal_expr::Expr;
use extremal_model::{Extent, Model, Start};
use extremal_solve::StartValues;

use super::start_formulas::StartFormulas;
use super::target::Target;
use super::variation::Variation;
use crate::run::{Plan, RunStart, Settings, ValueSlopes};

/// Some members in a row, flat: a number of values each.
pub(crate) struct Members {
    first: u64,
    widths: Widths,
    varied: Vec<f64>,
    parameters: Vec<f64>,
    starts: Vec<f64>,
    /// One for all, or one each.
    plans: Vec<Plan>,
    /// Members that cannot be run, by their place, and why.
    problems: Vec<(usize, String)>,
}

#[derive(Clone, Copy)]
struct Widths {
    varied: usize,
    parameters: usize,
    start: usize,
}

/// One of them.
pub(crate) struct Member<'a> {
    pub number: u64,
    pub varied: &'a [f64],
    pub parameters: &'a [f64],
    /// Positions, velocities, second positions, entropies, multipliers.
    pub start: &'a [f64],
    pub plan: &'a Plan,
    pub problem: Option<&'a str>,
}

impl Members {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.starts.len() / self.widths.start
    }

    /// The number of the first.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// How many values vary.
    pub fn width(&self) -> usize {
        self.widths.varied
    }

    /// The plan that all of them have, if they have one.
    pub fn common_plan(&self) -> Option<&Plan> {
        match &self.plans[..] {
            [plan] => Some(plan),
            _ => None,
        }
    }

    /// Can a member not be run?
    pub fn is_impossible(&self, place: usize) -> bool {
        self.problems.iter().any(|(at, _)| *at == place)
    }

    /// What varies among some of them, one after the other.
    pub fn varied(&self, places: Range<usize>) -> &[f64] {
        &self.varied[self.widths.varied * places.start..self.widths.varied * places.end]
    }

    /// The parameters and starts of some of them as columns of so many numbers, with those of another where there is none that can be run.
    pub fn columns(&self, places: Range<usize>, lanes: usize, parameters: &mut Vec<f64>, starts: &mut Vec<f64>) {
        let possible = |place: &usize| !self.is_impossible(*place);
        let other = places.clone().find(possible).unwrap_or(places.start);
        let columns = |width: usize, all: &[f64], columns: &mut Vec<f64>| {
            columns.resize(width * lanes, 0.0);
            for at in 0..lanes {
                let place = Some(places.start + at).filter(|place| places.contains(place) && possible(place));
                let own = &all[width * place.unwrap_or(other)..][..width];
                columns.iter_mut().skip(at).step_by(lanes).zip(own).for_each(|(to, value)| *to = *value);
            }
        };
        columns(self.widths.parameters, &self.parameters, parameters);
        columns(self.widths.start, &self.starts, starts);
    }

    pub fn iter(&self) -> impl Iterator<Item = Member<'_>> {
        let Widths { varied, parameters, start } = self.widths;
        (0..self.starts.len() / start).map(move |at| Member {
            number: self.first + at as u64,
            varied: &self.varied[varied * at..][..varied],
            parameters: &self.parameters[parameters * at..][..parameters],
            start: &self.starts[start * at..][..start],
            plan: &self.plans[at.min(self.plans.len() - 1)],
            problem: self.problems.iter().find(|(place, _)| *place == at).map(|(_, problem)| problem.as_str()),
        })
    }
}

/// How the numbers of a start follow each other in [`Member::start`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct StartLayout {
    pub coordinates: usize,
    /// As many as coordinates, or none.
    pub second: usize,
    pub entropies: usize,
    pub multipliers: usize,
}

impl StartLayout {
    fn of(values: &StartValues) -> StartLayout {
        let StartValues { q, second, s, multipliers, .. } = values;
        let (coordinates, second) = (q.len(), second.len());
        StartLayout { coordinates, second, entropies: s.len(), multipliers: multipliers.len() }
    }

    fn width(&self) -> usize {
        2 * self.coordinates + self.second + self.entropies + self.multipliers
    }

    /// Where the entropies stand.
    pub fn first_entropy(&self) -> usize {
        2 * self.coordinates + self.second
    }

    /// An empty start to [`fill`](Self::fill).
    pub fn values(&self) -> StartValues {
        let zeros = |count: usize| vec![0.0; count];
        StartValues {
            q: zeros(self.coordinates),
            v: zeros(self.coordinates),
            second: zeros(self.second),
            s: zeros(self.entropies),
            multipliers: zeros(self.multipliers),
            time: 0.0,
        }
    }

    pub fn fill(&self, start: &[f64], values: &mut StartValues) {
        let (q, rest) = start.split_at(self.coordinates);
        let (v, rest) = rest.split_at(self.coordinates);
        let (second, rest) = rest.split_at(self.second);
        let (s, multipliers) = rest.split_at(self.entropies);
        values.q.copy_from_slice(q);
        values.v.copy_from_slice(v);
        values.second.copy_from_slice(second);
        values.s.copy_from_slice(s);
        values.multipliers.copy_from_slice(multipliers);
    }
}

/// What it takes to make members ready. Expressions that do not depend on what varies are evaluated once, and the others as for a
/// single run, so that a member is the run with its values.
pub(crate) struct Preparation<'m> {
    model: &'m Model,
    variation: &'m Variation,
    targets: Vec<Target>,
    settings: Settings,
    plan: Plan,
    pub layout: StartLayout,
    parameters: Vec<f64>,
    start: Vec<f64>,
    places: HashMap<&'m str, usize>,
    /// Parameters that follow what varies, each after those it uses.
    following: Vec<(usize, Expr<'m>)>,
    /// Places of the start that follow it, and what they are called.
    following_starts: Vec<(usize, Expr<'m>, String)>,
    /// The same, ready to be evaluated: one parameter after the other, and all starts.
    parameter_formulas: Vec<StartFormulas>,
    start_formulas: StartFormulas,
    following_step: Option<Expr<'m>>,
    following_from: Option<Expr<'m>>,
    following_until: Option<Expr<'m>>,
}

impl<'m> Preparation<'m> {
    /// `settings` are those of the run; a step or an end that the caller has `fixed` does not follow the parameters.
    pub fn new(
        model: &'m Model,
        variation: &'m Variation,
        targets: Vec<Target>,
        settings: &Settings,
        plan: &Plan,
        fixed: Fixed,
    ) -> Preparation<'m> {
        let g = model.graph();
        let parameters = model.parameters();
        let varied = |at: usize| targets.contains(&Target::Parameter(at));
        let mut changing: Vec<Expr<'m>> = Vec::new();
        let mut following = Vec::new();
        for (at, parameter) in parameters.iter().enumerate() {
            let expression = g.expr(parameter.expression);
            let follows = !varied(at) && expression.depends_on(&changing);
            if follows {
                following.push((at, expression));
            }
            if follows || varied(at) {
                changing.push(g.expr(parameter.symbol));
            }
        }
        let follows = |expression: &Expr<'m>| expression.depends_on(&changing);
        let following_step = model.step_expression().filter(|step| !fixed.step && follows(step));
        let following_from = model.from_expression().filter(|from| !fixed.from && follows(from));
        let following_until = model.until_expression().filter(|until| !fixed.end && follows(until));
        let values = RunStart::of(model, settings.start, plan.step, plan.from).values;
        let layout = StartLayout::of(&values);
        let start = [&values.q[..], &values.v, &values.second, &values.s, &values.multipliers].concat();
        let mut preparation = Preparation {
            model,
            variation,
            targets,
            settings: settings.clone(),
            plan: plan.clone(),
            layout,
            parameters: model.parameter_values(),
            start,
            places: parameters.iter().enumerate().map(|(at, parameter)| (parameter.name.as_str(), at)).collect(),
            following,
            following_starts: Vec::new(),
            parameter_formulas: Vec::new(),
            start_formulas: StartFormulas::new(g, &[], |_| None),
            following_step,
            following_from,
            following_until,
        };
        if following_step.is_some() {
            changing.push(g.symbol(STEP));
        }
        preparation.following_starts =
            preparation.stated().into_iter().filter(|(_, start, _)| start.depends_on(&changing)).collect();
        let place = |name: &str| match preparation.places.get(name) {
            Some(at) => Some(*at),
            None => (name == STEP).then_some(parameters.len()),
        };
        let of_parameters = preparation.following.iter().map(|(_, value)| StartFormulas::new(g, &[*value], place));
        let starts: Vec<Expr<'m>> = preparation.following_starts.iter().map(|(_, start, _)| *start).collect();
        let (parameter_formulas, start_formulas) = (of_parameters.collect(), StartFormulas::new(g, &starts, place));
        Preparation { parameter_formulas, start_formulas, ..preparation }
    }

    /// What the model states of the start, by places.
    fn stated(&self) -> Vec<(usize, Expr<'m>, String)> {
        let (model, n) = (self.model, self.layout.coordinates);
        let g = model.graph();
        let mut stated = Vec::new();
        for (at, coordinate) in model.coordinates().iter().enumerate() {
            let velocity = (self.velocity(at), coordinate.start_velocity, format!("{}'", coordinate.name));
            for (place, start, name) in [(at, coordinate.start, coordinate.name.clone()), velocity] {
                stated.extend(start.map(|start| (place, g.expr(start), name)));
            }
            for (r, momentum) in coordinate.start_momenta.iter().enumerate() {
                let name = format!("the momentum p{r} of {}", coordinate.name);
                let place = n + r * model.coordinates().len() + at;
                stated.extend(momentum.map(|momentum| (place, g.expr(momentum), name)));
            }
            if let (Start::TwoPoints, Some(second)) = (self.settings.start, coordinate.second) {
                stated.push((2 * n + at, g.expr(second), format!("the second position of {}", coordinate.name)));
            }
        }
        let first = self.layout.first_entropy();
        let carried = model.carried_names().into_iter().zip(model.carried_starts()).enumerate();
        stated.extend(carried.filter_map(|(at, (name, start))| Some((first + at, start?, name.to_owned()))));
        let moving = model.constraints().iter().filter(|c| !c.kind.nature().reacts).take(self.layout.multipliers);
        let first = first + self.layout.entropies;
        let multiplier = |(at, constraint): (usize, &extremal_model::ModelConstraint)| {
            (first + at, g.expr(constraint.multiplier), format!("the multiplier of {}", constraint.name))
        };
        stated.extend(moving.enumerate().map(multiplier));
        stated
    }

    /// Where a velocity stands: with momenta it is a part of the configuration.
    fn velocity(&self, coordinate: usize) -> usize {
        match self.model.momentum_order() {
            Some(_) => self.model.coordinates().len() + coordinate,
            None => self.layout.coordinates + coordinate,
        }
    }

    /// The parameters and the places of the start that follow what varies.
    pub fn following(&self) -> [Vec<usize>; 2] {
        let starts = self.following_starts.iter().map(|(place, _, _)| *place);
        [self.following.iter().map(|(at, _)| *at).collect(), starts.collect()]
    }

    /// Where the start of a varied quantity stands, if it is one.
    pub fn place_of(&self, target: Target) -> Option<usize> {
        match target {
            Target::Parameter(_) => None,
            Target::Position(at) => Some(at),
            Target::Velocity(at) => Some(self.velocity(at)),
            Target::Entropy(at) => Some(self.layout.first_entropy() + at),
        }
    }

    /// Parameters and start where nothing varies.
    pub fn common(&self) -> [&[f64]; 2] {
        [&self.parameters, &self.start]
    }

    /// What varies, in the order of its values.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Does every member take the same steps?
    pub fn same_steps(&self) -> bool {
        [&self.following_step, &self.following_from, &self.following_until].iter().all(|follows| follows.is_none())
    }

    /// How all parameters and the start change with each thing that varies, the others fixed, where the parameters have these values.
    pub fn slopes(&self, parameters: &[f64], step: f64) -> Vec<ValueSlopes> {
        let g = self.model.graph();
        let symbols: Vec<Expr<'m>> = self.model.parameters().iter().map(|parameter| g.expr(parameter.symbol)).collect();
        let value_of = |name: &str| match self.places.get(name) {
            Some(at) => Some(parameters[*at]),
            None => (name == STEP).then_some(step),
        };
        let gradient = |expression: Expr<'m>| g.evaluate(&g.gradient(expression, &symbols), value_of);
        let following: Vec<_> = self.following.iter().map(|(at, value)| (*at, gradient(*value))).collect();
        let starts: Vec<_> = self.following_starts.iter().map(|(at, start, _)| (*at, gradient(*start))).collect();
        let slopes = |target: &Target| {
            let (mut own, mut start) = (vec![0.0; parameters.len()], vec![0.0; self.layout.width()]);
            match *target {
                Target::Parameter(at) => own[at] = 1.0,
                Target::Position(at) => start[at] = 1.0,
                Target::Velocity(at) => start[self.velocity(at)] = 1.0,
                Target::Entropy(at) => start[self.layout.first_entropy() + at] = 1.0,
            }
            let along = |gradient: &[f64], own: &[f64]| gradient.iter().zip(own).map(|(a, b)| a * b).sum::<f64>();
            for (at, gradient) in &following {
                own[*at] = along(gradient, &own);
            }
            let varied = |place: usize| start[place] != 0.0;
            let given: Vec<_> = starts.iter().filter(|(at, _)| !varied(*at)).collect();
            for (at, gradient) in given {
                start[*at] = along(gradient, &own);
            }
            ValueSlopes { parameters: own, start }
        };
        self.targets.iter().map(slopes).collect()
    }

    /// Makes these members ready.
    pub fn members(&self, numbers: Range<u64>) -> Members {
        let widths =
            Widths { varied: self.targets.len(), parameters: self.parameters.len(), start: self.layout.width() };
        let count = (numbers.end - numbers.start) as usize;
        let mut members = Members {
            first: numbers.start,
            widths,
            varied: Vec::with_capacity(count * widths.varied),
            parameters: Vec::with_capacity(count * widths.parameters),
            starts: Vec::with_capacity(count * widths.start),
            plans: if self.same_steps() { vec![self.plan.clone()] } else { Vec::with_capacity(count) },
            problems: Vec::new(),
        };
        let mut values = Vec::new();
        for number in numbers {
            let place = members.varied.len() / widths.varied;
            self.variation.push_values(number, &mut members.varied);
            if let Err(problem) = self.push(&mut members, place, &mut values) {
                members.problems.push((place, problem));
            }
        }
        members
    }

    /// Makes a member ready, with `scratch` for what is computed on the way.
    fn push(&self, members: &mut Members, place: usize, scratch: &mut Vec<f64>) -> Result<(), String> {
        let Widths { varied, parameters, start } = members.widths;
        members.parameters.extend_from_slice(&self.parameters);
        members.starts.extend_from_slice(&self.start);
        if !self.same_steps() {
            members.plans.push(self.plan.clone());
        }
        let count = parameters;
        let values = &members.varied[varied * place..];
        let parameters = &mut members.parameters[parameters * place..];
        for (target, value) in self.targets.iter().zip(values) {
            if let Target::Parameter(at) = target {
                parameters[*at] = *value;
            }
        }
        let evaluate = |expressions: &[Expr<'m>], parameters: &[f64], step: f64| {
            let value_of = |name: &str| match self.places.get(name) {
                Some(at) => Some(parameters[*at]),
                None => (name == STEP).then_some(step),
            };
            self.model.graph().evaluate(expressions, value_of)
        };
        let given = |parameters: &[f64], step: f64, place: usize| if place < count { parameters[place] } else { step };
        for ((at, _), formulas) in self.following.iter().zip(&self.parameter_formulas) {
            let value = formulas.evaluate(scratch, |place| given(parameters, f64::NAN, place)).next();
            let value = value.unwrap_or(f64::NAN);
            if !value.is_finite() {
                return Err(format!("the parameter `{}` is not finite", self.model.parameters()[*at].name));
            }
            parameters[*at] = value;
        }
        let mut plan = &self.plan;
        if !self.same_steps() {
            let mut settings = self.settings.clone();
            if let Some(step) = self.following_step {
                settings.step = Some(evaluate(&[step], parameters, f64::NAN)[0]);
            }
            if let Some(from) = self.following_from {
                settings.from = Some(evaluate(&[from], parameters, f64::NAN)[0]);
            }
            if let Some(until) = self.following_until {
                settings.extent = Some(Extent::Until(evaluate(&[until], parameters, f64::NAN)[0]));
            }
            members.plans[place] = settings.plan().map_err(|error| error.to_string())?;
            plan = &members.plans[place];
        }
        let starts = &mut members.starts[start * place..];
        if !self.following_starts.is_empty() {
            let numbers = self.start_formulas.evaluate(scratch, |place| given(parameters, plan.step, place));
            for ((at, _, _), number) in self.following_starts.iter().zip(numbers) {
                starts[*at] = number;
            }
        }
        for (target, value) in self.targets.iter().zip(values) {
            match target {
                Target::Parameter(_) => {}
                Target::Position(at) => starts[*at] = *value,
                Target::Velocity(at) => starts[self.velocity(*at)] = *value,
                Target::Entropy(at) => starts[self.layout.first_entropy() + at] = *value,
            }
        }
        match self.following_starts.iter().find(|(at, _, _)| !starts[*at].is_finite()) {
            Some((_, _, what)) => Err(format!("the start of `{what}` is not finite")),
            None => Ok(()),
        }
    }
}

/// The symbol of the step in second positions.
const STEP: &str = "h";

/// What the caller has stated, so that it does not follow the parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixed {
    pub step: bool,
    pub from: bool,
    pub end: bool,
}
