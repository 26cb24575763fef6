//! A model as the tables of its text, open to rewriting.

use extremal_engine::{Model, Settings};

use crate::names::{Occurrence, rewrite};
use crate::table::{Table, Value};
use extremal_testkit::runs::Lasting;

/// Tables that say nothing about the motion, and text above the first table.
const BESIDE_THE_MOTION: [&str; 7] = ["name", "source", "description", "expected", "exact", "invariants", "symmetries"];

/// Where an expression stands: how it changes with units depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Definition,
    Lagrangian,
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
        source.table("simulation").remove("start");
        source.table("simulation").remove("reduce");
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

    pub fn lagrangian(&self) -> String {
        let Some(Value::Table(dynamics)) = self.tables.get("dynamics") else { panic!("no dynamics") };
        dynamics.get("lagrangian").and_then(Value::as_text).unwrap().to_string()
    }

    pub fn set_lagrangian(&mut self, text: String) {
        self.table("dynamics").set("lagrangian", Value::Text(text));
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
                    _ if matches!(key, "dry" | "along" | "heats" | "variational") => None,
                    value => Some(value),
                };
                if let Some(expression) = expression {
                    expression.each_text(&|text| change(place, text));
                }
            }
        }
        self.set_lagrangian(change(Place::Lagrangian, &self.lagrangian()));
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

    pub fn reverse_coordinates(&mut self) {
        self.table("coordinates").0.reverse();
    }

    /// Starts of coordinates and their derivatives, of entropies, and of multipliers: what `change` makes of the name, the key
    /// (`start`, `velocity`, ..., `entropy`, `multiplier`) and the text.
    pub fn each_start(&mut self, change: &dyn Fn(&str, &str, &str) -> String) {
        self.each_coordinate(&mut |name, statement| {
            for (key, value) in &mut statement.0 {
                if matches!(key.as_str(), "start" | "velocity" | "acceleration" | "jerk") {
                    value.each_text(&|text| change(name, key, text));
                }
            }
        });
        for (table, key, as_key) in [("entropies", "start", "entropy"), ("constraints", "multiplier", "multiplier")] {
            for (name, statement) in self.existing(table) {
                if let Some(value) = statement.as_table().and_then(|statement| statement.get_mut(key)) {
                    value.each_text(&|text| change(name, as_key, text));
                }
            }
        }
    }
}
