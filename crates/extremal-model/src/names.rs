//! What the names of a model mean, and where they may be used.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use extremal_expr::syntax::{Binding, Reference, Refusal, Scope, Shape};
use extremal_expr::{Expr, Graph, Id};

use crate::diagnostic::Span;

/// The name of time.
pub(crate) const TIME: &str = "t";
/// The name of the time step, known in `[discrete]` only.
pub(crate) const STEP: &str = "h";

/// A place where an expression stands, which decides what it may depend on.
pub(crate) struct Place {
    /// The place in words: "the Lagrangian".
    pub what: &'static str,
    /// What it may depend on, in words.
    pub may_use: &'static str,
    /// The highest time derivative of a coordinate; `None` if no coordinate may occur.
    pub order: Option<u32>,
    pub time: bool,
    /// What to do where a condition was written, if that is not obvious.
    pub condition_help: Option<&'static str>,
    /// Are the coordinates known at both ends of a step (`x_0`, `x_1`) and the step `h` instead?
    pub step: bool,
}

impl Place {
    const fn new(what: &'static str, may_use: &'static str, order: Option<u32>, time: bool) -> Place {
        Place { what, may_use, order, time, condition_help: None, step: false }
    }

    pub const PARAMETER: Place = Place::new("the value of a parameter", "numbers and other parameters", None, false);
    pub const INITIAL: Place = Place::new("an initial value", "numbers and parameters", None, false);
    pub const COUNT: Place = Place::new("a count", "integers and integer parameters", None, false);
    pub const SETTING: Place = Place::new("a setting", "numbers and parameters", None, false);
    pub const DOMAIN: Place = Place::new("a domain", "positions, velocities, time and parameters", Some(1), true);
    pub const DEFINITION: Place =
        Place::new("a definition", "positions, velocities, accelerations, time and parameters", Some(2), true);
    pub const LAGRANGIAN: Place =
        Place::new("the Lagrangian", "positions, velocities, time and parameters", Some(1), true);
    pub const FORCE: Place = Place::new("a force", "positions, velocities, time and parameters", Some(1), true);
    pub const INVARIANT: Place =
        Place::new("an invariant", "positions, velocities, time and parameters", Some(1), true);
    pub const STOP: Place = Place {
        condition_help: Some("a run stops where an expression crosses zero: write the difference of both sides"),
        ..Place::new("a stop", "positions, velocities, time and parameters", Some(1), true)
    };
    pub const GENERATOR: Place =
        Place::new("the generator of a symmetry", "positions, time and parameters", Some(0), true);
    pub const EXACT: Place = Place::new("a closed form", "time and parameters", None, true);
    pub const DISCRETE: Place = Place {
        step: true,
        ..Place::new("[discrete]", "the positions `x_0` and `x_1`, the step `h`, time and parameters", None, true)
    };
}

/// What a declared name stands for.
pub(crate) enum Meaning<'g> {
    Parameter {
        symbols: Vec<Expr<'g>>,
        integer: Option<i64>,
    },
    /// Position, velocity and acceleration of each member.
    Coordinate {
        symbols: Vec<[Expr<'g>; 3]>,
    },
    /// The members known so far.
    Definition {
        values: Vec<Expr<'g>>,
    },
    /// Its declaration was in error and has been reported; its uses are not to blame.
    Broken,
}

pub(crate) struct Declaration<'g> {
    /// The kind of thing in words.
    pub what: &'static str,
    pub meaning: Meaning<'g>,
    /// The number of members of a family.
    pub count: Option<i64>,
    pub span: Span,
}

/// All declared names.
pub(crate) struct Names<'g> {
    graph: &'g Graph,
    declared: HashMap<String, Declaration<'g>>,
    /// Time derivatives of the symbols that have one.
    rates: HashMap<Id, Expr<'g>>,
    /// Which derivative of a coordinate a symbol is.
    orders: HashMap<Id, u32>,
    time: Expr<'g>,
    used: RefCell<HashSet<String>>,
    lookups: Cell<u64>,
    total_derivatives: RefCell<HashMap<Id, Expr<'g>>>,
    reaches: RefCell<HashMap<Id, Reach>>,
}

