//! `[ports]`: ways on which matter and heat enter and leave the parts of a system.

use extremal_expr::Id;

use super::ModelTable;
use super::entropies::Entropies;
use super::families::{INDEX, family_count, family_index, member_name};
use super::matter::Amounts;
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver};
use crate::text::SourceText;

/// A way on which matter or heat enters or leaves a part of the system.
#[derive(Clone, Debug)]
pub struct ModelPort {
    /// Its name: `inlet`, or `inlet[3]` for a member of a family.
    pub name: String,
    /// What goes through it.
    pub carries: PortLoad,
}

/// What goes through a port; amounts and entropies by their places in the model, values as expressions of the state.
#[derive(Clone, Debug)]
pub enum PortLoad {
    /// Matter, with the energy and the entropy that it brings along.
    Matter {
        /// The amount that it leaves; `None` for outside.
        from: Option<usize>,
        /// The amount that it joins; `None` for outside.
        into: Option<usize>,
        /// How much per time.
        flow: Id,
        /// Energy per amount; `None` for that of the part which it leaves.
        enthalpy: Option<Id>,
        /// Entropy per amount; `None` for that of the part which it leaves.
        entropy: Option<Id>,
    },
    /// Heat of a reservoir.
    Heat {
        /// The entropy that it warms.
        into: usize,
        /// Energy per time, or per time and difference of temperatures.
        power: HeatLaw,
        /// The temperature of the reservoir.
        temperature: Id,
    },
}

/// How much heat a reservoir gives.
#[derive(Clone, Copy, Debug)]
pub enum HeatLaw {
    /// This power.
    Stated(Id),
    /// This conductance times the difference of the temperatures.
    Conducted(Id),
}

/// `inlet = { into = "N", flow = "J", enthalpy = "h", entropy = "s" }`, or `bath = { into = "S", conductance = "k", temperature = "T" }`.
#[derive(Debug, Default)]
pub(crate) struct PortStatement {
    name: Name,
    into: Option<SourceText>,
    from: Option<SourceText>,
    flow: Option<ScalarSeries>,
    enthalpy: Option<ScalarSeries>,
    potential: Option<ScalarSeries>,
    entropy: Option<ScalarSeries>,
    temperature: Option<ScalarSeries>,
    power: Option<ScalarSeries>,
    conductance: Option<ScalarSeries>,
    count: Option<Scalar>,
    index: Option<SourceText>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "ports",
    sentence: "ways on which matter and heat come in and go, each by name: a `flow` of matter, or the `power` or `conductance` of a heat reservoir",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| into.ports = entries.iter().filter_map(|entry| read_one(reader, entry)).collect(),
};

const FIELDS: &[TableField<PortStatement>] = &[
    field(
        "into",
        "the amount that matter joins, outside if not stated; for heat the entropy that it warms",
        |reader, entry, into| into.into = reader.string(entry),
    ),
    field("from", "the amount that matter leaves, outside if not stated", |reader, entry, into| {
        into.from = reader.string(entry)
    }),
    field("flow", "how much matter per time, an expression", |reader, entry, into| into.flow = reader.series(entry)),
    field(
        "enthalpy",
        "the energy that comes with it, per amount; if not stated, that of the part which it leaves",
        |reader, entry, into| into.enthalpy = reader.series(entry),
    ),
    field(
        "potential",
        "instead of `enthalpy`: the chemical potential of a reservoir, with its `temperature` and `entropy`",
        |reader, entry, into| into.potential = reader.series(entry),
    ),
    field(
        "entropy",
        "the entropy that comes with it, per amount; if not stated, that of the part which it leaves",
        |reader, entry, into| into.entropy = reader.series(entry),
    ),
    field("temperature", "the temperature of the reservoir", |reader, entry, into| {
        into.temperature = reader.series(entry)
    }),
    field("power", "for heat: how much energy per time", |reader, entry, into| into.power = reader.series(entry)),
    field(
        "conductance",
        "for heat, instead of `power`: energy per time and difference of temperatures",
        |reader, entry, into| into.conductance = reader.series(entry),
    ),
    field("count", "makes a family of so many", |reader, entry, into| into.count = reader.scalar(entry)),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
];

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Option<PortStatement> {
    let entries = reader.table(entry)?;
    let mut statement = PortStatement { name: entry.name.clone(), ..PortStatement::default() };
    reader.fill(entries, FIELDS, &mut statement);
    Some(statement)
}

