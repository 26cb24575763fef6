//! What a run records: columns, and the expressions behind them.

use std::ops::Range;

use extremal_expr::{Expr, Id, Node, magnitude};
use extremal_mechanics::geometry::LiftedField;
use extremal_mechanics::{Constraint, System};
use extremal_model::{Direction, Method, Model, Pacing, Start, SymmetryGenerator};
use extremal_solve::{ConfigurationWatch, WatchedRows};
use extremal_trajectory::{Column, Columns, Role, is_named};

use super::events::event_rates;
use super::inertia::determinants;
use super::layout::{ObservedLayout, RowLayout, StateLayout};
use super::sensitivity::derivative_columns;
use super::watch::WatchedExpressions;
use super::{Settings, SetupError};

/// A quantity that is watched along a run because it should stay constant, beside those that the model states.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracked {
    /// The name of its column.
    pub name: String,
    /// An expression of positions, velocities, entropies, time and parameters.
    pub expression: Id,
}

/// What a run records in rows as [`RowLayout`] says, and what it looks at besides: an observation gives velocities, momenta, then
/// `outputs`, which are recorded quantities, stop conditions and events, what is watched of the constraints, how large the terms of those
/// on velocities are, determinants of the mass matrix, closed forms, rates of the expressions of events.
pub(crate) struct Observables {
    pub columns: Columns,
    pub row: RowLayout,
    /// Expressions in q, v, p, S, t, accelerations and multipliers.
    pub outputs: Vec<Id>,
    /// How many of `outputs` are columns.
    pub recorded: usize,
    pub coordinates: usize,
    /// How many of the coordinates, the last ones, are momenta.
    pub momentum_coordinates: usize,
    /// Entropies, then amounts of matter, then states.
    pub entropies: usize,
    /// How many of them are amounts, which have chemical potentials.
    pub amounts: usize,
    /// How many of them, the last ones, are states without temperatures.
    pub states: usize,
    /// How many recorded quantities stand before the temperatures: multipliers and reactions.
    pub reactions: usize,
    /// Names of all constraints, whose residuals are watched, and how many of the first are kept.
    pub constraints: Vec<String>,
    pub kept: Vec<bool>,
    /// The watch over the rows of the constraints that are kept, as it is before a motion.
    pub configurations: ConfigurationWatch,
    /// The columns of the entries of these rows.
    pub row_pattern: Vec<Vec<usize>>,
    /// The vakonomic constraints, whose multipliers are part of where a motion is.
    pub moving: Vec<usize>,
    /// The constraints on velocities, whose terms are measured.
    pub measured: Vec<usize>,
    /// How many determinants of the mass matrix are looked at.
    pub determinants: usize,
    /// Does one of them depend on time? Momenta may then stay as they are while velocities do not.
    pub timed_mass: bool,
    /// Does the motion look at its constraints by itself, between the rows too?
    pub adaptive: bool,
    /// Is the energy also estimated from positions?
    pub estimate: bool,
    /// What comes in from outside, where it is summed up.
    pub accounts: Vec<&'static str>,
    /// Stop conditions, then events.
    pub stops: Vec<(String, Direction)>,
    /// How many of them are events. The rates of their expressions, where positions decide these, are observed last.
    pub events: usize,
    /// Coordinates (then entropies) that have a closed form, in the order of the last outputs.
    pub exact: Vec<usize>,
}

