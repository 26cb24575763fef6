//! What the names of a model mean.

mod view;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use extremal_expr::TableFunction;
use extremal_expr::syntax::DeclaredFunction;
use extremal_expr::{Expr, Graph, Id};

use crate::diagnostic::Span;
use crate::text::SourceText;

pub(crate) use view::View;

/// The name of time, unless the independent variable has another.
pub(crate) const TIME: &str = "t";
/// The name of the time step, known in `[discrete]` and in second positions.
pub(crate) const STEP: &str = "h";
/// The name of the elapsed part of the duration, known in guesses unless the user has given it to something else.
pub(crate) const ELAPSED: &str = "s";

/// What a declared name stands for.
pub(crate) enum NameMeaning<'g> {
    Parameter {
        symbols: Vec<Expr<'g>>,
        integer: Option<i64>,
    },
    /// Position, velocity and acceleration of each member; higher derivatives follow from their names.
    Coordinate {
        symbols: Vec<[Expr<'g>; 3]>,
    },
    /// Each member. Its rate of change is no symbol: it follows from the equations.
    Entropy {
        symbols: Vec<Expr<'g>>,
    },
    /// Each member of a state, an action variable or a variable of a Poisson system. Its rate of change is what the model says, once that
    /// is known.
    State {
        symbols: Vec<Expr<'g>>,
    },
    /// The members known so far; those of a matrix row by row.
    Definition {
        values: Vec<Expr<'g>>,
        columns: Option<i64>,
    },
    /// Only one that is linear in the steps has values at the ends, and a rate.
    Control {
        symbols: Vec<Expr<'g>>,
        is_linear: bool,
    },
    /// Of the members of a family of coordinates, until it is known what they are by velocities.
    Momentum {
        symbols: Vec<Expr<'g>>,
    },
    /// It has no value that an expression could use.
    Constraint,
    /// Its declaration was in error and has been reported; its uses are not to blame.
    Broken,
}

impl NameMeaning<'_> {
    /// Does it stand for something that has a value at each end of a motion?
    fn moves(&self) -> bool {
        match self {
            NameMeaning::Coordinate { .. }
            | NameMeaning::Entropy { .. }
            | NameMeaning::State { .. }
            | NameMeaning::Definition { .. }
            | NameMeaning::Control { .. } => true,
            NameMeaning::Parameter { .. }
            | NameMeaning::Momentum { .. }
            | NameMeaning::Constraint
            | NameMeaning::Broken => false,
        }
    }
}

pub(crate) struct Declaration<'g> {
    /// The kind of thing in words.
    pub what: &'static str,
    pub meaning: NameMeaning<'g>,
    /// The number of members of a family.
    pub count: Option<i64>,
    pub span: Span,
}

/// A function with arguments.
pub(crate) struct ModelFunction {
    pub function: DeclaredFunction,
    /// Its value as it was written.
    pub text: SourceText,
    /// The names in its value but those of its arguments, with those of the functions it calls.
    pub names: BTreeSet<String>,
    pub span: Span,
}

/// All declared names.
pub(crate) struct Names<'g> {
    graph: &'g Graph,
    functions: BTreeMap<String, ModelFunction>,
    tables: BTreeMap<String, (TableFunction, Span)>,
    declared: HashMap<String, Declaration<'g>>,
    /// Time derivatives of the symbols that have one.
    rates: RefCell<HashMap<Id, Expr<'g>>>,
    /// Which derivative of a coordinate a symbol is.
    orders: RefCell<HashMap<Id, u32>>,
    entropies: HashSet<Id>,
    momenta: HashSet<Id>,
    time: Expr<'g>,
    independent: String,
    /// The elapsed part of the duration, once that is known.
    pub elapsed: Option<Expr<'g>>,
    used: RefCell<HashSet<String>>,
    lookups: Cell<u64>,
    total_derivatives: RefCell<HashMap<Id, Expr<'g>>>,
    reaches: RefCell<HashMap<Id, NameReach>>,
}

/// What an expression depends on besides parameters.
#[derive(Clone, Copy)]
struct NameReach {
    order: Option<u32>,
    time: bool,
    entropy: bool,
    momentum: bool,
    /// Something of which no rate is known at all: a control, a multiplier, a position at an end of a step.
    rateless: bool,
}

