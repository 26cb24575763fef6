//! The same motion in other words: rewritten models, with what becomes of every quantity.

use std::collections::BTreeMap;

use extremal_engine::Model;

use crate::motion::Motion;
use crate::names::{Occurrence, rewrite};
use crate::source::{Place, Source};
use crate::table::Value;

/// A rewritten model and how its numbers are to be read.
#[derive(Clone)]
pub struct Rewritten {
    pub source: Source,
    /// New names of coordinates by their old ones, where they change.
    pub names: BTreeMap<String, String>,
    /// old coordinate = factor · new coordinate + shift.
    pub factor: f64,
    pub shift: f64,
    /// New Lagrangian = action · old Lagrangian.
    pub action: f64,
    /// New time = time · old time.
    pub time: f64,
    /// Do momenta and energy keep their meaning?
    pub same_momenta: bool,
    /// How many times larger the terms of its expressions are than what they sum up to, where that is by construction.
    pub cancellation: f64,
}

impl Rewritten {
    /// The same model, word for word.
    pub fn of(source: &Source) -> Rewritten {
        Rewritten {
            source: source.clone(),
            names: BTreeMap::new(),
            factor: 1.0,
            shift: 0.0,
            action: 1.0,
            time: 1.0,
            same_momenta: true,
            cancellation: 1.0,
        }
    }

    /// The new name of an old coordinate, which may be a member of a family.
    pub fn name(&self, old: &str) -> String {
        let (base, index) = old.split_at(old.find('[').unwrap_or(old.len()));
        format!("{}{index}", self.names.get(base).map_or(base, String::as_str))
    }
}

/// A way to rewrite a model; `None` where it does not apply.
pub type Transform = fn(&Source) -> Option<Rewritten>;

/// Every relation between fixed steps, by name.
pub const TRANSFORMS: [(&str, Transform); 14] = [
    ("multiplied", |source| multiplied(source, if source.has("entropies") { 2.75 } else { -2.75 })),
    ("mass unit", |source| multiplied(source, 1e6)),
    ("squares completed", squares_completed),
    ("difference of squares", difference_of_squares),
    ("expanded", expanded),
    ("renamed", renamed),
    ("permuted", permuted),
    ("shifted", shifted),
    ("scaled", |source| Some(scaled(source, -0.7))),
    ("length unit 1e6", |source| Some(scaled(source, 1e6))),
    ("length unit 1e-6", |source| Some(scaled(source, 1e-6))),
    ("inlined", inlined),
    ("time unit 1e6", |source| in_other_time(source, 1e6)),
    ("time unit 1e-6", |source| in_other_time(source, 1e-6)),
];

/// L and all forces times `c`. A contact Lagrangian is no such model: its friction ∂L/∂S ∂L/∂v is quadratic in L; nor is, for a
/// negative `c`, one with dry friction, which would push, nor one whose bound has multipliers, which have the factor already.
fn multiplied(source: &Source, c: f64) -> Option<Rewritten> {
    let model = source.model();
    let dry = !model.dry_friction().is_empty();
    if source.is_herglotz() || dry && (c < 0.0 || !model.constraints().is_empty()) {
        return None;
    }
    let mut new = Rewritten { action: c, ..Rewritten::of(source) };
    new.source.each_expression(&|place, text| {
        let text = rewrite(text, &|found| in_unit(source, found, c));
        match place {
            Place::Function | Place::Force | Place::Bound { .. } | Place::Power | Place::Energy => {
                format!("{c}*({text})")
            }
            // A flow of heat is a conductance times a difference of temperatures, which have the factor already.
            Place::Conductance
            | Place::Definition
            | Place::Number
            | Place::Rate
            | Place::Sliding
            | Place::Constraint => text,
        }
    });
    new.source.each_start(&|_, key, text| match key {
        "multiplier" | "momentum" | "p0" | "p1" => format!("{c}*({text})"),
        _ => text.to_string(),
    });
    Some(new)
}

/// A momentum of a Hamiltonian whose unit is `unit` times smaller: old = new / unit.
fn in_unit(source: &Source, found: &Occurrence, unit: f64) -> Option<String> {
    source.is_momentum(found.name).then(|| format!("({}/({unit}))", found.as_it_stands()))
}

