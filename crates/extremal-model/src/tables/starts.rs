//! Starts that use other starts: in the expression of a start, `x` is where `x` starts, and `x'` the velocity it starts with.

use std::collections::{BTreeSet, HashMap};

use extremal_expr::{Expr, Id};

use super::families::Families;
use super::parameters::cyclic;
use super::{DeclaredQuantities, Statements};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::Name;
use crate::names::STEP;
use crate::order::order;
use crate::resolver::Resolver;

/// A start that another one uses: who, and of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StartUse {
    pub user: String,
    pub used: String,
}

/// What a symbol starts with; nothing where that is open.
struct StartValue<'g> {
    symbol: Expr<'g>,
    value: Option<Expr<'g>>,
}

/// Replaces the starts in starts by what they are; those that depend on themselves are reported. Returns which used which.
pub(super) fn settle(
    resolver: &mut Resolver<'_, '_>,
    statements: &Statements,
    declared: &mut DeclaredQuantities,
) -> Vec<StartUse> {
    let graph = resolver.graph;
    let written = graph.exprs(&declared.start_values().into_iter().map(|slot| *slot).collect::<Vec<_>>());
    let symbols = graph.free_symbols(&written);
    if !symbols.iter().any(|symbol| resolver.names.has_start(*symbol)) {
        return Vec::new();
    }
    // A velocity that is not stated is zero, unless momenta or the far end decide.
    let at_rest = statements.dynamics.hamiltonian.is_none() && statements.boundary.is_none();
    let starts = start_values(resolver, declared, at_rest);
    let texts: Vec<String> = starts.iter().map(|start| start.symbol.to_string()).collect();
    let used: Vec<BTreeSet<String>> = starts.iter().map(|start| uses(resolver, start.value)).collect();
    let names: Vec<&str> = texts.iter().map(String::as_str).collect();
    let sorted = order(&names, &used);
    for cycle in &sorted.cycles {
        let name = |item: &usize| Name { text: texts[*item].clone(), span: declared.span_of(&texts[*item]) };
        let on_cycle: Vec<Name> = cycle.iter().map(name).collect();
        resolver.problems.push(cyclic("start", &on_cycle.iter().collect::<Vec<_>>()));
    }
    let mut known: HashMap<Id, Expr<'_>> = HashMap::new();
    for item in &sorted.order {
        if let Some(value) = starts[*item].value {
            known.insert(starts[*item].symbol.id(), settled(resolver, value, &known));
        }
    }
    let stuck: BTreeSet<&str> = sorted.stuck.iter().map(|item| names[*item]).collect();
    let mut pairs = Vec::new();
    for (text, used) in texts.iter().zip(&used) {
        for other in used {
            pairs.push(StartUse { user: text.clone(), used: other.clone() });
            let open = starts.iter().any(|start| start.value.is_none() && start.symbol.to_string() == *other);
            if open && !stuck.contains(other.as_str()) {
                let message = format!("`{other}` has no start that the start of `{text}` could use");
                let diagnostic = Diagnostic::error(Code::Missing, message).at(declared.span_of(text), "");
                resolver.problems.push(diagnostic);
            }
        }
    }
    let step = graph.symbol(STEP);
    let mut broken = BTreeSet::new();
    for slot in declared.start_values() {
        let before = graph.expr(*slot);
        let after = settled(resolver, before, &known);
        *slot = after.id();
        if before != after && !after.depends_on(&[step]) && !resolver.evaluate(after).is_finite() {
            broken.insert(before.to_string());
        }
    }
    if resolver.problems.errors() == 0 {
        for text in broken {
            let message = format!("the start `{text}` is not a finite number");
            resolver.problems.push(Diagnostic::error(Code::NotFinite, message));
        }
    }
    pairs
}

/// The symbols in a start that stand for other starts.
fn uses<'g>(resolver: &Resolver<'g, '_>, value: Option<Expr<'g>>) -> BTreeSet<String> {
    let symbols = value.map(|value| resolver.graph.free_symbols(&[value])).unwrap_or_default();
    let starts = symbols.iter().filter(|symbol| resolver.names.has_start(**symbol));
    starts.map(|symbol| symbol.to_string()).collect()
}

fn settled<'g>(resolver: &Resolver<'g, '_>, value: Expr<'g>, known: &HashMap<Id, Expr<'g>>) -> Expr<'g> {
    let symbols = resolver.graph.free_symbols(&[value]);
    let rules: Vec<_> = symbols.iter().filter_map(|symbol| Some((*symbol, *known.get(&symbol.id())?))).collect();
    if rules.is_empty() { value } else { value.substitute(&rules) }
}

/// What every symbol that has a start starts with.
fn start_values<'g>(resolver: &Resolver<'g, '_>, declared: &DeclaredQuantities, at_rest: bool) -> Vec<StartValue<'g>> {
    let graph = resolver.graph;
    let start = |symbol: Id, value: Option<Id>| StartValue {
        symbol: graph.expr(symbol),
        value: value.map(|value| graph.expr(value)),
    };
    let zero = graph.int(0).id();
    let mut all = Vec::new();
    for coordinate in &declared.coordinates.list {
        all.push(start(coordinate.position, coordinate.start));
        let rests = at_rest && coordinate.start_momenta.iter().all(Option::is_none);
        all.push(start(coordinate.velocity, coordinate.start_velocity.or(rests.then_some(zero))));
    }
    all.extend(declared.entropies.list.iter().map(|entropy| start(entropy.symbol, Some(entropy.start))));
    all.extend(declared.amounts.list.iter().map(|amount| start(amount.symbol, Some(amount.start))));
    all.extend(declared.states.list.iter().map(|state| start(state.symbol, state.start)));
    all
}

impl DeclaredQuantities {
    /// All expressions of starts.
    fn start_values(&mut self) -> Vec<&mut Id> {
        let mut all: Vec<&mut Id> = Vec::new();
        for coordinate in &mut self.coordinates.list {
            all.extend([&mut coordinate.start, &mut coordinate.start_velocity].into_iter().flatten());
            all.extend([&mut coordinate.start_momentum, &mut coordinate.second].into_iter().flatten());
            all.extend(coordinate.start_higher.iter_mut().chain(&mut coordinate.start_momenta).flatten());
        }
        all.extend(self.entropies.list.iter_mut().map(|entropy| &mut entropy.start));
        all.extend(self.amounts.list.iter_mut().map(|amount| &mut amount.start));
        all.extend(self.states.list.iter_mut().filter_map(|state| state.start.as_mut()));
        all
    }

    /// Where the quantity with this symbol is declared.
    fn span_of(&self, symbol: &str) -> crate::Span {
        let family = symbol.split(['[', '\'']).next().unwrap_or(symbol);
        let all: [&Families; 4] =
            [&self.coordinates.families, &self.entropies.families, &self.amounts.families, &self.states.families];
        all.iter().find_map(|families| families.get(family)).map(|family| family.name.span.clone()).unwrap_or_default()
    }
}