impl<'g> Names<'g> {
    /// No names but that of the independent variable.
    pub fn new(graph: &'g Graph, independent: &str) -> Self {
        let time = graph.symbol(independent);
        Names {
            graph,
            functions: BTreeMap::new(),
            tables: BTreeMap::new(),
            declared: HashMap::new(),
            rates: RefCell::new(HashMap::from([(time.id(), graph.int(1))])),
            orders: RefCell::default(),
            entropies: HashSet::new(),
            momenta: HashSet::new(),
            time,
            independent: independent.to_owned(),
            elapsed: None,
            used: RefCell::default(),
            lookups: Cell::new(0),
            total_derivatives: RefCell::default(),
            reaches: RefCell::default(),
        }
    }

    pub fn get(&self, name: &str) -> Option<&Declaration<'g>> {
        self.declared.get(name)
    }

    /// The name of the independent variable.
    pub fn independent(&self) -> &str {
        &self.independent
    }

    /// Its symbol.
    pub fn time(&self) -> Expr<'g> {
        self.time
    }

    /// How often expressions have asked for a value.
    pub fn lookups(&self) -> u64 {
        self.lookups.get()
    }

    pub fn is_broken(&self, name: &str) -> bool {
        self.get(name).is_some_and(|d| matches!(d.meaning, NameMeaning::Broken))
    }

    /// Is it a definition, or a member of a family of them?
    pub fn is_definition(&self, name: &str) -> bool {
        let family = name.split('[').next().unwrap_or(name);
        self.get(family).is_some_and(|d| matches!(d.meaning, NameMeaning::Definition { .. }))
    }

    /// Is it the rate of a control, `u'` or `u[2]'`?
    pub fn is_rate_of_control(&self, name: &str) -> bool {
        let Some(base) = name.strip_suffix('\'') else { return false };
        let family = base.split('[').next().unwrap_or(base);
        self.get(family).is_some_and(|d| matches!(d.meaning, NameMeaning::Control { .. }))
    }

    pub fn is_used(&self, name: &str) -> bool {
        self.used.borrow().contains(name)
    }

    pub fn mark_used(&self, name: &str) {
        if !self.is_used(name) {
            self.used.borrow_mut().insert(name.to_owned());
        }
    }

    /// Declares a function.
    pub fn declare_function(&mut self, function: ModelFunction) {
        self.functions.insert(function.function.name().to_owned(), function);
    }

    /// A function that the model declares.
    pub fn function(&self, name: &str) -> Option<&ModelFunction> {
        self.functions.get(name)
    }

    /// The names that a call of a function depends on.
    pub fn names_behind(&self, function: &str) -> Option<&BTreeSet<String>> {
        self.functions.get(function).map(|function| &function.names)
    }

    /// Declares a table.
    pub fn declare_table(&mut self, name: &str, function: TableFunction, span: Span) {
        self.tables.insert(name.to_owned(), (function, span));
    }

    /// A table that the model declares, and where.
    pub fn table(&self, name: &str) -> Option<&(TableFunction, Span)> {
        self.tables.get(name)
    }

    /// The tables that nothing has called.
    pub fn unused_tables(&self) -> Vec<(String, Span)> {
        let unused = self.tables.iter().filter(|(name, _)| !self.is_used(name));
        unused.map(|(name, (_, span))| (name.clone(), span.clone())).collect()
    }

    /// The functions that nothing has called.
    pub fn unused_functions(&self) -> Vec<(String, Span)> {
        let unused = self.functions.iter().filter(|(name, _)| !self.is_used(name));
        unused.map(|(name, function)| (name.clone(), function.span.clone())).collect()
    }

    pub fn forget_use(&self, name: &str) {
        self.used.borrow_mut().remove(name);
    }

    /// Declares a name, or replaces what it means.
    pub fn declare(&mut self, name: &str, declaration: Declaration<'g>) {
        if let NameMeaning::Coordinate { symbols } = &declaration.meaning {
            let (rates, orders) = (self.rates.get_mut(), self.orders.get_mut());
            for [position, velocity, acceleration] in symbols {
                rates.insert(position.id(), *velocity);
                rates.insert(velocity.id(), *acceleration);
                for (order, symbol) in [position, velocity, acceleration].into_iter().enumerate() {
                    orders.insert(symbol.id(), order as u32);
                }
            }
        }
        if let NameMeaning::Entropy { symbols } | NameMeaning::State { symbols } = &declaration.meaning {
            self.entropies.extend(symbols.iter().map(|symbol| symbol.id()));
        }
        if let NameMeaning::Momentum { symbols } = &declaration.meaning {
            self.momenta.extend(symbols.iter().map(|symbol| symbol.id()));
        }
        self.declared.insert(name.to_owned(), declaration);
    }

    /// Makes the name broken: its uses are not to blame.
    pub fn break_name(&mut self, name: &str) {
        if let Some(declaration) = self.declared.get_mut(name) {
            declaration.meaning = NameMeaning::Broken;
        }
    }

    /// Adds a member to a family of definitions.
    pub fn push_member(&mut self, name: &str, value: Expr<'g>) {
        if let Some(Declaration { meaning: NameMeaning::Definition { values, .. }, .. }) = self.declared.get_mut(name) {
            values.push(value);
        }
    }

    fn reach(&self, value: Expr<'g>) -> NameReach {
        if let Some(known) = self.reaches.borrow().get(&value.id()) {
            return *known;
        }
        let symbols = self.graph.free_symbols(&[value]);
        let orders = self.orders.borrow();
        let reach = NameReach {
            order: symbols.iter().filter_map(|s| orders.get(&s.id()).copied()).max(),
            time: symbols.contains(&self.time),
            entropy: symbols.iter().any(|s| self.entropies.contains(&s.id())),
            momentum: symbols.iter().any(|s| self.momenta.contains(&s.id())),
            rateless: symbols.iter().any(|s| *s != self.time && !orders.contains_key(&s.id()) && self.is_rateless(s)),
        };
        self.reaches.borrow_mut().insert(value.id(), reach);
        reach
    }

    /// Is it no constant, with a rate that nothing says?
    fn is_rateless(&self, symbol: &Expr<'g>) -> bool {
        let Some(name) = symbol.as_symbol() else { return false };
        if *name == *STEP {
            return false;
        }
        match self.get(name.split('[').next().unwrap_or(&name)) {
            Some(declaration) => matches!(declaration.meaning, NameMeaning::Control { .. }),
            None => true,
        }
    }

    /// The highest derivative of a coordinate in an expression; `None` if there is not even a position.
    pub fn order_of(&self, value: Expr<'g>) -> Option<u32> {
        self.reach(value).order
    }

    /// Does a symbol stand for what something starts with, in the expression of a start?
    pub fn has_start(&self, symbol: Expr<'g>) -> bool {
        self.entropies.contains(&symbol.id()) || self.orders.borrow().contains_key(&symbol.id())
    }

    /// Does an entropy or a state occur in an expression?
    pub fn has_entropy(&self, value: Expr<'g>) -> bool {
        self.reach(value).entropy
    }

    /// The states of first order in an expression.
    pub fn states_in(&self, value: Expr<'g>) -> Vec<Expr<'g>> {
        let mut symbols = self.graph.free_symbols(&[value]);
        let is_state = |symbol: &Expr<'g>| {
            let states = self.declared.values().filter_map(|declaration| match &declaration.meaning {
                NameMeaning::State { symbols } => Some(symbols),
                _ => None,
            });
            states.flatten().any(|state| state == symbol)
        };
        symbols.retain(is_state);
        symbols
    }

    /// The velocities in an expression, as symbols.
    pub fn velocities_in(&self, value: Expr<'g>) -> Vec<Expr<'g>> {
        let mut symbols = self.graph.free_symbols(&[value]);
        let orders = self.orders.borrow();
        symbols.retain(|symbol| orders.get(&symbol.id()) == Some(&1));
        symbols
    }

    /// The time derivative of a symbol, if it has one. Those beyond accelerations are made when they are first asked for.
    fn rate(&self, symbol: Expr<'g>) -> Option<Expr<'g>> {
        if let Some(known) = self.rates.borrow().get(&symbol.id()) {
            return Some(*known);
        }
        let order = self.orders.borrow().get(&symbol.id()).copied()?;
        let rate = self.graph.symbol(&format!("{}'", symbol.as_symbol()?));
        self.rates.borrow_mut().insert(symbol.id(), rate);
        self.orders.borrow_mut().insert(rate.id(), order + 1);
        Some(rate)
    }

    /// `d/dt` along any motion, by the chain rule.
    fn total_derivative(&self, value: Expr<'g>) -> Expr<'g> {
        if let Some(known) = self.total_derivatives.borrow().get(&value.id()) {
            return *known;
        }
        let symbols = self.graph.free_symbols(&[value]);
        let direction: Vec<_> = symbols.iter().filter_map(|s| Some((*s, self.rate(*s)?))).collect();
        let derivative = self.graph.directional(&[value], &direction)[0];
        self.total_derivatives.borrow_mut().insert(value.id(), derivative);
        derivative
    }
}