/// Every square of a velocity as v² = (v + 1)² − 2v − 1.
fn squares_completed(source: &Source) -> Option<Rewritten> {
    let mut new = Rewritten::of(source);
    let lagrangian = source.function()?;
    let marked =
        rewrite(&lagrangian, &|found| (found.primes == 1).then(|| format!("\u{1}{}\u{2}", found.as_it_stands())));
    let mut pieces = marked.split('\u{1}');
    let mut text = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let (velocity, rest) = piece.split_once('\u{2}').unwrap();
        match rest.strip_prefix("^2") {
            Some(rest) => text += &format!("(({velocity} + 1)^2 - 2*{velocity} - 1){rest}"),
            None => text += &format!("{velocity}{rest}"),
        }
    }
    (text != lagrangian).then(|| {
        new.source.set_function(text);
        new
    })
}

/// L as ((1 + L/b)² − (1 − L/b)²) b/4. A Hamiltonian written so has other momenta to solve for, and another method.
fn difference_of_squares(source: &Source) -> Option<Rewritten> {
    const B: f64 = 64.0;
    if source.is_hamiltonian() {
        return None;
    }
    let mut new = Rewritten::of(source);
    let text = format!("{B}*((1 + ({0})/{B})^2 - (1 - ({0})/{B})^2)/4", source.function()?);
    new.source.set_function(text);
    // The derivative is ((1 + L/b) + (1 − L/b))/2 times that of L, with round-off of a sum whose terms are 1 + |L|/b.
    let model = source.model();
    new.cancellation = 1.0 + value_at_start(&model).abs() / B;
    Some(new)
}

/// The Lagrangian where the motion starts.
fn value_at_start(model: &Model) -> f64 {
    let initial = model.initial();
    let symbols = model.positions().into_iter().chain(model.velocities()).map(|e| e.to_string());
    let numbers = initial.positions.iter().chain(&initial.velocities).copied();
    let mut values: BTreeMap<String, f64> = symbols.zip(numbers).collect();
    for (order, numbers) in (2..=model.order()).zip(&initial.higher) {
        values.extend(model.derivatives(order).iter().map(|e| e.to_string()).zip(numbers.iter().copied()));
    }
    let carried = model.entropies().iter().map(|s| &s.name).chain(model.amounts().iter().map(|n| &n.name));
    let carried = carried.chain(model.states().iter().map(|x| &x.name));
    values.extend(carried.cloned().zip(initial.entropies));
    values.extend(model.parameters().iter().map(|p| (p.name.clone(), p.value)));
    values.insert("t".into(), 0.0);
    model.graph().evaluate(&[model.lagrangian()], |name| values.get(name).copied())[0]
}

/// The Lagrangian or the Hamiltonian as a sum of monomials, with definitions worked out, as the program prints it.
fn expanded(source: &Source) -> Option<Rewritten> {
    /// Longer texts take their time and show nothing more.
    const LONGEST: usize = 4000;
    let mut new = Rewritten::of(source);
    let model = source.model();
    source.function()?;
    let function = model.hamiltonian().unwrap_or_else(|| model.lagrangian());
    let text = model.graph().expanded(function)?.to_string();
    (text.len() <= LONGEST).then(|| {
        new.source.set_function(text);
        new
    })
}

/// Coordinates under names in the reverse alphabetical order.
fn renamed(source: &Source) -> Option<Rewritten> {
    let mut new = Rewritten::of(source);
    let mut old = source.coordinates();
    old.sort();
    let letters = ["ζz", "w_y", "nu_m", "k_k", "ga", "dd_d", "b_2", "aa", "Zq", "Bq"];
    if old.is_empty() || old.len() > letters.len() {
        return None;
    }
    new.names = old.into_iter().zip(letters.map(String::from)).collect();
    let names = new.names.clone();
    new.source.rename_coordinates(&|name| {
        let member = name.find('[').unwrap_or(name.len());
        names[&name[..member]].clone() + &name[member..]
    });
    new.source.replace_names(&|found| {
        let momentum = || found.name.strip_prefix("p_").filter(|_| source.is_momentum(found.name));
        let coordinate = names.get(found.name).map(|name| found.named(name));
        coordinate.or_else(|| Some(found.named(&format!("p_{}", names[momentum()?]))))
    });
    Some(new)
}

