//! `[poisson]`: variables with brackets and a Hamiltonian, x' = {x, H}.

use std::collections::{BTreeMap, HashMap};

use extremal_expr::{Expr, Graph, Id};

use super::ModelTable;
use super::families::{INDEX, QuantityKind};
use super::states::{FirstOrderState, StateStatement, States, read_as};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Scalar, TableEntry, TableField, TableReader, field, keys};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;
use crate::text::SourceText;

/// The most variables of a Poisson system: the Jacobi identity is proved for all triples of them.
pub const MAX_POISSON_VARIABLES: usize = 32;

/// The bracket {x_i, x_j} of two variables, i < j; {x_j, x_i} is minus that.
#[derive(Clone, Debug)]
pub struct PoissonBracket {
    /// The places i and j in [`Model::states`](crate::Model::states).
    pub of: (usize, usize),
    /// An expression of the variables and parameters.
    pub value: Id,
}

/// What the table says.
#[derive(Default)]
pub(crate) struct PoissonStatement {
    pub span: Span,
    pub hamiltonian: Option<Scalar>,
    pub variables: Vec<StateStatement>,
    brackets: Vec<(SourceText, Scalar)>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "poisson",
    sentence: "a Poisson system, alone and instead of coordinates and a Lagrangian: variables, their brackets and a Hamiltonian, x' = {x, H}",
    keys: || keys(FIELDS),
    read: |reader, table, entries, into| {
        let mut statement = PoissonStatement { span: table.name.span.clone(), ..PoissonStatement::default() };
        let stated = reader.fill(entries, FIELDS, &mut statement);
        for key in ["hamiltonian", "variables", "brackets"].into_iter().filter(|key| !stated.contains(key)) {
            let help =
                "hamiltonian = \"x^2/2 + y^2/4\", variables = { x = 1.0, y = 0.0 }, brackets = { \"x,y\" = \"1\" }";
            let diagnostic = Diagnostic::error(Code::Missing, format!("[poisson] has no `{key}`"));
            reader.problems.push(diagnostic.at(table.name.span.clone(), "").help(help));
        }
        into.poisson = Some(statement);
    },
};

const FIELDS: &[TableField<PoissonStatement>] = &[
    field("hamiltonian", "the energy, an expression of the variables, time and parameters", |reader, entry, into| {
        into.hamiltonian = reader.scalar(entry);
    }),
    field(
        "variables",
        "the variables and where they start: `{ x = 1.0 }`, or of a family `{ x = { start = 1.0, count = \"n\" } }`",
        |reader, entry, into| {
            let entries = reader.table(entry).unwrap_or_default();
            into.variables =
                entries.iter().map(|entry| read_as(reader, entry, VARIABLE, QuantityKind::Variable)).collect();
        },
    ),
    field(
        "brackets",
        "the bracket of each pair, of the variables and parameters: `{ \"x,y\" = \"z\" }` is {x, y} = z and {y, x} = -z; those that are not stated are zero",
        |reader, entry, into| into.brackets = read_brackets(reader, entry),
    ),
];

const VARIABLE: &[TableField<StateStatement>] = &[
    field("start", "where it starts", |reader, entry, into| into.start = reader.series(entry)),
    field("count", "makes a family of so many", |reader, entry, into| into.count = reader.scalar(entry)),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
];

fn read_brackets<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Vec<(SourceText, Scalar)> {
    let entries = reader.table(entry).unwrap_or_default();
    entries.iter().filter_map(|entry| Some((reader.key(entry), reader.scalar(entry)?))).collect()
}

/// A bracket, and where it is stated.
struct StatedBracket<'g> {
    value: Expr<'g>,
    span: Span,
}

/// The brackets {x_i, x_j} with i < j, by their places.
type Brackets<'g> = BTreeMap<(usize, usize), StatedBracket<'g>>;

/// The brackets that are not zero, which satisfy the Jacobi identity if nothing was reported.
pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statement: &PoissonStatement,
    variables: &States,
) -> Vec<PoissonBracket> {
    if variables.list.len() > MAX_POISSON_VARIABLES {
        let message = format!(
            "a Poisson system may have at most {MAX_POISSON_VARIABLES} variables, not {}",
            variables.list.len()
        );
        resolver.problems.push(Diagnostic::error(Code::TooLarge, message).at(statement.span.clone(), ""));
        return Vec::new();
    }
    let errors = resolver.problems.errors();
    let mut brackets = Brackets::new();
    for (pair, scalar) in &statement.brackets {
        let Some((i, j)) = places(resolver, pair, variables) else { continue };
        let Some(value) = resolver.number(scalar, &ExpressionPlace::BRACKET, None) else { continue };
        let (of, value) = if i < j { ((i, j), value) } else { ((j, i), -value) };
        let stated = StatedBracket { value, span: pair.span.clone() };
        if let Some(before) = brackets.insert(of, stated) {
            let message = format!("the bracket of `{}` is given twice", pair.value);
            let diagnostic = Diagnostic::error(Code::DuplicateName, message).at(pair.span.clone(), "here again");
            resolver
                .problems
                .push(diagnostic.at(before.span, "here first").help("{y, x} is -{x, y} and need not be stated"));
        }
    }
    brackets.retain(|_, bracket| !bracket.value.is_zero());
    if resolver.problems.errors() == errors {
        check_jacobi(resolver, &brackets, variables);
    }
    brackets.into_iter().map(|(of, bracket)| PoissonBracket { of, value: bracket.value.id() }).collect()
}