impl PortStatement {
    fn series(&self) -> impl Iterator<Item = &ScalarSeries> {
        let stated = [
            &self.flow,
            &self.enthalpy,
            &self.potential,
            &self.entropy,
            &self.temperature,
            &self.power,
            &self.conductance,
        ];
        stated.into_iter().flatten()
    }

    fn is_matter(&self) -> bool {
        self.flow.is_some()
    }

    /// What is missing or of no use, with what to write.
    fn misfit(&self) -> Option<(Code, &'static str, String)> {
        let name = &self.name.text;
        let matter = format!("{name} = {{ into = \"N\", flow = \"J\", enthalpy = \"h\", entropy = \"s\" }}");
        let heat = format!("{name} = {{ into = \"S\", conductance = \"k\", temperature = \"T\" }}");
        let heats = [&self.power, &self.conductance].into_iter().flatten().count();
        let missing = |what| (Code::Missing, what);
        let conflict = |what| (Code::Conflict, what);
        let (found, help) = match (self.is_matter(), heats) {
            (false, 0) => (missing("says neither a `flow` of matter nor a `power` or `conductance` of heat"), matter),
            (true, 1..) => (conflict("is for matter and for heat"), "make two ports of it".to_owned()),
            (false, 2..) => (conflict("has a `power` and a `conductance`"), "keep one of them".to_owned()),
            (false, _) if self.into.is_none() => (missing("has no `into`"), heat),
            (false, _) if self.temperature.is_none() => {
                (missing("has no `temperature`"), format!("{heat}; heat without a temperature belongs into [heat]"))
            }
            (false, _) if self.from.is_some() || self.enthalpy.is_some() || self.potential.is_some() => {
                (conflict("is for heat, which has neither `from` nor `enthalpy` nor `potential`"), heat)
            }
            (false, _) if self.entropy.is_some() => {
                (conflict("is for heat, whose entropy follows from the temperature"), heat)
            }
            (false, _) => return None,
            (true, _) if self.into.is_none() && self.from.is_none() => {
                (missing("has neither `into` nor `from`"), matter)
            }
            (true, _) if self.enthalpy.is_some() && self.potential.is_some() => {
                (conflict("has an `enthalpy` and a `potential`"), "keep one of them".to_owned())
            }
            (true, _) if self.potential.is_some() && (self.temperature.is_none() || self.entropy.is_none()) => (
                missing("has a `potential` without `temperature` and `entropy`"),
                "the energy that comes with matter is potential + temperature*entropy".to_owned(),
            ),
            (true, _) if self.potential.is_none() && self.temperature.is_some() => (
                conflict("has a `temperature` that is not used"),
                "a temperature belongs to a `potential`, or to a port for heat".to_owned(),
            ),
            (true, _)
                if self.from.is_none()
                    && (self.entropy.is_none() || (self.enthalpy.is_none() && self.potential.is_none())) =>
            {
                (missing("does not say what comes in with the matter"), matter)
            }
            (true, _) => return None,
        };
        Some((found.0, found.1, help))
    }
}

/// The parts that ports lead into.
pub(crate) struct PortEnds<'a> {
    pub entropies: &'a Entropies,
    pub amounts: &'a Amounts,
}

pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &[PortStatement],
    ends: &PortEnds<'_>,
) -> Vec<ModelPort> {
    let mut list = Vec::new();
    for statement in statements {
        if let Some((code, problem, help)) = statement.misfit() {
            let Name { text, span } = &statement.name;
            let message = format!("the port `{text}` {problem}");
            resolver.problems.push(Diagnostic::error(code, message).at(span.clone(), "").help(help));
        } else {
            resolve_one(resolver, statement, ends, &mut list);
        }
    }
    list
}

