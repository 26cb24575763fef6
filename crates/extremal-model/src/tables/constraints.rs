//! `[constraints]`: equations that positions and velocities satisfy, and the reactions that see to it.

use extremal_expr::Id;

use super::constraint_rules::{self, ConstraintEquation};
use super::families::{Families, INDEX, QuantityKind, family_count, family_index, initial, member_name};
use super::observables::ObservablesStatement;
use super::{ModelTable, Statements, named};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::names::{Declaration, NameMeaning};
use crate::place::ExpressionPlace;
use crate::resolver::{Resolver, with_article};
use crate::text::SourceText;

/// An equation that the motion satisfies; a family has one of these for each member.
#[derive(Clone, Debug)]
pub struct ModelConstraint {
    /// Its name: `rod`, or `rod[3]` for a member of a family. Its multiplier is recorded as `lambda_rod`.
    pub name: String,
    /// How it acts.
    pub kind: ConstraintKind,
    /// The left side, an expression of positions, velocities, time and parameters; a vakonomic one may contain higher derivatives.
    pub left: Id,
    /// The right side.
    pub right: Id,
    /// For a constraint that reacts and whose virtual displacements differ from its equation: an expression linear in the velocities,
    /// whose coefficients are their row.
    pub variational: Option<Id>,
    /// What the multiplier of a vakonomic constraint starts from, an expression of parameters; zero for the others, whose
    /// multipliers follow from the motion.
    pub multiplier: Id,
    /// Where its equation stands in [`Model::source_text`](crate::Model::source_text).
    pub span: Span,
}

/// How a constraint acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstraintKind {
    /// It binds positions.
    Holonomic,
    /// It binds velocities, to which it is affine, and its reaction does no work on virtual displacements (d'Alembert).
    Nonholonomic,
    /// It binds velocities in any way, and its reaction is along its slopes by them (Chetaev).
    Chetaev,
    /// It binds velocities, or positions and entropies, before the action is varied.
    Vakonomic,
}

named! {
    ConstraintKind: Holonomic = "holonomic", Nonholonomic = "nonholonomic", Chetaev = "chetaev", Vakonomic = "vakonomic"
}

/// What a kind of constraint is, in the terms in which everything else asks: a new kind answers all of them in
/// [`ConstraintKind::nature`], and a new question is asked of all kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstraintNature {
    /// Does it bind positions, and velocities only by its time derivative?
    pub binds_positions: bool,
    /// Does it act by a force of reaction, which follows from the motion? Otherwise it changes the Lagrangian, and its multiplier has
    /// a start and an equation of motion.
    pub reacts: bool,
    /// Must it be affine in the velocities?
    pub affine: bool,
    /// May its virtual displacements be stated apart from its equation?
    pub own_displacements: bool,
    /// May it contain accelerations, and stand beside a Lagrangian that does?
    pub any_order: bool,
}

impl ConstraintKind {
    /// What this kind is.
    pub const fn nature(self) -> ConstraintNature {
        match self {
            ConstraintKind::Holonomic => ConstraintNature {
                binds_positions: true,
                reacts: true,
                affine: false,
                own_displacements: true,
                any_order: false,
            },
            ConstraintKind::Nonholonomic => ConstraintNature {
                binds_positions: false,
                reacts: true,
                affine: true,
                own_displacements: true,
                any_order: false,
            },
            ConstraintKind::Chetaev => ConstraintNature { affine: false, ..ConstraintKind::Nonholonomic.nature() },
            ConstraintKind::Vakonomic => ConstraintNature {
                binds_positions: false,
                reacts: false,
                affine: false,
                own_displacements: false,
                any_order: true,
            },
        }
    }
}

/// The name under which a run records the multiplier of a constraint.
pub(crate) fn multiplier_name(constraint: &str) -> String {
    format!("lambda_{constraint}")
}

/// `rod = "x^2 + y^2 = l^2"`, or `roll = { equation, kind, variational, multiplier, count, index }`.
#[derive(Debug, Default)]
pub(crate) struct ConstraintStatement {
    pub name: Name,
    pub kind: KindStatement,
    pub variational: Option<ScalarSeries>,
    pub multiplier: Option<ScalarSeries>,
    equation: Option<ScalarSeries>,
    count: Option<Scalar>,
    index: Option<SourceText>,
}

impl ConstraintStatement {
    /// One that states its equation and nothing else.
    pub fn of_equation(name: Name, equation: Scalar) -> Self {
        ConstraintStatement { name, equation: Some(ScalarSeries::One(equation)), ..ConstraintStatement::default() }
    }
}

#[derive(Debug, Default)]
pub(crate) enum KindStatement {
    /// To be told from the equation.
    #[default]
    Inferred,
    Stated(ConstraintKind, Span),
    /// In error, which has been reported.
    Broken,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "constraints",
    sentence: "equations that hold along the motion, each by name: `rod = \"x^2 + y^2 = l^2\"`, or a table. Without velocities one is holonomic, with them nonholonomic",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| into.constraints = entries.iter().map(|entry| read_one(reader, entry)).collect(),
};

