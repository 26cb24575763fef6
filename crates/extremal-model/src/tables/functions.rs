//! `[functions]`: expressions with arguments. A call writes the value out with the arguments in place, so that everything else is as if it
//! had been written by hand.

use std::collections::{BTreeSet, HashSet};

use extremal_expr::syntax::{Ast, AstKind, DeclaredFunction, Limits, NameProblem, Root, check_name};

use super::ModelTable;
use super::parameters::cyclic;
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar};
use crate::names::{ModelFunction, STEP, TIME};
use crate::order::order;
use crate::resolver::{Resolver, diagnostic, names_in};
use crate::text::SourceText;

/// `"U(r)" = "-k/r"`.
#[derive(Debug)]
pub(crate) struct FunctionStatement {
    pub key: SourceText,
    pub value: Scalar,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "functions",
    sentence: "expressions with arguments: `\"U(r)\" = \"-k/r\"`, called as `U(sqrt(x^2 + y^2))` wherever an expression stands; arguments and values may be vectors and matrices, and a prime on a call or an argument is a total time derivative",
    keys: Vec::new,
    read: |reader, _, entries, into| {
        for entry in entries {
            if let Some(value) = reader.scalar(&entry) {
                into.functions.push(FunctionStatement { key: reader.key(&entry), value });
            }
        }
    },
};

/// A head taken apart: `U(r)`.
struct FunctionHead {
    name: Name,
    arguments: Vec<String>,
}

/// Declares all functions. What the names in their values mean is only known where they are called.
pub(crate) fn resolve(resolver: &mut Resolver<'_, '_>, statements: &[FunctionStatement]) {
    let mut heads: Vec<(FunctionHead, SourceText)> = Vec::new();
    for statement in statements {
        let Some(head) = take_apart(resolver, &statement.key) else { continue };
        if !resolver.admit(&head.name, "function") || heads.iter().any(|(other, _)| other.name.text == head.name.text) {
            if let Some((other, _)) = heads.iter().find(|(other, _)| other.name.text == head.name.text) {
                let message = format!("`{}` is declared twice", head.name.text);
                let diagnostic = Diagnostic::error(Code::DuplicateName, message);
                let diagnostic = diagnostic.at(head.name.span.clone(), "").at(other.name.span.clone(), "here before");
                resolver.problems.push(diagnostic.help("a function has one number of arguments"));
            }
            continue;
        }
        let text = match &statement.value {
            Scalar::Text(text) => text.clone(),
            Scalar::Number { value, span } => SourceText::new(&value.to_string(), span.clone(), ""),
        };
        heads.push((head, text));
    }
    let names: Vec<&str> = heads.iter().map(|(head, _)| head.name.text.as_str()).collect();
    let calls: Vec<BTreeSet<String>> = heads.iter().map(|(_, text)| names_in(&text.value).calls).collect();
    let sorted = order(&names, &calls);
    for cycle in &sorted.cycles {
        let on_cycle: Vec<&Name> = cycle.iter().map(|item| &heads[*item].0.name).collect();
        resolver
            .problems
            .push(cyclic("function", &on_cycle).help("a function cannot call itself: calls are written out"));
    }
    for item in sorted.order.iter().chain(&sorted.stuck) {
        let (FunctionHead { name, arguments }, text) = &heads[*item];
        // On a cycle its value is unknown; its uses are not to blame.
        let value = if sorted.stuck.contains(item) { "1" } else { &text.value };
        match DeclaredFunction::new(&name.text, arguments.clone(), value) {
            Ok(function) => {
                let inside = names_in(value);
                let mut names: BTreeSet<String> =
                    inside.names.into_iter().filter(|name| !arguments.contains(name)).collect();
                for called in &inside.calls {
                    names.extend(resolver.names.names_behind(called).into_iter().flatten().cloned());
                }
                let function = ModelFunction { function, text: text.clone(), names, span: name.span.clone() };
                resolver.names.declare_function(function);
            }
            Err(errors) => errors.iter().for_each(|error| resolver.problems.push(diagnostic(error, text))),
        }
    }
}

/// The name and the arguments of a function; `None`, which is reported, if it is not written like a call.
fn take_apart(resolver: &mut Resolver<'_, '_>, key: &SourceText) -> Option<FunctionHead> {
    let ast = Ast::expression(&key.value, &Limits::default()).ok();
    let call = ast.as_ref().and_then(|ast| match ast.root() {
        Root::Expression(root) => match &ast.node(root).kind {
            AstKind::Call { function, arguments } if !arguments.is_empty() => Some((ast, *function, arguments)),
            _ => None,
        },
        Root::Equation { .. } => None,
    });
    let parts = call.and_then(|(ast, function, arguments)| {
        let argument = |operand: &extremal_expr::syntax::AstOperand| match &ast.node(operand.node).kind {
            AstKind::Name { name, primes: 0 } => Some(*name),
            _ => None,
        };
        let arguments: Option<Vec<_>> = ast.operands(arguments).iter().map(argument).collect();
        Some((ast, function, arguments?))
    });
    let Some((ast, function, arguments)) = parts else {
        let message = format!("`{}` is not the head of a function", key.value);
        let diagnostic = Diagnostic::error(Code::InvalidName, message).at(key.span.clone(), "");
        resolver.problems.push(diagnostic.help("write its name and its arguments: \"U(r)\" = \"-k/r\""));
        return None;
    };
    let mut seen = HashSet::new();
    for argument in &arguments {
        let name = ast.slice(*argument);
        let known = [TIME, STEP, resolver.names.independent()].contains(&name);
        let problem = match check_name(name) {
            Err(NameProblem::Reserved) => Some("it belongs to the expression language"),
            Err(NameProblem::Malformed) => Some("it is no name"),
            Ok(()) if known => Some("it is the time, the independent variable or the step everywhere"),
            Ok(()) if !seen.insert(name) => Some("another one has this name"),
            Ok(()) => None,
        };
        if let Some(problem) = problem {
            let message = format!("`{name}` cannot be the name of an argument: {problem}");
            let at = key.locate(argument.start..argument.end);
            resolver.problems.push(Diagnostic::error(Code::InvalidName, message).at(at, ""));
            return None;
        }
    }
    let name = Name { text: ast.slice(function).to_owned(), span: key.locate(function.start..function.end) };
    Some(FunctionHead { name, arguments: arguments.iter().map(|span| ast.slice(*span).to_owned()).collect() })
}

/// Warns of functions that nothing calls.
pub(crate) fn warn_unused(resolver: &mut Resolver<'_, '_>) {
    for (name, span) in resolver.names.unused_functions() {
        let message = format!("the function `{name}` is never called");
        resolver.problems.push(Diagnostic::warning(Code::UnusedDefinition, message).at(span, ""));
    }
}