impl Observables {
    /// `system` has the constraints that are kept, `all` those of the model.
    pub fn of<'m>(
        model: &'m Model,
        system: &System<'m>,
        all: &[Constraint<'m>],
        settings: &Settings,
        tracked: &[Tracked],
    ) -> Result<Observables, SetupError> {
        let (g, method) = (model.graph(), &settings.method);
        let mut columns = vec![Column::time()];
        // Momenta may be coordinates themselves.
        let (moving, momenta) = system.names.split_at(system.len() - model.momentum_coordinates());
        columns.extend(moving.iter().map(Column::coordinate));
        columns.extend(moving.iter().zip(momenta).map(|(name, _)| Column::momentum(name)));
        let primed = |name: &String, times: usize| format!("{name}{}", "'".repeat(times));
        for order in 0..2 * system.order - 1 {
            columns.extend(moving.iter().map(|name| Column::velocity(&primed(name, order))));
        }
        columns.extend(momenta.iter().map(|name| Column::new(format!("{name}'"), Role::Output).of(name.as_str())));
        for order in (0..system.order).filter(|_| model.momentum_coordinates() == 0) {
            columns.extend(system.names.iter().map(|name| Column::momentum(&primed(name, order))));
        }
        let heat = &system.heat;
        let (balanced, moved) = heat.names.split_at(heat.balanced().len());
        let (heated, filled) = balanced.split_at(heat.entropies().len());
        columns.extend(heated.iter().map(|name| Column::new(name.as_str(), Role::Entropy)));
        columns.extend(filled.iter().map(|name| Column::new(name.as_str(), Role::Amount)));
        columns.extend(moved.iter().map(|name| Column::new(name.as_str(), Role::State)));
        let kept: Vec<bool> = all.iter().map(|c| system.constraints.iter().any(|kept| kept.name == c.name)).collect();
        let mut outputs: Vec<Expr<'_>> = Vec::new();
        for (constraint, kept) in all.iter().zip(&kept) {
            columns.push(Column::new(format!("lambda_{}", constraint.name), Role::Multiplier).of(&*constraint.name));
            // Of dependent constraints one carries the reaction of all.
            outputs.push(if *kept { constraint.multiplier } else { g.int(0) });
        }
        if !all.is_empty() {
            // A coordinate that only constraints left out act on has its column, for these may be chosen later.
            let mut whole = system.clone();
            whole.constraints = all.to_vec();
            let acted_on = whole.constraint_forces();
            let forces = system.names.iter().zip(system.constraint_forces()).zip(acted_on);
            for ((name, force), _) in forces.filter(|(_, any)| !any.is_zero()) {
                columns.push(Column::new(format!("reaction_{name}"), Role::Output).of(name.as_str()));
                outputs.push(force);
            }
        }
        for (name, symbol) in system.flow.iter().flat_map(|flow| flow.recorded()) {
            let control = model.controls().iter().any(|control| control.name == *name);
            let role = if control { Role::Control } else { Role::Multiplier };
            columns.push(Column::new(name.as_str(), role).of(name.strip_prefix("lambda_").unwrap_or(name)));
            outputs.push(*symbol);
        }
        for dry in &system.dry {
            let name = dry.force.as_symbol().map(|name| name.to_string()).unwrap_or_default();
            columns.push(Column::new(name, Role::Output).of(dry.name.as_str()));
            outputs.push(dry.force);
        }
        let over_points = settings.start == Start::Points;
        let typed = model.discrete().filter(|_| *method == Method::Custom).map_or(&[][..], |own| &own.constraints);
        for name in model.constraints().iter().filter(|_| over_points).map(|constraint| &constraint.name) {
            columns.push(Column::new(format!("step_lambda_{name}"), Role::Multiplier).of(format!("step_{name}")));
            outputs.push(system.symbol(&format!("step_lambda_{name}")));
        }
        for constraint in all.iter().zip(typed).filter(|(c, own)| own.is_some() && c.is_vakonomic()).map(|(c, _)| c) {
            let column = Column::new(format!("step_lambda_{}", constraint.name), Role::Multiplier);
            columns.push(column.of(format!("step_{}", constraint.name)));
            let kept = system.constraints.iter().any(|kept| kept.name == constraint.name);
            outputs.push(if kept { system.step_multiplier(constraint) } else { g.int(0) });
        }
        let reactions = outputs.len();
        let temperature = |name: &String| Column::new(format!("T_{name}"), Role::Temperature).of(name.as_str());
        columns.extend(heated.iter().map(temperature));
        let potential = |name: &String| Column::new(format!("mu_{name}"), Role::Potential).of(name.as_str());
        columns.extend(filled.iter().map(potential));
        outputs.extend(system.carried_slopes());
        // Constraints over three points are part of the momenta.
        let energy = match over_points {
            true => g.dot(&system.p, &[&system.v[..], &system.a].concat()) - system.lagrangian,
            false => system.energy(),
        };
        // What a contact system keeps of its energy and of the momenta of its symmetries is their quotient by the factor of its form.
        let factor = system.contact_factor();
        let scaled = factor.as_number().is_none();
        let name_kept = |name: &str| if scaled { format!("{name}/factor") } else { name.to_owned() };
        outputs.push(energy / factor);
        // Of stated rates alone there is no energy to speak of: it is zero, and its place is kept.
        let none = system.is_empty() && heated.is_empty() && system.poisson().is_none();
        columns.push(Column::new(name_kept("energy"), if none { Role::Output } else { Role::Energy }));
        if scaled {
            columns.push(Column::new("energy", Role::Output));
            outputs.push(energy);
        }
        for (name, part) in energy_parts(system) {
            columns.push(Column::new(name, Role::EnergyPart));
            outputs.push(part);
        }
        for symmetry in model.symmetries() {
            let momentum = symmetry_quantity(system, symmetry)?;
            columns.push(Column::new(name_kept(&symmetry.name), Role::Invariant));
            outputs.push(momentum / factor);
            if scaled {
                columns.push(Column::new(symmetry.name.as_str(), Role::Output));
                outputs.push(momentum);
            }
        }
        for invariant in model.invariants() {
            columns.push(Column::new(invariant.name.as_str(), Role::Invariant));
            outputs.push(g.expr(invariant.expression));
        }
        for quantity in tracked {
            // The model may have stated one of this name.
            let taken = columns.iter().any(|column| column.name() == quantity.name);
            let name = if taken { format!("{} (found)", quantity.name) } else { quantity.name.clone() };
            columns.push(Column::new(name, Role::Invariant));
            outputs.push(g.expr(quantity.expression));
        }
        for control in model.controls().iter().filter(|_| system.flow.is_none()) {
            if let Some(law) = control.law {
                columns.push(Column::new(control.name.as_str(), Role::Control));
                outputs.push(g.expr(law));
            }
        }
        let asked: Vec<Id> = model.outputs().iter().map(|output| output.expression).collect();
        let asked = g.substitute(&g.exprs(&asked), &derived_quantities(model, system, all, &kept, energy));
        for (output, expression) in model.outputs().iter().zip(asked) {
            columns.push(Column::new(output.name.as_str(), Role::Asked));
            outputs.push(expression);
        }
        for (name, expression) in named_quantities(model, system, &settings.columns) {
            if columns.iter().all(|column| column.name() != name) {
                columns.push(Column::new(name, Role::Asked));
                outputs.push(expression);
            }
        }
        let recorded = outputs.len();
        outputs.extend(model.stops().iter().map(|stop| g.expr(stop.expression)));
        outputs.extend(model.events().iter().map(|event| g.expr(event.expression)));
        let watched = WatchedExpressions::of(all, system);
        outputs.extend(g.exprs(&watched.residuals));
        outputs.extend(g.exprs(&watched.rows));
        let on_velocities = |at: &usize| !all[*at].kind.nature().binds_positions;
        let measured: Vec<usize> = (0..all.len()).filter(on_velocities).collect();
        outputs.extend(measured.iter().map(|at| magnitude(all[*at].expression)));
        let determinants = determinants(system);
        outputs.extend(&determinants);
        outputs.extend(model.exact().iter().map(|exact| g.expr(exact.expression)));
        outputs.extend(event_rates(model, system));
        let from_momenta =
            matches!(method, Method::EnergyEntropy(_) | Method::EnergyEntropyMomentum) || method.is_reference();
        let paced = settings.pacing != Pacing::Even;
        let estimate = !heated.is_empty() && !system.is_empty() && !from_momenta && !paced;
        if estimate {
            columns.push(Column::new("energy_v", Role::Output));
        }
        let moving = (0..all.len()).filter(|at| kept[*at] && all[*at].is_vakonomic()).collect();
        let accounts: Vec<&'static str> = system.accounts().iter().map(|account| account.name).collect();
        columns.extend(accounts.iter().map(|name| Column::new(*name, Role::Output)));
        columns.extend(derivative_columns(&settings.sensitivity, &columns));
        Ok(Observables {
            columns: Columns::new(columns)?,
            row: RowLayout::default(),
            outputs: outputs.iter().map(|e| e.id()).collect(),
            recorded,
            coordinates: system.order * system.len(),
            momentum_coordinates: model.momentum_coordinates(),
            entropies: system.heat.s.len(),
            amounts: system.heat.amounts().len(),
            states: system.heat.states().len(),
            reactions,
            constraints: all.iter().map(|constraint| constraint.name.clone()).collect(),
            kept,
            configurations: ConfigurationWatch::new(
                system.binding_velocities().map(|constraint| constraint.name.clone()).collect(),
                &watched.pattern,
            ),
            row_pattern: watched.pattern,
            moving,
            measured,
            determinants: determinants.len(),
            timed_mass: determinants.iter().any(|determinant| determinant.depends_on(&[system.t])),
            adaptive: matches!(method, Method::Dopri5 | Method::Dop853),
            estimate,
            accounts,
            stops: {
                let stops = model.stops().iter().map(|stop| (stop.name.clone(), stop.direction));
                stops.chain(model.events().iter().map(|event| (event.name.clone(), event.direction))).collect()
            },
            events: model.events().len(),
            exact: model.exact().iter().map(|exact| exact.coordinate).collect(),
        }
        .laid_out())
    }

