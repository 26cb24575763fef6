//! Finds what each name and function in an [`Ast`] is, before anything is built, and reports every misuse once.

use rustc_hash::FxHashMap;

use super::TextSpan;
use super::ast::{Ast, AstKind, NodeId};
use super::error::{ErrorCollector, SyntaxErrorKind as Kind};
use super::functions::{Named, is_reserved, suggest};
use super::scope::{Binding, NameShape, Scope};
use super::suggest::nearest;
use crate::TableFunction;

/// What a node refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Referent {
    /// It refers to nothing, or to something reported as wrong.
    Nothing,
    Pi,
    /// The index of the `sum` that starts at this [`AstKind::Each`].
    Index(NodeId),
    /// An argument of the function whose value this is.
    Argument(u32),
    /// Position in [`Resolved::names`].
    Name(u32),
    Function(Named),
    /// A function that the scope has declared.
    Declared,
    /// A derivative of a table that vanishes.
    Zero,
    /// A table that it has declared, or a derivative of one.
    Table(TableFunction),
}

pub(super) struct Resolved<'a> {
    /// One per node.
    pub nodes: Vec<Referent>,
    /// Names found in the scope.
    pub names: Vec<(&'a str, Binding)>,
}

/// `arguments` are the names of the arguments of the function whose value the text is.
pub(super) fn resolve<'a>(
    ast: &'a Ast,
    scope: &dyn Scope<'_>,
    arguments: &[String],
    errors: &mut ErrorCollector,
) -> Resolved<'a> {
    let mut resolver = AstResolver {
        ast,
        scope,
        arguments,
        errors,
        indices: Vec::new(),
        lookup: FxHashMap::default(),
        names: Vec::new(),
        candidates: None,
    };
    let mut nodes = Vec::with_capacity(ast.nodes().len());
    for (position, node) in ast.nodes().iter().enumerate() {
        nodes.push(match &node.kind {
            AstKind::Name { name, primes } => resolver.name(*name, node.span, *primes, false),
            AstKind::Member { name, primes, .. } => resolver.name(*name, node.span, *primes, true),
            AstKind::Call { function, arguments } => resolver.function(*function, node.span, arguments.len()),
            AstKind::Each { index, .. } => {
                resolver.open_sum(*index, NodeId(position as u32));
                Referent::Nothing
            }
            AstKind::Series { .. } => {
                resolver.indices.pop();
                Referent::Nothing
            }
            _ => Referent::Nothing,
        });
    }
    Resolved { nodes, names: resolver.names }
}

