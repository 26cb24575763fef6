//! `[parameters]`: numbers with names, which keep their names in every equation.

use std::collections::BTreeSet;

use extremal_expr::{Id, Rational};

use super::ModelTable;
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, ScalarSeries};
use crate::names::{Declaration, NameMeaning};
use crate::order::order;
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;

/// A number with a name. In the equations it is a symbol, so that it can change without deriving them again.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name: `g`, or `m[2]` for a member of a list.
    pub name: String,
    /// Its symbol in the equations.
    pub symbol: Id,
    /// Its value as an expression of other parameters.
    pub expression: Id,
    /// Its value.
    pub value: f64,
    /// Its value, if it was given as an exact number.
    pub exact: Option<Rational>,
    /// Does the shape of the model depend on it, as a count, an index or the bound of a sum? Then it is fixed once the model
    /// is loaded.
    pub structural: bool,
}

/// `g = 9.81`, `w = "sqrt(k/m)"`, `m = [1.0, 2.0]`.
#[derive(Debug)]
pub(crate) struct ParameterStatement {
    pub name: Name,
    pub value: ScalarSeries,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "parameters",
    sentence: "numbers by name: `l = 2.0`, an expression of other parameters, or a list `m = [1, 2]` used as `m[1]`",
    keys: Vec::new,
    read: |reader, _, entries, into| {
        for entry in entries {
            if let Some(value) = reader.series(&entry) {
                into.parameters.push(ParameterStatement { name: entry.name, value });
            }
        }
    },
};

/// Declares all parameters; in the result every one comes after those it uses.
pub(crate) fn resolve(resolver: &mut Resolver<'_, '_>, statements: &[ParameterStatement]) -> Vec<Parameter> {
    let admitted: Vec<&ParameterStatement> = statements.iter().filter(|statement| admit(resolver, statement)).collect();
    let names: Vec<&str> = admitted.iter().map(|statement| statement.name.text.as_str()).collect();
    let uses: Vec<BTreeSet<String>> =
        admitted.iter().map(|s| s.items().iter().flat_map(|item| item_names(resolver, item)).collect()).collect();
    let sorted = order(&names, &uses);
    for cycle in &sorted.cycles {
        let on_cycle: Vec<&Name> = cycle.iter().map(|item| &admitted[*item].name).collect();
        resolver.problems.push(cyclic("parameter", &on_cycle));
    }
    sorted.order.iter().filter_map(|item| resolve_one(resolver, admitted[*item])).flatten().collect()
}

/// Admits the name, broken until its value is known.
fn admit(resolver: &mut Resolver<'_, '_>, statement: &ParameterStatement) -> bool {
    let admitted = resolver.admit(&statement.name, "parameter");
    if admitted {
        resolver.names.declare(&statement.name.text, declaration(statement, NameMeaning::Broken));
    }
    admitted
}

fn declaration<'g>(statement: &ParameterStatement, meaning: NameMeaning<'g>) -> Declaration<'g> {
    let count = match &statement.value {
        ScalarSeries::One(_) => None,
        ScalarSeries::List { items, .. } => Some(items.len() as i64),
    };
    Declaration { what: "parameter", meaning, count, span: statement.name.span.clone() }
}

fn resolve_one(resolver: &mut Resolver<'_, '_>, statement: &ParameterStatement) -> Option<Vec<Parameter>> {
    let name = &statement.name.text;
    let mut parameters = Vec::new();
    let mut symbols = Vec::new();
    for (position, item) in statement.items().iter().enumerate() {
        let name = match statement.value {
            ScalarSeries::One(_) => name.clone(),
            ScalarSeries::List { .. } => format!("{name}[{}]", position + 1),
        };
        let expression = resolver.number(item, &ExpressionPlace::PARAMETER, None)?;
        let value = resolver.finite(expression, item.span(), &format!("the parameter `{name}`"))?;
        let exact = resolver.exact_value(expression);
        let symbol = resolver.graph.symbol(&name);
        symbols.push(symbol);
        parameters.push(Parameter {
            name,
            symbol: symbol.id(),
            expression: expression.id(),
            value,
            exact,
            structural: false,
        });
    }
    for parameter in &parameters {
        resolver.values.insert(parameter.name.clone(), parameter.value);
        resolver.exact.extend(parameter.exact.clone().map(|exact| (parameter.symbol, exact)));
    }
    let integer = match parameters.as_slice() {
        [single] => single.exact.as_ref().and_then(Rational::to_i64),
        _ => None,
    };
    resolver.names.declare(name, declaration(statement, NameMeaning::Parameter { symbols, integer }));
    Some(parameters)
}

/// Marks the parameters that fix the shape of the model, and those their values depend on.
pub(crate) fn mark_structural(resolver: &Resolver<'_, '_>, parameters: &mut [Parameter]) {
    let graph = resolver.graph;
    let mut structural = resolver.structural.clone();
    // Every parameter comes after those it uses, so that one pass from the end meets each after all that need it.
    for parameter in parameters.iter_mut().rev() {
        parameter.structural = structural.contains(&parameter.name);
        if parameter.structural {
            let used = graph.free_symbols(&[graph.expr(parameter.expression)]);
            structural.extend(used.iter().filter_map(|symbol| symbol.as_symbol()).map(|name| name.to_string()));
        }
    }
}

/// Warns of parameters that nothing uses.
pub(crate) fn warn_unused(resolver: &mut Resolver<'_, '_>, statements: &[ParameterStatement]) {
    for statement in statements {
        let name = &statement.name;
        if !resolver.names.is_used(&name.text) {
            let message = format!("the parameter `{}` is never used", name.text);
            resolver.problems.push(Diagnostic::warning(Code::UnusedParameter, message).at(name.span.clone(), ""));
        }
    }
}

/// Things that depend on themselves, with the way round.
pub(crate) fn cyclic(what: &str, cycle: &[&Name]) -> Diagnostic {
    let way: Vec<String> = cycle.iter().chain(cycle.first()).map(|name| format!("`{}`", name.text)).collect();
    let message = match cycle {
        [alone] => format!("the {what} `{}` depends on itself", alone.text),
        _ => format!("these {what}s depend on each other: {}", way.join(" needs ")),
    };
    let mut diagnostic = Diagnostic::error(Code::CyclicDefinition, message);
    for name in cycle {
        diagnostic = diagnostic.at(name.span.clone(), "");
    }
    diagnostic
}

impl ParameterStatement {
    fn items(&self) -> &[Scalar] {
        match &self.value {
            ScalarSeries::One(item) => std::slice::from_ref(item),
            ScalarSeries::List { items, .. } => items,
        }
    }
}

fn item_names(resolver: &Resolver<'_, '_>, item: &Scalar) -> BTreeSet<String> {
    match item {
        Scalar::Number { .. } => BTreeSet::new(),
        Scalar::Text(text) => resolver.names_used(&text.value),
    }
}