fn permuted(source: &Source) -> Option<Rewritten> {
    let mut new = Rewritten::of(source);
    new.source.reverse_order().then_some(new)
}

/// Every coordinate from another origin.
fn shifted(source: &Source) -> Option<Rewritten> {
    const SHIFT: f64 = -0.8125;
    let mut new = Rewritten { shift: SHIFT, ..Rewritten::of(source) };
    let names = source.coordinates();
    new.source.replace_names(&|found| {
        let is_position = found.primes == 0 && names.iter().any(|name| name == found.name);
        is_position.then(|| format!("({} + ({SHIFT}))", found.as_it_stands()))
    });
    new.source.each_start(&|_, key, text| match key {
        "start" => format!("({text}) - ({SHIFT})"),
        _ => text.to_string(),
    });
    (!names.is_empty()).then_some(new)
}

/// Every coordinate in another unit: old = s · new.
pub fn scaled(source: &Source, s: f64) -> Rewritten {
    let mut new = Rewritten { factor: s, ..Rewritten::of(source) };
    let names = source.coordinates();
    new.source.each_expression(&|place, text| {
        let text = rewrite(text, &|found| {
            let coordinate = names.iter().any(|name| name == found.name);
            coordinate.then(|| format!("({s}*{})", found.as_it_stands())).or_else(|| in_unit(source, found, s))
        });
        match place {
            Place::Force => format!("{s}*({text})"),
            // On a velocity that is stated the bound is a force along that, in its own unit.
            Place::Bound { stated: false } => format!("{}*({text})", s.abs()),
            _ => text,
        }
    });
    new.source.each_start(&|_, key, text| match key {
        "multiplier" | "entropy" | "amount" | "state" => text.to_string(),
        "momentum" | "p0" | "p1" => format!("({text})*({s})"),
        _ => format!("({text})/({s})"),
    });
    new
}

/// Definitions written out where they are used without a prime.
fn inlined(source: &Source) -> Option<Rewritten> {
    let mut new = Rewritten::of(source);
    let table = new.source.table("definitions").clone();
    let bodies: BTreeMap<&str, &str> =
        table.0.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_text()?))).collect();
    // Definitions may use one another, to some depth.
    for _ in 0..4 {
        new.source.replace_names(&|found| {
            let body = bodies.get(found.name).filter(|_| found.primes == 0 && found.index.is_empty())?;
            Some(format!("({body})"))
        });
    }
    (!source.definitions().is_empty()).then_some(new)
}

/// Time in another unit: new time = k · old time. L keeps its value, and so do forces; powers and what flows are per new time.
fn in_other_time(source: &Source, k: f64) -> Option<Rewritten> {
    if source.is_herglotz() {
        return None;
    }
    let mut new = Rewritten { time: k, ..Rewritten::of(source) };
    new.source.each_expression(&|place, text| {
        let text = rewrite(text, &|found| match (found.name, found.primes) {
            ("t", 0) if found.index.is_empty() => Some(format!("(t/({k}))")),
            (_, 0) => in_unit(source, found, k),
            (_, primes) => Some(format!("({}*{})", k.powi(primes as i32), found.as_it_stands())),
        });
        match place {
            Place::Power | Place::Rate | Place::Conductance | Place::Sliding => format!("({text})/({k})"),
            _ => text,
        }
    });
    new.source.each_start(&|_, key, text| match key {
        "velocity" => format!("({text})/({k})"),
        "acceleration" => format!("({text})/({})", k * k),
        "jerk" => format!("({text})/({})", k * k * k),
        "momentum" | "p0" => format!("({text})*({k})"),
        "p1" => format!("({text})*({})", k * k),
        _ => text.to_string(),
    });
    for key in ["step", "until"] {
        if let Some(value) = new.source.table("simulation").get_mut(key) {
            value.each_text(&|text| format!("{k}*({text})"));
        }
    }
    Some(new)
}