/// The rates B ∇H of all variables.
pub(super) fn bracket_rates(
    graph: &Graph,
    hamiltonian: Expr<'_>,
    brackets: &[PoissonBracket],
    variables: &[FirstOrderState],
) -> Vec<Id> {
    let symbols: Vec<Expr<'_>> = variables.iter().map(|x| graph.expr(x.symbol)).collect();
    let slopes = graph.gradient(graph.expr(hamiltonian.id()), &symbols);
    let mut terms = vec![Vec::new(); variables.len()];
    for bracket in brackets {
        let ((i, j), value) = (bracket.of, graph.expr(bracket.value));
        terms[i].push(value * slopes[j]);
        terms[j].push(-(value * slopes[i]));
    }
    terms.into_iter().map(|terms| graph.sum(terms).id()).collect()
}

/// The two variables of a key such as `x,y`.
fn places(resolver: &mut Resolver<'_, '_>, pair: &SourceText, variables: &States) -> Option<(usize, usize)> {
    let refuse = |resolver: &mut Resolver<'_, '_>, message: String, help: &str| {
        resolver.problems.push(Diagnostic::error(Code::InvalidName, message).at(pair.span.clone(), "").help(help));
        None
    };
    let Some((first, second)) = pair.value.split_once(',').filter(|(_, second)| !second.contains(',')) else {
        let help = "write two variables with a comma between them, as \"x,y\" = \"z\"";
        return refuse(resolver, format!("`{}` is not a pair of variables", pair.value), help);
    };
    let named = |resolver: &mut Resolver<'_, '_>, text: &str, from: usize| {
        let start = from + text.len() - text.trim_start().len();
        variables.named(resolver, &pair.part(start..start + text.trim().len()))
    };
    let (i, j) = (named(resolver, first, 0), named(resolver, second, first.len() + 1));
    let (i, j) = (i?, j?);
    if i == j {
        let message = format!("the bracket of `{}` with itself is zero", variables.list[i].name);
        return refuse(resolver, message, "remove it");
    }
    Some((i, j))
}

/// {x_i, {x_j, x_k}} + {x_j, {x_k, x_i}} + {x_k, {x_i, x_j}} for the triples i < j < k where it is not zero by form: each bracket
/// {x_a, x_b} of which a slope by x_l does not vanish meets the brackets of x_l.
fn jacobiators<'g>(
    resolver: &Resolver<'g, '_>,
    brackets: &Brackets<'g>,
    variables: &States,
) -> BTreeMap<[usize; 3], Vec<Expr<'g>>> {
    let symbols: Vec<Expr<'g>> = variables.list.iter().map(|x| resolver.graph.expr(x.symbol)).collect();
    let mut of_variable: HashMap<usize, Vec<(usize, Expr<'g>)>> = HashMap::new();
    for ((i, j), bracket) in brackets {
        of_variable.entry(*j).or_default().push((*i, bracket.value));
        of_variable.entry(*i).or_default().push((*j, -bracket.value));
    }
    let (pairs, values): (Vec<_>, Vec<_>) = brackets.iter().map(|(pair, bracket)| (*pair, bracket.value)).unzip();
    let slopes = resolver.graph.jacobian(&values, &symbols);
    let mut found: BTreeMap<[usize; 3], Vec<Expr<'g>>> = BTreeMap::new();
    for ((a, b), row) in pairs.into_iter().zip(slopes) {
        for (l, slope) in row {
            for (c, bracket) in of_variable.get(&l).into_iter().flatten().filter(|(c, _)| *c != a && *c != b) {
                // {x_c, {x_a, x_b}} with the sign that the order of a, b, c has in the cyclic sum.
                let mut triple = [a, b, *c];
                triple.sort_unstable();
                let between = a < *c && *c < b;
                let term = *bracket * slope;
                found.entry(triple).or_default().push(if between { -term } else { term });
            }
        }
    }
    found
}

/// Reports every triple for which the Jacobi identity fails, for some values of the parameters or all.
fn check_jacobi<'g>(resolver: &mut Resolver<'g, '_>, brackets: &Brackets<'g>, variables: &States) {
    let graph = resolver.graph;
    for (triple, terms) in jacobiators(resolver, brackets, variables) {
        let sum = graph.sum(terms);
        let [x, y, z] = triple.map(|place| variables.list[place].name.as_str());
        let verdict = graph.vanishes(sum, &[]);
        if verdict == Some(true) {
            continue;
        }
        let mut diagnostic = match verdict {
            None => {
                let message = format!(
                    "whether the brackets of `{x}`, `{y}` and `{z}` satisfy the Jacobi identity is not decided"
                );
                Diagnostic::warning(Code::JacobiIdentity, message)
            }
            _ => {
                let message = format!("the brackets of `{x}`, `{y}` and `{z}` do not satisfy the Jacobi identity");
                let sum = graph.simplified(sum);
                let help = format!(
                    "{{{x},{{{y},{z}}}}} + {{{y},{{{z},{x}}}}} + {{{z},{{{x},{y}}}}} = {} must be zero, whatever the parameters are",
                    sum.text().limit(200)
                );
                Diagnostic::error(Code::JacobiIdentity, message).help(help)
            }
        };
        let [i, j, k] = triple;
        for (pair, name) in [((i, j), (x, y)), ((i, k), (x, z)), ((j, k), (y, z))] {
            if let Some(bracket) = brackets.get(&pair) {
                diagnostic = diagnostic.at(bracket.span.clone(), format!("{{{}, {}}}", name.0, name.1));
            }
        }
        resolver.problems.push(diagnostic);
    }
}
