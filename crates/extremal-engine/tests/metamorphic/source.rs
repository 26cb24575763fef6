//! A model as the tables of its text, open to rewriting.

use extremal_engine::{Model, Settings};

use crate::names::{Occurrence, rewrite};
use crate::table::{Table, Value};
use extremal_testkit::runs::Lasting;

/// Tables that say nothing about the motion, and text above the first table.
const BESIDE_THE_MOTION: [&str; 9] =
    ["name", "source", "description", "expected", "exact", "invariants", "symmetries", "drawing", "outputs"];

/// Where an expression stands: how it changes with units depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Definition,
    /// The Lagrangian or the Hamiltonian.
    Function,
    /// A generalised force on a coordinate, from outside or by friction.
    Force,
    /// The bound of a dry friction, on the velocity of a coordinate or on one that is stated.
    Bound {
        stated: bool,
    },
    /// A velocity of sliding.
    Sliding,
    /// A share, a stop condition, a domain: a number whatever the units of force and power.
    Number,
    /// Power into an entropy.
    Power,
    /// The rate of a state, or a flow of matter.
    Rate,
    /// Energy that comes with matter, or a temperature outside.
    Energy,
    Conductance,
    Constraint,
}

/// The tables of a model that determine its motion.
#[derive(Clone)]
pub struct Source {
    tables: Table,
}

impl Source {
    /// Reads a model, which starts from positions and velocities and has all its coordinates, whatever it says itself.
    pub fn read(text: &str) -> Source {
        let mut source = Source { tables: Table::read(text) };
        for table in BESIDE_THE_MOTION {
            source.tables.remove(table);
        }
        for (_, table) in source.existing("tables") {
            table.without_expressions();
        }
        // A number in the place of a statement is its start.
        for table in ["coordinates", "entropies", "matter"] {
            for (_, statement) in source.existing(table) {
                if statement.as_table().is_none() {
                    *statement = Value::Table(Table(vec![("start".to_owned(), statement.clone())]));
                }
            }
        }
        source.table("simulation").remove("start");
        source.table("simulation").remove("reduce");
        source.table("simulation").remove("pace");
        source.table("simulation").remove("pacing");
        source.each_coordinate(&mut |_, statement| statement.remove("second"));
        source
    }

    pub fn text(&self) -> String {
        self.tables.document()
    }

    pub fn model(&self) -> Model {
        let text = self.text();
        Model::from_toml(&text).unwrap_or_else(|e| panic!("{}\n{text}", e.render("rewritten", false)))
    }

    /// The settings of the model for `steps` steps.
    pub fn settings(&self, model: &Model, steps: u64) -> Settings {
        Settings::of(model).steps(steps)
    }

    /// The names of coordinates, or of families of them.
    pub fn coordinates(&self) -> Vec<String> {
        self.names_in("coordinates")
    }

    pub fn definitions(&self) -> Vec<String> {
        self.names_in("definitions")
    }

    fn names_in(&self, table: &str) -> Vec<String> {
        match self.tables.get(table) {
            Some(Value::Table(table)) => table.names().map(String::from).collect(),
            _ => Vec::new(),
        }
    }

    /// Is there a force on a point? It changes with the definition that it acts on, not with a coordinate.
    pub fn has_forces_on_points(&self) -> bool {
        let coordinates = self.coordinates();
        let stem = |name: &String| name.split('[').next().unwrap_or_default().to_string();
        self.names_in("forces").iter().any(|name| !coordinates.contains(&stem(name)))
    }

    pub fn has(&self, table: &str) -> bool {
        self.tables.get(table).is_some()
    }

    pub fn is_herglotz(&self) -> bool {
        self.names_in("dynamics").iter().any(|key| key == "friction")
    }

    /// The table `name`, made if there is none.
    pub fn table(&mut self, name: &str) -> &mut Table {
        self.tables.entry(name, Value::Table(Table::default())).as_table().unwrap()
    }

    /// The entries of a table, if there is one.
    pub fn existing(&mut self, name: &str) -> impl Iterator<Item = &mut (String, Value)> {
        self.tables.get_mut(name).and_then(Value::as_table).into_iter().flat_map(|table| table.0.iter_mut())
    }

    /// The Lagrangian or the Hamiltonian; states may move without either.
    pub fn function(&self) -> Option<String> {
        let Some(Value::Table(dynamics)) = self.tables.get("dynamics") else { return None };
        let text = dynamics.get(self.function_key()).and_then(Value::as_text);
        text.map(str::to_string)
    }

    pub fn set_function(&mut self, text: String) {
        let key = self.function_key();
        self.table("dynamics").set(key, Value::Text(text));
    }