    /// Many members with nothing but an energy.
    pub fn of_members(columns: Columns, coordinates: usize) -> Observables {
        Observables {
            columns,
            row: RowLayout::default(),
            outputs: Vec::new(),
            recorded: 1,
            coordinates,
            momentum_coordinates: 0,
            entropies: 0,
            amounts: 0,
            states: 0,
            reactions: 0,
            constraints: Vec::new(),
            kept: Vec::new(),
            configurations: ConfigurationWatch::default(),
            row_pattern: Vec::new(),
            moving: Vec::new(),
            measured: Vec::new(),
            determinants: 0,
            timed_mass: false,
            adaptive: false,
            estimate: false,
            accounts: Vec::new(),
            stops: Vec::new(),
            events: 0,
            exact: Vec::new(),
        }
        .laid_out()
    }

    /// The column of the account of this name, if there is one.
    pub fn account(&self, name: &str) -> Option<usize> {
        let place = self.accounts.iter().position(|account| *account == name)?;
        Some(self.row.accounts.start + place)
    }

    pub fn state(&self) -> StateLayout {
        let Observables { coordinates, entropies, states, .. } = *self;
        StateLayout { coordinates, entropies, states, accounts: self.accounts.len() }
    }

    /// How many entropies there are, each with a temperature.
    pub fn heated(&self) -> usize {
        self.balanced() - self.amounts
    }

