//! `[expected]`: numbers computed independently, for tests.

use std::collections::BTreeSet;

use super::ModelTable;
use super::constraints::{ModelConstraint, multiplier_name};
use super::controls::Control;
use super::coordinates::Coordinate;
use super::discrete::Discrete;
use super::entropies::Entropy;
use super::friction::{DryFriction, dry_force_name};
use super::matter::Amount;
use super::observables::WatchedQuantities;
use super::states::FirstOrderState;
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, TableEntry, TableReader};
use crate::resolver::Resolver;
use crate::suggest::help_for;

/// What the state should be at some time, with the distance at which it counts as wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The name of the set, for instance `end`.
    pub name: String,
    /// The time, if it is not the end of the run.
    pub time: Option<f64>,
    /// Largest admissible absolute difference.
    pub tolerance: f64,
    /// Names of recorded columns (`x`, `x'`, `p_x`, `S`, `T_S`, `lambda_rod`, `f_x`, `energy`, ...) and their values; for a boundary problem
    /// also of controls, `objective` and `duration`.
    pub values: Vec<(String, f64)>,
}

/// `end = { t = 10.0, x = 0.25, "x'" = -1.5, tolerance = 1e-6 }`.
#[derive(Debug)]
pub(crate) struct ExpectedStatement {
    pub name: Name,
    pub time: Option<Scalar>,
    pub tolerance: Option<Scalar>,
    pub values: Vec<(Name, Scalar)>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "expected",
    sentence: "numbers for tests: `end = { t = 1.0, x = 0.5, tolerance = 1e-6 }`",
    keys: Vec::new,
    read: |reader, _, entries, into| {
        into.expected = entries.into_iter().filter_map(|entry| read_one(reader, entry)).collect();
    },
};

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: TableEntry<'t>) -> Option<ExpectedStatement> {
    let mut statement = ExpectedStatement { time: None, tolerance: None, values: Vec::new(), name: entry.name.clone() };
    let mut has_tolerance = false;
    for entry in reader.table(&entry)? {
        match entry.name.text.as_str() {
            "t" => statement.time = reader.scalar(&entry),
            "tolerance" => {
                has_tolerance = true;
                statement.tolerance = reader.scalar(&entry);
            }
            _ => statement.values.extend(reader.scalar(&entry).map(|value| (entry.name, value))),
        }
    }
    if !has_tolerance {
        let message = format!("[expected] {} has no tolerance", statement.name.text);
        let label = "`tolerance = 1e-6` or the like is missing";
        reader.problems.push(Diagnostic::error(Code::Missing, message).at(statement.name.span.clone(), label));
    }
    Some(statement)
}

pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &[ExpectedStatement],
    recorded: &RecordedColumns<'_>,
) -> Vec<Expected> {
    if statements.is_empty() {
        return Vec::new();
    }
    let columns = recorded.columns();
    statements.iter().filter_map(|statement| resolve_one(resolver, statement, &columns)).collect()
}

fn resolve_one(
    resolver: &mut Resolver<'_, '_>,
    statement: &ExpectedStatement,
    columns: &BTreeSet<String>,
) -> Option<Expected> {
    let mut number = |scalar: &Scalar, what: &str| Some(resolver.setting(scalar, what)?.1);
    let time = statement.time.as_ref().and_then(|scalar| number(scalar, "the expected time"));
    let tolerance = statement.tolerance.as_ref().and_then(|scalar| number(scalar, "the tolerance"));
    let mut values = Vec::new();
    for (name, scalar) in &statement.values {
        values.extend(number(scalar, "the expected value").map(|value| (name.text.clone(), value)));
    }
    for (name, _) in &statement.values {
        if !columns.contains(&name.text) {
            let help = help_for(&name.text, "the columns are", columns.iter().map(String::as_str));
            let message = format!("`{}` is not recorded, so that nothing can be expected of it", name.text);
            resolver
                .problems
                .push(Diagnostic::error(Code::UnknownName, message).at(name.span.clone(), "").maybe_help(help));
        }
    }
    let tolerance = tolerance?;
    if tolerance <= 0.0 {
        let span = statement.tolerance.as_ref().map_or(statement.name.span.clone(), Scalar::span);
        resolver.problems.push(Diagnostic::error(Code::OutOfRange, "a tolerance must be positive").at(span, ""));
        return None;
    }
    Some(Expected { name: statement.name.text.clone(), time, tolerance, values })
}

/// What a run or a solution records.
pub(crate) struct RecordedColumns<'a> {
    pub coordinates: &'a [Coordinate],
    pub order: u32,
    /// Is a cost summed up along a run?
    pub costs: bool,
    pub dry: &'a [DryFriction],
    pub entropies: &'a [Entropy],
    pub amounts: &'a [Amount],
    pub states: &'a [FirstOrderState],
    /// Is one of the states an action that the Lagrangian contains?
    pub of_action: bool,
    pub constraints: &'a [ModelConstraint],
    pub discrete: Option<&'a Discrete>,
    pub controls: &'a [Control],
    pub observables: &'a WatchedQuantities,
    pub is_boundary: bool,
}

impl RecordedColumns<'_> {
    /// The names of everything.
    fn columns(&self) -> BTreeSet<String> {
        let mut columns = BTreeSet::from(["energy".to_owned()]);
        for coordinate in self.coordinates {
            let name = &coordinate.name;
            columns.insert(name.clone());
            columns.extend((0..self.order as usize).map(|order| format!("p_{name}{}", "'".repeat(order))));
            columns.extend((1..2 * self.order as usize).map(|order| format!("{name}{}", "'".repeat(order))));
        }
        for (at, dry) in self.dry.iter().enumerate() {
            let before = self.dry[..at].iter().filter(|other| other.coordinate == dry.coordinate).count();
            columns.insert(dry_force_name(&self.coordinates[dry.coordinate].name, before));
        }
        for entropy in self.entropies {
            columns.extend([entropy.name.clone(), format!("T_{}", entropy.name)]);
        }
        for amount in self.amounts {
            columns.extend([amount.name.clone(), format!("mu_{}", amount.name)]);
        }
        columns.extend(self.of_action.then(|| "log_factor".to_owned()));
        for state in self.states {
            columns.insert(state.name.clone());
            columns.extend(self.is_boundary.then(|| format!("p_{}", state.name)));
        }
        columns.extend(self.constraints.iter().map(|constraint| multiplier_name(&constraint.name)));
        let own = self.discrete.map_or(&[][..], |discrete| &discrete.constraints);
        let own = self
            .constraints
            .iter()
            .zip(own)
            .filter(|(constraint, own)| own.is_some() && !constraint.kind.nature().reacts);
        columns.extend(own.map(|(constraint, _)| format!("step_{}", multiplier_name(&constraint.name))));
        columns.extend(self.controls.iter().map(|control| control.name.clone()));
        columns.extend(self.observables.outputs.iter().map(|output| output.name.clone()));
        columns.extend(self.observables.invariants.iter().map(|invariant| invariant.name.clone()));
        columns.extend(self.observables.symmetries.iter().map(|symmetry| symmetry.name.clone()));
        if self.costs {
            columns.insert("cost".to_owned());
            columns.extend(self.coordinates.iter().map(|coordinate| format!("costate_{}", coordinate.name)));
        }
        if self.is_boundary {
            columns.extend(["objective".to_owned(), "duration".to_owned()]);
        }
        columns
    }
}