const FIELDS: &[TableField<ConstraintStatement>] = &[
    field(
        "equation",
        "the equation, of positions, velocities, entropies, time and parameters; a list makes a family",
        |reader, entry, into| into.equation = reader.series(entry),
    ),
    field(
        "kind",
        "`holonomic`, `nonholonomic`, `chetaev`: bound velocities in any way, with a reaction along the slopes by them, or `vakonomic`: imposed before the action is varied",
        |reader, entry, into| {
            let unknown = |name: &str| format!("there is no kind of constraint `{name}`");
            let kind = reader.choice(entry, ConstraintKind::ALL, ConstraintKind::name, "the kinds are", unknown);
            into.kind = kind.map_or(KindStatement::Broken, |(kind, text)| KindStatement::Stated(kind, text.span));
        },
    ),
    field(
        "variational",
        "of one that reacts, and whose virtual displacements differ from its equation: linear in the velocities, whose coefficients are their row",
        |reader, entry, into| into.variational = reader.series(entry),
    ),
    field(
        "multiplier",
        "what the multiplier of a vakonomic one starts from, 0 if not stated",
        |reader, entry, into| into.multiplier = reader.series(entry),
    ),
    field("count", "makes a family of so many", |reader, entry, into| into.count = reader.scalar(entry)),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
];

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> ConstraintStatement {
    let mut statement = ConstraintStatement { name: entry.name.clone(), ..ConstraintStatement::default() };
    if !reader.fill_entry(entry, FIELDS, &mut statement).contains(&"equation") {
        let Name { text, span } = &entry.name;
        let message = format!("the constraint `{text}` has no equation");
        let help = format!("{text} = {{ equation = \"x^2 + y^2 = l^2\" }}");
        reader.problems.push(Diagnostic::error(Code::Missing, message).at(span.clone(), "").help(help));
    }
    statement
}

/// All constraints, flat and by statement.
pub(crate) struct Constraints {
    pub list: Vec<ModelConstraint>,
    pub families: Families,
    /// Is one missing here because it is in error?
    pub incomplete: bool,
}

/// Declares all constraints.
pub(crate) fn resolve(resolver: &mut Resolver<'_, '_>, statements: &Statements) -> Constraints {
    let mut all =
        Constraints { list: Vec::new(), families: Families::new(QuantityKind::Constraint), incomplete: false };
    for (place, statement) in statements.constraints.iter().enumerate() {
        let name = &statement.name;
        if !resolver.admit(name, "constraint") {
            all.incomplete = true;
            continue;
        }
        report_taken(resolver, name, &statements.observables);
        let declared = |meaning, count| Declaration { what: "constraint", meaning, count, span: name.span.clone() };
        match resolve_one(resolver, statements, place, &mut all) {
            Some(count) => resolver.names.declare(&name.text, declared(NameMeaning::Constraint, count)),
            None => {
                all.incomplete = true;
                resolver.names.declare(&name.text, declared(NameMeaning::Broken, None));
            }
        }
    }
    all
}

/// Adds the members and says how many they are; `None` for an error.
fn resolve_one(
    resolver: &mut Resolver<'_, '_>,
    statements: &Statements,
    place: usize,
    all: &mut Constraints,
) -> Option<Option<i64>> {
    let statement = &statements.constraints[place];
    let any_order = matches!(statement.kind, KindStatement::Stated(kind, _) if kind.nature().any_order);
    let seen = if any_order && statements.is_higher_order() {
        &ExpressionPlace::VAKONOMIC
    } else {
        &ExpressionPlace::CONSTRAINT
    };
    let name = &statement.name;
    let equations = statement.equation.as_ref()?;
    let series = [Some(equations), statement.variational.as_ref(), statement.multiplier.as_ref()];
    let count = family_count(resolver, name, statement.count.as_ref(), series.into_iter().flatten())?;
    let members = count.map_or(1, |count| count as usize);
    if !all.families.has_room(resolver, members, name) {
        return None;
    }
    let index = family_index(resolver, statement.index.as_ref(), name, count);
    for list in series.into_iter().flatten() {
        resolver.check_length(list, count.unwrap_or(1))?;
    }
    let stated = statement.multiplier.as_ref();
    let multipliers = initial(resolver, stated, &index, name, count, "multiplier", &ExpressionPlace::MULTIPLIER);
    if stated.is_some() && multipliers.is_none() {
        return None;
    }
    let zero = resolver.graph.int(0).id();
    let mut list = Vec::with_capacity(members);
    for position in 0..members {
        let number = count.map(|_| (index.as_str(), position as i64 + 1));
        let name = member_name(&name.text, count, position + 1);
        let equation = ConstraintEquation::read(resolver, equations, position, number, seen)?;
        let kind = constraint_rules::kind(resolver, statement, &name, &equation)?;
        constraint_rules::check_keys(resolver, statement, &name, kind)?;
        let variational = match &statement.variational {
            Some(series) => Some(constraint_rules::variational(resolver, series, position, number, &name)?),
            None => None,
        };
        let multiplier = multipliers.as_ref().map_or(zero, |values| values[position]);
        let (left, right, span) = (equation.left.id(), equation.right.id(), equation.span);
        list.push(ModelConstraint { name, kind, left, right, variational, multiplier, span });
    }
    all.list.extend(list);
    all.families.push(name, place, count, index);
    Some(count)
}

/// The name of the multiplier must not mean something else.
fn report_taken(resolver: &mut Resolver<'_, '_>, name: &Name, observables: &ObservablesStatement) {
    let multiplier = multiplier_name(&name.text);
    let declared = resolver.names.get(&multiplier).map(|other| (other.what, other.span.clone()));
    let invariants = observables.invariants.iter().map(|(name, _)| ("invariant", name));
    let symmetries = observables.symmetries.iter().map(|(name, _)| ("symmetry", name));
    let base = |name: &Name| name.text.split('[').next() == Some(&multiplier);
    let observed = invariants.chain(symmetries).find(|(_, name)| base(name));
    let Some((what, span)) = declared.or(observed.map(|(what, name)| (what, name.span.clone()))) else { return };
    let message =
        format!("`{multiplier}` is {} and the multiplier of the constraint `{}`", with_article(what), name.text);
    let diagnostic = Diagnostic::error(Code::DuplicateName, message);
    resolver.problems.push(diagnostic.at(span, "rename this").at(name.span.clone(), "or this"));
}