    /// How many entropies and amounts there are, each with a temperature or a potential.
    pub fn balanced(&self) -> usize {
        self.entropies - self.states
    }

    pub fn observed(&self) -> ObservedLayout {
        ObservedLayout {
            coordinates: self.coordinates,
            reactions: self.reactions,
            temperatures: self.balanced(),
            outputs: self.recorded,
            stops: self.stops.len(),
            residuals: self.constraints.len(),
            rows: self.configurations.len(),
            measured: self.measured.len(),
            determinants: self.determinants,
        }
    }

    /// Where its outputs say what is watched of constraints.
    pub fn watched_rows(&self) -> WatchedRows {
        let at = self.observed();
        // Outputs stand behind velocities and momenta.
        let first = at.outputs().start;
        let among_outputs = |range: Range<usize>| range.start - first..range.end - first;
        let (residuals, entries) = (among_outputs(at.residuals()), among_outputs(at.rows()));
        WatchedRows { residuals, entries, pattern: self.row_pattern.clone() }
    }

    /// The same with the parts of its rows counted.
    fn laid_out(mut self) -> Observables {
        self.row =
            RowLayout::new(self.state(), self.recorded, self.reactions, self.estimate, self.momentum_coordinates);
        self
    }
}

/// What is recorded only where it is asked for by name: definitions, and errors against closed forms.
fn named_quantities<'m>(model: &'m Model, system: &System<'m>, asked: &[String]) -> Vec<(String, Expr<'m>)> {
    let g = system.graph;
    let definitions = model.definitions().iter().map(|known| (known.name.clone(), g.expr(known.expression)));
    let (q, s) = (&system.q, &system.heat.s);
    let names = || system.names.iter().chain(&system.heat.names);
    let errors = model.exact().iter().filter_map(|exact| {
        let value = q.iter().chain(s).nth(exact.coordinate)?;
        Some((format!("error_{}", names().nth(exact.coordinate)?), *value - g.expr(exact.expression)))
    });
    // What `*` alone stands for are the usual columns.
    let is_asked = |name: &str| asked.iter().any(|text| text != "*" && is_named(name, text));
    definitions.chain(errors).filter(|(name, _)| is_asked(name)).collect()
}