/// What an expression depends on besides parameters.
#[derive(Clone, Copy)]
struct Reach {
    order: Option<u32>,
    time: bool,
}

impl<'g> Names<'g> {
    pub fn new(graph: &'g Graph) -> Self {
        let time = graph.symbol(TIME);
        Names {
            graph,
            declared: HashMap::new(),
            rates: HashMap::from([(time.id(), graph.int(1))]),
            orders: HashMap::new(),
            time,
            used: RefCell::default(),
            lookups: Cell::new(0),
            total_derivatives: RefCell::default(),
            reaches: RefCell::default(),
        }
    }

    pub fn get(&self, name: &str) -> Option<&Declaration<'g>> {
        self.declared.get(name)
    }

    /// How often expressions have asked for a value.
    pub fn lookups(&self) -> u64 {
        self.lookups.get()
    }

    pub fn is_broken(&self, name: &str) -> bool {
        self.get(name).is_some_and(|d| matches!(d.meaning, Meaning::Broken))
    }

    pub fn is_used(&self, name: &str) -> bool {
        self.used.borrow().contains(name)
    }

    pub fn mark_used(&self, name: &str) {
        if !self.is_used(name) {
            self.used.borrow_mut().insert(name.to_owned());
        }
    }

    pub fn forget_use(&self, name: &str) {
        self.used.borrow_mut().remove(name);
    }

    /// Declares a name, or replaces what it means.
    pub fn declare(&mut self, name: &str, declaration: Declaration<'g>) {
        if let Meaning::Coordinate { symbols } = &declaration.meaning {
            for [position, velocity, acceleration] in symbols {
                self.rates.insert(position.id(), *velocity);
                self.rates.insert(velocity.id(), *acceleration);
                for (order, symbol) in [position, velocity, acceleration].into_iter().enumerate() {
                    self.orders.insert(symbol.id(), order as u32);
                }
            }
        }
        self.declared.insert(name.to_owned(), declaration);
    }

    /// Makes the name broken: its uses are not to blame.
    pub fn break_name(&mut self, name: &str) {
        if let Some(declaration) = self.declared.get_mut(name) {
            declaration.meaning = Meaning::Broken;
        }
    }

    /// Adds a member to a family of definitions.
    pub fn push_member(&mut self, name: &str, value: Expr<'g>) {
        if let Some(Declaration { meaning: Meaning::Definition { values }, .. }) = self.declared.get_mut(name) {
            values.push(value);
        }
    }

    fn reach(&self, value: Expr<'g>) -> Reach {
        if let Some(known) = self.reaches.borrow().get(&value.id()) {
            return *known;
        }
        let symbols = self.graph.free_symbols(&[value]);
        let reach = Reach {
            order: symbols.iter().filter_map(|s| self.orders.get(&s.id()).copied()).max(),
            time: symbols.contains(&self.time),
        };
        self.reaches.borrow_mut().insert(value.id(), reach);
        reach
    }

    /// `d/dt` along any motion, by the chain rule.
    fn total_derivative(&self, value: Expr<'g>) -> Expr<'g> {
        if let Some(known) = self.total_derivatives.borrow().get(&value.id()) {
            return *known;
        }
        let symbols = self.graph.free_symbols(&[value]);
        let direction: Vec<_> = symbols.iter().filter_map(|s| Some((*s, *self.rates.get(&s.id())?))).collect();
        let derivative = self.graph.directional(&[value], &direction)[0];
        self.total_derivatives.borrow_mut().insert(value.id(), derivative);
        derivative
    }
}