/// L + dF/dt, the same motion with other momenta. The friction of a contact Lagrangian is made of its momenta, and starts from momenta are
/// starts from others.
pub fn with_gauge_term(source: &Source) -> Option<Rewritten> {
    let mut new = Rewritten { same_momenta: false, ..Rewritten::of(source) };
    let model = source.model();
    if source.is_herglotz() || source.is_hamiltonian() || model.momentum_order().is_some() {
        return None;
    }
    let names: Vec<&str> = model.coordinates().iter().map(|coordinate| coordinate.name.as_str()).collect();
    let (first, last) = (names.first()?, names.last()?);
    let gauge = format!("sin({first}) + 0.3*({first})*({last})^2 + cos(t)*{last}");
    new.source.table("definitions").set("gauge_function", Value::Text(gauge));
    let text = format!("{} + gauge_function'", source.function()?);
    new.source.set_function(text);
    Some(new)
}

/// The model `delta` away: every start by so much of itself and of 1, in alternating directions.
pub fn nearby(source: &Source, delta: f64) -> Source {
    let mut near = source.clone();
    near.each_coordinate(&mut |_, statement| {
        let key = if source.is_hamiltonian() { "momentum" } else { "velocity" };
        statement.entry(key, Value::Text("0".into()));
    });
    let names = source.coordinates();
    near.each_start(&|name, key, text| {
        let place = names.iter().position(|known| known == name).unwrap_or(0) + usize::from(key != "start");
        let sign = if place % 2 == 0 { 1.0 } else { -1.0 };
        format!("({text})*(1 + ({0:e})) + ({0:e})", sign * delta)
    });
    near
}

/// The model from where `motion` is in a row, `t` later: what is left of the motion, with the time from its new beginning.
pub fn continued(source: &Source, motion: &Motion, row: usize) -> Source {
    let mut late = source.clone();
    let at = |column: &str| motion.columns.get(column).map(|(_, values)| values[row]);
    let begin = at("t").unwrap();
    late.replace_names(&|found| {
        (found.name == "t" && found.primes == 0 && found.index.is_empty()).then(|| format!("(t + {begin:e})"))
    });
    // A family has a list of numbers, one per member.
    let state = |name: &str, column: &dyn Fn(&str) -> String| {
        let members = (1..).map_while(|i| at(&column(&format!("{name}[{i}]"))));
        let members: Vec<Value> = members.map(|x| Value::Text(format!("{x:e}"))).collect();
        let alone = at(&column(name)).map(|x| Value::Text(format!("{x:e}")));
        alone.or_else(|| (!members.is_empty()).then_some(Value::List(members)))
    };
    let by_momenta = source.model().momentum_order().is_some();
    let derivatives: &[&str] = match (source.is_hamiltonian(), by_momenta) {
        (true, _) => &["start"],
        (_, true) => &["start", "velocity"],
        _ => &["start", "velocity", "acceleration", "jerk"],
    };
    let momenta: &[&str] = match (source.is_hamiltonian(), by_momenta) {
        (true, _) => &["momentum"],
        (_, true) => &["p0", "p1"],
        _ => &[],
    };
    late.each_coordinate(&mut |name, statement| {
        for (keys, prefix) in [(derivatives, ""), (momenta, "p_")] {
            for (primes, key) in keys.iter().enumerate() {
                if let Some(value) = state(name, &|name| format!("{prefix}{name}{}", "'".repeat(primes))) {
                    statement.set(key, value);
                }
            }
        }
    });
    for table in ["entropies", "matter", "states"] {
        for (name, statement) in late.existing(table) {
            statement.as_table().unwrap().set("start", state(name, &|name| name.to_string()).unwrap());
        }
    }
    for (name, constraint) in late.existing("constraints") {
        if let Some(constraint) = constraint.as_table().filter(|constraint| constraint.get("multiplier").is_some()) {
            constraint.set("multiplier", state(name, &|name| format!("lambda_{name}")).unwrap());
        }
    }
    late
}