    fn function_key(&self) -> &'static str {
        if self.is_hamiltonian() { "hamiltonian" } else { "lagrangian" }
    }

    /// Is it stated by a Hamiltonian, with momenta `p_x` in its expressions and at its start?
    pub fn is_hamiltonian(&self) -> bool {
        self.names_in("dynamics").iter().any(|key| key == "hamiltonian")
    }

    /// Is a name that of the momentum of a coordinate?
    pub fn is_momentum(&self, name: &str) -> bool {
        let of = name.strip_prefix("p_").filter(|_| self.is_hamiltonian());
        of.is_some_and(|of| self.coordinates().iter().any(|coordinate| coordinate == of))
    }

    pub fn each_coordinate(&mut self, change: &mut dyn FnMut(&str, &mut Table)) {
        for (name, statement) in self.existing("coordinates") {
            change(name, statement.as_table().unwrap());
        }
    }

    /// Applies `change` to every expression of the motion.
    pub fn each_expression(&mut self, change: &dyn Fn(Place, &str) -> String) {
        for (table, key, place) in [
            ("coordinates", "domain", Place::Number),
            ("definitions", "value", Place::Definition),
            ("forces", "", Place::Force),
            ("friction", "force", Place::Force),
            ("friction", "dry", Place::Bound { stated: false }),
            ("friction", "along", Place::Sliding),
            ("friction", "heats", Place::Number),
            ("heat", "", Place::Power),
            ("conduction", "conductance", Place::Conductance),
            ("constraints", "equation", Place::Constraint),
            ("constraints", "variational", Place::Constraint),
            ("stop", "when", Place::Number),
            ("controls", "law", Place::Number),
            ("states", "rate", Place::Rate),
            ("ports", "flow", Place::Rate),
            ("ports", "enthalpy", Place::Energy),
            ("ports", "potential", Place::Energy),
            ("ports", "temperature", Place::Energy),
            ("ports", "entropy", Place::Number),
            ("ports", "power", Place::Power),
            ("ports", "conductance", Place::Conductance),
        ] {
            for (_, value) in self.existing(table) {
                let mut place = place;
                let expression = match value {
                    Value::Table(statement) => {
                        if let Place::Bound { stated } = &mut place {
                            *stated = statement.get("along").is_some();
                        }
                        statement.get_mut(key)
                    }
                    // The short form of an entry stands for the first of its keys.
                    _ if matches!(key, "dry" | "along" | "heats" | "variational") || table == "ports" => None,
                    value => Some(value),
                };
                if let Some(expression) = expression {
                    expression.each_text(&|text| change(place, text));
                }
            }
        }
        if let Some(function) = self.function() {
            self.set_function(change(Place::Function, &function));
        }
    }

    /// Replaces names in every expression of the motion.
    pub fn replace_names(&mut self, replacement: &dyn Fn(&Occurrence) -> Option<String>) {
        self.each_expression(&|_, text| rewrite(text, replacement));
    }

    /// Renames coordinates in the tables that have an entry for each.
    pub fn rename_coordinates(&mut self, names: &dyn Fn(&str) -> String) {
        for table in ["coordinates", "forces", "friction"] {
            for (name, _) in self.existing(table) {
                *name = names(name);
            }
        }
    }

    /// Everything that moves in the reverse order; whether that is another one.
    pub fn reverse_order(&mut self) -> bool {
        let mut changed = false;
        for name in ["coordinates", "states", "matter"] {
            let Some(table) = self.tables.get_mut(name).and_then(Value::as_table) else { continue };
            changed |= table.0.len() > 1;
            table.0.reverse();
        }
        changed
    }

    /// Starts of coordinates, their derivatives and momenta, of entropies, amounts and states, and of multipliers: what `change` makes of
    /// the name, the key (`start`, `velocity`, ..., `entropy`, `amount`, `state`, `multiplier`) and the text.
    pub fn each_start(&mut self, change: &dyn Fn(&str, &str, &str) -> String) {
        self.each_coordinate(&mut |name, statement| {
            for (key, value) in &mut statement.0 {
                if matches!(key.as_str(), "start" | "velocity" | "acceleration" | "jerk" | "momentum" | "p0" | "p1") {
                    value.each_text(&|text| change(name, key, text));
                }
            }
        });
        for (table, key, as_key) in [
            ("entropies", "start", "entropy"),
            ("matter", "start", "amount"),
            ("states", "start", "state"),
            ("constraints", "multiplier", "multiplier"),
        ] {
            for (name, statement) in self.existing(table) {
                if let Some(value) = statement.as_table().and_then(|statement| statement.get_mut(key)) {
                    value.each_text(&|text| change(name, as_key, text));
                }
            }
        }
    }
}