struct AstResolver<'a, 's, 'e, 'g> {
    ast: &'a Ast,
    scope: &'s dyn Scope<'g>,
    arguments: &'s [String],
    errors: &'e mut ErrorCollector,
    /// Indices of the sums around the current node, innermost last.
    indices: Vec<(&'a str, NodeId)>,
    lookup: FxHashMap<&'a str, Option<u32>>,
    names: Vec<(&'a str, Binding)>,
    /// Asked for once, when the first name is unknown.
    candidates: Option<Vec<String>>,
}

impl<'a> AstResolver<'a, '_, '_, '_> {
    fn open_sum(&mut self, index: TextSpan, each: NodeId) {
        let name = self.ast.slice(index);
        if is_reserved(name) {
            self.errors.report(Kind::BadSumIndex, index);
        }
        self.indices.push((name, each));
    }

    fn index(&self, name: &str) -> Option<NodeId> {
        self.indices.iter().rev().find(|(index, _)| *index == name).map(|(_, each)| *each)
    }

    fn declared(&mut self, name: &'a str) -> Option<u32> {
        if let Some(known) = self.lookup.get(name) {
            return *known;
        }
        let found = self.scope.resolve(name).map(|binding| {
            self.names.push((name, binding));
            (self.names.len() - 1) as u32
        });
        self.lookup.insert(name, found);
        found
    }

    fn name(&mut self, name_span: TextSpan, span: TextSpan, primes: u32, indexed: bool) -> Referent {
        let name = self.ast.slice(name_span);
        let (resolution, binding) = if let Some(each) = self.index(name) {
            (Referent::Index(each), Binding::constant("index"))
        } else if let Some(place) = self.arguments.iter().position(|argument| argument == name) {
            // What it stands for, each call says.
            return Referent::Argument(place as u32);
        } else if matches!(name, "pi" | "π") {
            (Referent::Pi, Binding::constant("constant"))
        } else if let Some(found) = self.declared(name) {
            (Referent::Name(found), self.names[found as usize].1.clone())
        } else {
            self.unknown(name, name_span);
            return Referent::Nothing;
        };
        let what = binding.what;
        let problem = match binding.shape {
            NameShape::Single if indexed => Some(Kind::NotAFamily { name: name.to_owned(), what }),
            _ if primes > 0 && !binding.differentiable => Some(Kind::NoDerivative { name: name.to_owned(), what }),
            _ => None,
        };
        match problem {
            Some(kind) => {
                self.errors.report(kind, span);
                Referent::Nothing
            }
            None => resolution,
        }
    }

    fn unknown(&mut self, name: &str, span: TextSpan) {
        let kind = match Named::find(name) {
            Some(_) => Kind::BareFunction { name: name.to_owned() },
            None if self.scope.function(name).is_some() || self.scope.table(name).is_some() => {
                Kind::BareFunction { name: name.to_owned() }
            }
            None => {
                let scope = self.scope;
                let declared = self.candidates.get_or_insert_with(|| scope.names());
                let indices = self.indices.iter().map(|(index, _)| *index);
                let arguments = self.arguments.iter().map(String::as_str);
                let candidates = declared.iter().map(String::as_str).chain(indices).chain(arguments).chain(["pi"]);
                Kind::UnknownName { name: name.to_owned(), suggestion: nearest(name, candidates).map(str::to_owned) }
            }
        };
        self.errors.report(kind, span);
    }

    fn function(&mut self, function: TextSpan, span: TextSpan, arguments: usize) -> Referent {
        let name = self.ast.slice(function);
        if let Some(found) = Named::find(name) {
            return match found.refuses(arguments) {
                None => Referent::Function(found),
                Some(expected) => {
                    let kind = Kind::WrongArity { function: name.to_owned(), expected, found: arguments };
                    self.errors.report(kind, span);
                    Referent::Nothing
                }
            };
        }
        if let Some(declared) = self.scope.function(name) {
            let expected = declared.arguments().len();
            if arguments == expected {
                return Referent::Declared;
            }
            let kind = Kind::WrongArgumentCount { signature: declared.signature(), expected, found: arguments };
            self.errors.report(kind, span);
            return Referent::Nothing;
        }
        let whole = name.trim_end_matches('\'');
        if let Some(table) = self.scope.table(whole) {
            if arguments == 1 {
                let primes = name.len() - whole.len();
                let slope = (0..primes).try_fold(table, |table, _| table.slope());
                return slope.map_or(Referent::Zero, Referent::Table);
            }
            let kind = Kind::WrongArity { function: name.to_owned(), expected: "1 argument", found: arguments };
            self.errors.report(kind, span);
            return Referent::Nothing;
        }
        if whole != name {
            self.errors.report(Kind::PrimedFunction { name: whole.to_owned() }, function);
            return Referent::Nothing;
        }
        let what = match self.index(name) {
            Some(_) => Some("index"),
            None if self.arguments.iter().any(|argument| argument == name) => Some("argument"),
            None if matches!(name, "pi" | "π") => Some("constant"),
            None => self.declared(name).map(|found| self.names[found as usize].1.what),
        };
        let kind = match what {
            Some(what) => Kind::NotAFunction { name: name.to_owned(), what },
            None => {
                let declared = self.scope.functions();
                let near = || nearest(name, declared.iter().map(String::as_str)).map(str::to_owned);
                let suggestion = suggest(name).map(str::to_owned).or_else(near);
                Kind::UnknownFunction { name: name.to_owned(), suggestion }
            }
        };
        self.errors.report(kind, function);
        Referent::Nothing
    }
}
