//! The names of a model as a scope of the expression language: what each stands for at a place, and whether it may stand there.

use extremal_expr::Expr;
use extremal_expr::TableFunction;
use extremal_expr::syntax::{Binding, DeclaredFunction, NameRefusal, NameShape, NameUse, Scope};

use super::{Declaration, ELAPSED, NameMeaning, Names, STEP, TIME};
use crate::place::{ControlUse, ExpressionPlace, MAX_ORDER};
use crate::prelude;
use crate::resolver::with_article;
use crate::tables::{at_end_of_motion, control_rate};

/// The name of the energy, in outputs.
const ENERGY: &str = "energy";
/// What follows from the equations: how its name begins, what it belongs to, what it is.
const DERIVED: [(&str, &str, &str); 4] = [
    ("p_", "coordinate", "momentum"),
    ("reaction_", "coordinate", "reaction"),
    ("T_", "entropy", "temperature"),
    ("mu_", "amount", "chemical potential"),
];

/// The names as seen from a place, perhaps with the number of a family's member.
pub(crate) struct View<'a, 'g> {
    pub names: &'a Names<'g>,
    pub place: &'a ExpressionPlace,
    pub member: Option<(&'a str, i64)>,
    /// A name that stands for an expression.
    pub bound: Option<(&'a str, Expr<'g>)>,
}

impl<'g> View<'_, 'g> {
    /// The coordinate or entropy whose value at an end of the step is called `x_0` or `x_1`; the coordinate whose third position is
    /// called `x_2`, where what the user has given this name comes first.
    fn step_end<'n>(&self, name: &'n str) -> Option<&'n str> {
        if !self.place.ends && self.names.get(name).is_some() {
            return None;
        }
        if let Some(base) = name.strip_suffix("_2") {
            let moves = |d: &Declaration<'g>| matches!(d.meaning, NameMeaning::Coordinate { .. });
            let free = self.place.third && self.names.get(name).is_none();
            return (free && self.names.get(base).is_some_and(moves)).then_some(base);
        }
        let base = name.strip_suffix("_0").or(name.strip_suffix("_1"))?;
        let has_ends =
            |d: &Declaration<'g>| matches!(d.meaning, NameMeaning::Coordinate { .. } | NameMeaning::Entropy { .. });
        self.names.get(base).is_some_and(has_ends).then_some(base)
    }

    /// The constraint whose multiplier is called `lambda_rod`. What the user has given this name comes first.
    fn multiplier_of(&self, name: &str) -> Option<&Declaration<'g>> {
        if self.names.get(name).is_some() {
            return None;
        }
        let declaration = self.names.get(name.strip_prefix("lambda_")?)?;
        matches!(declaration.meaning, NameMeaning::Constraint).then_some(declaration)
    }

    /// What is called `x_start` or `x_end` in a link between both ends, and whether it is the end. What the user has given this name
    /// comes first.
    fn linked<'n>(&self, name: &'n str) -> Option<(&'n str, bool)> {
        if !self.place.linked || self.names.get(name).is_some() {
            return None;
        }
        let (base, end) = match name.strip_suffix("_end") {
            Some(base) => (base, true),
            None => (name.strip_suffix("_start")?, false),
        };
        self.names.get(base).is_some_and(|declaration| declaration.meaning.moves()).then_some((base, end))
    }

    /// The value of a reference at an end of the motion.
    fn value_at_end(&self, base: &str, end: bool, reference: NameUse<'_>) -> Result<Expr<'g>, NameRefusal> {
        let there = View { place: &ExpressionPlace::END_CONDITION, ..*self };
        let value = there.value(NameUse { name: base, ..reference })?;
        let symbols = self.names.graph.free_symbols(&[value]);
        let given = |symbol: &Expr<'g>| {
            let name = symbol.as_symbol().unwrap_or_default();
            let declaration = self.names.get(name.split('[').next().unwrap_or(&name));
            declaration.is_some_and(|declaration| matches!(declaration.meaning, NameMeaning::Parameter { .. }))
        };
        let moving = symbols.iter().filter(|symbol| !given(symbol));
        Ok(value.substitute(&moving.map(|symbol| (*symbol, at_end_of_motion(*symbol, end))).collect::<Vec<_>>()))
    }

    /// What follows from the equations under this name, with the number of members of its family. What the user has given this
    /// name comes first.
    fn following(&self, name: &str) -> Option<(&'static str, Option<i64>)> {
        if !self.place.derived || self.names.get(name).is_some() {
            return None;
        }
        if name == ENERGY {
            return Some((ENERGY, None));
        }
        DERIVED.iter().find_map(|(prefix, of, what)| {
            let declaration = self.names.get(name.strip_prefix(prefix)?)?;
            (declaration.what == *of).then_some((*what, declaration.count))
        })
    }

    /// Is it the elapsed part of the duration? What the user has given this name comes first.
    fn is_elapsed(&self, name: &str) -> bool {
        self.place.elapsed && name == ELAPSED && self.names.get(name).is_none()
    }

    fn refuse(&self, name: &str) -> NameRefusal {
        NameRefusal {
            message: format!("`{name}` cannot be used in {}", self.place.what),
            help: Some(format!("{} may contain {}", self.place.what, self.place.may_use)),
        }
    }

    /// A derivative of too high an order.
    fn refuse_order(&self, name: &str) -> NameRefusal {
        let refusal = self.refuse(name);
        NameRefusal { help: self.place.order_help.map(str::to_owned).or(refusal.help), ..refusal }
    }

    fn coordinate(
        &self,
        symbols: &[[Expr<'g>; 3]],
        member: usize,
        reference: NameUse<'_>,
    ) -> Result<Expr<'g>, NameRefusal> {
        let allowed = self.place.order.is_some_and(|highest| reference.primes <= highest);
        let derivatives = symbols.get(member).filter(|_| allowed);
        let last = (reference.primes as usize).min(2);
        let found = derivatives.and_then(|derivatives| {
            (2..reference.primes).try_fold(derivatives[last], |derivative, _| self.names.rate(derivative))
        });
        found.ok_or_else(|| self.refuse_order(&reference.symbol()))
    }

    fn entropy(&self, symbols: &[Expr<'g>], member: usize, reference: NameUse<'_>) -> Result<Expr<'g>, NameRefusal> {
        let symbol = reference.symbol();
        match symbols.get(member) {
            Some(_) if reference.primes > 0 => {
                Err(no_rate(format!("`{symbol}` cannot be used: it is the rate of an entropy")))
            }
            Some(found) if self.place.sees_entropies() => Ok(*found),
            _ => Err(self.refuse(&symbol)),
        }
    }

    /// A state of [states], an action variable or a variable of a Poisson system.
    fn state(
        &self,
        symbols: &[Expr<'g>],
        what: &'static str,
        member: usize,
        reference: NameUse<'_>,
    ) -> Result<Expr<'g>, NameRefusal> {
        let symbol = reference.symbol();
        match symbols.get(member) {
            Some(_) if reference.primes > 0 => Err(NameRefusal {
                message: format!("`{symbol}` cannot be used: it is the rate of {}", with_article(what)),
                help: Some(match what {
                    "state" => format!("write what [states] says of it: the `rate` of `{}`", reference.name),
                    what => format!("how fast {} changes follows from the equations", with_article(what)),
                }),
            }),
            Some(found) if self.place.sees_states() => Ok(*found),
            _ => Err(self.refuse(&symbol)),
        }
    }

    fn control(
        &self,
        symbols: &[Expr<'g>],
        is_linear: bool,
        member: usize,
        reference: NameUse<'_>,
    ) -> Result<Expr<'g>, NameRefusal> {
        let symbol = reference.symbol();
        let Some(found) = symbols.get(member) else { return Err(self.refuse(&symbol)) };
        let (needs_line, what) = match (self.place.controls, reference.primes) {
            (ControlUse::Any | ControlUse::WithRates, 0) => return Ok(*found),
            (ControlUse::WithRates, 1) => (true, "a rate"),
            (ControlUse::AtEnds, 0) => (true, "a value at the ends"),
            _ => (false, ""),
        };
        match needs_line {
            true if is_linear && reference.primes == 1 => Ok(control_rate(*found)),
            true if is_linear => Ok(*found),
            true => Err(NameRefusal {
                message: format!("`{symbol}` cannot be used: only a control that is linear in the steps has {what}"),
                help: Some(format!("[controls] {} = {{ shape = \"linear\" }}", reference.name)),
            }),
            false if reference.primes > 0 => Err(NameRefusal {
                help: Some(
                    "the rate of a linear control can be in running costs, integrals and conditions along the way"
                        .to_owned(),
                ),
                ..self.refuse(&symbol)
            }),
            false => Err(self.refuse(&symbol)),
        }
    }

    fn definition(&self, values: &[Expr<'g>], member: usize, reference: NameUse<'_>) -> Result<Expr<'g>, NameRefusal> {
        let symbol = reference.symbol();
        let Some(&value) = values.get(member) else {
            return Err(NameRefusal {
                message: format!("`{symbol}` is not known yet here"),
                help: Some("a member of a family may use the members before it only".to_owned()),
            });
        };
        self.derived(value, reference.primes, &symbol)
    }

    /// A value with so many primes, where `symbol` is how that was written.
    fn derived(&self, value: Expr<'g>, primes: u32, symbol: &str) -> Result<Expr<'g>, NameRefusal> {
        let reach = self.names.reach(value);
        if reach.entropy && primes > 0 {
            return Err(no_rate(format!(
                "`{symbol}` cannot be used: it contains the rate of an entropy or of a state"
            )));
        }
        if reach.rateless && primes > 0 {
            return Err(NameRefusal {
                message: format!(
                    "`{symbol}` cannot be used: it contains the rate of a control, a multiplier or an end of a step"
                ),
                help: Some("nothing says how fast these change".to_owned()),
            });
        }
        if reach.momentum && primes > 0 {
            let message = format!("`{symbol}` cannot be used: it contains the rate of a momentum");
            return Err(NameRefusal {
                message,
                help: Some("it follows from the Hamiltonian and the forces".to_owned()),
            });
        }
        let order = reach.order.map(|order| order + primes);
        if order > self.place.order
            || (reach.time && !self.place.time)
            || (reach.entropy && !self.place.sees_entropies())
            || (reach.entropy && !self.place.sees_states() && !self.names.states_in(value).is_empty())
        {
            let mut refusal = if order > self.place.order { self.refuse_order(symbol) } else { self.refuse(symbol) };
            if let Some(order) = order.filter(|order| *order > MAX_ORDER) {
                refusal.message = format!("`{symbol}` contains a time derivative of order {order}");
            }
            return Err(refusal);
        }
        Ok((0..primes).fold(value, |value, _| self.names.total_derivative(value)))
    }
}

/// An expression in a message: as it is, if that is not long.
fn short(value: Expr<'_>) -> String {
    let text = value.to_string();
    if text.len() <= 40 { text } else { "...".to_owned() }
}

fn no_rate(message: String) -> NameRefusal {
    let help = "how fast an entropy changes follows from the equations: state [friction], [heat] and [conduction]";
    NameRefusal { message, help: Some(help.to_owned()) }
}

impl<'g> Scope<'g> for View<'_, 'g> {
    fn resolve(&self, name: &str) -> Option<Binding> {
        if let Some((index, number)) = self.member
            && index == name
        {
            return Some(Binding::constant("index").integer(number));
        }
        if self.bound.is_some_and(|(bound, _)| bound == name) {
            return Some(Binding::constant("parameter of a curve"));
        }
        if name == self.names.independent {
            let what = if name == TIME { "time variable" } else { "independent variable" };
            return Some(Binding::constant(what));
        }
        if self.is_elapsed(name) {
            return Some(Binding::constant("elapsed part of the duration"));
        }
        if name == TIME {
            return Some(Binding::variable("time variable"));
        }
        if name == STEP {
            return Some(Binding::constant("time step"));
        }
        if let Some(base) = self.step_end(name) {
            let declaration = self.names.get(base)?;
            let value = Binding::constant(match declaration.meaning {
                NameMeaning::Entropy { .. } => "entropy at an end of the step",
                _ => "position at an end of the step",
            });
            return Some(match declaration.count {
                Some(count) => value.family(1..=count),
                None => value,
            });
        }
        if let Some(constraint) = self.multiplier_of(name) {
            let binding = Binding::constant("multiplier");
            return Some(constraint.count.map_or(binding, |count| Binding::constant("multiplier").family(1..=count)));
        }
        if let Some((what, count)) = self.following(name) {
            let binding = Binding::constant(what);
            return Some(count.map_or(binding, |count| Binding::constant(what).family(1..=count)));
        }
        if let Some((base, _)) = self.linked(name) {
            return self.resolve(base);
        }
        let declaration = self.names.get(name)?;
        self.names.mark_used(name);
        let binding = match &declaration.meaning {
            NameMeaning::Parameter { integer, .. } => Binding { integer: *integer, ..Binding::constant("parameter") },
            NameMeaning::Coordinate { .. } => Binding::variable("coordinate"),
            // Not a constant, so that a prime on it is refused below, with the reason.
            NameMeaning::Entropy { .. } => Binding::variable("entropy"),
            NameMeaning::State { .. } => Binding::variable(declaration.what),
            NameMeaning::Definition { .. } => Binding::variable("definition"),
            // A rate that it does not have, or not here, is refused below with the reason.
            NameMeaning::Control { .. } => Binding::variable("control"),
            NameMeaning::Momentum { .. } => Binding::constant("momentum"),
            NameMeaning::Constraint => Binding::constant("constraint"),
            NameMeaning::Broken => return Some(Binding { shape: NameShape::Open, ..Binding::variable("name") }),
        };
        Some(match (declaration.count, &declaration.meaning) {
            (Some(count), NameMeaning::Definition { columns: Some(columns), .. }) => {
                Binding { shape: NameShape::Matrix { rows: count / columns, columns: *columns }, ..binding }
            }
            (Some(count), _) => binding.family(1..=count),
            (None, _) => binding,
        })
    }

    fn value(&self, reference: NameUse<'_>) -> Result<Expr<'g>, NameRefusal> {
        let graph = self.names.graph;
        let name = reference.name;
        self.names.lookups.set(self.names.lookups() + 1);
        if let Some((index, number)) = self.member
            && index == name
        {
            return Ok(graph.int(number));
        }
        if let Some((bound, value)) = self.bound
            && bound == name
        {
            return Ok(value);
        }
        if name == self.names.independent {
            return if self.place.time { Ok(self.names.time) } else { Err(self.refuse(name)) };
        }
        if self.is_elapsed(name) {
            // Without a duration there is an error already.
            return Ok(self.names.elapsed.unwrap_or_else(|| graph.symbol(ELAPSED)));
        }
        if name == TIME {
            let message = format!("`{name}` is not the independent variable: that is `{}`", self.names.independent);
            return Err(NameRefusal { message, help: None });
        }
        if name == STEP || self.step_end(name).is_some() {
            let symbol = reference.symbol();
            let of_entropy =
                |base: &str| self.names.get(base).is_some_and(|d| matches!(d.meaning, NameMeaning::Entropy { .. }));
            let allowed = match self.step_end(name) {
                None => self.place.step,
                Some(base) => self.place.ends && (self.place.entropies || !of_entropy(base)),
            };
            return if allowed { Ok(graph.symbol(&symbol)) } else { Err(self.refuse(&symbol)) };
        }
        if self.multiplier_of(name).is_some() {
            let symbol = reference.symbol();
            return if self.place.multipliers { Ok(graph.symbol(&symbol)) } else { Err(self.refuse(&symbol)) };
        }
        if self.following(name).is_some() {
            return Ok(graph.symbol(&reference.symbol()));
        }
        if let Some((base, end)) = self.linked(name) {
            return self.value_at_end(base, end, reference);
        }
        let Some(declaration) = self.names.get(name) else { return Err(self.refuse(name)) };
        if self.place.linked && declaration.meaning.moves() {
            return Err(NameRefusal {
                message: format!("`{name}` has a value at both ends"),
                help: Some(format!("`{name}_start` is that at the start, `{name}_end` that at the end")),
            });
        }
        let flat = match (reference.index, reference.column, &declaration.meaning) {
            (Some(row), Some(column), NameMeaning::Definition { columns: Some(columns), .. }) => {
                (row - 1) * columns + column - 1
            }
            (index, ..) => index.map_or(0, |index| index - 1),
        };
        let member = usize::try_from(flat).unwrap_or(usize::MAX);
        match &declaration.meaning {
            NameMeaning::Parameter { symbols, .. } => symbols.get(member).copied().ok_or_else(|| self.refuse(name)),
            NameMeaning::Coordinate { symbols } => self.coordinate(symbols, member, reference),
            NameMeaning::Entropy { symbols } => self.entropy(symbols, member, reference),
            NameMeaning::State { symbols } => self.state(symbols, declaration.what, member, reference),
            NameMeaning::Definition { values, .. } => self.definition(values, member, reference),
            NameMeaning::Control { symbols, is_linear } => self.control(symbols, *is_linear, member, reference),
            NameMeaning::Momentum { symbols } => {
                let symbol = symbols.get(member).filter(|_| self.place.order.is_some());
                symbol.copied().ok_or_else(|| self.refuse(&reference.symbol()))
            }
            NameMeaning::Constraint => {
                Err(NameRefusal { message: format!("`{name}` is a constraint and has no value"), help: None })
            }
            NameMeaning::Broken => Ok(graph.symbol(&reference.symbol())),
        }
    }

    fn names(&self) -> Vec<String> {
        let has_value = |(_, d): &(&String, &Declaration<'g>)| !matches!(d.meaning, NameMeaning::Constraint);
        let mut names: Vec<String> =
            self.names.declared.iter().filter(has_value).map(|(name, _)| name.clone()).collect();
        names.extend(self.member.map(|(index, _)| index.to_owned()));
        names.extend(self.bound.map(|(bound, _)| bound.to_owned()));
        names.sort();
        names
    }

    fn derivative(&self, value: Expr<'g>, primes: u32) -> Result<Expr<'g>, NameRefusal> {
        self.derived(value, primes, &format!("({}){}", short(value), "'".repeat(primes as usize)))
    }

    fn function(&self, name: &str) -> Option<&DeclaredFunction> {
        match self.names.functions.get(name) {
            Some(found) => {
                self.names.mark_used(name);
                Some(&found.function)
            }
            None => prelude::function(name),
        }
    }

    fn table(&self, name: &str) -> Option<TableFunction> {
        let (table, _) = self.names.tables.get(name)?;
        self.names.mark_used(name);
        Some(*table)
    }

    fn functions(&self) -> Vec<String> {
        let own = self.names.functions.keys().chain(self.names.tables.keys()).cloned();
        own.chain(prelude::names().map(str::to_owned)).collect()
    }
}