/// The names as seen from a place, perhaps with the number of a family's member.
pub(crate) struct View<'a, 'g> {
    pub names: &'a Names<'g>,
    pub place: &'a Place,
    pub member: Option<(&'a str, i64)>,
}

impl<'g> View<'_, 'g> {
    /// The coordinate whose position at an end of the step is called `x_0` or `x_1`.
    fn step_end<'n>(&self, name: &'n str) -> Option<&'n str> {
        if !self.place.step && self.names.get(name).is_some() {
            return None;
        }
        let base = name.strip_suffix("_0").or(name.strip_suffix("_1"))?;
        self.names.get(base).is_some_and(|d| matches!(d.meaning, Meaning::Coordinate { .. })).then_some(base)
    }

    fn refuse(&self, name: &str) -> Refusal {
        Refusal {
            message: format!("`{name}` cannot be used in {}", self.place.what),
            help: Some(format!("{} may contain {}", self.place.what, self.place.may_use)),
        }
    }

    fn coordinate(
        &self,
        symbols: &[[Expr<'g>; 3]],
        member: usize,
        reference: Reference<'_>,
    ) -> Result<Expr<'g>, Refusal> {
        match self.place.order {
            Some(highest) if reference.primes <= highest => symbols
                .get(member)
                .and_then(|derivatives| derivatives.get(reference.primes as usize))
                .copied()
                .ok_or_else(|| self.refuse(&reference.symbol())),
            _ => Err(self.refuse(&reference.symbol())),
        }
    }

    fn definition(&self, values: &[Expr<'g>], member: usize, reference: Reference<'_>) -> Result<Expr<'g>, Refusal> {
        let symbol = reference.symbol();
        let Some(&value) = values.get(member) else {
            return Err(Refusal {
                message: format!("`{symbol}` is not known yet here"),
                help: Some("a member of a family may use the members before it only".to_owned()),
            });
        };
        let reach = self.names.reach(value);
        let order = reach.order.map(|order| order + reference.primes);
        if order > self.place.order || (reach.time && !self.place.time) {
            let mut refusal = self.refuse(&symbol);
            if order.is_some_and(|order| order > 2) {
                refusal.message = format!("`{symbol}` contains a third derivative");
            }
            return Err(refusal);
        }
        Ok((0..reference.primes).fold(value, |value, _| self.names.total_derivative(value)))
    }
}

impl<'g> Scope<'g> for View<'_, 'g> {
    fn resolve(&self, name: &str) -> Option<Binding> {
        if let Some((index, number)) = self.member
            && index == name
        {
            return Some(Binding::constant("index").integer(number));
        }
        if name == TIME {
            return Some(Binding::constant("time variable"));
        }
        if name == STEP {
            return Some(Binding::constant("time step"));
        }
        if let Some(base) = self.step_end(name) {
            let position = Binding::constant("position at an end of the step");
            return Some(match self.names.get(base)?.count {
                Some(count) => position.family(1..=count),
                None => position,
            });
        }
        let declaration = self.names.get(name)?;
        self.names.mark_used(name);
        let binding = match &declaration.meaning {
            Meaning::Parameter { integer, .. } => Binding { integer: *integer, ..Binding::constant("parameter") },
            Meaning::Coordinate { .. } => Binding::variable("coordinate"),
            Meaning::Definition { .. } => Binding::variable("definition"),
            Meaning::Broken => return Some(Binding { shape: Shape::Open, ..Binding::variable("name") }),
        };
        Some(match declaration.count {
            Some(count) => binding.family(1..=count),
            None => binding,
        })
    }

    fn value(&self, reference: Reference<'_>) -> Result<Expr<'g>, Refusal> {
        let graph = self.names.graph;
        let name = reference.name;
        self.names.lookups.set(self.names.lookups() + 1);
        if let Some((index, number)) = self.member
            && index == name
        {
            return Ok(graph.int(number));
        }
        if name == TIME {
            return if self.place.time { Ok(self.names.time) } else { Err(self.refuse(name)) };
        }
        if name == STEP || self.step_end(name).is_some() {
            let symbol = reference.symbol();
            return if self.place.step { Ok(graph.symbol(&symbol)) } else { Err(self.refuse(&symbol)) };
        }
        let Some(declaration) = self.names.get(name) else { return Err(self.refuse(name)) };
        let member = reference.index.map_or(0, |index| usize::try_from(index - 1).unwrap_or(usize::MAX));
        match &declaration.meaning {
            Meaning::Parameter { symbols, .. } => symbols.get(member).copied().ok_or_else(|| self.refuse(name)),
            Meaning::Coordinate { symbols } => self.coordinate(symbols, member, reference),
            Meaning::Definition { values } => self.definition(values, member, reference),
            Meaning::Broken => Ok(graph.symbol(&reference.symbol())),
        }
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.names.declared.keys().cloned().collect();
        names.extend(self.member.map(|(index, _)| index.to_owned()));
        names.sort();
        names
    }
}