/// `None` for an error.
fn resolve_one(
    resolver: &mut Resolver<'_, '_>,
    statement: &PortStatement,
    ends: &PortEnds<'_>,
    list: &mut Vec<ModelPort>,
) -> Option<()> {
    let name = &statement.name;
    let count = family_count(resolver, name, statement.count.as_ref(), statement.series())?;
    let index = family_index(resolver, statement.index.as_ref(), name, count);
    let members = count.map_or(1, |count| count as usize);
    let mut values = |series: &Option<ScalarSeries>| -> Option<Option<Vec<Id>>> {
        let found = match (series, count) {
            (None, _) => return Some(None),
            (Some(ScalarSeries::One(scalar)), None) => vec![resolver.number(scalar, &ExpressionPlace::PORT, None)?],
            (Some(series), count) => resolver.series(series, &ExpressionPlace::PORT, &index, count?)?,
        };
        Some(Some(found.iter().map(|value| value.id()).collect()))
    };
    let (flow, enthalpy, potential) =
        (values(&statement.flow)?, values(&statement.enthalpy)?, values(&statement.potential)?);
    let (entropy, temperature) = (values(&statement.entropy)?, values(&statement.temperature)?);
    let (power, conductance) = (values(&statement.power)?, values(&statement.conductance)?);
    let graph = resolver.graph;
    for at in 0..members {
        let of = |values: &Option<Vec<Id>>| values.as_ref().map(|values| values[at]);
        let member = count.map(|_| (index.as_str(), at as i64 + 1));
        let name = member_name(&name.text, count, at + 1);
        let carries = match of(&flow) {
            Some(flow) => {
                let from = amount(resolver, statement.from.as_ref(), ends, member)?;
                let into = amount(resolver, statement.into.as_ref(), ends, member)?;
                let reservoir = || {
                    let [mu, t, s] = [of(&potential)?, of(&temperature)?, of(&entropy)?].map(|id| graph.expr(id));
                    Some((mu + t * s).id())
                };
                let enthalpy = of(&enthalpy).or_else(reservoir);
                let load = PortLoad::Matter { from, into, flow, enthalpy, entropy: of(&entropy) };
                check_matter(resolver, statement, &load, &name, ends)?;
                load
            }
            None => PortLoad::Heat {
                into: ends.entropies.named(resolver, statement.into.as_ref()?, member)?,
                power: of(&power).map(HeatLaw::Stated).or_else(|| of(&conductance).map(HeatLaw::Conducted))?,
                temperature: of(&temperature)?,
            },
        };
        list.push(ModelPort { name, carries });
    }
    Some(())
}

/// The amount at an end, `Some(None)` for outside; `None` for an error.
fn amount(
    resolver: &mut Resolver<'_, '_>,
    text: Option<&SourceText>,
    ends: &PortEnds<'_>,
    member: MemberNumber<'_>,
) -> Option<Option<usize>> {
    match text {
        Some(text) => ends.amounts.named(resolver, text, member).map(Some),
        None => Some(None),
    }
}

/// Both ends differ, and what leaves a part with several substances says what it takes along.
fn check_matter(
    resolver: &mut Resolver<'_, '_>,
    statement: &PortStatement,
    load: &PortLoad,
    name: &str,
    ends: &PortEnds<'_>,
) -> Option<()> {
    let PortLoad::Matter { from, into, enthalpy, entropy, .. } = load else { return Some(()) };
    let span = statement.name.span.clone();
    if from == into {
        let message = format!("the port `{name}` leads from an amount into itself");
        resolver.problems.push(Diagnostic::error(Code::Conflict, message).at(span, ""));
        return None;
    }
    let holder = |amount: &usize| ends.amounts.list[*amount].entropy;
    let within = matches!((from, into), (Some(from), Some(into)) if holder(from) == holder(into));
    let told = enthalpy.is_some() && (entropy.is_some() || into.is_some());
    let mixed = from.as_ref().is_some_and(|from| ends.amounts.held_with(holder(from)) > 1);
    if within || told || !mixed {
        return Some(());
    }
    let message =
        format!("the port `{name}` takes matter from a part with several amounts and does not say what comes with it");
    let help = "state `enthalpy` and `entropy` per amount: S/N is that of a part with one substance only";
    resolver.problems.push(Diagnostic::error(Code::Missing, message).at(span, "").help(help));
    None
}
