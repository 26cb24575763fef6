//! How fast models get ready and march, beside loops written by hand in the same run: `cargo bench -p extremal`.
//!
//! The numbers of one machine are in `docs/benchmarks.md`.

mod chain;
mod control;
mod double_pendulum;
mod henon_heiles;
mod timing;

use extremal::{Model, gallery};
use timing::Table;

fn model(name: &str) -> Model {
    let text = gallery::text(name).unwrap_or_else(|| panic!("no gallery model {name}"));
    Model::from_toml(text).unwrap_or_else(|e| panic!("{}", e.render(name, false)))
}

fn main() {
    let mut steps = Table::new(["one step", "extremal", "by hand", "ratio"]);
    double_pendulum::measure(&mut steps);
    henon_heiles::measure(&mut steps);
    steps.print();

    let mut ready = Table::new(["from text to ready to march", "time", "", "growth"]);
    chain::measure(&mut ready);
    ready.print();

    let mut solved = Table::new(["cart and pole, swing-up", "building", "solution", ""]);
    control::measure(&mut solved);
    solved.print();
}