/// What follows from the equations, by the symbols that outputs use for it.
fn derived_quantities<'m>(
    model: &'m Model,
    system: &System<'m>,
    all: &[Constraint<'m>],
    kept: &[bool],
    energy: Expr<'m>,
) -> Vec<(Expr<'m>, Expr<'m>)> {
    let g = system.graph;
    if model.outputs().is_empty() {
        return Vec::new();
    }
    let named = |prefix: &str, name: &String| g.symbol(&format!("{prefix}{name}"));
    let mut rules = vec![(g.symbol("energy"), energy)];
    rules.extend(system.names.iter().zip(system.momenta()).map(|(name, p)| (named("p_", name), p)));
    let reactions = system.names.iter().zip(system.constraint_forces());
    rules.extend(reactions.map(|(name, force)| (named("reaction_", name), force)));
    for (constraint, kept) in all.iter().zip(kept) {
        let multiplier = if *kept { constraint.multiplier } else { g.int(0) };
        rules.push((named("lambda_", &constraint.name), multiplier));
    }
    let heated = system.heat.entropies().len();
    for (at, (name, slope)) in system.heat.names.iter().zip(system.carried_slopes()).enumerate() {
        rules.push((named(if at < heated { "T_" } else { "mu_" }, name), slope));
    }
    // What the user has given one of these names is that.
    let taken: Vec<Expr<'m>> = model.taken_names().iter().map(|name| g.symbol(name)).collect();
    rules.retain(|(symbol, _)| !taken.contains(symbol));
    rules
}

/// The energy of a system with entropies by what it is: kinetic, internal (the terms at rest that contain an entropy) and
/// potential (the others).
fn energy_parts<'g>(system: &System<'g>) -> Vec<(&'static str, Expr<'g>)> {
    if system.heat.entropies().is_empty() {
        return Vec::new();
    }
    let g = system.graph;
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, g.int(0))).collect();
    let rest = -system.lagrangian.substitute(&at_rest);
    let terms: Vec<Expr<'g>> = match rest.node() {
        Node::Sum { constant, terms } => {
            let scaled = terms.iter().map(|(id, c)| g.expr(*id) * g.rational(c.clone()));
            scaled.chain([g.rational(constant)]).collect()
        }
        _ => vec![rest],
    };
    let warm = g.depend_on(&terms, system.heat.entropies());
    let pick =
        |wanted: bool| g.sum(terms.iter().zip(&warm).filter(|(_, warm)| **warm == wanted).map(|(term, _)| *term));
    [("kinetic", system.energy() - rest), ("internal", pick(true)), ("potential", pick(false))]
        .into_iter()
        .filter(|(_, part)| !part.is_zero())
        .collect()
}

/// What a symmetry conserves: p·X, or f − p·X of a field on velocities and entropies.
fn symmetry_quantity<'m>(system: &System<'m>, symmetry: &SymmetryGenerator) -> Result<Expr<'m>, SetupError> {
    let g = system.graph;
    let generator = g.exprs(&symmetry.generator);
    let Some(lift) = &symmetry.lift else { return Ok(system.noether_momentum(&generator)) };
    let (velocities, entropies) = (g.exprs(&lift.velocities), g.exprs(&lift.entropies));
    let field = LiftedField { positions: generator, velocities, entropies };
    let quantity = system.lifted_quantity(&field);
    quantity.ok_or_else(|| SetupError::NoQuantity { symmetry: symmetry.name.clone() })
}
