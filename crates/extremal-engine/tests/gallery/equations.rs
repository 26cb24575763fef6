//! Derived equals hand-written: the equations of the gallery at random points, in print, and in LaTeX.

use extremal_engine::Settings;
use extremal_engine::derive::{Form, derive};
use extremal_engine::expr::syntax::{AnyName, Binding, NameRefusal, NameUse, Scope, parse_expression};
use extremal_engine::expr::{Expr, Graph, Node, TableFunction, magnitude};
use extremal_engine::mechanics::System;
use extremal_engine::printed::EquationSide;

use crate::hand_typed::{HandTyped, Sample, all};
use extremal_testkit::numbers::Draws;
use extremal_testkit::runs::gallery;

/// Compares all that was typed at random points; returns how many numbers that is at each.
fn compare(typed: &HandTyped, draws: &mut Draws) -> usize {
    let model = gallery(typed.gallery);
    let system = System::of(&model);
    let (n, m) = (system.len(), system.heat.s.len());
    let parameter = |name: &str| {
        let found = model.parameters().iter().find(|p| p.name == name);
        found.unwrap_or_else(|| panic!("{}: no parameter {name}", typed.gallery)).value
    };
    let temperatures = system.temperatures();
    let sources = system.entropy_sources(&temperatures);
    let derived = [system.euler_lagrange(), temperatures, sources, vec![system.energy()]].concat();
    let sizes: Vec<_> = derived.iter().map(|r| magnitude(*r)).collect();
    let rows = derived.len();
    let all = [derived, sizes].concat();
    for _ in 0..40 {
        let mut draw = |(low, high): (f64, f64)| draws.between(low, high);
        let q: Vec<f64> = (0..n).map(|k| draw(typed.positions[k.min(typed.positions.len() - 1)])).collect();
        let v: Vec<f64> = (0..n).map(|_| draw(typed.velocities)).collect();
        let a: Vec<f64> = (0..n).map(|_| draw((-2.0, 2.0))).collect();
        let s: Vec<f64> = (0..m).map(|_| draw(typed.entropies)).collect();
        let t = draw((0.0, 3.0));
        let value = |name: &str| {
            let bare = name.trim_end_matches('\'');
            if let Some(k) = system.names.iter().position(|known| known == bare) {
                return Some([q[k], v[k], a[k]][name.len() - bare.len()]);
            }
            // No Lagrangian of the gallery couples velocities and entropies: rates of entropies must not matter.
            let entropy = system.heat.names.iter().position(|known| known == bare);
            let given = || if name == "t" { t } else { parameter(name) };
            Some(entropy.map_or_else(given, |k| if name == bare { s[k] } else { f64::NAN }))
        };
        let values = model.graph().evaluate(&all, value);
        let hand = (typed.rows)(Sample { p: &parameter, q: &q, v: &v, a: &a, s: &s, t });
        assert_eq!(hand.len(), rows, "{}", typed.gallery);
        for (row, by_hand) in hand.iter().enumerate() {
            let (ours, size) = (values[row], values[rows + row]);
            assert!(
                (ours - by_hand).abs() <= 1e-12 * size.max(by_hand.abs()),
                "{} row {row} at {q:?} {v:?} {a:?} {s:?} t {t}: derived {ours}, typed {by_hand}",
                typed.gallery
            );
        }
    }
    rows
}

#[test]
fn derived_equations_equal_hand_typed_ones() {
    let mut draws = Draws(7);
    let systems = all();
    assert_eq!(systems.len(), 49);
    let numbers: usize = systems.iter().map(|typed| compare(typed, &mut draws)).sum();
    assert!(numbers >= 3 * systems.len());
}

/// Any name is a symbol, and those of the tables are functions.
struct WithTables<'g>(&'g Graph, &'g [TableFunction]);

impl<'g> Scope<'g> for WithTables<'g> {
    fn resolve(&self, name: &str) -> Option<Binding> {
        AnyName(self.0).resolve(name)
    }

    fn value(&self, reference: NameUse<'_>) -> Result<Expr<'g>, NameRefusal> {
        AnyName(self.0).value(reference)
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn table(&self, name: &str) -> Option<TableFunction> {
        self.1.iter().copied().find(|table| table.name() == name)
    }
}

#[test]
fn printed_equations_read_back_to_the_same_graph() {
    for name in extremal_engine::gallery::names() {
        let model = gallery(name);
        let g = model.graph();
        let derivation =
            derive(&model, &Settings::of(&model), &[Form::Lagrange, Form::Hamilton, Form::Discrete]).unwrap();
        let tables: Vec<TableFunction> = g
            .reachable(&[model.lagrangian().id()])
            .into_iter()
            .chain(g.reachable(&model.forces().iter().map(|force| force.id()).collect::<Vec<_>>()))
            .filter_map(|id| if let Node::Table(table, _) = g.expr(id).node() { Some(table) } else { None })
            .collect();
        for line in derivation.sections.iter().flat_map(|section| section.equations()) {
            for side in [&line.left, &line.right] {
                let EquationSide::Expression(expression) = side else { continue };
                let printed = expression.to_string();
                let read = parse_expression(g, &printed, &WithTables(g, &tables))
                    .unwrap_or_else(|e| panic!("{name}: {printed}\n{e}"));
                assert_eq!(read.value, *expression, "{name}: {printed}");
            }
        }
    }
}

#[test]
fn latex_of_every_equation_is_accepted() {
    for name in extremal_engine::gallery::names() {
        let model = gallery(name);
        let derivation =
            derive(&model, &Settings::of(&model), &[Form::Lagrange, Form::Hamilton, Form::Discrete]).unwrap();
        for section in serde_json::to_value(&derivation).unwrap()["sections"].as_array().unwrap() {
            for equation in section["equations"].as_array().unwrap() {
                let latex = equation["latex"].as_str().unwrap();
                let storage = pulldown_latex::Storage::new();
                for event in pulldown_latex::Parser::new(latex, &storage) {
                    assert!(event.is_ok(), "{name}: {latex}: {:?}", event.err());
                }
            }
        }
    }
}
